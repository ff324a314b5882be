//! Numbers that are computed from the medians of several series, with their intervals.

use mpiscope_statistics::{bootstrap, median, resampled, sorted};

/// Resamplings from which an interval is taken.
pub const RESAMPLINGS: usize = 200;
/// Samples below which an interval would be too narrow, as for that of a median.
pub const FEWEST: usize = 6;

/// What `compute` makes of the medians of these samples, and the 95 % interval of it, which is absent if there are too few samples of one of them.
/// No set of samples is empty.
pub fn of_medians(samples: &[&[f64]], seed: u64, compute: impl Fn(&[f64]) -> f64) -> (f64, Option<(f64, f64)>) {
    let medians = |draw: &mut dyn FnMut(&[f64]) -> Vec<f64>| -> Vec<f64> {
        samples.iter().map(|of| median(&sorted(&draw(of)))).collect()
    };
    let value = compute(&medians(&mut <[f64]>::to_vec));
    let again = |random: &mut fastrand::Rng| vec![Some(compute(&medians(&mut |of| resampled(of, random))))];
    let is_enough = samples.iter().all(|of| of.len() >= FEWEST);
    (value, is_enough.then(|| bootstrap(RESAMPLINGS, seed, again)[0]).flatten())
}

/// The median of `of` divided by that of `by`.
pub fn of_ratio(of: &[f64], by: &[f64], seed: u64) -> (f64, Option<(f64, f64)>) {
    of_medians(&[by, of], seed, |medians| medians[1] / medians[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_samples_have_no_interval() {
        let (of, by) = ([30.0; 9], [10.0; 9]);
        assert_eq!(of_ratio(&of, &by, 1), (3.0, Some((3.0, 3.0))));
        assert_eq!(of_ratio(&of[..5], &by, 1), (3.0, None));
        assert_eq!(of_medians(&[&of, &by, &by], 1, |medians| medians.iter().sum()).0, 50.0);
    }

    #[test]
    fn an_interval_has_the_value_in_it() {
        let mut random = fastrand::Rng::with_seed(7);
        let mut draw = |base: f64| (0..40).map(|_| base + random.f64()).collect::<Vec<_>>();
        let (value, interval) = of_ratio(&draw(4.0), &draw(2.0), 5);
        let (low, high) = interval.unwrap();
        assert!(low < value && value < high && (1.7..1.9).contains(&value), "{low} {value} {high}");
    }
}
