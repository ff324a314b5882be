/** From pixels to rectangles, for documents of lines and areas. */

/** Areas of one colour, as a path of the document. */
export interface Areas {
  /** 0xrrggbbaa. */
  colour: number;
  path: string;
}

interface Open {
  until: number;
  top: number;
  colour: number;
}

/**
 * Equal pixels side by side become one rectangle, and so do equal rectangles below each other: the bars of a
 * timeline are many pixels high. Transparent pixels are left out.
 */
export function areasOf(data: ArrayLike<number>, width: number, height: number): Areas[] {
  const found = new Map<number, string[]>();
  const close = (from: number, open: Open, bottom: number): void => {
    const paths = found.get(open.colour) ?? [];
    if (!paths.length) found.set(open.colour, paths);
    paths.push(`M${from} ${open.top}h${open.until - from}v${bottom - open.top}H${from}z`);
  };
  let above = new Map<number, Open>();
  for (let y = 0; y <= height; y++) {
    const row = new Map<number, Open>();
    for (let x = 0; y < height && x < width; ) {
      const colour = pixel(data, y * width + x);
      let until = x + 1;
      while (until < width && pixel(data, y * width + until) === colour) until++;
      if (colour & 0xff) {
        const open = above.get(x);
        const goesOn = open?.until === until && open.colour === colour;
        if (goesOn) above.delete(x);
        row.set(x, goesOn ? open : { until, top: y, colour });
      }
      x = until;
    }
    for (const [from, open] of above) close(from, open, y);
    above = row;
  }
  return [...found].map(([colour, paths]) => ({ colour, path: paths.join("") }));
}

const pixel = (data: ArrayLike<number>, at: number): number => ((data[at * 4]! << 24) | (data[at * 4 + 1]! << 16) | (data[at * 4 + 2]! << 8) | data[at * 4 + 3]!) >>> 0;
