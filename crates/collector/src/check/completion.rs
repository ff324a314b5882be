//! Calls that take requests: waits, tests, starts, cancels and frees.

use mpiscope_abi::role::Role;
use mpiscope_abi::spec::{class, param_flag};
use mpiscope_abi::{Family, Param, id};
use mpiscope_trace::check::event::{Body, flag, need};
use mpiscope_trace::check::rule;

use super::CallContext;
use super::events::set_op;
use super::handles::Strange;
use super::inflight;
use super::view::Slot;
use crate::decode;
use crate::process::Process;

/// A request that a call names.
#[derive(Clone, Copy)]
pub struct Named {
    /// The C handle.
    pub handle: u64,
    /// Where the program keeps it.
    pub kept_at: u64,
    /// The handle is invalid or unknown.
    pub nothing: bool,
}

/// The requests of a pending call.
#[derive(Default)]
pub struct PendingRequests {
    named: Vec<Named>,
    /// Buffer for numbers of operations, reused by later calls.
    ops_room: Vec<u64>,
    /// The call names requests that are not in the table.
    strangers: bool,
    /// Requests that the call starts: handle, and address at which the program keeps it.
    started: Vec<(u64, u64)>,
    /// The call has completed operations.
    completes: bool,
    /// The operations that a test polls.
    asked: Option<(u64, Vec<u64>)>,
    /// Partitions that the call marks.
    ready: Vec<(u64, u64)>,
}

impl PendingRequests {
    /// Prepares for the next call.
    #[inline]
    pub fn clear(&mut self) {
        self.named.clear();
        self.ops_room.clear();
        self.started.clear();
        self.ready.clear();
        (self.strangers, self.completes, self.asked) = (false, false, None);
    }

    /// The requests that the call names.
    pub fn named(&self) -> &[Named] {
        &self.named
    }

    /// The only request that the call names, if it is valid and in the table.
    pub fn single(&self) -> Option<Named> {
        self.named.first().copied().filter(|one| !one.nothing)
    }

    /// Takes the named requests, to be returned after use.
    pub fn take_named(&mut self) -> Vec<Named> {
        std::mem::take(&mut self.named)
    }

    /// Returns what [`PendingRequests::take_named`] has taken.
    pub fn put_named(&mut self, named: Vec<Named>) {
        self.named = named;
    }

    /// Requests that the call starts: handle, and address at which the program keeps it.
    pub fn started(&self) -> &[(u64, u64)] {
        &self.started
    }

    /// Partitions that the call marks.
    pub fn take_ready(&mut self) -> Vec<(u64, u64)> {
        std::mem::take(&mut self.ready)
    }

    /// The call has completed operations.
    pub fn has_completed(&self) -> bool {
        self.completes
    }
}

/// Reads the requests that a call names.
pub fn name(s: &mut CallContext<'_>) -> Option<&'static Param> {
    s.open.requests.named.clear();
    let param = s.view.param(Slot::Request).filter(|p| p.is(param_flag::IN))?;
    let word = s.view.word(param)?;
    if !param.is(param_flag::ARRAY) {
        let by_value = !s.view.plan.fortran && !param.is(param_flag::POINTER);
        let handle = if by_value { s.view.handle(param) } else { s.view.stored(param, word, 0) }?;
        s.open.requests.named.push(Named { handle, kept_at: if by_value { 0 } else { word }, nothing: false });
        return Some(param);
    }
    let length = s.view.plan.params.get(param.length as usize).map_or(0, |p| s.view.int(p));
    if word == 0 {
        return Some(param);
    }
    let step = s.view.handle_bytes();
    for i in 0..length.clamp(0, 1 << 24) as usize {
        let handle = s.view.stored(param, word, i)?;
        s.open.requests.named.push(Named { handle, kept_at: word + step * i as u64, nothing: false });
    }
    Some(param)
}

/// Reports invalid requests.
fn judge(s: &mut CallContext<'_>, null_allowed: bool) {
    let Some(param) = name(s) else { return };
    let null = s.view.nulls.null(class::REQUEST);
    let mut named = std::mem::take(&mut s.open.requests.named);
    for one in &mut named {
        if one.handle == null {
            one.nothing = true;
            if !null_allowed && !s.view.plan.converts {
                s.find(rule::REQUEST, Some(param), [0; 3], "null handle");
            }
            continue;
        }
        if s.checker.requests.get(one.handle, one.kept_at).is_some() {
            continue;
        }
        one.nothing = true;
        if s.checker.requests.is_known(one.handle) {
            s.find(rule::REQUEST_STALE, Some(param), [0; 3], "");
        } else if s.checker.objects.is_other(class::REQUEST, one.handle) {
            s.find(rule::REQUEST, Some(param), [0; 3], "a handle of another kind");
        } else if let Strange::Impossible(why) = s.view.nulls.judge(class::REQUEST, one.handle) {
            s.find(rule::REQUEST, Some(param), [0; 3], why);
        } else {
            s.open.requests.strangers = true;
        }
    }
    s.open.requests.named = named;
}

/// Calls of other roles that name requests.
pub fn named_only(s: &mut CallContext<'_>) {
    if s.view.plan.number(Slot::Request).is_none() {
        return;
    }
    let asks = mpiscope_abi::name(s.view.plan.base).starts_with("MPI_Request_get_status");
    judge(s, asks);
}

fn is_any(base: u32) -> bool {
    matches!(
        base,
        id::Waitany
            | id::Testany
            | id::Waitsome
            | id::Testsome
            | id::Request_get_status_any
            | id::Request_get_status_some
    )
}

/// A call that waits for requests rather than testing them.
pub fn waits(base: u32) -> bool {
    matches!(base, id::Wait | id::Waitall | id::Waitany | id::Waitsome)
}

/// Before a wait or test.
pub fn before(s: &mut CallContext<'_>) {
    judge(s, true);
    let base = s.view.plan.base;
    let waits = waits(base);
    let any = is_any(base);
    let mut ops = std::mem::take(&mut s.open.requests.ops_room);
    ops.clear();
    let mut unknown = s.open.requests.strangers;
    let mut inactive = false;
    let me = s.thread + 1;
    let mut shared = None;
    for one in s.open.requests.named.iter().filter(|one| !one.nothing) {
        let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) else { continue };
        if !request.active {
            inactive = true;
            continue;
        }
        if request.waiter != 0 && request.waiter != me {
            shared = Some((request.site, request.function));
        } else if waits {
            request.waiter = me;
        }
        // How much has come is in the status, and whether anything has.
        s.open.wild |= request.wild || request.cancelled || request.buffers.is_redirected();
        unknown |= request.ops == [0, 0];
        ops.extend(request.ops.iter().filter(|&&op| op != 0));
    }
    if let Some((site, function)) = shared {
        let name = mpiscope_abi::name(function.into());
        s.find_from(rule::REQUEST_CONCURRENT, s.view.param(Slot::Request), [0; 3], name, site);
    }
    if inactive && matches!(base, id::Wait | id::Waitall) {
        s.find(rule::REQUEST_INACTIVE, s.view.param(Slot::Request), [0; 3], "");
    }
    // An unknown one may be the one that completes.
    if any && unknown {
        ops.clear();
    }
    let need = if any && !ops.is_empty() { need::ANY } else { need::ALL };
    inflight::look_ahead(s);
    if waits {
        s.open.blocking = true;
        let body = Body::Wait { need, ops };
        s.emit_ref(flag::BLOCKING, &body);
        if let Body::Wait { ops, .. } = body {
            s.open.requests.ops_room = ops;
        }
    } else {
        s.open.requests.asked = Some((need, ops));
    }
}

/// The value behind an output argument.
fn output(s: &CallContext<'_>, slot: Slot) -> Option<i32> {
    let word = s.view.param(slot).and_then(|p| s.view.word(p)).filter(|&w| w != 0)?;
    // SAFETY: the MPI has just written it.
    Some(unsafe { (word as *const i32).read_unaligned() })
}

/// After a wait: this thread no longer waits for the requests.
pub fn left(s: &mut CallContext<'_>) {
    if !waits(s.view.plan.base) {
        return;
    }
    let me = s.thread + 1;
    for one in s.open.requests.named.iter().filter(|one| !one.nothing) {
        if let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at).filter(|r| r.waiter == me) {
            request.waiter = 0;
        }
    }
}

/// After a successful wait or test.
pub fn after(s: &mut CallContext<'_>) {
    let done = match done(s) {
        Done::Nothing => return in_vain(s),
        Done::All => None,
        Done::These(list) => Some(list),
    };
    let n = s.open.requests.named.len();
    let statuses = statuses(s);
    let size = s.view.process.mpi.constants.status.size as u64;
    let is_empty = s.view.process.mpi.constants.family != Family::OpenMpi;
    let named = std::mem::take(&mut s.open.requests.named);
    for number in 0..done.as_ref().map_or(n, Vec::len) {
        let (which, at) = done.as_ref().map_or((number, number), |done| done[number]);
        let Some(one) = named.get(which).filter(|one| !one.nothing) else { continue };
        let buffers = s.checker.requests.take_buffers(one.handle, one.kept_at);
        let Some(request) = s.checker.requests.completed(one.handle, one.kept_at) else { continue };
        if !request.active {
            continue;
        }
        let address = statuses.map(|base| base + size * at as u64);
        let (status, cancelled) = match address {
            Some(at) => {
                // SAFETY: statuses that the MPI has filled.
                let (status, cancelled) = unsafe { read_status(s.view.process, at) };
                (Some(status), cancelled && request.cancelled)
            }
            None => (None, false),
        };
        let end = inflight::end_of(s.view.process, address, cancelled);
        inflight::complete(s, &buffers, end);
        s.open.requests.completes = true;
        if let Some(address) = address {
            super::statuses::completed(s, address, request.receives, request.site);
        }
        let has_no_status = request.sends || (is_empty && inflight::is_combined(request.function));
        let status = status.filter(|_| !has_no_status);
        for op in request.ops.into_iter().filter(|&op| op != 0) {
            s.emit(0, over(op, status, cancelled));
        }
    }
    s.open.requests.named = named;
}

/// Source, tag and bytes of a status, and whether its operation was cancelled.
///
/// # Safety
/// The MPI has filled the status.
unsafe fn read_status(process: &Process, status: u64) -> ((i32, i32, u64), bool) {
    // SAFETY: the caller's promise.
    unsafe { (decode::read_status(process, status), process.status_bytes.is_cancelled(status as *const u8)) }
}

/// The event of a completed operation; a receive has source, tag and bytes.
fn over(op: u64, received: Option<(i32, i32, u64)>, cancelled: bool) -> Body {
    let status = received.map(|(source, tag, _)| (source, tag));
    Body::Complete { op, status, bytes: received.map_or(0, |(_, _, bytes)| bytes), cancelled }
}

/// Which of the named requests a call has completed.
pub enum Done {
    /// None.
    Nothing,
    /// All.
    All,
    /// These: index of the request, and index of its status.
    These(Vec<(usize, usize)>),
}

/// The requests that a successful wait or test has completed.
pub fn done(s: &CallContext<'_>) -> Done {
    let base = s.view.plan.base;
    let undefined = s.view.process.mpi.constants.undefined;
    if output(s, Slot::Flag) == Some(0) || (base == id::Testsome && output(s, Slot::OutCount) == Some(0)) {
        return Done::Nothing;
    }
    let n = s.open.requests.named.len();
    Done::These(match base {
        id::Waitany | id::Testany => match output(s, Slot::Index) {
            Some(index) if index != undefined => places_of(s, &[index]),
            _ => Vec::new(),
        },
        id::Waitsome | id::Testsome => {
            let count = output(s, Slot::OutCount).filter(|&c| c != undefined).unwrap_or(0).max(0) as usize;
            let indices = s.view.param(Slot::Indices);
            let indices = (0..count.min(n)).filter_map(|k| Some(s.view.element(indices?, k)? as i32));
            places_of(s, &indices.collect::<Vec<i32>>())
        }
        _ => return Done::All,
    })
}

/// The handle that the program now has at that address.
pub fn kept(s: &CallContext<'_>, one: Named) -> Option<u64> {
    let param = s.view.param(Slot::Request)?;
    s.view.stored(param, one.kept_at, 0)
}

/// The requests that indices mean, each with its position among the indices. Fortran counts from 1, but some libraries count from
/// 0. Completed requests that are not persistent are null by now, which shows which of the two it is.
fn places_of(s: &CallContext<'_>, indices: &[i32]) -> Vec<(usize, usize)> {
    let null = s.view.nulls.null(class::REQUEST);
    let is_gone = |place: usize| {
        let array = s.view.param(Slot::Request).and_then(|p| Some((p, s.view.word(p)?)));
        let now = array.and_then(|(param, array)| s.view.stored(param, array, place));
        s.open.requests.named.get(place).is_some_and(|one| !one.nothing) && now == Some(null)
    };
    let base = if s.view.plan.fortran { first_index(indices, s.open.requests.named.len(), is_gone) } else { 0 };
    let place =
        |&index: &i32| usize::try_from(index).ok()?.checked_sub(base).filter(|&i| i < s.open.requests.named.len());
    indices.iter().enumerate().filter_map(|(at, index)| Some((place(index)?, at))).collect()
}

/// The index of the first of `n` requests: 1, unless an index of 0 shows that the library counts from 0.
fn first_index(indices: &[i32], n: usize, is_gone: impl Fn(usize) -> bool) -> usize {
    let fits = |base: i32| indices.iter().all(|&index| (base..n as i32 + base).contains(&index));
    let shows = |base: i32| indices.iter().filter(|&&i| i >= base && is_gone((i - base) as usize)).count();
    usize::from(fits(1) && (!fits(0) || shows(1) >= shows(0)))
}

/// The array of statuses that the MPI filled.
fn statuses(s: &CallContext<'_>) -> Option<u64> {
    if s.open.own_status.address().is_some() {
        return s.open.own_status.address();
    }
    let word = s.view.param(Slot::Status).and_then(|p| s.view.word(p))?;
    (!decode::status_ignored(s.view.process, word, s.view.plan.fortran)).then_some(word)
}

fn in_vain(s: &mut CallContext<'_>) {
    let Some((need, ops)) = s.open.requests.asked.take() else { return };
    if ops.is_empty() {
        return;
    }
    let key = ops.iter().fold(need | 1 << 63, |h, &op| (h.rotate_left(7) ^ op).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    s.ask(Body::Poll { ops, need, probe: None }, key | 1);
}

/// `MPI_Request_get_status`, `MPI_Parrived`: test without completing.
pub fn asked(s: &mut CallContext<'_>) {
    if !s.view.plan.asks {
        return;
    }
    // MPI_Request_get_status_some says how many there are, and "undefined" when there is nothing to ask for.
    let nothing = output(s, Slot::Flag).or_else(|| output(s, Slot::OutCount)) == Some(0);
    if !nothing {
        return inflight::peeked(s);
    }
    let any = is_any(s.view.plan.base);
    let requests = &s.checker.requests;
    let known = s.open.requests.named.iter().filter(|one| !one.nothing);
    let known = known.filter_map(|one| requests.get(one.handle, one.kept_at)).filter(|r| r.active);
    let known: Vec<_> = known.collect();
    // An unknown one may be the one that completes.
    if any && (s.open.requests.strangers || known.iter().any(|r| r.ops == [0, 0])) {
        return;
    }
    let ops: Vec<u64> = known.iter().flat_map(|r| r.ops).filter(|&op| op != 0).collect();
    s.open.requests.asked = Some((if any { need::ANY } else { need::ALL }, ops));
    in_vain(s);
}

/// `MPI_Start`, `MPI_Startall`.
pub fn start(s: &mut CallContext<'_>) {
    judge(s, false);
    let named = std::mem::take(&mut s.open.requests.named);
    let mut events = Vec::new();
    for one in named.iter().filter(|one| !one.nothing) {
        let new = [s.checker.requests.new_op(), s.checker.requests.new_op()];
        let (site, param) = (s.site, s.view.param(Slot::Request));
        let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) else { continue };
        let wrong = match (request.persistent, request.active) {
            (false, _) => Some(rule::REQUEST_NOT_PERSISTENT),
            (true, true) => Some(rule::REQUEST_STARTED_TWICE),
            _ => None,
        };
        if let Some(rule) = wrong {
            let origin = request.site;
            s.find_from(rule, param, [0; 3], "", origin);
            continue;
        }
        request.active = true;
        s.open.requests.started.push((one.handle, one.kept_at));
        request.cancelled = false;
        request.site = site;
        request.ops = if request.start_events.is_empty() {
            [0, 0]
        } else {
            [new[0], if request.start_events.len() > 1 { new[1] } else { 0 }]
        };
        request.partitions.iter_mut().for_each(|p| *p = false);
        for (number, (body, flags)) in request.start_events.iter().enumerate() {
            let mut body = body.clone();
            set_op(&mut body, new[number.min(1)]);
            events.push((request.function, request.comm, body, *flags));
        }
    }
    let last = events.len().saturating_sub(1);
    for (number, (function, comm, body, flags)) in events.into_iter().enumerate() {
        let more = if number < last { flag::MORE } else { 0 };
        s.emit_as(function, comm, flags | flag::PERSISTENT | more, body);
    }
    s.open.requests.named = named;
}

/// `MPI_Pready` and its variants mark partitions of a send; `MPI_Parrived` tests one of a receive.
pub fn partitions(s: &mut CallContext<'_>) {
    judge(s, false);
    let base = s.view.plan.base;
    let asks = base == id::Parrived;
    let Some(one) = s.open.requests.single() else { return };
    let plan = s.view.plan;
    let number = |name: &str| plan.named(name).map_or(0, |p| s.view.int(p));
    let ranges: Vec<(i64, i64)> = match base {
        id::Pready | id::Parrived => vec![(number("partition"), number("partition"))],
        id::Pready_range => vec![(number("partition_low"), number("partition_high"))],
        id::Pready_list => {
            let Some(list) = plan.named("array_of_partitions") else { return };
            let n = number("length").clamp(0, 1 << 16) as usize;
            (0..n).filter_map(|i| s.view.element(list, i)).map(|p| (p, p)).collect()
        }
        _ => return,
    };
    let param = s.view.plan.params.iter().find(|p| p.class == class::PARTITION);
    let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) else { return };
    let (count, origin) = (request.partitions.len() as i64, request.site);
    let (maker, text) = match asks {
        true => (id::Precv_init, "not created by MPI_Precv_init"),
        false => (id::Psend_init, "not created by MPI_Psend_init"),
    };
    if u32::from(request.function) & !mpiscope_abi::LARGE != maker {
        return s.find_from(rule::REQUEST, s.view.param(Slot::Request), [0; 3], text, origin);
    }
    if asks {
        // Some MPI libraries refuse inactive requests, others report that all has arrived: no finding.
        let asked = ranges[0].0;
        if !(0..count).contains(&asked) {
            s.find_from(rule::PARTITION, param, [asked, count, 0], "tested, but it does not exist", origin);
        }
        return;
    }
    if !request.active {
        let first = ranges.first().map_or(0, |range| range.0);
        return s.find_from(rule::PARTITION, param, [first, count, 0], "marked ready before MPI_Start", origin);
    }
    let op = request.ops[0];
    let mut wrong = None;
    for &(low, high) in &ranges {
        for p in low..=high.min(low + count) {
            match usize::try_from(p).ok().and_then(|p| request.partitions.get_mut(p)) {
                None => wrong = wrong.or(Some((p, "marked ready, but it does not exist"))),
                Some(marked) => {
                    if std::mem::replace(marked, true) {
                        wrong = wrong.or(Some((p, "marked ready twice")));
                    }
                }
            }
        }
    }
    if let Some((p, text)) = wrong {
        s.find(rule::PARTITION, param, [p, count, 0], text);
    }
    for (low, high) in ranges.into_iter().filter(|(low, high)| *low >= 0 && high >= low) {
        s.open.requests.ready.push((low as u64, high as u64));
        s.emit(0, Body::Ready { op, partitions: (low as u64, high as u64) });
    }
}

/// `MPI_Cancel` and `MPI_Request_free`.
pub fn give_up(s: &mut CallContext<'_>) {
    judge(s, false);
    let frees = s.view.plan.base == id::Request_free;
    let Some(one) = s.open.requests.single() else { return };
    let param = s.view.param(Slot::Request);
    let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) else { return };
    request.cancelled |= !frees;
    if !request.active {
        if !frees {
            let origin = request.site;
            s.find_from(rule::REQUEST_INACTIVE, param, [0; 3], "", origin);
        }
        return;
    }
    let (ops, origin, function) = (request.ops, request.site, request.function);
    let (sends, cancelled) = (request.sends, request.cancelled);
    // After this the result of a cancel is not seen.
    if frees
        && cancelled
        && ops != [0, 0]
        && let Some(status) = inflight::unjudged::outcome(one.handle)
    {
        // SAFETY: a status that the MPI has filled.
        let (received, cancelled) = unsafe { read_status(s.view.process, status.as_ptr() as u64) };
        for op in ops.into_iter().filter(|&op| op != 0) {
            s.emit(0, over(op, Some(received).filter(|_| !sends && !cancelled), cancelled));
        }
        return;
    }
    // Another message may prove that a send is complete.
    let risky = frees && !sends && !cancelled;
    for op in ops.into_iter().filter(|&op| op != 0) {
        s.emit(0, Body::Drop { op, freed: frees });
    }
    if risky {
        s.find_from(rule::REQUEST_FREED_ACTIVE, param, [0; 3], mpiscope_abi::name(function.into()), origin);
    }
}

/// Forgets requests that the call has freed or cancelled.
pub fn given_up(s: &mut CallContext<'_>) {
    if s.view.plan.base == id::Request_free
        && let Some(one) = s.open.requests.single()
        && let Some(gone) = s.checker.requests.removed(one.handle, one.kept_at)
    {
        inflight::freed(s, gone.buffers);
    }
}

/// The call has failed: the state of its requests is unknown.
pub fn failed(s: &mut CallContext<'_>) {
    let named = std::mem::take(&mut s.open.requests.named);
    for one in named.iter().filter(|one| !one.nothing) {
        if s.view.plan.role == Role::Complete && !inflight::unjudged::failed(s, *one) {
            if let Some(gone) = s.checker.requests.get_mut(one.handle, one.kept_at) {
                let buffers = std::mem::take(&mut gone.buffers);
                inflight::freed(s, buffers);
            }
            s.checker.requests.forget(one.handle, one.kept_at);
        }
    }
    // One that was active before still is.
    for (handle, kept_at) in std::mem::take(&mut s.open.requests.started) {
        if let Some(request) = s.checker.requests.get_mut(handle, kept_at) {
            request.active = false;
        }
    }
    s.open.requests.named = named;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_of_fortran() {
        let gone = |places: &'static [usize]| move |place: usize| places.contains(&place);
        // All of four, counted by the standard and before the library has counted.
        assert_eq!(first_index(&[1, 2, 3, 4], 4, gone(&[0, 1, 2, 3])), 1);
        assert_eq!(first_index(&[0, 1, 2, 3], 4, gone(&[0, 1, 2, 3])), 0);
        // Some of them: those that are null show it.
        assert_eq!(first_index(&[2, 3], 4, gone(&[1, 2])), 1);
        assert_eq!(first_index(&[2, 3], 4, gone(&[2, 3])), 0);
        // Persistent ones stay.
        assert_eq!(first_index(&[2, 3], 4, gone(&[])), 1);
    }
}
