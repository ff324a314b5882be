//! Whether the code of a module looks at what a call has returned.

use object::{Architecture, Object, ObjectSection, SectionKind};

use crate::ModuleFile;
use crate::elf::Image;

/// Whether the code behind the call that returns to an address of the ELF file drops the result for certain. False where
/// the file is another one by now, or of a processor whose code is not read.
pub fn drops_result(module: &ModuleFile, return_address: u64) -> bool {
    let looked = || {
        let image = Image::open(&module.path)?;
        let same = module.build_id.is_empty() || image.build_id().as_deref() == Some(&module.build_id[..]);
        let object = image.object().filter(|object| same && object.architecture() == Architecture::X86_64)?;
        let section = object.sections().find(|section| {
            let (start, size) = (section.address(), section.size());
            section.kind() == SectionKind::Text && (start..start.saturating_add(size)).contains(&return_address)
        })?;
        Some(mpiscope_places::drops_result(section.address(), section.data().ok()?, return_address))
    };
    looked().unwrap_or(false)
}
