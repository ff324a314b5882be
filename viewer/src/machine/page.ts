/** The page of one machine profile, or of two over each other. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement } from "lit/decorators.js";
import { base } from "../chrome/styles";
import { failure } from "../chrome/failure";
import { counted, time } from "../format";
import { Follow, MachineDesk } from "./desk";
import { byPartners, byRanks } from "./footprint";
import "./memory";
import "./pairs";
import { hasPairs } from "./pairs-numbers";
import "./parameters";
import type { Machine, Parameter } from "./profile";
import "./staircase";
import { lanesOf } from "./staircase-lanes";
import "./steps";
import { barsOf } from "./steps-bars";
import "./times";
import { utc } from "./values";

/** A longer list of advice is folded, so that the curves are visible. */
const MOST_OPEN = 4;

/** A pane of the page. */
interface Part {
  id: string;
  /** Its button in the header; empty where the one before it is beside it. */
  tab: string;
  shown: TemplateResult;
  look: string;
}

@customElement("mp-machine")
export class MachinePage extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template-rows: 44px auto minmax(0, 1fr) 22px;
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
        flex: 1;
        white-space: nowrap;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      nav {
        display: flex;
        gap: 2px;
      }
      .unread {
        padding: 4px 12px;
        background: var(--panel);
        border-bottom: 2px solid var(--bad);
        overflow-wrap: anywhere;
      }
      main {
        overflow: auto;
        display: grid;
        grid-template-columns: repeat(2, minmax(0, 1fr));
        gap: 12px;
        padding: 12px;
        align-content: start;
        grid-auto-rows: max-content;
      }
      main > * {
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 8px;
        overflow: hidden;
        scroll-margin: 12px;
      }
      .wide {
        grid-column: 1 / -1;
      }
      .plot {
        height: 400px;
      }
      .times {
        height: 460px;
      }
      .facts,
      .problems,
      .advice {
        padding: 8px 12px 10px;
      }
      h2,
      summary {
        font-size: 13px;
        font-weight: 600;
      }
      summary {
        cursor: pointer;
        min-height: 24px;
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 2px 12px;
        margin: 4px 0 0;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      .problems {
        border-left: 4px solid var(--warn);
      }
      .advice {
        border-left: 4px solid var(--good);
      }
      .problems ul,
      .advice ul {
        margin: 4px 0 0;
        padding-left: 18px;
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
      @media (max-width: 1200px) {
        main {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];
  readonly app = new MachineDesk();

  constructor() {
    super();
    new Follow(this);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    // Removes the content that the page had before any script ran.
    this.replaceChildren();
    void this.app.load(document).then(() => {
      if (this.app.machines.length) document.title = `${this.app.machines.map((machine) => machine.name).join(" and ")} – mpiscope`;
    });
  }

  #go(id: string): void {
    const to = this.renderRoot.querySelector<HTMLElement>(`#${id}`);
    to?.scrollIntoView();
    to?.focus();
  }

  override render(): TemplateResult {
    const { app } = this;
    const { machines } = app;
    const parts = machines.length ? this.#parts() : [];
    return html`<header>
        <h1>${machines.length ? machines.map((machine) => machine.name).join(" and ") : "mpiscope"}</h1>
        <nav aria-label="Parts of the page">${parts.filter(({ tab }) => tab).map(({ id, tab }) => html`<button @click=${() => this.#go(id)}>${tab}</button>`)}</nav>
        <button class="line" @click=${() => app.desk.set({ theme: app.theme === "dark" ? "light" : "dark" })}>${app.theme === "dark" ? "Light" : "Dark"}</button>
      </header>
      ${app.unread.length ? html`<div class="unread" role="alert">The address of this page has invalid parts, which are ignored: <b class="mono">${app.unread.join(", ")}</b></div>` : html`<div></div>`}
      <main tabindex="0" aria-label="Machine profile">
        ${app.error ? html`<div class="wide">${failure(app.error)}</div>` : !machines.length ? html`<p class="note wide" role="status">Opening the profile …</p>` : this.#content(parts)}
      </main>
      <footer>
        <span role="status" aria-live="polite">${app.desk.message}</span>
        <span>${app.isExported ? "exported by mpiscope" : "mpiscope"}</span>
      </footer>`;
  }

  /** The panes for which the profiles have numbers. */
  #parts(): Part[] {
    const { app } = this;
    const { machines } = app;
    const has = (experiment: string): boolean => machines.some(({ profile }) => profile.curves.some((curve) => curve.experiment === experiment));
    const hasByRanks = byRanks(machines) !== null;
    const all = [
      { id: "times", tab: "Curves", is: machines.some(({ profile }) => profile.curves.length), look: "times wide", shown: html`<mp-machine-times .app=${app}></mp-machine-times>` },
      { id: "pairs", tab: "Pairs", is: hasPairs(machines), look: "plot", shown: html`<mp-machine-pairs .app=${app}></mp-machine-pairs>` },
      { id: "steps", tab: "Steps", is: barsOf(machines).length > 0, look: "plot", shown: html`<mp-machine-steps .app=${app}></mp-machine-steps>` },
      { id: "staircase", tab: "", is: lanesOf(machines).length > 0, look: "plot", shown: html`<mp-machine-staircase .app=${app}></mp-machine-staircase>` },
      { id: "bandwidth", tab: "Memory", is: has("memory"), look: "plot", shown: html`<mp-machine-bandwidth .app=${app}></mp-machine-bandwidth>` },
      { id: "latency", tab: "", is: has("memory"), look: "plot", shown: html`<mp-machine-latency .app=${app}></mp-machine-latency>` },
      { id: "roofline", tab: "Roofline", is: has("memory"), look: "plot", shown: html`<mp-machine-roofline .app=${app}></mp-machine-roofline>` },
      { id: "by-ranks", tab: "Process memory", is: hasByRanks, look: "plot", shown: html`<mp-machine-by-ranks .app=${app}></mp-machine-by-ranks>` },
      { id: "by-partners", tab: hasByRanks ? "" : "Process memory", is: byPartners(machines) !== null, look: "plot", shown: html`<mp-machine-by-partners .app=${app}></mp-machine-by-partners>` },
      { id: "parameters", tab: "Parameters", is: true, look: "plot wide", shown: html`<mp-machine-parameters .app=${app}></mp-machine-parameters>` },
    ];
    return all.filter((part) => part.is);
  }

  #content(parts: readonly Part[]): TemplateResult {
    const { machines } = this.app;
    return html`${machines.map((machine) => problems(machine))} ${machines.map((machine) => facts(machine, machines.length > 1))}
      ${machines.map((machine) => advice(machine, machines.length > 1))}
      ${parts.map(({ id, look, shown }) => html`<div id=${id} class=${look} tabindex="-1">${shown}</div>`)}`;
  }
}

/** What spoils numbers, before anything else. */
function problems({ name, profile }: Machine): TemplateResult | typeof nothing {
  const found = [...(profile.complete ? [] : ["the job ended early: the profile is incomplete"]), ...profile.problems];
  if (!found.length) return nothing;
  return html`<section class="problems wide" aria-label="Consider, ${name}">
    <h2>Consider: ${name}</h2>
    <ul>
      ${found.map((text) => html`<li>${text}</li>`)}
    </ul>
  </section>`;
}

/** What to use instead, as in the report. */
function advice({ name, profile }: Machine, isOfTwo: boolean): TemplateResult | typeof nothing {
  const found = profile.parameters.filter((parameter) => parameter.advice !== null);
  if (!found.length) return nothing;
  const interval = ({ low, high }: Parameter): string => (low === null || high === null ? "" : ` (${low.toFixed(1)} to ${high.toFixed(1)})`);
  return html`<section class="advice wide" aria-label="Use instead, ${name}">
    <details ?open=${found.length <= MOST_OPEN}>
      <summary>Use instead${isOfTwo ? `: ${name}` : ""} (${found.length})</summary>
      <ul>
        ${found.map((parameter) => html`<li>${parameter.advice}${interval(parameter)}${parameter.disturbed ? " *" : ""}</li>`)}
      </ul>
    </details>
  </section>`;
}

function facts({ name, profile }: Machine, isOfTwo: boolean): TemplateResult {
  const { mpi, settings } = profile;
  const item = (title: string, text: string): TemplateResult => html`<dt>${title}</dt><dd>${text}</dd>`;
  const hosts = profile.hosts.map((host) => `${host.host}: ${host.processor ?? "unknown processor"}, ${counted(host.cores, "core")}, ${counted(host.ranks, "rank")}`);
  const variables = Object.entries(settings.variables).map(([key, value]) => `${key}=${value}`);
  return html`<section class="facts ${isOfTwo ? "" : "wide"}" aria-label="Machine of ${name}">
    <h2>${name}</h2>
    <dl>
      ${item(hosts.length === 1 ? "Host" : "Hosts", hosts.join("; "))} ${item("MPI", `${mpi.version}, ${counted(mpi.ranks, "rank")}${settings.with_threads ? ", MPI_THREAD_MULTIPLE" : ""}`)}
      ${item("Measured", `${utc(profile.started_s)}, in ${time((profile.ended_s - profile.started_s) * 1e9)}: ${settings.experiments.join(", ")}`)}
      ${variables.length ? item("Environment", variables.join(" ")) : nothing}
    </dl>
  </section>`;
}
