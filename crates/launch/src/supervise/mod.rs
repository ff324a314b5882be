//! Starts a program, waits for it without affecting it, and ends in the same way.
//!
//! The parent and the child stay in one process group, as required for a shell's job control. This has two consequences. A
//! signal sent to the group (^C, a launcher's `killpg`) reaches both, while one sent only to the parent has to be forwarded,
//! and the signal does not show which it was: see [`Witness`]. And every signal is *blocked* in the parent and received with
//! `sigwaitinfo`, so that no disposition changes that the child would inherit. The exceptions are in [`inherited`].

mod inherited;
mod start;
mod stderr;
mod witness;

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use mpiscope_records::ClockReading;

use crate::clock;
use start::{Blocked, Started};
use stderr::Passing;
use witness::Witness;

pub use inherited::snapshot as inherited_state;

/// What happens to the child if mpiscope itself is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDeath {
    /// A rank is killed, as if by the launcher.
    Kill,
    /// A launcher gets SIGTERM, so that it can end its ranks.
    Terminate,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Killed(i32),
}

impl How {
    /// `None` if a signal killed it.
    pub fn exit_code(self) -> Option<i32> {
        match self {
            Self::Exited(code) => Some(code),
            Self::Killed(_) => None,
        }
    }

    /// `None` if it exited.
    pub fn signal(self) -> Option<i32> {
        match self {
            Self::Exited(_) => None,
            Self::Killed(signal) => Some(signal),
        }
    }
}

/// An ended process and its resource usage.
#[derive(Debug, Clone, Copy)]
pub struct Ended {
    /// Its process id.
    pub pid: u32,
    /// Its exit code or signal.
    pub how: How,
    /// Before the fork.
    pub start: ClockReading,
    /// When the parent noticed the end.
    pub end: ClockReading,
    /// CPU time in user mode, from wait4(2); with that of children it waited for.
    pub user_ns: u64,
    /// CPU time in the kernel, as `user_ns`.
    pub system_ns: u64,
    /// Largest resident memory.
    pub max_rss_bytes: u64,
    /// Voluntary and involuntary context switches of its threads.
    pub voluntary_switches: u64,
    /// See `voluntary_switches`.
    pub involuntary_switches: u64,
}

/// The ended child, while the parent's signals are still blocked: the remaining work is not interrupted by the signals of a
/// launcher's cleanup.
pub struct Finished {
    /// How it ended.
    pub ended: Ended,
    /// The end of its stderr, if requested.
    pub stderr: String,
    /// Whether SIGINT or SIGTERM came to this process meanwhile. The exit code of a launcher does not show it: Open MPI's is 1.
    pub interrupted: bool,
    blocked: Blocked,
}

/// A signal and its handler.
pub type OwnSignal<'a> = (i32, Box<dyn FnMut(u32) + 'a>);

/// Gets what a launcher writes to stderr.
pub type Listener = Box<dyn FnMut(&[u8]) + Send>;

/// What to do while the program runs.
#[derive(Default)]
pub struct Beside<'a> {
    /// Called with the program's process id once it runs. It may start threads: they inherit the blocked signals, and later
    /// forks call only signal-safe functions.
    pub started: Option<Box<dyn FnOnce(u32) + 'a>>,
    /// A signal that is not forwarded to the program, and its handler, called with the program's process id.
    pub signal: Option<OwnSignal<'a>>,
    /// Keep the end of the program's stderr, for [`Finished::stderr`]. Only for a launcher: its ranks write into the launcher's
    /// pipes, so that no rank can notice that stderr is a pipe instead of a terminal.
    pub keeps_stderr: bool,
    /// Called with what the program writes to stderr, after it was forwarded, if `keeps_stderr`. It must return soon.
    pub hears: Option<Listener>,
}

/// A launcher may send a signal to the process and to its group within this time: both count as one.
const ONE_SIGNAL: Duration = Duration::from_millis(300);

/// Runs a program until it ends. `words[0]` is `argv[0]`; `path` is executed.
///
/// Must be called while the process has only one thread, as it forks.
///
/// # Errors
///
/// If the program cannot be started, or waiting for it fails.
pub fn supervise(
    path: &Path,
    words: &[String],
    set: &[(&str, std::ffi::OsString)],
    on_death: OnDeath,
    beside: Beside,
) -> io::Result<Finished> {
    let blocked = Blocked::all()?;
    let witness = Witness::start();
    let begin = clock::reading();
    let ignored = beside.signal.as_ref().map(|(signal, _)| *signal);
    let passing = if beside.keeps_stderr { Passing::start(beside.hears).ok() } else { None };
    let (passing, stderr) = passing.unzip();
    let child = match Started::new(path, words, set, on_death, ignored, stderr.as_ref(), &blocked) {
        Ok(child) => child,
        Err(error) => {
            drop(witness);
            blocked.restore();
            return Err(error);
        }
    };
    child.let_go_of_streams();
    drop(stderr);
    if let Some(started) = beside.started {
        started(child.pid as u32);
    }
    let (status, usage, interrupted) = follow(child.pid, witness.as_ref(), beside.signal)?;
    let end = clock::reading();
    drop(witness);
    let how = match libc::WIFSIGNALED(status) {
        true => How::Killed(libc::WTERMSIG(status)),
        false => How::Exited(libc::WEXITSTATUS(status)),
    };
    let time = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    let ended = Ended {
        pid: child.pid as u32,
        how,
        start: begin,
        end,
        user_ns: time(usage.ru_utime),
        system_ns: time(usage.ru_stime),
        max_rss_bytes: usage.ru_maxrss as u64 * 1024,
        voluntary_switches: usage.ru_nvcsw as u64,
        involuntary_switches: usage.ru_nivcsw as u64,
    };
    let stderr = passing.map(Passing::end_of_output).unwrap_or_default();
    Ok(Finished { ended, stderr, interrupted, blocked })
}

/// Waits for the end and forwards signals.
fn follow(
    child: libc::pid_t,
    witness: Option<&Witness>,
    mut own: Option<OwnSignal<'_>>,
) -> io::Result<(i32, libc::rusage, bool)> {
    let (mut stop_asked, mut interrupted) = (false, false);
    let mut acted: Option<Instant> = None;
    loop {
        // SAFETY: a rusage of zeros is valid, both pointers are writable.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        let mut status = 0;
        let flags = libc::WNOHANG | libc::WUNTRACED;
        let waited = unsafe { libc::wait4(child, &mut status, flags, &mut usage) };
        if waited < 0 {
            return Err(io::Error::last_os_error());
        }
        if waited == child && libc::WIFSTOPPED(status) {
            // ^Z: a shell waits until the whole job has stopped. If only the child was stopped (kill -STOP, a debugger), this
            // process does not stop, as nothing would wake it up.
            if std::mem::take(&mut stop_asked) {
                // SAFETY: stops this process; SIGCONT ends it.
                unsafe { libc::raise(libc::SIGSTOP) };
            }
            continue;
        }
        if waited == child {
            return Ok((status, usage, interrupted));
        }
        let info = next_signal();
        let signal = info.si_signo;
        if signal == libc::SIGCHLD {
            continue;
        }
        if let Some((_, act)) = own.as_mut().filter(|(own, _)| *own == signal) {
            if acted.is_none_or(|at| at.elapsed() > ONE_SIGNAL) {
                act(child as u32);
                acted = Some(Instant::now());
            }
            continue;
        }
        interrupted |= [libc::SIGINT, libc::SIGTERM].contains(&signal);
        stop_asked |= [libc::SIGTSTP, libc::SIGTTIN, libc::SIGTTOU].contains(&signal);
        let to_group = witness.is_some_and(|witness| witness.has_seen(signal));
        if !to_group {
            forward(child, &info);
        }
    }
}

fn next_signal() -> libc::siginfo_t {
    loop {
        // SAFETY: a siginfo of zeros is valid; the set is filled before it is used.
        unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let mut all: libc::sigset_t = std::mem::zeroed();
            libc::sigfillset(&mut all);
            if libc::sigwaitinfo(&all, &mut info) > 0 {
                return info;
            }
        }
    }
}

fn forward(child: libc::pid_t, info: &libc::siginfo_t) {
    // SAFETY: the child is not reaped yet, so its process id is valid.
    unsafe {
        match info.si_code {
            libc::SI_QUEUE => libc::sigqueue(child, info.si_signo, info.si_value()),
            _ => libc::kill(child, info.si_signo),
        };
    }
}

impl Finished {
    /// Ends this process with the child's exit code, or by the child's signal.
    pub fn end_alike(self) -> ! {
        match self.ended.how {
            How::Exited(code) => std::process::exit(code),
            How::Killed(signal) => die_by(signal, self.blocked),
        }
    }

    /// The exit code that a shell would report.
    pub fn shell_code(&self) -> i32 {
        match self.ended.how {
            How::Exited(code) => code,
            How::Killed(signal) => 128 + signal,
        }
    }

    /// Unblocks signals.
    pub fn unblock(self) -> Ended {
        self.blocked.restore();
        self.ended
    }
}

fn die_by(signal: i32, blocked: Blocked) -> ! {
    // The child may have left a core file; a second one would be of mpiscope. A core pattern with a pipe ignores the limit,
    // so both are needed.
    let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: plain system calls; the default disposition is set before the signal is let in.
    unsafe {
        libc::setrlimit(libc::RLIMIT_CORE, &none);
        libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        libc::signal(signal, libc::SIG_DFL);
        let mut only: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut only);
        libc::sigaddset(&mut only, signal);
        libc::kill(libc::getpid(), signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, &only, std::ptr::null_mut());
    }
    // Not reached: a signal that does not end this process cannot have ended the child.
    blocked.restore();
    std::process::exit(128 + signal)
}
