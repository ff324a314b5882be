//! Who sends how much to whom.

use mpiscope_store::{CommId, Message, Wanted};
use rustc_hash::FxHashMap;

use super::scene::asking;
use super::{Cancel, Filter, Scene, ViewError};

/// How ranks are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Neighbouring ranks, into at most so many blocks.
    Ranks(usize),
    /// By host.
    Hosts,
}

/// Messages between blocks; pairs without any are left out.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// What blocks are called.
    pub labels: Vec<String>,
    pub ranks_per_block: usize,
    pub sender: Vec<u32>,
    pub receiver: Vec<u32>,
    pub count: Vec<u64>,
    pub bytes: Vec<u64>,
    /// From the entry of the sending call to the return of the call that completed the receive.
    pub longest_ns: Vec<u64>,
    pub mean_ns: Vec<f64>,
}

#[derive(Clone, Copy, Default)]
struct Cell {
    count: u64,
    bytes: u64,
    longest_ns: u64,
    total_ns: u64,
}

/// Messages of the window of `filter`, its ranks and its communicator.
pub fn matrix(scene: &Scene, filter: &Filter, blocks: Blocks, cancel: &Cancel) -> Result<Matrix, ViewError> {
    let ranks = scene.ranks();
    let ranks_per_block = match blocks {
        Blocks::Ranks(most) => ranks.div_ceil(most.max(1)).max(1),
        Blocks::Hosts => 0,
    };
    let block = |rank: u32| match blocks {
        Blocks::Ranks(_) => (rank as usize / ranks_per_block) as u32,
        Blocks::Hosts => scene.host_of(rank).unwrap_or(0) as u32,
    };
    let is_wanted = |m: &Message| filter.comm.is_none_or(|comm: CommId| comm == m.comm);
    let take = |all: &mut FxHashMap<(u32, u32), Cell>, m: &Message| {
        if !is_wanted(m) {
            return;
        }
        let cell = all.entry((block(m.sender.0), block(m.receiver.0))).or_default();
        cell.count += 1;
        cell.bytes = cell.bytes.saturating_add(m.bytes);
        if m.receive.is_done() {
            let ns = m.receive.done_end_ns.saturating_sub(m.send.start_ns);
            cell.longest_ns = cell.longest_ns.max(ns);
            cell.total_ns = cell.total_ns.saturating_add(ns);
        }
    };
    let join = |mut a: FxHashMap<(u32, u32), Cell>, b: FxHashMap<(u32, u32), Cell>| {
        for (key, from) in b {
            let to = a.entry(key).or_default();
            to.count += from.count;
            to.bytes = to.bytes.saturating_add(from.bytes);
            to.longest_ns = to.longest_ns.max(from.longest_ns);
            to.total_ns = to.total_ns.saturating_add(from.total_ns);
        }
        a
    };
    let wanted: Wanted = scene.wanted(filter);
    let found = scene.rows.fold_messages(&wanted, &asking(cancel), FxHashMap::default, take, join)?;
    let mut cells: Vec<_> = found.into_iter().collect();
    cells.sort_unstable_by_key(|(key, _)| *key);
    let mut matrix = Matrix { labels: labels(scene, blocks, ranks_per_block), ranks_per_block, ..Matrix::default() };
    for ((sender, receiver), cell) in cells {
        matrix.sender.push(sender);
        matrix.receiver.push(receiver);
        matrix.count.push(cell.count);
        matrix.bytes.push(cell.bytes);
        matrix.longest_ns.push(cell.longest_ns);
        matrix.mean_ns.push(cell.total_ns as f64 / cell.count.max(1) as f64);
    }
    Ok(matrix)
}

fn labels(scene: &Scene, blocks: Blocks, ranks_per_block: usize) -> Vec<String> {
    let ranks = &scene.dimensions().ranks;
    match blocks {
        Blocks::Hosts => scene.hosts().to_vec(),
        Blocks::Ranks(_) => ranks
            .chunks(ranks_per_block)
            .map(|block| match block {
                [one] => one.world_rank.to_string(),
                [first, .., last] => format!("{}–{}", first.world_rank, last.world_rank),
                [] => String::new(),
            })
            .collect(),
    }
}
