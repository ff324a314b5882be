//! The restrictions of a request.

use mpiscope_store::{CallInfo, CommId, RankId, RegionId, SiteId, Zone};

/// The selected calls. A `None` does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Calls that end after this moment.
    pub from_ns: Option<u64>,
    /// Calls that start before this moment.
    pub until_ns: Option<u64>,
    /// Ranks, ascending.
    pub ranks: Option<Vec<u32>>,
    /// Function ids, ascending.
    pub functions: Option<Vec<u32>>,
    /// Calls on this communicator.
    pub comm: Option<CommId>,
    /// Calls from this call site.
    pub site: Option<SiteId>,
    /// Calls whose innermost region is this one.
    pub region: Option<RegionId>,
    /// Calls with this destination or source.
    pub peer: Option<RankId>,
    /// Any of these, ascending.
    pub peers: Option<Vec<u32>>,
    /// Calls with this tag.
    pub tag: Option<i32>,
    /// Number of the thread in its rank.
    pub thread: Option<u16>,
    /// Payload, sent and received together.
    pub bytes_min: Option<u64>,
    /// See `bytes_min`; both are included.
    pub bytes_max: Option<u64>,
    /// Whole calls that take at least this long.
    pub duration_min_ns: Option<u64>,
    /// Whole calls that take at most this long.
    pub duration_max_ns: Option<u64>,
}

/// The result of the facts of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByFacts {
    No,
    /// As far as peer, tag and bytes are in the facts; a call with its own arguments must be examined.
    Yes,
    /// Only a call with its own arguments may match.
    IfSpelled,
}

impl Filter {
    /// The window, clipped to `0..u64::MAX`.
    pub fn window_ns(&self) -> std::ops::Range<u64> {
        self.from_ns.unwrap_or(0)..self.until_ns.unwrap_or(u64::MAX)
    }

    /// Whether calls of `rank` match.
    pub fn wants_rank(&self, rank: u32) -> bool {
        self.ranks.as_ref().is_none_or(|ranks| ranks.binary_search(&rank).is_ok())
    }

    /// Whether a rank is among `peers`, if there are any.
    pub(crate) fn wants_peer(&self, peer: RankId) -> bool {
        self.peers.as_ref().is_none_or(|wanted| wanted.binary_search(&peer.0).is_ok())
    }

    /// Whether it restricts more than time, ranks and functions.
    pub fn is_narrow(&self) -> bool {
        self.comm.is_some() || self.site.is_some() || self.region.is_some() || !self.needs_only_facts()
    }

    /// Whether facts decide which calls match; then the filter applies to waits as well, which do not have arguments.
    pub(crate) fn needs_only_facts(&self) -> bool {
        self.thread.is_none()
            && self.duration_min_ns.is_none()
            && self.duration_max_ns.is_none()
            && !self.asks_arguments()
    }

    /// The condition for row groups of the store that may have such calls.
    pub(crate) fn zone(&self) -> Zone {
        let mut zone = Zone::default();
        let mut add = |columns, id: Option<u32>| {
            if let Some(id) = id {
                zone = std::mem::take(&mut zone).with(columns, id.into()..=id.into());
            }
        };
        add(&["comm_id"], self.comm.map(|comm| comm.0));
        add(&["site_id"], self.site.map(|site| site.0));
        add(&["region_id"], self.region.map(|region| region.0));
        add(&["peer", "peer2"], self.peer.map(|peer| peer.0));
        add(&["thread"], self.thread.map(u32::from));
        if let Some((&first, &last)) = self.peers.as_ref().and_then(|peers| peers.first().zip(peers.last())) {
            zone = zone.with(&["peer", "peer2"], first.into()..=last.into());
        }
        if let Some(tag) = self.tag {
            zone = zone.with(&["tag", "tag2"], tag.into()..=tag.into());
        }
        match self.bytes_min {
            // Sent and received together: one of the two is at least half.
            Some(least) if least > 1 => {
                zone.with(&["bytes_sent", "bytes_received"], i64::try_from(least / 2).unwrap_or(i64::MAX)..=i64::MAX)
            }
            _ => zone,
        }
    }

    fn asks_arguments(&self) -> bool {
        self.peer.is_some()
            || self.peers.is_some()
            || self.tag.is_some()
            || self.bytes_min.is_some()
            || self.bytes_max.is_some()
    }

    /// The result for all calls with these facts.
    pub(crate) fn by_facts(&self, facts: &CallInfo) -> ByFacts {
        let is = |wanted: bool| if wanted { ByFacts::Yes } else { ByFacts::No };
        let fixed = self.functions.as_ref().is_none_or(|f| f.binary_search(&facts.function).is_ok())
            && self.comm.is_none_or(|comm| comm == facts.comm)
            && self.site.is_none_or(|site| site == facts.site)
            && self.region.is_none_or(|region| region == facts.region);
        if !fixed || !self.asks_arguments() {
            return is(fixed);
        }
        let bytes = facts.bytes_sent.saturating_add(facts.bytes_received);
        if self.wants_arguments([facts.peer, facts.peer2], [facts.tag, facts.tag2], bytes) {
            ByFacts::Yes
        } else {
            ByFacts::IfSpelled
        }
    }

    /// Whether a call with these arguments matches.
    pub(crate) fn wants_arguments(&self, peers: [RankId; 2], tags: [i32; 2], bytes: u64) -> bool {
        self.peer.is_none_or(|peer| peers.contains(&peer))
            && peers.iter().any(|peer| self.wants_peer(*peer))
            && self.tag.is_none_or(|tag| tags.contains(&tag))
            && self.bytes_min.is_none_or(|least| bytes >= least)
            && self.bytes_max.is_none_or(|most| bytes <= most)
    }

    /// Whether a message with this envelope and payload matches; one with an unknown tag matches any.
    pub(crate) fn wants_envelope(&self, comm: CommId, ends: [RankId; 2], tag: Option<i32>, bytes: u64) -> bool {
        let tag = tag.or(self.tag).unwrap_or_default();
        self.comm.is_none_or(|wanted| wanted == comm) && self.wants_arguments(ends, [tag; 2], bytes)
    }

    /// Whether a call at this time matches.
    pub(crate) fn wants_time(&self, start_ns: u64, end_ns: u64) -> bool {
        let duration = end_ns.saturating_sub(start_ns);
        self.until_ns.is_none_or(|until| start_ns < until)
            && self.from_ns.is_none_or(|from| end_ns >= from)
            && self.duration_min_ns.is_none_or(|least| duration >= least)
            && self.duration_max_ns.is_none_or(|most| duration <= most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_abi::role::Role;

    #[test]
    fn facts_decide_unless_arguments_are_spelled() {
        let facts = CallInfo {
            function: 7,
            role: Role::Local,
            flags: 0,
            comm: CommId(0),
            peer: RankId(3),
            peer2: RankId::NONE,
            tag: 5,
            tag2: -1,
            root: RankId::NONE,
            bytes_sent: 100,
            bytes_received: 0,
            count: 1,
            datatype: 0,
            op: 0,
            window: 0,
            file: 0,
            group: mpiscope_store::GroupId::NONE,
            site: SiteId(1),
            region: RegionId::NONE,
            calls: 1,
            time_ns: 1,
        };
        let by = |filter: Filter| filter.by_facts(&facts);
        assert_eq!(by(Filter::default()), ByFacts::Yes);
        assert_eq!(by(Filter { functions: Some(vec![6, 8]), ..Filter::default() }), ByFacts::No);
        assert_eq!(by(Filter { peer: Some(RankId(3)), bytes_max: Some(100), ..Filter::default() }), ByFacts::Yes);
        assert_eq!(by(Filter { peer: Some(RankId(4)), ..Filter::default() }), ByFacts::IfSpelled);
        assert_eq!(by(Filter { peers: Some(vec![2, 3]), ..Filter::default() }), ByFacts::Yes);
        assert_eq!(by(Filter { peers: Some(vec![2, 4]), ..Filter::default() }), ByFacts::IfSpelled);
        assert_eq!(by(Filter { bytes_min: Some(101), site: Some(SiteId(2)), ..Filter::default() }), ByFacts::No);
        let window = Filter { from_ns: Some(10), until_ns: Some(20), duration_min_ns: Some(3), ..Filter::default() };
        assert!(window.wants_time(5, 10) && window.wants_time(19, 40));
        assert!(!window.wants_time(20, 40) && !window.wants_time(12, 14));
    }
}
