/** The memory: bandwidth and latency by working set, and the roofs that bandwidths and the peak rate of operations are. */

import { customElement } from "lit/decorators.js";
import { bandwidthFigure, latencyFigure } from "./curves";
import type { Figure } from "./figure";
import { LinePlot } from "./line-plot";
import { hasPeak, rooflineFigure } from "./roofline";

const LEVELS = "Vertical lines: the working sets that represent the levels.";

@customElement("mp-machine-bandwidth")
export class BandwidthPlot extends LinePlot {
  readonly view = "bandwidth";
  readonly heading = "Memory: bandwidth by working set";

  figure(): Figure | null {
    return bandwidthFigure(this.app.machines);
  }

  override about(): string {
    return `${LEVELS} All ranks: one for each processor, together, each as fast as the slowest.`;
  }
}

@customElement("mp-machine-latency")
export class LatencyPlot extends LinePlot {
  readonly view = "latency";
  readonly heading = "Memory: latency by working set";

  figure(): Figure | null {
    return latencyFigure(this.app.machines);
  }

  override about(): string {
    return `${LEVELS} Each load depends on the one before.`;
  }
}

@customElement("mp-machine-roofline")
export class RooflinePlot extends LinePlot {
  readonly view = "roofline";
  readonly heading = "Roofline";

  figure(): Figure | null {
    return rooflineFigure(this.app.machines);
  }

  override about(): string {
    const { machines } = this.app;
    const without = machines.filter((machine) => !hasPeak(machine)).map(({ name }) => name);
    const dots = without.length < machines.length ? "Dots: from there on, the peak rate limits a loop. " : "";
    return without.length ? `${dots}Bandwidth roofs only: ${without.join(" and ")} has no peak rate (mpiscope bench arithmetic).` : dots;
  }
}
