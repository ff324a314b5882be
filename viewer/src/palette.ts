/**
 * Colours. Hues are those of Okabe and Ito and of Tol, which people with any of the common colour
 * blindnesses tell apart; classes that often stand beside each other also differ in lightness.
 * A function has the hue of its class and a lightness of its own that depends on its id alone.
 */

export type Theme = "light" | "dark";

/** 0xRRGGBB. */
export type Rgb = number;

const CLASSES: Record<string, readonly [light: Rgb, dark: Rgb]> = {
  send: [0x0a68a6, 0x2f86c8],
  receive: [0x1d7f6e, 0x84cabe],
  completion: [0xe8a838, 0xc98d2b],
  probe: [0xb8a000, 0xd3c64a],
  barrier: [0x96182e, 0xc86375],
  collective: [0xd481b0, 0xad5b8a],
  rma: [0x7a55b8, 0xa98be8],
  file: [0x8c6239, 0xc49a6c],
  objects: [0x6b8e23, 0x8aab4e],
  setup: [0x6d7684, 0x5d687b],
  local: [0x9aa4b2, 0x75808f],
};

const UNKNOWN = CLASSES.local!;

export const COMPUTE: Record<Theme, Rgb> = { light: 0xe7eaef, dark: 0x262e39 };
export const HATCH: Record<Theme, Rgb> = { light: 0x2a1a00, dark: 0x07090c };
export const ABSENT: Record<Theme, Rgb> = { light: 0xf5f6f8, dark: 0x11151b };

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

/** As it stands in ImageData on a little-endian machine. */
export function abgr(colour: Rgb): number {
  return ((255 << 24) | (blue(colour) << 16) | (green(colour) << 8) | red(colour)) >>> 0;
}

export function classColour(id: string, theme: Theme): Rgb {
  const pair = CLASSES[id] ?? UNKNOWN;
  return theme === "light" ? pair[0] : pair[1];
}

/** Lightness steps of functions in one class: from darker to lighter. */
const STEPS = [0, -0.28, 0.3, -0.14, 0.16] as const;

export function functionColour(id: number, classId: string, theme: Theme): Rgb {
  const base = classColour(classId, theme);
  const step = STEPS[Math.imul(id, 0x9e3779b1) >>> 29 < STEPS.length ? Math.imul(id, 0x9e3779b1) >>> 29 : id % STEPS.length] ?? 0;
  return step < 0 ? mix(base, 0x000000, -step) : mix(base, 0xffffff, step);
}

/** Black or white, whichever is read better on a colour (WCAG's relative luminance). */
export function ink(colour: Rgb): "#000000" | "#ffffff" {
  const linear = (v: number): number => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = 0.2126 * linear(red(colour)) + 0.7152 * linear(green(colour)) + 0.0722 * linear(blue(colour));
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

/** Little to much, for densities and the matrix: readable in grey, too (a part of cividis). */
export function ramp(value: number, theme: Theme): Rgb {
  const stops: readonly Rgb[] =
    theme === "light" ? [0xe6ecf5, 0xa9c3e0, 0x5d8fc4, 0x2a5a9c, 0x0b2454] : [0x1f2c3f, 0x27507f, 0x3f83b8, 0x8abedd, 0xf2f7d8];
  const at = Math.max(0, Math.min(1, value)) * (stops.length - 1);
  const index = Math.min(stops.length - 2, Math.floor(at));
  return mix(stops[index]!, stops[index + 1]!, at - index);
}
