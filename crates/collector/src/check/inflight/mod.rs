//! Buffers in flight: what pending operations read and write, whether two of them use the same bytes, and whether the
//! program changes any too early.
//!
//! Each operation has a [`Flight`] for each of its buffers, from its start to its completion, whichever call completes it.
//! What is sent has a [`Print`] of its bytes that is compared at the end. What is received lands in a shadow of the
//! buffer and is merged at the end, so that whatever has changed in the buffer was changed by the program.
//!
//! No MPI call is made to find out whether a request is complete: it follows from the calls of the program. Where such a call is not
//! checked (in a callback, after an internal error) shadows are merged nevertheless ([`unjudged`]).

mod arming;
mod buffer_location;
mod call_buffers;
mod fingerprint;
mod freed_requests;
pub mod instruction_access;
pub mod instrumented;
mod interval_table;
mod landing;
mod layout;
mod page_guard;
pub mod races;
mod region;
mod shadow;
#[cfg(test)]
mod test_random;
pub mod unjudged;
mod watchpoints;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mpiscope_abi::id;
use mpiscope_abi::role::{Epoch, Pattern, Role};
use mpiscope_trace::check::rule;

use super::CallContext;
use super::tracked::WordMap;
use super::transfer::{CommPosition, Side};
use super::view::{Half, Slot, View};
use crate::config::Guard;
use crate::process::Process;
pub use arming::Armed;
use arming::Arms;
pub use buffer_location::{has_no_gaps, is_mapped};
use call_buffers::{compared, ignored, is_there, lists, meets, plan, plan_side};
pub use call_buffers::{ignores_origin, new_type, written_twice};
use fingerprint::Print;
pub use freed_requests::{poll, restore as restore_freed};
use instruction_access::{Touch, Watched};
use interval_table::Table;
pub use landing::{End, complete, is_combined, look_ahead};
use landing::{drop_all, land, release, settle};
use layout::{Bytes, Layout, common};
use races::{Fibre, Races};
pub use region::main_stack_end;
use shadow::{Block, Pool};

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

/// One buffer of one pending operation.
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
    /// An array of counts, displacements or datatypes.
    is_list: bool,
    /// A finding about it exists.
    told: bool,
    /// Its memory was freed.
    freed: bool,
    /// Others may write it: it lies in a window.
    exposed: bool,
    /// The MPI may write what is there already.
    rewritten: bool,
    /// It was found to be changed before the call that ends it had begun.
    changed_before: bool,
    /// Rank of an access.
    target: i64,
    /// Instructions that access it are recorded, …
    watched: Option<Watched>,
    /// by what, …
    armed: Armed,
    /// … and their record, when it has ended.
    touches: Vec<Touch>,
    /// Its identity in the compiler's race detector.
    fibre: Option<Fibre>,
}

/// A buffer of an operation that is to be started.
#[derive(Debug)]
pub struct Planned {
    base: u64,
    /// One for each partition, else one.
    layouts: Vec<Arc<Layout>>,
    writes: bool,
    message: bool,
    /// An array of counts, displacements or datatypes.
    is_list: bool,
    /// Its bytes can be read, and only the program writes them, or whoever writes them into a window.
    readable: bool,
    /// It is the buffer of an access, and lies in a window.
    exposed: bool,
    /// The MPI may write what is there already: a broadcast does so at its root.
    rewritten: bool,
    shadow: u64,
    block: Option<Block>,
}

/// The pending flights of a request.
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
    /// Its flights, which have ended.
    pub fn take_active(&mut self) -> Vec<Id> {
        std::mem::take(&mut self.active)
    }

    /// Whether what it receives lands in shadows.
    pub fn is_redirected(&self) -> bool {
        self.redirected && !self.active.is_empty()
    }
}

/// The buffers of a pending call.
#[derive(Default)]
pub struct Pending {
    /// Its new flights, for the request that it makes.
    buffers: Buffers,
    /// Flights that a start begins.
    begun: Vec<Id>,
    /// Accesses that it completes.
    ends: Option<Ends>,
    /// In place of a Fortran array's descriptor.
    descriptor: Vec<u64>,
    freeing: freed_requests::Freeing,
    /// The compiler's race detector heeds no lock of the MPI.
    is_opaque: bool,
}

impl Pending {
    /// For the next call. What the race detector does not heed ends with [`Pending::take_is_opaque`], also after a jump.
    #[inline]
    pub fn clear(&mut self) {
        (self.buffers, self.ends) = (Buffers::default(), None);
        self.begun.clear();
        self.descriptor.clear();
        self.freeing.clear();
    }

    /// Its new flights.
    pub fn take(&mut self) -> Buffers {
        std::mem::take(&mut self.buffers)
    }

    /// Whether the race detector heeds no lock of the MPI in this call.
    pub fn take_is_opaque(&mut self) -> bool {
        std::mem::take(&mut self.is_opaque)
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
    /// Of files, split collective operations that have begun.
    split: WordMap<u32, Vec<Id>>,
    pool: Pool,
    /// Bytes of prints.
    prints: u64,
    /// By type.
    bytes: Vec<Option<Arc<Bytes>>>,
    layouts: WordMap<(u32, u64), Option<Arc<Layout>>>,
    compared: WordMap<(u64, u64), (u64, Option<u64>)>,
    /// Operations whose bytes were not checked.
    left_alone: u64,
    /// Sends whose requests were freed since the program last may have received data from others.
    let_go: Vec<freed_requests::LetGo>,
    arms: Arms,
    races: Races,
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
        let mut flight = entry.0.take()?;
        entry.1 = entry.1.wrapping_add(1);
        self.free.push(id as u32);
        self.table(flight.writes).remove(flight.ends().0, id);
        self.prints -= flight.print.as_ref().map_or(0, Print::room);
        UNDER_WAY.fetch_sub(1, Ordering::Relaxed);
        self.disarm(&mut flight);
        if let Some(fibre) = flight.fibre.take() {
            races::over(&mut self.races, &fibre);
        }
        Some(flight)
    }

    /// Watches words of memory that others may write, for whom of the program touches them; the first flights of a call site, see
    /// [`Arms::arm_words`].
    pub fn watch(&mut self, words: &[(u64, u64)]) -> Armed {
        self.arms.arm_words(words)
    }

    /// Whether a call site is one of those after which something is watched unasked.
    pub fn is_due(&mut self, begun: (u32, u16)) -> bool {
        self.arms.is_due(begun)
    }

    /// Who has touched them until now.
    pub fn noted(&mut self, armed: &Armed) -> Vec<Touch> {
        self.arms.noted(armed)
    }

    /// Who has touched a flight until now; what touches it later is not seen.
    fn touches_of(&mut self, id: Id) -> Vec<Touch> {
        if self.get(id).is_none() {
            return Vec::new();
        }
        let Some(mut flight) = self.all[id as u32 as usize].0.take() else { return Vec::new() };
        self.disarm(&mut flight);
        let touches = flight.touches.clone();
        self.all[id as u32 as usize].0 = Some(flight);
        touches
    }

    /// Who has touched them.
    pub fn unwatch(&mut self, armed: Armed) -> Vec<Touch> {
        if armed.is_nothing() { Vec::new() } else { self.arms.disarm(armed) }
    }

    /// Accesses to a flight are no longer recorded.
    fn disarm(&mut self, flight: &mut Flight) {
        let armed = std::mem::take(&mut flight.armed);
        let caught = self.unwatch(armed);
        let noticed = flight
            .watched
            .take()
            .map(|watched| instruction_access::unwatch(&watched, &flight.layout))
            .unwrap_or_default();
        flight.touches.extend(caught.into_iter().filter(|touch| !instrumented::has_told(&noticed, touch)));
        for touch in noticed {
            instruction_access::add(&mut flight.touches, touch);
        }
    }

    /// The same of one that goes on: the program, or a call of MPI that we know to be wrong, may do what it wants with it.
    fn let_be(&mut self, id: Id) {
        let Some(mut flight) =
            self.get(id).map(|f| (std::mem::take(&mut f.armed), f.watched.take(), Arc::clone(&f.layout)))
        else {
            return;
        };
        drop(self.arms.disarm(std::mem::take(&mut flight.0)));
        if let Some(watched) = flight.1 {
            drop(instruction_access::unwatch(&watched, &flight.2));
        }
    }

    /// The same of all.
    fn let_all_be(&mut self) {
        for place in 0..self.all.len() as u64 {
            let used = self.all[place as usize].1;
            self.let_be(place | u64::from(used) << 32);
        }
    }

    /// The bytes that a buffer of another call shares with a pending one, by the kind of the latter.
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
            // Where that would take too long nothing is reported.
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
    fn rule_written(&self) -> u16 {
        match (self.is_list, self.writes) {
            (true, _) => rule::ARGUMENT_WRITTEN,
            (false, true) => rule::RECEIVE_WRITTEN,
            (false, false) => rule::SEND_WRITTEN,
        }
    }

    fn ends(&self) -> (u64, u64) {
        ends(self.base, &self.layout)
    }
}

/// What the program's code touches of a buffer after this call and may not: where it is going to be watched. Sends may be read.
#[cfg(target_arch = "x86_64")]
fn ahead_of(view: &View<'_>, buffer: (u64, u64), writes: bool) -> arming::Ahead {
    let touches = super::next_accesses::touches(view, &[buffer]);
    // A vector at an edge may be one of what lies beside it: it would not count.
    let counts = |t: &mpiscope_codescan::Ahead| {
        (writes || t.stores)
            && (t.bytes <= arming::NUMBER || !landing::is_near_edge((t.address, t.address + 8), buffer))
    };
    let of = |later| touches.iter().filter(|t| t.later == later && counts(t)).map(|t| t.address).collect();
    arming::Ahead { before: of(false), later: of(true) }
}

/// What comes next is not read on other processors.
#[cfg(not(target_arch = "x86_64"))]
fn ahead_of(_: &View<'_>, _: (u64, u64), _: bool) -> arming::Ahead {
    arming::Ahead::default()
}

/// An operation begins to use its buffers.
fn begin(s: &mut CallContext<'_>, planned: &[Planned], only: Option<(u64, u64)>, function: u16) -> Vec<Id> {
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
            let begun = (s.site, function);
            let print = if readable && flights.prints < most.saturating_mul(SHADOWS) {
                // SAFETY: its memory is ordinary; this was looked at when the operation was planned.
                Some(unsafe { Print::of(layout, one.base, most, flights.arms.is_suspect(begun)) })
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
            let redirected = one.shadow != 0;
            // Writes of the MPI library cannot be distinguished from writes of the program.
            let only_program = (readable && (redirected || !one.writes)) || one.exposed;
            let rewritten = one.rewritten && !redirected;
            let armed = match s.view.process.config.guard {
                // Instrumented accesses have more information.
                Guard::First if instruction_access::is_wanted() => Armed::default(),
                _ if told => Armed::default(),
                guard => {
                    let ahead = || ahead_of(&s.view, ends(one.base, layout), one.writes);
                    let most = if rewritten { 1 } else { arming::MOST_WORDS };
                    let begun = (begun, most);
                    flights.arms.arm(guard, (one.base, layout), one.writes, (only_program, redirected), begun, ahead)
                }
            };
            let wanted = (s.view.process.config.guard == Guard::All || instruction_access::is_wanted()) && !told;
            let watched = wanted.then(|| instruction_access::watch(one.base, layout, !one.writes)).flatten();
            let fibre = if told { None } else { races::begin(s, (one.base, layout), one.writes, function) };
            let flights = &mut s.checker.flights;
            let operation = fibre.as_ref().map(Fibre::operation);
            let id = flights.add(Flight {
                base: one.base,
                layout: Arc::clone(layout),
                writes: one.writes,
                print,
                shadow: one.shadow,
                block: None,
                site: s.site,
                function,
                message: one.message,
                is_list: one.is_list,
                told,
                freed: false,
                exposed: one.exposed,
                rewritten,
                changed_before: false,
                target,
                watched,
                armed,
                touches: Vec::new(),
                fibre,
            });
            if let Some(operation) = operation {
                races::is_flight(flights, id, operation);
            }
            ids.push(id);
        }
    }
    ids
}

/// A request was freed.
pub fn freed(s: &mut CallContext<'_>, buffers: Buffers) {
    drop_all(s, &buffers.active);
    release(s, buffers.planned);
}

/// What a synchronising call ends.
fn ends_of(s: &CallContext<'_>) -> Option<Ends> {
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

/// Before the event of a call that synchronises a window: buffers whose accesses it ends may have changed.
pub fn ahead(s: &mut CallContext<'_>) {
    if s.view.process.config.check_buffers
        && any()
        && let Some(ends) = ends_of(s)
    {
        landing::look_ahead_of(s, ends);
    }
}

/// Before the call goes to the MPI, as the last thing.
pub fn before(s: &mut CallContext<'_>, place: &CommPosition, gives: Option<&Side>, gets: Option<&Side>) {
    if !s.view.process.config.check_buffers {
        return;
    }
    freed_requests::written_since(s);
    let role = s.view.plan.role;
    if matches!(role, Role::Epoch(_) | Role::Collective(Pattern::Fence)) || s.view.plan.base == id::Win_free {
        s.open.buffers.ends = ends_of(s);
        return;
    }
    let function = s.view.plan.function as u16;
    match role {
        Role::Start => return start(s),
        Role::Partition => return ready(s),
        _ if s.view.plan.base == id::Request_free => return freed_requests::before_free(s),
        _ => {}
    }
    if !s.view.plan.transfers || s.open.wrong || ignored(s) {
        return;
    }
    if s.view.plan.half == Some(Half::Begins) {
        return split(s, gives, gets);
    }
    let known = place.info.is_some() || !matches!(role, Role::Collective(_));
    let lasting = s.view.plan.makes_request || (role == Role::Access && s.window() != 0);
    if !lasting {
        // A blocking call: are others at its buffers?
        if (any() || races::is_on()) && known && s.view.plan.number(Slot::File).is_none() {
            for one in plan(s, gives, gets, false) {
                if !meets(s, one.base, &one.layouts[0], one.writes) {
                    races::blocking(s, (one.base, &one.layouts[0]), one.writes);
                }
            }
        }
        return;
    }
    if !known {
        return;
    }
    let mut planned = plan(s, gives, gets, true);
    planned.extend(lists(s, place));
    planned.extend(compared(s, place));
    let redirected = planned.iter().any(|one| one.shadow != 0);
    if s.view.plan.persistent {
        // SAFETY: what has a shadow is ordinary memory, and its shadow as large.
        redirected_ones(&planned, |layout, base, shadow| unsafe { shadow::copy(layout, base, shadow, u64::MAX) });
        s.open.buffers.buffers = Buffers { planned: Some(Arc::new(planned)), active: Vec::new(), redirected };
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
    s.open.buffers.buffers = Buffers { planned: None, active, redirected };
}

/// A split collective operation begins. What it reads is not redirected: the MPI has no request to whose completion it could wait.
fn split(s: &mut CallContext<'_>, gives: Option<&Side>, gets: Option<&Side>) {
    let sides = [(gives, true), (gets, false)];
    let planned: Vec<Planned> =
        sides.into_iter().filter_map(|(side, lasting)| plan_side(s, side?, lasting, false)).collect();
    let active = begin(s, &planned, None, s.view.plan.function as u16);
    s.open.buffers.buffers = Buffers { planned: None, active, redirected: false };
}

/// The same after the call, and its end.
fn halves(s: &mut CallContext<'_>) {
    match s.view.plan.half {
        Some(Half::Begins) => {
            let (file, active) = (s.file(), std::mem::take(&mut s.open.buffers.buffers.active));
            s.checker.flights.split.insert(file, active);
        }
        Some(Half::Ends) => split_over(s, s.file()),
        None if s.view.plan.base == id::File_close => split_over(s, s.open.file),
        None => {}
    }
}

fn split_over(s: &mut CallContext<'_>, file: u32) {
    if let Some(ids) = s.checker.flights.split.remove(&file) {
        complete(s, &ids, End::PLAIN);
    }
}

/// Buffers that are redirected: layout, buffer, shadow.
fn redirected_ones(planned: &[Planned], visit: impl Fn(&Layout, u64, u64)) {
    for one in planned.iter().filter(|one| one.writes && one.shadow != 0) {
        one.layouts.iter().for_each(|layout| visit(layout, one.base, one.shadow));
    }
}

/// A persistent request was made. MPICH's `MPI_Gather_init` copies a root's own part then and there: it belongs into the
/// program's buffer, from which each start fills the shadow.
pub fn initialised(s: &CallContext<'_>) {
    let planned = s.open.buffers.buffers.planned.as_deref().map_or(&[][..], Vec::as_slice);
    // SAFETY: as when it was filled, in the same call.
    redirected_ones(planned, |layout, base, shadow| unsafe { shadow::copy(layout, shadow, base, u64::MAX) });
}

/// Flights of an access, which ends at a synchronisation of its window if not before.
fn accessed(s: &mut CallContext<'_>, active: &[Id]) {
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
fn start(s: &mut CallContext<'_>) {
    for (handle, kept_at) in s.open.requests.started().to_vec() {
        let Some(request) = s.checker.requests.get(handle, kept_at) else { continue };
        let Some(planned) = request.buffers.planned.clone() else { continue };
        let function = request.function;
        // Partitions that are sent are in flight from MPI_Pready on.
        let later = planned.iter().any(|one| !one.writes) && !request.partitions.is_empty();
        let active = if later { Vec::new() } else { begin(s, &planned, None, function) };
        s.open.buffers.begun.extend(&active);
        if let Some(request) = s.checker.requests.get_mut(handle, kept_at) {
            request.buffers.active = active;
        }
    }
}

/// `MPI_Pready` and its like.
fn ready(s: &mut CallContext<'_>) {
    let Some(one) = s.open.requests.single() else { return };
    if s.view.plan.base == id::Parrived || s.open.wrong {
        return;
    }
    let Some(request) = s.checker.requests.get(one.handle, one.kept_at).filter(|r| r.active) else { return };
    let Some(planned) = request.buffers.planned.clone() else { return };
    let (function, partitions) = (request.function, s.open.requests.take_ready());
    for range in partitions {
        // Too many partitions for one each: all of them are one.
        let all_at_once = planned.iter().any(|p| p.layouts.len() == 1) && range != (0, 0);
        if all_at_once {
            continue;
        }
        let active = begin(s, &planned, Some(range), function);
        s.open.buffers.begun.extend(&active);
        if let Some(request) = s.checker.requests.get_mut(one.handle, one.kept_at) {
            request.buffers.active.extend(active);
        }
    }
}

/// After the call, when its requests and objects have been followed.
pub fn after(s: &mut CallContext<'_>, code: i32) {
    let plan = s.view.plan;
    let begun = std::mem::take(&mut s.open.buffers.begun);
    if code != 0 {
        drop_all(s, &begun);
        return settle(s, false);
    }
    // The window has them.
    if plan.role == Role::Access && !plan.makes_request {
        s.open.buffers.buffers.active.clear();
    }
    halves(s);
    settle(s, true);
    if let Some(ends) = s.open.buffers.ends.take() {
        let ids = ended(&mut s.checker.flights, ends);
        complete(s, &ids, End::PLAIN);
    }
    if plan.base == id::Finalize {
        let flights = &mut s.checker.flights;
        flights.let_all_be();
        page_guard::uninstall();
        let left_alone = flights.left_alone;
        let mut said = Vec::new();
        if left_alone > 0 && s.view.process.config.check_bytes > 0 {
            said.push(format!(
                "the buffers of {left_alone} operations were not checked: their bytes are too far apart, or more than --check-bytes"
            ));
        }
        if flights.races.left_alone > 0 {
            said.push(format!("races with {} operations were not checked: too many at once", flights.races.left_alone));
        }
        said.extend(flights.arms.said());
        if !said.is_empty() {
            crate::process::complain(&said.join("; "));
        }
    }
    buffer_location::windows(s);
}

/// A test has said that a request is complete, which stays (`MPI_Request_get_status`), or a partition of it has
/// come (`MPI_Parrived`).
pub fn peeked(s: &mut CallContext<'_>) {
    let named = s.open.requests.take_named();
    let alone = named.len() == 1;
    let partition =
        (s.view.plan.base == id::Parrived).then(|| s.view.plan.named("partition").map(|p| s.view.int(p))).flatten();
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
            None if alone || unjudged::is_complete(one.handle) => all.clone(),
            None => Vec::new(),
        };
        complete(s, &ids, End::PLAIN);
    }
    s.open.requests.put_named(named);
}

/// Whether the bytes of a status are known in this MPI.
pub fn end_of(process: &Process, status: Option<u64>, cancelled: bool) -> End {
    let knows = !matches!(process.mpi.constants.family, mpiscope_abi::Family::Standard);
    // SAFETY: a status that the MPI has filled.
    let received = status.filter(|_| knows).map(|at| unsafe { crate::decode::read_status(process, at) }.2);
    End { received, cancelled }
}
