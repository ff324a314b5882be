/** Styles that all elements share. */

import { css } from "lit";

export const base = css`
  * {
    box-sizing: border-box;
  }
  :host {
    display: block;
    font: 13px/1.4 var(--font);
    color: var(--text);
  }
  button,
  select,
  input {
    font: inherit;
    color: inherit;
  }
  button {
    background: transparent;
    border: 1px solid transparent;
    border-radius: 5px;
    padding: 2px 8px;
    min-height: 26px;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    background: var(--raised);
  }
  button:disabled {
    color: var(--muted);
    opacity: 0.6;
    cursor: default;
  }
  button.line {
    border-color: var(--line);
    background: var(--panel);
  }
  button[aria-pressed="true"],
  button[aria-selected="true"] {
    background: var(--accent-soft);
    color: var(--text);
  }
  select,
  input:not([type="checkbox"]):not([type="radio"]) {
    background: var(--panel);
    border: 1px solid var(--line-strong);
    border-radius: 5px;
    padding: 2px 6px;
    min-height: 26px;
  }
  :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: 1px;
  }
  a {
    color: var(--accent);
  }
  h1,
  h2,
  h3 {
    margin: 0;
    font-weight: 600;
    line-height: 1.3;
  }
  kbd {
    font: 11px var(--mono);
    border: 1px solid var(--line);
    border-bottom-width: 2px;
    border-radius: 4px;
    padding: 0 5px;
    background: var(--raised);
    white-space: nowrap;
  }
  .muted {
    color: var(--muted);
  }
  .number {
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .mono {
    font-family: var(--mono);
    font-size: 12px;
  }
  .hidden-text {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .note {
    margin: 0;
    padding: 14px;
    color: var(--muted);
  }
  .error {
    padding: 14px;
  }
  .error b {
    color: var(--bad);
  }
`;

/** A pane's line of controls. */
export const controls = css`
  .controls {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 6px;
    align-items: center;
    padding: 4px 8px;
    border-bottom: 1px solid var(--line);
    background: var(--panel);
    font-size: 12px;
  }
  .controls label {
    display: inline-flex;
    gap: 4px;
    align-items: center;
    color: var(--muted);
  }
  .controls select {
    color: var(--text);
    min-height: 24px;
    padding: 1px 4px;
    max-width: 104px;
    text-overflow: ellipsis;
  }
  .controls .space {
    flex: 1;
  }
`;

/** Pages that scroll from top to bottom: cards side by side, each with a table or a list. */
export const cards = css`
  :host {
    overflow: auto;
    height: 100%;
  }
  .page {
    max-width: 1360px;
    margin: 0 auto;
    padding: 14px 18px 40px;
    display: grid;
    gap: 14px;
    align-items: start;
  }
  .wide {
    grid-column: 1 / -1;
  }
  .card {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 8px;
    overflow: hidden;
  }
  .card > h2 {
    font-size: 13px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    display: flex;
    justify-content: space-between;
    gap: 10px;
    align-items: baseline;
  }
  .card > h2 .muted {
    font-weight: 400;
    font-size: 12px;
  }
  table {
    width: 100%;
    border-spacing: 0;
    font-size: 12px;
  }
  th,
  td {
    padding: 3px 12px 3px 0;
    text-align: right;
    border-bottom: 1px solid var(--line);
  }
  th {
    color: var(--muted);
    font-weight: 600;
  }
  th:first-child,
  td:first-child {
    text-align: left;
    padding-left: 12px;
  }
`;

/** A pane that is one table under its controls. */
export const tablePane = css`
  :host {
    display: flex;
    flex-direction: column;
    height: 100%;
    min-height: 0;
  }
  mp-vtable {
    flex: 1;
  }
`;

/** A part of the overview: a section with a heading. */
export const panel = css`
  section {
    background: var(--panel);
    border: 1px solid var(--line);
    border-radius: 8px;
  }
  section > h2 {
    font-size: 13px;
    padding: 8px 12px;
    border-bottom: 1px solid var(--line);
    display: flex;
    gap: 10px;
    justify-content: space-between;
    align-items: baseline;
  }
  h2 mp-save {
    margin: -4px 0;
    font-weight: 400;
  }
  h2 .muted {
    font-weight: 400;
    font-size: 12px;
  }
`;

/** A list of findings, each with its advice. */
export const toldFindings = css`
  h3 {
    font-size: 13px;
  }
  p {
    margin: 3px 0 0;
    overflow-wrap: anywhere;
  }
  .advice {
    border-left: 3px solid var(--good);
    padding-left: 8px;
    margin-top: 6px;
  }
  .more {
    padding: 8px 12px;
  }
`;
