/** What a raster needs to know of colours: plain arrays, to be sent to the worker. */

import type { Run } from "../protocol/types";
import { COMPUTE, HATCH, type Theme, abgr, classColour, functionColour } from "../palette";

export interface RasterStyle {
  /** Colour by function id, as it stands in ImageData; 0 is hidden. */
  colours: Uint32Array;
  /** Place in a stacked column by function id: functions of a class beside each other. */
  places: Uint32Array;
  compute: number;
  hatch: number;
  hasWaits: boolean;
}

/** As many ids as there can be: a frame has them in 16 bits. */
const IDS = 65536;

export function rasterStyle(
  run: Pick<Run, "functions" | "classes">,
  visible: readonly number[] | null,
  colouring: "function" | "class",
  theme: Theme,
  hasWaits: boolean,
): RasterStyle {
  const colours = new Uint32Array(IDS);
  const places = new Uint32Array(IDS);
  const seen = visible === null ? null : new Set(visible);
  const classPlace = new Map(run.classes.map((c, index) => [c.id, index]));
  for (const f of run.functions) {
    places[f.id] = (classPlace.get(f.class) ?? 255) * IDS + f.id;
    if (seen && !seen.has(f.id)) continue;
    colours[f.id] = abgr(colouring === "class" ? classColour(f.class, theme) : functionColour(f.id, f.class, theme));
  }
  return { colours, places, compute: abgr(COMPUTE[theme]), hatch: abgr(HATCH[theme]), hasWaits };
}
