//! Tori and meshes of any number of dimensions.

/// Extents, and which dimensions are periodic.
#[derive(Clone, Debug)]
pub struct Torus {
    /// Nodes along each dimension, each at least 1; their product is at most `MOST_NODES`.
    pub shape: Vec<u32>,
    /// Whether the last node of a dimension is linked to its first.
    pub wrap: Vec<bool>,
    /// Dimensions in the order in which node numbers count them, the fastest first.
    pub order: Vec<usize>,
}

impl Torus {
    /// Nodes.
    pub fn nodes(&self) -> u64 {
        self.shape.iter().map(|&extent| u64::from(extent)).product()
    }

    /// `torus 4x4x2`; `mesh 4x4` if no dimension is periodic.
    pub fn describe(&self) -> String {
        let extents: Vec<String> = self.shape.iter().map(u32::to_string).collect();
        let shape = extents.join("x");
        let open: Vec<String> = (0..self.wrap.len()).filter(|&d| !self.wrap[d]).map(|d| d.to_string()).collect();
        match open.len() {
            0 => format!("torus {shape}"),
            n if n == self.wrap.len() => format!("mesh {shape}"),
            _ => format!("torus {shape}, open in dimension {}", open.join(", ")),
        }
    }

    /// Position of a node, by dimension.
    pub fn coordinates(&self, node: u64) -> Vec<u32> {
        let mut at = vec![0; self.shape.len()];
        let mut left = node;
        for &dimension in &self.order {
            let extent = u64::from(self.shape[dimension]);
            at[dimension] = (left % extent) as u32;
            left /= extent;
        }
        at
    }

    /// The next node in a dimension, round the ring.
    pub fn next(&self, node: u64, dimension: usize, grows: bool) -> u64 {
        let mut stride = 1;
        for &other in self.order.iter().take_while(|&&other| other != dimension) {
            stride *= u64::from(self.shape[other]);
        }
        let extent = u64::from(self.shape[dimension]);
        let at = node / stride % extent;
        let moved = (at + if grows { 1 } else { extent - 1 }) % extent;
        node - at * stride + moved * stride
    }

    /// Links on a shortest path. Coordinates are computed in place: large runs have millions of pairs.
    pub fn hops(&self, mut a: u64, mut b: u64) -> u32 {
        let along = |&d: &usize| {
            let extent = u64::from(self.shape[d]);
            let straight = (a % extent).abs_diff(b % extent);
            (a, b) = (a / extent, b / extent);
            (if self.wrap[d] { straight.min(extent - straight) } else { straight }) as u32
        };
        self.order.iter().map(along).sum()
    }
}
