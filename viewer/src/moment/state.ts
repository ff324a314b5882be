/** The state at a moment in words and rows: pure functions for the pane and for tests. */

import { bytes, count, counted } from "../format";
import type { Moment, Stage } from "../protocol/types";

export const STAGE_TITLES: Record<Stage, { title: string; help: string }> = {
  unexpected: { title: "unexpected", help: "Sent before its receive is posted. The MPI library keeps it in the queue of unexpected messages, or the sender waits." },
  posted: { title: "posted", help: "The receive is posted; the send has not started." },
  in_flight: { title: "in flight", help: "Sent, and the receive is posted; no call has completed the receive yet." },
  received: { title: "send not completed", help: "Received; no call of the sender has completed the send yet." },
};

/** Number of messages in each stage that occurs. */
export function summary(moment: Moment): string {
  const counts = new Map<Stage, number>();
  for (const stage of moment.messages.stage) {
    const name = moment.head.stages[stage]!;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const parts = moment.head.stages.filter((stage) => counts.has(stage)).map((stage) => `${count(counts.get(stage)!)} ${STAGE_TITLES[stage].title}`);
  const { total } = moment.head;
  if (!total) return "no message is pending";
  const all = counted(total, "pending message");
  return moment.head.is_cut ? `${all}, of which the ${count(moment.messages.length)} oldest: ${parts.join(", ")}` : `${all}: ${parts.join(", ")}`;
}

export type RankSort = "rank" | "sends" | "receives" | "unexpected" | "since";

/** The shown ranks of a moment, sorted by one of their numbers; equal ones by rank. */
export function sortedRanks(moment: Moment, shown: (rank: number) => boolean, sort: RankSort, ascending: boolean): number[] {
  const { ranks } = moment;
  const value: Record<RankSort, (rank: number) => number> = {
    rank: (rank) => rank,
    sends: (rank) => ranks.sends[rank]!,
    receives: (rank) => ranks.receives[rank]!,
    unexpected: (rank) => ranks.unexpected[rank]!,
    // The longest call in progress started first; a rank outside MPI has none.
    since: (rank) => (ranks.call_row[rank]! < 0 ? -1 : moment.head.at_ns - ranks.call_start_ns[rank]!),
  };
  const by = value[sort];
  const all = Array.from({ length: ranks.sends.length }, (_, rank) => rank).filter(shown);
  return all.sort((a, b) => (ascending ? by(a) - by(b) : by(b) - by(a)) || a - b);
}

/** `3 · 24.0 KiB`; empty without messages. */
export const load = (messages: number, payload: number): string => (messages ? `${count(messages)} · ${bytes(payload)}` : "");
