/** The zoomed-out timeline from the levels in the page. */

import { column, decodeFrame, encodeFrame } from "../protocol/frame";
import { WAITING, type CellsHead } from "../protocol/types";
import type { Pack } from "./pack";

interface ChunkHead {
  bin_ns: number;
  from_ns: number;
  columns_count: number;
  row_from: number;
  rows_per_block: number;
  rows: number;
  is_exact: boolean;
}

interface Chunk {
  head: ChunkHead;
  /** Start of the entries of each cell, and one more. */
  offset: Uint32Array;
  function: Uint16Array;
  share: Uint8Array;
  calls: Uint32Array;
  longest_ns: Float32Array | null;
}

export interface Level {
  bin_ns: number;
  rows_per_block: number;
  rows: number;
  is_exact: boolean;
  chunks: Chunk[];
}

function chunkOf(buffer: ArrayBuffer): Chunk {
  const frame = decodeFrame<ChunkHead>(buffer);
  const entries = column<Uint16Array>(frame, "entries");
  const offset = new Uint32Array(entries.length + 1);
  for (let i = 0; i < entries.length; i++) offset[i + 1] = offset[i]! + entries[i]!;
  return {
    head: frame.head,
    offset,
    function: column<Uint16Array>(frame, "function"),
    share: column<Uint8Array>(frame, "share"),
    calls: column<Uint32Array>(frame, "calls"),
    longest_ns: (frame.columns.get("longest_ns") as Float32Array | undefined) ?? null,
  };
}

/** From wide bins to narrow ones. */
export function levelsOf(pack: Pack): Level[] {
  const found = new Map<string, Chunk[]>();
  for (const name of pack.names) {
    const match = /^cells\/(\w+)\/(\d+)$/.exec(name);
    if (!match) continue;
    const chunks = found.get(match[1]!) ?? [];
    chunks[Number(match[2])] = chunkOf(pack.buffer(name)!);
    found.set(match[1]!, chunks);
  }
  return [...found.values()].map((chunks) => {
    const { bin_ns, rows_per_block, rows } = chunks[0]!.head;
    return { bin_ns, rows_per_block, rows, is_exact: chunks.every((c) => c.head.is_exact), chunks };
  });
}

export interface CellsAsked {
  from: number;
  until: number;
  columns: number;
  row_from: number;
  row_until: number;
  rows: number;
  functions?: readonly number[] | null | undefined;
}

/** The level closest to the request: not finer than needed if there is a choice, else the finest. */
export function choose(levels: readonly Level[], asked: CellsAsked): Level {
  const bin = Math.max(1, ((asked.until - asked.from) / asked.columns) * 2);
  const block = Math.max(1, (asked.row_until - asked.row_from) / asked.rows);
  const lack = (have: number, want: number): number => {
    const doublings = Math.log2(have / want);
    // A level that is too coarse is visible; one that is too fine only costs time.
    return doublings > 0 ? doublings : -doublings / 8;
  };
  const badness = (level: Level): number => lack(level.bin_ns, bin) + lack(level.rows_per_block, block);
  return levels.reduce((best, level) => (badness(level) < badness(best) ? level : best));
}

/** Bins of a level that a request covers: `first` to `end`, and the number per chunk. */
function binsOf({ bin_ns, chunks }: Level, asked: Pick<CellsAsked, "from" | "until">): { first: number; end: number; perChunk: number } {
  const perChunk = chunks[0]!.head.columns_count;
  const last = chunks.length * perChunk;
  const first = Math.max(0, Math.min(last - 1, Math.floor(Math.max(0, asked.from) / bin_ns)));
  return { first, end: Math.max(first + 1, Math.min(last, Math.ceil(asked.until / bin_ns))), perChunk };
}

/** Rows of a picture from the rows of a level. */
interface Rows {
  /** Position of the first, and positions of each. */
  row_from: number;
  rows_per_block: number;
  /** The rows of the level that each row averages. */
  stored: readonly (readonly number[])[];
}

/** Frame `cells`, as the server would send it. */
export function cellsFrame(levels: readonly Level[], asked: CellsAsked): ArrayBuffer {
  const level = choose(levels, asked);
  const { rows_per_block } = level;
  const top = Math.max(0, Math.min(level.rows - 1, Math.floor(asked.row_from / rows_per_block)));
  const bottom = Math.max(top + 1, Math.min(level.rows, Math.ceil(asked.row_until / rows_per_block)));
  const stored = Array.from({ length: bottom - top }, (_, i) => [top + i]);
  return frameOf(level, asked, { row_from: top * rows_per_block, rows_per_block, stored });
}

/** The same cells for other rows. */
export function frameOf(level: Level, asked: CellsAsked, { row_from, rows_per_block, stored }: Rows): ArrayBuffer {
  const { bin_ns } = level;
  const { first, end, perChunk } = binsOf(level, asked);
  const wanted = asked.functions?.length ? new Set([...asked.functions, WAITING]) : null;
  const cells = stored.length * (end - first);
  const offset = new Uint32Array(cells + 1);
  const calls = new Uint32Array(cells);
  const longest = new Float32Array(cells);
  const functions: number[] = [];
  const shares: number[] = [];
  let at = 0;
  let total = 0;
  const sums = new Map<number, number>();
  for (const rows of stored)
    for (let bin = first; bin < end; bin++) {
      const chunk = level.chunks[Math.floor(bin / perChunk)]!;
      sums.clear();
      for (const row of rows) {
        const cell = row * perChunk + (bin % perChunk);
        for (let i = chunk.offset[cell]!; i < chunk.offset[cell + 1]!; i++) {
          const id = chunk.function[i]!;
          if (!wanted || wanted.has(id)) sums.set(id, (sums.get(id) ?? 0) + chunk.share[i]! * 257);
        }
        calls[at]! += chunk.calls[cell]!;
        if (chunk.longest_ns && !wanted) longest[at] = Math.max(longest[at]!, chunk.longest_ns[cell]!);
      }
      for (const [id, sum] of sums) {
        functions.push(id);
        // An entry stays, however small it is.
        shares.push(Math.max(Math.min(1, sum), Math.floor(sum / rows.length)));
      }
      total += calls[at]!;
      offset[++at] = functions.length;
    }
  const head: CellsHead = {
    bin_ns,
    from_ns: first * bin_ns,
    columns_count: end - first,
    row_from,
    rows_per_block,
    rows: stored.length,
    is_exact: level.is_exact && bin_ns <= Math.max(1, ((asked.until - asked.from) / asked.columns) * 2),
    calls_total: total,
  };
  return encodeFrame({ kind: "cells", ...head }, {
    offset,
    function: Uint16Array.from(functions),
    share: Uint16Array.from(shares),
    calls,
    longest_ns: longest,
    // The page does not contain the call itself.
    longest_rank: new Int32Array(cells).fill(-1),
    longest_row: new Float64Array(cells),
  });
}
