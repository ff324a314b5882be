//! The file: a head, blocks, and at the end what says where everything is.
//!
//! ```text
//! "MSPREV" 0 0, format u32, 0 u32
//! blocks: of each level the finest width of each row (u8), then of each width: offsets of rows (u32, one more than
//!         rows), cells; at the end calls that began before the block
//! after each block: the same of regions, tallies of calls and of messages, tables of messages
//! tail: JSON
//! length of the tail u64, "MSPREVND"
//! ```
//!
//! Numbers are little-endian. [`crate::row`] has the cells, [`crate::block`] the rest of a block, [`crate::tally`] tallies,
//! [`crate::flow`] tables of messages.

use serde::{Deserialize, Serialize};

use crate::flow::Table;
use crate::kinds::{Kind, KindFields};

/// Version of the file. A reader refuses others: a preview can always be made anew. 2: messages, tallies, regions.
pub const FORMAT: u32 = 2;
pub(crate) const HEAD: &[u8; 8] = b"MSPREV\0\0";
pub(crate) const END: &[u8; 8] = b"MSPREVND";
pub(crate) const HEAD_BYTES: u64 = 16;
/// Stands for a row of which a block has nothing.
pub(crate) const NOTHING: u8 = u8::MAX;

/// What holds for all blocks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct About {
    /// [`FORMAT`] of whoever wrote it.
    pub format: u32,
    /// Version of mpiscope that wrote it.
    pub mpiscope: String,
    /// What the store was made from.
    pub source: String,
    pub ranks: u32,
    /// Function ids, the commonest first; at 0 [`crate::WAITING`].
    pub functions: Vec<u16>,
}

/// The tail.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tail {
    pub about: About,
    pub blocks: Vec<Block>,
    /// The same of regions, in place of functions; region `id` has place `id + 1`.
    pub regions: Vec<Block>,
    /// Calls by bins of time, a stretch for each block.
    pub times: Vec<TallySpan>,
    /// Calls of each rank by itself, over several blocks.
    pub ranks: Vec<TallySpan>,
    /// Messages by bins of time.
    pub messages: Vec<TallySpan>,
    /// Kinds of calls and what they distinguish, kinds of messages.
    pub kinds: Vec<Kind>,
    pub kept: KindFields,
    pub message_kinds: Vec<Kind>,
    pub flows: Vec<Table>,
    /// Messages altogether.
    pub sent: u64,
}

/// Tallies of a stretch of time.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TallySpan {
    /// By time: of calls (messages) that begin from here on and before there. By rank: of calls that return.
    pub from_ns: u64,
    pub until_ns: u64,
    /// Width of bins, ns as a power of two, and the first one; by rank 0 both.
    pub shift: u8,
    pub first: u64,
    /// Where it stands. By rank: offsets of ranks (u32, one more than ranks), then tallies.
    pub at: u64,
    pub bytes: u64,
    /// Rows of calls, or messages.
    pub rows: u64,
}

/// A block and where its parts are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Block {
    /// The time it covers.
    pub begin_ns: u64,
    pub end_ns: u64,
    /// Rows of calls that returned in it, and how long all of them took.
    pub calls: u64,
    /// Functions in it, as places in [`About::functions`]; at 0 waiting.
    pub functions: Vec<u16>,
    /// The widest bins, ns as a power of two.
    pub top: u8,
    pub levels: Vec<Level>,
    pub reaching: Reaching,
}

/// Ranks put together: 8 to the power of the level's number.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Level {
    /// Where the finest width of each row stands, a byte each, [`NOTHING`] for a row without cells.
    pub finest: u64,
    pub sections: Vec<Section>,
}

/// All rows of a level with bins of one width.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Section {
    pub shift: u8,
    /// Where the offsets of rows are.
    pub table: u64,
    /// Where the cells are.
    pub cells: u64,
    pub bytes: u64,
}

/// Calls and waits that began before the block.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reaching {
    pub at: u64,
    pub bytes: u64,
    pub count: u64,
    pub from_ns: u64,
    pub until_ns: u64,
}
