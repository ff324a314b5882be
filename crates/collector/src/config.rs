//! Every environment variable that the library reads. `mpiscope run` and `exec` check and set them; the library uses defaults for
//! invalid values and never fails.

use std::path::PathBuf;

use mpiscope_abi::{GROUPS, ID_LIMIT};

/// What to do when the ring is full.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum OnFull {
    /// Overwrite the oldest chunk.
    Wrap,
    /// Add chunks to the file.
    Grow,
    /// Stop recording events; the summary goes on.
    Stop,
}

/// Settings of a process.
pub struct Config {
    /// `MPISCOPE_OUT`: the run.
    pub out: PathBuf,
    /// `MPISCOPE_SPOOL` (else `MPISCOPE_OUT`/ranks): where the rank file is made.
    pub spool: PathBuf,
    /// `MPISCOPE_RUN_ID`.
    pub run_id: u64,
    /// `MPISCOPE_BUFFER`, bytes.
    pub buffer: u64,
    /// `MPISCOPE_ON_FULL`.
    pub on_full: OnFull,
    /// `MPISCOPE_TRACE` is not `off`.
    pub trace: bool,
    /// Ask the MPI's tool interface for control variables also where that takes long.
    pub mpi_t: bool,
    /// `MPISCOPE_STACK`: return addresses kept of the stack; 0 and 1: the caller only.
    pub stack: u32,
    /// `MPISCOPE_PYTHON_SITES` is not `off`.
    pub python_sites: bool,
    /// It is `on`: say why when it cannot be done.
    pub python_wanted: bool,
    /// `MPISCOPE_RANKS`, as ranges; empty for all.
    pub ranks: Vec<(i32, i32)>,
    /// By function id: recorded?
    pub probes: Box<[bool]>,
    /// Record regions, markers and values of the program.
    pub user: bool,
    /// `MPISCOPE_CHECK`: calls are checked.
    pub check: bool,
    /// Buffers in flight are among what is checked.
    pub check_buffers: bool,
    /// Most bytes of an operation's buffer that are looked at; 0: none of any.
    pub check_bytes: u64,
    /// `MPISCOPE_GUARD`, if contents of buffers are looked at.
    pub guard: Guard,
    /// `MPISCOPE_THREAD_RACES`, if contents of buffers are looked at.
    pub thread_races: bool,
}

/// Whose buffers are guarded against instructions that touch them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// Nobody's.
    Off,
    /// Those of the first operations of each call site, by watchpoints alone: the program cannot notice.
    First,
    /// All, by pages as well.
    All,
}

/// Frames kept of the stack of a checked call, unless asked otherwise: a finding shows them.
const CHECKED_STACK: u32 = 8;

fn text(name: &str) -> Option<String> {
    std::env::var_os(name).and_then(|v| v.into_string().ok()).filter(|v| !v.is_empty())
}

impl Config {
    /// `None` when the library was not asked to record (no `MPISCOPE_OUT`).
    pub fn from_environment() -> Option<Config> {
        let out = PathBuf::from(std::env::var_os("MPISCOPE_OUT").filter(|v| !v.is_empty())?);
        let check = text("MPISCOPE_CHECK").is_some_and(|v| v != "none");
        let check_buffers = text("MPISCOPE_CHECK").is_some_and(|list| names_buffers(&list));
        let check_bytes = if check_buffers { check_bytes(text("MPISCOPE_CHECK_BYTES").as_deref()) } else { 0 };
        Some(Config {
            spool: std::env::var_os("MPISCOPE_SPOOL")
                .filter(|v| !v.is_empty())
                .map_or_else(|| out.join("ranks"), PathBuf::from),
            out,
            run_id: text("MPISCOPE_RUN_ID").and_then(|v| u64::from_str_radix(&v, 16).ok()).unwrap_or(0),
            buffer: text("MPISCOPE_BUFFER").and_then(|v| v.parse().ok()).unwrap_or(16 << 20).max(1 << 20),
            on_full: match text("MPISCOPE_ON_FULL").as_deref() {
                Some("grow") => OnFull::Grow,
                Some("stop") => OnFull::Stop,
                _ => OnFull::Wrap,
            },
            mpi_t: text("MPISCOPE_MPI_T").as_deref() == Some("on"),
            trace: text("MPISCOPE_TRACE").as_deref() != Some("off"),
            stack: match text("MPISCOPE_STACK").and_then(|v| v.parse().ok()).unwrap_or(0).min(64) {
                0 if check => CHECKED_STACK,
                depth => depth,
            },
            check,
            check_buffers,
            check_bytes,
            guard: match text("MPISCOPE_GUARD").as_deref() {
                _ if check_bytes == 0 => Guard::Off,
                Some("on") => Guard::All,
                Some("off") => Guard::Off,
                _ => Guard::First,
            },
            thread_races: check_bytes > 0 && text("MPISCOPE_THREAD_RACES").as_deref() == Some("on"),
            python_sites: text("MPISCOPE_PYTHON_SITES").as_deref() != Some("off"),
            python_wanted: text("MPISCOPE_PYTHON_SITES").as_deref() == Some("on"),
            ranks: text("MPISCOPE_RANKS").map(|v| ranges(&v)).unwrap_or_default(),
            probes: probes(text("MPISCOPE_PROBES").as_deref().unwrap_or("all")),
            user: user(text("MPISCOPE_PROBES").as_deref().unwrap_or("all")),
        })
    }

    /// Whether `MPISCOPE_START` is `paused`. Read when the library is loaded, unlike the rest.
    pub fn starts_paused() -> bool {
        text("MPISCOPE_START").as_deref() == Some("paused")
    }

    /// Whether `rank` is to be recorded.
    pub fn wants_rank(&self, rank: i32) -> bool {
        self.ranks.is_empty() || self.ranks.iter().any(|&(a, b)| (a..=b).contains(&rank))
    }
}

/// Unless asked otherwise.
const CHECK_BYTES: u64 = 64 << 20;

/// Whether buffers are among what is checked.
fn names_buffers(check: &str) -> bool {
    check.split(',').map(str::trim).any(|n| n.starts_with("buffer.") || matches!(n, "all" | "buffers"))
}

/// How much of buffers is looked at.
fn check_bytes(bytes: Option<&str>) -> u64 {
    bytes.and_then(|v| v.parse().ok()).unwrap_or(CHECK_BYTES)
}

/// `0,7-11` as ranges.
fn ranges(text: &str) -> Vec<(i32, i32)> {
    text.split(',')
        .filter_map(|part| {
            let (a, b) = part.trim().split_once('-').unwrap_or((part.trim(), part.trim()));
            Some((a.trim().parse().ok()?, b.trim().parse().ok()?))
        })
        .collect()
}

/// `mpi_pt2pt,-MPI_Iprobe` and the like: the first item without a sign replaces the default.
fn probes(text: &str) -> Box<[bool]> {
    let items: Vec<&str> = text.split(',').map(str::trim).filter(|i| !i.is_empty()).collect();
    let replaces = items.first().is_some_and(|i| !i.starts_with(['+', '-']));
    let mut enabled = vec![!replaces; ID_LIMIT as usize].into_boxed_slice();
    for item in items {
        let on = !item.starts_with('-');
        let name = item.trim_start_matches(['+', '-']);
        let group = GROUPS.iter().position(|g| *g == name);
        for id in mpiscope_abi::ids() {
            let function = mpiscope_abi::function_unchecked(id);
            let member = match name {
                "all" => true,
                "none" => {
                    enabled[id as usize] = false;
                    false
                }
                _ => group.is_some_and(|g| function.groups >> g & 1 != 0) || mpiscope_abi::name(id) == name,
            };
            if member {
                enabled[id as usize] = on;
            }
        }
    }
    enabled
}

/// Whether the list has the program's own annotations: unless it takes them out.
fn user(text: &str) -> bool {
    let last = text.split(',').map(str::trim).rfind(|item| item.trim_start_matches(['+', '-']) == "user");
    last.is_none_or(|item| !item.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_abi::id;

    #[test]
    fn probe_groups() {
        let on = |text: &str, id: u32| probes(text)[id as usize];
        assert!(on("all", id::Send) && on("all", id::Init));
        assert!(on("mpi_pt2pt", id::Send) && !on("mpi_pt2pt", id::Bcast));
        assert!(on("-mpi_coll", id::Send) && !on("-mpi_coll", id::Bcast));
        assert!(on("mpi_coll,+MPI_Send", id::Send) && !on("mpi_coll,+MPI_Send", id::Recv));
        assert!(!on("none", id::Send) && on("none,+mpi_rma", id::Put));
        // The program's annotations are apart from all of it.
        assert!(on("-user", id::Send) && !on("mpi_coll,-user", id::Send));
        assert!(user("all") && user("mpi_coll") && !user("-user") && !user("mpi_coll, -user") && user("-user,+user"));
    }

    #[test]
    fn bytes_of_buffers() {
        assert_eq!((check_bytes(None), check_bytes(Some("1000")), check_bytes(Some("0"))), (CHECK_BYTES, 1000, 0));
        assert!(["all", "arguments, buffers", "buffer.in-use"].into_iter().all(names_buffers));
        assert!(!names_buffers("arguments,buffering"));
    }

    #[test]
    fn rank_lists() {
        assert_eq!(ranges("0,7-11"), [(0, 0), (7, 11)]);
        assert!(ranges("x").is_empty());
    }
}
