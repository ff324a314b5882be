//! Fields of a call that have a numeric value.

use mpiscope_store::{CallColumns, CallInfo, NO_TAG};
use serde::Serialize;

use super::{Class, OpenedRun, ViewError};

/// A field of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Entry, ns since the origin of the run.
    Start,
    /// Return, ns since the origin of the run.
    End,
    /// From entry to return; of a message its latency.
    Duration,
    /// Payload, sent and received together.
    Bytes,
    /// Bytes divided by duration.
    Bandwidth,
    /// Rank of the destination or source.
    Peer,
    /// Rank that calls; of a message its sender.
    Rank,
    /// Host of that rank.
    Host,
    /// Number of the thread in its rank.
    Thread,
    /// The tag argument, or that of the received message.
    Tag,
    /// The communicator.
    Comm,
    /// The MPI function.
    Function,
    /// The purpose of the function, see [`Class`].
    Class,
    /// The call site.
    Site,
    /// The innermost region.
    Region,
    /// Iteration of the main loop.
    Iteration,
    /// Bin of the payload: 0 is 0 bytes, bin k has 2^(k−1) … 2^k−1 bytes.
    SizeBin,
    /// Where the peer is: the rank itself, its host, another host.
    PeerClass,
    /// Number of the call in its rank.
    Row,
    /// Messages only: time while both sides were present.
    Transfer,
    /// Messages only: number of messages in flight to the same rank.
    Queue,
}

/// The items of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Of {
    /// Calls.
    #[default]
    Calls,
    /// Messages, each with the fields of its sending call.
    Messages,
}

/// A field as the page lists it.
#[derive(Clone, Debug, Serialize)]
pub struct FieldInfo {
    /// Identifies the field in questions.
    pub id: Field,
    /// Its title on the page.
    pub name: &'static str,
    /// `ns`, `bytes`, `bytes/ns`; empty for ids and numbers.
    pub unit: &'static str,
    /// Whether its values are ids of named items, which can be grouped.
    pub is_id: bool,
}

impl Field {
    /// All fields of calls.
    pub const ALL: [Field; 19] = [
        Field::Start,
        Field::End,
        Field::Duration,
        Field::Bytes,
        Field::Bandwidth,
        Field::Peer,
        Field::Rank,
        Field::Host,
        Field::Thread,
        Field::Tag,
        Field::Comm,
        Field::Function,
        Field::Class,
        Field::Site,
        Field::Region,
        Field::Iteration,
        Field::SizeBin,
        Field::PeerClass,
        Field::Row,
    ];

    /// The fields of messages.
    pub const OF_MESSAGES: [Field; 11] = [
        Field::Start,
        Field::End,
        Field::Duration,
        Field::Bytes,
        Field::Bandwidth,
        Field::Transfer,
        Field::Queue,
        Field::Rank,
        Field::Peer,
        Field::Tag,
        Field::Comm,
    ];

    /// By id, for calls.
    ///
    /// # Errors
    ///
    /// If calls have no such field.
    pub fn parse(text: &str) -> Result<Field, ViewError> {
        Field::parse_of(Of::Calls, text)
    }

    /// By id.
    ///
    /// # Errors
    ///
    /// If calls (messages) have no such field.
    pub fn parse_of(of: Of, text: &str) -> Result<Field, ViewError> {
        let all: &[Field] = match of {
            Of::Calls => &Field::ALL,
            Of::Messages => &Field::OF_MESSAGES,
        };
        let found = all.iter().copied().find(|f| f.id() == text);
        found.ok_or_else(|| {
            let names = all.iter().map(|f| f.id()).collect::<Vec<_>>().join(", ");
            ViewError::Wrong(format!("unknown field '{text}'; known fields: {names}"))
        })
    }

    /// Stable id.
    pub fn id(self) -> &'static str {
        match self {
            Field::Start => "start",
            Field::End => "end",
            Field::Duration => "duration",
            Field::Bytes => "bytes",
            Field::Bandwidth => "bandwidth",
            Field::Peer => "peer",
            Field::Rank => "rank",
            Field::Host => "host",
            Field::Thread => "thread",
            Field::Tag => "tag",
            Field::Comm => "comm",
            Field::Function => "function",
            Field::Class => "class",
            Field::Site => "site",
            Field::Region => "region",
            Field::Iteration => "iteration",
            Field::SizeBin => "size_bin",
            Field::PeerClass => "peer_class",
            Field::Row => "row",
            Field::Transfer => "transfer",
            Field::Queue => "queue",
        }
    }

    /// As listed on the page for messages.
    pub fn info_of_message(self) -> FieldInfo {
        let name = match self {
            Field::Start => "Sent",
            Field::End => "Received",
            Field::Duration => "Latency",
            Field::Rank => "Sender",
            Field::Peer => "Receiver",
            _ => self.info().name,
        };
        FieldInfo { name, ..self.info() }
    }

    /// As listed on the page.
    pub fn info(self) -> FieldInfo {
        let (name, unit, is_id) = match self {
            Field::Start => ("Start", "ns", false),
            Field::End => ("End", "ns", false),
            Field::Duration => ("Duration", "ns", false),
            Field::Bytes => ("Bytes", "bytes", false),
            Field::Bandwidth => ("Bandwidth", "bytes/ns", false),
            Field::Peer => ("Peer", "", true),
            Field::Rank => ("Rank", "", true),
            Field::Host => ("Host", "", true),
            Field::Thread => ("Thread", "", true),
            Field::Tag => ("Tag", "", true),
            Field::Comm => ("Communicator", "", true),
            Field::Function => ("Function", "", true),
            Field::Class => ("Class", "", true),
            Field::Site => ("Call site", "", true),
            Field::Region => ("Region", "", true),
            Field::Iteration => ("Iteration", "", true),
            Field::SizeBin => ("Size bin", "", true),
            Field::PeerClass => ("Peer class", "", true),
            Field::Row => ("Call number on the rank", "", false),
            Field::Transfer => ("Transfer time", "ns", false),
            Field::Queue => ("Queue depth", "", false),
        };
        FieldInfo { id: self, name, unit, is_id }
    }

    /// Whether it needs iterations, which come with the explanation.
    pub(crate) fn check(self, scene: &OpenedRun) -> Result<(), ViewError> {
        if self == Field::Iteration && !scene.ground.has_iterations() {
            return Err(ViewError::NotThere("mpiscope found no iterations in this run".into()));
        }
        Ok(())
    }

    /// Its value for a call; `None` where the call has none.
    pub(crate) fn value_of(self, scene: &OpenedRun, facts: &CallInfo, calls: &CallColumns, at: usize) -> Option<f64> {
        let id = |id: u32| (id != u32::MAX).then_some(f64::from(id));
        let detail = calls.detail(at);
        let bytes = || {
            let (sent, received) =
                detail.map_or((facts.bytes_sent, facts.bytes_received), |d| (d.bytes_sent, d.bytes_received));
            sent.saturating_add(received)
        };
        match self {
            Field::Start => Some(calls.start_ns[at] as f64),
            Field::End => Some(calls.end_ns[at] as f64),
            Field::Duration => Some(calls.duration_ns(at) as f64),
            Field::Bytes => moves(facts).then(|| bytes() as f64),
            Field::Bandwidth => {
                let duration = calls.duration_ns(at);
                (moves(facts) && duration > 0 && bytes() > 0).then(|| bytes() as f64 / duration as f64)
            }
            Field::Peer => id(detail.map_or(facts.peer, |d| d.peer).0),
            Field::Rank => Some(f64::from(calls.rank[at])),
            Field::Host => scene.host_of(calls.rank[at]).map(|host| host as f64),
            Field::Thread => Some(f64::from(calls.thread[at])),
            // Not whether there is a peer: RMA has one without a tag, MPI_PROC_NULL a tag without one.
            Field::Tag => Some(detail.map_or(facts.tag, |d| d.tag)).filter(|&tag| tag != NO_TAG).map(f64::from),
            Field::Comm => id(facts.comm.0),
            Field::Function => Some(f64::from(facts.function)),
            Field::Class => Some(Class::of_function(facts.function) as u8 as f64),
            Field::Site => id(facts.site.0),
            Field::Region => id(facts.region.0),
            Field::Iteration => scene.ground.iteration_at(calls.start_ns[at]).map(|iteration| iteration as f64),
            Field::SizeBin => moves(facts).then(|| f64::from(mpiscope_run::bin_of(bytes()))),
            Field::PeerClass => {
                let (rank, peer) = (calls.rank[at], detail.map_or(facts.peer, |d| d.peer).0);
                (peer != u32::MAX).then(|| peer_class(scene, rank, peer) as f64)
            }
            Field::Row => Some(calls.row[at] as f64),
            Field::Transfer | Field::Queue => None,
        }
    }

    /// The name of a value.
    pub(crate) fn text(self, scene: &OpenedRun, value: f64) -> String {
        let dimensions = scene.dimensions();
        let at = value as usize;
        match self {
            Field::Function => mpiscope_abi::name(at as u32).to_owned(),
            Field::Class => Class::ALL.get(at).map_or_else(String::new, |class| class.name().to_owned()),
            Field::Comm => dimensions.comm(mpiscope_store::CommId(at as u32)).to_owned(),
            Field::Site => match dimensions.site(mpiscope_store::SiteId(at as u32)) {
                "" => "unknown".to_owned(),
                text => text.to_owned(),
            },
            Field::Region => dimensions.region(mpiscope_store::RegionId(at as u32)),
            Field::Host => scene.hosts().get(at).cloned().unwrap_or_default(),
            Field::SizeBin => {
                let (low, high) = mpiscope_run::bin_range(at as u8);
                if low == high { format!("{low} B") } else { format!("{low}–{high} B") }
            }
            Field::PeerClass => PEER_CLASSES.get(at).copied().unwrap_or_default().to_owned(),
            _ => format!("{value}"),
        }
    }
}

/// The distance of a peer.
const PEER_CLASSES: [&str; 3] = ["itself", "same host", "other host"];

fn peer_class(scene: &OpenedRun, rank: u32, peer: u32) -> usize {
    match peer == rank {
        true => 0,
        false if scene.host_of(peer) == scene.host_of(rank) => 1,
        false => 2,
    }
}

/// Whether a function can move data.
pub fn moves_data(function: u32) -> bool {
    mpiscope_abi::function(function).is_some_and(|f| f.flow != mpiscope_abi::Flow::None)
}

/// Whether calls with these facts can move data.
fn moves(facts: &CallInfo) -> bool {
    moves_data(facts.function) || facts.bytes_sent > 0 || facts.bytes_received > 0
}
