//! Collective operations: how long they take once the last rank has entered, beside the same function in the profile.

use std::collections::BTreeMap;

use mpiscope_abi::LARGE;
use mpiscope_abi::role::{Pattern, Role, role};
use mpiscope_store::{Collective, Member};
use rustc_hash::FxHashMap;

use super::reference::{Reference, command};
use super::sums::Sum;
use crate::explanation::attainable::{Attainable, AttainableRow, LeftOut};
use crate::quality::size_class;

/// Function, ranks, class of size.
type Key = (u32, u32, u8);

/// Why an operation is not compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lack {
    /// The profile has it for another number of ranks.
    Ranks,
    /// The profile does not have the function.
    Function,
    /// It is larger than what was measured, or smaller.
    Size,
}

#[derive(Default)]
pub(super) struct Operations {
    sums: FxHashMap<Key, Sum>,
    /// By function and ranks: operations and their time.
    left_out: BTreeMap<(u32, u32, Lack), (u64, u64)>,
}

impl Operations {
    pub fn operation(&mut self, operation: &Collective, members: &[Member], reference: &Reference) {
        let has_data =
            |pattern| !matches!(pattern, Pattern::Object | Pattern::File | Pattern::Fence | Pattern::Neighbors);
        if !matches!(role(operation.function), Role::Collective(pattern) if has_data(pattern)) {
            return;
        }
        // The last rank is unknown; or the time belongs to what happens meanwhile.
        if operation.missing > 0 || members.len() < 2 || members.iter().any(|m| m.end.done_row != m.end.row) {
            return;
        }
        let function = operation.function & !LARGE;
        let ranks = members.len() as u32;
        let last_ns = members.iter().map(|m| m.end.start_ns).max().unwrap_or(0);
        let over_ns = members.iter().map(|m| m.end.end_ns).max().unwrap_or(0);
        let ns = over_ns.saturating_sub(last_ns);
        let lack = self.compare(function, members, ns, reference);
        if let Some(lack) = lack {
            let (count, time_ns) = self.left_out.entry((function, ranks, lack)).or_default();
            (*count, *time_ns) = (*count + 1, time_ns.saturating_add(ns));
        }
    }

    /// Adds the operation to those of its size, or finds out what the profile lacks.
    fn compare(&mut self, function: u32, members: &[Member], ns: u64, reference: &Reference) -> Option<Lack> {
        let name = short_name(function);
        let Some(bytes) = size_of(&name, members) else { return Some(Lack::Function) };
        let ranks = members.len() as u32;
        let of_function = reference.operations.iter().find(|operation| operation.name == name);
        let Some(of_function) = of_function else { return Some(Lack::Function) };
        if u64::from(ranks) != reference.ranks {
            return Some(Lack::Ranks);
        }
        let sum = self.sums.entry((function, ranks, size_class(bytes) as u8)).or_default();
        sum.of += 1;
        (!sum.push(bytes, ns, &of_function.curve)).then_some(Lack::Size)
    }

    pub fn conclude(self, reference: &Reference, found: &mut Attainable) {
        for ((function, ranks, _), sum) in &self.sums {
            let name = short_name(*function);
            let Some(of_function) = reference.operations.iter().find(|operation| operation.name == name) else {
                continue;
            };
            let what = mpiscope_abi::name(*function);
            let row = |row| AttainableRow { what, ranks: u64::from(*ranks), ..row };
            found.rows.extend(sum.row(&of_function.curve).map(row));
        }
        for ((function, ranks, lack), (count, time_ns)) in self.left_out {
            let is_measurable = MEASURED.contains(&short_name(function).as_str());
            let command = is_measurable.then(|| command(ranks as usize, "pingpong collectives"));
            let why = match lack {
                Lack::Ranks => format!("the profile has operations of {} ranks", reference.ranks),
                Lack::Size => "outside of the sizes of the profile".to_owned(),
                Lack::Function if is_measurable => "the profile does not have this function".to_owned(),
                Lack::Function => "mpiscope bench does not measure this function".to_owned(),
            };
            let (what, ranks) = (mpiscope_abi::name(function), ranks.into());
            found.left_out.push(LeftOut { what, pair_class: None, hops: None, ranks, count, time_ns, why, command });
        }
    }
}

/// Functions that the experiment `collectives` measures.
const MEASURED: [&str; 10] = [
    "barrier",
    "bcast",
    "scatter",
    "gather",
    "allgather",
    "alltoall",
    "reduce",
    "allreduce",
    "reduce_scatter_block",
    "scan",
];

/// Without prefix, in lower case: as the profile names it.
fn short_name(function: u32) -> String {
    mpiscope_abi::name(function).trim_start_matches("MPI_").to_ascii_lowercase()
}

/// The size by which the profile orders operations: that of the whole data for broadcasts and reductions, of the block of one rank for
/// others. `None` for functions that it does not have. With `MPI_IN_PLACE`, a rank states only one side.
fn size_of(name: &str, members: &[Member]) -> Option<u64> {
    let most = |bytes: fn(&Member) -> u64| members.iter().map(bytes).max().unwrap_or(0);
    let (sent, received) = (most(|m| m.bytes_sent), most(|m| m.bytes_received));
    let ranks = members.len() as u64;
    Some(match name {
        "barrier" => 0,
        "bcast" | "reduce" | "allreduce" | "scan" => sent.max(received),
        "scatter" | "reduce_scatter_block" => received,
        "gather" => sent,
        "allgather" if sent > 0 => sent,
        "allgather" => received / ranks,
        "alltoall" => sent.max(received) / ranks,
        _ => return None,
    })
}
