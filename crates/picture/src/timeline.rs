//! The picture: title, axis, iterations, ranks, plot and legend.

use mpiscope_query::view::{OnPath, OpenedRun, RunInfo};
use mpiscope_store::Message;

use crate::canvas::{Align, Canvas};
use crate::palette::{Colours, Ink, Rgb, Theme};
use crate::raster::{self, Frame, Style, gap_of};
use crate::regions::{self, Band};
use crate::sight::{Entry, Near, Part, Sight};
use crate::{LEAST, MOST, PictureError, Wish, text};

const MARGIN: f64 = 10.0;
const TITLE: f64 = 46.0;
const AXIS: f64 = 20.0;
const RULER: f64 = 14.0;
const GUTTER: f64 = 52.0;
const LEGEND: f64 = 236.0;
/// Below this width there is no legend.
const LEGEND_FROM: f64 = 640.0;
const SIZE: f64 = 11.0;
const SMALL: f64 = 10.0;
const TICK_PX: f64 = 105.0;
/// Names only in calls of this width.
const NAME_PX: f64 = 34.0;
const MOST_NAMES: usize = 1200;
const LEGEND_LINE: f64 = 18.0;
/// An arrow covers about this share of the picture's width.
const ARROW_PX: f64 = 2.0;
/// Least opacity of arrows that overlap.
const FAINTEST: f64 = 0.03;

/// Positions, in pixels.
struct Layout {
    left: f64,
    top: f64,
    axis_top: f64,
    /// Zero without iterations.
    ruler: f64,
    plot_width: usize,
    row_px: usize,
    rows: usize,
    legend_left: Option<f64>,
}

impl Layout {
    fn plot_height(&self) -> usize {
        self.rows * self.row_px
    }
}

/// Draws the timeline of `scene` as a PNG. `info` is the run's, with iterations once they are known.
///
/// # Errors
///
/// If the size or the window is impossible, the run has none of the ranks, or the store cannot be read.
pub fn draw(scene: &OpenedRun, info: &RunInfo, wish: &Wish) -> Result<Vec<u8>, PictureError> {
    let (width, height) = (wish.width, wish.height);
    if width < LEAST.0 || height < LEAST.1 || width > MOST || height > MOST {
        return Err(PictureError::Size(width, height));
    }
    let window = window(info, wish)?;
    let order = scene.order(&order(info, wish)?)?;
    let sight = Sight { scene, info, order: &order, from_ns: window.0, until_ns: window.1 };
    let ruler = if info.iterations.is_some() { RULER } else { 0.0 };
    let has_legend = f64::from(width) >= LEGEND_FROM;
    let right = if has_legend { LEGEND + MARGIN } else { MARGIN };
    let plot_width = (f64::from(width) - GUTTER - MARGIN - right).max(1.0) as usize;
    let top = TITLE + AXIS + ruler;
    let room = (f64::from(height) - top - MARGIN).max(1.0) as usize;
    // Not more bins than pixels: none may be left out.
    let cells = sight.cells(plot_width, room)?;
    let rows = cells.grid.rows.max(1);
    let layout = Layout {
        left: GUTTER + MARGIN,
        top,
        axis_top: TITLE,
        ruler,
        plot_width,
        row_px: (room / rows).max(1),
        rows,
        legend_left: has_legend.then(|| f64::from(width) - LEGEND),
    };
    let legend = sight.legend()?;
    let near = sight.near(&cells)?;
    let bands = match wish.has_regions && regions::room(layout.row_px) > 0 {
        true => sight.regions(&cells, near.is_some())?,
        false => Vec::new(),
    };
    let path = if wish.has_path { sight.path()? } else { Vec::new() };
    let colours = Colours::from_functions(&info.functions, wish.theme);
    let mut picture = Picture { theme: wish.theme, colours, sight, layout, legend, bands, path };
    let plot = picture.plot(&cells, near.as_ref())?;
    let mut canvas = Canvas::new(width, height, wish.theme.ink("panel").rgb)?;
    let (x, y) = (picture.layout.left as i32, picture.layout.top as i32);
    canvas.put(&plot, x, y);
    picture.title(&mut canvas);
    picture.axis(&mut canvas);
    picture.ruler(&mut canvas)?;
    picture.gutter(&mut canvas, cells.grid.rows_per_block);
    picture.key(&mut canvas);
    encode(canvas)
}

/// The window that is drawn: inside the run, and not empty.
fn window(info: &RunInfo, wish: &Wish) -> Result<(u64, u64), PictureError> {
    let from = wish.from_ns.unwrap_or(info.from_ns);
    let until = wish.until_ns.unwrap_or(info.until_ns).min(info.until_ns.max(info.from_ns + 1));
    if from >= until {
        let time = |ns: Option<u64>| ns.map_or(String::new(), |ns| text::time(ns as f64));
        return Err(PictureError::Window {
            from: time(wish.from_ns),
            until: time(wish.until_ns),
            whole: text::time((info.until_ns - info.from_ns) as f64),
        });
    }
    Ok((from, until))
}

/// The requested ranks as an order: by their index in the run, which is not always their number.
fn order(info: &RunInfo, wish: &Wish) -> Result<String, PictureError> {
    let Some(ranks) = &wish.ranks else { return Ok(String::new()) };
    let wanted: std::collections::BTreeSet<i32> = ranks.iter().copied().collect();
    let numbered = info.ranks.world_rank.iter().enumerate();
    let places: Vec<i32> = numbered.filter(|(_, rank)| wanted.contains(rank)).map(|(at, _)| at as i32).collect();
    if places.is_empty() {
        return Err(PictureError::Ranks(text::rank_list(ranks)));
    }
    Ok(format!("ranks:{}", text::rank_list(&places)))
}

struct Picture<'a> {
    theme: Theme,
    colours: Colours,
    sight: Sight<'a>,
    layout: Layout,
    legend: Vec<Entry>,
    bands: Vec<Band>,
    path: Vec<OnPath>,
}

impl Picture<'_> {
    fn ink(&self, name: &str) -> Ink {
        self.theme.ink(name)
    }

    fn span_ns(&self) -> f64 {
        (self.sight.until_ns - self.sight.from_ns) as f64
    }

    /// Pixels from the left edge of the plot.
    fn x(&self, ns: u64) -> f64 {
        (ns as f64 - self.sight.from_ns as f64) / self.span_ns() * self.layout.plot_width as f64
    }

    /// Pixels above the calls of a rank for its regions.
    fn free(&self) -> usize {
        if self.bands.is_empty() { 0 } else { regions::room(self.layout.row_px) }
    }

    /// Middle of a row, from the top of the plot.
    fn middle(&self, row: usize) -> f64 {
        let px = self.layout.row_px;
        (row * px) as f64 + (px - gap_of(px)) as f64 / 2.0
    }

    fn name_of(&self, id: u32) -> String {
        let found = self.sight.info.functions.iter().find(|f| f.id == id);
        found.map_or_else(|| format!("function {id}"), |f| f.name.clone())
    }

    fn style(&self) -> Style {
        let mut style = Style::new(self.theme.compute(), self.theme.hatch(), true);
        let classes = &self.sight.info.classes;
        for f in &self.sight.info.functions {
            let class = classes.iter().position(|c| c.id == f.class).unwrap_or(255);
            style.add(f.id, class, self.colours.function(f.id));
        }
        style
    }

    /// Everything that is clipped at the edges of the plot.
    fn plot(&mut self, cells: &mpiscope_query::view::Cells, near: Option<&Near>) -> Result<Canvas, PictureError> {
        let (width, height) = (self.layout.plot_width, self.layout.plot_height());
        let mut canvas = Canvas::new(width as u32, height as u32, self.ink("background").rgb)?;
        let style = self.style();
        match near {
            Some(near) => {
                let threads = &self.sight.info.ranks.threads;
                let of_rows: Vec<u64> = self
                    .sight
                    .order
                    .ranks
                    .iter()
                    .map(|&rank| threads.get(rank as usize).copied().unwrap_or(1))
                    .collect();
                let frame = Frame {
                    from_ns: self.sight.from_ns,
                    until_ns: self.sight.until_ns,
                    width,
                    row_px: self.layout.row_px,
                    threads: &of_rows,
                    free: self.free(),
                };
                canvas.raster(&raster::calls(&near.bars, &near.waits, &frame, &style), width, height, Some);
                self.absent(&mut canvas);
                self.regions(&mut canvas);
                self.joined(&mut canvas, near);
                self.names(&mut canvas, near, &of_rows);
            }
            None => {
                let grid = cells.grid;
                let from = self.sight.from_ns as f64;
                let column = |x: usize| {
                    let ns = from + (x as f64 + 0.5) / width as f64 * self.span_ns();
                    Some(((ns - grid.from_ns as f64) / grid.bin_ns as f64).max(0.0) as usize)
                };
                canvas.raster(&raster::cells(cells, self.layout.row_px, &style), width, height, column);
                if grid.rows_per_block == 1 {
                    self.absent(&mut canvas);
                    self.regions(&mut canvas);
                }
            }
        }
        self.critical_path(&mut canvas, cells.grid.rows_per_block);
        Ok(canvas)
    }

    /// Bands at the top of each row, with names where they are wide enough.
    fn regions(&self, canvas: &mut Canvas) {
        let Some(deepest) = self.bands.iter().map(|band| band.depth).max() else { return };
        let high = (regions::room(self.layout.row_px) / (deepest + 1)).clamp(2, 13) as f64;
        let width = self.layout.plot_width as f64;
        for band in &self.bands {
            let (x0, x1) = (self.x(band.start_ns).max(-2.0), self.x(band.end_ns).min(width + 2.0));
            if x1 <= x0 {
                continue;
            }
            let y = (band.row * self.layout.row_px) as f64 + band.depth as f64 * high;
            let colour = self.theme.phase(band.region as usize + band.depth);
            canvas.fill(x0, y, (x1 - x0).max(1.0), high - 1.0, colour);
            canvas.fill(x0, y, 1.0, high - 1.0, self.ink("muted"));
            if high >= 10.0 && x1 - x0 > 30.0 {
                let name = self.sight.info.regions.get(band.region as usize).map_or("", |r| r.name.as_str());
                let name = canvas.fitted(name, SMALL, x1 - x0.max(0.0) - 6.0);
                canvas.text(&name, x0.max(0.0) + 3.0, y + high / 2.0, SMALL, Align::Left, self.ink("text"));
            }
        }
    }

    /// The critical path from rank to rank.
    fn critical_path(&self, canvas: &mut Canvas, ranks_per_row: usize) {
        let row_of = self.sight.rows();
        let (width, high) = (self.layout.plot_width as f64, self.layout.row_px as f64);
        let mut line: Vec<(f64, f64)> = Vec::new();
        let draw = |canvas: &mut Canvas, line: &mut Vec<(f64, f64)>| {
            if line.len() > 1 {
                canvas.line(line, (high / 6.0).clamp(1.5, 3.0), None, self.ink("path"));
            }
            line.clear();
        };
        for on in &self.path {
            let Some(&row) = row_of.get(&on.rank) else {
                // Passes through a rank that is not shown.
                draw(&mut *canvas, &mut line);
                continue;
            };
            let y = self.middle(row / ranks_per_row);
            let (x0, x1) = (self.x(on.from_ns).max(-10.0), self.x(on.until_ns).min(width + 10.0));
            // Many segments in one pixel: one line.
            if line.last().is_some_and(|last| x1 - last.0 < 0.5) {
                continue;
            }
            line.extend([(x0, y), (x1, y)]);
        }
        draw(&mut *canvas, &mut line);
    }

    /// Where calls of a rank were overwritten: before its first available call.
    fn absent(&self, canvas: &mut Canvas) {
        let ranks = &self.sight.info.ranks;
        let px = self.layout.row_px as f64;
        let (hatch, edge, label) = (self.ink("absent"), self.ink("path"), self.ink("text"));
        for (row, &rank) in self.sight.order.ranks.iter().enumerate() {
            let rank = rank as usize;
            let (Some(&first), Some(&lost)) = (ranks.first_ns.get(rank), ranks.calls_lost.get(rank)) else { continue };
            if lost == 0 {
                continue;
            }
            let (x, y) = (self.x(first), row as f64 * px);
            let h = if px >= 5.0 { px - 1.0 } else { px };
            if x > 0.0 {
                canvas.hatch(0.0, y, x.min(self.layout.plot_width as f64), h, hatch);
            }
            if (0.0..=self.layout.plot_width as f64).contains(&x) {
                canvas.fill((x - 1.0).round(), y, 2.0, h, edge);
                if px >= 13.0 && x > 120.0 {
                    canvas.text("overwritten ▸", x - 5.0, y + h / 2.0, SMALL, Align::Right, label);
                }
            }
        }
    }

    /// Collective operations through their members, and arrows of messages.
    fn joined(&self, canvas: &mut Canvas, near: &Near) {
        for members in &near.operations {
            let line = |at: fn(&Part) -> u64| -> Vec<(f64, f64)> {
                members.iter().map(|m| (self.x(at(m)), self.middle(m.0))).collect()
            };
            canvas.line(&line(|m| m.1), 1.0, None, self.ink("collective"));
            canvas.line(&line(|m| m.2), 1.0, Some([3.0, 2.0]), self.ink("collective"));
        }
        let row_of = self.sight.rows();
        let arrow = |m: &Message| {
            let (&from, &to) = (row_of.get(&m.sender.0)?, row_of.get(&m.receiver.0)?);
            let end = if m.receive.is_done() { m.receive.done_end_ns } else { m.receive.end_ns };
            Some([(self.x(m.send.start_ns), self.middle(from)), (self.x(end), self.middle(to))])
        };
        let arrows: Vec<[(f64, f64); 2]> = near.messages.iter().filter_map(arrow).collect();
        let depth = self.depth_of(&arrows);
        let ink = self.ink("arrow");
        let ink = Ink { alpha: ink.alpha * (1.0 / depth).clamp(FAINTEST, 1.0) as f32, ..ink };
        for arrow in &arrows {
            canvas.line(arrow, 1.0, None, ink);
            let &[(x0, y0), (x1, y1)] = arrow;
            // Many arrow heads in one place would be a blot.
            if (depth < 2.0 && arrows.len() < 600) || x1 - x0 > 12.0 {
                let angle = (y1 - y0).atan2(x1 - x0);
                let side = |turn: f64| (x1 - 6.0 * (angle + turn).cos(), y1 - 6.0 * (angle + turn).sin());
                canvas.shape(&[(x1, y1), side(-0.4), side(0.4)], ink);
            }
        }
    }

    /// How many arrows lie on top of each other, as the mean over the part of the picture that they cover: more than one hide what
    /// lies below them. As on the page.
    fn depth_of(&self, arrows: &[[(f64, f64); 2]]) -> f64 {
        let (width, height) = (self.layout.plot_width as f64, self.layout.plot_height() as f64);
        let first = arrows.iter().fold(f64::INFINITY, |first, [(x, _), _]| first.min(x.max(0.0)));
        let last = arrows.iter().fold(f64::NEG_INFINITY, |last, [_, (x, _)]| last.max(x.min(width)));
        let ink: f64 = arrows.iter().map(|[(_, from), (_, to)]| (to - from).abs().min(height) * ARROW_PX).sum();
        ink / ((last - first).max(ARROW_PX) * height)
    }

    /// Names in calls that are wide enough.
    fn names(&self, canvas: &mut Canvas, near: &Near, threads: &[u64]) {
        let px = self.layout.row_px;
        if px < 12 {
            return;
        }
        let mut drawn = 0;
        for bar in &near.bars {
            let (x0, x1) = (self.x(bar.start_ns).max(0.0), self.x(bar.end_ns).min(self.layout.plot_width as f64));
            let lane = (px - gap_of(px) - self.free()) as f64 / threads[bar.row].max(1) as f64;
            if x1 - x0 < NAME_PX || lane < 12.0 || drawn >= MOST_NAMES {
                continue;
            }
            let name = self.name_of(bar.function);
            let name = name.strip_prefix("MPI_").unwrap_or(&name);
            let whole = format!("{name}  {}", text::time((bar.end_ns - bar.start_ns) as f64));
            let room = x1 - x0 - 8.0;
            let label = if canvas.width_of(&whole, SMALL) <= room { whole } else { canvas.fitted(name, SMALL, room) };
            if label.is_empty() {
                continue;
            }
            let colour = self.colours.function(bar.function);
            let y = (bar.row * px + self.free()) as f64 + lane * (f64::from(bar.thread) + 0.5);
            canvas.fill(
                (x0 + 2.0).round(),
                (y - 6.0).round(),
                canvas.width_of(&label, SMALL).ceil() + 4.0,
                12.0,
                colour,
            );
            canvas.text(&label, x0 + 4.0, y, SMALL, Align::Left, colour.ink());
            drawn += 1;
        }
    }

    /// The run, its ranks and the window.
    fn title(&self, canvas: &mut Canvas) {
        let info = self.sight.info;
        let (width, _) = canvas.size();
        let room = width - 2.0 * MARGIN;
        canvas.text(&canvas.fitted(&info.name, 14.0, room), MARGIN, 15.0, 14.0, Align::Left, self.ink("text"));
        let shown = self.sight.order.ranks.len();
        let ranks = match (shown, info.ranks.count) {
            (1, 1) => "1 rank".to_owned(),
            (shown, all) if shown == all => format!("{all} ranks"),
            (shown, all) => format!("{shown} of {all} ranks"),
        };
        let calls: u64 = self.legend.iter().map(|entry| entry.calls).sum();
        let step = self.span_ns() / 1000.0;
        let window = format!(
            "{} to {} ({})",
            text::moment(self.sight.from_ns as f64, step),
            text::moment(self.sight.until_ns as f64, step),
            text::time(self.span_ns())
        );
        let mpi = info.mpi.as_deref().map(|mpi| mpi.split(',').next().unwrap_or_default().to_owned());
        let calls = format!("{} calls", text::count(calls));
        let facts: Vec<String> = [Some(ranks), Some(window), Some(calls), mpi].into_iter().flatten().collect();
        let facts = canvas.fitted(&facts.join("  ·  "), SIZE, room);
        canvas.text(&facts, MARGIN, 34.0, SIZE, Align::Left, self.ink("muted"));
    }

    fn axis(&self, canvas: &mut Canvas) {
        let l = &self.layout;
        let (from, until) = (self.sight.from_ns as f64, self.sight.until_ns as f64);
        let axis = text::ticks(from, until, (l.plot_width as f64 / TICK_PX).max(2.0));
        let middle = l.axis_top + AXIS / 2.0 + 1.0;
        for (at, label) in &axis.ticks {
            let x = (l.left + (at - from) / (until - from) * l.plot_width as f64).round();
            canvas.fill(x, l.axis_top + 4.0, 1.0, AXIS - 4.0, self.ink("line"));
            if x + 4.0 + canvas.width_of(label, SIZE) <= l.left + l.plot_width as f64 {
                canvas.text(label, x + 4.0, middle, SIZE, Align::Left, self.ink("muted"));
            }
        }
        if let Some(base) = &axis.base {
            let size = SMALL.min(SMALL * (l.left - 6.0) / canvas.width_of(base, SMALL));
            canvas.text(base, l.left - 4.0, middle, size, Align::Right, self.ink("text"));
        }
        if l.ruler == 0.0 {
            return;
        }
        canvas.text(
            "iteration",
            l.left - 6.0,
            l.axis_top + AXIS + RULER / 2.0 - 1.0,
            9.0,
            Align::Right,
            self.ink("muted"),
        );
    }

    /// Iterations of the main loop.
    fn ruler(&self, canvas: &mut Canvas) -> Result<(), PictureError> {
        let l = &self.layout;
        let Some(iterations) = self.sight.info.iterations.as_ref().filter(|_| l.ruler > 0.0) else { return Ok(()) };
        let (from, until) = (&iterations.from_ns, &iterations.until_ns);
        let mut band = Canvas::new(l.plot_width as u32, RULER as u32, self.ink("panel").rgb)?;
        let mean = match from.len() {
            0 | 1 => self.span_ns(),
            n => (from[n - 1] - from[0]) as f64 / (n - 1) as f64,
        };
        let px = (mean / self.span_ns() * l.plot_width as f64).max(1e-9);
        let every = if px >= 3.0 { 1 } else { (3.0 / px).ceil() as usize };
        let first = until.partition_point(|&until| until < self.sight.from_ns) / every * every;
        let stretches = || {
            let shown = (first..from.len()).step_by(every).take_while(|&i| from[i] < self.sight.until_ns);
            shown.map(|i| (i, self.x(from[i]), self.x(until[(i + every - 1).min(until.len() - 1)])))
        };
        for (i, x0, x1) in stretches() {
            band.fill(x0, 0.0, (x1 - x0).max(1.0), RULER - 3.0, self.theme.phase(i / every));
        }
        // Iterations differ in length: numbers only where there is room for them.
        let mut free = 0.0;
        let end = stretches().last().map_or(0.0, |(_, _, x1)| x1);
        for (i, x0, x1) in stretches() {
            let label = i.to_string();
            let (x, width) = (x0.max(0.0) + 3.0, band.width_of(&label, SMALL));
            if x >= free && x1 > 0.0 && x + width <= end {
                band.text(&label, x, RULER / 2.0 - 1.0, SMALL, Align::Left, self.ink("text"));
                free = x + width + 8.0;
            }
        }
        canvas.put(&band, l.left as i32, (l.axis_top + AXIS) as i32);
        Ok(())
    }

    /// Numbers of the ranks.
    fn gutter(&self, canvas: &mut Canvas, ranks_per_row: usize) {
        let l = &self.layout;
        let px = l.row_px as f64;
        let every = if px >= 13.0 { 1 } else { (text::nice_step((13.0 / px).ceil(), 1.0)).max(1.0) as usize };
        let world = &self.sight.info.ranks.world_rank;
        for row in (0..l.rows).step_by(every) {
            let Some(&rank) = self.sight.order.ranks.get(row * ranks_per_row) else { break };
            let number = world.get(rank as usize).copied().unwrap_or(rank as i32);
            let y = l.top + row as f64 * px + (px / 2.0).max(6.0);
            if y + 6.0 > l.top + l.plot_height() as f64 && row > 0 {
                break;
            }
            canvas.text(&number.to_string(), l.left - 6.0, y, SIZE, Align::Right, self.ink("text"));
        }
        if l.ruler == 0.0 {
            canvas.text("rank", l.left - 6.0, l.top - 8.0, SMALL, Align::Right, self.ink("muted"));
        }
        canvas.fill(l.left - 1.0, l.top, 1.0, l.plot_height() as f64, self.ink("line"));
    }

    /// The meaning of the colours, with the share of the visible time.
    fn key(&self, canvas: &mut Canvas) {
        let l = &self.layout;
        let Some(left) = l.legend_left else { return };
        let (_, height) = canvas.size();
        let lines = ((height - l.top - MARGIN) / LEGEND_LINE).max(2.0) as usize;
        let in_mpi: f64 = self.legend.iter().map(|entry| entry.share).sum();
        let computing = (None, "computing".to_owned(), (1.0 - in_mpi).clamp(0.0, 1.0));
        let function = |entry: &Entry| {
            let colour = self.colours.function(entry.id);
            (Some(colour), self.name_of(entry.id), entry.share)
        };
        // Computing and waiting have reserved lines; the other lines show the functions with the most time.
        let room = lines.saturating_sub(2);
        let shown = if self.legend.len() <= room { room } else { room.saturating_sub(1) };
        let mut all: Vec<(Option<Rgb>, String, f64)> = vec![computing];
        all.extend(self.legend.iter().take(shown).map(function));
        canvas.text("share of the visible time", left, l.top - 8.0, SMALL, Align::Left, self.ink("muted"));
        let mut y = l.top + LEGEND_LINE / 2.0;
        let right = left + LEGEND - MARGIN;
        for (colour, name, share) in all {
            canvas.fill(left, y - 6.0, 12.0, 12.0, colour.unwrap_or(self.theme.compute()));
            let share = text::share(share);
            let room = right - left - 26.0 - canvas.width_of(&share, SIZE);
            let name = canvas.fitted(&name, SIZE, room);
            canvas.text(&name, left + 18.0, y, SIZE, Align::Left, self.ink("text"));
            canvas.text(&share, right, y, SIZE, Align::Right, self.ink("text"));
            y += LEGEND_LINE;
        }
        let others: Vec<&Entry> = self.legend.iter().skip(shown).collect();
        if !others.is_empty() {
            let share: f64 = others.iter().map(|entry| entry.share).sum();
            canvas.text(&format!("{} more", others.len()), left + 18.0, y, SIZE, Align::Left, self.ink("muted"));
            canvas.text(&text::share(share), right, y, SIZE, Align::Right, self.ink("muted"));
            y += LEGEND_LINE;
        }
        let ground = self.theme.class("completion");
        canvas.fill(left, y - 6.0, 12.0, 12.0, ground);
        for x in 0..12_usize {
            for row in 0..12_usize {
                if (x + row) % 6 < 2 {
                    let place = (left + x as f64, y - 6.0 + row as f64);
                    canvas.fill(place.0, place.1, 1.0, 1.0, ground.blend(self.theme.hatch(), 0.5));
                }
            }
        }
        canvas.text("waiting inside calls", left + 18.0, y, SIZE, Align::Left, self.ink("muted"));
    }
}

fn encode(canvas: Canvas) -> Result<Vec<u8>, PictureError> {
    let (width, height) = canvas.size();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    encoder.write_header()?.write_image_data(&canvas.into_rgb())?;
    Ok(bytes)
}
