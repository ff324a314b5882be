/** Search for calls in an exported page, as on the server (crates/query/src/view/search.rs). */

import type { Restriction } from "../protocol/params";
import type { CallSpan, Matches } from "../protocol/types";
import type { KeptCalls } from "./calls";

/** In search order: by start, then by rank and row. */
const turn = (a: CallSpan, b: CallSpan): number => a.start_ns - b.start_ns || a.rank - b.rank || a.row - b.row;

/** Indices of the calls that start in the window and whose function, site, region or communicator contains a text. */
function matching(kept: KeptCalls, text: string, restriction: Restriction): { at: number; span: CallSpan }[] {
  const { run, calls: c } = kept;
  const wanted = text.toLowerCase();
  const ids = <T extends { id: number }>(list: readonly T[], name: (item: T) => string): Set<number> =>
    new Set(list.filter((item) => name(item).toLowerCase().includes(wanted)).map((item) => item.id));
  const functions = ids(run.functions, (f) => f.name);
  const sites = ids(run.sites, (s) => s.text);
  const regions = ids(run.regions, (r) => r.name);
  const comms = ids(run.communicators, (k) => k.name);
  const is = (i: number): boolean =>
    (functions.has(c.function![i]!) || sites.has(c.site![i]!) || regions.has(c.region![i]!) || comms.has(c.comm![i]!)) &&
    c.start_ns![i]! >= (restriction.from ?? 0) &&
    c.start_ns![i]! < (restriction.until ?? Infinity);
  return kept
    .wanted(restriction)
    .filter(is)
    .map((at) => ({ at, span: kept.span(at) }))
    .sort((a, b) => turn(a.span, b.span));
}

/** The next match after a call (or before it), or the first (the last). */
export function find(kept: KeptCalls, text: string, direction: "next" | "previous", restriction: Restriction, from: CallSpan | null): CallSpan | null {
  const sign = direction === "next" ? 1 : -1;
  const ahead = matching(kept, text, restriction).filter(({ span }) => !from || sign * turn(span, from) > 0);
  return ahead.at(direction === "next" ? 0 : -1)?.span ?? null;
}

export function matches(kept: KeptCalls, text: string, restriction: Restriction, at: number, limit: number): Matches {
  const all = matching(kept, text, restriction);
  const before = all.filter(({ span }) => span.start_ns < at).length;
  const { function: functions, site } = kept.calls;
  const rows = all.slice(before, before + limit).map((one) => ({ ...one.span, function: functions![one.at]!, site: site![one.at]! }));
  return { total: all.length, before, rows };
}
