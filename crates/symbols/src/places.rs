//! The reverse: resolves a function's name or a line to the addresses where its code begins.

mod inlined;
mod lines;
mod names;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use mpiscope_codescan::{Refusal, Spot, Targets, Text, displaced, nearest, sum};
use object::read::File as ObjectFile;
use object::{Object, ObjectSection, ObjectSymbol, SectionKind, SymbolFlags, SymbolKind};

use crate::elf::{self, Image};
use crate::{Resolver, dwarf};

/// A place as the user writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodePlace {
    /// `function:NAME`: where a routine begins.
    Function {
        /// As the programmer or the compiler wrote it.
        name: String,
        /// With `*` behind it: every function whose name begins so.
        all: bool,
    },
    /// `FILE:LINE`.
    Line {
        /// The end of a path.
        file: String,
        /// From 1.
        line: u32,
    },
}

/// Why a place is invalid.
#[derive(Debug, thiserror::Error)]
pub enum NoPlace {
    /// Not in one of the two forms.
    #[error("invalid place '{0}': write function:NAME or FILE:LINE")]
    Form(String),
    /// A program that cannot be read.
    #[error("{}: not a readable ELF file", .0.display())]
    Unreadable(PathBuf),
    /// No symbol of that name.
    #[error("function '{name}' not found in {program} or in the libraries it loads at its start{}", note(*.stripped))]
    NoFunction {
        /// What was asked for.
        name: String,
        /// Where it was looked for first.
        program: String,
        /// Whether it has no symbol table.
        stripped: bool,
    },
    /// More than one function or file.
    #[error("'{given}' is ambiguous: {}{}", .which.join(", "), and_more(*.more))]
    Several {
        /// The given place.
        given: String,
        /// Some candidates.
        which: Vec<String>,
        /// Number of other candidates.
        more: usize,
    },
    /// No line table.
    #[error("'{given}': {program} has no debug information; compile with -g")]
    NoDebugInfo {
        /// What was asked for.
        given: String,
        /// Where it was looked for first.
        program: String,
    },
    /// Not in any line table.
    #[error("'{given}': no file of that name in the debug information (was it compiled with -g?)")]
    NoFile {
        /// What was asked for.
        given: String,
    },
    /// A line without an instruction.
    #[error("'{given}': the compiler generated no code for that line; the nearest lines with code: {}", .nearest.join(", "))]
    NoCode {
        /// What was asked for.
        given: String,
        /// Lines before and after it.
        nearest: Vec<String>,
    },
    /// No jump can be inserted.
    #[error("'{given}' cannot be a place: {refusal} ({at}){}", instead(.line.as_ref()))]
    Unfit {
        /// What was asked for.
        given: String,
        /// The function or line that was found for it.
        at: String,
        /// Why.
        refusal: Refusal,
        /// For an inlined function: a line of it that is a valid place.
        line: Option<CodePlace>,
    },
}

impl NoPlace {
    fn with_line(self, found: Option<CodePlace>) -> NoPlace {
        match self {
            NoPlace::Unfit { given, at, refusal, .. } => NoPlace::Unfit { given, at, refusal, line: found },
            other => other,
        }
    }
}

fn instead(line: Option<&CodePlace>) -> String {
    line.map_or_else(String::new, |line| format!("; use '{line}', its first line that can be a place"))
}

fn note(stripped: bool) -> &'static str {
    match stripped {
        true => "; it has no symbol table (it is stripped)",
        false => " (a function that was inlined everywhere cannot be found)",
    }
}

fn and_more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(" and {count} more") }
}

impl FromStr for CodePlace {
    type Err = NoPlace;
    fn from_str(text: &str) -> Result<CodePlace, NoPlace> {
        let wrong = || NoPlace::Form(text.into());
        if let Some(name) = text.strip_prefix("function:") {
            let (name, all) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
            return if name.is_empty() && !all {
                Err(wrong())
            } else {
                Ok(CodePlace::Function { name: name.into(), all })
            };
        }
        let (file, line) = text.rsplit_once(':').ok_or_else(wrong)?;
        let line = line.parse().ok().filter(|&line| line > 0).ok_or_else(wrong)?;
        if file.is_empty() { Err(wrong()) } else { Ok(CodePlace::Line { file: file.into(), line }) }
    }
}

impl std::fmt::Display for CodePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CodePlace::Function { name, all } => write!(f, "function:{name}{}", if *all { "*" } else { "" }),
            CodePlace::Line { file, line } => write!(f, "{file}:{line}"),
        }
    }
}

impl Resolver {
    /// Finds each of `places` in `program`, or else in `libraries`; `on` is passed on to the results.
    ///
    /// # Errors
    ///
    /// If no file or more than one has such a place, a file cannot be read, or no jump fits there.
    pub fn place(
        &self,
        program: &Path,
        libraries: &[PathBuf],
        place: &CodePlace,
        on: bool,
    ) -> Result<ResolvedPlace, NoPlace> {
        let name = || program.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let main = Module::open(program, self).ok_or_else(|| NoPlace::Unreadable(program.into()))?;
        let modules = || libraries.iter().filter(|path| !is_ours(path)).filter_map(|path| Module::open(path, self));
        match place {
            CodePlace::Function { name: wanted, all } => {
                // As in the loader: the first object that defines the name is used.
                let mut found = main.functions(self, wanted, *all);
                let mut lines = main.lines_of_unfit(self, &found);
                if found.is_empty() {
                    for module in modules() {
                        let functions = module.functions(self, wanted, *all);
                        lines.extend(module.lines_of_unfit(self, &functions));
                        found.extend(functions);
                    }
                }
                if found.is_empty() {
                    let stripped = main.functions.is_empty();
                    return Err(NoPlace::NoFunction { name: wanted.clone(), program: name(), stripped });
                }
                chosen(place, found, on).map_err(|error| {
                    let fits = |line: &CodePlace| self.place(program, libraries, line, on).is_ok();
                    error.with_line(lines.into_iter().find(fits))
                })
            }
            CodePlace::Line { file, line } => {
                let mut any = main.has_lines();
                let mut found = main.lines(self, file, *line);
                for module in modules() {
                    any |= module.has_lines();
                    found.merge(module.lines(self, file, *line));
                }
                let given = || place.to_string();
                match found.files.len() {
                    0 if any && main.has_lines() => Err(NoPlace::NoFile { given: given() }),
                    0 => Err(NoPlace::NoDebugInfo { given: given(), program: name() }),
                    1 if found.pieces.is_empty() => {
                        Err(NoPlace::NoCode { given: given(), nearest: found.nearest(file, *line) })
                    }
                    1 => chosen(place, found.pieces, on),
                    _ => Err(several(place, found.files.keys().map(|file| format!("{file}:{line}")).collect())),
                }
            }
        }
    }
}

/// Libraries that the collector itself executes while it patches.
fn is_ours(path: &Path) -> bool {
    const OURS: [&str; 6] = ["ld-linux", "libc.so", "libpthread.so", "libdl.so", "libm.so", "libgcc_s.so"];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    OURS.iter().any(|ours| name.starts_with(ours))
}

fn several(place: &CodePlace, mut which: Vec<String>) -> NoPlace {
    const SHOWN: usize = 8;
    let more = which.len().saturating_sub(SHOWN);
    which.truncate(SHOWN);
    NoPlace::Several { given: place.to_string(), which, more }
}

/// A resolved place.
#[derive(Debug)]
pub struct ResolvedPlace {
    /// Where jumps will be.
    pub spots: Vec<Spot>,
    /// For `function:NAME*`: functions in which no jump can be inserted.
    pub left_out: Vec<String>,
}

/// A piece of code that belongs to a place.
struct Piece {
    /// For people.
    at: String,
    /// Pieces of one function (clones of the compiler) or of one inlined copy belong together.
    group: String,
    spot: Result<Spot, Refusal>,
    /// Of an inlined copy of a function: its beginning, and the end of that stretch.
    inlined: Option<(u64, u64)>,
}

fn chosen(place: &CodePlace, pieces: Vec<Piece>, on: bool) -> Result<ResolvedPlace, NoPlace> {
    let one = matches!(place, CodePlace::Function { all: false, .. });
    let some = matches!(place, CodePlace::Function { all: true, .. });
    let mut groups: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    for piece in pieces {
        groups.entry(piece.group.clone()).or_default().push(piece);
    }
    if groups.len() > 1 && one {
        let first = |pieces: Vec<Piece>| Some(pieces.into_iter().next()?.at);
        return Err(several(place, groups.into_values().filter_map(first).collect()));
    }
    let mut found = ResolvedPlace { spots: Vec::new(), left_out: Vec::new() };
    let mut unfit = None;
    for piece in groups.into_values().flatten() {
        match piece.spot {
            Ok(spot) => found.spots.push(Spot { on, ..spot }),
            Err(refusal) => {
                found.left_out.push(piece.at.clone());
                unfit = unfit.or(Some(NoPlace::Unfit { given: place.to_string(), at: piece.at, refusal, line: None }));
            }
        }
    }
    match unfit {
        Some(unfit) if !some || found.spots.is_empty() => Err(unfit),
        _ => Ok(found),
    }
}

/// An ELF file, with the one that has its debug information.
struct Module {
    path: PathBuf,
    own: Image,
    separate: Option<Image>,
    functions: Vec<(u64, u64, String)>,
    starts: Vec<u64>,
}

impl Module {
    fn open(path: &Path, resolver: &Resolver) -> Option<Module> {
        let own = Image::open(path)?;
        let id = own.build_id().unwrap_or_default();
        let separate = elf::debug_file(path, &id, Some(&own), &resolver.debug_roots);
        let mut functions = Vec::new();
        for object in [Some(&own), separate.as_ref()].into_iter().flatten().filter_map(Image::object) {
            for symbol in object.symbols().chain(object.dynamic_symbols()) {
                let indirect = matches!(symbol.flags(), SymbolFlags::Elf { st_info, .. } if st_info & 15 == 10);
                if symbol.kind() == SymbolKind::Text && symbol.is_definition() && !indirect {
                    let name = symbol.name().unwrap_or_default();
                    functions.push((symbol.address(), symbol.size(), name.to_owned()));
                }
            }
        }
        own.object()?;
        functions.sort();
        functions.dedup();
        let mut starts: Vec<u64> = functions.iter().map(|f| f.0).collect();
        starts.dedup();
        Some(Module { path: std::fs::canonicalize(path).unwrap_or(path.into()), own, separate, functions, starts })
    }

    /// The file whose debug information is used.
    fn debug(&self) -> Option<ObjectFile<'_>> {
        let mut images = [self.separate.as_ref(), Some(&self.own)].into_iter().flatten().filter_map(Image::object);
        images.find(|object| object.section_by_name(".debug_line").is_some())
    }

    fn has_lines(&self) -> bool {
        self.debug().is_some()
    }

    /// First address and the one past the last of the function around an address.
    fn around(&self, address: u64, text: &Text<'_>) -> (u64, u64) {
        let end = text.address + text.bytes.len() as u64;
        let next =
            self.starts.get(self.starts.partition_point(|&start| start <= address)).map_or(end, |&next| next.min(end));
        let before = &self.functions[..self.functions.partition_point(|f| f.0 <= address)];
        // The longest of those that begin last; labels have no size and reach to the next.
        let last = before.last().filter(|f| f.0 >= text.address);
        let Some(last) = last else { return (text.address, next) };
        let size = before.iter().rev().take_while(|f| f.0 == last.0).map(|f| f.1).max().unwrap_or(0);
        let end = last.0.saturating_add(size);
        (last.0, if end > address { end } else { next })
    }

    /// The code around an address.
    fn text<'a>(&'a self, object: &ObjectFile<'a>, address: u64) -> Option<Text<'a>> {
        let section = object.sections().find(|section| {
            let (start, size) = (section.address(), section.size());
            section.kind() == SectionKind::Text && (start..start.saturating_add(size)).contains(&address)
        })?;
        Some(Text { address: section.address(), bytes: section.data().ok()?, starts: &self.starts })
    }

    /// A jump at `from`, or later in `from..to`.
    fn spot(&self, targets: &mut HashMap<u64, Targets>, from: u64, to: Option<u64>) -> Result<Spot, Refusal> {
        let object = self.own.object().ok_or(Refusal::NoInstruction)?;
        let text = self.text(&object, from).ok_or(Refusal::NoInstruction)?;
        let function = self.around(from, &text);
        let targets = targets.entry(text.address).or_insert_with(|| Targets::from_text(&text));
        let (address, length) = match to {
            Some(to) => nearest(&text, targets, function, (from, to))?,
            None => (from, displaced(&text, targets, function, from)?),
        };
        let at = |address: u64| (address - text.address) as usize;
        let bytes = text.bytes.get(at(function.0)..at(function.1)).ok_or(Refusal::NoInstruction)?;
        let path = std::os::unix::ffi::OsStrExt::as_bytes(self.path.as_os_str()).to_vec();
        Ok(Spot { on: true, path, address, length, function, sum: sum(bytes), of: Vec::new() })
    }

    /// The lines of inlined copies into whose beginning no jump fits, in the order of their code.
    fn lines_of_unfit(&self, resolver: &Resolver, pieces: &[Piece]) -> Vec<CodePlace> {
        /// Bytes of a copy that are looked at.
        const MOST: u64 = 512;
        let unfit = pieces.iter().filter(|piece| piece.spot.is_err()).filter_map(|piece| piece.inlined);
        let addresses: Vec<u64> = unfit.take(1).flat_map(|(from, to)| from..to.min(from + MOST)).collect();
        let Some(debug) = self.debug().filter(|_| !addresses.is_empty()) else { return Vec::new() };
        let frames = dwarf::frames(&debug, &self.path, &resolver.debug_roots, &addresses);
        let depth = frames.iter().map(Vec::len).min().unwrap_or(0);
        let mut lines: Vec<CodePlace> = Vec::new();
        // What is inlined into the copy is deeper, and not its own.
        for line in frames.iter().filter(|frames| frames.len() == depth).filter_map(|frames| frames.first()) {
            let (Some(file), Some(number)) = (&line.file, line.line) else { continue };
            let file = Path::new(file).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let place = CodePlace::Line { file, line: number };
            if !lines.contains(&place) {
                lines.push(place);
            }
        }
        lines
    }

    /// Functions of a name, each once.
    fn functions(&self, resolver: &Resolver, wanted: &str, all: bool) -> Vec<Piece> {
        let mut named: Vec<(u64, &str)> = Vec::new();
        for (address, _, raw) in &self.functions {
            if names::matches(raw, wanted, all) && named.last().is_none_or(|last| last.0 != *address) {
                named.push((*address, raw));
            }
        }
        let addresses: Vec<u64> = named.iter().map(|n| n.0).collect();
        let debug = self.debug();
        let frames = |object| dwarf::frames(object, &self.path, &resolver.debug_roots, &addresses);
        let lines = debug.as_ref().filter(|_| !named.is_empty()).map(frames).unwrap_or_default();
        let (copies, alone) = debug.map(|object| inlined::copies(&object, wanted, all)).unwrap_or_default();
        let mut targets = HashMap::new();
        let module = self.path.file_name().unwrap_or_default().to_string_lossy();
        let mut groups: HashMap<u64, (String, String)> = HashMap::new();
        let mut pieces = Vec::new();
        for (i, (address, raw)) in named.into_iter().enumerate() {
            let line = lines.get(i).and_then(|lines| lines.last());
            let line = match alone.get(&address) {
                Some((file, line)) => Some(format!(" ({file}:{line})")),
                None => line.and_then(|line| Some(format!(" ({}:{})", line.file.as_ref()?, line.line?))),
            };
            let at = format!("{} in {module}{}", names::readable(raw), line.clone().unwrap_or_default());
            // Clones of a function have its name and its first line.
            let group = match names::is_clone(raw) || line.is_some() {
                true => at.clone(),
                false => format!("{at} {address:#x}"),
            };
            groups.insert(address, (at.clone(), group.clone()));
            pieces.push(Piece { at, group, spot: self.spot(&mut targets, address, None), inlined: None });
        }
        for copy in copies {
            let known = copy.function.and_then(|address| groups.get(&address).cloned());
            let (at, group) = known.unwrap_or_else(|| match &copy.declared {
                // As the same function is called where it stands by itself.
                Some((file, line)) => {
                    let at = format!("{} in {module} ({file}:{line})", copy.name);
                    (at.clone(), at)
                }
                None => {
                    let at = format!("{} in {module}, inlined", copy.name);
                    (at.clone(), format!("{at} {:#x}", copy.origin))
                }
            });
            let spot = self.spot(&mut targets, copy.from, Some(copy.to));
            let inlined = Some((copy.from, copy.to));
            pieces.push(Piece { at, group, spot, inlined });
        }
        pieces
    }
}

#[cfg(test)]
mod tests;
