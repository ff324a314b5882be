import { expect, test } from "vitest";
import { type Window, centre, fit, mainOf, pan, stateOf, windowOf, within, zoomRows, zoomTime } from "../src/state/window";
import { INITIAL } from "../src/state/view";

const whole: Window = { from: 0, until: 1e9, row_from: 0, row_until: 16 };
const some: Window = { from: 4e8, until: 5e8, row_from: 2, row_until: 10 };

test("zooming keeps the moment under the pointer, and stays within the run", () => {
  const near = zoomTime(some, whole, 0.5, 0.25);
  expect(near.from + (near.until - near.from) * 0.25).toBeCloseTo(4.25e8);
  expect(near.until - near.from).toBeCloseTo(5e7);
  expect(zoomTime(some, whole, 1e9, 0.5)).toMatchObject({ from: 0, until: 1e9 });
  const nearest = zoomTime(some, whole, 1e-12, 0.5);
  expect(nearest.until - nearest.from).toBeGreaterThanOrEqual(20);
  expect(zoomRows(some, whole, 100, 0.5)).toMatchObject({ row_from: 0, row_until: 16 });
  const one = zoomRows(some, whole, 1e-3, 0.5);
  expect(one.row_until - one.row_from).toBe(1);
});

test("moving keeps the width at the ends of the run", () => {
  for (const [dt, dr] of [[-100, -100], [100, 100], [0.5, 0.5]] as const) {
    const moved = pan(some, whole, dt, dr);
    expect(moved.until - moved.from).toBeCloseTo(1e8);
    expect(moved.row_until - moved.row_from).toBeCloseTo(8);
    expect(moved.from).toBeGreaterThanOrEqual(0);
    expect(moved.until).toBeLessThanOrEqual(1e9);
  }
});

test("centring shows the whole stretch and its row; fitting gives it a third", () => {
  const at = centre(some, whole, 7e8, 7.1e8, 15);
  expect((at.from + at.until) / 2).toBeCloseTo(7.05e8);
  expect(at.row_until).toBe(16);
  const wide = centre(some, whole, 1e8, 6e8, null);
  expect(wide.from).toBeLessThanOrEqual(1e8);
  expect(wide.until).toBeGreaterThanOrEqual(6e8);
  const fitted = fit(some, whole, 7e8, 7.1e8, null);
  expect((fitted.until - fitted.from) / 1e7).toBeCloseTo(3);
});

test("the main part and the whole run are not written down, so that they go with a run that grows", () => {
  const main = { ...whole, from: 2e8, until: 9e8 };
  const nothing = { from: null, until: null, row_from: null, row_until: null };
  expect(stateOf(whole, whole, main)).toEqual({ ...nothing, isWhole: true });
  expect(stateOf(main, whole, main)).toEqual({ ...nothing, isWhole: false });
  expect(stateOf(whole, whole, whole)).toEqual({ ...nothing, isWhole: false });
  expect(windowOf(INITIAL, whole, main)).toEqual(main);
  expect(windowOf({ ...INITIAL, isWhole: true }, whole, main)).toEqual(whole);
  const state = { ...INITIAL, ...stateOf(some, whole, main) };
  expect(windowOf(state, whole, main)).toEqual(some);
});

test("the main part is between MPI_Init and MPI_Finalize of whoever is there longest", () => {
  const ranks = { rows_from_ns: [3e8, 2e8], rows_until_ns: [8e8, 9e8] };
  expect(mainOf({ ranks }, whole)).toEqual({ ...whole, from: 2e8, until: 9e8 });
  // Nothing is known of it yet, or nothing was recorded in it.
  expect(mainOf({ ranks: {} }, whole)).toEqual(whole);
  expect(mainOf({ ranks: { rows_from_ns: [9e8], rows_until_ns: [9e8] } }, whole)).toEqual(whole);
  expect(mainOf(null, whole)).toEqual(whole);
});

test("a window that is larger than the run is the run", () => {
  expect(within({ from: -5, until: 5e9, row_from: -3, row_until: 99 }, whole)).toEqual(whole);
});
