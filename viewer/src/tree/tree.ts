/** Calls by call stack: a flame graph, or the same as a table. */

import { type TemplateResult, css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { Ask } from "../ask";
import { basisText, careful } from "../basis";
import { failure, notYet } from "../chrome/failure";
import { swatch } from "../chrome/swatch";
import { count, counted, share, time } from "../format";
import type { Drawing } from "../draw/drawing";
import { contextOf } from "../plot";
import { PlotPane } from "../plot-pane";
import type { Tree, TreeNode } from "../protocol/types";
import type { CsvColumn, Table, Value } from "../save/csv";
import type { Picture } from "../save/saver";
import type { TableColumn } from "../table/vtable";
import "../table/vtable";
import { ROW, heightOf, paintFlame } from "./flame";
import { CallTree, type FlameBox, type TreeSort, allRows, boxes, frameParts, rowsOf } from "./nodes";

const LIMIT = 2000;

@customElement("mp-tree")
export class TreePane extends PlotPane {
  static override styles = [
    ...PlotPane.styles,
    css`
      .scroll {
        height: 100%;
        overflow-y: auto;
      }
      .scroll:focus-visible {
        outline-offset: -2px;
      }
      canvas {
        position: static;
        display: block;
      }
      nav {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 2px;
        padding: 0 8px;
        font-size: 12px;
        border-bottom: 1px solid var(--line);
      }
      nav button {
        min-height: 24px;
        padding: 0 4px;
        max-width: 240px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      input[type="search"] {
        width: 110px;
        min-height: 24px;
      }
      .hint {
        padding: 4px 8px;
        font-size: 12px;
        border-top: 1px solid var(--line);
      }
    `,
  ];
  readonly view = "tree";
  readonly #ask = new Ask<Tree>(this);
  #of: Tree | null = null;
  #tree = new CallTree({ nodes: [] });
  #boxes: FlameBox[] = [];
  /** Opened or closed by the user. */
  @state() private toggled: ReadonlySet<string> = new Set();
  @state() private sort: { id: TreeSort; ascending: boolean } = { id: "inclusive_ns", ascending: false };
  @state() private search = "";
  /** The frame of the tooltip; keys move from it. */
  @state() private over: { at: number; x: number; y: number } | null = null;

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const { by_rank } = app.store.state.tree;
    const parameters = { ...app.scope, by_rank, limit: LIMIT };
    const [quick, refining] = careful(app, parameters, (p, signal) => app.client.tree(p, signal));
    // Only an answer that has read all calls has waiting times.
    this.#ask.update([parameters, app.growth], quick, { ...refining, isSample: (value) => value.has_finer || refining.isSample(value) });
    const { value } = this.#ask;
    if (value === this.#of) return;
    this.#of = value;
    this.#tree = new CallTree(value ?? { nodes: [] });
    this.over = null;
  }

  /** The frame that is zoomed to. */
  get #top(): number {
    return this.#tree.at(this.app.store.state.tree.zoom);
  }

  #zoom(at: number): void {
    const { tree } = this.app.store.state;
    this.over = null;
    this.app.store.set({ tree: { ...tree, zoom: this.#tree.ids[at] ?? "" } });
  }

  override paint(canvas: HTMLCanvasElement): void {
    const room = this.#scroll();
    this.#boxes = boxes(this.#tree, this.#top, room.clientWidth);
    canvas.style.height = `${Math.max(room.clientHeight, heightOf(this.#boxes))}px`;
    const got = contextOf(canvas);
    if (got) this.#paint(got.c, got.width, got.height, this.#boxes, this.over?.at ?? -1);
  }

  get hasPicture(): boolean {
    return !!this.#tree.nodes[0]?.calls;
  }

  draw(c: Drawing, width: number, height: number): void {
    this.#paint(c, width, height, boxes(this.#tree, this.#top, width), -1);
  }

  /** The complete picture, also the parts that the pane has to scroll to. */
  override picture(): Picture | null {
    const found = super.picture();
    if (!found) return null;
    const height = heightOf(boxes(this.#tree, this.#top, found.width));
    return { ...found, height, draw: (c) => this.draw(c, found.width, height) };
  }

  /** All frames below the one that is zoomed to, whether open or not. */
  table(): Table | null {
    const rows = allRows(this.#tree, this.#top);
    if (!this.hasPicture) return null;
    const node = (i: number): TreeNode => this.#tree.nodes[rows[i]!.at]!;
    const column = (title: string, value: (i: number) => Value): CsvColumn => ({ title, cell: () => "", value });
    const columns = [
      column("Level", (i) => rows[i]!.level),
      column("Frame", (i) => frameParts(node(i).text).name),
      column("Place", (i) => frameParts(node(i).text).place),
      ...this.#numbers(node),
    ];
    return { columns, count: rows.length };
  }

  /** The columns of numbers, of the table in the pane and of the saved one. */
  #numbers(node: (i: number) => TreeNode): TableColumn[] {
    const all = this.#ask.value?.rank_time_ns || 1;
    const sorted = { isNumber: true, isSortable: true, width: "minmax(74px, 1fr)" } as const;
    const duration = (id: string, title: string, help: string, value: (node: TreeNode) => number | null): TableColumn => ({
      ...{ id, title, help, unit: "ns", ...sorted },
      cell: (i) => {
        const ns = value(node(i));
        return ns === null ? "" : time(ns);
      },
      value: (i) => value(node(i)),
    });
    return [
      { id: "calls", title: "Calls", ...sorted, cell: (i) => count(node(i).calls), value: (i) => node(i).calls },
      duration("inclusive_ns", "Inclusive", "Time in MPI calls made below this frame", (n) => n.inclusive_ns),
      duration("exclusive_ns", "Exclusive", "Time in MPI calls made directly by this frame", (n) => (n.others ? null : n.exclusive_ns)),
      duration("waiting_ns", "Waiting", "Part of the inclusive time spent waiting for another rank", (n) => n.waiting_ns),
      {
        ...{ id: "share", title: "Share", name: "Share of rank time", isNumber: true, width: "minmax(54px, 1fr)" },
        help: "Inclusive time as a share of the time of all ranks in the time range",
        cell: (i) => share(node(i).inclusive_ns / all),
        value: (i) => node(i).inclusive_ns / all,
      },
    ];
  }

  #paint(c: Drawing, width: number, height: number, found: readonly FlameBox[], over: number): void {
    const { app } = this;
    paintFlame(c, width, height, found, {
      theme: app.theme,
      colour: (at) => {
        const { function: id } = this.#tree.nodes[at]!;
        return id === null ? null : app.colours.function(id);
      },
      text: (at) => this.#tree.nodes[at]!.text,
      found: this.#tree.matching(this.search),
      isSearched: this.search.trim() !== "",
      over,
    });
  }

  override updated(): void {
    super.updated();
    if (this.over) this.placeTip(this.over.x, this.over.y);
  }

  #scroll(): HTMLElement {
    return this.renderRoot.querySelector<HTMLElement>(".scroll")!;
  }

  #boxAt(event: MouseEvent): FlameBox | undefined {
    const canvas = this.renderRoot.querySelector("canvas")!.getBoundingClientRect();
    const [x, y] = [event.clientX - canvas.left, event.clientY - canvas.top];
    return this.#boxes.find((box) => Math.floor(y / ROW) === box.depth && x >= box.x && x < box.x + box.width);
  }

  #move(event: PointerEvent): void {
    const plot = this.#scroll().getBoundingClientRect();
    const at = this.#boxAt(event)?.at;
    this.over = at === undefined ? null : { at, x: event.clientX - plot.left, y: event.clientY - plot.top };
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const top = this.#top;
    const at = this.over?.at ?? top;
    if (event.key.startsWith("Arrow")) this.#showHint(this.over ? this.#tree.step(at, event.key, top) : top);
    else if (event.key === "Enter") this.#zoom(at);
    else if (event.key === "Escape" && top) this.#zoom(this.#tree.nodes[top]!.parent ?? 0);
    else return;
    event.preventDefault();
  }

  /** Shows the tooltip of a frame at its place; a frame that is too narrow to be drawn uses the place of its parent. */
  #showHint(at: number): void {
    const way = this.#tree.way(at);
    const box = this.#boxes.filter((b) => way.includes(b.at)).pop();
    const scroll = this.#scroll();
    if (!box) return;
    const y = box.depth * ROW;
    if (y < scroll.scrollTop || y + ROW > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = y - scroll.clientHeight / 2;
    this.over = { at, x: box.x + Math.min(box.width / 2, 60), y: y + ROW - scroll.scrollTop };
  }

  override render(): TemplateResult {
    const { app } = this;
    const { tree } = app.store.state;
    const answer = this.#ask.value;
    const found = this.#tree.matching(this.search);
    return html`<div class="controls">
        <input type="search" placeholder="search frames" aria-label="Search frames" .value=${this.search} @input=${(e: Event) => (this.search = (e.target as HTMLInputElement).value)} />
        ${this.search.trim() ? html`<span role="status">${count(found.size)} found</span>` : nothing}
        ${app.client.isExported ? nothing : html`<label title="One tree per rank"><input type="checkbox" .checked=${tree.by_rank} @change=${(e: Event) => app.store.set({ tree: { zoom: "", by_rank: (e.target as HTMLInputElement).checked } })} />per rank</label>`}
        <span class="space"></span>
        <span class="muted">${answer ? `time in MPI calls, ${answer.is_cut ? `the largest of ${counted(answer.total, "frame")}` : counted(answer.total, "frame")}${basisText(answer.basis, this.#ask.done)}` : ""}</span>
        ${this.twinButton()}
      </div>
      ${app.run?.state !== "ready" ? notYet() : this.#ask.error ? failure(this.#ask.error) : html`${this.#crumbs()} ${this.isTwin ? this.#table() : this.#flame()}`}
      ${app.run?.stack_depth === 1 ? html`<div class="hint muted">Only the caller of each call was recorded. To record more of the stack, use <code>mpiscope run --stack 8</code>.</div>` : nothing}`;
  }

  /** The path to the frame that is zoomed to, and its actions. */
  #crumbs(): TemplateResult | typeof nothing {
    const { app } = this;
    const top = this.#top;
    const isGone = !top && app.store.state.tree.zoom !== "" && this.#ask.value !== null;
    if (isGone) return html`<nav aria-label="Enclosing frames"><span class="muted">The frame in the link has no calls here.</span><button class="line" @click=${() => this.#zoom(0)}>All calls</button></nav>`;
    if (!top) return nothing;
    const way = this.#tree.way(top);
    const { site, function: id } = this.#tree.nodes[top]!;
    const only = (): void => app.store.set({ filter: { ...app.store.state.filter, site, functions: id === null ? app.store.state.filter.functions : [id] } });
    return html`<nav aria-label="Enclosing frames">
      ${way.map((at) => html`${at ? html`<span aria-hidden="true">›</span>` : nothing}<button title=${this.#tree.nodes[at]!.text} aria-current=${at === top ? "true" : nothing} @click=${() => this.#zoom(at)}>${frameParts(this.#tree.nodes[at]!.text).name}</button>`)}
      ${site === null ? nothing : html`<button class="line" title="Show only the calls of this call site in every view" @click=${only}>Only this</button>`}
    </nav>`;
  }

  #flame(): TemplateResult {
    const { over } = this;
    const tip = over && this.#tree.nodes[over.at];
    return html`<div class="plot">
      <div
        class="scroll"
        role="group"
        tabindex="0"
        aria-label="Flame graph of MPI calls: arrow keys move between frames, Enter zooms in, Escape zooms out"
        aria-busy=${this.#ask.isBusy}
        @keydown=${(e: KeyboardEvent) => this.#key(e)}
        @blur=${() => (this.over = null)}
      >
      <canvas
        role="img"
        aria-label="Flame graph: frames with the time in the MPI calls below them"
        @pointermove=${(e: PointerEvent) => this.#move(e)}
        @pointerleave=${() => (this.over = null)}
        @click=${(e: MouseEvent) => {
          const box = this.#boxAt(e);
          if (box) this.#zoom(box.at);
        }}
      ></canvas>
      </div>
      ${this.#ask.value && !this.#boxes.length && !this.#tree.nodes[0]?.calls ? html`<p class="note">No calls.</p>` : nothing}
      ${tip ? html`<div class="tip" role="status">${this.#tip(tip)}</div>` : nothing}
    </div>`;
  }

  #tip(node: TreeNode): TemplateResult {
    const { name, place } = frameParts(node.text);
    const { rank_time_ns: all } = this.#of!;
    return html`<b>${name}</b> ${place ? html`<span class="mono">${place}</span>` : nothing}<br />
      <span class="number">${time(node.inclusive_ns)} in MPI calls, ${share(node.inclusive_ns / all)} of the time</span><br />
      <span class="number">${node.waiting_ns === null ? nothing : html`${time(node.waiting_ns)} of it waiting<br />`}${node.function === null ? html`${time(node.exclusive_ns)} in its own calls<br />` : nothing}${counted(node.calls, "call")}</span>`;
  }

  #table(): TemplateResult {
    const top = this.#top;
    const { ascending, id: by } = this.sort;
    const rows = rowsOf(this.#tree, top, this.toggled, by, ascending);
    const found = this.#tree.matching(this.search);
    const node = (i: number): TreeNode => this.#tree.nodes[rows[i]!.at]!;
    const columns: TableColumn[] = [
      { id: "frame", title: "Frame", width: "minmax(200px, 4fr)", cell: (i) => this.#frame(node(i), found.has(rows[i]!.at)) },
      ...this.#numbers(node),
    ];
    const toggle = (i: number): void => {
      const id = this.#tree.ids[rows[i]!.at]!;
      const next = new Set(this.toggled);
      if (!next.delete(id)) next.add(id);
      this.toggled = next;
    };
    return html`<mp-vtable
      label="Call tree of MPI calls; Enter zooms to the frame, the right and left arrow keys open and close it"
      aria-busy=${this.#ask.isBusy}
      .columns=${columns.map((column) => ({ ...column, isCut: true }))}
      .count=${rows.length}
      .branch=${(i: number) => ({ level: rows[i]!.level, isOpen: rows[i]!.isOpen })}
      .sort=${this.sort}
      .isSelected=${(i: number) => rows[i]!.at === top && top > 0}
      @sort=${(e: CustomEvent<TreeSort>) => (this.sort = { id: e.detail, ascending: by === e.detail && !ascending })}
      @toggle=${(e: CustomEvent<number>) => toggle(e.detail)}
      @activate=${(e: CustomEvent<number>) => rows[e.detail] && this.#zoom(rows[e.detail]!.at)}
    ></mp-vtable>`;
  }

  #frame(node: TreeNode, isFound: boolean): TemplateResult {
    const { name, place } = frameParts(node.text);
    const text = isFound ? html`<mark>${name}</mark>` : name;
    return html`<span title=${node.text}>${node.function === null ? nothing : swatch(this.app, node.function)} ${text} <span class="muted">${place}</span></span>`;
  }
}
