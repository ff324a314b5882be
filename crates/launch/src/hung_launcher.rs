//! Ends a launcher that hangs after its program has ended: Open MPI 4.1 sometimes hangs in `PMIx_server_finalize` after its
//! ranks have aborted.
//!
//! A launcher that is still doing something must not be ended: a script that starts one program after another, a launcher that
//! waits for a reader of its output, one whose ranks are on other hosts. So all of these conditions must hold all the time:
//!
//! - the process is the MPI's launcher itself, not a script of that name, and starts nothing on other hosts;
//! - at least one process of the program has ended; no child of the launcher and no recorded process is alive;
//! - its first thread, which waits for events in a working launcher, waits for another of its threads without a time limit
//!   and was never woken;
//! - no other thread computes, sleeps by the clock or writes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use mpiscope_records::ExitRecord;

use crate::run_dir::RANKS;
use crate::threads::{self, Call};
use crate::{host, live};

/// Interval of checks.
const LOOK: Duration = Duration::from_secs(2);
/// A launcher hangs if it is idle for this long.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(3);
/// Processor time that an idle launcher may use: some threads poll every few seconds.
const MOST_TICKS: u64 = 5;

/// The watching thread.
pub struct Watch {
    over: Sender<()>,
    ended: Arc<AtomicBool>,
}

impl Watch {
    /// Watches a launcher, which is a child of this process and executes `path`. Calls `report` before ending it.
    pub fn start(launcher: u32, path: &Path, run: &Path, report: impl FnOnce() + Send + 'static) -> Option<Watch> {
        // A script runs as the executable of its interpreter.
        if fs::canonicalize(path).ok()? != fs::read_link(format!("/proc/{launcher}/exe")).ok()? {
            return None;
        }
        let (over, end) = channel::<()>();
        let ended = Arc::new(AtomicBool::new(false));
        let (has_ended, run): (_, PathBuf) = (Arc::clone(&ended), run.to_owned());
        let body = move || {
            let mut watched = Watched::default();
            while end.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if !watched.hangs(Sight::of(launcher), Instant::now()) || !has_begun(&run) || is_alive(&run) {
                    continue;
                }
                has_ended.store(true, Ordering::Release);
                report();
                send(launcher, libc::SIGTERM);
                if end.recv_timeout(GRACE) == Err(RecvTimeoutError::Timeout) {
                    send(launcher, libc::SIGKILL);
                }
                return;
            }
        };
        std::thread::Builder::new().name("launcher".into()).spawn(body).ok()?;
        Some(Watch { over, ended })
    }

    /// Called when the launcher has ended; returns whether this thread ended it.
    pub fn end(self) -> bool {
        let _ = self.over.send(());
        self.ended.load(Ordering::Acquire)
    }
}

/// Whether a process of the run has ended. Before that, a launcher may be waiting to start processes.
fn has_begun(run: &Path) -> bool {
    records(run).next().is_some()
}

/// The exit records of the run.
fn records(run: &Path) -> impl Iterator<Item = ExitRecord> {
    let files = fs::read_dir(run.join(RANKS)).into_iter().flatten().flatten();
    let ends = files.filter(|entry| entry.file_name().to_string_lossy().ends_with(ExitRecord::SUFFIX));
    ends.filter_map(|entry| ExitRecord::read(&entry.path()).ok())
}

/// Whether a process of the run is alive on this host. Moves the files of ended ones into the run.
fn is_alive(run: &Path) -> bool {
    !live::processes(run, &crate::gather(run)).is_empty()
}

/// Sends a signal only while the launcher is this process's unreaped child, so that its process id is valid.
fn send(launcher: u32, signal: i32) {
    if host::stat(launcher).is_some_and(|stat| stat.parent == std::process::id()) {
        // SAFETY: a plain system call.
        unsafe { libc::kill(launcher as i32, signal) };
    }
}

/// The state of an idle launcher at one check: context switches of its first thread, and clock ticks of all threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sight {
    switches: u64,
    ticks: u64,
}

impl Sight {
    /// `None` if it may not be idle, or cannot be inspected.
    fn of(launcher: u32) -> Option<Sight> {
        let switches = threads::switches(launcher, launcher)?;
        if !Call::read(launcher, launcher)?.waits_for_thread() {
            return None;
        }
        for tid in threads::all(launcher)? {
            Call::read(launcher, tid).filter(Call::is_idle)?;
        }
        let lives = threads::children(launcher)?.into_iter().any(host::is_alive);
        (!lives).then_some(Sight { switches, ticks: host::stat(launcher)?.ticks })
    }
}

/// The first of a series of equal idle states.
#[derive(Default)]
struct Watched(Option<(Sight, Instant)>);

impl Watched {
    /// Whether the launcher has been idle for the limit.
    fn hangs(&mut self, sight: Option<Sight>, now: Instant) -> bool {
        let Some(sight) = sight else {
            self.0 = None;
            return false;
        };
        match self.0 {
            Some((first, since)) if first.switches == sight.switches && sight.ticks - first.ticks <= MOST_TICKS => {
                now.duration_since(since) >= PATIENCE
            }
            _ => {
                self.0 = Some((sight, now));
                false
            }
        }
    }
}

/// The exit code of the first process of the run that failed, in the form of a shell; 0 if all `count` processes succeeded.
/// `None` if unknown.
pub fn exit_code(run: &Path, ranks: u64) -> Option<i32> {
    let (mut first, mut ended) = (None::<(u64, i32)>, 0);
    for record in records(run) {
        let Some(code) = record.exit_code.or(record.signal.map(|signal| 128 + signal)) else { continue };
        ended += 1;
        let failed = (record.end_unix_ns, code);
        if code != 0 && first.is_none_or(|first| failed < first) {
            first = Some(failed);
        }
    }
    first.map(|first| first.1).or((ended >= ranks).then_some(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_does_nothing_for_long_hangs() {
        let begin = Instant::now();
        let at = |s: u64| begin + Duration::from_secs(s);
        let sight = |switches, ticks| Some(Sight { switches, ticks });
        let mut watched = Watched::default();
        assert!(!watched.hangs(sight(5, 100), at(0)));
        assert!(!watched.hangs(sight(5, 102), at(29)));
        assert!(watched.hangs(sight(5, 102), at(30)));
        for (what, seen) in [("woken", sight(6, 102)), ("computed", sight(5, 200)), ("a child lives", None)] {
            let mut watched = Watched::default();
            watched.hangs(sight(5, 100), at(0));
            assert!(!watched.hangs(seen, at(31)), "{what}");
            assert!(!watched.hangs(sight(6, 202), at(32)), "{what}: it begins anew");
            assert!(watched.hangs(sight(6, 202), at(62)), "{what}");
        }
    }

    #[test]
    fn a_process_that_works_is_seen() {
        assert_eq!(Sight::of(std::process::id()), None, "whoever looks");
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        std::thread::sleep(Duration::from_millis(100));
        assert_eq!(Sight::of(child.id()), None, "it sleeps by the clock");
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(Sight::of(child.id()), None, "it has ended");
    }

    #[test]
    fn the_code_is_that_of_who_failed_first() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(RANKS)).unwrap();
        let put = |pid: u32, code: &str, signal: &str, at: u64| {
            let text = format!(r#"{{"exit_code":{code},"signal":{signal},"end_unix_ns":{at}}}"#);
            fs::write(dir.path().join(RANKS).join(format!("h.{pid}.exit.json")), text).unwrap();
        };
        assert!(exit_code(dir.path(), 2).is_none() && !has_begun(dir.path()));
        put(1, "0", "null", 5);
        assert_eq!((exit_code(dir.path(), 2), exit_code(dir.path(), 1)), (None, Some(0)));
        assert!(has_begun(dir.path()));
        put(2, "null", "15", 9);
        assert_eq!(exit_code(dir.path(), 2), Some(143));
        put(3, "7", "null", 8);
        assert_eq!(exit_code(dir.path(), 9), Some(7));
    }
}
