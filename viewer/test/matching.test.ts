import { expect, test } from "vitest";
import { INITIAL } from "../src/state/view";
import { Colours } from "../src/colours";
import { Matching, countBegun, countCalls } from "../src/timeline/matching";
import { rasterCalls, rasterCells } from "../src/timeline/raster";
import { faded, pale, rasterStyle } from "../src/timeline/style";
import { WAITING } from "../src/protocol/types";

const run = {
  functions: [1, 2, 3].map((id) => ({ id, name: `MPI_${id}`, class: ["send", "receive", "barrier"][id - 1]!, calls: 1, time_ns: 9 - id, exclusive_ns: 1, bytes: 0 })),
  classes: ["send", "receive", "barrier"].map((id) => ({ id, name: id })),
};
const style = rasterStyle(run, [], new Colours(run.functions, INITIAL, "light"), true);
/** Rank 0 calls 1, 2, 3; rank 1 the same; rows count from 0. */
const calls = {
  length: 6,
  rank: Uint32Array.from([0, 0, 0, 1, 1, 1]),
  row: Float64Array.from([0, 1, 2, 0, 1, 2]),
  function: Uint16Array.from([1, 2, 3, 1, 2, 3]),
  thread: new Uint16Array(6),
  start_ns: Float64Array.from([0, 20, 40, 0, 20, 40]),
  duration_ns: new Float64Array(6).fill(10),
  flags: new Uint16Array(6),
};
const view = { from: 0, until: 100, row_from: 0, row_until: 2, width: 100, rowPx: 10, positions: Int32Array.from([0, 1]), threads: Uint16Array.from([1, 1]), free: 0 };

test("a filter by functions: the others are pale, and what belongs to them is not drawn", () => {
  const found = new Matching(calls, [2], null, []);
  expect([...found.isPale]).toEqual([1, 0, 1, 1, 0, 1]);
  expect([found.has(0, 1), found.has(0, 0), found.has(7, 1)]).toEqual([true, false, false]);
});

test("a filter by more: the calls that the server found, and of them those of the functions", () => {
  const wanted = { length: 2, rank: Uint32Array.from([0, 1]), row: Float64Array.from([0, 2]) };
  expect([...new Matching(calls, null, wanted, []).isPale]).toEqual([0, 1, 1, 1, 1, 0]);
  expect([...new Matching(calls, [3], wanted, []).isPale]).toEqual([1, 1, 1, 1, 1, 0]);
});

test("what the legend hides is not pale but gone, with what belongs to it", () => {
  const found = new Matching(calls, null, null, [2]);
  expect([...found.isPale]).toEqual([0, 0, 0, 0, 0, 0]);
  expect([found.has(0, 1), found.has(0, 0)]).toEqual([false, true]);
});

test("pale calls are to be seen, below those that are wanted", () => {
  const over = { ...calls, start_ns: Float64Array.from([0, 5, 40, 0, 20, 40]) };
  const { pixels } = rasterCalls(over, null, view, style, new Matching(calls, [1], null, []).isPale);
  const seen = pixels[100 * 3 + 12]!;
  expect(seen).toBe(pale(style.colours[2]!, style.compute));
  expect(seen).not.toBe(style.compute);
  expect(pixels[100 * 3 + 7]).toBe(style.colours[1]);
});

const head = { bin_ns: 8, from_ns: 0, columns_count: 1, row_from: 0, rows_per_block: 1, rows: 1, is_exact: true, calls_total: 0 };
const cell = (...entries: [number, number][]) => ({
  head,
  offset: Uint32Array.from([0, entries.length]),
  function: Uint16Array.from(entries, ([id]) => id),
  share: Uint16Array.from(entries, ([, share]) => share * 65535),
});

test("from afar what is wanted covers its own share of a cell and leaves the rest free", () => {
  const { pixels } = rasterCells(cell([1, 0.5]), 20, { ...style, isOver: true });
  const drawn = [...pixels].filter((p) => p === style.colours[1]).length;
  expect([drawn, [...pixels].filter((p) => p === 0).length]).toEqual([9, 11]);
});

test("a short call alone in a cell of one pixel is near to the ground, not the whole of its colour", () => {
  const wide = { ...cell([1, 0.00002]), head: { ...head, columns_count: 400 }, offset: Uint32Array.from([0, ...Array.from({ length: 400 }, (_, i) => i + 1)]), function: new Uint16Array(400).fill(1), share: new Uint16Array(400).fill(1) };
  const { pixels } = rasterCells(wide, 1, { ...style, isOver: true });
  expect(pixels[5]).not.toBe(style.colours[1]);
  expect(pixels[5]).not.toBe(pale(style.colours[1]!, style.compute));
});

test("the ground below is pale and has no hatching", () => {
  const { pixels } = rasterCells(cell([1, 0.5], [2, 0.5], [WAITING, 1]), 20, faded(style, null));
  expect(new Set([...pixels].filter(Boolean))).toEqual(new Set([1, 2].map((id) => pale(style.colours[id]!, style.compute))));
  const kept = rasterCells(cell([1, 0.5], [2, 0.5]), 20, faded(style, [2]));
  expect([...kept.pixels]).toContain(style.colours[2]);
});

test("matching calls are counted as far as they are in sight", () => {
  const found = new Matching(calls, [1, 2], null, []);
  const count = (from: number, until: number, row_until = 2): number => countCalls(calls, found, { from, until, row_from: 0, row_until }, view.positions);
  expect([count(0, 100), count(25, 100), count(35, 100), count(0, 100, 1)]).toEqual([4, 2, 0, 2]);
  const cells = { head: { ...head, columns_count: 3, rows: 2 }, calls: Uint32Array.from([1, 2, 4, 8, 16, 32]) };
  expect(countBegun(cells, { from: 8, until: 24, row_from: 0, row_until: 1 })).toBe(6);
  expect(countBegun(cells, { from: 0, until: 8, row_from: 0, row_until: 2 })).toBe(9);
});
