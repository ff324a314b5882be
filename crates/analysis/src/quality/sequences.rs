//! Calls of one place in a row that could be one call: what they add up to.

use mpiscope_store::{Call, RankId};

use super::sample::{CostlySpan, Top, size_class};

/// Classes of durations by powers of two, so that what a call takes without waiting may be known at the end only.
const CLASSES: usize = 24;

/// A sequence that is not yet complete.
#[derive(Clone, Copy, Default)]
pub(super) struct Sequence {
    /// Number of its calls.
    pub n: u32,
    pub group: u32,
    /// Of all calls.
    pub bytes: u32,
    pub start_ns: u64,
    pub end_ns: u64,
    pub first_row: u64,
}

impl Sequence {
    pub fn begin(group: u32, start_ns: u64, first_row: u64) -> Sequence {
        Sequence { group, start_ns, first_row, ..Sequence::default() }
    }
}

/// The sequences of all groups, as far as they are long enough.
pub(super) struct Sequences {
    /// Calls of the shortest sequence that counts.
    least: u32,
    sums: Vec<SequenceSum>,
}

impl Sequences {
    pub fn new(groups: usize, least: u32) -> Sequences {
        Sequences { least, sums: std::iter::repeat_with(SequenceSum::default).take(groups).collect() }
    }

    /// The next call of a sequence. Of those at its beginning it is unknown whether it will be long enough: they are not timed.
    #[inline]
    pub fn add(&mut self, sequence: &mut Sequence, bytes: u64, call: &Call) {
        sequence.n += 1;
        sequence.bytes = sequence.bytes.saturating_add(bytes as u32);
        sequence.end_ns = call.end_ns;
        if sequence.n >= self.least
            && let Some(sum) = self.sums.get_mut(sequence.group as usize)
        {
            sum.time(call.end_ns.saturating_sub(call.start_ns));
        }
    }

    /// A sequence of a rank is over.
    #[inline]
    pub fn close(&mut self, rank: usize, sequence: &Sequence) {
        if sequence.n >= self.least
            && let Some(sum) = self.sums.get_mut(sequence.group as usize)
        {
            sum.close(rank, sequence);
        }
    }

    /// The sum of a group.
    pub fn of(&self, group: u32) -> &SequenceSum {
        &self.sums[group as usize]
    }

    /// Groups that have sequences.
    pub fn groups(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.sums).filter(|(_, sum)| sum.sequences > 0).map(|(group, _)| group)
    }
}

/// The sequences of one group that are long enough.
#[derive(Default)]
pub(super) struct SequenceSum {
    pub sequences: u64,
    pub calls: u64,
    pub bytes: u64,
    /// By class of duration: calls and their time.
    times: Vec<(u64, u64)>,
    pub by_rank: Vec<u64>,
    pub top: Top,
}

impl SequenceSum {
    /// Time of a call.
    fn time(&mut self, ns: u64) {
        if self.times.is_empty() {
            self.times = vec![(0, 0); CLASSES];
        }
        let (calls, all_ns) = &mut self.times[size_class(ns).min(CLASSES - 1)];
        (*calls, *all_ns) = (*calls + 1, *all_ns + ns);
    }

    /// A sequence is over.
    fn close(&mut self, rank: usize, sequence: &Sequence) {
        self.sequences += 1;
        self.calls += u64::from(sequence.n);
        self.bytes += u64::from(sequence.bytes);
        if self.by_rank.len() <= rank {
            self.by_rank.resize(rank + 1, 0);
        }
        let ns = sequence.end_ns.saturating_sub(sequence.start_ns);
        self.by_rank[rank] += ns;
        self.top.push(CostlySpan {
            cost_ns: ns,
            rank: RankId(rank as u32),
            start_ns: sequence.start_ns,
            end_ns: sequence.end_ns,
            row: Some(sequence.first_row),
        });
    }

    /// Time of all calls but one in each sequence. A call counts for `cap_ns` at most: what it takes longer is waiting.
    pub fn saved_ns(&self, cap_ns: u64) -> u64 {
        let timed: u64 = self.times.iter().map(|(calls, _)| calls).sum();
        let capped: u64 = self.times.iter().map(|&(calls, ns)| ns.min(calls * cap_ns)).sum();
        (capped as f64 / timed.max(1) as f64 * (self.calls - self.sequences) as f64) as u64
    }

    /// What a call usually takes: the mean of the class with the median.
    pub fn usual_ns(&self) -> u64 {
        let timed: u64 = self.times.iter().map(|(calls, _)| calls).sum();
        let mut before = 0;
        let median = self.times.iter().find(|(calls, _)| {
            before += calls;
            2 * before >= timed.max(1)
        });
        median.map_or(0, |(calls, ns)| ns / calls.max(&1))
    }
}
