//! Decodes one rank's file.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use mpiscope_store::CallInfo;
use mpiscope_trace::reader::{ReadError, Source, Tape};
use mpiscope_trace::shape::flag;
use mpiscope_trace::{Event, RankFile, Shape};
use rustc_hash::FxHashMap;

use crate::clocks::RankClock;
use crate::cuts::TimeSlice;
use crate::envelopes::Envelopes;
use crate::rank::{Context, RankOutput, RankState, Record};
use crate::unfinished_calls::OpenCall;

/// Bytes of a ring that are read ahead and kept until they are decoded; fewer for many ranks.
const WINDOW: usize = 64 << 10;
const WINDOW_OF_MANY: usize = 8 << 10;
/// Above this number of threads, less is read ahead: their windows would take 64 MiB.
const MANY: usize = 1 << 10;

/// A rank file that is open only while it is read: a run may have more ranks than a process may have open files.
pub(crate) struct Closed(pub PathBuf);

impl Source for Closed {
    fn len(&self) -> io::Result<u64> {
        Source::len(&File::open(&self.0)?)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        Source::read_at(&File::open(&self.0)?, offset, buffer)
    }
}

/// From ticks of a rank to ns since the origin.
#[derive(Clone)]
pub struct Times {
    pub(crate) clock: RankClock,
    pub(crate) origin_ns: u64,
}

impl Times {
    /// A moment, ns since the origin.
    pub fn since(&self, ticks: u64) -> u64 {
        self.clock.ns(ticks).saturating_sub(self.origin_ns)
    }
}

/// How far to decode.
#[derive(Clone, Copy)]
pub(crate) struct Until {
    /// Calls that returned before this moment; all if not given.
    pub ns: Option<u64>,
    /// Records of each thread, at most.
    pub records: usize,
}

/// A record that waits for those of other threads.
struct Held {
    thread: u16,
    /// Without the requests of its shape's list, which may be many.
    event: Event,
    start_ns: u64,
    end_ns: u64,
}

/// How far a thread's ring is decoded.
struct RingCursor {
    tape: Tape,
    /// No record that follows returned before this moment.
    next_ns: u64,
    is_over: bool,
    /// Where the thread's shapes begin among the rank's facts.
    first_facts: u32,
}

/// See the module.
pub(crate) struct RankInput {
    /// Without its shapes.
    file: RankFile<Closed>,
    /// Shapes whose arguments stand in each record, by the place of their facts.
    spelled: FxHashMap<u32, Shape>,
    pub times: Times,
    pub envelopes: Envelopes,
    pub state: RankState,
    /// Calls that had not returned.
    pub open: Vec<OpenCall>,
    reels: Vec<RingCursor>,
    held: Vec<Held>,
    window: usize,
}

impl RankInput {
    /// `ranks` of the run decide how much is read ahead.
    pub fn new(
        mut file: RankFile<Closed>,
        facts: &[CallInfo],
        envelopes: Envelopes,
        times: Times,
        ranks: usize,
    ) -> RankInput {
        let mut first_facts = 0;
        let mut reels = Vec::new();
        let mut spelled = FxHashMap::default();
        for at in 0..file.threads.len() {
            let chunks = file.chunks(at);
            reels.push(RingCursor {
                tape: Tape::default(),
                next_ns: chunks.first().map_or(u64::MAX, |c| times.since(c.start_ticks())),
                is_over: chunks.is_empty(),
                first_facts,
            });
            let shapes = std::mem::take(&mut file.threads[at].shapes);
            spelled.extend(
                (first_facts..).zip(&shapes).filter(|(_, s)| s.flags & flag::INLINE != 0).map(|(i, s)| (i, *s)),
            );
            first_facts += shapes.len() as u32;
        }
        let window = if ranks.saturating_mul(reels.len()) > MANY { WINDOW_OF_MANY } else { WINDOW };
        RankInput {
            times,
            envelopes,
            state: RankState::new(facts),
            open: Vec::new(),
            reels,
            held: Vec::new(),
            window,
            spelled,
            file,
        }
    }

    pub fn threads(&self) -> usize {
        self.reels.len()
    }

    /// No record that follows returned before this moment.
    pub fn next_ns(&self) -> u64 {
        self.reels.iter().map(|r| r.next_ns).min().unwrap_or(u64::MAX)
    }

    /// No row that follows returned before this moment.
    pub fn next_row_ns(&self) -> u64 {
        self.next_ns().min(self.state.held_until_ns())
    }

    /// Whether all records are decoded.
    pub fn is_over(&self) -> bool {
        self.reels.iter().all(|r| r.is_over)
    }

    /// Bytes that were decoded.
    pub fn played(&self) -> u64 {
        self.reels.iter().map(|r| r.tape.played()).sum()
    }

    /// Bytes of rings.
    pub fn bytes(&self) -> u64 {
        (0..self.reels.len()).map(|thread| self.file.ring_bytes(thread)).sum()
    }

    /// The chunks of all threads; the rank's last call returned at `end_ns`.
    pub fn stretches(&self, end_ns: u64) -> Vec<TimeSlice> {
        let mut stretches = Vec::new();
        for thread in 0..self.reels.len() {
            let chunks = self.file.chunks(thread);
            for (at, chunk) in chunks.iter().enumerate() {
                let next_ns = chunks.get(at + 1).map_or(end_ns, |c| self.times.since(c.start_ticks()));
                let start_ns = self.times.since(chunk.start_ticks());
                stretches.push(TimeSlice { start_ns, end_ns: next_ns, bytes: chunk.bytes() });
            }
        }
        stretches
    }

    /// Decodes on.
    pub fn decode(&mut self, context: &Context<'_>, until: Until, out: &mut RankOutput) -> Result<(), ReadError> {
        let (clock, origin_ns) = (self.times.clock.cursor(), self.times.origin_ns);
        let since = |ticks: u64| clock.ns(ticks).saturating_sub(origin_ns);
        let several = self.reels.len() > 1;
        let is_after = |ns: u64| until.ns.is_some_and(|until_ns| ns >= until_ns);
        self.state.begin_batch(out);
        for (thread, reel) in self.reels.iter_mut().enumerate() {
            if reel.is_over || is_after(reel.next_ns) {
                continue;
            }
            let (file, spelled, state, held) = (&self.file, &self.spelled, &mut self.state, &mut self.held);
            let (first_facts, mut left, mut next) = (reel.first_facts, until.records, None);
            file.play(thread, &mut reel.tape, self.window, |view, event| {
                let end_ns = since(event.start.wrapping_add(event.duration));
                if left == 0 || is_after(end_ns) {
                    next = Some(end_ns);
                    return false;
                }
                left -= 1;
                let start_ns = since(event.start);
                let thread = thread as u16;
                if several {
                    let mut event = event.clone();
                    let listed = file.listed(view.codings[event.shape as usize]).len();
                    event.requests.truncate(event.requests.len() - listed);
                    held.push(Held { thread, event, start_ns, end_ns });
                } else {
                    let coding = view.codings[event.shape as usize];
                    let record = Record { thread, first_facts, event, coding, spelled, start_ns, end_ns };
                    state.add_record(context, &record, out);
                }
                true
            })?;
            (reel.is_over, reel.next_ns) = (next.is_none(), next.unwrap_or(u64::MAX));
        }
        if several {
            self.release(context, self.next_ns(), out);
        }
        self.state.end_batch(self.next_ns(), out);
        Ok(())
    }

    /// After the last record: polls that stand in no chunk, and what is still open.
    pub fn end(&mut self, context: &Context<'_>, out: &mut RankOutput) {
        for (at, thread) in self.file.threads.iter().enumerate() {
            if let Some(poll) = &thread.pending_poll {
                let start_ns = self.times.since(poll.start);
                let end_ns = self.times.since(poll.start.wrapping_add(poll.duration));
                self.held.push(Held { thread: at as u16, event: poll.clone(), start_ns, end_ns });
            }
        }
        self.state.begin_batch(out);
        self.release(context, u64::MAX, out);
        self.open.iter().for_each(|call| self.state.open(context, call, out));
        self.state.flush(out);
    }

    /// Hands on what no other thread can precede any more.
    fn release(&mut self, context: &Context<'_>, horizon: u64, out: &mut RankOutput) {
        if self.held.is_empty() {
            return;
        }
        self.held.sort_by_key(|h| h.end_ns);
        let is_ready = |h: &Held| h.end_ns < horizon || horizon == u64::MAX;
        let ready = self.held.partition_point(is_ready);
        for mut held in self.held.drain(..ready) {
            let thread = usize::from(held.thread);
            let coding = self.file.threads[thread].codings[held.event.shape as usize];
            held.event.requests.extend_from_slice(self.file.listed(coding));
            let Held { ref event, thread, start_ns, end_ns } = held;
            let first_facts = self.reels[usize::from(thread)].first_facts;
            let spelled = &self.spelled;
            let record = Record { thread, first_facts, event, coding, spelled, start_ns, end_ns };
            self.state.add_record(context, &record, out);
        }
    }
}
