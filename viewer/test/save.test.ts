/** Panes as files: tables as CSV, pictures as SVG. */

import { expect, test } from "vitest";
import { areasOf } from "../src/draw/runs";
import { type Paper, SvgDrawing, escaped } from "../src/draw/svg";
import { type CsvColumn, csv } from "../src/save/csv";
import { fileName } from "../src/save/file";
import { lines, sheet } from "../src/save/sheet";
import { tableOf } from "../src/overview/tables";
import { INK } from "../src/timeline/theme";

const text = (title: string, values: readonly string[], more: Partial<CsvColumn> = {}): CsvColumn => ({ title, cell: (i) => values[i]!, ...more });

test("a table is CSV with units in its header, and numbers as they are", () => {
  const table = { columns: [text("Function", ["MPI_Send", "MPI_Recv"]), text("Duration", ["1.50 ms", "2 ns"], { unit: "ns", value: (i) => [1_500_000.5, 2][i]! })], count: 2 };
  expect(csv(table)).toBe("Function,Duration (ns)\r\nMPI_Send,1500000.5\r\nMPI_Recv,2\r\n");
});

test("commas, quotes and line ends are quoted; what is not there is empty", () => {
  const table = { columns: [text("a,b", ['say "x"', "1\r\n2"]), text("n", ["", ""], { value: (i) => [null, Number.NaN][i]! })], count: 2 };
  expect(csv(table)).toBe('"a,b",n\r\n"say ""x""",\r\n"1\r\n2",\r\n');
});

test("a name that a spreadsheet would calculate with is text, a number stays one", () => {
  const names = ['=HYPERLINK("x")', "+1+cmd", "-2+3", "@SUM(A1)", "\t=1", "-1", "0-3"];
  const rows = csv({ columns: [text("=t", names)], count: names.length }).split("\r\n");
  expect(rows).toEqual(["'=t", '"\'=HYPERLINK(""x"")"', "'+1+cmd", "'-2+3", "'@SUM(A1)", "'\t=1", "-1", "0-3", ""]);
  expect(csv({ columns: [{ title: "n", cell: () => "", value: () => -5 }], count: 1 })).toBe("n\r\n-5\r\n");
});

test("a table without rows is none", () => {
  expect(tableOf([], [["Rank", () => 1]])).toBeNull();
  expect(csv(tableOf([3], [["Time", (ns) => ns, "ns"]])!)).toBe("Time (ns)\r\n3\r\n");
});

const paper: Paper = { measure: (t) => t.length * 6, pixels: () => [255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 128, 0, 0, 0, 0] };

test("a drawing is a document of areas, lines and texts", () => {
  const c = new SvgDrawing(paper);
  c.fillStyle = "#fff";
  c.fillRect(0, 0, 10, 10);
  c.fillRect(20, 5, -4, 3);
  c.save();
  c.beginPath();
  c.rect(1, 1, 8, 8);
  c.clip();
  c.strokeStyle = "#123456";
  c.setLineDash([5, 3]);
  c.beginPath();
  c.lineTo(0, 0);
  c.lineTo(3.14159, 2);
  c.stroke();
  c.restore();
  c.fillStyle = "#000";
  c.font = "bold 10px sans-serif";
  c.textAlign = "right";
  c.textBaseline = "middle";
  c.fillText("a < b & \u0007c", 5, 6, 12);
  const svg = c.finish(100, 50, 'a "title"');
  // Two areas of one colour are one path, and no negative width is left.
  expect(svg).toContain('<path fill="#fff" d="M0 0h10v10h-10zM16 5h4v3h-4z"/>');
  expect(svg).toContain('<clipPath id="c1"><path d="M1 1h8v8h-8z"/></clipPath>\n<g clip-path="url(#c1)">\n<path d="M0 0L3.14 2" fill="none" stroke="#123456" stroke-width="1" stroke-dasharray="5 3"/>\n</g>');
  expect(svg).toContain('<text x="5" y="9.5" font-size="10" fill="#000" font-weight="bold" text-anchor="end" textLength="12" lengthAdjust="spacingAndGlyphs">a &lt; b &amp; \ufffdc</text>');
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="100" height="50" viewBox="0 0 100 50"/);
  expect(svg).toContain("<title>a &quot;title&quot;</title>");
});

test("what was not given back is closed at the end", () => {
  const c = new SvgDrawing(paper);
  c.translate(1, 2);
  c.save();
  c.rotate(Math.PI / 2);
  c.fillRect(0, 0, 1, 1);
  const svg = c.finish(1, 1, "");
  expect(svg.match(/<g/g)).toHaveLength(2);
  expect(svg.match(/<\/g>/g)).toHaveLength(2);
  expect(svg).toContain('<g transform="rotate(90)">\n<path fill="#000"');
});

test("a picture of pixels becomes areas, and no bitmap stands in the document", () => {
  const c = new SvgDrawing(paper);
  c.drawImage({ width: 2, height: 2 } as unknown as CanvasImageSource, 10, 20, 40, 80);
  const svg = c.finish(100, 100, "");
  expect(svg).toContain('<g transform="translate(10 20) scale(20 40)" shape-rendering="crispEdges">');
  expect(svg).toContain('<path fill="#ff0000" d="M0 0h2v1H0z"/>');
  expect(svg).toContain('<path fill="#0000ff" fill-opacity="0.5" d="M0 1h1v1H0z"/>');
  expect(svg).not.toMatch(/<image|data:/);
});

test("equal pixels beside and below each other are one area", () => {
  const rgba = (...ids: number[]): number[] => ids.flatMap((id) => [id, 0, 0, id ? 255 : 0]);
  const areas = areasOf(rgba(1, 1, 2, 1, 1, 2, 0, 1, 2), 3, 3);
  expect(areas).toEqual([
    { colour: 0x010000ff, path: "M0 0h2v2H0zM1 2h1v1H1z" },
    { colour: 0x020000ff, path: "M2 0h1v3H2z" },
  ]);
});

test("hatching is lines, once for each colour", () => {
  const c = new SvgDrawing(paper);
  expect([c.hatched("#f00"), c.hatched("#f00"), c.hatched("#0f0")]).toEqual(["url(#h1)", "url(#h1)", "url(#h2)"]);
  expect(c.finish(1, 1, "").match(/<pattern/g)).toHaveLength(2);
});

test("a document has no sign that it may not have", () => {
  expect(escaped("a\u0000\ud800b\uffff\u{1f600}<")).toBe("a\ufffd\ufffdb\ufffd\u{1f600}&lt;");
});

test("what colours mean stands below the picture, in as many lines as it takes", () => {
  const keys = ["one", "two", "three"].map((name) => ({ colour: "#111", text: name }));
  expect(lines(keys, 100, (t) => t.length * 6).map(({ x, line }) => [x, line])).toEqual([
    [0, 0],
    [45, 0],
    [0, 1],
  ]);
  const whole = sheet({ width: 116, height: 50, keys, draw: () => {} }, "run · Scatter", INK.light, (t) => t.length * 6);
  expect(whole.height).toBe(50 + 3 * 16 + 4);
  const c = new SvgDrawing(paper);
  whole.draw(c);
  const svg = c.finish(whole.width, whole.height, "");
  for (const word of ["one", "two", "three", "run · Scatter"]) expect(svg).toContain(`>${word}</text>`);
});

test("file names are plain", () => {
  expect(fileName("../a b\u2028.mpiscope", "-scatter.svg")).toBe("_a_b_.mpiscope-scatter.svg");
  expect(fileName(undefined, ".html")).toBe("run.html");
});
