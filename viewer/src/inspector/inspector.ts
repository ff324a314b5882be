/** The selected call, and steps from it to others. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { failure } from "../chrome/failure";
import { base } from "../chrome/styles";
import { swatch } from "../chrome/swatch";
import { keyText } from "../commands/command";
import { COMMANDS } from "../commands/registry";
import { bytes, count, counted, exact, moment, rate, time } from "../format";
import type { CallDetail, CallRef } from "../protocol/types";
import { Watch } from "../watch";

const WALKS: readonly [label: string, previous: string, next: string][] = [
  ["rank", "previous", "next"],
  ["function", "previous-function", "next-function"],
  ["communicator", "previous-comm", "next-comm"],
  ["call site", "previous-site", "next-site"],
  ["message, collective", "along-previous", "along-next"],
  ["longer", "previous-longer", "next-longer"],
];

const WAIT_NAMES: Record<string, string> = {};

/** `late_sender` as readable text. */
export const waitName = (id: string): string => WAIT_NAMES[id] ?? id.replace(/_/g, " ").replace(/\bnxn\b/, "N×N");

@customElement("mp-inspector")
export class Inspector extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        overflow: auto;
        height: 100%;
        min-height: 0;
      }
      .body {
        padding: 8px 10px 14px;
      }
      h2 {
        font-size: 14px;
        display: flex;
        align-items: center;
        gap: 7px;
        overflow-wrap: anywhere;
      }
      h3 {
        margin: 10px 0 3px;
        font-size: 12px;
        color: var(--muted);
        font-weight: 600;
      }
      dl {
        margin: 6px 0 0;
        display: grid;
        grid-template-columns: max-content 1fr;
        gap: 1px 10px;
        font-size: 12px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
      ol {
        margin: 0;
        padding-left: 18px;
        font-size: 12px;
        overflow-wrap: anywhere;
      }
      .link {
        color: var(--accent);
        text-decoration: underline;
        padding: 0 2px;
        min-height: 24px;
        text-align: left;
      }
      .walks {
        display: grid;
        grid-template-columns: auto 1fr auto;
        gap: 2px 4px;
        align-items: center;
        font-size: 12px;
        text-align: center;
      }
      .walks button {
        min-height: 24px;
        min-width: 52px;
        display: inline-flex;
        align-items: center;
        justify-content: center;
        gap: 5px;
      }
      ul {
        margin: 0;
        padding: 0;
        list-style: none;
        font-size: 12px;
      }
      .bad {
        color: var(--bad);
      }
    `,
  ];

  @property({ attribute: false }) app!: App;

  constructor() {
    super();
    new Watch(this);
  }

  override render(): TemplateResult {
    const { app } = this;
    const { selection } = app.store.state;
    if (!selection)
      return html`<div class="body">
        <p class="muted">Click a call in the timeline or a point in the scatter plot, or press <kbd>L</kbd> to select the longest visible call.</p>
        ${this.#walks()}
      </div>`;
    if (app.detailError) return failure(app.detailError);
    const call = app.detail;
    if (!call) return html`<p class="note" role="status">…</p>`;
    return html`<div class="body">${this.#call(call)} ${this.#walks()}</div>`;
  }

  #go(ref: CallRef): void {
    void this.app.goTo(async (signal) => {
      const call = await this.app.client.call(ref, signal);
      return { ...ref, start_ns: call.start_ns, end_ns: call.start_ns + call.duration_ns };
    }, "This call is not available.");
  }

  #call(call: CallDetail): TemplateResult {
    const { app } = this;
    const row = (name: string, value: unknown): TemplateResult | typeof nothing =>
      value === null || value === undefined || value === "" ? nothing : html`<dt>${name}</dt><dd class="number">${value}</dd>`;
    const sent = call.bytes_sent ? bytes(call.bytes_sent) : null;
    const received = call.bytes_received ? bytes(call.bytes_received) : null;
    const moved = call.bytes_sent + call.bytes_received;
    return html`<h2>${swatch(app, call.function_id)} ${call.function}</h2>
      <div class="number"><b>${time(call.duration_ns)}</b> <span class="muted">on rank ${call.world_rank}${app.run && app.run.hosts.length > 1 ? html`, ${call.host}` : nothing}</span></div>
      ${call.is_failed ? html`<div class="bad">The call failed.</div>` : nothing}
      ${call.is_poll ? html`<div class="muted">${counted(call.count, "unsuccessful poll")} merged into one entry</div>` : nothing}
      ${call.is_nested ? html`<div class="muted">Made inside another call</div>` : nothing}
      <dl>
        ${row("start", moment(call.start_ns, 1))} ${row("end", moment(call.end_ns ?? call.start_ns + call.duration_ns, 1))}
        ${row("duration", exact(call.duration_ns))}
        ${row("thread", (app.run?.ranks.threads[call.rank] ?? 1) > 1 ? call.thread : null)}
        ${row("communicator", call.comm)} ${row("peer", call.peer === null ? null : app.worldRank(call.peer))} ${row("root", call.root === null ? null : app.worldRank(call.root))}
        ${row("tag", call.tag)} ${row("sent", sent)} ${row("received", received)}
        ${row("elements", call.elements ? html`${count(call.elements)}${call.datatype ? html` × ${call.datatype}` : nothing}` : null)}
        ${row("throughput", moved && call.duration_ns ? rate((moved / call.duration_ns) * 1e9) : null)}
        ${row("region", call.region)} ${row("iteration", call.iteration)} ${row("call number", count(call.row))}
      </dl>
      ${this.#waits(call)} ${this.#messages(call)} ${this.#collective(call)} ${this.#site(call)}`;
  }

  #site(call: CallDetail): TemplateResult | typeof nothing {
    const { frames, text } = call.site;
    if (!text && !frames.length) return nothing;
    return html`<h3>Called from</h3>
      ${frames.length > 1 ? html`<ol class="mono">${frames.map((frame) => html`<li>${frame}</li>`)}</ol>` : html`<div class="mono">${frames[0] ?? text}</div>`}`;
  }

  #waits(call: CallDetail): TemplateResult | typeof nothing {
    if (!call.waits.length) return nothing;
    return html`<h3>Waits</h3>
      <ul>
        ${call.waits.map(
          (wait) => html`<li>
            ${time(wait.end_ns - wait.start_ns)} ${waitName(wait.kind)}${wait.cause
              ? html`, for <button class="link" @click=${() => this.#go(wait.cause!)}>rank ${this.app.worldRank(wait.cause.rank)}</button>`
              : nothing}
          </li>`,
        )}
      </ul>`;
  }

  #messages(call: CallDetail): TemplateResult | typeof nothing {
    if (!call.messages.length) return nothing;
    const most = 12;
    return html`<h3>Messages</h3>
      <ul>
        ${call.messages.slice(0, most).map(
          (m) => html`<li>
            ${m.direction.startsWith("s") ? "to" : "from"}
            <button class="link" @click=${() => this.#go({ rank: m.rank, row: m.row })}>rank ${this.app.worldRank(m.rank)}</button>
            ${bytes(m.bytes)}, tag ${m.tag}${m.received_ns === null ? ", never received" : html`, ${time(m.received_ns - m.sent_ns)} in flight`}
          </li>`,
        )}
        ${call.messages.length > most ? html`<li class="muted">and ${call.messages.length - most} more</li>` : nothing}
      </ul>`;
  }

  #collective(call: CallDetail): TemplateResult | typeof nothing {
    const c = call.collective;
    if (!c) return nothing;
    return html`<h3>Collective operation</h3>
      <dl>
        <dt>operation</dt><dd>number ${count(c.number)} on ${c.comm}</dd>
        <dt>members</dt><dd>${count(c.members)}${c.missing ? `, ${count(c.missing)} more not recorded` : ""}</dd>
        <dt>arrived within</dt><dd>${time(c.last_start_ns - c.first_start_ns)}</dd>
        ${c.last_rank === null ? nothing : html`<dt>last to arrive</dt><dd>rank ${this.app.worldRank(c.last_rank)}</dd>`}
      </dl>`;
  }

  #walks(): TemplateResult {
    const { app } = this;
    const button = (id: string, sign: string): TemplateResult => {
      const command = COMMANDS.find((c) => c.id === id)!;
      const key = command.keys[0];
      return html`<button class="line" title=${command.title} ?disabled=${!(command.when?.(app) ?? true)} @click=${() => command.run(app)}>
        <span aria-hidden="true">${sign}</span>${key ? html`<kbd aria-hidden="true">${keyText(key)}</kbd>` : nothing}<span class="hidden-text">${command.title}</span>
      </button>`;
    };
    return html`<h3>Step to another call</h3>
      <div class="walks">${WALKS.map(([label, previous, next]) => html`${button(previous, "‹")}<span>${label}</span>${button(next, "›")}`)}</div>`;
  }
}
