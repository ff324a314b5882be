//! The memory layout of types.

use gimli::{AttributeValue, Unit};

use super::Slice;
use super::entries::{Entries, Entry};

/// Maximum nesting of types.
const DEEPEST: u32 = 32;
/// Most members of a structure, including those of its inner structures.
const MOST_MEMBERS: usize = 4096;

/// Kinds of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Integers of all kinds, logicals and enumerations.
    Integer,
    /// Floating point.
    Float,
    /// A pointer.
    Pointer,
}

/// The contents of a type.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// A number of more than one byte.
    Number(Sort, u64),
    /// This many bytes with any contents.
    Memory(u64),
    /// Elements, one after another.
    Array(u64, Box<Layout>),
    /// Members by their offset, and the total length.
    Structure(Vec<(u64, Layout)>, u64),
}

/// A number inside a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Offset from the beginning of the variable.
    pub at: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// Its kind; `None` for memory with any contents.
    pub sort: Option<Sort>,
}

impl Layout {
    /// Length in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Layout::Number(_, bytes) | Layout::Memory(bytes) | Layout::Structure(_, bytes) => *bytes,
            Layout::Array(count, of) => of.bytes().saturating_mul(*count),
        }
    }

    /// The number that contains a byte; `None` for gaps of a structure and after the end.
    pub fn leaf(&self, offset: u64) -> Option<Leaf> {
        match self {
            _ if offset >= self.bytes() => None,
            Layout::Number(sort, bytes) => Some(Leaf { at: 0, bytes: *bytes, sort: Some(*sort) }),
            Layout::Memory(bytes) => Some(Leaf { at: 0, bytes: *bytes, sort: None }),
            Layout::Array(_, of) => of.leaf(offset % of.bytes()).map(|leaf| leaf.behind(offset - offset % of.bytes())),
            Layout::Structure(members, _) => members
                .iter()
                .filter(|(begin, _)| *begin <= offset)
                .find_map(|(begin, of)| of.leaf(offset - begin).map(|leaf| leaf.behind(*begin))),
        }
    }

    /// Consecutive elements of the same type.
    pub fn is_array(&self) -> bool {
        matches!(self, Layout::Array(..))
    }

    fn number(sort: Sort, bytes: u64) -> Layout {
        if bytes > 1 { Layout::Number(sort, bytes) } else { Layout::Memory(bytes) }
    }

    fn members(&self) -> usize {
        match self {
            Layout::Structure(members, _) => members.iter().map(|(_, of)| of.members()).sum(),
            Layout::Array(_, of) => of.members(),
            _ => 1,
        }
    }
}

impl Leaf {
    fn behind(self, bytes: u64) -> Leaf {
        Leaf { at: self.at + bytes, ..self }
    }
}

/// Reads types.
pub struct Types<'a, 'e> {
    pub entries: &'e Entries<'a>,
    pub is_fortran: bool,
}

impl<'a> Types<'a, '_> {
    /// The layout of the type to which an attribute refers; `None` if it is unknown.
    pub fn layout(&self, unit: &Unit<Slice<'a>>, value: AttributeValue<Slice<'a>>) -> Option<Layout> {
        self.read(unit, value, DEEPEST)
    }

    fn read(&self, unit: &Unit<Slice<'a>>, value: AttributeValue<Slice<'a>>, depth: u32) -> Option<Layout> {
        let depth = depth.checked_sub(1)?;
        self.entries.refers(unit, value, |unit, entry| {
            let inner = || self.read(unit, entry.attr_value(gimli::DW_AT_type).ok()??, depth);
            let bytes = self.entries.number(unit, entry, gimli::DW_AT_byte_size);
            // What is behind a descriptor.
            for name in [gimli::DW_AT_data_location, gimli::DW_AT_allocated, gimli::DW_AT_associated] {
                if entry.attr_value(name).ok()?.is_some() {
                    return None;
                }
            }
            match entry.tag() {
                gimli::DW_TAG_base_type => {
                    let AttributeValue::Encoding(encoding) = entry.attr_value(gimli::DW_AT_encoding).ok()?? else {
                        return None;
                    };
                    Some(basic(encoding, bytes?))
                }
                gimli::DW_TAG_enumeration_type => Some(Layout::number(Sort::Integer, bytes?)),
                gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                    Some(Layout::number(Sort::Pointer, bytes?))
                }
                gimli::DW_TAG_typedef
                | gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => inner(),
                gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => self.structure(unit, entry, bytes?, depth),
                gimli::DW_TAG_array_type => {
                    let element = inner()?;
                    let counts = self.counts(unit, entry)?;
                    let of = |layout, &count: &Option<u64>| Some(Layout::Array(count?, Box::new(layout)));
                    counts.iter().rev().try_fold(element, of)
                }
                // Unions, strings, pointers to members: they fit everything.
                _ => bytes.map(Layout::Memory),
            }
        })
    }

    fn structure(&self, unit: &Unit<Slice<'a>>, entry: &Entry<'a, '_>, bytes: u64, depth: u32) -> Option<Layout> {
        let mut members = Vec::new();
        let mut tree = unit.entries_tree(Some(entry.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            let member = child.entry();
            let is_part = matches!(member.tag(), gimli::DW_TAG_member | gimli::DW_TAG_inheritance);
            let has = |name| member.attr_value(name).ok().flatten();
            // A static member of a class.
            if !is_part || has(gimli::DW_AT_declaration).is_some() || has(gimli::DW_AT_external).is_some() {
                continue;
            }
            if has(gimli::DW_AT_bit_size).is_some() {
                return Some(Layout::Memory(bytes));
            }
            let at = match has(gimli::DW_AT_data_member_location) {
                None => 0,
                // A virtual base has no fixed place.
                Some(at) => match at.udata_value() {
                    Some(at) => at,
                    None => return Some(Layout::Memory(bytes)),
                },
            };
            match has(gimli::DW_AT_type).and_then(|value| self.read(unit, value, depth)) {
                Some(of) => members.push((at, of)),
                // An array without a length, at the end; or something unknown.
                None => return Some(Layout::Memory(bytes)),
            }
        }
        let layout = Layout::Structure(members, bytes);
        Some(if layout.members() > MOST_MEMBERS { Layout::Memory(bytes) } else { layout })
    }

    /// Elements of each dimension; `None` if one has no length.
    fn counts(&self, unit: &Unit<Slice<'a>>, array: &Entry<'a, '_>) -> Option<Vec<Option<u64>>> {
        let mut counts = Vec::new();
        let mut tree = unit.entries_tree(Some(array.offset())).ok()?;
        let mut children = tree.root().ok()?.children();
        if array.attr_value(gimli::DW_AT_byte_stride).ok()?.is_some() {
            return None;
        }
        while let Some(child) = children.next().ok()? {
            let range = child.entry();
            if range.tag() != gimli::DW_TAG_subrange_type {
                return None;
            }
            let value = |name| range.attr_value(name).ok().flatten();
            if value(gimli::DW_AT_byte_stride).is_some() {
                return None;
            }
            let number = |name| value(name).and_then(|value| value.sdata_value());
            let lower = match value(gimli::DW_AT_lower_bound) {
                None => i64::from(self.is_fortran),
                Some(lower) => lower.sdata_value()?,
            };
            let upper = number(gimli::DW_AT_upper_bound).and_then(|upper| upper.checked_sub(lower)?.checked_add(1));
            let count = number(gimli::DW_AT_count).or(upper);
            counts.push(count.and_then(|count| u64::try_from(count).ok()).filter(|&count| count > 0));
        }
        (!counts.is_empty()).then_some(counts)
    }

    /// The type as its language writes it.
    pub fn name(&self, unit: &Unit<Slice<'a>>, value: AttributeValue<Slice<'a>>) -> String {
        self.written(unit, value, DEEPEST).unwrap_or_default()
    }

    fn written(&self, unit: &Unit<Slice<'a>>, value: AttributeValue<Slice<'a>>, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        self.entries.refers(unit, value, |unit, entry| {
            let inner = || self.written(unit, entry.attr_value(gimli::DW_AT_type).ok()??, depth);
            let void = || inner().unwrap_or_else(|| "void".to_owned());
            let pointer = |sign: &str| {
                let to = void();
                let space = if to.ends_with('*') { "" } else { " " };
                format!("{to}{space}{sign}")
            };
            let name = self.entries.name(unit, entry);
            let tagged = |tag: &str| name.as_ref().map_or_else(|| tag.to_owned(), |name| format!("{tag} {name}"));
            let is_function = || {
                let to = entry.attr_value(gimli::DW_AT_type).ok().flatten();
                let is = |_: &Unit<Slice<'a>>, to: &Entry<'a, '_>| Some(to.tag() == gimli::DW_TAG_subroutine_type);
                to.and_then(|to| self.entries.refers(unit, to, is)).unwrap_or(false)
            };
            Some(match entry.tag() {
                gimli::DW_TAG_pointer_type if is_function() => "pointer to a function".to_owned(),
                gimli::DW_TAG_pointer_type => pointer("*"),
                gimli::DW_TAG_reference_type => pointer("&"),
                gimli::DW_TAG_rvalue_reference_type => pointer("&&"),
                gimli::DW_TAG_const_type
                | gimli::DW_TAG_volatile_type
                | gimli::DW_TAG_restrict_type
                | gimli::DW_TAG_atomic_type => void(),
                gimli::DW_TAG_structure_type if !self.is_fortran => tagged("struct"),
                gimli::DW_TAG_structure_type => format!("type({})", name?),
                gimli::DW_TAG_union_type => tagged("union"),
                gimli::DW_TAG_enumeration_type => tagged("enum"),
                gimli::DW_TAG_array_type => {
                    let of = inner()?;
                    let counts = self
                        .counts(unit, entry)?
                        .into_iter()
                        .map(|count| count.map_or(String::new(), |n| n.to_string()));
                    let counts: Vec<String> = counts.collect();
                    // C's arrays of an array's type have their own bounds first.
                    let (of, rest) = of.split_once('[').map_or((of.as_str(), ""), |(of, rest)| (of, rest));
                    let rest = if rest.is_empty() { String::new() } else { format!("[{rest}") };
                    match self.is_fortran {
                        true => format!("{of} ({})", counts.join(",")),
                        false => format!("{of}[{}]{rest}", counts.join("][")),
                    }
                }
                gimli::DW_TAG_string_type => "character string".to_owned(),
                _ => name?,
            })
        })
    }
}

fn basic(encoding: gimli::DwAte, bytes: u64) -> Layout {
    match encoding {
        gimli::DW_ATE_float => Layout::number(Sort::Float, bytes),
        gimli::DW_ATE_complex_float => Layout::Array(2, Box::new(Layout::number(Sort::Float, bytes / 2))),
        gimli::DW_ATE_signed
        | gimli::DW_ATE_unsigned
        | gimli::DW_ATE_boolean
        | gimli::DW_ATE_UTF
        | gimli::DW_ATE_signed_char
        | gimli::DW_ATE_unsigned_char => Layout::number(Sort::Integer, bytes),
        gimli::DW_ATE_address => Layout::number(Sort::Pointer, bytes),
        _ => Layout::Memory(bytes),
    }
}
