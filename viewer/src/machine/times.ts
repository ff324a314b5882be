/** Curves of one experiment: time or bandwidth by size. */

import { type TemplateResult, html } from "lit";
import { customElement } from "lit/decorators.js";
import { type Group, groupsOf, timesFigure } from "./curves";
import type { Figure } from "./figure";
import { LinePlot } from "./line-plot";
import { NOTES } from "./series-notes";

@customElement("mp-machine-times")
export class TimesPlot extends LinePlot {
  readonly view = "times";
  readonly heading = "Curves";

  /** The chosen experiment, or the first one. */
  get #group(): Group | undefined {
    const groups = groupsOf(this.app.machines);
    return groups.find((group) => group.id === this.app.state.group) ?? groups[0];
  }

  get #y(): "time" | "rate" {
    return this.#group?.hasRates ? this.app.state.y : "time";
  }

  figure(): Figure | null {
    const { isLogX, isLogY } = this.app.state;
    const group = this.#group;
    return group ? timesFigure(this.app.machines, group, this.#y, isLogX, isLogY) : null;
  }

  override about(): string {
    const marks = this.figure()?.marks.length ? " Vertical bands: between these two sizes the fitted line of ping-pong changes, as where the MPI changes its protocol." : "";
    return `Medians; the bands around the lines are 95 % intervals.${marks}${NOTES[this.#group?.experiment ?? ""] ?? ""}`;
  }

  override controls(): TemplateResult {
    const { app } = this;
    const { isLogX, isLogY } = app.state;
    const group = this.#group;
    const choose = (id: string): void => {
      const { times: _, ...shown } = app.state.shown;
      // Another experiment has other series.
      app.set({ group: id, shown });
    };
    return html`<label>of
        <select aria-label="Experiment" @change=${(e: Event) => choose((e.target as HTMLSelectElement).value)}>
          ${groupsOf(app.machines).map(({ id, title }) => html`<option value=${id} ?selected=${id === group?.id}>${title}</option>`)}
        </select></label>
      <label>as
        <select aria-label="Number" ?disabled=${!group?.hasRates} @change=${(e: Event) => app.set({ y: (e.target as HTMLSelectElement).value as "time" | "rate" })}>
          <option value="time" ?selected=${this.#y === "time"}>time</option>
          <option value="rate" ?selected=${this.#y === "rate"}>bandwidth</option>
        </select></label>
      <label><input type="checkbox" .checked=${isLogX} @change=${() => app.set({ isLogX: !isLogX })} />log x</label>
      <label><input type="checkbox" .checked=${isLogY} @change=${() => app.set({ isLogY: !isLogY })} />log y</label>`;
  }
}
