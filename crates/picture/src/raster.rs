//! Draws cells and calls as pixels, like `viewer/src/timeline/raster.ts`: tests of both use the same pictures.
//!
//! A cell is a column of pixels: the functions in it stacked from below by their shares, computing above them. Every function
//! present gets at least one pixel while there are enough. With three pixels or fewer, the largest share gives
//! the colour, and a function that is rare in its row takes the cell over.

use std::collections::HashMap;

use mpiscope_query::view::{CellRow, Cells, WAITING};

use crate::palette::Rgb;

/// Fewer pixels than this cannot show a stack.
const STACK_PX: usize = 4;
/// The palest colour of a function where a pixel represents a whole cell.
const PALEST: f64 = 0.3;
/// Rare: in at most one of this many bins of its row.
const RARE_BINS: u32 = 48;
const HATCH_STRENGTH: f64 = 0.5;
/// Lines at 45 degrees, this many pixels apart.
const HATCH_PX: usize = 6;
const IDS: usize = 65_536;

/// The colours that a raster needs.
pub struct Style {
    /// By function id; `None` is hidden.
    pub colours: Vec<Option<Rgb>>,
    /// Place in a stacked column by function id: functions of a class beside each other.
    pub places: Vec<u32>,
    pub compute: Rgb,
    pub hatch: Rgb,
    pub has_waits: bool,
}

impl Style {
    /// Without any function yet.
    pub fn new(compute: Rgb, hatch: Rgb, has_waits: bool) -> Style {
        Style { colours: vec![None; IDS], places: vec![0; IDS], compute, hatch, has_waits }
    }

    /// A function of the class that is listed as `class`-th.
    pub fn add(&mut self, id: u32, class: usize, colour: Rgb) {
        if let (Some(to), Some(place)) = (self.colours.get_mut(id as usize), self.places.get_mut(id as usize)) {
            (*to, *place) = (Some(colour), class as u32 * IDS as u32 + id);
        }
    }
}

/// Pixels; `None` where nothing is drawn.
pub struct Raster {
    pub width: usize,
    pub height: usize,
    pub pixels: Vec<Option<Rgb>>,
}

/// Pixels between two rows of ranks.
pub fn gap_of(px: usize) -> usize {
    if px >= 12 { 2 } else { usize::from(px >= 5) }
}

fn is_hatched(x: usize, y: usize) -> bool {
    (x + y).is_multiple_of(HATCH_PX)
}

/// How many of `h` pixels each share gets: at least one each, the rest to the largest.
fn heights(shares: &[f64], h: usize) -> Vec<usize> {
    let mut px: Vec<usize> = shares.iter().map(|s| ((s * h as f64 + 0.5).floor() as usize).max(1)).collect();
    let mut sum: usize = px.iter().sum();
    while sum > h {
        let mut largest = 0;
        for i in 1..px.len() {
            if px[i] > px[largest] {
                largest = i;
            }
        }
        if px[largest] <= 1 {
            break;
        }
        px[largest] -= 1;
        sum -= 1;
    }
    px
}

/// A row of cells being painted.
struct Row<'a> {
    raster: &'a mut Raster,
    y0: usize,
    h: usize,
    /// Number of cells of the row that contain each function.
    presence: &'a [u32],
    style: &'a Style,
}

/// The content of a cell, in the order of the stack.
#[derive(Default)]
struct Cell {
    ids: Vec<u16>,
    shares: Vec<f64>,
    waiting: f64,
}

/// `row_px` pixels for each row of the answer.
pub fn cells(cells: &Cells, row_px: usize, style: &Style) -> Raster {
    let mut raster = stacks(cells, row_px, style);
    show_all(&mut raster, cells, row_px, style);
    raster
}

/// As on the page.
fn stacks(cells: &Cells, row_px: usize, style: &Style) -> Raster {
    let (width, rows) = (cells.grid.columns, cells.grid.rows);
    let height = (rows * row_px).max(1);
    let mut raster = Raster { width, height, pixels: vec![None; width.max(1) * height] };
    let h = row_px - gap_of(row_px);
    let mut presence = vec![0_u32; IDS];
    let mut cell = Cell::default();
    for row in 0..rows {
        let y0 = row * row_px;
        raster.pixels[y0 * width..(y0 + h) * width].fill(Some(style.compute));
        let of_row = &cells.rows[row];
        of_row.function.iter().for_each(|&id| presence[id as usize] += 1);
        let mut to = Row { raster: &mut raster, y0, h, presence: &presence, style };
        for x in 0..width {
            cell.read(of_row, x, style);
            if cell.ids.is_empty() {
                continue;
            }
            if h < STACK_PX {
                to.paint_one(x, &cell);
            } else {
                to.paint_stack(x, &mut cell);
            }
        }
        of_row.function.iter().for_each(|&id| presence[id as usize] = 0);
    }
    raster
}

impl Cell {
    fn read(&mut self, row: &CellRow, column: usize, style: &Style) {
        self.ids.clear();
        self.shares.clear();
        self.waiting = 0.0;
        for (id, share) in row.entries(column) {
            let share = f64::from(share) / 65535.0;
            if id == WAITING {
                self.waiting = share;
            } else if style.colours[id as usize].is_some() {
                let place = |id: u16| style.places[id as usize];
                let at = self.ids.iter().rposition(|&other| place(other) <= place(id)).map_or(0, |at| at + 1);
                self.ids.insert(at, id);
                self.shares.insert(at, share);
            }
        }
    }

    /// The function that occurs in the fewest cells, if it is rare.
    fn rarest(&self, presence: &[u32], bins: u32) -> Option<u16> {
        let mut found: Option<u16> = None;
        for &id in &self.ids {
            let times = presence[id as usize];
            let is_rare = times * RARE_BINS <= bins || times <= 1;
            if is_rare && found.is_none_or(|f| times < presence[f as usize]) {
                found = Some(id);
            }
        }
        found
    }
}

impl Row<'_> {
    fn colour(&self, id: u16) -> Rgb {
        self.style.colours[id as usize].unwrap_or(self.style.compute)
    }

    fn paint_one(&mut self, x: usize, cell: &Cell) {
        let mut largest = 0;
        let mut sum = 0.0;
        for (i, share) in cell.shares.iter().enumerate() {
            sum += share;
            if *share > cell.shares[largest] {
                largest = i;
            }
        }
        let colour = self.colour(cell.ids[largest]);
        let shown = self.style.compute.blend(colour, (PALEST + (1.0 - PALEST) * sum).min(1.0));
        let rare = cell.rarest(self.presence, self.raster.width as u32);
        for y in 0..self.h {
            // With more than one pixel, the largest keeps the others.
            let mut value = match rare {
                Some(rare) if y == self.h - 1 => self.colour(rare),
                _ => shown,
            };
            if self.style.has_waits && cell.waiting > 0.3 && is_hatched(x, self.y0 + y) {
                value = value.blend(self.style.hatch, HATCH_STRENGTH * 0.6);
            }
            self.raster.pixels[(self.y0 + y) * self.raster.width + x] = Some(value);
        }
    }

    fn paint_stack(&mut self, x: usize, cell: &mut Cell) {
        let h = self.h;
        if cell.ids.len() > h {
            // Not enough room for all: half of it for the rarest, the rest for the largest.
            let mut rare: Vec<usize> = (0..cell.ids.len()).collect();
            rare.sort_by_key(|&i| (self.presence[cell.ids[i] as usize], i));
            rare.truncate(h / 2);
            let mut large: Vec<usize> = (0..cell.ids.len()).filter(|i| !rare.contains(i)).collect();
            large.sort_by(|&a, &b| cell.shares[b].total_cmp(&cell.shares[a]).then(a.cmp(&b)));
            let mut kept: Vec<usize> = rare.into_iter().chain(large).take(h).collect();
            kept.sort_unstable();
            let ids = kept.iter().map(|&i| cell.ids[i]).collect();
            let shares = kept.iter().map(|&i| cell.shares[i]).collect();
            (cell.ids, cell.shares) = (ids, shares);
        }
        let width = self.raster.width;
        // One past the next pixel, going up.
        let mut free = self.y0 + h;
        for (id, px) in cell.ids.iter().zip(heights(&cell.shares, h)) {
            let colour = self.colour(*id);
            for _ in 0..px {
                if free == self.y0 {
                    break;
                }
                free -= 1;
                self.raster.pixels[free * width + x] = Some(colour);
            }
        }
        if !self.style.has_waits || cell.waiting <= 0.0 {
            return;
        }
        let hatched = ((cell.waiting * h as f64 + 0.5).floor() as usize).min(self.y0 + h - free);
        for n in 0..hatched {
            let y = self.y0 + h - 1 - n;
            if is_hatched(x, y) {
                let at = y * width + x;
                let under = self.raster.pixels[at].unwrap_or(self.style.compute);
                self.raster.pixels[at] = Some(under.blend(self.style.hatch, HATCH_STRENGTH));
            }
        }
    }
}

/// A picture cannot be zoomed: a function without any pixel gets one, in a cell that contains it.
fn show_all(raster: &mut Raster, cells: &Cells, row_px: usize, style: &Style) {
    let mut shown: HashMap<Rgb, u64> = HashMap::new();
    raster.pixels.iter().flatten().for_each(|&pixel| *shown.entry(pixel).or_default() += 1);
    let wanted = |id: u16| style.colours[id as usize].filter(|_| id != WAITING);
    let width = raster.width;
    for cell in 0..cells.grid.rows * width {
        for (id, _) in cells.rows[cell / width].entries(cell % width) {
            let Some(colour) = wanted(id).filter(|colour| !shown.contains_key(colour)) else { continue };
            let pixel = &mut raster.pixels[cell / width * row_px * width + cell % width];
            let Some(under) = *pixel else { continue };
            // Not the only pixel of another function.
            if let Some(left) = shown.get_mut(&under).filter(|left| **left > 1) {
                *left -= 1;
                *pixel = Some(colour);
                shown.insert(colour, 1);
            }
        }
    }
}

/// A call as it is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    pub row: usize,
    pub thread: u16,
    pub start_ns: u64,
    pub end_ns: u64,
    pub function: u32,
    /// Inside another call.
    pub is_nested: bool,
}

/// An interval of waiting.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    pub row: usize,
    pub start_ns: u64,
    pub end_ns: u64,
}

/// Where calls are drawn.
pub struct Frame<'a> {
    pub from_ns: u64,
    pub until_ns: u64,
    pub width: usize,
    pub row_px: usize,
    /// Threads of each row.
    pub threads: &'a [u64],
    /// Pixels at the top of each row that are kept free for regions.
    pub free: usize,
}

/// Individual calls; short ones above long ones, so that they are visible.
pub fn calls(bars: &[Bar], waits: &[Wait], frame: &Frame<'_>, style: &Style) -> Raster {
    let (width, row_px, rows) = (frame.width, frame.row_px, frame.threads.len());
    let height = (rows * row_px).max(1);
    let mut raster = Raster { width, height, pixels: vec![None; width * height] };
    let h = row_px - gap_of(row_px);
    let scale = width as f64 / (frame.until_ns - frame.from_ns) as f64;
    let from = frame.from_ns as f64;
    for row in 0..rows {
        raster.pixels[(row * row_px + frame.free) * width..(row * row_px + h) * width].fill(Some(style.compute));
    }
    for wants_short in [false, true] {
        for bar in bars.iter().filter(|bar| bar.row < rows) {
            let duration = bar.end_ns.saturating_sub(bar.start_ns) as f64 * scale;
            let Some(colour) = style.colours.get(bar.function as usize).copied().flatten() else { continue };
            if (duration < 1.0) != wants_short {
                continue;
            }
            let start = (bar.start_ns as f64 - from) * scale;
            let x0 = start.floor().max(0.0) as usize;
            let x1 = ((start + duration + 0.5).floor().max(0.0) as usize).max(x0 + 1).min(width);
            if x0 >= width || start + duration < 0.0 {
                continue;
            }
            let (mut y0, mut y1) = (bar.row * row_px + frame.free, bar.row * row_px + h);
            let threads = frame.threads[bar.row].max(1) as usize;
            if threads > 1 && (y1 - y0) / threads >= 2 {
                let (lane, top) = ((y1 - y0) as f64 / threads as f64, y0 as f64);
                y0 = (top + lane * f64::from(bar.thread) + 0.5) as usize;
                y1 = ((top + lane * (f64::from(bar.thread) + 1.0) + 0.5) as usize - usize::from(lane >= 5.0))
                    .min(bar.row * row_px + h);
            }
            if bar.is_nested && y1.saturating_sub(y0) >= 6 {
                (y0, y1) = (y0 + 2, y1 - 2);
            }
            // A seam between a call and the previous one in the same colour.
            let has_seam = x1 - x0 >= 4 && y1.saturating_sub(y0) >= 4;
            let edge = if has_seam { colour.blend(style.compute, 0.45) } else { colour };
            for y in y0..y1 {
                raster.pixels[y * width + x0..y * width + x1].fill(Some(colour));
                raster.pixels[y * width + x0] = Some(edge);
            }
        }
    }
    if style.has_waits {
        hatch_waits(&mut raster, waits, frame, h, scale, style);
    }
    raster
}

fn hatch_waits(raster: &mut Raster, waits: &[Wait], frame: &Frame<'_>, h: usize, scale: f64, style: &Style) {
    let width = raster.width;
    for wait in waits.iter().filter(|wait| wait.row < frame.threads.len()) {
        let x = |ns: u64| (ns as f64 - frame.from_ns as f64) * scale;
        let x0 = x(wait.start_ns).floor().max(0.0) as usize;
        let x1 = ((x(wait.end_ns) + 0.5).floor().max(0.0) as usize).min(width);
        for y in wait.row * frame.row_px + frame.free..wait.row * frame.row_px + h {
            for x in x0..x1 {
                let pixel = &mut raster.pixels[y * width + x];
                // Only where a call is drawn: hiding a call hides its wait.
                if (x + y) % HATCH_PX < 2 && pixel.is_some_and(|p| p != style.compute) {
                    *pixel = pixel.map(|p| p.blend(style.hatch, HATCH_STRENGTH));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::palette::{Colours, Theme, Timed};
    use mpiscope_query::view::Grid;
    use serde_json::Value;
    use sha2::{Digest, Sha256};

    fn digest(raster: &Raster) -> String {
        let mut hash = Sha256::new();
        for pixel in &raster.pixels {
            match pixel {
                Some(Rgb([r, g, b])) => hash.update(format!("{r},{g},{b};")),
                None => hash.update("-;"),
            }
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn list<T: serde::de::DeserializeOwned>(value: &Value) -> T {
        serde_json::from_value(value.clone()).unwrap()
    }

    /// `viewer/test/same-pixels.test.ts` writes the file and checks the page against it.
    #[test]
    fn pixels_are_those_of_the_page() {
        let file: Value = serde_json::from_str(include_str!("../../../viewer/test/same-pixels.json")).unwrap();
        let mut style = Style::new(Theme::Light.compute(), Theme::Light.hatch(), true);
        let classes: Vec<String> = list(&file["classes"]);
        let functions: Vec<(u32, String)> = list(&file["functions"]);
        let timed = functions.iter().map(|(id, class)| Timed { id: *id, class, time_ns: 1 });
        let colours = Colours::new(timed, Theme::Light);
        for (id, class) in functions {
            let place = classes.iter().position(|c| *c == class).unwrap();
            style.add(id, place, colours.function(id));
        }
        let of = &file["cells"];
        let (columns, rows): (usize, usize) = (list(&of["columns"]), list(&of["rows"]));
        let (offset, function, share): (Vec<u32>, Vec<u16>, Vec<u16>) =
            (list(&of["offset"]), list(&of["function"]), list(&of["share"]));
        let row = |offset: &[u32]| {
            let entries = offset[0] as usize..offset[columns] as usize;
            let ends = offset[1..=columns].iter().map(|end| end - offset[0]).collect();
            let (function, share) = (function[entries.clone()].to_vec(), share[entries].to_vec());
            CellRow { ends, function, share, ..CellRow::default() }
        };
        let given = Cells {
            grid: Grid { bin_ns: 8, from_ns: 0, columns, row_from: 0, rows_per_block: 1, rows },
            has_finer: false,
            is_exact: true,
            rows: Arc::new((0..rows).map(|at| row(&offset[at * columns..])).collect()),
        };
        let bar = |c: &[u64; 6]| Bar {
            row: c[0] as usize,
            thread: c[1] as u16,
            start_ns: c[2],
            end_ns: c[2] + c[3],
            function: c[4] as u32,
            is_nested: c[5] != 0,
        };
        let bars: Vec<Bar> = list::<Vec<[u64; 6]>>(&file["calls"]).iter().map(bar).collect();
        let wait = |w: &[u64; 3]| Wait { row: w[0] as usize, start_ns: w[1], end_ns: w[2] };
        let waits: Vec<Wait> = list::<Vec<[u64; 3]>>(&file["waits"]).iter().map(wait).collect();
        for (px, wanted) in file["pixels"].as_object().unwrap() {
            let row_px = px.parse().unwrap();
            assert_eq!(digest(&stacks(&given, row_px, &style)), wanted["cells"], "cells, {px}");
            let frame = Frame { from_ns: 0, until_ns: 1000, width: 333, row_px, threads: &[1, 2, 1, 2], free: 0 };
            assert_eq!(digest(&calls(&bars, &waits, &frame, &style)), wanted["calls"], "calls, {px}");
        }
    }
}
