import { expect, test } from "vitest";
import { matching } from "../src/chrome/palette";
import { type Key, commandFor, isKey, keyText } from "../src/commands/command";
import { COMMANDS } from "../src/commands/registry";
import type { App } from "../src/app";

const event = (code: string, key: string, more: Partial<KeyboardEvent> = {}) => ({ code, key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, ...more });

test("ids, titles and keys are each used once", () => {
  const unique = (values: string[]): void => expect(new Set(values).size, values.filter((v, i) => values.indexOf(v) !== i).join()).toBe(values.length);
  unique(COMMANDS.map((c) => c.id));
  unique(COMMANDS.map((c) => c.title));
  unique(COMMANDS.flatMap((c) => c.keys.map(keyText)));
});

test("every key has a text that people know", () => {
  for (const key of COMMANDS.flatMap((c) => c.keys)) expect(keyText(key)).not.toMatch(/Key|Digit|Bracket|Arrow/);
});

test("letters go by their place, signs by what is typed", () => {
  const zoomIn = COMMANDS.find((c) => c.id === "zoom-in")!;
  expect(zoomIn.keys.some((key: Key) => isKey(key, event("KeyW", "z")))).toBe(true);
  expect(zoomIn.keys.some((key: Key) => isKey(key, event("KeyZ", "w")))).toBe(false);
  const find = COMMANDS.find((c) => c.id === "find")!;
  // On a German keyboard / is Shift+7.
  expect(find.keys.some((key: Key) => isKey(key, event("Digit7", "/", { shiftKey: true })))).toBe(true);
  expect(find.keys.some((key: Key) => isKey(key, event("Slash", "/", { ctrlKey: true })))).toBe(false);
});

test("a command that cannot be done lets its key go", () => {
  const app = { store: { state: { page: "overview" } }, run: null } as unknown as App;
  expect(commandFor(COMMANDS, event("KeyW", "w"), app)).toBeNull();
  expect(commandFor(COMMANDS, event("KeyT", "t"), app)?.id).toBe("theme");
});

test("a key that needs the whole run says so until it is loaded", () => {
  let said = "";
  const app = { store: { state: { page: "views" } }, run: { state: "building" }, say: (text: string) => (said = text) } as unknown as App;
  for (const code of ["Period", "BracketRight", "KeyL"]) {
    said = "";
    commandFor(COMMANDS, event(code, ""), app)!.run(app);
    expect(said).toMatch(/once the run is loaded/);
  }
  (app.run as { state: string }).state = "failed";
  expect(commandFor(COMMANDS, event("Period", "."), app)).toBeNull();
});

test("the palette finds words in any order", () => {
  expect(matching(COMMANDS, "pane left histo").map((c) => c.id)).toEqual(["left-histogram"]);
  expect(matching(COMMANDS, "zoom")[0]!.title).toMatch(/^Zoom/);
  expect(matching(COMMANDS, "no such")).toEqual([]);
});
