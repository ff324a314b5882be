/** Memory: bandwidth and latency by working set, the roofs that bandwidths and the peak rate of operations are, and what one process takes. */

import { bandwidthFigure, latencyFigure } from "./curves";
import { byPartners, byRanks } from "./footprint";
import { definePlot } from "./line-plot";
import type { Machine } from "./profile";
import { hasPeak, rooflineFigure } from "./roofline";

const LEVELS = "Vertical lines: the working sets that represent the levels.";

definePlot("bandwidth", "Memory: bandwidth by working set", bandwidthFigure, () => `${LEVELS} All ranks: one for each processor, together, each as fast as the slowest.`);

definePlot("latency", "Memory: latency by working set", latencyFigure, () => `${LEVELS} Each load depends on the one before.`);

definePlot("roofline", "Roofline", rooflineFigure, (machines: readonly Machine[]) => {
  const without = machines.filter((machine) => !hasPeak(machine)).map(({ name }) => name);
  const dots = without.length < machines.length ? "Dots: from there on, the peak rate limits a loop. " : "";
  return without.length ? `${dots}Bandwidth roofs only: ${without.join(" and ")} has no peak rate (mpiscope bench arithmetic).` : dots;
});

definePlot("by-ranks", "Process memory by ranks", byRanks, () => "Median of the ranks. Memory that processes share is divided by their number: libraries count less with more ranks.");

definePlot("by-partners", "Process memory by partners", byPartners, () => "Median of the ranks. The first message also brings in what later ones share; the slope after it is the memory of a connection.");
