/** Communication matrix: messages from each sender to each receiver. */

import { type TemplateResult, css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { Ask } from "../ask";
import { basisText, careful } from "../basis";
import { failure, notYet } from "../chrome/failure";
import { bytes, count, counted, rankList, time } from "../format";
import { css as cssColour, ramp } from "../palette";
import type { Drawing } from "../draw/drawing";
import { PlotPane } from "../plot-pane";
import type { Matrix } from "../protocol/types";
import { scopeWindow } from "../state/scope";
import type { ViewState } from "../state/view";
import { type TableColumn, numeric } from "../table/vtable";
import "../table/vtable";
import { FONT_SMALL, INK } from "../timeline/theme";

type Value = ViewState["matrix"]["value"];

const VALUES: readonly { id: Value; title: string; text: (v: number) => string; unit: string }[] = [
  { id: "bytes", title: "Bytes", text: bytes, unit: "bytes" },
  { id: "count", title: "Messages", text: count, unit: "" },
  { id: "mean", title: "Mean size", text: bytes, unit: "bytes" },
  { id: "latency", title: "Mean time in flight", text: time, unit: "ns" },
  { id: "longest", title: "Longest time in flight", text: time, unit: "ns" },
];

const BLOCKS = 256;

export function valueOf(matrix: Matrix, i: number, value: Value): number {
  switch (value) {
    case "count":
      return matrix.count[i]!;
    case "mean":
      return matrix.count[i]! > 0 ? matrix.bytes[i]! / matrix.count[i]! : 0;
    case "latency":
      return matrix.latency_ns[i]!;
    case "longest":
      return matrix.longest_ns[i]!;
    default:
      return matrix.bytes[i]!;
  }
}

interface Place {
  left: number;
  top: number;
  size: number;
}

@customElement("mp-matrix")
export class MatrixPane extends PlotPane {
  static override styles = [
    ...PlotPane.styles,
    css`
      .controls select[aria-label="Communicator"] {
        max-width: 144px;
      }
    `,
  ];
  readonly view = "matrix";
  readonly #ask = new Ask<Matrix>(this);
  @state() private over: { x: number; y: number; sender: number; receiver: number } | null = null;
  #place: Place | null = null;
  #index: { of: Matrix; at: Map<number, number> } | null = null;

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const { by, comm } = app.store.state.matrix;
    const parameters = { ...scopeWindow(app.store.state, app.window), comm: comm ?? app.store.state.filter.comm, by, blocks: BLOCKS };
    this.#ask.update([parameters, app.growth], ...careful(app, parameters, (p, signal) => app.client.matrix(p, signal)));
  }

  #at(sender: number, receiver: number): number {
    const matrix = this.#ask.value;
    if (!matrix) return -1;
    if (this.#index?.of !== matrix) {
      const at = new Map<number, number>();
      for (let i = 0; i < matrix.sender.length; i++) at.set(matrix.sender[i]! * matrix.rows + matrix.receiver[i]!, i);
      this.#index = { of: matrix, at };
    }
    return this.#index.at.get(sender * matrix.rows + receiver) ?? -1;
  }

  get hasPicture(): boolean {
    return !!this.#ask.value?.rows;
  }

  draw(c: Drawing, width: number, height: number): void {
    const matrix = this.#ask.value!;
    const { app } = this;
    const ink = INK[app.theme];
    const left = 84;
    const top = 30;
    const room = Math.min(width - left - 120, height - top - 12);
    const size = Math.max(0.5, Math.min(40, room / matrix.rows));
    this.#place = { left, top, size };
    const side = size * matrix.rows;
    c.fillStyle = ink.faint;
    c.fillRect(left, top, side, side);
    const { value } = app.store.state.matrix;
    let most = 0;
    for (let i = 0; i < matrix.sender.length; i++) most = Math.max(most, valueOf(matrix, i, value));
    const pad = size > 6 ? 1 : 0;
    for (let i = 0; i < matrix.sender.length; i++) {
      const part = most > 0 ? valueOf(matrix, i, value) / most : 0;
      c.fillStyle = cssColour(ramp(0.18 + 0.82 * part, app.theme));
      c.fillRect(left + matrix.receiver[i]! * size, top + matrix.sender[i]! * size, Math.max(1, size - pad), Math.max(1, size - pad));
    }
    c.strokeStyle = ink.line;
    c.lineWidth = 1;
    c.strokeRect(left - 0.5, top - 0.5, side + 1, side + 1);
    this.#labels(c, matrix, { left, top, size });
    this.#scale(c, { x: left + side + 18, y: top, h: Math.min(side, 160) }, most, VALUES.find((v) => v.id === value)!.text);
  }

  override drawOver(c: Drawing): void {
    const { over } = this;
    if (!over || !this.#place) return;
    const { left, top, size } = this.#place;
    c.strokeStyle = INK[this.app.theme].accent;
    c.lineWidth = 2;
    c.strokeRect(left + over.receiver * size, top + over.sender * size, Math.max(2, size), Math.max(2, size));
  }

  #labels(c: Drawing, matrix: Matrix, { left, top, size }: Place): void {
    const ink = INK[this.app.theme];
    c.font = FONT_SMALL;
    c.fillStyle = ink.muted;
    const every = Math.max(1, Math.ceil(14 / size));
    const everyX = Math.max(1, Math.ceil(24 / size));
    const isShort = matrix.labels.every((l) => l.length <= 5);
    for (let i = 0; i < matrix.rows; i++) {
      const label = matrix.labels[i] ?? String(i);
      if (i % every === 0) {
        c.textAlign = "right";
        c.textBaseline = "middle";
        c.fillText(label, left - 5, top + (i + 0.5) * size, left - 22);
      }
      if (i % everyX === 0 && isShort) {
        c.textAlign = "center";
        c.textBaseline = "bottom";
        c.fillText(label, left + (i + 0.5) * size, top - 3);
      }
    }
    c.fillStyle = ink.text;
    c.textAlign = "left";
    c.textBaseline = "top";
    c.fillText("receiver →", left, 3);
    c.save();
    c.translate(9, top);
    c.rotate(-Math.PI / 2);
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillText("← sender", 0, 0);
    c.restore();
  }

  #scale(c: Drawing, at: { x: number; y: number; h: number }, most: number, text: (v: number) => string): void {
    const ink = INK[this.app.theme];
    for (let i = 0; i < at.h; i++) {
      c.fillStyle = cssColour(ramp(0.18 + 0.82 * (1 - i / at.h), this.app.theme));
      c.fillRect(at.x, at.y + i, 12, 1.5);
    }
    c.fillStyle = ink.muted;
    c.font = FONT_SMALL;
    c.textAlign = "left";
    c.textBaseline = "top";
    c.fillText(text(most), at.x + 17, at.y);
    c.textBaseline = "bottom";
    c.fillText("0", at.x + 17, at.y + at.h);
  }

  #cell(event: MouseEvent): { x: number; y: number; sender: number; receiver: number } | null {
    const matrix = this.#ask.value;
    const place = this.#place;
    if (!matrix || !place) return null;
    const box = this.renderRoot.querySelector(".plot")!.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    const receiver = Math.floor((x - place.left) / place.size);
    const sender = Math.floor((y - place.top) / place.size);
    if (sender < 0 || receiver < 0 || sender >= matrix.rows || receiver >= matrix.rows) return null;
    return { x, y, sender, receiver };
  }

  /** Filters all views by the calls from the sender to the receiver. */
  #filter(sender: number, receiver: number): void {
    const matrix = this.#ask.value;
    const { app } = this;
    if (!matrix || !app.run) return;
    const { filter, matrix: m } = app.store.state;
    if (m.by === "host") {
      const peers = app.run.ranks.host.flatMap((host, rank) => (host === receiver ? [rank] : []));
      app.store.set({ filter: { ...filter, host: sender, peer: null, peers: rankList(peers) } });
      return;
    }
    const per = Math.max(1, matrix.ranks_per_block);
    const last = app.run.ranks.count - 1;
    const block = (at: number): string => `${at * per}-${Math.min(last, (at + 1) * per - 1)}`;
    const both = per === 1 ? { ranks: String(sender), peer: receiver, peers: null } : { ranks: block(sender), peer: null, peers: block(receiver) };
    app.store.set({ filter: { ...filter, ...both } });
  }

  override updated(): void {
    super.updated();
    if (this.over) this.placeTip(this.over.x, this.over.y);
  }

  override render(): TemplateResult {
    const { app } = this;
    const m = app.store.state.matrix;
    const comms = app.run?.communicators ?? [];
    const set = (change: Partial<ViewState["matrix"]>): void => app.store.set({ matrix: { ...app.store.state.matrix, ...change } });
    return html`<div class="controls">
        <label>show
          <select aria-label="Value" @change=${(e: Event) => set({ value: (e.target as HTMLSelectElement).value as Value })}>
            ${VALUES.map((v) => html`<option value=${v.id} ?selected=${v.id === m.value}>${v.title}</option>`)}
          </select></label>
        <label>by
          <select aria-label="Rows and columns" @change=${(e: Event) => set({ by: (e.target as HTMLSelectElement).value as "rank" | "host" })}>
            <option value="rank" ?selected=${m.by === "rank"}>rank</option>
            <option value="host" ?selected=${m.by === "host"}>host</option>
          </select></label>
        <label>on
          <select aria-label="Communicator" @change=${(e: Event) => set({ comm: (e.target as HTMLSelectElement).value === "" ? null : Number((e.target as HTMLSelectElement).value) })}>
            <option value="" ?selected=${m.comm === null}>all communicators</option>
            ${comms.slice(0, 200).map((c) => html`<option value=${c.id} ?selected=${c.id === m.comm}>${c.name}</option>`)}
          </select></label>
        <span class="space"></span>
        <span class="muted">${basisText(this.#ask.value?.basis, this.#ask.done, "messages").replace(/^ · /, "")}</span>
        ${this.twinButton()}
      </div>
      ${app.run?.state !== "ready" ? notYet() : this.#ask.error ? failure(this.#ask.error) : this.isTwin ? this.#twin() : this.#plot()}`;
  }

  #plot(): TemplateResult {
    const matrix = this.#ask.value;
    const over = this.over;
    const i = over ? this.#at(over.sender, over.receiver) : -1;
    return html`<div class="plot" role="group" aria-label="Communication matrix" aria-busy=${this.#ask.isBusy}>
      <canvas
        role="img"
        aria-label=${matrix ? `Communication matrix of ${matrix.rows} rows, ${count(matrix.sender.length)} pairs that exchange messages` : "Communication matrix"}
        @pointermove=${(e: PointerEvent) => (this.over = this.#cell(e))}
        @pointerleave=${() => (this.over = null)}
        @click=${(e: MouseEvent) => {
          const cell = this.#cell(e);
          if (cell) this.#filter(cell.sender, cell.receiver);
        }}
      ></canvas>
      ${matrix && !matrix.sender.length ? html`<p class="note">No messages.</p>` : nothing}
      ${over && matrix
        ? html`<div class="tip number">
            <b>${matrix.labels[over.sender]} → ${matrix.labels[over.receiver]}</b><br />
            ${i < 0
              ? "no messages"
              : html`${counted(matrix.count[i]!, "message")}, ${bytes(matrix.bytes[i]!)}<br />mean ${time(matrix.latency_ns[i]!)}, longest
                  ${time(matrix.longest_ns[i]!)}`}
          </div>`
        : nothing}
    </div>`;
  }

  /** Pairs that exchange messages, largest value first. */
  #pairs(matrix: Matrix): number[] {
    const { value } = this.app.store.state.matrix;
    return Array.from(matrix.sender, (_, i) => i).sort((a, b) => valueOf(matrix, b, value) - valueOf(matrix, a, value));
  }

  table(): { columns: TableColumn[]; count: number } | null {
    const matrix = this.#ask.value;
    if (!matrix) return null;
    const pairs = this.#pairs(matrix);
    const columns: TableColumn[] = [
      { id: "sender", title: "Sender", isNumber: true, cell: (i) => matrix.labels[matrix.sender[pairs[i]!]!] ?? "" },
      { id: "receiver", title: "Receiver", isNumber: true, cell: (i) => matrix.labels[matrix.receiver[pairs[i]!]!] ?? "" },
      ...VALUES.map((v) => numeric(v.id, v.title, (i) => valueOf(matrix, pairs[i]!, v.id), v.text, { width: "minmax(110px, 1fr)", unit: v.unit })),
    ];
    return { columns, count: pairs.length };
  }

  #twin(): TemplateResult {
    const matrix = this.#ask.value;
    const pairs = matrix ? this.#pairs(matrix) : [];
    return html`<mp-vtable
      label="Communication matrix as a table; Enter filters by the row"
      .columns=${this.table()?.columns ?? []}
      .count=${pairs.length}
      @activate=${(e: CustomEvent<number>) => matrix && this.#filter(matrix.sender[pairs[e.detail]!]!, matrix.receiver[pairs[e.detail]!]!)}
    ></mp-vtable>`;
  }
}
