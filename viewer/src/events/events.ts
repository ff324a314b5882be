/** Individual calls: around the selected one, or the longest visible ones. */

import { LitElement, type TemplateResult, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { failure, notYet } from "../chrome/failure";
import { base, controls, tablePane } from "../chrome/styles";
import { bytes, count, countShort, counted, moment, time } from "../format";
import type { Calls } from "../protocol/types";
import "../save/button";
import { type Saver, Saving } from "../save/saver";
import { type TableColumn, type VirtualTable, numeric } from "../table/vtable";
import "../table/vtable";
import { Watch } from "../watch";

const LIMIT = 5000;

@customElement("mp-events")
export class EventsPane extends LitElement implements Saver {
  readonly view = "events";
  static override styles = [
    base,
    controls,
    tablePane,
  ];
  @property({ attribute: false }) app!: App;
  readonly #ask = new Ask<Calls>(this);
  #revealed = "";

  constructor() {
    super();
    new Watch(this);
    new Saving(this, this);
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

  table(): { columns: TableColumn[]; count: number; total: number } | null {
    const { app } = this;
    const calls = this.#ask.value;
    if (!calls) return null;
    const sizes = (id: "bytes_sent" | "bytes_received", title: string): TableColumn => numeric(id, title, (i) => calls[id][i]!, (n) => (n ? bytes(n) : ""), { unit: "bytes" });
    const hasPeer = (i: number): boolean => calls.peer[i]! >= 0;
    const columns = [
      numeric("rank", "Rank", (i) => app.worldRank(calls.rank[i]!), String, { width: "52px" }),
      numeric("start", "Start", (i) => calls.start_ns[i]!, (ns) => moment(ns, 1), { width: "minmax(128px, 1.2fr)", unit: "ns" }),
      numeric("duration", "Duration", (i) => calls.duration_ns[i]!, time, { width: "minmax(76px, 0.8fr)", unit: "ns" }),
      { id: "function", title: "Function", width: "minmax(112px, 1.4fr)", cell: (i: number) => app.names?.function(calls.function[i]!) ?? "" },
      { id: "peer", title: "Peer", isNumber: true, width: "52px", cell: (i: number) => (hasPeer(i) ? String(app.worldRank(calls.peer[i]!)) : "") },
      { id: "tag", title: "Tag", isNumber: true, width: "60px", cell: (i: number) => (hasPeer(i) ? String(calls.tag[i]!) : ""), value: (i: number) => (hasPeer(i) ? calls.tag[i]! : null) },
      sizes("bytes_sent", "Sent"),
      sizes("bytes_received", "Received"),
      { id: "comm", title: "Communicator", cell: (i: number) => app.names?.comm(calls.comm[i]!) ?? "" },
      { id: "site", title: "Called from", width: "minmax(180px, 3fr)", cell: (i: number) => app.names?.site(calls.site[i]!) ?? "" },
    ];
    return { columns, count: calls.length, total: calls.head.total };
  }

  override render(): TemplateResult {
    const { app } = this;
    const calls = this.#ask.value;
    return html`<div class="controls">
        <span class="muted">${
          calls
            ? calls.head.is_cut
              ? `the longest ${count(calls.length)} of about ${countShort(calls.head.total)} calls: zoom in or filter to see all`
              : counted(calls.length, "call")
            : "…"
        }</span>
        <span class="space"></span>
        <mp-save .app=${app} view=${this.view}></mp-save>
      </div>
      ${app.run?.state !== "ready"
        ? notYet()
        : this.#ask.error
        ? failure(this.#ask.error)
        : html`<mp-vtable
            label="Calls; Enter selects the call"
            aria-busy=${this.#ask.isBusy}
            .columns=${this.table()?.columns ?? []}
            .count=${calls?.length ?? 0}
            .isSelected=${(i: number) => this.#isSelected(i)}
            empty=${this.#ask.isBusy ? "…" : "No calls."}
            @activate=${(e: CustomEvent<number>) => {
              if (!calls) return;
              const i = e.detail;
              this.#revealed = `${calls.rank[i]}:${calls.row[i]}:${calls.length}`;
              app.show({ rank: calls.rank[i]!, row: calls.row[i]!, start_ns: calls.start_ns[i]!, end_ns: calls.start_ns[i]! + calls.duration_ns[i]! });
            }}
          ></mp-vtable>`}`;
  }
}
