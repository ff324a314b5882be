//! `balance=perfect`, `rank:5=balanced`, `region:solve=balanced`: equal work, everywhere or at some places.

use mpiscope_model::simulation::Step;

use crate::gaps::Balance;

/// Equal work in place of what ranks computed.
pub(super) struct Balanced {
    balance: Balance,
    /// Computing before these calls is equal; by rank and facts, the end of the rank last. Without a list, all of it is.
    places: Option<Vec<Vec<bool>>>,
}

impl Balanced {
    pub fn everywhere(balance: Balance) -> Balanced {
        Balanced { balance, places: None }
    }

    pub fn at(balance: Balance, places: Vec<Vec<bool>>) -> Balanced {
        Balanced { balance, places: Some(places) }
    }

    /// More places.
    pub fn also_at(&mut self, more: Vec<Vec<bool>>) {
        if let Some(places) = &mut self.places {
            super::merge(places, more);
        }
    }

    /// What a rank computes before its next call, if that changes.
    pub fn next_ns(&mut self, rank: usize, step: &Step) -> Option<u64> {
        // The calls of other places are counted, too.
        let equal_ns = self.balance.next_ns(rank, step.facts, step.gap_ns)?;
        let is_here = |of: &Vec<bool>| {
            let last = of.len().checked_sub(1)?;
            of.get((step.facts as usize).min(last)).copied()
        };
        let is_here = self.places.as_ref().is_none_or(|of| of.get(rank).and_then(is_here).unwrap_or(false));
        is_here.then_some(equal_ns)
    }
}
