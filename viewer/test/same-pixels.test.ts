// Cells and calls with the pixels that are made of them: crates/picture has to make the same ones.
import { createHash } from "node:crypto";
import fs from "node:fs";
import { expect, test } from "vitest";
import { Colours } from "../src/colours";
import { WAITING } from "../src/protocol/types";
import { INITIAL } from "../src/state/view";
import { rasterCalls, rasterCells } from "../src/timeline/raster";
import { rasterStyle } from "../src/timeline/style";

const FILE = new URL("./same-pixels.json", import.meta.url);
const CLASSES = ["send", "receive", "completion", "barrier", "collective"];
const FUNCTIONS = [3, 9, 14, 77, 496, 501].map((id, n) => ({ id, name: `MPI_${id}`, class: CLASSES[n % CLASSES.length]!, calls: 1, time_ns: 1, exclusive_ns: 1, bytes: 0 }));

/** Numbers that look random and are always the same. */
function numbers(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % most;
  };
}

/** Red, green and blue of each pixel as text, `-` where nothing is drawn; as a hash. */
function digest(pixels: Uint32Array): string {
  const hash = createHash("sha256");
  for (const p of pixels) hash.update(p ? `${p & 255},${(p >>> 8) & 255},${(p >>> 16) & 255};` : "-;");
  return hash.digest("hex");
}

function made() {
  const run = { functions: FUNCTIONS, classes: CLASSES.map((id) => ({ id, name: id })) };
  const style = rasterStyle(run, [], new Colours(FUNCTIONS, INITIAL, "light"), true);
  const random = numbers(7);
  const [columns, rows] = [60, 5];
  const offset = [0];
  const ids: number[] = [];
  const shares: number[] = [];
  for (let cell = 0; cell < columns * rows; cell++) {
    let left = 65535;
    for (const f of FUNCTIONS) {
      if (random(cell < columns ? 40 : 3)) continue;
      ids.push(f.id);
      shares.push(Math.max(1, random(left)));
      left = Math.max(2, left - shares.at(-1)!);
    }
    if (offset.at(-1)! < ids.length && random(2)) {
      ids.push(WAITING);
      shares.push(1 + random(60000));
    }
    offset.push(ids.length);
  }
  const head = { bin_ns: 8, from_ns: 0, columns_count: columns, row_from: 0, rows_per_block: 1, rows, is_exact: true, calls_total: 0 };
  const cells = { head, offset: Uint32Array.from(offset), function: Uint16Array.from(ids), share: Uint16Array.from(shares) };
  const calls: number[][] = [];
  const waits: number[][] = [];
  for (let rank = 0; rank < 4; rank++)
    for (let at = random(50); at < 1000; ) {
      const duration = random(3) ? random(80) : 0;
      calls.push([rank, random(2), at, duration, FUNCTIONS[random(FUNCTIONS.length)]!.id, random(5) ? 0 : 4]);
      if (duration > 10 && random(2)) waits.push([rank, at, at + random(duration)]);
      at += duration + random(40);
    }
  const column = (rows: number[][], at: number): number[] => rows.map((row) => row[at]!);
  const pixels = (rowPx: number): { cells: string; calls: string } => ({
    cells: digest(rasterCells(cells, rowPx, style).pixels),
    calls: digest(
      rasterCalls(
        {
          length: calls.length,
          rank: Uint32Array.from(column(calls, 0)),
          thread: Uint16Array.from(column(calls, 1)),
          start_ns: Float64Array.from(column(calls, 2)),
          duration_ns: Float64Array.from(column(calls, 3)),
          function: Uint16Array.from(column(calls, 4)),
          flags: Uint16Array.from(column(calls, 5)),
        },
        { length: waits.length, rank: Uint32Array.from(column(waits, 0)), start_ns: Float64Array.from(column(waits, 1)), end_ns: Float64Array.from(column(waits, 2)) },
        { from: 0, until: 1000, row_from: 0, row_until: 4, width: 333, rowPx, positions: Int32Array.from([0, 1, 2, 3]), threads: Uint16Array.from([1, 2, 1, 2]), free: 0 },
        style,
      ).pixels,
    ),
  });
  return {
    functions: FUNCTIONS.map((f) => [f.id, f.class]),
    classes: CLASSES,
    cells: { columns, rows, offset, function: ids, share: shares },
    calls,
    waits,
    pixels: Object.fromEntries([1, 3, 4, 9, 20].map((px) => [px, pixels(px)])),
  };
}

test("pixels are those of the file (MPISCOPE_BLESS=1 writes it)", () => {
  const now = made();
  if (process.env.MPISCOPE_BLESS) fs.writeFileSync(FILE, `${JSON.stringify(now)}\n`);
  expect(JSON.parse(fs.readFileSync(FILE, "utf8"))).toEqual(now);
});
