//! `run.json`: the program, launcher and options of a run. Schema: `schemas/run.schema.json`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::mpi::{Family, MpiFound};
use crate::options::Options;
use crate::settings;
use crate::{clock, host};

pub const FILE: &str = "run.json";
pub const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub format: u32,
    pub run_id: String,
    pub program: Vec<String>,
    pub cwd: PathBuf,
    pub host: String,
    pub start_unix_ns: u64,
    pub mpiscope_version: String,
    /// The launcher's command line, if `mpiscope run` started it.
    pub launcher: Option<Vec<String>>,
    /// The program's MPI, if `mpiscope run` searched for it.
    pub mpi: Option<MpiNote>,
    pub options: Options,
    /// The file and profile of the options; missing in older runs.
    #[serde(default)]
    pub config: settings::Note,
    pub job_key: String,
}

/// The MPI as known before the start. The rank file has the one that a rank actually loaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MpiNote {
    pub family: Family,
    /// With the implementation's name, such as `MPICH 4.0.2`.
    pub version: String,
    pub library: PathBuf,
}

impl From<&MpiFound> for MpiNote {
    fn from(found: &MpiFound) -> Self {
        let library = &found.library;
        Self { family: library.family, version: library.title(), library: library.path.clone() }
    }
}

impl Manifest {
    /// The manifest of a run that starts now on this host.
    pub fn new(program: Vec<String>, options: Options, job_key: String) -> Self {
        Self {
            format: FORMAT,
            run_id: host::random_id(),
            program,
            cwd: std::env::current_dir().unwrap_or_default(),
            host: host::name(),
            start_unix_ns: clock::realtime_ns(),
            mpiscope_version: env!("CARGO_PKG_VERSION").to_owned(),
            launcher: None,
            mpi: None,
            options,
            config: settings::Note::default(),
            job_key,
        }
    }

    /// The text of the file, including the final newline.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Reads `RUN/run.json`.
    pub fn read(run_dir: &Path) -> Result<Self, ManifestError> {
        let path = run_dir.join(FILE);
        let read = |source| ManifestError::Read { path: path.clone(), source };
        let text = std::fs::read_to_string(&path).map_err(read)?;
        serde_json::from_str(&text).map_err(|source| ManifestError::Damaged { path: path.clone(), source })
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    #[error("{}: {source}", path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("{}: not a run.json that this mpiscope can read: {source}", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
}

impl ManifestError {
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let mut manifest = Manifest::new(vec!["a.out".into()], Options::default(), "k".into());
        manifest.mpi =
            Some(MpiNote { family: Family::OpenMpi, version: "Open MPI 4.1.4".into(), library: "/l/libmpi.so".into() });
        std::fs::write(dir.path().join(FILE), manifest.to_text()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), manifest);
        assert!(manifest.to_text().contains("\"family\": \"open-mpi\""));
    }

    #[test]
    fn damage_is_told_from_absence() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Manifest::read(dir.path()).unwrap_err().is_missing());
        std::fs::write(dir.path().join(FILE), "{\"format\":1").unwrap();
        assert!(!Manifest::read(dir.path()).unwrap_err().is_missing());
    }
}
