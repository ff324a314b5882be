//! One program: starts it, watches it, ends it, reads its run.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mpiscope_launch::manifest::Manifest;
use mpiscope_launch::options::{Settings, Spec};
use mpiscope_launch::{host, outcome, spool};
use mpiscope_query::store_place;
use mpiscope_query::view::ViewSession;
use mpiscope_run::{Resolver, Run};
use mpiscope_server::launch::{Command, Progress, Stage};

use super::log::Log;
use crate::commands::report::live;
use crate::say;

/// Interval of checking whether the program has ended.
const LOOK: Duration = Duration::from_millis(40);
/// Time between ^C and the next, stronger signal.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time to read output of processes that outlive the launcher.
const STREAMS: Duration = Duration::from_millis(500);

/// A program that was started from the page.
pub struct One {
    command: Command,
    begun: Instant,
    log: Log,
    is_stopping: AtomicBool,
    ended: Mutex<Option<Ended>>,
    has_changed: Condvar,
    viewing: OnceLock<Arc<ViewSession>>,
}

#[derive(Clone)]
struct Ended {
    took: Duration,
    code: Option<i32>,
    verdict: String,
}

impl One {
    /// Starts it.
    pub fn start(command: Command, is_over: Arc<AtomicBool>) -> Arc<One> {
        let one = Arc::new(One {
            command,
            begun: Instant::now(),
            log: Log::default(),
            is_stopping: AtomicBool::new(false),
            ended: Mutex::new(None),
            has_changed: Condvar::new(),
            viewing: OnceLock::new(),
        });
        let watched = one.clone();
        // The thread that starts it stays with it: the kernel's signal at our death is bound to that thread.
        std::thread::spawn(move || watched.run(&is_over));
        one
    }

    fn run(self: Arc<One>, is_over: &Arc<AtomicBool>) {
        let (code, verdict) = match self.spawn() {
            Ok(child) => {
                let status = self.attend(child);
                self.open(is_over);
                (status.code(), self.verdict(status))
            }
            Err(why) => (None, format!("The program could not be started: {why}")),
        };
        say::line(format_args!("from the page: {verdict}"));
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Ended { took: self.begun.elapsed(), code, verdict });
        self.has_changed.notify_all();
    }

    fn spawn(&self) -> std::io::Result<Child> {
        let mut command = std::process::Command::new(&self.command.words[0]);
        command.args(&self.command.words[1..]).current_dir(&self.command.directory);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // ^C in the terminal is for `view`, which forwards it and waits.
        command.process_group(0);
        // SAFETY: between fork and exec only prctl is called.
        unsafe {
            command.pre_exec(|| {
                // If `view` is killed, the launcher gets a signal to end its ranks.
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGTERM);
                Ok(())
            });
        }
        command.spawn()
    }

    /// Waits for the end and reads all output.
    fn attend(self: &Arc<One>, mut child: Child) -> ExitStatus {
        let read = |stream: Option<Box<dyn std::io::Read + Send>>| {
            let one = self.clone();
            std::thread::spawn(move || stream.into_iter().for_each(|stream| one.log.read(stream)))
        };
        let readers =
            [read(child.stdout.take().map(|s| Box::new(s) as _)), read(child.stderr.take().map(|s| Box::new(s) as _))];
        let group = child.id() as libc::pid_t;
        let mut asked: Option<(Instant, usize)> = None;
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) => {}
                Err(_) => break ExitStatus::from_raw(0),
            }
            if self.is_stopping.load(Ordering::Relaxed) {
                let times = asked.map_or(0, |(_, times)| times);
                if asked.is_none_or(|(since, _)| since.elapsed() > PATIENCE) {
                    end_group(group, times);
                    asked = Some((Instant::now(), times + 1));
                }
            }
            std::thread::sleep(LOOK);
        };
        let end = Instant::now();
        while readers.iter().any(|reader| !reader.is_finished()) && end.elapsed() < STREAMS {
            std::thread::sleep(LOOK);
        }
        status
    }

    /// The run that it created, if there is something to show.
    fn open(&self, is_over: &Arc<AtomicBool>) {
        let path = &self.command.run;
        if !path.exists() {
            return;
        }
        match Run::open(path, &live(path)) {
            Ok(run) => {
                let viewing = Arc::new(ViewSession::new(run, Resolver::default(), store_place(path)));
                let _ = self.viewing.set(viewing.clone());
                let is_over = is_over.clone();
                std::thread::spawn(move || viewing.build(&|| !is_over.load(Ordering::Relaxed)));
            }
            // A program without MPI calls: `run` has already reported it.
            Err(why) => self.log.add(&format!("mpiscope: {why}\n")),
        }
    }

    fn verdict(&self, status: ExitStatus) -> String {
        let was_stopped = self.is_stopping.load(Ordering::Relaxed);
        let how = match (status.code(), status.signal()) {
            (Some(0), _) => "ended".to_owned(),
            (Some(code), _) => format!("ended with exit code {code}"),
            (None, Some(signal)) => format!("was ended by signal {signal}"),
            (None, None) => "ended".to_owned(),
        };
        match (was_stopped, self.viewing.get().is_some()) {
            (true, _) => format!("The program was stopped, and {how}."),
            (false, true) => format!("The program {how}."),
            (false, false) => format!("The program {how}; there is no run to show. For the reason see its output."),
        }
    }

    /// Ends it: first by the signal of ^C, then by stronger ones.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub fn has_ended(&self) -> bool {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Waits for its end.
    pub fn wait(&self) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        while ended.is_none() {
            ended = self.has_changed.wait(ended).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub fn viewing(&self) -> Option<Arc<ViewSession>> {
        self.viewing.get().cloned()
    }

    pub fn progress(&self, number: usize, after: u64) -> Progress {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (output, from, until) = self.log.after(after);
        let stage = match &ended {
            Some(_) => Stage::Ended,
            None if self.is_stopping.load(Ordering::Relaxed) => Stage::Stopping,
            None => Stage::Running,
        };
        Progress {
            stage,
            number,
            elapsed_ms: ended.as_ref().map_or_else(|| self.begun.elapsed(), |e| e.took).as_millis() as u64,
            ranks_up: self.ranks_up(),
            output,
            from,
            until,
            code: ended.as_ref().and_then(|e| e.code),
            verdict: ended.map(|e| e.verdict),
            view: self.viewing.get().map(|_| format!("run/{number}/")),
            command: Some(self.command.clone()),
        }
    }

    /// Rank files on this host and in the run.
    fn ranks_up(&self) -> usize {
        let in_run = outcome::read(&self.command.run).rank_files;
        let Ok(manifest) = Manifest::read(&self.command.run) else { return in_run };
        let mut settings = Settings::default();
        for word in &self.command.words {
            if let (Some(value), Some(spec)) = (word.strip_prefix("--spool="), Spec::named("spool")) {
                let _ = spec.set(&mut settings, value.as_ref());
            }
        }
        let live = spool::expected(&manifest.run_id, settings.spool.as_deref());
        let files = std::fs::read_dir(live).into_iter().flatten().flatten().map(|entry| entry.file_name());
        in_run + files.filter(|name| name.to_string_lossy().ends_with(".rank")).count()
    }
}

/// First the signal of ^C, then that of `kill`; then SIGKILL to all its descendants, whatever their process group.
fn end_group(group: libc::pid_t, times: usize) {
    let signal = match times {
        0 => libc::SIGINT,
        1 => libc::SIGTERM,
        _ => {
            for pid in descendants(group as u32) {
                // SAFETY: only sends a signal.
                unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
            }
            libc::SIGKILL
        }
    };
    // SAFETY: only sends a signal; the child has not been reaped, so its process id is valid.
    unsafe { libc::killpg(group, signal) };
}

/// All descendants of a process.
fn descendants(root: u32) -> Vec<u32> {
    let numbers = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let parents: Vec<(u32, u32)> = pids.filter_map(|pid| Some((pid, host::stat(pid)?.parent))).collect();
    let mut found = vec![root];
    let mut at = 0;
    while let Some(&parent) = found.get(at) {
        found.extend(parents.iter().filter(|(_, of)| *of == parent).map(|(pid, _)| *pid));
        at += 1;
    }
    found.split_off(1)
}
