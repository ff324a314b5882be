//! The end of `mpiscope run`: what other hosts still hold is brought into the run, by the launcher of the job.

use std::path::Path;

use mpiscope_launch::launcher::Launcher;
use mpiscope_launch::run_dir::RunDir;
use mpiscope_launch::spool::part;
use mpiscope_launch::{Gathered, job, outcome, reach, spool, words};

use crate::say;

/// Gathers from hosts that hold something, as far as it is known and they can be reached; brings `done` up to date.
/// A job whose processes all ended well, each on a host that sees the run, costs nothing here.
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
            say::line(format_args!("gathering from {}, which did not hand over all they had", hosts.join(", ")));
            command.extend(gather(&[&run.path.to_string_lossy()]));
            if let Err(error) = reach::run(&command) {
                // 1 of gather itself means that something is left, which the run tells better.
                say::line(format_args!("{}: {error}", words::join(&command)));
            }
            let taken = std::mem::take(&mut done.taken);
            *done = spool::gather(&run.path);
            done.taken.extend(taken);
        }
    }
    // Hosts that do not see the run, but share the directory for temporary files with this one.
    if let Some(dir) = part::find(&run.run_id)
        && let Ok(taken) = part::adopt(&dir, &run.path, &run.run_id)
    {
        done.taken.extend(taken);
        let _ = part::remove(&dir);
    }
    // A host that does not see the run cannot write there that it has something.
    let missing = ranks.is_some_and(|ranks| outcome::look(&run.path).processes < ranks as usize);
    if missing && done.alive.is_empty() && launcher.may_leave_host(&job::own_env) {
        let list = gather(&["--list", &run.run_id]);
        let all: Vec<String> = launcher.command(ranks, extra).into_iter().chain(list).collect();
        match reach::parts(&all, &run.run_id) {
            Ok(parts) => parts.iter().for_each(|(host, dir)| {
                fetch(launcher, extra, run, host, dir, gather(&["--send", &run.run_id]));
            }),
            Err(error) => {
                say::line(format_args!("which hosts have more of {} is not known: {error}", words::join(program)))
            }
        }
    }
}

fn fetch(launcher: &Launcher, extra: &[String], run: &RunDir, host: &str, dir: &Path, send: Vec<String>) {
    let came = launcher.on_hosts(&[host.to_owned()], extra).map(|command| {
        let command: Vec<String> = command.into_iter().chain(send).collect();
        reach::fetch(&command, &run.path, &run.run_id)
    });
    let why = match came {
        Some(Ok(files)) => {
            return say::line(format_args!(
                "{files} files fetched from {host}, which does not see the run: its clock was not compared, moments there \
                 are as good as its time of day"
            ));
        }
        Some(Err(error)) => error.to_string(),
        None => "how this launcher starts a process on one host is not known".into(),
    };
    let path = words::join(&[run.path.to_string_lossy()]);
    say::warning(format_args!("{host} keeps its part of the run in {}: {why}", dir.display()));
    say::more(format_args!(
        "try: scp -r {host}:{0} . && mpiscope gather {path} --from {1}",
        dir.display(),
        dir.file_name().unwrap_or_default().display()
    ));
}
