//! The MPI of a launcher, for programs that load an MPI at run time.

use std::path::{Path, PathBuf};

use super::{Family, Library, Vendor};
use crate::doctor::installed_libraries;
use crate::job::Env;
use crate::launcher::{self, Launcher};
use crate::{Diagnosis, host};

/// Processes between a rank and its launcher's daemon: shells, wrappers.
const MOST_PARENTS: usize = 6;

/// The library of a launcher: its implementation, if possible installed with it and of its version. Without a launcher, that of
/// the first one in `PATH`.
///
/// # Errors
///
/// [`Diagnosis::NoMpiInstalled`] if no library of that implementation is found.
pub fn of_launcher(given: Option<&Launcher>) -> Result<Library, Diagnosis> {
    let launchers = launcher::installed();
    let first = launchers.first().map(|found| Launcher {
        words: vec![found.path.to_string_lossy().into_owned()],
        vendor: Some(found.vendor),
        version: found.version.clone(),
    });
    let wanted = given.or(first.as_ref());
    let vendor = wanted.and_then(|launcher| launcher.vendor);
    let executable = wanted.and_then(|launcher| launcher.words.first()).map(PathBuf::from);
    let choice = Choice {
        vendors: vendor.into_iter().collect(),
        version: wanted.and_then(|launcher| launcher.version.clone()),
        prefixes: executable.iter().filter_map(|path| prefix(path)).collect(),
    };
    choice.best(installed_libraries(&launchers)).ok_or(Diagnosis::NoMpiInstalled { vendor })
}

/// The library of the launcher that started this process. Nothing is executed: every rank does this.
///
/// # Errors
///
/// If no library is found, or several implementations could be the launcher's.
pub fn of_this_job(env: Env) -> Result<Library, Diagnosis> {
    let choice = Choice { vendors: vendors(env), version: None, prefixes: parents() };
    let libraries = installed_libraries(&[]);
    let matching = choice.matching(libraries.clone());
    // Without a hint, only a single implementation is certain.
    if choice.vendors.is_empty() && choice.beside(&matching).is_none() {
        let mut vendors: Vec<Option<Vendor>> = matching.iter().map(|library| library.vendor).collect();
        vendors.dedup();
        if vendors.len() > 1 {
            return Err(Diagnosis::SeveralMpis { paths: matching.into_iter().map(|library| library.path).collect() });
        }
    }
    choice.best(libraries).ok_or(Diagnosis::NoMpiInstalled { vendor: choice.vendors.first().copied() })
}

/// Implementations whose launcher sets these variables. Others (srun, PMIx) start the ranks of any.
fn vendors(env: Env) -> Vec<Vendor> {
    let set = |name: &str| env(name).is_some();
    if set("OMPI_COMM_WORLD_RANK") {
        vec![Vendor::OpenMpi]
    } else if set("I_MPI_HYDRA_PMI_CONNECT") || set("I_MPI_HYDRA_TOPOLIB") {
        vec![Vendor::Intel]
    } else if set("MPI_LOCALRANKID") {
        vec![Vendor::Mpich, Vendor::Intel]
    } else {
        Vec::new()
    }
}

/// Prefixes of the executables of this process's parents, among which is the launcher's daemon.
fn parents() -> Vec<PathBuf> {
    let mut pid = std::process::id();
    let mut found = Vec::new();
    for _ in 0..MOST_PARENTS {
        let Some(stat) = host::stat(pid).filter(|stat| stat.parent > 1) else { break };
        pid = stat.parent;
        found.extend(std::fs::read_link(format!("/proc/{pid}/exe")).ok().as_deref().and_then(prefix));
    }
    found
}

/// The directory above `bin`, unless it is one of the system, below which everything is.
fn prefix(executable: &Path) -> Option<PathBuf> {
    let real = std::fs::canonicalize(executable).unwrap_or_else(|_| executable.into());
    let prefix = [real.as_path(), executable].into_iter().find_map(|path| path.parent()?.parent())?;
    (prefix.parent().is_some() && prefix != Path::new("/usr")).then(|| prefix.to_owned())
}

/// What is known about the library.
struct Choice {
    /// Empty if unknown.
    vendors: Vec<Vendor>,
    version: Option<String>,
    prefixes: Vec<PathBuf>,
}

impl Choice {
    fn matching(&self, libraries: Vec<Library>) -> Vec<Library> {
        let fits = |library: &Library| {
            self.vendors.is_empty() || library.vendor.is_some_and(|vendor| self.vendors.contains(&vendor))
        };
        libraries.into_iter().filter(fits).collect()
    }

    fn is_beside(&self, library: &Library) -> bool {
        self.prefixes.iter().any(|prefix| library.path.starts_with(prefix))
    }

    fn beside<'a>(&self, libraries: &'a [Library]) -> Option<&'a Library> {
        libraries.iter().find(|library| self.is_beside(library))
    }

    /// Of several, one with the MPI's own ABI: the standard ABI may be a layer over it. The first one if nothing else decides,
    /// as the loader does.
    fn best(&self, libraries: Vec<Library>) -> Option<Library> {
        let score = |library: &Library| {
            let same_version = self.version.is_some() && self.version == library.version;
            (self.is_beside(library), same_version, library.family != Family::StandardAbi)
        };
        self.matching(libraries).into_iter().rev().max_by_key(score)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(path: &str, family: Family, vendor: Vendor, version: &str) -> Library {
        Library { path: path.into(), soname: None, family, vendor: Some(vendor), version: Some(version.into()) }
    }

    fn libraries() -> Vec<Library> {
        vec![
            library("/usr/lib/openmpi/libmpi.so.40", Family::OpenMpi, Vendor::OpenMpi, "4.1.4"),
            library("/usr/lib/libmpich.so.12", Family::Mpich, Vendor::Mpich, "4.0.2"),
            library("/opt/v/lib/libmpi_abi.so.1", Family::StandardAbi, Vendor::Mpich, "5.0.0"),
            library("/opt/v/lib/libmpi.so.12", Family::Mpich, Vendor::Mpich, "5.0.0"),
        ]
    }

    #[test]
    fn the_library_of_a_launcher() {
        let best = |vendors: &[Vendor], version: Option<&str>, prefixes: &[&str]| {
            let choice = Choice {
                vendors: vendors.into(),
                version: version.map(Into::into),
                prefixes: prefixes.iter().map(PathBuf::from).collect(),
            };
            choice.best(libraries()).map(|found| found.path.display().to_string())
        };
        assert_eq!(best(&[Vendor::OpenMpi], None, &[]).unwrap(), "/usr/lib/openmpi/libmpi.so.40");
        assert_eq!(best(&[Vendor::Mpich], None, &[]).unwrap(), "/usr/lib/libmpich.so.12");
        assert_eq!(best(&[Vendor::Mpich], Some("5.0.0"), &[]).unwrap(), "/opt/v/lib/libmpi.so.12");
        assert_eq!(best(&[Vendor::Mpich, Vendor::Intel], None, &["/opt/v"]).unwrap(), "/opt/v/lib/libmpi.so.12");
        assert_eq!(best(&[Vendor::Intel], None, &[]), None);
        assert_eq!(best(&[], None, &["/opt/v"]).unwrap(), "/opt/v/lib/libmpi.so.12");
    }

    #[test]
    fn launchers_show_themselves_by_their_variables() {
        let of =
            |names: &'static [&'static str]| vendors(&move |name: &str| names.contains(&name).then(|| "0".to_owned()));
        assert_eq!(of(&["OMPI_COMM_WORLD_RANK", "PMIX_RANK"]), [Vendor::OpenMpi]);
        assert_eq!(of(&["PMI_RANK", "MPI_LOCALRANKID"]), [Vendor::Mpich, Vendor::Intel]);
        assert_eq!(of(&["PMI_RANK", "MPI_LOCALRANKID", "I_MPI_HYDRA_TOPOLIB"]), [Vendor::Intel]);
        assert!(of(&["SLURM_PROCID"]).is_empty());
    }

    #[test]
    fn the_system_s_prefix_says_nothing() {
        assert_eq!(prefix(Path::new("/nonexistent/v/bin/mpirun")), Some("/nonexistent/v".into()));
        assert_eq!(prefix(Path::new("/usr/bin/env")), None);
    }
}
