/** Any two fields of calls or messages against each other. */

import { type TemplateResult, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { Ask } from "../ask";
import { fromUnit, toUnit } from "../axis";
import { basisText, careful } from "../basis";
import { failure, notYet } from "../chrome/failure";
import { count, countShort, counted } from "../format";
import { css as cssColour, ramp } from "../palette";
import { type AxisLook, type Box, axisText, boxOf, paintAxes } from "../plot";
import type { Drawing } from "../draw/drawing";
import { PlotPane } from "../plot-pane";
import type { Key } from "../save/saver";
import type { Axis, FieldInfo, Of, Scatter } from "../protocol/types";
import { keepScale, lastScale } from "../scales";
import { type TableColumn, numeric } from "../table/vtable";
import "../table/vtable";
import { INK } from "../timeline/theme";
import { fitText, isFitting } from "./fit";

const POINTS = 20_000;
const NEAR_PX = 8;
/** Functions that a saved picture names. */
const MOST_KEYS = 16;

interface Rect {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

const ALL_VALUES = { x_min: null, x_max: null, y_min: null, y_max: null };
/** Margin for points on the edge of the plot. */
const EDGE_PX = 4;

/** The range of an axis: for moments, the visible time, unless the user has chosen another one. */
export function inSight(axis: "x" | "y", field: string, min: number | null, max: number | null, { from, until }: { from?: number | null; until?: number | null }): Record<string, number | null> {
  const isMoment = field === "start" || field === "end";
  return { [`${axis}_min`]: min ?? (isMoment ? (from ?? null) : null), [`${axis}_max`]: max ?? (isMoment ? (until ?? null) : null) };
}

@customElement("mp-scatter")
export class ScatterPane extends PlotPane {
  readonly view = "scatter";
  readonly #ask = new Ask<Scatter>(this);
  @state() private drag: Rect | null = null;
  @state() private over: { x: number; y: number; index: number } | null = null;
  #box: Box | null = null;
  #points: { of: Scatter; key: string; canvas: OffscreenCanvas } | null = null;
  #picture: { of: Scatter; theme: string; canvas: OffscreenCanvas } | null = null;

  /** Fields with numeric values; names can be an axis, too, in the order of their ids. */
  #fields(): readonly FieldInfo[] {
    const { app } = this;
    return (app.store.state.scatter.of === "messages" ? app.run?.message_fields : app.run?.fields) ?? [];
  }

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const s = app.store.state.scatter;
    const width = Math.max(64, Math.min(1024, Math.round((this.clientWidth || 600) - 90)));
    const height = Math.max(48, Math.min(1024, Math.round((this.clientHeight || 300) - 82)));
    const { scope } = app;
    const parameters = {
      ...scope,
      of: s.of,
      x: s.x,
      y: s.y,
      x_log: s.x_log,
      y_log: s.y_log,
      ...inSight("x", s.x, s.x_min, s.x_max, scope),
      ...inSight("y", s.y, s.y_min, s.y_max, scope),
      width: Math.ceil(width / 2),
      height: Math.ceil(height / 2),
      points: POINTS,
    };
    this.#ask.update([parameters, app.growth], ...careful(app, parameters, (p, signal) => app.client.scatter(p, signal)));
  }

  override resized(): void {
    this.requestUpdate();
  }

  #look(axis: Axis): AxisLook {
    const field = this.#fields().find((f) => f.id === axis.field);
    const scale = { min: axis.min, max: axis.max, isLog: axis.is_log };
    const look: AxisLook = { scale, unit: field?.unit ?? "", title: field?.name ?? axis.field, isMoment: axis.field === "start" || axis.field === "end" };
    if (axis.field === "function") look.text = (v) => this.app.names?.short(Math.round(v)) ?? "";
    return look;
  }

  get hasPicture(): boolean {
    return !!this.#ask.value?.total;
  }

  /** Functions of the points, the most frequent first. */
  override keys(): Key[] {
    const counts = new Map<number, number>();
    for (const id of this.#ask.value?.points?.function ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
    const ids = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!).slice(0, MOST_KEYS);
    return ids.map((id) => ({ colour: cssColour(this.app.colours.function(id)), text: this.app.names?.function(id) ?? "" }));
  }

  draw(c: Drawing, width: number, height: number): void {
    const answer = this.#ask.value!;
    const ink = INK[this.app.theme];
    const box = boxOf(width, height);
    this.#box = box;
    const x = this.#look(answer.x);
    const y = this.#look(answer.y);
    paintAxes(c, box, x, y, ink);
    c.save();
    c.beginPath();
    // A point on the edge is completely visible.
    c.rect(box.left - EDGE_PX, box.top - EDGE_PX, box.width + 2 * EDGE_PX, box.height + 2 * EDGE_PX);
    c.clip();
    if (answer.density) this.#paintDensity(c, box, answer);
    else this.#paintPoints(c, box, answer, x, y);
    this.#paintFit(c, box, answer, x, y);
    this.#paintSelected(c, box, answer, x, y);
    c.restore();
  }

  override drawOver(c: Drawing): void {
    if (!this.drag) return;
    const { x0, y0, x1, y1 } = this.drag;
    const ink = INK[this.app.theme];
    c.strokeStyle = ink.accent;
    c.lineWidth = 1.5;
    c.fillStyle = ink.shade;
    c.fillRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
    c.strokeRect(Math.min(x0, x1), Math.min(y0, y1), Math.abs(x1 - x0), Math.abs(y1 - y0));
  }

  /** Points are drawn once and cached: drawing tens of thousands of them would take most of a frame. */
  #paintPoints(c: Drawing, box: Box, answer: Scatter, x: AxisLook, y: AxisLook): void {
    // Only the page's own canvas is painted repeatedly.
    if (!(c instanceof CanvasRenderingContext2D)) {
      this.#drawPoints(c, box, answer, x, y);
      return;
    }
    const ratio = devicePixelRatio || 1;
    const key = JSON.stringify([box, ratio, x, y, this.app.colours.key]);
    if (this.#points?.of !== answer || this.#points.key !== key) {
      const canvas = new OffscreenCanvas(Math.ceil((box.width + 2 * EDGE_PX) * ratio), Math.ceil((box.height + 2 * EDGE_PX) * ratio));
      const layer = canvas.getContext("2d")!;
      layer.setTransform(ratio, 0, 0, ratio, (EDGE_PX - box.left) * ratio, (EDGE_PX - box.top) * ratio);
      this.#drawPoints(layer, box, answer, x, y);
      this.#points = { of: answer, key, canvas };
    }
    const { canvas } = this.#points;
    c.drawImage(canvas, box.left - EDGE_PX, box.top - EDGE_PX, canvas.width / ratio, canvas.height / ratio);
  }

  #drawPoints(c: Drawing, box: Box, answer: Scatter, x: AxisLook, y: AxisLook): void {
    const points = answer.points!;
    const size = points.x.length > 6000 ? 2 : 3;
    const colours = new Map<number, string>();
    for (let i = 0; i < points.x.length; i++) {
      const id = points.function[i]!;
      let colour = colours.get(id);
      if (!colour) colours.set(id, (colour = cssColour(this.app.colours.function(id))));
      if (c.fillStyle !== colour) c.fillStyle = colour;
      const [ux, uy] = [toUnit(x.scale, points.x[i]!), toUnit(y.scale, points.y[i]!)];
      if (ux < 0 || ux > 1 || uy < 0 || uy > 1) continue;
      const px = box.left + ux * box.width;
      const py = box.top + (1 - uy) * box.height;
      c.fillRect(px - size / 2, py - size / 2, size, size);
    }
  }

  #paintDensity(c: Drawing, box: Box, answer: Scatter): void {
    const { app } = this;
    if (this.#picture?.of !== answer || this.#picture.theme !== app.theme) {
      const { width, height, count: counts } = answer.density!;
      const image = new ImageData(width, height);
      let most = 1;
      for (const n of counts) most = Math.max(most, n);
      const scale = Math.log(most + 1);
      for (let row = 0; row < height; row++)
        for (let col = 0; col < width; col++) {
          const n = counts[row * width + col]!;
          if (!n) continue;
          // Even a single call is visible against the background.
          const colour = ramp(0.25 + (0.75 * Math.log(n + 1)) / scale, app.theme);
          const at = ((height - 1 - row) * width + col) * 4;
          image.data[at] = colour >> 16;
          image.data[at + 1] = (colour >> 8) & 255;
          image.data[at + 2] = colour & 255;
          image.data[at + 3] = 255;
        }
      const canvas = new OffscreenCanvas(width, height);
      canvas.getContext("2d")!.putImageData(image, 0, 0);
      this.#picture = { of: answer, theme: app.theme, canvas };
    }
    c.imageSmoothingEnabled = false;
    c.drawImage(this.#picture.canvas, box.left, box.top, box.width, box.height);
  }

  #paintFit(c: Drawing, box: Box, answer: Scatter, x: AxisLook, y: AxisLook): void {
    const fit = answer.fit;
    if (!fit || !isFitting(fit)) return;
    c.strokeStyle = INK[this.app.theme].path;
    c.lineWidth = 1.5;
    c.setLineDash([5, 3]);
    c.beginPath();
    for (let i = 0; i <= 60; i++) {
      const value = fromUnit(x.scale, i / 60);
      const px = box.left + (i / 60) * box.width;
      const py = box.top + (1 - toUnit(y.scale, fit.latency_ns + value / fit.bytes_per_ns)) * box.height;
      if (i === 0) c.moveTo(px, py);
      else c.lineTo(px, py);
    }
    c.stroke();
    c.setLineDash([]);
  }

  #paintSelected(c: Drawing, box: Box, answer: Scatter, x: AxisLook, y: AxisLook): void {
    const { selection } = this.app.store.state;
    const points = answer.points;
    if (!selection || !points) return;
    for (let i = 0; i < points.x.length; i++) {
      if (points.rank[i] !== selection.rank || points.row[i] !== selection.row) continue;
      const px = box.left + toUnit(x.scale, points.x[i]!) * box.width;
      const py = box.top + (1 - toUnit(y.scale, points.y[i]!)) * box.height;
      c.strokeStyle = INK[this.app.theme].selection;
      c.lineWidth = 2;
      c.beginPath();
      c.arc(px, py, 6, 0, 7);
      c.stroke();
    }
  }

  #nearest(px: number, py: number): number {
    const answer = this.#ask.value;
    const box = this.#box;
    if (!answer?.points || !box) return -1;
    const x = this.#look(answer.x).scale;
    const y = this.#look(answer.y).scale;
    let found = -1;
    let best = NEAR_PX ** 2;
    for (let i = 0; i < answer.points.x.length; i++) {
      const dx = box.left + toUnit(x, answer.points.x[i]!) * box.width - px;
      const dy = box.top + (1 - toUnit(y, answer.points.y[i]!)) * box.height - py;
      const distance = dx * dx + dy * dy;
      if (distance < best) {
        best = distance;
        found = i;
      }
    }
    return found;
  }

  #at(event: MouseEvent): { x: number; y: number } {
    const box = this.renderRoot.querySelector(".plot")!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0 || !this.#box) return;
    const { x, y } = this.#at(event);
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.drag = { x0: x, y0: y, x1: x, y1: y };
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#at(event);
    if (this.drag) this.drag = { ...this.drag, x1: x, y1: y };
    else {
      const index = this.#nearest(x, y);
      this.over = index >= 0 ? { x, y, index } : null;
    }
  }

  #up(): void {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    if (Math.abs(drag.x1 - drag.x0) < 4 && Math.abs(drag.y1 - drag.y0) < 4) {
      this.#open(this.#nearest(drag.x1, drag.y1));
      return;
    }
    const answer = this.#ask.value;
    const box = this.#box;
    if (!answer || !box) return;
    const unit = (px: number, from: number, size: number): number => Math.max(0, Math.min(1, (px - from) / size));
    const xs = [drag.x0, drag.x1].map((px) => fromUnit(this.#look(answer.x).scale, unit(px, box.left, box.width))).sort((a, b) => a - b);
    const ys = [drag.y0, drag.y1].map((py) => fromUnit(this.#look(answer.y).scale, 1 - unit(py, box.top, box.height))).sort((a, b) => a - b);
    this.#set({ x_min: xs[0]!, x_max: xs[1]!, y_min: ys[0]!, y_max: ys[1]! });
  }

  /** Shows the call of a point in the timeline. */
  #open(index: number): void {
    const points = this.#ask.value?.points;
    if (!points || index < 0) return;
    const ref = { rank: points.rank[index]!, row: points.row[index]! };
    void this.app.goTo(async (signal) => {
      const call = await this.app.client.call(ref, signal);
      return { ...ref, start_ns: call.start_ns, end_ns: call.start_ns + call.duration_ns };
    }, "This call is no longer available.");
  }

  #set(change: Partial<ReturnType<ScatterPane["current"]>>): void {
    this.app.store.set({ scatter: { ...this.current(), ...change } });
  }

  /** Another field, with the scale that it had last. */
  #choose(axis: "x" | "y", field: string): void {
    const s = this.current();
    const isLog = lastScale(field, s[`${axis}_log`]);
    this.#set({ ...(axis === "x" ? { x: field, x_log: isLog } : { y: field, y_log: isLog }), ...ALL_VALUES });
  }

  #scale(axis: "x" | "y", isLog: boolean): void {
    keepScale(this.current()[axis], isLog);
    this.#set(axis === "x" ? { x_log: isLog } : { y_log: isLog });
  }

  private current() {
    return this.app.store.state.scatter;
  }

  override updated(): void {
    super.updated();
    if (this.over) this.placeTip(this.over.x, this.over.y);
  }

  override render(): TemplateResult {
    const s = this.current();
    const answer = this.#ask.value;
    const isZoomed = s.x_min !== null || s.y_min !== null;
    const fields = this.#fields().filter((f) => f.id !== "iteration" || this.app.run?.iterations);
    const options = (chosen: string): TemplateResult[] =>
      fields.map((f) => html`<option value=${f.id} ?selected=${f.id === chosen}>${f.name}</option>`);
    const setOf = (of: Of): void => this.#set({ of, x: of === "messages" ? "bytes" : "end", y: "duration", ...ALL_VALUES });
    return html`<div class="controls">
        <label>of <select aria-label="Of what" @change=${(e: Event) => setOf((e.target as HTMLSelectElement).value as Of)}>
          ${(["calls", "messages"] as const).map((of) => html`<option value=${of} ?selected=${of === s.of}>${of}</option>`)}
        </select></label>
        <label>y <select aria-label="Vertical axis" @change=${(e: Event) => this.#choose("y", (e.target as HTMLSelectElement).value)}>${options(s.y)}</select></label>
        <label><input type="checkbox" aria-label="Vertical axis logarithmic" .checked=${s.y_log} @change=${(e: Event) => this.#scale("y", (e.target as HTMLInputElement).checked)} />log</label>
        <label>x <select aria-label="Horizontal axis" @change=${(e: Event) => this.#choose("x", (e.target as HTMLSelectElement).value)}>${options(s.x)}</select></label>
        <label><input type="checkbox" aria-label="Horizontal axis logarithmic" .checked=${s.x_log} @change=${(e: Event) => this.#scale("x", (e.target as HTMLInputElement).checked)} />log</label>
        ${isZoomed ? html`<button class="line" @click=${() => this.#set(ALL_VALUES)}>All values</button>` : nothing}
        <span class="space"></span>
        <span class="muted">${answer ? this.#summary(answer) : ""}</span>
        ${this.twinButton()}
      </div>
      ${this.app.run?.state !== "ready" ? notYet() : this.#ask.error ? failure(this.#ask.error) : this.isTwin ? this.#twin() : this.#plot()}`;
  }

  #summary(answer: Scatter): string {
    const what = this.current().of;
    return `${counted(answer.total, what.slice(0, -1), what, countShort)}${answer.form === "density" ? ", density" : ""}${basisText(answer.basis, this.#ask.done, what)}${fitText(answer.fit)}`;
  }

  #plot(): TemplateResult {
    const answer = this.#ask.value;
    const { app } = this;
    const points = answer?.points;
    const at = this.over;
    const title = answer ? `${this.#look(answer.y).title} against ${this.#look(answer.x).title} of ${counted(answer.total, this.current().of.slice(0, -1), this.current().of)}` : "Scatter plot";
    return html`<div class="plot" role="group" aria-label="Scatter plot" aria-busy=${this.#ask.isBusy}>
      <canvas
        role="img"
        aria-label=${title}
        @pointerdown=${(e: PointerEvent) => this.#down(e)}
        @pointermove=${(e: PointerEvent) => this.#move(e)}
        @pointerup=${() => this.#up()}
        @pointerleave=${() => (this.over = null)}
      ></canvas>
      ${answer && answer.total === 0 ? html`<p class="note">No ${this.current().of} have both values.</p>` : nothing}
      ${at && points && !this.drag
        ? html`<div class="tip">
            <b>${app.names?.function(points.function[at.index]!)}</b> <span class="muted">rank ${app.worldRank(points.rank[at.index]!)}</span><br />
            ${this.#value(answer!.y, points.y[at.index]!)}; ${this.#value(answer!.x, points.x[at.index]!)}
          </div>`
        : nothing}
    </div>`;
  }

  #value(axis: Axis, value: number): string {
    const look = this.#look(axis);
    return `${look.title.toLowerCase()} ${axisText(look, value, 1)}`;
  }

  #twin(): TemplateResult {
    const answer = this.#ask.value;
    const table = this.table();
    return html`<mp-vtable
      label=${answer?.density ? "Scatter plot as a table of densities" : "Scatter plot as a table; Enter shows the call in the timeline"}
      .columns=${table?.columns ?? []}
      .count=${table?.count ?? 0}
      .canActivate=${!answer?.density}
      empty=${answer ? "No data." : "…"}
      @activate=${(e: CustomEvent<number>) => this.#open(e.detail)}
    ></mp-vtable>`;
  }

  table(): { columns: TableColumn[]; count: number } | null {
    const answer = this.#ask.value;
    if (!answer) return null;
    const { app } = this;
    const xLook = this.#look(answer.x);
    const yLook = this.#look(answer.y);
    if (answer.points) {
      const points = answer.points;
      const axis = (id: "x" | "y", look: AxisLook): TableColumn => ({
        id,
        title: look.title,
        isNumber: true,
        width: "minmax(130px, 1fr)",
        cell: (i) => axisText(look, points[id][i]!, 1),
        ...(look.text ? {} : { value: (i: number) => points[id][i]!, unit: look.unit }),
      });
      const columns: TableColumn[] = [
        { id: "function", title: "Function", cell: (i) => app.names?.function(points.function[i]!) ?? "" },
        numeric("rank", "Rank", (i) => app.worldRank(points.rank[i]!), String),
        axis("x", xLook),
        axis("y", yLook),
      ];
      return { columns, count: points.x.length };
    }
    const density = answer.density!;
    const cells: number[] = [];
    density.count.forEach((n, i) => n && cells.push(i));
    cells.sort((a, b) => density.count[b]! - density.count[a]!);
    // A cell is a range; its start is saved.
    const range = (id: string, look: AxisLook, at: (cell: number) => number, of: number): TableColumn => {
      const edge = (i: number): number => fromUnit(look.scale, at(cells[i]!) / of);
      return {
        id,
        title: look.title,
        name: `${look.title} from`,
        isNumber: true,
        width: "minmax(190px, 2fr)",
        cell: (i) => `${axisText(look, edge(i), 1000)} – ${axisText(look, fromUnit(look.scale, (at(cells[i]!) + 1) / of), 1000)}`,
        value: edge,
        unit: look.unit,
      };
    };
    const columns: TableColumn[] = [
      numeric("count", "Calls", (i) => density.count[cells[i]!]!, count),
      range("x", xLook, (cell) => cell % density.width, density.width),
      range("y", yLook, (cell) => Math.floor(cell / density.width), density.height),
      { id: "function", title: "Most frequent", cell: (i) => app.names?.function(density.function[cells[i]!]!) ?? "" },
    ];
    return { columns, count: cells.length };
  }
}
