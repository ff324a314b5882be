//! The end of a flight: changes are reported, and received data are copied to the program's buffer.

use std::sync::Arc;

use mpiscope_abi::id;
use mpiscope_trace::check::event::{Body, flag};
use mpiscope_trace::check::rule;

use super::instruction_access::{Kind, Touch};
use super::{Buffers, Ends, Flight, Flights, Id, Planned, is_there, shadow};
use crate::check::CallContext;
use crate::check::completion::waits;

/// How an operation has ended.
#[derive(Clone, Copy)]
pub struct End {
    /// Bytes of its message, if known.
    pub received: Option<u64>,
    /// It was cancelled.
    pub cancelled: bool,
}

impl End {
    /// An end without further information.
    pub const PLAIN: End = End { received: None, cancelled: false };
}

/// A flight has ended: reports changes and accesses, and merges received data.
pub(super) fn end_flight(s: &mut CallContext<'_>, id: Id, end: End) {
    let Some(mut flight) = s.checker.flights.remove(id) else { return };
    // Where others may write, only what was found before the call shows the time before it.
    let changed = if flight.exposed { None } else { detect_change(&flight) };
    let is_changed = changed.is_some();
    let changed = changed.or_else(|| gone(s, &flight));
    let writer_is_known = report_touches(s, &mut flight, changed.as_ref());
    if let Some((values, text)) = changed.filter(|_| !writer_is_known) {
        s.checker.flights.arms.changed((flight.site, flight.function), text.is_empty().then_some(values[1]));
        s.find_from(flight.rule_written(), None, values, &named(&flight, text), flight.site);
    }
    // Where `malloc` keeps its own lists by now, a message would destroy them: the MPI may have been done before that.
    flight.writes &= !(flight.freed && is_changed);
    land(&mut s.checker.flights, flight, end);
}

/// The function that started the operation, and further details.
pub(super) fn named(flight: &Flight, text: &str) -> String {
    let name = mpiscope_abi::name(flight.function.into());
    if text.is_empty() { name.to_owned() } else { format!("{name}, {text}") }
}

/// Reports each instruction that touched a flight; returns whether those that write are among them.
pub(super) fn report_touches(
    s: &mut CallContext<'_>,
    flight: &mut Flight,
    changed: Option<&([i64; 3], &'static str)>,
) -> bool {
    let touches = std::mem::take(&mut flight.touches);
    if flight.is_reported || touches.is_empty() {
        return false;
    }
    let process = s.view.process;
    // MPI's own, of an operation that is not followed, and what it calls.
    let is_ours = |pc: u64| {
        let within = |range: (usize, usize)| (range.0..range.1).contains(&(pc.saturating_sub(1) as usize));
        within(process.own) || within(process.mpi.library.range)
    };
    let mut touches: Vec<Touch> = touches.into_iter().filter(|t| !t.frames.iter().any(|&f| is_ours(f))).collect();
    if flight.writes && !flight.layout.dense {
        touches.retain(|touch| !touch.is_word || fits(flight, touch));
    }
    let mut sure = 0;
    if flight.rewritten {
        // Its plugins are other objects.
        touches.retain(is_program);
    }
    if flight.exposed {
        touches.retain(is_program);
        // Others write there as well, so a change does not show what an instruction did: its machine code does.
        sure = touches.len();
        let either: Vec<Touch> = touches.extract_if(.., |touch| touch.kind == Kind::Either).collect();
        sure -= either.len();
        let of = |kind| either.iter().map(move |touch| Touch { kind, ..touch.clone() });
        touches.extend(of(Kind::Read).chain(of(Kind::Write)));
    }
    if !flight.exposed {
        touches.iter_mut().filter(|t| t.is_word && t.kind == Kind::Either).for_each(by_code);
    }
    resolve(&mut touches, changed.is_some());
    let mut writes = false;
    for (number, touch) in touches.into_iter().enumerate() {
        let is_unsure = flight.exposed && number >= sure;
        let wrote = match touch.kind {
            Kind::Read => false,
            Kind::Write => true,
            Kind::Either => continue,
        };
        let site = process.site(&touch.frames);
        if site == 0 {
            continue;
        }
        let own =
            [touch.bytes.1.wrapping_sub(touch.bytes.0), touch.bytes.0.wrapping_sub(flight.base)].map(|v| v as i64);
        let (rule, [bytes, first], text) = match (wrote, changed) {
            (false, _) => (rule::RECEIVE_READ, own, ""),
            (true, Some(&([bytes, first, _], text))) => (flight.rule_written(), [bytes, first], text),
            (true, None) if flight.print.is_none() || flight.changed_before => (flight.rule_written(), own, ""),
            (true, None) => (flight.rule_written(), own, "written with unchanged values"),
        };
        writes |= wrote;
        let unchanged = wrote && changed.is_none() && (is_unsure || !flight.changed_before);
        // Processors also report masked stores that leave out the word.
        let beside = is_unsure || (touch.is_word && (unchanged || is_at_edge(&touch, flight.ends())));
        let flag = |is: bool, flag| if is { flag } else { 0 };
        let site = i64::from(site) | flag(beside, rule::MAY_BE_BESIDE) | flag(unchanged, rule::UNCHANGED);
        s.find_from(rule, None, [bytes, first, site], &named(flight, text), flight.site);
    }
    writes
}

/// Whether an instruction that touches a word had no use for the gaps of a datatype: a vector instruction also loads what lies
/// between the elements.
fn fits(flight: &Flight, touch: &Touch) -> bool {
    let run = flight.layout.run_at(touch.bytes.0.wrapping_sub(flight.base) as i64);
    let width = touch.frames.first().and_then(|&pc| width(pc));
    run.zip(width).is_some_and(|((low, high), width)| width as i64 <= high - low)
}

/// If no separate watchpoint shows whether the instruction wrote, its machine code does.
#[cfg(target_arch = "x86_64")]
fn by_code(touch: &mut Touch) {
    if let Some(kind) = touch.frames.first().and_then(|&pc| crate::check::next_accesses::kind(pc)) {
        touch.kind = kind;
    }
}

/// The machine code of other processors is not decoded.
#[cfg(not(target_arch = "x86_64"))]
fn by_code(_: &mut Touch) {}

/// Number of bytes that it loads or stores at once.
#[cfg(target_arch = "x86_64")]
fn width(pc: u64) -> Option<usize> {
    crate::check::next_accesses::width(pc)
}

/// Unknown on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn width(_: u64) -> Option<usize> {
    None
}

/// Length of the processor's widest vector, bytes.
const WIDEST_VECTOR: u64 = 64;

/// Whether an instruction that touches a word may have accessed only memory beside the buffer.
fn is_at_edge(touch: &Touch, buffer: (u64, u64)) -> bool {
    is_near_edge(touch.bytes, buffer)
}

/// Whether a vector that contains a word may extend beyond an end of the buffer.
pub(super) fn is_near_edge(word: (u64, u64), (begin, end): (u64, u64)) -> bool {
    let beside = WIDEST_VECTOR - (word.1 - word.0).min(WIDEST_VECTOR);
    word.0.saturating_sub(beside) < begin || word.1.saturating_add(beside) > end
}

/// Decides for instructions of which only an access is known. If nothing has changed, they have read; if something has, the only
/// one that may have written did.
pub(super) fn resolve(touches: &mut [Touch], changed: bool) {
    let sure = touches.iter().any(|t| t.kind == Kind::Write);
    let unsure = touches.iter().filter(|t| t.kind == Kind::Either).count();
    for touch in touches.iter_mut().filter(|t| t.kind == Kind::Either) {
        match (changed, sure, unsure) {
            (false, _, _) => touch.kind = Kind::Read,
            (true, false, 1) => touch.kind = Kind::Write,
            _ => {}
        }
    }
}

/// The changes that the program made.
pub(super) fn detect_change(flight: &Flight) -> Option<([i64; 3], &'static str)> {
    let print = flight.print.as_ref().filter(|_| !flight.is_reported)?;
    if !is_there(flight.base, &flight.layout) {
        return Some(([flight.layout.payload as i64, flight.layout.span.0, 0], "its memory is no longer mapped"));
    }
    // SAFETY: it was ordinary memory, and is still mapped.
    let changed = unsafe { print.changed(&flight.layout, flight.base) }?;
    let text = if changed.exact { "" } else { "counted in blocks of 4096" };
    Some(([changed.bytes as i64, flight.layout.offset_of(changed.first), 0], text))
}

/// Memory that the program freed without changing it.
fn gone(s: &mut CallContext<'_>, flight: &Flight) -> Option<([i64; 3], &'static str)> {
    let looked_at = flight.print.is_some() && !flight.is_reported;
    // Who waits looks before it does: the MPI may use again what was freed.
    let is_gone = flight.freed || (looked_at && !waits(s.view.plan.base) && s.checker.memory.is_freed(flight.ends().0));
    is_gone.then_some(([flight.layout.payload as i64, flight.layout.span.0, 0], "its memory is freed"))
}

/// Before a synchronisation that completes accesses; see [`exposed_changed`].
pub(super) fn look_ahead_of(s: &mut CallContext<'_>, ends: Ends) {
    let (Ends::All(window) | Ends::Target(window, _)) = ends;
    let ids = s.checker.flights.windows.get(&window).cloned().unwrap_or_default();
    for id in ids {
        let is_over = |flight: &&mut Flight| match ends {
            Ends::All(_) => true,
            Ends::Target(_, target) => flight.target == target,
        };
        if s.checker.flights.get(id).filter(is_over).is_some_and(|f| f.exposed) {
            exposed_changed(s, id);
        }
    }
}

/// The data that an access reads in a window's memory may have changed since the access began. They are compared before the call
/// that completes it: during that call, others may change them as soon as it has released them. The judge decides who changed
/// them, as it knows what others have written; if an instruction of the program was recorded, it was that one.
fn exposed_changed(s: &mut CallContext<'_>, id: Id) {
    let Some(flight) = s.checker.flights.get(id).filter(|f| !f.writes && !f.changed_before) else { return };
    let Some(([changed, first, _], text)) = detect_change(flight) else { return };
    flight.changed_before = true;
    let (begin, end) = flight.ends();
    let (origin, begun) = (flight.site, (flight.site, flight.function));
    let text = named(flight, text);
    let flights = &mut s.checker.flights;
    if flights.touches_of(id).iter().any(|touch| touch.kind == Kind::Write && is_program(touch)) {
        return;
    }
    flights.arms.changed(begun, Some(first));
    let (address, bytes, changed) = (begin, end - begin, changed as u64);
    s.emit(flag::MORE, Body::Changed { address, bytes, changed, first, origin, text });
}

/// Whether an instruction is in the executable: other objects may serve the MPI as well.
fn is_program(touch: &Touch) -> bool {
    let object = |pc: u64| crate::elf::containing(pc.saturating_sub(1) as usize);
    touch.frames.first().and_then(|&pc| object(pc)).is_some_and(|o| o.path.is_empty())
}

/// Before a wait for requests: checks that their buffers still belong to the program.
pub fn look_ahead(s: &mut CallContext<'_>) {
    if !super::any() {
        return;
    }
    let is_wait = waits(s.view.plan.base);
    let mut exposed: Vec<Id> = Vec::new();
    let super::super::Checker { requests, flights, memory, .. } = &mut *s.checker;
    for one in s.open.requests.named().iter().filter(|one| !one.nothing) {
        let Some(request) = requests.get(one.handle, one.kept_at) else { continue };
        for &id in &request.buffers.active {
            let Some(flight) = flights.get(id) else { continue };
            if flight.exposed {
                exposed.push(id);
            }
            if is_wait && flight.print.is_some() && !flight.is_reported {
                flight.freed |= memory.is_freed(flight.ends().0);
            }
        }
    }
    exposed.into_iter().for_each(|id| exposed_changed(s, id));
}

/// Whether a function starts a send and a receive together: MPICH leaves the status of such a request empty.
pub fn is_combined(function: u16) -> bool {
    matches!(u32::from(function) & !mpiscope_abi::LARGE, id::Isendrecv | id::Isendrecv_replace)
}

/// Copies received data to the program's buffer.
pub(super) fn land(flights: &mut Flights, mut flight: Flight, end: End) {
    if flight.shadow != 0
        && flight.writes
        && !(flight.message && end.cancelled)
        && is_there(flight.base, &flight.layout)
    {
        let received = if flight.message && !is_combined(flight.function) { end.received } else { None };
        let most = received.unwrap_or(u64::MAX);
        // SAFETY: as above; the MPI is done with the shadow.
        unsafe { shadow::copy(&flight.layout, flight.shadow, flight.base, most) };
    }
    if let Some(block) = flight.block.take() {
        flights.pool.give_back(block);
    }
}

/// A request is complete.
pub fn complete(s: &mut CallContext<'_>, ids: &[Id], end: End) {
    // What is sent first: a receive that is merged may overlap it in a program that is wrong.
    for writes in [false, true] {
        for &id in ids {
            if s.checker.flights.get(id).is_some_and(|f| f.writes == writes) {
                end_flight(s, id, end);
            }
        }
    }
}

/// Ends the call's new flights that no request or window has taken: they are over, or never began.
pub(super) fn settle(s: &mut CallContext<'_>, succeeded: bool) {
    let Buffers { planned, active, .. } = s.open.buffers.take_buffers();
    if succeeded {
        complete(s, &active, End::PLAIN);
    } else {
        drop_all(s, &active);
    }
    release(s, planned);
}

/// Drops flights without a comparison.
pub(super) fn drop_all(s: &mut CallContext<'_>, ids: &[Id]) {
    for &id in ids {
        if let Some(mut flight) = s.checker.flights.remove(id)
            && let Some(block) = flight.block.take()
        {
            s.checker.flights.pool.give_back(block);
        }
    }
}

/// A persistent request has ended, and its shadows with it.
pub(super) fn release(s: &mut CallContext<'_>, planned: Option<Arc<Vec<Planned>>>) {
    let Some(planned) = planned.and_then(Arc::into_inner) else { return };
    for block in planned.into_iter().filter_map(|one| one.block) {
        s.checker.flights.pool.give_back(block);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_at_edges() {
        let at = |begin: u64| {
            let touch = Touch { frames: vec![1], kind: Kind::Read, bytes: (begin, begin + 8), count: 1, is_word: true };
            is_at_edge(&touch, (1000, 2000))
        };
        assert!(at(1000) && at(1055) && !at(1056) && !at(1936) && at(1937) && at(1992));
    }

    #[test]
    fn what_has_only_touched() {
        let resolved = |kinds: &[Kind], changed| {
            let one = |&kind: &Kind| Touch { frames: vec![1], kind, bytes: (0, 8), count: 1, is_word: false };
            let mut touches: Vec<Touch> = kinds.iter().map(one).collect();
            resolve(&mut touches, changed);
            touches.iter().map(|t| t.kind).collect::<Vec<_>>()
        };
        use Kind::{Either, Read, Write};
        assert_eq!(resolved(&[Either, Either], false), [Read, Read]);
        assert_eq!(resolved(&[Either, Read], true), [Write, Read]);
        // Which of them did is unknown.
        assert_eq!(resolved(&[Either, Either], true), [Either, Either]);
        assert_eq!(resolved(&[Either, Write], true), [Either, Write]);
    }
}
