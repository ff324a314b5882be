/** Requests of the launch page. Every request with an effect is a POST, and only this page may send it. */

import { ViewError, asViewError } from "../protocol/error";

export interface Option {
  name: string;
  help: string;
  value_name: string;
  default: string;
  kind: "choice" | "number" | "text";
  choices: string[];
  group: "launching" | "recording";
}

export interface Form {
  directory: string;
  host: string;
  version: string;
  options: Option[];
}

export interface Command {
  program: string[];
  text: string;
  directory: string;
  run: string;
  ranks: number | null;
}

export interface Checked {
  ticket: string;
  command: Command;
}

export interface Progress {
  stage: "idle" | "running" | "stopping" | "ended";
  number: number;
  command: Command | null;
  elapsed_ms: number;
  ranks_up: number;
  output: string;
  from: number;
  until: number;
  code: number | null;
  verdict: string | null;
  view: string | null;
}

export interface Wish {
  program: string;
  ranks: string;
  options: [name: string, value: string][];
}

async function ask<R>(path: string, body?: object): Promise<R> {
  let response: Response;
  try {
    response = await fetch(
      `api/launch/${path}`,
      body ? { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) } : { cache: "no-store" },
    );
  } catch (error) {
    throw asViewError(error);
  }
  const answer = (await response.json().catch(() => null)) as (R & { error?: { what: string; next: string } }) | null;
  if (response.ok && answer) return answer;
  throw new ViewError(response.status, answer?.error?.what ?? `mpiscope answered ${response.status}`, answer?.error?.next ?? "Reload this page.");
}

export const form = (): Promise<Form> => ask("form");
export const progress = (after: number): Promise<Progress> => ask(`progress?after=${after}`);
export const check = (wish: Wish): Promise<Checked> => ask("check", wish);
export const start = (code: string, ticket: string): Promise<Progress> => ask("start", { code, ticket });
export const stop = (code: string): Promise<object> => ask("stop", { code });
