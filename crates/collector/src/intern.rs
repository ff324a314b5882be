//! Maps arguments to shapes, one for each combination.
//!
//! The key is a 64-bit fingerprint of all words of a call; with at most 2¹⁴ shapes in a thread
//! the probability of a collision is 2²⁸/2⁶⁵ ≈ 10⁻¹¹. Statistics are in the shape, in the file.
//!
//! Arguments that never repeat would fill any table. After [`VARIANTS`] shapes from one call site
//! of one function, or when the table is three quarters full, the arguments of further combinations are
//! stored in their records (`flag::INLINE`) and their statistics by size bin and peer
//! (`flag::SUMMARY_ONLY`). What a record does not have are objects: a program that makes communicators or datatypes anew in each
//! iteration never repeats a call. After [`BASES`] such shapes of a call site, or when nothing else fits, one shape for each function
//! is used for the rest (`flag::COARSE`), and that is counted. There is always room for those.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};

use mpiscope_trace::defs::Message;
use mpiscope_trace::layout::ThreadHeader;
use mpiscope_trace::shape::{NONE, Shape, flag, inline};

use crate::process::Process;

/// Shapes that fit: 3 MiB of file, touched as needed.
pub const SHAPES: usize = 1 << 14;
const SLOTS: usize = SHAPES * 2;
/// Beyond this, shapes have no arguments that differ from call to call.
const NEARLY_FULL: usize = SHAPES - 1024;
/// Beyond this, only coarse shapes are made: one for each function, with its return codes and regions.
const ALMOST_FULL: usize = SHAPES - 640;
/// Combinations of one call site before its arguments are spelled out in the records.
const VARIANTS: u32 = 256;
/// Shapes with spelled-out arguments of one call site: they differ in objects only.
const BASES: u32 = 1024;
/// Space is reserved in steps of this many shapes.
const STEP: usize = 128;

#[derive(Clone, Copy)]
struct Slot {
    fingerprint: u64,
    shape: u32,
    flags: u32,
}

/// See the module's text.
pub struct Interner {
    header: *mut ThreadHeader,
    shapes: *mut Shape,
    shapes_offset: u64,
    slots: *mut Slot,
    count: usize,
    reserved: usize,
    variants: HashMap<(u32, u32), u32>,
    sites: HashMap<u64, u32>,
    partners: [Partner; PARTNERS],
}

/// A shape with [`flag::MESSAGES`], by whom it is about.
#[derive(Clone, Copy, Default)]
struct Partner {
    to: i32,
    from: i32,
    shape: u32,
    known: bool,
}

/// Places of a direct-mapped cache of them.
const PARTNERS: usize = 64;
/// Shapes of a thread beyond which no further partner gets one.
const MOST_PARTNERS: usize = SHAPES / 2;

/// A shape and what its record needs.
#[derive(Clone, Copy)]
pub struct ShapeRef {
    /// Index.
    pub shape: u32,
    /// Its flags.
    pub flags: u32,
}

impl Interner {
    /// An empty table over `shapes`.
    pub fn new(header: *mut ThreadHeader, shapes: *mut Shape, shapes_offset: u64) -> Interner {
        // SAFETY: anonymous memory, zero pages until touched. A fingerprint of 0 marks a free slot.
        let slots = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                SLOTS * size_of::<Slot>(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        let slots = if slots == libc::MAP_FAILED { std::ptr::null_mut() } else { slots.cast() };
        Interner {
            header,
            shapes,
            shapes_offset,
            slots,
            count: 0,
            reserved: 0,
            variants: HashMap::new(),
            sites: HashMap::new(),
            partners: [Partner::default(); PARTNERS],
        }
    }

    /// The shape with this fingerprint.
    #[inline(always)]
    pub fn find(&self, fingerprint: u64) -> Option<ShapeRef> {
        if self.slots.is_null() {
            return None;
        }
        let mut at = fingerprint as usize & (SLOTS - 1);
        loop {
            // SAFETY: masked; slots are written by this thread only.
            let slot = unsafe { *self.slots.add(at) };
            if slot.fingerprint == fingerprint {
                return Some(ShapeRef { shape: slot.shape, flags: slot.flags });
            }
            if slot.fingerprint == 0 {
                return None;
            }
            at = (at + 1) & (SLOTS - 1);
        }
    }

    /// Adds a call to the statistics of a shape.
    pub fn count(&mut self, shape: u32, ticks: u64) {
        // SAFETY: `shape` came from this table.
        unsafe { count(self.shapes, shape, ticks) };
    }

    /// What a receive with this shape posts: source, tag, bytes.
    #[inline(always)]
    pub fn posted(&self, shape: u32) -> (i32, i32, u64) {
        // SAFETY: as in `count`.
        unsafe {
            let s = self.shapes.add(shape as usize);
            ((*s).peer, (*s).tag, (*s).bytes_in)
        }
    }

    /// Communicator of a shape.
    #[inline(always)]
    pub fn comm(&self, shape: u32) -> u32 {
        // SAFETY: as in `count`.
        unsafe { (*self.shapes.add(shape as usize)).comm }
    }

    /// Counts a message of a request whose own call does not say its peer.
    pub fn message(&mut self, message: &Message) {
        let (to, from) = (message.to, message.from);
        if to == NONE && from == NONE {
            return;
        }
        let place = (to as usize ^ (from as usize).rotate_left(3)) % PARTNERS;
        let mut partner = self.partners[place];
        if (partner.to, partner.from) != (to, from) || !partner.known {
            let Some(shape) = self.partner(to, from) else { return };
            partner = Partner { to, from, shape, known: true };
            self.partners[place] = partner;
        }
        // SAFETY: as in `count`.
        unsafe { (*self.shapes.add(partner.shape as usize)).calls += 1 };
        self.count_bytes(partner.shape, message.bytes_out, message.bytes_in);
    }

    #[cold]
    #[inline(never)]
    fn partner(&mut self, to: i32, from: i32) -> Option<u32> {
        let shape = Shape { flags: flag::MESSAGES, world_peer: to, world_peer2: from, ..Shape::default() };
        // Calls need the rest of the table.
        if self.count >= MOST_PARTNERS && self.find(fingerprint(&shape)).is_none() {
            // SAFETY: our header.
            unsafe { (*self.header).calls_coarse += 1 };
            return None;
        }
        self.find_or_insert(&shape).map(|found| found.shape)
    }

    /// Adds completed requests.
    #[inline(always)]
    pub fn count_requests(&mut self, shape: u32, requests: u64) {
        // SAFETY: as in `count`.
        unsafe { (*self.shapes.add(shape as usize)).sum_requests += requests };
    }

    /// Adds bytes of a call whose shape does not fix them.
    pub fn count_bytes(&mut self, shape: u32, out: u64, into: u64) {
        // SAFETY: as in `count`.
        unsafe {
            let s = self.shapes.add(shape as usize);
            (*s).sum_bytes_out += out;
            (*s).sum_bytes_in += into;
        }
    }

    fn insert(&mut self, fingerprint: u64, shape: &Shape) -> Option<ShapeRef> {
        if self.count == SHAPES || self.slots.is_null() {
            return None;
        }
        if self.count == self.reserved {
            let at = self.shapes_offset + (self.count * size_of::<Shape>()) as u64;
            let file = &Process::get()?.file;
            if !file.reserve(at, (STEP * size_of::<Shape>()) as u64) {
                return None;
            }
            self.reserved += STEP;
        }
        let index = self.count;
        self.count += 1;
        let mut at = fingerprint as usize & (SLOTS - 1);
        // SAFETY: masked indices; at most half the slots are used, so a free one exists.
        unsafe {
            self.shapes.add(index).write(*shape);
            AtomicU32::from_ptr(&raw mut (*self.header).shapes).store(self.count as u32, Ordering::Release);
            while (*self.slots.add(at)).fingerprint != 0 {
                at = (at + 1) & (SLOTS - 1);
            }
            *self.slots.add(at) = Slot { fingerprint, shape: index as u32, flags: shape.flags };
        }
        Some(ShapeRef { shape: index as u32, flags: shape.flags })
    }

    /// A combination seen for the first time: its own shape, or what stands for it.
    #[cold]
    #[inline(never)]
    pub fn create(&mut self, fingerprint: u64, full: &Shape, inline: &mut [u64; 12]) -> Option<(ShapeRef, usize)> {
        let variants = self.variants.entry((full.function, full.site)).or_insert(0);
        if *variants < VARIANTS && self.count < NEARLY_FULL {
            *variants += 1;
            return self.insert(fingerprint, full).map(|f| (f, 0));
        }
        if let Some(found) = self.inlined(full, inline) {
            return Some(found);
        }
        // SAFETY: our header.
        unsafe { (*self.header).calls_coarse += 1 };
        let coarse = Shape {
            function: full.function,
            flags: flag::COARSE | (full.flags & flag::POLL),
            rc: full.rc,
            region: full.region,
            ..Shape::default()
        };
        let found = self.find_or_insert(&coarse)?;
        self.count_bytes(found.shape, full.bytes_out, full.bytes_in);
        Some((found, 0))
    }

    /// The base shape with its volatile arguments left out, and those arguments.
    fn inlined(&mut self, full: &Shape, values: &mut [u64; 12]) -> Option<(ShapeRef, usize)> {
        use mpiscope_trace::varint::zigzag;
        let mut base = *full;
        let mut n = 0;
        let mut mask = 0;
        let mut put = |bit: u32, list: &[u64]| {
            mask |= bit;
            values[n..n + list.len()].copy_from_slice(list);
            n += list.len();
        };
        put(inline::COUNT, &[full.count]);
        if full.count2 != 0 || full.datatype2 != 0 {
            put(inline::COUNT2, &[full.count2]);
        }
        for (bit, value) in
            [(inline::PEER, full.peer), (inline::PEER2, full.peer2), (inline::TAG, full.tag), (inline::TAG2, full.tag2)]
        {
            if value != NONE {
                put(bit, &[zigzag(value.into())]);
            }
        }
        if full.flags & flag::HAS_RESULT != 0 {
            // Relative to what was posted, so that the usual case is three bytes.
            let posted = if full.peer2 != NONE { (full.peer2, full.tag2) } else { (full.peer, full.tag) };
            let from =
                |value: i32, posted: i32| zigzag(i64::from(value) - if posted == NONE { 0 } else { i64::from(posted) });
            put(inline::RESULT, &[from(full.res_source, posted.0), from(full.res_tag, posted.1), full.res_bytes]);
        }
        put(inline::BYTES, &[full.bytes_out, full.bytes_in]);
        if self.count >= NEARLY_FULL {
            base.group = 0;
        }
        base.inline_mask = mask;
        base.flags |= flag::INLINE;
        (base.count, base.count2, base.res_bytes, base.bytes_out, base.bytes_in) = (0, 0, 0, 0, 0);
        (base.peer, base.peer2, base.tag, base.tag2) = (NONE, NONE, NONE, NONE);
        (base.res_source, base.res_tag, base.world_peer, base.world_peer2) = (NONE, NONE, NONE, NONE);
        let fingerprint = fingerprint(&base);
        let found = match self.find(fingerprint) {
            Some(found) => found,
            None => {
                let variants = self.variants.entry((full.function, full.site)).or_insert(0);
                if *variants >= VARIANTS + BASES || self.count >= ALMOST_FULL {
                    return None;
                }
                *variants += 1;
                self.insert(fingerprint, &base)?
            }
        };
        self.count_bytes(found.shape, full.bytes_out, full.bytes_in);
        Some((found, n))
    }

    /// Statistics of a spelled-out call, by size bin and peer.
    pub fn summarise(&mut self, full: &Shape, ticks: u64) {
        let bytes = full.bytes_out.max(full.bytes_in);
        let mut part = Shape {
            function: full.function,
            flags: flag::SUMMARY_ONLY | (full.flags & (flag::FORTRAN | flag::POLL)),
            site: full.site,
            comm: full.comm,
            datatype: full.datatype,
            world_peer: full.world_peer,
            world_peer2: full.world_peer2,
            region: full.region,
            // The bin: what the largest power of two not above it is.
            count: if bytes == 0 { 0 } else { 1 << bytes.ilog2() },
            rc: full.rc,
            ..Shape::default()
        };
        let found = self.find_or_insert_below(&part, NEARLY_FULL).or_else(|| {
            (part.world_peer, part.world_peer2, part.datatype) = (NONE, NONE, 0);
            self.find_or_insert_below(&part, ALMOST_FULL)
        });
        if let Some(found) = found {
            self.count(found.shape, ticks);
            self.count_bytes(found.shape, full.bytes_out, full.bytes_in);
        }
    }

    /// A call that was left by an exception or `longjmp`: it counts, but when it ended and with what
    /// arguments is not known any more.
    pub fn abandoned(&mut self, function: u32) {
        let shape = Shape { function, flags: flag::COARSE, rc: NONE, ..Shape::default() };
        if let Some(found) = self.find_or_insert(&shape) {
            self.count(found.shape, 0);
        }
    }

    /// The shape with exactly this description, made if the table has fewer than so many.
    fn find_or_insert_below(&mut self, shape: &Shape, limit: usize) -> Option<ShapeRef> {
        let fingerprint = fingerprint(shape);
        match self.find(fingerprint) {
            Some(found) => Some(found),
            None if self.count < limit => self.insert(fingerprint, shape),
            None => None,
        }
    }

    /// The shape with exactly this description, made if need be.
    pub fn find_or_insert(&mut self, shape: &Shape) -> Option<ShapeRef> {
        self.find_or_insert_below(shape, SHAPES)
    }

    /// The id of a site that this thread has seen, by fingerprint of the stack.
    pub fn known_site(&self, key: u64) -> Option<u32> {
        self.sites.get(&key).copied()
    }

    /// The same; of a new one what `make` says, unless that is 0.
    pub fn site(&mut self, key: u64, make: impl FnOnce() -> u32) -> u32 {
        if let Some(&id) = self.sites.get(&key) {
            return id;
        }
        let id = make();
        if id != 0 {
            self.sites.insert(key, id);
        }
        id
    }
}

fn fingerprint(shape: &Shape) -> u64 {
    // SAFETY: plain old data; the part before the statistics identifies it, and the group.
    let words = unsafe { std::slice::from_raw_parts((shape as *const Shape).cast::<u64>(), 16) };
    let hash = words.iter().fold(0x5bd1_e995, |h, &w| mix(h, w));
    finalize_hash(if shape.group == 0 { hash } else { mix(hash, shape.group.into()) })
}

/// Adds a call to the statistics of a shape.
///
/// # Safety
/// `shape` is the number of a shape that was made in `shapes`.
#[inline(always)]
pub unsafe fn count(shapes: *mut Shape, shape: u32, ticks: u64) {
    unsafe {
        let s = shapes.add(shape as usize);
        (*s).calls += 1;
        (*s).ticks += ticks;
        if ticks > (*s).max_ticks {
            (*s).max_ticks = ticks;
        }
        if ticks < (*s).min_ticks {
            (*s).min_ticks = ticks;
        }
    }
}

/// One step of the fingerprint.
#[inline(always)]
pub fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

/// Spreads the last word over all bits; never 0, which marks a free slot.
#[inline(always)]
pub fn finalize_hash(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash ^ (hash >> 29)) | 1 << 63
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn neighbouring_arguments_differ() {
        let mut seen = HashSet::new();
        for function in 0..4u64 {
            for comm in 1..4u64 {
                for count in 0..64u64 {
                    for peer in 0..64u64 {
                        let h = [function, comm, count, peer].iter().fold(1, |h, &w| mix(h, w));
                        assert!(seen.insert(finalize_hash(h)));
                    }
                }
            }
        }
    }
}
