//! Exactly which bytes a datatype and a buffer describe.

use std::sync::{Arc, OnceLock};

use mpiscope_trace::defs::TypeMap;

/// Most runs that are kept for one datatype.
const MOST_RUNS: usize = 1 << 16;
/// Most runs of a layout that is tracked. Beyond them, the checks cost too much.
const MOST_STEPS: u64 = 1 << 22;
/// Most runs of two layouts that are compared byte by byte.
const MOST_COMPARED: u64 = 1 << 16;

/// The bytes of one element, in the order in which they are sent.
#[derive(Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Offset and length.
    runs: Vec<(i64, u64)>,
    /// The whole pattern repeats this many times …
    repeat: u64,
    /// … and this far apart.
    stride: i64,
    /// Number of bytes.
    size: u64,
}

impl Bytes {
    /// An element of contiguous bytes.
    pub fn dense(size: u64) -> Bytes {
        Bytes { runs: vec![(0, size)], repeat: 1, stride: 0, size }
    }

    /// An element of several runs.
    pub fn of_runs(runs: Vec<(i64, u64)>) -> Bytes {
        let size = runs.iter().map(|r| r.1).sum();
        Bytes { runs, repeat: 1, stride: 0, size }
    }

    /// The element of a derived datatype; `of` returns bytes and extent of the datatypes from which it is made. `None` if its
    /// bytes are unknown or it has too many runs.
    pub fn of_map(map: &TypeMap, of: impl Fn(u32) -> Option<(Arc<Bytes>, i64)>) -> Option<Bytes> {
        if map.cut {
            return None;
        }
        let mut runs: Vec<(i64, u64)> = Vec::new();
        for block in &map.blocks {
            let (inner, extent) = of(block.datatype)?;
            if inner.steps().saturating_mul(block.count) > MOST_RUNS as u64 && !inner.is_seamless(extent) {
                return None;
            }
            each(&inner, block.displacement_bytes, block.count, extent, &mut |at, len| {
                match runs.last_mut() {
                    Some(last) if last.0 + last.1 as i64 == at => last.1 += len,
                    _ => runs.push((at, len)),
                }
                runs.len() <= MOST_RUNS
            });
            if runs.len() > MOST_RUNS {
                return None;
            }
        }
        let repeat = map.repeat.max(1);
        let size = runs.iter().map(|r| r.1).sum::<u64>().checked_mul(repeat)?;
        // Rows that follow each other at once.
        if let [(at, len)] = runs[..]
            && map.stride_bytes == len as i64
        {
            return Some(Bytes { runs: vec![(at, len * repeat)], repeat: 1, stride: 0, size });
        }
        Some(Bytes { runs, repeat, stride: map.stride_bytes, size })
    }

    fn steps(&self) -> u64 {
        (self.runs.len() as u64).saturating_mul(self.repeat)
    }

    fn is_seamless(&self, extent: i64) -> bool {
        self.repeat == 1 && self.runs.len() == 1 && self.runs[0].1 as i64 == extent
    }

    /// First byte of an element, and one past the last, as offsets.
    fn bounds(&self) -> (i64, i64) {
        let low = self.runs.iter().map(|r| r.0).min().unwrap_or(0);
        let high = self.runs.iter().map(|r| r.0.saturating_add(r.1 as i64)).max().unwrap_or(0);
        let last = (self.repeat as i64 - 1).saturating_mul(self.stride);
        (low.saturating_add(last.min(0)), high.saturating_add(last.max(0)))
    }
}

/// Passes the runs of `count` elements from `base` on to the callback, until it returns false.
fn each(bytes: &Bytes, base: i64, count: u64, extent: i64, show: &mut impl FnMut(i64, u64) -> bool) -> bool {
    if bytes.is_seamless(extent) {
        return count == 0 || show(base.wrapping_add(bytes.runs[0].0), bytes.runs[0].1 * count);
    }
    for element in 0..count as i64 {
        for row in 0..bytes.repeat as i64 {
            let at = base.wrapping_add(element.wrapping_mul(extent)).wrapping_add(row.wrapping_mul(bytes.stride));
            for &(offset, len) in &bytes.runs {
                if len > 0 && !show(at.wrapping_add(offset), len) {
                    return false;
                }
            }
        }
    }
    true
}

/// Elements of a datatype at equal distances.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Offset of the first element.
    pub base: i64,
    /// Number of elements.
    pub count: u64,
    /// Distance from one element to the next, bytes.
    pub extent: i64,
    /// Bytes of each element.
    pub bytes: Arc<Bytes>,
}

/// The bytes of a buffer, as offsets from its address.
#[derive(Debug)]
pub struct Layout {
    pieces: Vec<Piece>,
    /// First byte, and one past the last.
    pub span: (i64, i64),
    /// Number of bytes.
    pub payload: u64,
    /// All bytes are contiguous.
    pub dense: bool,
    /// Upper bound of the number of runs.
    pub steps: u64,
    /// Hash; equal for equal layouts.
    pub key: u64,
    overlap: OnceLock<u64>,
}

impl Layout {
    /// Builds a layout from pieces; `None` if there are no bytes, or too many runs.
    pub fn from_pieces(mut pieces: Vec<Piece>) -> Option<Layout> {
        pieces.retain(|p| p.count > 0 && p.bytes.size > 0);
        let (mut span, mut payload, mut steps, mut key) = ((i64::MAX, i64::MIN), 0u64, 0u64, 0u64);
        for p in &pieces {
            let (low, high) = p.bytes.bounds();
            let last = (p.count as i64 - 1).checked_mul(p.extent)?;
            span.0 = span.0.min(p.base.checked_add(low)?.checked_add(last.min(0))?);
            span.1 = span.1.max(p.base.checked_add(high)?.checked_add(last.max(0))?);
            payload = payload.checked_add(p.count.checked_mul(p.bytes.size)?)?;
            steps = steps.saturating_add(if p.bytes.is_seamless(p.extent) {
                1
            } else {
                p.bytes.steps().saturating_mul(p.count)
            });
            for word in [p.base as u64, p.count, p.extent as u64, Arc::as_ptr(&p.bytes) as u64] {
                key = (key.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
        }
        if payload == 0 || steps > MOST_STEPS || span.1 <= span.0 {
            return None;
        }
        let mut layout = Layout { pieces, span, payload, dense: false, steps, key, overlap: OnceLock::new() };
        // Pieces that follow each other at once are one run.
        if steps <= MOST_COMPARED {
            let mut first = (0, 0);
            layout.each(|at, len| {
                first = (at, len);
                false
            });
            if first.1 == payload {
                layout.dense = true;
                layout.span = (first.0, first.0 + payload as i64);
            }
        }
        Some(layout)
    }

    /// Number of bytes that overlap others of the same layout; 0 for layouts with too many runs to compare.
    pub fn overlap(&self) -> u64 {
        if self.dense || self.steps > MOST_COMPARED {
            return 0;
        }
        *self.overlap.get_or_init(|| {
            let mut runs = Vec::new();
            self.each(|at, len| {
                runs.push((at, at.saturating_add(len as i64)));
                true
            });
            runs.sort_unstable();
            let (mut bytes, mut end) = (0, i64::MIN);
            for (from, to) in runs {
                bytes += to.min(end).saturating_sub(from).max(0) as u64;
                end = end.max(to);
            }
            bytes
        })
    }

    /// Passes the runs to the callback in the order of the type map, adjacent ones joined, until it returns false.
    pub fn each(&self, mut show: impl FnMut(i64, u64) -> bool) {
        if self.dense {
            show(self.span.0, self.payload);
            return;
        }
        let mut pending: Option<(i64, u64)> = None;
        for p in &self.pieces {
            let go_on = each(&p.bytes, p.base, p.count, p.extent, &mut |at, len| match &mut pending {
                Some((first, so_far)) if *first + *so_far as i64 == at => {
                    *so_far += len;
                    true
                }
                Some((first, so_far)) => {
                    let done = show(*first, *so_far);
                    (*first, *so_far) = (at, len);
                    done
                }
                None => {
                    pending = Some((at, len));
                    true
                }
            });
            if !go_on {
                return;
            }
        }
        if let Some((first, so_far)) = pending {
            show(first, so_far);
        }
    }

    /// Offset from the buffer's address of byte number `n` of the payload.
    pub fn offset_of(&self, payload: u64) -> i64 {
        let mut left = payload;
        let mut found = self.span.0;
        self.each(|at, len| {
            if left < len {
                found = at + left as i64;
                return false;
            }
            left -= len;
            true
        });
        found
    }

    /// The run that contains an offset: its first byte, and one past the last.
    pub fn run_at(&self, offset: i64) -> Option<(i64, i64)> {
        let mut found = None;
        self.each(|at, len| {
            let run = (at, at + len as i64);
            if (run.0..run.1).contains(&offset) {
                found = Some(run);
            }
            found.is_none()
        });
        found
    }

    /// Whether any of its bytes is in `[low, high)`, as offsets from its address. Does not allocate.
    pub fn touches(&self, low: i64, high: i64) -> bool {
        if high <= self.span.0 || low >= self.span.1 {
            return false;
        }
        self.dense
            || self.pieces.iter().any(|p| {
                let (first, last) = p.bytes.bounds();
                reaching(p.count, p.extent, (p.base + first, p.base + last), (low, high)).any(|element| {
                    let at = p.base + element * p.extent;
                    p.bytes.runs.iter().any(|&(offset, len)| {
                        let run = (at + offset, at + offset + len as i64);
                        len > 0 && reaching(p.bytes.repeat, p.bytes.stride, run, (low, high)).next().is_some()
                    })
                })
            })
    }

    /// The runs that have bytes in `[low, high)`, cut to it, in ascending order.
    fn within(&self, base: u64, low: u64, high: u64) -> Vec<(u64, u64)> {
        let mut runs = Vec::new();
        self.each(|at, len| {
            let begin = base.wrapping_add_signed(at);
            let (from, to) = (begin.max(low), begin.saturating_add(len).min(high));
            if from < to {
                runs.push((from, to));
            }
            true
        });
        runs.sort_unstable();
        runs
    }
}

/// Which of `n` pieces at a constant distance may overlap `[low, high)`. If the distance is 0, the first represents all.
fn reaching(n: u64, step: i64, first: (i64, i64), (low, high): (i64, i64)) -> std::ops::Range<i64> {
    let n = n as i64;
    if step == 0 {
        return if first.0 < high && first.1 > low { 0..n.min(1) } else { 0..0 };
    }
    // The k-th is [first.0 + k·step, first.1 + k·step): it begins before `high` and ends after `low`.
    let (below, above) = (i128::from(high) - i128::from(first.0), i128::from(low) - i128::from(first.1));
    let step = i128::from(step);
    let (from, to) = if step > 0 {
        (above.div_euclid(step) + 1, (below - 1).div_euclid(step) + 1)
    } else {
        // k·step < below and k·step > above, with a negative step.
        let down = -step;
        ((-below).div_euclid(down) + 1, (-above - 1).div_euclid(down) + 1)
    };
    let cut = |k: i128| k.clamp(0, i128::from(n)) as i64;
    cut(from)..cut(to)
}

/// Number of bytes that two buffers have in common; `None` if finding out takes too long.
pub fn common(a: (u64, &Layout), b: (u64, &Layout)) -> Option<u64> {
    let ends = |(base, layout): (u64, &Layout)| {
        (base.wrapping_add_signed(layout.span.0), base.wrapping_add_signed(layout.span.1))
    };
    let ((a0, a1), (b0, b1)) = (ends(a), ends(b));
    let (low, high) = (a0.max(b0), a1.min(b1));
    if low >= high {
        return Some(0);
    }
    if a.1.dense && b.1.dense {
        return Some(high - low);
    }
    if a.1.steps > MOST_COMPARED || b.1.steps > MOST_COMPARED {
        return None;
    }
    let (first, second) = (a.1.within(a.0, low, high), b.1.within(b.0, low, high));
    let (mut i, mut j, mut bytes, mut counted) = (0, 0, 0, 0);
    while i < first.len() && j < second.len() {
        let (from, to) = (first[i].0.max(second[j].0).max(counted), first[i].1.min(second[j].1));
        if from < to {
            bytes += to - from;
            counted = to;
        }
        if first[i].1 < second[j].1 { i += 1 } else { j += 1 }
    }
    Some(bytes)
}

#[cfg(test)]
pub mod tests {
    use super::super::test_random::Random;
    use super::*;
    use mpiscope_trace::defs::TypeBlock;

    fn piece(base: i64, count: u64, extent: i64, bytes: Bytes) -> Piece {
        Piece { base, count, extent, bytes: Arc::new(bytes) }
    }

    fn vector(rows: u64, length: u64, stride: i64) -> Bytes {
        let map = TypeMap {
            blocks: vec![TypeBlock { displacement_bytes: 0, count: length, datatype: 1 }],
            repeat: rows,
            stride_bytes: stride,
            cut: false,
        };
        let int = Arc::new(Bytes::dense(4));
        Bytes::of_map(&map, |_| Some((int.clone(), 4))).unwrap()
    }

    /// Any layout, small.
    pub fn any(random: &mut Random) -> Layout {
        loop {
            let pieces = (0..1 + random.below(3))
                .map(|_| {
                    let extent = random.below(80) as i64 - 30;
                    let bytes = match random.below(3) {
                        0 => Bytes::dense(1 + random.below(16)),
                        1 => vector(1 + random.below(4), 1 + random.below(3), random.below(50) as i64 - 20),
                        _ => Bytes::of_runs(vec![(random.below(9) as i64 - 4, 2), (8, random.below(5))]),
                    };
                    piece(random.below(100) as i64 - 50, random.below(4), extent, bytes)
                })
                .collect();
            if let Some(layout) = Layout::from_pieces(pieces) {
                return layout;
            }
        }
    }

    /// Addresses in the order of the map, one byte at a time, from the definition.
    pub fn bytes_of(layout: &Layout) -> Vec<i64> {
        let mut all = Vec::new();
        for p in &layout.pieces {
            for element in 0..p.count as i64 {
                for row in 0..p.bytes.repeat as i64 {
                    for &(offset, len) in &p.bytes.runs {
                        let at = p.base + element * p.extent + row * p.bytes.stride + offset;
                        all.extend((0..len as i64).map(|i| at + i));
                    }
                }
            }
        }
        all
    }

    #[test]
    fn runs_are_those_of_the_definition() {
        let mut random = Random::new(3);
        for _ in 0..2000 {
            let layout = any(&mut random);
            let wanted = bytes_of(&layout);
            let mut got = Vec::new();
            layout.each(|at, len| {
                got.extend((0..len as i64).map(|i| at + i));
                true
            });
            assert_eq!(got, wanted);
            assert_eq!(layout.payload, wanted.len() as u64);
            let (low, high) = (*wanted.iter().min().unwrap(), *wanted.iter().max().unwrap() + 1);
            assert!(layout.span.0 <= low && layout.span.1 >= high, "{:?} {low} {high}", layout.span);
            let k = random.below(layout.payload);
            assert_eq!(layout.offset_of(k), wanted[k as usize]);
        }
    }

    #[test]
    fn common_bytes_are_those_of_sets() {
        let mut random = Random::new(11);
        let mut some = 0;
        for _ in 0..4000 {
            let (a, b) = (any(&mut random), any(&mut random));
            let (p, q) = (10_000 + random.below(60), 10_000 + random.below(60));
            let set = |l: &Layout, base: u64| -> std::collections::BTreeSet<u64> {
                bytes_of(l).into_iter().map(|o| base.wrapping_add_signed(o)).collect()
            };
            let wanted = set(&a, p).intersection(&set(&b, q)).count() as u64;
            assert_eq!(common((p, &a), (q, &b)), Some(wanted), "{a:?} {b:?}");
            some += u64::from(wanted > 0);
        }
        assert!(some > 500);
    }

    #[test]
    fn touched_bytes_are_those_of_sets() {
        let mut random = Random::new(17);
        for _ in 0..2000 {
            let layout = any(&mut random);
            let set: std::collections::BTreeSet<i64> = bytes_of(&layout).into_iter().collect();
            for _ in 0..20 {
                let low = random.below(700) as i64 - 350;
                let high = low + 1 + random.below(20) as i64;
                assert_eq!(layout.touches(low, high), set.range(low..high).next().is_some(), "{layout:?} {low} {high}");
            }
        }
    }

    #[test]
    fn columns_are_interleaved() {
        let column = || Layout::from_pieces(vec![piece(0, 1, 228, vector(8, 1, 32))]).unwrap();
        assert_eq!(common((1000, &column()), (1004, &column())), Some(0));
        assert_eq!(common((1000, &column()), (1000, &column())), Some(32));
        assert_eq!(column().payload, 32);
        // Elements that follow each other are one run.
        let row = Layout::from_pieces(vec![piece(0, 9, 4, Bytes::dense(4)), piece(36, 1, 4, Bytes::dense(4))]).unwrap();
        let mut runs = Vec::new();
        row.each(|at, len| {
            runs.push((at, len));
            true
        });
        assert_eq!(runs, [(0, 40)]);
    }

    #[test]
    fn what_cannot_be_followed() {
        assert!(Layout::from_pieces(vec![]).is_none());
        assert!(Layout::from_pieces(vec![piece(0, 0, 4, Bytes::dense(4))]).is_none());
        assert!(Layout::from_pieces(vec![piece(0, 1 << 23, 9, Bytes::dense(4))]).is_none());
        assert!(Layout::from_pieces(vec![piece(0, i64::MAX as u64, 9, Bytes::dense(4))]).is_none());
        assert!(Bytes::of_map(&TypeMap { cut: true, ..TypeMap::default() }, |_| None).is_none());
    }
}
