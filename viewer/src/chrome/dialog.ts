/** Base of the dialogs: the browser's modal dialog, and an event when it closes. */

import { LitElement, css } from "lit";
import { property } from "lit/decorators.js";
import type { App } from "../app";
import { base } from "./styles";

export abstract class DialogElement extends LitElement {
  static override styles = [
    base,
    css`
      dialog {
        background: var(--panel);
        color: var(--text);
        border: 1px solid var(--line-strong);
        border-radius: 10px;
        box-shadow: var(--shadow);
        padding: 0;
        width: min(620px, 92vw);
        max-height: 80vh;
        margin-top: 9vh;
        overflow: hidden;
      }
      dialog[open] {
        display: flex;
        flex-direction: column;
      }
      dialog::backdrop {
        background: rgb(10 14 20 / 40%);
      }
      .head {
        display: flex;
        align-items: center;
        gap: 10px;
        padding: 10px 14px;
        border-bottom: 1px solid var(--line);
      }
      .head h2 {
        font-size: 14px;
        flex: 1;
      }
      .scroll {
        overflow: auto;
        min-height: 0;
      }
    `,
  ];
  @property({ attribute: false }) app!: App;

  override firstUpdated(): void {
    const dialog = this.renderRoot.querySelector("dialog")!;
    // The browser sends "close" with its next picture. By then another dialog may be open, which stays.
    dialog.addEventListener("close", () => this.isConnected && this.app.open(null));
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
    dialog.showModal();
  }

  close(): void {
    this.renderRoot.querySelector("dialog")?.close();
  }
}
