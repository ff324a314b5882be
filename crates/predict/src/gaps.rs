//! What ranks compute before each call, as the mean of all ranks: equal work.
//!
//! Ranks that do the same come to the calls of a place equally often. What they compute before the *k*-th of them is compared, so
//! that work which moves from rank to rank is balanced, too. A rank that does not come to it has no part in the mean: the sum of all
//! computing stays the same.
//!
//! The ends of a chain have no call at some places: the first rank does not receive, and computes before it sends; the last one
//! computes before it receives again. Places to which only some ranks come, all of them equally often, are one [`Pool`]: what its
//! ranks compute before the *k*-th call of any of them is compared.

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

/// Places to which ranks seldom come are no step that ranks have in common.
const STEPS: u32 = 4;

/// Places to which only some ranks come, equally often.
#[derive(Debug, Default)]
struct Pool {
    /// What all ranks compute before the k-th calls of all places, ns, for each rank that comes to one of them.
    means_ns: Vec<f64>,
    /// By rank: the sum of the weights of the places to which it comes.
    weights: Vec<f64>,
}

/// The pools, and by place which one it belongs to and its weight there: the mean of what is computed before its calls.
fn pools(gaps: &Gaps) -> (Vec<Pool>, Vec<Option<(usize, f64)>>) {
    let (mut pools, mut numbers) = (Vec::<Pool>::new(), FxHashMap::<u32, usize>::default());
    let ranks = gaps.counts.len();
    let count = |rank: usize, place: usize| gaps.counts[rank].get(place).copied().unwrap_or(0);
    let mut of_place = vec![None; gaps.sums.len()];
    for (place, sums) in gaps.sums.iter().enumerate() {
        let mut counts = (0..ranks).map(|rank| count(rank, place));
        let (least, most) = counts.clone().fold((u32::MAX, 0), |(least, most), n| (least.min(n), most.max(n)));
        if least > 0 || most < STEPS || counts.any(|n| n != 0 && n != most) {
            continue;
        }
        let number = *numbers.entry(most).or_insert_with(|| {
            pools.push(Pool { means_ns: vec![0.0; most as usize], weights: vec![0.0; ranks] });
            pools.len() - 1
        });
        let pool = &mut pools[number];
        let all_ns: u64 = sums.iter().map(|(sum_ns, _)| sum_ns).sum();
        let calls: u64 = sums.iter().map(|(_, ranks)| u64::from(*ranks)).sum();
        // A little, so that a rank that comes to no other place has its part there.
        let weight = (all_ns as f64 / calls.max(1) as f64).max(1.0);
        pool.means_ns.iter_mut().zip(sums).for_each(|(all, (sum_ns, _))| *all += *sum_ns as f64);
        for (rank, of_rank) in pool.weights.iter_mut().enumerate() {
            *of_rank += if count(rank, place) > 0 { weight } else { 0.0 };
        }
        of_place[place] = Some((number, weight));
    }
    for pool in &mut pools {
        let ranks = pool.weights.iter().filter(|weight| **weight > 0.0).count().max(1);
        pool.means_ns.iter_mut().for_each(|ns| *ns /= ranks as f64);
    }
    (pools, of_place)
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
    pools: Vec<Pool>,
    of_place: Vec<Option<(usize, f64)>>,
    seen: Vec<Counts>,
}

impl Balance {
    /// From the beginning of the run.
    pub fn new(gaps: Arc<Gaps>) -> Balance {
        let (pools, of_place) = pools(&gaps);
        Balance { seen: vec![Counts::new(); gaps.counts.len()], pools, of_place, gaps }
    }

    /// The mean before the next call of a rank, if it is one of the recorded calls.
    pub fn next_ns(&mut self, rank: usize, facts: u32) -> Option<u64> {
        let place = *self.gaps.of_facts.get(rank)?.get(slot(facts)).filter(|&&place| place != UNKNOWN)?;
        let occurrence = next_of(self.seen.get_mut(rank)?, place);
        let Some((pool, weight)) = self.of_place[place as usize] else { return self.gaps.mean_ns(place, occurrence) };
        let pool = &self.pools[pool];
        Some((pool.means_ns.get(occurrence)? * weight / pool.weights.get(rank)?) as u64)
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

    #[test]
    fn the_ends_of_a_chain_are_balanced_with_the_others() {
        let [receive, send, total] = [1, 2, 3].map(|function| Some((function, SiteId(2))));
        let mut gaps = Gaps::new(3);
        // The first rank computes longest; the last one computes before it receives again, and at the end.
        for step in 0..10 {
            gaps.add(0, 1, send, 700);
            gaps.add(1, 0, receive, 0);
            gaps.add(1, 1, send, 100);
            gaps.add(2, 0, receive, if step == 0 { 0 } else { 100 });
        }
        for (rank, gap_ns) in [(0, 0), (1, 0), (2, 100)] {
            gaps.add(rank, 9, total, gap_ns);
        }
        let mut balance = Balance::new(Arc::new(gaps));
        let first = |balance: &mut Balance, rank, facts| balance.next_ns(rank, facts).unwrap();
        assert_eq!(first(&mut balance, 0, 1), 800 / 3);
        assert_eq!(first(&mut balance, 2, 0), 800 / 3);
        let both = first(&mut balance, 1, 0) + first(&mut balance, 1, 1);
        assert!((265..=266).contains(&both), "{both}");
        assert_eq!(first(&mut balance, 0, 1), 900 / 3);
        assert_eq!(balance.next_ns(1, 9), Some(33));
    }
}
