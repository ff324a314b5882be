//! Waits summed by kind, rank, cause and place.

use std::collections::BinaryHeap;
use std::collections::hash_map::Entry;

use mpiscope_store::{Dimensions, RankId};
use rustc_hash::FxHashMap;

use super::places::Places;
use crate::explanation::{Scope, Spread, Wait, WaitKind, WaitRow};

/// At most this many waits of each kind are kept as proof.
const PROOFS: usize = 16;

/// At most this many keys are kept. In a reduction all ranks wait for the last one: with p ranks there can be p² pairs, and they
/// grow with the number of operations. Later keys are summed by the waiting rank and by the late rank.
const KEYS: usize = 1 << 18;

/// Which rank waits where and for which rank; places are numbers of [`Places`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    /// What kind.
    pub kind: WaitKind,
    /// Who waits.
    pub rank: RankId,
    /// For whom.
    pub cause: RankId,
    /// Where the waiting call is made.
    pub place: u32,
    /// Where the late call is made; `u32::MAX` if there is no single one.
    pub late_place: u32,
}

impl Key {
    /// The same for any late rank.
    fn waiter(self) -> Key {
        Key { cause: RankId::NONE, late_place: u32::MAX, ..self }
    }

    /// The same for any waiting rank.
    fn cause(self) -> Key {
        Key { rank: RankId::NONE, place: u32::MAX, ..self }
    }
}

/// A sum of waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitSum {
    /// ns.
    pub ns: u64,
    /// How many.
    pub count: u64,
}

impl WaitSum {
    fn add(&mut self, other: WaitSum) {
        self.ns = self.ns.saturating_add(other.ns);
        self.count += other.count;
    }
}

type Sums = FxHashMap<Key, WaitSum>;

/// Waits so far.
#[derive(Default)]
pub struct Profile {
    /// By whole keys, up to [`KEYS`].
    pairs: Sums,
    /// The waits of all other keys, by the waiting rank.
    waiters: Sums,
    /// The same waits, by the late rank.
    causes: Sums,
    proofs: [BinaryHeap<std::cmp::Reverse<(u64, LongestWait)>>; WaitKind::ALL.len()],
    spreads: [Spread; WaitKind::ALL.len()],
    /// Kinds that were renamed, and to what.
    renamed: Vec<(WaitKind, WaitKind)>,
}

/// A wait, by length and then by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LongestWait(Wait);

impl Ord for LongestWait {
    fn cmp(&self, other: &LongestWait) -> std::cmp::Ordering {
        let key = |k: &LongestWait| (std::cmp::Reverse(k.0.start_ns), std::cmp::Reverse(k.0.rank));
        key(self).cmp(&key(other))
    }
}
impl PartialOrd for LongestWait {
    fn partial_cmp(&self, other: &LongestWait) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Profile {
    /// Of a run.
    pub(crate) fn new(scope: &Scope) -> Profile {
        Profile { spreads: std::array::from_fn(|_| Spread::new(scope)), ..Profile::default() }
    }

    /// When waits of each kind were.
    pub(crate) fn spreads(self) -> impl Iterator<Item = (&'static str, Spread)> {
        WaitKind::ALL.iter().map(|kind| kind.id()).zip(self.spreads)
    }

    /// Adds a wait.
    pub fn add(&mut self, wait: &Wait, places: &Places) {
        let late = wait.cause.and_then(|c| places.id_of(c.rank.0 as usize, c.facts));
        let key = Key {
            kind: wait.kind,
            rank: wait.rank,
            cause: wait.cause.map_or(RankId::NONE, |c| c.rank),
            place: places.id_of(wait.rank.0 as usize, wait.facts).unwrap_or(u32::MAX),
            late_place: late.unwrap_or(u32::MAX),
        };
        self.sum(key, WaitSum { ns: wait.ns(), count: 1 }, KEYS);
        self.spreads[wait.kind as usize].add(wait.start_ns, wait.end_ns);
        let proofs = &mut self.proofs[wait.kind as usize];
        let is_long = proofs.len() < PROOFS || proofs.peek().is_some_and(|p| p.0.0 < wait.ns());
        if is_long {
            proofs.push(std::cmp::Reverse((wait.ns(), LongestWait(*wait))));
            if proofs.len() > PROOFS {
                proofs.pop();
            }
        }
    }

    fn sum(&mut self, key: Key, wait: WaitSum, most: usize) {
        let has_room = self.pairs.len() < most;
        match self.pairs.entry(key) {
            Entry::Occupied(mut sum) => sum.get_mut().add(wait),
            Entry::Vacant(free) if has_room => _ = free.insert(wait),
            Entry::Vacant(_) => {
                self.waiters.entry(key.waiter()).or_default().add(wait);
                if key.cause.is_some() {
                    self.causes.entry(key.cause()).or_default().add(wait);
                }
            }
        }
    }

    /// Renames waits of the kinds `from` to the kind `to`.
    pub fn rename(&mut self, from: &[WaitKind], to: WaitKind) {
        for sums in [&mut self.pairs, &mut self.waiters, &mut self.causes] {
            let old: Vec<Key> = sums.keys().filter(|key| from.contains(&key.kind)).copied().collect();
            for key in old {
                if let Some(sum) = sums.remove(&key) {
                    sums.entry(Key { kind: to, ..key }).or_default().add(sum);
                }
            }
        }
        for &kind in from.iter().filter(|&&kind| kind != to) {
            for proof in std::mem::take(&mut self.proofs[kind as usize]) {
                self.proofs[to as usize].push(proof);
            }
            let spread = std::mem::take(&mut self.spreads[kind as usize]);
            self.spreads[to as usize].add_all(&spread);
            self.renamed.push((kind, to));
        }
        while self.proofs[to as usize].len() > PROOFS {
            self.proofs[to as usize].pop();
        }
    }

    /// As which kinds waits of this kind were recorded.
    pub fn recorded_as(&self, kind: WaitKind) -> Vec<WaitKind> {
        let others = self.renamed.iter().filter(|(_, to)| *to == kind).map(|(from, _)| *from);
        std::iter::once(kind).chain(others).collect()
    }

    /// All waits by waiting rank and place, in no order. Most of them have the late rank as well.
    pub fn waited(&self) -> impl Iterator<Item = (&Key, &WaitSum)> {
        self.pairs.iter().chain(&self.waiters)
    }

    /// The waits for a known rank, by that rank and its place, in no order. Most of them have the waiting rank as well.
    pub fn caused(&self) -> impl Iterator<Item = (&Key, &WaitSum)> {
        self.pairs.iter().filter(|(key, _)| key.cause.is_some()).chain(&self.causes)
    }

    /// The longest waits of a kind, the longest first.
    pub fn longest(&self, kind: WaitKind) -> Vec<Wait> {
        let mut kept: Vec<_> = self.proofs[kind as usize].iter().map(|p| p.0).collect();
        kept.sort_by(|a, b| b.cmp(a));
        kept.into_iter().map(|(_, k)| k.0).collect()
    }

    /// Rows of the report, the most expensive first.
    pub fn rows(&self, dimensions: &Dimensions, places: &Places) -> Vec<WaitRow> {
        let mut merged = Sums::default();
        for (key, sum) in self.waited() {
            merged.entry(Key { late_place: u32::MAX, ..*key }).or_default().add(*sum);
        }
        let mut sums: Vec<(Key, WaitSum)> = merged.into_iter().collect();
        sums.sort_by(|a, b| b.1.ns.cmp(&a.1.ns).then(a.0.cmp(&b.0)));
        let row = |(key, sum): (Key, WaitSum)| {
            let place = places.get(key.place);
            WaitRow {
                id: key.kind.id(),
                rank: dimensions.rank(key.rank),
                cause_rank: key.cause.is_some().then(|| dimensions.rank(key.cause)),
                function: place.function(),
                site: place.site(dimensions),
                region: place.region(dimensions),
                wait_ns: sum.ns,
                count: sum.count,
            }
        };
        sums.into_iter().map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn by<T: Ord>(
        sums: &mut dyn Iterator<Item = (&Key, &WaitSum)>,
        part: impl Fn(&Key) -> T,
    ) -> BTreeMap<T, (u64, u64)> {
        let mut found = BTreeMap::new();
        for (key, sum) in sums {
            let (ns, count) = found.entry(part(key)).or_insert((0, 0));
            (*ns, *count) = (*ns + sum.ns, *count + sum.count);
        }
        found
    }

    proptest! {
        /// However few keys are kept, sums by waiting rank and by late rank stay the same.
        #[test]
        fn few_keys_have_the_same_sums(
            waits in proptest::collection::vec((0..3u32, 0..5u32, 0..5u32, 0..3u32, 0..3u32, 1..100u64), 1..200),
            most in 0..40usize,
        ) {
            let (mut all, mut few) = (Profile::default(), Profile::default());
            for (kind, rank, cause, place, late_place, ns) in waits {
                let has_cause = cause > 0;
                let key = Key {
                    kind: WaitKind::ALL[kind as usize],
                    rank: RankId(rank),
                    cause: if has_cause { RankId(cause) } else { RankId::NONE },
                    place,
                    late_place: if has_cause { late_place } else { u32::MAX },
                };
                all.sum(key, WaitSum { ns, count: 1 }, usize::MAX);
                few.sum(key, WaitSum { ns, count: 1 }, most);
            }
            for _ in 0..2 {
                prop_assert!(few.pairs.len() <= most);
                let waiter = |key: &Key| (key.kind, key.rank, key.place);
                prop_assert_eq!(by(&mut all.waited(), waiter), by(&mut few.waited(), waiter));
                let cause = |key: &Key| (key.kind, key.cause, key.late_place);
                prop_assert_eq!(by(&mut all.caused(), cause), by(&mut few.caused(), cause));
                for profile in [&mut all, &mut few] {
                    profile.rename(&[WaitKind::ALL[1], WaitKind::ALL[2]], WaitKind::ALL[0]);
                }
            }
        }
    }
}
