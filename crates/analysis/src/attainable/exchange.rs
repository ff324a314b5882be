//! The exchange of a grid: how many bytes go along each axis, and how long the calls take.

use std::collections::BTreeSet;

use mpiscope_store::{CallInfo, Dimensions, Message};

use super::reference::Reference;
use super::shapes::{Axis, Domain, shapes};
use crate::analysis::Input;
use crate::explanation::Explanation;
use crate::explanation::attainable::Halo;
use crate::explanation::structure::Grid;

/// Partners of a rank that are kept: a grid of three dimensions with diagonals has 26.
const MOST_PARTNERS: usize = 64;
/// The same of partners by calls.
const MOST_EDGES: usize = 4 * MOST_PARTNERS;
/// Patterns of messages that are exchanges of a grid. In sweeps, ranks depend on each other; pairs may be round trips; others have no grid.
const PATTERNS: [&str; 2] = ["halo", "ring"];
/// Share of the messages that may go to others than neighbours in the grid.
const MOST_FAR: f64 = 0.5;

/// Messages from one rank to another, by calls with the same facts.
#[derive(Clone, Copy)]
struct Edge {
    facts: u32,
    to: u32,
    messages: u64,
    bytes: u64,
}

/// Calls of a rank with the same facts.
#[derive(Clone, Default)]
struct Calls {
    time_ns: u64,
    wait_ns: u64,
    /// With whom they exchange messages; empty if they have none.
    partners: Vec<u32>,
}

/// What is collected of each rank.
#[derive(Default)]
pub(super) struct Exchange {
    edges: Vec<Vec<Edge>>,
    /// By facts.
    calls: Vec<Vec<Calls>>,
}

impl Exchange {
    pub fn add_batch(&mut self, input: &Input<'_>) {
        self.edges.resize_with(input.facts.len(), Vec::new);
        self.calls.resize_with(input.facts.len(), Vec::new);
        for (calls, facts) in self.calls.iter_mut().zip(input.facts) {
            calls.resize_with(facts.len(), Calls::default);
        }
        for (own, batch) in self.calls.iter_mut().zip(&input.batch.ranks) {
            for call in &batch.calls {
                if let Some(own) = own.get_mut(call.facts as usize) {
                    own.time_ns += call.end_ns.saturating_sub(call.start_ns);
                }
            }
        }
        for wait in input.waits {
            if let Some(own) = wait.rank.index().and_then(|rank| self.calls.get_mut(rank)?.get_mut(wait.facts as usize))
            {
                own.wait_ns += wait.ns();
            }
        }
        input.batch.messages.iter().for_each(|message| self.message(message));
    }

    fn message(&mut self, m: &Message) {
        let (Some(from), Some(to)) = (m.sender.index(), m.receiver.index()) else { return };
        let Some(edges) = self.edges.get_mut(from) else { return };
        let facts = m.send.facts;
        match edges.iter().position(|edge| (edge.facts, edge.to) == (facts, to as u32)) {
            Some(at) => {
                edges[at].messages += 1;
                edges[at].bytes = edges[at].bytes.saturating_add(m.bytes);
            }
            None if edges.len() < MOST_EDGES => edges.push(Edge { facts, to: to as u32, messages: 1, bytes: m.bytes }),
            None => {}
        }
        for (rank, partner, end) in [(from, to, &m.send), (to, from, &m.receive)] {
            let completed = end.is_done().then_some(end.done_facts);
            for facts in std::iter::once(end.facts).chain(completed) {
                let Some(calls) = self.calls.get_mut(rank).and_then(|calls| calls.get_mut(facts as usize)) else {
                    continue;
                };
                if calls.partners.len() < MOST_PARTNERS && !calls.partners.contains(&(partner as u32)) {
                    calls.partners.push(partner as u32);
                }
            }
        }
    }

    /// The exchange, if the run has a grid along whose axes most messages go.
    pub fn conclude(
        self,
        reference: &Reference,
        (dimensions, facts): (&Dimensions, &[Vec<CallInfo>]),
        e: &Explanation,
    ) -> Option<Halo> {
        let grid = e.grid.as_ref().filter(|_| e.pattern.is_some_and(|pattern| PATTERNS.contains(&pattern)))?;
        let positions = Positions::new(grid, self.edges.len())?;
        let iterations = e.iterations.as_ref().map(|main| {
            main.count + main.warm_up.as_ref().filter(|warm_up| warm_up.is_apart).map_or(0, |warm_up| warm_up.count)
        });
        let times = iterations.unwrap_or(1).max(1) as f64;
        // Only calls of the main loop, where their places are known.
        let is_in_loop = |rank: usize, of: u32| {
            let site =
                facts.get(rank).and_then(|facts| facts.get(of as usize)).map_or("", |of| dimensions.site(of.site));
            e.sites_in_loop.is_empty() || e.sites_in_loop.contains(site)
        };
        let mut along = vec![Along::default(); grid.dims.len()];
        let (mut all, mut others, mut far) = (0, 0, 0);
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges.iter().filter(|edge| edge.to as usize != from && is_in_loop(from, edge.facts)) {
                all += edge.messages;
                match positions.axis(from as u32, edge.to) {
                    Some(axis) => along[axis].add(from as u32, edge),
                    None => others += edge.messages,
                }
                if !positions.is_near(from as u32, edge.to) {
                    far += edge.messages;
                }
            }
        }
        let share = |messages: u64| messages as f64 / all.max(1) as f64;
        if all == 0 || share(far) > MOST_FAR {
            return None;
        }
        let other_share = share(others);
        let axis = |(along, (&extent, &is_periodic)): (&Along, (&u32, &bool))| {
            // Of two ranks on a ring, each is the other's neighbour on both sides.
            let sides = if extent == 2 && is_periodic { 2.0 } else { 1.0 };
            Axis {
                extent,
                is_periodic,
                messages: (along.messages > 0)
                    .then(|| along.messages as f64 / along.pairs.len() as f64 / times / sides),
                bytes: (along.messages > 0).then(|| along.bytes as f64 / along.messages as f64),
            }
        };
        let axes = along.iter().zip(grid.dims.iter().zip(&grid.periodic)).map(axis).collect();
        let domain = Domain::new(axes, positions.ranks.clone())?;
        let mut halo = Halo {
            iterations,
            axis_bytes: domain.axes.iter().map(|axis| axis.bytes.map(|bytes| bytes as u64)).collect(),
            other_share,
            shapes: shapes(&domain, reference),
            ..Halo::default()
        };
        if e.scope.calls_lost == 0 {
            self.add_times(&mut halo, &positions, times, dimensions, &is_in_loop);
        }
        Some(halo)
    }

    /// How long the calls of the exchange take.
    fn add_times(
        &self,
        halo: &mut Halo,
        positions: &Positions,
        times: f64,
        dimensions: &Dimensions,
        is_in_loop: &dyn Fn(usize, u32) -> bool,
    ) {
        let of_rank = |rank: u32| {
            let is_near = |partner: &&u32| positions.is_near(rank, **partner);
            let of_exchange = |(facts, calls): &(u32, &Calls)| {
                let near = calls.partners.iter().filter(is_near).count();
                near > 0 && 2 * near >= calls.partners.len() && is_in_loop(rank as usize, *facts)
            };
            let own = (0..).zip(&self.calls[rank as usize]).filter(of_exchange);
            let sums = own.fold((0, 0), |(time, wait), (_, calls)| (time + calls.time_ns, wait + calls.wait_ns));
            ((sums.0 as f64 / times) as u64, (sums.1 as f64 / times) as u64, rank)
        };
        let mut all: Vec<(u64, u64, u32)> = positions.ranks.iter().map(|&rank| of_rank(rank)).collect();
        all.sort_unstable();
        let Some(&(most, _, rank)) = all.last() else { return };
        let mut waits: Vec<u64> = all.iter().map(|of| of.1).collect();
        waits.sort_unstable();
        halo.median_ns = Some(all[all.len() / 2].0);
        halo.waiting_ns = Some(waits[waits.len() / 2]);
        halo.max_ns = Some(most);
        halo.max_rank = dimensions.ranks.get(rank as usize).map(|row| row.world_rank);
    }
}

/// Messages along one axis.
#[derive(Clone, Default)]
struct Along {
    pairs: BTreeSet<(u32, u32)>,
    messages: u64,
    bytes: u64,
}

impl Along {
    fn add(&mut self, from: u32, edge: &Edge) {
        self.pairs.insert((from, edge.to));
        self.messages += edge.messages;
        self.bytes = self.bytes.saturating_add(edge.bytes);
    }
}

/// Where ranks are in the grid.
struct Positions {
    dims: Vec<u32>,
    periodic: Vec<bool>,
    /// By rank; `None` outside of the grid.
    places: Vec<Option<u32>>,
    /// Ranks by place.
    ranks: Vec<u32>,
}

impl Positions {
    fn new(grid: &Grid, ranks: usize) -> Option<Positions> {
        let mut places = vec![None; ranks];
        for (place, &rank) in grid.places.iter().enumerate() {
            *places.get_mut(rank as usize)? = Some(place as u32);
        }
        let places_of_all = grid.dims.iter().try_fold(1_u64, |all, &extent| all.checked_mul(extent.into()));
        let is_whole = places_of_all == Some(grid.places.len() as u64);
        (is_whole && !grid.places.is_empty()).then(|| Positions {
            dims: grid.dims.clone(),
            periodic: grid.periodic.clone(),
            places,
            ranks: grid.places.clone(),
        })
    }

    /// Distance of two ranks along each axis.
    fn distances(&self, a: u32, b: u32) -> Option<Vec<u32>> {
        let (mut a, mut b) = ((*self.places.get(a as usize)?)?, (*self.places.get(b as usize)?)?);
        let mut found: Vec<u32> = Vec::with_capacity(self.dims.len());
        for (&extent, &is_periodic) in self.dims.iter().zip(&self.periodic).rev() {
            let distance = (a % extent).abs_diff(b % extent);
            found.push(if is_periodic { distance.min(extent - distance) } else { distance });
            (a, b) = (a / extent, b / extent);
        }
        found.reverse();
        Some(found)
    }

    /// The axis along which two ranks are neighbours.
    fn axis(&self, a: u32, b: u32) -> Option<usize> {
        let distances = self.distances(a, b)?;
        (distances.iter().sum::<u32>() == 1).then(|| distances.iter().position(|&distance| distance == 1))?
    }

    /// Whether two ranks are neighbours, also diagonally.
    fn is_near(&self, a: u32, b: u32) -> bool {
        a != b && self.distances(a, b).is_some_and(|distances| distances.iter().all(|&distance| distance <= 1))
    }
}
