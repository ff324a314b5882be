/** The page's side of the worker. */

import type { RasterAnswer, RasterJob } from "./job";

type Job = RasterJob extends infer J ? (J extends RasterJob ? Omit<J, "id"> : never) : never;

/** An exported page contains the worker's script. */
function workerIn(page: Document): Worker | null {
  const text = page.getElementById("mpiscope-worker")?.textContent;
  if (!text) return null;
  const address = URL.createObjectURL(new Blob([Uint8Array.from(atob(text.trim()), (c) => c.charCodeAt(0))], { type: "text/javascript" }));
  return new Worker(address, { name: "raster" });
}

export class Rasterizer {
  readonly #worker = workerIn(document) ?? new Worker(new URL("./raster.worker.ts", import.meta.url), { type: "module", name: "raster" });
  readonly #waiting = new Map<number, (answer: RasterAnswer) => void>();
  #next = 0;

  constructor() {
    this.#worker.onmessage = (event: MessageEvent<RasterAnswer>) => {
      this.#waiting.get(event.data.id)?.(event.data);
      this.#waiting.delete(event.data.id);
    };
  }

  /** `lent` buffers are unavailable until the answer returns them. */
  draw(job: Job, lent: Transferable[] = []): Promise<RasterAnswer> {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#worker.postMessage({ ...job, id }, lent);
    });
  }

  close(): void {
    this.#worker.terminate();
  }
}
