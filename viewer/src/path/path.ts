/** The critical path by rank and place: rank, call or computation, and time. */

import { LitElement, type TemplateResult, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { App } from "../app";
import { Ask } from "../ask";
import { failure, notYet } from "../chrome/failure";
import { swatch } from "../chrome/swatch";
import { base, controls, tablePane } from "../chrome/styles";
import { count, counted, share, time } from "../format";
import type { PathGroups } from "../protocol/types";
import { LAYERS } from "../state/view";
import { fit, stateOf } from "../state/window";
import "../save/button";
import type { Table } from "../save/csv";
import { type Saver, Saving } from "../save/saver";
import type { TableColumn } from "../table/vtable";
import "../table/vtable";
import { Watch } from "../watch";

const LIMIT = 2000;

@customElement("mp-path")
export class PathPane extends LitElement implements Saver {
  static override styles = [base, controls, tablePane];
  readonly view = "path";
  @property({ attribute: false }) app!: App;
  readonly #ask = new Ask<PathGroups>(this);

  constructor() {
    super();
    new Watch(this);
    new Saving(this, this);
  }

  override willUpdate(): void {
    const { app } = this;
    if (app.run?.state !== "ready") return;
    const parameters = { ...app.scope, limit: LIMIT };
    this.#ask.update([parameters, app.growth], (signal) => app.client.pathGroups(parameters, signal));
  }

  /** Shows the longest segment of a row, with the path over the timeline. */
  #show({ rank, longest }: PathGroups["rows"][number]): void {
    const { app } = this;
    const { from_ns: from, until_ns: until, row } = longest;
    const position = app.positions[rank] ?? -1;
    const window = fit(app.window, app.whole, from, until, position < 0 ? null : position);
    const { layers } = app.store.state;
    app.store.set({
      ...stateOf(window, app.whole, app.main),
      ...(row === null ? {} : { selection: { rank, row } }),
      layers: LAYERS.filter((layer) => layer === "path" || layers.includes(layer)),
    });
  }

  override render(): TemplateResult {
    const answer = this.#ask.value;
    const summary = !answer?.rows.length ? "" : `${time(answer.path_ns)} of path, ${answer.is_cut ? `first ${count(answer.rows.length)} of ${counted(answer.total, "place")}` : counted(answer.total, "place")}`;
    return html`<div class="controls">
        <span class="muted">${summary}</span>
        <span class="space"></span>
        <mp-save .app=${this.app} view=${this.view}></mp-save>
      </div>
      ${this.app.run?.state !== "ready" ? notYet() : this.#ask.error ? failure(this.#ask.error) : this.#table(answer)}`;
  }

  /** Why the table is empty. */
  #empty(answer: PathGroups | null): string {
    if (!answer) return "…";
    if (!answer.is_known) return "The critical path of this run is unknown.";
    return answer.is_too_long ? "The path has too many calls here: zoom in." : "The critical path does not pass through here.";
  }

  table(): Table | null {
    const rows = this.#ask.value?.rows ?? [];
    return rows.length ? { columns: this.#columns(rows), count: rows.length } : null;
  }

  #columns(rows: PathGroups["rows"]): TableColumn[] {
    const { app } = this;
    const name = (i: number): string => (rows[i]!.function === null ? "" : (app.names?.function(rows[i]!.function!) ?? ""));
    const text = (i: number): string => {
      const { doing } = rows[i]!;
      const short = name(i).replace(/^MPI_/, "");
      if (doing === "call") return name(i);
      if (doing === "transfer") return `data in flight to ${short || "this call"}`;
      return short ? `computing until ${short}` : "computing";
    };
    const what = (i: number): string | TemplateResult => {
      const { doing, function: id } = rows[i]!;
      return doing === "call" && id !== null ? html`${swatch(app, id)} ${text(i)}` : text(i);
    };
    const longest = (i: number): number => rows[i]!.longest.until_ns - rows[i]!.longest.from_ns;
    const duration = { isNumber: true, unit: "ns", width: "minmax(62px, 1fr)" } as const;
    return [
      { id: "rank", title: "Rank", isNumber: true, width: "56px", cell: (i) => String(app.worldRank(rows[i]!.rank)) },
      { id: "what", title: "What", width: "minmax(165px, 2fr)", cell: what, value: text },
      { id: "where", title: "Where", width: "minmax(140px, 2fr)", help: "Call site; for computing, the call site of the call that ends it", cell: (i) => (rows[i]!.site === null ? "" : app.names?.site(rows[i]!.site) || "unknown") },
      { id: "total", title: "Time", ...duration, cell: (i) => time(rows[i]!.total_ns), value: (i) => rows[i]!.total_ns },
      { id: "share", title: "Share", isNumber: true, width: "minmax(54px, 1fr)", help: "Share of the critical path of all ranks in this time range", cell: (i) => share(rows[i]!.share), value: (i) => rows[i]!.share },
      { id: "count", title: "Count", isNumber: true, width: "minmax(50px, 1fr)", help: "Segments of the path", cell: (i) => count(rows[i]!.count), value: (i) => rows[i]!.count },
      { id: "longest", title: "Longest", ...duration, cell: (i) => time(longest(i)), value: longest },
    ];
  }

  #table(answer: PathGroups | null): TemplateResult {
    const rows = answer?.rows ?? [];
    const columns = this.#columns(rows);
    return html`<mp-vtable
      label="Critical path by rank and place, longest first; Enter shows the longest segment in the timeline"
      aria-busy=${this.#ask.isBusy}
      .columns=${columns.map((column) => ({ ...column, isCut: true }))}
      .count=${rows.length}
      .frozen=${2}
      empty=${this.#empty(answer)}
      @activate=${(e: CustomEvent<number>) => rows[e.detail] && this.#show(rows[e.detail]!)}
    ></mp-vtable>`;
  }
}
