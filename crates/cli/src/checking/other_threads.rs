//! Whether threads of a process outside of MPI may still make progress.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::time::{Duration, Instant};

use mpiscope_launch::clock::monotonic_ns;
use mpiscope_launch::host;
use mpiscope_launch::threads::{self, Call};

/// A thread counts as asleep after this time.
const ASLEEP: Duration = Duration::from_millis(100);

/// Sleeping threads: their number of context switches, and since when.
#[derive(Default)]
pub struct Sleepers(HashMap<u32, (u64, Instant)>);

impl Sleepers {
    /// Whether a thread sleeps until another thread of its process wakes it (`pthread_join`, a mutex, a condition). It must
    /// have slept without interruption for a while: threads are inspected one after the other, and one could wake another in
    /// between. An ended thread counts as asleep. False if it cannot be inspected.
    pub fn is_asleep(&mut self, pid: u32, tid: u32) -> bool {
        let folder = format!("/proc/{pid}/task/{tid}");
        if tid != 0
            && !fs::exists(&folder).unwrap_or(true)
            && fs::exists(format!("/proc/{pid}/task/{pid}")).unwrap_or(false)
        {
            return true;
        }
        let waits = Call::read(pid, tid).is_some_and(|call| call.waits_for_thread());
        let Some(switches) = threads::switches(pid, tid).filter(|_| waits) else {
            self.0.remove(&tid);
            return false;
        };
        let known = self.0.entry(tid).or_insert((switches, Instant::now()));
        if known.0 != switches {
            *known = (switches, Instant::now());
        }
        known.1.elapsed() >= ASLEEP
    }
}

/// The moment when MPI was initialized.
#[derive(Default)]
pub struct Begun {
    /// `CLOCK_MONOTONIC`.
    pub at_ns: u64,
    /// Threads of the process then; empty if unknown.
    pub threads: Vec<u32>,
}

impl Begun {
    /// Whether a thread that started in a clock tick existed by then. A later thread may reuse the id of an ended one.
    fn has(&self, tid: u32, tick_ns: &Range<u64>) -> bool {
        match self.threads.is_empty() {
            true => tick_ns.end < self.at_ns,
            false => self.threads.contains(&tid) && tick_ns.start <= self.at_ns,
        }
    }
}

/// Whether a process of this host has a thread that does not call MPI (is not in `known`), was started after MPI was
/// initialized, and is awake. Older threads belong to the MPI and other libraries. True if the threads cannot be inspected.
pub fn any(pid: u32, known: &[u32], begun: &Begun, sleepers: &mut Sleepers) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    threads.flatten().any(|thread| {
        let Some(tid) = thread.file_name().to_str().and_then(|name| name.parse().ok()) else { return true };
        if known.contains(&tid) {
            return false;
        }
        // The main thread always belongs to the program.
        let is_young = tid == pid || host::stat(tid).is_none_or(|stat| !begun.has(tid, &tick_ns(stat.start_ticks)));
        is_young && !sleepers.is_asleep(pid, tid)
    })
}

/// The clock tick of a moment of `CLOCK_MONOTONIC`.
fn tick_ns(ticks: u64) -> Range<u64> {
    // SAFETY: no pointers.
    let per_s = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1);
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the local value.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) };
    let since_boot_ns = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
    let at_ns = |ticks: u64| {
        let ago_ns = since_boot_ns.saturating_sub(ticks.saturating_mul(1_000_000_000 / per_s));
        monotonic_ns().saturating_sub(ago_ns)
    };
    at_ns(ticks)..at_ns(ticks + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_is_not_known_and_came_later() {
        let own = std::process::id();
        let all = || -> Vec<u32> {
            let threads = fs::read_dir(format!("/proc/{own}/task")).unwrap().flatten();
            threads.filter_map(|t| t.file_name().to_str()?.parse().ok()).collect()
        };
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let (there, come) = std::sync::mpsc::channel::<u32>();
        let begun = |at_ns, threads| Begun { at_ns, threads };
        let before_ns = monotonic_ns();
        let older = all();
        let thread = std::thread::spawn(move || {
            // SAFETY: no arguments.
            there.send(unsafe { libc::syscall(libc::SYS_gettid) } as u32).unwrap();
            stopped.recv().ok();
        });
        let late = come.recv().unwrap();
        let known: Vec<u32> = all().into_iter().filter(|&tid| tid != late).collect();
        let mut sleepers = Sleepers::default();
        let later_ns = monotonic_ns() + 1_000_000_000;
        let before = begun(before_ns, Vec::new());
        assert!(any(own, &known, &before, &mut sleepers));
        assert!(
            any(own, &known, &begun(later_ns, older), &mut sleepers),
            "it was not there, however young the others are"
        );
        // Other tests of this process start and end threads at any time.
        let mut is_alone = |known: &dyn Fn() -> Vec<u32>, begun: &dyn Fn() -> Begun| {
            (0..1000).any(|_| !any(own, &known(), &begun(), &mut sleepers))
        };
        assert!(is_alone(&|| known.clone(), &|| begun(later_ns, Vec::new())), "it was there before");
        assert!(is_alone(&|| known.clone(), &|| begun(monotonic_ns(), all())), "it was, perhaps in the same tick");
        assert!(is_alone(&all, &|| begun(before_ns, Vec::new())), "all are known");
        assert!(any(u32::MAX, &[], &Begun::default(), &mut sleepers), "not of this host");
        // It waits for its message and nothing else.
        let begin = Instant::now();
        while !sleepers.is_asleep(own, late) {
            assert!(begin.elapsed() < Duration::from_secs(120), "it sleeps");
            std::thread::sleep(ASLEEP / 2);
        }
        // SAFETY: no arguments.
        let itself = unsafe { libc::syscall(libc::SYS_gettid) } as u32;
        assert!(!sleepers.is_asleep(own, itself), "it asks");
        drop(stop);
        thread.join().unwrap();
        // Who joins it is woken a moment before the system forgets it.
        let begin = Instant::now();
        while !sleepers.is_asleep(own, late) {
            assert!(begin.elapsed() < Duration::from_secs(120), "it has ended");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!sleepers.is_asleep(u32::MAX, late), "of another host");
    }
}
