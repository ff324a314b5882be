/** What a pane can save, and how buttons and commands find panes by name. */

import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Drawing } from "../draw/drawing";
import type { Theme } from "../palette";
import type { Table } from "./csv";

export const FORMATS = ["png", "svg", "csv"] as const;
export type Format = (typeof FORMATS)[number];

/** The meaning of a colour. */
export interface Key {
  colour: string;
  text: string;
}

export interface Picture {
  width: number;
  height: number;
  draw: (c: Drawing) => void;
  /** The meaning of its colours, where the picture does not show it. */
  keys?: readonly Key[];
}

/** What saving needs of the page: that of a run, or of machine profiles. */
export interface SavingPage {
  /** The panes that can be saved. */
  readonly savers: Set<Saver>;
  readonly theme: Theme;
  /** Name of what the page shows, for file names; undefined before it is read. */
  readonly savedName: string | undefined;
  /** The content of a pane, in words. */
  caption(title: string): string;
  say(text: string): void;
  fail(error: unknown): void;
}

export interface Saver {
  readonly app: SavingPage;
  /** Name of the pane, in file names, too. */
  readonly view: string;
  /** Null while there is nothing to show. */
  picture?(): Picture | null;
  table(): Table | null;
}

/** Registers an element for saving while it is on the page. */
export class Saving implements ReactiveController {
  readonly #savers: readonly Saver[];

  constructor(host: ReactiveControllerHost, ...savers: readonly Saver[]) {
    this.#savers = savers;
    host.addController(this);
  }

  hostConnected(): void {
    for (const saver of this.#savers) saver.app.savers.add(saver);
  }

  hostDisconnected(): void {
    for (const saver of this.#savers) saver.app.savers.delete(saver);
  }
}

export function saverOf(app: SavingPage, view: string): Saver | null {
  return [...app.savers].find((saver) => saver.view === view) ?? null;
}
