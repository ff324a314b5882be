/** The view state. All of it is in the address, so that a link restores it. */

import type { CallRef, CurveField, Of } from "../protocol/types";
import { ALIGNED, type Align } from "../runs/align";

export const PANES = ["table", "scatter", "histogram", "matrix", "events", "differences", "curves", "moment", "tree", "path"] as const;
export type Pane = (typeof PANES)[number];

export const LAYERS = ["messages", "rma", "collectives", "waits", "path", "regions"] as const;
export type Layer = (typeof LAYERS)[number];

export interface Filter {
  ranks: string | null;
  functions: number[] | null;
  comm: number | null;
  site: number | null;
  region: number | null;
  peer: number | null;
  /** Any of these ranks: `0-3,7`. */
  peers: string | null;
  tag: number | null;
  bytes_min: number | null;
  bytes_max: number | null;
  duration_min: number | null;
  duration_max: number | null;
  host: number | null;
  iteration: number | null;
  thread: number | null;
}

export interface Area {
  from: number;
  until: number;
  /** Positions; null for all. */
  row_from: number | null;
  row_until: number | null;
}

export interface Ranges {
  x_min: number | null;
  x_max: number | null;
  y_min: number | null;
  y_max: number | null;
}

export interface ViewState {
  page: "overview" | "views" | "compare";
  /** Window in ns; null for the main part of the run, or for the whole run. */
  from: number | null;
  until: number | null;
  /** Without a window: show the whole run, with MPI_Init and MPI_Finalize. */
  isWhole: boolean;
  /** Window in positions; null for all. */
  row_from: number | null;
  row_until: number | null;
  order: string;
  filter: Filter;
  selection: CallRef | null;
  area: Area | null;
  /** Functions drawn as computing; search and stepping skip them. */
  hidden: number[];
  /** Functions that are drawn, but skipped by search and stepping. */
  skipped: number[];
  colouring: "function" | "class";
  /** Colours that the user has chosen, `rrggbb`, by the id of a function or of a class. */
  paint: Readonly<Record<string, string>>;
  layers: Layer[];
  left: Pane;
  right: Pane;
  /** The scope of the panes below where nothing is selected. */
  scope: "window" | "run";
  table: { by: string; sort: string; ascending: boolean };
  scatter: { x: string; y: string; x_log: boolean; y_log: boolean; of: Of } & Ranges;
  histogram: { field: string; is_log: boolean; of: Of };
  curves: { field: CurveField; by_host: boolean };
  /** `zoom`: the frame that the call tree is zoomed to, by its id; empty for all. */
  tree: { zoom: string; by_rank: boolean };
  /** The clicked moment, ns; panes show the state at it. */
  moment: number | null;
  matrix: { by: "rank" | "host"; value: "count" | "bytes" | "mean" | "latency" | "longest"; comm: number | null };
  twins: string[];
  finding: number | null;
  /** Of two runs: the one that panes, filter and finding refer to. */
  about: 0 | 1;
  /** The selected call of the other run. */
  other: CallRef | null;
  align: Align;
  differences: { by: string; sort: string; ascending: boolean };
}

export const NO_FILTER: Filter = Object.freeze({
  ranks: null,
  functions: null,
  comm: null,
  site: null,
  region: null,
  peer: null,
  peers: null,
  tag: null,
  bytes_min: null,
  bytes_max: null,
  duration_min: null,
  duration_max: null,
  host: null,
  iteration: null,
  thread: null,
});

export const INITIAL: ViewState = Object.freeze({
  page: "overview",
  from: null,
  until: null,
  isWhole: false,
  row_from: null,
  row_until: null,
  order: "",
  filter: NO_FILTER,
  selection: null,
  area: null,
  hidden: [],
  skipped: [],
  colouring: "function",
  paint: {},
  layers: ["messages", "rma", "collectives", "waits"],
  left: "table",
  right: "scatter",
  scope: "window",
  table: { by: "function", sort: "total_ns", ascending: false },
  scatter: { x: "end", y: "duration", x_log: false, y_log: true, of: "calls", x_min: null, x_max: null, y_min: null, y_max: null },
  histogram: { field: "duration", is_log: true, of: "calls" },
  curves: { field: "ranks_waiting", by_host: false },
  tree: { zoom: "", by_rank: false },
  moment: null,
  matrix: { by: "rank", value: "bytes", comm: null },
  twins: [],
  finding: null,
  about: 0,
  other: null,
  align: ALIGNED,
  differences: { by: "function", sort: "difference", ascending: false },
}) as ViewState;

export const isFiltered = (filter: Filter): boolean => Object.values(filter).some((value) => value !== null);

/** Whether the filter is only by function, which the zoomed-out picture supports. */
export const isOnlyFunctions = (filter: Filter): boolean =>
  Object.entries(filter).every(([name, value]) => value === null || name === "functions");
