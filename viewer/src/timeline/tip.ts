/** What is said of the place under the mouse. */

import { type TemplateResult, html, nothing } from "lit";
import { markAt } from "../checks/marks";
import { bytes, count, moment, share, time } from "../format";
import { classColour, css, functionColour } from "../palette";
import { rowAt, timeAt } from "./geometry";
import { cellAt } from "./hit";
import type { Scene } from "./scene";

const MOST = 7;

function swatch(scene: Scene, id: number): TemplateResult {
  const { app } = scene;
  const classId = app.names?.classOf(id) ?? "local";
  const colour = app.store.state.colouring === "class" ? classColour(classId, app.theme) : functionColour(id, classId, app.theme);
  return html`<svg class="swatch" viewBox="0 0 9 9" aria-hidden="true"><rect width="9" height="9" fill=${css(colour)}></rect></svg>`;
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
  const { calls } = pictures;
  if (calls && (pictures.isSingle || pictures.isFaded)) {
    const i = callUnder(at.x, at.y);
    if (i < 0) return html`${place}${absent(scene, rank, ns) ?? "computing"}`;
    const sent = calls.bytes_sent[i]!;
    const received = calls.bytes_received[i]!;
    const peer = calls.peer[i]!;
    const comm = app.names?.comm(calls.comm[i]!);
    return html`${place}
      <b>${swatch(scene, calls.function[i]!)}${app.names?.function(calls.function[i]!)}</b> ${time(calls.duration_ns[i]!)}
      ${calls.count[i]! > 1 ? html`<div>${count(calls.count[i]!)} polls</div>` : nothing}
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
  const inside = cell.shares.reduce((sum, s) => sum + s.share, 0);
  return html`${place}${ranks}
    <table>
      ${cell.shares.slice(0, MOST).map(
        (s) => html`<tr><td>${swatch(scene, s.id)}${app.names?.function(s.id)}</td><td class="number">${share(s.share)}</td></tr>`,
      )}
      ${cell.shares.length > MOST ? html`<tr><td class="muted">and ${cell.shares.length - MOST} more</td></tr>` : nothing}
      <tr><td>computing</td><td class="number">${share(Math.max(0, 1 - inside))}</td></tr>
      ${cell.waiting > 0 ? html`<tr><td>waiting (inside of calls)</td><td class="number">${share(cell.waiting)}</td></tr>` : nothing}
    </table>
    <div class="muted number">${count(cell.calls)} calls begin here${cell.longest_rank >= 0 ? html`, the longest ${time(cell.longest_ns)}` : nothing}</div>`;
}

function absent(scene: Scene, rank: number, ns: number): string | null {
  const ranks = scene.app.run?.ranks;
  if (!ranks) return null;
  const first = (ranks.first_ns ?? ranks.rows_from_ns)[rank];
  const lost = ranks.calls_lost[rank] ?? 0;
  return first !== undefined && lost > 0 && ns < first ? `overwritten: ${count(lost)} calls of this rank are lost` : null;
}
