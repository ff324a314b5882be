/** The bar above the timeline: order of ranks, layers, filters. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { foldAll, foldBy, gridLines, groupings, isAllFolded } from "../commands/fold";
import { layerTitle, ORDERS, COMMANDS, toggleTwin } from "../commands/registry";
import { keyText } from "../commands/command";
import { hasMain } from "../commands/move";
import { moment, time } from "../format";
import { partOf, withPart } from "../state/order";
import { LAYERS, type Layer } from "../state/view";
import { hasRma } from "../timeline/rma";
import { Watch } from "../watch";
import { base } from "./styles";
import "../save/button";
import "./filters";

const SHORT: Record<Layer, string> = { messages: "Messages", rma: "RMA", collectives: "Collectives", waits: "Waits", path: "Critical path", regions: "Regions" };

/** Regions offered for sorting. */
const MOST_REGIONS = 40;

@customElement("mp-toolbar")
export class Toolbar extends LitElement {
  static override styles = [
    base,
    css`
      .bar {
        display: flex;
        flex-wrap: wrap;
        gap: 3px 6px;
        align-items: center;
        padding: 3px 10px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      label {
        color: var(--muted);
        display: inline-flex;
        gap: 5px;
        align-items: center;
      }
      select {
        color: var(--text);
        max-width: 200px;
        text-overflow: ellipsis;
        min-height: 24px;
      }
      .set {
        display: inline-flex;
        border: 1px solid var(--line);
        border-radius: 6px;
        overflow: hidden;
      }
      .set button {
        border-radius: 0;
        min-height: 24px;
        border-right: 1px solid var(--line);
      }
      .set button:last-child {
        border-right: 0;
      }
      .set button:focus-visible {
        outline-offset: -2px;
      }
      /* In a row of its own it stays on the right. */
      .window {
        display: inline-flex;
        gap: 6px;
        align-items: center;
        margin-left: auto;
        white-space: nowrap;
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

  /** Pinned and hidden ranks stay so, and so do folded groups. */
  #kept(order: string): string {
    const { order: now } = this.app.store.state;
    if (partOf(now, "fold") !== null) return withPart(now, "sort", partOf(order, "sort"));
    return withPart(withPart(order, "ranks", partOf(now, "ranks")), "pin", partOf(now, "pin"));
  }

  override render(): TemplateResult {
    const { app } = this;
    const state = app.store.state;
    const isFolded = partOf(state.order, "fold") !== null;
    const ungrouped = withPart(withPart(state.order, "ranks", null), "pin", null);
    const shown = isFolded ? withPart(ungrouped, "group", null) : ungrouped;
    const group = partOf(state.order, "group");
    const groups = groupings(app.run);
    const grid = gridLines(app.run).map((lines) => ({ order: `group:${lines.group}`, title: `By ${lines.title}` }));
    const known = [...ORDERS, ...grid].some((o) => o.order === shown);
    const { from, until } = app.window;
    const regions = app.run?.regions.slice(0, MOST_REGIONS) ?? [];
    const layers = LAYERS.filter((l) => (l !== "regions" || app.run?.regions.length) && (l !== "rma" || hasRma(app.run)));
    return html`<div class="bar" role="toolbar" aria-label="Timeline">
      <label
        >ranks
        <select
          aria-label="Order of ranks"
          @change=${(e: Event) => app.store.set({ order: this.#kept((e.target as HTMLSelectElement).value), row_from: null, row_until: null })}
        >
          ${[...ORDERS, ...grid].filter((o) => (!isFolded || !o.order.includes("group")) && (!o.order.includes("host") || (app.run?.hosts.length ?? 0) > 1 || o.order === shown)).map(
            (o) => html`<option value=${o.order} ?selected=${o.order === shown}>${o.title}</option>`,
          )}
          ${(app.run?.communicators ?? [])
            .filter((c) => c.size > 1 && !isFolded)
            .slice(0, 30)
            .map((c) => html`<option value="group:comm:${c.id}" ?selected=${`group:comm:${c.id}` === shown}>Members of ${c.name} first</option>`)}
          ${regions.map((r) => html`<option value="sort:region:${r.id}" ?selected=${`sort:region:${r.id}` === shown}>By time in ${r.name}</option>`)}
          ${known || shown.startsWith("group:comm") || regions.some((r) => `sort:region:${r.id}` === shown) ? nothing : html`<option value=${shown} selected>${shown}</option>`}
        </select></label
      >
      ${groups.length || group !== null
        ? html`<label
              >fold by
              <select aria-label="Fold by" @change=${(e: Event) => foldBy(app, (e.target as HTMLSelectElement).value || null)}>
                <option value="" ?selected=${group === null}>none</option>
                ${groups.map((g) => {
                  // An exported page of many ranks lacks some groupings, or all.
                  const isLacking = app.client.kept?.groupings.includes(g.group) === false;
                  return html`<option value=${g.group} ?selected=${g.group === group} ?disabled=${isLacking}>${g.title}${isLacking ? " (not in this exported page)" : ""}</option>`;
                })}
                ${group === null || groups.some((g) => g.group === group) ? nothing : html`<option value=${group} selected>${group}</option>`}
              </select></label
            >${group === null ? nothing : html`<button class="line" @click=${() => foldAll(app, !isAllFolded(app))}>${isAllFolded(app) ? "Unfold all" : "Fold all"}</button>`}`
        : nothing}
      <span class="set" role="group" aria-label="Layers drawn over the timeline">
        ${layers.map((layer) => {
          const command = COMMANDS.find((c) => c.id === `layer-${layer}`)!;
          return html`<button aria-pressed=${state.layers.includes(layer)} title="${layerTitle(layer)} (${command.keys.map(keyText).join(", ")})" @click=${() => command.run(app)}>
            ${SHORT[layer]}
          </button>`;
        })}
      </span>
      <button class="line" aria-pressed=${state.twins.includes("timeline")} @click=${() => toggleTwin(app, "timeline")}>As a table</button>
      <mp-save .app=${app} view="timeline" what="Timeline"></mp-save>
      ${partOf(state.order, "ranks") === null
        ? nothing
        : html`<button class="line" @click=${() => COMMANDS.find((c) => c.id === "all-ranks")!.run(app)}>Show all ranks</button>`}
      <mp-filters .app=${app}></mp-filters>
      <span class="window">
        <span class="muted number">${moment(from, (until - from) / 100)} + ${time(until - from)}</span>
        ${hasMain(app)
          ? html`<button
              class="line"
              title="All ranks from the end of MPI_Init to MPI_Finalize (9)"
              ?disabled=${state.from === null && !state.isWhole && state.row_from === null}
              @click=${() => app.setWindow(app.main, false)}
            >
              Main part
            </button>`
          : nothing}
        <button
          class="line"
          title="All ranks, with MPI_Init and MPI_Finalize (0)"
          ?disabled=${state.from === null && (state.isWhole || !hasMain(app)) && state.row_from === null}
          @click=${() => app.setWindow(app.whole, false)}
        >
          Whole run
        </button>
      </span>
    </div>`;
  }
}
