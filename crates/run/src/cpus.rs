//! Sets of logical processors, in the kernel's list format.

use std::collections::BTreeMap;

/// Processors as sorted, separate ranges: memory is proportional to the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuSet(Vec<(u32, u32)>);

impl CpuSet {
    /// Parses `0-3,8`. Anything else than numbers and ranges is skipped.
    pub fn parse(text: &str) -> CpuSet {
        let range = |item: &str| {
            let (first, last) = item.split_once('-').unwrap_or((item, item));
            let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some((first, last))
        };
        let mut ranges: Vec<(u32, u32)> = text.split(',').filter_map(range).collect();
        ranges.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (first, last) in ranges {
            match merged.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => merged.push((first, last)),
            }
        }
        CpuSet(merged)
    }

    /// First and last of each range.
    pub fn stretches(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.0.iter().copied()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether it contains all of `other`.
    pub fn contains(&self, other: &CpuSet) -> bool {
        let within = |&(first, last): &(u32, u32)| {
            let after = self.0.partition_point(|&(start, _)| start <= first);
            self.0[..after].last().is_some_and(|&(_, end)| last <= end)
        };
        other.0.iter().all(within)
    }

    /// Whether the two have a processor in common.
    pub fn meets(&self, other: &CpuSet) -> bool {
        let touches = |&(first, last): &(u32, u32)| {
            let after = self.0.partition_point(|&(start, _)| start <= last);
            self.0[..after].last().is_some_and(|&(_, end)| first <= end)
        };
        other.0.iter().any(touches)
    }
}

/// Parts of a machine of one kind, by number.
#[derive(Clone, Debug, Default)]
pub struct Domains(Vec<(u32, CpuSet)>);

impl Domains {
    /// Numbered in order.
    pub fn numbered(lists: &[String]) -> Domains {
        Domains(lists.iter().enumerate().map(|(number, list)| (number as u32, CpuSet::parse(list))).collect())
    }

    /// With given numbers.
    pub fn named(lists: &BTreeMap<u32, String>) -> Domains {
        Domains(lists.iter().map(|(&number, list)| (number, CpuSet::parse(list))).collect())
    }

    /// Number of parts.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Numbers of the parts that a set overlaps.
    pub fn touched_by(&self, cpus: &CpuSet) -> Vec<u32> {
        self.0.iter().filter(|(_, own)| own.meets(cpus)).map(|&(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_read() {
        assert_eq!(CpuSet::parse("8,0-3,4"), CpuSet(vec![(0, 4), (8, 8)]));
        assert!(CpuSet::parse("").is_empty() && CpuSet::parse("x,3-1,-").is_empty());
        assert_eq!(CpuSet::parse("0-4294967295,7"), CpuSet(vec![(0, u32::MAX)]));
        let domains = Domains::numbered(&["0-1,4-5".into(), "2-3,6-7".into()]);
        assert_eq!(domains.touched_by(&CpuSet::parse("5-6")), [0, 1]);
        assert_eq!(domains.touched_by(&CpuSet::parse("3,7")), [1]);
    }

    proptest! {
        #[test]
        fn sets_are_sets(a in proptest::collection::btree_set(0u32..24, 0..12), b in proptest::collection::btree_set(0u32..24, 0..12)) {
            let text = |set: &std::collections::BTreeSet<u32>| set.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
            let (x, y) = (CpuSet::parse(&text(&a)), CpuSet::parse(&text(&b)));
            prop_assert_eq!(x.contains(&y), b.is_subset(&a));
            prop_assert_eq!(x.meets(&y), !a.is_disjoint(&b));
            prop_assert_eq!(x.is_empty(), a.is_empty());
        }
    }
}
