//! Working sets, and which of them stands for a level of the memory.

/// The smallest working set.
const SMALLEST: usize = 6 << 10;
/// A working set of memory is at least so many times the last cache. STREAM requires four for each array.
const TIMES_LAST: usize = 4;
/// Where the caches are unknown.
pub const UNKNOWN_LAST: usize = 64 << 20;

/// Three times powers of two, so that two or three arrays share them evenly, and none is as large as a cache: from 6 KiB to four
/// times the last cache, if that is not more than `most_bytes`.
pub fn sizes(last_cache: Option<usize>, most_bytes: usize) -> Vec<usize> {
    let enough = TIMES_LAST.saturating_mul(last_cache.unwrap_or(UNKNOWN_LAST));
    let doubled = std::iter::successors(Some(SMALLEST), |&bytes| {
        (bytes < enough).then_some(bytes).and_then(|b| b.checked_mul(2))
    });
    doubled.take_while(|&bytes| bytes <= most_bytes).collect()
}

/// The level behind all caches.
pub const MEMORY: &str = "memory";

/// A level of the memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// `L1`, `L2`, …, `memory`.
    pub name: String,
    /// The working set that stands for it.
    pub bytes: u64,
}

/// The levels with a working set among `sizes`. `caches`: level and size of each cache, the smallest first; `sharing`: how many
/// working sets each of them holds at once.
pub fn levels(caches: &[(u32, u64)], sharing: &[u64], sizes: &[u64]) -> Vec<Level> {
    let mut found = Vec::new();
    let mut below = 0;
    for (at, &(level, bytes)) in caches.iter().enumerate() {
        let own = bytes / sharing.get(at).copied().unwrap_or(1).max(1);
        // Twice the cache below: in the order of the loops, which is always the same, it then keeps nothing. A quarter is left for
        // other data. Between both, far from the ends.
        let middle = (if below == 0 { own / 4 } else { below } as f64 * own as f64).sqrt();
        let fits = sizes.iter().filter(|&&size| size >= 2 * below && size <= own / 4 * 3);
        let distance = |size: u64| (size as f64 / middle).ln().abs();
        if let Some(&bytes) = fits.min_by(|&&a, &&b| distance(a).total_cmp(&distance(b))) {
            found.push(Level { name: format!("L{level}"), bytes });
        }
        below = own;
    }
    // Not all of it fits into the last cache, of which each rank has its part.
    if let Some(&bytes) = sizes.last().filter(|&&bytes| bytes >= (TIMES_LAST as u64 - 1) * below.max(1)) {
        found.push(Level { name: MEMORY.into(), bytes });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn working_sets_end_above_the_last_cache() {
        let found = sizes(Some(32 << 20), usize::MAX);
        assert_eq!((found[0], found[1]), (6 << 10, 12 << 10));
        assert_eq!(found.last(), Some(&(192 << 20)));
        assert_eq!(sizes(Some(32 << 20), 100 << 20).last(), Some(&(96 << 20)));
        assert_eq!(sizes(None, usize::MAX).last(), Some(&(384 << 20)));
        assert!(sizes(Some(1 << 20), 5000).is_empty());
    }

    #[test]
    fn each_level_has_a_working_set_inside_of_it() {
        let caches = [(1, 32 << 10), (2, 512 << 10), (3, 32 << 20)];
        let sizes: Vec<u64> = sizes(Some(32 << 20), usize::MAX).into_iter().map(|bytes| bytes as u64).collect();
        let names = |found: Vec<Level>| found.into_iter().map(|level| (level.name, level.bytes)).collect::<Vec<_>>();
        let level = |name: &str, bytes: u64| (name.to_owned(), bytes);
        let one = [level("L1", 12 << 10), level("L2", 96 << 10), level("L3", 3 << 20), level("memory", 192 << 20)];
        assert_eq!(names(levels(&caches, &[], &sizes)), one);
        assert_eq!(names(levels(&caches, &[1, 1, 2], &sizes)), one);
        // 56 ranks that share 105 MiB have less of it than of their own 2 MiB.
        let large = [(1, 48 << 10), (2, 2 << 20), (3, 105 << 20)];
        let all = names(levels(&large, &[1, 1, 56], &sizes));
        assert_eq!(all.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["L1", "L2", "memory"]);
        // Too little memory for more than the caches.
        assert_eq!(names(levels(&caches, &[], &sizes[..10])).last(), Some(&level("L3", 3 << 20)));
        assert!(levels(&caches, &[], &[]).is_empty());
        assert_eq!(names(levels(&[], &[], &sizes)), [level("memory", 192 << 20)]);
    }
}
