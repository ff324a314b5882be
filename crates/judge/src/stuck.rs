//! Who waits for whom, for ever (MPI-5.0 §3.5, §6.13).
//!
//! Each call that has not returned is a formula: *all* of its needs, or *any*; and each need names processes, of whom one or all
//! have to do something. Processes that compute, or have said something a moment ago, can do anything; those that have ended,
//! or are in `MPI_Finalize`, nothing. The greatest set of processes whose formulas cannot come true from outside is stuck: it
//! is found by taking away, again and again, whoever can be helped.
//!
//! *Hard* needs follow from the standard: a receive needs a message that was not sent. *Soft* ones from the MPI at hand: a
//! standard send that the MPI may keep, a root of a broadcast. They count when the call has been open for
//! [`crate::Settings::patience_ns`], as do loops of tests and probes that have done nothing but ask for so long.
//!
//! A process that ended by a signal or with an exit code says nothing about the others for a while: launchers end them.
//!
//! Messages are counted as sent when the call says what it is going to do, so a process that is stuck here stays stuck: what
//! could help it would have been said before. That a thread that has never called MPI could help is only possible with
//! `MPI_THREAD_MULTIPLE`; a deadlock with such a process is called possible. So is one in which a process asks in a loop
//! with intervals: it may be about to give up.

use std::sync::Arc;

use mpiscope_abi::role::Pattern;
use mpiscope_trace::check::event::mode;
use rustc_hash::FxHashMap;

use crate::collectives::{Joined, Needs};
use crate::judge::{Ended, Judge};
use crate::process::Awaited;
use crate::report::Place;

/// A need that is not met.
#[derive(Clone, Debug)]
pub(crate) struct Unmet {
    /// Of these …
    pub who: Arc<[u32]>,
    /// … all have to act, or else one.
    pub all: bool,
    pub awaited: Awaited,
}

/// What a thread waits for.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    pub place: Place,
    /// One of the needs is enough.
    pub is_any: bool,
    pub needs: Vec<Unmet>,
    pub asks: bool,
}

/// Processes that are stuck, with their waits.
pub(crate) struct Knot {
    pub stuck: Vec<bool>,
    pub waits: FxHashMap<u32, Vec<Wait>>,
}

impl Judge {
    pub(crate) fn stuck(&mut self, now_ns: u64) {
        let mut moved = false;
        let patience_ns = 2 * self.settings.patience_ns;
        for process in &mut self.processes {
            if let Some(ended) = process.ended {
                // After MPI_Abort or a crash the launcher ends the others, who are not stuck.
                let since = *process.ended_seen_ns.get_or_insert(now_ns);
                process.is_over = ended == Ended::Exit(0) || now_ns.saturating_sub(since) >= patience_ns;
            }
            for thread in &mut process.threads {
                if std::mem::take(&mut thread.has_moved) {
                    thread.quiet_since_ns = Some(now_ns);
                    moved = true;
                }
            }
        }
        if moved || self.last_move_ns.is_none() {
            self.last_move_ns = Some(now_ns);
            self.timeout_told = false;
        }
        if let Some(knot) = self.knot(now_ns) {
            self.tell_knot(&knot);
        }
        for process in &mut self.processes {
            process.threads.iter_mut().for_each(|t| t.asks = false);
        }
        let timeout = self.settings.deadlock_timeout_ns;
        let quiet = now_ns.saturating_sub(self.last_move_ns.unwrap_or(now_ns));
        if timeout > 0 && quiet >= timeout && !self.timeout_told && !self.sink.deadlock {
            self.timeout_told = true;
            self.tell_timeout(quiet);
        }
    }

    /// The stuck processes, if there are any that were not told.
    fn knot(&self, now_ns: u64) -> Option<Knot> {
        let mut missing: FxHashMap<(u32, u64), Arc<[u32]>> = FxHashMap::default();
        let mut waits: FxHashMap<u32, Vec<Wait>> = FxHashMap::default();
        let mut stuck = vec![false; self.processes.len()];
        for (number, process) in self.processes.iter().enumerate() {
            if process.is_gone() || process.threads.is_empty() {
                continue;
            }
            let mut of: Vec<Wait> = Vec::new();
            for thread in process.threads.iter().filter(|t| t.quiet_since_ns.is_some()) {
                let wait = self.waits_of(number as u32, thread, now_ns, &mut missing);
                match wait {
                    Some(wait) => of.extend(wait),
                    None => {
                        of.clear();
                        break;
                    }
                }
            }
            if !of.is_empty() {
                stuck[number] = true;
                waits.insert(number as u32, of);
            }
        }
        let cannot = |stuck: &[bool], process: u32| {
            let at = process as usize;
            stuck.get(at).copied().unwrap_or(false) || self.processes.get(at).is_some_and(|p| p.is_gone())
        };
        let mut candidates: Vec<u32> = waits.keys().copied().collect();
        candidates.sort_unstable();
        loop {
            let before = candidates.len();
            candidates.retain(|&process| {
                let can = |unmet: &Unmet| {
                    let mut who = unmet.who.iter();
                    if unmet.all { !who.any(|&p| cannot(&stuck, p)) } else { who.any(|&p| !cannot(&stuck, p)) }
                };
                let goes_on = waits[&process]
                    .iter()
                    .any(|wait| if wait.is_any { wait.needs.iter().any(can) } else { wait.needs.iter().all(can) });
                if goes_on {
                    stuck[process as usize] = false;
                }
                !goes_on
            });
            if candidates.len() == before {
                break;
            }
        }
        if candidates.iter().all(|&p| self.processes[p as usize].is_told) {
            return None;
        }
        waits.retain(|process, _| stuck[*process as usize]);
        Some(Knot { stuck, waits })
    }

    /// What a thread waits for, all alternatives of it; `None` when it does not wait, nothing is known, or something can come at
    /// any moment.
    fn waits_of(
        &self,
        process: u32,
        thread: &crate::process::Thread,
        now_ns: u64,
        missing: &mut FxHashMap<(u32, u64), Arc<[u32]>>,
    ) -> Option<Vec<Wait>> {
        let quiet = now_ns.saturating_sub(thread.quiet_since_ns?);
        if quiet < self.settings.quiet_ns {
            return None;
        }
        let is_patient = quiet >= self.settings.patience_ns;
        if let Some(open) = &thread.open {
            let needs = self.needs(process, &open.awaited, open.is_any, is_patient, missing)?;
            return Some(vec![Wait { place: open.place, is_any: open.is_any, needs, asks: false }]);
        }
        // It asks again and again, has done nothing else for long enough, and asked since the reader looked last.
        let asked_ns =
            self.objects.moment_ns(process, thread.asked_at) - self.objects.moment_ns(process, thread.asking_since);
        let is_loop = thread.asks && asked_ns >= i128::from(self.settings.patience_ns) && is_patient;
        if thread.asking.is_empty() || !is_loop {
            return None;
        }
        if let [asking] = &thread.asking[..] {
            let needs = self.needs(process, &asking.awaited, asking.is_any, is_patient, missing)?;
            return Some(vec![Wait { place: asking.place, is_any: asking.is_any, needs, asks: true }]);
        }
        // Any of its questions may be answered.
        let mut needs = Vec::new();
        for asking in &thread.asking {
            let of = self.needs(process, &asking.awaited, asking.is_any, is_patient, missing)?;
            match asking.is_any || of.len() == 1 {
                true => needs.extend(of),
                // All of several: the first that cannot come is enough to say no. Kept as one need of all their processes.
                false => needs.extend(of.into_iter().take(1)),
            }
        }
        Some(vec![Wait { place: thread.asking[0].place, is_any: true, needs, asks: true }])
    }

    /// Needs that are not met; `None` when enough of them are.
    fn needs(
        &self,
        process: u32,
        awaited: &[Awaited],
        is_any: bool,
        is_patient: bool,
        missing: &mut FxHashMap<(u32, u64), Arc<[u32]>>,
    ) -> Option<Vec<Unmet>> {
        let mut out = Vec::new();
        for one in awaited {
            match self.need(process, one, is_patient, missing) {
                Some(unmet) => out.push(unmet),
                None if is_any => return None,
                None => {}
            }
        }
        (!out.is_empty()).then_some(out)
    }

    /// What has to happen, or `None` when it has, or may at any moment.
    fn need(
        &self,
        process: u32,
        awaited: &Awaited,
        is_patient: bool,
        missing: &mut FxHashMap<(u32, u64), Arc<[u32]>>,
    ) -> Option<Unmet> {
        let unmet = |who: Arc<[u32]>, all: bool| Some(Unmet { who, all, awaited: awaited.clone() });
        let soft = |unmet: Option<Unmet>| unmet.filter(|_| is_patient);
        let sources = |comm: u32, source: Option<u32>| -> Arc<[u32]> {
            match source {
                Some(source) => Arc::from([source]),
                None => {
                    let comm = comm & !crate::messages::PARTITIONED;
                    self.objects.comms.get(comm as usize).map_or(Arc::from([]), |c| c.members.clone())
                }
            }
        };
        match awaited {
            Awaited::Op(op) => match self.processes[process as usize].ops.get(op) {
                Some(op) if !matches!(op.what, Awaited::Op(_)) => self
                    .need(process, &op.what, is_patient, missing)
                    .map(|unmet| Unmet { awaited: awaited.clone(), ..unmet }),
                _ => None,
            },
            Awaited::Send(id) => {
                let message = self.messages.messages.get(*id)?;
                if message.matched.is_some() || message.mode == mode::BUFFERED || self.messages.has_receive(message) {
                    return None;
                }
                let found = unmet(Arc::from([message.receiver]), false);
                if message.mode == mode::SYNCHRONOUS { found } else { soft(found) }
            }
            Awaited::Receive(id) => {
                let receive = self.messages.receives.get(*id)?;
                if receive.matched.is_some()
                    || self.messages.has_message(receive.comm, process, receive.source, receive.tag)
                {
                    return None;
                }
                unmet(sources(receive.comm, receive.source), false)
            }
            Awaited::Probe { comm, source, tag } => {
                if self.messages.has_message(*comm, process, *source, *tag) {
                    return None;
                }
                unmet(sources(*comm, *source), false)
            }
            Awaited::Collective(joined) => self.collective(joined, awaited, is_patient, missing),
            Awaited::Posts { window, targets } => {
                let away: Vec<u32> = targets
                    .iter()
                    .copied()
                    .filter(|&t| self.counts.get(&(*window, t, process)).is_some_and(|c| c[0] < c[1]))
                    .collect();
                if away.is_empty() { None } else { soft(unmet(away.into(), true)) }
            }
            Awaited::Completes { window, origins } => {
                let away: Vec<u32> = origins
                    .iter()
                    .copied()
                    .filter(|&o| self.counts.get(&(*window, process, o)).is_some_and(|c| c[2] < c[0]))
                    .collect();
                if away.is_empty() { None } else { unmet(away.into(), true) }
            }
            Awaited::Lock { window, target, is_exclusive } => {
                let holders: Vec<u32> = self
                    .processes
                    .iter()
                    .enumerate()
                    .filter(|&(other, p)| {
                        other as u32 != process
                            && p.epochs.get(window).is_some_and(|e| {
                                e.locks.iter().any(|&(of, exclusive)| {
                                    of.is_none_or(|of| of == *target) && (exclusive || *is_exclusive)
                                })
                            })
                    })
                    .map(|(other, _)| other as u32)
                    .collect();
                // Which of them has it is the MPI's secret.
                if holders.is_empty() { None } else { soft(unmet(holders.into(), false)) }
            }
            Awaited::Finalize | Awaited::Access | Awaited::Nothing => None,
        }
    }

    fn collective(
        &self,
        joined: &Joined,
        awaited: &Awaited,
        is_patient: bool,
        missing: &mut FxHashMap<(u32, u64), Arc<[u32]>>,
    ) -> Option<Unmet> {
        if self.collectives.is_complete(joined) {
            return None;
        }
        let kind = self.kinds.of(joined.function);
        let away = missing
            .entry((joined.sequence, joined.index))
            .or_insert_with(|| self.collectives.missing(joined).map(|(_, process)| process).collect())
            .clone();
        let unmet = |who: Arc<[u32]>, all: bool| Some(Unmet { who, all, awaited: awaited.clone() });
        let late = |who: Arc<[u32]>| if is_patient { unmet(who, false) } else { None };
        match Needs::of(kind.pattern, joined) {
            Needs::AllMissing if kind.pattern != Pattern::Fence || is_patient => unmet(away, true),
            Needs::Root(root) => {
                let root = *self.collectives.members(joined.sequence).get(root as usize)?;
                if away.contains(&root) { unmet(Arc::from([root]), true) } else { late(away) }
            }
            Needs::Before(member) => {
                let before: Vec<u32> =
                    self.collectives.missing(joined).filter(|(place, _)| *place < member).map(|(_, p)| p).collect();
                if before.is_empty() { late(away) } else { unmet(before.into(), true) }
            }
            _ => late(away),
        }
    }
}
