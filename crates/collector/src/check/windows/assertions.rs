//! Assertions about a window, by arguments of calls and by its info object, and the values that an MPI library has for them.

use mpiscope_abi::{Family, id};
use mpiscope_trace::check::event::{Body, assertion, epoch};

use crate::check::{CallContext, info_assertions};

/// What the program asserts of a window for good.
#[derive(Default)]
pub struct Asserted {
    /// It is never locked.
    no_locks: bool,
    /// Further assertions, as in [`epoch::PROMISED`].
    promised: u64,
}

impl Asserted {
    /// The program asserts that the window is never locked.
    pub fn is_never_locked(&self) -> bool {
        self.no_locks
    }
}

/// The values of `MPI_LOCK_SHARED` and `MPI_LOCK_EXCLUSIVE`.
pub fn locks(family: Family) -> [i64; 2] {
    match family {
        Family::Mpich => [235, 234],
        Family::OpenMpi => [2, 1],
        Family::Standard => [302, 301],
    }
}

/// The program's assertion, as in events.
pub fn asserted(family: Family, value: i64) -> u64 {
    assertions(family).iter().filter(|(theirs, _)| value & theirs != 0).fold(0, |all, (_, ours)| all | ours)
}

/// An MPI library's assertions, and their form in events.
fn assertions(family: Family) -> [(i64, u64); 5] {
    use assertion::{NO_CHECK, NO_PRECEDE, NO_PUT, NO_STORE, NO_SUCCEED};
    match family {
        Family::Mpich => [(1024, NO_CHECK), (2048, NO_STORE), (4096, NO_PUT), (8192, NO_PRECEDE), (16384, NO_SUCCEED)],
        Family::OpenMpi => [(1, NO_CHECK), (2, NO_PRECEDE), (4, NO_PUT), (8, NO_STORE), (16, NO_SUCCEED)],
        Family::Standard => {
            [(1024, NO_CHECK), (2048, NO_PRECEDE), (4096, NO_PUT), (8192, NO_STORE), (16384, NO_SUCCEED)]
        }
    }
}

/// What is wrong with an assertion of a call.
pub fn invalid_assertion(family: Family, base: u32, value: i64) -> Option<&'static str> {
    use assertion::{NO_CHECK, NO_PRECEDE, NO_PUT, NO_STORE, NO_SUCCEED};
    let (allowed, text) = match base {
        id::Win_fence => (
            NO_STORE | NO_PUT | NO_PRECEDE | NO_SUCCEED,
            "0, or MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOPRECEDE and MPI_MODE_NOSUCCEED",
        ),
        id::Win_post => (NO_CHECK | NO_STORE | NO_PUT, "0, or MPI_MODE_NOCHECK, MPI_MODE_NOSTORE and MPI_MODE_NOPUT"),
        id::Win_start | id::Win_lock | id::Win_lock_all => (NO_CHECK, "0 or MPI_MODE_NOCHECK"),
        _ => return None,
    };
    let all = assertions(family).iter().fold(0, |all, (theirs, _)| all | theirs);
    (asserted(family, value) & !allowed != 0 || value & !all != 0).then_some(text)
}

/// `MPI_Win_set_info` has succeeded.
pub fn informed(s: &mut CallContext<'_>) {
    let id = s.window();
    informed_of(s, id);
}

/// The window was given an info object.
pub fn informed_of(s: &mut CallContext<'_>, id: u32) {
    let no_locks = info_assertions::value(s, c"no_locks");
    if let (Some(value), Some(w)) = (no_locks, s.checker.windows.get_mut(&id)) {
        w.asserted.no_locks = value == "true";
    }
    // The judge compares accumulates and windows of all processes.
    let keys = [
        (assertion::SAME_OP, c"accumulate_ops", "same_op"),
        (assertion::SAME_SIZE, c"same_size", "true"),
        (assertion::SAME_UNIT, c"same_disp_unit", "true"),
    ];
    let given = keys.map(|(bit, key, yes)| (bit, info_assertions::value(s, key).map(|value| value == yes)));
    let Some(w) = s.checker.windows.get_mut(&id) else { return };
    for (bit, is) in given {
        match is {
            Some(true) => w.asserted.promised |= bit,
            Some(false) => w.asserted.promised &= !bit,
            None => {}
        }
    }
    if given.iter().any(|(_, is)| is.is_some()) {
        let assertion = w.asserted.promised;
        s.emit(0, Body::Epoch { window: id, what: epoch::PROMISED, assertion, targets: Vec::new() });
    }
}
