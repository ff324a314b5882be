/** Bookmarks: what is kept, and what stays in the page. */

import { expect, test } from "vitest";
import type { App } from "../src/app";
import { bookmark, edited, openNote } from "../src/notes/bookmark";
import { noteAt } from "../src/notes/marks";
import { type Keeper, MOST, NoteBook } from "../src/notes/notes";
import { ViewError } from "../src/protocol/error";
import type { Note, Notes } from "../src/protocol/types";
import { layoutOf, xOf } from "../src/timeline/geometry";
import type { Scene } from "../src/timeline/scene";
import { fromHash } from "../src/state/hash";
import { INITIAL, type ViewState } from "../src/state/view";

const note = (id: string, more: Partial<Note> = {}): Note => ({ id, title: `title ${id}`, text: "", view: "page=views", at_ns: 5, rank: null, ...more });
const ids = (book: { notes: readonly Note[] }): string[] => book.notes.map((n) => n.id);

/** A server that takes a list only in place of the one it has. */
class Shelf implements Keeper {
  isExported = false;
  notes_: readonly Note[] = [];
  at = 0;
  broken: ViewError | null = null;
  asked = 0;

  get #now(): Notes {
    return { revision: String(this.at), notes: this.notes_ };
  }
  async notes(): Promise<Notes> {
    if (this.broken) throw this.broken;
    return this.#now;
  }
  async keepNotes({ revision, notes }: Notes): Promise<Notes> {
    this.asked++;
    if (this.broken) throw this.broken;
    if (revision !== String(this.at)) throw new ViewError(409, "changed", "");
    this.at++;
    this.notes_ = notes;
    return this.#now;
  }
}

test("what is changed is kept, in the order in which it was changed", async () => {
  const shelf = new Shelf();
  let notified = 0;
  const book = new NoteBook(shelf, () => notified++);
  await book.load();
  const all = [book.put(note("a")), book.put(note("b")), book.put(note("a", { title: "new" })), book.remove("b"), book.put(note("c"))];
  expect(ids(book), "it is seen at once").toEqual(["a", "c"]);
  await Promise.all(all);
  expect(shelf.notes_.map((n) => n.title)).toEqual(["new", "title c"]);
  expect([ids(book), book.isLocal, notified > 5]).toEqual([["a", "c"], false, true]);
});

test("what another page has written stays", async () => {
  const shelf = new Shelf();
  const book = new NoteBook(shelf, () => {});
  const other = new NoteBook(shelf, () => {});
  await Promise.all([book.load(), other.load()]);
  await other.put(note("theirs"));
  await book.put(note("ours"));
  expect(ids({ notes: shelf.notes_ })).toEqual(["theirs", "ours"]);
  expect(ids(book)).toEqual(["theirs", "ours"]);
});

test("where nothing can be written they stay in the page, with the reason, until it can", async () => {
  const shelf = new Shelf();
  const book = new NoteBook(shelf, () => {});
  await book.load();
  shelf.broken = new ViewError(500, "RUN/view.notes.json cannot be written", "Bookmarks stay in this page.");
  await book.put(note("a"));
  expect([ids(book), book.problem?.message, book.isLocal]).toEqual([["a"], "RUN/view.notes.json cannot be written", true]);
  shelf.broken = null;
  await book.put(note("b"));
  expect([ids({ notes: shelf.notes_ }), book.problem]).toEqual([["a", "b"], null]);
});

test("an exported page asks nobody to keep them", async () => {
  const shelf = new Shelf();
  shelf.isExported = true;
  shelf.notes_ = [note("a")];
  const book = new NoteBook(shelf, () => {});
  await book.load();
  await book.put(note("b"));
  expect([ids(book), shelf.asked, book.isLocal]).toEqual([["a", "b"], 0, true]);
});

function appAt(change: Partial<ViewState>): { app: App; state: () => ViewState } {
  let state: ViewState = { ...INITIAL, ...change };
  const app = {
    store: { get state() { return state; }, set: (more: Partial<ViewState>) => (state = { ...state, ...more }), flush: () => {} },
    detail: { function: "MPI_Send", start_ns: 777 },
    window: { from: 100, until: 300 },
    worldRank: (rank: number) => rank + 10,
    notes: { notes: [] },
    say: () => {},
  };
  return { app: app as unknown as App, state: () => state };
}

test("a bookmark has the view, what it is about and a title, and leads back to it", () => {
  const { app } = appAt({ page: "views", from: 100, until: 300, selection: { rank: 2, row: 9 }, about: 1, filter: { ...INITIAL.filter, tag: 3 } });
  const made = bookmark(app)!;
  expect(made).toMatchObject({ title: "MPI_Send of rank 12", at_ns: 777, rank: 2, text: "" });
  expect(fromHash(made.view)).toMatchObject({ from: 100, until: 300, selection: { rank: 2, row: 9 }, about: 0 });
  const there = appAt({ about: 1 });
  openNote(there.app, made);
  expect(there.state()).toMatchObject({ page: "views", from: 100, filter: { tag: 3 }, about: 1 });
  expect(bookmark(appAt({ page: "views", moment: 42, from: 0, until: 10 }).app)).toMatchObject({ at_ns: 42, rank: null });
  expect(bookmark(appAt({ page: "views", from: 0, until: 10 }).app)!.at_ns).toBe(5);
  expect(bookmark(appAt({}).app)).toMatchObject({ title: "Overview", at_ns: null });
});

test("what is typed is kept within bounds", () => {
  expect(edited(note("a"), " two\nlines ", "x\r\ny\u0007")).toMatchObject({ title: "two lines", text: "x\ny" });
  expect(edited(note("a"), " \n ", "").title).toBe("title a");
  const long = edited(note("a"), "\u{1f600}".repeat(300), "y".repeat(5000));
  expect([[...long.title].length, long.text.length]).toEqual([MOST.title, MOST.text]);
});

test("a ribbon on the ruler is found by the pointer, the upper one of two", () => {
  const layout = layoutOf(1000, 400, true, 0);
  const window = { from: 0, until: 1000, row_from: 0, row_until: 4 };
  const app = { notes: { notes: [note("a", { at_ns: 500 }), note("b", { at_ns: 501 }), note("c", { at_ns: 2000 }), note("d", { at_ns: null })] } };
  const scene = { app, layout, window } as unknown as Scene;
  const x = xOf(layout, window, 500);
  expect(noteAt(scene, x, layout.axisTop + 3)?.id).toBe("b");
  expect(noteAt(scene, x - 5, layout.axisTop + 3)?.id).toBe("a");
  expect([noteAt(scene, x + 40, layout.axisTop + 3), noteAt(scene, x, layout.top + 3), noteAt(scene, x, 1)]).toEqual([null, null, null]);
});
