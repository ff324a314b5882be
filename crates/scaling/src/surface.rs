//! What the exchange of a grid costs with other decompositions: surface to volume.
//!
//! With `p` ranks on a domain of n × n × n cells, a rank sends two messages of `n²` cells if one axis is divided, four of `n² / √p` if two are, six of `n² / p^⅔` if three are (Gropp and
//! Lusk, *Programming in MPI for Performance*). Here the domain need not be a cube: its cross-section along an axis is what one message of the run has, times the extents
//! of the other axes. Unlike the comparison in a report, which has the run's own ranks and the curve of each pair, this one is for ranks that do not exist: it is that of a rank inside of the grid, on one curve.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::answer::{Answer, Scaling};

/// Axes of a domain.
const AXES: usize = 3;
/// Share of the messages that may go to others than neighbours along an axis.
const MOST_OTHERS: f64 = 0.5;

/// Costs that differ by less are equal: then the grid that divides the first axes is taken.
const EQUAL: f64 = 1.0 - 1e-9;

/// A message count between two ranks.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// Sender.
    pub from: i32,
    /// Receiver.
    pub to: i32,
    /// Messages.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// What a run exchanges along the axes of its grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    dims: Vec<u32>,
    source: &'static str,
    other_share: f64,
    /// By axis of the domain.
    sides: Vec<Side>,
}

/// An axis of the domain.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Side {
    /// Bytes that a rank sends to one neighbour in the whole run, if this axis only was divided.
    section: f64,
    /// Messages of these.
    messages: f64,
    is_periodic: bool,
    is_assumed: bool,
}

impl Exchange {
    /// From the positions of ranks in a grid and what they send; `source` says where the grid comes from. `None` if most messages do not go along its axes.
    pub fn new(
        dims: &[u32],
        periodic: &[bool],
        source: &'static str,
        places: &BTreeMap<i32, Vec<u32>>,
        sent: impl Iterator<Item = Sent>,
    ) -> Option<Exchange> {
        if dims.is_empty() || dims.len() > AXES || dims.len() != periodic.len() {
            return None;
        }
        /// Along one axis.
        #[derive(Clone, Copy, Default)]
        struct Along {
            pairs: f64,
            messages: f64,
            bytes: f64,
        }
        let mut along = vec![Along::default(); dims.len()];
        let (mut all, mut others) = (0.0, 0.0);
        for of in sent.filter(|of| of.messages > 0 && of.from != of.to) {
            let messages = of.messages as f64;
            all += messages;
            let places = places.get(&of.from).zip(places.get(&of.to));
            match places.and_then(|(from, to)| axis(dims, periodic, from, to)) {
                Some(axis) => {
                    // Of two ranks on a ring, each is the other's neighbour on both sides.
                    along[axis].pairs += if dims[axis] == 2 && periodic[axis] { 2.0 } else { 1.0 };
                    along[axis].messages += messages;
                    along[axis].bytes += of.bytes as f64;
                }
                None => others += messages,
            }
        }
        if all == 0.0 || others > MOST_OTHERS * all {
            return None;
        }
        let ranks: f64 = dims.iter().map(|&extent| f64::from(extent)).product();
        let side = |(axis, along): (usize, &Along)| {
            (along.pairs > 0.0).then(|| Side {
                section: along.bytes / along.pairs * ranks / f64::from(dims[axis]),
                messages: along.messages / along.pairs,
                is_periodic: periodic[axis],
                is_assumed: false,
            })
        };
        let sides: Vec<Option<Side>> = along.iter().enumerate().map(side).collect();
        let known: Vec<Side> = sides.iter().copied().flatten().collect();
        let count = known.len() as f64;
        // An axis that the run does not divide shows no cross-section.
        let assumed = Side {
            section: (known.iter().map(|side| side.section.max(1.0).ln()).sum::<f64>() / count).exp(),
            messages: known.iter().map(|side| side.messages).sum::<f64>() / count,
            is_periodic: known.iter().all(|side| side.is_periodic),
            is_assumed: true,
        };
        let mut sides: Vec<Side> = sides.into_iter().map(|side| side.unwrap_or(assumed)).collect();
        sides.resize(AXES, assumed);
        Some(Exchange { dims: dims.to_vec(), source, other_share: others / all, sides })
    }

    /// A grid of so many ranks, if the domain's cross-sections are `growth` times those of the run.
    fn shape(&self, dims: [u32; AXES], growth: f64, time: &dyn Fn(f64) -> Option<f64>) -> Shape {
        let ranks: f64 = dims.iter().map(|&extent| f64::from(extent)).product();
        let (mut messages, mut bytes, mut time_ns) = (0.0, 0.0, Some(0.0));
        for (side, extent) in self.sides.iter().zip(dims).filter(|(_, extent)| *extent > 1) {
            let neighbours = if side.is_periodic || extent > 2 { 2.0 } else { 1.0 };
            let own = side.section * growth * f64::from(extent) / ranks;
            messages += neighbours * side.messages;
            bytes += neighbours * own;
            let one = time(own / side.messages).map(|ns| ns * neighbours * side.messages);
            time_ns = time_ns.zip(one).map(|(sum, one)| sum + one);
        }
        Shape {
            dims: dims.to_vec(),
            is_assumed: self.sides.iter().zip(dims).any(|(side, extent)| side.is_assumed && extent > 1),
            messages,
            bytes,
            surface: 0.0,
            time_ns,
        }
    }

    /// The best grid for each number of divided axes. `time` is that of a message of so many bytes, ns, if known.
    fn shapes(&self, ranks: u64, growth: f64, time: &dyn Fn(f64) -> Option<f64>) -> Vec<Shape> {
        let own = self.dims.iter().filter(|&&extent| extent > 1).count().max(1);
        let mut best: [Option<Shape>; AXES] = Default::default();
        for dims in divisions(ranks) {
            let divided = dims.iter().filter(|&&extent| extent > 1).count();
            let Some(best) = divided.checked_sub(1).and_then(|at| best.get_mut(at)) else { continue };
            let shape = self.shape(dims, growth, time);
            // What the run shows comes first, as far as it has enough axes.
            let is_guess = |of: &Shape| of.is_assumed && divided <= self.known();
            let cost = |of: &Shape| of.time_ns.unwrap_or(of.bytes);
            let is_better = |old: &Shape| match (is_guess(&shape), is_guess(old)) {
                (own, other) if own == other => cost(&shape) < EQUAL * cost(old),
                (own, _) => !own,
            };
            if best.as_ref().is_none_or(is_better) {
                *best = Some(shape);
            }
        }
        let reference = best[own - 1].as_ref().or(best.iter().flatten().next()).map_or(1.0, |of| of.bytes.max(1.0));
        best.into_iter().flatten().map(|shape| Shape { surface: shape.bytes / reference, ..shape }).collect()
    }

    fn known(&self) -> usize {
        self.sides.iter().filter(|side| !side.is_assumed).count()
    }
}

/// The axis along which two places are neighbours.
fn axis(dims: &[u32], periodic: &[bool], a: &[u32], b: &[u32]) -> Option<usize> {
    let mut found = None;
    for (axis, (a, b)) in a.iter().zip(b).enumerate() {
        let distance = a.abs_diff(*b);
        let around = if *periodic.get(axis)? { dims.get(axis)?.saturating_sub(distance) } else { u32::MAX };
        match distance.min(around) {
            0 => {}
            1 if found.is_none() => found = Some(axis),
            _ => return None,
        }
    }
    found
}

/// All ways to write a number as a product of three, in all orders.
fn divisions(n: u64) -> Vec<[u32; AXES]> {
    let divisors: Vec<u64> = (1..=n).rev().filter(|d| n.is_multiple_of(*d)).collect();
    let mut found = Vec::new();
    for &first in &divisors {
        let rest = n / first;
        for &second in divisors.iter().filter(|&&d| rest.is_multiple_of(d)) {
            found.push([first as u32, second as u32, (rest / second) as u32]);
        }
    }
    found
}

/// The exchange of a rank inside of a grid, summed over the run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shape {
    /// Extents.
    pub dims: Vec<u32>,
    /// Whether it divides an axis that the run does not divide: it is assumed as long as the others.
    pub is_assumed: bool,
    /// Messages.
    pub messages: f64,
    /// Bytes.
    pub bytes: f64,
    /// Bytes divided by those of the shape that divides as many axes as the run does.
    pub surface: f64,
    /// Time of these messages one after another, ns; `None` without a machine profile.
    pub time_ns: Option<f64>,
}

/// The grids of a number of ranks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decomposition {
    /// Ranks.
    pub ranks: u64,
    /// The best grid of one, two and three divided axes, as far as the number of ranks has them.
    pub shapes: Vec<Shape>,
}

/// The grid of the largest run, and others at the asked numbers of ranks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decompositions {
    /// Extents of the run's grid.
    pub dims: Vec<u32>,
    /// Where it comes from.
    pub source: &'static str,
    /// Share of the messages that do not go along one axis; costs are without them.
    pub other_share: f64,
    /// By number of ranks.
    pub at: Vec<Decomposition>,
}

/// The grids at the asked numbers of ranks. In weak scaling the domain grows along all its axes. `time` is that of a message of so many bytes, ns, if known.
pub fn decompositions(exchange: &Exchange, answer: &Answer, time: &dyn Fn(f64) -> Option<f64>) -> Decompositions {
    let largest = answer.measured.last();
    let axes = exchange.dims.len().max(2) as f64;
    let of_asked = |of: &crate::answer::Predicted| {
        let volume = match (answer.scaling, largest) {
            (_, Some(run)) if run.size.is_some() && of.size.is_some() => {
                of.size.unwrap_or(1.0) / run.size.unwrap_or(1.0)
            }
            (Scaling::Weak, Some(run)) => of.ranks as f64 / run.ranks as f64,
            _ => 1.0,
        };
        let growth = volume.powf((axes - 1.0) / axes);
        Decomposition { ranks: of.ranks, shapes: exchange.shapes(of.ranks, growth, time) }
    };
    Decompositions {
        dims: exchange.dims.clone(),
        source: exchange.source,
        other_share: exchange.other_share,
        at: answer.predicted.iter().map(of_asked).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A periodic grid of ranks in order, which exchange so many bytes along each axis.
    fn exchange(dims: &[u32], bytes: &[u64]) -> Exchange {
        let count: u32 = dims.iter().product();
        let place = |rank: u32| {
            let mut rest = rank;
            let mut place: Vec<u32> = dims.iter().rev().map(|&extent| (rest % extent, rest /= extent).0).collect();
            place.reverse();
            place
        };
        let places: BTreeMap<i32, Vec<u32>> = (0..count).map(|rank| (rank as i32, place(rank))).collect();
        let mut sent = Vec::new();
        for (&from, at) in &places {
            for (&to, other) in &places {
                if let Some(axis) = axis(dims, &vec![true; dims.len()], at, other) {
                    let sides = if dims[axis] == 2 { 2 } else { 1 };
                    sent.push(Sent { from, to, messages: 10 * sides, bytes: 10 * sides * bytes[axis] });
                }
            }
        }
        Exchange::new(dims, &vec![true; dims.len()], "messages", &places, sent.into_iter()).unwrap()
    }

    /// s = 1 µs, r = 1 ns/B.
    fn line(bytes: f64) -> Option<f64> {
        Some(1000.0 + bytes)
    }

    #[test]
    fn costs_are_those_of_the_formulas() {
        // A cube: n² = 65,536 bytes, 4 ranks along one axis, 10 exchanges; p = 64.
        let shapes = exchange(&[4], &[65536]).shapes(64, 1.0, &line);
        let [one, two, three] = &shapes[..] else { panic!("{shapes:?}") };
        assert_eq!((&one.dims[..], one.messages, one.bytes, one.surface), (&[64, 1, 1][..], 20.0, 20.0 * 65536.0, 1.0));
        let ns = |shape: &Shape| shape.time_ns.unwrap().round();
        assert_eq!(ns(one), 20.0 * (1000.0 + 65536.0));
        assert_eq!((&two.dims[..], &three.dims[..]), (&[8, 8, 1][..], &[4, 4, 4][..]));
        assert_eq!((two.messages, ns(two)), (40.0, 40.0 * (1000.0 + 65536.0 / 8.0)));
        assert_eq!((three.messages, ns(three)), (60.0, 60.0 * (1000.0 + 65536.0 / 16.0)));
        assert!(!one.is_assumed && two.is_assumed && three.is_assumed);
    }

    #[test]
    fn the_run_shows_how_long_the_sides_are() {
        // 2 × 2 ranks on a domain that is four times as long along the first axis: cross-sections of 2,000 and 8,000 bytes.
        let shapes = exchange(&[2, 2], &[1000, 4000]).shapes(16, 1.0, &|_| None);
        let two = shapes.iter().find(|shape| shape.dims.iter().filter(|&&d| d > 1).count() == 2).unwrap();
        assert_eq!((&two.dims[..], two.is_assumed, two.surface, two.time_ns), (&[8, 2, 1][..], false, 1.0, None));
        assert_eq!(two.bytes, 10.0 * 2.0 * (2000.0 / 2.0 + 8000.0 / 8.0));
        assert_eq!(shapes[0].dims, [16, 1, 1]);
        assert!(!shapes[0].is_assumed && shapes[2].is_assumed);
    }

    #[test]
    fn a_run_without_exchange_along_axes_has_no_shapes() {
        let places: BTreeMap<i32, Vec<u32>> = (0..8).map(|rank| (rank, vec![rank as u32])).collect();
        let far = |from| Sent { from, to: (from + 4) % 8, messages: 1, bytes: 1 };
        assert_eq!(Exchange::new(&[8], &[true], "messages", &places, (0..8).map(far)), None);
        assert_eq!(Exchange::new(&[8], &[true], "messages", &places, std::iter::empty()), None);
        assert_eq!(Exchange::new(&[], &[], "messages", &places, (0..8).map(far)), None);
        assert_eq!(axis(&[4, 4], &[true, false], &[0, 1], &[3, 1]), Some(0));
        assert_eq!(axis(&[4, 4], &[true, false], &[1, 0], &[1, 3]), None);
        assert_eq!(axis(&[4, 4], &[true, true], &[0, 0], &[1, 1]), None);
        assert_eq!(divisions(1_000_000).len(), 28 * 28);
    }

    #[test]
    fn a_prime_number_of_ranks_has_one_divided_axis() {
        let shapes = exchange(&[4], &[1000]).shapes(7, 1.0, &line);
        assert_eq!(shapes.iter().map(|shape| &shape.dims[..]).collect::<Vec<_>>(), [[7, 1, 1]]);
        assert!(exchange(&[4], &[1000]).shapes(1, 1.0, &line).is_empty());
    }
}
