//! Inlined copies of a function, from debug information. Without them an optimized program would pass a place unnoticed.

use std::collections::HashMap;

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, Reader, RunTimeEndian, Unit};
use object::Object;

use super::{lines, names};
use crate::dwarf;

/// A copy.
pub struct Copy {
    /// Name in the source.
    pub name: String,
    /// Declaration of the function in the source.
    pub declared: Option<Declared>,
    /// The declaration in this unit.
    pub origin: usize,
    /// Address of the function's own code, if any.
    pub function: Option<u64>,
    /// Entry of the copy, and the end of that range.
    pub from: u64,
    pub to: u64,
}

/// Declaration of a function: the same in each file that includes it.
pub type Declared = (String, u64);

/// All copies of the functions that match `wanted`, and the declarations of those with their own code.
pub fn copies(object: &object::read::File<'_>, wanted: &str, all: bool) -> (Vec<Copy>, HashMap<u64, Declared>) {
    let Some(sections) = dwarf::sections(object) else { return Default::default() };
    let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
    let mut found = InlinedCopies { wanted, all, names: HashMap::new(), functions: HashMap::new(), copies: Vec::new() };
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else { continue };
        // A damaged unit loses only its own copies.
        let _ = found.unit(&dwarf, &unit);
    }
    let InlinedCopies { names, functions, copies, .. } = found;
    let alone = functions.iter().filter_map(|(origin, address)| Some((*address, names.get(origin)?.declared.clone()?)));
    let alone = alone.collect();
    let copies = copies.into_iter().filter_map(|(origin, from, to)| {
        let Named { name, declared } = names.get(&origin)?.clone();
        Some(Copy { name, declared, origin, function: functions.get(&origin).copied(), from, to })
    });
    (copies.collect(), alone)
}

/// A wanted function.
#[derive(Clone)]
struct Named {
    name: String,
    declared: Option<Declared>,
}

struct InlinedCopies<'a> {
    wanted: &'a str,
    all: bool,
    /// Of the wanted functions, by their place in `.debug_info`.
    names: HashMap<usize, Named>,
    /// Where functions stand by themselves.
    functions: HashMap<usize, u64>,
    /// Origin, entry and end of every copy of anything.
    copies: Vec<(usize, u64, u64)>,
}

impl InlinedCopies<'_> {
    fn unit<R: Reader<Offset = usize>>(&mut self, dwarf: &Dwarf<R>, unit: &Unit<R>) -> gimli::Result<()> {
        let mut entries = unit.entries();
        while let Some((_, entry)) = entries.next_dfs()? {
            match entry.tag() {
                gimli::DW_TAG_subprogram => {
                    self.subprogram(dwarf, unit, entry)?;
                }
                gimli::DW_TAG_inlined_subroutine => {
                    if let Some(origin) = origin(unit, entry)? {
                        let (from, to) = stretch(dwarf, unit, entry)?;
                        self.copies.extend((from < to).then_some((origin, from, to)));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn subprogram<R: Reader<Offset = usize>>(
        &mut self,
        dwarf: &Dwarf<R>,
        unit: &Unit<R>,
        entry: &DebuggingInformationEntry<'_, '_, R>,
    ) -> gimli::Result<()> {
        let origin = origin(unit, entry)?;
        let own = entry.offset().to_debug_info_offset(&unit.header).map(|offset| offset.0);
        if let Some(which) = origin.or(own)
            && let Some(value) = entry.attr_value(gimli::DW_AT_low_pc)?
            && let Some(address) = dwarf.attr_address(unit, value)?
        {
            self.functions.insert(which, address);
        }
        if origin.is_some() {
            return Ok(());
        }
        // A member of a class has its name where it is declared.
        let declared = match entry.attr_value(gimli::DW_AT_specification)? {
            Some(AttributeValue::UnitRef(offset)) => Some(unit.entry(offset)?),
            _ => None,
        };
        let value = |name| -> gimli::Result<Option<AttributeValue<R>>> {
            let inner = declared.as_ref().map(|entry| entry.attr_value(name)).transpose()?.flatten();
            Ok(entry.attr_value(name)?.or(inner))
        };
        let text = |name| -> gimli::Result<Option<String>> {
            let Some(value) = value(name)? else { return Ok(None) };
            Ok(Some(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned()))
        };
        let (name, linkage) = (text(gimli::DW_AT_name)?, text(gimli::DW_AT_linkage_name)?);
        let matches = |name: &Option<String>| name.as_ref().is_some_and(|n| names::matches(n, self.wanted, self.all));
        let Some(own) = own else { return Ok(()) };
        if matches(&linkage) || matches(&name) {
            let name = linkage.map(|linkage| names::readable(&linkage)).or(name).unwrap_or_default();
            let file = match (value(gimli::DW_AT_decl_file)?, &unit.line_program) {
                (Some(AttributeValue::FileIndex(index)), Some(program)) => {
                    lines::file(dwarf, unit, program.header(), index)?
                }
                _ => None,
            };
            let declared = file.zip(value(gimli::DW_AT_decl_line)?.and_then(|value| value.udata_value()));
            self.names.insert(own, Named { name, declared });
        }
        Ok(())
    }
}

/// The function that an entry is an instance of.
fn origin<R: Reader<Offset = usize>>(
    unit: &Unit<R>,
    entry: &DebuggingInformationEntry<'_, '_, R>,
) -> gimli::Result<Option<usize>> {
    Ok(match entry.attr_value(gimli::DW_AT_abstract_origin)? {
        Some(AttributeValue::UnitRef(offset)) => offset.to_debug_info_offset(&unit.header).map(|offset| offset.0),
        Some(AttributeValue::DebugInfoRef(offset)) => Some(offset.0),
        _ => None,
    })
}

/// Where a copy is entered, and the end of the stretch of code around that.
fn stretch<R: Reader<Offset = usize>>(
    dwarf: &Dwarf<R>,
    unit: &Unit<R>,
    entry: &DebuggingInformationEntry<'_, '_, R>,
) -> gimli::Result<(u64, u64)> {
    let mut ranges = dwarf.die_ranges(unit, entry)?;
    let mut all = Vec::new();
    while let Some(range) = ranges.next()? {
        all.push((range.begin, range.end));
    }
    let first = all.iter().copied().min().unwrap_or((0, 0));
    let given = match entry.attr_value(gimli::DW_AT_entry_pc)? {
        // DWARF 5 allows an offset from the entry's base address, too.
        Some(AttributeValue::Udata(offset)) => Some(first.0.saturating_add(offset)),
        Some(value) => dwarf.attr_address(unit, value)?,
        None => None,
    };
    let around =
        given.and_then(|at| all.iter().find(|range| (range.0..range.1).contains(&at)).map(|range| (at, range.1)));
    Ok(around.unwrap_or(first))
}
