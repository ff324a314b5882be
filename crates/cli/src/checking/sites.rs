//! Source lines of the call sites of a process.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::PathBuf;

use memmap2::Mmap;
use mpiscope_query::CheckLine;
use mpiscope_symbols::{Frame, ModuleFile, Resolver};
use mpiscope_trace::defs::Definition;
use mpiscope_trace::python;
use object::Object;

/// Size of the largest number that a processor handles, bytes.
const NUMBER: usize = 10;

/// Begin, end, base and file.
type Module = (u64, u64, u64, ModuleFile);

/// The modules and sites that a process has defined.
#[derive(Default)]
pub struct Sites {
    frames: HashMap<u32, Vec<u64>>,
    modules: Vec<Module>,
    /// By module: whether its file exists unchanged.
    are_here: HashMap<u64, bool>,
    python: HashMap<u32, (String, String)>,
    known: HashMap<u32, Vec<Frame>>,
    /// Results from another host about functions that end by jumping to a called one, by its stem.
    tails: HashMap<(u32, String), Vec<Frame>>,
    drops: HashMap<u32, bool>,
    /// Sites requested from another host.
    asked: HashSet<u32>,
}

impl Sites {
    /// Adds a definition of the process.
    pub fn define(&mut self, definition: &Definition) {
        match definition {
            Definition::Site { id, frames } => drop(self.frames.insert(*id, frames.clone())),
            Definition::Module { base, start, end, build_id, path, .. } => {
                let file = ModuleFile { path: PathBuf::from(path), build_id: build_id.clone() };
                self.modules.push((*start, *end, *base, file));
            }
            Definition::PythonCode { id, file, function } => {
                self.python.insert(*id, (file.clone(), function.clone()));
            }
            _ => {}
        }
    }

    /// The site of a call, by its return address.
    pub fn at(&self, caller: u64) -> Option<u32> {
        self.frames.iter().filter(|(_, frames)| frames.first() == Some(&caller)).map(|(site, _)| *site).min()
    }

    /// Whether a site was defined.
    pub fn knows(&self, site: u32) -> bool {
        self.frames.contains_key(&site)
    }

    /// Whether the program's files on this host can resolve a site.
    pub fn is_here(&mut self, site: u32) -> bool {
        let frames = self.frames.get(&site).map(Vec::as_slice).unwrap_or_default();
        frames.iter().filter(|&&frame| python::parts(frame).is_none()).all(|frame| {
            let Some((start, _, _, file)) = module_of(&self.modules, *frame) else { return true };
            *self.are_here.entry(*start).or_insert_with(|| is_here(file))
        })
    }

    /// Marks a site as requested from another host.
    pub fn request(&mut self, site: u32) {
        self.asked.insert(site);
    }

    /// Whether the answer is still missing.
    pub fn is_asked(&self, site: u32) -> bool {
        self.asked.contains(&site)
    }

    /// Stops waiting for answers.
    pub fn ask_no_more(&mut self) {
        self.asked.clear();
    }

    /// Stores another host's result about a site.
    pub fn store_stack(&mut self, site: u32, stack: Vec<Frame>) {
        self.asked.remove(&site);
        self.known.insert(site, stack);
    }

    /// Stores another host's result about the frame that was left before a function was called there (a tail call).
    pub fn store_tail(&mut self, site: u32, stem: String, frames: Vec<Frame>) {
        self.tails.insert((site, stem), frames);
    }

    /// The frames of a site that have to be resolved, as module and address. Resolving several sites together reads the
    /// debug information of a module once.
    pub fn unknown(&self, site: u32) -> impl Iterator<Item = (ModuleFile, u64)> + '_ {
        let frames = self.frames.get(&site).filter(|_| !self.known.contains_key(&site));
        frames.into_iter().flatten().filter(|&&frame| python::parts(frame).is_none()).filter_map(|&frame| {
            let (_, _, base, file) = module_of(&self.modules, frame)?;
            (!is_libc(file)).then(|| (file.clone(), frame.wrapping_sub(*base)))
        })
    }

    /// The stack of a site, innermost first; inlined functions have their own frames.
    pub fn stack(&mut self, site: u32, resolver: &Resolver) -> &[Frame] {
        if !self.known.contains_key(&site) {
            let frames = self.frames.get(&site).map(Vec::as_slice).unwrap_or_default();
            let stack = frames.iter().flat_map(|&frame| self.frame(frame, resolver)).collect();
            self.known.insert(site, stack);
        }
        &self.known[&site]
    }

    /// The return address of a site's call in its module; `None` for calls from Python and unknown places.
    pub fn call(&self, site: u32) -> Option<(&ModuleFile, u64)> {
        let frame = *self.frames.get(&site)?.first().filter(|&&frame| python::parts(frame).is_none())?;
        let (_, _, base, file) = module_of(&self.modules, frame)?;
        Some((file, frame.wrapping_sub(*base)))
    }

    /// The same, followed by the return addresses of its callers while they are in the same module.
    pub fn calls(&self, site: u32) -> Option<(&ModuleFile, Vec<u64>)> {
        let (file, at) = self.call(site)?;
        let around = self.frames.get(&site)?.iter().skip(1).filter(|&&frame| python::parts(frame).is_none());
        let around = around.map_while(|&frame| {
            let (_, _, base, of) = module_of(&self.modules, frame)?;
            (of == file).then(|| frame.wrapping_sub(*base))
        });
        Some((file, std::iter::once(at).chain(around).collect()))
    }

    /// File and line of a call from Python; `None` for other calls, and where Python has no file.
    pub fn python_line(&self, site: u32) -> Option<(&str, u32)> {
        let (code, line) = python::parts(*self.frames.get(&site)?.first()?)?;
        let (file, _) = self.python.get(&code)?;
        (!file.is_empty()).then_some((file.as_str(), line))
    }

    /// The module that contains an address of the process, and the address within it.
    pub fn module_at(&self, address: u64) -> Option<(&ModuleFile, u64)> {
        // Asked as a return address is, which may lie one past the end.
        let (_, _, base, file) = module_of(&self.modules, address.saturating_add(1))?;
        Some((file, address.wrapping_sub(*base)))
    }

    /// Whether the code after a call certainly ignores its result.
    pub fn drops_result(&mut self, site: u32) -> bool {
        if let Some(&known) = self.drops.get(&site) {
            return known;
        }
        let drops = self.call(site).is_some_and(|(file, at)| mpiscope_symbols::drops_result(file, at));
        self.drops.insert(site, drops);
        drops
    }

    /// Whether the instruction at a site loads or stores exactly one number, and so needs no bytes beside it.
    pub fn touches_one_number(&self, site: u32, stores: bool) -> bool {
        let touched = self.call(site).and_then(|(file, at)| mpiscope_symbols::touched(file, at, stores));
        touched.is_some_and(|bytes| bytes <= NUMBER)
    }

    /// The stack as findings show it. If the called function is known, a frame that was left by a tail call is added.
    pub fn lines(&mut self, site: u32, function: Option<&str>, resolver: &Resolver) -> Vec<CheckLine> {
        let inner = function.and_then(|function| self.tail(site, function, resolver)).unwrap_or_default();
        inner.iter().chain(self.stack(site, resolver)).map(line).collect()
    }

    /// Frames of a function that ends by jumping to the called one.
    fn tail(&self, site: u32, function: &str, resolver: &Resolver) -> Option<Vec<Frame>> {
        if let Some(found) = mpiscope_symbols::stem(function).and_then(|stem| self.tails.get(&(site, stem))) {
            return Some(found.clone());
        }
        let (file, at) = self.call(site)?;
        let jump = mpiscope_symbols::tail_calls(file, &[(at, function)]).pop().flatten()?;
        Some(resolver.resolve(file, &[jump]).resolved.into_iter().flat_map(|r| r.frames).collect())
    }

    /// The same for all functions that may have been called there, by stem.
    pub fn tails(&self, site: u32, resolver: &Resolver) -> Vec<(String, Vec<CheckLine>)> {
        let Some((file, at)) = self.call(site).filter(|(file, _)| !is_libc(file)) else { return Vec::new() };
        let frames = |jump| resolver.resolve(file, &[jump]).resolved.into_iter().flat_map(|r| r.frames);
        let found = mpiscope_symbols::tails(file, at).into_iter();
        found.map(|(stem, jump)| (stem, frames(jump).map(|f| line(&f)).collect())).collect()
    }

    fn frame(&self, frame: u64, resolver: &Resolver) -> Vec<Frame> {
        if let Some((code, line)) = python::parts(frame) {
            let (file, function) = self.python.get(&code).cloned().unwrap_or_default();
            return vec![Frame { function, file: Some(file).filter(|f| !f.is_empty()), line: Some(line) }];
        }
        let Some((_, _, base, file)) = module_of(&self.modules, frame) else {
            return vec![Frame { function: format!("{frame:#x}"), file: None, line: None }];
        };
        if is_libc(file) {
            let function = format!("{}+{:#x}", file.name(), frame.wrapping_sub(*base));
            return vec![Frame { function, file: None, line: None }];
        }
        let found = resolver.resolve(file, &[frame.wrapping_sub(*base)]);
        found.resolved.into_iter().flat_map(|r| r.frames).collect()
    }
}

fn line(f: &Frame) -> CheckLine {
    CheckLine { function: f.function.clone(), file: f.file.clone(), line: f.line }
}

/// Whether a file exists and is the one that the program ran.
fn is_here(file: &ModuleFile) -> bool {
    let Ok(opened) = File::open(&file.path) else { return false };
    // SAFETY: as everywhere where a program's files are read: replacing them creates new files.
    let Ok(map) = (unsafe { Mmap::map(&opened) }) else { return false };
    let Ok(read) = object::File::parse(&*map) else { return false };
    file.build_id.is_empty() || read.build_id().ok().flatten() == Some(&file.build_id[..])
}

/// The module that contains a return address.
fn module_of(modules: &[Module], frame: u64) -> Option<&Module> {
    let call = frame.saturating_sub(1);
    modules.iter().find(|m| (m.0..m.1).contains(&call))
}

/// The C library, which calls `main`: reading its debug information would delay the report of a deadlock too much.
fn is_libc(file: &ModuleFile) -> bool {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-musl")
}
