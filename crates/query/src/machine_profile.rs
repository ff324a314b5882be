//! The machine profile beside a run: which one it is, whether it holds for the run, and its curves for the ranks of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use mpiscope_abi::settings::is_of_mpi;
use mpiscope_analysis::attainable::Reference;
use mpiscope_analysis::attainable::reference::{Curve, Memory, OperationCurve, PairClass, Places, Point, command};
use mpiscope_machine::{Profile, SUFFIX, Scope};
use mpiscope_run::topology::Topology;
use mpiscope_run::{CpuPlace, Hosts, PeerClass, Run};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// The profile with which a run is compared, and what a reader has to know about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MachineProfile {
    /// Its directory; `None` if there are several beside the run and none was named.
    pub path: Option<PathBuf>,
    /// Whether the run is compared with it.
    pub is_used: bool,
    /// When it was measured: end, s since 1970. `None` if it cannot be read.
    pub ended_s: Option<u64>,
    /// Ranks of the job that measured it.
    pub ranks: Option<i32>,
    /// Whether the machine was not quiet while some of the curves were measured.
    pub is_disturbed: bool,
    /// Why it is not used, or what it lacks; each with the command that measures it.
    pub notes: Vec<String>,
}

/// Finds the profile of a run and reads it: the one that is named, otherwise the only one beside the run. Without any, `None` twice.
/// With a network, messages between hosts are compared with pairs on as many hops, if the profile has hops.
pub fn machine_profile(
    run: &Run,
    mpi: &str,
    named: Option<&Path>,
    network: Option<&Topology>,
) -> (Option<MachineProfile>, Option<Reference>) {
    let path = match named {
        Some(path) => path.to_path_buf(),
        None => match &beside(&run.path)[..] {
            [] => return (None, None),
            [path] => path.clone(),
            several => {
                let names: Vec<String> = several.iter().map(|path| path.display().to_string()).collect();
                let note = format!(
                    "several machine profiles are beside the run: {}; name one: --machine {}",
                    names.join(", "),
                    names[0]
                );
                return (Some(MachineProfile { notes: vec![note], ..MachineProfile::default() }), None);
            }
        },
    };
    let mut found = MachineProfile { path: Some(path.clone()), ..MachineProfile::default() };
    let reference = match mpiscope_machine::read(&path) {
        Ok(profile) => found.compare(run, mpi, &profile, network),
        Err(error) => {
            found.notes.push(format!("{error}; measure one: {}", command(run.ranks.len(), BOTH)));
            None
        }
    };
    found.is_used = reference.is_some();
    (Some(found), reference)
}

/// In the place of the value of a variable.
const NOT_SET: &str = "not set";

/// Experiments with curves for reports.
const PINGPONG: &str = "pingpong";
const COLLECTIVES: &str = "collectives";
const MEMORY: &str = "memory";
const BOTH: &str = "pingpong collectives";

/// Profiles in the directory that contains the run, in order of their names.
fn beside(run: &Path) -> Vec<PathBuf> {
    // `..` and `.` have no name: what contains them is not a part of the text.
    let parent =
        if run.file_name().is_some() { run.parent().unwrap_or(Path::new("")).to_path_buf() } else { run.join("..") };
    let place = if parent.as_os_str().is_empty() { Path::new(".") } else { &parent };
    let entries = fs::read_dir(place).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| parent.join(entry.file_name()))
        .filter(|path| path.extension().is_some_and(|end| end == SUFFIX) && path.is_dir())
        .collect();
    found.sort();
    found
}

impl MachineProfile {
    /// The curves that hold for the run; `None`, with a note, if it was another machine or MPI.
    fn compare(&mut self, run: &Run, mpi: &str, profile: &Profile, network: Option<&Topology>) -> Option<Reference> {
        (self.ended_s, self.ranks) = (Some(profile.ended_s), Some(profile.mpi.ranks));
        let ranks = run.ranks.len();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (own, measured) = (words(mpi.lines().next().unwrap_or("")), words(&profile.mpi.version));
        if !own.is_empty() && own != measured {
            let library = run.manifest.mpi.as_ref().map(|mpi| mpi.library.display().to_string());
            let option = library.map_or(String::new(), |library| format!("--mpi {library} "));
            self.notes.push(format!(
                "it was measured with another MPI: {measured}; the run used {own}; measure that: {}",
                command(ranks, &format!("{option}{BOTH}"))
            ));
            return None;
        }
        if !self.has_hosts(run, profile) {
            return None;
        }
        self.compare_variables(run, profile);
        let mut reference = reference(run, profile);
        if let Some(network) = network {
            add_hops(&mut reference, run, profile, network);
        }
        let has_messages = reference.classes.iter().any(|class| class.curve.is_some());
        for (is_there, what, id) in [
            (has_messages, "messages", PINGPONG),
            (!reference.operations.is_empty(), "collective operations", COLLECTIVES),
        ] {
            if !is_there {
                self.notes.push(format!("it has no {what} (experiment {id}); measure both: {}", command(ranks, BOTH)));
            }
        }
        let curves = reference.classes.iter().filter_map(|class| class.curve.as_ref());
        self.is_disturbed =
            curves.chain(reference.operations.iter().map(|of| &of.curve)).any(|curve| curve.is_disturbed);
        (has_messages || !reference.operations.is_empty()).then_some(reference)
    }

    /// Notes the variables of the MPI that had another value in the run: limits and times may be others.
    fn compare_variables(&mut self, run: &Run, profile: &Profile) {
        let mut different = Vec::new();
        let mut compare = |name: &str, own: BTreeSet<&str>, measured: &str| {
            if own.iter().any(|own| *own != measured) {
                let own = own.into_iter().collect::<Vec<_>>().join(" or ");
                different.push(format!("{name} was {own} in the run and {measured} in the profile"));
            }
        };
        for (name, measured) in &profile.settings.control_variables {
            let key = format!("mpi_t.cvar.{name}");
            let own = run.ranks.iter().filter_map(|rank| rank.defs.info(&key)).collect();
            compare(name, own, &measured.to_string());
        }
        // Older runs do not have the environment.
        let of_ranks = || run.ranks.iter().filter(|rank| rank.defs.info("settings").is_some());
        let names = of_ranks().flat_map(|rank| rank.defs.info.keys()).filter_map(|key| key.strip_prefix("env."));
        let measured = &profile.settings.variables;
        let names: BTreeSet<&str> =
            names.chain(measured.keys().map(String::as_str)).filter(|name| is_of_mpi(name)).collect();
        for name in names {
            let key = format!("env.{name}");
            let own = of_ranks().map(|rank| rank.defs.info(&key).unwrap_or(NOT_SET)).collect();
            compare(name, own, measured.get(name).map_or(NOT_SET, String::as_str));
        }
        if !different.is_empty() {
            self.notes.push(format!(
                "{}: times may differ for this reason; measure with the settings of the run: {}",
                different.join(", "),
                command(run.ranks.len(), BOTH)
            ));
        }
    }

    /// Whether hosts of the run were measured. If only some were, the others are taken for equal.
    fn has_hosts(&mut self, run: &Run, profile: &Profile) -> bool {
        let measured: BTreeSet<&str> = profile.hosts.iter().map(|host| host.host.as_str()).collect();
        let own: BTreeSet<&str> = run.ranks.iter().map(|rank| rank.host()).filter(|host| !host.is_empty()).collect();
        let others: Vec<&str> = own.difference(&measured).copied().collect();
        let is_elsewhere = !own.is_empty() && others.len() == own.len();
        if is_elsewhere {
            self.notes.push(format!(
                "it was measured on {}, but the run was on {}; measure there: {}",
                shortened(&measured.into_iter().collect::<Vec<_>>()),
                shortened(&others),
                command(run.ranks.len(), BOTH)
            ));
        } else if !others.is_empty() {
            self.notes.push(format!("{} was not measured: the numbers are those of other hosts", shortened(&others)));
        }
        !is_elsewhere
    }
}

/// Names of hosts, the first ones.
fn shortened(hosts: &[&str]) -> String {
    const MOST: usize = 4;
    let more = hosts.len().saturating_sub(MOST);
    let end = if more > 0 { format!(" and {more} more hosts") } else { String::new() };
    hosts[..hosts.len() - more].join(", ") + &end
}

/// Classes of pairs, the closest first.
const CLASSES: [PeerClass; 9] = [
    PeerClass::Itself,
    PeerClass::SameL2,
    PeerClass::SameL3,
    PeerClass::SameNuma,
    PeerClass::SamePackage,
    PeerClass::SameNode,
    PeerClass::SameNodeNotBound,
    PeerClass::OtherNode,
    PeerClass::Unknown,
];

fn reference(run: &Run, profile: &Profile) -> Reference {
    // Of pairs on different hosts, the first one is that with the fewest hops.
    let of_class = |class: PeerClass| ping_pongs(profile, class).next().map(|c| curve(profile, c));
    let operation = |c: &mpiscope_machine::Curve| {
        // With a skew, the time counts from the begin of the last rank.
        let is_own = c.experiment == COLLECTIVES && c.scope == Scope::All && c.skew_ns == 0;
        let name = c.series.strip_suffix("/library").filter(|_| is_own)?;
        // The experiment has only the variant with blocks of equal size.
        let name = if name == "reduce_scatter" { "reduce_scatter_block" } else { name };
        Some(OperationCurve { name: name.to_owned(), curve: curve(profile, c) })
    };
    Reference {
        classes: CLASSES.map(|class| PairClass { name: class.id(), hops: None, curve: of_class(class) }).to_vec(),
        places: places(run),
        operations: profile.curves.iter().filter_map(operation).collect(),
        ranks: profile.mpi.ranks.max(0) as u64,
        memory: memory(profile),
    }
}

/// Ping-pongs of the pairs of a class.
fn ping_pongs(profile: &Profile, class: PeerClass) -> impl Iterator<Item = &mpiscope_machine::Curve> {
    let curves = profile.curves.iter().filter(|c| c.experiment == PINGPONG && c.series == "ping-pong");
    curves.filter(move |c| matches!(c.scope, Scope::Pair(_)) && profile.class_of(c.scope) == class.id())
}

/// Most hosts with a class for each two of them: the table then has 2^24 rows.
const MOST_HOSTS: usize = 1 << 12;

/// A class for each number of hops between hosts of the run, if the profile has hops and the network has the hosts.
fn add_hops(reference: &mut Reference, run: &Run, profile: &Profile, network: &Topology) {
    let mut hosts: Vec<&str> = Vec::new();
    // As they are numbered in the places.
    for (rank, &number) in run.ranks.iter().zip(&reference.places.hosts) {
        if number as usize == hosts.len() {
            hosts.push(rank.host());
        }
    }
    let has_hops = profile.pairs.iter().any(|pair| pair.hops.is_some());
    let Ok(nodes) = network.nodes_of(&hosts) else { return };
    if !has_hops || hosts.len() > MOST_HOSTS {
        return;
    }
    let mut by_hops: BTreeMap<u32, usize> = BTreeMap::new();
    let mut class = |a: u64, b: u64| {
        if a == b {
            return reference.places.between;
        }
        let hops = network.hops(a, b);
        *by_hops.entry(hops).or_insert_with(|| {
            let measured = ping_pongs(profile, PeerClass::OtherNode).find(|c| profile.hops_of(c.scope) == Some(hops));
            let curve = measured.map(|c| curve(profile, c));
            reference.classes.push(PairClass { name: PeerClass::OtherNode.id(), hops: Some(hops), curve });
            reference.classes.len() - 1
        })
    };
    reference.places.apart = nodes.iter().map(|&a| nodes.iter().map(|&b| class(a, b)).collect()).collect();
}

/// Of loops that copy, the time of a pass: half of the working set is read, the other half written.
fn memory(profile: &Profile) -> Option<Memory> {
    let of = |is_scope: fn(Scope) -> bool| {
        let mut found = profile.curves.iter().filter(|c| c.experiment == MEMORY && c.series == "copy");
        let mut curve = curve(profile, found.find(|c| is_scope(c.scope))?);
        curve.points.iter_mut().for_each(|point| point.bytes /= 2);
        Some(curve)
    };
    // One rank for each processor.
    let ranks: usize = profile.hosts.iter().map(|host| host.ranks.min(host.usable_cpus.max(1))).sum();
    let ranks = ranks.max(1) as u64 / profile.hosts.len().max(1) as u64;
    Some(Memory {
        alone: of(|scope| matches!(scope, Scope::Rank(_)))?,
        at_once: of(|scope| scope == Scope::All)?,
        ranks,
    })
}

fn curve(profile: &Profile, of: &mpiscope_machine::Curve) -> Curve {
    let point =
        |p: &mpiscope_machine::CurvePoint| Point { bytes: p.x, ns: p.median_ns, low_ns: p.low_ns, high_ns: p.high_ns };
    let mut points: Vec<Point> = of.points.iter().map(point).filter(|point| point.ns > 0.0).collect();
    points.sort_by_key(|point| point.bytes);
    points.dedup_by_key(|point| point.bytes);
    let same = |p: &&mpiscope_machine::Parameter| p.experiment == of.experiment && p.scope == of.scope;
    let is_disturbed = !profile.complete || profile.parameters.iter().filter(same).any(|p| p.disturbed);
    Curve { points, is_disturbed }
}

/// Where the ranks of the run are.
fn places(run: &Run) -> Places {
    let (hosts, _) = Hosts::read(&run.path);
    let mut numbers: FxHashMap<&str, u32> = FxHashMap::default();
    let mut kinds: Vec<CpuPlace> = Vec::new();
    let mut found = Places::default();
    for rank in &run.ranks {
        let next = numbers.len() as u32;
        found.hosts.push(*numbers.entry(rank.host()).or_insert(next));
        // Where ranks on unknown hosts are is unknown, too: the number is not in the table.
        if rank.host().is_empty() {
            found.places.push(u32::MAX);
            continue;
        }
        let place = hosts.place(rank);
        let at = kinds.iter().position(|kind| *kind == place).unwrap_or_else(|| {
            kinds.push(place);
            kinds.len() - 1
        });
        found.places.push(at as u32);
    }
    let number = |class: PeerClass| CLASSES.iter().position(|&of| of == class).unwrap_or(CLASSES.len() - 1);
    let host = "the same";
    let between = |a: &CpuPlace, b: &CpuPlace| number(PeerClass::between((host, a), (host, b)));
    found.within = kinds.iter().map(|a| kinds.iter().map(|b| between(a, b)).collect()).collect();
    found.between = number(PeerClass::OtherNode);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_machine::{CurvePoint, Host, Pair, Parameter, write};
    use mpiscope_run::Live;

    const MPI: &str = "Open MPI v4.1.4, package: Debian";

    /// A directory with a run of two ranks on host `h`.
    fn folder() -> (tempfile::TempDir, Run) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.out.mpiscope");
        let text = "host h = 0,1\n0 0 1 Send to=1 bytes=8\n1 0 2 Recv from=0 bytes=8";
        mpiscope_ingest::testing::write(text, &path);
        let run = Run::open(&path, &Live::default()).unwrap();
        (folder, run)
    }

    fn curve_of(experiment: &str, series: &str, scope: Scope) -> mpiscope_machine::Curve {
        let point =
            |x: u64| CurvePoint { x, median_ns: 1000.0 + x as f64, low_ns: Some(900.0), ..CurvePoint::default() };
        mpiscope_machine::Curve {
            experiment: experiment.into(),
            series: series.into(),
            scope,
            points: vec![point(1024), point(0), CurvePoint::default()],
            ..mpiscope_machine::Curve::default()
        }
    }

    fn profile() -> Profile {
        let mut profile = Profile { format: 1, complete: true, ended_s: 7, ..Profile::default() };
        (profile.mpi.version, profile.mpi.ranks) = (MPI.into(), 2);
        profile.hosts = vec![Host { host: "h".into(), ranks: 2, usable_cpus: 2, ..Host::default() }];
        profile.pairs = vec![Pair { class: "same-node".into(), hops: None, ranks: [0, 1] }];
        profile.curves = vec![
            curve_of(PINGPONG, "exchange", Scope::Pair(0)),
            curve_of(PINGPONG, "ping-pong", Scope::Pair(0)),
            curve_of(COLLECTIVES, "allreduce/reduce+bcast", Scope::All),
            curve_of(COLLECTIVES, "allreduce/library", Scope::All),
            curve_of(COLLECTIVES, "reduce_scatter/library", Scope::All),
        ];
        profile
    }

    /// What becomes of a profile with a change.
    fn changed(change: impl Fn(&mut Profile)) -> (MachineProfile, Option<Reference>) {
        let (folder, run) = folder();
        let path = folder.path().join("x.machine");
        std::fs::create_dir(&path).unwrap();
        let mut profile = profile();
        change(&mut profile);
        write(&path, &profile).unwrap();
        let (found, reference) = machine_profile(&run, MPI, Some(&path), None);
        let found = found.unwrap();
        assert_eq!(found.is_used, reference.is_some());
        (found, reference)
    }

    #[test]
    fn pairs_of_hosts_are_compared_by_hops_where_the_network_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.out.mpiscope");
        let mut text = "host a = 0,1\nhost b = 2\nhost c = 3\nhost d = 4\n".to_owned();
        (0..5).for_each(|rank| text += &format!("{rank} 0 1 Barrier\n"));
        mpiscope_ingest::testing::write(&text, &path);
        let run = Run::open(&path, &Live::default()).unwrap();
        let far = |hops, rank| Pair { class: "other-node".into(), hops, ranks: [0, rank] };
        let ns = |hops: &[Option<u32>], network: &str| {
            let mut profile = profile();
            profile.pairs = hops.iter().map(|&hops| far(hops, 2)).collect();
            let curve = |(at, _): (usize, _)| {
                let mut curve = curve_of(PINGPONG, "ping-pong", Scope::Pair(at));
                curve.points.iter_mut().for_each(|point| point.median_ns = 1000.0 * (at + 1) as f64);
                curve
            };
            profile.curves = hops.iter().enumerate().map(curve).collect();
            let mut reference = reference(&run, &profile);
            add_hops(&mut reference, &run, &profile, &Topology::parse(network).unwrap());
            [(0, 2), (1, 4), (0, 3), (2, 4), (0, 1)].map(|(a, b)| {
                let (a, b) = (mpiscope_store::RankId(a), mpiscope_store::RankId(b));
                let class = &reference.classes[reference.class_of(a, b).unwrap()];
                (class.hops, class.curve.as_ref().map(|curve| curve.points[0].ns))
            })
        };
        let ring = "[torus]\nshape = [4]\n[nodes]\nhosts = [\"a\", \"b\", \"c\", \"d\"]";
        let (one, two) = ((Some(1), Some(1000.0)), (Some(2), Some(2000.0)));
        let [within, not_known] = [(None, None), (None, Some(1000.0))];
        assert_eq!(ns(&[Some(1), Some(2)], ring), [one, one, two, two, within]);
        // Nothing was measured over two hops.
        assert_eq!(ns(&[Some(1)], ring), [one, one, (Some(2), None), (Some(2), None), within]);
        // A profile without hops, and a network without a host.
        assert_eq!(ns(&[None], ring), [not_known, not_known, not_known, not_known, within]);
        let other = ring.replace("\"d\"", "\"e\"");
        assert_eq!(ns(&[Some(1), Some(2)], &other), [not_known, not_known, not_known, not_known, within]);
    }

    #[test]
    fn half_of_a_working_set_is_copied() {
        let (_, reference) = changed(|profile| {
            let (all, one) = (curve_of(MEMORY, "copy", Scope::All), curve_of(MEMORY, "copy", Scope::Rank(0)));
            profile.curves.extend([curve_of(MEMORY, "read", Scope::All), all, one]);
        });
        let memory = reference.unwrap().memory.unwrap();
        let points: Vec<(u64, f64)> = memory.at_once.points.iter().map(|p| (p.bytes, p.ns)).collect();
        assert_eq!((points, memory.ranks), (vec![(0, 1000.0), (512, 2024.0)], 2));
        assert_eq!(memory.alone.points.len(), 2);
        let (_, without) = changed(|profile| profile.curves.push(curve_of(MEMORY, "copy", Scope::All)));
        assert!(without.unwrap().memory.is_none(), "the copies of one rank alone are missing");
    }

    #[test]
    fn curves_are_those_of_the_run() {
        let (found, reference) = changed(|_| {});
        let reference = reference.unwrap();
        assert_eq!((found.notes, found.is_disturbed, found.ended_s, found.ranks), (vec![], false, Some(7), Some(2)));
        let class = reference.class_of(mpiscope_store::RankId(0), mpiscope_store::RankId(1)).unwrap();
        assert_eq!(reference.classes[class].name, "same-node");
        let curve = reference.classes[class].curve.as_ref().unwrap();
        let points: Vec<(u64, f64)> = curve.points.iter().map(|p| (p.bytes, p.ns)).collect();
        assert_eq!(points, [(0, 1000.0), (1024, 2024.0)], "in order, without what is no time");
        let names: Vec<&str> = reference.operations.iter().map(|of| of.name.as_str()).collect();
        assert_eq!(names, ["allreduce", "reduce_scatter_block"]);
    }

    #[test]
    fn numbers_of_a_busy_machine_are_marked() {
        let (found, reference) = changed(|profile| {
            let scope = Scope::Pair(0);
            profile.parameters =
                vec![Parameter { experiment: PINGPONG.into(), scope, disturbed: true, ..Parameter::default() }];
        });
        let reference = reference.unwrap();
        assert!(found.is_disturbed && !reference.operations[0].curve.is_disturbed);
        assert!(changed(|profile| profile.complete = false).0.is_disturbed);
    }

    #[test]
    fn what_does_not_fit_is_reported_with_a_command() {
        let (found, _) = changed(|profile| profile.mpi.version = "MPICH Version: 4.0.2".into());
        let [note] = &found.notes[..] else { panic!("{found:?}") };
        assert!(
            note.starts_with("it was measured with another MPI: MPICH Version: 4.0.2; the run used Open MPI"),
            "{note}"
        );
        assert!(!found.is_used && note.ends_with("mpiscope bench -n 2 -o NEW.machine pingpong collectives"), "{note}");

        let (found, _) = changed(|profile| profile.hosts[0].host = "other".into());
        assert!(found.notes[0].starts_with("it was measured on other, but the run was on h; measure there: mpiscope"));
        assert!(!found.is_used);

        let (found, reference) = changed(|profile| profile.curves.truncate(2));
        assert_eq!(found.notes.len(), 1);
        assert!(found.notes[0].starts_with("it has no collective operations (experiment collectives)"), "{found:?}");
        assert!(found.is_used && reference.unwrap().operations.is_empty());

        let (_, reference) = changed(|profile| profile.curves.iter_mut().for_each(|curve| curve.skew_ns = 1000));
        assert!(reference.unwrap().operations.is_empty(), "ranks that do not begin at once");

        let (found, _) = changed(|profile| profile.curves.clear());
        assert!(!found.is_used && found.notes.len() == 2, "{found:?}");
    }

    #[test]
    fn other_values_of_control_variables_are_noted() {
        let (folder, mut run) = folder();
        let path = folder.path().join("x.machine");
        std::fs::create_dir(&path).unwrap();
        let mut profile = profile();
        profile.settings.control_variables = [("a_limit".into(), 4096), ("b_limit".into(), 1)].into();
        write(&path, &profile).unwrap();
        let notes = |run: &Run| {
            let (found, reference) = machine_profile(run, MPI, Some(&path), None);
            assert!(reference.is_some(), "the profile is used all the same");
            found.unwrap().notes
        };
        assert!(notes(&run).is_empty(), "unknown in the run");
        for (rank, value) in [(0, "4096"), (1, "512")] {
            run.ranks[rank].defs.info.insert("mpi_t.cvar.a_limit".into(), value.into());
            run.ranks[rank].defs.info.insert("mpi_t.cvar.b_limit".into(), "1".into());
        }
        let [note] = &notes(&run)[..] else { panic!() };
        assert!(
            note.starts_with("a_limit was 4096 or 512 in the run and 4096 in the profile: times may differ"),
            "{note}"
        );
        run.ranks[1].defs.info.retain(|_, value| value != "512");
        assert!(notes(&run).is_empty());
    }

    #[test]
    fn other_settings_in_the_environment_are_noted() {
        let (folder, mut run) = folder();
        let path = folder.path().join("x.machine");
        std::fs::create_dir(&path).unwrap();
        let mut profile = profile();
        profile.settings.variables = [("UCX_TLS".into(), "tcp".into()), ("OMP_NUM_THREADS".into(), "1".into())].into();
        write(&path, &profile).unwrap();
        let notes = |run: &Run| machine_profile(run, MPI, Some(&path), None).0.unwrap().notes;
        assert!(notes(&run).is_empty(), "a run of an older version");
        for rank in &mut run.ranks {
            rank.defs.info.insert("settings".into(), "1".into());
            rank.defs.info.insert("env.FI_PROVIDER".into(), "tcp".into());
        }
        let [note] = &notes(&run)[..] else { panic!() };
        let start = "FI_PROVIDER was tcp in the run and not set in the profile, UCX_TLS was not set in the run and tcp in the profile: ";
        assert!(note.starts_with(start), "{note}");
    }

    #[test]
    fn spaces_in_versions_make_no_difference() {
        let (folder, run) = folder();
        let path = folder.path().join("x.machine");
        std::fs::create_dir(&path).unwrap();
        write(&path, &profile()).unwrap();
        let text = "Open MPI  v4.1.4,\tpackage: Debian\nmore";
        assert!(machine_profile(&run, text, Some(&path), None).1.is_some());
    }

    #[test]
    fn the_only_profile_beside_a_run_is_found() {
        let (folder, run) = folder();
        assert_eq!(machine_profile(&run, MPI, None, None).0, None);
        std::fs::write(folder.path().join("file.machine"), "").unwrap();
        assert_eq!(machine_profile(&run, MPI, None, None).0, None, "a file is no profile");
        let path = folder.path().join("b.machine");
        std::fs::create_dir(&path).unwrap();
        let (found, _) = machine_profile(&run, MPI, None, None);
        let found = found.unwrap();
        assert_eq!(found.path.as_deref(), Some(path.as_path()));
        assert!(
            found.notes[0].contains("is not a machine profile: it has no machine.json; measure one: mpiscope bench")
        );
        write(&path, &profile()).unwrap();
        assert!(machine_profile(&run, MPI, None, None).0.unwrap().is_used);
        std::fs::create_dir(folder.path().join("a.machine")).unwrap();
        let (found, reference) = machine_profile(&run, MPI, None, None);
        let found = found.unwrap();
        assert!(found.path.is_none() && reference.is_none());
        let [first, second] =
            ["a", "b"].map(|name| folder.path().join(format!("{name}.machine")).display().to_string());
        assert_eq!(
            found.notes,
            [format!("several machine profiles are beside the run: {first}, {second}; name one: --machine {first}")]
        );
    }

    #[test]
    fn a_profile_that_cannot_be_read_is_reported() {
        let (folder, run) = folder();
        let path = folder.path().join("x.machine");
        let note = |run: &Run| machine_profile(run, MPI, Some(&path), None).0.unwrap().notes.remove(0);
        assert!(note(&run).contains("does not exist; measure one:"));
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("machine.json"), "{").unwrap();
        assert!(note(&run).contains("is damaged"));
        std::fs::write(path.join("machine.json"), r#"{"format":99}"#).unwrap();
        assert!(note(&run).contains("use a newer mpiscope; measure one:"));
    }
}
