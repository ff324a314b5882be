//! `arithmetic`: how many floating-point operations a processor makes in a second, by the width of its registers.
//!
//! A loop multiplies and adds in chains that do not depend on each other. All numbers are in registers, so that nothing else limits it. Rank 0
//! measures alone while the others sleep, then one rank for each processor at the same time, with the widest registers. The time is that of an operation of [`FLOP`]
//! multiplications and additions.
//!
//! Source: Williams et al., *Roofline* (2009).

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "none.rs")]
mod instructions;
mod kernel;
mod parameters;

use std::time::{Duration, Instant};

use mpiscope_mpi::Rank;

use crate::alone::{Turns, alone};
use crate::crew::one_for_each_processor;
use crate::error::BenchError;
use crate::experiment::{AxisOf, Experiment, Numbers, Rows, Table};
use crate::processors;
use crate::rounds::{Together, together_as};
use crate::schedule::Place;
use crate::session::Session;
use crate::windows::spread::move_to;
use instructions::KERNELS;
use kernel::{DOUBLE, DOUBLE_FMA, Kernel, SINGLE, SINGLE_FMA};

pub const EXPERIMENT: Experiment = Experiment {
    id: "arithmetic",
    what: "multiplications and additions in registers of each width, fused and not; one rank, and one for each processor at once",
    measures: "floating-point operations per second in double and in single precision",
    parameters: "peak rate in double and in single precision, of one rank and of all: the horizontal roofs of a roofline",
    source: "Roofline (Williams 2009)",
    fewest_ranks: 1,
    weight: 1,
    is_standard: true,
    run,
    parameters_of: parameters::parameters,
    axis: |_| AxisOf { name: "width in bits", unit: "bits" },
    table: Table { numbers: Numbers::Operations(FLOP), rows: Rows::Places(head), shown: |_, _| true },
};

/// Floating-point operations of one operation: a whole number of steps of every kernel, and enough for a sample of the widest registers.
const FLOP: u64 = 3 << 16;
/// Most time without a smaller `--budget`.
const MOST_TIME: Duration = Duration::from_secs(3);
/// Each sample comes after so much of the same work: processors change their frequency with the width of the registers, within about 0.5 ms.
const BEFORE: Duration = Duration::from_millis(1);
/// The rank that measures alone.
const FIRST: Rank = 0;

/// The head of a series' column.
fn head(series: &str) -> &'static str {
    match series {
        DOUBLE => "double",
        DOUBLE_FMA => "double, FMA",
        SINGLE => "single",
        SINGLE_FMA => "single, FMA",
        _ => "",
    }
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let own = instructions::level();
    // Hosts may have different processors.
    let levels = session.gather(own)?;
    let common = session.share(|_| levels.iter().flatten().copied().min().unwrap_or(own))?;
    let processor = processors::own_processor(&session.places, session.rank);
    if session.rank == FIRST {
        processors::record(session);
        if KERNELS.is_empty() {
            session.problem("arithmetic: not for this kind of processor: it was left out".to_owned());
        }
    }
    session.budget = session.budget.min(MOST_TIME) / 2;
    let kernels = Kernels { rank: session.rank, processor, list: usable(own) };
    let mut is_verified = vec![false; kernels.list.len()];
    alone(session, &[FIRST], Turns::OneAfterAnother, &kernels.places(), &mut |at, operations| {
        if !std::mem::replace(&mut is_verified[at], true) {
            kernels.verify(at)?;
        }
        Ok(kernels.time(at, operations))
    })?;
    let mut kernels = Kernels { list: widest(&usable(common)), ..kernels };
    one_for_each_processor(session, |session, crew| together_as(crew, session, kernels.places(), &mut kernels))
}

/// The kernels of processors of this level.
fn usable(level: u64) -> Vec<Kernel> {
    KERNELS.iter().filter(|kernel| kernel.needs <= level).copied().collect()
}

/// The last two of each precision, one of which is the fastest: two widths of fused multiply-adds where the processor has them. With many more
/// ranks than processors, each barrier takes a long time.
fn widest(list: &[Kernel]) -> Vec<Kernel> {
    let precisions = list.chunk_by(|a, b| a.is_double() == b.is_double());
    precisions.flat_map(|of| &of[of.len().saturating_sub(2)..]).copied().collect()
}

/// What a rank measures.
struct Kernels {
    rank: Rank,
    /// Its processor if all ranks measure; `None` if it has none of its own.
    processor: Option<usize>,
    /// Kernels whose level this rank's processor has.
    list: Vec<Kernel>,
}

impl Kernels {
    fn places(&self) -> Vec<Place> {
        let place = |kernel: &Kernel| Place { series: kernel.series.to_owned(), x: kernel.bits, moved: 0.0 };
        self.list.iter().map(place).collect()
    }

    fn verify(&self, at: usize) -> Result<(), BenchError> {
        let Kernel { series, bits, .. } = self.list[at];
        // SAFETY: the processor has the level of what is in the list.
        match unsafe { self.list[at].first_wrong() } {
            None => Ok(()),
            Some(at) => Err(BenchError::WrongNumber { series, bits, rank: self.rank, at }),
        }
    }

    /// The time of so many operations.
    fn time(&self, at: usize, operations: u64) -> Duration {
        let kernel = &self.list[at];
        let before = Instant::now();
        while before.elapsed() < BEFORE {
            // SAFETY: the processor has the level of what is in the list.
            unsafe { kernel.operate(1) };
        }
        let start = Instant::now();
        // SAFETY: as above.
        unsafe { kernel.operate(operations) };
        start.elapsed()
    }
}

impl Together for Kernels {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        Kernels::verify(self, at)
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        self.processor.into_iter().for_each(move_to);
        Ok(Some(self.time(at, operations)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ranks_measure_what_can_be_the_peak() {
        for level in 0..=instructions::level() {
            let (list, found) = (usable(level), widest(&usable(level)));
            for is_double in [true, false] {
                let of = |list: &[Kernel]| -> Vec<(&str, u64)> {
                    let of_precision = list.iter().filter(|kernel| kernel.is_double() == is_double);
                    of_precision.map(|kernel| (kernel.series, kernel.bits)).collect()
                };
                assert_eq!(of(&found).len(), 2);
                let most = of(&list).into_iter().map(|(_, bits)| bits).max();
                assert_eq!(of(&found).last().map(|&(_, bits)| bits), most);
                // Fused ones, if there are any.
                let is_fused = |list: &[Kernel]| of(list).iter().any(|(series, _)| series.ends_with("fma"));
                assert_eq!(of(&found).iter().all(|(series, _)| series.ends_with("fma")), is_fused(&list));
            }
        }
    }
}
