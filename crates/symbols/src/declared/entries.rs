//! Entries of debug information, and what the entries of all variables have in common.

use gimli::{AttributeValue, DebugInfoOffset, Dwarf, Operation, Unit, UnitHeader, UnitOffset, UnitSectionOffset};

use super::layout::{Layout, Types};
use super::{Slice, Variable};

/// Reads the value of an attribute, in the unit that has it.
type Show<'f, 'a, T> = dyn FnMut(&Unit<Slice<'a>>, AttributeValue<Slice<'a>>) -> Option<T> + 'f;
pub type Entry<'a, 'u> = gimli::DebuggingInformationEntry<'u, 'u, Slice<'a>>;

/// Most references from entry to entry that are followed.
const DEEPEST: u32 = 8;

/// A module's debug information.
pub struct Entries<'a> {
    pub dwarf: &'a Dwarf<Slice<'a>>,
    headers: Vec<UnitHeader<Slice<'a>>>,
}

/// The compiler of a unit.
#[derive(Clone, Copy)]
pub struct Compiler {
    pub is_fortran: bool,
    /// The unit is in a language in which a variable's type describes its memory.
    pub is_known: bool,
    /// No other variable shares the memory of small variables and of those in a function's outermost block.
    pub keeps_places: bool,
}

/// The location of a variable.
pub enum Location {
    Address(u64),
    /// Offset from the frame base.
    Frame(i64),
}

impl<'a> Entries<'a> {
    pub fn new(dwarf: &'a Dwarf<Slice<'a>>) -> Entries<'a> {
        let mut headers = Vec::new();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            headers.push(header);
        }
        Entries { dwarf, headers }
    }

    pub fn units(&self) -> impl Iterator<Item = Unit<Slice<'a>>> {
        self.headers.iter().filter_map(|header| self.dwarf.unit(*header).ok())
    }

    /// The unit that contains an offset of `.debug_info`, and the offset inside the unit.
    pub fn unit_of(&self, at: DebugInfoOffset) -> Option<(Unit<Slice<'a>>, UnitOffset)> {
        let begin = |header: &UnitHeader<Slice<'a>>| match header.offset() {
            UnitSectionOffset::DebugInfoOffset(offset) => offset.0,
            UnitSectionOffset::DebugTypesOffset(_) => usize::MAX,
        };
        let after = self.headers.partition_point(|header| begin(header) <= at.0);
        let header = *self.headers.get(after.checked_sub(1)?)?;
        Some((self.dwarf.unit(header).ok()?, at.to_unit_offset(&header)?))
    }

    /// The entry to which an attribute refers.
    pub fn refers<T>(
        &self,
        unit: &Unit<Slice<'a>>,
        value: AttributeValue<Slice<'a>>,
        show: impl FnOnce(&Unit<Slice<'a>>, &Entry<'a, '_>) -> Option<T>,
    ) -> Option<T> {
        match value {
            AttributeValue::UnitRef(at) => show(unit, &unit.entry(at).ok()?),
            AttributeValue::DebugInfoRef(at) => {
                let (unit, at) = self.unit_of(at)?;
                show(&unit, &unit.entry(at).ok()?)
            }
            // In a file or section of its own.
            _ => None,
        }
    }

    /// An attribute of an entry, or of the entry of which it is a copy or the definition.
    pub fn attribute<T>(
        &self,
        unit: &Unit<Slice<'a>>,
        entry: &Entry<'a, '_>,
        name: gimli::DwAt,
        depth: u32,
        show: &mut Show<'_, 'a, T>,
    ) -> Option<T> {
        if let Some(value) = entry.attr_value(name).ok()? {
            return show(unit, value);
        }
        let origin = [gimli::DW_AT_abstract_origin, gimli::DW_AT_specification];
        let origin = origin.into_iter().find_map(|name| entry.attr_value(name).ok().flatten())?;
        if depth == 0 {
            return None;
        }
        self.refers(unit, origin, |unit, entry| self.attribute(unit, entry, name, depth - 1, show))
    }

    pub fn name(&self, unit: &Unit<Slice<'a>>, entry: &Entry<'a, '_>) -> Option<String> {
        self.attribute(unit, entry, gimli::DW_AT_name, DEEPEST, &mut |unit, value| {
            Some(self.dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned())
        })
    }

    pub fn number(&self, unit: &Unit<Slice<'a>>, entry: &Entry<'a, '_>, name: gimli::DwAt) -> Option<u64> {
        self.attribute(unit, entry, name, DEEPEST, &mut |_, value| value.udata_value())
    }

    /// The location of a variable, if it is certain.
    pub fn location(&self, unit: &Unit<Slice<'a>>, entry: &Entry<'a, '_>) -> Option<Location> {
        let AttributeValue::Exprloc(expression) = entry.attr_value(gimli::DW_AT_location).ok()?? else { return None };
        let mut operations = expression.operations(unit.encoding());
        let location = match operations.next().ok()?? {
            Operation::Address { address } => Location::Address(address),
            Operation::AddressIndex { index } => Location::Address(self.dwarf.address(unit, index).ok()?),
            Operation::FrameOffset { offset } => Location::Frame(offset),
            _ => return None,
        };
        operations.next().ok()?.is_none().then_some(location)
    }

    /// A variable whose location and scope are known, with as much of its type as is known.
    pub fn variable(&self, unit: &Unit<Slice<'a>>, entry: &Entry<'a, '_>, compiler: Compiler) -> Option<Variable> {
        let mut typed = |unit: &Unit<Slice<'a>>, value| {
            let types = Types { entries: self, is_fortran: compiler.is_fortran };
            Some((types.layout(unit, value)?, types.name(unit, value)))
        };
        let (layout, type_name): (Layout, String) =
            self.attribute(unit, entry, gimli::DW_AT_type, DEEPEST, &mut typed)?;
        Some(Variable {
            name: self.name(unit, entry)?,
            type_name,
            file: self
                .attribute(unit, entry, gimli::DW_AT_decl_file, DEEPEST, &mut |unit, value| self.file(unit, value)),
            line: self.number(unit, entry, gimli::DW_AT_decl_line).and_then(|line| u32::try_from(line).ok()),
            offset: 0,
            room: layout.bytes(),
            layout,
            is_own: false,
            is_fortran: compiler.is_fortran,
            is_sure: true,
        })
    }

    fn file(&self, unit: &Unit<Slice<'a>>, value: AttributeValue<Slice<'a>>) -> Option<String> {
        let AttributeValue::FileIndex(index) = value else { return None };
        let program = unit.line_program.as_ref()?;
        let file = program.header().file(index)?;
        let path = self.dwarf.attr_string(unit, file.path_name()).ok()?;
        let path = path.to_string_lossy();
        Some(path.rsplit('/').next().unwrap_or(&path).to_owned())
    }

    pub fn compiler(&self, unit: &Unit<Slice<'a>>) -> Compiler {
        let root = unit.entry(UnitOffset(unit.header.size_of_header())).ok();
        let language = root.as_ref().and_then(|root| match root.attr_value(gimli::DW_AT_language) {
            Ok(Some(AttributeValue::Language(language))) => Some(language),
            _ => None,
        });
        let producer = root.and_then(|root| {
            let value = root.attr_value(gimli::DW_AT_producer).ok()??;
            Some(self.dwarf.attr_string(unit, value).ok()?.to_string_lossy().into_owned())
        });
        let is_fortran = language.is_some_and(is_fortran);
        let is_known = is_fortran || language.is_some_and(is_c);
        Compiler { is_fortran, is_known, keeps_places: producer.is_some_and(|p| keeps_places(&p)) }
    }
}

/// GCC without optimisation, as its recorded options show. With stack protection it moves all variables.
pub fn keeps_places(producer: &str) -> bool {
    let mut options = producer.split_ascii_whitespace();
    let is_noted = options.clone().any(|option| option.starts_with("-g"));
    let level = options.clone().rfind(|option| option.starts_with("-O"));
    let moves = |option: &str| {
        option.starts_with("-fstack-protector") || option.starts_with("-fsanitize") && option.contains("address")
    };
    producer.starts_with("GNU ") && is_noted && level.is_none_or(|level| level == "-O0") && !options.any(moves)
}

fn is_fortran(language: gimli::DwLang) -> bool {
    matches!(
        language,
        gimli::DW_LANG_Fortran77
            | gimli::DW_LANG_Fortran90
            | gimli::DW_LANG_Fortran95
            | gimli::DW_LANG_Fortran03
            | gimli::DW_LANG_Fortran08
            | gimli::DW_LANG_Fortran18
    )
}

fn is_c(language: gimli::DwLang) -> bool {
    matches!(
        language,
        gimli::DW_LANG_C
            | gimli::DW_LANG_C89
            | gimli::DW_LANG_C99
            | gimli::DW_LANG_C11
            | gimli::DW_LANG_C17
            | gimli::DW_LANG_C_plus_plus
            | gimli::DW_LANG_C_plus_plus_03
            | gimli::DW_LANG_C_plus_plus_11
            | gimli::DW_LANG_C_plus_plus_14
            | gimli::DW_LANG_C_plus_plus_17
            | gimli::DW_LANG_C_plus_plus_20
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_keeps_places() {
        assert!(keeps_places("GNU C17 12.2.0 -mtune=generic -march=x86-64 -g"));
        assert!(keeps_places("GNU Fortran2008 12.2.0 -g -O2 -O0 -fintrinsic-modules-path /usr/lib"));
        for other in [
            "GNU C17 12.2.0 -g -O2",
            "GNU C++17 12.2.0 -g -Og",
            // Options are not noted.
            "GNU C17 12.2.0",
            "GNU C17 12.2.0 -g -fstack-protector-strong",
            "GNU C17 12.2.0 -g -fsanitize=address",
            "clang version 16.0.6 -g",
        ] {
            assert!(!keeps_places(other), "{other}");
        }
    }
}
