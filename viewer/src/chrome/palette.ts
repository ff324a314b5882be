/** Every command by its name. */

import { type TemplateResult, css, html } from "lit";
import { customElement, state } from "lit/decorators.js";
import { type Command, keyText } from "../commands/command";
import { COMMANDS } from "../commands/registry";
import { DialogElement } from "./dialog";

/** All words occur, in any order; titles that begin with the text come first. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = commands.filter((c) => words.every((word) => `${c.title} ${c.group}`.toLowerCase().includes(word)));
  const begins = (c: Command): number => (c.title.toLowerCase().startsWith(text.toLowerCase().trim()) ? 0 : 1);
  return fits.map((c, i) => ({ c, i })).sort((a, b) => begins(a.c) - begins(b.c) || a.i - b.i).map(({ c }) => c);
}

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
    `,
  ];
  @state() private text = "";
  @state() private active = 0;

  #listed(): Command[] {
    return matching(
      COMMANDS.filter((c) => c.id !== "palette" && (c.when?.(this.app) ?? true)),
      this.text,
    );
  }

  #run(command: Command | undefined): void {
    if (!command) return;
    this.close();
    this.app.open(null);
    command.run(this.app);
  }

  #key(event: KeyboardEvent): void {
    const listed = this.#listed();
    if (event.key === "ArrowDown") this.active = Math.min(listed.length - 1, this.active + 1);
    else if (event.key === "ArrowUp") this.active = Math.max(0, this.active - 1);
    else if (event.key === "Enter") this.#run(listed[this.active]);
    else return;
    event.preventDefault();
  }

  override updated(): void {
    this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }

  override render(): TemplateResult {
    const listed = this.#listed();
    return html`<dialog aria-label="Command palette">
      <div class="head">
        <input
          autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls="options"
          aria-activedescendant=${listed.length ? `option-${this.active}` : ""}
          aria-label="Command"
          placeholder="what to do"
          .value=${this.text}
          @input=${(e: Event) => {
            this.text = (e.target as HTMLInputElement).value;
            this.active = 0;
          }}
          @keydown=${(e: KeyboardEvent) => this.#key(e)}
        />
      </div>
      <div class="scroll" id="options" role="listbox" aria-label="Commands" tabindex="-1">
        ${listed.map(
          (command, i) => html`<div class="option" role="option" id="option-${i}" aria-selected=${i === this.active} @click=${() => this.#run(command)}>
            <span>${command.title}</span><span aria-hidden="true">${command.keys.map((key) => html`<kbd>${keyText(key)}</kbd>`)}</span>
          </div>`,
        )}
      </div>
      ${listed.length ? "" : html`<p class="note" role="status">No such command.</p>`}
    </dialog>`;
  }
}
