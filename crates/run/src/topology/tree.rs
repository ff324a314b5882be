//! Fat trees: nodes at leaf switches, these at switches above, up to one root (or a set of roots that counts as one).

/// Number of children of a switch of each level.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Nodes of a leaf switch, leaf switches of a switch of the second level, and so on.
    pub arity: Vec<u32>,
    /// Links of a switch of each level to the level above; from the last given level on, as many as nodes below it.
    pub uplinks: Vec<u32>,
}

impl Tree {
    /// Nodes.
    pub fn nodes(&self) -> u64 {
        self.arity.iter().map(|&n| u64::from(n)).product()
    }

    /// `tree of 2 levels, 16 nodes a leaf switch`.
    pub fn describe(&self) -> String {
        let levels = self.arity.len();
        let s = |n: usize| if n == 1 { "" } else { "s" };
        let nodes = self.arity[0];
        format!("tree of {levels} level{}, {nodes} node{} a leaf switch", s(levels), s(nodes as usize))
    }

    /// Number of a node's leaf switch.
    pub fn leaf(&self, node: u64) -> u64 {
        node / u64::from(self.arity[0])
    }

    /// Number of switches on the path: up to the lowest common one and down again.
    pub fn hops(&self, a: u64, b: u64) -> u32 {
        if a == b {
            return 0;
        }
        let (mut a, mut b, mut level) = (a, b, 0);
        for &arity in &self.arity {
            if a == b {
                break;
            }
            (a, b, level) = (a / u64::from(arity), b / u64::from(arity), level + 1);
        }
        2 * level - 1
    }
}
