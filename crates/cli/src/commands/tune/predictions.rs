//! What the model of the recorded run says about candidates, and about changes of the source.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use mpiscope_predict::{Change, parse};
use mpiscope_query::{Target, predict};
use mpiscope_run::{Resolver, Run};
use mpiscope_tune::Candidate;
use serde::{Deserialize, Serialize};

use super::super::report::live;
use crate::interrupt::Noting;
use crate::memory::give_back;
use crate::say;

/// Changes of the source that are listed.
const MOST_ADVICE: usize = 5;
/// A smaller predicted gain is no advice.
const LEAST: f64 = 0.01;

/// A change of the source, which tune does not make.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Advice {
    /// As for `mpiscope predict --what-if`.
    pub change: String,
    /// The share of the time that it saves, by the model.
    pub predicted: f64,
    pub low: f64,
    pub high: f64,
    /// What to do.
    pub how: String,
}

/// Notes predictions in the candidates, and returns advice. Without an answer within `limit`, both stay empty.
pub fn ask(run: &Path, candidates: &mut [Candidate], limit: Duration, noting: &Noting) -> Vec<Advice> {
    match answers(run, candidates, limit, noting) {
        Ok(advice) => advice,
        Err(error) => {
            say::line(format_args!("no predictions: {error:#}"));
            Vec::new()
        }
    }
}

fn answers(path: &Path, candidates: &mut [Candidate], limit: Duration, noting: &Noting) -> anyhow::Result<Vec<Advice>> {
    let run = Run::open(path, &live(path))?;
    let deadline = Instant::now() + limit;
    let mut watch = |_, _| {
        give_back();
        match Instant::now() > deadline || noting.is_interrupted() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let questions: Vec<(usize, Vec<Change>)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(number, candidate)| Some((number, parse(candidate.question.as_deref()?).ok()?)))
        .collect();
    if !questions.is_empty() {
        let asked: Vec<Vec<Change>> = questions.iter().map(|(_, changes)| changes.clone()).collect();
        let found = predict(&run, &Resolver::default(), &asked, Target::default(), &mut watch)?;
        for ((number, _), answer) in questions.iter().zip(&found.answers) {
            candidates[*number].predicted = answer.as_ref().ok().map(|answer| answer.gain);
        }
    }
    let found = predict(&run, &Resolver::default(), &[], Target::default(), &mut watch)?;
    let is_source = |effort: &str| !["one variable", "rank file", "other machine"].contains(&effort);
    let worth = found.answers.into_iter().flatten().filter(|answer| is_source(answer.effort) && answer.gain > LEAST);
    let advice = worth.take(MOST_ADVICE).map(|answer| Advice {
        change: answer.change,
        predicted: answer.gain,
        low: answer.low,
        high: answer.high,
        how: answer.how,
    });
    Ok(advice.collect())
}
