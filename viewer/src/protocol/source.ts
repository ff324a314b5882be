/** Where answers come from. */

import { ViewError, asViewError, isAbort } from "./error";
import { query } from "./params";

/** An answer as a `Response` has it. */
export interface Answer {
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** What a page without a server has of a run. */
export interface Kept {
  /** Single calls are there of this time. */
  from: number;
  until: number;
  /** Narrowest bins of the whole timeline. */
  bin_ns: number;
}

export interface Source {
  ask(path: string, parameters: object, signal?: AbortSignal): Promise<Answer>;
  /** Whether it is a page for itself, without a server. */
  readonly isExported: boolean;
  /** Null where everything can be asked. */
  readonly kept: Kept | null;
}

/** `mpiscope view`. */
export class Server implements Source {
  readonly isExported = false;
  readonly kept = null;
  readonly #base: string;

  constructor(base: string) {
    this.#base = base.endsWith("/") ? base : `${base}/`;
  }

  async ask(path: string, parameters: object, signal?: AbortSignal): Promise<Answer> {
    let response: Response;
    try {
      response = await fetch(`${this.#base}${path}${query(parameters)}`, signal ? { signal } : {});
    } catch (error) {
      if (isAbort(error)) throw error;
      throw asViewError(error);
    }
    if (response.ok) return response;
    const body = (await response.json().catch(() => null)) as { error?: { what?: string; next?: string } } | null;
    throw new ViewError(
      response.status,
      body?.error?.what ?? `mpiscope answered ${response.status} ${response.statusText}`,
      body?.error?.next ?? "Start `mpiscope view` again and open the address it prints.",
    );
  }
}
