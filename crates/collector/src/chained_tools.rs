//! Other tools after this library: libraries between it and the MPI that also define `MPI_X`.
//!
//! Without this library, the dynamic loader would bind the program's calls to the first of them, so calls are forwarded to it
//! instead of the MPI's `PMPI_X`; each forwards them in turn. Only libraries loaded before the program started are considered:
//! preloaded and linked ones have a fixed order, in which the loader searches. Libraries opened later are visible only to the
//! code that opened them.
//!
//! `dlsym(RTLD_NEXT)` would return the same, but it changes the result of the program's `dlerror`.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::elf::Object;

/// Objects that were mapped when this library was initialised, in search order.
static AT_LOAD: AtomicUsize = AtomicUsize::new(0);

/// Most tools that are remembered; further ones are ignored.
const MOST: usize = 8;
/// First and last address of each library to which calls were forwarded.
static TOOLS: [[AtomicUsize; 2]; MOST] = [const { [const { AtomicUsize::new(0) }; 2] }; MOST];

/// Records how many shared objects are loaded before the program starts.
pub fn at_load(objects: &[Object]) {
    AT_LOAD.store(objects.len(), Ordering::Relaxed);
}

/// The objects after this library in the search order.
pub struct Behind {
    objects: Vec<Object>,
    /// Number of them before the MPI.
    before_mpi: usize,
}

impl Behind {
    /// `own` is the address range of this library; `is_mpi` decides which objects are an MPI.
    pub fn new(objects: &[Object], own: (usize, usize), is_mpi: impl Fn(&Object) -> bool) -> Behind {
        let from = objects.iter().position(|o| o.range == own).map_or(objects.len(), |at| at + 1);
        let until = AT_LOAD.load(Ordering::Relaxed).clamp(from, objects.len());
        let objects = objects[from..until].to_vec();
        let before_mpi = objects.iter().position(is_mpi).unwrap_or(objects.len());
        Behind { objects, before_mpi }
    }

    /// The next definition of `name`, unless it is the MPI's. The MPI's Fortran routines may be in libraries before or after its
    /// core.
    pub fn function(&self, name: &str, fortran: bool) -> Option<usize> {
        let searched = if fortran { &self.objects[..] } else { &self.objects[..self.before_mpi] };
        let object = searched.iter().find(|o| o.defines_function(name))?;
        note(object.range);
        object.defines(name)
    }
}

fn note((first, end): (usize, usize)) {
    for [known, last] in &TOOLS {
        match known.compare_exchange(0, first, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return last.store(end, Ordering::Release),
            Err(other) if other == first => return,
            Err(_) => {}
        }
    }
}

/// Whether a call comes from a library to which calls are forwarded: such a call is the tool's own.
#[cold]
pub fn is_tool(caller: usize) -> bool {
    TOOLS.iter().any(|[first, end]| (first.load(Ordering::Relaxed)..end.load(Ordering::Acquire)).contains(&caller))
}
