/**
 * What the timeline shows, and when it asks for more. The picture that is there stays, stretched
 * and moved, until the next one has come. Times a little outside of the window are asked for, too.
 */

import type { App } from "../app";
import { cellsIn } from "../protocol/client";
import { type ViewError, asViewError, isAbort } from "../protocol/error";
import { Latest } from "../protocol/latest";
import type { Calls, Cells, Collectives, Messages, Path, Regions, Waits } from "../protocol/types";
import { visibleFunctions } from "../state/scope";
import { type Filter, isFiltered, isOnlyFunctions } from "../state/view";
import type { Window } from "../state/window";
import { type Layout, covers, rowPx, widened } from "./geometry";
import { Rasterizer } from "./rasterizer";
import { regionsOf } from "./regions";
import { type RasterStyle, rasterStyle } from "./style";

export interface Picture extends Window {
  bitmap: ImageBitmap;
  nsPerPx: number;
  rowsPerPx: number;
}

/** From so many calls in sight on, they are drawn one by one no more. */
const CALLS_MOST = 40_000;
const MESSAGES_MOST = 2_000;
const COLLECTIVES_MOST = 500;
const LOOK_MS = 400;
/** At most one question in so many ms while something moves. */
const PACE_MS = 60;
/** Room for regions above the calls of a rank. */
const REGION_SHARE = 0.34;
const REGION_MOST_PX = 36;

/** Pixels of a row that are kept for regions. */
export function regionRoom(px: number): number {
  return px >= 16 ? Math.min(REGION_MOST_PX, Math.floor(px * REGION_SHARE)) : 0;
}

export class Pictures {
  base: Picture | null = null;
  near: Picture | null = null;
  single: Picture | null = null;
  cells: Cells | null = null;
  calls: Calls | null = null;
  /** The calls are all that are in sight: none was left out. */
  isSingle = false;
  waits: Waits | null = null;
  messages: Messages | null = null;
  collectives: Collectives | null = null;
  regions: Regions | null = null;
  path: Path | null = null;
  error: ViewError | null = null;
  isBusy = false;
  /** Share that was read of what the cells of a filter need; null where that is not known. */
  done: number | null = null;

  readonly #name = `t${Math.random().toString(36).slice(2, 8)}`;
  #round = 0;
  readonly #app: App;
  readonly #changed: () => void;
  readonly #raster = new Rasterizer();
  readonly #latest = new Latest();
  readonly #latestBase = new Latest();
  readonly #latestPath = new Latest();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #askedAt = 0;
  #asked: { window: Window; nsPerPx: number; rowsPerPx: number; data: string } | null = null;
  #baseData = "";
  /** The small picture of the whole is to be made anew, after the one that is looked at. */
  #isBaseDue = false;
  #style: RasterStyle | null = null;
  #styleKey = "";
  #layout: Layout | null = null;
  #window: Window | null = null;
  #singleWindow: Window | null = null;
  #isLent = false;
  #rasterRound = 0;
  #shown = "";
  #isPathAsked = false;
  /** Where messages are known, if that is less than where calls are. */
  #messagesWindow: Window | null = null;

  constructor(app: App, changed: () => void) {
    this.#app = app;
    this.#changed = changed;
  }

  close(): void {
    this.#latest.cancel();
    this.#latestBase.cancel();
    this.#latestPath.cancel();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#raster.close();
  }

  /** What the answers depend on beside the window. */
  get #data(): string {
    const { order, filter } = this.#app.store.state;
    return JSON.stringify([order, filter, this.#app.growth, this.#app.rows]);
  }

  /** Called whenever something may have changed. */
  update(window: Window, layout: Layout): void {
    const app = this.#app;
    if (!app.run || app.run.state === "failed" || app.rows === 0) return;
    // Nothing is known of its calls yet.
    if (app.run.state === "building" && app.run.files) return;
    this.#window = window;
    const resized = this.#layout?.plotWidth !== layout.plotWidth || this.#layout?.plotHeight !== layout.plotHeight;
    this.#layout = layout;
    const state = app.store.state;
    const layers = state.layers;
    const styleKey = JSON.stringify([state.hidden, state.filter.functions, state.colouring, app.theme, layers.includes("waits"), layers.includes("regions"), app.run.functions.length]);
    const data = this.#data;
    if (styleKey !== this.#styleKey) {
      this.#styleKey = styleKey;
      this.#style = rasterStyle(app.run, visibleFunctions(state, app.run.functions), state.colouring, app.theme, layers.includes("waits"));
      if (this.cells) void this.#redraw();
      this.#baseData = "";
    }
    if (data !== this.#baseData || resized) {
      this.#baseData = data;
      this.#isBaseDue = true;
    }
    if (layers.includes("path") && !this.#isPathAsked && app.run.is_explained) void this.#askPath();
    const asked = this.#asked;
    const hasMessages = this.#messagesWindow === null || isInside(window, this.#messagesWindow);
    const hasCalls = this.#singleWindow === null || this.calls === null || !app.client.kept || isInside(window, this.#singleWindow);
    if (hasMessages && hasCalls && asked && asked.data === data && covers({ ...asked.window, nsPerPx: asked.nsPerPx, rowsPerPx: asked.rowsPerPx }, window, layout)) {
      if (!this.isBusy) this.#bringBase();
      return;
    }
    const shown = JSON.stringify([state.order, state.filter]);
    if (shown !== this.#shown) {
      // Another order or filter: what is on the screen is of other ranks or calls.
      this.#shown = shown;
      this.near = null;
      this.#dropSingle();
    }
    this.#later();
  }

  #later(): void {
    if (this.#timer !== null) return;
    const wait = Math.max(0, this.#askedAt + PACE_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#ask();
    }, wait);
  }

  async #ask(): Promise<void> {
    const app = this.#app;
    const layout = this.#layout;
    const window = this.#window;
    if (!layout || !window || !app.run) return;
    this.#askedAt = performance.now();
    const wide = widened(window, app.whole);
    const ratio = devicePixelRatio || 1;
    const part = (wide.until - wide.from) / (window.until - window.from);
    const rowPart = (wide.row_until - wide.row_from) / (window.row_until - window.row_from);
    const nsPerPx = (window.until - window.from) / layout.plotWidth;
    const rowsPerPx = (window.row_until - window.row_from) / layout.plotHeight;
    const data = this.#data;
    this.#asked = { window: wide, nsPerPx, rowsPerPx, data };
    // What is known now says nothing of what has been asked for: else the same would be asked again and again, and never be waited for.
    this.#messagesWindow = null;
    this.isBusy = true;
    this.#changed();
    const name = `${this.#name}-${this.#round++}`;
    try {
      await this.#latest.run(async (signal) => {
        const { order } = app.store.state;
        void this.#look(name, signal);
        const question = {
          from: Math.floor(wide.from),
          until: Math.ceil(wide.until),
          columns: Math.min(4096, Math.max(16, Math.round(layout.plotWidth * part * ratio))),
          row_from: wide.row_from,
          row_until: wide.row_until,
          rows: rowsOf(layout.plotHeight, rowsPerPx, rowPart),
          order,
          ...this.#cellsFilter,
          ask: name,
        };
        const take = (found: Cells): void => {
          this.error = null;
          this.done = null;
          this.cells = found;
        };
        // Where nothing is to be seen yet, something coarse is better than to wait for what has to be read.
        let cells = await app.client.cells(this.near ? question : { ...question, quick: true }, signal);
        if (signal.aborted) return;
        take(cells);
        if (cells.head.has_finer) {
          await this.#drawCells(cells, nsPerPx, rowsPerPx);
          if (signal.aborted) return;
          cells = await app.client.cells(question, signal);
          if (signal.aborted) return;
          take(cells);
        }
        // An exported page has single calls of one stretch: all that is in sight must lie in it.
        const { kept } = app.client;
        const single = kept ? onlyKept(wide, this.#window ?? window, kept, app.whole) : wide;
        const few = cells.head.calls_total <= CALLS_MOST || kept !== null;
        const picture = this.#drawCells(cells, nsPerPx, rowsPerPx);
        const near = single && few ? this.#askSingle(single, signal) : kept ? this.#dropSingle() : this.#askFar(wide, layout, cells, signal);
        await Promise.all([picture, near]);
        if (!signal.aborted) this.#bringBase();
      });
    } catch (error) {
      if (!isAbort(error)) {
        this.error = asViewError(error);
      }
    }
    this.isBusy = this.#latest.isBusy;
    if (!this.isBusy) this.done = null;
    this.#changed();
  }

  /** Whether cells can be asked for by more than functions: not while the store is built, nor in an exported page. */
  get #hasNarrowCells(): boolean {
    return this.#app.run?.state === "ready" && !this.#app.client.isExported;
  }

  get #cellsFilter(): Partial<Filter> {
    const { filter } = this.#app.store.state;
    return this.#hasNarrowCells ? filter : { functions: filter.functions };
  }

  /** Cells of a filter are made of the calls themselves: until they have come it is told how far that is. */
  async #look(name: string, signal: AbortSignal): Promise<void> {
    const { filter } = this.#app.store.state;
    this.done = null;
    if (!isFiltered(filter) || isOnlyFunctions(filter) || this.isFaded) return;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      if (signal.aborted || !this.isBusy) return;
      const done = await this.#app.client.working(name, signal).catch(() => null);
      if (signal.aborted || !this.isBusy) return;
      if (done === null) continue;
      this.done = done;
      this.#changed();
    }
  }

  /** From afar only regions are still drawn, where rows are high enough. */
  async #askFar(wide: Window, layout: Layout, cells: Cells, signal: AbortSignal): Promise<void> {
    this.#dropSingle();
    const app = this.#app;
    const { head } = cells;
    const isShown = app.store.state.layers.includes("regions") && app.run!.regions.length > 0 && app.run!.state === "ready";
    if (!isShown || head.rows_per_block !== 1 || regionRoom(rowPx(layout, this.#window!)) === 0) return;
    const found = await app.client
      .cells(
        {
          from: Math.floor(wide.from),
          until: Math.ceil(wide.until),
          columns: Math.min(4096, Math.max(16, 2 * head.columns_count)),
          row_from: head.row_from,
          row_until: head.row_from + head.rows,
          rows: Math.min(2048, head.rows),
          order: app.store.state.order,
          layer: "regions",
        },
        signal,
      )
      .catch(orNothing);
    if (signal.aborted || !found) return;
    this.regions = regionsOf(found, app.positions, app.run!.regions);
    this.#changed();
  }

  #dropSingle(): void {
    this.single = null;
    this.calls = null;
    this.isSingle = false;
    this.waits = null;
    this.messages = null;
    this.#messagesWindow = null;
    this.collectives = null;
    this.regions = null;
  }

  /** Calls one by one with what joins them, where they are few. */
  async #askSingle(wide: Window, signal: AbortSignal): Promise<void> {
    const app = this.#app;
    const run = app.run!;
    if (run.state !== "ready") return;
    const { order, filter } = app.store.state;
    const common = { from: Math.floor(wide.from), until: Math.ceil(wide.until), row_from: wide.row_from, row_until: wide.row_until, order };
    const limit = CALLS_MOST;
    const [calls, waits, messages, collectives, regions] = await Promise.all([
      app.client.calls({ ...filter, ...common, limit }, signal),
      app.client.waits({ ...common, limit }, signal).catch(orNothing),
      app.client.messages({ ...common, limit: MESSAGES_MOST }, signal).catch(orNothing),
      app.client.collectives({ ...common, limit: COLLECTIVES_MOST }, signal).catch(orNothing),
      run.regions.length ? app.client.regions({ ...common, limit: CALLS_MOST }, signal).catch(orNothing) : null,
    ]);
    if (signal.aborted) return;
    // Too many with the margins: perhaps not in what is in sight.
    const seen = this.#window!;
    const sight = { ...common, from: Math.floor(seen.from), until: Math.ceil(seen.until), row_from: Math.floor(seen.row_from), row_until: Math.ceil(seen.row_until) };
    const near = messages?.head.is_cut ? await app.client.messages({ ...sight, limit: MESSAGES_MOST }, signal).catch(orNothing) : null;
    if (signal.aborted) return;
    this.calls = calls;
    this.waits = waits;
    this.messages = near ?? messages;
    this.#messagesWindow = near && !near.head.is_cut ? sight : null;
    this.collectives = collectives;
    this.regions = regions;
    this.isSingle = !calls.head.is_cut;
    this.#singleWindow = wide;
    await this.#drawSingle();
  }

  /** The small picture of the whole is asked for after the one that is looked at: that one is waited for. */
  #bringBase(): void {
    if (!this.#isBaseDue) return;
    this.#isBaseDue = false;
    void this.#askBase();
  }

  async #askBase(): Promise<void> {
    const app = this.#app;
    const layout = this.#layout!;
    const whole = app.whole;
    try {
      await this.#latestBase.run(async (signal) => {
        const { order, filter } = app.store.state;
        const cells = await app.client.cells(
          {
            from: whole.from,
            until: whole.until,
            columns: Math.min(2048, Math.max(16, layout.plotWidth)),
            row_from: 0,
            row_until: whole.row_until,
            rows: 64,
            order,
            functions: filter.functions,
            quick: true,
          },
          signal,
        );
        const px = Math.max(1, Math.min(6, Math.floor(192 / Math.max(1, cells.head.rows))));
        const { head } = cells;
        const answer = await this.#raster.draw({ kind: "cells", buffer: cells.buffer, rowPx: px, style: { ...this.#style!, hasWaits: false } }, [cells.buffer]);
        if (signal.aborted || !answer.bitmap) return;
        this.base = {
          bitmap: answer.bitmap,
          from: head.from_ns,
          until: head.from_ns + head.columns_count * head.bin_ns,
          row_from: head.row_from,
          row_until: head.row_from + head.rows * head.rows_per_block,
          nsPerPx: head.bin_ns,
          rowsPerPx: head.rows_per_block / px,
        };
        this.#changed();
      });
    } catch (error) {
      if (!isAbort(error)) {
        this.error = asViewError(error);
        this.#changed();
      }
    }
  }

  async #askPath(): Promise<void> {
    this.#isPathAsked = true;
    try {
      const path = await this.#latestPath.run((signal) => this.#app.client.path(signal));
      if (path) this.path = path;
      if (path && !path.length) this.#app.say("The critical path of this run is not known.");
    } catch (error) {
      this.#app.fail(error);
    }
    this.#changed();
  }

  async #redraw(): Promise<void> {
    const asked = this.#asked;
    if (this.cells && asked && !this.#isLent) await this.#drawCells(this.cells, asked.nsPerPx, asked.rowsPerPx);
    if (this.calls) await this.#drawSingle();
  }

  async #drawCells(cells: Cells, nsPerPx: number, rowsPerPx: number): Promise<void> {
    const { head } = cells;
    if (!head.rows || !head.columns_count) return;
    const px = Math.max(1, Math.min(64, Math.round(head.rows_per_block / rowsPerPx)));
    this.#isLent = true;
    const answer = await this.#raster.draw({ kind: "cells", buffer: cells.buffer, rowPx: px, style: this.#style! }, [cells.buffer]);
    this.#isLent = false;
    if (answer.error) throw new Error(answer.error);
    // Its memory came back: read it anew, unless there are newer cells by now.
    if (this.cells === cells && answer.buffer) this.cells = cellsIn(answer.buffer);
    else return;
    const before = this.near;
    this.near = {
      bitmap: answer.bitmap!,
      from: head.from_ns,
      until: head.from_ns + head.columns_count * head.bin_ns,
      row_from: head.row_from,
      row_until: head.row_from + head.rows * head.rows_per_block,
      nsPerPx,
      rowsPerPx,
    };
    // Some megabytes each: not to be kept until somebody collects them.
    before?.bitmap.close();
    this.#changed();
  }

  async #drawSingle(): Promise<void> {
    const app = this.#app;
    const { calls, waits } = this;
    const wide = this.#singleWindow;
    const window = this.#window;
    const layout = this.#layout;
    if (!calls || !wide || !window || !layout || !app.run) return;
    const round = ++this.#rasterRound;
    const px = Math.max(1, Math.min(64, Math.round(rowPx(layout, window))));
    const nsPerPx = (window.until - window.from) / layout.plotWidth;
    const width = Math.max(1, Math.min(8192, Math.round(((wide.until - wide.from) / nsPerPx) * (devicePixelRatio || 1))));
    const hasRegions = app.store.state.layers.includes("regions") && app.run.regions.length > 0;
    const answer = await this.#raster.draw({
      kind: "calls",
      calls: {
        length: calls.length,
        rank: calls.rank,
        thread: calls.thread,
        start_ns: calls.start_ns,
        duration_ns: calls.duration_ns,
        function: calls.function,
        flags: calls.flags,
      },
      waits: waits ? { length: waits.length, rank: waits.rank, start_ns: waits.start_ns, end_ns: waits.end_ns } : null,
      view: {
        ...wide,
        width,
        rowPx: px,
        positions: app.positions,
        threads: Uint16Array.from(app.run.ranks.threads),
        free: hasRegions ? regionRoom(px) : 0,
        isFaded: !this.isSingle || this.isFaded,
      },
      style: this.#style!,
    });
    if (!answer.bitmap || round !== this.#rasterRound || this.calls !== calls) return;
    this.single = {
      ...wide,
      bitmap: answer.bitmap,
      nsPerPx,
      rowsPerPx: 1 / px,
    };
    this.#changed();
  }

  /** Calls in sight and its margins that a filter wants; null without one. */
  get matching(): number | null {
    const { filter } = this.#app.store.state;
    if (!isFiltered(filter) || isOnlyFunctions(filter) || !this.cells || this.isFaded) return null;
    return this.isSingle && this.calls ? this.calls.head.total : this.cells.head.calls_total;
  }

  /** Where cells are of functions alone, calls that do not match the filter are still to be seen, paler. */
  get isFaded(): boolean {
    const { filter } = this.#app.store.state;
    return isFiltered(filter) && !isOnlyFunctions(filter) && !this.#hasNarrowCells;
  }
}

/** Rows that are asked for: with more ranks than pixels, each of two pixels; finer ones would only be in each other's way. */
export function rowsOf(plotHeight: number, rowsPerPx: number, part: number): number {
  const rows = (rowsPerPx > 1 ? plotHeight / 2 : plotHeight) * part;
  return Math.min(2048, Math.max(1, Math.round(rows)));
}

/** The part of a window of which there are single calls; null where something of what is in sight is not. */
function onlyKept(wide: Window, sight: Window, kept: { from: number; until: number }, whole: Window): Window | null {
  const isThere = Math.max(sight.from, whole.from) >= kept.from && Math.min(sight.until, whole.until) <= kept.until;
  return isThere ? { ...wide, from: Math.max(wide.from, kept.from), until: Math.min(wide.until, kept.until) } : null;
}

const isInside = (inner: Window, outer: Window): boolean =>
  inner.from >= outer.from && inner.until <= outer.until && inner.row_from >= outer.row_from && inner.row_until <= outer.row_until;

function orNothing(error: unknown): null {
  if (isAbort(error)) throw error;
  return null;
}
