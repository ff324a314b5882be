/** Messages zoomed out: those from one block of rows to another in the same bin of time form one line; a thicker line has more. */

import type { Bundles } from "../protocol/types";
import { rowPx, xOf, yOf } from "./geometry";
import { type Line, arrowHead, depthOf, nearest } from "./line";
import type { Canvas, Scene } from "./scene";

/** Most lines drawn; the server enlarges bundles until there are no more. */
export const BUNDLES_MOST = 1_000;
/** Least widths of a bin of time and of a block of rows: narrower ones cannot be distinguished. */
export const BIN_PX = 16;
export const BLOCK_PX = 14;

const THIN_PX = 0.7;
const THICK_PX = 3.2;
/** Opacity of a thin and of a thick bundle. */
const PALE = 0.25;
const FULL = 0.6;
/** Lines that cover more of the picture than this are paler, so that what lies below stays visible … */
const DEEP = 0.15;
/** … down to this share of their opacity. */
const PALEST = 0.35;
/** Distinct widths: lines of one width are drawn at once. */
const STEPS = 8;
/** Many arrow heads in one place would be a blot. */
const HEADS_MOST = 400;
const REACH_PX = 3;
/** Bundles of a bin are spread over this share of it: on top of each other they would hide what lies below, and each other. */
const SPREAD = 0.8;
const GOLDEN = 0.618034;

/** A line, and its bundle. */
export interface BundleLine extends Line {
  /** Index in the answer. */
  index: number;
  /** 0 for the thinnest to [`STEPS`] − 1. */
  step: number;
}

const widthOf = (step: number): number => THIN_PX + ((THICK_PX - THIN_PX) * step) / (STEPS - 1);

/** The thickness for a number of messages: by the square root, so that the area of a line grows with the number. */
export function stepOf(count: number, largest: number): number {
  return largest > 0 ? Math.min(STEPS - 1, Math.floor(Math.sqrt(count / largest) * STEPS)) : 0;
}

/** The existing positions of a block. */
export function blockRows(bundles: Pick<Bundles, "head">, first: number, rows: number): [from: number, until: number] {
  return [first, Math.min(rows, first + bundles.head.rows_per_block)];
}

/** Where in its bin a bundle is drawn: pairs of neighbours far from each other, a pair at the same place in each bin. */
export function placeInBin(sender: number, receiver: number): number {
  const turn = sender * GOLDEN + (receiver < sender ? 0.5 : 0) + Math.abs(receiver - sender) * 0.137;
  return 0.5 + SPREAD * ((turn % 1) - 0.5);
}

/** The visible lines, thick ones last. */
export function bundleLines(scene: Scene): BundleLine[] {
  const { app, layout: l, window: w, pictures } = scene;
  const { bundles } = pictures;
  if (!bundles || !app.store.state.layers.includes("messages")) return [];
  let largest = 0;
  for (const count of bundles.count) largest = Math.max(largest, count);
  const px = rowPx(l, w);
  const found: BundleLine[] = [];
  for (let index = 0; index < bundles.length; index++) {
    const { bin_ns, rows_per_block: block } = bundles.head;
    const sent = bundles.from_ns[index]! + bin_ns * placeInBin(bundles.sender[index]! / block, bundles.receiver[index]! / block);
    const received = sent + Math.max(0, bundles.latency_ns[index]!);
    if (received < w.from || sent > w.until) continue;
    const [from, fromEnd] = blockRows(bundles, bundles.sender[index]!, app.rows);
    const [to, toEnd] = blockRows(bundles, bundles.receiver[index]!, app.rows);
    if (Math.max(fromEnd, toEnd) <= w.row_from || Math.min(from, to) >= w.row_until) continue;
    const step = stepOf(bundles.count[index]!, largest);
    const [x0, x1] = [xOf(l, w, sent), xOf(l, w, received)];
    // A folded group has nothing to point to inside its row.
    if (from === to && fromEnd - from === 1 && app.folded.has(from)) continue;
    // Inside a block: as high as the block.
    const isInside = from === to && fromEnd - from > 1;
    const y0 = isInside ? yOf(l, w, from) + Math.min(2, px / 4) : yOf(l, w, (from + fromEnd) / 2);
    const y1 = isInside ? yOf(l, w, fromEnd) - Math.min(2, px / 4) : yOf(l, w, (to + toEnd) / 2);
    found.push({ x0, y0, x1, y1, index, step });
  }
  return found.sort((a, b) => a.step - b.step);
}

export function paintBundles(c: Canvas, scene: Scene): void {
  const lines = bundleLines(scene);
  if (!lines.length) return;
  const { ink, pictures } = scene;
  const bundles = pictures.bundles!;
  const faint = Math.max(PALEST, Math.min(1, DEEP / depthOf(lines, scene.layout)));
  c.save();
  c.strokeStyle = c.fillStyle = ink.bundle;
  c.lineCap = "butt";
  for (let step = 0, at = 0; step < STEPS; step++) {
    const first = at;
    while (at < lines.length && lines[at]!.step === step) at++;
    if (first === at) continue;
    c.lineWidth = widthOf(step);
    c.globalAlpha = faint * (PALE + ((FULL - PALE) * step) / (STEPS - 1));
    c.beginPath();
    for (const { x0, y0, x1, y1 } of lines.slice(first, at)) {
      c.moveTo(x0, y0);
      c.lineTo(x1, y1);
    }
    c.stroke();
    if (lines.length > HEADS_MOST) continue;
    for (const line of lines.slice(first, at))
      if (bundles.sender[line.index] !== bundles.receiver[line.index]) arrowHead(c, line.x0, line.y0, line.x1, line.y1, 5 + widthOf(step));
  }
  c.restore();
}

/** The bundle under the pointer. */
export function bundleAt(scene: Scene, { x, y }: { x: number; y: number }): number | null {
  return nearest(bundleLines(scene), x, y, ({ step }) => widthOf(step) / 2 + REACH_PX)?.index ?? null;
}
