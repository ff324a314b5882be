/** The findings, causes before their symptoms, the largest saving first, with links to their proofs. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { App } from "../app";
import { base, panel, toldFindings } from "../chrome/styles";
import { ranksText, share } from "../format";
import "../save/button";
import { Watch } from "../watch";
import { OVERVIEW_TABLES } from "./tables";
import { showCalls, showFinding } from "./prove";
import { type Listed, type Root, arranged, worth } from "./worth";

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
        grid-template-columns: 92px minmax(0, 1fr);
        gap: 2px 12px;
      }
      li:last-child {
        border-bottom: 0;
      }
      .cost > * {
        display: block;
      }
      .cost b {
        font-size: 16px;
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
      details {
        margin-top: 6px;
      }
      details.moving {
        padding: 8px 12px;
      }
      details ol {
        margin-top: 6px;
        border-left: 2px solid var(--line);
      }
      summary {
        cursor: pointer;
        overflow-wrap: anywhere;
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
    const explanation = this.app.report?.explanation;
    if (!explanation) return nothing;
    const { roots, moving } = arranged(explanation.findings, explanation.scope.rank_time_ns);
    const shown = this.isAll ? roots : roots.slice(0, FIRST);
    return html`<section aria-label="Findings">
      <h2>Findings <span class="muted">${this.app.run?.predicted ? "of the predicted run; " : ""}gains and savings by replay; costs in rank time, which overlap</span>
        ${explanation.findings.length ? html`<mp-save .app=${this.app} view="findings" what=${OVERVIEW_TABLES.findings.title} .formats=${["csv"]}></mp-save>` : nothing}</h2>
      ${roots.length
        ? html`<ol>${shown.map((root) => this.#finding(root))}</ol>`
        : html`<p class="note">${moving.length ? "No single change saves 1 % of the rank time or more." : "Nothing costs more than 1 % of the rank time."}</p>`}
      ${roots.length > shown.length
        ? html`<div class="more"><button class="line" @click=${() => (this.isAll = true)}>${roots.length - shown.length} more</button></div>`
        : nothing}
      ${this.#more(moving, "moving", "Changing only one of these saves almost nothing (the time moves to the next call): ")}
    </section>`;
  }

  #finding({ finding, index, symptoms }: Root): TemplateResult {
    const { app } = this;
    const isReady = app.run?.state === "ready";
    const rankTime = app.report!.explanation!.scope.rank_time_ns;
    const { label, share: part, also } = worth(finding, rankTime);
    const who = finding.cause_ranks.length ? `caused by ${ranksText(finding.cause_ranks)}` : "";
    return html`<li data-index=${index}>
      <div class="cost number"><span class="muted">${label}</span><b>${part}</b>${also.map((line) => html`<span class="muted">${line}</span>`)}</div>
      <div>
        <h3>${finding.title}</h3>
        <p>${finding.text}</p>
        ${finding.advice ? html`<p class="advice"><span class="hidden-text">What to try: </span>${finding.advice}</p>` : nothing}
        ${finding.gain && finding.gain.low > 0 ? html`<p class="advice">Predicted for: ${finding.gain.how || finding.gain.change}.</p>` : nothing}
        ${finding.alternatives.map((way) => html`<p class="advice">Or: ${way.advice} Saves ${share(way.savable_ns / Math.max(1, rankTime))}.</p>`)}
        <div class="buttons">
          <button class="line" ?disabled=${!isReady} @click=${() => showFinding(app, index, finding)}>Show in the timeline</button>
          <button class="line" ?disabled=${!isReady} @click=${() => showCalls(app, index, finding)}>Show its calls</button>
          <span class="muted">${[who, finding.confidence === "high" ? "" : `${finding.confidence} confidence`].filter(Boolean).join("; ")}</span>
        </div>
        ${this.#more(
          symptoms.map((symptom) => ({ ...symptom, symptoms: [] })),
          "symptoms",
          "Causes: ",
        )}
      </div>
    </li>`;
  }

  /** Findings in one line that expands. */
  #more(findings: Root[], kind: string, head: string): TemplateResult | typeof nothing {
    if (!findings.length) return nothing;
    const name = ({ finding }: Listed): string => `${finding.id} ${share(finding.share)}`;
    return html`<details class=${kind}>
      <summary>${head}<span class="muted">${findings.map(name).join(", ")}</span></summary>
      <ol>${findings.map((finding) => this.#finding(finding))}</ol>
    </details>`;
  }
}
