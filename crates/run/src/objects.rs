//! Datatypes, files and windows across ranks.

use std::collections::{BTreeMap, BTreeSet};

use mpiscope_trace::defs::Layout;
use serde::Serialize;

use crate::comms::CommNames;
use crate::defs::{Datatype, Defs};
use crate::run::Rank;

/// A derived or used datatype. Arguments of its constructor are `None` if unknown or different between blocks.
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
    /// How it is constructed: `named`, `vector`, `struct`, … (MPI's combiners).
    pub combiner: Option<String>,
    /// Whether there are no gaps in its data and before the next element.
    pub contiguous: Option<bool>,
    /// Its parent type: a name, or for an unnamed one its combiner; `None` for several or none.
    pub parent: Option<String>,
    /// Lower bound, bytes.
    pub lower_bound_bytes: Option<i64>,
    /// Bytes from its first byte of data to its last.
    pub true_extent_bytes: Option<i64>,
    /// Number of blocks.
    pub blocks: Option<u64>,
    /// Elements of the parent in a block.
    pub block_length: Option<u64>,
    /// Bytes from the start of a block to the next one's.
    pub stride_bytes: Option<i64>,
    /// Number created or used, summed over ranks.
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
    /// Number created, summed over ranks.
    pub made: u64,
}

fn maker(function: u32) -> String {
    if function == 0 { String::new() } else { mpiscope_abi::name(function).to_owned() }
}

/// The combiner of a datatype created by this function.
fn combiner(created_by: u32) -> Option<String> {
    if created_by == 0 {
        return Some("named".into());
    }
    let name = mpiscope_abi::name(created_by).strip_prefix("MPI_Type_")?;
    let name = name.strip_prefix("create_").unwrap_or(name);
    let name = name.strip_suffix("_c").unwrap_or(name);
    COMBINERS.contains(&name).then(|| name.to_owned())
}

const COMBINERS: [&str; 15] = [
    "dup",
    "contiguous",
    "vector",
    "hvector",
    "indexed",
    "hindexed",
    "indexed_block",
    "hindexed_block",
    "struct",
    "subarray",
    "darray",
    "f90_real",
    "f90_complex",
    "f90_integer",
    "resized",
];

/// Whether there are no gaps between and inside of elements.
fn contiguous(d: &Datatype) -> Option<bool> {
    let fills = i64::try_from(d.size_bytes) == Ok(d.extent_bytes);
    match &d.layout {
        _ if !fills => Some(false),
        Some(l) => Some(l.true_extent == d.extent_bytes && l.true_lower_bound == l.lower_bound),
        None => (d.created_by == 0).then_some(true),
    }
}

fn datatype_row(d: &Datatype, defs: &Defs) -> DatatypeRow {
    let given = |value: fn(&Layout) -> u64| d.layout.as_ref().map(value).filter(|&n| n != 0);
    let parent = d.layout.as_ref().and_then(|l| defs.datatypes.get(&l.parent));
    DatatypeRow {
        name: d.name.clone(),
        size_bytes: d.size_bytes,
        extent_bytes: d.extent_bytes,
        created_by: maker(d.created_by),
        combiner: combiner(d.created_by),
        contiguous: contiguous(d),
        parent: parent
            .map(|p| if p.name.is_empty() { combiner(p.created_by).unwrap_or_default() } else { p.name.clone() }),
        lower_bound_bytes: d.layout.as_ref().map(|l| l.lower_bound),
        true_extent_bytes: d.layout.as_ref().map(|l| l.true_extent),
        blocks: given(|l| l.count),
        block_length: given(|l| l.block_length),
        stride_bytes: d.layout.as_ref().map(|l| l.stride_bytes).filter(|&n| n != 0),
        definitions: 0,
    }
}

/// Datatypes, with one row for equal descriptions.
pub fn datatypes(ranks: &[&Rank]) -> Vec<DatatypeRow> {
    let mut rows: BTreeMap<DatatypeRow, u64> = BTreeMap::new();
    for rank in ranks {
        for datatype in rank.defs.datatypes.values() {
            *rows.entry(datatype_row(datatype, &rank.defs)).or_default() += 1;
        }
    }
    rows.into_iter().map(|(row, definitions)| DatatypeRow { definitions, ..row }).collect()
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
