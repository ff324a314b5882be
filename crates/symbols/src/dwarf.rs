//! Function, file and line from DWARF, through inlined frames.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use gimli::{DwarfSections, EndianSlice, RunTimeEndian};
use object::{Object, read::File as ObjectFile};

use crate::elf;
use crate::names;
use crate::resolve::Frame;

/// Inlined frames kept for one address.
const DEEPEST: usize = 64;

/// What DWARF says about one address; a frame without a name still has its line.
pub struct Line {
    /// Function as the programmer wrote it.
    pub function: Option<String>,
    /// File with its folder, as the compiler saw it.
    pub file: Option<String>,
    /// Line from 1.
    pub line: Option<u32>,
}

impl Line {
    /// As a frame, when the function is known.
    pub fn named(self, fallback: impl FnOnce() -> Option<String>) -> Option<Frame> {
        let function = self.function.or_else(fallback)?;
        Some(Frame { function, file: self.file, line: self.line })
    }
}

/// Looks up all of `addresses` in the debug information of `object`: for each the frames,
/// innermost first, none where there is nothing.
pub fn frames(object: &ObjectFile<'_>, path: &Path, roots: &[PathBuf], addresses: &[u64]) -> Vec<Vec<Line>> {
    let supplementary = elf::supplementary_file(object, path, roots);
    let nothing = || addresses.iter().map(|_| Vec::new()).collect();
    let Some(sections) = sections(object) else { return nothing() };
    let endian = if object.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let sup_object = supplementary.as_ref().and_then(|image| image.object());
    let sup_sections = sup_object.as_ref().and_then(self::sections);
    let dwarf = match &sup_sections {
        Some(sup) => sections.borrow_with_sup(sup, |bytes| EndianSlice::new(bytes, endian)),
        None => sections.borrow(|bytes| EndianSlice::new(bytes, endian)),
    };
    let Ok(context) = addr2line::Context::from_dwarf(dwarf) else { return nothing() };
    addresses.iter().map(|&address| lookup(&context, address)).collect()
}

/// The debug information, decompressed.
pub fn sections<'a>(object: &ObjectFile<'a>) -> Option<DwarfSections<Cow<'a, [u8]>>> {
    DwarfSections::load(|id| Ok::<_, gimli::Error>(elf::section(object, id.name()))).ok()
}

fn lookup<R: gimli::Reader>(context: &addr2line::Context<R>, address: u64) -> Vec<Line> {
    let mut found = Vec::new();
    let Ok(mut frames) = context.find_frames(address).skip_all_loads() else { return found };
    while let Ok(Some(frame)) = frames.next() {
        let function = frame.function.and_then(|name| {
            let raw = name.raw_name().ok()?;
            Some(names::readable(&raw, names::is_fortran(name.language)))
        });
        let (file, line) = frame.location.map_or((None, None), |l| (l.file.map(str::to_owned), l.line));
        found.push(Line { function, file, line: line.filter(|&line| line != 0) });
        if found.len() == DEEPEST {
            break;
        }
    }
    found
}
