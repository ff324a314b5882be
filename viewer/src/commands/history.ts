/** Views before this one, and after it. */

import type { App } from "../app";
import type { Command } from "./command";

function go(app: App, by: -1 | 1): void {
  if (!app.store.undo(by)) app.say(by < 0 ? "There is no view before this one." : "There is no view after this one.");
}

export const HISTORY: readonly Command[] = [
  { id: "undo", title: "Undo: the view before", group: "Page", keys: [{ key: "z", ctrl: true }], run: (app) => go(app, -1) },
  {
    id: "redo",
    title: "Redo: the view after",
    group: "Page",
    keys: [
      { key: "z", ctrl: true, shift: true },
      { key: "y", ctrl: true },
    ],
    run: (app) => go(app, 1),
  },
];
