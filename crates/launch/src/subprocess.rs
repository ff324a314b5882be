//! Runs other programs for a short answer: `mpirun --version`, the dynamic loader, a Python.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::env;

/// Maximum length of an answer; the rest is read and discarded.
const MAX_OUTPUT_BYTES: usize = 4 << 20;

/// A program's output and exit code.
#[derive(Debug, Clone)]
pub struct Answer {
    /// `None` if a signal killed it.
    pub code: Option<i32>,
    /// Its output; invalid UTF-8 is replaced.
    pub stdout: String,
    /// Its messages; invalid UTF-8 is replaced.
    pub stderr: String,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// It cannot be executed.
    #[error("cannot start it: {0}")]
    Start(io::Error),
    /// It ran for longer than this and was killed.
    #[error("no answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// Its output or exit status could not be read.
    #[error("cannot read its answer: {0}")]
    Wait(io::Error),
}

/// Runs a command without the collector and without input, and kills it after `limit`.
///
/// # Errors
///
/// If it cannot be started, or does not end within `limit`. A failed command is no error: see [`Answer::code`].
pub fn run_with_limit(command: &mut Command, limit: Duration) -> Result<Answer, AskError> {
    match env::preload_without(std::env::var_os(env::LD_PRELOAD).as_deref()) {
        Some(rest) => command.env(env::LD_PRELOAD, rest),
        None => command.env_remove(env::LD_PRELOAD),
    };
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(AskError::Start)?;
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let code = wait(&mut child, limit)?;
    let text =
        |reader: thread::JoinHandle<Vec<u8>>| String::from_utf8_lossy(&reader.join().unwrap_or_default()).into_owned();
    Ok(Answer { code, stdout: text(stdout), stderr: text(stderr) })
}

fn wait(child: &mut Child, limit: Duration) -> Result<Option<i32>, AskError> {
    let deadline = Instant::now() + limit;
    let mut pause = Duration::from_micros(200);
    loop {
        match child.try_wait().map_err(AskError::Wait)? {
            Some(status) => return Ok(status.code()),
            None if Instant::now() >= deadline => {
                // The readers end when the last writer closes the pipe; they are not joined.
                let _ = child.kill();
                let _ = child.wait();
                return Err(AskError::TimedOut(limit));
            }
            None => thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn drain(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut chunk = [0; 8192];
        let Some(mut stream) = stream else {
            return kept;
        };
        while let Ok(count @ 1..) = stream.read(&mut chunk) {
            let room = MAX_OUTPUT_BYTES - kept.len();
            kept.extend_from_slice(&chunk[..count.min(room)]);
        }
        kept
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_both_streams_and_a_code() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo out; echo err >&2; exit 3"]);
        let answer = run_with_limit(&mut command, Duration::from_secs(60)).unwrap();
        assert_eq!(answer.code, Some(3));
        assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("out\n", "err\n"));
    }

    #[test]
    fn a_program_that_hangs_is_left() {
        let mut command = Command::new("sleep");
        command.arg("60");
        let error = run_with_limit(&mut command, Duration::from_millis(50)).unwrap_err();
        assert!(matches!(error, AskError::TimedOut(_)));
    }

    #[test]
    fn a_program_that_is_missing_is_said() {
        let error = run_with_limit(&mut Command::new("/nonexistent/x"), Duration::from_secs(1)).unwrap_err();
        assert!(matches!(error, AskError::Start(_)));
    }
}
