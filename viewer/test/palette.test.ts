import { expect, test } from "vitest";
import { COMPUTE, DISTINCT, HATCH, type Rgb, type Theme, abgr, classColour, ink, mix, restColour } from "../src/palette";
import { distance, least, linear } from "./eyes";

const CLASSES = ["send", "receive", "completion", "probe", "barrier", "collective", "rma", "file", "objects", "setup", "local"];
const THEMES: readonly Theme[] = ["light", "dark"];

/** What `palette.ts` promises. */
const APART = 12;
/** A line of the hatching over a colour. */
const HATCHING = 9;
/** Two colours with as much hatching as waiting has, looked at from so far that its lines are not seen. */
const HATCHED_APART = 10;
/** Part of the pixels that lines cover, and how strongly. */
const [LINES, STRENGTH] = [2 / 6, 0.5];

const pairs = <T>(all: readonly T[]): [T, T][] => all.flatMap((a, at) => all.slice(at + 1).map((b): [T, T] => [a, b]));

test("the distinct colours are far apart for all eyes, in both themes", () => {
  for (const theme of THEMES)
    for (const [a, b] of pairs(DISTINCT)) expect(least(classColour(a, theme), classColour(b, theme)), `${a}, ${b}, ${theme}`).toBeGreaterThan(APART);
});

test("they are far from computing, too", () => {
  for (const theme of THEMES) for (const id of DISTINCT) expect(least(classColour(id, theme), COMPUTE[theme]), `${id}, ${theme}`).toBeGreaterThan(APART);
});

test("hatching is seen on each of them, and they remain distinct under it", () => {
  for (const theme of THEMES) {
    const hatched = (id: string): Rgb => mix(classColour(id, theme), HATCH[theme], LINES * STRENGTH);
    for (const id of DISTINCT) expect(least(classColour(id, theme), mix(classColour(id, theme), HATCH[theme], STRENGTH)), `${id}, ${theme}`).toBeGreaterThan(HATCHING);
    for (const [a, b] of pairs(DISTINCT)) expect(least(hatched(a), hatched(b)), `${a}, ${b}, ${theme}`).toBeGreaterThan(HATCHED_APART);
  }
});

test("every class and every function differs from computing", () => {
  for (const theme of THEMES)
    for (const id of CLASSES) {
      expect(distance(classColour(id, theme), COMPUTE[theme], "normal"), `${id} ${theme}`).toBeGreaterThan(9);
      for (let n = 0; n < 600; n++) expect(distance(restColour(n, id, theme), COMPUTE[theme], "normal"), `${n} ${id} ${theme}`).toBeGreaterThan(4);
    }
});

test("text on a colour can be read (4.5 to 1)", () => {
  const luminance = (c: Rgb): number => {
    const [r, g, b] = linear(c);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const theme of THEMES)
    for (let id = 0; id < 600; id++)
      for (const colour of [restColour(id, CLASSES[id % CLASSES.length]!, theme), classColour(CLASSES[id % CLASSES.length]!, theme)]) {
        const l = luminance(colour);
        const contrast = ink(colour) === "#000000" ? (l + 0.05) / 0.05 : 1.05 / (l + 0.05);
        expect(contrast).toBeGreaterThanOrEqual(4.5);
      }
});

test("colours in memory are red, green, blue, opaque", () => {
  const bytes = new Uint8Array(Uint32Array.of(abgr(0x123456)).buffer);
  expect([...bytes]).toEqual([0x12, 0x34, 0x56, 255]);
});
