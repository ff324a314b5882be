//! Worlds that meet: `MPI_Comm_spawn`, `MPI_Comm_accept` with `MPI_Comm_connect` (MPI-5.0 §11.8, §11.9).
//!
//! MPI gives a process only the size of the remote group of an intercommunicator, not its members. They follow from
//! the events of all processes:
//!
//! - *Spawned worlds.* A call that spawns returns when all processes that it started have called `MPI_Init`. The processes of a spawned world
//!   of that size, all of which started between the root's call and its return, are these, if there is no other such world and no
//!   other call that spawns was pending when the world started.
//! - *Ports.* An accept and a connect whose roots name the same port, and overlap in time, have met if the sizes of both groups match and
//!   neither overlaps with another one at this port.
//!
//! Both are decided when all events up to that moment are read ([`Worlds::caught_up_ns`]). Events of a process
//! after it met others, and all events of a spawned process, wait until its peers are identified: [`Hold`]. If they cannot be
//! identified, nothing is concluded about the communicator, nor about those that are created from it.

use std::collections::VecDeque;

use mpiscope_abi::role::{Role, role};
use mpiscope_abi::{LARGE, id};
use mpiscope_trace::check::event::{Body, Event};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Introduction;
use crate::judge::Judge;
use crate::objects::{Meeting, Members, Side};

/// How long it may take until the peers of a process are identified.
const PATIENCE_NS: u64 = 2_000_000_000;
/// The same after a meeting stayed unknown: its processes may not be checked at all.
const LESS_PATIENCE_NS: u64 = 250_000_000;

/// Processes with one `MPI_COMM_WORLD`, which were spawned.
struct World {
    /// By rank; none for those that were not introduced.
    began_ns: Vec<Option<i128>>,
    first: u32,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its peers are unknown.
    Open,
    Joined,
    GivenUp,
}

/// A call of a root by which worlds meet.
struct Call {
    process: u32,
    thread: u8,
    base: u32,
    /// Of accept and connect.
    port: u64,
    begun_ns: i128,
    /// None as long as it has not returned.
    ended_ns: Option<i128>,
    side: Option<Side>,
    state: State,
}

/// A call of anybody that has not returned.
struct Pending {
    process: u32,
    thread: u8,
    function: u32,
    comm: u32,
}

/// Events of a process that wait.
#[derive(Default)]
struct Hold {
    of: Option<Side>,
    /// When the reader looked first.
    since_ns: Option<u64>,
    events: VecDeque<Event>,
}

/// A meeting about which nothing is concluded, for a note of the reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stranger {
    /// A process that has met others, or was spawned by them.
    pub process: u32,
    /// Function by which it has met them; 0 when it was spawned.
    pub function: u32,
    /// How many; 0 unknown.
    pub others: u32,
}

/// All of a run.
pub(crate) struct Worlds {
    spawned: FxHashMap<u32, World>,
    calls: Vec<Call>,
    pending: Vec<Pending>,
    /// Communicators of meetings that belong to a call that has returned.
    claimed: FxHashSet<(u32, u32)>,
    /// Sides by the return of a call (process, thread, ticks), until it is taken.
    returns: FxHashMap<(u32, u8, u64), Side>,
    known: FxHashSet<Side>,
    given_up: FxHashSet<Side>,
    held: FxHashMap<u32, Hold>,
    /// All events up to this moment were read.
    pub caught_up_ns: i128,
    strangers: Vec<Stranger>,
    is_impatient: bool,
}

impl Default for Worlds {
    fn default() -> Worlds {
        Worlds {
            spawned: FxHashMap::default(),
            calls: Vec::new(),
            pending: Vec::new(),
            claimed: FxHashSet::default(),
            returns: FxHashMap::default(),
            known: FxHashSet::default(),
            given_up: FxHashSet::default(),
            held: FxHashMap::default(),
            caught_up_ns: i128::MAX,
            strangers: Vec::new(),
            is_impatient: false,
        }
    }
}

impl World {
    /// First and last beginning of its processes, if all are there.
    fn began(&self) -> Option<(i128, i128)> {
        let mut all = self.began_ns.iter().copied();
        let first = all.next()??;
        all.try_fold((first, first), |(from, to), at| Some((from.min(at?), to.max(at?))))
    }

    fn members(&self) -> Members {
        (self.first..).take(self.began_ns.len()).collect()
    }
}

impl Call {
    fn is_spawn(&self) -> bool {
        matches!(self.base, id::Comm_spawn | id::Comm_spawn_multiple)
    }

    /// How many it has met.
    fn others(&self) -> Option<i32> {
        match &self.side {
            Some(Side::Callers(_, others, _)) => Some(*others),
            _ => None,
        }
    }

    fn callers(&self) -> Option<&Members> {
        match &self.side {
            Some(Side::Callers(members, ..)) => Some(members),
            _ => None,
        }
    }

    /// Whether a moment is in it.
    fn spans(&self, from_ns: i128, to_ns: i128, error_ns: i128) -> bool {
        from_ns >= self.begun_ns - error_ns && self.ended_ns.is_none_or(|end| to_ns <= end + error_ns)
    }

    fn overlaps(&self, other: &Call, error_ns: i128) -> bool {
        let ends = |one: &Call| one.ended_ns.unwrap_or(i128::MAX - error_ns) + error_ns;
        self.begun_ns <= ends(other) && other.begun_ns <= ends(self)
    }

    /// Whether these two may have met: unknown values match anything.
    fn may_meet(&self, other: &Call, error_ns: i128) -> bool {
        let fits = |one: &Call, two: &Call| match (one.others(), two.callers()) {
            (Some(others), Some(callers)) => i64::from(others) == callers.len() as i64,
            _ => true,
        };
        self.base != other.base
            && self.port == other.port
            && other.state != State::Joined
            && self.overlaps(other, error_ns)
            && fits(self, other)
            && fits(other, self)
    }
}

impl Judge {
    /// A process of a spawned world waits until its parents are identified.
    pub(crate) fn enters_world(&mut self, process: u32, who: Introduction) {
        let Ok(rank) = usize::try_from(who.rank) else { return };
        if !who.is_spawned || rank >= who.size as usize || self.follows_no_more {
            return;
        }
        let first = process.saturating_sub(who.rank as u32);
        let size = who.size as usize;
        let world = self.worlds.spawned.entry(who.world).or_insert_with(|| World {
            began_ns: vec![None; size],
            first,
            state: State::Open,
        });
        if let Some(slot) = world.began_ns.get_mut(rank) {
            *slot = Some(who.zero_ns.into());
        }
        if world.state == State::Open {
            self.worlds.held.entry(process).or_default().of = Some(Side::Spawned(who.world));
        }
    }

    /// All events up to a moment of the common clock were taken.
    pub fn caught_up(&mut self, at_ns: u64) {
        self.worlds.caught_up_ns = at_ns.into();
    }

    /// Whether events of a process wait until its peers are identified, and how many.
    pub fn held(&self, process: u32) -> Option<usize> {
        self.worlds.held.get(&process).map(|hold| hold.events.len())
    }

    /// Meetings of worlds of which nothing is concluded, since the last call.
    pub fn strangers(&mut self) -> Vec<Stranger> {
        std::mem::take(&mut self.worlds.strangers)
    }

    /// Whether events of some processes wait until their peers are identified.
    pub fn is_holding(&self) -> bool {
        !self.worlds.held.is_empty()
    }

    /// An event: whether it waits. Calls by which worlds meet are seen at once.
    pub(crate) fn holds(&mut self, process: u32, event: &Event) -> bool {
        self.sees_meeting(process, event);
        match self.worlds.held.get_mut(&process) {
            Some(hold) => {
                hold.events.push_back(event.clone());
                true
            }
            None => false,
        }
    }

    fn sees_meeting(&mut self, process: u32, event: &Event) {
        let (head, thread) = (&event.head, event.head.thread);
        match &event.body {
            Body::Collective { root, send, .. } => {
                let base = u32::from(head.function) & !LARGE;
                if base == id::Comm_join || role(base) != Role::Meet {
                    return;
                }
                self.worlds.pending.push(Pending { process, thread, function: head.function.into(), comm: head.comm });
                let rank = self.objects.local_comm(process, head.comm).map(|comm| comm.place as i32);
                if rank.is_some() && rank == *root {
                    self.worlds.calls.push(Call {
                        process,
                        thread,
                        base,
                        port: send.counts().first().copied().unwrap_or(0),
                        begun_ns: self.objects.moment_ns(process, head.at),
                        ended_ns: None,
                        side: None,
                        state: State::Open,
                    });
                }
            }
            Body::Return { code, .. } => {
                let is_it = |of: &Pending| (of.process, of.thread) == (process, thread);
                let Some(at) = self.worlds.pending.iter().position(is_it) else { return };
                let pending = self.worlds.pending.remove(at);
                let ended_ns = self.objects.moment_ns(process, head.at);
                let Judge { worlds, objects, .. } = self;
                let is_its_comm = |made: &&Meeting| {
                    (made.created_by & !LARGE, made.parent) == (pending.function & !LARGE, pending.comm)
                        && !worlds.claimed.contains(&(process, made.id))
                };
                let made = objects.process(process).meetings.iter().find(is_its_comm).cloned();
                let made = made.filter(|_| *code == 0);
                worlds.claimed.extend(made.as_ref().map(|made| (process, made.id)));
                let side = made.as_ref().map(|made| made.side.clone());
                let made = made.map(|made| made.id).unwrap_or_default();
                let is_known = objects.local_comm(process, made).is_some_and(|comm| !comm.foreign);
                if let Some(side) = side.as_ref().filter(|_| !is_known) {
                    worlds.returns.insert((process, thread, head.at), side.clone());
                }
                let is_its = |c: &Call| (c.process, c.thread) == (process, thread) && c.ended_ns.is_none();
                match worlds.calls.iter().position(is_its) {
                    Some(at) if side.is_none() && *code != 0 => drop(worlds.calls.remove(at)),
                    Some(at) => {
                        let call = &mut worlds.calls[at];
                        (call.ended_ns, call.side) = (Some(ended_ns), side);
                    }
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// After an event: a process that has met others waits.
    pub(crate) fn hold_after(&mut self, process: u32, event: &Event) {
        if !matches!(event.body, Body::Return { .. }) || self.worlds.returns.is_empty() {
            return;
        }
        let key = (process, event.head.thread, event.head.at);
        let Some(side) = self.worlds.returns.remove(&key) else { return };
        let is_clear = self.worlds.known.contains(&side) || self.worlds.given_up.contains(&side);
        if !is_clear && !self.follows_no_more {
            self.worlds.held.insert(process, Hold { of: Some(side), ..Hold::default() });
        }
    }

    /// Identifies peers, and releases the processes whose peers are identified or cannot be.
    pub fn settle(&mut self, now_ns: u64) {
        while self.is_holding() {
            self.join_spawned();
            self.join_ports();
            self.worlds.calls.retain(|call| call.state != State::Joined);
            if !self.let_go(now_ns) {
                break;
            }
        }
    }

    /// No more events will come: what is unknown stays unknown.
    pub fn settle_all(&mut self) {
        self.worlds.caught_up_ns = i128::MAX;
        // Nobody gives up at the first moment of all.
        self.settle(0);
        while self.is_holding() {
            self.settle(u64::MAX);
        }
    }

    fn joined(&mut self, sides: [(Side, Members); 2]) {
        for (side, others) in sides {
            self.objects.meet(side.clone(), others);
            self.worlds.known.insert(side);
        }
        self.objects.resolve();
    }

    fn join_spawned(&mut self) {
        let error_ns = i128::from(self.settings.clock_error_ns);
        let worlds = &self.worlds;
        let mut found: Vec<(usize, u32)> = Vec::new();
        for (at, call) in worlds.calls.iter().enumerate() {
            let (Some(others), Some(end_ns)) = (call.others(), call.ended_ns) else { continue };
            if !call.is_spawn() || call.state != State::Open || worlds.caught_up_ns <= end_ns + error_ns {
                continue;
            }
            let fits = |world: &World| {
                world.state == State::Open
                    && world.began_ns.len() as i64 == i64::from(others)
                    && world.began().is_some_and(|(from, to)| call.spans(from, to, error_ns))
            };
            let mut fitting = worlds.spawned.iter().filter(|(_, world)| fits(world));
            let (Some((&number, world)), None) = (fitting.next(), fitting.next()) else { continue };
            let Some((from_ns, _)) = world.began() else { continue };
            // Who else may have started it.
            let is_rival = |(other, rival): (usize, &Call)| {
                other != at
                    && rival.is_spawn()
                    && rival.state != State::Joined
                    && rival.spans(from_ns, from_ns, error_ns)
                    && rival.others().is_none_or(|of| of == others)
            };
            if !worlds.calls.iter().enumerate().any(is_rival) {
                found.push((at, number));
            }
        }
        for (at, number) in found {
            let (Some(side), Some(callers)) =
                (self.worlds.calls[at].side.clone(), self.worlds.calls[at].callers().cloned())
            else {
                continue;
            };
            let Some(world) = self.worlds.spawned.get_mut(&number).filter(|world| world.state == State::Open) else {
                continue;
            };
            world.state = State::Joined;
            let members = world.members();
            self.worlds.calls[at].state = State::Joined;
            self.joined([(side, members), (Side::Spawned(number), callers)]);
        }
    }

    fn join_ports(&mut self) {
        let error_ns = i128::from(self.settings.clock_error_ns);
        let worlds = &self.worlds;
        let partner = |at: usize| {
            let call = &worlds.calls[at];
            let mut all = worlds.calls.iter().enumerate().filter(|(_, other)| call.may_meet(other, error_ns));
            match (all.next(), all.next()) {
                (Some((other, _)), None) => Some(other),
                _ => None,
            }
        };
        let is_over = |call: &Call| {
            call.state == State::Open
                && call.side.is_some()
                && call.ended_ns.is_some_and(|end| worlds.caught_up_ns > end + error_ns)
        };
        let mut found: Vec<[usize; 2]> = Vec::new();
        for (at, call) in worlds.calls.iter().enumerate() {
            if call.base != id::Comm_accept || call.port == 0 || !is_over(call) {
                continue;
            }
            let other = partner(at).filter(|&other| is_over(&worlds.calls[other]) && partner(other) == Some(at));
            found.extend(other.map(|other| [at, other]));
        }
        for pair in found {
            let sides = pair.map(|at| {
                let call = &self.worlds.calls[at];
                Some((call.side.clone()?, call.callers()?.clone()))
            });
            let [Some((one, ones)), Some((two, twos))] = sides else { continue };
            pair.iter().for_each(|&at| self.worlds.calls[at].state = State::Joined);
            self.joined([(one, twos), (two, ones)]);
        }
    }

    /// Whether some events no longer wait.
    fn let_go(&mut self, now_ns: u64) -> bool {
        let patience_ns = if self.worlds.is_impatient { LESS_PATIENCE_NS } else { PATIENCE_NS };
        let mut free: Vec<u32> = Vec::new();
        let mut late: Vec<(u32, Side)> = Vec::new();
        for (&process, hold) in &mut self.worlds.held {
            let since_ns = *hold.since_ns.get_or_insert(now_ns);
            let Some(side) = &hold.of else {
                free.push(process);
                continue;
            };
            if self.worlds.known.contains(side) || self.worlds.given_up.contains(side) {
                free.push(process);
            } else if now_ns == u64::MAX || now_ns.saturating_sub(since_ns) >= patience_ns {
                late.push((process, side.clone()));
            }
        }
        late.sort_unstable_by_key(|(process, _)| *process);
        for (process, side) in late {
            free.push(process);
            if self.worlds.given_up.insert(side.clone()) {
                self.give_up_meeting(process, &side);
            }
        }
        free.sort_unstable();
        let has_some = !free.is_empty();
        for process in free {
            let Some(mut hold) = self.worlds.held.remove(&process) else { continue };
            while let Some(event) = hold.events.pop_front() {
                self.event(process, &event);
                self.hold_after(process, &event);
                if let Some(again) = self.worlds.held.get_mut(&process) {
                    again.events = hold.events;
                    break;
                }
            }
        }
        has_some
    }

    fn give_up_meeting(&mut self, process: u32, side: &Side) {
        self.worlds.is_impatient = true;
        let (function, others) = match side {
            Side::Spawned(world) => {
                if let Some(world) = self.worlds.spawned.get_mut(world) {
                    world.state = State::GivenUp;
                }
                (0, 0)
            }
            Side::Callers(_, others, _) => {
                let mut function = 0;
                for call in self.worlds.calls.iter_mut().filter(|call| call.side.as_ref() == Some(side)) {
                    call.state = State::GivenUp;
                    function = call.base;
                }
                if function == 0 {
                    let meetings = &self.objects.process(process).meetings;
                    function =
                        meetings.iter().find(|made| made.side == *side).map_or(0, |made| made.created_by & !LARGE);
                }
                (function, (*others).max(0) as u32)
            }
        };
        self.worlds.strangers.push(Stranger { process, function, others });
    }

    /// A call that makes or frees objects waits for the processes of other worlds, too, except where these need not call it.
    pub(crate) fn is_one_sided(&self, process: u32, comm: u32, function: u16) -> bool {
        // Processes that finalise MPI are disconnected as well, and often do not free their communicators.
        u32::from(function) & !LARGE == id::Comm_free
            && (self.objects.local_comm(process, comm))
                .is_some_and(|local| self.objects.comms.get(local.number as usize).is_some_and(|c| c.is_spanning))
    }
}
