// What is under way at a moment, and numbers over time.

import assert from "node:assert/strict";
import { api, frame, plot, settled, view } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

const rows = (page, pane) => page.locator(`${pane} mp-vtable .body .row`);
const texts = (page, pane) => rows(page, pane).allInnerTexts();

/** The message of a tag; moments in ns. */
async function message(page, tag) {
  const all = await frame(page, "messages?limit=100");
  const at = all.tag.indexOf(tag);
  return { sent: all.sent_ns[at], posted: all.posted_ns[at], received: all.received_ns[at] };
}

/** Looks at a moment by the link that says it. */
async function look(page, ns) {
  await page.evaluate((at) => {
    location.hash = location.hash.replace(/&at=\d+/, "") + `&at=${at}`;
  }, Math.round(ns));
  await settled(page);
}

journey("a moment shows which messages are unexpected, and which receives wait", { run: "queues", hash: "page=views&left=moment&right=curves" }, async (page) => {
  await until("what to do", async () => /Click a moment in the timeline or in the curves/.test(await page.locator("mp-moment .note").innerText()));
  const early = await message(page, 1);
  const late = await message(page, 2);
  assert.ok(early.posted - early.sent > 1e8 && late.sent - late.posted > 1e8, "both wait long enough to be looked at");

  await look(page, (early.sent + early.posted) / 2);
  await until("both messages", async () => /2 pending messages: 1 unexpected, 1 posted/.test(await page.locator("mp-moment .controls").innerText()));
  const [first, second] = await texts(page, "mp-moment");
  assert.match(first, /0[\s\S]*computing[\s\S]*1 · 32 B/, "rank 0 computes, and has an unexpected message of four doubles");
  assert.match(second, /1[\s\S]*MPI_Wait[\s\S]*waits[\s\S]*1 · 128 B/, "rank 1 waits for the receive that it has posted");

  await page.locator("mp-moment select").selectOption("messages");
  await until("a row for each", async () => (await texts(page, "mp-moment")).length === 2);
  const list = (await texts(page, "mp-moment")).join("\n");
  assert.match(list, /unexpected[\s\S]*32 B/);
  assert.match(list, /posted[\s\S]*128 B/);
  await rows(page, "mp-moment").filter({ hasText: "unexpected" }).click();
  await until("the call that sent it", async () => (await page.locator("mp-inspector h2").innerText()).includes("MPI_Send"));

  await look(page, (early.received + late.sent) / 2);
  await until("one is received", async () => /1 pending message: 1 posted/.test(await page.locator("mp-moment .controls").innerText()));
  const end = (await api(page, "run")).until_ns;
  await look(page, end - 1);
  await until("one is never received", async () => /1 unexpected/.test(await page.locator("mp-moment .controls").innerText()));
});

journey("a click into the timeline or into a curve sets the moment, and Escape takes it away", { run: "queues", hash: "page=views&left=moment&right=curves" }, async (page) => {
  const picture = await plot(page);
  await page.mouse.click(picture.left + picture.width * 0.6, picture.top + picture.height * 0.25);
  const clicked = await until("a moment in the address", () => view(page).at);
  const curve = await page.locator("mp-curves .plot").boundingBox();
  await page.mouse.click(curve.x + curve.width * 0.8, curve.y + curve.height / 2);
  await until("another one", () => view(page).at && view(page).at !== clicked);
  await until("its state", async () => (await rows(page, "mp-moment").count()) === 2);
  await page.locator("mp-timeline .plot, mp-timeline").first().focus();
  await page.keyboard.press("Escape");
  await until("no moment", () => !view(page).at);
});

journey("curves count what is in flight, and are a table as well", { run: "queues", hash: "page=views&scope=run&left=curves&curves=messages_in_flight~0" }, async (page) => {
  const { from_ns, until_ns } = await api(page, "run");
  const early = await message(page, 1);
  const curves = await frame(page, `curves?from=${from_ns}&until=${until_ns}&columns=256`);
  const bins = curves.messages_in_flight.length;
  // Mean times length: the time for which messages were in flight, here above all the early one and the lost one.
  assert.ok(Math.max(...curves.messages_in_flight) >= 0.99, "one message is in flight for whole bins");
  assert.ok(bins >= 128 && curves.ranks_waiting.length === bins && Math.max(...curves.ranks_in_mpi) <= 2.001);
  assert.ok(early.sent > from_ns);
  await page.locator("mp-curves button", { hasText: "Table" }).click();
  await until("a row for each bin", async () => Number(await page.locator("mp-curves mp-vtable .scroll").getAttribute("aria-rowcount")) > 100);
  await page.locator("mp-curves select").selectOption("ranks_waiting");
  await settled(page);
  assert.equal(view(page).curves, undefined, "the curve of the beginning needs no place in the address");
});

journey("curves host by host", { run: "large", hash: "page=views&scope=run&left=curves&curves=ranks_in_mpi~1" }, async (page) => {
  const text = await until("how many hosts are left out", async () => {
    const text = await page.locator("mp-curves .controls").innerText();
    return /93 more hosts not drawn/.test(text) && text;
  });
  assert.match(text, /means over/);
  const curves = await frame(page, "curves?by_host=1&columns=16");
  assert.ok(curves.ranks_in_mpi.length >= 64 * 8 && curves.ranks_in_mpi.some((ranks) => ranks > 1), "each host has a curve");
});
