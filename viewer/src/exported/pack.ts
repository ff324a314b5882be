/** The content of an exported page: answers by name (crates/server/src/export). */

import { withAllIterations } from "../protocol/iterations";
import type { Report } from "../protocol/report";
import type { Run } from "../protocol/types";

export const SCHEMA = "mpiscope.pack/1";

export interface About {
  schema: string;
  mpiscope: string;
  /** Time range with individual calls. */
  from_ns: number;
  until_ns: number;
  calls: number;
  /** Narrowest bins of the whole timeline. */
  bin_ns: number;
  /** The initial view of the page. */
  view: string;
  functions_with_data: number[];
}

export class Pack {
  readonly #entries = new Map<string, Uint8Array>();
  readonly about: About;
  #run: Run | null = null;

  /** `bytes`: inflated. */
  constructor(bytes: Uint8Array) {
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const list = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length))) as [string, number][];
    let at = 4 + length;
    for (const [name, size] of list) {
      this.#entries.set(name, bytes.subarray(at, at + size));
      at += size;
    }
    this.about = this.json<About>("about")!;
    if (this.about?.schema !== SCHEMA) throw new Error(`the page contains data of another version: ${this.about?.schema}`);
  }

  get names(): string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  json<T>(name: string): T | null {
    const bytes = this.#entries.get(name);
    return bytes ? (JSON.parse(new TextDecoder().decode(bytes)) as T) : null;
  }

  /** A copy, so that the receiver may transfer it. */
  buffer(name: string): ArrayBuffer | null {
    const bytes = this.#entries.get(name);
    return bytes ? (bytes.slice().buffer as ArrayBuffer) : null;
  }

  get run(): Run {
    this.#run ??= withAllIterations(this.json<Run>("run")!);
    return this.#run;
  }

  get report(): Report {
    return this.json<Report>("report")!;
  }
}

export async function unpack(text: string): Promise<Pack> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Pack(new Uint8Array(await new Response(stream).arrayBuffer()));
}
