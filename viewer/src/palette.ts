/**
 * Colours. The values are in palette.json, which `mpiscope view --png` reads as well. Those of the classes in `distinct` are
 * easy to distinguish from each other and from computing, with every kind of colour vision and in both themes: at least 12
 * hundredths of OKLab apart, which a test checks. Which function has which: `colours.ts`.
 */

import PALETTE from "../palette.json";

export type Theme = "light" | "dark";

/** 0xRRGGBB. */
export type Rgb = number;

type Shade = Record<Theme, string>;

const rgb = (text: string): Rgb => Number.parseInt(text.slice(1), 16);
const pair = (shade: Shade): Record<Theme, Rgb> => ({ light: rgb(shade.light), dark: rgb(shade.dark) });

const CLASSES: Record<string, Record<Theme, Rgb>> = Object.fromEntries(Object.entries(PALETTE.classes).map(([id, shade]) => [id, pair(shade)]));

const UNKNOWN = CLASSES.local!;

export const COMPUTE: Record<Theme, Rgb> = pair(PALETTE.compute);
export const HATCH: Record<Theme, Rgb> = pair(PALETTE.hatch);
export const ABSENT: Record<Theme, Rgb> = pair(PALETTE.absent);

const red = (c: Rgb): number => (c >> 16) & 255;
const green = (c: Rgb): number => (c >> 8) & 255;
const blue = (c: Rgb): number => c & 255;

/** Between `a` (0) and `b` (1). */
export function mix(a: Rgb, b: Rgb, part: number): Rgb {
  const at = (x: number, y: number): number => Math.round(x + (y - x) * part);
  return (at(red(a), red(b)) << 16) | (at(green(a), green(b)) << 8) | at(blue(a), blue(b));
}

export function css(colour: Rgb): string {
  return `#${colour.toString(16).padStart(6, "0")}`;
}

/** As stored in ImageData on a little-endian machine. */
export function abgr(colour: Rgb): number {
  return ((255 << 24) | (blue(colour) << 16) | (green(colour) << 8) | red(colour)) >>> 0;
}

/** `a` towards `b`, both as in ImageData. */
export function blend(a: number, b: number, part: number): number {
  const keep = 1 - part;
  const r = (a & 255) * keep + (b & 255) * part;
  const g = ((a >>> 8) & 255) * keep + ((b >>> 8) & 255) * part;
  const blue = ((a >>> 16) & 255) * keep + ((b >>> 16) & 255) * part;
  return ((255 << 24) | ((blue + 0.5) << 16) | ((g + 0.5) << 8) | (r + 0.5)) >>> 0;
}

export function classColour(id: string, theme: Theme): Rgb {
  return (CLASSES[id] ?? UNKNOWN)[theme];
}

/** Classes whose colours are easy to distinguish. */
export const DISTINCT: readonly string[] = PALETTE.distinct;

/** Lightness steps of functions in one class: from darker to lighter. */
const STEPS: readonly number[] = PALETTE.steps;

/** For a function that takes little of the run's time: the hue of its class, almost grey, with a lightness that depends on its id. */
export function restColour(id: number, classId: string, theme: Theme): Rgb {
  const { part, ...grey } = PALETTE.rest;
  const base = mix(classColour(classId, theme), rgb(grey[theme]), part);
  const hashed = Math.imul(id, 0x9e3779b1) >>> 29;
  const step = STEPS[hashed < STEPS.length ? hashed : id % STEPS.length] ?? 0;
  return step < 0 ? mix(base, 0x000000, -step) : mix(base, 0xffffff, step);
}

/** Black or white, whichever is easier to read on a colour (WCAG's relative luminance). */
export function ink(colour: Rgb): "#000000" | "#ffffff" {
  const linear = (v: number): number => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear(red(colour)) + 0.7152 * linear(green(colour)) + 0.0722 * linear(blue(colour));
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** From little to much, for densities and the matrix: readable in grey, too (part of cividis). */
export function ramp(value: number, theme: Theme): Rgb {
  const stops: readonly Rgb[] =
    theme === "light" ? [0xe6ecf5, 0xa9c3e0, 0x5d8fc4, 0x2a5a9c, 0x0b2454] : [0x1f2c3f, 0x27507f, 0x3f83b8, 0x8abedd, 0xf2f7d8];
  const at = Math.max(0, Math.min(1, value)) * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(at));
  return mix(stops[index]!, stops[index + 1]!, at - index);
}
