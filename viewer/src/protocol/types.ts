/** The server's answers, as the page uses them. Names as in docs/viewer/protocol.md. */

export type RunState = "building" | "ready" | "failed";

/** A frame of the call tree, an MPI function that it calls, or a rank. */
export interface TreeNode {
  parent: number | null;
  text: string;
  /** Of a leaf. */
  function: number | null;
  rank: number | null;
  /** Set if all calls below have the same one. */
  site: number | null;
  calls: number;
  inclusive_ns: number;
  exclusive_ns: number;
  /** Null where it is unknown. */
  waiting_ns: number | null;
  /** Number of nodes that this one stands for. */
  others?: number;
}

/** Calls by call stack: the root first, each node after its parent. */
export interface Tree {
  nodes: TreeNode[];
  total: number;
  is_cut: boolean;
  rank_time_ns: number;
  basis: Basis;
  /** Whether an answer that is not quick has waiting times. */
  has_finer: boolean;
}

export type Doing = "call" | "computing" | "transfer";

/** The critical path by rank and place, longest first. */
export interface PathGroups {
  rows: {
    rank: number;
    doing: Doing;
    function: number | null;
    site: number | null;
    total_ns: number;
    share: number;
    count: number;
    longest: { from_ns: number; until_ns: number; row: number | null };
  }[];
  total: number;
  is_cut: boolean;
  is_known: boolean;
  is_too_long: boolean;
  path_ns: number;
}

export interface Progress {
  state: RunState;
  /** Share of the store that is available. */
  done: number;
  /** Rank files still to be read for counts and analysis. Absent in pages of older versions. */
  files?: { read: number; of: number } | null;
  /** Whether findings, iterations and waits by rank are available. */
  is_explained: boolean;
  failure: Failure | null;
  /** The program was still running when the run was read. */
  is_writing: boolean;
  /** How often a run that is being written was read again. */
  readings?: number;
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
  is_id: boolean;
}

export interface Iterations {
  count: number;
  from_ns: number[];
  until_ns: number[];
  /** All iterations, grouped where the arrays do not contain all of them. */
  windows?: { first: number[]; from_ns: number[]; until_ns: number } | null;
  phases?: { name: string; from: number; until: number }[];
}

export interface Run extends Progress {
  schema: string;
  id: string | null;
  name: string;
  from_ns: number;
  until_ns: number;
  calls: number;
  command: string[];
  mpi: string | null;
  ranks: {
    count: number;
    world_rank: number[];
    host: number[];
    threads: number[];
    /** The first available call of each rank. */
    first_ns?: number[];
    rows_from_ns: number[];
    rows_until_ns: number[];
    calls_lost: number[];
    /** Those of them that are unreadable because the file is damaged. */
    calls_unreadable?: number[];
  };
  hosts: string[];
  functions: FunctionInfo[];
  classes: { id: string; name: string }[];
  communicators: { id: number; name: string; size: number }[];
  sites: { id: number; text: string }[];
  regions: { id: number; name: string; parent: number | null }[];
  fields: FieldInfo[];
  message_fields: FieldInfo[];
  iterations: Iterations | null;
  /** The process grid, if one with rows and columns was found. Absent in pages of older versions. */
  grid?: { dims: number[]; source: string } | null;
  /** The network that the user has described. Absent in pages of older versions. */
  network?: { has_switches: boolean } | null;
  /** Of a predicted run: from what it was predicted, and how far it can be trusted. Absent in pages of older versions. */
  predicted?: string | null;
  caveats: string[];
  /** Return addresses recorded per call; 1: only the caller. Absent in pages of older versions. */
  stack_depth?: number;
  /** A sentence about the part of the run that cannot be read. */
  unreadable?: string | null;
}

/** Pseudo-id of a cell's entry: waiting inside calls. */
export const WAITING = 65535;

export interface CellsHead {
  bin_ns: number;
  from_ns: number;
  columns_count: number;
  row_from: number;
  rows_per_block: number;
  rows: number;
  is_exact: boolean;
  /** The same request gets finer cells if it is not quick. */
  has_finer?: boolean;
  calls_total: number;
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
  /** Number of the window in its rank, -1 for none. */
  window: Int32Array;
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
  /** The call that completed the receive; the receive itself if it is unknown. */
  receive_done_row: Float64Array;
  sent_ns: Float64Array;
  received_ns: Float64Array;
  bytes: Float64Array;
  tag: Int32Array;
}

/** Messages from one block of positions to another, sent in the same bin of time. */
export interface Bundles {
  /** `basis`: null where the server has no bundles. */
  head: { total: number; bin_ns: number; rows_per_block: number; basis: Basis | null };
  length: number;
  from_ns: Float64Array;
  /** First positions of the blocks. */
  sender: Uint32Array;
  receiver: Uint32Array;
  count: Float64Array;
  bytes: Float64Array;
  /** Mean; -1 where none was received. */
  latency_ns: Float64Array;
}

export interface Collectives {
  head: CallsHead;
  operation: Float64Array;
  function: Uint16Array;
  comm: Int32Array;
  member_offset: Uint32Array;
  rank: Uint32Array;
  row: Float64Array;
  /** The call that completed it; the call itself if none did. */
  done_row: Float64Array;
  start_ns: Float64Array;
  end_ns: Float64Array;
}

export interface Waits {
  head: { kinds: string[]; is_cut?: boolean };
  length: number;
  rank: Uint32Array;
  /** Of the waiting call. */
  row: Float64Array;
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

/** Neighbouring positions with a common property. */
export interface OrderGroup {
  text: string;
  /** Its number in `fold:`. */
  number: number;
  /** Positions: one, if it is folded. */
  from: number;
  until: number;
  /** Number of its ranks. */
  ranks: number;
  is_folded: boolean;
}

export interface Order {
  groups: OrderGroup[];
  unit: string | null;
  /** Position after position. */
  ranks: Uint32Array;
  /** Start of the ranks of each position, and one more; null where each position is one rank. */
  starts: Uint32Array | null;
  value: Float64Array | null;
}

/** A rank that differs from the other visible ones. */
export interface ApartRank {
  rank: number;
  position: number;
  /** For this long, in the window. */
  apart_ns: number;
  /** It computes while the others are in MPI; else the reverse. */
  is_computing: boolean;
}

export interface CallRef {
  rank: number;
  row: number;
}

export interface CallSpan extends CallRef {
  start_ns: number;
  end_ns: number;
}

/** Calls that contain a text: their number, the number before those in `rows`, and these. */
export interface Matches {
  total: number;
  before: number;
  rows: (CallSpan & { function: number; site: number })[];
}

export interface CallMessage {
  direction: "sent" | "received" | string;
  rank: number;
  row: number;
  bytes: number;
  tag: number;
  sent_ns: number;
  /** Null if no call completed it. */
  received_ns: number | null;
}

export interface CallDetail extends CallSpan {
  world_rank: number;
  host: string;
  thread: number;
  function: string;
  function_id: number;
  class: string;
  duration_ns: number;
  count: number;
  comm: string | null;
  peer: number | null;
  tag: number | null;
  root: number | null;
  bytes_sent: number;
  bytes_received: number;
  elements: number;
  datatype: string | null;
  site: { text: string; frames: string[] };
  region: string | null;
  iteration: number | null;
  is_poll: boolean;
  is_failed: boolean;
  is_nested: boolean;
  messages: CallMessage[];
  collective: {
    operation: number;
    number: number;
    comm: string;
    members: number;
    missing: number;
    first_start_ns: number;
    last_start_ns: number;
    last_rank: number | null;
  } | null;
  waits: { kind: string; start_ns: number; end_ns: number; cause: CallRef | null }[];
  near: { previous: CallSpan | null; next: CallSpan | null };
}

export interface Axis {
  field: string;
  min: number;
  max: number;
  is_log: boolean;
}

/** The basis of an answer. */
export type Basis =
  | { kind: "calls" }
  | { kind: "bins"; from_ns: number; until_ns: number; bin_ns: number; share: number }
  | { kind: "sample"; share: number };

export type Of = "calls" | "messages";

export interface Scatter {
  basis: Basis;
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
  basis: Basis;
}

export const CURVE_FIELDS = ["ranks_waiting", "ranks_in_mpi", "calls_per_s", "sent_bytes_per_s", "messages_in_flight", "bytes_in_flight"] as const;
export type CurveField = (typeof CURVE_FIELDS)[number];

/** Numbers over time, curve after curve. */
export interface Curves {
  bin_ns: number;
  from_ns: number;
  /** Bins of each curve. */
  columns: number;
  /** Whether an answer that is not quick has finer bins. */
  has_finer: boolean;
  /** The host of each curve; null for all ranks. */
  hosts: (number | null)[];
  ranks: number[];
  hosts_left_out: number;
  /** A field is absent if a filter leaves no data of it. */
  values: Partial<Record<CurveField, Float64Array>>;
  basis: Basis;
}

export type Stage = "unexpected" | "posted" | "in_flight" | "received";

/** Value for no tag: of calls without one, and of a wildcard receive that got no message. */
export const TAG_UNKNOWN = -2147483648;

/** The run at a moment. */
export interface Moment {
  head: CallsHead & { at_ns: number; stages: Stage[] };
  /** By rank. -1 for a rank that is not in a call. */
  ranks: {
    call_row: Float64Array;
    call_function: Int32Array;
    call_start_ns: Float64Array;
    waits: Uint8Array;
    sends: Uint32Array;
    sends_bytes: Float64Array;
    receives: Uint32Array;
    receives_bytes: Float64Array;
    unexpected: Uint32Array;
    unexpected_bytes: Float64Array;
  };
  /** Oldest first; -1 for an unknown side. */
  messages: {
    length: number;
    stage: Uint8Array;
    sender: Int32Array;
    receiver: Int32Array;
    send_row: Float64Array;
    sent_ns: Float64Array;
    receive_row: Float64Array;
    posted_ns: Float64Array;
    bytes: Float64Array;
    tag: Int32Array;
    comm: Int32Array;
  };
}

export interface GroupKey {
  id: number | null;
  text: string;
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
  basis: Basis;
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
  basis: Basis;
}

/** The change of a group of calls from one run to the other. */
export interface DifferenceRow {
  text: string;
  function: number | null;
  before: Sums | null;
  after: Sums | null;
  difference_ns: number;
  ratio: number | null;
  /** Of one iteration: medians, and whether they differ more than iterations within one run. */
  iteration: {
    before_ns: number;
    after_ns: number;
    interval_ns: [number, number] | null;
    judgement: "changed" | "unknown" | "noise" | "same";
  } | null;
}

export interface Sums {
  id: number | null;
  count: number;
  total_ns: number;
  mean_ns: number;
  max_ns: number;
  bytes: number;
}

export interface Differences {
  by: string;
  rank_time_ns: [number, number];
  rows: DifferenceRow[];
  total: number;
  is_cut: boolean;
  is_judged: boolean;
}

/** A bookmark. */
export interface Note {
  id: string;
  title: string;
  text: string;
  /** The part behind `#` in the address of the page. */
  view: string;
  at_ns: number | null;
  /** By its place in the run. */
  rank: number | null;
}

export interface Notes {
  /** The revision of the bookmarks. */
  revision: string;
  notes: readonly Note[];
}
