/** Names of the ids of a run. */

import type { Run } from "./protocol/types";

export class Names {
  readonly #functions: Map<number, Run["functions"][number]>;
  readonly #comms: Map<number, string>;
  readonly #sites: Map<number, string>;
  readonly #regions: Map<number, string>;

  constructor(run: Run) {
    this.#functions = new Map(run.functions.map((f) => [f.id, f]));
    this.#comms = new Map(run.communicators.map((c) => [c.id, c.name]));
    this.#sites = new Map(run.sites.map((s) => [s.id, s.text]));
    this.#regions = new Map(run.regions.map((r) => [r.id, r.name]));
  }

  function(id: number): string {
    return this.#functions.get(id)?.name ?? `function ${id}`;
  }

  /** Without `MPI_`, where room is scarce. */
  short(id: number): string {
    return this.function(id).replace(/^MPI_/, "");
  }

  functionId(name: string): number | null {
    for (const [id, info] of this.#functions) if (info.name === name) return id;
    return null;
  }

  comm(id: number | null): string {
    return id === null || id < 0 ? "" : (this.#comms.get(id) ?? `communicator ${id}`);
  }

  site(id: number | null): string {
    return id === null || id < 0 ? "" : (this.#sites.get(id) ?? "");
  }

  region(id: number | null): string {
    return id === null || id < 0 ? "" : (this.#regions.get(id) ?? `region ${id}`);
  }
}
