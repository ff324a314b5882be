//! Further jobs: short ones that follow the main job, for what a job can measure only once or only with its own number of ranks.
//!
//! Here is decided which they are, in which order, and in how much of the time. Who has started the main job starts them, too; each appends to the main
//! job's journal. Under a launcher of the user there are none.

use std::path::Path;
use std::time::{Duration, Instant};

use mpiscope_mpi::ThreadLevel;

use crate::error::BenchError;
use crate::journal::{self, Line};
use crate::session::Session;
use crate::start::by_ranks;
use crate::threads::level;

/// What a further job measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Further {
    /// `MPI_Init` and memory, with fewer ranks.
    Start,
    /// Messages at a level of threads.
    Level(ThreadLevel),
}

/// All, by their stable names.
const ALL: [(&str, Further); 3] = [
    ("start", Further::Start),
    ("level-single", Further::Level(ThreadLevel::Single)),
    ("level-multiple", Further::Level(ThreadLevel::Multiple)),
];

impl Further {
    /// The one with this name.
    pub fn named(name: &str) -> Option<Further> {
        ALL.iter().find(|(known, _)| *known == name).map(|(_, further)| *further)
    }

    /// Stable name.
    pub fn name(self) -> &'static str {
        ALL.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// The level with which the job initializes MPI; `None` for that of the main job.
    pub fn level(self) -> Option<ThreadLevel> {
        if let Further::Level(level) = self { Some(level) } else { None }
    }

    /// Measures; every rank of the job calls it, before any other message.
    pub(crate) fn measure(self, session: &mut Session, provided: ThreadLevel) -> Result<(), BenchError> {
        if session.rank == 0 {
            session.record(Line::Launch);
        }
        match self {
            Further::Start => by_ranks::measure(session),
            Further::Level(level) => level::measure(session, level, provided),
        }
    }
}

/// A job to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// What it measures.
    pub further: Further,
    /// Its number of ranks.
    pub ranks: u32,
}

/// The jobs that follow a main job, each when it is its turn.
pub struct Launches {
    starts: by_ranks::Jobs,
    levels: level::Jobs,
    problems: Vec<String>,
}

impl Launches {
    /// Those with this budget and these words, after the main job whose journal is in this directory. `has_ranks`: whether jobs can be
    /// started with another number of ranks.
    ///
    /// # Errors
    ///
    /// If the journal cannot be read.
    pub fn after(
        budget: Duration,
        words: &[String],
        directory: &Path,
        has_ranks: bool,
    ) -> Result<Launches, BenchError> {
        let (mut ranks, mut with_threads) = (0, false);
        for line in journal::read(directory)? {
            if let Line::Begin { mpi, settings, .. } = line {
                (ranks, with_threads) = (mpi.ranks, settings.with_threads);
            }
        }
        let starts = by_ranks::Jobs::after(budget, words, ranks);
        let levels = level::Jobs::after(budget, words, with_threads);
        Ok(match has_ranks || starts.is_empty() {
            true => Launches { starts, levels, problems: Vec::new() },
            false => {
                Launches { starts: by_ranks::Jobs::none(), levels, problems: vec![by_ranks::NEEDS_JOBS.to_owned()] }
            }
        })
    }

    /// How far those are that measure the same.
    pub fn percent(&self, further: Further) -> u64 {
        let done = match further {
            Further::Start => self.starts.done(),
            Further::Level(_) => self.levels.done(),
        };
        (100.0 * done).min(99.0) as u64
    }

    /// A job ended by an error: there are no more that measure the same.
    pub fn failed(&mut self, launch: Launch, why: &str) {
        self.problems.push(match launch.further {
            Further::Start => {
                self.starts = by_ranks::Jobs::none();
                format!("start: the further jobs with fewer ranks ended early at {} ranks: {why}", launch.ranks)
            }
            Further::Level(level) => {
                self.levels = level::Jobs::none();
                let name = level::name(level).to_uppercase();
                format!("threads: the further jobs ended early at MPI_THREAD_{name}: {why}")
            }
        });
    }

    /// The user ends the measurement: there are no more jobs.
    pub fn interrupted(&mut self) {
        (self.starts, self.levels) = (by_ranks::Jobs::none(), level::Jobs::none());
        self.problems.push("an interrupt ended the further jobs: those that were left are missing".to_owned());
    }

    /// After the last job: what a reader of the profile has to consider.
    pub fn problems(self) -> Vec<String> {
        self.problems.into_iter().chain(self.starts.left_out()).collect()
    }
}

impl Iterator for Launches {
    type Item = Launch;

    fn next(&mut self) -> Option<Launch> {
        if let Some(ranks) = self.starts.next() {
            return Some(Launch { further: Further::Start, ranks });
        }
        self.levels.next().map(|level| Launch { further: Further::Level(level), ranks: level::RANKS })
    }
}

/// What the further jobs of a main job with so many ranks take of its budget.
pub fn reserved(budget: Duration, words: &[String], ranks: i32) -> Duration {
    by_ranks::reserved(budget, words, ranks) + level::reserved(budget, words)
}

/// A part of the budget, which is spent from its first use on.
pub struct Share {
    begun: Option<Instant>,
    time: Duration,
}

impl Share {
    pub fn new(time: Duration) -> Share {
        Share { begun: None, time }
    }

    /// Whether it is spent.
    pub fn is_over(&mut self) -> bool {
        self.begun.get_or_insert_with(Instant::now).elapsed() >= self.time
    }

    /// How much of it is spent: 1 for all.
    pub fn spent(&self) -> f64 {
        self.begun.map_or(0.0, |begun| begun.elapsed().as_secs_f64() / self.time.as_secs_f64().max(1e-3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice;
    use crate::journal::Journal;
    use mpiscope_machine::{MpiFacts, Settings};

    fn launches(words: &[&str], ranks: i32, with_threads: bool, has_ranks: bool) -> Launches {
        let dir = tempfile::tempdir().unwrap();
        let begin = Line::Begin {
            mpiscope: String::new(),
            started_s: 0,
            mpi: MpiFacts { ranks, ..MpiFacts::default() },
            settings: Settings { with_threads, ..Settings::default() },
            hosts: Vec::new(),
            ranks: Vec::new(),
            pairs: Vec::new(),
        };
        Journal::create(dir.path()).unwrap().write(&[begin]).unwrap();
        Launches::after(Duration::ZERO, &choice::tests::words(words), dir.path(), has_ranks).unwrap()
    }

    /// Names and numbers of ranks.
    fn listed(launches: impl Iterator<Item = Launch>) -> Vec<(&'static str, u32)> {
        launches.map(|launch| (launch.further.name(), launch.ranks)).collect()
    }

    const LEVELS: [(&str, u32); 4] =
        [("level-single", 2), ("level-multiple", 2), ("level-multiple", 2), ("level-single", 2)];

    #[test]
    fn names_are_stable() {
        for (name, further) in ALL {
            assert_eq!((Further::named(name), further.name()), (Some(further), name));
        }
        assert_eq!(Further::named("start/"), None);
    }

    #[test]
    fn fewer_ranks_come_before_levels() {
        let both = launches(&["start", "threads"], 3, true, true);
        assert_eq!(listed(both), [&[("start", 2)], &LEVELS[..]].concat());
        assert_eq!(listed(launches(&["pingpong"], 3, true, true)), []);
        assert_eq!(listed(launches(&["threads"], 3, false, true)), [], "the MPI has one level only");
        // `start` is in the standard set.
        assert_eq!(listed(launches(&[], 3, false, true)), [("start", 2)]);
    }

    #[test]
    fn what_was_left_out_is_reported() {
        let mut short = launches(&["start"], 16, false, true);
        assert_eq!(listed(short.by_ref()), [("start", 2)]);
        let text = "start: the time for further jobs ended before those with 4 and 8 ranks";
        assert_eq!(short.problems(), [text]);
        let mut fixed = launches(&["start", "threads"], 16, true, false);
        assert_eq!(listed(fixed.by_ref()), LEVELS);
        assert_eq!(fixed.problems(), [by_ranks::NEEDS_JOBS]);
        assert!(launches(&["start"], 2, false, false).problems().is_empty(), "there are no fewer ranks");
    }

    #[test]
    fn nothing_follows_an_interrupt() {
        let mut both = launches(&["start", "threads"], 9, true, true);
        let first = both.next().unwrap();
        both.failed(first, "exit code 1");
        both.interrupted();
        assert_eq!(listed(both.by_ref()), []);
        let problems = both.problems();
        assert!(problems.len() == 2 && problems[1].starts_with("an interrupt ended"), "{problems:?}");
    }

    #[test]
    fn others_follow_one_that_fails() {
        let mut both = launches(&["start", "threads"], 5, true, true);
        let first = both.next().unwrap();
        both.failed(first, "it was tired");
        assert_eq!(listed(both.by_ref()), LEVELS);
        let levels = Launch { further: Further::Level(ThreadLevel::Single), ranks: 2 };
        both.failed(levels, "exit code 3");
        assert_eq!(
            both.problems(),
            [
                "start: the further jobs with fewer ranks ended early at 2 ranks: it was tired",
                "threads: the further jobs ended early at MPI_THREAD_SINGLE: exit code 3",
            ]
        );
    }
}
