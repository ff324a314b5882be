//! What of a job its run does not have as a whole: ranks, and how it would have gone on.

use std::collections::BTreeMap;

use mpiscope_abi::role::{Role, role};
use mpiscope_run::{Rank, Run};
use mpiscope_units::{rank_list, rank_ranges};

/// Ranges of ranks that a text lists at most.
const MOST: usize = 12;
/// What would have come after the end of a run that was cut short is unknown: it is taken to be as long as the recorded part.
const CUT_SHORT: f64 = 0.5;

/// What is missing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Incomplete {
    /// Each in a sentence without a full stop.
    pub caveats: Vec<String>,
    /// The part of the job that is not in the run.
    pub share: f64,
    /// Whether ranks are among it.
    pub lacks_ranks: bool,
}

impl Incomplete {
    /// Of the run's first world.
    pub fn new(run: &Run) -> Incomplete {
        let missing = run.missing(&|_| true);
        let (recorded, not_wanted): (Vec<&Rank>, Vec<&Rank>) = run.ranks.iter().partition(|rank| rank.is_recorded());
        let number = |rank: &&Rank| rank.rank();
        let mut caveats = Vec::new();
        let mut ends: BTreeMap<String, Vec<&Rank>> = BTreeMap::new();
        for rank in recorded.iter().filter(|rank| !rank.fate().is_whole()) {
            ends.entry(rank.fate().text()).or_default().push(rank);
        }
        let ended = |(fate, ranks): (&String, &Vec<&Rank>)| {
            let numbers: Vec<i32> = ranks.iter().map(number).collect();
            ended(&numbers, ranks.first().map_or(0, |rank| rank.header.pid), fate)
        };
        if !ends.is_empty() {
            let how: Vec<String> = ends.iter().map(ended).collect();
            caveats.push(format!("The run is not whole: {}; gains are those of the recorded part", how.join("; ")));
        }
        let mut gone = Vec::new();
        if !missing.is_empty() {
            gone.push(nothing_recorded(&missing));
        }
        if !not_wanted.is_empty() {
            let numbers: Vec<i32> = not_wanted.iter().map(number).collect();
            gone.push(format!("rank(s) {}: not recorded (--ranks)", rank_list(&numbers, MOST)));
        }
        let lacks_ranks = !gone.is_empty();
        if lacks_ranks {
            caveats
                .push(format!("{}; what they did, and what others waited for them, is not replayed", gone.join("; ")));
        }
        let all = missing.iter().map(|&(first, last)| i64::from(last) - i64::from(first) + 1).sum::<i64>();
        let gone = all as u64 + not_wanted.len() as u64;
        let of_ranks = mpiscope_units::share(gone, gone + recorded.len() as u64);
        let of_time = if ends.is_empty() { 0.0 } else { CUT_SHORT };
        Incomplete { caveats, share: 1.0 - (1.0 - of_ranks) * (1.0 - of_time), lacks_ranks }
    }
}

/// Ranks without a rank file.
pub fn nothing_recorded(missing: &[(i32, i32)]) -> String {
    format!("rank(s) {}: nothing was recorded", rank_ranges(missing, MOST))
}

/// Whether calls were counted, those that initialise and finalize MPI aside.
pub fn has_calls(run: &Run) -> bool {
    let is_inside = |function: &u32| !matches!(role(*function), Role::Init | Role::Finalize);
    run.ranks.iter().any(|rank| rank.tally.calls.keys().any(is_inside))
}

/// Why a run has no events.
pub fn why_no_events(run: &Run) -> &'static str {
    match run.ranks.iter().any(|rank| rank.losses.calls_filtered > 0) && !has_calls(run) {
        true => {
            "recording was paused, or filtered, during all calls; record the run without --start paused, or resume it"
        }
        false => "record the run with events (--trace on)",
    }
}

/// How processes ended; `pid` is that of the first one.
pub fn ended(ranks: &[i32], pid: u32, fate: &str) -> String {
    let who = match ranks {
        // It ended before its rank was known.
        [-1] => format!("process {pid} (rank not yet known)"),
        [-1, ..] => format!("{} processes (ranks not yet known)", ranks.len()),
        [rank] => format!("rank {rank}"),
        _ => format!("ranks {}", rank_list(ranks, MOST)),
    };
    format!("{who}: {fate}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_named_by_what_is_known_of_them() {
        assert_eq!(ended(&[-1], 77, "f"), "process 77 (rank not yet known): f");
        assert_eq!(ended(&[-1, -1], 77, "f"), "2 processes (ranks not yet known): f");
        assert_eq!(ended(&[3], 77, "f"), "rank 3: f");
        assert_eq!(ended(&[3, 1, 2], 77, "f"), "ranks 1-3: f");
        assert_eq!(nothing_recorded(&[(1, 2), (5, 5)]), "rank(s) 1-2,5: nothing was recorded");
    }
}
