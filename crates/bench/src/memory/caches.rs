//! The caches of a processor, and how much memory may be used, according to the kernel.

use std::fs;
use std::path::Path;

use mpiscope_launch::node::numbers;

/// A cache for data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    pub level: u32,
    pub bytes: usize,
    /// Logical processors that share it.
    pub processors: usize,
}

/// The data caches of a processor, the smallest level first. `system` is `/sys/devices/system`. Empty where the kernel does not
/// show them.
pub fn caches(system: &Path, processor: u32) -> Vec<Cache> {
    let folder = system.join(format!("cpu/cpu{processor}/cache"));
    let mut found: Vec<Cache> =
        (0..).map_while(|index| cache(&folder.join(format!("index{index}")))).flatten().collect();
    found.sort_by_key(|cache| cache.level);
    found
}

/// Outer `None`: there is no such index. Inner: a cache for instructions, or one whose size is unknown.
fn cache(folder: &Path) -> Option<Option<Cache>> {
    let line = |name: &str| fs::read_to_string(folder.join(name)).ok().map(|text| text.trim().to_owned());
    let kind = line("type")?;
    let known = || {
        Some(Cache {
            level: line("level")?.parse().ok()?,
            bytes: size(&line("size")?)?,
            processors: line("shared_cpu_list").map_or(1, |list| numbers(&list).count().max(1)),
        })
    };
    Some(if kind == "Instruction" { None } else { known() })
}

/// Bytes for `32K`.
fn size(text: &str) -> Option<usize> {
    let (digits, shift) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        _ => (text, 0),
    };
    digits.parse::<usize>().ok()?.checked_shl(shift).filter(|&bytes| bytes > 0)
}

/// Memory that this process may use: what is available on the host, and what its control groups still allow. `root` is `/`.
pub fn free_bytes(root: &Path) -> Option<usize> {
    let read = |path: &str| fs::read_to_string(root.join(path)).ok();
    let available = read("proc/meminfo")?
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:")?.trim().strip_suffix(" kB")?.parse::<usize>().ok())?
        << 10;
    let number = |path: &str| read(path)?.trim().parse::<usize>().ok();
    let mut free = available;
    // Version 2 has one line, `0::/path`; version 1 one for each controller, `4:memory:/path`.
    for line in read("proc/self/cgroup").unwrap_or_default().lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let (mount, most, used) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max", "memory.current"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => continue,
        };
        // The limit of every group above holds, too. In a container the path may be that of the host: then only the root is left.
        for group in Path::new(path.trim_start_matches('/')).ancestors() {
            let file = |name: &str| format!("{mount}/{}", group.join(name).display());
            if let (Some(most), Some(used)) = (number(&file(most)), number(&file(used))) {
                free = free.min(most.saturating_sub(used));
            }
        }
    }
    Some(free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn data_caches_are_found() {
        let dir = tempfile::tempdir().unwrap();
        for (index, level, kind, size, shared) in [
            (0, "1", "Data", "32K", "0,64"),
            (1, "1", "Instruction", "32K", "0,64"),
            (2, "2", "Unified", "1M", "0,64"),
            (3, "3", "Unified", "32768K", "0-7,64-71"),
        ] {
            let folder = format!("cpu/cpu0/cache/index{index}");
            for (name, text) in [("level", level), ("type", kind), ("size", size), ("shared_cpu_list", shared)] {
                write(dir.path(), &format!("{folder}/{name}"), &format!("{text}\n"));
            }
        }
        let found: Vec<_> = caches(dir.path(), 0).iter().map(|c| (c.level, c.bytes, c.processors)).collect();
        assert_eq!(found, [(1, 32 << 10, 2), (2, 1 << 20, 2), (3, 32 << 20, 16)]);
        assert!(caches(dir.path(), 1).is_empty());
        write(dir.path(), "cpu/cpu0/cache/index2/size", "many\n");
        assert_eq!(caches(dir.path(), 0).len(), 2, "what is not understood is left out");
    }

    #[test]
    fn a_control_group_limits_the_memory() {
        let dir = tempfile::tempdir().unwrap();
        let free = || free_bytes(dir.path());
        assert_eq!(free(), None);
        write(dir.path(), "proc/meminfo", "MemTotal:  99 kB\nMemAvailable:    8192 kB\n");
        assert_eq!(free(), Some(8 << 20));
        write(dir.path(), "proc/self/cgroup", "0::/job/step\n");
        write(dir.path(), "sys/fs/cgroup/job/memory.max", "5000\n");
        write(dir.path(), "sys/fs/cgroup/job/memory.current", "2000\n");
        write(dir.path(), "sys/fs/cgroup/job/step/memory.max", "max\n");
        write(dir.path(), "sys/fs/cgroup/job/step/memory.current", "1000\n");
        assert_eq!(free(), Some(3000));
        write(dir.path(), "proc/self/cgroup", "5:cpu:/\n4:memory:/x\n");
        write(dir.path(), "sys/fs/cgroup/memory/x/memory.limit_in_bytes", "700\n");
        write(dir.path(), "sys/fs/cgroup/memory/x/memory.usage_in_bytes", "900\n");
        assert_eq!(free(), Some(0));
    }
}
