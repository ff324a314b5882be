// Bookmarks: kept with the run, on the ruler, in exported pages.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { api, axeSource, exported, folder, open, plot, settled, view } from "./harness.mjs";
import { journey, until } from "./journey.mjs";
import { runOf } from "./runs.mjs";

const file = () => path.join(runOf("one"), "view.notes.json");
const items = (page) => page.locator("mp-notes li");
const kept = () => (fs.existsSync(file()) ? JSON.parse(fs.readFileSync(file(), "utf8")).notes : []);

/** A change from the outside, as `fetch` of a page with these headers would do it. */
const put = (url, body, headers) => fetch(`${url}api/notes`, { method: "PUT", body: typeof body === "string" ? body : JSON.stringify(body), headers: { "content-type": "application/json", ...headers } });

journey("a bookmark is made, written on, marked on the ruler, gone to, and there in the next page", { run: "one", hash: "page=views" }, async (page, url) => {
  const { from_ns, until_ns } = await api(page, "run");
  const [from, to] = [Math.round(from_ns + (until_ns - from_ns) * 0.4), Math.round(from_ns + (until_ns - from_ns) * 0.6)];
  await page.evaluate(([a, b]) => (location.hash = `page=views&t=${a}~${b}&right=histogram`), [from, to]);
  await settled(page);
  await page.keyboard.press("Shift+B");
  await page.locator("mp-notes .add").click();
  await page.locator("mp-notes input").fill("The slow part, =1+1 <b>");
  await page.locator("mp-notes textarea").fill("why?\nlook at rank 0");
  await page.keyboard.press("Control+Enter");
  await until("kept with the run", () => kept().length === 1 && kept()[0].text !== "");
  assert.deepEqual([kept()[0].title, kept()[0].text, kept()[0].at_ns], ["The slow part, =1+1 <b>", "why?\nlook at rank 0", Math.round((from + to) / 2)]);
  assert.equal(fs.statSync(file()).mode & 0o777, 0o600);
  assert.match(await items(page).first().innerText(), /The slow part, =1\+1 <b>[\s\S]*why\?/);
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa"] }));
  assert.deepEqual(violations.map((v) => v.id), []);
  await page.keyboard.press("Escape");

  // In another page of the run: from the overview to the view, and back by the history.
  const { page: next, problems, close } = await open(url, { hash: "page=overview" });
  try {
    await settled(next);
    await until("their number", async () => /Bookmarks\s*1/.test(await next.locator("mp-app header").innerText()));
    await next.locator("mp-app header button", { hasText: "Bookmarks" }).click();
    await items(next).first().locator(".go").click();
    await until("the view", () => view(next).t === `${from}~${to}` && view(next).right === "histogram");
    await next.goBack();
    await until("back", () => view(next).page === "overview");
    // The ribbon is in the middle of the window that was kept, which is elsewhere in another window.
    await next.evaluate(([a, b]) => (location.hash = `page=views&t=${a}~${b}`), [from, from + 2 * (to - from)]);
    await settled(next);
    const box = await plot(next);
    await next.mouse.move(box.left + box.width * 0.25, box.top - 28);
    await until("its title", async () => /The slow part/.test((await next.locator("mp-timeline .plot").getAttribute("title")) ?? ""));
    await next.mouse.click(box.left + box.width * 0.25, box.top - 28);
    await until("gone there", () => view(next).t === `${from}~${to}`);
    // Changed here, taken away and taken back.
    await next.keyboard.press("Shift+B");
    await next.locator("mp-notes button", { hasText: "Edit" }).click();
    await next.locator("mp-notes input").fill("Renamed");
    await next.locator("mp-notes form button", { hasText: "Save" }).click();
    await until("kept", () => kept()[0]?.title === "Renamed");
    await next.locator("mp-notes button", { hasText: "Delete" }).click();
    await until("taken away", () => kept().length === 0);
    await next.locator("mp-notes button", { hasText: "Restore" }).click();
    await until("taken back", () => kept().length === 1);
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
});

journey("no other page changes them: another origin, no origin, no JSON, too much, nonsense", { run: "one", hash: "page=views" }, async (page, url) => {
  const { origin } = new URL(url);
  const { revision } = await api(page, "notes");
  const note = { id: "a", title: "t", text: "", view: "", at_ns: null, rank: null };
  const status = async (body, headers) => (await put(url, body, headers)).status;
  assert.equal(await status({ revision, notes: [note] }, { origin: "http://evil.example" }), 403);
  assert.equal(await status({ revision, notes: [note] }, {}), 403);
  assert.equal(await status({ revision, notes: [note] }, { origin, "content-type": "text/plain" }), 415);
  assert.equal((await fetch(`${origin}/0123/api/notes`)).status, 404);
  for (const body of ["{", [], { revision, notes: [{ ...note, id: "../x" }] }, { revision, notes: [{ ...note, more: 1 }] }, { revision, notes: [note, note] }, { revision, notes: [{ ...note, title: "x".repeat(201) }] }])
    assert.equal(await status(body, { origin }), 400, JSON.stringify(body).slice(0, 80));
  assert.equal(await status({ revision, notes: [{ ...note, text: "x".repeat(2_000_000) }] }, { origin }), 413);
  assert.equal(await status({ revision: "older", notes: [note] }, { origin }), 409);
  assert.equal((await api(page, "notes")).revision, revision, "nothing has changed");
});

journey("an invalid file is reported and kept, and bookmarks stay in the page", { run: "regions", hash: "page=views", allow: [/500/] }, async (page) => {
  const at = path.join(runOf("regions"), "view.notes.json");
  fs.writeFileSync(at, "not mine");
  try {
    await page.reload();
    await settled(page);
    await page.keyboard.press("Shift+B");
    await until("the reason", async () => /Not saved with the run:.*view\.notes\.json is not a list of bookmarks that mpiscope wrote/.test(await page.locator("mp-notes [role=alert]").innerText()));
    await page.locator("mp-notes .add").click();
    await page.locator("mp-notes form button", { hasText: "Save" }).click();
    await until("it is listed", async () => (await items(page).count()) === 1);
    assert.equal(fs.readFileSync(at, "utf8"), "not mine");
  } finally {
    fs.rmSync(at);
  }
});

journey("an exported page has them, and what is changed there stays there", { run: "one", hash: "page=views" }, async (page, url) => {
  const { revision } = await api(page, "notes");
  const note = { id: "a1", title: "Seen from afar", text: "for the ticket", view: "page=views&left=events", at_ns: 1000, rank: 0 };
  assert.equal((await put(url, { revision, notes: [note] }, { origin: new URL(url).origin })).status, 200);
  const html = exported(runOf("one"), "notes.html");
  const before = fs.readFileSync(file(), "utf8");
  const { page: alone, problems, close } = await open(`file://${html}`, { hash: "page=views" });
  try {
    await settled(alone);
    await alone.keyboard.press("Shift+B");
    await until("it", async () => /Seen from afar[\s\S]*for the ticket/.test(await items(alone).first().innerText()));
    assert.match(await alone.locator("mp-notes dialog").innerText(), /lost when it is closed/);
    await alone.locator("mp-notes .add").click();
    await alone.locator("mp-notes form button", { hasText: "Save" }).click();
    await until("two", async () => (await items(alone).count()) === 2);
    await items(alone).first().locator(".go").click();
    await until("its view", () => view(alone).left === "events");
    assert.deepEqual(problems, []);
  } finally {
    await close();
  }
  assert.equal(fs.readFileSync(file(), "utf8"), before);
  assert.ok(fs.readdirSync(folder).includes("notes.html"));
});
