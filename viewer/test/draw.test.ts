/** What is drawn over the picture, by the log of a canvas that only writes down. */

import { expect, test } from "vitest";
import type { App } from "../src/app";
import { paintApartGutter } from "../src/timeline/apart";
import { layoutOf, xOf, yOf } from "../src/timeline/geometry";
import { fitted, paintCollectives, paintMessages, paintPath } from "../src/timeline/overlay";
import { paintGutter, paintRuler } from "../src/timeline/frame";
import type { Canvas, Scene } from "../src/timeline/scene";
import { INK } from "../src/timeline/theme";
import { INITIAL, type ViewState } from "../src/state/view";

type Entry = [name: string, ...args: unknown[]];

function recorder(): { canvas: Canvas; log: Entry[] } {
  const log: Entry[] = [];
  const target: Record<string, unknown> = { measureText: (text: string) => ({ width: text.length * 6 }) };
  const canvas = new Proxy(target, {
    get: (t, name: string) => t[name] ?? ((...args: unknown[]) => void log.push([name, ...args])),
    set: (t, name: string, value) => ((t[name] = value), true),
  });
  return { canvas: canvas as unknown as Canvas, log };
}

const window = { from: 0, until: 1000, row_from: 0, row_until: 4 };
const layout = layoutOf(1000, 400, true, 0);

function scene(pictures: object, more: Partial<ViewState> = {}, app: object = {}): Scene {
  return {
    app: {
      store: { state: { ...INITIAL, ...more } },
      positions: Int32Array.from([0, 1, 2, 3]),
      ownPositions: Int32Array.from([0, 1, 2, 3]),
      folded: new Map(),
      rows: 4,
      rankAt: (p: number) => p,
      worldRank: (r: number) => r,
      detail: null,
      order: null,
      run: { iterations: null, ranks: { threads: [1, 1, 1, 1] }, regions: [] },
      ...app,
    } as unknown as App,
    window,
    whole: window,
    layout,
    pictures: { apart: { picture: null, ranks: [] }, ...pictures } as unknown as Scene["pictures"],
    ink: INK.light,
    drag: null,
    hover: null,
  };
}

const messages = (list: [from: number, to: number, sent: number, received: number][], is_cut = false) => ({
  messages: {
    head: { total: list.length, is_cut },
    length: list.length,
    sender: list.map((m) => m[0]),
    receiver: list.map((m) => m[1]),
    send_row: list.map((_, i) => 2 * i),
    receive_done_row: list.map((_, i) => 2 * i + 1),
    sent_ns: list.map((m) => m[2]),
    received_ns: list.map((m) => m[3]),
  },
});

const lines = (log: Entry[]): unknown[][] => log.flatMap((entry, i) => (entry[0] === "lineTo" && log[i - 1]?.[0] === "moveTo" ? [[...log[i - 1]!.slice(1), ...entry.slice(1)]] : []));

const strokes = (log: Entry[]): number => log.filter(([name]) => name === "stroke").length;

test("an arrow goes from the middle of the sender's row to the middle of the receiver's", () => {
  const { canvas, log } = recorder();
  const s = scene(messages([[0, 3, 100, 400]]));
  paintMessages(canvas, s);
  const mid = layout.plotHeight / 8;
  expect(lines(log)[0]).toEqual([xOf(layout, window, 100), yOf(layout, window, 0) + mid, xOf(layout, window, 400), yOf(layout, window, 3) + mid]);
});

test("arrows that lie on each other are faint and have no heads, so that what lies below them is seen", () => {
  const alphaOf = (count: number) => {
    const { canvas, log } = recorder();
    paintMessages(canvas, scene(messages(Array.from({ length: count }, (_, i) => [0, 2, 400 + i / count, 401 + i / count]))));
    return { alpha: (canvas as unknown as { globalAlpha: number }).globalAlpha, heads: log.filter(([name]) => name === "fill").length };
  };
  expect(alphaOf(1)).toEqual({ alpha: 1, heads: 1 });
  expect(alphaOf(500)).toEqual({ alpha: 0.03, heads: 0 });
});

test("an arrow whose end is off the screen is drawn and clipped, one that is outside is not drawn", () => {
  const { canvas, log } = recorder();
  paintMessages(canvas, scene(messages([[0, 1, -500, 300], [1, 2, 900, 5000], [2, 3, 2000, 3000]])));
  expect(strokes(log)).toBe(2);
});

test("messages are not drawn where they are too many to distinguish; those of the selected call are", () => {
  const many = messages([[0, 1, 100, 200]], true);
  const first = recorder();
  paintMessages(first.canvas, scene(many));
  expect(lines(first.log)).toEqual([]);
  const second = recorder();
  paintMessages(second.canvas, scene(many, {}, { detail: { rank: 0, messages: [{ direction: "sent", rank: 2, sent_ns: 100, received_ns: 300 }] } }));
  expect(strokes(second.log)).toBe(1);
});

test("the lines of a collective operation go through its members from top to bottom", () => {
  const { canvas, log } = recorder();
  paintCollectives(
    canvas,
    scene({
      collectives: { head: { total: 1, is_cut: false }, operation: [7], member_offset: [0, 3], rank: [2, 0, 1], row: [5, 5, 5], done_row: [6, 6, 6], start_ns: [30, 10, 20], end_ns: [90, 90, 90] },
    }),
  );
  const points = log.filter(([name]) => name === "moveTo" || name === "lineTo").map(([, x]) => x);
  expect(points).toEqual([10, 20, 30, 90, 90, 90].map((ns) => xOf(layout, window, ns)));
});

test("the critical path is one line from rank to rank", () => {
  const { canvas, log } = recorder();
  paintPath(canvas, scene({ path: { length: 3, rank: [0, 2, 1], from_ns: [0, 300, 600], until_ns: [300, 600, 1000] } }));
  expect(log.filter(([name]) => name === "moveTo").length).toBe(1);
  expect(log.filter(([name]) => name === "lineTo").length).toBe(5);
});

test("rank numbers never overlap, however many ranks there are", () => {
  for (const rows of [1, 16, 100, 10_000]) {
    const { canvas, log } = recorder();
    const s = scene({}, {}, { rows });
    s.window = { ...window, row_until: rows };
    paintGutter(canvas, s);
    const ys = log.filter(([name]) => name === "fillText").map(([, , , y]) => y as number).filter((y) => y > layout.top);
    for (let i = 1; i < ys.length; i++) expect(ys[i]! - ys[i - 1]!).toBeGreaterThanOrEqual(11);
    expect(ys.length).toBeGreaterThan(0);
  }
});

test("the number of a rank that stands apart has the room of those of rows", () => {
  const rows = 10_000;
  const apart = { picture: {}, ranks: [{ rank: 4711, position: 4711, apart_ns: 1, is_computing: true }] };
  const { canvas, log } = recorder();
  const s = scene({ apart }, {}, { rows, positions: Int32Array.from({ length: rows }, (_, rank) => rank) });
  s.window = { ...window, row_until: rows };
  paintGutter(canvas, s);
  paintApartGutter(canvas, s);
  const texts = log.filter(([name]) => name === "fillText").map(([, text, , y]) => [String(text), y as number] as const);
  const [, own] = texts.find(([text]) => text === "4711 ▸")!;
  for (const [text, y] of texts) if (text !== "4711 ▸") expect(Math.abs(y - own), text).toBeGreaterThanOrEqual(11);
});

test("numbers of iterations never overlap, however uneven they are", () => {
  const from = Array.from({ length: 1000 }, (_, i) => (i < 900 ? i * 0.1 : 90 + (i - 900) * 9));
  const { canvas, log } = recorder();
  paintRuler(canvas, scene({}, {}, { run: { iterations: { from_ns: from, until_ns: [...from.slice(1), 1000], count: 1000 } } }));
  const texts = log.filter(([name, text]) => name === "fillText" && /^\d+$/.test(String(text))).map(([, text, x]) => [String(text).length * 6, x as number] as const);
  expect(texts.length).toBeGreaterThan(2);
  for (let i = 1; i < texts.length; i++) expect(texts[i]![1]).toBeGreaterThan(texts[i - 1]![1] + texts[i - 1]![0]);
});

test("a name that does not fit is cut, or left out where nothing of it could be read", () => {
  const { canvas } = recorder();
  expect(fitted(canvas, "Allreduce", 200)).toBe("Allreduce");
  expect(fitted(canvas, "Allreduce", 36)).toBe("Allre…");
  expect(fitted(canvas, "Allreduce", 12)).toBe("");
});
