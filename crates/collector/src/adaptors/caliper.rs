//! Caliper's C interface, in dynamically linked programs: its functions are interposed, recorded and forwarded. Regions of its
//! C++ classes are not recorded.

use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};

use mpiscope_trace::annotation::source::CALIPER;

use crate::annotate::{self, Name};
use crate::elf;

/// Caliper's own function; 0 when nothing in the process has it.
fn real(known: &AtomicUsize, name: &str) -> usize {
    match known.load(Ordering::Relaxed) {
        0 => {
            let own = crate::mpi::own_range();
            let found = elf::objects().iter().filter(|o| o.range != own).find_map(|o| o.defines(name)).unwrap_or(0);
            known.store(found, Ordering::Relaxed);
            found
        }
        found => found,
    }
}

/// Functions of one name: what is done here, then Caliper's.
macro_rules! interposed {
    ($($function:ident => $note:path;)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $function(name: *const c_char) -> c_int {
            static REAL: AtomicUsize = AtomicUsize::new(0);
            // SAFETY: Caliper's interface: a C string.
            if let Some(name) = unsafe { Name::of(name) } {
                $note(name);
            }
            match real(&REAL, stringify!($function)) {
                0 => 0,
                // SAFETY: Caliper's function of this name; those that return nothing are not looked at.
                address => unsafe { std::mem::transmute::<usize, extern "C" fn(*const c_char) -> c_int>(address)(name) },
            }
        }
    )*};
}

fn begin(name: Name<'_>) {
    annotate::begin(CALIPER, name, 0);
}

fn end(name: Name<'_>) {
    annotate::end(Some(name));
}

interposed! {
    cali_begin_region => begin;
    cali_end_region => end;
    cali_begin_phase => begin;
    cali_end_phase => end;
    cali_begin_comm_region => begin;
    cali_end_comm_region => end;
}
