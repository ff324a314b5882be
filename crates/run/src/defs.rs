//! The definitions of one rank, by id.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mpiscope_symbols::ModuleFile;
use mpiscope_trace::defs::{Comm, Definition, Layout, Message, Run, Section};

/// Limit of mapped files, more than any process has, as each is compared with all others.
const MOST_MODULES: usize = 1 << 14;

/// A range of address space that belongs to an ELF file.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// First address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// Difference between an address and that in the ELF file.
    pub base: u64,
    /// The file.
    pub file: ModuleFile,
}

/// A datatype: bytes, extent in bytes, combiner, id of the function that made it, name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Datatype {
    /// Name set or predefined; may be empty.
    pub name: String,
    /// Bytes of data.
    pub size_bytes: u64,
    /// Bytes from one to the next.
    pub extent_bytes: i64,
    /// Function that made it, 0 predefined.
    pub created_by: u32,
    /// How it was constructed, if known.
    pub layout: Option<Layout>,
}

/// An RMA window of one rank.
#[derive(Clone, Debug)]
pub struct Window {
    /// Local communicator id.
    pub comm: u32,
    /// Function that made it.
    pub created_by: u32,
    /// This rank's part, bytes.
    pub size_bytes: u64,
    /// Displacement unit, bytes.
    pub disp_unit: i64,
}

/// An open file of one rank.
#[derive(Clone, Debug)]
pub struct OpenFile {
    /// Local communicator id.
    pub comm: u32,
    /// Access mode, with the MPI's constants.
    pub amode: i32,
    /// Name given to `MPI_File_open`.
    pub name: String,
}

/// The definitions of one rank, by id.
#[derive(Clone, Debug, Default)]
pub struct Defs {
    /// Facts about the process.
    pub info: BTreeMap<String, String>,
    /// Mapped files in order of address; later mappings replace what they cover.
    pub modules: Vec<Mapped>,
    /// Return addresses of each call site, innermost first.
    pub sites: BTreeMap<u32, Vec<u64>>,
    /// Communicators.
    pub comms: BTreeMap<u32, Comm>,
    /// Their names, the last one set.
    pub comm_names: BTreeMap<u32, String>,
    /// Datatypes.
    pub datatypes: BTreeMap<u32, Datatype>,
    /// Reduction operations.
    pub ops: BTreeMap<u32, String>,
    /// Windows.
    pub windows: BTreeMap<u32, Window>,
    /// Files.
    pub files: BTreeMap<u32, OpenFile>,
    /// Messages that calls start, see `Shape::messages`.
    pub messages: BTreeMap<u32, Vec<Message>>,
    /// Groups in arguments of calls: world ranks of their members.
    pub groups: BTreeMap<u32, Vec<Run>>,
    /// Functions that could not be intercepted, with the reason.
    pub not_intercepted: Vec<(String, String)>,
    /// Regions by id.
    pub regions: BTreeMap<u32, Region>,
    /// Labels of markers and values by id: name and unit.
    pub labels: BTreeMap<u32, (String, String)>,
    /// Pieces of Python that called MPI, by id: file and qualified name.
    pub python: BTreeMap<u32, (String, String)>,
    /// Moments at which the program requested its statistics, in order.
    pub sections: Vec<Section>,
    /// Entries of unknown kinds.
    pub unknown: u64,
}

/// A region of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Id of the region around it, 0 none.
    pub parent: u32,
    /// See [`mpiscope_trace::annotation::source`].
    pub source: u32,
    /// Its name.
    pub name: String,
}

impl Defs {
    /// Sorts a definitions log by kind and id; the last entry for an id counts.
    pub fn new(log: Vec<Definition>) -> Defs {
        let mut defs = Defs::default();
        for definition in log {
            defs.add(definition);
        }
        defs.modules.sort_by_key(|m| m.start);
        defs
    }

    fn add(&mut self, definition: Definition) {
        match definition {
            Definition::Info { key, value } => {
                self.info.insert(key, value);
            }
            Definition::Module { base, start, end, build_id, path, .. } => {
                if self.modules.len() == MOST_MODULES {
                    return;
                }
                // A library was loaded at the place of an unloaded one.
                self.modules.retain(|m| m.end <= start || m.start >= end);
                let file = ModuleFile { path: PathBuf::from(path), build_id };
                self.modules.push(Mapped { start, end, base, file });
            }
            Definition::Site { id, frames } => {
                self.sites.insert(id, frames);
            }
            Definition::Comm(comm) => {
                self.comms.insert(comm.id, comm);
            }
            Definition::CommName { id, name } => {
                self.comm_names.insert(id, name);
            }
            Definition::Datatype { id, size, extent, created_by, name, .. } => {
                let datatype = Datatype { name, size_bytes: size, extent_bytes: extent, created_by, layout: None };
                self.datatypes.insert(id, datatype);
            }
            Definition::Layout { id, layout } => {
                if let Some(datatype) = self.datatypes.get_mut(&id) {
                    datatype.layout = Some(layout);
                }
            }
            Definition::Op { id, name } => {
                self.ops.insert(id, name);
            }
            Definition::Window { id, comm, created_by, size, disp_unit } => {
                self.windows.insert(id, Window { comm, created_by, size_bytes: size, disp_unit });
            }
            Definition::File { id, comm, amode, name } => {
                self.files.insert(id, OpenFile { comm, amode, name });
            }
            Definition::NotIntercepted { name, why } => self.not_intercepted.push((name, why)),
            Definition::RequestList { .. } => {} // used by the reader of events
            Definition::Messages { id, messages } => {
                self.messages.insert(id, messages);
            }
            Definition::Group { id, members } => {
                self.groups.insert(id, members);
            }
            Definition::Region { id, parent, source, name } => {
                self.regions.insert(id, Region { parent, source, name });
            }
            Definition::Label { id, name, unit } => {
                self.labels.insert(id, (name, unit));
            }
            Definition::PythonCode { id, file, function } => {
                self.python.insert(id, (file, function));
            }
            Definition::Section(section) => self.sections.push(section),
            // Of those who check.
            Definition::TypeMap { .. } => {}
            Definition::Unknown { .. } => self.unknown += 1,
        }
    }

    /// A fact about the process.
    pub fn info(&self, key: &str) -> Option<&str> {
        self.info.get(key).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The communicator of a handle at the end: handles are reused, and the last communicator counts.
    pub fn comm_of_handle(&self, handle: u64) -> Option<u32> {
        let known = self.comms.values().filter(|c| handle != 0 && c.handle == handle);
        known.map(|c| c.id).max()
    }

    /// The file that contains a return address, and the address in it.
    pub fn module_of(&self, address: u64) -> Option<(&ModuleFile, u64)> {
        let call = address.checked_sub(1)?;
        let after = self.modules.partition_point(|m| m.start <= call);
        let module = self.modules[..after].last().filter(|m| call < m.end)?;
        Some((&module.file, address.wrapping_sub(module.base)))
    }
}
