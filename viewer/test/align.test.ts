import { expect, test } from "vitest";
import { ALIGNED, alignText, momentOf, parseAlign, shiftOf } from "../src/runs/align";
import type { Run } from "../src/protocol/types";

const run = (from: number[], iterations: number[] | null, from_ns = 0): Pick<Run, "from_ns" | "ranks" | "iterations"> => ({
  from_ns,
  ranks: { rows_from_ns: from } as Run["ranks"],
  iterations: iterations && { count: iterations.length, from_ns: iterations, until_ns: iterations.map((ns) => ns + 1) },
});

test("every alignment comes back from its text, and what makes no sense is the usual one", () => {
  for (const align of [{ by: "start" }, { by: "init" }, { by: "iteration", number: 12 }, { by: "at", moments: [1, -5] }] as const) expect(parseAlign(alignText(align))).toEqual(align);
  for (const text of ["", "x", "iteration:", "iteration:-1", "iteration:1e9", "at:1", "at:1~2~3", "at:1~b"]) expect(parseAlign(text)).toEqual(ALIGNED);
});

test("moments of runs, and how far one is to be moved", () => {
  const first = run([300, 200], [1000, 1100]);
  const second = run([50, 40], [400, 440, 480]);
  expect(shiftOf({ by: "start" }, first, second)).toBe(0);
  expect(shiftOf({ by: "init" }, first, second)).toBe(40 - 200);
  expect(shiftOf({ by: "iteration", number: 1 }, first, second)).toBe(440 - 1100);
  expect(shiftOf({ by: "iteration", number: 2 }, first, second)).toBeNull();
  expect(shiftOf({ by: "at", moments: [10, 25] }, first, second)).toBe(15);
  expect(momentOf({ by: "iteration", number: 0 }, run([1], null), 0)).toBeNull();
  expect(momentOf({ by: "init" }, run([], null), 0)).toBeNull();
});
