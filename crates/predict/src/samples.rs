//! Measured times, as many as are needed for a typical one.

use crate::spread::Spread;

/// Most samples that are kept.
const MOST: usize = 512;

/// Times, ns. Of many, evenly spread ones are kept.
#[derive(Clone, Debug, Default)]
pub struct Samples(Spread<u64, MOST>);

impl Samples {
    /// Adds one.
    pub fn push(&mut self, ns: u64) {
        self.0.push(|| Some(ns));
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.0.seen()
    }

    /// The median, ns: interruptions belong to the machine, not to the operation. `None` without samples.
    pub fn typical(&self) -> Option<f64> {
        let mut sorted = self.0.kept().to_vec();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).map(|&ns| ns as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::Samples;

    #[test]
    fn interruptions_do_not_count() {
        let mut samples = Samples::default();
        assert_eq!(samples.typical(), None);
        for at in 0..10_000 {
            samples.push(if at % 100 == 0 { 1_000_000 } else { 1_000 });
        }
        assert_eq!((samples.count(), samples.typical()), (10_000, Some(1000.0)));
    }
}
