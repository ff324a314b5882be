//! Equal work between two operations of all ranks.
//!
//! Places of calls do not count here, only what a rank computes altogether in such a section. A rank that computes longer than the mean computes less where it computes
//! longest: the excess most likely comes from there, and what comes before the other calls stays as it is. One that computes less than the mean computes longer
//! everywhere by the same factor, or, if it computes nothing, before its first call.

/// A rank that computes less than this part of the mean has nothing that could be made longer.
const NOTHING: f32 = 0.01;

/// See the module.
#[derive(Debug)]
pub(crate) struct Sections {
    /// By section: what a rank computes, as the mean of all, ns.
    means_ns: Vec<f32>,
    ranks: Vec<OfRank>,
}

#[derive(Debug, Default)]
struct OfRank {
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
}

impl Sections {
    /// From what each rank computes before each call, with the section of the call; sections count from 0.
    pub fn new<'a, Calls: Iterator<Item = (f32, u32)>>(ranks: impl Iterator<Item = Calls> + 'a) -> Sections {
        let by_section = |calls: Calls| {
            let mut found: Vec<Vec<f32>> = Vec::new();
            for (ns, section) in calls {
                let section = section as usize;
                if found.len() <= section {
                    found.resize_with(section + 1, Vec::new);
                }
                if ns > 0.0 {
                    found[section].push(ns);
                }
            }
            found
        };
        let own_ns: Vec<Vec<Vec<f32>>> = ranks.map(by_section).collect();
        let mut means_ns = vec![0.0; own_ns.iter().map(Vec::len).max().unwrap_or(0)];
        for of in &own_ns {
            means_ns.iter_mut().zip(of).for_each(|(mean, ns)| *mean += ns.iter().sum::<f32>() / own_ns.len() as f32);
        }
        let rank = |of: Vec<Vec<f32>>| {
            let changes = of.into_iter().zip(&means_ns).map(|(own_ns, mean_ns)| change(own_ns, *mean_ns)).collect();
            OfRank { changes, given: 0 }
        };
        Sections { ranks: own_ns.into_iter().map(rank).collect(), means_ns }
    }

    /// What a rank computes before its next call, before which it has computed for `gap_ns`.
    pub fn equal_ns(&mut self, rank: usize, section: usize, gap_ns: u64) -> Option<u64> {
        let mean_ns = *self.means_ns.get(section)?;
        let of = self.ranks.get_mut(rank)?;
        Some(match *of.changes.get(section)? {
            Change::AtMost(most_ns) => gap_ns.min(most_ns as u64),
            Change::Times(factor) => (gap_ns as f64 * f64::from(factor)) as u64,
            Change::Mean if of.given > section => 0,
            Change::Mean => {
                of.given = section + 1;
                mean_ns as u64
            }
        })
    }
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
        let ranks = [vec![(100.0, 0), (300.0, 0), (50.0, 1)], vec![(0.0, 0), (0.0, 0), (150.0, 1)]];
        let mut sections = Sections::new(ranks.into_iter().map(Vec::into_iter));
        assert_eq!([100, 300].map(|ns| sections.equal_ns(0, 0, ns)), [Some(100), Some(100)]);
        assert_eq!([0, 0].map(|ns| sections.equal_ns(1, 0, ns)), [Some(200), Some(0)]);
        assert_eq!([sections.equal_ns(0, 1, 50), sections.equal_ns(1, 1, 150)], [Some(100), Some(100)]);
        assert_eq!(sections.equal_ns(0, 2, 50), None);
    }
}
