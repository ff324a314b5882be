//! Measured times, as many as are needed for a typical one.

/// Most samples that are kept.
const MOST: usize = 512;

/// Times, ns. Of many, evenly spread ones are kept.
#[derive(Clone, Debug)]
pub struct Samples {
    kept: Vec<u64>,
    every: u64,
    seen: u64,
}

impl Default for Samples {
    fn default() -> Samples {
        Samples { kept: Vec::new(), every: 1, seen: 0 }
    }
}

impl Samples {
    /// Adds one.
    pub fn push(&mut self, ns: u64) {
        if self.seen.is_multiple_of(self.every) {
            if self.kept.len() == MOST {
                let mut at = 0;
                self.kept.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.every *= 2;
            }
            if self.seen.is_multiple_of(self.every) {
                self.kept.push(ns);
            }
        }
        self.seen += 1;
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.seen
    }

    /// The median, ns: interruptions belong to the machine, not to the operation. `None` without samples.
    pub fn typical(&self) -> Option<f64> {
        let mut sorted = self.kept.clone();
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
