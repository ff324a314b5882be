//! Runs beside a checked program: reads the events of its processes, passes them to the judge, and reports findings as they happen.

mod alike;
mod choice;
mod deaths;
mod declared;
mod desk;
mod findings;
mod helpers;
pub mod hosts;
mod last_words;
mod loops;
mod process;
mod python_loops;
mod rings;
mod sites;
pub mod text;
mod worlds;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use mpiscope_launch::run_dir::RANKS;
use mpiscope_launch::spool;

use crate::failure::Failure;
use crate::say;
pub use choice::{Only, Suppressions};
use desk::Desk;

/// Exit code of a program with findings.
pub const EXIT_FINDINGS: i32 = 10;

/// The options of the command line.
#[derive(Debug, Default)]
pub struct Wishes {
    pub only: Only,
    pub suppressions: Suppressions,
    pub stop_on_first: bool,
    /// Do not end the program in a deadlock.
    pub wait_in_deadlock: bool,
    pub deadlock_timeout_ns: u64,
    /// Where JSON goes: the original stdout, since that of this process is closed when the program starts.
    pub json: Option<fs::File>,
    pub sarif: Option<PathBuf>,
}

/// What is checked.
pub struct Job<'a> {
    pub run: &'a Path,
    pub run_id: &'a str,
    pub spool: Option<&'a Path>,
    pub program: &'a [String],
    /// Ranks may be on other hosts.
    pub several: bool,
}

/// The thread that reads.
pub struct Checking {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Desk>,
}

impl Checking {
    /// Begins; called when the launcher, of this process id, runs.
    pub fn start(job: &Job<'_>, launcher: u32, wishes: Wishes) -> Option<Checking> {
        let is_over = Arc::new(AtomicBool::new(false));
        let folders = [spool::expected(job.run_id, job.spool), job.run.join(RANKS)];
        let mut desk = Desk::new(job, folders, launcher, wishes);
        if job.several {
            desk.listen();
        }
        let over = Arc::clone(&is_over);
        let thread = std::thread::Builder::new().name("checker".into()).spawn(move || {
            desk.work(&over);
            desk
        });
        let thread = thread.map_err(|error| say::warning(format_args!("the program is not checked: {error}"))).ok()?;
        Some(Checking { is_over, thread })
    }

    /// The program has ended and its files are in the run: reads what is left, writes the findings, gives the exit code. `stderr` is
    /// the end of what it wrote there.
    pub fn finish(self, run: &Path, code: i32, stderr: &str) -> Result<i32, Failure> {
        self.is_over.store(true, Ordering::Release);
        let Ok(mut desk) = self.thread.join() else {
            return Err(anyhow::anyhow!("an internal error of mpiscope ended the checker").into());
        };
        desk.finish(code, stderr);
        let wishes = &desk.wishes;
        let checks = desk.checks();
        checks.write(run).with_context(|| format!("cannot write the findings to {}", run.display()))?;
        if let Some(path) = &wishes.sarif {
            let text = serde_json::to_string_pretty(&findings::sarif(&checks)).context("cannot write SARIF")? + "\n";
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        if let Some(out) = &wishes.json {
            say::to(out, &checks.to_json().context("cannot write JSON")?).context("cannot write the result")?;
        }
        let (wrong, all) = (checks.told().filter(|f| f.is_wrong()).count(), checks.told().count());
        if checks.events_lost > 0 {
            say::warning(format_args!(
                "{} events were lost; findings that they could explain are not certain",
                checks.events_lost
            ));
        }
        match (wrong, all - wrong) {
            (0, 0) if checks.processes == 0 => say::warning("no process was checked"),
            (0, 0) if code == 0 => say::line(format_args!("checked {} processes: no problems found", checks.processes)),
            (0, 0) => say::line(format_args!(
                "checked {} processes: no problems found, but the program ended with exit code {code}",
                checks.processes
            )),
            (wrong, possible) => {
                say::line(format_args!(
                    "checked {} processes: {}, and {possible} possible",
                    checks.processes,
                    if wrong == 1 { "1 finding".to_owned() } else { format!("{wrong} findings") }
                ));
            }
        }
        Ok(if wrong > 0 { EXIT_FINDINGS } else { code })
    }
}
