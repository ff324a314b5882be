/** Reads answers outside the main thread: megabytes that arrive in pieces would block its input. */

import type { CarrierAnswer, CarrierJob } from "./carrier";

const post = (answer: CarrierAnswer, transfer: Transferable[]): void => self.postMessage(answer, { transfer });
const working = new Map<number, AbortController>();

self.onmessage = async (event: MessageEvent<CarrierJob>) => {
  const { id, address } = event.data;
  if (address === null) {
    working.get(id)?.abort();
    return;
  }
  const controller = new AbortController();
  working.set(id, controller);
  try {
    const response = await fetch(address, { signal: controller.signal });
    const body = await response.arrayBuffer();
    post({ id, status: response.status, text: response.statusText, body }, [body]);
  } catch {
    // Aborted, or the server does not answer.
    post({ id, status: 0, text: "", body: null }, []);
  } finally {
    working.delete(id);
  }
};
