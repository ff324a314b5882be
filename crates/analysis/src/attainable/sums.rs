//! Times of similar messages or operations, beside what the machine needs for each of them.

use crate::explanation::attainable::AttainableRow;
use crate::quality::{Reservoir, quantile};

use super::reference::Curve;

/// Of one class of size.
#[derive(Clone, Default)]
pub(super) struct Sum {
    /// A few of them: size and time.
    kept: Reservoir,
    sizes: Option<(u64, u64)>,
    time_ns: u64,
    excess_ns: f64,
    /// Those without a time, too.
    pub of: u64,
}

impl Sum {
    /// Adds one that took `ns`. False if the curve does not reach its size.
    #[inline]
    pub fn push(&mut self, bytes: u64, ns: u64, curve: &Curve) -> bool {
        let Some(attainable) = curve.at(bytes) else { return false };
        let (from, to) = self.sizes.unwrap_or((bytes, bytes));
        self.sizes = Some((from.min(bytes), to.max(bytes)));
        self.kept.push(bytes, ns);
        self.time_ns = self.time_ns.saturating_add(ns);
        self.excess_ns += (ns as f64 - attainable.ns).max(0.0);
        true
    }

    /// The row; `None` if no time is known.
    pub fn row(&self, curve: &Curve) -> Option<AttainableRow> {
        let (from_bytes, to_bytes) = self.sizes?;
        let kept = self.kept.kept();
        let mut sizes: Vec<u64> = kept.iter().map(|of| of.0).collect();
        let bytes = quantile(&mut sizes, 0.5);
        // A median of a few samples may be off by orders of magnitude: it makes no share.
        let certain = |bytes: u64| curve.at(bytes).filter(|attainable| attainable.low_ns.is_some());
        let ratio = |&(bytes, ns): &(u64, u64)| Some(certain(bytes)?.ns / ns.max(1) as f64);
        let mut ratios: Vec<f64> = kept.iter().filter_map(ratio).collect();
        ratios.sort_by(f64::total_cmp);
        Some(AttainableRow {
            from_bytes,
            to_bytes,
            bytes,
            count: self.kept.seen(),
            of: self.of,
            time_ns: self.time_ns,
            median_ns: self.kept.quantile_ns(0.5),
            attainable: curve.at(bytes)?,
            reached: ratios.get(ratios.len() / 2).copied(),
            excess_ns: self.excess_ns as u64,
            ..AttainableRow::default()
        })
    }
}
