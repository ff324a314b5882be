//! The copy of one rank's file.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use mpiscope_trace::defs::{self, Definition};
use mpiscope_trace::layout::PAGE;
use mpiscope_trace::reader::{ReadError, Source, Tape};
use mpiscope_trace::shape::{flag, inline};
use mpiscope_trace::writer::{Completed, Extra, divided};
use mpiscope_trace::{Event, RankFile};

use crate::requests::Requests;
use crate::shapes::Shapes;
use crate::target::{OutThread, layout, write_head};
use crate::time_map::TimeMap;

/// Records that are decoded together, and bytes of a ring that are read for them.
const TOGETHER: usize = 256;
const WINDOW: usize = 8 << 10;
/// Ids of requests that the recorded run does not have: those of collectors are smaller, those above are not followed.
const FIRST_REQUEST: u32 = 1 << 15;
/// Requests of one wait that is added.
const MOST_REQUESTS: usize = 256;

fn damaged(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// A file that is open only while it is read.
struct Closed(PathBuf);

impl Source for Closed {
    fn len(&self) -> io::Result<u64> {
        Source::len(&File::open(&self.0)?)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        Source::read_at(&File::open(&self.0)?, offset, buffer)
    }
}

/// What the copy of a rank is made with.
pub struct Plan<F> {
    /// Calls that are left out: by the number of their shape, counted over all threads.
    pub without: Vec<bool>,
    /// Nanoseconds since the origin, from ticks of the file.
    pub since_origin: F,
    /// The origin, on the clock of the copy, ns.
    pub origin_ns: u64,
    /// A moment of the recorded run and where it is in the copy, ns since the origin: the earliest that is known.
    pub begin: (u64, u64),
    /// Id of the run that is written.
    pub run_id: u64,
    /// Whether calls are [gone](Becomes::Gone) that make requests.
    pub has_gone_requests: bool,
    /// The host of the process, if it is another one than in the recorded run. Its cores there are not known.
    pub host: Option<String>,
}

/// When a call begins and ends, ns since the origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Entry.
    pub start_ns: u64,
    /// Return.
    pub end_ns: u64,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct How<'a> {
    /// It comes before calls that it came after.
    pub is_early: bool,
    /// What of it is not as it was.
    pub becomes: Becomes<'a>,
}

/// See [`How`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Becomes<'a> {
    /// It is as it was.
    #[default]
    Same,
    /// It only begins what it did; a wait that is added ([`RankCopy::wait`]) completes it.
    Apart,
    /// It sends or receives so much, as bytes; what calls that are [gone](Becomes::Gone) sent or received is part of that.
    Carrying(Carries),
    /// It is an `MPI_Waitall`, for what it waited for and for what the calls with these rows waited for, which do not occur.
    WaitForAll(&'a [u64]),
    /// It does not occur: the call with this row does what it did, and whoever waits for one of them waits for that.
    Gone(u64),
}

/// What a call sends and receives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Carries {
    /// Sent.
    pub out: Option<End>,
    /// Received.
    pub into: Option<End>,
}

/// One end of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct End {
    /// Its bytes.
    pub bytes: u64,
    /// The other process, as a rank of `MPI_COMM_WORLD`.
    pub world_rank: i32,
    /// Whether the recorded call had another message: then the datatype is `MPI_BYTE`.
    pub is_joined: bool,
}

/// A record whose time is not known yet.
struct Pending {
    event: Event,
    /// Number of its row; none for regions and markers.
    row: Option<u64>,
    recorded: Times,
    is_written: bool,
}

/// A thread: where it is written, its shapes, and records that were decoded ahead.
struct Thread {
    out: OutThread,
    shapes: Shapes,
    /// Number of its first shape, counted over all threads.
    first: usize,
    tape: Tape,
    events: VecDeque<Event>,
    is_over: bool,
}

/// See the module.
pub struct RankCopy<F> {
    file: RankFile<Closed>,
    target: PathBuf,
    plan: Plan<F>,
    map: TimeMap,
    threads: Vec<Thread>,
    /// Rows of the first thread whose records were not read yet.
    rows: VecDeque<u64>,
    pending: VecDeque<Pending>,
    /// Requests that were begun and are not awaited.
    begun: Vec<Completed>,
    /// Requests that stand for those of calls that do not occur.
    requests: Requests,
    /// The id of `MPI_BYTE`.
    byte: u32,
    /// Shape of the last call of the first thread.
    last_shape: u32,
    source: Closed,
}

impl<F: Fn(u64) -> u64> RankCopy<F> {
    /// A copy of the file `from`, which it creates as `to`.
    ///
    /// # Errors
    ///
    /// If one of the files cannot be read or created.
    pub fn new(from: &Path, to: &Path, plan: Plan<F>) -> Result<RankCopy<F>, ReadError> {
        let file = RankFile::parse(Closed(from.to_owned()))?;
        let mut masks = file.threads.iter().flat_map(|view| &view.codings).map(|coding| coding.inline_mask);
        if file.damaged > 0 || masks.any(|mask| mask >= inline::BYTES << 1) {
            return Err(damaged("it is damaged").into());
        }
        File::create_new(to)?;
        let sizes = file.threads.iter().enumerate().map(|(at, view)| (file.ring_bytes(at), view.shapes.len()));
        let mut first = 0;
        let mut threads = Vec::new();
        for (view, out) in file.threads.iter().zip(layout(to, sizes)) {
            let listed = |shape: usize| file.listed(view.codings[shape]).len() as u64;
            let shapes = Shapes::new(view, listed, out.shapes_capacity);
            threads.push(Thread { out, shapes, first, tape: Tape::default(), events: VecDeque::new(), is_over: false });
            first += view.shapes.len();
        }
        let map = TimeMap::new(plan.begin.0, plan.begin.1);
        let (rows, pending, begun, requests) = Default::default();
        let is_byte = |of: &Definition| match of {
            Definition::Datatype { id, name, .. } if name == "MPI_BYTE" => Some(*id),
            _ => None,
        };
        let byte = file.definitions.iter().find_map(is_byte).unwrap_or(0);
        let source = Closed(from.to_owned());
        let target = to.to_owned();
        Ok(RankCopy { file, target, plan, map, threads, rows, pending, begun, requests, byte, last_shape: 0, source })
    }

    /// The next call of the first thread has this number.
    pub fn row(&mut self, row: u64) {
        self.rows.push_back(row);
    }

    /// The next call in the copy, if it is one of the first thread. Records between it and the one before get times between theirs.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, or the recorded one has no such call.
    pub fn call(&mut self, row: u64, times: Times, how: How<'_>) -> Result<(), ReadError> {
        let others = self.take_others(how)?;
        let at = self.find(row)?;
        if how.is_early {
            if let Some(event) = self.pending.get_mut(at).map(|pending| {
                pending.is_written = true;
                pending.event.clone()
            }) {
                self.write_call((row, &event), times, how, &others)?;
            }
            return Ok(());
        }
        let Some(recorded) = self.pending.get(at).map(|pending| pending.recorded) else { return Ok(()) };
        self.map.add(recorded.start_ns, times.start_ns);
        self.map.add(recorded.end_ns, times.end_ns);
        for _ in 0..=at {
            match self.pending.pop_front() {
                Some(Pending { is_written: true, .. }) | None => {}
                Some(Pending { row: Some(of), event, .. }) if of == row => {
                    self.write_call((row, &event), times, how, &others)?;
                }
                Some(Pending { event, recorded, .. }) => self.write_mapped(0, &event, recorded),
            }
        }
        Ok(())
    }

    /// Requests that calls complete which do not occur, since another one does that.
    fn take_others(&mut self, how: How<'_>) -> Result<Vec<Completed>, ReadError> {
        let Becomes::WaitForAll(rows) = how.becomes else { return Ok(Vec::new()) };
        let mut all = Vec::new();
        for &row in rows {
            let at = self.find(row)?;
            if let Some(pending) = self.pending.get(at) {
                all.extend(&pending.event.requests);
            }
        }
        Ok(all)
    }

    /// A wait for all that was begun and not awaited, where the program made the last call.
    pub fn wait(&mut self, times: Times) {
        let begun = std::mem::take(&mut self.begun);
        self.wait_for(&begun, self.last_shape, times);
    }

    /// An `MPI_Waitall` for these requests, at the place of a call with this shape.
    fn wait_for(&mut self, all: &[Completed], at: u32, times: Times) {
        let Some(thread) = self.threads.first_mut() else { return };
        let at = thread.shapes.shape(at);
        let mut times = times;
        for requests in all.chunks(MOST_REQUESTS) {
            let Some(shape) = thread.shapes.wait(&at, requests.len() as u64) else { continue };
            thread.write(shape, self.plan.origin_ns, times, &Extra { requests, ..Extra::NONE }, 1, None);
            // The first one waits until all is there.
            times.start_ns = times.end_ns;
        }
    }

    /// Where in `pending` the record of a row is, which is read if it was not.
    fn find(&mut self, row: u64) -> Result<usize, ReadError> {
        if let Some(at) = self.pending.iter().position(|pending| pending.row == Some(row)) {
            return Ok(at);
        }
        loop {
            let Some(next) = self.next_of_first()? else {
                return Err(damaged(&format!("it has no call {row}; it may have changed")).into());
            };
            let is_it = next.row == Some(row);
            self.pending.push_back(next);
            if is_it {
                return Ok(self.pending.len() - 1);
            }
        }
    }

    /// The next record of the first thread; none if it is a call whose row is not known, or there is none.
    fn next_of_first(&mut self) -> Result<Option<Pending>, ReadError> {
        self.fill(0)?;
        let Some(thread) = self.threads.first_mut() else { return Ok(None) };
        let Some(is_call) = thread.events.front().map(|event| !thread.shapes.is_annotation(event.shape)) else {
            return Ok(None);
        };
        if is_call && self.rows.is_empty() {
            return Ok(None);
        }
        let row = if is_call { self.rows.pop_front() } else { None };
        let Some(event) = thread.events.pop_front() else { return Ok(None) };
        let recorded = self.recorded(&event);
        Ok(Some(Pending { event, row, recorded, is_written: false }))
    }

    fn recorded(&self, event: &Event) -> Times {
        let since = &self.plan.since_origin;
        Times { start_ns: since(event.start), end_ns: since(event.start.wrapping_add(event.duration)) }
    }

    /// Decodes some records of a thread if none are left.
    fn fill(&mut self, at: usize) -> Result<(), ReadError> {
        let Some(thread) = self.threads.get_mut(at).filter(|thread| thread.events.is_empty() && !thread.is_over) else {
            return Ok(());
        };
        let Thread { tape, events, is_over, shapes, .. } = thread;
        *is_over = true;
        self.file.play(at, tape, WINDOW, |_, event| {
            *is_over = events.len() < TOGETHER;
            if *is_over {
                events.push_back(event.clone());
            }
            *is_over
        })?;
        if *is_over {
            events.extend(self.file.threads[at].pending_poll.clone());
        }
        for event in events.iter() {
            shapes.was_read(event.shape, event.calls, event.busy);
        }
        Ok(())
    }

    /// Writes records of other threads that ended before what is known.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written.
    pub fn settle(&mut self) -> Result<(), ReadError> {
        self.write_others(self.map.until_ns())
    }

    fn write_others(&mut self, until_ns: u64) -> Result<(), ReadError> {
        for at in 1..self.threads.len() {
            loop {
                self.fill(at)?;
                let Some(recorded) = self.threads[at].events.front().map(|event| self.recorded(event)) else { break };
                if recorded.end_ns > until_ns {
                    break;
                }
                let Some(event) = self.threads[at].events.pop_front() else { break };
                self.write_mapped(at, &event, recorded);
            }
        }
        Ok(())
    }

    fn is_left_out(&self, thread: usize, shape: u32) -> bool {
        let first = self.threads.get(thread).map_or(0, |thread| thread.first);
        self.plan.without.get(first + shape as usize).copied().unwrap_or(false)
    }

    fn write_mapped(&mut self, thread: usize, event: &Event, recorded: Times) {
        if self.is_left_out(thread, event.shape) {
            return;
        }
        let times = Times { start_ns: self.map.at(recorded.start_ns), end_ns: self.map.at(recorded.end_ns) };
        let origin_ns = self.plan.origin_ns;
        if let Some(thread) = self.threads.get_mut(thread) {
            thread.write_event(event.shape, origin_ns, times, event, 0);
        }
    }

    /// A call of the first thread at a time of its own; `others` are requests of calls that it takes over.
    fn write_call(
        &mut self,
        (row, event): (u64, &Event),
        times: Times,
        how: How<'_>,
        others: &[Completed],
    ) -> io::Result<()> {
        if self.is_left_out(0, event.shape) {
            return Ok(());
        }
        if let Becomes::Gone(to) = how.becomes {
            self.requests.is_gone(event.request, to);
            return Ok(());
        }
        let origin_ns = self.plan.origin_ns;
        self.last_shape = if how.is_early { self.last_shape } else { event.shape };
        let all = self.requests.completed(&event.requests);
        if self.plan.has_gone_requests && !matches!(how.becomes, Becomes::Carrying(_)) {
            self.requests.stays(event.request);
        }
        if event.requests.len() + others.len() > 0 && all.len() + others.len() == 0 {
            // What it waited for was never begun.
            return Ok(());
        }
        if let Becomes::WaitForAll(_) = how.becomes {
            let all = all.iter().chain(&*self.requests.completed(others)).copied().collect::<Vec<Completed>>();
            self.wait_for(&all, event.shape, times);
            return Ok(());
        }
        let Some(thread) = self.threads.first_mut() else { return Ok(()) };
        let twin = if how.becomes == Becomes::Apart { thread.shapes.twin(event.shape) } else { None };
        if let Some(twin) = twin {
            let request = FIRST_REQUEST + (self.begun.len() as u32 % (FIRST_REQUEST - 1));
            thread.write_event(twin, origin_ns, times, event, request);
            // Source and tag of the message are where the record has them: what it received is known.
            self.begun.push(Completed { request, ..Completed::default() });
        } else if let Becomes::Carrying(carries) = how.becomes {
            self.requests.carries(event.request, row);
            let shape = thread.shapes.carrying((event.shape, &event.inline), carries, self.byte);
            let shape = shape.ok_or_else(|| damaged("too many calls would have sizes of their own"))?;
            thread.write_event(shape, origin_ns, times, event, 0);
        } else if *all == event.requests[..] {
            thread.write_event(event.shape, origin_ns, times, event, 0);
        } else {
            let shape = thread.shapes.completing(event.shape, event.requests.len() as u64, all.len() as u64);
            let shape = shape.ok_or_else(|| damaged("too many calls would wait for other requests"))?;
            let event = Event { requests: all.into_owned(), ..event.clone() };
            thread.write_event(shape, origin_ns, times, &event, 0);
        }
        Ok(())
    }

    /// Writes what is left. The recorded moment is the last one that is known, and where it is in the copy.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written.
    pub fn finish(mut self, (recorded_ns, copy_ns): (u64, u64)) -> Result<(), ReadError> {
        self.map.add(recorded_ns, copy_ns);
        for pending in std::mem::take(&mut self.pending).into_iter().filter(|pending| !pending.is_written) {
            self.write_mapped(0, &pending.event, pending.recorded);
        }
        loop {
            self.fill(0)?;
            let Some(event) = self.threads.first_mut().and_then(|thread| thread.events.pop_front()) else { break };
            let recorded = self.recorded(&event);
            self.write_mapped(0, &event, recorded);
        }
        self.write_others(u64::MAX)?;
        let RankCopy { file, target, plan, map, threads, source, .. } = self;
        let moment = |ticks: u64| plan.origin_ns.saturating_add(map.at((plan.since_origin)(ticks)));
        let clock = file.clock();
        let mut regions = Vec::new();
        for (thread, &offset) in threads.into_iter().zip(&file.header.thread_offsets) {
            let mut page = vec![0; PAGE];
            source.read_at(offset, &mut page)?;
            regions.push(thread.out.region);
            thread.out.finish(page, &thread.shapes.finish(|ticks| clock.duration_ns(ticks)), moment)?;
        }
        // Sums at moments that the program chose: nothing is known of them in the copy.
        let kept = file.definitions.iter().filter(|of| !matches!(of, Definition::Section { .. }));
        let placed = |of: &Definition| match (of, &plan.host) {
            (Definition::Info { key, .. }, Some(_)) if key == "cpus" => None,
            (Definition::Info { key, .. }, Some(host)) if key == "host" => {
                Some(Definition::Info { key: key.clone(), value: host.clone() })
            }
            _ => Some(of.clone()),
        };
        let log: Vec<u8> = kept.filter_map(placed).flat_map(|of| defs::encode(&of)).collect();
        let mut page = vec![0; PAGE];
        source.read_at(0, &mut page)?;
        Ok(write_head(&target, page, &log, plan.run_id, &regions, moment)?)
    }
}

impl Thread {
    fn write_event(&mut self, shape: u32, origin_ns: u64, times: Times, event: &Event, request: u32) {
        let flags = self.shapes.flags(shape);
        let was_ns = event.duration.max(1);
        let is_ns = times.end_ns.saturating_sub(times.start_ns);
        // The calls of a run of polls take their share of it.
        let busy_ns = (u128::from(event.busy) * u128::from(is_ns) / u128::from(was_ns)) as u64;
        let polls = [event.calls, busy_ns];
        let inline = if flags & flag::POLL != 0 { &polls[..] } else { &event.inline };
        let request = event.request.unwrap_or(request);
        let listed = if flags & flag::REQUESTS != 0 { &event.requests[..] } else { &[] };
        let (parts, requests) = divided(listed);
        for requests in parts {
            if let Some(ahead) = self.shapes.ahead() {
                let at = Times { end_ns: times.start_ns, ..times };
                self.write(ahead, origin_ns, at, &Extra { requests, ..Extra::NONE }, 0, None);
            }
        }
        let extra = Extra {
            inline,
            request,
            requests,
            offset: event.offset.unwrap_or(0),
            new_object: event.new_object.unwrap_or(0),
        };
        let busy_ns = (flags & flag::POLL != 0).then_some(busy_ns);
        self.write(shape, origin_ns, times, &extra, event.calls, busy_ns);
    }

    fn write(&mut self, shape: u32, origin_ns: u64, times: Times, extra: &Extra<'_>, calls: u64, busy_ns: Option<u64>) {
        let (start_ns, end_ns) = (origin_ns.saturating_add(times.start_ns), origin_ns.saturating_add(times.end_ns));
        self.shapes.was_written(shape, calls, busy_ns.unwrap_or(end_ns - start_ns));
        self.out.push((shape, self.shapes.flags(shape)), start_ns, end_ns, extra);
    }
}
