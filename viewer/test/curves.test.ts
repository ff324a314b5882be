import { expect, test } from "vitest";
import { CURVES, binAt, mostOf, valuesOf } from "../src/curves/series";
import type { Curves } from "../src/protocol/types";

const curves: Curves = {
  bin_ns: 64,
  from_ns: 128,
  columns: 3,
  has_finer: false,
  hosts: [0, 1],
  ranks: [2, 2],
  hosts_left_out: 0,
  values: { ranks_in_mpi: Float64Array.of(0, 1.5, 2, 0.25, 0, 0) },
  basis: { kind: "calls" },
};

test("each host has its part of the values", () => {
  expect([...valuesOf(curves, "ranks_in_mpi", 1)!]).toEqual([0.25, 0, 0]);
  expect(valuesOf(curves, "ranks_waiting", 0)).toBeNull();
  expect(mostOf(curves, "ranks_in_mpi")).toBe(2);
  expect(mostOf(curves, "ranks_waiting")).toBe(1);
});

test("a moment is in one bin or outside", () => {
  expect([127, 128, 191, 192, 319, 320].map((ns) => binAt(curves, ns))).toEqual([-1, 0, 0, 1, 2, -1]);
});

test("values have their units", () => {
  expect(CURVES.bytes_in_flight.text(2048)).toBe("2.00 KiB");
  expect(CURVES.ranks_waiting.text(3)).toBe("3");
});
