/** Base of all pictures on a canvas: they paint after an update and when their size changes, and can be saved. */

import { LitElement, css } from "lit";
import { property } from "lit/decorators.js";
import { base, controls } from "./chrome/styles";
import type { Drawing } from "./draw/drawing";
import { contextOf } from "./plot";
import type { Table } from "./save/csv";
import { type Key, type Picture, type Saver, Saving, type SavingPage } from "./save/saver";
import { INK } from "./timeline/theme";

export abstract class Plot extends LitElement implements Saver {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      .plot {
        position: relative;
        flex: 1;
        min-height: 0;
        overflow: hidden;
        background: var(--panel);
      }
      .plot:focus-visible {
        outline-offset: -2px;
      }
      canvas {
        position: absolute;
        inset: 0;
        width: 100%;
        height: 100%;
        touch-action: none;
      }
      mp-vtable {
        flex: 1;
      }
      .tip {
        position: absolute;
        top: 0;
        left: 0;
        max-width: 300px;
        pointer-events: none;
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 5px;
        box-shadow: var(--shadow);
        padding: 4px 8px;
        font-size: 12px;
        z-index: 2;
      }
    `,
  ];

  @property({ attribute: false }) app!: SavingPage;
  abstract readonly view: string;
  #observer: ResizeObserver | null = null;

  constructor() {
    super();
    new Saving(this, this);
  }

  /** Draws the content; also on another surface, to save it. */
  abstract draw(c: Drawing, width: number, height: number): void;

  /** Draws what depends on the pointer. */
  drawOver(_c: Drawing): void {}

  /** The same numbers as a table, once they have arrived. */
  abstract table(): Table | null;

  /** Whether there is something to draw. */
  abstract get hasPicture(): boolean;

  /** The meaning of the colours, where the picture does not show it. */
  keys(): Key[] {
    return [];
  }

  paint(canvas: HTMLCanvasElement): void {
    const got = contextOf(canvas);
    if (!got) return;
    const { c, width, height } = got;
    c.fillStyle = INK[this.app.theme].panel;
    c.fillRect(0, 0, width, height);
    if (!this.hasPicture) return;
    this.draw(c, width, height);
    this.drawOver(c);
  }

  picture(): Picture | null {
    if (!this.hasPicture) return null;
    // In the size on the page; while the table is shown, in the size it would have.
    const plot = this.renderRoot.querySelector(".plot, mp-vtable") ?? this;
    const width = plot.clientWidth || 640;
    const height = plot.clientHeight || 360;
    return { width, height, keys: this.keys(), draw: (c) => this.draw(c, width, height) };
  }

  override updated(): void {
    const canvas = this.renderRoot.querySelector("canvas");
    if (!canvas) return;
    if (!this.#observer) {
      this.#observer = new ResizeObserver(() => {
        const shown = this.renderRoot.querySelector("canvas");
        if (shown) this.paint(shown);
        this.resized();
      });
      this.#observer.observe(this);
    }
    this.paint(canvas);
  }

  /** The size has changed. */
  resized(): void {}

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#observer = null;
  }

  /** Places a tooltip near a point, inside the plot. */
  placeTip(x: number, y: number): void {
    const tip = this.renderRoot.querySelector<HTMLElement>(".tip");
    const plot = this.renderRoot.querySelector<HTMLElement>(".plot");
    if (!tip || !plot) return;
    const left = x + 14 + tip.offsetWidth > plot.clientWidth ? Math.max(0, x - tip.offsetWidth - 10) : x + 14;
    const top = Math.max(0, Math.min(y + 12, plot.clientHeight - tip.offsetHeight));
    tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }
}
