//! One run of the program with a set of candidates in force, and what is shown while experiments run.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use mpiscope_experiments::{Outcome, Phase, Verdict};
use mpiscope_launch::env::{LD_PRELOAD, preload_with};
use mpiscope_launch::supervise::How;
use mpiscope_launch::timed::{self, End, Lines};
use mpiscope_tune::{Change, Start};

use super::record::{Recorded, region_s};
use super::state::{State, Stop};
use crate::interrupt::Noting;
use crate::say;

/// A run from which the time of a part is read; the next one replaces it.
const MEASURED: &str = "measured.mpiscope";
/// Without `--timeout`: so many times the time without changes …
const PATIENCE: f64 = 3.0;
/// … and this in addition. What takes longer is no candidate, and its runs cost the budget.
const PATIENCE_S: f64 = 5.0;

/// The program's experiments.
pub struct Experiments<'a> {
    pub state: &'a State,
    /// Where runs are recorded, if a part of them is measured.
    pub directory: &'a Path,
}

/// A run that has ended by itself.
pub struct Done {
    pub outcome: Outcome,
    /// Of a run that worked, if outputs are compared.
    pub output: Option<Lines>,
}

impl State {
    /// What the program starts with, if these candidates are in force.
    pub fn start(&self, set: &[usize]) -> Start {
        let changes: Vec<&Change> = set.iter().flat_map(|number| &self.candidates[*number].changes).collect();
        Start::new(&self.launcher, self.family, changes)
    }

    /// A recording of the program under this launcher; [`set_environment`] is still needed.
    pub fn recorded<'a>(&'a self, start: &'a Start, is_light: bool) -> Recorded<'a> {
        Recorded {
            launcher: &start.words,
            ranks: self.ranks,
            library: self.library.as_ref(),
            program: &self.program,
            yields: start.preload.is_some(),
            is_light,
        }
    }

    /// The words after the launcher's own: ranks, what it needs here, the program.
    pub fn rest(&self) -> Vec<String> {
        let ranks = self.ranks.into_iter().flat_map(|ranks| [self.ranks_option.clone(), ranks.to_string()]);
        ranks.chain(self.extra.iter().cloned()).chain(self.program.iter().cloned()).collect()
    }
}

impl Experiments<'_> {
    /// Runs the program. `None`: it was interrupted, or the budget ended.
    pub fn run(&self, set: &[usize], left: Duration, noting: &Noting) -> anyhow::Result<Option<Done>> {
        let state = self.state;
        let start = state.start(set);
        let run = self.directory.join(MEASURED);
        let mut command = match (&state.region, &state.stop) {
            (Some(_), _) => state.recorded(&start, true).command(&run)?,
            (None, Some(_)) => state.recorded(&start, false).command(&run)?,
            (None, None) => bare(state, &start),
        };
        set_environment(&mut command, &start);
        let patience = self.patience(set.is_empty() || state.search.has_worked(set));
        let limit = patience.unwrap_or(left).min(left);
        let looking = state.stop.as_ref().map(|stop| Looking::new(stop, &run, state.search.baseline_s()));
        // What an earlier experiment has left is not this one.
        if looking.is_some() && run.exists() {
            std::fs::remove_dir_all(&run).with_context(|| format!("cannot remove {}", run.display()))?;
        }
        let is_over = || noting.is_interrupted() || looking.as_ref().is_some_and(Looking::is_reached);
        let done = timed::run(&mut command, limit, state.same_output, &is_over)
            .with_context(|| format!("cannot start {}", start.words[0]))?;
        let refused = |why: String| Some(Done { outcome: Outcome::Refused { why }, output: None });
        if let Some(looking) = &looking
            && matches!(done.end, End::Interrupted | End::Itself(How::Exited(0)))
            && !noting.is_interrupted()
        {
            return Ok(match looking.stop.seconds(&run) {
                Ok(seconds) => Some(Done { outcome: Outcome::Time { seconds }, output: None }),
                Err(error) => refused(format!("{error:#}")),
            });
        }
        Ok(match done.end {
            End::Interrupted => None,
            // The budget, not this run, took too long.
            End::TimedOut if patience.is_none_or(|patience| patience > left) => None,
            End::TimedOut => refused(format!("it had not ended after {:.1} s", limit.as_secs_f64())),
            End::Itself(How::Killed(signal)) => refused(format!("signal {signal}{}", reason(&done.stderr))),
            End::Itself(How::Exited(0)) => {
                let is_same = match (state.output, done.output) {
                    (Some(first), Some(own)) => set.is_empty() || first == (own.count, own.sum),
                    _ => true,
                };
                match is_same {
                    false => refused("its output differs".to_owned()),
                    true => {
                        let seconds = match &state.region {
                            None => Ok(done.elapsed.as_secs_f64()),
                            Some(region) => region_s(&run, region),
                        };
                        match seconds {
                            Ok(seconds) => Some(Done { outcome: Outcome::Time { seconds }, output: done.output }),
                            Err(error) => refused(format!("{error:#}")),
                        }
                    }
                }
            }
            End::Itself(How::Exited(code)) => refused(format!("exit code {code}{}", reason(&done.stderr))),
        })
    }

    /// After which time a run has failed; `None` while nothing is known. The program as it is, and with settings that worked before, only fails
    /// if it hangs.
    fn patience(&self, is_trusted: bool) -> Option<Duration> {
        let factor = if is_trusted { 4.0 } else { 1.0 };
        let usual = self.state.search.baseline_s().map(|seconds| factor * (PATIENCE * seconds + PATIENCE_S));
        self.state.timeout_seconds.or(usual).map(Duration::from_secs_f64)
    }
}

/// Looks whether a run has come to the place where it is ended.
struct Looking<'a> {
    stop: &'a Stop,
    run: &'a Path,
    /// When to look next: looking takes time from a core that the program may need.
    next: Cell<Instant>,
    pause: Duration,
}

/// Looks begin when this part of the usual time is over.
const LOOK_FROM: f64 = 0.8;
/// Looks in the usual time.
const LOOKS: f64 = 20.0;
/// The shortest pause between two looks.
const LEAST_PAUSE: Duration = Duration::from_millis(100);

impl Looking<'_> {
    fn new<'a>(stop: &'a Stop, run: &'a Path, usual_s: Option<f64>) -> Looking<'a> {
        let usual = Duration::from_secs_f64(usual_s.unwrap_or(0.0));
        let pause = usual.div_f64(LOOKS).max(LEAST_PAUSE);
        Looking { stop, run, next: Cell::new(Instant::now() + usual.mul_f64(LOOK_FROM)), pause }
    }

    fn is_reached(&self) -> bool {
        if Instant::now() < self.next.get() {
            return false;
        }
        let is_reached = self.stop.is_reached(self.run);
        self.next.set(Instant::now() + self.pause);
        is_reached
    }
}

/// The program under its launcher, not recorded.
fn bare(state: &State, start: &Start) -> Command {
    let mut command = Command::new(&start.words[0]);
    command.args(&start.words[1..]).args(start.handing()).args(state.rest());
    if let Some(library) = &start.preload {
        command.env(LD_PRELOAD, preload_with(library.as_ref(), &[], std::env::var_os(LD_PRELOAD).as_deref()));
    }
    command
}

/// Variables that are set and removed.
pub fn set_environment(command: &mut Command, start: &Start) {
    for name in &start.unset {
        command.env_remove(name);
    }
    command.envs(&start.set);
}

/// The line of stderr that most likely has the reason.
fn reason(stderr: &str) -> String {
    let is_text = |line: &&str| line.contains(|c: char| c.is_alphabetic());
    let lines = || stderr.lines().map(str::trim).filter(is_text);
    let telling = ["error", "fail", "abort", "invalid", "unknown", "unrecognized", "not enough", "unable"];
    let is_telling = |line: &&str| telling.iter().any(|word| line.to_ascii_lowercase().contains(word));
    let line = lines().find(is_telling).or_else(|| lines().next());
    line.map_or(String::new(), |line| format!(": {}", line.chars().take(120).collect::<String>()))
}

/// What is shown while experiments run: one line that changes on a terminal, a line for each phase elsewhere.
pub struct Shown {
    budget: Duration,
    is_terminal: bool,
    phase: Option<Phase>,
}

impl Shown {
    pub fn new(budget: Duration) -> Shown {
        Shown { budget, is_terminal: std::io::stderr().is_terminal(), phase: None }
    }

    /// A run begins.
    pub fn begin(&mut self, state: &State, set: &[usize], used: Duration) {
        let phase = state.search.phase();
        if self.phase != Some(phase) {
            self.clear();
            say::line(what(phase, state));
            self.phase = Some(phase);
        }
        if self.is_terminal {
            let title: String = title(state, set).chars().take(50).collect();
            let text = format!(
                "\r\x1b[Kmpiscope: run {}, {:.0} of {:.0} s: {title}",
                state.search.trials().len() + 1,
                used.as_secs_f64(),
                self.budget.as_secs_f64()
            );
            let mut err = std::io::stderr().lock();
            let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
        }
    }

    /// A set was refused.
    pub fn refused(&mut self, state: &State, set: &[usize], why: &str) {
        self.clear();
        say::line(format_args!("refused: {}: {why}", title(state, set)));
    }

    /// Experiments are over.
    pub fn end(&mut self) {
        self.clear();
    }

    fn clear(&self) {
        if self.is_terminal {
            let _ = std::io::stderr().lock().write_all(b"\r\x1b[K");
        }
    }
}

fn title(state: &State, set: &[usize]) -> String {
    match set {
        [] => "as it is".to_owned(),
        set => set.iter().map(|one| state.candidates[*one].title.as_str()).collect::<Vec<_>>().join(" + "),
    }
}

fn what(phase: Phase, state: &State) -> String {
    match phase {
        Phase::Noise => "measuring how much runs without a change differ".to_owned(),
        Phase::Screening => {
            let verdict = Verdict::of(&state.search);
            let noise = mpiscope_units::percent(verdict.noise.unwrap_or(0.0));
            let seconds = verdict.baseline_seconds.unwrap_or(0.0);
            format!("{seconds:.3} s without a change, noise {noise}; trying {} candidates", state.candidates.len())
        }
        Phase::Combining => "trying the best ones together".to_owned(),
        Phase::Confirming => "confirming the best set against the program as it is".to_owned(),
        Phase::ConfirmingSecond => "not confirmed; confirming the second best".to_owned(),
        Phase::Done => String::new(),
    }
}
