/** The first lines of the overview: the verdict in one sentence, and abnormal ends, damage and loss, with links to the timeline. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { base, panel } from "../chrome/styles";
import { Watch } from "../watch";
import { showMoment } from "./prove";
import { mishaps, sentence } from "./sentence";

/** The cards below list the others. */
const MOST = 4;

@customElement("mp-first")
export class First extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      section {
        border-left: 5px solid var(--line-strong);
        padding: 9px 12px;
        display: grid;
        gap: 5px;
      }
      section.bad {
        border-left-color: var(--bad);
      }
      section.warn {
        border-left-color: var(--warn);
      }
      section.good {
        border-left-color: var(--good);
      }
      p {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .sentence {
        font-size: 16px;
        font-weight: 600;
        line-height: 1.35;
      }
      .mishap {
        display: flex;
        gap: 8px;
        align-items: baseline;
      }
      .mishap b {
        font-weight: 600;
      }
      .mishap.bad b {
        color: var(--bad);
      }
      .mishap.warn b {
        color: var(--warn);
      }
      .mishap button {
        min-height: 24px;
        flex: none;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;

  constructor() {
    super();
    new Watch(this);
  }

  override render(): TemplateResult | typeof nothing {
    const { app } = this;
    const { run, report } = app;
    if (!run) return nothing;
    const first = sentence(report);
    const known = mishaps(run, report, (rank) => app.rankOfWorld(rank));
    // The line does not repeat the sentence, but it still links to the place.
    const shown = known.slice(0, MOST);
    if (!first && !shown.length) return nothing;
    return html`<section class=${first?.weight ?? "warn"} aria-label="Summary">
      ${first ? html`<p class="sentence" role=${first.weight === "bad" ? "alert" : nothing}>${first.text}</p>` : nothing}
      ${shown.map(
        (mishap) => html`<p class="mishap ${mishap.weight}">
          ${mishap.at
            ? html`<button class="line" ?disabled=${run.state !== "ready"} aria-label="Show in the timeline: ${mishap.text}" @click=${() => showMoment(app, mishap.at!)}>Show</button>`
            : nothing}
          <span>${mishap.text === first?.text ? html`<span class="muted">Its last recorded moment is marked ✕ in the timeline.</span>` : html`<b>${mishap.text}</b>`}</span>
        </p>`,
      )}
      ${known.length > shown.length ? html`<p class="muted">and ${known.length - shown.length} more; see the card “How ranks ended”</p>` : nothing}
    </section>`;
  }
}
