/** Iterations without individual starts are taken as equally long within their window. */

import type { Iterations, Run } from "./types";

/** Limit of the starts in memory; with more iterations, the ruler ends there. */
const MOST = 4_000_000;

export function allIterations(known: Iterations): Iterations {
  const { windows, count } = known;
  if (!windows || known.from_ns.length >= count) return known;
  const from = [...known.from_ns];
  const last = Math.min(count, MOST);
  let at = 0;
  for (let i = from.length; i < last; i++) {
    while (at + 1 < windows.first.length && windows.first[at + 1]! <= i) at++;
    const first = windows.first[at]!;
    const next = Math.max(windows.first[at + 1] ?? count, first + 1);
    const begin = windows.from_ns[at]!;
    const end = Math.max(windows.from_ns[at + 1] ?? windows.until_ns, begin);
    from.push(Math.max(from[i - 1] ?? 0, begin + ((end - begin) * (i - first)) / (next - first)));
  }
  const until = from.map((ns, i) => (i < known.until_ns.length ? known.until_ns[i]! : Math.max(ns, from[i + 1] ?? windows.until_ns)));
  return { ...known, from_ns: from, until_ns: until };
}

/** A received run, with all iterations. */
export const withAllIterations = (run: Run): Run => (run.iterations ? { ...run, iterations: allIterations(run.iterations) } : run);
