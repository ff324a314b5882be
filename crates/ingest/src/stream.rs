//! The stream of batches.

use std::path::PathBuf;
use std::sync::Arc;

use mpiscope_run::{Clocks, Diagnostic, Resolver, Run, SiteTable};
use mpiscope_store::{Batch, CallInfo, Dimensions, Lone, LoneReason, RankId};
use mpiscope_trace::RankFile;
use mpiscope_trace::reader::ReadError;
use rayon::prelude::*;

use crate::call_info::Meaning;
use crate::clocks::clocks;
use crate::collectives::Collectives;
use crate::comms::Comms;
use crate::cuts::cuts;
use crate::damage::Damages;
use crate::dimensions::{Local, dimensions};
use crate::envelopes::Envelopes;
use crate::input::{Closed, RankInput, Times, Until};
use crate::messages::{Key, Matcher};
use crate::rank::{Context, RankOutput};
use crate::routes::Routes;
use crate::streams::{NO_NUMBER, Stream};
use crate::totals::{self, Census};
use crate::unfinished_calls;

/// Bytes of rings decoded for one batch, some 13,000 calls: rows and messages of a batch should still be in the core's cache
/// when they are matched and analysed. Twice as much takes a tenth longer.
const BATCH_BYTES: u64 = 64 << 10;
/// More for each rank, since a batch costs something for each of them and some of what a rank does must be seen
/// together, and most of it in all: rows, messages and waits of two batches, and what is made of those behind them, take a
/// hundred times as much memory as the rings that they come from.
const BATCH_BYTES_BY_RANK: u64 = 1 << 10;
const BATCH_BYTES_MOST: u64 = 1 << 20;
/// Lower bound of the average record size, bytes.
const RECORD_BYTES: u64 = 4;
/// A thread may use this many times its share of a batch, if its calls are close together.
const MOST_SHARES: u64 = 4;
/// Fewer calls of a thread are not worth looking at its ring.
const LEAST_RECORDS: u64 = 256;
/// Records that are counted together where nothing is made of them.
const CENSUS_RECORDS: usize = 1 << 13;

/// Why a run cannot be ingested.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A rank file that was readable before.
    #[error("{0}: {1}; the run may have changed while it was read: try again")]
    Read(PathBuf, ReadError),
}

/// The data that rows refer to, complete before the first batch.
#[derive(Debug, Default)]
pub struct Tables {
    /// What ids stand for.
    pub dimensions: Dimensions,
    /// Facts of each rank.
    pub facts: Arc<Vec<Vec<CallInfo>>>,
}

/// Converts the rank files of a run to rows.
pub struct Ingest<'a> {
    run: &'a Run,
    tables: Arc<Tables>,
    comms: Comms,
    locals: Vec<Local>,
    inputs: Vec<RankInput>,
    /// Moments at which batches end.
    cuts: Vec<u64>,
    next_cut: usize,
    /// Records of a thread in one batch.
    most_records: usize,
    matcher: Matcher,
    /// By rank.
    routes: Vec<Routes>,
    collectives: Collectives,
    problems: Vec<Diagnostic>,
    damages: Damages,
    spare: Spare,
    is_done: bool,
}

/// Memory of what is done with, to be used again: fresh pages cost more than filling them.
#[derive(Default)]
struct Spare {
    yields: Vec<RankOutput>,
    batch: Batch,
}

impl<'a> Ingest<'a> {
    /// Prepares to read `run`. Rank files are read once more if a ring was overwritten.
    ///
    /// # Errors
    ///
    /// If a rank file can no longer be read.
    pub fn new(run: &'a Run, resolver: &Resolver) -> Result<Ingest<'a>, IngestError> {
        Ingest::sharing(run, resolver, None)
    }

    /// The same, with the facts that somebody has already, of a store for instance: if they are those of the run, they
    /// are not kept twice. Of ten thousand ranks they take a hundred megabytes.
    ///
    /// # Errors
    ///
    /// If a rank file can no longer be read.
    pub fn sharing(
        run: &'a Run,
        resolver: &Resolver,
        known: Option<&Arc<Vec<Vec<CallInfo>>>>,
    ) -> Result<Ingest<'a>, IngestError> {
        let all: Vec<_> = run.ranks.iter().collect();
        let comms = Comms::new(run);
        let (sites, problems) = SiteTable::new(&all, resolver);
        // Problems of clocks are in the run's summary.
        let (hosts, _) = Clocks::read(run);
        let (clocks, origin_ns) = clocks(run, &hosts);
        let (mut dimensions, locals) = dimensions(run, &comms, &sites, &hosts, (&clocks, origin_ns));
        let files: Result<Vec<_>, IngestError> = run.ranks.par_iter().map(Damages::survey).collect();
        let (files, damages): (Vec<_>, Vec<_>) = files?.into_iter().unzip();
        let damages = Damages::new(run, damages, &mut dimensions, &clocks);
        let mut problems = problems;
        problems.extend(damages.problems(run, &dimensions));
        let opened: Result<Vec<_>, IngestError> = files
            .into_par_iter()
            .enumerate()
            .map(|(at, mut file)| {
                let rank = &run.ranks[at];
                damages.leave_out(at, &mut file);
                // The run has them.
                file.definitions = Vec::new();
                file.header = rank.header.clone();
                let meaning = Meaning { at, rank, comms: &comms, local: &locals[at] };
                let (mut facts, mut envelopes) = Context::tables(&meaning, &file.threads);
                let times = Times { clock: clocks[at].clone(), origin_ns: dimensions.origin_ns };
                let end_ns = times.clock.of_monotonic(rank.end_ns()).saturating_sub(times.origin_ns);
                let tables = (&mut facts, &mut envelopes);
                let open = unfinished_calls::calls(&meaning, &sites, &file.threads, &times, end_ns, tables);
                envelopes.close();
                let mut input = RankInput::new(file, &facts, envelopes, times, run.ranks.len());
                input.open = open;
                let is_known = known.and_then(|known| known.get(at)).is_some_and(|known| *known == facts);
                Ok(((!is_known).then_some(facts), input))
            })
            .collect();
        let (facts, inputs): (Vec<_>, Vec<_>) = opened?.into_iter().unzip();
        let facts = match known {
            Some(known) if known.len() == facts.len() && facts.iter().all(Option::is_none) => known.clone(),
            _ => {
                let known = |at: usize| known.map(|known| known[at].clone()).unwrap_or_default();
                let all = facts.into_iter().enumerate().map(|(at, facts)| facts.unwrap_or_else(|| known(at)));
                Arc::new(all.collect())
            }
        };
        let threads = inputs.iter().map(|i| i.threads() as u64).sum::<u64>().max(1);
        let enough = (BATCH_BYTES + BATCH_BYTES_BY_RANK * inputs.len() as u64).min(BATCH_BYTES_MOST);
        let stretches = inputs.iter().zip(&dimensions.ranks).flat_map(|(i, row)| i.stretches(row.finalize_start_ns));
        let most_records = (MOST_SHARES * enough / RECORD_BYTES / threads).max(LEAST_RECORDS) as usize;
        let mut ingest = Ingest {
            run,
            cuts: cuts(stretches, enough),
            next_cut: 0,
            most_records,
            tables: Arc::new(Tables { dimensions, facts }),
            comms,
            locals,
            routes: inputs.iter().map(|_| Routes::default()).collect(),
            inputs,
            matcher: Matcher::default(),
            collectives: Collectives::default(),
            problems,
            damages,
            spare: Spare::default(),
            is_done: false,
        };
        if ingest.tables.dimensions.is_cut() {
            ingest.align()?;
        }
        Ok(ingest)
    }

    /// What ids stand for.
    pub fn dimensions(&self) -> &Dimensions {
        &self.tables.dimensions
    }

    /// Facts of each rank.
    pub fn call_info(&self) -> &[Vec<CallInfo>] {
        &self.tables.facts
    }

    /// Both, for whoever looks at a batch while the next one is made.
    pub fn tables(&self) -> Arc<Tables> {
        self.tables.clone()
    }

    /// What converts the ticks of each rank.
    pub fn times(&self) -> Vec<Times> {
        self.inputs.iter().map(|input| input.times.clone()).collect()
    }

    /// Problems so far.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }

    /// Bytes of rings that were decoded, and of all rings.
    pub fn progress(&self) -> (u64, u64) {
        let sum = |of: fn(&RankInput) -> u64| self.inputs.iter().map(of).sum();
        (sum(RankInput::played), sum(RankInput::bytes))
    }

    /// The next interval of the run; `None` after the last.
    ///
    /// # Errors
    ///
    /// If a rank file can no longer be read.
    pub fn next_batch(&mut self) -> Result<Option<Batch>, IngestError> {
        if self.is_done {
            return Ok(None);
        }
        // Stretches without any calls are passed over; one with very many takes several batches.
        let next_ns = self.inputs.iter().map(RankInput::next_ns).min().unwrap_or(u64::MAX);
        self.next_cut += self.cuts[self.next_cut..].partition_point(|&cut| cut <= next_ns);
        let mut yields = self.decode(self.cuts.get(self.next_cut).copied())?;
        let until_ns = self.inputs.iter().map(RankInput::next_row_ns).min().unwrap_or(u64::MAX);
        let is_last = self.inputs.iter().all(RankInput::is_over);
        if is_last {
            self.end(&mut yields);
        }
        let mut batch = Batch {
            until_ns: if is_last { u64::MAX } else { until_ns },
            is_last,
            ..std::mem::take(&mut self.spare.batch)
        };
        self.route();
        self.match_messages(&yields, &mut batch);
        for (at, found) in yields.iter_mut().enumerate() {
            let rank = RankId(at as u32);
            for part in found.parts.drain(..) {
                let sequence = self.routes[at].spaces[part.space as usize];
                self.collectives.add(sequence, &part, &mut batch);
            }
            batch.lone.extend(found.strangers.drain(..).map(|(is_send, comm, tag, bytes, end)| Lone {
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
        batch.open.extend(yields.iter_mut().flat_map(|y| y.open.drain(..)));
        batch.ranks.extend(yields.iter_mut().map(|y| std::mem::take(&mut y.rows)));
        self.spare.yields = yields.into_iter().filter(RankOutput::has_room).map(RankOutput::emptied).collect();
        if is_last {
            self.end_run(&mut batch);
        }
        Ok(Some(batch))
    }

    /// Takes back a finished batch: its memory is reused.
    pub fn recycle(&mut self, mut batch: Batch) {
        for rows in &mut batch.ranks {
            rows.clear();
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
        batch.open.clear();
        self.spare.batch = batch;
    }

    fn end_run(&mut self, batch: &mut Batch) {
        self.is_done = true;
        self.collectives.drain_incomplete(batch);
        let lost: Vec<bool> = self.tables.dimensions.ranks.iter().map(|r| r.rows_lost > 0).collect();
        self.matcher.drain_unmatched(&lost, &mut batch.messages, &mut batch.lone);
    }

    /// Decodes what returned before `until_ns`, each rank by itself.
    fn decode(&mut self, until_ns: Option<u64>) -> Result<Vec<RankOutput>, IngestError> {
        let mut spare = std::mem::take(&mut self.spare.yields).into_iter();
        let room = |input: &RankInput| match input.next_ns() <= until_ns.unwrap_or(u64::MAX) {
            true => spare.next().unwrap_or_default(),
            false => RankOutput::default(),
        };
        let yields: Vec<RankOutput> = self.inputs.iter().map(room).collect();
        let until = Until { ns: until_ns, records: self.most_records };
        self.each(yields, |input, context, found| input.decode(context, until, found))
    }

    /// After the last record of all ranks.
    fn end(&mut self, yields: &mut Vec<RankOutput>) {
        let ended = self.each(std::mem::take(yields), |input, context, found| {
            input.end(context, found);
            Ok(())
        });
        *yields = ended.unwrap_or_default();
    }

    /// Does something to each rank and what it yields, each by itself.
    fn each(
        &mut self,
        yields: Vec<RankOutput>,
        work: impl Fn(&mut RankInput, &Context<'_>, &mut RankOutput) -> Result<(), ReadError> + Sync,
    ) -> Result<Vec<RankOutput>, IngestError> {
        let (run, comms, locals, facts) = (self.run, &self.comms, &self.locals, &self.tables.facts);
        let one = |(at, (input, mut found)): (usize, (&mut RankInput, RankOutput))| {
            let rank = &run.ranks[at];
            let meaning = Meaning { at, rank, comms, local: &locals[at] };
            // Out of the input, so that the rest of it can be borrowed.
            let envelopes = std::mem::take(&mut input.envelopes);
            let context = Context { meaning, facts: &facts[at], envelopes: &envelopes };
            let result = work(input, &context, &mut found);
            input.envelopes = envelopes;
            result.map(|()| found).map_err(|e| IngestError::Read(rank.path.clone(), e))
        };
        self.inputs.par_iter_mut().zip(yields).enumerate().map(one).collect()
    }

    /// Where streams lead that were met for the first time.
    fn route(&mut self) {
        let Ingest { inputs, routes, matcher, collectives, tables, .. } = self;
        for (at, (input, routes)) in inputs.iter().zip(routes).enumerate() {
            routes.extend(at as u32, &input.state, matcher);
            routes.spaces(&input.state, |comm, space| collectives.sequence(comm, space, &tables.dimensions.comms));
        }
    }

    fn match_messages(&mut self, yields: &[RankOutput], batch: &mut Batch) {
        let Batch { messages: out, lone, .. } = batch;
        let matcher = &mut self.matcher;
        for (at, (found, routes)) in yields.iter().zip(&self.routes).enumerate() {
            for sent in &found.sent {
                matcher.sent(routes.sends[sent.stream as usize], sent, out, lone);
            }
            for received in &found.received {
                if received.stream == NO_NUMBER {
                    matcher.received_from_somebody(RankId(at as u32), *received);
                } else {
                    matcher.received(routes.receives[received.stream as usize], received, out, lone);
                }
            }
        }
    }

    /// Finds the stretch of the run in which the rows of all ranks are there.
    fn limit(&mut self, spans: &[Span]) {
        let lost = || self.run.ranks.iter().map(|r| &r.losses).zip(spans).filter(|(_, s)| s.from_ns <= s.until_ns);
        let from_ns = lost().filter(|(l, _)| l.events_overwritten > 0).map(|(_, s)| s.from_ns).max();
        let until_ns = lost().filter(|(l, _)| l.events_dropped > 0).map(|(_, s)| s.until_ns).min();
        let (begin_ns, end_ns) = self.damages.limits(&self.tables.dimensions);
        let (from_ns, until_ns) = (from_ns.max(begin_ns), until_ns.into_iter().chain(end_ns).min());
        // Nobody else has them yet.
        let Some(tables) = Arc::get_mut(&mut self.tables) else { return };
        for row in &mut tables.dimensions.ranks {
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
                let mut file = RankFile::parse(Closed(rank.path.clone())).map_err(read)?;
                self.damages.leave_out(at, &mut file);
                let mut envelopes = Envelopes::default();
                let shapes = file.threads.iter().flat_map(|t| &t.shapes);
                shapes.for_each(|shape| envelopes.push(meaning.envelope(shape)));
                let context = Context { meaning, facts: &self.tables.facts[at], envelopes: &envelopes };
                let mut census = Census::count(&context, &file.threads);
                census.ends_early = self.damages.ends_early(at, &rank.losses);
                let times = self.inputs[at].times.clone();
                let mut input = RankInput::new(file, &self.tables.facts[at], Envelopes::default(), times, 1);
                let mut span = Span { from_ns: u64::MAX, until_ns: 0 };
                let until = Until { ns: None, records: CENSUS_RECORDS };
                let mut found = RankOutput::default();
                let mut is_over = false;
                while !is_over {
                    is_over = input.is_over();
                    match is_over {
                        true => input.end(&context, &mut found),
                        false => input.decode(&context, until, &mut found).map_err(read)?,
                    }
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
                    found = found.emptied();
                    found.rows.clear();
                }
                Ok((census, span))
            })
            .collect();
        let (census, spans): (Vec<Census>, Vec<Span>) = census?.into_iter().unzip();
        self.limit(&spans);
        for (at, (sends, receives)) in totals::begins(&census).into_iter().enumerate() {
            let (state, matcher, rank) = (&mut self.inputs[at].state, &mut self.matcher, at as u32);
            for (stream @ Stream { comm, peer, tag }, n) in sends {
                state.sends_begin_at(stream, n);
                matcher.sends_begin_at(Key { comm, sender: rank, receiver: peer, tag }, n);
            }
            for (stream @ Stream { comm, peer, tag }, n) in receives {
                state.receives_begin_at(stream, n);
                if census[at].unknown == 0 {
                    matcher.receives_begin_at(Key { comm, sender: peer, receiver: rank, tag }, n);
                }
            }
            for (comm, space, number) in totals::collectives(&census[at]).filter(|&(.., n)| n > 0) {
                state.collectives_begin_at(comm, space, number);
                let sequence = self.collectives.sequence(comm, space, &self.tables.dimensions.comms);
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
