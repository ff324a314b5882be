/** Where lines over the timeline begin and end: in the lanes of threads, at targets of accesses, between blocks of ranks. */

import { expect, test } from "vitest";
import type { App } from "../src/app";
import { BUNDLES_MOST, bundleAt, bundleLines, placeInBin, stepOf } from "../src/timeline/bundles";
import { layoutOf, xOf, yOf } from "../src/timeline/geometry";
import { callAt } from "../src/timeline/hit";
import { laneOf, threadAt } from "../src/timeline/lane";
import { ThreadsOfCalls, callY, numberedLanes, threadUnder } from "../src/timeline/lanes";
import { distance, nearest } from "../src/timeline/line";
import { accessAt, accessLines, accesses } from "../src/timeline/rma";
import type { Scene } from "../src/timeline/scene";
import { INK } from "../src/timeline/theme";
import { INITIAL } from "../src/state/view";

const window = { from: 0, until: 1000, row_from: 0, row_until: 4 };
const layout = layoutOf(1000, 400, true, 0);
const PX = layout.plotHeight / 4;

function scene(pictures: object, threads = [1, 2, 4, 1]): Scene {
  return {
    app: {
      store: { state: { ...INITIAL } },
      positions: Int32Array.from([0, 1, 2, 3]),
      rows: 4,
      folded: new Map(),
      rankAt: (p: number) => p,
      worldRank: (r: number) => r,
      run: { iterations: null, ranks: { threads }, regions: [] },
    } as unknown as App,
    window,
    whole: window,
    layout,
    pictures: { isSingle: true, single: {}, threads: null, calls: null, matching: null, accesses: [], bundles: null, ...pictures } as unknown as Scene["pictures"],
    ink: INK.light,
    drag: null,
    hover: null,
  };
}

const CALLS = {
  length: 4,
  rank: Uint32Array.from([0, 1, 1, 2]),
  row: Float64Array.from([0, 0, 1, 7]),
  thread: Uint16Array.from([0, 0, 1, 3]),
  start_ns: Float64Array.from([100, 100, 100, 500]),
  duration_ns: Float64Array.from([100, 200, 200, 100]),
  function: Uint16Array.from([5, 6, 6, 5]),
  peer: Int32Array.from([3, 0, -1, 0]),
  bytes_sent: Float64Array.from([80, 0, 0, 8]),
  bytes_received: Float64Array.from([0, 16, 0, 8]),
};

test("a row is divided among threads, below what regions take, and a place in it belongs to one of them", () => {
  expect(laneOf(42, 0, 2, 0)).toEqual({ top: 0, height: 20 });
  expect(laneOf(42, 0, 2, 1)).toEqual({ top: 20, height: 20 });
  expect(laneOf(42, 10, 3, 2)).toEqual({ top: 30, height: 10 });
  // Eight lanes in six pixels are none.
  expect(laneOf(6, 0, 8, 3)).toEqual({ top: 0, height: 5 });
  for (const [px, free, threads] of [[42, 0, 2], [42, 10, 3], [100, 0, 7]] as const)
    for (let thread = 0; thread < threads; thread++) {
      const { top, height } = laneOf(px, free, threads, thread);
      expect(threadAt(px, free, threads, top + height / 2)).toBe(thread);
    }
  expect(threadAt(42, 0, 1, 5)).toBe(null);
  expect(threadAt(6, 0, 8, 3)).toBe(null);
});

test("a line ends on the lane of the thread that made the call, and in the middle of the row where lanes are not drawn", () => {
  const threads = new ThreadsOfCalls(CALLS, [1, 2, 4, 1]);
  expect([threads.of(1, 0), threads.of(1, 1), threads.of(2, 7), threads.of(0, 0), threads.of(1, 99)]).toEqual([0, 1, 3, null, null]);
  const s = scene({ threads });
  const height = PX - 2;
  const top = (row: number): number => yOf(layout, window, row);
  expect(callY(s, 1, 1, 0)).toBeCloseTo(top(1) + height / 4);
  expect(callY(s, 1, 1, 1)).toBeCloseTo(top(1) + (3 * height) / 4);
  expect(callY(s, 2, 2, 7)).toBeCloseTo(top(2) + (7 * height) / 8);
  expect(callY(s, 0, 0, 0)).toBeCloseTo(top(0) + PX / 2);
  expect(callY(s, 1, 1, 99)).toBeCloseTo(top(1) + PX / 2);
  expect(callY(scene({ threads, isSingle: false }), 1, 1, 1)).toBeCloseTo(top(1) + PX / 2);
});

test("lanes have numbers where these are legible, and the mouse finds the thread that is drawn there", () => {
  const s = scene({});
  expect(numberedLanes(s, 0)).toEqual([]);
  expect(numberedLanes(s, 1).length).toBe(2);
  expect(numberedLanes(scene({}, [1, 60, 4, 1]), 1)).toEqual([]);
  const y = yOf(layout, window, 1);
  expect([threadUnder(s, 1, 1, y + 3), threadUnder(s, 1, 1, y + PX - 5)]).toEqual([0, 1]);
  // Two calls at the same time, in two threads.
  const under = (thread: number | null): number => callAt(CALLS, 1, 200, 0, () => false, thread);
  expect([under(0), under(1)]).toEqual([1, 2]);
});

test("an access is a line the way its data go, with the calls that move none left out", () => {
  const rma = new Set([5, 6]);
  expect(accesses(CALLS, rma)).toEqual([0, 1, 3]);
  expect(accesses(CALLS, new Set([6]))).toEqual([1]);
  const threads = new ThreadsOfCalls(CALLS, [1, 2, 4, 1]);
  const s = scene({ calls: CALLS, threads, accesses: [0, 1, 3] });
  const [put, get, fetch] = accessLines(s);
  const mid = (row: number): number => yOf(layout, window, row) + PX / 2;
  expect(put).toMatchObject({ x0: xOf(layout, window, 100), y0: mid(0), x1: xOf(layout, window, 200), y1: mid(3), isToTarget: true, isFromTarget: false });
  // A get comes from its target, and ends in the lane of its thread.
  expect(get).toMatchObject({ y0: mid(0), y1: callY(s, 1, 1, 0), isToTarget: false, isFromTarget: true });
  expect(fetch).toMatchObject({ isToTarget: true, isFromTarget: true });
  expect(accessAt(s, { x: (put!.x0 + put!.x1) / 2, y: (put!.y0 + put!.y1) / 2 + 2 })).toBe(0);
  expect(accessAt(s, { x: put!.x1 + 40, y: put!.y1 })).toBe(null);
  // What a filter leaves out has no arrow.
  const matching = { has: (rank: number) => rank !== 0 };
  expect(accessLines(scene({ calls: CALLS, threads, accesses: [0, 1, 3], matching })).map(({ index }) => index)).toEqual([1, 3]);
});

const BUNDLES = {
  head: { total: 111, bin_ns: 100, rows_per_block: 2, basis: { kind: "calls" } },
  length: 3,
  from_ns: Float64Array.from([0, 500, 500]),
  sender: Uint32Array.from([0, 0, 2]),
  receiver: Uint32Array.from([2, 0, 0]),
  count: Float64Array.from([100, 10, 1]),
  bytes: Float64Array.from([800, 80, 8]),
  latency_ns: Float64Array.from([200, 10, -1]),
};

test("a bundle goes from the middle of one block to that of another, and stands as high as a block that it stays in", () => {
  const s = scene({ bundles: BUNDLES });
  const found = bundleLines(s);
  expect(found.map(({ index }) => index)).toEqual([2, 1, 0]);
  const [back, inside, there] = found;
  expect(there).toMatchObject({ x0: xOf(layout, window, 100 * placeInBin(0, 1)), y0: yOf(layout, window, 1), x1: xOf(layout, window, 100 * placeInBin(0, 1) + 200), y1: yOf(layout, window, 3), step: 7 });
  expect(inside).toMatchObject({ y0: yOf(layout, window, 0) + 2, y1: yOf(layout, window, 2) - 2 });
  expect(back!.x0).toBe(back!.x1);
  expect(bundleAt(s, { x: there!.x0, y: there!.y0 })).toBe(0);
  expect(bundleAt(s, { x: there!.x0, y: there!.y1 })).toBe(null);
  expect(bundleLines(scene({ bundles: { ...BUNDLES, from_ns: Float64Array.from([2000, 2000, 2000]) } }))).toEqual([]);
});

test("in the row of a folded group lines end in its middle, and none leads from it to itself", () => {
  const threads = new ThreadsOfCalls(CALLS, [1, 2, 4, 1]);
  const s = scene({ calls: CALLS, threads, accesses: [0, 1, 3], bundles: { ...BUNDLES, head: { ...BUNDLES.head, rows_per_block: 1 } } });
  // Ranks 0 and 1 share the first row.
  Object.assign(s.app, { positions: Int32Array.from([0, 0, 1, 2]), rows: 3, folded: new Map([[0, {}]]) });
  expect(callY(s, 0, 1, 1)).toBeCloseTo(yOf(layout, window, 0) + PX / 2);
  expect(accessLines(s).map(({ index }) => index)).toEqual([0, 3]);
  expect(bundleLines(s).map(({ index }) => index)).toEqual([2, 0]);
});

test("bundles of a bin lie beside each other, inside of it", () => {
  const places = Array.from({ length: 16 }, (_, i) => [placeInBin(i, (i + 1) % 16), placeInBin(i, (i + 15) % 16)]).flat();
  expect(places.every((place) => place > 0.05 && place < 0.95)).toBe(true);
  expect(new Set(places.map((place) => place.toFixed(3))).size).toBeGreaterThan(28);
});

test("more messages are thicker lines", () => {
  const steps = [1, 10, 100, 1000].map((count) => stepOf(count, 1000));
  expect(steps).toEqual([...steps].sort((a, b) => a - b));
  expect([steps[0], steps[3], stepOf(1, 0)]).toEqual([0, 7, 0]);
  expect(BUNDLES_MOST).toBeLessThanOrEqual(4000);
});

test("the nearest of several lines is found, and none that is out of reach", () => {
  const lines = [{ x0: 0, y0: 0, x1: 10, y1: 0 }, { x0: 0, y0: 5, x1: 10, y1: 5 }];
  expect(distance(lines[0]!, 5, 3)).toBe(3);
  expect(distance(lines[0]!, 14, 3)).toBe(5);
  expect(nearest(lines, 5, 3, () => 3)).toBe(lines[1]);
  expect(nearest(lines, 5, 20, () => 3)).toBe(null);
});
