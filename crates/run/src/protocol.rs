//! Variables of the MPI's tool interface (MPI_T): eager limits, transports, algorithms.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::run::Rank;
use crate::summary::stretches;

/// Facts of a process with such keys are shown: `mpi_t.cvar.<name>` for a control variable at the initialization of MPI,
/// `mpi_t.pvar.<name>` for a performance variable at the end.
const PREFIX: &str = "mpi_t.";

/// One value of one variable, with the ranks that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProtocolRow {
    /// Kind and name: `cvar.btl_vader_eager_limit`.
    pub key: String,
    /// The MPI's text; see its documentation for units.
    pub value: String,
    /// World ranks, first and last of each range.
    pub ranks: Vec<(i32, i32)>,
}

/// Rows by name; several for a variable that differs between ranks.
pub fn protocol(ranks: &[&Rank]) -> Vec<ProtocolRow> {
    let mut found: BTreeMap<(&str, &str), Vec<i32>> = BTreeMap::new();
    for rank in ranks {
        for (key, value) in &rank.defs.info {
            if let Some(key) = key.strip_prefix(PREFIX) {
                found.entry((key, value)).or_default().push(rank.rank());
            }
        }
    }
    let row = |((key, value), mut ranks): ((&str, &str), Vec<i32>)| {
        ranks.sort_unstable();
        ProtocolRow { key: key.into(), value: value.into(), ranks: stretches(ranks.into_iter()) }
    };
    found.into_iter().map(row).collect()
}
