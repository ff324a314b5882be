//! Which run comes next.

use serde::{Deserialize, Serialize};

use crate::trials::{Screened, Set, Trial, baseline_s, middle, ratios, screened, usual_s};
use crate::verdict::Compared;

/// Runs of the baseline that show the noise.
const NOISE_RUNS: u32 = 5;
/// Blocks in each rung of screening; after each, the worse half leaves.
const RUNGS: [u32; 3] = [2, 2, 4];
/// With so few candidates, screening ends: confirming decides better than more screening.
const FEW: usize = 2;
/// Blocks in which the combination competes with the best single candidate.
const COMBINING: u32 = 3;
/// Pairs after which an attempt to confirm is given up.
pub const MOST_PAIRS: u32 = 24;
/// Pairs that confirming needs if all of them agree.
pub const FEWEST_PAIRS: u32 = 6;
/// The error rates of the first and of the second attempt to confirm: of the sequential test, and of the test of all runs together
/// after the last pair. Together [`crate::ERROR_RATE`].
pub const ERROR_RATES: [[f64; 2]; 2] = [[0.035, 0.005], [0.008, 0.002]];

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// How much runs of the same differ.
    Noise,
    /// Which candidates are worth more runs.
    Screening,
    /// Whether the winners gain more together.
    Combining,
    /// Whether the chosen set is faster than the baseline.
    Confirming,
    /// The same for the second choice, as the first was not confirmed.
    ConfirmingSecond,
    /// Nothing is left to do.
    Done,
}

/// What a run showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It worked, and took this long.
    Time {
        /// Wall time.
        seconds: f64,
    },
    /// It failed, hung or gave another result.
    Refused {
        /// In a few words.
        why: String,
    },
}

/// What may still be used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Left {
    /// Time, seconds.
    pub seconds: f64,
    /// Runs of the program.
    pub runs: u64,
}

/// A candidate, as far as the search needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Candidate {
    /// Candidates with the same subject exclude each other.
    subject: String,
    /// Still of interest.
    is_alive: bool,
    /// Why it is no more, if a run refused it.
    refused: Option<String>,
    /// The budget does not reach for it.
    is_beyond_budget: bool,
}

/// The state of a search: everything that is needed to resume it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Search {
    seed: u64,
    candidates: Vec<Candidate>,
    phase: Phase,
    rung: usize,
    /// Blocks that were begun.
    block: u32,
    /// Blocks of this phase or rung that are still to be made.
    blocks_left: u32,
    /// Runs of the current block that are still to be made, the next one last.
    pending: Vec<Set>,
    /// What confirming compares with the baseline: first and second choice.
    choices: Vec<Set>,
    trials: Vec<Trial>,
    /// The baseline itself failed.
    broken: Option<String>,
}

impl Search {
    /// Of candidates, the most promising first, given by their subjects: those with the same one exclude each other.
    pub fn new(subjects: impl IntoIterator<Item = String>, seed: u64) -> Search {
        let candidate = |subject| Candidate { subject, is_alive: true, refused: None, is_beyond_budget: false };
        Search {
            seed,
            candidates: subjects.into_iter().map(candidate).collect(),
            phase: Phase::Noise,
            rung: 0,
            block: 0,
            blocks_left: NOISE_RUNS,
            pending: Vec::new(),
            choices: Vec::new(),
            trials: Vec::new(),
            broken: None,
        }
    }

    /// What to run next: numbers of candidates, none for the baseline. `None` at the end, or if nothing more fits into what is
    /// left. Without [`Search::add`], the answer stays the same.
    pub fn next(&mut self, left: Left) -> Option<Set> {
        while self.broken.is_none() && self.phase != Phase::Done {
            if self.pending.is_empty() {
                if self.blocks_left == 0 {
                    self.proceed();
                    continue;
                }
                if !self.has_room(left) {
                    if self.phase == Phase::Screening && self.has_winner() {
                        // The rest of the budget is for confirming.
                        self.blocks_left = 0;
                        self.choose();
                        continue;
                    }
                    return None;
                }
                if self.phase == Phase::Screening && self.rung == 0 && self.blocks_left == RUNGS[0] {
                    self.leave_out(left);
                }
                self.begin_block();
            }
            if left.runs == 0 || left.seconds <= 0.0 {
                return None;
            }
            return self.pending.last().cloned();
        }
        None
    }

    /// Whether the program failed without any change in an earlier run.
    fn has_failed_before(&self) -> bool {
        self.trials.iter().any(|trial| trial.set.is_empty() && matches!(trial.outcome, Outcome::Refused { .. }))
    }

    /// The result of what [`Search::next`] returned.
    pub fn add(&mut self, outcome: Outcome) {
        let Some(set) = self.pending.pop() else { return };
        if let Outcome::Refused { why } = &outcome {
            match set.as_slice() {
                // What has worked may fail once: a busy machine is no reason to lose everything.
                [] if self.baseline_s().is_none() || self.has_failed_before() => self.broken = Some(why.clone()),
                [one] => {
                    self.candidates[*one].refused = Some(why.clone());
                    self.candidates[*one].is_alive = false;
                }
                _ => {}
            }
            match self.phase {
                Phase::Combining => self.choices.retain(|choice| *choice != set),
                // There is nothing to compare any more.
                Phase::Confirming | Phase::ConfirmingSecond if !set.is_empty() => {
                    self.pending.clear();
                    self.blocks_left = 0;
                }
                _ => {}
            }
        }
        self.trials.push(Trial { phase: self.phase, block: self.block, set, outcome });
        if matches!(self.phase, Phase::Confirming | Phase::ConfirmingSecond)
            && self.pending.is_empty()
            && self.is_decided()
        {
            self.blocks_left = 0;
        }
    }

    /// For a new budget: candidates for which the old one was too small come back, and screening begins again with them and with those that
    /// are still of interest. Their number; 0 also once confirming has begun, as its error rate belongs to the choice that was made.
    pub fn take_back(&mut self) -> usize {
        let confirms = |trial: &Trial| matches!(trial.phase, Phase::Confirming | Phase::ConfirmingSecond);
        let is_possible = self.broken.is_none() && !self.trials.iter().any(confirms);
        let mut number = 0;
        for candidate in self.candidates.iter_mut().filter(|candidate| is_possible && candidate.is_beyond_budget) {
            (candidate.is_alive, candidate.is_beyond_budget) = (true, false);
            number += 1;
        }
        if number > 0 {
            (self.phase, self.rung, self.blocks_left) = (Phase::Screening, 0, RUNGS[0]);
            self.pending.clear();
            self.choices.clear();
        }
        number
    }

    /// What the runs show up to now is in its verdict: [`crate::Verdict::of`].
    pub fn trials(&self) -> &[Trial] {
        &self.trials
    }

    /// Whether a run with this set has ended well: if it then takes long, the machine is as likely a reason.
    pub fn has_worked(&self, set: &[usize]) -> bool {
        self.trials.iter().any(|trial| trial.set == set && matches!(trial.outcome, Outcome::Time { .. }))
    }

    /// The next run's purpose.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Why the program failed without any change: at once, or more than once.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// Whether nothing is left to do.
    pub fn is_complete(&self) -> bool {
        self.phase == Phase::Done
    }

    /// Whether a stored state belongs to so many candidates, and every set in it to them.
    pub fn fits(&self, candidates: usize) -> bool {
        let sets = self.pending.iter().chain(&self.choices).chain(self.trials.iter().map(|trial| &trial.set));
        self.candidates.len() == candidates && sets.flatten().all(|one| *one < candidates)
    }

    /// The median time of the baseline up to now, seconds.
    pub fn baseline_s(&self) -> Option<f64> {
        baseline_s(&self.trials)
    }

    pub(crate) fn refused(&self, candidate: usize) -> Option<&str> {
        self.candidates[candidate].refused.as_deref()
    }

    pub(crate) fn is_beyond_budget(&self, candidate: usize) -> bool {
        self.candidates[candidate].is_beyond_budget
    }

    pub(crate) fn candidates(&self) -> usize {
        self.candidates.len()
    }

    pub(crate) fn choices(&self) -> &[Set] {
        &self.choices
    }

    /// Starts the next block: baseline and sets of this phase in random order.
    fn begin_block(&mut self) {
        let mut block: Vec<Set> = match self.phase {
            Phase::Noise => Vec::new(),
            Phase::Screening => self.alive().map(|one| vec![one]).collect(),
            Phase::Combining => self.choices.clone(),
            Phase::Confirming | Phase::ConfirmingSecond => self.choices.first().cloned().into_iter().collect(),
            Phase::Done => return,
        };
        block.push(Set::new());
        self.block += 1;
        self.blocks_left -= 1;
        // One generator for each block: the state that is stored needs only the seed.
        fastrand::Rng::with_seed(self.seed.wrapping_add(u64::from(self.block))).shuffle(&mut block);
        self.pending = block;
    }

    /// What comes after the last block of a phase or rung.
    fn proceed(&mut self) {
        match self.phase {
            Phase::Noise if self.candidates.is_empty() => self.phase = Phase::Done,
            Phase::Noise => {
                self.phase = Phase::Screening;
                self.blocks_left = RUNGS[0];
            }
            Phase::Screening => {
                self.halve();
                self.rung += 1;
                match RUNGS.get(self.rung) {
                    Some(blocks) if self.alive().count() > FEW || (self.rung == 1 && self.alive().count() > 0) => {
                        self.blocks_left = *blocks;
                    }
                    _ => self.choose(),
                }
            }
            Phase::Combining => {
                let mut choices = std::mem::take(&mut self.choices);
                let of = |set: &Set| self.middle(set, Phase::Combining);
                choices.sort_by(|a, b| of(b).total_cmp(&of(a)));
                self.choices = choices;
                self.confirm(Phase::Confirming);
            }
            Phase::Confirming if !self.is_proved(0) && self.choices.len() > 1 => {
                self.choices.remove(0);
                self.confirm(Phase::ConfirmingSecond);
            }
            Phase::Confirming | Phase::ConfirmingSecond | Phase::Done => self.phase = Phase::Done,
        }
    }

    fn confirm(&mut self, phase: Phase) {
        self.phase = if self.choices.is_empty() { Phase::Done } else { phase };
        self.blocks_left = MOST_PAIRS;
    }

    /// The worse half leaves, except the best of each subject while it seems to gain; after the second rung also those that lose.
    fn halve(&mut self) {
        let mut order: Vec<(usize, Screened)> = self.alive().map(|one| (one, self.screened(one))).collect();
        order.sort_by(|a, b| b.1.gain.total_cmp(&a.1.gain));
        let half = order.len().div_ceil(2);
        let mut subjects: Vec<String> = Vec::new();
        for (rank, (one, screened)) in order.into_iter().enumerate() {
            let candidate = &mut self.candidates[one];
            let is_first = !subjects.contains(&candidate.subject);
            subjects.push(candidate.subject.clone());
            candidate.is_alive =
                (rank < half || (is_first && screened.seems_to_gain)) && (self.rung == 0 || screened.gain > 0.0);
        }
    }

    /// After screening: the best of each subject, together and the best one alone.
    fn choose(&mut self) {
        let seen = self.alive().map(|one| (one, self.screened(one)));
        let mut winners: Vec<(usize, f64)> =
            seen.filter(|(_, seen)| seen.seems_to_gain).map(|(one, seen)| (one, seen.gain)).collect();
        winners.sort_by(|a, b| b.1.total_cmp(&a.1));
        let mut together: Set = Vec::new();
        for (one, _) in &winners {
            let subject = &self.candidates[*one].subject;
            if together.iter().all(|other| self.candidates[*other].subject != *subject) {
                together.push(*one);
            }
        }
        self.choices = match together.len() {
            0 => Vec::new(),
            1 => winners.iter().take(2).map(|(one, _)| vec![*one]).collect(),
            _ => vec![together.clone(), vec![together[0]]],
        };
        match together.len() {
            0 | 1 => self.confirm(Phase::Confirming),
            _ => {
                self.phase = Phase::Combining;
                self.blocks_left = COMBINING;
            }
        }
    }

    /// Whether screening has a candidate that seems to gain.
    fn has_winner(&self) -> bool {
        self.alive().any(|one| self.screened(one).seems_to_gain)
    }

    /// Numbers of the candidates that are still of interest.
    fn alive(&self) -> impl Iterator<Item = usize> {
        self.candidates.iter().enumerate().filter(|(_, candidate)| candidate.is_alive).map(|(number, _)| number)
    }

    fn screened(&self, candidate: usize) -> Screened {
        let unseen = Screened { gain: f64::NEG_INFINITY, seems_to_gain: false };
        screened(&self.trials, &[candidate]).unwrap_or(unseen)
    }

    fn middle(&self, set: &[usize], phase: Phase) -> f64 {
        middle(&ratios(&self.trials, set, |of| of == phase)).unwrap_or(f64::NEG_INFINITY)
    }

    /// Whether the attempt has proved a gain.
    fn is_proved(&self, attempt: usize) -> bool {
        let compared = |choice: &Set| Compared::of(&self.trials, choice, attempt);
        self.choices.first().and_then(compared).is_some_and(|compared| compared.is_proved)
    }

    /// Whether the current attempt needs no further pair: proved, or proved to be less than the floor.
    fn is_decided(&self) -> bool {
        let attempt = usize::from(self.phase == Phase::ConfirmingSecond);
        let Some(choice) = self.choices.first() else { return true };
        let Some(compared) = Compared::of(&self.trials, choice, attempt) else { return false };
        compared.is_proved || compared.is_too_small
    }

    /// Whether the next block fits into what is left, after what confirming needs.
    fn has_room(&self, left: Left) -> bool {
        let Some(usual_s) = usual_s(&self.trials) else { return left.runs > 0 && left.seconds > 0.0 };
        let (runs, reserve) = match self.phase {
            Phase::Noise => (1, 0),
            Phase::Screening => (self.alive().count().min(1) + 1, 2 * FEWEST_PAIRS as usize),
            Phase::Combining => (self.choices.len() + 1, 0),
            Phase::Confirming | Phase::ConfirmingSecond => (2, 0),
            Phase::Done => return false,
        };
        let runs = (runs + reserve) as u64;
        left.runs >= runs && left.seconds >= usual_s * runs as f64
    }

    /// Before the first block of screening: candidates for which the budget does not reach.
    fn leave_out(&mut self, left: Left) {
        let usual_s = usual_s(&self.trials).unwrap_or(0.0);
        let runs = left.runs.min(if usual_s > 0.0 { (left.seconds / usual_s) as u64 } else { u64::MAX });
        // Half of what confirming does not need is for the later rungs.
        let runs = runs.saturating_sub(2 * u64::from(FEWEST_PAIRS)) / 2;
        let most = (runs / u64::from(RUNGS[0])).saturating_sub(1).max(1) as usize;
        for candidate in self.candidates.iter_mut().filter(|candidate| candidate.is_alive).skip(most) {
            candidate.is_alive = false;
            candidate.is_beyond_budget = true;
        }
    }
}
