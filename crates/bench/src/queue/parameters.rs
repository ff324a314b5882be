//! Time for each entry of a queue, and what unexpected messages cost.

use mpiscope_machine::{Parameter, Scope};

use super::ends::{MOST, QUEUES, Queue};
use super::unexpected::{NUMBERS, SIZES, grown_id, sent_id};
use super::{DEPTHS, EXPERIMENT};
use crate::intervals::of_medians;
use crate::journal::Measured;

pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    measured.scopes().into_iter().flat_map(|scope| of_scope(measured, scope)).collect()
}

fn of_scope(measured: &Measured, scope: Scope) -> Vec<Parameter> {
    let named = |id: String, text: String, parameter: Parameter| Parameter {
        experiment: EXPERIMENT.id.to_owned(),
        id,
        text,
        ..parameter
    };
    let mut found = Vec::new();
    for queue in QUEUES {
        let at = |depth: u64| measured.times_at(scope, queue.series(), depth);
        // What one more entry adds, in a short queue and in the longest one.
        for (from, to) in [(DEPTHS[0], 64), (64, DEPTHS[DEPTHS.len() - 1])] {
            let (Some(short), Some(long)) = (at(from), at(to)) else { continue };
            let (value, interval) =
                of_medians(&[short, long], 4, |medians| (medians[1] - medians[0]) / (to - from) as f64);
            let (id, what) = match queue {
                Queue::Posted => ("entry_posted", "posted receive"),
                Queue::Unexpected => ("entry_unexpected", "unexpected message"),
            };
            found.push(named(
                format!("{id}_{to}"),
                format!(
                    "what each {what} of another tag adds to the time of a message, between {from} and {to} of them"
                ),
                measured.parameter(scope, "ns", value, interval),
            ));
        }
    }
    for bytes in SIZES {
        let sizes = Some(bytes as u64);
        for number in NUMBERS {
            let Some(grown) = measured.fact(scope, &grown_id(bytes, number)) else { continue };
            let each = grown.max(0.0) / number as f64;
            found.push(Parameter {
                from_bytes: sizes,
                to_bytes: sizes,
                ..named(
                    format!("unexpected_memory_{number}"),
                    format!("growth of the receiver's resident memory for each of {number} unexpected messages; what the MPI has kept from shorter ones is used again"),
                    measured.parameter(scope, "B", each, None),
                )
            });
        }
    }
    for bytes in SIZES {
        let Some(sent) = measured.fact(scope, &sent_id(bytes)) else { continue };
        let end =
            if sent >= MOST as f64 { ": no send has waited, so there may be more" } else { "; the next send waits" };
        found.push(Parameter {
            from_bytes: Some(bytes as u64),
            to_bytes: Some(bytes as u64),
            ..named(
                "sends_without_receiver".to_owned(),
                format!("messages that are sent while the receiver is not in MPI{end}"),
                measured.parameter(scope, "messages", sent, None),
            )
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_what_an_entry_adds() {
        let mut measured = Measured::default();
        let scope = Scope::Pair(0);
        for depth in DEPTHS {
            let ns = 1000.0 + 5.0 * depth as f64;
            measured.times.insert((scope, "posted".into(), depth), vec![ns; 9]);
        }
        measured.times.insert((scope, "unexpected".into(), 1), vec![1.0; 9]);
        measured.facts.insert((scope, grown_id(64, 4096)), 4096.0 * 192.0);
        measured.facts.insert((scope, grown_id(8, 4096)), -4096.0);
        measured.facts.insert((scope, sent_id(64)), 4096.0);
        measured.facts.insert((scope, sent_id(512)), 0.0);
        let found = parameters(&measured);
        let values: Vec<(&str, f64, Option<u64>)> =
            found.iter().map(|p| (p.id.as_str(), p.value, p.from_bytes)).collect();
        assert_eq!(
            values,
            [
                ("entry_posted_64", 5.0, None),
                ("entry_posted_4096", 5.0, None),
                ("unexpected_memory_4096", 0.0, Some(8)),
                ("unexpected_memory_4096", 192.0, Some(64)),
                ("sends_without_receiver", 4096.0, Some(64)),
                ("sends_without_receiver", 0.0, Some(512)),
            ]
        );
        assert!(found[4].text.ends_with("there may be more") && found[5].text.ends_with("the next send waits"));
    }
}
