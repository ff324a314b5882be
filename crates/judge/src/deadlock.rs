//! Processes that wait for each other forever (MPI-5.0 §3.5, §6.13).
//!
//! Each call that has not returned is a formula: *all* of its needs, or *any* of them; each need names processes, of which one or all
//! have to act. Processes that compute, or that reported an event a moment ago, can do anything; those that have ended,
//! or are in `MPI_Finalize`, nothing. The greatest set of processes whose formulas cannot come true from outside is in a deadlock: it
//! is found by repeatedly removing every process that can be released.
//!
//! *Hard* needs follow from the standard: a receive needs a message that was not sent. *Soft* ones follow from the MPI library in use: a
//! standard send that the library may buffer, a root of a broadcast. They count when the call has been open for
//! [`crate::Settings::patience_ns`], as do loops that have done nothing but poll for this time.
//!
//! A process that ended by a signal or with an exit code proves nothing about the others for a while: launchers end them.
//!
//! Messages count as sent when the call starts, so a process that is in a deadlock here stays in it: any event that
//! could release it would have been reported before. Two kinds of processes only seem to be in one: a process that polls in a loop may give up,
//! and one with `MPI_THREAD_MULTIPLE` may have a thread that has not called MPI yet; [`Beyond`] is what the reader can find out about both.
//! A deadlock without such processes is certain. A deadlock with them is possible, and counts as permanent only when it has
//! lasted for [`crate::Settings::giving_up_ns`]. A loop that does something else between its polls
//! gets [`crate::Settings::interval_patience_ns`].

use std::sync::Arc;

use mpiscope_abi::role::Pattern;
use mpiscope_trace::check::event::mode;
use rustc_hash::FxHashMap;

use crate::collectives::{Joined, Needs};
use crate::judge::{Ended, Judge};
use crate::process::{Awaited, PendingCall, Thread};
use crate::report::CallRef;

/// How long it takes to see whether other threads of a process sleep: a finding that depends on them waits for it.
const COMPANY_NS: u64 = 400_000_000;

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
    pub place: CallRef,
    /// One of the needs is enough.
    pub is_any: bool,
    pub needs: Vec<Unmet>,
    /// In a loop.
    pub asks: bool,
    /// The loop may end without success.
    pub may_give_up: bool,
}

/// Processes in a deadlock, with their waits.
pub(crate) struct Knot {
    pub stuck: Vec<bool>,
    pub waits: FxHashMap<u32, Vec<Wait>>,
    /// Nothing that is not seen could release them.
    pub is_sure: bool,
}

/// What only the reader can find out.
pub trait Beyond {
    /// Whether a process has threads that have not called MPI and may do so.
    fn may_help(&mut self, process: u32) -> bool;
    /// Whether the loop around a call site of a process that polls (`MPI_Test`, `MPI_Iprobe`) may end without success.
    fn may_give_up(&mut self, process: u32, site: u32) -> bool;
    /// Whether a thread that is in no call of MPI sleeps until another thread of its process wakes it.
    fn is_asleep(&mut self, process: u32, thread: u8) -> bool;
    /// Whether a process that has received something else in some calls (by their sites, with how many bytes there was room for)
    /// makes the next call as it did, whatever that was; `through` are its calls since the first of them.
    fn is_alike(&mut self, process: u32, calls: &[(u32, u64)], through: &[u32], next: u32) -> bool;
}

/// No further information.
pub(crate) struct Anything;

impl Beyond for Anything {
    fn may_help(&mut self, _: u32) -> bool {
        true
    }

    fn may_give_up(&mut self, _: u32, _: u32) -> bool {
        true
    }

    fn is_asleep(&mut self, _: u32, _: u8) -> bool {
        false
    }

    fn is_alike(&mut self, _: u32, _: &[(u32, u64)], _: &[u32], _: u32) -> bool {
        false
    }
}

/// Mean time between two polls of a loop that also does something else, ns.
const INTERVAL_NS: i128 = 300_000;

impl Judge {
    /// Whether there is a permanent deadlock.
    pub(crate) fn stuck(&mut self, now_ns: u64, beyond: &mut dyn Beyond) -> bool {
        let mut moved = false;
        let patience_ns = 2 * self.settings.patience_ns;
        for process in &mut self.processes {
            if let Some(ended) = process.ended {
                // After MPI_Abort or a crash the launcher ends the other processes: they are not in a deadlock.
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
            self.is_timeout_reported = false;
        }
        let mut is_hopeless = false;
        for knot in self.knots(now_ns, beyond) {
            is_hopeless |= !knot.is_sure && self.has_lasted(&knot, now_ns);
            self.report_knot(&knot);
        }
        for process in &mut self.processes {
            process.threads.iter_mut().for_each(|t| t.asks = false);
        }
        let timeout = self.settings.deadlock_timeout_ns;
        let quiet = now_ns.saturating_sub(self.last_move_ns.unwrap_or(now_ns));
        if timeout > 0 && quiet >= timeout && !self.is_timeout_reported && !self.sink.deadlock {
            self.is_timeout_reported = true;
            self.report_timeout(quiet);
        }
        is_hopeless || self.sink.deadlock
    }

    /// Whether no process of a knot has reported an event for so long that none will.
    fn has_lasted(&self, knot: &Knot, now_ns: u64) -> bool {
        let limit = match self.settings.deadlock_timeout_ns {
            0 => self.settings.giving_up_ns,
            timeout => timeout,
        };
        knot.waits.keys().all(|&process| {
            let mut threads = self.processes[process as usize].threads.iter().filter_map(|t| t.quiet_since_ns);
            threads.all(|since| now_ns.saturating_sub(since) >= limit)
        })
    }

    /// All processes wait for something or have ended, for this time, and some of them wait in collective
    /// operations: no process computes. Where none waits in one, or all are in `MPI_Finalize`, the MPI library is slow.
    pub(crate) fn waits_everywhere(&self, now_ns: u64, quiet_ns: u64) -> bool {
        // A process that waits for no other process is not in a deadlock.
        let meets = |open: &PendingCall| open.awaited.iter().any(|a| !matches!(a, Awaited::Nothing | Awaited::Access));
        let all = || self.processes.iter().filter(|p| !p.is_over && !p.threads.is_empty());
        let waits = |thread: &Thread| {
            // What was read since the last look is news.
            let quiet = thread.quiet_since_ns.filter(|_| !thread.has_moved).map_or(0, |at| now_ns.saturating_sub(at));
            quiet >= quiet_ns && (thread.open.as_ref().is_some_and(meets) || (thread.asks && !thread.asking.is_empty()))
        };
        let has_spoken = |t: &&Thread| t.has_moved || t.quiet_since_ns.is_some();
        all().all(|process| process.threads.iter().filter(has_spoken).all(waits))
            && all().any(|process| {
                let open = process.threads.iter().filter_map(|t| t.open.as_ref()).flat_map(|open| &open.awaited);
                let asked = process.threads.iter().flat_map(|t| &t.asking).flat_map(|asking| &asking.awaited);
                open.chain(asked).any(|awaited| {
                    let of = |op: &u64| process.ops.get(op).map(|op| &op.what);
                    let what = if let Awaited::Op(op) = awaited { of(op) } else { Some(awaited) };
                    matches!(what, Some(Awaited::Collective(_)))
                })
            })
    }

    /// All processes are in calls that have not returned for this time, or poll without success, or have ended. File access may be slow, but
    /// does not take forever.
    pub(crate) fn is_held(&self, now_ns: u64, quiet_ns: u64) -> bool {
        let all = || self.processes.iter().filter(|p| !p.is_over && !p.threads.is_empty());
        let is_file = |open: &PendingCall| mpiscope_abi::name(open.place.function.into()).starts_with("MPI_File_");
        let is_in_one = |thread: &Thread| {
            let quiet = thread.quiet_since_ns.filter(|_| !thread.has_moved).map_or(0, |at| now_ns.saturating_sub(at));
            let patience = |open: &PendingCall| if is_file(open) { quiet_ns.saturating_mul(3) } else { quiet_ns };
            let asks = thread.asks && !thread.asking.is_empty() && quiet >= quiet_ns;
            asks || thread.open.as_ref().is_some_and(|open| quiet >= patience(open))
        };
        let has_spoken = |t: &&Thread| t.has_moved || t.quiet_since_ns.is_some();
        all().next().is_some() && all().all(|p| p.threads.iter().filter(has_spoken).all(is_in_one))
    }

    /// The processes in a deadlock: those that certainly are, and those that seem to be; each if some are not reported yet.
    fn knots(&self, now_ns: u64, beyond: &mut dyn Beyond) -> Vec<Knot> {
        let mut missing: FxHashMap<(u32, u64), Arc<[u32]>> = FxHashMap::default();
        let mut waits: FxHashMap<u32, Vec<Wait>> = FxHashMap::default();
        for (number, process) in self.processes.iter().enumerate() {
            if process.is_gone() || process.threads.is_empty() {
                continue;
            }
            let mut of: Vec<Wait> = Vec::new();
            for (at, thread) in process.threads.iter().enumerate().filter(|(_, t)| t.quiet_since_ns.is_some()) {
                let wait = self.waits_of(number as u32, thread, now_ns, &mut missing, beyond);
                match wait {
                    Some(wait) => of.extend(wait),
                    None if thread.is_idle() && beyond.is_asleep(number as u32, at as u8) => {}
                    None => {
                        of.clear();
                        break;
                    }
                }
            }
            if !of.is_empty() {
                waits.insert(number as u32, of);
            }
        }
        let mut knots = Vec::new();
        let seeming = self.stuck_of(&waits, waits.keys().copied().collect());
        if seeming.is_empty() {
            return knots;
        }
        let mut sure: Vec<u32> =
            seeming.iter().copied().filter(|process| !waits[process].iter().any(|wait| wait.may_give_up)).collect();
        sure = self.stuck_of(&waits, sure);
        let mut is_open = false;
        if sure.iter().any(|&p| !self.processes[p as usize].is_deadlock_reported) {
            // Whoever may be helped may help; another thread may also end a loop.
            let has_company =
                |process: u32| self.objects.is_multiple(process) || waits[&process].iter().any(|w| w.asks);
            sure.retain(|&process| {
                let is_alone = !has_company(process) || !beyond.may_help(process);
                is_open |= !is_alone && self.quiet_ns(process, now_ns) < COMPANY_NS;
                is_alone
            });
            sure = self.stuck_of(&waits, sure);
        }
        let knot = |list: &[u32], is_sure: bool| {
            let mut stuck = vec![false; self.processes.len()];
            list.iter().for_each(|&p| stuck[p as usize] = true);
            let waits = waits.iter().filter(|(p, _)| stuck[**p as usize]).map(|(p, w)| (*p, w.clone())).collect();
            Knot { stuck, waits, is_sure }
        };
        if sure.iter().any(|&p| !self.processes[p as usize].is_deadlock_reported) {
            knots.push(knot(&sure, true));
        }
        if seeming.len() > sure.len() && !is_open {
            knots.push(knot(&seeming, false));
        }
        knots
    }

    /// How long a process has done nothing.
    fn quiet_ns(&self, process: u32, now_ns: u64) -> u64 {
        let threads = self.processes[process as usize].threads.iter();
        threads.filter_map(|thread| thread.quiet_since_ns).max().map_or(0, |since| now_ns.saturating_sub(since))
    }

    /// The greatest set of the candidates that no process outside of it can release.
    fn stuck_of(&self, waits: &FxHashMap<u32, Vec<Wait>>, mut candidates: Vec<u32>) -> Vec<u32> {
        let mut stuck = vec![false; self.processes.len()];
        candidates.iter().for_each(|&p| stuck[p as usize] = true);
        let cannot = |stuck: &[bool], process: u32| {
            let at = process as usize;
            stuck.get(at).copied().unwrap_or(false) || self.processes.get(at).is_some_and(|p| p.is_gone())
        };
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
                return candidates;
            }
        }
    }

    /// What a thread waits for, with all alternatives; `None` when it does not wait, this is unknown, or something can arrive at
    /// any moment.
    fn waits_of(
        &self,
        process: u32,
        thread: &Thread,
        now_ns: u64,
        missing: &mut FxHashMap<(u32, u64), Arc<[u32]>>,
        beyond: &mut dyn Beyond,
    ) -> Option<Vec<Wait>> {
        let quiet = now_ns.saturating_sub(thread.quiet_since_ns?);
        if quiet < self.settings.quiet_ns {
            return None;
        }
        let is_patient = quiet >= self.settings.patience_ns;
        if let Some(open) = &thread.open {
            if open.is_wrong && quiet < self.settings.interval_patience_ns {
                return None;
            }
            let needs = self.needs(process, &open.awaited, open.is_any, is_patient, missing)?;
            return Some(vec![Wait { place: open.place, is_any: open.is_any, needs, asks: false, may_give_up: false }]);
        }
        // It polls, has done nothing else for long enough, and has polled since the reader looked last.
        let asked_ns =
            self.objects.moment_ns(process, thread.asked_at) - self.objects.moment_ns(process, thread.asking_since);
        let has_intervals = asked_ns / i128::from(thread.asked.max(1)) >= INTERVAL_NS;
        let patience_ns = if has_intervals { self.settings.interval_patience_ns } else { self.settings.patience_ns };
        let is_loop = thread.asks && asked_ns >= i128::from(patience_ns) && is_patient;
        let may_give_up = thread.asked < 2 || thread.asking.iter().any(|a| beyond.may_give_up(process, a.place.site));
        if thread.asking.is_empty() || (may_give_up && !is_loop) {
            return None;
        }
        if let [asking] = &thread.asking[..] {
            let needs = self.needs(process, &asking.awaited, asking.is_any, is_patient, missing)?;
            return Some(vec![Wait { place: asking.place, is_any: asking.is_any, needs, asks: true, may_give_up }]);
        }
        // Any of its questions may be answered.
        let mut needs = Vec::new();
        for asking in &thread.asking {
            let of = self.needs(process, &asking.awaited, asking.is_any, is_patient, missing)?;
            match asking.is_any || of.len() == 1 {
                true => needs.extend(of),
                // All of several: the first that cannot come true decides. Kept as one need of all their processes.
                false => needs.extend(of.into_iter().take(1)),
            }
        }
        Some(vec![Wait { place: thread.asking[0].place, is_any: true, needs, asks: true, may_give_up }])
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
                if message.unready > 0 {
                    return unmet(Arc::from([message.sender]), true);
                }
                if message.matched.is_some() || message.mode == mode::BUFFERED || self.messages.has_receive(message) {
                    return None;
                }
                let found = unmet(Arc::from([message.receiver]), false);
                if message.mode == mode::SYNCHRONOUS { found } else { soft(found) }
            }
            Awaited::Receive(id) => {
                let receive = self.messages.receives.get(*id)?;
                let message = receive.matched.and_then(|id| self.messages.messages.get(id));
                if let Some(message) = message.filter(|message| message.unready > 0) {
                    return unmet(Arc::from([message.sender]), true);
                }
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
            Awaited::Transmitted(ids) => {
                let is_kept = |m: &&crate::messages::Message| {
                    m.matched.is_some() || m.is_cancelled || self.messages.has_receive(m)
                };
                let mut away: Vec<u32> = ids
                    .iter()
                    .filter_map(|&id| self.messages.messages.get(id))
                    .filter(|m| !is_kept(m))
                    .map(|m| m.receiver)
                    .collect();
                away.sort_unstable();
                away.dedup();
                if away.is_empty() { None } else { soft(unmet(away.into(), true)) }
            }
            Awaited::Own => unmet(Arc::from([process]), false),
            Awaited::Taken => soft(unmet(Arc::from([process]), false)),
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
        let kind = self.kinds.of_function(joined.function);
        let away = missing
            .entry((joined.sequence, joined.index))
            .or_insert_with(|| self.collectives.missing(joined).into_iter().map(|(_, p)| p).collect())
            .clone();
        let unmet = |who: Arc<[u32]>, all: bool| Some(Unmet { who, all, awaited: awaited.clone() });
        let late = |who: Arc<[u32]>| if is_patient { unmet(who, false) } else { None };
        match Needs::from_pattern(kind.pattern, joined) {
            Needs::AllMissing if kind.pattern != Pattern::Fence || is_patient => unmet(away, true),
            Needs::Root(root) => {
                let root = *self.collectives.members(joined.sequence).get(root as usize)?;
                if away.contains(&root) { unmet(Arc::from([root]), true) } else { late(away) }
            }
            Needs::Before(member) => {
                let missing = self.collectives.missing(joined).into_iter();
                let before: Vec<u32> = missing.filter(|(place, _)| *place < member).map(|(_, p)| p).collect();
                if before.is_empty() { late(away) } else { unmet(before.into(), true) }
            }
            _ => late(away),
        }
    }
}
