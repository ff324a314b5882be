/** What a pane can save, and how buttons and commands find panes by name. */

import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { App } from "../app";
import type { Drawing } from "../draw/drawing";
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

export interface Saver {
  readonly app: App;
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

export function saverOf(app: App, view: string): Saver | null {
  return [...app.savers].find((saver) => saver.view === view) ?? null;
}
