/** Draws pictures outside the main thread, so that input is never blocked. */

import { cellsIn } from "../protocol/client";
import type { RasterAnswer, RasterJob } from "./job";
import { type Raster, rasterCalls, rasterCells } from "./raster";

const post = (answer: RasterAnswer, transfer: Transferable[]): void => self.postMessage(answer, { transfer });

self.onmessage = async (event: MessageEvent<RasterJob>) => {
  const job = event.data;
  let raster: Raster;
  try {
    raster =
      job.kind === "cells"
        ? rasterCells(cellsIn(job.buffer), job.rowPx, job.style)
        : rasterCalls(job.calls, job.waits, job.view, job.style, job.isPale);
    const image = new ImageData(new Uint8ClampedArray(raster.pixels.buffer as ArrayBuffer), raster.width, raster.height);
    const bitmap = await createImageBitmap(image);
    const buffer = job.kind === "cells" ? job.buffer : null;
    post({ id: job.id, bitmap, buffer, error: null }, buffer ? [bitmap, buffer] : [bitmap]);
  } catch (error) {
    post({ id: job.id, bitmap: null, buffer: job.kind === "cells" ? job.buffer : null, error: String(error) }, []);
  }
};
