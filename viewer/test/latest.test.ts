import { expect, test } from "vitest";
import { asViewError, ViewError } from "../src/protocol/error";
import { Latest } from "../src/protocol/latest";
import { query } from "../src/protocol/params";

test("a newer question gives up the older one", async () => {
  const latest = new Latest();
  const signals: AbortSignal[] = [];
  const ask = (value: number, ms: number) =>
    latest.run(async (signal) => {
      signals.push(signal);
      await new Promise((resolve) => setTimeout(resolve, ms));
      return value;
    });
  const [first, second] = await Promise.all([ask(1, 20), ask(2, 5)]);
  expect(first).toBeUndefined();
  expect(second).toBe(2);
  expect(signals.map((s) => s.aborted)).toEqual([true, false]);
  expect(latest.isBusy).toBe(false);
});

test("an error of a question that was given up is nobody's business", async () => {
  const latest = new Latest();
  const first = latest.run(() => Promise.reject(new Error("late")));
  latest.cancel();
  expect(await first).toBeUndefined();
  await expect(latest.run(() => Promise.reject(new Error("now")))).rejects.toThrow("now");
});

test("parameters are in one order, and what restricts nothing is left out", () => {
  expect(query({ b: 1, a: null, c: undefined, d: "", f: [], e: [3, 1] })).toBe("?b=1&e=3%2C1");
  expect(query({ is: true, no: false })).toBe("?is=1&no=0");
  expect(query({})).toBe("");
});

test("errors say what to do next", () => {
  expect(asViewError(new TypeError("fetch failed")).next).toMatch(/mpiscope view/);
  const known = new ViewError(409, "not yet", "wait");
  expect(asViewError(known)).toBe(known);
});
