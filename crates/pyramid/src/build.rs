//! Making the preview while batches come.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use mpiscope_store::{Batch, Dimensions, Facts, WaitRow, flags};

use crate::block::{Item, OfRank, block};
use crate::format::{About, END, FORMAT, HEAD, HEAD_BYTES, Tail};
use crate::read::Pyramid;
use crate::{PyramidError, WAITING};

/// Calls of a block: at least so many, so that there are few blocks; more with many ranks, so that a rank has several
/// cells in each; at most so many, as they are in memory (32 bytes a call) until the block is made.
const BLOCK_CALLS: std::ops::Range<u64> = 1 << 20..1 << 22;
/// Calls of a block by rank.
const BLOCK_CALLS_BY_RANK: u64 = 400;
/// The first blocks are smaller, so that there is something to show soon; each may be twice the one before.
const FIRST_BLOCK: u64 = 1 << 18;

/// Makes the preview of a run, batch by batch.
pub struct Builder {
    file: File,
    path: PathBuf,
    live: Live,
    /// By rank and facts: place among the functions, [`Builder::NONE`] for facts that name none.
    places: Vec<Vec<u16>>,
    functions: usize,
    ranks: Vec<OfRank>,
    /// Calls that wait, at how many a block ends, and at most will.
    calls: u64,
    enough: u64,
    most: u64,
    /// Where the block that waits begins, and where its bytes will stand.
    begin_ns: u64,
    at: u64,
    /// The last return of all.
    last_ns: u64,
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
    pub fn view(&self) -> Result<Arc<Pyramid>, PyramidError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(view) = &state.view {
            return Ok(view.clone());
        }
        let view = Arc::new(Pyramid::of(&state.path, &state.file, state.tail.clone())?);
        state.view = Some(view.clone());
        Ok(view)
    }
}

impl Builder {
    const NONE: u16 = u16::MAX;

    /// Begins the preview of a run in a file at `path`, an existing one is replaced. `source` is that of the store.
    pub fn create(
        path: &Path,
        source: &str,
        dimensions: &Dimensions,
        facts: &[Vec<Facts>],
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
        let tail = Tail { about, blocks: Vec::new() };
        let state = State { path: path.to_owned(), file: file.try_clone().map_err(failed)?, tail, view: None };
        let mut of_ranks = Vec::new();
        of_ranks.resize_with(ranks, OfRank::default);
        Ok(Builder {
            file,
            path: path.to_owned(),
            live: Live(Arc::new(Mutex::new(state))),
            places,
            functions: functions.len(),
            ranks: of_ranks,
            calls: 0,
            enough: FIRST_BLOCK,
            most: (ranks as u64 * BLOCK_CALLS_BY_RANK).clamp(BLOCK_CALLS.start, BLOCK_CALLS.end),
            begin_ns: 0,
            at: HEAD_BYTES,
            last_ns: 0,
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
    pub fn take(&mut self, batch: &Batch, waits: &[WaitRow]) -> Result<(), PyramidError> {
        for ((to, places), rows) in self.ranks.iter_mut().zip(&self.places).zip(&batch.ranks) {
            to.calls.reserve(rows.calls.len());
            for (at, call) in rows.calls.iter().enumerate() {
                let function = places.get(call.facts as usize).copied().unwrap_or(Builder::NONE);
                if function == Builder::NONE {
                    continue; // the store has no such row either
                }
                let end_ns = call.end_ns.max(call.start_ns);
                self.last_ns = self.last_ns.max(end_ns);
                to.calls.push(Item {
                    start_ns: call.start_ns,
                    end_ns,
                    row: rows.first_row + at as u64,
                    calls: call.calls,
                    function,
                    is_nested: call.flags & flags::NESTED != 0,
                });
            }
            self.calls += rows.calls.len() as u64;
        }
        for wait in waits {
            if let Some(to) = self.ranks.get_mut(wait.rank.0 as usize) {
                to.waits.push((wait.start_ns, wait.end_ns.max(wait.start_ns)));
            }
        }
        // A block needs some length.
        if self.calls >= self.enough && batch.until_ns > self.begin_ns && batch.until_ns < u64::MAX {
            self.end_block(batch.until_ns)?;
            self.enough = (self.enough * 2).min(self.most);
        }
        Ok(())
    }

    /// All that ended before `end_ns` becomes a block.
    fn end_block(&mut self, end_ns: u64) -> Result<(), PyramidError> {
        let later: Vec<OfRank> = self.ranks.iter_mut().map(|rank| rank.split(end_ns)).collect();
        if self.at == HEAD_BYTES {
            let starts =
                self.ranks.iter().flat_map(|r| r.calls.iter().map(|c| c.start_ns).chain(r.waits.iter().map(|w| w.0)));
            self.begin_ns = starts.min().unwrap_or(0).min(end_ns - 1);
        }
        let (made, bytes) = block(&self.ranks, self.begin_ns, end_ns, self.functions, self.at);
        self.file.write_all(&bytes).map_err(|e| PyramidError::Write(self.path.clone(), e))?;
        self.at += bytes.len() as u64;
        self.begin_ns = end_ns;
        self.calls = 0;
        for (rank, later) in self.ranks.iter_mut().zip(later) {
            rank.calls.clear();
            rank.waits.clear();
            rank.calls.extend(later.calls);
            rank.waits.extend(later.waits);
            self.calls += rank.calls.len() as u64;
        }
        let mut state = self.live.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.tail.blocks.push(made);
        state.view = None;
        Ok(())
    }

    /// After the last batch: the file is complete. Says how many bytes it has.
    pub fn finish(mut self) -> Result<u64, PyramidError> {
        if self.ranks.iter().any(|r| !r.calls.is_empty() || !r.waits.is_empty()) {
            let waits = self.ranks.iter().flat_map(|r| &r.waits).map(|w| w.1).max().unwrap_or(0);
            let end_ns = self.last_ns.max(waits).saturating_add(1).max(self.begin_ns + 1);
            self.end_block(end_ns)?;
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
        if self.calls.last().is_some_and(|last| last.end_ns >= end_ns) || self.calls.iter().any(|c| c.end_ns >= end_ns)
        {
            later.calls = self.calls.iter().filter(|c| c.end_ns >= end_ns).copied().collect();
            self.calls.retain(|c| c.end_ns < end_ns);
        }
        if self.waits.iter().any(|w| w.1 > end_ns) {
            later.waits = self.waits.iter().filter(|w| w.1 > end_ns).map(|w| (w.0.max(end_ns), w.1)).collect();
            self.waits.retain(|w| w.0 < end_ns);
            self.waits.iter_mut().for_each(|w| w.1 = w.1.min(end_ns));
        }
        later
    }
}

/// Functions of a run, the commonest first, after waiting; and by rank and facts the place among them.
fn functions(facts: &[Vec<Facts>]) -> (Vec<u16>, Vec<Vec<u16>>) {
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
    let place = |f: &Facts| places.get(f.function as usize).copied().unwrap_or(Builder::NONE);
    (functions, facts.iter().map(|of_rank| of_rank.iter().map(place).collect()).collect())
}
