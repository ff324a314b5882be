/** Maps keys to commands, for the whole page. */

import type { App } from "../app";
import { type Command, commandFor } from "./command";

const TYPING = "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]";

/** A text field handles Ctrl with these keys itself. */
const OF_TEXT = /^[acvxyz]$/i;

/** The element that has the focus, through shadow roots. */
function focused(): Element | null {
  let found: Element | null = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

export function listenForKeys(current: () => App, commands: readonly Command[]): void {
  window.addEventListener("keydown", (event) => {
    // The focused element handles keys first: tables, tabs, the divider.
    if (event.defaultPrevented) return;
    const app = current();
    const isTyping = focused()?.matches(TYPING) ?? false;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    // The search is a bar of the page, not a dialog over it.
    const isCovered = app.dialog !== null && app.dialog !== "find";
    if ((isTyping || isCovered) && !hasModifier) return;
    if (isTyping && OF_TEXT.test(event.key) && !event.altKey) return;
    if (!hasModifier && !app.hasSingleKeys && event.key.length === 1) return;
    const command = commandFor(commands, event, app);
    if (!command) return;
    event.preventDefault();
    // A held key repeats as fast as answers arrive; single presses are counted.
    if (event.repeat && command.group === "Step" && app.isStepping) return;
    if (!event.repeat) app.store.hold();
    command.run(app);
  });
  for (const end of ["keyup", "blur"]) window.addEventListener(end, () => current().store.flush());
}
