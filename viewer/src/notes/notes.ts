/** Bookmarks of a run: views with a title and a note, stored by the server with the run, or only in this page. */

import type { ViewError } from "../protocol/error";
import { asViewError } from "../protocol/error";
import { Turns } from "../protocol/turns";
import type { Note, Notes } from "../protocol/types";

/** The limits of the server (crates/server/src/notes). */
export const MOST = { notes: 500, title: 200, text: 4000, view: 4000 } as const;

/** The storage of bookmarks. */
export interface Keeper {
  readonly isExported: boolean;
  notes(): Promise<Notes>;
  keepNotes(notes: Notes): Promise<Notes>;
}

type Change = (notes: readonly Note[]) => readonly Note[];

/** How many conflicting changes of other pages are retried. */
const MOST_TRIES = 5;
const CHANGED = 409;

export class NoteBook {
  notes: readonly Note[] = [];
  /** Why the bookmarks are not stored with the run; null while they are. */
  problem: ViewError | null = null;
  readonly #keeper: Keeper;
  readonly #notify: () => void;
  readonly #turns = new Turns();
  #revision: string | null = null;

  constructor(keeper: Keeper, notify: () => void) {
    this.#keeper = keeper;
    this.#notify = notify;
  }

  /** Whether changes are lost with this page. */
  get isLocal(): boolean {
    return this.#keeper.isExported || this.problem !== null;
  }

  load(): Promise<void> {
    return this.#turns.add(async () => {
      try {
        this.#take(await this.#keeper.notes());
      } catch (error) {
        this.problem = asViewError(error);
      }
      this.#notify();
    });
  }

  put(note: Note): Promise<void> {
    return this.#change((notes) => (notes.some((n) => n.id === note.id) ? notes.map((n) => (n.id === note.id ? note : n)) : [...notes, note].slice(0, MOST.notes)));
  }

  remove(id: string): Promise<void> {
    return this.#change((notes) => notes.filter((note) => note.id !== id));
  }

  /** The change is visible at once and stored afterwards. Changes that another page has made meanwhile stay. */
  #change(by: Change): Promise<void> {
    this.notes = by(this.notes);
    this.#notify();
    if (this.#keeper.isExported) return Promise.resolve();
    return this.#turns.add(async () => {
      try {
        await this.#keep(by);
        this.problem = null;
      } catch (error) {
        this.problem = asViewError(error);
      }
      this.#notify();
    });
  }

  async #keep(by: Change): Promise<void> {
    for (let left = MOST_TRIES; ; left--) {
      try {
        // After a failure, all bookmarks of this page are stored as soon as possible.
        const wanted = this.problem ? this.notes : by(this.#kept);
        this.#take(await this.#keeper.keepNotes({ revision: this.#revision ?? "", notes: wanted }));
        return;
      } catch (error) {
        if (asViewError(error).status !== CHANGED || left === 0) throw error;
        const newer = await this.#keeper.notes();
        this.#revision = newer.revision;
        this.#kept = newer.notes;
        this.problem = null;
      }
    }
  }

  #kept: readonly Note[] = [];

  #take({ revision, notes }: Notes): void {
    this.#revision = revision;
    this.#kept = notes;
    // Changes in the queue are already visible.
    if (this.#turns.waiting <= 1) this.notes = notes;
  }
}
