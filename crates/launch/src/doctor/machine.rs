//! This machine: cores, shared memory, limits.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::{host, spool};

/// The processors and the kernel.
#[derive(Debug, Clone, Serialize)]
pub struct Machine {
    /// As `gethostname` returns it.
    pub hostname: String,
    /// Logical processors that this process may use.
    pub usable_cpus: usize,
    /// Cores of this machine, not counting hardware threads twice.
    pub physical_cores: usize,
    /// Release of the kernel, such as `6.1.0-18-amd64`.
    pub kernel: Option<String>,
    /// The processor's name from `/proc/cpuinfo`, where the architecture has one.
    pub processor: Option<String>,
}

impl Machine {
    /// Reads `/proc` and `/sys` of this machine.
    pub fn examine() -> Self {
        let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = info.lines().find(|line| line.starts_with("model name"));
        Self {
            hostname: host::name(),
            usable_cpus: host::usable_cpus(),
            physical_cores: host::physical_cores(),
            kernel: line("/proc/sys/kernel/osrelease"),
            processor: model.and_then(|line| line.split_once(':')).map(|(_, name)| name.trim().to_owned()),
        }
    }
}

/// `/dev/shm`, the place of live buffers.
#[derive(Debug, Clone, Serialize)]
pub struct SharedMemory {
    /// `/dev/shm`.
    pub path: PathBuf,
    /// Whether it is in memory; otherwise live buffers cause disk traffic.
    pub is_tmpfs: bool,
    /// Whether this user may create files there.
    pub is_writable: bool,
    /// Size of the file system.
    pub total_bytes: u64,
    /// What this user may still fill.
    pub free_bytes: u64,
    /// Buffers of runs whose `exec` was killed; `mpiscope report RUN` moves them into the run.
    pub left_over: Vec<PathBuf>,
}

impl SharedMemory {
    /// `None` if `/dev/shm` is missing.
    pub fn examine() -> Option<Self> {
        let path = Path::new("/dev/shm");
        let room = spool::room(path).ok()?;
        // SAFETY: the name ends in zero.
        let is_writable = unsafe { libc::access(c"/dev/shm".as_ptr(), libc::W_OK) } == 0;
        Some(Self {
            path: path.into(),
            is_tmpfs: room.is_memory,
            is_writable,
            total_bytes: room.total_bytes,
            free_bytes: room.free_bytes,
            left_over: spool::left_over(path),
        })
    }
}

/// Limits of the kernel that affect a measurement. `None` means unlimited or missing.
#[derive(Debug, Clone, Serialize)]
pub struct Limits {
    /// `RLIMIT_MEMLOCK`: memory that may be pinned, for the buffers of a network.
    pub locked_memory_bytes: Option<u64>,
    /// `RLIMIT_NOFILE`.
    pub open_files: Option<u64>,
    /// `RLIMIT_FSIZE`: a rank file cannot be larger.
    pub file_size_bytes: Option<u64>,
    /// `RLIMIT_CORE`.
    pub core_file_bytes: Option<u64>,
    /// `/proc/sys/kernel/core_pattern`: where the kernel writes core files.
    pub core_pattern: Option<String>,
    /// Yama: 0 all processes of the user may be traced, 1 only descendants, 2 only by root, 3 none.
    pub ptrace_scope: Option<i64>,
    /// At 2 or less a user may count events of own processes.
    pub perf_event_paranoid: Option<i64>,
}

impl Limits {
    /// Reads the soft limits of this process.
    pub fn examine() -> Self {
        let number = |path: &str| line(path).and_then(|text| text.parse().ok());
        Self {
            locked_memory_bytes: limit(libc::RLIMIT_MEMLOCK),
            open_files: limit(libc::RLIMIT_NOFILE),
            file_size_bytes: limit(libc::RLIMIT_FSIZE),
            core_file_bytes: limit(libc::RLIMIT_CORE),
            core_pattern: line("/proc/sys/kernel/core_pattern"),
            ptrace_scope: number("/proc/sys/kernel/yama/ptrace_scope"),
            perf_event_paranoid: number("/proc/sys/kernel/perf_event_paranoid"),
        }
    }
}

fn limit(what: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is writable.
    let failed = unsafe { libc::getrlimit(what, &mut limit) } != 0;
    (!failed && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

fn line(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}
