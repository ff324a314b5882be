//! What ranks compute before each call, as the mean of all ranks: equal work.
//!
//! Ranks that do the same come to the calls of a place equally often. What they compute before the *k*-th of them is compared, so
//! that work which moves from rank to rank is balanced, too. A rank that does not come to it has no part in the mean: the sum of all
//! computing stays the same.
//!
//! A rank at the end of a chain, or at the edge of a grid, has no call at some places: it computes before another call than the
//! others do. So places to which ranks come equally often are one [`Pool`], as the steps of one loop: what a rank computes in the *k*-th
//! step, up to a place to which all of them come, is compared, and it stays where the rank computes.
//!
//! Where much is computed at places that do not go together like this (a rank exposes its window twice as often as another one, or receives by turns in two
//! ways), all that ranks compute between two operations of all of them is compared instead.

use std::sync::Arc;

use mpiscope_store::SiteId;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::pools::{InPool, Pool, STEPS, pools};
use crate::sections::Sections;

/// At most so many calls are kept, with what the rank computes before each and in which section: 128 MiB.
const MOST: usize = 1 << 24;
/// A rank that computes for so long begins a new group of calls, ns. In a group it makes a call at a site for each neighbour.
const COMPUTES_NS: u64 = 5_000;
/// In a group, the first so many calls at a site have places of their own; later ones share the last place.
const REPEATS: usize = 8;

/// What ranks compute before the calls of each place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gaps {
    /// Numbers of function and call site; `None` is the end of the rank.
    sites: FxHashMap<Option<(u32, SiteId)>, u32>,
    /// By rank and [`slot`]: the number of its site, or [`UNKNOWN`].
    of_facts: Vec<Vec<u32>>,
    /// By rank and place: what it computes before each of its calls, ns.
    pub(crate) own_ns: Vec<Vec<Vec<f32>>>,
    /// The same: the numbers of these calls among all of the rank.
    numbers: Vec<Vec<Vec<u32>>>,
    /// By rank: how many calls it has made.
    calls: Vec<u32>,
    /// By rank: how many calls it has made up to each operation of all ranks.
    met: Vec<Vec<u32>>,
    /// By rank: places in the order in which it first came to them.
    pub(crate) order: Vec<Vec<usize>>,
    groups: Vec<Group>,
    kept: usize,
}

/// By place.
type Counts = Vec<u32>;

/// Calls that a rank has made since it last computed: number of the site, how often.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Group(SmallVec<[(u32, u8); 4]>);

impl Group {
    /// The place of the next call at a site.
    fn place_of(&mut self, site: u32, gap_ns: u64) -> u32 {
        if gap_ns >= COMPUTES_NS {
            self.0.clear();
        }
        let at = self.0.iter().position(|(seen, _)| *seen == site).unwrap_or_else(|| {
            self.0.push((site, 0));
            self.0.len() - 1
        });
        let times = &mut self.0[at].1;
        let repeat = u32::from(*times);
        *times = (*times + 1).min(REPEATS as u8 - 1);
        site * REPEATS as u32 + repeat
    }
}

const UNKNOWN: u32 = u32::MAX;

/// Where the place of facts is kept: of the end of the rank, which has none (`u32::MAX`), before all others.
fn slot(facts: u32) -> usize {
    facts.wrapping_add(1) as usize
}

impl Gaps {
    /// For so many ranks.
    pub fn new(ranks: usize) -> Gaps {
        Gaps {
            of_facts: vec![Vec::new(); ranks],
            own_ns: vec![Vec::new(); ranks],
            numbers: vec![Vec::new(); ranks],
            calls: vec![0; ranks],
            met: vec![Vec::new(); ranks],
            order: vec![Vec::new(); ranks],
            groups: vec![Group::default(); ranks],
            ..Gaps::default()
        }
    }

    /// The next call of a rank, before which it has computed for `gap_ns`; without a place, its end.
    pub fn add(&mut self, rank: usize, facts: u32, place: Option<(u32, SiteId)>, gap_ns: u64) {
        if self.is_full() {
            return;
        }
        let Some(of_facts) = self.of_facts.get_mut(rank) else { return };
        let slot = slot(facts);
        if of_facts.len() <= slot {
            of_facts.resize(slot + 1, UNKNOWN);
        }
        if of_facts[slot] == UNKNOWN {
            let next = self.sites.len() as u32;
            of_facts[slot] = *self.sites.entry(place).or_insert(next);
        }
        let place = self.groups[rank].place_of(of_facts[slot], gap_ns) as usize;
        let (own_ns, numbers) = (&mut self.own_ns[rank], &mut self.numbers[rank]);
        if own_ns.len() <= place {
            own_ns.resize_with(place + 1, Vec::new);
            numbers.resize_with(place + 1, Vec::new);
        }
        if own_ns[place].is_empty() {
            self.order[rank].push(place);
        }
        own_ns[place].push(gap_ns as f32);
        numbers[place].push(self.calls[rank]);
        self.calls[rank] += 1;
        self.kept += 1;
        if self.is_full() {
            *self = Gaps { kept: self.kept, ..Gaps::default() };
        }
    }

    /// The call that a rank came to last is an operation of all ranks.
    pub fn meet(&mut self, rank: usize) {
        if let Some(met) = self.met.get_mut(rank) {
            met.push(self.calls[rank]);
        }
    }

    /// Whether there are too many calls to keep.
    pub fn is_full(&self) -> bool {
        self.kept > MOST
    }

    /// How many places there are.
    pub(crate) fn places(&self) -> usize {
        self.sites.len() * REPEATS
    }

    /// What a rank computes before its calls at a place, ns.
    pub(crate) fn of(&self, rank: usize, place: usize) -> &[f32] {
        self.own_ns.get(rank).and_then(|of| of.get(place)).map_or(&[], Vec::as_slice)
    }

    /// What is computed between two operations of all ranks.
    fn in_sections(&self) -> Sections {
        let of_rank = |(rank, calls): (usize, &u32)| {
            let mut found = vec![(0, 0.0); *calls as usize];
            for (place, (own_ns, numbers)) in self.own_ns[rank].iter().zip(&self.numbers[rank]).enumerate() {
                let site = (place / REPEATS) as u32;
                own_ns.iter().zip(numbers).for_each(|(ns, number)| found[*number as usize] = (site, *ns));
            }
            found
        };
        let calls: Vec<_> = self.calls.iter().enumerate().map(of_rank).collect();
        Sections::new(&calls, &self.met)
    }

    /// Share of all computing that is compared with nothing that other ranks do: before calls of one rank alone, or of ranks that come to
    /// them more or less often than others in one section.
    fn apart_share(&self, pools: &[Pool], of_place: &[Option<InPool>]) -> f64 {
        let has_sections = self.met.iter().any(|met| met.len() >= STEPS);
        let (mut apart_ns, mut all_ns) = (0.0, 0.0);
        for (place, of) in of_place.iter().enumerate() {
            let ranks = || (0..self.own_ns.len()).map(|rank| self.of(rank, place)).filter(|of| !of.is_empty());
            let own_ns: f64 = ranks().flatten().map(|ns| f64::from(*ns)).sum();
            let is_apart = match of {
                Some(of) => pools[of.pool].is_of_one(),
                None => ranks().count() == 1 || has_sections,
            };
            all_ns += own_ns;
            apart_ns += if is_apart { own_ns } else { 0.0 };
        }
        if all_ns > 0.0 { apart_ns / all_ns } else { 0.0 }
    }

    /// The means of the ranks that come to each call of a place, ns.
    fn means_ns(&self, place: usize) -> Vec<f32> {
        let mut sums: Vec<(f32, f32)> = Vec::new();
        for own_ns in (0..self.own_ns.len()).map(|rank| self.of(rank, place)) {
            sums.resize(sums.len().max(own_ns.len()), (0.0, 0.0));
            sums.iter_mut().zip(own_ns).for_each(|((sum, ranks), ns)| (*sum, *ranks) = (*sum + ns, *ranks + 1.0));
        }
        sums.into_iter().map(|(sum, ranks)| sum / ranks.max(1.0)).collect()
    }
}

fn next_of(counts: &mut Counts, place: u32) -> usize {
    if counts.len() <= place as usize {
        counts.resize(place as usize + 1, 0);
    }
    let count = &mut counts[place as usize];
    *count += 1;
    *count as usize - 1
}

/// The same once more, call by call, with equal work in place of what each rank computed.
pub struct Balance {
    gaps: Arc<Gaps>,
    pools: Vec<Pool>,
    /// By place: its pool, if there is one.
    of_place: Vec<Option<InPool>>,
    /// By place that is in no pool: the means of the ranks that come to its calls.
    means_ns: Vec<Vec<f32>>,
    /// In place of all this: what is computed between operations of all ranks.
    sections: Option<Sections>,
    seen: Vec<Counts>,
    groups: Vec<Group>,
}

/// At most this share of the computing may have nothing to be compared with.
const MOST_APART: f64 = 0.1;

impl Balance {
    /// From the beginning of the run.
    pub fn new(gaps: Arc<Gaps>) -> Balance {
        let (pools, of_place) = pools(&gaps);
        let means = |place: usize| if of_place[place].is_some() { Vec::new() } else { gaps.means_ns(place) };
        let ranks = gaps.own_ns.len();
        let is_apart = ranks > 1 && gaps.apart_share(&pools, &of_place) > MOST_APART;
        Balance {
            sections: is_apart.then(|| gaps.in_sections()),
            means_ns: (0..gaps.places()).map(means).collect(),
            seen: vec![Counts::new(); ranks],
            groups: vec![Group::default(); ranks],
            pools,
            of_place,
            gaps,
        }
    }

    /// What a rank computes before its next call, before which it has computed for `gap_ns`, if it is one of the recorded calls.
    pub fn next_ns(&mut self, rank: usize, facts: u32, gap_ns: u64) -> Option<u64> {
        let site = *self.gaps.of_facts.get(rank)?.get(slot(facts)).filter(|&&site| site != UNKNOWN)?;
        let place = self.groups.get_mut(rank)?.place_of(site, gap_ns);
        let occurrence = next_of(self.seen.get_mut(rank)?, place);
        if let Some(sections) = &mut self.sections {
            let number = *self.gaps.numbers.get(rank)?.get(place as usize)?.get(occurrence)?;
            return sections.equal_ns(rank, number, gap_ns);
        }
        match *self.of_place.get(place as usize)? {
            Some(of) => self.pools[of.pool].equal_ns(rank, of.member, occurrence / of.calls, gap_ns),
            None => self.means_ns[place as usize].get(occurrence).map(|ns| *ns as u64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(balance: &mut Balance, rank: usize, facts: u32, gap_ns: u64) -> Option<u64> {
        balance.next_ns(rank, facts, gap_ns * 1000).map(|ns| ns / 1000)
    }

    /// Computing in µs.
    fn add(gaps: &mut Gaps, rank: usize, facts: u32, place: Option<(u32, SiteId)>, gap: u64) {
        gaps.add(rank, facts, place, gap * 1000);
    }

    #[test]
    fn work_that_moves_is_balanced() {
        let mut gaps = Gaps::new(3);
        let place = Some((7, SiteId(2)));
        for step in 0..6u64 {
            for rank in 0..2 {
                // Facts differ between ranks, the place does not.
                add(&mut gaps, rank, 3 + rank as u32, place, if step % 2 == rank as u64 { 300 } else { 100 });
            }
        }
        add(&mut gaps, 2, 9, place, 50);
        add(&mut gaps, 0, u32::MAX, None, 10);
        let mut balance = Balance::new(Arc::new(gaps));
        let all: Vec<_> = (0..6).map(|_| next(&mut balance, 0, 3, 300)).collect();
        assert_eq!(all[1..], [Some(200); 5]);
        // Three ranks come to the first call.
        assert_eq!(next(&mut balance, 1, 4, 100), Some(150));
        assert_eq!(next(&mut balance, 2, 9, 50), Some(150));
        assert_eq!((next(&mut balance, 2, 9, 50), next(&mut balance, 2, 8, 50)), (Some(200), None));
        assert_eq!(next(&mut balance, 0, u32::MAX, 10), Some(10));
    }

    const PLACES: [Option<(u32, SiteId)>; 3] = [Some((1, SiteId(2))), Some((2, SiteId(2))), Some((3, SiteId(2)))];

    #[test]
    fn the_ends_of_a_chain_are_balanced_with_the_others() {
        let [receive, send, total] = PLACES;
        let mut gaps = Gaps::new(3);
        // The first rank computes longest; the last one computes before it receives again, and at the end.
        for step in 0..10 {
            add(&mut gaps, 0, 1, send, 700);
            add(&mut gaps, 1, 0, receive, 0);
            add(&mut gaps, 1, 1, send, 100);
            add(&mut gaps, 2, 0, receive, if step == 0 { 0 } else { 100 });
        }
        for (rank, gap) in [(0, 0), (1, 0), (2, 100)] {
            add(&mut gaps, rank, 9, total, gap);
        }
        let mut balance = Balance::new(Arc::new(gaps));
        assert_eq!(next(&mut balance, 0, 1, 700), Some(800 / 3));
        assert_eq!(next(&mut balance, 1, 1, 100), Some(800 / 3));
        assert_eq!(next(&mut balance, 0, 1, 700), Some(900 / 3));
        assert_eq!(next(&mut balance, 2, 0, 0), Some(800 / 3), "it had not computed in this step");
        assert_eq!(next(&mut balance, 2, 0, 100), Some(900 / 3));
        assert_eq!(next(&mut balance, 1, 9, 0), Some(33));
    }

    #[test]
    fn edges_with_fewer_calls_are_balanced_with_the_others() {
        let [post, wait, _] = PLACES;
        let mut gaps = Gaps::new(3);
        for _ in 0..10 {
            // The second rank has two neighbours, the third one none: it computes before it waits for nothing.
            for (rank, neighbors, gap) in [(0, 1, 100), (1, 2, 700), (2, 0, 100)] {
                for neighbor in 0..neighbors {
                    add(&mut gaps, rank, 0, post, if neighbor == 0 { gap } else { 0 });
                }
                add(&mut gaps, rank, 1, wait, if neighbors == 0 { gap } else { 0 });
            }
        }
        let mut balance = Balance::new(Arc::new(gaps));
        for _ in 0..10 {
            let first = [next(&mut balance, 0, 0, 100), next(&mut balance, 0, 1, 0)];
            let second = [next(&mut balance, 1, 0, 700), next(&mut balance, 1, 0, 0), next(&mut balance, 1, 1, 0)];
            let third = [next(&mut balance, 2, 1, 100)];
            for all in [&first[..], &second[..], &third[..]] {
                let sum: u64 = all.iter().flatten().sum();
                assert!((298..=300).contains(&sum), "{all:?}");
            }
        }
    }

    #[test]
    fn work_on_both_sides_of_a_common_call_is_not_exchanged() {
        let [send, wait, total] = PLACES;
        let mut gaps = Gaps::new(2);
        for _ in 0..10 {
            // Before the first common call one of them computes longer, after it the other one.
            add(&mut gaps, 0, 0, send, 300);
            add(&mut gaps, 0, 1, wait, 0);
            add(&mut gaps, 1, 1, wait, 100);
            add(&mut gaps, 0, 2, total, 100);
            add(&mut gaps, 1, 2, total, 300);
        }
        let mut balance = Balance::new(Arc::new(gaps));
        assert_eq!(next(&mut balance, 0, 0, 300), Some(200));
        assert_eq!([next(&mut balance, 0, 1, 0), next(&mut balance, 1, 1, 100)], [Some(0), Some(200)]);
        assert_eq!([next(&mut balance, 0, 2, 100), next(&mut balance, 1, 2, 300)], [Some(200), Some(200)]);
    }

    #[test]
    fn receives_by_turns_are_balanced_with_sends() {
        let [send, receive, post] = PLACES;
        let mut gaps = Gaps::new(2);
        for step in 0..41 {
            add(&mut gaps, 0, 0, send, 700);
            add(&mut gaps, 1, 1 + step % 2, if step % 2 == 0 { receive } else { post }, 100);
        }
        let mut balance = Balance::new(Arc::new(gaps));
        for step in 0..41 {
            let both = [next(&mut balance, 0, 0, 700), next(&mut balance, 1, 1 + step % 2, 100)];
            assert!(both.iter().flatten().all(|us| (399..=400).contains(us)), "{both:?}");
        }
    }

    #[test]
    fn calls_of_different_number_are_balanced_between_operations_of_all() {
        let [post, start, barrier] = PLACES;
        let mut gaps = Gaps::new(3);
        // The first rank posts twice, and computes longer before the second time; the last one computes nothing.
        let gap = |step: u64| if step.is_multiple_of(2) { 800 } else { 500 };
        for step in 0..10 {
            add(&mut gaps, 0, 0, post, 100);
            add(&mut gaps, 0, 0, post, gap(step));
            add(&mut gaps, 1, 0, post, 100);
            add(&mut gaps, 2, 1, start, 0);
            for rank in 0..3 {
                add(&mut gaps, rank, 2, barrier, 0);
                gaps.meet(rank);
            }
        }
        let mut balance = Balance::new(Arc::new(gaps));
        for step in 0..10 {
            let mean = (gap(step) + 200) / 3;
            let late = [next(&mut balance, 0, 0, 100), next(&mut balance, 0, 0, gap(step))];
            assert_eq!(late, [Some(100), Some(mean - 100)]);
            let mean = Some(mean);
            assert_eq!([next(&mut balance, 1, 0, 100), next(&mut balance, 2, 1, 0)], [mean, mean]);
            (0..3).for_each(|rank| assert_eq!(next(&mut balance, rank, 2, 0), Some(0)));
        }
    }
}
