import { expect, test } from "vitest";
import { ranksToSee } from "../src/overview/prove";
import { inSight } from "../src/scatter/scatter";
import { strips } from "../src/timeline/apart";
import { layoutOf } from "../src/timeline/geometry";
import { longestIn } from "../src/timeline/longest";

const layout = layoutOf(1000, 400, false, 0);
const window = { from: 0, until: 1000, row_from: 0, row_until: 10_000 };
const positions = Int32Array.from({ length: 10_000 }, (_, rank) => rank);
const apart = (rank: number, apart_ns: number): { rank: number; position: number; apart_ns: number; is_computing: boolean } => ({ rank, position: rank, apart_ns, is_computing: true });

test("each rank that stands apart has a strip at its place; of two that would lie on each other the further one", () => {
  const found = strips([apart(4711, 90), apart(4720, 80), apart(9000, 70)], positions, layout, window);
  expect(found.map((s) => s.apart.rank)).toEqual([4711, 9000]);
  // Rows of the answer are in the order of ranks.
  expect(found.map((s) => s.index)).toEqual([0, 2]);
  const middle = found[0]!.y + 4.5;
  expect(Math.abs(middle - (layout.top + layout.plotHeight * 0.47115))).toBeLessThan(1.5);
});

test("no strip is cut in half at the edge, and ranks out of sight have none", () => {
  const found = strips([apart(0, 9), apart(9999, 8)], positions, layout, window);
  for (const { y } of found) expect(y >= layout.top && y + 9 <= layout.top + layout.plotHeight).toBe(true);
  expect(found).toHaveLength(2);
  expect(strips([apart(4711, 9)], positions, layout, { ...window, row_until: 4000 })).toEqual([]);
});

test("the culprit stands beside a victim", () => {
  expect(ranksToSee({ cause_ranks: [5], ranks: [1, 2, 5] }, 2)).toEqual([5, 2]);
  // A proof on the culprit itself names no rank that waits.
  expect(ranksToSee({ cause_ranks: [5], ranks: [1, 2, 5] }, 5)).toEqual([5, 1]);
  expect(ranksToSee({ cause_ranks: [], ranks: [7, 8] }, null)).toEqual([7, 8]);
});

test("the longest call in sight is the one that takes most of what is in sight", () => {
  // One ends as the window begins.
  const calls = { length: 3, start_ns: Float64Array.from([0, 2000, 2500]), duration_ns: Float64Array.from([2001, 300, 200]) };
  expect(longestIn(calls, 2000, 3000)).toEqual({ at: 1, ns: 300 });
  expect(longestIn(calls, 0, 3000).at).toBe(0);
  expect(longestIn({ length: 0, start_ns: new Float64Array(), duration_ns: new Float64Array() }, 0, 1).at).toBe(-1);
});

test("an axis of moments has what is in sight, unless another one was chosen", () => {
  expect(inSight("x", "end", null, null, { from: 5, until: 9 })).toEqual({ x_min: 5, x_max: 9 });
  expect(inSight("x", "end", 6, 7, { from: 5, until: 9 })).toEqual({ x_min: 6, x_max: 7 });
  expect(inSight("y", "duration", null, null, { from: 5, until: 9 })).toEqual({ y_min: null, y_max: null });
  expect(inSight("x", "start", null, null, { from: null, until: null })).toEqual({ x_min: null, x_max: null });
});
