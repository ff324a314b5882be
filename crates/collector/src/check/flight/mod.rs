//! Buffers in flight: what operations under way read and write, whether two of them want the same bytes, and whether the
//! program changes any before it may.
//!
//! Each operation has a [`Flight`] for each of its buffers, from its start to its completion, whichever call completes it.
//! What is sent has a [`Print`] of its bytes that is compared at the end. What is received lands in a shadow of the
//! buffer and is merged at the end, so that whatever has changed in the buffer was changed by the program.
//!
//! Whether a request is complete is asked of nobody: it follows from the calls of the program. Where such a call is not
//! judged (in a callback, after a defect of ours) shadows are merged all the same ([`quiet`]).

mod keep;
mod layout;
mod place;
mod print;
pub mod quiet;
#[cfg(test)]
mod random;
mod shadow;
mod table;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mpiscope_abi::role::{Epoch, Pattern, Role};
use mpiscope_abi::{Flow, id};
use mpiscope_trace::check::rule;

use super::Scene;
use super::sides::{Place, Side};
use super::tracked::WordMap;
use super::types;
use super::view::Slot;
use crate::process::Process;
pub use keep::{poll, restore as restore_freed};
use layout::{Bytes, Layout, Piece, common};
use print::Print;
use shadow::{Block, Pool};
use table::Table;

/// Number of a flight: its place, and how often that was used before.
pub type Id = u64;

/// Flights that one new one is compared with at most.
const MOST_MET: usize = 64;
/// Memory for shadows, and for prints, in terms of what is read of one operation.
const SHADOWS: u64 = 4;
/// Most layouts and comparisons that are remembered.
const MOST_REMEMBERED: usize = 4096;
/// Partitions that are looked at one by one.
const MOST_PARTITIONS: u64 = 4096;
/// A shadow may have so many times the bytes that are received, …
const WIDEST: u64 = 64;
/// … or so many.
const WIDE: u64 = 1 << 16;

/// How many shadows wait to be merged, and prints to be compared.
static UNDER_WAY: AtomicU64 = AtomicU64::new(0);

/// Whether there are any flights.
pub fn any() -> bool {
    UNDER_WAY.load(Ordering::Relaxed) != 0
}

/// One buffer of one operation that is under way.
struct Flight {
    base: u64,
    layout: Arc<Layout>,
    writes: bool,
    print: Option<Print>,
    /// What stands for `base`, 0 for itself, and the memory if it goes with the flight.
    shadow: u64,
    block: Option<Block>,
    site: u32,
    function: u16,
    /// It is a message: its status says how many bytes have come.
    message: bool,
    /// Something has been said about it.
    told: bool,
    /// Rank of an access.
    target: i64,
}

/// A buffer of an operation that is to be started.
#[derive(Debug)]
pub struct Planned {
    base: u64,
    /// One for each partition, else one.
    layouts: Vec<Arc<Layout>>,
    writes: bool,
    message: bool,
    /// Its bytes can be read, and only the program writes them.
    readable: bool,
    shadow: u64,
    block: Option<Block>,
}

/// What a request has under way.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    /// Of a persistent one: what each start begins.
    planned: Option<Arc<Vec<Planned>>>,
    /// Flights, those of partitions in their order.
    active: Vec<Id>,
    /// Some of what it receives lands in shadows.
    redirected: bool,
}

impl Buffers {
    /// Its flights, which are over.
    pub fn take_active(&mut self) -> Vec<Id> {
        std::mem::take(&mut self.active)
    }

    /// Whether what it receives lands in shadows.
    pub fn is_redirected(&self) -> bool {
        self.redirected && !self.active.is_empty()
    }
}

/// What a call ends, when it succeeds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// Accesses to all targets of a window.
    All(u32),
    /// Those to one.
    Target(u32, i64),
}

/// All flights of the process.
#[derive(Default)]
pub struct Flights {
    all: Vec<(Option<Flight>, u32)>,
    free: Vec<u32>,
    reads: Table,
    writes: Table,
    /// Memory that other processes may write: windows.
    exposed: Table,
    exposures: WordMap<u32, Vec<(u64, u64)>>,
    exposures_made: u64,
    windows: WordMap<u32, Vec<Id>>,
    pool: Pool,
    /// Bytes of prints.
    prints: u64,
    /// By type.
    bytes: Vec<Option<Arc<Bytes>>>,
    layouts: WordMap<(u32, u64), Option<Arc<Layout>>>,
    compared: WordMap<(u64, u64), (u64, Option<u64>)>,
    /// Operations whose bytes were not looked at.
    left_alone: u64,
}

impl Flights {
    fn get(&mut self, id: Id) -> Option<&mut Flight> {
        let (flight, used) = self.all.get_mut(id as u32 as usize)?;
        if u64::from(*used) == id >> 32 { flight.as_mut() } else { None }
    }

    fn table(&mut self, writes: bool) -> &mut Table {
        if writes { &mut self.writes } else { &mut self.reads }
    }

    fn add(&mut self, flight: Flight) -> Id {
        let (begin, end) = flight.ends();
        let writes = flight.writes;
        let place = self.free.pop().unwrap_or_else(|| {
            self.all.push((None, 0));
            self.all.len() as u32 - 1
        });
        let entry = &mut self.all[place as usize];
        let id = u64::from(place) | u64::from(entry.1) << 32;
        entry.0 = Some(flight);
        self.table(writes).insert(begin, end, id);
        UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        id
    }

    fn take(&mut self, id: Id) -> Option<Flight> {
        self.get(id)?;
        let entry = &mut self.all[id as u32 as usize];
        let flight = entry.0.take()?;
        entry.1 = entry.1.wrapping_add(1);
        self.free.push(id as u32);
        self.table(flight.writes).remove(flight.ends().0, id);
        self.prints -= flight.print.as_ref().map_or(0, Print::room);
        UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        Some(flight)
    }

    /// The bytes that a buffer of another call has in common with one of those under way, by what that is.
    fn meeting(&mut self, base: u64, layout: &Layout, writes: bool) -> Vec<(Id, u64)> {
        let (begin, end) = ends(base, layout);
        let mut met = Vec::new();
        let mut show = |id: Id| {
            met.push(id);
            met.len() < MOST_MET
        };
        self.writes.meeting(begin, end, &mut show);
        if writes {
            self.reads.meeting(begin, end, &mut show);
        }
        let mut found = Vec::new();
        for id in met {
            let Some(other) = self.get(id) else { continue };
            let (other_base, other) = (other.base, Arc::clone(&other.layout));
            let bytes = if layout.dense && other.dense {
                common((base, layout), (other_base, &other))
            } else {
                let key = (layout.key ^ base.wrapping_sub(other_base).rotate_left(32), other.key);
                let distance = base.wrapping_sub(other_base);
                match self.compared.get(&key) {
                    Some(&(known, bytes)) if known == distance => bytes,
                    _ => {
                        let bytes = common((base, layout), (other_base, &other));
                        if self.compared.len() >= MOST_REMEMBERED {
                            self.compared.clear();
                        }
                        self.compared.insert(key, (distance, bytes));
                        bytes
                    }
                }
            };
            // Where that would take too long nothing is said.
            if let Some(bytes) = bytes.filter(|&b| b > 0) {
                found.push((id, bytes));
            }
        }
        found
    }
}

fn ends(base: u64, layout: &Layout) -> (u64, u64) {
    (base.wrapping_add_signed(layout.span.0), base.wrapping_add_signed(layout.span.1))
}

impl Flight {
    fn ends(&self) -> (u64, u64) {
        ends(self.base, &self.layout)
    }
}

/// The bytes of a datatype.
fn bytes_of(s: &mut Scene<'_>, datatype: u32) -> Option<Arc<Bytes>> {
    let at = datatype as usize;
    if let Some(Some(known)) = s.checker.flights.bytes.get(at) {
        return Some(Arc::clone(known));
    }
    let info = s.checker.types.get(at).copied().filter(|t| t.size > 0)?;
    let bytes = match info.kind {
        types::kind::DERIVED => return None,
        // A number, and behind it an int where the structure has it.
        types::kind::PAIR if info.extent != info.size as i64 => {
            let number = info.size - 4;
            Bytes::of_runs(vec![(0, number), (number.next_multiple_of(4) as i64, 4)])
        }
        _ => Bytes::dense(info.size),
    };
    let bytes = Arc::new(bytes);
    keep_bytes(s, at, Arc::clone(&bytes));
    Some(bytes)
}

fn keep_bytes(s: &mut Scene<'_>, at: usize, bytes: Arc<Bytes>) {
    let all = &mut s.checker.flights.bytes;
    if all.len() <= at {
        all.resize(at + 1, None);
    }
    all[at] = Some(bytes);
}

/// A derived datatype was just made by this call.
pub fn new_type(s: &mut Scene<'_>, id: u32) {
    if id == 0 || s.checker.flights.bytes.get(id as usize).is_some_and(Option::is_some) {
        return;
    }
    let map = types::map(&s.view);
    // Copies have the same bytes.
    if let [only] = map.blocks[..]
        && (only.displacement_bytes, only.count, map.repeat, map.cut) == (0, 1, 1, false)
    {
        if let Some(bytes) = bytes_of(s, only.datatype) {
            keep_bytes(s, id as usize, bytes);
        }
        return;
    }
    let parts: WordMap<u32, (Arc<Bytes>, i64)> = map
        .blocks
        .iter()
        .filter_map(|b| {
            let extent = s.checker.types.get(b.datatype as usize)?.extent;
            Some((b.datatype, (bytes_of(s, b.datatype)?, extent)))
        })
        .collect();
    if let Some(bytes) = Bytes::of_map(&map, |id| parts.get(&id).cloned()) {
        keep_bytes(s, id as usize, Arc::new(bytes));
    }
}

/// Which bytes one side of a call means, as offsets from its buffer.
fn layout(s: &mut Scene<'_>, side: &Side) -> Option<Arc<Layout>> {
    if side.counts.is_empty() || side.pieces.is_empty() {
        return elements(s, side.datatype, 0, side.count.checked_mul(side.times)?);
    }
    let mut places = side.pieces.iter();
    let mut pieces = Vec::with_capacity(side.pieces.len());
    for (i, &count) in side.counts.iter().enumerate() {
        let datatype = side.datatypes.get(i).copied().unwrap_or(side.datatype);
        let info = *s.checker.types.get(datatype as usize)?;
        let (low, high) = info.span(count);
        if high <= low {
            continue;
        }
        let base = places.next()?.0 - low;
        pieces.push(Piece { base, count, extent: info.extent, bytes: bytes_of(s, datatype)? });
    }
    Layout::of(pieces).map(Arc::new)
}

/// So many elements from an offset on.
fn elements(s: &mut Scene<'_>, datatype: u32, base: i64, count: u64) -> Option<Arc<Layout>> {
    if base == 0
        && let Some(known) = s.checker.flights.layouts.get(&(datatype, count))
    {
        return known.clone();
    }
    let extent = s.checker.types.get(datatype as usize)?.extent;
    let bytes = bytes_of(s, datatype)?;
    let made = Layout::of(vec![Piece { base, count, extent, bytes }]).map(Arc::new);
    if base == 0 {
        let known = &mut s.checker.flights.layouts;
        if known.len() >= MOST_REMEMBERED {
            known.clear();
        }
        known.insert((datatype, count), made.clone());
    }
    made
}

/// How many partitions a call has that makes a partitioned request; 1 for all others.
fn partitions(s: &Scene<'_>) -> u64 {
    s.view.number(Slot::Partitions).map_or(1, |n| n.max(0) as u64)
}

/// Whether what the call receives may land elsewhere.
fn can_redirect(s: &Scene<'_>, gives: Option<&Side>) -> bool {
    let in_place = gives.is_some_and(|side| side.buffer.in_place);
    // What goes in place there is longer than what comes out.
    !(in_place && matches!(s.view.plan.facts.flow, Flow::ReduceScatter | Flow::ReduceScatterBlock))
}

/// What of a call is significant: operations that leave a buffer alone do not use it.
fn ignored(s: &Scene<'_>) -> bool {
    let nobody = i64::from(s.view.process.mpi.constants.proc_null);
    matches!(s.view.plan.role, Role::Access) && s.view.number(Slot::Peer) == Some(nobody)
}

fn ignores_origin(s: &Scene<'_>) -> bool {
    let op = s.view.param(Slot::Op).and_then(|p| s.view.handle(p));
    let name = op.and_then(|h| s.checker.ops.get(s.view.process.ops.id(h) as usize));
    matches!(s.view.plan.role, Role::Access) && name == Some(&"MPI_NO_OP")
}

/// The buffers of a call, with places in the program's memory.
fn plan(s: &mut Scene<'_>, gives: Option<&Side>, gets: Option<&Side>, lasting: bool) -> Vec<Planned> {
    let exchange = s.view.plan.facts.flow == Flow::Exchange;
    let redirects = lasting && can_redirect(s, gives);
    let mut planned = Vec::new();
    let skip = exchange || ignores_origin(s);
    for side in [gives.filter(|_| !skip), gets].into_iter().flatten() {
        if let Some(one) = plan_side(s, side, lasting, redirects) {
            planned.push(one);
        }
    }
    planned
}

fn plan_side(s: &mut Scene<'_>, side: &Side, lasting: bool, redirects: bool) -> Option<Planned> {
    let at = place::of(&s.view, side.param?)?;
    let whole = layout(s, side)?;
    let n = partitions(s);
    let layouts = if n > 1 && n <= MOST_PARTITIONS && side.pieces.is_empty() {
        let extent = s.checker.types.get(side.datatype as usize)?.extent;
        let step = extent.checked_mul(side.count as i64)?;
        (0..n).map(|i| elements(s, side.datatype, step * i as i64, side.count)).collect::<Option<Vec<_>>>()?
    } else {
        vec![Arc::clone(&whole)]
    };
    let message = matches!(s.view.plan.role, Role::Receive | Role::SendReceive | Role::MatchedReceive) && n <= 1;
    let writes = side.writes;
    let mut one = Planned { base: at.base, layouts, writes, message, readable: false, shadow: 0, block: None };
    if !lasting || s.view.process.config.check_bytes == 0 {
        return Some(one);
    }
    let (begin, end) = ends(at.base, &whole);
    let mut exposed = false;
    s.checker.flights.exposed.meeting(begin, end, |_| {
        exposed = true;
        false
    });
    if exposed || !is_ordinary(s, at.base, &whole, writes) {
        return Some(one);
    }
    one.readable = !writes;
    let wide = (end - begin) <= whole.payload.saturating_mul(WIDEST).max(WIDE);
    if writes && redirects {
        let most = s.view.process.config.check_bytes.saturating_mul(SHADOWS);
        let room = if wide { s.checker.flights.pool.take(at.base, whole.span, most) } else { None };
        match room {
            Some((block, shadow)) => {
                (one.block, one.shadow, one.readable) = (Some(block), shadow, true);
                place::replace(s, &at, shadow);
            }
            None => s.checker.flights.left_alone += 1,
        }
    }
    Some(one)
}

/// Whether all of it can be accessed by this process without further ado.
fn is_ordinary(s: &mut Scene<'_>, base: u64, layout: &Layout, write: bool) -> bool {
    let (begin, end) = ends(base, layout);
    if begin >= end {
        return false;
    }
    let memory = &mut s.checker.memory;
    if memory.is_ordinary(begin, end - begin, write) {
        return place::is_mapped(begin, end);
    }
    // Pieces far from each other.
    if layout.dense || layout.steps > 1024 {
        return false;
    }
    let mut all = true;
    layout.each(|at, len| {
        let from = base.wrapping_add_signed(at);
        all = memory.is_ordinary(from, len, write) && place::is_mapped(from, from + len);
        all
    });
    all
}

/// Whether all of it is still there.
fn is_there(base: u64, layout: &Layout) -> bool {
    let (begin, end) = ends(base, layout);
    if place::is_mapped(begin, end) {
        return true;
    }
    let mut all = !layout.dense;
    layout.each(|at, len| {
        let from = base.wrapping_add_signed(at);
        all &= place::is_mapped(from, from + len);
        all
    });
    all
}

/// Looks for other operations that have the same bytes; whether there are any.
fn meets(s: &mut Scene<'_>, base: u64, layout: &Layout, writes: bool) -> bool {
    let flights = &mut s.checker.flights;
    if flights.writes.is_empty() && (!writes || flights.reads.is_empty()) {
        return false;
    }
    let found = flights.meeting(base, layout, writes);
    let mut told = false;
    for &(id, bytes) in &found {
        let Some(other) = s.checker.flights.get(id) else { continue };
        let (function, origin) = (other.function, other.site);
        other.told = true;
        // One finding for a call is enough.
        if !std::mem::replace(&mut told, true) {
            let name = mpiscope_abi::name(function.into());
            s.find_from(rule::BUFFER_IN_USE, None, [bytes as i64, 0, 0], name, origin);
        }
    }
    told
}

/// An operation begins to use its buffers.
fn begin(s: &mut Scene<'_>, planned: &[Planned], only: Option<(u64, u64)>, function: u16) -> Vec<Id> {
    let picked = |one: &Planned| {
        let n = one.layouts.len();
        match only {
            Some((low, high)) if n > 1 => low as usize..n.min(high as usize + 1),
            _ => 0..n,
        }
    };
    let mut told = false;
    for one in planned {
        for layout in &one.layouts[picked(one)] {
            told |= meets(s, one.base, layout, one.writes);
        }
    }
    let most = s.view.process.config.check_bytes;
    let target = if s.view.plan.role == Role::Access { s.view.number(Slot::Peer).unwrap_or(-1) } else { -1 };
    let mut ids = Vec::new();
    for one in planned {
        for layout in &one.layouts[picked(one)] {
            // Persistent requests may live longer than their memory.
            let readable = one.readable && is_there(one.base, layout);
            let flights = &mut s.checker.flights;
            let print = if readable && flights.prints < most.saturating_mul(SHADOWS) {
                // SAFETY: its memory is ordinary; this was looked at when the operation was planned.
                Some(unsafe { Print::of(layout, one.base, most) })
            } else {
                flights.left_alone += u64::from(one.readable);
                None
            };
            if one.shadow != 0 && readable {
                // What the message does not reach keeps its value.
                // SAFETY: as above; the shadow is as large.
                unsafe { shadow::copy(layout, one.base, one.shadow, u64::MAX) };
            }
            flights.prints += print.as_ref().map_or(0, Print::room);
            ids.push(flights.add(Flight {
                base: one.base,
                layout: Arc::clone(layout),
                writes: one.writes,
                print,
                shadow: one.shadow,
                block: None,
                site: s.site,
                function,
                message: one.message,
                told,
                target,
            }));
        }
    }
    ids
}

/// How an operation has ended.
#[derive(Clone, Copy)]
pub struct End {
    /// Bytes of its message, where they are known.
    pub received: Option<u64>,
    /// It was cancelled.
    pub cancelled: bool,
}

impl End {
    /// Nothing more is known.
    pub const PLAIN: End = End { received: None, cancelled: false };
}

/// A flight is over: what has changed is told, what was received is merged.
fn finish(s: &mut Scene<'_>, id: Id, end: End) {
    let Some(flight) = s.checker.flights.take(id) else { return };
    let changed = look(&flight);
    if let Some((values, text)) = changed {
        let rule = if flight.writes { rule::RECEIVE_WRITTEN } else { rule::SEND_WRITTEN };
        let name = mpiscope_abi::name(flight.function.into());
        let text = if text.is_empty() { name.to_owned() } else { format!("{name}, {text}") };
        s.find_from(rule, None, values, &text, flight.site);
    }
    land(&mut s.checker.flights, flight, end);
}

/// What the program has changed.
fn look(flight: &Flight) -> Option<([i64; 3], &'static str)> {
    let print = flight.print.as_ref().filter(|_| !flight.told)?;
    if !is_there(flight.base, &flight.layout) {
        return Some(([flight.layout.payload as i64, flight.layout.span.0, 0], "its memory is gone"));
    }
    // SAFETY: it was ordinary memory, and is still mapped.
    let changed = unsafe { print.changed(&flight.layout, flight.base) }?;
    let text = if changed.exact { "" } else { "counted in blocks of 4096" };
    Some(([changed.bytes as i64, flight.layout.offset_of(changed.first), 0], text))
}

/// Brings what was received to the program's buffer.
fn land(flights: &mut Flights, mut flight: Flight, end: End) {
    if flight.shadow != 0 && !(flight.message && end.cancelled) && is_there(flight.base, &flight.layout) {
        let most = if flight.message { end.received.unwrap_or(u64::MAX) } else { u64::MAX };
        // SAFETY: as above; the MPI is done with the shadow.
        unsafe { shadow::copy(&flight.layout, flight.shadow, flight.base, most) };
    }
    if let Some(block) = flight.block.take() {
        flights.pool.give_back(block);
    }
}

/// A request is complete.
pub fn complete(s: &mut Scene<'_>, ids: &[Id], end: End) {
    // What is sent first: a receive that is merged may overlap it in a program that is wrong.
    for writes in [false, true] {
        for &id in ids {
            if s.checker.flights.get(id).is_some_and(|f| f.writes == writes) {
                finish(s, id, end);
            }
        }
    }
}

/// What becomes of a call's new flights that no request or window has taken: they are over, or never began.
fn settle(s: &mut Scene<'_>, succeeded: bool) {
    let Buffers { planned, active, .. } = std::mem::take(&mut s.open.buffers);
    if succeeded {
        complete(s, &active, End::PLAIN);
    } else {
        drop_all(s, &active);
    }
    release(s, planned);
}

/// Forgets flights.
fn drop_all(s: &mut Scene<'_>, ids: &[Id]) {
    for &id in ids {
        if let Some(mut flight) = s.checker.flights.take(id)
            && let Some(block) = flight.block.take()
        {
            s.checker.flights.pool.give_back(block);
        }
    }
}

/// A persistent request is gone, and its shadows with it.
fn release(s: &mut Scene<'_>, planned: Option<Arc<Vec<Planned>>>) {
    let Some(planned) = planned.and_then(Arc::into_inner) else { return };
    for block in planned.into_iter().filter_map(|one| one.block) {
        s.checker.flights.pool.give_back(block);
    }
}

/// A request was freed.
pub fn freed(s: &mut Scene<'_>, buffers: Buffers) {
    drop_all(s, &buffers.active);
    release(s, buffers.planned);
}

/// What a synchronising call ends.
fn ends_of(s: &Scene<'_>) -> Option<Ends> {
    let base = s.view.plan.base;
    let window = s.window();
    let target = s.view.number(Slot::Peer).unwrap_or(-1);
    Some(match s.view.plan.role {
        _ if window == 0 => return None,
        Role::Collective(Pattern::Fence) | Role::Epoch(Epoch::Complete) => Ends::All(window),
        Role::Epoch(Epoch::Unlock | Epoch::Flush) => match base {
            id::Win_unlock | id::Win_flush | id::Win_flush_local => Ends::Target(window, target),
            id::Win_unlock_all | id::Win_flush_all | id::Win_flush_local_all => Ends::All(window),
            _ => return None,
        },
        _ if base == id::Win_free => Ends::All(window),
        _ => return None,
    })
}

/// Accesses that a synchronisation has completed.
fn ended(flights: &mut Flights, ends: Ends) -> Vec<Id> {
    let (Ends::All(window) | Ends::Target(window, _)) = ends;
    let Some(mut ids) = flights.windows.remove(&window) else { return Vec::new() };
    let mut left = Vec::new();
    ids.retain(|&id| {
        let Some(flight) = flights.get(id) else { return false };
        let over = match ends {
            Ends::All(_) => true,
            Ends::Target(_, target) => flight.target == target,
        };
        if !over {
            left.push(id);
        }
        over
    });
    if !left.is_empty() {
        flights.windows.insert(window, left);
    }
    ids
}

/// Before the call goes to the MPI, as the last thing.
pub fn before(s: &mut Scene<'_>, place: &Place, gives: Option<&Side>, gets: Option<&Side>) {
    let role = s.view.plan.role;
    if matches!(role, Role::Epoch(_) | Role::Collective(Pattern::Fence)) || s.view.plan.base == id::Win_free {
        s.open.freed_window = s.window();
        s.open.ends = ends_of(s);
        return;
    }
    let function = s.view.plan.function as u16;
    match role {
        Role::Start => return start(s),
        Role::Partition => return ready(s),
        _ if s.view.plan.base == id::Request_free => return keep::before_free(s),
        _ => {}
    }
    if !s.view.plan.transfers || s.open.wrong || ignored(s) {
        return;
    }
    let known = place.info.is_some() || !matches!(role, Role::Collective(_));
    let lasting = s.view.plan.makes_request || (role == Role::Access && s.window() != 0);
    if !lasting {
        // A blocking call: are others at its buffers?
        if any() && known && s.view.plan.number(Slot::File).is_none() {
            for one in plan(s, gives, gets, false) {
                meets(s, one.base, &one.layouts[0], one.writes);
            }
        }
        return;
    }
    if !known {
        return;
    }
    let mut planned = plan(s, gives, gets, true);
    let redirected = planned.iter().any(|one| one.shadow != 0);
    if s.view.plan.persistent {
        s.open.buffers = Buffers { planned: Some(Arc::new(planned)), active: Vec::new(), redirected };
        return;
    }
    let active = begin(s, &planned, None, function);
    // Each has one flight.
    for (one, &id) in planned.iter_mut().zip(&active) {
        if let Some(flight) = s.checker.flights.get(id) {
            flight.block = one.block.take();
        }
    }
    if role == Role::Access {
        accessed(s, &active);
    }
    s.open.buffers = Buffers { planned: None, active, redirected };
}

/// Flights of an access, which ends at a synchronisation of its window if not before.
fn accessed(s: &mut Scene<'_>, active: &[Id]) {
    let window = s.window();
    if window == 0 {
        return;
    }
    let flights = &mut s.checker.flights;
    let mut list = flights.windows.remove(&window).unwrap_or_default();
    // Requests may have ended most of those of a long epoch.
    if list.len() >= 1024 && list.len() + active.len() > list.capacity() {
        list.retain(|&id| flights.get(id).is_some());
    }
    list.extend(active);
    flights.windows.insert(window, list);
}

/// `MPI_Start`, `MPI_Startall`.
fn start(s: &mut Scene<'_>) {
    for (handle, kept_at) in s.open.started.clone() {
        let Some(request) = s.checker.requests.get(handle, kept_at) else { continue };
        let Some(planned) = request.buffers.planned.clone() else { continue };
        let function = request.function;
        // Partitions that are sent are in flight from MPI_Pready on.
        let later = planned.iter().any(|one| !one.writes) && !request.partitions.is_empty();
        let active = if later { Vec::new() } else { begin(s, &planned, None, function) };
        s.open.begun.extend(&active);
        if let Some(request) = s.checker.requests.get_mut(handle, kept_at) {
            request.buffers.active = active;
        }
    }
}

/// `MPI_Pready` and its like.
fn ready(s: &mut Scene<'_>) {
    let Some(&one) = s.open.named.first().filter(|one| !one.nothing) else { return };
    if s.view.plan.base == id::Parrived || s.open.wrong {
        return;
    }
    let Some(request) = s.checker.requests.get(one.handle, one.kept_at).filter(|r| r.active) else { return };
    let Some(planned) = request.buffers.planned.clone() else { return };
    let (function, partitions) = (request.function, std::mem::take(&mut s.open.ready));
    for range in partitions {
        // Too many partitions for one each: all of them are one.
        let all_at_once = planned.iter().any(|p| p.layouts.len() == 1) && range != (0, 0);
        if all_at_once {
            continue;
        }
        let active = begin(s, &planned, Some(range), function);
        s.open.begun.extend(&active);
        if let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) {
            request.buffers.active.extend(active);
        }
    }
}

/// After the call, when its requests and objects have been followed.
pub fn after(s: &mut Scene<'_>, code: i32) {
    let plan = s.view.plan;
    let begun = std::mem::take(&mut s.open.begun);
    if code != 0 {
        drop_all(s, &begun);
        return settle(s, false);
    }
    // The window has them.
    if plan.role == Role::Access && !plan.makes_request {
        s.open.buffers.active.clear();
    }
    settle(s, true);
    if let Some(ends) = s.open.ends.take() {
        let ids = ended(&mut s.checker.flights, ends);
        complete(s, &ids, End::PLAIN);
    }
    if plan.base == id::Finalize {
        let left_alone = s.checker.flights.left_alone;
        if left_alone > 0 && s.view.process.config.check_bytes > 0 {
            crate::process::complain(&format!(
                "the bytes of {left_alone} operations were not watched: too far apart, or too many for --check-bytes"
            ));
        }
    }
    place::windows(s);
}

/// A test has said that a request is complete, which stays (`MPI_Request_get_status`), or a partition of it has
/// come (`MPI_Parrived`).
pub fn peeked(s: &mut Scene<'_>) {
    let named = std::mem::take(&mut s.open.named);
    let alone = named.len() == 1;
    let partition = (s.view.plan.base == id::Parrived)
        .then(|| s.view.plan.params.iter().find(|p| mpiscope_abi::param_name(p) == "partition").map(|p| s.view.int(p)))
        .flatten();
    for one in named.iter().filter(|one| !one.nothing) {
        let Some(request) = s.checker.requests.get(one.handle, one.kept_at).filter(|r| r.active) else { continue };
        let all = &request.buffers.active;
        if all.is_empty() {
            continue;
        }
        let ids: Vec<Id> = match partition {
            Some(p) if all.len() > 1 => all.get(p as usize).copied().into_iter().collect(),
            Some(_) if request.buffers.planned.as_ref().is_none_or(|p| p.iter().any(|p| p.layouts.len() != 1)) => {
                all.clone()
            }
            // One flight for many partitions: not before all of them have come.
            Some(_) => Vec::new(),
            // Of several requests some may not be complete.
            None if alone || quiet::is_complete(one.handle) => all.clone(),
            None => Vec::new(),
        };
        complete(s, &ids, End::PLAIN);
    }
    s.open.named = named;
}

/// Whether the bytes of a status are known in this MPI.
pub fn end_of(process: &Process, status: Option<u64>, cancelled: bool) -> End {
    let knows = !matches!(process.mpi.constants.family, mpiscope_abi::Family::Standard);
    // SAFETY: a status that the MPI has filled.
    let received = status.filter(|_| knows).map(|at| unsafe { crate::decode::read_status(process, at) }.2);
    End { received, cancelled }
}
