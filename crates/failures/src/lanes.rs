//! One automaton over a piece of a log, at several places of it at once.
//!
//! Each step of an automaton waits for the state of the step before: 4 to 5 cycles for a byte, of which the processor is idle most. Lanes
//! depend on nothing of each other, so that their waits overlap.

use std::ops::Range;

use aho_corasick::Anchored;
use aho_corasick::automaton::{Automaton, StateID};
use aho_corasick::dfa::DFA;

const LANES: usize = 4;

/// Lanes begin as often as texts are long; shorter pieces are read in one.
const LEAST_BYTES: usize = 4096;

/// A text that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its number in the automaton.
    pub text: usize,
    /// Where it begins.
    pub at: usize,
}

/// Finds all texts that begin in `span` of `bytes`. Those of a lane come in the order of their ends.
pub fn search(automaton: &DFA, bytes: &[u8], span: Range<usize>, found: &mut Vec<Found>) {
    found.clear();
    let Ok(start) = automaton.start_state(Anchored::No) else { return };
    let more = automaton.max_pattern_len();
    let lanes = if span.len() < LEAST_BYTES { 1 } else { LANES };
    let size = span.len().div_ceil(lanes).max(1);
    let begins: [usize; LANES] = std::array::from_fn(|lane| span.end.min(span.start + lane * size));
    let lane = |at: usize| {
        let until = span.end.min(begins[at] + size);
        Lane { automaton, begin: begins[at], until, bytes: &bytes[begins[at]..bytes.len().min(until + more)] }
    };
    if lanes == 1 {
        lane(0).run(start, 0, found);
        return;
    }
    let all: [Lane; LANES] = std::array::from_fn(lane);
    let common = all.iter().map(|lane| lane.bytes.len()).min().unwrap_or(0);
    let parts = all.each_ref().map(|lane| &lane.bytes[..common]);
    let (mut states, mut others) = ([start; LANES], [const { Vec::new() }; LANES]);
    // Indices of four slices in step: an iterator over one of them hides that.
    #[expect(clippy::needless_range_loop)]
    for at in 0..common {
        for lane in 0..LANES {
            states[lane] = automaton.next_state(Anchored::No, states[lane], parts[lane][at]);
        }
        if states.iter().any(|state| automaton.is_match(*state)) {
            for lane in 0..LANES {
                all[lane].note(states[lane], at, &mut others[lane]);
            }
        }
    }
    for lane in 0..LANES {
        found.append(&mut others[lane]);
        all[lane].run(states[lane], common, found);
    }
}

struct Lane<'a> {
    automaton: &'a DFA,
    begin: usize,
    /// Texts that begin here or later belong to the next lane.
    until: usize,
    bytes: &'a [u8],
}

impl Lane<'_> {
    /// From the byte at `from` of the lane to its end.
    fn run(&self, mut state: StateID, from: usize, found: &mut Vec<Found>) {
        for (at, byte) in self.bytes.iter().enumerate().skip(from) {
            state = self.automaton.next_state(Anchored::No, state, *byte);
            self.note(state, at, found);
        }
    }

    /// Notes the texts that end with the byte at `at` of the lane.
    fn note(&self, state: StateID, at: usize, found: &mut Vec<Found>) {
        if !self.automaton.is_match(state) {
            return;
        }
        for match_at in 0..self.automaton.match_len(state) {
            let text = self.automaton.match_pattern(state, match_at);
            let begin = self.begin + at + 1 - self.automaton.pattern_len(text);
            if begin < self.until {
                found.push(Found { text: text.as_usize(), at: begin });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_find_what_one_pass_finds() {
        let texts = ["abcab", "cab", "bc", "aaaaaaaaaaaaaaaaaaaaaaaa", "b"];
        let automaton = DFA::new(texts).unwrap();
        let mut random = 1u32;
        for len in [0, 1, 30, 4095, 4096, 4097, 10_000, 10_003] {
            let bytes: Vec<u8> = (0..len)
                .map(|at| {
                    random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if at / 900 % 2 == 0 { b'a' } else { b'a' + (random >> 24) as u8 % 3 }
                })
                .collect();
            for span in [0..len, len / 3..len, len / 3..len - len / 4] {
                let mut found = Vec::new();
                search(&automaton, &bytes, span.clone(), &mut found);
                let mut found: Vec<_> = found.iter().map(|found| (found.at, found.text)).collect();
                found.sort_unstable();
                let mut wanted: Vec<_> = (span.clone())
                    .flat_map(|at| (0..texts.len()).map(move |text| (at, text)))
                    .filter(|(at, text)| bytes[*at..].starts_with(texts[*text].as_bytes()))
                    .collect();
                wanted.sort_unstable();
                assert_eq!(found, wanted, "{len} {span:?}");
            }
        }
    }
}
