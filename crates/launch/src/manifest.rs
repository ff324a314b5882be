//! The manifest of a new run.

pub use mpiscope_records::MpiNote;
pub use mpiscope_records::manifest::FILE;
use mpiscope_records::{ConfigNote, manifest};

use crate::mpi::MpiFound;
use crate::options::Options;
use crate::{clock, host};

/// `run.json` with the options of this version.
pub type Manifest = mpiscope_records::Manifest<Options>;

/// The manifest of a run that starts now on this host.
pub fn of_new_run(program: Vec<String>, options: Options, job_key: String) -> Manifest {
    Manifest {
        format: manifest::FORMAT,
        run_id: host::random_id(),
        program,
        cwd: std::env::current_dir().unwrap_or_default(),
        host: host::name(),
        start_unix_ns: clock::realtime_ns(),
        mpiscope_version: env!("CARGO_PKG_VERSION").to_owned(),
        launcher: None,
        mpi: None,
        options,
        config: ConfigNote::default(),
        job_key,
        predicted: None,
    }
}

/// The MPI that was found, as it is in the manifest.
pub fn mpi_note(found: &MpiFound) -> MpiNote {
    let library = &found.library;
    MpiNote { family: library.family.name().to_owned(), version: library.title(), library: library.path.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_as_written() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = of_new_run(vec!["a.out".into()], Options::default(), "k".into());
        std::fs::write(dir.path().join(FILE), manifest.to_text()).unwrap();
        assert_eq!(Manifest::read(dir.path()).unwrap(), manifest);
    }
}
