/** A picture of lines over an axis, as data: which lines, which of them are shown, and where they are drawn. */

import { type Scale, toUnit } from "../axis";

export interface FigurePoint {
  x: number;
  y: number;
  /** The 95 % interval. */
  low: number | null;
  high: number | null;
  /** What a reader of it has to consider. */
  note: string;
  /** A sign is drawn here, also on a line without signs: the line ends for a reason. */
  isEnd?: boolean;
}

export interface Line {
  /** Also in the address; the same in both profiles. */
  key: string;
  name: string;
  /** Which of the profiles. */
  machine: number;
  points: readonly FigurePoint[];
  /** Whether a sign is drawn at each point: where it was measured. */
  hasSigns: boolean;
}

/** Places on the horizontal axis that mean something. */
export interface Mark {
  from: number;
  until: number;
  text: string;
}

export interface FigureAxis {
  title: string;
  isLog: boolean;
  /** Ticks at powers of two. */
  isBinary: boolean;
  text: (value: number) => string;
  /** Of ticks, if the title has the unit. */
  tick?: (value: number) => string;
  /** Unit of saved numbers. */
  unit: string;
}

export interface Figure {
  x: FigureAxis;
  y: FigureAxis;
  lines: readonly Line[];
  marks: readonly Mark[];
  /** The lines that are shown at first. */
  first: readonly string[];
}

/** Lines that can be distinguished by colour; further ones have other signs. */
export const HUES = 8;
const SIGNS = "●■▲◆";

export interface Style {
  hue: number;
  sign: number;
}

export const signText = ({ sign }: Style): string => SIGNS[sign]!;

/** Keys in the order of the legend: those that are shown at first have colours of their own. */
export const keysOf = ({ first, lines }: Figure): string[] => [...new Set([...first, ...lines.map((line) => line.key)])];

/** Colour and sign of a line: they do not change when others are hidden. */
export function styles(figure: Figure): Map<string, Style> {
  return new Map(keysOf(figure).map((key, i) => [key, { hue: i % HUES, sign: Math.floor(i / HUES) % SIGNS.length }]));
}

/** The keys that are shown: those of the address that exist, or the first ones. */
export function shownKeys(figure: Figure, chosen: readonly string[] | undefined): string[] {
  if (!chosen) return [...figure.first];
  const all = keysOf(figure);
  const found = all.filter((key) => chosen.includes(key));
  // An address for another profile or experiment: none of its lines exists.
  return found.length || !chosen.length ? found : [...figure.first];
}

/** A scale on which values that are not positive have a place, also if it is logarithmic. */
export interface FigureScale extends Scale {
  zero: number;
}

/** The range of values; 0 on a logarithmic axis is half of the smallest other value. */
export function scaleOf(values: readonly number[], isLog: boolean): FigureScale {
  const positive = values.filter((value) => value > 0);
  // Not as arguments of Math.max: there may be more values than a call can have.
  const max = positive.reduce((a, b) => Math.max(a, b), Number.MIN_VALUE);
  if (!isLog || !positive.length) return { min: values.reduce((a, b) => Math.min(a, b), 0), max: positive.length ? max : 1, isLog: false, zero: 0 };
  const least = positive.reduce((a, b) => Math.min(a, b));
  return { min: values.some((value) => value <= 0) ? least / 2 : least, max, isLog, zero: least / 2 };
}

/** A scale with room at both ends: shares of its length. */
export function widened({ min, max, isLog, zero }: FigureScale, below: number, above: number): FigureScale {
  if (!isLog) {
    const length = (max - min || Math.abs(max) || 1) / (1 - above);
    return { min, max: min + length, isLog, zero };
  }
  // A single value has a decade around it. In logarithms: a quotient of two numbers may be none.
  const length = (Math.log(max) - Math.log(min) || Math.log(10)) / (1 - below - above);
  const from = Math.log(min) - (max > min ? below * length : Math.log(10) / 2);
  return { min: Math.max(Math.exp(from), Number.MIN_VALUE), max: Math.min(Math.exp(from + length), Number.MAX_VALUE), isLog, zero };
}

/** Place of a value, 0 to 1. */
export const placeOf = (scale: FigureScale, value: number): number => toUnit(scale, scale.isLog ? Math.max(value, scale.zero) : value);

/** All places where a line has a point. */
export const placesOf = (lines: readonly Line[]): number[] => [...new Set(lines.flatMap((line) => line.points.map((point) => point.x)))].sort((a, b) => a - b);

/** The place that is drawn nearest to `part` of the axis; null without any. */
export function nearest(places: readonly number[], scale: FigureScale, part: number): number | null {
  let found: number | null = null;
  for (const x of places) if (found === null || Math.abs(placeOf(scale, x) - part) < Math.abs(placeOf(scale, found) - part)) found = x;
  return found;
}

/** Points in a row that have an interval: what is between others is unknown. */
export function withIntervals(points: readonly FigurePoint[]): FigurePoint[][] {
  const found: FigurePoint[][] = [[]];
  for (const point of points) {
    if (point.low !== null && point.high !== null) found[found.length - 1]!.push(point);
    else found.push([]);
  }
  return found.filter((run) => run.length > 0);
}

/** Rows for texts above the curves, so that no text is over another; null where there is no room. */
export function rowsOfTexts(texts: readonly { from: number; width: number }[], rows: number): (number | null)[] {
  const ends: number[] = Array.from({ length: rows }, () => -Infinity);
  return texts.map(({ from, width }) => {
    const row = ends.findIndex((end) => end + 6 <= from);
    if (row < 0) return null;
    ends[row] = from + width;
    return row;
  });
}
