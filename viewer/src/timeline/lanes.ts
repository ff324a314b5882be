/** Lanes: where calls of one thread are drawn within the row of their rank. */

import type { Calls } from "../protocol/types";
import { rowPx, yOf } from "./geometry";
import { type Lane, laneOf, threadAt } from "./lane";
import { regionRoom } from "./pictures";
import type { Scene } from "./scene";

/** A lane of this height has room for its number. */
const NUMBERED_PX = 11;

/** The thread of each drawn call, for ranks with several. */
export class ThreadsOfCalls {
  readonly #ranks = new Map<number, Map<number, number>>();

  constructor(calls: Pick<Calls, "length" | "rank" | "row" | "thread">, threads: ArrayLike<number>) {
    for (let i = 0; i < calls.length; i++) {
      const rank = calls.rank[i]!;
      if ((threads[rank] ?? 1) <= 1) continue;
      let rows = this.#ranks.get(rank);
      if (!rows) this.#ranks.set(rank, (rows = new Map()));
      rows.set(calls.row[i]!, calls.thread[i]!);
    }
  }

  of(rank: number, row: number): number | null {
    return this.#ranks.get(rank)?.get(row) ?? null;
  }
}

/** Pixels that rows of this scene keep for regions. */
export function freeOf({ app, layout, window }: Pick<Scene, "app" | "layout" | "window">): number {
  return app.store.state.layers.includes("regions") && app.run?.regions.length ? regionRoom(rowPx(layout, window)) : 0;
}

export const threadsOf = ({ app }: Pick<Scene, "app">, rank: number): number => app.run?.ranks.threads[rank] ?? 1;

/** Whether calls are drawn individually, in their lanes. */
const isInLanes = ({ pictures }: Scene): boolean => pictures.isSingle && pictures.single !== null;

/** The lane of a thread; the whole row if there is none, as in a folded group. */
export function laneIn(scene: Scene, rank: number, thread: number | null): Lane {
  const px = rowPx(scene.layout, scene.window);
  const threads = threadsOf(scene, rank);
  const isFolded = scene.app.folded.has(scene.app.positions[rank] ?? -1);
  const isWhole = thread === null || threads <= 1 || isFolded || !isInLanes(scene);
  return isWhole ? { top: 0, height: px } : laneOf(px, freeOf(scene), threads, thread);
}

/** Where a line meets a call: the middle of the lane of its thread, or of the row if the rank has one thread or lanes are not drawn. */
export function callY(scene: Scene, position: number, rank: number, row: number): number {
  const lane = laneIn(scene, rank, scene.pictures.threads?.of(rank, row) ?? null);
  return yOf(scene.layout, scene.window, position) + lane.top + lane.height / 2;
}

/** The thread under the pointer; null where threads share the row. */
export function threadUnder(scene: Scene, rank: number, row: number, y: number): number | null {
  if (!isInLanes(scene)) return null;
  return threadAt(rowPx(scene.layout, scene.window), freeOf(scene), threadsOf(scene, rank), y - yOf(scene.layout, scene.window, row));
}

/** Lanes of a rank whose numbers have room beside them, by thread. */
export function numberedLanes(scene: Scene, rank: number): Lane[] {
  const threads = threadsOf(scene, rank);
  if (threads <= 1 || !isInLanes(scene)) return [];
  const lanes = Array.from({ length: threads }, (_, thread) => laneIn(scene, rank, thread));
  // Threads that share the row have all of it.
  const isDivided = lanes[1]!.top > lanes[0]!.top;
  return isDivided && lanes[0]!.height >= NUMBERED_PX ? lanes : [];
}
