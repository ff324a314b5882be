//! The cost of delays: which rank causes a wait, also where the late rank had itself waited.

use std::collections::VecDeque;

use mpiscope_store::RankId;
use rustc_hash::FxHashMap;

use crate::explanation::efficiency::Delayer;

/// Waits of a rank that are kept, to find their cause.
const REMEMBERED: usize = 32;
/// Causes of a wait that are kept, the largest.
const KEPT: usize = 8;

/// What a delayer costs others, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Waits for it.
    pub direct_ns: u64,
    /// Waits that it causes, directly or through other ranks.
    pub total_ns: u64,
}

/// A wait, and which rank causes which part of it.
#[derive(Clone)]
struct Past {
    start_ns: u64,
    end_ns: u64,
    behind: Vec<(Delayer, u64)>,
}

/// Costs so far.
#[derive(Default)]
pub struct Delays {
    past: Vec<VecDeque<Past>>,
    costs: FxHashMap<Delayer, Cost>,
}

impl Delays {
    /// Rank `rank` has waited from `start_ns` to `end_ns` for `delayer`.
    ///
    /// ```text
    /// a  [======wait for b=======|
    /// b       [==wait for c==|   [late call      a's wait: caused by c while b waited for c, by b otherwise
    /// c                      [late call
    /// ```
    ///
    /// Waits must come in an order in which those of the delayer before its late call are known. Source: Böhme,
    /// Geimer, Wolf & Arnold, "Identifying the root causes of wait states in large-scale parallel applications",
    /// ICPP 2010 (short-term and long-term costs); there the excess since the last synchronisation is compared, here
    /// what the delayer did during the wait.
    /// Returns the causes of this wait, and how much of it each one causes.
    pub fn add(&mut self, rank: RankId, start_ns: u64, end_ns: u64, delayer: Delayer) -> &[(Delayer, u64)] {
        let most = rank.0.max(delayer.rank.0) as usize;
        if self.past.len() <= most {
            self.past.resize_with(most + 1, VecDeque::new);
        }
        let wait_ns = end_ns.saturating_sub(start_ns);
        // Mostly nobody but the delayer: room for more would be most of what is remembered.
        let mut behind: Vec<(Delayer, u64)> = match &mut self.past[rank.0 as usize] {
            // What is forgotten after this wait, if it cannot be a cause of it: its memory is used again.
            own if own.len() == REMEMBERED && rank != delayer.rank => {
                own.pop_front().map(|past| past.behind).filter(|list| list.capacity() == 1).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        behind.clear();
        behind.reserve_exact(1);
        let mut own_ns = wait_ns;
        for past in self.past[delayer.rank.0 as usize].iter().rev() {
            if past.end_ns <= start_ns {
                break;
            }
            let overlap = past.end_ns.min(end_ns).saturating_sub(past.start_ns.max(start_ns)).min(own_ns);
            let whole: u64 = past.behind.iter().map(|b| b.1).sum();
            if overlap == 0 || whole == 0 {
                continue;
            }
            own_ns -= overlap;
            let mut left = overlap;
            for (at, (who, ns)) in past.behind.iter().enumerate() {
                let is_last = at + 1 == past.behind.len();
                let part = if is_last { left } else { (overlap as u128 * u128::from(*ns) / u128::from(whole)) as u64 };
                left -= part.min(left);
                join(&mut behind, *who, part);
            }
        }
        join(&mut behind, delayer, own_ns);
        behind.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        // What does not fit goes to the delayer, so that nothing is lost.
        let rest: u64 = behind.iter().skip(KEPT).map(|b| b.1).sum();
        behind.truncate(KEPT);
        join(&mut behind, delayer, rest);
        self.costs.entry(delayer).or_default().direct_ns += wait_ns;
        for (who, ns) in &behind {
            self.costs.entry(*who).or_default().total_ns += ns;
        }
        let past = &mut self.past[rank.0 as usize];
        if past.len() == REMEMBERED {
            past.pop_front();
        }
        past.push_back(Past { start_ns, end_ns, behind });
        past.back().map_or(&[], |past| &past.behind)
    }

    /// All delayers, the most expensive first.
    pub fn costs(&self) -> Vec<(Delayer, Cost)> {
        let mut list: Vec<(Delayer, Cost)> = self.costs.iter().map(|(d, c)| (*d, *c)).collect();
        list.sort_by(|a, b| b.1.total_ns.cmp(&a.1.total_ns).then(a.0.cmp(&b.0)));
        list
    }
}

fn join(list: &mut Vec<(Delayer, u64)>, who: Delayer, ns: u64) {
    if ns == 0 {
        return;
    }
    match list.iter_mut().find(|(d, _)| *d == who) {
        Some((_, sum)) => *sum += ns,
        None => list.push((who, ns)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rank: u32) -> Delayer {
        Delayer { rank: RankId(rank), place: 0, region: 0 }
    }

    #[test]
    fn waits_are_passed_on() {
        let mut delays = Delays::default();
        delays.add(RankId(1), 20, 60, of(2));
        delays.add(RankId(0), 10, 80, of(1));
        let costs: FxHashMap<Delayer, Cost> = delays.costs().into_iter().collect();
        // Of the 70 that rank 0 waits for rank 1, that one has waited 40 for rank 2.
        assert_eq!(costs[&of(1)], Cost { direct_ns: 70, total_ns: 30 });
        assert_eq!(costs[&of(2)], Cost { direct_ns: 40, total_ns: 80 });
    }

    #[test]
    fn what_was_before_the_wait_is_not_its_cause() {
        let mut delays = Delays::default();
        delays.add(RankId(1), 20, 60, of(2));
        delays.add(RankId(0), 70, 80, of(1));
        let costs: FxHashMap<Delayer, Cost> = delays.costs().into_iter().collect();
        assert_eq!((costs[&of(1)].total_ns, costs[&of(2)].total_ns), (10, 40));
    }

    #[test]
    fn nothing_is_lost() {
        let mut delays = Delays::default();
        for at in 0..200u64 {
            let (a, b) = (at % 20, (at * 7 + 1) % 20);
            if a != b {
                delays.add(RankId(a as u32), at * 10, at * 10 + 55, of(b as u32));
            }
        }
        let costs = delays.costs();
        let direct: u64 = costs.iter().map(|c| c.1.direct_ns).sum();
        assert_eq!(direct, costs.iter().map(|c| c.1.total_ns).sum::<u64>());
    }
}
