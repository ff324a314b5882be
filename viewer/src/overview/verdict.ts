/** Where the rank time went, and the efficiencies with their factors. */

import { LitElement, type TemplateResult, css, html, nothing, svg } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { base, panel } from "../chrome/styles";
import { count, share, time } from "../format";
import { COMPUTE, classColour, css as cssColour } from "../palette";
import type { Report } from "../protocol/report";
import { Watch } from "../watch";

type Explanation = NonNullable<Report["explanation"]>;

@customElement("mp-verdict")
export class Verdict extends LitElement {
  static override styles = [
    base,
    panel,
    css`
      .body {
        padding: 10px 12px;
        display: grid;
        gap: 12px;
      }
      .first {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .bad b {
        color: var(--bad);
      }
      svg.bar {
        display: block;
        width: 100%;
        height: 22px;
        border-radius: 4px;
      }
      .key {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 18px;
        margin-top: 6px;
      }
      .key span {
        display: inline-flex;
        gap: 6px;
        align-items: center;
      }
      .tree {
        display: grid;
        grid-template-columns: max-content minmax(80px, 1fr) max-content minmax(0, 2fr);
        gap: 3px 12px;
        align-items: center;
      }
      .tree .in1 {
        padding-left: 16px;
      }
      .tree .in2 {
        padding-left: 32px;
      }
      .tree svg {
        width: 100%;
        height: 9px;
        border-radius: 3px;
        display: block;
      }
      .tree .number {
        text-align: right;
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
    const explanation = app.report?.explanation;
    if (!explanation)
      return app.reportError || app.run?.is_explained
        ? nothing
        : html`<section aria-label="Verdict"><h2>Verdict</h2><div class="body muted" role="status">The run is being analysed …</div></section>`;
    return html`<section aria-label="Verdict">
      <h2>Verdict <span class="muted">shares of ${time(explanation.scope.rank_time_ns)} of rank time</span></h2>
      <div class="body">${this.#first(explanation)} ${this.#time(explanation)} ${this.#efficiency(explanation)} ${this.#structure(explanation)}</div>
    </section>`;
  }

  /** Shown before all shares: ranks in a deadlock, and a machine that slowed the ranks down. */
  #first({ stuck, machine }: Explanation): TemplateResult | typeof nothing {
    const headline = machine?.headline;
    return html`${stuck ? html`<p class="first bad" role="alert"><b>${stuck.kind === "deadlock" ? "Deadlock" : "Stuck"}:</b> ${stuck.text} <span class="muted">${stuck.advice}</span></p>` : nothing}
    ${headline ? html`<p class="first"><b>Machine:</b> ${headline}</p>` : nothing}`;
  }

  #time({ time: t }: Explanation): TemplateResult {
    const { theme } = this.app;
    const whole = Math.max(1, t.computing_ns + t.waiting_ns + t.communicating_ns);
    const parts = [
      { name: "computing", ns: t.computing_ns, colour: theme === "light" ? "#b9c2cf" : cssColour(COMPUTE.dark + 0x202020) },
      { name: "waiting for other ranks", ns: t.waiting_ns, colour: cssColour(classColour("completion", theme)), isHatched: true },
      { name: "in MPI otherwise", ns: t.communicating_ns, colour: cssColour(classColour("send", theme)) },
    ];
    let at = 0;
    const hatch = svg`<pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="2" height="6" fill="#000" fill-opacity=".45"></rect></pattern>`;
    const shares = parts.map((p) => `${p.name} ${share(p.ns / whole)}`).join(", ");
    return html`<div>
      <svg class="bar" viewBox="0 0 1000 22" preserveAspectRatio="none" role="img" aria-label=${shares}>
        <defs>${hatch}</defs>
        ${parts.map((p) => {
          const x = at;
          const width = (p.ns / whole) * 1000;
          at += width;
          return svg`<rect x=${x} y="0" width=${width} height="22" fill=${p.colour}></rect>${p.isHatched ? svg`<rect x=${x} y="0" width=${width} height="22" fill="url(#hatch)"></rect>` : nothing}`;
        })}
      </svg>
      <div class="key">
        ${parts.map(
          (p) => html`<span
            ><svg width="11" height="11" aria-hidden="true"><rect width="11" height="11" rx="2" fill=${p.colour}></rect></svg>${p.name}
            <b class="number">${share(p.ns / whole)}</b> <span class="muted number">${time(p.ns)}</span></span
          >`,
        )}
      </div>
    </div>`;
  }

  #efficiency({ efficiency: e }: Explanation): TemplateResult | typeof nothing {
    if (!e) return nothing;
    const { theme } = this.app;
    const row = (level: number, name: string, value: number | null, meaning: string): TemplateResult | typeof nothing =>
      value === null
        ? nothing
        : html`<span class=${level ? `in${level}` : ""}>${name}</span>
            <svg viewBox="0 0 100 9" preserveAspectRatio="none" aria-hidden="true">
              <rect width="100" height="9" fill=${cssColour(COMPUTE[theme])}></rect>
              <rect width=${Math.max(0, Math.min(100, value * 100))} height="9" fill=${cssColour(classColour(value < 0.5 ? "barrier" : value < 0.8 ? "completion" : "receive", theme))}></rect>
            </svg>
            <b class="number">${share(value)}</b><span class="muted">${meaning}</span>`;
    return html`<div class="tree">
      ${row(0, "Parallel efficiency", e.parallel, "load balance × communication")}
      ${row(1, "Load balance", e.load_balance, "mean computing time ÷ longest")}
      ${row(1, "Communication", e.communication, "serialisation × transfer")}
      ${row(2, "Serialisation", e.serialisation, "loss by ranks that wait for each other")}
      ${row(2, "Transfer", e.transfer, "loss by time in MPI without waiting")}
    </div>`;
  }

  #structure(e: Explanation): TemplateResult | typeof nothing {
    const parts: string[] = [];
    if (e.iterations) parts.push(`${count(e.iterations.count)} iterations of ${time(e.iterations.period_ns)}`);
    if (e.phases.length > 1) parts.push(`${e.phases.length} phases`);
    if (e.grid) parts.push(e.grid.dims.length > 1 ? `${e.grid.dims.join(" × ")} grid` : `${e.grid.dims[0]} ranks in a line`);
    if (e.pattern) parts.push(`pattern ${e.pattern.replace(/_/g, " ")}`);
    if (e.critical_path) parts.push(`critical path ${time(e.critical_path.length_ns)} with ${count(e.critical_path.jumps)} jumps between ranks`);
    return parts.length ? html`<div><span class="muted">Structure:</span> ${parts.join(", ")}</div>` : nothing;
  }
}
