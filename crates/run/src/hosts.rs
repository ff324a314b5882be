//! Hardware of hosts, where on them ranks may run, and how close two ranks are.
//!
//! `mpiscope exec` writes `nodes/<host>.json` once per host. Runs without it (recorded by hand, or if /sys could not be read)
//! contain only host names and lists of cores.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::cpus::{CpuSet, Domains};
use crate::diagnostic::Diagnostic;
use crate::run::Rank;

/// Latest version of the file that this crate reads, and the largest file it takes for one.
const FORMAT: u32 = 1;
const MOST_BYTES: u64 = 1 << 20;

#[derive(Deserialize, Default)]
#[serde(default)]
struct File {
    format: u32,
    host: String,
    cpus: String,
    packages: Vec<String>,
    numa: BTreeMap<u32, String>,
    l3: Vec<String>,
    l2: Vec<String>,
    cores: Vec<String>,
    /// Anything else than a number is ignored.
    copy_bytes_per_s: serde_json::Value,
    copy_missing: Option<String>,
}

/// If the program still runs, `exec` was killed, or an older mpiscope recorded the run.
const NOT_MEASURED: &str = "it was not measured after the program";

/// One host.
#[derive(Clone, Debug, Default)]
struct Host {
    cpus: CpuSet,
    packages: Domains,
    numa: Domains,
    l3: Domains,
    l2: Domains,
    cores: Domains,
    copy_bytes_per_s: Option<u64>,
    copy_missing: Option<String>,
}

/// The hosts of a run, by name.
#[derive(Default)]
pub struct Hosts(BTreeMap<String, Host>);

/// How close two ranks are, as far as known: the innermost part that they share. For ranks that are not bound to a part of the host, it is known only if the host
/// has a single such part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PeerClass {
    /// A rank and itself.
    Itself,
    /// Their cores share a second-level cache, also as hardware threads of one core.
    SameL2,
    /// Their cores share a third-level cache.
    SameL3,
    /// Their cores share a NUMA node.
    SameNuma,
    /// Their cores share a package.
    SamePackage,
    /// On one host, in different packages, or with unknown hardware.
    SameNode,
    /// On one host, and at least one is not bound and may run on several packages.
    SameNodeNotBound,
    /// On different hosts.
    OtherNode,
    /// A host is unknown.
    Unknown,
}

/// Where on its host a rank may run. Lists are empty if unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CpuPlace {
    /// Whether it may use fewer processors than its host has.
    pub bound: Option<bool>,
    /// Cores it may use, hardware threads counted once.
    pub cores: Option<u64>,
    /// Packages (sockets) of these, from 0.
    pub packages: Vec<u32>,
    /// NUMA nodes of these, as the kernel numbers them.
    pub numa: Vec<u32>,
    /// Third-level caches of these, from 0.
    pub l3: Vec<u32>,
    /// Second-level caches of these, from 0; unknown in runs of older versions.
    pub l2: Vec<u32>,
}

/// Hardware of one host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostRow {
    /// Host name.
    pub host: String,
    /// Recorded ranks on it, of those requested.
    pub ranks: u64,
    /// Those of them that are not bound.
    pub ranks_not_bound: u64,
    /// Packages (sockets).
    pub packages: u64,
    /// NUMA nodes with processors.
    pub numa: u64,
    /// Third-level caches.
    pub l3: u64,
    /// Cores.
    pub cores: u64,
    /// Copy speed of one core, measured after the program had ended.
    pub copy_bytes_per_s: Option<u64>,
    /// Why that is unknown, if it is.
    pub copy_missing: Option<String>,
}

impl Hosts {
    /// Reads `nodes/` of a run.
    pub fn read(run: &Path) -> (Hosts, Vec<Diagnostic>) {
        let (mut hosts, mut problems) = (Hosts::default(), Vec::new());
        for entry in fs::read_dir(run.join("nodes")).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') || !name.ends_with(".json") {
                continue; // being written
            }
            match read(&entry.path()) {
                Ok((host, facts)) => {
                    hosts.0.insert(host, facts);
                }
                Err(why) => problems.push(Diagnostic::skipped(&format!("nodes/{name}"), why)),
            }
        }
        problems.sort_by(|a, b| a.file.cmp(&b.file));
        (hosts, problems)
    }

    /// Copy speed of one core of a host, bytes per second.
    pub fn copy_bytes_per_s(&self, host: &str) -> Option<u64> {
        self.0.get(host)?.copy_bytes_per_s
    }

    /// Where a rank may run.
    pub fn place(&self, rank: &Rank) -> CpuPlace {
        self.place_of(rank.host(), rank.defs.info("cpus").unwrap_or(""))
    }

    /// Where a process with this list of processors may run.
    pub fn place_of(&self, host: &str, cpus: &str) -> CpuPlace {
        let cpus = CpuSet::parse(cpus);
        let Some(host) = self.0.get(host).filter(|_| !cpus.is_empty()) else { return CpuPlace::default() };
        let cores = host.cores.touched_by(&cpus).len() as u64;
        CpuPlace {
            bound: (!host.cpus.is_empty()).then(|| !cpus.contains(&host.cpus)),
            cores: (cores > 0).then_some(cores),
            packages: host.packages.touched_by(&cpus),
            numa: host.numa.touched_by(&cpus),
            l3: host.l3.touched_by(&cpus),
            l2: host.l2.touched_by(&cpus),
        }
    }

    /// A row for each host that is known, with its ranks of `ranks`.
    pub fn rows(&self, ranks: &[(&str, &CpuPlace)]) -> Vec<HostRow> {
        let row = |(name, host): (&String, &Host)| {
            let own = || ranks.iter().filter(|(host, _)| host == name);
            HostRow {
                host: name.clone(),
                ranks: own().count() as u64,
                ranks_not_bound: own().filter(|(_, place)| place.bound == Some(false)).count() as u64,
                packages: host.packages.count() as u64,
                numa: host.numa.count() as u64,
                l3: host.l3.count() as u64,
                cores: host.cores.count() as u64,
                copy_bytes_per_s: host.copy_bytes_per_s,
                copy_missing: host
                    .copy_bytes_per_s
                    .is_none()
                    .then(|| host.copy_missing.clone().unwrap_or_else(|| NOT_MEASURED.to_owned())),
            }
        };
        self.0.iter().map(row).filter(|row| row.ranks > 0).collect()
    }
}

fn read(path: &Path) -> Result<(String, Host), String> {
    let size = fs::metadata(path).map_err(|e| e.to_string())?.len();
    if size > MOST_BYTES {
        return Err(format!("too large for the description of a host ({size} bytes)"));
    }
    let text = fs::read(path).map_err(|e| e.to_string())?;
    let file: File = serde_json::from_slice(&text).map_err(|e| e.to_string())?;
    if file.format > FORMAT {
        return Err(format!(
            "format {}, but this mpiscope reads only up to {FORMAT}; use a newer mpiscope",
            file.format
        ));
    }
    let host = Host {
        cpus: CpuSet::parse(&file.cpus),
        packages: Domains::numbered(&file.packages),
        numa: Domains::named(&file.numa),
        l3: Domains::numbered(&file.l3),
        l2: Domains::numbered(&file.l2),
        cores: Domains::numbered(&file.cores),
        copy_bytes_per_s: file.copy_bytes_per_s.as_u64().filter(|&speed| speed > 0),
        copy_missing: file.copy_missing,
    };
    Ok((file.host, host))
}

/// Whether two ranks of one host share a part: true if each is on only one part and it is the same.
fn shared(a: &[u32], b: &[u32]) -> Option<bool> {
    match (a, b) {
        ([a], [b]) => Some(a == b),
        _ => None,
    }
}

impl PeerClass {
    /// Stable name, as in JSON and in machine profiles.
    pub fn id(self) -> &'static str {
        match self {
            PeerClass::Itself => "itself",
            PeerClass::SameL2 => "same-l2",
            PeerClass::SameL3 => "same-l3",
            PeerClass::SameNuma => "same-numa",
            PeerClass::SamePackage => "same-package",
            PeerClass::SameNode => "same-node",
            PeerClass::SameNodeNotBound => "same-node-not-bound",
            PeerClass::OtherNode => "other-node",
            PeerClass::Unknown => "unknown",
        }
    }

    /// Of two different ranks on hosts with these names.
    pub fn between(a: (&str, &CpuPlace), b: (&str, &CpuPlace)) -> PeerClass {
        let ((host, a), (other, b)) = (a, b);
        if host.is_empty() || other.is_empty() {
            return PeerClass::Unknown;
        }
        if host != other {
            return PeerClass::OtherNode;
        }
        let levels = [
            (shared(&a.l2, &b.l2), PeerClass::SameL2),
            (shared(&a.l3, &b.l3), PeerClass::SameL3),
            (shared(&a.numa, &b.numa), PeerClass::SameNuma),
            (shared(&a.packages, &b.packages), PeerClass::SamePackage),
        ];
        if let Some((_, class)) = levels.iter().find(|(shared, _)| *shared == Some(true)) {
            return *class;
        }
        if a.packages.len() > 1 || b.packages.len() > 1 { PeerClass::SameNodeNotBound } else { PeerClass::SameNode }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(l3: &[u32], numa: &[u32], packages: &[u32]) -> CpuPlace {
        CpuPlace { l3: l3.into(), numa: numa.into(), packages: packages.into(), ..CpuPlace::default() }
    }

    #[test]
    fn the_speed_of_copies_is_a_number_or_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let nodes = dir.path().join("nodes");
        fs::create_dir(&nodes).unwrap();
        for (host, speed) in [("a", "12"), ("b", "null"), ("c", r#""fast""#), ("d", "0")] {
            let text = format!(r#"{{"format":1,"host":"{host}","cpus":"0","copy_bytes_per_s":{speed}}}"#);
            fs::write(nodes.join(format!("{host}.json")), text).unwrap();
        }
        fs::write(nodes.join("e.json"), r#"{"format":1,"host":"e","cpus":"0"}"#).unwrap();
        let (hosts, problems) = Hosts::read(dir.path());
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(["a", "b", "c", "d", "e"].map(|h| hosts.copy_bytes_per_s(h)), [Some(12), None, None, None, None]);
    }

    #[test]
    fn the_innermost_part_that_both_are_in() {
        let class = |a: &CpuPlace, b: &CpuPlace| PeerClass::between(("n", a), ("n", b));
        let (first, second, third) = (place(&[0], &[0], &[0]), place(&[1], &[0], &[0]), place(&[2], &[1], &[0]));
        assert_eq!(class(&first, &first), PeerClass::SameL3);
        assert_eq!(class(&first, &second), PeerClass::SameNuma);
        assert_eq!(class(&first, &third), PeerClass::SamePackage);
        assert_eq!(class(&first, &place(&[4], &[2], &[1])), PeerClass::SameNode);
        // Bound to a package, not to one of its caches.
        assert_eq!(class(&first, &place(&[0, 1], &[0], &[0])), PeerClass::SameNuma);
        assert_eq!(class(&first, &place(&[0, 1, 2, 3], &[0, 1], &[0, 1])), PeerClass::SameNodeNotBound);
        assert_eq!(class(&place(&[], &[], &[]), &first), PeerClass::SameNode, "nothing known");
    }

    #[test]
    fn cores_that_share_a_second_level_cache_are_closer() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("nodes")).unwrap();
        let write = |host: &str, l2: &str| {
            let text = format!(
                r#"{{"format":1,"host":"{host}","cpus":"0-7","packages":["0-7"],"numa":{{}},"l3":["0-7"],{l2}"cores":["0,4","1,5","2,6","3,7"]}}"#
            );
            fs::write(dir.path().join(format!("nodes/{host}.json")), text).unwrap();
        };
        // Two cores with two threads each share a cache; an older mpiscope has not recorded that.
        write("new", r#""l2":["0-1,4-5","2-3,6-7"],"#);
        write("old", "");
        let (hosts, problems) = Hosts::read(dir.path());
        assert!(problems.is_empty(), "{problems:?}");
        let class = |host: &str, a: &str, b: &str| {
            PeerClass::between((host, &hosts.place_of(host, a)), (host, &hosts.place_of(host, b)))
        };
        // Threads of a core, neighbours, cores of both caches; a rank with the cores of both.
        let pairs = [("0", "4"), ("0,4", "1,5"), ("0", "2"), ("0", "0-7")];
        use PeerClass::{SameL2, SameL3};
        assert_eq!(pairs.map(|(a, b)| class("new", a, b)), [SameL2, SameL2, SameL3, SameL3]);
        assert_eq!(pairs.map(|(a, b)| class("old", a, b)), [SameL3; 4]);
    }

    #[test]
    fn hosts_first() {
        let p = place(&[0], &[0], &[0]);
        assert_eq!(PeerClass::between(("a", &p), ("b", &p)), PeerClass::OtherNode);
        assert_eq!(PeerClass::between(("", &p), ("b", &p)), PeerClass::Unknown);
    }

    #[test]
    fn ids_are_those_of_json() {
        for class in
            [PeerClass::SameL2, PeerClass::SameL3, PeerClass::SameNodeNotBound, PeerClass::OtherNode, PeerClass::Itself]
        {
            assert_eq!(serde_json::to_value(class).unwrap(), class.id());
        }
    }
}
