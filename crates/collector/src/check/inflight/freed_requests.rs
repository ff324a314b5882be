//! Operations whose request the program frees while they are active.
//!
//! Only later actions of other processes show that such a send is complete: until the next call that may show it, its buffer does
//! not belong to the program. The completion of a freed receive would never be seen, and its message would stay in the shadow. So
//! the MPI library frees another request in its place, and the program's request is tested in later calls until it is complete.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use mpiscope_abi::id;
use mpiscope_abi::role::Role;
use mpiscope_abi::spec::{class, param_flag};
use mpiscope_trace::check::rule;

use super::super::lent_buffers::{self, Lent};
use super::super::{CallContext, lock};
use super::landing::{detect_change, named};
use super::{Buffers, End, Flight, Id, Planned, complete, land};
use crate::mpi::call;
use crate::process::Process;

/// A request that was kept.
struct FreedRequest {
    handle: usize,
    ids: Vec<Id>,
    planned: Option<Arc<Vec<Planned>>>,
}

/// A send whose request was freed.
pub struct LetGo {
    flight: Flight,
    memory: Lent,
    /// Function and call site.
    freed: (u16, u32),
}

/// The request that a pending call frees.
#[derive(Default)]
pub struct Freeing {
    /// The request that the MPI frees in its place, …
    stand_in: Option<Box<u64>>,
    /// … and the address of the program's variable; 0 if nothing is replaced.
    at: u64,
}

impl Freeing {
    /// Prepares for the next call.
    #[inline]
    pub fn clear(&mut self) {
        (self.stand_in, self.at) = (None, 0);
    }
}

/// Most sends of freed requests that are remembered.
const MOST_LET_GO: usize = 1024;

static ANY: AtomicBool = AtomicBool::new(false);
static KEPT: Mutex<Vec<FreedRequest>> = Mutex::new(Vec::new());

/// Before `MPI_Request_free`.
pub fn before_free(s: &mut CallContext<'_>) {
    let Some(one) = s.open.requests.single() else { return };
    let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at).filter(|r| r.active) else { return };
    let redirected = request.buffers.is_redirected();
    if !redirected {
        let may_be_over = !request.sends || request.cancelled;
        let ids = std::mem::take(&mut request.buffers.active);
        // From now on only other messages show when its buffers may be written.
        return if may_be_over { complete(s, &ids, End::PLAIN) } else { let_go(s, &ids) };
    }
    // The program may find out in other ways that it is complete.
    for id in request.buffers.active.clone() {
        s.checker.flights.let_be(id);
    }
    let Some(stand_in) = stand_in(s.view.process) else { return };
    let Some(param) = s.view.param(super::Slot::Request).filter(|p| p.is(param_flag::IN)) else { return };
    let index = if s.view.plan.fortran { param.f } else { param.c };
    let shown = match (s.view.plan.fortran, s.view.process.int_handles) {
        (false, _) | (_, true) => stand_in as u64,
        (true, false) => match to_fortran(stand_in) {
            Some(number) => u64::from(number as u32),
            None => return,
        },
    };
    let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) else { return };
    let Buffers { planned, active, .. } = std::mem::take(&mut request.buffers);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.push(FreedRequest { handle: one.handle as usize, ids: active, planned });
    ANY.store(true, Ordering::Release);
    let freeing = &mut s.open.buffers.freeing;
    freeing.at = one.kept_at;
    let stand_in = freeing.stand_in.insert(Box::new(shown));
    let shown_at = (&raw const **stand_in) as u64;
    // SAFETY: an argument of this call, and memory that stays until the next one.
    unsafe { s.open.replaced.replace(s.view.args, index, shown_at) };
}

/// Sends whose request is freed: their buffers must not be written until something shows that they are complete.
fn let_go(s: &mut CallContext<'_>, ids: &[Id]) {
    for &id in ids {
        let flights = &mut s.checker.flights;
        let is_whole = flights.get(id).is_some_and(|f| detect_change(f).is_none());
        if !is_whole || flights.let_go.len() >= MOST_LET_GO {
            complete(s, &[id], End::PLAIN);
            continue;
        }
        let flight = flights.remove(id).filter(|f| f.print.is_some() && f.touches.is_empty());
        let Some(flight) = flight else { continue };
        let (begin, end) = flight.ends();
        let freed = (s.view.plan.function as u16, s.site);
        let memory = Lent::of(s, begin, end - begin);
        s.checker.flights.let_go.push(LetGo { flight, memory, freed });
    }
}

/// Whether the process may have received data from others when the call has returned.
fn learns(s: &CallContext<'_>) -> bool {
    let plan = s.view.plan;
    let stays = matches!(plan.role, Role::Local | Role::Start | Role::Partition | Role::Access);
    plan.base == id::Finalize || !(stays || plan.makes_request)
}

/// Before a call that may show that they are complete: the buffers of sends whose requests were freed must still exist and be
/// unchanged.
pub fn written_since(s: &mut CallContext<'_>) {
    if s.checker.flights.let_go.is_empty() {
        return;
    }
    let (learns, height) = (learns(s), lent_buffers::height(s));
    for one in std::mem::take(&mut s.checker.flights.let_go) {
        let LetGo { flight, memory, freed } = &one;
        let whole = [flight.layout.payload as i64, flight.layout.span.0, 0];
        if let Some(why) = memory.gone(&mut s.checker.memory, height) {
            s.find_at(rule::FREED_WRITTEN, *freed, whole, &named(flight, why), flight.site);
        } else if !learns {
            s.checker.flights.let_go.push(one);
        } else if let Some((values, text)) = detect_change(flight) {
            s.find_from(rule::FREED_WRITTEN, None, values, &named(flight, text), flight.site);
        }
    }
}

/// Restores the program's variable to its value without mpiscope.
pub fn restore(s: &CallContext<'_>, code: i32) {
    let at = s.open.buffers.freeing.at;
    if at == 0 || code != 0 {
        return;
    }
    let null = s.view.nulls.null(class::REQUEST);
    // SAFETY: the program's variable, which the call would have written.
    unsafe {
        if s.view.process.int_handles {
            (at as *mut u32).write_unaligned(null as u32);
        } else if s.view.plan.fortran {
            // What the MPI has left in the variable that it was given.
            let left = s.open.buffers.freeing.stand_in.as_ref().map_or(0, |word| **word);
            (at as *mut u32).write_unaligned(left as u32);
        } else {
            (at as *mut u64).write_unaligned(null);
        }
    }
}

/// An inactive request that may be freed.
fn stand_in(process: &Process) -> Option<usize> {
    let c = &process.mpi.constants;
    let byte = mpiscope_abi::predefined::DATATYPES.iter().find(|p| p.name == "MPI_BYTE")?;
    let byte = super::super::predefined_handle(process, byte) as usize;
    let mut request = 0;
    let nothing = std::ptr::null_mut();
    call::Send_init(nothing, 0, byte, c.proc_null, 0, c.comm_self, &mut request).then_some(request)
}

fn to_fortran(request: usize) -> Option<i32> {
    let mpi = crate::process::mpi()?;
    let address = ["_toint", "_c2f"].iter().find_map(|end| mpi.function(&format!("PMPI_Request{end}")))?;
    // SAFETY: MPI_Fint MPI_Request_c2f(MPI_Request).
    let convert: unsafe extern "C" fn(usize) -> i32 = unsafe { std::mem::transmute(address) };
    Some(unsafe { convert(request) })
}

/// Tests whether kept requests are complete. Not under the lock of the checker, because the MPI may call the program.
pub fn poll(process: &'static Process, last: bool) {
    if !ANY.load(Ordering::Acquire) {
        return;
    }
    let mut kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    kept.retain_mut(|one| {
        let mut status = [0u64; 16];
        let mut flag = 0;
        let at = status.as_mut_ptr().cast::<u8>();
        let persistent = one.planned.is_some();
        if !call::Test(&mut one.handle, &mut flag, at) {
            return false;
        }
        if flag == 0 && last {
            // MPI_Finalize completes it; the buffer cannot be checked afterwards.
            call::Request_free(&mut one.handle);
            return false;
        }
        if flag == 0 {
            return true;
        }
        if persistent {
            call::Request_free(&mut one.handle);
        }
        // SAFETY: a status that the MPI has filled.
        let cancelled = unsafe { process.status_bytes.is_cancelled(at) };
        let end = super::end_of(process, Some(at as u64), cancelled);
        let mut checker = lock();
        for id in std::mem::take(&mut one.ids) {
            if let Some(flight) = checker.flights.remove(id) {
                land(&mut checker.flights, flight, end);
            }
        }
        for block in one.planned.take().and_then(Arc::into_inner).into_iter().flatten().filter_map(|p| p.block) {
            checker.flights.pool.give_back(block);
        }
        false
    });
    let mut now = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    now.append(&mut kept);
    ANY.store(!now.is_empty(), Ordering::Release);
}
