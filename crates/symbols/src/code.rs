//! Analyses the code of a module around a call.

use std::collections::HashMap;

use mpiscope_codescan::{Callee, Question};
pub use mpiscope_codescan::{Calls, ReportedCall};
use object::read::File as ObjectFile;
use object::{
    Architecture, Object, ObjectSection, ObjectSymbol, ObjectSymbolTable, RelocationTarget, SectionKind, SymbolKind,
};

use crate::ModuleFile;
use crate::elf::Image;

/// Whether the code behind the call that returns to an address of the ELF file drops the result for certain. False where
/// the file is another one by now, or of a processor whose code is not read.
pub fn drops_result(module: &ModuleFile, return_address: u64) -> bool {
    let look =
        |_: &ObjectFile<'_>, begin: u64, code: &[u8]| mpiscope_codescan::drops_result(begin, code, return_address);
    in_code(module, return_address, look).unwrap_or(false)
}

/// The most bytes that the instruction before an address loads at once, or stores ([`mpiscope_codescan::touched`]). None as for
/// [`drops_result`].
pub fn touched(module: &ModuleFile, return_address: u64, stores: bool) -> Option<usize> {
    let look =
        |_: &ObjectFile<'_>, begin: u64, code: &[u8]| mpiscope_codescan::touched(begin, code, return_address, stores);
    in_code(module, return_address, look).flatten()
}

/// Whether the loop around the call that returns to the first of some addresses, the others being those of the calls around it, goes on
/// until the call says yes, for certain ([`mpiscope_codescan::asks_for_ever`]); what it calls is known by name. False as for
/// [`drops_result`].
pub fn asks_for_ever(module: &ModuleFile, stack: &[u64], calls: &dyn Fn(&str) -> Calls) -> bool {
    let look = |object: &ObjectFile<'_>, begin: u64, code: &[u8]| {
        let slots = slots(object);
        let mut named = |callee: Callee| name_of(object, &slots, callee).map_or(Calls::Anything, calls);
        mpiscope_codescan::asks_for_ever(begin, code, stack, &mut named)
    };
    stack.first().and_then(|&at| in_code(module, at, look)).unwrap_or(false)
}

/// Whether the function around some calls makes its next call as it did, whatever they have received
/// ([`mpiscope_codescan::goes_on_alike`]). The calls, those since the first of them and the next one are given by where they return to;
/// `reported_call` describes a function by its name. False as for [`drops_result`].
pub fn goes_on_alike(
    module: &ModuleFile,
    received: &[(u64, u64)],
    through: &[u64],
    next: u64,
    reported_call: &dyn Fn(&str) -> Option<ReportedCall>,
) -> bool {
    let look = |object: &ObjectFile<'_>, begin: u64, code: &[u8]| {
        let function = object.symbols().find(|symbol| {
            let (start, size) = (symbol.address(), symbol.size());
            symbol.kind() == SymbolKind::Text && (start..start.saturating_add(size)).contains(&next)
        });
        let Some(entry) = function.map(|symbol| symbol.address()) else { return false };
        let slots = slots(object);
        let mut named = |callee: Callee| name_of(object, &slots, callee).and_then(reported_call);
        let question = Question { entry, received, through, next };
        mpiscope_codescan::goes_on_alike(begin, code, &question, &mut named)
    };
    in_code(module, next, look).unwrap_or(false)
}

/// The function of another module that code leads to.
pub(crate) fn name_of<'a>(object: &ObjectFile<'a>, slots: &HashMap<u64, &'a str>, callee: Callee) -> Option<&'a str> {
    let slot = match callee {
        Callee::Slot(slot) => slot,
        Callee::Code(at) => slot_of(object, at)?,
    };
    slots.get(&slot).copied()
}

/// The section of code that an address lies in, if the file is the one that the program ran.
fn in_code<T>(module: &ModuleFile, at: u64, look: impl FnOnce(&ObjectFile<'_>, u64, &[u8]) -> T) -> Option<T> {
    let look = |object: &ObjectFile<'_>| section_at(object, at).map(|(begin, code)| look(object, begin, code));
    in_object(module, look).flatten()
}

/// A file, if it is the one that the program ran, and of a processor whose code is read.
pub(crate) fn in_object<T>(module: &ModuleFile, look: impl FnOnce(&ObjectFile<'_>) -> T) -> Option<T> {
    let image = Image::open(&module.path)?;
    let same = module.build_id.is_empty() || image.build_id().as_deref() == Some(&module.build_id[..]);
    let object = image.object().filter(|object| same && object.architecture() == Architecture::X86_64)?;
    Some(look(&object))
}

pub(crate) fn section_at<'a>(object: &ObjectFile<'a>, at: u64) -> Option<(u64, &'a [u8])> {
    let section = object.sections().find(|section| {
        let (start, size) = (section.address(), section.size());
        section.kind() == SectionKind::Text && (start..start.saturating_add(size)).contains(&at)
    })?;
    Some((section.address(), section.data().ok()?))
}

/// The slot through which an entry of a procedure linkage table jumps.
pub(crate) fn slot_of(object: &ObjectFile<'_>, at: u64) -> Option<u64> {
    let (begin, code) = section_at(object, at)?;
    mpiscope_codescan::through_slot(begin, code, at)
}

/// Names of the functions that the loader puts into slots.
pub(crate) fn slots<'a>(object: &ObjectFile<'a>) -> HashMap<u64, &'a str> {
    let mut slots = HashMap::new();
    let Some(symbols) = object.dynamic_symbol_table() else { return slots };
    for (at, relocation) in object.dynamic_relocations().into_iter().flatten() {
        if let RelocationTarget::Symbol(index) = relocation.target()
            && let Some(name) = symbols.symbol_by_index(index).ok().and_then(|symbol| symbol.name().ok())
        {
            slots.insert(at, name);
        }
    }
    slots
}
