/** The report on one page: what happened, what it costs, why, and what to do. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { type App, lengthOf } from "../app";
import { failure } from "../chrome/failure";
import { base, cards } from "../chrome/styles";
import { swatch } from "../chrome/swatch";
import { hasMain } from "../commands/move";
import { bytes, count, counted, share, spread as spreadText, time } from "../format";
import type { Report, Spread } from "../protocol/report";
import type { FunctionInfo } from "../protocol/types";
import "../save/button";
import { Saving } from "../save/saver";
import { Watch } from "../watch";
import "../checks/checks";
import "../timeline/timeline";
import "./findings";
import "./first";
import { OVERVIEW_TABLES, endOf, oddRanks, surrounds } from "./tables";
import "./verdict";

@customElement("mp-overview")
export class Overview extends LitElement {
  static override styles = [
    base,
    cards,
    css`
      .page {
        grid-template-columns: minmax(0, 1.7fr) minmax(300px, 1fr);
      }
      .buttons {
        display: flex;
        gap: 6px;
      }
      .strip {
        height: 210px;
      }
      dl {
        margin: 0;
        padding: 8px 12px;
        display: grid;
        grid-template-columns: max-content 1fr;
        gap: 3px 14px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      table + .note {
        padding: 5px 12px 8px;
      }
      tr:last-child td {
        border-bottom: 0;
      }
      ul {
        margin: 0;
        padding: 8px 12px 10px 28px;
      }
      li {
        margin: 2px 0;
      }
      .stack {
        display: grid;
        gap: 14px;
        align-content: start;
      }
      /* An empty one takes no room. */
      .stack > :is(mp-checks, mp-verdict, mp-findings) {
        display: contents;
      }
      .bad {
        color: var(--bad);
      }
      @media (max-width: 1100px) {
        .page {
          grid-template-columns: minmax(0, 1fr);
          padding: 10px;
        }
      }
    `,
  ];
  @property({ attribute: false }) app!: App;

  constructor() {
    super();
    new Watch(this);
    new Saving(this, ...Object.entries(OVERVIEW_TABLES).map(([view, { table }]) => ({ view, host: this, get app() { return this.host.app; }, table: () => table(this.app) })));
  }

  override render(): TemplateResult {
    const { app } = this;
    const run = app.run;
    if (!run) return html``;
    const report = app.report;
    const isEmpty = run.calls === 0 && !run.files;
    const { isWhole, from } = app.store.state;
    return html`<div class="page">
      <mp-first class="wide" .app=${app}></mp-first>
      <section class="card wide" aria-label="The run at a glance">
        <h2>
          The run at a glance
          <span class="buttons">
            ${hasMain(app)
              ? html`<button
                  class="line"
                  aria-pressed=${from === null && isWhole}
                  title="With MPI_Init and MPI_Finalize"
                  @click=${() => app.store.set({ from: null, until: null, isWhole: !isWhole })}
                >
                  Whole run
                </button>`
              : nothing}
            <button class="line" @click=${() => app.store.set({ page: "views" })}>Open the timeline</button>
          </span>
        </h2>
        ${isEmpty || (app.rows === 0 && !run.files)
          ? html`<p class="note">No MPI call was recorded in this run. Run <code>mpiscope doctor PROGRAM</code> to see what would be recorded.</p>`
          : app.rows === 0
            ? html`<p class="note" role="status">Reading the rank files …</p>`
            : html`<div class="strip"><mp-timeline .app=${app} .isStill=${true}></mp-timeline></div>`}
      </section>
      <div class="stack">
        ${app.reportError ? html`<section class="card">${failure(app.reportError)}</section>` : nothing}
        <mp-checks .app=${app}></mp-checks>
        <mp-verdict .app=${app}></mp-verdict>
        <mp-findings .app=${app}></mp-findings>
      </div>
      <div class="stack">${this.#facts(report)} ${this.#calls()} ${this.#fates(report)} ${this.#notes(report)}</div>
    </div>`;
  }

  #facts(report: Report | null): TemplateResult {
    const run = this.app.run!;
    const o = report?.overview;
    const spread = (s: (Spread & { mean: number }) | null, text: (v: number) => string): TemplateResult =>
      s ? html`${text(s.mean)} <span class="muted">${spreadText(s, text)}</span>` : html`–`;
    return html`<section class="card" aria-label="The program">
      <h2>The program</h2>
      <dl>
        <dt>command</dt><dd class="mono">${run.command.join(" ") || "unknown"}</dd>
        <dt>MPI</dt><dd>${(run.mpi ?? "unknown").split(", package")[0]}</dd>
        <dt>ranks</dt><dd class="number">${count(run.ranks.count)} on ${run.hosts.length === 1 ? run.hosts[0] : counted(run.hosts.length, "host")}</dd>
        ${o?.start_unix_ns ? html`<dt>started</dt><dd class="number">${new Date(o.start_unix_ns / 1e6).toISOString().replace("T", " ").slice(0, 19)} UTC</dd>` : nothing}
        ${run.until_ns > run.from_ns
          ? html`<dt>length</dt><dd class="number">${time(lengthOf(this.app))} <span class="muted">(${time(run.until_ns - run.from_ns)} with MPI_Init and MPI_Finalize)</span></dd>`
          : nothing}
        ${o?.mpi_share ? html`<dt>in MPI</dt><dd class="number">${spread(o.mpi_share, share)}</dd>` : nothing}
        ${o?.max_rss_bytes ? html`<dt>memory</dt><dd class="number">${spread(o.max_rss_bytes, bytes)}</dd>` : nothing}
        <dt>calls</dt><dd class="number">${count(run.calls)}${o?.calls_failed ? html`, <span class="bad">${count(o.calls_failed)} failed</span>` : nothing}</dd>
      </dl>
    </section>`;
  }

  #calls(): TemplateResult {
    const { app } = this;
    const run = app.run!;
    const inside = run.functions.filter((f) => !surrounds(f));
    const total = inside.reduce((sum, f) => sum + f.time_ns, 0);
    const whole = app.report?.overview.rank_time_ns ?? 0;
    const byTime = (functions: typeof inside): typeof inside => [...functions].sort((a, b) => b.time_ns - a.time_ns);
    const shown = [...byTime(inside).slice(0, 10), ...byTime(run.functions.filter(surrounds))];
    const part = (f: FunctionInfo): string | TemplateResult => (surrounds(f) ? html`<span class="muted">outside</span>` : whole > 0 ? share(f.time_ns / whole) : "");
    if (!shown.length) return html``;
    return html`<section class="card" aria-label="Where the time in MPI goes">
      <h2>Where the time in MPI goes <span class="muted">${time(total)}${whole > 0 ? html` of ${time(whole)} of rank time` : " in all ranks"}</span>
        <mp-save .app=${app} view="functions" what=${OVERVIEW_TABLES.functions.title} .formats=${["csv"]}></mp-save></h2>
      <table>
        <thead>
          <tr><th scope="col">Function</th><th scope="col">Calls</th><th scope="col">Time</th><th scope="col">Share</th></tr>
        </thead>
        <tbody>
          ${shown.map(
            (f) => html`<tr>
              <td>${swatch(app, f.id)} ${f.name}</td>
              <td class="number">${count(f.calls)}</td>
              <td class="number">${time(f.time_ns)}</td>
              <td class="number">${part(f)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
      ${run.functions.length > shown.length ? html`<p class="note">and ${counted(run.functions.length - shown.length, "more function")}</p>` : nothing}
    </section>`;
  }

  /** Ranks that ended abnormally, and their last calls. */
  #fates(report: Report | null): TemplateResult | typeof nothing {
    const odd = oddRanks(report).slice(0, 32);
    if (!odd.length) return nothing;
    return html`<section class="card" aria-label="How ranks ended">
      <h2>How ranks ended <mp-save .app=${this.app} view="ends" what=${OVERVIEW_TABLES.ends.title} .formats=${["csv"]}></mp-save></h2>
      <table>
        <thead><tr><th scope="col">Rank</th><th scope="col">End</th><th scope="col">Last call</th></tr></thead>
        <tbody>
          ${odd.map(
            (rank) => html`<tr>
              <td class="number">${rank.rank}</td>
              <td>${endOf(rank)}</td>
              <td>${rank.in_flight.map((call) => html`<div>${call.call} <span class="muted">${call.site}</span></div>`)}</td>
            </tr>`,
          )}
        </tbody>
      </table>
    </section>`;
  }

  #notes(report: Report | null): TemplateResult | typeof nothing {
    const run = this.app.run!;
    // The top of the page shows how ranks ended, and lost or unreadable data.
    const notes = [...new Set([...(report?.diagnostics.map((d) => (d.file ? `${d.file}: ${d.text}` : d.text)) ?? []), ...(report?.explanation?.caveats ?? []), ...run.caveats])];
    if (run.is_writing) notes.unshift("The program was still running when this run was opened.");
    if (!notes.length) return nothing;
    return html`<section class="card" aria-label="Notes on this run">
      <h2>Notes on this run</h2>
      <ul>${notes.map((note) => html`<li>${note}</li>`)}</ul>
    </section>`;
  }
}
