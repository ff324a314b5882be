//! The folded statistics of one rank: small, whatever the number of its shapes.

use std::collections::BTreeMap;

use mpiscope_abi::id;
use mpiscope_trace::defs::Message;
use serde::Serialize;

use crate::call_stats::Cell;
use crate::regions::Regions;

/// Sums over calls.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Measure {
    /// Calls.
    pub calls: u64,
    /// Sum of durations, ns.
    pub time_ns: u64,
    /// Shortest call, ns.
    pub min_call_ns: u64,
    /// Longest call, ns.
    pub max_call_ns: u64,
    /// Payload sent, or received by calls that only receive.
    pub bytes: u64,
    /// Payload sent.
    pub bytes_sent: u64,
    /// Payload received.
    pub bytes_received: u64,
}

impl Measure {
    /// Adds a cell.
    pub fn add_cell(&mut self, cell: &Cell) {
        self.add(&Measure {
            calls: cell.calls,
            time_ns: cell.time_ns,
            min_call_ns: cell.min_ns,
            max_call_ns: cell.max_ns,
            bytes: cell.bytes(),
            bytes_sent: cell.bytes_sent,
            bytes_received: cell.bytes_received,
        });
    }
    /// Adds other sums.
    pub fn add(&mut self, other: &Measure) {
        if other.calls == 0 {
            return;
        }
        self.min_call_ns = if self.calls == 0 { other.min_call_ns } else { self.min_call_ns.min(other.min_call_ns) };
        self.max_call_ns = self.max_call_ns.max(other.max_call_ns);
        self.calls = self.calls.saturating_add(other.calls);
        self.time_ns = self.time_ns.saturating_add(other.time_ns);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.bytes_sent = self.bytes_sent.saturating_add(other.bytes_sent);
        self.bytes_received = self.bytes_received.saturating_add(other.bytes_received);
    }
    /// Mean duration of a call, ns.
    pub fn mean_ns(&self) -> u64 {
        self.time_ns.checked_div(self.calls).unwrap_or(0)
    }
}

/// What one rank exchanged with one peer.
#[derive(Clone, Debug, Default)]
pub struct PeerTally {
    /// Messages sent to it.
    pub messages_sent: u64,
    /// Their payload.
    pub bytes_sent: u64,
    /// Messages received from it (by argument or status).
    pub messages_received: u64,
    /// Their payload.
    pub bytes_received: u64,
    /// Time in calls that name it, ns.
    pub time_ns: u64,
}

/// The statistics of one rank.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By function.
    pub calls: BTreeMap<u32, Measure>,
    /// By function and size bin of the single call; `None` for mixed sizes.
    pub sizes: BTreeMap<(u32, Option<u8>), Measure>,
    /// By peer's world rank.
    pub peers: BTreeMap<i32, PeerTally>,
    /// By function and local site id.
    pub sites: BTreeMap<(u32, u32), Measure>,
    /// By local communicator id and function.
    pub comms: BTreeMap<(u32, u32), Measure>,
    /// Regions, markers and values.
    pub regions: Regions,
    /// Everything.
    pub all: Measure,
    /// Everything between initialisation and finalization, ns.
    pub inside_ns: u64,
    /// Requests started and completed.
    pub requests_started: u64,
    /// See `requests_started`.
    pub requests_completed: u64,
    /// Calls that returned an error.
    pub calls_failed: u64,
}

/// Calls around the part of a program that uses MPI. Their time is that of starting and ending a job, which would dominate the
/// shares of short runs.
pub(crate) fn surrounds(function: u32) -> bool {
    [id::Init, id::Init_thread, id::Finalize, id::Session_init, id::Session_finalize].contains(&function)
}

impl Tally {
    /// Adds the statistics of one thread; returns its time in MPI between initialization and finalization, ns.
    pub fn add_thread(&mut self, cells: &[Cell]) -> u64 {
        let before = self.inside_ns;
        cells.iter().for_each(|cell| self.add(cell));
        self.inside_ns - before
    }

    /// Adds a cell to every table.
    fn add(&mut self, cell: &Cell) {
        self.all.add_cell(cell);
        self.calls.entry(cell.function).or_default().add_cell(cell);
        self.sites.entry((cell.function, cell.site)).or_default().add_cell(cell);
        if cell.payload {
            self.sizes.entry((cell.function, cell.bin)).or_default().add_cell(cell);
        }
        if cell.comm != 0 {
            self.comms.entry((cell.comm, cell.function)).or_default().add_cell(cell);
        }
        if !surrounds(cell.function) {
            self.inside_ns = self.inside_ns.saturating_add(cell.time_ns);
        }
        self.requests_started = self.requests_started.saturating_add(cell.started);
        self.requests_completed = self.requests_completed.saturating_add(cell.completed);
        self.calls_failed = self.calls_failed.saturating_add(cell.failed);
        self.add_peers(cell);
    }

    /// Adds messages of requests whose posting calls do not determine the peer.
    pub fn add_messages(&mut self, messages: impl Iterator<Item = (u64, Message)>) {
        for (count, message) in messages {
            if message.to >= 0 {
                let peer = self.peers.entry(message.to).or_default();
                peer.messages_sent = peer.messages_sent.saturating_add(count);
                peer.bytes_sent = peer.bytes_sent.saturating_add(message.bytes_out);
            }
            if message.from >= 0 {
                let peer = self.peers.entry(message.from).or_default();
                peer.messages_received = peer.messages_received.saturating_add(count);
                peer.bytes_received = peer.bytes_received.saturating_add(message.bytes_in);
            }
        }
    }

    fn add_peers(&mut self, cell: &Cell) {
        if let Some(to) = cell.to {
            let peer = self.peers.entry(to).or_default();
            peer.messages_sent = peer.messages_sent.saturating_add(cell.calls);
            peer.bytes_sent = peer.bytes_sent.saturating_add(cell.bytes_sent);
        }
        if let Some(from) = cell.from {
            let peer = self.peers.entry(from).or_default();
            peer.messages_received = peer.messages_received.saturating_add(cell.calls);
            peer.bytes_received = peer.bytes_received.saturating_add(cell.bytes_received);
        }
        // A call's time is counted once: for the peer it sends to, if it does both.
        if let Some(peer) = cell.to.or(cell.from).or(cell.about) {
            let peer = self.peers.entry(peer).or_default();
            peer.time_ns = peer.time_ns.saturating_add(cell.time_ns);
        }
    }
}
