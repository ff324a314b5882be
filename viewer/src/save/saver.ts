/** What a pane can save, and who saves it: buttons and commands find panes by their name. */

import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { App } from "../app";
import type { Drawing } from "../draw/drawing";
import type { Table } from "./csv";

export const FORMATS = ["png", "svg", "csv"] as const;
export type Format = (typeof FORMATS)[number];

/** A name of a colour. */
export interface Key {
  colour: string;
  text: string;
}

export interface Picture {
  width: number;
  height: number;
  draw: (c: Drawing) => void;
  /** What its colours stand for, where it does not say that itself. */
  keys?: readonly Key[];
}

export interface Saver {
  readonly app: App;
  /** Name of the pane, in file names, too. */
  readonly view: string;
  /** Null while there is nothing to be seen. */
  picture?(): Picture | null;
  table(): Table | null;
}

/** Lets the page know of what an element can save, as long as it is there. */
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
