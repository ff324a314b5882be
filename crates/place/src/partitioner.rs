//! Orders by METIS (Karypis and Kumar, "A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs", SIAM J. Sci. Comput.
//! 20, 1998). Decision 48 compares it with the other ways to find an order.

use metis::Graph;
use metis::option::{NCuts, UFactor};

use crate::partition::{Ties, balanced, crossing};

/// METIS adds weights of 32 bits.
const MOST_WEIGHT: u64 = 1 << 30;
/// Ranks up to which several partitions are made, of which the best one counts.
const FEW_RANKS: usize = 8192;

/// Few bytes between nodes, with as many ranks on each as `sizes` has. `None` where METIS has no use: nodes with one rank each, or no messages.
pub fn by_metis(ties: &Ties, sizes: &[usize]) -> Option<Vec<u32>> {
    let ranks = ties.len();
    let all: u64 = ties.iter().flatten().map(|tie| tie.1).sum();
    if sizes.len() < 2 || ranks < 2 * sizes.len() || all == 0 || sizes.iter().sum::<usize>() != ranks {
        return None;
    }
    let unit = all / MOST_WEIGHT + 1;
    let mut starts = vec![0];
    let (mut others, mut weights) = (Vec::new(), Vec::new());
    for list in ties {
        others.extend(list.iter().map(|tie| tie.0 as i32));
        weights.extend(list.iter().map(|tie| (tie.1 / unit).max(1) as i32));
        starts.push(i32::try_from(others.len()).ok()?);
    }
    let shares: Vec<f32> = sizes.iter().map(|&size| size as f32 / ranks as f32).collect();
    let cuts = if ranks > FEW_RANKS { 1 } else { 8 };
    let made = [true, false].into_iter().filter_map(|is_kway| {
        let mut part = vec![0; ranks];
        let graph = Graph::new(1, i32::try_from(sizes.len()).ok()?, &starts, &others).ok()?;
        let graph = graph.set_adjwgt(&weights).set_tpwgts(&shares).set_option(UFactor(1)).set_option(NCuts(cuts));
        let made = if is_kway { graph.part_kway(&mut part) } else { graph.part_recursive(&mut part) };
        made.ok()?;
        let mut nodes = part.into_iter().map(u32::try_from).collect::<Result<Vec<u32>, _>>().ok()?;
        balanced(ties, &mut nodes, sizes);
        Some(nodes)
    });
    made.min_by_key(|nodes| crossing(ties, nodes))
}
