//! Messages that share ports and links: each of them divides its bandwidth equally among the messages that pass it, or hands them over
//! in the order in which they came, one after the other.
//!
//! Short messages from one rank to another are one line in either case: they share the network with messages of other pairs, not with each
//! other. MPI hands them over in this order (MPI-5.0 §3.5), and so does a connection. Shared equally, a thousand of them would all be there
//! at the end, and each of them would change the ends of all others.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::program::Id;

/// What a message occupies: a port that it leaves, one that it enters, the links between them; see [`super::Network::way`].
pub(super) type Way = SmallVec<[u32; 4]>;

/// Two ranks, whose messages from the first one to the second one are a line.
pub(super) type Pair = (u32, u32);

/// A message that comes to its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Passage {
    pub id: Id,
    /// When it comes, ns.
    pub begin_ns: u64,
    /// Time that it takes when it has its way to itself, ns.
    pub alone_ns: f64,
    /// From when it has passed until it is there, ns.
    pub delay_ns: u64,
}

/// A message on its way.
#[derive(Clone, Debug)]
struct Flow {
    id: Id,
    way: Way,
    /// Time that the rest of it takes when it has its way to itself, ns.
    left_ns: f64,
    /// Share of the bandwidth that it has.
    share: f64,
    since_ns: u64,
    end_ns: u64,
    /// From when it has passed until it is there.
    delay_ns: u64,
    /// Whose line it is the head of, and those behind it.
    line: Option<Pair>,
    behind: VecDeque<Passage>,
}

impl Flow {
    /// Gives it this share from now on; when it then ends.
    fn go_on(&mut self, share: f64) -> u64 {
        self.share = share;
        self.end_ns = self.since_ns + (self.left_ns / share).ceil() as u64;
        self.end_ns
    }
}

/// All messages on their way.
#[derive(Default)]
pub(super) struct Flows {
    slots: Vec<Option<Flow>>,
    free: Vec<u32>,
    /// By port or link: what passes it, in the order in which it came.
    passing: Vec<Vec<u32>>,
    /// By pair: the head of its line.
    lines: FxHashMap<Pair, u32>,
    in_order: bool,
}

/// A flow ends then, if nothing else changes.
pub(super) struct Ends {
    pub slot: u32,
    pub at_ns: u64,
}

impl Flows {
    /// On a network with so many ports and links; see [`super::Network::ways`] and [`super::Network::in_order`].
    pub fn new(ways: u32, in_order: bool) -> Flows {
        Flows { passing: vec![Vec::new(); ways as usize], in_order, ..Flows::default() }
    }

    /// A message comes to its way, as one of the `line` of its pair or for itself. Gives new ends of all flows that change.
    pub fn begin(&mut self, passage: Passage, way: Way, line: Option<Pair>) -> Vec<Ends> {
        // Where ports keep the order of all messages, they keep that of each pair.
        let line = line.filter(|_| !self.in_order);
        if let Some(head) = line.and_then(|pair| self.lines.get(&pair))
            && let Some(flow) = &mut self.slots[*head as usize]
        {
            flow.behind.push_back(passage);
            return Vec::new();
        }
        let Passage { id, begin_ns, alone_ns, delay_ns } = passage;
        let flow = Flow {
            id,
            way: way.clone(),
            left_ns: alone_ns,
            share: 0.0,
            since_ns: begin_ns,
            end_ns: u64::MAX,
            delay_ns,
            line,
            behind: VecDeque::new(),
        };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot as usize] = Some(flow);
                slot
            }
            None => {
                self.slots.push(Some(flow));
                self.slots.len() as u32 - 1
            }
        };
        for &at in &way {
            self.passing[at as usize].push(slot);
        }
        if let Some(pair) = line {
            self.lines.insert(pair, slot);
        }
        self.share_again(&way, begin_ns)
    }

    /// If a flow ends at this moment: its message, when that is there, and new ends of other flows.
    pub fn end(&mut self, slot: u32, at_ns: u64) -> Option<(Id, u64, Vec<Ends>)> {
        let flow = self.slots.get_mut(slot as usize)?.as_mut().filter(|flow| flow.end_ns == at_ns)?;
        let (id, there_ns) = (flow.id, at_ns + flow.delay_ns);
        // The next one of its line takes its place.
        if let Some(next) = flow.behind.pop_front() {
            (flow.id, flow.left_ns, flow.delay_ns) = (next.id, next.alone_ns, next.delay_ns);
            flow.since_ns = at_ns.max(next.begin_ns);
            let at_ns = flow.go_on(flow.share);
            return Some((id, there_ns, vec![Ends { slot, at_ns }]));
        }
        let flow = self.slots.get_mut(slot as usize)?.take()?;
        self.free.push(slot);
        for &at in &flow.way {
            self.passing[at as usize].retain(|&of| of != slot);
        }
        if let Some(pair) = flow.line {
            self.lines.remove(&pair);
        }
        Some((id, there_ns, self.share_again(&flow.way, at_ns)))
    }

    /// When the last of some messages that pass a port or link has passed it, about, if nothing else changes.
    pub fn passed_ns(&self, here: u32, is_wanted: impl Fn(Id) -> bool) -> Option<u64> {
        let flows = self.passing[here as usize].iter().filter_map(|&slot| self.slots[slot as usize].as_ref());
        let mut last_ns = 0;
        let ends = flows.map(|flow| {
            // Those that have to wait come after those before them.
            last_ns =
                if flow.end_ns == u64::MAX { last_ns.max(flow.since_ns) + flow.left_ns as u64 } else { flow.end_ns };
            (flow.id, last_ns)
        });
        ends.filter(|&(id, _)| is_wanted(id)).map(|(_, ns)| ns).max()
    }

    /// Share of its way that a message has.
    fn share_of(&self, slot: u32, way: &Way) -> f64 {
        let passing = || way.iter().map(|&at| &self.passing[at as usize]);
        if self.in_order {
            return if passing().all(|passing| passing.first() == Some(&slot)) { 1.0 } else { 0.0 };
        }
        1.0 / passing().map(Vec::len).max().unwrap_or(1).max(1) as f64
    }

    fn share_again(&mut self, way: &Way, at_ns: u64) -> Vec<Ends> {
        let mut ends = Vec::new();
        for &here in way {
            // In order, only the first one moves.
            let most = if self.in_order { 1 } else { usize::MAX };
            for nth in 0..self.passing[here as usize].len().min(most) {
                let slot = self.passing[here as usize][nth];
                let Some(flow) = &self.slots[slot as usize] else { continue };
                let share = self.share_of(slot, &flow.way);
                let Some(flow) = &mut self.slots[slot as usize] else { continue };
                if share == flow.share && (flow.end_ns != u64::MAX || share == 0.0) {
                    continue;
                }
                let passed_ns = at_ns.saturating_sub(flow.since_ns) as f64 * flow.share;
                flow.left_ns = (flow.left_ns - passed_ns).max(0.0);
                flow.since_ns = flow.since_ns.max(at_ns);
                match share > 0.0 {
                    true => ends.push(Ends { slot, at_ns: flow.go_on(share) }),
                    false => flow.share = share,
                }
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(id: Id, begin_ns: u64) -> Passage {
        Passage { id, begin_ns, alone_ns: 1000.0, delay_ns: 5 }
    }

    #[test]
    fn two_messages_share_a_port() {
        let mut flows = Flows::new(6, false);
        let first = flows.begin(passage(1, 0), Way::from_slice(&[0, 5]), None);
        assert_eq!(first[0].at_ns, 1000);
        let both = flows.begin(passage(2, 500), Way::from_slice(&[2, 5]), None);
        // The first one has 500 ns left, at half the speed; the other one is alone again when that is over.
        let mut both: Vec<(u32, u64)> = both.iter().map(|end| (end.slot, end.at_ns)).collect();
        both.sort_unstable();
        assert_eq!(both, [(0, 1500), (1, 2500)]);
        assert!(flows.end(0, 1000).is_none(), "that end is no longer valid");
        let (id, there_ns, ends) = flows.end(0, 1500).unwrap();
        assert_eq!((id, there_ns), (1, 1505));
        assert_eq!(ends.iter().map(|end| (end.slot, end.at_ns)).collect::<Vec<_>>(), [(1, 2000)]);
    }

    #[test]
    fn one_message_after_the_other() {
        let mut flows = Flows::new(6, true);
        assert_eq!(flows.begin(passage(1, 0), Way::from_slice(&[0, 5]), None)[0].at_ns, 1000);
        assert!(flows.begin(passage(2, 500), Way::from_slice(&[2, 5]), None).is_empty(), "it waits");
        assert!(flows.begin(passage(3, 600), Way::from_slice(&[2, 3]), None).is_empty(), "it waits for the second one");
        assert_eq!(
            flows.passed_ns(2, |id| id == 3),
            Some(2500),
            "about: it does not see what the second one waits for"
        );
        let (id, there_ns, ends) = flows.end(0, 1000).unwrap();
        assert_eq!((id, there_ns), (1, 1005));
        assert_eq!(ends.iter().map(|end| (end.slot, end.at_ns)).collect::<Vec<_>>(), [(1, 2000)]);
        let (_, _, ends) = flows.end(1, 2000).unwrap();
        assert_eq!(ends.iter().map(|end| (end.slot, end.at_ns)).collect::<Vec<_>>(), [(2, 3000)]);
    }

    #[test]
    fn messages_of_a_pair_are_a_line_that_shares_the_port_with_others() {
        let mut flows = Flows::new(6, false);
        let way = || Way::from_slice(&[0, 5]);
        assert_eq!(flows.begin(passage(1, 0), way(), Some((0, 1)))[0].at_ns, 1000);
        assert!(flows.begin(passage(2, 100), way(), Some((0, 1))).is_empty(), "it changes nothing for the first one");
        let (id, there_ns, ends) = flows.end(0, 1000).unwrap();
        assert_eq!((id, there_ns, ends[0].slot, ends[0].at_ns), (1, 1005, 0, 2000));
        // One of another pair: each has half of the port, however many wait in a line.
        assert!(flows.begin(passage(3, 1200), way(), Some((0, 1))).is_empty());
        let mut ends = flows.begin(passage(4, 1500), way(), Some((2, 1)));
        ends.sort_unstable_by_key(|end| end.slot);
        assert_eq!(ends.iter().map(|end| (end.slot, end.at_ns)).collect::<Vec<_>>(), [(0, 2500), (1, 3500)]);
        let (id, _, ends) = flows.end(0, 2500).unwrap();
        assert_eq!((id, ends[0].at_ns), (2, 4500), "the third one keeps the half");
        let (id, _, ends) = flows.end(1, 3500).unwrap();
        assert_eq!((id, ends[0].slot, ends[0].at_ns), (4, 0, 4000), "and then it has all");
        assert_eq!(flows.end(0, 4000).map(|(id, ..)| id), Some(3));
        assert_eq!(flows.begin(passage(5, 9000), way(), Some((0, 1)))[0].at_ns, 10_000, "the line is empty again");
    }
}
