//! What weakens the evidence, in sentences.

use mpiscope_units::{count, percent};

use crate::answer::{Answer, Predicted};

/// Models whose error is above this describe the runs badly.
const BAD_FIT: f64 = 0.10;
/// Half of an interval, as a share of its value, above which only the order of magnitude is known.
const WIDE: f64 = 0.5;
/// Numbers of ranks that are too close to show how something grows.
const LEAST_SPAN: f64 = 4.0;

/// The sentences. `sizes` is the number of runs of different size.
pub fn notes(answer: &Answer, sizes: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let (Some(smallest), Some(largest)) = (answer.measured.first(), answer.measured.last()) else { return notes };
    if sizes == 2 {
        notes.push(
            "Weak evidence: with two sizes, several terms fit equally well, and nothing shows how much the times scatter. Record a third size"
                .into(),
        );
    } else if (largest.ranks as f64) < LEAST_SPAN * smallest.ranks as f64 {
        notes
            .push(format!("Weak evidence: the largest run has less than {LEAST_SPAN} times the ranks of the smallest"));
    }
    if answer.whole.error > BAD_FIT {
        notes.push(format!(
            "Weak evidence: each run differs by {} from what the others predict (root mean square)",
            percent(answer.whole.error)
        ));
    }
    let is_wide = |of: &&Predicted| of.time_ns.high - of.time_ns.low > 2.0 * WIDE * of.time_ns.value;
    let wide: Vec<String> = answer.predicted.iter().filter(is_wide).map(|of| count(of.ranks)).collect();
    if !wide.is_empty() {
        notes.push(format!("Of {} ranks, only the order of magnitude is predicted", wide.join(", ")));
    }
    notes
}
