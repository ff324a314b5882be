/**
 * Which function has which colour: the functions that take the most time in the open runs have colours that are easy to distinguish.
 * The first of a class has the colour of that class, whatever else occurs; the others take the remaining ones. `mpiscope view --png` does
 * the same (crates/picture/src/palette.rs); viewer/test/function-colours.json checks both.
 */

import { DISTINCT, type Rgb, type Theme, classColour, restColour } from "./palette";
import type { FunctionInfo } from "./protocol/types";
import type { ViewState } from "./state/view";

export type Timed = Pick<FunctionInfo, "id" | "class" | "time_ns">;

/** The class whose colour a function has, by function id; for the functions that take the most time. */
export function distinct(functions: readonly Timed[]): Map<number, string> {
  const most = [...functions].sort((a, b) => b.time_ns - a.time_ns || a.id - b.id).slice(0, DISTINCT.length);
  const free = [...DISTINCT];
  const found = new Map<number, string>();
  const give = (f: Timed, place: number): void => {
    if (place >= 0) found.set(f.id, free.splice(place, 1)[0]!);
  };
  for (const f of most) give(f, free.indexOf(f.class));
  // The last classes of the list are those that most programs do not use.
  for (const f of most) if (!found.has(f.id)) give(f, free.length - 1);
  return found;
}

/** The functions of all runs with the sum of their times: the same function has the same colour in each run. */
export function together(runs: readonly { functions: readonly Timed[] }[]): Timed[] {
  const found = new Map<number, Timed>();
  for (const { functions } of runs)
    for (const f of functions) found.set(f.id, { id: f.id, class: f.class, time_ns: f.time_ns + (found.get(f.id)?.time_ns ?? 0) });
  return [...found.values()];
}

export class Colours {
  readonly theme: Theme;
  /** Everything that the colours depend on, as a text. */
  readonly key: string;
  readonly #functions: Map<number, Timed>;
  readonly #distinct: Map<number, string>;
  readonly #state: Pick<ViewState, "colouring" | "paint">;

  constructor(functions: readonly Timed[], state: Pick<ViewState, "colouring" | "paint">, theme: Theme) {
    this.theme = theme;
    this.#functions = new Map(functions.map((f) => [f.id, f]));
    this.#distinct = distinct(functions);
    this.#state = state;
    this.key = JSON.stringify([theme, state.colouring, state.paint, [...this.#distinct], functions.length]);
  }

  class(id: string): Rgb {
    return this.#painted(id) ?? classColour(id, this.theme);
  }

  function(id: number): Rgb {
    const classId = this.#functions.get(id)?.class ?? "local";
    if (this.#state.colouring === "class") return this.class(classId);
    const place = this.#distinct.get(id);
    return this.#painted(String(id)) ?? (place === undefined ? restColour(id, classId, this.theme) : classColour(place, this.theme));
  }

  /** The colours that the user has chosen. */
  #painted(key: string): Rgb | null {
    const chosen = this.#state.paint[key];
    return chosen === undefined ? null : Number.parseInt(chosen, 16);
  }
}
