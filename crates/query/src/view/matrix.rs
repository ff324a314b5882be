//! The communication matrix: messages whose sending call was entered in a window.

use mpiscope_pyramid::{Flows, Sent};
use mpiscope_store::Message;
use rustc_hash::FxHashMap;

use super::opened_run::asking;
use super::reading::Basis;
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// How ranks are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Neighbouring ranks, in at most this many blocks.
    Ranks(usize),
    /// By host.
    Hosts,
}

/// Messages between blocks; pairs without any are left out.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Names of the blocks.
    pub labels: Vec<String>,
    /// A power of two; 0 for hosts.
    pub ranks_per_block: usize,
    /// Block of the sender of each cell; only cells with messages are listed.
    pub sender: Vec<u32>,
    /// Block of the receiver of each cell.
    pub receiver: Vec<u32>,
    /// Messages of each cell.
    pub count: Vec<u64>,
    /// Payload of each cell.
    pub bytes: Vec<u64>,
    /// From the entry of the sending call to the return of the call that completed the receive.
    pub longest_ns: Vec<u64>,
    /// The call that sent the slowest message; nothing where none was received.
    pub longest: Vec<Option<(u32, u64)>>,
    /// Mean of the latencies, as in `longest_ns`; of a cell without received messages 0.
    pub mean_ns: Vec<f64>,
    /// What was read.
    pub basis: Basis,
}

type Cells = FxHashMap<(u32, u32), Sent>;

fn join(mut a: Cells, b: Cells) -> Cells {
    b.iter().for_each(|(key, sent)| a.entry(*key).or_default().join(sent));
    a
}

/// Messages of the window of `filter`, its ranks (either side) and its communicator.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn matrix(
    scene: &OpenedRun,
    filter: &Filter,
    blocks: Blocks,
    care: Care,
    cancel: &Cancel,
) -> Result<Matrix, ViewError> {
    if care == Care::Quick
        && !scene.are_few_messages(filter)
        && let Some(found) = of_preview(scene, filter, blocks, cancel)?
    {
        return Ok(found);
    }
    let grid = Grid { scene, ranks_per_block: blocks.ranks(scene) };
    let window = filter.window_ns();
    let take = |all: &mut Cells, m: &Message| {
        let is_theirs = filter.wants_rank(m.sender.0) || filter.wants_rank(m.receiver.0);
        let is_wanted = filter.comm.is_none_or(|comm| comm == m.comm) && window.contains(&m.send.start_ns);
        if is_theirs && is_wanted {
            let latency_ns = m.receive.done_end_ns.saturating_sub(m.send.start_ns);
            let is_done = m.receive.is_done();
            let sent = Sent {
                count: 1,
                bytes: m.bytes,
                received: is_done.into(),
                total_ns: if is_done { latency_ns } else { 0 },
                longest_ns: if is_done { latency_ns } else { 0 },
                longest_sender: m.sender.0,
                longest_row: m.send.row,
            };
            all.entry((grid.block(m.sender.0), grid.block(m.receiver.0))).or_default().join(&sent);
        }
    };
    let (cells, basis) = scene.fold_messages(filter, care, cancel, Cells::default, take, join)?;
    Ok(grid.matrix(cells, basis))
}

impl Blocks {
    /// Ranks of a block, 0 for hosts.
    fn ranks(self, scene: &OpenedRun) -> usize {
        match self {
            Blocks::Ranks(most) => scene.ranks().div_ceil(most.max(1)).max(1).next_power_of_two(),
            Blocks::Hosts => 0,
        }
    }
}

/// The same from tables; nothing where these do not suffice.
pub(crate) fn of_preview(
    scene: &OpenedRun,
    filter: &Filter,
    blocks: Blocks,
    cancel: &Cancel,
) -> Result<Option<Matrix>, ViewError> {
    match fitting(scene, filter, blocks.ranks(scene)) {
        Some((flows, ranks_per_block)) => {
            let grid = Grid { scene, ranks_per_block };
            of_tables(&grid, filter, &flows, cancel).map(Some)
        }
        None => Ok(None),
    }
}

/// Suitable tables, and ranks per block: the finest ones with a window that is not much wider than
/// requested.
fn fitting(scene: &OpenedRun, filter: &Filter, asked: usize) -> Option<(Flows, usize)> {
    // The tables cannot number communicators above this.
    if filter.comm.is_some_and(|comm| comm.0 >= u32::from(u16::MAX)) {
        return None;
    }
    let window = filter.window_ns();
    let window = window.start..window.end.min(scene.until_ns().max(window.start).saturating_add(1));
    let asked_ns = window.end - window.start;
    let fits = |flows: &Flows| {
        let cover = &flows.cover.time_ns;
        // Bins before the start and after the end of the run are empty.
        let cover_ns = cover
            .end
            .min(scene.until_ns().saturating_add(1))
            .saturating_sub(cover.start.max(scene.preview.time_ns().start));
        let is_near = cover_ns <= asked_ns.saturating_add(asked_ns / 4);
        // Blocks must not divide hosts and ranks.
        let divides = flows.is_of_ranks() || (asked == 0 && hosts_are_blocks(scene, flows.ranks_per_block));
        let is_of_ranks = filter.ranks.is_none() || flows.is_of_ranks();
        is_near && is_of_ranks && (asked > 0 || divides)
    };
    let flows = scene.preview.flows(window.clone()).into_iter().find(fits)?;
    let ranks = if asked == 0 { 0 } else { asked.max(flows.ranks_per_block as usize) };
    Some((flows, ranks))
}

/// Whether all ranks of each block are on the same host.
fn hosts_are_blocks(scene: &OpenedRun, ranks_per_block: u32) -> bool {
    let ranks: Vec<u32> = (0..scene.ranks() as u32).collect();
    ranks.chunks(ranks_per_block.max(1) as usize).all(|block| {
        let host = |rank: &u32| scene.host_of(*rank);
        block.iter().all(|rank| host(rank) == host(&block[0]))
    })
}

fn of_tables(grid: &Grid<'_>, filter: &Filter, flows: &Flows, cancel: &Cancel) -> Result<Matrix, ViewError> {
    let take = |all: &mut Cells, (from, to): (u32, u32), comm: u32, sent: &Sent| {
        let is_theirs = filter.wants_rank(from) || filter.wants_rank(to);
        if is_theirs && filter.comm.is_none_or(|wanted| wanted.0 == comm) {
            all.entry((grid.block(from), grid.block(to))).or_default().join(sent);
        }
    };
    let cells = grid.scene.preview.fold_flows(flows, &asking(cancel), Cells::default, take, join)?;
    let cover = &flows.cover;
    let basis =
        Basis::Bins { from_ns: cover.time_ns.start, until_ns: cover.time_ns.end, bin_ns: cover.bin_ns, share: 0.0 };
    Ok(grid.matrix(cells, basis))
}

struct Grid<'a> {
    scene: &'a OpenedRun,
    /// 0 for hosts.
    ranks_per_block: usize,
}

impl Grid<'_> {
    fn block(&self, rank: u32) -> u32 {
        match self.ranks_per_block {
            0 => self.scene.host_of(rank).unwrap_or(0) as u32,
            ranks => rank / ranks as u32,
        }
    }

    fn matrix(&self, cells: Cells, basis: Basis) -> Matrix {
        let mut cells: Vec<_> = cells.into_iter().collect();
        cells.sort_unstable_by_key(|(key, _)| *key);
        let sent = || cells.iter().map(|(_, sent)| sent);
        Matrix {
            labels: self.labels(),
            ranks_per_block: self.ranks_per_block,
            sender: cells.iter().map(|(key, _)| key.0).collect(),
            receiver: cells.iter().map(|(key, _)| key.1).collect(),
            count: sent().map(|s| s.count).collect(),
            bytes: sent().map(|s| s.bytes).collect(),
            longest_ns: sent().map(|s| s.longest_ns).collect(),
            longest: sent().map(|s| (s.received > 0).then_some((s.longest_sender, s.longest_row))).collect(),
            mean_ns: sent().map(|s| s.total_ns as f64 / s.received.max(1) as f64).collect(),
            basis,
        }
    }

    fn labels(&self) -> Vec<String> {
        if self.ranks_per_block == 0 {
            return self.scene.hosts().to_vec();
        }
        let label = |block: &[mpiscope_store::RankRow]| match block {
            [one] => one.world_rank.to_string(),
            [first, .., last] => format!("{}–{}", first.world_rank, last.world_rank),
            [] => String::new(),
        };
        self.scene.dimensions().ranks.chunks(self.ranks_per_block).map(label).collect()
    }
}
