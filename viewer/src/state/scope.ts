/** The scope of the panes below the timeline: the area, else the window or the run; and the filter. */

import { rankList } from "../format";
import type { Restriction } from "../protocol/params";
import type { Order } from "../protocol/types";
import type { ViewState } from "./view";
import type { Window } from "./window";

/** Positions of the run's ranks; without it, the position is the rank. */
export type Rows = Pick<Order, "ranks" | "starts"> | null;

/** Ranks at positions `from` to `until` (not included), as a text; null for all of them. */
export function ranksAt(rows: Rows, count: number, from: number | null, until: number | null): string | null {
  if (from === null || until === null) return null;
  const shown = rows?.ranks.length ?? count;
  const start = (row: number): number => Math.max(0, Math.min(shown, rows?.starts ? (rows.starts[Math.max(0, row)] ?? shown) : row));
  const first = start(Math.floor(from));
  const last = start(Math.ceil(until));
  if (first <= 0 && last >= shown && shown === count) return null;
  const found: number[] = [];
  for (let at = first; at < last; at++) found.push(rows ? rows.ranks[at]! : at);
  return rankList(found);
}

/** Both restrictions of ranks at once; an empty intersection stays empty (a rank that does not exist). */
function bothRanks(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  const set = new Set(expand(b));
  const both = expand(a).filter((rank) => set.has(rank));
  return both.length ? rankList(both) : String(0xffffff);
}

function expand(text: string): number[] {
  const found: number[] = [];
  for (const part of text.split(",")) {
    const [first, last] = part.split("-").map(Number);
    for (let rank = first!; rank <= (last ?? first!); rank++) found.push(rank);
  }
  return found;
}

/** Times of the scope; null where it is the whole run. */
export function scopeWindow(state: ViewState, window: Window): { from: number | null; until: number | null } {
  if (state.area) return { from: Math.round(state.area.from), until: Math.round(state.area.until) };
  if (state.scope === "run" || (state.from === null && state.isWhole)) return { from: null, until: null };
  return { from: Math.round(window.from), until: Math.round(window.until) };
}

/** `functions`: all of the run. No view shows what the legend hides. */
export function scopeOf(state: ViewState, window: Window, rows: Rows, count: number, functions: readonly { id: number }[]): Restriction {
  const area = state.area;
  const shown = area
    ? ranksAt(rows, count, area.row_from, area.row_until)
    : state.scope === "window"
      ? ranksAt(rows, count, state.row_from, state.row_until)
      : null;
  return { ...state.filter, ...scopeWindow(state, window), functions: visibleFunctions(state, functions), ranks: bothRanks(shown, state.filter.ranks) };
}

/** An id without a function: requested where every function is hidden. */
const NO_FUNCTION = 65534;

/** The functions at which search and stepping stop. Null for all. */
export function searchableFunctions(state: ViewState, all: readonly { id: number }[]): number[] | null {
  return visibleFunctions(state.skipped.length ? { ...state, hidden: [...state.hidden, ...state.skipped] } : state, all);
}

/** The visible functions: those of the filter without the hidden ones. Null for all. */
export function visibleFunctions(state: ViewState, all: readonly { id: number }[]): number[] | null {
  if (!state.hidden.length) return state.filter.functions;
  const hidden = new Set(state.hidden);
  const seen = (state.filter.functions ?? all.map((f) => f.id)).filter((id) => !hidden.has(id));
  return seen.length ? seen : [NO_FUNCTION];
}
