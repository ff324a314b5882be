//! Polls made in turn: a loop that waits with `MPI_Iprobe` and `MPI_Test`, for instance.
//!
//! The recorder counts polls of one place that follow each other in one record. Polls of several places that take turns are a record
//! each, thousands of them while a rank waits. Where the rank does nothing between them, they become one row for each place, one after
//! the other: each as long as its polls took, with its share of the time between them.
//!
//! ```text
//! records   [i][t][i][t][i][t][i][t][i][t]
//! rows      [iprobe × 5      ][test × 5  ]
//! ```

use mpiscope_store::Call;

/// At most this many places take turns.
const MOST_PLACES: usize = 4;
/// At most this time between two polls on average, ns: the recorder takes about a third of it, the loop little more.
const USUAL_GAP_NS: u64 = 100;
/// Or one part in so many of the time inside them: an MPI may sleep in a poll.
const USUAL_GAPS: u64 = 8;
/// At most this time between two polls once, ns: an interrupt, or the recorder's first use of a chunk's memory. A rank that takes longer
/// computes.
const LONGEST_GAP_NS: u64 = 100_000;

/// A record that returns later than this after polls is not one of them, ns.
const SOON_NS: u64 = 1_000_000;

/// The polls of one place.
#[derive(Clone, Copy, Default)]
struct Place {
    facts: u32,
    calls: u64,
    inside_ns: u64,
}

/// A poll that found nothing, or several of them.
#[derive(Clone, Copy)]
pub(crate) struct Poll {
    pub call: Call,
    /// Time inside its calls.
    pub inside_ns: u64,
}

/// The last polls of a rank, as far as they may take turns.
#[derive(Default)]
pub(crate) struct Turns {
    places: [Place; MOST_PLACES],
    used: usize,
    /// Row of the first place.
    first_row: u64,
    thread: u16,
    start_ns: u64,
    end_ns: u64,
    /// Their rows, where the next batch may go on with them.
    held: [Option<Call>; MOST_PLACES],
}

impl Turns {
    /// Takes the last polls of a batch out of its rows if the next record, which returns at `next_ns`, may be one of them. A loop that
    /// waits for long would be cut otherwise.
    pub fn hold_back(&mut self, rows: &mut Vec<Call>, next_row: &mut u64, next_ns: u64) {
        let is_last = self.used > 0 && self.first_row + self.used as u64 == *next_row && self.used <= rows.len();
        if is_last && next_ns <= self.end_ns + SOON_NS {
            let from = rows.len() - self.used;
            rows.drain(from..).zip(&mut self.held).for_each(|(row, held)| *held = Some(row));
            *next_row = self.first_row;
        }
    }

    /// The moment before which no row that is held back returned.
    pub fn held_until_ns(&self) -> Option<u64> {
        self.held[0].map(|first| first.end_ns)
    }

    /// Puts what was held back at the beginning of the next batch.
    pub fn put_back(&mut self) -> impl Iterator<Item = Call> + use<> {
        std::mem::take(&mut self.held).into_iter().flatten()
    }

    /// Adds a poll to the rows of those before it, if it takes turns with them. `rows` ends before row `next_row`.
    pub fn join(&mut self, poll: &Poll, rows: &mut [Call], next_row: u64) -> bool {
        let Poll { call, inside_ns } = poll;
        let first_row = next_row - rows.len() as u64;
        let follows = self.first_row >= first_row && self.first_row + self.used as u64 == next_row;
        if !follows || self.thread != call.thread || !self.is_close(call) {
            self.begin(poll, next_row);
            return false;
        }
        let calls = u64::from(call.calls);
        let at = self.places[..self.used].iter().position(|place| place.facts == call.facts);
        match at {
            Some(at) => {
                self.places[at].calls += calls;
                self.places[at].inside_ns += inside_ns;
            }
            None if self.used < MOST_PLACES && self.places[..self.used].iter().all(|place| place.calls == 1) => {
                self.places[self.used] = Place { facts: call.facts, calls, inside_ns: *inside_ns };
                self.used += 1;
            }
            None => {
                self.begin(poll, next_row);
                return false;
            }
        }
        self.end_ns = call.end_ns;
        if at.is_some() {
            self.write(&mut rows[(self.first_row - first_row) as usize..]);
        }
        at.is_some()
    }

    fn begin(&mut self, Poll { call, inside_ns }: &Poll, row: u64) {
        self.places[0] = Place { facts: call.facts, calls: call.calls.into(), inside_ns: *inside_ns };
        (self.used, self.first_row, self.thread) = (1, row, call.thread);
        (self.start_ns, self.end_ns) = (call.start_ns, call.end_ns);
    }

    fn inside_ns(&self) -> u64 {
        self.places[..self.used].iter().map(|place| place.inside_ns).sum()
    }

    /// Time between the polls so far.
    fn gaps_ns(&self) -> u64 {
        (self.end_ns - self.start_ns).saturating_sub(self.inside_ns())
    }

    fn calls(&self) -> u64 {
        self.places[..self.used].iter().map(|place| place.calls).sum()
    }

    /// Whether the rank does nothing else from the last poll to this one.
    fn is_close(&self, call: &Call) -> bool {
        let gap_ns = call.start_ns.saturating_sub(self.end_ns);
        gap_ns <= LONGEST_GAP_NS
            && self.gaps_ns() + gap_ns <= (USUAL_GAP_NS * self.calls()).max(self.inside_ns() / USUAL_GAPS)
    }

    /// The rows of all places.
    fn write(&self, rows: &mut [Call]) {
        let (gaps_ns, calls) = (u128::from(self.gaps_ns()), u128::from(self.calls()));
        let (mut inside_ns, mut before) = (0, 0);
        let mut from_ns = self.start_ns;
        for (place, row) in self.places[..self.used].iter().zip(rows) {
            inside_ns += place.inside_ns;
            before += u128::from(place.calls);
            let until_ns = self.end_ns.min(self.start_ns + inside_ns + (gaps_ns * before / calls) as u64);
            (row.start_ns, row.end_ns) = (from_ns, until_ns);
            row.calls = place.calls.min(u32::MAX.into()) as u32;
            from_ns = until_ns;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn call(facts: u32, (start_ns, end_ns): (u64, u64), calls: u32) -> Call {
        Call { start_ns, end_ns, facts, detail: 0, calls, thread: 0, flags: 0 }
    }

    /// The rows of these polls: facts, begin, end, how many.
    fn rows_of(polls: &[(u32, u64, u64, u32)]) -> Vec<(u32, u64, u64, u32)> {
        let (mut turns, mut rows) = (Turns::default(), Vec::new());
        for &(facts, start_ns, end_ns, calls) in polls {
            let poll = Poll { call: call(facts, (start_ns, end_ns), calls), inside_ns: end_ns - start_ns };
            let next = 7 + rows.len() as u64;
            if !turns.join(&poll, &mut rows, next) {
                rows.push(poll.call);
            }
        }
        rows.iter().map(|c| (c.facts, c.start_ns, c.end_ns, c.calls)).collect()
    }

    #[test]
    fn polls_in_turn_become_a_row_of_each_place() {
        let polls: Vec<_> =
            (0..50).map(|i| (3 + i % 2, 1000 + 80 * u64::from(i), 1000 + 80 * u64::from(i) + 40, 1)).collect();
        let end_ns = 1000 + 80 * 49 + 40;
        assert_eq!(
            rows_of(&polls),
            [(3, 1000, 1000 + (end_ns - 1000) / 2, 25), (4, 1000 + (end_ns - 1000) / 2, end_ns, 25)]
        );
    }

    #[test]
    fn a_rank_that_computes_between_its_polls_does_not_wait() {
        let polls: Vec<_> =
            (0..50).map(|i| (3 + i % 2, 1000 + 400 * u64::from(i), 1000 + 400 * u64::from(i) + 40, 1)).collect();
        assert_eq!(rows_of(&polls).len(), 50);
        // An interrupt after many polls does not end the loop, a time slice does.
        let from = |i: u32, held: u64| 1000 + 80 * u64::from(i) + if i < 200 { 0 } else { held };
        let held = |held: u64| (0..400).map(|i| (3 + i % 2, from(i, held), from(i, held) + 40, 1)).collect::<Vec<_>>();
        assert_eq!(rows_of(&held(9_000)).len(), 2);
        assert_eq!(rows_of(&held(4_000_000)).len(), 4);
    }

    #[test]
    fn other_calls_end_the_turns() {
        let (mut turns, mut rows) =
            (Turns::default(), vec![call(3, (0, 40), 1), call(4, (80, 120), 1), call(9, (130, 140), 1)]);
        for row in 0..2u64 {
            let poll = Poll { call: rows[row as usize], inside_ns: 40 };
            assert!(!turns.join(&poll, &mut rows[..row as usize], row));
        }
        let poll = Poll { call: call(3, (160, 200), 1), inside_ns: 40 };
        assert!(!turns.join(&poll, &mut rows, 3), "row 2 is not a poll");
    }

    proptest! {
        /// No poll is lost, and rows are in order.
        #[test]
        fn counts_and_order(polls in prop::collection::vec((0u32..6, 0u64..300, 1u64..500, 1u32..3), 1..300)) {
            let mut now = 0;
            let polls: Vec<_> = polls.iter().map(|&(facts, gap, long, calls)| {
                let start = now + gap;
                now = start + long;
                (facts, start, now, calls)
            }).collect();
            let rows = rows_of(&polls);
            for facts in 0..6 {
                let of = |rows: &[(u32, u64, u64, u32)]| rows.iter().filter(|r| r.0 == facts).map(|r| r.3).sum::<u32>();
                prop_assert_eq!(of(&rows), of(&polls));
            }
            prop_assert!(rows.iter().all(|r| r.1 <= r.2) && rows.windows(2).all(|w| w[0].2 <= w[1].1), "{:?}", rows);
            prop_assert_eq!((rows[0].1, rows[rows.len() - 1].2), (polls[0].1, now));
        }
    }
}
