/** Two runs in short: the differences, the findings that disappeared and appeared, and where the time changed. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import { type App, lengthOf } from "../app";
import { base, cards } from "../chrome/styles";
import { runTag, runTagStyles } from "../chrome/run-tag";
import { count, counted, factor, percent, points, share, time } from "../format";
import { showProof } from "../overview/prove";
import { Watch } from "../watch";
import "../timeline/timeline";
import "./differences";
import { signed } from "./differences";
import { type FindingChange, type Line, findingChanges, lines } from "./summary";

const TEXTS: Record<Line["unit"], (v: number) => string> = { ns: time, share, count };
const FATES = { gone: "gone", stayed: "still there", new: "new" } as const;

@customElement("mp-compare")
export class Compare extends LitElement {
  static override styles = [
    base,
    cards,
    runTagStyles,
    css`
      .page {
        grid-template-columns: minmax(340px, 1fr) minmax(0, 1.5fr);
      }
      .card > h2 {
        align-items: center;
      }
      .verdict {
        font-size: 15px;
        padding: 10px 14px;
        display: flex;
        gap: 8px 22px;
        flex-wrap: wrap;
        align-items: center;
      }
      .strip {
        height: 176px;
        border-top: 1px solid var(--line);
      }
      .name {
        padding: 3px 12px;
        display: flex;
        gap: 8px;
        align-items: center;
        border-top: 1px solid var(--line);
      }
      .name:first-of-type {
        border-top: 0;
      }
      .in1 {
        padding-left: 14px;
      }
      .in2 {
        padding-left: 28px;
      }
      tr:last-child td {
        border-bottom: 0;
      }
      .good {
        color: var(--good);
      }
      .bad {
        color: var(--bad);
      }
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
        max-height: 380px;
        overflow: auto;
      }
      li {
        padding: 8px 12px 9px;
        border-bottom: 1px solid var(--line);
        display: grid;
        grid-template-columns: 92px minmax(0, 1fr);
        gap: 2px 12px;
      }
      li:last-child {
        border-bottom: 0;
      }
      h3 {
        font-size: 13px;
      }
      .fate {
        font-weight: 600;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
        margin-top: 5px;
      }
      .buttons button,
      h2 button {
        min-height: 24px;
      }
      .table {
        height: 400px;
      }
      .error {
        padding: 10px 12px;
      }
      @media (max-width: 1000px) {
        .page {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];
  @property({ attribute: false }) app!: App;

  constructor() {
    super();
    new Watch(this);
  }

  override render(): TemplateResult {
    const { app } = this;
    const [first, second] = app.comparison.apps;
    if (!first || !second)
      return html`<p class="note">One run is open. Use <code>mpiscope view RUN OTHER</code> to show two runs and the differences between them.</p>`;
    const shown = [first, second].filter((a) => !problem(a));
    return html`<div class="page">
      ${this.#verdict(first, second)}
      <section class="card wide" aria-label="Both runs on one time scale">
        <h2>
          Both runs on one time scale
          <button class="line" @click=${() => app.store.set({ page: "views", left: "differences" })}>Open the timelines</button>
        </h2>
        ${[first, second].map(
          (a) => html`<div class="name">${runTag(a)} <span class="muted number">${facts(a)}</span></div>
            ${problem(a) ? html`<div class="error" role="alert"><b>This run cannot be shown.</b> ${problem(a)}</div>` : html`<div class="strip"><mp-timeline .app=${a} .isStill=${true}></mp-timeline></div>`}`,
        )}
      </section>
      ${this.#numbers(first, second)} ${this.#findings(first, second)}
      ${shown.length === 2
        ? html`<section class="card wide" aria-label="Where the time changed">
            <h2>Where the time changed <span class="muted">in MPI, sum of all ranks</span></h2>
            <div class="table"><mp-differences .app=${app}></mp-differences></div>
          </section>`
        : nothing}
    </div>`;
  }

  #verdict(first: App, second: App): TemplateResult | typeof nothing {
    const [a, b] = [first, second].map((app) => (app.run?.state === "ready" ? lengthOf(app) : null));
    if (!a || !b) return nothing;
    const ratio = b / a;
    const word = Math.abs(ratio - 1) < 0.01 ? "as long as" : ratio < 1 ? "shorter than" : "longer than";
    const other: string[] = [];
    if (first.run?.ranks.count !== second.run?.ranks.count) other.push(`${count(first.run?.ranks.count ?? 0)} ranks before, ${count(second.run?.ranks.count ?? 0)} after: sums over all ranks are not comparable`);
    if (first.run?.mpi && second.run?.mpi && first.run.mpi.split(",")[0] !== second.run.mpi.split(",")[0]) other.push(`${first.run.mpi.split(",")[0]} before, ${second.run.mpi.split(",")[0]} after`);
    if (first.run?.command.join(" ") !== second.run?.command.join(" ")) other.push("the commands differ");
    for (const [name, app] of [["before", first], ["after", second]] as const) if (app.run?.predicted) other.push(`${name} is predicted, not recorded`);
    if (first.run?.is_writing || second.run?.is_writing) other.push("a program was still running when its run was opened");
    return html`<section class="card wide verdict" aria-label="Summary">
      <span
        ><b class=${ratio < 0.99 ? "good" : ratio > 1.01 ? "bad" : ""}>${word === "as long as" ? "After is as long as before" : `After is ${share(Math.abs(1 - ratio))} ${word} before`}</b>:
        <span class="number">${time(a)} → ${time(b)}</span>${word === "as long as" ? "" : html` <span class="muted number">(${factor(ratio)})</span>`}</span
      >
      ${other.map((text) => html`<span class="muted">${text}</span>`)}
    </section>`;
  }

  #numbers(first: App, second: App): TemplateResult {
    const shown = lines(first.report, second.report);
    const change = (l: Line): TemplateResult | string => {
      if (l.before === null || l.after === null) return "–";
      const difference = l.after - l.before;
      const isLarge = Math.abs(difference) > (l.unit === "share" ? 0.005 : Math.abs(l.before) / 200);
      const tone = !isLarge || l.isMoreBetter === null ? "" : difference > 0 === l.isMoreBetter ? "good" : "bad";
      const text = l.unit === "share" ? signed(Math.round(difference * 1000) / 1000, points) : signed(difference, TEXTS[l.unit]);
      return html`<span class=${tone}>${text}</span>`;
    };
    return html`<section class="card" aria-label="Time and efficiencies">
      <h2>Time and efficiencies</h2>
      ${shown.length
        ? html`<table>
            <thead>
              <tr><th scope="col">Number</th><th scope="col">Before</th><th scope="col">After</th><th scope="col">Change</th></tr>
            </thead>
            <tbody>
              ${shown.map(
                (l) => html`<tr>
                  <td><span class=${l.level ? `in${l.level}` : ""}>${l.title}</span></td>
                  <td class="number">${l.before === null ? "–" : TEXTS[l.unit](l.before)}</td>
                  <td class="number">${l.after === null ? "–" : TEXTS[l.unit](l.after)}</td>
                  <td class="number">${change(l)}</td>
                </tr>`,
              )}
            </tbody>
          </table>`
        : html`<p class="note" role="status">Loading the runs …</p>`}
      <p class="note">There is one run per side. To separate changes from noise, compare repeated runs with <code>mpiscope diff</code>.</p>
    </section>`;
  }

  #findings(first: App, second: App): TemplateResult {
    const isKnown = !!first.report?.explanation && !!second.report?.explanation;
    const changes = findingChanges(first.report, second.report);
    return html`<section class="card" aria-label="Findings of both runs">
      <h2>Changed findings <span class="muted">by change of cost in rank time</span></h2>
      ${!isKnown
        ? html`<p class="note" role="status">${first.run?.is_explained && second.run?.is_explained ? "The findings of one of the runs cannot be read." : "The runs are being analysed …"}</p>`
        : changes.length
          ? html`<ol tabindex="0" aria-label="Findings of both runs">${changes.map((change) => this.#finding(change, first, second))}</ol>`
          : html`<p class="note">In neither run does anything cost more than 1 % of the rank time.</p>`}
    </section>`;
  }

  #finding(change: FindingChange, first: App, second: App): TemplateResult {
    const { before, after, fate } = change;
    const shown = (after ?? before)!.finding;
    const cost = (side: FindingChange["before"]): string => (side ? `${time(side.finding.cost_ns)} (${share(side.finding.share)})` : "nothing");
    const proof = (app: App, side: FindingChange["before"], name: string): TemplateResult | typeof nothing =>
      side?.finding.proof.length && app.run?.state === "ready"
        ? html`<button class="line" @click=${() => showProof(app, side.index, side.finding.proof[0]!)}>Show it ${name}</button>`
        : nothing;
    return html`<li>
      <div>
        <span class="fate ${fate === "gone" ? "good" : fate === "new" ? "bad" : ""}">${FATES[fate]}</span>
        <div class="number muted">${signed(change.difference_ns, time)}</div>
      </div>
      <div>
        <h3>${shown.title}</h3>
        <div class="number">${cost(before)} → ${cost(after)}</div>
        ${fate !== "gone" && shown.advice ? html`<div class="muted">${shown.advice}</div>` : nothing}
        <div class="buttons">${proof(first, before, "before")} ${proof(second, after, "after")}</div>
      </div>
    </li>`;
  }
}

/** Why a run cannot be shown; null where it can. */
export function problem(app: App): string | null {
  if (app.error) return `${app.error.message}. ${app.error.next}`;
  if (app.run?.state === "failed") return `${app.run.failure?.what ?? "Reading the run failed"}. ${app.run.failure?.next ?? ""}`;
  if (app.run && app.run.state === "ready" && app.run.calls === 0 && !app.run.files) return "The run has no MPI call.";
  return null;
}

function facts(app: App): string {
  const { run } = app;
  if (!run) return "opening …";
  const building = run.state === "building" ? `loading, ${percent(run.done)}` : null;
  return [run.command.slice(0, 12).join(" "), counted(run.ranks.count, "rank"), counted(run.calls, "call"), time(lengthOf(app)), building].filter(Boolean).join(" · ");
}
