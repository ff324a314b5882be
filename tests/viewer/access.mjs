// WCAG 2.2 AA: axe on every view in both themes, keyboard, small windows.

import assert from "node:assert/strict";
import { axeSource, settled, view } from "./harness.mjs";
import { explained, journey, until } from "./journey.mjs";
import { OF_BOTH, OF_ONE, pairsOf, TWINS } from "./registry.mjs";
import { goTo, loop } from "./timeline.mjs";

const SIZES = [
  [1440, 900],
  [1920, 1080],
  [1024, 700],
];
/** Runs and what their ranks are folded by. */
const FOLDED = [
  ["hosts", "host"],
  ["network:hosts", "node"],
  ["split", "comm:1"],
  ["halo", "grid:0"],
];

export async function axe(page, what) {
  // Through the debugger: the page's own policy forbids foreign scripts, as it should.
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const result = await window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return result.violations.map((v) => `${v.id}: ${v.help} (${v.nodes.slice(0, 3).map((n) => n.target.flat().join(" ")).join(" | ")})`);
  });
  assert.deepEqual(violations, [], what);
}

for (const theme of ["light", "dark"]) {
  journey(`axe finds nothing in the overview, ${theme}`, { theme }, async (page) => {
    await until("findings", async () => (await page.locator("mp-findings li").count()) > 0);
    await axe(page, "overview");
  });

  journey(`axe finds nothing in the views, ${theme}`, { theme, hash: "page=views" }, async (page) => {
    const { from, until: to } = await loop(page);
    const states = ["", "&filter=ranks:0-3&call=3~1000", `&area=${from}~${to}~0~4&colour=class`, `&twins=${TWINS}&finding=0`];
    for (const [i, [left, right]] of pairsOf(OF_ONE).entries())
      // Each pane with one of the states and as a table.
      for (const more of new Set([states[i % states.length], states.at(-1)])) {
        await goTo(page, from, to, `&left=${left}&right=${right}${more}`);
        await axe(page, `${left}, ${right} ${more}`);
      }
  });

  for (const [width, height] of SIZES)
    for (const [run, order] of FOLDED)
      journey(`axe finds nothing where ranks are folded: ${run} by ${order}, ${theme}, ${width} × ${height}`, { run, theme, width, height, hash: "page=views" }, async (page) => {
        await explained(page);
        for (const fold of ["all", "but:0"]) {
          await page.evaluate((h) => (location.hash = h), `page=views&order=group:${order};fold:${fold}`);
          await settled(page);
          assert.ok((await page.locator("mp-timeline .groups button").count()) > 1, "names of groups");
          await axe(page, `folded by ${order}, ${fold}`);
        }
        await page.evaluate((h) => (location.hash = h), `page=views&order=group:${order};fold:all&twins=${TWINS}`);
        await settled(page);
        await axe(page, `folded by ${order}, as a table`);
      });

  journey(`axe finds nothing in the dialogs, ${theme}`, { theme, hash: "page=views" }, async (page) => {
    await page.keyboard.press("?");
    await until("help", async () => (await page.locator("mp-help").count()) === 1);
    await axe(page, "help");
    await page.keyboard.press("Escape");
    await until("no help", async () => (await page.locator("mp-help").count()) === 0);
    await page.keyboard.press("Control+Shift+KeyP");
    await until("palette", async () => (await page.locator("mp-palette").count()) === 1);
    await axe(page, "palette");
    await page.keyboard.press("Escape");
    // Keys typed into it are no commands.
    await until("no palette", async () => (await page.locator("mp-palette").count()) === 0);
    await page.keyboard.press("Slash");
    await until("search", async () => (await page.locator("mp-find").count()) === 1);
    await axe(page, "search");
  });
}

for (const theme of ["light", "dark"]) {
  journey(`axe finds nothing where two runs are compared, ${theme}`, { run: "halo+after", theme, hash: "page=compare" }, async (page) => {
    await until("findings", async () => (await page.locator("mp-compare li").count()) > 0);
    await axe(page, "compare");
    await page.keyboard.press("Digit2");
    await settled(page);
    await axe(page, "both timelines");
    for (const { id, title } of OF_BOTH) {
      await goTo(page, 0, 1e9, `&left=${id}&right=table&about=1&align=iteration:3&twins=${TWINS}`);
      await axe(page, `${title}, as tables`);
    }
  });

  journey(`axe finds nothing in an exported page, ${theme}`, { run: "file:halo", theme }, async (page) => {
    await until("findings", async () => (await page.locator("mp-findings li").count()) > 0);
    await axe(page, "overview");
    // What the first finding causes stands in a list that opens; axe looks at it as well.
    await page.locator("mp-findings details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
    await axe(page, "overview, with symptoms");
    await page.locator("mp-findings button", { hasText: "Show in the timeline" }).first().click();
    await settled(page);
    await axe(page, "views");
  });
}

journey("by keyboard alone: to the table, to a row, and its filter", { hash: "page=views&scope=run" }, async (page) => {
  const focused = () =>
    page.evaluate(() => {
      let found = document.activeElement;
      while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
      return `${found?.getAttribute("role")} ${found?.getAttribute("aria-label")}`;
    });
  await page.keyboard.press("Tab");
  for (let i = 0; i < 60 && !/^grid Statistics/.test(await focused()); i++) await page.keyboard.press("Tab");
  assert.match(await focused(), /^grid Statistics/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await until("filtered by the third row", () => view(page).filter);
  assert.equal(view(page).t, undefined, "the arrows did not move the timeline");
});

journey("tabs go with the arrows", { hash: "page=views" }, async (page) => {
  await page.locator('section.pane.left [role="tab"][aria-selected="true"]').focus();
  await page.keyboard.press("ArrowRight");
  await until("the next pane", () => view(page).left === "scatter");
});

for (const [width, height] of [
  [1440, 900],
  [1024, 700],
])
  journey(`nothing is cut off at ${width} × ${height}`, { width, height, hash: "page=views" }, async (page) => {
    await settled(page);
    const beyond = await page.evaluate(([w, h]) => {
      const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
      return all(document.body)
        .filter((e) => ["MAIN", "HEADER", "FOOTER", "SECTION", "ASIDE"].includes(e.tagName) || e.localName.startsWith("mp-"))
        .map((e) => [e.localName, e.getBoundingClientRect()])
        .filter(([, box]) => box.width > 0 && (box.right > w + 1 || box.bottom > h + 1))
        .map(([name, box]) => `${name} to ${Math.round(box.right)}, ${Math.round(box.bottom)}`);
    }, [width, height]);
    assert.deepEqual(beyond, []);
  });

journey("chosen options, column titles and the window's buttons have room", { width: 1024, height: 700, hash: "page=views" }, async (page) => {
  await explained(page);
  for (const [left, order] of [
    ["matrix", "group:grid:1;fold:all"],
    ["moment", "group:comm:1"],
    ["scatter", ""],
  ]) {
    const { from, until: to } = await loop(page);
    await goTo(page, from, to, `&left=${left}&order=${order}&at=${Math.round((from + to) / 2)}`);
    const cut = await page.evaluate(() => {
      const all = (root) => [...root.querySelectorAll("*")].flatMap((e) => [e, ...(e.shadowRoot ? all(e.shadowRoot) : [])]);
      const elements = all(document.body).filter((e) => e.getBoundingClientRect().width > 0);
      const c = document.createElement("canvas").getContext("2d");
      const isCut = (select) => {
        const style = getComputedStyle(select);
        c.font = style.font;
        return c.measureText(select.selectedOptions[0].textContent.trim()).width > select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
      };
      const selects = elements.filter((e) => e.localName === "select" && isCut(e)).map((e) => e.selectedOptions[0].textContent.trim());
      const titles = elements.filter((e) => e.matches('[role="columnheader"] button, [role="columnheader"] span') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0).map((e) => e.textContent.trim());
      return [...selects, ...titles];
    });
    assert.deepEqual(cut, [], left);
    const [bar, last] = [await page.locator("mp-toolbar .bar").boundingBox(), await page.locator("mp-toolbar button", { hasText: "Whole run" }).boundingBox()];
    assert.ok(bar.x + bar.width - (last.x + last.width) < 14, "they are on the right");
  }
});
