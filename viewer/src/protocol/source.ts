/** Sources of answers. */

import { Carrier } from "./carrier";
import { ViewError, asViewError, isAbort } from "./error";
import { query } from "./params";

/** An answer with the interface of a `Response`. */
export interface Answer {
  json(): Promise<unknown>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** The part of a run that an exported page contains. */
export interface Kept {
  /** Time range with individual calls. */
  from: number;
  until: number;
  /** Narrowest bins of the whole timeline. */
  bin_ns: number;
  /** What ranks can be grouped by: values of `group:` in an order. */
  groupings: readonly string[];
}

export interface Source {
  ask(path: string, parameters: object, signal?: AbortSignal): Promise<Answer>;
  /** Replaces a stored value. */
  put(path: string, body: object): Promise<Answer>;
  /** A frame: possibly megabytes. */
  frame(path: string, parameters: object, signal?: AbortSignal): Promise<ArrayBuffer>;
  /** Whether the page is exported, without a server. */
  readonly isExported: boolean;
  /** Null where everything can be requested. */
  readonly kept: Kept | null;
}

/** `mpiscope view`. */
export class Server implements Source {
  readonly isExported = false;
  readonly kept = null;
  readonly #base: string;
  #carrier: Carrier | null = null;

  constructor(base: string) {
    this.#base = base.endsWith("/") ? base : `${base}/`;
  }

  ask(path: string, parameters: object, signal?: AbortSignal): Promise<Answer> {
    return this.#fetch(`${path}${query(parameters)}`, signal ? { signal } : {});
  }

  put(path: string, body: object): Promise<Answer> {
    return this.#fetch(path, { method: "PUT", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  }

  async #fetch(address: string, how: RequestInit): Promise<Answer> {
    let response: Response;
    try {
      response = await fetch(`${this.#base}${address}`, how);
    } catch (error) {
      if (isAbort(error)) throw error;
      throw asViewError(error);
    }
    if (response.ok) return response;
    throw refusal(response.status, response.statusText, await response.text().catch(() => ""));
  }

  async frame(path: string, parameters: object, signal?: AbortSignal): Promise<ArrayBuffer> {
    const address = new URL(`${this.#base}${path}${query(parameters)}`, document.baseURI).href;
    this.#carrier ??= new Carrier();
    const { status, text, body } = await this.#carrier.carry(address, signal);
    if (!body) throw asViewError(new TypeError("no answer"));
    if (status >= 200 && status < 300) return body;
    throw refusal(status, text, new TextDecoder().decode(body));
  }
}

/** An error answer; `body` should be JSON. */
function refusal(status: number, text: string, body: string): ViewError {
  const answer = parsed(body);
  return new ViewError(
    status,
    answer?.error?.what ?? `mpiscope answered ${status} ${text}`,
    answer?.error?.next ?? "Start `mpiscope view` again and open the address it prints.",
  );
}

function parsed(body: string): { error?: { what?: string; next?: string } } | null {
  try {
    return JSON.parse(body) as ReturnType<typeof parsed>;
  } catch {
    // Not an answer of this server.
    return null;
  }
}
