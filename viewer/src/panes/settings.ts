/** The settings of a pane, which a link restores. */

import { type CurveField, CURVE_FIELDS, type Of } from "../protocol/types";
import { isWhole, numbers, parseNumbers } from "../state/text";

/** A pane's settings and their text in the address, which is named after the pane. */
export interface Settings<T> {
  initial: T;
  write(settings: T): string;
  /** Null for a text without meaning. */
  read(text: string): T | null;
}

interface Sorting {
  by: string;
  sort: string;
  ascending: boolean;
}

/** A table that groups by fields and is sorted by a column. */
const sorting = (initial: Sorting, fields: RegExp): Settings<Sorting> => ({
  initial,
  write: ({ by, sort, ascending }) => `${by}~${sort}~${ascending ? 1 : 0}`,
  read: (text) => {
    const [by = "", sort = "", ascending, ...more] = text.split("~");
    return ascending !== undefined && !more.length && fields.test(by) && /^[a-z0-9_]+$/.test(sort) ? { by, sort, ascending: ascending === "1" } : null;
  },
});

export const TABLE = sorting({ by: "function", sort: "total_ns", ascending: false }, /^[a-z_]+(,[a-z_]+)?$/);
export const DIFFERENCES = sorting({ by: "function", sort: "difference", ascending: false }, /^[a-z_]+$/);

const ofText = (of: Of): string => (of === "messages" ? "~messages" : "");
const isOf = (text: string | undefined): text is "messages" | undefined => text === undefined || text === "messages";

export interface Ranges {
  x_min: number | null;
  x_max: number | null;
  y_min: number | null;
  y_max: number | null;
}

export const SCATTER: Settings<{ x: string; y: string; x_log: boolean; y_log: boolean; of: Of } & Ranges> = {
  initial: { x: "end", y: "duration", x_log: false, y_log: true, of: "calls", x_min: null, x_max: null, y_min: null, y_max: null },
  write: (s) => `${s.x}~${s.y}~${s.x_log ? 1 : 0}~${s.y_log ? 1 : 0}~${numbers([s.x_min, s.x_max, s.y_min, s.y_max])}${ofText(s.of)}`,
  read: (text) => {
    const parts = text.split("~");
    const ranges = parseNumbers(parts.slice(4, 8).join("~"), 4);
    if (parts.length > 9 || !ranges || !isOf(parts[8])) return null;
    const [x_min, x_max, y_min, y_max] = ranges as [number | null, number | null, number | null, number | null];
    return { x: parts[0]!, y: parts[1]!, x_log: parts[2] === "1", y_log: parts[3] === "1", of: parts[8] ?? "calls", x_min, x_max, y_min, y_max };
  },
};

export const HISTOGRAM: Settings<{ field: string; is_log: boolean; of: Of }> = {
  initial: { field: "duration", is_log: true, of: "calls" },
  write: (s) => `${s.field}~${s.is_log ? 1 : 0}${ofText(s.of)}`,
  read: (text) => {
    const [field = "", log, of, ...more] = text.split("~");
    return log !== undefined && !more.length && isOf(of) ? { field, is_log: log === "1", of: of ?? "calls" } : null;
  },
};

const MATRIX_VALUES = ["count", "bytes", "mean", "latency", "longest"] as const;

export const MATRIX: Settings<{ by: "rank" | "host"; value: (typeof MATRIX_VALUES)[number]; comm: number | null }> = {
  initial: { by: "rank", value: "bytes", comm: null },
  write: (s) => `${s.by}~${s.value}~${s.comm ?? ""}`,
  read: (text) => {
    const [by, name, comm, ...more] = text.split("~");
    const value = MATRIX_VALUES.find((v) => v === name);
    if (!value || comm === undefined || more.length || !isWhole(Number(comm))) return null;
    return { by: by === "host" ? "host" : "rank", value, comm: comm ? Number(comm) : null };
  },
};

export const CURVES: Settings<{ field: CurveField; by_host: boolean }> = {
  initial: { field: "ranks_waiting", by_host: false },
  write: (s) => `${s.field}~${s.by_host ? 1 : 0}`,
  read: (text) => {
    const [name, byHost, ...more] = text.split("~");
    const field = CURVE_FIELDS.find((f) => f === name);
    return field && byHost !== undefined && !more.length ? { field, by_host: byHost === "1" } : null;
  },
};

/** `zoom`: the frame that the call tree is zoomed to, by its id; empty for all. */
export const TREE: Settings<{ zoom: string; by_rank: boolean }> = {
  initial: { zoom: "", by_rank: false },
  write: (s) => `${s.zoom}~${s.by_rank ? 1 : 0}`,
  read: (text) => {
    const [, zoom, byRank] = /^([a-z0-9]{0,7})~([01])$/.exec(text) ?? [];
    return zoom === undefined ? null : { zoom, by_rank: byRank === "1" };
  },
};
