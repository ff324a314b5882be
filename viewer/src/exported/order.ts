/** Orders of ranks in an exported page: those that follow from its hosts, and cells of such rows from those of single ranks. */

import { parseRanks } from "../format";
import { encodeFrame } from "../protocol/frame";
import type { OrderGroup, Run } from "../protocol/types";
import { isFolded } from "../state/fold";
import { partOf } from "../state/order";
import { type CellsAsked, type Level, choose, frameOf } from "./levels";

export interface KeptOrder {
  /** Ranks of each position. */
  rows: number[][];
  groups: OrderGroup[];
}

type Known = Pick<Run, "hosts"> & { ranks: Pick<Run["ranks"], "count" | "host"> };

/** As the server orders them; null where the order needs data that the page lacks: values per rank, members, the grid. */
export function orderOf(run: Known, text: string): KeptOrder | null {
  const { count, host } = run.ranks;
  const [group, sort] = [partOf(text, "group"), partOf(text, "sort") ?? "rank"];
  if ((group !== null && group !== "host") || sort !== "rank") return null;
  const all = Array.from({ length: count }, (_, rank) => rank);
  const listed = partOf(text, "ranks");
  const shown = listed === null ? all : (parseRanks(listed, count) ?? []);
  const isPinned = new Set(parseRanks(partOf(text, "pin") ?? "", count) ?? []);
  const rows = shown.filter((rank) => isPinned.has(rank)).map((rank) => [rank]);
  const others = shown.filter((rank) => !isPinned.has(rank));
  if (group === null) return { rows: [...rows, ...others.map((rank) => [rank])], groups: [] };
  const groups: OrderGroup[] = [];
  run.hosts.forEach((name, number) => {
    const ranks = others.filter((rank) => host[rank] === number);
    if (!ranks.length) return;
    const is_folded = isFolded(text, number);
    const from = rows.length;
    rows.push(...(is_folded ? [ranks] : ranks.map((rank) => [rank])));
    groups.push({ text: name, number, from, until: rows.length, ranks: ranks.length, is_folded });
  });
  return { rows, groups };
}

/** Frame `order`, as the server would send it. */
export function orderFrame({ rows, groups }: KeptOrder): ArrayBuffer {
  const start = new Uint32Array(rows.length + 1);
  rows.forEach((ranks, row) => (start[row + 1] = start[row]! + ranks.length));
  const columns = { rank: Uint32Array.from(rows.flat()), ...(groups.some((group) => group.is_folded) ? { start } : {}) };
  return encodeFrame({ kind: "order", rows: rows.length, groups, sort: null, unit: null }, columns);
}

/** Ranks at the requested positions. */
export function ranksAt({ rows }: KeptOrder, from: number | undefined, until: number | undefined): number[] {
  return rows.slice(Math.max(0, Math.floor(from ?? 0)), Math.ceil(until ?? rows.length)).flat();
}

/** Cells of such rows: the mean of their ranks. Null where the page has no cells of single ranks. */
export function cellsOfOrder(levels: readonly Level[], order: KeptOrder, asked: CellsAsked): ArrayBuffer | null {
  const single = levels.filter((level) => level.rows_per_block === 1);
  if (!single.length) return null;
  const last = Math.max(0, Math.min(order.rows.length, Math.ceil(asked.row_until)));
  const begin = Math.max(0, Math.min(last, Math.floor(asked.row_from)));
  let perBlock = 1;
  while (Math.ceil(last / perBlock) - Math.floor(begin / perBlock) > Math.max(1, asked.rows)) perBlock *= 2;
  const [top, bottom] = [Math.floor(begin / perBlock), Math.ceil(last / perBlock)];
  const stored = Array.from({ length: bottom - top }, (_, i) => ranksAt(order, (top + i) * perBlock, (top + i + 1) * perBlock));
  return frameOf(choose(single, asked), asked, { row_from: top * perBlock, rows_per_block: perBlock, stored });
}
