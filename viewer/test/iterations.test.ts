import { expect, test } from "vitest";
import { allIterations } from "../src/protocol/iterations";

test("all iterations are somewhere, those known one by one where they are", () => {
  const known = { count: 100, from_ns: [1000, 1010], until_ns: [1010, 1019], windows: { first: [0, 50], from_ns: [1000, 1500], until_ns: 2500 } };
  const all = allIterations(known);
  expect(all.from_ns.length).toBe(100);
  expect(all.from_ns.slice(0, 3)).toEqual([1000, 1010, 1020]);
  expect(all.until_ns[1]).toBe(1019);
  expect([all.from_ns[50], all.from_ns[99], all.until_ns[99]]).toEqual([1500, 2480, 2500]);
  expect(all.from_ns.every((ns, i) => i === 0 || ns >= all.from_ns[i - 1]!)).toBe(true);
  const whole = { count: 2, from_ns: [0, 5], until_ns: [5, 9] };
  expect(allIterations(whole)).toBe(whole);
});
