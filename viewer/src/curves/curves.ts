/** Curves over time: waiting ranks, calls and bytes per second, messages in flight; for all ranks or per host. */

import { type TemplateResult, css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { Ask } from "../ask";
import { fromUnit, toUnit } from "../axis";
import { basisText, careful } from "../basis";
import { failure, notYet } from "../chrome/failure";
import { square } from "../chrome/swatch";
import { counted, moment as momentText, time } from "../format";
import { classColour, css as cssOf } from "../palette";
import { type AxisLook, type Box, boxOf, paintAxes } from "../plot";
import type { Drawing } from "../draw/drawing";
import { PlotPane } from "../plot-pane";
import type { Key } from "../save/saver";
import { CURVE_FIELDS, type CurveField, type Curves } from "../protocol/types";
import type { TableColumn } from "../table/vtable";
import "../table/vtable";
import { INK } from "../timeline/theme";
import { CURVES, HUES, binAt, mostOf, valuesOf } from "./series";

@customElement("mp-curves")
export class CurvesPane extends PlotPane {
  static override styles = [
    ...PlotPane.styles,
    css`
      .controls select {
        max-width: 160px;
      }
    `,
  ];
  readonly view = "curves";
  readonly #ask = new Ask<Curves>(this);
  @state() private over: { x: number; y: number; bin: number } | null = null;
  #box: Box | null = null;

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const { by_host } = app.store.state.curves;
    const { from, until } = app.scope;
    const parameters = { ...app.scope, from: from ?? app.run.from_ns, until: until ?? app.run.until_ns, by_host, columns: 512 };
    const [quick, refining] = careful(app, parameters, (p, signal) => app.client.curves(p, signal));
    this.#ask.update([parameters, app.growth], quick, { ...refining, isSample: (value) => value.has_finer || refining.isSample(value) });
  }

  get #field(): CurveField {
    return this.app.store.state.curves.field;
  }

  #axes(answer: Curves): { x: AxisLook; y: AxisLook } {
    const { axis, text } = CURVES[this.#field];
    const until = answer.from_ns + answer.columns * answer.bin_ns;
    return {
      x: { scale: { min: answer.from_ns, max: until, isLog: false }, unit: "ns", title: "Time", isMoment: true },
      y: { scale: { min: 0, max: mostOf(answer, this.#field) * 1.05, isLog: false }, unit: "", title: axis, isMoment: false, text },
    };
  }

  #colour(curve: number): string {
    return cssOf(classColour(HUES[curve % HUES.length]!, this.app.theme));
  }

  get hasPicture(): boolean {
    return this.#ask.value !== null;
  }

  override keys(): Key[] {
    const { hosts = [] } = this.#ask.value ?? {};
    return hosts.length > 1 ? hosts.map((_, curve) => ({ colour: this.#colour(curve), text: this.#name(curve) })) : [];
  }

  draw(c: Drawing, width: number, height: number): void {
    const answer = this.#ask.value!;
    const { app } = this;
    const ink = INK[app.theme];
    const box = boxOf(width, height);
    this.#box = box;
    const { x, y } = this.#axes(answer);
    paintAxes(c, box, x, y, ink);
    c.save();
    c.beginPath();
    c.rect(box.left, box.top - 1, box.width, box.height + 2);
    c.clip();
    c.lineWidth = 1.5;
    c.lineJoin = "round";
    answer.hosts.forEach((_, curve) => {
      const values = valuesOf(answer, this.#field, curve);
      if (!values) return;
      c.strokeStyle = this.#colour(curve);
      c.beginPath();
      values.forEach((value, bin) => {
        // Drawn in steps: a value is the mean of its bin.
        const py = box.top + (1 - toUnit(y.scale, value)) * box.height;
        c.lineTo(box.left + (bin / answer.columns) * box.width, py);
        c.lineTo(box.left + ((bin + 1) / answer.columns) * box.width, py);
      });
      c.stroke();
    });
    const { moment } = app.store.state;
    if (moment !== null) {
      const px = Math.round(box.left + toUnit(x.scale, moment) * box.width);
      c.fillStyle = ink.accent;
      c.fillRect(px, box.top, 1, box.height);
    }
    c.restore();
  }

  #xAt(event: MouseEvent): { x: number; y: number } {
    const plot = this.renderRoot.querySelector(".plot")!.getBoundingClientRect();
    return { x: event.clientX - plot.left, y: event.clientY - plot.top };
  }

  #nsAt(x: number): number | null {
    const answer = this.#ask.value;
    const box = this.#box;
    if (!answer || !box || x < box.left || x > box.left + box.width) return null;
    return Math.round(fromUnit(this.#axes(answer).x.scale, (x - box.left) / box.width));
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#xAt(event);
    const ns = this.#nsAt(x);
    const bin = ns === null ? -1 : binAt(this.#ask.value!, ns);
    this.over = bin < 0 ? null : { x, y, bin };
  }

  override updated(): void {
    super.updated();
    if (this.over) this.placeTip(this.over.x, this.over.y);
  }

  override render(): TemplateResult {
    const { app } = this;
    const { field, by_host } = app.store.state.curves;
    const answer = this.#ask.value;
    const hasHosts = (app.run?.hosts.length ?? 0) > 1;
    return html`<div class="controls">
        <label>of
          <select aria-label="Curve" @change=${(e: Event) => app.store.set({ curves: { by_host, field: (e.target as HTMLSelectElement).value as CurveField } })}>
            ${CURVE_FIELDS.map((f) => html`<option value=${f} ?selected=${f === field}>${CURVES[f].title}</option>`)}
          </select></label>
        ${hasHosts
          ? html`<label><input type="checkbox" .checked=${by_host} @change=${(e: Event) => app.store.set({ curves: { field, by_host: (e.target as HTMLInputElement).checked } })} />per host</label>`
          : nothing}
        <span class="space"></span>
        <span class="muted">${answer ? `means over ${time(answer.bin_ns)}${basisText(answer.basis, this.#ask.done, "messages")}${answer.hosts_left_out ? ` · ${counted(answer.hosts_left_out, "more host")} not drawn` : ""}` : ""}</span>
        ${this.twinButton()}
      </div>
      ${app.run?.state !== "ready" ? notYet() : this.#ask.error ? failure(this.#ask.error) : this.isTwin ? this.#twin() : this.#plot()}`;
  }

  #name(curve: number): string {
    const host = this.#ask.value?.hosts[curve] ?? null;
    return host === null ? "all ranks" : (this.app.run?.hosts[host] ?? `host ${host}`);
  }

  #plot(): TemplateResult {
    const answer = this.#ask.value;
    const { over } = this;
    const { title, text } = CURVES[this.#field];
    const isUnknown = answer !== null && !answer.values[this.#field];
    return html`<div class="plot" role="group" aria-label="Curves" aria-busy=${this.#ask.isBusy}>
      <canvas
        role="img"
        aria-label="Curve of ${title} over time"
        @pointermove=${(e: PointerEvent) => this.#move(e)}
        @pointerleave=${() => (this.over = null)}
        @click=${(e: MouseEvent) => {
          const ns = this.#nsAt(this.#xAt(e).x);
          if (ns !== null) this.app.store.set({ moment: ns });
        }}
      ></canvas>
      ${isUnknown ? html`<p class="note">Waits carry no call arguments. Remove the filter to see which ranks wait.</p>` : nothing}
      ${over && answer
        ? html`<div class="tip number">
            ${momentText(answer.from_ns + over.bin * answer.bin_ns, answer.bin_ns)}
            ${answer.hosts.map((_, curve) => {
              const value = valuesOf(answer, this.#field, curve)?.[over.bin];
              return value === undefined ? nothing : html`<br />${square(this.#colour(curve))} ${answer.hosts.length > 1 ? `${this.#name(curve)}: ` : ""}${text(value)}`;
            })}
          </div>`
        : nothing}
    </div>`;
  }

  table(): { columns: TableColumn[]; count: number } | null {
    const answer = this.#ask.value;
    const { title, text, unit } = CURVES[this.#field];
    if (!answer) return null;
    const start = (i: number): number => answer.from_ns + i * answer.bin_ns;
    const columns = [
      { id: "from", title: "From", isNumber: true, width: "minmax(130px, 1fr)", cell: (i: number) => momentText(start(i), answer.bin_ns), value: start, unit: "ns" },
      ...answer.hosts.map((_, curve): TableColumn => {
        const value = (i: number): number | null => valuesOf(answer, this.#field, curve)?.[i] ?? null;
        return {
          id: `curve-${curve}`,
          title: answer.hosts.length > 1 ? this.#name(curve) : title,
          isNumber: true,
          width: "minmax(110px, 1fr)",
          cell: (i) => {
            const number = value(i);
            return number === null ? "" : text(number);
          },
          value,
          unit,
        };
      }),
    ];
    return { columns, count: answer.columns };
  }

  #twin(): TemplateResult {
    const answer = this.#ask.value;
    const table = this.table();
    return html`<mp-vtable
      label="Curve of ${CURVES[this.#field].title} as a table; Enter sets the moment"
      .columns=${table?.columns ?? []}
      .count=${table?.count ?? 0}
      @activate=${(e: CustomEvent<number>) => answer && this.app.store.set({ moment: Math.round(answer.from_ns + (e.detail + 0.5) * answer.bin_ns) })}
    ></mp-vtable>`;
  }
}
