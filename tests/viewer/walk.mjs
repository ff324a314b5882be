// From event to event.

import assert from "node:assert/strict";
import { settled, view, windowOf, textOf } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { goTo, loop } from "./timeline.mjs";

const selected = (page) => view(page).call?.split("~").map(Number) ?? null;

/** `more`: what else restricts the search. */
async function select(page, text, more = "") {
  const { from } = await loop(page);
  const span = await page.evaluate(async (q) => (await fetch(`api/find?${q}`)).json(), `text=${text}&from=${from}${more}`);
  await goTo(page, span.start_ns - 1e6, span.end_ns + 1e6, `&call=${span.rank}~${span.row}`);
  await until("the inspector", async () => (await page.locator("mp-inspector h2").innerText()).includes(text));
  return span;
}

journey("L selects the longest call in sight; . and , go to the next and back", { hash: "page=views" }, async (page) => {
  const { from, until: to } = await loop(page);
  await goTo(page, from, to);
  await page.keyboard.press("KeyL");
  const [rank, row] = await until("a call", () => selected(page));
  await page.keyboard.press("Period");
  await until("the next call of the rank", () => selected(page)[0] === rank && selected(page)[1] === row + 1);
  await page.keyboard.press("Comma");
  await until("the call before", () => selected(page)[1] === row);
});

journey("] follows a message to its other end", { hash: "page=views" }, async (page) => {
  // At the rim of the grid some go to MPI_PROC_NULL: they have no bytes, and no message.
  const span = await select(page, "MPI_Isend", "&bytes_min=1");
  const detail = await page.evaluate(async (q) => (await fetch(`api/call?${q}`)).json(), `rank=${span.rank}&row=${span.row}`);
  assert.ok(detail.messages.length > 0);
  await page.keyboard.press("BracketRight");
  await until("another rank", () => selected(page)[0] === detail.messages[0].rank);
  await page.keyboard.press("BracketLeft");
  await until("the sender again, or another sender to it", () => selected(page)[0] !== detail.messages[0].rank);
});

journey("] goes through the members of a collective operation, and comes round", { hash: "page=views" }, async (page) => {
  const span = await select(page, "MPI_Allreduce");
  const ranks = new Set();
  for (let i = 0; i < 16; i++) {
    const before = selected(page)[0];
    ranks.add(before);
    await page.keyboard.press("BracketRight");
    await until("the next member", () => selected(page)[0] !== before);
    await until("its details", async () => new RegExp(`on rank ${selected(page)[0]}\\b`).test(await textOf(page, "mp-inspector")));
  }
  assert.equal(ranks.size, 16, "all members");
  assert.equal(selected(page)[0], span.rank, "and back to the first");
});

journey("the same function, the same call site, longer than this", { hash: "page=views" }, async (page) => {
  const span = await select(page, "MPI_Waitall");
  const name = () => page.locator("mp-inspector h2").innerText();
  await page.keyboard.press("KeyG");
  await until("another call", () => selected(page)[1] !== span.row);
  await until("of the same function", async () => (await name()).includes("MPI_Waitall"));
  const before = selected(page);
  await page.keyboard.press("KeyE");
  await until("from the same site", () => selected(page)[1] > before[1]);
  const length = async ([rank, row]) => (await page.evaluate(async (q) => (await fetch(`api/call?${q}`)).json(), `rank=${rank}&row=${row}`)).duration_ns;
  const here = selected(page);
  await settled(page);
  await until("the details", async () => (await textOf(page, "mp-inspector")).includes("call number"));
  await page.keyboard.press("KeyN");
  await until("a longer one", () => selected(page)[1] !== here[1]);
  assert.ok((await length(selected(page))) > (await length(here)));
});

journey("buttons walk, too, and the timeline follows", { hash: "page=views" }, async (page) => {
  await select(page, "MPI_Isend");
  const [rank, row] = selected(page);
  await page.locator("mp-inspector button", { hasText: "›" }).first().click();
  await until("the next call", () => selected(page)[1] === row + 1 && selected(page)[0] === rank);
  // Many steps leave the window; it moves along.
  const [from, to] = windowOf(page);
  await goTo(page, from, from + (to - from) / 50, `&call=${rank}~${row}`);
  for (let i = 0; i < 12; i++) {
    const at = selected(page)[1];
    await page.keyboard.press("Period");
    await until("a step", () => selected(page)[1] === at + 1);
  }
  const [r, n] = selected(page);
  const call = await page.evaluate(async (q) => (await fetch(`api/call?${q}`)).json(), `rank=${r}&row=${n}`);
  const seen = windowOf(page);
  assert.ok(call.start_ns < seen[1] && call.start_ns + call.duration_ns > seen[0], "the call is in sight");
});

journey("F centres the call, and again makes it fit", { hash: "page=views" }, async (page) => {
  const span = await select(page, "MPI_Waitall");
  const length = span.end_ns - span.start_ns;
  await goTo(page, span.start_ns - length, span.end_ns + 60 * length + 4e6, `&call=${span.rank}~${span.row}`);
  await until("the details", async () => (await page.locator("mp-inspector h2").innerText()).includes("Waitall"));
  const width = windowOf(page)[1] - windowOf(page)[0];
  await page.keyboard.press("KeyF");
  const middle = (span.start_ns + span.end_ns) / 2;
  const at = await until("centred", () => Math.abs((windowOf(page)[0] + windowOf(page)[1]) / 2 - middle) < width * 0.01 && windowOf(page));
  assert.ok(Math.abs(at[1] - at[0] - width) < width * 0.01, "as wide as before");
  await page.keyboard.press("KeyF");
  await until("three times as wide as the call", () => Math.abs((windowOf(page)[1] - windowOf(page)[0]) / length - 3) < 0.2);
});

journey("/ searches calls by name", { hash: "page=views" }, async (page) => {
  await page.keyboard.press("Slash");
  await page.keyboard.type("Cart_create");
  await page.keyboard.press("Enter");
  await until("a call", () => selected(page));
  await until("its name", async () => (await page.locator("mp-inspector h2").innerText()).includes("MPI_Cart_create"));
  await page.locator("mp-find input").fill("no such thing");
  await page.keyboard.press("Enter");
  await until("says that there is none", async () => (await page.locator("mp-find [role=status]").innerText()).includes("no such thing"));
  await page.keyboard.press("Escape");
  await until("closed", async () => (await page.locator("mp-find").count()) === 0);
});
