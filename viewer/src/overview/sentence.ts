/** The first statement about a run: one sentence, and facts that the user must not overlook. Pure functions. */

import { isSure, worstFirst } from "../checks/sure";
import { counted, ranksText, share } from "../format";
import type { Report } from "../protocol/report";
import type { Run } from "../protocol/types";
import { arranged, saving } from "./worth";

export type Weight = "bad" | "warn" | "plain" | "good";

export interface Sentence {
  weight: Weight;
  text: string;
}

/** An abnormal event on some ranks, with its place on the timeline. */
export interface Mishap {
  weight: "bad" | "warn";
  text: string;
  /** Index of the rank in pictures, and the moment; null without a place. */
  at: { rank: number; ns: number } | null;
}

const clause = (ranks: readonly number[], predicate: string): string =>
  `${ranksText(ranks).replace(/^r/, "R")} ${ranks.length === 1 ? predicate : predicate.replace(/^was /, "were ")}`;
/** Without the final stop, so that the sentence can continue. */
const open = (text: string): string => text.trim().replace(/\.$/, "");

type RankReport = Report["ranks"][number];

/** How a rank ended, as a predicate; null for a normal end. */
function ending({ fate, in_flight }: RankReport): string | null {
  const inside = in_flight[0] ? `, in ${in_flight[0].call}${in_flight[0].site ? ` at ${in_flight[0].site}` : ""}` : "";
  switch (fate.kind) {
    case "killed":
      return `was killed by ${fate.signal_name ?? "a signal"}${inside}`;
    case "aborted":
      return `called MPI_Abort${inside && in_flight[0]!.call !== "MPI_Abort" ? inside : ""}`;
    case "exited":
      return `ended without MPI_Finalize${fate.exit_code ? `, with exit status ${fate.exit_code}` : ""}${inside}`;
    case "finalized-then-failed":
      return `failed after MPI_Finalize${fate.signal_name ? ` with ${fate.signal_name}` : fate.exit_code ? ` with exit status ${fate.exit_code}` : ""}`;
    case "unfinished":
      return `ended without a record${inside}`;
    case "running":
      return null;
    default:
      return in_flight.length ? `did not return from ${in_flight[0]!.call}` : null;
  }
}

/** Signals that come from outside: from a launcher, a batch system, a timer. */
const FROM_OUTSIDE = ["SIGTERM", "SIGKILL", "SIGINT", "SIGHUP", "SIGALRM", "SIGXCPU", "SIGUSR1", "SIGUSR2"];

export interface Ending {
  text: string;
  ranks: number[];
  /** It ended by itself; the others mostly end as a consequence. */
  isOwn: boolean;
}

const isOwn = ({ fate }: RankReport): boolean => fate.kind === "aborted" || fate.kind === "exited" || (fate.kind === "killed" && !FROM_OUTSIDE.includes(fate.signal_name ?? ""));

/** The abnormal ends of ranks, equal ends together. Ranks that ended by themselves come first. */
export function endings(report: Report): Ending[] {
  const found = new Map<string, Ending>();
  for (const rank of report.overview.all_normal ? [] : report.ranks) {
    const text = ending(rank);
    if (text === null) continue;
    const known = found.get(text);
    if (known) known.ranks.push(rank.rank);
    else found.set(text, { text, ranks: [rank.rank], isOwn: isOwn(rank) });
  }
  return [...found.values()].sort((a, b) => Number(b.isOwn) - Number(a.isOwn));
}

/** Abnormal ends, damage and loss. `rankOf`: index in pictures of a rank of the report. */
export function mishaps(run: Pick<Run, "ranks" | "unreadable">, report: Report | null, rankOf: (worldRank: number) => number): Mishap[] {
  const { rows_until_ns: ends, first_ns: firsts, rows_from_ns: begins, calls_lost: lost, calls_unreadable: unreadable } = run.ranks;
  const found: Mishap[] = [];
  for (const { text, ranks } of report ? endings(report) : []) {
    const rank = rankOf(ranks[0]!);
    found.push({ weight: "bad", text: `${clause(ranks, text)}.`, at: ends[rank] === undefined ? null : { rank, ns: ends[rank]! } });
  }
  const missing = report?.overview.missing ?? [];
  if (missing.length) {
    const ranks = missing.flatMap((part) => (Array.isArray(part) ? Array.from({ length: part[1] - part[0] + 1 }, (_, i) => part[0] + i) : [part]));
    found.push({ weight: "bad", text: `The run has no data of ${ranksText(ranks)}.`, at: null });
  }
  if (run.unreadable) {
    const rank = unreadable?.findIndex((n) => n > 0) ?? -1;
    found.push({ weight: "bad", text: `${open(run.unreadable)}. The analysis covers the rest.`, at: rank < 0 ? null : { rank, ns: ends[rank] ?? 0 } });
  }
  const overwritten = lost.map((n, rank) => n - (unreadable?.[rank] ?? 0));
  const of = overwritten.flatMap((n, rank) => (n > 0 ? [rank] : []));
  if (of.length) {
    const sum = overwritten.reduce((all, n) => all + Math.max(0, n), 0);
    const first = (firsts ?? begins)[of[0]!];
    found.push({
      weight: "warn",
      text: `${counted(sum, "call")} of ${counted(of.length, "rank")} ${sum === 1 ? "was" : "were"} overwritten: the counts and times of functions include them, but the timeline starts after them. To keep them, record with a larger --buffer.`,
      at: first === undefined ? null : { rank: of[0]!, ns: first },
    });
  }
  return found;
}

/** The verdict in one sentence; null while nothing is known. */
export function sentence(report: Report | null): Sentence | null {
  if (!report) return null;
  const { explanation, checks } = report;
  const died = endings(report)[0];
  const ended = died && { weight: "bad" as const, text: `${clause(died.ranks, died.text)}.` };
  const { stuck } = explanation ?? {};
  // Ranks that ended by themselves never arrived; the others only waited for them.
  if (died?.isOwn && stuck?.kind !== "deadlock") return ended!;
  if (stuck) return { weight: "bad", text: `${stuck.kind === "deadlock" ? "Deadlock" : "Stuck"}: ${open(stuck.text)}.` };
  if (ended) return ended;
  const wrong = (checks?.findings.filter((f) => !f.suppressed && isSure(f)) ?? []).sort(worstFirst);
  const [worst] = wrong;
  if (worst) return { weight: worst.severity === "error" ? "bad" : "warn", text: `${open(worst.title)}${wrong.length > 1 ? `, and ${counted(wrong.length - 1, "more finding")} of the check` : ""}.` };
  if (!explanation) return null;
  const whole = Math.max(1, explanation.scope.rank_time_ns);
  const { computing_ns, waiting_ns } = explanation.time;
  const [root] = arranged(explanation.findings, whole).roots;
  if (root) {
    const { title, gain, is_bound, share: cost } = root.finding;
    const saved = saving(root.finding, whole);
    const worth =
      saved === null
        ? `it costs ${share(cost)} of the rank time`
        : gain
          ? `changing it gains ${share(saved)} of the run's time`
          : `without it the run takes ${is_bound ? "up to " : ""}${share(saved)} less rank time`;
    return { weight: "warn", text: `${open(title)}; ${worth}.` };
  }
  return { weight: "good", text: `No finding costs much: ranks compute for ${share(computing_ns / whole)} of the time and wait for ${share(waiting_ns / whole)}.` };
}
