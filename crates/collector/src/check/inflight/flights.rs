//! The table of flights: the buffers of pending operations, and which of them share bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use mpiscope_trace::check::rule;

use super::arming::{Armed, Arms};
use super::fingerprint::Print;
use super::instruction_access::{Touch, Watched};
use super::interval_table::Table;
use super::layout::{Bytes, Layout, common};
use super::races::{Fibre, Races};
use super::shadow::{Block, Pool};
use super::{Id, MOST_REMEMBERED, freed_requests, instruction_access, instrumented, races};
use crate::check::tracked::WordMap;

/// Most flights with which a new one is compared.
const MOST_MET: usize = 64;

/// Numbers of shadows that wait to be merged and of fingerprints to be compared.
static UNDER_WAY: AtomicU64 = AtomicU64::new(0);

/// Whether any flight exists.
pub fn any() -> bool {
    UNDER_WAY.load(Ordering::Relaxed) != 0
}

/// One buffer of one pending operation.
pub struct Flight {
    pub(super) base: u64,
    pub(super) layout: Arc<Layout>,
    pub(super) writes: bool,
    pub(super) print: Option<Print>,
    /// The shadow of `base` (0 for none), and its memory if that belongs to the flight.
    pub(super) shadow: u64,
    pub(super) block: Option<Block>,
    pub(super) site: u32,
    pub(super) function: u16,
    /// A message: its status has the number of bytes.
    pub(super) message: bool,
    /// An array of counts, displacements or datatypes.
    pub(super) is_list: bool,
    /// A finding about it exists.
    pub(super) is_reported: bool,
    /// Its memory was freed.
    pub(super) freed: bool,
    /// Other processes may write it, because it is in a window.
    pub(super) exposed: bool,
    /// The MPI may write the same values again.
    pub(super) rewritten: bool,
    /// A change was found before the call that ends it had begun.
    pub(super) changed_before: bool,
    /// Target rank of an access.
    pub(super) target: i64,
    /// Instructions that access it are recorded, …
    pub(super) watched: Option<Watched>,
    /// by these means, …
    pub(super) armed: Armed,
    /// … and the record, once it has ended.
    pub(super) touches: Vec<Touch>,
    /// Its fibre in the compiler's race detector.
    pub(super) fibre: Option<Fibre>,
}

impl Flight {
    pub(super) fn rule_written(&self) -> u16 {
        match (self.is_list, self.writes) {
            (true, _) => rule::ARGUMENT_WRITTEN,
            (false, true) => rule::RECEIVE_WRITTEN,
            (false, false) => rule::SEND_WRITTEN,
        }
    }

    pub(super) fn ends(&self) -> (u64, u64) {
        ends(self.base, &self.layout)
    }
}

/// All flights of the process.
#[derive(Default)]
pub struct Flights {
    pub(super) all: Vec<(Option<Flight>, u32)>,
    pub(super) free: Vec<u32>,
    pub(super) reads: Table,
    pub(super) writes: Table,
    /// Memory that other processes may write: windows.
    pub(super) exposed: Table,
    pub(super) exposures: WordMap<u32, Vec<(u64, u64)>>,
    pub(super) exposures_made: u64,
    pub(super) windows: WordMap<u32, Vec<Id>>,
    /// By file: split collective operations that have begun.
    pub(super) split: WordMap<u32, Vec<Id>>,
    pub(super) pool: Pool,
    /// Bytes of fingerprints.
    pub(super) prints: u64,
    /// Layouts by datatype.
    pub(super) bytes: Vec<Option<Arc<Bytes>>>,
    pub(super) layouts: WordMap<(u32, u64), Option<Arc<Layout>>>,
    pub(super) compared: WordMap<(u64, u64), (u64, Option<u64>)>,
    /// Number of operations whose bytes were not checked.
    pub(super) left_alone: u64,
    /// Sends whose requests were freed since the program could last have received data from others.
    pub(super) let_go: Vec<freed_requests::LetGo>,
    pub(super) arms: Arms,
    pub(super) races: Races,
}

impl Flights {
    pub(super) fn get(&mut self, id: Id) -> Option<&mut Flight> {
        let (flight, used) = self.all.get_mut(id as u32 as usize)?;
        if u64::from(*used) == id >> 32 { flight.as_mut() } else { None }
    }

    pub(super) fn table(&mut self, writes: bool) -> &mut Table {
        if writes { &mut self.writes } else { &mut self.reads }
    }

    pub(super) fn add(&mut self, flight: Flight) -> Id {
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

    pub(super) fn remove(&mut self, id: Id) -> Option<Flight> {
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

    /// Watches words of memory that others may write, to find the program's own accesses; only for the first flights of a call
    /// site, see [`Arms::arm_words`].
    pub fn watch(&mut self, words: &[(u64, u64)]) -> Armed {
        self.arms.arm_words(words)
    }

    /// Whether a call site is one of those after which something is watched by default.
    pub fn is_due(&mut self, begun: (u32, u16)) -> bool {
        self.arms.is_due(begun)
    }

    /// The accesses to them until now.
    pub fn noted(&mut self, armed: &Armed) -> Vec<Touch> {
        self.arms.noted(armed)
    }

    /// The accesses to a flight until now; later ones are not seen.
    pub(super) fn touches_of(&mut self, id: Id) -> Vec<Touch> {
        if self.get(id).is_none() {
            return Vec::new();
        }
        let Some(mut flight) = self.all[id as u32 as usize].0.take() else { return Vec::new() };
        self.disarm(&mut flight);
        let touches = flight.touches.clone();
        self.all[id as u32 as usize].0 = Some(flight);
        touches
    }

    /// The accesses to them.
    pub fn unwatch(&mut self, armed: Armed) -> Vec<Touch> {
        if armed.is_nothing() { Vec::new() } else { self.arms.disarm(armed) }
    }

    /// Stops recording accesses to a flight.
    pub(super) fn disarm(&mut self, flight: &mut Flight) {
        let armed = std::mem::take(&mut flight.armed);
        let caught = self.unwatch(armed);
        let noticed = flight
            .watched
            .take()
            .map(|watched| instruction_access::unwatch(&watched, &flight.layout))
            .unwrap_or_default();
        flight.touches.extend(caught.into_iter().filter(|touch| !instrumented::has_reported(&noticed, touch)));
        for touch in noticed {
            instruction_access::add(&mut flight.touches, touch);
        }
    }

    /// The same for a flight that continues: the program, or a call that is known to be wrong, may do what it wants with the
    /// buffer.
    pub(super) fn let_be(&mut self, id: Id) {
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

    /// The same for all flights.
    pub(super) fn let_all_be(&mut self) {
        for place in 0..self.all.len() as u64 {
            let used = self.all[place as usize].1;
            self.let_be(place | u64::from(used) << 32);
        }
    }

    /// Bytes that a buffer of another call shares with a pending one, by the kind of the latter.
    pub(super) fn meeting(&mut self, base: u64, layout: &Layout, writes: bool) -> Vec<(Id, u64)> {
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

pub fn ends(base: u64, layout: &Layout) -> (u64, u64) {
    (base.wrapping_add_signed(layout.span.0), base.wrapping_add_signed(layout.span.1))
}
