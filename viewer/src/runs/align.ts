/** Which moments of two runs stand above each other. Pure functions. */

import type { Run } from "../protocol/types";

export type Align =
  | { by: "start" }
  /** No rank is in MPI_Init any more. */
  | { by: "init" }
  | { by: "iteration"; number: number }
  /** A part of an iteration, by its name. */
  | { by: "phase"; number: number; name: string }
  /** Where a region of the program begins first, by its name. */
  | { by: "region"; name: string }
  /** Two moments that someone has chosen, each in the time of its run. */
  | { by: "at"; moments: readonly [number, number] };

export const ALIGNED: Align = Object.freeze({ by: "init" });

export function alignText(align: Align): string {
  if (align.by === "iteration") return `iteration:${align.number}`;
  if (align.by === "phase") return `phase:${align.number}:${align.name}`;
  if (align.by === "region") return `region:${align.name}`;
  if (align.by === "at") return `at:${align.moments.join("~")}`;
  return align.by;
}

/** What cannot be read is as at the beginning. */
export function parseAlign(text: string): Align {
  if (text === "start") return { by: "start" };
  const iteration = /^iteration:(\d{1,9})$/.exec(text);
  if (iteration) return { by: "iteration", number: Number(iteration[1]) };
  const phase = /^phase:(\d{1,9}):(.{1,200})$/.exec(text);
  if (phase) return { by: "phase", number: Number(phase[1]), name: phase[2]! };
  const region = /^region:(.{1,200})$/.exec(text);
  if (region) return { by: "region", name: region[1]! };
  const at = /^at:(-?\d{1,16})~(-?\d{1,16})$/.exec(text);
  if (at) return { by: "at", moments: [Number(at[1]), Number(at[2])] };
  return ALIGNED;
}

/** What is to be known of a run. `begins`: where regions begin first, by name, as far as that was asked. */
export interface Moments {
  run: Pick<Run, "from_ns" | "ranks" | "iterations">;
  begins: ReadonlyMap<string, number | null>;
}

/** The moment of a run by which it is aligned; null where it has no such moment. */
export function momentOf(align: Align, { run, begins }: Moments, side: 0 | 1): number | null {
  switch (align.by) {
    case "start":
      return run.from_ns;
    case "init": {
      const from = run.ranks.rows_from_ns ?? [];
      return from.length ? from.reduce((a, b) => Math.min(a, b)) : null;
    }
    case "iteration":
      return run.iterations?.from_ns[align.number] ?? null;
    case "phase": {
      const from = run.iterations?.from_ns[align.number];
      const until = run.iterations?.until_ns[align.number];
      const phase = run.iterations?.phases?.find(({ name }) => name === align.name);
      return from === undefined || until === undefined || !phase ? null : from + (until - from) * phase.from;
    }
    case "region":
      return begins.get(align.name) ?? null;
    case "at":
      return align.moments[side];
  }
}

/** What is to be added to a moment of the first run for the moment of the second that stands below it; null where one has no such moment. */
export function shiftOf(align: Align, first: Moments, second: Moments): number | null {
  const [a, b] = [momentOf(align, first, 0), momentOf(align, second, 1)];
  return a === null || b === null ? null : Math.round(b - a);
}
