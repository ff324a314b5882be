/** The view state. All of it is in the address, so that a link restores it. */

import { type Pane, type PaneSettings, SETTINGS } from "../panes/registry";
import type { CallRef } from "../protocol/types";
import { ALIGNED, type Align } from "../runs/align";

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

export interface ViewState extends PaneSettings {
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
  /** The clicked moment, ns; panes show the state at it. */
  moment: number | null;
  /** Pictures that are shown as a table, by the id of the pane; `timeline`. */
  twins: string[];
  finding: number | null;
  /** Of two runs: the one that panes, filter and finding refer to. */
  about: 0 | 1;
  /** The selected call of the other run. */
  other: CallRef | null;
  align: Align;
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
  ...(Object.fromEntries(SETTINGS.map(([pane, { initial }]) => [pane, initial])) as unknown as PaneSettings),
  moment: null,
  twins: [],
  finding: null,
  about: 0,
  other: null,
  align: ALIGNED,
}) as ViewState;

export const isFiltered = (filter: Filter): boolean => Object.values(filter).some((value) => value !== null);

/** Whether the filter is only by function, which the zoomed-out picture supports. */
export const isOnlyFunctions = (filter: Filter): boolean =>
  Object.entries(filter).every(([name, value]) => value === null || name === "functions");
