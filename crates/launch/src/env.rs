//! The environment variables between mpiscope and the collector, and the child's environment.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use crate::instrumented::Races;
use crate::options::Settings;

/// The dynamic loader's list of libraries to load first; the collector is added in front.
pub const LD_PRELOAD: &str = "LD_PRELOAD";
/// Path of the collector library, instead of the one beside the executable.
pub const LIBRARY: &str = "MPISCOPE_LIBRARY";
/// Absolute path of the run directory. The collector is off without it.
pub const OUT: &str = "MPISCOPE_OUT";
/// Sixteen hexadecimal digits that name this run.
pub const RUN_ID: &str = "MPISCOPE_RUN_ID";
/// Directory in which the collector creates `<host>.<pid>.rank`; it writes nowhere else.
pub const SPOOL: &str = "MPISCOPE_SPOOL";
/// Bytes of the event ring of a process, a plain integer for the collector.
pub const BUFFER: &str = "MPISCOPE_BUFFER";
/// What happens when the ring is full: `wrap`, `grow` or `stop`.
pub const ON_FULL: &str = "MPISCOPE_ON_FULL";
/// Probe groups and functions to record.
pub const PROBES: &str = "MPISCOPE_PROBES";
/// World ranks to record, such as `0,7-11`.
pub const RANKS: &str = "MPISCOPE_RANKS";
/// Frames of the call stack recorded for a call; 0 records only the return address.
pub const STACK: &str = "MPISCOPE_STACK";
/// Whether the call sites of Python programs are lines of Python: `on`, `off` or `auto`.
pub const PYTHON_SITES: &str = "MPISCOPE_PYTHON_SITES";
/// `on`, or `off` for only the summary.
pub const TRACE: &str = "MPISCOPE_TRACE";
/// Places in the program's code, in the form of [`crate::options::Options::places`].
pub const PLACES: &str = "MPISCOPE_PLACES";
/// Places where recording resumes.
pub const ON: &str = "MPISCOPE_ON";
/// Places where recording pauses.
pub const OFF: &str = "MPISCOPE_OFF";
/// Seconds between rounds that compare clocks of hosts.
pub const CLOCK_ROUNDS: &str = "MPISCOPE_CLOCK_ROUNDS";
/// Signal on which `exec` pauses or resumes recording.
pub const SIGNAL: &str = "MPISCOPE_SIGNAL";
/// Classes and rules to check; `none`: calls are not checked.
pub const CHECK: &str = "MPISCOPE_CHECK";
/// Maximum number of bytes to check of a buffer in flight.
pub const CHECK_BYTES: &str = "MPISCOPE_CHECK_BYTES";
/// `on`: instructions that access a buffer in flight are caught.
pub const GUARD: &str = "MPISCOPE_GUARD";
/// `on`: data races between threads, and between threads and MPI, are detected.
pub const THREAD_RACES: &str = "MPISCOPE_THREAD_RACES";
/// `running`, or `paused` until the program calls `MPI_Pcontrol(1)`.
pub const START: &str = "MPISCOPE_START";

/// Libraries with the functions of Kokkos Tools; the older name before Kokkos 3.7.
const KOKKOS: [&str; 2] = ["KOKKOS_TOOLS_LIBS", "KOKKOS_PROFILE_LIBRARY"];
/// The library that receives NVTX ranges and marks.
const NVTX: &str = "NVTX_INJECTION64_PATH";
/// Open MPI's option to yield the core after an unsuccessful poll.
const OPEN_MPI_YIELD: &str = "OMPI_MCA_mpi_yield_when_idle";
/// `on`: waiting calls of the MPI yield their core.
pub const YIELD: &str = "MPISCOPE_YIELD";
/// Launcher of `mpiscope run`.
pub const LAUNCHER: &str = "MPISCOPE_LAUNCHER";
/// MPI library of a program that loads it only at run time.
pub const MPI: &str = "MPISCOPE_MPI";
/// Profile of the configuration file.
pub const PROFILE: &str = "MPISCOPE_PROFILE";
/// Configuration file, instead of the `mpiscope.toml` in the working directory or a parent.
pub const CONFIG: &str = "MPISCOPE_CONFIG";

/// File name of the collector library.
pub const LIBRARY_NAME: &str = "libmpiscope.so";

/// File name of the runtime of instrumented programs.
pub const RUNTIME_NAME: &str = "libmpiscope_tsan.so";

/// File name of the library for `--yield`.
pub const YIELD_NAME: &str = "libmpiscope_yield.so";

/// File name of the library that reports OpenMP's synchronization to the race detector.
pub const OPENMP_NAME: &str = "libmpiscope_openmp.so";

/// Prefix of the files with the race reports of the compiler's runtime, in the run's directory: `threads.PID`.
pub const RACES_LOG: &str = "threads";

/// Options of the compiler's runtime that detects data races.
const TSAN_OPTIONS: &str = "TSAN_OPTIONS";
/// UCX wraps `madvise` in code that takes a lock. glibc calls it after a thread has ended and the compiler's runtime has
/// removed its state: such programs end with SIGSEGV.
const UCX_UNHOOKED: [(&str, &str); 2] = [("UCX_MEM_EVENTS", "n"), ("UCX_MEM_MMAP_HOOK_MODE", "none")];

/// `LD_PRELOAD` with the collector in front and mpiscope's other libraries, without duplicates.
pub fn preload_with(library: &Path, more: &[&Path], before: Option<&OsStr>) -> OsString {
    let mut value = library.as_os_str().as_bytes().to_vec();
    let others = entries(before).filter(|entry| !is_ours(entry) && *entry != library.as_os_str().as_bytes());
    for entry in more.iter().map(|path| path.as_os_str().as_bytes()).chain(others) {
        value.push(b':');
        value.extend_from_slice(entry);
    }
    OsString::from_vec(value)
}

fn is_ours(entry: &[u8]) -> bool {
    let name = Path::new(OsStr::from_bytes(entry)).file_name();
    [LIBRARY_NAME, RUNTIME_NAME, YIELD_NAME, OPENMP_NAME].iter().any(|own| name == Some(OsStr::new(own)))
}

/// `LD_PRELOAD` without the collector, for mpiscope's own helper processes.
pub fn preload_without(before: Option<&OsStr>) -> Option<OsString> {
    let kept: Vec<&[u8]> = entries(before).filter(|entry| !is_ours(entry)).collect();
    (!kept.is_empty()).then(|| OsString::from_vec(kept.join(&b':')))
}

fn entries(value: Option<&OsStr>) -> impl Iterator<Item = &[u8]> {
    value
        .map(|text| text.as_bytes())
        .unwrap_or_default()
        .split(|byte| b" :".contains(byte))
        .filter(|entry| !entry.is_empty())
}

/// Additions to a recorded program's environment.
#[derive(Debug, Clone)]
pub struct ChildEnv<'a> {
    /// The collector.
    pub library: &'a Path,
    /// Runtime of an instrumented program, if its buffers are checked.
    pub runtime: Option<&'a Path>,
    /// The library for `--yield`.
    pub yielding: Option<&'a Path>,
    /// Set if the compiler's runtime detects data races.
    pub races: Option<&'a Races>,
    /// The run's directory.
    pub run_dir: &'a Path,
    /// As in `run.json`.
    pub run_id: &'a str,
    /// The directory of live buffers.
    pub spool: &'a Path,
    /// The options in force.
    pub settings: &'a Settings,
}

impl ChildEnv<'_> {
    /// The variables to set, each once. All others keep the launcher's values.
    pub fn variables(&self, preload_before: Option<&OsStr>) -> Vec<(&'static str, OsString)> {
        let openmp = self.races.and_then(|races| races.openmp.as_deref());
        let more: Vec<&Path> = self.runtime.into_iter().chain(self.yielding).chain(openmp).collect();
        let mut set = vec![
            (LD_PRELOAD, preload_with(self.library, &more, preload_before)),
            (OUT, self.run_dir.into()),
            (RUN_ID, self.run_id.into()),
            (SPOOL, self.spool.into()),
        ];
        // A tool that the user has set there keeps its place.
        let free = KOKKOS.into_iter().chain([NVTX]).filter(|name| std::env::var_os(name).is_none());
        set.extend(free.map(|name| (name, self.library.into())));
        if self.yielding.is_some() && std::env::var_os(OPEN_MPI_YIELD).is_none() {
            set.push((OPEN_MPI_YIELD, "1".into()));
        }
        if self.races.is_some() {
            set.push((TSAN_OPTIONS, tsan_options(self.run_dir, std::env::var_os(TSAN_OPTIONS).as_deref())));
            let free = UCX_UNHOOKED.into_iter().filter(|(name, _)| std::env::var_os(name).is_none());
            set.extend(free.map(|(name, value)| (name, value.into())));
        }
        let options = self.settings.variables();
        set.extend(options.into_iter().map(|(name, value)| (name, value.into())));
        set
    }
}

/// Options for the compiler's runtime: reports go into the run, and races do not change the exit code. Lock-order reports
/// are off, as MPIs take locks in different orders. The user's own options come later and take precedence.
fn tsan_options(run_dir: &Path, before: Option<&OsStr>) -> OsString {
    let mut value = OsString::from("exitcode=0:detect_deadlocks=0:log_path='");
    value.push(run_dir.join(RACES_LOG));
    value.push("'");
    if let Some(before) = before.filter(|before| !before.is_empty()) {
        value.push(":");
        value.push(before);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_collector_comes_first_and_once() {
        let library = Path::new("/opt/m/libmpiscope.so");
        let with = |before: &str| preload_with(library, &[], Some(OsStr::new(before)));
        assert_eq!(preload_with(library, &[], None), "/opt/m/libmpiscope.so");
        assert_eq!(with("/a.so /b.so"), "/opt/m/libmpiscope.so:/a.so:/b.so");
        assert_eq!(with("/old/libmpiscope.so:/a.so"), "/opt/m/libmpiscope.so:/a.so");
        assert_eq!(with("/opt/m/libmpiscope.so"), "/opt/m/libmpiscope.so");
        let runtime = Path::new("/c/libmpiscope_tsan.so");
        let before = OsStr::new("/a.so:/opt/m/libmpiscope_tsan.so /b.so");
        let both = preload_with(library, &[runtime], Some(before));
        assert_eq!(both, "/opt/m/libmpiscope.so:/c/libmpiscope_tsan.so:/a.so:/b.so");
        let give_way = Path::new("/opt/m/libmpiscope_yield.so");
        let before = OsStr::new("/old/libmpiscope_yield.so /x.so");
        let three = preload_with(library, &[runtime, give_way], Some(before));
        assert_eq!(three, format!("{}:{}:{}:/x.so", library.display(), runtime.display(), give_way.display()).as_str());
    }

    #[test]
    fn mpiscope_s_own_children_run_without_the_collector() {
        let without = |before: &str| preload_without(Some(OsStr::new(before)));
        assert_eq!(without("/old/libmpiscope.so:/a.so"), Some("/a.so".into()));
        assert_eq!(without("/old/libmpiscope.so:/old/libmpiscope_tsan.so"), None);
        assert_eq!(preload_without(None), None);
    }

    #[test]
    fn the_user_s_options_of_the_compiler_s_runtime_count() {
        let options = |before: Option<&str>| tsan_options(Path::new("/r"), before.map(OsStr::new));
        assert_eq!(options(None), "exitcode=0:detect_deadlocks=0:log_path='/r/threads'");
        assert_eq!(
            options(Some("history_size=7")),
            "exitcode=0:detect_deadlocks=0:log_path='/r/threads':history_size=7"
        );
    }

    #[test]
    fn every_option_reaches_the_collector() {
        let settings = Settings::default();
        let env = ChildEnv {
            library: Path::new("/l/libmpiscope.so"),
            runtime: None,
            yielding: None,
            races: None,
            run_dir: Path::new("/r"),
            run_id: "00000000000000ff",
            spool: Path::new("/s"),
            settings: &settings,
        };
        let set = env.variables(None);
        for name in [LD_PRELOAD, OUT, RUN_ID, SPOOL, BUFFER, ON_FULL, PROBES, STACK, PYTHON_SITES, TRACE, START] {
            assert_eq!(set.iter().filter(|(set, _)| *set == name).count(), 1, "{name}");
        }
    }
}
