//! MPI libraries, recognized by the symbols they define, never by file name.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::elf::{ElfError, Image};

/// ABI of an MPI: the layout of its handles and constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// MPICH, Intel MPI, Cray MPICH, MVAPICH: they share one ABI.
    Mpich,
    /// Open MPI: handles are pointers.
    OpenMpi,
    /// The standard ABI of MPI 5.0, chapter 20.
    StandardAbi,
}

impl Family {
    /// The name in `run.json`, the same as in other JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mpich => "mpich",
            Self::OpenMpi => "open-mpi",
            Self::StandardAbi => "standard-abi",
        }
    }
}

/// The implementation. It determines the matching launcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Vendor {
    /// MPICH and what derives from it.
    Mpich,
    /// Open MPI.
    OpenMpi,
    /// Intel MPI.
    Intel,
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mpich => "MPICH",
            Self::OpenMpi => "Open MPI",
            Self::Intel => "Intel MPI",
        })
    }
}

/// A library that defines `PMPI_Init` itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Library {
    /// The file, with symbolic links resolved.
    pub path: PathBuf,
    /// `DT_SONAME`: the name under which programs need it.
    pub soname: Option<String>,
    /// The binary interface that its programs are compiled for.
    pub family: Family,
    /// `None` for a standard-ABI library of an unknown implementation.
    pub vendor: Option<Vendor>,
    /// Such as `4.0.2`.
    pub version: Option<String>,
}

impl Library {
    /// Such as `MPICH 4.0.2` or `Open MPI 6.0.0 (standard ABI)`.
    pub fn title(&self) -> String {
        let mut text = self.vendor.map_or("MPI".to_owned(), |vendor| vendor.to_string());
        if let Some(version) = &self.version {
            text.push(' ');
            text.push_str(version);
        }
        if self.family == Family::StandardAbi {
            text.push_str(" (standard ABI)");
        }
        text
    }
}

/// The library at a path; `None` if it is not an MPI.
///
/// # Errors
///
/// If the file cannot be read, or is no ELF file for this type of machine.
pub fn classify(path: &Path) -> Result<Option<Library>, ElfError> {
    let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let image = Image::open(&path)?;
    let marks = image.defines(&["PMPI_Init", "ompi_mpi_comm_world", "PMPI_Abi_get_version"])?;
    if !marks[0] {
        return Ok(None);
    }
    let soname = image.soname()?;
    let standard = soname.as_deref().is_some_and(|name| name.starts_with("libmpi_abi"));
    let made = maker(&image)?;
    let (family, vendor) = if standard && marks[2] {
        (Family::StandardAbi, made.map(|(vendor, _)| vendor))
    } else if marks[1] {
        (Family::OpenMpi, Some(Vendor::OpenMpi))
    } else {
        let intel = matches!(made, Some((Vendor::Intel, _)));
        (Family::Mpich, Some(if intel { Vendor::Intel } else { Vendor::Mpich }))
    };
    let version = version(&image, made)?;
    Ok(Some(Library { path, soname, family, vendor, version }))
}

/// Prefixes of version strings in libraries, and their implementations. The number follows.
const MARKS: &[(Vendor, &[u8])] = &[
    (Vendor::Intel, b"Intel(R) MPI Library "),
    (Vendor::OpenMpi, b"Open MPI v"),
    (Vendor::Mpich, b"MPICH Version:"),
    (Vendor::Mpich, b"MVAPICH2 Version"),
    (Vendor::Mpich, b"CRAY MPICH version "),
];

/// The implementation, and the end of the matching prefix in the constants.
fn maker(image: &Image) -> Result<Option<(Vendor, usize)>, ElfError> {
    let constants = image.constants()?;
    let found = MARKS.iter().find_map(|(vendor, mark)| {
        let at = memchr_find(constants, mark)?;
        Some((*vendor, at + mark.len()))
    });
    Ok(found)
}

fn version(image: &Image, made: Option<(Vendor, usize)>) -> Result<Option<String>, ElfError> {
    // Exact if the library exports it; older MPICHs use the second name.
    for name in ["MPII_Version_string", "MPIR_Version_string", "ompi_version_string"] {
        if !matches!(made, Some((Vendor::Intel, _)))
            && let Some(text) = image.exported_text(name)?
            && let Some(number) = leading_version(text.as_bytes())
        {
            return Ok(Some(number));
        }
    }
    let Some((_, end)) = made else {
        return Ok(None);
    };
    let after = image.constants()?.get(end..).unwrap_or_default();
    let blank = after.iter().take_while(|byte| b" \t".contains(byte)).count();
    Ok(leading_version(&after[blank..]))
}

/// A version such as `4.0.2`, `2021.10` or `5.0.0rc1` at the start of a text.
fn leading_version(text: &[u8]) -> Option<String> {
    let len = text.iter().take(32).take_while(|byte| byte.is_ascii_alphanumeric() || b".-+".contains(byte)).count();
    let word = std::str::from_utf8(&text[..len]).ok()?.trim_end_matches(['.', '-', '+']);
    (word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')).then(|| word.to_owned())
}

/// First position of a needle, in time linear in the haystack.
pub fn memchr_find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    // SAFETY: both slices are readable for the lengths given.
    let found = unsafe { libc::memmem(haystack.as_ptr().cast(), haystack.len(), needle.as_ptr().cast(), needle.len()) };
    (!found.is_null()).then(|| found as usize - haystack.as_ptr() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_cut_out() {
        let version = |text: &str| leading_version(text.as_bytes());
        assert_eq!(version("4.0.2\nMPICH Release"), Some("4.0.2".into()));
        assert_eq!(version("2021.10 for Linux* OS"), Some("2021.10".into()));
        assert_eq!(version("5.0.0rc1\0"), Some("5.0.0rc1".into()));
        assert_eq!(version("4.1.4, package"), Some("4.1.4".into()));
        assert_eq!(version("%s"), None);
        assert_eq!(version(""), None);
    }

    #[test]
    fn needles_are_found() {
        assert_eq!(memchr_find(b"abcabd", b"abd"), Some(3));
        assert_eq!(memchr_find(b"abc", b"x"), None);
        assert_eq!(memchr_find(b"", b"x"), None);
    }
}
