/** Positions of the ticks of an axis. */

export interface Scale {
  min: number;
  max: number;
  isLog: boolean;
}

/** 0 to 1. */
export function toUnit(scale: Scale, value: number): number {
  if (scale.isLog) {
    const low = Math.log(Math.max(scale.min, Number.MIN_VALUE));
    const high = Math.log(Math.max(scale.max, Number.MIN_VALUE));
    return high > low ? (Math.log(Math.max(value, Number.MIN_VALUE)) - low) / (high - low) : 0.5;
  }
  return scale.max > scale.min ? (value - scale.min) / (scale.max - scale.min) : 0.5;
}

export function fromUnit(scale: Scale, part: number): number {
  if (scale.isLog) {
    const low = Math.log(Math.max(scale.min, Number.MIN_VALUE));
    const high = Math.log(Math.max(scale.max, Number.MIN_VALUE));
    return Math.exp(low + (high - low) * part);
  }
  return scale.min + (scale.max - scale.min) * part;
}

/** The step of 1, 2 or 5 times a power of ten with at most `most` ticks; with `isBinary`, of a power of two. */
export function niceStep(range: number, most: number, isBinary = false): number {
  const rough = range / Math.max(1, most);
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  if (isBinary) return 2 ** Math.ceil(Math.log2(rough));
  const power = 10 ** Math.floor(Math.log10(rough));
  for (const factor of [1, 2, 5, 10]) if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/** Far more than an axis has room for. */
const MOST_TICKS = 1000;

export function linearTicks(min: number, max: number, most: number, isBinary = false): number[] {
  const step = niceStep(max - min, most, isBinary);
  const found: number[] = [];
  // Where neighbouring numbers are farther apart than the step, there would be no end.
  for (let i = Math.ceil(min / step - 1e-9); i * step <= max + step * 1e-9 && found.length < MOST_TICKS; i++) found.push(i * step);
  return found;
}

export function logTicks(min: number, max: number, most: number, isBinary = false): number[] {
  const base = isBinary ? 2 : 10;
  const first = Math.ceil(Math.log(Math.max(min, Number.MIN_VALUE)) / Math.log(base) - 1e-9);
  const last = Math.floor(Math.log(Math.max(max, Number.MIN_VALUE)) / Math.log(base) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(1, most)));
  const found: number[] = [];
  for (let exponent = first; exponent <= last; exponent++) if ((exponent - first) % every === 0) found.push(base ** exponent);
  // Fewer than two powers are visible: use linear ticks.
  return found.length >= 2 ? found : linearTicks(min, max, Math.min(most, 4), isBinary);
}

export function ticks(scale: Scale, most: number, unit = ""): number[] {
  const isBinary = unit === "bytes";
  return scale.isLog ? logTicks(scale.min, scale.max, most, isBinary) : linearTicks(scale.min, scale.max, most, isBinary);
}
