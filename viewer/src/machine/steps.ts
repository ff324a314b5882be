/** How many times as long as one message the exchange of a mesh takes, by method. */

import { type TemplateResult, html } from "lit";
import { customElement } from "lit/decorators.js";
import type { Drawing } from "../draw/drawing";
import { bytes, significant } from "../format";
import { DISTINCT, classColour, css } from "../palette";
import type { Key } from "../save/saver";
import { type TableColumn, numeric } from "../table/vtable";
import { FONT, FONT_SMALL, INK } from "../timeline/theme";
import { MachinePlot } from "./panel";
import { type Bar, barsOf, predictedOf } from "./steps-bars";

const LEFT = 150;
const RIGHT = 60;

@customElement("mp-machine-steps")
export class StepsPlot extends MachinePlot {
  readonly view = "steps";
  readonly heading = "Steps of a mesh exchange";

  get #bars(): Bar[] {
    return barsOf(this.app.machines);
  }

  get hasPicture(): boolean {
    return this.#bars.length > 0;
  }

  #colour(machine: number): string {
    return css(classColour(DISTINCT[machine]!, this.app.theme));
  }

  override about(): string {
    return "Time of the exchange, divided by that of one message. The line is what a model of blocking sends predicts.";
  }

  override keys(): Key[] {
    const { machines, theme } = this.app;
    const names = machines.length > 1 ? machines.map(({ name }, at) => ({ colour: this.#colour(at), text: name })) : [];
    return [...names, { colour: INK[theme].accent, text: "predicted for blocking sends" }];
  }

  draw(c: Drawing, width: number, height: number): void {
    const ink = INK[this.app.theme];
    const bars = this.#bars;
    const predicted = predictedOf(this.app.machines);
    const most = Math.max(1, ...predicted, ...bars.map(({ parameter }) => parameter.high ?? parameter.value));
    const room = Math.max(1, width - LEFT - RIGHT);
    const x = (value: number): number => LEFT + (value / most) * room;
    const row = Math.min(34, (height - 34) / bars.length);
    const bottom = 24 + row * bars.length;
    c.textBaseline = "middle";
    bars.forEach(({ machine, method, parameter }, i) => {
      const y = 24 + (i + 0.5) * row;
      const { value, low, high, from_bytes } = parameter;
      c.fillStyle = this.#colour(machine);
      c.fillRect(LEFT, y - row * 0.32, Math.max(1, x(value) - LEFT), row * 0.64);
      c.font = FONT;
      c.fillStyle = ink.text;
      c.textAlign = "right";
      c.fillText(`${method}, ${bytes(from_bytes ?? 0)}`, LEFT - 8, y, LEFT - 12);
      c.textAlign = "left";
      c.fillText(`${significant(value)} ×`, x(high ?? value) + 8, y, RIGHT - 10);
      if (low === null || high === null) return;
      c.strokeStyle = ink.text;
      c.lineWidth = 1;
      c.beginPath();
      c.moveTo(x(low), y);
      c.lineTo(x(high), y);
      for (const end of [low, high]) {
        c.moveTo(x(end), y - 4);
        c.lineTo(x(end), y + 4);
      }
      c.stroke();
    });
    c.strokeStyle = ink.muted;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(LEFT + 0.5, 20);
    c.lineTo(LEFT + 0.5, bottom);
    c.stroke();
    c.font = FONT_SMALL;
    c.textAlign = "left";
    for (const steps of predicted) {
      c.fillStyle = ink.accent;
      c.fillRect(x(steps), 16, 1.5, bottom - 16);
      c.fillText(`predicted: ${significant(steps)} ×`, x(steps) + 4, 12);
    }
  }

  plot(): TemplateResult {
    return html`<div class="plot"><canvas role="img" aria-label="${this.heading}, by method and size; its numbers are in the table"></canvas></div>`;
  }

  table(): { columns: TableColumn[]; count: number } {
    const bars = this.#bars;
    const times = (value: number): string => `${significant(value)} ×`;
    const end = (id: "low" | "high", title: string): TableColumn => ({ id, title, isNumber: true, cell: (i) => (bars[i]!.parameter[id] === null ? "" : times(bars[i]!.parameter[id]!)), value: (i) => bars[i]!.parameter[id] });
    return {
      count: bars.length,
      columns: [
        { id: "method", title: "Method", cell: (i) => bars[i]!.method },
        { id: "profile", title: "Profile", cell: (i) => this.app.machines[bars[i]!.machine]!.name },
        numeric("size", "Message size", (i) => bars[i]!.parameter.from_bytes ?? 0, bytes, { unit: "bytes" }),
        numeric("steps", "Steps", (i) => bars[i]!.parameter.value, times),
        end("low", "95 % from"),
        end("high", "95 % to"),
      ],
    };
  }
}
