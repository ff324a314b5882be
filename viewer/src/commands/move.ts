/** Moving and zooming. */

import type { App } from "../app";
import { type Window, centre, fit, pan, within, zoomRows, zoomTime } from "../state/window";
import type { Command } from "./command";

const ZOOM = 0.75;
const STEP = 0.15;

const isViews = (app: App): boolean => app.store.state.page === "views" && app.run !== null;

function stretch(app: App): { start: number; end: number; row: number | null } | null {
  const { area } = app.store.state;
  const detail = app.detail;
  if (detail && app.store.state.selection)
    return { start: detail.start_ns, end: detail.start_ns + detail.duration_ns, row: app.positions[detail.rank] ?? null };
  return area ? { start: area.from, end: area.until, row: null } : null;
}

/** Centres the selection; if it is already centred, makes it as wide as a third of the window. */
function centreOrFit(app: App): void {
  const found = stretch(app);
  if (!found) return;
  const at = app.window;
  const middle = centre(at, app.whole, found.start, found.end, found.row);
  const isThere = Math.abs(middle.from - at.from) < (at.until - at.from) / 100 && Math.abs(middle.row_from - at.row_from) < 0.5;
  app.setWindow(isThere ? fit(at, app.whole, found.start, found.end, found.row) : middle, false);
}

/** Whether the main part is less than the whole run. */
export function hasMain(app: App): boolean {
  const { main, whole } = app;
  return main.from > whole.from || main.until < whole.until;
}

/** The time of the main part or of the whole run, for the visible ranks. */
function timesOf(app: App, { from, until }: Window): Window {
  return { ...app.window, from, until };
}

function zoomToArea(app: App): void {
  const { area } = app.store.state;
  if (!area) return;
  const at = app.window;
  app.setWindow(
    within({ from: area.from, until: area.until, row_from: area.row_from ?? at.row_from, row_until: area.row_until ?? at.row_until }, app.whole),
    false,
  );
}

const move = (id: string, title: string, codes: Command["keys"], run: (app: App) => void): Command => ({
  id,
  title,
  group: "Move",
  keys: codes,
  when: isViews,
  run,
});

export const MOVE: readonly Command[] = [
  move("zoom-in", "Zoom in", [{ code: "KeyW" }, { code: "Equal" }], (a) => a.setWindow(zoomTime(a.window, a.whole, ZOOM, 0.5), true)),
  move("zoom-out", "Zoom out", [{ code: "KeyS" }, { code: "Minus" }], (a) => a.setWindow(zoomTime(a.window, a.whole, 1 / ZOOM, 0.5), true)),
  move("earlier", "Earlier", [{ code: "KeyA" }, { code: "ArrowLeft" }], (a) => a.setWindow(pan(a.window, a.whole, -STEP, 0), true)),
  move("later", "Later", [{ code: "KeyD" }, { code: "ArrowRight" }], (a) => a.setWindow(pan(a.window, a.whole, STEP, 0), true)),
  move("rows-up", "Ranks above", [{ code: "ArrowUp" }], (a) => a.setWindow(pan(a.window, a.whole, 0, -STEP), true)),
  move("rows-down", "Ranks below", [{ code: "ArrowDown" }], (a) => a.setWindow(pan(a.window, a.whole, 0, STEP), true)),
  move("rows-in", "Taller ranks", [{ code: "KeyW", shift: true }], (a) => a.setWindow(zoomRows(a.window, a.whole, ZOOM, 0.5), true)),
  move("rows-out", "Shorter ranks", [{ code: "KeyS", shift: true }], (a) => a.setWindow(zoomRows(a.window, a.whole, 1 / ZOOM, 0.5), true)),
  {
    ...move("focus", "Centre the selection; press again to fit it", [{ code: "KeyF" }], centreOrFit),
    when: (app) => isViews(app) && stretch(app) !== null,
  },
  {
    ...move("zoom-to-area", "Zoom to the selected area", [{ code: "KeyZ" }], zoomToArea),
    when: (app) => isViews(app) && app.store.state.area !== null,
  },
  {
    ...move("main", "Main part: from the end of MPI_Init to MPI_Finalize", [{ code: "Digit9" }], (a) => a.setWindow(timesOf(a, a.main), false)),
    when: (app) => isViews(app) && hasMain(app),
  },
  move("whole", "Whole run", [{ code: "Home" }, { code: "Digit0" }], (a) => a.setWindow(a.whole, false)),
];
