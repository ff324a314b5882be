/** Search for calls by a text: a function, call site, region or communicator. Shows their number and a list, and jumps between them. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { count, counted, moment, time } from "../format";
import type { Restriction } from "../protocol/params";
import type { CallRef, Matches } from "../protocol/types";
import { searchableFunctions } from "../state/scope";
import { Watch } from "../watch";
import { base } from "./styles";

/** Calls in the list. */
const MOST = 100;

@customElement("mp-find")
export class Find extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        padding: 5px 12px;
      }
      form {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 6px;
        align-items: center;
      }
      input {
        width: 260px;
      }
      .message {
        min-width: 90px;
        flex: 1;
      }
      .message.none {
        color: var(--bad);
      }
      ol {
        list-style: none;
        margin: 5px 0 0;
        padding: 0;
        max-height: min(128px, 20vh);
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: 6px;
      }
      li button {
        display: grid;
        grid-template-columns: 9ch minmax(9ch, max-content) 10ch 24ch minmax(0, 1fr);
        gap: 0 14px;
        width: 100%;
        min-height: 24px;
        padding: 0 8px;
        border-radius: 0;
        text-align: left;
        font-size: 12px;
      }
      li button[aria-current="true"] {
        background: var(--accent-soft);
      }
      li span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;
  @state() private text = "";
  /** The list starts with the first call at or after this moment. */
  @state() private at = 0;
  @state() private isListed = true;
  /** The result of the last jump, where the page does not show it. */
  @state() private message = "";
  readonly #ask = new Ask<Matches & { text: string }>(this);
  #opened = 0;
  #current: HTMLElement | null = null;

  constructor() {
    super();
    new Watch(this);
  }

  get #wanted(): string {
    return this.text.trim();
  }

  #restriction(): Restriction {
    const state = this.app.store.state;
    return { ...state.filter, functions: searchableFunctions(state, this.app.run?.functions ?? []) };
  }

  override willUpdate(): void {
    const { app, at } = this;
    const text = this.#wanted;
    if (!text || app.run?.state !== "ready") return;
    const restriction = this.#restriction();
    this.#ask.update({ text, restriction, at, run: app.run.id, growth: app.growth }, async (signal) => ({
      text,
      ...(await app.client.matches(text, restriction, at, MOST, signal)),
    }));
  }

  /** Matches of the current text; null until they are known. */
  get #found(): Matches | null {
    const { value, error } = this.#ask;
    return value && !error && value.text === this.#wanted ? value : null;
  }

  override updated(): void {
    const current = this.renderRoot.querySelector<HTMLElement>('[aria-current="true"]');
    if (current !== this.#current) current?.scrollIntoView({ block: "nearest" });
    this.#current = current;
    // The text may have changed since the request: search again for the current one.
    const { opened } = this.app.desk;
    if (opened === this.#opened) return;
    this.#opened = opened;
    this.renderRoot.querySelector("input")?.select();
  }

  /** Place of the selected call in the list. */
  #place(): number {
    const { selection } = this.app.store.state;
    return this.#found?.rows.findIndex((row) => row.rank === selection?.rank && row.row === selection.row) ?? -1;
  }

  /** From the selected call, or from the start of the window. */
  #find(direction: "next" | "previous"): void {
    const { app } = this;
    const text = this.#wanted;
    if (!text || app.run?.state !== "ready") return;
    const ask = async (signal: AbortSignal) => {
      const from = app.store.state.selection ? await app.selected() : null;
      const { window } = app;
      const within = from ? {} : direction === "next" ? { from: Math.floor(window.from) } : { until: Math.ceil(window.until) };
      const found = await app.client.find(text, direction, { ...this.#restriction(), ...within }, from, signal);
      if (found && !this.#found?.rows.some((row) => row.rank === found.rank && row.row === found.row)) this.at = found.start_ns;
      return found;
    };
    void app.goTo(ask, `There is no ${direction} match.`, (message) => (this.message = message));
  }

  #type(text: string): void {
    this.text = text;
    this.at = 0;
    this.message = "";
  }

  #key(event: KeyboardEvent): void {
    if (event.key === "Escape") this.app.open(null);
    else if (event.key === "Enter" && event.shiftKey) this.#find("previous");
    else return;
    event.preventDefault();
  }

  #status(): { text: string; isNone: boolean } {
    const { app } = this;
    if (!this.#wanted) return { text: "", isNone: false };
    if (app.run?.state !== "ready") return { text: "Calls can be searched once the run is loaded.", isNone: false };
    const error = this.#ask.error;
    if (error) return { text: `${error.message}. ${error.next}`, isNone: true };
    const found = this.#found;
    if (!found) return { text: "counting …", isNone: false };
    if (!found.total) return { text: `No call matches “${this.#wanted}” in its function, call site, region or communicator.`, isNone: true };
    if (this.message) return { text: this.message, isNone: true };
    const place = this.#place();
    const all = counted(found.total, "call");
    return { text: place < 0 ? all : `${count(found.before + place + 1)} of ${all}`, isNone: false };
  }

  override render(): TemplateResult {
    const { text, isNone } = this.#status();
    const found = this.#wanted ? this.#found : null;
    return html`<form
        role="search"
        @submit=${(e: Event) => {
          e.preventDefault();
          this.#find("next");
        }}
        @keydown=${(e: KeyboardEvent) => this.#key(e)}
      >
        <input
          type="search"
          aria-label="Search calls"
          placeholder="function, call site, region …"
          .value=${this.text}
          @input=${(e: Event) => this.#type((e.target as HTMLInputElement).value)}
        />
        <button class="line" type="button" title="Shift+Enter" @click=${() => this.#find("previous")}>Previous</button>
        <button class="line" type="submit" title="Enter">Next</button>
        <span class="message number ${isNone ? "none" : ""}" role="status">${text}</span>
        ${found?.total ? html`<button class="line" type="button" aria-expanded=${this.isListed} @click=${() => (this.isListed = !this.isListed)}>List</button>` : nothing}
        <button type="button" aria-label="Close the search" @click=${() => this.app.open(null)}>✕</button>
      </form>
      ${found?.rows.length && this.isListed ? this.#list(found) : nothing}`;
  }

  #list({ rows, before, total }: Matches): TemplateResult {
    const { app } = this;
    const { selection } = app.store.state;
    // Enough digits to distinguish the calls of the list.
    const step = (rows.at(-1)!.start_ns - rows[0]!.start_ns) / rows.length / 10;
    const is = (row: CallRef): boolean => row.rank === selection?.rank && row.row === selection.row;
    const rest = total - before - rows.length;
    return html`<ol aria-label="Matching calls">
      ${before ? html`<li><button @click=${() => (this.at = 0)}><span>${count(before)} before</span></button></li>` : nothing}
      ${rows.map(
        (row, i) => html`<li>
          <button aria-current=${is(row) ? "true" : nothing} @click=${() => app.show(row)}>
            <span class="number muted">${count(before + i + 1)}</span>
            <span class="number">${moment(row.start_ns, step)}</span>
            <span class="number">rank ${app.worldRank(row.rank)}</span>
            <span>${app.names?.function(row.function)} <span class="muted">${time(row.end_ns - row.start_ns)}</span></span>
            <span class="muted">${app.names?.site(row.site)}</span>
          </button>
        </li>`,
      )}
      ${rest > 0 ? html`<li><button @click=${() => (this.at = rows.at(-1)!.start_ns)}><span>${count(rest)} after</span></button></li>` : nothing}
    </ol>`;
  }
}
