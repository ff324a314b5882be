//! Measured times, as many as are needed for a typical one.

use crate::bursts::Turn;
use crate::hindrance::Hindrance;
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
    /// For how long the answer of the receiver queued, ns; see [`crate::queued`].
    pub queued_ns: u64,
    /// For how long it came behind messages that were sent before it, ns.
    pub follows_ns: u64,
    /// How long before, the message was sent, ns.
    pub ahead_ns: u64,
    /// When it was its turn, of short messages in a row.
    pub turn: Turn,
    /// Time for receiving others that has been subtracted from `ns`: while it waits for its turn, it takes none, ns.
    pub others_ns: u64,
}

impl Default for Sample {
    /// Of nothing but a time.
    fn default() -> Sample {
        Sample { ns: 0, share: 1.0, queued_ns: 0, follows_ns: 0, ahead_ns: 0, turn: Turn::default(), others_ns: 0 }
    }
}

impl Sample {
    /// What it would have taken alone: messages share the bandwidth, not the latency. One that had to wait came right behind another one, whose
    /// end its latency overlapped. Each message of a row takes `per_message_ns`.
    pub fn alone_ns(&self, latency_ns: f64, hindrance: Hindrance, per_message_ns: f64) -> f64 {
        let turn_ns = self.turn.waits_ns(per_message_ns);
        if turn_ns > 0.0 {
            return ((self.ns + self.others_ns) as f64 - turn_ns).max(0.0);
        }
        let queued_ns = if hindrance.answers_queue { self.queued_ns } else { 0 };
        let follows_ns = if hindrance.in_order { self.follows_ns } else { 0 };
        let ns = match queued_ns + follows_ns {
            0 => self.ns as f64,
            waited_ns => self.ns.saturating_sub(waited_ns) as f64 + latency_ns,
        };
        if hindrance.in_order {
            return ns;
        }
        let shared_ns = (ns - latency_ns).max(0.0);
        ns - shared_ns + shared_ns / f64::from(self.share)
    }

    /// How long after its send it was its turn, ns.
    pub fn turn_ns(&self, per_message_ns: f64) -> f64 {
        let since_ns = self.turn.since_ns.saturating_sub(self.ahead_ns);
        Turn { since_ns, ..self.turn }.waits_ns(per_message_ns)
    }

    /// Of a call that received `count` messages: of each of them, whether they came at once or one after the other.
    pub fn of_each(self, count: u64) -> Sample {
        let [ns, queued_ns, follows_ns] = [self.ns, self.queued_ns, self.follows_ns].map(|ns| ns / count);
        let share = (self.share / count as f32).max(1.0);
        Sample { ns, queued_ns, follows_ns, share, turn: Turn::default(), others_ns: 0, ..self }
    }
}

/// Times, ns. Of many, evenly spread ones are kept.
#[derive(Clone, Debug, Default)]
pub struct Samples(Spread<Sample, MOST>);

impl Samples {
    /// Adds one of nothing but a time.
    pub fn push(&mut self, ns: u64) {
        self.add(Sample { ns, ..Sample::default() });
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
    use super::{Hindrance, Sample, Samples, Turn};

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
        let sample =
            |ns, share, queued_ns, follows_ns| Sample { ns, share, queued_ns, follows_ns, ..Sample::default() };
        let equally = Hindrance { in_order: false, answers_queue: true };
        assert_eq!(sample(1_560, 2.0, 0, 0).alone_ns(1_000.0, equally, 0.0), 1_280.0);
        assert_eq!(sample(1_560, 1.0, 0, 0).alone_ns(1_000.0, equally, 0.0), 1_560.0);
        assert_eq!(sample(700, 2.0, 0, 0).alone_ns(1_000.0, equally, 0.0), 700.0);
        assert_eq!(sample(47_000, 1.0, 24_000, 0).alone_ns(1_000.0, equally, 0.0), 24_000.0);
        assert_eq!(sample(47_000, 1.0, 24_000, 0).alone_ns(1_000.0, Hindrance::default(), 0.0), 47_000.0);
        let in_order = Hindrance { in_order: true, answers_queue: false };
        assert_eq!(sample(11_000, 1.5, 0, 5_500).alone_ns(1_000.0, in_order, 0.0), 6_500.0);
    }

    #[test]
    fn a_message_of_a_row_waits_for_its_turn() {
        // The hundredth of a row, sent 300 µs after the first one: at 10 µs each, the port comes to it 690 µs later.
        let turn = Turn { behind: 99, since_ns: 300_000, late_ns: 0 };
        let sample = Sample { ns: 1_640_000, turn, others_ns: 50_000, ..Sample::default() };
        let alone = |sample: Sample, per_message_ns| sample.alone_ns(1e6, Hindrance::default(), per_message_ns);
        assert_eq!(alone(sample, 10_000.0), 1_000_000.0);
        assert_eq!(alone(sample, 0.0), 1_640_000.0);
        assert_eq!(
            alone(Sample { turn: turn.later(690_000), ..sample }, 10_000.0),
            1_640_000.0,
            "it was its turn already"
        );
    }

    #[test]
    fn several_messages_at_once_or_one_after_the_other() {
        let all = Sample { ns: 9_000, ..Sample::default() };
        assert_eq!(all.of_each(3).alone_ns(0.0, Hindrance::default(), 0.0), 3_000.0);
        assert_eq!(Sample { share: 3.0, ..all }.of_each(3).alone_ns(0.0, Hindrance::default(), 0.0), 3_000.0);
        assert_eq!(Sample { share: 6.0, ..all }.of_each(3).alone_ns(0.0, Hindrance::default(), 0.0), 1_500.0);
    }

    #[test]
    fn of_some_samples() {
        let mut samples = Samples::default();
        (0..100).for_each(|ahead_ns| samples.add(Sample { ns: 10 * ahead_ns, ahead_ns, ..Sample::default() }));
        let late = samples.typical_of(|s| (s.ahead_ns >= 80).then_some(s.ns as f64));
        assert_eq!(late, Some((900.0, 20.0)));
        assert_eq!(samples.typical_of(|_| None), None);
    }
}
