/** Iterations on the ruler: how many are drawn as one, and which are under the pointer. */

import type { Iterations } from "../protocol/types";
import type { Window } from "../state/window";
import { type Layout, lowerBound, timeAt } from "./geometry";

/** Iterations narrower than this are drawn together. */
const NARROWEST_PX = 3;

/** Mean width of an iteration in pixels, and how many are drawn as one. */
export function iterationWidth({ from_ns: from }: Pick<Iterations, "from_ns">, w: Window, l: Layout): { px: number; every: number } {
  const mean = from.length > 1 ? (from[from.length - 1]! - from[0]!) / (from.length - 1) : w.until - w.from;
  const px = (mean / (w.until - w.from)) * l.plotWidth;
  return { px, every: px >= NARROWEST_PX ? 1 : Math.ceil(NARROWEST_PX / Math.max(px, 1e-9)) };
}

/** The iterations drawn at `x`: a single one, unless they are very narrow; null beside them. */
export function iterationsAt(iterations: Pick<Iterations, "from_ns" | "until_ns">, w: Window, l: Layout, x: number): { first: number; last: number } | null {
  const { from_ns: from, until_ns: until } = iterations;
  const ns = timeAt(l, w, x);
  const { every } = iterationWidth(iterations, w, l);
  const at = lowerBound(until, ns);
  const first = at - (at % every);
  const last = Math.min(first + every, from.length) - 1;
  return at < from.length && ns >= from[first]! ? { first, last } : null;
}
