/** All commands by title, and all destinations by name. */

import { type TemplateResult, css, html } from "lit";
import { customElement, state } from "lit/decorators.js";
import { type Command, keyText } from "../commands/command";
import { type Destination, destinationsOf } from "../commands/goto";
import { COMMANDS } from "../commands/registry";
import { DialogElement } from "./dialog";

/** All words occur, in any order; titles that begin with the text come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = commands.filter((c) => words.every((word) => `${c.title} ${c.group}`.toLowerCase().includes(word)));
  const begins = (c: Command): number => (c.title.toLowerCase().startsWith(text.toLowerCase().trim()) ? 0 : 1);
  return fits.map((c, i) => ({ c, i })).sort((a, b) => begins(a.c) - begins(b.c) || a.i - b.i).map(({ c }) => c);
}

/** The commands that open the palette. */
const OWN = ["palette", "go-to"];

@customElement("mp-palette")
export class Palette extends DialogElement {
  static override styles = [
    ...DialogElement.styles,
    css`
      input {
        width: 100%;
        min-height: 34px;
      }
      .option {
        display: flex;
        justify-content: space-between;
        gap: 12px;
        padding: 5px 14px;
        cursor: pointer;
      }
      .option[aria-selected="true"] {
        background: var(--accent-soft);
      }
      .option span:last-child {
        display: flex;
        gap: 4px;
      }
      .place small {
        color: var(--muted);
        font-size: 12px;
      }
    `,
  ];
  @state() private text = "";
  @state() private active = 0;

  /** Destinations first: a user who types one means it. */
  #listed(): { places: Destination[]; problem: string | null; commands: Command[] } {
    const { destinations: places, problem } = destinationsOf(this.app, this.text);
    const known = COMMANDS.filter((c) => !OWN.includes(c.id) && (c.when?.(this.app) ?? true)).map((c) => ({ ...c, title: c.titleOf?.(this.app) ?? c.title }));
    return { places, problem, commands: matching(known, this.text) };
  }

  #run(what: (() => void) | undefined): void {
    if (!what) return;
    this.close();
    this.app.open(null);
    what();
  }

  #key(event: KeyboardEvent): void {
    const { places, commands } = this.#listed();
    const { length } = [...places, ...commands];
    if (event.key === "ArrowDown") this.active = Math.min(length - 1, this.active + 1);
    else if (event.key === "ArrowUp") this.active = Math.max(0, this.active - 1);
    else if (event.key === "Enter") this.#run(places[this.active]?.run ?? this.#command(commands[this.active - places.length]));
    else return;
    event.preventDefault();
  }

  #command(command: Command | undefined): (() => void) | undefined {
    return command && (() => command.run(this.app));
  }

  override updated(): void {
    this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  override render(): TemplateResult {
    const { places, problem, commands } = this.#listed();
    const option = (i: number, run: (() => void) | undefined, kind: string, content: TemplateResult): TemplateResult =>
      html`<div class="option ${kind}" role="option" id="option-${i}" aria-selected=${i === this.active} @click=${() => this.#run(run)}>${content}</div>`;
    return html`<dialog aria-label="Command palette">
      <div class="head">
        <input
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="options"
          aria-activedescendant=${places.length + commands.length ? `option-${this.active}` : ""}
          aria-label="Command or destination"
          placeholder="command or destination: 12.5 s, rank 7, ranks 0-15, iteration 184"
          .value=${this.text}
          @input=${(e: Event) => {
            this.text = (e.target as HTMLInputElement).value;
            this.active = 0;
          }}
          @keydown=${(e: KeyboardEvent) => this.#key(e)}
        />
      </div>
      ${problem ? html`<p class="note" role="status">${problem}</p>` : ""}
      <div class="scroll" id="options" role="listbox" aria-label="Commands and destinations" tabindex="-1">
        ${places.map((place, i) => option(i, place.run, "place", html`<span>${place.title}</span><small>${place.detail}</small>`))}
        ${commands.map((command, i) =>
          option(
            places.length + i,
            this.#command(command),
            "",
            html`<span>${command.title}</span><span aria-hidden="true">${command.keys.map((key) => html`<kbd>${keyText(key)}</kbd>`)}</span>`,
          ),
        )}
      </div>
      ${places.length || commands.length || problem ? "" : html`<p class="note" role="status">No matching command.</p>`}
    </dialog>`;
  }
}
