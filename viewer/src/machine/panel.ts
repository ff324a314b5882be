/** Base of the pictures of a machine profile: heading, controls, picture or table, and saving. */

import { type TemplateResult, css, html, nothing } from "lit";
import { Plot } from "../plot-element";
import type { Format } from "../save/saver";
import "../save/button";
import type { TableColumn } from "../table/vtable";
import "../table/vtable";
import { Follow, type MachineDesk } from "./desk";
import type { PaneId } from "./state";

export const FORMATS: readonly Format[] = ["png", "svg", "csv"];

export abstract class MachinePlot extends Plot {
  static override styles = [
    ...Plot.styles,
    css`
      h2 {
        font-size: 13px;
        margin: 4px 10px 4px 4px;
      }
      .controls select {
        max-width: 220px;
      }
      p.about {
        margin: 0;
        padding: 4px 12px;
        color: var(--muted);
        font-size: 12px;
      }
      .body {
        flex: 1;
        min-height: 0;
        display: flex;
      }
      .body > * {
        flex: 1;
        min-width: 0;
      }
    `,
  ];
  declare app: MachineDesk;
  abstract override readonly view: PaneId;
  abstract readonly heading: string;

  constructor() {
    super();
    new Follow(this);
  }

  abstract override table(): { columns: TableColumn[]; count: number } | null;

  /** Inputs beside the title. */
  controls(): TemplateResult | typeof nothing {
    return nothing;
  }

  /** What the picture shows, in a sentence. */
  about(): string {
    return "";
  }

  abstract plot(): TemplateResult;

  get isTwin(): boolean {
    return this.app.state.twins.includes(this.view);
  }

  override render(): TemplateResult {
    const about = this.about();
    return html`<div class="controls">
        <h2>${this.heading}</h2>
        ${this.controls()}
        <span class="space"></span>
        <button class="line" aria-label="${this.heading} as a table" aria-pressed=${this.isTwin} @click=${() => this.app.toggleTwin(this.view)}>Table</button>
        <mp-save .app=${this.app} view=${this.view} .what=${this.heading} .formats=${FORMATS}></mp-save>
      </div>
      ${about ? html`<p class="about">${about}</p>` : nothing}
      <div class="body">${this.isTwin ? this.#twin() : this.plot()}</div>`;
  }

  #twin(): TemplateResult {
    const table = this.table();
    return html`<mp-vtable label="${this.heading} as a table" .columns=${table?.columns ?? []} .count=${table?.count ?? 0} .canActivate=${false}></mp-vtable>`;
  }
}
