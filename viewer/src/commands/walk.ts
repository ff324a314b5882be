/** From event to event. */

import type { App } from "../app";
import type { StepBy } from "../protocol/client";
import type { CallSpan } from "../protocol/types";
import { searchableFunctions } from "../state/scope";
import { NO_FILTER } from "../state/view";
import type { Command, Key } from "./command";

type Direction = "next" | "previous";

/** The longest call in sight: where walking begins if nothing is selected. */
async function longest(app: App, signal: AbortSignal): Promise<CallSpan | null> {
  const state = app.store.state;
  const { from, until, row_from, row_until } = app.window;
  const calls = await app.client.calls(
    { ...state.filter, from: Math.round(from), until: Math.round(until), row_from: Math.floor(row_from), row_until: Math.ceil(row_until), order: state.order, limit: 1 },
    signal,
  );
  if (!calls.length) return null;
  return { rank: calls.rank[0]!, row: calls.row[0]!, start_ns: calls.start_ns[0]!, end_ns: calls.start_ns[0]! + calls.duration_ns[0]! };
}

const WHAT: Record<StepBy, string> = {
  rank: "in this rank",
  functions: "of functions that are shown",
  function: "of the same function",
  comm: "on the same communicator",
  message: "at the other end of a message",
  collective: "in the same collective operation",
  longer: "that takes longer",
  site: "from the same call site",
};

export function walk(app: App, by: StepBy, direction: Direction): void {
  const ref = app.store.state.selection;
  if (!ref) {
    void app.goTo((signal) => longest(app, signal), "There are no calls in sight.");
    return;
  }
  const stops = by === "rank" ? searchableFunctions({ ...app.store.state, filter: NO_FILTER }, app.run?.functions ?? []) : null;
  const more = by === "longer" ? { than_ns: app.detail?.duration_ns ?? 0 } : stops ? { functions: stops } : {};
  void app.goTo((signal) => app.client.step(ref, stops ? "functions" : by, direction, more, signal), `There is no ${direction} call ${WHAT[by]}.`);
}

/** Along the message if the call has one, or else through the members of its collective operation. */
export function along(app: App, direction: Direction): void {
  const isCollective = !!app.detail?.collective && !app.detail.messages.length;
  walk(app, isCollective ? "collective" : "message", direction);
}

function step(id: string, title: string, by: StepBy, direction: Direction, keys: readonly Key[]): Command {
  return {
    id,
    title,
    group: "Walk",
    keys,
    when: (app) => app.run?.state === "ready" && app.store.state.page === "views",
    run: (app) => walk(app, by, direction),
  };
}

export const WALK: readonly Command[] = [
  step("next", "Next call in the rank", "rank", "next", [{ code: "Period" }]),
  step("previous", "Previous call in the rank", "rank", "previous", [{ code: "Comma" }]),
  { ...step("along-next", "To the other end of the message, or the next member of the collective operation", "message", "next", [{ code: "BracketRight" }]), run: (app) => along(app, "next") },
  { ...step("along-previous", "The same, the other way", "message", "previous", [{ code: "BracketLeft" }]), run: (app) => along(app, "previous") },
  step("next-function", "Next call of the same function", "function", "next", [{ code: "KeyG" }]),
  step("previous-function", "Previous call of the same function", "function", "previous", [{ code: "KeyG", shift: true }]),
  step("next-comm", "Next call on the same communicator", "comm", "next", [{ code: "KeyC" }]),
  step("previous-comm", "Previous call on the same communicator", "comm", "previous", [{ code: "KeyC", shift: true }]),
  step("next-site", "Next call from the same call site", "site", "next", [{ code: "KeyE" }]),
  step("previous-site", "Previous call from the same call site", "site", "previous", [{ code: "KeyE", shift: true }]),
  step("next-longer", "Next call that takes longer", "longer", "next", [{ code: "KeyN" }]),
  step("previous-longer", "Previous call that takes longer", "longer", "previous", [{ code: "KeyN", shift: true }]),
  {
    id: "longest",
    title: "Longest call in sight",
    group: "Walk",
    keys: [{ code: "KeyL" }],
    when: (app) => app.run?.state === "ready" && app.store.state.page === "views",
    run: (app) => void app.goTo((signal) => longest(app, signal), "There are no calls in sight."),
  },
];
