//! What the changes gain that findings advise.

use mpiscope_analysis::{Explanation, Finding, Gain};
use mpiscope_model::simulation::Network;
use mpiscope_predict::{Answer, Change, is_advised, suggested};
use mpiscope_run::{Resolver, Run};

use crate::placement::Target;
use crate::prediction::replay;
use crate::{QueryError, Watch};

/// For which runs gains are predicted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Gains {
    /// Short ones: it takes about as long as the explanation, and a few hundred megabytes.
    #[default]
    Short,
    /// All.
    Always,
    /// None.
    Never,
}

/// Rows of the longest run that is short.
const SHORT: u64 = 1 << 20;

/// Fills in what the changes gain that findings advise ([`mpiscope_analysis::Finding::gain`]), and puts the findings in the order of these gains.
/// A caveat states how well the model reproduces the run, or why there are no gains.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn add_gains(
    run: &Run,
    resolver: &Resolver,
    explanation: &mut Explanation,
    gains: Gains,
    watch: &mut Watch<'_>,
) -> Result<(), QueryError> {
    if gains == Gains::Never || !explanation.findings.iter().any(is_advised) {
        return Ok(());
    }
    if gains == Gains::Short && explanation.scope.rows > SHORT {
        let text =
            "Gains of findings are not predicted, since the run is long: mpiscope report RUN --gains predicts them.";
        explanation.caveats.push(text.to_owned());
        return Ok(());
    }
    // By finding. Several may advise the same change, which is simulated once.
    let mut of_findings: Vec<Vec<Vec<Change>>> = Vec::new();
    let mut asked: Vec<Vec<Change>> = Vec::new();
    let findings = &explanation.findings;
    let questions = |known: mpiscope_predict::Run<'_>, network: &Network| {
        of_findings = findings.iter().map(|finding| suggested(finding, known, network)).collect();
        for question in of_findings.iter().flatten() {
            if !asked.contains(question) {
                asked.push(question.clone());
            }
        }
        asked.clone()
    };
    let found = replay(run, resolver, questions, Target::default(), watch)?;
    let rank_time_ns = explanation.scope.rank_time_ns;
    for (finding, own) in explanation.findings.iter_mut().zip(&of_findings) {
        let answers = asked.iter().zip(&found.answers).filter(|(question, _)| own.contains(question));
        let answers: Vec<&Answer> = answers.flat_map(|(_, answer)| answer).collect();
        let best = best(&answers).filter(|best| agrees(finding, best, rank_time_ns));
        finding.gain =
            best.cloned().map(|Answer { change, how, gain, low, high, .. }| Gain { change, how, gain, low, high });
    }
    if explanation.findings.iter().any(|finding| finding.gain.is_some()) {
        explanation.caveats.push(format!(
            "Gains are shares of the run's time, predicted by a model that replays this run with an error of {}.",
            mpiscope_units::percent(found.reproduction.time.error().abs())
        ));
        explanation.order_by_gain();
    }
    Ok(())
}

/// The answer that gains most, of those that surely gain something. Otherwise the best one, if all of them are that little or nothing is gained.
fn best<'a>(answers: &[&'a Answer]) -> Option<&'a Answer> {
    let most = |of: &mut dyn Iterator<Item = &'a Answer>| of.max_by(|a, b| a.gain.total_cmp(&b.gain));
    most(&mut answers.iter().copied().filter(|answer| answer.low > 0.0)).or_else(|| {
        let is_all_known = answers.iter().all(|answer| answer.high < MUCH);
        most(&mut answers.iter().copied()).filter(|_| is_all_known)
    })
}

/// Whether the change is what the finding advises, as far as its own saving tells. The model balances the computing before the same calls;
/// an imbalance of ranks that do different things is not the same. And where the finding states no saving, a change that gains nothing
/// tells nothing of the others that might.
fn agrees(finding: &Finding, answer: &Answer, rank_time_ns: u64) -> bool {
    if finding.savable_ns.is_none() && answer.low <= 0.0 {
        return false;
    }
    let saved = mpiscope_units::share(finding.savable_ns.unwrap_or(0), rank_time_ns);
    finding.id != "load_imbalance" || answer.gain > saved / 2.0
}

/// Share of the run that matters.
const MUCH: f64 = 0.03;

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(low: f64, gain: f64, high: f64) -> Answer {
        Answer { change: gain.to_string(), predicted_ns: 0, gain, low, high, effort: "", how: String::new() }
    }

    #[test]
    fn a_finding_gets_the_best_gain_that_is_sure() {
        let (unsure, slight, much) = (answer(-0.01, 0.2, 0.9), answer(0.0, 0.01, 0.02), answer(0.3, 0.4, 0.5));
        let costly = answer(-0.6, -0.5, -0.4);
        let gain = |answers: &[&Answer]| best(answers).map(|answer| answer.gain);
        assert_eq!(gain(&[&slight, &much, &costly]), Some(0.4));
        assert_eq!(gain(&[&unsure, &much]), Some(0.4));
        assert_eq!((gain(&[&slight, &costly]), gain(&[&costly])), (Some(0.01), Some(-0.5)));
        for unknown in [&[][..], &[&unsure], &[&unsure, &slight], &[&unsure, &costly]] {
            assert_eq!(gain(unknown), None);
        }
    }

    #[test]
    fn what_gains_nothing_says_nothing_of_a_finding_without_a_saving() {
        let without = Finding::default();
        assert!(
            agrees(&without, &answer(0.01, 0.1, 0.2), 1_000) && !agrees(&without, &answer(-0.01, 0.0, 0.01), 1_000)
        );
        let mut with = Finding::default();
        with.savable_ns = Some(100);
        assert!(agrees(&with, &answer(-0.01, 0.0, 0.01), 1_000));
    }
}
