/** The timeline as a table, from the same answers. */

import { LitElement, type TemplateResult, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { base } from "../chrome/styles";
import { bytes, count, moment, share, time } from "../format";
import { type CallRef, type Calls, type Cells, WAITING } from "../protocol/types";
import { type TableColumn, numeric } from "../table/vtable";
import "../table/vtable";
import { Watch } from "../watch";
import type { Pictures } from "./pictures";

interface RowSums {
  row: number;
  inside: number;
  waiting: number;
  calls: number;
  largest: { id: number; share: number } | null;
  longest_ns: number;
  longest: { rank: number; row: number } | null;
}

/** Sums of each row of cells over the visible time. */
export function sums(cells: Cells, from: number, until: number): RowSums[] {
  const { head } = cells;
  const found: RowSums[] = [];
  if (!cells.offset.length) return found;
  const first = Math.max(0, Math.floor((from - head.from_ns) / head.bin_ns));
  const last = Math.min(head.columns_count, Math.ceil((until - head.from_ns) / head.bin_ns));
  for (let block = 0; block < head.rows; block++) {
    const byId = new Map<number, number>();
    const row: RowSums = { row: head.row_from + block * head.rows_per_block, inside: 0, waiting: 0, calls: 0, largest: null, longest_ns: 0, longest: null };
    for (let bin = first; bin < last; bin++) {
      const at = block * head.columns_count + bin;
      row.calls += cells.calls[at]!;
      if (cells.longest_ns[at]! > row.longest_ns) {
        row.longest_ns = cells.longest_ns[at]!;
        row.longest = { rank: cells.longest_rank[at]!, row: cells.longest_row[at]! };
      }
      for (let i = cells.offset[at]!; i < cells.offset[at + 1]!; i++) {
        const part = cells.share[i]! / 65535 / (last - first);
        if (cells.function[i] === WAITING) row.waiting += part;
        else {
          row.inside += part;
          byId.set(cells.function[i]!, (byId.get(cells.function[i]!) ?? 0) + part);
        }
      }
    }
    for (const [id, part] of byId) if (!row.largest || part > row.largest.share) row.largest = { id, share: part };
    found.push(row);
  }
  return found;
}

/** A table of the visible part, and the calls of its rows. */
interface TwinTable {
  label: string;
  columns: TableColumn[];
  count: number;
  callOf: (index: number) => CallRef | null;
}

export function twinTable(app: App, pictures: Pictures): TwinTable {
  return pictures.calls && pictures.isSingle ? ofCalls(app, pictures, pictures.calls) : ofRows(app, pictures);
}

function ofRows(app: App, pictures: Pictures): TwinTable {
  const { from, until } = app.window;
  const rows = pictures.cells ? sums(pictures.cells, from, until) : [];
  const perBlock = pictures.cells?.head.rows_per_block ?? 1;
  const part = (id: string, title: string, value: (row: RowSums) => number): TableColumn => numeric(id, title, (i) => value(rows[i]!), share, { unit: "share" });
  const columns: TableColumn[] = [
    {
      id: "rank",
      title: perBlock > 1 ? "Rows" : app.folded.size ? "Rank or group" : "Rank",
      isNumber: true,
      cell: (i) => (perBlock > 1 ? `${rows[i]!.row}–${Math.min(app.rows, rows[i]!.row + perBlock) - 1}` : app.folded.has(rows[i]!.row) ? app.nameAt(rows[i]!.row) : String(app.worldRank(app.rankAt(rows[i]!.row)))),
    },
    part("computing", "Computing", (row) => Math.max(0, 1 - row.inside)),
    part("inside", "In MPI", (row) => row.inside),
    part("waiting", "Waiting", (row) => row.waiting),
    numeric("calls", "Calls", (i) => rows[i]!.calls, count),
    {
      id: "most",
      title: "Most time in",
      cell: (i) => (rows[i]!.largest ? `${app.names?.function(rows[i]!.largest!.id)} ${share(rows[i]!.largest!.share)}` : "–"),
      value: (i) => (rows[i]!.largest && app.names?.function(rows[i]!.largest!.id)) ?? null,
    },
    { id: "longest", title: "Longest call", isNumber: true, cell: (i) => (rows[i]!.longest ? time(rows[i]!.longest_ns) : "–"), value: (i) => (rows[i]!.longest ? rows[i]!.longest_ns : null), unit: "ns" },
  ];
  const callOf = (i: number): CallRef | null => {
    const longest = rows[i]?.longest;
    return longest && longest.rank >= 0 ? longest : null;
  };
  return { label: "Timeline as a table: each row over the visible time", columns, count: rows.length, callOf };
}

function ofCalls(app: App, pictures: Pictures, calls: Calls): TwinTable {
  const { from, until, row_from, row_until } = app.window;
  const seen: number[] = [];
  for (let i = 0; i < calls.length; i++) {
    const position = app.positions[calls.rank[i]!] ?? -1;
    if (position < Math.floor(row_from) || position >= row_until || pictures.matching?.isPale[i]) continue;
    if (calls.start_ns[i]! < until && calls.start_ns[i]! + calls.duration_ns[i]! > from) seen.push(i);
  }
  const step = (until - from) / 1000;
  const at = (i: number): number => seen[i]!;
  const columns: TableColumn[] = [
    numeric("rank", "Rank", (i) => app.worldRank(calls.rank[at(i)]!), String),
    numeric("start", "Start", (i) => calls.start_ns[at(i)]!, (ns) => moment(ns, Math.min(step, 1000)), { width: "minmax(130px, 1fr)", unit: "ns" }),
    numeric("duration", "Duration", (i) => calls.duration_ns[at(i)]!, time, { unit: "ns" }),
    { id: "function", title: "Function", cell: (i) => app.names?.function(calls.function[at(i)]!) ?? "" },
    { id: "peer", title: "Peer", isNumber: true, cell: (i) => (calls.peer[at(i)]! >= 0 ? String(app.worldRank(calls.peer[at(i)]!)) : "") },
    numeric("bytes", "Bytes", (i) => calls.bytes_sent[at(i)]! + calls.bytes_received[at(i)]!, bytes, { unit: "bytes" }),
    { id: "site", title: "Called from", cell: (i) => app.names?.site(calls.site[at(i)]!) ?? "" },
  ];
  return { label: "Timeline as a table: visible calls", columns, count: seen.length, callOf: (i) => ({ rank: calls.rank[at(i)]!, row: calls.row[at(i)]! }) };
}

@customElement("mp-timeline-twin")
export class TimelineTwin extends LitElement {
  static override styles = [base];
  @property({ attribute: false }) app!: App;
  @property({ attribute: false }) pictures!: Pictures;
  /** The answers of `pictures`, whose object stays the same. */
  @property({ type: Number }) round = 0;

  constructor() {
    super();
    new Watch(this);
  }

  override render(): TemplateResult {
    const { app, pictures } = this;
    const { label, columns, count: rows, callOf } = twinTable(app, pictures);
    const { selection } = app.store.state;
    // Rows of ranks are not the calls that they lead to.
    const isSelected = (i: number): boolean => {
      const call = pictures.calls && pictures.isSingle ? callOf(i) : null;
      return !!call && call.rank === selection?.rank && call.row === selection.row;
    };
    return html`<mp-vtable
      label=${label}
      .columns=${columns}
      .count=${rows}
      .isSelected=${isSelected}
      @activate=${(e: CustomEvent<number>) => {
        const call = callOf(e.detail);
        if (call) app.select(call);
      }}
    ></mp-vtable>`;
  }
}
