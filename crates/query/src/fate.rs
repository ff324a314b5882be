//! How each process ended, and what it was doing then.

use mpiscope_trace::layout::{Header, InFlight, state};
use mpiscope_trace::shape::NONE;
use serde::Serialize;

use crate::records::ExitRecord;

/// How a process ended, as far as its files tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Fate {
    /// `MPI_Finalize` returned, and nothing bad is known of the exit.
    Finalized,
    /// `MPI_Finalize` returned, the exit status is not 0.
    FinalizedThenFailed {
        /// Exit status.
        exit_code: i32,
    },
    /// The process called `MPI_Abort`.
    Aborted {
        /// Its error code.
        code: i32,
    },
    /// A signal ended it.
    Killed {
        /// Number.
        signal: i32,
        /// `SIGSEGV`…
        signal_name: String,
        /// Whether `MPI_Finalize` had returned.
        finalized: bool,
    },
    /// It exited without `MPI_Finalize`.
    Exited {
        /// Exit status.
        exit_code: i32,
        /// Whether MPI was initialised.
        initialised: bool,
    },
    /// It still runs.
    Running {
        /// Whether MPI was initialised.
        initialised: bool,
    },
    /// No end is known: it runs elsewhere, hangs, or vanished with its node.
    Unfinished {
        /// Whether MPI was initialised.
        initialised: bool,
    },
}

/// A call that was entered and has not returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InFlightCall {
    /// C name of the function.
    pub call: String,
    /// Kernel thread id.
    pub tid: u32,
    /// Label of the communicator.
    pub comm: Option<String>,
    /// Rank argument as passed.
    pub peer: Option<i32>,
    /// What `peer` means when it is no rank: `MPI_ANY_SOURCE`, `MPI_PROC_NULL`, `MPI_ROOT`.
    pub peer_name: Option<&'static str>,
    /// Tag argument as passed.
    pub tag: Option<i32>,
    /// Requests waited for.
    pub requests: u32,
    /// Entry, ns after recording began in this process.
    pub entered_after_ns: u64,
    /// From entry to the end of the process (now, if it runs), ns, when that is known.
    pub elapsed_ns: Option<u64>,
    /// Where it was called: `function file:line`.
    pub site: Option<String>,
}

impl Fate {
    /// From the process's own header and, if there is one, the record of its exit.
    pub fn new(header: &Header, exit: Option<&ExitRecord>, alive: bool) -> Fate {
        let finalized = header.state == state::FINALIZED;
        let initialised = header.state >= state::INITIALISED;
        if header.state == state::ABORTED {
            return Fate::Aborted { code: header.abort_code };
        }
        match exit {
            Some(ExitRecord { signal: Some(signal), .. }) => {
                Fate::Killed { signal: *signal, signal_name: signal_name(*signal), finalized }
            }
            Some(ExitRecord { exit_code: Some(exit_code), .. }) if !finalized => {
                Fate::Exited { exit_code: *exit_code, initialised }
            }
            Some(ExitRecord { exit_code: Some(exit_code), .. }) if *exit_code != 0 => {
                Fate::FinalizedThenFailed { exit_code: *exit_code }
            }
            _ if finalized => Fate::Finalized,
            None if alive => Fate::Running { initialised },
            _ => Fate::Unfinished { initialised },
        }
    }

    /// The end every process should have.
    pub fn is_normal(&self) -> bool {
        *self == Fate::Finalized
    }

    /// A few words, for tables.
    pub fn text(&self) -> String {
        match self {
            Fate::Finalized => "finalized".into(),
            Fate::FinalizedThenFailed { exit_code } => format!("finalized, then exited with code {exit_code}"),
            Fate::Aborted { code } => format!("called MPI_Abort with code {code}"),
            Fate::Killed { signal_name, finalized: false, .. } => format!("killed by {signal_name}"),
            Fate::Killed { signal_name, finalized: true, .. } => format!("finalized, then killed by {signal_name}"),
            Fate::Exited { exit_code, initialised: true } => {
                format!("exited with code {exit_code} without MPI_Finalize")
            }
            Fate::Exited { exit_code, initialised: false } => {
                format!("exited with code {exit_code} before MPI was initialised")
            }
            Fate::Running { initialised: true } => "still running".into(),
            Fate::Running { initialised: false } => "still running, MPI_Init has not returned".into(),
            Fate::Unfinished { initialised: true } => "no end recorded: running, hung or lost".into(),
            Fate::Unfinished { initialised: false } => "no end recorded, MPI_Init had not returned".into(),
        }
    }
}

/// What a negative rank argument means in the MPI of `family`.
pub(crate) fn special_peer(family: u32, peer: i32) -> Option<&'static str> {
    use mpiscope_abi::constants::{MPICH, OPEN_MPI, STANDARD};
    let constants = match family {
        1 => &MPICH,
        2 => &OPEN_MPI,
        3 => &STANDARD,
        _ => return None,
    };
    match peer {
        p if p == constants.any_source => Some("MPI_ANY_SOURCE"),
        p if p == constants.proc_null => Some("MPI_PROC_NULL"),
        p if p == constants.root => Some("MPI_ROOT"),
        _ => None,
    }
}

/// An argument that may not be there.
pub(crate) fn argument(value: i32) -> Option<i32> {
    (value != NONE).then_some(value)
}

/// Whether the call is a real one (a torn slot of a damaged file is not).
pub(crate) fn is_sound(call: &InFlight) -> bool {
    mpiscope_abi::function(call.function).is_some()
}

/// Linux's name for a signal.
pub fn signal_name(signal: i32) -> String {
    const NAMES: [&str; 32] = [
        "", "SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE", "SIGKILL", "SIGUSR1",
        "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT", "SIGCHLD", "SIGCONT", "SIGSTOP",
        "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU", "SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH",
        "SIGIO", "SIGPWR", "SIGSYS",
    ];
    let known = usize::try_from(signal).ok().filter(|&s| s > 0).and_then(|s| NAMES.get(s));
    known.map_or_else(|| format!("signal {signal}"), |name| (*name).to_owned())
}
