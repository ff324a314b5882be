//! Which bytes elements of a datatype take, and what two accesses have in common.

use mpiscope_trace::defs::TypeMap;

/// Pieces of one access; beyond, it is taken as a whole.
const MOST_RANGES: usize = 4096;

/// Bytes from the first to the one before the second, in order.
pub(crate) type Ranges = Vec<(i64, i64)>;

/// From the first byte to the one behind the last.
pub(crate) fn bounds(ranges: &Ranges) -> (i64, i64) {
    (ranges.first().map_or(0, |r| r.0), ranges.last().map_or(0, |r| r.1))
}

/// All of them moved.
pub(crate) fn shift(ranges: &mut Ranges, by: i64) {
    for (from, to) in ranges {
        (*from, *to) = (from.saturating_add(by), to.saturating_add(by));
    }
}

/// Where data lies of which `offset` bytes are left out and `bytes` are taken, when pieces of `tile` follow each other
/// every `extent` bytes from `begin` on (MPI-5.0 §14.3). None when these are too many.
pub(crate) fn tiled(begin: i64, tile: &Ranges, extent: i64, offset: u64, bytes: u64) -> Option<Ranges> {
    let size: i64 = tile.iter().map(|(from, to)| to - from).sum();
    let (offset, bytes) = (i64::try_from(offset).ok()?, i64::try_from(bytes).ok()?);
    if size <= 0 || extent <= 0 {
        return None;
    }
    if let [(from, _)] = tile[..]
        && size == extent
    {
        let at = begin.checked_add(from)?.checked_add(offset)?;
        return Some(vec![(at, at.checked_add(bytes)?)]);
    }
    if (bytes / size + 2).checked_mul(tile.len() as i64)? > MOST_RANGES as i64 {
        return None;
    }
    let mut out: Ranges = Vec::new();
    let (mut skip, mut left) = (offset % size, bytes);
    let mut at = begin.checked_add((offset / size).checked_mul(extent)?)?;
    while left > 0 {
        for &(from, to) in tile {
            let here = (to - from - skip).max(0).min(left);
            if here > 0 {
                let start = at.checked_add(from)?.checked_add(skip)?;
                match out.last_mut() {
                    Some(last) if last.1 == start => last.1 = start + here,
                    _ => out.push((start, start + here)),
                }
                left -= here;
            }
            skip = (skip - (to - from)).max(0);
        }
        at = at.checked_add(extent)?;
    }
    Some(out)
}

/// The first bytes that both have.
pub(crate) fn common(a: &Ranges, b: &Ranges) -> Option<(i64, i64)> {
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
    use proptest::prelude::*;

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

    proptest! {
        /// Against byte by byte.
        #[test]
        fn tiles_and_what_they_have_in_common(
            pieces in proptest::collection::vec((1i64..4, 1i64..4), 1..4),
            end in 0i64..3, begin in 0i64..9, offset in 0u64..40, bytes in 1u64..40, other in (0i64..60, 1i64..9),
        ) {
            let (mut tile, mut at): (Ranges, i64) = (Vec::new(), 0);
            for (gap, length) in pieces {
                tile.push((at + gap - 1, at + gap - 1 + length));
                at += gap - 1 + length;
            }
            let tile = tile.into_iter().fold(Ranges::new(), |mut all, r| {
                match all.last_mut() {
                    Some(last) if last.1 == r.0 => last.1 = r.1,
                    _ => all.push(r),
                }
                all
            });
            let extent = at + end;
            let data: Vec<i64> = (0..200)
                .flat_map(|k| tile.iter().flat_map(move |&(a, b)| (a..b).map(move |x| x + k * extent + begin)))
                .skip(offset as usize)
                .take(bytes as usize)
                .collect();
            let found = tiled(begin, &tile, extent, offset, bytes).unwrap();
            let spelled: Vec<i64> = found.iter().flat_map(|&(a, b)| a..b).collect();
            prop_assert_eq!(&spelled, &data);
            let other = vec![(other.0, other.0 + other.1)];
            let first = data.iter().find(|x| (other[0].0..other[0].1).contains(x)).copied();
            prop_assert_eq!(common(&found, &other).map(|c| c.0), first);
            prop_assert_eq!(common(&other, &found).map(|c| c.0), first);
        }
    }

    #[test]
    fn what_two_have_in_common() {
        assert_eq!(common(&vec![(0, 4), (16, 20)], &vec![(4, 16), (18, 30)]), Some((18, 20)));
        assert_eq!(common(&vec![(0, 4), (16, 20)], &vec![(4, 16)]), None);
    }
}
