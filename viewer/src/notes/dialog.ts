/** All bookmarks: open, edit, delete. */

import { type TemplateResult, css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { DialogElement } from "../chrome/dialog";
import { moment } from "../format";
import type { Note } from "../protocol/types";
import { Watch } from "../watch";
import { bookmark, edited, openNote } from "./bookmark";
import { MOST } from "./notes";

@customElement("mp-notes")
export class NotesDialog extends DialogElement {
  static override styles = [
    ...DialogElement.styles,
    css`
      ol {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        padding: 8px 14px;
        border-top: 1px solid var(--line);
      }
      .line1 {
        display: flex;
        gap: 8px;
        align-items: baseline;
      }
      .go {
        font-weight: 600;
        text-align: left;
        padding: 2px 0;
        overflow-wrap: anywhere;
        color: var(--accent);
      }
      .space {
        flex: 1;
      }
      p {
        margin: 2px 0 0;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      form {
        display: grid;
        gap: 6px;
      }
      label {
        display: grid;
        gap: 2px;
        color: var(--muted);
        font-size: 12px;
      }
      textarea {
        font: inherit;
        color: var(--text);
        background: var(--panel);
        border: 1px solid var(--line-strong);
        border-radius: 5px;
        padding: 4px 6px;
        resize: vertical;
      }
      .problem {
        padding: 8px 14px;
        border-top: 1px solid var(--line);
        margin: 0;
      }
      .gone {
        display: flex;
        gap: 8px;
        align-items: center;
        padding: 6px 14px;
        border-top: 1px solid var(--line);
      }
    `,
  ];
  @state() private editing: string | null = null;
  /** The bookmark that was deleted last. */
  @state() private gone: Note | null = null;

  constructor() {
    super();
    new Watch(this);
  }

  #add(): void {
    const { app } = this;
    const note = bookmark(app);
    if (!note) {
      app.say(app.notes.notes.length >= MOST.notes ? `There are already ${MOST.notes} bookmarks, the maximum: delete some first.` : "The address of this view is too long for a bookmark.");
      return;
    }
    void app.notes.put(note);
    this.#edit(note.id);
  }

  #edit(id: string | null): void {
    const before = this.editing;
    this.editing = id;
    void this.updateComplete.then(() => {
      if (id !== null) this.renderRoot.querySelector("input")?.select();
      else this.renderRoot.querySelector<HTMLElement>(`li[data-id="${before}"] .go`)?.focus();
    });
  }

  #save(event: Event, note: Note): void {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    void this.app.notes.put(edited(note, String(form.get("title")), String(form.get("text"))));
    this.#edit(null);
  }

  #remove(note: Note): void {
    void this.app.notes.remove(note.id);
    this.gone = note;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(".gone button")?.focus());
  }

  override render(): TemplateResult {
    const { app, gone } = this;
    const { notes, problem } = app.notes;
    return html`<dialog aria-label="Bookmarks">
      <div class="head">
        <h2>Bookmarks</h2>
        <button class="line add" autofocus @click=${() => this.#add()}>Bookmark this view</button>
        <button class="line" @click=${() => this.close()}>Close</button>
      </div>
      ${app.client.isExported
        ? html`<p class="problem muted">This is an exported page: changes are lost when it is closed.</p>`
        : problem
          ? html`<p class="problem" role="alert"><b>Not saved with the run:</b> ${problem.message}. ${problem.next}</p>`
          : nothing}
      ${gone
        ? html`<div class="gone" role="status">
            <span>Deleted: ${gone.title}</span>
            <button
              class="line"
              @click=${() => {
                void app.notes.put(gone);
                this.gone = null;
              }}
            >
              Restore
            </button>
          </div>`
        : nothing}
      <div class="scroll" tabindex="-1">
        ${notes.length ? html`<ol aria-label="Bookmarks">${notes.map((note) => html`<li data-id=${note.id}>${this.editing === note.id ? this.#form(note) : this.#note(note)}</li>`)}</ol>` : html`<p class="note">No bookmarks yet. A bookmark saves a view of this run with its zoom, filter and selection.</p>`}
      </div>
    </dialog>`;
  }

  #note(note: Note): TemplateResult {
    const { app } = this;
    const place = [note.at_ns === null ? "" : moment(note.at_ns, 1000), note.rank === null ? "" : `rank ${app.worldRank(note.rank)}`].filter(Boolean).join(", ");
    return html`<div class="line1">
        <button
          class="go"
          @click=${() => {
            this.close();
            openNote(app, note);
          }}
        >
          ${note.title}
        </button>
        <span class="muted number">${place}</span>
        <span class="space"></span>
        <button class="line" aria-label="Edit ${note.title}" @click=${() => this.#edit(note.id)}>Edit</button>
        <button class="line" aria-label="Delete ${note.title}" @click=${() => this.#remove(note)}>Delete</button>
      </div>
      ${note.text ? html`<p>${note.text}</p>` : nothing}`;
  }

  #form(note: Note): TemplateResult {
    const key = (event: KeyboardEvent): void => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) (event.currentTarget as HTMLFormElement).requestSubmit();
      else if (event.key === "Escape") this.#edit(null);
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    return html`<form aria-label="Bookmark" @submit=${(e: Event) => this.#save(e, note)} @keydown=${key}>
      <label>Title <input name="title" maxlength=${MOST.title} .value=${note.title} required /></label>
      <label>Note <textarea name="text" rows="3" maxlength=${MOST.text} .value=${note.text}></textarea></label>
      <div class="line1">
        <button class="line">Save</button>
        <button class="line" type="button" @click=${() => this.#edit(null)}>Cancel</button>
      </div>
    </form>`;
  }
}
