//! How often which values of a field occur.

use serde::Serialize;

use super::axis::{Axis, Wish};
use super::fields::Field;
use super::scene::asking;
use super::{Cancel, Filter, Scene, ViewError};

/// Counts by value.
#[derive(Clone, Debug, Serialize)]
pub struct Histogram {
    pub field: Field,
    #[serde(flatten)]
    pub axis: Axis,
    /// One more than there are bins.
    pub edges: Vec<f64>,
    pub counts: Vec<u64>,
    /// Time of the calls in each bin.
    pub time_ns: Vec<u64>,
    /// Calls that are wanted and have the field; those outside of the axis too.
    pub total: u64,
}

/// Histogram of a field of the calls that `filter` wants.
pub fn histogram(
    scene: &Scene,
    filter: &Filter,
    field: Field,
    wish: &Wish,
    bins: usize,
    cancel: &Cancel,
) -> Result<Histogram, ViewError> {
    field.check(scene)?;
    let axis = match wish.complete() {
        Some(axis) => axis,
        None => super::axis::ranges(scene, filter, [field], cancel)?[0].axis(wish),
    };
    let selection = scene.selection(filter);
    let bins = bins.max(1);
    let begin = || (vec![(0_u64, 0_u64); bins], 0_u64);
    let take = |all: &mut (Vec<(u64, u64)>, u64), calls: &mpiscope_store::CallColumns, at: usize| {
        let Some(value) = selection.wanted(calls, at).and_then(|facts| field.of(scene, facts, calls, at)) else {
            return;
        };
        let times = u64::from(calls.calls[at]);
        all.1 += times;
        if let Some(bin) = axis.bin(value, bins) {
            all.0[bin].0 += times;
            all.0[bin].1 = all.0[bin].1.saturating_add(calls.duration_ns(at));
        }
    };
    let join = |mut a: (Vec<(u64, u64)>, u64), b: (Vec<(u64, u64)>, u64)| {
        for (to, from) in a.0.iter_mut().zip(b.0) {
            *to = (to.0 + from.0, to.1.saturating_add(from.1));
        }
        a.1 += b.1;
        a
    };
    let (found, total) = scene.rows.fold_calls(&scene.wanted(filter), &asking(cancel), begin, take, join)?;
    Ok(Histogram {
        field,
        edges: (0..=bins).map(|at| axis.at(at as f64 / bins as f64)).collect(),
        counts: found.iter().map(|(count, _)| *count).collect(),
        time_ns: found.iter().map(|(_, time_ns)| *time_ns).collect(),
        axis,
        total,
    })
}
