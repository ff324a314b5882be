/** The timeline: ranks × time. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { repeat } from "lit/directives/repeat.js";
import type { App } from "../app";
import { failure } from "../chrome/failure";
import { base } from "../chrome/styles";
import { toggleGroup } from "../commands/fold";
import { goToIterations } from "../commands/goto";
import { countShort, counted, moment, percent } from "../format";
import { openNote } from "../notes/bookmark";
import { noteAt } from "../notes/marks";
import type { Note } from "../protocol/types";
import { SIDE_NAMES } from "../runs/names";
import type { Table } from "../save/csv";
import { type Picture, type Saver, Saving } from "../save/saver";
import type { Area } from "../state/view";
import { pan, within, zoomRows, zoomTime } from "../state/window";
import { Watch } from "../watch";
import { cellOfStrip, stripAt, stripsOf } from "./apart";
import { bundleLines } from "./bundles";
import { summary } from "./frame";
import { type GroupLabel, LABEL_PX, labelsIn, nameOf } from "./groups";
import { type Layout, layoutOf, rowAt, timeAt, xOf, yOf, zoneAt } from "./geometry";
import { callAt, cellAt } from "./hit";
import { messageLines } from "./overlay";
import { paint } from "./paint";
import { laneIn, threadUnder } from "./lanes";
import { Pictures } from "./pictures";
import { accessAt, accessLines, accessesOf } from "./rma";
import { iterationsAt } from "./ruler";
import type { Scene } from "./scene";
import { INK } from "./theme";
import { tip } from "./tip";
import { lineKeys, timelineKeys } from "./keys";
import { twinTable } from "./twin";

/** Movements shorter than this are clicks. */
const CLICK_PX = 4;
/** Tolerance for an unsteady pointer. */
const AIM_PX = 12;
const WHEEL_ZOOM = 0.0022;
/** Room for notes below the ranks. */
const NOTES_PX = 20;

type Gesture =
  | { kind: "area"; x: number; y: number }
  | { kind: "pan"; x: number; y: number }
  | { kind: "ruler"; x: number; y: number }
  | { kind: "note"; note: Note }
  | { kind: "map" }
  | { kind: "scroll"; y: number };

@customElement("mp-timeline")
export class Timeline extends LitElement implements Saver {
  readonly view = "timeline";
  static override styles = [
    base,
    css`
      :host {
        position: relative;
        height: 100%;
        min-height: 0;
        overflow: hidden;
        background: var(--panel);
      }
      .plot {
        position: absolute;
        inset: 0;
        outline-offset: -2px;
        touch-action: none;
      }
      .plot.panning {
        cursor: grabbing;
      }
      .plot.ruler {
        cursor: pointer;
      }
      canvas {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
      }
      .tip {
        position: absolute;
        top: 0;
        left: 0;
        max-width: 340px;
        pointer-events: none;
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 5px;
        box-shadow: var(--shadow);
        padding: 5px 9px;
        font-size: 12px;
        z-index: 3;
      }
      .tip table {
        border-spacing: 0;
      }
      .tip td {
        padding: 0 8px 0 0;
      }
      .tip td.number {
        text-align: right;
      }
      .tip .swatch {
        display: inline-block;
        width: 9px;
        height: 9px;
        margin-right: 5px;
      }
      .status {
        position: absolute;
        right: 14px;
        bottom: 1px;
        display: flex;
        gap: 6px;
        font-size: 11px;
        pointer-events: none;
      }
      .status span {
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 4px;
        padding: 1px 7px;
        color: var(--muted);
      }
      .groups button {
        position: absolute;
        left: 1px;
        height: 14px;
        min-height: 0;
        padding: 0;
        border-radius: 3px;
        background: none;
      }
      .groups button:hover {
        background: color-mix(in srgb, var(--accent) 16%, transparent);
      }
      .groups button:focus-visible {
        outline-offset: -1px;
      }
      .busy {
        position: absolute;
        left: 0;
        top: 0;
        height: 2px;
        width: 100%;
        background: linear-gradient(90deg, transparent, var(--accent), transparent) 0 0 / 40% 100% no-repeat;
        animation: busy 1s linear infinite;
      }
      @keyframes busy {
        from {
          background-position: -60% 0;
        }
        to {
          background-position: 160% 0;
        }
      }
      @media (prefers-reduced-motion: reduce) {
        .busy {
          animation: none;
          background: var(--accent);
        }
      }
    `,
  ];

  @property({ attribute: false }) app!: App;
  /** Without panes around it: in the overview. */
  @property({ type: Boolean }) isStill = false;
  @state() private drag: Area | null = null;
  @state() private hover: { x: number; y: number } | null = null;
  @state() private isPanning = false;
  /** Iterations under the pointer. */
  @state() private overRuler: { first: number; last: number } | null = null;

  /** The bookmark under the pointer. */
  @state() private overNote: Note | null = null;

  /** Names of groups that can be clicked. */
  @state() private labels: GroupLabel[] = [];
  /** The group in the tab order; null for the first visible one. */
  @state() private groupOfTab: number | null = null;

  #pictures!: Pictures;
  #layout: Layout | null = null;
  #frame = 0;
  #gesture: Gesture | null = null;
  /** The purpose and place of the current wheel gesture. */
  #turned: { kind: string; x: number } | null = null;
  #observer: ResizeObserver | null = null;
  /** Grows with each answer. */
  #round = 0;

  constructor() {
    super();
    new Watch(this, () => this.#schedule());
    new Saving(this, this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#pictures = new Pictures(this.app, () => {
      this.#round++;
      this.#schedule();
      this.requestUpdate();
    });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#pictures.close();
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }

  /** There is a new picture, finer or coarser. */
  get hasPicture(): boolean {
    return this.#pictures.near !== null;
  }

  /** Ids of the visible regions, for the tests. */
  get regionsInSight(): number[] {
    return [...new Set(this.#pictures.regions?.region ?? [])];
  }

  /** Ranks with a strip, and where it is, for the tests. */
  get ranksApart(): { rank: number; y: number }[] {
    const scene = this.#scene;
    return scene ? stripsOf(scene).map(({ apart, y }) => ({ rank: apart.rank, y })) : [];
  }

  /** Lines over the picture, for the tests. */
  get lines(): { messages: ReturnType<typeof messageLines>; accesses: ReturnType<typeof accessLines>; bundles: ReturnType<typeof bundleLines> } | null {
    const scene = this.#scene;
    return scene && { messages: messageLines(scene), accesses: accessLines(scene), bundles: bundleLines(scene) };
  }

  /** Where a thread of a rank is drawn at a moment, for the tests. */
  placeOf(rank: number, thread: number, ns: number): { x: number; y: number } {
    const scene = this.#scene!;
    const { layout: l, window: w, app } = scene;
    const lane = laneIn(scene, rank, thread);
    return { x: xOf(l, w, ns), y: yOf(l, w, app.positions[rank]!) + lane.top + lane.height / 2 };
  }

  /** Everything requested has arrived and is drawn in the current style. */
  get isSettled(): boolean {
    return !this.#pictures.isBusy && !this.#pictures.redraws && (this.#pictures.near !== null || this.#pictures.error !== null);
  }

  #plot(): HTMLElement | null {
    return this.renderRoot.querySelector<HTMLElement>(".plot");
  }

  override updated(): void {
    if (!this.#observer) {
      this.#observer = new ResizeObserver(() => this.#schedule());
      this.#observer.observe(this);
    }
    this.#placeTip();
    this.renderRoot.querySelectorAll<HTMLElement>(".groups button").forEach((button, i) => {
      const label = this.labels[i];
      if (!label || !this.#layout) return;
      button.style.top = `${label.y - LABEL_PX / 2}px`;
      button.style.width = `${(label.group.is_folded ? this.#layout.left : this.#layout.groupWidth) - 4}px`;
    });
    this.#schedule();
  }

  #schedule(): void {
    if (this.#frame || !this.isConnected) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  get #scene(): Scene | null {
    const { app } = this;
    if (!this.#layout || !app.run) return null;
    return {
      app,
      window: app.window,
      whole: app.whole,
      layout: this.#layout,
      pictures: this.#pictures,
      ink: INK[app.theme],
      drag: this.drag,
      hover: this.hover,
    };
  }

  #draw(): void {
    const canvas = this.renderRoot.querySelector("canvas");
    const { app } = this;
    if (!app.run || app.rows === 0) return;
    const width = this.clientWidth;
    const height = this.clientHeight;
    if (!width || !height) return;
    // Notes are below the last rank, not on it.
    this.#layout = layoutOf(width, height, !!app.run.iterations, app.comparison.groupWidth, this.#notes().length ? NOTES_PX : 0);
    this.#pictures.update(app.window, this.#layout);
    this.#placeLabels();
    // As a table: nothing to paint, but the requests are the same.
    if (!canvas) return;
    const ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const context = canvas.getContext("2d", { alpha: false })!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(context, this.#scene!);
  }

  /** Only where they have moved: a frame that moves through time keeps them. */
  #placeLabels(): void {
    const scene = this.#scene;
    const labels = scene ? labelsIn(scene) : [];
    const isSame = labels.length === this.labels.length && labels.every(({ group, y }, i) => group === this.labels[i]!.group && y === this.labels[i]!.y);
    if (!isSame) this.labels = labels;
  }

  /** As on the page, without items that depend on the pointer. */
  picture(): Picture | null {
    const scene = this.#scene;
    if (!scene || !this.hasPicture) return null;
    const { width, height } = scene.layout;
    return { width, height, keys: [...timelineKeys(this.app, this.#pictures.cells), ...lineKeys(scene)], draw: (c) => paint(c, { ...scene, drag: null, hover: null }) };
  }

  table(): Table | null {
    return this.hasPicture ? twinTable(this.app, this.#pictures) : null;
  }

  #at(event: MouseEvent): { x: number; y: number } {
    const box = this.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #down(event: PointerEvent): void {
    const l = this.#layout;
    if (!l || event.button > 1) return;
    const { x, y } = this.#at(event);
    const zone = zoneAt(l, x, y);
    if (zone === "none") return;
    this.#plot()?.setPointerCapture(event.pointerId);
    this.#plot()?.focus({ preventScroll: true });
    const scene = this.#scene;
    const note = scene && event.button === 0 ? noteAt(scene, x, y) : null;
    if (note) this.#gesture = { kind: "note", note };
    else if (zone === "map") {
      this.#gesture = { kind: "map" };
      this.#moveMap(x);
    } else if (zone === "scroll") this.#gesture = { kind: "scroll", y };
    else if (zone === "ruler" && event.button === 0 && !event.shiftKey) this.#gesture = { kind: "ruler", x, y };
    else if (event.button === 1 || event.shiftKey || zone === "axis" || zone === "ruler") {
      this.#gesture = { kind: "pan", x, y };
      this.isPanning = true;
      event.preventDefault();
    } else if (zone === "gutter") this.#selectRank(y);
    else this.#gesture = { kind: "area", x, y };
  }

  #move(event: PointerEvent): void {
    const l = this.#layout;
    if (!l) return;
    const { x, y } = this.#at(event);
    const gesture = this.#gesture;
    if (!gesture) {
      const zone = zoneAt(l, x, y);
      this.hover = zone === "plot" ? { x, y } : null;
      this.overRuler = zone === "ruler" ? this.#iterationsAt(x) : null;
      const scene = this.#scene;
      this.overNote = scene ? noteAt(scene, x, y) : null;
      return;
    }
    this.hover = this.overRuler = this.overNote = null;
    const { app } = this;
    if (gesture.kind === "note") return;
    if (gesture.kind === "map") this.#moveMap(x);
    else if (gesture.kind === "ruler") {
      if (Math.abs(x - gesture.x) < CLICK_PX) return;
      this.#gesture = { ...gesture, kind: "pan" };
      this.isPanning = true;
    } else if (gesture.kind === "pan") {
      app.setWindow(pan(app.window, app.whole, (gesture.x - x) / l.plotWidth, (gesture.y - y) / l.plotHeight), true);
      gesture.x = x;
      gesture.y = y;
    } else if (gesture.kind === "scroll") {
      const rows = app.whole.row_until;
      app.setWindow(pan(app.window, app.whole, 0, (((y - gesture.y) / l.plotHeight) * rows) / (app.window.row_until - app.window.row_from)), true);
      gesture.y = y;
    } else if (Math.abs(x - gesture.x) >= CLICK_PX || this.drag) this.drag = this.#area(gesture, { x, y });
  }

  /** An area between two points. A flat one covers all visible rows. */
  #area(a: { x: number; y: number }, b: { x: number; y: number }): Area {
    const l = this.#layout!;
    const w = this.app.window;
    const [x0, x1] = a.x < b.x ? [a.x, b.x] : [b.x, a.x];
    const [y0, y1] = a.y < b.y ? [a.y, b.y] : [b.y, a.y];
    const clamp = (x: number): number => Math.max(l.left, Math.min(l.left + l.plotWidth, x));
    const isFlat = y1 - y0 < 6;
    const top = Math.max(0, Math.floor(rowAt(l, w, Math.max(y0, l.top))));
    const bottom = Math.min(this.app.rows, Math.ceil(rowAt(l, w, Math.min(y1, l.top + l.plotHeight))));
    return {
      from: Math.round(timeAt(l, w, clamp(x0))),
      until: Math.max(Math.round(timeAt(l, w, clamp(x1))), Math.round(timeAt(l, w, clamp(x0))) + 1),
      row_from: isFlat ? null : top,
      row_until: isFlat ? null : Math.max(bottom, top + 1),
    };
  }

  #up(event: PointerEvent): void {
    const gesture = this.#gesture;
    this.#gesture = null;
    this.isPanning = false;
    if (!gesture) return;
    if (gesture.kind === "note") {
      openNote(this.app, gesture.note);
      return;
    }
    if (gesture.kind === "ruler") {
      const under = this.#iterationsAt(gesture.x);
      if (under) goToIterations(this.app, under.first, under.last);
      return;
    }
    if (gesture.kind !== "area") {
      this.app.store.flush();
      return;
    }
    const drag = this.drag;
    this.drag = null;
    // From the overview, a selection opens the views.
    const page = this.isStill ? { page: "views" as const } : {};
    if (drag) this.app.store.set({ ...page, area: drag });
    else this.#click(this.#at(event), page);
  }

  #iterationsAt(x: number): { first: number; last: number } | null {
    const iterations = this.app.run?.iterations;
    return iterations && this.#layout ? iterationsAt(iterations, this.app.window, this.#layout, x) : null;
  }

  #moveMap(x: number): void {
    const l = this.#layout!;
    const { window: w, whole } = this.app;
    const at = whole.from + ((x - l.left) / l.plotWidth) * (whole.until - whole.from);
    const half = (w.until - w.from) / 2;
    this.app.setWindow(within({ ...w, from: at - half, until: at + half }, whole), true);
  }

  /** The visible time of one rank as an area. */
  #selectRank(y: number): void {
    const row = Math.floor(rowAt(this.#layout!, this.app.window, y));
    if (row < 0 || row >= this.app.rows) return;
    const { from, until } = this.app.window;
    this.app.store.set({ area: { from: Math.round(from), until: Math.round(until), row_from: row, row_until: row + 1 } });
  }

  #click({ x, y }: { x: number; y: number }, page: { page?: "views" }): void {
    const found = this.#callUnder(x, y);
    const { store } = this.app;
    const moment = this.#layout ? Math.max(0, Math.round(timeAt(this.#layout, this.app.window, x))) : null;
    if (found) store.set({ ...page, moment, selection: { rank: found.rank, row: found.row } });
    else if (store.state.area) store.set({ area: null });
    else store.set({ moment, selection: null });
  }

  #callUnder(x: number, y: number): { rank: number; row: number; index: number } | null {
    const l = this.#layout;
    const { app } = this;
    if (!l) return null;
    const w = app.window;
    const row = Math.floor(rowAt(l, w, y));
    const ns = timeAt(l, w, x);
    const { calls, cells } = this.#pictures;
    const scene = this.#scene;
    const strip = scene && stripAt(scene, y);
    if (strip) {
      const found = cellOfStrip(scene, strip, ns);
      return found && found.longest_rank >= 0 && found.shares.length ? { rank: found.longest_rank, row: found.longest_row, index: -1 } : null;
    }
    const hidden = new Set(app.store.state.hidden);
    if (calls && this.#pictures.isSingle && !app.folded.has(row)) {
      const rank = app.rankAt(row);
      const access = scene && accessAt(scene, { x, y });
      const thread = scene && threadUnder(scene, rank, row, y);
      const index = access ?? callAt(calls, rank, ns, ((w.until - w.from) / l.plotWidth) * 4, (id) => hidden.has(id), thread);
      if (index >= 0) return { rank: calls.rank[index]!, row: calls.row[index]!, index };
      return null;
    }
    const cell = cells ? cellAt(cells, row, ns) : null;
    if (cell && cell.longest_rank >= 0 && cell.shares.length) return { rank: cell.longest_rank, row: cell.longest_row, index: -1 };
    return null;
  }

  #wheel(event: WheelEvent): void {
    const l = this.#layout;
    if (!l) return;
    const isZoom = event.ctrlKey || event.metaKey;
    // In the overview, the wheel scrolls the page.
    if (this.isStill && !isZoom) return;
    event.preventDefault();
    const { app } = this;
    const { x, y } = this.#at(event);
    const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
    const dx = event.deltaX * unit;
    const dy = event.deltaY * unit;
    const inPlot = Math.max(0, Math.min(1, (x - l.left) / l.plotWidth));
    const kind = isZoom ? (dy < 0 ? "in" : "out") : event.altKey ? "rows" : "pan";
    // Turned in the other direction or over another zone: a new gesture.
    if (kind !== this.#turned?.kind || (isZoom && Math.abs(x - this.#turned.x) > AIM_PX)) app.store.flush();
    this.#turned = { kind, x };
    if (isZoom) {
      app.setWindow(zoomTime(app.window, app.whole, Math.exp(dy * WHEEL_ZOOM), inPlot), true);
    } else if (event.altKey) {
      app.setWindow(zoomRows(app.window, app.whole, Math.exp(dy * WHEEL_ZOOM), Math.max(0, Math.min(1, (y - l.top) / l.plotHeight))), true);
    } else {
      const sideways = event.shiftKey && !dx ? dy : dx;
      const down = event.shiftKey && !dx ? 0 : dy;
      app.setWindow(pan(app.window, app.whole, sideways / l.plotWidth, down / l.plotHeight), true);
    }
  }

  #placeTip(): void {
    const tipElement = this.renderRoot.querySelector<HTMLElement>(".tip");
    if (!tipElement || !this.hover) return;
    const { x, y } = this.hover;
    const { offsetWidth: w, offsetHeight: h } = tipElement;
    const left = x + 16 + w > this.clientWidth ? Math.max(0, x - w - 12) : x + 16;
    const top = y + 16 + h > this.clientHeight ? Math.max(0, y - h - 10) : y + 16;
    tipElement.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  override render(): TemplateResult {
    const { app } = this;
    const pictures = this.#pictures;
    const isTwin = app.store.state.twins.includes("timeline") && !this.isStill;
    if (isTwin) return html`<mp-timeline-twin .app=${app} .pictures=${pictures} .round=${this.#round}></mp-timeline-twin>`;
    const scene = this.#scene;
    const label = scene ? summary(scene) : "Timeline";
    const ruler = this.overRuler;
    const note = this.overNote;
    return html`<div
        class="plot ${this.isPanning ? "panning" : ruler || note ? "ruler" : ""}"
        title=${note ? `${note.title}: click to open this view` : ruler ? `${ruler.first === ruler.last ? `iteration ${ruler.first}` : `iterations ${ruler.first} to ${ruler.last}`}: click to show` : nothing}
        role="group"
        tabindex="0"
        aria-label=${app.comparison.isTwo ? `Timeline ${SIDE_NAMES[app.side]}` : "Timeline"}
        aria-describedby="summary"
        @pointerdown=${(e: PointerEvent) => this.#down(e)}
        @pointermove=${(e: PointerEvent) => this.#move(e)}
        @pointerup=${(e: PointerEvent) => this.#up(e)}
        @pointercancel=${() => ((this.#gesture = null), (this.drag = null))}
        @pointerleave=${() => (this.hover = this.overRuler = this.overNote = null)}
        @dblclick=${(e: MouseEvent) => this.#double(e)}
        @wheel=${{ handleEvent: (e: WheelEvent) => this.#wheel(e), passive: false }}
      >
        <canvas role="img" aria-label=${label}></canvas>
        ${this.labels.length ? this.#groups() : nothing}
      </div>
      <span id="summary" class="hidden-text">${label}</span>
      ${this.#status()} ${pictures.isBusy ? html`<div class="busy"></div>` : nothing}
      ${this.hover && scene && !this.drag ? html`<div class="tip">${tip(scene, this.hover, (x, y) => this.#callUnder(x, y)?.index ?? -1)}</div>` : nothing}
      ${pictures.error && app.run?.state === "ready" ? failure(pictures.error) : nothing}`;
  }

  /** Over the painted names, so that the keyboard and screen readers can reach them. */
  #groups(): TemplateResult {
    const { app, labels } = this;
    const tab = labels.some(({ group }) => group.number === this.groupOfTab) ? this.groupOfTab : labels[0]!.group.number;
    return html`<div class="groups" role="group" aria-label="Groups of ranks" @keydown=${(e: KeyboardEvent) => this.#groupKey(e)}>
      ${repeat(
        labels,
        ({ group }) => group.number,
        ({ group }) => html`<button
          tabindex=${group.number === tab ? 0 : -1}
          aria-expanded=${!group.is_folded}
          aria-label=${nameOf(group)}
          title="${nameOf(group)}: click to ${group.is_folded ? "unfold" : "fold"}"
          @pointerdown=${(e: Event) => e.stopPropagation()}
          @focus=${() => (this.groupOfTab = group.number)}
          @click=${() => toggleGroup(app, group)}
        ></button>`,
      )}
    </div>`;
  }

  /** As in a tree: up and down move between names, right unfolds, left folds. */
  #groupKey(event: KeyboardEvent): void {
    const { labels } = this;
    const at = labels.findIndex(({ group }) => group.number === this.groupOfTab);
    const group = labels[at]?.group;
    if (!group || event.ctrlKey || event.altKey || event.metaKey) return;
    const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: labels.length - 1 };
    const to = places[event.key];
    if (to !== undefined) this.renderRoot.querySelectorAll<HTMLElement>(".groups button")[to]?.focus();
    else if (event.key === (group.is_folded ? "ArrowRight" : "ArrowLeft")) toggleGroup(this.app, group);
    else if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
  }

  #double(event: MouseEvent): void {
    const { x, y } = this.#at(event);
    const l = this.#layout;
    if (!l || zoneAt(l, x, y) !== "plot") return;
    const { app } = this;
    app.setWindow(zoomTime(app.window, app.whole, 0.25, (x - l.left) / l.plotWidth), false);
  }

  #status(): TemplateResult {
    return html`<div class="status">${this.#notes().map((note) => html`<span>${note}</span>`)}</div>`;
  }

  #notes(): string[] {
    const { app } = this;
    const pictures = this.#pictures;
    const notes: string[] = [];
    const matching = pictures.countMatching;
    if (matching !== null) notes.push(`${counted(matching, "matching call")}`);
    if (pictures.isBusy && pictures.done !== null) notes.push(`reading calls for the filter: ${percent(pictures.done)}`);
    const { layers } = app.store.state;
    const { bundles } = pictures;
    if (layers.includes("messages") && pictures.isSingle && bundles?.head.basis && bundles.length)
      notes.push(`${counted(bundles.head.total, "message", "messages", countShort)} in bundles: zoom in to see arrows`);
    if (layers.includes("messages") && bundles && !bundles.head.basis && (matching !== null || app.store.state.order)) notes.push("messages of this filter or order: zoom in to see arrows");
    if (layers.includes("rma") && pictures.isSingle && !accessesOf(pictures)) notes.push(`${counted(pictures.accesses.length, "one-sided access", "one-sided accesses", countShort)}: zoom in to see arrows`);
    const { kept } = app.client;
    if (kept && !this.isStill && !pictures.isSingle) notes.push(`exported page: individual calls are available from ${moment(kept.from, (kept.until - kept.from) / 100)} to ${moment(kept.until, (kept.until - kept.from) / 100)}`);
    return notes;
  }
}
