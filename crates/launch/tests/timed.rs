//! Jobs with a time limit. At its end a job's process kills all its descendants, so that these tests have a process of their own, and
//! run one after the other.

use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use mpiscope_launch::supervise::How;
use mpiscope_launch::timed::{End, adopt_orphans, run};

static ONE: Mutex<()> = Mutex::new(());
const LONG: Duration = Duration::from_secs(60);

fn shell(text: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", text]);
    command
}

#[test]
fn output_is_compared_without_the_order_of_lines() {
    let _one = ONE.lock();
    let output = |text: &str| run(&mut shell(text), LONG, true, &|| false).unwrap().output.unwrap();
    assert_eq!(output("echo a; echo b"), output("echo b; echo a"));
    assert_ne!(output("echo a; echo b"), output("echo a; echo c"));
    assert_ne!(output("echo a; echo a"), output("echo a"));
    assert_eq!(output("printf 'a\\nb'"), output("echo b; echo a"));
}

#[test]
fn the_end_is_known() {
    let _one = ONE.lock();
    let timed = run(&mut shell("echo why >&2; exit 3"), LONG, false, &|| false).unwrap();
    assert_eq!((timed.end, timed.stderr.as_str()), (End::Itself(How::Exited(3)), "why\n"));
    let timed = run(&mut shell("sleep 60"), Duration::from_millis(50), false, &|| false).unwrap();
    assert_eq!(timed.end, End::TimedOut);
    let timed = run(&mut shell("sleep 60"), LONG, false, &|| true).unwrap();
    assert_eq!(timed.end, End::Interrupted);
    assert!(run(&mut Command::new("/nonexistent/x"), LONG, false, &|| false).is_err());
}

#[test]
fn processes_that_left_their_group_and_ignore_signals_end_too() {
    let _one = ONE.lock();
    adopt_orphans();
    let begin = Instant::now();
    let text = "trap '' TERM; setsid sh -c 'trap \"\" TERM; sleep 61.5' & sleep 61.5";
    let timed = run(&mut shell(text), Duration::from_millis(200), true, &|| false).unwrap();
    assert_eq!(timed.end, End::TimedOut);
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let left = Command::new("pgrep").args(["-f", "^sleep 61.5"]).output().unwrap();
    assert!(left.stdout.is_empty(), "{}", String::from_utf8_lossy(&left.stdout));
}
