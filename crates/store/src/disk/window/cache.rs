//! A cache of decoded row groups with a size limit.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// A cache by key `K`: by default, file and row group.
pub(super) struct Cache<T, K = (usize, usize)> {
    most_bytes: usize,
    kept: Mutex<CacheEntries<T, K>>,
}

struct CacheEntries<T, K> {
    bytes: usize,
    /// Advances with each use.
    clock: u64,
    entries: HashMap<K, Entry<T>>,
}

struct Entry<T> {
    value: Arc<T>,
    bytes: usize,
    used: u64,
}

impl<T, K: Copy + Eq + Hash> Cache<T, K> {
    pub fn new(most_bytes: usize) -> Cache<T, K> {
        Cache { most_bytes, kept: Mutex::new(CacheEntries { bytes: 0, clock: 0, entries: HashMap::new() }) }
    }

    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    pub fn get(&self, key: K) -> Option<Arc<T>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let clock = kept.clock;
        let entry = kept.entries.get_mut(&key)?;
        entry.used = clock;
        Some(entry.value.clone())
    }

    /// Stores a value, and removes the least recently used ones. (There are at most a few hundred entries, so that a search is
    /// quick.)
    pub fn put(&self, key: K, value: Arc<T>, bytes: usize) {
        if bytes > self.most_bytes {
            return;
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.clock += 1;
        let used = kept.clock;
        if let Some(old) = kept.entries.insert(key, Entry { value, bytes, used }) {
            kept.bytes -= old.bytes;
        }
        kept.bytes += bytes;
        while kept.bytes > self.most_bytes {
            let Some(oldest) = kept.entries.iter().min_by_key(|(_, e)| e.used).map(|(key, _)| *key) else { return };
            if let Some(gone) = kept.entries.remove(&oldest) {
                kept.bytes -= gone.bytes;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_not_used_for_longest_goes() {
        let cache = Cache::new(10);
        for at in 0..3 {
            cache.put((0, at), Arc::new(at), 4);
            assert!(cache.get((0, 0)).is_some());
        }
        assert_eq!((cache.get((0, 1)), cache.get((0, 2)).as_deref()), (None, Some(&2)));
        cache.put((0, 0), Arc::new(7), 8);
        assert_eq!((cache.get((0, 0)).as_deref(), cache.get((0, 2))), (Some(&7), None));
        cache.put((1, 0), Arc::new(9), 11);
        assert!(cache.get((1, 0)).is_none() && cache.get((0, 0)).is_some());
    }
}
