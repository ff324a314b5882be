//! Records the state that Rust's runtime changes before `main`, and restores it in the child.
//!
//! The runtime ignores SIGPIPE and opens `/dev/null` for closed standard streams. Without this, the program would get
//! write errors instead of SIGPIPE, and open streams that its launcher had closed.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

static SIGPIPE_WAS_IGNORED: AtomicBool = AtomicBool::new(false);
/// Bit N is set if descriptor N was closed.
static CLOSED_STREAMS: AtomicI32 = AtomicI32::new(0);

/// Called by the C startup code, before the Rust runtime.
#[used]
#[unsafe(link_section = ".init_array")]
static RECORD: extern "C" fn() = record;

extern "C" fn record() {
    // SAFETY: plain system calls on this process's own state, with valid pointers.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(libc::SIGPIPE, std::ptr::null(), &mut action) == 0 {
            let ignored = action.sa_sigaction == libc::SIG_IGN;
            SIGPIPE_WAS_IGNORED.store(ignored, Ordering::Relaxed);
        }
        let mut closed = 0;
        for fd in 0..3 {
            if libc::fcntl(fd, libc::F_GETFD) < 0 {
                closed |= 1 << fd;
            }
        }
        CLOSED_STREAMS.store(closed, Ordering::Relaxed);
    }
}

/// The state in which this process was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inherited {
    /// Whether SIGPIPE was ignored.
    pub sigpipe_ignored: bool,
    /// One bit for each of the file descriptors 0 to 2 that was closed.
    pub closed_streams: i32,
}

/// The state recorded before `main`.
pub fn snapshot() -> Inherited {
    // Refers to the record, so that the linker keeps it.
    let _ = std::hint::black_box(&RECORD);
    Inherited {
        sigpipe_ignored: SIGPIPE_WAS_IGNORED.load(Ordering::Relaxed),
        closed_streams: CLOSED_STREAMS.load(Ordering::Relaxed),
    }
}

impl Inherited {
    /// Restores the state. Signal-safe, as it runs between `fork` and `exec`.
    pub(super) fn restore(self) {
        // SAFETY: signal-safe system calls.
        unsafe {
            let how = if self.sigpipe_ignored { libc::SIG_IGN } else { libc::SIG_DFL };
            libc::signal(libc::SIGPIPE, how);
            for fd in 0..3 {
                if self.closed_streams & (1 << fd) != 0 {
                    libc::close(fd);
                }
            }
        }
    }
}
