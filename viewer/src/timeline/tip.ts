/** The tooltip of the place under the pointer. */

import { type TemplateResult, html, nothing } from "lit";
import { markAt } from "../checks/marks";
import { bytes, counted, moment, share, time } from "../format";
import { css } from "../palette";
import { type Strip, cellOfStrip, stripAt } from "./apart";
import { blockRows, bundleAt } from "./bundles";
import { endAt } from "./ends";
import { rowAt, timeAt } from "./geometry";
import { type CellAt, cellAt } from "./hit";
import { threadUnder, threadsOf } from "./lanes";
import { accessAt } from "./rma";
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
  const thread = threadUnder(scene, rank, row, at.y);
  const place = html`<div class="muted number">${app.nameAt(row)}${thread === null ? nothing : html`, thread ${thread}`}, ${when}</div>`;
  const mark = markAt(scene, at);
  if (mark) return html`${place}<b>${mark.finding.title}</b><div class="muted">${mark.role}</div>`;
  const end = endAt(scene, at);
  if (end) return html`${place}<b>${app.folded.has(row) ? "" : app.nameAt(row)} ${end}</b>`;
  const strip = stripAt(scene, at.y);
  if (strip) return ofStrip(scene, strip, ns, when);
  const access = accessAt(scene, at);
  if (access !== null) return ofAccess(scene, access);
  const bundle = bundleAt(scene, at);
  if (bundle !== null) return ofBundle(scene, bundle);
  const { calls } = pictures;
  if (calls && pictures.isSingle && !app.folded.has(row)) {
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

/** A one-sided access: direction of its data, and its window. */
function ofAccess(scene: Scene, i: number): TemplateResult {
  const { app, pictures } = scene;
  const calls = pictures.calls!;
  const [rank, target] = [app.worldRank(calls.rank[i]!), app.worldRank(calls.peer[i]!)];
  const [sent, received] = [calls.bytes_sent[i]!, calls.bytes_received[i]!];
  const thread = threadsOf(scene, calls.rank[i]!) > 1 ? html`, thread ${calls.thread[i]!}` : nothing;
  const window = calls.window[i]!;
  return html`<div class="muted number">rank ${rank}${thread}, target ${target}</div>
    <b>${swatch(scene, calls.function[i]!)}${app.names?.function(calls.function[i]!)}</b> ${time(calls.duration_ns[i]!)}
    ${sent ? html`<div class="number">${bytes(sent)}, rank ${rank} → ${target}</div>` : nothing}
    ${received ? html`<div class="number">${bytes(received)}, rank ${target} → ${rank}</div>` : nothing}
    <div class="muted">${window >= 0 ? html`window ${window}, ` : nothing}${app.names?.comm(calls.comm[i]!)}</div>
    <div class="muted">${app.names?.site(calls.site[i]!)}</div>`;
}

/** Messages from one block of ranks to another. */
function ofBundle(scene: Scene, i: number): TemplateResult {
  const { app, pictures, window: w, layout: l } = scene;
  const bundles = pictures.bundles!;
  const kind = app.order ? "row" : "rank";
  const block = (first: number): string => {
    const [from, until] = blockRows(bundles, first, app.rows);
    const name = (row: number): string => (app.order && until - from > 1 ? String(row) : String(app.worldRank(app.rankAt(row))));
    return until - from > 1 ? `${name(from)}–${name(until - 1)}` : name(from);
  };
  const [sender, receiver] = [bundles.sender[i]!, bundles.receiver[i]!];
  const isSingle = bundles.head.rows_per_block === 1;
  const step = (w.until - w.from) / l.plotWidth;
  const [from, until] = [bundles.from_ns[i]!, bundles.from_ns[i]! + bundles.head.bin_ns];
  const latency = bundles.latency_ns[i]!;
  return html`<b class="number">${counted(bundles.count[i]!, "message")}, ${bytes(bundles.bytes[i]!)}</b>
    <div class="number">${isSingle ? "rank" : `${kind}s`} ${sender === receiver && !isSingle ? `${block(sender)} among themselves` : `${block(sender)} → ${block(receiver)}`}</div>
    <div class="muted number">sent from ${moment(from, step)} to ${moment(until, step)}${latency >= 0 ? html`, mean time in flight ${time(latency)}` : nothing}</div>`;
}

/** A rank that differs from the others: by how much, and its activity here. */
function ofStrip(scene: Scene, strip: Strip, ns: number, when: string): TemplateResult {
  const { app } = scene;
  const { apart } = strip;
  const cell = cellOfStrip(scene, strip, ns);
  return html`<div class="muted number">rank ${app.worldRank(apart.rank)}, ${when}</div>
    <b>${apart.is_computing ? "computes while others are in MPI" : "is in MPI while others compute"}: ${time(apart.apart_ns)}</b>
    ${cell ? shares(scene, cell, null) : nothing}`;
}

/** The content of a cell. `around` is all of it, where `cell` has only the part that matches a filter. */
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
      ${cell.waiting > 0 ? html`<tr><td>waiting (inside calls)</td><td class="number">${share(cell.waiting)}</td></tr>` : nothing}
    </table>
    ${around
      ? nothing
      : html`<div class="muted number">
          ${counted(cell.calls, "call starts", "calls start")} here${cell.longest_rank >= 0 ? html`, the longest ${time(cell.longest_ns)}` : nothing}
        </div>`}`;
}

function absent(scene: Scene, rank: number, ns: number): string | null {
  const ranks = scene.app.run?.ranks;
  if (!ranks) return null;
  const first = (ranks.first_ns ?? ranks.rows_from_ns)[rank];
  const lost = ranks.calls_lost[rank] ?? 0;
  return first !== undefined && lost > 0 && ns < first ? `overwritten: ${counted(lost, "call")} of this rank ${lost === 1 ? "was" : "were"} lost` : null;
}
