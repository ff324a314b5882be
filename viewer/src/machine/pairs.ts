/** Heat map of the measured pairs of ranks: latency or bandwidth of a ping-pong at one size. */

import { type TemplateResult, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import type { Drawing } from "../draw/drawing";
import { bytes, rate, time } from "../format";
import { css, ink as inkOn, ramp } from "../palette";
import type { Key } from "../save/saver";
import { type TableColumn, numeric } from "../table/vtable";
import { FONT, FONT_SMALL, INK } from "../timeline/theme";
import { type PairNumber, numbersAt, sizesOf } from "./pairs-numbers";
import { MachinePlot } from "./panel";
import { distanceText, pairText } from "./profile";

/** A cell of the picture. */
interface Cell {
  left: number;
  top: number;
  size: number;
  found: PairNumber | null;
  ranks: [number, number];
}

@customElement("mp-machine-pairs")
export class PairsPlot extends MachinePlot {
  readonly view = "pairs";
  readonly heading = "Pairs of ranks";
  @state() private over: { cell: Cell; x: number; y: number } | null = null;
  #cells: Cell[] = [];

  get #sizes(): number[] {
    return sizesOf(this.app.machines, this.app.state.of);
  }

  get #size(): number {
    const sizes = this.#sizes;
    const { size, of } = this.app.state;
    // Short messages show the latency, long ones the bandwidth.
    return size !== null && sizes.includes(size) ? size : ((of === "time" ? sizes[0] : sizes[sizes.length - 1]) ?? 0);
  }

  get #numbers(): PairNumber[] {
    return numbersAt(this.app.machines, this.app.state.of, this.#size);
  }

  get #text(): (value: number) => string {
    return this.app.state.of === "time" ? time : rate;
  }

  get hasPicture(): boolean {
    return this.#numbers.length > 0;
  }

  #range(): { least: number; most: number } {
    const values = this.#numbers.map((found) => found.value);
    return { least: Math.min(...values), most: Math.max(...values) };
  }

  #colour(value: number): number {
    const { least, most } = this.#range();
    return ramp(most > least ? 0.1 + (0.9 * (value - least)) / (most - least) : 0.5, this.app.theme);
  }

  override keys(): Key[] {
    const { least, most } = this.#range();
    return [least, most].map((value) => ({ colour: css(this.#colour(value)), text: this.#text(value) })).concat({ colour: INK[this.app.theme].absent, text: "not measured" });
  }

  draw(c: Drawing, width: number, height: number): void {
    const { theme, machines } = this.app;
    const ink = INK[theme];
    const numbers = this.#numbers;
    const each = width / machines.length;
    this.#cells = [];
    machines.forEach(({ name }, at) => {
      const own = numbers.filter((found) => found.machine === name);
      const ranks = [...new Set(own.flatMap((found) => found.pair.ranks))].sort((a, b) => a - b);
      const size = Math.max(4, Math.min((each - 70) / ranks.length, (height - 50) / ranks.length, 96));
      const [left, top] = [at * each + 56, 38];
      c.font = FONT_SMALL;
      c.fillStyle = ink.text;
      c.textBaseline = "middle";
      c.textAlign = "left";
      c.fillText(machines.length > 1 ? `${name}: ranks` : "ranks", left, 10);
      ranks.forEach((rank, i) => {
        c.fillStyle = ink.muted;
        c.textAlign = "center";
        c.fillText(String(rank), left + (i + 0.5) * size, top - 10, size);
        c.textAlign = "right";
        c.fillText(`rank ${rank}`, left - 6, top + (i + 0.5) * size, 48);
        ranks.forEach((other, j) => {
          const found = own.find(({ pair }) => rank !== other && pair.ranks.includes(rank) && pair.ranks.includes(other)) ?? null;
          this.#cell(c, { left: left + j * size, top: top + i * size, size, found, ranks: [rank, other] });
        });
      });
    });
  }

  #cell(c: Drawing, cell: Cell): void {
    this.#cells.push(cell);
    const { left, top, size, found, ranks } = cell;
    if (ranks[0] === ranks[1]) return;
    const colour = found ? this.#colour(found.value) : null;
    c.fillStyle = colour === null ? INK[this.app.theme].absent : css(colour);
    c.fillRect(left + 1, top + 1, size - 2, size - 2);
    if (colour === null || size < 50) return;
    c.fillStyle = inkOn(colour);
    c.font = FONT;
    c.textAlign = "center";
    c.fillText(this.#text(found!.value), left + size / 2, top + size / 2, size - 6);
  }

  override controls(): TemplateResult {
    const { app } = this;
    return html`<label>of
        <select aria-label="Number of a pair" @change=${(e: Event) => app.set({ of: (e.target as HTMLSelectElement).value as "time" | "rate", size: null })}>
          <option value="time" ?selected=${app.state.of === "time"}>latency</option>
          <option value="rate" ?selected=${app.state.of === "rate"}>bandwidth</option>
        </select></label>
      <label>at
        <select aria-label="Message size" @change=${(e: Event) => app.set({ size: Number((e.target as HTMLSelectElement).value) })}>
          ${this.#sizes.map((size) => html`<option value=${size} ?selected=${size === this.#size}>${bytes(size)}</option>`)}
        </select></label>`;
  }

  override about(): string {
    return "Half a round trip of a ping-pong. mpiscope bench measures one pair of each distance; grey pairs were not measured.";
  }

  #move(event: PointerEvent): void {
    const bounds = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    const cell = this.#cells.find(({ left, top, size }) => x >= left && x < left + size && y >= top && y < top + size);
    this.over = cell && cell.ranks[0] !== cell.ranks[1] ? { cell, x, y } : null;
  }

  override updated(): void {
    super.updated();
    if (this.over) this.placeTip(this.over.x, this.over.y);
  }

  plot(): TemplateResult {
    const { over } = this;
    const interval = ({ low, high }: PairNumber): string => (low === null || high === null ? "" : ` (${this.#text(low)} to ${this.#text(high)})`);
    return html`<div class="plot">
      <canvas role="img" aria-label="Heat map of pairs of ranks; its numbers are in the table" @pointermove=${(e: PointerEvent) => this.#move(e)} @pointerleave=${() => (this.over = null)}></canvas>
      ${over
        ? html`<div class="tip"><b>${pairText([Math.min(...over.cell.ranks), Math.max(...over.cell.ranks)])}</b><br />${over.cell.found ? html`${distanceText(over.cell.found.pair)}: ${this.#text(over.cell.found.value)}${interval(over.cell.found)}` : "not measured"}</div>`
        : nothing}
    </div>`;
  }

  table(): { columns: TableColumn[]; count: number } {
    const numbers = this.#numbers;
    const isTime = this.app.state.of === "time";
    const unit = isTime ? "ns" : "bytes/s";
    const end = (id: "low" | "high", title: string): TableColumn => ({ id, title, isNumber: true, cell: (i) => (numbers[i]![id] === null ? "" : this.#text(numbers[i]![id]!)), value: (i) => numbers[i]![id], unit });
    return {
      count: numbers.length,
      columns: [
        { id: "ranks", title: "Ranks", cell: (i) => numbers[i]!.pair.ranks.join(",") },
        { id: "profile", title: "Profile", cell: (i) => numbers[i]!.machine },
        { id: "class", title: "Distance", cell: (i) => distanceText(numbers[i]!.pair) },
        numeric("value", isTime ? "Latency" : "Bandwidth", (i) => numbers[i]!.value, this.#text, { unit }),
        end("low", "95 % from"),
        end("high", "95 % to"),
      ],
    };
  }
}
