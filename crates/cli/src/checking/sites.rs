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
    drops: HashMap<u32, bool>,
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

    /// The stack of a site, innermost first; inlined functions are frames of their own.
    pub fn stack(&mut self, site: u32, resolver: &Resolver) -> &[Frame] {
        if !self.known.contains_key(&site) {
            let frames = self.frames.get(&site).map(Vec::as_slice).unwrap_or_default();
            let stack = frames.iter().flat_map(|&frame| self.frame(frame, resolver)).collect();
            self.known.insert(site, stack);
        }
        &self.known[&site]
    }

    /// Whether the code behind a call does not look at what it has returned, for certain.
    pub fn drops_result(&mut self, site: u32) -> bool {
        if let Some(&known) = self.drops.get(&site) {
            return known;
        }
        let innermost = self.frames.get(&site).and_then(|frames| frames.first()).copied();
        let looked = innermost.filter(|&frame| python::parts(frame).is_none()).and_then(|frame| {
            let call = frame.saturating_sub(1);
            let (_, _, base, file) = self.modules.iter().find(|m| (m.0..m.1).contains(&call))?;
            Some(mpiscope_symbols::drops_result(file, frame.wrapping_sub(*base)))
        });
        let drops = looked.unwrap_or(false);
        self.drops.insert(site, drops);
        drops
    }

    fn frame(&self, frame: u64, resolver: &Resolver) -> Vec<Frame> {
        if let Some((code, line)) = python::parts(frame) {
            let (file, function) = self.python.get(&code).cloned().unwrap_or_default();
            return vec![Frame { function, file: Some(file).filter(|f| !f.is_empty()), line: Some(line) }];
        }
        let call = frame.saturating_sub(1);
        let Some((_, _, base, file)) = self.modules.iter().find(|m| (m.0..m.1).contains(&call)) else {
            return vec![Frame { function: format!("{frame:#x}"), file: None, line: None }];
        };
        let found = resolver.resolve(file, &[frame.wrapping_sub(*base)]);
        found.resolved.into_iter().flat_map(|r| r.frames).collect()
    }
}
