/** Functions or classes: colour, number of calls, time, and whether they are shown. */

import { LitElement, type TemplateResult, css, html, nothing, svg } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { App } from "../app";
import { square } from "../chrome/swatch";
import { base } from "../chrome/styles";
import { count, countShort, share, time } from "../format";
import { COMPUTE, type Rgb, css as cssColour } from "../palette";
import type { FunctionInfo } from "../protocol/types";
import { hasRma } from "../timeline/rma";
import { INK } from "../timeline/theme";
import { Watch } from "../watch";

interface Category {
  key: string;
  name: string;
  colour: Rgb;
  functions: number[];
  calls: number;
  time_ns: number;
  exclusive_ns: number;
}

type Sort = "time_ns" | "exclusive_ns" | "calls" | "name";

/** A name that may wrap after an underscore. */
const breakable = (name: string): TemplateResult[] => name.split(/(?<=_)/).map((part, at) => html`${at ? html`<wbr />` : nothing}${part}`);

@customElement("mp-legend")
export class Legend extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
        height: 100%;
      }
      .top {
        display: flex;
        gap: 4px;
        align-items: center;
        padding: 4px 8px;
        border-bottom: 1px solid var(--line);
      }
      .top input {
        flex: 1;
        min-width: 60px;
      }
      .list {
        overflow: auto;
        flex: 1;
        min-height: 0;
      }
      table {
        width: 100%;
        border-spacing: 0;
        font-size: 12px;
        table-layout: fixed;
      }
      th {
        position: sticky;
        top: 0;
        z-index: 1;
        background: var(--raised);
        text-align: right;
        padding: 0 4px;
        height: 26px;
        font-weight: 600;
      }
      th button {
        padding: 0;
        min-height: 24px;
        font-weight: 600;
        font-size: 12px;
      }
      th:first-child {
        text-align: left;
        padding-left: 8px;
        width: auto;
      }
      td {
        padding: 0 3px;
        height: 25px;
        text-align: right;
        border-bottom: 1px solid var(--line);
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      td:first-child {
        text-align: left;
        padding-left: 8px;
      }
      td:last-child,
      th:last-child {
        padding-right: 8px;
        width: 66px;
      }
      th:nth-child(2) {
        width: 58px;
      }
      th:nth-child(3) {
        width: 60px;
      }
      .list {
        container-type: inline-size;
      }
      @container (max-width: 290px) {
        td:last-child,
        th:last-child {
          display: none;
        }
        td:nth-child(3),
        th:nth-child(3) {
          padding-right: 8px;
          width: 66px;
        }
      }
      label,
      .name {
        display: flex;
        align-items: center;
        gap: 5px;
      }
      .swatch {
        flex: none;
      }
      .name input[type="color"] {
        flex: none;
        width: 24px;
        min-width: 24px;
        height: 24px;
        min-height: 24px;
        margin: 0 -5px 0 0;
        padding: 6px;
        border: 0;
        border-radius: 4px;
        background: none;
        cursor: pointer;
      }
      input[type="color"]::-webkit-color-swatch-wrapper {
        padding: 0;
      }
      input[type="color"]::-webkit-color-swatch {
        border: 0;
        border-radius: 2px;
      }
      .name span,
      label span {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .name button {
        padding: 0 0 0 3px;
        min-height: 24px;
        min-width: 0;
        white-space: normal;
        overflow-wrap: anywhere;
        line-height: 1.1;
        text-align: left;
      }
      input[type="checkbox"] {
        margin: 0;
        width: 15px;
        height: 15px;
        flex: none;
      }
      .name button.search {
        margin-left: auto;
        flex: none;
        width: 24px;
        padding: 0;
        display: grid;
        place-items: center;
        background: none;
        color: var(--muted);
      }
      .name button.search[aria-pressed="false"] {
        color: var(--bad);
      }
      tr.off {
        color: var(--muted);
      }
      .ground {
        padding: 5px 8px;
        border-top: 1px solid var(--line);
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 2px 14px;
        font-size: 12px;
        color: var(--muted);
      }
      .ground span {
        display: inline-flex;
        gap: 5px;
        align-items: center;
      }
    `,
  ];

  @property({ attribute: false }) app!: App;
  @state() private text = "";
  @state() private sort: Sort = "time_ns";

  constructor() {
    super();
    new Watch(this);
  }

  #categories(): Category[] {
    const { app } = this;
    const run = app.run;
    if (!run) return [];
    const all = (name: string, key: string, colour: Rgb, functions: FunctionInfo[]): Category => ({
      key,
      name,
      colour,
      functions: functions.map((f) => f.id),
      calls: functions.reduce((sum, f) => sum + f.calls, 0),
      time_ns: functions.reduce((sum, f) => sum + f.time_ns, 0),
      exclusive_ns: functions.reduce((sum, f) => sum + f.exclusive_ns, 0),
    });
    const found =
      app.store.state.colouring === "class"
        ? run.classes
            .map((c) => all(c.name, c.id, app.colours.class(c.id), run.functions.filter((f) => f.class === c.id)))
            .filter((c) => c.functions.length)
        : run.functions.map((f) => all(f.name, String(f.id), app.colours.function(f.id), [f]));
    const wanted = this.text.trim().toLowerCase();
    return found
      .filter((c) => c.name.toLowerCase().includes(wanted))
      .sort((a, b) => (this.sort === "name" ? a.name.localeCompare(b.name) : b[this.sort] - a[this.sort] || a.name.localeCompare(b.name)));
  }

  #show(functions: readonly number[], isShown: boolean): void {
    const hidden = new Set(this.app.store.state.hidden);
    for (const id of functions)
      if (isShown) hidden.delete(id);
      else hidden.add(id);
    this.app.store.set({ hidden: [...hidden].sort((a, b) => a - b) });
  }

  #search(functions: readonly number[], isFound: boolean): void {
    const skipped = new Set(this.app.store.state.skipped);
    for (const id of functions)
      if (isFound) skipped.delete(id);
      else skipped.add(id);
    this.app.store.set({ skipped: [...skipped].sort((a, b) => a - b) });
  }

  /** While a colour is being chosen, the views follow; only the final one becomes a history entry. */
  #paint(key: string, event: Event): void {
    const { store } = this.app;
    store.move({ paint: { ...store.state.paint, [key]: (event.target as HTMLInputElement).value.slice(1) } });
  }

  #head(id: Sort, title: string, help: string): TemplateResult {
    const isSorted = this.sort === id;
    return html`<th scope="col" aria-sort=${isSorted ? (id === "name" ? "ascending" : "descending") : nothing} title=${help}>
      <button @click=${() => (this.sort = id)}>${title}${isSorted ? (id === "name" ? " ▴" : " ▾") : ""}</button>
    </th>`;
  }

  /** The lines over the timeline that are on. */
  #lines(): TemplateResult[] {
    const { app } = this;
    const { layers } = app.store.state;
    const ink = INK[app.theme];
    const lines: [isShown: boolean, text: string, title: string, colour: string, dash: string, hasHead: boolean][] = [
      [layers.includes("messages"), "message", "From the call that sends to the return of the call that completes the receive. When zoomed out, one line bundles many messages; a thicker line has more", ink.arrow, "", true],
      [layers.includes("rma") && hasRma(app.run), "one-sided access", "In the direction of the data: to the target of a put, from the target of a get. Spans the duration of the call", ink.rma, "5 2", true],
      [layers.includes("collectives"), "collective", "Connects the starts of its members; the dashed line connects their ends", ink.collective, "", false],
    ];
    return lines
      .filter(([isShown]) => isShown)
      .map(
        ([, text, title, colour, dash, hasHead]) => html`<span title=${title}
          ><svg width="22" height="9" viewBox="0 0 22 9" fill="none" stroke=${colour} stroke-width="1.6" aria-hidden="true">
            <path d="M1 4.5H20" stroke-dasharray=${dash || nothing}></path>
            ${hasHead ? svg`<path d="M15 1.5L21 4.5L15 7.5Z" fill=${colour} stroke="none"></path>` : nothing}</svg
          >${text}</span
        >`,
      );
  }

  override render(): TemplateResult {
    const { app } = this;
    const run = app.run;
    if (!run) return html``;
    const categories = this.#categories();
    const hidden = new Set(app.store.state.hidden);
    const skipped = new Set(app.store.state.skipped);
    const listed = categories.flatMap((c) => c.functions);
    const only = app.store.state.filter.functions;
    const total = run.functions.reduce((sum, f) => sum + f.time_ns, 0);
    return html`<div class="top">
        <input type="search" aria-label="Find in the legend" placeholder="find" .value=${this.text} @input=${(e: Event) => (this.text = (e.target as HTMLInputElement).value)} />
        <button class="line" @click=${() => this.#show(listed, true)}>All</button>
        <button class="line" @click=${() => this.#show(listed, false)}>None</button>
        <button class="line" aria-pressed=${app.store.state.colouring === "class"} @click=${() => app.store.set({ colouring: app.store.state.colouring === "class" ? "function" : "class" })}>
          Classes
        </button>
      </div>
      <div class="list" tabindex="0" role="region" aria-label="Functions and classes">
        <table>
          <thead>
            <tr>
              ${this.#head("name", app.store.state.colouring === "class" ? "Class" : "Function", "Box: shown, or else drawn as computing. Magnifier: whether search and stepping stop here")}
              ${this.#head("calls", "Calls", "In the whole run, including calls whose events were overwritten")}
              ${this.#head("time_ns", "Time", "From entry to return, sum of all ranks")}
              ${this.#head("exclusive_ns", "Excl.", "Exclusive: without MPI calls made inside the call, for example by callbacks")}
            </tr>
          </thead>
          <tbody>
            ${categories.map((c) => {
              const isShown = c.functions.some((id) => !hidden.has(id));
              const isFound = isShown && c.functions.some((id) => !skipped.has(id));
              const isOnly = only !== null && c.functions.length === only.length && c.functions.every((id) => only.includes(id));
              return html`<tr class=${isShown ? "" : "off"}>
                <td title=${c.name}>
                  <div class="name">
                    <input type="checkbox" title="Show" aria-label="Show ${c.name}" .checked=${isShown} @change=${() => this.#show(c.functions, !isShown)} />
                    <input type="color" title="Colour of ${c.name}: choose another" aria-label="Colour of ${c.name}" .value=${cssColour(c.colour)} @input=${(e: Event) => this.#paint(c.key, e)} @change=${() => app.store.flush()} />
                    <button
                      aria-pressed=${isOnly}
                      title="Show only ${c.name} in all views"
                      @click=${() => app.store.set({ filter: { ...app.store.state.filter, functions: isOnly ? null : c.functions } })}
                    >
                      ${breakable(c.name.replace(/^MPI_/, ""))}
                    </button>
                    <button
                      class="search"
                      title=${isFound ? "Search and stepping stop here" : "Search and stepping skip this"}
                      aria-label="Search ${c.name}"
                      aria-pressed=${isFound}
                      ?disabled=${!isShown}
                      @click=${() => this.#search(c.functions, !isFound)}
                    >
                      <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.5" aria-hidden="true">
                        <circle cx="5" cy="5" r="3.6"></circle>
                        <path d=${isFound ? "M7.8 7.8L11 11" : "M7.8 7.8L11 11M1 11L11 1"}></path>
                      </svg>
                    </button>
                  </div>
                </td>
                <td class="number" title=${count(c.calls)}>${countShort(c.calls)}</td>
                <td class="number" title="${share(c.time_ns / Math.max(1, total))} of the time in MPI">${time(c.time_ns)}</td>
                <td class="number">${time(c.exclusive_ns)}</td>
              </tr>`;
            })}
          </tbody>
        </table>
      </div>
      <div class="ground">
        <span>${square(cssColour(COMPUTE[app.theme]))} computing</span>
        <span>${square(cssColour(app.colours.class("completion")), true)} waiting inside a call</span>
        ${this.#lines()}
        ${Object.keys(app.store.state.paint).length ? html`<button class="line" @click=${() => app.store.set({ paint: {} })}>Reset colours</button>` : nothing}
      </div>`;
  }
}
