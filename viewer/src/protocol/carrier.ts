/** The page's side of the worker that reads answers. */

/** An address to read from; null: the request is aborted. */
export interface CarrierJob {
  id: number;
  address: string | null;
}

export interface CarrierAnswer {
  id: number;
  /** 0: no answer. */
  status: number;
  text: string;
  body: ArrayBuffer | null;
}

export class Carrier {
  readonly #worker = new Worker(new URL("./carrier.worker.ts", import.meta.url), { type: "module", name: "carrier" });
  readonly #waiting = new Map<number, (answer: CarrierAnswer) => void>();
  #next = 0;

  constructor() {
    this.#worker.onmessage = (event: MessageEvent<CarrierAnswer>) => {
      this.#waiting.get(event.data.id)?.(event.data);
      this.#waiting.delete(event.data.id);
    };
  }

  /** The answer; `address` is absolute. */
  carry(address: string, signal?: AbortSignal): Promise<CarrierAnswer> {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.delete(id);
        this.#worker.postMessage({ id, address: null } satisfies CarrierJob);
        reject(new DOMException("given up", "AbortError"));
      };
      if (signal?.aborted) return reject(new DOMException("given up", "AbortError"));
      signal?.addEventListener("abort", giveUp, { once: true });
      this.#waiting.set(id, (answer) => {
        signal?.removeEventListener("abort", giveUp);
        resolve(answer);
      });
      this.#worker.postMessage({ id, address } satisfies CarrierJob);
    });
  }
}
