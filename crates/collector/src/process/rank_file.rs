//! The process's rank file: where it is created, and the facts that it begins with.

use std::path::PathBuf;

use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::place;

use super::complain;
use crate::config::{Config, OnFull};
use crate::file::File;
use crate::mpi::Mpi;
use crate::{clock, facts, places};

pub fn create_file(config: &Config, host: &str, pid: u32) -> Option<File> {
    // A process image that execs another MPI program keeps its pid.
    let names = (1..100).map(|n| if n == 1 { format!("{host}.{pid}.rank") } else { format!("{host}.{pid}.{n}.rank") });
    let in_run = config.out.join("ranks");
    for name in names {
        let path: PathBuf = config.spool.join(&name);
        match File::create(&path) {
            Some(file) => return Some(file),
            None if path.exists() => {}
            // A process that another one has started comes when nobody holds the spool any more.
            None if !config.spool.exists() => match File::create(&in_run.join(&name)) {
                Some(file) => return Some(file),
                None if in_run.join(&name).exists() => {}
                None => return None,
            },
            None => return None,
        }
    }
    None
}

/// What a reader needs to know before anything else; the kind of clock.
pub fn fill_header(file: &File, config: &Config, mpi: &Mpi, pid: u32) -> u32 {
    let (clock_kind, shift) = clock::choose();
    // SAFETY: mapped; nobody else knows it yet.
    unsafe {
        let h = file.header;
        (*h).run_id = config.run_id;
        (*h).pid = pid;
        (*h).clock = clock_kind;
        (*h).tick_shift = shift;
        (*h).anchors[0] = clock::anchor();
        (*h).family = mpi.constants.family as u32;
        (*h).buffer_bytes = config.buffer;
        (*h).on_full = match config.on_full {
            OnFull::Wrap => 0,
            OnFull::Grow => 1,
            OnFull::Stop => 2,
        };
        (*h).trace = config.trace.into();
        (*h).stack_depth = config.stack;
    }
    clock_kind
}

/// Facts about the process that a reader could not find out later.
pub fn describe(file: &File, mpi: &Mpi, host: &str) {
    let info = |key: &str, value: String| file.define(&Definition::Info { key: key.into(), value });
    info("host", host.into());
    info("mpiscope", env!("CARGO_PKG_VERSION").into());
    let read = |path: &str| std::fs::read(path).unwrap_or_default();
    let command =
        read("/proc/self/cmdline").split(|&b| b == 0).map(String::from_utf8_lossy).collect::<Vec<_>>().join(" ");
    info("command", command.trim_end().into());
    info("program", std::fs::read_link("/proc/self/exe").map(|p| p.display().to_string()).unwrap_or_default());
    info("mpi_path", mpi.library.path.clone());
    facts::of_world(&info);
    // Before MPI_Init: MPIs set some of them themselves.
    facts::settings(&info);
    for other in &mpi.others {
        info("mpi_other", other.clone());
        complain(&format!("two MPI libraries are loaded: recording {}, not {other}", mpi.library.path));
    }
    let status = String::from_utf8_lossy(&read("/proc/self/status")).into_owned();
    let unpatched = places::unpatched();
    if !unpatched.is_empty() {
        complain(&format!("--on, --off have no effect at some places: {}", unpatched.join("; ")));
        info("places_amiss", unpatched.join("; "));
    }
    for (number, text) in places::there() {
        info(&format!("{}{number}", place::FACT), text);
    }
    if let Some(cpus) = status.lines().find_map(|l| l.strip_prefix("Cpus_allowed_list:")) {
        info("cpus", cpus.trim().into());
    }
    if let Some(bytes) = facts::resident_bytes() {
        info("rss.before_init_bytes", bytes.to_string());
    }
}

/// Name of this machine, as rank files have it.
pub fn host_name() -> String {
    let mut name = [0u8; 256];
    // SAFETY: the buffer is one longer than what may be written.
    unsafe { libc::gethostname(name.as_mut_ptr().cast(), 255) };
    let end = name.iter().position(|&b| b == 0).unwrap_or(255);
    // A dot would make the parts of the file's name ambiguous for readers of host names.
    String::from_utf8_lossy(&name[..end]).replace('/', "_")
}
