//! Wavefronts: a rank receives from one side, computes, and sends to the other side, again and again.
//!
//! A graph of messages cannot distinguish a sweep forth and back from a halo exchange. The order of calls can: in a halo exchange
//! a rank sends before, or to the side it has received from.

use std::collections::BTreeSet;

use mpiscope_abi::role::Role;

use super::nest::{self, Level, Rank};
use crate::explanation::structure::Grid;

/// Part of the groups of calls that have to go straight on.
const MOST: f64 = 0.9;
/// Groups in an iteration, on all ranks together for each rank, below which it is a single exchange.
const LEAST: usize = 1;

/// Signs of the steps along the axes of a grid.
type Way = Vec<i32>;

/// Which ways wavefronts go over a grid: `forward` to larger numbers, `backward`, `both`, or `all`; `None`: there are none.
pub(crate) fn direction(ranks: &[(Rank<'_>, usize, &Level)], grid: &Grid) -> Option<&'static str> {
    let (mut straight, mut other) = (0, 0);
    let mut ways: BTreeSet<Way> = BTreeSet::new();
    for (rank, number, level) in ranks {
        for (from, to) in groups(rank, &nest::turn(rank, level)) {
            match way(*number as u32, &from, &to, grid) {
                Some(way) => {
                    straight += 1;
                    if way.iter().all(|&s| s != 0) {
                        ways.insert(way);
                    }
                }
                None => other += 1,
            }
        }
    }
    if straight < LEAST.max(ranks.len() / 4) || (straight as f64) < MOST * f64::from(straight as u32 + other) {
        return None;
    }
    let has = |sign: i32| ways.iter().any(|way| way.iter().all(|&s| s == sign));
    Some(match (ways.len(), has(1), has(-1)) {
        (0, ..) => return None,
        (1, true, _) => "forward",
        (1, _, true) => "backward",
        (2, true, true) => "both",
        _ => "all",
    })
}

/// Blocking receives and the sends after them: from whom and to whom.
fn groups(rank: &Rank<'_>, turn: &[u16]) -> Vec<(Vec<u32>, Vec<u32>)> {
    let mut found: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    for &letter in turn {
        let meaning = &rank.alphabet.meanings[usize::from(letter)];
        let is_blocking = !rank.tables.function(meaning.place).contains("MPI_I");
        match (meaning.role, meaning.peer.index()) {
            (Role::Receive, Some(peer)) if is_blocking => match found.last_mut() {
                Some((from, to)) if to.is_empty() => from.push(peer as u32),
                _ => found.push((vec![peer as u32], Vec::new())),
            },
            (Role::Send(_), Some(peer)) => {
                if let Some((_, to)) = found.last_mut() {
                    to.push(peer as u32);
                }
            }
            // Whatever else there is ends a group.
            _ => found.push((Vec::new(), Vec::new())),
        }
    }
    found.retain(|(from, to)| !from.is_empty() && !to.is_empty());
    found
}

/// The way of a group that goes straight on.
fn way(rank: u32, from: &[u32], to: &[u32], grid: &Grid) -> Option<Way> {
    let mut signs = vec![0; grid.dims.len()];
    let steps = from.iter().map(|&f| (f, rank)).chain(to.iter().map(|&t| (rank, t)));
    for (a, b) in steps {
        let (mut before, mut after) = (a, b);
        for (axis, &extent) in grid.dims.iter().enumerate().rev() {
            let step = (after % extent).cmp(&(before % extent)) as i32;
            (before, after) = (before / extent, after / extent);
            if step != 0 && signs[axis] == -step {
                return None;
            }
            if step != 0 {
                signs[axis] = step;
            }
        }
    }
    Some(signs)
}
