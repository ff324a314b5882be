//! The replay of the run without the cause of a finding.

use mpiscope_model::{Change, Fate, Own};
use mpiscope_store::CallInfo;

use crate::explanation::{Remedy, WaitKind};
use crate::waits::only_receives;

/// A remedy, ready to be replayed.
pub(super) struct Applied<'a> {
    pub remedy: &'a Remedy,
    pub facts: &'a [Vec<CallInfo>],
    /// Share of the time of the calls themselves that remains.
    pub inside: f64,
}

impl Change for Applied<'_> {
    fn computing(&self, rank: u32, facts: u32, gap_ns: u64, until_ns: u64) -> u64 {
        if let Some(speed) = self.remedy.speed.get(rank as usize) {
            return (gap_ns as f64 * speed.computing) as u64;
        }
        match &self.remedy.balance {
            Some(balance) => balance.computing(rank, facts, gap_ns, until_ns),
            None => gap_ns,
        }
    }

    fn inside(&self, own: Own, until_ns: u64) -> u64 {
        let Own { rank, facts, ns: own_ns, .. } = own;
        if let Some(speed) = self.remedy.speed.get(rank as usize) {
            return speed.own_ns(own);
        }
        if let Some(balance) = self.remedy.balance.as_ref().filter(|balance| balance.with_calls) {
            return (own_ns as f64 * balance.factor(rank, own_ns, until_ns)) as u64;
        }
        if self.inside < 1.0 && self.remedy.concerns(rank, facts) {
            (own_ns as f64 * self.inside) as u64
        } else {
            own_ns
        }
    }

    fn need(&self, rank: u32, facts: u32, kind: u8) -> Fate {
        let is = |k: &WaitKind| *k as u8 == kind;
        let remedy = self.remedy;
        if !remedy.concerns(rank, facts) {
            Fate::Stays
        } else if remedy.without.iter().any(is) {
            Fate::Goes
        } else if remedy.reorders.iter().any(is) {
            Fate::Moves
        } else {
            let pieces = remedy.pieces.filter(|_| WaitKind::OF_MESSAGES.iter().any(is));
            pieces.map_or(Fate::Stays, Fate::Pieces)
        }
    }

    fn is_part(&self, rank: u32, facts: u32, before: u32, gap_ns: u64) -> bool {
        let remedy = self.remedy;
        gap_ns < remedy.joined_within_ns && remedy.concerns(rank, facts) && remedy.concerns(rank, before)
    }

    fn is_free(&self, rank: u32, facts: u32) -> bool {
        let facts = self.facts.get(rank as usize).and_then(|f| f.get(facts as usize));
        facts.is_some_and(|f| only_receives(f.role))
    }
}
