/** Marks one of two runs with a word and a name, never with a colour only. */

import { type TemplateResult, css, html, nothing } from "lit";
import type { App } from "../app";
import { SIDE_NAMES } from "../runs/names";

/** Only the word, where two runs are compared. */
export function runWord(app: App): TemplateResult | typeof nothing {
  if (!app.comparison.isTwo) return nothing;
  return html`<span class="run-word side${app.side}" title=${app.run?.name ?? ""}>${SIDE_NAMES[app.side]}</span>`;
}

export function runTag(app: App): TemplateResult {
  return html`${runWord(app)} <b class="run-name">${app.run?.name ?? (app.error ? "not available" : "…")}</b>`;
}

export const runTagStyles = css`
  .run-word {
    font-size: 11px;
    font-weight: 600;
    border: 1px solid var(--line-strong);
    border-radius: 4px;
    padding: 0 6px;
    background: var(--panel);
    color: var(--text);
  }
  .run-word.side0 {
    border-left: 4px solid var(--before);
  }
  .run-word.side1 {
    border-left: 4px solid var(--after);
  }
  .run-name {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
`;
