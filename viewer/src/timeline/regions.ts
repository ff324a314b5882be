/** Regions zoomed out: for each row and depth, the region that takes most of a bin, as intervals. */

import type { Cells, Regions, Run } from "../protocol/types";

/** Below this share of a bin a region is not drawn: most of the bin is outside it. */
const LEAST_SHARE = 65535 / 4;
const DEEPEST = 8;

/** Cells of single ranks as the intervals that they represent. `positions`: by rank, its position in the order. */
export function regionsOf(cells: Cells, positions: Int32Array, regions: Run["regions"]): Regions {
  const { head } = cells;
  const depths = regions.map((region) => {
    let depth = 0;
    for (let at = region.parent; at !== null && depth < DEEPEST; at = regions[at]?.parent ?? null) depth++;
    return depth;
  });
  const ranks = new Map<number, number>();
  positions.forEach((position, rank) => position >= 0 && ranks.set(position, rank));
  const rank: number[] = [];
  const region: number[] = [];
  const depth: number[] = [];
  const start: number[] = [];
  const end: number[] = [];
  const best = new Int32Array(DEEPEST);
  const shares = new Uint16Array(DEEPEST);
  const open = new Int32Array(DEEPEST);
  for (let row = 0; row < head.rows; row++) {
    const of = ranks.get(head.row_from + row);
    if (of === undefined) continue;
    open.fill(-1);
    for (let column = 0; column < head.columns_count; column++) {
      best.fill(-1);
      shares.fill(0);
      const cell = row * head.columns_count + column;
      for (let i = cells.offset[cell]!; i < cells.offset[cell + 1]!; i++) {
        const id = cells.function[i]!;
        const at = depths[id];
        if (at === undefined || at >= DEEPEST || cells.share[i]! < LEAST_SHARE || cells.share[i]! <= shares[at]!) continue;
        best[at] = id;
        shares[at] = cells.share[i]!;
      }
      const begin = head.from_ns + column * head.bin_ns;
      for (let at = 0; at < DEEPEST; at++) {
        const last = open[at]!;
        // Neighbouring bins of the same region are one interval.
        if (last >= 0 && region[last] === best[at]) end[last] = begin + head.bin_ns;
        else if (best[at]! >= 0) {
          open[at] = rank.length;
          rank.push(of);
          region.push(best[at]!);
          depth.push(at);
          start.push(begin);
          end.push(begin + head.bin_ns);
        } else open[at] = -1;
      }
    }
  }
  return {
    length: rank.length,
    rank: Uint32Array.from(rank),
    region: Uint32Array.from(region),
    depth: Uint8Array.from(depth),
    start_ns: Float64Array.from(start),
    end_ns: Float64Array.from(end),
  };
}
