/** The page that starts a program: a form, the command to confirm, its progress, and then its views. */

import { LitElement, type TemplateResult, css, html, nothing } from "lit";
import { customElement, state } from "lit/decorators.js";
import { base } from "../chrome/styles";
import { time } from "../format";
import { type ViewError, asViewError } from "../protocol/error";
import { type Checked, type Form, type Option, type Progress, check, form, progress, start, stop } from "./client";
import { Output, readable } from "./output";

const POLL_MS = 300;
const THEME_KEY = "mpiscope.theme";
/** The last form, so that the next run needs only its changes. The code is never stored. */
const FORM_KEY = "mpiscope.launch";

@customElement("mp-launch")
export class LaunchPage extends LitElement {
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template-rows: 44px minmax(0, 1fr);
        height: 100vh;
      }
      header {
        display: flex;
        gap: 14px;
        align-items: center;
        padding: 0 14px;
        background: var(--panel);
        border-bottom: 1px solid var(--line);
      }
      h1 {
        font-size: 14px;
      }
      main {
        overflow: auto;
        padding: 16px;
        display: grid;
        gap: 14px;
        align-content: start;
        justify-items: center;
      }
      form:not(.line) {
        display: grid;
        gap: 10px;
      }
      section p {
        margin: 0;
      }
      section {
        width: min(860px, 100%);
        background: var(--panel);
        border: 1px solid var(--line);
        border-radius: 10px;
        padding: 14px 18px;
        display: grid;
        gap: 10px;
      }
      h2 {
        font-size: 15px;
      }
      label {
        display: grid;
        align-content: start;
        justify-items: start;
        gap: 3px;
      }
      .wide input {
        width: 100%;
        font-family: var(--mono);
      }
      .options {
        display: grid;
        grid-template-columns: repeat(auto-fill, minmax(250px, 1fr));
        gap: 10px 16px;
        padding-top: 8px;
      }
      .options small,
      label small {
        color: var(--muted);
        font-size: 11px;
      }
      .options input,
      .options select {
        width: 100%;
      }
      summary {
        cursor: pointer;
        min-height: 24px;
        font-weight: 600;
      }
      .line {
        display: flex;
        gap: 10px;
        flex-wrap: wrap;
        align-items: end;
      }
      .go {
        background: var(--accent);
        color: var(--on-accent);
        font-weight: 600;
        padding: 2px 16px;
      }
      .go:hover:not(:disabled) {
        background: var(--accent);
        filter: brightness(1.1);
      }
      pre {
        margin: 0;
        padding: 10px;
        background: var(--bg);
        border: 1px solid var(--line);
        border-radius: 6px;
        font: 12px/1.45 var(--mono);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .output {
        max-height: 46vh;
        min-height: 60px;
        overflow: auto;
      }
      dl {
        display: flex;
        gap: 6px 22px;
        flex-wrap: wrap;
        margin: 0;
      }
      dl div {
        display: flex;
        gap: 6px;
      }
      dt {
        color: var(--muted);
      }
      dd {
        margin: 0;
      }
      .error {
        padding: 0;
      }
    `,
  ];

  @state() private form: Form | null = null;
  @state() private checked: Checked | null = null;
  @state() private progress: Progress | null = null;
  @state() private error: ViewError | null = null;
  @state() private isAsking = false;
  #code = "";
  #output = new Output();
  #number = 0;
  /** The run that this page started: its views open when it ends. */
  #awaited = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.replaceChildren();
    const saved = localStorage.getItem(THEME_KEY);
    document.documentElement.dataset.theme = saved ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
    void this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  async #begin(): Promise<void> {
    try {
      this.form = await form();
      await this.#follow();
    } catch (error) {
      this.error = asViewError(error);
    }
  }

  /** Requests the progress until the program has ended. */
  async #follow(): Promise<void> {
    let now: Progress;
    try {
      now = await progress(this.#output.until);
    } catch (error) {
      this.error = asViewError(error);
      return;
    }
    if (now.number !== this.#number) {
      // Another program: its output starts at the beginning.
      const before = this.#output.until;
      this.#number = now.number;
      this.#output = new Output();
      if (before > 0) return this.#follow();
    }
    this.#output.add(now);
    this.progress = now;
    if (now.stage === "running" || now.stage === "stopping") this.#timer = setTimeout(() => void this.#follow(), POLL_MS);
    else if (now.stage === "ended" && now.view && now.code === 0 && this.#awaited === now.number) location.assign(now.view);
  }

  #value(name: string): string {
    return this.renderRoot.querySelector<HTMLInputElement | HTMLSelectElement>(`[name="${name}"]`)?.value ?? "";
  }

  async #check(event: Event): Promise<void> {
    event.preventDefault();
    const options = (this.form?.options ?? []).map((o): [string, string] => [o.name, this.#value(`option-${o.name}`)]).filter(([, value]) => value.trim());
    const wish = { program: this.#value("program"), ranks: this.#value("ranks"), options };
    localStorage.setItem(FORM_KEY, JSON.stringify(wish));
    await this.#asking(async () => {
      this.checked = await check(wish);
      await this.updateComplete;
      this.renderRoot.querySelector<HTMLInputElement>('[name="code"]')?.focus();
    });
  }

  async #start(event: Event): Promise<void> {
    event.preventDefault();
    const ticket = this.checked?.ticket;
    if (!ticket) return;
    const code = this.#value("code") || this.#code;
    await this.#asking(async () => {
      const now = await start(code, ticket);
      this.#code = code;
      this.checked = null;
      this.#number = now.number;
      this.#awaited = now.number;
      this.#output = new Output();
      await this.#follow();
    });
  }

  async #stop(): Promise<void> {
    const code = this.#code || this.#value("stop-code");
    await this.#asking(async () => {
      await stop(code);
      this.#code = code;
    });
  }

  async #asking(work: () => Promise<void>): Promise<void> {
    this.error = null;
    this.isAsking = true;
    try {
      await work();
    } catch (error) {
      this.error = asViewError(error);
    }
    this.isAsking = false;
  }

  override updated(): void {
    const output = this.renderRoot.querySelector(".output");
    if (output) output.scrollTop = output.scrollHeight;
  }

  override render(): TemplateResult {
    const now = this.progress;
    const isRunning = now?.stage === "running" || now?.stage === "stopping";
    return html`<header>
        <h1>Launch a program</h1>
        <span class="muted">${this.form ? `on ${this.form.host}, recorded by mpiscope ${this.form.version}` : ""}</span>
      </header>
      <main tabindex="-1">
        ${isRunning || !this.form ? nothing : this.#formView(this.form)}
        ${this.checked && !isRunning ? this.#confirm(this.checked) : nothing}
        ${this.error ? html`<section role="alert" class="error"><p class="error"><b>${this.error.message}</b> ${this.error.next}</p></section>` : nothing}
        ${now && now.stage !== "idle" ? this.#progressView(now) : nothing}
      </main>`;
  }

  #formView(form: Form): TemplateResult {
    const last = saved();
    const group = (name: Option["group"], title: string): TemplateResult =>
      html`<details ?open=${form.options.some((o) => o.group === name && last.options.has(o.name))}>
        <summary>${title}</summary>
        <div class="options">${form.options.filter((o) => o.group === name).map((o) => option(o, last.options.get(o.name) ?? ""))}</div>
      </details>`;
    return html`<section aria-label="What to run">
      <form @submit=${(event: Event) => void this.#check(event)} @input=${() => (this.checked = null)}>
        <label class="wide">
          Program and arguments
          <input name="program" required autocomplete="off" spellcheck="false" placeholder="such as ./a.out 100" .value=${last.program} />
          <small>Use quotes as in a shell. No shell reads the line, and nothing is expanded. Paths are relative to ${form.directory}</small>
        </label>
        <div>
          <label>
            <span>Ranks</span>
            <input name="ranks" inputmode="numeric" size="8" autocomplete="off" aria-describedby="about-ranks" .value=${last.ranks} />
          </label>
          <small class="muted" id="about-ranks">Number of processes, such as 4. Leave it empty in a batch job that sets the number</small>
        </div>
        ${group("recording", "Recording")} ${group("launching", "Launching")}
        <div><button class="line" ?disabled=${this.isAsking}>Check</button></div>
      </form>
    </section>`;
  }

  #confirm({ command }: Checked): TemplateResult {
    return html`<section aria-label="Confirm">
      <h2>Command to run</h2>
      <pre>${command.text}</pre>
      <dl>
        <div><dt>directory</dt><dd class="mono">${command.directory}</dd></div>
        <div><dt>run</dt><dd class="mono">${command.run}</dd></div>
      </dl>
      <form class="line" @submit=${(event: Event) => void this.#start(event)}>
        ${this.#code
          ? nothing
          : html`<label>
              Code from the terminal of mpiscope view
              <input name="code" required autocomplete="off" spellcheck="false" size="12" placeholder="xxxx-xxxx" />
            </label>`}
        <button class="go" ?disabled=${this.isAsking}>Run</button>
      </form>
    </section>`;
  }

  #progressView(now: Progress): TemplateResult {
    const { command } = now;
    const isRunning = now.stage !== "ended";
    const text = readable(this.#output.text);
    return html`<section aria-label="Progress">
      <h2>${now.stage === "running" ? "Running" : now.stage === "stopping" ? "Stopping …" : "Ended"}</h2>
      <pre>${command?.text}</pre>
      <dl>
        <div><dt>elapsed</dt><dd class="number">${time(now.elapsed_ms * 1e6)}</dd></div>
        <div><dt>ranks started</dt><dd class="number">${now.ranks_up}${command?.ranks ? ` of ${command.ranks}` : ""}</dd></div>
      </dl>
      ${now.verdict ? html`<p role="status"><b>${now.verdict}</b></p>` : nothing}
      ${isRunning
        ? html`<div class="line">
            ${this.#code ? nothing : html`<label>Code from the terminal <input name="stop-code" autocomplete="off" size="12" /></label>`}
            <button class="line" ?disabled=${this.isAsking || now.stage === "stopping"} @click=${() => void this.#stop()}>Stop</button>
          </div>`
        : now.view
          ? html`<p><a href=${now.view}>Open the views of this run</a></p>`
          : nothing}
      <pre class="output" role="log" tabindex="0" aria-label="Output of the program">${this.#output.isCut ? "… " : ""}${text || "no output yet"}</pre>
    </section>`;
  }
}

function option(o: Option, value: string): TemplateResult {
  const name = `option-${o.name}`;
  const control =
    o.kind === "choice"
      ? html`<select name=${name}>
          <option value="" ?selected=${!value}>${o.default}</option>
          ${o.choices.filter((choice) => choice !== o.default).map((choice) => html`<option ?selected=${choice === value}>${choice}</option>`)}
        </select>`
      : html`<input name=${name} autocomplete="off" spellcheck="false" placeholder=${o.default ? `default: ${o.default}` : ""} inputmode=${o.kind === "number" ? "numeric" : "text"} .value=${value} />`;
  return html`<label><span class="mono">--${o.name}</span>${control}<small>${o.help}</small></label>`;
}

function saved(): { program: string; ranks: string; options: Map<string, string> } {
  try {
    const found = JSON.parse(localStorage.getItem(FORM_KEY) ?? "{}") as { program?: string; ranks?: string; options?: [string, string][] };
    return { program: found.program ?? "", ranks: found.ranks ?? "", options: new Map(found.options ?? []) };
  } catch {
    return { program: "", ranks: "", options: new Map() };
  }
}
