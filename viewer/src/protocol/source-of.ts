/** Where the answers of a page come from: out of the page itself, where it was exported, or else from the server that gave it. */

import { packIn } from "../exported/source";
import { Server, type Source } from "./source";

export function sourceOf(document: Document): Source {
  return packIn(document) ?? new Server(new URL("./api/", document.baseURI).pathname);
}
