//! Finds the variables of the program at an address, from debug information.
//!
//! Only variables at a certain place: a single DWARF operation, an address or an offset from the frame, which is valid wherever
//! the variable is in scope. Variables in registers or in location lists are not included, nor memory behind pointers.

mod entries;
mod globals;
mod layout;
mod locals;

pub use layout::{Layout, Leaf, Sort};

use std::collections::HashMap;
use std::path::PathBuf;

use gimli::{Dwarf, EndianSlice, RunTimeEndian};
use object::{Object, ObjectSymbol, SymbolKind};

use crate::ModuleFile;
use crate::dwarf;
use crate::elf::{self, Image};
use crate::resolve::Resolver;
use entries::Entries;
use globals::Globals;

pub(crate) type Slice<'a> = EndianSlice<'a, RunTimeEndian>;

/// A memory location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// In the module, as an address of its ELF file; `pc` is where the call returns to that is about it, if it is of the same module.
    Mapped {
        /// The address.
        address: u64,
        /// See [`At::Mapped`].
        pc: Option<u64>,
    },
    /// In a frame of a function of the module. Distances are from its end, the canonical frame address.
    Frame {
        /// The address.
        address: i64,
        /// Where the function's call returns to, as an address of the ELF file.
        pc: u64,
        /// Stack pointer then.
        sp: i64,
        /// Frame pointer register then, whatever is in it.
        fp: i64,
    },
}

/// A variable at an address.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its type, as its language writes it.
    pub type_name: String,
    /// File of its declaration, without folder.
    pub file: Option<String>,
    /// Line of its declaration.
    pub line: Option<u32>,
    /// From its begin to the address, bytes.
    pub offset: u64,
    /// Bytes from its begin on that are its own, or of the block of memory that it is declared in.
    pub room: u64,
    /// What is in it.
    pub layout: Layout,
    /// Declared in the function that was asked about.
    pub is_own: bool,
    /// Of Fortran, where who calls may see it as another type.
    pub is_fortran: bool,
    /// Nothing else can have its place while it is in scope.
    pub is_sure: bool,
}

/// What is there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Declared {
    /// All variables there whose type is known.
    pub variables: Vec<Variable>,
    /// There is another one.
    pub has_others: bool,
}

/// Looks up variables, and remembers where those of each module are.
#[derive(Default)]
pub struct Declarations {
    resolver: Resolver,
    globals: HashMap<ModuleFile, Globals>,
}

impl Declarations {
    /// Looks for debug files where a resolver does.
    pub fn new(resolver: Resolver) -> Declarations {
        Declarations { resolver, globals: HashMap::new() }
    }

    /// Variables at places of one module; nothing where there is no debug information, or that of another build.
    pub fn find(&mut self, module: &ModuleFile, places: &[At]) -> Vec<Declared> {
        let roots = &self.resolver.debug_roots;
        find_variables(module, roots, places, &mut self.globals)
            .unwrap_or_else(|| vec![Declared::default(); places.len()])
    }
}

fn find_variables(
    module: &ModuleFile,
    roots: &[PathBuf],
    places: &[At],
    globals: &mut HashMap<ModuleFile, Globals>,
) -> Option<Vec<Declared>> {
    let own = Image::open(&module.path)
        .filter(|image| module.build_id.is_empty() || image.build_id().as_deref() == Some(&module.build_id[..]));
    let separate = elf::debug_file(&module.path, &module.build_id, own.as_ref(), roots);
    let objects: Vec<_> = [&separate, &own].into_iter().flatten().filter_map(Image::object).collect();
    let object = objects.iter().find(|object| object.section_by_name(".debug_info").is_some())?;
    let sections = dwarf::sections(object)?;
    let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let dwarf: Dwarf<Slice<'_>> = sections.borrow(|bytes| EndianSlice::new(bytes, endian));
    let entries = Entries::new(&dwarf);
    let is_mapped = |place: &At| matches!(place, At::Mapped { .. });
    let of_module = match places.iter().any(is_mapped) {
        true => Some(&*globals.entry(module.clone()).or_insert_with(|| Globals::read(&entries))),
        false => None,
    };
    // What the linker says is there: a structure may end with elements that only its initialiser knows.
    let block = |address: u64| {
        let symbols = objects.iter().flat_map(|object| object.symbols());
        let sized = symbols.filter(|s| s.kind() == SymbolKind::Data && s.size() > 0);
        let ends = sized.map(|s| (s.address(), s.address().saturating_add(s.size())));
        let around = ends.filter(|(begin, end)| (*begin..*end).contains(&address));
        around.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))
    };
    let found = places.iter().map(|place| match (*place, of_module) {
        (At::Mapped { address, pc }, Some(of_module)) => of_module.at(&entries, address, pc, block),
        (At::Frame { address, pc, sp, fp }, _) => locals::at(&entries, address, pc, [sp, fp]),
        _ => Declared::default(),
    });
    Some(found.collect())
}
