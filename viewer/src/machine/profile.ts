/** A machine profile as the server answers it (schemas/machine.schema.json), and how its parts are named. */

import { counted, ranksText } from "../format";

export interface CurvePoint {
  x: number;
  median_ns: number;
  low_ns: number | null;
  high_ns: number | null;
  samples: number;
  reached: boolean;
  drift_share: number | null;
  second_mode_ns: number | null;
}

/** The ranks that a number is about: a pair, one rank, or, with neither, all ranks. */
export interface Scope {
  pair: number | null;
  rank: number | null;
}

export interface Curve extends Scope {
  experiment: string;
  series: string;
  axis: { name: string; unit: string };
  moved: number;
  /** Ranks begin each operation spread over this time; absent: at once. */
  skew_ns?: number;
  points: CurvePoint[];
}

export interface Parameter extends Scope {
  experiment: string;
  id: string;
  unit: string;
  value: number;
  low: number | null;
  high: number | null;
  from_bytes: number | null;
  to_bytes: number | null;
  disturbed: boolean;
  text: string;
  advice: string | null;
}

export interface Host {
  host: string;
  processor: string | null;
  kernel: string | null;
  usable_cpus: number;
  cores: number;
  ranks: number;
}

export interface Pair {
  class: string;
  /** Of ranks on different hosts, if the network was described. */
  hops?: number;
  ranks: [number, number];
}

/** One send, after the begin of the exchange. */
export interface SendTimes {
  rank: number;
  to: number;
  begin_ns: number;
  end_ns: number;
}

export interface Profile {
  mpiscope: string;
  started_s: number;
  ended_s: number;
  complete: boolean;
  problems: string[];
  mpi: { version: string; path: string; ranks: number };
  settings: { experiments: string[]; budget_s: number; with_threads?: boolean; variables: Record<string, string> };
  hosts: Host[];
  pairs: Pair[];
  parameters: Parameter[];
  curves: Curve[];
  staircases?: { series: string; bytes: number; sends: SendTimes[] }[];
}

export interface Machine {
  name: string;
  profile: Profile;
}

const CLASSES: Record<string, string> = {
  "same-l2": "same L2",
  "same-l3": "same L3",
  "same-numa": "same NUMA node",
  "same-package": "same package",
  "same-node": "same host",
  "same-node-not-bound": "same host, not bound",
  "other-node": "different hosts",
};

/** `same L3`, `different hosts, 2 hops`. */
export function distanceText({ class: id, hops }: Pair): string {
  const words = CLASSES[id] ?? id;
  return hops === undefined ? words : `${words}, ${counted(hops, "hop")}`;
}

export const pairText = ([a, b]: readonly [number, number]): string => `ranks ${a} and ${b}`;

/** `ranks 0 and 1 (same L3)`, `rank 3`, `all ranks`. */
export function scopeText(profile: Profile, { pair, rank }: Scope): string {
  if (rank !== null) return ranksText([rank]);
  const found = pair === null ? null : profile.pairs[pair];
  return found ? `${pairText(found.ranks)} (${distanceText(found)})` : "all ranks";
}

/** What a scope is matched by between two profiles: the class and the hops of a pair, whose ranks may be others in another job. */
export function scopeKey(profile: Profile, { pair, rank }: Scope): string {
  if (rank !== null) return `rank ${rank}`;
  const found = pair === null ? undefined : profile.pairs[pair];
  if (!found) return "";
  return found.hops === undefined ? found.class : `${found.class} ${found.hops}`;
}

/** What a reader of a point has to consider. */
export function considerations(point: CurvePoint): string {
  return [
    point.reached ? "" : "interval wider than wanted",
    point.drift_share === null ? "" : "drift",
    point.second_mode_ns === null ? "" : "second mode",
  ]
    .filter(Boolean)
    .join(", ");
}
