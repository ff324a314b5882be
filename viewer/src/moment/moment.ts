/** The state at one moment: the call of each rank, its pending sends and posted receives, messages without a posted receive. */

import { LitElement, type TemplateResult, html, nothing } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { failure, notYet } from "../chrome/failure";
import { base, controls, tablePane } from "../chrome/styles";
import { bytes, moment as momentText, time } from "../format";
import { type Moment, TAG_UNKNOWN } from "../protocol/types";
import "../save/button";
import type { Table } from "../save/csv";
import { type Saver, Saving } from "../save/saver";
import { type TableColumn, numeric } from "../table/vtable";
import "../table/vtable";
import { Watch } from "../watch";
import { type RankSort, STAGE_TITLES, load, sortedRanks, summary } from "./state";

const LIMIT = 2000;

@customElement("mp-moment")
export class MomentPane extends LitElement implements Saver {
  readonly view = "moment";
  static override styles = [
    base,
    controls,
    tablePane,
  ];
  @property({ attribute: false }) app!: App;
  @state() private sort: { id: RankSort; ascending: boolean } = { id: "rank", ascending: true };
  readonly #ask = new Ask<Moment>(this);

  constructor() {
    super();
    new Watch(this);
    new Saving(this, this);
  }

  override willUpdate(): void {
    const { app } = this;
    const at = app.store.state.moment;
    if (app.run?.state !== "ready" || at === null) return;
    // The visible ranks and the filter, at this moment instead of the window.
    const { from: _from, until: _until, duration_min: _min, duration_max: _max, ...restriction } = app.scope;
    const parameters = { ...restriction, at, limit: LIMIT };
    this.#ask.update([parameters, app.growth], (signal) => app.client.moment(parameters, signal));
  }

  override render(): TemplateResult {
    const { app } = this;
    const at = app.store.state.moment;
    const answer = at === null ? null : this.#ask.value;
    const isList = app.store.state.twins.includes("moment");
    const set = (list: boolean): void => {
      const twins = app.store.state.twins.filter((twin) => twin !== "moment");
      app.store.set({ twins: list ? [...twins, "moment"] : twins });
    };
    return html`<div class="controls">
        ${at === null
          ? nothing
          : html`<label>show
                <select aria-label="Ranks or messages" @change=${(e: Event) => set((e.target as HTMLSelectElement).value === "messages")}>
                  <option value="ranks" ?selected=${!isList}>ranks</option>
                  <option value="messages" ?selected=${isList}>messages</option>
                </select></label>
              <span class="number">at ${momentText(at, 1)}</span>
              <span class="muted">${answer ? summary(answer) : "…"}</span>
              <span class="space"></span>
              <button class="line" @click=${() => app.store.set({ moment: null })}>Clear</button>
              <mp-save .app=${app} view=${this.view}></mp-save>`}
      </div>
      ${this.#content(at, answer, isList)}`;
  }

  #content(at: number | null, answer: Moment | null, isList: boolean): TemplateResult {
    if (this.app.run?.state !== "ready") return notYet();
    if (at === null) return html`<p class="note">Click a moment in the timeline or in the curves. This pane shows what each rank does at that moment and which messages are pending.</p>`;
    if (this.#ask.error) return failure(this.#ask.error);
    if (!answer) return html`<p class="note">…</p>`;
    return isList ? this.#messages(answer) : this.#ranks(answer);
  }

  table(): Table | null {
    const { moment, twins } = this.app.store.state;
    const answer = this.#ask.value;
    if (moment === null || !answer) return null;
    if (twins.includes("moment")) return { columns: this.#messageColumns(answer, true), count: answer.messages.length, total: answer.head.total };
    const rows = this.#sorted(answer);
    return { columns: this.#rankColumns(answer, rows, true), count: rows.length };
  }

  #sorted(answer: Moment): number[] {
    return sortedRanks(answer, (rank) => (this.app.positions[rank] ?? -1) >= 0, this.sort.id, this.sort.ascending);
  }

  /** `isSaved`: messages and payload in separate columns. */
  #rankColumns({ ranks, head }: Moment, rows: readonly number[], isSaved = false): TableColumn[] {
    const { app } = this;
    const at = (i: number): number => rows[i]!;
    const isIn = (i: number): boolean => ranks.call_row[at(i)]! >= 0;
    const loads = (id: "sends" | "receives" | "unexpected", title: string, more: Partial<TableColumn>): TableColumn[] => {
      const messages = numeric(id, title, (i) => ranks[id][at(i)]!, String, { isSortable: true, ...more });
      const payload = (i: number): number => ranks[`${id}_bytes`][at(i)]!;
      return isSaved ? [messages, numeric(`${id}_bytes`, `${title}, payload`, payload, String, { unit: "bytes" })] : [{ ...messages, cell: (i) => load(ranks[id][at(i)]!, payload(i)) }];
    };
    const since = (i: number): number => head.at_ns - ranks.call_start_ns[at(i)]!;
    return [
      numeric("rank", "Rank", (i) => app.worldRank(at(i)), String, { isSortable: true, width: "56px" }),
      { id: "in", title: "In", width: "minmax(90px, 1fr)", cell: (i) => (isIn(i) ? (app.names?.function(ranks.call_function[at(i)]!) ?? "") : "computing") },
      { id: "since", title: "For", isNumber: true, isSortable: true, width: "64px", help: "Time since the rank entered this call", cell: (i) => (isIn(i) ? time(since(i)) : ""), value: (i) => (isIn(i) ? since(i) : null), unit: "ns" },
      { id: "waits", title: "Waits", width: "52px", help: "Whether the rank waits for another rank", cell: (i) => (ranks.waits[at(i)] ? "waits" : "") },
      ...loads("sends", "Sends", { width: "84px", help: "Sends that are not completed" }),
      ...loads("receives", "Receives", { width: "84px", help: "Posted receives that are not completed" }),
      ...loads("unexpected", "Unexpected", { width: "96px", help: STAGE_TITLES.unexpected.help }),
    ];
  }

  #ranks(answer: Moment): TemplateResult {
    const { app } = this;
    const { ranks } = answer;
    const rows = this.#sorted(answer);
    const at = (i: number): number => rows[i]!;
    const isIn = (i: number): boolean => ranks.call_row[at(i)]! >= 0;
    return html`<mp-vtable
      label="What each rank does at this moment; Enter selects its call"
      aria-busy=${this.#ask.isBusy}
      .columns=${this.#rankColumns(answer, rows)}
      .count=${rows.length}
      .sort=${this.sort}
      @sort=${(e: CustomEvent<RankSort>) => (this.sort = { id: e.detail, ascending: this.sort.id === e.detail ? !this.sort.ascending : e.detail === "rank" })}
      .isSelected=${(i: number) => app.store.state.selection?.rank === at(i)}
      @activate=${(e: CustomEvent<number>) => {
        const rank = at(e.detail);
        if (isIn(e.detail)) app.select({ rank, row: ranks.call_row[rank]! });
        else app.say(`Rank ${app.worldRank(rank)} is not in an MPI call at this moment.`);
      }}
    ></mp-vtable>`;
  }

  /** `isSaved`: moments instead of time differences. */
  #messageColumns({ messages: m, head }: Moment, isSaved = false): TableColumn[] {
    const { app } = this;
    const rank = (id: number): string => (id >= 0 ? String(app.worldRank(id)) : "");
    const begun = (ns: number): string => (ns < 0 ? "never" : ns <= head.at_ns ? `${time(head.at_ns - ns)} ago` : `in ${time(ns - head.at_ns)}`);
    const stage = (i: number): (typeof STAGE_TITLES)[keyof typeof STAGE_TITLES] => STAGE_TITLES[head.stages[m.stage[i]!]!];
    const when = (id: "sent_ns" | "posted_ns", title: string): TableColumn => ({
      id,
      title,
      isNumber: true,
      width: "minmax(90px, 1fr)",
      cell: (i) => begun(m[id][i]!),
      value: (i) => (m[id][i]! < 0 ? null : m[id][i]!),
      unit: "ns",
    });
    return [
      { id: "stage", title: "State", width: "130px", cell: (i) => (isSaved ? stage(i).title : html`<span title=${stage(i).help}>${stage(i).title}</span>`) },
      { id: "sender", title: "From", isNumber: true, width: "60px", cell: (i) => rank(m.sender[i]!) },
      { id: "receiver", title: "To", isNumber: true, width: "60px", cell: (i) => rank(m.receiver[i]!) },
      { id: "tag", title: "Tag", isNumber: true, width: "60px", cell: (i) => (m.tag[i] === TAG_UNKNOWN ? "any" : String(m.tag[i])), value: (i) => (m.tag[i] === TAG_UNKNOWN ? "any" : m.tag[i]!) },
      numeric("bytes", "Payload", (i) => m.bytes[i]!, bytes, { width: "80px", unit: "bytes" }),
      when("sent_ns", "Sent"),
      when("posted_ns", "Receive posted"),
      { id: "comm", title: "Communicator", width: "minmax(100px, 1fr)", cell: (i) => app.names?.comm(m.comm[i]!) ?? "" },
    ];
  }

  #messages(answer: Moment): TemplateResult {
    const { app } = this;
    const { messages: m } = answer;
    const since = (i: number): number => Math.min(...[m.sent_ns[i]!, m.posted_ns[i]!].filter((ns) => ns >= 0));
    return html`<mp-vtable
      label="Pending messages at this moment, oldest first; Enter selects the call that started the message"
      aria-busy=${this.#ask.isBusy}
      .columns=${this.#messageColumns(answer)}
      .count=${m.length}
      empty="No message is pending at this moment."
      @activate=${(e: CustomEvent<number>) => {
        const i = e.detail;
        const isSend = m.sent_ns[i]! >= 0 && m.sent_ns[i] === since(i);
        app.select(isSend ? { rank: m.sender[i]!, row: m.send_row[i]! } : { rank: m.receiver[i]!, row: m.receive_row[i]! });
      }}
    ></mp-vtable>`;
  }
}
