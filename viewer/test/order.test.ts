import { expect, test } from "vitest";
import { partOf, withPart } from "../src/state/order";

test("parts of an order are found, set and taken out, in one order of their own", () => {
  expect(partOf("group:comm:3;sort:wait", "group")).toBe("comm:3");
  expect(partOf("", "pin")).toBeNull();
  expect(withPart("sort:wait", "pin", "3,7")).toBe("pin:3,7;sort:wait");
  expect(withPart("pin:3;sort:wait", "sort", "function:12")).toBe("pin:3;sort:function:12");
  expect(withPart("pin:3", "pin", null)).toBe("");
});

test("what is folded goes with the groups that it numbers", () => {
  expect(withPart("group:host;fold:all;sort:wait", "group", null)).toBe("sort:wait");
  expect(withPart("group:host;fold:2", "group", "comm:3")).toBe("group:comm:3");
  expect(withPart("group:host;fold:2", "group", "host")).toBe("group:host;fold:2");
  expect(withPart("group:host;fold:2", "sort", "mpi")).toBe("group:host;fold:2;sort:mpi");
});
