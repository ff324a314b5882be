//! Merges redirected data in calls that are not checked: inside other calls (callbacks), and after an internal error has ended
//! the checks. Without this, a message would never reach its buffer, and the program would change.

use mpiscope_abi::id;
use mpiscope_abi::role::{Pattern, Role};

use super::super::completion::{self, Done, Named};
use super::super::handles::Families;
use super::super::view::{CheckPlan, View};
use super::super::{CallContext, FAMILIES, Local, PendingCall, lock};
use super::{End, Ends, any, ended, ends_of, land};
use crate::mpi::call;
use crate::process::Process;
use crate::trampoline::Args;

/// Such a call.
pub struct Inner {
    depth: usize,
    plan: &'static CheckPlan,
    named: Vec<Named>,
    ends: Option<Ends>,
}

/// Whether the MPI library reports a request as complete; the request is kept.
pub fn is_complete(handle: u64) -> bool {
    outcome(handle).is_some()
}

/// The status of a complete request, which the test keeps.
pub fn outcome(handle: u64) -> Option<[u64; 16]> {
    let (mut flag, mut status) = (0, [0u64; 16]);
    let asked = call::Request_get_status(handle as usize, &mut flag, status.as_mut_ptr().cast());
    (asked && flag != 0).then_some(status)
}

fn scene<T>(
    local: &mut Local,
    process: &'static Process,
    plan: &'static CheckPlan,
    args: Args,
    look: impl FnOnce(&mut CallContext<'_>) -> T,
) -> T {
    let families = FAMILIES.get_or_init(|| Families::from_mpi(process.mpi));
    let mut checker = lock();
    let mut open = PendingCall::default();
    let view = View { process, plan, args, nulls: families };
    let Local { writer, thread, .. } = local;
    let mut s = CallContext {
        view,
        checker: &mut checker,
        writer,
        open: &mut open,
        site: 0,
        head_comm: 0,
        thread: *thread,
        cut: false,
    };
    look(&mut s)
}

/// Before the call.
pub fn before(local: &mut Local, process: &'static Process, plan: &'static CheckPlan, depth: usize, args: Args) {
    let ends_accesses = matches!(plan.role, Role::Epoch(_) | Role::Collective(Pattern::Fence));
    if !any() || !(ends_accesses || plan.role == Role::Complete || plan.base == id::Win_free) {
        return;
    }
    // Calls that were left by a jump.
    local.inner.retain(|one| one.depth < depth);
    let (named, ends) = scene(local, process, plan, args, |s| {
        if plan.role == Role::Complete {
            completion::name(s);
            return (s.open.requests.take_named(), None);
        }
        (Vec::new(), ends_of(s))
    });
    local.inner.push(Inner { depth, plan, named, ends });
}

/// After the call.
pub fn after(local: &mut Local, process: &'static Process, depth: usize, args: Args, code: i32) {
    let Some(inner) = local.inner.pop_if(|one| one.depth == depth) else { return };
    scene(local, process, inner.plan, args, |s| {
        let mut ids = Vec::new();
        if code == 0 {
            if let Some(ends) = inner.ends {
                ids = ended(&mut s.checker.flights, ends);
            }
            s.open.requests.put_named(inner.named);
            let done: Vec<usize> = match completion::done(s) {
                Done::Nothing => Vec::new(),
                Done::All => (0..s.open.requests.named().len()).collect(),
                Done::These(list) => list.into_iter().map(|(which, _)| which).collect(),
            };
            for which in done {
                if let Some(&one) = s.open.requests.named().get(which) {
                    ids.extend(s.checker.requests.take_buffers(one.handle, one.kept_at));
                    s.checker.requests.completed(one.handle, one.kept_at);
                }
            }
        }
        for id in ids {
            if let Some(flight) = s.checker.flights.remove(id) {
                land(&mut s.checker.flights, flight, End::PLAIN);
            }
        }
    });
}

/// A completing call has failed: some of its requests may be complete nevertheless. The others stay in the table.
pub fn failed(s: &mut CallContext<'_>, one: Named) -> bool {
    let redirected = s.checker.requests.get(one.handle, one.kept_at).is_some_and(|r| r.buffers.is_redirected());
    if !redirected {
        return false;
    }
    let null = s.view.nulls.null(mpiscope_abi::spec::class::REQUEST);
    let gone = completion::kept(s, one) == Some(null);
    if !gone && !is_complete(one.handle) {
        return true;
    }
    for id in s.checker.requests.take_buffers(one.handle, one.kept_at) {
        if let Some(flight) = s.checker.flights.remove(id) {
            land(&mut s.checker.flights, flight, End::PLAIN);
        }
    }
    !gone
}
