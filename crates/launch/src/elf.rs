//! Reads ELF files: type, dependencies, and defined symbols.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use object::elf;
use object::read::elf::{Dyn, ElfFile64, FileHeader, ProgramHeader, SectionHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol};

type Elf<'data> = ElfFile64<'data, Endianness>;

/// Why a file is not a program or library of this machine.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each message says when it occurs, and names its fields")]
pub enum ElfError {
    #[error("{path}: {source}")]
    Read { path: PathBuf, source: io::Error },
    #[error("{path}: not an ELF file for this type of machine")]
    Foreign { path: PathBuf },
    #[error("{path}: damaged ELF file: {source}")]
    Damaged { path: PathBuf, source: object::Error },
}

/// The first words of an ELF file, enough to decide whether this machine can run it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ident {
    /// 32 or 64: the class of the file.
    pub bits: u8,
    /// `e_machine`, see elf(5).
    pub machine: u16,
}

impl Ident {
    /// `None` if the bytes are not an ELF header.
    pub fn read(head: &[u8]) -> Option<Self> {
        let head: &[u8; 20] = head.get(..20)?.try_into().ok()?;
        if head[..4] != elf::ELFMAG {
            return None;
        }
        let bits = if head[4] == elf::ELFCLASS64 { 64 } else { 32 };
        let machine = [head[18], head[19]];
        let machine = match head[5] {
            elf::ELFDATA2MSB => u16::from_be_bytes(machine),
            _ => u16::from_le_bytes(machine),
        };
        Some(Self { bits, machine })
    }

    /// What the kernel of this mpiscope runs without emulation.
    pub fn native() -> Self {
        let machine = match std::env::consts::ARCH {
            "x86_64" => elf::EM_X86_64,
            "aarch64" => elf::EM_AARCH64,
            "riscv64" => elf::EM_RISCV,
            "powerpc64" => elf::EM_PPC64,
            "s390x" => elf::EM_S390,
            _ => elf::EM_NONE,
        };
        Self { bits: 64, machine }
    }

    /// For messages, such as `64-bit ARM64`.
    pub fn name(self) -> String {
        let machine = match self.machine {
            elf::EM_386 => "x86",
            elf::EM_X86_64 => "x86-64",
            elf::EM_ARM => "ARM",
            elf::EM_AARCH64 => "ARM64",
            elf::EM_RISCV => "RISC-V",
            elf::EM_PPC64 => "POWER",
            elf::EM_S390 => "s390",
            other => return format!("{}-bit machine {other}", self.bits),
        };
        format!("{}-bit {machine}", self.bits)
    }
}

/// An ELF file mapped for reading.
pub struct Image {
    path: PathBuf,
    map: Mmap,
}

impl Image {
    /// Maps a file for this type of machine.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is no ELF file for this type of machine.
    pub fn open(path: &Path) -> Result<Self, ElfError> {
        let read = |source| ElfError::Read { path: path.into(), source };
        let file = File::open(path).map_err(read)?;
        // SAFETY: libraries are replaced by renaming, not truncated in place; the dynamic loader takes the same risk.
        let map = unsafe { Mmap::map(&file) }.map_err(read)?;
        match Ident::read(&map) {
            Some(ident) if ident == Ident::native() => Ok(Self { path: path.into(), map }),
            _ => Err(ElfError::Foreign { path: path.into() }),
        }
    }

    /// As it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn elf(&self) -> Result<Elf<'_>, ElfError> {
        Elf::parse(&*self.map).map_err(|source| self.damaged(source))
    }

    fn damaged(&self, source: object::Error) -> ElfError {
        ElfError::Damaged { path: self.path.clone(), source }
    }

    /// The dynamic loader of the file; `None` for static executables and most libraries.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn interpreter(&self) -> Result<Option<PathBuf>, ElfError> {
        let elf = self.elf()?;
        for header in elf.elf_program_headers() {
            let found = header.interpreter(elf.endian(), &*self.map);
            if let Some(bytes) = found.map_err(|source| self.damaged(source))? {
                return Ok(Some(PathBuf::from(String::from_utf8_lossy(bytes).into_owned())));
            }
        }
        Ok(None)
    }

    /// The name by which other files depend on it.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn soname(&self) -> Result<Option<String>, ElfError> {
        Ok(self.dynamic_names(elf::DT_SONAME)?.into_iter().next())
    }

    /// The names of the libraries that it depends on.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn needed(&self) -> Result<Vec<String>, ElfError> {
        self.dynamic_names(elf::DT_NEEDED)
    }

    fn dynamic_names(&self, tag: u32) -> Result<Vec<String>, ElfError> {
        let elf = self.elf()?;
        let endian = elf.endian();
        let sections = elf.elf_header().sections(endian, &*self.map).map_err(|source| self.damaged(source))?;
        let dynamic = sections.dynamic(endian, &*self.map).map_err(|source| self.damaged(source))?;
        let Some((entries, strings)) = dynamic else {
            return Ok(Vec::new());
        };
        let strings = sections.strings(endian, &*self.map, strings).map_err(|source| self.damaged(source))?;
        let named = entries.iter().filter(|entry| entry.tag32(endian) == Some(tag));
        let names = named.filter_map(|entry| entry.string(endian, strings).ok());
        Ok(names.map(|name| String::from_utf8_lossy(name).into_owned()).collect())
    }

    /// For each name, whether the file exports it.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn defines(&self, names: &[&str]) -> Result<Vec<bool>, ElfError> {
        let elf = self.elf()?;
        let mut found = vec![false; names.len()];
        for symbol in elf.dynamic_symbols().filter(|symbol| symbol.is_definition()) {
            if let Ok(name) = symbol.name()
                && let Some(index) = names.iter().position(|wanted| *wanted == name)
            {
                found[index] = true;
            }
        }
        Ok(found)
    }

    /// Exported names that pass a test.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn defined_names(&self, keep: impl Fn(&str) -> bool) -> Result<Vec<String>, ElfError> {
        let elf = self.elf()?;
        let names = elf.dynamic_symbols().filter(|symbol| symbol.is_definition());
        let names = names.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
        Ok(names.filter(|name| keep(name)).collect())
    }

    /// Undefined names that pass a test, without weak references.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn undefined_names(&self, keep: impl Fn(&str) -> bool) -> Result<Vec<String>, ElfError> {
        let elf = self.elf()?;
        let names = elf.dynamic_symbols().filter(|symbol| symbol.is_undefined() && !symbol.is_weak());
        let names = names.filter_map(|symbol| symbol.name().ok().map(str::to_owned));
        Ok(names.filter(|name| keep(name)).collect())
    }

    /// A copy of the file with another soname, which is written over `room`, a name in its string table.
    ///
    /// # Errors
    ///
    /// If the file is damaged. `None` if it has no soname, or `room` is missing or too short.
    pub fn renamed(&self, soname: &str, room: &str) -> Result<Option<Vec<u8>>, ElfError> {
        let elf = self.elf()?;
        let endian = elf.endian();
        let damaged = |source| self.damaged(source);
        let sections = elf.elf_header().sections(endian, &*self.map).map_err(damaged)?;
        let Some((entries, link)) = sections.dynamic(endian, &*self.map).map_err(damaged)? else {
            return Ok(None);
        };
        let strings = sections.section(link).and_then(|section| section.data(endian, &*self.map)).map_err(damaged)?;
        let place = strings.windows(room.len() + 1).position(|at| at.strip_suffix(&[0]) == Some(room.as_bytes()));
        let entry = entries.iter().find(|entry| entry.tag32(endian) == Some(elf::DT_SONAME));
        let (Some(place), Some(entry)) = (place.filter(|_| soname.len() <= room.len()), entry) else {
            return Ok(None);
        };
        let offset = |part: *const u8| part as usize - self.map.as_ptr() as usize;
        let mut copy = self.map.to_vec();
        let name = offset(strings.as_ptr()) + place;
        copy[name..name + soname.len()].copy_from_slice(soname.as_bytes());
        copy[name + soname.len()] = 0;
        // The tag is a word, and its value the next one.
        let value = offset((&raw const *entry).cast()) + 8;
        copy[value..value + 8].copy_from_slice(&(place as u64).to_le_bytes());
        Ok(Some(copy))
    }

    /// Whether the full symbol table defines a name, exported or not.
    ///
    /// # Errors
    ///
    /// If the file is damaged.
    pub fn contains_function(&self, name: &str) -> Result<bool, ElfError> {
        let elf = self.elf()?;
        let mut symbols = elf.symbols().chain(elf.dynamic_symbols());
        Ok(symbols.any(|symbol| symbol.is_definition() && symbol.name() == Ok(name)))
    }

    /// The contents of a constant string that the file exports.
    ///
    /// # Errors
    ///
    /// If the file is damaged. `None` if it exports no such string.
    pub fn exported_text(&self, name: &str) -> Result<Option<String>, ElfError> {
        let elf = self.elf()?;
        let symbol = elf.dynamic_symbols().find(|symbol| symbol.name() == Ok(name));
        let Some(symbol) = symbol.filter(|symbol| symbol.is_definition()) else {
            return Ok(None);
        };
        let section = symbol.section_index().and_then(|index| elf.section_by_index(index).ok());
        let bytes = section
            .and_then(|section| section.data_range(symbol.address(), symbol.size().clamp(1, 256)).ok().flatten());
        Ok(bytes.and_then(|bytes| {
            let text = bytes.split(|byte| *byte == 0).next()?;
            std::str::from_utf8(text).ok().map(str::to_owned)
        }))
    }

    /// The file's section of constants, which contains strings.
    ///
    /// # Errors
    ///
    /// If the file is damaged; a file without the section has no constants.
    pub fn constants(&self) -> Result<&[u8], ElfError> {
        let elf = self.elf()?;
        let section = elf.section_by_name(".rodata");
        Ok(section.and_then(|section| section.data().ok()).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_told_apart() {
        let mut head = [0u8; 20];
        assert_eq!(Ident::read(&head), None);
        head[..6].copy_from_slice(b"\x7fELF\x01\x01");
        head[18] = elf::EM_386 as u8;
        assert_eq!(Ident::read(&head).unwrap().name(), "32-bit x86");
        head[4] = elf::ELFCLASS64;
        head[5] = elf::ELFDATA2MSB;
        head[18..].copy_from_slice(&elf::EM_S390.to_be_bytes());
        assert_eq!(Ident::read(&head).unwrap().name(), "64-bit s390");
        assert_eq!(Ident::read(b"\x7fELF"), None);
    }

    #[test]
    fn the_running_program_is_read() {
        let image = Image::open(&std::env::current_exe().unwrap()).unwrap();
        assert!(image.interpreter().unwrap().unwrap().is_absolute());
        assert!(image.needed().unwrap().iter().any(|name| name.starts_with("libc.so")));
        assert_eq!(image.soname().unwrap(), None);
    }

    #[test]
    fn damage_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.out");
        let whole = std::fs::read("/proc/self/exe").unwrap();
        for len in [0, 3, 19, 20, 63, 64, 200, 4096] {
            std::fs::write(&path, &whole[..len]).unwrap();
            if let Ok(image) = Image::open(&path) {
                let _ = (image.interpreter(), image.needed(), image.defines(&["main"]));
                let _ = (image.contains_function("main"), image.constants().map(<[u8]>::len));
            }
        }
    }
}
