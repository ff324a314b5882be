//! The loop of `mpiscope check` beside the program: reads the events of the processes, passes them to the judge, reports
//! findings, ends the program.
//!
//! `discovery` and `remote` find processes, `events` passes on what they did, `progress` notices that nothing moves,
//! `reporting` prints findings, `ending` does what remains at the end.

mod discovery;
mod ending;
mod events;
mod outside;
mod progress;
mod remote;
mod reporting;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mpiscope_judge::Judge;
use mpiscope_launch::host;
use mpiscope_symbols::Resolver;

use super::data_dependence::Alikes;
use super::declared::Variables;
use super::findings::ReportedFinding;
use super::hosts::{FAN, Hub};
use super::other_threads::Sleepers;
use super::poll_loops::Loops;
use super::process::Process;
use super::python_poll_loops::PythonLoops;
use super::worlds::Worlds;
use super::{Job, Wishes};
use crate::say;

/// Events of a process that are read in one batch. Events of one rank wait for those of the others: with larger batches
/// they have left the processor's cache by then.
const AT_ONCE: usize = 256;
/// Interval of looking for new processes.
const LOOK: Duration = Duration::from_millis(50);
/// Interval of reading rings: the first while events arrive; without events it grows to the second. Reading all the time
/// would take a core from the program.
const NAPS: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(8)];
/// After this many events in one round there are more, and the processes that write them may be waiting for room.
const MANY: usize = AT_ONCE;
/// Interval of looking for deadlocks.
const STANDSTILL: Duration = Duration::from_millis(25);

/// Reads events, asks the judge, reports findings, ends the program.
pub struct CheckDriver {
    program: Vec<String>,
    run: PathBuf,
    folders: [PathBuf; 2],
    launcher: u32,
    /// This one.
    host: String,
    judge: Judge,
    processes: Vec<Process>,
    by_number: HashMap<u32, usize>,
    /// Processes of other hosts by their number in frames.
    far: HashMap<u64, usize>,
    hub: Option<Hub>,
    pub reported: Vec<ReportedFinding>,
    /// What could not be seen.
    pub notes: Vec<String>,
    resolver: Resolver,
    variables: Variables,
    loops: Loops,
    python_loops: PythonLoops,
    alikes: Alikes,
    sleepers: Sleepers,
    pub wishes: Wishes,
    began: Instant,
    stopping: Option<Instant>,
    worlds: Worlds,
    /// When the last search for new processes began, ns of this host's clock.
    looked_ns: u64,
}

/// Rules that need the order of what processes do, which takes the judge much of its time where they access windows and files.
const OF_ORDER: [&str; 5] = ["race.", "rma.", "io.", "file.", "buffer."];

impl CheckDriver {
    pub fn new(job: &Job<'_>, folders: [PathBuf; 2], launcher: u32, wishes: Wishes) -> CheckDriver {
        let settings = mpiscope_judge::Settings {
            deadlock_timeout_ns: wishes.deadlock_timeout_ns,
            races: wishes.only.wants_some(&OF_ORDER),
            ..Default::default()
        };
        CheckDriver {
            program: job.program.to_vec(),
            run: job.run.to_owned(),
            folders,
            launcher,
            host: host::name(),
            judge: Judge::new(settings),
            processes: Vec::new(),
            by_number: HashMap::new(),
            far: HashMap::new(),
            hub: None,
            reported: Vec::new(),
            notes: Vec::new(),
            resolver: Resolver::default(),
            variables: Variables::new(Resolver::default()),
            loops: Loops::default(),
            python_loops: PythonLoops::default(),
            alikes: Alikes::default(),
            sleepers: Sleepers::default(),
            wishes,
            began: Instant::now(),
            stopping: None,
            worlds: Worlds::default(),
            looked_ns: 0,
        }
    }

    /// Listens to other hosts.
    pub fn listen(&mut self) {
        match Hub::start(&self.run, &self.host, FAN) {
            Ok(hub) => self.hub = Some(hub),
            Err(error) => self.note(format!("events of ranks on other hosts are read only at the end: {error}")),
        }
    }

    /// Processes that were checked.
    pub fn processes(&self) -> usize {
        self.processes.iter().filter(|p| p.number.is_some()).count()
    }

    /// Events that were lost because a buffer was full.
    pub fn lost(&self) -> u64 {
        self.processes.iter().map(Process::events_lost).sum()
    }

    fn note(&mut self, text: String) {
        say::warning(&text);
        self.notes.push(text);
    }

    /// Until the program has ended.
    pub fn work(&mut self, is_over: &AtomicBool) {
        let (mut looked, mut asked, mut nap) = (None::<Instant>, Instant::now(), NAPS[0]);
        while !is_over.load(Ordering::Acquire) {
            if looked.is_none_or(|at| at.elapsed() >= LOOK) {
                self.find_processes();
                self.note_ended_processes();
                looked = Some(Instant::now());
            }
            let events = self.read_events();
            nap = if events > 0 { NAPS[0] } else { (nap * 2).min(NAPS[1]) };
            if asked.elapsed() >= STANDSTILL {
                asked = Instant::now();
                self.check_progress();
            }
            self.report_findings();
            match &mut self.hub {
                _ if events >= MANY => {}
                Some(hub) => hub.wait(nap),
                None => std::thread::sleep(nap),
            }
        }
    }
}
