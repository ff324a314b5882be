//! Ranks as a grid, and who their neighbours are.

use mpiscope_mpi::Rank;

/// Which places of a grid are neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stencil {
    /// One dimension.
    Two,
    /// Two dimensions, across edges.
    Four,
    /// Two dimensions, also across corners.
    Eight,
    /// Three dimensions, across faces.
    Six,
    /// Three dimensions, also across edges and corners.
    TwentySix,
}

/// Those of more than one dimension.
pub const STENCILS: [Stencil; 4] = [Stencil::Four, Stencil::Eight, Stencil::Six, Stencil::TwentySix];

impl Stencil {
    /// The number of neighbours, which is its name.
    pub fn name(self) -> &'static str {
        match self {
            Stencil::Two => "2",
            Stencil::Four => "4",
            Stencil::Eight => "8",
            Stencil::Six => "6",
            Stencil::TwentySix => "26",
        }
    }

    pub fn dimensions(self) -> usize {
        match self {
            Stencil::Two => 1,
            Stencil::Four | Stencil::Eight => 2,
            Stencil::Six | Stencil::TwentySix => 3,
        }
    }

    /// Steps to the neighbours. The opposite of the step at `i` is the one at `len - 1 - i`.
    pub fn steps(self) -> Vec<Vec<i32>> {
        let dimensions = self.dimensions();
        let step = |number: usize| (0..dimensions).map(|at| (number / 3usize.pow(at as u32) % 3) as i32 - 1).collect();
        let is_face = |step: &Vec<i32>| step.iter().filter(|&&along| along != 0).count() == 1;
        let all = (0..3usize.pow(dimensions as u32)).map(step).filter(|step: &Vec<i32>| step.iter().any(|&s| s != 0));
        match self {
            Stencil::Two | Stencil::Four | Stencil::Six => all.filter(is_face).collect(),
            Stencil::Eight | Stencil::TwentySix => all.collect(),
        }
    }
}

/// A grid of ranks, the last dimension varying fastest, as `MPI_Cart_create` numbers them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    pub dims: Vec<i32>,
    pub is_periodic: bool,
}

impl Grid {
    /// A grid that is as close to a square or a cube as the number of ranks allows; a prime number becomes a line.
    pub fn of(ranks: i32, dimensions: usize, is_periodic: bool) -> Grid {
        let mut dims = Vec::new();
        let mut left = ranks.max(1);
        for remaining in (1..=dimensions).rev() {
            let root = f64::from(left).powf(1.0 / remaining as f64) + 1e-9;
            let extent =
                if remaining == 1 { left } else { (1..=root as i32).rev().find(|n| left % n == 0).unwrap_or(1) };
            dims.push(extent);
            left /= extent;
        }
        dims.sort_unstable_by(|a, b| b.cmp(a));
        Grid { dims, is_periodic }
    }

    pub fn ranks(&self) -> i32 {
        self.dims.iter().product()
    }

    pub fn place(&self, rank: Rank) -> Vec<i32> {
        let mut left = rank;
        let mut place: Vec<i32> = self
            .dims
            .iter()
            .rev()
            .map(|extent| {
                let at = left % extent;
                left /= extent;
                at
            })
            .collect();
        place.reverse();
        place
    }

    /// The rank that is one step away; `None` beyond the edge, or if it is the rank itself.
    pub fn neighbour(&self, rank: Rank, step: &[i32]) -> Option<Rank> {
        let mut found = 0;
        for ((at, step), extent) in self.place(rank).into_iter().zip(step).zip(&self.dims) {
            let to = at + step;
            if !self.is_periodic && !(0..*extent).contains(&to) {
                return None;
            }
            found = found * extent + to.rem_euclid(*extent);
        }
        (found != rank).then_some(found)
    }

    /// Messages that a rank sends in one exchange.
    pub fn messages_of(&self, rank: Rank, stencil: Stencil) -> usize {
        stencil.steps().iter().filter(|step| self.neighbour(rank, step).is_some()).count()
    }

    /// The same for the average rank.
    pub fn messages(&self, stencil: Stencil) -> f64 {
        let all: usize = (0..self.ranks()).map(|rank| self.messages_of(rank, stencil)).sum();
        all as f64 / f64::from(self.ranks())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_are_balanced() {
        let dims = |ranks, dimensions| Grid::of(ranks, dimensions, true).dims;
        assert_eq!([dims(16, 2), dims(12, 2), dims(7, 2), dims(1, 2)], [[4, 4], [4, 3], [7, 1], [1, 1]]);
        assert_eq!([dims(8, 3), dims(16, 3), dims(64, 3), dims(5, 3)], [[2, 2, 2], [4, 2, 2], [4, 4, 4], [5, 1, 1]]);
        for ranks in 1..200 {
            assert_eq!((Grid::of(ranks, 2, false).ranks(), Grid::of(ranks, 3, false).ranks()), (ranks, ranks));
        }
    }

    #[test]
    fn steps_have_opposites() {
        for stencil in STENCILS {
            let steps = stencil.steps();
            assert_eq!(steps.len().to_string(), stencil.name());
            for (step, opposite) in steps.iter().zip(steps.iter().rev()) {
                assert!(step.iter().zip(opposite).all(|(a, b)| *a == -b), "{step:?} {opposite:?}");
            }
        }
    }

    #[test]
    fn neighbours_are_mutual() {
        for ranks in [2, 3, 4, 7, 12, 16] {
            for (stencil, is_periodic) in STENCILS.into_iter().flat_map(|s| [(s, true), (s, false)]) {
                let grid = Grid::of(ranks, stencil.dimensions(), is_periodic);
                let steps = stencil.steps();
                for rank in 0..ranks {
                    for (step, opposite) in steps.iter().zip(steps.iter().rev()) {
                        let Some(to) = grid.neighbour(rank, step) else { continue };
                        assert_eq!(grid.neighbour(to, opposite), Some(rank), "{grid:?}");
                    }
                }
            }
        }
        let torus = Grid::of(16, 2, true);
        assert_eq!((torus.messages(Stencil::Four), torus.messages(Stencil::Eight)), (4.0, 8.0));
        // Without wrapping, 2 · 4 · 3 edges with a message each way.
        assert_eq!(Grid::of(16, 2, false).messages(Stencil::Four), 3.0);
        // A line of three: wrapping across the line would be a message to itself.
        assert_eq!(Grid::of(3, 2, true).messages(Stencil::Four), 2.0);
        assert_eq!(Grid::of(1, 3, true).messages(Stencil::TwentySix), 0.0);
    }
}
