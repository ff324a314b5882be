//! The checker of a running program: reads the events of its processes, runs the judge on them, reports findings as they
//! occur.

mod abort_message;
mod crash_report;
mod data_dependence;
mod declared;
mod driver;
mod findings;
pub mod hosts;
mod other_threads;
mod poll_loops;
mod process;
mod python_poll_loops;
mod rings;
mod rule_filter;
mod sites;
pub mod text;
mod worlds;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, Result};
use mpiscope_judge::Confidence;
use mpiscope_launch::run_dir::RANKS;
use mpiscope_launch::spool;

use crate::failure::Failure;
use crate::say;
use driver::CheckDriver;
pub use rule_filter::{Only, Suppressions};

/// Exit code if the check finds a certain error or warning.
pub const EXIT_FINDINGS: i32 = 10;

/// The checker's options.
#[derive(Debug, Default)]
pub struct Wishes {
    pub only: Only,
    pub suppressions: Suppressions,
    pub stop_on_first: bool,
    /// Do not end the program in a deadlock.
    pub wait_in_deadlock: bool,
    pub deadlock_timeout_ns: u64,
    /// Where JSON goes: a copy of stdout, which this process closes when the program starts.
    pub json: Option<fs::File>,
    pub sarif: Option<PathBuf>,
}

/// The job to check.
pub struct Job<'a> {
    pub run: &'a Path,
    pub run_id: &'a str,
    pub spool: Option<&'a Path>,
    pub program: &'a [String],
    /// Ranks may be on other hosts.
    pub several: bool,
}

/// The checker's thread.
pub struct Checking {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<CheckDriver>,
}

impl Checking {
    /// Starts the thread; called when the launcher, with this process id, runs.
    pub fn start(job: &Job<'_>, launcher: u32, wishes: Wishes) -> Option<Checking> {
        let is_over = Arc::new(AtomicBool::new(false));
        let folders = [spool::expected(job.run_id, job.spool), job.run.join(RANKS)];
        let mut desk = CheckDriver::new(job, folders, launcher, wishes);
        if job.several {
            desk.listen();
        }
        let over = Arc::clone(&is_over);
        let thread = std::thread::Builder::new().name("checker".into()).spawn(move || {
            desk.work(&over);
            desk
        });
        let thread = thread.map_err(|error| say::warning(format_args!("cannot start the checker: {error}"))).ok()?;
        Some(Checking { is_over, thread })
    }

    /// Called when the program has ended and its files are in the run: reads the remaining events, writes the findings,
    /// returns the exit code. `stderr` is the end of what the program wrote there.
    pub fn write_findings(self, run: &Path, code: i32, stderr: &str) -> Result<i32, Failure> {
        self.is_over.store(true, Ordering::Release);
        let Ok(mut desk) = self.thread.join() else {
            return Err(anyhow::anyhow!("the checker failed because of a defect in mpiscope").into());
        };
        desk.judge_rest(code, stderr);
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
        let wrong = checks.reported().filter(|f| f.is_wrong()).count();
        let possible = checks.reported().filter(|f| f.confidence == Confidence::Possible).count();
        let hints = checks.reported().count() - wrong - possible;
        if checks.events_lost > 0 {
            say::warning(format_args!(
                "{} events were lost: findings that depend on them are not certain",
                checks.events_lost
            ));
        }
        let checked = format!("checked {}", counted(checks.processes, "process", "processes"));
        match (wrong, possible, hints) {
            (0, 0, 0) if checks.processes == 0 => say::warning("no process was checked"),
            (0, 0, 0) if code == 0 => say::line(format_args!("{checked}: no problems found")),
            (0, 0, 0) => {
                say::line(format_args!("{checked}: no problems found, but the program ended with exit code {code}"))
            }
            _ => say::line(format_args!("{checked}: {}", totals(wrong, possible, hints))),
        }
        Ok(if wrong > 0 { EXIT_FINDINGS } else { code })
    }
}

fn counted(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// The kinds of findings that occurred, as in `2 findings, 1 possible finding`.
fn totals(certain: usize, possible: usize, hints: usize) -> String {
    let kinds = [
        (certain, "finding", "findings"),
        (possible, "possible finding", "possible findings"),
        (hints, "hint", "hints"),
    ];
    let kinds = kinds.into_iter().filter(|(number, ..)| *number > 0);
    kinds.map(|(number, one, several)| counted(number, one, several)).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_name_only_what_was_found() {
        assert_eq!(totals(1, 0, 0), "1 finding");
        assert_eq!(totals(2, 1, 0), "2 findings, 1 possible finding");
        assert_eq!(totals(0, 2, 1), "2 possible findings, 1 hint");
    }
}
