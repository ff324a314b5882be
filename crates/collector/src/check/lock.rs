//! A lock that costs one atomic exchange when it is free.
//!
//! That of the standard library needs a second exchange to unlock, which waits until all earlier stores have left the
//! processor: some events of the ring, whose memory is in the cache of their reader. This one unlocks with a plain store, and checks
//! afterwards whether a thread sleeps. The two may miss each other, so a thread never sleeps for long.

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

const OPEN: u32 = 0;
const HELD: u32 = 1;
/// Tries before sleeping: what is done under the lock takes less than a microsecond, unless a ring is full.
const SPINS: u32 = 100;
/// Longest sleep, ns.
const SLEEP_NS: i64 = 500_000;

/// A value that one thread at a time may have.
pub struct Lock<T> {
    state: AtomicU32,
    sleepers: AtomicU32,
    is_waking: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: one thread at a time has the value.
unsafe impl<T: Send> Sync for Lock<T> {}

/// Opens the lock at its end, also that of a panic.
pub struct Guard<'a, T>(&'a Lock<T>);

impl<T> Lock<T> {
    /// Open.
    pub fn new(value: T) -> Lock<T> {
        Lock {
            state: AtomicU32::new(OPEN),
            sleepers: AtomicU32::new(0),
            is_waking: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until it is free.
    #[inline]
    pub fn lock(&self) -> Guard<'_, T> {
        if !self.take() {
            self.wait();
        }
        Guard(self)
    }

    #[inline]
    fn take(&self) -> bool {
        self.state.swap(HELD, Ordering::Acquire) == OPEN
    }

    #[cold]
    fn wait(&self) {
        let mut was_woken = false;
        loop {
            let has_it = (0..SPINS).any(|_| {
                std::hint::spin_loop();
                self.state.load(Ordering::Relaxed) == OPEN && self.take()
            });
            if was_woken {
                self.is_waking.store(false, Ordering::Relaxed);
            }
            if has_it {
                return;
            }
            self.sleepers.fetch_add(1, Ordering::SeqCst);
            was_woken = self.futex(libc::FUTEX_WAIT, HELD) == 0;
            self.sleepers.fetch_sub(1, Ordering::SeqCst);
        }
    }

    /// Wakes one, unless another is about to try: whoever runs has the lock many times until then.
    #[cold]
    fn wake(&self) {
        if !self.is_waking.load(Ordering::Relaxed)
            && !self.is_waking.swap(true, Ordering::Relaxed)
            && self.futex(libc::FUTEX_WAKE, 1) != 1
        {
            self.is_waking.store(false, Ordering::Relaxed);
        }
    }

    fn futex(&self, operation: i32, value: u32) -> i64 {
        let time = libc::timespec { tv_sec: 0, tv_nsec: SLEEP_NS };
        let operation = operation | libc::FUTEX_PRIVATE_FLAG;
        // SAFETY: the lock's own word; whoever comes back early looks again.
        unsafe { libc::syscall(libc::SYS_futex, self.state.as_ptr(), operation, value, &raw const time) }
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the lock is held.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Guard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is held.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Guard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.0.state.store(OPEN, Ordering::Release);
        if self.0.sleepers.load(Ordering::Relaxed) > 0 {
            self.0.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_at_a_time() {
        const THREADS: u64 = 4;
        const TIMES: u64 = 50_000;
        let lock = Lock::new(0u64);
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    for n in 0..TIMES {
                        let mut count = lock.lock();
                        let before = *count;
                        // Some of them hold it so long that others sleep.
                        if n % 10_000 == 0 {
                            std::thread::sleep(std::time::Duration::from_millis(2));
                        }
                        *count = std::hint::black_box(before) + 1;
                    }
                });
            }
        });
        assert_eq!(*lock.lock(), THREADS * TIMES);
    }

    #[test]
    fn a_panic_opens_it() {
        let lock = Lock::new(0);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _guard = lock.lock();
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        *lock.lock() += 1;
    }
}
