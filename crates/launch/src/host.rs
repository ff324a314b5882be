//! This host and the processes on it.

use std::fs;

/// The host's name in file names, from `gethostname`.
pub fn name() -> String {
    let mut buffer = [0u8; 256];
    // SAFETY: the buffer is writable for the length given; its last byte remains zero.
    let failed = unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len() - 1) } != 0;
    let len = buffer.iter().position(|byte| *byte == 0).unwrap_or(0);
    let text = String::from_utf8_lossy(&buffer[..len]).replace('/', "_");
    if failed || text.is_empty() { "localhost".into() } else { text }
}

/// Sixteen random hexadecimal digits.
pub fn random_id() -> String {
    let mut bytes = [0u8; 8];
    // SAFETY: the buffer is writable for its length; eight bytes never block after boot.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    if got != bytes.len() as isize {
        let clock = crate::clock::realtime_ns() ^ (u64::from(std::process::id()) << 44);
        bytes = clock.to_ne_bytes();
    }
    format!("{:016x}", u64::from_ne_bytes(bytes))
}

/// Fields of `/proc/PID/stat` that mpiscope uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Letter of the state, such as `R`, `S` or `Z`, see proc(5).
    pub state: char,
    /// Process id of the parent.
    pub parent: u32,
    /// Clock ticks between boot and the start of the process: with the pid, its identity.
    pub start_ticks: u64,
    /// Processor time of all its threads, clock ticks.
    pub ticks: u64,
}

/// Reads `/proc/PID/stat`; `None` if there is no such process.
pub fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    parse_stat(&String::from_utf8_lossy(&text))
}

fn parse_stat(text: &str) -> Option<Stat> {
    // The second field is the name in parentheses and may contain anything.
    let rest = &text[text.rfind(')')? + 1..];
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Stat {
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        start_ticks: fields.get(19)?.parse().ok()?,
        ticks: fields.get(11)?.parse::<u64>().ok()?.saturating_add(fields.get(12)?.parse().ok()?),
    })
}

/// Whether a process still runs. A zombie counts as ended.
pub fn is_alive(pid: u32) -> bool {
    match stat(pid) {
        Some(stat) => !matches!(stat.state, 'Z' | 'X' | 'x'),
        // Without /proc; EPERM means that the process belongs to another user.
        None => {
            let Ok(pid) = libc::pid_t::try_from(pid) else {
                return false;
            };
            // SAFETY: signal 0 only checks.
            !std::path::Path::new("/proc/self/stat").exists()
                && (unsafe { libc::kill(pid, 0) } == 0
                    || std::io::Error::last_os_error().raw_os_error() == Some(libc::EPERM))
        }
    }
}

/// When a process started, to about a tick (10 ms).
pub fn started(pid: u32) -> Option<std::time::SystemTime> {
    let ticks = stat(pid)?.start_ticks;
    // SAFETY: no memory is touched.
    let per_second = u64::try_from(unsafe { libc::sysconf(libc::_SC_CLK_TCK) }).ok()?;
    let text = fs::read_to_string("/proc/stat").ok()?;
    let boot = text.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    let since_boot = std::time::Duration::from_millis(ticks * 1000 / per_second.max(1));
    Some(std::time::UNIX_EPOCH + std::time::Duration::from_secs(boot) + since_boot)
}

/// Number of processors that this process may use.
pub fn usable_cpus() -> usize {
    std::thread::available_parallelism().map_or(1, |count| count.get())
}

/// Cores of this host, hardware threads counted once: Open MPI's default number of slots.
pub fn physical_cores() -> usize {
    let mut cores = std::collections::BTreeSet::new();
    for entry in fs::read_dir("/sys/devices/system/cpu").into_iter().flatten().flatten() {
        let id = |file: &str| {
            fs::read_to_string(entry.path().join("topology").join(file))
                .ok()
                .and_then(|text| text.trim().parse::<i64>().ok())
        };
        if let (Some(package), Some(core)) = (id("physical_package_id"), id("core_id")) {
            cores.insert((package, core));
        }
    }
    if cores.is_empty() { usable_cpus() } else { cores.len().min(usable_cpus()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        let text = "12 (a) b) S 7 12 12 0 -1 4194304 1 0 0 0 30 4 0 0 20 0 1 0 4711 1 2 3";
        assert_eq!(parse_stat(text), Some(Stat { state: 'S', parent: 7, start_ticks: 4711, ticks: 34 }));
        assert_eq!(parse_stat("12 (a"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_process_lives_until_it_ends() {
        assert!(is_alive(std::process::id()));
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert!(!is_alive(pid));
    }

    #[test]
    fn ids_differ() {
        let (a, b) = (random_id(), random_id());
        assert_ne!(a, b);
        assert_eq!(a.len(), 16);
        assert!(a.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert!(!name().is_empty());
    }
}
