//! `run.json`: the program, launcher and options of a run. Schema: `schemas/run.schema.json`.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Serialize};

use crate::object;

/// Name in the run directory.
pub const FILE: &str = "run.json";
/// Version of the file that is written, and the latest that is read.
pub const FORMAT: u32 = 1;

/// `RUN/run.json`. `O` is the type of the options: the writer has its own, other readers do not interpret them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Manifest<O = serde_json::Value> {
    /// Version of this file.
    pub format: u32,
    /// Random id of the run: 16 hexadecimal digits, also in its rank files.
    pub run_id: String,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// Working directory.
    pub cwd: PathBuf,
    /// Where it was started.
    pub host: String,
    /// When, ns since the epoch.
    pub start_unix_ns: u64,
    /// Version that recorded it.
    pub mpiscope_version: String,
    /// The launcher's command line, if `mpiscope run` started it.
    pub launcher: Option<Vec<String>>,
    /// The program's MPI, if `mpiscope run` searched for it and found it.
    pub mpi: Option<MpiNote>,
    /// Options of the recording.
    pub options: O,
    /// Where the options are from; empty in older runs.
    pub config: ConfigNote,
    /// Equal in all ranks of the job that created the run.
    pub job_key: String,
    /// Of a predicted run: what it was predicted from. Missing in recorded runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
}

/// What a predicted run (`mpiscope predict -o`) was made from, and how far it can be trusted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(default)]
pub struct Predicted {
    /// The recorded run.
    pub from: PathBuf,
    /// Its id.
    pub from_run_id: String,
    /// The changes, as they are written for `--what-if`.
    pub changes: String,
    /// Where the costs of communication come from.
    pub network: String,
    /// From the end of `MPI_Init` to the beginning of `MPI_Finalize`, ns: in the recorded run, and here.
    pub recorded_ns: u64,
    /// See above.
    pub predicted_ns: u64,
    /// What the changes save of this time, as a share, and its interval.
    pub gain: f64,
    /// See above.
    pub low: f64,
    /// See above.
    pub high: f64,
    /// Errors of the replay of the run as it was, as shares of what was recorded: of the time, and of all waits.
    pub error_of_time: f64,
    /// See above.
    pub error_of_waits: f64,
}

/// An error of the time that is stated with its consequence, as a share.
const MUCH: f64 = 0.05;

impl Predicted {
    /// For people, the same wherever the run is shown.
    pub fn text(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        let stretch = 1.0 / (1.0 + self.error_of_time).max(1e-9);
        let stretched = match self.error_of_time.abs() > MUCH {
            true => format!(" (all moments are stretched by {stretch:.2} to make up for it)"),
            false => String::new(),
        };
        format!(
            "Predicted, not recorded: {} with {}. Gain {} ({} to {}); the model replays the recorded run with errors of {} in its \
             time{stretched} and {} in its waits. Processor time and memory are not predicted.",
            self.from.display(),
            self.changes,
            percent(self.gain),
            percent(self.low),
            percent(self.high),
            percent(self.error_of_time.abs()),
            percent(self.error_of_waits)
        )
    }
}

/// The MPI as known before the start. The rank file has the one that a rank actually loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct MpiNote {
    /// `mpich`, `open-mpi` or `standard-abi`.
    pub family: String,
    /// With the implementation's name, such as `MPICH 4.0.2`.
    pub version: String,
    /// The library's path.
    pub library: PathBuf,
}

/// The origin of the options.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct ConfigNote {
    /// The `mpiscope.toml` that was read.
    pub file: Option<PathBuf>,
    /// The selected profile.
    pub profile: Option<String>,
}

impl ConfigNote {
    /// For people: `PROFILE, FILE`, or the one that exists; `None` without both.
    pub fn text(&self) -> Option<String> {
        let profile = self.profile.as_ref().map(|name| format!("profile {name}"));
        let file = self.file.as_ref().map(|file| file.display().to_string());
        match (profile, file) {
            (Some(profile), Some(file)) => Some(format!("{profile}, {file}")),
            (one, other) => one.or(other),
        }
    }
}

/// Why there is no manifest.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// The file does not exist or cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system reported.
        source: io::Error,
    },
    /// The file is incomplete, or something else than a manifest.
    #[error("{}: not a run.json that this mpiscope can read: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        source: serde_json::Error,
    },
}

impl ManifestError {
    /// Whether the file does not exist.
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Read { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl<O> Manifest<O> {
    /// Whether a rank file with this id belongs to another run. Files without an id belong to any.
    pub fn is_foreign(&self, run_id: u64) -> bool {
        let own = u64::from_str_radix(&self.run_id, 16).unwrap_or(0);
        own != 0 && run_id != 0 && own != run_id
    }
}

impl<O: Serialize> Manifest<O> {
    /// The text of the file, including the final newline.
    pub fn to_text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }
}

impl<O: DeserializeOwned + Default> Manifest<O> {
    /// Reads the text of the file, whatever it lacks.
    ///
    /// # Errors
    ///
    /// If the text is not a JSON object, or a field has another type.
    pub fn parse(text: &[u8]) -> Result<Self, serde_json::Error> {
        object(text)
    }

    /// Reads `RUN/run.json` to join, change or replace the run: the file must contain the run's id and its program.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not complete.
    pub fn read(run_dir: &Path) -> Result<Self, ManifestError> {
        let path = run_dir.join(FILE);
        let text = fs::read(&path).map_err(|source| ManifestError::Read { path: path.clone(), source })?;
        let whole = Self::parse(&text).and_then(|found| {
            let lacking = [("run_id", found.run_id.is_empty()), ("program", found.program.is_empty())];
            match lacking.iter().find(|(_, is_lacking)| *is_lacking) {
                Some((field, _)) => Err(serde_json::Error::missing_field(field)),
                None => Ok(found),
            }
        });
        whole.map_err(|source| ManifestError::Damaged { path, source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
    struct Options {
        stack: u32,
    }

    fn manifest() -> Manifest<Options> {
        Manifest {
            format: 1,
            run_id: "00000000000000ff".into(),
            program: vec!["./a.out".into()],
            launcher: Some(vec!["mpirun".into()]),
            mpi: Some(MpiNote {
                family: "open-mpi".into(),
                version: "Open MPI 4.1.4".into(),
                library: "/l/libmpi.so".into(),
            }),
            options: Options { stack: 3 },
            ..Manifest::default()
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let written = manifest();
        fs::write(dir.path().join("run.json"), written.to_text()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), written);
        // Another reader leaves the options as they are.
        let other: Manifest = Manifest::read(dir.path()).unwrap();
        assert_eq!((other.options, other.mpi), (serde_json::json!({"stack": 3}), written.mpi));
    }

    #[test]
    fn a_large_error_is_told_with_what_follows() {
        let of = |error_of_time| Predicted {
            from: "a".into(),
            changes: "latency=2x".into(),
            error_of_time,
            ..Predicted::default()
        };
        let text = of(-0.01).text();
        assert!(text.starts_with("Predicted, not recorded: a with latency=2x. Gain 0.0 %"), "{text}");
        assert!(!text.contains("stretched") && text.contains("errors of 1.0 % in its time and"), "{text}");
        assert!(of(-0.5).text().contains("errors of 50.0 % in its time (all moments are stretched by 2.00"));
    }

    #[test]
    fn damage_is_told_from_absence() {
        let dir = tempfile::tempdir().unwrap();
        let read = || <Manifest>::read(dir.path()).unwrap_err();
        assert!(read().is_missing());
        for text in ["{\"format\":1", "[1]", "{}", r#"{"run_id":"7"}"#, r#"{"run_id":7,"program":["a"]}"#] {
            fs::write(dir.path().join("run.json"), text).unwrap();
            assert!(matches!(read(), ManifestError::Damaged { .. }), "{text}");
        }
    }

    #[test]
    fn files_of_other_runs_are_foreign() {
        let own = manifest();
        assert!(own.is_foreign(7));
        assert!(!own.is_foreign(255) && !own.is_foreign(0));
        assert!(!<Manifest>::default().is_foreign(7));
    }
}
