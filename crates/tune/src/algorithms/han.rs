//! `coll/han` of Open MPI 5.0: operations of communicators that span hosts, in steps within and between hosts.
//!
//! As in its source (`ompi/mca/coll/han/coll_han_*.c`), and as seen: each step calls `coll/tuned`, or for reductions and broadcasts between
//! hosts the non-blocking operation of `coll/libnbc`, on a communicator of one host or of one rank of each host. Long messages go in
//! segments, so that one is between hosts while another one is within them.

use super::open_mpi::{non_blocking, tuned, value};
use super::others::{Boundaries, units};
use super::{Call, Inferred, Mpi, Part, Place, not_known};

/// Operations that it makes.
const OPERATIONS: [&str; 7] = ["allgather", "allreduce", "barrier", "bcast", "gather", "reduce", "scatter"];
/// Those that it makes only if all hosts have as many ranks.
const BALANCED: [&str; 5] = ["allgather", "bcast", "gather", "reduce", "scatter"];
/// Those that put blocks in order if the ranks of a host do not follow each other.
const ORDERED: [&str; 3] = ["allgather", "gather", "scatter"];
const SEGMENT_BYTES: u64 = 65536;

/// Whether it has this operation.
pub(super) fn makes(operation: &str) -> bool {
    OPERATIONS.contains(&operation)
}

/// What it makes of a call; `by`: why it is responsible.
pub(super) fn infer(mpi: &Mpi, call: &Call, operation: &str, by: &str) -> Inferred {
    if mpi.series().is_none_or(|series| series[0] < 5) {
        return not_known(
            "coll/han makes it in two levels, within and between hosts; its rules of Open MPI 4 are not in the table",
        );
    }
    if let Some(why) = leaves(call, operation) {
        return left(mpi, call, operation, &why);
    }
    let variant = match variant(mpi, operation) {
        Ok(variant) => variant,
        Err(why) => return not_known(why),
    };
    if variant == Variant::Reproducible {
        return left(mpi, call, operation, "reproducible results are set");
    }
    let mut steps = Steps { mpi, call, parts: Vec::new(), assumed: Vec::new(), settings: Vec::new() };
    match steps.make(operation, variant) {
        Ok(()) => steps.known(by),
        Err(not) => not,
    }
}

/// Why it leaves a call to `coll/tuned`.
fn leaves(call: &Call, operation: &str) -> Option<String> {
    if call.ranks_per_host < 2 {
        Some("no host has two ranks".to_owned())
    } else if call.commutes == Some(false) && matches!(operation, "allreduce" | "reduce") {
        Some("the operation does not commute".to_owned())
    } else if call.ranks != call.hosts * call.ranks_per_host && BALANCED.contains(&operation) {
        Some("hosts have different numbers of ranks".to_owned())
    } else {
        None
    }
}

/// The call as `coll/tuned` makes it, on all ranks.
fn left(mpi: &Mpi, call: &Call, operation: &str, why: &str) -> Inferred {
    match tuned(mpi, call, operation) {
        Inferred::Known { parts, by, assumed } => {
            Inferred::Known { parts, by: format!("{by}, as coll/han leaves it: {why}"), assumed }
        }
        not => not,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Variant {
    /// Segments.
    Pipelined,
    /// One step after the other.
    Simple,
    Reproducible,
}

/// What its parameters select; the error is the one that the rules do not cover.
fn variant(mpi: &Mpi, operation: &str) -> Result<Variant, String> {
    let is_true = |text: &str| matches!(text.to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on" | "enabled");
    let own = |name: &str| value(mpi, &format!("coll_han_{name}"));
    let covered = ["priority", "verbose", "reproducible", "max_dynamic_errors"];
    let by_operation = ["use_{}_algorithm", "use_simple_{}", "{}_segsize"].map(|name| name.replace("{}", operation));
    let is_covered = |name: &str| {
        let of_other =
            OPERATIONS.iter().filter(|of| **of != operation).any(|of| name.split('_').any(|word| word == *of));
        covered.contains(&name) || by_operation.iter().any(|of| of == name) || of_other
    };
    let other =
        mpi.settings.keys().filter_map(|key| key.strip_prefix("OMPI_MCA_coll_han_")).find(|name| !is_covered(name));
    if let Some(name) = other {
        return Err(format!(
            "OMPI_MCA_coll_han_{name} changes how coll/han makes it, and the rules for that are not in the table"
        ));
    }
    let is_reduction = matches!(operation, "allreduce" | "reduce");
    if is_reduction && own("reproducible").is_some_and(is_true) {
        return Ok(Variant::Reproducible);
    }
    match own(&by_operation[0]) {
        Some("1" | "intra") if operation != "barrier" => return Ok(Variant::Pipelined),
        Some("2" | "simple") => return Ok(Variant::Simple),
        Some("3" | "reproducible") if is_reduction => return Ok(Variant::Reproducible),
        Some("0" | "default") | None => {}
        Some("1") => {}
        Some(text) => return Err(format!("OMPI_MCA_coll_han_{}={text} is no algorithm of the table", by_operation[0])),
    }
    // Pipelining a gather gains nothing.
    let is_simple = own(&by_operation[1]).map_or(operation == "gather", is_true);
    Ok(if is_simple { Variant::Simple } else { Variant::Pipelined })
}

struct Steps<'a> {
    mpi: &'a Mpi,
    call: &'a Call,
    parts: Vec<Part>,
    assumed: Vec<String>,
    /// Settings that forced an algorithm of a step.
    settings: Vec<String>,
}

impl Steps<'_> {
    fn make(&mut self, operation: &str, variant: Variant) -> Result<(), Inferred> {
        use Place::{BetweenHosts as Between, WithinHosts as Within};
        let low = self.call.ranks_per_host;
        let segments = self.segments(operation, variant);
        match (operation, variant) {
            ("barrier", _) => {
                self.tuned(Within, "barrier", 0)?;
                self.tuned(Between, "barrier", 0)?;
                self.tuned(Within, "barrier", 0)?;
            }
            ("bcast", _) => {
                self.tuned(Between, "bcast", segments.elements)?;
                if segments.number > 1
                    && let Some(part) = self.parts.last_mut()
                {
                    part.note = Some(format!("the first of {}; the others by ibcast of coll/libnbc", segments.text()));
                }
                self.tuned(Within, "bcast", segments.elements)?;
            }
            ("reduce", Variant::Simple) => {
                self.tuned(Within, "reduce", segments.elements)?;
                self.tuned(Between, "reduce", segments.elements)?;
            }
            ("reduce", _) => {
                self.tuned(Within, "reduce", segments.elements)?;
                self.libnbc("reduce", "ireduce", &segments);
            }
            ("allreduce", Variant::Simple) => {
                self.tuned(Within, "reduce", segments.elements)?;
                self.tuned(Between, "allreduce", segments.elements)?;
                self.tuned(Within, "bcast", segments.elements)?;
            }
            ("allreduce", _) => {
                self.tuned(Within, "reduce", segments.elements)?;
                self.libnbc("reduce", "ireduce", &segments);
                self.libnbc("bcast", "ibcast", &segments);
                self.tuned(Within, "bcast", segments.elements)?;
                if self.call.ranks != self.call.hosts * low {
                    self.assumed.push("that hosts with fewer ranks take the same algorithms".to_owned());
                }
            }
            ("gather", _) => {
                self.tuned(Within, "gather", self.call.count)?;
                self.tuned(Between, "gather", self.call.count * low)?;
            }
            ("scatter", _) => {
                self.tuned(Between, "scatter", self.call.count * low)?;
                self.tuned(Within, "scatter", self.call.count)?;
            }
            ("allgather", _) => {
                self.tuned(Within, "gather", self.call.count)?;
                self.tuned(Between, "allgather", self.call.count * low)?;
                self.tuned(Within, "bcast", self.call.count * self.call.ranks)?;
            }
            _ => return Err(not_known("coll/han does not make this operation")),
        }
        if ORDERED.contains(&operation) && !self.call.is_consecutive {
            let at = if operation == "scatter" { 0 } else { self.parts.len() - 1 };
            self.parts[at].note = Some(
                "blocks are copied to put them in order, as the ranks of a host do not follow each other".to_owned(),
            );
        }
        Ok(())
    }

    /// The call that a step is, with so many elements.
    fn step(&self, place: Place, count: u64) -> Call {
        let ranks = if place == Place::BetweenHosts { self.call.hosts } else { self.call.ranks_per_host };
        Call {
            ranks,
            hosts: 1,
            ranks_per_host: ranks,
            bytes: self.call.bytes.map(|bytes| bytes / self.call.count.max(1) * count),
            count,
            is_in_place: false,
            ..self.call.clone()
        }
    }

    /// An operation of `coll/tuned` with so many elements.
    fn tuned(&mut self, place: Place, operation: &str, count: u64) -> Result<(), Inferred> {
        match tuned(self.mpi, &self.step(place, count), operation) {
            Inferred::Known { parts, by, assumed } => {
                self.assumed.extend(assumed);
                self.settings.extend(by.starts_with("OMPI_MCA_").then_some(by));
                let name = self.named(operation);
                self.parts.extend(parts.into_iter().map(|part| Part { place, operation: name.clone(), ..part }));
                Ok(())
            }
            not => Err(not),
        }
    }

    /// A non-blocking operation between hosts, which is awaited.
    fn libnbc(&mut self, operation: &str, name: &str, segments: &Segments) {
        let own = match non_blocking(self.mpi, &self.step(Place::BetweenHosts, segments.elements), operation) {
            Inferred::Known { parts, .. } => {
                parts.into_iter().next().map_or_else(String::new, |part| format!("its algorithm is {}", part.algorithm))
            }
            Inferred::NotKnown { why, .. } => format!("its algorithm is not known: {why}"),
        };
        let note = match segments.number {
            0 | 1 => own,
            _ => format!("in {}, while others are within hosts; {own}", segments.text()),
        };
        self.parts.push(Part {
            place: Place::BetweenHosts,
            operation: self.named(operation),
            algorithm: format!("{name} of coll/libnbc"),
            note: Some(note),
        });
    }

    /// The name of a step, if it is another operation than the call.
    fn named(&self, operation: &str) -> Option<String> {
        (self.call.operation() != operation).then(|| operation.to_owned())
    }

    fn segments(&self, operation: &str, variant: Variant) -> Segments {
        let element = self.call.bytes.map_or(1, |bytes| bytes / self.call.count.max(1)).max(1);
        let set = value(self.mpi, &format!("coll_han_{operation}_segsize")).and_then(|text| text.parse().ok());
        let segment = set.unwrap_or(SEGMENT_BYTES);
        let is_cut = matches!(operation, "bcast" | "reduce" | "allreduce") && variant == Variant::Pipelined;
        if !is_cut || segment < element || segment >= element * self.call.count {
            return Segments { elements: self.call.count, number: 1, bytes: element * self.call.count };
        }
        // Rounded to whole elements.
        let elements = segment / element + u64::from(segment % element > element / 2);
        Segments { elements, number: self.call.count.div_ceil(elements), bytes: elements * element }
    }

    fn known(mut self, by: &str) -> Inferred {
        self.assumed.dedup();
        self.settings.dedup();
        let by = std::iter::once(by.to_owned()).chain(self.settings).collect::<Vec<_>>().join("; ");
        Inferred::Known { parts: self.parts, by, assumed: self.assumed }
    }
}

/// Parts of a message that follow each other.
struct Segments {
    elements: u64,
    number: u64,
    bytes: u64,
}

impl Segments {
    fn text(&self) -> String {
        format!("{} segments of {}", self.number, units(self.bytes))
    }
}

/// Where its rules may change, from the boundaries of an operation of `coll/tuned`.
pub(super) fn boundaries(call: &Call, of: impl Fn(&str) -> Vec<u64>) -> Boundaries {
    let mut found = Boundaries::default();
    let mut add = |operation: &str, blocks: u64| {
        found.bytes.extend(of(operation).iter().map(|from| from.div_ceil(blocks.max(1))))
    };
    let low = call.ranks_per_host;
    match call.operation().as_str() {
        "allreduce" => ["reduce", "bcast"].iter().for_each(|operation| add(operation, 1)),
        "gather" => [1, low].iter().for_each(|blocks| add("gather", *blocks)),
        "scatter" => [1, low].iter().for_each(|blocks| add("scatter", *blocks)),
        "allgather" => [("gather", 1), ("allgather", low), ("bcast", call.ranks)]
            .iter()
            .for_each(|(operation, blocks)| add(operation, *blocks)),
        operation => add(operation, 1),
    }
    // From the next element on, there are two segments.
    let element = call.bytes.map_or(1, |bytes| bytes / call.count.max(1)).max(1);
    found.bytes.push(SEGMENT_BYTES + element);
    found
}
