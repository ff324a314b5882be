//! Call sites across ranks: the same place in the same file is one site, whatever its load address.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mpiscope_symbols::{Frame, ModuleFile, Precision, Problem, Resolver, tail_calls};
use mpiscope_trace::layout::InFlight;
use mpiscope_trace::python;
use rayon::prelude::*;
use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::run::Rank;

/// One function on the way to a call.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FrameRow {
    /// The name in the source; `function+0x1c` or `libfoo.so+0x1234` if no more is known.
    pub function: String,
    /// File with its directory, as the compiler recorded it.
    pub file: Option<String>,
    /// Line from 1.
    pub line: Option<u32>,
    /// Name of the ELF file; `python` for a line of Python.
    pub module: String,
}

/// A call site: the function that called MPI first, then its callers as far as recorded.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallStack {
    /// Innermost first, never empty.
    pub frames: Vec<FrameRow>,
}

impl CallStack {
    /// For sentences: `function file:line`, without parameters and directory.
    pub fn text(&self) -> String {
        let short =
            |frame: &FrameRow| FrameRow { function: without_parameters(&frame.function), ..frame.clone() }.text();
        self.frames.first().map_or_else(String::new, short)
    }
}

impl FrameRow {
    /// `function file:line`, without the directory.
    pub fn text(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("{} {}:{line}", self.function, base_name(file)),
            (Some(file), None) => format!("{} {}", self.function, base_name(file)),
            _ => self.function.clone(),
        }
    }
}

/// `remap(double*, int)+0x119` as `remap+0x119`.
fn without_parameters(name: &str) -> String {
    let whole = || name.to_owned();
    let Some(close) = name.rfind(')') else { return whole() };
    let (offset, rest) = match name[close + 1..].rsplit_once('+') {
        Some((rest, digits)) => (format!("+{digits}"), rest),
        None => (String::new(), &name[close + 1..]),
    };
    let is_end = rest.is_empty() || rest.starts_with(" const") || rest.starts_with(" [clone") || rest.starts_with(" &");
    let mut depth = 0;
    let open = name[..=close].char_indices().rev().find(|&(_, c)| {
        depth += i32::from(c == ')') - i32::from(c == '(');
        depth == 0
    });
    match open {
        Some((open, _)) if is_end && open > 0 && !name[..open].ends_with("operator") => {
            format!("{}{offset}", &name[..open])
        }
        _ => whole(),
    }
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Resolved call sites of a run.
#[derive(Default)]
pub struct SiteTable {
    /// Places; index 0 is an unknown site.
    pub places: Vec<CallStack>,
    by_rank: Vec<BTreeMap<u32, usize>>,
    callers: Vec<BTreeMap<u64, usize>>,
}

/// The location of a frame.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Number of an ELF file, offset in it.
    In(usize, u64),
    /// An address outside of all known files.
    Nowhere(u64),
    /// A line of Python, which is already resolved.
    Python(FrameRow),
}

/// A place and its calls: frames, innermost first, and the called function if it was always the same.
struct Called {
    keys: Vec<Key>,
    function: Option<u32>,
}

#[derive(Default)]
struct Modules<'a> {
    files: Vec<&'a ModuleFile>,
    index: HashMap<&'a ModuleFile, usize>,
    wanted: Vec<BTreeSet<u64>>,
    /// Called functions, by return address.
    calls: Vec<BTreeMap<(u64, u32), Option<u64>>>,
}

impl<'a> Modules<'a> {
    fn key(&mut self, rank: &'a Rank, address: u64) -> Key {
        if let Some((code, line)) = python::parts(address) {
            return Key::Python(python_row(rank, code, line));
        }
        let Some((file, offset)) = rank.defs.module_of(address) else { return Key::Nowhere(address) };
        let index = *self.index.entry(file).or_insert_with(|| {
            self.files.push(file);
            self.wanted.push(BTreeSet::new());
            self.calls.push(BTreeMap::new());
            self.files.len() - 1
        });
        self.wanted[index].insert(offset);
        Key::In(index, offset)
    }

    fn called(&mut self, rank: &'a Rank, frames: &[u64], function: Option<u32>) -> Called {
        let keys: Vec<Key> = frames.iter().map(|&address| self.key(rank, address)).collect();
        if let (Some(&Key::In(index, offset)), Some(function)) = (keys.first(), function) {
            self.calls[index].insert((offset, function), None);
        }
        Called { keys, function }
    }

    /// Finds functions that left their frames before calling MPI (tail calls).
    fn find_tails(&mut self) {
        let Modules { files, calls, wanted, .. } = self;
        let each = files.par_iter().zip(calls).zip(wanted);
        each.for_each(|((file, calls), wanted)| {
            let asked: Vec<(u64, &str)> =
                calls.keys().map(|&(at, function)| (at, mpiscope_abi::name(function))).collect();
            let found = tail_calls(file, &asked);
            wanted.extend(found.iter().flatten());
            calls.values_mut().zip(found).for_each(|(jump, found)| *jump = found);
        });
    }

    /// Frames of a place, including that of a tail call.
    fn frames(&self, called: &Called, answers: &Answers) -> Vec<FrameRow> {
        let tail = match (called.keys.first(), called.function) {
            (Some(&Key::In(index, offset)), Some(function)) => {
                self.calls[index].get(&(offset, function)).copied().flatten().map(|jump| Key::In(index, jump))
            }
            _ => None,
        };
        tail.iter().chain(&called.keys).flat_map(|key| frames(answers, key)).collect()
    }
}

impl SiteTable {
    /// Resolves the sites that `ranks` called from. The second value lists the problems.
    pub fn new(ranks: &[&Rank], resolver: &Resolver) -> (SiteTable, Vec<Diagnostic>) {
        let mut modules = Modules::default();
        let mut sites: Vec<BTreeMap<u32, Called>> = Vec::new();
        let mut callers: Vec<BTreeMap<u64, Called>> = Vec::new();
        for &rank in ranks {
            let mut used: BTreeMap<u32, Option<u32>> = BTreeMap::new();
            for &(function, site) in rank.tally.sites.keys() {
                used.entry(site).and_modify(|only| *only = None).or_insert(Some(function));
            }
            let known = used.into_iter().filter_map(|(site, of)| Some((site, rank.defs.sites.get(&site)?, of)));
            sites.push(known.map(|(id, frames, of)| (id, modules.called(rank, frames, of))).collect());
            let waiting = rank.in_flight.iter().map(|(_, call)| call).filter(|call| call.caller != 0);
            let called = |call: &InFlight| (call.caller, modules.called(rank, &[call.caller], Some(call.function)));
            callers.push(waiting.map(called).collect());
        }
        modules.find_tails();
        let (answers, problems) = resolve(&modules, resolver);
        let mut table = SiteTable { places: vec![unknown()], ..SiteTable::default() };
        let mut known: HashMap<CallStack, usize> = HashMap::new();
        let mut number = |called: &Called| -> usize {
            let frames = modules.frames(called, &answers);
            if frames.is_empty() {
                return 0;
            }
            *known.entry(CallStack { frames }).or_insert_with_key(|place| {
                table.places.push(place.clone());
                table.places.len() - 1
            })
        };
        let by_rank = sites.iter().map(|s| s.iter().map(|(&id, called)| (id, number(called))).collect()).collect();
        let callers = callers.iter().map(|s| s.iter().map(|(&a, called)| (a, number(called))).collect()).collect();
        (table.by_rank, table.callers) = (by_rank, callers);
        (table, problems)
    }

    /// The place of `site` of rank number `rank` (of those given); index into `places`.
    pub fn place(&self, rank: usize, site: u32) -> usize {
        self.by_rank.get(rank).and_then(|sites| sites.get(&site)).copied().unwrap_or(0)
    }

    /// The sites of rank number `rank` (of those given) with the index of their place.
    pub fn of_rank(&self, rank: usize) -> impl Iterator<Item = (u32, usize)> {
        self.by_rank.get(rank).into_iter().flatten().map(|(&site, &place)| (site, place))
    }

    /// The place of a call that has not returned.
    pub fn caller(&self, rank: usize, address: u64) -> Option<&CallStack> {
        self.places.get(self.caller_index(rank, address)?)
    }

    /// The same as an index into `places`.
    pub fn caller_index(&self, rank: usize, address: u64) -> Option<usize> {
        self.callers.get(rank)?.get(&address).copied().filter(|&place| place != 0)
    }
}

fn unknown() -> CallStack {
    CallStack { frames: vec![FrameRow { function: "(unknown)".into(), file: None, line: None, module: String::new() }] }
}

/// Frames and module names by file and offset.
type Answers = HashMap<Key, Vec<FrameRow>>;

fn resolve(modules: &Modules<'_>, resolver: &Resolver) -> (Answers, Vec<Diagnostic>) {
    let jobs: Vec<(usize, Vec<u64>)> =
        modules.wanted.iter().enumerate().map(|(i, wanted)| (i, wanted.iter().copied().collect())).collect();
    let found: Vec<_> = jobs.par_iter().map(|(i, offsets)| resolver.resolve(modules.files[*i], offsets)).collect();
    let mut answers = Answers::new();
    let mut problems: BTreeMap<Problem, Vec<String>> = BTreeMap::new();
    for ((i, offsets), found) in jobs.into_iter().zip(found) {
        let module = modules.files[i].name();
        for (offset, resolved) in offsets.into_iter().zip(found.resolved) {
            let exact = resolved.precision == Precision::Debug;
            let frames = resolved.frames.into_iter().map(|f| row(f, &module, exact)).collect();
            answers.insert(Key::In(i, offset), frames);
        }
        if let Some(problem) = found.problem {
            problems.entry(problem).or_default().push(module);
        }
    }
    let note = |(problem, modules): (Problem, Vec<String>)| Diagnostic::note("symbols", problem.text(&modules));
    (answers, problems.into_iter().map(note).collect())
}

fn row(frame: Frame, module: &str, exact: bool) -> FrameRow {
    let file = frame.file.filter(|_| exact);
    FrameRow { function: frame.function, file, line: frame.line, module: module.to_owned() }
}

fn python_row(rank: &Rank, code: u32, line: u32) -> FrameRow {
    let known = rank.defs.python.get(&code);
    let (file, function) = known.map_or((None, "(unknown)".into()), |(file, function)| {
        (Some(file).filter(|f| !f.is_empty()).cloned(), function.clone())
    });
    FrameRow { function, file, line: (line != 0).then_some(line), module: "python".into() }
}

fn frames(answers: &Answers, key: &Key) -> Vec<FrameRow> {
    let address = match key {
        Key::Python(row) => return vec![row.clone()],
        Key::In(_, address) | Key::Nowhere(address) => address,
    };
    answers.get(key).cloned().unwrap_or_else(|| {
        vec![FrameRow { function: format!("{address:#x}"), file: None, line: None, module: String::new() }]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_left_out() {
        for (name, short) in [
            ("remap_3d(double*, remap_plan_3d*)+0x119", "remap_3d+0x119"),
            ("LAMMPS_NS::Comm::forward(int) const", "LAMMPS_NS::Comm::forward"),
            ("A::operator()(int (*)[2], int***)+0x6", "A::operator()+0x6"),
            ("A::operator()", "A::operator()"),
            ("(anonymous namespace)::f", "(anonymous namespace)::f"),
            ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
            ("main::{lambda(int)#1}::run", "main::{lambda(int)#1}::run"),
            ("f(int) [clone .part.0]+0x3", "f+0x3"),
            ("solve_", "solve_"),
            (")(", ")("),
            ("f)+0x1", "f)+0x1"),
        ] {
            assert_eq!(without_parameters(name), short);
        }
    }
}
