/** Saving the content of panes. */

import type { App } from "../app";
import { OVERVIEW_TABLES } from "../overview/tables";
import { save } from "../save/save";
import { FORMATS, type Format, saverOf } from "../save/saver";
import type { Pane } from "../state/view";
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

export function saveCommands(paneTitle: (pane: Pane) => string): Command[] {
  const places: Place[] = [
    { id: "timeline", title: "the timeline", view: () => "timeline", name: () => "Timeline" },
    ...(["left", "right"] as const).map((side) => ({
      id: side,
      title: `the ${side} pane`,
      view: (app: App) => app.store.state[side],
      name: (app: App) => paneTitle(app.store.state[side]),
    })),
    ...Object.entries(OVERVIEW_TABLES).map(([view, { title }]) => ({ id: view, title, view: () => view, name: () => title })),
  ];
  return places.flatMap(({ id, title, view, name }) =>
    FORMATS.filter((format) => format === "csv" || !(id in OVERVIEW_TABLES)).map((format) => ({
      id: `save-${id}-${format}`,
      title: `Save ${title} as ${format.toUpperCase()}`,
      group: "Page" as const,
      keys: [],
      when: (app: App) => isThere(app, view(app), format),
      run: (app: App) => void save(app, view(app), format, name(app)),
    })),
  );
}
