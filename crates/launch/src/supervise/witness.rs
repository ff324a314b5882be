//! Distinguishes a signal sent to the process group from one sent only to this process.
//!
//! Both look the same to the receiver, but the first has already reached the program and must not be forwarded: a program
//! that counts SIGUSR1 would count two. Comparing the sender with the launcher does not help (Hydra uses `killpg` *and*
//! `kill`, slurmd signals each process of a step, PRRTE the group), and the program cannot be queried.
//!
//! So a third process in the group sleeps forever with every signal blocked. A signal sent to the group is *pending* there,
//! which `/proc/PID/status` shows. The process never has to be scheduled, which matters when ranks spin on every core. It has
//! no open descriptors and costs one fork (0.1 ms) and a few pages.

use std::cell::Cell;
use std::time::Duration;

/// The members of a group get a signal one after the other within one system call. This is much longer, but not noticeable.
const DELIVERY: Duration = Duration::from_millis(1);

pub(super) struct Witness {
    pid: Cell<libc::pid_t>,
}

impl Witness {
    /// Signals must already be blocked. `None` if the process cannot be created; every signal is then forwarded.
    pub(super) fn start() -> Option<Self> {
        fork_witness().map(|pid| Self { pid: Cell::new(pid) })
    }

    /// Whether a signal that has just arrived here was also sent to the rest of the group.
    pub(super) fn has_seen(&self, signal: i32) -> bool {
        let seen = self.is_pending(signal) || {
            std::thread::sleep(DELIVERY);
            self.is_pending(signal)
        };
        if seen && let Some(fresh) = fork_witness() {
            // A pending signal stays pending, so each witness can be used once.
            dismiss(self.pid.replace(fresh));
        }
        seen
    }

    fn is_pending(&self, signal: i32) -> bool {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.pid.get()));
        status.is_ok_and(|text| pending(&text).is_some_and(|set| set >> (signal - 1) & 1 == 1))
    }
}

/// Signals pending for a process, bit 0 for signal 1.
fn pending(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("ShdPnd:"))?;
    u64::from_str_radix(line.trim(), 16).ok()
}

impl Drop for Witness {
    fn drop(&mut self) {
        dismiss(self.pid.get());
    }
}

fn dismiss(pid: libc::pid_t) {
    // SAFETY: a child of this process that is not reaped yet.
    unsafe {
        libc::kill(pid, libc::SIGKILL);
        libc::waitpid(pid, std::ptr::null_mut(), 0);
    }
}

fn fork_witness() -> Option<libc::pid_t> {
    let parent = std::process::id() as libc::pid_t;
    // SAFETY: one thread; the child calls only signal-safe functions.
    unsafe {
        match libc::fork() {
            -1 => None,
            0 => {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
                if libc::getppid() != parent {
                    libc::_exit(0);
                }
                // This process must not keep the launcher's pipes and the program's streams open.
                libc::syscall(libc::SYS_close_range, 0u32, u32::MAX, 0u32);
                loop {
                    libc::pause();
                }
            }
            pid => Some(pid),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pending_signals_are_read() {
        let text = "Name:\tx\nSigPnd:\t0000000000000001\nShdPnd:\t0000000000004200\n";
        let set = pending(text).unwrap();
        assert_eq!(set >> (libc::SIGTERM - 1) & 1, 1);
        assert_eq!(set >> (libc::SIGHUP - 1) & 1, 0);
        assert_eq!(pending("Name:\tx\n"), None);
    }
}
