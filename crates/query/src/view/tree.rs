//! Calls by call stack: a tree of frames, the outermost first, whose leaves are MPI functions.
//!
//! Times are those of MPI calls, since nothing else of the program is sampled: the time of a frame is that of the calls
//! below it. Calls are summed by site first; the tree is made from these sums, once.

use std::cmp::Reverse;

use mpiscope_pyramid::{Kind, Tallied};
use mpiscope_store::{CallColumns, CallInfo, SiteId, WaitRow, flags};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::events::wants_wait;
use super::fields::{Field, Of};
use super::opened_run::asking;
use super::preview_answers::{self, TallyChoice};
use super::reading::Basis;
use super::{Cancel, Care, Filter, OpenedRun, ViewError};

/// Most ranks with a tree of their own: those with the most time in MPI.
const RANKS_MOST: usize = 256;

/// The parameters.
#[derive(Clone, Copy, Debug)]
pub struct TreeWish {
    /// Whether the answer has to be exact.
    pub care: Care,
    /// A tree for each rank, below one root.
    pub by_rank: bool,
    /// Most nodes, besides those that represent several others.
    pub limit: usize,
}

/// Frames with the calls below them.
#[derive(Clone, Debug, Serialize)]
pub struct Tree {
    /// The root first, which represents all; each node after its parent, siblings by inclusive time, and last the
    /// one that represents others.
    pub nodes: Vec<TreeNode>,
    /// Number of all nodes.
    pub total: usize,
    /// Whether some of them are combined.
    pub is_cut: bool,
    /// Time of the selected ranks in the window.
    pub rank_time_ns: u64,
    /// What was read.
    pub basis: Basis,
    /// Whether an answer that is not quick has waiting times, where this one does not.
    pub has_finer: bool,
}

/// A frame, an MPI function that it calls, or a rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TreeNode {
    /// Index of its parent.
    pub parent: Option<usize>,
    /// `function file:line` of a frame.
    pub text: String,
    /// Leaf only: the MPI function.
    pub function: Option<u32>,
    /// Tree of one rank only: the rank.
    pub rank: Option<u32>,
    /// The call site, if all calls below have the same one.
    pub site: Option<u32>,
    /// Calls below it.
    pub calls: u64,
    /// Time inside calls below it, in the window.
    pub inclusive_ns: u64,
    /// Time inside calls that it makes directly.
    pub exclusive_ns: u64,
    /// Part of `inclusive_ns` spent waiting for another rank. `None` if it is unknown.
    pub waiting_ns: Option<u64>,
    /// It represents this many nodes, the smallest ones of their parent, and all below them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub others: Option<usize>,
}

/// Calls of one function from one site.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    calls: u64,
    time_ns: u64,
    waiting_ns: u64,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.calls = self.calls.saturating_add(other.calls);
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.waiting_ns = self.waiting_ns.saturating_add(other.waiting_ns);
    }
}

/// Rank (or [`ALL_RANKS`]), site, function.
type Key = (u32, u32, u32);
type BySite = FxHashMap<Key, Sums>;

const ALL_RANKS: u32 = u32::MAX;

fn joined(mut a: BySite, b: BySite) -> BySite {
    b.into_iter().for_each(|(key, sums)| a.entry(key).or_default().add(&sums));
    a
}

/// The tree of the calls that match `filter`.
///
/// # Errors
///
/// If the store cannot be read, or the request is cancelled.
pub fn tree(scene: &OpenedRun, filter: &Filter, wish: &TreeWish, cancel: &Cancel) -> Result<Tree, ViewError> {
    let plan = (wish.care == Care::Quick && !scene.is_few(filter)).then(|| planned(scene, filter, wish)).flatten();
    made(scene, filter, wish, plan.as_ref(), cancel)
}

/// Tables that give it without reading calls.
fn planned(scene: &OpenedRun, filter: &Filter, wish: &TreeWish) -> Option<TallyChoice> {
    let fields: &[Field] =
        if wish.by_rank { &[Field::Rank, Field::Site, Field::Function] } else { &[Field::Site, Field::Function] };
    preview_answers::plan(scene, filter, Of::Calls, fields)
}

/// The tree from tables, however few calls there are.
#[cfg(test)]
pub(super) fn of_tables(scene: &OpenedRun, filter: &Filter, by_rank: bool) -> Option<Tree> {
    let wish = TreeWish { care: Care::Quick, by_rank, limit: 1000 };
    made(scene, filter, &wish, Some(&planned(scene, filter, &wish)?), &Cancel::default()).ok()
}

fn made(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &TreeWish,
    plan: Option<&TallyChoice>,
    cancel: &Cancel,
) -> Result<Tree, ViewError> {
    let (mut found, basis) = match plan {
        Some(plan) => (of_plan(scene, filter, wish, plan, cancel)?, plan.basis),
        None => of_calls(scene, filter, wish, cancel)?,
    };
    let covered = plan.map_or_else(|| filter.window_ns(), TallyChoice::window_ns);
    let covered = Filter { from_ns: Some(covered.start), until_ns: Some(covered.end), ..filter.clone() };
    // A sample does not have the waits of its calls, and tables do not have any.
    let has_waits = filter.needs_only_facts() && basis == Basis::Calls;
    if has_waits {
        add_waits(scene, filter, wish, &mut found, cancel)?;
    }
    let (nodes, total) = Grown::of(scene, found).nodes(scene, wish.limit, has_waits);
    Ok(Tree {
        is_cut: nodes.iter().any(|node| node.others.is_some()),
        nodes,
        total,
        rank_time_ns: scene.rank_time_ns(&covered),
        basis,
        has_finer: filter.needs_only_facts() && !has_waits,
    })
}

fn of_calls(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &TreeWish,
    cancel: &Cancel,
) -> Result<(BySite, Basis), ViewError> {
    let window = filter.window_ns();
    let take = |all: &mut BySite, facts: &CallInfo, calls: &CallColumns, at: usize| {
        let rank = if wish.by_rank { calls.rank[at] } else { ALL_RANKS };
        let sums = all.entry((rank, facts.site.0, facts.function)).or_default();
        sums.calls += u64::from(calls.calls[at]);
        // The time of a nested call is counted in the outer one.
        if calls.flags[at] & flags::NESTED == 0 {
            let inside = calls.end_ns[at].min(window.end).saturating_sub(calls.start_ns[at].max(window.start));
            sums.time_ns = sums.time_ns.saturating_add(inside);
        }
    };
    scene.fold(filter, wish.care, cancel, BySite::default, take, joined)
}

/// The same from tallies.
fn of_plan(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &TreeWish,
    plan: &TallyChoice,
    cancel: &Cancel,
) -> Result<BySite, ViewError> {
    let take = |all: &mut BySite, kind: &Kind, tallied: &Tallied<'_>| {
        // All calls of a kind have the same ids.
        let Some(any) = tallied.entries.first() else { return };
        let id =
            |field| preview_answers::between(scene, field, kind, tallied, any).map_or(u32::MAX, |(id, _)| id as u32);
        let rank = if wish.by_rank { id(Field::Rank) } else { ALL_RANKS };
        let sums = tallied.sums;
        let time_ns = sums.time_ns.saturating_sub(sums.nested_ns);
        let found = Sums { calls: sums.calls, time_ns, waiting_ns: 0 };
        all.entry((rank, id(Field::Site), id(Field::Function))).or_default().add(&found);
    };
    plan.fold(scene, filter, cancel, BySite::default, take, joined)
}

fn add_waits(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &TreeWish,
    found: &mut BySite,
    cancel: &Cancel,
) -> Result<(), ViewError> {
    let window = filter.window_ns();
    let take = |all: &mut BySite, wait: &WaitRow| {
        let Some(facts) = wants_wait(scene, filter, wait) else { return };
        let rank = if wish.by_rank { wait.rank.0 } else { ALL_RANKS };
        let sums = all.entry((rank, facts.site.0, facts.function)).or_default();
        let inside = wait.end_ns.min(window.end).saturating_sub(wait.start_ns.max(window.start));
        sums.waiting_ns = sums.waiting_ns.saturating_add(inside);
    };
    let waits = scene.rows.fold_waits(&scene.wanted(filter), &asking(cancel), BySite::default, take, joined)?;
    for (key, sums) in found {
        // A call that waits for several ranks at once waits once.
        sums.waiting_ns = waits.get(key).map_or(0, |waits| waits.waiting_ns.min(sums.time_ns));
    }
    Ok(())
}

/// The step from a node to a child.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Step<'a> {
    Root,
    Rank(u32),
    Frame(&'a str),
    Function(u32),
}

struct Node<'a> {
    step: Step<'a>,
    children: Vec<usize>,
    sums: Sums,
    exclusive_ns: u64,
    /// The site of all calls below it, until there is a second one.
    site: Option<u32>,
}

/// The tree being built.
enum Coming {
    Node(usize),
    Others(usize, Sums),
}

/// All nodes, each after its parent.
struct Grown<'a> {
    nodes: Vec<Node<'a>>,
    known: FxHashMap<(usize, Step<'a>), usize>,
    /// Ranks without a tree of their own.
    ranks_left_out: (usize, Sums),
}

impl<'a> Grown<'a> {
    fn of(scene: &'a OpenedRun, found: BySite) -> Grown<'a> {
        let root = Node {
            step: Step::Root,
            children: Vec::new(),
            sums: Sums::default(),
            exclusive_ns: 0,
            site: found.keys().next().map(|key| key.1),
        };
        let mut grown = Grown { nodes: vec![root], known: FxHashMap::default(), ranks_left_out: Default::default() };
        let mut by_rank: FxHashMap<u32, Sums> = FxHashMap::default();
        found.iter().for_each(|(key, sums)| by_rank.entry(key.0).or_default().add(sums));
        let mut ranks: Vec<(u32, Sums)> = by_rank.into_iter().collect();
        ranks.sort_unstable_by_key(|(rank, sums)| (Reverse(sums.time_ns), *rank));
        let (kept, left_out) = ranks.split_at(ranks.len().min(RANKS_MOST));
        let mut kept: Vec<u32> = kept.iter().map(|(rank, _)| *rank).collect();
        kept.sort_unstable();
        grown.ranks_left_out.0 = left_out.len();
        left_out.iter().for_each(|(_, sums)| grown.ranks_left_out.1.add(sums));
        let all = grown.ranks_left_out.1;
        grown.nodes[0].sums.add(&all);
        for (key, sums) in found.into_iter().filter(|(key, _)| kept.binary_search(&key.0).is_ok()) {
            grown.add(scene, key, &sums);
        }
        grown
    }

    fn add(&mut self, scene: &'a OpenedRun, (rank, site, function): Key, sums: &Sums) {
        let frames = SiteId(site).index().and_then(|at| scene.dimensions().sites.get(at));
        let frames = frames.map_or(&[][..], |row| &row.frames[..]);
        let named = frames.iter().rev().map(|frame| Step::Frame(frame)).filter(|step| *step != Step::Frame(""));
        let mut at = self.pass(0, site, sums);
        if rank != ALL_RANKS {
            at = self.down(at, Step::Rank(rank), site, sums);
        }
        let top = at;
        for step in named {
            at = self.down(at, step, site, sums);
        }
        if at == top {
            at = self.down(at, Step::Frame("unknown"), site, sums);
        }
        let leaf = self.down(at, Step::Function(function), site, sums);
        for node in [at, leaf] {
            self.nodes[node].exclusive_ns = self.nodes[node].exclusive_ns.saturating_add(sums.time_ns);
        }
    }

    /// Adds calls to a node.
    fn pass(&mut self, at: usize, site: u32, sums: &Sums) -> usize {
        let node = &mut self.nodes[at];
        node.sums.add(sums);
        node.site = node.site.filter(|known| *known == site);
        at
    }

    /// Adds them to a child of a node.
    fn down(&mut self, parent: usize, step: Step<'a>, site: u32, sums: &Sums) -> usize {
        let next = self.nodes.len();
        let at = *self.known.entry((parent, step)).or_insert(next);
        if at == next {
            let node = Node { step, children: Vec::new(), sums: Sums::default(), exclusive_ns: 0, site: Some(site) };
            self.nodes.push(node);
            self.nodes[parent].children.push(at);
        }
        self.pass(at, site, sums)
    }

    /// By time; by name, where that is equal.
    fn rank(&self, scene: &OpenedRun, at: usize) -> (Reverse<u64>, Reverse<u64>, String) {
        let node = &self.nodes[at];
        (Reverse(node.sums.time_ns), Reverse(node.sums.calls), text(scene, node.step))
    }

    /// The largest `limit` of them; the other children of a node are one node. Also returns the total number.
    fn nodes(mut self, scene: &OpenedRun, limit: usize, has_waits: bool) -> (Vec<TreeNode>, usize) {
        let total = self.nodes.len() + self.ranks_left_out.0;
        // A node is at least as large as each of its children, and before them: a kept node keeps its path.
        let mut largest: Vec<usize> = (0..self.nodes.len()).collect();
        let size = |at: &usize| (Reverse(self.nodes[*at].sums.time_ns), Reverse(self.nodes[*at].sums.calls), *at);
        largest.sort_unstable_by_key(size);
        let mut is_kept = vec![false; self.nodes.len()];
        largest.into_iter().take(limit.max(1)).for_each(|at| is_kept[at] = true);
        for at in 0..self.nodes.len() {
            let mut children = std::mem::take(&mut self.nodes[at].children);
            children.sort_by_cached_key(|&child| self.rank(scene, child));
            self.nodes[at].children = children;
        }
        let mut made: Vec<TreeNode> = Vec::new();
        // Nodes to process, the next one last, each with the index of its parent.
        let mut next = vec![(Coming::Node(0), None)];
        while let Some((coming, parent)) = next.pop() {
            let at = match coming {
                Coming::Node(at) => at,
                Coming::Others(others, sums) => {
                    made.push(put_together(others, &sums, parent, has_waits));
                    continue;
                }
            };
            let node = &self.nodes[at];
            let place = Some(made.len());
            made.push(self.made(scene, node, parent, has_waits));
            let (kept, small): (Vec<usize>, Vec<usize>) = node.children.iter().partition(|child| is_kept[**child]);
            let (mut others, mut sums) = if at == 0 { self.ranks_left_out } else { Default::default() };
            others += small.len();
            small.iter().for_each(|child| sums.add(&self.nodes[*child].sums));
            next.extend((others > 0).then_some((Coming::Others(others, sums), place)));
            next.extend(kept.iter().rev().map(|child| (Coming::Node(*child), place)));
        }
        (made, total)
    }

    fn made(&self, scene: &OpenedRun, node: &Node<'_>, parent: Option<usize>, has_waits: bool) -> TreeNode {
        let (function, rank) = match node.step {
            Step::Function(id) => (Some(id), None),
            Step::Rank(rank) => (None, Some(rank)),
            Step::Root | Step::Frame(_) => (None, None),
        };
        TreeNode {
            parent,
            text: text(scene, node.step),
            function,
            rank,
            site: node.site.filter(|site| SiteId(*site).is_some()),
            calls: node.sums.calls,
            inclusive_ns: node.sums.time_ns,
            exclusive_ns: node.exclusive_ns,
            waiting_ns: has_waits.then_some(node.sums.waiting_ns),
            others: None,
        }
    }
}

fn put_together(others: usize, sums: &Sums, parent: Option<usize>, has_waits: bool) -> TreeNode {
    TreeNode {
        parent,
        text: format!("{others} {}", if others == 1 { "other" } else { "others" }),
        function: None,
        rank: None,
        site: None,
        calls: sums.calls,
        inclusive_ns: sums.time_ns,
        exclusive_ns: 0,
        waiting_ns: has_waits.then_some(sums.waiting_ns),
        others: Some(others),
    }
}

fn text(scene: &OpenedRun, step: Step<'_>) -> String {
    match step {
        Step::Root => "all calls".to_owned(),
        Step::Rank(rank) => format!("rank {}", scene.dimensions().rank(mpiscope_store::RankId(rank))),
        Step::Frame(frame) => frame.to_owned(),
        Step::Function(id) => mpiscope_abi::name(id).to_owned(),
    }
}
