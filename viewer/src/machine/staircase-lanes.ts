/** The sends of exchanges as lines of a picture. */

import { bytes, time } from "../format";
import type { Machine, SendTimes } from "./profile";

export interface Lane {
  /** Title of an exchange, at its first send. */
  head: string;
  method: string;
  name: string;
  send: SendTimes;
  /** Place among the sends of its rank. */
  nth: number;
  /** End of the exchange, ns. */
  end: number;
}

export const lanesOf = (machines: readonly Machine[]): Lane[] =>
  machines.flatMap(({ name, profile }) =>
    (profile.staircases ?? []).flatMap(({ series, bytes: size, sends }) => {
      const end = Math.max(1, ...sends.map((send) => send.end_ns));
      const method = machines.length > 1 ? `${series}, ${name}` : series;
      return sends.map((send, i) => ({
        head: i ? "" : `${method}, ${bytes(size)}: ${time(end)}`,
        method,
        name: `rank ${send.rank}`,
        send,
        nth: i - sends.findIndex(({ rank }) => rank === send.rank),
        end,
      }));
    }),
  );
