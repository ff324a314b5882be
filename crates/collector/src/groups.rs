//! Groups in arguments of `MPI_Win_post` and `MPI_Win_start`: their processes are queried once, then cached by handle.
//!
//! Nothing is queried when a group is created: there are a dozen ways to create one, and most are freed without a call that needs
//! its processes. A call with a group proves it valid by succeeding, and only then the MPI is queried. Groups with the same
//! processes have one id, so a program that creates the same group for each epoch has one shape.
//!
//! A cached handle is dropped by `MPI_Group_free` and, in case that call was not intercepted, when another group gets the same
//! handle.

use std::collections::HashMap;

use mpiscope_trace::defs::{Definition, Run, runs};

use crate::call_plan;
use crate::mpi::{self, call};
use crate::objects;
use crate::process::Process;

/// Runs of ranks that are defined altogether: less than a tenth of the space for definitions.
const MOST_RUNS: usize = 1 << 16;
/// What asking may cost in all, as members × processes of the world: Open MPI 4 compares each with each. About a third of
/// a second, however many groups a program makes.
const MOST_COMPARED: u64 = 1 << 28;
/// What asking about a small group costs, in the same measure.
const LEAST_COMPARED: u64 = 256;

/// Under the process lock.
#[derive(Default)]
pub struct Groups {
    ids: HashMap<Vec<Run>, u32>,
    runs: usize,
    compared: u64,
    /// C handle → what Fortran calls the same, and back, where the two differ.
    twins: HashMap<u64, u64>,
}

/// The id of the group that a successful call has named; 0 when its processes are not known.
#[cold]
#[inline(never)]
pub fn id(process: &'static Process, handle: u64, fortran: bool) -> u32 {
    match process.groups.id(handle) {
        0 => ask(process, handle, fortran).unwrap_or(0),
        id => id,
    }
}

fn ask(process: &'static Process, handle: u64, fortran: bool) -> Option<u32> {
    let is_twin = fortran && !process.int_handles;
    let c = if is_twin { mpi::from_fortran("Group", handle as u32 as i32) as u64 } else { handle };
    let mut size = 0;
    if c == 0 || process.lock().groups.compared >= MOST_COMPARED || !call::Group_size(c as usize, &mut size) {
        return None;
    }
    // SAFETY: the mapped header.
    let world_size = unsafe { (*process.file.header).world_size };
    process.lock().groups.compared += (size as u64).saturating_mul(world_size.max(1) as u64).max(LEAST_COMPARED);
    let members = runs(&objects::world_ranks(process, c as usize)?);
    if is_twin {
        forget(process, c);
    }
    let mut objects = process.lock();
    let groups = &mut objects.groups;
    let known = groups.ids.get(&members).copied();
    if known.is_none() && groups.runs + members.len() > MOST_RUNS {
        return None;
    }
    let id = known.unwrap_or_else(|| {
        // The empty group takes an entry too.
        groups.runs += members.len().max(1);
        let id = groups.ids.len() as u32 + 1;
        groups.ids.insert(members.clone(), id);
        process.file.define(&Definition::Group { id, members });
        id
    });
    process.groups.set(c, id);
    if is_twin {
        process.groups.set(handle, id);
        groups.twins.extend([(c, handle), (handle, c)]);
    }
    Some(id)
}

/// The handle is freed, or stands for a new group.
#[cold]
#[inline(never)]
pub fn forget(process: &'static Process, handle: u64) {
    if process.groups.id(handle) == 0 {
        return;
    }
    // Only now: programs make and free groups all the time, and what is known by raw words is void after this.
    call_plan::next_epoch();
    let mut objects = process.lock();
    process.groups.set(handle, 0);
    if let Some(twin) = objects.groups.twins.remove(&handle) {
        objects.groups.twins.remove(&twin);
        process.groups.set(twin, 0);
    }
}
