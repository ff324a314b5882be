/** From a finding to the view that proves it. */

import type { App } from "../app";
import type { Finding, Proof } from "../protocol/report";
import { type ViewState, NO_FILTER } from "../state/view";
import { fit, stateOf } from "../state/window";

/** The timeline at one of a finding's stretches. */
export function showProof(app: App, index: number, proof: Proof): void {
  const rank = app.rankOfWorld(proof.rank);
  const position = app.positions[rank] ?? -1;
  const window = fit(app.whole, app.whole, proof.start_ns, proof.end_ns, position < 0 ? null : position);
  app.store.set({
    page: "views",
    finding: index,
    area: null,
    selection: proof.row === null ? null : { rank, row: proof.row },
    ...stateOf({ ...window, row_from: 0, row_until: app.rows }, app.whole),
    layers: [...new Set([...app.store.state.layers, "waits" as const, "messages" as const, "collectives" as const])],
  });
}

/** All views about the calls that a finding is about. */
export function showCalls(app: App, index: number, finding: Finding): void {
  const names = [finding.evidence.function, ...(Array.isArray(finding.evidence.functions) ? (finding.evidence.functions as unknown[]) : [])];
  const functions = names.map((name) => (typeof name === "string" ? (app.names?.functionId(name) ?? null) : null)).filter((id): id is number => id !== null);
  const change: Partial<ViewState> = {
    page: "views",
    finding: index,
    filter: { ...NO_FILTER, functions: functions.length ? functions : null },
    area: null,
    selection: null,
    from: null,
    until: null,
    left: "table",
    right: "scatter",
    table: { by: finding.sites.length > 1 ? "site" : "rank", sort: "total_ns", ascending: false },
    scatter: { ...app.store.state.scatter, x: "end", y: "duration", x_min: null, x_max: null, y_min: null, y_max: null },
  };
  app.store.set(change);
}
