//! Runs a whole job with a time limit, measures its wall time, and leaves none of its processes behind.
//!
//! The job gets a process group of its own: ^C in a terminal reaches only mpiscope, which then ends the job. Launchers put ranks into
//! further groups and sessions, so that killing one group is not enough. This process therefore becomes the parent of all
//! processes whose own parent has ended ([`adopt_orphans`]), and at the end of a job it kills whatever descends from it.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::supervise::How;

/// How often interruptions are noticed while a job runs.
const LOOK: Duration = Duration::from_millis(50);
/// From SIGTERM, with which a launcher ends its ranks, to SIGKILL.
const GRACE: Duration = Duration::from_millis(1500);
/// The end of stderr that is kept.
const MAX_STDERR_BYTES: usize = 4096;

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Itself(How),
    /// The time limit was over.
    TimedOut,
    /// The caller ended it.
    Interrupted,
}

/// What a job wrote to stdout, without the order of its lines, in which ranks are free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lines {
    /// Their number.
    pub count: u64,
    /// The sum of their hashes.
    pub sum: u64,
}

/// A job that has ended.
#[derive(Debug, Clone)]
pub struct Timed {
    /// How.
    pub end: End,
    /// From its start until the launcher had ended.
    pub elapsed: Duration,
    /// Its output, if it was read.
    pub output: Option<Lines>,
    /// The end of what it wrote to stderr.
    pub stderr: String,
}

/// From now on, this process is the parent of its descendants whose parents end.
pub fn adopt_orphans() {
    // SAFETY: plain system call. On failure, orphans belong to init, and some may be missed.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
}

/// Runs a job until it ends, `limit` is over or `is_interrupted`. The time that killing takes is at most two seconds.
///
/// # Errors
///
/// If it cannot be started.
pub fn run(
    command: &mut Command,
    limit: Duration,
    reads_output: bool,
    is_interrupted: &dyn Fn() -> bool,
) -> io::Result<Timed> {
    command.stdin(Stdio::null()).stderr(Stdio::piped()).process_group(0);
    command.stdout(if reads_output { Stdio::piped() } else { Stdio::null() });
    let begin = Instant::now();
    let mut child = command.spawn()?;
    let output = child.stdout.take().map(|stream| beside(move || lines(stream)));
    let stderr = child.stderr.take().map(|stream| beside(move || end_of(stream)));
    let (end, elapsed) = match wait(&mut child, begin, limit, is_interrupted)? {
        Ok(status) => (End::Itself(how(status)), begin.elapsed()),
        Err(end) => (end, begin.elapsed()),
    };
    if !matches!(end, End::Itself(_)) {
        terminate(&mut child);
    }
    kill_descendants();
    Ok(Timed {
        end,
        elapsed,
        // The writers are dead, so both streams end; unless one has escaped.
        output: output.and_then(|answer| answer.recv_timeout(GRACE).ok()),
        stderr: stderr.and_then(|answer| answer.recv_timeout(GRACE).ok()).unwrap_or_default(),
    })
}

/// Starts a thread; its result arrives in the channel.
fn beside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> mpsc::Receiver<T> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        // The receiver may be gone: it does not wait forever.
        let _ = sender.send(work());
    });
    receiver
}

fn how(status: ExitStatus) -> How {
    status.signal().map_or_else(|| How::Exited(status.code().unwrap_or(1)), How::Killed)
}

/// Waits until the process has ended, without a delay between its end and the return.
fn wait(
    child: &mut Child,
    begin: Instant,
    limit: Duration,
    is_interrupted: &dyn Fn() -> bool,
) -> io::Result<Result<ExitStatus, End>> {
    // SAFETY: the child is not reaped yet; the descriptor is owned.
    let raw = unsafe { libc::syscall(libc::SYS_pidfd_open, child.id() as libc::pid_t, 0) };
    // Without pidfds (before Linux 5.3), the time is late by at most one look.
    let descriptor = (raw >= 0).then(|| unsafe { OwnedFd::from_raw_fd(raw as i32) });
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        if is_interrupted() {
            return Ok(Err(End::Interrupted));
        }
        let left = limit.saturating_sub(begin.elapsed());
        if left.is_zero() {
            return Ok(Err(End::TimedOut));
        }
        let pause = left.min(LOOK).max(Duration::from_millis(1));
        match &descriptor {
            Some(descriptor) => {
                let mut look = libc::pollfd { fd: descriptor.as_raw_fd(), events: libc::POLLIN, revents: 0 };
                // SAFETY: one valid entry. A signal only makes it return early.
                unsafe { libc::poll(&mut look, 1, pause.as_millis() as i32) };
            }
            None => thread::sleep(pause),
        }
    }
}

/// Lets the launcher end its ranks, also on other hosts; then kills it.
fn terminate(child: &mut Child) {
    // SAFETY: the child is not reaped yet, so its process id is its own.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    let begin = Instant::now();
    while begin.elapsed() < GRACE {
        if matches!(child.try_wait(), Ok(Some(_)) | Err(_)) {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Kills and reaps everything that descends from this process.
fn kill_descendants() {
    let own = std::process::id();
    // A process may fork while the list is read: again, until nothing is left.
    for _ in 0..20 {
        let parents = parents();
        let descends = |mut pid: u32| {
            for _ in 0..64 {
                match parents.get(&pid) {
                    Some(parent) if *parent == own => return true,
                    Some(parent) => pid = *parent,
                    None => return false,
                }
            }
            false
        };
        let found: Vec<u32> = parents.keys().copied().filter(|pid| descends(*pid)).collect();
        if found.is_empty() {
            return;
        }
        for pid in found {
            // SAFETY: signals a descendant, and reaps it if it is a child.
            unsafe {
                libc::kill(pid as libc::pid_t, libc::SIGKILL);
                libc::waitpid(pid as libc::pid_t, std::ptr::null_mut(), libc::WNOHANG);
            }
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Each process with its parent.
fn parents() -> BTreeMap<u32, u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parent = |pid: u32| {
        let text = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&text).into_owned();
        // The name is in parentheses and may contain anything.
        let (_, rest) = text.rsplit_once(')')?;
        rest.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    pids.filter_map(|pid| Some((pid, parent(pid)?))).collect()
}

fn lines(mut stream: impl Read) -> Lines {
    let mut lines = Lines::default();
    let mut hash = Fnv::new();
    let mut chunk = [0; 65536];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        for byte in &chunk[..count] {
            match byte {
                b'\n' => lines.add(std::mem::replace(&mut hash, Fnv::new())),
                byte => hash.add(*byte),
            }
        }
    }
    if hash.is_begun {
        lines.add(hash);
    }
    lines
}

impl Lines {
    fn add(&mut self, hash: Fnv) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash.value);
    }
}

/// FNV-1a: the same in each version of mpiscope, so that a resumed search can compare.
struct Fnv {
    value: u64,
    is_begun: bool,
}

impl Fnv {
    fn new() -> Fnv {
        Fnv { value: 0xcbf2_9ce4_8422_2325, is_begun: false }
    }

    fn add(&mut self, byte: u8) {
        self.value = (self.value ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.is_begun = true;
    }
}

/// Reads everything, and keeps the end.
fn end_of(mut stream: impl Read) -> String {
    let mut kept = Vec::new();
    let mut chunk = [0; 8192];
    while let Ok(count @ 1..) = stream.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..count]);
        if kept.len() > 2 * MAX_STDERR_BYTES {
            kept.drain(..kept.len() - MAX_STDERR_BYTES);
        }
    }
    let begin = kept.len().saturating_sub(MAX_STDERR_BYTES);
    String::from_utf8_lossy(&kept[begin..]).into_owned()
}
