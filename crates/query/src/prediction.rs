//! From a run to a model of it, and its answers.

use mpiscope_ingest::Ingest;
use mpiscope_predict::{Answer, ApplyError, Change, Fit, Model, Ports, Reproduction, Translator, candidates};
use mpiscope_run::{Diagnostic, Resolver, Run};
use std::sync::Arc;

use crate::batches::each_batch;
use crate::{QueryError, Watch, go_on};

/// What is known of a run and of changes of it.
pub struct Prediction {
    /// How well the model replays the run.
    pub reproduction: Reproduction,
    /// Where the network comes from.
    pub network: &'static str,
    /// Answers, in the order of the questions; without questions, those of all that may help, the best first.
    pub answers: Vec<Result<Answer, ApplyError>>,
    /// What could not be read of the run.
    pub problems: Vec<Diagnostic>,
}

/// Replays `run` as it was and under each of the changes; without changes, under all that may help.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn predict(
    run: &Run,
    resolver: &Resolver,
    asked: &[Vec<Change>],
    watch: &mut Watch<'_>,
) -> Result<Prediction, QueryError> {
    let mut ingest = Ingest::new(run, resolver)?;
    let mut translator = Translator::new(ingest.dimensions());
    let mut fit = Fit::new(Ports::of_hosts(ingest.dimensions()));
    let mut sections = Vec::new();
    each_batch(&mut ingest, watch, |tables, batch| {
        sections.push(Arc::new(translator.add_batch(&tables.dimensions, &tables.facts, batch)));
        fit.add_batch(&tables.facts, batch);
        Ok(())
    })?;
    let (tables, problems, progress) = (ingest.tables(), ingest.problems().to_vec(), ingest.progress());
    drop(ingest);
    go_on(watch, progress)?;
    let network = fit.network(|network| translator.kinds.factors(network));
    let known = mpiscope_predict::Run {
        dimensions: &tables.dimensions,
        facts: &tables.facts,
        kinds: translator.kinds.all(),
        recorded: &translator.recorded,
    };
    let model = Model::new(known, &sections, &network);
    let questions = if asked.is_empty() { candidates(known, &network) } else { asked.to_vec() };
    let mut answers = model.ask(&questions);
    if asked.is_empty() {
        answers.retain(Result::is_ok);
        let gain = |answer: &Result<Answer, ApplyError>| answer.as_ref().map_or(0.0, |answer| answer.gain);
        answers.sort_by(|a, b| gain(b).total_cmp(&gain(a)));
    }
    Ok(Prediction { reproduction: model.reproduction, network: "fitted to this run", answers, problems })
}
