//! Assessments of the facts: one line each, with a mark.

use serde::Serialize;

use super::{Report, Subject, Surroundings};
use crate::mpi::Vendor;
use crate::options::{DEFAULT_BUFFER_BYTES, format_size};

/// Severity, ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// As it should be.
    Ok,
    /// Recording works, with a restriction.
    Warn,
    /// Recording does not work.
    Fail,
}

/// One assessment.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// Stable name of what was examined.
    pub id: &'static str,
    /// How good or bad it is.
    pub mark: Mark,
    /// The fact, as a sentence.
    pub text: String,
    /// A command to try.
    pub advice: Option<String>,
}

fn check(id: &'static str, mark: Mark, text: impl Into<String>) -> Check {
    Check { id, mark, text: text.into(), advice: None }
}

impl Check {
    fn advice(mut self, text: impl Into<String>) -> Self {
        self.advice = Some(text.into());
        self
    }
}

pub(super) fn all(report: &Report) -> Vec<Check> {
    let mut checks = vec![collector(report)];
    checks.extend(mpi(report));
    checks.extend(launchers(report));
    checks.extend(batch(&report.surroundings));
    checks.push(machine(report));
    checks.push(clock(report));
    checks.push(shared_memory(report));
    checks.extend(left_over(report));
    checks.extend(limits(report));
    if let Some(subject) = &report.program {
        checks.extend(program(subject));
    }
    checks
}

fn collector(report: &Report) -> Check {
    match &report.collector {
        Some(path) => check("collector", Mark::Ok, path.display().to_string()),
        None => check("collector", Mark::Fail, "libmpiscope.so was not found").advice("cargo build --release"),
    }
}

fn mpi(report: &Report) -> Vec<Check> {
    let found = report.libraries.iter();
    let lines: Vec<Check> = found
        .map(|library| {
            let text = format!("{} in {}", library.title(), library.path.display());
            check("mpi", Mark::Ok, text)
        })
        .collect();
    if lines.is_empty() {
        return vec![
            check("mpi", Mark::Warn, "no MPI library is installed in the usual places").advice("apt install mpich"),
        ];
    }
    lines
}

fn launchers(report: &Report) -> Vec<Check> {
    let found = report.launchers.iter();
    let lines: Vec<Check> = found
        .map(|found| {
            let version = found.version.as_deref().unwrap_or("");
            let text = format!("{} {version} at {}", found.vendor, found.path.display());
            check("launcher", Mark::Ok, text)
        })
        .collect();
    if lines.is_empty() {
        return vec![check("launcher", Mark::Warn, "no mpirun in PATH").advice("apt install mpich")];
    }
    let root = crate::launcher::LaunchLimits::here().is_root;
    let mut lines = lines;
    if root && report.launchers.iter().any(|found| found.vendor == Vendor::OpenMpi) {
        let text = "running as root: mpiscope run adds --allow-run-as-root for Open MPI";
        lines.push(check("root", Mark::Warn, text));
    }
    lines
}

fn batch(place: &Surroundings) -> Vec<Check> {
    let mut checks = Vec::new();
    for job in &place.batch_jobs {
        let size = job.size.map_or_else(String::new, |size| format!(", {size} ranks"));
        let launcher = job.launcher.map(|launcher| format!("mpiscope run --launcher '{launcher}' …"));
        let line = check("batch", Mark::Ok, format!("in a job of {} ({}{size})", job.system, job.variable));
        checks.push(Check { advice: launcher, ..line });
    }
    if let Some(launched) = &place.launched {
        let of = launched.size.map_or_else(String::new, |size| format!(" of {size}"));
        let text = format!("started by {} as rank {}{of} ({})", launched.launcher, launched.rank, launched.variable);
        checks.push(check("batch", Mark::Ok, text).advice("mpiscope exec …   # here; use run outside of a launcher"));
    }
    if checks.is_empty() {
        checks.push(check("batch", Mark::Ok, "not in a batch job, not under a launcher"));
    }
    for starter in &place.starters {
        let text = format!("{} at {}", starter.command, starter.path.display());
        checks.push(check("launcher-of-batch", Mark::Ok, text));
    }
    checks
}

fn machine(report: &Report) -> Check {
    let machine = &report.machine;
    let text = format!("{}: {} CPUs usable, {} cores", machine.hostname, machine.usable_cpus, machine.physical_cores);
    match machine.usable_cpus {
        1 => check("machine", Mark::Warn, format!("{text}; ranks will compete for it")),
        _ => check("machine", Mark::Ok, text),
    }
}

fn clock(report: &Report) -> Check {
    let clocks = &report.clocks;
    let source = clocks.kernel_clocksource.as_deref().unwrap_or("unknown");
    match (clocks.used, clocks.tsc) {
        ("tsc", Some(tsc)) => check(
            "clock",
            Mark::Ok,
            format!(
                "tsc, invariant: {:.0} ns a read, steps of {:.0} ns (clock_gettime: {:.0} ns)",
                tsc.cost_ns, tsc.resolution_ns, clocks.monotonic.cost_ns
            ),
        ),
        _ => check(
            "clock",
            Mark::Warn,
            format!(
                "clock_gettime, {:.0} ns a read: the time-stamp counter is unreliable (kernel uses {source})",
                clocks.monotonic.cost_ns
            ),
        ),
    }
}

fn shared_memory(report: &Report) -> Check {
    const ID: &str = "shared-memory";
    let Some(memory) = &report.shared_memory else {
        return check(ID, Mark::Warn, "no /dev/shm: buffers are in the run directory");
    };
    let text = format!("/dev/shm {} free of {}", format_size(memory.free_bytes), format_size(memory.total_bytes));
    let ranks = memory.free_bytes / (2 * DEFAULT_BUFFER_BYTES);
    if !memory.is_tmpfs || !memory.is_writable {
        check(ID, Mark::Warn, format!("{text}, not usable: buffers are in the run directory"))
    } else if ranks < report.machine.usable_cpus as u64 {
        let text = format!("{text}: enough for {ranks} ranks with the default buffer");
        check(ID, Mark::Warn, text).advice("mpiscope run --buffer 4M …")
    } else {
        check(ID, Mark::Ok, text)
    }
}

fn left_over(report: &Report) -> Option<Check> {
    let dirs = &report.shared_memory.as_ref()?.left_over;
    let first = dirs.first()?.display();
    let text = format!("buffers of {} ended runs remain in shared memory, such as {first}", dirs.len());
    Some(
        check("left-over", Mark::Warn, text)
            .advice(format!("mpiscope gather   # or, if the run no longer exists: rm -r {first}")),
    )
}

fn limits(report: &Report) -> Vec<Check> {
    let limits = &report.limits;
    let mut checks = Vec::new();
    let text = |value: Option<u64>| value.map_or("unlimited".to_owned(), |value| value.to_string());
    let bytes = |value: Option<u64>| value.map_or("unlimited".to_owned(), format_size);
    let mut line = check(
        "limits",
        Mark::Ok,
        format!(
            "open files {}, locked memory {}, core files {}",
            text(limits.open_files),
            bytes(limits.locked_memory_bytes),
            bytes(limits.core_file_bytes)
        ),
    );
    if limits.open_files.is_some_and(|files| files < 256) {
        line.mark = Mark::Warn;
    }
    checks.push(line);
    if limits.file_size_bytes.is_some_and(|size| size < 2 * DEFAULT_BUFFER_BYTES) {
        let text = format!("the file size limit of {} is too small for buffers", bytes(limits.file_size_bytes));
        checks.push(check("file-size", Mark::Fail, text).advice("ulimit -f unlimited"));
    }
    if let Some(level) = limits.perf_event_paranoid {
        let (mark, can) = match level {
            ..=2 => (Mark::Ok, "hardware counters are available for own processes"),
            _ => (Mark::Warn, "hardware counters are not available to users"),
        };
        checks.push(check("perf-events", mark, format!("perf_event_paranoid {level}: {can}")));
    }
    if let Some(scope) = limits.ptrace_scope {
        let (mark, can) = match scope {
            0 | 1 => (Mark::Ok, "a program that mpiscope starts can be inspected"),
            _ => (Mark::Warn, "a hanging program cannot be inspected"),
        };
        checks.push(check("ptrace", mark, format!("ptrace_scope {scope}: {can}")));
    }
    checks
}

fn program(subject: &Subject) -> Vec<Check> {
    let mut checks = Vec::new();
    let step = subject.next_steps.first();
    if let Some(problem) = &subject.problem {
        let mut line = check("program", Mark::Fail, problem.clone());
        line.advice = step.cloned();
        return vec![line];
    }
    if let Some(found) = &subject.mpi {
        let library = &found.library;
        let text = format!("{} loads {}, {}", subject.given, library.title(), library.path.display());
        checks.push(check("program", Mark::Ok, text));
    }
    match (&subject.launcher, &subject.launcher_problem) {
        (Some(words), _) => {
            let text = format!("its launcher: {}", words.join(" "));
            checks.push(check("program-launcher", Mark::Ok, text));
        }
        (None, problem) => {
            let mut line = check("program-launcher", Mark::Fail, problem.clone().unwrap_or_default());
            line.advice = step.cloned();
            checks.push(line);
        }
    }
    for other in &subject.interposers {
        let what = match other.is_program {
            true => "the program itself defines MPI_Send".to_owned(),
            false => format!("{} intercepts MPI as well", other.path.display()),
        };
        checks.push(check("interposer", Mark::Warn, format!("{what}: the PMPI calls it makes are not recorded")));
    }
    if !subject.unknown_functions.is_empty() {
        let names = &subject.unknown_functions;
        let some = names.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let more = if names.len() > 3 { ", …" } else { "" };
        checks.push(check(
            "unknown-functions",
            Mark::Warn,
            format!("{} functions of this MPI are not recorded: {some}{more}", names.len()),
        ));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job;

    fn texts(pairs: &[(&str, &str)]) -> Vec<String> {
        let env = |name: &str| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let place =
            Surroundings { batch_jobs: job::batch_jobs(&env), launched: job::launched(&env), starters: Vec::new() };
        batch(&place).into_iter().map(|check| check.text).collect()
    }

    #[test]
    fn the_place_is_told() {
        assert_eq!(texts(&[]), ["not in a batch job, not under a launcher"]);
        let job = [("SLURM_JOB_ID", "42"), ("SLURM_NTASKS", "8")];
        assert_eq!(texts(&job), ["in a job of Slurm (SLURM_JOB_ID=42, 8 ranks)"]);
        let step = [job[0], job[1], ("SLURM_STEP_ID", "0"), ("SLURM_PROCID", "3")];
        assert_eq!(texts(&step)[1], "started by srun as rank 3 of 8 (SLURM_PROCID=3)");
    }
}
