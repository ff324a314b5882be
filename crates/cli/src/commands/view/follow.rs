//! Follows a run whose program still runs: reads it again at intervals and after its end.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mpiscope_launch::live::processes;
use mpiscope_query::view::{State, ViewSession};
use mpiscope_run::{Resolver, Run};

use crate::commands::report::live;
use crate::say;

/// Interval of checking whether the program has ended.
const LOOK: Duration = Duration::from_secs(1);
/// Time for `run` or `exec` to move the files into the run.
const SETTLE: Duration = Duration::from_secs(1);
/// Minimum interval of reading a growing run again, …
const PAUSE: Duration = Duration::from_secs(3);
/// … and reading takes at most a tenth of the time, as the program needs the cores, too.
const REST: u32 = 9;

/// Updates the views with new data at intervals, and with the complete run when the program has ended.
pub fn follow(viewing: &ViewSession, path: &Path, store: &Path, is_over: &AtomicBool) {
    let is_going_on = || !is_over.load(Ordering::Relaxed);
    let (mut read_at, mut pause) = (Instant::now(), PAUSE);
    while viewing.progress().is_writing && is_going_on() {
        std::thread::sleep(LOOK);
        let is_running = !processes(path, &mpiscope_launch::gather(path)).is_empty();
        if is_running && read_at.elapsed() < pause {
            continue;
        }
        if !is_running {
            std::thread::sleep(SETTLE);
        }
        let began = Instant::now();
        let run = match Run::open(path, &live(path)) {
            Ok(run) => run,
            // A file that is just being moved is complete the next time.
            Err(_) if is_running => {
                read_at = Instant::now();
                continue;
            }
            Err(why) => return say::warning(why),
        };
        let next =
            Arc::new(ViewSession::new(run, Resolver::default(), store.to_owned()).with_network(viewing.network()));
        // The current view remains until the next one is complete.
        next.build(&is_going_on);
        let is_there = next.progress().state == State::Ready;
        if is_going_on() && (is_there || !is_running) {
            viewing.go_on_with(next);
        }
        if is_going_on() && !is_running {
            say::line("the program has ended; the views now show the complete run");
        }
        (read_at, pause) = (Instant::now(), PAUSE.max(REST * began.elapsed()));
    }
}
