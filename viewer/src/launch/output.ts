/** The output of a program, assembled from its pieces. */

/** The page stores no more than the server does. */
const MOST = 1 << 20;

export class Output {
  text = "";
  /** First byte of the next request. */
  until = 0;
  /** Whether a part in between was missed. */
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

/** Without terminal colour escapes; a line that was overwritten shows its last state. */
export function readable(text: string): string {
  return text
    .replace(/\u001b\[[0-9;?]*[ -/]*[@-~]/g, "")
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r(?=[^\n])/g, "");
}
