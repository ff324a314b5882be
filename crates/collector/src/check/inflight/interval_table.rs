//! Which ranges of memory are in use: intervals, by number.
//!
//! A treap ordered by where intervals begin; each node has the furthest end below it, so those that intersect a range are
//! found in O(log n) for each of them. Many may cover the same bytes.

/// Intervals `[begin, end)` with a number each.
#[derive(Default)]
pub struct Table {
    nodes: Vec<Node>,
    free: Vec<u32>,
    root: u32,
    random: u64,
    len: usize,
}

#[derive(Clone, Copy)]
struct Node {
    begin: u64,
    end: u64,
    id: u64,
    /// Largest end of the subtree.
    reach: u64,
    priority: u32,
    left: u32,
    right: u32,
}

/// Nodes count from 1.
const NONE: u32 = 0;

impl Table {
    /// Nothing is in it.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize - 1]
    }

    fn node_mut(&mut self, at: u32) -> &mut Node {
        &mut self.nodes[at as usize - 1]
    }

    fn reach(&self, at: u32) -> u64 {
        if at == NONE { 0 } else { self.node(at).reach }
    }

    fn renew(&mut self, at: u32) {
        let node = *self.node(at);
        let reach = node.end.max(self.reach(node.left)).max(self.reach(node.right));
        self.node_mut(at).reach = reach;
    }

    /// Those before `key`, and the others.
    fn split(&mut self, at: u32, key: (u64, u64)) -> (u32, u32) {
        if at == NONE {
            return (NONE, NONE);
        }
        let node = *self.node(at);
        let halves = if (node.begin, node.id) < key {
            let (low, high) = self.split(node.right, key);
            self.node_mut(at).right = low;
            (at, high)
        } else {
            let (low, high) = self.split(node.left, key);
            self.node_mut(at).left = high;
            (low, at)
        };
        self.renew(at);
        halves
    }

    fn merge(&mut self, low: u32, high: u32) -> u32 {
        if low == NONE || high == NONE {
            return low | high;
        }
        if self.node(low).priority > self.node(high).priority {
            let right = self.merge(self.node(low).right, high);
            self.node_mut(low).right = right;
            self.renew(low);
            low
        } else {
            let left = self.merge(low, self.node(high).left);
            self.node_mut(high).left = left;
            self.renew(high);
            high
        }
    }

    /// Adds one; no two have the same beginning and number.
    pub fn insert(&mut self, begin: u64, end: u64, id: u64) {
        self.random = self.random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let priority = (self.random >> 32) as u32;
        let node = Node { begin, end, id, reach: end, priority, left: NONE, right: NONE };
        let new = match self.free.pop() {
            Some(at) => {
                *self.node_mut(at) = node;
                at
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32
            }
        };
        let (low, high) = self.split(self.root, (begin, id));
        let low = self.merge(low, new);
        self.root = self.merge(low, high);
        self.len += 1;
    }

    /// Takes one out.
    pub fn remove(&mut self, begin: u64, id: u64) {
        let (low, rest) = self.split(self.root, (begin, id));
        let (one, high) = self.split(rest, (begin, id + 1));
        if one != NONE {
            self.free.push(one);
            self.len -= 1;
        }
        self.root = self.merge(low, high);
    }

    /// Shows those that have bytes in `[begin, end)`, until the callback stops.
    pub fn meeting(&self, begin: u64, end: u64, mut show: impl FnMut(u64) -> bool) {
        self.visit(self.root, begin, end, &mut show);
    }

    fn visit(&self, at: u32, begin: u64, end: u64, show: &mut impl FnMut(u64) -> bool) -> bool {
        if at == NONE || self.node(at).reach <= begin {
            return true;
        }
        let node = self.node(at);
        if !self.visit(node.left, begin, end, show) {
            return false;
        }
        if node.begin >= end {
            return true;
        }
        if node.end > begin && !show(node.id) {
            return false;
        }
        self.visit(node.right, begin, end, show)
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_random::Random;
    use super::*;

    #[test]
    fn as_a_list_would_answer() {
        let mut random = Random::new(7);
        let mut table = Table::default();
        let mut list: Vec<(u64, u64, u64)> = Vec::new();
        for id in 0..4000u64 {
            if random.below(3) == 0 && !list.is_empty() {
                let (begin, _, id) = list.swap_remove(random.below(list.len() as u64) as usize);
                table.remove(begin, id);
            } else {
                let begin = random.below(500);
                let end = begin + 1 + random.below(40);
                table.insert(begin, end, id);
                list.push((begin, end, id));
            }
            let from = random.below(550);
            let to = from + random.below(30);
            let mut found = Vec::new();
            table.meeting(from, to, |id| {
                found.push(id);
                true
            });
            found.sort_unstable();
            let mut wanted: Vec<u64> =
                list.iter().filter(|(b, e, _)| *b < to && *e > from && from < to).map(|l| l.2).collect();
            wanted.sort_unstable();
            if from < to {
                assert_eq!(found, wanted);
            }
            assert_eq!(table.is_empty(), list.is_empty());
        }
        assert!(table.nodes.len() < 3000, "places are used again: {}", table.nodes.len());
    }

    #[test]
    fn ends_when_told() {
        let mut table = Table::default();
        (0..10).for_each(|id| table.insert(id, 20, id));
        let mut seen = 0;
        table.meeting(0, 20, |_| {
            seen += 1;
            seen < 3
        });
        assert_eq!(seen, 3);
    }
}
