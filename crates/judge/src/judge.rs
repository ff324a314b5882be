//! The judge: its interface, and how its parts work together.

use mpiscope_trace::check::Event;
use mpiscope_trace::defs::Definition;
use rustc_hash::FxHashMap;

use crate::access_conflicts::AccessConflicts;
use crate::access_conflicts::bytes::Ranges;
use crate::bsend::Buffers;
use crate::collective_traits::Kinds;
use crate::collectives::Collectives;
use crate::deadlock::{Anything, Beyond};
use crate::finding::Finding;
use crate::memory::View;
use crate::messages::Messages;
use crate::objects::Objects;
use crate::other_matches::Log;
use crate::process::Process;
use crate::replay::{Replay, Step, World};
use crate::report::{CallRef, Draft, Sink};
use crate::settings::Settings;
use crate::worlds::Worlds;

/// A process number above this is from a damaged file.
const MOST_PROCESSES: u32 = 1 << 22;

/// The identity of a process. The reader numbers processes: those of the first world by their rank in it, others from its size
/// upwards.
#[derive(Clone, Copy, Debug)]
pub struct Introduction {
    /// Its world, 0 for the first; spawned processes have others.
    pub world: u32,
    /// Rank in the world. Processes of a world have consecutive numbers, ordered by rank.
    pub rank: i32,
    /// Size of the world; 0 if unknown.
    pub size: u32,
    /// MPI started it (`MPI_Comm_spawn`).
    pub is_spawned: bool,
    /// Ticks of its clock per second.
    pub ticks_per_s: u64,
    /// A moment of its clock …
    pub zero_ticks: u64,
    /// … and the value of a clock that all processes share at that moment, ns; compared within [`Settings::clock_error_ns`].
    pub zero_ns: u64,
    /// Several of its threads may call MPI at the same time (`MPI_THREAD_MULTIPLE`).
    pub multiple: bool,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, with or without `MPI_Finalize`.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// Unknown.
    Lost,
}

/// The judge of one run.
pub struct Judge {
    pub(crate) settings: Settings,
    pub(crate) kinds: Kinds,
    pub(crate) objects: Objects,
    pub(crate) processes: Vec<Process>,
    pub(crate) messages: Messages,
    pub(crate) collectives: Collectives,
    pub(crate) replay: Replay,
    pub(crate) access_conflicts: AccessConflicts,
    pub(crate) windows: FxHashMap<(bool, u32, u32), u32>,
    /// Operations whose buffer is in a window of their own process; calls that have not returned have their thread.
    pub(crate) own_ops: FxHashMap<u32, Vec<(u64, Option<u8>)>>,
    /// Of those, calls without an operation.
    pub(crate) own_calls: u64,
    /// Files by their identity on their host.
    pub(crate) file_identities: FxHashMap<u64, u32>,
    /// Offsets of the bytes of elements, by process and datatype, and whether they are exact.
    pub(crate) shapes: FxHashMap<(u32, u32, u64), (Ranges, bool)>,
    /// By window and assertion: the first process that has asserted that all parts of the window are equal, and its own value.
    pub(crate) alike: FxHashMap<(u32, u64), (CallRef, i128)>,
    /// By process and its file.
    pub(crate) views: FxHashMap<(u32, u32), View>,
    pub(crate) shared_views: crate::shared::SharedViews,
    pub(crate) buffers: Buffers,
    pub(crate) packed: crate::packed::Packed,
    /// By window, target and origin: numbers of exposures, begun accesses and completed accesses.
    pub(crate) counts: FxHashMap<(u32, u32, u32), [u32; 3]>,
    pub(crate) no_checks: crate::assertions::NoChecks,
    /// What processes did, for the replay with other matches.
    pub(crate) others: Log,
    pub(crate) unplayed: bool,
    pub(crate) worlds: Worlds,
    pub(crate) threads: crate::threads::Threads,
    /// Changed buffers of collective operations. If the calls of processes do not match, an MPI may write into send buffers; so
    /// each finding waits until the events that existed at its moment have been read.
    pub(crate) written: Vec<(Draft, bool)>,
    pub(crate) sink: Sink,
    pub(crate) last_move_ns: Option<u64>,
    pub(crate) is_timeout_reported: bool,
    /// See [`Judge::follow_no_more`].
    pub(crate) follows_no_more: bool,
}

impl Judge {
    /// No event was read yet.
    pub fn new(settings: Settings) -> Judge {
        let replay = Replay::new(settings.clocks, settings.races);
        let mut others = Log::default();
        if !settings.races {
            others.turn_off();
        }
        Judge {
            settings,
            kinds: Kinds::new(),
            objects: Objects::default(),
            processes: Vec::new(),
            messages: Messages::default(),
            collectives: Collectives::default(),
            replay,
            access_conflicts: AccessConflicts::default(),
            windows: FxHashMap::default(),
            own_ops: FxHashMap::default(),
            own_calls: 0,
            file_identities: FxHashMap::default(),
            shapes: FxHashMap::default(),
            alike: FxHashMap::default(),
            views: FxHashMap::default(),
            shared_views: Default::default(),
            buffers: Buffers::default(),
            packed: Default::default(),
            counts: FxHashMap::default(),
            no_checks: Default::default(),
            others,
            unplayed: false,
            worlds: Worlds::default(),
            threads: Default::default(),
            written: Vec::new(),
            sink: Sink::default(),
            last_move_ns: None,
            is_timeout_reported: false,
            follows_no_more: false,
        }
    }

    pub(crate) fn process(&mut self, process: u32) -> &mut Process {
        let at = process as usize;
        if self.processes.len() <= at {
            self.processes.resize_with(at + 1, Process::default);
        }
        &mut self.processes[at]
    }

    /// Introduces a process, before its first event. By default, a process is in the first world, its number is its rank, and a
    /// tick of its clock is a nanosecond.
    pub fn introduce(&mut self, process: u32, who: Introduction) {
        if process < MOST_PROCESSES {
            if who.world != 0 {
                // The processes that existed before it was spawned are unknown.
                self.others.turn_off();
                self.sink.names.add(process, who);
            }
            self.objects.introduce(process, who);
            self.process(process);
            self.enters_world(process, who);
        }
    }

    /// A definition of its rank file, before the first event that names it.
    pub fn define(&mut self, process: u32, definition: &Definition) {
        if process < MOST_PROCESSES {
            self.objects.define(process, definition);
            self.process(process);
            self.defined(process, definition);
        }
    }

    /// Processes an event. Events of one process come in order, those of different processes in any order.
    pub fn feed(&mut self, process: u32, event: &Event) {
        if process < MOST_PROCESSES {
            self.process(process);
            self.objects.process(process);
            if !self.holds(process, event) {
                self.event(process, event);
                self.hold_after(process, event);
            }
        }
    }

    /// The clocks of processes may differ by more than the settings assume.
    pub fn clocks_differ(&mut self, error_ns: u64) {
        self.settings.clock_error_ns = self.settings.clock_error_ns.max(error_ns);
    }

    /// Events of a process were lost: what follows from their absence is no longer certain.
    pub fn lost(&mut self) {
        self.sink.lossy = true;
    }

    /// The unsuccessful polls of a thread since its last event, a [`mpiscope_trace::check::event::Body::Poll`], from its ring:
    /// their number, and the moment of the latest (ticks).
    pub fn poll_state(&mut self, process: u32, thread: u8, polls: u64, polled_at: u64) {
        if process >= MOST_PROCESSES || self.held(process).is_some() {
            return;
        }
        let thread = self.process(process).thread(thread);
        if thread.asking.is_empty() {
            return;
        }
        thread.asks |= polled_at > thread.asked_at;
        thread.asked_at = thread.asked_at.max(polled_at);
        thread.asked = thread.asked.max(polls);
    }

    /// All rings are read to their ends and every event is processed; `now_ns` is a monotonic clock of the reader. To be called
    /// every few tens of ms, with or without new events: it detects deadlocks, even of a few processes while others continue.
    /// Returns whether some are in a permanent deadlock. Any thread of a process with `MPI_THREAD_MULTIPLE` may still release
    /// another process, and any loop may give up.
    pub fn standstill(&mut self, now_ns: u64) -> bool {
        self.standstill_unless(now_ns, &mut Anything)
    }

    /// The same; `beyond` has further information.
    pub fn standstill_unless(&mut self, now_ns: u64, beyond: &mut dyn Beyond) -> bool {
        self.settle(now_ns);
        if self.is_holding() {
            return false;
        }
        self.replay_unbuffered(false);
        self.stuck(now_ns, beyond)
    }

    /// No process has reported an event for `quiet_ns`, and all of them are in a call that waits, or poll without success: the
    /// program does not compute. To be called before [`Judge::standstill`], with a moment of the same clock.
    pub fn nobody_computes(&self, now_ns: u64, quiet_ns: u64) -> bool {
        self.waits_everywhere(now_ns, quiet_ns)
    }

    /// The same, whatever the calls wait for: the behaviour of an MPI library after an error is undefined.
    pub fn nobody_returns(&self, now_ns: u64, quiet_ns: u64) -> bool {
        self.is_held(now_ns, quiet_ns)
    }

    /// A process has ended.
    pub fn process_ended(&mut self, process: u32, how: Ended) {
        if process < MOST_PROCESSES {
            self.process(process).ended = Some(how);
        }
    }

    /// At the end of all processes: reports everything that is outstanding.
    pub fn report_at_end(&mut self) {
        self.report_at_end_with(&mut Anything);
    }

    /// The same; `beyond` has further information.
    pub fn report_at_end_with(&mut self, beyond: &mut dyn Beyond) {
        self.settle_all();
        self.replay_unbuffered(true);
        for waiting in self.access_conflicts.resolve_pending(&self.replay.clocks) {
            self.replay.wake(waiting);
        }
        self.go_on();
        self.shared_views.report(&mut self.sink);
        self.report_thread_order();
        self.report_short_buffers();
        self.report_collected();
        self.collectives.report_unfinished_lists(&mut self.objects, &mut self.sink);
        self.play_others(beyond);
        self.report_unmatched();
        self.report_changed_buffers(true);
    }

    /// New findings since the last call.
    pub fn findings(&mut self) -> Vec<Finding> {
        self.report_collected();
        self.sink.drain()
    }

    /// How often each finding has occurred so far, by its number.
    pub fn counts(&self) -> &[u64] {
        &self.sink.counts
    }

    /// Number of operations that are remembered, for tests that it is bounded.
    pub fn outstanding(&self) -> usize {
        self.messages.messages.len()
            + self.messages.receives.len()
            + self.collectives.outstanding()
            + self.replay.outstanding()
            + self.processes.iter().map(|p| p.ops.len()).sum::<usize>()
    }

    /// From now on processes are no longer compared with each other, and outstanding operations are dropped: for a reader that
    /// does not get the events of some processes, and would keep those of the others to the end. Findings of single processes are
    /// reported as before.
    pub fn follow_no_more(&mut self) {
        self.settle_all();
        self.report_collected();
        *self = Judge {
            objects: std::mem::take(&mut self.objects),
            sink: std::mem::take(&mut self.sink),
            written: std::mem::take(&mut self.written),
            last_move_ns: self.last_move_ns,
            is_timeout_reported: self.is_timeout_reported,
            follows_no_more: true,
            ..Judge::new(self.settings.clone())
        };
        self.sink.lossy = true;
    }

    /// Adds a step to the replay.
    pub(crate) fn step(&mut self, process: u32, step: Step) {
        self.others.step(process, &step, &mut self.messages);
        let mut world = World {
            messages: &mut self.messages,
            collectives: &self.collectives,
            kinds: &self.kinds,
            access_conflicts: &mut self.access_conflicts,
        };
        self.replay.push(process, step, &mut world);
    }

    /// Continues the replay as far as possible, and reports deadlocks that only buffering avoided. Before the end, another thread
    /// of a process with several threads can still do what one of them waits for.
    fn replay_unbuffered(&mut self, is_end: bool) {
        for _ in 0..64 {
            let Judge { messages, collectives, kinds, access_conflicts, processes, replay, objects, .. } = self;
            let mut world = World { messages, collectives, kinds, access_conflicts };
            let is_open = |process: u32| {
                processes.get(process as usize).is_none_or(|p| p.threads.iter().any(|t| t.open.is_some()))
            };
            let has_threads = |process: u32| !is_end && objects.is_multiple(process);
            let (saved, went_on) = replay.saved(&mut world, is_open, has_threads);
            for one in &saved {
                self.report_saved(one);
            }
            self.go_on();
            if !went_on {
                break;
            }
        }
    }

    /// Replays the steps that are possible now.
    pub(crate) fn go_on(&mut self) {
        let mut world = World {
            messages: &mut self.messages,
            collectives: &self.collectives,
            kinds: &self.kinds,
            access_conflicts: &mut self.access_conflicts,
        };
        self.replay.go_on(&mut world);
    }
}
