/** A figure of lines with a legend, and a crosshair that follows the pointer and the arrow keys. */

import { type TemplateResult, css, html, nothing, svg } from "lit";
import { state } from "lit/decorators.js";
import type { Drawing } from "../draw/drawing";
import { counted } from "../format";
import type { Key } from "../save/saver";
import { type TableColumn, numeric } from "../table/vtable";
import { INK } from "../timeline/theme";
import { type Figure, type FigurePoint, type Line, type Style, keysOf, nearest, placesOf, shownKeys, signText, styles } from "./figure";
import { type Layout, colourOf, layoutOf, paintFigure, paintSign, pixelX, pixelY } from "./paint";
import { MachinePlot } from "./panel";
import type { Machine } from "./profile";
import type { PaneId } from "./state";

/** Lines that the box beside the pointer lists. */
const MOST_LISTED = 12;

export abstract class LinePlot extends MachinePlot {
  static override styles = [
    ...MachinePlot.styles,
    css`
      .legend {
        flex: 0 0 224px;
        display: flex;
        flex-direction: column;
        min-height: 0;
        border-left: 1px solid var(--line);
        font-size: 12px;
      }
      .legend > div {
        display: flex;
        gap: 4px;
        align-items: center;
        padding: 2px 8px;
        border-bottom: 1px solid var(--line);
        color: var(--muted);
      }
      .legend > div button {
        min-height: 24px;
      }
      .legend > div span {
        flex: 1;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 4px 8px;
        overflow-y: auto;
        position: relative;
      }
      ul:focus-visible {
        outline-offset: -2px;
      }
      li label {
        display: flex;
        gap: 5px;
        align-items: center;
        min-height: 24px;
        overflow-wrap: anywhere;
      }
      li input {
        flex: none;
        margin: 0;
      }
      li svg {
        flex: none;
      }
      .tip {
        max-width: 520px;
      }
      canvas:focus-visible {
        outline: 2px solid var(--accent);
        outline-offset: -2px;
      }
      @media (max-width: 1200px) {
        .legend {
          flex-basis: 184px;
        }
      }
    `,
  ];
  /** The place under the crosshair, and where its box is. */
  @state() private over: { at: number; x: number; y: number } | null = null;
  #figure: Figure | null = null;
  #lines: Line[] = [];
  #layout: Layout | null = null;

  /** Null if the profiles have no such numbers. */
  abstract figure(): Figure | null;

  override willUpdate(): void {
    this.#figure = this.figure();
    const shown = new Set(this.#figure ? shownKeys(this.#figure, this.app.state.shown[this.view]) : []);
    this.#lines = this.#figure?.lines.filter((line) => shown.has(line.key)) ?? [];
    const { over } = this;
    if (over && !placesOf(this.#lines).includes(over.at)) this.over = null;
  }

  get hasPicture(): boolean {
    return this.#lines.length > 0;
  }

  get #isOfTwo(): boolean {
    return this.app.machines.length > 1;
  }

  draw(c: Drawing, width: number, height: number): void {
    if (!this.#figure) return;
    const layout = layoutOf(this.#figure, this.#lines, width, height);
    paintFigure(c, this.#figure, this.#lines, layout, this.app.theme);
  }

  override drawOver(c: Drawing): void {
    const canvas = this.renderRoot.querySelector("canvas");
    if (!this.#figure || !canvas) return;
    this.#layout = layoutOf(this.#figure, this.#lines, canvas.clientWidth, canvas.clientHeight);
    const { over } = this;
    if (!over) return;
    const { box } = this.#layout;
    c.fillStyle = INK[this.app.theme].accent;
    c.fillRect(Math.round(pixelX(this.#layout, over.at)), box.top, 1, box.height);
    const looks = styles(this.#figure);
    for (const { line, point } of this.#at(over.at)) {
      const style = looks.get(line.key)!;
      c.fillStyle = colourOf(style, this.app.theme);
      paintSign(c, style.sign, pixelX(this.#layout, point.x), pixelY(this.#layout, point.y), 4.5);
    }
  }

  /** The lines with a point at a place. */
  #at(at: number): { line: Line; point: FigurePoint }[] {
    return this.#lines.flatMap((line) => {
      const point = line.points.find((p) => p.x === at);
      return point ? [{ line, point }] : [];
    });
  }

  #nameOf(line: Line): string {
    return this.#isOfTwo ? `${line.name}, ${this.app.machines[line.machine]!.name}` : line.name;
  }

  #textOf(point: FigurePoint): string {
    const { text } = this.#figure!.y;
    const interval = point.low !== null && point.high !== null ? ` (${text(point.low)} to ${text(point.high)})` : "";
    return `${text(point.y)}${interval}${point.note ? `, ${point.note}` : ""}`;
  }

  #move(event: PointerEvent): void {
    const layout = this.#layout;
    const canvas = event.currentTarget as HTMLElement;
    if (!layout) return;
    const bounds = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - bounds.left, event.clientY - bounds.top];
    const at = nearest(placesOf(this.#lines), layout.x, (x - layout.box.left) / layout.box.width);
    this.over = at === null ? null : { at, x, y };
  }

  #key(event: KeyboardEvent): void {
    const places = placesOf(this.#lines);
    const layout = this.#layout;
    if (!layout || !places.length || event.ctrlKey || event.altKey || event.metaKey) return;
    const now = this.over ? places.indexOf(this.over.at) : -1;
    const to = { ArrowRight: now + 1, ArrowLeft: now < 0 ? places.length - 1 : now - 1, Home: 0, End: places.length - 1 }[event.key];
    if (event.key === "Escape") this.over = null;
    else if (to === undefined) return;
    else {
      const at = places[Math.max(0, Math.min(places.length - 1, to))]!;
      this.over = { at, x: pixelX(layout, at), y: layout.box.top };
    }
    event.preventDefault();
  }

  override updated(): void {
    super.updated();
    if (this.over) this.placeTip(this.over.x, this.over.y);
  }

  override keys(): Key[] {
    const figure = this.#figure;
    if (!figure) return [];
    const looks = styles(figure);
    const named = new Map(this.#lines.map((line) => [line.key, line.name]));
    const keys = [...named].map(([key, name]) => {
      const style = looks.get(key)!;
      return { colour: colourOf(style, this.app.theme), text: style.sign ? `${signText(style)} ${name}` : name };
    });
    const [a, b] = this.app.machines;
    return b ? [...keys, { colour: INK[this.app.theme].muted, text: `solid: ${a!.name}, dashed: ${b.name}` }] : keys;
  }

  plot(): TemplateResult {
    const figure = this.#figure;
    if (!figure?.lines.length) return html`<p class="note">The profile has no such numbers.</p>`;
    const { over } = this;
    const keys = keysOf(figure);
    const listed = over ? this.#at(over.at) : [];
    const looks = styles(figure);
    const box = (line: Line, point: FigurePoint): TemplateResult => html`<br />${swatch(looks.get(line.key)!, line.hasSigns, line.machine > 0, colourOf(looks.get(line.key)!, this.app.theme))} ${this.#nameOf(line)}: ${this.#textOf(point)}`;
    return html`<div class="plot">
        <canvas
          role="img"
          tabindex="0"
          aria-label="${this.heading}: ${counted(this.#lines.length, "line")} by ${figure.x.title.toLowerCase()}. The arrow keys read the numbers."
          @pointermove=${(e: PointerEvent) => this.#move(e)}
          @pointerleave=${() => (this.over = null)}
          @keydown=${(e: KeyboardEvent) => this.#key(e)}
          @blur=${() => (this.over = null)}
        ></canvas>
        ${this.#lines.length ? nothing : html`<p class="note">No series is selected.</p>`}
        ${over
          ? html`<div class="tip" role="status"><b>${figure.x.text(over.at)}</b>${listed.slice(0, MOST_LISTED).map(({ line, point }) => box(line, point))}${listed.length > MOST_LISTED ? html`<br />… and ${listed.length - MOST_LISTED} more` : nothing}</div>`
          : nothing}
      </div>
      ${this.#legend(figure, keys)}`;
  }

  #legend(figure: Figure, keys: readonly string[]): TemplateResult {
    const shown = new Set(shownKeys(figure, this.app.state.shown[this.view]));
    const looks = styles(figure);
    const named = new Map(figure.lines.map((line) => [line.key, line]));
    const toggle = (key: string): void => this.app.show(this.view, keys.filter((k) => (k === key ? !shown.has(k) : shown.has(k))));
    return html`<section class="legend" aria-label="Series of ${this.heading}">
      <div>
        <span>${shown.size} of ${keys.length}</span>
        <button class="line" ?disabled=${shown.size === keys.length} @click=${() => this.app.show(this.view, keys)}>All</button>
        <button class="line" ?disabled=${!shown.size} @click=${() => this.app.show(this.view, [])}>None</button>
      </div>
      ${this.#isOfTwo ? html`<div><span>solid: ${this.app.machines[0]!.name}<br />dashed: ${this.app.machines[1]!.name}</span></div>` : nothing}
      <ul tabindex="0" aria-label="Shown series">
        ${keys.map(
          (key) => html`<li>
            <label
              ><input type="checkbox" .checked=${shown.has(key)} @change=${() => toggle(key)} />${swatch(looks.get(key)!, named.get(key)!.hasSigns, false, colourOf(looks.get(key)!, this.app.theme))}
              <span>${named.get(key)!.name.split(/(?<=\/)/).map((part) => html`${part}<wbr />`)}</span></label
            >
          </li>`,
        )}
      </ul>
    </section>`;
  }

  table(): { columns: TableColumn[]; count: number } | null {
    const figure = this.#figure;
    if (!figure) return null;
    const rows = this.#lines.flatMap((line) => line.points.map((point) => ({ line, point })));
    const { x, y } = figure;
    const optional = (id: string, title: string, value: (point: FigurePoint) => number | null): TableColumn => ({
      id,
      title,
      isNumber: true,
      width: "minmax(90px, 1fr)",
      cell: (i) => {
        const number = value(rows[i]!.point);
        return number === null ? "" : y.text(number);
      },
      value: (i) => value(rows[i]!.point),
      unit: y.unit,
    });
    const columns: TableColumn[] = [
      { id: "series", title: "Series", width: "minmax(150px, 2fr)", cell: (i) => rows[i]!.line.name },
      ...(this.#isOfTwo ? [{ id: "profile", title: "Profile", cell: (i: number) => this.app.machines[rows[i]!.line.machine]!.name }] : []),
      numeric("x", x.title, (i) => rows[i]!.point.x, x.text, { unit: x.unit, width: "minmax(90px, 1fr)" }),
      numeric("y", y.title, (i) => rows[i]!.point.y, y.text, { unit: y.unit, width: "minmax(120px, 1fr)" }),
      optional("low", "95 % from", (point) => point.low),
      optional("high", "95 % to", (point) => point.high),
      { id: "note", title: "Consider", cell: (i) => rows[i]!.point.note },
    ];
    return { columns, count: rows.length };
  }
}

/** Defines the element of a pane that has no controls. */
export function definePlot(view: PaneId, heading: string, figureOf: (machines: readonly Machine[]) => Figure | null, aboutOf: (machines: readonly Machine[]) => string): void {
  class Defined extends LinePlot {
    readonly view = view;
    readonly heading = heading;

    figure(): Figure | null {
      return figureOf(this.app.machines);
    }

    override about(): string {
      return aboutOf(this.app.machines);
    }
  }
  customElements.define(`mp-machine-${view}`, Defined);
}

function swatch(style: Style, hasSign: boolean, isDashed: boolean, colour: string): TemplateResult {
  const shapes = [
    svg`<circle cx="11" cy="6" r="3" fill=${colour}></circle>`,
    svg`<rect x="8" y="3" width="6" height="6" fill=${colour}></rect>`,
    svg`<path d="M11 2L15 10H7Z" fill=${colour}></path>`,
    svg`<path d="M11 2L15 6L11 10L7 6Z" fill=${colour}></path>`,
  ];
  return html`<svg width="22" height="12" viewBox="0 0 22 12" aria-hidden="true">
    <path d="M0 6H22" stroke=${colour} stroke-width="1.6" stroke-dasharray=${isDashed ? "5 3" : nothing}></path>
    ${hasSign ? shapes[style.sign] : nothing}
  </svg>`;
}
