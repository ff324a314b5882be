//! What one collective operation moves between its members, by its algorithm.
//!
//! The model of the run ([`mpiscope_model::simulation`]) has the same algorithms, and their sources; it needs moments, and here are sums.

use mpiscope_model::simulation::{Algorithm, Data};

/// What one member sends to another one in an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Place of the sender among the members.
    pub from: usize,
    /// Place of the receiver.
    pub to: usize,
    /// Messages.
    pub messages: u64,
    /// Their payload.
    pub bytes: u64,
}

/// Of an operation of so many members with this root; `bytes` is the block of one rank, or all data of broadcasts and reductions.
pub fn transfers(data: Data, algorithm: Algorithm, members: usize, root: usize, bytes: u64) -> Vec<Transfer> {
    let mut of = Transfers { members, root, found: Vec::new() };
    if members < 2 || data == Data::Nothing {
        return of.found;
    }
    let p = members as u64;
    match (data, algorithm) {
        (Data::Broadcast, Algorithm::ScatterAllgather) => {
            let block = bytes.div_ceil(p);
            of.tree(true, &|subtree| block * subtree);
            of.shift(1, p - 1, block);
        }
        (Data::Broadcast, Algorithm::Pipeline) => of.chain(bytes),
        (Data::Broadcast, Algorithm::Linear) => of.star(true, bytes),
        (Data::Broadcast, _) => of.tree(true, &|_| bytes),
        (Data::Scatter, Algorithm::Linear) => of.star(true, bytes),
        (Data::Scatter, _) => of.tree(true, &|subtree| bytes * subtree),
        (Data::Gather, Algorithm::Linear) => of.star(false, bytes),
        (Data::Gather, _) => of.tree(false, &|subtree| bytes * subtree),
        (Data::Reduce, Algorithm::ScatterAllgather) => {
            of.exchanges(Some(bytes), &|step| bytes >> (step + 1));
            of.tree(false, &|subtree| bytes.div_ceil(p) * subtree);
        }
        (Data::Reduce, Algorithm::Linear) => of.star(false, bytes),
        (Data::Reduce, _) => of.tree(false, &|_| bytes),
        (Data::Allreduce, Algorithm::Ring) => of.shift(1, 2 * (p - 1), bytes.div_ceil(p)),
        (Data::Allreduce, Algorithm::Rabenseifner) => {
            let part = |step: u32| bytes >> (step + 1);
            of.exchanges(Some(bytes), &part);
            of.exchanges(None, &part);
        }
        (Data::Allreduce, _) => of.exchanges(Some(bytes), &|_| bytes),
        (Data::Allgather, Algorithm::RecursiveDoubling) if p.is_power_of_two() => {
            of.exchanges(None, &|step| bytes << step);
        }
        (Data::Allgather, Algorithm::Bruck) => {
            for distance in powers(members) {
                of.shift(distance, 1, bytes * (distance as u64).min(p - distance as u64));
            }
        }
        (Data::Allgather, _) => of.shift(1, p - 1, bytes),
        (Data::Alltoall, Algorithm::Bruck) => {
            for distance in powers(members) {
                // Blocks whose number has this bit.
                let blocks = (1..members).filter(|number| number & distance != 0).count() as u64;
                of.shift(distance, 1, bytes * blocks);
            }
        }
        (Data::ReduceScatter, Algorithm::RecursiveDoubling) => {
            of.exchanges(Some(bytes * p), &|step| (bytes * p) >> (step + 1));
        }
        (Data::Alltoall | Data::ReduceScatter, _) => (1..members).for_each(|distance| of.shift(distance, 1, bytes)),
        (Data::Scan, Algorithm::Linear) => of.chain(bytes),
        (Data::Scan, _) => {
            for distance in powers(members) {
                let partners = (0..members).map(|at| (at, at ^ distance)).filter(|pair| pair.1 < members);
                partners.for_each(|(from, to)| of.add(from, to, 1, bytes));
            }
        }
        (Data::Nothing, _) => {}
    }
    of.found
}

/// 1, 2, 4, … below a number.
fn powers(below: usize) -> impl Iterator<Item = usize> {
    (0..usize::BITS).map(|k| 1usize << k).take_while(move |power| *power < below)
}

struct Transfers {
    members: usize,
    root: usize,
    found: Vec<Transfer>,
}

impl Transfers {
    fn add(&mut self, from: usize, to: usize, messages: u64, bytes: u64) {
        self.found.push(Transfer { from, to, messages, bytes });
    }

    /// From the root, or to it, between members that are numbered from it on.
    fn of_root(&mut self, is_from_root: bool, parent: usize, child: usize, bytes: u64) {
        let place = |relative: usize| (relative + self.root) % self.members;
        let (parent, child) = (place(parent), place(child));
        let (from, to) = if is_from_root { (parent, child) } else { (child, parent) };
        self.add(from, to, 1, bytes);
    }

    /// A binomial tree; what passes an edge depends on how many members are below it.
    fn tree(&mut self, is_from_root: bool, bytes: &dyn Fn(u64) -> u64) {
        for child in 1..self.members {
            let lowest = 1 << child.trailing_zeros();
            let subtree = lowest.min(self.members - child) as u64;
            self.of_root(is_from_root, child - lowest, child, bytes(subtree));
        }
    }

    fn star(&mut self, is_from_root: bool, bytes: u64) {
        (1..self.members).for_each(|child| self.of_root(is_from_root, 0, child, bytes));
    }

    /// From each to the next one, the last one aside.
    fn chain(&mut self, bytes: u64) {
        (1..self.members).for_each(|child| self.of_root(true, child - 1, child, bytes));
    }

    /// From each to the one at this distance, in a circle.
    fn shift(&mut self, distance: usize, times: u64, bytes: u64) {
        for from in 0..self.members {
            self.add(from, (from + distance) % self.members, times, bytes * times);
        }
    }

    /// Exchanges at doubled distances. Of a number that is not a power of two, some members first give all their data to a neighbour, which takes part for them, and get the
    /// result from it: `outside` bytes each.
    fn exchanges(&mut self, outside: Option<u64>, bytes: &dyn Fn(u32) -> u64) {
        let core = if self.members.is_power_of_two() { self.members } else { self.members.next_power_of_two() / 2 };
        let rest = self.members - core;
        let place = |number: usize| if number < rest { 2 * number + 1 } else { number + rest };
        if let Some(outside) = outside {
            for pair in 0..rest {
                self.add(2 * pair, 2 * pair + 1, 1, outside);
                self.add(2 * pair + 1, 2 * pair, 1, outside);
            }
        }
        for (step, distance) in (0..).zip(powers(core)) {
            for number in 0..core {
                self.add(place(number), place(number ^ distance), 1, bytes(step));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that each member sends and receives.
    fn sums(data: Data, algorithm: Algorithm, members: usize, root: usize, bytes: u64) -> Vec<(u64, u64)> {
        let mut sums = vec![(0, 0); members];
        for one in transfers(data, algorithm, members, root, bytes) {
            assert_ne!(one.from, one.to);
            sums[one.from].0 += one.bytes;
            sums[one.to].1 += one.bytes;
        }
        sums
    }

    #[test]
    fn each_member_gets_what_the_root_sends() {
        for algorithm in [Algorithm::Binomial, Algorithm::Linear, Algorithm::Pipeline] {
            for (at, (_, received)) in sums(Data::Broadcast, algorithm, 6, 2, 600).into_iter().enumerate() {
                assert_eq!(received, if at == 2 { 0 } else { 600 }, "{algorithm:?}");
            }
        }
        // The root sends its subtrees: of 8, 4 + 2 + 1 blocks.
        assert_eq!(sums(Data::Scatter, Algorithm::Binomial, 8, 0, 10)[0], (70, 0));
        assert_eq!(sums(Data::Scatter, Algorithm::Binomial, 6, 0, 10)[0], (50, 0));
        assert_eq!(sums(Data::Gather, Algorithm::Binomial, 8, 3, 10)[3], (0, 70));
        // Scatter, and p − 1 blocks of a ring.
        let of = sums(Data::Broadcast, Algorithm::ScatterAllgather, 8, 0, 800);
        assert_eq!((of[0].0, of[7]), (700 + 700, (700, 100 + 700)));
    }

    #[test]
    fn what_all_exchange() {
        let all = |data, algorithm, members, bytes| {
            let of = sums(data, algorithm, members, 0, bytes);
            assert!(of.iter().all(|sum| sum == &of[0] && sum.0 == sum.1), "{data:?} {algorithm:?}: {of:?}");
            of[0].0
        };
        assert_eq!(all(Data::Allreduce, Algorithm::RecursiveDoubling, 8, 100), 300);
        assert_eq!(all(Data::Allreduce, Algorithm::Rabenseifner, 8, 800), 1400);
        assert_eq!(all(Data::Allreduce, Algorithm::Ring, 8, 800), 1400);
        for algorithm in [Algorithm::Bruck, Algorithm::RecursiveDoubling, Algorithm::Ring] {
            assert_eq!(all(Data::Allgather, algorithm, 8, 10), 70);
        }
        assert_eq!(all(Data::Allgather, Algorithm::Bruck, 6, 10), 50);
        assert_eq!(all(Data::Alltoall, Algorithm::Pairwise, 6, 10), 50);
        // Each block moves as often as its number has bits.
        assert_eq!(all(Data::Alltoall, Algorithm::Bruck, 4, 10), 40);
        assert_eq!(all(Data::ReduceScatter, Algorithm::RecursiveDoubling, 8, 10), 70);
        assert_eq!(sums(Data::Nothing, Algorithm::RecursiveDoubling, 4, 0, 0), [(0, 0); 4]);
    }

    #[test]
    fn members_beyond_a_power_of_two_give_their_data_to_a_neighbour() {
        // 0 and 1 are one of two numbers, 2 is the other one.
        let found = transfers(Data::Allreduce, Algorithm::RecursiveDoubling, 3, 0, 10);
        let pairs: Vec<(usize, usize)> = found.iter().map(|one| (one.from, one.to)).collect();
        assert_eq!(pairs, [(0, 1), (1, 0), (1, 2), (2, 1)]);
    }

    #[test]
    fn neighbours_of_a_tree_are_those_of_a_binomial_one() {
        let found = transfers(Data::Broadcast, Algorithm::Binomial, 4, 1, 10);
        let pairs: Vec<(usize, usize)> = found.iter().map(|one| (one.from, one.to)).collect();
        assert_eq!(pairs, [(1, 2), (1, 3), (3, 0)]);
    }
}
