/** The colour of a function as a small square. It needs no shape of its own: the name is always beside it. */

import { type TemplateResult, svg, html } from "lit";
import type { App } from "../app";
import { css } from "../palette";

export function swatch(app: App, functionId: number): TemplateResult {
  return square(css(app.colours.function(functionId)));
}

export function square(colour: string, isHatched = false): TemplateResult {
  return html`<svg width="11" height="11" viewBox="0 0 11 11" aria-hidden="true" class="swatch">
    <rect width="11" height="11" rx="2" fill=${colour}></rect>
    ${isHatched ? svg`<path d="M0 5L5 0M0 11L11 0M5 11L11 5" stroke="#000" stroke-opacity=".6" stroke-width="1.4"></path>` : ""}
  </svg>`;
}
