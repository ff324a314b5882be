//! Who sends how much to whom: sparse tables of messages by blocks of senders and of receivers, and bins of time.
//!
//! Two kinds of tables. *Fine in time*: at most [`COARSE_ROWS`] blocks of ranks, up to [`MOST_BINS`] bins for each block of
//! the preview. *Fine in ranks*: pairs of single ranks, one table for as many blocks as make it small beside the
//! messages in it; where pairs are too many for that, pairs of 8 ranks, of 64… So no table grows with the square of ranks.

use std::ops::Range;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::shape::{self, FACTOR_BITS};
use crate::varint::{Reader, put, put_signed};

/// Blocks of ranks of tables that are fine in time.
const COARSE_ROWS: usize = 160;
/// Their bins in a block of the preview.
const MOST_BINS: u64 = 64;
/// A table is to have at least so many messages for each entry.
const MESSAGES_OF_ENTRY: u64 = 64;
/// And if it cannot wait any longer, so many.
const LEAST_OF_ENTRY: u64 = 16;
/// Entries that are always worth it.
const FEW_ENTRIES: usize = 4096;
/// Entries in memory, at most: some 60 MB.
const MOST_ENTRIES: usize = 1 << 19;
/// Entries of a table that is fine in time, while its block is not complete.
const MOST_WAITING: usize = 1 << 14;
/// Bins of the first block are not narrower: 65 µs.
pub(crate) const FIRST_SHIFT: u8 = 16;
/// Stands for messages of communicators that have no number.
const OTHER: u64 = u16::MAX as u64;

/// Messages between two blocks of ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Messages.
    pub count: u64,
    /// Payload.
    pub bytes: u64,
    /// Those of which it is known when they were received.
    pub received: u64,
    /// From the entry of the sending call to the return of the call that completed the receive: all together.
    pub total_ns: u64,
    /// The longest.
    pub longest_ns: u64,
    /// Who sent that one.
    pub longest_sender: u32,
    /// And with which call.
    pub longest_row: u64,
}

impl Sent {
    /// Puts others in. Of equally long ones the first, by sender and row.
    pub fn join(&mut self, other: &Sent) {
        if other.received > 0 {
            let key = |s: &Sent| (s.longest_ns, std::cmp::Reverse((s.longest_sender, s.longest_row)));
            if self.received == 0 || key(other) > key(self) {
                (self.longest_ns, self.longest_sender, self.longest_row) =
                    (other.longest_ns, other.longest_sender, other.longest_row);
            }
        }
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.received = self.received.saturating_add(other.received);
        self.total_ns = self.total_ns.saturating_add(other.total_ns);
    }
}

/// A message as tables take it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Going {
    pub sent_ns: u64,
    pub sender: u32,
    pub receiver: u32,
    pub comm: u32,
    pub bytes: u64,
    pub row: u64,
    /// Nothing where no call completed the receive.
    pub latency_ns: Option<u64>,
}

impl Going {
    fn sent(&self) -> Sent {
        Sent {
            count: 1,
            bytes: self.bytes,
            received: self.latency_ns.is_some().into(),
            total_ns: self.latency_ns.unwrap_or(0),
            longest_ns: self.latency_ns.unwrap_or(0),
            longest_sender: self.sender,
            longest_row: self.row,
        }
    }
}

/// Where a table is and what it has.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Table {
    /// Rows are 8 to the power of this ranks.
    pub level: usize,
    /// Messages sent from here on and before there.
    pub from_ns: u64,
    pub until_ns: u64,
    /// Bins of time, ns as a power of two; [`ONE_BIN`] if there is but one.
    pub shift: u8,
    /// The first bin.
    pub first: u64,
    pub at: u64,
    pub bytes: u64,
    pub messages: u64,
}

/// One bin for all of a table.
pub(crate) const ONE_BIN: u8 = 63;

/// Bin, sender, receiver and communicator in one number, in the order of the file.
type Key = u64;

/// Where the parts of a key are: that of tables fine in time, and that of pairs, which have but one bin.
#[derive(Clone, Copy)]
struct Parts {
    row_bits: u32,
}

impl Parts {
    const OF_TIMES: Parts = Parts { row_bits: 8 };
    const OF_PAIRS: Parts = Parts { row_bits: 24 };

    #[inline]
    fn key(self, bin: u64, sender: u32, receiver: u32, comm: u32) -> Key {
        let pair = u64::from(sender) << (16 + self.row_bits) | u64::from(receiver) << 16 | u64::from(comm).min(OTHER);
        if self.row_bits == 24 { pair } else { bin << 32 | pair }
    }

    /// Bin, sender, receiver, communicator.
    fn of(self, key: Key) -> (u64, u64, u64, u64) {
        let row = (1 << self.row_bits) - 1;
        let bin = if self.row_bits == 24 { 0 } else { key >> 32 };
        (bin, key >> (16 + self.row_bits) & row, key >> 16 & row, key & OTHER)
    }
}

type Entries = FxHashMap<Key, Sent>;

#[inline]
fn add(to: &mut Entries, key: Key, sent: &Sent) {
    to.entry(key).or_default().join(sent);
}

/// Tables that are being filled.
pub(crate) struct Flow {
    times: InTime,
    /// Pairs over several blocks; nothing where the coarse level is that of single ranks.
    pairs: Option<Pairs>,
}

/// Of the block that waits: fine in time.
struct InTime {
    level: usize,
    shift: u8,
    /// The bin that has the number [`MIDDLE`] in keys.
    middle: u64,
    entries: Entries,
    messages: u64,
    time_ns: Range<u64>,
}

const MIDDLE: u64 = 1 << 31;

struct Pairs {
    level: usize,
    entries: Entries,
    messages: u64,
    time_ns: Range<u64>,
}

const NO_TIME: Range<u64> = Range { start: u64::MAX, end: 0 };

fn further(time_ns: &Range<u64>, ns: u64) -> Range<u64> {
    time_ns.start.min(ns)..time_ns.end.max(ns + 1)
}

impl Flow {
    pub fn new(ranks: u32) -> Flow {
        let level = (0..).find(|&level| shape::rows(ranks, level) <= COARSE_ROWS).unwrap_or(0);
        // Ranks stand in 24 bits.
        let finest = (0..).find(|&level| shape::rows(ranks, level) < 1 << 24).unwrap_or(0);
        let pairs = (finest < level).then(|| Pairs {
            level: finest,
            entries: Entries::default(),
            messages: 0,
            time_ns: NO_TIME,
        });
        let times =
            InTime { level, shift: FIRST_SHIFT, middle: 0, entries: Entries::default(), messages: 0, time_ns: NO_TIME };
        Flow { times, pairs }
    }

    pub fn push(&mut self, message: &Going) {
        let sent = message.sent();
        self.times.take(message, &sent);
        if let Some(pairs) = &mut self.pairs {
            pairs.take(message, &sent);
        }
    }

    /// Messages of the block that waits.
    pub fn waiting(&self) -> u64 {
        self.times.messages
    }

    pub fn is_empty(&self) -> bool {
        self.waiting() == 0 && self.pairs.as_ref().is_none_or(|p| p.messages == 0)
    }

    /// The messages since the last one become tables, of a block that covers this time. Their bytes will stand at `at`.
    pub fn end_block(&mut self, block_ns: Range<u64>, is_last: bool, at: u64, out: &mut Vec<u8>) -> Vec<Table> {
        let mut tables = Vec::new();
        tables.extend(self.times.end_block((block_ns.end - block_ns.start).max(1), at, out));
        if let Some(pairs) = &mut self.pairs {
            let is_dense = pairs.messages >= pairs.entries.len() as u64 * MESSAGES_OF_ENTRY;
            while is_last && pairs.level + 1 < self.times.level && !pairs.is_worth_it() {
                pairs.coarsen();
            }
            if pairs.messages > 0 && (is_dense || (is_last && pairs.is_worth_it())) {
                let about = Table { level: pairs.level, shift: ONE_BIN, ..table(&pairs.time_ns, pairs.messages) };
                tables.push(write(about, Parts::OF_PAIRS, &pairs.entries, at, out));
                pairs.entries.clear();
                (pairs.messages, pairs.time_ns) = (0, NO_TIME);
            }
        }
        tables
    }
}

impl InTime {
    #[inline]
    fn take(&mut self, message: &Going, sent: &Sent) {
        if self.messages == 0 {
            self.middle = message.sent_ns >> self.shift;
        }
        self.messages += 1;
        self.time_ns = further(&self.time_ns, message.sent_ns);
        let mut bin = self.number(message.sent_ns);
        while bin >> 32 != 0 {
            self.widen();
            bin = self.number(message.sent_ns);
        }
        let by = FACTOR_BITS * self.level as u32;
        let key = Parts::OF_TIMES.key(bin, message.sender >> by, message.receiver >> by, message.comm);
        add(&mut self.entries, key, sent);
        if self.entries.len() > MOST_WAITING {
            self.widen();
        }
    }

    /// Number of a moment's bin.
    #[inline]
    fn number(&self, ns: u64) -> u64 {
        ((ns >> self.shift) + MIDDLE).wrapping_sub(self.middle)
    }

    fn widen(&mut self) {
        let middle = self.middle >> 1;
        let mut wider = Entries::default();
        for (&key, sent) in &self.entries {
            let bin = ((key >> 32).wrapping_add(self.middle).wrapping_sub(MIDDLE) >> 1) + MIDDLE - middle;
            add(&mut wider, bin << 32 | (key & u64::from(u32::MAX)), sent);
        }
        (self.entries, self.middle, self.shift) = (wider, middle, self.shift + 1);
    }

    fn end_block(&mut self, length_ns: u64, at: u64, out: &mut Vec<u8>) -> Option<Table> {
        if self.messages == 0 {
            return None;
        }
        let fitting = length_ns.div_ceil(MOST_BINS).next_power_of_two().ilog2() as u8;
        while self.shift < fitting {
            self.widen();
        }
        while self.entries.len() > FEW_ENTRIES
            && self.entries.len() as u64 * MESSAGES_OF_ENTRY > self.messages
            && 1 << self.shift < length_ns
        {
            self.widen();
        }
        // Numbers that are in the file count from the first bin.
        let first = self.middle.wrapping_sub(MIDDLE);
        let about = Table { level: self.level, shift: self.shift, first, ..table(&self.time_ns, self.messages) };
        let table = write(about, Parts::OF_TIMES, &self.entries, at, out);
        self.entries.clear();
        (self.messages, self.time_ns) = (0, NO_TIME);
        // The next one may be shorter.
        self.shift = self.shift.saturating_sub(2);
        Some(table)
    }
}

impl Pairs {
    #[inline]
    fn take(&mut self, message: &Going, sent: &Sent) {
        let by = FACTOR_BITS * self.level as u32;
        let key = Parts::OF_PAIRS.key(0, message.sender >> by, message.receiver >> by, message.comm);
        add(&mut self.entries, key, sent);
        self.messages += 1;
        self.time_ns = further(&self.time_ns, message.sent_ns);
        if self.entries.len() > MOST_ENTRIES {
            self.coarsen();
        }
    }

    fn is_worth_it(&self) -> bool {
        self.entries.len() <= FEW_ENTRIES || self.messages >= self.entries.len() as u64 * LEAST_OF_ENTRY
    }

    fn coarsen(&mut self) {
        let mut wider = Entries::default();
        for (&key, sent) in &self.entries {
            let (_, sender, receiver, comm) = Parts::OF_PAIRS.of(key);
            let row = |row: u64| (row >> FACTOR_BITS) as u32;
            add(&mut wider, Parts::OF_PAIRS.key(0, row(sender), row(receiver), comm as u32), sent);
        }
        self.entries = wider;
        self.level += 1;
    }
}

fn table(time_ns: &Range<u64>, messages: u64) -> Table {
    Table { from_ns: time_ns.start, until_ns: time_ns.end, messages, ..Table::default() }
}

/// Writes the entries of a table; bins count from its first.
fn write(about: Table, parts: Parts, entries: &Entries, at: u64, out: &mut Vec<u8>) -> Table {
    let begin = out.len();
    let mut all: Vec<(Key, &Sent)> = entries.iter().map(|(&key, sent)| (key, sent)).collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    let (mut bin, mut sender) = (0, 0);
    for (key, sent) in all {
        let (to_bin, from, to, comm) = parts.of(key);
        put(out, to_bin - bin);
        if to_bin != bin {
            (bin, sender) = (to_bin, 0);
        }
        put(out, from - sender);
        sender = from;
        put_signed(out, to as i64 - from as i64);
        put(out, comm);
        put(out, sent.count);
        put(out, sent.count - sent.received);
        put(out, sent.bytes);
        if sent.received > 0 {
            put(out, sent.total_ns);
            put(out, sent.longest_ns);
            put(out, u64::from(sent.longest_sender) - (from << (FACTOR_BITS * about.level as u32)));
            put(out, sent.longest_row);
        }
    }
    Table { at: at + begin as u64, bytes: (out.len() - begin) as u64, ..about }
}

/// An entry of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Read {
    pub bin: u64,
    /// Rows of the table's level.
    pub sender: u32,
    pub receiver: u32,
    pub comm: u32,
    pub sent: Sent,
}

/// Goes through a table; `None` where bytes make no sense.
pub(crate) fn read(table: &Table, bytes: &[u8], mut visit: impl FnMut(&Read)) -> Option<()> {
    let mut reader = Reader(bytes);
    let (mut bin, mut sender) = (table.first, 0u64);
    while !reader.0.is_empty() {
        let further = reader.get()?;
        if further > 0 {
            (bin, sender) = (bin.wrapping_add(further), 0);
        }
        sender = sender.checked_add(reader.get()?).filter(|&s| s < 1 << 24)?;
        let receiver = u32::try_from(i64::try_from(sender).ok()?.checked_add(reader.get_signed()?)?).ok()?;
        let comm = reader.get()?;
        let (count, unknown, bytes) = (reader.get()?, reader.get()?, reader.get()?);
        let mut sent = Sent { count, received: count.checked_sub(unknown)?, bytes, ..Sent::default() };
        if sent.received > 0 {
            (sent.total_ns, sent.longest_ns) = (reader.get()?, reader.get()?);
            let first = sender << (FACTOR_BITS * table.level as u32).min(32);
            sent.longest_sender = u32::try_from(first.checked_add(reader.get()?)?).ok()?;
            sent.longest_row = reader.get()?;
        }
        let comm = if comm >= OTHER { u32::MAX } else { comm as u32 };
        visit(&Read { bin, sender: sender as u32, receiver, comm, sent });
    }
    Some(())
}
