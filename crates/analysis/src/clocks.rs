//! Waits that are shorter than the error of the clocks of two hosts.

use mpiscope_store::{CallInfo, Dimensions};
use mpiscope_units::time;

use crate::analysis::{Analysis, Input};
use crate::explanation::Explanation;
use crate::matching::error_ns;

/// Waits for ranks on other hosts.
#[derive(Default)]
pub(crate) struct ClockErrors {
    all: DoubtfulWaits,
    /// Those shorter than the error.
    doubtful: DoubtfulWaits,
    /// Those between clocks that were not compared.
    unknown: DoubtfulWaits,
    largest_error_ns: u64,
}

#[derive(Default)]
struct DoubtfulWaits {
    waits: u64,
    ns: u64,
}

impl DoubtfulWaits {
    fn add(&mut self, ns: u64) {
        self.waits += 1;
        self.ns = self.ns.saturating_add(ns);
    }
}

/// Below this share of the waits between hosts nothing is reported.
const SHARE: u64 = 20;

impl Analysis for ClockErrors {
    fn add_batch(&mut self, input: &Input<'_>) {
        let ranks = &input.dimensions.ranks;
        if ranks.iter().all(|rank| rank.clock_error_ns == Some(0)) {
            return;
        }
        let host = |at: mpiscope_store::RankId| ranks.get(at.index()?).map(|rank| &rank.host);
        for wait in input.waits {
            let Some(cause) = wait.cause.filter(|cause| host(cause.rank) != host(wait.rank)) else { continue };
            self.all.add(wait.ns());
            match error_ns(input.dimensions, wait.rank, cause.rank) {
                None => self.unknown.add(wait.ns()),
                Some(error) if wait.ns() <= error => {
                    self.doubtful.add(wait.ns());
                    self.largest_error_ns = self.largest_error_ns.max(error);
                }
                Some(_) => {}
            }
        }
    }

    fn conclude(self: Box<Self>, dimensions: &Dimensions, _: &[Vec<CallInfo>], explanation: &mut Explanation) {
        if self.unknown.ns > 0 {
            let mut hosts: Vec<&str> = dimensions
                .ranks
                .iter()
                .filter(|rank| rank.clock_error_ns.is_none())
                .map(|rank| rank.host.as_str())
                .collect();
            hosts.sort_unstable();
            hosts.dedup();
            explanation.caveats.push(format!(
                "The clocks of {} were not compared with those of the other hosts: {} of waits for other hosts rely on the \
                 hosts' time of day and may not be real.",
                hosts.join(", "),
                time(self.unknown.ns),
            ));
        }
        if self.doubtful.ns.saturating_mul(SHARE) > self.all.ns {
            explanation.caveats.push(format!(
                "{} of {} waits for ranks on other hosts ({} of {}) are shorter than the error of the clocks, which is up to {}: \
                 they may not be real.",
                self.doubtful.waits,
                self.all.waits,
                time(self.doubtful.ns),
                time(self.all.ns),
                time(self.largest_error_ns),
            ));
        }
    }
}

#[cfg(test)]
mod tests;
