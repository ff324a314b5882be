//! Until which call of each rank a number of iterations of the main loop lasts, and how long that took in another run of the program.

use mpiscope_ingest::Ingest;
use mpiscope_run::{Resolver, Run};

use crate::batches::each_batch;
use crate::{QueryError, Watch, explain};

/// The call with which an iteration begins. Calls of its function are counted instead of those of its site: that needs no symbols, so it can
/// also be done while the program runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterationMark {
    /// The function, by its C name.
    pub function: String,
    /// By rank (index into the run's ranks): how many calls of it that is; 0 for ranks without the loop.
    pub calls: Vec<u64>,
}

/// The mark after so many iterations of the main loop; the inner error is the reason why there is none.
///
/// # Errors
///
/// If the events cannot be read, or `watch` cancels.
pub fn iteration_mark(
    run: &Run,
    resolver: &Resolver,
    iterations: u64,
    watch: &mut Watch<'_>,
) -> Result<Result<IterationMark, String>, QueryError> {
    let (explanation, _) = explain(run, resolver, None, watch)?;
    let Some(found) = &explanation.iterations else { return Ok(Err("the run has no main loop".into())) };
    if found.is_cut {
        return Ok(Err("the beginning of the main loop is lost".into()));
    }
    let function = found.marker_function;
    let Some(id) = mpiscope_abi::by_name(function) else { return Ok(Err(format!("unknown function {function}"))) };
    let at = usize::try_from(iterations).unwrap_or(usize::MAX);
    let starts: Vec<Option<u64>> = found.starts_ns.iter().map(|starts| starts.get(at).copied()).collect();
    if starts.iter().all(Option::is_none) {
        let kept = found.starts_ns.iter().map(Vec::len).max().unwrap_or(0);
        return Ok(Err(format!("the beginnings of only {kept} of {} iterations are known", found.count)));
    }
    let mut calls: Vec<u64> = starts.iter().map(|start| u64::from(start.is_some())).collect();
    each_call(run, resolver, id, watch, |rank, start_ns, number| {
        if starts.get(rank).copied().flatten().is_some_and(|start| start_ns < start) {
            calls[rank] += number;
        }
    })?;
    Ok(Ok(IterationMark { function: function.to_owned(), calls }))
}

impl IterationMark {
    /// Whether every rank of a run that has not ended yet has come there.
    pub fn is_reached(&self, run: &Run) -> bool {
        let Some(id) = mpiscope_abi::by_name(&self.function) else { return false };
        let has_come = |(at, &calls): (usize, &u64)| {
            calls == 0
                || run.ranks.get(at).and_then(|rank| rank.tally.calls.get(&id)).is_some_and(|sum| sum.calls >= calls)
        };
        self.calls.iter().enumerate().all(has_come)
    }

    /// The time from the end of `MPI_Init` to the mark on the slowest rank; `None` if a rank did not come there, or if its events are lost.
    ///
    /// # Errors
    ///
    /// If the events cannot be read, or `watch` cancels.
    pub fn time_ns(&self, run: &Run, resolver: &Resolver, watch: &mut Watch<'_>) -> Result<Option<u64>, QueryError> {
        let Some(id) = mpiscope_abi::by_name(&self.function) else { return Ok(None) };
        let mut left = self.calls.clone();
        let mut moments: Vec<Option<u64>> = vec![None; left.len()];
        let begins = each_call(run, resolver, id, watch, |rank, start_ns, number| {
            if let Some(left) = left.get_mut(rank).filter(|left| **left > 0) {
                *left = left.saturating_sub(number);
                if *left == 0 {
                    moments[rank] = Some(start_ns);
                }
            }
        })?;
        let of_rank = |(at, &calls): (usize, &u64)| match calls {
            0 => Some(0),
            _ => Some(moments[at]?.saturating_sub(*begins.get(at)?.as_ref()?)),
        };
        let times: Option<Vec<u64>> = self.calls.iter().enumerate().map(of_rank).collect();
        Ok(times.and_then(|times| times.into_iter().max()))
    }
}

/// Passes each call of a function: rank, begin, number of calls in the row. Returns when each rank's `MPI_Init` ended; `None` for ranks of which
/// rows are lost.
fn each_call(
    run: &Run,
    resolver: &Resolver,
    function: u32,
    watch: &mut Watch<'_>,
    mut take: impl FnMut(usize, u64, u64) + Send,
) -> Result<Vec<Option<u64>>, QueryError> {
    let mut ingest = Ingest::new(run, resolver)?;
    each_batch(&mut ingest, watch, |tables, batch| {
        for (at, (rows, facts)) in batch.ranks.iter().zip(tables.facts.iter()).enumerate() {
            let is_it = |facts_at: u32| facts.get(facts_at as usize).is_some_and(|info| info.function == function);
            rows.calls
                .iter()
                .filter(|call| is_it(call.facts))
                .for_each(|call| take(at, call.start_ns, call.calls.into()));
        }
        Ok(())
    })?;
    let ranks = &ingest.dimensions().ranks;
    Ok(ranks.iter().map(|rank| (rank.rows_lost == 0).then_some(rank.init_end_ns)).collect())
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use mpiscope_ingest::testing;

    use super::*;

    fn text(iterations: u64, step: u64) -> String {
        let mut text = String::new();
        for at in 0..iterations {
            for rank in 0..2 {
                let begin = 10 + at * step;
                text += &format!("{rank} {begin} {} Bcast root=0 bytes=8 site=1\n", begin + 2);
                text += &format!("{rank} {} {} Allreduce bytes=8 site=2\n", begin + 4, begin + 6);
                text += &format!("{rank} {} {} Allreduce bytes=8 site=3\n", begin + 7, begin + 8);
            }
        }
        text
    }

    fn mark(text: &str, iterations: u64) -> (tempfile::TempDir, Run, Result<IterationMark, String>) {
        let folder = tempfile::tempdir().unwrap();
        testing::write(text, folder.path());
        let run = Run::open(folder.path(), &Default::default()).unwrap();
        let found =
            iteration_mark(&run, &Resolver::default(), iterations, &mut |_, _| ControlFlow::Continue(())).unwrap();
        (folder, run, found)
    }

    #[test]
    fn the_time_until_an_iteration_is_found_in_another_run() {
        let (_folder, run, found) = mark(&text(60, 20), 20);
        let found = found.unwrap();
        assert!(found.is_reached(&run));
        let time = |run: &Run| found.time_ns(run, &Resolver::default(), &mut |_, _| ControlFlow::Continue(())).unwrap();
        let own = time(&run).unwrap();
        // Twice as slow, and one that ended before.
        let (_other, slow, _) = mark(&text(60, 40), 20);
        let slow = time(&slow).unwrap();
        assert_eq!(slow - own, 20 * 20_000, "{found:?}");
        let (_short, short, _) = mark(&text(10, 20), 5);
        assert!(!found.is_reached(&short));
        assert_eq!(time(&short), None);
    }

    #[test]
    fn there_is_a_reason_where_there_is_no_mark() {
        let (_folder, _, found) = mark("0 0 10 Barrier\n1 0 10 Barrier\n", 5);
        assert_eq!(found, Err("the run has no main loop".into()));
        let (_folder, _, found) = mark(&text(60, 20), 600);
        assert!(found.unwrap_err().contains("of 60 iterations"));
    }
}
