// The pictures in docs/viewer, from real runs:
//
//   MPISCOPE_BIN_DIR=build/bin node tests/viewer/screenshots.mjs
//
// stencil3 of examples/ on 25 ranks, halo2d on 2, and LAMMPS on 4.

import { spawnSync } from "node:child_process";
import path from "node:path";
import { api, folder, idOf, launcherEnv, mpiscope, open, quit, record, root, scatterOf, serve, settled } from "./harness.mjs";
import { explained } from "./journey.mjs";

const docs = path.join(root, "docs/viewer");

async function shots(run, steps) {
  const server = await serve(run);
  const { page, close } = await open(server.url, { width: 1400, height: 860, hash: "page=views" });
  await explained(page);
  const shot = async (name, hash) => {
    await page.evaluate((h) => (location.hash = h), hash);
    await settled(page);
    await page.screenshot({ path: path.join(docs, `${name}.png`) });
  };
  await steps(page, shot);
  await close();
  await server.stop();
}

const stencil = record("stencil3", 25, "stencil3", ["--iters", "10", "--work", "4000", "--imbalance", "150"]);
await shots(stencil, async (page, shot) => {
  const { iterations } = await api(page, "run");
  const [from, until] = [iterations.from_ns[3], iterations.until_ns[4]];
  await shot("overview", "page=overview");
  await shot("timeline", `page=views&t=${from}~${until}&layers=messages,collectives,waits,regions&left=table&right=matrix`);
  const reduce = await idOf(page, "MPI_Allreduce");
  await shot("by-end", scatterOf(reduce, "end", false));
  await shot("by-start", scatterOf(reduce, "start", false));
  await shot("by-bytes", scatterOf(await idOf(page, "MPI_Alltoallv"), "bytes", true));
});
const picture = path.join(docs, "picture.png");
spawnSync(mpiscope, ["view", stencil, "--png", picture, "--force", "--size", "1400x760"], { stdio: "inherit" });

const halo = record("halo2d", 2, "halo2d", ["--iters", "500", "--work", "40", "--slow-rank", "1"]);
await shots(halo, async (page) => {
  await page.evaluate(() => (location.hash = "page=overview"));
  await page.locator("mp-findings li").first().screenshot({ path: path.join(docs, "finding.png") });
});

const lammps = path.join(folder, "lammps.mpiscope");
const input = path.join(root, "examples/lj256.lmp");
const made = spawnSync(mpiscope, ["run", "-n", "4", "-o", lammps, "--", "lmp", "-in", input, "-var", "steps", "300", "-log", "none"], {
  env: { ...process.env, ...launcherEnv },
  encoding: "utf8",
});
if (made.status === 0) await shots(lammps, (_, shot) => shot("lammps", "page=views&right=matrix"));
else console.error(`without LAMMPS: ${made.stderr.trim().split("\n").at(-1)}`);
await quit();
