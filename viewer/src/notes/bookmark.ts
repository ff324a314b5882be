/** From a view to its bookmark, and back. */

import type { App } from "../app";
import { moment, time } from "../format";
import type { Note } from "../protocol/types";
import { fromHash, toHash } from "../state/hash";
import { INITIAL, type ViewState } from "../state/view";
import { MOST } from "./notes";

/** The view of one run, in its own time and without marks of the other run. */
export function viewOf(app: App, change: Partial<ViewState> = {}): string {
  const page = app.store.state.page === "overview" ? "overview" : "views";
  return toHash({ ...app.store.state, page, about: 0, other: null, align: INITIAL.align, ...change });
}

/** The subject of the bookmark: the clicked moment, the selected call or area, or the middle of the zoomed window. */
function placeOf({ store, detail }: App): Pick<Note, "at_ns" | "rank"> {
  const { moment: clicked, selection, area, from, until } = store.state;
  const middle = from !== null && until !== null ? (from + until) / 2 : null;
  const at = clicked ?? (selection ? (detail?.start_ns ?? null) : null) ?? area?.from ?? middle;
  return { at_ns: at === null ? null : Math.max(0, Math.round(at)), rank: selection?.rank ?? null };
}

function titleOf(app: App): string {
  const { state } = app.store;
  if (state.selection && app.detail) return `${app.detail.function} of rank ${app.worldRank(state.selection.rank)}`;
  if (state.page === "overview") return "Overview";
  const { from, until } = app.window;
  return `${moment(from, (until - from) / 100)} + ${time(until - from)}`;
}

const newId = (): string => [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("");

/** A bookmark of the current view; null where a limit is exceeded. */
export function bookmark(app: App): Note | null {
  app.store.flush();
  const view = viewOf(app);
  if ([...view].length > MOST.view || app.notes.notes.length >= MOST.notes) return null;
  return { id: newId(), title: titleOf(app), text: "", view, ...placeOf(app) };
}

/** Opens the bookmark; this makes a history entry like any other step. */
export function openNote(app: App, note: Note): void {
  const { about: _about, other: _other, align: _align, differences: _differences, ...view } = fromHash(note.view);
  app.store.set(view);
  app.say(`Bookmark: ${note.title}`);
}

/** As typed, within the limits. */
export function edited(note: Note, title: string, text: string): Note {
  const cut = (value: string, most: number): string => [...value].slice(0, most).join("");
  const line = title.replace(/\p{Cc}+/gu, " ").trim();
  return { ...note, title: cut(line, MOST.title) || note.title, text: cut(text.replace(/\r\n?/g, "\n").replace(/(?![\n\t])\p{Cc}/gu, ""), MOST.text) };
}
