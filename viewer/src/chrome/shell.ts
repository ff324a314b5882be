/** The page: a header, and below it the overview, the views, or the reason why there is nothing to show. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import { type App, lengthOf } from "../app";
import "../compare/compare";
import { listenForKeys } from "../commands/keys";
import { COMMANDS } from "../commands/registry";
import { countShort, counted, percent, time } from "../format";
import "../overview/overview";
import { Comparison } from "../runs/comparison";
import { PackSource } from "../exported/source";
import { lastScales } from "../scales";
import { sourceOf } from "../protocol/source-of";
import { fromHash, toHash } from "../state/hash";
import { Store, browserHistory } from "../state/store";
import { Watch } from "../watch";
import "./find";
import "../notes/dialog";
import "./help";
import "./palette";
import { runTag, runTagStyles } from "./run-tag";
import "./runs-bar";
import { base } from "./styles";
import "./views";

/** Parts of addresses are shown up to this length. */
const MOST_SHOWN = 60;

const shortened = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);

@customElement("mp-app")
export class Shell extends LitElement {
  static override styles = [
    base,
    runTagStyles,
    css`
      :host {
        display: grid;
        grid-template-rows: 44px auto auto auto auto auto minmax(0, 1fr) 22px;
        height: 100vh;
      }
      header {
        display: flex;
        align-items: center;
        gap: 12px;
        padding: 0 12px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        min-width: 0;
      }
      h1 {
        font-size: 14px;
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
        min-width: 60px;
      }
      .facts {
        color: var(--muted);
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
        flex: 1;
        min-width: 0;
      }
      nav {
        display: flex;
        gap: 2px;
      }
      nav button[aria-current="page"] {
        background: var(--accent-soft);
        font-weight: 600;
      }
      main {
        position: relative;
        min-height: 0;
        overflow: hidden;
      }
      footer {
        display: flex;
        gap: 14px;
        align-items: center;
        padding: 0 12px;
        background: var(--panel);
        border-top: 1px solid var(--line);
        font-size: 11px;
        color: var(--muted);
        white-space: nowrap;
        overflow: hidden;
      }
      footer [role="status"] {
        color: var(--text);
        flex: 1;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .building {
        display: flex;
        align-items: center;
        gap: 10px;
        padding: 5px 12px;
        background: var(--accent-soft);
        border-bottom: 1px solid var(--line);
      }
      .predicted {
        padding: 5px 12px;
        background: var(--accent-soft);
        border-bottom: 1px solid var(--line);
      }
      .predicted p {
        margin: 0;
        overflow-wrap: anywhere;
      }
      progress {
        width: 240px;
        accent-color: var(--accent);
      }
      .state {
        max-width: 640px;
        margin: 12vh auto 0;
        padding: 20px 24px;
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 10px;
      }
      .state h2 {
        font-size: 16px;
      }
      .state p {
        margin: 8px 0 0;
        overflow-wrap: anywhere;
      }
      .skip {
        position: absolute;
        left: 8px;
        top: -60px;
        background: var(--panel);
        padding: 6px 10px;
        z-index: 9;
        border: 1px solid var(--line-strong);
      }
      .skip:focus {
        top: 6px;
      }
      .unread {
        display: flex;
        gap: 10px;
        align-items: center;
        padding: 4px 12px;
        background: var(--panel);
        border-bottom: 2px solid var(--bad);
      }
      .unread span {
        flex: 1;
        overflow-wrap: anywhere;
      }
      header button {
        white-space: nowrap;
        flex: none;
      }
      @media (max-width: 1100px) {
        header kbd {
          display: none;
        }
      }
    `,
  ];
  @state() private isStarted = false;
  readonly comparison: Comparison;

  constructor() {
    super();
    const source = sourceOf(document);
    const store = new Store(browserHistory);
    this.comparison = new Comparison(source, store);
    if (source instanceof PackSource && !window.location.hash)
      // The exported view, unless the user has left it since.
      void source.view().then((view) => view && !window.location.hash && store.correct(fromHash(view)), () => {});
    else if (!window.location.hash) {
      const scales = lastScales();
      if (toHash({ ...store.state, ...scales }) !== toHash(store.state)) store.correct(scales);
    }
    new Watch(this);
  }

  /** The run that the page shows. */
  get app(): App {
    return this.comparison.app;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.isStarted) return;
    this.isStarted = true;
    // Removes the content that the page had before any script ran.
    this.replaceChildren();
    const restore = (): void => this.comparison.store.restore();
    window.addEventListener("popstate", restore);
    window.addEventListener("hashchange", restore);
    listenForKeys(() => this.app, COMMANDS);
    void this.comparison.start();
  }

  override render(): TemplateResult {
    const { app } = this;
    const { run } = app;
    const { page } = app.store.state;
    return html`<header>
        <button class="skip" @click=${() => this.renderRoot.querySelector<HTMLElement>("main")?.focus()}>Skip to the content</button>
        <h1 title=${run?.command.join(" ") ?? ""}>${this.#title()}</h1>
        <nav aria-label="Pages">
          <button aria-current=${page === "overview" ? "page" : nothing} @click=${() => app.store.set({ page: "overview" })}>Overview</button>
          ${this.comparison.isTwo
            ? html`<button aria-current=${page === "compare" ? "page" : nothing} @click=${() => app.store.set({ page: "compare" })}>Compare</button>`
            : nothing}
          <button aria-current=${page === "views" ? "page" : nothing} @click=${() => app.store.set({ page: "views" })}>Timeline</button>
        </nav>
        <span class="facts number">${run ? this.#facts() : "opening the run …"}</span>
        ${app.launch ? html`<a class="launch" href=${app.launch}>Launch</a>` : nothing}
        <button class="line" @click=${() => app.open("find")}>Search <kbd aria-hidden="true">/</kbd></button>
        <button class="line" title="Saved views (Shift+B)" @click=${() => app.open("notes")}>Bookmarks${app.notes.notes.length ? html` <b>${app.notes.notes.length}</b>` : nothing}</button>
        <button class="line" @click=${() => app.open("palette")}>Commands <kbd aria-hidden="true">Ctrl+Shift+P</kbd></button>
        <button class="line" aria-label="Keyboard and mouse" title="Keyboard and mouse (?)" @click=${() => app.open("help")}>?</button>
        <button class="line" @click=${() => app.setTheme(app.theme === "dark" ? "light" : "dark")}>${app.theme === "dark" ? "Light" : "Dark"}</button>
      </header>
      ${this.#unread()} ${this.#predicted()} ${this.#building()}
      ${this.comparison.isTwo && page !== "compare" ? html`<mp-runs-bar .app=${app}></mp-runs-bar>` : html`<div></div>`}
      ${app.dialog === "find" ? html`<mp-find .app=${app}></mp-find>` : html`<div></div>`}
      <main id="main" tabindex="-1">${this.#content()}</main>
      <footer>
        <span role="status" aria-live="polite">${app.message}</span>
        <span>${app.client.isExported ? "exported by mpiscope: contains only part of the run" : "mpiscope"}</span>
      </footer>
      ${app.dialog === "palette" ? html`<mp-palette .app=${app}></mp-palette>` : nothing} ${app.dialog === "help" ? html`<mp-help .app=${app}></mp-help>` : nothing}
      ${app.dialog === "notes" ? html`<mp-notes .app=${app}></mp-notes>` : nothing}`;
  }

  #title(): TemplateResult | string {
    const { apps, isTwo } = this.comparison;
    if (!isTwo) return this.app.run?.name ?? "mpiscope";
    return html`${apps.map((app, i) => html`${i ? " → " : ""}${runTag(app)}`)}`;
  }

  #facts(): string {
    const run = this.app.run!;
    if (this.comparison.isTwo && this.comparison.store.state.page === "compare")
      return this.comparison.apps.map((app) => (app.run ? time(lengthOf(app)) : "–")).join(" → ");
    return [
      run.mpi?.split(",")[0],
      counted(run.ranks.count, "rank"),
      run.hosts.length > 1 ? counted(run.hosts.length, "host") : null,
      run.calls || !run.files ? counted(run.calls, "call", "calls", countShort) : null,
      time(lengthOf(this.app)),
    ]
      .filter(Boolean)
      .join(" · ");
  }

  /** The parts of the address that are not valid. */
  #unread(): TemplateResult {
    const { store } = this.comparison;
    const parts = store.unread;
    if (!parts.length) return html`<div></div>`;
    return html`<div class="unread" role="alert">
      <span>The address of this page has ${parts.length === 1 ? "an invalid part, which is" : "invalid parts, which are"} ignored: <b class="mono">${parts.map(shortened).join(", ")}</b></span>
      <button class="line" @click=${() => store.correct({})}>Close</button>
    </div>`;
  }

  /** What does not come from a recording must not look like it, whatever page is shown. */
  #predicted(): TemplateResult {
    const { apps, isTwo } = this.comparison;
    const predicted = apps.filter((app) => app.run?.predicted);
    if (!predicted.length) return html`<div></div>`;
    return html`<div class="predicted" role="region" aria-label="Predicted">
      ${predicted.map((app) => html`<p>${isTwo ? html`${runTag(app)} ` : nothing}${app.run!.predicted}</p>`)}
    </div>`;
  }

  #building(): TemplateResult {
    const { apps, isTwo } = this.comparison;
    const reading = apps.filter((app) => app.run?.files && app.run.state !== "failed");
    const building = apps.filter((app) => app.run?.state === "building" && !app.run.files);
    const writing = apps.filter((app) => app.run?.state === "ready" && app.run.is_writing);
    if (!reading.length && !building.length && !writing.length) return html`<div></div>`;
    return html`<div class="building" role="region" aria-label="Progress">
      ${reading.map(({ run }) => {
        const { read, of } = run!.files!;
        return html`<progress max=${of} .value=${read} aria-label="Rank files of ${run!.name} that have been read"></progress>
          <span
            >Reading ${counted(of, "rank file")}${isTwo ? ` of ${run!.name}` : ""}: ${percent(read / Math.max(1, of))}.
            ${run!.state === "ready" ? "Timeline, tables and plots are available; the report follows." : "The views open after that."}</span
          >`;
      })}
      ${building.map(
        ({ run }) => html`<progress max="1" .value=${run!.done} aria-label="Part of ${run!.name} that has been loaded"></progress>
          <span>Loading ${isTwo ? run!.name : "the run"}: ${percent(run!.done)}. You can already view the part that is loaded.</span>`,
      )}
      ${writing.map(
        ({ run }) => html`<span
          >${isTwo ? `The program of ${run!.name}` : "The program"} is still running. The view is updated every few seconds and when the
          program has ended.</span
        >`,
      )}
    </div>`;
  }

  #content(): TemplateResult {
    const { app } = this;
    const { run } = app;
    const { page } = app.store.state;
    if (page === "compare") return html`<mp-compare .app=${app}></mp-compare>`;
    // With two runs, one of them is shown even if the other cannot be.
    if (page === "views" && this.comparison.isTwo && this.comparison.apps.every((a) => a.run)) return this.#views();
    if (app.error) return this.#state("This run cannot be shown", app.error.message, app.error.next);
    if (!run) return html`<p class="note" role="status">Opening the run …</p>`;
    if (run.state === "failed")
      return this.#state("This run cannot be shown", run.failure?.what ?? "Reading the run failed", run.failure?.next ?? "See the messages of mpiscope in its terminal.");
    return page === "overview" ? html`${keyed(app.side, html`<mp-overview .app=${app}></mp-overview>`)}` : this.#views();
  }

  #views(): TemplateResult {
    const { run } = this.app;
    if (run!.state === "ready" && run!.calls === 0 && !run!.files && !this.comparison.isTwo)
      return this.#state(
        "No MPI call was recorded",
        "mpiscope recorded no MPI call of this program. It may have ended before MPI_Init, or its MPI library is statically linked.",
        "Run mpiscope doctor PROGRAM to see what would be recorded.",
      );
    return html`<mp-views .app=${this.app}></mp-views>`;
  }

  #state(title: string, what: string, next: string): TemplateResult {
    return html`<section class="state" role="alert">
      <h2>${title}</h2>
      <p>${what}</p>
      <p class="muted">${next}</p>
    </section>`;
  }
}
