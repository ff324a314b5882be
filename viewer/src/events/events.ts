/** Calls one by one: around the selected one, or the longest in sight. */

import { LitElement, type TemplateResult, css, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { failure, notYet } from "../chrome/failure";
import { base, controls } from "../chrome/styles";
import { bytes, count, countShort, counted, moment, time } from "../format";
import type { Calls } from "../protocol/types";
import type { TableColumn, VirtualTable } from "../table/vtable";
import "../table/vtable";
import { Watch } from "../watch";

const LIMIT = 5000;

@customElement("mp-events")
export class EventsPane extends LitElement {
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
      mp-vtable {
        flex: 1;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;
  readonly #ask = new Ask<Calls>(this);
  #revealed = "";

  constructor() {
    super();
    new Watch(this);
  }

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const parameters = { ...app.scope, limit: LIMIT };
    this.#ask.update([parameters, app.growth], (signal) => app.client.calls(parameters, signal));
  }

  #isSelected(i: number): boolean {
    const { selection } = this.app.store.state;
    const calls = this.#ask.value;
    return !!calls && !!selection && calls.rank[i] === selection.rank && calls.row[i] === selection.row;
  }

  override updated(): void {
    const { selection } = this.app.store.state;
    const calls = this.#ask.value;
    const key = `${selection?.rank}:${selection?.row}:${calls?.length}`;
    if (!selection || !calls || key === this.#revealed) return;
    this.#revealed = key;
    for (let i = 0; i < calls.length; i++)
      if (this.#isSelected(i)) {
        const table = this.renderRoot.querySelector<VirtualTable>("mp-vtable");
        void table?.updateComplete.then(() => table.reveal(i));
        return;
      }
  }

  override render(): TemplateResult {
    const { app } = this;
    const calls = this.#ask.value;
    const columns: TableColumn[] = calls
      ? [
          { id: "rank", title: "Rank", isNumber: true, width: "52px", cell: (i) => String(app.worldRank(calls.rank[i]!)) },
          { id: "start", title: "Start", isNumber: true, width: "minmax(128px, 1.2fr)", cell: (i) => moment(calls.start_ns[i]!, 1) },
          { id: "duration", title: "Duration", isNumber: true, width: "minmax(76px, 0.8fr)", cell: (i) => time(calls.duration_ns[i]!) },
          { id: "function", title: "Function", width: "minmax(112px, 1.4fr)", cell: (i) => app.names?.function(calls.function[i]!) ?? "" },
          { id: "peer", title: "Peer", isNumber: true, width: "52px", cell: (i) => (calls.peer[i]! >= 0 ? String(app.worldRank(calls.peer[i]!)) : "") },
          { id: "tag", title: "Tag", isNumber: true, width: "60px", cell: (i) => (calls.peer[i]! >= 0 ? String(calls.tag[i]!) : "") },
          { id: "sent", title: "Sent", isNumber: true, cell: (i) => (calls.bytes_sent[i]! ? bytes(calls.bytes_sent[i]!) : "") },
          { id: "received", title: "Received", isNumber: true, cell: (i) => (calls.bytes_received[i]! ? bytes(calls.bytes_received[i]!) : "") },
          { id: "comm", title: "Communicator", cell: (i) => app.names?.comm(calls.comm[i]!) ?? "" },
          { id: "site", title: "Called from", width: "minmax(180px, 3fr)", cell: (i) => app.names?.site(calls.site[i]!) ?? "" },
        ]
      : [];
    return html`<div class="controls">
        <span class="muted">${
          calls
            ? calls.head.is_cut
              ? `the longest ${count(calls.length)} of about ${countShort(calls.head.total)} calls: zoom in or filter for all`
              : counted(calls.length, "call")
            : "…"
        }</span>
      </div>
      ${app.run?.state !== "ready"
        ? notYet()
        : this.#ask.error
        ? failure(this.#ask.error)
        : html`<mp-vtable
            label="Calls; Enter selects one"
            aria-busy=${this.#ask.isBusy}
            .columns=${columns}
            .count=${calls?.length ?? 0}
            .isSelected=${(i: number) => this.#isSelected(i)}
            empty=${this.#ask.isBusy ? "…" : "No calls here."}
            @activate=${(e: CustomEvent<number>) => {
              if (!calls) return;
              const i = e.detail;
              this.#revealed = `${calls.rank[i]}:${calls.row[i]}:${calls.length}`;
              app.show({ rank: calls.rank[i]!, row: calls.row[i]!, start_ns: calls.start_ns[i]!, end_ns: calls.start_ns[i]! + calls.duration_ns[i]! });
            }}
          ></mp-vtable>`}`;
  }
}
