//! A preview that is asked.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::{Mmap, MmapOptions};

use crate::block::{Reached, first_rank};
use crate::format::{Block, END, FORMAT, HEAD, HEAD_BYTES, NOTHING, Tail};
use crate::row::Decoder;
use crate::varint::Reader;
use crate::{PyramidError, shape};

/// A preview: a file that is complete, or what there is of one.
pub struct Pyramid {
    path: PathBuf,
    bytes: Mmap,
    pub(crate) tail: Tail,
}

impl Pyramid {
    /// Opens the file at `path`.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is no preview, or has another format.
    pub fn open(path: &Path) -> Result<Pyramid, PyramidError> {
        let failed = |e| PyramidError::Read(path.to_owned(), e);
        let damaged = || PyramidError::Damaged(path.to_owned());
        let file = File::open(path).map_err(failed)?;
        let bytes = map(&file).map_err(failed)?;
        if bytes.get(..8) != Some(HEAD) {
            return Err(damaged());
        }
        let number = |from: usize| Some(u32::from_le_bytes(bytes.get(from..from + 4)?.try_into().ok()?));
        let format = number(8).ok_or_else(damaged)?;
        if format > FORMAT {
            return Err(PyramidError::Newer(path.to_owned(), format));
        }
        if format < FORMAT {
            return Err(PyramidError::Older(path.to_owned(), format));
        }
        let tail = tail(&bytes).ok_or_else(damaged)?;
        Ok(Pyramid { path: path.to_owned(), bytes, tail })
    }

    /// Of a file that may still grow.
    pub(crate) fn from_tail(path: &Path, file: &File, tail: Tail) -> Result<Pyramid, PyramidError> {
        let bytes = map(file).map_err(|e| PyramidError::Read(path.to_owned(), e))?;
        Ok(Pyramid { path: path.to_owned(), bytes, tail })
    }

    /// What the store was made from, of which this is the preview.
    pub fn source(&self) -> &str {
        &self.tail.about.source
    }

    /// How many ranks the run has.
    pub fn ranks(&self) -> u32 {
        self.tail.about.ranks
    }

    /// Ids of all functions of the run.
    pub fn functions(&self) -> &[u16] {
        self.tail.about.functions.get(1..).unwrap_or_default()
    }

    /// From the first moment of the run that it has something of to the end of the last call.
    pub fn time_ns(&self) -> std::ops::Range<u64> {
        let until = self.tail.blocks.last().map_or(0, |b| b.end_ns);
        let from = self.tail.blocks.first().map_or(0, |b| b.begin_ns.min(b.reaching.from_ns));
        from..until
    }

    /// Rows of the store that it stands for.
    pub fn calls(&self) -> u64 {
        self.tail.blocks.iter().map(|b| b.calls).fold(0, u64::saturating_add)
    }

    /// How many blocks it has.
    pub fn blocks(&self) -> usize {
        self.tail.blocks.len()
    }

    pub(crate) fn damaged(&self) -> PyramidError {
        PyramidError::Damaged(self.path.clone())
    }

    pub(crate) fn bytes(&self, at: u64, length: u64) -> Option<&[u8]> {
        let at = usize::try_from(at).ok()?;
        self.bytes.get(at..at.checked_add(usize::try_from(length).ok()?)?)
    }

    /// These bytes will be read soon. (Only a hint, where the system takes hints.)
    pub(crate) fn will_need(&self, at: u64, length: u64) {
        #[cfg(unix)]
        if self.bytes(at, length).is_some() {
            let _ = self.bytes.advise_range(memmap2::Advice::WillNeed, at as usize, length as usize);
        }
    }

    /// Pages of the file that are in memory go back to the system, if they are so many bytes or more: what is asked next comes from
    /// its cache again.
    pub fn forget(&self, least: usize) {
        #[cfg(unix)]
        if self.bytes.len() >= least {
            // SAFETY: nothing is written to a mapping that is only read, so nothing is lost.
            let _ = unsafe { self.bytes.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }

    /// The cells of a row, with bins of `shift` or, where they are not so fine, the finest: `None` where bytes make no
    /// sense, a decoder without cells where there is nothing.
    pub(crate) fn decoder<'a>(
        &'a self,
        block: &Block,
        level: usize,
        row: usize,
        shift: u8,
    ) -> Option<(u8, Decoder<'a>)> {
        let of_level = block.levels.get(level)?;
        if row >= shape::rows(self.ranks(), level) {
            return None;
        }
        let functions = block.functions.len();
        let ranks = (first_rank(level, row), level > 0);
        let Some(finest) = self.finest(block, level, row) else {
            return Some((shift, Decoder::new(&[], 0, functions, ranks)));
        };
        let width = shift.min(block.top).max(finest);
        // Rows of a level have widths in steps from their finest on; that asked for may lie between two.
        let section = of_level.sections.iter().rfind(|s| s.shift <= width).filter(|s| s.shift >= finest)?;
        let table = self.bytes(section.table.checked_add(4 * row as u64)?, 8)?;
        let offset = |at: usize| Some(u64::from(u32::from_le_bytes(table.get(at..at + 4)?.try_into().ok()?)));
        let (from, until) = (offset(0)?, offset(4)?);
        if until > section.bytes {
            return None;
        }
        let bytes = self.bytes(section.cells.checked_add(from)?, until.checked_sub(from)?)?;
        Some((section.shift, Decoder::new(bytes, block.begin_ns >> section.shift, functions, ranks)))
    }

    /// The finest bins that a row has in a block; `None` where there is nothing.
    pub(crate) fn finest(&self, block: &Block, level: usize, row: usize) -> Option<u8> {
        let of_level = block.levels.get(level)?;
        let finest = *self.bytes(of_level.finest.checked_add(row as u64)?, 1)?.first()?;
        (finest != NOTHING).then_some(finest)
    }

    /// What began before a block and ended in it: `false` where bytes make no sense.
    pub(crate) fn reaching(&self, block: &Block, mut visit: impl FnMut(Reached)) -> bool {
        let Some(bytes) = self.bytes(block.reaching.at, block.reaching.bytes) else { return false };
        let mut reader = Reader(bytes);
        let mut rank = 0;
        while !reader.0.is_empty() {
            let Some(found) = Reached::get(&mut reader, rank, block.begin_ns) else { return false };
            rank = found.rank;
            visit(found);
        }
        true
    }
}

fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: a preview is written once, at its end, and replaced by renaming, not truncated in place.
    unsafe { MmapOptions::new().map(file) }
}

fn tail(bytes: &[u8]) -> Option<Tail> {
    let length = bytes.len().checked_sub(16)?;
    if length < HEAD_BYTES as usize || bytes.get(length + 8..)? != END {
        return None;
    }
    let tail_bytes = u64::from_le_bytes(bytes.get(length..length + 8)?.try_into().ok()?);
    let begin = length.checked_sub(usize::try_from(tail_bytes).ok()?)?;
    let tail: Tail = serde_json::from_slice(bytes.get(begin..length)?).ok()?;
    let levels = shape::levels(tail.about.ranks);
    let functions = tail.about.functions.len();
    let is_whole = |b: &Block| {
        b.begin_ns < b.end_ns
            && b.top <= shape::WIDEST
            && b.levels.len() == levels
            // So many ranks as bytes: whoever makes room for all of them is not led astray.
            && b.levels.iter().all(|l| l.finest < bytes.len() as u64)
            && u64::from(tail.about.ranks) <= bytes.len() as u64
            && b.levels.iter().all(|l| l.sections.iter().all(|s| s.shift <= shape::WIDEST))
    };
    let is_place = |b: &Block| b.functions.iter().all(|&f| usize::from(f) < functions);
    let is_layer =
        |blocks: &[Block]| blocks.windows(2).all(|w| w[0].end_ns <= w[1].begin_ns) && blocks.iter().all(is_whole);
    let is_width = |shift: u8| shift <= crate::flow::ONE_BIN;
    let are_tables = [&tail.times, &tail.ranks, &tail.messages].into_iter().flatten().all(|s| is_width(s.shift))
        && tail.flows.iter().all(|t| is_width(t.shift) && t.level < 16);
    (tail.about.functions.first() == Some(&crate::WAITING)
        && is_layer(&tail.blocks)
        && is_layer(&tail.regions)
        && tail.blocks.iter().all(is_place)
        && are_tables)
        .then_some(tail)
}
