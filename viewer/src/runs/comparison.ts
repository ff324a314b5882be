/** One run or two, each with its part of the state: times on one scale, and the run that the panes show. */

import { App } from "../app";
import { Colours, together } from "../colours";
import type { Source } from "../protocol/source";
import { Client } from "../protocol/client";
import type { ViewError } from "../protocol/error";
import { asViewError } from "../protocol/error";
import type { Run } from "../protocol/types";
import type { Store } from "../state/store";
import { type Window, mainOf, wholeOf } from "../state/window";
import { shiftOf } from "./align";
import { Desk } from "./desk";
import { type Ids, NOT_THERE, type SideNumber, SideStore, type Sides, aboutOf, switched } from "./side";

export class Comparison extends EventTarget implements Sides {
  readonly desk = new Desk();
  readonly store: Store;
  readonly apps: App[] = [];
  /** Why the list of runs is unknown. */
  error: ViewError | null = null;
  version = 0;
  #colours: Colours | null = null;
  /** The inputs that they were computed from. */
  #coloursOf: unknown[] = [];
  readonly #source: Source;
  readonly #stores: SideStore[] = [];
  #shift = 0;
  /** Whether both runs have the moment for the alignment. */
  isAligned = true;
  #key = "";

  constructor(source: Source, store: Store) {
    super();
    this.#source = source;
    this.store = store;
    this.#add(0);
    this.desk.addEventListener("change", () => this.#changed());
    store.listen((state, before) => {
      if (state.align !== before.align) this.#align();
    });
  }

  get count(): number {
    return this.apps.length;
  }

  get isTwo(): boolean {
    return this.apps.length > 1;
  }

  get about(): SideNumber {
    return aboutOf(this.store.state, this.count);
  }

  /** The run that panes, keys and dialogs use. */
  get app(): App {
    return this.apps[this.about]!;
  }

  async start(): Promise<void> {
    const first = this.apps[0]!.start();
    try {
      const { runs } = await this.apps[0]!.client.runs();
      if (runs.length > 1) {
        const second = this.#add(1);
        // A user who opens two runs looks for differences; a link opens what it names.
        if (this.store.isNew) this.store.correct({ page: "compare" });
        this.#align();
        void second.start();
      }
    } catch (error) {
      this.error = asViewError(error);
    }
    await first;
  }

  #add(side: SideNumber): App {
    const store = new SideStore(this.store, this, side);
    const app = new App(new Client(this.#source, side === 0 ? "" : `${side}/`), store, this.desk, this, side);
    this.#stores.push(store);
    this.apps.push(app);
    app.addEventListener("change", () => {
      this.#align();
      this.dispatchEvent(new Event("change"));
    });
    return app;
  }

  #changed(): void {
    for (const app of this.apps) app.changed();
  }

  shift(side: SideNumber): number {
    return side === 1 ? this.#shift : 0;
  }

  rows(side: SideNumber): number | null {
    const app = this.apps[side];
    return app?.run && this.isTwo ? app.rows : null;
  }

  /** The runs have new data: alignment and ids may change. */
  #align(): void {
    if (!this.isTwo) return;
    const [first, second] = this.apps.map((app) => app.run);
    const { align } = this.store.state;
    if (align.by === "region") for (const app of this.apps) app.needBegin(align.name);
    const [a, b] = this.apps.map((app) => app.run && { run: app.run, begins: app.begins });
    const found = a && b ? shiftOf(align, a, b) : 0;
    this.isAligned = found !== null;
    // Otherwise they are aligned at a moment that both have.
    const shift = found ?? (a && b ? (shiftOf({ by: "init" }, a, b) ?? 0) : 0);
    const of = (run: Run | null | undefined): unknown => run && [run.id, run.state, run.until_ns, run.sites.length, run.regions.length, run.communicators.length, run.grid?.dims.length];
    const key = JSON.stringify([shift, found === null, this.apps.map((app) => app.rows), of(first), of(second)]);
    if (key === this.#key) return;
    this.#key = key;
    this.#shift = shift;
    this.version++;
    for (const store of this.#stores) store.refresh();
    if (first && second) document.title = `${first.name} and ${second.name} – mpiscope`;
    this.#changed();
  }

  ids(from: SideNumber, to: SideNumber): Ids {
    const [a, b] = [this.apps[from]?.run, this.apps[to]?.run];
    // Until the names are known, nothing matches.
    const by =
      <T>(list: (run: Run) => readonly T[], name: (item: T) => string, at: (item: T, index: number) => number) =>
      (id: number): number => {
        if (!a || !b) return NOT_THERE;
        const wanted = list(a).find((item, index) => at(item, index) === id);
        if (wanted === undefined) return NOT_THERE;
        const index = list(b).findIndex((item) => name(item) === name(wanted));
        return index < 0 ? NOT_THERE : at(list(b)[index]!, index);
      };
    return {
      comm: by((run) => run.communicators, (c) => c.name, (c) => c.id),
      site: by((run) => run.sites, (s) => s.text, (s) => s.id),
      region: by((run) => run.regions, (r) => r.name, (r) => r.id),
      host: by((run) => run.hosts, (h) => h, (_, index) => index),
      // Grids may differ in shape: an axis matches if the other grid has it.
      axis: (axis) => (b?.grid && axis < b.grid.dims.length ? axis : NOT_THERE),
    };
  }

  /** The range of both runs, in the time of one of them. */
  wholeOf(side: SideNumber, own: Window): Window {
    const [first, second] = this.apps.map((app) => app.run);
    if (!first || !second) return own;
    const shift = this.#shift;
    const from = Math.min(first.from_ns, second.from_ns - shift) + this.shift(side);
    const until = Math.max(first.until_ns, second.until_ns - shift) + this.shift(side);
    return { ...own, from, until: Math.max(until, own.until) };
  }

  /** The range of both main parts, in the time of one of them. */
  mainOf(side: SideNumber, whole: Window): Window {
    const [first, second] = this.apps.map((app) => app.run);
    if (!first || !second) return whole;
    const parts = [first, second].map((run, at) => {
      const { from, until } = mainOf(run, wholeOf(run, 1));
      const by = this.shift(side) - this.shift(at as SideNumber);
      return { from: from + by, until: until + by };
    });
    return { ...whole, from: Math.min(...parts.map((p) => p.from)), until: Math.max(...parts.map((p) => p.until)) };
  }

  /** For the functions of all runs. */
  get colours(): Colours {
    const { theme } = this.desk;
    const { colouring, paint } = this.store.state;
    const basis = [theme, colouring, paint, ...this.apps.map((app) => app.run?.functions)];
    if (!this.#colours || basis.some((part, at) => part !== this.#coloursOf[at]) || basis.length !== this.#coloursOf.length) {
      this.#coloursOf = basis;
      const runs = this.apps.flatMap((app) => app.run ?? []);
      this.#colours = new Colours(together(runs), { colouring, paint }, theme);
    }
    return this.#colours;
  }

  /** Shows another run in the panes. */
  show(side: SideNumber): void {
    this.store.set(switched(this.store.state, this, side));
  }

  /** Room for names of groups, the same in both. */
  get groupWidth(): number {
    return Math.max(0, ...this.apps.map((app) => app.groupWidth));
  }
}
