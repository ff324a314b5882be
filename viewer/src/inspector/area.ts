/** Statistics of the selected area of the timeline. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { failure } from "../chrome/failure";
import { base } from "../chrome/styles";
import { swatch } from "../chrome/swatch";
import { count, counted, moment, share, time } from "../format";
import type { Groups } from "../protocol/types";
import { Watch } from "../watch";

@customElement("mp-area")
export class AreaPanel extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        overflow: auto;
        height: 100%;
        padding: 8px 10px;
      }
      h2 {
        font-size: 13px;
      }
      table {
        border-spacing: 0;
        font-size: 12px;
        width: 100%;
        margin-top: 6px;
      }
      td,
      th {
        text-align: right;
        padding: 2px 0 2px 8px;
        border-bottom: 1px solid var(--line);
      }
      td:first-child,
      th:first-child {
        text-align: left;
        padding-left: 0;
      }
      .buttons {
        display: flex;
        gap: 6px;
        margin-top: 6px;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;
  readonly #ask = new Ask<Groups>(this);

  constructor() {
    super();
    new Watch(this);
  }

  override willUpdate(): void {
    const { app } = this;
    if (!app.store.state.area || app.run?.state !== "ready") return;
    const parameters = { ...app.scope, by: "function", sort: "total_ns", limit: 40 };
    this.#ask.update(parameters, (signal) => app.client.groups(parameters, signal));
  }

  override render(): TemplateResult {
    const { app } = this;
    const { area } = app.store.state;
    if (!area)
      return html`<p class="muted">Drag over the timeline to select a range of time and ranks. Its statistics are shown here, and the views below are limited to it.</p>`;
    const step = (area.until - area.from) / 1000;
    const first = area.row_from === null ? 0 : area.row_from;
    const last = (area.row_until === null ? app.rows : Math.min(area.row_until, app.rows)) - 1;
    const answer = this.#ask.value;
    const inside = answer?.rows.reduce((sum, row) => sum + row.total_ns, 0) ?? 0;
    const insideShare = answer?.rows.reduce((sum, row) => sum + row.share, 0) ?? 0;
    // The selection counts ranks, also where several share a row.
    const start = (row: number): number => app.order?.starts?.[row] ?? row;
    const ranks = start(last + 1) - start(first);
    return html`<h2 class="number">${time(area.until - area.from)} × ${counted(ranks, "rank")}</h2>
      <div class="muted number">${moment(area.from, step)} to ${moment(area.until, step)}; ${last === first ? app.nameAt(first) : `${app.order ? "rows" : "ranks"} ${first} to ${last}`}</div>
      <div class="buttons">
        <button class="line" @click=${() => app.setWindow({ from: area.from, until: area.until, row_from: first, row_until: last + 1 }, false)}>Zoom to it</button>
        <button class="line" @click=${() => app.store.set({ area: null })}>Clear selection</button>
      </div>
      ${this.#ask.error ? failure(this.#ask.error) : nothing}
      ${answer
        ? html`<table aria-busy=${this.#ask.isBusy}>
            <thead>
              <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
            </thead>
            <tbody>
              ${answer.rows.map(
                (row) => html`<tr>
                  <td>${row.key[0]?.id !== null ? swatch(app, row.key[0]!.id!) : nothing} ${row.key[0]?.text.replace(/^MPI_/, "")}</td>
                  <td class="number">${count(row.count)}</td>
                  <td class="number">${time(row.total_ns)}</td>
                  <td class="number">${share(row.share)}</td>
                </tr>`,
              )}
              <tr><td><b>in MPI</b></td><td></td><td class="number">${time(inside)}</td><td class="number">${share(insideShare)}</td></tr>
            </tbody>
          </table>`
        : nothing}`;
  }
}
