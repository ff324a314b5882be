/** Lines over the picture. */

import type { Layout } from "./geometry";
import type { Canvas } from "./scene";

/** The ends of a line. */
export interface Line {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

const HEAD_PX = 6;

/** The arrow head at the second point. */
export function arrowHead(c: Canvas, x0: number, y0: number, x1: number, y1: number, px = HEAD_PX): void {
  const angle = Math.atan2(y1 - y0, x1 - x0);
  c.beginPath();
  c.moveTo(x1, y1);
  c.lineTo(x1 - px * Math.cos(angle - 0.4), y1 - px * Math.sin(angle - 0.4));
  c.lineTo(x1 - px * Math.cos(angle + 0.4), y1 - px * Math.sin(angle + 0.4));
  c.fill();
}

/** A line covers about this share of the picture's width. */
const LINE_PX = 2;

/** How many lines lie on top of each other, as the mean over the part of the picture that they cover: more than one hide what lies
 * below them. */
export function depthOf(lines: readonly Line[], l: Layout): number {
  let [first, last, ink] = [Infinity, -Infinity, 0];
  for (const { x0, x1, y0, y1 } of lines) {
    first = Math.min(first, Math.max(x0, l.left));
    last = Math.max(last, Math.min(x1, l.left + l.plotWidth));
    ink += Math.min(Math.abs(y1 - y0), l.plotHeight) * LINE_PX;
  }
  return ink / (Math.max(last - first, LINE_PX) * l.plotHeight);
}

/** The distance of a point from a line, in pixels. */
export function distance({ x0, y0, x1, y1 }: Line, x: number, y: number): number {
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = dx * dx + dy * dy;
  const along = length > 0 ? Math.max(0, Math.min(1, ((x - x0) * dx + (y - y0) * dy) / length)) : 0;
  return Math.hypot(x - x0 - along * dx, y - y0 - along * dy);
}

/** The line nearest to a point, of those within `reach`; of equally near ones the last, which lies above. */
export function nearest<L extends Line>(lines: readonly L[], x: number, y: number, reach: (line: L) => number): L | null {
  let found: L | null = null;
  let best = Infinity;
  for (const line of lines) {
    const far = distance(line, x, y);
    if (far > reach(line) || far > best) continue;
    found = line;
    best = far;
  }
  return found;
}
