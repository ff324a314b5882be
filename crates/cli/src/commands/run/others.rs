//! The end of `mpiscope run`: moves what other hosts still hold into the run, through the launcher of the job.

use std::path::Path;

use mpiscope_launch::launcher::Launcher;
use mpiscope_launch::run_dir::RunDir;
use mpiscope_launch::spool::part;
use mpiscope_launch::{Gathered, job, outcome, remote_gather, shell_words, spool};

use crate::say;

/// Gathers from hosts that are known to hold files and can be reached; updates `done`.
/// Costs nothing for a job whose processes all ended normally, each on a host that can access the run.
pub fn gather(
    launcher: &Launcher,
    extra: &[String],
    run: &RunDir,
    program: &[String],
    ranks: Option<u32>,
    done: &mut Gathered,
) {
    let own = std::fs::read_link("/proc/self/exe").unwrap_or_else(|_| "mpiscope".into());
    let own = own.to_string_lossy().into_owned();
    let gather = |words: &[&str]| -> Vec<String> {
        [own.as_str(), "gather"].iter().chain(words).map(|word| (*word).to_owned()).collect()
    };
    if !done.elsewhere.is_empty() {
        let mut hosts: Vec<String> = done.elsewhere.iter().map(|place| place.host.clone()).collect();
        hosts.sort();
        hosts.dedup();
        if let Some(mut command) = launcher.on_hosts(&hosts, extra) {
            say::line(format_args!("gathering remaining files from {}", hosts.join(", ")));
            command.extend(gather(&[&run.path.to_string_lossy()]));
            if let Err(error) = remote_gather::run(&command) {
                // Exit code 1 of gather means that files are left, which is reported from the run below.
                say::line(format_args!("{}: {error}", shell_words::join(&command)));
            }
            let taken = std::mem::take(&mut done.taken);
            *done = spool::gather(&run.path);
            done.taken.extend(taken);
        }
    }
    // Hosts that cannot access the run, but share the directory for temporary files with this one.
    if let Some(dir) = part::find(&run.run_id)
        && let Ok(taken) = part::adopt(&dir, &run.path, &run.run_id)
    {
        done.taken.extend(taken);
        let _ = part::remove(&dir);
    }
    // A host that cannot access the run cannot announce its files there.
    let missing = ranks.is_some_and(|ranks| outcome::read(&run.path).processes < ranks as usize);
    if missing && done.alive.is_empty() && launcher.may_leave_host(&job::own_env) {
        let list = gather(&["--list", &run.run_id]);
        let all: Vec<String> = launcher.command(ranks, extra).into_iter().chain(list).collect();
        match remote_gather::parts(&all, &run.run_id) {
            Ok(parts) => parts.iter().for_each(|(host, dir)| {
                fetch(launcher, extra, run, host, dir, gather(&["--send", &run.run_id]));
            }),
            Err(error) => say::line(format_args!(
                "cannot find out which hosts hold more files of {}: {error}",
                shell_words::join(program)
            )),
        }
    }
}

fn fetch(launcher: &Launcher, extra: &[String], run: &RunDir, host: &str, dir: &Path, send: Vec<String>) {
    let came = launcher.on_hosts(&[host.to_owned()], extra).map(|command| {
        let command: Vec<String> = command.into_iter().chain(send).collect();
        remote_gather::fetch(&command, &run.path, &run.run_id)
    });
    let why = match came {
        Some(Ok(files)) => {
            return say::line(format_args!(
                "{files} files fetched from {host}, which cannot access the run's directory: its clock was not compared, so \
                 its timestamps are only as accurate as its time of day"
            ));
        }
        Some(Err(error)) => error.to_string(),
        None => "mpiscope cannot start a process on one host with this launcher".into(),
    };
    let path = shell_words::join(&[run.path.to_string_lossy()]);
    say::warning(format_args!("{host} keeps its part of the run in {}: {why}", dir.display()));
    say::more(format_args!(
        "try: scp -r {host}:{0} . && mpiscope gather {path} --from {1}",
        dir.display(),
        dir.file_name().unwrap_or_default().display()
    ));
}
