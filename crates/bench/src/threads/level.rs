//! What `MPI_THREAD_MULTIPLE` costs a process with one thread.
//!
//! The level of threads belongs to a process and is fixed when MPI is initialized. `MPI_Init_thread` can be called once, and a later `MPI_Session_init`
//! of MPICH only inherits the level (pull request 7424 of pmodels/mpich); Open MPI 4 has no sessions. So short jobs of two ranks follow
//! the main one, in pairs: one with `MPI_THREAD_SINGLE`, one with `MPI_THREAD_MULTIPLE`, which goes first in every other pair. Each job has its own places in memory and on processors,
//! which change its times as much as the level does: a pair of jobs gives one ratio, and the interval is that of the ratios.
//!
//! Only who has started the job can do so. Under a launcher of the user, the experiment reports that it was not measured.

use std::time::{Duration, Instant};

use mpiscope_machine::{Parameter, Scope};
use mpiscope_mpi::ThreadLevel;
use mpiscope_statistics::{median, median_interval, sorted};

use super::{EXPERIMENT, sizes};
use crate::choice::{includes, naming};
use crate::error::BenchError;
use crate::further::Share;
use crate::journal::Measured;
use crate::rounds::{Together, together};
use crate::schedule::Place;
use crate::session::Session;
use crate::swap::Swap;

/// The levels that are compared, by their stable names.
const LEVELS: [(&str, ThreadLevel); 2] = [("single", ThreadLevel::Single), ("multiple", ThreadLevel::Multiple)];
/// Ranks of a job.
pub const RANKS: u32 = 2;
/// Time in which a job measures.
const TIME: Duration = Duration::from_millis(300);
/// Of the whole time budget, one part in so many is for these jobs.
const SHARE: u32 = 5;
const FEWEST_PAIRS: usize = 2;
/// From six pairs on, the median of the ratios has an interval.
const MOST_PAIRS: usize = 8;

fn series(name: &str) -> String {
    format!("level/{name}")
}

/// Its stable name.
pub fn name(level: ThreadLevel) -> &'static str {
    LEVELS.iter().find(|(_, known)| *known == level).map_or("", |(name, _)| name)
}

/// Whether these words choose the comparison of levels.
fn is_chosen(words: &[String]) -> bool {
    let is_named = naming(words, EXPERIMENT.id).next().is_some();
    is_named && LEVELS.iter().any(|(name, _)| includes(words, EXPERIMENT.id, &series(name)))
}

/// What the jobs take of this budget.
pub fn reserved(budget: Duration, words: &[String]) -> Duration {
    if is_chosen(words) { budget / SHARE } else { Duration::ZERO }
}

/// Which level the next job has.
pub struct Jobs {
    /// `None` if there are no jobs.
    share: Option<Share>,
    begun: usize,
}

impl Jobs {
    /// The jobs that follow one with this budget and these words; none if the MPI has only one of the levels.
    pub fn after(budget: Duration, words: &[String], has_both: bool) -> Jobs {
        let share = (has_both && is_chosen(words)).then(|| Share::new(reserved(budget, words)));
        Jobs { share, begun: 0 }
    }

    pub fn none() -> Jobs {
        Jobs { share: None, begun: 0 }
    }

    /// How far they are: 1 at the end. They end with their time, or when they are as many as wanted.
    pub fn done(&self) -> f64 {
        let by_number = self.begun as f64 / (2 * MOST_PAIRS) as f64;
        self.share.as_ref().map_or(1.0, |share| share.spent().max(by_number))
    }
}

impl Iterator for Jobs {
    type Item = ThreadLevel;

    fn next(&mut self) -> Option<ThreadLevel> {
        let (pair, at) = (self.begun / 2, self.begun % 2);
        let is_over = self.share.as_mut()?.is_over();
        let is_enough = pair >= MOST_PAIRS || (pair >= FEWEST_PAIRS && is_over);
        if at == 0 && is_enough {
            return None;
        }
        self.begun += 1;
        // The other order in every other pair, so that drift of the machine cancels out.
        Some(LEVELS[(pair + at) % LEVELS.len()].1)
    }
}

/// Declares the series in the main job, and says why they are not measured.
pub fn announce(session: &mut Session) {
    if !is_chosen(&session.plan.experiments) {
        return;
    }
    for (name, _) in LEVELS {
        session.offer(series(name));
    }
    if !session.plan.can_launch && session.rank == 0 {
        session.problem(
            "threads: what MPI_THREAD_MULTIPLE costs one thread was not measured, because it needs further jobs with another level: use mpiscope bench -n"
                .into(),
        );
    }
}

/// Measures in a job of this level; every rank calls it. Ranks from the third on have nothing to do.
pub fn measure(session: &mut Session, level: ThreadLevel, provided: ThreadLevel) -> Result<(), BenchError> {
    let name = name(level);
    session.experiment = EXPERIMENT.id;
    session.budget = session.budget.min(TIME);
    if session.rank == 0 {
        session.fact(Scope::All, &format!("provided_{name}"), f64::from(provided as u8));
    }
    let bytes = sizes(session.plan.max_bytes);
    let place = |&bytes: &usize| Place { series: series(name), x: bytes as u64, moved: 0.0 };
    let (places, most) = (bytes.iter().map(place).collect(), bytes.iter().copied().max().unwrap_or(0));
    let swap = match session.rank {
        rank @ (0 | 1) if session.size > 1 => Some(Swap::new(session.mpi, session.mpi.world(), rank, 1 - rank, most)?),
        _ => None,
    };
    together(session, places, &mut Work { bytes, series: series(name), swap })
}

struct Work<'a> {
    bytes: Vec<usize>,
    series: String,
    /// None if the rank has nothing to do.
    swap: Option<Swap<'a>>,
}

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        let Some(swap) = &mut self.swap else { return Ok(()) };
        let bytes = self.bytes[at];
        swap.buffers.prepare(at as u32, bytes);
        swap.swap(bytes)?;
        swap.buffers.check(at as u32, bytes, &self.series)
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let Some(swap) = &mut self.swap else { return Ok(None) };
        let begun = Instant::now();
        (0..operations).try_for_each(|_| swap.swap(self.bytes[at]))?;
        Ok(Some(begun.elapsed()))
    }
}

pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    let of = |name: &str, x: u64| -> Vec<f64> {
        let jobs = measured.jobs.get(&(Scope::All, series(name), x));
        jobs.into_iter().flatten().map(|times| median(&sorted(times))).collect()
    };
    let provided = LEVELS.map(|(name, _)| measured.fact(Scope::All, &format!("provided_{name}")));
    let more = if provided[0] == provided[1] { "; this MPI provided the same level in both" } else { "" };
    let mut found = Vec::new();
    for (at, bytes) in sizes(usize::MAX).into_iter().enumerate() {
        let x = bytes as u64;
        let (single, multiple) = (of(LEVELS[0].0, x), of(LEVELS[1].0, x));
        let pairs: Vec<(f64, f64)> = single.into_iter().zip(multiple).collect();
        if pairs.is_empty() {
            continue;
        }
        let parameter = |id: &str, unit: &str, of: fn(&(f64, f64)) -> f64, text: String| {
            let values = sorted(&pairs.iter().map(of).collect::<Vec<_>>());
            Parameter {
                experiment: EXPERIMENT.id.to_owned(),
                id: id.to_owned(),
                from_bytes: Some(x),
                to_bytes: Some(x),
                text,
                ..measured.parameter(Scope::All, unit, median(&values), median_interval(&values))
            }
        };
        if at == 0 {
            let text = format!("what MPI_THREAD_MULTIPLE adds to an exchange of one message, one thread{more}");
            found.push(parameter("multiple_cost", "ns", |(single, multiple)| multiple - single, text));
        }
        let text = format!(
            "time of an exchange by one thread with MPI_THREAD_MULTIPLE, divided by that with MPI_THREAD_SINGLE; median of {}{more}",
            mpiscope_units::counted(pairs.len() as u64, "pair(s) of jobs")
        );
        found.push(parameter("multiple_to_single", "x", |(single, multiple)| multiple / single, text));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::tests::words;

    #[test]
    fn levels_are_chosen_with_their_experiment() {
        for (chosen, is) in [
            (&["threads"][..], true),
            (&["threads/level"], true),
            (&["threads/level/single"], true),
            (&["threads/partitioned"], false),
            (&["pingpong"], false),
            (&[], false),
        ] {
            assert_eq!(is_chosen(&words(chosen)), is, "{chosen:?}");
        }
    }

    #[test]
    fn the_order_changes_from_pair_to_pair() {
        use ThreadLevel::{Multiple, Single};
        let jobs = |budget: u64| Jobs::after(Duration::from_secs(budget), &words(&["threads"]), true);
        assert_eq!(jobs(0).collect::<Vec<_>>(), [Single, Multiple, Multiple, Single]);
        assert_eq!(jobs(5000).count(), 2 * MOST_PAIRS);
        assert_eq!(Jobs::none().count(), 0);
    }

    #[test]
    fn pairs_of_jobs_are_compared() {
        let mut measured = Measured::default();
        let mut put = |name: &str, medians: &[f64]| {
            let jobs = medians.iter().map(|&ns| vec![ns; 9]).collect();
            measured.jobs.insert((Scope::All, series(name), 8), jobs);
        };
        // From pair to pair the times differ more than by the level.
        put("single", &[100.0, 200.0, 100.0, 200.0, 100.0, 200.0]);
        put("multiple", &[110.0, 220.0, 112.0, 220.0, 110.0, 216.0]);
        measured.facts.insert((Scope::All, "provided_single".into()), 0.0);
        measured.facts.insert((Scope::All, "provided_multiple".into()), 3.0);
        let found = parameters(&measured);
        let values: Vec<(&str, f64)> = found.iter().map(|p| (p.id.as_str(), p.value)).collect();
        assert_eq!(values, [("multiple_cost", 14.0), ("multiple_to_single", 1.1)]);
        assert_eq!((found[1].low, found[1].high), (Some(1.08), Some(1.12)));
        assert!(found[1].text.ends_with("median of 6 pairs of jobs"), "{}", found[1].text);
        // A job that was the last one of none.
        measured.jobs.retain(|(_, series, _), _| series == "level/single");
        assert!(parameters(&measured).is_empty());
    }
}
