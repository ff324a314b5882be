/** Frames as the server writes them, for tests. */

const WRITERS: Record<string, [size: number, (view: DataView, at: number, value: number) => void]> = {
  u8: [1, (v, at, n) => v.setUint8(at, n)],
  u16: [2, (v, at, n) => v.setUint16(at, n, true)],
  u32: [4, (v, at, n) => v.setUint32(at, n, true)],
  i32: [4, (v, at, n) => v.setInt32(at, n, true)],
  f32: [4, (v, at, n) => v.setFloat32(at, n, true)],
  f64: [8, (v, at, n) => v.setFloat64(at, n, true)],
};

const align = (n: number): number => Math.ceil(n / 8) * 8;

export function makeFrame(head: object, columns: [name: string, type: string, values: number[]][]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify({ ...head, columns: columns.map(([name, type, values]) => ({ name, type, length: values.length })) }));
  const size = columns.reduce((at, [, type, values]) => align(at + (WRITERS[type]?.[0] ?? 8) * values.length), align(8 + text.length));
  const buffer = new ArrayBuffer(size);
  const view = new DataView(buffer);
  new Uint8Array(buffer).set(new TextEncoder().encode("MSF1"));
  view.setUint32(4, text.length, true);
  new Uint8Array(buffer).fill(32, 8 + text.length, align(8 + text.length));
  new Uint8Array(buffer).set(text, 8);
  let at = align(8 + text.length);
  for (const [, type, values] of columns) {
    const [bytes, write] = WRITERS[type] ?? [8, () => {}];
    values.forEach((value, i) => write(view, at + i * bytes, value));
    at = align(at + bytes * values.length);
  }
  return buffer;
}
