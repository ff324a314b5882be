/**
 * The content of the timeline, and when to request more. The current picture stays, stretched
 * and moved, until the next one arrives. Requests cover slightly more time than the window.
 */

import type { App } from "../app";
import type { CellsParameters } from "../protocol/client";
import { type ViewError, asViewError, isAbort } from "../protocol/error";
import { Latest } from "../protocol/latest";
import type { Bundles, Calls, Cells, Collectives, Messages, Path, Regions, Waits } from "../protocol/types";
import { isFiltered, isOnlyFunctions } from "../state/view";
import type { Window } from "../state/window";
import { ApartRanks } from "./apart";
import { BIN_PX, BLOCK_PX, BUNDLES_MOST } from "./bundles";
import { type Layout, covers, rowPx, widened } from "./geometry";
import { ThreadsOfCalls } from "./lanes";
import { CellsLayer, type Picture } from "./layer";
import { Matching, countBegun, countCalls } from "./matching";
import { Rasterizer } from "./rasterizer";
import { regionsOf } from "./regions";
import { accesses, rmaFunctions } from "./rma";
import { type RasterStyle, faded, rasterStyle } from "./style";

/** From this number of visible calls on, they are no longer drawn individually. */
const CALLS_MOST = 40_000;
const MESSAGES_MOST = 2_000;
const COLLECTIVES_MOST = 500;
const LOOK_MS = 400;
/** At most one request per this many ms while something moves. */
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
  single: Picture | null = null;
  /** All visible calls. */
  calls: Calls | null = null;
  /** Which of them are drawn individually; null for all. */
  matching: Matching | null = null;
  /** The calls are complete for the visible part. */
  isSingle = false;
  waits: Waits | null = null;
  messages: Messages | null = null;
  /** Instead of messages, where there are too many to draw them individually. */
  bundles: Bundles | null = null;
  /** Threads of the visible calls, for lines that end on them. */
  threads: ThreadsOfCalls | null = null;
  /** Which of the visible calls access the window of another rank. */
  accesses: number[] = [];
  collectives: Collectives | null = null;
  regions: Regions | null = null;
  path: Path | null = null;
  readonly apart = new ApartRanks();
  error: ViewError | null = null;
  isBusy = false;
  /** Redraws in another style that are not done yet. */
  redraws = 0;
  /** Share read so far for the cells of a filter; null where it is unknown. */
  done: number | null = null;

  readonly #name = `t${Math.random().toString(36).slice(2, 8)}`;
  #round = 0;
  readonly #app: App;
  readonly #changed: () => void;
  readonly #raster = new Rasterizer();
  /** All calls zoomed out: pale where some of them are filtered out. */
  readonly #all = new CellsLayer(this.#raster);
  /** The calls that match a filter, above them. */
  readonly #wanted = new CellsLayer(this.#raster);
  /** Calls that match the filter, where it is by more than functions. */
  #found: Calls | null = null;
  readonly #latest = new Latest();
  readonly #latestBase = new Latest();
  readonly #latestPath = new Latest();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #askedAt = 0;
  #asked: { window: Window; nsPerPx: number; rowsPerPx: number; data: string } | null = null;
  #baseData = "";
  /** The overview strip must be made again, after the main picture. */
  #isBaseDue = false;
  #style: RasterStyle | null = null;
  #styleKey = "";
  #layout: Layout | null = null;
  #window: Window | null = null;
  #singleWindow: Window | null = null;
  #rasterRound = 0;
  #shown = "";
  #isPathAsked = false;
  /** Functions that were hidden when zoomed-out messages were requested. */
  #hiddenOf: readonly number[] | null = null;
  /** The range with messages, if it is smaller than the range with calls. */
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

  /** Zoomed out, the lower one. */
  get near(): Picture | null {
    return this.#all.picture;
  }

  /** The part of it that matches a filter. */
  get over(): Picture | null {
    return this.#wanted.picture;
  }

  get allCells(): Cells | null {
    return this.#all.cells;
  }

  /** The main picture: with a filter, the matching part. */
  get cells(): Cells | null {
    return this.#wanted.cells ?? this.#all.cells;
  }

  /** Everything that the answers depend on, other than the window. */
  get #data(): string {
    const { order, filter } = this.#app.store.state;
    return JSON.stringify([order, filter, this.#app.growth, this.#app.rows]);
  }

  /** Called whenever something may have changed. */
  update(window: Window, layout: Layout): void {
    const app = this.#app;
    if (!app.run || app.run.state === "failed" || app.rows === 0) return;
    // Its calls are not known yet.
    if (app.run.state === "building" && app.run.files) return;
    this.#window = window;
    const resized = this.#layout?.plotWidth !== layout.plotWidth || this.#layout?.plotHeight !== layout.plotHeight;
    this.#layout = layout;
    const state = app.store.state;
    const layers = state.layers;
    const styleKey = JSON.stringify([state.hidden, app.colours.key, layers.includes("waits"), layers.includes("regions"), app.run.functions.length]);
    const data = this.#data;
    if (styleKey !== this.#styleKey) {
      this.#styleKey = styleKey;
      this.#style = rasterStyle(app.run, state.hidden, app.colours, layers.includes("waits"));
      void this.#redraw();
      this.#baseData = "";
    }
    if (data !== this.#baseData || resized) {
      this.#baseData = data;
      this.#isBaseDue = true;
    }
    if (layers.includes("path") && !this.#isPathAsked && app.run.is_explained) void this.#askPath();
    if (this.bundles && this.#hiddenOf !== state.hidden && !this.isBusy) this.#asked = null;
    const asked = this.#asked;
    const hasMessages = this.#messagesWindow === null || isInside(window, this.#messagesWindow);
    const hasCalls = this.#singleWindow === null || this.calls === null || !app.client.kept || isInside(window, this.#singleWindow);
    if (hasMessages && hasCalls && asked && asked.data === data && covers({ ...asked.window, nsPerPx: asked.nsPerPx, rowsPerPx: asked.rowsPerPx }, window, layout)) {
      if (!this.isBusy) this.#bringBase();
      return;
    }
    const shown = JSON.stringify([state.order, state.filter]);
    if (shown !== this.#shown) {
      // Another order or filter: the screen shows other ranks or calls.
      this.#shown = shown;
      this.#all.drop();
      this.#wanted.drop();
      this.#dropSingle();
      this.#dropMessages();
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
    // The current data do not show what has been requested: otherwise the same request would be repeated forever.
    this.#messagesWindow = null;
    this.isBusy = true;
    this.#changed();
    const name = `${this.#name}-${this.#round++}`;
    try {
      await this.#latest.run(async (signal) => {
        const { order, filter } = app.store.state;
        void this.#look(name, signal);
        const question = {
          from: Math.floor(wide.from),
          until: Math.ceil(wide.until),
          columns: Math.min(4096, Math.max(16, Math.round(layout.plotWidth * part * ratio))),
          row_from: wide.row_from,
          row_until: wide.row_until,
          rows: rowsOf(layout.plotHeight, rowsPerPx, rowPart),
          order,
          ask: name,
        };
        const cells = await this.#askCells(this.#all, question, nsPerPx, rowsPerPx, signal);
        if (!cells) return;
        // An exported page has individual calls of one time range: the visible part must lie in it.
        const { kept } = app.client;
        const single = kept ? onlyKept(wide, this.#window ?? window, kept, app.whole) : wide;
        const few = cells.head.calls_total <= CALLS_MOST || kept !== null;
        const picture = this.#drawCells(this.#all, cells, nsPerPx, rowsPerPx);
        const isNear = single !== null && few && app.run!.state === "ready";
        const over = !isNear && this.#hasOver ? this.#askOver({ ...question, ...filter }, nsPerPx, rowsPerPx, signal) : this.#wanted.drop();
        const near = isNear ? this.#askSingle(single, signal) : kept ? this.#dropSingle() : this.#askFar(wide, layout, cells, signal);
        const far = isNear ? null : this.#askBundles(wide, signal);
        const isLow = ApartRanks.isNeeded(app, window, layout);
        if (!isLow) this.apart.clear();
        const apart = isLow ? this.apart.ask(app, wide, question.columns, this.#raster, this.#style!, signal) : null;
        // Together: an abort rejects all of them, and a rejection without a handler is an error of the page.
        await Promise.all([picture, over, near, far, apart]);
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

  /** Cells, or null if they are no longer needed. While nothing is shown yet, a coarser picture is better than waiting for a slow read. */
  async #askCells(layer: CellsLayer, question: CellsParameters, nsPerPx: number, rowsPerPx: number, signal: AbortSignal): Promise<Cells | null> {
    const { client } = this.#app;
    const take = (found: Cells): void => {
      this.error = null;
      this.done = null;
      layer.cells = found;
    };
    let cells = await client.cells(layer.picture ? question : { ...question, quick: true }, signal);
    if (signal.aborted) return null;
    take(cells);
    if (cells.head.has_finer) {
      await this.#drawCells(layer, cells, nsPerPx, rowsPerPx);
      if (signal.aborted) return null;
      cells = await client.cells(question, signal);
      if (signal.aborted) return null;
      take(cells);
    }
    return cells;
  }

  async #askOver(question: CellsParameters, nsPerPx: number, rowsPerPx: number, signal: AbortSignal): Promise<void> {
    const found = await this.#askCells(this.#wanted, question, nsPerPx, rowsPerPx, signal);
    if (found) await this.#drawCells(this.#wanted, found, nsPerPx, rowsPerPx);
  }

  /** Whether cells of the filter can be requested: by more than functions not while the store is built, nor in an exported page. */
  get #hasOver(): boolean {
    const { filter } = this.#app.store.state;
    return isFiltered(filter) && (isOnlyFunctions(filter) || (this.#app.run?.state === "ready" && !this.#app.client.isExported));
  }

  /** Cells of a filter are computed from the calls themselves: the progress is shown until they arrive. */
  async #look(name: string, signal: AbortSignal): Promise<void> {
    const { filter } = this.#app.store.state;
    this.done = null;
    if (isOnlyFunctions(filter) || !this.#hasOver) return;
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

  /** Zoomed out, only regions are still drawn, where rows are high enough. */
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
    this.regions = regionsOf(found, app.ownPositions, app.run!.regions);
    this.#changed();
  }

  #dropSingle(): void {
    this.single = null;
    this.calls = null;
    this.threads = null;
    this.accesses = [];
    this.#found = null;
    this.matching = null;
    this.isSingle = false;
    this.waits = null;
    this.collectives = null;
    this.regions = null;
  }

  #dropMessages(): void {
    this.messages = null;
    this.#messagesWindow = null;
    this.bundles = null;
  }

  /**
   * Messages in bundles; individually where there are few. The old ones stay until the new ones arrive, so that arrows become
   * bundles and bundles arrows without a frame that has neither.
   */
  async #askBundles(wide: Window, signal: AbortSignal): Promise<void> {
    const app = this.#app;
    if (app.run!.state !== "ready") {
      this.#dropMessages();
      return;
    }
    const { order, filter, hidden } = app.store.state;
    this.#hiddenOf = hidden;
    const window = this.#window!;
    const layout = this.#layout!;
    const common = { from: Math.floor(wide.from), until: Math.ceil(wide.until), row_from: wide.row_from, row_until: wide.row_until, order };
    const parts = (px: number, least: number, all: number, seen: number): number => Math.max(4, Math.round((px / least) * (all / seen)));
    const columns = Math.min(4096, parts(layout.plotWidth, BIN_PX, wide.until - wide.from, window.until - window.from));
    const rows = Math.min(2048, parts(layout.plotHeight, BLOCK_PX, wide.row_until - wide.row_from, window.row_until - window.row_from));
    // Hiding a function hides its messages, unless the other side shows them.
    const shown = hidden.length ? (filter.functions ?? app.run!.functions.map((f) => f.id)).filter((id) => !hidden.includes(id)) : filter.functions;
    const asked = { ...filter, functions: shown, ...common };
    const found = await app.client.bundles({ ...asked, columns, rows, limit: BUNDLES_MOST }, signal).catch(orNothing);
    if (signal.aborted) return;
    const isFew = found?.head.basis?.kind === "calls" && found.head.total <= MESSAGES_MOST && !app.client.isExported;
    const messages = isFew ? await app.client.messages({ ...asked, limit: MESSAGES_MOST }, signal).catch(orNothing) : null;
    if (signal.aborted) return;
    const isSingly = messages !== null && !messages.head.is_cut;
    this.#messagesWindow = null;
    this.messages = isSingly ? messages : null;
    this.bundles = isSingly ? null : found;
    this.#changed();
  }

  /** Individual calls with the lines between them, where there are few. */
  async #askSingle(wide: Window, signal: AbortSignal): Promise<void> {
    const app = this.#app;
    const run = app.run!;
    const { order, filter } = app.store.state;
    const common = { from: Math.floor(wide.from), until: Math.ceil(wide.until), row_from: wide.row_from, row_until: wide.row_until, order };
    const limit = CALLS_MOST;
    const isNarrow = !isOnlyFunctions(filter);
    // Filtered by the server as far as it can: with fewer calls, more can be drawn. The rest is filtered here.
    const messagesOf = { ...filter, ranks: null, ...common, limit: MESSAGES_MOST };
    const collectivesOf = { functions: filter.functions, comm: filter.comm, ...common, limit: COLLECTIVES_MOST };
    const [calls, found, waits, messages, collectives, regions] = await Promise.all([
      app.client.calls({ ...common, limit }, signal),
      isNarrow ? app.client.calls({ ...filter, ...common, limit }, signal) : null,
      app.client.waits({ ...common, limit }, signal).catch(orNothing),
      app.client.messages(messagesOf, signal).catch(orNothing),
      app.client.collectives(collectivesOf, signal).catch(orNothing),
      run.regions.length ? app.client.regions({ ...common, limit: CALLS_MOST }, signal).catch(orNothing) : null,
    ]);
    if (signal.aborted) return;
    // Too many including the margins: perhaps not in the visible part.
    const seen = this.#window!;
    const sight = { from: Math.floor(seen.from), until: Math.ceil(seen.until), row_from: Math.floor(seen.row_from), row_until: Math.ceil(seen.row_until) };
    const near = messages?.head.is_cut ? await app.client.messages({ ...messagesOf, ...sight }, signal).catch(orNothing) : null;
    if (signal.aborted) return;
    const singly = near ?? messages;
    const bundled = singly?.head.is_cut ? this.#askBundles(wide, signal) : null;
    this.calls = calls;
    this.threads = run.ranks.threads.some((count) => count > 1) ? new ThreadsOfCalls(calls, run.ranks.threads) : null;
    this.accesses = accesses(calls, rmaFunctions(run));
    this.#found = found;
    this.waits = waits;
    if (!bundled) {
      this.messages = singly;
      this.bundles = null;
      this.#messagesWindow = near && !near.head.is_cut ? sight : null;
    }
    this.collectives = collectives;
    this.regions = regions;
    this.isSingle = !calls.head.is_cut;
    this.#singleWindow = wide;
    await Promise.all([this.#drawSingle(), bundled]);
  }

  /** The overview strip is requested after the main picture, which the user waits for. */
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
        const { order } = app.store.state;
        const cells = await app.client.cells(
          {
            from: whole.from,
            until: whole.until,
            columns: Math.min(2048, Math.max(16, layout.plotWidth)),
            row_from: 0,
            row_until: whole.row_until,
            rows: 64,
            order,
            quick: true,
          },
          signal,
        );
        const px = Math.max(1, Math.min(6, Math.floor(192 / Math.max(1, cells.head.rows))));
        const { head } = cells;
        const answer = await this.#raster.draw({ kind: "cells", buffer: cells.buffer, rowPx: px, style: this.#baseStyle() }, [cells.buffer]);
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
      if (path && !path.length) this.#app.say("The critical path of this run is unknown.");
    } catch (error) {
      this.#app.fail(error);
    }
    this.#changed();
  }

  async #redraw(): Promise<void> {
    this.redraws++;
    const drawn = await Promise.all([this.#all.redraw(this.#allStyle()), this.#wanted.redraw(this.#overStyle())]);
    if (drawn.some(Boolean)) this.#changed();
    if (this.calls) await this.#drawSingle();
    await this.apart.draw(this.#raster, this.#style!);
    this.redraws--;
    this.#changed();
  }

  #allStyle(): RasterStyle {
    return isFiltered(this.#app.store.state.filter) ? faded(this.#style!, null) : this.#style!;
  }

  #overStyle(): RasterStyle {
    return { ...this.#style!, isOver: true };
  }

  /** The overview strip ignores filters, except those by function only, which it can apply itself. */
  #baseStyle(): RasterStyle {
    const { filter } = this.#app.store.state;
    if (!isFiltered(filter)) return { ...this.#style!, hasWaits: false };
    return faded(this.#style!, isOnlyFunctions(filter) ? filter.functions : null);
  }

  async #drawCells(layer: CellsLayer, cells: Cells, nsPerPx: number, rowsPerPx: number): Promise<void> {
    if (await layer.draw(cells, nsPerPx, rowsPerPx, layer === this.#all ? this.#allStyle() : this.#overStyle())) this.#changed();
  }

  async #drawSingle(): Promise<void> {
    const app = this.#app;
    const { calls, waits } = this;
    const wide = this.#singleWindow;
    const window = this.#window;
    const layout = this.#layout;
    if (!calls || !wide || !window || !layout || !app.run) return;
    const round = ++this.#rasterRound;
    const { filter, hidden } = app.store.state;
    const matching = isFiltered(filter) || hidden.length ? new Matching(calls, filter.functions, this.#found, hidden) : null;
    const shown = waits && matching ? waitsOf(waits, matching) : waits;
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
      waits: shown ? { length: shown.length, rank: shown.rank, start_ns: shown.start_ns, end_ns: shown.end_ns } : null,
      isPale: matching?.isPale ?? null,
      view: {
        ...wide,
        width,
        rowPx: px,
        positions: app.ownPositions,
        folded: Int32Array.from(app.folded.keys()),
        threads: Uint16Array.from(app.run.ranks.threads),
        free: hasRegions ? regionRoom(px) : 0,
      },
      style: this.#style!,
    });
    if (!answer.bitmap || round !== this.#rasterRound || this.calls !== calls) return;
    this.matching = matching;
    this.single = {
      ...wide,
      bitmap: answer.bitmap,
      nsPerPx,
      rowsPerPx: 1 / px,
    };
    this.#changed();
  }

  /** Number of visible calls that match a filter; null without one. */
  get countMatching(): number | null {
    const { store, window, positions } = this.#app;
    if (!isFiltered(store.state.filter)) return null;
    if (this.isSingle) return this.calls && this.matching && countCalls(this.calls, this.matching, window, positions);
    return this.#wanted.cells && countBegun(this.#wanted.cells, window);
  }
}

/** Requested rows: with more ranks than pixels, two pixels per row; finer ones would only overlap. */
export function rowsOf(plotHeight: number, rowsPerPx: number, part: number): number {
  const rows = (rowsPerPx > 1 ? plotHeight / 2 : plotHeight) * part;
  return Math.min(2048, Math.max(1, Math.round(rows)));
}

/** The part of a window with individual calls; null if part of the visible range has none. */
function onlyKept(wide: Window, sight: Window, kept: { from: number; until: number }, whole: Window): Window | null {
  const isThere = Math.max(sight.from, whole.from) >= kept.from && Math.min(sight.until, whole.until) <= kept.until;
  return isThere ? { ...wide, from: Math.max(wide.from, kept.from), until: Math.min(wide.until, kept.until) } : null;
}

const isInside = (inner: Window, outer: Window): boolean =>
  inner.from >= outer.from && inner.until <= outer.until && inner.row_from >= outer.row_from && inner.row_until <= outer.row_until;

/** The waits of calls that are drawn. */
function waitsOf(waits: Waits, matching: Matching): Pick<Waits, "length" | "rank" | "start_ns" | "end_ns"> {
  const at = Array.from(waits.rank.keys()).filter((i) => matching.has(waits.rank[i]!, waits.row[i]!));
  return {
    length: at.length,
    rank: Uint32Array.from(at, (i) => waits.rank[i]!),
    start_ns: Float64Array.from(at, (i) => waits.start_ns[i]!),
    end_ns: Float64Array.from(at, (i) => waits.end_ns[i]!),
  };
}

function orNothing(error: unknown): null {
  if (isAbort(error)) throw error;
  return null;
}
