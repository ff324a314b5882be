/** What the server says, as the page uses it. Names as in docs/viewer/protocol.md. */

export type RunState = "building" | "ready" | "failed";

export interface Progress {
  done: number;
  until_ns: number;
  calls: number;
  what: string;
}

export interface Failure {
  what: string;
  next: string;
}

export interface FunctionInfo {
  id: number;
  name: string;
  class: string;
  calls: number;
  time_ns: number;
  exclusive_ns: number;
  bytes: number;
}

export interface FieldInfo {
  id: string;
  name: string;
  unit: string;
  of: "calls" | "messages";
}

export interface Iterations {
  from_ns: number[];
  until_ns: number[];
  phases?: { name: string; from: number; until: number }[];
}

export interface Run {
  schema: string;
  id: string;
  name: string;
  state: RunState;
  progress: Progress | null;
  failure: Failure | null;
  origin_ns: number;
  from_ns: number;
  until_ns: number;
  calls: number;
  messages: number;
  collectives: number;
  command: string[];
  mpi: string | null;
  languages: string[];
  ranks: {
    count: number;
    world_rank: number[];
    host: number[];
    threads: number[];
    rows_from_ns: number[];
    rows_until_ns: number[];
    calls_lost: number[];
  };
  hosts: string[];
  functions: FunctionInfo[];
  classes: { id: string; name: string }[];
  communicators: { id: number; name: string; size: number }[];
  sites: { id: number; text: string }[];
  regions: { id: number; name: string; parent: number | null }[];
  fields?: FieldInfo[];
  iterations: Iterations | null;
  caveats: string[];
  is_writing: boolean;
}

/** Pseudo-id of a cell's entry: waiting inside of calls. */
export const WAITING = 65535;

export interface CellsHead {
  bin_ns: number;
  from_ns: number;
  bins: number;
  row_from: number;
  rows_per_block: number;
  rows: number;
  is_exact: boolean;
  calls: number;
}

export interface Cells {
  head: CellsHead;
  offset: Uint32Array;
  function: Uint16Array;
  share: Uint16Array;
  calls: Uint32Array;
  longest_ns: Float32Array;
  longest_rank: Int32Array;
  longest_row: Float64Array;
  buffer: ArrayBuffer;
}

export interface CallsHead {
  total: number;
  is_cut: boolean;
}

export interface Calls {
  head: CallsHead;
  length: number;
  rank: Uint32Array;
  thread: Uint16Array;
  row: Float64Array;
  start_ns: Float64Array;
  duration_ns: Float64Array;
  function: Uint16Array;
  count: Uint32Array;
  comm: Int32Array;
  peer: Int32Array;
  tag: Int32Array;
  bytes_sent: Float64Array;
  bytes_received: Float64Array;
  site: Uint32Array;
  region: Int32Array;
  flags: Uint16Array;
}

export const FLAG_POLL = 1;
export const FLAG_FAILED = 2;
export const FLAG_INSIDE = 4;
export const FLAG_NON_BLOCKING = 8;

export interface Messages {
  head: CallsHead;
  length: number;
  sender: Uint32Array;
  receiver: Uint32Array;
  send_row: Float64Array;
  receive_row: Float64Array;
  sent_ns: Float64Array;
  received_ns: Float64Array;
  bytes: Float64Array;
  tag: Int32Array;
}

export interface Collectives {
  head: CallsHead;
  operation: Float64Array;
  function: Uint16Array;
  comm: Int32Array;
  member_offset: Uint32Array;
  rank: Uint32Array;
  row: Float64Array;
  start_ns: Float64Array;
  end_ns: Float64Array;
}

export interface Waits {
  head: { kinds: string[]; is_cut?: boolean };
  length: number;
  rank: Uint32Array;
  start_ns: Float64Array;
  end_ns: Float64Array;
  kind: Uint8Array;
  cause_rank: Int32Array;
}

export interface Regions {
  length: number;
  rank: Uint32Array;
  region: Uint32Array;
  depth: Uint8Array;
  start_ns: Float64Array;
  end_ns: Float64Array;
}

export interface Path {
  length: number;
  rank: Uint32Array;
  from_ns: Float64Array;
  until_ns: Float64Array;
}

export interface Order {
  groups: { text: string; from: number; until: number }[];
  unit: string | null;
  ranks: Uint32Array;
  value: Float64Array | null;
}

export interface CallRef {
  rank: number;
  row: number;
}

export interface CallSpan extends CallRef {
  start_ns: number;
  end_ns: number;
}

export interface CallMessage {
  direction: "sent" | "received" | string;
  rank: number;
  row: number;
  bytes: number;
  tag: number;
  sent_ns: number;
  received_ns: number;
}

export interface CallDetail {
  rank: number;
  row: number;
  thread: number;
  start_ns: number;
  duration_ns: number;
  function: string | number;
  count: number;
  comm: string | number | null;
  peer: number | null;
  tag: number | null;
  bytes_sent: number | null;
  bytes_received: number | null;
  region: string | number | null;
  flags: number;
  site: { text?: string; frames?: { function: string; file: string | null; line: number | null; module?: string }[] } | string | null;
  messages?: CallMessage[];
  message?: CallMessage[];
  collective?: {
    operation: number;
    number: number;
    comm: string | number | null;
    members: number;
    first_start_ns: number;
    last_start_ns: number;
    last_rank: number;
  } | null;
  waits?: { kind: string; start_ns: number; end_ns: number; cause_rank: number | null }[];
  near?: { before?: number | null; after?: number | null; previous?: number | null; next?: number | null };
}

export interface Axis {
  field: string;
  min: number;
  max: number;
  is_log: boolean;
}

export interface Scatter {
  x: Axis;
  y: Axis;
  total: number;
  form: "points" | "density";
  fit: { latency_ns: number; bytes_per_ns: number; r2: number } | null;
  points: { x: Float64Array; y: Float64Array; rank: Uint32Array; row: Float64Array; function: Uint16Array } | null;
  density: { width: number; height: number; count: Uint32Array; function: Uint16Array } | null;
}

export interface Histogram {
  field: string;
  min: number;
  max: number;
  is_log: boolean;
  edges: number[];
  counts: number[];
  time_ns: number[];
  total: number;
}

export interface GroupKey {
  id: number | string | null;
  text: string;
  min?: number;
  max?: number;
}

export interface GroupRow {
  key: GroupKey[];
  count: number;
  total_ns: number;
  mean_ns: number;
  median_ns: number;
  min_ns: number;
  max_ns: number;
  p95_ns: number;
  p99_ns: number;
  sd_ns: number;
  share: number;
  bytes: number;
}

export interface Groups {
  rows: GroupRow[];
  total: number;
  is_cut: boolean;
}

export interface Matrix {
  rows: number;
  labels: string[];
  ranks_per_block: number;
  sender: Uint32Array;
  receiver: Uint32Array;
  count: Float64Array;
  bytes: Float64Array;
  longest_ns: Float64Array;
  latency_ns: Float64Array;
}
