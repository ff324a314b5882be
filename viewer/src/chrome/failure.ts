/** An error as the page shows it: what happened, and what to do next. */

import { type TemplateResult, html } from "lit";
import type { ViewError } from "../protocol/error";

export function failure(error: ViewError): TemplateResult {
  if (error.status === 409) return notYet();
  return html`<div class="error" role="alert"><b>${sentence(error.message)}</b><br />${error.next}</div>`;
}

/** For panes that need the complete run while it is being read. */
export function notYet(): TemplateResult {
  return html`<p class="note">This is available once the run is loaded.</p>`;
}

const sentence = (text: string): string => {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) ? upper : `${upper}.`;
};
