/** The numbers of pairs of ranks at one message size. */

import { pointsOf } from "./curves";
import type { Machine, Pair } from "./profile";

const SERIES = "ping-pong";

export interface PairNumber {
  machine: string;
  pair: Pair;
  value: number;
  low: number | null;
  high: number | null;
}

const curvesOf = (machines: readonly Machine[]) =>
  machines.flatMap(({ name, profile }) =>
    profile.curves.flatMap((curve) => {
      const pair = curve.experiment === "pingpong" && curve.series === SERIES && curve.pair !== null ? profile.pairs[curve.pair] : undefined;
      return pair ? [{ name, pair, curve }] : [];
    }),
  );

/** Whether there is more than one pair to compare. */
export const hasPairs = (machines: readonly Machine[]): boolean => machines.some(({ profile }) => profile.pairs.length > 1) && curvesOf(machines).length > 1;

/** The sizes that all pairs have, ascending. */
export function sizesOf(machines: readonly Machine[], of: "time" | "rate"): number[] {
  const sets = curvesOf(machines).map(({ curve }) => new Set(pointsOf(curve, of).map((point) => point.x)));
  return [...(sets[0] ?? [])].filter((x) => sets.every((set) => set.has(x))).sort((a, b) => a - b);
}

/** The number of each pair at a size. */
export function numbersAt(machines: readonly Machine[], of: "time" | "rate", size: number): PairNumber[] {
  return curvesOf(machines).flatMap(({ name, pair, curve }) => {
    const point = pointsOf(curve, of).find((p) => p.x === size);
    return point ? [{ machine: name, pair, value: point.y, low: point.low, high: point.high }] : [];
  });
}
