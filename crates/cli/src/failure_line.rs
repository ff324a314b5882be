//! The last line after a run that failed: its most likely cause, and what to type.
//!
//! What a launcher writes to stderr is passed on first. Another thread then looks for messages in a copy, so that nothing waits
//! for it.

use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use mpiscope_failures::{Finding, Findings, Role, Scanner, catalogue};
use mpiscope_launch::run_dir::STDERR;
use mpiscope_launch::shell_words;
use mpiscope_launch::supervise::{How, Listener};

use crate::say;

/// Bytes of the beginning and of the end that are kept with the run.
const HEAD_BYTES: usize = 64 << 10;
const TAIL_BYTES: usize = 192 << 10;

/// Made by the first rank of a job that failed, so that only one prints a line.
const FIRST: &str = ".first-failure";

/// Signals by which launchers end the other ranks.
const CLEANUP: [i32; 2] = [9, 15];

/// What a launcher wrote, and the messages in it.
#[derive(Default)]
pub struct Heard {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    bytes: u64,
    findings: Findings,
}

/// The thread that looks for messages; it starts with the first byte.
pub struct Listening(Arc<Mutex<Option<JoinHandle<Heard>>>>);

impl Listening {
    /// The second value gets the bytes. Its end ends the thread.
    pub fn start() -> (Self, Listener) {
        let thread = Arc::new(Mutex::new(None));
        let mut sender: Option<Sender<Vec<u8>>> = None;
        let slot = Arc::clone(&thread);
        let hears = move |bytes: &[u8]| {
            let sender = sender.get_or_insert_with(|| {
                let (sender, receiver) = mpsc::channel();
                let listen = std::thread::Builder::new().name("messages".into()).spawn(move || listen(&receiver));
                if let (Ok(mut slot), Ok(listen)) = (slot.lock(), listen) {
                    *slot = Some(listen);
                }
                sender
            });
            // Without the thread, the last line is missing.
            let _ = sender.send(bytes.to_vec());
        };
        (Self(thread), Box::new(hears))
    }

    /// Called after the launcher has ended and its output was passed on.
    pub fn end(self) -> Heard {
        let thread = self.0.lock().ok().and_then(|mut slot| slot.take());
        thread.and_then(|thread| thread.join().ok()).unwrap_or_default()
    }
}

fn listen(receiver: &Receiver<Vec<u8>>) -> Heard {
    let mut heard = Heard::default();
    let mut scanner = Scanner::new(catalogue());
    scanner.begin_file(STDERR);
    for bytes in receiver {
        scanner.feed(&bytes);
        heard.keep(&bytes);
    }
    heard.findings = scanner.finish();
    heard
}

impl Heard {
    fn keep(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (head, tail) = bytes.split_at(bytes.len().min(HEAD_BYTES - self.head.len()));
        self.head.extend_from_slice(head);
        self.tail.extend(tail);
        let surplus = self.tail.len().saturating_sub(TAIL_BYTES);
        self.tail.drain(..surplus);
    }

    /// What is kept with the run.
    fn text(&self) -> Vec<u8> {
        let mut text = self.head.clone();
        let omitted = self.bytes - (self.head.len() + self.tail.len()) as u64;
        if omitted > 0 {
            text.extend_from_slice(format!("\n[{omitted} bytes are not kept]\n").as_bytes());
        }
        text.extend(&self.tail);
        text
    }
}

/// After a job that `mpiscope run` started and that failed. `shown` is the run's path for a shell.
pub fn of_job(run: &Path, shown: &str, heard: &Heard) {
    if heard.bytes > 0
        && let Err(error) = fs::write(run.join(STDERR), heard.text())
    {
        say::warning(format_args!("cannot keep the messages of the job in {shown}: {error}"));
    }
    let found = heard.findings.messages.first().filter(|finding| finding.entry.role != Role::Note);
    match found {
        Some(finding) => say::line(format_args!("{}; next: mpiscope explain {shown}", sentence(finding))),
        None if !heard.findings.unknown.is_empty() => {
            say::line(format_args!("the job failed for a reason that is not known; next: mpiscope explain {shown}"));
        }
        None => {}
    }
}

fn sentence(finding: &Finding) -> String {
    let entry = finding.entry;
    let rank = finding.first_rank.map_or_else(String::new, |rank| format!(", rank {rank}"));
    match entry.role {
        Role::Follower => format!("reason not printed; {}: {}{rank}", entry.id, entry.title),
        _ => format!("most likely cause: {}: {}{rank}", entry.id, entry.title),
    }
}

/// After a rank that another launcher started and that failed: one line in the whole job, where ranks share the run's directory.
pub fn of_rank(run: &Path, how: How, rank: Option<u32>) {
    let how = match how {
        How::Exited(0) => return,
        How::Killed(signal) if CLEANUP.contains(&signal) => return,
        How::Exited(code) => format!("exited with code {code}"),
        How::Killed(signal) => format!("was ended by {}", mpiscope_run::signal_name(signal)),
    };
    if fs::File::create_new(run.join(FIRST)).is_err() {
        return;
    }
    let rank = rank.map_or_else(|| "a process".into(), |rank| format!("rank {rank}"));
    let shown = shell_words::join(&[run.to_string_lossy()]);
    say::line(format_args!("{rank} {how}; next: mpiscope explain {shown}"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_heard_in_any_pieces() {
        let (listening, mut hears) = Listening::start();
        let text = b"[vm:1] *** An error occurred in MPI_Send\n[vm:1] *** reported by process [7,3]\n[vm:1] *** on communicator MPI_COMM_WORLD\n[vm:1] *** MPI_ERR_RANK: invalid rank\n";
        text.chunks(7).for_each(&mut *hears);
        drop(hears);
        let heard = listening.end();
        assert_eq!(heard.text(), text);
        let finding = heard.findings.cause().unwrap();
        assert_eq!(sentence(finding), "most likely cause: mpi.rank: A rank does not exist in the communicator, rank 3");
    }

    #[test]
    fn beginning_and_end_are_kept() {
        let mut heard = Heard::default();
        for _ in 0..1000 {
            heard.keep(&[b'x'; 1000]);
        }
        let text = heard.text();
        assert!(text.len() < HEAD_BYTES + TAIL_BYTES + 100);
        let omitted = 1_000_000 - HEAD_BYTES - TAIL_BYTES;
        assert!(String::from_utf8(text).unwrap().contains(&format!("[{omitted} bytes are not kept]")));
    }

    #[test]
    fn a_silent_job_has_no_thread() {
        let (listening, hears) = Listening::start();
        drop(hears);
        assert_eq!(listening.end().bytes, 0);
    }
}
