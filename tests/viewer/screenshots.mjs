// The pictures in docs/viewer, from real runs: all of them, or the named ones:
//
//   MPISCOPE_BIN_DIR=build/bin node tests/viewer/screenshots.mjs
//   MPISCOPE_BIN_DIR=build/bin node tests/viewer/screenshots.mjs compare both
//
// stencil3 of examples/ on 25 ranks, halo2d on 2 and on 16, LAMMPS on 4, and a machine profile. `tests/boundary/test_documents.py` requires that
// this script makes each picture that a document shows.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { api, folder, idOf, launcherEnv, measure, mpiscope, open, quit, record, root, scatterOf, serve, settled } from "./harness.mjs";
import { explained, until } from "./journey.mjs";

const wanted = process.argv.slice(2);
const isWanted = (name) => !wanted.length || wanted.includes(name);
const fileOf = (name) => path.join(root, "docs/viewer", `${name}.png`);

/** A page on one run, or on two, for pictures: `shot(name, hash)` makes one of the page, or of `what` on it. */
async function shots(runs, steps, size = { width: 1400, height: 860 }) {
  const server = await serve(...runs);
  const { page, close } = await open(server.url, { ...size, hash: "page=views" });
  await explained(page);
  const shot = async (name, hash, what = page) => {
    await page.evaluate((h) => (location.hash = h), hash);
    await settled(page);
    if (isWanted(name)) await what.screenshot({ path: fileOf(name) });
  };
  await steps(page, shot);
  await close();
  await server.stop();
}

async function stencil() {
  const run = record("stencil3", 25, "stencil3", ["--iters", "10", "--work", "4000", "--imbalance", "150"]);
  await shots([run], async (page, shot) => {
    const { iterations } = await api(page, "run");
    const [from, to] = [iterations.from_ns[3], iterations.until_ns[4]];
    await shot("overview", "page=overview");
    await shot("timeline", `page=views&t=${from}~${to}&layers=messages,collectives,waits,regions&left=table&right=matrix`);
    const reduce = await idOf(page, "MPI_Allreduce");
    await shot("by-end", scatterOf(reduce, "end", false));
    await shot("by-start", scatterOf(reduce, "start", false));
    await shot("by-bytes", scatterOf(await idOf(page, "MPI_Alltoallv"), "bytes", true));
  });
  if (isWanted("picture")) spawnSync(mpiscope, ["view", run, "--png", fileOf("picture"), "--force", "--size", "1400x760"], { stdio: "inherit" });
}

async function halo() {
  const run = record("halo2d", 2, "halo2d", ["--iters", "500", "--work", "40", "--slow-rank", "1"]);
  await shots([run], (page, shot) => shot("finding", "page=overview", page.locator("mp-findings li").first()));
}

/** Two runs: with a rank that computes longer than the others, and without. */
async function compared() {
  const args = ["--iters", "400", "--work", "20"];
  const runs = [record("before", 16, "halo2d", [...args, "--slow-rank", "5"]), record("after", 16, "halo2d", args)];
  const steps = async (page, shot) => {
    await until("the other run", async () => (await api(page, "1/progress")).is_explained);
    const { iterations } = await api(page, "run");
    const at = Math.floor(iterations.from_ns.length / 2);
    await shot("compare", "page=compare");
    await page.setViewportSize({ width: 1440, height: 900 });
    const [from, to] = [iterations.from_ns[at - 2], iterations.until_ns[at + 2]];
    await shot("both", `page=views&t=${from}~${to}&scope=run&align=iteration:${at}&left=differences&right=scatter`);
  };
  await shots(runs, steps, { width: 1440, height: 1010 });
}

async function lammps() {
  const run = path.join(folder, "lammps.mpiscope");
  const input = path.join(root, "examples/lj256.lmp");
  const made = spawnSync(mpiscope, ["run", "-n", "4", "-o", run, "--", "lmp", "-in", input, "-var", "steps", "300", "-log", "none"], {
    env: { ...process.env, ...launcherEnv },
    encoding: "utf8",
  });
  if (made.status === 0) await shots([run], (_, shot) => shot("lammps", "page=views&right=matrix"));
  else console.error(`without LAMMPS: ${made.stderr.trim().split("\n").at(-1)}`);
}

/** A machine profile: ping-pong and memory of this machine. */
async function machine() {
  const server = await serve(measure("machine", 2, ["pingpong", "memory"], ["--budget", "40", "--max-bytes", "8M"]));
  const { page, close } = await open(server.url, { width: 1400, height: 1250 });
  await settled(page);
  await page.screenshot({ path: fileOf("machine") });
  await close();
  await server.stop();
}

const SETS = [
  { names: ["overview", "timeline", "by-end", "by-start", "by-bytes", "picture"], make: stencil },
  { names: ["finding"], make: halo },
  { names: ["compare", "both"], make: compared },
  { names: ["lammps"], make: lammps },
  { names: ["machine"], make: machine },
];

const unknown = wanted.filter((name) => !SETS.some(({ names }) => names.includes(name)));
if (unknown.length) throw new Error(`no such picture: ${unknown.join(", ")}`);
for (const { names, make } of SETS) if (names.some(isWanted)) await make();
await quit();
