//! Streams of messages that stay in order, numbered.
//!
//! Most calls have the same arguments repeatedly, so the number of their stream is looked up once for each shape and stored with
//! its facts; there is no hashing for each message.

use rustc_hash::FxHashMap;

/// Identifies a stream of a rank's messages: communicator (with a bit for partitioned ones), the other side, tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Stream {
    pub comm: u32,
    pub peer: u32,
    pub tag: i32,
}

/// Bit of [`Stream::comm`] of partitioned messages: they match among themselves only (MPI-5.0 §4.2).
pub(crate) const PARTITIONED: u32 = 1 << 31;

/// No such number.
pub(crate) const NO_NUMBER: u32 = u32::MAX;

/// Numbers of names as they come, and how often each was counted.
pub(crate) struct Numbers<K> {
    numbers: FxHashMap<K, u32>,
    all: Vec<K>,
    next: Vec<u64>,
}

impl<K> Default for Numbers<K> {
    fn default() -> Self {
        Numbers { numbers: FxHashMap::default(), all: Vec::new(), next: Vec::new() }
    }
}

impl<K: Copy + Eq + std::hash::Hash> Numbers<K> {
    /// The number of `name`.
    pub fn number_of(&mut self, name: K) -> u32 {
        *self.numbers.entry(name).or_insert_with(|| {
            self.all.push(name);
            self.next.push(0);
            self.all.len() as u32 - 1
        })
    }

    /// Counting begins at `count` because what came earlier was lost.
    pub fn begin_at(&mut self, name: K, count: u64) {
        let number = self.number_of(name);
        self.next[number as usize] = count;
    }

    /// How often it was counted before.
    pub fn count(&mut self, number: u32) -> u64 {
        let next = &mut self.next[number as usize];
        *next = next.wrapping_add(1);
        next.wrapping_sub(1)
    }

    /// Undoes the last [`Numbers::count`], if nothing was counted since.
    pub fn take_back(&mut self, number: u32, count: u64) {
        let next = &mut self.next[number as usize];
        if *next == count.wrapping_add(1) {
            *next = count;
        }
    }

    /// Names by number.
    pub fn all(&self) -> &[K] {
        &self.all
    }
}
