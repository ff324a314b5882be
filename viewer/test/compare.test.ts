import { expect, test } from "vitest";
import { ratioText, signed, sortedRows } from "../src/compare/differences";
import { findingChanges, lines } from "../src/compare/summary";
import type { Finding, Report } from "../src/protocol/report";
import type { DifferenceRow } from "../src/protocol/types";

const finding = (id: string, cost_ns: number, sites: string[]): Finding => ({ id, cost_ns, sites, title: id, text: "", advice: "", share: 0, confidence: "high", ranks: [], cause_ranks: [], regions: [], iterations: null, evidence: {}, savable_ns: null, is_bound: false, gain: null, alternatives: [], caused_by: null, proof: [] });
const report = (findings: Finding[], length = 100): Report =>
  ({
    overview: { calls: 5, ranks: 2 },
    explanation: { findings, time: { computing_ns: 1, waiting_ns: 2, communicating_ns: 3 }, scope: { rank_time_ns: 6, start_ns: 10, end_ns: 10 + length }, efficiency: null, iterations: null },
  }) as unknown as Report;

test("findings that went, stayed and came, the largest change first", () => {
  const changes = findingChanges(report([finding("late_sender", 900, ["a"]), finding("wait_at_nxn", 50, ["b"]), finding("late_sender", 30, ["c"])]), report([finding("late_sender", 40, ["c"]), finding("noise", 500, ["d"])]));
  expect(changes.map((c) => [c.id, c.fate, c.difference_ns])).toEqual([
    ["late_sender", "gone", -900],
    ["noise", "new", 500],
    ["wait_at_nxn", "gone", -50],
    ["late_sender", "stayed", 10],
  ]);
});

test("a finding whose site has moved is still the same one", () => {
  const [change] = findingChanges(report([finding("late_sender", 900, ["a x.c:5"])]), report([finding("late_sender", 100, ["a x.c:9"])]));
  expect(change).toMatchObject({ fate: "stayed", difference_ns: -800 });
});

test("without a report on one side its numbers are missing, not 0", () => {
  const found = lines(report([], 100), null);
  expect(found.find((l) => l.title === "Length")).toMatchObject({ before: 100, after: null });
  expect(lines(null, null)).toEqual([]);
  expect(findingChanges(null, null)).toEqual([]);
});

const sums = (total_ns: number): DifferenceRow["before"] => ({ id: 1, count: 1, total_ns, mean_ns: total_ns, max_ns: total_ns, bytes: 0 });
const row = (text: string, before: number | null, after: number | null): DifferenceRow => ({
  text,
  function: null,
  before: before === null ? null : sums(before),
  after: after === null ? null : sums(after),
  difference_ns: (after ?? 0) - (before ?? 0),
  ratio: before ? (after ?? 0) / before : null,
  iteration: null,
});

test("differences are sorted by their size, whichever way they go", () => {
  const rows = [row("a", 10, 20), row("b", 100, null), row("c", null, 50), row("d", 5, 5)];
  expect(sortedRows(rows, "difference", false).map((r) => r.text)).toEqual(["b", "c", "a", "d"]);
  expect(sortedRows(rows, "ratio", false).map((r) => r.text)).toEqual(["c", "a", "d", "b"]);
  expect(sortedRows(rows, "text", true).map((r) => r.text)).toEqual(["a", "b", "c", "d"]);
  expect(rows.map(ratioText)).toEqual(["× 2.00", "gone", "new", "× 1.00"]);
  expect([signed(5, String), signed(-5, String), signed(0, String)]).toEqual(["+5", "−5", "0"]);
});
