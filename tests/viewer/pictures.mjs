// The three pictures that everybody who has looked at a synchronising collective operation knows, on 25 ranks: its
// duration over its end (columns), over its begin (lines that slant down), and a duration over bytes.

import assert from "node:assert/strict";
import { api, colours, idOf, scatterOf, settled } from "./harness.mjs";
import { journey, until } from "./journey.mjs";

/** Points of a scatter plot, as the page gets them. */
function points(page, question) {
  return page.evaluate(async (q) => {
    const answer = await (await fetch(`api/scatter?width=400&height=200&points=50000&${q}`)).arrayBuffer();
    const length = new DataView(answer).getUint32(4, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(answer, 8, length)));
    const at = Math.ceil((8 + length) / 8) * 8;
    const count = head.columns[0].length;
    return { fit: head.fit, x: [...new Float64Array(answer, at, count)], y: [...new Float64Array(answer, at + 8 * count, count)] };
  }, question);
}

const spread = (values) => Math.max(...values) - Math.min(...values);

/** Beginning and duration of the members of each operation of a function. */
function operations(page, name) {
  return page.evaluate(async (wanted) => {
    const run = await (await fetch("api/run")).json();
    const id = run.functions.find((f) => f.name === wanted).id;
    const answer = await (await fetch(`api/collectives?limit=500&functions=${id}`)).arrayBuffer();
    const length = new DataView(answer).getUint32(4, true);
    const head = JSON.parse(new TextDecoder().decode(new Uint8Array(answer, 8, length)));
    const kinds = { u16: Uint16Array, u32: Uint32Array, i32: Int32Array, f64: Float64Array };
    const columns = {};
    let at = Math.ceil((8 + length) / 8) * 8;
    for (const { name, type, length: n } of head.columns) {
      columns[name] = new kinds[type](answer, at, n);
      at += Math.ceil((n * kinds[type].BYTES_PER_ELEMENT) / 8) * 8;
    }
    const { member_offset: offset, start_ns: start, end_ns: end } = columns;
    return Array.from({ length: columns.operation.length }, (_, i) => {
      const members = [];
      for (let m = offset[i]; m < offset[i + 1]; m++) members.push([start[m], end[m] - start[m]]);
      return members;
    });
  }, name);
}

journey("duration by end: a synchronising operation is a column", { run: "stencil", hash: "page=views&scope=run" }, async (page) => {
  const id = await idOf(page, "MPI_Allreduce");
  const { x } = await points(page, `x=end&y=duration&functions=${id}`);
  assert.equal(x.length, 11 * 25);
  const columns = await operations(page, "MPI_Allreduce");
  assert.equal(columns.length, 11, "one for the warm-up, ten for the iterations");
  const isHigh = (column) => spread(column.map(([start, took]) => start + took)) < spread(column.map(([, took]) => took));
  assert.ok(columns.filter(isHigh).length >= 9, "they are higher than wide");
  await page.evaluate((hash) => (location.hash = hash), scatterOf(id, "end", false));
  await settled(page);
  assert.ok((await colours(page, "mp-scatter")) > 3);
});

journey("duration by begin: the same calls slant down, as who comes early waits longer", { run: "stencil", hash: "page=views&scope=run" }, async (page) => {
  const id = await idOf(page, "MPI_Allreduce");
  const lines = await operations(page, "MPI_Allreduce");
  const slopes = lines.map((line) => {
    const mean = (at) => line.reduce((sum, p) => sum + p[at], 0) / line.length;
    const [mx, my] = [mean(0), mean(1)];
    return line.reduce((sum, p) => sum + (p[0] - mx) * (p[1] - my), 0) / line.reduce((sum, p) => sum + (p[0] - mx) ** 2, 0);
  });
  // Who comes later waits less: ns for ns on a quiet machine; on a busy one ranks leave when they get a core.
  assert.ok(slopes.filter((slope) => slope < -0.2).length >= 9, `slopes ${slopes.map((s) => s.toFixed(2))}`);
  await page.evaluate((hash) => (location.hash = hash), scatterOf(id, "start", false));
  await settled(page);
  assert.ok((await colours(page, "mp-scatter")) > 3);
});

journey("duration by bytes, both logarithmic: latency, then bandwidth, with a fit", { run: "stencil", hash: "page=views&scope=run" }, async (page) => {
  const id = await idOf(page, "MPI_Alltoallv");
  const { x, fit } = await points(page, `x=bytes&y=duration&x_log=1&y_log=1&functions=${id}`);
  assert.ok(new Set(x).size >= 6, `sizes ${[...new Set(x)]}`);
  // Where ranks take turns on few cores, larger ones need not take longer, and then there is no line.
  assert.ok(fit === null || (fit.latency_ns >= 0 && fit.bytes_per_ns > 0), JSON.stringify(fit));
  await page.evaluate((hash) => (location.hash = hash), scatterOf(id, "bytes", true));
  await settled(page);
  await until("points", async () => (await colours(page, "mp-scatter")) > 3);
});

journey("25 ranks with three phases in each iteration: regions are named, the grid is found", { run: "stencil", hash: "page=views" }, async (page) => {
  const run = await api(page, "run");
  assert.equal(run.ranks.count, 25);
  for (const name of ["sweep", "residual", "redistribute"]) assert.ok(run.regions.some((r) => r.name === name), name);
  await until("the explanation", async () => (await api(page, "progress")).is_explained);
  const report = await api(page, "report?brief=1");
  assert.deepEqual(report.explanation.grid.dims, [5, 5]);
  assert.ok(report.explanation.iterations.count >= 10);
});
