/** Earlier and later views. */

import type { App } from "../app";
import type { Command } from "./command";

function go(app: App, by: -1 | 1): void {
  if (!app.store.undo(by)) app.say(by < 0 ? "There is no earlier view." : "There is no later view.");
}

export const HISTORY: readonly Command[] = [
  { id: "undo", title: "Undo: previous view", group: "Page", keys: [{ key: "z", ctrl: true }], run: (app) => go(app, -1) },
  {
    id: "redo",
    title: "Redo: next view",
    group: "Page",
    keys: [
      { key: "z", ctrl: true, shift: true },
      { key: "y", ctrl: true },
    ],
    run: (app) => go(app, 1),
  },
];
