/** Statistics of calls, grouped. */

import { LitElement, type TemplateResult, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { basisText, careful } from "../basis";
import { failure, notYet } from "../chrome/failure";
import { swatch } from "../chrome/swatch";
import { base, controls, tablePane } from "../chrome/styles";
import { bytes, count, counted, share, time } from "../format";
import type { GroupRow, Groups } from "../protocol/types";
import "../save/button";
import type { Value } from "../save/csv";
import { type Saver, Saving } from "../save/saver";
import { Watch } from "../watch";
import { GROUP_FIELDS, fieldTitle, filterFor } from "./grouping";
import { type TableColumn, numeric } from "./vtable";
import "./vtable";

const LIMIT = 5000;
/** The server sorts by these; the page sorts by the others. */
const SERVER_SORTS = ["count", "total_ns", "mean_ns", "max_ns", "bytes"];

type Numeric = Exclude<keyof GroupRow, "key">;

const COLUMNS: readonly { id: Numeric; title: string; text: (v: number) => string; unit: string; help?: string }[] = [
  { id: "count", title: "Count", text: count, unit: "" },
  { id: "total_ns", title: "Total", text: time, unit: "ns" },
  { id: "share", title: "Share", text: share, unit: "", help: "Share of the time of all ranks in the time range" },
  { id: "mean_ns", title: "Mean", text: time, unit: "ns" },
  { id: "median_ns", title: "Median", text: time, unit: "ns" },
  { id: "min_ns", title: "Min", text: time, unit: "ns" },
  { id: "max_ns", title: "Max", text: time, unit: "ns" },
  { id: "p95_ns", title: "P95", text: time, unit: "ns", help: "95 % of the calls take at most this long" },
  { id: "p99_ns", title: "P99", text: time, unit: "ns", help: "99 % of the calls take at most this long" },
  { id: "sd_ns", title: "SD", text: time, unit: "ns", help: "Standard deviation" },
  { id: "bytes", title: "Bytes", text: bytes, unit: "bytes" },
];

export function sorted(rows: readonly GroupRow[], sort: string, ascending: boolean): GroupRow[] {
  const sign = ascending ? 1 : -1;
  const key = /^key(\d)$/.exec(sort);
  const compare = (a: GroupRow, b: GroupRow): number => {
    if (key) {
      const at = Number(key[1]);
      const [x, y] = [a.key[at], b.key[at]];
      return (x?.text ?? "").localeCompare(y?.text ?? "", "en", { numeric: true });
    }
    return (a[sort as Numeric] ?? 0) - (b[sort as Numeric] ?? 0);
  };
  return [...rows].sort((a, b) => sign * compare(a, b));
}

@customElement("mp-table")
export class TablePane extends LitElement implements Saver {
  readonly view = "table";
  static override styles = [
    base,
    controls,
    tablePane,
  ];
  @property({ attribute: false }) app!: App;
  readonly #ask = new Ask<Groups>(this);

  constructor() {
    super();
    new Watch(this);
    new Saving(this, this);
  }

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const { by, sort } = app.store.state.table;
    const parameters = { ...app.scope, by, sort: SERVER_SORTS.includes(sort) ? sort : "total_ns", limit: LIMIT };
    this.#ask.update([parameters, app.growth], ...careful(app, parameters, (p, signal) => app.client.groups(p, signal)));
  }

  #setBy(index: number, value: string): void {
    const fields = this.app.store.state.table.by.split(",");
    if (value === "") fields.splice(index, 1);
    else fields[index] = value;
    this.app.store.set({ table: { ...this.app.store.state.table, by: [...new Set(fields)].join(",") } });
  }

  #sort(id: string): void {
    const { table } = this.app.store.state;
    const ascending = table.sort === id ? !table.ascending : id.startsWith("key") || id === "min_ns";
    this.app.store.set({ table: { ...table, sort: id, ascending } });
  }

  #filter(row: GroupRow): void {
    const { app } = this;
    const fields = app.store.state.table.by.split(",");
    const classes = app.run?.classes ?? [];
    const ofClass = (at: number): number[] => (app.run?.functions ?? []).filter((f) => f.class === classes[at]?.id).map((f) => f.id);
    let filter = app.store.state.filter;
    let isDone = false;
    fields.forEach((field, i) => {
      const change = row.key[i] ? filterFor(field, row.key[i], ofClass) : null;
      if (change) {
        filter = { ...filter, ...change };
        isDone = true;
      }
    });
    if (isDone) app.store.set({ filter });
    else app.say("Calls without this value cannot be filtered by it.");
  }

  #rows(): GroupRow[] {
    const { sort, ascending } = this.app.store.state.table;
    return sorted(this.#ask.value?.rows ?? [], sort, ascending);
  }

  table(): { columns: TableColumn[]; count: number; total: number } | null {
    if (!this.#ask.value) return null;
    const rows = this.#rows();
    const columns = [
      ...this.app.store.state.table.by.split(",").map((field, i) => ({
        id: `key${i}`,
        title: fieldTitle(field),
        isSortable: true,
        width: "minmax(130px, 2.5fr)",
        cell: (index: number) => this.#key(field, rows[index]!, i),
        value: (index: number) => this.#keyValue(field, rows[index]!, i),
        ...(field === "bytes" ? { unit: "bytes" } : {}),
      })),
      ...COLUMNS.map(({ id, title, text, unit, help }) => numeric(id, title, (i) => rows[i]![id], text, { isSortable: true, unit, ...(help ? { help } : {}) })),
    ];
    return { columns, count: rows.length, total: this.#ask.value.total };
  }

  override render(): TemplateResult {
    const { app } = this;
    const { by, sort, ascending } = app.store.state.table;
    const fields = by.split(",");
    const answer = this.#ask.value;
    const rows = this.#rows();
    const fieldsThere = GROUP_FIELDS.filter((f) => f.id !== "iteration" || app.run?.iterations).filter((f) => f.id !== "region" || app.run?.regions.length);
    const options = (chosen: string | undefined, hasNone: boolean): TemplateResult => html`${hasNone
      ? html`<option value="" ?selected=${!chosen}>–</option>`
      : nothing}${fieldsThere.map((f) => html`<option value=${f.id} ?selected=${f.id === chosen}>${f.title}</option>`)}`;
    return html`<div class="controls">
        <label>group by
          <select @change=${(e: Event) => this.#setBy(0, (e.target as HTMLSelectElement).value)}>${options(fields[0], false)}</select></label>
        <label>and
          <select @change=${(e: Event) => this.#setBy(1, (e.target as HTMLSelectElement).value)}>${options(fields[1], true)}</select></label>
        <span class="space"></span>
        <span class="muted">${answer ? (answer.is_cut ? `first ${count(answer.rows.length)} of ${counted(answer.total, "group")}` : counted(answer.total, "group")) : ""}${basisText(answer?.basis, this.#ask.done)}</span>
        <mp-save .app=${app} view=${this.view}></mp-save>
      </div>
      ${app.run?.state !== "ready"
        ? notYet()
        : this.#ask.error
        ? failure(this.#ask.error)
        : html`<mp-vtable
            label="Statistics of calls; Enter filters by the row"
            aria-busy=${this.#ask.isBusy}
            .columns=${this.table()?.columns ?? []}
            .count=${rows.length}
            .frozen=${fields.length}
            .sort=${{ id: sort, ascending }}
            empty=${this.#ask.isBusy ? "…" : "No calls."}
            @sort=${(e: CustomEvent<string>) => this.#sort(e.detail)}
            @activate=${(e: CustomEvent<number>) => rows[e.detail] && this.#filter(rows[e.detail]!)}
          ></mp-vtable>`}`;
  }

  #keyValue(field: string, row: GroupRow, at: number): Value {
    const key = row.key[at];
    if (field === "bytes" && key && key.id !== null) return key.id;
    const shown = this.#key(field, row, at);
    return typeof shown === "string" ? shown : (key?.text ?? "");
  }

  #key(field: string, row: GroupRow, at: number): string | TemplateResult {
    const key = row.key[at];
    if (!key) return "";
    if (field === "function" && key.id !== null) return html`${swatch(this.app, key.id)} ${key.text}`;
    if (field === "bytes" && key.id !== null) return bytes(key.id);
    if ((field === "rank" || field === "peer") && key.id !== null) return String(this.app.worldRank(key.id));
    return key.text || "none";
  }
}
