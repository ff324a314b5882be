//! Maps call sites (return addresses, and stacks of them) and lists of requests to small ids.
//!
//! Each thread uses its own table first (see `intern`), so this one is used once for each site and thread, under the process lock.

use std::collections::HashMap;

use mpiscope_trace::defs::{Definition, Message};
use mpiscope_trace::python;

use crate::process::Process;
use crate::{elf, hooks, unrecorded};

/// Most sites of a process; calls from further ones have site 0. Deep recursion with `--stack` could
/// make any number.
pub const MOST: usize = 1 << 16;

/// All sites of the process.
#[derive(Default)]
pub struct Sites {
    ids: HashMap<Vec<u64>, u32>,
    modules: Vec<(usize, usize)>,
    lists: HashMap<Vec<u32>, u32>,
    python: HashMap<(String, String), u32>,
    messages: HashMap<Vec<Message>, u32>,
}

impl Sites {
    /// The id of a stack, innermost return address first; new ones are defined in the file.
    pub fn id(&mut self, frames: &[u64], process: &Process) -> u32 {
        if let Some(&id) = self.ids.get(frames) {
            return id;
        }
        if self.ids.len() >= MOST {
            return 0;
        }
        let id = self.ids.len() as u32 + 1;
        self.ids.insert(frames.to_vec(), id);
        if frames.iter().any(|&f| python::parts(f).is_none() && !self.is_in_module(f as usize)) {
            self.learn(process);
        }
        let _guard = process.lock();
        process.file.define(&Definition::Site { id, frames: frames.to_vec() });
        id
    }

    /// The stack of an id, looked for among all.
    pub fn frames(&self, id: u32) -> Vec<u64> {
        self.ids.iter().find(|(_, known)| **known == id).map(|(frames, _)| frames.clone()).unwrap_or_default()
    }

    /// The id of a piece of Python, by file and qualified name; new ones are defined in the file. 0: too many.
    pub fn python_code(&mut self, file: String, function: String, process: &Process) -> u32 {
        let key = (file, function);
        if let Some(&id) = self.python.get(&key) {
            return id;
        }
        if self.python.len() >= MOST {
            return 0;
        }
        let id = self.python.len() as u32 + 1;
        let (file, function) = key.clone();
        self.python.insert(key, id);
        let _guard = process.lock();
        process.file.define(&Definition::PythonCode { id, file, function });
        id
    }

    /// The id of a list of requests; new ones are defined in the file.
    pub fn request_list(&mut self, requests: Vec<u32>, process: &Process) -> u32 {
        if let Some(&id) = self.lists.get(&requests) {
            return id;
        }
        let id = self.lists.len() as u32 + 1;
        let _guard = process.lock();
        process.file.define(&Definition::RequestList { id, requests: requests.clone() });
        self.lists.insert(requests, id);
        id
    }

    /// The id of what a call starts; new ones are defined in the file.
    pub fn messages(&mut self, messages: Vec<Message>, process: &Process) -> u32 {
        if let Some(&id) = self.messages.get(&messages) {
            return id;
        }
        let id = self.messages.len() as u32 + 1;
        let _guard = process.lock();
        process.file.define(&Definition::Messages { id, messages: messages.clone() });
        self.messages.insert(messages, id);
        id
    }

    fn is_in_module(&self, address: usize) -> bool {
        self.modules.iter().any(|m| (m.0..m.1).contains(&address))
    }

    /// Defines every module that is mapped now and was not before.
    pub fn learn(&mut self, process: &Process) {
        let objects = elf::objects();
        if let Some(own) = objects.iter().find(|o| o.range == process.own) {
            hooks::fill(&objects, own);
        }
        for object in objects {
            if self.modules.contains(&object.range) {
                continue;
            }
            self.modules.push(object.range);
            unrecorded::describe(&object, process);
            let path = if object.path.is_empty() {
                std::fs::read_link("/proc/self/exe").map(|p| p.display().to_string()).unwrap_or_default()
            } else {
                object.path
            };
            let _guard = process.lock();
            process.file.define(&Definition::Module {
                id: self.modules.len() as u32,
                base: object.base as u64,
                start: object.range.0 as u64,
                end: object.range.1 as u64,
                build_id: object.build_id,
                path,
            });
        }
    }
}
