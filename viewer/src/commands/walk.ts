/** Steps from call to call. */

import type { App } from "../app";
import type { StepBy } from "../protocol/client";
import type { CallSpan } from "../protocol/types";
import { searchableFunctions } from "../state/scope";
import { NO_FILTER } from "../state/view";
import { longestInSight } from "../timeline/longest";
import type { Command, Key } from "./command";

type Direction = "next" | "previous";

const WHAT: Record<StepBy, string> = {
  rank: "on this rank",
  functions: "of the functions that are shown",
  function: "of the same function",
  comm: "on the same communicator",
  message: "at the other end of a message",
  collective: "in the same collective operation",
  longer: "that takes longer",
  site: "from the same call site",
};

async function next(app: App, by: StepBy, direction: Direction, signal: AbortSignal): Promise<CallSpan | null> {
  const ref = app.store.state.selection!;
  if (by === "longer") return app.client.step(ref, by, direction, { than_ns: (await app.selected())?.duration_ns ?? 0 }, signal);
  const stops = by === "rank" ? searchableFunctions({ ...app.store.state, filter: NO_FILTER }, app.run?.functions ?? []) : null;
  return app.client.step(ref, stops ? "functions" : by, direction, stops ? { functions: stops } : {}, signal);
}

/** `by` is evaluated when its turn comes: the result of the steps before it is unknown until then. */
function go(app: App, by: () => StepBy | Promise<StepBy>, direction: Direction): void {
  let what = "";
  const ask = async (signal: AbortSignal): Promise<CallSpan | null> => {
    if (!app.store.state.selection) {
      what = NO_CALLS;
      return longestInSight(app, signal);
    }
    const chosen = await by();
    what = `There is no ${direction} call ${WHAT[chosen]}.`;
    return next(app, chosen, direction, signal);
  };
  void app.goTo(ask, () => what);
}

const NO_CALLS = "No calls are visible.";

export const walk = (app: App, by: StepBy, direction: Direction): void => go(app, () => by, direction);

/** Along the message if the call has one, or else through the members of its collective operation. */
export function along(app: App, direction: Direction): void {
  const by = async (): Promise<StepBy> => {
    const detail = await app.selected();
    return detail?.collective && !detail.messages.length ? "collective" : "message";
  };
  go(app, by, direction);
}

/** A key that does nothing, and says nothing, looks broken. */
function onceRead(run: (app: App) => void): Pick<Command, "when" | "run"> {
  return {
    when: (app) => app.run !== null && app.run.state !== "failed" && app.store.state.page === "views",
    run: (app) => (app.run?.state === "ready" ? run(app) : app.say("Steps from call to call are available once the run is loaded.")),
  };
}

function step(id: string, title: string, by: StepBy, direction: Direction, keys: readonly Key[]): Command {
  return {
    id,
    title,
    group: "Step",
    keys,
    ...onceRead((app) => walk(app, by, direction)),
  };
}

export const WALK: readonly Command[] = [
  step("next", "Next call on the rank", "rank", "next", [{ code: "Period" }]),
  step("previous", "Previous call on the rank", "rank", "previous", [{ code: "Comma" }]),
  { ...step("along-next", "Other end of the message, or next member of the collective operation", "message", "next", [{ code: "BracketRight" }]), ...onceRead((app) => along(app, "next")) },
  { ...step("along-previous", "Other end of the message, or previous member of the collective operation", "message", "previous", [{ code: "BracketLeft" }]), ...onceRead((app) => along(app, "previous")) },
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
    title: "Longest visible call",
    group: "Step",
    keys: [{ code: "KeyL" }],
    ...onceRead((app) => void app.goTo((signal) => longestInSight(app, signal), NO_CALLS)),
  },
];
