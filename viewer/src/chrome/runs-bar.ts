/** With two runs: the run that the panes show, and the point at which both are aligned. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { time } from "../format";
import type { Align } from "../runs/align";
import { alignAtSelected } from "../runs/align-selected";
import { SIDE_NAMES } from "../runs/names";
import type { SideNumber } from "../runs/side";
import { Watch } from "../watch";
import { runTagStyles } from "./run-tag";
import { base } from "./styles";

/** Regions offered for alignment. */
const MOST_NAMES = 40;

@customElement("mp-runs-bar")
export class RunsBar extends LitElement {
  static override styles = [
    base,
    runTagStyles,
    css`
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 10px;
        align-items: center;
        padding: 3px 10px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      .set {
        display: inline-flex;
        border: 1px solid var(--line-strong);
        border-radius: 6px;
        overflow: hidden;
      }
      .set button {
        border-radius: 0;
        min-height: 24px;
        max-width: 300px;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .set button[aria-pressed="true"] {
        font-weight: 600;
      }
      .set button:focus-visible {
        outline-offset: -2px;
      }
      label {
        color: var(--muted);
        display: inline-flex;
        gap: 5px;
        align-items: center;
      }
      select,
      input {
        color: var(--text);
        min-height: 24px;
      }
      input {
        width: 80px;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;

  constructor() {
    super();
    new Watch(this);
  }

  /** `by`: the kind, and after a colon the name of the phase or region. */
  #align(by: string): void {
    const { store } = this.app.comparison;
    const [how, name] = [by.split(":", 1)[0]!, by.slice(by.indexOf(":") + 1)];
    if (how === "start" || how === "init") store.set({ align: { by: how } });
    else if (how === "iteration") this.#alignAtIteration(0);
    else if (how === "phase") this.#alignAtIteration(0, name);
    else if (how === "region") store.set({ align: { by: how, name } });
    else alignAtSelected(this.app);
  }

  /** Parts of iterations that both runs have, by name. */
  #phases(): string[] {
    return this.#inBoth((a) => a.run?.iterations?.phases?.map(({ name }) => name) ?? []);
  }

  #regions(): string[] {
    return this.#inBoth((a) => a.run?.regions.map(({ name }) => name) ?? []).slice(0, MOST_NAMES);
  }

  #inBoth(names: (app: App) => string[]): string[] {
    const [first, second] = this.app.comparison.apps.map(names);
    return [...new Set(first)].filter((name) => second?.includes(name));
  }

  /** Also makes the iteration visible, if only part of the runs is. */
  #alignAtIteration(number: number, phase: string | null = null): void {
    const { store, apps } = this.app.comparison;
    const { from, until } = store.state;
    const at = apps[0]!.run?.iterations?.from_ns[number];
    const isAway = at !== undefined && from !== null && until !== null && (at < from || at > until);
    const lead = isAway ? Math.round((until - from) / 10) : 0;
    const align: Align = phase === null ? { by: "iteration", number } : { by: "phase", number, name: phase };
    store.set({ align, ...(isAway ? { from: at - lead, until: at - lead + (until - from) } : {}) });
  }

  override render(): TemplateResult | typeof nothing {
    const { app } = this;
    const { comparison } = app;
    if (!comparison.isTwo) return nothing;
    const { align, page } = comparison.store.state;
    const hasIterations = comparison.apps.every((a) => a.run?.iterations);
    const most = Math.min(...comparison.apps.map((a) => a.run?.iterations?.from_ns.length ?? 1)) - 1;
    const now = "name" in align ? `${align.by}:${align.name}` : align.by;
    const option = (by: string, title: string, isEnabled = true): TemplateResult =>
      html`<option value=${by} ?selected=${now === by} ?disabled=${!isEnabled && now !== by}>${title}</option>`;
    const [phases, regions] = [this.#phases(), this.#regions()];
    const isNumbered = align.by === "iteration" || align.by === "phase";
    return html`<div class="bar" role="region" aria-label="Runs">
      <span class="muted">${page === "overview" ? "overview of" : "panes, legend and selected call of"}</span>
      <span class="set" role="group" aria-label="Run that the panes show">
        ${comparison.apps.map(
          (a) => html`<button aria-pressed=${a.side === comparison.about} @click=${() => comparison.show(a.side as SideNumber)}>
            <span class="run-word side${a.side}">${SIDE_NAMES[a.side]}</span> ${a.run?.name ?? (a.error ? "not available" : "…")}
          </button>`,
        )}
      </span>
      ${page === "views"
        ? html`<label
              >aligned at
              <select aria-label="Align both runs at" @change=${(e: Event) => this.#align((e.target as HTMLSelectElement).value)}>
                ${option("init", "the end of MPI_Init")} ${option("start", "the start of each run")} ${option("iteration", "an iteration", hasIterations)}
                ${option("at", "the selected calls", hasBoth(app))} ${phases.map((name) => option(`phase:${name}`, `the phase ${name}`))}
                ${regions.map((name) => option(`region:${name}`, `the start of region ${name}`))}
                ${"name" in align && !phases.includes(align.name) && !regions.includes(align.name) ? option(now, `${align.by} ${align.name}`) : nothing}
              </select></label
            >
            ${isNumbered
              ? html`<label
                  >${align.by === "phase" ? "of iteration" : "number"}
                  <input
                    type="number"
                    min="0"
                    max=${Math.max(0, most)}
                    aria-label="Aligned iteration"
                    .value=${String(align.number)}
                    @change=${(e: Event) => {
                      this.#alignAtIteration(Math.max(0, Math.floor(Number((e.target as HTMLInputElement).value) || 0)), align.by === "phase" ? align.name : null);
                    }}
                  /></label>`
              : nothing}
            ${comparison.isAligned ? nothing : html`<span role="status">The runs do not both have this point; they are aligned at the end of MPI_Init.</span>`}
            <span class="muted number" title="How far the second run is shifted in time to align it with the first">${this.#shift()}</span>`
        : nothing}
    </div>`;
  }

  #shift(): string {
    const shift = this.app.comparison.shift(1);
    return shift === 0 ? "" : `after is shifted by ${shift < 0 ? "+" : "−"}${time(Math.abs(shift))}`;
  }
}

function hasBoth(app: App): boolean {
  const { selection, other } = app.comparison.store.state;
  return selection !== null && other !== null;
}
