import { expect, test } from "vitest";
import { type Ids, NOT_THERE, type SideNumber, SideStore, type Sides, switched } from "../src/runs/side";
import { type History, Store } from "../src/state/store";
import { NO_FILTER } from "../src/state/view";

const history = (): History => {
  let hash = "";
  return { hash: () => hash, at: () => 0, push: (h) => void (hash = h), replace: (h) => void (hash = h), mark: () => {}, go: () => {} };
};

/** Site 1 of the first run is site 7 of the second; site 2 is only in the first; communicators are off by one. */
const IDS: Record<string, Ids> = {
  "0>1": { comm: (id) => id + 1, site: (id) => (id === 1 ? 7 : NOT_THERE), region: (id) => id, host: (id) => id, axis: (axis) => (axis === 0 ? 0 : NOT_THERE) },
  "1>0": { comm: (id) => id - 1, site: (id) => (id === 7 ? 1 : NOT_THERE), region: (id) => id, host: (id) => id, axis: (axis) => (axis === 0 ? 0 : NOT_THERE) },
};

function two(shift = 100, rows: [number, number] = [16, 8]) {
  const base = new Store(history());
  const sides: Sides = { count: 2, version: 1, shift: (side) => (side === 1 ? shift : 0), rows: (side) => rows[side], ids: (from, to) => IDS[`${from}>${to}`]! };
  const stores = ([0, 1] as SideNumber[]).map((side) => new SideStore(base, sides, side)) as [SideStore, SideStore];
  return { base, sides, first: stores[0], second: stores[1] };
}

test("one run sees the state as it is", () => {
  const base = new Store(history());
  const sides: Sides = { count: 1, version: 1, shift: () => 5, rows: () => 3, ids: () => IDS["0>1"]! };
  const store = new SideStore(base, sides, 0);
  store.set({ from: 10, until: 20, selection: { rank: 1, row: 2 } });
  expect(store.state).toBe(base.state);
  expect(base.state).toMatchObject({ from: 10, until: 20, selection: { rank: 1, row: 2 }, about: 0 });
});

test("times of the second run are moved, there and back", () => {
  const { base, first, second } = two();
  first.set({ from: 1000, until: 2000, area: { from: 1200, until: 1300, row_from: 0, row_until: 2 } });
  expect(second.state).toMatchObject({ from: 1100, until: 2100, area: { from: 1300, until: 1400, row_from: 0, row_until: 2 } });
  second.set({ from: 500, until: 700, area: null });
  expect(base.state).toMatchObject({ from: 400, until: 600, area: null });
  second.set({ scatter: { ...second.state.scatter, x: "end", y: "duration", x_min: 150, x_max: 250, y_min: 1, y_max: 2 } });
  expect(first.state.scatter).toMatchObject({ x_min: 50, x_max: 150, y_min: 1, y_max: 2 });
  second.set({ from: null, until: null });
  expect(first.state).toMatchObject({ from: null, until: null });
});

test("each run has its selected call; selecting lets the panes be about its run", () => {
  const { base, first, second } = two();
  first.set({ selection: { rank: 1, row: 10 } });
  second.set({ selection: { rank: 2, row: 20 } });
  expect(first.state.selection).toEqual({ rank: 1, row: 10 });
  expect(second.state.selection).toEqual({ rank: 2, row: 20 });
  expect(base.state).toMatchObject({ selection: { rank: 1, row: 10 }, other: { rank: 2, row: 20 }, about: 1 });
  second.set({ selection: null });
  expect(first.state.selection).toEqual({ rank: 1, row: 10 });
  expect(base.state.other).toBeNull();
});

test("groups that the other run has not are none there, and what is folded goes with the groups", () => {
  const { first, second } = two();
  first.set({ order: "group:comm:3;fold:1;sort:wait" });
  expect(second.state.order).toBe("group:comm:4;fold:1;sort:wait");
  first.set({ order: "group:grid:0;fold:all" });
  expect(second.state.order).toBe("group:grid:0;fold:all");
  first.set({ order: "group:grid:1;fold:all;sort:mpi" });
  expect(second.state.order).toBe("sort:mpi");
});

test("a filter names the same in both runs, though ids differ", () => {
  const { base, sides, first, second } = two();
  first.set({ filter: { ...NO_FILTER, site: 1, comm: 3, functions: [9] }, order: "group:comm:3;sort:wait" });
  expect(second.state.filter).toMatchObject({ site: 7, comm: 4, functions: [9] });
  expect(second.state.order).toBe("group:comm:4;sort:wait");
  first.set({ filter: { ...NO_FILTER, site: 2 } });
  expect(second.state.filter.site).toBe(NOT_THERE);
  // Panes about a run that does not have the site: it is no filter there.
  base.set(switched(base.state, sides, 1));
  expect(second.state.filter.site).toBeNull();
  second.set({ filter: { ...NO_FILTER, site: 7 } });
  expect(first.state.filter.site).toBe(1);
});

test("a finding belongs to the run that the panes are about", () => {
  const { first, second } = two();
  first.set({ finding: 2 });
  expect([first.state.finding, second.state.finding]).toEqual([2, null]);
  second.set({ finding: 0 });
  expect([first.state.finding, second.state.finding]).toEqual([null, 0]);
});

test("rows that only the larger run has: the smaller shows its last ones", () => {
  const { first, second } = two();
  first.set({ row_from: 10, row_until: 14 });
  expect(second.state).toMatchObject({ row_from: 4, row_until: 8 });
  first.set({ row_from: 0, row_until: 12 });
  expect(second.state).toMatchObject({ row_from: 0, row_until: 8 });
});

test("back and forward go through both", () => {
  const { base, second } = two();
  const seen: (number | null)[] = [];
  second.listen((state) => seen.push(state.from));
  base.set({ from: 0, until: 10 });
  base.set({ from: 5, until: 10 });
  expect(seen).toEqual([100, 105]);
});
