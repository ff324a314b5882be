//! MPICH: which composition the device takes, and which algorithm in each of its steps.
//!
//! The trees are in the library as text, and here as it has them (`data/algorithms/mpich.txt`). What a composition consists of is code there
//! (`src/mpid/ch4/src/ch4_coll_impl.h`) and here.

use std::sync::OnceLock;

use super::mpich_conditions::{Fit, counts, fit};
use super::others::Boundaries;
use super::tree::{self, Node, Question, parse, select};
use super::{Call, DIFFERENT_SIZES, Inferred, Mpi, Part, Place, not_known};
use crate::version::Range;

const TREES: &str = include_str!("../../data/algorithms/mpich.txt");
/// Calls of a communicator within a host before shared memory is used (`MPIR_CVAR_POSIX_NUM_COLLS_THRESHOLD`).
const CALLS_BEFORE_SHARED: u64 = 5;

/// A tree of one of the layers: `ch4` compositions, `posix` shared memory, `mpir` algorithms.
struct Tree {
    layer: &'static str,
    versions: Range,
    /// One node for each operation.
    operations: Vec<Node>,
}

fn trees() -> &'static [Tree] {
    static ALL: OnceLock<Vec<Tree>> = OnceLock::new();
    ALL.get_or_init(|| TREES.split("#tree ").skip(1).map(|text| tree(text).expect("a test reads the trees")).collect())
}

fn tree(text: &'static str) -> Option<Tree> {
    let (head, body) = text.split_once('\n')?;
    let (layer, versions) = head.split_once(' ')?;
    Some(Tree { layer, versions: Range::parse(versions.trim())?, operations: parse(body) })
}

/// What a composition does: each step's place and operation; `None` for the operation itself. Empty: the device leaves it to `mpir`.
type Steps = &'static [(Place, Option<&'static str>)];

const COMPOSITIONS: [(&str, Steps); 7] = [
    (
        "MPIDI_Barrier_intra_composition_alpha",
        &[(Place::WithinHosts, None), (Place::BetweenHosts, None), (Place::WithinHosts, Some("bcast"))],
    ),
    ("MPIDI_Bcast_intra_composition_alpha", &[(Place::BetweenHosts, None), (Place::WithinHosts, None)]),
    ("MPIDI_Bcast_intra_composition_beta", &[(Place::BetweenHosts, None), (Place::WithinHosts, None)]),
    (
        "MPIDI_Allreduce_intra_composition_alpha",
        &[(Place::WithinHosts, Some("reduce")), (Place::BetweenHosts, None), (Place::WithinHosts, Some("bcast"))],
    ),
    ("MPIDI_Reduce_intra_composition_alpha", &[(Place::WithinHosts, None), (Place::BetweenHosts, None)]),
    ("MPIDI_Reduce_intra_composition_beta", &[(Place::WithinHosts, None), (Place::BetweenHosts, None)]),
    (
        "MPIDI_Scan_intra_composition_alpha",
        &[(Place::WithinHosts, None), (Place::BetweenHosts, None), (Place::WithinHosts, Some("bcast"))],
    ),
];
/// What a composition needs; MPICH decides as without the setting if it does not have it.
enum Fitting {
    Always,
    OneHost,
    Hosts,
    HostsAndCommutes,
}

/// Compositions by the number that `MPIR_CVAR_…_COMPOSITION` selects them by, from 4.1 on. Those with several leaders are not here.
const NUMBERED: [(&str, &str, &str, Fitting); 13] = [
    ("barrier", "1", "MPIDI_Barrier_intra_composition_alpha", Fitting::Hosts),
    ("barrier", "2", "MPIDI_Barrier_intra_composition_beta", Fitting::Always),
    ("bcast", "1", "MPIDI_Bcast_intra_composition_alpha", Fitting::Hosts),
    ("bcast", "2", "MPIDI_Bcast_intra_composition_beta", Fitting::Hosts),
    ("bcast", "3", "MPIDI_Bcast_intra_composition_gamma", Fitting::Always),
    ("allreduce", "1", "MPIDI_Allreduce_intra_composition_alpha", Fitting::HostsAndCommutes),
    ("allreduce", "2", "MPIDI_Allreduce_intra_composition_beta", Fitting::Always),
    ("allreduce", "3", "MPIDI_Allreduce_intra_composition_gamma", Fitting::OneHost),
    ("reduce", "1", "MPIDI_Reduce_intra_composition_alpha", Fitting::HostsAndCommutes),
    ("reduce", "2", "MPIDI_Reduce_intra_composition_beta", Fitting::HostsAndCommutes),
    ("reduce", "3", "MPIDI_Reduce_intra_composition_gamma", Fitting::Always),
    ("alltoall", "2", "MPIDI_Alltoall_intra_composition_beta", Fitting::Always),
    ("allgather", "2", "MPIDI_Allgather_intra_composition_beta", Fitting::Always),
];
/// All members by what the host has.
const SHARED_BY_ALL: &str = "MPIDI_Allreduce_intra_composition_gamma";
/// Several leaders on each host, which need as many ranks on each of them.
const LEADERS: [&str; 3] = [
    "MPIDI_Allreduce_intra_composition_delta",
    "MPIDI_Alltoall_intra_composition_alpha",
    "MPIDI_Allgather_intra_composition_alpha",
];

pub(super) fn infer(mpi: &Mpi, call: &Call) -> Inferred {
    let Some(version) = mpi.target.version.as_ref() else { return not_known("the version of MPICH is not known") };
    let of_layer = |layer: &str| trees().iter().find(|tree| tree.layer == layer && tree.versions.contains(version));
    let Some(mpir) = of_layer("mpir") else {
        return not_known(format!("the trees of this version of MPICH are not in the table, which has {}", versions()));
    };
    let posix = of_layer("posix").filter(|_| !has_only_ucx(mpi));
    let call = match as_mpich_sees(mpi, call) {
        Ok(call) => call,
        Err(why) => return not_known(why),
    };
    let asking = Asking { mpi, mpir, posix, call: &call, operation: call.operation() };
    for (name, of) in FILES {
        if let Some(file) = asking.cvar(name) {
            return not_known(format!("{of} is read from a file that the run does not contain: {file}"));
        }
    }
    asking.answer(of_layer("ch4")).unwrap_or_else(not_known)
}

/// MPICH makes UCX alone responsible for messages within hosts, too (`MPIDI_CH4_DIRECT_NETMOD`): then no operation uses its own shared
/// memory. Seen with 4.0.2 of Debian.
fn has_only_ucx(mpi: &Mpi) -> bool {
    mpi.target.device.as_deref().is_some_and(|device| device.trim() == "ch4:ucx")
}

/// The call with the hosts that MPICH goes by: settings can divide a host.
fn as_mpich_sees(mpi: &Mpi, call: &Call) -> Result<Call, String> {
    let is_set = |name: &str, off: &[&str]| cvar(mpi, name).is_some_and(|value| !off.contains(&value));
    if is_set("NOLOCAL", &OFF) {
        return Ok(Call { hosts: call.ranks, ranks_per_host: 1, ..call.clone() });
    }
    for (name, off) in [("NUM_CLIQUES", &["0", "1"][..]), ("ODD_EVEN_CLIQUES", &OFF)] {
        if is_set(name, off) {
            return Err(format!("MPIR_CVAR_{name} divides hosts, which is not in the tables"));
        }
    }
    Ok(call.clone())
}

const OFF: [&str; 4] = ["0", "no", "false", "off"];

/// The value of a control variable; old names work, too.
fn cvar<'a>(mpi: &'a Mpi, name: &str) -> Option<&'a str> {
    ["MPIR_CVAR_", "MPIR_PARAM_", "MPICH_"].iter().find_map(|prefix| mpi.value(&format!("{prefix}{name}")))
}

const FILES: [(&str, &str); 3] = [
    ("COLL_SELECTION_TUNING_JSON_FILE", "the selection of algorithms"),
    ("CH4_COLL_SELECTION_TUNING_JSON_FILE", "the selection of compositions"),
    ("CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE", "the selection within hosts"),
];

fn versions() -> String {
    let heads = TREES.lines().filter_map(|line| line.strip_prefix("#tree mpir "));
    heads.collect::<Vec<_>>().join(", ")
}

/// Where its trees may change.
pub(super) fn boundaries(mpi: &Mpi, call: &Call) -> Boundaries {
    let mut found = Boundaries::default();
    let test = format!("collective={}", call.operation());
    let Some(version) = mpi.target.version.as_ref() else { return found };
    for tree in trees().iter().filter(|tree| tree.versions.contains(version)) {
        let own: Vec<&Node> = tree.operations.iter().filter(|node| node.test == test).collect();
        for node in own {
            tree::boundaries(&node.below, call.ranks, &mut found.bytes, &mut found.ranks);
        }
    }
    let element = call.bytes.map_or(1, |bytes| bytes / call.count.max(1)).max(1);
    found.bytes.push(call.power_of_two() * element);
    found
}

struct Asking<'a> {
    mpi: &'a Mpi,
    mpir: &'static Tree,
    posix: Option<&'static Tree>,
    call: &'a Call,
    operation: String,
}

/// Members of a step.
#[derive(Clone, Copy)]
struct Among {
    place: Place,
    ranks: u64,
}

impl Asking<'_> {
    /// `Err` with the reason why it is not known.
    fn answer(&self, ch4: Option<&'static Tree>) -> Result<Inferred, String> {
        let all = Among { place: Place::All, ranks: self.call.ranks };
        let mut assumed = Vec::new();
        let has_operation = self.operation.contains("reduce") || self.operation.contains("scan");
        if has_operation && self.call.commutes.is_none() {
            assumed.push("that the operation commutes".to_owned());
        }
        if self.operation.trim_start_matches('i') == "reduce_scatter" {
            assumed.push("that all blocks have the same size".to_owned());
        }
        let is_one_of_device = self.mpi.target.device.as_deref().is_some_and(|device| device.starts_with("ch4"));
        let own = format!("{}_DEVICE_COLLECTIVE", self.operation.to_ascii_uppercase());
        let is_left_out = match self.cvar("DEVICE_COLLECTIVES") {
            Some("none") => true,
            Some("all") => false,
            _ => self.cvar(&own) == Some("0"),
        };
        let (parts, by) = match ch4.filter(|_| is_one_of_device && !is_left_out) {
            None => (vec![self.mpir(&self.operation, all)?], "selection tree of MPICH".to_owned()),
            Some(ch4) => self.composed(ch4, all)?,
        };
        Ok(Inferred::Known { parts, by, assumed })
    }

    /// The steps of the composition that the device takes.
    fn composed(&self, ch4: &'static Tree, all: Among) -> Result<(Vec<Part>, String), String> {
        let forced = self.forced_composition(all)?;
        let composition = match forced {
            Some(name) => Some(name),
            None => self.selected(ch4, &self.operation, all)?,
        };
        let by = |name: &str| match forced {
            Some(_) => {
                format!("MPIR_CVAR_{}_COMPOSITION: the device takes {name}", self.operation.to_ascii_uppercase())
            }
            None => format!("selection trees of MPICH; the device takes {name}"),
        };
        let Some(name) = composition else {
            return Ok((vec![self.mpir(&self.operation, all)?], "selection tree of MPICH".to_owned()));
        };
        if LEADERS.contains(&name) && self.mpi.series().is_some_and(|version| version > &[4, 0][..]) {
            return Err(format!(
                "the device takes {name}, with several leaders on each host where all have as many ranks; else another one"
            ));
        }
        if name == SHARED_BY_ALL {
            return Ok((vec![self.shared(&self.operation, all)?], by(name)));
        }
        let Some((_, steps)) = COMPOSITIONS.iter().find(|(of, _)| *of == name) else {
            return Ok((vec![self.mpir(&self.operation, all)?], by(name)));
        };
        let mut parts = Vec::new();
        for (place, other) in *steps {
            let ranks = if *place == Place::WithinHosts { self.call.ranks_per_host } else { self.call.hosts };
            // With one member there is nothing to do.
            if ranks < 2 {
                continue;
            }
            let among = Among { place: *place, ranks };
            let operation = other.unwrap_or(&self.operation);
            let mut part = match place {
                Place::WithinHosts => self.shared(operation, among)?,
                _ => self.mpir(operation, among)?,
            };
            part.operation = other.map(Into::into);
            parts.push(part);
        }
        Ok((parts, by(name)))
    }

    /// The composition that a setting selects; `None` if there is no such setting, or the composition does not fit.
    fn forced_composition(&self, all: Among) -> Result<Option<&'static str>, String> {
        // Before, no such variables exist.
        if self.mpi.series().is_none_or(|version| version < &[4, 1][..]) {
            return Ok(None);
        }
        let setting = format!("{}_COMPOSITION", self.operation.to_ascii_uppercase());
        let Some(number) = self.cvar(&setting).filter(|number| *number != "0") else { return Ok(None) };
        let Some((_, _, name, needs)) =
            NUMBERED.iter().find(|(operation, of, _, _)| *operation == self.operation && *of == number)
        else {
            return Err(format!(
                "MPIR_CVAR_{setting}={number} selects a composition whose steps are not in the tables"
            ));
        };
        let question = self.question(all, 0, &self.operation);
        let fits = match needs {
            Fitting::Always => true,
            Fitting::OneHost => question.is_one_host && question.is_parent,
            Fitting::Hosts => question.is_parent,
            Fitting::HostsAndCommutes => question.is_parent && question.commutes,
        };
        Ok(fits.then_some(*name))
    }

    /// Within a host: by shared memory if the tree has it, and by messages until it is set up.
    fn shared(&self, operation: &str, among: Among) -> Result<Part, String> {
        let messages = self.mpir(operation, among)?;
        let Some(posix) = self.posix else { return Ok(messages) };
        let setting = format!("{}_POSIX_INTRA_ALGORITHM", operation.to_ascii_uppercase());
        let chosen = match self.cvar(&setting).unwrap_or("auto") {
            "mpir" => None,
            // It has the conditions of the tree, which has nothing else.
            "auto" | "release_gather" => self.selected(posix, operation, among)?.map(short),
            other => return Err(format!("the conditions of MPIR_CVAR_{setting}={other} are not in the tables")),
        };
        let Some(algorithm) = chosen else { return Ok(messages) };
        let before = self.cvar("POSIX_NUM_COLLS_THRESHOLD").and_then(|text| text.parse().ok());
        let before = before.unwrap_or(CALLS_BEFORE_SHARED).max(1) - 1;
        let note = (before > 0).then(|| {
            format!(
                "{} in the first {before} broadcasts, reductions and barriers of the communicator",
                messages.algorithm
            )
        });
        Ok(Part { algorithm: algorithm.to_owned(), note, ..messages })
    }

    /// By messages.
    fn mpir(&self, operation: &str, among: Among) -> Result<Part, String> {
        let part =
            |algorithm: &str| Part { place: among.place, operation: None, algorithm: algorithm.to_owned(), note: None };
        let name = format!("{}_INTRA_ALGORITHM", operation.to_ascii_uppercase());
        let forced = self.cvar(&name).filter(|value| !matches!(*value, "auto" | "sched_auto"));
        let setting = |forced: &str| format!("MPIR_CVAR_{name}={forced}");
        let mut ignored = None;
        if let Some(forced) = forced {
            // The non-blocking operation, and a wait.
            if forced == "nb" {
                let part = self.mpir(&format!("i{operation}"), among)?;
                return Ok(Part { note: Some(setting(forced)), ..part });
            }
            if self.call.bytes.is_none() && counts(operation, forced) {
                return Err(DIFFERENT_SIZES.to_owned());
            }
            let question = self.question(among, self.call.bytes.unwrap_or(0), operation);
            match fit(operation, forced, &question) {
                Fit::Yes => return Ok(Part { note: Some(setting(forced)), ..part(forced) }),
                Fit::NotKnown => {
                    return Err(format!("the conditions of {} are not in the tables", setting(forced)));
                }
                Fit::No(why) if self.mpi.series().is_none_or(|version| version < &[4, 0][..]) => {
                    return Err(format!("{}, but {why}, which MPICH does not check before 4.0", setting(forced)));
                }
                Fit::No(why) => ignored = Some(format!("{}, but {why}", setting(forced))),
            }
        }
        match self.selected(self.mpir, operation, among)? {
            Some(algorithm) => Ok(Part { note: ignored, ..part(short(algorithm)) }),
            None => Err("MPICH's tree selects nothing for this call".to_owned()),
        }
    }

    /// What a tree selects for an operation.
    fn selected(&self, tree: &'static Tree, operation: &str, among: Among) -> Result<Option<&'static str>, String> {
        let test = format!("collective={operation}");
        let Some(node) = tree.operations.iter().find(|node| node.test == test) else {
            return if tree.layer == "mpir" { Err("this operation is not in the trees".to_owned()) } else { Ok(None) };
        };
        if let Some(leaf) = &node.leaf {
            return Ok(Some(leaf));
        }
        let bytes = match (self.call.bytes, operation) {
            // Of the release after a barrier.
            (_, "bcast") if self.operation == "barrier" => 1,
            (Some(bytes), _) => bytes,
            (None, _) if !needs_size(node) => 0,
            (None, _) => {
                return Err(DIFFERENT_SIZES.to_owned());
            }
        };
        let question = self.question(among, bytes, operation);
        select(&node.below, &question)
            .map_err(|test| format!("the tree has a condition that is not known here: {test}"))
    }

    fn question(&self, among: Among, bytes: u64, operation: &str) -> Question {
        let call = self.call;
        let is_all = among.place == Place::All;
        // Every rank on a host of its own: MPICH makes no levels then.
        let is_parent = is_all && call.hosts < call.ranks;
        // What its trees call total: all blocks, or as many as there are ranks.
        let total_bytes = match operation.trim_start_matches('i') {
            "reduce_scatter" => bytes,
            _ => bytes.saturating_mul(among.ranks),
        };
        Question {
            ranks: among.ranks,
            is_parent,
            is_one_host: is_all && call.hosts == 1,
            ranks_per_host: call.ranks_per_host,
            average_bytes: bytes,
            total_bytes,
            count: call.count,
            commutes: call.commutes.unwrap_or(true),
            is_built_in: call.is_built_in,
            is_in_place: call.is_in_place,
            // Only of communicators of which it knows hosts.
            is_consecutive: is_parent && call.is_consecutive,
            is_threaded: self.mpi.is_threaded.unwrap_or(false),
        }
    }

    fn cvar(&self, name: &str) -> Option<&str> {
        cvar(self.mpi, name)
    }
}

/// Whether conditions below it look at sizes.
fn needs_size(node: &Node) -> bool {
    let mut bytes = Vec::new();
    tree::boundaries(&node.below, 1, &mut bytes, &mut Vec::new());
    !bytes.is_empty()
}

/// `recursive_doubling` of `MPIR_Allreduce_intra_recursive_doubling`, `release_gather` of `MPIDI_POSIX_mpi_bcast_release_gather`.
fn short(name: &'static str) -> &'static str {
    const BEFORE: [&str; 4] = ["_intra_sched_", "_intra_", "_allcomm_", "_mpi_bcast_"];
    if name.ends_with("release_gather") {
        return "release_gather";
    }
    BEFORE.iter().find_map(|part| name.split_once(part)).map_or(name, |(_, rest)| rest)
}
