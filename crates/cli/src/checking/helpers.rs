//! Threads of a process that have not called MPI and could.

use std::fs;

use mpiscope_launch::clock::monotonic_ns;
use mpiscope_launch::host;

/// Whether a process of this host has a thread that is not among those that call MPI (`known`) and was there only after
/// `begun_ns` (`CLOCK_MONOTONIC`), when MPI was. Older ones are those of the MPI and of libraries. What cannot be seen may
/// be there.
pub fn any(pid: u32, known: &[u32], begun_ns: u64) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    threads.flatten().any(|thread| {
        let Some(tid) = thread.file_name().to_str().and_then(|name| name.parse().ok()) else { return true };
        if known.contains(&tid) {
            return false;
        }
        // The first thread of a program is its own.
        tid == pid || host::stat(tid).is_none_or(|stat| started_ns(stat.start_ticks) >= begun_ns)
    })
}

/// The end of the clock tick in which something began, by `CLOCK_MONOTONIC`.
fn started_ns(ticks: u64) -> u64 {
    // SAFETY: no pointers.
    let per_s = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).unwrap_or(100).max(1);
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: writes the local value.
    unsafe { libc::clock_gettime(libc::CLOCK_BOOTTIME, &mut now) };
    let since_boot_ns = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
    let ago_ns = since_boot_ns.saturating_sub((ticks + 1).saturating_mul(1_000_000_000 / per_s));
    monotonic_ns().saturating_sub(ago_ns)
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
        let (tell, told) = std::sync::mpsc::channel::<()>();
        let (there, come) = std::sync::mpsc::channel::<u32>();
        let before_ns = monotonic_ns();
        let thread = std::thread::spawn(move || {
            // SAFETY: no arguments.
            there.send(unsafe { libc::syscall(libc::SYS_gettid) } as u32).unwrap();
            told.recv().ok();
        });
        let late = come.recv().unwrap();
        let known: Vec<u32> = all().into_iter().filter(|&tid| tid != late).collect();
        assert!(any(own, &known, before_ns));
        assert!(!any(own, &known, monotonic_ns() + 1_000_000_000), "it was there before");
        assert!(!any(own, &[&known[..], &[late]].concat(), before_ns));
        assert!(any(u32::MAX, &[], 0), "not of this host");
        drop(tell);
        thread.join().unwrap();
    }
}
