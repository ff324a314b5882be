//! What is used of the runs, and what is asked.

use crate::term::At;

/// Sums of one run.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// How messages name it.
    pub run: String,
    /// Size of `MPI_COMM_WORLD`.
    pub ranks: u64,
    /// Problem size, in any unit that is the same for all runs.
    pub size: Option<f64>,
    /// From the end of `MPI_Init` to the beginning of `MPI_Finalize`, mean over ranks, ns.
    pub time_ns: f64,
    /// The part of it outside of MPI, mean over ranks, ns.
    pub computing_ns: f64,
    /// The same of the rank with the most, ns.
    pub busiest_ns: f64,
    /// Call sites.
    pub sites: Vec<SiteSums>,
    /// Computing before the calls of each call site, if the run has all events: `time_ns` is that of this computing.
    pub computing_before: Option<Vec<SiteSums>>,
}

/// Sums of a function at a call site; means over all ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteSums {
    /// C name.
    pub call: String,
    /// Where, as text: what is the same in two runs is the same call site.
    pub place: String,
    /// Calls of a rank.
    pub calls: f64,
    /// Bytes of a rank.
    pub bytes: f64,
    /// Time of a rank in these calls, ns.
    pub time_ns: f64,
}

/// What is to be predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Asked {
    /// Ranks.
    pub ranks: u64,
    /// Problem size, if it does not follow from those of the runs.
    pub size: Option<f64>,
}

/// Why nothing can be predicted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScalingError {
    /// With one run nothing is seen of scaling.
    #[error("{0} run(s) given; scaling needs at least two runs with different numbers of ranks")]
    TooFew(usize),
    /// All runs have the same number of ranks.
    #[error("all runs have {0} rank(s); scaling needs at least two different numbers of ranks")]
    SameRanks(u64),
    /// Not of one program.
    #[error(
        "{a} and {b} do not look like runs of one program: {} of the time in calls is at call sites that both have",
        mpiscope_units::percent(*.share)
    )]
    OtherProgram {
        /// A run.
        a: String,
        /// Another one.
        b: String,
        /// Of the time in calls, that at common call sites.
        share: f64,
    },
    /// A run without time outside or inside of MPI.
    #[error("{0}: nothing was measured between MPI_Init and MPI_Finalize")]
    Empty(String),
    /// A problem size for some of the runs.
    #[error("--size gives {given} problem size(s) for {runs} runs; give one for each run, in their order")]
    SizeForSome {
        /// Sizes.
        given: usize,
        /// Runs.
        runs: usize,
    },
    /// Sizes of the runs follow no rule, so that of the prediction must be given.
    #[error(
        "the problem sizes of the runs are neither equal nor proportional to the ranks; give that of each prediction: --at-size N,…"
    )]
    SizeUnknown,
    /// A size of which the runs say nothing.
    #[error("{} ranks with problem size {size}: {why}", mpiscope_units::count(*.ranks))]
    SizeNotSeen {
        /// Asked.
        ranks: u64,
        /// Asked.
        size: f64,
        /// What is missing.
        why: &'static str,
    },
}

/// How the problem size of the runs goes with their ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SizeRule {
    /// No sizes are given.
    Unknown,
    /// All have this one.
    Fixed(f64),
    /// So much for each rank.
    Proportional(f64),
    /// Neither.
    Free,
}

/// Two sizes are equal if they differ by rounding only: halves of an odd number of cells.
fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 0.01 * a.abs().max(b.abs())
}

impl SizeRule {
    /// The rule of these runs.
    ///
    /// # Errors
    ///
    /// If only some runs have a size.
    pub fn new(runs: &[Sums]) -> Result<SizeRule, ScalingError> {
        let sizes: Vec<(f64, f64)> = runs.iter().filter_map(|run| Some((run.size?, run.ranks as f64))).collect();
        let [(first, ranks), ..] = sizes[..] else { return Ok(SizeRule::Unknown) };
        if sizes.len() < runs.len() {
            return Err(ScalingError::SizeForSome { given: sizes.len(), runs: runs.len() });
        }
        Ok(if sizes.iter().all(|of| is_same(of.0, first)) {
            SizeRule::Fixed(first)
        } else if sizes.iter().all(|of| is_same(of.0 / of.1, first / ranks)) {
            SizeRule::Proportional(first / ranks)
        } else {
            SizeRule::Free
        })
    }

    /// Whether models contain terms in the problem size. Where it follows from the ranks, it adds nothing.
    pub fn is_free(self) -> bool {
        self == SizeRule::Free
    }

    /// The place of a run in models.
    pub fn place(self, ranks: u64, size: Option<f64>) -> At {
        At { ranks: ranks as f64, size: if self.is_free() { size.unwrap_or(1.0) } else { 1.0 } }
    }

    /// The problem size of a prediction; `None` if no run has one.
    ///
    /// # Errors
    ///
    /// If it must be given, or if the runs say nothing about the given one.
    pub fn size_of(self, asked: Asked) -> Result<Option<f64>, ScalingError> {
        let seen = |own: f64, why| match asked.size {
            Some(size) if !is_same(size, own) => Err(ScalingError::SizeNotSeen { ranks: asked.ranks, size, why }),
            _ => Ok(Some(own)),
        };
        match (self, asked.size) {
            (SizeRule::Unknown, None) => Ok(None),
            (SizeRule::Unknown, Some(size)) => Err(ScalingError::SizeNotSeen {
                ranks: asked.ranks,
                size,
                why: "the problem sizes of the runs are not given (--size N,…)",
            }),
            (SizeRule::Fixed(own), _) => seen(own, "all runs have the same problem size; record another one"),
            (SizeRule::Proportional(each), _) => seen(
                each * asked.ranks as f64,
                "the problem size of all runs is proportional to the ranks; record a run with another size",
            ),
            (SizeRule::Free, Some(size)) => Ok(Some(size)),
            (SizeRule::Free, None) => Err(ScalingError::SizeUnknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(of: &[(u64, Option<f64>)]) -> Vec<Sums> {
        of.iter().map(|&(ranks, size)| Sums { ranks, size, ..Sums::default() }).collect()
    }

    #[test]
    fn the_size_follows_from_the_runs_where_it_can() {
        let rule = |of: &[(u64, Option<f64>)]| SizeRule::new(&runs(of)).unwrap();
        let asked = |size| Asked { ranks: 64, size };
        let fixed = rule(&[(1, Some(1000.0)), (4, Some(1001.0))]);
        assert_eq!((fixed, fixed.size_of(asked(None))), (SizeRule::Fixed(1000.0), Ok(Some(1000.0))));
        assert!(matches!(fixed.size_of(asked(Some(2000.0))), Err(ScalingError::SizeNotSeen { .. })));
        let weak = rule(&[(2, Some(100.0)), (4, Some(200.0))]);
        assert_eq!((weak, weak.size_of(asked(None))), (SizeRule::Proportional(50.0), Ok(Some(3200.0))));
        let free = rule(&[(2, Some(100.0)), (4, Some(100.0)), (4, Some(900.0))]);
        assert_eq!((free, free.size_of(asked(None))), (SizeRule::Free, Err(ScalingError::SizeUnknown)));
        assert_eq!(free.size_of(asked(Some(7.0))), Ok(Some(7.0)));
        assert_eq!(rule(&[(2, None), (4, None)]).size_of(asked(None)), Ok(None));
        let some = SizeRule::new(&runs(&[(2, Some(1.0)), (4, None)]));
        assert_eq!(some, Err(ScalingError::SizeForSome { given: 1, runs: 2 }));
    }
}
