//! Open MPI: which algorithm `coll/libnbc` takes, which makes its non-blocking and persistent operations.
//!
//! Its rules are code of that component (`ompi/mca/coll/libnbc/nbc_i*.c`, the same in 4.1 and 5.0). `tests/boundary/test_algorithms.py`
//! compares them with the messages that Open MPI counts.

use super::open_mpi::{choice, value};
use super::{Call, DIFFERENT_SIZES, Inferred, Mpi, Part, not_known, part};

/// Operations with several algorithms, by their name without what marks them as non-blocking.
const CHOOSES: [&str; 6] = ["allgather", "allreduce", "bcast", "exscan", "reduce", "scan"];
/// Longer messages go in pieces, bytes.
const LONG: u64 = 65_536;
/// To more ranks than this, broadcasts go by a tree.
const FEW_RANKS: u64 = 4;

/// What it makes of a non-blocking operation, by its name as a blocking one: `allreduce` for `MPI_Iallreduce`.
pub(super) fn infer(mpi: &Mpi, call: &Call, operation: &str) -> Inferred {
    let mut assumed = Vec::new();
    let mut commutes = || {
        call.commutes.unwrap_or_else(|| {
            assumed.push("that the operation commutes".to_owned());
            true
        })
    };
    let parameter = format!("coll_libnbc_i{operation}_algorithm");
    let set = value(mpi, &parameter).filter(|_| CHOOSES.contains(&operation));
    let forced = match set.map(|text| (text, choice(&parameter, text))) {
        Some((text, None)) => return not_known(format!("OMPI_MCA_{parameter}={text} is no algorithm of the table")),
        Some((text, Some((number, name)))) if number > 0 => Some((name, format!("OMPI_MCA_{parameter}={text}"))),
        _ => None,
    };
    // Whether there is an element for each rank that halves the data with others.
    let is_divisible = call.bytes.is_some().then_some(call.count >= call.power_of_two());
    let (name, by) = match forced {
        Some((name, by)) => (name, by),
        None => {
            let Some(name) = decide(mpi, call, operation, is_divisible, &mut commutes) else {
                return not_known(DIFFERENT_SIZES);
            };
            (name, "rules of coll/libnbc".to_owned())
        }
    };
    let mut step = part(name);
    if let Some((algorithm, why)) = instead(call, operation, name, is_divisible, &mut commutes) {
        step = Part { algorithm: algorithm.to_owned(), note: Some(format!("{name} was chosen, but {why}")), ..step };
    }
    Inferred::Known { parts: vec![step], by, assumed }
}

/// The algorithm without settings of algorithms; nothing if it depends on a size that is not known.
fn decide(
    mpi: &Mpi,
    call: &Call,
    operation: &str,
    is_divisible: Option<bool>,
    commutes: &mut impl FnMut() -> bool,
) -> Option<&'static str> {
    let is_short = call.bytes.map(|bytes| bytes < LONG);
    Some(match operation {
        "barrier" => "dissemination",
        "bcast" if call.ranks <= FEW_RANKS => "linear",
        "bcast" if decides_by_size(mpi) && !is_short? => "chain",
        "bcast" => "binomial",
        "allreduce" if call.ranks < 4 || call.is_in_place || !commutes() || is_short? => "binomial",
        "allreduce" if is_divisible? => "rabenseifner",
        "allreduce" => "ring",
        "reduce" if !commutes() => "binomial",
        "reduce" if call.ranks > 2 && is_divisible? => "rabenseifner",
        "reduce" if call.ranks > 4 || is_short? => "binomial",
        "reduce" => "chain",
        "reduce_scatter" | "reduce_scatter_block" => "binomial reduce and linear scatter",
        _ => "linear",
    })
}

/// Whether broadcasts look at their sizes, which they do not by default: sizes may differ between ranks.
fn decides_by_size(mpi: &Mpi) -> bool {
    let set = value(mpi, "coll_libnbc_ibcast_skip_dt_decision");
    set.is_some_and(|text| matches!(text.to_ascii_lowercase().as_str(), "0" | "false" | "no" | "off" | "disabled"))
}

/// The algorithm in place of one that a setting selects where its own condition does not hold, with the reason.
fn instead(
    call: &Call,
    operation: &str,
    name: &str,
    is_divisible: Option<bool>,
    commutes: &mut impl FnMut() -> bool,
) -> Option<(&'static str, String)> {
    match (operation, name) {
        ("allgather", "recursive_doubling") if !call.ranks.is_power_of_two() => {
            Some(("linear", "the number of ranks is not a power of two".to_owned()))
        }
        ("allreduce" | "reduce", "rabenseifner") => {
            let other = if operation == "reduce" { "chain" } else { "ring" };
            if operation == "reduce" && call.ranks < 3 {
                return Some((other, "it needs three ranks".to_owned()));
            }
            if is_divisible == Some(false) {
                return Some((other, format!("there are fewer elements than {}", call.power_of_two())));
            }
            (!commutes()).then(|| (other, "the operation does not commute".to_owned()))
        }
        _ => None,
    }
}

/// Sizes and ranks at which another rule may begin.
pub(super) fn boundaries(call: &Call, operation: &str) -> super::others::Boundaries {
    let element = call.bytes.map_or(1, |bytes| bytes / call.count.max(1)).max(1);
    let bytes = match operation {
        "allreduce" | "reduce" => vec![LONG, call.power_of_two() * element],
        "bcast" => vec![LONG],
        _ => Vec::new(),
    };
    super::others::Boundaries { bytes, ranks: vec![3, 4, 5] }
}
