/** What was found, the most costly first, with the way to what proves it. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { App } from "../app";
import { base, panel, toldFindings } from "../chrome/styles";
import { rankList, share, time } from "../format";
import type { Finding } from "../protocol/report";
import { Watch } from "../watch";
import { showCalls, showProof } from "./prove";

const FIRST = 8;

@customElement("mp-findings")
export class Findings extends LitElement {
  static override styles = [
    base,
    panel,
    toldFindings,
    css`
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        padding: 10px 12px 12px;
        border-bottom: 1px solid var(--line);
        display: grid;
        grid-template-columns: 74px minmax(0, 1fr);
        gap: 2px 12px;
      }
      li:last-child {
        border-bottom: 0;
      }
      .cost b {
        font-size: 16px;
        display: block;
        line-height: 1.2;
      }
      .buttons {
        display: flex;
        flex-wrap: wrap;
        gap: 6px;
        margin-top: 7px;
        align-items: center;
      }
      .buttons button {
        min-height: 24px;
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
    const findings = this.app.report?.explanation?.findings;
    if (!findings) return nothing;
    const shown = this.isAll ? findings : findings.slice(0, FIRST);
    return html`<section aria-label="Findings">
      <h2>Findings <span class="muted">cost in rank time; costs overlap</span></h2>
      ${findings.length
        ? html`<ol>${shown.map((finding, i) => this.#finding(finding, i))}</ol>`
        : html`<p class="note">Nothing costs more than a hundredth of the rank time.</p>`}
      ${findings.length > shown.length
        ? html`<div class="more"><button class="line" @click=${() => (this.isAll = true)}>${findings.length - shown.length} more</button></div>`
        : nothing}
    </section>`;
  }

  #finding(finding: Finding, index: number): TemplateResult {
    const { app } = this;
    const isReady = app.run?.state === "ready";
    const who = finding.cause_ranks.length ? `caused by ${finding.cause_ranks.length === 1 ? "rank" : "ranks"} ${rankList(finding.cause_ranks)}` : "";
    return html`<li>
      <div class="cost number"><b>${share(finding.share)}</b><span class="muted">${time(finding.cost_ns)}</span></div>
      <div>
        <h3>${finding.title}</h3>
        <p>${finding.text}</p>
        ${finding.advice ? html`<p class="advice"><span class="hidden-text">What to try: </span>${finding.advice}</p>` : nothing}
        <div class="buttons">
          ${finding.proof.length
            ? html`<button class="line" ?disabled=${!isReady} @click=${() => showProof(app, index, finding.proof[0]!)}>
                Show in the timeline
              </button>`
            : nothing}
          <button class="line" ?disabled=${!isReady} @click=${() => showCalls(app, index, finding)}>Show its calls</button>
          <span class="muted">${[who, finding.confidence === "high" ? "" : `${finding.confidence} confidence`].filter(Boolean).join("; ")}</span>
        </div>
      </div>
    </li>`;
  }
}
