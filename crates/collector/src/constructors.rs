//! The arguments of datatype and window constructors, recorded from their calls, so that no MPI function is needed. (Querying the
//! contents of a datatype from a large-count constructor crashes some programs.)

use mpiscope_abi::id;
use mpiscope_trace::defs::Layout;

use crate::call_plan::{CallPlan, LARGE};
use crate::objects;
use crate::trampoline::Args;

/// The arguments of one call, by their number, which is the same in C and Fortran.
struct Given<'a> {
    plan: &'a CallPlan,
    args: Args,
}

impl Given<'_> {
    fn address(&self, index: u8) -> u64 {
        // SAFETY: `layout` and `window` promise that the call has it.
        unsafe { self.args.get(index) }
    }
    /// An `int` (`INTEGER`), or an `MPI_Count` of a large-count function.
    fn count(&self, index: u8) -> i64 {
        if self.plan.function & LARGE != 0 { self.wide(index) } else { self.narrow(index) }
    }
    fn narrow(&self, index: u8) -> i64 {
        let word = self.address(index);
        match self.plan.fortran {
            false => (word as i32).into(),
            true if word == 0 => 0,
            // SAFETY: Fortran passes addresses of integers, which need not be aligned for more.
            true => unsafe { (word as *const i32).read_unaligned().into() },
        }
    }
    /// An `MPI_Aint` or `MPI_Count`.
    fn wide(&self, index: u8) -> i64 {
        let word = self.address(index);
        match self.plan.fortran {
            false => word as i64,
            true if word == 0 => 0,
            // SAFETY: as above.
            true => unsafe { (word as *const i64).read_unaligned() },
        }
    }
}

/// What the constructor of a datatype was given; the bounds are left to those who may ask for them.
///
/// # Safety
/// `args` are the arguments of a call by `plan`, which has succeeded; `parent` is the id of the old datatype.
pub unsafe fn layout(plan: &CallPlan, parent: u32, args: Args) -> Layout {
    let given = Given { plan, args };
    let count = |index| u64::try_from(given.count(index)).unwrap_or(0);
    let mut layout = Layout { parent, ..Layout::default() };
    match plan.function & !LARGE {
        id::Type_contiguous => (layout.count, layout.block_length) = (1, count(0)),
        id::Type_vector => {
            (layout.count, layout.block_length) = (count(0), count(1));
            layout.stride_bytes = given.count(2).wrapping_mul(objects::type_extent(parent));
        }
        id::Type_create_hvector => {
            (layout.count, layout.block_length, layout.stride_bytes) = (count(0), count(1), given.wide(2));
        }
        id::Type_create_indexed_block | id::Type_create_hindexed_block => {
            (layout.count, layout.block_length) = (count(0), count(1));
        }
        id::Type_indexed | id::Type_create_hindexed | id::Type_create_struct => layout.count = count(0),
        _ => {}
    }
    layout
}

/// Bytes of this process's part of a window, and its displacement unit: 0 for a dynamic window.
///
/// # Safety
/// `args` are the arguments of a call by `plan`, which has succeeded.
pub unsafe fn window(plan: &CallPlan, args: Args) -> (u64, i64) {
    let given = Given { plan, args };
    let (size, unit) = match plan.function & !LARGE {
        id::Win_create => (given.wide(1), given.count(2)),
        id::Win_allocate | id::Win_allocate_shared => (given.wide(0), given.count(1)),
        _ => (0, 0),
    };
    (u64::try_from(size).unwrap_or(0), unit)
}

/// Extent of a predefined datatype. That of pairs for `MPI_MAXLOC` is the size of a C structure.
pub fn predefined_extent(name: &str, size: u64) -> i64 {
    match name {
        "MPI_SHORT_INT" => 8,
        "MPI_DOUBLE_INT" | "MPI_LONG_INT" => 16,
        "MPI_LONG_DOUBLE_INT" => 32,
        _ => size as i64,
    }
}
