//! Measured times, as many as are needed for a typical one.

use crate::spread::Spread;

/// Most samples that are kept.
const MOST: usize = 512;

/// A measured time.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// How long, ns.
    pub ns: u64,
    /// How many messages shared the network.
    pub share: f32,
    /// How long before, the message was sent, ns.
    pub ahead_ns: u64,
}

impl Sample {
    /// What it would have taken alone: messages share the bandwidth, not the latency.
    pub fn alone_ns(&self, latency_ns: f64) -> f64 {
        let ns = self.ns as f64;
        let shared_ns = (ns - latency_ns).max(0.0);
        ns - shared_ns + shared_ns / f64::from(self.share)
    }
}

/// Times, ns. Of many, evenly spread ones are kept.
#[derive(Clone, Debug, Default)]
pub struct Samples(Spread<Sample, MOST>);

impl Samples {
    /// Adds one of nothing but a time.
    pub fn push(&mut self, ns: u64) {
        self.add(Sample { ns, share: 1.0, ahead_ns: 0 });
    }

    /// Adds one.
    pub fn add(&mut self, sample: Sample) {
        self.0.push(|| Some(sample));
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.0.seen()
    }

    /// The median, ns: interruptions belong to the machine, not to the operation. `None` without samples.
    pub fn typical(&self) -> Option<f64> {
        Some(self.typical_of(|sample| Some(sample.ns as f64))?.0)
    }

    /// The same of a time that some of the samples tell, and how many do.
    pub fn typical_of(&self, time_ns: impl Fn(&Sample) -> Option<f64>) -> Option<(f64, f64)> {
        let kept = self.0.kept();
        let mut sorted: Vec<f64> = kept.iter().filter_map(time_ns).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let part = sorted.len() as f64 / kept.len() as f64;
        sorted.get(sorted.len() / 2).map(|&ns| (ns, self.count() as f64 * part))
    }
}

#[cfg(test)]
mod tests {
    use super::{Sample, Samples};

    #[test]
    fn interruptions_do_not_count() {
        let mut samples = Samples::default();
        assert_eq!(samples.typical(), None);
        for at in 0..10_000 {
            samples.push(if at % 100 == 0 { 1_000_000 } else { 1_000 });
        }
        assert_eq!((samples.count(), samples.typical()), (10_000, Some(1000.0)));
    }

    #[test]
    fn the_latency_is_not_shared() {
        let sample = |ns, share| Sample { ns, share, ahead_ns: 0 };
        assert_eq!(sample(1_560, 2.0).alone_ns(1_000.0), 1_280.0);
        assert_eq!(sample(1_560, 1.0).alone_ns(1_000.0), 1_560.0);
        assert_eq!(sample(700, 2.0).alone_ns(1_000.0), 700.0);
    }

    #[test]
    fn of_some_samples() {
        let mut samples = Samples::default();
        (0..100).for_each(|ahead_ns| samples.add(Sample { ns: 10 * ahead_ns, share: 1.0, ahead_ns }));
        let late = samples.typical_of(|s| (s.ahead_ns >= 80).then_some(s.ns as f64));
        assert_eq!(late, Some((900.0, 20.0)));
        assert_eq!(samples.typical_of(|_| None), None);
    }
}
