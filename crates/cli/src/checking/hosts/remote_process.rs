//! A process of another host, as far as its data has arrived.

use mpiscope_trace::check::event::Event;
use mpiscope_trace::check::words;
use mpiscope_trace::defs::{self, Definition};
use mpiscope_trace::layout::{DEFS_END, MAX_THREADS};

use super::super::rings::State;

/// The ring of a thread.
#[derive(Default)]
struct Thread {
    /// Words received in total.
    known: u64,
    /// Words that do not form a complete event yet.
    words: Vec<u64>,
    polls: u64,
    polled_at: u64,
    is_broken: bool,
}

/// The data that has arrived.
#[derive(Default)]
pub struct RemoteProcess {
    /// The relay of its host.
    pub speaker: u64,
    pub state: Option<State>,
    pub lost: u64,
    /// Whether it has ended and all its events have arrived.
    pub is_over: bool,
    threads: Vec<Thread>,
    definitions_known: u64,
    /// Bytes that do not form a complete definition yet.
    definitions: Vec<u8>,
}

impl RemoteProcess {
    pub fn new(speaker: u64) -> RemoteProcess {
        RemoteProcess { speaker, ..RemoteProcess::default() }
    }

    /// Takes words starting at an index; skips those that are known. Returns the number of words in complete events, `None`
    /// for words that cannot be used.
    pub fn words(&mut self, thread: u8, from: u64, words: &[u64], events: &mut Vec<Event>) -> Option<u64> {
        let at = usize::from(thread);
        if at >= MAX_THREADS {
            return None;
        }
        if self.threads.len() <= at {
            self.threads.resize_with(at + 1, Thread::default);
        }
        let thread = &mut self.threads[at];
        let known = thread.known.checked_sub(from).map(|known| known as usize);
        match known {
            Some(known) if known < words.len() => {
                thread.known += (words.len() - known) as u64;
                if !thread.is_broken {
                    thread.words.extend(&words[known..]);
                    thread.is_broken = !thread.events(events);
                    if thread.is_broken {
                        // Later words are ignored; their room is still freed, so that no process waits.
                        thread.words.clear();
                    }
                }
            }
            Some(_) => {}
            // A gap, which senders never leave.
            None => return None,
        }
        Some(self.complete_words(at as u8))
    }

    /// Takes bytes of definitions in the same way as [`RemoteProcess::words`].
    pub fn definitions(&mut self, from: u64, bytes: &[u8]) -> Vec<Definition> {
        let Some(known) = self.definitions_known.checked_sub(from) else { return Vec::new() };
        let new = bytes.get(known as usize..).unwrap_or_default();
        if self.definitions_known + new.len() as u64 > DEFS_END {
            return Vec::new();
        }
        self.definitions_known += new.len() as u64;
        self.definitions.extend(new);
        let mut whole = 0;
        while let Some(length) = self.definitions.get(whole..whole + 4) {
            let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
            if length < 8 || self.definitions.len() - whole < length {
                break;
            }
            whole += length;
        }
        let found = defs::decode(&self.definitions[..whole]).0;
        self.definitions.drain(..whole);
        found
    }

    /// Unsuccessful polls since a ring's last event.
    pub fn polls(&mut self, thread: u8, polls: u64, at: u64) {
        if let Some(thread) = self.threads.get_mut(usize::from(thread)) {
            (thread.polls, thread.polled_at) = (polls, at);
        }
    }

    /// See `Rank::polls`.
    pub fn polled(&self) -> impl Iterator<Item = (u8, u64, u64)> + '_ {
        let polled = self.threads.iter().enumerate().filter(|(_, thread)| thread.polls > 0);
        polled.map(|(at, thread)| (at as u8, thread.polls, thread.polled_at))
    }

    /// Words of complete events from a thread.
    pub fn complete_words(&self, thread: u8) -> u64 {
        self.threads.get(usize::from(thread)).map_or(0, |thread| thread.known - thread.words.len() as u64)
    }

    /// Bytes of complete definitions.
    pub fn definitions_known(&self) -> u64 {
        self.definitions_known - self.definitions.len() as u64
    }
}

impl Thread {
    /// Takes out complete events; false if the words are invalid.
    fn events(&mut self, events: &mut Vec<Event>) -> bool {
        let mut at = 0;
        while let Some(&word) = self.words.get(at) {
            let Some(length) = words::length(word) else { return false };
            let Some(words) = self.words.get(at..at + length) else { break };
            let Some(event) = words::decode(words) else { return false };
            events.push(event);
            at += length;
        }
        self.words.drain(..at);
        true
    }
}

#[cfg(test)]
mod tests {
    use mpiscope_trace::check::event::{Body, Head};
    use mpiscope_trace::check::words::Words;

    use super::*;

    fn words(at: u64) -> Vec<u64> {
        let body = Body::Wait { need: at, ops: (0..at).collect() };
        Words::new().encode(&Event { head: Head { at, ..Head::default() }, body }).to_vec()
    }

    #[test]
    fn events_that_come_in_pieces_and_twice() {
        let all: Vec<u64> = (0..50).flat_map(words).collect();
        for size in [1, 2, 7, 100] {
            let (mut far, mut events) = (RemoteProcess::new(2), Vec::new());
            for (at, piece) in all.chunks(size).enumerate() {
                let from = (at * size) as u64;
                let end = from + piece.len() as u64;
                let whole = far.words(3, from, piece, &mut events).unwrap();
                assert!(whole <= end && whole + 60 > end);
                // Once more from where room was given back, as after a connection was lost.
                let again = &all[whole.min(from) as usize..end as usize];
                assert_eq!(far.words(3, whole.min(from), again, &mut events), Some(whole));
            }
            let moments: Vec<u64> = events.iter().map(|event| event.head.at).collect();
            assert_eq!(moments, (0..50).collect::<Vec<_>>());
            assert_eq!(far.complete_words(3), all.len() as u64);
        }
    }

    #[test]
    fn gaps_and_nonsense_are_left_out() {
        let (mut far, mut events) = (RemoteProcess::new(2), Vec::new());
        assert_eq!(far.words(0, 5, &[1, 2], &mut events), None);
        assert!(far.words(0, 0, &[0; 3], &mut events).is_some());
        assert!(far.words(0, 3, &words(1), &mut events).is_some());
        assert!(events.is_empty(), "what comes after nonsense is not believed");
        assert!(far.definitions(0, &[7; 100]).is_empty() && far.definitions(1000, &[0; 8]).is_empty());
        assert!(far.definitions(u64::MAX, &[0; 8]).is_empty());
    }
}
