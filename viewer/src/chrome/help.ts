/** Keyboard and mouse help, from the list of commands. */

import { type TemplateResult, css, html } from "lit";
import { customElement } from "lit/decorators.js";
import { keyText } from "../commands/command";
import { COMMANDS } from "../commands/registry";
import { DialogElement } from "./dialog";

const MOUSE: readonly [string, string][] = [
  ["Click", "select the call; when zoomed out, the longest call at that place"],
  ["Drag", "select an area; a horizontal drag selects all visible ranks"],
  ["Drag with Shift or the middle button, or drag the axis", "pan"],
  ["Wheel", "scroll through the ranks; with Shift, through time"],
  ["Ctrl and wheel", "zoom in time at the pointer"],
  ["Alt and wheel", "change the height of the ranks"],
  ["Double click", "zoom in by a factor of four"],
  ["Click an iteration on the ruler", "zoom to that iteration"],
  ["Click the name of a group", "unfold the group into its ranks, or fold it"],
  ["Click a rank's number", "select that rank over the visible time"],
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
    return html`<dialog aria-label="Keyboard and mouse">
      <div class="head">
        <h2>Keyboard and mouse</h2>
        <button class="line" autofocus @click=${() => this.close()}>Close</button>
      </div>
      <div class="scroll" tabindex="0" role="region" aria-label="List of shortcuts">
        <section>
          <h3>Mouse on the timeline</h3>
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
