//! Beside a checked program: reads what its processes tell, asks the judge, says what is wrong as it happens.

mod choice;
mod desk;
mod findings;
pub mod hosts;
mod process;
mod rings;
mod sites;
mod text;

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
use findings::Report;

/// Exit code of a program in which something is wrong.
pub const EXIT_FINDINGS: i32 = 10;
const FOLDER: &str = "check";

/// What was asked for on the command line.
#[derive(Debug, Default)]
pub struct Wishes {
    pub only: Only,
    pub suppressions: Suppressions,
    pub stop_on_first: bool,
    /// Leave the program in its deadlock.
    pub wait_in_deadlock: bool,
    pub deadlock_timeout_ns: u64,
    pub json: bool,
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
    program: Vec<String>,
}

impl Checking {
    /// Begins; called when the launcher, of this process id, runs.
    pub fn start(job: &Job<'_>, launcher: u32, wishes: Wishes) -> Option<Checking> {
        let is_over = Arc::new(AtomicBool::new(false));
        let folders = [spool::expected(job.run_id, job.spool), job.run.join(RANKS)];
        let mut desk = Desk::new(job.run.to_owned(), folders, launcher, wishes);
        if job.several {
            desk.listen();
        }
        let over = Arc::clone(&is_over);
        let thread = std::thread::Builder::new().name("checker".into()).spawn(move || {
            desk.work(&over);
            desk
        });
        let thread = thread.map_err(|error| say::warning(format_args!("nothing is checked: {error}"))).ok()?;
        Some(Checking { is_over, thread, program: job.program.to_vec() })
    }

    /// The program has ended and its files are in the run: reads what is left, writes the findings, gives the exit code.
    pub fn finish(self, run: &Path, code: i32) -> Result<i32, Failure> {
        self.is_over.store(true, Ordering::Release);
        let Ok(mut desk) = self.thread.join() else {
            return Err(anyhow::anyhow!("the checker has ended by a defect of its own").into());
        };
        desk.finish();
        let wishes = &desk.wishes;
        let report = Report {
            format: 1,
            program: &self.program,
            processes: desk.processes(),
            events_lost: desk.lost(),
            notes: &desk.notes,
            findings: &desk.told,
        };
        let folder = run.join(FOLDER);
        let file = folder.join("findings.json");
        let text = serde_json::to_string_pretty(&report).context("cannot write JSON")? + "\n";
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &text));
        written.with_context(|| format!("cannot write {}", file.display()))?;
        if let Some(path) = &wishes.sarif {
            let text = serde_json::to_string_pretty(&findings::sarif(&report)).context("cannot write SARIF")? + "\n";
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        if wishes.json {
            say::result(&text).context("cannot write the result")?;
        }
        let told = desk.told.iter().filter(|f| !f.suppressed);
        let (wrong, all) = (told.clone().filter(|f| f.is_wrong()).count(), told.count());
        if report.events_lost > 0 {
            say::warning(format_args!(
                "{} events were not heard; what follows from them is not certain",
                report.events_lost
            ));
        }
        match (wrong, all - wrong) {
            (0, 0) if report.processes == 0 => say::warning("no process was checked"),
            (0, 0) => say::line(format_args!("checked {} processes: nothing is wrong", report.processes)),
            (wrong, possible) => {
                say::line(format_args!(
                    "checked {} processes: {wrong} findings, {possible} possible",
                    report.processes
                ));
            }
        }
        Ok(if wrong > 0 { EXIT_FINDINGS } else { code })
    }
}
