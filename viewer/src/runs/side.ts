/**
 * The state as seen by one of two runs. The state itself has times of the first run, and ids of the run that the panes
 * show; a side has its own times, ids and selected call.
 */

import { partOf, withPart } from "../state/order";
import type { Store, ViewStore } from "../state/store";
import type { Filter, ViewState } from "../state/view";

export type SideNumber = 0 | 1;

/** Ids of one run to those of another by name. */
export interface Ids {
  comm(id: number): number;
  site(id: number): number;
  region(id: number): number;
  host(id: number): number;
  /** An axis of the process grid. */
  axis(axis: number): number;
}

export interface Sides {
  /** 2 where two runs are compared. */
  readonly count: number;
  /** Changes when other data of this side change. */
  readonly version: number;
  /** Offset to times of the first run. */
  shift(side: SideNumber): number;
  /** Number of positions; null while it is unknown. */
  rows(side: SideNumber): number | null;
  ids(from: SideNumber, to: SideNumber): Ids;
}

/** Stands for an item that a run does not have: it matches nothing. */
export const NOT_THERE = 0xffffffe;

const MOMENTS = ["start", "end"];

export function aboutOf(state: ViewState, count: number): SideNumber {
  return count > 1 ? state.about : 0;
}

function shifted(state: Partial<ViewState>, by: number): Partial<ViewState> {
  const change: Partial<ViewState> = {};
  const move = (ns: number | null): number | null => (ns === null ? null : ns + by);
  if (state.from !== undefined) change.from = move(state.from);
  if (state.until !== undefined) change.until = move(state.until);
  if (state.moment !== undefined) change.moment = move(state.moment);
  if (state.area) change.area = { ...state.area, from: state.area.from + by, until: state.area.until + by };
  if (state.scatter) {
    const { x, y, x_min, x_max, y_min, y_max } = state.scatter;
    change.scatter = { ...state.scatter };
    if (MOMENTS.includes(x)) Object.assign(change.scatter, { x_min: move(x_min), x_max: move(x_max) });
    if (MOMENTS.includes(y)) Object.assign(change.scatter, { y_min: move(y_min), y_max: move(y_max) });
  }
  return change;
}

/** Filter, order and matrix with the ids of another run. */
export function translated(state: Pick<ViewState, "filter" | "order" | "matrix">, ids: Ids): Pick<ViewState, "filter" | "order" | "matrix"> {
  const id = (value: number | null, by: (id: number) => number): number | null => (value === null ? null : by(value));
  const filter: Filter = {
    ...state.filter,
    comm: id(state.filter.comm, ids.comm),
    site: id(state.filter.site, ids.site),
    region: id(state.filter.region, ids.region),
    host: id(state.filter.host, ids.host),
  };
  const order = translatedOrder(state.order, ids);
  return { filter, order, matrix: { ...state.matrix, comm: id(state.matrix.comm, ids.comm) } };
}

/** A group that the other run does not have is left out there. */
function translatedOrder(order: string, ids: Ids): string {
  const group = /^(comm|grid):(\d+)$/.exec(partOf(order, "group") ?? "");
  if (!group) return order;
  const [, by, number] = group;
  const other = by === "comm" ? ids.comm(Number(number)) : ids.axis(Number(number));
  // The groups are the same, so folded ones stay folded.
  const grouped = withPart(order, "group", other === NOT_THERE ? null : `${by}:${other}`);
  return other === NOT_THERE ? grouped : withPart(grouped, "fold", partOf(order, "fold"));
}

/** Visible rows of the longer run that this one does not have: its last rows instead. */
function clampedRows(state: ViewState, rows: number): Partial<ViewState> {
  const { row_from: from, row_until: until } = state;
  if (from === null || until === null || until <= rows) return {};
  const height = Math.min(until - from, rows);
  return { row_from: rows - height, row_until: rows };
}

export class SideStore implements ViewStore {
  readonly #base: Store;
  readonly #sides: Sides;
  readonly #side: SideNumber;
  readonly #listeners = new Set<(state: ViewState, before: ViewState) => void>();
  #known: { base: ViewState; version: number; state: ViewState } | null = null;
  #last: ViewState;

  constructor(base: Store, sides: Sides, side: SideNumber) {
    this.#base = base;
    this.#sides = sides;
    this.#side = side;
    this.#last = this.state;
    base.listen(() => this.refresh());
  }

  get state(): ViewState {
    const base = this.#base.state;
    const { version } = this.#sides;
    if (this.#known?.base !== base || this.#known.version !== version) this.#known = { base, version, state: this.#seen(base) };
    return this.#known.state;
  }

  /** An input of the state has changed. */
  refresh(): void {
    const before = this.#last;
    this.#last = this.state;
    for (const listener of [...this.#listeners]) listener(this.#last, before);
  }

  listen(listener: (state: ViewState, before: ViewState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  set(change: Partial<ViewState>): void {
    this.#base.set(this.#inBase(change));
  }

  move(change: Partial<ViewState>): void {
    this.#base.move(this.#inBase(change));
  }

  correct(change: Partial<ViewState>): void {
    this.#base.correct(this.#inBase(change));
  }

  hold(): void {
    this.#base.hold();
  }

  flush(): void {
    this.#base.flush();
  }

  undo(by: -1 | 1): boolean {
    return this.#base.undo(by);
  }

  #seen(base: ViewState): ViewState {
    const sides = this.#sides;
    if (sides.count < 2) return base;
    const side = this.#side;
    const about = aboutOf(base, sides.count);
    let state: ViewState = { ...base, ...shifted(base, sides.shift(side)) };
    if (side === 1) state = { ...state, selection: base.other, other: base.selection };
    if (about !== side) state = { ...state, ...translated(base, sides.ids(about, side)), finding: null };
    const rows = sides.rows(side);
    return rows === null ? state : { ...state, ...clampedRows(state, rows) };
  }

  /** A change on this side as a change of the state of both. */
  #inBase(change: Partial<ViewState>): Partial<ViewState> {
    const sides = this.#sides;
    if (sides.count < 2) return change;
    const side = this.#side;
    const out: Partial<ViewState> = { ...change, ...shifted(change, -sides.shift(side)) };
    if (side === 1) {
      delete out.selection;
      delete out.other;
      if ("selection" in change) out.other = change.selection ?? null;
      if ("other" in change) out.selection = change.other ?? null;
    }
    const about = aboutOf(this.#base.state, sides.count);
    const isOwn = !!change.selection || change.filter !== undefined || change.order !== undefined || change.matrix !== undefined || (change.finding ?? null) !== null;
    if (!isOwn || about === side || "about" in change) return out;
    return { ...switched(this.#base.state, sides, side), ...out, about: side };
  }
}

/** The change that shows another run in the panes. */
export function switched(state: ViewState, sides: Sides, side: SideNumber): Partial<ViewState> {
  const about = aboutOf(state, sides.count);
  if (about === side) return { about: side };
  const { filter, order, matrix } = translated(state, sides.ids(about, side));
  // A filter by an item that this run does not have would leave nothing.
  for (const name of ["comm", "site", "region", "host"] as const) if (filter[name] === NOT_THERE) filter[name] = null;
  return { about: side, filter, order, matrix: matrix.comm === NOT_THERE ? { ...matrix, comm: null } : matrix, finding: null };
}
