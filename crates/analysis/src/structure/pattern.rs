//! What kind of exchange a graph of messages is.

use super::graph::Neighbors;
use super::grid::Grid;

/// Share of edges, or ranks, that makes a pattern.
const MOST: f64 = 0.8;

/// The pattern of the messages: its stable name.
pub(crate) fn of_messages(neighbors: &Neighbors, grid: Option<&Grid>) -> Option<&'static str> {
    let active = neighbors.active();
    let ranks = active.len();
    if ranks < 2 {
        return None;
    }
    let directed = neighbors.among(&active);
    let graph = directed.both_ways();
    // Each edge stands in two lists.
    let links = graph.edges() / 2;
    let degree = |r: usize| graph.out[r].len();
    if (0..ranks).all(|r| degree(r) == 1) {
        return Some("pairs");
    }
    if links as f64 >= MOST * (ranks * (ranks - 1) / 2) as f64 && ranks > 3 {
        return Some("alltoall");
    }
    let reached = graph.distances(0).iter().all(|&d| d != u32::MAX);
    let sends_one = (0..ranks).all(|r| directed.out[r].len() == 1);
    if reached && sends_one && (0..ranks).all(|r| degree(r) == 2) {
        return Some("ring");
    }
    let hub = (0..ranks).max_by_key(|&r| (degree(r), std::cmp::Reverse(r)))?;
    if ranks > 2 && degree(hub) as f64 >= MOST * (ranks - 1) as f64 && degree(hub) as f64 >= MOST * links as f64 {
        return Some("master_worker");
    }
    let is_chain = (0..ranks).all(|r| degree(r) <= 2);
    if reached && links == ranks - 1 && !is_chain {
        return Some("tree");
    }
    if grid.is_some() {
        return Some("halo");
    }
    // Exchanges with a few neighbours, both ways, without a regular grid.
    let mutual = (0..ranks).flat_map(|r| directed.out[r].iter().map(move |&t| (r, t)));
    let mutual = mutual.filter(|&(r, t)| directed.has(t as usize, r)).count();
    let few = graph.edges() as f64 / ranks as f64 <= 26.0 && links * 4 < ranks * (ranks - 1) / 2;
    if few && mutual as f64 >= MOST * directed.edges() as f64 && !is_chain {
        return Some("halo");
    }
    if is_chain && reached {
        return Some("halo");
    }
    Some("irregular")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::structure::grid;

    fn of(out: Vec<Vec<u32>>) -> Option<&'static str> {
        let neighbors = Neighbors { out };
        of_messages(&neighbors, grid::from_messages(&neighbors).as_ref())
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
        let random = (0..20u32).map(|r| vec![(r * 7 + 3) % 20, (r * r + 1) % 20]).map(|mut l| {
            l.sort_unstable();
            l
        });
        assert_eq!(of(random.collect()), Some("irregular"));
    }
}
