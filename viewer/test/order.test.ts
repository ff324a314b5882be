import { expect, test } from "vitest";
import { partOf, withPart } from "../src/state/order";

test("parts of an order are found, set and taken out, in one order of their own", () => {
  expect(partOf("group:comm:3;sort:wait", "group")).toBe("comm:3");
  expect(partOf("", "pin")).toBeNull();
  expect(withPart("sort:wait", "pin", "3,7")).toBe("pin:3,7;sort:wait");
  expect(withPart("pin:3;sort:wait", "sort", "function:12")).toBe("pin:3;sort:function:12");
  expect(withPart("pin:3", "pin", null)).toBe("");
});
