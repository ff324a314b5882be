//! Variables in a module's data: global variables, and static variables of functions.

use gimli::{DebugInfoOffset, Unit, UnitSectionOffset};

use super::entries::{Entries, Entry, Location};
use super::locals::covers;
use super::{Declared, Slice};

/// Without symbols: how many of the variables before an address may contain it.
const MOST_AROUND: usize = 64;

/// One such variable.
struct Global {
    address: u64,
    entry: DebugInfoOffset,
    /// The function that declares it, by its entry.
    function: Option<DebugInfoOffset>,
}

/// All variables of a module.
#[derive(Default)]
pub struct Globals(Vec<Global>);

impl Globals {
    pub fn read(entries: &Entries<'_>) -> Globals {
        let mut found = Globals::default();
        for unit in entries.units() {
            // A damaged unit costs its own variables alone.
            let _ = found.unit(entries, &unit);
        }
        found.0.sort_by_key(|global| global.address);
        found
    }

    fn unit<'a>(&mut self, entries: &Entries<'a>, unit: &Unit<Slice<'a>>) -> gimli::Result<()> {
        let UnitSectionOffset::DebugInfoOffset(_) = unit.header.offset() else { return Ok(()) };
        let place = |entry: &Entry<'a, '_>| entry.offset().to_debug_info_offset(&unit.header);
        let mut cursor = unit.entries();
        let mut depth = 0isize;
        let mut functions: Vec<(isize, Option<DebugInfoOffset>)> = Vec::new();
        while let Some((by, entry)) = cursor.next_dfs()? {
            depth += by;
            while functions.last().is_some_and(|(of, _)| *of >= depth) {
                functions.pop();
            }
            match entry.tag() {
                gimli::DW_TAG_subprogram => functions.push((depth, place(entry))),
                // Other functions may see it as other variables.
                gimli::DW_TAG_common_block => functions.push((depth, None)),
                gimli::DW_TAG_variable => {
                    if let (Some(Location::Address(address)), Some(at)) = (entries.location(unit, entry), place(entry))
                    {
                        let function = functions.last().and_then(|(_, function)| *function);
                        self.0.push(Global { address, entry: at, function });
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The variables that contain an address. `block` is the range of the linker's symbol there.
    pub fn at(
        &self,
        entries: &Entries<'_>,
        address: u64,
        pc: Option<u64>,
        block: impl Fn(u64) -> Option<(u64, u64)>,
    ) -> Declared {
        let mut declared = Declared::default();
        let block = block(address);
        let before = self.0.partition_point(|global| global.address <= address);
        let from = match block {
            Some((begin, _)) => self.0.partition_point(|global| global.address < begin),
            None => before.saturating_sub(MOST_AROUND),
        };
        // Which of those that begin earlier reach as far as this one is not looked up.
        declared.has_others = block.is_none() && from > 0;
        for global in &self.0[from..before] {
            let offset = address - global.address;
            let Some((unit, at)) = entries.unit_of(global.entry) else { continue };
            let Ok(entry) = unit.entry(at) else { continue };
            let compiler = entries.compiler(&unit);
            let Some(variable) = entries.variable(&unit, &entry, compiler).filter(|_| compiler.is_known) else {
                // How long it is is not known.
                declared.has_others = true;
                continue;
            };
            let room = block.map_or(0, |(_, end)| end.saturating_sub(global.address)).max(variable.room);
            // What lies between a variable and the next one may be its end, in a block of memory that it begins.
            let is_next = self.0[before - 1].address == global.address;
            if offset >= if is_next { room } else { variable.room } {
                continue;
            }
            let is_own = pc.is_some_and(|pc| global.function.is_some_and(|of| has(entries, of, pc)));
            declared.variables.push(super::Variable { offset, room, is_own, ..variable });
        }
        declared
    }
}

/// Whether a function contains the call that returns to an address.
fn has(entries: &Entries<'_>, function: DebugInfoOffset, pc: u64) -> bool {
    let function = entries.unit_of(function);
    function.is_some_and(|(unit, at)| unit.entry(at).is_ok_and(|entry| covers(entries, &unit, &entry, pc)))
}
