/** Folding ranks with a common property into one row: the groupings and the commands. */

import type { App } from "../app";
import type { OrderGroup, Run } from "../protocol/types";
import { foldedBy, toggled, withFolded } from "../state/fold";
import { partOf, withPart } from "../state/order";
import type { Command } from "./command";

/** A grouping of ranks. */
export interface Grouping {
  /** The value of `group:`. */
  group: string;
  title: string;
}

/** Communicators offered. */
const MOST_COMMS = 30;

/** Lines of the process grid: `rows of the 4 × 8 grid`. Empty without a grid. */
export function gridLines(run: Pick<Run, "grid"> | null): Grouping[] {
  const dims = run?.grid?.dims ?? [];
  const shape = dims.join(" × ");
  return dims.flatMap((extent, axis) => {
    // A single line of all ranks is not a grouping.
    if (extent < 2) return [];
    const lines = dims.length > 2 ? `planes across axis ${axis}` : axis === 0 ? "rows" : "columns";
    return [{ group: `grid:${axis}`, title: `${lines} of the ${shape} grid` }];
  });
}

/** Nodes and switches of the network, where the user has described it. */
function networkGroupings({ network }: Pick<Run, "network">): Grouping[] {
  if (!network) return [];
  const node = { group: "node", title: "node of the network" };
  return network.has_switches ? [node, { group: "switch", title: "switch of the network" }] : [node];
}

export function groupings(run: Run | null): Grouping[] {
  if (!run) return [];
  const hosts = run.hosts.length > 1 ? [{ group: "host", title: "host" }] : [];
  const comms = run.communicators
    .filter((c) => c.size > 1)
    .slice(0, MOST_COMMS)
    .map((c) => ({ group: `comm:${c.id}`, title: c.name }));
  return [...hosts, ...networkGroupings(run), ...gridLines(run), ...comms];
}

const orderOf = (app: App): string => app.store.state.order;

export const isGrouped = (app: App): boolean => partOf(orderOf(app), "group") !== null;

/** A new order changes the rows, so an area of some rows is no longer valid. */
function set(app: App, order: string): void {
  const { area } = app.store.state;
  app.store.set({ page: "views", order, row_from: null, row_until: null, area: area?.row_from === null ? area : null });
}

export function foldBy(app: App, group: string | null): void {
  set(app, foldedBy(orderOf(app), group));
}

const numbers = (app: App): number[] => app.order?.groups.map((group) => group.number) ?? [];

export function toggleGroup(app: App, group: Pick<OrderGroup, "number" | "text" | "is_folded">): void {
  set(app, toggled(orderOf(app), group.number, numbers(app)));
  app.say(`${group.text}: ${group.is_folded ? "unfolded" : "folded"}.`);
}

/** Whether all groups are one row each. */
export const isAllFolded = (app: App): boolean => !!app.order?.groups.length && app.order.groups.every((group) => group.is_folded);

export function foldAll(app: App, isFolded: boolean): void {
  set(app, isFolded ? withPart(orderOf(app), "fold", "all") : withFolded(orderOf(app), new Set(), numbers(app)));
}

/** The group of the selected call's rank. */
function groupOfSelected(app: App): OrderGroup | null {
  const row = app.store.state.selection ? (app.positions[app.store.state.selection.rank] ?? -1) : -1;
  return app.order?.groups.find((group) => row >= group.from && row < group.until) ?? null;
}

/** Id of the communicator of the selected call, if it has enough members. */
function commOfSelected(app: App): number | null {
  const name = app.detail?.comm;
  return name ? (app.run?.communicators.find((comm) => comm.name === name && comm.size > 1)?.id ?? null) : null;
}

const shape = (app: App): string => app.run!.grid!.dims.join(" × ");
const hasGrid = (app: App): boolean => app.run?.grid?.dims.length === 2 && gridLines(app.run).length === 2;

const GROUP = "Order of ranks";

export const FOLD: readonly Command[] = [
  { id: "fold-none", title: "Do not fold: one row per rank", group: GROUP, keys: [], when: isGrouped, run: (app) => foldBy(app, null) },
  { id: "fold-host", title: "Fold by host", group: GROUP, keys: [], when: (app) => (app.run?.hosts.length ?? 0) > 1, run: (app) => foldBy(app, "host") },
  { id: "fold-node", title: "Fold by node of the network", group: GROUP, keys: [], when: (app) => !!app.run?.network, run: (app) => foldBy(app, "node") },
  {
    id: "fold-switch",
    title: "Fold by switch of the network",
    group: GROUP,
    keys: [],
    when: (app) => !!app.run?.network?.has_switches,
    run: (app) => foldBy(app, "switch"),
  },
  {
    id: "fold-comm",
    title: "Fold by the selected call's communicator",
    group: GROUP,
    keys: [],
    when: (app) => commOfSelected(app) !== null,
    run: (app) => foldBy(app, `comm:${commOfSelected(app)}`),
  },
  ...(["rows", "columns"] as const).flatMap((lines, axis): Command[] => [
    {
      id: `fold-grid-${lines}`,
      title: `Fold by ${lines} of the process grid`,
      titleOf: (app) => `Fold by ${lines} of the ${shape(app)} grid`,
      group: GROUP,
      keys: [],
      when: hasGrid,
      run: (app) => foldBy(app, `grid:${axis}`),
    },
    {
      id: `order-grid-${lines}`,
      title: `Order of ranks: by ${lines} of the process grid`,
      titleOf: (app) => `Order of ranks: by ${lines} of the ${shape(app)} grid`,
      group: GROUP,
      keys: [],
      when: hasGrid,
      run: (app) => set(app, withPart(withPart(orderOf(app), "fold", null), "group", `grid:${axis}`)),
    },
  ]),
  { id: "fold-all", title: "Fold all groups", group: GROUP, keys: [], when: (app) => isGrouped(app) && !isAllFolded(app), run: (app) => foldAll(app, true) },
  {
    id: "unfold-all",
    title: "Unfold all groups",
    group: GROUP,
    keys: [],
    when: (app) => !!app.order?.groups.some((group) => group.is_folded),
    run: (app) => foldAll(app, false),
  },
  {
    id: "fold-selected",
    title: "Fold or unfold the group of the selected call",
    group: GROUP,
    keys: [{ code: "KeyF", shift: true }],
    when: (app) => groupOfSelected(app) !== null,
    run: (app) => toggleGroup(app, groupOfSelected(app)!),
  },
];
