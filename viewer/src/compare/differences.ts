/** What changed between two runs, group by group: a table, the largest difference first. */

import { LitElement, type TemplateResult, html, nothing, svg } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { failure, notYet } from "../chrome/failure";
import { base, controls, tablePane } from "../chrome/styles";
import { swatch } from "../chrome/swatch";
import { count, counted, factor, time } from "../format";
import type { DifferenceRow, Differences } from "../protocol/types";
import { scopeWindow } from "../state/scope";
import { filterFor } from "../table/grouping";
import type { TableColumn } from "../table/vtable";
import "../table/vtable";
import "../save/button";
import { type Saver, Saving } from "../save/saver";
import { Watch } from "../watch";

/** Fields by which runs can be compared: those whose groups have the same names in both. */
export const DIFFERENCE_FIELDS: readonly { id: string; title: string }[] = [
  { id: "function", title: "Function" },
  { id: "site", title: "Call site" },
  { id: "peer_class", title: "Peer class" },
  { id: "size_bin", title: "Size bin" },
  { id: "region", title: "Region" },
  { id: "class", title: "Class" },
  { id: "comm", title: "Communicator" },
  { id: "rank", title: "Rank" },
  { id: "iteration", title: "Iteration" },
];

const LIMIT = 2000;

export const signed = (value: number, text: (v: number) => string): string => (value === 0 ? "0" : `${value < 0 ? "−" : "+"}${text(Math.abs(value))}`);

/** The ratio of the times; a group that did not exist before is new. */
export function ratioText(row: Pick<DifferenceRow, "before" | "after" | "ratio">): string {
  if (!row.before) return "new";
  if (!row.after) return "gone";
  if (row.ratio === null) return "–";
  return factor(row.ratio);
}

const JUDGEMENTS = {
  changed: "yes",
  noise: "no",
  unknown: "unknown",
  same: "the same",
} as const;

const VALUES: Record<string, (row: DifferenceRow) => number | string> = {
  text: (row) => row.text,
  before_count: (row) => row.before?.count ?? 0,
  after_count: (row) => row.after?.count ?? 0,
  before_total: (row) => row.before?.total_ns ?? 0,
  after_total: (row) => row.after?.total_ns ?? 0,
  before_mean: (row) => row.before?.mean_ns ?? 0,
  after_mean: (row) => row.after?.mean_ns ?? 0,
  difference: (row) => Math.abs(row.difference_ns),
  ratio: (row) => (row.after ? (row.ratio ?? Infinity) : 0),
  iteration: (row) => Math.abs((row.iteration?.after_ns ?? 0) - (row.iteration?.before_ns ?? 0)),
};

export function sortedRows(rows: readonly DifferenceRow[], sort: string, ascending: boolean): DifferenceRow[] {
  const value = VALUES[sort] ?? VALUES.difference!;
  const order = (a: DifferenceRow, b: DifferenceRow): number => {
    const [x, y] = [value(a), value(b)];
    return typeof x === "string" ? x.localeCompare(y as string, "en", { numeric: true }) : x - (y as number);
  };
  return [...rows].sort((a, b) => (ascending ? 1 : -1) * order(a, b));
}

@customElement("mp-differences")
export class DifferencesPane extends LitElement implements Saver {
  readonly view = "differences";
  static override styles = [
    base,
    controls,
    tablePane,
  ];
  @property({ attribute: false }) app!: App;
  readonly #ask = new Ask<Differences>(this);

  constructor() {
    super();
    new Watch(this);
    new Saving(this, this);
  }

  get #apps(): App[] {
    return this.app.comparison.apps;
  }

  get #isReady(): boolean {
    return this.#apps.length > 1 && this.#apps.every((app) => app.run?.state === "ready");
  }

  override willUpdate(): void {
    if (!this.#isReady) return;
    const [first, second] = this.#apps as [App, App];
    const [a, b] = [first, second].map((app) => scopeWindow(app.store.state, app.window)) as [ReturnType<typeof scopeWindow>, ReturnType<typeof scopeWindow>];
    const { functions, tag, bytes_min, bytes_max, duration_min, duration_max } = this.app.store.state.filter;
    const parameters = {
      ...{ functions, tag, bytes_min, bytes_max, duration_min, duration_max },
      ...{ from: a.from, until: a.until, other_from: b.from, other_until: b.until },
      by: this.app.store.state.differences.by,
      limit: LIMIT,
    };
    const explained = this.#apps.map((app) => app.run?.is_explained);
    this.#ask.update([parameters, explained, this.#apps.map((app) => app.growth)], (signal) => first.client.differences(parameters, signal));
  }

  #sort(id: string): void {
    const { differences } = this.app.store.state;
    const ascending = differences.sort === id ? !differences.ascending : id === "text";
    this.app.store.set({ differences: { ...differences, sort: id, ascending } });
  }

  /** Filters every view by the calls of a row. */
  #filter(row: DifferenceRow): void {
    const { comparison } = this.app;
    const side = row[comparison.about === 0 ? "before" : "after"] ? comparison.about : row.before ? 0 : 1;
    const app = this.#apps[side]!;
    const { by } = app.store.state.differences;
    const id = (side === 0 ? row.before : row.after)?.id ?? null;
    const classes = app.run?.classes ?? [];
    const ofClass = (at: number): number[] => (app.run?.functions ?? []).filter((f) => f.class === classes[at]?.id).map((f) => f.id);
    const change = filterFor(by, { id, text: row.text }, ofClass);
    if (!change) {
      app.say("Calls cannot be filtered by this field.");
      return;
    }
    const functions = row.function === null ? {} : { functions: [row.function] };
    app.store.set({ page: "views", filter: { ...app.store.state.filter, ...change, ...functions } });
  }

  #rows(): DifferenceRow[] {
    const { sort, ascending } = this.app.store.state.differences;
    return sortedRows(this.#ask.value?.rows ?? [], sort, ascending);
  }

  table(): { columns: TableColumn[]; count: number } | null {
    if (!this.#ask.value) return null;
    const { app } = this;
    const { by } = app.store.state.differences;
    const rows = this.#rows();
    const largest = rows.reduce((most, row) => Math.max(most, Math.abs(row.difference_ns)), 1);
    const number = (id: string, title: string, cell: (row: DifferenceRow) => string | TemplateResult, value: (row: DifferenceRow) => number | null, more: Partial<TableColumn> = {}): TableColumn => ({
      id,
      title,
      isNumber: true,
      isSortable: true,
      cell: (i) => cell(rows[i]!),
      value: (i) => value(rows[i]!),
      ...more,
    });
    const columns: TableColumn[] = [
      {
        id: "text",
        title: DIFFERENCE_FIELDS.find((f) => f.id === by)?.title ?? by,
        isSortable: true,
        width: by === "site" ? "minmax(210px, 2.4fr)" : "minmax(130px, 1.5fr)",
        cell: (i) => (rows[i]!.function !== null ? html`${swatch(app, rows[i]!.function!)} ${rows[i]!.text}` : rows[i]!.text),
        value: (i) => rows[i]!.text,
      },
      number("difference", "Difference", (row) => html`${bar(row.difference_ns, largest)} <b>${signed(row.difference_ns, time)}</b>`, (row) => row.difference_ns, {
        unit: "ns",
        width: "minmax(122px, 1.25fr)",
        help: "Time in all ranks, after minus before",
      }),
      number("ratio", "Ratio", ratioText, (row) => row.ratio, { width: "minmax(58px, 0.6fr)", help: "Time in all ranks, after divided by before" }),
      number("before_total", "Time before", (row) => (row.before ? time(row.before.total_ns) : "–"), (row) => row.before?.total_ns ?? null, { name: "Time before", unit: "ns" }),
      number("after_total", "after", (row) => (row.after ? time(row.after.total_ns) : "–"), (row) => row.after?.total_ns ?? null, { name: "Time after", unit: "ns", help: "Time after" }),
      number("before_count", "Calls before", (row) => (row.before ? count(row.before.count) : "–"), (row) => row.before?.count ?? null, { name: "Calls before" }),
      number("after_count", "after", (row) => (row.after ? count(row.after.count) : "–"), (row) => row.after?.count ?? null, { name: "Calls after", help: "Calls after" }),
      number("before_mean", "Mean before", (row) => (row.before ? time(row.before.mean_ns) : "–"), (row) => row.before?.mean_ns ?? null, { name: "Mean before", unit: "ns" }),
      number("after_mean", "after", (row) => (row.after ? time(row.after.mean_ns) : "–"), (row) => row.after?.mean_ns ?? null, { name: "Mean after", unit: "ns", help: "Mean duration of a call after" }),
      number("iteration", "By iteration", iterationText, (row) => (row.iteration ? row.iteration.after_ns - row.iteration.before_ns : null), {
        name: "Difference of the median iteration",
        unit: "ns",
        width: "minmax(160px, 1.6fr)",
        help: "Median of an iteration before and after. The tooltip shows the 95 % confidence interval of their difference, from the variation of iterations within one run",
      }),
      {
        id: "judgement",
        title: "Beyond noise",
        cell: (i) => (rows[i]!.iteration ? JUDGEMENTS[rows[i]!.iteration!.judgement] : "–"),
        width: "minmax(90px, 0.9fr)",
        help: "Whether the difference exceeds the variation of iterations within one run. For the variation between runs, repeat them and use mpiscope diff",
      },
    ];
    return { columns, count: rows.length };
  }

  override render(): TemplateResult {
    const { app } = this;
    const { by, sort, ascending } = app.store.state.differences;
    const answer = this.#ask.value;
    const rows = this.#rows();
    const isThere = (id: string): boolean =>
      (id !== "iteration" || this.#apps.every((a) => a.run?.iterations)) && (id !== "region" || this.#apps.some((a) => a.run?.regions.length));
    return html`<div class="controls">
        <label>compare by
          <select
            aria-label="Compare by"
            @change=${(e: Event) => app.store.set({ differences: { ...app.store.state.differences, by: (e.target as HTMLSelectElement).value } })}
          >
            ${DIFFERENCE_FIELDS.filter((f) => isThere(f.id)).map((f) => html`<option value=${f.id} ?selected=${f.id === by}>${f.title}</option>`)}
          </select></label>
        <span class="muted">${this.#about(answer)}</span>
        <span class="space"></span>
        <span class="muted">${answer ? (answer.is_cut ? `first ${count(answer.rows.length)} of ${counted(answer.total, "group")}` : counted(answer.total, "group")) : ""}</span>
        <mp-save .app=${app} view=${this.view}></mp-save>
      </div>
      ${!this.#isReady
        ? notYet()
        : this.#ask.error
          ? failure(this.#ask.error)
          : html`<mp-vtable
              label="Differences between the runs; Enter filters by the row"
              aria-busy=${this.#ask.isBusy}
              .columns=${this.table()?.columns ?? []}
              .count=${rows.length}
              .sort=${{ id: sort, ascending }}
              empty=${this.#ask.isBusy ? "…" : "No calls."}
              @sort=${(e: CustomEvent<string>) => this.#sort(e.detail)}
              @activate=${(e: CustomEvent<number>) => rows[e.detail] && this.#filter(rows[e.detail]!)}
            ></mp-vtable>`}`;
  }

  #about(answer: Differences | null): string {
    const { area, filter } = this.app.store.state;
    const { from } = scopeWindow(this.app.store.state, this.app.window);
    const what = area ? "selected time range" : from === null ? "whole runs" : "visible time";
    const all = "all ranks";
    const noise = answer && !answer.is_judged ? "; noise unknown: not both runs have iterations" : "";
    const filtered = Object.values(filter).some((v) => v !== null) ? "; filtered by function, size, duration and tag only" : "";
    return `${what}, ${all}${filtered}${noise}`;
  }
}

/** To the left for less time, to the right for more. */
function bar(difference: number, largest: number): TemplateResult {
  const width = Math.max(difference === 0 ? 0 : 0.5, (Math.abs(difference) / largest) * 20);
  return html`<svg width="42" height="10" viewBox="0 0 42 10" aria-hidden="true">
    <rect x=${difference < 0 ? 21 - width : 21} y="1" width=${width} height="8" class=${difference < 0 ? "less" : "more"} fill=${difference < 0 ? "#2a78c2" : "#d3691a"}></rect>
    ${svg`<path d="M21 0V10" stroke="currentColor" stroke-opacity=".5"></path>`}
  </svg>`;
}

function iterationText({ iteration }: DifferenceRow): string | TemplateResult {
  if (!iteration) return "–";
  const { before_ns, after_ns, interval_ns } = iteration;
  const range = interval_ns ? `${signed(interval_ns[0], time)} to ${signed(interval_ns[1], time)}` : null;
  return html`<span title=${range ?? nothing}>${time(before_ns)} → ${time(after_ns)}</span>`;
}

