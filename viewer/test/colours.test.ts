import { expect, test } from "vitest";
import { Colours, type Timed, together } from "../src/colours";
import { DISTINCT, classColour, css } from "../src/palette";
import { INITIAL } from "../src/state/view";
import { least } from "./eyes";

const run = (...functions: [string, number][]): Timed[] => functions.map(([classId, time_ns], n) => ({ id: 100 + n, class: classId, time_ns }));
const of = (functions: Timed[], state: Partial<typeof INITIAL> = {}, theme: "light" | "dark" = "light"): Colours => new Colours(functions, { ...INITIAL, ...state }, theme);

test("functions that take the most time have colours that all eyes can distinguish, also within one class", () => {
  const collectives = run(...Array.from({ length: 20 }, (_, n): [string, number] => ["collective", 1000 - n]));
  const runs = [collectives, run(["setup", 9], ["send", 8], ["send", 7], ["collective", 6], ["collective", 5], ["local", 4], ["probe", 3], ["rma", 2], ["file", 1])];
  for (const theme of ["light", "dark"] as const)
    for (const functions of runs) {
      const colours = of(functions, {}, theme);
      const most = functions.slice(0, DISTINCT.length).map((f) => colours.function(f.id));
      for (const [at, a] of most.entries()) for (const b of most.slice(at + 1)) expect(least(a, b), `${css(a)} ${css(b)} ${theme}`).toBeGreaterThan(12);
    }
});

test("the first of a class has the colour of the class, whatever takes more time", () => {
  const colours = of(run(["collective", 9], ["collective", 8], ["objects", 7], ["send", 1]));
  expect(colours.function(100)).toBe(classColour("collective", "light"));
  expect(colours.function(102)).toBe(classColour("objects", "light"));
  expect(colours.function(103)).toBe(classColour("send", "light"));
});

test("of two runs a function has one colour, by the time in both", () => {
  const [first, second] = [run(["send", 5], ["send", 4]), run(["send", 1], ["send", 3])];
  const both = of(together([{ functions: first }, { functions: second }]));
  expect(together([{ functions: first }, { functions: second }]).map((f) => f.time_ns)).toEqual([6, 7]);
  expect(both.function(101)).toBe(classColour("send", "light"));
});

test("what the user has chosen is drawn, for a function or a class", () => {
  const functions = run(["send", 5], ["collective", 4]);
  expect(css(of(functions, { paint: { 100: "ff8800" } }).function(100))).toBe("#ff8800");
  const classes = of(functions, { paint: { 100: "ff8800", send: "00ff00" }, colouring: "class" });
  expect(css(classes.function(100))).toBe("#00ff00");
  expect(classes.function(101)).toBe(classColour("collective", "light"));
});

test("another colour makes another key: pictures are drawn anew", () => {
  const functions = run(["send", 5]);
  expect(of(functions).key).not.toBe(of(functions, { paint: { 100: "ff8800" } }).key);
});
