//! Where counting starts if a ring was overwritten.
//!
//! The summary is complete whatever the ring has lost, so it shows how many of a rank's sends, receives and collective
//! operations are missing. Where it cannot (arguments in records, wildcard receives, persistent requests), both sides of a
//! stream are aligned at their ends: a program that ends normally has received everything.

use mpiscope_abi::role::Role;
use mpiscope_store::{CommId, flags};
use mpiscope_trace::reader::ThreadView;
use mpiscope_trace::shape::flag;
use rustc_hash::FxHashMap;

use crate::call_info::Peer;
use crate::rank::{Context, Sent, space};
use crate::receives::Received;
use crate::streams::{NO_NUMBER, PARTITIONED, Stream};

/// What one rank has done by streams: in its ring, and altogether.
#[derive(Default)]
pub(crate) struct Census {
    pub sends: FxHashMap<Stream, Count>,
    pub receives: FxHashMap<Stream, Count>,
    /// Collective operations of communicators.
    pub collectives: FxHashMap<(CommId, u64), Count>,
    /// Whether the summary says all about sends (receives).
    pub sends_exact: bool,
    pub receives_exact: bool,
    /// Receives in the ring whose source nobody noted: they may take any send.
    pub unknown: u64,
    /// Its first calls are in the ring, the last are not: counting begins at 0.
    pub ends_early: bool,
}

/// Numbers of one stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Count {
    pub total: u64,
    pub in_ring: u64,
}

impl Census {
    /// What the summaries of a rank's threads say.
    pub fn count(context: &Context<'_>, threads: &[ThreadView]) -> Census {
        let mut census = Census { sends_exact: true, receives_exact: true, ..Census::default() };
        let shapes = threads.iter().flat_map(|t| &t.shapes);
        for ((shape, facts), envelope) in shapes.zip(context.facts).zip(context.envelopes.iter()) {
            if shape.calls == 0 || facts.flags & (flags::FAILED | flags::POLL) != 0 {
                continue;
            }
            let vague = shape.flags & (flag::INLINE | flag::SUMMARY_ONLY | flag::COARSE) != 0
                || facts.flags & flags::MAKES_PERSISTENT != 0;
            let lane = facts.comm.0 | if facts.flags & flags::PARTITIONED != 0 { PARTITIONED } else { 0 };
            if matches!(facts.role, Role::Send(_) | Role::SendReceive) {
                census.sends_exact &= !vague;
                if let Peer::Rank(to) = envelope.to {
                    let stream = Stream { comm: lane, peer: to.0, tag: envelope.tag_to };
                    census.sends.entry(stream).or_default().total += shape.calls;
                }
            }
            if matches!(facts.role, Role::Receive | Role::SendReceive | Role::MatchedReceive) {
                census.receives_exact &= !vague && facts.role != Role::MatchedReceive;
                match envelope.from.with_tag(envelope.tag_from) {
                    Some((from, tag)) => {
                        let stream = Stream { comm: lane, peer: from.0, tag };
                        census.receives.entry(stream).or_default().total += shape.calls;
                    }
                    None => census.receives_exact &= matches!(envelope.from, Peer::Nobody | Peer::Stranger),
                }
            }
            if matches!(facts.role, Role::Collective(_))
                && facts.flags & flags::MAKES_PERSISTENT == 0
                && facts.file == 0
                && facts.window == 0
            {
                census.collectives.entry((facts.comm, space::COMM)).or_default().total += shape.calls;
            }
        }
        census
    }

    /// Counts what the ring holds.
    pub fn sent(&mut self, sent: &Sent, streams: &[Stream]) {
        self.sends.entry(streams[sent.stream as usize]).or_default().in_ring += 1;
    }

    /// Counts what the ring holds.
    pub fn received(&mut self, received: &Received, streams: &[Stream]) {
        if received.stream != NO_NUMBER {
            self.receives.entry(streams[received.stream as usize]).or_default().in_ring += 1;
        } else {
            self.unknown += 1;
        }
    }
}

/// Where counting begins: for each rank its sends' and receives' streams.
pub(crate) type Begins = Vec<(FxHashMap<Stream, u64>, FxHashMap<Stream, u64>)>;

/// Aligns both sides of every stream.
pub(crate) fn begins(all: &[Census]) -> Begins {
    let mut begins: Begins = all.iter().map(|_| Default::default()).collect();
    for (at, census) in all.iter().enumerate() {
        for (stream, sends) in &census.sends {
            let Some(peer) = all.get(stream.peer as usize) else { continue };
            let back = Stream { peer: at as u32, ..*stream };
            let receives = peer.receives.get(&back).copied().unwrap_or_default();
            let (from_send, from_receive) = if census.sends_exact && peer.receives_exact {
                (sends.total.saturating_sub(sends.in_ring), receives.total.saturating_sub(receives.in_ring))
            } else {
                let most = sends.in_ring.max(receives.in_ring);
                (most - sends.in_ring, most - receives.in_ring)
            };
            begins[at].0.insert(*stream, if census.ends_early { 0 } else { from_send });
            begins[stream.peer as usize].1.insert(back, if peer.ends_early { 0 } else { from_receive });
        }
    }
    begins
}

/// As [`begins`] for the collective operations of one rank.
pub(crate) fn collectives(census: &Census) -> impl Iterator<Item = (CommId, u64, u64)> {
    let is_missing_first = !census.ends_early;
    census
        .collectives
        .iter()
        .filter(move |_| is_missing_first)
        .map(|(&(comm, space), count)| (comm, space, count.total.saturating_sub(count.in_ring)))
}
