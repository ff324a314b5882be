//! Memory that an MPI takes for messages within a host, estimated from ranks and settings.
//!
//! Only what was compared with the mappings of real processes is here: `btl/vader` and `btl/sm` of Open MPI 4.1 and 5.0, and shared memory of
//! the device `ch4` of MPICH 5.0, and UCX below Open MPI and MPICH 4.0 (`tests/boundary/test_memory_use.py`).

mod ucx;

use serde::Serialize;

use crate::Family;
use crate::algorithms::Mpi;
use crate::table;

/// Shared memory of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedMemory {
    /// What it is for.
    pub what: String,
    /// In the host's `/dev/shm`. Processes of the host map it; what is not used is not resident.
    pub bytes: u64,
    /// What each further rank on the host adds.
    pub bytes_per_rank: u64,
    /// The same in System V shared memory, which is not in `/dev/shm`.
    pub system_v_bytes: u64,
    /// Of all this, what a rank has resident as soon as MPI is initialized, if it is known.
    pub resident_bytes_per_rank: Option<u64>,
    /// What each partner on the host, after some messages to it, adds to a rank's resident memory, if it is known. It is in the segment.
    pub connection_bytes: Option<u64>,
    /// The variables that decide about it, with their values.
    pub variables: Vec<(String, u64)>,
    /// What to set to make it smaller, and what that costs.
    pub lower: String,
}

/// Alignment of what the libraries map.
const PAGE_BYTES: u64 = 4096;
/// MPICH's header of a cell.
const CELL_HEADER_BYTES: u64 = 64;
/// MPICH's segment has two of these beside the cells.
const SEGMENT_PAGES: u64 = 2;

/// The shared memory on a host with so many ranks; the error is the reason why it is not known.
///
/// # Errors
///
/// If the tables have nothing about this MPI.
pub fn shared_memory(mpi: &Mpi, ranks_per_host: u64) -> Result<SharedMemory, String> {
    let series = mpi.series().map(<[u32]>::to_vec).unwrap_or_default();
    match (mpi.target.family, &series[..]) {
        (Family::OpenMpi, [4, 1]) => open_mpi(mpi, ranks_per_host, "btl_vader_segment_size", PAGE_BYTES),
        (Family::OpenMpi, [5, 0]) => open_mpi(mpi, ranks_per_host, "btl_sm_segment_size", 0),
        // The device `ch4:ucx` of 4.0 has no shared memory of its own.
        (Family::Mpich, [4, 0]) if mpi.target.has_only_ucx() => ucx::shared_memory(mpi, ranks_per_host, 0),
        (Family::Mpich, [5, 0]) => mpich(mpi, ranks_per_host),
        _ => Err(format!("nothing was measured for {}", mpi.target.title)),
    }
}

fn open_mpi(mpi: &Mpi, ranks: u64, name: &str, more: u64) -> Result<SharedMemory, String> {
    let other = |value: Option<&str>, word: &str| value.is_some_and(|value| value != word && !value.is_empty());
    let variable = format!("OMPI_MCA_{name}");
    let size = number(mpi, Family::OpenMpi, name, &variable)?;
    let per_rank = size.next_multiple_of(PAGE_BYTES) + more;
    if mpi.value("OMPI_MCA_pml") == Some("ucx") {
        // Open MPI's own segment is made in spite of it, and is not used.
        return ucx::shared_memory(mpi, ranks, per_rank);
    }
    if other(mpi.value("OMPI_MCA_pml"), "ob1") {
        return Err("OMPI_MCA_pml selects something that may have other memory".to_owned());
    }
    let fast_box = format!("{}_fbox_size", name.trim_end_matches("_segment_size"));
    Ok(SharedMemory {
        what: "a segment of each rank, for messages within the host".to_owned(),
        bytes: ranks * per_rank,
        bytes_per_rank: per_rank,
        system_v_bytes: 0,
        resident_bytes_per_rank: None,
        connection_bytes: number(mpi, Family::OpenMpi, &fast_box, &format!("OMPI_MCA_{fast_box}")).ok(),
        lower: format!("{variable} to a smaller size; then fewer fragments are in flight"),
        variables: vec![(variable, size)],
    })
}

fn mpich(mpi: &Mpi, ranks: u64) -> Result<SharedMemory, String> {
    if mpi.target.has_only_ucx() {
        return Err(
            "UCX is responsible for messages within hosts; its memory was not measured with this MPICH".to_owned()
        );
    }
    let [cells_name, size_name] =
        ["MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS", "MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE"];
    let cells = number(mpi, Family::Mpich, cells_name, cells_name)?;
    let size = number(mpi, Family::Mpich, size_name, size_name)?;
    // Two queues.
    let per_rank = 2 * cells * (size + CELL_HEADER_BYTES);
    Ok(SharedMemory {
        what: "cells of each rank, for messages within the host".to_owned(),
        bytes: ranks * per_rank + SEGMENT_PAGES * PAGE_BYTES,
        bytes_per_rank: per_rank,
        system_v_bytes: 0,
        resident_bytes_per_rank: None,
        connection_bytes: None,
        lower: format!("{cells_name} to a smaller number; then senders wait earlier for receivers"),
        variables: vec![(cells_name.to_owned(), cells), (size_name.to_owned(), size)],
    })
}

/// The value of a variable: as it is set, or the default of the table.
fn number(mpi: &Mpi, family: Family, name: &str, variable: &str) -> Result<u64, String> {
    let default = table::entry(family, name).map(|entry| entry.default.as_str());
    let text = mpi.value(variable).or(default).unwrap_or_default();
    text.parse().map_err(|_| format!("{variable}={text} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn mpi(text: &str, device: Option<&str>, settings: &[(&str, &str)]) -> Mpi {
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Mpi { target: Target::of_text(text, device).unwrap(), settings, is_threaded: None }
    }

    /// As measured, KiB.
    #[test]
    fn estimates_are_what_was_measured() {
        let kib = |mpi: &Mpi, ranks| shared_memory(mpi, ranks).unwrap().bytes / 1024;
        let old = "Open MPI v4.1.4";
        assert_eq!(kib(&mpi(old, None, &[]), 4), 4 * 4100);
        assert_eq!(kib(&mpi(old, None, &[("OMPI_MCA_btl_vader_segment_size", "8388608")]), 2), 2 * 8196);
        assert_eq!(kib(&mpi("Open MPI v5.0.11", None, &[]), 4), 4 * 16384);
        let new = |settings: &[(&str, &str)]| mpi("MPICH Version: 5.0.2", Some("ch4:ucx ofi"), settings);
        assert_eq!([2, 3, 4].map(|ranks| kib(&new(&[]), ranks)), [2072, 3104, 4136]);
        assert_eq!(kib(&new(&[("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_NUM_CELLS", "128")]), 2), 4136);
        assert_eq!(kib(&new(&[("MPIR_CVAR_CH4_SHM_POSIX_IQUEUE_CELL_SIZE", "16384")]), 2), 4120);
    }

    /// UCX beside Open MPI's own segment.
    #[test]
    fn ucx_below_open_mpi_comes_in_addition() {
        let found = shared_memory(&mpi("Open MPI v4.1.4", None, &[("OMPI_MCA_pml", "ucx")]), 4).unwrap();
        assert_eq!((found.bytes / 1024, found.system_v_bytes / 1024), (4 * (4100 + 4208), 4 * 4208));
        let own = shared_memory(&mpi("Open MPI v4.1.4", None, &[]), 4).unwrap();
        assert_eq!((own.connection_bytes, own.resident_bytes_per_rank), (Some(4096), None));
    }

    #[test]
    fn what_was_not_measured_is_not_known() {
        for (text, device) in [
            ("MPICH Version: 4.0.2", Some("ch4:ofi")),
            ("MPICH Version: 5.0.2", Some("ch4:ucx")),
            ("Open MPI v4.0.1", None),
            ("Intel(R) MPI Library 2021.10", None),
        ] {
            assert!(shared_memory(&mpi(text, device, &[]), 4).is_err(), "{text}");
        }
        let other = [("OMPI_MCA_pml", "cm")];
        assert!(shared_memory(&mpi("Open MPI v4.1.4", None, &other), 4).is_err());
    }
}
