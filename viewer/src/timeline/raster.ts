/**
 * Cells and calls to pixels. Pure and deterministic: the same answer and style give the same
 * picture, byte for byte.
 *
 * A cell is a column of pixels: the functions in it stacked from below by their shares, computing
 * above them. Every function present gets at least one pixel while there are enough, so that a
 * short rare call is not hidden by a long one. With three pixels or fewer, the function with
 * the largest share gives the colour, paler where much of the cell is computing; a function that is
 * rare in its row replaces the others in its cell.
 */

import { WAITING, type Calls, type Cells, type Waits } from "../protocol/types";
import { blend } from "../palette";
import { gapOf, hasLanes } from "./lane";
import { type RasterStyle, pale } from "./style";

export interface Raster {
  width: number;
  height: number;
  pixels: Uint32Array;
}

/** Fewer pixels than this cannot show a stack. */
const STACK_PX = 4;
/** The palest colour of a function where a pixel represents a whole cell. */
const PALEST = 0.3;
/** Rare: in at most one of this many bins of its row. */
const RARE_BINS = 48;

const HATCH_STRENGTH = 0.5;
/** Lines at 45 degrees, this many pixels apart. */
const HATCH_PX = 6;
const isHatched = (x: number, y: number): boolean => (x + y) % HATCH_PX === 0;

/** How many of `h` pixels each share gets: at least one each, the rest to the largest. */
export function heights(shares: readonly number[], h: number): number[] {
  const px = shares.map((s) => Math.max(1, Math.round(s * h)));
  let sum = px.reduce((a, b) => a + b, 0);
  while (sum > h) {
    let largest = 0;
    for (let i = 1; i < px.length; i++) if (px[i]! > px[largest]!) largest = i;
    if (px[largest]! <= 1) break;
    px[largest]!--;
    sum--;
  }
  return px;
}

/** `rowPx` pixels for each row of the answer. */
export function rasterCells(cells: Pick<Cells, "head" | "offset" | "function" | "share">, rowPx: number, style: RasterStyle): Raster {
  const { columns_count: width, rows } = cells.head;
  const height = Math.max(1, rows * rowPx);
  const pixels = new Uint32Array(Math.max(1, width) * height);
  const gap = gapOf(rowPx);
  const h = rowPx - gap;
  const presence = new Uint32Array(65536);
  const ids: number[] = [];
  const shares: number[] = [];
  for (let row = 0; row < rows; row++) {
    const y0 = row * rowPx;
    for (let y = y0; y < y0 + h && !style.isOver; y++) pixels.fill(style.compute, y * width, (y + 1) * width);
    const first = cells.offset[row * width]!;
    const last = cells.offset[(row + 1) * width]!;
    for (let i = first; i < last; i++) presence[cells.function[i]!]!++;
    for (let x = 0; x < width; x++) {
      ids.length = 0;
      shares.length = 0;
      let waiting = 0;
      for (let i = cells.offset[row * width + x]!; i < cells.offset[row * width + x + 1]!; i++) {
        const id = cells.function[i]!;
        const share = cells.share[i]! / 65535;
        if (id === WAITING) waiting = share;
        else if (style.colours[id]) {
          // Few entries: insertion sort.
          let at = ids.length;
          while (at > 0 && style.places[ids[at - 1]!]! > style.places[id]!) at--;
          ids.splice(at, 0, id);
          shares.splice(at, 0, share);
        }
      }
      if (!ids.length) continue;
      if (h < STACK_PX) paintOne(pixels, width, x, y0, h, ids, shares, waiting, presence, style);
      else paintStack(pixels, width, x, y0, h, ids, shares, waiting, presence, style);
    }
    for (let i = first; i < last; i++) presence[cells.function[i]!] = 0;
  }
  return { width, height, pixels };
}

function rarest(ids: readonly number[], presence: Uint32Array, bins: number): number | null {
  let found: number | null = null;
  for (const id of ids)
    if (presence[id]! * RARE_BINS <= bins || presence[id]! <= 1) if (found === null || presence[id]! < presence[found]!) found = id;
  return found;
}

function paintOne(
  pixels: Uint32Array,
  width: number,
  x: number,
  y0: number,
  h: number,
  ids: readonly number[],
  shares: readonly number[],
  waiting: number,
  presence: Uint32Array,
  style: RasterStyle,
): void {
  let largest = 0;
  let sum = 0;
  for (let i = 0; i < ids.length; i++) {
    sum += shares[i]!;
    if (shares[i]! > shares[largest]!) largest = i;
  }
  const colour = style.colours[ids[largest]!]!;
  const shown = blend(style.compute, colour, Math.min(1, PALEST + (1 - PALEST) * sum));
  const rare = rarest(ids, presence, width);
  for (let y = 0; y < h; y++) {
    // With more than one pixel, the largest keeps the others.
    let value = rare !== null && y === h - 1 ? style.colours[rare]! : shown;
    if (style.hasWaits && waiting > 0.3 && isHatched(x, y0 + y)) value = blend(value, style.hatch, HATCH_STRENGTH * 0.6);
    pixels[(y0 + y) * width + x] = value;
  }
}

function paintStack(
  pixels: Uint32Array,
  width: number,
  x: number,
  y0: number,
  h: number,
  ids: number[],
  shares: number[],
  waiting: number,
  presence: Uint32Array,
  style: RasterStyle,
): void {
  if (ids.length > h) {
    // Not enough room for all: half of it for the rarest, the rest for the largest.
    const order = ids.map((_, i) => i);
    const rare = [...order].sort((a, b) => presence[ids[a]!]! - presence[ids[b]!]! || a - b).slice(0, h >> 1);
    const large = order.filter((i) => !rare.includes(i)).sort((a, b) => shares[b]! - shares[a]! || a - b);
    const kept = [...rare, ...large].slice(0, h).sort((a, b) => a - b);
    const keptIds = kept.map((i) => ids[i]!);
    const keptShares = kept.map((i) => shares[i]!);
    ids.splice(0, ids.length, ...keptIds);
    shares.splice(0, shares.length, ...keptShares);
  }
  const px = heights(shares, h);
  let y = y0 + h - 1;
  for (let i = 0; i < ids.length; i++) {
    const colour = style.colours[ids[i]!]!;
    for (let n = 0; n < px[i]! && y >= y0; n++, y--) pixels[y * width + x] = colour;
  }
  if (!style.hasWaits || waiting <= 0) return;
  const hatched = Math.min(Math.round(waiting * h), y0 + h - 1 - y);
  for (let n = 0; n < hatched; n++) {
    const at = y0 + h - 1 - n;
    if (isHatched(x, at)) pixels[at * width + x] = blend(pixels[at * width + x]!, style.hatch, HATCH_STRENGTH);
  }
}

export interface CallsView {
  from: number;
  until: number;
  row_from: number;
  row_until: number;
  width: number;
  rowPx: number;
  /** Position of each rank; -1 for not shown. */
  positions: Int32Array;
  /** Positions of folded groups: nothing is drawn there, so that their cells stay visible. */
  folded?: Int32Array;
  /** Threads of each rank. */
  threads: Uint16Array;
  /** Pixels at the top of each row that are kept free for regions. */
  free: number;
}

/** Individual calls; short ones above long ones, so that they are visible, and pale ones below all others. */
export function rasterCalls(
  calls: Pick<Calls, "length" | "rank" | "thread" | "start_ns" | "duration_ns" | "function" | "flags">,
  waits: Pick<Waits, "length" | "rank" | "start_ns" | "end_ns"> | null,
  view: CallsView,
  style: RasterStyle,
  isPale: Uint8Array | null = null,
): Raster {
  const rows = view.row_until - view.row_from;
  const { width, rowPx } = view;
  const height = Math.max(1, rows * rowPx);
  const pixels = new Uint32Array(width * height);
  const h = rowPx - gapOf(rowPx);
  const scale = width / (view.until - view.from);
  const folded = new Set(view.folded ?? []);
  for (let row = 0; row < rows; row++)
    for (let y = row * rowPx + view.free; y < row * rowPx + h && !folded.has(view.row_from + row); y++) pixels.fill(style.compute, y * width, (y + 1) * width);
  const passes = [
    { isShort: false, isPale: false },
    { isShort: true, isPale: false },
  ];
  if (isPale) passes.unshift({ isShort: false, isPale: true }, { isShort: true, isPale: true });
  for (const pass of passes) {
    for (let i = 0; i < calls.length; i++) {
      const duration = calls.duration_ns[i]!;
      if (duration * scale < 1 !== pass.isShort || (isPale !== null && (isPale[i] === 1) !== pass.isPale)) continue;
      const full = style.colours[calls.function[i]!]!;
      if (!full) continue;
      const colour = pass.isPale ? pale(full, style.compute) : full;
      const rank = calls.rank[i]!;
      const position = view.positions[rank] ?? -1;
      if (position < view.row_from || position >= view.row_until) continue;
      const start = (calls.start_ns[i]! - view.from) * scale;
      const x0 = Math.max(0, Math.floor(start));
      const x1 = Math.min(width, Math.max(x0 + 1, Math.round(start + duration * scale)));
      if (x0 >= width || x1 <= 0) continue;
      let y0 = (position - view.row_from) * rowPx + view.free;
      let y1 = (position - view.row_from) * rowPx + h;
      const threads = view.threads[rank] ?? 1;
      if (hasLanes(threads, y1 - y0)) {
        const lane = (y1 - y0) / threads;
        const top = y0;
        y0 = Math.round(top + lane * calls.thread[i]!);
        y1 = Math.round(top + lane * (calls.thread[i]! + 1)) - (lane >= 5 ? 1 : 0);
      }
      if (calls.flags[i]! & 4 && y1 - y0 >= 6) {
        y0 += 2;
        y1 -= 2;
      }
      // A seam between a call and the previous one in the same colour.
      const seam = x1 - x0 >= 4 && y1 - y0 >= 4;
      const edge = seam ? blend(colour, style.compute, 0.45) : colour;
      for (let y = y0; y < y1; y++) {
        pixels.fill(colour, y * width + x0, y * width + x1);
        pixels[y * width + x0] = edge;
      }
    }
  }
  if (waits && style.hasWaits) hatchWaits(pixels, waits, view, h, scale, style);
  return { width, height, pixels };
}

function hatchWaits(
  pixels: Uint32Array,
  waits: Pick<Waits, "length" | "rank" | "start_ns" | "end_ns">,
  view: CallsView,
  h: number,
  scale: number,
  style: RasterStyle,
): void {
  const { width, rowPx } = view;
  for (let i = 0; i < waits.length; i++) {
    const position = view.positions[waits.rank[i]!] ?? -1;
    if (position < view.row_from || position >= view.row_until) continue;
    const x0 = Math.max(0, Math.floor((waits.start_ns[i]! - view.from) * scale));
    const x1 = Math.min(width, Math.round((waits.end_ns[i]! - view.from) * scale));
    const y0 = (position - view.row_from) * rowPx + view.free;
    for (let y = y0; y < (position - view.row_from) * rowPx + h; y++)
      for (let x = x0; x < x1; x++) {
        const at = y * width + x;
        // Only where a call is drawn: hiding a call hides its wait.
        if ((x + y) % HATCH_PX < 2 && pixels[at] && pixels[at] !== style.compute) pixels[at] = blend(pixels[at]!, style.hatch, HATCH_STRENGTH);
      }
  }
}
