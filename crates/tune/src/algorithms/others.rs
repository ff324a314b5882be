//! On which condition another algorithm is used: what differs if one fact about the call does.

use serde::Serialize;

use super::{Call, Inferred, Mpi, Part};

/// A condition, and what holds then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Other {
    /// Such as `from 8,192 B`.
    pub when: String,
    /// Its steps.
    pub parts: Vec<Part>,
}

/// Where rules may change.
#[derive(Debug, Clone, Default)]
pub(super) struct Boundaries {
    /// Sizes of a block at which another rule may begin.
    pub bytes: Vec<u64>,
    /// Numbers of ranks at which another rule may begin.
    pub ranks: Vec<u64>,
}

/// The nearest change in each direction of size and ranks, and the other conditions.
pub(super) fn find(mpi: &Mpi, call: &Call, boundaries: &Boundaries) -> Vec<Other> {
    let Some(own) = parts(mpi, call).filter(|_| call.ranks > 1) else { return Vec::new() };
    let other = |when: String, changed: &Call| other(mpi, changed, &own, when);
    let mut found = Vec::new();
    if let Some(bytes) = call.bytes {
        let mut sizes = boundaries.bytes.clone();
        sizes.sort_unstable();
        sizes.dedup();
        // A rule ends one byte before the next one begins.
        let below = |&size: &u64| other(format!("below {}", units(size)), &call.with_bytes(size - 1));
        found.extend(sizes.iter().rev().filter(|&&size| size > 0 && size <= bytes).find_map(below));
        let from = |&size: &u64| other(format!("from {}", units(size)), &call.with_bytes(size));
        found.extend(sizes.iter().filter(|&&size| size > bytes).find_map(from));
    }
    match general(mpi, call, &own) {
        Some(other) => found.push(other),
        None => found.extend(nearest(mpi, call, &own, &boundaries.ranks)),
    }
    if call.hosts > 1 {
        let changed = Call { hosts: 1, ranks_per_host: call.ranks, ..call.clone() };
        found.extend(other("on one host".into(), &changed));
    }
    if call.commutes != Some(false) && has_operation(call) {
        let changed = Call { commutes: Some(false), ..call.clone() };
        found.extend(other("if the operation does not commute".into(), &changed));
    }
    if call.is_built_in && has_operation(call) {
        let changed = Call { is_built_in: false, commutes: Some(true), ..call.clone() };
        found.extend(other("with an operation of the program".into(), &changed));
    }
    let changed = Call { is_in_place: !call.is_in_place, ..call.clone() };
    found.extend(other(if call.is_in_place { "without MPI_IN_PLACE" } else { "with MPI_IN_PLACE" }.into(), &changed));
    if mpi.is_threaded != Some(true) {
        let threaded = Mpi { is_threaded: Some(true), ..mpi.clone() };
        found.extend(self::other(&threaded, call, &own, "with MPI_THREAD_MULTIPLE".into()));
    }
    found
}

/// What a changed call uses, if it is something else.
fn other(mpi: &Mpi, changed: &Call, own: &[Part], when: String) -> Option<Other> {
    let parts = parts(mpi, changed).filter(|parts| differ(parts, own))?;
    Some(Other { when, parts })
}

/// A condition on the number of ranks that holds in both directions.
fn general(mpi: &Mpi, call: &Call, own: &[Part]) -> Option<Other> {
    let (ranks, lower) = (call.ranks, call.power_of_two());
    let both = |below: u64, above: u64, when: &str| {
        let [first, second] = [below, above].map(|number| other(mpi, &call.with_ranks(number), own, when.to_owned()));
        first.filter(|first| second.is_some_and(|second| !differ(&second.parts, &first.parts)))
    };
    match ranks.is_power_of_two() {
        true if ranks > 2 => both(ranks - 1, ranks + 1, "if the number of ranks is not a power of two"),
        true => None,
        false => both(lower, 2 * lower, "if the number of ranks is a power of two")
            .or_else(|| both(ranks - 1, ranks + 1, "with one rank less or more").filter(|_| ranks.is_multiple_of(2))),
    }
}

/// The nearest numbers of ranks with another algorithm.
fn nearest(mpi: &Mpi, call: &Call, own: &[Part], boundaries: &[u64]) -> Vec<Other> {
    let mut numbers = boundaries.to_vec();
    numbers.extend([call.ranks - 1, call.ranks + 1, call.power_of_two(), 2 * call.power_of_two()]);
    numbers.sort_unstable();
    numbers.dedup();
    let with = |&number: &u64| other(mpi, &call.with_ranks(number), own, format!("with {number} ranks"));
    let below = numbers.iter().rev().filter(|&&number| number >= 2 && number < call.ranks).find_map(with);
    let above = numbers.iter().filter(|&&number| number > call.ranks).find_map(with);
    below.into_iter().chain(above).collect()
}

/// Whether the algorithms differ, not only what is noted about them.
fn differ(other: &[Part], own: &[Part]) -> bool {
    let bare = |parts: &[Part]| parts.iter().map(|part| Part { note: None, ..part.clone() }).collect::<Vec<_>>();
    bare(other) != bare(own)
}

/// Whether the calls reduce.
fn has_operation(call: &Call) -> bool {
    let operation = call.operation();
    operation.contains("reduce") || operation.contains("scan")
}

fn parts(mpi: &Mpi, call: &Call) -> Option<Vec<Part>> {
    match mpi.infer(call) {
        Inferred::Known { parts, .. } => Some(parts),
        Inferred::NotKnown { .. } => None,
    }
}

/// Exact: a boundary is no rounded number.
pub(super) fn units(bytes: u64) -> String {
    let digits = bytes.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + " B"
}
