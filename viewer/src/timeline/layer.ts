/** Cells from the answer to the picture: the worker borrows their buffer to draw. */

import { cellsIn } from "../protocol/client";
import type { Cells } from "../protocol/types";
import type { Window } from "../state/window";
import type { Rasterizer } from "./rasterizer";
import type { RasterStyle } from "./style";

export interface Picture extends Window {
  bitmap: ImageBitmap;
  nsPerPx: number;
  rowsPerPx: number;
}

export class CellsLayer {
  cells: Cells | null = null;
  picture: Picture | null = null;
  #isLent = false;
  readonly #raster: Rasterizer;

  constructor(raster: Rasterizer) {
    this.#raster = raster;
  }

  drop(): void {
    this.cells = null;
    this.picture = null;
  }

  /** Whether there is a new picture. */
  async draw(cells: Cells, nsPerPx: number, rowsPerPx: number, style: RasterStyle): Promise<boolean> {
    const { head } = cells;
    if (!head.rows || !head.columns_count) return false;
    const px = Math.max(1, Math.min(64, Math.round(head.rows_per_block / rowsPerPx)));
    this.#isLent = true;
    const answer = await this.#raster.draw({ kind: "cells", buffer: cells.buffer, rowPx: px, style }, [cells.buffer]);
    this.#isLent = false;
    if (answer.error) throw new Error(answer.error);
    // The buffer came back: decode it again, unless there are newer cells.
    if (this.cells !== cells || !answer.buffer) return false;
    this.cells = cellsIn(answer.buffer);
    const before = this.picture;
    this.picture = {
      bitmap: answer.bitmap!,
      from: head.from_ns,
      until: head.from_ns + head.columns_count * head.bin_ns,
      row_from: head.row_from,
      row_until: head.row_from + head.rows * head.rows_per_block,
      nsPerPx,
      rowsPerPx,
    };
    // Some megabytes each: free them without waiting for the garbage collector.
    before?.bitmap.close();
    return true;
  }

  /** Draws the same cells in another style. */
  async redraw(style: RasterStyle): Promise<boolean> {
    const { cells, picture } = this;
    return !!cells && !!picture && !this.#isLent && this.draw(cells, picture.nsPerPx, picture.rowsPerPx, style);
  }
}
