/** Windows of time and rows: zooming, moving, fitting. Pure functions. */

import type { Run } from "../protocol/types";
import type { ViewState } from "./view";

export interface Window {
  from: number;
  until: number;
  row_from: number;
  row_until: number;
}

/** No window is narrower: times are whole ns. */
export const NARROWEST_NS = 20;

export function wholeOf(run: Pick<Run, "from_ns" | "until_ns">, rows: number): Window {
  const until = Math.max(run.until_ns, run.from_ns + NARROWEST_NS);
  return { from: run.from_ns, until, row_from: 0, row_until: Math.max(1, rows) };
}

/**
 * The range of the report, shown first: no rank is in MPI_Init any more, not all are in MPI_Finalize. The whole
 * run where this range is unknown.
 */
export function mainOf(run: { ranks: Partial<Pick<Run["ranks"], "rows_from_ns" | "rows_until_ns">> } | null, whole: Window): Window {
  const { rows_from_ns: begins = [], rows_until_ns: ends = [] } = run?.ranks ?? {};
  const from = Math.max(whole.from, begins.reduce((a, b) => Math.min(a, b), Infinity));
  const until = Math.min(whole.until, ends.reduce((a, b) => Math.max(a, b), -Infinity));
  return until - from >= NARROWEST_NS ? { ...whole, from, until } : whole;
}

export function windowOf(state: ViewState, whole: Window, main: Window): Window {
  const initial = state.isWhole ? whole : main;
  return {
    from: state.from ?? initial.from,
    until: state.until ?? initial.until,
    row_from: state.row_from ?? whole.row_from,
    row_until: Math.min(state.row_until ?? whole.row_until, Math.max(whole.row_until, 1)),
  };
}

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(high, value));

/** Kept within the run, its width unchanged where that is possible. */
export function within(window: Window, whole: Window): Window {
  const width = clamp(window.until - window.from, NARROWEST_NS, whole.until - whole.from);
  const from = clamp(window.from, whole.from, whole.until - width);
  const rows = clamp(window.row_until - window.row_from, Math.min(1, whole.row_until), whole.row_until - whole.row_from);
  const row_from = clamp(window.row_from, whole.row_from, whole.row_until - rows);
  return { from, until: from + width, row_from, row_until: row_from + rows };
}

/** `factor` < 1 zooms in; `at` (0 to 1) keeps its place on the screen. */
export function zoomTime(window: Window, whole: Window, factor: number, at: number): Window {
  const width = window.until - window.from;
  const wanted = clamp(width * factor, NARROWEST_NS, whole.until - whole.from);
  const fixed = window.from + width * at;
  return within({ ...window, from: fixed - wanted * at, until: fixed + wanted * (1 - at) }, whole);
}

export function zoomRows(window: Window, whole: Window, factor: number, at: number): Window {
  const rows = window.row_until - window.row_from;
  const wanted = clamp(rows * factor, 1, whole.row_until - whole.row_from);
  const fixed = window.row_from + rows * at;
  return within({ ...window, row_from: fixed - wanted * at, row_until: fixed + wanted * (1 - at) }, whole);
}

/** In units of the window's own size. */
export function pan(window: Window, whole: Window, time: number, rows: number): Window {
  const dt = (window.until - window.from) * time;
  const dr = (window.row_until - window.row_from) * rows;
  return within(
    { from: window.from + dt, until: window.until + dt, row_from: window.row_from + dr, row_until: window.row_until + dr },
    whole,
  );
}

/** Moves a time range into the middle third of the window; the width changes only if the range is wider. */
export function centre(window: Window, whole: Window, start: number, end: number, row: number | null): Window {
  const width = Math.max(window.until - window.from, (end - start) * 1.2);
  const middle = (start + end) / 2;
  return within({ ...window, from: middle - width / 2, until: middle + width / 2, ...rowsFor(window, row) }, whole);
}

/** A time range as wide as a third of the window. */
export function fit(window: Window, whole: Window, start: number, end: number, row: number | null): Window {
  const width = Math.max((end - start) * 3, NARROWEST_NS);
  const middle = (start + end) / 2;
  return within({ ...window, from: middle - width / 2, until: middle + width / 2, ...rowsFor(window, row) }, whole);
}

/** Scrolls as little as needed to show a row. */
function rowsFor(window: Window, row: number | null): Pick<Window, "row_from" | "row_until"> {
  const rows = window.row_until - window.row_from;
  if (row === null || (row >= window.row_from && row + 1 <= window.row_until)) return { row_from: window.row_from, row_until: window.row_until };
  const row_from = row + 0.5 - rows / 2;
  return { row_from, row_until: row_from + rows };
}

/** The change of state; the main part and the whole run are stored without numbers, so that they follow a growing run. */
export function stateOf(window: Window, whole: Window, main: Window): Pick<ViewState, "from" | "until" | "row_from" | "row_until" | "isWhole"> {
  const isMain = window.from === main.from && window.until === main.until;
  const isAll = window.from <= whole.from && window.until >= whole.until;
  const isAllTime = isMain || isAll;
  const isAllRows = window.row_from <= whole.row_from && window.row_until >= whole.row_until;
  const round = (v: number): number => Math.round(v * 1000) / 1000;
  return {
    from: isAllTime ? null : Math.round(window.from),
    until: isAllTime ? null : Math.max(Math.round(window.until), Math.round(window.from) + 1),
    isWhole: isAll && !isMain,
    row_from: isAllRows ? null : round(window.row_from),
    row_until: isAllRows ? null : round(window.row_until),
  };
}
