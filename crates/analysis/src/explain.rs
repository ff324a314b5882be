//! The explanation of a run: all analyses, one pass.

use mpiscope_store::{Batch, CallInfo, Dimensions, RankRow};
use rayon::prelude::*;

use crate::analysis::{Analysis, Input};
use crate::attainable::{Comparison, Reference};
use crate::causes;
use crate::clocks::ClockErrors;
use crate::completions::Completions;
use crate::deadlock::StuckAnalysis;
use crate::efficiency::EfficiencyAnalysis;
use crate::explanation::{Explanation, Failed, Scope, Subject, named, unreadable};
use crate::machine;
use crate::matching::Matcher;
use crate::quality::{Machine, Quality};
use crate::structure::Structure;
use crate::time::TimeSplitter;
use crate::waits::Waits;

/// A run that failed within this time after `MPI_Init` did nothing that could be tuned.
const AT_ONCE_NS: u64 = 100_000_000;

impl Explanation {
    /// Adds to findings the iterations in which their cost arises, where that is known.
    fn name_iterations(&mut self) {
        let Some(main) = &self.iterations else { return };
        for finding in &mut self.findings {
            if finding.iterations.is_none() {
                let spread = self.costs.iter().find(|(id, _)| *id == finding.id);
                finding.iterations = match spread {
                    Some((_, spread)) => spread.iterations(main),
                    None if finding.is_shown_by_proof() => finding.spread(&self.scope).iterations(main),
                    // Its cost arises whenever the program reaches this place.
                    None if finding.sites.iter().any(|site| self.sites_in_loop.contains(site)) => Some(main.all()),
                    None => None,
                };
            }
            let runs = finding.iterations.as_deref().unwrap_or_default();
            // Their own text already names the iteration.
            if !finding.relations.is_about_a_moment()
                && let Some(named) = named(runs, main.count)
            {
                finding.text += &format!(" This happens in {named}.");
            }
        }
    }

    /// Puts the findings in order again, with those first whose changes gain most by a model ([`crate::Finding::gain`]).
    pub fn order_by_gain(&mut self) {
        causes::order(&mut self.findings, &self.scope);
    }

    /// A run that failed almost at once keeps only the findings about what stopped it.
    fn failed_at_once(&mut self, dimensions: &Dimensions) {
        let span_ns = self.scope.end_ns.saturating_sub(self.scope.start_ns);
        let ends = || dimensions.ranks.iter().filter_map(|row| row.failed.as_deref());
        // Where one rank fails, the launcher ends the others: their ends name no cause.
        let by_launcher = |how: &&str| how.ends_with("killed by SIGTERM") || how.ends_with("killed by SIGKILL");
        let own = ends().find(|how| !by_launcher(how)).or_else(|| ends().next());
        let Some(how) = own.filter(|_| span_ns < AT_ONCE_NS) else { return };
        let alike = ends().filter(|end| *end == how).count() as u64;
        self.failed = Some(Failed { after_ns: span_ns, ranks: ends().count() as u64, alike, how: how.to_owned() });
        self.findings.retain(|finding| finding.relations.subject == Subject::Stop);
    }
}

/// Runs all analyses over the batches of a run.
pub struct Explainer {
    scope: Scope,
    waits: Waits,
    /// Analyses that no other analysis uses.
    analyses: Vec<Box<dyn Analysis>>,
    structure: Structure,
    efficiency: EfficiencyAnalysis,
    attainable: Option<Comparison>,
}

impl Explainer {
    /// Before the first batch.
    pub fn new(dimensions: &Dimensions) -> Explainer {
        let recorded = || dimensions.ranks.iter();
        let scope = Scope {
            start_ns: recorded().map(|r| r.rows_from_ns).min().unwrap_or(0),
            end_ns: recorded().map(|r| r.rows_until_ns).max().unwrap_or(0),
            rank_time_ns: recorded().map(RankRow::rows_time_ns).sum(),
            run_rank_time_ns: recorded().map(RankRow::time_ns).sum(),
            ranks: dimensions.ranks.len() as u64,
            calls: 0,
            rows: 0,
            calls_lost: recorded().map(|r| r.rows_lost).sum(),
            unreadable: unreadable(dimensions),
        };
        let analyses: Vec<Box<dyn Analysis>> = vec![
            // Before time is split.
            Box::new(StuckAnalysis::default()),
            Box::new(TimeSplitter::default()),
            Box::new(Matcher::default()),
            Box::new(ClockErrors::default()),
            Box::new(Completions::default()),
            Box::new(Quality::of(Machine::of(dimensions))),
        ];
        let waits = Waits::new(&scope);
        let (structure, efficiency) = (Structure::new(&scope), EfficiencyAnalysis::new(&scope));
        Explainer { scope, waits, analyses, structure, efficiency, attainable: None }
    }

    /// Compares the run with what its machine can do.
    pub fn beside(self, reference: Reference) -> Explainer {
        Explainer { attainable: Some(Comparison::new(reference, &self.scope)), ..self }
    }

    /// The next stretch.
    pub fn add_batch(&mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>], batch: &Batch) {
        let calls = batch.ranks.iter().flat_map(|r| &r.calls).map(|c| u64::from(c.calls));
        self.scope.calls = self.scope.calls.saturating_add(calls.sum());
        self.scope.rows += batch.ranks.iter().map(|r| r.calls.len() as u64).sum::<u64>();
        let waits = self.waits.detect(&Input::without_waits(dimensions, facts, batch));
        let input = Input { dimensions, facts, batch, waits: &waits, blocking: self.waits.blocking() };
        // In parallel: they do not depend on each other.
        let (structure, efficiency) = (&mut self.structure, &mut self.efficiency);
        let first: [&mut dyn Analysis; 2] = [efficiency, structure];
        let others = self.analyses.iter_mut().map(|analysis| &mut **analysis as &mut dyn Analysis);
        let attainable = self.attainable.as_mut().map(|analysis| analysis as &mut dyn Analysis);
        let mut all: Vec<&mut dyn Analysis> = first.into_iter().chain(attainable).chain(others).collect();
        all.par_iter_mut().with_max_len(1).for_each(|analysis| analysis.add_batch(&input));
        // It needs the starts of iterations before it discards them.
        self.efficiency.forget(batch.is_last, &self.structure);
        self.waits.give_back(waits);
    }

    /// After the last batch.
    pub fn finish(mut self, dimensions: &Dimensions, facts: &[Vec<CallInfo>]) -> Explanation {
        let mut explanation = Explanation { format: 1, scope: self.scope, ..Explanation::default() };
        explanation.caveats.extend(explanation.scope.cut());
        let refuted = self.efficiency.refuted(dimensions, facts);
        self.waits.conclude(dimensions, facts, &refuted, &mut explanation);
        for analysis in self.analyses {
            analysis.conclude(dimensions, facts, &mut explanation);
        }
        // Iterations and the grid first: the others refer to them.
        Box::new(self.structure).conclude(dimensions, facts, &mut explanation);
        if let Some(attainable) = self.attainable {
            Box::new(attainable).conclude(dimensions, facts, &mut explanation);
        }
        // It replays the run without what all others have found.
        Box::new(self.efficiency).conclude(dimensions, facts, &mut explanation);
        explanation.name_iterations();
        machine::explain(dimensions, facts, &mut explanation);
        explanation.tape = None;
        explanation.failed_at_once(dimensions);
        causes::order(&mut explanation.findings, &explanation.scope);
        explanation
    }
}
