//! The run without the cause of a finding.

use std::sync::Arc;

use mpiscope_model::Own;
use rustc_hash::{FxHashMap, FxHashSet};

use super::wait::WaitKind;

/// A change of the run. Empty parts leave it as it was.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Remedy {
    /// Kinds of waits without which calls continue immediately.
    pub without: Vec<WaitKind>,
    /// Receives with these kinds of waits are made later, after those whose messages have arrived.
    pub reorders: Vec<WaitKind>,
    /// Messages are divided into this many pieces, together with the computing before and after them.
    pub pieces: Option<u64>,
    /// The calls that it is about, by rank and facts; all calls if `None`.
    pub calls: Option<Arc<FxHashSet<(u32, u32)>>>,
    /// How much less time these calls take in total, ns of rank time.
    pub inside_ns: u64,
    /// Each of these calls that comes sooner after another one of them is a part of that, ns; 0: none is.
    pub joined_within_ns: u64,
    /// How long ranks compute.
    pub balance: Option<Balance>,
    /// By rank: how its computing and the time of the calls themselves change.
    pub speed: Vec<Speed>,
}

/// How a rank becomes faster.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Speed {
    /// Factor of its computing.
    pub computing: f64,
    /// Factor of the time of the calls themselves, as far as it is more than the least.
    pub inside: f64,
    /// What calls take in any case, by facts and [`Own::is_far`], ns; 0 where nothing is given.
    pub least_ns: FxHashMap<(u32, bool), u64>,
}

impl Speed {
    /// Its computing is multiplied by a factor; calls take as long as before.
    pub fn of_computing(computing: f64) -> Speed {
        Speed { computing, inside: 1.0, least_ns: FxHashMap::default() }
    }

    /// What is left of the time of a call itself, ns.
    pub fn own_ns(&self, own: Own) -> u64 {
        let least_ns = self.least_ns.get(&(own.facts, own.is_far)).copied().unwrap_or(0).min(own.ns);
        least_ns + ((own.ns - least_ns) as f64 * self.inside) as u64
    }
}

impl Remedy {
    /// No call has these kinds of waits.
    pub fn without(kinds: Vec<WaitKind>) -> Remedy {
        Remedy { without: kinds, ..Remedy::default() }
    }

    /// Messages that receives wait for in this way are received after those that have arrived.
    pub fn reordered(kind: WaitKind) -> Remedy {
        Remedy { reorders: vec![kind], ..Remedy::default() }
    }

    /// Calls of these facts, by rank, take `inside_ns` less.
    pub fn quicker(calls: impl Iterator<Item = (u32, u32)>, inside_ns: u64) -> Remedy {
        Remedy { calls: Some(Arc::new(calls.collect())), inside_ns, ..Remedy::default() }
    }

    /// Computing changes by the call that follows it, by rank and facts.
    pub fn balanced_by_facts(by_facts: Vec<Vec<Share>>) -> Remedy {
        Remedy { balance: Some(Balance { by_facts: Some(by_facts), ..Balance::default() }), ..Remedy::default() }
    }

    /// The computing of each rank is multiplied by its factor.
    pub fn computing(ranks: usize, factor: impl Fn(usize) -> f64) -> Remedy {
        Remedy { speed: (0..ranks).map(|rank| Speed::of_computing(factor(rank))).collect(), ..Remedy::default() }
    }

    /// Each interval (rank, start, end, part) takes this part of its recorded time. Intervals of a rank come in order.
    pub fn shorter(stretches: impl Iterator<Item = (usize, u64, u64, f64)>, ranks: usize) -> Remedy {
        let mut balance = Balance {
            bounds_ns: vec![Vec::new(); ranks],
            factors: vec![Vec::new(); ranks],
            by_facts: None,
            with_calls: true,
        };
        for (rank, from_ns, until_ns, factor) in stretches {
            balance.bounds_ns[rank].extend([from_ns, until_ns]);
            balance.factors[rank].extend([factor, 1.0]);
        }
        Remedy { balance: Some(balance), ..Remedy::default() }
    }

    /// Whether it is about this call.
    pub fn concerns(&self, rank: u32, facts: u32) -> bool {
        self.calls.as_ref().is_none_or(|calls| calls.contains(&(rank, facts)))
    }
}

/// Computing of each rank, by the call that follows it, or by intervals of the run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Balance {
    /// By rank: where intervals start, and where the last one ends, ns.
    pub bounds_ns: Vec<Vec<u64>>,
    /// By rank: the factor of computing in each interval.
    pub factors: Vec<Vec<f64>>,
    /// By rank and facts, instead of intervals: how the computing before a call changes.
    pub by_facts: Option<Vec<Vec<Share>>>,
    /// The time of the calls themselves in an interval changes in the same way as the computing there.
    pub with_calls: bool,
}

/// How a rank's computing at one place changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Share {
    /// Each computation takes this part of its time.
    Part(f64),
    /// Each computation takes this much longer, ns. A factor for the little that a rank computes would turn its noise into work.
    More(u64),
}

impl Balance {
    /// How long a rank computes before a call with these facts, where it computed `gap_ns`, until this moment.
    pub fn computing(&self, rank: u32, facts: u32, gap_ns: u64, until_ns: u64) -> u64 {
        let Some(by_facts) = &self.by_facts else {
            return (gap_ns as f64 * self.factor(rank, gap_ns, until_ns)) as u64;
        };
        match by_facts.get(rank as usize).and_then(|of| of.get(facts as usize)) {
            Some(Share::Part(part)) => (gap_ns as f64 * part) as u64,
            Some(Share::More(more_ns)) if gap_ns > 0 => gap_ns + more_ns,
            _ => gap_ns,
        }
    }

    /// The factor of a computation of `gap_ns` that ends at this moment.
    pub fn factor(&self, rank: u32, gap_ns: u64, until_ns: u64) -> f64 {
        let rank = rank as usize;
        let (Some(bounds), Some(factors)) = (self.bounds_ns.get(rank), self.factors.get(rank)) else { return 1.0 };
        let middle_ns = until_ns - gap_ns / 2;
        let after = bounds.partition_point(|&ns| ns <= middle_ns);
        after.checked_sub(1).and_then(|stretch| factors.get(stretch)).copied().unwrap_or(1.0)
    }
}
