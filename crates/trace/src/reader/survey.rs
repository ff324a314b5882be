//! Which part of a ring cannot be read, found before anything is made of it.
//!
//! A chunk is damaged where its records stop making sense, or where there are not as many of them as its head says. One
//! that is missing leaves a gap in the sequence numbers. What comes behind a damaged place can be read again from the
//! next chunk on; but how many calls of which kind lie between is not known, so whoever follows requests and numbers
//! messages wants either what is before all damage or what is behind it.

use crate::layout::{CHUNK, ChunkHeader, state};

use super::{Cursor, Event, RankFile, ReadError, Source, record, skip};

/// The damaged part of a thread's ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The thread.
    pub thread: usize,
    /// End of the last record before it, ticks.
    pub from_ticks: u64,
    /// Beginning of the first chunk behind it, ticks, if there is one.
    pub until_ticks: Option<u64>,
    /// Records that stand in the ring before it, in it as far as heads of chunks tell, and behind it.
    pub records: [u64; 3],
    /// The chunk that is damaged first, and up to which byte it can be read.
    first: (usize, usize),
    /// Chunks behind it begin here.
    next: usize,
}

impl Damage {
    /// Records that are left out if one side is kept.
    pub fn left_out(&self, keep: Keep) -> u64 {
        let [before, within, after] = self.records;
        if keep == Keep::Before { within + after } else { before + within }
    }

    fn spot(thread: usize, chunk: usize, at: usize, from_ticks: u64, before: u64) -> Damage {
        Damage { thread, from_ticks, until_ticks: None, records: [before, 0, 0], first: (chunk, at), next: chunk + 1 }
    }
}

/// Which side of the damage is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// What was recorded before it.
    Before,
    /// What was recorded after it.
    After,
}

impl<S: Source> RankFile<S> {
    /// Goes through the ring of thread `index` once to see what of it cannot be read.
    ///
    /// # Errors
    ///
    /// If the source cannot be read.
    pub fn survey(&self, index: usize) -> Result<Option<Damage>, ReadError> {
        let Some(thread) = self.threads.get(index) else { return Ok(None) };
        let mut found: Option<Damage> = None;
        let mut bytes = vec![0; CHUNK];
        let mut event = Event::default();
        let mut records = 0;
        for (at, chunk) in thread.chunks.iter().enumerate() {
            let follows = at == 0 || thread.chunks[at - 1].sequence + 1 == chunk.sequence;
            if !follows {
                let gap = match &mut found {
                    Some(gap) => gap,
                    None => found.insert(self.missing_after(index, at - 1, records)?),
                };
                gap.next = at;
                records = 0;
            }
            let bytes = &mut bytes[..chunk.used];
            self.source.read_at(chunk.offset, bytes)?;
            let mut cursor = Cursor { bytes, at: size_of::<ChunkHeader>() };
            let (mut good, mut in_chunk) = (cursor.at, 0);
            while cursor.at < cursor.bytes.len()
                && (skip(&mut cursor, &thread.codings)
                    || record(&mut cursor, &thread.codings, chunk.start, &mut event).is_some())
            {
                in_chunk += 1;
                good = cursor.at;
            }
            let is_whole = in_chunk == u64::from(chunk.records) && cursor.is_padding(good);
            if is_whole {
                records += in_chunk;
                continue;
            }
            // Where it went wrong is not known: what was decoded before may be nonsense as well. None of it counts.
            let first = size_of::<ChunkHeader>();
            let damage = found.get_or_insert(Damage::spot(index, at, first, chunk.start, records));
            // All that was read since the damage before this one lies between the two.
            let between = if damage.first.0 == at { 0 } else { records };
            damage.records[1] += u64::from(chunk.records) + between;
            damage.next = at + 1;
            records = 0;
        }
        // One more may have been begun when the process died.
        let last = thread.chunks.last().map_or(0, |c| c.sequence);
        let allowed = u64::from(self.header.state != state::FINALIZED);
        if last != 0 && thread.chunks_begun > last + allowed {
            let at = thread.chunks.len() - 1;
            let end = match &mut found {
                Some(end) => end,
                None => found.insert(self.missing_after(index, at, records)?),
            };
            if end.first.0 != at {
                end.records[1] += records;
            }
            end.next = thread.chunks.len();
            records = 0;
        }
        if let Some(damage) = &mut found {
            damage.until_ticks = thread.chunks.get(damage.next).map(|c| c.start);
            damage.records[2] = if damage.until_ticks.is_some() { records } else { 0 };
            // Of a chunk that is gone nothing says how many it held.
            damage.records[1] = damage.records[1].max(1);
        }
        Ok(found)
    }

    /// Chunks that are missing behind this one, which can be read; it and those before it hold so many records.
    fn missing_after(&self, index: usize, at: usize, records: u64) -> Result<Damage, ReadError> {
        let thread = &self.threads[index];
        let chunk = &thread.chunks[at];
        let mut bytes = vec![0; chunk.used];
        self.source.read_at(chunk.offset, &mut bytes)?;
        let mut cursor = Cursor { bytes: &bytes, at: size_of::<ChunkHeader>() };
        let (mut event, mut last_end) = (Event::default(), chunk.start);
        while cursor.at < cursor.bytes.len() && record(&mut cursor, &thread.codings, last_end, &mut event).is_some() {
            last_end = event.start.wrapping_add(event.duration);
        }
        Ok(Damage::spot(index, at, chunk.used, last_end, records))
    }

    /// Leaves of the ring what is on one side of `damage`.
    pub fn keep(&mut self, damage: &Damage, keep: Keep) {
        let Some(thread) = self.threads.get_mut(damage.thread) else { return };
        match keep {
            Keep::Before => {
                thread.chunks.truncate(damage.first.0 + 1);
                if let Some(last) = thread.chunks.last_mut() {
                    last.used = damage.first.1;
                }
                thread.pending_poll = None;
            }
            Keep::After => drop(thread.chunks.drain(..damage.next.min(thread.chunks.len()))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::DEFS_END;
    use crate::shape::Shape;
    use crate::testing::Builder;
    use crate::writer::Extra;

    const RECORDS: u64 = 60_000;

    /// Five chunks and a bit.
    fn bytes() -> Vec<u8> {
        let mut file = Builder::new(0, 1);
        let thread = &mut file.threads[0];
        let send = thread.shape(Shape { function: 350, ..Shape::default() });
        for i in 0..RECORDS {
            thread.event(send, 1000 + 1000 * i, 400, &Extra::NONE);
        }
        file.bytes()
    }

    /// Where chunk `n` of it begins.
    fn chunk(bytes: &[u8], n: u64) -> usize {
        let file = RankFile::parse(bytes).unwrap();
        file.threads[0].chunks[n as usize].offset as usize
    }

    fn read<S: Source>(file: &RankFile<S>) -> (u64, u64) {
        let mut n = 0;
        let damaged = file.events(0, |_, _| n += 1).unwrap();
        (n, damaged)
    }

    #[test]
    fn a_record_is_passed_over_as_it_is_read() {
        use crate::shape::flag;
        use crate::writer::Completed;
        let mut file = Builder::new(0, 1);
        let thread = &mut file.threads[0];
        let flags = [0, flag::REQUEST, flag::REQUESTS, flag::OFFSET, flag::NEW_OBJECT, flag::REQUEST | flag::OFFSET];
        let shapes = flags.map(|flags| thread.shape(Shape { function: 350, flags, ..Shape::default() }));
        let done = [Completed { request: 9, ..Completed::default() }; 3];
        let extra = Extra { request: 70_000, requests: &done, offset: -5, new_object: 3, ..Extra::NONE };
        // Numbers of all lengths.
        for i in 0..600_u64 {
            let long = 1 << (i % 50);
            thread.event(shapes[i as usize % shapes.len()], i + long, long / 3, &extra);
        }
        let bytes = file.bytes();
        let file = RankFile::parse(bytes.as_slice()).unwrap();
        let thread = &file.threads[0];
        let (mut passed, mut event) = ([0, 0], Event::default());
        for chunk in &thread.chunks {
            let bytes = &bytes[chunk.offset as usize..][..chunk.used];
            let (mut read, mut skipped) = ([size_of::<ChunkHeader>(); 2]).map(|at| Cursor { bytes, at }).into();
            while read.at < bytes.len() {
                let is_skipped = skip(&mut skipped, &thread.codings);
                assert!(record(&mut read, &thread.codings, 0, &mut event).is_some());
                if !is_skipped {
                    skipped.at = read.at;
                }
                assert_eq!(read.at, skipped.at);
                passed[usize::from(is_skipped)] += 1;
            }
        }
        assert!(passed[0] > 300 && passed[1] > 150, "{passed:?}");
    }

    #[test]
    fn nothing_is_damaged() {
        let bytes = bytes();
        assert!(bytes.len() > DEFS_END as usize);
        let file = RankFile::parse(bytes.as_slice()).unwrap();
        assert_eq!((file.survey(0).unwrap(), file.survey(7).unwrap()), (None, None));
        assert_eq!(read(&file), (RECORDS, 0));
    }

    #[test]
    fn either_side_of_a_damage_is_whole() {
        let whole = bytes();
        let chunks = RankFile::parse(whole.as_slice()).unwrap().threads[0].chunks.len() as u64;
        assert!(chunks >= 4);
        for (n, at, what) in
            [(1, 1000, "records"), (0, 64, "first record"), (2, 0, "sequence"), (chunks - 1, 70, "end")]
        {
            let mut bytes = whole.clone();
            let place = chunk(&bytes, n) + at;
            bytes[place..place + 8].fill(if at == 0 { 0 } else { 1 });
            let damage = RankFile::parse(bytes.as_slice()).unwrap().survey(0).unwrap().expect(what);
            let mut kept = 0;
            for keep in [Keep::Before, Keep::After] {
                let mut file = RankFile::parse(bytes.as_slice()).unwrap();
                file.keep(&damage, keep);
                let left_out = damage.left_out(keep);
                let (n, damaged) = read(&file);
                assert_eq!(damaged, 0, "{what}");
                assert!(file.survey(0).unwrap().is_none_or(|d| d.until_ticks.is_none()), "{what}");
                if at != 0 {
                    assert_eq!(n + left_out, RECORDS, "{what} {keep:?}");
                }
                kept += n;
            }
            assert!(kept < RECORDS && kept + 30_000 > RECORDS, "{what}: {kept}");
            assert_eq!(damage.until_ticks.is_none(), n == chunks - 1, "{what}");
        }
    }

    #[test]
    fn chunks_that_are_cut_off_are_missed() {
        let mut bytes = bytes();
        bytes.truncate(chunk(&bytes, 3));
        let damage = RankFile::parse(bytes.as_slice()).unwrap().survey(0).unwrap().expect("a cut");
        let mut file = RankFile::parse(bytes.as_slice()).unwrap();
        assert_eq!(damage.until_ticks, None);
        file.keep(&damage, Keep::Before);
        assert!(damage.left_out(Keep::Before) >= 1);
        let (n, damaged) = read(&file);
        assert!(n > 20_000 && damaged == 0, "{n}");
        assert_eq!(n, damage.records[0]);
    }

    /// What collectors wrote behind calls that complete a list of no requests.
    #[test]
    fn a_number_that_begins_no_record_is_passed_over() {
        let whole = bytes();
        let last = RankFile::parse(whole.as_slice()).unwrap().threads[0].chunks.last().copied().unwrap();
        let mut bytes = whole.clone();
        let (begin, end) = (last.offset as usize + 64, last.offset as usize + last.used);
        let rest: Vec<u8> = [1].into_iter().chain(bytes[begin..end].iter().copied()).chain([1, 1]).collect();
        bytes[begin..begin + rest.len()].copy_from_slice(&rest);
        let used = (last.used + 3) as u32;
        bytes[last.offset as usize + 24..last.offset as usize + 28].copy_from_slice(&used.to_le_bytes());
        let file = RankFile::parse(bytes.as_slice()).unwrap();
        assert_eq!(file.survey(0).unwrap(), None);
        assert_eq!(read(&file), (RECORDS, 0));
    }
}
