//! `RUN/nodes/<host>.json`: the hardware of a host according to its kernel. Schema: `schemas/node.schema.json`.
//!
//! Which cores share a cache, a NUMA node or a package cannot be determined after the job. The first `exec` of a host writes
//! the file; the others only check for it. Anything that fails is omitted: the program must not be affected, and a report
//! then only has fewer details.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::copy_speed::CopySpeed;
use crate::spool;

/// Directory in the run.
pub const NODES: &str = "nodes";
/// Version of the file.
pub const FORMAT: u32 = 1;

/// Lists of logical processors in the kernel's format, such as `0-3,8`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// See [`FORMAT`].
    pub format: u32,
    /// The host's name as in the file's name.
    pub host: String,
    /// Online processors.
    pub cpus: String,
    /// Processors of each package (socket), by lowest processor.
    pub packages: Vec<String>,
    /// Processors of each NUMA node, by the kernel's number; nodes with only memory are omitted.
    pub numa: BTreeMap<u32, String>,
    /// Processors of each third-level cache, by lowest processor.
    pub l3: Vec<String>,
    /// Processors of each second-level cache, by lowest processor; empty in files of older versions.
    #[serde(default)]
    pub l2: Vec<String>,
    /// Processors of each core, by lowest processor.
    pub cores: Vec<String>,
    /// Copy speed of one core, bytes per second; measured after the program has ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_bytes_per_s: Option<u64>,
    /// Why that was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_missing: Option<String>,
    /// Size of both buffers of that measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy_block_bytes: Option<u64>,
}

/// Space to leave free: the last pages of a file system are reserved for rank files.
pub(crate) const LEAVE_BYTES: u64 = 1 << 20;

/// Writes the hardware of this host unless the file exists or there is no space. True if this call wrote it.
///
/// # Errors
///
/// If the directory or the file cannot be written.
pub fn write_once(run: &Path, host: &str) -> io::Result<bool> {
    if spool::room(run)?.free_bytes < LEAVE_BYTES {
        return Ok(false);
    }
    write_from(Path::new("/sys/devices/system"), run, host)
}

/// Adds the copy speed of a core of this host, or why it is unknown, unless present. For one process of a host, after its
/// program has ended.
///
/// # Errors
///
/// If the file of this host is missing or invalid, or cannot be replaced.
pub fn add_copy_speed(
    run: &Path,
    host: &str,
    measure: impl FnOnce() -> Result<CopySpeed, &'static str>,
) -> io::Result<()> {
    let folder = run.join(NODES);
    let target = folder.join(format!("{host}.json"));
    let mut node: Node = serde_json::from_slice(&fs::read(&target)?)?;
    if node.copy_bytes_per_s.is_some() || spool::room(run)?.free_bytes < LEAVE_BYTES {
        return Ok(());
    }
    (node.copy_bytes_per_s, node.copy_block_bytes, node.copy_missing) = match measure() {
        Ok(found) => (Some(found.bytes_per_s), Some(found.block_bytes), None),
        Err(why) => (None, None, Some(why.to_owned())),
    };
    let part = folder.join(format!(".{host}.json.copy.part"));
    let mut text = serde_json::to_string(&node)?;
    text.push('\n');
    let written = fs::write(&part, text).and_then(|()| fs::rename(&part, &target));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn write_from(system: &Path, run: &Path, host: &str) -> io::Result<bool> {
    let folder = run.join(NODES);
    let target = folder.join(format!("{host}.json"));
    if target.exists() {
        return Ok(false);
    }
    DirBuilder::new().recursive(true).mode(0o777).create(&folder)?;
    // Ranks of a host start together: the one that creates this file reads /sys; the others do not wait.
    let part = folder.join(format!(".{host}.json.part"));
    let mut file = match File::create_new(&part) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(false),
        other => other?,
    };
    let mut text = serde_json::to_string(&Node::examine(system, host))?;
    text.push('\n');
    let written = file.write_all(text.as_bytes()).and_then(|()| fs::rename(&part, &target));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written.map(|()| true)
}

impl Node {
    /// Reads `system` (`/sys/devices/system`). Missing information remains empty.
    fn examine(system: &Path, host: &str) -> Self {
        let cpus = line(&system.join("cpu/online")).unwrap_or_default();
        let cpu = |number: u32| system.join(format!("cpu/cpu{number}"));
        // Newer kernels use the first name, older ones the second.
        let either = |number: u32, names: [&str; 2]| {
            names.into_iter().find_map(|name| line(&cpu(number).join("topology").join(name)))
        };
        Self {
            format: FORMAT,
            host: host.to_owned(),
            packages: domains(&cpus, |n| either(n, ["package_cpus_list", "core_siblings_list"])),
            numa: numa(&system.join("node")),
            l3: domains(&cpus, |n| cache(&cpu(n), "3", [3, 2, 4, 1])),
            l2: domains(&cpus, |n| cache(&cpu(n), "2", [2, 1, 3, 4])),
            cores: domains(&cpus, |n| either(n, ["core_cpus_list", "thread_siblings_list"])),
            cpus,
            copy_bytes_per_s: None,
            copy_missing: None,
            copy_block_bytes: None,
        }
    }
}

/// The distinct lists of all processors. A processor that is already in a list is skipped: a machine has many processors and
/// few packages.
fn domains(cpus: &str, list_of: impl Fn(u32) -> Option<String>) -> Vec<String> {
    let mut left: BTreeSet<u32> = numbers(cpus).collect();
    let mut found = Vec::new();
    while let Some(first) = left.pop_first() {
        if let Some(list) = list_of(first).filter(|list| !list.is_empty()) {
            numbers(&list).for_each(|number| {
                left.remove(&number);
            });
            found.push(list);
        }
    }
    found
}

/// The processors that share the cache of this level with a processor. `likely`: where to look first; on x86-64, index0 and index1 are both
/// first-level caches.
fn cache(cpu: &Path, level: &str, likely: [u32; 4]) -> Option<String> {
    likely.into_iter().find_map(|index| {
        let cache = cpu.join(format!("cache/index{index}"));
        (line(&cache.join("level"))? == level).then(|| line(&cache.join("shared_cpu_list")))?
    })
}

fn numa(folder: &Path) -> BTreeMap<u32, String> {
    let node = |entry: fs::DirEntry| {
        let number = entry.file_name().to_str()?.strip_prefix("node")?.parse().ok()?;
        let list = line(&entry.path().join("cpulist")).filter(|list| !list.is_empty())?;
        Some((number, list))
    };
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(node).collect()
}

/// The processors in `0-3,8`.
pub fn numbers(list: &str) -> impl Iterator<Item = u32> {
    /// Limit, more than Linux supports.
    const MOST: u32 = 1 << 16;
    let range = |item: &str| {
        let (first, last) = item.split_once('-').unwrap_or((item, item));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        Some(first..=last.min(MOST))
    };
    list.split(',').filter_map(range).flatten()
}

fn line(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{text}\n")).unwrap();
    }

    /// Two packages of two cores with two threads each; memory alone on NUMA node 2.
    fn machine(root: &Path) {
        put(root, "cpu/online", "0-7");
        for cpu in 0..8 {
            let package = (cpu % 4) / 2;
            let of = |name: &str| format!("cpu/cpu{cpu}/{name}");
            let siblings = if package == 0 { "0-1,4-5" } else { "2-3,6-7" };
            put(root, &of("topology/package_cpus_list"), siblings);
            put(root, &of("topology/thread_siblings_list"), &format!("{},{}", cpu % 4, cpu % 4 + 4));
            put(root, &of("cache/index2/level"), "2");
            put(root, &of("cache/index2/shared_cpu_list"), &format!("{},{}", cpu % 4, cpu % 4 + 4));
            put(root, &of("cache/index3/level"), "3");
            put(root, &of("cache/index3/shared_cpu_list"), siblings);
        }
        put(root, "node/node0/cpulist", "0-1,4-5");
        put(root, "node/node1/cpulist", "2-3,6-7");
        put(root, "node/node2/cpulist", "");
        put(root, "node/online", "0-2");
    }

    #[test]
    fn a_machine_is_read() {
        let dir = tempfile::tempdir().unwrap();
        machine(dir.path());
        let node = Node::examine(dir.path(), "n1");
        assert_eq!(node.packages, ["0-1,4-5", "2-3,6-7"]);
        assert_eq!(node.l3, node.packages);
        assert_eq!(node.cores, ["0,4", "1,5", "2,6", "3,7"]);
        assert_eq!(node.l2, node.cores);
        assert_eq!(node.numa.into_iter().collect::<Vec<_>>(), [(0, "0-1,4-5".into()), (1, "2-3,6-7".into())]);
        assert_eq!(Node::examine(&dir.path().join("none"), "n1").packages, Vec::<String>::new());
    }

    #[test]
    fn the_first_writes_and_the_others_do_not() {
        let dir = tempfile::tempdir().unwrap();
        let (system, run) = (dir.path().join("sys"), dir.path().join("run"));
        machine(&system);
        assert!(write_from(&system, &run, "n1").unwrap());
        let text = fs::read_to_string(run.join("nodes/n1.json")).unwrap();
        assert_eq!(serde_json::from_str::<Node>(&text).unwrap(), Node::examine(&system, "n1"));
        assert!(!write_from(&system, &run, "n1").unwrap());
        // Another is at it.
        fs::write(run.join("nodes/.n2.json.part"), "").unwrap();
        assert!(!write_from(&system, &run, "n2").unwrap());
        assert!(write_from(&system, &system.join("cpu/online"), "n3").is_err(), "a file is no run");
    }

    fn read_node(run: &Path) -> Node {
        serde_json::from_slice(&fs::read(run.join("nodes/n1.json")).unwrap()).unwrap()
    }

    #[test]
    fn the_speed_of_copies_comes_later_and_once() {
        let dir = tempfile::tempdir().unwrap();
        let (system, run) = (dir.path().join("sys"), dir.path().join("run"));
        machine(&system);
        let found = CopySpeed { bytes_per_s: 7, block_bytes: 8 };
        assert!(add_copy_speed(&run, "n1", || Ok(found)).is_err(), "no file of this host");
        write_from(&system, &run, "n1").unwrap();
        add_copy_speed(&run, "n1", || Err("busy")).unwrap();
        assert_eq!(read_node(&run).copy_missing.as_deref(), Some("busy"));
        add_copy_speed(&run, "n1", || Ok(found)).unwrap();
        assert_eq!(read_node(&run).copy_missing, None);
        add_copy_speed(&run, "n1", || panic!("measured once more")).unwrap();
        let node = read_node(&run);
        assert_eq!((node.copy_bytes_per_s, node.copy_block_bytes), (Some(7), Some(8)));
        assert_eq!(node.cores, Node::examine(&system, "n1").cores);
        assert_eq!(fs::read_dir(run.join("nodes")).unwrap().count(), 1);
    }

    #[test]
    fn this_machine_has_processors() {
        let node = Node::examine(Path::new("/sys/devices/system"), "here");
        assert!(numbers(&node.cpus).count() > 0);
    }

    #[test]
    fn lists_of_processors() {
        assert_eq!(numbers("0-2,8").collect::<Vec<_>>(), [0, 1, 2, 8]);
        assert_eq!(numbers("").count() + numbers("x,3-1").count(), 0);
    }
}
