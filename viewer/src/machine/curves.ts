/** Which lines the panes of curves show: from the curves of profiles to figures. */

import { bytes, count, rate, time } from "../format";
import type { Figure, FigureAxis, FigurePoint, Line, Mark } from "./figure";
import { type Curve, type Machine, type Profile, considerations, scopeKey, scopeText } from "./profile";
import { placeText } from "./values";

/** Curves that one figure can show: of one experiment, over one axis. */
export interface Group {
  id: string;
  experiment: string;
  title: string;
  axis: Curve["axis"];
  hasRates: boolean;
}

const MOST_FIRST = 8;

const axisKey = ({ experiment, axis }: Curve): string => `${experiment}:${axis.name}`;

export function groupsOf(machines: readonly Machine[]): Group[] {
  const found = new Map<string, Group>();
  const all = machines.flatMap((machine) => machine.profile.curves);
  const hasSeveral = (experiment: string): boolean => new Set(all.filter((c) => c.experiment === experiment).map(axisKey)).size > 1;
  for (const curve of all) {
    const id = axisKey(curve);
    const title = hasSeveral(curve.experiment) ? `${curve.experiment}: ${curve.axis.name}` : curve.experiment;
    const group = found.get(id) ?? { id, experiment: curve.experiment, title, axis: curve.axis, hasRates: false };
    group.hasRates ||= hasRate(curve);
    found.set(id, group);
  }
  return [...found.values()];
}

/** Times of one call in a transfer, which moves no bytes by itself: their rates would be faster than any memory. */
const OVERHEADS = ["send-overhead", "expected-receive", "unexpected-receive"];

const hasRate = (curve: Curve): boolean => curve.moved > 0 && !OVERHEADS.includes(curve.series) && curve.axis.unit === "B" && curve.points.some((point) => point.x > 0);

/** Points as times, or as the rates that they mean. `times`: as many ranks do the same at once. */
export function pointsOf(curve: Curve, y: "time" | "rate", times = 1): FigurePoint[] {
  if (y === "time")
    return curve.points.map((point) => ({ x: point.x, y: point.median_ns, low: point.low_ns, high: point.high_ns, note: considerations(point) }));
  if (!hasRate(curve)) return [];
  return curve.points
    .filter((point) => point.x > 0 && point.median_ns > 0)
    .map((point) => {
      const rateOf = (ns: number | null): number | null => (ns === null || ns <= 0 ? null : ((point.x * curve.moved * times) / ns) * 1e9);
      // The shortest time is the highest rate.
      return { x: point.x, y: rateOf(point.median_ns)!, low: rateOf(point.high_ns), high: rateOf(point.low_ns), note: considerations(point) };
    });
}

export function xAxis({ name, unit }: Curve["axis"], isLog: boolean): FigureAxis {
  const isBytes = unit === "B";
  // On a logarithmic axis 0 is drawn at half of the smallest other place.
  const text = (value: number): string => (isBytes ? bytes(value < 1 ? 0 : value) : placeText(Math.round(value), unit));
  // Numbers of ranks are powers of two, and at last all.
  const isBinary = isBytes || unit === "bits" || (unit === "ranks" && isLog);
  const tick = (value: number): string => (isBytes ? text(value) : count(Math.round(value)));
  return { title: name.charAt(0).toUpperCase() + name.slice(1), isLog, isBinary, text, tick, unit: isBytes ? "bytes" : unit };
}

const timeAxis = (isLog: boolean): FigureAxis => ({ title: "Time of one operation", isLog, isBinary: false, text: time, unit: "ns" });
const rateAxis = (isLog: boolean): FigureAxis => ({ title: "Bandwidth", isLog, isBinary: true, text: rate, unit: "bytes/s" });

const skewText = ({ skew_ns: skew = 0 }: Curve): string => (skew > 0 ? `ranks begin spread over ${time(skew)}` : "");

/** Lines of two profiles are alike if they show the same: also with the same skew. */
const keyOf = (profile: Profile, curve: Curve): string => [curve.series, scopeKey(profile, curve), skewText(curve)].filter(Boolean).join("|");

function lineOf(machine: number, profile: Profile, curve: Curve, points: FigurePoint[], hasScopes: boolean): Line {
  const name = [curve.series, hasScopes ? scopeText(profile, curve) : "", skewText(curve)].filter(Boolean).join(", ");
  return { key: keyOf(profile, curve), name, machine, points, hasSigns: true };
}

/** Lines of the curves that `isMeant`, with the ranks in their names if these differ. */
function linesOf(machines: readonly Machine[], isMeant: (curve: Curve) => boolean, points: (curve: Curve, profile: Profile) => FigurePoint[]): Line[] {
  const scopes = machines.flatMap(({ profile }) => profile.curves.filter(isMeant).map((curve) => scopeKey(profile, curve)));
  const hasScopes = new Set(scopes).size > 1;
  // Series without a rate are last: the others keep their colours when rates are shown.
  const isLast = (curve: Curve): number => Number(OVERHEADS.includes(curve.series));
  return machines
    .flatMap(({ profile }, at) =>
      profile.curves
        .filter(isMeant)
        .sort((a, b) => isLast(a) - isLast(b))
        .map((curve) => lineOf(at, profile, curve, points(curve, profile), hasScopes)),
    )
    .filter((line) => line.points.length > 0);
}

/** The lines that are shown at first: those that are meant, or all. */
export const firstKeys = (lines: readonly Line[], isFirst: (line: Line) => boolean = () => true): string[] => {
  const keys = [...new Set(lines.filter(isFirst).map((line) => line.key))];
  return (keys.length ? keys : [...new Set(lines.map((line) => line.key))]).slice(0, MOST_FIRST);
};

/** Curves of one experiment. */
export function timesFigure(machines: readonly Machine[], group: Group, y: "time" | "rate", isLogX: boolean, isLogY: boolean): Figure {
  const lines = linesOf(machines, (curve) => axisKey(curve) === group.id, (curve) => pointsOf(curve, y));
  const marks = group.id === "pingpong:message size" ? protocolChanges(machines) : [];
  return { x: xAxis(group.axis, isLogX), y: y === "rate" ? rateAxis(isLogY) : timeAxis(isLogY), lines, marks, first: firstKeys(lines) };
}

/** Where the fitted line of ping-pong changes: between two sizes. */
function protocolChanges(machines: readonly Machine[]): Mark[] {
  return machines.flatMap(({ name, profile }) =>
    profile.parameters
      .filter((parameter) => parameter.id === "protocol_change")
      .map(({ value, low, high, pair }) => {
        const whose = [machines.length > 1 ? name : "", profile.pairs.length > 1 ? scopeText(profile, { pair, rank: null }) : ""].filter(Boolean).join(", ");
        return { from: low ?? value, until: high ?? value, text: `change above ${bytes(value)}${whose ? ` (${whose})` : ""}` };
      }),
  );
}

/** End of the names of parameters of the memory: level, pages, whose. */
export const LEVEL = /_(L\d|memory)(_huge)?(_all)?$/;

/** The working sets that represent the levels of the memory: sizes of caches are not in the profile. */
function levels(machines: readonly Machine[], prefix: string): Mark[] {
  return machines.flatMap(({ name, profile }) =>
    profile.parameters
      .filter((p) => p.experiment === "memory" && p.id.startsWith(prefix) && !/_huge|_all/.test(p.id) && LEVEL.test(p.id) && p.from_bytes !== null)
      .map((p) => ({ from: p.from_bytes!, until: p.to_bytes ?? p.from_bytes!, text: `${LEVEL.exec(p.id)![1]!}${machines.length > 1 ? ` (${name})` : ""}` })),
  );
}

const isSmallPages = (line: Line): boolean => !/-huge\b/.test(line.key);

export function bandwidthFigure(machines: readonly Machine[]): Figure {
  const isMeant = (curve: Curve): boolean => curve.experiment === "memory" && curve.moved > 0;
  // One rank for each processor together, as in the parameters that end in `_all`.
  const atOnce = ({ hosts, mpi }: Profile): number => hosts.reduce((sum, { ranks, usable_cpus }) => sum + Math.min(ranks, usable_cpus), 0) || mpi.ranks;
  const lines = linesOf(machines, isMeant, (curve, profile) => pointsOf(curve, "rate", curve.rank === null ? atOnce(profile) : 1));
  const first = firstKeys(lines, (line) => isSmallPages(line) && line.key.includes("|rank"));
  return { x: xAxis({ name: "working set", unit: "B" }, true), y: rateAxis(true), lines, marks: levels(machines, "read_"), first };
}

export function latencyFigure(machines: readonly Machine[]): Figure {
  const isMeant = (curve: Curve): boolean => curve.experiment === "memory" && curve.moved === 0;
  const lines = linesOf(machines, isMeant, (curve) => pointsOf(curve, "time"));
  return { x: xAxis({ name: "working set", unit: "B" }, true), y: { ...timeAxis(true), title: "Time of one load" }, lines, marks: levels(machines, "latency_"), first: firstKeys(lines) };
}
