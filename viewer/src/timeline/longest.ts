/** The call that takes most of the visible time. */

import type { App } from "../app";
import type { CallSpan, Calls } from "../protocol/types";

/** Number of longest calls examined first; increased by this factor each time that is not enough. */
const FIRST = 64;
const MORE = 16;
const MOST = 200_000;

/** The index of the call with the most time in a window. */
export function longestIn(calls: Pick<Calls, "length" | "start_ns" | "duration_ns">, from: number, until: number): { at: number; ns: number } {
  let found = { at: -1, ns: -1 };
  for (let at = 0; at < calls.length; at++) {
    const start = calls.start_ns[at]!;
    const ns = Math.min(start + calls.duration_ns[at]!, until) - Math.max(start, from);
    if (ns > found.ns) found = { at, ns };
  }
  return found;
}

/**
 * The server returns the longest calls, including their invisible parts. No call has more visible time than total time: once
 * the best one found is as long as the shortest of those returned, no other call has more visible time.
 */
export async function longestInSight(app: App, signal: AbortSignal): Promise<CallSpan | null> {
  const { filter, order } = app.store.state;
  const { row_from, row_until } = app.window;
  const [from, until] = [Math.round(app.window.from), Math.round(app.window.until)];
  for (let limit = FIRST; ; limit = Math.min(MOST, limit * MORE)) {
    const calls = await app.client.calls({ ...filter, from, until, row_from: Math.floor(row_from), row_until: Math.ceil(row_until), order, limit }, signal);
    const { at, ns } = longestIn(calls, from, until);
    if (at < 0) return null;
    const shortest = calls.duration_ns.reduce((least, duration) => Math.min(least, duration), Infinity);
    if (!calls.head.is_cut || ns >= shortest || limit === MOST)
      return { rank: calls.rank[at]!, row: calls.row[at]!, start_ns: calls.start_ns[at]!, end_ns: calls.start_ns[at]! + calls.duration_ns[at]! };
  }
}
