/** Bins of histograms: the same as the server's, which checks the same cases (crates/query/src/view/bin_edges.rs). */

import { expect, test } from "vitest";
import { binsOf } from "../src/exported/bins";
import CASES from "./histogram-bins.json";

const FIELDS: Record<string, { unit: string; is_id: boolean }> = {
  duration: { unit: "ns", is_id: false },
  bytes: { unit: "bytes", is_id: false },
  bandwidth: { unit: "bytes/ns", is_id: false },
  rank: { unit: "", is_id: true },
};

function edgesOf(field: string, isLog: boolean, values: readonly number[]): number[] {
  const { min, max, bins } = binsOf(values.map((v) => [v, 1] as const), FIELDS[field]!, isLog, 120);
  return Array.from({ length: bins + 1 }, (_, k) => (isLog ? min * (max / min) ** (k / bins) : min + (k / bins) * (max - min)));
}

test("edges are those that the server has", () => {
  for (const { field, is_log, values, edges } of CASES) {
    const found = edgesOf(field, is_log, values);
    expect(found.length, JSON.stringify({ field, is_log, found })).toBe(edges.length);
    found.forEach((edge, i) => expect(Math.abs(edge - edges[i]!)).toBeLessThanOrEqual(Math.abs(edges[i]!) * 1e-9 + 1e-12));
  }
});

test("never more bins than different values, and each value in one", () => {
  for (const field of Object.keys(FIELDS))
    for (const isLog of [false, true])
      for (const values of [[7], [5, 5, 5], [9, 10], [1, 1e12], [3, 4, 1e6], [1023, 1024], [1000, 1001, 3e10 - 1, 3e10], [3e10 - 1, 4e11, 5e11]]) {
        const { min, max, bins } = binsOf(values.map((v) => [v, 1] as const), FIELDS[field]!, isLog, 120);
        expect(bins).toBeLessThanOrEqual(new Set(values).size);
        for (const v of values) expect(v >= min && v <= max, `${field} ${isLog} ${values}: ${min}..${max}`).toBe(true);
      }
});

test("without a value there is an axis all the same", () => {
  const { min, max, bins } = binsOf([], FIELDS.duration!, true, 120);
  expect(bins).toBe(1);
  expect(max).toBeGreaterThan(min);
});
