/** The distribution of a field; brushing filters. */

import { type TemplateResult, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { Ask } from "../ask";
import { fromUnit, toUnit } from "../axis";
import { basisText, careful } from "../basis";
import { failure, notYet } from "../chrome/failure";
import { count, countShort, counted, time } from "../format";
import { classColour, css as cssColour } from "../palette";
import { type AxisLook, type Box, axisText, boxOf, paintAxes } from "../plot";
import type { Drawing } from "../draw/drawing";
import { PlotPane } from "../plot-pane";
import type { Key } from "../save/saver";
import type { Histogram, Of } from "../protocol/types";
import { keepScale, lastScale } from "../scales";
import { type Filter } from "../state/view";
import { type TableColumn, numeric } from "../table/vtable";
import "../table/vtable";
import { INK } from "../timeline/theme";

/** Upper limit: the server uses as many bins as the values can fill, between round numbers. */
const BINS = 120;

/** A range of a field as a filter; null where calls cannot be filtered by it. */
export function brush(field: string, min: number, max: number): Partial<Filter> | "time" | null {
  if (field === "duration") return { duration_min: Math.floor(min), duration_max: Math.ceil(max) };
  if (field === "bytes") return { bytes_min: Math.ceil(min), bytes_max: Math.floor(max) };
  if (field === "rank") return { ranks: `${Math.max(0, Math.ceil(min))}-${Math.max(0, Math.floor(max))}` };
  if (field === "start" || field === "end") return "time";
  return null;
}

@customElement("mp-histogram")
export class HistogramPane extends PlotPane {
  readonly view = "histogram";
  readonly #all = new Ask<Histogram>(this);
  /** The selected area on the scale of all calls; null without one. */
  readonly #part = new Ask<Histogram>(this);
  @state() private drag: { x0: number; x1: number } | null = null;
  @state() private over: { x: number; y: number; bin: number } | null = null;
  #box: Box | null = null;

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const { field, is_log, of } = app.store.state.histogram;
    const { area } = app.store.state;
    // With a selected area, the other calls are the background.
    const parameters = { ...app.ground, of, field, is_log, bins: BINS };
    this.#all.update([parameters, app.growth], ...careful(app, parameters, (p, signal) => app.client.histogram(p, signal)));
    const all = this.#all.value;
    if (area && all && all.field === field && all.max > all.min) {
      const same = { ...app.scope, of, field, is_log: all.is_log, min: all.min, max: all.max, bins: all.counts.length };
      this.#part.update(same, ...careful(app, same, (p, signal) => app.client.histogram(p, signal)));
    }
  }

  #look(answer: Histogram): AxisLook {
    const { run } = this.app;
    const field = (this.app.store.state.histogram.of === "messages" ? run?.message_fields : run?.fields)?.find((f) => f.id === answer.field);
    const look: AxisLook = {
      scale: { min: answer.min, max: answer.max, isLog: answer.is_log },
      unit: field?.unit ?? "",
      title: field?.name ?? answer.field,
      isMoment: answer.field === "start" || answer.field === "end",
    };
    if (answer.field === "function") look.text = (v) => this.app.names?.short(Math.round(v)) ?? "";
    return look;
  }

  #height(answer: Histogram): AxisLook {
    let most = 1;
    for (const n of answer.counts) most = Math.max(most, n);
    return { scale: { min: 0, max: most * 1.05, isLog: false }, unit: "", title: this.app.store.state.histogram.of === "messages" ? "Messages" : "Calls", isMoment: false, text: countShort };
  }

  get hasPicture(): boolean {
    return !!this.#all.value?.total;
  }

  override keys(): Key[] {
    if (!this.app.store.state.area) return [];
    return [
      { colour: INK[this.app.theme].absent, text: "all" },
      { colour: cssColour(classColour("completion", this.app.theme)), text: "selected area" },
    ];
  }

  draw(c: Drawing, width: number, height: number): void {
    const answer = this.#all.value!;
    const { app } = this;
    const ink = INK[app.theme];
    const box = boxOf(width, height);
    this.#box = box;
    const x = this.#look(answer);
    const y = this.#height(answer);
    paintAxes(c, box, x, y, ink);
    const hasArea = app.store.state.area !== null;
    const bars = (histogram: Histogram, colour: string): void => {
      c.fillStyle = colour;
      const bins = histogram.counts.length;
      histogram.counts.forEach((n, i) => {
        if (!n) return;
        const x0 = box.left + (i / bins) * box.width;
        const h = Math.max(1.5, toUnit(y.scale, n) * box.height);
        c.fillRect(x0, box.top + box.height - h, Math.max(1, box.width / bins - 0.6), h);
      });
    };
    bars(answer, hasArea ? ink.absent : cssColour(classColour("send", app.theme)));
    const part = this.#part.value;
    if (hasArea && part && part.field === answer.field && part.min === answer.min) bars(part, cssColour(classColour("completion", app.theme)));
  }

  override drawOver(c: Drawing): void {
    const { drag } = this;
    const box = this.#box;
    if (!drag || !box) return;
    const ink = INK[this.app.theme];
    const [x0, x1] = [Math.min(drag.x0, drag.x1), Math.max(drag.x0, drag.x1)];
    c.fillStyle = ink.shade;
    c.fillRect(x0, box.top, x1 - x0, box.height);
    c.strokeStyle = ink.accent;
    c.strokeRect(x0, box.top, x1 - x0, box.height);
  }

  #xAt(event: MouseEvent): { x: number; y: number } {
    const box = this.renderRoot.querySelector(".plot")!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#xAt(event);
    const answer = this.#all.value;
    if (this.drag) this.drag = { ...this.drag, x1: x };
    else if (answer && this.#box) {
      const bin = Math.floor(((x - this.#box.left) / this.#box.width) * answer.counts.length);
      this.over = bin >= 0 && bin < answer.counts.length ? { x, y, bin } : null;
    }
  }

  #up(): void {
    const drag = this.drag;
    this.drag = null;
    const answer = this.#all.value;
    const box = this.#box;
    if (!drag || !answer || !box || Math.abs(drag.x1 - drag.x0) < 4) return;
    const scale = this.#look(answer).scale;
    const at = (px: number): number => fromUnit(scale, Math.max(0, Math.min(1, (px - box.left) / box.width)));
    this.#brush(at(Math.min(drag.x0, drag.x1)), at(Math.max(drag.x0, drag.x1)));
  }

  #brush(min: number, max: number): void {
    const { app } = this;
    const { field } = app.store.state.histogram;
    const change = brush(field, min, max);
    if (change === "time") app.store.set({ area: { from: Math.floor(min), until: Math.max(Math.ceil(max), Math.floor(min) + 1), row_from: null, row_until: null } });
    else if (change) app.store.set({ filter: { ...app.store.state.filter, ...change } });
    else app.say("Calls cannot be filtered by this field.");
  }

  override updated(): void {
    super.updated();
    if (this.over) this.placeTip(this.over.x, this.over.y);
  }

  /** Another field, with the scale that it had last. */
  #choose(field: string): void {
    const { store } = this.app;
    const { is_log, of } = store.state.histogram;
    store.set({ histogram: { field, is_log: lastScale(field, is_log), of } });
  }

  #scale(is_log: boolean): void {
    const { store } = this.app;
    keepScale(store.state.histogram.field, is_log);
    store.set({ histogram: { ...store.state.histogram, is_log } });
  }

  override render(): TemplateResult {
    const { app } = this;
    const { field, is_log, of } = app.store.state.histogram;
    const answer = this.#all.value;
    const all = (of === "messages" ? app.run?.message_fields : app.run?.fields) ?? [];
    const fields = all.filter((f) => f.id !== "iteration" || app.run?.iterations);
    return html`<div class="controls">
        <label>of <select aria-label="Of what" @change=${(e: Event) => app.store.set({ histogram: { field: "duration", is_log, of: (e.target as HTMLSelectElement).value as Of } })}>
          ${(["calls", "messages"] as const).map((what) => html`<option value=${what} ?selected=${what === of}>${what}</option>`)}
        </select></label>
        <label>field
          <select aria-label="Field" @change=${(e: Event) => this.#choose((e.target as HTMLSelectElement).value)}>
            ${fields.map((f) => html`<option value=${f.id} ?selected=${f.id === field}>${f.name}</option>`)}
          </select></label>
        <label><input type="checkbox" .checked=${is_log} @change=${(e: Event) => this.#scale((e.target as HTMLInputElement).checked)} />log</label>
        <span class="space"></span>
        <span class="muted">${answer ? `${countShort(answer.total)} ${of}${basisText(answer.basis, this.#all.done, of)}` : ""}${app.store.state.area ? ", selected area highlighted" : ""}</span>
        ${this.twinButton()}
      </div>
      ${app.run?.state !== "ready" ? notYet() : this.#all.error ? failure(this.#all.error) : this.isTwin ? this.#twin() : this.#plot()}`;
  }

  #plot(): TemplateResult {
    const answer = this.#all.value;
    const over = this.over;
    const x = answer ? this.#look(answer) : null;
    const edge = (i: number): string => axisText(x!, answer!.edges[i]!, 1000);
    return html`<div class="plot" role="group" aria-label="Histogram" aria-busy=${this.#all.isBusy}>
      <canvas
        role="img"
        aria-label=${answer ? `Histogram of ${x!.title.toLowerCase()} of ${counted(answer.total, "call")}` : "Histogram"}
        @pointerdown=${(e: PointerEvent) => {
          (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId);
          const at = this.#xAt(e).x;
          this.drag = { x0: at, x1: at };
        }}
        @pointermove=${(e: PointerEvent) => this.#move(e)}
        @pointerup=${() => this.#up()}
        @pointerleave=${() => (this.over = null)}
      ></canvas>
      ${answer && answer.total === 0 ? html`<p class="note">None of these calls has this value.</p>` : nothing}
      ${over && answer && !this.drag
        ? html`<div class="tip number">${edge(over.bin)} – ${edge(over.bin + 1)}<br />${counted(answer.counts[over.bin]!, "call")}, ${time(answer.time_ns[over.bin]!)}</div>`
        : nothing}
    </div>`;
  }

  /** Bins with calls. */
  #bins(answer: Histogram): number[] {
    return answer.counts.map((_, i) => i).filter((i) => answer.counts[i]);
  }

  table(): { columns: TableColumn[]; count: number } | null {
    const answer = this.#all.value;
    if (!answer) return null;
    const bins = this.#bins(answer);
    const x = this.#look(answer);
    const edge = (by: number) => (i: number) => answer.edges[bins[i]! + by]!;
    const columns: TableColumn[] = [
      { id: "from", title: "From", isNumber: true, width: "minmax(130px, 1fr)", cell: (i) => axisText(x, edge(0)(i), 1000), value: edge(0), unit: x.unit },
      { id: "until", title: "Until", isNumber: true, width: "minmax(130px, 1fr)", cell: (i) => axisText(x, edge(1)(i), 1000), value: edge(1), unit: x.unit },
      numeric("count", this.#height(answer).title, (i) => answer.counts[bins[i]!]!, count),
      numeric("time", "Time", (i) => answer.time_ns[bins[i]!]!, time, { unit: "ns" }),
    ];
    return { columns, count: bins.length };
  }

  #twin(): TemplateResult {
    const answer = this.#all.value;
    const bins = answer ? this.#bins(answer) : [];
    return html`<mp-vtable
      label="Histogram as a table; Enter filters by the row"
      .columns=${this.table()?.columns ?? []}
      .count=${bins.length}
      @activate=${(e: CustomEvent<number>) => answer && this.#brush(answer.edges[bins[e.detail]!]!, answer.edges[bins[e.detail]! + 1]!)}
    ></mp-vtable>`;
  }
}
