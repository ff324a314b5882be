//! A run whose program still runs: read again when it has ended.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mpiscope_launch::live::processes;
use mpiscope_query::view::Viewing;
use mpiscope_run::{Resolver, Run};

use crate::commands::report::live;
use crate::say;

/// How often it is looked whether the program has ended.
const LOOK: Duration = Duration::from_secs(1);
/// The launcher's `run` or `exec` still puts things in their places.
const SETTLE: Duration = Duration::from_secs(1);

/// Waits for the end of the program and has the views go on with all of the run.
pub fn follow(viewing: &Viewing, path: &Path, store: &Path, is_over: &AtomicBool) {
    let is_going_on = || !is_over.load(Ordering::Relaxed);
    while viewing.info().is_writing && is_going_on() {
        std::thread::sleep(LOOK);
        if !processes(path, &mpiscope_launch::gather(path)).is_empty() {
            continue;
        }
        std::thread::sleep(SETTLE);
        let run = match Run::open(path, &live(path)) {
            Ok(run) => run,
            Err(why) => return say::warning(why),
        };
        let next = Arc::new(Viewing::new(run, Resolver::default(), store.to_owned()));
        // What there is stays in sight until all of the next is there.
        next.build(&is_going_on);
        if is_going_on() {
            viewing.go_on_with(next);
            say::line("the program has ended; the views show all of it now");
        }
    }
}
