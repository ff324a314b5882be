/** What an answer was made of, in words; and how an answer of a sample becomes one of all calls. */

import type { App } from "./app";
import type { Refining } from "./ask";
import { time } from "./format";
import type { Careful } from "./protocol/client";
import type { Basis } from "./protocol/types";

const percent = (share: number): string => `${share < 0.01 ? (100 * share).toPrecision(1) : Math.round(100 * share)} %`;

/** Nothing where all calls were looked at. */
export function basisText(basis: Basis | undefined, done: number | null, what = "calls"): string {
  if (!basis || basis.kind === "calls") return "";
  if (basis.kind === "sample") return ` · ${percent(basis.share)} of the ${what}${done === null ? "" : `, reading all: ${percent(done)}`}`;
  const widths = [basis.bin_ns > 0 ? time(basis.bin_ns) : "", basis.share > 0 ? `${100 * basis.share} %` : ""].filter(Boolean);
  return ` · from bins of ${widths.join(" and ")}`;
}

let names = 0;
const page = Math.random().toString(36).slice(2, 8);

/** Asks quickly first, and all calls where that was a sample. */
export function careful<P extends object, T extends { basis: Basis }>(
  app: App,
  parameters: P,
  ask: (parameters: P & Careful, signal: AbortSignal) => Promise<T>,
): [(signal: AbortSignal) => Promise<T>, Refining<T>] {
  const name = `${page}-${names++}`;
  return [
    (signal) => ask({ ...parameters, quick: true }, signal),
    {
      isSample: (value) => value.basis?.kind === "sample",
      exact: (signal) => ask({ ...parameters, ask: name }, signal),
      done: (signal) => app.client.working(name, signal),
    },
  ];
}
