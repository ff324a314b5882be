/** From a finding to the view that proves it. */

import type { App } from "../app";
import { rankList } from "../format";
import type { Finding, Proof } from "../protocol/report";
import { withPart } from "../state/order";
import { type Layer, type ViewState, NO_FILTER } from "../state/view";
import { type Window, fit, stateOf } from "../state/window";

/** At most this many causing and this many waiting ranks are shown together. */
const MOST_CULPRITS = 4;
const MOST_VICTIMS = 4;
/** Rows that can still be distinguished and labelled. */
const ROWS = 24;
const LAYERS: readonly Layer[] = ["waits", "messages", "rma", "collectives"];

/** The ranks that show a finding: causing and waiting ones; by their numbers in MPI_COMM_WORLD. */
export function ranksToSee(finding: Pick<Finding, "cause_ranks" | "ranks">, victim: number | null): number[] {
  const culprits = finding.cause_ranks.slice(0, MOST_CULPRITS);
  const others = finding.ranks.filter((rank) => !culprits.includes(rank));
  const victims = victim === null || culprits.includes(victim) ? others.slice(0, culprits.length ? 1 : MOST_VICTIMS) : [victim];
  return [...culprits, ...victims];
}

/** Moves ranks together to the top, unless all ranks are visible anyway. */
function beside(app: App, worldRanks: readonly number[]): Pick<ViewState, "order"> {
  const { order } = app.store.state;
  const ranks = worldRanks.map((rank) => app.rankOfWorld(rank));
  const places = ranks.map((rank) => app.positions[rank] ?? -1);
  const areBeside = places.every((at) => at >= 0) && Math.max(...places) - Math.min(...places) < places.length;
  if (!ranks.length || (areBeside && app.rows <= ROWS)) return { order };
  return { order: withPart(withPart(order, "ranks", null), "pin", rankList(ranks)) };
}

/** The common part of all views of a finding's place. `window`: the visible time. */
function place(app: App, index: number, window: Window, worldRanks: readonly number[]): Partial<ViewState> {
  const rows = Math.min(Math.max(app.run?.ranks.count ?? 1, 1), ROWS);
  const whole = { ...app.whole, row_from: 0, row_until: app.run?.ranks.count ?? app.rows };
  return {
    page: "views",
    finding: index,
    filter: NO_FILTER,
    area: null,
    ...beside(app, worldRanks),
    ...stateOf({ ...window, row_from: 0, row_until: rows }, whole, app.main),
    layers: [...new Set([...app.store.state.layers, ...LAYERS])],
  };
}

/** The timeline at one of a finding's intervals, with a causing rank beside a waiting one. */
export function showProof(app: App, index: number, proof: Proof): void {
  const finding = app.report?.explanation?.findings[index];
  const rank = app.rankOfWorld(proof.rank);
  const window = fit(app.whole, app.whole, proof.start_ns, proof.end_ns, null);
  app.store.set({
    ...place(app, index, window, finding ? ranksToSee(finding, proof.rank) : [proof.rank]),
    selection: proof.row === null ? null : { rank, row: proof.row },
  });
}

/** The timeline at the place of a finding: one of its intervals, else its iterations, else the main part of the run. */
export function showFinding(app: App, index: number, finding: Finding): void {
  const [proof] = finding.proof;
  if (proof) {
    showProof(app, index, proof);
    return;
  }
  const times = app.run?.iterations;
  const [first, last] = finding.iterations?.[0] ?? [];
  const from = first === undefined ? undefined : times?.from_ns[first];
  const until = last === undefined ? undefined : times?.until_ns[last];
  const window = from === undefined || until === undefined || until <= from ? app.main : { ...app.main, from, until };
  app.store.set({ ...place(app, index, window, ranksToSee(finding, null)), selection: null });
}

/** The timeline at a moment of a rank. */
export function showMoment(app: App, { rank, ns }: { rank: number; ns: number }): void {
  const { whole, main } = app;
  const width = Math.max((main.until - main.from) / 50, 1000);
  const position = app.positions[rank] ?? -1;
  const window = fit(whole, whole, ns - width / 2, ns + width / 2, position < 0 ? null : position);
  app.store.set({ page: "views", finding: null, area: null, selection: null, ...stateOf({ ...window, row_from: 0, row_until: app.rows }, whole, main) });
}

/** All views filtered by the calls of a finding. */
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
    isWhole: false,
    left: "table",
    right: "scatter",
    table: { by: finding.sites.length > 1 ? "site" : "rank", sort: "total_ns", ascending: false },
    scatter: { ...app.store.state.scatter, x: "end", y: "duration", x_min: null, x_max: null, y_min: null, y_max: null },
  };
  app.store.set(change);
}
