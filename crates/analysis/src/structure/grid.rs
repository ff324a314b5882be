//! The process grid behind a graph of messages.
//!
//! First numbers of ranks are taken for row-major positions: every way of writing the number of ranks as a product of
//! up to four factors is tried, and the one is taken whose steps explain the edges best. If none does, ranks may have
//! been renumbered: then the grid is found from the graph alone, by walking straight from a corner (of a torus: from
//! anywhere) along each axis and comparing what such a grid must look like.

use std::collections::BTreeMap;

use mpiscope_store::{CommRow, Dimensions};

use super::graph::Neighbors;
use crate::explanation::Confidence;
use crate::explanation::structure::Grid;

/// What messages say must explain this share of edges, and have this share of its own.
const LEAST_FIT: f64 = 0.9;
const MOST_DIMS: usize = 4;
/// More factorisations are not tried: numbers of ranks have few divisors.
const MOST_SHAPES: usize = 20_000;
const CARTESIAN: &str = "cartesian communicator";

/// The grid, from messages or from a Cartesian communicator; the latter if both exist. Without both, from
/// `comms`: those that ranks meet in.
pub(crate) fn find(neighbors: &Neighbors, comms: &[u32], dimensions: &Dimensions) -> Option<Grid> {
    let seen = from_messages(neighbors).or_else(|| from_comms(comms, dimensions));
    let carts = dimensions.comms.iter().filter(|c| !c.dims.is_empty() && c.members.len() > 1);
    let Some(cart) = carts.max_by_key(|c| (c.members.len(), c.dims.len())) else { return seen };
    let declared = from_cart(cart);
    // A communicator of some ranks shows less than messages of all.
    if seen.as_ref().is_some_and(|s| s.dims.iter().product::<u32>() as usize > 2 * cart.members.len()) {
        return seen;
    }
    let same = |s: &Grid| s.dims == declared.dims;
    let reach = seen.filter(same).and_then(|s| s.reach);
    Some(Grid { reach, ..declared })
}

/// Rows and columns that have communicators of their own.
fn from_comms(comms: &[u32], dimensions: &Dimensions) -> Option<Grid> {
    let ranks = dimensions.ranks.len();
    // Ranks in communicators whose members are so many, and so far apart.
    let mut lines: BTreeMap<(usize, u32), usize> = BTreeMap::new();
    for comm in comms.iter().filter_map(|&c| dimensions.comms.get(c as usize)) {
        let members = &comm.members;
        if members.len() < 2 || members.len() >= ranks || members.iter().any(|m| !m.is_some()) {
            continue;
        }
        let stride = members[1].0.saturating_sub(members[0].0);
        if stride > 0 && members.windows(2).all(|w| w[1].0.saturating_sub(w[0].0) == stride) {
            *lines.entry((members.len(), stride)).or_default() += members.len();
        }
    }
    let is_whole = |columns: usize| {
        let rows = ranks / columns;
        let [row, column] = [(columns, 1), (rows, columns as u32)].map(|key| lines.get(&key).copied());
        ranks.is_multiple_of(columns) && row >= Some(ranks) && column >= Some(ranks)
    };
    let columns = (2..ranks).find(|&columns| is_whole(columns))?;
    Some(Grid {
        dims: vec![(ranks / columns) as u32, columns as u32],
        periodic: vec![false, false],
        source: "communicators",
        confidence: Confidence::Medium,
        reach: None,
        places: (0..ranks as u32).collect(),
    })
}

fn from_cart(cart: &CommRow) -> Grid {
    Grid {
        dims: cart.dims.iter().map(|d| d.0).collect(),
        periodic: cart.dims.iter().map(|d| d.1).collect(),
        source: CARTESIAN,
        confidence: Confidence::High,
        reach: None,
        // One whose members were not all recorded has gaps.
        places: cart.members.iter().map(|m| m.is_some().then_some(m.0)).collect::<Option<_>>().unwrap_or_default(),
    }
}

/// The grid of the ranks that exchange messages.
pub(crate) fn from_messages(neighbors: &Neighbors) -> Option<Grid> {
    let active = neighbors.active();
    if active.len() < 3 || neighbors.edges() > active.len() * 80 {
        return None;
    }
    let graph = neighbors.among(&active);
    // Where everybody exchanges with everybody, no order is better than another.
    if graph.both_ways().edges() == active.len() * (active.len() - 1) {
        return None;
    }
    let numbered = shapes(active.len() as u32)
        .into_iter()
        .filter_map(|dims| fit(&graph, dims))
        .filter(|f| f.score >= LEAST_FIT)
        .max_by(|a, b| a.score.total_cmp(&b.score).then(b.grid.dims.len().cmp(&a.grid.dims.len())));
    let of_active = |places: &[u32]| places.iter().map(|&at| active[at as usize] as u32).collect();
    if let Some(found) = numbered {
        let confidence = if found.score > 0.99 { Confidence::High } else { Confidence::Medium };
        let places = of_active(&(0..active.len() as u32).collect::<Vec<_>>());
        return Some(Grid { confidence, places, ..found.grid });
    }
    let found = unnumbered(&graph.both_ways())?;
    Some(Grid { places: of_active(&found.places), ..found })
}

/// All ways to write `n` as a product of up to four factors above 1, in all orders.
fn shapes(n: u32) -> Vec<Vec<u32>> {
    let divisors: Vec<u32> = (2..=n).filter(|d| n.is_multiple_of(*d)).collect();
    let mut found: Vec<Vec<u32>> = Vec::new();
    let mut open: Vec<(Vec<u32>, u32)> = vec![(Vec::new(), n)];
    while let Some((dims, rest)) = open.pop() {
        if found.len() >= MOST_SHAPES {
            break;
        }
        if rest > 1 && dims.len() < MOST_DIMS {
            for &d in divisors.iter().filter(|&&d| rest.is_multiple_of(d)) {
                let mut longer = dims.clone();
                longer.push(d);
                if rest == d {
                    found.push(longer);
                } else {
                    open.push((longer, rest / d));
                }
            }
        }
    }
    found
}

struct Fit {
    grid: Grid,
    score: f64,
}

/// How well edges are steps in a grid of this shape.
fn fit(graph: &Neighbors, dims: Vec<u32>) -> Option<Fit> {
    let axes = dims.len();
    let mut strides = vec![1u32; axes];
    for axis in (1..axes).rev() {
        strides[axis - 1] = strides[axis] * dims[axis];
    }
    let at = |rank: u32, axis: usize| rank / strides[axis] % dims[axis];
    let (mut explained, mut edges, mut reach) = (0u64, 0u64, 0u32);
    // Faces seen: inside, and over the end, by axis.
    let (mut inner, mut outer) = (vec![0u64; axes], vec![0u64; axes]);
    for (from, list) in graph.out.iter().enumerate() {
        for &to in list {
            edges += 1;
            let (mut steps, mut over, mut which, mut is_step) = (0, false, 0, true);
            for (axis, &extent) in dims.iter().enumerate() {
                let (a, b) = (at(from as u32, axis), at(to, axis));
                let apart = a.abs_diff(b);
                if apart == 0 {
                    continue;
                }
                steps += 1;
                which = axis;
                if apart == extent - 1 && extent > 2 {
                    over = true;
                } else if apart != 1 {
                    is_step = false;
                }
            }
            if !is_step {
                continue;
            }
            explained += 1;
            reach = reach.max(steps);
            // A face is one, whether it is crossed in one direction or in both.
            let is_seen = to < from as u32 && graph.out[to as usize].contains(&(from as u32));
            if steps == 1 && !is_seen {
                if over { outer[which] += 1 } else { inner[which] += 1 }
            }
        }
    }
    if edges == 0 || (explained as f64) < edges as f64 * LEAST_FIT {
        return None;
    }
    let ranks = graph.ranks() as u64;
    let mut present = 1.0f64;
    let mut periodic = Vec::new();
    let mut of_grid = 0;
    for axis in 0..axes {
        let lines = ranks / u64::from(dims[axis]);
        let inside = lines * u64::from(dims[axis] - 1);
        present = present.min(inner[axis] as f64 / inside as f64);
        let wraps = dims[axis] > 2 && outer[axis] * 2 > lines;
        of_grid += inner[axis] + if wraps { outer[axis] } else { 0 };
        periodic.push(wraps);
        // Some ends exchange and some do not: not this grid.
        if dims[axis] > 2 && outer[axis] > 0 && !wraps {
            present = present.min(1.0 - outer[axis] as f64 / lines as f64);
        }
    }
    // Diagonals only: no grid without faces.
    if of_grid == 0 {
        return None;
    }
    let score = explained as f64 / edges as f64 * present.min(1.0);
    let (confidence, places) = (Confidence::High, Vec::new());
    let grid = Grid { dims, periodic, source: "messages", confidence, reach: Some(reach), places };
    Some(Fit { grid, score })
}

/// The grid of a graph without useful numbering: a product of paths and cycles, only faces.
fn unnumbered(graph: &Neighbors) -> Option<Grid> {
    let degree = |r: usize| graph.out[r].len();
    let corner = (0..graph.ranks()).min_by_key(|&r| degree(r))?;
    if degree(corner) == 0 || degree(corner) > 2 * MOST_DIMS {
        return None;
    }
    let mut axes: Vec<(Vec<u32>, bool)> = Vec::new();
    let mut seen: Vec<u32> = Vec::new();
    for &first in &graph.out[corner] {
        if seen.contains(&first) {
            continue;
        }
        let (line, is_cycle) = straight(graph, corner, first as usize)?;
        seen.push(first);
        if is_cycle {
            seen.extend(line.last());
        }
        axes.push((line, is_cycle));
    }
    axes.sort_by_key(|(line, is_cycle)| std::cmp::Reverse((line.len(), *is_cycle)));
    let ranks: u64 = axes.iter().map(|(line, _)| line.len() as u64).product();
    let steps = |(line, is_cycle): &(Vec<u32>, bool)| {
        let n = line.len() as u64;
        ranks / n * if *is_cycle { n } else { n - 1 }
    };
    let edges = 2 * axes.iter().map(steps).sum::<u64>();
    let is_it = ranks == graph.ranks() as u64 && edges == graph.edges() as u64 && is_connected(graph);
    is_it.then(|| Grid {
        dims: axes.iter().map(|(line, _)| line.len() as u32).collect(),
        periodic: axes.iter().map(|(_, is_cycle)| *is_cycle).collect(),
        source: "messages",
        confidence: Confidence::Medium,
        reach: Some(1),
        places: places(graph, &axes),
    })
}

/// The rank at each place of a product of lines that begin in one corner. In such a product the point of a line that is nearest to
/// a rank has the rank's number along that axis.
fn places(graph: &Neighbors, axes: &[(Vec<u32>, bool)]) -> Vec<u32> {
    let mut place = vec![0_usize; graph.ranks()];
    for (line, _) in axes {
        let nearest = graph.nearest(line);
        place.iter_mut().zip(nearest).for_each(|(place, at)| *place = *place * line.len() + at as usize);
    }
    let mut found = vec![u32::MAX; graph.ranks()];
    for (rank, &place) in place.iter().enumerate() {
        if let Some(free) = found.get_mut(place).filter(|at| **at == u32::MAX) {
            *free = rank as u32;
        }
    }
    if found.contains(&u32::MAX) { Vec::new() } else { found }
}

/// Ranks on a straight line, and whether it is periodic.
fn straight(graph: &Neighbors, begin: usize, first: usize) -> Option<(Vec<u32>, bool)> {
    let (mut before, mut at, mut line) = (begin, first, vec![begin as u32, first as u32]);
    while line.len() <= graph.ranks() {
        // Straight on is the neighbour that shares only this rank with the one before: others are around a corner.
        let ahead = |&&to: &&u32| to as usize != before && common(graph, before, to as usize) == 1;
        let mut next = graph.out[at].iter().filter(ahead);
        match (next.next(), next.next()) {
            (None, _) => return Some((line, false)),
            (Some(&to), None) if to as usize == begin => return Some((line, true)),
            (Some(&to), None) => {
                (before, at) = (at, to as usize);
                line.push(to);
            }
            _ => return None,
        }
    }
    None
}

fn common(graph: &Neighbors, a: usize, b: usize) -> usize {
    graph.out[a].iter().filter(|to| graph.out[b].binary_search(to).is_ok()).count()
}

fn is_connected(graph: &Neighbors) -> bool {
    graph.distances(0).iter().all(|&d| d != u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A grid's edges, each rank renumbered.
    fn grid(dims: &[u32], periodic: &[bool], diagonals: bool, number: &dyn Fn(u32) -> u32) -> Neighbors {
        let ranks: u32 = dims.iter().product();
        let mut out = vec![Vec::new(); ranks as usize];
        let axes = dims.len();
        let place = |rank: u32| {
            let mut left = rank;
            let mut at = vec![0i64; axes];
            for axis in (0..axes).rev() {
                at[axis] = i64::from(left % dims[axis]);
                left /= dims[axis];
            }
            at
        };
        for rank in 0..ranks {
            for code in 0..3i64.pow(axes as u32) {
                let step: Vec<i64> = (0..axes).map(|a| code / 3i64.pow(a as u32) % 3 - 1).collect();
                let moved = step.iter().filter(|s| **s != 0).count();
                if moved == 0 || moved > 1 && !diagonals {
                    continue;
                }
                let mut to = 0i64;
                let mut inside = true;
                for (axis, at) in place(rank).iter().enumerate() {
                    let mut c = at + step[axis];
                    let n = i64::from(dims[axis]);
                    if periodic[axis] {
                        c = c.rem_euclid(n);
                    }
                    inside &= (0..n).contains(&c);
                    to = to * n + c;
                }
                if inside && to as u32 != rank {
                    out[number(rank) as usize].push(number(to as u32));
                }
            }
        }
        for list in &mut out {
            list.sort_unstable();
            list.dedup();
        }
        Neighbors { out }
    }

    fn found(dims: &[u32], periodic: &[bool], diagonals: bool) -> Grid {
        from_messages(&grid(dims, periodic, diagonals, &|r| r)).expect("a grid")
    }

    #[test]
    fn grids_in_order() {
        for (dims, periodic, diagonals, reach) in [
            (&[5, 5][..], &[false, false][..], false, 1),
            (&[5, 5], &[true, false], false, 1),
            (&[4, 6], &[true, true], true, 2),
            (&[3, 4, 5], &[false, true, false], false, 1),
            (&[4, 4, 4], &[true, true, true], true, 3),
            (&[16], &[false], false, 1),
            (&[16], &[true], false, 1),
            (&[2, 8], &[false, false], false, 1),
        ] {
            let grid = found(dims, periodic, diagonals);
            assert_eq!((&grid.dims[..], &grid.periodic[..]), (dims, periodic), "{grid:?}");
            assert_eq!(grid.places, (0..dims.iter().product()).collect::<Vec<u32>>());
            assert_eq!(grid.reach, Some(reach));
        }
    }

    #[test]
    fn what_is_no_grid() {
        let star = Neighbors { out: (0..9).map(|r| if r == 0 { (1..9).collect() } else { vec![0] }).collect() };
        assert_eq!(from_messages(&star), None);
        let small = Neighbors { out: vec![vec![1, 2, 3], vec![0], vec![0], vec![0]] };
        assert_eq!(from_messages(&small), None);
        let all = Neighbors { out: (0..9u32).map(|r| (0..9).filter(|&t| t != r).collect()).collect() };
        assert_eq!(from_messages(&all), None);
        let four = Neighbors { out: (0..4u32).map(|r| (0..4).filter(|&t| t != r).collect()).collect() };
        assert_eq!(from_messages(&four), None);
        assert_eq!(from_messages(&Neighbors { out: vec![Vec::new(); 5] }), None);
        assert_eq!(from_messages(&Neighbors { out: Vec::new() }), None);
        let random = Neighbors { out: (0..20u32).map(|r| vec![(r * 7 + 3) % 20, (r * r + 1) % 20]).collect() };
        assert_eq!(from_messages(&random), None);
    }

    proptest! {
        /// Renumbering ranks changes nothing but the order of the axes.
        #[test]
        fn renumbered_grids(a in 3u32..8, b in 5u32..8, c in 1u32..4, pa: bool, pb: bool, seed in 0u64..1000) {
            let (pa, pb) = (pa && a > 4, pb);
            let (dims, periodic): (Vec<u32>, Vec<bool>) =
                [(a, pa), (b, pb), (c, false)].into_iter().filter(|d| d.0 > 1).unzip();
            let ranks: u32 = dims.iter().product();
            let mut order: Vec<u32> = (0..ranks).collect();
            let mut state = seed * 2 + 1;
            for i in (1..order.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                order.swap(i, (state >> 33) as usize % (i + 1));
            }
            let graph = grid(&dims, &periodic, false, &|r| order[r as usize]);
            let found = from_messages(&graph).expect("a grid");
            let sorted = |d: &[u32], p: &[bool]| {
                let mut axes: Vec<(u32, bool)> = d.iter().copied().zip(p.iter().copied()).collect();
                axes.sort_unstable();
                axes
            };
            prop_assert_eq!(sorted(&found.dims, &found.periodic), sorted(&dims, &periodic));
            // Who is one place further along an axis is a neighbour.
            let mut seen = found.places.clone();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..ranks).collect::<Vec<_>>());
            let mut stride = 1;
            for &extent in found.dims.iter().rev() {
                for (place, &rank) in found.places.iter().enumerate() {
                    if (place / stride) % (extent as usize) + 1 < extent as usize {
                        prop_assert!(graph.has(rank as usize, found.places[place + stride] as usize), "{found:?}");
                    }
                }
                stride *= extent as usize;
            }
        }
    }
}
