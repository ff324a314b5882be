/** The basis of an answer in words; and how an answer from a sample becomes one from all calls. */

import type { App } from "./app";
import type { Refining } from "./ask";
import { percent, share, time } from "./format";
import type { Careful } from "./protocol/client";
import type { Basis } from "./protocol/types";

/** Empty where all calls were read. */
export function basisText(basis: Basis | undefined, done: number | null, what = "calls"): string {
  if (!basis || basis.kind === "calls") return "";
  if (basis.kind === "sample") return ` · sample of ${percent(basis.share)} of the ${what}${done === null ? "" : `; reading all: ${percent(done)}`}`;
  const widths = [basis.bin_ns > 0 ? time(basis.bin_ns) : "", basis.share > 0 ? share(basis.share) : ""].filter(Boolean);
  return ` · from bins of ${widths.join(" and ")}`;
}

let names = 0;
const page = Math.random().toString(36).slice(2, 8);

/** Requests a quick answer first, and reads all calls where the quick answer comes from a sample. */
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
