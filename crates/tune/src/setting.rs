//! What is set, and for which MPI.

use serde::Serialize;

use crate::{Family, Version};

/// Where a value was given, the strongest last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(tag = "from", rename_all = "kebab-case")]
pub enum Source {
    /// `openmpi-mca-params.conf` of the installation.
    SystemFile {
        /// The file.
        path: String,
        /// Its line.
        line: usize,
    },
    /// `~/.openmpi/mca-params.conf`.
    UserFile {
        /// The file.
        path: String,
        /// Its line.
        line: usize,
    },
    /// A file after `-am` or `--tune`.
    NamedFile {
        /// The file.
        path: String,
        /// Its line.
        line: usize,
    },
    /// The environment of this process.
    Environment,
    /// The words of the launcher: `--mca`, `-x`, `-genv`.
    Launcher {
        /// The option.
        option: String,
    },
    /// `openmpi-mca-params-override.conf` of the installation.
    OverrideFile {
        /// The file.
        path: String,
        /// Its line.
        line: usize,
    },
}

impl Source {
    /// In a few words.
    pub fn title(&self) -> String {
        match self {
            Self::Environment => "environment".to_owned(),
            Self::Launcher { option } => format!("launcher's {option}"),
            Self::SystemFile { path, line }
            | Self::UserFile { path, line }
            | Self::NamedFile { path, line }
            | Self::OverrideFile { path, line } => format!("{path}:{line}"),
        }
    }

    /// Whether names there are MCA parameters without a prefix.
    pub fn has_bare_names(&self) -> bool {
        match self {
            Self::Environment => false,
            Self::Launcher { option } => option.ends_with("mca"),
            _ => true,
        }
    }

    /// Sources of the same kind: the last value wins.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::SystemFile { .. } => 0,
            Self::UserFile { .. } => 1,
            Self::NamedFile { .. } => 2,
            Self::Environment => 3,
            Self::Launcher { .. } => 4,
            Self::OverrideFile { .. } => 5,
        }
    }
}

/// One value that was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// As it was written.
    pub name: String,
    /// As it was written; invalid UTF-8 is replaced.
    pub value: String,
    /// Where.
    pub source: Source,
}

/// The MPI in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Which.
    pub family: Family,
    /// Its version, if known.
    pub version: Option<Version>,
    /// Such as `Open MPI 4.1.4`.
    pub title: String,
    /// MPICH's device, such as `ch4:ofi`.
    pub device: Option<String>,
}

/// What the version texts of libraries begin with, or what they contain of derived ones.
const MARKS: [(&str, Family); 8] = [
    ("fujitsu mpi", Family::Fujitsu),
    ("open mpi", Family::OpenMpi),
    ("intel(r) mpi", Family::Intel),
    ("cray mpich", Family::CrayMpich),
    ("mvapich", Family::Mvapich),
    ("mpich version", Family::Mpich),
    ("mpich", Family::Mpich),
    ("intel mpi", Family::Intel),
];

impl Target {
    /// Whether it is MPICH with UCX as its only way for messages.
    pub(crate) fn has_only_ucx(&self) -> bool {
        self.device.as_deref().is_some_and(|device| device.trim() == "ch4:ucx")
    }

    /// The MPI that describes itself so (`MPI_Get_library_version`); `None` for one that is not known here.
    pub fn of_text(text: &str, device: Option<&str>) -> Option<Target> {
        let first: String = text.chars().take(200).collect::<String>().to_lowercase();
        let (mark, family) = MARKS.iter().find(|(mark, _)| first.contains(mark))?;
        let after = first.split_once(mark).map_or("", |(_, rest)| rest);
        // Digits with a dot: `v4.1.4,`, `Version: 4.0.2`.
        let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        let mut words = after
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ':' | '('))
            .map(|word| word.trim_start_matches('v'));
        let number = words.find(is_version);
        let title = number.map_or_else(|| family.title().to_owned(), |number| format!("{} {number}", family.title()));
        Some(Target {
            family: *family,
            version: number.and_then(Version::parse),
            title,
            device: device.map(Into::into),
        })
    }
}

/// A setting with its meaning, for people and JSON.
#[derive(Debug, Clone, Serialize)]
pub struct Shown {
    /// As it was written.
    pub name: String,
    /// Its value, shortened.
    pub value: String,
    /// Where it was given.
    pub source: Source,
    /// Who reads it; `None` for unknown names.
    pub family: Option<Family>,
    /// The name in the table.
    pub known_as: Option<String>,
    /// Whether this is the value that is used, as far as names and sources decide.
    pub is_in_force: bool,
    /// Why it has no effect.
    pub why_not: Option<String>,
    /// The default, if it is known.
    pub default: Option<String>,
    /// The subject, such as `eager-limit`.
    pub subject: Option<String>,
    /// What it does.
    pub changes: Option<String>,
}

/// Longest value that is shown; a path list may have megabytes.
const SHOWN_CHARS: usize = 60;

/// A value in one line, shortened, without control characters.
pub(crate) fn shown(value: &str) -> String {
    let mut chars = value.chars();
    let mut text: String = chars.by_ref().take(SHOWN_CHARS).map(|c| if c.is_control() { '?' } else { c }).collect();
    if chars.next().is_some() {
        text.push_str(&format!("… ({} bytes)", value.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_describe_themselves() {
        for (text, title) in [
            (
                "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022",
                "Open MPI 4.1.4",
            ),
            ("MPICH Version:      4.0.2\nMPICH Release date: Thu Apr  7 12:34:45 CDT 2022", "MPICH 4.0.2"),
            ("Intel(R) MPI Library 2021.10 for Linux* OS", "Intel MPI 2021.10"),
            ("MPI VERSION    : CRAY MPICH version 8.1.28.15 (ANL base 3.4a2)", "Cray MPICH 8.1.28.15"),
            ("MVAPICH2 Version      :\t2.3.7", "MVAPICH 2.3.7"),
            ("FUJITSU MPI Library 4.0.0 (4.0.1fj4.1.0)", "Fujitsu MPI 4.0.0"),
            ("Open MPI", "Open MPI"),
        ] {
            assert_eq!(Target::of_text(text, None).unwrap().title, title, "{text}");
        }
        assert_eq!(Target::of_text("LAM/MPI 7.1", None), None);
    }
}
