/** The only list of commands: keys, palette, help and tests use it. */

import type { App } from "../app";
import { parseRanks, rankList } from "../format";
import { PANES, isAbsent } from "../panes/registry";
import { partOf, withPart } from "../state/order";
import { ranksAt } from "../state/scope";
import { INITIAL, LAYERS, type Layer, NO_FILTER, isFiltered } from "../state/view";
import { alignAtSelected } from "../runs/align-selected";
import { SIDE_NAMES } from "../runs/names";
import type { Command } from "./command";
import { exportView } from "./export";
import { FOLD } from "./fold";
import { HISTORY } from "./history";
import { MOVE } from "./move";
import { SAVE } from "./save";
import { WALK } from "./walk";

const isViews = (app: App): boolean => app.store.state.page === "views";

const LAYER_TITLES: Record<Layer, [title: string, code: string, shift?: boolean]> = {
  messages: ["Message arrows", "KeyM"],
  rma: ["RMA arrows", "KeyM", true],
  collectives: ["Lines through collective operations", "KeyK"],
  waits: ["Hatched waits", "KeyH"],
  path: ["Critical path", "KeyP"],
  regions: ["Program regions", "KeyR"],
};

export const layerTitle = (layer: Layer): string => LAYER_TITLES[layer][0];

const layers: Command[] = LAYERS.map((layer) => ({
  id: `layer-${layer}`,
  title: `${LAYER_TITLES[layer][0]}: on or off`,
  group: "Show",
  keys: [{ code: LAYER_TITLES[layer][1], ...(LAYER_TITLES[layer][2] ? { shift: true } : {}) }],
  when: isViews,
  run: (app) => {
    const { layers: shown } = app.store.state;
    const isShown = shown.includes(layer);
    app.store.set({ layers: LAYERS.filter((l) => (l === layer ? !isShown : shown.includes(l))) });
    app.say(`${LAYER_TITLES[layer][0]}: ${isShown ? "off" : "on"}.`);
  },
}));

const panes: Command[] = (["left", "right"] as const).flatMap((side) =>
  PANES.map(
    (pane): Command => ({
      id: `${side}-${pane.id}`,
      title: `${pane.title} in the ${side} pane`,
      group: "Panes",
      keys: [{ ...pane.key, alt: true, shift: side === "right" }],
      when: (app) => !isAbsent(pane, app.comparison.isTwo),
      run: (app) => app.store.set({ page: "views", [side]: pane.id }),
    }),
  ),
);

export const ORDERS: readonly { id: string; title: string; order: string }[] = [
  { id: "rank", title: "By rank", order: "" },
  { id: "wait", title: "By waiting time", order: "sort:wait" },
  { id: "mpi", title: "By time in MPI", order: "sort:mpi" },
  { id: "computing", title: "By computing time", order: "sort:computing" },
  { id: "bytes", title: "By bytes", order: "sort:bytes" },
  { id: "calls", title: "By calls", order: "sort:calls" },
  { id: "host", title: "Grouped by host", order: "group:host" },
  { id: "host-wait", title: "Grouped by host, by waiting time", order: "group:host;sort:wait" },
];

/** The region that the selected call is in; null without one. */
function regionOfSelected(app: App): number | null {
  const name = app.detail?.region;
  return name ? (app.run?.regions.find((region) => region.name === name)?.id ?? null) : null;
}

const setOrder = (app: App, order: string): void => app.store.set({ page: "views", order, row_from: null, row_until: null, area: null });

const orders: Command[] = [
  ...ORDERS.map(
    ({ id, title, order }): Command => ({
      id: `order-${id}`,
      title: `Order of ranks: ${title.toLowerCase()}`,
      group: "Order of ranks",
      keys: [],
      // Pinned and hidden ranks stay so.
      run: (app) => setOrder(app, ["ranks", "pin"].reduce((text, part) => withPart(text, part as "ranks" | "pin", partOf(app.store.state.order, part as "ranks" | "pin")), order)),
    }),
  ),
  {
    id: "order-function",
    title: "Order of ranks: by time in the selected call's function",
    group: "Order of ranks",
    keys: [],
    when: (app) => app.detail !== null,
    run: (app) => setOrder(app, withPart(app.store.state.order, "sort", `function:${app.detail!.function_id}`)),
  },
  {
    id: "order-region",
    title: "Order of ranks: by time in the selected call's region",
    group: "Order of ranks",
    keys: [],
    when: (app) => regionOfSelected(app) !== null,
    run: (app) => setOrder(app, withPart(app.store.state.order, "sort", `region:${regionOfSelected(app)}`)),
  },
  {
    id: "pin",
    title: "Pin or unpin the selected call's rank at the top",
    group: "Order of ranks",
    keys: [{ code: "KeyI" }],
    when: (app) => isViews(app) && app.store.state.selection !== null,
    run: (app) => {
      const { order, selection } = app.store.state;
      const rank = selection!.rank;
      const pinned = parseRanks(partOf(order, "pin") ?? "", app.run!.ranks.count) ?? [];
      const next = pinned.includes(rank) ? pinned.filter((r) => r !== rank) : [...pinned, rank];
      setOrder(app, withPart(order, "pin", next.length ? rankList(next) : null));
    },
  },
  {
    id: "only-area",
    title: "Show only the ranks of the selected area",
    group: "Order of ranks",
    keys: [],
    when: (app) => isViews(app) && app.store.state.area !== null && app.store.state.area.row_from !== null,
    run: (app) => {
      const { area, order } = app.store.state;
      const ranks = ranksAt(app.order, app.run!.ranks.count, area!.row_from, area!.row_until);
      if (ranks !== null) setOrder(app, withPart(order, "ranks", ranks));
    },
  },
  {
    id: "all-ranks",
    title: "Show all ranks",
    group: "Order of ranks",
    keys: [],
    when: (app) => partOf(app.store.state.order, "ranks") !== null,
    run: (app) => setOrder(app, withPart(app.store.state.order, "ranks", null)),
  },
];

const select: Command[] = [
  {
    id: "find",
    title: "Search calls",
    group: "Select and filter",
    keys: [{ key: "/" }],
    run: (app) => app.open("find"),
  },
  {
    id: "clear",
    title: "Clear selection: the area first, then the selected call and moment",
    group: "Select and filter",
    keys: [{ code: "Escape" }],
    when: (app) => app.store.state.area !== null || app.store.state.selection !== null || app.store.state.moment !== null,
    run: (app) => app.store.set(app.store.state.area ? { area: null } : { selection: null, moment: null }),
  },
  {
    id: "clear-filter",
    title: "Remove all filters",
    group: "Select and filter",
    keys: [{ code: "Escape", shift: true }],
    when: (app) => isFiltered(app.store.state.filter) || app.store.state.hidden.length > 0 || app.store.state.skipped.length > 0,
    run: (app) => app.store.set({ filter: NO_FILTER, hidden: [], skipped: [] }),
  },
  {
    id: "filter-function",
    title: "Show only the function of the selected call",
    group: "Select and filter",
    keys: [{ code: "KeyO" }],
    when: (app) => app.detail !== null,
    run: (app) => {
      app.store.set({ filter: { ...app.store.state.filter, functions: [app.detail!.function_id] } });
    },
  },
  {
    id: "filter-rank",
    title: "Show only the rank of the selected call",
    group: "Select and filter",
    keys: [{ code: "KeyO", shift: true }],
    when: (app) => app.store.state.selection !== null,
    run: (app) => app.store.set({ filter: { ...app.store.state.filter, ranks: String(app.store.state.selection!.rank) } }),
  },
  {
    id: "select-window",
    title: "Select the visible part as an area",
    group: "Select and filter",
    keys: [{ code: "KeyX" }],
    when: (app) => isViews(app) && app.run !== null,
    run: (app) => {
      const { from, until, row_from, row_until } = app.window;
      app.store.set({ area: { from, until, row_from: Math.floor(row_from), row_until: Math.ceil(row_until) } });
    },
  },
];

const page: Command[] = [
  { id: "overview", title: "Overview", group: "Page", keys: [{ code: "Digit1" }], run: (app) => app.store.set({ page: "overview" }) },
  { id: "views", title: "Timeline and views", group: "Page", keys: [{ code: "Digit2" }], run: (app) => app.store.set({ page: "views" }) },
  {
    id: "compare",
    title: "Compare the two runs",
    group: "Page",
    keys: [{ code: "Digit3" }],
    when: (app) => app.comparison.isTwo,
    run: (app) => app.store.set({ page: "compare" }),
  },
  {
    id: "other-run",
    title: "Show the other run in the panes",
    group: "Page",
    keys: [{ code: "KeyJ" }],
    when: (app) => app.comparison.isTwo,
    run: (app) => {
      app.comparison.show(app.side === 0 ? 1 : 0);
      app.say(`The panes show the run “${SIDE_NAMES[app.comparison.about]}”.`);
    },
  },
  ...(["init", "start"] as const).map(
    (by): Command => ({
      id: `align-${by}`,
      title: `Align both runs at ${by === "init" ? "the end of MPI_Init" : "their start"}`,
      group: "Show",
      keys: [],
      when: (app) => app.comparison.isTwo,
      run: (app) => app.comparison.store.set({ align: { by } }),
    }),
  ),
  {
    id: "align-iteration",
    title: "Align both runs at the iteration in the middle of the view",
    group: "Show",
    keys: [],
    when: (app) => app.comparison.isTwo && app.comparison.apps.every((a) => a.run?.iterations),
    run: (app) => {
      const middle = (app.window.from + app.window.until) / 2;
      const { from_ns: from } = app.run!.iterations!;
      const number = Math.max(0, from.findIndex((ns, i) => ns <= middle && (from[i + 1] ?? Infinity) > middle));
      app.comparison.store.set({ align: { by: "iteration", number } });
    },
  },
  {
    id: "align-selected",
    title: "Align both runs at their selected calls",
    group: "Show",
    keys: [],
    when: (app) => app.comparison.isTwo && app.comparison.store.state.selection !== null && app.comparison.store.state.other !== null,
    run: alignAtSelected,
  },
  {
    id: "palette",
    title: "Command palette",
    group: "Page",
    keys: [{ code: "KeyP", ctrl: true, shift: true }, { code: "F1" }],
    run: (app) => app.open("palette"),
  },
  {
    id: "go-to",
    title: "Go to a time, ranks or an iteration",
    group: "Move",
    keys: [{ key: ":" }, { key: "g", ctrl: true }],
    run: (app) => app.open("palette"),
  },
  { id: "help", title: "Keyboard and mouse", group: "Page", keys: [{ key: "?" }], run: (app) => app.open("help") },
  {
    id: "theme",
    title: "Dark or light theme",
    group: "Page",
    keys: [{ code: "KeyT" }],
    run: (app) => app.setTheme(app.theme === "dark" ? "light" : "dark"),
  },
  {
    id: "single-keys",
    title: "Single-key shortcuts: on or off",
    group: "Page",
    keys: [],
    run: (app) => app.setSingleKeys(!app.hasSingleKeys),
  },
  {
    id: "copy-link",
    title: "Copy a link to this view",
    group: "Page",
    keys: [{ code: "KeyY" }],
    run: (app) => {
      app.store.flush();
      void navigator.clipboard?.writeText(window.location.href).then(
        () => app.say("Link copied."),
        () => app.say("The browser does not allow the page to copy the link; copy it from the address bar."),
      );
    },
  },
  { id: "bookmarks", title: "Bookmarks: save this view, open another", group: "Page", keys: [{ code: "KeyB", shift: true }], run: (app) => app.open("notes") },
  {
    id: "export",
    title: "Export this view as a self-contained page",
    group: "Page",
    keys: [{ code: "KeyX", shift: true }],
    when: (app) => !app.client.isExported && app.run?.is_explained === true,
    run: (app) => void exportView(app),
  },
  {
    id: "colouring",
    title: "Colours by function or by class",
    group: "Show",
    keys: [{ code: "KeyB" }],
    when: isViews,
    run: (app) => app.store.set({ colouring: app.store.state.colouring === "class" ? "function" : "class" }),
  },
  {
    id: "scope",
    title: "Panes: visible time or whole run",
    group: "Show",
    keys: [{ code: "KeyU" }],
    when: isViews,
    run: (app) => app.store.set({ scope: app.store.state.scope === "run" ? "window" : "run" }),
  },
  {
    id: "timeline-table",
    title: "Timeline as a table or as a picture",
    group: "Show",
    keys: [{ code: "KeyV" }],
    when: isViews,
    run: (app) => toggleTwin(app, "timeline"),
  },
  {
    id: "reset",
    title: "Reset view",
    group: "Page",
    keys: [],
    run: (app) => app.store.set({ ...INITIAL, page: app.store.state.page }),
  },
];

/** Shows the table of a picture, or the picture again. */
export function toggleTwin(app: App, view: string): void {
  const { twins } = app.store.state;
  app.store.set({ twins: twins.includes(view) ? twins.filter((v) => v !== view) : [...twins, view].sort() });
}

export const COMMANDS: readonly Command[] = [...MOVE, ...WALK, ...select, ...layers, ...orders, ...FOLD, ...panes, ...HISTORY, ...page, ...SAVE];
