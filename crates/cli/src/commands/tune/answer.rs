//! The result, as JSON and files have it.

use std::path::Path;

use anyhow::Context;
use mpiscope_experiments::{CandidateResult, Fate, Gain, Trial, Verdict};
use mpiscope_launch::shell_words;
use mpiscope_tune::{Candidate, Start, Untried};
use serde::Serialize;

use super::predictions::Advice;
use super::state::{RESULT, State, replace};

/// Lines for a shell.
pub const ENV: &str = "tuned.env";
/// A profile for `mpiscope.toml`.
pub const PROFILE: &str = "tuned.toml";

/// Everything that was found.
#[derive(Serialize)]
pub struct Answer<'a> {
    format: u32,
    mpiscope_version: &'static str,
    pub program: &'a [String],
    pub ranks: Option<u32>,
    pub mpi: Option<&'a str>,
    pub launcher: String,
    /// The region whose time counts; null: the whole job's.
    pub region: Option<&'a str>,
    /// Iterations of the main loop after which runs are ended, and whose time counts; null: runs come to their end.
    pub iterations: Option<u64>,
    /// Only candidates were listed.
    pub dry_run: bool,
    /// Whether the search came to its end; the budget did not end it, and nothing interrupted it.
    pub complete: bool,
    pub used_seconds: f64,
    pub runs: usize,
    pub baseline_seconds: Option<f64>,
    pub noise: Option<f64>,
    pub least_gain: f64,
    /// The best set, if its gain is proved.
    pub best: Option<Best>,
    /// What was compared with the program as it is last, proved or not.
    pub compared: Compared<'a>,
    pub candidates: Vec<Row<'a>>,
    pub untried: &'a [Untried],
    pub advice: &'a [Advice],
    trials: &'a [Trial],
}

/// The comparison on which the result rests.
#[derive(Serialize)]
pub struct Compared<'a> {
    pub settings: Vec<&'a str>,
    /// The probability that the bound on which the proof rests, `gain.low` or that of `gain.total`, is too large.
    pub error_rate: f64,
    pub gain: Option<Gain>,
}

/// How to use the best set.
#[derive(Serialize)]
pub struct Best {
    /// Titles of its candidates.
    pub settings: Vec<String>,
    /// Lines for a shell.
    pub env: String,
    /// The launcher's command line.
    pub line: String,
    /// A profile for `mpiscope.toml`.
    pub profile: String,
}

/// A candidate, and what became of it.
#[derive(Serialize)]
pub struct Row<'a> {
    #[serde(flatten)]
    pub candidate: &'a Candidate,
    #[serde(flatten)]
    pub result: CandidateResult,
}

impl<'a> Answer<'a> {
    pub fn new(state: &'a State, dry_run: bool) -> Answer<'a> {
        let verdict = Verdict::of(&state.search);
        let is_refused = |row: &&Row| matches!(row.result.fate, Fate::Refused { .. });
        let mut candidates: Vec<Row> = state
            .candidates
            .iter()
            .zip(verdict.candidates)
            .map(|(candidate, result)| Row { candidate, result })
            .collect();
        let gain = |row: &Row| row.result.screened.map_or(f64::NEG_INFINITY, |gain| gain.median);
        let is_chosen = |row: &Row| row.result.fate == Fate::Chosen;
        candidates.sort_by(|a, b| {
            let first = is_chosen(b).cmp(&is_chosen(a)).then(is_refused(&a).cmp(&is_refused(&b)));
            first.then(gain(b).total_cmp(&gain(a)))
        });
        let titles =
            |set: &[usize]| set.iter().map(|number| state.candidates[*number].title.as_str()).collect::<Vec<_>>();
        Answer {
            format: 1,
            mpiscope_version: env!("CARGO_PKG_VERSION"),
            program: &state.program,
            ranks: state.ranks,
            mpi: state.mpi.as_deref(),
            launcher: shell_words::join(&state.launcher),
            region: state.region.as_deref(),
            iterations: state.stop.as_ref().map(|stop| stop.iterations),
            dry_run,
            complete: state.search.is_complete(),
            used_seconds: state.used_seconds,
            runs: state.search.trials().len(),
            baseline_seconds: verdict.baseline_seconds,
            noise: verdict.noise,
            least_gain: verdict.least_gain,
            best: (!verdict.best.is_empty()).then(|| best(state, &verdict.best)),
            compared: Compared {
                settings: titles(&verdict.compared),
                error_rate: verdict.error_rate,
                gain: verdict.gain,
            },
            candidates,
            untried: &state.untried,
            advice: &state.advice,
            trials: state.search.trials(),
        }
    }

    /// Writes the files of the result.
    pub fn write(&self, directory: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("result as JSON")? + "\n";
        replace(&directory.join(RESULT), &text)?;
        let best = self.best.as_ref();
        for (name, text) in [(ENV, best.map(|best| &best.env)), (PROFILE, best.map(|best| &best.profile))] {
            let path = directory.join(name);
            match text {
                Some(text) => replace(&path, text)?,
                // Of an earlier part of the search.
                None => drop(std::fs::remove_file(path)),
            }
        }
        Ok(())
    }
}

fn best(state: &State, set: &[usize]) -> Best {
    let start = state.start(set);
    let words = start.as_options();
    let line = [start.before(), words.clone(), state.rest()].concat();
    let quoted = |text: &str| shell_words::join(&[text]);
    let options = start.words.iter().filter(|word| !state.launcher.contains(word)).cloned().collect::<Vec<_>>();
    let mut env = String::from("# Made by mpiscope tune. Read it with: . tuned.env\n");
    if !options.is_empty() {
        env += &format!("# The launcher also needs: {}\n", shell_words::join(&options));
    }
    env += &start.shell(quoted);
    Best {
        settings: set.iter().map(|number| state.candidates[*number].title.clone()).collect(),
        env,
        line: shell_words::join(&line),
        profile: profile(&start, &words),
    }
}

fn profile(start: &Start, words: &[String]) -> String {
    let mut text = String::from(
        "# Made by mpiscope tune. Copy it into mpiscope.toml; use it with: mpiscope run --profile tuned\n",
    );
    for name in &start.unset {
        text += &format!("# It also needs: unset {name}\n");
    }
    text += "[profile.tuned]\n";
    text += &format!("launcher = {}\n", toml_string(&shell_words::join(words)));
    if start.preload.is_some() {
        text += "yield = true\n";
    }
    text
}

/// A basic string of TOML.
fn toml_string(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_tune::{Change, Family};

    #[test]
    fn a_profile_is_toml_and_names_what_it_cannot_contain() {
        let launcher = ["mpiexec".to_owned(), "-q".to_owned()];
        let set = Change::Set { variable: "UCX_TLS".into(), value: "a \"b\"\\".into() };
        let changes =
            [set, Change::Unset { variable: "HYDRA_BINDING".into() }, Change::Preload { library: "/l/y.so".into() }];
        let start = Start::new(&launcher, Some(Family::Mpich), &changes);
        assert_eq!(
            profile(&start, &start.as_options()),
            "# Made by mpiscope tune. Copy it into mpiscope.toml; use it with: mpiscope run --profile tuned\n\
             # It also needs: unset HYDRA_BINDING\n\
             [profile.tuned]\n\
             launcher = \"mpiexec -q -genv UCX_TLS 'a \\\"b\\\"\\\\'\"\n\
             yield = true\n"
        );
    }
}
