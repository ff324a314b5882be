//! What the exchange of a grid costs with other extents: surface to volume.
//!
//! A rank sends a face of its part to each neighbour. With `p` ranks on a domain of n × n × n cells, a face has `n²` cells if one axis is divided,
//! `n² / √p` if two are, and `n² / p^⅔` if three are; the messages are 2, 4 and 6. So the cost of one exchange is `2 (s + r n²)`, `4 (s + r n² / √p)` or
//! `6 (s + r n² / p^⅔)`, with `s` the latency and `r` the time for a byte (Gropp and Lusk, *Programming in MPI for Performance*).
//!
//! Here the domain need not be a cube, and `s + r b` is the time that the profile says for `b` bytes between these two ranks. The cross-section of the
//! domain along an axis is what one message of the run has, times the extents of the other axes. An axis that the run does not divide
//! shows no cross-section: it is assumed to be the geometric mean of the others.

use mpiscope_store::RankId;

use super::reference::Reference;
use crate::explanation::attainable::{Estimate, Shape};

/// Axes of a domain.
const AXES: usize = 3;
/// Ranks whose cost is computed, evenly spread: the rank with the highest cost is like many others.
const MOST_RANKS: usize = 4096;

/// An axis of the grid, and what is exchanged along it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub extent: u32,
    pub is_periodic: bool,
    /// Messages to one side in an iteration; `None` without messages.
    pub messages: Option<f64>,
    /// Bytes of one of them.
    pub bytes: Option<f64>,
}

/// What is exchanged, independent of the extents.
pub(super) struct Domain {
    /// Of the run's own grid.
    pub axes: Vec<Axis>,
    /// The ranks in the order of their places.
    ranks: Vec<u32>,
    /// The same in the order of their numbers: how `MPI_Cart_create` places them in another grid.
    numbered: Vec<u32>,
    /// By axis of the domain.
    sides: Vec<Side>,
}

/// An axis of the domain.
#[derive(Clone, Copy)]
struct Side {
    /// Bytes of a message, if this axis only was divided.
    section: f64,
    messages: f64,
    is_periodic: bool,
    is_assumed: bool,
}

impl Domain {
    /// `None` if nothing is exchanged along any axis.
    pub fn new(axes: Vec<Axis>, ranks: Vec<u32>) -> Option<Domain> {
        let all: f64 = axes.iter().map(|axis| f64::from(axis.extent)).product();
        let known: Vec<(f64, f64)> =
            axes.iter().filter_map(|axis| Some((axis.bytes? * all / f64::from(axis.extent), axis.messages?))).collect();
        if known.is_empty() {
            return None;
        }
        let count = known.len() as f64;
        let assumed = Side {
            section: (known.iter().map(|of| of.0.max(1.0).ln()).sum::<f64>() / count).exp(),
            messages: known.iter().map(|of| of.1).sum::<f64>() / count,
            is_periodic: axes.iter().all(|axis| axis.is_periodic),
            is_assumed: true,
        };
        let side = |axis: &Axis| match (axis.bytes, axis.messages) {
            (Some(bytes), Some(messages)) => Side {
                section: bytes * all / f64::from(axis.extent),
                messages,
                is_periodic: axis.is_periodic,
                is_assumed: false,
            },
            _ => assumed,
        };
        let mut sides: Vec<Side> = axes.iter().map(side).collect();
        sides.resize(sides.len().max(AXES), assumed);
        let mut numbered = ranks.clone();
        numbered.sort_unstable();
        Some(Domain { axes, ranks, numbered, sides })
    }

    /// The cost of a grid with these extents, whose places have these ranks.
    fn shape(&self, dims: &[u32], ranks: &[u32], reference: &Reference) -> Shape {
        let all: f64 = dims.iter().map(|&extent| f64::from(extent)).product();
        let bytes: Vec<f64> =
            self.sides.iter().zip(dims).map(|(side, &extent)| side.section * f64::from(extent) / all).collect();
        let step = ranks.len().div_ceil(MOST_RANKS).max(1);
        let mut worst: Option<Cost> = None;
        for place in (0..ranks.len()).step_by(step) {
            let mut cost = Cost { messages: 0.0, bytes: 0.0, time: Some(Estimate::nothing()) };
            let mut stride = ranks.len();
            for ((&extent, side), bytes) in dims.iter().zip(&self.sides).zip(&bytes) {
                stride /= extent as usize;
                let at = place / stride % extent as usize;
                for neighbour in neighbours(at, extent as usize, side.is_periodic) {
                    let other = place - at * stride + neighbour * stride;
                    let one = |rank: usize| RankId(ranks[rank]);
                    let time =
                        reference.curve_of(one(place), one(other)).and_then(|curve| curve.at(bytes.round() as u64));
                    cost.add(side.messages, *bytes, time);
                }
            }
            if worst.as_ref().is_none_or(|worst| cost.is_above(worst)) {
                worst = Some(cost);
            }
        }
        let worst = worst.unwrap_or_default();
        Shape {
            dims: dims.to_vec(),
            is_own: false,
            is_assumed: self.sides.iter().zip(dims).any(|(side, &extent)| side.is_assumed && extent > 1),
            messages: worst.messages,
            bytes: worst.bytes,
            surface: 0.0,
            attainable: worst.time,
        }
    }
}

/// Of one rank.
#[derive(Clone, Copy, Default)]
struct Cost {
    messages: f64,
    bytes: f64,
    time: Option<Estimate>,
}

impl Cost {
    /// Messages of so many bytes to one side; `time` is that of one of them.
    fn add(&mut self, messages: f64, bytes: f64, time: Option<Estimate>) {
        self.messages += messages;
        self.bytes += messages * bytes;
        self.time = self.time.zip(time).map(|(sum, one)| sum.plus(messages, one));
    }

    /// Whether it costs more: time if it is known, otherwise bytes.
    fn is_above(&self, other: &Cost) -> bool {
        match (self.time, other.time) {
            (Some(own), Some(other)) => own.ns > other.ns,
            (own, other) if own.is_some() != other.is_some() => own.is_none(),
            _ => self.bytes > other.bytes,
        }
    }
}

impl Estimate {
    fn nothing() -> Estimate {
        Estimate { ns: 0.0, low_ns: Some(0.0), high_ns: Some(0.0), is_disturbed: false }
    }

    /// With `times` more of another one after it.
    fn plus(self, times: f64, other: Estimate) -> Estimate {
        let sum = |own: Option<f64>, other: Option<f64>| Some(own? + times * other?);
        Estimate {
            ns: self.ns + times * other.ns,
            low_ns: sum(self.low_ns, other.low_ns),
            high_ns: sum(self.high_ns, other.high_ns),
            is_disturbed: self.is_disturbed || other.is_disturbed,
        }
    }
}

/// The places on both sides.
fn neighbours(at: usize, extent: usize, is_periodic: bool) -> impl Iterator<Item = usize> {
    let wraps = is_periodic && extent > 1;
    let before = if at > 0 { Some(at - 1) } else { wraps.then(|| extent - 1) };
    let after = if at + 1 < extent { Some(at + 1) } else { wraps.then_some(0) };
    before.into_iter().chain(after)
}

/// The grid of the run first, then the best for each number of divided axes.
pub(super) fn shapes(domain: &Domain, reference: &Reference) -> Vec<Shape> {
    let own: Vec<u32> = domain.axes.iter().map(|axis| axis.extent).collect();
    let mut found = vec![Shape { is_own: true, surface: 1.0, ..domain.shape(&own, &domain.ranks, reference) }];
    if own.len() > AXES {
        return found;
    }
    let own_bytes = found[0].bytes;
    let known = domain.sides.iter().filter(|side| !side.is_assumed).count();
    let mut best: [Option<(f64, Shape)>; AXES] = Default::default();
    for dims in divisions(domain.numbered.len() as u32) {
        let divided = dims.iter().filter(|&&extent| extent > 1).count();
        let is_own = dims.iter().zip(own.iter().chain(std::iter::repeat(&1))).all(|(a, b)| a == b);
        if divided == 0 || is_own {
            continue;
        }
        let mut shape = domain.shape(&dims, &domain.numbered, reference);
        // What the run shows comes first.
        if shape.is_assumed && divided <= known {
            continue;
        }
        shape.surface = shape.bytes / own_bytes.max(1.0);
        // Costs of which some are unknown are compared by their surface.
        let cost = shape.attainable.map_or(f64::MAX / 2.0 + shape.bytes, |time| time.ns);
        if best[divided - 1].as_ref().is_none_or(|(least, _)| cost < *least) {
            best[divided - 1] = Some((cost, shape));
        }
    }
    for (_, mut shape) in best.into_iter().flatten() {
        while shape.dims.len() > own.len() && shape.dims.last() == Some(&1) {
            shape.dims.pop();
        }
        found.push(shape);
    }
    found
}

/// All ways to write a number as a product of three, in all orders; those that divide the first axes come first.
fn divisions(n: u32) -> Vec<[u32; AXES]> {
    let divisors: Vec<u32> = (1..=n).rev().filter(|d| n.is_multiple_of(*d)).collect();
    let mut found = Vec::new();
    for &first in &divisors {
        let rest = n / first;
        found
            .extend(divisors.iter().filter(|&&d| rest.is_multiple_of(d)).map(|&second| [first, second, rest / second]));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::reference::tests::reference;
    use super::*;

    /// A periodic grid of ranks in order, whose messages along each axis have so many bytes.
    fn domain(axes: &[(u32, f64)]) -> Domain {
        let axis = |&(extent, bytes): &(u32, f64)| {
            let messages = (extent > 1).then_some(1.0);
            Axis { extent, is_periodic: true, messages, bytes: messages.map(|_| bytes) }
        };
        let ranks = axes.iter().map(|axis| axis.0).product();
        Domain::new(axes.iter().map(axis).collect(), (0..ranks).collect()).unwrap()
    }

    fn of<'a>(shapes: &'a [Shape], dims: &[u32]) -> &'a Shape {
        shapes.iter().find(|shape| shape.dims == dims).unwrap_or_else(|| panic!("{dims:?}: {shapes:?}"))
    }

    #[test]
    fn costs_are_those_of_the_formulas() {
        // A cube: n² = 65,536 bytes, p = 64; s = 1 µs, r = 1 ns/B.
        let shapes = shapes(&domain(&[(64, 65536.0)]), &reference(64));
        let [own, two, three] = &shapes[..] else { panic!("{shapes:?}") };
        let ns = |shape: &Shape| shape.attainable.unwrap().ns.round();
        assert_eq!((own.dims.as_slice(), own.is_own, own.is_assumed), (&[64][..], true, false));
        assert_eq!((own.messages, own.bytes, own.surface), (2.0, 2.0 * 65536.0, 1.0));
        assert_eq!(ns(own), 2.0 * (1000.0 + 65536.0));
        assert_eq!((two.dims.as_slice(), two.is_assumed), (&[8, 8][..], true));
        assert_eq!((two.messages, ns(two)), (4.0, 4.0 * (1000.0 + 65536.0 / 8.0)));
        assert_eq!(three.dims, [4, 4, 4]);
        assert_eq!((three.messages, ns(three)), (6.0, 6.0 * (1000.0 + 65536.0 / 16.0)));
        assert!((three.surface - 6.0 / 16.0 / 2.0).abs() < 1e-9);
        let interval = three.attainable.unwrap();
        assert!((interval.low_ns.unwrap() / interval.ns - 0.9).abs() < 1e-9);
    }

    #[test]
    fn the_run_shows_how_long_the_sides_are() {
        // 4 × 4 ranks on a domain that is four times as long along the first axis: 16 × 1 has the smallest surface of one divided axis.
        let shapes = shapes(&domain(&[(4, 1000.0), (4, 4000.0)]), &reference(16));
        assert!(shapes[0].is_own && !shapes[0].is_assumed);
        assert_eq!(of(&shapes, &[16, 1]).bytes, 2.0 * 4000.0);
        // 8 × 2: 2,000 bytes along the first axis, 2,000 along the second one.
        assert_eq!(of(&shapes, &[8, 2]).bytes, 4.0 * 2000.0);
        assert!(!of(&shapes, &[8, 2]).is_assumed);
        assert!(shapes.iter().filter(|shape| shape.dims.len() == 3).all(|shape| shape.is_assumed));
    }

    #[test]
    fn ranks_at_the_edge_have_fewer_neighbours() {
        assert_eq!(neighbours(0, 4, false).collect::<Vec<_>>(), [1]);
        assert_eq!(neighbours(0, 4, true).collect::<Vec<_>>(), [3, 1]);
        assert_eq!(neighbours(0, 2, true).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(neighbours(0, 1, true).count(), 0);
        assert_eq!(divisions(4).len(), 6);
    }

    #[test]
    fn without_a_curve_there_is_no_time() {
        let mut reference = reference(4);
        reference.classes[0].curve = None;
        let shapes = shapes(&domain(&[(4, 100.0)]), &reference);
        assert!(shapes.iter().all(|shape| shape.attainable.is_none() && shape.bytes > 0.0));
        let nothing = Axis { extent: 4, is_periodic: true, messages: None, bytes: None };
        assert!(Domain::new(vec![nothing], vec![0, 1, 2, 3]).is_none());
    }
}
