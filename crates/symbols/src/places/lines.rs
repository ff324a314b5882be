//! Lines of source, from line tables.
//!
//! A line often consists of several pieces of code: each inlined or duplicated copy, the parts of a `for`. Recording is
//! switched at the start of every one, as switching twice has the same effect as once.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use gimli::{EndianSlice, RunTimeEndian};
use object::Object;

use super::{Module, Piece};
use crate::{Resolver, dwarf};

/// Information of line tables about a file and a line of it.
#[derive(Default)]
pub struct Lines {
    /// Files, and their lines that have code.
    pub files: BTreeMap<String, BTreeSet<u32>>,
    pub pieces: Vec<Piece>,
}

impl Lines {
    pub fn merge(&mut self, other: Lines) {
        for (file, lines) in other.files {
            self.files.entry(file).or_default().extend(lines);
        }
        self.pieces.extend(other.pieces);
    }

    /// The lines before and after `line`.
    pub fn nearest(&self, file: &str, line: u32) -> Vec<String> {
        let lines = || self.files.values().flatten().copied();
        let before = lines().filter(|&l| l < line).max();
        let after = lines().filter(|&l| l > line).min();
        before.into_iter().chain(after).map(|line| format!("{file}:{line}")).collect()
    }
}

/// A range of code of one line.
struct Run {
    from: u64,
    to: u64,
}

impl Module {
    pub(super) fn lines(&self, resolver: &Resolver, file: &str, line: u32) -> Lines {
        let mut found = Lines::default();
        let Some(debug) = self.debug() else { return found };
        let Some(sections) = dwarf::sections(&debug) else { return found };
        let endian = if debug.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let dwarf = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
        let mut runs: Vec<Run> = Vec::new();
        let mut units = dwarf.units();
        while let Ok(Some(header)) = units.next() {
            let Ok(unit) = dwarf.unit(header) else { continue };
            // A damaged unit loses only its own lines.
            let _ = self.unit(&dwarf, &unit, file, line, &mut found, &mut runs);
        }
        runs.sort_by_key(|run| (run.from, std::cmp::Reverse(run.to)));
        runs.dedup_by_key(|run| run.from);
        // A line without instructions is still passed where those of its neighbour begin.
        if runs.iter().any(|run| run.from < run.to) {
            runs.retain(|run| run.from < run.to);
        }
        self.pieces(resolver, &debug, &runs, &mut found);
        found
    }

    /// One compilation unit's line table.
    fn unit<R: gimli::Reader>(
        &self,
        dwarf: &gimli::Dwarf<R>,
        unit: &gimli::Unit<R>,
        file: &str,
        line: u32,
        found: &mut Lines,
        runs: &mut Vec<Run>,
    ) -> gimli::Result<()> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let wanted = wanted(dwarf, unit, program.header(), file)?;
        if wanted.is_empty() {
            return Ok(());
        }
        let own = self.own.object();
        let mut rows = program.rows();
        // The current range: its start, and whether its line is the wanted one.
        let mut open: Option<(u64, bool)> = None;
        while let Some((_, row)) = rows.next_row()? {
            let (address, name) = (row.address(), wanted.get(&row.file_index()));
            let here = name.and(row.line()).map_or(0, |l| u32::try_from(l.get()).unwrap_or(0));
            // Code that the linker removed begins at 0 or -1.
            let exists = || own.as_ref().is_some_and(|own| self.text(own, address).is_some());
            if row.end_sequence() {
                if let Some((from, true)) = open.take() {
                    runs.push(Run { from, to: address });
                }
                continue;
            }
            if let Some(name) = name
                && here != 0
                && row.is_stmt()
                && exists()
            {
                found.files.entry(name.clone()).or_default().insert(here);
            }
            match open {
                Some((_, true)) if here == line => {}
                Some((from, true)) => {
                    runs.push(Run { from, to: address });
                    open = Some((address, false));
                }
                _ if here == line && row.is_stmt() && exists() => open = Some((address, true)),
                _ => open = Some((address, false)),
            }
        }
        Ok(())
    }

    /// For each copy of the line, the pieces where a jump can be inserted, or why it cannot at the first.
    fn pieces(&self, resolver: &Resolver, debug: &object::read::File<'_>, runs: &[Run], found: &mut Lines) {
        let addresses: Vec<u64> = runs.iter().map(|run| run.from).collect();
        let frames = dwarf::frames(debug, &self.path, &resolver.debug_roots, &addresses);
        let mut groups: BTreeMap<String, Vec<(&Run, String)>> = BTreeMap::new();
        for (run, frames) in runs.iter().zip(&frames) {
            let frame =
                |line: &dwarf::Line| format!("{}:{}", line.function.as_deref().unwrap_or("?"), line.line.unwrap_or(0));
            // Where it was inlined into makes a copy; the line itself is the same.
            let outer: Vec<String> = frames.iter().skip(1).map(frame).collect();
            let function = frames.first().and_then(|line| line.function.clone()).unwrap_or_default();
            let function = if function.is_empty() { format!("at {:#x}", run.from) } else { format!("in {function}") };
            groups.entry(format!("{function} {}", outer.join(" "))).or_default().push((run, function));
        }
        let mut targets = HashMap::new();
        for (group, runs) in groups {
            for (i, (run, at)) in runs.into_iter().enumerate() {
                let spot = self.spot(&mut targets, run.from, Some(run.to));
                let piece = Piece { at, group: group.clone(), spot, inlined: None };
                // The first is where a debugger would stop; of the others those that fit.
                if i == 0 || piece.spot.is_ok() {
                    found.pieces.push(piece);
                }
            }
        }
    }
}

/// Indices of files that end with `file`, and their paths.
fn wanted<R: gimli::Reader>(
    dwarf: &gimli::Dwarf<R>,
    unit: &gimli::Unit<R>,
    header: &gimli::LineProgramHeader<R>,
    file: &str,
) -> gimli::Result<HashMap<u64, String>> {
    let mut wanted = HashMap::new();
    for index in 0..=header.file_names().len() as u64 {
        let Some(path) = self::file(dwarf, unit, header, index)? else { continue };
        if Path::new(&path).ends_with(tidy(Path::new(file))) {
            wanted.insert(index, path);
        }
    }
    Ok(wanted)
}

/// The path of a unit's file.
pub fn file<R: gimli::Reader>(
    dwarf: &gimli::Dwarf<R>,
    unit: &gimli::Unit<R>,
    header: &gimli::LineProgramHeader<R>,
    index: u64,
) -> gimli::Result<Option<String>> {
    let text = |value| -> gimli::Result<String> { Ok(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned()) };
    let Some(entry) = header.file(index) else { return Ok(None) };
    let mut path = match &unit.comp_dir {
        Some(dir) => Path::new(&*dir.to_string_lossy()?).to_owned(),
        None => Path::new("").to_owned(),
    };
    if let Some(directory) = entry.directory(header) {
        path.push(text(directory)?);
    }
    path.push(text(entry.path_name())?);
    Ok(Some(tidy(&path)))
}

/// Without `.` and `..`, as far as they can be taken away.
fn tidy(path: &Path) -> String {
    let mut tidy = std::path::PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir if tidy.file_name().is_some() => {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy.to_string_lossy().into_owned()
}
