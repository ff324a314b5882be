//! What ranks compute before each call, as the mean of all ranks: equal work.
//!
//! Ranks that do the same come to the calls of a place equally often. What they compute before the *k*-th of them is compared, so
//! that work which moves from rank to rank is balanced, too. A rank that does not come to it has no part in the mean: the sum of all
//! computing stays the same.

use std::sync::Arc;

use mpiscope_store::SiteId;
use rustc_hash::FxHashMap;

/// Means that are kept at most: 64 MiB.
const MOST: usize = 1 << 22;

/// What all ranks together compute before the calls of each place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// Numbers of function and call site; `None` is the end of the rank.
    places: FxHashMap<Option<(u32, SiteId)>, u32>,
    /// By rank and [`slot`]: the place, or [`UNKNOWN`].
    of_facts: Vec<Vec<u32>>,
    /// By rank and place: how often the rank came to it.
    counts: Vec<Counts>,
    /// By place and occurrence: sum, ns, and how many ranks.
    sums: Vec<Vec<(u64, u32)>>,
    kept: usize,
}

/// By place.
type Counts = Vec<u32>;

const UNKNOWN: u32 = u32::MAX;

/// Where the place of facts is kept: of the end of the rank, which has none (`u32::MAX`), before all others.
fn slot(facts: u32) -> usize {
    facts.wrapping_add(1) as usize
}

impl Gaps {
    /// For so many ranks.
    pub fn new(ranks: usize) -> Gaps {
        Gaps { of_facts: vec![Vec::new(); ranks], counts: vec![Counts::new(); ranks], ..Gaps::default() }
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
            let next = self.places.len() as u32;
            of_facts[slot] = *self.places.entry(place).or_insert(next);
            self.sums.resize_with(self.places.len(), Vec::new);
        }
        let place = of_facts[slot];
        let occurrence = next_of(&mut self.counts[rank], place);
        let sums = &mut self.sums[place as usize];
        if sums.len() <= occurrence {
            self.kept += occurrence + 1 - sums.len();
            sums.resize(occurrence + 1, (0, 0));
        }
        let (sum_ns, ranks) = &mut sums[occurrence];
        (*sum_ns, *ranks) = (*sum_ns + gap_ns, *ranks + 1);
    }

    /// Whether there are too many calls to keep.
    pub fn is_full(&self) -> bool {
        self.kept > MOST
    }

    fn mean_ns(&self, place: u32, occurrence: usize) -> Option<u64> {
        let (sum_ns, ranks) = self.sums.get(place as usize)?.get(occurrence)?;
        Some(sum_ns / u64::from((*ranks).max(1)))
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

/// The same once more, call by call, with the means in place of what each rank computed.
pub struct Balance {
    gaps: Arc<Gaps>,
    seen: Vec<Counts>,
}

impl Balance {
    /// From the beginning of the run.
    pub fn new(gaps: Arc<Gaps>) -> Balance {
        Balance { seen: vec![Counts::new(); gaps.counts.len()], gaps }
    }

    /// The mean before the next call of a rank, if it is one of the recorded calls.
    pub fn next_ns(&mut self, rank: usize, facts: u32) -> Option<u64> {
        let place = *self.gaps.of_facts.get(rank)?.get(slot(facts)).filter(|&&place| place != UNKNOWN)?;
        let occurrence = next_of(self.seen.get_mut(rank)?, place);
        self.gaps.mean_ns(place, occurrence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_moves_is_balanced() {
        let mut gaps = Gaps::new(3);
        let place = Some((7, SiteId(2)));
        for step in 0..6u64 {
            for rank in 0..2 {
                // Facts differ between ranks, the place does not.
                gaps.add(rank, 3 + rank as u32, place, if step % 2 == rank as u64 { 300 } else { 100 });
            }
        }
        gaps.add(2, 9, place, 50);
        gaps.add(0, u32::MAX, None, 10);
        let mut balance = Balance::new(Arc::new(gaps));
        assert_eq!((0..6).map(|_| balance.next_ns(0, 3)).collect::<Vec<_>>()[1..], [Some(200); 5]);
        // Three ranks come to the first call.
        assert_eq!(balance.next_ns(1, 4), Some(150));
        assert_eq!(balance.next_ns(2, 9), Some(150));
        assert_eq!((balance.next_ns(2, 9), balance.next_ns(2, 8)), (Some(200), None));
        assert_eq!(balance.next_ns(0, u32::MAX), Some(10));
    }
}
