//! Collective operations by their algorithms: when each member leaves, from when each comes.
//!
//! Sources: Thakur, Rabenseifner & Gropp, "Optimization of Collective Communication Operations in MPICH" (IJHPCA 2005);
//! Bruck et al., "Efficient Algorithms for All-to-All Communications" (TPDS 1997); Gropp & Lusk, "Tuning MPI
//! Applications for Peak Performance" (pipelines, scatter and allgather in place of a tree).

use super::crowd::Crowd;
use super::hierarchy::Hierarchy;
use super::network::Network;
use super::program::{Data, Kind};

/// How an operation is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// The root sends to (receives from) all, one after the other; all send to all at once.
    Linear,
    /// A binomial tree.
    Binomial,
    /// Each rank passes on to the next, in segments.
    Pipeline,
    /// Scatter, then allgather; a reduction: reduce-scatter, then gather.
    ScatterAllgather,
    /// log2 p exchanges with partners at doubled distances.
    RecursiveDoubling,
    /// Reduce-scatter by halving, allgather by doubling.
    Rabenseifner,
    /// Blocks go round in a ring.
    Ring,
    /// log2 p steps of combined blocks.
    Bruck,
    /// p − 1 exchanges with one partner each.
    Pairwise,
    /// Within each host, between one rank of each host, within each host.
    Hierarchical,
}

impl Algorithm {
    /// All, with their names.
    pub const ALL: [(Algorithm, &'static str); 10] = [
        (Algorithm::Linear, "linear"),
        (Algorithm::Binomial, "binomial"),
        (Algorithm::Pipeline, "pipeline"),
        (Algorithm::ScatterAllgather, "scatter_allgather"),
        (Algorithm::RecursiveDoubling, "recursive_doubling"),
        (Algorithm::Rabenseifner, "rabenseifner"),
        (Algorithm::Ring, "ring"),
        (Algorithm::Bruck, "bruck"),
        (Algorithm::Pairwise, "pairwise"),
        (Algorithm::Hierarchical, "hierarchical"),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        Algorithm::ALL.iter().find(|(of, _)| *of == self).map_or("", |(_, name)| name)
    }

    /// Those that can make an operation, the best-known one for small data first.
    pub fn of(data: Data) -> &'static [Algorithm] {
        use Algorithm::{
            Binomial, Bruck, Hierarchical, Linear, Pairwise, Pipeline, Rabenseifner, RecursiveDoubling, Ring,
            ScatterAllgather,
        };
        match data {
            Data::Nothing => &[RecursiveDoubling, Linear, Hierarchical],
            Data::Broadcast => &[Binomial, ScatterAllgather, Pipeline, Linear, Hierarchical],
            Data::Scatter | Data::Gather => &[Binomial, Linear],
            Data::Reduce => &[Binomial, ScatterAllgather, Linear, Hierarchical],
            Data::Allreduce => &[RecursiveDoubling, Rabenseifner, Ring, Hierarchical],
            Data::Allgather => &[Bruck, RecursiveDoubling, Ring],
            Data::Alltoall => &[Bruck, Pairwise, Linear],
            Data::ReduceScatter => &[RecursiveDoubling, Pairwise],
            Data::Scan => &[RecursiveDoubling, Linear],
        }
    }

    /// What MPICH takes without settings (`coll_tuning`, 3.x and 4.x).
    pub fn usual(kind: &Kind) -> Algorithm {
        let (p, bytes) = (kind.members.len() as u64, kind.bytes);
        match kind.data {
            Data::Broadcast if bytes >= 12_288 && p >= 8 => Algorithm::ScatterAllgather,
            Data::Allreduce if bytes > 2_048 => Algorithm::Rabenseifner,
            Data::Reduce if bytes > 2_048 => Algorithm::ScatterAllgather,
            Data::Allgather if bytes * p >= 524_288 => Algorithm::Ring,
            Data::Allgather if p.is_power_of_two() => Algorithm::RecursiveDoubling,
            Data::Alltoall if bytes > 32_768 => Algorithm::Pairwise,
            Data::Alltoall if bytes > 256 => Algorithm::Linear,
            Data::ReduceScatter if bytes * p >= 524_288 => Algorithm::Pairwise,
            data => Algorithm::of(data)[0],
        }
    }
}

/// Segment of a pipeline, bytes.
const SEGMENT_BYTES: u64 = 8 << 10;
/// Steps of all members up to which each is computed; more are taken to last as long as the longest one.
const MOST_STEPS: u64 = 1 << 15;

/// The members of an operation as they come.
pub(crate) struct Meeting<'a> {
    pub network: &'a Network,
    pub kind: &'a Kind,
    pub algorithm: Algorithm,
    pub factor: f64,
    /// See [`Network::least_ns`].
    pub least_ns: f64,
    /// Its members by hosts, where the algorithm makes a difference between them.
    hierarchy: Option<&'a Hierarchy>,
}

impl<'a> Meeting<'a> {
    pub fn new(network: &'a Network, number: u32, kind: &'a Kind) -> Meeting<'a> {
        let at = number as usize;
        let asked = network.algorithms.get(at).copied().flatten();
        let factor = network.factors.get(at).copied().unwrap_or(1.0);
        // Another algorithm has another least time, of which nothing is known.
        let least_ns = network.least_ns.get(at).copied().filter(|_| asked.is_none()).unwrap_or(0.0);
        let algorithm = asked.unwrap_or_else(|| network.taken(number, kind));
        let hierarchy =
            network.hierarchies.get(at).and_then(Option::as_ref).filter(|_| algorithm == Algorithm::Hierarchical);
        // An MPI that needs less than the usual algorithm may take hosts into account already: no gain from that.
        let factor = if hierarchy.is_some() { factor.max(1.0) } else { factor };
        Meeting { network, kind, algorithm, factor, least_ns, hierarchy }
    }

    /// Another operation at the same costs, by its usual algorithm.
    pub fn of_members<'b>(&'b self, kind: &'b Kind) -> Meeting<'b> {
        let Meeting { network, factor, least_ns, .. } = *self;
        Meeting { network, kind, algorithm: Algorithm::usual(kind), factor, least_ns, hierarchy: None }
    }

    fn size(&self) -> usize {
        self.kind.members.len()
    }

    /// From the beginning of a send to the end of its receive, ns.
    pub(super) fn cost(&self, from: usize, to: usize, bytes: u64) -> f64 {
        let rank = |at: usize| self.kind.members.get(at).copied().unwrap_or(0);
        self.network.link(rank(from), rank(to)).both(bytes) * self.factor
    }

    fn is_eager(&self, from: usize, to: usize, bytes: u64) -> bool {
        let rank = |at: usize| self.kind.members.get(at).copied().unwrap_or(0);
        bytes <= self.network.link(rank(from), rank(to)).eager_bytes
    }

    /// Time for which a sender is busy with one message, ns.
    pub(super) fn busy(&self, from: usize, to: usize, bytes: u64) -> f64 {
        let rank = |at: usize| self.kind.members.get(at).copied().unwrap_or(0);
        let link = self.network.link(rank(from), rank(to));
        let ns = if bytes <= link.eager_bytes { link.send.at(bytes) } else { link.rendezvous.at(bytes) };
        ns * self.factor
    }

    /// Time from one message of a sender to its next one, ns: none leaves before its port is free.
    pub(super) fn spacing(&self, from: usize, to: usize, bytes: u64) -> f64 {
        let rank = |at: usize| self.kind.members.get(at).copied().unwrap_or(0);
        let port_ns = self.network.link(rank(from), rank(to)).port_ns(bytes) * self.factor;
        self.busy(from, to, bytes).max(port_ns)
    }

    pub(super) fn reduce(&self, bytes: u64) -> f64 {
        match self.kind.data {
            Data::Reduce | Data::Allreduce | Data::ReduceScatter | Data::Scan => {
                bytes as f64 * self.network.reduce_ns_per_byte * self.factor
            }
            _ => 0.0,
        }
    }

    /// The rounds of an operation in which all depend on all: distance or partner, and bytes.
    fn rounds(&self) -> Vec<Round> {
        let (p, bytes) = (self.size() as u64, self.kind.bytes);
        let steps = 64 - (p.max(1) - 1).leading_zeros();
        let block = |of: u64| (of / p.max(1)).max(1);
        let doubling = |bytes: &dyn Fn(u32) -> u64| {
            (0..steps).map(|k| Round::Exchange { distance: 1 << k, bytes: bytes(k) }).collect::<Vec<_>>()
        };
        let ring = |times: u64, bytes: u64| vec![Round::Shift { distance: 1, bytes, times }];
        match (self.kind.data, self.algorithm) {
            (Data::Nothing, Algorithm::RecursiveDoubling) => {
                (0..steps).map(|k| Round::Shift { distance: 1 << k, bytes: 0, times: 1 }).collect()
            }
            (Data::Allreduce, Algorithm::Rabenseifner) => {
                let halving = (0..steps).map(|k| Round::Exchange { distance: 1 << k, bytes: bytes >> (k + 1) });
                let back = (0..steps).rev().map(|k| Round::Exchange { distance: 1 << k, bytes: bytes >> (k + 1) });
                halving.chain(back).collect()
            }
            (Data::Allreduce, Algorithm::Ring) => ring(2 * (p - 1), block(bytes)),
            (Data::Allreduce | Data::Scan, _) => doubling(&|_| bytes),
            (Data::Allgather, Algorithm::Ring) => ring(p - 1, bytes),
            (Data::Allgather, Algorithm::RecursiveDoubling) => doubling(&|k| bytes << k),
            (Data::Allgather, _) => {
                let part = |k: u32| bytes * (1u64 << k).min(p - (1 << k));
                (0..steps).map(|k| Round::Shift { distance: 1 << k, bytes: part(k), times: 1 }).collect()
            }
            (Data::Alltoall, Algorithm::Bruck) => {
                (0..steps).map(|k| Round::Shift { distance: 1 << k, bytes: bytes * p.div_ceil(2), times: 1 }).collect()
            }
            (Data::Alltoall, Algorithm::Linear) => vec![Round::AllAtOnce { bytes }],
            (Data::Alltoall, _) => vec![Round::EachOther { bytes }],
            (Data::ReduceScatter, Algorithm::Pairwise) => vec![Round::EachOther { bytes }],
            (Data::ReduceScatter, _) => doubling(&|k| (bytes * p) >> (k + 1)),
            _ => vec![Round::Shift { distance: 1, bytes, times: 1 }],
        }
    }

    /// When each member leaves, of an operation in which all wait for all.
    pub fn all_to_all(&self, entries_ns: &[u64]) -> Vec<u64> {
        let p = self.size();
        let mut now: Vec<f64> = entries_ns.iter().map(|&ns| ns as f64).collect();
        if p < 2 || now.len() != p {
            return entries_ns.to_vec();
        }
        if let Some(hierarchy) = self.hierarchy {
            return hierarchy.all_to_all(self, entries_ns);
        }
        if self.algorithm == Algorithm::Linear && self.kind.data == Data::Nothing {
            let members = &self.kind.members;
            let to_root = Crowd::of_pairs(self.network, (1..p).map(|at| (members[at], members[0])));
            let there = (1..p).map(|at| self.there((at, 0), 0, &now, false, to_root.as_ref()));
            now[0] = there.fold(now[0], f64::max);
            let from_root = self.crowd(|at| (at > 0).then_some(0));
            let leaves = |at: usize| self.there((0, at), 0, &now, false, from_root.as_ref());
            return (0..p).map(|at| if at == 0 { now[0] } else { leaves(at) } as u64).collect();
        }
        let rounds = self.rounds();
        let steps: u64 = rounds.iter().map(|round| round.times(p)).sum();
        if steps * p as u64 > MOST_STEPS {
            let last = now.iter().copied().fold(0.0, f64::max);
            let far = |bytes: u64| self.cost(0, p - 1, bytes).max(self.cost(0, 1, bytes)) + self.reduce(bytes);
            let all: f64 = rounds.iter().map(|round| round.times(p) as f64 * far(round.bytes())).sum();
            return vec![(last + all) as u64; p];
        }
        let mut next = now.clone();
        for round in rounds {
            let bytes = round.bytes();
            for time in 0..round.times(p) as usize {
                let crowd = self.crowd(|at| round.source(at, p, time));
                for (at, slot) in next.iter_mut().enumerate() {
                    let from = round.source(at, p, time);
                    let Some(from) = from else { continue };
                    let there = self.there((from, at), bytes, &now, round.is_exchange(), crowd.as_ref());
                    *slot = now[at].max(there) + self.reduce(bytes);
                }
                now.copy_from_slice(&next);
            }
            if let Round::AllAtOnce { bytes } = round {
                let crowd = Crowd::of_all(self.network, &self.kind.members);
                let entered = now.clone();
                now.iter_mut()
                    .enumerate()
                    .for_each(|(at, slot)| *slot = self.after_all(at, bytes, &entered, crowd.as_ref()));
                next.copy_from_slice(&now);
            }
        }
        now.into_iter().map(|ns| ns as u64).collect()
    }

    /// What shares ports in a step in which each member receives from its source.
    fn crowd(&self, source: impl Fn(usize) -> Option<usize>) -> Option<Crowd<'_>> {
        let members = &self.kind.members;
        let pairs = (0..members.len()).filter_map(|at| Some((members[source(at)?], members[at])));
        Crowd::of_pairs(self.network, pairs)
    }

    /// When a message of a step is there, of members that come to the step at these moments. In an exchange, an eager message of a partner that
    /// came early is there already; a rendezvous needs both.
    fn there(
        &self,
        (from, to): (usize, usize),
        bytes: u64,
        now: &[f64],
        is_exchange: bool,
        crowd: Option<&Crowd<'_>>,
    ) -> f64 {
        let needs_both = is_exchange && !self.is_eager(from, to, bytes);
        let sent = if needs_both { now[from].max(now[to]) } else { now[from] };
        let members = &self.kind.members;
        let more = crowd.map_or(0.0, |crowd| crowd.more_ns(members[from], members[to], bytes) * self.factor);
        sent + (self.cost(from, to, bytes) + more)
    }

    /// When a member leaves that sends to all others and receives from all of them. Of very many, it looks at those at distances of powers of
    /// two, and at the one that comes last.
    fn after_all(&self, at: usize, bytes: u64, entered: &[f64], crowd: Option<&Crowd<'_>>) -> f64 {
        let p = self.size();
        let is_small = (p * p) as u64 <= MOST_STEPS;
        let last = (0..p).max_by(|&a, &b| entered[a].total_cmp(&entered[b])).unwrap_or(0);
        let there = |from: usize| self.there((from, at), bytes, entered, true, crowd);
        let mut leaves = if last == at { 0.0 } else { there(last) };
        let (mut sent, mut partners) = (0.0, 0);
        for distance in (1..p).filter(|distance| is_small || distance.is_power_of_two()) {
            sent += self.busy(at, (at + distance) % p, bytes);
            leaves = f64::max(leaves, there((at + p - distance) % p));
            partners += 1;
        }
        leaves.max(entered[at] + sent * (p - 1) as f64 / f64::from(partners.max(1)))
    }

    /// Of a tree: the parent of a member, and when what it sends is there, if the parent can send at `from_ns`.
    fn tree(&self, member: usize) -> Option<(usize, u64)> {
        let (p, root) = (self.size(), self.kind.root as usize);
        if let Some(hierarchy) = self.hierarchy {
            return hierarchy.parent(member).map(|parent| (parent, 1));
        }
        let relative = (member + p - root) % p;
        if relative == 0 {
            return None;
        }
        let parent = match self.algorithm {
            Algorithm::Binomial => relative & (relative - 1),
            Algorithm::Pipeline => relative - 1,
            _ => 0,
        };
        let subtree = match self.algorithm {
            Algorithm::Binomial => (1 << relative.trailing_zeros()).min(p - relative) as u64,
            _ => 1,
        };
        Some(((parent + root) % p, subtree))
    }

    /// Time from when the parent has the data until a member has it.
    fn parent_cost(&self, member: usize, parent: usize, subtree: u64) -> f64 {
        if let Some(hierarchy) = self.hierarchy {
            return hierarchy.parent_cost(self, member, parent);
        }
        let (p, root, bytes) = (self.size(), self.kind.root as usize, self.kind.bytes);
        let relative = |at: usize| (at + p - root) % p;
        match (self.kind.data, self.algorithm) {
            (Data::Broadcast, Algorithm::Pipeline) => {
                let segment = bytes.clamp(1, SEGMENT_BYTES);
                let behind = (bytes.div_ceil(segment).max(1) - 1) as f64 * self.spacing(parent, member, segment);
                // The last segment follows the first one at the end of the chain only once.
                let whole = if relative(member) == 1 { behind } else { 0.0 };
                self.cost(parent, member, segment) + whole
            }
            (Data::Broadcast | Data::Reduce, Algorithm::ScatterAllgather) => {
                let block = (bytes / p.max(1) as u64).max(1);
                let steps = f64::from(64 - (p as u64 - 1).leading_zeros());
                let blocks = (p - 1) as f64 * self.cost(parent, member, block);
                steps * self.cost(parent, member, 0) + self.cost(parent, member, bytes) + blocks
            }
            (data, algorithm) => {
                let bytes = if matches!(data, Data::Scatter | Data::Gather) { bytes * subtree } else { bytes };
                // Children that the parent serves before.
                let before = match algorithm {
                    Algorithm::Binomial => {
                        let own = relative(member) - relative(parent);
                        let most = (p - 1 - relative(parent)).max(1);
                        let larger = (0..usize::BITS).map(|k| 1usize << k).filter(|&d| d > own && d <= most);
                        let of_parent =
                            |d: &usize| relative(parent) == 0 || *d < 1 << relative(parent).trailing_zeros();
                        larger.filter(of_parent).count()
                    }
                    _ => relative(member) - 1,
                };
                self.cost(parent, member, bytes)
                    + before as f64 * self.spacing(parent, member, bytes)
                    + self.reduce(bytes)
            }
        }
    }

    /// When a member has what the root sends, where that is known: its parent must have it.
    pub fn root_reached(&self, member: usize, entries_ns: &[u64], done_ns: &[u64]) -> Option<u64> {
        let entered_ns = known(entries_ns, member)?;
        let Some((parent, subtree)) = self.tree(member) else { return Some(entered_ns) };
        Some(entered_ns.max(known(done_ns, parent)? + self.parent_cost(member, parent, subtree) as u64))
    }

    /// Time for which a member that has the data is busy sending them on, ns.
    pub fn sends_on(&self, member: usize) -> u64 {
        let (p, bytes) = (self.size() as u64, self.kind.bytes);
        let children = self.children(member);
        let one = |&child: &usize| match (self.kind.data, self.algorithm) {
            (Data::Scatter, _) => {
                let subtree = self.tree(child).map_or(1, |(_, subtree)| subtree);
                self.busy(member, child, bytes * subtree)
            }
            // It has sent all but the last segment on by then.
            (_, Algorithm::Pipeline) if self.tree(member).is_some() => {
                self.busy(member, child, bytes.min(SEGMENT_BYTES))
            }
            (_, Algorithm::ScatterAllgather) => 2.0 * self.busy(member, child, bytes / p.max(1)),
            _ => self.busy(member, child, bytes),
        };
        children.iter().map(one).sum::<f64>() as u64
    }

    /// When a member has what its children send, where that is known.
    pub fn subtree_reached(&self, member: usize, entries_ns: &[u64], done_ns: &[u64]) -> Option<u64> {
        let mut own_ns = known(entries_ns, member)?;
        for child in self.children(member) {
            let (_, subtree) = self.tree(child)?;
            own_ns = own_ns.max(known(done_ns, child)? + self.parent_cost(child, member, subtree) as u64);
        }
        Some(own_ns)
    }

    /// Members that have this one as their parent.
    pub fn children(&self, member: usize) -> Vec<usize> {
        if let Some(hierarchy) = self.hierarchy {
            return hierarchy.children(member).to_vec();
        }
        let p = self.size();
        let root = self.kind.root as usize;
        let relative = (member + p - root) % p;
        let of: Vec<usize> = match self.algorithm {
            Algorithm::Binomial => {
                let most = if relative == 0 { usize::BITS } else { relative.trailing_zeros() };
                (0..most).map(|k| relative + (1 << k)).take_while(|&child| child < p).collect()
            }
            Algorithm::Pipeline => (relative + 1..p).take(1).collect(),
            _ if relative == 0 => (1..p).collect(),
            _ => Vec::new(),
        };
        of.into_iter().map(|relative| (relative + root) % p).collect()
    }

    /// The parent of a member.
    pub fn parent(&self, member: usize) -> Option<usize> {
        self.tree(member).map(|(parent, _)| parent)
    }

    /// When a member leaves a scan: those before it must have come.
    pub fn chain(&self, member: usize, entries_ns: &[u64], done_ns: &[u64]) -> Option<u64> {
        let entered_ns = known(entries_ns, member)?;
        let Some(before) = member.checked_sub(1) else { return Some(entered_ns) };
        let cost = self.cost(before, member, self.kind.bytes) + self.reduce(self.kind.bytes);
        let from_ns = known(done_ns, before)?;
        let steps = f64::from(usize::BITS - member.leading_zeros());
        // By doubling, all that came before its last partner takes log2 steps, not one for each rank.
        let cost = match self.algorithm {
            Algorithm::Linear => cost,
            _ => cost * steps / member as f64,
        };
        Some(entered_ns.max(from_ns + cost as u64))
    }
}

/// No moment yet.
pub(crate) const UNKNOWN: u64 = u64::MAX;

fn known(moments_ns: &[u64], at: usize) -> Option<u64> {
    moments_ns.get(at).copied().filter(|&ns| ns != UNKNOWN)
}

/// A step that all members make.
enum Round {
    /// With the partner at this distance, both ways.
    Exchange { distance: usize, bytes: u64 },
    /// To the one after, from the one before.
    Shift { distance: usize, bytes: u64, times: u64 },
    /// With each other member in turn.
    EachOther { bytes: u64 },
    /// With all other members at once.
    AllAtOnce { bytes: u64 },
}

impl Round {
    fn bytes(&self) -> u64 {
        match *self {
            Round::Exchange { bytes, .. }
            | Round::Shift { bytes, .. }
            | Round::EachOther { bytes }
            | Round::AllAtOnce { bytes } => bytes,
        }
    }

    fn times(&self, p: usize) -> u64 {
        match *self {
            Round::Exchange { .. } => 1,
            Round::Shift { times, .. } => times,
            Round::EachOther { .. } => p as u64 - 1,
            Round::AllAtOnce { .. } => 0,
        }
    }

    fn is_exchange(&self) -> bool {
        matches!(self, Round::Exchange { .. })
    }

    /// From whom a member receives; members without a partner wait.
    fn source(&self, at: usize, p: usize, time: usize) -> Option<usize> {
        match *self {
            Round::Exchange { distance, .. } => {
                let partner = at ^ distance;
                // Of a number that is not a power of two, ranks without a partner exchange with one that has none either.
                Some(if partner < p { partner } else { at & (distance - 1) }).filter(|&partner| partner != at)
            }
            Round::Shift { distance, .. } => Some((at + p - distance % p) % p),
            Round::EachOther { .. } => Some((at + p - 1 - time) % p),
            Round::AllAtOnce { .. } => None,
        }
    }
}
