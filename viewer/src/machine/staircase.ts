/** When the sends of each rank began and ended in one exchange of a mesh, by method. */

import { type TemplateResult, html } from "lit";
import { customElement } from "lit/decorators.js";
import type { Drawing } from "../draw/drawing";
import { time } from "../format";
import { DISTINCT, classColour, css } from "../palette";
import { type TableColumn, numeric } from "../table/vtable";
import { FONT_SMALL, INK } from "../timeline/theme";
import { MachinePlot } from "./panel";
import { type Lane, lanesOf } from "./staircase-lanes";

const LEFT = 56;
const HEAD = 16;

@customElement("mp-machine-staircase")
export class StaircasePlot extends MachinePlot {
  readonly view = "staircase";
  readonly heading = "Sends of one mesh exchange";

  get #lanes(): Lane[] {
    return lanesOf(this.app.machines);
  }

  get hasPicture(): boolean {
    return this.#lanes.length > 0;
  }

  override about(): string {
    return "Each line is a send, in its rank's order. The scale of each method is its own.";
  }

  draw(c: Drawing, width: number, height: number): void {
    const ink = INK[this.app.theme];
    const lanes = this.#lanes;
    const heads = lanes.filter(({ head }) => head).length;
    const row = Math.max(1, height - heads * HEAD - 4) / lanes.length;
    let y = 0;
    c.font = FONT_SMALL;
    c.textBaseline = "middle";
    for (const { head, name, send, nth, end } of lanes) {
      if (head) {
        c.fillStyle = ink.text;
        c.fillText(head, 8, y + HEAD / 2, width - 8);
        y += HEAD;
      }
      const scale = (width - LEFT - 8) / end;
      c.fillStyle = ink.muted;
      if (!nth && row > 2) c.fillText(name, 8, y + row / 2);
      c.fillStyle = css(classColour(DISTINCT[nth % DISTINCT.length]!, this.app.theme));
      c.fillRect(LEFT + send.begin_ns * scale, y, Math.max(1, (send.end_ns - send.begin_ns) * scale), Math.max(0.5, row - 0.5));
      y += row;
    }
  }

  plot(): TemplateResult {
    return html`<div class="plot"><canvas role="img" aria-label="${this.heading}; its numbers are in the table"></canvas></div>`;
  }

  table(): { columns: TableColumn[]; count: number } {
    const lanes = this.#lanes;
    return {
      count: lanes.length,
      columns: [
        { id: "method", title: "Method", cell: (i) => lanes[i]!.method },
        numeric("rank", "Rank", (i) => lanes[i]!.send.rank, String),
        numeric("to", "To", (i) => lanes[i]!.send.to, String),
        numeric("begin", "Begin", (i) => lanes[i]!.send.begin_ns, time, { unit: "ns" }),
        numeric("end", "End", (i) => lanes[i]!.send.end_ns, time, { unit: "ns" }),
      ],
    };
  }
}
