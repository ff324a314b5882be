//! How the rate of memory grows with the number of processors that use it: the largest working set on the first 2, 4, 8, … ranks of a host.

use mpiscope_machine::RankPlace;
use mpiscope_mpi::Rank;

use super::block::Pages;
use super::{Point, parameters};
use crate::doubling::doubles;
use crate::processors::measuring;
use crate::schedule::Place;

/// End of the names of series on some of the processors.
const SUFFIX: &str = "-cores";

/// A loop on some of the processors.
#[derive(Clone, Copy)]
pub struct Case {
    pub point: Point,
    pub cores: usize,
}

impl Case {
    pub fn place(&self) -> Place {
        let series = series(self.point.kernel.name(), self.cores);
        Place { series, x: self.point.bytes as u64, moved: 1.0 }
    }
}

/// Which of the loops one rank makes.
pub struct Share {
    /// So many loops are made by all ranks.
    pub of_all: usize,
    /// For each loop after them, how many ranks make it.
    pub cores: Vec<usize>,
    /// Which of these the rank is; `None` if it is on another host.
    pub number: Option<usize>,
}

impl Share {
    pub fn includes(&self, at: usize) -> bool {
        let cores = at.checked_sub(self.of_all).and_then(|at| self.cores.get(at));
        cores.is_none_or(|&cores| self.number.is_some_and(|number| number < cores))
    }
}

fn series(kernel: &str, cores: usize) -> String {
    format!("{kernel}-{cores}{SUFFIX}")
}

/// The loop of a series, and on how many processors it is made; `None` if it is made on all or on one.
pub fn of_series(series: &str) -> Option<(&str, u64)> {
    let (kernel, cores) = series.strip_suffix(SUFFIX)?.rsplit_once('-')?;
    Some((kernel, cores.parse().ok()?))
}

/// The ranks of the host of rank 0 that measure at once.
pub fn of_first_host(places: &[RankPlace]) -> Vec<Rank> {
    let Some(first) = places.first() else { return Vec::new() };
    let measuring = measuring(places);
    let here = places.iter().filter(|place| place.host == first.host).map(|place| place.rank);
    here.filter(|rank| measuring.binary_search(rank).is_ok()).collect()
}

/// 2, 4, 8, … of these ranks, and all of them if others measure on other hosts. One rank and all ranks are measured anyway.
pub fn numbers(of_host: &[Rank], places: &[RankPlace]) -> Vec<usize> {
    let all = of_host.len();
    doubles(2, all).chain((all > 1 && measuring(places).len() > all).then_some(all)).collect()
}

/// The loops of which every level has a parameter, at the largest working set, on each number of processors.
pub fn cases(points: &[Point], numbers: &[usize]) -> Vec<Case> {
    let last = points.iter().map(|point| point.bytes).max();
    let is_measured = |point: &&Point| {
        Some(point.bytes) == last
            && point.pages == Pages::Small
            && parameters::EVERYWHERE.contains(&point.kernel.name())
    };
    let of = |&cores: &usize| points.iter().filter(is_measured).map(move |&point| Case { point, cores });
    numbers.iter().flat_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::kernels::KERNELS;

    fn places(hosts: &[(&str, usize)]) -> Vec<RankPlace> {
        let of = |&(host, cores): &(&str, usize)| {
            (0..cores).map(move |cpu| (host.to_owned(), cpu.to_string())).collect::<Vec<_>>()
        };
        let all = hosts.iter().flat_map(of).enumerate();
        all.map(|(rank, (host, cpus))| RankPlace { rank: rank as i32, host, cpus }).collect()
    }

    fn chosen(hosts: &[(&str, usize)]) -> Vec<usize> {
        let places = places(hosts);
        numbers(&of_first_host(&places), &places)
    }

    #[test]
    fn processors_are_counted_up_to_all() {
        assert_eq!(chosen(&[("a", 64)]), [2, 4, 8, 16, 32]);
        assert_eq!(chosen(&[("a", 12)]), [2, 4, 8]);
        assert_eq!(chosen(&[("a", 3)]), [2]);
        assert!([0, 1, 2].iter().all(|&cores| chosen(&[("a", cores)]).is_empty()));
        // All ranks are those of both hosts.
        assert_eq!(chosen(&[("a", 6), ("b", 6)]), [2, 4, 6]);
        assert_eq!(chosen(&[("a", 8), ("b", 2)]), [2, 4, 8]);
        assert!(chosen(&[("a", 1), ("b", 1)]).is_empty());
    }

    #[test]
    fn ranks_that_share_a_processor_do_not_count() {
        let mut all = places(&[("a", 4), ("b", 4)]);
        (all[1].cpus, all[2].cpus) = ("0".into(), "7".into());
        assert_eq!(of_first_host(&all), [0, 2, 3]);
    }

    #[test]
    fn a_rank_makes_the_loops_of_all_and_those_of_enough_processors() {
        let made = |number: Option<usize>| {
            let share = Share { of_all: 2, cores: vec![2, 4], number };
            (0..4).map(|at| share.includes(at)).collect::<Vec<_>>()
        };
        assert_eq!(made(Some(1)), [true; 4]);
        assert_eq!(made(Some(2)), [true, true, false, true]);
        assert_eq!([made(Some(4)), made(None)], [[true, true, false, false]; 2]);
    }

    #[test]
    fn three_loops_of_memory_are_made() {
        let point = |bytes: usize, pages: Pages| KERNELS.map(|kernel| Point { kernel, pages, bytes });
        let points = [point(6 << 10, Pages::Small), point(6 << 20, Pages::Small), point(6 << 20, Pages::Huge)].concat();
        let found: Vec<Place> = cases(&points, &[2, 16]).iter().map(Case::place).collect();
        let names: Vec<&str> = found.iter().map(|place| place.series.as_str()).collect();
        assert_eq!(names.len(), 6);
        assert!(names.contains(&"triad-2-cores") && names.contains(&"read-16-cores"), "{names:?}");
        assert!(found.iter().all(|place| place.x == 6 << 20));
        assert_eq!(of_series("triad-16-cores"), Some(("triad", 16)));
        assert_eq!([of_series("triad"), of_series("read-huge"), of_series("x-cores")], [None; 3]);
    }
}
