//! Basic elements of data, one by one, at their addresses: for comparisons with something other than a type signature.

use crate::judge::Judge;
use crate::objects::Local;
use crate::signature::{Class, Datatype, Kind, predefined};

/// Datatypes inside of each other.
const DEEPEST: u32 = 64;

/// What a basic element holds, in the categories of the program's own types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Any kind of integer, logical or address.
    Integer,
    /// Floating point; a complex number is two of them.
    Float,
    /// Single bytes, which are memory for anything.
    Memory,
}

/// A basic element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// From the address that the call has, bytes.
    pub at: i64,
    /// How long it is.
    pub bytes: u64,
    /// What it holds.
    pub sort: Sort,
}

impl Judge {
    /// The name of a datatype of a process, empty for one that has none.
    pub fn datatype_name(&self, process: u32, datatype: u32) -> &str {
        let known = self.objects.local.get(process as usize).and_then(|local| datatype_of(local, datatype));
        known.map_or("", |datatype| &datatype.name)
    }

    /// The first elements of `count` of a datatype, at most `most`. None where its elements are unknown.
    pub fn elements(&self, process: u32, datatype: u32, count: u64, most: usize) -> Option<Vec<Element>> {
        let local = self.objects.local.get(process as usize)?;
        let mut walk = Walk { local, steps: most, elements: Vec::new() };
        walk.row(datatype, count, 0, 0)?;
        Some(walk.elements)
    }
}

fn datatype_of(local: &Local, id: u32) -> Option<&Datatype> {
    local.datatypes.get(id as usize)?.as_ref()
}

struct Walk<'a> {
    local: &'a Local,
    /// What is still to be looked at: a datatype may be made of many empty ones.
    steps: usize,
    elements: Vec<Element>,
}

impl Walk<'_> {
    fn row(&mut self, id: u32, count: u64, at: i64, depth: u32) -> Option<()> {
        let datatype = datatype_of(self.local, id).filter(|_| depth < DEEPEST)?;
        let mut at = at;
        for _ in 0..count {
            if self.steps == 0 {
                break;
            }
            self.steps -= 1;
            self.one(datatype, at, depth)?;
            at = at.checked_add(datatype.extent)?;
        }
        Some(())
    }

    fn one(&mut self, datatype: &Datatype, at: i64, depth: u32) -> Option<()> {
        let Some(map) = &datatype.map else {
            let mut offset = 0u64;
            for (class, count) in predefined(&datatype.name, datatype.size)? {
                for _ in 0..count {
                    offset = self.basic(class, at, offset)?;
                }
            }
            return Some(());
        };
        if map.cut {
            return None;
        }
        let mut round = at;
        for _ in 0..map.repeat.max(1) {
            for block in &map.blocks {
                self.row(block.datatype, block.count, round.checked_add(block.displacement_bytes)?, depth + 1)?;
            }
            if self.steps == 0 {
                break;
            }
            self.steps -= 1;
            round = round.checked_add(map.stride_bytes)?;
        }
        Some(())
    }

    /// One that begins behind others of its datatype, where its alignment lets it; where it ends.
    fn basic(&mut self, class: Class, at: i64, offset: u64) -> Option<u64> {
        let (sort, parts) = match class.kind {
            Kind::Byte | Kind::Packed | Kind::Character => (Sort::Memory, 1),
            Kind::Integer | Kind::Unsigned | Kind::Logical | Kind::Wide => (Sort::Integer, 1),
            Kind::Float => (Sort::Float, 1),
            Kind::Complex => (Sort::Float, 2),
        };
        let bytes = u64::from(class.bytes) / parts;
        let sort = if bytes <= 1 { Sort::Memory } else { sort };
        let mut offset = offset.checked_next_multiple_of(bytes.max(1))?;
        for _ in 0..parts {
            self.elements.push(Element { at: at.checked_add_unsigned(offset)?, bytes, sort });
            offset += bytes;
        }
        Some(offset)
    }
}
