//! The distribution of a field.

use serde::Serialize;

use mpiscope_pyramid::{Kind, Tallied};

use super::axis::{Axis, Wish};
use super::bin_edges::Values;
use super::fields::{Field, Of};
use super::message_fields::{Item, Source};
use super::preview_answers::{self, TallyChoice};
use super::reading::Basis;
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// Counts by value.
#[derive(Clone, Debug, Serialize)]
pub struct Histogram {
    /// The field that is counted.
    pub field: Field,
    /// From the smallest to the largest edge.
    #[serde(flatten)]
    pub axis: Axis,
    /// One more than there are bins.
    pub edges: Vec<f64>,
    /// Calls in each bin.
    pub counts: Vec<u64>,
    /// Time of the calls in each bin.
    pub time_ns: Vec<u64>,
    /// Selected calls with the field, including those outside the axis.
    pub total: u64,
    /// The basis. From a sample, counts are those of the sample.
    pub basis: Basis,
}

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub struct HistogramWish {
    /// Calls or messages.
    pub of: Of,
    /// Whether the answer has to be exact.
    pub care: Care,
    /// The field to count.
    pub field: Field,
    /// The ends of the axis.
    pub axis: Wish,
    /// With both ends of the axis given, exactly this many; otherwise at most this many, between round numbers.
    pub bins: usize,
}

impl HistogramWish {
    fn values(&self) -> Values {
        Values::new(self.axis.is_log, self.bins.max(1))
    }

    fn bins_of(&self, values: &Values) -> (Axis, usize) {
        match (self.axis.min, self.axis.max) {
            (None, None) => values.bins(self.field),
            // One end is given: it is not a round number, and bins start there.
            _ => (values.range().axis(&self.axis), self.bins.max(1)),
        }
    }
}

/// Counts and times by bin, and the total number.
type Bins = (Vec<(u64, u64)>, u64);

fn join(mut a: Bins, b: Bins) -> Bins {
    for (to, from) in a.0.iter_mut().zip(b.0) {
        *to = (to.0 + from.0, to.1.saturating_add(from.1));
    }
    a.1 += b.1;
    a
}

/// Histogram of a field of the calls (messages) that match `filter`.
///
/// # Errors
///
/// If the run has no such field, the store cannot be read, or the request is cancelled.
pub fn histogram(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &HistogramWish,
    cancel: &Cancel,
) -> Result<Histogram, ViewError> {
    wish.field.check(scene)?;
    let is_few = || match wish.of {
        Of::Calls => scene.is_few(filter),
        Of::Messages => scene.are_few_messages(filter),
    };
    if wish.care == Care::Quick
        && !is_few()
        && let Some(plan) = preview_answers::plan(scene, filter, wish.of, &[wish.field])
    {
        return of_tallies(scene, filter, wish, &plan, cancel);
    }
    let source = Source::new(scene, filter, (wish.of, wish.care), [wish.field], cancel)?;
    let (axis, bins) = match wish.axis.complete() {
        Some(axis) => (axis, wish.bins.max(1)),
        None => {
            let add = |all: &mut Values, [value]: [f64; 1], item: Item<'_>| all.add(value, item.times());
            wish.bins_of(&source.fold(cancel, || wish.values(), add, Values::join)?.0)
        }
    };
    let take = |all: &mut Bins, [value]: [f64; 1], item: Item<'_>| {
        let times = item.times();
        all.1 += times;
        if let Some(bin) = axis.bin(value, bins) {
            all.0[bin].0 += times;
            all.0[bin].1 = all.0[bin].1.saturating_add(item.duration_ns());
        }
    };
    let (found, basis) = source.fold(cancel, || (vec![(0, 0); bins], 0), take, join)?;
    Ok(histogram_of(wish, axis, found, basis))
}

fn histogram_of(wish: &HistogramWish, axis: Axis, (found, total): Bins, basis: Basis) -> Histogram {
    let bins = found.len();
    Histogram {
        field: wish.field,
        edges: (0..=bins).map(|at| axis.at(at as f64 / bins as f64)).collect(),
        counts: found.iter().map(|(count, _)| *count).collect(),
        time_ns: found.iter().map(|(_, time_ns)| *time_ns).collect(),
        axis,
        total,
        basis,
    }
}

/// The same from tallies.
pub(crate) fn of_tallies(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &HistogramWish,
    plan: &TallyChoice,
    cancel: &Cancel,
) -> Result<Histogram, ViewError> {
    let (axis, bins) = match wish.axis.complete() {
        Some(axis) => (axis, wish.bins.max(1)),
        None => {
            let add = |all: &mut Values, kind: &Kind, tallied: &Tallied<'_>| {
                for entry in tallied.entries {
                    if let Some((least, most)) = preview_answers::between(scene, wish.field, kind, tallied, entry) {
                        all.add(least, u64::from(entry.calls));
                        all.add(most, 0);
                    }
                }
            };
            wish.bins_of(&plan.fold(scene, filter, cancel, || wish.values(), add, Values::join)?)
        }
    };
    let take = |all: &mut Bins, kind: &Kind, tallied: &Tallied<'_>| {
        for entry in tallied.entries {
            let Some(values) = preview_answers::between(scene, wish.field, kind, tallied, entry) else { continue };
            all.1 += u64::from(entry.calls);
            let Some((range, part)) = axis.in_bins(bins).between(values) else { continue };
            let (least, most) = preview_answers::durations(kind, tallied, entry);
            let calls = (f64::from(entry.calls) * part).round() as u64;
            let time_ns = (least + (most - least) / 2).saturating_mul((f64::from(entry.rows) * part).round() as u64);
            let (places, phase) = (range.clone().count() as u64, entry.duration as u64);
            for (at, bin) in (0..).zip(range) {
                let to = &mut all.0[bin];
                to.0 += preview_answers::part(calls, places, at, phase);
                to.1 = to.1.saturating_add(preview_answers::part(time_ns, places, at, phase));
            }
        }
    };
    let found = plan.fold(scene, filter, cancel, || (vec![(0, 0); bins], 0), take, join)?;
    Ok(histogram_of(wish, axis, found, plan.basis))
}
