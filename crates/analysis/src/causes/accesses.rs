//! Small accesses to windows of other ranks: how many, between how many synchronisations.

use std::collections::BTreeSet;

use mpiscope_abi::role::Role;
use mpiscope_store::CallInfo;
use mpiscope_units::{bytes, counted, time};

use super::unexplained::{SMALL_BYTES, data_of};
use crate::explanation::Explanation;

/// Fewer accesses between two synchronisations than this: synchronising costs more than they do.
const FEW: u64 = 4;

/// All accesses of a run, with the synchronisations of windows around them.
#[derive(Debug, PartialEq)]
pub(super) struct Accesses {
    pub count: u64,
    synchronisations: u64,
    /// Time in all of these calls that is not waiting, ns.
    pub ns: u64,
    mean_bytes: u64,
}

impl Accesses {
    pub fn of(facts: &[Vec<CallInfo>], explanation: &Explanation) -> Accesses {
        let (mut count, mut synchronisations, mut moved) = (0u64, 0u64, 0u64);
        let mut names = BTreeSet::new();
        // All ranks of the window synchronise in it: its role is that of a collective operation.
        let fence = mpiscope_abi::by_name("MPI_Win_fence");
        for f in facts.iter().flatten() {
            match f.role {
                Role::Access => {
                    count += f.calls;
                    moved = moved.saturating_add(data_of(f));
                }
                Role::Epoch(_) => synchronisations += f.calls,
                _ if Some(f.function) == fence => synchronisations += f.calls,
                _ => continue,
            }
            names.insert(mpiscope_abi::name(f.function));
        }
        let places = explanation.places.iter().filter(|place| names.contains(place.function));
        let ns = places.map(|place| place.communicating_ns).sum();
        Accesses { count, synchronisations, ns, mean_bytes: moved / count.max(1) }
    }

    /// Whether latency, and not data, takes their time.
    pub fn are_small(&self) -> bool {
        self.mean_bytes < SMALL_BYTES
    }

    /// Whether windows are synchronised for a few accesses each time.
    fn are_few(&self) -> bool {
        self.count < FEW * self.synchronisations
    }

    pub fn text(&self) -> String {
        format!(
            "There are {}, which move {} each, and {}: {} for each access. ",
            counted(self.count, "access(es) to windows"),
            bytes(self.mean_bytes),
            counted(self.synchronisations, "call(s) that synchronise"),
            time(self.ns / self.count.max(1))
        )
    }

    pub fn advice(&self) -> String {
        let more = "Read or write more at once: one call for data next to each other, a datatype for data with gaps.";
        let synchronise = "Synchronise once for many accesses: put all that do not need each other between two calls that synchronise.";
        if self.are_few() { format!("{synchronise} {more}") } else { more.to_owned() }
    }
}
