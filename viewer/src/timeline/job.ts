/** Messages to the worker and back. */

import type { Calls, Waits } from "../protocol/types";
import type { CallsView } from "./raster";
import type { RasterStyle } from "./style";

export type DrawnCalls = Pick<Calls, "length" | "rank" | "thread" | "start_ns" | "duration_ns" | "function" | "flags">;
export type DrawnWaits = Pick<Waits, "length" | "rank" | "start_ns" | "end_ns">;

export type RasterJob =
  | { id: number; kind: "cells"; buffer: ArrayBuffer; rowPx: number; style: RasterStyle }
  | { id: number; kind: "calls"; calls: DrawnCalls; waits: DrawnWaits | null; isPale: Uint8Array | null; view: CallsView; style: RasterStyle };

export interface RasterAnswer {
  id: number;
  bitmap: ImageBitmap | null;
  /** The transferred cells. */
  buffer: ArrayBuffer | null;
  error: string | null;
}
