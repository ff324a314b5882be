//! Waits summed by kind, rank, cause and place.

use std::collections::BinaryHeap;

use mpiscope_store::{Dimensions, RankId};
use rustc_hash::FxHashMap;

use super::places::Places;
use crate::explanation::{Scope, Spread, Wait, WaitKind, WaitRow};

/// At most this many waits of each kind are kept as proof.
const PROOFS: usize = 16;

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

/// A sum of waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct WaitSum {
    /// ns.
    pub ns: u64,
    /// How many.
    pub count: u64,
}

/// Waits so far.
#[derive(Default)]
pub struct Profile {
    sums: FxHashMap<Key, WaitSum>,
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
        let sum = self.sums.entry(key).or_default();
        sum.ns = sum.ns.saturating_add(wait.ns());
        sum.count += 1;
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

    /// Renames waits of the kinds `from` to the kind `to`.
    pub fn rename(&mut self, from: &[WaitKind], to: WaitKind) {
        let is_renamed = |key: &Key| from.contains(&key.kind);
        let old: Vec<Key> = self.sums.keys().filter(|key| is_renamed(key)).copied().collect();
        for key in old {
            let Some(of_key) = self.sums.remove(&key) else { continue };
            let sum = self.sums.entry(Key { kind: to, ..key }).or_default();
            sum.ns = sum.ns.saturating_add(of_key.ns);
            sum.count += of_key.count;
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

    /// All sums, in no order.
    pub fn sums(&self) -> impl Iterator<Item = (&Key, &WaitSum)> {
        self.sums.iter()
    }

    /// The longest waits of a kind, the longest first.
    pub fn longest(&self, kind: WaitKind) -> Vec<Wait> {
        let mut kept: Vec<_> = self.proofs[kind as usize].iter().map(|p| p.0).collect();
        kept.sort_by(|a, b| b.cmp(a));
        kept.into_iter().map(|(_, k)| k.0).collect()
    }

    /// Rows of the report, the most expensive first.
    pub fn rows(&self, dimensions: &Dimensions, places: &Places) -> Vec<WaitRow> {
        let mut merged: FxHashMap<Key, WaitSum> = FxHashMap::default();
        for (key, sum) in &self.sums {
            let total = merged.entry(Key { late_place: u32::MAX, ..*key }).or_default();
            total.ns = total.ns.saturating_add(sum.ns);
            total.count += sum.count;
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
