//! A run whose program still runs: read again now and then, and when it has ended.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mpiscope_launch::live::processes;
use mpiscope_query::view::{State, Viewing};
use mpiscope_run::{Resolver, Run};

use crate::commands::report::live;
use crate::say;

/// How often it is looked whether the program has ended.
const LOOK: Duration = Duration::from_secs(1);
/// The launcher's `run` or `exec` still puts things in their places.
const SETTLE: Duration = Duration::from_secs(1);
/// A run that still grows is read again at most so often, …
const PAUSE: Duration = Duration::from_secs(3);
/// … and so that reading it takes at most a tenth of the time: the program wants the cores, too.
const REST: u32 = 9;

/// Has the views go on with what has come to a run since, now and then, and with all of it when the program has ended.
pub fn follow(viewing: &Viewing, path: &Path, store: &Path, is_over: &AtomicBool) {
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
            // What is just being put into its place is there the next time.
            Err(_) if is_running => {
                read_at = Instant::now();
                continue;
            }
            Err(why) => return say::warning(why),
        };
        let next = Arc::new(Viewing::new(run, Resolver::default(), store.to_owned()).with_network(viewing.network()));
        // What there is stays in sight until all of the next is there.
        next.build(&is_going_on);
        let is_there = next.progress().state == State::Ready;
        if is_going_on() && (is_there || !is_running) {
            viewing.go_on_with(next);
        }
        if is_going_on() && !is_running {
            say::line("the program has ended; the views show all of it now");
        }
        (read_at, pause) = (Instant::now(), PAUSE.max(REST * began.elapsed()));
    }
}
