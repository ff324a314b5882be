//! What communication costs between two ranks.
//!
//! A message of *n* bytes takes `send(n)` of its sender's time. Its receiver leaves the receive `transit(n)` after the send has
//! begun, if it waits for the message, and needs `receive(n)` for one that is there already. By rendezvous both leave
//! `rendezvous(n)` after the later of them has come; the sender perhaps earlier. In terms of LogGP (Alexandrov, Ionescu, Schauser & Scheiman, SPAA 1995):
//! `send(n)` is *o_s* with what is copied, `transit(0)` is *o_s + L + o_r*, and slopes are *G*. Curves take the place of
//! single numbers since protocols change with the size. Where messages meet at the port of a host, each occupies it for *g + n G*:
//! many short ones then come one after the other, although each of them alone takes little more than the latency.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::algorithms::Algorithm;
use super::flows::Way;
use super::hierarchy::Hierarchy;
use super::program::Kind;

/// Time by size: straight lines between points; after the last one on as between the last two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    points: Vec<(u64, f64)>,
}

impl Curve {
    /// Through these points: bytes, ns. Times never fall with the size: a longer message takes at least as long.
    pub fn new(mut points: Vec<(u64, f64)>) -> Curve {
        points.retain(|(_, ns)| ns.is_finite() && *ns >= 0.0);
        points.sort_unstable_by_key(|&(bytes, _)| bytes);
        points.dedup_by_key(|&mut (bytes, _)| bytes);
        let mut least_ns: f64 = 0.0;
        for (_, ns) in &mut points {
            least_ns = least_ns.max(*ns);
            *ns = least_ns;
        }
        Curve { points }
    }

    /// `at_zero_ns` and this much for each byte.
    pub fn line(at_zero_ns: f64, ns_per_byte: f64) -> Curve {
        Curve::new(vec![(0, at_zero_ns), (1 << 20, at_zero_ns + ns_per_byte * f64::from(1 << 20))])
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Time of a size, ns.
    pub fn at(&self, bytes: u64) -> f64 {
        match self.points[..] {
            [] => 0.0,
            [(_, ns)] => ns,
            _ => {
                let after = self.points.partition_point(|&(of, _)| of <= bytes).clamp(1, self.points.len() - 1);
                let ((a, a_ns), (b, b_ns)) = (self.points[after - 1], self.points[after]);
                match bytes {
                    // Before the first point: not less than there, since the smallest measured size says most about it.
                    _ if bytes < a => a_ns,
                    _ if bytes > b => b_ns + self.ns_per_byte() * (bytes - b) as f64,
                    _ => a_ns + (b_ns - a_ns) * (bytes - a) as f64 / (b - a) as f64,
                }
            }
        }
    }

    /// Slope at large sizes, ns per byte: not more than that of the largest known size as a whole, as longer messages could be
    /// sent in pieces of it.
    pub fn ns_per_byte(&self) -> f64 {
        match self.points[..] {
            [.., (a, a_ns), (b, b_ns)] => ((b_ns - a_ns) / (b - a) as f64).min(b_ns / b as f64),
            _ => 0.0,
        }
    }

    /// With another time for nothing, and another time for each byte.
    pub fn scaled(&self, at_zero: f64, per_byte: f64) -> Curve {
        let zero_ns = self.at(0);
        let scaled = |&(bytes, ns): &(u64, f64)| (bytes, zero_ns * at_zero + (ns - zero_ns) * per_byte);
        Curve::new(self.points.iter().map(scaled).collect())
    }

    /// The points: bytes, ns.
    pub fn points(&self) -> &[(u64, f64)] {
        &self.points
    }
}

/// Ranks at one distance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Link {
    /// Time of a send that does not wait, ns.
    pub send: Curve,
    /// From the beginning of the send until a receiver that waits leaves the receive, ns.
    pub transit: Curve,
    /// Time to receive a message that is there, ns.
    pub receive: Curve,
    /// From when both have come until they leave, where the send waits for the receiver, ns.
    pub rendezvous: Curve,
    /// The same until only the sender leaves, where it leaves before the receiver: when the system has its data, which may be long before they
    /// are there. Empty: both leave at the same moment.
    pub rendezvous_sent: Curve,
    /// Messages up to this size do not wait for the receiver to post its receive.
    pub eager_bytes: u64,
    /// Above this size, the send of such a message is over when its receiver has been inside MPI and taken the data out of the
    /// sender's buffer. `None`: every such send is over at once.
    pub held_above_bytes: Option<u64>,
    /// Whether a rendezvous also needs the sender to be inside MPI.
    pub needs_sender: bool,
    /// Whether what a receiver answers to a rendezvous queues behind the data that it sends to the same rank, as over TCP, which hands
    /// over all bytes of a connection in order.
    pub answers_queue: bool,
    /// Time for which a message occupies the ports of its ends, ns per byte; 0: messages do not hinder each other by their bytes.
    pub port_ns_per_byte: f64,
    /// The same for each message, whatever its size, ns: its headers, and the work of the network for each packet. It is a part of the
    /// other times, as that of the bytes is.
    pub port_ns_per_message: f64,
}

impl Link {
    /// Whether an eager send of this size waits until its receiver is inside MPI.
    pub fn is_held(&self, bytes: u64) -> bool {
        self.held_above_bytes.is_some_and(|most| bytes > most)
    }

    /// Time for which a message of this size occupies the ports of its ends, ns.
    pub fn port_ns(&self, bytes: u64) -> f64 {
        self.port_ns_per_message + bytes as f64 * self.port_ns_per_byte
    }

    /// From when both have come until the sender leaves, if that is before the receiver does, ns.
    pub fn sender_leaves(&self, bytes: u64) -> Option<f64> {
        let known = Some(&self.rendezvous_sent).filter(|curve| !curve.is_empty());
        known.map(|curve| curve.at(bytes)).filter(|&ns| ns < self.rendezvous.at(bytes))
    }

    /// From the beginning of a send until its receiver leaves, both at the same moment, ns.
    pub fn both(&self, bytes: u64) -> f64 {
        if bytes <= self.eager_bytes { self.transit.at(bytes) } else { self.rendezvous.at(bytes) }
    }

    /// With another eager limit. No eager message above the old limit was measured: it takes what the curves say there, but at most as
    /// long as the rendezvous that has moved as many bytes, since curves of small messages may be far too steep for large ones.
    #[must_use]
    pub fn with_eager_limit(&self, eager_bytes: u64) -> Link {
        let known = self.eager_bytes;
        let most = |curve: &Curve| {
            if eager_bytes <= known || curve.is_empty() || self.rendezvous.is_empty() {
                return curve.clone();
            }
            let capped = |bytes: u64| (bytes, curve.at(bytes).min(self.rendezvous.at(bytes).max(curve.at(known))));
            let doubled = std::iter::successors(Some(known.max(1)), |bytes| bytes.checked_mul(2));
            let above = doubled.take_while(|bytes| *bytes < eager_bytes).chain([eager_bytes]).map(capped);
            let below = curve.points().iter().copied().filter(|point| point.0 < known);
            Curve::new(below.chain(above).collect())
        };
        let [send, transit, receive] = [&self.send, &self.transit, &self.receive].map(most);
        Link { send, transit, receive, eager_bytes, ..self.clone() }
    }

    /// With eager messages above `known_bytes`, none of which was measured, at half of their costs: copies may take less than the system
    /// calls of a rendezvous.
    #[must_use]
    pub fn with_cheaper_eager(&self, known_bytes: u64) -> Link {
        let cheaper = |curve: &Curve| {
            let halved = |&(bytes, ns): &(u64, f64)| (bytes, if bytes > known_bytes { ns / 2.0 } else { ns });
            // Times never fall with the size, so the smaller sizes must not cost more.
            let least_ns = curve.at(known_bytes).min(curve.at(known_bytes + 1) / 2.0);
            let capped = |(bytes, ns): (u64, f64)| (bytes, if bytes > known_bytes { ns } else { ns.min(least_ns) });
            Curve::new(curve.points().iter().map(halved).map(capped).collect())
        };
        let [send, transit, receive] = [&self.send, &self.transit, &self.receive].map(cheaper);
        Link { send, transit, receive, ..self.clone() }
    }

    /// With other costs; see [`Curve::scaled`].
    #[must_use]
    pub fn scaled(&self, latency: f64, per_byte: f64, overhead: f64) -> Link {
        let send = self.send.scaled(overhead, per_byte);
        let receive = self.receive.scaled(overhead, per_byte);
        // The overheads are part of the transit, and so is the time for which a message of any size occupies a port.
        let port_ns_per_message = self.port_ns_per_message * per_byte;
        let over = |bytes: u64| self.send.at(bytes) + self.receive.at(bytes) + self.port_ns_per_message;
        let over_now = |bytes: u64| send.at(bytes) + receive.at(bytes) + port_ns_per_message;
        let moved = |curve: &Curve| {
            let flight = |&(bytes, ns): &(u64, f64)| (bytes, (ns - over(bytes)).max(0.0));
            let flight = Curve::new(curve.points().iter().map(flight).collect());
            let flight_now = flight.scaled(latency, per_byte);
            // Only what changes is added, so that factors of 1 change nothing.
            let more = |bytes: u64| flight_now.at(bytes) - flight.at(bytes) + over_now(bytes) - over(bytes);
            Curve::new(curve.points().iter().map(|&(bytes, ns)| (bytes, (ns + more(bytes)).max(0.0))).collect())
        };
        Link {
            transit: moved(&self.transit),
            rendezvous: moved(&self.rendezvous),
            rendezvous_sent: self.rendezvous_sent.scaled(overhead, per_byte),
            port_ns_per_byte: self.port_ns_per_byte * per_byte,
            port_ns_per_message,
            send,
            receive,
            ..self.clone()
        }
    }
}

/// Links of the network between hosts. Each has the bandwidth of a host's port.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routes {
    /// How many links, numbered from 0.
    pub links: u32,
    /// The links that a message passes between two ports; none where nothing is given.
    pub between: FxHashMap<(u32, u32), Box<[u32]>>,
}

/// All ranks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Network {
    /// What ranks share a port: a host. By rank.
    pub port_of: Vec<u32>,
    /// Ports, the number of rows of [`Network::link_of`].
    pub ports: u32,
    /// Which link joins two ports: row times ports plus column.
    pub link_of: Vec<u16>,
    /// The links.
    pub links: Vec<Link>,
    /// Whether messages that leave a port and those that enter it hinder each other.
    pub shares_directions: bool,
    /// Whether ports and links hand over messages one after the other, as a queue does; otherwise messages share them equally.
    pub in_order: bool,
    /// Which links of the network between hosts messages share.
    pub routes: Arc<Routes>,
    /// Time to combine two operands of a reduction, ns per byte.
    pub reduce_ns_per_byte: f64,
    /// Whether a rendezvous makes progress while both ranks compute: a thread or the network moves the data.
    pub always_progresses: bool,
    /// How much longer a kind of collective operations takes than its algorithm says. By kind; 1 where nothing is known.
    pub factors: Vec<f64>,
    /// Time from when the last member has come until any member leaves, by kind, where all wait for all, ns; 0 where nothing is known.
    pub least_ns: Vec<f64>,
    /// Algorithms that the MPI takes as far as the recorded run shows it, by kind; [`Algorithm::usual`] where it does not.
    pub taken: Vec<Option<Algorithm>>,
    /// Others that the recorded run does not exclude, with how much longer operations then take than these say, by kind.
    pub possible: Vec<Vec<(Algorithm, f64)>>,
    /// Algorithms that are asked for, by kind.
    pub algorithms: Vec<Option<Algorithm>>,
    /// By rank: calls (by [`Step::facts`](super::Step::facts)) whose datatypes have gaps. A message of them within a host takes the cores of both its
    /// ends while its data move, so that no other such message moves there meanwhile. Empty: nothing is known of that.
    pub packing: Vec<FxHashSet<u32>>,
    /// Members by hosts, by kind: of kinds for which [`Algorithm::Hierarchical`] is wanted.
    pub hierarchies: Vec<Option<Hierarchy>>,
}

impl Network {
    pub(super) fn port(&self, rank: u32) -> u32 {
        self.port_of.get(rank as usize).copied().unwrap_or(0)
    }

    /// Whether messages between hosts share the ports of the hosts.
    pub fn shares_ports(&self) -> bool {
        self.ports > 1 && self.links.iter().any(|link| link.port_ns(1) > 0.0)
    }

    /// Whether the data of these calls are packed and unpacked.
    pub(super) fn packs(&self, rank: u32, facts: u32) -> bool {
        self.packing.get(rank as usize).is_some_and(|calls| calls.contains(&facts))
    }

    /// How many things messages share: both directions of each port, and links.
    pub(super) fn ways(&self) -> u32 {
        2 * self.ports + self.routes.links
    }

    /// What a message occupies of these.
    pub(super) fn way(&self, from: u32, to: u32) -> Way {
        let (from, to) = (self.port(from), self.port(to));
        let between = self.routes.between.get(&(from, to)).into_iter().flatten();
        let enters = u32::from(!self.shares_directions);
        [2 * from, 2 * to + enters].into_iter().chain(between.map(|link| 2 * self.ports + link)).collect()
    }

    /// The algorithm that the MPI takes for a kind, by its number.
    pub fn taken(&self, number: u32, kind: &Kind) -> Algorithm {
        self.taken.get(number as usize).copied().flatten().unwrap_or_else(|| Algorithm::usual(kind))
    }

    /// Whether the MPI may take this algorithm for a kind, by its number, as far as the recorded run shows it.
    pub fn may_take(&self, number: u32, kind: &Kind, algorithm: Algorithm) -> bool {
        let mut possible = self.possible.get(number as usize).into_iter().flatten();
        algorithm == self.taken(number, kind) || possible.any(|(other, _)| *other == algorithm)
    }

    /// The link between two ranks.
    #[inline]
    pub fn link(&self, from: u32, to: u32) -> &Link {
        let at = self.port(from) as usize * self.ports as usize + self.port(to) as usize;
        let link = self.link_of.get(at).copied().unwrap_or(0);
        &self.links[usize::from(link).min(self.links.len() - 1)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_curve_is_straight_between_its_points() {
        let curve = Curve::new(vec![(1000, 300.0), (0, 100.0), (2000, 1300.0)]);
        // Beyond the last one: 2000 bytes take 1300 ns, and 1000 more half of that.
        assert_eq!([0, 500, 1000, 1500, 3000].map(|n| curve.at(n)), [100.0, 200.0, 300.0, 800.0, 1950.0]);
        assert_eq!(curve.ns_per_byte(), 0.65);
        assert_eq!(Curve::line(1000.0, 0.5).at(4 << 20), 1000.0 + f64::from(2 << 20));
        let other = curve.scaled(0.5, 2.0);
        assert_eq!([0, 1000, 2000].map(|n| other.at(n)), [50.0, 450.0, 2450.0]);
    }

    #[test]
    fn sizes_below_the_first_point_take_as_long() {
        let curve = Curve::new(vec![(100, 300.0), (200, 500.0)]);
        assert_eq!([0, 100, 150].map(|n| curve.at(n)), [300.0, 300.0, 400.0]);
        assert_eq!(Curve::default().at(7), 0.0);
    }

    #[test]
    fn overheads_are_part_of_the_transit() {
        let link = Link {
            send: Curve::line(100.0, 0.1),
            receive: Curve::line(200.0, 0.1),
            transit: Curve::line(1000.0, 1.0),
            ..Link::default()
        };
        let other = link.scaled(0.5, 1.0, 2.0);
        // 700 ns of latency, 300 ns of overhead.
        assert!((other.transit.at(0) - 950.0).abs() < 1e-6);
        assert!((other.send.at(0) - 200.0).abs() < 1e-6);
        // The port of a host takes its time for a message from the bandwidth, not from the latency.
        let gap = Link { port_ns_per_message: 100.0, ..link.clone() }.scaled(0.5, 0.5, 1.0);
        assert_eq!((gap.port_ns_per_message, gap.transit.at(0).round()), (50.0, 650.0));
        // Also where the overheads are longer than the transit.
        let odd = Link { receive: Curve::line(5000.0, 2.0), ..link };
        assert_eq!(odd.scaled(1.0, 1.0, 1.0), odd);
    }

    proptest! {
        #[test]
        fn longer_messages_take_no_less(points in prop::collection::vec((0u64..1 << 24, 0f64..1e9), 0..20), sizes: [u32; 2]) {
            let curve = Curve::new(points);
            let [a, b] = sizes.map(|n| curve.at(u64::from(n)));
            let (less, more) = if sizes[0] <= sizes[1] { (a, b) } else { (b, a) };
            prop_assert!(less <= more + 1e-3);
        }
    }
}
