//! Settings that were in force: variables of the environment, and variables of the MPI's tool interface (MPI_T).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::run::Rank;
use crate::summary::stretches;

/// Facts of a process with such keys are shown: `mpi_t.cvar.<name>` for a control variable at the initialization of MPI,
/// `mpi_t.pvar.<name>` for a performance variable at the end.
const PROTOCOL: &str = "mpi_t.";
/// `env.<name>` for a variable of the environment that changes what an MPI does, before MPI was initialized.
const SETTING: &str = "env.";

/// One value of one variable, with the ranks that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProtocolRow {
    /// Name of a variable of the environment, or kind and name of a variable of the tool interface: `cvar.btl_vader_eager_limit`.
    pub key: String,
    /// The MPI's or the user's text; see the MPI's documentation for units.
    pub value: String,
    /// World ranks, first and last of each range.
    pub ranks: Vec<(i32, i32)>,
}

/// Variables of the tool interface, by name; several rows for a variable that differs between ranks.
pub fn protocol(ranks: &[&Rank]) -> Vec<ProtocolRow> {
    rows(ranks, PROTOCOL)
}

/// The same of variables of the environment.
pub fn settings(ranks: &[&Rank]) -> Vec<ProtocolRow> {
    rows(ranks, SETTING)
}

fn rows(ranks: &[&Rank], prefix: &str) -> Vec<ProtocolRow> {
    let mut found: BTreeMap<(&str, &str), Vec<i32>> = BTreeMap::new();
    for rank in ranks {
        for (key, value) in &rank.defs.info {
            if let Some(key) = key.strip_prefix(prefix) {
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
