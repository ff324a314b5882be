/** The active filters in words, each with a button that removes it. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { bytes, count, time } from "../format";
import { type Filter, NO_FILTER } from "../state/view";
import { Watch } from "../watch";
import { base } from "./styles";

interface Chip {
  text: string;
  without: Partial<Filter>;
}

/** The filters in words, in a fixed order. */
export function chips(app: Pick<App, "names" | "run">, filter: Filter): Chip[] {
  const found: Chip[] = [];
  const { names, run } = app;
  if (filter.functions) {
    const shown = filter.functions.slice(0, 3).map((id) => names?.function(id) ?? String(id));
    found.push({ text: shown.join(", ") + (filter.functions.length > 3 ? ` and ${filter.functions.length - 3} more` : ""), without: { functions: null } });
  }
  if (filter.ranks !== null) found.push({ text: `${/[-,]/.test(filter.ranks) ? "ranks" : "rank"} ${filter.ranks}`, without: { ranks: null } });
  if (filter.host !== null) found.push({ text: `host ${run?.hosts[filter.host] ?? filter.host}`, without: { host: null } });
  if (filter.peer !== null) found.push({ text: `peer ${filter.peer}`, without: { peer: null } });
  if (filter.peers !== null) found.push({ text: `peers ${filter.peers}`, without: { peers: null } });
  if (filter.comm !== null) found.push({ text: names?.comm(filter.comm) ?? `communicator ${filter.comm}`, without: { comm: null } });
  if (filter.site !== null) found.push({ text: names?.site(filter.site) || `call site ${filter.site}`, without: { site: null } });
  if (filter.region !== null) found.push({ text: `region ${names?.region(filter.region) ?? filter.region}`, without: { region: null } });
  if (filter.tag !== null) found.push({ text: `tag ${filter.tag}`, without: { tag: null } });
  if (filter.thread !== null) found.push({ text: `thread ${filter.thread}`, without: { thread: null } });
  if (filter.iteration !== null) found.push({ text: `iteration ${count(filter.iteration)}`, without: { iteration: null } });
  const range = (min: number | null, max: number | null, text: (v: number) => string): string =>
    min !== null && min === max ? text(min) : [min === null ? "" : `from ${text(min)}`, max === null ? "" : `to ${text(max)}`].filter(Boolean).join(" ");
  if (filter.bytes_min !== null || filter.bytes_max !== null)
    found.push({ text: range(filter.bytes_min, filter.bytes_max, bytes), without: { bytes_min: null, bytes_max: null } });
  if (filter.duration_min !== null || filter.duration_max !== null)
    found.push({ text: `duration ${range(filter.duration_min, filter.duration_max, time)}`, without: { duration_min: null, duration_max: null } });
  return found;
}

@customElement("mp-filters")
export class Filters extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: contents;
      }
      .chip {
        display: inline-flex;
        align-items: center;
        gap: 2px;
        background: var(--accent-soft);
        border: 1px solid var(--accent);
        border-radius: 13px;
        padding-left: 9px;
        font-size: 12px;
        max-width: 320px;
      }
      .chip span {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .chip button {
        min-height: 24px;
        min-width: 24px;
        padding: 0;
        border-radius: 12px;
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
    const { filter, hidden } = app.store.state;
    const found = chips(app, filter);
    if (!found.length && !hidden.length) return nothing;
    return html`${found.map(
      (chip) => html`<span class="chip" title=${chip.text}
        ><span>${chip.text}</span
        ><button aria-label="Remove the filter: ${chip.text}" @click=${() => app.store.set({ filter: { ...app.store.state.filter, ...chip.without } })}>✕</button></span
      >`,
    )}
    ${hidden.length
      ? html`<span class="chip"
          ><span>${hidden.length} hidden</span><button aria-label="Show all hidden functions" @click=${() => app.store.set({ hidden: [] })}>✕</button></span
        >`
      : nothing}
    ${found.length > 1 ? html`<button @click=${() => app.store.set({ filter: NO_FILTER, hidden: [] })}>Remove all filters</button>` : nothing}`;
  }
}
