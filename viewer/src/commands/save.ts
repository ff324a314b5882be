/** Saving the content of panes. */

import type { App } from "../app";
import { OVERVIEW_TABLES } from "../overview/tables";
import { paneOf } from "../panes/registry";
import { save } from "../save/save";
import { FORMATS, type Format, saverOf } from "../save/saver";
import type { Command } from "./command";

/** A place on the page. */
interface Place {
  id: string;
  title: string;
  /** The pane at a place, and its name. */
  view: (app: App) => string;
  name: (app: App) => string;
}

/** Whether it has content to save now; a table of the overview can be empty, too. */
function isThere(app: App, view: string, format: Format): boolean {
  const saver = saverOf(app, view);
  if (!saver) return false;
  return format === "csv" ? !(view in OVERVIEW_TABLES) || saver.table() !== null : saver.picture !== undefined;
}

const places: readonly Place[] = [
  { id: "timeline", title: "the timeline", view: () => "timeline", name: () => "Timeline" },
  ...(["left", "right"] as const).map((side) => ({
    id: side,
    title: `the ${side} pane`,
    view: (app: App) => app.store.state[side],
    name: (app: App) => paneOf(app.store.state[side]).title,
  })),
  ...Object.entries(OVERVIEW_TABLES).map(([view, { title }]) => ({ id: view, title, view: () => view, name: () => title })),
];

export const SAVE: readonly Command[] = places.flatMap(({ id, title, view, name }) =>
  FORMATS.filter((format) => format === "csv" || !(id in OVERVIEW_TABLES)).map((format) => ({
    id: `save-${id}-${format}`,
    title: `Save ${title} as ${format.toUpperCase()}`,
    group: "Page" as const,
    keys: [],
    when: (app: App) => isThere(app, view(app), format),
    run: (app: App) => void save(app, view(app), format, name(app)),
  })),
);
