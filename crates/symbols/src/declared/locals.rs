//! Variables in the frame of a function.

use gimli::{AttributeValue, EntriesTreeNode, Operation, Unit};

use super::entries::{Compiler, Entries, Entry, Location};
use super::{Declared, Slice, Variable};

/// GCC without optimisation lets only larger ones share their places.
const MAY_SHARE: u64 = 32;

/// Whether an entry's code has the call that returns to an address.
pub fn covers<'a>(entries: &Entries<'a>, unit: &Unit<Slice<'a>>, entry: &Entry<'a, '_>, pc: u64) -> bool {
    let call = pc.saturating_sub(1);
    let Ok(mut ranges) = entries.dwarf.die_ranges(unit, entry) else { return false };
    while let Ok(Some(range)) = ranges.next() {
        if (range.begin..range.end).contains(&call) {
            return true;
        }
    }
    false
}

/// Those at an address, in the frame of the function of which a call returns to `pc`; with the stack pointer and the frame pointer
/// register. All are distances from the frame's end.
pub fn at(entries: &Entries<'_>, address: i64, pc: u64, registers: [i64; 2]) -> Declared {
    for unit in entries.units() {
        let Ok(mut ranges) = entries.dwarf.unit_ranges(&unit) else { continue };
        let call = pc.saturating_sub(1);
        let mut has_call = false;
        while let Ok(Some(range)) = ranges.next() {
            has_call |= (range.begin..range.end).contains(&call);
        }
        let compiler = entries.compiler(&unit);
        if !has_call || !compiler.is_known {
            continue;
        }
        let mut search = Search {
            entries,
            unit: &unit,
            compiler,
            address,
            pc,
            registers,
            base: None,
            found: Vec::new(),
            others: Vec::new(),
        };
        let _ = unit.entries_tree(None).and_then(|mut tree| search.functions(tree.root()?));
        return search.declared();
    }
    Declared::default()
}

struct Search<'a, 'e> {
    entries: &'e Entries<'a>,
    unit: &'e Unit<Slice<'a>>,
    compiler: Compiler,
    address: i64,
    pc: u64,
    registers: [i64; 2],
    /// Of the function's frame.
    base: Option<i64>,
    found: Vec<Variable>,
    /// Where variables begin of which it is not known how long they are.
    others: Vec<i64>,
}

impl<'a> Search<'a, '_> {
    fn covers(&self, entry: &Entry<'a, '_>) -> bool {
        covers(self.entries, self.unit, entry, self.pc)
    }

    /// Looks for the function that calls.
    fn functions(&mut self, node: EntriesTreeNode<'_, '_, '_, Slice<'a>>) -> gimli::Result<()> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            match child.entry().tag() {
                gimli::DW_TAG_subprogram if self.covers(child.entry()) => {
                    self.enter(child.entry());
                    self.scope(child, true)?;
                }
                gimli::DW_TAG_subprogram
                | gimli::DW_TAG_module
                | gimli::DW_TAG_namespace
                | gimli::DW_TAG_structure_type
                | gimli::DW_TAG_class_type => self.functions(child)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Variables of a scope around the call, and of those inside it that are.
    fn scope(&mut self, node: EntriesTreeNode<'_, '_, '_, Slice<'a>>, is_outermost: bool) -> gimli::Result<()> {
        let mut children = node.children();
        while let Some(child) = children.next()? {
            let entry = child.entry();
            match entry.tag() {
                gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter => self.variable(entry, is_outermost),
                gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine if self.covers(entry) => {
                    self.scope(child, false)?;
                }
                // One inside of another function has a frame of its own.
                gimli::DW_TAG_subprogram if self.covers(entry) => {
                    self.enter(entry);
                    return self.scope(child, true);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn enter(&mut self, function: &Entry<'a, '_>) {
        self.base = self.base_of(function);
        self.found.clear();
        self.others.clear();
    }

    /// What is there, all in all. A variable that begins later hides one that is of unknown length.
    fn declared(self) -> Declared {
        let latest = self.found.iter().map(|variable| self.address - variable.offset as i64).max();
        let has_others = self.others.iter().any(|&begin| latest.is_none_or(|latest| begin >= latest));
        Declared { variables: self.found, has_others }
    }

    fn base_of(&self, function: &Entry<'a, '_>) -> Option<i64> {
        let AttributeValue::Exprloc(expression) = function.attr_value(gimli::DW_AT_frame_base).ok()?? else {
            return None;
        };
        let [sp, fp] = self.registers;
        let mut operations = expression.operations(self.unit.encoding());
        let base = match operations.next().ok()?? {
            Operation::CallFrameCFA => 0,
            // Of x86-64: the only processor on which frames are known.
            Operation::Register { register: gimli::X86_64::RBP } => fp,
            Operation::Register { register: gimli::X86_64::RSP } => sp,
            _ => return None,
        };
        operations.next().ok()?.is_none().then_some(base)
    }

    fn variable(&mut self, entry: &Entry<'a, '_>, is_outermost: bool) {
        let (Some(Location::Frame(offset)), Some(base)) = (self.entries.location(self.unit, entry), self.base) else {
            return;
        };
        let begin = base.saturating_add(offset);
        let Ok(offset) = u64::try_from(self.address.saturating_sub(begin)) else { return };
        match self.entries.variable(self.unit, entry, self.compiler) {
            Some(variable) if offset >= variable.room => {}
            Some(variable) => {
                let keeps = is_outermost || variable.room < MAY_SHARE;
                let is_sure = self.compiler.keeps_places && keeps;
                self.found.push(Variable { offset, is_own: true, is_sure, ..variable });
            }
            None => self.others.push(begin),
        }
    }
}
