//! Ranks that go through a phase in lockstep: groups that exchange with each other and with no others.

use mpiscope_abi::role::Role;
use mpiscope_store::Dimensions;

use super::tokens::Meaning;
use crate::explanation::structure::{Grid, Phase};

/// Groups that are named.
const MOST_GROUPS: usize = 64;

/// Ranks that one call after the other ties together.
pub(crate) struct Groups {
    parents: Vec<u32>,
}

impl Groups {
    /// Each rank by itself.
    pub fn new(ranks: usize) -> Groups {
        Groups { parents: (0..ranks as u32).collect() }
    }

    fn root(&mut self, rank: u32) -> u32 {
        let mut at = rank;
        while self.parents[at as usize] != at {
            let above = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    fn tie(&mut self, a: u32, b: u32) {
        if (a as usize) < self.parents.len() && (b as usize) < self.parents.len() {
            let (a, b) = (self.root(a), self.root(b));
            self.parents[a.max(b) as usize] = a.min(b);
        }
    }

    /// Calls of a rank.
    pub fn add_call(&mut self, rank: usize, meaning: &Meaning, dimensions: &Dimensions) {
        let rank = rank as u32;
        match meaning.role {
            Role::Collective(_) => {
                let comm = meaning.comm.index().and_then(|c| dimensions.comms.get(c));
                let members = comm.iter().flat_map(|c| &c.members).filter(|m| m.is_some());
                members.for_each(|m| self.tie(rank, m.0));
            }
            _ if meaning.peer.is_some() => {
                self.tie(rank, meaning.peer.0);
                if meaning.peer2.is_some() {
                    self.tie(rank, meaning.peer2.0);
                }
            }
            _ => {}
        }
    }

    /// Groups of one size, if there are several of several ranks; as numbers of ranks.
    pub fn into_groups(mut self) -> Vec<Vec<u32>> {
        let mut found: Vec<Vec<u32>> = vec![Vec::new(); self.parents.len()];
        for rank in 0..self.parents.len() as u32 {
            let root = self.root(rank);
            found[root as usize].push(rank);
        }
        found.retain(|group| group.len() > 1);
        let is_even = found.len() > 1 && found.iter().all(|group| group.len() == found[0].len());
        if is_even { found } else { Vec::new() }
    }
}

/// Names the location of the groups of phases in the grid, with the program's rank numbers.
pub(crate) fn name(phases: &mut [Phase], grid: Option<&Grid>, dimensions: &Dimensions) {
    for phase in phases.iter_mut().filter(|p| !p.groups.is_empty()) {
        let ranks: usize = phase.groups.iter().map(Vec::len).sum();
        let grid = grid.filter(|g| g.dims.iter().product::<u32>() as usize == ranks);
        phase.axis = grid.and_then(|grid| axis(&phase.groups, grid));
        let size = phase.groups[0].len();
        phase.lockstep = match (phase.axis, grid.map_or(0, |g| g.dims.len())) {
            (Some(1), 2) => format!("rows of {size} in lockstep"),
            (Some(0), 2) => format!("columns of {size} in lockstep"),
            (Some(axis), axes) => format!("lines of {size} along axis {} of {axes} in lockstep", axis + 1),
            (None, _) if size == 2 => "pairs in lockstep".to_owned(),
            (None, _) => format!("groups of {size} in lockstep"),
        };
        let world = |r: &i32| dimensions.ranks.get(*r as usize).map_or(-1, |row| row.world_rank);
        for group in &mut phase.groups {
            *group = group.iter().map(world).collect();
        }
        phase.groups.truncate(MOST_GROUPS);
    }
}

/// The axis along which each group is a whole line.
fn axis(groups: &[Vec<i32>], grid: &Grid) -> Option<u32> {
    let mut stride = 1;
    for (axis, &extent) in grid.dims.iter().enumerate().rev() {
        let is_line =
            |group: &Vec<i32>| group.len() == extent as usize && group.windows(2).all(|w| w[1] - w[0] == stride);
        if groups.iter().all(is_line) {
            return Some(axis as u32);
        }
        stride *= extent as i32;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explanation::Confidence;

    #[test]
    fn lines_of_a_grid() {
        let grid = |dims: &[u32]| Grid {
            dims: dims.to_vec(),
            periodic: vec![false; dims.len()],
            source: "messages",
            confidence: Confidence::High,
            reach: None,
            places: Vec::new(),
        };
        assert_eq!(axis(&[vec![0, 1, 2], vec![3, 4, 5]], &grid(&[2, 3])), Some(1));
        assert_eq!(axis(&[vec![0, 3], vec![1, 4], vec![2, 5]], &grid(&[2, 3])), Some(0));
        assert_eq!(axis(&[vec![0, 4], vec![1, 5], vec![2, 3]], &grid(&[2, 3])), None);
    }

    #[test]
    fn groups_are_even_or_none() {
        let mut groups = Groups::new(6);
        for (a, b) in [(0, 1), (1, 2), (3, 5), (5, 4)] {
            groups.tie(a, b);
        }
        assert_eq!(groups.into_groups(), [vec![0, 1, 2], vec![3, 4, 5]]);
        let mut groups = Groups::new(5);
        [(0, 1), (1, 2), (3, 4)].iter().for_each(|&(a, b)| groups.tie(a, b));
        assert!(groups.into_groups().is_empty());
    }
}
