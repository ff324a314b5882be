/** The state at a moment, from the messages and calls in the page: computed as in `view/state_at.rs`. */

import { encodeFrame } from "../protocol/frame";
import type { Stage } from "../protocol/types";
import { type KeptCalls, type Table, pick, ranksOf, tableOf } from "./calls";
import type { Pack } from "./pack";

/** A side that starts at `start` (−1: unknown) and is completed at `done` (−1: never). */
const hasBegun = (start: number, at: number): boolean => start >= 0 && start <= at;
const isOpen = (start: number, done: number, at: number): boolean => hasBegun(start, at) && (done < 0 || at < done);

/** The stage of message `i` at a moment; null before it starts and after it is completed. */
export function stageOf(m: Table, i: number, at: number): Stage | null {
  const [sent, posted] = [m.sent_ns![i]!, m.posted_ns![i]!];
  const sendIsOpen = isOpen(sent, m.send_done_ns![i]!, at);
  const receiveIsOpen = isOpen(posted, m.receive_done_ns![i]!, at);
  if (hasBegun(sent, at) && hasBegun(posted, at)) return receiveIsOpen ? "in_flight" : sendIsOpen ? "received" : null;
  if (hasBegun(sent, at)) return m.is_lost![i] || posted >= 0 ? "unexpected" : sendIsOpen ? "in_flight" : null;
  if (hasBegun(posted, at)) return sent >= 0 || receiveIsOpen ? "posted" : null;
  return null;
}

/** Frame `moment`, as the server would send it; null where the page has too little data. */
export function momentFrame(pack: Pack, kept: KeptCalls, at: number, ranks: string | null | undefined, limit: number): ArrayBuffer | null {
  const buffer = pack.buffer("lifetimes");
  const waits = pack.buffer("waits");
  if (!buffer || !waits) return null;
  const { head, table: m, length } = tableOf(buffer);
  const stages = head.stages as Stage[];
  const isRank = ranksOf(ranks) ?? ((): boolean => true);
  const count = kept.run.ranks.count;
  const zeros = (): Float64Array => new Float64Array(count);
  const loads = { sends: [zeros(), zeros()], receives: [zeros(), zeros()], unexpected: [zeros(), zeros()] };
  const rows: number[] = [];
  const stage: number[] = [];
  for (let i = 0; i < length; i++) {
    const [sender, receiver] = [m.sender![i]!, m.receiver![i]!];
    if (!(sender >= 0 && isRank(sender)) && !(receiver >= 0 && isRank(receiver))) continue;
    const found = stageOf(m, i, at);
    if (!found) continue;
    rows.push(i);
    stage.push(stages.indexOf(found));
    const add = (to: Float64Array[], rank: number): void => {
      if (rank < 0 || rank >= count || !isRank(rank)) return;
      to[0]![rank]! += 1;
      to[1]![rank]! += m.bytes![i]!;
    };
    if (isOpen(m.sent_ns![i]!, m.send_done_ns![i]!, at)) add(loads.sends, sender);
    if (isOpen(m.posted_ns![i]!, m.receive_done_ns![i]!, at)) add(loads.receives, receiver);
    if (found === "unexpected") add(loads.unexpected, receiver);
  }
  const row = zeros().fill(-1);
  const start = zeros().fill(-1);
  const inside = new Int32Array(count).fill(-1);
  const c = kept.calls;
  for (const i of kept.wanted({ from: at, until: at + 1, ranks: ranks ?? null })) {
    const rank = c.rank![i]!;
    // The innermost call started last.
    const isLater = c.start_ns![i]! > start[rank]! || (c.start_ns![i] === start[rank] && c.row![i]! > row[rank]!);
    if (c.start_ns![i]! > at || kept.end(i) <= at || !isLater) continue;
    [row[rank], start[rank], inside[rank]] = [c.row![i]!, c.start_ns![i]!, c.function![i]!];
  }
  const waiting = new Uint8Array(count);
  const w = tableOf(waits);
  for (let i = 0; i < w.length; i++) {
    const rank = w.table.rank![i]!;
    if (isRank(rank) && w.table.start_ns![i]! <= at && at < w.table.end_ns![i]!) waiting[rank] = 1;
  }
  const counts = (of: Float64Array[]): Uint32Array => Uint32Array.from(of[0]!);
  const { send_done_ns: _send, receive_done_ns: _receive, is_lost: _lost, ...messages } = m;
  return encodeFrame(
    { kind: "moment", at_ns: at, stages, total: rows.length, is_cut: rows.length > limit },
    {
      call_row: row,
      call_function: inside,
      call_start_ns: start,
      waits: waiting,
      sends: counts(loads.sends),
      sends_bytes: loads.sends[1]!,
      receives: counts(loads.receives),
      receives_bytes: loads.receives[1]!,
      unexpected: counts(loads.unexpected),
      unexpected_bytes: loads.unexpected[1]!,
      stage: Uint8Array.from(stage.slice(0, limit)),
      ...pick(messages, rows.slice(0, limit)),
    },
  );
}
