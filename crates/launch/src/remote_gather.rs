//! Contacts the hosts of an ended job by starting processes there with the job's launcher.
//!
//! `mpiscope run` fetches what `exec` could not hand over: from a host whose processes were all killed, or one that cannot
//! access the run's directory. Every step has a time limit. Files that could not be fetched remain in place, and the caller
//! reports where.

use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::env;
use crate::spool::part;

/// A job's launcher may take some seconds on a busy cluster; for a host that is down it never ends.
const LIMIT: Duration = Duration::from_secs(20);
/// Maximum length of an answer.
const MAX_ANSWER_BYTES: u64 = 1 << 20;
/// Start of the line in which a host announces its part of the run.
const ANSWER: &str = "mpiscope-part-of ";

/// The line in which a host announces its part of a run.
pub fn answer(run_id: &str, host: &str, part: &Path) -> String {
    format!("{ANSWER}{run_id} {host} {}\n", part.display())
}

/// Runs a command on other hosts until it ends.
///
/// # Errors
///
/// If the command cannot be started, fails, or does not end in time.
pub fn run(command: &[String]) -> io::Result<()> {
    let mut child = start(command, Stdio::null(), Stdio::null())?;
    wait(&mut child, Instant::now() + LIMIT)
}

/// The output of a command, which has to end within `limit`.
///
/// # Errors
///
/// If the command cannot be started, fails, or does not end within `limit`.
pub fn output(command: &[String], limit: Duration) -> io::Result<String> {
    let mut child = start(command, Stdio::null(), Stdio::piped())?;
    let out = child.stdout.take();
    // The reader ends with the last writer; it is not joined, as a host may hang.
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        let _ = out.map(|out| out.take(MAX_ANSWER_BYTES).read_to_end(&mut text));
        text
    });
    wait(&mut child, Instant::now() + limit)?;
    Ok(String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned())
}

/// Hosts that have a part of this run, with its directory there.
///
/// # Errors
///
/// As [`output`].
pub fn parts(command: &[String], run_id: &str) -> io::Result<Vec<(String, PathBuf)>> {
    let text = output(command, LIMIT)?;
    let parse = |line: &str| {
        let (id, rest) = line.strip_prefix(ANSWER)?.split_once(' ')?;
        let (host, dir) = rest.split_once(' ')?;
        (id == run_id).then(|| (host.to_owned(), PathBuf::from(dir)))
    };
    let mut found: Vec<_> = text.lines().filter_map(parse).collect();
    found.sort();
    found.dedup();
    Ok(found)
}

/// Receives the part of one host, and confirms it to the sender, which then removes it; returns the number of files.
///
/// # Errors
///
/// If the command cannot be started, the part is incomplete or of another run, or a file cannot be written.
pub fn fetch(command: &[String], run: &Path, run_id: &str) -> io::Result<usize> {
    let mut child = start(command, Stdio::piped(), Stdio::piped())?;
    let (mut input, out) = (child.stdin.take(), child.stdout.take());
    let (run, run_id) = (run.to_owned(), run_id.to_owned());
    let (done, came) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let nothing = || Err(io::Error::other("the launcher has no output"));
        let result = out.map_or_else(nothing, |out| part::receive(&mut BufReader::new(out), &run, &run_id));
        let _ = done.send(result);
    });
    // A part can have any size; only the total time is limited here.
    let files = came.recv_timeout(LIMIT * 15).unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
    if files.is_ok()
        && let Some(input) = &mut input
    {
        let _ = writeln!(input, "{}", part::TAKEN).and_then(|()| input.flush());
    }
    drop(input);
    let ended = wait(&mut child, Instant::now() + LIMIT);
    // A part that has arrived counts as success even if the original could not be removed.
    files.map(|files| files.len()).or_else(|error| ended.and(Err(error)))
}

fn start(command: &[String], input: Stdio, output: Stdio) -> io::Result<Child> {
    let (first, words) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(first);
    match env::preload_without(std::env::var_os(env::LD_PRELOAD).as_deref()) {
        Some(rest) => command.env(env::LD_PRELOAD, rest),
        None => command.env_remove(env::LD_PRELOAD),
    };
    command.args(words).stdin(input).stdout(output).stderr(Stdio::null()).spawn()
}

/// Waits for the end; after the limit the launcher gets SIGTERM, to end its processes, then SIGKILL.
fn wait(child: &mut Child, limit: Instant) -> io::Result<()> {
    let mut asked = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return match (asked, status.success()) {
                (Some(_), _) => Err(io::ErrorKind::TimedOut.into()),
                (None, true) => Ok(()),
                (None, false) => Err(io::Error::other(format!("the launcher failed ({status})"))),
            };
        }
        match asked {
            None if Instant::now() > limit => {
                // SAFETY: a child that was not reaped yet.
                unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
                asked = Some(Instant::now());
            }
            Some(since) if since.elapsed() > Duration::from_secs(3) => child.kill()?,
            _ => {}
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    #[test]
    fn answers_are_found_among_other_lines() {
        let script = "echo hello; echo mpiscope-part-of ab n2 /tmp/a b; echo mpiscope-part-of cd n3 /x; echo mpiscope-part-of ab n2 /tmp/a b";
        assert_eq!(parts(&shell(script), "ab").unwrap(), [("n2".to_owned(), PathBuf::from("/tmp/a b"))]);
        assert!(parts(&shell("exit 3"), "ab").is_err());
        assert!(run(&shell("true")).is_ok());
        assert!(run(&["/nonexistent/x".to_owned()]).is_err());
    }

    #[test]
    fn a_part_comes_and_is_acknowledged() {
        let dir = tempfile::tempdir().unwrap();
        let said = dir.path().join("said");
        let script = format!(
            "printf 'mpiscope-part 1 ab n2\\nfile ranks/x 3\\ndata 0 3\\nabcend\\ndone 1\\n'; read word; echo $word > {}",
            said.display()
        );
        assert_eq!(fetch(&shell(&script), dir.path(), "ab").unwrap(), 1);
        assert_eq!(std::fs::read_to_string(dir.path().join("ranks/x")).unwrap(), "abc");
        assert_eq!(std::fs::read_to_string(said).unwrap(), "taken\n");
        assert!(fetch(&shell("printf 'mpiscope-part 1 ab n2\\n'"), dir.path(), "ab").is_err());
    }
}
