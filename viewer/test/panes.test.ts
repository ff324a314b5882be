import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { PANES, SETTINGS, TWINS, isAbsent, isPane, paneOf, paneThatAsks } from "../src/panes/registry";
import { fromHash, unread } from "../src/state/hash";
import { INITIAL } from "../src/state/view";

test("ids, elements and keys are each used once; a tab is part of its title", () => {
  for (const of of [PANES.map((p) => p.id), PANES.map((p) => p.element), PANES.map((p) => p.key.code)]) expect(new Set(of).size).toBe(PANES.length);
  for (const { tab, title } of PANES) expect(title.toLowerCase()).toContain((tab ?? title).toLowerCase());
});

test("each pane sends a question that the protocol describes, and loads the module of its element", () => {
  const protocol = readFileSync(new URL("../../docs/viewer/protocol.md", import.meta.url), "utf8");
  const registry = readFileSync(new URL("../src/panes/registry.ts", import.meta.url), "utf8");
  for (const { question, element } of PANES) {
    expect(protocol).toMatch(new RegExp(`^## \`(N/)?${question}\\b`, "m"));
    const module = new RegExp(`element: "${element}",\\s+load: \\(\\) => import\\("\\.\\./([^"]+)"\\)`).exec(registry)?.[1];
    expect(readFileSync(new URL(`../src/${module}.ts`, import.meta.url), "utf8")).toContain(`@customElement("${element}")`);
  }
});

test("the settings at first come back from their text, and a text without meaning is refused", () => {
  for (const [pane, { initial, read, write }] of SETTINGS) {
    expect(INITIAL[pane]).toEqual(initial);
    expect(read(write(initial)), pane).toEqual(initial);
    expect(read("?"), pane).toBeNull();
  }
});

test("an unknown pane in a link is reported, and no other is shown instead of an absent one", () => {
  expect(isPane("nowhere")).toBe(false);
  expect(unread("#left=nowhere&right=tree&twins=matrix,nowhere")).toEqual(["left=nowhere", "twins=matrix,nowhere"]);
  expect(TWINS).toContain("timeline");
  expect(fromHash("#left=differences").left).toBe("differences");
  expect(isAbsent(paneOf("differences"), false)).toBe(true);
  expect(isAbsent(paneOf("differences"), true)).toBe(false);
  expect(paneThatAsks("differences")).toBeUndefined();
});
