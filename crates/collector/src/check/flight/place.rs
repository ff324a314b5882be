//! Where buffers lie, as the argument of a call says it, and what memory that is.

use std::sync::OnceLock;

use mpiscope_abi::{Param, id};

use super::super::Scene;
use super::super::view::{Slot, View};

/// The address in an argument.
pub struct At {
    /// Displacements count from here; 0 for `MPI_BOTTOM`.
    pub base: u64,
    index: u8,
    descriptor: bool,
}

/// `None` for `MPI_IN_PLACE`, and for sections of Fortran arrays with gaps.
pub fn of(view: &View<'_>, param: &Param) -> Option<At> {
    let word = view.word(param)?;
    let buffer = view.buffer(param);
    if buffer.in_place {
        return None;
    }
    if !view.plan.fortran {
        return Some(At { base: word, index: param.c, descriptor: false });
    }
    let descriptor = view.plan.descriptors;
    if descriptor && (word == 0 || !is_contiguous(word)) {
        return None;
    }
    let bottom = view.nulls.fortran_bottom.contains(&buffer.address);
    Some(At { base: if bottom { 0 } else { buffer.address }, index: param.f, descriptor })
}

/// Fields of a C descriptor (ISO_Fortran_binding.h): address, length of an element, version, then the rank.
const RANK_AT: u64 = 20;
const HEAD: usize = 24;
/// Lower bound, extent and distance of a dimension.
const DIMENSION: usize = 24;

fn rank(descriptor: u64) -> usize {
    // SAFETY: the call reads the same.
    usize::from(unsafe { *((descriptor + RANK_AT) as *const u8) }).min(15)
}

/// Whether its elements follow each other without gaps.
fn is_contiguous(descriptor: u64) -> bool {
    let word = |at: usize| {
        // SAFETY: as above; a descriptor has as many dimensions as its rank says.
        unsafe { ((descriptor + at as u64) as *const i64).read_unaligned() }
    };
    let mut step = word(8);
    (0..rank(descriptor)).all(|d| {
        let (extent, distance) = (word(HEAD + d * DIMENSION + 8), word(HEAD + d * DIMENSION + 16));
        let fits = distance == step || extent == 1;
        step = step.saturating_mul(extent);
        fits
    })
}

/// The MPI gets another address. The program's argument is put back when it returns.
pub fn replace(s: &mut Scene<'_>, at: &At, address: u64) {
    // SAFETY: an argument of this call, which is put back; a descriptor is only read during the call.
    unsafe {
        let old = s.view.args.get(at.index);
        s.open.replaced.push((at.index, old));
        if !at.descriptor {
            return s.view.args.set(at.index, address);
        }
        let words = (HEAD + rank(old) * DIMENSION) / 8;
        s.open.descriptor = std::slice::from_raw_parts(old as *const u64, words).to_vec();
        s.open.descriptor[0] = address;
        s.view.args.set(at.index, s.open.descriptor.as_ptr() as u64);
    }
}

/// Whether all of a stretch is mapped now.
pub fn is_mapped(begin: u64, end: u64) -> bool {
    static PAGE: OnceLock<u64> = OnceLock::new();
    // SAFETY: no arguments that matter.
    let page = *PAGE.get_or_init(|| (unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).max(4096) as u64);
    let first = begin / page * page;
    // Asks for nothing to be written, and says whether everything is there, by mappings and not by pages.
    // SAFETY: changes nothing.
    unsafe { libc::msync(first as *mut libc::c_void, (end - first) as usize, libc::MS_ASYNC) == 0 }
}

/// Memory that other processes may write from now on, or no more.
pub fn windows(s: &mut Scene<'_>) {
    let plan = s.view.plan;
    let named = |name: &str| plan.params.iter().find(|p| mpiscope_abi::param_name(p) == name);
    let (window, base) = match plan.base {
        id::Win_create => (s.view.param(Slot::NewHandle), named("base")),
        id::Win_allocate | id::Win_allocate_shared => (s.view.param(Slot::NewHandle), named("baseptr")),
        id::Win_attach => (s.view.param(Slot::Window), named("base")),
        id::Win_free => {
            let gone = s.open.freed_window;
            let flights = &mut s.checker.flights;
            for (begin, id) in flights.exposures.remove(&gone).unwrap_or_default() {
                flights.exposed.remove(begin, id);
            }
            return;
        }
        _ => return,
    };
    let handle = window.and_then(|p| s.view.handle(p));
    let id = handle.map_or(0, |h| s.view.process.windows.id(h));
    let size = named("size").map_or(0, |p| s.view.int(p)).max(0) as u64;
    let Some(param) = base else { return };
    let Some(word) = s.view.word(param).filter(|&w| w != 0) else { return };
    let begin = match plan.base {
        // SAFETY: the MPI has just written it.
        id::Win_allocate | id::Win_allocate_shared => unsafe { (word as *const u64).read_unaligned() },
        _ => of(&s.view, param).map_or(0, |at| at.base),
    };
    if id == 0 || size == 0 || begin == 0 {
        return;
    }
    let flights = &mut s.checker.flights;
    flights.exposures_made += 1;
    let number = flights.exposures_made;
    flights.exposed.insert(begin, begin.saturating_add(size), number);
    flights.exposures.entry(id).or_default().push((begin, number));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_with_gaps() {
        let descriptor = |rank: u64, dims: &[(i64, i64)]| {
            let mut words = vec![0x1000, 8, rank << 32];
            dims.iter().for_each(|&(extent, distance)| words.extend([0, extent as u64, distance as u64]));
            words
        };
        for (rank, dims, wanted) in [
            (0, vec![], true),
            (1, vec![(10, 8)], true),
            (1, vec![(10, 16)], false),
            (1, vec![(1, 400)], true),
            (2, vec![(3, 8), (4, 24)], true),
            (2, vec![(3, 8), (4, 80)], false),
            (2, vec![(3, 8), (-1, 24)], true),
        ] {
            let words = descriptor(rank, &dims);
            assert_eq!(is_contiguous(words.as_ptr() as u64), wanted, "{dims:?}");
        }
    }

    #[test]
    fn mapped() {
        let here = [0u8; 100];
        let at = here.as_ptr() as u64;
        assert!(is_mapped(at, at + 100) && !is_mapped(8, 100) && !is_mapped(at, at + (1 << 46)));
    }
}
