/** The timeline as a table, from the same answers. */

import { LitElement, type TemplateResult, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { base } from "../chrome/styles";
import { bytes, count, moment, share, time } from "../format";
import { WAITING, type Cells } from "../protocol/types";
import type { TableColumn } from "../table/vtable";
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

/** Each row of the cells over the time in sight. */
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

@customElement("mp-timeline-twin")
export class TimelineTwin extends LitElement {
  static override styles = [base];
  @property({ attribute: false }) app!: App;
  @property({ attribute: false }) pictures!: Pictures;
  /** Which answers `pictures` has: it stays the same object. */
  @property({ type: Number }) round = 0;

  constructor() {
    super();
    new Watch(this);
  }

  override render(): TemplateResult {
    const { app, pictures } = this;
    const { calls } = pictures;
    if (calls && pictures.isSingle) return this.#calls();
    const { from, until } = app.window;
    const rows = pictures.cells ? sums(pictures.cells, from, until) : [];
    const perBlock = pictures.cells?.head.rows_per_block ?? 1;
    const columns: TableColumn[] = [
      {
        id: "rank",
        title: perBlock > 1 ? "Rows" : "Rank",
        isNumber: true,
        cell: (i) => (perBlock > 1 ? `${rows[i]!.row}–${Math.min(app.rows, rows[i]!.row + perBlock) - 1}` : String(app.worldRank(app.rankAt(rows[i]!.row)))),
      },
      { id: "computing", title: "Computing", isNumber: true, cell: (i) => share(Math.max(0, 1 - rows[i]!.inside)) },
      { id: "inside", title: "In MPI", isNumber: true, cell: (i) => share(rows[i]!.inside) },
      { id: "waiting", title: "Waiting", isNumber: true, cell: (i) => share(rows[i]!.waiting) },
      { id: "calls", title: "Calls", isNumber: true, cell: (i) => count(rows[i]!.calls) },
      { id: "most", title: "Most time in", cell: (i) => (rows[i]!.largest ? `${app.names?.function(rows[i]!.largest!.id)} ${share(rows[i]!.largest!.share)}` : "–") },
      { id: "longest", title: "Longest call", isNumber: true, cell: (i) => (rows[i]!.longest ? time(rows[i]!.longest_ns) : "–") },
    ];
    return html`<mp-vtable
      label="Timeline as a table: each row over the time in sight"
      .columns=${columns}
      .count=${rows.length}
      @activate=${(e: CustomEvent<number>) => {
        const longest = rows[e.detail]?.longest;
        if (longest && longest.rank >= 0) app.select(longest);
      }}
    ></mp-vtable>`;
  }

  #calls(): TemplateResult {
    const { app } = this;
    const calls = this.pictures.calls!;
    const { from, until, row_from, row_until } = app.window;
    const seen: number[] = [];
    for (let i = 0; i < calls.length; i++) {
      const position = app.positions[calls.rank[i]!] ?? -1;
      if (position < Math.floor(row_from) || position >= row_until || this.pictures.matching?.isPale[i]) continue;
      if (calls.start_ns[i]! < until && calls.start_ns[i]! + calls.duration_ns[i]! > from) seen.push(i);
    }
    const step = (until - from) / 1000;
    const columns: TableColumn[] = [
      { id: "rank", title: "Rank", isNumber: true, cell: (i) => String(app.worldRank(calls.rank[seen[i]!]!)) },
      { id: "start", title: "Start", isNumber: true, width: "minmax(130px, 1fr)", cell: (i) => moment(calls.start_ns[seen[i]!]!, Math.min(step, 1000)) },
      { id: "duration", title: "Duration", isNumber: true, cell: (i) => time(calls.duration_ns[seen[i]!]!) },
      { id: "function", title: "Function", cell: (i) => app.names?.function(calls.function[seen[i]!]!) ?? "" },
      { id: "peer", title: "Peer", isNumber: true, cell: (i) => (calls.peer[seen[i]!]! >= 0 ? String(app.worldRank(calls.peer[seen[i]!]!)) : "") },
      { id: "bytes", title: "Bytes", isNumber: true, cell: (i) => bytes(calls.bytes_sent[seen[i]!]! + calls.bytes_received[seen[i]!]!) },
      { id: "site", title: "Called from", cell: (i) => app.names?.site(calls.site[seen[i]!]!) ?? "" },
    ];
    const { selection } = app.store.state;
    return html`<mp-vtable
      label="Timeline as a table: calls in sight"
      .columns=${columns}
      .count=${seen.length}
      .isSelected=${(i: number) => calls.rank[seen[i]!] === selection?.rank && calls.row[seen[i]!] === selection?.row}
      @activate=${(e: CustomEvent<number>) => app.select({ rank: calls.rank[seen[e.detail]!]!, row: calls.row[seen[e.detail]!]! })}
    ></mp-vtable>`;
  }
}
