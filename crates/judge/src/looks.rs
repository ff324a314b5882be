//! Memory and files that several processes use: what overlaps, writes, and has no order (MPI-5.0 §12.7, §14.6).
//!
//! Called from the replay, so what comes later here never happened before what came earlier.

use std::collections::VecDeque;

use mpiscope_abi::name;
use mpiscope_trace::check::event::access;
use mpiscope_trace::defs::TypeMap;
use rustc_hash::FxHashMap;

use crate::clocks::Clocks;
use crate::finding::Confidence;
use crate::report::{Draft, Place, Sink};

/// Accesses of one target, or of one file, that later ones are compared with.
const MOST_LIVE: usize = 1024;
/// Pieces of one access; beyond, it is taken as a whole.
const MOST_RANGES: usize = 4096;

/// Bytes from the first to the one before the second, in order.
pub(crate) type Ranges = Vec<(i64, i64)>;

/// What is looked at.
pub(crate) enum Look {
    /// An access to a window.
    Access { window: u32, target: u32, access: Access },
    /// Accesses of the process to a target, or to all, are complete there.
    Complete { window: u32, target: Option<u32> },
    /// A file is read or written.
    File { file: u32, access: Access },
}

/// See [`Look`].
#[derive(Clone)]
pub(crate) struct Access {
    pub origin: u32,
    /// See [`access`]; reading and writing a file are getting and putting.
    pub what: u64,
    /// Name of the operation of an accumulate.
    pub reduction: std::sync::Arc<str>,
    /// Basic datatypes of an accumulate.
    pub elements: String,
    pub ranges: Ranges,
    /// The ranges are all of it and nothing else.
    pub is_exact: bool,
    pub place: Place,
    pub is_exclusive: bool,
    /// In an epoch whose order only synchronisation calls make, not the memory itself.
    pub is_active: bool,
}

struct Live {
    access: Access,
    /// What others have to know of its origin to be after it; none while it is not complete.
    done: Option<u32>,
}

/// All windows and files.
#[derive(Default)]
pub(crate) struct Looks {
    windows: FxHashMap<u32, FxHashMap<u32, VecDeque<Live>>>,
    files: FxHashMap<u32, VecDeque<Live>>,
    found: Vec<(bool, Access, Access, (i64, i64))>,
}

impl Looks {
    pub fn take(&mut self, process: u32, look: Look, clocks: &mut Clocks) {
        match look {
            Look::Access { window, target, access } => {
                let live = self.windows.entry(window).or_default().entry(target).or_default();
                compare(live, &access, clocks, false, &mut self.found);
                keep(live, access, None);
            }
            Look::Complete { window, target } => {
                let Some(moment) = clocks.moment(process) else { return };
                for (&of, live) in self.windows.entry(window).or_default().iter_mut() {
                    if target.is_some_and(|t| t != of) {
                        continue;
                    }
                    for one in live.iter_mut().filter(|l| l.access.origin == process && l.done.is_none()) {
                        one.done = Some(moment);
                    }
                }
            }
            Look::File { file, access } => {
                let Some(moment) = clocks.moment(process) else { return };
                let live = self.files.entry(file).or_default();
                compare(live, &access, clocks, true, &mut self.found);
                keep(live, access, Some(moment));
            }
        }
    }

    /// All processes have left a fence: what was complete before it is before everything that comes.
    pub fn fenced(&mut self, window: u32) {
        if let Some(targets) = self.windows.get_mut(&window) {
            targets.values_mut().for_each(|live| live.retain(|l| l.done.is_none()));
        }
    }

    /// Tells what was found.
    pub fn tell(&mut self, sink: &mut Sink) {
        for (is_file, first, second, (start, end)) in std::mem::take(&mut self.found) {
            let (a, b) = (&first, &second);
            let both_accumulate = a.what == access::ACCUMULATE && b.what == access::ACCUMULATE;
            let reads = a.what == access::GET || b.what == access::GET;
            let rule = match (is_file, both_accumulate, reads) {
                (true, _, true) => "io.overlap-read",
                (true, ..) => "io.overlap",
                (_, true, _) => "rma.conflict-accumulate",
                _ => "rma.conflict",
            };
            let says = |x: &Access| {
                let verb = match (x.what, is_file) {
                    (access::PUT, _) => "writes".to_owned(),
                    (access::GET, _) => "reads".to_owned(),
                    _ if x.elements.is_empty() => format!("accumulates with {}", x.reduction),
                    _ => format!("accumulates {} with {}", x.elements, x.reduction),
                };
                format!("rank {} {verb} ({})", x.origin, name(x.place.function.into()))
            };
            let what = if is_file { "of the file" } else { "of the target" };
            let text = format!(
                "Bytes {start} to {} {what}: {} and {}, and nothing puts the two in order.",
                end - 1,
                says(a),
                says(b)
            );
            let mut draft = Draft::new(rule).text(text).number("first_byte", start).number("bytes", end - start);
            if !(a.is_exact && b.is_exact) || (a.origin != b.origin && !(a.is_active && b.is_active)) {
                draft = draft.at_most(Confidence::Possible);
            }
            draft.add(b.place, None, "accesses");
            draft.add(a.place, None, "accesses the same bytes");
            sink.add(draft);
        }
    }
}

fn keep(live: &mut VecDeque<Live>, access: Access, done: Option<u32>) {
    // A process that goes through memory or a file piece by piece is one long access.
    if let Some(last) = live.iter_mut().rev().take(8).find(|l| {
        let l = &l.access;
        (l.origin, l.what, l.place.site, l.place.function, l.is_exclusive, l.is_exact)
            == (
                access.origin,
                access.what,
                access.place.site,
                access.place.function,
                access.is_exclusive,
                access.is_exact,
            )
            && l.reduction == access.reduction
            && l.elements == access.elements
    }) && (last.done == done || (last.done.is_some() && done.is_some()))
        && let ([.., a], [b]) = (&mut last.access.ranges[..], &access.ranges[..])
        && a.1 == b.0
    {
        a.1 = b.1;
        last.done = done;
        return;
    }
    if live.len() >= MOST_LIVE {
        live.pop_front();
    }
    live.push_back(Live { access, done });
}

fn compare(
    live: &VecDeque<Live>,
    new: &Access,
    clocks: &mut Clocks,
    is_file: bool,
    found: &mut Vec<(bool, Access, Access, (i64, i64))>,
) {
    let clock = clocks.of(new.origin).clone();
    for old in live {
        let a = &old.access;
        let harmless = match (a.what, new.what) {
            (access::GET, access::GET) => true,
            (access::ACCUMULATE, access::ACCUMULATE) => {
                let reads = |x: &Access| &*x.reduction == "MPI_NO_OP";
                reads(a) || reads(new) || (a.reduction == new.reduction && a.elements == new.elements)
            }
            (access::ACCUMULATE, access::GET) => &*a.reduction == "MPI_NO_OP",
            (access::GET, access::ACCUMULATE) => &*new.reduction == "MPI_NO_OP",
            _ => false,
        };
        if harmless {
            continue;
        }
        let ordered = if a.origin == new.origin {
            is_file || old.done.is_some()
        } else {
            a.is_exclusive || new.is_exclusive || old.done.is_some_and(|moment| clocks.seen(&clock, a.origin) >= moment)
        };
        if ordered {
            continue;
        }
        if let Some(common) = common(&a.ranges, &new.ranges)
            // One of each pair of places is enough to tell.
            && !found.iter().any(|(_, x, y, _)| {
                (x.place.key, x.place.function, y.place.key, y.place.function)
                    == (a.place.key, a.place.function, new.place.key, new.place.function)
            })
        {
            found.push((is_file, a.clone(), new.clone(), common));
        }
    }
}

/// The first bytes that both have.
fn common(a: &Ranges, b: &Ranges) -> Option<(i64, i64)> {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let (start, end) = (x.0.max(y.0), x.1.min(y.1));
        if start < end {
            return Some((start, end));
        }
        if x.1 <= y.1 { i += 1 } else { j += 1 }
    }
    None
}

/// Where elements of a datatype lie from a byte on, and whether that is exact.
pub(crate) fn ranges(
    start: i64,
    count: u64,
    size: u64,
    extent: i64,
    map: Option<&TypeMap>,
    sizes: impl Fn(u32) -> Option<(u64, i64)>,
) -> (Ranges, bool) {
    let bytes = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    if count == 0 || size == 0 {
        return (Vec::new(), true);
    }
    let whole = |low: i64, high: i64| {
        let span = extent.saturating_mul(bytes(count - 1));
        (start.saturating_add(low).saturating_add(span.min(0)), start.saturating_add(high).saturating_add(span.max(0)))
    };
    let Some(map) = map.filter(|m| !m.cut) else {
        let is_dense = extent == bytes(size);
        return (vec![whole(0, bytes(size).max(extent))], is_dense);
    };
    // One element's pieces, then all of them.
    let mut one: Ranges = Vec::new();
    let mut is_exact = true;
    for block in &map.blocks {
        let Some((size, extent)) = sizes(block.datatype) else {
            is_exact = false;
            continue;
        };
        if size == 0 || block.count == 0 {
            continue;
        }
        let at = block.displacement_bytes;
        if extent == bytes(size) {
            one.push((at, at.saturating_add(bytes(size.saturating_mul(block.count)))));
        } else if block.count <= MOST_RANGES as u64 {
            one.extend((0..bytes(block.count)).map(|k| (at + k * extent, at + k * extent + bytes(size))));
        } else {
            is_exact = false;
            one.push((at, at.saturating_add(extent.saturating_mul(bytes(block.count)))));
        }
    }
    let (low, high) = (one.iter().map(|r| r.0).min().unwrap_or(0), one.iter().map(|r| r.1).max().unwrap_or(0));
    let repeat = map.repeat.max(1);
    let pieces = (one.len() as u64).saturating_mul(repeat).saturating_mul(count);
    if pieces > MOST_RANGES as u64 {
        let span = map.stride_bytes.saturating_mul(bytes(repeat - 1));
        let (low, high) = (low.saturating_add(span.min(0)), high.saturating_add(span.max(0)));
        let is_dense = is_exact && high - low == bytes(size) && (count == 1 || extent == bytes(size));
        return (vec![whole(low, high)], is_dense);
    }
    let mut all: Ranges = Vec::with_capacity(pieces as usize);
    for element in 0..bytes(count) {
        for k in 0..bytes(repeat) {
            let at =
                start.saturating_add(element.saturating_mul(extent)).saturating_add(k.saturating_mul(map.stride_bytes));
            all.extend(one.iter().map(|r| (at.saturating_add(r.0), at.saturating_add(r.1))));
        }
    }
    all.sort_unstable();
    let mut merged: Ranges = Vec::with_capacity(all.len());
    for range in all {
        match merged.last_mut() {
            Some(last) if range.0 <= last.1 => last.1 = last.1.max(range.1),
            _ => merged.push(range),
        }
    }
    (merged, is_exact)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_trace::defs::TypeBlock;

    #[test]
    fn pieces_of_a_vector() {
        let block = |displacement_bytes, count| TypeBlock { displacement_bytes, count, datatype: 1 };
        let int = |_: u32| Some((4, 4));
        // Two columns of a matrix of 3 × 4 ints.
        let map = TypeMap { blocks: vec![block(0, 1)], repeat: 3, stride_bytes: 16, cut: false };
        assert_eq!(ranges(100, 1, 12, 36, Some(&map), int).0, [(100, 104), (116, 120), (132, 136)]);
        assert_eq!(ranges(0, 2, 12, 4, Some(&map), int).0, [(0, 8), (16, 24), (32, 40)]);
        assert_eq!(ranges(8, 3, 4, 4, None, int), (vec![(8, 20)], true));
        // Too many pieces: all of it, and nobody claims to know.
        let many = TypeMap { repeat: 1 << 40, ..map.clone() };
        assert!(!ranges(0, 1, 4 << 40, 16 << 40, Some(&many), int).1);
    }

    #[test]
    fn what_two_have_in_common() {
        assert_eq!(common(&vec![(0, 4), (16, 20)], &vec![(4, 16), (18, 30)]), Some((18, 20)));
        assert_eq!(common(&vec![(0, 4), (16, 20)], &vec![(4, 16)]), None);
    }
}
