//! What threads of other processes are waiting for, from `/proc`.

use std::fs;

/// Number and arguments of the system call that a thread is in; `None` if it runs or cannot be inspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    number: i64,
    arguments: [u64; 6],
}

impl Call {
    /// The system call of a thread.
    pub fn read(pid: u32, tid: u32) -> Option<Call> {
        Call::parse(&fs::read_to_string(format!("/proc/{pid}/task/{tid}/syscall")).ok()?)
    }

    /// Parses `/proc/…/syscall`.
    fn parse(text: &str) -> Option<Call> {
        let mut words = text.split_whitespace();
        let number = words.next()?.parse().ok()?;
        let mut arguments = [0; 6];
        for argument in &mut arguments {
            *argument = u64::from_str_radix(words.next()?.trim_start_matches("0x"), 16).ok()?;
        }
        Some(Call { number, arguments })
    }

    /// A wait on a futex without a time limit: until another thread wakes it (`pthread_join`, a mutex, a condition).
    pub fn waits_for_thread(&self) -> bool {
        let [_, operation, _, limit, ..] = self.arguments;
        // Without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME: FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET.
        self.number == libc::SYS_futex && limit == 0 && matches!(operation & 0x7f, 0 | 6 | 9)
    }

    /// A wait for another thread or an external event, with or without a time limit: neither work nor sleep.
    pub fn is_idle(&self) -> bool {
        #[cfg(target_arch = "x86_64")]
        let older = [libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_wait];
        #[cfg(not(target_arch = "x86_64"))]
        let older = [];
        let newer = [libc::SYS_futex, libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_pwait];
        newer.contains(&self.number) || older.contains(&self.number)
    }
}

/// Number of context switches of a thread.
pub fn switches(pid: u32, tid: u32) -> Option<u64> {
    count(&fs::read_to_string(format!("/proc/{pid}/task/{tid}/status")).ok()?)
}

/// Both numbers of context switches in `/proc/…/status`.
fn count(status: &str) -> Option<u64> {
    let counts = status.lines().filter_map(|line| line.split_once("ctxt_switches:")?.1.trim().parse::<u64>().ok());
    let counts: Vec<u64> = counts.collect();
    (counts.len() == 2).then(|| counts.iter().sum())
}

/// All threads of a process; empty if they cannot be inspected.
pub fn all(pid: u32) -> Option<Vec<u32>> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    threads.map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect()
}

/// All children of a process; `None` if the kernel does not provide them.
pub fn children(pid: u32) -> Option<Vec<u32>> {
    let mut found = Vec::new();
    for tid in all(pid)? {
        let text = fs::read_to_string(format!("/proc/{pid}/task/{tid}/children")).ok()?;
        found.extend(text.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_told_apart() {
        let call =
            |number: i64, arguments: &str| Call::parse(&format!("{number} {arguments} 0x7ffc 0x7f12\n")).unwrap();
        let futex =
            |operation: &str, limit: &str| call(libc::SYS_futex, &format!("0x1 {operation} 0x0 {limit} 0x0 0x0"));
        assert!(futex("0x80", "0x0").waits_for_thread() && futex("0x189", "0x0").waits_for_thread());
        assert!(!futex("0x80", "0x7ffe").waits_for_thread(), "with a limit");
        assert!(!futex("0x81", "0x0").waits_for_thread(), "wakes another");
        let poll = call(libc::SYS_ppoll, "0x1 0x1 0x0 0x0 0x0 0x0");
        assert!(poll.is_idle() && !poll.waits_for_thread());
        for number in [libc::SYS_write, libc::SYS_nanosleep, libc::SYS_clock_nanosleep, libc::SYS_wait4] {
            assert!(!call(number, "0x1 0x1 0x0 0x0 0x0 0x0").is_idle());
        }
        assert_eq!((Call::parse("running\n"), Call::parse("-1 0x7ffc 0x7f12\n")), (None, None));
    }

    #[test]
    fn switches_are_counted() {
        assert_eq!(count("voluntary_ctxt_switches:\t3\nnonvoluntary_ctxt_switches:\t4\n"), Some(7));
        assert_eq!(count("Name:\tx\n"), None);
        let own = std::process::id();
        assert!(switches(own, own).is_some() && all(own).unwrap().contains(&own));
    }

    #[test]
    fn children_of_all_threads() {
        let own = std::process::id();
        let child = std::thread::spawn(|| std::process::Command::new("sleep").arg("60").spawn().unwrap());
        let mut child = child.join().unwrap();
        assert!(children(own).unwrap().contains(&child.id()));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(own).unwrap().contains(&child.id()));
    }
}
