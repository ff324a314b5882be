//! Open MPI: which component makes the operation, and which algorithm `coll/tuned` takes.
//!
//! Its decision functions are in the table (`data/algorithms/openmpi.tsv`). What an algorithm does when its own condition does not hold is
//! here: `ompi/mca/coll/base/coll_base_*.c` calls another one then.

use std::sync::OnceLock;

use super::others::Boundaries;
use super::{Call, DIFFERENT_SIZES, Inferred, Mpi, Part, han, known, libnbc, not_known, part};
use crate::Family;
use crate::table;
use crate::version::Range;

const TABLE: &str = include_str!("../../data/algorithms/openmpi.tsv");

/// Algorithms of an operation, for communicators from a number of ranks on.
struct Row {
    operation: &'static str,
    /// Whether for operations that commute; `None` for both.
    commutes: Option<bool>,
    from_ranks: u64,
    /// From which size on which algorithm is taken, the smallest first.
    sizes: Vec<(u64, i64)>,
}

struct Table {
    versions: Range,
    rows: Vec<Row>,
}

fn decisions() -> &'static Table {
    static DECISIONS: OnceLock<Table> = OnceLock::new();
    DECISIONS.get_or_init(|| {
        let versions = TABLE.lines().find_map(|line| Range::parse(line.strip_prefix("#versions\t")?));
        let rows =
            TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| row(line).expect("a test reads the table"));
        Table { versions: versions.expect("a test reads the table"), rows: rows.collect() }
    })
}

fn row(line: &'static str) -> Option<Row> {
    let mut cells = line.split('\t');
    let (operation, commutes, from_ranks) = (cells.next()?, cells.next()?, cells.next()?);
    let sizes = cells.next()?.split(' ').map(|one| one.split_once(':'));
    let sizes: Option<Vec<(u64, i64)>> =
        sizes.map(|one| one.and_then(|(from, number)| Some((from.parse().ok()?, number.parse().ok()?)))).collect();
    let commutes = match commutes {
        "any" => None,
        "yes" => Some(true),
        "no" => Some(false),
        _ => return None,
    };
    Some(Row { operation, commutes, from_ranks: from_ranks.parse().ok()?, sizes: sizes? })
}

/// Operations that `coll/tuned` leaves to `coll/basic`, which has one algorithm for each.
const BASIC: [(&str, &str); 5] =
    [("gatherv", "linear"), ("scatterv", "linear"), ("alltoallw", "linear"), ("scan", "linear"), ("exscan", "linear")];
/// What `coll/sm` makes of communicators within a host.
const SM: [&str; 4] = ["allreduce", "barrier", "bcast", "reduce"];
/// What `coll/adapt` makes.
const ADAPT: [&str; 2] = ["bcast", "reduce"];
const TUNED_PRIORITY: i64 = 30;
const LIBNBC_PRIORITY: i64 = 10;

pub(super) fn infer(mpi: &Mpi, call: &Call) -> Inferred {
    let table = decisions();
    let Some(version) = mpi.target.version.as_ref() else { return not_known("the version of Open MPI is not known") };
    if !table.versions.contains(version) {
        return not_known("the table has the rules of Open MPI 4.1 and 5.0");
    }
    let operation = call.operation();
    if let Some(blocking) = of_libnbc(&operation) {
        return non_blocking(mpi, call, blocking);
    }
    if let Some(text) = value(mpi, "coll").filter(|text| !selects(text, "tuned")) {
        return not_known(format!("OMPI_MCA_coll={text} leaves out coll/tuned, whose rules these are"));
    }
    if let Some(component) = stronger(mpi, call, &operation) {
        return component;
    }
    tuned(mpi, call, &operation)
}

/// The operation that a non-blocking or persistent one is otherwise: `allreduce` for `iallreduce` and `allreduce_init`.
fn of_libnbc(operation: &str) -> Option<&str> {
    operation.strip_suffix("_init").or_else(|| operation.strip_prefix('i'))
}

/// What `coll/libnbc` makes of the non-blocking form of an operation.
pub(super) fn non_blocking(mpi: &Mpi, call: &Call, operation: &str) -> Inferred {
    if let Some(text) = value(mpi, "coll").filter(|text| !selects(text, "libnbc")) {
        return not_known(format!("OMPI_MCA_coll={text} leaves out coll/libnbc, whose rules these are"));
    }
    let number = |component: &str, default: i64| {
        value(mpi, &format!("coll_{component}_priority")).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let libnbc = number("libnbc", LIBNBC_PRIORITY);
    if libnbc < 0 {
        return not_known("coll_libnbc_priority switches off coll/libnbc, whose rules these are");
    }
    if number("adapt", 0) > libnbc && ADAPT.contains(&operation) {
        return not_known("coll/adapt makes it, by events; its rules are not in the table");
    }
    libnbc::infer(mpi, call, operation)
}

/// What `coll/tuned` makes of an operation, or `coll/basic` in its place.
pub(super) fn tuned(mpi: &Mpi, call: &Call, operation: &str) -> Inferred {
    if let Some((_, algorithm)) = BASIC.iter().find(|(of, _)| *of == operation) {
        return known(vec![part(*algorithm)], "coll/basic: coll/tuned does not choose for this operation");
    }
    let mut assumed = Vec::new();
    let (number, by) = match forced(mpi, operation) {
        Forced::No => {
            let commutes = call.commutes.unwrap_or_else(|| {
                assumed.push("that the operation commutes".to_owned());
                true
            });
            let needs_size = rows(operation).any(|row| row.sizes.len() > 1);
            if needs_size && call.bytes.is_none() {
                return not_known(DIFFERENT_SIZES);
            }
            // The decision function multiplies with the count of the send side, which MPI_IN_PLACE makes meaningless.
            let is_ignored = call.is_in_place && matches!(operation, "allgather" | "alltoall");
            let bytes = if is_ignored { 0 } else { call.bytes.unwrap_or(0) };
            if is_ignored && needs_size {
                assumed.push("that the send count, which Open MPI looks at in spite of MPI_IN_PLACE, is 0".to_owned());
            }
            let Some(number) = decide(operation, commutes, call.ranks, bytes) else {
                return not_known("coll/tuned has no rule for this operation in the table");
            };
            (number, "fixed decision function of coll/tuned".to_owned())
        }
        Forced::Number(number, setting) => (number, setting),
        Forced::Unknown(why) => return not_known(why),
    };
    let Some(name) = name(operation, number) else {
        return not_known(format!("coll/tuned has no algorithm {number} for this operation"));
    };
    let mut step = part(name);
    let segments = value(mpi, &format!("coll_tuned_{operation}_algorithm_segmentsize")).is_some_and(|size| size != "0");
    if let Some((algorithm, why)) = instead(operation, name, call, segments) {
        step = Part { algorithm: algorithm.to_owned(), note: Some(format!("{name} was chosen, but {why}")), ..step };
    }
    Inferred::Known { parts: vec![step], by, assumed }
}

/// Where its rules may change.
pub(super) fn boundaries(call: &Call) -> Boundaries {
    let operation = call.operation();
    if let Some(blocking) = of_libnbc(&operation) {
        return libnbc::boundaries(call, blocking);
    }
    let mut found = Boundaries::default();
    if call.hosts > 1 && han::makes(&operation) {
        found = han::boundaries(call, |of| rows(of).flat_map(|row| row.sizes.iter().map(|(from, _)| *from)).collect());
    }
    for row in rows(&operation) {
        found.ranks.push(row.from_ranks);
        found.bytes.extend(row.sizes.iter().map(|(from, _)| *from));
    }
    let element = call.bytes.map_or(1, |bytes| bytes / call.count.max(1)).max(1);
    found.bytes.extend([call.ranks * element, call.power_of_two() * element]);
    found
}

fn rows(operation: &str) -> impl Iterator<Item = &'static Row> {
    decisions().rows.iter().filter(move |row| row.operation == operation)
}

/// The number of the algorithm.
fn decide(operation: &str, commutes: bool, ranks: u64, bytes: u64) -> Option<i64> {
    let fits = |row: &&Row| row.from_ranks <= ranks && row.commutes.is_none_or(|of| of == commutes);
    let row = rows(operation).filter(fits).max_by_key(|row| row.from_ranks)?;
    row.sizes.iter().rev().find(|(from, _)| *from <= bytes).map(|(_, number)| *number)
}

/// The number and name of an algorithm that a parameter's text selects.
pub(super) fn choice(parameter: &str, text: &str) -> Option<(i64, &'static str)> {
    let choices = &table::entry(Family::OpenMpi, parameter)?.choices;
    let number = text.parse().ok();
    let chosen = choices.iter().find(|choice| choice.name == text || number.is_some() && choice.number == number)?;
    Some((chosen.number?, chosen.name.as_str()))
}

/// The parameter with the algorithms of an operation.
fn parameter(operation: &str) -> Option<&'static table::Entry> {
    table::entry(Family::OpenMpi, &format!("coll_tuned_{operation}_algorithm"))
}

fn name(operation: &str, number: i64) -> Option<&'static str> {
    let choices = &parameter(operation)?.choices;
    choices.iter().find(|choice| choice.number == Some(number)).map(|choice| choice.name.as_str())
}

pub(super) fn value<'a>(mpi: &'a Mpi, parameter: &str) -> Option<&'a str> {
    mpi.value(&format!("OMPI_MCA_{parameter}"))
}

/// Whether `coll=TEXT` includes a component.
fn selects(text: &str, component: &str) -> bool {
    match text.strip_prefix('^') {
        Some(excluded) => !excluded.split(',').any(|one| one.trim() == component),
        None => text.split(',').any(|one| one.trim() == component),
    }
}

/// A component with a higher priority than `coll/tuned`, if there is one for this call.
fn stronger(mpi: &Mpi, call: &Call, operation: &str) -> Option<Inferred> {
    let number = |component: &str, default: i64| {
        let set = value(mpi, &format!("coll_{component}_priority")).and_then(|text| text.parse().ok());
        let selected = value(mpi, "coll").is_none_or(|text| selects(text, component));
        if selected { set.unwrap_or(default) } else { -1 }
    };
    let tuned = number("tuned", TUNED_PRIORITY);
    // Open MPI 5 made HAN the default between hosts.
    let han = number("han", if mpi.series().is_some_and(|of| of[0] >= 5) { 35 } else { 0 });
    let is_across = call.hosts > 1;
    let adapt = number("adapt", 0);
    if is_across && han > tuned.max(adapt) && han::makes(operation) {
        if tuned < 0 {
            return Some(not_known("coll/han uses coll/tuned, which coll_tuned_priority switches off"));
        }
        let by = format!("coll/han, whose priority ({han}) is higher than that of coll/tuned ({tuned})");
        return Some(han::infer(mpi, call, operation, &by));
    }
    if adapt > tuned && ADAPT.contains(&operation) {
        return Some(not_known("coll/adapt makes it, by events; its rules are not in the table"));
    }
    if !is_across && number("sm", 0) > tuned && SM.contains(&operation) {
        return Some(known(vec![part("shared memory")], "coll/sm, whose priority is higher than that of coll/tuned"));
    }
    (tuned < 0).then(|| not_known("coll_tuned_priority switches off coll/tuned, whose rules these are"))
}

/// What the settings say about an algorithm.
enum Forced {
    No,
    /// The number, and the setting.
    Number(i64, String),
    Unknown(String),
}

fn forced(mpi: &Mpi, operation: &str) -> Forced {
    let is_true = |text: &str| matches!(text.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on" | "enabled");
    // Without it, nothing else is looked at.
    if !value(mpi, "coll_tuned_use_dynamic_rules").is_some_and(is_true) {
        return Forced::No;
    }
    let name = format!("coll_tuned_{operation}_algorithm");
    if let (Some(text), true) = (value(mpi, &name), parameter(operation).is_some()) {
        return match choice(&name, text) {
            Some((0, _)) => Forced::No,
            Some((number, _)) => Forced::Number(number, format!("OMPI_MCA_{name}={text}")),
            None => Forced::Unknown(format!("OMPI_MCA_{name}={text} is no algorithm of the table")),
        };
    }
    match value(mpi, "coll_tuned_dynamic_rules_filename") {
        Some(file) => Forced::Unknown(format!("the rules are in a file that the run does not contain: {file}")),
        None => Forced::No,
    }
}

/// The algorithm that another one calls if its own condition does not hold, with the reason. `has_segments`: a size of segments is set.
fn instead(operation: &str, name: &str, call: &Call, has_segments: bool) -> Option<(&'static str, String)> {
    let few = |limit: u64| {
        (call.bytes.is_some() && call.count < limit).then(|| format!("there are fewer elements than {limit}"))
    };
    match (operation, name) {
        ("allreduce", "ring" | "segmented_ring") => {
            few(call.ranks).map(|why| ("recursive_doubling", why)).or_else(|| {
                let is_whole = name == "segmented_ring" && !has_segments;
                is_whole.then(|| ("ring", "without a size of segments, everything is one".to_owned()))
            })
        }
        ("allreduce", "rabenseifner") => few(call.power_of_two()).map(|why| ("basic_linear", why)),
        ("reduce", "rabenseifner") => few(call.power_of_two()).map(|why| ("linear", why)),
        ("bcast", "split_binary_tree") => few(2).map(|why| ("chain", why)),
        ("allgather", "recursive_doubling") => {
            (!call.ranks.is_power_of_two()).then(|| ("bruck", "the number of ranks is not a power of two".to_owned()))
        }
        ("allgather" | "allgatherv", "neighbor") => {
            (call.ranks % 2 == 1).then(|| ("ring", "the number of ranks is odd".to_owned()))
        }
        ("alltoall" | "alltoallv", _) if call.is_in_place => {
            Some(("basic_inplace", "MPI_IN_PLACE needs its own algorithm".to_owned()))
        }
        _ => None,
    }
}
