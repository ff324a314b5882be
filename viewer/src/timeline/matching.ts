/**
 * Which of the visible individual calls match the filter. Everything drawn for a call follows it: its wait, its messages, the lines
 * of its collective operation.
 */

import type { Calls, Cells } from "../protocol/types";
import type { Window } from "../state/window";

type Named = Pick<Calls, "length" | "rank" | "row">;

/** Calls by rank and row. */
class CallSet {
  readonly #rows = new Map<number, Set<number>>();

  add(rank: number, row: number): void {
    const rows = this.#rows.get(rank);
    if (rows) rows.add(row);
    else this.#rows.set(rank, new Set([row]));
  }

  has(rank: number, row: number): boolean {
    return this.#rows.get(rank)?.has(row) ?? false;
  }
}

export class Matching {
  /** For each visible call: filtered out, drawn pale. */
  readonly isPale: Uint8Array;
  readonly #shown = new CallSet();

  /** `wanted`: the calls that match the filter, where it is by more than functions; `hidden`: functions that are not drawn at all. */
  constructor(calls: Named & Pick<Calls, "function">, functions: readonly number[] | null, wanted: Named | null, hidden: readonly number[]) {
    this.isPale = new Uint8Array(calls.length);
    const [isFunction, isHidden] = [functions && new Set(functions), new Set(hidden)];
    const found = wanted && new CallSet();
    for (let i = 0; wanted && i < wanted.length; i++) found!.add(wanted.rank[i]!, wanted.row[i]!);
    for (let i = 0; i < calls.length; i++) {
      const [rank, row, id] = [calls.rank[i]!, calls.row[i]!, calls.function[i]!];
      const isWanted = (!isFunction || isFunction.has(id)) && (!found || found.has(rank, row));
      this.isPale[i] = isWanted ? 0 : 1;
      if (isWanted && !isHidden.has(id)) this.#shown.add(rank, row);
    }
  }

  /** Whether the items of this call are drawn. */
  has(rank: number, row: number): boolean {
    return this.#shown.has(rank, row);
  }
}

/** Number of visible calls that match. */
export function countCalls(calls: Pick<Calls, "length" | "rank" | "start_ns" | "duration_ns">, matching: Matching, w: Window, positions: Int32Array): number {
  let found = 0;
  for (let i = 0; i < calls.length; i++) {
    const row = positions[calls.rank[i]!] ?? -1;
    const isInSight = row + 1 > w.row_from && row < w.row_until && calls.start_ns[i]! < w.until && calls.start_ns[i]! + calls.duration_ns[i]! >= w.from;
    if (isInSight && !matching.isPale[i]) found++;
  }
  return found;
}

/** Number of calls that start in visible cells. */
export function countBegun({ head, calls }: Pick<Cells, "head" | "calls">, w: Window): number {
  let found = 0;
  for (let block = 0; block < head.rows; block++) {
    const row = head.row_from + block * head.rows_per_block;
    if (row + head.rows_per_block <= w.row_from || row >= w.row_until) continue;
    for (let bin = 0; bin < head.columns_count; bin++) {
      const from = head.from_ns + bin * head.bin_ns;
      if (from + head.bin_ns > w.from && from < w.until) found += calls[block * head.columns_count + bin]!;
    }
  }
  return found;
}
