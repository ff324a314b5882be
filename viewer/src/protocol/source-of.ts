/** The source of the answers: the page itself if it was exported, else its server. */

import { packIn } from "../exported/source";
import { Server, type Source } from "./source";

export function sourceOf(document: Document): Source {
  return packIn(document) ?? new Server(new URL("./api/", document.baseURI).pathname);
}
