//! How much a rank sleeps and waits for a core, outside and inside MPI: fitted to its samples.
//!
//! Intervals differ in how much of them is computing (U) and how much is MPI (M). Time asleep, S, is assumed to be a·U + b·M with
//! rates that change little over the run; the same holds for W, the time ready to run without a core. Least squares with rates
//! between 0 and 1 finds them. Where all intervals are alike, the rates cannot be separated, and there are none.

use super::overlap::SampleSpan;

/// Fewer intervals are not enough.
const LEAST: usize = 8;
/// Smallest share of the squares of computing and MPI that is not common to both: 1 − r².
const APART: f64 = 0.15;

/// A share of computing, and one of the time in MPI.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rate {
    pub computing: f64,
    pub in_mpi: f64,
}

impl Rate {
    /// How much of `ns` belongs to computing.
    pub fn of_computing(&self, ns: u64, computing_ns: u64, in_mpi_ns: u64) -> u64 {
        let (own, other) = (self.computing * computing_ns as f64, self.in_mpi * in_mpi_ns as f64);
        // A stretch with something that is rare otherwise: both may have it.
        let (own, other) = if own + other > 0.0 { (own, other) } else { (computing_ns as f64, in_mpi_ns as f64) };
        (ns as f64 * own / (own + other).max(1.0)) as u64
    }
}

/// Rates of a rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rates {
    pub asleep: Rate,
    pub waiting: Rate,
}

/// The rates of these stretches, if they differ enough.
pub(super) fn rates(stretches: &[SampleSpan]) -> Option<Rates> {
    if stretches.len() < LEAST {
        return None;
    }
    let mut squares = Squares::default();
    let (mut asleep, mut waiting) = ([0.0; 2], [0.0; 2]);
    for stretch in stretches {
        let [computing, in_mpi] =
            [stretch.computing_ns.min(stretch.length_ns), stretch.in_mpi_ns()].map(|ns| ns as f64);
        squares.computing += computing * computing;
        squares.in_mpi += in_mpi * in_mpi;
        squares.both += computing * in_mpi;
        for (sums, ns) in [(&mut asleep, stretch.asleep_ns()), (&mut waiting, stretch.wait_ns)] {
            sums[0] += computing * ns as f64;
            sums[1] += in_mpi * ns as f64;
        }
    }
    (squares.apart() >= APART).then(|| Rates { asleep: squares.fit(asleep), waiting: squares.fit(waiting) })
}

#[derive(Default)]
struct Squares {
    computing: f64,
    in_mpi: f64,
    both: f64,
}

impl Squares {
    fn apart(&self) -> f64 {
        match self.computing * self.in_mpi {
            0.0 => 0.0,
            product => 1.0 - self.both * self.both / product,
        }
    }

    /// The rates with the least squares of errors.
    fn fit(&self, [of_computing, of_mpi]: [f64; 2]) -> Rate {
        let determinant = self.computing * self.in_mpi - self.both * self.both;
        let computing = (of_computing * self.in_mpi - of_mpi * self.both) / determinant;
        let in_mpi = (of_mpi * self.computing - of_computing * self.both) / determinant;
        // Where one of them is at a bound, the other one alone explains the rest.
        let bounded = computing.clamp(0.0, 1.0);
        let in_mpi = if bounded == computing { in_mpi } else { (of_mpi - bounded * self.both) / self.in_mpi };
        let limited = in_mpi.clamp(0.0, 1.0);
        let computing = if limited == in_mpi { bounded } else { (of_computing - limited * self.both) / self.computing };
        Rate { computing: computing.clamp(0.0, 1.0), in_mpi: limited }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches(of: impl Fn(u64) -> (u64, u64, u64)) -> Vec<SampleSpan> {
        let stretch = |at| {
            let (computing_ns, run_ns, wait_ns) = of(at);
            SampleSpan { length_ns: 1000, computing_ns, run_ns, wait_ns }
        };
        (0..20).map(stretch).collect()
    }

    fn near(found: Rate, computing: f64, in_mpi: f64) {
        assert!((found.computing - computing).abs() < 0.02 && (found.in_mpi - in_mpi).abs() < 0.02, "{found:?}");
    }

    #[test]
    fn sleep_outside_of_an_mpi_that_polls() {
        // It sleeps while it computes, and shares its core while it polls.
        let of = |at: u64| {
            let computing = at * 50;
            (computing, (1000 - computing) / 4, (1000 - computing) - (1000 - computing) / 4)
        };
        let found = rates(&stretches(of)).expect("rates");
        near(found.asleep, 1.0, 0.0);
        near(found.waiting, 0.0, 0.75);
    }

    #[test]
    fn an_mpi_that_sleeps() {
        let of = |at: u64| (at * 50, at * 20, at * 30);
        let found = rates(&stretches(of)).expect("rates");
        near(found.asleep, 0.0, 1.0);
        near(found.waiting, 0.6, 0.0);
    }

    #[test]
    fn stretches_that_are_all_alike_say_nothing() {
        assert_eq!(rates(&stretches(|_| (500, 300, 500))), None);
        assert_eq!(rates(&stretches(|_| (1000, 300, 500))), None);
        assert_eq!(rates(&stretches(|at| (at * 50, 300, 500))[..4]), None);
    }
}
