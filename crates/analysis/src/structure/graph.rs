//! Which ranks send to which: a sparse graph of bounded size.

use mpiscope_store::{Message, flags};
use rustc_hash::{FxHashMap, FxHashSet};

/// Messages from one rank to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub to: u32,
    pub messages: u64,
    pub bytes: u64,
    /// Total time from the moment at which both sides were posted to the end of the receive.
    pub transfer_ns: u64,
}

/// Edges by sender.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub edges: Vec<Vec<Edge>>,
    /// Index of the edges of senders that have many.
    index: FxHashMap<(u32, u32), u32>,
    most: usize,
    /// Messages of senders with too many edges to keep.
    pub beyond: u64,
    pub messages: u64,
    pub bytes: u64,
    /// Receivers that take messages of whoever comes first.
    takes_any: FxHashSet<u32>,
}

/// Ranks around a rank that hands out work.
const WORKERS: usize = 3;
/// Most edges of all ranks together.
const EDGES: usize = 4 << 20;
/// Up to this many edges are searched linearly.
const FEW: usize = 16;

impl Graph {
    pub fn new(ranks: usize) -> Graph {
        Graph { edges: vec![Vec::new(); ranks], most: (EDGES / ranks.max(1)).clamp(64, 1 << 16), ..Graph::default() }
    }

    #[inline]
    pub fn add_message(&mut self, message: &Message) {
        let both_ns = message.send.start_ns.max(message.receive.start_ns);
        let begin_ns = both_ns.max(message.receive.done_start_ns);
        let is_done = message.receive.is_done();
        if message.flags & flags::ANY_SOURCE != 0 {
            self.takes_any.insert(message.receiver.0);
        }
        let transfer_ns = if is_done { message.receive.done_end_ns.saturating_sub(begin_ns) } else { 0 };
        self.add(message.sender.0, message.receiver.0, 1, message.bytes, transfer_ns);
    }

    /// Accesses to the window of another rank, which the sequence of calls has counted.
    pub fn accesses(&mut self, from: usize, to: u32, times: u64) {
        if (to as usize) < self.edges.len() {
            self.add(from as u32, to, times, 0, 0);
        }
    }

    #[inline]
    fn add(&mut self, from: u32, to: u32, messages: u64, bytes: u64, transfer_ns: u64) {
        let Some(edges) = self.edges.get_mut(from as usize) else { return };
        self.messages += messages;
        self.bytes += bytes;
        let few = edges.len().min(FEW);
        let at = match edges[..few].iter().position(|e| e.to == to) {
            Some(at) => at,
            None => match self.index.get(&(from, to)).filter(|_| edges.len() > FEW) {
                Some(&at) => at as usize,
                None if edges.len() >= self.most => {
                    self.beyond += 1;
                    return;
                }
                None => {
                    edges.push(Edge { to, messages: 0, bytes: 0, transfer_ns: 0 });
                    if edges.len() > FEW {
                        self.index.insert((from, to), edges.len() as u32 - 1);
                    }
                    edges.len() - 1
                }
            },
        };
        let edge = &mut edges[at];
        edge.messages += messages;
        edge.bytes += bytes;
        edge.transfer_ns += transfer_ns;
    }

    /// Edges that belong to the pattern, not the few messages that distribute input or collect results: edges with at least a
    /// tenth of the messages of the median message's edge. Of a rank that hands out work to whoever comes first, which worker does how much
    /// of it is chance.
    pub fn regular(&self, turns: u64) -> Neighbors {
        let mut counts: Vec<u64> = self.edges.iter().flatten().map(|e| e.messages).collect();
        counts.sort_unstable();
        let mut half = counts.iter().sum::<u64>() / 2;
        let usual = counts.iter().copied().find(|&n| {
            let is_here = half <= n;
            half = half.saturating_sub(n);
            is_here
        });
        let least = match self.is_pool() {
            true => 0,
            false => usual.unwrap_or(0).div_ceil(10).max(turns.div_ceil(4)),
        };
        let mut out: Vec<Vec<u32>> = Vec::with_capacity(self.edges.len());
        for (from, edges) in self.edges.iter().enumerate() {
            let kept = edges.iter().filter(|e| e.messages >= least && e.to as usize != from);
            let mut to: Vec<u32> = kept.map(|e| e.to).collect();
            to.sort_unstable();
            out.push(to);
        }
        Neighbors { out }
    }
}

impl Graph {
    /// Whether all messages are between one rank, which takes those of whoever comes first, and others that it answers.
    fn is_pool(&self) -> bool {
        let Some((hub, answers)) = self.edges.iter().enumerate().max_by_key(|(_, edges)| edges.len()) else {
            return false;
        };
        let is_answered = |from: usize| answers.iter().any(|e| e.to as usize == from);
        let others = self.edges.iter().enumerate().filter(|&(from, edges)| from != hub && !edges.is_empty());
        let mut workers = 0;
        self.takes_any.contains(&(hub as u32))
            && others.into_iter().all(|(from, edges)| {
                workers += 1;
                edges.iter().all(|e| e.to as usize == hub) && is_answered(from)
            })
            && workers >= WORKERS
    }
}

/// The ranks to which each rank sends regularly, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Neighbors {
    pub out: Vec<Vec<u32>>,
}

impl Neighbors {
    pub fn ranks(&self) -> usize {
        self.out.len()
    }

    pub fn edges(&self) -> usize {
        self.out.iter().map(Vec::len).sum()
    }

    pub fn has(&self, from: usize, to: usize) -> bool {
        self.out[from].binary_search(&(to as u32)).is_ok()
    }

    /// The same graph without directions.
    pub fn both_ways(&self) -> Neighbors {
        let mut out = self.out.clone();
        for (from, to) in self.out.iter().enumerate() {
            for &to in to {
                out[to as usize].push(from as u32);
            }
        }
        for list in &mut out {
            list.sort_unstable();
            list.dedup();
        }
        Neighbors { out }
    }

    /// Ranks that send or receive anything.
    pub fn active(&self) -> Vec<usize> {
        let both = self.both_ways();
        (0..self.ranks()).filter(|&r| !both.out[r].is_empty()).collect()
    }

    /// The subgraph of some ranks, renumbered in their order.
    pub fn among(&self, ranks: &[usize]) -> Neighbors {
        let mut number = vec![u32::MAX; self.ranks()];
        ranks.iter().enumerate().for_each(|(new, &old)| number[old] = new as u32);
        let out = ranks.iter().map(|&r| {
            let mut to: Vec<u32> = self.out[r].iter().map(|&t| number[t as usize]).filter(|&t| t != u32::MAX).collect();
            to.sort_unstable();
            to
        });
        Neighbors { out: out.collect() }
    }

    /// Distances from a rank; `u32::MAX` for ranks that cannot be reached.
    pub fn distances(&self, from: usize) -> Vec<u32> {
        let mut distances = vec![u32::MAX; self.ranks()];
        let mut queue = std::collections::VecDeque::from([from]);
        distances[from] = 0;
        while let Some(at) = queue.pop_front() {
            for &to in &self.out[at] {
                if distances[to as usize] == u32::MAX {
                    distances[to as usize] = distances[at] + 1;
                    queue.push_back(to as usize);
                }
            }
        }
        distances
    }

    /// For each rank, the index of the nearest of some ranks; `u32::MAX` if none reaches it.
    pub fn nearest(&self, of: &[u32]) -> Vec<u32> {
        let mut nearest = vec![u32::MAX; self.ranks()];
        let mut queue = std::collections::VecDeque::new();
        for (index, &rank) in of.iter().enumerate() {
            nearest[rank as usize] = index as u32;
            queue.push_back(rank as usize);
        }
        while let Some(at) = queue.pop_front() {
            for &to in &self.out[at] {
                if nearest[to as usize] == u32::MAX {
                    nearest[to as usize] = nearest[at];
                    queue.push_back(to as usize);
                }
            }
        }
        nearest
    }
}
