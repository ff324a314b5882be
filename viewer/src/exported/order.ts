/** Orders of ranks in an exported page: from its hosts and from stored orders; and cells of such rows from those of single ranks. */

import { parseRanks } from "../format";
import { column, decodeFrame, encodeFrame } from "../protocol/frame";
import type { OrderGroup, Run } from "../protocol/types";
import { isFolded } from "../state/fold";
import { partOf } from "../state/order";
import { type CellsAsked, type Level, choose, frameOf } from "./levels";
import type { Pack } from "./pack";

export interface KeptOrder {
  /** Ranks of each position. */
  rows: number[][];
  groups: OrderGroup[];
}

/** A group, with its ranks in their order. */
interface Members {
  text: string;
  number: number;
  ranks: number[];
}

/** Names of stored orders, followed by the value of `group:`. */
const STORED = "order/";

const isSingle = (level: Level): boolean => level.rows_per_block === 1;

type KnownRun = Pick<Run, "hosts"> & { ranks: Pick<Run["ranks"], "count" | "host"> };
export type Known = { readonly run: KnownRun } & Pick<Pack, "buffer">;

/** The values of `group:` for which the page has rows. */
export function groupingsOf(pack: Pick<Pack, "names">, levels: readonly Level[]): string[] {
  if (!levels.some(isSingle)) return [];
  return ["host", ...pack.names.flatMap((name) => (name.startsWith(STORED) ? [name.slice(STORED.length)] : []))];
}

/** The groups of all ranks for the value of `group:`; null where the page has none. */
function membersOf(known: Known, group: string): Members[] | null {
  const { run } = known;
  if (group === "host") return run.hosts.map((text, number) => ({ text, number, ranks: [...run.ranks.host.keys()].filter((rank) => run.ranks.host[rank] === number) }));
  const stored = known.buffer(STORED + group);
  if (!stored) return null;
  // The server has stored it unfolded: positions are single ranks.
  const frame = decodeFrame<{ groups: OrderGroup[] }>(stored);
  const ranks = [...column<Uint32Array>(frame, "rank")];
  return frame.head.groups.map(({ text, number, from, until }) => ({ text, number, ranks: ranks.slice(from, until) }));
}

/** As the server orders them; null where the order needs data that the page lacks, such as values per rank. */
export function orderOf(known: Known, text: string): KeptOrder | null {
  const { count } = known.run.ranks;
  const group = partOf(text, "group");
  if ((partOf(text, "sort") ?? "rank") !== "rank") return null;
  const listed = partOf(text, "ranks");
  const isShown = listed === null ? null : new Set(parseRanks(listed, count) ?? []);
  const isPinned = new Set(parseRanks(partOf(text, "pin") ?? "", count) ?? []);
  const members = group === null ? [{ text: "", number: 0, ranks: Array.from({ length: count }, (_, rank) => rank) }] : membersOf(known, group);
  if (!members) return null;
  const shown = members.map((each) => ({ ...each, ranks: each.ranks.filter((rank) => isShown?.has(rank) ?? true) }));
  const rows = shown.flatMap(({ ranks }) => ranks.filter((rank) => isPinned.has(rank))).map((rank) => [rank]);
  const groups: OrderGroup[] = [];
  for (const { text: name, number, ranks: all } of shown) {
    const ranks = all.filter((rank) => !isPinned.has(rank));
    if (!ranks.length) continue;
    const is_folded = group !== null && isFolded(text, number);
    const from = rows.length;
    rows.push(...(is_folded ? [ranks] : ranks.map((rank) => [rank])));
    if (group !== null) groups.push({ text: name, number, from, until: rows.length, ranks: ranks.length, is_folded });
  }
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
  const single = levels.filter(isSingle);
  if (!single.length) return null;
  const last = Math.max(0, Math.min(order.rows.length, Math.ceil(asked.row_until)));
  const begin = Math.max(0, Math.min(last, Math.floor(asked.row_from)));
  let perBlock = 1;
  while (Math.ceil(last / perBlock) - Math.floor(begin / perBlock) > Math.max(1, asked.rows)) perBlock *= 2;
  const [top, bottom] = [Math.floor(begin / perBlock), Math.ceil(last / perBlock)];
  const stored = Array.from({ length: bottom - top }, (_, i) => ranksAt(order, (top + i) * perBlock, (top + i + 1) * perBlock));
  return frameOf(choose(single, asked), asked, { row_from: top * perBlock, rows_per_block: perBlock, stored });
}
