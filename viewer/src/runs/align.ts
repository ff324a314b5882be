/** Which moments of two runs are aligned. Pure functions. */

import type { Run } from "../protocol/types";

export type Align =
  | { by: "start" }
  /** No rank is in MPI_Init any more. */
  | { by: "init" }
  | { by: "iteration"; number: number }
  /** A part of an iteration, by its name. */
  | { by: "phase"; number: number; name: string }
  /** The first start of a program region, by its name. */
  | { by: "region"; name: string }
  /** Two moments chosen by the user, each in the time of its run. */
  | { by: "at"; moments: readonly [number, number] };

export const ALIGNED: Align = Object.freeze({ by: "init" });

export function alignText(align: Align): string {
  if (align.by === "iteration") return `iteration:${align.number}`;
  if (align.by === "phase") return `phase:${align.number}:${align.name}`;
  if (align.by === "region") return `region:${align.name}`;
  if (align.by === "at") return `at:${align.moments.join("~")}`;
  return align.by;
}

/** An invalid text gives the default. */
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

/** The facts of a run that alignment needs. `begins`: first starts of regions by name, as far as they were requested. */
export interface Moments {
  run: Pick<Run, "from_ns" | "ranks" | "iterations">;
  begins: ReadonlyMap<string, number | null>;
}

/** The moment at which a run is aligned; null if it has no such moment. */
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

/** Offset from a moment of the first run to the aligned moment of the second; null if one of them has no such moment. */
export function shiftOf(align: Align, first: Moments, second: Moments): number | null {
  const [a, b] = [momentOf(align, first, 0), momentOf(align, second, 1)];
  return a === null || b === null ? null : Math.round(b - a);
}
