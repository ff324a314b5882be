/** Timeline at the top, two panes below, legend and inspector on the right. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { keyed } from "lit/directives/keyed.js";
import { html as staticHtml, unsafeStatic } from "lit/static-html.js";
import type { App } from "../app";
import { problem } from "../compare/compare";
import { keep, kept } from "../kept";
import { PANES, type PaneRecord, isAbsent, paneOf } from "../panes/registry";
import "../inspector/area";
import "../inspector/inspector";
import "../legend/legend";
import { SIDE_NAMES } from "../runs/names";
import "../timeline/timeline";
import { Watch } from "../watch";
import "./proofs";
import { runTag, runTagStyles, runWord } from "./run-tag";
import { base } from "./styles";
import "./toolbar";

// Everything is in one script: this only defines the elements.
for (const { load } of PANES) void load();

const SPLIT_KEY = "mpiscope.split";
const LEAST = 0.2;
const MOST = 0.85;

type Side = "left" | "right";
type Tab = "call" | "area";

/** Scrolls a tab's row, and nothing around it, until the tab is in sight. */
function inSight(tab: HTMLElement): void {
  const row = tab.parentElement!;
  const [from, until] = [tab.offsetLeft - row.offsetLeft, tab.offsetLeft - row.offsetLeft + tab.offsetWidth];
  if (from < row.scrollLeft) row.scrollLeft = from;
  else if (until > row.scrollLeft + row.clientWidth) row.scrollLeft = until - row.clientWidth;
}

@customElement("mp-views")
export class Views extends LitElement {
  static override styles = [
    base,
    runTagStyles,
    css`
      :host {
        height: 100%;
        min-height: 0;
        display: grid;
        grid-template-rows: auto auto minmax(0, 1fr);
      }
      .area {
        display: grid;
        grid-template-columns: minmax(0, 1fr) 336px;
        min-height: 0;
      }
      .main {
        display: grid;
        grid-template-rows: minmax(0, var(--split, 55%)) 7px minmax(0, 1fr);
        min-height: 0;
        min-width: 0;
      }
      .timelines {
        display: grid;
        grid-auto-rows: minmax(0, 1fr);
        min-height: 0;
      }
      .run {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
        min-width: 0;
        position: relative;
      }
      .run + .run {
        border-top: 2px solid var(--line-strong);
      }
      .run > button {
        position: absolute;
        top: 2px;
        right: 12px;
        z-index: 2;
        min-height: 24px;
        max-width: 45%;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        background: var(--panel);
        border-color: var(--line-strong);
        font-size: 12px;
        padding: 0 8px 0 2px;
      }
      .run > button[aria-pressed="true"] {
        background: var(--accent-soft);
        border-color: var(--accent);
      }
      .run mp-timeline {
        grid-row: 2;
      }
      .divider {
        background: var(--raised);
        border-block: 1px solid var(--line);
        cursor: row-resize;
        touch-action: none;
      }
      .divider:hover,
      .divider:focus-visible {
        background: var(--accent);
      }
      .panes {
        display: grid;
        grid-template-columns: minmax(0, 1fr) minmax(0, 1fr);
        min-height: 0;
        background: var(--line);
        gap: 1px;
      }
      .panes.compared {
        grid-template-columns: minmax(0, 1.5fr) minmax(0, 1fr);
      }
      .pane,
      .box {
        display: flex;
        flex-direction: column;
        min-height: 0;
        min-width: 0;
        background: var(--panel);
      }
      .pane > div.content,
      .box > div.content {
        flex: 1;
        min-height: 0;
        overflow: hidden;
      }
      .tabs {
        display: flex;
        background: var(--raised);
        border-bottom: 1px solid var(--line);
        padding: 0 4px;
        align-items: center;
        min-height: 30px;
      }
      .tabs [role="tab"] {
        border-radius: 0;
        border: 0;
        border-bottom: 2px solid transparent;
        min-height: 29px;
        padding: 2px 9px;
        background: none;
        color: var(--muted);
      }
      .tabs [role="tab"][aria-selected="true"] {
        border-bottom-color: var(--accent);
        color: var(--text);
        font-weight: 600;
      }
      .pane .tabs {
        padding-left: 0;
      }
      /* One row; where it is too narrow for all tabs, they scroll, and a shadow shows on which side there are more. */
      .pane .tabs [role="tablist"] {
        display: flex;
        min-width: 0;
        overflow-x: auto;
        scrollbar-width: none;
        background:
          linear-gradient(to right, var(--raised) 40%, transparent) left / 28px 100% no-repeat local,
          linear-gradient(to left, var(--raised) 40%, transparent) right / 28px 100% no-repeat local,
          linear-gradient(to right, color-mix(in srgb, var(--text) 22%, transparent), transparent) left / 9px 100% no-repeat,
          linear-gradient(to left, color-mix(in srgb, var(--text) 22%, transparent), transparent) right / 9px 100% no-repeat;
      }
      .pane .tabs [role="tab"] {
        flex: none;
        padding: 2px 5px;
        font-size: 12px;
      }
      .pane .tabs [role="tab"]:focus-visible {
        outline-offset: -2px;
      }
      .pane .tabs > :not([role="tablist"]) {
        flex-shrink: 0;
        white-space: nowrap;
      }
      .tabs .space {
        flex: 1;
      }
      .tabs select {
        min-height: 24px;
        padding: 0 4px;
        font-size: 12px;
      }
      .side {
        border-left: 1px solid var(--line);
        display: grid;
        grid-template-rows: minmax(0, 1fr) minmax(0, 1.15fr);
        min-height: 0;
        background: var(--line);
        gap: 1px;
      }
      .title {
        font-size: 13px;
        padding: 0 9px;
      }
      @media (max-width: 1180px) {
        .area {
          grid-template-columns: minmax(0, 1fr) 272px;
        }
        .tabs [role="tab"] {
          padding: 2px 6px;
        }
      }
      @media (max-width: 1080px) {
        .panes {
          grid-template-columns: minmax(0, 1fr);
        }
        .panes .pane.right {
          display: none;
        }
      }
    `,
  ];
  @property({ attribute: false }) app!: App;
  @state() private split = Number(kept(SPLIT_KEY)) || 0.55;
  @state() private tab: Tab = "call";
  #area = "";
  #call = "";

  constructor() {
    super();
    new Watch(this, () => this.#follow());
  }

  /** The side panel shows the latest selection. */
  #follow(): void {
    const { area, selection } = this.app.store.state;
    const areaKey = JSON.stringify(area);
    const callKey = JSON.stringify(selection);
    if (areaKey !== this.#area && area) this.tab = "area";
    else if (callKey !== this.#call && selection) this.tab = "call";
    this.#area = areaKey;
    this.#call = callKey;
  }

  #setSplit(value: number): void {
    this.split = Math.max(LEAST, Math.min(MOST, value));
    keep(SPLIT_KEY, String(this.split));
  }

  #drag(event: PointerEvent): void {
    if (!event.buttons) return;
    const box = this.renderRoot.querySelector(".main")!.getBoundingClientRect();
    this.#setSplit((event.clientY - box.top) / box.height);
  }

  #dividerKey(event: KeyboardEvent): void {
    if (event.key === "ArrowUp") this.#setSplit(this.split - 0.04);
    else if (event.key === "ArrowDown") this.#setSplit(this.split + 0.04);
    else return;
    event.preventDefault();
  }

  override updated(): void {
    for (const tab of this.renderRoot.querySelectorAll<HTMLElement>('.pane [role="tab"][aria-selected="true"]')) inSight(tab);
    this.renderRoot.querySelector<HTMLElement>(".main")?.style.setProperty("--split", `${(this.split * 100).toFixed(1)}%`);
  }

  override render(): TemplateResult {
    const { app } = this;
    return html`<mp-toolbar .app=${app}></mp-toolbar>
      <mp-proofs .app=${app}></mp-proofs>
      <div class="area">
        <div class="main">
          ${this.#timelines()}
          <div
            class="divider"
            role="separator"
            tabindex="0"
            aria-orientation="horizontal"
            aria-label="Height of the timeline"
            aria-valuenow=${Math.round(this.split * 100)}
            aria-valuemin=${LEAST * 100}
            aria-valuemax=${MOST * 100}
            @pointerdown=${(e: PointerEvent) => (e.currentTarget as HTMLElement).setPointerCapture(e.pointerId)}
            @pointermove=${(e: PointerEvent) => this.#drag(e)}
            @keydown=${(e: KeyboardEvent) => this.#dividerKey(e)}
          ></div>
          <div class="panes ${app.comparison.isTwo && app.store.state.left === "differences" ? "compared" : ""}">${this.#pane("left")} ${this.#pane("right")}</div>
        </div>
        <aside class="side" aria-label="Legend and selection">
          <section class="box" aria-label="Legend">
            <div class="tabs"><h2 class="title">Legend ${runWord(app)}</h2></div>
            <div class="content">${keyed(app.side, html`<mp-legend .app=${app}></mp-legend>`)}</div>
          </section>
          <section class="box" aria-label="Selection">
            ${this.#tabs(
              "Selection",
              [
                ["call", "Selected call"],
                ["area", "Selected area"],
              ],
              this.tab,
              (tab) => (this.tab = tab),
              runWord(app),
            )}
            <div class="content" role="tabpanel" aria-label=${this.tab === "call" ? "Selected call" : "Selected area"}>
              ${keyed(app.side, this.tab === "call" ? html`<mp-inspector .app=${app}></mp-inspector>` : html`<mp-area .app=${app}></mp-area>`)}
            </div>
          </section>
        </aside>
      </div>`;
  }

  /** One run, or two above each other on one time scale. */
  #timelines(): TemplateResult {
    const { app } = this;
    const { comparison } = app;
    if (!comparison.isTwo) return html`<mp-timeline .app=${app}></mp-timeline>`;
    return html`<div class="timelines">
      ${comparison.apps.map((a) => {
        const why = problem(a);
        return html`<section class="run" aria-label="${SIDE_NAMES[a.side]}: ${a.run?.name ?? ""}">
          <button aria-pressed=${a.side === comparison.about} title="Show this run in the panes (J)" @click=${() => comparison.show(a.side)}>${runTag(a)}</button>
          ${why ? html`<div class="error" role="alert"><b>This run cannot be shown.</b> ${why}</div>` : html`<mp-timeline .app=${a}></mp-timeline>`}
        </section>`;
      })}
    </div>`;
  }

  /** Tabs as in the ARIA practices: one is in the tab order, arrow keys move between them. */
  #tabs<T extends string>(label: string, tabs: readonly (readonly [id: T, text: string, title?: string])[], chosen: T, choose: (tab: T) => void, more: TemplateResult | string | typeof nothing = ""): TemplateResult {
    const key = (event: KeyboardEvent): void => {
      const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (!step) return;
      event.preventDefault();
      const at = tabs.findIndex(([id]) => id === chosen);
      const next = (at + step + tabs.length) % tabs.length;
      choose(tabs[next]![0]);
      (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
    };
    return html`<div class="tabs">
      <div role="tablist" aria-label=${label} @keydown=${key}>
        ${tabs.map(
          ([id, text, title = text]) =>
            html`<button role="tab" aria-label=${title} title=${title === text ? nothing : title} aria-selected=${id === chosen} tabindex=${id === chosen ? 0 : -1} @click=${() => choose(id)}>
              ${text}
            </button>`,
        )}
      </div>
      ${more}
    </div>`;
  }

  #pane(side: Side): TemplateResult {
    const { app } = this;
    const shown = paneOf(app.store.state[side]);
    const { isTwo } = app.comparison;
    const word = shown.ofBoth ? nothing : runWord(app);
    const scope =
      side === "left"
        ? html`<span class="space"></span>${word}
            ${app.store.state.area
              ? html`<span class="muted">selected area</span>`
              : html`<select aria-label="Time range of the panes" @change=${(e: Event) => app.store.set({ scope: (e.target as HTMLSelectElement).value as "window" | "run" })}>
                  <option value="window" ?selected=${app.store.state.scope === "window"}>visible time</option>
                  <option value="run" ?selected=${app.store.state.scope === "run"}>whole run</option>
                </select>`}`
        : html`<span class="space"></span>${word}`;
    return html`<section class="pane ${side}" aria-label="${side === "left" ? "Left" : "Right"} pane">
      ${this.#tabs(
        `${side === "left" ? "Left" : "Right"} pane`,
        // A link can name a pane that this page does not have; its tab then shows why.
        PANES.filter((pane) => !isAbsent(pane, isTwo) || pane.id === shown.id).map((pane) => [pane.id, pane.tab ?? pane.title, pane.title] as const),
        shown.id,
        (pane) => app.store.set({ [side]: pane }),
        scope,
      )}
      <div class="content" role="tabpanel" aria-label=${shown.title}>${isAbsent(shown, isTwo) ? html`<p class="note">${shown.ofBoth}</p>` : keyed(app.side, this.#content(shown))}</div>
    </section>`;
  }

  #content({ element }: PaneRecord): TemplateResult {
    const tag = unsafeStatic(element);
    return staticHtml`<${tag} .app=${this.app}></${tag}>`;
  }
}
