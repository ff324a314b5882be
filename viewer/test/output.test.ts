import { expect, test } from "vitest";
import { Output, readable } from "../src/launch/output";

test("pieces are put together, and a gap is known", () => {
  const output = new Output();
  output.add({ output: "one\n", from: 0, until: 4 });
  output.add({ output: "two\n", from: 4, until: 8 });
  expect([output.text, output.until, output.isCut]).toEqual(["one\ntwo\n", 8, false]);
  output.add({ output: "later", from: 100, until: 105 });
  expect([output.text, output.isCut]).toEqual(["one\ntwo\nlater", true]);
});

test("colours of a terminal and lines written over", () => {
  expect(readable("\u001b[31mred\u001b[0m\r\nnext")).toBe("red\nnext");
  expect(readable("10 %\r50 %\r100 %\ndone")).toBe("100 %\ndone");
});
