//! Windows: accesses, and the epochs in which processes access and expose them.

use mpiscope_trace::check::event::{Head, access, assertion, epoch, flag};

use crate::assertions::Half;
use crate::collectives::Entering;
use crate::judge::Judge;
use crate::memory::Accessing;
use crate::process::{Awaited, Epochs};
use crate::replay::{Need, Needs, Step};
use crate::report::CallRef;

impl Judge {
    /// A call that accesses a window.
    pub(super) fn accesses(&mut self, process: u32, head: &Head, of: &Accessing<'_>) {
        if of.op != 0 {
            self.add_op(process, head, of.op, Awaited::Access);
        }
        if head.flags & (flag::PROC_NULL | flag::CUT) == 0 {
            // Without an operation the origin of an accumulate means nothing.
            let name = self.objects.process(process).ops.get(&of.reduction);
            match of.what {
                access::GET => self.check_access(process, head, [of.origin, of.at_target]),
                _ if name.is_some_and(|op| &**op == "MPI_NO_OP") => {}
                _ => self.check_access(process, head, [of.at_target, of.origin]),
            }
            self.check_access(process, head, [of.result, of.at_target]);
        }
        self.access(process, head, of);
    }

    /// A call that begins or ends an epoch, or completes accesses.
    pub(super) fn epoch(&mut self, process: u32, head: &Head, window: u32, what: u64, ranks: &[i32], asserted: u64) {
        let Some((window, comm)) = self.window(process, window) else {
            return self.open_if_blocking(process, head, Awaited::Nothing);
        };
        let Some(local) = self.objects.local_comm(process, comm).filter(|c| !c.foreign) else {
            return self.open_if_blocking(process, head, Awaited::Nothing);
        };
        let targets: Vec<u32> =
            ranks.iter().filter_map(|&r| local.peers.get(usize::try_from(r).ok()?).copied()).collect();
        let place = self.place(process, head);
        let count = |judge: &mut Judge, target: u32, origin: u32, which: usize| {
            let counts = judge.counts.entry((window, target, origin)).or_default();
            counts[which] += 1;
            counts[which]
        };
        let is_promised = asserted & assertion::NO_CHECK != 0;
        let (at_ns, error_ns) = (self.objects.moment_ns(process, head.at), i128::from(self.settings.clock_error_ns));
        let half = |judge: &mut Judge, is_start: bool, target: u32, origin: u32, which: u32| {
            let half = Half { is_start, is_promised, at_ns, place };
            judge.no_checks.half((window, target, origin, which), half, error_ns, &mut judge.sink);
        };
        let complete = |judge: &mut Judge, target: Option<u32>| judge.complete_accesses(process, window, target, false);
        let mut awaited = Awaited::Nothing;
        match what {
            epoch::FENCE => {
                complete(self, None);
                return self.fence(process, head, (window, comm), asserted, place);
            }
            epoch::PROMISED => return self.promised(process, window, asserted, place),
            // What it has stored since then, others may have accessed under locks.
            epoch::KEPT => return self.expose(process, head, window, 0, true),
            epoch::START => {
                let needs: Needs = targets
                    .iter()
                    .map(|&target| {
                        let n = count(self, target, process, 1);
                        half(self, true, target, process, n);
                        Need::Posted { window, target, origin: process, count: n }
                    })
                    .collect();
                let epochs = self.epochs(process, window);
                epochs.started.clone_from(&targets);
                epochs.is_fenced = false;
                awaited = Awaited::Posts { window, targets };
                if !needs.is_empty() {
                    self.step(process, Step::Wait(place, needs));
                }
            }
            epoch::COMPLETE => {
                let targets = std::mem::take(&mut self.epochs(process, window).started);
                let signals: Box<[Need]> = targets
                    .iter()
                    .map(|&target| {
                        complete(self, Some(target));
                        count(self, target, process, 2);
                        Need::Completed { window, target, origin: process, count: 0 }
                    })
                    .collect();
                if !signals.is_empty() {
                    self.step(process, Step::Signal(signals));
                }
                awaited = Awaited::Posts { window, targets };
            }
            epoch::POST => {
                let signals: Box<[Need]> = targets
                    .iter()
                    .map(|&origin| {
                        let n = count(self, process, origin, 0);
                        half(self, false, process, origin, n);
                        Need::Posted { window, target: process, origin, count: 0 }
                    })
                    .collect();
                self.epochs(process, window).posted = targets;
                if !signals.is_empty() {
                    self.step(process, Step::Signal(signals));
                }
                self.promises_no_store(process, window, asserted, place);
                self.expose(process, head, window, asserted, false);
            }
            epoch::WAIT => {
                let origins = std::mem::take(&mut self.epochs(process, window).posted);
                let needs: Needs = origins
                    .iter()
                    .map(|&origin| {
                        let count = self.counts.get(&(window, process, origin)).map_or(0, |c| c[0]);
                        Need::Completed { window, target: process, origin, count }
                    })
                    .collect();
                if !needs.is_empty() {
                    self.step(process, Step::Wait(place, needs));
                }
                self.hide(process, window);
                awaited = Awaited::Completes { window, origins };
            }
            epoch::LOCK_SHARED | epoch::LOCK_EXCLUSIVE => {
                let target = targets.first().copied();
                let is_exclusive = what == epoch::LOCK_EXCLUSIVE;
                self.epochs(process, window).locks.push((target, is_exclusive));
                self.no_checks.locks(window, target, (is_exclusive, is_promised), at_ns, place);
                if target.is_some() {
                    self.locks(process, window, target, is_exclusive, place);
                }
                if let Some(target) = target {
                    awaited = Awaited::Lock { window, target, is_exclusive };
                }
            }
            epoch::LOCK_ALL => {
                self.epochs(process, window).locks.push((None, false));
                self.no_checks.locks(window, None, (false, is_promised), at_ns, place);
                self.locks(process, window, None, false, place);
            }
            // Others may have it from now on; whether this process ever had it, the call will show.
            epoch::UNLOCK | epoch::UNLOCK_ALL | epoch::FLUSH => {
                let target = targets.first().copied().filter(|_| what != epoch::UNLOCK_ALL);
                complete(self, target);
                let locks = &mut self.epochs(process, window).locks;
                if let (Some(target), Some(at)) = (target, locks.iter().position(|l| l.0 == target)) {
                    awaited = Awaited::Lock { window, target, is_exclusive: locks[at].1 };
                }
                if what != epoch::FLUSH {
                    locks.retain(|l| l.0 != target);
                    self.no_checks.unlocks(window, target, process, at_ns, error_ns, &mut self.sink);
                }
            }
            epoch::FLUSH_LOCAL => self.complete_accesses(process, window, targets.first().copied(), true),
            _ => {}
        }
        self.open_if_blocking(process, head, awaited);
    }

    /// A fence is a collective operation on the window's communicator.
    fn fence(&mut self, process: u32, head: &Head, (window, comm): (u32, u32), asserted: u64, place: CallRef) {
        let entering = Entering {
            place,
            flags: 0,
            comm,
            root: None,
            reduction: 0,
            send: &Default::default(),
            receive: &Default::default(),
            agreed: &[(asserted & (assertion::NO_PRECEDE | assertion::NO_SUCCEED)) as i64],
            of: window,
        };
        let joined = self.enter(&entering);
        // Before its clock includes the others.
        self.promises_no_store(process, window, asserted, place);
        self.begun_collective(process, head, 0, joined);
        self.fenced(process, window, asserted);
        self.expose(process, head, window, asserted, false);
    }

    pub(crate) fn epochs(&mut self, process: u32, window: u32) -> &mut Epochs {
        self.processes[process as usize].epochs.entry(window).or_default()
    }
}
