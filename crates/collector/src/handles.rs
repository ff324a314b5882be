//! Maps handle words to ids, without locks, for every call.
//!
//! An open-addressing table that only grows: freed handles keep their slot with id 0, since MPIs reuse the same words. Growing
//! creates a new table and leaks the old one, which a reader may still be using; with doubling, all old ones together are as
//! large as the last.

use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

struct Slot {
    /// Handle + 1, 0 for an empty slot.
    key: AtomicU64,
    id: AtomicU32,
}

struct Table {
    slots: Box<[Slot]>,
    used: AtomicU32,
}

/// See the module's text.
pub struct Handles(AtomicPtr<Table>);

impl Table {
    fn new(size: usize) -> *mut Table {
        let slots = (0..size).map(|_| Slot { key: AtomicU64::new(0), id: AtomicU32::new(0) }).collect();
        Box::into_raw(Box::new(Table { slots, used: AtomicU32::new(0) }))
    }
    #[inline(always)]
    fn slot(&self, key: u64) -> (&Slot, bool) {
        let mask = self.slots.len() - 1;
        let mut at = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize & mask;
        loop {
            let slot = &self.slots[at];
            let here = slot.key.load(Ordering::Acquire);
            if here == key || here == 0 {
                return (slot, here == key);
            }
            at = (at + 1) & mask;
        }
    }
}

impl Handles {
    /// An empty table.
    pub const fn new() -> Handles {
        Handles(AtomicPtr::new(std::ptr::null_mut()))
    }

    /// The id of `handle`, 0 when it is not known.
    #[inline(always)]
    pub fn id(&self, handle: u64) -> u32 {
        let table = self.0.load(Ordering::Acquire);
        if table.is_null() {
            return 0;
        }
        // SAFETY: tables are never freed.
        let (slot, found) = unsafe { &*table }.slot(handle.wrapping_add(1));
        if found { slot.id.load(Ordering::Acquire) } else { 0 }
    }

    /// Sets the id of `handle`. Callers hold the process lock.
    pub fn set(&self, handle: u64, id: u32) {
        let mut table = self.0.load(Ordering::Acquire);
        if table.is_null() {
            table = Table::new(256);
            self.0.store(table, Ordering::Release);
        }
        // SAFETY: tables are never freed.
        let mut now = unsafe { &*table };
        let key = handle.wrapping_add(1);
        if now.slot(key).1 {
            now.slot(key).0.id.store(id, Ordering::Release);
            return;
        }
        if now.used.load(Ordering::Relaxed) as usize * 2 >= now.slots.len() {
            let larger = Table::new(now.slots.len() * 2);
            // SAFETY: just made.
            let next = unsafe { &*larger };
            for slot in &now.slots {
                let old = slot.key.load(Ordering::Relaxed);
                if old != 0 {
                    next.insert(old, slot.id.load(Ordering::Relaxed));
                }
            }
            self.0.store(larger, Ordering::Release);
            now = next;
        }
        now.insert(key, id);
    }
}

impl Table {
    fn insert(&self, key: u64, id: u32) {
        let slot = self.slot(key).0;
        slot.id.store(id, Ordering::Release);
        slot.key.store(key, Ordering::Release);
        self.used.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn behaves_as_a_map() {
        let handles = Handles::new();
        let mut model = HashMap::new();
        let mut x = 1u64;
        for i in 1..5000u32 {
            x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let key = (x >> 50) * 64;
            handles.set(key, i);
            model.insert(key, i);
        }
        assert!(model.iter().all(|(&k, &v)| handles.id(k) == v));
        assert_eq!(handles.id(7), 0);
    }
}
