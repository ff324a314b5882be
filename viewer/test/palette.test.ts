import { expect, test } from "vitest";
import { COMPUTE, type Rgb, abgr, classColour, functionColour, ink } from "../src/palette";

const CLASSES = ["send", "receive", "completion", "probe", "barrier", "collective", "rma", "file", "objects", "setup", "local"];

/** Linear light, then what is left for eyes without one kind of cones (Viénot 1999). */
function seen(colour: Rgb, kind: "normal" | "protan" | "deutan"): [number, number, number] {
  const lin = [16, 8, 0].map((s) => ((colour >> s) & 255) / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  const [r, g, b] = lin;
  if (kind === "protan") return [0.1124 * r + 0.8876 * g, 0.1124 * r + 0.8876 * g, 0.004 * r - 0.004 * g + b];
  if (kind === "deutan") return [0.2928 * r + 0.7072 * g, 0.2928 * r + 0.7072 * g, -0.0223 * r + 0.0223 * g + b];
  return lin;
}

/** Distance in CIE Lab. */
function distance(a: Rgb, b: Rgb, kind: "normal" | "protan" | "deutan"): number {
  const lab = (c: Rgb): [number, number, number] => {
    const [r, g, bl] = seen(c, kind);
    const f = (t: number): number => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
    const x = f((0.4124 * r + 0.3576 * g + 0.1805 * bl) / 0.95047);
    const y = f(0.2126 * r + 0.7152 * g + 0.0722 * bl);
    const z = f((0.0193 * r + 0.1192 * g + 0.9505 * bl) / 1.08883);
    return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
  };
  const [p, q] = [lab(a), lab(b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

test("classes that stand beside each other are told apart by all eyes, in both themes", () => {
  const often = ["send", "receive", "completion", "barrier", "collective"];
  for (const theme of ["light", "dark"] as const)
    for (const kind of ["normal", "protan", "deutan"] as const)
      for (const a of often)
        for (const b of often) if (a < b) expect(distance(classColour(a, theme), classColour(b, theme), kind), `${a}, ${b}, ${theme}, ${kind}`).toBeGreaterThan(12);
});

test("every class differs from computing", () => {
  for (const theme of ["light", "dark"] as const)
    for (const id of CLASSES) expect(distance(classColour(id, theme), COMPUTE[theme], "normal"), `${id} ${theme}`).toBeGreaterThan(15);
});

test("a function's colour depends on its id alone", () => {
  expect(functionColour(496, "completion", "light")).toBe(functionColour(496, "completion", "light"));
  expect(functionColour(1, "unheard of", "dark")).toBe(functionColour(1, "local", "dark"));
});

test("text on a colour can be read (4.5 to 1)", () => {
  const luminance = (c: Rgb): number => {
    const [r, g, b] = seen(c, "normal");
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  for (const theme of ["light", "dark"] as const)
    for (let id = 0; id < 600; id++) {
      const colour = functionColour(id, CLASSES[id % CLASSES.length]!, theme);
      const l = luminance(colour);
      const contrast = ink(colour) === "#000000" ? (l + 0.05) / 0.05 : 1.05 / (l + 0.05);
      expect(contrast).toBeGreaterThanOrEqual(4.5);
    }
});

test("colours in memory are red, green, blue, opaque", () => {
  const bytes = new Uint8Array(Uint32Array.of(abgr(0x123456)).buffer);
  expect([...bytes]).toEqual([0x12, 0x34, 0x56, 255]);
});
