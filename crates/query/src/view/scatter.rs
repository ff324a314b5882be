//! Any field of calls over any other.

use mpiscope_store::CallColumns;

use super::axis::{Axis, Range, Wish, ranges};
use super::fields::Field;
use super::scene::asking;
use super::{Cancel, Filter, Scene, ViewError};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct ScatterWish {
    pub x: Field,
    pub y: Field,
    pub x_axis: Wish,
    pub y_axis: Wish,
    /// Pixels.
    pub width: usize,
    pub height: usize,
    /// Up to so many calls come one by one.
    pub points: usize,
}

/// Calls as points of a plane.
#[derive(Clone, Debug)]
pub struct Scatter {
    pub x: Axis,
    pub y: Axis,
    /// Calls on the plane.
    pub total: u64,
    pub form: Form,
    /// A time as latency and bandwidth, where x is bytes and y a duration.
    pub fit: Option<Fit>,
}

/// One by one, or how many where.
#[derive(Clone, Debug)]
pub enum Form {
    Points(Points),
    Density(Density),
}

/// Calls, column by column.
#[derive(Clone, Debug, Default)]
pub struct Points {
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub rank: Vec<u32>,
    pub row: Vec<u64>,
    pub function: Vec<u16>,
}

/// Calls by pixel, bottom row first.
#[derive(Clone, Debug)]
pub struct Density {
    pub count: Vec<u32>,
    /// The function of most of them (if one has more than half), or of one of them.
    pub function: Vec<u16>,
    votes: Vec<u32>,
}

/// `latency_ns + bytes / bytes_per_ns`, least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    pub latency_ns: f64,
    pub bytes_per_ns: f64,
    /// Share of the variance that it explains.
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
        // One size only, or time that falls with size: no line of this kind.
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
}

impl Density {
    fn new(pixels: usize) -> Density {
        Density { count: vec![0; pixels], function: vec![0; pixels], votes: vec![0; pixels] }
    }

    /// The vote of the majority: what more than half of all are is what is left.
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
struct Found {
    total: u64,
    points: Option<Points>,
    density: Option<Density>,
    line: Line,
}

impl Plane<'_> {
    fn pixel(&self, x: f64, y: f64) -> Option<usize> {
        let (column, row) = (self.x.bin(x, self.wish.width)?, self.y.bin(y, self.wish.height)?);
        Some(row * self.wish.width + column)
    }

    fn take(&self, all: &mut Found, x: f64, y: f64, function: u16, calls: &CallColumns, at: usize) {
        let Some(pixel) = self.pixel(x, y) else { return };
        all.total += 1;
        all.line.add(x, y);
        if let Some(density) = &mut all.density {
            density.add(pixel, function, 1, 1);
            return;
        }
        let points = all.points.get_or_insert_default();
        points.push(x, y, calls.rank[at], calls.row[at], function);
        self.thin(all);
    }

    /// Too many points become density, and so do those beside a density.
    fn thin(&self, all: &mut Found) {
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

    fn join(&self, mut a: Found, b: Found) -> Found {
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

/// The calls that `filter` wants and that have both fields.
pub fn scatter(scene: &Scene, filter: &Filter, wish: &ScatterWish, cancel: &Cancel) -> Result<Scatter, ViewError> {
    wish.x.check(scene)?;
    wish.y.check(scene)?;
    let (x, y) = match (wish.x_axis.complete(), wish.y_axis.complete()) {
        (Some(x), Some(y)) => (x, y),
        _ => {
            let [x, y]: [Range; 2] = ranges(scene, filter, [wish.x, wish.y], cancel)?;
            (x.axis(&wish.x_axis), y.axis(&wish.y_axis))
        }
    };
    let plane = Plane { wish, x, y };
    let selection = scene.selection(filter);
    let take = |all: &mut Found, calls: &CallColumns, at: usize| {
        let Some(facts) = selection.wanted(calls, at) else { return };
        let value = |field: Field| field.of(scene, facts, calls, at);
        if let (Some(x), Some(y)) = (value(wish.x), value(wish.y)) {
            plane.take(all, x, y, facts.function as u16, calls, at);
        }
    };
    let found =
        scene.rows.fold_calls(&scene.wanted(filter), &asking(cancel), Found::default, take, |a, b| plane.join(a, b))?;
    let is_fit = wish.x == Field::Bytes && wish.y == Field::Duration;
    let form = match found.density {
        Some(density) => Form::Density(density),
        None => Form::Points(found.points.unwrap_or_default()),
    };
    Ok(Scatter { x, y, total: found.total, form, fit: found.line.fit().filter(|_| is_fit) })
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
