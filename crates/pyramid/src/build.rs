//! Making the preview while batches come.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mpiscope_store::{Batch, CallInfo, Dimensions, Message, RankBatch, WaitRow, flags};
use rayon::prelude::*;

use crate::block::{Item, OfRank, block};
use crate::flow::{FIRST_SHIFT, Flow, Going};
use crate::format::{About, Block, END, FORMAT, HEAD, HEAD_BYTES, Tail, TallySpan};
use crate::kinds::Kinds;
use crate::read::Pyramid;
use crate::tally::{self, Counted, Tally, Times};
use crate::{PyramidError, WAITING, shape};

/// Calls of a block: at least so many, so that there are few blocks; more with many ranks, so that a rank has several
/// cells in each; at most so many, as they are in memory (32 bytes a call) until the block is made.
const BLOCK_CALLS: std::ops::Range<u64> = 1 << 20..1 << 22;
/// Calls of a block by rank.
const BLOCK_CALLS_BY_RANK: u64 = 400;
/// The first blocks are smaller, so that there is something to show soon; each may be twice the one before.
const FIRST_BLOCK: u64 = 1 << 18;
/// Tallies by time: bins of a block, at most; fewer where there are many kinds.
const MOST_BINS: usize = 128;
/// And at least so many calls for each.
const CALLS_OF_BIN: usize = 1024;
/// Pages (bins times kinds) of tallies by time that are in memory, 2 KB each.
const MOST_PAGES: usize = 1 << 14;
/// Tallies by rank come when a rank has so many calls, on average.
const CALLS_OF_TALLY: u64 = 4096;
/// Regions that are nested deeper, and those with larger ids, are left out.
const DEEPEST: usize = 8;
const MOST_REGIONS: usize = 60_000;

/// Makes the preview of a run, batch by batch.
pub struct Builder {
    file: File,
    path: PathBuf,
    live: Live,
    /// By rank and facts: place among the functions, [`Builder::NONE`] for facts that name none, and kind.
    places: Vec<Vec<(u16, u16)>>,
    functions: usize,
    kinds: Kinds,
    message_kinds: Kinds,
    ranks: Vec<OfRank>,
    /// Regions, as calls of functions. Empty if the run has none.
    regions: Vec<OfRank>,
    /// By region: whether it is kept.
    is_kept: Vec<bool>,
    /// Tallies by rank, encoded, of several blocks; from when on and of how many calls.
    tallies: Vec<Vec<u8>>,
    tallied: (Option<u64>, u64),
    flow: Flow,
    /// By thread: tallies whose memory is used again, all empty.
    scratch: Vec<(Vec<Tally>, Tally)>,
    /// Tallies of the messages of the block that waits.
    messages: Option<OfMessages>,
    message_shift: u8,
    message_scratch: Vec<Tally>,
    /// Calls that wait, at how many a block ends, and at most will.
    calls: u64,
    enough: u64,
    most: u64,
    /// Where the block that waits begins, and where its bytes will stand.
    begin_ns: u64,
    at: u64,
}

struct OfMessages {
    times: Times,
    from_ns: u64,
    until_ns: u64,
    rows: u64,
}

/// What there is of a preview that is being made.
#[derive(Clone)]
pub struct Live(Arc<Mutex<State>>);

struct State {
    path: PathBuf,
    file: File,
    tail: Tail,
    /// The last answer, while nothing was added.
    view: Option<Arc<Pyramid>>,
}

impl Live {
    /// The preview of the run up to now. It stays as it is.
    ///
    /// # Errors
    ///
    /// If the file cannot be mapped into memory.
    pub fn view(&self) -> Result<Arc<Pyramid>, PyramidError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = &state.view {
            return Ok(view.clone());
        }
        let view = Arc::new(Pyramid::from_tail(&state.path, &state.file, state.tail.clone())?);
        state.view = Some(view.clone());
        Ok(view)
    }
}

impl Builder {
    const NONE: u16 = u16::MAX;

    /// Begins the preview of a run in a file at `path`, an existing one is replaced. `source` is that of the store.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn create(
        path: &Path,
        source: &str,
        dimensions: &Dimensions,
        facts: &[Vec<CallInfo>],
    ) -> Result<Builder, PyramidError> {
        let failed = |e| PyramidError::Write(path.to_owned(), e);
        let mut file = File::options().read(true).write(true).create(true).truncate(true).open(path).map_err(failed)?;
        let mut head = HEAD.to_vec();
        head.extend(FORMAT.to_le_bytes());
        head.extend([0; 4]);
        file.write_all(&head).map_err(failed)?;
        let ranks = dimensions.ranks.len().max(facts.len());
        let (functions, places) = functions(facts);
        let about = About {
            format: FORMAT,
            mpiscope: env!("CARGO_PKG_VERSION").into(),
            source: source.to_owned(),
            ranks: ranks as u32,
            functions: functions.clone(),
        };
        let kinds = Kinds::of_facts(facts);
        let tail = Tail { about, kept: kinds.kept, ..Tail::default() };
        let state = State { path: path.to_owned(), file: file.try_clone().map_err(failed)?, tail, view: None };
        let mut of_ranks = Vec::new();
        of_ranks.resize_with(ranks, OfRank::default);
        let is_kept = kept_regions(dimensions);
        let mut regions = Vec::new();
        regions.resize_with(if is_kept.is_empty() { 0 } else { ranks }, OfRank::default);
        Ok(Builder {
            file,
            path: path.to_owned(),
            live: Live(Arc::new(Mutex::new(state))),
            places: with_kinds(&places, &kinds),
            functions: functions.len(),
            kinds,
            message_kinds: Kinds::of_messages(),
            ranks: of_ranks,
            regions,
            is_kept,
            tallies: vec![Vec::new(); ranks],
            tallied: (None, 0),
            flow: Flow::new(ranks as u32),
            scratch: Vec::new(),
            messages: None,
            message_shift: FIRST_SHIFT + 2,
            message_scratch: Vec::new(),
            calls: 0,
            enough: FIRST_BLOCK,
            most: (ranks as u64 * BLOCK_CALLS_BY_RANK).clamp(BLOCK_CALLS.start, BLOCK_CALLS.end),
            begin_ns: 0,
            at: HEAD_BYTES,
        })
    }

    /// Blocks of so many calls.
    #[cfg(test)]
    pub(crate) fn with_blocks_of(mut self, calls: u64) -> Builder {
        (self.enough, self.most) = (calls, calls);
        self
    }

    /// A handle to ask what there is, also from other threads.
    pub fn live(&self) -> Live {
        self.live.clone()
    }

    /// Takes the next batch, and the waits that it made known.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn add_batch(&mut self, batch: &Batch, waits: &[WaitRow]) -> Result<(), PyramidError> {
        for (rank, rows) in batch.ranks.iter().enumerate().take(self.ranks.len()) {
            self.take_calls(rank, rows);
            self.calls += rows.calls.len() as u64;
        }
        for wait in waits {
            if let Some(to) = self.ranks.get_mut(wait.rank.0 as usize) {
                to.waits.push((wait.start_ns, wait.end_ns.max(wait.start_ns)));
            }
        }
        for m in &batch.messages {
            self.take_message(m);
        }
        // A block needs some length.
        if self.calls >= self.enough && batch.until_ns > self.begin_ns && batch.until_ns < u64::MAX {
            self.end_block(batch.until_ns, false)?;
            self.enough = (self.enough * 2).min(self.most);
        }
        Ok(())
    }

    fn take_calls(&mut self, rank: usize, rows: &RankBatch) {
        let (to, places) = (&mut self.ranks[rank], self.places.get(rank).map_or(&[][..], |p| p));
        for (at, call) in rows.calls.iter().enumerate() {
            let (function, kind) = places.get(call.facts as usize).copied().unwrap_or((Builder::NONE, 0));
            if function == Builder::NONE {
                continue; // the store has no such row either
            }
            let end_ns = call.end_ns.max(call.start_ns);
            let kind = match (call.detail as usize).checked_sub(1).and_then(|detail| rows.details.get(detail)) {
                None => kind,
                Some(spelled) => self.kinds.of_spelled(kind, spelled.bytes_sent.saturating_add(spelled.bytes_received)),
            };
            let (row, is_nested) = (rows.first_row + at as u64, call.flags & flags::NESTED != 0);
            to.push(Item::new((call.start_ns, end_ns), row, call.calls, function, kind, is_nested));
        }
        let Some(to) = self.regions.get_mut(rank) else { return };
        for span in rows.regions.iter().filter(|s| self.is_kept.get(s.region.0 as usize) == Some(&true)) {
            let end_ns = span.end_ns.max(span.start_ns);
            to.push(Item::new((span.start_ns, end_ns), span.start_ns, 1, span.region.0 as u16 + 1, 0, false));
        }
    }

    fn take_message(&mut self, m: &Message) {
        let (end, sent_ns) = (&m.receive, m.send.start_ns);
        let latency_ns = end.is_done().then(|| end.done_end_ns.saturating_sub(sent_ns));
        let (sender, receiver, comm) = (m.sender.0, m.receiver.0, m.comm.0);
        self.flow.push(&Going { sent_ns, sender, receiver, comm, bytes: m.bytes, row: m.send.row, latency_ns });
        let Some(latency_ns) = latency_ns else { return };
        let kind = self.message_kinds.of_message(comm, m.bytes);
        let tallies = self.messages.get_or_insert_with(|| {
            let shift = self.message_shift.saturating_sub(2);
            let bins = std::mem::take(&mut self.message_scratch);
            OfMessages {
                times: Times::growing(shift, sent_ns, MOST_BINS, bins),
                from_ns: u64::MAX,
                until_ns: 0,
                rows: 0,
            }
        });
        tallies.times.at(sent_ns).add(kind, &Counted::new(latency_ns, 1, false, m.bytes));
        (tallies.from_ns, tallies.until_ns) = (tallies.from_ns.min(sent_ns), tallies.until_ns.max(sent_ns + 1));
        tallies.rows += 1;
    }

    /// All that ended before `end_ns` becomes a block.
    fn end_block(&mut self, end_ns: u64, is_last: bool) -> Result<(), PyramidError> {
        let split = |ranks: &mut Vec<OfRank>| ranks.iter_mut().map(|rank| rank.split(end_ns)).collect::<Vec<_>>();
        let (later, later_regions) = (split(&mut self.ranks), split(&mut self.regions));
        if self.at == HEAD_BYTES {
            let of_rank = |r: &OfRank| r.waits.iter().map(|w| w.0).fold(r.first_ns, u64::min);
            let first = self.ranks.iter().chain(&self.regions).map(of_rank).min();
            self.begin_ns = first.filter(|&ns| ns < u64::MAX).unwrap_or(0).min(end_ns - 1);
        }
        let (made, mut bytes) = block(&self.ranks, self.begin_ns, end_ns, self.functions, self.at);
        let regions = self.end_regions(end_ns, &mut bytes);
        let (times, ranks) = self.tally(end_ns, is_last, &mut bytes);
        let messages = self.end_messages(&mut bytes);
        let sent = self.flow.waiting();
        let flows = self.flow.end_block(self.begin_ns..end_ns, is_last, self.at, &mut bytes);
        self.file.write_all(&bytes).map_err(|e| PyramidError::Write(self.path.clone(), e))?;
        self.at += bytes.len() as u64;
        self.begin_ns = end_ns;
        self.calls = 0;
        let begin = |ranks: &mut Vec<OfRank>, later: Vec<OfRank>| {
            for (rank, later) in ranks.iter_mut().zip(later) {
                rank.clear();
                later.calls.into_iter().for_each(|call| rank.push(call));
                rank.waits.extend(later.waits);
            }
        };
        begin(&mut self.ranks, later);
        begin(&mut self.regions, later_regions);
        self.calls = self.ranks.iter().map(|rank| rank.calls.len() as u64).sum();
        let mut state = self.live.0.lock().unwrap_or_else(PoisonError::into_inner);
        let tail = &mut state.tail;
        tail.blocks.push(made);
        tail.regions.extend(regions);
        tail.times.push(times);
        tail.ranks.extend(ranks);
        tail.messages.extend(messages);
        tail.flows.extend(flows);
        tail.sent += sent;
        let grown = |to: &mut Vec<_>, from: &Vec<_>| to.extend_from_slice(&from[to.len()..]);
        grown(&mut tail.kinds, &self.kinds.all);
        grown(&mut tail.message_kinds, &self.message_kinds.all);
        state.view = None;
        Ok(())
    }

    fn end_regions(&self, end_ns: u64, bytes: &mut Vec<u8>) -> Option<Block> {
        if self.regions.iter().all(|rank| rank.calls.is_empty()) {
            return None;
        }
        let at = self.at + bytes.len() as u64;
        let (made, more) = block(&self.regions, self.begin_ns, end_ns, self.is_kept.len() + 1, at);
        bytes.extend(more);
        Some(made)
    }

    /// Bins of tallies by time, as a power of two.
    fn shift(&self, end_ns: u64, rows: usize, kinds: usize) -> u8 {
        let most = (MOST_PAGES / kinds.max(1)).clamp(4, MOST_BINS).min(rows / CALLS_OF_BIN).max(1);
        let least_ns = (end_ns - self.begin_ns).div_ceil(most as u64).max(1);
        (least_ns.checked_next_power_of_two().map_or(shape::WIDEST, |ns| ns.ilog2() as u8)).min(shape::WIDEST)
    }

    /// Tallies of the calls: by time, and by rank if it is time for those.
    fn tally(&mut self, end_ns: u64, is_last: bool, bytes: &mut Vec<u8>) -> (TallySpan, Option<TallySpan>) {
        let rows: usize = self.ranks.iter().map(|r| r.calls.len()).sum();
        let shift = self.shift(end_ns, rows, self.kinds.all.len());
        let kinds = &self.kinds.all;
        // Where sizes are bins, the middle of the bin counts.
        let sizes: Vec<u64> =
            kinds.iter().map(|k| k.bytes.0 / 2 + k.bytes.1 / 2 + (k.bytes.0 & k.bytes.1 & 1)).collect();
        let of_rank = |rank: &OfRank, tallied: &mut Vec<u8>, times: &mut Times, scratch: &mut Tally| {
            if rank.calls.is_empty() {
                return;
            }
            let _ = tally::decode_all(tallied, scratch);
            for call in &rank.calls {
                let kind = call.kind();
                let bytes = sizes.get(usize::from(kind)).copied().unwrap_or(0);
                let counted = Counted::new(call.end_ns - call.start_ns, call.calls, call.is_nested(), bytes);
                times.at(call.start_ns).add(kind, &counted);
                scratch.add(kind, &counted);
            }
            tallied.clear();
            scratch.encode(tallied);
        };
        // A part of the ranks for each thread, which fills tallies of its own.
        let part = self.ranks.len().div_ceil(rayon::current_num_threads()).max(1);
        self.scratch.resize_with(self.ranks.len().div_ceil(part).max(1), Default::default);
        let parts = self.ranks.par_chunks(part).zip(self.tallies.par_chunks_mut(part)).zip(&mut self.scratch);
        let (begin_ns, mut filled) = (self.begin_ns, Vec::new());
        parts
            .map(|((ranks, tallies), (bins, scratch))| {
                let mut times = Times::new(shift, begin_ns, end_ns, std::mem::take(bins));
                ranks.iter().zip(tallies).for_each(|(rank, tallied)| of_rank(rank, tallied, &mut times, scratch));
                times
            })
            .collect_into_vec(&mut filled);
        let mut filled = filled.into_iter();
        let mut times = filled.next().unwrap_or_else(|| Times::new(shift, begin_ns, end_ns, Vec::new()));
        for (mut other, (bins, _)) in filled.zip(self.scratch.iter_mut().skip(1)) {
            times.merge(&mut other);
            *bins = other.into_bins();
        }
        let from_ns = self.ranks.iter().map(|r| r.first_ns).min().unwrap_or(u64::MAX).min(self.begin_ns);
        let at = bytes.len();
        let first = times.encode(bytes);
        if let Some((bins, _)) = self.scratch.first_mut() {
            *bins = times.into_bins();
        }
        let stretch = |at: usize, end: usize| TallySpan {
            from_ns,
            until_ns: end_ns,
            shift,
            first,
            at: self.at + at as u64,
            bytes: (end - at) as u64,
            rows: rows as u64,
        };
        let by_time = stretch(at, bytes.len());
        let (from_ns, before) = self.tallied;
        let (from_ns, rows) = (from_ns.unwrap_or(self.begin_ns), before + rows as u64);
        self.tallied = (Some(from_ns), rows);
        if rows == 0 || (!is_last && rows < CALLS_OF_TALLY * self.ranks.len() as u64) {
            return (by_time, None);
        }
        let at = self.at + bytes.len() as u64;
        let mut offset = 0u32;
        for tallied in &self.tallies {
            bytes.extend(offset.to_le_bytes());
            offset += tallied.len() as u32;
        }
        bytes.extend(offset.to_le_bytes());
        self.tallies.iter_mut().for_each(|tallied| bytes.append(tallied));
        self.tallied = (None, 0);
        let by_rank = TallySpan { from_ns, until_ns: end_ns, shift: 0, first: 0, at, bytes: offset.into(), rows };
        (by_time, Some(by_rank))
    }

    /// Tallies of the messages, by time.
    fn end_messages(&mut self, bytes: &mut Vec<u8>) -> Option<TallySpan> {
        let OfMessages { mut times, from_ns, until_ns, rows } = self.messages.take()?;
        let begin = bytes.len();
        let (shift, first) = (times.shift, times.encode(bytes));
        self.message_shift = shift;
        self.message_scratch = times.into_bins();
        let (at, bytes) = (self.at + begin as u64, (bytes.len() - begin) as u64);
        Some(TallySpan { from_ns, until_ns, shift, first, at, bytes, rows })
    }

    /// After the last batch: the file is complete. Says how many bytes it has.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<u64, PyramidError> {
        let is_any = self.ranks.iter().chain(&self.regions).any(|r| !r.calls.is_empty() || !r.waits.is_empty());
        if is_any || !self.flow.is_empty() || self.tallied.1 > 0 {
            let waits = self.ranks.iter().flat_map(|r| &r.waits).map(|w| w.1).max().unwrap_or(0);
            let calls = self.ranks.iter().chain(&self.regions).map(|r| r.last_ns).max().unwrap_or(0);
            let end_ns = calls.max(waits).saturating_add(1).max(self.begin_ns + 1);
            self.end_block(end_ns, true)?;
        }
        let state = self.live.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = |e: std::io::Error| PyramidError::Write(self.path.clone(), e);
        let mut tail = serde_json::to_vec(&state.tail).map_err(|e| failed(e.into()))?;
        let length = tail.len() as u64;
        tail.extend(length.to_le_bytes());
        tail.extend(END);
        self.file.write_all(&tail).map_err(failed)?;
        Ok(self.at + tail.len() as u64)
    }
}

impl OfRank {
    /// Takes out what ends at `end_ns` or later. Of a wait, only the later part.
    fn split(&mut self, end_ns: u64) -> OfRank {
        let mut later = OfRank::default();
        // Almost always none, or the last few.
        if self.last_ns >= end_ns {
            later.calls = self.calls.iter().filter(|c| c.end_ns >= end_ns).copied().collect();
            self.calls.retain(|c| c.end_ns < end_ns);
            self.last_ns = end_ns.saturating_sub(1);
        }
        if self.waits.iter().any(|w| w.1 > end_ns) {
            later.waits = self.waits.iter().filter(|w| w.1 > end_ns).map(|w| (w.0.max(end_ns), w.1)).collect();
            self.waits.retain(|w| w.0 < end_ns);
            self.waits.iter_mut().for_each(|w| w.1 = w.1.min(end_ns));
        }
        later
    }
}

fn with_kinds(places: &[Vec<u16>], kinds: &Kinds) -> Vec<Vec<(u16, u16)>> {
    let of_rank = |(rank, places): (usize, &Vec<u16>)| {
        places.iter().enumerate().map(|(facts, &place)| (place, kinds.of_call(rank, facts))).collect()
    };
    places.iter().enumerate().map(of_rank).collect()
}

/// By region: whether it is kept; empty if there are none.
fn kept_regions(dimensions: &Dimensions) -> Vec<bool> {
    let parent = |id: &usize| dimensions.regions.get(*id).and_then(|r| r.parent).map(|parent| parent as usize);
    let depth = |id: usize| std::iter::successors(Some(id), parent).take(DEEPEST + 1).count();
    (0..dimensions.regions.len().min(MOST_REGIONS)).map(|id| depth(id) <= DEEPEST).collect()
}

/// Functions of a run, the commonest first, after waiting; and by rank and facts the place among them.
fn functions(facts: &[Vec<CallInfo>]) -> (Vec<u16>, Vec<Vec<u16>>) {
    let mut calls = vec![None; usize::from(WAITING)];
    for f in facts.iter().flatten() {
        if let Some(count) = calls.get_mut(f.function as usize) {
            *count = Some(count.unwrap_or(0u64).saturating_add(f.calls));
        }
    }
    let mut found: Vec<(u64, u16)> = (0..).zip(&calls).filter_map(|(f, calls)| Some(((*calls)?, f))).collect();
    found.sort_unstable_by_key(|&(calls, f)| (std::cmp::Reverse(calls), f));
    let functions: Vec<u16> = std::iter::once(WAITING).chain(found.iter().map(|f| f.1)).collect();
    let mut places = vec![Builder::NONE; usize::from(WAITING)];
    functions.iter().enumerate().skip(1).for_each(|(place, &f)| places[usize::from(f)] = place as u16);
    let place = |f: &CallInfo| places.get(f.function as usize).copied().unwrap_or(Builder::NONE);
    (functions, facts.iter().map(|of_rank| of_rank.iter().map(place).collect()).collect())
}
