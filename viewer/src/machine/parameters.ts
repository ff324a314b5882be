/** All parameters of the profiles: numbers with unit, interval and advice. */

import { LitElement, type TemplateResult, css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import { base, controls } from "../chrome/styles";
import "../save/button";
import { type Saver, Saving } from "../save/saver";
import type { TableColumn } from "../table/vtable";
import "../table/vtable";
import { Follow, type MachineDesk } from "./desk";
import { type Row, columnsOf } from "./parameter-table";

@customElement("mp-machine-parameters")
export class ParametersPane extends LitElement implements Saver {
  static override styles = [
    base,
    controls,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      h2 {
        font-size: 13px;
        margin: 4px 10px 4px 4px;
      }
      mp-vtable {
        flex: 1;
      }
    `,
  ];
  @property({ attribute: false }) app!: MachineDesk;
  readonly view = "parameters";

  constructor() {
    super();
    new Follow(this);
    new Saving(this, this);
  }

  get #rows(): Row[] {
    return this.app.machines.flatMap((machine) => machine.profile.parameters.map((parameter) => ({ machine, parameter })));
  }

  table(): { columns: TableColumn[]; count: number } {
    const rows = this.#rows;
    const columns = columnsOf(rows, this.app.machines.length > 1);
    const unit: TableColumn = { id: "unit", title: "Unit", cell: (i) => rows[i]!.parameter.unit };
    const disturbed: TableColumn = { id: "disturbed", title: "Machine not quiet", cell: (i) => (rows[i]!.parameter.disturbed ? "yes" : "no") };
    return { columns: [...columns, unit, disturbed], count: rows.length };
  }

  override render(): TemplateResult {
    const rows = this.#rows;
    const isDisturbed = rows.some(({ parameter }) => parameter.disturbed);
    return html`<div class="controls">
        <h2>Parameters</h2>
        <span class="muted">${isDisturbed ? "* the machine was not quiet" : ""}</span>
        <span class="space"></span>
        <mp-save .app=${this.app} view=${this.view} .what=${"Parameters"} .formats=${["csv"]}></mp-save>
      </div>
      <mp-vtable label="Parameters" .columns=${columnsOf(rows, this.app.machines.length > 1)} .count=${rows.length} .canActivate=${false} empty="The profile has no parameters."></mp-vtable>`;
  }
}
