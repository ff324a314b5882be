//! What the runs prove.

use serde::Serialize;

use crate::search::{ERROR_RATES, MOST_PAIRS, Outcome, Phase, Search};
use crate::sequential::bounds;
use crate::totals::{Total, total};
use crate::trials::{LEAST_FLOOR, Set, Trial, floor, floor_of_total, middle, noise, pairs, ratios};

/// A share of the baseline's time that is saved; negative if it costs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Gain {
    /// Half of the pairs save more.
    pub median: f64,
    /// It is at least this; null if there are too few pairs.
    pub low: Option<f64>,
    /// It is at most this.
    pub high: Option<f64>,
    /// Pairs of runs.
    pub pairs: usize,
    /// What all runs together save, if that was compared: pairs that do not agree say nothing by their median.
    pub total: Option<Total>,
}

impl Gain {
    fn of(ratios: &[f64], error_rate: f64) -> Option<Gain> {
        let found = bounds(ratios, error_rate);
        Some(Gain {
            median: saved(middle(ratios)?),
            low: found.low.map(saved),
            high: found.high.map(saved),
            pairs: ratios.len(),
            total: None,
        })
    }
}

/// An attempt to confirm, up to now.
pub(crate) struct Compared {
    pub gain: Gain,
    pub error_rate: f64,
    /// The gain is above what the noise leaves.
    pub is_proved: bool,
    /// It is not, whatever follows.
    pub is_too_small: bool,
}

impl Compared {
    /// Of the first (0) or second attempt; `None` without pairs.
    pub fn of(trials: &[Trial], set: &[usize], attempt: usize) -> Option<Compared> {
        let phase = PHASES[attempt];
        let [error_rate, error_rate_of_total] = ERROR_RATES[attempt];
        let pairs = pairs(trials, set, |of| of == phase);
        let ratios: Vec<f64> = pairs.iter().map(|(baseline, time)| (baseline / time).ln()).collect();
        let least = saved(floor(trials));
        let gain = Gain::of(&ratios, error_rate)?;
        let mut compared = Compared {
            gain,
            error_rate,
            is_proved: gain.low.is_some_and(|low| low > least),
            // Not before the sum was compared, if it promises more than the median.
            is_too_small: gain.high.is_some_and(|high| high < least)
                && sum_saves(&pairs) < saved(floor_of_total(trials)),
        };
        if !compared.is_proved && pairs.len() == MOST_PAIRS as usize {
            compared.gain.total = total(&pairs, error_rate_of_total);
            let is_enough = |total: Total| total.low > saved(LEAST_FLOOR) && total.gain > saved(floor_of_total(trials));
            if compared.gain.total.is_some_and(is_enough) {
                (compared.is_proved, compared.error_rate) = (true, error_rate_of_total);
            }
        }
        Some(compared)
    }
}

/// The share that all settings together save, of all baselines.
fn sum_saves(pairs: &[(f64, f64)]) -> f64 {
    let [baseline, setting] = pairs.iter().fold([0.0, 0.0], |sum, pair| [sum[0] + pair.0, sum[1] + pair.1]);
    1.0 - setting / baseline
}

/// Of the attempts.
const PHASES: [Phase; 2] = [Phase::Confirming, Phase::ConfirmingSecond];

/// What became of a candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fate", rename_all = "kebab-case")]
pub enum Fate {
    /// In the best set, whose gain is proved.
    Chosen,
    /// Its gain is below the noise, or it costs, or another one is better.
    NotChosen,
    /// It failed, hung or gave another result.
    Refused {
        /// In a few words.
        reason: String,
    },
    /// The budget did not reach for it.
    NotTried,
}

/// One candidate's result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CandidateResult {
    /// What became of it.
    #[serde(flatten)]
    pub fate: Fate,
    /// In screening, which selects and does not prove; null if it was not measured.
    pub screened: Option<Gain>,
}

/// What a search has found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verdict {
    /// Median time of the baseline, seconds.
    pub baseline_seconds: Option<f64>,
    /// How much two runs of the same usually differ, as a share; null before the first run.
    pub noise: Option<f64>,
    /// No smaller gain is claimed.
    pub least_gain: f64,
    /// Numbers of the candidates whose gain together is proved; empty if none is.
    pub best: Set,
    /// What was compared with the baseline last, and what came out; null if nothing seemed to gain.
    pub gain: Option<Gain>,
    /// What was compared last, proved or not.
    pub compared: Set,
    /// The error rate of the bound that decided: `gain.low`, or that of `gain.total`.
    pub error_rate: f64,
    /// In the order of the candidates.
    pub candidates: Vec<CandidateResult>,
}

impl Verdict {
    /// Of what was run up to now.
    pub fn of(search: &Search) -> Verdict {
        let trials = search.trials();
        let least = floor(trials);
        let mut verdict = Verdict {
            baseline_seconds: search.baseline_s(),
            noise: noise(trials).map(saved),
            least_gain: saved(least),
            best: Set::new(),
            gain: None,
            compared: Set::new(),
            error_rate: ERROR_RATES[0][0],
            candidates: Vec::new(),
        };
        for (attempt, phase) in PHASES.into_iter().enumerate() {
            let of_phase = |trial: &&Trial| trial.phase == phase && !trial.set.is_empty();
            let Some(last) = trials.iter().rev().find(of_phase) else { continue };
            let is_refused = matches!(last.outcome, Outcome::Refused { .. });
            let Some(compared) = Compared::of(trials, &last.set, attempt) else { continue };
            verdict.compared.clone_from(&last.set);
            verdict.gain = Some(compared.gain);
            verdict.error_rate = compared.error_rate;
            if compared.is_proved && !is_refused {
                verdict.best.clone_from(&last.set);
            }
        }
        if verdict.compared.is_empty() {
            verdict.compared = search.choices().first().cloned().unwrap_or_default();
        }
        let of = |number: usize| {
            let screened = Gain::of(&ratios(trials, &[number], |of| of == Phase::Screening), ERROR_RATES[0][0]);
            let fate = match search.refused(number) {
                Some(why) => Fate::Refused { reason: why.to_owned() },
                None if verdict.best.contains(&number) => Fate::Chosen,
                None if search.is_beyond_budget(number) || screened.is_none() => Fate::NotTried,
                None => Fate::NotChosen,
            };
            CandidateResult { fate, screened }
        };
        verdict.candidates = (0..search.candidates()).map(of).collect();
        verdict
    }
}

/// From the logarithm of a ratio to the share that is saved.
fn saved(ratio: f64) -> f64 {
    1.0 - (-ratio).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Left;

    /// A program whose settings have known effects, on a noisy machine that becomes slower.
    struct Simulated {
        /// For each candidate: subject, factor of the time, or nothing if it fails.
        candidates: Vec<(&'static str, Option<f64>)>,
        noise: f64,
        /// The share of runs that take 2.4 times as long, unless this candidate is in force.
        slow: Option<(f64, usize)>,
        random: fastrand::Rng,
    }

    impl Simulated {
        fn search(&mut self, seconds: f64, runs: u64) -> (Search, Verdict) {
            let search = Search::new(self.candidates.iter().map(|of| of.0.to_owned()), self.random.u64(..));
            self.resume(search, seconds, runs)
        }

        fn resume(&mut self, mut search: Search, mut seconds: f64, mut runs: u64) -> (Search, Verdict) {
            let mut drift = 1.0;
            while let Some(set) = search.next(Left { seconds, runs }) {
                drift *= 1.001;
                let factor = set.iter().map(|one| self.candidates[*one].1).product::<Option<f64>>();
                let Some(factor) = factor else {
                    search.add(Outcome::Refused { why: "exit code 1".to_owned() });
                    runs -= 1;
                    continue;
                };
                // Mostly a little noise, sometimes a slow run.
                let slow = if self.random.f64() < 0.1 { 1.0 + self.random.f64() } else { 1.0 };
                let is_slow = self.slow.is_some_and(|(share, end)| self.random.f64() < share && !set.contains(&end));
                let factor = if is_slow { 2.4 * factor } else { factor };
                let time = factor * drift * slow * (self.noise * (self.random.f64() - 0.5)).exp();
                seconds -= time;
                runs -= 1;
                search.add(Outcome::Time { seconds: time });
                // Stored and resumed: nothing outside of the state counts.
                search = search.clone();
            }
            let verdict = Verdict::of(&search);
            (search, verdict)
        }
    }

    fn simulated(candidates: &[(&'static str, Option<f64>)], noise: f64, seed: u64) -> Simulated {
        Simulated { candidates: candidates.to_vec(), noise, slow: None, random: fastrand::Rng::with_seed(seed) }
    }

    #[test]
    fn settings_without_an_effect_are_claimed_less_often_than_the_error_rate() {
        let none: Vec<(&'static str, Option<f64>)> =
            ["a", "a", "a", "b", "b", "c", "d", "e"].map(|subject| (subject, Some(1.0))).to_vec();
        let all = 1000;
        for noise in [0.02, 0.3] {
            let wrong = (0..all).filter(|&seed| !simulated(&none, noise, seed).search(1e9, 1000).1.best.is_empty());
            let share = wrong.count() as f64 / all as f64;
            assert!(share <= crate::ERROR_RATE, "noise {noise}: {share}");
        }
    }

    #[test]
    fn what_ends_slow_runs_is_found_and_nothing_else_is_claimed() {
        let subjects = ["a", "a", "b", "b", "c", "d", "e", "f"].map(|subject| (subject, Some(1.0)));
        let all = 300;
        // The share of slow runs, which candidate ends them, and how often it must be found.
        for (share, end, least) in [(0.5, 3, 0.75), (0.3, 3, 0.2), (0.8, 3, 0.95), (0.5, 99, 0.0)] {
            let (mut found, mut wrong) = (0, 0);
            for seed in 0..all {
                let mut program = Simulated { slow: Some((share, end)), ..simulated(&subjects, 0.05, seed) };
                let verdict = program.search(1e9, 1000).1;
                found += usize::from(verdict.best.contains(&end));
                wrong += usize::from(!verdict.best.is_empty() && !verdict.best.contains(&end));
            }
            let part = |of: usize| of as f64 / all as f64;
            assert!(part(found) >= least, "{share}: found {}", part(found));
            assert!(part(wrong) <= crate::ERROR_RATE, "{share}: wrong {}", part(wrong));
        }
    }

    #[test]
    fn a_new_budget_takes_back_what_the_old_one_left_out() {
        let candidates = [("a", Some(1.0)), ("b", Some(1.0)), ("c", Some(0.7))];
        let mut program = simulated(&candidates, 0.001, 5);
        let (mut search, verdict) = program.search(1e9, 20);
        assert!(verdict.best.is_empty() && !search.is_complete());
        assert_eq!(search.take_back(), 2);
        assert_eq!(search.take_back(), 0);
        let (mut search, verdict) = program.resume(search, 1e9, 200);
        assert_eq!(verdict.best, [2]);
        // The error rate of confirming is used.
        assert_eq!(search.take_back(), 0);
    }

    #[test]
    fn true_effects_are_found_and_combined() {
        let candidates = [
            ("eager", Some(0.98)),
            ("eager", Some(0.7)),
            ("eager", None),
            ("algorithm", Some(1.4)),
            ("binding", Some(0.8)),
            ("yield", Some(3.0)),
            ("memory", Some(1.0)),
        ];
        let (mut found, mut proved, all) = (0, 0, 200);
        for seed in 0..all {
            let (search, verdict) = simulated(&candidates, 0.05, seed).search(1e9, 1000);
            assert!(!verdict.best.iter().any(|one| [2, 3, 5].contains(one)), "{verdict:?}");
            assert!(search.trials().len() < 110, "{}", search.trials().len());
            let mut best = verdict.best.clone();
            best.sort_unstable();
            found += i32::from(best == [1, 4]);
            proved += i32::from(!best.is_empty());
            if best == [1, 4] {
                let gain = verdict.gain.unwrap();
                assert!((gain.median - 0.44).abs() < 0.15, "{gain:?}");
            }
            assert!(matches!(verdict.candidates[2].fate, Fate::Refused { .. }));
        }
        assert!(found >= 160 && proved >= 190, "{found} and {proved} of {all}");
    }

    #[test]
    fn budgets_hold_and_what_they_exclude_is_named() {
        let candidates = vec![("a", Some(0.5)); 40];
        for (seconds, runs) in [(1e9, 40), (45.0, 1000), (1e9, 8), (2.5, 1000), (1e9, 0)] {
            let (search, verdict) = simulated(&candidates, 0.02, 3).search(seconds, runs);
            assert!(search.trials().len() as u64 <= runs);
            assert!(verdict.candidates.iter().any(|of| of.fate == Fate::NotTried), "{verdict:?}");
            assert!(!search.is_complete() || !verdict.best.is_empty(), "{verdict:?}");
        }
        let (_, verdict) = simulated(&candidates, 0.02, 3).search(1e9, 40);
        assert_eq!(verdict.best.len(), 1, "forty runs are enough for one that halves the time: {verdict:?}");
    }

    #[test]
    fn a_program_that_fails_by_itself_ends_the_search() {
        let mut search = Search::new(["a".to_owned()], 1);
        let left = Left { seconds: 10.0, runs: 10 };
        assert_eq!(search.next(left), Some(Set::new()));
        search.add(Outcome::Refused { why: "exit code 3".to_owned() });
        assert_eq!((search.next(left), search.broken()), (None, Some("exit code 3")));
    }

    #[test]
    fn a_program_that_worked_may_fail_once() {
        let mut search = Search::new(["a".to_owned()], 1);
        let left = Left { seconds: 1e9, runs: 1000 };
        let mut fails = [3, 20].into_iter().peekable();
        while let Some(set) = search.next(left) {
            let is_failing = set.is_empty() && fails.next_if(|at| search.trials().len() >= *at).is_some();
            search.add(match is_failing {
                true => Outcome::Refused { why: "signal 9".to_owned() },
                false => Outcome::Time { seconds: if set.is_empty() { 1.0 } else { 0.5 } },
            });
        }
        // The second failure ends it.
        assert_eq!(search.broken(), Some("signal 9"));
        assert!(search.trials().len() > 20);
    }

    #[test]
    fn without_candidates_only_the_noise_is_measured() {
        let (search, verdict) = simulated(&[], 0.02, 1).search(1e9, 100);
        assert_eq!((search.trials().len(), verdict.gain), (5, None));
        assert!(verdict.least_gain >= 0.0099);
    }

    #[test]
    fn a_combination_that_fails_leaves_the_best_alone() {
        let mut search = Search::new(["a", "b"].map(str::to_owned), 5);
        while let Some(set) = search.next(Left { seconds: 1e9, runs: 1000 }) {
            search.add(match set.len() {
                0 => Outcome::Time { seconds: 1.0 },
                1 => Outcome::Time { seconds: [0.6, 0.5][set[0]] },
                _ => Outcome::Refused { why: "output differs".to_owned() },
            });
        }
        assert_eq!(Verdict::of(&search).best, [1]);
    }

    proptest::proptest! {
        #[test]
        fn any_search_ends(
            factors in proptest::collection::vec(proptest::option::of(0.3..3.0f64), 0..12),
            noise in 0.0..1.0f64,
            runs in 0..300u64,
            seed in 0..u64::MAX,
        ) {
            let candidates: Vec<_> = factors.iter().enumerate().map(|(at, of)| (["a", "b", "c"][at % 3], *of)).collect();
            let (search, verdict) = simulated(&candidates, noise, seed).search(1e6, runs);
            proptest::prop_assert!(search.trials().len() <= runs.min(250) as usize);
            for one in verdict.best {
                proptest::prop_assert!(candidates[one].1.is_some());
            }
        }
    }
}
