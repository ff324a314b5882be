/** Finds the item under the pointer. */

import { WAITING, type Calls, type Cells } from "../protocol/types";

/**
 * The call at a moment of a rank; the shortest of several, and the nearest within `slack` if there is none. With `thread`, only of
 * that thread, which has its own lane.
 */
export function callAt(
  calls: Pick<Calls, "length" | "rank" | "thread" | "start_ns" | "duration_ns" | "function">,
  rank: number,
  ns: number,
  slack: number,
  isHidden: (id: number) => boolean,
  thread: number | null = null,
): number {
  let found = -1;
  let best = Infinity;
  for (let i = 0; i < calls.length; i++) {
    if (calls.rank[i] !== rank || (thread !== null && calls.thread[i] !== thread) || isHidden(calls.function[i]!)) continue;
    const start = calls.start_ns[i]!;
    const end = start + calls.duration_ns[i]!;
    const distance = ns < start ? start - ns : ns > end ? ns - end : 0;
    if (distance > slack) continue;
    // Nearer first; of calls at the moment, the shortest: it lies above.
    const badness = distance * 1e6 + calls.duration_ns[i]!;
    if (badness < best) {
      best = badness;
      found = i;
    }
  }
  return found;
}

export interface CellAt {
  row_from: number;
  row_until: number;
  from: number;
  until: number;
  shares: { id: number; share: number }[];
  waiting: number;
  calls: number;
  longest_ns: number;
  longest_rank: number;
  longest_row: number;
}

/** The cell at a moment of a row; null outside the data. */
export function cellAt(cells: Cells, row: number, ns: number): CellAt | null {
  const { head } = cells;
  // Currently transferred to the worker.
  if (!cells.offset.length) return null;
  const block = Math.floor((row - head.row_from) / head.rows_per_block);
  const bin = Math.floor((ns - head.from_ns) / head.bin_ns);
  if (block < 0 || block >= head.rows || bin < 0 || bin >= head.columns_count) return null;
  const at = block * head.columns_count + bin;
  const shares: { id: number; share: number }[] = [];
  let waiting = 0;
  for (let i = cells.offset[at]!; i < cells.offset[at + 1]!; i++) {
    const share = cells.share[i]! / 65535;
    if (cells.function[i] === WAITING) waiting = share;
    else shares.push({ id: cells.function[i]!, share });
  }
  shares.sort((a, b) => b.share - a.share || a.id - b.id);
  return {
    row_from: head.row_from + block * head.rows_per_block,
    row_until: head.row_from + (block + 1) * head.rows_per_block,
    from: head.from_ns + bin * head.bin_ns,
    until: head.from_ns + (bin + 1) * head.bin_ns,
    shares,
    waiting,
    calls: cells.calls[at]!,
    longest_ns: cells.longest_ns[at]!,
    longest_rank: cells.longest_rank[at]!,
    longest_row: cells.longest_row[at]!,
  };
}
