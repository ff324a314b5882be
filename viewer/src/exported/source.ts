/** Answers of an exported page: those it contains, those it can compute, and an error for the others. */

import { rankList } from "../format";
import { encodeFrame } from "../protocol/frame";
import { ViewError } from "../protocol/error";
import type { Restriction } from "../protocol/params";
import type { Answer, Kept, Source } from "../protocol/source";
import type { CellsParameters, RowsParameters, ScatterParameters, StepBy } from "../protocol/client";
import { type Asked, type PaneQuestion, paneThatAsks } from "../panes/registry";
import { KeptCalls, type Table, pick, ranksOf, tableOf } from "./calls";
import { curvesFrame } from "./curves";
import { type Level, cellsFrame, levelsOf } from "./levels";
import { momentFrame } from "./moment";
import { type Pack, unpack } from "./pack";
import { cellsOfOrder, groupingsOf, orderFrame, orderOf, ranksAt } from "./order";
import { find, matches } from "./search";
import { groups, histogram, scatter } from "./statistics";

const frameAnswer = (buffer: ArrayBuffer): Answer => ({ arrayBuffer: () => Promise.resolve(buffer), json: () => Promise.reject(new Error("this is a frame")) });
const jsonAnswer = (value: unknown): Answer => ({ json: () => Promise.resolve(value), arrayBuffer: () => Promise.reject(new Error("this is not a frame")) });

/** Parameters that restrict a request, other than time. */
const RESTRICTIONS = ["ranks", "functions", "comm", "site", "region", "peer", "peers", "tag", "bytes_min", "bytes_max", "duration_min", "duration_max", "host", "iteration", "thread", "row_from", "row_until"] as const;

/** A rank that does not exist. */
const NO_RANK = String(0xffffff);
/** Least number of bundle bins in a window: with fewer, they do not show when messages were sent. */
const LEAST_BINS = 4;

const NO_BUNDLES = {
  from_ns: new Float64Array(),
  sender: new Uint32Array(),
  receiver: new Uint32Array(),
  count: new Float64Array(),
  bytes: new Float64Array(),
  latency_ns: new Float64Array(),
};

interface Opened {
  pack: Pack;
  levels: Level[];
  kept: KeptCalls;
  withData: ReadonlySet<number>;
}

export class PackSource implements Source {
  readonly isExported = true;
  kept: Kept | null = null;
  readonly #opened: Promise<Opened>;

  constructor(pack: Promise<Pack>) {
    this.#opened = pack.then((found) => {
      const { about } = found;
      const levels = levelsOf(found);
      this.kept = { from: about.from_ns, until: about.until_ns, bin_ns: about.bin_ns, groupings: groupingsOf(found, levels) };
      return { pack: found, levels, kept: new KeptCalls(found), withData: new Set(about.functions_with_data) };
    });
    this.#opened.catch(() => {});
  }

  /** The initial view of the page. */
  async view(): Promise<string> {
    return (await this.#opened).pack.about.view;
  }

  async ask(path: string, parameters: object, signal?: AbortSignal): Promise<Answer> {
    const opened = await this.#opened.catch((error: unknown) => {
      throw new ViewError(0, `this page cannot be read: ${error instanceof Error ? error.message : String(error)}`, "The file may be truncated: copy it again, or export it again.");
    });
    signal?.throwIfAborted();
    return this.#answer(opened, path, parameters);
  }

  /** An exported page cannot be changed. */
  put(path: string): Promise<Answer> {
    return Promise.reject(new ViewError(403, `an exported page cannot save ${path}`, "Open the run with `mpiscope view`."));
  }

  async frame(path: string, parameters: object, signal?: AbortSignal): Promise<ArrayBuffer> {
    return (await this.ask(path, parameters, signal)).arrayBuffer();
  }

  #answer(opened: Opened, path: string, parameters: object): Answer {
    const { pack, levels, kept } = opened;
    const { order: text, ...others } = parameters as { order?: string };
    if (text) return this.#inOrder(opened, path, text, others);
    switch (path) {
      case "runs":
        return jsonAnswer({ runs: [{ name: pack.run.name }] });
      case "run":
        return jsonAnswer(pack.run);
      case "progress": {
        const { state, done, is_explained, failure } = pack.run;
        return jsonAnswer({ state, done, is_explained, failure, is_writing: false });
      }
      case "notes":
        return jsonAnswer(pack.json("notes") ?? { revision: "", notes: [] });
      case "report":
        return jsonAnswer(pack.report);
      case "cells":
        return frameAnswer(cellsFrame(levels, parameters as CellsParameters & { from: number; until: number }));
      case "path": {
        const path = pack.buffer("path");
        if (!path) throw this.#missing(opened, "the critical path is");
        return frameAnswer(path);
      }
      case "bundles":
        return this.#bundles(opened, parameters as RowsParameters & { columns: number });
      case "messages":
      case "waits":
      case "regions":
      case "collectives":
        return this.#rows(opened, path, parameters as RowsParameters);
      case "call": {
        const { rank, row } = parameters as { rank: number; row: number };
        return jsonAnswer(kept.detail(this.#place(opened, rank, row)));
      }
      case "step": {
        const { rank, row, by, direction, ...more } = parameters as { rank: number; row: number; by: StepBy; direction: "next" | "previous"; than_ns?: number; functions?: readonly number[] };
        return jsonAnswer(kept.step(this.#place(opened, rank, row), by, direction, more));
      }
      case "find": {
        const { text, direction, start, rank, row, ...restriction } = parameters as { text: string; direction: "next" | "previous"; start?: number; rank?: number; row?: number } & Restriction;
        const from = start === undefined ? null : { start_ns: start, end_ns: start, rank: rank!, row: row! };
        return jsonAnswer(find(kept, text, direction, restriction, from));
      }
      case "matches": {
        const { text, at, limit, ...restriction } = parameters as { text: string; at: number; limit: number } & Restriction;
        return jsonAnswer(matches(kept, text, restriction, at, limit));
      }
      default:
        return this.#ofPane(opened, path, parameters as Restriction & Asked);
    }
  }

  /** The answer to the question of a pane: stored for the whole run, or computed. */
  #ofPane(opened: Opened, path: string, q: Restriction & Asked): Answer {
    const pane = paneThatAsks(path);
    if (!pane?.exported) throw this.#missing(opened, `'${path}' is`);
    const { pack } = opened;
    const name = pane.exported.stored?.(q) ?? null;
    const whole = name !== null && q.of !== "messages" ? this.#whole(opened, q, name) : null;
    const answer = whole === null ? this.#computed(opened, path as PaneQuestion, q) : pane.answer === "json" ? jsonAnswer(pack.json(whole)) : frameAnswer(pack.buffer(whole)!);
    if (!answer) throw this.#missing(opened, pane.exported.missing);
    return answer;
  }

  /** An answer from the calls and curves of the page; null where these do not suffice. */
  #computed(opened: Opened, question: PaneQuestion, q: Restriction & Asked): Answer | null {
    const { pack, kept, withData } = opened;
    switch (question) {
      case "calls":
        return this.#calls(opened, q as unknown as RowsParameters);
      case "groups":
        return this.#groups(opened, q as unknown as Restriction & { by: string; sort?: string; limit: number });
      case "histogram": {
        const asked = q as unknown as Parameters<typeof histogram>[3];
        return q.of === "messages" ? null : jsonAnswer(histogram(kept, withData, this.#inside(opened, q), asked));
      }
      case "scatter":
        return q.of === "messages" ? null : frameAnswer(scatter(kept, withData, this.#inside(opened, q), q as unknown as ScatterParameters));
      case "curves": {
        const { from, until, by_host: byHost, ...restriction } = q as Restriction & { by_host?: boolean };
        const { run } = pack;
        const curves = this.#isRestricted(restriction) ? null : curvesFrame(pack, byHost === true, from ?? run.from_ns, until ?? run.until_ns);
        return curves && frameAnswer(curves);
      }
      case "moment": {
        const { at, limit, ranks, ...restriction } = q as unknown as Restriction & { at: number; limit: number };
        if (this.#isRestricted(restriction)) throw this.#missing(opened, "the state for part of the calls is");
        const { from_ns, until_ns } = pack.about;
        const state = at >= from_ns && at < until_ns ? momentFrame(pack, kept, at, ranks, limit) : null;
        return state && frameAnswer(state);
      }
      case "matrix":
      case "tree":
      case "path_groups":
        return null;
    }
  }

  /** Whether a request is restricted to some of the calls, other than by time. */
  #isRestricted(q: Restriction): boolean {
    return RESTRICTIONS.some((r) => ((q as Record<string, unknown>)[r] ?? null) !== null);
  }

  /** The same request for the rows of an order. */
  #inOrder(opened: Opened, path: string, text: string, parameters: object): Answer {
    const { pack, levels } = opened;
    const order = orderOf(pack, text);
    if (!order) throw this.#missing(opened, "this order of ranks is");
    if (path === "order") return frameAnswer(orderFrame(order));
    if (path === "cells") {
      const asked = parameters as CellsParameters & { from: number; until: number };
      // The page has regions only one by one.
      if (asked.layer === "regions") throw this.#missing(opened, "the zoomed-out view of regions is");
      const cells = cellsOfOrder(levels, order, asked);
      if (!cells) throw this.#missing(opened, "the rows of individual ranks are");
      return frameAnswer(cells);
    }
    // Rows of an order are handled like ranks.
    const { row_from, row_until, ranks, ...others } = parameters as Restriction & { row_from?: number; row_until?: number };
    const isWanted = ranksOf(ranks);
    const shown = ranksAt(order, row_from, row_until).filter((rank) => !isWanted || isWanted(rank));
    return this.#answer(opened, path, { ...others, ranks: shown.length ? rankList(shown) : NO_RANK });
  }

  /** The name of an answer for the whole run, unrestricted; null where the request is restricted or the page lacks the answer. */
  #whole({ pack }: Opened, q: Restriction, name: string): string | null {
    const isWhole = (q.from ?? null) === null && (q.until ?? null) === null && !this.#isRestricted(q);
    return isWhole && pack.has(name) ? name : null;
  }

  #window({ pack }: Opened, q: Restriction): { from: number; until: number } {
    const { run } = pack;
    const turn = q.iteration ?? null;
    const from = Math.max(q.from ?? run.from_ns, turn === null ? -Infinity : (run.iterations?.from_ns[turn] ?? -Infinity));
    const until = Math.min(q.until ?? run.until_ns, turn === null ? Infinity : (run.iterations?.until_ns[turn] ?? Infinity));
    return { from, until };
  }

  /** Indices of the calls that a request selects, if the page has all of them. */
  #inside(opened: Opened, q: Restriction & { row_from?: number; row_until?: number }): number[] {
    const { about, run } = opened.pack;
    const { from, until } = this.#window(opened, q);
    if (Math.max(from, run.from_ns) < about.from_ns || Math.min(until, run.until_ns) > about.until_ns) throw this.#missing(opened, "individual calls for this whole time range are");
    return opened.kept.wanted(q);
  }

  /** The page has bundles of the whole run, for all messages; it cannot answer for finer or restricted ones. */
  #bundles({ pack }: Opened, q: RowsParameters & { columns: number }): Answer {
    const buffer = pack.buffer("bundles");
    const found = buffer && tableOf(buffer);
    const isRestricted = RESTRICTIONS.some((r) => r !== "row_from" && r !== "row_until" && ((q as unknown as Record<string, unknown>)[r] ?? null) !== null);
    const { bin_ns, rows_per_block, basis } = (found?.head ?? {}) as { bin_ns?: number; rows_per_block?: number; basis?: unknown };
    const [from, until] = [q.from ?? pack.run.from_ns, q.until ?? pack.run.until_ns];
    if (!found || !basis || !bin_ns || !rows_per_block || isRestricted || bin_ns * LEAST_BINS > until - from)
      return frameAnswer(encodeFrame({ kind: "bundles", total: 0, bin_ns: 1, rows_per_block: 1, basis: null }, NO_BUNDLES));
    const { table, length } = found;
    const isIn = (first: number): boolean => first + rows_per_block > (q.row_from ?? 0) && first < (q.row_until ?? Infinity);
    const at = Array.from({ length }, (_, i) => i).filter((i) => table.from_ns![i]! < until && table.from_ns![i]! + bin_ns > from && (isIn(table.sender![i]!) || isIn(table.receiver![i]!)));
    const total = at.reduce((sum, i) => sum + table.count![i]!, 0);
    return frameAnswer(encodeFrame({ kind: "bundles", total, bin_ns, rows_per_block, basis }, pick(table as Table, at)));
  }

  #calls(opened: Opened, q: RowsParameters): Answer {
    const at = this.#inside(opened, q);
    const { kept } = opened;
    const total = at.length;
    const c = kept.calls;
    if (total > q.limit) at.sort((a, b) => c.duration_ns![b]! - c.duration_ns![a]!).length = q.limit;
    at.sort((a, b) => c.rank![a]! - c.rank![b]! || c.start_ns![a]! - c.start_ns![b]!);
    return frameAnswer(encodeFrame({ kind: "calls", total, is_cut: at.length < total }, pick(c, at)));
  }

  #rows(opened: Opened, what: string, q: RowsParameters): Answer {
    const buffer = opened.pack.buffer(what);
    if (!buffer) throw this.#missing(opened, `${what} are`);
    const { head, table, length } = tableOf(buffer);
    if (what === "collectives") return frameAnswer(buffer);
    const [from, until] = [q.from ?? -Infinity, q.until ?? Infinity];
    const isRank = ranksOf(q.ranks);
    const isShown = (rank: number): boolean =>
      rank >= Math.floor(q.row_from ?? 0) && rank < Math.ceil(q.row_until ?? Infinity) && (!isRank || isRank(rank));
    const [start, end] = what === "messages" ? [table.sent_ns!, table.received_ns!] : [table.start_ns!, table.end_ns!];
    const at: number[] = [];
    for (let i = 0; i < length; i++) {
      if (start[i]! >= until || end[i]! < from) continue;
      const isHere = what === "messages" ? isShown(table.sender![i]!) || isShown(table.receiver![i]!) : isShown(table.rank![i]!);
      if (isHere) at.push(i);
    }
    const total = at.length;
    const shown = total > q.limit ? at.slice(0, q.limit) : at;
    const { columns: _, ...rest } = head;
    // Applies to data that the page lacks, too.
    const isCut = shown.length < total || head.is_cut === true;
    return frameAnswer(encodeFrame({ ...rest, total: isCut ? Math.max(total, shown.length + 1) : total, is_cut: isCut }, pick(table as Table, shown)));
  }

  #groups(opened: Opened, q: Restriction & { by: string; sort?: string; limit: number }): Answer {
    const at = this.#inside(opened, q);
    const { run } = opened.pack;
    const { from, until } = this.#window(opened, q);
    const isRank = ranksOf(q.ranks);
    const ranks = Array.from({ length: run.ranks.count }, (_, rank) => rank).filter((rank) => (!isRank || isRank(rank)) && (q.host ?? run.ranks.host[rank]) === run.ranks.host[rank]).length;
    return jsonAnswer(groups(opened.kept, opened.withData, at, q.by.split(","), q.sort ?? "total_ns", q.limit, { from, until }, (until - from) * ranks));
  }

  #place(opened: Opened, rank: number, row: number): number {
    const at = opened.kept.at(rank, row);
    if (at === null) throw this.#missing(opened, "this call is");
    return at;
  }

  #missing({ pack }: Opened, what: string): ViewError {
    return new ViewError(404, `${what} not in this exported page`, `Open the run with: mpiscope view ${pack.run.name}`);
  }
}

/** The pack of a document; null without one. */
export function packIn(document: Document): PackSource | null {
  const text = document.getElementById("mpiscope-pack")?.textContent;
  return text ? new PackSource(unpack(text)) : null;
}
