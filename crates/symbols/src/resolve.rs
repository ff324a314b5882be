//! Resolves the addresses of a module.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ModuleFile;
use crate::dwarf::{self, Line};
use crate::elf::{self, Image};
use crate::names;
use crate::table::Table;

/// One function on the way to an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// As the programmer wrote it; with `+0x1c` behind it or `libfoo.so+0x1234` when no more is
    /// known, see [`Precision`].
    pub function: String,
    /// File with its folder, as the compiler saw it.
    pub file: Option<String>,
    /// Line from 1.
    pub line: Option<u32>,
}

/// The source of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// DWARF: function, usually file and line, inlined frames.
    Debug,
    /// A symbol table: function and distance from its start.
    Symbol,
    /// The module's name and the address in it.
    Offset,
}

/// The result for one address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resolved {
    /// Innermost (inlined) first; never empty.
    pub frames: Vec<Frame>,
    /// Its source.
    pub precision: Precision,
}

/// Why a module's results are not as precise as possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Problem {
    /// The file is missing or unreadable, and there is no debug file for it.
    Unreadable,
    /// A different build than the one that ran.
    Changed,
    /// Not an ELF file, or a damaged one.
    Damaged,
    /// Only symbol tables.
    NoDebugInfo,
}

impl Problem {
    /// One sentence about `modules`.
    pub fn text(self, modules: &[String]) -> String {
        let names = modules.join(", ");
        match self {
            Problem::Unreadable => format!("cannot be read, call sites shown as addresses: {names}"),
            Problem::Changed => format!("rebuilt after the run, call sites shown as addresses: {names}"),
            Problem::Damaged => format!("damaged ELF file, call sites shown as addresses: {names}"),
            Problem::NoDebugInfo => {
                format!("no debug information (compile with -g), call sites lack file and line: {names}")
            }
        }
    }
}

/// All results for one module.
pub struct ModuleAnswers {
    /// One for each address, in the same order.
    pub resolved: Vec<Resolved>,
    /// Why they are not more precise.
    pub problem: Option<Problem>,
}

/// Cached results of one module.
type Known = (HashMap<u64, Resolved>, Option<Problem>);

/// Resolves addresses and caches the results: a report needs the same ones in several places, and reading debug information
/// takes longer than everything else for a small run.
#[derive(Clone, Debug)]
pub struct Resolver {
    /// Folders that hold `.build-id/xx/yyyy.debug`.
    pub(crate) debug_roots: Vec<PathBuf>,
    /// Shared with clones. A lock for each module, so that several are looked up at once.
    known: Arc<Mutex<HashMap<ModuleFile, Arc<Mutex<Known>>>>>,
}

impl Default for Resolver {
    fn default() -> Resolver {
        Resolver::looking_in(vec!["/usr/lib/debug".into()])
    }
}

impl Resolver {
    /// With debug files in folders that hold `.build-id/xx/yyyy.debug`.
    pub fn looking_in(debug_roots: Vec<PathBuf>) -> Resolver {
        Resolver { debug_roots, known: Arc::default() }
    }

    /// Resolves return addresses of one module. They are given as addresses of the ELF file (the
    /// absolute address minus the load base); each is looked up one byte earlier, where the call
    /// instruction is, since the return address may already belong to the next line or function.
    pub fn resolve(&self, module: &ModuleFile, return_addresses: &[u64]) -> ModuleAnswers {
        // Results from before another thread's panic are still valid.
        let of_module =
            self.known.lock().unwrap_or_else(PoisonError::into_inner).entry(module.clone()).or_default().clone();
        let mut known = of_module.lock().unwrap_or_else(PoisonError::into_inner);
        let (answers, problem) = &mut *known;
        let mut new: Vec<u64> = return_addresses.iter().copied().filter(|a| !answers.contains_key(a)).collect();
        new.sort_unstable();
        new.dedup();
        if !new.is_empty() {
            let found = self.look_up(module, &new);
            let is_first = answers.is_empty();
            answers.extend(new.into_iter().zip(found.resolved));
            *problem = if is_first { found.problem } else { problem.and(found.problem) };
        }
        let resolved: Vec<Resolved> = return_addresses.iter().filter_map(|a| answers.get(a).cloned()).collect();
        ModuleAnswers { problem: problem.filter(|_| !resolved.is_empty()), resolved }
    }

    fn look_up(&self, module: &ModuleFile, return_addresses: &[u64]) -> ModuleAnswers {
        let name = module.name();
        let own = Image::open(&module.path);
        let unreadable = own.is_none();
        let own =
            own.filter(|image| module.build_id.is_empty() || image.build_id().as_deref() == Some(&module.build_id[..]));
        let separate = elf::debug_file(&module.path, &module.build_id, own.as_ref(), &self.debug_roots);
        let calls: Vec<u64> = return_addresses.iter().map(|a| a.saturating_sub(1)).collect();

        let objects: Vec<_> = [&separate, &own].into_iter().flatten().filter_map(Image::object).collect();
        let mut table = Table::default();
        let mut lines: Vec<Vec<Line>> = calls.iter().map(|_| Vec::new()).collect();
        for object in &objects {
            table.add(object);
            if lines.iter().all(Vec::is_empty) {
                lines = dwarf::frames(object, &module.path, &self.debug_roots, &calls);
            }
        }
        let problem = match () {
            () if !objects.is_empty() => lines.iter().all(Vec::is_empty).then_some(Problem::NoDebugInfo),
            () if unreadable => Some(Problem::Unreadable),
            () if own.is_none() => Some(Problem::Changed),
            () => Some(Problem::Damaged),
        };
        let resolved = lines.into_iter().zip(return_addresses).map(|(lines, &a)| best(lines, &mut table, &name, a));
        ModuleAnswers { resolved: resolved.collect(), problem: problem.filter(|_| !return_addresses.is_empty()) }
    }
}

/// The best result for one return address.
fn best(lines: Vec<Line>, table: &mut Table<'_>, module: &str, address: u64) -> Resolved {
    let symbol = table.find(address.saturating_sub(1)).map(|(raw, _)| names::readable(raw, false));
    let frames: Vec<Frame> = lines.into_iter().filter_map(|line| line.named(|| symbol.clone())).collect();
    if !frames.is_empty() {
        return Resolved { frames, precision: Precision::Debug };
    }
    let bare = |function| vec![Frame { function, file: None, line: None }];
    match table.find(address.saturating_sub(1)) {
        Some((raw, inside)) => Resolved {
            // The distance of the return address, which is what other tools print.
            frames: bare(format!("{}+{:#x}", names::readable(raw, false), inside.saturating_add(1))),
            precision: Precision::Symbol,
        },
        None => Resolved { frames: bare(format!("{module}+{address:#x}")), precision: Precision::Offset },
    }
}
