//! Where the blocks of a message are in memory, and the loops that a program would write.

use mpiscope_mpi::{Datatypes, ELEMENT, Layout, MpiError};

/// How the blocks are described to the MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Vector,
    /// At irregular distances.
    Indexed,
    /// Records of integers and floating-point numbers.
    Struct,
    Subarray,
}

pub const SHAPES: [Shape; 4] = [Shape::Vector, Shape::Indexed, Shape::Struct, Shape::Subarray];

impl Shape {
    /// Stable name.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Vector => "vector",
            Shape::Indexed => "indexed",
            Shape::Struct => "struct",
            Shape::Subarray => "subarray",
        }
    }

    /// The function that makes the type.
    pub fn function(self) -> &'static str {
        match self {
            Shape::Vector => "MPI_Type_vector",
            Shape::Indexed => "MPI_Type_indexed",
            Shape::Struct => "MPI_Type_create_struct",
            Shape::Subarray => "MPI_Type_create_subarray",
        }
    }
}

/// Blocks of elements with gaps between them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blocks {
    pub shape: Shape,
    pub count: usize,
    /// Elements of a block.
    pub block: usize,
    /// Elements from the begin of one to that of the next; on average, if they are irregular.
    pub distance: usize,
}

impl Blocks {
    /// Bytes of all blocks.
    pub fn message(&self) -> usize {
        self.count * self.block * ELEMENT
    }

    /// Bytes of the memory in which they are.
    pub fn room(&self) -> usize {
        self.count * self.distance * ELEMENT
    }

    pub fn layout(&self, calls: &Datatypes) -> Result<Layout, MpiError> {
        let Blocks { count, block, distance, .. } = *self;
        match self.shape {
            Shape::Vector => calls.vector(count, block, distance),
            Shape::Indexed => calls.indexed(block, &(0..count).map(|at| self.begin(at)).collect::<Vec<_>>()),
            Shape::Struct => calls.records(count, block, distance),
            Shape::Subarray => calls.subarray(count, block, distance),
        }
    }

    /// The first element of a block.
    fn begin(&self, at: usize) -> usize {
        let shift = match self.shape {
            // Anywhere within its distance; no regularity that an MPI could find.
            Shape::Indexed => ((at * 7919) >> 3) % (self.distance - self.block + 1),
            _ => 0,
        };
        at * self.distance + shift
    }

    /// Copies the blocks to a message without gaps.
    pub fn pack(&self, from: &[u8], into: &mut [u8]) {
        let bytes = self.block * ELEMENT;
        for (at, into) in into.chunks_exact_mut(bytes).take(self.count).enumerate() {
            copy(&from[self.begin(at) * ELEMENT..][..bytes], into);
        }
    }

    /// Copies a message without gaps to the blocks.
    pub fn unpack(&self, from: &[u8], into: &mut [u8]) {
        let bytes = self.block * ELEMENT;
        for (at, from) in from.chunks_exact(bytes).take(self.count).enumerate() {
            copy(from, &mut into[self.begin(at) * ELEMENT..][..bytes]);
        }
    }

    /// Bytes of the memory that belong to no block.
    pub fn gaps(&self) -> impl Iterator<Item = usize> {
        let of_block = move |at: usize| {
            let (begin, end) = (self.begin(at), self.begin(at) + self.block);
            let next = if at + 1 == self.count { self.count * self.distance } else { self.begin(at + 1) };
            let before = if at == 0 { 0..begin } else { 0..0 };
            before.chain(end..next)
        };
        (0..self.count).flat_map(of_block).flat_map(|element| element * ELEMENT..(element + 1) * ELEMENT)
    }
}

/// Copies a block of the same length. One element without a call, as a program's loop does.
fn copy(from: &[u8], into: &mut [u8]) {
    match (<[u8; ELEMENT]>::try_from(from), into) {
        (Ok(from), into) if into.len() == ELEMENT => into.copy_from_slice(&from),
        (_, into) => into.copy_from_slice(from),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_from_its_blocks() {
        for shape in SHAPES {
            for block in [1, 3] {
                let blocks = Blocks { shape, count: 17, block, distance: block * 2 };
                let sent: Vec<u8> = (0..blocks.message()).map(|at| at as u8).collect();
                let mut spread = vec![0xff; blocks.room()];
                blocks.unpack(&sent, &mut spread);
                let mut found = vec![0; sent.len()];
                blocks.pack(&spread, &mut found);
                assert_eq!(found, sent, "{blocks:?}");
                assert!(blocks.gaps().all(|at| spread[at] == 0xff), "{blocks:?}");
                assert_eq!(blocks.gaps().count() + sent.len(), blocks.room());
            }
        }
    }

    #[test]
    fn indexed_blocks_are_irregular_and_do_not_overlap() {
        let blocks = Blocks { shape: Shape::Indexed, count: 100, block: 2, distance: 8 };
        let begins: Vec<usize> = (0..100).map(|at| blocks.begin(at)).collect();
        assert!(begins.windows(2).all(|pair| pair[0] + 2 <= pair[1]));
        let steps: std::collections::BTreeSet<usize> = begins.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.len() > 3, "{steps:?}");
        assert!(begins[99] + 2 <= 800);
    }
}
