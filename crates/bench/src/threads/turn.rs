//! A barrier of the threads of a process that takes much less time than a small message.
//!
//! `std::sync::Barrier` puts a thread to sleep, which takes some µs. A thread that has waited for long lets others run, as there may be more threads than processors.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Looks after which a waiting thread lets others run, about 10 µs.
const LOOKS: u32 = 1000;

/// A barrier that can be used again and again.
pub struct Turn {
    threads: usize,
    arrived: AtomicUsize,
    turn: AtomicUsize,
    is_broken: AtomicBool,
}

impl Turn {
    pub fn new(threads: usize) -> Turn {
        Turn { threads, arrived: AtomicUsize::new(0), turn: AtomicUsize::new(0), is_broken: AtomicBool::new(false) }
    }

    /// Waits until all threads have called it. False if one of them never will.
    pub fn wait(&self) -> bool {
        let turn = self.turn.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            // Others arrive again only after they have seen the next turn.
            self.arrived.store(0, Ordering::Relaxed);
            self.turn.store(turn.wrapping_add(1), Ordering::Release);
            return !self.is_broken.load(Ordering::Acquire);
        }
        let mut looks = 0;
        while self.turn.load(Ordering::Acquire) == turn {
            if self.is_broken.load(Ordering::Acquire) {
                return false;
            }
            looks += 1;
            if looks < LOOKS { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        true
    }

    /// A thread has failed: the others do not wait for it.
    pub fn give_up(&self) {
        self.is_broken.store(true, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_is_ahead_of_another() {
        let (turn, counter) = (Turn::new(3), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    for round in 1..200 {
                        counter.fetch_add(1, Ordering::SeqCst);
                        assert!(turn.wait());
                        assert_eq!(counter.load(Ordering::SeqCst), 3 * round);
                        assert!(turn.wait());
                    }
                });
            }
        });
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_failed() {
        let turn = Turn::new(2);
        let is_complete = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turn.wait());
            turn.give_up();
            waiting.join().unwrap()
        });
        assert!(!is_complete && !turn.wait());
    }
}
