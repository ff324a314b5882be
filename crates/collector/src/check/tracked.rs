//! Objects that the program creates and frees, by their handles.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use mpiscope_abi::spec::class;

/// Hashes words; they come from allocators and tables, so one multiplication spreads them well enough.
#[derive(Default)]
pub struct WordHasher(u64);

impl Hasher for WordHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(value.into());
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(value.into());
    }
    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0.rotate_left(5) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }
}

/// A map with words as keys.
pub type WordMap<K, V> = HashMap<K, V, BuildHasherDefault<WordHasher>>;

/// The state of a handle.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracked {
    /// How often it was returned to the program and not yet freed.
    pub live: u32,
    /// A predefined object, which always exists.
    pub predefined: bool,
    /// For datatypes: `MPI_Type_commit` has succeeded.
    pub committed: bool,
    /// The MPI returned it and the program need not free it, so its end is unknown.
    pub borrowed: bool,
    /// Id in the rank file, if it has one.
    pub id: u32,
    /// Call site of its creation.
    pub site: u32,
    /// The function that created it.
    pub function: u16,
    /// Its number in the order of creation.
    pub number: u64,
}

/// All objects of the process.
#[derive(Default)]
pub struct Objects {
    all: WordMap<(u8, u64), Tracked>,
    made: u64,
    generation: u64,
}

impl Objects {
    /// The state of a handle.
    #[inline(always)]
    pub fn get(&self, class: u8, handle: u64) -> Option<&Tracked> {
        self.all.get(&(class, handle))
    }

    /// A number that grows with each change, from 1.
    #[inline(always)]
    pub fn generation(&self) -> u64 {
        self.generation + 1
    }

    /// Something else about an object has changed.
    pub fn changed(&mut self) {
        self.generation += 1;
    }

    /// The state of a handle, mutable.
    pub fn get_mut(&mut self, class: u8, handle: u64) -> Option<&mut Tracked> {
        self.changed();
        self.all.get_mut(&(class, handle))
    }

    /// A predefined object.
    pub fn predefined(&mut self, class: u8, handle: u64) {
        self.generation += 1;
        self.all.insert((class, handle), Tracked { live: 1, predefined: true, committed: true, ..Tracked::default() });
    }

    /// The MPI returned a handle.
    pub fn made(&mut self, class: u8, handle: u64, new: Tracked) {
        self.made += 1;
        self.generation += 1;
        let number = self.made;
        let entry = self.all.entry((class, handle)).or_default();
        if entry.predefined {
            return;
        }
        // The same group twice is one handle that is to be freed twice.
        let counted = matches!(class, class::GROUP | class::ERRHANDLER);
        let live = if counted { entry.live + 1 } else { 1 };
        let committed = entry.live > 0 && entry.committed;
        *entry = Tracked { live, number, committed: new.committed | committed, ..new };
    }

    /// The MPI returned a handle that may exist already: it has to be freed once more.
    pub fn given(&mut self, class: u8, handle: u64, new: Tracked) {
        match self.all.get_mut(&(class, handle)) {
            Some(known) if known.predefined => {}
            Some(known) if known.live > 0 => {
                self.generation += 1;
                known.live += 1;
            }
            _ => self.made(class, handle, new),
        }
    }

    /// A handle was freed.
    pub fn freed(&mut self, class: u8, handle: u64) {
        self.generation += 1;
        if let Some(entry) = self.all.get_mut(&(class, handle))
            && !entry.predefined
        {
            entry.live = entry.live.saturating_sub(1);
        }
    }

    /// Whether a handle of another class has this value.
    pub fn is_other(&self, class: u8, handle: u64) -> bool {
        (class::COMM..class::REQUEST).any(|c| c != class && self.get(c, handle).is_some_and(|t| t.live > 0))
    }

    /// The objects of a class that still exist, in the order of their creation.
    pub fn left(&self, class: u8) -> Vec<Tracked> {
        let mut left: Vec<Tracked> = self
            .all
            .iter()
            .filter(|((c, _), t)| *c == class && t.live > 0 && !t.predefined && !t.borrowed)
            .map(|(_, t)| *t)
            .collect();
        left.sort_by_key(|t| t.number);
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_of_objects() {
        let mut objects = Objects::default();
        objects.predefined(class::GROUP, 9);
        let made = |site| Tracked { site, ..Tracked::default() };
        objects.made(class::GROUP, 1, made(5));
        objects.made(class::GROUP, 2, made(4));
        objects.made(class::GROUP, 9, made(3));
        // The same handle for the same group, twice.
        objects.made(class::GROUP, 1, made(6));
        let sites = |o: &Objects| o.left(class::GROUP).iter().map(|t| t.site).collect::<Vec<_>>();
        assert_eq!(sites(&objects), [4, 6]);
        let before = objects.generation();
        objects.freed(class::GROUP, 1);
        assert!(objects.generation() > before);
        objects.freed(class::GROUP, 9);
        assert_eq!(sites(&objects), [4, 6]);
        objects.freed(class::GROUP, 1);
        assert_eq!(sites(&objects), [4]);
        assert_eq!(objects.get(class::GROUP, 1).unwrap().live, 0);
        // A datatype is made once; its handle is given out again, also when it was freed.
        objects.made(class::TYPE, 7, made(1));
        objects.given(class::TYPE, 7, made(2));
        objects.freed(class::TYPE, 7);
        assert_eq!(objects.left(class::TYPE).iter().map(|t| t.site).collect::<Vec<_>>(), [1]);
        objects.freed(class::TYPE, 7);
        objects.given(class::TYPE, 7, Tracked { borrowed: true, ..made(3) });
        objects.given(class::TYPE, 7, made(4));
        assert_eq!(objects.get(class::TYPE, 7).unwrap().live, 2);
        assert!(objects.left(class::TYPE).is_empty());
        assert!(objects.is_other(class::COMM, 2) && !objects.is_other(class::GROUP, 2));
    }
}
