/** How far apart two colours are, for eyes with all cones and for those without one kind of them. */

import type { Rgb } from "../src/palette";

/** Machado, Oliveira and Fernandes (2009), without any of a kind of cones, over linear light. */
export const EYES = {
  normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
  deuteranopia: [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  tritanopia: [1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039],
} as const;

export type Eye = keyof typeof EYES;
type Triple = [number, number, number];

export const linear = (colour: Rgb): Triple =>
  [16, 8, 0].map((shift) => ((colour >> shift) & 255) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)) as Triple;

/** Ottosson's OKLab. */
function oklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function seen(colour: Rgb, eye: Eye): Triple {
  const m = EYES[eye];
  const [r, g, b] = linear(colour);
  return oklab([0, 3, 6].map((i) => Math.min(1, Math.max(0, m[i]! * r + m[i + 1]! * g + m[i + 2]! * b))) as Triple);
}

/** In hundredths of OKLab's lightness from black to white; two is just noticeable side by side. */
export function distance(a: Rgb, b: Rgb, eye: Eye): number {
  const [p, q] = [seen(a, eye), seen(b, eye)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]) * 100;
}

/** For whichever eyes it is least. */
export const least = (a: Rgb, b: Rgb): number => Math.min(...(Object.keys(EYES) as Eye[]).map((eye) => distance(a, b, eye)));
