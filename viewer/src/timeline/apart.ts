/**
 * Ranks that differ from all others, where a row stands for so many ranks that a single one is not visible: each gets a
 * strip across its place, high enough to read, with its number beside it.
 */

import type { App } from "../app";
import { cellsIn } from "../protocol/client";
import { isAbort } from "../protocol/error";
import type { ApartRank, Cells } from "../protocol/types";
import { rankList } from "../format";
import { isFiltered } from "../state/view";
import type { Window } from "../state/window";
import { type Layout, rowPx, xOf, yOf } from "./geometry";
import { type CellAt, cellAt } from "./hit";
import type { Picture } from "./layer";
import type { Rasterizer } from "./rasterizer";
import type { Canvas, Scene } from "./scene";
import type { RasterStyle } from "./style";
import { FONT } from "./theme";

/** Rows of this height show a single rank well enough. */
const READABLE_PX = 4;
/** A strip: a stack of functions is readable in it. */
const STRIP_PX = 9;
/** Least distance of strips and of their numbers. */
const DISTANCE_PX = 14;
const MOST = 24;

/** A strip on the screen. */
export interface Strip {
  apart: ApartRank;
  /** Row in the cells and in the picture. */
  index: number;
  y: number;
}

export class ApartRanks {
  /** The largest difference first. */
  ranks: ApartRank[] = [];
  cells: Cells | null = null;
  picture: Picture | null = null;
  #buffer: ArrayBuffer | null = null;

  /** Whether rows of a window are too low to show a single rank. */
  static isNeeded(app: App, window: Window, layout: Layout): boolean {
    const { filter } = app.store.state;
    return app.run?.state === "ready" && !app.client.isExported && !isFiltered(filter) && rowPx(layout, window) < READABLE_PX;
  }

  clear(): void {
    this.ranks = [];
    this.cells = null;
    this.picture = null;
    this.#buffer = null;
  }

  /** Searches the visible ranks, in a slightly wider window of time. */
  async ask(app: App, wide: Window, columns: number, raster: Rasterizer, style: RasterStyle, signal: AbortSignal): Promise<void> {
    const { order } = app.store.state;
    const times = { from: Math.floor(wide.from), until: Math.ceil(wide.until) };
    try {
      const ranks = await app.client.apart({ ...times, row_from: wide.row_from, row_until: wide.row_until, order, limit: MOST }, signal);
      if (signal.aborted) return;
      if (!ranks.length) {
        this.clear();
        return;
      }
      const cells = await app.client.cells({ ...times, columns, row_from: 0, row_until: ranks.length, rows: ranks.length, order: `ranks:${rankList(ranks.map((r) => r.rank))}` }, signal);
      if (signal.aborted) return;
      this.#buffer = cells.buffer.slice(0);
      this.ranks = ranks;
      this.cells = cells;
      await this.draw(raster, style);
    } catch (error) {
      if (isAbort(error)) throw error;
      // The picture works without it.
      this.clear();
    }
  }

  async draw(raster: Rasterizer, style: RasterStyle): Promise<void> {
    const { cells } = this;
    if (!cells || !this.#buffer) return;
    const lent = this.#buffer.slice(0);
    const { head } = cells;
    const answer = await raster.draw({ kind: "cells", buffer: lent, rowPx: STRIP_PX, style }, [lent]);
    if (!answer.bitmap || this.cells !== cells) return;
    this.cells = cellsIn(this.#buffer);
    this.picture = {
      bitmap: answer.bitmap,
      from: head.from_ns,
      until: head.from_ns + head.columns_count * head.bin_ns,
      row_from: 0,
      row_until: head.rows,
      nsPerPx: head.bin_ns,
      rowsPerPx: 1 / STRIP_PX,
    };
  }
}

/** Strips for which there is room: of two that overlap, the one of the rank that differs more. */
export function strips(ranks: readonly ApartRank[], positions: Int32Array, l: Layout, w: Window): Strip[] {
  const ascending = ranks.map(({ rank }) => rank).sort((a, b) => a - b);
  const found: Strip[] = [];
  for (const apart of ranks) {
    const row = positions[apart.rank] ?? -1;
    const y = yOf(l, w, row + 0.5) - STRIP_PX / 2;
    if (row < 0 || y + STRIP_PX < l.top || y > l.top + l.plotHeight || found.some((strip) => Math.abs(strip.y - y) < DISTANCE_PX)) continue;
    // Kept completely inside the picture.
    const inside = Math.max(l.top + 1, Math.min(l.top + l.plotHeight - STRIP_PX - 1, y));
    found.push({ apart, index: ascending.indexOf(apart.rank), y: Math.round(inside) });
  }
  return found;
}

export const middleOf = (strip: Strip): number => strip.y + STRIP_PX / 2;

/** The strips of a frame. */
export const stripsOf = ({ app, pictures, layout, window }: Scene): Strip[] =>
  pictures.apart.picture && rowPx(layout, window) < READABLE_PX ? strips(pictures.apart.ranks, app.positions, layout, window) : [];

export function paintApart(c: Canvas, scene: Scene): void {
  const { layout: l, window: w, ink, pictures } = scene;
  const { picture } = pictures.apart;
  if (!picture) return;
  const rows = picture.row_until - picture.row_from;
  const h = picture.bitmap.height / rows;
  for (const { index, y } of stripsOf(scene)) {
    const [x0, x1] = [xOf(l, w, picture.from), xOf(l, w, picture.until)];
    c.fillStyle = ink.panel;
    c.fillRect(l.left, y - 2, l.plotWidth, STRIP_PX + 4);
    c.imageSmoothingEnabled = false;
    c.drawImage(picture.bitmap, 0, index * h, picture.bitmap.width, h, x0, y, x1 - x0, STRIP_PX);
    c.strokeStyle = ink.path;
    c.lineWidth = 1;
    c.strokeRect(l.left - 1, y - 1.5, l.plotWidth + 2, STRIP_PX + 3);
  }
}

/** The numbers of the strips. */
export function paintApartGutter(c: Canvas, scene: Scene): void {
  const { app, layout: l, ink } = scene;
  for (const strip of stripsOf(scene)) {
    const { apart } = strip;
    c.font = `bold ${FONT}`;
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillStyle = ink.path;
    c.fillText(`${app.worldRank(apart.rank)} ▸`, l.left - 4, middleOf(strip) + 0.5);
  }
}

/** The strip under the pointer. */
export function stripAt(scene: Scene, y: number): Strip | null {
  return stripsOf(scene).find((strip) => y >= strip.y - 2 && y <= strip.y + STRIP_PX + 2) ?? null;
}

/** The activity of its rank at a moment. */
export function cellOfStrip(scene: Scene, strip: Strip, ns: number): CellAt | null {
  const { cells } = scene.pictures.apart;
  return cells ? cellAt(cells, strip.index, ns) : null;
}
