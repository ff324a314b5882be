/** The state of the page rather than of a run: theme, keys, open dialog, last message. */

import { keep, kept } from "../kept";
import type { Theme } from "../palette";

export type Dialog = "palette" | "help" | "find" | "notes" | null;

const THEME_KEY = "mpiscope.theme";
const KEYS_KEY = "mpiscope.single-keys";

export class Desk extends EventTarget {
  theme: Theme = savedTheme();
  hasSingleKeys = kept(KEYS_KEY) !== "off";
  dialog: Dialog = null;
  /** Counts the requests for a dialog, also for one that is already open. */
  opened = 0;
  /** The last message to screen readers and in the status line. */
  message = "";

  constructor() {
    super();
    document.documentElement.dataset.theme = this.theme;
  }

  set(change: Partial<Pick<Desk, "theme" | "hasSingleKeys" | "dialog" | "message">>): void {
    Object.assign(this, change);
    if (change.dialog) this.opened++;
    if (change.theme) {
      document.documentElement.dataset.theme = change.theme;
      keep(THEME_KEY, change.theme);
    }
    if (change.hasSingleKeys !== undefined) keep(KEYS_KEY, change.hasSingleKeys ? "on" : "off");
    this.dispatchEvent(new Event("change"));
  }
}

function savedTheme(): Theme {
  const saved = kept(THEME_KEY);
  if (saved === "light" || saved === "dark") return saved;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
