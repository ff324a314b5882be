/** Divides the row of a rank into lanes of its threads. */

/** Pixels between two rows of ranks. */
export const gapOf = (px: number): number => (px >= 12 ? 2 : px >= 5 ? 1 : 0);

/** Threads of a rank share its row where lanes would be lower than this. */
const LEAST_LANE_PX = 2;
/** A part of a row, in pixels from its upper edge. */
export interface Lane {
  top: number;
  height: number;
}

/** Whether threads have lanes of their own in `height` pixels. */
export const hasLanes = (threads: number, height: number): boolean => threads > 1 && height / threads >= LEAST_LANE_PX;

/** The part of a row for the calls of a thread. `free`: pixels at the top that are kept for regions. */
export function laneOf(px: number, free: number, threads: number, thread: number): Lane {
  const height = px - gapOf(px) - free;
  if (!hasLanes(threads, height)) return { top: free, height };
  return { top: free + (height / threads) * thread, height: height / threads };
}

/** The thread whose lane is `y` pixels below the upper edge of a row; null where threads share the row. */
export function threadAt(px: number, free: number, threads: number, y: number): number | null {
  const height = px - gapOf(px) - free;
  if (!hasLanes(threads, height)) return null;
  return Math.max(0, Math.min(threads - 1, Math.floor(((y - free) / height) * threads)));
}
