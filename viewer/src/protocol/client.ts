/** The typed requests. A signal can abort each of them. */

import { type Frame, column, decodeFrame } from "./frame";
import { withAllIterations } from "./iterations";
import type { Restriction } from "./params";
import type { Report } from "./report";
import type { Answer, Kept, Source } from "./source";
import * as T from "./types";

export interface CellsParameters extends Restriction {
  columns: number;
  row_from: number;
  row_until: number;
  rows: number;
  order?: string;
  layer?: "calls" | "regions";
  /** As coarse as the preview, even where finer bins are requested. */
  quick?: boolean;
  ask?: string;
}

export interface RowsParameters extends Restriction {
  order?: string;
  row_from?: number;
  row_until?: number;
  limit: number;
}

/** A quick answer may come from tables or a sample; `ask` is the name under which its progress can be requested. */
export interface Careful {
  quick?: boolean;
  ask?: string;
}

export interface ScatterParameters extends Restriction, Careful {
  of?: T.Of;
  x: string;
  y: string;
  x_log: boolean;
  y_log: boolean;
  x_min?: number | null;
  x_max?: number | null;
  y_min?: number | null;
  y_max?: number | null;
  width: number;
  height: number;
  points: number;
}

export type StepBy = "rank" | "functions" | "function" | "comm" | "message" | "collective" | "longer" | "site";

interface AxisHead {
  x_axis: T.Axis;
  y_axis: T.Axis;
  total: number;
  form: "points" | "density";
  fit: T.Scatter["fit"];
  basis: T.Basis;
  width?: number;
  height?: number;
}

export class Client {
  readonly #source: Source;
  readonly #prefix: string;

  /** `prefix`: selects a run, where there are several; empty for the first. */
  constructor(source: Source, prefix = "") {
    this.#source = source;
    this.#prefix = prefix;
  }

  #ask(path: string, parameters: object, signal?: AbortSignal): Promise<Answer> {
    return this.#source.ask(`${this.#prefix}${path}`, parameters, signal);
  }

  async #json<R>(path: string, parameters: object, signal?: AbortSignal): Promise<R> {
    return (await (await this.#ask(path, parameters, signal)).json()) as R;
  }

  async #frame<Head>(path: string, parameters: object, signal?: AbortSignal): Promise<Frame<Head>> {
    return decodeFrame<Head>(await this.#source.frame(`${this.#prefix}${path}`, parameters, signal));
  }

  /** An exported page. */
  get isExported(): boolean {
    return this.#source.isExported;
  }

  /** The part of the run that an exported page contains; null for all. */
  get kept(): Kept | null {
    return this.#source.kept;
  }

  /** The run as a self-contained page: a file. */
  async export(parameters: { from: number; until: number; view: string }, signal?: AbortSignal): Promise<ArrayBuffer> {
    return (await this.#ask("export", parameters, signal)).arrayBuffer();
  }

  /** Bookmarks of the run. */
  notes(): Promise<T.Notes> {
    return this.#json("notes", {});
  }

  /** Replaces the bookmarks of this revision. */
  async keepNotes({ revision, notes }: T.Notes): Promise<T.Notes> {
    return (await (await this.#source.put(`${this.#prefix}notes`, { revision, notes })).json()) as T.Notes;
  }

  /** The open runs. */
  runs(signal?: AbortSignal): Promise<{ runs: { name: string }[] }> {
    return this.#source.ask("runs", {}, signal).then((answer) => answer.json()) as Promise<{ runs: { name: string }[] }>;
  }

  /** Differences from the first run to the second, whichever run this client is for. */
  differences(
    parameters: Pick<Restriction, "from" | "until" | "functions" | "tag" | "bytes_min" | "bytes_max" | "duration_min" | "duration_max"> & {
      other_from?: number | null;
      other_until?: number | null;
      by: string;
      limit: number;
    },
    signal?: AbortSignal,
  ): Promise<T.Differences> {
    return this.#source.ask("0/differences/1", parameters, signal).then((answer) => answer.json()) as Promise<T.Differences>;
  }

  async run(signal?: AbortSignal): Promise<T.Run> {
    return withAllIterations(await this.#json<T.Run>("run", {}, signal));
  }

  progress(signal?: AbortSignal): Promise<T.Progress> {
    return this.#json("progress", {}, signal);
  }

  /** Additional pages of the server: the address of the launch page. */
  offers(signal?: AbortSignal): Promise<{ launch: string | null }> {
    return this.#source.ask("offers", {}, signal).then((answer) => answer.json()) as Promise<{ launch: string | null }>;
  }

  /** The progress of a pending request, as a share; null if it is unknown. */
  async working(ask: string, signal?: AbortSignal): Promise<number | null> {
    return (await this.#json<{ done: number | null }>("working", { of_ask: ask }, signal)).done;
  }

  report(signal?: AbortSignal): Promise<Report> {
    return this.#json("report", { brief: true }, signal);
  }

  /** Ranks that differ from the other visible ones, the largest difference first. */
  async apart(parameters: { from: number; until: number; row_from: number; row_until: number; order: string; limit: number }, signal?: AbortSignal): Promise<T.ApartRank[]> {
    return (await this.#json<{ ranks: T.ApartRank[] }>("apart", parameters, signal)).ranks;
  }

  async order(order: string, signal?: AbortSignal): Promise<T.Order> {
    const frame = await this.#frame<{ groups?: T.Order["groups"]; unit?: string | null }>("order", { order }, signal);
    return {
      groups: frame.head.groups ?? [],
      unit: frame.head.unit ?? null,
      ranks: column<Uint32Array>(frame, "rank"),
      starts: (frame.columns.get("start") as Uint32Array | undefined) ?? null,
      value: (frame.columns.get("value") as Float64Array | undefined) ?? null,
    };
  }

  async cells(parameters: CellsParameters, signal?: AbortSignal): Promise<T.Cells> {
    return cellsIn(await this.#source.frame(`${this.#prefix}cells`, parameters, signal));
  }

  async calls(parameters: RowsParameters, signal?: AbortSignal): Promise<T.Calls> {
    const frame = await this.#frame<T.CallsHead>("calls", parameters, signal);
    const start = column<Float64Array>(frame, "start_ns");
    return {
      head: frame.head,
      length: start.length,
      rank: column<Uint32Array>(frame, "rank"),
      thread: column<Uint16Array>(frame, "thread"),
      row: column<Float64Array>(frame, "row"),
      start_ns: start,
      duration_ns: column<Float64Array>(frame, "duration_ns"),
      function: column<Uint16Array>(frame, "function"),
      count: column<Uint32Array>(frame, "count"),
      comm: column<Int32Array>(frame, "comm"),
      peer: column<Int32Array>(frame, "peer"),
      tag: column<Int32Array>(frame, "tag"),
      bytes_sent: column<Float64Array>(frame, "bytes_sent"),
      bytes_received: column<Float64Array>(frame, "bytes_received"),
      site: column<Uint32Array>(frame, "site"),
      region: column<Int32Array>(frame, "region"),
      window: column<Int32Array>(frame, "window"),
      flags: column<Uint16Array>(frame, "flags"),
    };
  }

  async messages(parameters: RowsParameters, signal?: AbortSignal): Promise<T.Messages> {
    const frame = await this.#frame<T.CallsHead>("messages", parameters, signal);
    const sender = column<Uint32Array>(frame, "sender");
    return {
      head: frame.head,
      length: sender.length,
      sender,
      receiver: column<Uint32Array>(frame, "receiver"),
      send_row: column<Float64Array>(frame, "send_row"),
      receive_row: column<Float64Array>(frame, "receive_row"),
      receive_done_row: column<Float64Array>(frame, "receive_done_row"),
      sent_ns: column<Float64Array>(frame, "sent_ns"),
      received_ns: column<Float64Array>(frame, "received_ns"),
      bytes: column<Float64Array>(frame, "bytes"),
      tag: column<Int32Array>(frame, "tag"),
    };
  }

  async bundles(parameters: RowsParameters & { columns: number; rows: number }, signal?: AbortSignal): Promise<T.Bundles> {
    const frame = await this.#frame<T.Bundles["head"]>("bundles", parameters, signal);
    const count = column<Float64Array>(frame, "count");
    return {
      head: frame.head,
      length: count.length,
      from_ns: column<Float64Array>(frame, "from_ns"),
      sender: column<Uint32Array>(frame, "sender"),
      receiver: column<Uint32Array>(frame, "receiver"),
      count,
      bytes: column<Float64Array>(frame, "bytes"),
      latency_ns: column<Float64Array>(frame, "latency_ns"),
    };
  }

  async moment(parameters: Omit<RowsParameters, "from" | "until"> & { at: number }, signal?: AbortSignal): Promise<T.Moment> {
    const frame = await this.#frame<T.Moment["head"]>("moment", parameters, signal);
    const floats = (name: string): Float64Array => column<Float64Array>(frame, name);
    const counts = (name: string): Uint32Array => column<Uint32Array>(frame, name);
    const ids = (name: string): Int32Array => column<Int32Array>(frame, name);
    const stage = column<Uint8Array>(frame, "stage");
    return {
      head: frame.head,
      ranks: {
        call_row: floats("call_row"),
        call_function: ids("call_function"),
        call_start_ns: floats("call_start_ns"),
        waits: column<Uint8Array>(frame, "waits"),
        sends: counts("sends"),
        sends_bytes: floats("sends_bytes"),
        receives: counts("receives"),
        receives_bytes: floats("receives_bytes"),
        unexpected: counts("unexpected"),
        unexpected_bytes: floats("unexpected_bytes"),
      },
      messages: {
        length: stage.length,
        stage,
        sender: ids("sender"),
        receiver: ids("receiver"),
        send_row: floats("send_row"),
        sent_ns: floats("sent_ns"),
        receive_row: floats("receive_row"),
        posted_ns: floats("posted_ns"),
        bytes: floats("bytes"),
        tag: ids("tag"),
        comm: ids("comm"),
      },
    };
  }

  async curves(parameters: Restriction & Careful & { by_host: boolean; columns: number }, signal?: AbortSignal): Promise<T.Curves> {
    const frame = await this.#frame<Omit<T.Curves, "columns" | "values"> & { columns_count: number }>("curves", parameters, signal);
    const { columns_count: columns, ...head } = frame.head;
    const values: T.Curves["values"] = {};
    for (const field of T.CURVE_FIELDS) {
      const found = frame.columns.get(field);
      if (found) values[field] = found as Float64Array;
    }
    return { ...head, columns, values };
  }

  async collectives(parameters: RowsParameters, signal?: AbortSignal): Promise<T.Collectives> {
    const frame = await this.#frame<T.CallsHead>("collectives", parameters, signal);
    return {
      head: frame.head,
      operation: column<Float64Array>(frame, "operation"),
      function: column<Uint16Array>(frame, "function"),
      comm: column<Int32Array>(frame, "comm"),
      member_offset: column<Uint32Array>(frame, "member_offset"),
      rank: column<Uint32Array>(frame, "rank"),
      row: column<Float64Array>(frame, "row"),
      done_row: column<Float64Array>(frame, "done_row"),
      start_ns: column<Float64Array>(frame, "start_ns"),
      end_ns: column<Float64Array>(frame, "end_ns"),
    };
  }

  async waits(parameters: RowsParameters, signal?: AbortSignal): Promise<T.Waits> {
    const frame = await this.#frame<{ kinds: string[] }>("waits", parameters, signal);
    const rank = column<Uint32Array>(frame, "rank");
    return {
      head: frame.head,
      length: rank.length,
      rank,
      row: column<Float64Array>(frame, "row"),
      start_ns: column<Float64Array>(frame, "start_ns"),
      end_ns: column<Float64Array>(frame, "end_ns"),
      kind: column<Uint8Array>(frame, "kind"),
      cause_rank: column<Int32Array>(frame, "cause_rank"),
    };
  }

  async regions(parameters: RowsParameters, signal?: AbortSignal): Promise<T.Regions> {
    const frame = await this.#frame("regions", parameters, signal);
    const rank = column<Uint32Array>(frame, "rank");
    return {
      length: rank.length,
      rank,
      region: column<Uint32Array>(frame, "region"),
      depth: column<Uint8Array>(frame, "depth"),
      start_ns: column<Float64Array>(frame, "start_ns"),
      end_ns: column<Float64Array>(frame, "end_ns"),
    };
  }

  /** The first start of a region; null if it does not occur. */
  async begin(region: number, signal?: AbortSignal): Promise<number | null> {
    return (await this.#json<{ ns: number | null }>("begin", { region }, signal)).ns;
  }

  async path(signal?: AbortSignal): Promise<T.Path> {
    const frame = await this.#frame("path", {}, signal);
    const rank = column<Uint32Array>(frame, "rank");
    return {
      length: rank.length,
      rank,
      from_ns: column<Float64Array>(frame, "from_ns"),
      until_ns: column<Float64Array>(frame, "until_ns"),
    };
  }

  call(ref: T.CallRef, signal?: AbortSignal): Promise<T.CallDetail> {
    return this.#json("call", { rank: ref.rank, row: ref.row }, signal);
  }

  step(
    ref: T.CallRef,
    by: StepBy,
    direction: "next" | "previous",
    more: { than_ns?: number; functions?: readonly number[] } = {},
    signal?: AbortSignal,
  ): Promise<T.CallSpan | null> {
    return this.#json("step", { rank: ref.rank, row: ref.row, by, direction, ...more }, signal);
  }

  /** The next call that contains a text after `from` (before it), or the first (the last) of all. */
  find(text: string, direction: "next" | "previous", restriction: Restriction, from: T.CallSpan | null, signal?: AbortSignal): Promise<T.CallSpan | null> {
    const beside = from ? { start: from.start_ns, rank: from.rank, row: from.row } : {};
    return this.#json("find", { ...restriction, text, direction, ...beside }, signal);
  }

  /** The number of calls that contain a text, and the first of them that start at `at` or later. */
  matches(text: string, restriction: Restriction, at: number, limit: number, signal?: AbortSignal): Promise<T.Matches> {
    return this.#json("matches", { ...restriction, text, at, limit }, signal);
  }

  async scatter(parameters: ScatterParameters, signal?: AbortSignal): Promise<T.Scatter> {
    const frame = await this.#frame<AxisHead>("scatter", parameters, signal);
    const { x_axis: x, y_axis: y, total, form, fit, basis } = frame.head;
    const isPoints = form === "points";
    return {
      basis,
      x,
      y,
      total,
      form,
      fit: fit ?? null,
      points: isPoints
        ? {
            x: column<Float64Array>(frame, "x"),
            y: column<Float64Array>(frame, "y"),
            rank: column<Uint32Array>(frame, "rank"),
            row: column<Float64Array>(frame, "row"),
            function: column<Uint16Array>(frame, "function"),
          }
        : null,
      density: isPoints
        ? null
        : {
            width: frame.head.width ?? parameters.width,
            height: frame.head.height ?? parameters.height,
            count: column<Uint32Array>(frame, "count"),
            function: column<Uint16Array>(frame, "function"),
          },
    };
  }

  histogram(
    parameters: Restriction & Careful & { of?: T.Of; field: string; is_log: boolean; min?: number | null; max?: number | null; bins: number },
    signal?: AbortSignal,
  ): Promise<T.Histogram> {
    return this.#json("histogram", parameters, signal);
  }

  groups(
    parameters: Restriction & Careful & { by: string; sort?: string; limit: number },
    signal?: AbortSignal,
  ): Promise<T.Groups> {
    return this.#json("groups", parameters, signal);
  }

  tree(parameters: Restriction & Careful & { by_rank: boolean; limit: number }, signal?: AbortSignal): Promise<T.Tree> {
    return this.#json("tree", parameters, signal);
  }

  pathGroups(parameters: Restriction & { limit: number }, signal?: AbortSignal): Promise<T.PathGroups> {
    return this.#json("path_groups", parameters, signal);
  }

  async matrix(
    parameters: Careful & { from?: number | null; until?: number | null; comm?: number | null; by: string; blocks: number },
    signal?: AbortSignal,
  ): Promise<T.Matrix> {
    const frame = await this.#frame<{ rows: number; labels: string[]; ranks_per_block: number; basis: T.Basis }>("matrix", parameters, signal);
    return {
      rows: frame.head.rows,
      labels: frame.head.labels,
      ranks_per_block: frame.head.ranks_per_block,
      sender: column<Uint32Array>(frame, "sender"),
      receiver: column<Uint32Array>(frame, "receiver"),
      count: column<Float64Array>(frame, "count"),
      bytes: column<Float64Array>(frame, "bytes"),
      longest_ns: column<Float64Array>(frame, "longest_ns"),
      latency_ns: column<Float64Array>(frame, "latency_ns"),
      basis: frame.head.basis,
    };
  }
}

/** Cells from their bytes: used again when a worker returns them. */
export function cellsIn(buffer: ArrayBuffer): T.Cells {
  const frame = decodeFrame<T.CellsHead>(buffer);
  return {
    head: frame.head,
    offset: column<Uint32Array>(frame, "offset"),
    function: column<Uint16Array>(frame, "function"),
    share: column<Uint16Array>(frame, "share"),
    calls: column<Uint32Array>(frame, "calls"),
    longest_ns: column<Float32Array>(frame, "longest_ns"),
    longest_rank: column<Int32Array>(frame, "longest_rank"),
    longest_row: column<Float64Array>(frame, "longest_row"),
    buffer,
  };
}
