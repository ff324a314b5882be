//! Requests to the running processes of this host, from `mpiscope ctl` on this or another host or from a signal.

use std::io;
use std::path::Path;
use std::time::Duration;

use mpiscope_launch::control::{self, Answer, Attendant, RankStatus, Wish};
use mpiscope_launch::live::{self, Running};
use mpiscope_launch::{host, remote_gather};
use serde::Deserialize;

use crate::say;

/// Pauses or resumes the recording of processes; returns how many, and what failed.
pub fn pause(running: &[Running], paused: bool) -> (usize, Option<String>) {
    let (mut changed, mut problem) = (0, None);
    for one in running {
        match mpiscope_trace::control::set_paused(&one.file, paused) {
            Ok(_) => changed += 1,
            // The process ended meanwhile, and its file is in the run.
            Err(_) if !one.file.exists() => {}
            Err(error) => problem = Some(format!("{}: {error}", one.file.display())),
        }
    }
    (changed, problem)
}

/// Answers requests from other hosts, as the leader of this one.
pub fn attendant(run: &Path) -> Attendant {
    let run = run.to_owned();
    Attendant::new(move |wish| {
        let running = live::processes(&run, &mpiscope_launch::gather(&run));
        let (changed, problem) = match wish {
            Wish::Start => pause(&running, false),
            Wish::Stop => pause(&running, true),
            Wish::Snapshot { to } => match live::add_to_snapshot(&run, to, &running) {
                Ok(copied) => (copied, None),
                Err(error) => (0, Some(format!("{}: {error}", to.display()))),
            },
            Wish::Status => return status(&run, running.len()),
        };
        Answer { format: control::FORMAT, running: running.len(), changed, problem, ranks: Vec::new() }
    })
}

/// The output of `mpiscope ctl RUN status` on this host. It runs in a separate process: reading a run takes memory and
/// stack that `exec`, beside a rank, does not reserve.
fn status(run: &Path, running: usize) -> Answer {
    /// The requester waits a second longer.
    const LIMIT: Duration = Duration::from_secs(2);
    #[derive(Deserialize)]
    struct Status {
        ranks: Vec<RankStatus>,
    }
    let status = || -> io::Result<Status> {
        let own = std::env::current_exe()?;
        let words = [&own.to_string_lossy(), "ctl", &run.to_string_lossy(), "status", "--here", "--json"];
        Ok(serde_json::from_str(&remote_gather::output(&words.map(str::to_owned), LIMIT)?)?)
    };
    let (ranks, problem) = match status() {
        Ok(status) => (status.ranks.into_iter().filter(|rank| rank.host == host::name()).collect(), None),
        Err(error) => (Vec::new(), Some(format!("cannot inspect its processes: {error}"))),
    };
    Answer { format: control::FORMAT, running, changed: 0, problem, ranks }
}

/// Pauses the recording of the processes below this one, and resumes it the next time.
pub fn toggle(run: &Path) -> impl FnMut(u32) + use<> {
    let run = run.to_owned();
    let mut paused = false;
    move |pid| {
        let running = live::below(live::processes(&run, &mpiscope_launch::gather(&run)), pid);
        // Failures are visible in the report; a line in the middle of the program's output would not help.
        if pause(&running, !paused).0 > 0 {
            paused = !paused;
        }
    }
}

/// The same for a whole job, from `mpiscope run`: the processes here, and those of other hosts through their leaders. The
/// signal is not forwarded: it would end launchers that do not handle it.
pub fn toggle_job(run: &Path) -> impl FnMut(u32) + use<> {
    /// A leader looks for requests once a second; until it answers, the end of the launcher is not noticed.
    const PATIENCE: Duration = Duration::from_secs(2);
    let run = run.to_owned();
    let mut paused = false;
    move |_| {
        paused = !paused;
        let running = live::processes(&run, &mpiscope_launch::gather(&run));
        let (mut changed, problem) = pause(&running, paused);
        problem.iter().for_each(say::warning);
        let mut hosts = control::hosts(&run);
        hosts.retain(|name| *name != host::name());
        let wish = if paused { Wish::Stop } else { Wish::Start };
        if !hosts.is_empty() {
            match control::request(&run, &hosts, &wish, PATIENCE) {
                Ok(answers) => {
                    for (host, answer) in answers {
                        match answer {
                            Some(answer) => changed += answer.changed,
                            None => say::warning(format_args!("could not contact {host}")),
                        }
                    }
                }
                Err(error) => say::warning(format_args!("could not contact other hosts: {error}")),
            }
        }
        say::line(format_args!("recording of {changed} processes {}", if paused { "paused" } else { "resumed" }));
    }
}
