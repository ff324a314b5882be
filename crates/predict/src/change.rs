//! What is changed: texts such as `latency=0.5x, site:exchange.c:77=nonblocking`, and what they mean.

use std::fmt;

use mpiscope_model::simulation::{Algorithm, Link};

use crate::placement::Placement;

/// One change.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Latency of messages, times this.
    Latency(f64),
    /// Bandwidth, times this.
    Bandwidth(f64),
    /// Time that sender and receiver spend on each message, times this.
    Overhead(f64),
    /// Messages up to this many bytes do not wait for the receiver.
    Eager(u64),
    /// Messages between hosts do not hinder each other.
    NoContention,
    /// Messages make progress while ranks compute.
    Progress,
    /// Every rank computes as long as the mean of all.
    Balance,
    /// The computing of a rank, or before calls of other places, is as long as the mean of all ranks.
    Balanced(Place),
    /// Computing, so many times as fast.
    Faster(Place, f64),
    /// Computing, so many times as long.
    Slower(Place, f64),
    /// Calls are not made.
    Without(Place),
    /// What these calls create and free again and again is created once.
    Once(Place),
    /// Blocking messages of these calls are posted at the beginning of their exchange and completed at its end.
    NonBlocking(Place),
    /// Messages of these calls to one rank in one exchange become one message, and collective operations in a row one operation.
    Aggregated(Place),
    /// Messages of these calls in one exchange are sent to the next rank first, and then to those after it.
    Reordered(Place),
    /// Messages that these calls receive one after the other are received, and worked on, in the order in which they are sent.
    Arrival(Place),
    /// These receives come before the computing that comes before them.
    Early(Place),
    /// Waits of these calls that follow each other become one.
    Merged(Place),
    /// A wait of these calls for several messages becomes a wait for each.
    Split(Place),
    /// Exchanges with these calls become neighbourhood collective operations.
    Neighbourhood(Place),
    /// Exchanges with these calls are made in phases: in each, a rank sends to one other rank and receives from one.
    Phased(Place),
    /// A rank never comes later than half of the others to an operation in which all wait for all.
    OnTime(i32),
    /// Collective operations of a function by another algorithm.
    Algorithm(u32, Algorithm),
    /// The costs of another machine.
    Machine(Box<Machine>),
    /// Ranks are on other hosts.
    Placement(Placement),
}

/// Another machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Where its profile is.
    pub profile: String,
    /// What it has measured within a host and between hosts. A text has none of them: whoever reads files fills them in.
    pub links: [Option<Link>; 2],
}

/// Where.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A rank of `MPI_COMM_WORLD`.
    Rank(i32),
    /// A call site: part of its text.
    Site(String),
    /// A region of the program, with those inside it.
    Region(String),
    /// Calls of a function.
    Function(u32),
}

/// A change that cannot be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ChangeError {
    /// No change at all.
    #[error("no change is given; write NAME=VALUE, such as latency=0.5x, balance=perfect or MPI_Allreduce=ring")]
    Empty,
    /// The same is changed in two ways.
    #[error("`{0}` and `{1}` change the same; give one of them, or ask two questions: one --what-if for each")]
    Twice(String, String),
    /// No `=`.
    #[error("`{0}` is not a change; write NAME=VALUE, such as latency=0.5x, balance=perfect or MPI_Allreduce=ring")]
    NoValue(String),
    /// An unknown name.
    #[error(
        "unknown change `{name}`{}; known are latency, bandwidth, overhead, eager, contention, progress, balance, machine, placement, rank:N, site:TEXT, region:NAME and functions such as MPI_Allreduce",
        near(nearest)
    )]
    Unknown {
        /// What was written.
        name: String,
        /// The known name that is most like it.
        nearest: Option<String>,
    },
    /// A value that does not fit.
    #[error("invalid value `{value}` of {name}: {expected}")]
    Value {
        /// What was written.
        name: String,
        /// See above.
        value: String,
        /// What is expected.
        expected: String,
    },
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |name| format!(" (did you mean `{name}`?)"))
}

/// What is to be done at a place, as a change.
type AtPlace = fn(Place) -> Change;

/// Changes of calls, by their words.
const WORDS: [(&str, AtPlace); 12] = [
    ("balanced", Change::Balanced),
    ("none", Change::Without),
    ("once", Change::Once),
    ("nonblocking", Change::NonBlocking),
    ("aggregated", Change::Aggregated),
    ("reordered", Change::Reordered),
    ("arrival", Change::Arrival),
    ("early", Change::Early),
    ("merged", Change::Merged),
    ("split", Change::Split),
    ("neighbourhood", Change::Neighbourhood),
    ("phased", Change::Phased),
];

/// Changes that a run does not answer, and why.
const UNKNOWABLE: [(&str, &str); 2] = [
    (
        "persistent",
        "what a persistent request saves, the set-up of some ten nanoseconds for each message, is less than the model's error; \
         measure it: mpiscope bench -n 2 halo",
    ),
    (
        "packed",
        "what packing takes depends on the layout of the data, which is not recorded; measure it: mpiscope bench -n 2 datatypes",
    ),
];

/// The words, as a text lists them after something else.
fn or_words() -> String {
    let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
    format!("{} or {}", words[..words.len() - 1].join(", "), words[words.len() - 1])
}

const NAMES: [&str; 9] =
    ["latency", "bandwidth", "overhead", "eager", "contention", "progress", "balance", "machine", "placement"];

/// Reads changes that are made together: `latency=0.5x, bandwidth=2x`.
///
/// # Errors
///
/// If there is none, one of them cannot be read, or two of them exclude each other.
pub fn parse(text: &str) -> Result<Vec<Change>, ChangeError> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    let changes: Vec<Change> = parts.map(one).collect::<Result<_, _>>()?;
    if changes.is_empty() {
        return Err(ChangeError::Empty);
    }
    for (at, change) in changes.iter().enumerate() {
        if let Some(other) = changes[..at].iter().find(|other| other.excludes(change)) {
            return Err(ChangeError::Twice(other.to_string(), change.to_string()));
        }
    }
    Ok(changes)
}

impl Change {
    /// Whether only one of both can be made: they give the same another value.
    fn excludes(&self, other: &Change) -> bool {
        match (self, other) {
            (Change::Faster(a, _) | Change::Slower(a, _), Change::Faster(b, _) | Change::Slower(b, _)) => a == b,
            (Change::Balance, Change::Balanced(_)) | (Change::Balanced(_), Change::Balance) => true,
            (Change::Algorithm(a, _), Change::Algorithm(b, _)) => a == b,
            (
                Change::Latency(_)
                | Change::Bandwidth(_)
                | Change::Overhead(_)
                | Change::Eager(_)
                | Change::Machine(_)
                | Change::Placement(_),
                _,
            ) => std::mem::discriminant(self) == std::mem::discriminant(other),
            _ => self == other,
        }
    }
}

fn one(text: &str) -> Result<Change, ChangeError> {
    let (name, value) = text.rsplit_once('=').ok_or_else(|| ChangeError::NoValue(text.to_owned()))?;
    let (name, value) = (name.trim(), value.trim());
    let invalid = |expected: &str| ChangeError::Value {
        name: name.to_owned(),
        value: value.to_owned(),
        expected: expected.to_owned(),
    };
    let factor = || times(value).ok_or_else(|| invalid("expected a factor, such as 0.5x or 2x"));
    match name {
        "latency" => return Ok(Change::Latency(factor()?)),
        "bandwidth" => return Ok(Change::Bandwidth(factor()?)),
        "overhead" => return Ok(Change::Overhead(factor()?)),
        "eager" => {
            let bytes = bytes(value).ok_or_else(|| invalid("expected a size, such as 64K"))?;
            return Ok(Change::Eager(bytes));
        }
        "contention" if value == "off" => return Ok(Change::NoContention),
        "contention" => return Err(invalid("expected `off`")),
        "progress" if value == "always" => return Ok(Change::Progress),
        "progress" => return Err(invalid("expected `always`")),
        "balance" if value == "perfect" => return Ok(Change::Balance),
        "balance" => return Err(invalid("expected `perfect`")),
        "machine" if value.is_empty() => return Err(invalid("expected a machine profile, such as cluster.machine")),
        "machine" => {
            let machine = Machine { profile: value.to_owned(), links: [None, None] };
            return Ok(Change::Machine(Box::new(machine)));
        }
        "placement" if value.is_empty() => return Err(invalid("expected by-slot, by-node, folded, best or a file")),
        "placement" => return Ok(Change::Placement(Placement::named(value))),
        _ => {}
    }
    let place = match name.split_once(':') {
        Some(("rank", rank)) => {
            Place::Rank(rank.parse().map_err(|_| invalid("expected rank:N with the number of a rank"))?)
        }
        Some(("site", site)) if !site.is_empty() => Place::Site(site.to_owned()),
        Some(("region", region)) if !region.is_empty() => Place::Region(region.to_owned()),
        _ => {
            let function = functions().find(|&id| mpiscope_abi::name(id).eq_ignore_ascii_case(name));
            Place::Function(function.ok_or_else(|| unknown(name))?)
        }
    };
    match (&place, value) {
        (Place::Rank(rank), "on time") => return Ok(Change::OnTime(*rank)),
        (Place::Rank(_), "balanced") => return Ok(Change::Balanced(place)),
        (Place::Rank(_), _) => {}
        _ => {
            if let Some((_, why)) = UNKNOWABLE.iter().find(|(word, _)| *word == value) {
                return Err(invalid(why));
            }
            if let Some((_, change)) = WORDS.iter().find(|(word, _)| *word == value) {
                return Ok(change(place));
            }
        }
    }
    if let Place::Function(function) = place {
        let of = crate::kinds::data_of_function(function);
        let names: Vec<&str> = Algorithm::of(of).iter().map(|algorithm| algorithm.name()).collect();
        let algorithm =
            Algorithm::ALL.iter().find(|(algorithm, known)| *known == value && names.contains(&algorithm.name()));
        let is_collective = crate::kinds::has_algorithms(function);
        return match algorithm {
            Some((algorithm, _)) if is_collective => Ok(Change::Algorithm(function, *algorithm)),
            _ if is_collective => Err(invalid(&format!("expected none or one of {}", names.join(", ")))),
            _ => Err(invalid(&format!("expected {}", or_words()))),
        };
    }
    let faster = value.strip_suffix("faster").map(str::trim).and_then(times);
    let slower = value.strip_suffix("slower").map(str::trim).and_then(times);
    let others = if matches!(place, Place::Rank(_)) { "balanced or `on time`".to_owned() } else { or_words() };
    let expected = format!("expected a speed such as `2x faster` or `1.5x slower`, or {others}");
    match (faster, slower) {
        (Some(factor), _) => Ok(Change::Faster(place, factor)),
        (None, Some(factor)) => Ok(Change::Slower(place, factor)),
        (None, None) => Err(invalid(&expected)),
    }
}

/// Ids of all functions, without their large-count twins.
fn functions() -> impl Iterator<Item = u32> {
    mpiscope_abi::ids().filter(|id| id & mpiscope_abi::LARGE == 0)
}

fn unknown(name: &str) -> ChangeError {
    let names = functions().map(mpiscope_abi::name);
    let like = |known: &str| strsim::jaro_winkler(&known.to_ascii_lowercase(), &name.to_ascii_lowercase());
    let all = NAMES.into_iter().chain(names).map(|known| (like(known), known));
    let best = all.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(like, _)| *like > 0.8);
    ChangeError::Unknown { name: name.to_owned(), nearest: best.map(|(_, known)| known.to_owned()) }
}

/// `0.5x`, `2`.
fn times(text: &str) -> Option<f64> {
    let factor: f64 = text.strip_suffix(['x', 'X']).unwrap_or(text).trim().parse().ok()?;
    (factor.is_finite() && factor > 0.0).then_some(factor)
}

/// `64K`, `1M`, `4096`.
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim_end_matches("iB").trim_end_matches('B').trim();
    let (number, shift) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 10),
        (at, 'm' | 'M') => (&text[..at], 20),
        (at, 'g' | 'G') => (&text[..at], 30),
        _ => (text, 0),
    };
    number.trim().parse::<u64>().ok()?.checked_mul(1 << shift)
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Rank(rank) => write!(f, "rank:{rank}"),
            Place::Site(text) => write!(f, "site:{text}"),
            Place::Region(name) => write!(f, "region:{name}"),
            Place::Function(function) => f.write_str(mpiscope_abi::name(*function)),
        }
    }
}

/// As it is written; [`parse`] reads it again.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Latency(factor) => write!(f, "latency={factor}x"),
            Change::Bandwidth(factor) => write!(f, "bandwidth={factor}x"),
            Change::Overhead(factor) => write!(f, "overhead={factor}x"),
            Change::Eager(bytes) => match bytes {
                _ if *bytes > 0 && bytes.is_multiple_of(1 << 20) => write!(f, "eager={}M", bytes >> 20),
                _ if *bytes > 0 && bytes.is_multiple_of(1 << 10) => write!(f, "eager={}K", bytes >> 10),
                _ => write!(f, "eager={bytes}"),
            },
            Change::NoContention => f.write_str("contention=off"),
            Change::Progress => f.write_str("progress=always"),
            Change::Balance => f.write_str("balance=perfect"),
            Change::Balanced(place) => write!(f, "{place}=balanced"),
            Change::Faster(place, factor) => write!(f, "{place}={factor}x faster"),
            Change::Slower(place, factor) => write!(f, "{place}={factor}x slower"),
            Change::Without(place) => write!(f, "{place}=none"),
            Change::Once(place) => write!(f, "{place}=once"),
            Change::NonBlocking(place) => write!(f, "{place}=nonblocking"),
            Change::Aggregated(place) => write!(f, "{place}=aggregated"),
            Change::Reordered(place) => write!(f, "{place}=reordered"),
            Change::Arrival(place) => write!(f, "{place}=arrival"),
            Change::Early(place) => write!(f, "{place}=early"),
            Change::Merged(place) => write!(f, "{place}=merged"),
            Change::Split(place) => write!(f, "{place}=split"),
            Change::Neighbourhood(place) => write!(f, "{place}=neighbourhood"),
            Change::Phased(place) => write!(f, "{place}=phased"),
            Change::Machine(machine) => write!(f, "machine={}", machine.profile),
            Change::OnTime(rank) => write!(f, "{}=on time", Place::Rank(*rank)),
            Change::Placement(placement) => write!(f, "placement={}", placement.name),
            Change::Algorithm(function, algorithm) => {
                write!(f, "{}={}", mpiscope_abi::name(*function), algorithm.name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_read_and_written() {
        for text in [
            "latency=0.5x",
            "bandwidth=2x",
            "overhead=1.5x",
            "eager=64K",
            "eager=1M",
            "eager=100",
            "contention=off",
            "progress=always",
            "balance=perfect",
            "placement=by-node",
            "placement=files/hosts",
            "rank:5=2x faster",
            "rank:5=1.5x slower",
            "site:exchange.c:77=nonblocking",
            "site:exchange.c:77=none",
            "site:exchange.c:77=aggregated",
            "MPI_Isend=reordered",
            "site:exchange.c:77=arrival",
            "MPI_Recv=early",
            "MPI_Wait=merged",
            "MPI_Waitall=split",
            "machine=/home/me/cluster.machine",
            "region:halo=neighbourhood",
            "MPI_Isend=phased",
            "rank:5=on time",
            "region:solve/halo=3x faster",
            "MPI_Allreduce=ring",
            "MPI_Allreduce=hierarchical",
            "MPI_Barrier=none",
            "MPI_Comm_dup=once",
            "rank:5=balanced",
            "region:solve/halo=balanced",
            "MPI_Allreduce=balanced",
        ] {
            let read = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((read.len(), read[0].to_string().as_str()), (1, text));
        }
        assert_eq!(parse("latency=0.5x, bandwidth = 2"), Ok(vec![Change::Latency(0.5), Change::Bandwidth(2.0)]));
        assert_eq!(parse("rank:1=4x slower"), Ok(vec![Change::Slower(Place::Rank(1), 4.0)]));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_explained(text in "[a-zA-Z:_=.,0-9 ]{0,30}") {
            if let Ok(changes) = parse(&text) {
                let written = changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
                proptest::prop_assert_eq!(parse(&written), Ok(changes));
            }
        }

        #[test]
        fn factors_are_read_again(latency in 0.01f64..100.0, bytes in 0u64..1 << 40, rank in 0i32..100_000) {
            let (faster, slower) = (Change::Faster(Place::Rank(rank), latency), Change::Slower(Place::Rank(rank), latency));
            for change in [Change::Latency(latency), Change::Eager(bytes), faster, slower] {
                proptest::prop_assert_eq!(parse(&change.to_string()), Ok(vec![change]));
            }
        }
    }

    #[test]
    fn what_excludes_each_other_is_refused() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert!(error("").starts_with("no change is given") && error(" , ").starts_with("no change is given"));
        for text in [
            "latency=2x, latency=3x",
            "latency=2x, bandwidth=2x, latency=2x",
            "rank:1=2x faster, rank:1=3x slower",
            "MPI_Allreduce=ring, MPI_Allreduce=hierarchical",
            "placement=best, placement=by-node",
            "balance=perfect, balance=perfect",
            "rank:1=balanced, balance=perfect",
        ] {
            assert!(error(text).contains(" change the same; give one of them"), "{text}");
        }
        for text in [
            "rank:1=2x faster, rank:2=2x faster",
            "MPI_Allreduce=ring, MPI_Bcast=binomial",
            "site:a.c:1=nonblocking, site:a.c:1=reordered",
            "latency=2x, bandwidth=2x,",
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_explained() {
        let error = |text: &str| parse(text).unwrap_err().to_string();
        assert!(error("faster").starts_with("`faster` is not a change; write NAME=VALUE"));
        assert!(error("latencey=2x").contains("did you mean `latency`?"), "{}", error("latencey=2x"));
        assert!(error("MPI_Alreduce=ring").contains("did you mean `MPI_Allreduce`?"));
        assert!(error("latency=fast").ends_with("expected a factor, such as 0.5x or 2x"));
        assert!(error("latency=-1x").ends_with("expected a factor, such as 0.5x or 2x"));
        assert!(error("eager=18446744073709551615K").ends_with("expected a size, such as 64K"));
        assert!(error("eager=lots").ends_with("expected a size, such as 64K"));
        let text = error("MPI_Allreduce=bruck");
        assert!(
            text.ends_with("expected none or one of recursive_doubling, rabenseifner, ring, hierarchical"),
            "{text}"
        );
        let text = error("MPI_Send=ring");
        assert!(
            text.ends_with(
                "expected balanced, none, once, nonblocking, aggregated, reordered, arrival, early, merged, split, neighbourhood or phased"
            ),
            "{text}"
        );
        assert!(error("rank:1=none").ends_with("or balanced or `on time`"));
        assert!(error("site:halo.c=packed").ends_with("mpiscope bench -n 2 datatypes"));
        assert!(error("MPI_Isend=persistent").ends_with("mpiscope bench -n 2 halo"));
        assert!(error("rank:x=2x faster").contains("expected rank:N"));
    }
}
