//! Collective operations: who takes part in one, and which window or intercommunicator it is about.

use mpiscope_abi::id;
use mpiscope_abi::role::Pattern;
use mpiscope_trace::check::event::{Head, Part, flag};

use crate::collective_traits::{Order, Variant};
use crate::collectives::{Among, Entering, Joined};
use crate::judge::Judge;
use crate::process::Awaited;
use crate::replay::{Need, Step};

impl Judge {
    /// A call of a collective operation.
    pub(super) fn enters_collective(
        &mut self,
        process: u32,
        head: &Head,
        op: u64,
        (root, reduction): (Option<i32>, u32),
        [send, receive]: [&Part; 2],
        agreed: &[i64],
    ) {
        self.talks(process, head.thread);
        let entering = Entering {
            place: self.place(process, head),
            flags: head.flags,
            comm: head.comm,
            root,
            reduction,
            send,
            receive,
            agreed,
            of: self.freed_window(process, head, agreed),
        };
        let joined = match self.kinds.of_function(head.function).order {
            Order::Among => self.enter_among(process, head, &entering),
            _ => self.enter(&entering),
        };
        self.local(process, head, op, &send.data, false, None);
        self.local(process, head, op, &receive.data, true, None);
        let bridge = self.leaders_meet(process, head, &entering);
        if let (Some(joined), Some(bridge)) = (joined, bridge) {
            self.collectives.bridge(joined, bridge);
            self.step(process, Step::Enter(bridge));
            self.step(process, Step::Done(Need::Collective(bridge)));
        }
        // A leader may be the only member of its group.
        let joined = joined.or(bridge);
        self.begun_collective(process, head, op, joined);
    }

    /// A process's part of a collective operation.
    pub(crate) fn enter(&mut self, entering: &Entering<'_>) -> Option<Joined> {
        if self.is_one_sided(entering.place.process, entering.comm, entering.place.function) {
            return None;
        }
        let joined = self.collectives.enter(&self.kinds, &mut self.objects, entering);
        if self.collectives.has_much_to_report() {
            self.collectives.report(&mut self.objects, &mut self.sink);
        }
        joined
    }

    /// The window that a call frees: in order with its fences. 0 for all else.
    fn freed_window(&mut self, process: u32, head: &Head, agreed: &[i64]) -> u32 {
        let &[ordinal] = agreed else { return 0 };
        let frees = u32::from(self.kinds.of_function(head.function).base) == id::Win_free;
        let Some(comm) = self.objects.local_comm(process, head.comm).filter(|_| frees) else { return 0 };
        let next = self.windows.len() as u32 + 1;
        // Windows are numbered from 1, and events have the number of windows that were created before.
        *self.windows.entry((true, comm.number, ordinal as u32 + 1)).or_insert(next)
    }

    /// A part of an operation that only the processes of a group call: those with the same group and tag belong together.
    fn enter_among(&mut self, process: u32, head: &Head, entering: &Entering<'_>) -> Option<Joined> {
        if head.flags & flag::CUT != 0 {
            return None;
        }
        let ranks = entering.receive.counts().iter().map(|&rank| i32::try_from(rank).ok());
        let (comm, members): (u32, Option<Vec<u32>>) = if head.comm == 0 {
            (u32::MAX, ranks.map(|rank| self.objects.fellow(process, rank?)).collect())
        } else {
            let (comm, peers) =
                self.objects.local_comm(process, head.comm).filter(|c| !c.foreign).map(|c| (c.number, &c.peers))?;
            (comm, ranks.map(|rank| peers.get(rank? as usize).copied()).collect())
        };
        let of = Among { comm, members: members?, tag: entering.send.counts().first().copied().unwrap_or(0) };
        self.collectives.enter_among(&self.kinds, &self.objects, of, entering.place, entering.agreed)
    }

    /// A leader's part of making an intercommunicator: it meets the other group's leader.
    fn leaders_meet(&mut self, process: u32, head: &Head, entering: &Entering<'_>) -> Option<Joined> {
        let (comm, other, tag) = match u32::from(self.kinds.of_function(head.function).base) {
            id::Intercomm_create => {
                let &[comm, leader, tag] = entering.receive.counts() else { return None };
                let (comm, other) = self.peer(process, comm as u32, leader as i32)?;
                (comm, other, tag)
            }
            id::Intercomm_create_from_groups if head.flags & flag::CUT == 0 => {
                let &[tag, leader] = entering.send.counts() else { return None };
                // Beside what the leaders may make of a group of both with the same text.
                (u32::MAX, self.objects.fellow(process, i32::try_from(leader).ok()?)?, !tag)
            }
            _ => return None,
        };
        let members = vec![process.min(other), process.max(other)];
        let of = Among { comm, members, tag };
        self.collectives.enter_among(&self.kinds, &self.objects, of, entering.place, &[])
    }

    pub(super) fn begun_collective(&mut self, process: u32, head: &Head, op: u64, joined: Option<Joined>) {
        let awaited = joined.map_or(Awaited::Nothing, Awaited::Collective);
        if joined.is_none() {
            self.unclear(process, head);
        }
        let is_partial = matches!(self.kinds.of_function(head.function).pattern, Pattern::Scan | Pattern::Neighbors);
        if joined.is_none() || is_partial {
            self.access_conflicts.observers().learns(process);
        }
        if let Some(joined) = joined {
            self.step(process, Step::Enter(joined));
        }
        // An initialisation of a persistent operation need not wait for anybody.
        let need = joined
            .filter(|_| self.kinds.of_function(head.function).variant != Variant::Persistent || op != 0)
            .map(Need::Collective);
        self.begun(process, head, op, awaited, need);
    }
}
