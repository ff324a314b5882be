/** Frames: a header in JSON, then columns in memory layout (docs/viewer/protocol.md). */

export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

export interface Frame<Head = Record<string, unknown>> {
  head: Head;
  columns: Map<string, Column>;
  /** The buffer of all columns, for a transfer to a worker. */
  buffer: ArrayBuffer;
}

interface ColumnEntry {
  name: string;
  type: string;
  length: number;
}

const TYPES = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
} as const;

const MAGIC = 0x3146534d; // "MSF1", little-endian

const align = (value: number): number => (value + 7) & ~7;

export class FrameError extends Error {}

/** Views of the columns, without a copy. */
export function decodeFrame<Head>(buffer: ArrayBuffer): Frame<Head> {
  if (buffer.byteLength < 8) throw new FrameError("the answer is shorter than the start of a frame");
  const view = new DataView(buffer);
  if (view.getUint32(0, true) !== MAGIC) throw new FrameError("the answer is not a frame");
  const headLength = view.getUint32(4, true);
  if (8 + headLength > buffer.byteLength) throw new FrameError("the header of the frame is truncated");
  let head: { columns?: unknown };
  try {
    head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, headLength))) as { columns?: unknown };
  } catch {
    throw new FrameError("the header of the frame is not valid JSON");
  }
  // The list of columns. A header field of the same name would hide it, so headers use other names.
  const entries = head.columns;
  if (!Array.isArray(entries)) throw new FrameError("the header of the frame lists no columns");
  const columns = new Map<string, Column>();
  let at = align(8 + headLength);
  for (const entry of entries as ColumnEntry[]) {
    const type = TYPES[entry.type as keyof typeof TYPES];
    if (!type) throw new FrameError(`the frame has a column of unknown type ${entry.type}`);
    const end = at + entry.length * type.BYTES_PER_ELEMENT;
    if (end > buffer.byteLength) throw new FrameError(`the frame is truncated in column ${entry.name}`);
    columns.set(entry.name, new type(buffer, at, entry.length));
    at = align(end);
  }
  return { head: head as Head, columns, buffer };
}

/** A required column. */
export function column<T extends Column>(frame: { columns: Map<string, Column> }, name: string): T {
  const found = frame.columns.get(name);
  if (!found) throw new FrameError(`the frame has no column ${name}`);
  return found as T;
}

const NAMES = new Map<unknown, string>(Object.entries(TYPES).map(([name, type]) => [type, name]));

/** Encodes columns as a frame, for answers that do not come from the server. */
export function encodeFrame(head: object, columns: Record<string, Column>): ArrayBuffer {
  const entries = Object.entries(columns).map(([name, values]) => ({ name, type: NAMES.get(values.constructor), length: values.length }));
  const text = new TextEncoder().encode(JSON.stringify({ ...head, columns: entries }));
  const begin = align(8 + text.length);
  const buffer = new ArrayBuffer(Object.values(columns).reduce((at, values) => align(at + values.byteLength), begin));
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, text.length, true);
  bytes.set(text, 8);
  bytes.fill(32, 8 + text.length, begin);
  let at = begin;
  for (const values of Object.values(columns)) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at = align(at + values.byteLength);
  }
  return buffer;
}
