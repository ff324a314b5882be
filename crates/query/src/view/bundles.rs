//! Messages zoomed out: where there are too many to draw them individually, those from one block of rows to another within a bin of
//! time form one bundle.
//!
//! While there are few enough to be read within some tenths of a second, every message is examined and each filter of messages
//! applies. Beyond that they come from the preview's tables ([`mpiscope_pyramid::Flows`]), which have ranks, or blocks of neighbouring
//! ranks where ranks are many, time and communicator. Where these do not suffice the answer has no bundles and no basis.

use std::ops::Range;

use mpiscope_store::Message;
use rustc_hash::FxHashMap;

use super::events::wants_message;
use super::opened_run::asking;
use super::reading::Basis;
use super::{Cancel, Care, Filter, OpenedRun, Order, Sent, ViewError};

/// Time keeps this many bins while rows can be made coarser.
const BINS: u64 = 24;
/// Then rows keep this many blocks while time can be made coarser.
const BLOCKS: usize = 8;

/// Parameters of a request for bundles. The filter has the window and the ranks.
#[derive(Clone, Debug)]
pub struct BundlesWish {
    /// Most bins of the window.
    pub columns: usize,
    /// Most blocks of the visible positions.
    pub rows: usize,
    /// Most bundles: bins and blocks get larger until there are no more.
    pub most: usize,
}

/// Messages from one block of positions to another that were sent in the same bin of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bundle {
    /// Start of the bin.
    pub from_ns: u64,
    /// First positions of the blocks.
    pub sender: u32,
    /// See `sender`.
    pub receiver: u32,
    /// How many messages, how large and how long.
    pub sent: Sent,
}

/// Bundles in order of time.
#[derive(Clone, Debug, Default)]
pub struct Bundles {
    /// Width of the bins, a power of two.
    pub bin_ns: u64,
    /// Positions in a block, a power of two.
    pub rows_per_block: usize,
    /// The bundles.
    pub rows: Vec<Bundle>,
    /// Their basis; nothing where they cannot be known without reading for seconds.
    pub basis: Option<Basis>,
}

impl Bundles {
    /// Total number of messages.
    pub fn total(&self) -> u64 {
        self.rows.iter().map(|bundle| bundle.sent.count).sum()
    }
}

/// Bundles of the messages that match `filter`.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn bundles(
    scene: &OpenedRun,
    order: &Order,
    filter: &Filter,
    wish: &BundlesWish,
    cancel: &Cancel,
) -> Result<Bundles, ViewError> {
    if asks_calls(filter) {
        return Ok(Bundles::default());
    }
    if scene.are_few_messages(filter) {
        return of_messages(scene, order, filter, wish, cancel);
    }
    of_preview(scene, order, filter, wish, cancel)
}

/// Whether a filter uses properties of calls that messages do not have.
fn asks_calls(filter: &Filter) -> bool {
    filter.site.is_some()
        || filter.region.is_some()
        || filter.thread.is_some()
        || filter.duration_min_ns.is_some()
        || filter.duration_max_ns.is_some()
}

/// From every message.
fn of_messages(
    scene: &OpenedRun,
    order: &Order,
    filter: &Filter,
    wish: &BundlesWish,
    cancel: &Cancel,
) -> Result<Bundles, ViewError> {
    let (positions, grid) = Grid::with_positions(scene, order, filter, wish);
    let window = filter.window_ns();
    let take = |all: &mut Cells, m: &Message| {
        let until_ns = if m.receive.is_done() { m.receive.done_end_ns } else { m.send.end_ns };
        let is_in = m.send.start_ns < window.end && until_ns >= window.start;
        let is_theirs = filter.wants_rank(m.sender.0) || filter.wants_rank(m.receiver.0);
        if !is_in || !is_theirs || !wants_message(scene, filter, m) {
            return;
        }
        let latency_ns = m.receive.is_done().then(|| m.receive.done_end_ns.saturating_sub(m.send.start_ns));
        let sent = Sent {
            count: 1,
            bytes: m.bytes,
            received: latency_ns.is_some().into(),
            total_ns: latency_ns.unwrap_or(0),
            longest_ns: latency_ns.unwrap_or(0),
            longest_sender: m.sender.0,
            longest_row: m.send.row,
        };
        grid.add(all, &positions, (m.sender.0, m.receiver.0), m.send.start_ns, &sent);
    };
    let (cells, basis) = scene.fold_messages(filter, Care::Exact, cancel, Cells::default, take, join)?;
    Ok(grid.bundles(cells, wish.most, basis))
}

/// From the tables with fine time bins.
pub(crate) fn of_preview(
    scene: &OpenedRun,
    order: &Order,
    filter: &Filter,
    wish: &BundlesWish,
    cancel: &Cancel,
) -> Result<Bundles, ViewError> {
    let asks_messages = filter.functions.is_some()
        || filter.peer.is_some()
        || filter.peers.is_some()
        || filter.tag.is_some()
        || filter.bytes_min.is_some()
        || filter.bytes_max.is_some()
        // The tables cannot number communicators above this.
        || filter.comm.is_some_and(|comm| comm.0 >= u32::from(u16::MAX));
    let Some(flows) = scene.preview.flows(clipped(scene, filter)).pop().filter(|_| !asks_messages) else {
        return Ok(Bundles::default());
    };
    let ranks_per_block = flows.ranks_per_block;
    let (positions, mut grid) = Grid::with_positions(scene, order, filter, wish);
    if !flows.is_of_ranks() {
        // Blocks of neighbouring ranks are blocks of rows in the natural order only, and only complete ranges of ranks can be selected.
        if !order.is_natural || !filter.ranks.as_deref().is_none_or(is_stretch) {
            return Ok(Bundles::default());
        }
        grid.rows_per_block = grid.rows_per_block.max(ranks_per_block as usize);
    }
    let span = clipped(scene, filter);
    if flows.cover.bin_ns > (span.end - span.start) / 4 {
        return Ok(Bundles::default());
    }
    grid.shift = grid.shift.max(flows.cover.bin_ns.max(1).ilog2());
    let wants = |first: u32| match &filter.ranks {
        None => true,
        Some(ranks) => {
            ranks.get(ranks.partition_point(|&rank| rank < first)).is_some_and(|&r| r - first < ranks_per_block)
        }
    };
    let take = |all: &mut Cells, pair: (u32, u32), comm: u32, sent: &Sent, bin: Range<u64>| {
        if (wants(pair.0) || wants(pair.1)) && filter.comm.is_none_or(|wanted| wanted.0 == comm) {
            grid.add(all, &positions, pair, bin.start, sent);
        }
    };
    let cells = scene.preview.fold_flows_in_time(&flows, &asking(cancel), Cells::default, take, join)?;
    let cover = &flows.cover;
    let basis =
        Basis::Bins { from_ns: cover.time_ns.start, until_ns: cover.time_ns.end, bin_ns: cover.bin_ns, share: 0.0 };
    Ok(grid.bundles(cells, wish.most, basis))
}

/// The window, clipped to the run.
fn clipped(scene: &OpenedRun, filter: &Filter) -> Range<u64> {
    let window = filter.window_ns();
    window.start..window.end.min(scene.until_ns().saturating_add(1)).max(window.start.saturating_add(1))
}

/// Whether these ascending ranks are contiguous.
fn is_stretch(ranks: &[u32]) -> bool {
    ranks.first().zip(ranks.last()).is_none_or(|(first, last)| (last - first) as usize + 1 == ranks.len())
}

/// By rank, the position of its row; −1 for those that are not shown.
fn positions(scene: &OpenedRun, order: &Order) -> Vec<i32> {
    let mut positions = vec![-1; scene.ranks()];
    for (position, rank) in order.rows_of(0..order.rows()) {
        if let Some(place) = positions.get_mut(rank as usize) {
            *place = position as i32;
        }
    }
    positions
}

/// Number of rows of these ranks: those of a folded group share one.
fn rows_of(ranks: &[u32], positions: &[i32]) -> usize {
    let mut rows: Vec<i32> = ranks.iter().filter_map(|&rank| positions.get(rank as usize).copied()).collect();
    rows.sort_unstable();
    rows.dedup();
    rows.len()
}

/// Bin, block of senders, block of receivers.
type Cells = FxHashMap<(u64, u32, u32), Sent>;

fn join(mut a: Cells, b: Cells) -> Cells {
    b.iter().for_each(|(key, sent)| a.entry(*key).or_default().join(sent));
    a
}

/// The division of time and rows.
#[derive(Clone, Copy, Debug)]
struct Grid {
    /// Bins are 2 to the power of this ns.
    shift: u32,
    /// A power of two.
    rows_per_block: usize,
    /// The visible time.
    span_ns: u64,
    rows: usize,
}

impl Grid {
    /// The grid, and by rank the position of its row.
    fn with_positions(scene: &OpenedRun, order: &Order, filter: &Filter, wish: &BundlesWish) -> (Vec<i32>, Grid) {
        let positions = positions(scene, order);
        let window = clipped(scene, filter);
        let span_ns = window.end - window.start;
        let rows = filter.ranks.as_ref().map_or(order.rows(), |ranks| rows_of(ranks, &positions)).max(1);
        let grid = Grid {
            shift: span_ns.div_ceil(wish.columns.max(1) as u64).next_power_of_two().ilog2(),
            rows_per_block: rows.div_ceil(wish.rows.max(1)).next_power_of_two(),
            span_ns,
            rows,
        };
        (positions, grid)
    }

    fn add(&self, all: &mut Cells, positions: &[i32], (from, to): (u32, u32), sent_ns: u64, sent: &Sent) {
        let block = |rank: u32| {
            let position = *positions.get(rank as usize)?;
            usize::try_from(position).ok().map(|position| (position / self.rows_per_block) as u32)
        };
        if let Some((from, to)) = block(from).zip(block(to)) {
            all.entry((sent_ns >> self.shift, from, to)).or_default().join(sent);
        }
    }

    /// Doubles the width in time or in rows, whichever is less needed.
    fn coarsen(&mut self, cells: &Cells) -> Cells {
        let is_in_time = match (self.span_ns >> self.shift, self.rows.div_ceil(self.rows_per_block)) {
            (bins, _) if bins > BINS => true,
            (_, blocks) if blocks > BLOCKS => false,
            (bins, blocks) => bins > 1 || blocks <= 1,
        };
        let in_time = u32::from(is_in_time && self.shift < 62);
        let in_rows = 1 - in_time;
        self.shift += in_time;
        self.rows_per_block <<= in_rows;
        let mut wider = Cells::default();
        for (&(bin, from, to), sent) in cells {
            wider.entry((bin >> in_time, from >> in_rows, to >> in_rows)).or_default().join(sent);
        }
        wider
    }

    fn bundles(mut self, mut cells: Cells, most: usize, basis: Basis) -> Bundles {
        while cells.len() > most.max(1) && (self.shift < 62 || self.rows_per_block < self.rows) {
            cells = self.coarsen(&cells);
        }
        let mut cells: Vec<_> = cells.into_iter().collect();
        cells.sort_unstable_by_key(|(key, _)| *key);
        let first = |block: u32| block.saturating_mul(self.rows_per_block as u32);
        let bundle = |((bin, sender, receiver), sent)| Bundle {
            from_ns: bin << self.shift,
            sender: first(sender),
            receiver: first(receiver),
            sent,
        };
        Bundles {
            bin_ns: 1 << self.shift,
            rows_per_block: self.rows_per_block,
            rows: cells.into_iter().map(bundle).collect(),
            basis: Some(basis),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(bins: u64, blocks: u32) -> Cells {
        let keys =
            (0..bins).flat_map(|bin| (0..blocks).flat_map(move |from| (0..blocks).map(move |to| (bin, from, to))));
        keys.map(|key| (key, Sent { count: 1, bytes: 10, ..Sent::default() })).collect()
    }

    #[test]
    fn bins_and_blocks_get_larger_until_there_are_few_enough() {
        let grid = Grid { shift: 10, rows_per_block: 1, span_ns: 128 << 10, rows: 32 };
        for most in [1, 2, 100, 1000, 100_000, 1 << 20] {
            let found = grid.bundles(cells(128, 32), most, Basis::Calls);
            assert!(!found.rows.is_empty() && found.rows.len() <= most, "{most}: {}", found.rows.len());
            assert_eq!(found.total(), 128 * 32 * 32, "none is lost");
            assert_eq!(found.rows.iter().map(|b| b.sent.bytes).sum::<u64>(), 10 * 128 * 32 * 32);
            let block = found.rows_per_block as u32;
            assert!(found.rows.iter().all(|b| b.from_ns % found.bin_ns == 0 && b.sender % block == 0));
        }
        let some = grid.bundles(cells(128, 32), 2000, Basis::Calls);
        assert_eq!((some.bin_ns, some.rows_per_block), (8 << 10, 4), "16 bins of 8 × 8 blocks");
    }

    #[test]
    fn ranks_of_a_folded_group_have_one_row() {
        assert_eq!(rows_of(&[0, 1, 2, 3], &[0, 1, 1, 1, 2]), 2);
        assert_eq!(rows_of(&[9], &[0]), 0, "a rank that there is not");
    }

    #[test]
    fn neighbours_are_a_stretch() {
        assert!(is_stretch(&[]) && is_stretch(&[4]) && is_stretch(&[4, 5, 6]));
        assert!(!is_stretch(&[4, 6]));
    }
}
