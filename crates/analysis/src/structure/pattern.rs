//! What kind of exchange a graph of messages is.

use super::graph::{Graph, Neighbors};
use crate::explanation::structure::{Grid, PatternDetails};

/// Share of edges, or ranks, that makes a pattern.
const MOST: f64 = 0.8;
/// Bytes of a message above which exchanges along a hypercube are halos and not the steps of a sum.
const MOST_OF_SUM: u64 = 64;

/// The pattern of the messages: its stable name, and more about it. `sizes`: of messages that one call sends to one rank.
pub(crate) fn of_messages(
    neighbors: &Neighbors,
    graph: &Graph,
    sizes: u32,
    grid: Option<&Grid>,
    sweep: Option<&'static str>,
) -> Option<(&'static str, PatternDetails)> {
    let active = neighbors.active();
    let directed = neighbors.among(&active);
    let both = directed.both_ways();
    let mut details = PatternDetails::default();
    let is_sum = sizes <= 1 && is_butterfly(&both, &active, graph);
    let name = name(&directed, &both, &active, is_sum, grid, sweep)?;
    match name {
        "halo" => details.neighbors = both.out.iter().map(|to| to.len() as u32).max(),
        "pipeline" => {
            let is_forward = directed.out.iter().enumerate().any(|(r, to)| to.iter().any(|&t| t as usize > r));
            details.direction = Some(if is_forward { "forward" } else { "backward" });
        }
        "sweep" => details.direction = sweep,
        _ => {}
    }
    Some((name, details))
}

/// `directed` and `both` are among `active` ranks alone, the latter without directions; `is_sum` where they are those of a
/// butterfly.
fn name(
    directed: &Neighbors,
    both: &Neighbors,
    active: &[usize],
    is_sum: bool,
    grid: Option<&Grid>,
    sweep: Option<&'static str>,
) -> Option<&'static str> {
    let ranks = active.len();
    if ranks < 2 {
        return None;
    }
    // Each edge stands in two lists.
    let links = both.edges() / 2;
    let degree = |r: usize| both.out[r].len();
    if is_transposed(both, active) {
        return Some("transpose");
    }
    if (0..ranks).all(|r| degree(r) == 1) {
        return Some(if directed.edges() == links && ranks == 2 { "pipeline" } else { "pairs" });
    }
    if links as f64 >= MOST * (ranks * (ranks - 1) / 2) as f64 && ranks > 3 {
        return Some("alltoall");
    }
    let reached = both.distances(0).iter().all(|&d| d != u32::MAX);
    let sends_one = (0..ranks).all(|r| directed.out[r].len() == 1);
    if reached && sends_one && (0..ranks).all(|r| degree(r) == 2) {
        return Some("ring");
    }
    let is_chain = reached && links == ranks - 1 && (0..ranks).all(|r| degree(r) <= 2);
    // Of each link one direction alone.
    if is_chain && directed.edges() == links && ranks > 2 {
        return Some("pipeline");
    }
    let hub = (0..ranks).max_by_key(|&r| (degree(r), std::cmp::Reverse(r)))?;
    let is_middle = is_chain && 0 < hub && hub < ranks - 1;
    if ranks > 2
        && degree(hub) as f64 >= MOST * (ranks - 1) as f64
        && degree(hub) as f64 >= MOST * links as f64
        && !is_middle
    {
        return Some("master_worker");
    }
    if reached && links == ranks - 1 && !is_chain {
        return Some("tree");
    }
    if is_sum {
        return Some("butterfly");
    }
    if sweep.is_some() {
        return Some("sweep");
    }
    if grid.is_some() {
        return Some("halo");
    }
    // Exchanges with a few neighbours, both ways, without a regular grid.
    let mutual = (0..ranks).flat_map(|r| directed.out[r].iter().map(move |&t| (r, t)));
    let mutual = mutual.filter(|&(r, t)| directed.has(t as usize, r)).count();
    let few = both.edges() as f64 / ranks as f64 <= 26.0 && links * 4 < ranks * (ranks - 1) / 2;
    if few && mutual as f64 >= MOST * directed.edges() as f64 && !is_chain {
        return Some("halo");
    }
    if is_chain || ranks == 3 && reached {
        return Some("halo");
    }
    Some("irregular")
}

/// Each rank with those whose numbers differ in one bit, and messages of a few numbers.
fn is_butterfly(both: &Neighbors, active: &[usize], graph: &Graph) -> bool {
    let ranks = active.len();
    let bits = ranks.trailing_zeros();
    if ranks < 8 || !ranks.is_power_of_two() {
        return false;
    }
    let is_step = |r: usize, to: u32| (r as u32 ^ to).is_power_of_two();
    let all = both.out.iter().enumerate();
    let fits = all.into_iter().all(|(r, to)| to.len() == bits as usize && to.iter().all(|&t| is_step(r, t)));
    let small = |e: &super::graph::Edge| e.bytes <= MOST_OF_SUM * e.messages;
    fits && active.iter().flat_map(|&r| &graph.edges[r]).all(small)
}

/// Each rank of a square with the one across its diagonal.
fn is_transposed(both: &Neighbors, active: &[usize]) -> bool {
    // Those on the diagonal keep what they have.
    let Some(&last) = active.last() else { return false };
    let side = ((last + 2) as f64).sqrt().round() as usize;
    if side < 3 || active.len() != side * (side - 1) {
        return false;
    }
    let across = |r: usize| r % side * side + r / side;
    both.out.iter().enumerate().all(|(r, to)| to.len() == 1 && active[to[0] as usize] == across(active[r]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::grid;

    fn of(out: Vec<Vec<u32>>) -> Option<&'static str> {
        let neighbors = Neighbors { out };
        let graph = Graph::new(neighbors.ranks());
        of_messages(&neighbors, &graph, 1, grid::from_messages(&neighbors).as_ref(), None).map(|p| p.0)
    }

    fn sorted(mut list: Vec<u32>) -> Vec<u32> {
        list.sort_unstable();
        list
    }

    #[test]
    fn patterns() {
        let n = 8u32;
        assert_eq!(of((0..n).map(|r| vec![(r + 1) % n]).collect()), Some("ring"));
        assert_eq!(of((0..n).map(|r| vec![r ^ 1]).collect()), Some("pairs"));
        let star = |r| if r == 0 { (1..n).collect() } else { vec![0] };
        assert_eq!(of((0..n).map(star).collect()), Some("master_worker"));
        assert_eq!(of((0..n).map(|r| (0..n).filter(|&t| t != r).collect()).collect()), Some("alltoall"));
        let chain = |r: u32| [r.checked_sub(1), Some(r + 1).filter(|&t| t < n)].into_iter().flatten().collect();
        assert_eq!(of((0..n).map(chain).collect()), Some("halo"));
        // Binomial tree of a reduction: the lowest bit that is set is cleared.
        assert_eq!(of((0..n).map(|r| if r == 0 { vec![] } else { vec![r & (r - 1)] }).collect()), Some("tree"));
        assert_eq!(of(vec![Vec::new(); 4]), None);
        assert_eq!(of((0..n).map(|r| if r + 1 < n { vec![r + 1] } else { vec![] }).collect()), Some("pipeline"));
        // No messages of no bytes are large: sums along a hypercube.
        assert_eq!(of((0..n).map(|r| vec![r ^ 1, r ^ 2, r ^ 4]).map(sorted).collect()), Some("butterfly"));
        let across = |r: u32| Some(r % 4 * 4 + r / 4).filter(|&t| t != r).into_iter().collect();
        assert_eq!(of((0..16).map(across).collect()), Some("transpose"));
        // Three in a row: with the middle one, or around a master.
        assert_eq!(of(vec![vec![1], vec![0, 2], vec![1]]), Some("halo"));
        assert_eq!(of(vec![vec![1, 2], vec![0], vec![0]]), Some("master_worker"));
        let random = (0..20u32).map(|r| vec![(r * 7 + 3) % 20, (r * r + 1) % 20]).map(|mut l| {
            l.sort_unstable();
            l
        });
        assert_eq!(of(random.collect()), Some("irregular"));
    }
}
