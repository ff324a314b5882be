//! MPI calls as tail calls (jumps): the calling function has no frame.

use std::collections::{BTreeMap, HashMap};

use object::read::File as ObjectFile;
use object::{Object, ObjectSymbol, SymbolKind};

use crate::ModuleFile;
use crate::code::{in_object, name_of, section_at, slot_of, slots};

/// A function of the MPI by one of its symbols: in small letters, without prefix and without what Fortran and large counts
/// add.
pub fn stem(symbol: &str) -> Option<String> {
    let name = symbol.to_ascii_lowercase();
    let rest = name.strip_prefix("mpi_").or_else(|| name.strip_prefix("pmpi_"))?;
    let rest = rest.trim_end_matches('_');
    Some(["_f08ts", "_f08", "_c"].iter().find_map(|end| rest.strip_suffix(end)).unwrap_or(rest).to_owned())
}

/// Calls of MPI functions by the addresses to which they return, and the names of what was called. Where that address is not
/// behind the call itself, because it was made by a function that ends with it and has given up its frame before: the address behind
/// that jump. None where there is no such jump or more than one, where the file is another one by now, or of a
/// processor whose code is not read.
pub fn tail_calls(module: &ModuleFile, calls: &[(u64, &str)]) -> Vec<Option<u64>> {
    let look = |object: &ObjectFile<'_>| {
        let through: Vec<Option<u64>> = calls.iter().map(|&(at, _)| function_called(object, at)).collect();
        if through.iter().all(Option::is_none) {
            return vec![None; calls.len()];
        }
        let (slots, sizes) = (slots(object), sizes(object));
        let jump = |(&(_, function), through): (&(u64, &str), &Option<u64>)| {
            let begin = (*through)?;
            let between = begin..begin.checked_add(*sizes.get(&begin)?)?;
            let wanted = stem(function)?;
            let is_it = |name: &str| stem(name).is_some_and(|name| name == wanted);
            let (section, code) = section_at(object, begin)?;
            let jumps = mpiscope_codescan::left_for(section, code, between).into_iter();
            let mut there = jumps.filter(|(callee, _)| name_of(object, &slots, *callee).is_some_and(is_it));
            let (_, at) = there.next()?;
            there.next().is_none().then_some(at)
        };
        calls.iter().zip(&through).map(jump).collect()
    };
    in_object(module, look).unwrap_or_else(|| vec![None; calls.len()])
}

/// The same for a call of which it is not known what was called: the address behind each jump, by the stem of the function that it leads to
/// and no other jump does.
pub fn tails(module: &ModuleFile, at: u64) -> Vec<(String, u64)> {
    let look = |object: &ObjectFile<'_>| {
        let begin = function_called(object, at)?;
        let between = begin..begin.checked_add(*sizes(object).get(&begin)?)?;
        let (section, code) = section_at(object, begin)?;
        let slots = slots(object);
        let jumps = mpiscope_codescan::left_for(section, code, between).into_iter();
        let named = jumps.filter_map(|(callee, at)| Some((stem(name_of(object, &slots, callee)?)?, at)));
        let mut all: BTreeMap<String, Option<u64>> = BTreeMap::new();
        for (name, at) in named {
            all.entry(name).and_modify(|only| *only = None).or_insert(Some(at));
        }
        Some(all.into_iter().filter_map(|(name, at)| Some((name, at?))).collect())
    };
    in_object(module, look).flatten().unwrap_or_default()
}

/// The function of the same module that is called by the call that returns to an address.
fn function_called(object: &ObjectFile<'_>, at: u64) -> Option<u64> {
    let (begin, code) = section_at(object, at)?;
    mpiscope_codescan::called(begin, code, at).filter(|&to| slot_of(object, to).is_none())
}

/// Sizes of functions by where they begin.
fn sizes(object: &ObjectFile<'_>) -> HashMap<u64, u64> {
    let symbols = object.symbols().chain(object.dynamic_symbols());
    symbols.filter(|s| s.kind() == SymbolKind::Text && s.size() > 0).map(|s| (s.address(), s.size())).collect()
}
