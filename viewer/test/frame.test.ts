import { expect, test } from "vitest";
import { FrameError, column, decodeFrame } from "../src/protocol/frame";
import { makeFrame } from "./make-frame";

test("columns are views of the answer, whatever their types and lengths", () => {
  const buffer = makeFrame({ kind: "x", total: 3 }, [
    ["a", "u8", [1, 2, 3]],
    ["b", "f64", [0.5, -1]],
    ["c", "u16", []],
    ["d", "i32", [-1, 7, 9]],
    ["e", "f32", [1.5]],
  ]);
  const frame = decodeFrame<{ total: number }>(buffer);
  expect(frame.head.total).toBe(3);
  expect([...column(frame, "a")]).toEqual([1, 2, 3]);
  expect([...column(frame, "b")]).toEqual([0.5, -1]);
  expect([...column(frame, "c")]).toEqual([]);
  expect([...column(frame, "d")]).toEqual([-1, 7, 9]);
  expect([...column(frame, "e")]).toEqual([1.5]);
  expect(column(frame, "b").buffer).toBe(buffer);
});

test("what is no frame, or not all of one, is refused and not misread", () => {
  const good = makeFrame({}, [["a", "f64", [1, 2]]]);
  expect(() => decodeFrame(new ArrayBuffer(3))).toThrow(FrameError);
  expect(() => decodeFrame(new TextEncoder().encode('{"error": 1}    ').buffer)).toThrow(/not a frame/);
  for (let length = 8; length < good.byteLength; length++) expect(() => decodeFrame(good.slice(0, length)), String(length)).toThrow(FrameError);
  expect(() => column(decodeFrame(good), "b")).toThrow(/no column b/);
  expect(() => decodeFrame(makeFrame({}, [["a", "u64", []]]))).toThrow(/unknown type/);
});
