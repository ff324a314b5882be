//! The MPI of the process, and its routines.

use std::sync::atomic::{AtomicPtr, Ordering};

use crate::generated::SYMBOLS;
use crate::mpi::Mpi;
use crate::symbol::Symbol;
use crate::{elf, symbol};

static MPI: AtomicPtr<Mpi> = AtomicPtr::new(std::ptr::null_mut());

/// The MPI of this process, once one is mapped.
pub fn mpi() -> Option<&'static Mpi> {
    // SAFETY: never freed.
    unsafe { MPI.load(Ordering::Acquire).as_ref() }
}

/// Looks for it in what is mapped.
pub fn find() -> Option<&'static Mpi> {
    let found = Box::leak(Box::new(Mpi::find()?));
    MPI.store(found, Ordering::Release);
    Some(found)
}

/// For the `nop` build: the real routine without anything else.
#[cfg(feature = "nop")]
pub fn find_real(index: usize) -> usize {
    if mpi().is_none() {
        find();
    }
    resolve(index)
}

/// The routine behind a symbol. 0 when nothing in the process has it.
pub fn resolve(index: usize) -> usize {
    let known = symbol::real(index);
    if known != 0 {
        return known;
    }
    let wanted: &Symbol = &SYMBOLS[index];
    let name = wanted.name();
    let found = mpi().and_then(|mpi| {
        let of_mpi = || match wanted.fortran {
            true => mpi.parts.iter().find_map(|o| o.defines(name)),
            false => mpi.library.defines(&format!("P{name}")).or_else(|| mpi.library.defines(name)),
        };
        mpi.behind.function(name, wanted.fortran).or_else(of_mpi)
    });
    // No MPI, or a library of stubs (serial builds): the next definition in the process.
    let found = found.or_else(|| {
        let own = crate::mpi::own_range();
        elf::objects().iter().filter(|o| o.range != own).find_map(|o| o.defines(name))
    });
    let Some(address) = found else { return 0 };
    symbol::STATES[index].real.store(address, Ordering::Relaxed);
    address
}
