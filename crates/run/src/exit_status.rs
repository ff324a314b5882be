//! How each process ended, and what it was doing then.

use mpiscope_abi::constants::{MPICH, OPEN_MPI, STANDARD};
use mpiscope_abi::spec::kind;
use mpiscope_records::ExitRecord;
use mpiscope_trace::layout::{Header, InFlight, state};
use serde::Serialize;

/// How a process ended, according to its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Fate {
    /// `MPI_Finalize` returned, and no failure of the exit is known.
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
    /// It is still running.
    Running {
        /// Whether MPI was initialised.
        initialised: bool,
    },
    /// The end is unknown: it runs elsewhere, hangs, or was lost with its node.
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
    /// The meaning of `peer` if it is not a rank: `MPI_ANY_SOURCE`, `MPI_PROC_NULL`, `MPI_ROOT`.
    pub peer_name: Option<&'static str>,
    /// Tag argument as passed.
    pub tag: Option<i32>,
    /// `MPI_ANY_TAG`, if `tag` has that value.
    pub tag_name: Option<&'static str>,
    /// Requests waited for.
    pub requests: u32,
    /// Entry, ns after recording began in this process.
    pub entered_after_ns: u64,
    /// From entry to the end of the process (or now, if it runs), ns, if known.
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

    /// Whether the process ended normally.
    pub fn is_normal(&self) -> bool {
        *self == Fate::Finalized
    }

    /// Whether it came to the end of `MPI_Finalize`: its times are those of the whole program, whatever became of it then.
    pub fn is_whole(&self) -> bool {
        matches!(self, Fate::Finalized | Fate::FinalizedThenFailed { .. } | Fate::Killed { finalized: true, .. })
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
                format!("exited with code {exit_code} before MPI was initialized")
            }
            Fate::Running { initialised: true } => "still running".into(),
            Fate::Running { initialised: false } => "still running, MPI_Init has not returned".into(),
            Fate::Unfinished { initialised: true } => "end not recorded: killed, or running elsewhere".into(),
            Fate::Unfinished { initialised: false } => "end not recorded, MPI_Init had not returned".into(),
        }
    }
}

/// The arguments of a call that has not returned.
#[derive(Default)]
pub(crate) struct Arguments {
    pub comm_handle: u64,
    pub peer: Option<i32>,
    pub peer_name: Option<&'static str>,
    pub tag: Option<i32>,
    pub tag_name: Option<&'static str>,
    /// 0 for a function without requests, whatever an earlier call has left in the slot.
    pub requests: u32,
}

impl Arguments {
    /// Decodes the call's words by the table of the interface.
    pub fn from_call(call: &InFlight, family: u32) -> Arguments {
        let mut found = Arguments::default();
        let Some(function) = mpiscope_abi::function(call.function) else { return found };
        let constants = [MPICH, OPEN_MPI, STANDARD].into_iter().find(|c| c.family as u32 == family);
        for step in mpiscope_abi::steps(function) {
            let Some(&word) = call.words.get(usize::from(step.c)) else { continue };
            match step.kind {
                kind::COMM if constants.is_some_and(|c| c.int_handles) => found.comm_handle = u64::from(word as u32),
                kind::COMM => found.comm_handle = word,
                kind::PEER | kind::ROOT => found.peer = Some(word as u32 as i32),
                kind::TAG => found.tag = Some(word as u32 as i32),
                kind::REQUEST | kind::REQUESTS => found.requests = call.requests,
                _ => {}
            }
        }
        if let Some(c) = constants {
            let names = [(c.any_source, "MPI_ANY_SOURCE"), (c.proc_null, "MPI_PROC_NULL"), (c.root, "MPI_ROOT")];
            found.peer_name = names.into_iter().find(|&(value, _)| found.peer == Some(value)).map(|(_, name)| name);
            found.tag_name = (found.tag == Some(c.any_tag)).then_some("MPI_ANY_TAG");
        }
        found
    }
}

/// Whether the call is valid (a torn slot of a damaged file is not).
pub(crate) fn is_sound(call: &InFlight) -> bool {
    mpiscope_abi::function(call.function).is_some()
}

/// Linux's name for a signal.
pub fn signal_name(signal: i32) -> String {
    const NAMES: [&str; 32] = [
        "",
        "SIGHUP",
        "SIGINT",
        "SIGQUIT",
        "SIGILL",
        "SIGTRAP",
        "SIGABRT",
        "SIGBUS",
        "SIGFPE",
        "SIGKILL",
        "SIGUSR1",
        "SIGSEGV",
        "SIGUSR2",
        "SIGPIPE",
        "SIGALRM",
        "SIGTERM",
        "SIGSTKFLT",
        "SIGCHLD",
        "SIGCONT",
        "SIGSTOP",
        "SIGTSTP",
        "SIGTTIN",
        "SIGTTOU",
        "SIGURG",
        "SIGXCPU",
        "SIGXFSZ",
        "SIGVTALRM",
        "SIGPROF",
        "SIGWINCH",
        "SIGIO",
        "SIGPWR",
        "SIGSYS",
    ];
    let known = usize::try_from(signal).ok().filter(|&s| s > 0).and_then(|s| NAMES.get(s));
    known.map_or_else(|| format!("signal {signal}"), |name| (*name).to_owned())
}
