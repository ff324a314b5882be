//! A process that died inside a call, or exited without `MPI_Finalize`, if no other finding explains it.

use std::path::Path;

use mpiscope_abi::role::{Role, role};
use mpiscope_launch::run_dir::RANKS;
use mpiscope_records::ExitRecord;
use mpiscope_run::signal_name;
use mpiscope_trace::layout::state;

use super::process::{Process, Source};

/// Signals by which a process ends itself. Other signals end the job from outside.
const OWN: [i32; 6] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGABRT, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// What a process was doing.
pub enum At {
    /// Inside a call: function id, and return address.
    Call(u32, u64),
    /// Outside all calls; it exited with this exit code.
    Exit(i32),
}

/// One death.
pub struct Death {
    /// Index of the process.
    pub index: usize,
    /// The reason.
    pub how: String,
    pub at: At,
}

/// How a process ended, according to its exit record.
pub fn exit_record(run: &Path, name: &str) -> Option<ExitRecord> {
    ExitRecord::read(&run.join(RANKS).join(format!("{name}{}", ExitRecord::SUFFIX))).ok()
}

/// The first process that died inside a call or left with an exit code: later ones may have been ended as a consequence.
pub fn first(run: &Path, processes: &[Process]) -> Option<Death> {
    let deaths = processes.iter().enumerate().filter_map(|(index, process)| {
        let record = exit_record(run, &process.name)?;
        let how = match (record.exit_code, record.signal) {
            (Some(code), _) if code != 0 => format!("exit code {code}"),
            (_, Some(signal)) if OWN.contains(&signal) => signal_name(signal),
            _ => return None,
        };
        let Source::Here(rank) = &process.source else { return None };
        if process.has_ended || rank.state().state == state::ABORTED {
            return None;
        }
        let at = match (rank.in_flight(), record.exit_code) {
            (Some(call), _) => At::Call(call.function, call.caller),
            (None, Some(code)) if process.has_begun => At::Exit(code),
            _ => return None,
        };
        Some((record.end_unix_ns, Death { index, how, at }))
    });
    deaths.min_by_key(|(end_unix_ns, _)| *end_unix_ns).map(|(_, death)| death)
}

/// The call in which the MPI aborted with exit code `code`, if the launcher then killed all processes (MPICH's does), so
/// that no exit record exists. An MPI aborts at once: of several open calls this prefers one that waits for no other
/// process, then the one entered last.
pub fn given_up(run: &Path, processes: &[Process], code: i32) -> Option<Death> {
    // Higher codes are signals: the job was ended from outside.
    if !(1..128).contains(&code) || processes.iter().any(|process| exit_record(run, &process.name).is_some()) {
        return None;
    }
    let mut last: Option<((bool, u64), Death)> = None;
    for (index, process) in processes.iter().enumerate() {
        let Source::Here(rank) = &process.source else { return None };
        if rank.state().state == state::ABORTED {
            return None;
        }
        let Some(call) = rank.in_flight().filter(|_| !process.has_ended) else { continue };
        let likely = (matches!(role(call.function), Role::Local | Role::Access), call.start);
        if last.as_ref().is_none_or(|(most, _)| likely > *most) {
            let how = format!("an error after which the MPI ended the job with exit code {code}");
            last = Some((likely, Death { index, how, at: At::Call(call.function, call.caller) }));
        }
    }
    last.map(|(_, death)| death)
}
