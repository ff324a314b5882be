/** The button that saves a pane: a menu of formats, or the only one. */

import { LitElement, type TemplateResult, css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import { base } from "../chrome/styles";
import { isPane, paneOf } from "../panes/registry";
import { save } from "./save";
import { FORMATS, type Format, type SavingPage } from "./saver";

const SAYS: Record<Format, string> = { png: "PNG image", svg: "SVG drawing", csv: "CSV data" };

@customElement("mp-save")
export class SaveButton extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: inline-block;
        font-size: 12px;
      }
      button.line {
        min-height: 24px;
      }
      [role="menu"] {
        position: fixed;
        inset: auto;
        margin: 0;
        padding: 4px;
        background: var(--panel);
        color: var(--text);
        border: 1px solid var(--line-strong);
        border-radius: 6px;
        box-shadow: var(--shadow);
      }
      [role="menuitem"] {
        display: block;
        width: 100%;
        text-align: left;
      }
    `,
  ];
  @property({ attribute: false }) app!: SavingPage;
  @property() view = "";
  /** The name of the content, in words, and its formats, where it is not a pane. */
  @property() what = "";
  @property({ attribute: false }) formats: readonly Format[] = FORMATS;

  override willUpdate(): void {
    if (isPane(this.view)) ({ title: this.what, saves: this.formats } = paneOf(this.view));
  }

  #save(format: Format): void {
    void save(this.app, this.view, format, this.what);
  }

  get #menu(): HTMLElement {
    return this.renderRoot.querySelector<HTMLElement>("[role=menu]")!;
  }

  get #items(): HTMLElement[] {
    return [...this.renderRoot.querySelectorAll<HTMLElement>("[role=menuitem]")];
  }

  /** Below the button, or above it where there is no room. */
  #place(): void {
    const button = this.renderRoot.querySelector("button")!;
    const isOpen = this.#menu.matches(":popover-open");
    button.setAttribute("aria-expanded", String(isOpen));
    if (!isOpen) return;
    const at = button.getBoundingClientRect();
    const { offsetWidth: width, offsetHeight: height } = this.#menu;
    const below = at.bottom + 2 + height <= window.innerHeight;
    this.#menu.style.left = `${Math.max(4, Math.min(at.left, window.innerWidth - width - 4))}px`;
    this.#menu.style.top = `${below ? at.bottom + 2 : at.top - 2 - height}px`;
    this.#items[0]?.focus();
  }

  #close(): void {
    this.#menu.hidePopover();
    this.renderRoot.querySelector("button")!.focus();
  }

  #key(event: KeyboardEvent): void {
    const items = this.#items;
    const at = items.indexOf(event.target as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
    // Keys are not commands while a menu is open.
    event.stopPropagation();
    if (event.key === "Tab" || event.key === "Escape") this.#close();
    if (to === undefined) return;
    event.preventDefault();
    items[(to + items.length) % items.length]?.focus();
  }

  override render(): TemplateResult {
    const only = this.formats.length === 1 ? this.formats[0]! : null;
    if (only) return html`<button class="line" aria-label="Save ${this.what} as ${only.toUpperCase()}" @click=${() => this.#save(only)}>Save</button>`;
    return html`<button class="line" aria-label="Save ${this.what}" aria-haspopup="menu" aria-expanded="false" popovertarget="menu">Save</button>
      <div id="menu" popover role="menu" aria-label="Save ${this.what} as" @toggle=${() => this.#place()} @keydown=${(e: KeyboardEvent) => this.#key(e)}>
        ${this.formats.map(
          (format) => html`<button
            role="menuitem"
            tabindex="-1"
            @click=${() => {
              this.#close();
              this.#save(format);
            }}
          >
            ${SAYS[format]}
          </button>`,
        )}
      </div>`;
  }
}
