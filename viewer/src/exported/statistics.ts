/** Tables and plots of the calls in the page. */

import { encodeFrame } from "../protocol/frame";
import type { Axis, GroupRow, Histogram } from "../protocol/types";
import { binsOf } from "./bins";
import { type KeptCalls, tagOf } from "./calls";

/** A field of a call as a number; null where the call has none. */
export function fieldOf(kept: KeptCalls, withData: ReadonlySet<number>, field: string): (at: number) => number | null {
  const { calls: c, run } = kept;
  const id = (value: number): number | null => (value < 0 || value === 0xffffffff ? null : value);
  const bytes = (i: number): number | null => (withData.has(c.function![i]!) || kept.bytes(i) > 0 ? kept.bytes(i) : null);
  const classes = new Map(run.functions.map((f) => [f.id, run.classes.findIndex((k) => k.id === f.class)]));
  const fields: Record<string, (i: number) => number | null> = {
    start: (i) => c.start_ns![i]!,
    end: (i) => kept.end(i),
    duration: (i) => c.duration_ns![i]!,
    bytes,
    bandwidth: (i) => (kept.bytes(i) > 0 && c.duration_ns![i]! > 0 ? kept.bytes(i) / c.duration_ns![i]! : null),
    peer: (i) => id(c.peer![i]!),
    rank: (i) => c.rank![i]!,
    host: (i) => run.ranks.host[c.rank![i]!] ?? null,
    thread: (i) => c.thread![i]!,
    tag: (i) => tagOf(c.tag![i]!),
    comm: (i) => id(c.comm![i]!),
    function: (i) => c.function![i]!,
    class: (i) => classes.get(c.function![i]!) ?? null,
    site: (i) => id(c.site![i]!),
    region: (i) => id(c.region![i]!),
    iteration: (i) => kept.iteration(c.start_ns![i]!),
    size_bin: (i) => {
      const value = bytes(i);
      return value === null ? null : value < 1 ? 0 : Math.min(31, Math.floor(Math.log2(value)) + 1);
    },
    row: (i) => c.row![i]!,
  };
  return fields[field] ?? (() => null);
}

function textOf(kept: KeptCalls, field: string, id: number): string {
  const { run } = kept;
  const by = (list: readonly { id: number }[], text: (item: never) => string): string => {
    const found = list.find((item) => item.id === id);
    return found ? text(found as never) : "";
  };
  switch (field) {
    case "function":
      return by(run.functions, (f: (typeof run.functions)[number]) => f.name);
    case "class":
      return run.classes[id]?.name ?? "";
    case "comm":
      return by(run.communicators, (k: (typeof run.communicators)[number]) => k.name);
    case "site":
      return by(run.sites, (s: (typeof run.sites)[number]) => s.text) || "unknown";
    case "region":
      return by(run.regions, (r: (typeof run.regions)[number]) => r.name);
    case "host":
      return run.hosts[id] ?? "";
    case "size_bin":
      return id === 0 ? "0 B" : id === 1 ? "1 B" : `${2 ** (id - 1)}–${2 ** id - 1} B`;
    default:
      return String(id);
  }
}

export interface Window {
  from: number;
  until: number;
}

const SORTS: Record<string, (row: GroupRow) => number> = {
  count: (r) => r.count,
  total_ns: (r) => r.total_ns,
  mean_ns: (r) => r.mean_ns,
  max_ns: (r) => r.max_ns,
  bytes: (r) => r.bytes,
};

/** The answer to `groups`; `rankTime`: of the requested ranks, in the window. */
export function groups(kept: KeptCalls, withData: ReadonlySet<number>, at: readonly number[], by: readonly string[], sort: string, limit: number, window: Window, rankTime: number): object {
  const values = by.map((field) => fieldOf(kept, withData, field));
  const found = new Map<string, { ids: (number | null)[]; places: number[] }>();
  for (const i of at) {
    const ids = values.map((value) => value(i));
    const key = ids.join();
    const group = found.get(key);
    if (group) group.places.push(i);
    else found.set(key, { ids, places: [i] });
  }
  const { calls: c } = kept;
  const rows = [...found.values()].map(({ ids, places }): GroupRow => {
    let [count, total, squares, bytes, inside, inSight] = [0, 0, 0, 0, 0, 0];
    const each: [number, number][] = [];
    for (const i of places) {
      const times = Math.max(1, c.count![i]!);
      const duration = c.duration_ns![i]!;
      count += times;
      total += duration;
      squares += times * (duration / times) ** 2;
      bytes += kept.bytes(i) * times;
      const within = Math.max(0, Math.min(kept.end(i), window.until) - Math.max(c.start_ns![i]!, window.from));
      inSight += within;
      if (!(c.flags![i]! & 4)) inside += within;
      each.push([duration / times, times]);
    }
    each.sort((a, b) => a[0] - b[0]);
    const percentile = (share: number): number => {
      let seen = 0;
      for (const [value, times] of each) if ((seen += times) >= share * count) return value;
      return each[each.length - 1]![0];
    };
    const mean = total / count;
    return {
      key: ids.map((id, k) => (id === null ? { id: null, text: "none" } : { id, text: textOf(kept, by[k]!, id) })),
      count,
      total_ns: inSight,
      mean_ns: mean,
      median_ns: percentile(0.5),
      min_ns: each[0]![0],
      max_ns: each[each.length - 1]![0],
      p95_ns: percentile(0.95),
      p99_ns: percentile(0.99),
      sd_ns: Math.sqrt(Math.max(0, squares / count - mean ** 2)),
      share: inside / Math.max(1, rankTime),
      bytes,
    };
  });
  const value = SORTS[sort] ?? SORTS.total_ns!;
  rows.sort((a, b) => value(b) - value(a));
  return { basis: { kind: "calls" }, by, rows: rows.slice(0, limit), total: rows.length, is_cut: rows.length > limit };
}

export function axisOf(values: readonly number[], field: string, isLog: boolean, min: number | null | undefined, max: number | null | undefined): Axis {
  const usable = isLog ? values.filter((v) => v > 0) : values;
  const least = usable.reduce((a, b) => Math.min(a, b), Infinity);
  const most = usable.reduce((a, b) => Math.max(a, b), -Infinity);
  const finite = (value: number, otherwise: number): number => (Number.isFinite(value) ? value : otherwise);
  let low = finite(min ?? least, 0);
  if (isLog && low <= 0) low = finite(least, 1);
  const high = finite(max ?? most, 1);
  return { field, min: low, max: high > low ? high : low + 1, is_log: isLog };
}

export function histogram(kept: KeptCalls, withData: ReadonlySet<number>, at: readonly number[], q: { field: string; is_log: boolean; min?: number | null; max?: number | null; bins: number }): Histogram {
  const value = fieldOf(kept, withData, q.field);
  const pairs = at.map((i) => [value(i), i] as const).filter((pair): pair is readonly [number, number] => pair[0] !== null);
  const timesOf = (i: number): number => Math.max(1, kept.calls.count![i]!);
  const isFree = (q.min ?? null) === null && (q.max ?? null) === null;
  const info = kept.run.fields.find((f) => f.id === q.field) ?? { unit: "", is_id: false };
  const { bins, ...axis } = isFree
    ? { ...binsOf(pairs.map(([v, i]) => [v, timesOf(i)] as const), info, q.is_log, q.bins), is_log: q.is_log }
    : { ...axisOf(pairs.map(([v]) => v), q.field, q.is_log, q.min, q.max), bins: q.bins };
  const share = (v: number): number => (axis.is_log ? Math.log(v / axis.min) / Math.log(axis.max / axis.min) : (v - axis.min) / (axis.max - axis.min));
  const edges = Array.from({ length: bins + 1 }, (_, k) => (axis.is_log ? axis.min * (axis.max / axis.min) ** (k / bins) : axis.min + (k / bins) * (axis.max - axis.min)));
  const counts = new Array<number>(bins).fill(0);
  const time_ns = new Array<number>(bins).fill(0);
  let total = 0;
  for (const [v, i] of pairs) {
    if (v < axis.min || v > axis.max) continue;
    const bin = Math.min(bins - 1, Math.floor(share(v) * bins + 1e-9));
    const times = timesOf(i);
    counts[bin]! += times;
    time_ns[bin]! += kept.calls.duration_ns![i]!;
    total += times;
  }
  return { basis: { kind: "calls" }, field: q.field, min: axis.min, max: axis.max, is_log: axis.is_log, edges, counts, time_ns, total };
}

export interface ScatterAsked {
  x: string;
  y: string;
  x_log: boolean;
  y_log: boolean;
  x_min?: number | null;
  x_max?: number | null;
  y_min?: number | null;
  y_max?: number | null;
  width: number;
  height: number;
}

/** Frame `scatter`, always as points: a page never has more calls than fit as points. It fits no line. */
export function scatter(kept: KeptCalls, withData: ReadonlySet<number>, at: readonly number[], q: ScatterAsked): ArrayBuffer {
  const [x, y] = [fieldOf(kept, withData, q.x), fieldOf(kept, withData, q.y)];
  const all = at.map((i) => [x(i), y(i), i] as const).filter((p): p is readonly [number, number, number] => p[0] !== null && p[1] !== null);
  const x_axis = axisOf(all.map((p) => p[0]), q.x, q.x_log, q.x_min, q.x_max);
  const y_axis = axisOf(all.map((p) => p[1]), q.y, q.y_log, q.y_min, q.y_max);
  const isIn = (v: number, axis: Axis): boolean => v >= axis.min && v <= axis.max;
  const shown = all.filter((p) => isIn(p[0], x_axis) && isIn(p[1], y_axis));
  const { calls: c } = kept;
  return encodeFrame({ kind: "scatter", basis: { kind: "calls" }, x_axis, y_axis, total: shown.length, form: "points", fit: null, width: q.width, height: q.height }, {
    x: Float64Array.from(shown, (p) => p[0]),
    y: Float64Array.from(shown, (p) => p[1]),
    rank: Uint32Array.from(shown, (p) => c.rank![p[2]]!),
    row: Float64Array.from(shown, (p) => c.row![p[2]]!),
    function: Uint16Array.from(shown, (p) => c.function![p[2]]!),
  });
}
