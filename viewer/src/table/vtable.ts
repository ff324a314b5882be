/** A table of any length: only the visible rows are in the document. */

import { LitElement, type PropertyValues, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { base } from "../chrome/styles";
import type { CsvColumn } from "../save/csv";

export interface TableColumn extends CsvColumn {
  id: string;
  isNumber?: boolean;
  isSortable?: boolean;
  /** Least width, a CSS grid track. */
  width?: string;
  /** A long text is cut instead of widening its row. */
  isCut?: boolean;
  /** A longer explanation of the title. */
  help?: string;
}

/** A column of numbers, saved as numbers. */
export function numeric(id: string, title: string, value: (index: number) => number, text: (value: number) => string, more: Partial<TableColumn> = {}): TableColumn {
  return { id, title, isNumber: true, cell: (i) => text(value(i)), value, ...more };
}

/** Place of a row in a tree. */
export interface Branch {
  /** From 1. */
  level: number;
  /** Whether the rows below it are shown; null where there are none. */
  isOpen: boolean | null;
}

export const ROW_PX = 24;
const OVERSCAN = 8;

@customElement("mp-vtable")
export class VirtualTable extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        height: 100%;
        min-height: 0;
        overflow: hidden;
      }
      .scroll {
        height: 100%;
        overflow: auto;
        position: relative;
      }
      .scroll:focus-visible {
        outline-offset: -2px;
      }
      .row {
        display: grid;
        align-items: center;
        height: 24px;
        min-width: 100%;
        width: max-content;
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      .head {
        position: sticky;
        top: 0;
        z-index: 2;
        background: var(--raised);
        height: 26px;
      }
      .cell {
        padding: 0 6px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .cell.number {
        text-align: right;
      }
      .cell.cut {
        contain: inline-size;
      }
      .cell.frozen {
        position: sticky;
        left: 0;
        z-index: 1;
        background: inherit;
        line-height: 23px;
      }
      .opener {
        display: inline-block;
        width: 14px;
        color: var(--muted);
        cursor: pointer;
      }
      .cell svg {
        vertical-align: -1px;
      }
      .head button {
        min-height: 24px;
        padding: 0 2px;
        font-weight: 600;
        white-space: nowrap;
        font-size: 12px;
      }
      .body .row {
        position: absolute;
        left: 0;
        cursor: default;
        background: var(--panel);
      }
      .body {
        position: relative;
      }
      .body .row:hover {
        background: var(--raised);
      }
      .body .row[aria-selected="true"] {
        background: var(--accent-soft);
      }
      .scroll:focus-visible .row.active {
        box-shadow: inset 0 0 0 2px var(--accent);
      }
      .scroll:focus-visible .row.active .frozen {
        box-shadow:
          inset 0 2px 0 var(--accent),
          inset 0 -2px 0 var(--accent);
      }
      .empty {
        padding: 14px;
        color: var(--muted);
      }
    `,
  ];

  @property({ attribute: false }) columns: readonly TableColumn[] = [];
  @property({ type: Number }) count = 0;
  /** First columns that stay visible while the others scroll sideways: the key of the row. */
  @property({ type: Number }) frozen = 1;
  @property() label = "Table";
  @property({ attribute: false }) sort: { id: string; ascending: boolean } | null = null;
  @property({ attribute: false }) isSelected: (index: number) => boolean = () => false;
  @property() empty = "No data.";
  @property({ type: Boolean }) canActivate = true;
  /** For a table whose rows form a tree: the place of each. `toggle` requests to open or close one. */
  @property({ attribute: false }) branch: ((index: number) => Branch) | null = null;
  @state() private first = 0;
  @state() private shown = 40;
  @state() private active = 0;

  #observer: ResizeObserver | null = null;

  override firstUpdated(): void {
    const scroll = this.#scroll();
    this.#observer = new ResizeObserver(() => this.#measure());
    this.#observer.observe(scroll);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("count") && this.active >= this.count) this.active = Math.max(0, this.count - 1);
  }

  #scroll(): HTMLElement {
    return this.renderRoot.querySelector<HTMLElement>(".scroll")!;
  }

  #measure(): void {
    const scroll = this.#scroll();
    this.first = Math.max(0, Math.floor(scroll.scrollTop / ROW_PX) - OVERSCAN);
    this.shown = Math.ceil(scroll.clientHeight / ROW_PX) + 2 * OVERSCAN;
  }

  /** Scrolls as little as needed to show a row. */
  reveal(index: number): void {
    const scroll = this.#scroll();
    if (!scroll || index < 0) return;
    const top = index * ROW_PX;
    if (top < scroll.scrollTop) scroll.scrollTop = top;
    else if (top + ROW_PX + 26 > scroll.scrollTop + scroll.clientHeight) scroll.scrollTop = top + ROW_PX + 26 - scroll.clientHeight;
    this.active = index;
  }

  #activate(index: number): void {
    this.active = index;
    this.dispatchEvent(new CustomEvent("activate", { detail: index }));
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target !== this.#scroll()) return;
    const page = Math.max(1, Math.floor(this.#scroll().clientHeight / ROW_PX) - 1);
    const to: Record<string, number> = {
      ArrowDown: this.active + 1,
      ArrowUp: this.active - 1,
      PageDown: this.active + page,
      PageUp: this.active - page,
      Home: 0,
      End: this.count - 1,
    };
    const wanted = to[event.key];
    if (wanted !== undefined) this.reveal(Math.max(0, Math.min(this.count - 1, wanted)));
    else if (this.branch && event.key === "ArrowRight") this.#go(this.branch(this.active), true);
    else if (this.branch && event.key === "ArrowLeft") this.#go(this.branch(this.active), false);
    else if ((event.key === "Enter" || event.key === " ") && this.canActivate && this.count) this.#activate(this.active);
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight") this.#scroll().scrollLeft += event.key === "ArrowLeft" ? -60 : 60;
    else return;
    event.preventDefault();
  }

  #toggle(index: number): void {
    this.dispatchEvent(new CustomEvent("toggle", { detail: index }));
  }

  /** In a tree: opens or closes the active row; if it already is, goes to the first row below it, or to its parent. */
  #go({ level, isOpen }: Branch, isInto: boolean): void {
    if (isOpen === !isInto) return this.#toggle(this.active);
    let to = this.active;
    if (isInto) to += isOpen ? 1 : 0;
    else while (to > 0 && this.branch!(to).level >= level) to--;
    this.reveal(to);
  }

  override updated(): void {
    // The page's policy forbids style attributes, but not these properties.
    const template = this.columns.map((c) => c.width ?? (c.isNumber ? "minmax(70px, 1fr)" : "minmax(110px, 2fr)")).join(" ");
    for (const row of this.renderRoot.querySelectorAll<HTMLElement>(".row")) {
      row.style.gridTemplateColumns = template;
      const { index } = row.dataset;
      if (index) row.style.top = `${Number(index) * ROW_PX}px`;
      const first = this.branch && index ? row.querySelector<HTMLElement>(".cell") : null;
      if (first) first.style.paddingLeft = `${6 + 14 * Math.min(40, this.branch!(Number(index)).level - 1)}px`;
    }
    if (this.frozen > 1) this.#placeFrozen();
    const body = this.renderRoot.querySelector<HTMLElement>(".body");
    if (body) body.style.height = `${this.count * ROW_PX}px`;
  }

  /** Each beside the one before it; the first one is at the left edge anyway. */
  #placeFrozen(): void {
    const titles = [...this.renderRoot.querySelectorAll<HTMLElement>(".head .cell")];
    let left = 0;
    for (let i = 0; i < this.frozen; i++) {
      for (const cell of this.renderRoot.querySelectorAll<HTMLElement>(`.cell:nth-child(${i + 1})`)) cell.style.left = `${left}px`;
      left += titles[i]?.offsetWidth ?? 0;
    }
  }

  override render(): TemplateResult {
    const last = Math.min(this.count, this.first + this.shown);
    const rows: TemplateResult[] = [];
    for (let i = this.first; i < last; i++) rows.push(this.#row(i));
    return html`<div
      class="scroll"
      role=${this.branch ? "treegrid" : "grid"}
      tabindex="0"
      aria-label=${this.label}
      aria-rowcount=${this.count + 1}
      aria-colcount=${this.columns.length}
      aria-activedescendant=${this.count ? `row-${this.active}` : nothing}
      @scroll=${() => this.#measure()}
      @keydown=${(event: KeyboardEvent) => this.#key(event)}
    >
      <div class="row head" role="row" aria-rowindex="1">${this.columns.map((column, i) => this.#title(column, i))}</div>
      <div class="body" role="rowgroup">${rows.length ? rows : nothing}</div>
      ${this.count ? nothing : html`<div class="empty" role="row"><span role="gridcell">${this.empty}</span></div>`}
    </div>`;
  }

  #kind(column: TableColumn, index: number): string {
    return `cell ${column.isNumber ? "number" : ""} ${column.isCut ? "cut" : ""} ${index < this.frozen ? "frozen" : ""}`;
  }

  #title(column: TableColumn, index: number): TemplateResult {
    const isSorted = this.sort?.id === column.id;
    const direction = isSorted ? (this.sort!.ascending ? "ascending" : "descending") : nothing;
    const text = html`${column.title}${isSorted ? (this.sort!.ascending ? " ▴" : " ▾") : ""}`;
    return html`<div class=${this.#kind(column, index)} role="columnheader" aria-sort=${direction} title=${column.help ?? nothing}>
      ${column.isSortable
        ? html`<button @click=${() => this.dispatchEvent(new CustomEvent("sort", { detail: column.id }))}>${text}</button>`
        : html`<b>${text}</b>`}
    </div>`;
  }

  #row(index: number): TemplateResult {
    const branch = this.branch?.(index);
    const opener = (isOpen: boolean): TemplateResult => html`<span
      class="opener"
      aria-hidden="true"
      @click=${(event: Event) => {
        event.stopPropagation();
        this.active = index;
        this.#toggle(index);
      }}
      >${isOpen ? "▾" : "▸"}</span
    >`;
    const before = !branch ? nothing : branch.isOpen === null ? html`<span class="opener"></span>` : opener(branch.isOpen);
    return html`<div
      class="row ${index === this.active ? "active" : ""}"
      role="row"
      id="row-${index}"
      data-index=${index}
      aria-rowindex=${index + 2}
      aria-selected=${this.isSelected(index) ? "true" : "false"}
      aria-level=${branch?.level ?? nothing}
      aria-expanded=${branch?.isOpen ?? nothing}
      @click=${() => this.canActivate && this.#activate(index)}
    >
      ${this.columns.map((column, i) => html`<div class=${this.#kind(column, i)} role="gridcell">${i ? nothing : before}${column.cell(index)}</div>`)}
    </div>`;
  }
}
