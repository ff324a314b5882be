//! What is done to the running processes of this host: asked for by `mpiscope ctl` here or elsewhere, or by a signal.

use std::path::Path;

use mpiscope_launch::control::{self, Answer, Attendant, Wish};
use mpiscope_launch::live::{self, Running};

/// Pauses the recording of processes or lets them go on; how many, and what went wrong.
pub fn pause(running: &[Running], paused: bool) -> (usize, Option<String>) {
    let (mut changed, mut problem) = (0, None);
    for one in running {
        match mpiscope_trace::control::set_paused(&one.file, paused) {
            Ok(_) => changed += 1,
            // It has ended meanwhile, and its file is in the run.
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
        };
        Answer { format: control::FORMAT, running: running.len(), changed, problem }
    })
}

/// Pauses what runs below a process, and lets it go on the next time.
pub fn toggle(run: &Path) -> impl FnMut(u32) + use<> {
    let run = run.to_owned();
    let mut paused = false;
    move |pid| {
        let running = live::below(live::processes(&run, &mpiscope_launch::gather(&run)), pid);
        // What went wrong shows in the report; a line in the middle of the program's output helps nobody.
        if pause(&running, !paused).0 > 0 {
            paused = !paused;
        }
    }
}
