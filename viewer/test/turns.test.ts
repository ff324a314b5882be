import { expect, test } from "vitest";
import { Turns } from "../src/protocol/turns";

test("ten steps at once are ten steps one after the other, however slow each is", async () => {
  const turns = new Turns();
  let at = 0;
  const asked: number[] = [];
  const step = () =>
    turns.add(async () => {
      asked.push(at);
      const from = at;
      await new Promise((resolve) => setTimeout(resolve, 3));
      at = from + 1;
    });
  const all = Array.from({ length: 10 }, step);
  expect(turns.isBusy).toBe(true);
  await Promise.all(all);
  expect([at, asked, turns.isBusy]).toEqual([10, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], false]);
});

test("a cancelled request is aborted, and one that waits does not begin", async () => {
  const turns = new Turns();
  const seen: string[] = [];
  const first = turns.add(async (signal) => {
    await new Promise((resolve) => setTimeout(resolve, 3));
    seen.push(signal.aborted ? "given up" : "done");
  });
  const second = turns.add(async () => void seen.push("second"));
  await Promise.resolve();
  turns.clear();
  const third = turns.add(async () => void seen.push("third"));
  await Promise.all([first, second, third]);
  expect(seen).toEqual(["given up", "third"]);
});
