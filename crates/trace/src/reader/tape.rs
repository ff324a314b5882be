//! Reading a ring a little at a time.

use crate::layout::ChunkHeader;
use crate::shape::flag;

use crate::layout::MAX_LISTED;
use crate::writer::Completed;

use super::{ChunkRef, Cursor, Event, RankFile, ReadError, Source, ThreadView, record};

/// A place in the ring of a thread, to go on from, with what was read ahead of it.
#[derive(Debug, Default)]
pub struct Tape {
    /// The chunk, and the place in it; 0 before its first record.
    chunk: usize,
    at: usize,
    /// End of the record before, ticks.
    last_end: u64,
    /// What was read of the chunk, from `begin` on.
    bytes: Vec<u8>,
    begin: usize,
    damaged: u64,
    played: u64,
    /// Requests of the next record that were in records ahead of it.
    ahead: Vec<Completed>,
}

impl Tape {
    /// Chunks so far that ended in nonsense.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }
    /// Bytes of records of the chunks before this place.
    pub fn played(&self) -> u64 {
        self.played
    }
}

impl<S: Source> RankFile<S> {
    /// Decodes records of the ring of thread `index` from where `tape` stands, oldest first, giving each to `visit`;
    /// stops before the first one that `visit` does not take. At most `window` bytes are read ahead. A pending run of
    /// polls ([`ThreadView::pending_poll`]) stands in no chunk.
    ///
    /// # Errors
    ///
    /// If the source cannot be read.
    pub fn play(
        &self,
        index: usize,
        tape: &mut Tape,
        window: usize,
        mut visit: impl FnMut(&ThreadView, &Event) -> bool,
    ) -> Result<(), ReadError> {
        let Some(thread) = self.threads.get(index) else { return Ok(()) };
        let mut event = Event::default();
        while let Some(chunk) = thread.chunks.get(tape.chunk) {
            if tape.at == 0 {
                let begin = size_of::<ChunkHeader>();
                (tape.at, tape.begin, tape.last_end) = (begin, begin, chunk.start);
                tape.bytes.clear();
            }
            if tape.bytes.is_empty() && tape.at < chunk.used {
                self.fill(tape, chunk, window)?;
            }
            let mut cursor = Cursor { bytes: &tape.bytes, at: tape.at.saturating_sub(tape.begin) };
            let mut is_cut = false;
            while cursor.at < cursor.bytes.len() {
                let before = cursor.at;
                let Some(shape) = record(&mut cursor, &thread.codings, tape.last_end, &mut event) else {
                    is_cut = !cursor.is_padding(before);
                    cursor.at = if is_cut { before } else { cursor.bytes.len() };
                    break;
                };
                if shape.flags & flag::AHEAD != 0 {
                    event.requests.truncate(MAX_LISTED - tape.ahead.len());
                    tape.ahead.append(&mut event.requests);
                    tape.last_end = event.start.wrapping_add(event.duration);
                    continue;
                }
                if !tape.ahead.is_empty() {
                    event.requests.splice(0..0, tape.ahead.iter().copied());
                }
                if shape.flags & flag::REQUEST_LIST != 0 {
                    event.requests.extend_from_slice(self.listed(shape));
                }
                if !visit(thread, &event) {
                    tape.at = tape.begin + before;
                    return Ok(());
                }
                tape.ahead.clear();
                tape.last_end = event.start.wrapping_add(event.duration);
            }
            tape.at = tape.begin + cursor.at;
            let is_whole = tape.begin + tape.bytes.len() >= chunk.used;
            if !is_whole {
                // A record that is longer than all that was read is looked at again with more of what follows.
                let is_too_long = is_cut && cursor.at == 0;
                self.fill(tape, chunk, if is_too_long { tape.bytes.len().saturating_mul(2) } else { window })?;
                continue;
            }
            tape.damaged += u64::from(is_cut);
            tape.played += chunk.bytes();
            (tape.chunk, tape.at) = (tape.chunk + 1, 0);
        }
        tape.bytes = Vec::new();
        Ok(())
    }

    /// Reads on from where `tape` stands.
    fn fill(&self, tape: &mut Tape, chunk: &ChunkRef, window: usize) -> Result<(), ReadError> {
        tape.begin = tape.at;
        tape.bytes.clear();
        tape.bytes.resize(window.min(chunk.used - tape.at), 0);
        Ok(self.source.read_at(chunk.offset + tape.at as u64, &mut tape.bytes)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::Shape;
    use crate::testing::Builder;
    use crate::writer::{Completed, Extra, ahead, divided};

    /// What a tape holds never grows beyond the window because a record is cut at its end, only for a longer record.
    #[test]
    fn a_window_stays_as_small_as_asked_for() {
        const WINDOW: usize = 100;
        let mut built = Builder::new(0, 1);
        let thread = &mut built.threads[0];
        let send = thread.shape(Shape { function: 350, ..Shape::default() });
        let wait = thread.shape(Shape { function: 400, flags: flag::REQUESTS, ..Shape::default() });
        let many: Vec<Completed> =
            (0..300).map(|request| Completed { request: 1 + request, ..Completed::default() }).collect();
        for i in 0..3_000 {
            thread.event(send, 1_000 + 100 * i, 40 + i % 7, &Extra::NONE);
        }
        thread.event(wait, 400_000, 40, &Extra { requests: &many, ..Extra::NONE });
        let bytes = built.bytes();
        let file = RankFile::parse(bytes.as_slice()).expect("a file");
        let (mut tape, mut taken) = (Tape::default(), 0);
        // Ever longer stretches, up to before the long record.
        for until in (0..3_000).step_by(17) {
            let visit = |_: &ThreadView, _: &Event| {
                let takes = taken < until;
                taken += u32::from(takes);
                takes
            };
            file.play(0, &mut tape, WINDOW, visit).expect("events");
            assert!(tape.bytes.len() <= WINDOW, "{} bytes after {until} events", tape.bytes.len());
        }
        let mut completed = 0;
        file.play(0, &mut tape, WINDOW, |_, event| {
            completed = event.requests.len();
            true
        })
        .expect("the rest");
        assert_eq!((completed, tape.damaged()), (many.len(), 0));
    }

    #[test]
    fn a_list_of_any_length_is_that_of_its_call() {
        let mut built = Builder::new(0, 1);
        let thread = &mut built.threads[0];
        let wait = thread.shape(Shape { function: 400, flags: flag::REQUESTS, ..Shape::default() });
        let beside = thread.shape(ahead());
        let list = |count: u32| -> Vec<Completed> {
            let one = |request| Completed { request, has_status: request % 3 == 0, ..Completed::default() };
            (1..=count).map(one).collect()
        };
        let counts = [0, 1, 384, 385, 768, 769, 20_000, 2];
        for (at, &count) in counts.iter().enumerate() {
            let (all, start) = (list(count), 1_000 + 100 * at as u64);
            let (parts, requests) = divided(&all);
            for requests in parts {
                thread.event(beside, start, 0, &Extra { requests, ..Extra::NONE });
            }
            thread.event(wait, start, 40, &Extra { requests, ..Extra::NONE });
        }
        let bytes = built.bytes();
        let file = RankFile::parse(bytes.as_slice()).expect("a file");
        // Also where a reader stops before each record, and comes back.
        let (mut tape, mut read) = (Tape::default(), Vec::new());
        for until in 0..=counts.len() {
            file.play(0, &mut tape, 100, |_, event| {
                let takes = read.len() < until;
                if takes {
                    read.push((event.start, event.duration, event.requests.clone()));
                }
                takes
            })
            .expect("events");
        }
        let expected = counts.iter().enumerate().map(|(at, &count)| (1_000 + 100 * at as u64, 40, list(count)));
        assert!(read.iter().cloned().eq(expected), "{:?}", read.iter().map(|r| r.2.len()).collect::<Vec<_>>());
        assert_eq!((tape.damaged(), file.survey(0).expect("a survey")), (0, None));
    }
}
