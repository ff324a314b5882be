//! Call sites of a process as lines of its sources.

use std::collections::HashMap;
use std::path::PathBuf;

use mpiscope_symbols::{Frame, ModuleFile, Resolver};
use mpiscope_trace::defs::Definition;
use mpiscope_trace::python;

/// What the definitions of a process say about places.
#[derive(Default)]
pub struct Sites {
    frames: HashMap<u32, Vec<u64>>,
    modules: Vec<(u64, u64, u64, ModuleFile)>,
    python: HashMap<u32, (String, String)>,
    /// Its communicators' and functions' names are not needed here.
    known: HashMap<u32, Vec<Frame>>,
}

impl Sites {
    /// A definition of the process.
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

    /// Where in modules the frames of a site lie that have to be looked up, so that those of several sites can be at once:
    /// each look reads a module's debug information.
    pub fn unknown(&self, site: u32) -> impl Iterator<Item = (ModuleFile, u64)> + '_ {
        let frames = self.frames.get(&site).filter(|_| !self.known.contains_key(&site));
        frames.into_iter().flatten().filter(|&&frame| python::parts(frame).is_none()).filter_map(|&frame| {
            let (_, _, base, file) = self.module(frame)?;
            (!is_libc(file)).then(|| (file.clone(), frame.wrapping_sub(*base)))
        })
    }

    fn module(&self, frame: u64) -> Option<&(u64, u64, u64, ModuleFile)> {
        let call = frame.saturating_sub(1);
        self.modules.iter().find(|m| (m.0..m.1).contains(&call))
    }

    /// The stack of a site, innermost first; inlined functions are frames of their own.
    pub fn stack(&mut self, site: u32, resolver: &Resolver) -> &[Frame] {
        if !self.known.contains_key(&site) {
            let frames = self.frames.get(&site).map(Vec::as_slice).unwrap_or_default();
            let stack = frames.iter().flat_map(|&frame| self.frame(frame, resolver)).collect();
            self.known.insert(site, stack);
        }
        &self.known[&site]
    }

    fn frame(&self, frame: u64, resolver: &Resolver) -> Vec<Frame> {
        if let Some((code, line)) = python::parts(frame) {
            let (file, function) = self.python.get(&code).cloned().unwrap_or_default();
            return vec![Frame { function, file: Some(file).filter(|f| !f.is_empty()), line: Some(line) }];
        }
        let Some((_, _, base, file)) = self.module(frame) else {
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

/// The C library, which calls `main`: to read its debug information takes longer than a deadlock may be kept from people.
fn is_libc(file: &ModuleFile) -> bool {
    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-musl")
}
