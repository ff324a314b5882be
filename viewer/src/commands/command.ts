/** Definition of a command. */

import type { App } from "../app";

export interface Key {
  /** The physical key (KeyboardEvent.code): the same place on every keyboard. */
  code?: string;
  /** The character typed (KeyboardEvent.key), where the character matters and not its place on the keyboard; letters in lower case. */
  key?: string;
  shift?: boolean;
  ctrl?: boolean;
  alt?: boolean;
}

export interface Command {
  id: string;
  title: string;
  /** A title that depends on the run. Used only where the command can run. */
  titleOf?: (app: App) => string;
  group: "Move" | "Step" | "Select and filter" | "Show" | "Order of ranks" | "Panes" | "Page";
  keys: readonly Key[];
  /** Whether the command can run now; without it, always. */
  when?: (app: App) => boolean;
  run: (app: App) => void;
}

const NAMES: Record<string, string> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  BracketLeft: "[",
  BracketRight: "]",
  Period: ".",
  Comma: ",",
  Slash: "/",
  Escape: "Esc",
  Home: "Home",
  Equal: "+",
  Minus: "−",
};

const isLetter = (sign: string): boolean => /^[a-z]$/.test(sign);

export function keyText(key: Key): string {
  const name = (key.key && isLetter(key.key) ? key.key.toUpperCase() : key.key) ?? NAMES[key.code ?? ""] ?? (key.code ?? "").replace(/^(Key|Digit)/, "");
  return [key.ctrl ? "Ctrl" : "", key.alt ? "Alt" : "", key.shift ? "Shift" : "", name].filter(Boolean).join("+");
}

export function isKey(key: Key, event: Pick<KeyboardEvent, "code" | "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">): boolean {
  if (!!key.ctrl !== (event.ctrlKey || event.metaKey) || !!key.alt !== event.altKey) return false;
  // A character may need Shift on one keyboard and not on another.
  if (key.key !== undefined && !isLetter(key.key)) return event.key === key.key;
  // Caps Lock does not change a letter.
  if (key.key !== undefined) return event.key.toLowerCase() === key.key && !!key.shift === event.shiftKey;
  return event.code === key.code && !!key.shift === event.shiftKey;
}

/** The first command of a key that can run now. */
export function commandFor(
  commands: readonly Command[],
  event: Pick<KeyboardEvent, "code" | "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">,
  app: App,
): Command | null {
  return commands.find((c) => c.keys.some((key) => isKey(key, event)) && (c.when?.(app) ?? true)) ?? null;
}
