/** Keys to commands, for the whole page. */

import type { App } from "../app";
import { type Command, commandFor } from "./command";

const TYPING = "input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]";

/** The element that has the focus, through shadow roots. */
function focused(): Element | null {
  let found: Element | null = document.activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

export function listenForKeys(current: () => App, commands: readonly Command[]): void {
  window.addEventListener("keydown", (event) => {
    // Whoever has the focus comes first: tables, tabs, the divider.
    if (event.defaultPrevented) return;
    const app = current();
    const isTyping = focused()?.matches(TYPING) ?? false;
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if ((isTyping || app.dialog) && !hasModifier) return;
    if (!hasModifier && !app.hasSingleKeys && event.key.length === 1) return;
    const command = commandFor(commands, event, app);
    if (!command) return;
    event.preventDefault();
    command.run(app);
  });
}
