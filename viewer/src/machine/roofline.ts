/** The rate that a loop can reach by its operations for each byte: bandwidths, which end at the peak rate of operations. */

import { plain } from "../format";
import { LEVEL, firstKeys } from "./curves";
import type { Figure, FigurePoint, Line } from "./figure";
import type { Machine, Parameter } from "./profile";
import { flops, valueText } from "./values";

/** Powers of two, from 1/64 at least to 64. */
const SMALLEST = -6;
const LARGEST = 6;

/** Elements of the loops have 64 bits. */
const PEAK = /^peak_double(_all)?$/;

/** A bandwidth, and the peak of the same ranks if the profile has it. */
interface Roof {
  bandwidth: Parameter;
  peak: Parameter | undefined;
  /** Operations for each byte at which both are the same; infinite without a peak. */
  ridge: number;
}

const isOfAll = ({ id }: Parameter): boolean => id.endsWith("_all");

const peaksOf = ({ profile }: Machine): Parameter[] => profile.parameters.filter((p) => PEAK.test(p.id));

/** Profiles of before have none. */
export const hasPeak = (machine: Machine): boolean => peaksOf(machine).length > 0;

function roofsOf(machine: Machine): Roof[] {
  const peaks = peaksOf(machine);
  return machine.profile.parameters
    .filter((p) => p.experiment === "memory" && p.unit === "B/s" && LEVEL.test(p.id) && p.value > 0)
    .map((bandwidth) => {
      const peak = peaks.find((p) => isOfAll(p) === isOfAll(bandwidth));
      return { bandwidth, peak, ridge: peak ? peak.value / bandwidth.value : Infinity };
    });
}

/** The parameter, times a factor. */
const pointOf = (p: Parameter, x: number, factor: number): FigurePoint => ({ x, y: p.value * factor, low: p.low && p.low * factor, high: p.high && p.high * factor, note: p.disturbed ? "machine not quiet" : "" });

/** Bandwidths, and the peaks at which they end. */
function linesOf(roofs: readonly Roof[], peaks: readonly Parameter[], machine: number, intensities: readonly number[], isOfTwo: boolean): Line[] {
  const line = (p: Parameter, name: string, points: FigurePoint[]): Line => ({
    key: p.id,
    name: `${name}${isOfAll(p) ? ", all ranks" : ""}${isOfTwo ? "" : `: ${valueText(p.value, p.unit)}`}`,
    machine,
    points,
    hasSigns: false,
  });
  const bandwidths = roofs.map(({ bandwidth, peak, ridge }) => {
    const [, level = "", huge] = LEVEL.exec(bandwidth.id)!;
    const points = intensities.filter((x) => x < ridge).map((x) => pointOf(bandwidth, x, x));
    if (peak) points.push({ ...pointOf(peak, ridge, 1), isEnd: true });
    return line(bandwidth, `${level}, ${bandwidth.id.split("_")[0]}${huge ? ", huge pages" : ""}`, points);
  });
  const horizontal = peaks.map((peak) => {
    const ridges = roofs.filter((roof) => roof.peak === peak).map(({ ridge }) => ridge);
    // From the first bandwidth that reaches it. It has a point where each of them ends, so that both are listed there.
    const places = new Set([...ridges, ...intensities.filter((x) => x >= Math.min(...ridges))]);
    return line(peak, "peak, double precision", [...places].sort((a, b) => a - b).map((x) => pointOf(peak, x, 1)));
  });
  return [...bandwidths, ...horizontal].filter(({ points }) => points.length);
}

/** Powers of two: as far that each peak has a part to the right of all ridges. */
function intensitiesOf(roofs: readonly Roof[]): number[] {
  const last = Math.max(LARGEST, ...roofs.filter(({ peak }) => peak).map(({ ridge }) => 1 + Math.ceil(Math.log2(ridge))));
  return Array.from({ length: last - SMALLEST + 1 }, (_, i) => 2 ** (i + SMALLEST));
}

const intensity = (value: number): string => (value < 1 && Number.isInteger(1 / value) ? `1/${1 / value}` : plain(value));

export function rooflineFigure(machines: readonly Machine[]): Figure {
  const roofs = machines.map(roofsOf);
  const intensities = intensitiesOf(roofs.flat());
  const lines = machines.flatMap((machine, at) => linesOf(roofs[at]!, peaksOf(machine), at, intensities, machines.length > 1));
  return {
    x: { title: "Arithmetic intensity (flop per byte)", isLog: true, isBinary: true, text: intensity, unit: "flop/byte" },
    y: { title: "Attainable rate", isLog: true, isBinary: false, text: flops, unit: "flop/s" },
    lines,
    marks: [],
    first: firstKeys(lines, (line) => /^(triad_(L\d|memory)|peak_double)$/.test(line.key)),
  };
}
