//! The stream of batches.

use std::fs::File;
use std::io;
use std::path::PathBuf;

use mpiscope_run::{Clocks, Diagnostic, Resolver, Run, SiteTable};
use mpiscope_store::{Batch, Dimensions, Facts, Lone, LoneReason, Message, Open, RankId};
use mpiscope_trace::reader::{ReadError, Source};
use mpiscope_trace::{Event, RankFile};
use rayon::prelude::*;

use crate::clocks::{RankClock, clocks};
use crate::collectives::Collectives;
use crate::comms::Comms;
use crate::dimensions::{Local, dimensions};
use crate::facts::{Envelope, Meaning};
use crate::messages::Matcher;
use crate::rank::{Context, RankState, Record, Yield};
use crate::routes::Routes;
use crate::streams::NO_NUMBER;
use crate::totals::{self, Census};

/// Bytes of rings decoded for one batch, some 200,000 calls: rows of a batch should still be in the cache when they are
/// matched and looked at. Six times as much takes half as long again.
const BATCH_BYTES: u64 = 1 << 20;
/// More for each rank, since a batch costs something for each of them, and most of it in all.
const BATCH_BYTES_BY_RANK: u64 = 1 << 10;
const BATCH_BYTES_MOST: u64 = 4 << 20;

/// Why a run cannot be ingested.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A rank file that could be read before.
    #[error("{0}: {1}; was the run changed meanwhile?")]
    Read(PathBuf, ReadError),
}

/// A rank file that is open only while it is read: a run may have more ranks than a process may have files.
struct Closed(PathBuf);

impl Source for Closed {
    fn len(&self) -> io::Result<u64> {
        Source::len(&File::open(&self.0)?)
    }
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        Source::read_at(&File::open(&self.0)?, offset, buffer)
    }
}

/// A record that waits for those of other threads.
struct Held {
    thread: u16,
    /// Without the requests of its shape's list, which may be many.
    event: Event,
    start_ns: u64,
    end_ns: u64,
}

struct RankInput {
    file: RankFile<Closed>,
    clock: RankClock,
    envelopes: Vec<Envelope>,
    /// Where each thread's shapes begin among the rank's facts.
    first_facts: Vec<u32>,
    state: RankState,
    held: Vec<Held>,
    /// By thread: chunks that were decoded.
    decoded: Vec<usize>,
    damaged: u64,
}

/// One chunk of one thread's ring.
#[derive(Clone, Copy)]
struct Piece {
    start_ns: u64,
    rank: u32,
    thread: u16,
    chunk: u32,
    bytes: u64,
}

/// A run on its way from rank files to rows.
pub struct Ingest<'a> {
    run: &'a Run,
    dimensions: Dimensions,
    comms: Comms,
    locals: Vec<Local>,
    facts: Vec<Vec<Facts>>,
    inputs: Vec<RankInput>,
    pieces: Vec<Piece>,
    next_piece: usize,
    matchers: Vec<Matcher>,
    /// By rank.
    routes: Vec<Routes>,
    collectives: Collectives,
    lone: Vec<Lone>,
    problems: Vec<Diagnostic>,
    spare: Spare,
    is_done: bool,
}

/// Memory of what is done with, to be used again: fresh pages cost more than filling them.
#[derive(Default)]
struct Spare {
    yields: Vec<Yield>,
    batch: Batch,
}

impl<'a> Ingest<'a> {
    /// Prepares to read `run`. Rank files are read once more if a ring was overwritten.
    pub fn new(run: &'a Run, resolver: &Resolver) -> Result<Ingest<'a>, IngestError> {
        let all: Vec<_> = run.ranks.iter().collect();
        let comms = Comms::new(run);
        let (sites, problems) = SiteTable::new(&all, resolver);
        // What is wrong with clocks stands in the run's summary.
        let (hosts, _) = Clocks::read(run);
        let (clocks, origin_ns) = clocks(run, &hosts);
        let (dimensions, locals) = dimensions(run, &comms, &sites, &hosts, (&clocks, origin_ns));
        let opened: Result<Vec<_>, IngestError> = (0..run.ranks.len())
            .into_par_iter()
            .map(|at| {
                let rank = &run.ranks[at];
                let path = &rank.path;
                let file = RankFile::parse(Closed(path.clone())).map_err(|e| IngestError::Read(path.clone(), e))?;
                let meaning = Meaning { at, rank, comms: &comms, local: &locals[at] };
                let (facts, envelopes) = Context::tables(&meaning, &file.threads);
                let input = RankInput::new(file, &facts, envelopes, clocks[at].clone());
                Ok((facts, input))
            })
            .collect();
        let (facts, inputs): (Vec<_>, Vec<_>) = opened?.into_iter().unzip();
        let shards = match rayon::current_num_threads() {
            0 | 1 => 1,
            threads => threads * 2,
        };
        let mut ingest = Ingest {
            run,
            pieces: pieces(&inputs, dimensions.origin_ns),
            dimensions,
            comms,
            locals,
            facts,
            routes: inputs.iter().map(|_| Routes::default()).collect(),
            inputs,
            next_piece: 0,
            matchers: (0..shards).map(|_| Matcher::default()).collect(),
            collectives: Collectives::default(),
            lone: Vec::new(),
            problems,
            spare: Spare::default(),
            is_done: false,
        };
        if ingest.dimensions.is_cut() {
            ingest.align()?;
        }
        Ok(ingest)
    }

    /// What ids stand for.
    pub fn dimensions(&self) -> &Dimensions {
        &self.dimensions
    }

    /// Facts of each rank.
    pub fn facts(&self) -> &[Vec<Facts>] {
        &self.facts
    }

    /// What stood in the way so far.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// Bytes of rings that were decoded, and of all rings.
    pub fn progress(&self) -> (u64, u64) {
        let bytes = |pieces: &[Piece]| pieces.iter().map(|p| p.bytes).sum();
        (bytes(&self.pieces[..self.next_piece]), bytes(&self.pieces))
    }

    /// Calls that had not returned when the recording ended.
    pub fn open_calls(&self) -> Vec<Open> {
        let mut open = Vec::new();
        for (at, rank) in self.run.ranks.iter().enumerate() {
            for (tid, call) in &rank.in_flight {
                let thread = rank.threads.iter().position(|t| t.tid == *tid).unwrap_or(0) as u16;
                let start_ns = self.inputs[at].clock.ns(call.start).saturating_sub(self.dimensions.origin_ns);
                open.push(Open { rank: RankId(at as u32), thread, function: call.function, start_ns });
            }
        }
        open
    }

    /// The next stretch of the run; `None` after the last.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, IngestError> {
        if self.is_done {
            return Ok(None);
        }
        let begin = self.next_piece;
        let mut bytes = 0;
        let enough = (BATCH_BYTES + BATCH_BYTES_BY_RANK * self.inputs.len() as u64).min(BATCH_BYTES_MOST);
        while self.next_piece < self.pieces.len() && bytes < enough {
            bytes += self.pieces[self.next_piece].bytes;
            self.next_piece += 1;
        }
        let is_last = self.next_piece == self.pieces.len();
        let mut yields = self.decode(begin, is_last)?;
        let mut batch = Batch {
            until_ns: self.pieces.get(self.next_piece).map_or(u64::MAX, |p| p.start_ns),
            is_last,
            ..std::mem::take(&mut self.spare.batch)
        };
        self.route();
        self.match_messages(&yields, &mut batch.messages);
        for (at, found) in yields.iter_mut().enumerate() {
            let rank = RankId(at as u32);
            for part in found.parts.drain(..) {
                let sequence = self.routes[at].spaces[part.space as usize];
                self.collectives.add(sequence, &part, &mut batch);
            }
            self.lone.extend(found.strangers.drain(..).map(|(is_send, comm, tag, bytes, end)| Lone {
                rank,
                peer: RankId::NONE,
                comm,
                tag: (tag != mpiscope_trace::shape::NONE).then_some(tag),
                bytes,
                is_send,
                end,
                reason: LoneReason::PeerUnknown,
            }));
        }
        batch.ranks.extend(yields.iter_mut().map(|y| std::mem::take(&mut y.rows)));
        self.spare.yields = yields.into_iter().filter(Yield::has_room).map(Yield::emptied).collect();
        if is_last {
            self.finish(&mut batch);
        }
        Ok(Some(batch))
    }

    /// Takes back a batch that is done with: its memory serves the next one.
    pub fn recycle(&mut self, mut batch: Batch) {
        for rows in &mut batch.ranks {
            rows.first_row = 0;
            rows.calls.clear();
            rows.details.clear();
            rows.regions.clear();
        }
        let mut rows = batch.ranks.drain(..).filter(|r| r.calls.capacity() > 0);
        for found in &mut self.spare.yields {
            found.rows = rows.next().unwrap_or_default();
        }
        drop(rows);
        batch.messages.clear();
        batch.collectives.clear();
        batch.members.clear();
        batch.lone.clear();
        self.spare.batch = batch;
    }

    fn finish(&mut self, batch: &mut Batch) {
        self.is_done = true;
        self.collectives.finish(batch);
        let lost: Vec<bool> = self.dimensions.ranks.iter().map(|r| r.rows_lost > 0).collect();
        let ends = |matcher: &mut Matcher| {
            let (mut messages, mut lone) = (Vec::new(), Vec::new());
            matcher.finish(&lost, &mut messages, &mut lone);
            (messages, lone)
        };
        let found: Vec<_> = self.matchers.par_iter_mut().map(ends).collect();
        batch.lone = std::mem::take(&mut self.lone);
        for (messages, lone) in found {
            batch.messages.extend(messages);
            batch.lone.extend(lone);
        }
        for (rank, input) in self.run.ranks.iter().zip(&self.inputs) {
            if input.damaged > 0 {
                let name = rank.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                self.problems.push(Diagnostic::damaged(&name, input.damaged));
            }
        }
    }

    /// Decodes pieces `begin..next_piece`, each rank by itself.
    fn decode(&mut self, begin: usize, is_last: bool) -> Result<Vec<Yield>, IngestError> {
        let mut by_rank: Vec<Vec<Piece>> = vec![Vec::new(); self.inputs.len()];
        for piece in &self.pieces[begin..self.next_piece] {
            by_rank[piece.rank as usize].push(*piece);
        }
        let (run, comms, locals, facts) = (self.run, &self.comms, &self.locals, &self.facts);
        let origin_ns = self.dimensions.origin_ns;
        let mut spare = std::mem::take(&mut self.spare.yields).into_iter();
        let busy = |pieces: Vec<Piece>| {
            let found = if pieces.is_empty() { None } else { spare.next() };
            (pieces, found.unwrap_or_default())
        };
        let by_rank: Vec<(Vec<Piece>, Yield)> = by_rank.into_iter().map(busy).collect();
        let decode = |(at, (input, (pieces, mut found))): (usize, (&mut RankInput, (Vec<Piece>, Yield)))| {
            let rank = &run.ranks[at];
            let meaning = Meaning { at, rank, comms, local: &locals[at] };
            // Out of the input, so that the rest of it can be borrowed.
            let envelopes = std::mem::take(&mut input.envelopes);
            let context = Context { meaning, facts: &facts[at], envelopes: &envelopes };
            let result = input.decode(&context, &pieces, origin_ns, is_last, &mut found);
            input.envelopes = envelopes;
            result.map(|()| found).map_err(|e| IngestError::Read(rank.path.clone(), e))
        };
        self.inputs.par_iter_mut().zip(by_rank).enumerate().map(decode).collect()
    }

    /// Where streams lead that were met for the first time.
    fn route(&mut self) {
        let Ingest { inputs, routes, matchers, collectives, dimensions, .. } = self;
        for (at, (input, routes)) in inputs.iter().zip(routes).enumerate() {
            routes.extend(at as u32, &input.state, matchers);
            routes.spaces(&input.state, |comm, space| collectives.sequence(comm, space, &dimensions.comms));
        }
    }

    /// Messages to each rank are matched by themselves.
    fn match_messages(&mut self, yields: &[Yield], out: &mut Vec<Message>) {
        let shards = self.matchers.len();
        let routes = &self.routes;
        let work = |shard: usize, matcher: &mut Matcher, out: &mut Vec<Message>| {
            for (at, (found, routes)) in yields.iter().zip(routes).enumerate() {
                for sent in &found.sent {
                    let route = routes.sends[sent.stream as usize];
                    if route.shard as usize == shard {
                        matcher.sent(route.lane, sent, out);
                    }
                }
                if at % shards != shard {
                    continue;
                }
                for received in &found.received {
                    if received.stream == NO_NUMBER {
                        matcher.received_from_somebody(RankId(at as u32), *received);
                    } else {
                        matcher.received(routes.receives[received.stream as usize].lane, received, out);
                    }
                }
            }
        };
        if let [matcher] = &mut self.matchers[..] {
            return work(0, matcher, out);
        }
        let part = |(shard, matcher): (usize, &mut Matcher)| {
            let mut out = Vec::new();
            work(shard, matcher, &mut out);
            out
        };
        let found: Vec<Vec<Message>> = self.matchers.par_iter_mut().enumerate().map(part).collect();
        found.iter().for_each(|messages| out.extend_from_slice(messages));
    }

    /// Finds the stretch of the run in which the rows of all ranks are there.
    fn limit(&mut self, spans: &[Span]) {
        let lost = || self.run.ranks.iter().map(|r| &r.losses).zip(spans).filter(|(_, s)| s.from_ns <= s.until_ns);
        let from_ns = lost().filter(|(l, _)| l.events_overwritten > 0).map(|(_, s)| s.from_ns).max();
        let until_ns = lost().filter(|(l, _)| l.events_dropped > 0).map(|(_, s)| s.until_ns).min();
        for row in &mut self.dimensions.ranks {
            let until_ns = until_ns.unwrap_or(u64::MAX);
            row.rows_from_ns = row.init_end_ns.max(from_ns.unwrap_or(0)).min(row.finalize_start_ns);
            row.rows_until_ns = row.finalize_start_ns.min(until_ns).max(row.rows_from_ns);
        }
    }

    /// Reads everything once to see where counting must begin, because rings were overwritten.
    fn align(&mut self) -> Result<(), IngestError> {
        let census: Result<Vec<(Census, Span)>, IngestError> = (0..self.inputs.len())
            .into_par_iter()
            .map(|at| {
                let rank = &self.run.ranks[at];
                let read = |e| IngestError::Read(rank.path.clone(), e);
                let meaning = Meaning { at, rank, comms: &self.comms, local: &self.locals[at] };
                let file = RankFile::parse(Closed(rank.path.clone())).map_err(read)?;
                let envelopes: Vec<Envelope> =
                    file.threads.iter().flat_map(|t| t.shapes.iter().map(|s| meaning.envelope(s))).collect();
                let context = Context { meaning, facts: &self.facts[at], envelopes: &envelopes };
                let mut census = Census::of(&context, &file.threads);
                let mut input = RankInput::new(file, &self.facts[at], Vec::new(), self.inputs[at].clock.clone());
                let mut span = Span { from_ns: u64::MAX, until_ns: 0 };
                let mine: Vec<Piece> = self.pieces.iter().filter(|p| p.rank as usize == at).copied().collect();
                for (i, piece) in mine.iter().enumerate() {
                    let mut found = Yield::default();
                    let is_last = i + 1 == mine.len();
                    let origin_ns = self.dimensions.origin_ns;
                    input.decode(&context, &[*piece], origin_ns, is_last, &mut found).map_err(read)?;
                    for call in &found.rows.calls {
                        span.from_ns = span.from_ns.min(call.start_ns);
                        span.until_ns = span.until_ns.max(call.end_ns);
                    }
                    let state = &input.state;
                    found.sent.iter().for_each(|sent| census.sent(sent, state.sends()));
                    found.received.iter().for_each(|received| census.received(received, state.receives()));
                    for part in &found.parts {
                        let key = state.spaces()[part.space as usize];
                        census.collectives.entry(key).or_default().in_ring += 1;
                    }
                }
                Ok((census, span))
            })
            .collect();
        let (census, spans): (Vec<Census>, Vec<Span>) = census?.into_iter().unzip();
        self.limit(&spans);
        for (at, (sends, receives)) in totals::begins(&census).into_iter().enumerate() {
            let state = &mut self.inputs[at].state;
            sends.into_iter().for_each(|(stream, n)| state.sends_begin_at(stream, n));
            receives.into_iter().for_each(|(stream, n)| state.receives_begin_at(stream, n));
            for (comm, space, number) in totals::collectives(&census[at]).filter(|&(.., n)| n > 0) {
                state.collectives_begin_at(comm, space, number);
                let sequence = self.collectives.sequence(comm, space, &self.dimensions.comms);
                self.collectives.begins_at(sequence, number);
            }
        }
        Ok(())
    }
}

/// What is left of a rank.
struct Span {
    from_ns: u64,
    until_ns: u64,
}

impl RankInput {
    fn new(file: RankFile<Closed>, facts: &[Facts], envelopes: Vec<Envelope>, clock: RankClock) -> RankInput {
        let mut first_facts = Vec::new();
        let mut next = 0;
        for thread in &file.threads {
            first_facts.push(next);
            next += thread.shapes.len() as u32;
        }
        RankInput {
            clock,
            envelopes,
            first_facts,
            state: RankState::new(facts),
            held: Vec::new(),
            decoded: vec![0; file.threads.len()],
            damaged: 0,
            file,
        }
    }

    fn decode(
        &mut self,
        context: &Context<'_>,
        pieces: &[Piece],
        origin_ns: u64,
        is_last: bool,
        out: &mut Yield,
    ) -> Result<(), ReadError> {
        let clock = self.clock.clone();
        let clock = clock.cursor();
        let since = |ticks: u64| clock.ns(ticks).saturating_sub(origin_ns);
        let several = self.file.threads.len() > 1;
        for piece in pieces {
            let thread = piece.thread;
            let first_facts = self.first_facts[usize::from(thread)];
            let (state, held) = (&mut self.state, &mut self.held);
            let whole = self.file.chunk_events(thread.into(), piece.chunk as usize, |view, event| {
                let (start_ns, end_ns) = (since(event.start), since(event.start.wrapping_add(event.duration)));
                if several {
                    let mut event = event.clone();
                    let listed = self.file.listed(&view.shapes[event.shape as usize]).len();
                    event.requests.truncate(event.requests.len() - listed);
                    held.push(Held { thread, event, start_ns, end_ns });
                } else {
                    let shape = &view.shapes[event.shape as usize];
                    state.take(context, &Record { thread, first_facts, event, shape, start_ns, end_ns }, out);
                }
            })?;
            self.damaged += u64::from(!whole);
            self.decoded[usize::from(thread)] = piece.chunk as usize + 1;
        }
        if is_last {
            for (at, thread) in self.file.threads.iter().enumerate() {
                if let Some(poll) = &thread.pending_poll {
                    let (start_ns, end_ns) = (since(poll.start), since(poll.start.wrapping_add(poll.duration)));
                    self.held.push(Held { thread: at as u16, event: poll.clone(), start_ns, end_ns });
                }
            }
        }
        self.release(context, is_last, since, out);
        if is_last {
            self.state.flush(out);
        }
        Ok(())
    }

    /// Hands on what no other thread can precede any more.
    fn release(&mut self, context: &Context<'_>, is_last: bool, since: impl Fn(u64) -> u64, out: &mut Yield) {
        if self.held.is_empty() {
            return;
        }
        let next =
            |(thread, &chunk): (usize, &usize)| self.file.chunks(thread).get(chunk).map(|c| since(c.start_ticks()));
        let horizon = self.decoded.iter().enumerate().filter_map(next).min().filter(|_| !is_last).unwrap_or(u64::MAX);
        self.held.sort_by_key(|h| h.end_ns);
        let ready = self.held.partition_point(|h| h.end_ns < horizon);
        for mut held in self.held.drain(..ready) {
            let thread = usize::from(held.thread);
            let shape = &self.file.threads[thread].shapes[held.event.shape as usize];
            held.event.requests.extend_from_slice(self.file.listed(shape));
            let Held { event, start_ns, end_ns, .. } = &held;
            let first_facts = self.first_facts[thread];
            let record =
                Record { thread: held.thread, first_facts, event, shape, start_ns: *start_ns, end_ns: *end_ns };
            self.state.take(context, &record, out);
        }
    }
}

/// All chunks of a run in order of time.
fn pieces(inputs: &[RankInput], origin_ns: u64) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (rank, input) in inputs.iter().enumerate() {
        for thread in 0..input.file.threads.len() {
            for (chunk, found) in input.file.chunks(thread).iter().enumerate() {
                let start_ns = input.clock.ns(found.start_ticks()).saturating_sub(origin_ns);
                let (rank, thread, chunk) = (rank as u32, thread as u16, chunk as u32);
                pieces.push(Piece { start_ns, rank, thread, chunk, bytes: found.bytes() });
            }
        }
    }
    // A ring's own order counts, whatever a hostile file says of times.
    pieces.sort_by_key(|p| (p.start_ns, p.rank, p.thread, p.chunk));
    pieces
}
