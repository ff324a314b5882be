/** From a call that the check names to the timeline. */

import type { App } from "../app";
import type { CheckCall } from "../protocol/report";
import { fit, stateOf } from "../state/window";

/** The check reports a call when it is entered; the recorded call starts within this distance. */
const NEAR_NS = 100_000;
const CALLS = 200;

/** The timeline at a call of a finding, with the call selected. */
export async function showCall(app: App, call: CheckCall): Promise<void> {
  const at = call.at_ns;
  if (at === null) return;
  const rank = app.rankOfWorld(call.rank);
  const calls = await app.client.calls({ ranks: String(rank), from: Math.max(0, at - NEAR_NS), until: at + NEAR_NS, limit: CALLS });
  let found = -1;
  // The call in progress at that moment, or the next one; the name decides between neighbours.
  const distance = (i: number): number => {
    const start = calls.start_ns[i]!;
    const end = start + calls.duration_ns[i]!;
    const away = at < start ? start - at : at > end ? at - end : 0;
    return away + (app.names?.function(calls.function[i]!) === call.function ? 0 : NEAR_NS);
  };
  for (let i = 0; i < calls.length; i++) if (found < 0 || distance(i) < distance(found)) found = i;
  const [start, end] = found < 0 ? [at, at] : [calls.start_ns[found]!, calls.start_ns[found]! + calls.duration_ns[found]!];
  const position = app.positions[rank] ?? -1;
  const window = fit(app.whole, app.whole, start, end, position < 0 ? null : position);
  app.store.set({
    page: "views",
    finding: null,
    area: null,
    selection: found < 0 ? null : { rank, row: calls.row[found]! },
    ...stateOf({ ...window, row_from: 0, row_until: app.rows }, app.whole, app.main),
  });
}
