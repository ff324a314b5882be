//! The address of a buffer, from the argument of a call, and the memory there.

use std::sync::OnceLock;

use mpiscope_abi::{Param, id};

use super::super::CallContext;
use super::super::view::{Slot, View};

/// The address in an argument.
pub struct At {
    /// Displacements count from here; 0 for `MPI_BOTTOM`.
    pub base: u64,
    index: u8,
    descriptor: bool,
}

/// `None` for `MPI_IN_PLACE`, and for sections of Fortran arrays with gaps.
pub fn locate(view: &View<'_>, param: &Param) -> Option<At> {
    let word = view.word(param)?;
    let buffer = view.buffer(param);
    if buffer.in_place {
        return None;
    }
    if !view.plan.fortran {
        return Some(At { base: word, index: param.c, descriptor: false });
    }
    let descriptor = view.plan.descriptors;
    if descriptor && !has_no_gaps(word) {
        return None;
    }
    let bottom = view.nulls.fortran_bottom.contains(&buffer.address);
    Some(At { base: if bottom { 0 } else { buffer.address }, index: param.f, descriptor })
}

/// How a compiler describes an array that it passes on. Unknown fields are ignored.
struct Shape {
    /// Bytes of the description in all.
    bytes: usize,
    /// Elements follow each other without gaps.
    contiguous: bool,
}

/// Three words of each dimension.
const DIMENSION: usize = 24;
/// Most dimensions of Fortran.
const MOST_DIMENSIONS: usize = 15;
/// Version of the descriptors of LLVM's Fortran, which are those of C.
const LLVM_VERSION: u32 = 2018_0515;

/// Whether the elements of the array that a descriptor stands for follow each other, as its address alone would say.
pub fn has_no_gaps(descriptor: u64) -> bool {
    descriptor != 0 && shape(descriptor).is_some_and(|s| s.contiguous)
}

fn shape(descriptor: u64) -> Option<Shape> {
    let word = |at: usize| {
        // SAFETY: the call reads the same; the parts are looked at in their order.
        unsafe { ((descriptor + at as u64) as *const i64).read_unaligned() }
    };
    let low = |at: usize| word(at) as u32;
    // Address, length of an element, version and rank; then lower bound, extent and distance in bytes.
    if low(16) == LLVM_VERSION {
        let rank = (word(16) >> 32 & 0xff) as usize;
        let mut step = word(8);
        let contiguous = (0..rank.min(MOST_DIMENSIONS)).all(|d| {
            let (extent, distance) = (word(24 + d * DIMENSION + 8), word(24 + d * DIMENSION + 16));
            let fits = distance == step || extent == 1;
            step = step.saturating_mul(extent);
            fits
        });
        return (rank <= MOST_DIMENSIONS).then_some(Shape { bytes: 24 + rank * DIMENSION, contiguous });
    }
    // Of GNU's: address, offset, length of an element, version (0) and rank, distance of elements in bytes; then
    // distance in elements, lower and upper bound.
    let (length, rank) = (word(16), (word(24) >> 32 & 0xff) as usize);
    if low(24) != 0 || rank > MOST_DIMENSIONS || !(1..1 << 40).contains(&length) {
        return None;
    }
    let mut step = 1i64;
    let mut contiguous = rank == 0 || word(32) == length;
    for d in 0..rank {
        let at = 40 + d * DIMENSION;
        let (distance, extent) = (word(at), word(at + 16).saturating_sub(word(at + 8)).saturating_add(1));
        contiguous &= distance == step || extent == 1;
        step = step.saturating_mul(extent);
    }
    Some(Shape { bytes: 40 + rank * DIMENSION, contiguous })
}

/// The MPI gets another address. The program's argument is put back when it returns.
pub fn replace(s: &mut CallContext<'_>, at: &At, address: u64) {
    // SAFETY: an argument of this call; a descriptor is only read during the call.
    unsafe {
        let word = match at.descriptor {
            false => address,
            true => {
                let old = s.view.args.get(at.index);
                let Some(shape) = shape(old) else { return };
                let ours = &mut s.open.buffers.descriptor;
                *ours = std::slice::from_raw_parts(old as *const u64, shape.bytes / 8).to_vec();
                ours[0] = address;
                ours.as_ptr() as u64
            }
        };
        s.open.replaced.replace(s.view.args, at.index, word);
    }
}

/// Whether all of a stretch is mapped now.
pub fn is_mapped(begin: u64, end: u64) -> bool {
    static PAGE: OnceLock<u64> = OnceLock::new();
    // SAFETY: no arguments that matter.
    let page = *PAGE.get_or_init(|| (unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).max(4096) as u64);
    let first = begin / page * page;
    // Writes nothing, and returns whether everything is mapped, by mappings and not by pages.
    // SAFETY: changes nothing.
    unsafe { libc::msync(first as *mut libc::c_void, (end - first) as usize, libc::MS_ASYNC) == 0 }
}

/// Memory that other processes may write from now on, or no more.
pub fn windows(s: &mut CallContext<'_>) {
    let plan = s.view.plan;
    let (window, base) = match plan.base {
        id::Win_create => (s.view.param(Slot::NewHandle), plan.named("base")),
        id::Win_allocate | id::Win_allocate_shared => (s.view.param(Slot::NewHandle), plan.named("baseptr")),
        id::Win_attach => (s.view.param(Slot::Window), plan.named("base")),
        id::Win_free => {
            let gone = s.open.window;
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
    let size = plan.named("size").map_or(0, |p| s.view.int(p)).max(0) as u64;
    let Some(param) = base else { return };
    let Some(word) = s.view.word(param).filter(|&w| w != 0) else { return };
    let begin = match plan.base {
        // SAFETY: the MPI has just written it.
        id::Win_allocate | id::Win_allocate_shared => unsafe { (word as *const u64).read_unaligned() },
        _ => locate(&s.view, param).map_or(0, |at| at.base),
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
        // Extents, and distances in elements of 8 bytes.
        for (dims, wanted) in [
            (vec![], true),
            (vec![(10, 1)], true),
            (vec![(10, 2)], false),
            (vec![(1, 50)], true),
            (vec![(3, 1), (4, 3)], true),
            (vec![(3, 1), (4, 10)], false),
        ] {
            let rank = (dims.len() as u64) << 32;
            let mut llvm = vec![0x1000, 8, rank | u64::from(LLVM_VERSION)];
            let mut gnu = vec![0x1000, 77, 8, rank, 8];
            for &(extent, distance) in &dims {
                llvm.extend([0, extent, 8 * distance]);
                gnu.extend([distance, 5, 5 + extent - 1]);
            }
            for words in [llvm, gnu] {
                let shape = shape(words.as_ptr() as u64).unwrap();
                assert_eq!((shape.contiguous, shape.bytes), (wanted, words.len() * 8), "{dims:?}");
            }
        }
        // A component of an array of structures.
        let part = [0x1000u64, 0, 4, 1 << 32, 16, 1, 1, 9];
        assert!(!shape(part.as_ptr() as u64).unwrap().contiguous);
        let other = [0x1000u64, 4, 1 << 50, 99 << 32 | 5, 0];
        assert!(shape(other.as_ptr() as u64).is_none());
    }

    #[test]
    fn mapped() {
        let here = [0u8; 100];
        let at = here.as_ptr() as u64;
        assert!(is_mapped(at, at + 100) && !is_mapped(8, 100) && !is_mapped(at, at + (1 << 46)));
    }
}
