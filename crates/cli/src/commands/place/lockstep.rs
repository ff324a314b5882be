//! Ranks in lockstep: what to keep on one node.

use mpiscope_analysis::Explanation;
use mpiscope_analysis::structure::Phase;
use mpiscope_place::Named;
use mpiscope_units::rank_list;
use serde::Serialize;

/// Ranks of a group that are listed, and groups.
const MOST_RANKS: usize = 8;
const MOST_GROUPS: usize = 4;
/// Orders that are named.
const MOST_ORDERS: usize = 5;

/// The groups of a phase, and how many of them each order keeps on one node.
#[derive(Serialize)]
pub struct Lockstep {
    /// As in the report, from 1.
    phase: usize,
    name: String,
    /// `rows of 5 in lockstep`.
    lockstep: String,
    groups: Vec<Vec<i32>>,
    /// In the order of the orders.
    kept: Vec<usize>,
}

/// Of all phases with groups.
pub fn lockstep(explanation: &Explanation, orders: &[Named]) -> Vec<Lockstep> {
    let in_lockstep = explanation.phases.iter().enumerate().filter(|(_, phase)| !phase.lockstep.is_empty());
    let one = |(at, phase): (usize, &Phase)| Lockstep {
        phase: at + 1,
        name: phase.name.clone(),
        lockstep: phase.lockstep.clone(),
        groups: phase.groups.clone(),
        kept: orders.iter().map(|order| kept(&phase.groups, &order.nodes)).collect(),
    };
    in_lockstep.map(one).collect()
}

/// How many groups are on one node each.
fn kept(groups: &[Vec<i32>], nodes: &[u32]) -> usize {
    let node = |rank: &i32| usize::try_from(*rank).ok().and_then(|rank| nodes.get(rank));
    let is_kept =
        |group: &&Vec<i32>| group.first().is_some_and(|first| group.iter().all(|rank| node(rank) == node(first)));
    groups.iter().filter(is_kept).count()
}

impl Lockstep {
    /// In a sentence.
    pub fn line(&self, orders: &[&str]) -> String {
        let groups: Vec<String> =
            self.groups.iter().take(MOST_GROUPS).map(|group| rank_list(group, MOST_RANKS)).collect();
        let more = if self.groups.len() > MOST_GROUPS { "; ..." } else { "" };
        let all = self.groups.len();
        let of = |is_wanted: &dyn Fn(usize) -> bool, name: &dyn Fn(&str, usize) -> String| {
            let wanted = self.kept.iter().zip(orders).filter(|(kept, _)| is_wanted(**kept));
            let names: Vec<String> = wanted.map(|(kept, id)| name(id, *kept)).collect();
            let more = if names.len() > MOST_ORDERS { ", ..." } else { "" };
            names[..names.len().min(MOST_ORDERS)].join(", ") + more
        };
        let whole = of(&|kept| kept == all, &|id, _| id.to_owned());
        let part = of(&|kept| kept > 0 && kept < all, &|id, kept| format!("{id} {kept} of {all}"));
        let mut text = format!(
            "Phase {} ({}): {}; each belongs on one node ({}{more}). ",
            self.phase,
            self.name,
            self.lockstep,
            groups.join("; ")
        );
        text += &match whole.is_empty() {
            true => "No order keeps all of them there.".to_owned(),
            false => format!("Orders that keep all of them there: {whole}."),
        };
        if !part.is_empty() {
            text += &format!(" Some of them: {part}.");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_kept_where_their_ranks_share_a_node() {
        let groups = vec![vec![0, 2], vec![1, 3]];
        let orders = [[0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 0, 2]];
        let kept: Vec<usize> = orders.iter().map(|nodes| kept(&groups, nodes)).collect();
        assert_eq!(kept, [2, 0, 1]);
        let one = Lockstep { phase: 2, name: "solve".into(), lockstep: "pairs in lockstep".into(), groups, kept };
        assert_eq!(
            one.line(&["by-node", "by-slot", "best"]),
            "Phase 2 (solve): pairs in lockstep; each belongs on one node (0,2; 1,3). Orders that keep all of them there: by-node. Some of them: best 1 of 2."
        );
    }
}
