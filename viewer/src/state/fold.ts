/** Which groups of ranks are folded into one row each, as given by the order (docs/viewer/protocol.md). */

import { parseRanks, rankList } from "../format";
import { partOf, withPart } from "./order";

/** Group numbers: the folded ones, or all but the unfolded ones. */
interface Fold {
  isAllBut: boolean;
  groups: ReadonlySet<number>;
}

/** No run has more groups than this. */
const MOST = 1 << 24;

function foldOf(order: string): Fold {
  const text = partOf(order, "fold");
  if (text === null) return { isAllBut: false, groups: new Set() };
  if (text === "all") return { isAllBut: true, groups: new Set() };
  const isAllBut = text.startsWith("but:");
  return { isAllBut, groups: new Set(parseRanks(isAllBut ? text.slice(4) : text, MOST) ?? []) };
}

export function isFolded(order: string, group: number): boolean {
  const { isAllBut, groups } = foldOf(order);
  return groups.has(group) !== isAllBut;
}

/** The same order with other groups folded; `all`: numbers of the existing groups. Uses the shorter of the two forms. */
export function withFolded(order: string, folded: ReadonlySet<number>, all: readonly number[]): string {
  const [inside, outside] = [all.filter((group) => folded.has(group)), all.filter((group) => !folded.has(group))];
  if (!inside.length) return withPart(order, "fold", null);
  if (!outside.length) return withPart(order, "fold", "all");
  const [some, but] = [rankList(inside), `but:${rankList(outside)}`];
  return withPart(order, "fold", but.length < some.length ? but : some);
}

/** Folds or unfolds one group. */
export function toggled(order: string, group: number, all: readonly number[]): string {
  return withFolded(order, new Set(all.filter((other) => isFolded(order, other) !== (other === group))), all);
}

/** Grouped by something, every group one row; ungrouped for null. */
export function foldedBy(order: string, group: string | null): string {
  const grouped = withPart(order, "group", group);
  return group === null ? grouped : withPart(grouped, "fold", "all");
}
