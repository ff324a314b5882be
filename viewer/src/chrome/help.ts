/** Keys and mouse, from the list of commands. */

import { type TemplateResult, css, html } from "lit";
import { customElement } from "lit/decorators.js";
import { keyText } from "../commands/command";
import { COMMANDS } from "../commands/registry";
import { DialogElement } from "./dialog";

const MOUSE: readonly [string, string][] = [
  ["Click", "select the call; from afar, the longest call in that place"],
  ["Drag", "select an area; a flat one is of all ranks in sight"],
  ["Drag with Shift, or the middle button, or on the axis", "move"],
  ["Wheel", "scroll ranks; with Shift: time"],
  ["Ctrl and wheel", "zoom in time, where the pointer is"],
  ["Alt and wheel", "taller or flatter ranks"],
  ["Double click", "zoom in four times"],
  ["Click an iteration on the ruler", "that iteration from end to end"],
  ["Click the name of a group", "unfold it into its ranks, or fold it again"],
  ["Click a rank's number", "that rank over the time in sight as an area"],
];

@customElement("mp-help")
export class Help extends DialogElement {
  static override styles = [
    ...DialogElement.styles,
    css`
      dialog {
        width: min(940px, 94vw);
      }
      .scroll {
        columns: 2 340px;
        column-gap: 24px;
        padding: 12px 16px;
      }
      section {
        break-inside: avoid;
        margin-bottom: 12px;
      }
      h3 {
        font-size: 12px;
        color: var(--muted);
        margin-bottom: 3px;
      }
      dl {
        margin: 0;
        display: grid;
        grid-template-columns: minmax(110px, max-content) 1fr;
        gap: 2px 12px;
        align-items: baseline;
        font-size: 12px;
      }
      dl.mouse {
        grid-template-columns: 2fr 3fr;
      }
      dd {
        margin: 0;
      }
    `,
  ];

  override render(): TemplateResult {
    const groups = [...new Set(COMMANDS.map((c) => c.group))];
    return html`<dialog aria-label="Keys and mouse">
      <div class="head">
        <h2>Keys and mouse</h2>
        <button class="line" autofocus @click=${() => this.close()}>Close</button>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="List of keys">
        <section>
          <h3>Mouse, on the timeline</h3>
          <dl class="mouse">${MOUSE.map(([what, does]) => html`<dt>${what}</dt><dd>${does}</dd>`)}</dl>
        </section>
        ${groups.map(
          (group) => html`<section>
            <h3>${group}</h3>
            <dl>
              ${COMMANDS.filter((c) => c.group === group && c.keys.length).map(
                (c) => html`<dt>${c.keys.map((key, i) => html`${i ? " " : ""}<kbd>${keyText(key)}</kbd>`)}</dt><dd>${c.title}</dd>`,
              )}
            </dl>
          </section>`,
        )}
        <p class="muted">
          Letters are places on the keyboard (W A S D as on an English one). Commands without a key are in the palette, Ctrl+Shift+P, which also turns single
          keys off.
        </p>
      </div>
    </dialog>`;
  }
}
