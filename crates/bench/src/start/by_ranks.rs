//! Time of `MPI_Init` and memory of a process by the number of ranks.
//!
//! MPI is initialized once in a process, so that each number of ranks needs jobs of its own. Those with 2, 4, 8, … ranks follow the main job, whose own numbers are
//! the last ones. Where there is time, they are repeated.

use std::time::Duration;

use mpiscope_machine::{Parameter, Scope};
use mpiscope_statistics::{median, median_interval, sorted};
use serde::{Deserialize, Serialize};

use super::{EXPERIMENT, Started};
use crate::choice::includes;
use crate::doubling::doubles;
use crate::error::BenchError;
use crate::experiment::chosen;
use crate::further::Share;
use crate::journal::{Line, Measured};
use crate::rounds::of_ranks;
use crate::session::Session;

/// The series of times. Its name also chooses the memory.
const INIT: &str = "init";
/// Of the whole time budget, one part in so many is for these jobs.
const SHARE: u32 = 8;
/// From six jobs on, their median has an interval.
const MOST_ROUNDS: usize = 6;

/// The problem of jobs to which none can follow.
pub const NEEDS_JOBS: &str = "start: MPI_Init and memory were measured with all ranks only, because fewer ranks need further jobs: use mpiscope bench -n";

/// When memory is looked at, as facts and parameters are named.
const AFTER_INIT: &str = "memory_after_init";
const CONNECTED: &str = "memory_connected";
/// As the last one, with pages that processes share in full: libraries do not count less with more ranks.
const RESIDENT: &str = "memory_resident";

/// The fact, and the parameter.
fn by_ranks(moment: &str, ranks: u64) -> String {
    format!("{moment}_ranks_{ranks}")
}

/// The numbers of ranks with which these words want jobs, after one with so many.
fn numbers(words: &[String], ranks: i32) -> Vec<u32> {
    let is_chosen = chosen(words).is_ok_and(|found| found.iter().any(|experiment| experiment.id == EXPERIMENT.id))
        && includes(words, EXPERIMENT.id, INIT);
    let end = if is_chosen { usize::try_from(ranks).unwrap_or(0) } else { 0 };
    doubles(2, end).map(|ranks| ranks as u32).collect()
}

/// What the jobs take of this budget.
pub fn reserved(budget: Duration, words: &[String], ranks: i32) -> Duration {
    if numbers(words, ranks).is_empty() { Duration::ZERO } else { budget / SHARE }
}

/// How many ranks the next job has.
pub struct Jobs {
    numbers: Vec<u32>,
    share: Share,
    begun: usize,
}

impl Jobs {
    /// The jobs that follow one with so many ranks.
    pub fn after(budget: Duration, words: &[String], ranks: i32) -> Jobs {
        Jobs { numbers: numbers(words, ranks), share: Share::new(reserved(budget, words, ranks)), begun: 0 }
    }

    pub fn none() -> Jobs {
        Jobs { numbers: Vec::new(), share: Share::new(Duration::ZERO), begun: 0 }
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// How far they are: 1 at the end. They end with their time, or when they are as many as wanted.
    pub fn done(&self) -> f64 {
        let by_number = self.begun as f64 / (self.numbers.len() * MOST_ROUNDS).max(1) as f64;
        self.share.spent().max(by_number)
    }

    /// After the last job: the numbers of ranks for which there was no time.
    pub fn left_out(&self) -> Option<String> {
        let left: Vec<String> = self.numbers.iter().skip(self.begun).map(u32::to_string).collect();
        let (last, others) = left.split_last()?;
        let others = if others.is_empty() { String::new() } else { format!("{} and ", others.join(", ")) };
        Some(format!("start: the time for further jobs ended before those with {others}{last} ranks"))
    }
}

impl Iterator for Jobs {
    type Item = u32;

    /// The first job does not need time, so that there is a second point at least.
    fn next(&mut self) -> Option<u32> {
        let all = self.numbers.len();
        let (round, at) = (self.begun.checked_div(all)?, self.begun.checked_rem(all)?);
        let is_over = self.share.is_over();
        if round >= MOST_ROUNDS || (self.begun > 0 && is_over) {
            return None;
        }
        self.begun += 1;
        // The other order in every other round, so that drift of the machine cancels out.
        Some(self.numbers[if round % 2 == 0 { at } else { all - 1 - at }])
    }
}

/// Measures in a further job; every rank calls it.
pub fn measure(session: &mut Session) -> Result<(), BenchError> {
    session.experiment = EXPERIMENT.id;
    session.started.connect(session.mpi, session.rank, session.size)?;
    record(session)
}

/// Records the main job's own numbers, and says why there are no others; every rank calls it.
pub fn measure_all(session: &mut Session) -> Result<(), BenchError> {
    session.offer(INIT.to_owned());
    if !session.is_chosen(INIT) {
        return Ok(());
    }
    let needs_jobs = !numbers(&session.plan.experiments, session.size).is_empty();
    if needs_jobs && !session.plan.can_launch && session.rank == 0 {
        session.problem(NEEDS_JOBS.to_owned());
    }
    record(session)
}

/// What a rank reports.
#[derive(Serialize, Deserialize)]
struct Own {
    init_ns: f64,
    /// Bytes, where the kernel shows them.
    after_init: Option<u64>,
    connected: Option<u64>,
    resident: Option<u64>,
}

fn record(session: &mut Session) -> Result<(), BenchError> {
    let Started { init_ns, after, ref connected, .. } = session.started;
    let last = connected.last().map(|(_, footprint)| footprint);
    let own = Own {
        init_ns,
        after_init: after.map(|footprint| footprint.proportional),
        connected: last.map(|footprint| footprint.proportional),
        resident: last.map(|footprint| footprint.resident),
    };
    let Some(all) = session.gather(own)? else { return Ok(()) };
    let x = all.len() as u64;
    let times: Vec<f64> = all.iter().map(|own| own.init_ns).collect();
    let batch = of_ranks(&times, 1);
    session.record(Line::Sample {
        experiment: EXPERIMENT.id.to_owned(),
        series: INIT.to_owned(),
        scope: Scope::All,
        x,
        moved: 0.0,
        at_ns: session.begun.elapsed().as_nanos() as u64,
        operations: batch.operations,
        time_ns: batch.time_ns,
        ranks_ns: batch.ranks_ns,
        is_only: true,
    });
    let mut keep = |moment: &str, bytes: fn(&Own) -> Option<u64>| {
        let of_ranks: Vec<f64> = all.iter().filter_map(bytes).map(|bytes| bytes as f64).collect();
        if !of_ranks.is_empty() {
            session.fact(Scope::All, &by_ranks(moment, x), median(&sorted(&of_ranks)));
        }
    };
    keep(AFTER_INIT, |own| own.after_init);
    keep(CONNECTED, |own| own.connected);
    keep(RESIDENT, |own| own.resident);
    Ok(())
}

/// Memory, if several numbers of ranks were measured.
pub fn parameters(measured: &Measured) -> Vec<Parameter> {
    let of_init = measured.times_of(Scope::All).filter(|(series, ..)| *series == INIT);
    let numbers: Vec<u64> = of_init.map(|(_, ranks, _)| ranks).collect();
    let mut found = Vec::new();
    for (moment, what) in [
        (AFTER_INIT, "memory of a process after MPI_Init"),
        (CONNECTED, "memory of a process after a first message to and from every rank"),
        (RESIDENT, "the same with shared pages in full"),
    ] {
        for &ranks in numbers.iter().filter(|_| numbers.len() > 1) {
            let id = by_ranks(moment, ranks);
            let values = sorted(&measured.facts_of_jobs(Scope::All, &id));
            if values.is_empty() {
                continue;
            }
            let jobs = if values.len() > 1 { format!(" and of {} jobs", values.len()) } else { String::new() };
            found.push(Parameter {
                experiment: EXPERIMENT.id.to_owned(),
                text: format!("{what}, in a job with {ranks} ranks; median of the ranks{jobs}"),
                id,
                ..measured.parameter(Scope::All, "B", median(&values), median_interval(&values))
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::tests::words;

    #[test]
    fn fewer_ranks_are_chosen_with_their_experiment() {
        for (chosen, ranks, expected) in [
            (&["start"][..], 17, &[2, 4, 8, 16][..]),
            (&[], 16, &[2, 4, 8]),
            (&["start/init"], 3, &[2]),
            (&["start/comm_dup"], 16, &[]),
            (&["pingpong"], 16, &[]),
            (&["start"], 2, &[]),
            (&["start"], -1, &[]),
        ] {
            let words = words(chosen);
            assert_eq!(numbers(&words, ranks), expected, "{chosen:?}");
            let reserved = reserved(Duration::from_secs(80), &words, ranks);
            assert_eq!(reserved, Duration::from_secs(if expected.is_empty() { 0 } else { 10 }), "{chosen:?}");
        }
    }

    #[test]
    fn the_order_changes_from_round_to_round() {
        let jobs: Vec<u32> = Jobs::after(Duration::from_secs(8000), &words(&["start"]), 9).collect();
        assert_eq!(jobs[..9], [2, 4, 8, 8, 4, 2, 2, 4, 8]);
        assert_eq!(jobs.len(), 3 * MOST_ROUNDS);
    }

    #[test]
    fn they_end_with_their_time() {
        let mut jobs = Jobs::after(Duration::ZERO, &words(&["start"]), 32);
        assert_eq!(jobs.by_ref().collect::<Vec<_>>(), [2]);
        let text = jobs.left_out().unwrap();
        assert!(text.ends_with("before those with 4, 8 and 16 ranks"), "{text}");
        assert!(jobs.done() > 0.0);
        let mut one = Jobs::after(Duration::ZERO, &words(&["start"]), 4);
        assert_eq!((one.next(), one.next(), one.left_out()), (Some(2), None, None));
    }

    #[test]
    fn memory_is_listed_by_ranks() {
        let mut measured = Measured::default();
        let key = |ranks| (Scope::All, INIT.to_owned(), ranks);
        let fact = |moment, ranks| (Scope::All, by_ranks(moment, ranks));
        measured.times.insert(key(5), vec![9e6]);
        measured.facts.insert(fact(AFTER_INIT, 5), 50.0);
        assert!(parameters(&measured).is_empty(), "one number of ranks is no curve");
        measured.times.insert(key(2), vec![5e6; 6]);
        measured.job_facts.insert(fact(AFTER_INIT, 2), vec![20.0, 21.0, 22.0, 23.0, 24.0, 26.0]);
        measured.facts.insert(fact(AFTER_INIT, 2), 26.0);
        let found = parameters(&measured);
        let values: Vec<(&str, f64, Option<f64>)> =
            found.iter().map(|found| (found.id.as_str(), found.value, found.low)).collect();
        assert_eq!(
            values,
            [("memory_after_init_ranks_2", 22.5, Some(20.0)), ("memory_after_init_ranks_5", 50.0, None)]
        );
        assert!(
            found[0].text.ends_with("in a job with 2 ranks; median of the ranks and of 6 jobs"),
            "{}",
            found[0].text
        );
    }
}
