//! Runs that were made, and the comparisons within their blocks.

use mpiscope_statistics::{median, quantile, sorted};
use serde::{Deserialize, Serialize};

use crate::search::{FEWEST_PAIRS, MOST_PAIRS, Outcome, Phase};
use crate::totals::chance_of_smaller;

/// Numbers of the candidates that are in force together; none: the baseline.
pub type Set = Vec<usize>;

/// One run of the program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// What it was for.
    pub phase: Phase,
    /// Runs of one block are neighbours in time.
    pub block: u32,
    /// What was in force.
    pub set: Set,
    /// Its time, or why there is none.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Trial {
    fn time_s(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Time { seconds } => Some(seconds),
            Outcome::Refused { .. } => None,
        }
    }
}

/// A gain below this share is not claimed, however quiet the machine is.
pub const LEAST_FLOOR: f64 = 0.01;
/// This share of the runs deviates less from their median than the noise states.
const QUANTILE: f64 = 0.75;

/// How much two runs of the same usually differ, as the logarithm of their ratio: √2 times the deviation of one from the median. One
/// slow run of five does not change it much. `None` before the first run.
pub fn noise(trials: &[Trial]) -> Option<f64> {
    let times: Vec<f64> = trials.iter().filter(|trial| trial.phase == Phase::Noise).filter_map(Trial::time_s).collect();
    let middle = middle(&times)?;
    let deviations: Vec<f64> = times.iter().map(|time| (time / middle).ln().abs()).collect();
    Some(std::f64::consts::SQRT_2 * quantile(&sorted(&deviations), QUANTILE))
}

/// The smallest logarithm of a ratio that counts as a gain: what the noise leaves in the median of the fewest pairs that prove
/// something. The standard error of a median of n values is about 1.25 times their deviation by √n.
pub fn floor(trials: &[Trial]) -> f64 {
    remaining(trials, 1.25, FEWEST_PAIRS)
}

/// The same for the mean of all pairs of an attempt, whose standard error is their deviation by √n.
pub fn floor_of_total(trials: &[Trial]) -> f64 {
    remaining(trials, 1.0, MOST_PAIRS)
}

fn remaining(trials: &[Trial], factor: f64, pairs: u32) -> f64 {
    (noise(trials).unwrap_or(0.0) * factor / f64::from(pairs).sqrt()).max(LEAST_FLOOR)
}

/// Times of baseline and set in each block of these phases that has both, seconds.
pub fn pairs(trials: &[Trial], set: &[usize], is_of: impl Fn(Phase) -> bool) -> Vec<(f64, f64)> {
    let time = |block: u32, wanted: &[usize]| {
        let mut found = trials.iter().filter(|trial| trial.block == block && trial.set == wanted && is_of(trial.phase));
        found.find_map(Trial::time_s)
    };
    let mut blocks: Vec<u32> = trials.iter().filter(|trial| is_of(trial.phase)).map(|trial| trial.block).collect();
    blocks.dedup();
    blocks.into_iter().filter_map(|block| Some((time(block, &[])?, time(block, set)?))).collect()
}

/// ln(baseline / set) of the same: positive if the set is faster.
pub fn ratios(trials: &[Trial], set: &[usize], is_of: impl Fn(Phase) -> bool) -> Vec<f64> {
    pairs(trials, set, is_of).into_iter().map(|(baseline, time)| (baseline / time).ln()).collect()
}

/// Fewer runs of a setting than this say nothing about how often it is slow.
const FEWEST_RUNS: usize = 4;
/// A difference of means that chance alone makes more often than this is not looked at.
const CHANCE: f64 = 0.2;

/// How good a candidate looks in screening.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Screened {
    /// ln(baseline / setting): candidates are compared by it.
    pub gain: f64,
    /// It is more than the noise leaves in such a number.
    pub seems_to_gain: bool,
}

/// What screening goes by: the median of ln(baseline / setting) in its blocks; or ln(mean of the baseline / mean of the setting), if that is
/// more and hardly by chance. A program that is slow in half of its runs is fast in half of its blocks, whose median then is that
/// of a setting without an effect. For the mean, all runs of the baseline up to now count. `None` before the first block.
pub fn screened(trials: &[Trial], set: &[usize]) -> Option<Screened> {
    let times = |of: &[usize], phases: &[Phase]| -> Vec<f64> {
        let wanted = |trial: &&Trial| trial.set == of && phases.contains(&trial.phase);
        trials.iter().filter(wanted).filter_map(Trial::time_s).collect()
    };
    let gain = middle(&ratios(trials, set, |of| of == Phase::Screening))?;
    let by_median = Screened { gain, seems_to_gain: gain > floor(trials) };
    let baseline = times(&[], &[Phase::Noise, Phase::Screening]);
    let setting = times(set, &[Phase::Screening]);
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len() as f64;
    let of_means = (mean(&baseline) / mean(&setting)).ln();
    if of_means <= gain || setting.len() < FEWEST_RUNS || chance_of_smaller(&setting, &baseline) > CHANCE {
        return Some(by_median);
    }
    let seems_to_gain = by_median.seems_to_gain || of_means > floor_of_total(trials);
    Some(Screened { gain: of_means, seems_to_gain })
}

/// The median; `None` without values.
pub fn middle(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| median(&sorted(values)))
}

/// The median time of the baseline up to now.
pub fn baseline_s(trials: &[Trial]) -> Option<f64> {
    let times: Vec<f64> = trials.iter().filter(|trial| trial.set.is_empty()).filter_map(Trial::time_s).collect();
    middle(&times)
}

/// The median time of any run up to now.
pub fn usual_s(trials: &[Trial]) -> Option<f64> {
    middle(&trials.iter().filter_map(Trial::time_s).collect::<Vec<_>>())
}
