import { expect, test } from "vitest";
import type { App } from "../src/app";
import { destinationsOf } from "../src/commands/goto";
import { parsePlaces, parseTime } from "../src/commands/place";
import { time } from "../src/format";
import { iterationsAt } from "../src/timeline/ruler";
import { layoutOf } from "../src/timeline/geometry";
import { INITIAL, type ViewState } from "../src/state/view";
import { windowOf } from "../src/state/window";

test("times as people write them", () => {
  for (const [text, ns] of [
    ["12.5 s", 12.5e9],
    ["3.2ms", 3.2e6],
    ["1 min 3 s", 63e9],
    ["1h 2min 3.5s", 3723.5e9],
    ["450 µs", 450e3],
    ["450us", 450e3],
    ["17 ns", 17],
    ["12,5 S", 12.5e9],
    [".5s", 5e8],
    ["1.234\u202f567 s", 1_234_567_000],
    ["2 seconds", 2e9],
  ] as const)
    expect(parseTime(text), text).toBe(ns);
  for (const text of ["", "s", "12", "12 parsecs", "3 s 1 min", "1 s 2 s", "1 s and", "-3 s", "1..2 s"]) expect(parseTime(text), text).toBeNull();
});

test("whatever time the page shows can be typed again", () => {
  for (let i = 0, ns = 1; i < 60; i++, ns = Math.ceil(ns * 1.7)) expect(Math.abs(parseTime(time(ns))! - ns) / ns, time(ns)).toBeLessThan(0.006);
});

test("words say what kind a place is; a number may be a rank or an iteration", () => {
  expect(parsePlaces("go to 12.5 s")).toEqual([{ kind: "time", from: 12.5e9, until: null }]);
  expect(parsePlaces("2 s..3 s")).toEqual([{ kind: "time", from: 2e9, until: 3e9 }]);
  expect(parsePlaces("2 - 3 ms")).toEqual([{ kind: "time", from: 2e6, until: 3e6 }]);
  expect(parsePlaces("time 900 ms to 1 s")).toEqual([{ kind: "time", from: 9e8, until: 1e9 }]);
  expect(parsePlaces("rank 7")).toEqual([{ kind: "ranks", ranks: [7], isOne: true }]);
  expect(parsePlaces("Ranks 4700-4703")).toEqual([{ kind: "ranks", ranks: [4700, 4701, 4702, 4703], isOne: false }]);
  expect(parsePlaces("ranks 1,3 - 4")).toEqual([{ kind: "ranks", ranks: [1, 3, 4], isOne: false }]);
  expect(parsePlaces("iteration 184")).toEqual([{ kind: "iterations", first: 184, last: 184 }]);
  expect(parsePlaces("iterations 5 to 9")).toEqual([{ kind: "iterations", first: 5, last: 9 }]);
  expect(parsePlaces("12").map((place) => place.kind)).toEqual(["ranks", "iterations"]);
  for (const text of ["", "rank", "zoom in", "rank x", "ranks 5-2", "iteration -1", "3 s..2 s", "histogram left 3x"]) expect(parsePlaces(text), text).toEqual([]);
});

/** A run of 10 s with ranks 0 to 31, of which those of one order are shown, and ten iterations. */
function app(state: Partial<ViewState> = {}, order: number[] | null = null): { app: App; state: () => ViewState } {
  const whole = { from: 0, until: 10e9, row_from: 0, row_until: order?.length ?? 32 };
  let now: ViewState = { ...INITIAL, ...state };
  const positions = Int32Array.from({ length: 32 }, (_, rank) => (order ? order.indexOf(rank) : rank));
  const fake = {
    run: {
      ranks: { count: 32, world_rank: Array.from({ length: 32 }, (_, i) => i) },
      iterations: { count: 10, from_ns: Array.from({ length: 10 }, (_, i) => i * 1e9), until_ns: Array.from({ length: 10 }, (_, i) => (i + 1) * 1e9) },
    },
    whole,
    main: whole,
    positions,
    folded: new Map(),
    get window() {
      return windowOf(now, whole, whole);
    },
    store: { get state() { return now; }, set: (change: Partial<ViewState>) => void (now = { ...now, ...change }) },
  };
  return { app: fake as unknown as App, state: () => now };
}

function go(text: string, ...setup: Parameters<typeof app>): ViewState {
  const made = app(...setup);
  const { destinations, problem } = destinationsOf(made.app, text);
  expect([problem, destinations.length], text).toEqual([null, 1]);
  expect(destinations[0]!.title).toMatch(/^Go to/);
  expect(destinations[0]!.detail).not.toBe("");
  destinations[0]!.run();
  return made.state();
}

test("a place is in sight when one has gone there", () => {
  expect(go("5 s")).toMatchObject({ page: "views", from: 4.75e9, until: 5.25e9 });
  // As near as one was.
  expect(go("5 s", { from: 1e9, until: 1.001e9 })).toMatchObject({ from: 4.9995e9, until: 5.0005e9 });
  expect(go("10 s")).toMatchObject({ from: 9.5e9, until: 10e9 });
  expect(go("2 s..3 s")).toMatchObject({ from: 2e9, until: 3e9 });
  expect(go("iteration 4")).toMatchObject({ from: 4e9, until: 5e9, page: "views" });
  expect(go("iterations 4-5")).toMatchObject({ from: 4e9, until: 6e9 });
  expect(go("ranks 20-23")).toMatchObject({ row_from: 20, row_until: 24, from: null });
  expect(go("rank 30")).toMatchObject({ row_from: null, area: { row_from: 30, row_until: 31 } });
  expect(go("rank 30", { row_from: 0, row_until: 10 })).toMatchObject({ row_from: 22, row_until: 32, area: { row_from: 30, row_until: 31 } });
  // In another order: where its row is.
  const reversed = Array.from({ length: 32 }, (_, i) => 31 - i);
  expect(go("rank 31", {}, reversed).area).toMatchObject({ row_from: 0, row_until: 1 });
  expect(go("ranks 20-23", { order: "sort:wait" }, reversed)).toMatchObject({ row_from: 8, row_until: 12 });
  // Ranks that lie apart: only they are drawn.
  expect(go("ranks 3,9", { order: "sort:wait" })).toMatchObject({ order: "ranks:3,9;sort:wait", row_from: null });
});

test("an empty place gets a message", () => {
  const problem = (text: string, ...setup: Parameters<typeof app>): string | null => {
    const found = destinationsOf(app(...setup).app, text);
    expect(found.destinations, text).toEqual([]);
    return found.problem;
  };
  expect(problem("12.5 s")).toBe("12.500 s is outside the run, which lasts from 0.0 s to 10.0 s.");
  expect(problem("rank 32")).toBe("There is no rank 32: the run has ranks 0 to 31.");
  expect(problem("ranks 30-35")).toBe("There are no ranks 32-35: the run has ranks 0 to 31.");
  expect(problem("iteration 10")).toBe("There is no iteration 10: the run has iterations 0 to 9.");
  expect(problem("rank 3", {}, [1, 2])).toMatch(/^Rank 3 is not shown/);
  expect(problem("77")).toMatch(/no rank 77.*no iteration 77/);
  for (const begun of ["go to", "rank", "12."]) expect(problem(begun)).toMatch(/^Enter a time/);
  expect(problem("zoom in")).toBeNull();
  const without = app();
  without.app.run!.iterations = null;
  expect(destinationsOf(without.app, "iteration 1").problem).toBe("mpiscope found no iterations in this run.");
});

test("a click on the ruler meets the iteration that is drawn there", () => {
  const count = 1000;
  const iterations = { from_ns: Array.from({ length: count }, (_, i) => 100 + i * 10), until_ns: Array.from({ length: count }, (_, i) => 109 + i * 10) };
  const l = layoutOf(1000, 300, true, 0);
  const at = (from: number, until: number, ns: number) => iterationsAt(iterations, { from, until, row_from: 0, row_until: 1 }, l, l.left + ((ns - from) / (until - from)) * l.plotWidth);
  expect(at(100, 200, 155)).toEqual({ first: 5, last: 5 });
  expect(at(0, 200, 50)).toBeNull();
  expect(at(10_000, 12_000, 11_000)).toBeNull();
  // Less than a pixel each: those that are drawn as one.
  const { first, last } = at(0, 10_200, 5000)!;
  expect(first <= 490 && last >= 490 && last - first === 3).toBe(true);
});
