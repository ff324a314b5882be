//! Messages that share ports and links: each of them divides its bandwidth equally among the messages that pass it, or hands them over
//! in the order in which they came, one after the other.

use smallvec::SmallVec;

use super::program::Id;

/// What a message occupies: a port that it leaves, one that it enters, the links between them; see [`super::Network::way`].
pub(super) type Way = SmallVec<[u32; 4]>;

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
}

/// All messages on their way.
#[derive(Default)]
pub(super) struct Flows {
    slots: Vec<Option<Flow>>,
    free: Vec<u32>,
    /// By port or link: what passes it, in the order in which it came.
    passing: Vec<Vec<u32>>,
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

    /// A message begins to pass. Gives new ends of all flows that change.
    pub fn begin(&mut self, id: Id, way: Way, at_ns: u64, (alone_ns, delay_ns): (f64, u64)) -> Vec<Ends> {
        let flow =
            Flow { id, way: way.clone(), left_ns: alone_ns, share: 1.0, since_ns: at_ns, end_ns: u64::MAX, delay_ns };
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
        self.share_again(&way, at_ns)
    }

    /// If a flow ends at this moment: its message, when that is there, and new ends of other flows.
    pub fn end(&mut self, slot: u32, at_ns: u64) -> Option<(Id, u64, Vec<Ends>)> {
        let flow = self.slots.get_mut(slot as usize)?.take_if(|flow| flow.end_ns == at_ns)?;
        self.free.push(slot);
        for &at in &flow.way {
            self.passing[at as usize].retain(|&of| of != slot);
        }
        Some((flow.id, at_ns + flow.delay_ns, self.share_again(&flow.way, at_ns)))
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
            for nth in 0..self.passing[here as usize].len() {
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
                flow.share = share;
                if share > 0.0 {
                    flow.end_ns = flow.since_ns + (flow.left_ns / share).ceil() as u64;
                    ends.push(Ends { slot, at_ns: flow.end_ns });
                }
            }
        }
        ends
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_messages_share_a_port() {
        let mut flows = Flows::new(6, false);
        let first = flows.begin(1, Way::from_slice(&[0, 5]), 0, (1000.0, 5));
        assert_eq!(first[0].at_ns, 1000);
        let both = flows.begin(2, Way::from_slice(&[2, 5]), 500, (1000.0, 5));
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
        assert_eq!(flows.begin(1, Way::from_slice(&[0, 5]), 0, (1000.0, 5))[0].at_ns, 1000);
        assert!(flows.begin(2, Way::from_slice(&[2, 5]), 500, (1000.0, 5)).is_empty(), "it waits");
        assert!(flows.begin(3, Way::from_slice(&[2, 3]), 600, (1000.0, 5)).is_empty(), "it waits for the second one");
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
}
