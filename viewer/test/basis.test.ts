import { expect, test } from "vitest";
import { basisText } from "../src/basis";

test("what an answer was made of", () => {
  expect(basisText(undefined, null)).toBe("");
  expect(basisText({ kind: "calls" }, null)).toBe("");
  expect(basisText({ kind: "sample", share: 0.25 }, null)).toBe(" · sample of 25 % of the calls");
  expect(basisText({ kind: "sample", share: 0.004 }, 0.5, "messages")).toBe(" · sample of 0.4 % of the messages; reading all: 50 %");
  expect(basisText({ kind: "bins", from_ns: 0, until_ns: 9, bin_ns: 1024, share: 0.125 }, null)).toMatch(/^ · from bins of 1.* and 12.5 %$/);
  expect(basisText({ kind: "bins", from_ns: 0, until_ns: 9, bin_ns: 0, share: 0.125 }, null)).toBe(" · from bins of 12.5 %");
});
