//! Any field of calls or messages against any other.

use mpiscope_pyramid::{Entry, Kind, Sums, Tallied};

use super::axis::{self, Axis, Bins, Range, Wish};
use super::fields::{Field, Of};
use super::message_fields::{Item, Source};
use super::preview_answers::{self, Between, TallyChoice};
use super::reading::Basis;
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub struct ScatterWish {
    /// Calls or messages.
    pub of: Of,
    /// Whether the answer has to be exact.
    pub care: Care,
    /// The field of the horizontal axis.
    pub x: Field,
    /// The field of the vertical axis.
    pub y: Field,
    /// The ends of the horizontal axis.
    pub x_axis: Wish,
    /// The ends of the vertical axis.
    pub y_axis: Wish,
    /// Pixels.
    pub width: usize,
    /// See `width`.
    pub height: usize,
    /// Up to this many calls are returned individually.
    pub points: usize,
}

/// Calls as points of a plane.
#[derive(Clone, Debug)]
pub struct Scatter {
    /// The horizontal axis, with both ends.
    pub x: Axis,
    /// The vertical axis, with both ends.
    pub y: Axis,
    /// Calls on the plane.
    pub total: u64,
    /// Points, or counts if there are too many.
    pub form: Form,
    /// Time as latency and bandwidth, where x is bytes and y a duration.
    pub fit: Option<Fit>,
    /// The basis. From a sample, `total` and counts are those of the sample.
    pub basis: Basis,
}

/// Individual points, or densities.
#[derive(Clone, Debug)]
pub enum Form {
    /// Each call by itself.
    Points(Points),
    /// Counts by pixel.
    Density(Density),
}

/// Calls, column by column.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// In the unit of the field.
    pub x: Vec<f64>,
    /// In the unit of the field.
    pub y: Vec<f64>,
    /// Rank of the call; of a message of the sending call.
    pub rank: Vec<u32>,
    /// Number of that call in its rank.
    pub row: Vec<u64>,
    /// The function's id.
    pub function: Vec<u16>,
}

/// Calls by pixel, bottom row first.
#[derive(Clone, Debug)]
pub struct Density {
    /// Calls of each pixel.
    pub count: Vec<u32>,
    /// The function of most of them (if one has more than half), or of one of them.
    pub function: Vec<u16>,
    votes: Vec<u32>,
}

/// `latency_ns + bytes / bytes_per_ns`, least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Of a message without payload.
    pub latency_ns: f64,
    /// Asymptotic bandwidth.
    pub bytes_per_ns: f64,
    /// The share of the variance that it explains.
    pub r2: f64,
}

/// Sums for a straight line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Line {
    fn add(&mut self, x: f64, y: f64) {
        *self = Line {
            n: self.n + 1.0,
            x: self.x + x,
            y: self.y + y,
            xx: self.xx + x * x,
            xy: self.xy + x * y,
            yy: self.yy + y * y,
        };
    }

    /// Adds calls of the same size.
    fn add_sums(&mut self, bytes: f64, sums: &Sums) {
        let (n, time_ns) = (sums.calls as f64, sums.time_ns as f64);
        let (x, xx, xy) = (n * bytes, n * bytes * bytes, bytes * time_ns);
        self.join(Line { n, x, y: time_ns, xx, xy, yy: sums.squares });
    }

    fn join(&mut self, o: Line) {
        *self = Line {
            n: self.n + o.n,
            x: self.x + o.x,
            y: self.y + o.y,
            xx: self.xx + o.xx,
            xy: self.xy + o.xy,
            yy: self.yy + o.yy,
        };
    }

    fn fit(&self) -> Option<Fit> {
        let (sxx, sxy, syy) = (
            self.xx - self.x * self.x / self.n,
            self.xy - self.x * self.y / self.n,
            self.yy - self.y * self.y / self.n,
        );
        // Only one size, or time that falls with size: no such line.
        if self.n < 3.0 || sxx <= 0.0 || sxy <= 0.0 || syy <= 0.0 {
            return None;
        }
        let slope = sxy / sxx;
        let latency_ns = (self.y - slope * self.x) / self.n;
        Some(Fit { latency_ns, bytes_per_ns: 1.0 / slope, r2: (sxy * sxy / (sxx * syy)).min(1.0) })
    }
}

struct Plane<'a> {
    wish: &'a ScatterWish,
    x: Axis,
    y: Axis,
    columns: Bins,
    lines: Bins,
}

impl Density {
    fn new(pixels: usize) -> Density {
        Density { count: vec![0; pixels], function: vec![0; pixels], votes: vec![0; pixels] }
    }

    /// Majority vote: the remaining value is the one with more than half.
    fn add(&mut self, at: usize, function: u16, count: u32, votes: u32) {
        self.count[at] = self.count[at].saturating_add(count);
        if self.function[at] == function {
            self.votes[at] = self.votes[at].saturating_add(votes);
        } else if self.votes[at] < votes {
            (self.function[at], self.votes[at]) = (function, votes - self.votes[at]);
        } else {
            self.votes[at] -= votes;
        }
    }

    fn join(&mut self, other: Density) {
        for at in (0..other.count.len()).filter(|&at| other.count[at] > 0) {
            self.add(at, other.function[at], other.count[at], other.votes[at]);
        }
    }
}

#[derive(Default)]
struct PlotData {
    total: u64,
    points: Option<Points>,
    density: Option<Density>,
    line: Line,
}

impl<'a> Plane<'a> {
    fn new(wish: &'a ScatterWish, x: Axis, y: Axis) -> Plane<'a> {
        Plane { wish, x, y, columns: x.in_bins(wish.width), lines: y.in_bins(wish.height) }
    }

    fn pixel(&self, x: f64, y: f64) -> Option<usize> {
        let (column, row) = (self.columns.bin_of(x)?, self.lines.bin_of(y)?);
        Some(row * self.wish.width + column)
    }

    fn add_point(&self, all: &mut PlotData, [x, y]: [f64; 2], function: u16, (rank, row): (u32, u64)) {
        let Some(pixel) = self.pixel(x, y) else { return };
        all.total += 1;
        all.line.add(x, y);
        if let Some(density) = &mut all.density {
            density.add(pixel, function, 1, 1);
            return;
        }
        let points = all.points.get_or_insert_default();
        points.push(x, y, rank, row, function);
        self.thin(all);
    }

    /// Calls within a rectangle: distributed evenly over it.
    fn take_some(&self, all: &mut PlotData, [x, y]: [Between; 2], rows: u64, function: u16, phase: u64) {
        let (Some((columns, x_part)), Some((lines, y_part))) = (self.columns.between(x), self.lines.between(y)) else {
            return;
        };
        let rows = (rows as f64 * x_part * y_part).round() as u64;
        let (wide, high) = ((columns.end() - columns.start() + 1) as u64, (lines.end() - lines.start() + 1) as u64);
        all.total += rows;
        let density = all.density.get_or_insert_with(|| Density::new(self.wish.width * self.wish.height));
        let width = self.wish.width;
        let (column, line) = (*columns.start(), *lines.start());
        preview_answers::parts(rows, wide * high, phase, |at, count| {
            let pixel = (line + (at / wide) as usize) * width + column + (at % wide) as usize;
            let count = count.min(u64::from(u32::MAX)) as u32;
            density.add(pixel, function, count, count);
        });
    }

    /// Too many points become a density, and so do points beside a density.
    fn thin(&self, all: &mut PlotData) {
        let is_few = all.points.as_ref().is_none_or(|points| points.x.len() <= self.wish.points);
        if is_few && all.density.is_none() {
            return;
        }
        let points = all.points.take().unwrap_or_default();
        let density = all.density.get_or_insert_with(|| Density::new(self.wish.width * self.wish.height));
        for at in 0..points.x.len() {
            if let Some(pixel) = self.pixel(points.x[at], points.y[at]) {
                density.add(pixel, points.function[at], 1, 1);
            }
        }
    }

    fn join(&self, mut a: PlotData, b: PlotData) -> PlotData {
        a.total += b.total;
        a.line.join(b.line);
        match (&mut a.density, b.density) {
            (Some(density), Some(other)) => density.join(other),
            (None, other) => a.density = other,
            (Some(_), None) => {}
        }
        if let Some(points) = b.points {
            a.points.get_or_insert_default().extend(points);
        }
        self.thin(&mut a);
        a
    }
}

impl Points {
    fn push(&mut self, x: f64, y: f64, rank: u32, row: u64, function: u16) {
        self.x.push(x);
        self.y.push(y);
        self.rank.push(rank);
        self.row.push(row);
        self.function.push(function);
    }

    fn extend(&mut self, mut other: Points) {
        self.x.append(&mut other.x);
        self.y.append(&mut other.y);
        self.rank.append(&mut other.rank);
        self.row.append(&mut other.row);
        self.function.append(&mut other.function);
    }
}

/// The calls (messages) that match `filter` and that have both fields.
///
/// # Errors
///
/// If the run has no such field, the store cannot be read, or the request is cancelled.
pub fn scatter(scene: &OpenedRun, filter: &Filter, wish: &ScatterWish, cancel: &Cancel) -> Result<Scatter, ViewError> {
    wish.x.check(scene)?;
    wish.y.check(scene)?;
    let fields = [wish.x, wish.y];
    let is_few = || match wish.of {
        Of::Calls => scene.is_few(filter),
        Of::Messages => scene.are_few_messages(filter),
    };
    if wish.care == Care::Quick
        && !is_few()
        && let Some(plan) = preview_answers::plan(scene, filter, wish.of, &fields)
    {
        return of_tallies(scene, filter, wish, &plan, cancel);
    }
    let source = Source::new(scene, filter, (wish.of, wish.care), fields, cancel)?;
    let (x, y) = match (wish.x_axis.complete(), wish.y_axis.complete()) {
        (Some(x), Some(y)) => (x, y),
        _ => {
            let add = |all: &mut [Range; 2], values: [f64; 2], _: Item<'_>| {
                all.iter_mut().zip(values).for_each(|(range, value)| range.add(value));
            };
            let ([x, y], _) = source.fold(cancel, || [Range::NONE; 2], add, axis::join)?;
            (x.axis(&wish.x_axis), y.axis(&wish.y_axis))
        }
    };
    let plane = Plane::new(wish, x, y);
    let take = |all: &mut PlotData, values: [f64; 2], item: Item<'_>| {
        let (function, call) = item.call(scene);
        plane.add_point(all, values, function, call);
    };
    let (found, basis) = source.fold(cancel, PlotData::default, take, |a, b| plane.join(a, b))?;
    Ok(plane.scatter_of(found, basis))
}

/// The same from tallies.
pub(crate) fn of_tallies(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &ScatterWish,
    plan: &TallyChoice,
    cancel: &Cancel,
) -> Result<Scatter, ViewError> {
    let both = |kind: &Kind, tallied: &Tallied<'_>, entry: &Entry| {
        let value = |field| preview_answers::between(scene, field, kind, tallied, entry);
        Some([value(wish.x)?, value(wish.y)?])
    };
    let (x, y) = match (wish.x_axis.complete(), wish.y_axis.complete()) {
        (Some(x), Some(y)) => (x, y),
        _ => {
            let add = |all: &mut [Range; 2], kind: &Kind, tallied: &Tallied<'_>| {
                let mut add = |values: [Between; 2]| {
                    for (range, (least, most)) in all.iter_mut().zip(values) {
                        range.add(least);
                        range.add(most);
                    }
                    values.iter().all(|&(least, _)| least > 0.0)
                };
                // Entries ascend by duration, and so do (or fall) all values: those between the first that is above 0, where
                // logarithms start, and the last are not ends.
                let values = |entry| both(kind, tallied, entry);
                let _ = tallied.entries.iter().filter_map(values).any(&mut add);
                tallied.entries.iter().rev().find_map(values).map(add);
            };
            let [x, y] = plan.fold(scene, filter, cancel, || [Range::NONE; 2], add, axis::join)?;
            (x.axis(&wish.x_axis), y.axis(&wish.y_axis))
        }
    };
    let plane = Plane::new(wish, x, y);
    let take = |all: &mut PlotData, kind: &Kind, tallied: &Tallied<'_>| {
        for entry in tallied.entries {
            if let Some(values) = both(kind, tallied, entry) {
                let phase = tallied.time_ns.start / (tallied.time_ns.end - tallied.time_ns.start).max(1);
                plane.take_some(all, values, entry.rows.into(), kind.function, phase + entry.duration as u64);
            }
        }
        all.line.add_sums((kind.bytes.0 + (kind.bytes.1 - kind.bytes.0) / 2) as f64, tallied.sums);
    };
    let found = plan.fold(scene, filter, cancel, PlotData::default, take, |a, b| plane.join(a, b))?;
    let density = found.density.or_else(|| Some(Density::new(wish.width * wish.height)));
    Ok(plane.scatter_of(PlotData { density, ..found }, plan.basis))
}

impl Plane<'_> {
    fn scatter_of(&self, found: PlotData, basis: Basis) -> Scatter {
        let is_fit = self.wish.x == Field::Bytes && self.wish.y == Field::Duration;
        let form = match found.density {
            Some(density) => Form::Density(density),
            None => Form::Points(found.points.unwrap_or_default()),
        };
        let fit = found.line.fit().filter(|_| is_fit);
        Scatter { x: self.x, y: self.y, total: found.total, form, fit, basis }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_found_again() {
        let mut line = Line::default();
        for size in [8.0, 1024.0, 65536.0] {
            line.add(size, 500.0 + size / 4.0);
        }
        let fit = line.fit().unwrap();
        assert!((fit.latency_ns - 500.0).abs() < 1e-6 && (fit.bytes_per_ns - 4.0).abs() < 1e-9 && fit.r2 > 0.999_999);
        let mut one_size = Line::default();
        (0..9).for_each(|at| one_size.add(8.0, f64::from(at)));
        assert_eq!(one_size.fit(), None);
    }

    #[test]
    fn the_majority_wins() {
        let mut density = Density::new(1);
        for function in [1, 2, 2, 3, 2, 2, 1, 2] {
            density.add(0, function, 1, 1);
        }
        let mut other = Density::new(1);
        other.add(0, 3, 1, 1);
        density.join(other);
        assert_eq!((density.count[0], density.function[0]), (9, 2));
    }
}
