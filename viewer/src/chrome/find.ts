/** Searching calls by a text: a function, call site, region or communicator. */

import { LitElement, type TemplateResult, css, html } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { App } from "../app";
import { searchableFunctions } from "../state/scope";
import { base } from "./styles";

@customElement("mp-find")
export class Find extends LitElement {
  static override styles = [
    base,
    css`
      form {
        display: flex;
        gap: 6px;
        align-items: center;
        position: absolute;
        right: 16px;
        top: 4px;
        z-index: 5;
        padding: 6px 8px;
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 8px;
        box-shadow: var(--shadow);
      }
      input {
        width: 240px;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;
  @state() private text = "";

  override firstUpdated(): void {
    this.renderRoot.querySelector("input")?.focus();
  }

  /** From the selected call on, or from the beginning of the window. */
  #find(direction: "next" | "previous"): void {
    const { app } = this;
    const text = this.text.trim();
    if (!text || app.run?.state !== "ready") return;
    const { detail } = app;
    const state = app.store.state;
    const restriction = { ...state.filter, functions: searchableFunctions(state, app.run.functions) };
    const isForward = direction === "next";
    const at = state.selection && detail ? detail.start_ns : isForward ? app.window.from : app.window.until;
    void app.goTo(
      (signal) => app.client.find(text, direction, isForward ? { ...restriction, from: at + (state.selection && detail ? 1 : 0) } : { ...restriction, until: at }, signal),
      `No ${direction} call has “${text}” in its function, call site, region or communicator.`,
    );
  }

  override render(): TemplateResult {
    return html`<form
      role="search"
      @submit=${(e: Event) => {
        e.preventDefault();
        this.#find("next");
      }}
      @keydown=${(e: KeyboardEvent) => {
        if (e.key === "Escape") {
          e.preventDefault();
          this.app.open(null);
        } else if (e.key === "Enter" && e.shiftKey) {
          e.preventDefault();
          this.#find("previous");
        }
      }}
    >
      <input type="search" aria-label="Search calls" placeholder="function, call site, region …" .value=${this.text} @input=${(e: Event) => (this.text = (e.target as HTMLInputElement).value)} />
      <button class="line" type="button" @click=${() => this.#find("previous")}>Previous</button>
      <button class="line" type="submit">Next</button>
      <button type="button" aria-label="Close the search" @click=${() => this.app.open(null)}>✕</button>
    </form>`;
  }
}
