import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { heights, rasterCalls, rasterCells } from "../src/timeline/raster";
import { INITIAL } from "../src/state/view";
import { blend } from "../src/palette";
import { Colours } from "../src/colours";
import { rasterStyle } from "../src/timeline/style";
import { WAITING } from "../src/protocol/types";

const run = {
  functions: [
    { id: 1, name: "MPI_Send", class: "send", calls: 1, time_ns: 1, exclusive_ns: 1, bytes: 0 },
    { id: 2, name: "MPI_Recv", class: "receive", calls: 1, time_ns: 1, exclusive_ns: 1, bytes: 0 },
    { id: 3, name: "MPI_Barrier", class: "barrier", calls: 1, time_ns: 1, exclusive_ns: 1, bytes: 0 },
  ],
  classes: [
    { id: "send", name: "Sends" },
    { id: "receive", name: "Receives" },
    { id: "barrier", name: "Barriers" },
  ],
};
const style = rasterStyle(run, [], new Colours(run.functions, INITIAL, "light"), true);
const plain = { ...style, hasWaits: false };

/** Cells written as `[id, share]` for each bin of each row. */
function cells(rows: [number, number][][][]) {
  const offset = [0];
  const ids: number[] = [];
  const shares: number[] = [];
  for (const row of rows)
    for (const bin of row) {
      for (const [id, share] of bin) {
        ids.push(id);
        shares.push(Math.max(1, Math.round(share * 65535)));
      }
      offset.push(ids.length);
    }
  return {
    head: { bin_ns: 8, from_ns: 0, columns_count: rows[0]!.length, row_from: 0, rows_per_block: 1, rows: rows.length, is_exact: true, calls_total: 0 },
    offset: Uint32Array.from(offset),
    function: Uint16Array.from(ids),
    share: Uint16Array.from(shares),
  };
}

const columnOf = (raster: { width: number; pixels: Uint32Array }, x: number, from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, i) => raster.pixels[(from + i) * raster.width + x]!);

test("a column is stacked by shares from below, computing above", () => {
  const raster = rasterCells(cells([[[[1, 0.5], [2, 0.25]]]]), 10, plain);
  // One pixel of ten is the gap between ranks.
  const column = columnOf(raster, 0, 0, 9);
  expect(column.filter((p) => p === style.colours[1]).length).toBe(5);
  expect(column.filter((p) => p === style.colours[2]).length).toBe(2);
  expect(column.filter((p) => p === style.compute).length).toBe(2);
  expect(column[8]).toBe(style.colours[1]);
  expect(column[0]).toBe(style.compute);
  expect(raster.pixels[9 * raster.width]).toBe(0);
});

test("a call of a millionth of the time still has a pixel", () => {
  for (const px of [1, 2, 3, 4, 6, 12, 40]) {
    const bins: [number, number][][] = Array.from({ length: 200 }, () => [[1, 0.97]]);
    bins[77] = [[1, 0.97], [3, 0.000001]];
    const raster = rasterCells(cells([bins]), px, plain);
    expect(columnOf(raster, 77, 0, px), `${px} px`).toContain(style.colours[3]);
    expect(columnOf(raster, 76, 0, px)).not.toContain(style.colours[3]);
  }
});

test("with less room than functions, the rarest and the largest are shown", () => {
  expect(heights([0.9, 0.9, 0.9], 3)).toEqual([1, 1, 1]);
  expect(heights([0.001, 0.998], 10).reduce((a, b) => a + b)).toBe(10);
  expect(heights([0.5, 0.5, 0.000001], 10)).toEqual([4, 5, 1]);
});

test("with one pixel the largest share gives the colour, paler where much is computing", () => {
  const raster = rasterCells(cells([[...Array.from({ length: 50 }, (): [number, number][] => [[1, 0.9], [2, 0.05]]), []]]), 1, plain);
  expect(raster.pixels[0]).toBe(blend(style.compute, style.colours[1]!, 0.3 + 0.7 * 0.95));
  expect(raster.pixels[50]).toBe(style.compute);
});

test("what is hidden is drawn as computing", () => {
  const onlyReceive = { ...rasterStyle(run, [1, 3], new Colours(run.functions, INITIAL, "light"), true), hasWaits: false };
  const raster = rasterCells(cells([[[[1, 1]]]]), 10, onlyReceive);
  expect(new Set(columnOf(raster, 0, 0, 9))).toEqual(new Set([style.compute]));
});

test("waiting is hatched inside of the calls, and not beyond their part", () => {
  const bins: [number, number][][] = Array.from({ length: 24 }, () => [[1, 0.5], [WAITING, 0.5]]);
  const raster = rasterCells(cells([bins]), 12, style);
  const dark = blend(style.colours[1]!, style.hatch, 0.5);
  const all = [...raster.pixels];
  expect(all.filter((p) => p === dark).length).toBeGreaterThan(10);
  for (let x = 0; x < 24; x++) expect(columnOf(raster, x, 0, 4).every((p) => p === style.compute), `column ${x}`).toBe(true);
});

test("the same cells make the same picture, byte for byte", () => {
  let seed = 7;
  const next = (): number => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32);
  const rows = Array.from({ length: 6 }, () =>
    Array.from({ length: 64 }, () => {
      const bin: [number, number][] = [];
      let left = 1;
      for (const id of [1, 2, 3]) if (next() < 0.4) bin.push([id, (left *= next())]);
      if (bin.length && next() < 0.5) bin.push([WAITING, bin[0]![1] * next()]);
      return bin;
    }),
  );
  // Colours of its own: another palette is no other raster.
  const fixed = { ...style, colours: style.colours.map((c, id) => (c ? 0xff000000 + id * 0x123456 : 0)), compute: 0xff808080, hatch: 0xff000000 };
  const hash = (px: number): string => createHash("sha256").update(new Uint8Array(rasterCells(cells(rows), px, fixed).pixels.buffer)).digest("hex").slice(0, 16);
  expect([1, 3, 7, 20].map(hash)).toMatchInlineSnapshot(`
    [
      "c25fe18d460a192e",
      "fbb8dab28a2f9e31",
      "66cc40bec6e19945",
      "626b34d827785e39",
    ]
  `);
});

const view = { from: 0, until: 100, row_from: 0, row_until: 2, width: 100, rowPx: 10, positions: Int32Array.from([0, 1]), threads: Uint16Array.from([1, 1]), free: 0 };

function calls(list: { rank: number; thread?: number; start: number; duration: number; id: number; flags?: number }[]) {
  return {
    length: list.length,
    rank: Uint32Array.from(list, (c) => c.rank),
    thread: Uint16Array.from(list, (c) => c.thread ?? 0),
    start_ns: Float64Array.from(list, (c) => c.start),
    duration_ns: Float64Array.from(list, (c) => c.duration),
    function: Uint16Array.from(list, (c) => c.id),
    flags: Uint16Array.from(list, (c) => c.flags ?? 0),
  };
}

test("single calls stand where they are, in the row of their rank", () => {
  const raster = rasterCalls(calls([{ rank: 1, start: 20, duration: 30, id: 1 }]), null, view, plain);
  expect(raster.pixels[15 * 100 + 35]).toBe(style.colours[1]);
  expect(raster.pixels[15 * 100 + 19]).toBe(style.compute);
  expect(raster.pixels[15 * 100 + 50]).toBe(style.compute);
  expect(raster.pixels[5 * 100 + 35]).toBe(style.compute);
});

test("a call of no length has a pixel, above a long one around it", () => {
  const raster = rasterCalls(calls([{ rank: 0, start: 40, duration: 0, id: 3 }, { rank: 0, start: 0, duration: 100, id: 1 }]), null, view, plain);
  expect(raster.pixels[5 * 100 + 40]).toBe(style.colours[3]);
  expect(raster.pixels[5 * 100 + 42]).toBe(style.colours[1]);
});

test("calls that begin before the window or end after it are clipped", () => {
  const raster = rasterCalls(calls([{ rank: 0, start: -50, duration: 60, id: 1 }, { rank: 1, start: 90, duration: 1e6, id: 2 }]), null, view, plain);
  expect(raster.pixels[5 * 100 + 5]).toBe(style.colours[1]);
  expect(raster.pixels[5 * 100 + 12]).toBe(style.compute);
  expect(raster.pixels[15 * 100 + 99]).toBe(style.colours[2]);
});

test("threads have lanes of their own", () => {
  const raster = rasterCalls(calls([{ rank: 0, thread: 1, start: 0, duration: 100, id: 1 }]), null, { ...view, threads: Uint16Array.from([2, 1]) }, plain);
  expect(raster.pixels[1 * 100 + 50]).toBe(style.compute);
  expect(raster.pixels[7 * 100 + 50]).toBe(style.colours[1]);
});

test("a wait is hatched where a call is drawn, and only there", () => {
  const waits = { length: 1, rank: Uint32Array.from([0]), start_ns: Float64Array.from([20]), end_ns: Float64Array.from([80]) };
  const raster = rasterCalls(calls([{ rank: 0, start: 20, duration: 30, id: 1 }]), waits, view, style);
  const row = Array.from({ length: 100 }, (_, x) => raster.pixels[4 * 100 + x]!);
  const dark = blend(style.colours[1]!, style.hatch, 0.5);
  expect(row.filter((p) => p === dark).length).toBeGreaterThan(5);
  expect(row.slice(50).every((p) => p === style.compute)).toBe(true);
});
