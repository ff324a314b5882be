//! Notes ^C instead of ending the process, so that no half-written output remains.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

extern "C" fn interrupt(signal: libc::c_int) {
    IS_INTERRUPTED.store(true, Ordering::Relaxed);
    // The second ^C ends the process.
    // SAFETY: `signal` may be called in a handler.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// While this exists, ^C and similar signals are noted instead of ending the process.
pub struct Noting([(libc::c_int, libc::sighandler_t); 3]);

impl Noting {
    /// Starts noting.
    pub fn begin() -> Noting {
        let handler = interrupt as extern "C" fn(libc::c_int) as libc::sighandler_t;
        Noting([libc::SIGINT, libc::SIGTERM, libc::SIGHUP].map(|signal| {
            // SAFETY: the handler only stores a flag and resets itself.
            let before = unsafe { libc::signal(signal, handler) };
            if before == libc::SIG_IGN {
                // SAFETY: what was ignored (nohup) stays ignored.
                unsafe { libc::signal(signal, libc::SIG_IGN) };
            }
            (signal, before)
        }))
    }

    /// Whether a signal arrived.
    pub fn is_interrupted(&self) -> bool {
        IS_INTERRUPTED.load(Ordering::Relaxed)
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        for (signal, before) in self.0 {
            // SAFETY: back to what it was.
            unsafe { libc::signal(signal, before) };
        }
    }
}
