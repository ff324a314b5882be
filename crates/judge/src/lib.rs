//! Whether a program's MPI is correct: events of all its processes in, findings out.
//!
//! Design constraints. No I/O, nothing is printed, no clock is read: the caller brings events, says when it has read all there
//! is ([`Judge::standstill`]) and takes the findings. What is found does not depend on how events of different processes
//! are interleaved. Memory is bounded by what is outstanding. Events come from files that may be damaged: nothing in them
//! is believed, nothing panics.

pub mod finding;
pub mod rules;
pub mod settings;

use mpiscope_trace::check::Event;
use mpiscope_trace::defs::Definition;

pub use finding::{Confidence, Finding, Party, Severity};
pub use settings::Settings;

/// Who a process is. Processes are numbered by the reader: those of the first world by their rank in it, others from its
/// size on.
#[derive(Clone, Copy, Debug)]
pub struct Introduction {
    /// Which world, 0 the first; spawned processes have others.
    pub world: u32,
    /// Rank in the world.
    pub rank: i32,
    /// Ticks of its clock in a second.
    pub ticks_per_s: u64,
    /// Its threads may all call at once (`MPI_THREAD_MULTIPLE`).
    pub multiple: bool,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself, after `MPI_Finalize` or without it.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// Nobody knows.
    Lost,
}

/// The judge of one run.
pub struct Judge {
    settings: Settings,
    found: Vec<Finding>,
}

impl Judge {
    /// Nothing has been seen yet.
    pub fn new(settings: Settings) -> Judge {
        Judge { settings, found: Vec::new() }
    }

    /// Says who a process is, before its first event. Without it a process is of the first world and its number is its rank.
    pub fn introduce(&mut self, process: u32, who: Introduction) {
        let _ = (process, who);
    }

    /// A definition of its rank file, before the first event that names it.
    pub fn define(&mut self, process: u32, definition: &Definition) {
        let _ = (process, definition);
    }

    /// An event. Those of one process come in the order of their moments, processes in any order.
    pub fn take(&mut self, process: u32, event: &Event) {
        let _ = (process, event);
    }

    /// What a thread's ring says of its unsuccessful calls since its last event, which was a
    /// [`mpiscope_trace::check::event::Body::Poll`]: how many, and when the latest was (ticks).
    pub fn poll_state(&mut self, process: u32, thread: u8, polls: u64, polled_at: u64) {
        let _ = (process, thread, polls, polled_at);
    }

    /// All rings have been read to their ends and every event was taken; `now_ns` is a clock of the reader's that only goes
    /// forward. Called every few tens of ms, whether or not something moves: it finds out who is stuck. Whether a deadlock is
    /// among the findings that are known by now.
    pub fn standstill(&mut self, now_ns: u64) -> bool {
        let _ = (now_ns, &self.settings);
        false
    }

    /// A process is not there any more.
    pub fn process_ended(&mut self, process: u32, how: Ended) {
        let _ = (process, how);
    }

    /// The end of all processes: what is left over is wrong.
    pub fn finish(&mut self) {}

    /// New findings since the last call.
    pub fn findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.found)
    }

    /// How often each finding has happened by now, by its number.
    pub fn counts(&self) -> &[u64] {
        &[]
    }
}
