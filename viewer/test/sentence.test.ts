import { expect, test } from "vitest";
import { endings, mishaps, sentence } from "../src/overview/sentence";
import type { Finding, Report } from "../src/protocol/report";

const ended = (rank: number, fate: object, in_flight: object[] = []): object => ({ rank, fate, in_flight });

function report(change: object = {}, ranks: object[] = []): Report {
  return {
    checks: null,
    overview: { all_normal: ranks.length === 0, missing: [] },
    ranks,
    explanation: { scope: { rank_time_ns: 1000 }, time: { computing_ns: 900, waiting_ns: 50, communicating_ns: 50 }, findings: [], stuck: null },
    ...change,
  } as unknown as Report;
}

const finding = (change: Partial<Finding>): Finding => ({ id: "late_sender", title: "Rank 5 sends late.", share: 0.3, savable_ns: 200, is_bound: false, caused_by: null, ...change }) as Finding;

test("without facts there is no sentence", () => {
  expect(sentence(null)).toBeNull();
  expect(sentence(report({ explanation: null }))).toBeNull();
});

test("the verdict is what costs most and what that is worth", () => {
  const of = (f: Finding): string => sentence(report({ explanation: { ...report().explanation!, findings: [f] } }))!.text;
  expect(of(finding({}))).toBe("Rank 5 sends late; without it the run takes 20.0 % less rank time.");
  expect(of(finding({ is_bound: true }))).toBe("Rank 5 sends late; without it the run takes up to 20.0 % less rank time.");
  expect(of(finding({ savable_ns: null }))).toBe("Rank 5 sends late; it costs 30.0 % of the rank time.");
  expect(sentence(report())).toEqual({ weight: "good", text: "No finding costs much: ranks compute for 90.0 % of the time and wait for 5.0 %." });
});

test("who died by itself comes before who was ended because of that, and before those that were stuck", () => {
  const call = { call: "MPI_Allreduce", site: "main a.c:6", comm: null, peer: null };
  const ranks = [ended(0, { kind: "killed", signal_name: "SIGTERM" }, [call]), ended(1, { kind: "killed", signal_name: "SIGTERM" }, [call]), ended(2, { kind: "killed", signal_name: "SIGSEGV" })];
  const stuck = { kind: "stuck", text: "ranks 0 and 1 in MPI_Allreduce", advice: "" };
  const found = report({ explanation: { ...report().explanation!, stuck } }, ranks);
  expect(endings(found).map((e) => [e.ranks, e.isOwn])).toEqual([
    [[2], true],
    [[0, 1], false],
  ]);
  expect(sentence(found)).toEqual({ weight: "bad", text: "Rank 2 was killed by SIGSEGV." });
  // In a deadlock the signal only ended what would not have ended.
  const deadlock = report({ explanation: { ...report().explanation!, stuck: { ...stuck, kind: "deadlock", text: "rank 0 waits for rank 1." } } }, ranks);
  expect(sentence(deadlock)!.text).toBe("Deadlock: rank 0 waits for rank 1.");
});

test("an error that a check is certain of comes before what costs time, and before its warnings", () => {
  const check = (severity: string, title: string): object => ({ severity, title, confidence: "certain", suppressed: false });
  const checks = { processes: 2, events_lost: 0, notes: [], findings: [check("warning", "A request is never freed"), check("error", "Datatypes do not match")] };
  expect(sentence(report({ checks }))).toEqual({ weight: "bad", text: "Datatypes do not match, and 1 more finding of the check." });
});

test("ends, damage and loss have a place on the timeline", () => {
  const run = {
    unreadable: "5 calls of rank 1 cannot be read",
    ranks: { rows_from_ns: [10, 10, 10], rows_until_ns: [900, 500, 700], first_ns: [10, 10, 400], calls_lost: [0, 5, 30], calls_unreadable: [0, 5, 0] },
  } as never;
  const found = mishaps(run, report({}, [ended(0, { kind: "killed", signal_name: "SIGSEGV" })]), (rank) => rank);
  expect(found.map(({ weight, at }) => [weight, at])).toEqual([
    ["bad", { rank: 0, ns: 900 }],
    ["bad", { rank: 1, ns: 500 }],
    ["warn", { rank: 2, ns: 400 }],
  ]);
  expect(found[2]!.text).toMatch(/^30 calls of 1 rank were overwritten/);
  expect(mishaps({ ranks: { rows_until_ns: [1], rows_from_ns: [0], calls_lost: [0] } } as never, report(), (rank) => rank)).toEqual([]);
});
