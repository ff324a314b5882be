//! Datatypes, files and windows across ranks.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::comms::CommNames;
use crate::run::Rank;

/// A derived or used datatype.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct DatatypeRow {
    /// Name, empty for an unnamed derived type.
    pub name: String,
    /// Bytes of data.
    pub size_bytes: u64,
    /// Bytes from one to the next.
    pub extent_bytes: i64,
    /// C name of the function that made it, empty for predefined ones.
    pub created_by: String,
    /// How many of these the ranks made or used, together.
    pub definitions: u64,
}

/// A file opened through MPI.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileRow {
    /// Name given to `MPI_File_open`.
    pub name: String,
    /// Label of the communicator.
    pub comm: String,
    /// Access mode as the MPI numbers it.
    pub amode: i32,
    /// Ranks that opened it.
    pub ranks: u64,
    /// How often it was opened, summed over ranks.
    pub opened: u64,
}

/// RMA windows with one communicator and maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WindowRow {
    /// C name of the function that made it.
    pub created_by: String,
    /// Label of the communicator.
    pub comm: String,
    /// Displacement unit, bytes.
    pub disp_unit: i64,
    /// Smallest part of a rank, bytes.
    pub min_bytes: u64,
    /// Largest part of a rank, bytes.
    pub max_bytes: u64,
    /// Ranks that take part.
    pub ranks: u64,
    /// How many of these were made, summed over ranks.
    pub made: u64,
}

fn maker(function: u32) -> String {
    if function == 0 { String::new() } else { mpiscope_abi::name(function).to_owned() }
}

/// Datatypes, the same description being one row.
pub fn datatypes(ranks: &[&Rank]) -> Vec<DatatypeRow> {
    let mut rows: BTreeMap<_, u64> = BTreeMap::new();
    for datatype in ranks.iter().flat_map(|rank| rank.defs.datatypes.values()) {
        *rows.entry(datatype).or_default() += 1;
    }
    let row = |(d, definitions): (&crate::defs::Datatype, u64)| DatatypeRow {
        name: d.name.clone(),
        size_bytes: d.size_bytes,
        extent_bytes: d.extent_bytes,
        created_by: maker(d.created_by),
        definitions,
    };
    rows.into_iter().map(row).collect()
}

/// Files by name, communicator and mode.
pub fn files(ranks: &[&Rank], comms: &CommNames) -> Vec<FileRow> {
    let mut rows: BTreeMap<(String, String, i32), (BTreeSet<usize>, u64)> = BTreeMap::new();
    for (at, rank) in ranks.iter().enumerate() {
        for file in rank.defs.files.values() {
            let comm = comms.label(comms.key(at, file.comm));
            let row = rows.entry((file.name.clone(), comm, file.amode)).or_default();
            row.0.insert(at);
            row.1 += 1;
        }
    }
    let row = |((name, comm, amode), (ranks, opened)): (_, (BTreeSet<usize>, u64))| FileRow {
        name,
        comm,
        amode,
        ranks: ranks.len() as u64,
        opened,
    };
    rows.into_iter().map(row).collect()
}

/// Windows by maker, communicator and displacement unit.
pub fn windows(ranks: &[&Rank], comms: &CommNames) -> Vec<WindowRow> {
    let mut rows: BTreeMap<(u32, String, i64), (BTreeSet<usize>, WindowRow)> = BTreeMap::new();
    for (at, rank) in ranks.iter().enumerate() {
        for window in rank.defs.windows.values() {
            let comm = comms.label(comms.key(at, window.comm));
            let (seen, row) = rows.entry((window.created_by, comm.clone(), window.disp_unit)).or_insert_with(|| {
                let row = WindowRow {
                    created_by: maker(window.created_by),
                    comm,
                    disp_unit: window.disp_unit,
                    min_bytes: u64::MAX,
                    max_bytes: 0,
                    ranks: 0,
                    made: 0,
                };
                (BTreeSet::new(), row)
            });
            seen.insert(at);
            row.min_bytes = row.min_bytes.min(window.size_bytes);
            row.max_bytes = row.max_bytes.max(window.size_bytes);
            row.made += 1;
        }
    }
    rows.into_values().map(|(seen, row)| WindowRow { ranks: seen.len() as u64, ..row }).collect()
}
