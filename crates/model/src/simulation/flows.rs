//! Messages that share ports: each port divides its bandwidth equally among the messages that pass it.

use super::program::Id;

/// A message on its way.
#[derive(Clone, Copy, Debug)]
struct Flow {
    id: Id,
    /// Port that it leaves and port that it enters.
    ports: [u32; 2],
    /// Time that the rest of it takes when it has both ports to itself, ns.
    left_ns: f64,
    /// Share of the ports that it has.
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
    /// By port: what leaves and what enters.
    at_port: Vec<[Vec<u32>; 2]>,
}

/// A flow ends then, if nothing else changes.
pub(super) struct Ends {
    pub slot: u32,
    pub at_ns: u64,
}

impl Flows {
    pub fn new(ports: u32) -> Flows {
        Flows { at_port: vec![Default::default(); ports as usize], ..Flows::default() }
    }

    /// A message begins to pass. Gives new ends of all flows that change.
    pub fn begin(&mut self, id: Id, ports: [u32; 2], at_ns: u64, (alone_ns, delay_ns): (f64, u64)) -> Vec<Ends> {
        let flow = Flow { id, ports, left_ns: alone_ns, share: 1.0, since_ns: at_ns, end_ns: u64::MAX, delay_ns };
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
        for (side, port) in ports.into_iter().enumerate() {
            self.at_port[port as usize][side].push(slot);
        }
        self.share_again(ports, at_ns)
    }

    /// If a flow ends at this moment: its message, when that is there, and new ends of other flows.
    pub fn end(&mut self, slot: u32, at_ns: u64) -> Option<(Id, u64, Vec<Ends>)> {
        let flow = self.slots.get(slot as usize).copied().flatten().filter(|flow| flow.end_ns == at_ns)?;
        self.slots[slot as usize] = None;
        self.free.push(slot);
        for (side, port) in flow.ports.into_iter().enumerate() {
            self.at_port[port as usize][side].retain(|&of| of != slot);
        }
        Some((flow.id, at_ns + flow.delay_ns, self.share_again(flow.ports, at_ns)))
    }

    fn share_again(&mut self, ports: [u32; 2], at_ns: u64) -> Vec<Ends> {
        let mut ends = Vec::new();
        for (side, port) in ports.into_iter().enumerate() {
            for at in 0..self.at_port[port as usize][side].len() {
                let slot = self.at_port[port as usize][side][at];
                let Some(mut flow) = self.slots[slot as usize] else { continue };
                let [out, into] = flow.ports;
                let most = self.at_port[out as usize][0].len().max(self.at_port[into as usize][1].len());
                let share = 1.0 / most.max(1) as f64;
                if share == flow.share && flow.end_ns != u64::MAX {
                    continue;
                }
                let passed_ns = at_ns.saturating_sub(flow.since_ns) as f64 * flow.share;
                flow.left_ns = (flow.left_ns - passed_ns).max(0.0);
                flow.since_ns = flow.since_ns.max(at_ns);
                flow.share = share;
                flow.end_ns = flow.since_ns + (flow.left_ns / share).ceil() as u64;
                self.slots[slot as usize] = Some(flow);
                ends.push(Ends { slot, at_ns: flow.end_ns });
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
        let mut flows = Flows::new(3);
        let first = flows.begin(1, [0, 2], 0, (1000.0, 5));
        assert_eq!(first[0].at_ns, 1000);
        let both = flows.begin(2, [1, 2], 500, (1000.0, 5));
        // The first one has 500 ns left, at half the speed; the other one is alone again when that is over.
        let mut both: Vec<(u32, u64)> = both.iter().map(|end| (end.slot, end.at_ns)).collect();
        both.sort_unstable();
        assert_eq!(both, [(0, 1500), (1, 2500)]);
        assert!(flows.end(0, 1000).is_none(), "that end is no longer valid");
        let (id, there_ns, ends) = flows.end(0, 1500).unwrap();
        assert_eq!((id, there_ns), (1, 1505));
        assert_eq!(ends.iter().map(|end| (end.slot, end.at_ns)).collect::<Vec<_>>(), [(1, 2000)]);
    }
}
