//! Finds and maps the ELF file of a module, and the one with its debug information.

use std::fs::File;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use object::read::File as ObjectFile;
use object::{Object, ObjectSection};

/// A mapped file. If a program is overwritten in place while it is read, this process may end with `SIGBUS`. Linkers and
/// installers replace files instead, and copying gigabytes of debug information for the other cases would cost more.
pub struct Image(Mmap);

impl Image {
    /// Maps `path`; `None` when there is no such regular file.
    pub fn open(path: &Path) -> Option<Image> {
        let file = File::open(path).ok()?;
        if !file.metadata().ok()?.is_file() {
            return None;
        }
        // SAFETY: see the type's text.
        unsafe { Mmap::map(&file) }.ok().map(Image)
    }
    /// The parsed headers; `None` for anything that is not a sound ELF file.
    pub fn object(&self) -> Option<ObjectFile<'_>> {
        ObjectFile::parse(&*self.0).ok()
    }
    /// `NT_GNU_BUILD_ID`.
    pub fn build_id(&self) -> Option<Vec<u8>> {
        Some(self.object()?.build_id().ok()??.to_vec())
    }
}

/// `ROOT/.build-id/xx/yyyy.debug`.
fn by_build_id(root: &Path, id: &[u8]) -> Option<PathBuf> {
    let (first, rest) = id.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let rest: String = rest.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(root.join(format!(".build-id/{first:02x}/{rest}.debug")))
}

/// The separate file with the debug information of a module, its build id verified.
pub fn debug_file(module: &Path, build_id: &[u8], image: Option<&Image>, roots: &[PathBuf]) -> Option<Image> {
    let mut candidates: Vec<PathBuf> = roots.iter().filter_map(|root| by_build_id(root, build_id)).collect();
    let link = image.and_then(Image::object).and_then(|o| {
        let (name, _crc) = o.gnu_debuglink().ok()??;
        Some(PathBuf::from(std::str::from_utf8(name).ok()?))
    });
    if let (Some(name), Some(folder)) = (link.as_ref().and_then(|l| l.file_name()), module.parent()) {
        candidates.push(folder.join(name));
        candidates.push(folder.join(".debug").join(name));
        for root in roots {
            candidates.push(root.join(folder.strip_prefix("/").unwrap_or(folder)).join(name));
        }
    }
    candidates
        .into_iter()
        .filter_map(|path| Image::open(&path))
        .find(|found| !build_id.is_empty() && found.build_id().as_deref() == Some(build_id))
}

/// The file that `dwz` moved shared parts of the debug information into.
pub fn supplementary_file(object: &ObjectFile<'_>, module: &Path, roots: &[PathBuf]) -> Option<Image> {
    let (name, id) = object.gnu_debugaltlink().ok()??;
    let name = Path::new(std::str::from_utf8(name).ok()?);
    let beside = module.parent().map(|folder| folder.join(name));
    let by_id = roots.iter().filter_map(|root| by_build_id(root, id));
    let by_name = roots.iter().map(|root| {
        // Debian writes the link relative to the debug file, which is not where the module is.
        let tail = name.components().filter(|c| matches!(c, std::path::Component::Normal(_))).collect::<PathBuf>();
        root.join(tail.strip_prefix("usr/lib/debug").unwrap_or(&tail))
    });
    beside
        .into_iter()
        .chain(by_id)
        .chain(by_name)
        .filter_map(|path| Image::open(&path))
        .find(|found| found.build_id().as_deref() == Some(id))
}

/// A section's bytes, decompressed; empty when absent or when its claimed size is not credible.
pub fn section<'a>(object: &ObjectFile<'a>, name: &str) -> std::borrow::Cow<'a, [u8]> {
    /// DEFLATE's limit is 1032 to 1; zstd's is higher, but no debug information compresses so.
    const MOST: u64 = 1100;
    let empty = std::borrow::Cow::Borrowed(&[][..]);
    let Some(section) = object.section_by_name(name) else { return empty };
    match section.compressed_data() {
        Ok(data) if data.uncompressed_size <= (data.data.len() as u64).saturating_mul(MOST) => {
            data.decompress().unwrap_or(empty)
        }
        _ => empty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_id_paths() {
        let root = Path::new("/usr/lib/debug");
        assert_eq!(
            by_build_id(root, &[0xab, 0xcd, 0x01]),
            Some(PathBuf::from("/usr/lib/debug/.build-id/ab/cd01.debug"))
        );
        assert_eq!(by_build_id(root, &[1]), None);
        assert_eq!(by_build_id(root, &[]), None);
    }
}
