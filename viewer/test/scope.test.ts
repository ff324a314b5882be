import { expect, test } from "vitest";
import { ranksAt, scopeOf, visibleFunctions } from "../src/state/scope";
import { INITIAL, NO_FILTER } from "../src/state/view";

const window = { from: 10, until: 20, row_from: 0, row_until: 8 };

test("the panes are about the area, or else what is in sight, or the run", () => {
  expect(scopeOf({ ...INITIAL, isWhole: true }, window, null, 8, [])).toMatchObject({ from: null, until: null, ranks: null });
  // What is in sight at first is the main part, without MPI_Init: the panes leave it out as well.
  expect(scopeOf(INITIAL, window, null, 8, [])).toMatchObject({ from: 10, until: 20, ranks: null });
  const zoomed = { ...INITIAL, from: 10, until: 20 };
  expect(scopeOf(zoomed, window, null, 8, [])).toMatchObject({ from: 10, until: 20 });
  expect(scopeOf({ ...zoomed, scope: "run" }, window, null, 8, [])).toMatchObject({ from: null });
  const area = { from: 12, until: 13, row_from: 2, row_until: 4 };
  expect(scopeOf({ ...zoomed, scope: "run", area }, window, null, 8, [])).toMatchObject({ from: 12, until: 13, ranks: "2-3" });
});

test("rows are turned into ranks by the order", () => {
  const order = { ranks: Uint32Array.from([5, 1, 7, 0]), starts: null };
  expect(ranksAt(order, 8, 0, 2)).toBe("1,5");
  expect(ranksAt(order, 8, 0, 4)).toBe("0-1,5,7");
  expect(ranksAt(null, 8, 0, 8)).toBeNull();
});

test("the row of a folded group is all of its ranks", () => {
  const order = { ranks: Uint32Array.from([0, 2, 4, 1, 3, 5]), starts: Uint32Array.from([0, 3, 4, 5, 6]) };
  expect(ranksAt(order, 6, 0, 1)).toBe("0,2,4");
  expect(ranksAt(order, 6, 0, 2)).toBe("0-2,4");
  expect(ranksAt(order, 6, 2, 9)).toBe("3,5");
  expect(ranksAt(order, 6, 0, 4)).toBeNull();
  // Half of its row in sight is the group in sight.
  expect(ranksAt(order, 6, 0.5, 2)).toBe("0-2,4");
  const area = { from: 12, until: 13, row_from: 0, row_until: 1 };
  expect(scopeOf({ ...INITIAL, area, filter: { ...NO_FILTER, ranks: "2-3" } }, window, order, 6, []).ranks).toBe("2");
});

test("ranks of the filter and of the rows are both wanted; none is not all", () => {
  const state = { ...INITIAL, row_from: 0, row_until: 2, filter: { ...NO_FILTER, ranks: "1-5" } };
  expect(scopeOf(state, window, null, 8, []).ranks).toBe("1");
  expect(scopeOf({ ...state, filter: { ...NO_FILTER, ranks: "7" } }, window, null, 8, []).ranks).not.toBe("");
});

test("hidden functions are left out; all hidden is not all shown", () => {
  const all = [{ id: 1 }, { id: 2 }];
  expect(visibleFunctions(INITIAL, all)).toBeNull();
  expect(visibleFunctions({ ...INITIAL, hidden: [1] }, all)).toEqual([2]);
  const none = visibleFunctions({ ...INITIAL, hidden: [1, 2] }, all)!;
  expect(none.length).toBeGreaterThan(0);
  expect(none).not.toContain(1);
  expect(scopeOf({ ...INITIAL, hidden: [1] }, window, null, 8, all).functions).toEqual([2]);
  expect(scopeOf({ ...INITIAL, hidden: [1, 2] }, window, null, 8, all).functions).toEqual(none);
});
