/** The state that all views share: the run, the order of its ranks, the view state and the selected call. */

import type { Colours } from "./colours";
import type { Theme } from "./palette";
import type { Client } from "./protocol/client";
import { ViewError, asViewError, isAbort } from "./protocol/error";
import { Latest } from "./protocol/latest";
import { Turns } from "./protocol/turns";
import type { Report } from "./protocol/report";
import type { CallDetail, CallRef, CallSpan, Order, OrderGroup, Run } from "./protocol/types";
import { Names } from "./names";
import { NoteBook } from "./notes/notes";
import type { Saver, SavingPage } from "./save/saver";
import { caption } from "./save/sheet";
import type { Comparison } from "./runs/comparison";
import type { Desk, Dialog } from "./runs/desk";
import type { SideNumber } from "./runs/side";
import type { ViewStore } from "./state/store";
import type { ViewState } from "./state/view";
import type { Restriction } from "./protocol/params";
import { scopeOf } from "./state/scope";
import { nameOf, widthOf } from "./timeline/groups";
import { type Window, centre, fit, mainOf, stateOf, wholeOf, windowOf } from "./state/window";

/** The length of a run, everywhere on the page: the length of its main part, as in the report. */
export function lengthOf({ run }: Pick<App, "run">): number {
  if (!run) return 0;
  const { from, until } = mainOf(run, wholeOf(run, 1));
  return until - from;
}

/** Interval at which the page requests the progress of a run that is still being read. */
const PROGRESS_MS = 500;

export class App extends EventTarget implements SavingPage {
  readonly client: Client;
  readonly store: ViewStore;
  readonly desk: Desk;
  /** The client that requests it. */
  readonly comparison: Comparison;
  readonly side: SideNumber;
  run: Run | null = null;
  names: Names | null = null;
  report: Report | null = null;
  reportError: ViewError | null = null;
  /** Why there is no run. */
  error: ViewError | null = null;
  order: Order | null = null;
  orderError: ViewError | null = null;
  /** Position of each rank; -1 where it is not shown. */
  positions: Int32Array = new Int32Array(0);
  /** As above, for ranks with a row to themselves; -1 also for ranks of folded groups. */
  ownPositions: Int32Array = new Int32Array(0);
  /** Pixels beside the timeline for the names of groups. */
  groupWidth = 0;
  /** Folded groups, by position. */
  folded: ReadonlyMap<number, OrderGroup> = new Map();
  detail: CallDetail | null = null;
  detailError: ViewError | null = null;
  /** Address of the page that starts programs; null without one. */
  launch: string | null = null;
  /** A counter that grows while a run is being read; when it changes, pictures are requested again. */
  growth = 0;

  readonly notes: NoteBook;

  /** The panes that can be saved. */
  readonly savers = new Set<Saver>();

  /** First start of each region, by name; null where a run has no such region. Requested when two runs are aligned by a region. */
  readonly begins = new Map<string, number | null>();

  readonly #order = new Latest();
  readonly #detail = new Latest();
  readonly #steps = new Turns();
  /** Set while a step selects the next call. */
  #isStep = false;
  #loading: Promise<void> = Promise.resolve();

  constructor(client: Client, store: ViewStore, desk: Desk, comparison: Comparison, side: SideNumber) {
    super();
    this.client = client;
    this.store = store;
    this.desk = desk;
    this.comparison = comparison;
    this.side = side;
    this.notes = new NoteBook(client, () => this.changed());
    store.listen((state, before) => {
      if (state.order !== before.order) void this.#loadOrder();
      if (state.selection?.rank !== before.selection?.rank || state.selection?.row !== before.selection?.row) {
        // A pending step starts at a call that is no longer selected: discard it.
        if (!this.#isStep) this.#steps.clear();
        this.#loadDetail();
      }
      this.changed();
    });
  }

  changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  get theme(): Theme {
    return this.desk.theme;
  }

  get savedName(): string | undefined {
    return this.run?.name;
  }

  caption(title: string): string {
    return caption(this, title);
  }

  get colours(): Colours {
    return this.comparison.colours;
  }

  get hasSingleKeys(): boolean {
    return this.desk.hasSingleKeys;
  }

  get dialog(): Dialog {
    return this.desk.dialog;
  }

  get message(): string {
    return this.desk.message;
  }

  say(text: string): void {
    this.desk.set({ message: text });
  }

  fail(error: unknown, show = (text: string): void => this.say(text)): void {
    if (isAbort(error)) return;
    const failure = asViewError(error);
    show(`${failure.message}. ${failure.next}`);
  }

  setTheme(theme: Theme): void {
    this.desk.set({ theme });
  }

  setSingleKeys(isOn: boolean): void {
    this.desk.set({
      hasSingleKeys: isOn,
      message: isOn ? "Single-key shortcuts are on." : "Single-key shortcuts are off. The command palette (Ctrl+Shift+P) turns them on again.",
    });
  }

  open(dialog: Dialog): void {
    this.desk.set({ dialog });
  }

  async start(): Promise<void> {
    try {
      this.#setRun(await this.client.run());
    } catch (error) {
      this.error = asViewError(error);
      this.changed();
      return;
    }
    // The run is null until the rank files are read.
    if (!this.run?.files) void this.#loadReport();
    void this.#loadOffers();
    void this.notes.load();
    if (this.run?.state === "building" || (this.run?.state === "ready" && (!this.run.is_explained || this.run.is_writing))) void this.#follow();
    await this.#loadOrder();
    this.#loadDetail();
  }

  #setRun(run: Run): void {
    this.run = run;
    this.names = new Names(run);
    if (!this.comparison.isTwo) document.title = `${run.name} – mpiscope`;
    if (!this.order) this.#setNaturalOrder();
    this.changed();
  }

  async #follow(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, PROGRESS_MS));
      try {
        const before = this.run!;
        const progress = await this.client.progress();
        if (before.files && !progress.files && progress.state !== "failed") {
          // The counts are available now, and the report without events.
          this.#setRun({ ...(await this.client.run()), ...progress });
          if (!progress.is_explained) void this.#loadReport();
        } else if (progress.files && progress.files.read !== before.files?.read) this.#setRun({ ...before, ...progress });
        if (progress.state === "building") {
          // The part that is loaded can be requested already.
          if (progress.done !== before.done) this.growth++;
          this.#setRun({ ...this.run!, ...progress });
          continue;
        }
        if (before.state === "building" || (progress.is_explained && !before.is_explained)) {
          this.#setRun(await this.client.run());
          this.growth++;
        }
        if (before.state === "building" && progress.state === "ready") {
          void this.#loadOrder();
          this.#loadDetail();
          this.say("The run is loaded.");
        }
        if (progress.state === "ready" && (progress.readings ?? 0) !== (before.readings ?? 0)) {
          // The run was read again and is longer. View and selection stay where they still exist.
          this.begins.clear();
          this.#setRun(await this.client.run());
          this.growth++;
          void this.#loadOrder();
          this.#loadDetail();
          void this.#loadReport();
          if (!progress.is_writing) this.say("The program has ended; the complete run is loaded.");
        }
        if (progress.is_explained || progress.state === "failed") {
          if (before.is_writing !== progress.is_writing || !before.is_explained) void this.#loadReport();
          if (!progress.is_writing || progress.state === "failed") return;
        }
      } catch (error) {
        this.error = asViewError(error);
        this.changed();
        return;
      }
    }
  }

  async #loadOffers(): Promise<void> {
    try {
      this.launch = (await this.client.offers()).launch;
    } catch {
      // The views work without it.
      return;
    }
    this.changed();
  }

  async #loadReport(): Promise<void> {
    try {
      const report = await this.client.report();
      // The report could not be made; the pictures work without it.
      if (report.error) throw new ViewError(500, report.error.what, report.error.next);
      this.report = report;
      this.reportError = null;
    } catch (error) {
      this.reportError = asViewError(error);
    }
    this.changed();
  }

  /** Requests the first start of a region, once. */
  needBegin(name: string): void {
    const { run, begins } = this;
    if (run?.state !== "ready" || begins.has(name)) return;
    begins.set(name, null);
    const region = run.regions.find((r) => r.name === name);
    if (!region) return;
    this.client.begin(region.id).then(
      (ns) => {
        begins.set(name, ns);
        this.changed();
      },
      (error: unknown) => this.fail(error),
    );
  }

  #setNaturalOrder(): void {
    const count = this.run?.ranks.count ?? 0;
    this.order = null;
    this.positions = this.ownPositions = Int32Array.from({ length: count }, (_, rank) => rank);
    this.folded = new Map();
    this.groupWidth = 0;
  }

  async #loadOrder(): Promise<void> {
    const text = this.store.state.order;
    this.orderError = null;
    if (!text) {
      this.#order.cancel();
      this.#setNaturalOrder();
      this.changed();
      return;
    }
    try {
      const order = await this.#order.run((signal) => this.client.order(text, signal));
      if (!order) return;
      this.#setOrder(order);
    } catch (error) {
      this.orderError = asViewError(error);
      this.fail(error);
    }
    this.changed();
  }

  #setOrder(order: Order): void {
    this.order = order;
    const positions = new Int32Array(this.run?.ranks.count ?? 0).fill(-1);
    const { ranks, starts } = order;
    let row = 0;
    ranks.forEach((rank, at) => {
      if (starts) while (starts[row + 1]! <= at) row++;
      positions[rank] = starts ? row : at;
    });
    this.positions = positions;
    this.folded = new Map(order.groups.filter((group) => group.is_folded).map((group) => [group.from, group]));
    this.groupWidth = widthOf(order.groups);
    this.ownPositions = this.folded.size ? positions.map((position) => (this.folded.has(position) ? -1 : position)) : positions;
  }

  #loadDetail(): void {
    this.#loading = this.#askDetail();
  }

  /** Details of the selected call once they have arrived; null without a selected call. */
  async selected(): Promise<CallDetail | null> {
    for (;;) {
      const loading = this.#loading;
      await loading;
      if (loading === this.#loading) return this.detail;
    }
  }

  async #askDetail(): Promise<void> {
    const ref = this.store.state.selection;
    this.detailError = null;
    if (!ref || this.run?.state !== "ready") {
      this.#detail.cancel();
      this.detail = null;
      this.changed();
      return;
    }
    try {
      const detail = await this.#detail.run((signal) => this.client.call(ref, signal));
      if (detail) this.detail = detail;
    } catch (error) {
      this.detail = null;
      this.detailError = asViewError(error);
    }
    this.changed();
  }

  get rows(): number {
    return (this.order?.starts ? this.order.starts.length - 1 : this.order?.ranks.length) ?? this.run?.ranks.count ?? 0;
  }

  /** The rank at a position; -1 for a folded group or an empty position. */
  rankAt(position: number): number {
    if (this.folded.has(position)) return -1;
    return this.order ? (this.order.ranks[this.order.starts?.[position] ?? position] ?? -1) : position;
  }

  /** The name of the row at a position: `rank 7`, `node17 · 64 ranks`. */
  nameAt(position: number): string {
    const group = this.folded.get(position);
    return group ? nameOf(group) : `rank ${this.worldRank(this.rankAt(position))}`;
  }

  /** Number of a rank in MPI_COMM_WORLD. */
  worldRank(rank: number): number {
    return this.run?.ranks.world_rank[rank] ?? rank;
  }

  /** The rank with this number in MPI_COMM_WORLD. */
  rankOfWorld(worldRank: number): number {
    const at = this.run?.ranks.world_rank.indexOf(worldRank) ?? -1;
    return at >= 0 ? at : worldRank;
  }

  /** The full time range: of both runs, where two are compared. */
  get whole(): Window {
    const own = wholeOf(this.run ?? { from_ns: 0, until_ns: 1 }, this.rows);
    return this.comparison.isTwo ? this.comparison.wholeOf(this.side, own) : own;
  }

  /** Without MPI_Init and MPI_Finalize: the range of the report and its shares. Of both runs, where two are compared. */
  get main(): Window {
    const { whole } = this;
    return this.comparison.isTwo ? this.comparison.mainOf(this.side, whole) : mainOf(this.run, whole);
  }

  get window(): Window {
    return windowOf(this.store.state, this.whole, this.main);
  }

  get scope(): Restriction {
    return this.#scopeOf(this.store.state);
  }

  /** The same without the selected area. */
  get ground(): Restriction {
    return this.#scopeOf({ ...this.store.state, area: null });
  }

  #scopeOf(state: ViewState): Restriction {
    // An exported page has statistics of the whole run and of the time range whose calls it contains.
    const asked = this.client.isExported ? { ...state, isWhole: true } : state;
    return scopeOf(asked, this.window, this.order, this.run?.ranks.count ?? 0, this.run?.functions ?? []);
  }

  setWindow(window: Window, isGesture: boolean): void {
    const change = stateOf(window, this.whole, this.main);
    if (isGesture) this.store.move(change);
    else this.store.set(change);
  }

  /** Selects a call and scrolls to it. */
  show(span: CallSpan, how: "centre" | "fit" = "centre"): void {
    const position = this.positions[span.rank] ?? -1;
    const bring = how === "fit" ? fit : centre;
    const { from, until } = this.window;
    const isInSight = how === "centre" && span.start_ns >= from && span.end_ns <= until;
    const { row_from, row_until } = this.window;
    const isRowInSight = position < 0 || (position >= row_from && position + 1 <= row_until);
    const window = isInSight && isRowInSight ? this.window : bring(this.window, this.whole, span.start_ns, span.end_ns, position < 0 ? null : position);
    this.store.set({ page: "views", selection: { rank: span.rank, row: span.row }, ...stateOf(window, this.whole, this.main) });
  }

  select(ref: CallRef | null): void {
    this.store.set({ selection: ref });
  }

  /** Whether a step from call to call is pending. */
  get isStepping(): boolean {
    return this.#steps.isBusy;
  }

  /**
   * Shows the call that a request finds; reports if there is none. A request starts when the one before it has
   * finished: ten key presses are ten steps, however fast the keys and however slow the answers.
   */
  goTo(ask: (signal: AbortSignal) => Promise<CallSpan | null>, none: string | (() => string), show = (text: string): void => this.say(text)): Promise<void> {
    return this.#steps.add(async (signal) => {
      try {
        const span = await ask(signal);
        if (signal.aborted) return;
        show(span ? "" : typeof none === "string" ? none : none());
        if (!span) return;
        this.#isStep = true;
        this.show(span);
      } catch (error) {
        if (signal.aborted) return;
        this.#steps.clear();
        this.fail(error, show);
      } finally {
        this.#isStep = false;
      }
    });
  }
}
