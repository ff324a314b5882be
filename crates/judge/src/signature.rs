//! What data is made of: type signatures (MPI-5.0 §3.3.1, §5.1), compared without being spelled out.
//!
//! A datatype is a *pattern* of basic elements, run-length encoded, that is repeated. Data is a pattern and how many times. Two
//! patterns that differ are compared once: two periodic sequences that agree for as many elements as both periods have
//! together agree for ever (Fine and Wilf), so counts never matter.

use std::sync::Arc;

use mpiscope_trace::defs::TypeMap;
use rustc_hash::FxHashMap;

/// Most runs of a pattern; beyond, only sizes are compared.
const MOST_RUNS: usize = 1 << 14;

/// Kind and size of a basic element. `MPI_INT` and `MPI_INTEGER` are the same class: the standard leaves to the language's
/// interoperability whether they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Class {
    pub kind: Kind,
    pub bytes: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Integer,
    Unsigned,
    Float,
    Complex,
    Logical,
    Character,
    Wide,
    Byte,
    Packed,
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = match self.kind {
            Kind::Integer => "integer",
            Kind::Unsigned => "unsigned integer",
            Kind::Float => "floating point",
            Kind::Complex => "complex",
            Kind::Logical => "logical",
            Kind::Character => return f.write_str("character"),
            Kind::Wide => "wide character",
            Kind::Byte => return f.write_str("MPI_BYTE"),
            Kind::Packed => return f.write_str("MPI_PACKED"),
        };
        write!(f, "{name} of {} bytes", self.bytes)
    }
}

/// The elements of a predefined datatype; none for others.
pub(crate) fn predefined(name: &str, size: u64) -> Option<Vec<(Class, u64)>> {
    use Kind::*;
    let name = name.strip_prefix("MPI_").or_else(|| name.strip_prefix("MPIX_"))?;
    let one = |kind| Some(vec![(Class { kind, bytes: size as u8 }, 1)]);
    let two = |kind| Some(vec![(Class { kind, bytes: (size / 2) as u8 }, 2)]);
    let with_int = |kind| {
        let bytes = size.checked_sub(4)? as u8;
        Some(vec![(Class { kind, bytes }, 1), (Class { kind: Integer, bytes: 4 }, 1)])
    };
    match name {
        "FLOAT_INT" | "DOUBLE_INT" | "LONG_DOUBLE_INT" => with_int(Float),
        "LONG_INT" | "SHORT_INT" => with_int(Integer),
        "2INT" | "2INTEGER" => two(Integer),
        "2REAL" | "2DOUBLE_PRECISION" => two(Float),
        "2COMPLEX" | "2DOUBLE_COMPLEX" => two(Complex),
        "LB" | "UB" => Some(Vec::new()),
        "BYTE" => one(Byte),
        "PACKED" => one(Packed),
        "CHAR" | "CHARACTER" => one(Character),
        "WCHAR" => one(Wide),
        "SIGNED_CHAR" | "AINT" | "COUNT" | "OFFSET" => one(Integer),
        _ if name.starts_with("UINT") || name.starts_with("UNSIGNED") => one(Unsigned),
        _ if name.contains("COMPLEX") => one(Complex),
        _ if name.starts_with("LOGICAL") || name.ends_with("BOOL") => one(Logical),
        _ if name.starts_with("INT") || name.starts_with("LONG_LONG") || matches!(name, "SHORT" | "LONG") => {
            one(Integer)
        }
        _ if name.starts_with("REAL")
            || matches!(name, "FLOAT" | "DOUBLE" | "LONG_DOUBLE" | "DOUBLE_PRECISION" | "FLOAT16" | "BFLOAT16") =>
        {
            one(Float)
        }
        _ => None,
    }
}

#[derive(Debug)]
struct Pattern {
    runs: Vec<(Class, u64)>,
    elements: u64,
}

/// An unknown pattern.
const UNKNOWN: u32 = 0;

/// A datatype of a process.
#[derive(Clone, Debug)]
pub(crate) struct Datatype {
    pattern: u32,
    repeat: u64,
    /// Bytes of data.
    pub size: u64,
    pub extent: i64,
    pub name: String,
    /// Where its bytes lie.
    pub map: Option<Arc<TypeMap>>,
}

/// Elements of one datatype, so many of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Signature {
    pattern: u32,
    repeat: u64,
    pub bytes: u64,
}

impl Signature {
    /// No data.
    pub const EMPTY: Signature = Signature { pattern: 1, repeat: 0, bytes: 0 };
}

/// How two signatures compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compared {
    /// The same elements.
    Same,
    /// Element `at` differs.
    Different { at: u64, left: Class, right: Class },
    /// `MPI_BYTE` against a typed one.
    Untyped,
    /// One of them is unknown.
    Unknown,
}

/// All patterns of a run.
pub(crate) struct Signatures {
    patterns: Vec<Pattern>,
    numbers: FxHashMap<Vec<(Class, u64)>, u32>,
    compared: FxHashMap<(u32, u32), Compared>,
}

impl Default for Signatures {
    fn default() -> Self {
        let none = || Pattern { runs: Vec::new(), elements: 0 };
        let numbers = std::iter::once((Vec::new(), 1)).collect();
        Signatures { patterns: vec![none(), none()], numbers, compared: FxHashMap::default() }
    }
}

impl Signatures {
    fn pattern(&mut self, runs: Vec<(Class, u64)>) -> u32 {
        if let Some(&number) = self.numbers.get(&runs) {
            return number;
        }
        let elements = runs.iter().fold(0u64, |n, (_, count)| n.saturating_add(*count));
        self.patterns.push(Pattern { runs: runs.clone(), elements });
        let number = self.patterns.len() as u32 - 1;
        self.numbers.insert(runs, number);
        number
    }

    /// Runs to a pattern and how often; one element for what is all the same.
    fn canonical(&mut self, runs: Vec<(Class, u64)>, repeat: u64) -> (u32, u64) {
        match runs[..] {
            [] => (1, 0),
            [(class, count)] => (self.pattern(vec![(class, 1)]), count.saturating_mul(repeat)),
            _ => (self.pattern(runs), repeat),
        }
    }

    /// A datatype from its definition; its map may come later.
    pub fn datatype(&mut self, name: &str, size: u64, extent: i64) -> Datatype {
        let (pattern, repeat) = match predefined(name, size) {
            Some(runs) => self.canonical(runs, 1),
            None => (UNKNOWN, 1),
        };
        Datatype { pattern, repeat, size, extent, name: name.to_owned(), map: None }
    }

    /// Gives a datatype its map, whose parts are `parts`.
    pub fn set_map<'a>(&mut self, datatype: &mut Datatype, map: &TypeMap, part: impl Fn(u32) -> Option<&'a Datatype>) {
        datatype.map = Some(Arc::new(map.clone()));
        if predefined(&datatype.name, datatype.size).is_some() {
            return;
        }
        (datatype.pattern, datatype.repeat) = (UNKNOWN, 1);
        if map.cut {
            return;
        }
        let mut runs: Vec<(Class, u64)> = Vec::new();
        for block in &map.blocks {
            let Some(part) = part(block.datatype).filter(|p| p.pattern != UNKNOWN) else { return };
            let of = &self.patterns[part.pattern as usize].runs;
            let mut times = part.repeat.saturating_mul(block.count);
            let mut once = of.clone();
            if let [(_, count)] = &mut once[..] {
                *count = count.saturating_mul(times);
                times = times.min(1);
            }
            if times.saturating_mul(once.len() as u64) > MOST_RUNS as u64 {
                return;
            }
            for _ in 0..times {
                for &(class, count) in once.iter().filter(|(_, count)| *count > 0) {
                    match runs.last_mut().filter(|(last, _)| *last == class) {
                        Some((_, n)) => *n = n.saturating_add(count),
                        None => runs.push((class, count)),
                    }
                }
            }
            if runs.len() > MOST_RUNS {
                return;
            }
        }
        (datatype.pattern, datatype.repeat) = self.canonical(runs, map.repeat.max(1));
    }

    /// The signature of data.
    pub fn signature_of(&self, datatype: &Datatype, count: u64) -> Signature {
        let bytes = datatype.size.saturating_mul(count);
        if datatype.pattern == UNKNOWN {
            return if count == 0 { Signature::EMPTY } else { Signature { pattern: UNKNOWN, repeat: count, bytes } };
        }
        let repeat = datatype.repeat.saturating_mul(count);
        if repeat == 0 { Signature::EMPTY } else { Signature { pattern: datatype.pattern, repeat, bytes } }
    }

    /// Basic elements in it.
    pub fn elements(&self, signature: Signature) -> u64 {
        self.patterns[signature.pattern as usize].elements.saturating_mul(signature.repeat)
    }

    fn only(&self, pattern: u32, kind: Kind) -> bool {
        matches!(self.patterns[pattern as usize].runs[..], [(class, _)] if class.kind == kind)
    }

    /// Whether the elements that both have are the same.
    pub fn compare(&mut self, left: Signature, right: Signature) -> Compared {
        if left.pattern == UNKNOWN || right.pattern == UNKNOWN {
            return Compared::Unknown;
        }
        if left.pattern == right.pattern || left.repeat == 0 || right.repeat == 0 {
            return Compared::Same;
        }
        let key = (left.pattern, right.pattern);
        let compared = match self.compared.get(&key) {
            Some(&compared) => compared,
            None => {
                let compared = self.first_difference(key.0, key.1);
                self.compared.insert(key, compared);
                compared
            }
        };
        match compared {
            Compared::Different { at, .. } if at >= self.elements(left).min(self.elements(right)) => Compared::Same,
            _ => compared,
        }
    }

    fn first_difference(&self, left: u32, right: u32) -> Compared {
        if self.only(left, Kind::Packed) || self.only(right, Kind::Packed) {
            return Compared::Same;
        }
        if self.only(left, Kind::Byte) != self.only(right, Kind::Byte) {
            return Compared::Untyped;
        }
        let (a, b) = (&self.patterns[left as usize], &self.patterns[right as usize]);
        let limit = a.elements.saturating_add(b.elements);
        let mut a = a.runs.iter().cycle();
        let mut b = b.runs.iter().cycle();
        let (Some(&(mut x, mut n)), Some(&(mut y, mut m))) = (a.next(), b.next()) else { return Compared::Same };
        let mut at = 0u64;
        // A pattern of a few elements against one of very many that agree: as many steps as the longer has runs.
        for _ in 0..4 * MOST_RUNS {
            if x != y {
                return Compared::Different { at, left: x, right: y };
            }
            let step = n.min(m);
            at = at.saturating_add(step);
            if at >= limit {
                return Compared::Same;
            }
            (n, m) = (n - step, m - step);
            if n == 0 {
                (x, n) = *a.next().expect("a cycle");
            }
            if m == 0 {
                (y, m) = *b.next().expect("a cycle");
            }
        }
        Compared::Unknown
    }

    /// Whether both are equal as a whole: elements and their number. `Err` contains the difference.
    pub fn equal(&mut self, left: Signature, right: Signature) -> Result<(), Compared> {
        match self.compare(left, right) {
            Compared::Same if left.bytes == right.bytes => Ok(()),
            Compared::Unknown if left.bytes == right.bytes => Ok(()),
            Compared::Untyped if left.bytes == right.bytes => Err(Compared::Untyped),
            found @ Compared::Different { .. } => Err(found),
            // Only the number differs.
            _ => Err(Compared::Same),
        }
    }

    /// What people read: "4 × integer of 4 bytes".
    pub fn describe(&self, signature: Signature) -> String {
        let pattern = &self.patterns[signature.pattern as usize];
        match (&pattern.runs[..], signature.pattern) {
            (_, UNKNOWN) => format!("{} bytes", signature.bytes),
            ([], _) => "nothing".into(),
            ([(class, count)], _) => format!("{} × {class}", count.saturating_mul(signature.repeat)),
            (runs, _) => {
                let parts: Vec<String> = runs.iter().take(4).map(|(class, n)| format!("{n} × {class}")).collect();
                let more = if runs.len() > 4 { ", …" } else { "" };
                format!("{} × ({}{more})", signature.repeat, parts.join(", "))
            }
        }
    }

    /// Only of `MPI_PACKED`.
    pub fn is_packed(&self, signature: Signature) -> bool {
        matches!(self.patterns[signature.pattern as usize].runs[..], [(Class { kind: Kind::Packed, .. }, _)])
    }

    /// The kinds of elements that it is made of, each once.
    pub fn kinds(&self, signature: Signature) -> String {
        let mut kinds: Vec<Class> = self.patterns[signature.pattern as usize].runs.iter().map(|(c, _)| *c).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.iter().map(Class::to_string).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_trace::defs::TypeBlock;
    use proptest::prelude::*;

    fn basic(all: &mut Signatures, name: &str, size: u64) -> Datatype {
        all.datatype(name, size, size as i64)
    }

    /// A datatype of blocks (which basic one, how many), repeated.
    fn made(all: &mut Signatures, basics: &[Datatype], blocks: &[(usize, u64)], repeat: u64) -> Datatype {
        let size: u64 = blocks.iter().map(|&(which, n)| basics[which].size * n).sum::<u64>() * repeat;
        let mut datatype = all.datatype("", size, size as i64);
        let blocks = blocks
            .iter()
            .map(|&(which, count)| TypeBlock { displacement_bytes: 0, count, datatype: which as u32 })
            .collect();
        let map = TypeMap { blocks, repeat, stride_bytes: 0, cut: false };
        all.set_map(&mut datatype, &map, |id| basics.get(id as usize));
        datatype
    }

    #[test]
    fn classes_of_predefined_datatypes() {
        for known in mpiscope_abi::predefined::DATATYPES.iter() {
            assert!(predefined(known.name, known.size).is_some(), "{}", known.name);
        }
        assert_eq!(predefined("particle", 4), None);
    }

    #[test]
    fn what_matches() {
        let mut all = Signatures::default();
        let basics = [
            basic(&mut all, "MPI_INT", 4),
            basic(&mut all, "MPI_DOUBLE", 8),
            basic(&mut all, "MPI_BYTE", 1),
            basic(&mut all, "MPI_PACKED", 1),
            basic(&mut all, "MPI_INTEGER", 4),
        ];
        let [int, double, byte, packed, integer] = &basics;
        let compare = |all: &mut Signatures, a: &Datatype, n, b: &Datatype, m| {
            let (a, b) = (all.signature_of(a, n), all.signature_of(b, m));
            all.compare(a, b)
        };
        assert_eq!(compare(&mut all, int, 4, integer, 9), Compared::Same);
        assert!(matches!(compare(&mut all, int, 4, double, 2), Compared::Different { at: 0, .. }));
        assert_eq!(compare(&mut all, int, 4, byte, 16), Compared::Untyped);
        assert_eq!(compare(&mut all, double, 4, packed, 64), Compared::Same);
        let pair = made(&mut all, &basics, &[(0, 1), (1, 1)], 1);
        let pairs = made(&mut all, &basics, &[(0, 1), (1, 1)], 1 << 40);
        assert_eq!(compare(&mut all, &pair, 1 << 40, &pairs, 1), Compared::Same);
        assert_eq!(compare(&mut all, &pair, 1, int, 1), Compared::Same);
        assert!(matches!(compare(&mut all, &pair, 1, int, 3), Compared::Different { at: 1, .. }));
        let row = made(&mut all, &basics, &[(0, 100), (0, 28)], 3);
        let signature = all.signature_of(&row, 2);
        assert_eq!(all.elements(signature), 768);
        assert_eq!(compare(&mut all, &row, 1, int, 384), Compared::Same);
    }

    proptest! {
        /// Against the elements spelled out.
        #[test]
        fn as_if_spelled_out(
            a in proptest::collection::vec((0usize..2, 1u64..4), 1..4),
            b in proptest::collection::vec((0usize..2, 1u64..4), 1..4),
            n in 0u64..5,
            m in 0u64..5,
            repeat in 1u64..3,
        ) {
            let mut all = Signatures::default();
            let basics = [basic(&mut all, "MPI_INT", 4), basic(&mut all, "MPI_FLOAT", 4)];
            let spell = |blocks: &[(usize, u64)], times: u64| -> Vec<usize> {
                (0..times).flat_map(|_| blocks.iter().flat_map(|&(w, c)| (0..c).map(move |_| w))).collect()
            };
            let left = made(&mut all, &basics, &a, repeat);
            let right = made(&mut all, &basics, &b, 1);
            let (x, y) = (spell(&a, n * repeat), spell(&b, m));
            let wanted = x.iter().zip(&y).position(|(p, q)| p != q);
            let (left, right) = (all.signature_of(&left, n), all.signature_of(&right, m));
            prop_assert_eq!(all.elements(left), x.len() as u64);
            let found = match all.compare(left, right) {
                Compared::Same => None,
                Compared::Different { at, .. } => Some(at as usize),
                other => panic!("{other:?}"),
            };
            prop_assert_eq!(found, wanted);
        }
    }
}
