//! Which elements of a distributed array belong to a process: `MPI_Type_create_darray` (MPI-5.0 §5.1.4).

use mpiscope_abi::Family;

/// How one dimension is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// A piece for each process, of so many elements.
    Block(Option<i64>),
    /// Pieces of so many elements, in turn.
    Cyclic(i64),
    /// Not at all.
    Whole,
}

/// The program's constants for a dimension; `None` when they are not known.
pub fn how(family: Family, distribution: i64, argument: i64) -> Option<How> {
    let (kinds, default) = match family {
        Family::Mpich => ([121, 122, 123], -49767),
        Family::OpenMpi => ([0, 1, 2], -1),
        Family::Standard => ([17, 18, 16], 19),
    };
    let argument = (argument != default).then_some(argument);
    match kinds.iter().position(|&kind| kind == distribution)? {
        0 => Some(How::Block(argument)),
        1 => Some(How::Cyclic(argument.unwrap_or(1))),
        _ => Some(How::Whole),
    }
}

/// Stretches (first and length) of a dimension of `size` elements that the `place`-th of `processes` has.
fn stretches(how: How, size: i64, processes: i64, place: i64, most: usize) -> Option<Vec<(i64, i64)>> {
    let piece = |from: i64, length: i64| (from, length.min(size - from).max(0));
    match how {
        How::Whole => Some(vec![(0, size)]),
        How::Block(length) => {
            let length = length.unwrap_or(size.checked_add(processes - 1)? / processes);
            let from = place.checked_mul(length)?;
            Some(vec![piece(from, length)])
        }
        How::Cyclic(length) if length > 0 => {
            let step = length.checked_mul(processes)?;
            let first = place.checked_mul(length)?;
            let all = (0..).map_while(|k: i64| first.checked_add(k.checked_mul(step)?)).take_while(|&at| at < size);
            let all: Vec<_> = all.map(|at| piece(at, length)).take(most + 1).collect();
            (all.len() <= most).then_some(all)
        }
        How::Cyclic(_) => None,
    }
}

/// Stretches of elements of the whole array, ascending, at most `most` of them. `dimensions` has the size of each, how it is divided and
/// among how many processes.
pub fn pieces(dimensions: &[(i64, How, i64)], rank: i64, fortran_order: bool, most: usize) -> Option<Vec<(i64, i64)>> {
    // Processes are numbered with the last dimension fastest, whatever the order of the array is.
    let mut rest = rank;
    let mut of: Vec<(i64, Vec<(i64, i64)>)> = Vec::new();
    for &(size, how, processes) in dimensions.iter().rev() {
        if size < 1 || processes < 1 {
            return None;
        }
        of.push((size, stretches(how, size, processes, rest % processes, most)?));
        rest /= processes;
    }
    if !fortran_order {
        of.reverse();
    }
    // `of` begins with the slowest dimension now, in both orders.
    let mut rows: Vec<i64> = vec![0];
    let (last, outer) = of.split_last()?;
    for (size, stretches) in outer {
        let elements: Vec<i64> = stretches.iter().flat_map(|&(from, n)| from..from + n).take(most + 1).collect();
        if rows.len().checked_mul(elements.len())? > most {
            return None;
        }
        rows = rows.iter().flat_map(|row| elements.iter().map(move |at| row * size + at)).collect();
    }
    if rows.len().checked_mul(last.1.len())? > most {
        return None;
    }
    let all = rows.iter().flat_map(|row| last.1.iter().map(move |&(from, n)| (row * last.0 + from, n)));
    Some(all.filter(|piece| piece.1 > 0).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_cycles() {
        let line = |how, processes, rank| pieces(&[(10, how, processes)], rank, false, 100).unwrap();
        assert_eq!(line(How::Block(None), 3, 0), [(0, 4)]);
        assert_eq!(line(How::Block(None), 3, 2), [(8, 2)]);
        assert_eq!(line(How::Block(Some(6)), 3, 2), []);
        assert_eq!(line(How::Cyclic(1), 4, 1), [(1, 1), (5, 1), (9, 1)]);
        assert_eq!(line(How::Cyclic(3), 2, 1), [(3, 3), (9, 1)]);
        assert_eq!(line(How::Whole, 1, 0), [(0, 10)]);
    }

    #[test]
    fn constants_of_the_standard_abi() {
        // MPI_DISTRIBUTE_NONE, BLOCK, CYCLIC, and MPI_DISTRIBUTE_DFLT_DARG.
        assert_eq!(how(Family::Standard, 16, 19), Some(How::Whole));
        assert_eq!(how(Family::Standard, 17, 5), Some(How::Block(Some(5))));
        assert_eq!(how(Family::Standard, 18, 19), Some(How::Cyclic(1)));
        assert_eq!(how(Family::Standard, 121, 19), None);
    }

    #[test]
    fn all_processes_have_all_elements_once() {
        for fortran_order in [false, true] {
            let dimensions = [(5, How::Cyclic(2), 2), (7, How::Block(None), 3), (3, How::Whole, 1)];
            let mut seen = vec![0; 5 * 7 * 3];
            for rank in 0..6 {
                for (from, n) in pieces(&dimensions, rank, fortran_order, 1000).unwrap() {
                    (from..from + n).for_each(|at| seen[at as usize] += 1);
                }
            }
            assert!(seen.iter().all(|&n| n == 1), "{seen:?}");
        }
    }

    #[test]
    fn order_of_the_array() {
        let dimensions = [(4, How::Block(None), 2), (6, How::Cyclic(1), 3)];
        // The second half of the rows, every third column from the second on: rank 1 * 3 + 1.
        assert_eq!(pieces(&dimensions, 4, false, 100).unwrap(), [(13, 1), (16, 1), (19, 1), (22, 1)]);
        // The first dimension is the fastest.
        assert_eq!(pieces(&dimensions, 4, true, 100).unwrap(), [(6, 2), (18, 2)]);
    }

    #[test]
    fn too_many_or_nonsense() {
        assert!(pieces(&[(1000, How::Cyclic(1), 2)], 0, false, 100).is_none());
        assert!(pieces(&[(1000, How::Whole, 1), (4, How::Cyclic(1), 2)], 0, false, 1500).is_none());
        assert!(pieces(&[(i64::MAX, How::Block(None), 2)], 1, false, 100).is_none());
        assert!(pieces(&[(10, How::Cyclic(0), 2)], 0, false, 100).is_none());
        assert!(pieces(&[], 0, false, 100).is_none());
    }
}
