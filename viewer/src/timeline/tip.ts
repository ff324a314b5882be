/** What is said of the place under the mouse. */

import { type TemplateResult, html, nothing } from "lit";
import { markAt } from "../checks/marks";
import { bytes, counted, moment, share, time } from "../format";
import { css } from "../palette";
import { type Strip, cellOfStrip, stripAt } from "./apart";
import { endAt } from "./ends";
import { rowAt, timeAt } from "./geometry";
import { type CellAt, cellAt } from "./hit";
import type { Scene } from "./scene";

const MOST = 7;

function swatch(scene: Scene, id: number): TemplateResult {
  return html`<svg class="swatch" viewBox="0 0 9 9" aria-hidden="true"><rect width="9" height="9" fill=${css(scene.app.colours.function(id))}></rect></svg>`;
}

export function tip(scene: Scene, at: { x: number; y: number }, callUnder: (x: number, y: number) => number): TemplateResult {
  const { app, window: w, layout: l, pictures } = scene;
  const row = Math.floor(rowAt(l, w, at.y));
  const ns = timeAt(l, w, at.x);
  const rank = app.rankAt(row);
  const when = moment(ns, (w.until - w.from) / l.plotWidth);
  const place = html`<div class="muted number">rank ${app.worldRank(rank)}, ${when}</div>`;
  const mark = markAt(scene, at);
  if (mark) return html`${place}<b>${mark.finding.title}</b><div class="muted">${mark.role}</div>`;
  const end = endAt(scene, at);
  if (end) return html`${place}<b>rank ${app.worldRank(rank)} ${end}</b>`;
  const strip = stripAt(scene, at.y);
  if (strip) return ofStrip(scene, strip, ns, when);
  const { calls } = pictures;
  if (calls && pictures.isSingle) {
    const i = callUnder(at.x, at.y);
    if (i < 0) return html`${place}${absent(scene, rank, ns) ?? "computing"}`;
    const sent = calls.bytes_sent[i]!;
    const received = calls.bytes_received[i]!;
    const peer = calls.peer[i]!;
    const comm = app.names?.comm(calls.comm[i]!);
    return html`${place}
      <b>${swatch(scene, calls.function[i]!)}${app.names?.function(calls.function[i]!)}</b> ${time(calls.duration_ns[i]!)}
      ${pictures.matching?.isPale[i] ? html`<div class="muted">filtered out</div>` : nothing}
      ${calls.count[i]! > 1 ? html`<div>${counted(calls.count[i]!, "poll")}</div>` : nothing}
      <div class="muted">
        ${peer >= 0 ? html`peer ${app.worldRank(peer)} ` : nothing}${sent ? html`${bytes(sent)} sent ` : nothing}${received
          ? html`${bytes(received)} received `
          : nothing}${comm}
      </div>
      <div class="muted">${app.names?.site(calls.site[i]!)}</div>`;
  }
  const cell = pictures.cells ? cellAt(pictures.cells, row, ns) : null;
  if (!cell) return place;
  const ranks =
    cell.row_until - cell.row_from > 1
      ? html`<div class="muted">${app.order ? "rows" : "ranks"} ${cell.row_from} to ${Math.min(app.rows, cell.row_until) - 1}</div>`
      : nothing;
  const around = pictures.over && pictures.allCells ? cellAt(pictures.allCells, row, ns) : null;
  return html`${place}${ranks}${shares(scene, cell, around)}`;
}

/** A rank that does otherwise than the others: in how far, and what it does here. */
function ofStrip(scene: Scene, strip: Strip, ns: number, when: string): TemplateResult {
  const { app } = scene;
  const { apart } = strip;
  const cell = cellOfStrip(scene, strip, ns);
  return html`<div class="muted number">rank ${app.worldRank(apart.rank)}, ${when}</div>
    <b>${apart.is_computing ? "computes while others are in MPI" : "is in MPI while others compute"}: ${time(apart.apart_ns)}</b>
    ${cell ? shares(scene, cell, null) : nothing}`;
}

/** What was done in a cell. `around` is all of it, where `cell` has only what a filter wants. */
function shares(scene: Scene, cell: CellAt, around: CellAt | null): TemplateResult {
  const { app } = scene;
  const sum = (of: CellAt): number => of.shares.reduce((total, s) => total + s.share, 0);
  const inside = Math.max(sum(cell), around ? sum(around) : 0);
  return html`<table>
      ${cell.shares.slice(0, MOST).map(
        (s) => html`<tr><td>${swatch(scene, s.id)}${app.names?.function(s.id)}</td><td class="number">${share(s.share)}</td></tr>`,
      )}
      ${cell.shares.length > MOST ? html`<tr><td class="muted">and ${cell.shares.length - MOST} more</td></tr>` : nothing}
      ${around ? html`<tr><td class="muted">filtered out</td><td class="number">${share(inside - sum(cell))}</td></tr>` : nothing}
      <tr><td>computing</td><td class="number">${share(Math.max(0, 1 - inside))}</td></tr>
      ${cell.waiting > 0 ? html`<tr><td>waiting (inside of calls)</td><td class="number">${share(cell.waiting)}</td></tr>` : nothing}
    </table>
    ${around
      ? nothing
      : html`<div class="muted number">
          ${counted(cell.calls, "call begins", "calls begin")} here${cell.longest_rank >= 0 ? html`, the longest ${time(cell.longest_ns)}` : nothing}
        </div>`}`;
}

function absent(scene: Scene, rank: number, ns: number): string | null {
  const ranks = scene.app.run?.ranks;
  if (!ranks) return null;
  const first = (ranks.first_ns ?? ranks.rows_from_ns)[rank];
  const lost = ranks.calls_lost[rank] ?? 0;
  return first !== undefined && lost > 0 && ns < first ? `overwritten: ${counted(lost, "call")} of this rank ${lost === 1 ? "is" : "are"} lost` : null;
}
