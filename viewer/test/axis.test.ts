import { expect, test } from "vitest";
import { fromUnit, linearTicks, logTicks, niceStep, ticks, toUnit } from "../src/axis";
import { axisLabels } from "../src/timeline/frame";

test("steps are 1, 2 or 5 times a power of ten, or powers of two for bytes", () => {
  expect(niceStep(100, 10)).toBe(10);
  expect(niceStep(7, 5)).toBe(2);
  expect(niceStep(0.013, 4)).toBeCloseTo(0.005);
  expect(niceStep(1000, 10, true)).toBe(128);
  expect(niceStep(0, 5)).toBe(1);
});

test("there are never more ticks than asked for, and all lie inside", () => {
  for (const [min, max] of [[0, 1], [3, 97], [1e9, 1e9 + 40], [-5, 5]] as const)
    for (const most of [2, 5, 12]) {
      const found = linearTicks(min, max, most);
      expect(found.length).toBeLessThanOrEqual(most + 1);
      for (const tick of found) expect(tick >= min - 1e-9 && tick <= max + 1e-6).toBe(true);
    }
});

test("logarithmic axes have powers, or linear ticks where there are none", () => {
  expect(logTicks(5, 5000, 10).map((t) => Math.round(t))).toEqual([10, 100, 1000]);
  expect(logTicks(20, 80, 5).length).toBeGreaterThan(1);
  expect(ticks({ min: 1, max: 1 << 20, isLog: true }, 5, "bytes").every((t) => Number.isInteger(Math.log2(t)))).toBe(true);
});

test("from a value to its place and back", () => {
  for (const scale of [{ min: 2, max: 50, isLog: false }, { min: 0.5, max: 1e6, isLog: true }])
    for (const part of [0, 0.3, 1]) expect(toUnit(scale, fromUnit(scale, part))).toBeCloseTo(part);
  expect(toUnit({ min: 3, max: 3, isLog: false }, 3)).toBe(0.5);
});

test("labels of the time axis differ from each other at every zoom", () => {
  for (const width of [20, 90, 1e3, 12_345, 1e6, 5e8, 3e10]) {
    const { texts } = axisLabels(1_234_567_890, 1_234_567_890 + width, 10);
    expect(new Set(texts).size, texts.join(" ")).toBe(texts.length);
    expect(texts.length).toBeGreaterThan(1);
  }
});

test("an axis of numbers that are farther apart than a step has an end", () => {
  expect(linearTicks(1e300, 1e300, 5).length).toBeLessThanOrEqual(1000);
  expect(linearTicks(0, Infinity, 5).length).toBeLessThanOrEqual(1000);
});
