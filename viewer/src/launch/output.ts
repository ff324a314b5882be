/** What a program has written, put together from the pieces that come. */

/** A page need not keep more than the server does. */
const MOST = 1 << 20;

export class Output {
  text = "";
  /** Byte from which on to ask the next time. */
  until = 0;
  /** Whether a part in between was never seen. */
  isCut = false;

  add(piece: { output: string; from: number; until: number }): void {
    if (piece.from > this.until) this.isCut = true;
    this.text = piece.from < this.until ? piece.output : this.text + piece.output;
    if (this.text.length > MOST) {
      this.text = this.text.slice(-MOST / 2);
      this.isCut = true;
    }
    this.until = piece.until;
  }
}

/** Without the escapes that colour a terminal; a line that was written over shows its last state. */
export function readable(text: string): string {
  return text
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r(?=[^\n])/g, "");
}
