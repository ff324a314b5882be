//! Buffers that may be variables of the program: reported once for each place; the reader compares them with debug information
//! ([decision](../../../../docs/decisions/0031-declared-buffers.md)).

use mpiscope_trace::check::event::{Body, Data};

use super::CallContext;
use super::tracked::WordMap;
use super::transfer::Side;
use crate::elf;
use crate::record::Caller;

/// Most places that a thread reports: stacks that always differ would have any number of them.
const MOST: usize = 4096;

/// A place: call site, address of the buffer (relative to the stack pointer if it is on the stack), datatype, argument and
/// length.
type Key = ((u32, u64), (u32, u64));

/// What one thread has reported.
#[derive(Default)]
pub struct Passed {
    reported: WordMap<Key, ()>,
    /// Mapped objects, in the order of their addresses.
    objects: Vec<(u64, u64)>,
}

impl Passed {
    /// Writes an event for each buffer of a call that was not reported before.
    pub fn emit(&mut self, s: &mut CallContext<'_>, caller: &mut Caller<'_>, sides: [Option<&Side>; 2]) {
        if s.open.wrong || self.reported.len() >= MOST {
            return;
        }
        for side in sides.into_iter().flatten() {
            self.side(s, caller, side);
        }
    }

    fn side(&mut self, s: &mut CallContext<'_>, caller: &mut Caller<'_>, side: &Side) {
        let (from, to) = side.span;
        if from >= to || side.buffer.special || side.buffer.in_place {
            return;
        }
        let begin = side.buffer.address.wrapping_add_signed(from);
        let on_stack = caller.has_on_stack(begin);
        if !on_stack && !self.is_mapped(begin, caller.args.caller() as u64) {
            return;
        }
        let sp = if on_stack { caller.args.stack_pointer() as u64 } else { 0 };
        let argument = side.param.map_or(u8::MAX, |p| if p.c == u8::MAX { p.f } else { p.c });
        let what = u64::from(argument) << 56 ^ (to.wrapping_sub(from)) as u64;
        if self.reported.insert(((s.site, begin.wrapping_sub(sp)), (side.datatype, what)), ()).is_some() {
            return;
        }
        let frame = if on_stack { caller.frame_of(begin) } else { None };
        if on_stack && frame.is_none() {
            return;
        }
        // With displacements its elements do not follow each other.
        let in_row = side.counts.is_empty() || side.pieces.is_empty();
        let (count, datatype) = if in_row { (side.count.saturating_mul(side.times), side.datatype) } else { (0, 0) };
        let data = Data { address: side.buffer.address, count, datatype };
        let is_one = side.of_arrays && side.datatypes.is_empty();
        s.emit(0, Body::Passed { argument, writes: side.writes, is_one, data, span: side.span, frame });
    }

    /// Whether an address is in a mapped object. The list of objects is renewed when the caller is in none of them.
    fn is_mapped(&mut self, address: u64, caller: u64) -> bool {
        if !self.has(caller) {
            self.objects = elf::objects().iter().map(|o| (o.range.0 as u64, o.range.1 as u64)).collect();
            self.objects.sort_unstable();
        }
        self.has(address)
    }

    fn has(&self, address: u64) -> bool {
        let after = self.objects.partition_point(|&(from, _)| from <= address);
        after > 0 && address < self.objects[after - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static MINE: u32 = 7;

    #[test]
    fn variables_of_an_object_are_mapped_and_heap_is_not() {
        let mut passed = Passed::default();
        let here = variables_of_an_object_are_mapped_and_heap_is_not as fn() as usize as u64;
        assert!(passed.is_mapped(&raw const MINE as u64, here));
        assert!(!passed.is_mapped(&raw const *Box::new(1u64) as u64, here));
        assert!(!passed.is_mapped(8, here));
    }
}
