/**
 * All panes, one record each: tabs, commands, links, saving, exported pages and tests read this list. A record contains no code of its pane:
 * the list can also be read where there is no page.
 */

import type { Key } from "../commands/command";
import type { Format } from "../save/saver";
import { CURVES, DIFFERENCES, HISTOGRAM, MATRIX, SCATTER, type Settings, TABLE, TREE } from "./settings";

/** Parameters of a question, as an exported page gets them. */
export type Asked = Readonly<Record<string, unknown>>;

export interface PaneRecord {
  /** Its name in links, in files that it saves, and in the names of its commands. */
  readonly id: string;
  readonly title: string;
  /** Its tab, where the title is too long. A word of the title. */
  readonly tab?: string;
  /** The element that shows it, and the module that defines it. */
  readonly element: string;
  readonly load: () => Promise<unknown>;
  /** With Alt: in the left pane; with Alt and Shift: in the right one. */
  readonly key: Pick<Key, "code">;
  /** The question that it sends, and whether the answer is JSON or a frame. */
  readonly question: string;
  readonly answer: "json" | "frame";
  /** How an exported page answers; null where such a page does not have the pane. */
  readonly exported: {
    /** Name of the stored answer to a question about the whole run without a filter; null if none is stored for these parameters. */
    readonly stored?: (asked: Asked) => string | null;
    /** What the page does not contain if it can neither find nor compute the answer: "… not in this exported page". */
    readonly missing: string;
  } | null;
  readonly saves: readonly Format[];
  /** Whether the same numbers can be shown in another way: its id is in `twins` of the view state then. */
  readonly hasTwin?: true;
  /** A pane about both runs, and what it shows without a second run. Without it: a pane about one run. */
  readonly ofBoth?: string;
  readonly settings?: Settings<unknown>;
}

const ALL_FORMATS = ["png", "svg", "csv"] as const;
const flag = (value: unknown): 0 | 1 => (value ? 1 : 0);

const LISTED = [
  {
    id: "table",
    title: "Table",
    element: "mp-table",
    load: () => import("../table/table"),
    key: { code: "Digit1" },
    question: "groups",
    answer: "json",
    exported: { stored: (q) => `groups/${q.by}`, missing: "these groups are" },
    saves: ["csv"],
    settings: TABLE,
  },
  {
    id: "scatter",
    title: "Scatter",
    element: "mp-scatter",
    load: () => import("../scatter/scatter"),
    key: { code: "Digit2" },
    question: "scatter",
    answer: "frame",
    exported: {
      stored: (q) => (isOfAll(q, "x_min", "x_max", "y_min", "y_max") ? `scatter/${q.x}/${q.y}/${flag(q.x_log)}/${flag(q.y_log)}` : null),
      missing: "statistics of messages are",
    },
    saves: ALL_FORMATS,
    hasTwin: true,
    settings: SCATTER,
  },
  {
    id: "histogram",
    title: "Histogram",
    element: "mp-histogram",
    load: () => import("../histogram/histogram"),
    key: { code: "Digit3" },
    question: "histogram",
    answer: "json",
    exported: { stored: (q) => (isOfAll(q, "min", "max") ? `histogram/${q.field}/${flag(q.is_log)}` : null), missing: "statistics of messages are" },
    saves: ALL_FORMATS,
    hasTwin: true,
    settings: HISTOGRAM,
  },
  {
    id: "matrix",
    title: "Matrix",
    element: "mp-matrix",
    load: () => import("../matrix/matrix"),
    key: { code: "Digit4" },
    question: "matrix",
    answer: "frame",
    exported: { stored: (q) => `matrix/${q.by}`, missing: "the matrix for part of the run is" },
    saves: ALL_FORMATS,
    hasTwin: true,
    settings: MATRIX,
  },
  {
    id: "events",
    title: "Events",
    element: "mp-events",
    load: () => import("../events/events"),
    key: { code: "Digit5" },
    question: "calls",
    answer: "frame",
    exported: { missing: "individual calls for this whole time range are" },
    saves: ["csv"],
  },
  {
    id: "differences",
    title: "Differences",
    element: "mp-differences",
    load: () => import("../compare/differences"),
    key: { code: "Digit6" },
    question: "differences",
    answer: "json",
    exported: null,
    saves: ["csv"],
    ofBoth: "This pane shows the differences between two runs, and one run is open. Use mpiscope view RUN OTHER.",
    settings: DIFFERENCES,
  },
  {
    id: "curves",
    title: "Curves",
    element: "mp-curves",
    load: () => import("../curves/curves"),
    key: { code: "Digit7" },
    question: "curves",
    answer: "frame",
    exported: { missing: "the curves for part of the calls are" },
    saves: ALL_FORMATS,
    hasTwin: true,
    settings: CURVES,
  },
  {
    id: "moment",
    title: "State",
    element: "mp-moment",
    load: () => import("../moment/moment"),
    key: { code: "Digit8" },
    question: "moment",
    answer: "frame",
    exported: { missing: "the state at this moment is" },
    saves: ["csv"],
    hasTwin: true,
  },
  {
    id: "tree",
    title: "Call tree",
    tab: "Tree",
    element: "mp-tree",
    load: () => import("../tree/tree"),
    key: { code: "Digit9" },
    question: "tree",
    answer: "json",
    exported: { stored: (q) => (q.by_rank ? null : "tree"), missing: "the call tree for part of the run is" },
    saves: ALL_FORMATS,
    hasTwin: true,
    settings: TREE,
  },
  {
    id: "path",
    title: "Critical path",
    tab: "Path",
    element: "mp-path",
    load: () => import("../path/path"),
    key: { code: "Digit0" },
    question: "path_groups",
    answer: "json",
    exported: { stored: () => "path_groups", missing: "the critical path for part of the run is" },
    saves: ["csv"],
  },
] as const satisfies readonly PaneRecord[];

/** Whether a question sets none of these ranges. */
function isOfAll(asked: Asked, ...ranges: readonly string[]): boolean {
  return ranges.every((name) => (asked[name] ?? null) === null);
}

type Listed = (typeof LISTED)[number];
export type Pane = Listed["id"];
/** The questions of panes about one run, which an exported page answers. */
export type PaneQuestion = Exclude<Listed, { exported: null }>["question"];

type WithSettings = Extract<Listed, { settings: unknown }>;
/** Settings of all panes that have some, by the id of the pane. */
export type PaneSettings = { [P in WithSettings as P["id"]]: P["settings"]["initial"] };

export const PANES: readonly (PaneRecord & { readonly id: Pane })[] = LISTED;

export const isPane = (text: string): text is Pane => PANES.some(({ id }) => id === text);

export const paneOf = (pane: Pane): PaneRecord => PANES.find(({ id }) => id === pane)!;

/** The pane that an exported page answers this question for. */
export const paneThatAsks = (question: string): PaneRecord | undefined => PANES.find((pane) => pane.question === question && pane.exported);

/** Panes with settings. The settings of the state belong to the pane with the same id. */
export const SETTINGS: readonly (readonly [keyof PaneSettings, Settings<unknown>])[] = LISTED.flatMap((pane) => ("settings" in pane ? [[pane.id, pane.settings] as const] : []));

/** Pictures that can also be shown as a table: the timeline and panes. */
export const TWINS: readonly string[] = ["timeline", ...PANES.filter(({ hasTwin }) => hasTwin).map(({ id }) => id)];

/** Whether the pane has nothing to show: it is about two runs, and one is open. */
export const isAbsent = (pane: PaneRecord, isTwo: boolean): boolean => pane.ofBoth !== undefined && !isTwo;
