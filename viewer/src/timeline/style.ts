/** The colours that a raster needs: plain arrays, to be sent to the worker. */

import type { Run } from "../protocol/types";
import type { Colours } from "../colours";
import { COMPUTE, HATCH, abgr, blend } from "../palette";

export interface RasterStyle {
  /** Colour by function id, as stored in ImageData; 0 is hidden. */
  colours: Uint32Array;
  /** Place in a stacked column by function id: functions of a class beside each other. */
  places: Uint32Array;
  compute: number;
  hatch: number;
  hasWaits: boolean;
  /** Drawn over another picture: pixels without a call stay transparent. */
  isOver: boolean;
}

/** Share of its colour that a filtered-out call keeps. */
const PALE = 0.25;

/** `colour` of a call that is filtered out. */
export const pale = (colour: number, compute: number): number => (colour ? blend(compute, colour, PALE) : 0);

/** All pale except some functions; waiting stays with the matching calls. */
export function faded(style: RasterStyle, but: readonly number[] | null): RasterStyle {
  const isKept = new Set(but);
  return { ...style, colours: style.colours.map((colour, id) => (isKept.has(id) ? colour : pale(colour, style.compute))), hasWaits: false };
}

/** The number of possible ids: a frame stores them in 16 bits. */
const IDS = 65536;

export function rasterStyle(
  run: Pick<Run, "functions" | "classes">,
  hidden: readonly number[],
  painting: Colours,
  hasWaits: boolean,
): RasterStyle {
  const colours = new Uint32Array(IDS);
  const places = new Uint32Array(IDS);
  const isHidden = new Set(hidden);
  const classPlace = new Map(run.classes.map((c, index) => [c.id, index]));
  for (const f of run.functions) {
    places[f.id] = (classPlace.get(f.class) ?? 255) * IDS + f.id;
    if (isHidden.has(f.id)) continue;
    colours[f.id] = abgr(painting.function(f.id));
  }
  return { colours, places, compute: abgr(COMPUTE[painting.theme]), hatch: abgr(HATCH[painting.theme]), hasWaits, isOver: false };
}
