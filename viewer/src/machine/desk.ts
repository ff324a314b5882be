/** The page of machine profiles as its panes see it: the profiles, the state in the address, theme and messages. */

import type { ReactiveController, ReactiveControllerHost } from "lit";
import type { Theme } from "../palette";
import { ViewError, asViewError } from "../protocol/error";
import { Server } from "../protocol/source";
import { unpack } from "../exported/pack";
import { Desk } from "../runs/desk";
import type { Saver, SavingPage } from "../save/saver";
import type { Machine } from "./profile";
import { type MachineState, type PaneId, fromHash, toHash } from "./state";

export class MachineDesk extends EventTarget implements SavingPage {
  readonly desk = new Desk();
  readonly savers = new Set<Saver>();
  machines: readonly Machine[] = [];
  error: ViewError | null = null;
  isExported = false;
  state: MachineState;
  /** Invalid parts of the address. */
  unread: readonly string[];

  constructor() {
    super();
    ({ state: this.state, unread: this.unread } = fromHash(window.location.hash));
    this.desk.addEventListener("change", () => this.#changed());
    window.addEventListener("hashchange", () => {
      ({ state: this.state, unread: this.unread } = fromHash(window.location.hash));
      this.#changed();
    });
  }

  #changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  async load(document: Document): Promise<void> {
    const pack = document.getElementById("mpiscope-pack")?.textContent;
    this.isExported = !!pack;
    try {
      const answer = pack ? (await unpack(pack)).json("machines") : await (await new Server(new URL("./api/", document.baseURI).pathname).ask("machines", {})).json();
      this.machines = (answer as { machines: Machine[] }).machines;
    } catch (error) {
      this.error = asViewError(error);
    }
    this.#changed();
  }

  /** A change with an entry in the browser's history. */
  set(change: Partial<MachineState>): void {
    // The event of this change arrives later: what is drawn now needs the state already.
    this.state = { ...this.state, ...change };
    this.unread = [];
    const hash = toHash(this.state);
    if (hash !== window.location.hash.replace(/^#/, "")) window.history.pushState(null, "", `#${hash}`);
    this.#changed();
  }

  show(pane: PaneId, keys: readonly string[]): void {
    this.set({ shown: { ...this.state.shown, [pane]: keys } });
  }

  toggleTwin(pane: PaneId): void {
    const { twins } = this.state;
    this.set({ twins: twins.includes(pane) ? twins.filter((twin) => twin !== pane) : [...twins, pane] });
  }

  get theme(): Theme {
    return this.desk.theme;
  }

  get savedName(): string | undefined {
    return this.machines.map((machine) => machine.name).join("-") || undefined;
  }

  caption(title: string): string {
    const facts = this.machines.map(({ name, profile }) => `${name} (${profile.hosts[0]?.processor ?? "unknown processor"}, ${profile.mpi.version.split(",")[0]})`);
    return [...facts, title].join(" · ");
  }

  say(message: string): void {
    this.desk.set({ message });
  }

  fail(error: unknown): void {
    const failure = asViewError(error);
    this.say(`${failure.message}. ${failure.next}`);
  }
}

/** Updates an element when the page has changed. */
export class Follow implements ReactiveController {
  readonly #host: ReactiveControllerHost & { app: MachineDesk };
  readonly #listener = (): void => this.#host.requestUpdate();

  constructor(host: ReactiveControllerHost & { app: MachineDesk }) {
    this.#host = host;
    host.addController(this);
  }

  hostConnected(): void {
    this.#host.app.addEventListener("change", this.#listener);
  }

  hostDisconnected(): void {
    this.#host.app.removeEventListener("change", this.#listener);
  }
}
