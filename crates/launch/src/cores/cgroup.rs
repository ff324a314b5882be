//! Limits on processor time by control groups, versions 1 and 2.

use std::fs;
use std::path::{Path, PathBuf};

/// The groups of a process that have a limit, or count how often it was reached.
#[derive(Debug, Default)]
pub(super) struct Limits {
    groups: Vec<PathBuf>,
    /// Cores that the strictest of them allows.
    pub quota_cores: Option<f64>,
}

/// How long and how often processes were throttled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Throttled {
    pub times: u64,
    pub us: u64,
}

impl Limits {
    /// The groups of this process, with all enclosing groups.
    pub(super) fn find() -> Self {
        let text = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::of(&text, Path::new("/sys/fs/cgroup"))
    }

    fn of(groups: &str, root: &Path) -> Self {
        let mut limits = Self::default();
        for folder in folders(groups, root) {
            let line = |name: &str| fs::read_to_string(folder.join(name)).ok();
            let quota = match line("cpu.max") {
                Some(text) => quota_v2(&text),
                None => line("cpu.cfs_quota_us").zip(line("cpu.cfs_period_us")).and_then(|(q, p)| quota_v1(&q, &p)),
            };
            if let Some(cores) = quota {
                limits.quota_cores = Some(limits.quota_cores.map_or(cores, |known| known.min(cores)));
                limits.groups.push(folder);
            }
        }
        limits
    }

    /// The sum over groups with a limit; there is rarely more than one.
    pub(super) fn throttled(&self) -> Option<Throttled> {
        let texts = self.groups.iter().filter_map(|group| fs::read_to_string(group.join("cpu.stat")).ok());
        texts.map(|text| throttled(&text)).reduce(|a, b| Throttled { times: a.times + b.times, us: a.us + b.us })
    }
}

/// The directories of a process's groups that may limit processor time, innermost first.
fn folders(groups: &str, root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        let mounts: &[&str] = match controllers {
            // Version 2; together with version 1 it is mounted below.
            "" => &["", "unified"],
            _ if controllers.split(',').any(|name| name == "cpu") => &["cpu", "cpu,cpuacct", "cpuacct,cpu"],
            _ => continue,
        };
        let mounts = mounts.iter().map(|name| root.join(name));
        let Some(mount) = mounts.into_iter().find(|mount| has_cpu(mount) || mount.join("cgroup.procs").exists()) else {
            continue;
        };
        // In a container the path may be the host's, and the mount is the group itself.
        let own = mount.join(path.trim_start_matches('/'));
        let own = if own.is_dir() { own } else { mount.clone() };
        found.extend(own.ancestors().take_while(|folder| folder.starts_with(&mount)).map(Path::to_owned));
    }
    found
}

fn has_cpu(folder: &Path) -> bool {
    ["cpu.max", "cpu.stat"].iter().any(|name| folder.join(name).exists())
}

/// `150000 100000`, or `max 100000`.
fn quota_v2(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    quota_v1(quota, period)
}

/// A negative quota, or `max`, means no limit.
fn quota_v1(quota: &str, period: &str) -> Option<f64> {
    let (quota, period): (f64, f64) = (quota.trim().parse().ok()?, period.trim().parse().ok()?);
    (quota > 0.0 && period > 0.0).then_some(quota / period)
}

fn throttled(text: &str) -> Throttled {
    let mut found = Throttled::default();
    for (key, value) in text.lines().filter_map(|line| line.split_once(' ')) {
        let number: u64 = value.trim().parse().unwrap_or(0);
        match key {
            "nr_throttled" => found.times = number,
            "throttled_usec" => found.us = number,
            // Version 1: ns.
            "throttled_time" => found.us = number / 1000,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas() {
        assert_eq!(quota_v2("150000 100000\n"), Some(1.5));
        assert_eq!(quota_v2("max 100000\n"), None);
        assert_eq!(quota_v1("-1\n", "100000\n"), None);
        assert_eq!(quota_v1("50000\n", "100000\n"), Some(0.5));
    }

    #[test]
    fn held_back() {
        let v2 = "usage_usec 7\nnr_periods 9\nnr_throttled 4\nthrottled_usec 5000\n";
        let v1 = "nr_periods 9\nnr_throttled 4\nthrottled_time 5000000\n";
        for text in [v1, v2] {
            assert_eq!(throttled(text), Throttled { times: 4, us: 5000 });
        }
    }

    #[test]
    fn groups_of_both_versions() {
        let root = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("cgroup.procs", "");
        put("job/cpu.max", "400000 100000");
        put("job/cpu.stat", "nr_throttled 1\nthrottled_usec 7\n");
        put("job/step/cpu.max", "max 100000");
        let limits = Limits::of("0::/job/step\n", root.path());
        assert_eq!(limits.quota_cores, Some(4.0));
        assert_eq!(limits.throttled(), Some(Throttled { times: 1, us: 7 }));
        put("cpu/a/cpu.cfs_quota_us", "50000");
        put("cpu/a/cpu.cfs_period_us", "100000");
        put("cpu/cpu.stat", "nr_throttled 0\n");
        let limits = Limits::of("3:cpu:/a\n4:memory:/b\n", root.path());
        assert_eq!(limits.quota_cores, Some(0.5));
        // The path of the host, seen in a container.
        assert_eq!(Limits::of("3:cpu:/docker/1\n", &root.path().join("nowhere")).quota_cores, None);
    }
}
