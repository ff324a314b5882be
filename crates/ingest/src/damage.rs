//! Ranks whose rings cannot be read completely.
//!
//! The gap between the readable parts of a ring is unknown, so messages and requests cannot be tracked across it. Only one part
//! is used: for all damaged ranks the part before the damage, or for all the part after it, whichever leaves the longer interval
//! with rows of all ranks. The other events are treated as dropped (or overwritten).

use mpiscope_run::{Diagnostic, Losses, Rank, Run};
use mpiscope_store::{Dimensions, Unreadable};
use mpiscope_trace::RankFile;
use mpiscope_trace::reader::{Damage, Keep, Source};

use crate::clocks::RankClock;
use crate::input::Closed;
use crate::stream::IngestError;

/// The parts of each rank that are left out.
pub(crate) struct Damages {
    /// By rank, the damaged rings of its threads.
    of: Vec<Vec<Damage>>,
    keep: Keep,
}

impl Damages {
    /// Opens a rank's file and looks at its rings.
    pub fn survey(rank: &Rank) -> Result<(RankFile<Closed>, Vec<Damage>), IngestError> {
        let failed = |e| IngestError::Read(rank.path.clone(), e);
        let file = RankFile::parse(Closed(rank.path.clone())).map_err(failed)?;
        let mut found = Vec::new();
        for thread in 0..file.threads.len() {
            found.extend(file.survey(thread).map_err(failed)?);
        }
        Ok((file, found))
    }

    /// Decides what is kept, and notes it in `dimensions`.
    pub fn new(run: &Run, of: Vec<Vec<Damage>>, dimensions: &mut Dimensions, clocks: &[RankClock]) -> Damages {
        let origin_ns = dimensions.origin_ns;
        let since = |at: usize, ticks: u64| clocks[at].ns(ticks).saturating_sub(origin_ns);
        let mut gaps: Vec<(usize, u64, Option<u64>)> = Vec::new();
        for (at, damage) in of.iter().enumerate().flat_map(|(at, all)| all.iter().map(move |d| (at, d))) {
            gaps.push((at, since(at, damage.from_ticks), damage.until_ticks.map(|ticks| since(at, ticks))));
        }
        if gaps.is_empty() {
            return Damages { of, keep: Keep::Before };
        }
        let begin_ns = dimensions.ranks.iter().map(|r| r.init_end_ns).max().unwrap_or(0);
        let end_ns = dimensions.ranks.iter().map(|r| r.finalize_start_ns).min().unwrap_or(0);
        let before_ns = gaps.iter().map(|gap| gap.1).min().unwrap_or(0).saturating_sub(begin_ns);
        let after = gaps.iter().map(|gap| gap.2).try_fold(0, |most, until_ns| Some(u64::max(most, until_ns?)));
        let after_ns = after.map_or(0, |until_ns| end_ns.saturating_sub(until_ns));
        // Where the first events are gone as well, only the end of the ring says which are left.
        let has_no_beginning = gaps.iter().any(|gap| run.ranks[gap.0].losses.events_overwritten > 0);
        let keep = if has_no_beginning || after_ns > before_ns { Keep::After } else { Keep::Before };
        for (at, from_ns, until_ns) in gaps {
            let row = &mut dimensions.ranks[at];
            let (first_ns, last_ns) = (row.init_end_ns, row.finalize_start_ns);
            let (from_ns, until_ns) = match keep {
                Keep::Before => (from_ns.clamp(first_ns, last_ns.max(first_ns)), last_ns),
                Keep::After => (first_ns, until_ns.unwrap_or(last_ns).clamp(first_ns, last_ns.max(first_ns))),
            };
            let gap = row.unreadable.get_or_insert(Unreadable { from_ns, until_ns, events: 0 });
            (gap.from_ns, gap.until_ns) = (gap.from_ns.min(from_ns), gap.until_ns.max(until_ns));
        }
        for (row, damages) in dimensions.ranks.iter_mut().zip(&of) {
            let events = damages.iter().map(|d| d.left_out(keep)).fold(0, u64::saturating_add);
            if let Some(gap) = &mut row.unreadable {
                gap.events = events;
                row.rows_lost = row.rows_lost.saturating_add(events);
            }
        }
        Damages { of, keep }
    }

    /// Leaves out of a rank's file what cannot be read and what goes with it.
    pub fn leave_out<S: Source>(&self, at: usize, file: &mut RankFile<S>) {
        self.of[at].iter().for_each(|damage| file.keep(damage, self.keep));
    }

    /// The latest beginning and the earliest end of what is left of damaged ranks.
    pub fn limits(&self, dimensions: &Dimensions) -> (Option<u64>, Option<u64>) {
        match self.keep {
            Keep::Before => (None, dimensions.unreadable().map(|(.., gap)| gap.from_ns).min()),
            Keep::After => (dimensions.unreadable().map(|(.., gap)| gap.until_ns).max(), None),
        }
    }

    /// Whether the first calls of a rank are there and the last are not.
    pub fn ends_early(&self, at: usize, losses: &Losses) -> bool {
        let is_cut = !self.of[at].is_empty() && self.keep == Keep::Before;
        losses.events_overwritten == 0 && (losses.events_dropped > 0 || is_cut)
    }

    /// Which files it concerns, for people.
    pub fn problems(&self, run: &Run, dimensions: &Dimensions) -> Vec<Diagnostic> {
        let problem = |(at, row, gap): (usize, &mpiscope_store::RankRow, Unreadable)| {
            let rank: &Rank = &run.ranks[at];
            let name = rank.path.strip_prefix(&run.path).unwrap_or(&rank.path).display().to_string();
            Diagnostic::unreadable(&name, gap.shares(row), gap.events)
        };
        dimensions.unreadable().map(problem).collect()
    }
}
