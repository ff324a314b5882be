/** Going to a time, to ranks or to an iteration of a run. */

import type { App } from "../app";
import { count, moment, rankList } from "../format";
import { withPart } from "../state/order";
import { type Window, stateOf, within } from "../state/window";
import type { Area } from "../state/view";
import { type Place, EXAMPLES, isBegun, parsePlaces } from "./place";

/** A destination, and what it shows. */
export interface Destination {
  title: string;
  detail: string;
  run: () => void;
}

/** A moment is shown in at most this share of the run, a rank with this many rows around it. */
const SHARE = 1 / 20;
const ROWS_AROUND = 16;

/** The reason why a place does not exist, as a sentence. */
class NoPlace extends Error {}

/** The destinations of a text; `problem` is a sentence where it has none. */
export function destinationsOf(app: App, text: string): { destinations: Destination[]; problem: string | null } {
  const places = parsePlaces(text);
  const destinations: Destination[] = [];
  const problems: string[] = [];
  for (const place of places) {
    try {
      destinations.push(destination(app, place));
    } catch (why) {
      if (!(why instanceof NoPlace)) throw why;
      problems.push(why.message);
    }
  }
  if (destinations.length) return { destinations, problem: null };
  return { destinations, problem: problems.join(" ") || (isBegun(text) ? `Enter ${EXAMPLES}.` : null) };
}

function destination(app: App, place: Place): Destination {
  if (!app.run) throw new NoPlace("The run is still loading.");
  if (place.kind === "time") return atTime(app, place.from, place.until);
  if (place.kind === "iterations") return atIterations(app, place.first, place.last);
  return place.isOne ? atRank(app, place.ranks[0]!) : atRanks(app, place.ranks);
}

function show(app: App, window: Window, more: { area?: Area } = {}): void {
  app.store.set({ page: "views", ...stateOf(within(window, app.whole), app.whole, app.main), ...more });
}

const span = ({ from, until }: Pick<Window, "from" | "until">): string => {
  const step = (until - from) / 100;
  return `${moment(from, step)} to ${moment(until, step)}`;
};

function atTime(app: App, from: number, until: number | null): Destination {
  const { whole, window } = app;
  const outside = [from, until ?? from].find((ns) => ns < whole.from || ns > whole.until);
  if (outside !== undefined) throw new NoPlace(`${moment(outside, 1e6)} is outside the run, which lasts from ${span(whole)}.`);
  const width = until === null ? Math.min(window.until - window.from, (whole.until - whole.from) * SHARE) : until - from;
  const middle = until === null ? from : (from + until) / 2;
  const wanted = within({ ...window, from: middle - width / 2, until: middle + width / 2 }, whole);
  return {
    title: until === null ? `Go to ${moment(from, width / 100)}` : `Go to ${span({ from, until })}`,
    detail: `shows ${span(wanted)}`,
    run: () => show(app, wanted),
  };
}

/** Indices of the ranks with these numbers in MPI_COMM_WORLD. */
function indices(app: App, ranks: readonly number[]): number[] {
  const { world_rank: numbers } = app.run!.ranks;
  const last = numbers.reduce((a, b) => Math.max(a, b), 0);
  const known = new Map(numbers.map((number, index) => [number, index]));
  const missing = ranks.filter((rank) => !known.has(rank));
  if (missing.length)
    throw new NoPlace(
      `There ${missing.length === 1 ? "is no rank" : "are no ranks"} ${rankList(missing)}: the run has ${last ? `ranks 0 to ${last}` : "only rank 0"}.`,
    );
  return ranks.map((rank) => known.get(rank)!);
}

function rowsOf(app: App, ranks: readonly number[]): number[] {
  const rows = indices(app, ranks).map((rank) => app.positions[rank] ?? -1);
  const left = ranks.filter((_, i) => rows[i]! < 0);
  if (left.length) throw new NoPlace(`${left.length === 1 ? `Rank ${left[0]} is` : `Ranks ${rankList(left)} are`} not shown. Use “Show all ranks” first.`);
  // Ranks of a folded group share a row.
  return [...new Set(rows)].sort((a, b) => a - b);
}

function atRank(app: App, rank: number): Destination {
  const [row] = rowsOf(app, [rank]) as [number];
  const { window } = app;
  const isInSight = row >= window.row_from && row + 1 <= window.row_until && window.row_until - window.row_from <= 2 * ROWS_AROUND;
  const height = Math.min(window.row_until - window.row_from, ROWS_AROUND);
  const wanted = isInSight ? window : { ...window, row_from: row + 0.5 - height / 2, row_until: row + 0.5 + height / 2 };
  return {
    title: `Go to rank ${rank}`,
    detail: `shows ${app.folded.has(row) ? `the row of ${app.nameAt(row)}` : "its row"} and selects it over the visible time`,
    run: () => show(app, wanted, { area: { from: Math.round(window.from), until: Math.round(window.until), row_from: row, row_until: row + 1 } }),
  };
}

function atRanks(app: App, ranks: readonly number[]): Destination {
  const rows = rowsOf(app, ranks);
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const title = `Go to ranks ${rankList(ranks)}`;
  if (last - first + 1 === rows.length)
    return { title, detail: `shows their ${count(rows.length)} rows`, run: () => show(app, { ...app.window, row_from: first, row_until: last + 1 }) };
  // There are other ranks between them.
  const order = withPart(app.store.state.order, "ranks", rankList(indices(app, ranks)));
  return {
    title,
    detail: `shows only these ${count(rows.length)} rows; “Show all ranks” shows the others again`,
    run: () => app.store.set({ page: "views", order, row_from: null, row_until: null, area: null }),
  };
}

function atIterations(app: App, first: number, last: number): Destination {
  const { iterations } = app.run!;
  if (!iterations) throw new NoPlace("mpiscope found no iterations in this run.");
  const known = Math.min(iterations.count, iterations.from_ns.length);
  const missing = [first, last].find((number) => number >= known);
  if (missing !== undefined) throw new NoPlace(`There is no iteration ${missing}: the run has ${known === 1 ? "only iteration 0" : `iterations 0 to ${known - 1}`}.`);
  const window = { ...app.window, from: iterations.from_ns[first]!, until: iterations.until_ns[last]! };
  return {
    title: first === last ? `Go to iteration ${first}` : `Go to iterations ${first} to ${last}`,
    detail: `shows ${span(window)}`,
    run: () => show(app, window),
  };
}

/** Shows complete iterations, as a click on the ruler does. */
export function goToIterations(app: App, first: number, last: number): void {
  atIterations(app, first, last).run();
}
