//! Assertions in info objects: operations that the program excludes for a communicator (MPI-5.0 §7.4.4) or a window
//! (§12.2.1). An MPI library may rely on them, and some then lose messages.

use std::ffi::CStr;

use mpiscope_abi::id;
use mpiscope_abi::spec::class;
use mpiscope_trace::check::event::flag;
use mpiscope_trace::check::rule;

use super::CallContext;
use super::tracked::WordMap;
use super::view::Slot;
use crate::mpi::call;

/// No receive or probe names `MPI_ANY_SOURCE`.
const NO_ANY_SOURCE: u8 = 1;
/// None names `MPI_ANY_TAG`.
const NO_ANY_TAG: u8 = 2;
/// Messages are as long as their receives. The receiver cannot see the length sent: the judge compares them.
const EXACT_LENGTH: u8 = 4;

const OF_COMMUNICATORS: [(u8, &CStr); 3] = [
    (NO_ANY_SOURCE, c"mpi_assert_no_any_source"),
    (NO_ANY_TAG, c"mpi_assert_no_any_tag"),
    (EXACT_LENGTH, c"mpi_assert_exact_length"),
];

/// What the program asserts of its communicators.
#[derive(Default)]
pub struct Assertions(WordMap<u32, u8>);

impl Assertions {
    /// A communicator was freed.
    pub fn freed(&mut self, comm: u32) {
        self.0.remove(&comm);
    }
}

/// The value of a key of the call's info object.
pub fn value(s: &CallContext<'_>, key: &CStr) -> Option<String> {
    let info = s.view.plan.named("info").and_then(|p| s.view.handle(p))?;
    // Some MPI libraries end the program when called with an invalid handle.
    s.checker.objects.get(class::INFO, info).filter(|known| known.live > 0 && !known.predefined)?;
    // Longer ones are not relevant here.
    let (mut room, mut found) = ([0u8; 32], 0);
    let most = room.len() as i32 - 1;
    let has = call::Info_get(info as usize, key.as_ptr().cast(), most, room.as_mut_ptr(), &mut found) && found != 0;
    let text = CStr::from_bytes_until_nul(&room).ok()?;
    has.then(|| text.to_string_lossy().into_owned())
}

/// A communicator was made with an info object, or given one.
pub fn given(s: &mut CallContext<'_>) {
    let slot = if s.view.plan.base == id::Comm_set_info { Slot::Comm } else { Slot::NewHandle };
    let Some(handle) = s.view.param(slot).and_then(|p| s.view.handle(p)) else { return };
    let comm = s.view.process.comms.id(handle);
    if comm == 0 {
        return;
    }
    for (bit, key) in OF_COMMUNICATORS {
        let Some(value) = value(s, key) else { continue };
        let all = s.checker.assertions.0.entry(comm).or_default();
        *all = if value == "true" { *all | bit } else { *all & !bit };
        // Receives that were correct before may be wrong now, and have other events.
        s.checker.objects.changed();
    }
}

/// What receives of the call's communicator are marked with.
pub fn of_length(s: &CallContext<'_>) -> u16 {
    let promised = s.checker.assertions.0.get(&s.head_comm).copied().unwrap_or_default();
    if promised & EXACT_LENGTH != 0 { flag::EXACT } else { 0 }
}

/// A receive or probe names any source or any tag.
pub fn wild(s: &mut CallContext<'_>, any: [(bool, Slot); 2]) {
    let Some(&promised) = s.checker.assertions.0.get(&s.head_comm) else { return };
    for ((is_any, slot), (bit, key)) in any.into_iter().zip(OF_COMMUNICATORS) {
        if is_any && promised & bit != 0 {
            let what = if bit == NO_ANY_SOURCE { "MPI_ANY_SOURCE" } else { "MPI_ANY_TAG" };
            let text = format!("{} is true, but the call uses {what}", key.to_string_lossy());
            s.find(rule::PROMISE, s.view.param(slot), [0; 3], &text);
        }
    }
}
