import { expect, test } from "vitest";
import { fitText, isFitting } from "../src/scatter/fit";

test("a line is there where it explains most of the variance, and rises", () => {
  const fit = (r2: number, bytes_per_ns = 4) => ({ latency_ns: 500, bytes_per_ns, r2 });
  expect([isFitting(fit(0.8)), isFitting(fit(0.79)), isFitting(fit(0.99, -1))]).toEqual([true, false, false]);
  expect(fitText(fit(0.97))).toBe(" · fit 500 ns + bytes ÷ 3.73 GiB/s (R² 0.97)");
  expect(fitText(fit(0.12))).toBe(" · no line fits: R² 0.12 is below 0.8");
  expect(fitText(fit(0.9, -1))).toBe(" · no line fits: R² 0.90, but the slope is negative");
  expect(fitText(null)).toBe("");
});
