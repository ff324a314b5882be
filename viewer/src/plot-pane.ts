/** Base of the panes of a run with a canvas. */

import { type TemplateResult, html } from "lit";
import type { App } from "./app";
import { toggleTwin } from "./commands/registry";
import type { Pane } from "./panes/registry";
import { Plot } from "./plot-element";
import "./save/button";
import { Watch } from "./watch";

export abstract class PlotPane extends Plot {
  declare app: App;
  abstract override readonly view: Pane;

  constructor() {
    super();
    new Watch(this);
  }

  get isTwin(): boolean {
    return this.app.store.state.twins.includes(this.view);
  }

  twinButton(): TemplateResult {
    return html`<button class="line" aria-label="As a table" aria-pressed=${this.isTwin} @click=${() => toggleTwin(this.app, this.view)}>Table</button>
      <mp-save .app=${this.app} view=${this.view}></mp-save>`;
  }
}
