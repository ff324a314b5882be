import { expect, test } from "vitest";
import { load, sortedRanks, summary } from "../src/moment/state";
import type { Moment } from "../src/protocol/types";

/** Three ranks: 0 has an open send, 1 is in a call since 40 ns, 2 has two unexpected messages. */
function moment(stages: number[], total = stages.length): Moment {
  const floats = (...values: number[]): Float64Array => Float64Array.from(values);
  const many = stages.length;
  return {
    head: { at_ns: 100, stages: ["unexpected", "posted", "in_flight", "received"], total, is_cut: total > many } as Moment["head"],
    ranks: {
      call_row: floats(3, 7, -1),
      call_function: Int32Array.of(1, 2, -1),
      call_start_ns: floats(90, 60, -1),
      waits: Uint8Array.of(0, 1, 0),
      sends: Uint32Array.of(1, 0, 0),
      sends_bytes: floats(8, 0, 0),
      receives: Uint32Array.of(0, 0, 0),
      receives_bytes: floats(0, 0, 0),
      unexpected: Uint32Array.of(0, 0, 2),
      unexpected_bytes: floats(0, 0, 4096),
    },
    messages: {
      length: many,
      stage: Uint8Array.from(stages),
      sender: new Int32Array(many),
      receiver: new Int32Array(many),
      send_row: new Float64Array(many),
      sent_ns: new Float64Array(many),
      receive_row: new Float64Array(many),
      posted_ns: new Float64Array(many),
      bytes: new Float64Array(many),
      tag: new Int32Array(many),
      comm: new Int32Array(many),
    },
  };
}

test("messages are counted by what becomes of them", () => {
  expect(summary(moment([]))).toBe("no message is pending");
  expect(summary(moment([2]))).toBe("1 pending message: 1 in flight");
  expect(summary(moment([0, 2, 0]))).toBe("3 pending messages: 2 unexpected, 1 in flight");
  expect(summary(moment([1, 3], 5))).toBe("5 pending messages, of which the 2 oldest: 1 posted, 1 send not completed");
});

test("ranks are sorted by what they have; equal ones by rank", () => {
  const all = (): boolean => true;
  expect(sortedRanks(moment([]), all, "rank", true)).toEqual([0, 1, 2]);
  expect(sortedRanks(moment([]), all, "unexpected", false)).toEqual([2, 0, 1]);
  expect(sortedRanks(moment([]), all, "since", false)).toEqual([1, 0, 2]);
  expect(sortedRanks(moment([]), (rank) => rank !== 1, "sends", false)).toEqual([0, 2]);
});

test("no messages are no text", () => {
  expect(load(0, 0)).toBe("");
  expect(load(2, 4096)).toBe("2 · 4.00 KiB");
});
