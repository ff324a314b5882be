import { expect, test } from "vitest";
import { bytes, count, countShort, counted, exact, factor, moment, parseRanks, percent, points, rankList, ranksText, rate, share, spread, time, withUnit } from "../src/format";

test("times have three digits and a unit that fits", () => {
  expect(time(0)).toBe("0 s");
  expect(time(7)).toBe("7 ns");
  expect(time(999)).toBe("999 ns");
  expect(time(1000)).toBe("1.00 µs");
  expect(time(12_345)).toBe("12.3 µs");
  expect(time(999_600)).toBe("1.00 ms");
  expect(time(1.5e9)).toBe("1.50 s");
  expect(time(7200e9)).toBe("7200 s");
  expect(time(NaN)).toBe("–");
});

test("bytes go in steps of 1024", () => {
  expect(bytes(0)).toBe("0 B");
  expect(bytes(1023)).toBe("1023 B");
  expect(bytes(1024)).toBe("1.00 KiB");
  expect(bytes(3.5 * 1024 * 1024)).toBe("3.50 MiB");
  expect(rate(2 ** 30)).toBe("1.00 GiB/s");
  expect(withUnit(1, "bytes/ns")).toBe(rate(1e9));
});

test("a small share is not written as none", () => {
  expect(share(0)).toBe("0.0 %");
  expect(share(0.0001)).toBe("< 0.1 %");
  expect(share(0.454)).toBe("45.4 %");
});

test("progress never shows 100 % too early, and a small sample is not 0 %", () => {
  expect([0, 0.004, 0.29, 0.999, 1].map(percent)).toEqual(["0 %", "0.4 %", "29 %", "99 %", "100 %"]);
});

test("factors and differences of shares", () => {
  expect([0.05, 1, 2, 12.34, 1234].map(factor)).toEqual(["× 0.050", "× 1.00", "× 2.00", "× 12.3", "× 1,234"]);
  expect(points(0.0154)).toBe("1.5 points");
});

test("moments have as many digits as distinguish them", () => {
  expect(moment(1_234_567_890, 1e9)).toBe("1 s");
  expect(moment(1_234_567_890, 1e6)).toBe("1.235 s");
  expect(moment(1_234_567_890, 1)).toBe("1.234\u202f567\u202f890 s");
  expect(moment(5, 1)).toBe("0.000\u202f000\u202f005 s");
  // Two ticks are never written the same.
  for (const step of [1, 2, 5, 10, 1e3, 2e5, 5e8]) expect(moment(123_456_789 * step, step)).not.toBe(moment(123_456_790 * step, step));
});

test("counts are grouped", () => {
  expect(count(1234567)).toBe("1,234,567");
});

test("lists of ranks there and back", () => {
  expect(rankList([7, 0, 1, 2, 3, 7])).toBe("0-3,7");
  expect([[3], [0, 1, 7]].map(ranksText)).toEqual(["rank 3", "ranks 0-1,7"]);
  expect(parseRanks("0-3,7", 100)).toEqual([0, 1, 2, 3, 7]);
  expect(parseRanks("5-99", 8)).toEqual([5, 6, 7]);
  expect(parseRanks("a", 8)).toBeNull();
});

test("a duration beside moments to the ns has all its digits", () => {
  expect(exact(57_812_345)).toBe("57.812\u202f345 ms");
  expect(exact(1_000_000_007)).toBe("1.000\u202f000\u202f007 s");
  expect(exact(1_500)).toBe("1.500 µs");
  expect(exact(310)).toBe("310 ns");
});

test("one is not many", () => {
  expect([0, 1, 2, 58_640].map((n) => counted(n, "group"))).toEqual(["0 groups", "1 group", "2 groups", "58,640 groups"]);
  expect(counted(1, "call begins", "calls begin")).toBe("1 call begins");
  expect([1, 24_000].map((n) => counted(n, "call", "calls", countShort))).toEqual(["1 call", "24.0 k calls"]);
});

test("there is no spread where all are the same", () => {
  const of = (min: number, max: number): string => spread({ min: { value: min, rank: 0 }, max: { value: max, rank: 3 } }, bytes);
  expect(of(64 * 2 ** 20, 64 * 2 ** 20)).toBe("");
  // Written the same, too.
  expect(of(64 * 2 ** 20, 64 * 2 ** 20 + 8)).toBe("");
  expect(of(2 ** 20, 2 ** 21)).toBe("(1.00 MiB on rank 0 to 2.00 MiB on rank 3)");
});
