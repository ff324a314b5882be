/** The findings of `mpiscope check`, with links to the calls. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { App } from "../app";
import { base, panel, toldFindings } from "../chrome/styles";
import { count, counted } from "../format";
import type { CheckCall, CheckFinding } from "../protocol/report";
import { OVERVIEW_TABLES } from "../overview/tables";
import "../save/button";
import { Watch } from "../watch";
import { showCall } from "./show";
import { isSure, worstFirst } from "./sure";

const FIRST = 8;
const CALLS = 6;

@customElement("mp-checks")
export class Checks extends LitElement {
  static override styles = [
    base,
    panel,
    toldFindings,
    css`
      ol,
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      ol > li {
        padding: 10px 12px 12px;
        border-bottom: 1px solid var(--line);
      }
      ol > li:last-child {
        border-bottom: 0;
      }
      h3 b {
        color: var(--bad);
      }
      h3 b.possible {
        color: var(--warn);
      }
      ul {
        margin-top: 6px;
      }
      ul li {
        overflow-wrap: anywhere;
      }
      ul button {
        min-height: 24px;
        margin-right: 6px;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;
  @state() private isAll = false;

  constructor() {
    super();
    new Watch(this);
  }

  override render(): TemplateResult | typeof nothing {
    const checks = this.app.report?.checks;
    if (!checks) return nothing;
    const reported = checks.findings.filter((finding) => !finding.suppressed).sort(worstFirst);
    const shown = this.isAll ? reported : reported.slice(0, FIRST);
    return html`<section aria-label="Check">
      <h2>Check <span class="muted">${counted(checks.processes, "process", "processes")}</span>
        ${reported.length ? html`<mp-save .app=${this.app} view="checks" what=${OVERVIEW_TABLES.checks.title} .formats=${["csv"]}></mp-save>` : nothing}</h2>
      ${checks.events_lost ? html`<p class="note">${counted(checks.events_lost, "event was", "events were")} lost: findings that rely on the absence of an event are not certain.</p>` : nothing}
      ${checks.notes.map((note) => html`<p class="note">${note}</p>`)}
      ${reported.length ? html`<ol>${shown.map((finding) => this.#finding(finding))}</ol>` : html`<p class="note">The check found no problems.</p>`}
      ${reported.length > shown.length
        ? html`<div class="more"><button class="line" @click=${() => (this.isAll = true)}>${reported.length - shown.length} more</button></div>`
        : nothing}
    </section>`;
  }

  #finding(finding: CheckFinding): TemplateResult {
    const rest = finding.parties.length + finding.more - CALLS;
    return html`<li>
      <h3><b class=${isSure(finding) && finding.severity === "error" ? "" : "possible"}>${isSure(finding) ? "" : "possible "}${finding.severity}</b> ${finding.title}</h3>
      <p>${finding.text}</p>
      <p class="advice"><span class="hidden-text">What to do: </span>${finding.advice} <span class="muted">MPI-5.0 §${finding.section}</span></p>
      <ul>${finding.parties.slice(0, CALLS).map((call) => this.#call(call))}</ul>
      ${rest > 0 ? html`<p class="muted">and ${counted(rest, "more call")}</p>` : nothing}
      ${finding.count > 1 ? html`<p class="muted">occurs ${count(finding.count)} times</p>` : nothing}
    </li>`;
  }

  #call(call: CheckCall): TemplateResult {
    const { app } = this;
    const place = call.file ? `${call.file.split("/").pop()}${call.line ? `:${call.line}` : ""}` : "";
    const text = `rank ${call.rank}: ${call.function ?? "the process"}${call.role ? `, ${call.role}` : ""}`;
    return html`<li>
      ${call.at_ns === null
        ? nothing
        : html`<button class="line" ?disabled=${app.run?.state !== "ready"} aria-label="Show in the timeline: ${text}" @click=${() => void showCall(app, call)}>Show</button>`}${text}
      <span class="muted" title=${call.file ?? ""}>${place}</span>
    </li>`;
  }
}
