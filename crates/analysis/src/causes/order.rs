//! The order of findings.

use std::cmp::Reverse;

use super::unexplained;
use crate::explanation::{Confidence, Finding, Scope, Subject};

/// First what stopped the program, then the machine's influence if that was not replayed, then causes by what they save, each
/// followed by its symptoms.
pub(crate) fn order(findings: &mut Vec<Finding>, scope: &Scope) {
    findings.sort_by_cached_key(|f| (Class::of(f, scope), Reverse(expected_ns(f, scope)), Reverse(f.cost_ns), f.id));
    settle(findings, scope);
    let causes: Vec<(&'static str, Option<&'static str>)> = findings.iter().map(|f| (f.id, f.caused_by)).collect();
    let caused_by = |id: &str| causes.iter().find(|(of, _)| *of == id).map(|(_, by)| *by);
    for finding in findings.iter_mut() {
        finding.caused_by = finding.caused_by.and_then(|id| match caused_by(id) {
            // If the cause is itself a symptom, its cause is the cause of both.
            Some(Some(root)) if root != finding.id => Some(root),
            Some(_) => Some(id),
            None => None,
        });
    }
    let (roots, mut symptoms): (Vec<Finding>, Vec<Finding>) = findings.drain(..).partition(|f| f.caused_by.is_none());
    for (at, root) in roots.iter().enumerate() {
        findings.push(root.clone());
        if roots[..at].iter().all(|f| f.id != root.id) {
            let (of_it, others): (Vec<_>, Vec<_>) = symptoms.into_iter().partition(|f| f.caused_by == Some(root.id));
            findings.extend(of_it);
            symptoms = others;
        }
    }
    findings.append(&mut symptoms);
}

/// Findings of one class compare by what they save.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Class {
    subject: Subject,
    saves_nothing: bool,
    /// A guess shows little about what a change would save: it comes after known savings.
    is_guess: bool,
}

impl Class {
    fn of(f: &Finding, scope: &Scope) -> Class {
        let subject = match f.relations.subject {
            Subject::Machine if f.savable_ns.is_some() => Subject::Program,
            subject => subject,
        };
        let is_guess = f.worth_ns(scope).is_none() && f.confidence == Confidence::Low;
        Class { subject, saves_nothing: expected_ns(f, scope) == 0, is_guess }
    }
}

/// What a change saves, by the model if it was used. Of time in MPI that no finding explains, half counts, as of a bound.
fn expected_ns(f: &Finding, scope: &Scope) -> u64 {
    let saved_ns = f.worth_ns(scope).unwrap_or(f.cost_ns);
    match &f.gain {
        _ if saved_ns < scope.threshold_ns() => 0,
        None if f.id == unexplained::RULE.id => saved_ns / 2,
        None => of_bound(f, saved_ns),
        Some(_) => saved_ns,
    }
}

/// A bound counts half.
fn of_bound(f: &Finding, saved_ns: u64) -> u64 {
    if f.is_bound { saved_ns / 2 } else { saved_ns }
}

/// Of gains that the model cannot distinguish, that comes first which saves most by the replay of the recorded run.
fn settle(findings: &mut [Finding], scope: &Scope) {
    let bounds = |f: &Finding| f.gain.as_ref().map(|gain| (gain.low, gain.high));
    let replayed_ns = |f: &Finding| f.savable_ns.map_or_else(|| expected_ns(f, scope), |ns| of_bound(f, ns));
    for at in 0..findings.len() {
        let (class, Some((low, _))) = (Class::of(&findings[at], scope), bounds(&findings[at])) else { continue };
        let alike = (at..findings.len())
            .take_while(|&other| Class::of(&findings[other], scope) == class)
            .filter(|&other| bounds(&findings[other]).is_some_and(|(_, high)| high >= low));
        let first = alike.min_by_key(|&other| Reverse(replayed_ns(&findings[other]))).unwrap_or(at);
        findings[at..=first].rotate_right(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::Gain;

    fn finding(id: &'static str, saves: u64, (low, high): (f64, f64)) -> Finding {
        let gain = Gain { change: String::new(), how: String::new(), gain: f64::midpoint(low, high), low, high };
        Finding { id, savable_ns: Some(saves), gain: Some(gain), ..Finding::default() }
    }

    #[test]
    fn the_replay_decides_between_gains_that_the_model_cannot_distinguish() {
        let scope = Scope { rank_time_ns: 1_000_000_000, ..Scope::default() };
        let ms = 1_000_000;
        let ordered = |mut findings: Vec<Finding>| {
            order(&mut findings, &scope);
            findings.iter().map(|f| f.id).collect::<Vec<_>>()
        };
        let (a, b) = (finding("a", 200 * ms, (0.24, 0.26)), finding("b", 240 * ms, (0.23, 0.245)));
        assert_eq!(ordered(vec![a.clone(), b.clone()]), ["b", "a"]);
        // One that certainly gains more stays first, whatever the replay says.
        let c = finding("c", 10 * ms, (0.3, 0.4));
        assert_eq!(ordered(vec![b.clone(), a.clone(), c]), ["c", "b", "a"]);
        // No gain at all comes last, with however wide an interval.
        let none = finding("none", 900 * ms, (-0.01, 0.9));
        assert_eq!(ordered(vec![none, a, b]), ["b", "a", "none"]);
    }
}
