/** Exchanges of a mesh as multiples of one message. */

import type { Machine, Parameter } from "./profile";

const METHODS: Record<string, string> = { steps_blocking: "blocking", steps_nonblocking: "non-blocking", steps_phased: "phased" };
const PREDICTED = "predicted_steps";

export interface Bar {
  machine: number;
  method: string;
  parameter: Parameter;
}

/** Bars by size, then method, then profile. */
export function barsOf(machines: readonly Machine[]): Bar[] {
  const order = Object.keys(METHODS);
  return machines
    .flatMap(({ profile }, machine) =>
      profile.parameters.filter(({ experiment, id }) => experiment === "steps" && id in METHODS).map((parameter) => ({ machine, method: METHODS[parameter.id]!, parameter })),
    )
    .sort((a, b) => (a.parameter.from_bytes ?? 0) - (b.parameter.from_bytes ?? 0) || order.indexOf(a.parameter.id) - order.indexOf(b.parameter.id) || a.machine - b.machine);
}

/** What the model predicts for blocking sends; it depends on the number of ranks. */
export const predictedOf = (machines: readonly Machine[]): number[] => [
  ...new Set(machines.flatMap(({ profile }) => profile.parameters.filter(({ experiment, id }) => experiment === "steps" && id === PREDICTED).map(({ value }) => value))),
];
