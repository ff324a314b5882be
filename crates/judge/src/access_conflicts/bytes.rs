//! Which bytes elements of a datatype take, and what two accesses have in common.

use std::sync::Arc;

use mpiscope_trace::defs::TypeMap;

/// Pieces of one access; beyond, it is taken as a whole.
const MOST_RANGES: usize = 4096;

/// A piece: from its first byte to the one behind its last.
pub(crate) type Piece = (i64, i64);

/// Pieces of memory in order, none of which meet. Those that many accesses have alike stand once: an access is at another place, and
/// a column of a matrix has hundreds of pieces.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
    pieces: Pieces,
    /// How much later they all are.
    by: i64,
}

#[derive(Clone, Debug, Default)]
enum Pieces {
    #[default]
    None,
    One([Piece; 1]),
    Many(Arc<Many>),
}

#[derive(Clone, Debug)]
struct Many {
    pieces: Vec<Piece>,
    /// Bytes from one begin to the next, where those and the lengths are all the same.
    stride: Option<i64>,
}

impl From<Vec<Piece>> for Ranges {
    fn from(pieces: Vec<Piece>) -> Ranges {
        let pieces = match pieces[..] {
            [] => Pieces::None,
            [one] => Pieces::One([one]),
            _ => Pieces::Many(Arc::new(Many { stride: stride(&pieces), pieces })),
        };
        Ranges { pieces, by: 0 }
    }
}

impl PartialEq for Ranges {
    fn eq(&self, other: &Ranges) -> bool {
        match (&self.pieces, &other.pieces) {
            (Pieces::Many(a), Pieces::Many(b)) if Arc::ptr_eq(a, b) => self.by == other.by,
            _ => self.iter().eq(other.iter()),
        }
    }
}

/// The distance between pieces that are all alike.
fn stride(pieces: &[Piece]) -> Option<i64> {
    let (&[first, second, ..], Some(last)) = (pieces, pieces.last()) else { return None };
    let stride = second.0.checked_sub(first.0)?;
    // Whoever computes with them stays within the numbers there are.
    last.1.checked_sub(first.0)?;
    let alike = |pair: &[Piece]| {
        pair[1].0.checked_sub(pair[0].0) == Some(stride) && pair[1].1.checked_sub(pair[0].1) == Some(stride)
    };
    (stride > 0 && pieces.windows(2).all(alike)).then_some(stride)
}

impl Ranges {
    pub fn one(from: i64, to: i64) -> Ranges {
        Ranges::from(vec![(from, to)])
    }

    /// As they are before they are moved.
    fn still(&self) -> &[Piece] {
        match &self.pieces {
            Pieces::None => &[],
            Pieces::One(one) => one,
            Pieces::Many(many) => &many.pieces,
        }
    }

    fn moved(&self, piece: Piece) -> Piece {
        (piece.0.saturating_add(self.by), piece.1.saturating_add(self.by))
    }

    pub fn iter(&self) -> impl Iterator<Item = Piece> {
        self.still().iter().map(|&piece| self.moved(piece))
    }

    pub fn len(&self) -> usize {
        self.still().len()
    }

    pub fn get(&self, at: usize) -> Option<Piece> {
        self.still().get(at).map(|&piece| self.moved(piece))
    }

    /// It, where there is only one.
    pub fn single(&self) -> Option<Piece> {
        self.get(0).filter(|_| self.len() == 1)
    }

    /// From the first byte to the one behind the last.
    pub fn bounds(&self) -> Piece {
        let ends = self.still().first().zip(self.still().last());
        ends.map_or((0, 0), |(first, last)| self.moved((first.0, last.1)))
    }

    /// All of them moved.
    pub fn shift(&mut self, by: i64) {
        self.by = self.by.saturating_add(by);
    }

    /// What of them lies in a stretch.
    pub fn within(&self, (low, high): Piece) -> Ranges {
        let (from, to) = self.bounds();
        if low <= from && to <= high {
            return self.clone();
        }
        let clip = |(a, b): Piece| Some((a.max(low), b.min(high))).filter(|(a, b)| a < b);
        Ranges::from(self.iter().filter_map(clip).collect::<Vec<_>>())
    }

    /// Adds others that begin where these end.
    pub fn append(&mut self, others: Ranges) {
        if let (Some(last), Some(other)) = (self.single(), others.single()) {
            *self = Ranges::one(last.0, other.1);
            return;
        }
        let others = others.iter().map(|(from, to)| (from.saturating_sub(self.by), to.saturating_sub(self.by)));
        let grow = |pieces: &mut Vec<Piece>| {
            for piece in others {
                match pieces.last_mut() {
                    Some(last) if last.1 == piece.0 => last.1 = piece.1,
                    _ => pieces.push(piece),
                }
            }
        };
        match &mut self.pieces {
            // Grown again and again.
            Pieces::Many(many) => {
                let many = Arc::make_mut(many);
                many.stride = None;
                grow(&mut many.pieces);
            }
            pieces => {
                let mut all = match pieces {
                    Pieces::One(one) => one.to_vec(),
                    _ => Vec::new(),
                };
                grow(&mut all);
                *pieces = Ranges::from(all).pieces;
            }
        }
    }

    /// Whether a byte is in one of them.
    pub fn has(&self, byte: i64) -> bool {
        let at = self.still().partition_point(|&piece| self.moved(piece).1 <= byte);
        self.get(at).is_some_and(|piece| piece.0 <= byte)
    }

    /// How many there are, the first of them, and how far each is from the next: where they are many and all alike.
    fn regular(&self) -> Option<Regular> {
        let Pieces::Many(many) = &self.pieces else { return None };
        let (from, to) = self.get(0)?;
        // Not where moving them has met the ends of all numbers.
        self.bounds().1.checked_sub(from).filter(|span| Some(*span) == self.span())?;
        Some(Regular { from, bytes: to - from, pieces: many.pieces.len() as i64, stride: many.stride? })
    }

    fn span(&self) -> Option<i64> {
        self.still().last()?.1.checked_sub(self.still().first()?.0)
    }
}

/// Pieces that are all alike.
#[derive(Clone, Copy)]
struct Regular {
    from: i64,
    bytes: i64,
    pieces: i64,
    stride: i64,
}

impl Regular {
    /// The first bytes that both have; the strides are the same.
    fn common(self, other: Regular) -> Option<Piece> {
        // Piece i of the one and piece j of the other meet where i - j lies between two numbers.
        let (stride, ahead) = (i128::from(self.stride), i128::from(other.from) - i128::from(self.from));
        let least = (ahead - i128::from(self.bytes)).div_euclid(stride) + 1;
        let most = -(-(ahead + i128::from(other.bytes))).div_euclid(stride) - 1;
        let first = |between: i128| {
            let i = between.max(0);
            let j = i - between;
            if i >= i128::from(self.pieces) || j >= i128::from(other.pieces) {
                return None;
            }
            let (a, b) = (i128::from(self.from) + i * stride, i128::from(other.from) + j * stride);
            let (from, to) = (a.max(b), (a + i128::from(self.bytes)).min(b + i128::from(other.bytes)));
            Some((i64::try_from(from).ok()?, i64::try_from(to).ok()?)).filter(|(from, to)| from < to)
        };
        let (least, most) = (least.max(-i128::from(other.pieces)), most.min(i128::from(self.pieces)));
        (least..=most).filter_map(first).min()
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
    if let Some((from, _)) = tile.single()
        && size == extent
    {
        let at = begin.checked_add(from)?.checked_add(offset)?;
        return Some(Ranges::one(at, at.checked_add(bytes)?));
    }
    if (bytes / size + 2).checked_mul(tile.len() as i64)? > MOST_RANGES as i64 {
        return None;
    }
    let mut out: Vec<Piece> = Vec::new();
    let (mut skip, mut left) = (offset % size, bytes);
    let mut at = begin.checked_add((offset / size).checked_mul(extent)?)?;
    while left > 0 {
        for (from, to) in tile.iter() {
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
    Some(Ranges::from(out))
}

/// The first bytes that both have.
pub(crate) fn common(a: &Ranges, b: &Ranges) -> Option<Piece> {
    if let (Some(one), Some(other)) = (a.regular(), b.regular())
        && one.stride == other.stride
    {
        return one.common(other);
    }
    // Not from the beginning where the other one has not begun.
    let begin = |of: &Ranges, other: &Ranges| {
        let from = other.bounds().0;
        of.still().partition_point(|&piece| of.moved(piece).1 <= from)
    };
    let (mut i, mut j) = (begin(a, b), begin(b, a));
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
        return (Ranges::default(), true);
    }
    let whole = |low: i64, high: i64| {
        let span = extent.saturating_mul(bytes(count - 1));
        (start.saturating_add(low).saturating_add(span.min(0)), start.saturating_add(high).saturating_add(span.max(0)))
    };
    let Some(map) = map.filter(|m| !m.cut) else {
        let is_dense = extent == bytes(size);
        return (Ranges::from(vec![whole(0, bytes(size).max(extent))]), is_dense);
    };
    // One element's pieces, then all of them.
    let mut one: Vec<Piece> = Vec::new();
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
        return (Ranges::from(vec![whole(low, high)]), is_dense);
    }
    let mut all: Vec<Piece> = Vec::with_capacity(pieces as usize);
    for element in 0..bytes(count) {
        for k in 0..bytes(repeat) {
            let at =
                start.saturating_add(element.saturating_mul(extent)).saturating_add(k.saturating_mul(map.stride_bytes));
            all.extend(one.iter().map(|r| (at.saturating_add(r.0), at.saturating_add(r.1))));
        }
    }
    all.sort_unstable();
    let mut merged: Vec<Piece> = Vec::with_capacity(all.len());
    for range in all {
        match merged.last_mut() {
            Some(last) if range.0 <= last.1 => last.1 = last.1.max(range.1),
            _ => merged.push(range),
        }
    }
    (Ranges::from(merged), is_exact)
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
        let spelled = |found: (Ranges, bool)| found.0.iter().collect::<Vec<_>>();
        assert_eq!(spelled(ranges(100, 1, 12, 36, Some(&map), int)), [(100, 104), (116, 120), (132, 136)]);
        assert_eq!(spelled(ranges(0, 2, 12, 4, Some(&map), int)), [(0, 8), (16, 24), (32, 40)]);
        assert_eq!(ranges(8, 3, 4, 4, None, int), (Ranges::one(8, 20), true));
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
            let (mut tile, mut at): (Vec<Piece>, i64) = (Vec::new(), 0);
            for (gap, length) in pieces {
                tile.push((at + gap - 1, at + gap - 1 + length));
                at += gap - 1 + length;
            }
            let tile = tile.into_iter().fold(Vec::new(), |mut all: Vec<Piece>, r| {
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
            let found = tiled(begin, &Ranges::from(tile), extent, offset, bytes).unwrap();
            let spelled: Vec<i64> = found.iter().flat_map(|(a, b)| a..b).collect();
            prop_assert_eq!(&spelled, &data);
            let first = data.iter().find(|x| (other.0..other.0 + other.1).contains(x)).copied();
            let other = Ranges::one(other.0, other.0 + other.1);
            prop_assert_eq!(common(&found, &other).map(|c| c.0), first);
            prop_assert_eq!(common(&other, &found).map(|c| c.0), first);
        }

        /// Columns, moved and cut, against piece by piece.
        #[test]
        fn pieces_that_are_all_alike(
            (one, other) in (column(), column()),
            strides in (2i64..12, 2i64..12), same in any::<bool>(), stretch in (0i64..60, 1i64..60),
        ) {
            let spell = |(from, bytes, pieces, by): (i64, i64, i64, i64), stride: i64| {
                (0..pieces).map(|k| (from + by + k * stride, from + by + k * stride + bytes.min(stride - 1))).collect::<Vec<_>>()
            };
            let make = |(from, bytes, pieces, by): (i64, i64, i64, i64), stride: i64| {
                let mut made = Ranges::from(spell((from, bytes, pieces, 0), stride));
                made.shift(by);
                made
            };
            let strides = (strides.0, if same { strides.0 } else { strides.1 });
            let (a, b) = (make(one, strides.0), make(other, strides.1));
            let (x, y) = (spell(one, strides.0), spell(other, strides.1));
            prop_assert_eq!(a.iter().collect::<Vec<_>>(), x.clone());
            let meets = |p: Piece, q: Piece| Some((p.0.max(q.0), p.1.min(q.1))).filter(|(from, to)| from < to);
            let first = x.iter().flat_map(|&p| y.iter().filter_map(move |&q| meets(p, q))).min();
            prop_assert_eq!(common(&a, &b), first);
            prop_assert_eq!(common(&b, &a), first);
            let stretch = (stretch.0, stretch.0 + stretch.1);
            let cut: Vec<Piece> = x.iter().filter_map(|&p| meets(p, stretch)).collect();
            prop_assert_eq!(a.within(stretch).iter().collect::<Vec<_>>(), cut);
            for byte in 0..80 {
                prop_assert_eq!(a.has(byte), x.iter().any(|p| (p.0..p.1).contains(&byte)));
            }
            // What follows it.
            let (mut grown, gap) = (a.clone(), a.bounds().1 - b.bounds().0);
            let mut after = b.clone();
            after.shift(gap);
            grown.append(after.clone());
            let bytes = |of: &Ranges| of.iter().flat_map(|(from, to)| from..to).collect::<Vec<_>>();
            prop_assert_eq!(bytes(&grown), [bytes(&a), bytes(&after)].concat());
            prop_assert!(grown.iter().zip(grown.iter().skip(1)).all(|(p, q)| p.1 < q.0));
            // The first one is what it was.
            prop_assert_eq!(a.iter().collect::<Vec<_>>(), x);
        }
    }

    /// Begin, bytes of a piece, pieces, and how far they are moved.
    fn column() -> impl Strategy<Value = (i64, i64, i64, i64)> {
        (0i64..12, 1i64..8, 1i64..7, -5i64..20)
    }

    #[test]
    fn what_two_have_in_common() {
        let ranges = |pieces: &[Piece]| Ranges::from(pieces.to_vec());
        assert_eq!(common(&ranges(&[(0, 4), (16, 20)]), &ranges(&[(4, 16), (18, 30)])), Some((18, 20)));
        assert_eq!(common(&ranges(&[(0, 4), (16, 20)]), &ranges(&[(4, 16)])), None);
        // At the end of all numbers.
        let mut far = ranges(&[(0, 4), (8, 12), (16, 20)]);
        far.shift(i64::MAX - 6);
        assert_eq!(common(&far, &far), Some((i64::MAX - 6, i64::MAX - 2)));
        far.shift(i64::MAX);
        assert_eq!(common(&far, &ranges(&[(0, 4), (8, 12)])), None);
    }
}
