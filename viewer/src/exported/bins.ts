/** Edges of histogram bins, as in crates/query/src/view/bin_edges.rs. */

export interface Bins {
  min: number;
  max: number;
  bins: number;
}

interface Field {
  unit: string;
  is_id: boolean;
}

/** Steps of 1, 2 or 5 times a power of ten, for bytes powers of two; steps of exponents where the axis is logarithmic. */
class Grid {
  readonly #isLog: boolean;
  readonly #isBinary: boolean;
  readonly #factor: number;
  readonly #shift: number;
  readonly #leastStep: number;

  constructor({ unit, is_id }: Field, isLog: boolean) {
    const isRate = unit === "bytes/ns";
    this.#isLog = isLog;
    this.#isBinary = isRate || unit === "bytes";
    // Bandwidth is shown in bytes per second.
    this.#factor = isRate ? 1e9 : 1;
    // Ids are in the middle of their bin.
    this.#shift = is_id && !isLog ? 0.5 : 0;
    this.#leastStep = isLog || isRate ? 0 : 1;
  }

  toGrid(value: number): number {
    const v = value * this.#factor;
    return this.#isLog ? (this.#isBinary ? Math.log2(v) : Math.log10(v)) : v + this.#shift;
  }

  toValue(place: number): number {
    return (this.#isLog ? (this.#isBinary ? 2 : 10) ** place : place - this.#shift) / this.#factor;
  }

  step(atLeast: number): number {
    const rough = Math.max(atLeast, this.#leastStep);
    if (this.#isBinary) return 2 ** Math.ceil(Math.log2(rough) - 1e-9);
    const power = 10 ** Math.floor(Math.log10(rough) + 1e-9);
    return ([1, 2, 5].find((factor) => factor * power >= rough * (1 - 1e-9)) ?? 10) * power;
  }

  bins(min: number, max: number, most: number): Bins {
    const [low, high] = [this.toGrid(min), this.toGrid(max)];
    // A single value has a bin of a tenth of its size.
    const length = high > low ? high - low : this.#isLog ? 0.1 : Math.max(1, Math.abs(low) * 0.1);
    for (let step = this.step(length / most); ; step = this.step(step * 1.5)) {
      const first = Math.floor(low / step + 1e-9);
      // A value on an edge belongs to the bin that starts there.
      const last = Math.floor(high / step + 1e-9) + 1;
      // An edge within a billionth of a value counts as that value.
      if (last - first <= most) return { min: Math.min(min, this.toValue(first * step)), max: Math.max(max, this.toValue(last * step)), bins: last - first };
      // Two values on both sides of an edge common to all steps share one bin.
      if (step > 4 * length && most === 1) return { min: this.toValue(low), max: this.toValue(low + step), bins: 1 };
    }
  }
}

/** For values with their frequencies: twice the cube root of their number of bins, at most one per distinct value. */
export function binsOf(values: readonly (readonly [value: number, times: number])[], field: Field, isLog: boolean, most: number): Bins {
  const usable = isLog ? values.filter(([v]) => v > 0) : values;
  let [min, max, count] = [Infinity, -Infinity, 0];
  const distinct = new Set<number>();
  for (const [value, times] of usable) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    count += times;
    if (distinct.size < most) distinct.add(value);
  }
  const wanted = Math.max(1, Math.min(most, distinct.size, Math.ceil(2 * Math.cbrt(count))));
  const least = isLog ? 1 : 0;
  return distinct.size ? new Grid(field, isLog).bins(min, max, wanted) : new Grid(field, isLog).bins(least, least, 1);
}
