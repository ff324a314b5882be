/** The finding that is shown, and the steps through its proofs. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { showProof } from "../overview/prove";
import { Watch } from "../watch";
import { base } from "./styles";

@customElement("mp-proofs")
export class Proofs extends LitElement {
  static override styles = [
    base,
    css`
      .bar {
        display: flex;
        gap: 8px;
        align-items: center;
        padding: 3px 10px;
        background: var(--accent-soft);
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      b {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        flex: 1;
        font-weight: 600;
      }
      button.line {
        min-height: 24px;
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
    const { finding: index, selection } = app.store.state;
    const finding = index === null ? null : (app.report?.explanation?.findings[index] ?? null);
    if (!finding || index === null) return nothing;
    const at = finding.proof.findIndex((p) => selection !== null && app.rankOfWorld(p.rank) === selection.rank && p.row === selection.row);
    const show = (step: number): void => {
      const next = at < 0 ? 0 : (at + step + finding.proof.length) % finding.proof.length;
      showProof(app, index, finding.proof[next]!);
    };
    return html`<div class="bar" role="region" aria-label="Finding">
      <b title=${finding.title}>${finding.title}</b>
      ${finding.proof.length
        ? html`<span class="muted number">${at >= 0 ? `place ${at + 1} of ${finding.proof.length}` : `${finding.proof.length} places`}</span>
            <button class="line" @click=${() => show(-1)}>Previous place</button>
            <button class="line" @click=${() => show(1)}>Next place</button>`
        : nothing}
      <button class="line" @click=${() => app.store.set({ page: "overview" })}>All findings</button>
      <button class="line" aria-label="Close the finding" @click=${() => app.store.set({ finding: null })}>✕</button>
    </div>`;
  }
}
