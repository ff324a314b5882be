/** The individual calls of the page: which of them a request selects, and their details. */

import { type Column, type Frame, decodeFrame } from "../protocol/frame";
import type { Restriction } from "../protocol/params";
import { FLAG_FAILED, FLAG_INSIDE, FLAG_POLL, TAG_UNKNOWN, type CallDetail, type CallSpan, type Run } from "../protocol/types";
import type { StepBy } from "../protocol/client";
import type { Pack } from "./pack";

export type Table = Record<string, Column>;

/** `4294967295` and −1 mean none. */
const isNone = (id: number): boolean => id < 0 || id === 0xffffffff;

export const tagOf = (tag: number): number | null => (tag === TAG_UNKNOWN ? null : tag);

export function tableOf(buffer: ArrayBuffer): { head: Record<string, unknown>; table: Table; length: number } {
  const frame: Frame = decodeFrame(buffer);
  const table = Object.fromEntries(frame.columns);
  return { head: frame.head, table, length: Object.values(table)[0]?.length ?? 0 };
}

/** Selected rows of a table. */
export function pick(table: Table, at: readonly number[]): Table {
  return Object.fromEntries(
    Object.entries(table).map(([name, values]) => {
      const to = new (values.constructor as new (length: number) => Column)(at.length);
      at.forEach((index, i) => (to[i] = values[index]!));
      return [name, to];
    }),
  );
}

export function ranksOf(text: string | null | undefined): ((rank: number) => boolean) | null {
  if (!text) return null;
  const ranges = text.split(",").map((part) => part.split("-").map(Number));
  return (rank) => ranges.some(([first, last]) => rank >= first! && rank <= (last ?? first!));
}

export class KeptCalls {
  readonly run: Run;
  readonly calls: Table;
  readonly length: number;
  readonly #pack: Pack;
  readonly #byRank = new Map<number, number[]>();
  readonly #details: ReturnType<typeof tableOf> | null;

  constructor(pack: Pack) {
    this.#pack = pack;
    this.run = pack.run;
    const { table, length } = tableOf(pack.buffer("calls")!);
    const details = pack.buffer("details");
    this.#details = details && tableOf(details);
    this.calls = table;
    this.length = length;
    for (let i = 0; i < length; i++) {
      const rank = table.rank![i]!;
      const of = this.#byRank.get(rank);
      if (of) of.push(i);
      else this.#byRank.set(rank, [i]);
    }
    for (const of of this.#byRank.values()) of.sort((a, b) => table.row![a]! - table.row![b]!);
  }

  end(at: number): number {
    return this.calls.start_ns![at]! + this.calls.duration_ns![at]!;
  }

  bytes(at: number): number {
    return this.calls.bytes_sent![at]! + this.calls.bytes_received![at]!;
  }

  iteration(ns: number): number | null {
    const { iterations } = this.run;
    if (!iterations) return null;
    let low = 0;
    let high = iterations.from_ns.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (iterations.from_ns[middle]! <= ns) low = middle + 1;
      else high = middle;
    }
    return low > 0 && ns < iterations.until_ns[low - 1]! ? low - 1 : null;
  }

  /** Indices of the calls that a request selects. */
  wanted(r: Restriction & { row_from?: number; row_until?: number }): number[] {
    const c = this.calls;
    const isRank = ranksOf(r.ranks);
    const functions = r.functions?.length ? new Set(r.functions) : null;
    const { ranks } = this.run;
    const iteration = r.iteration ?? null;
    const [from, until] =
      iteration === null
        ? [r.from ?? -Infinity, r.until ?? Infinity]
        : [Math.max(r.from ?? -Infinity, this.run.iterations?.from_ns[iteration] ?? Infinity), Math.min(r.until ?? Infinity, this.run.iterations?.until_ns[iteration] ?? -Infinity)];
    const is = (wanted: number | null | undefined, value: number): boolean => wanted === null || wanted === undefined || wanted === value;
    const found: number[] = [];
    for (let i = 0; i < this.length; i++) {
      const rank = c.rank![i]!;
      if (c.start_ns![i]! >= until || this.end(i) < from) continue;
      if (r.row_from !== undefined && rank < Math.floor(r.row_from)) continue;
      if (r.row_until !== undefined && rank >= Math.ceil(r.row_until)) continue;
      if (isRank && !isRank(rank)) continue;
      if (functions && !functions.has(c.function![i]!)) continue;
      if (!is(r.comm, c.comm![i]!) || !is(r.site, c.site![i]!) || !is(r.region, c.region![i]!) || !is(r.thread, c.thread![i]!)) continue;
      if (!is(r.peer, c.peer![i]!) || !is(r.tag, c.tag![i]!) || !is(r.host, ranks.host[rank]!)) continue;
      if (this.bytes(i) < (r.bytes_min ?? 0) || this.bytes(i) > (r.bytes_max ?? Infinity)) continue;
      const duration = c.duration_ns![i]!;
      if (duration < (r.duration_min ?? 0) || duration > (r.duration_max ?? Infinity)) continue;
      found.push(i);
    }
    return found;
  }

  at(rank: number, row: number): number | null {
    return this.#byRank.get(rank)?.find((i) => this.calls.row![i] === row) ?? null;
  }

  span(at: number): CallSpan {
    return { rank: this.calls.rank![at]!, row: this.calls.row![at]!, start_ns: this.calls.start_ns![at]!, end_ns: this.end(at) };
  }

  #side(at: number, direction: 1 | -1): CallSpan | null {
    const of = this.#byRank.get(this.calls.rank![at]!)!;
    const next = of[of.indexOf(at) + direction];
    return next === undefined ? null : this.span(next);
  }

  #messages(): ReturnType<typeof tableOf> | null {
    const buffer = this.#pack.buffer("messages");
    return buffer && tableOf(buffer);
  }

  #operations(): ReturnType<typeof tableOf> | null {
    const buffer = this.#pack.buffer("collectives");
    return buffer && tableOf(buffer);
  }

  /** The operation that a call is part of, and the places of its members. */
  #operationOf(rank: number, row: number): { operation: number; from: number; until: number; table: Table } | null {
    const found = this.#operations();
    if (!found) return null;
    const { table } = found;
    const offset = table.member_offset!;
    for (let operation = 0; operation + 1 < offset.length; operation++)
      for (let i = offset[operation]!; i < offset[operation + 1]!; i++)
        if (table.rank![i] === rank && table.row![i] === row) return { operation, from: offset[operation]!, until: offset[operation + 1]!, table };
    return null;
  }

  /** The answer to `call`, as far as the page has the data. */
  detail(at: number): CallDetail {
    const { run, calls: c } = this;
    const span = this.span(at);
    const { rank, row } = span;
    const name = (id: number, list: readonly { id: number }[]): { id: number } | undefined => (isNone(id) ? undefined : list.find((item) => item.id === id));
    const info = run.functions.find((f) => f.id === c.function![at]);
    const comm = name(c.comm![at]!, run.communicators) as Run["communicators"][number] | undefined;
    const region = name(c.region![at]!, run.regions) as Run["regions"][number] | undefined;
    const site = (name(c.site![at]!, run.sites) as Run["sites"][number] | undefined)?.text ?? "";
    const messages: CallDetail["messages"] = [];
    const m = this.#messages();
    for (let i = 0; m && i < m.length; i++) {
      const t = m.table;
      const common = { bytes: t.bytes![i]!, tag: t.tag![i]!, sent_ns: t.sent_ns![i]!, received_ns: t.received_ns![i]! };
      if (t.sender![i] === rank && t.send_row![i] === row) messages.push({ direction: "sent", rank: t.receiver![i]!, row: t.receive_row![i]!, ...common });
      if (t.receiver![i] === rank && t.receive_row![i] === row) messages.push({ direction: "received", rank: t.sender![i]!, row: t.send_row![i]!, ...common });
    }
    const operation = this.#operationOf(rank, row);
    let collective: CallDetail["collective"] = null;
    if (operation) {
      const starts = Array.from(operation.table.start_ns!.subarray(operation.from, operation.until));
      const last = starts.indexOf(Math.max(...starts));
      const of = run.communicators.find((k) => k.id === operation.table.comm![operation.operation]);
      const members = operation.until - operation.from;
      collective = {
        operation: operation.table.operation![operation.operation]!,
        number: operation.table.operation![operation.operation]!,
        comm: of?.name ?? "",
        members,
        missing: Math.max(0, (of?.size ?? members) - members),
        first_start_ns: Math.min(...starts),
        last_start_ns: Math.max(...starts),
        last_rank: operation.table.rank![operation.from + last]!,
      };
    }
    const waits: CallDetail["waits"] = [];
    const w = this.#pack.buffer("waits");
    if (w) {
      const { head, table, length } = tableOf(w);
      const kinds = head.kinds as string[];
      for (let i = 0; i < length; i++)
        if (table.rank![i] === rank && table.row![i] === row)
          waits.push({
            kind: kinds[table.kind![i]!] ?? "",
            start_ns: table.start_ns![i]!,
            end_ns: table.end_ns![i]!,
            cause: table.cause_rank![i]! < 0 || table.cause_row![i]! < 0 ? null : { rank: table.cause_rank![i]!, row: table.cause_row![i]! },
          });
    }
    const flags = c.flags![at]!;
    return {
      ...span,
      world_rank: run.ranks.world_rank[rank] ?? rank,
      host: run.hosts[run.ranks.host[rank] ?? -1] ?? "",
      thread: c.thread![at]!,
      function: info?.name ?? "",
      function_id: c.function![at]!,
      class: info?.class ?? "local",
      duration_ns: c.duration_ns![at]!,
      count: c.count![at]!,
      comm: comm?.name ?? null,
      peer: isNone(c.peer![at]!) ? null : c.peer![at]!,
      tag: tagOf(c.tag![at]!),
      root: isNone(this.#details?.table.root![at] ?? -1) ? null : this.#details!.table.root![at]!,
      bytes_sent: c.bytes_sent![at]!,
      bytes_received: c.bytes_received![at]!,
      elements: this.#details?.table.elements![at] ?? 0,
      datatype: (this.#details?.head.datatypes as string[] | undefined)?.[this.#details!.table.datatype![at]!] || null,
      site: { text: site, frames: (this.#details?.head.sites as Record<string, string[]> | undefined)?.[String(c.site![at])] ?? (site ? [site] : []) },
      region: region?.name ?? null,
      iteration: this.iteration(span.start_ns),
      is_poll: (flags & FLAG_POLL) !== 0,
      is_failed: (flags & FLAG_FAILED) !== 0,
      is_nested: (flags & FLAG_INSIDE) !== 0,
      messages,
      collective,
      waits,
      near: { previous: this.#side(at, -1), next: this.#side(at, 1) },
    };
  }

  /** The next call by a criterion; null if the page has none. */
  step(at: number, by: StepBy, direction: "next" | "previous", more: { than_ns?: number; functions?: readonly number[] }): CallSpan | null {
    const { calls: c } = this;
    const sign = direction === "next" ? 1 : -1;
    const { rank, row } = this.span(at);
    if (by === "rank") return this.#side(at, sign);
    if (by === "message") {
      const message = this.detail(at).messages[0];
      const other = message && this.at(message.rank, message.row);
      return other === null || other === undefined ? null : this.span(other);
    }
    if (by === "collective") {
      const found = this.#operationOf(rank, row);
      if (!found) return null;
      const members = Array.from({ length: found.until - found.from }, (_, i) => found.from + i).sort((a, b) => found.table.rank![a]! - found.table.rank![b]!);
      const now = members.findIndex((i) => found.table.rank![i] === rank && found.table.row![i] === row);
      const next = members[(now + sign + members.length) % members.length]!;
      return { rank: found.table.rank![next]!, row: found.table.row![next]!, start_ns: found.table.start_ns![next]!, end_ns: found.table.end_ns![next]! };
    }
    const functions = new Set(more.functions ?? []);
    const is: Record<string, (i: number) => boolean> = {
      function: (i) => c.function![i] === c.function![at],
      functions: (i) => functions.has(c.function![i]!),
      comm: (i) => c.comm![i] === c.comm![at],
      site: (i) => c.site![i] === c.site![at],
      longer: (i) => c.duration_ns![i]! > (more.than_ns ?? 0),
    };
    const of = this.#byRank.get(rank)!;
    for (let i = of.indexOf(at) + sign; i >= 0 && i < of.length; i += sign) if (is[by]?.(of[i]!)) return this.span(of[i]!);
    return null;
  }
}
