/** Positions on the timeline's canvas, in CSS pixels. */

import type { Window } from "../state/window";

export interface Layout {
  width: number;
  height: number;
  /** The plot: cells and calls. */
  left: number;
  top: number;
  plotWidth: number;
  plotHeight: number;
  /** The overview strip of the whole run. */
  mapTop: number;
  mapHeight: number;
  axisTop: number;
  axisHeight: number;
  rulerTop: number;
  rulerHeight: number;
  /** For names of groups. */
  groupWidth: number;
}

const GUTTER = 60;
const MAP = 26;
const AXIS = 20;
const RULER = 14;
/** Room for the scroll bar of the ranks. */
const RIGHT = 10;

/** `groupWidth`: pixels for names of groups; `below`: pixels kept free below the ranks. */
export function layoutOf(width: number, height: number, hasIterations: boolean, groupWidth: number, below = 0): Layout {
  const left = GUTTER + groupWidth;
  const rulerHeight = hasIterations ? RULER : 0;
  const top = MAP + AXIS + rulerHeight;
  return {
    width,
    height,
    left,
    top,
    plotWidth: Math.max(1, width - left - RIGHT),
    plotHeight: Math.max(1, height - top - 2 - below),
    mapTop: 0,
    mapHeight: MAP,
    axisTop: MAP,
    axisHeight: AXIS,
    rulerTop: MAP + AXIS,
    rulerHeight,
    groupWidth,
  };
}

export const xOf = (l: Layout, w: Window, ns: number): number => l.left + ((ns - w.from) / (w.until - w.from)) * l.plotWidth;
export const timeAt = (l: Layout, w: Window, x: number): number => w.from + ((x - l.left) / l.plotWidth) * (w.until - w.from);
export const yOf = (l: Layout, w: Window, row: number): number => l.top + ((row - w.row_from) / (w.row_until - w.row_from)) * l.plotHeight;
export const rowAt = (l: Layout, w: Window, y: number): number => w.row_from + ((y - l.top) / l.plotHeight) * (w.row_until - w.row_from);
export const rowPx = (l: Layout, w: Window): number => l.plotHeight / (w.row_until - w.row_from);

export type Zone = "plot" | "map" | "axis" | "ruler" | "gutter" | "scroll" | "none";

export function zoneAt(l: Layout, x: number, y: number): Zone {
  if (y < l.mapHeight) return x >= l.left && x <= l.left + l.plotWidth ? "map" : "none";
  if (x > l.left + l.plotWidth) return y >= l.top ? "scroll" : "none";
  if (y < l.axisTop + l.axisHeight) return x >= l.left ? "axis" : "none";
  if (y < l.top) return x >= l.left ? "ruler" : "none";
  return x < l.left ? "gutter" : "plot";
}

/** Widened on all sides, so that a small movement shows no edge. */
export function widened(w: Window, whole: Window): Window {
  const dt = (w.until - w.from) / 2;
  const dr = (w.row_until - w.row_from) / 4;
  return {
    from: Math.max(whole.from, Math.floor(w.from - dt)),
    until: Math.min(whole.until, Math.ceil(w.until + dt)),
    row_from: Math.max(0, Math.floor(w.row_from - dr)),
    row_until: Math.min(whole.row_until, Math.ceil(w.row_until + dr)),
  };
}

/** Whether a picture made for `have` is good enough for `want`: covers it, at about the same resolution. */
export function covers(have: Window & { nsPerPx: number; rowsPerPx: number }, want: Window, l: Layout): boolean {
  const slack = (want.until - want.from) * 1e-6;
  if (have.from > want.from + slack || have.until < want.until - slack) return false;
  if (have.row_from > want.row_from + 1e-6 || have.row_until < want.row_until - 1e-6) return false;
  const time = have.nsPerPx / ((want.until - want.from) / l.plotWidth);
  const rows = have.rowsPerPx / ((want.row_until - want.row_from) / l.plotHeight);
  return time > 0.6 && time < 1.25 && rows > 0.75 && rows < 1.3;
}

/** The first index whose value is not below the given one. */
export function lowerBound(values: ArrayLike<number>, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
