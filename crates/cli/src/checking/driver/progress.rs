//! Whether the program still makes progress, and ending it if it does not.

use std::time::{Duration, Instant};

use mpiscope_launch::host;

use super::super::findings::ReportedFinding;
use super::super::hosts::Hub;
use super::super::process::Source;
use super::CheckDriver;
use super::outside::Outside;
use crate::say;

/// A program with mismatched collective operations hangs in them if all processes have waited for this long. A program
/// without events may be computing.
const STILL_NS: u64 = 700_000_000;
/// The same after any other error: an MPI may spin forever in an invalid operation, or in its own handler of fatal errors
/// (MPICH 4.0 with a communicator of a session).
const HELD_NS: u64 = 10_000_000_000;
/// Time that the launcher has to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(3);
/// With more operations without a partner, matching stops: the events of the partners do not arrive.
const MOST_OUTSTANDING: usize = 1 << 20;

impl CheckDriver {
    pub(super) fn check_progress(&mut self) {
        if self.judge.outstanding() > MOST_OUTSTANDING {
            self.judge.follow_no_more();
            self.note(format!(
                "more than {MOST_OUTSTANDING} operations have no known partner: checks of messages, collective operations \
                 and deadlocks have stopped; each process is still checked by itself"
            ));
        }
        let now = self.began.elapsed().as_nanos() as u64;
        // A process whose events have not all arrived may have continued.
        let has_heard_all = self.hub.as_ref().is_none_or(Hub::has_heard_all);
        let nobody_computes = has_heard_all && self.judge.nobody_computes(now, STILL_NS);
        let patience_ns = if self.wishes.deadlock_timeout_ns > 0 { self.wishes.deadlock_timeout_ns } else { HELD_NS };
        let nobody_returns = has_heard_all && self.judge.nobody_returns(now, patience_ns);
        self.judge.settle(now);
        self.note_strangers();
        let CheckDriver { judge, processes, by_number, loops, python_loops, alikes, sleepers, .. } = self;
        let mut seen = Outside { processes, by_number, loops, python_loops, alikes, sleepers };
        let stuck = has_heard_all && judge.standstill_unless(now, &mut seen);
        if let Some(hub) = &mut self.hub {
            hub.beat();
        }
        if stuck && !self.wishes.wait_in_deadlock && self.stopping.is_none() {
            self.report_findings();
            if self.reported.iter().any(|f| f.stuck && !f.finding.suppressed) {
                self.stop("ending the program because of the deadlock; --on-deadlock=wait keeps it for a debugger");
            }
        }
        // Mismatched operations never complete.
        let mismatch = self.reported.iter().any(|f| f.finding.is_wrong() && f.finding.id.starts_with("collective."));
        if mismatch && nobody_computes && !self.wishes.wait_in_deadlock && self.stopping.is_none() {
            self.stop("ending the program: no progress since the mismatched collective operations");
        }
        let is_grave =
            |f: &ReportedFinding| f.finding.is_wrong() && f.finding.severity == mpiscope_judge::Severity::Error;
        if nobody_returns
            && self.reported.iter().any(is_grave)
            && !self.wishes.wait_in_deadlock
            && self.stopping.is_none()
        {
            self.stop("ending the program: no MPI call has returned for a long time since an error");
        }
        if let Some(at) = self.stopping
            && at.elapsed() >= GRACE
        {
            for process in &self.processes {
                if let (Source::Here(_), Some(state)) = (&process.source, process.state())
                    && host::is_alive(state.pid)
                {
                    kill(state.pid, libc::SIGKILL);
                }
            }
            if let Some(hub) = &mut self.hub {
                hub.stop();
            }
            self.end_launcher(libc::SIGKILL);
            self.stopping = Some(Instant::now() + Duration::from_secs(3600));
        }
    }

    pub(super) fn stop(&mut self, why: &str) {
        if self.stopping.is_some() {
            return;
        }
        say::line(why);
        self.stopping = Some(Instant::now());
        self.end_launcher(libc::SIGTERM);
    }

    /// Sends a signal only while the launcher is this process's unreaped child, so that its process id is valid.
    pub(super) fn end_launcher(&self, signal: i32) {
        if host::stat(self.launcher).is_some_and(|stat| stat.parent == std::process::id()) {
            kill(self.launcher, signal);
        }
    }
}

fn kill(pid: u32, signal: i32) {
    // SAFETY: a plain system call; callers pass only processes of this run.
    unsafe { libc::kill(pid as i32, signal) };
}
