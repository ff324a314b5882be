//! Datatypes: their elements, the positions of their data, and the operations that they allow.

use mpiscope_abi::{Family, id, predefined};
use mpiscope_trace::defs::{TypeBlock, TypeMap};

use super::view::{Slot, View};
use crate::mpi::call;
use crate::objects;
use crate::process::Process;

/// Most blocks of a type map.
const MOST_BLOCKS: usize = 2048;

/// The properties of a datatype that checks need.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeInfo {
    /// Size of the payload, bytes.
    pub size: u64,
    /// Distance from one element to the next, bytes.
    pub extent: i64,
    /// Offset of the first byte of data, and number of bytes to the last.
    pub true_bounds: (i64, i64),
    /// See [`kind`].
    pub kind: u8,
    /// Number in the table of predefined datatypes.
    pub predefined: u16,
    /// Order of its bytes.
    pub order: Order,
    /// It selects elements of one array, so that everything from its first to its last byte is a single piece of memory.
    /// Displacements in bytes may lead from one variable to another.
    pub is_of_array: bool,
}

/// See [`TypeInfo`]: the requirements of a file view (MPI-5.0 §14.1.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Nothing is known.
    #[default]
    Unknown,
    /// Each element is after the previous one.
    Ascending,
    /// Displacements do not decrease, but some bytes occur twice.
    Overlaps,
    /// Some displacement is smaller than the previous one.
    Backwards,
}

/// Kinds of datatypes in the tables of operations (MPI-5.0 §6.9.2).
pub mod kind {
    pub const UNKNOWN: u8 = 0;
    pub const INTEGER: u8 = 1;
    pub const FLOAT: u8 = 2;
    pub const LOGICAL: u8 = 3;
    pub const COMPLEX: u8 = 4;
    pub const BYTE: u8 = 5;
    pub const MULTI: u8 = 6;
    pub const PAIR: u8 = 7;
    pub const CHARACTER: u8 = 8;
    pub const DERIVED: u8 = 9;
}

impl TypeInfo {
    /// Whether elements are contiguous.
    pub fn is_dense(&self) -> bool {
        self.extent == self.size as i64 && self.true_bounds == (0, self.extent)
    }
    /// Whether everything between its first and its last byte is memory of one variable.
    pub fn is_in_one_piece(&self) -> bool {
        self.is_of_array || self.is_dense()
    }

    /// The bytes of `count` elements at an address: the first, and one past the last.
    pub fn span(&self, count: u64) -> (i64, i64) {
        if count == 0 || self.size == 0 {
            return (0, 0);
        }
        let last = (count as i64 - 1).saturating_mul(self.extent);
        let (low, high) = if last < 0 { (last, 0) } else { (0, last) };
        let begin = self.true_bounds.0.saturating_add(low);
        (begin, self.true_bounds.0.saturating_add(self.true_bounds.1).saturating_add(high))
    }
}

/// Kind of a predefined datatype by its name.
pub fn kind_of(name: &str) -> u8 {
    let name = name.strip_prefix("MPI_").unwrap_or(name);
    match name {
        "CHAR" | "WCHAR" | "CHARACTER" => kind::CHARACTER,
        "BYTE" => kind::BYTE,
        "PACKED" | "LB" | "UB" => kind::UNKNOWN,
        "AINT" | "COUNT" | "OFFSET" => kind::MULTI,
        n if n.starts_with('2') || n.ends_with("_INT") && n != "LONG_LONG_INT" => kind::PAIR,
        n if n.contains("COMPLEX") => kind::COMPLEX,
        n if n.starts_with("LOGICAL") || n.ends_with("_BOOL") => kind::LOGICAL,
        n if n.contains("FLOAT") || n.contains("DOUBLE") || n.starts_with("REAL") => kind::FLOAT,
        _ => kind::INTEGER,
    }
}

/// Whether a predefined operation is defined for a datatype; true if unknown.
pub fn allows(op: &str, kind: u8) -> bool {
    use kind::*;
    if kind == UNKNOWN {
        return true;
    }
    match op {
        "MPI_MAX" | "MPI_MIN" => matches!(kind, INTEGER | FLOAT | MULTI),
        "MPI_SUM" | "MPI_PROD" => matches!(kind, INTEGER | FLOAT | COMPLEX | MULTI),
        "MPI_LAND" | "MPI_LOR" | "MPI_LXOR" => matches!(kind, INTEGER | LOGICAL | MULTI),
        "MPI_BAND" | "MPI_BOR" | "MPI_BXOR" => matches!(kind, INTEGER | BYTE | MULTI),
        "MPI_MAXLOC" | "MPI_MINLOC" => kind == PAIR,
        _ => true,
    }
}

/// The predefined datatypes by id.
pub fn predefined_types(process: &'static Process) -> Vec<TypeInfo> {
    let mut types = Vec::new();
    for (number, p) in predefined::DATATYPES.iter().enumerate() {
        let handle = super::predefined_handle(process, p);
        let id = process.types.id(handle) as usize;
        if handle == 0 || id == 0 {
            continue;
        }
        if types.len() <= id {
            types.resize(id + 1, TypeInfo::default());
        }
        if types[id].size != 0 {
            continue;
        }
        let (size, extent) = (objects::type_size(id as u32), objects::type_extent(id as u32));
        let kind = kind_of(p.name);
        // Pairs have a gap where the C structure has one.
        let room = if kind == kind::PAIR { extent } else { size as i64 };
        types[id] = TypeInfo {
            size,
            extent,
            true_bounds: (0, room),
            kind,
            predefined: number as u16,
            order: Order::Ascending,
            is_of_array: true,
        };
    }
    types
}

/// A derived datatype was just created.
pub fn derived(handle: u64, id: u32) -> TypeInfo {
    let (mut low, mut extent) = (0, 0);
    let known = call::Type_get_true_extent(handle as usize, &mut low, &mut extent);
    let size = objects::type_size(id);
    let true_bounds = if known { (low as i64, extent as i64) } else { (0, 0) };
    // Without bounds its memory is unknown.
    TypeInfo {
        size: if known { size } else { 0 },
        extent: objects::type_extent(id),
        true_bounds,
        kind: kind::DERIVED,
        ..TypeInfo::default()
    }
}

/// Whether a constructor that was just called selects elements of one array; see [`TypeInfo`].
pub fn is_of_array(function: u32, map: &TypeMap, types: &[TypeInfo]) -> bool {
    let by_elements = matches!(
        function,
        id::Type_contiguous
            | id::Type_dup
            | id::Type_create_resized
            | id::Type_vector
            | id::Type_indexed
            | id::Type_create_indexed_block
            | id::Type_create_subarray
            | id::Type_create_darray
    );
    let part = |datatype: u32| types.get(datatype as usize).is_some_and(|t| t.size > 0 && t.is_in_one_piece());
    by_elements && !map.cut && map.blocks.iter().all(|b| part(b.datatype))
}

/// The order of a datatype's bytes, from its map and its parts; unknown if pieces lie between those of others.
pub fn order(map: &TypeMap, types: &[TypeInfo]) -> Order {
    if map.cut {
        return Order::Unknown;
    }
    let mut overlaps = false;
    let mut last: Option<(i64, i64, bool)> = None;
    // Where all that is repeated is the same, two rounds show what any number would.
    for round in 0..map.repeat.min(2) as i64 {
        for block in map.blocks.iter().filter(|b| b.count > 0) {
            let Some(info) = types.get(block.datatype as usize).filter(|i| i.size > 0) else { return Order::Unknown };
            let (low, high) = info.true_bounds;
            let is_solid = high - low == info.size as i64;
            match info.order {
                Order::Ascending => {}
                Order::Overlaps => overlaps = true,
                other => return other,
            }
            if block.count > 1 && info.extent < 0 {
                return Order::Backwards;
            }
            if block.count > 1 && info.extent < high - low {
                if !is_solid {
                    return Order::Unknown;
                }
                overlaps = true;
            }
            let at = block.displacement_bytes.saturating_add(round.saturating_mul(map.stride_bytes));
            let begin = at.saturating_add(low);
            let end = at.saturating_add(info.span(block.count).1);
            if let Some((from, to, was_solid)) = last {
                match () {
                    () if begin < from => return Order::Backwards,
                    () if begin < to && !(was_solid && is_solid) => return Order::Unknown,
                    () if begin < to => overlaps = true,
                    () => {}
                }
            }
            last = Some((begin, end, is_solid && (block.count == 1 || info.is_dense())));
        }
    }
    if overlaps { Order::Overlaps } else { Order::Ascending }
}

/// Number of datatypes from which a derived one is made; `None` for those that may have large counts as well.
pub fn parts(datatype: u64) -> Option<u64> {
    let (mut integers, mut addresses, mut types, mut combiner) = (0, 0, 0, 0);
    call::Type_get_envelope(datatype as usize, &mut integers, &mut addresses, &mut types, &mut combiner)
        .then(|| u64::try_from(types).ok())
        .flatten()
}

/// Whether a datatype may be one of the MPI's own: named, or made by `MPI_Type_create_f90_integer` and the like (MPI-5.0
/// §19.1.9). They have no parts and at most two numbers, like only a structure without blocks.
pub fn is_basic(datatype: u64) -> bool {
    let (mut integers, mut addresses, mut types, mut combiner) = (0, 0, 0, 0);
    call::Type_get_envelope(datatype as usize, &mut integers, &mut addresses, &mut types, &mut combiner)
        && types == 0
        && addresses == 0
        && integers <= 2
}

/// The elements of the datatype that a successful constructor has created.
pub fn map(view: &View<'_>) -> TypeMap {
    blocks(view).unwrap_or(TypeMap { repeat: 1, cut: true, ..TypeMap::default() })
}

fn blocks(view: &View<'_>) -> Option<TypeMap> {
    let plan = view.plan;
    let number = |name: &str| plan.named(name).map(|p| view.int(p));
    let old = || {
        let param = view.param(Slot::Type).or_else(|| plan.named("oldtype"))?;
        Some(view.process.types.id(view.handle(param)?)).filter(|&id| id != 0)
    };
    let one = |blocks: Vec<TypeBlock>| Some(TypeMap { blocks, repeat: 1, stride_bytes: 0, cut: false });
    let block = |displacement_bytes, count: i64, datatype| TypeBlock {
        displacement_bytes,
        count: count.max(0) as u64,
        datatype,
    };
    let count = number("count").unwrap_or(0).max(0);
    match plan.base {
        id::Type_contiguous => one(vec![block(0, count, old()?)]),
        id::Type_dup | id::Type_create_resized => one(vec![block(0, 1, old()?)]),
        id::Type_vector | id::Type_create_hvector | id::Type_hvector => {
            let old = old()?;
            let stride = number("stride")?;
            let stride = if plan.base == id::Type_vector { stride * objects::type_extent(old) } else { stride };
            if count == 0 {
                return one(Vec::new());
            }
            let blocks = vec![block(0, number("blocklength")?, old)];
            Some(TypeMap { blocks, repeat: count as u64, stride_bytes: stride, cut: false })
        }
        id::Type_indexed
        | id::Type_create_hindexed
        | id::Type_hindexed
        | id::Type_create_indexed_block
        | id::Type_create_hindexed_block => {
            if count as usize > MOST_BLOCKS {
                return None;
            }
            let old = old()?;
            let unit = match plan.base {
                id::Type_indexed | id::Type_create_indexed_block => objects::type_extent(old),
                _ => 1,
            };
            let places = plan.named("array_of_displacements")?;
            let lengths = plan.named("array_of_blocklengths");
            let all = number("blocklength");
            let blocks = (0..count as usize).map(|i| {
                let length = lengths.map_or(all, |p| view.element(p, i))?;
                Some(block(view.element(places, i)? * unit, length, old))
            });
            one(blocks.collect::<Option<Vec<_>>>()?)
        }
        id::Type_create_struct | id::Type_struct => {
            if count as usize > MOST_BLOCKS {
                return None;
            }
            let (lengths, places) = (plan.named("array_of_blocklengths")?, plan.named("array_of_displacements")?);
            let types = plan.named("array_of_types")?;
            let array = view.word(types)?;
            let blocks = (0..count as usize).map(|i| {
                let old = view.process.types.id(view.stored(types, array, i)?);
                (old != 0).then_some(())?;
                Some(block(view.element(places, i)?, view.element(lengths, i)?, old))
            });
            one(blocks.collect::<Option<Vec<_>>>()?)
        }
        id::Type_create_subarray => subarray(view, old()?),
        id::Type_create_darray => darray(view, old()?),
        _ => None,
    }
}

/// `MPI_ORDER_C` and `MPI_ORDER_FORTRAN` in the families.
pub fn orders(family: Family) -> [i64; 2] {
    match family {
        Family::Mpich => [56, 57],
        Family::OpenMpi => [0, 1],
        Family::Standard => [14, 15],
    }
}

fn is_fortran_order(view: &View<'_>, order: i64) -> bool {
    order == orders(view.process.mpi.constants.family)[1]
}

fn darray(view: &View<'_>, old: u32) -> Option<TypeMap> {
    let plan = view.plan;
    let dims = usize::try_from(view.int(plan.named("ndims")?)).ok().filter(|n| (1..=16).contains(n))?;
    let element = |name: &str, i: usize| view.element(plan.named(name)?, i);
    let family = view.process.mpi.constants.family;
    let dimension = |i: usize| {
        let distribution = element("array_of_distribs", i)?;
        let how = super::darray::how(family, distribution, element("array_of_dargs", i)?)?;
        Some((element("array_of_gsizes", i)?, how, element("array_of_psizes", i)?))
    };
    let dimensions = (0..dims).map(dimension).collect::<Option<Vec<_>>>()?;
    let is_fortran = is_fortran_order(view, view.int(plan.named("order")?));
    let pieces = super::darray::pieces(&dimensions, view.int(plan.named("rank")?), is_fortran, MOST_BLOCKS)?;
    let extent = objects::type_extent(old);
    let block = |(from, n): (i64, i64)| {
        Some(TypeBlock { displacement_bytes: from.checked_mul(extent)?, count: n as u64, datatype: old })
    };
    let blocks = pieces.into_iter().map(block).collect::<Option<Vec<_>>>()?;
    Some(TypeMap { blocks, repeat: 1, stride_bytes: 0, cut: false })
}

fn subarray(view: &View<'_>, old: u32) -> Option<TypeMap> {
    let plan = view.plan;
    let dims = usize::try_from(view.int(plan.named("ndims")?)).ok().filter(|n| (1..=16).contains(n))?;
    let list = |name: &str| {
        let param = plan.named(name)?;
        (0..dims).map(|i| view.element(param, i)).collect::<Option<Vec<i64>>>()
    };
    let (mut sizes, mut inner) = (list("array_of_sizes")?, list("array_of_subsizes")?);
    let mut starts = list("array_of_starts")?;
    if is_fortran_order(view, view.int(plan.named("order")?)) {
        sizes.reverse();
        inner.reverse();
        starts.reverse();
    }
    let rows: i64 = inner[..dims - 1].iter().try_fold(1i64, |all, &n| all.checked_mul(n))?;
    if rows < 0 || rows as usize > MOST_BLOCKS {
        return None;
    }
    let extent = objects::type_extent(old);
    let mut at = vec![0i64; dims];
    let mut blocks = Vec::with_capacity(rows as usize);
    for _ in 0..rows {
        let mut place = 0i64;
        for d in 0..dims {
            place = place * sizes[d] + starts[d] + at[d];
        }
        let count = inner[dims - 1].max(0) as u64;
        blocks.push(TypeBlock { displacement_bytes: place.checked_mul(extent)?, count, datatype: old });
        for d in (0..dims - 1).rev() {
            at[d] += 1;
            if at[d] < inner[d] {
                break;
            }
            at[d] = 0;
        }
    }
    Some(TypeMap { blocks, repeat: 1, stride_bytes: 0, cut: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_names() {
        for (name, wanted) in [
            ("MPI_INT", kind::INTEGER),
            ("MPI_LONG_LONG_INT", kind::INTEGER),
            ("MPI_UINT8_T", kind::INTEGER),
            ("MPI_DOUBLE_INT", kind::PAIR),
            ("MPI_2REAL", kind::PAIR),
            ("MPI_LONG_DOUBLE", kind::FLOAT),
            ("MPI_DOUBLE_PRECISION", kind::FLOAT),
            ("MPI_C_DOUBLE_COMPLEX", kind::COMPLEX),
            ("MPI_C_BOOL", kind::LOGICAL),
            ("MPI_BYTE", kind::BYTE),
            ("MPI_CHAR", kind::CHARACTER),
            ("MPI_INTEGER16", kind::INTEGER),
            ("MPI_PACKED", kind::UNKNOWN),
        ] {
            assert_eq!(kind_of(name), wanted, "{name}");
        }
        assert!(
            allows("MPI_SUM", kind::COMPLEX) && !allows("MPI_SUM", kind::BYTE) && !allows("MPI_MAX", kind::COMPLEX)
        );
        assert!(!allows("MPI_MAXLOC", kind::INTEGER) && allows("MPI_REPLACE", kind::PAIR));
    }

    #[test]
    fn orders() {
        let int = TypeInfo { size: 4, extent: 4, true_bounds: (0, 4), order: Order::Ascending, ..TypeInfo::default() };
        // A column of ints with one int of extent: several of them are between each other.
        let column = TypeInfo { size: 8, extent: 4, true_bounds: (0, 12), ..int };
        let types = [TypeInfo::default(), int, column];
        let block = |displacement_bytes, count, datatype| TypeBlock { displacement_bytes, count, datatype };
        let made = |blocks: Vec<TypeBlock>, repeat, stride_bytes| {
            order(&TypeMap { blocks, repeat, stride_bytes, cut: false }, &types)
        };
        assert_eq!(made(vec![block(0, 2, 1), block(8, 1, 1)], 1, 0), Order::Ascending);
        assert_eq!(made(vec![block(4, 1, 1), block(0, 1, 1)], 1, 0), Order::Backwards);
        assert_eq!(made(vec![block(0, 2, 1), block(4, 1, 1)], 1, 0), Order::Overlaps);
        assert_eq!(made(vec![block(0, 1, 1)], 4, 8), Order::Ascending);
        assert_eq!(made(vec![block(0, 1, 1)], 4, -8), Order::Backwards);
        assert_eq!(made(vec![block(0, 2, 1)], 4, 4), Order::Overlaps);
        assert_eq!(made(vec![block(0, 2, 2)], 1, 0), Order::Unknown);
        assert_eq!(made(vec![block(0, 1, 2)], 1, 0), Order::Ascending);
        assert_eq!(made(vec![block(0, 1, 0)], 1, 0), Order::Unknown);
    }

    #[test]
    fn elements_of_one_array() {
        let int = TypeInfo { size: 4, extent: 4, true_bounds: (0, 4), is_of_array: true, ..TypeInfo::default() };
        let column = TypeInfo { true_bounds: (0, 40), size: 8, extent: 40, ..int };
        let parts = TypeInfo { is_of_array: false, ..column };
        let types = [TypeInfo::default(), int, column, parts];
        let made = |function, datatype, cut| {
            let blocks = vec![TypeBlock { displacement_bytes: 0, count: 2, datatype }];
            is_of_array(function, &TypeMap { blocks, repeat: 1, stride_bytes: 0, cut }, &types)
        };
        assert!(made(id::Type_vector, 1, false) && made(id::Type_create_resized, 2, false));
        // Bytes may lead anywhere, and nothing is known of some parts.
        assert!(!made(id::Type_create_hvector, 1, false) && !made(id::Type_create_struct, 1, false));
        assert!(!made(id::Type_contiguous, 3, false) && !made(id::Type_contiguous, 0, false));
        assert!(!made(id::Type_vector, 1, true));
    }

    #[test]
    fn spans() {
        let int = TypeInfo {
            size: 4,
            extent: 4,
            true_bounds: (0, 4),
            kind: kind::INTEGER,
            predefined: 0,
            order: Order::Ascending,
            is_of_array: true,
        };
        assert!(int.is_dense());
        assert_eq!((int.span(3), int.span(0)), ((0, 12), (0, 0)));
        let column = TypeInfo { size: 8, extent: 100, true_bounds: (4, 50), ..int };
        assert_eq!(column.span(2), (4, 154));
        let backwards = TypeInfo { extent: -8, ..int };
        assert_eq!(backwards.span(3), (-16, 4));
    }
}
