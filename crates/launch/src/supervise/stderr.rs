//! Forwards the child's stderr to ours immediately, and keeps the end of it.
//!
//! An MPI that aborts reports the reason only on stderr. Only a launcher's stderr is intercepted: its ranks always write into
//! the launcher's pipes, so that no program can notice a difference.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use super::Listener;

/// Bytes to keep: more than the longest error stack of an MPI, from several ranks.
const KEPT_BYTES: usize = 64 << 10;

/// Interval of checking whether the child has ended while another process keeps the pipe open.
const LOOK_MS: i32 = 100;

/// A thread that forwards what is written into a pipe.
pub(super) struct Passing {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Vec<u8>>,
}

impl Passing {
    /// Starts the thread before the child is forked, so that a failure does not affect the child; also returns the pipe's end
    /// for the child's stderr.
    ///
    /// `hears` gets the bytes after they were forwarded.
    pub(super) fn start(hears: Option<Listener>) -> io::Result<(Self, PipeWriter)> {
        let (from, to) = io::pipe()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let over = Arc::clone(&is_over);
        let thread =
            std::thread::Builder::new().name("stderr".into()).spawn(move || pass(from, io::stderr(), &over, hears))?;
        Ok((Self { is_over, thread }, to))
    }

    /// Called after the child has ended: forwards the rest, and returns the end of the output.
    pub(super) fn end_of_output(self) -> String {
        self.is_over.store(true, Ordering::Release);
        let kept = self.thread.join().unwrap_or_default();
        String::from_utf8_lossy(&kept).into_owned()
    }
}

/// Forwards until the last writer has closed the pipe, or until it is empty after the child's end. If writing to `out` fails,
/// the pipe is closed, so that its writers get the same error as without it.
fn pass(mut from: PipeReader, mut out: impl Write, is_over: &AtomicBool, mut hears: Option<Listener>) -> Vec<u8> {
    let mut kept = Vec::new();
    let mut bytes = [0; 16 << 10];
    loop {
        // Checked first, so that output written before the end is still read.
        let last = is_over.load(Ordering::Acquire);
        if !is_readable(&from, if last { 0 } else { LOOK_MS }) {
            if last {
                return kept;
            }
            continue;
        }
        let Ok(len) = from.read(&mut bytes) else { return kept };
        if len == 0 || out.write_all(&bytes[..len]).is_err() {
            return kept;
        }
        if let Some(hears) = &mut hears {
            hears(&bytes[..len]);
        }
        kept.extend_from_slice(&bytes[..len]);
        if kept.len() > 2 * KEPT_BYTES {
            kept.drain(..kept.len() - KEPT_BYTES);
        }
    }
}

/// Whether a read returns immediately: there are bytes, or no writers.
fn is_readable(pipe: &PipeReader, timeout_ms: i32) -> bool {
    let mut poll = libc::pollfd { fd: pipe.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which is valid during the call.
    unsafe { libc::poll(&mut poll, 1, timeout_ms) > 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_is_passed_on_and_the_end_is_kept() {
        let (from, mut to) = io::pipe().unwrap();
        let mut out = Vec::new();
        let (sender, heard) = std::sync::mpsc::channel();
        let hears: Listener = Box::new(move |bytes| sender.send(bytes.to_vec()).unwrap());
        let written: Vec<u8> = (0..600_000u32).map(|n| n.to_le_bytes()[0]).collect();
        let kept = std::thread::scope(|scope| {
            let reader = scope.spawn(|| pass(from, &mut out, &AtomicBool::new(false), Some(hears)));
            to.write_all(&written).unwrap();
            drop(to);
            reader.join().unwrap()
        });
        assert!(out == written && heard.iter().flatten().eq(written.iter().copied()));
        assert!(kept.len() >= KEPT_BYTES && written.ends_with(&kept));
    }

    #[test]
    fn after_the_end_a_writer_that_is_left_does_not_hold_it_up() {
        let (from, mut to) = io::pipe().unwrap();
        to.write_all(b"last words").unwrap();
        let kept = pass(from, io::sink(), &AtomicBool::new(true), None);
        assert_eq!(kept, b"last words");
        assert!(to.write_all(b"more").is_err());
    }

    #[test]
    fn a_reader_that_is_gone_is_gone_for_the_writer_too() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (from, mut to) = io::pipe().unwrap();
        to.write_all(b"x").unwrap();
        pass(from, Closed, &AtomicBool::new(false), None);
        assert_eq!(to.write_all(b"y").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
