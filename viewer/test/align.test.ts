import { expect, test } from "vitest";
import { ALIGNED, alignText, momentOf, parseAlign, shiftOf } from "../src/runs/align";
import type { Moments } from "../src/runs/align";
import type { Run } from "../src/protocol/types";

const phases = [
  { name: "computation", from: 0, until: 0.25 },
  { name: "halo exchange: a", from: 0.25, until: 1 },
];

const run = (from: number[], iterations: number[] | null, begins: Record<string, number | null> = {}): Moments => ({
  run: {
    from_ns: 0,
    ranks: { rows_from_ns: from } as Run["ranks"],
    iterations: iterations && { count: iterations.length, from_ns: iterations, until_ns: iterations.map((ns) => ns + 40), phases },
  },
  begins: new Map(Object.entries(begins)),
});

test("every alignment comes back from its text, and what makes no sense is the usual one", () => {
  for (const align of [{ by: "start" }, { by: "init" }, { by: "iteration", number: 12 }, { by: "phase", number: 3, name: "halo exchange: a" }, { by: "region", name: "solve/λ: x" }, { by: "at", moments: [1, -5] }] as const) expect(parseAlign(alignText(align))).toEqual(align);
  for (const text of ["", "x", "iteration:", "iteration:-1", "iteration:1e9", "at:1", "at:1~2~3", "at:1~b", "phase:1", "phase:x:y", "region:"]) expect(parseAlign(text)).toEqual(ALIGNED);
});

test("moments of runs, and how far one is to be moved", () => {
  const first = run([300, 200], [1000, 1100]);
  const second = run([50, 40], [400, 440, 480]);
  expect(shiftOf({ by: "start" }, first, second)).toBe(0);
  expect(shiftOf({ by: "init" }, first, second)).toBe(40 - 200);
  expect(shiftOf({ by: "iteration", number: 1 }, first, second)).toBe(440 - 1100);
  expect(shiftOf({ by: "iteration", number: 2 }, first, second)).toBeNull();
  expect(shiftOf({ by: "at", moments: [10, 25] }, first, second)).toBe(15);
  const phase = { by: "phase", number: 1, name: "halo exchange: a" } as const;
  expect(shiftOf(phase, first, second)).toBe(450 - 1110);
  expect(shiftOf({ ...phase, name: "gone" }, first, second)).toBeNull();
  expect(shiftOf({ by: "region", name: "solve" }, run([0], null, { solve: 70 }), run([0], null, { solve: 95 }))).toBe(25);
  expect(shiftOf({ by: "region", name: "solve" }, run([0], null, { solve: 70 }), run([0], null, { solve: null }))).toBeNull();
  expect(momentOf({ by: "iteration", number: 0 }, run([1], null), 0)).toBeNull();
  expect(momentOf({ by: "init" }, run([], null), 0)).toBeNull();
});
