//! Whether the partitioned messages of an MPI can be measured: the one place where this is decided.

use mpiscope_mpi::{Mpi, MpiError};

/// Open MPI 5.0.11 completed the receive of a partitioned message before its data were there, in two jobs on a busy machine.
const BROKEN: &str = "Open MPI v5.";

/// Why this MPI has none that work; `None` if it has. The same on every rank.
pub fn lack(mpi: &Mpi) -> Result<Option<String>, MpiError> {
    match mpi.partitioned(0) {
        Ok(_) => Ok(broken(&mpi.version()?)),
        Err(MpiError::Lacks { name }) => Ok(Some(format!("this MPI has no {name}"))),
        Err(error) => Err(error),
    }
}

fn broken(version: &str) -> Option<String> {
    version.starts_with(BROKEN).then(|| "Open MPI 5 may complete them before their data are there".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_that_are_broken_are_known() {
        for (version, is_broken) in [
            ("Open MPI v5.0.11, package: Open MPI, ident: 5.0.11", true),
            ("Open MPI v4.1.4, package: Debian OpenMPI", false),
            ("MPICH Version:      5.0.0", false),
        ] {
            assert_eq!(broken(version).is_some(), is_broken, "{version}");
        }
    }
}
