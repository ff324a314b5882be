import { expect, test } from "vitest";
import { arranged, worth } from "../src/overview/worth";
import type { Finding } from "../src/protocol/report";

function finding(id: string, more: Partial<Finding> = {}): Finding {
  const nothing = { title: id, text: "", advice: "", confidence: "high", ranks: [], cause_ranks: [], sites: [], regions: [] };
  return { ...nothing, id, cost_ns: 10, share: 0.1, savable_ns: 10, is_bound: false, gain: null, alternatives: [], caused_by: null, iterations: null, evidence: {}, proof: [], ...more };
}

test("symptoms stand with their cause, in the order of the report", () => {
  const findings = [finding("late_sender", { caused_by: "load_imbalance" }), finding("load_imbalance"), finding("noise", { savable_ns: null }), finding("wait_at_nxn", { caused_by: "load_imbalance" })];
  const { roots, moving } = arranged(findings, 100);
  expect(roots.map((r) => [r.finding.id, r.index, r.symptoms.map((s) => s.index)])).toEqual([
    ["load_imbalance", 1, [0, 3]],
    ["noise", 2, []],
  ]);
  expect(moving).toEqual([]);
});

test("what saves nothing alone comes apart, and nothing is lost", () => {
  const findings = [finding("late_receiver", { savable_ns: 0 }), finding("polling", { caused_by: "gone" }), finding("outlier"), finding("outlier"), finding("late_sender", { caused_by: "outlier" })];
  const { roots, moving } = arranged(findings, 10_000);
  const listed = [...roots, ...moving].flatMap((r) => [r.index, ...r.symptoms.map((s) => s.index)]);
  expect(moving.map((r) => r.finding.id)).toEqual(["late_receiver", "polling", "outlier", "outlier"]);
  expect(listed.sort()).toEqual([0, 1, 2, 3, 4]);
  expect(moving.map((r) => r.symptoms.length)).toEqual([0, 0, 1, 0]);
});

test("a saving comes first, a cost where none is known", () => {
  expect(worth(finding("a", { savable_ns: 25, cost_ns: 3000, share: 0.3 }), 100)).toEqual({ label: "saves", share: "25.0 %", also: ["costs 30.0 %,", "3.00 µs"] });
  expect(worth(finding("a", { savable_ns: 25, is_bound: true }), 100).label).toBe("saves at most");
  expect(worth(finding("a", { savable_ns: null, cost_ns: 3000 }), 100)).toEqual({ label: "costs", share: "10.0 %", also: ["3.00 µs"] });
});

test("the gain by the model replaces the saving", () => {
  const gain = { change: "balance=perfect", how: "", gain: 0.2, low: 0.15, high: 0.25 };
  const gains = finding("a", { savable_ns: 0, gain, cost_ns: 3000, share: 0.3 });
  expect(worth(gains, 100)).toEqual({ label: "gains", share: "20.0 %", also: ["15.0–25.0 %,", "costs 30.0 %,", "3.00 µs"] });
  // An interval with 0 is no gain.
  const none = finding("b", { savable_ns: 50, gain: { ...gain, low: -0.01 } });
  expect(worth(none, 100)).toEqual({ label: "gains", share: "0.0 %", also: ["costs 10.0 %,", "10 ns"] });
  expect(arranged([gains, none], 100)).toMatchObject({ roots: [{ finding: { id: "a" } }], moving: [{ finding: { id: "b" } }] });
});
