//! Equal work between two operations of all ranks.
//!
//! Where all ranks make the same calls in such a section, what they compute before each of them is compared. Otherwise only what a rank computes altogether
//! counts. A rank that computes longer than the mean computes less where it computes longest: the excess most likely comes from there, and what comes before the
//! other calls stays as it is. One that computes less than the mean computes longer everywhere by the same factor, or, if it computes nothing, before its first call.

use std::ops::Range;

/// A rank that computes less than this part of the mean has nothing that could be made longer.
const NOTHING: f32 = 0.01;

/// A call: the number of its site, and what the rank computes before it, ns.
type Call = (u32, f32);

/// See the module.
#[derive(Debug)]
pub(crate) struct Sections {
    all: Vec<Section>,
    ranks: Vec<OfRank>,
}

#[derive(Debug)]
struct Section {
    /// What a rank computes in it, as the mean of all, ns.
    mean_ns: f32,
    /// Where all make the same calls, what a rank computes before each of them, as the mean of all, ns.
    calls_ns: Vec<f32>,
}

#[derive(Debug, Default)]
struct OfRank {
    /// By section: the number of its first call.
    starts: Vec<u32>,
    /// By section.
    changes: Vec<Change>,
    /// The last section that got its mean as a whole, counted from 1.
    given: usize,
}

/// What becomes of the computing before the calls of a section.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    /// At most so long, ns.
    AtMost(f32),
    /// So many times as long.
    Times(f32),
    /// The mean, before the first call.
    Mean,
    /// As the mean before each call.
    Alike,
}

impl Sections {
    /// From the calls of each rank, and how many calls it has made up to each operation of all ranks.
    pub fn new(calls: &[Vec<Call>], met: &[Vec<u32>]) -> Sections {
        let starts = |met: &Vec<u32>| std::iter::once(0).chain(met.iter().copied()).collect::<Vec<u32>>();
        let starts: Vec<Vec<u32>> = met.iter().map(starts).collect();
        let of = |rank: usize, section: usize| -> &[Call] {
            section_of(&starts[rank], section, calls[rank].len()).map_or(&[], |range| &calls[rank][range])
        };
        let ranks = || 0..calls.len();
        let section = |number: usize| {
            let sum_ns: f32 = ranks().flat_map(|rank| of(rank, number)).map(|(_, ns)| ns).sum();
            let sites = |rank: usize| of(rank, number).iter().map(|(site, _)| *site);
            let is_alike = ranks().skip(1).all(|rank| sites(rank).eq(sites(0)));
            let mean_ns = |at: usize| ranks().map(|rank| of(rank, number)[at].1).sum::<f32>() / calls.len() as f32;
            let calls_ns = if is_alike { (0..of(0, number).len()).map(mean_ns).collect() } else { Vec::new() };
            Section { mean_ns: sum_ns / calls.len() as f32, calls_ns }
        };
        let all: Vec<Section> = (0..starts.iter().map(Vec::len).max().unwrap_or(0)).map(section).collect();
        let change = |rank: usize, number: usize| match &all[number] {
            section if section.calls_ns.is_empty() => {
                let own_ns = of(rank, number).iter().map(|(_, ns)| *ns).filter(|ns| *ns > 0.0).collect();
                change(own_ns, section.mean_ns)
            }
            _ => Change::Alike,
        };
        let rank = |rank: usize| {
            let changes = (0..starts[rank].len()).map(|number| change(rank, number)).collect();
            OfRank { starts: starts[rank].clone(), changes, given: 0 }
        };
        Sections { ranks: ranks().map(rank).collect(), all }
    }

    /// What a rank computes before its call of this number, before which it has computed for `gap_ns`.
    pub fn equal_ns(&mut self, rank: usize, number: u32, gap_ns: u64) -> Option<u64> {
        let of = self.ranks.get_mut(rank)?;
        let section = of.starts.partition_point(|start| *start <= number).checked_sub(1)?;
        let Section { mean_ns, calls_ns } = self.all.get(section)?;
        Some(match *of.changes.get(section)? {
            Change::AtMost(most_ns) => gap_ns.min(most_ns as u64),
            Change::Times(factor) => (gap_ns as f64 * f64::from(factor)) as u64,
            Change::Mean if of.given > section => 0,
            Change::Mean => {
                of.given = section + 1;
                *mean_ns as u64
            }
            Change::Alike => *calls_ns.get((number - of.starts[section]) as usize)? as u64,
        })
    }
}

/// The calls of a section, if the rank comes to it.
fn section_of(starts: &[u32], section: usize, calls: usize) -> Option<Range<usize>> {
    let start = *starts.get(section)? as usize;
    Some(start..starts.get(section + 1).map_or(calls, |end| *end as usize))
}

/// From what a rank computes before the calls of a section to what it computes with equal work.
fn change(mut own_ns: Vec<f32>, mean_ns: f32) -> Change {
    let sum_ns: f32 = own_ns.iter().sum();
    if sum_ns <= mean_ns * NOTHING {
        return Change::Mean;
    }
    if sum_ns <= mean_ns {
        return Change::Times(mean_ns / sum_ns);
    }
    // The shortest stay while an equal part of what is left is longer than they are.
    own_ns.sort_by(f32::total_cmp);
    let (mut left_ns, count) = (mean_ns, own_ns.len());
    for (at, ns) in own_ns.into_iter().enumerate() {
        let part_ns = left_ns / (count - at) as f32;
        if ns > part_ns {
            return Change::AtMost(part_ns);
        }
        left_ns -= ns;
    }
    Change::Times(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_computing_becomes_shorter() {
        assert_eq!(change(vec![100.0, 300.0], 205.0), Change::AtMost(105.0));
        assert_eq!(change(vec![300.0, 10.0, 300.0], 110.0), Change::AtMost(50.0));
        assert_eq!(change(vec![50.0, 50.0], 200.0), Change::Times(2.0));
        assert_eq!(change(vec![], 200.0), Change::Mean);
        assert_eq!(change(vec![70.0], 70.0), Change::Times(1.0));
    }

    #[test]
    fn each_section_has_a_mean_of_its_own() {
        let calls = [vec![(1, 100.0), (1, 300.0), (2, 50.0)], vec![(1, 0.0), (2, 0.0), (2, 150.0)]];
        let mut sections = Sections::new(&calls, &[vec![2], vec![2]]);
        assert_eq!([(0, 100), (1, 300)].map(|(at, ns)| sections.equal_ns(0, at, ns)), [Some(100), Some(100)]);
        assert_eq!([0, 1].map(|at| sections.equal_ns(1, at, 0)), [Some(200), Some(0)]);
        assert_eq!([sections.equal_ns(0, 2, 50), sections.equal_ns(1, 2, 150)], [Some(100), Some(100)]);
    }

    #[test]
    fn the_same_calls_are_compared_one_by_one() {
        let calls = [vec![(1, 10.0), (1, 2.0), (3, 0.0)], vec![(1, 30.0), (1, 0.0), (3, 2.0), (4, 7.0)]];
        let mut sections = Sections::new(&calls, &[vec![3], vec![3]]);
        for rank in [0, 1] {
            assert_eq!([0, 1, 2].map(|at| sections.equal_ns(rank, at, 5)), [Some(20), Some(1), Some(1)]);
        }
        assert_eq!((sections.equal_ns(1, 3, 7), sections.equal_ns(2, 0, 7)), (Some(3), None));
    }
}
