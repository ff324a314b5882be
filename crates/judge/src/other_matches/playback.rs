//! Replays the logs with other matches.
//!
//! Messages can be in flight for any time: a wildcard receive may receive the first message of each sender that matches, and that
//! no earlier receive would have received (MPI-5.0 §3.5). Standard sends complete at once, as an MPI library may implement them:
//! a deadlock that remains exists with every library. A collective operation waits for the processes that the standard names.
//!
//! A process repeats the run as long as it receives what it received there. From then on it may do anything, unless the reader
//! can exclude that the received data affect what it does ([`crate::Beyond::is_alike`]).

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::log::{Act, Log, NONE, Posted, Until};
use crate::collective_traits::Kinds;
use crate::collectives::{Collectives, Joined, Needs};

/// The input of all plays.
pub(crate) struct Stage<'a> {
    pub log: &'a Log,
    pub collectives: &'a Collectives,
    pub kinds: &'a Kinds,
    /// The mailbox (communicator and receiver) of each message and each receive.
    of_message: Vec<u32>,
    of_receive: Vec<u32>,
    boxes: usize,
    /// The results of probes in the run, by process and act.
    pub found: FxHashMap<(u32, u32), u32>,
    pub steps: usize,
}

impl<'a> Stage<'a> {
    pub fn new(log: &'a Log, collectives: &'a Collectives, kinds: &'a Kinds) -> Stage<'a> {
        let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        let mut number = |comm: u32, by: u32| {
            let next = numbers.len() as u32;
            *numbers.entry((comm, by)).or_insert(next)
        };
        // In the order of processes, not in that of reading.
        let (mut of_message, mut of_receive) = (vec![0; log.sent.len()], vec![0; log.posted.len()]);
        for (act, _) in log.acts.iter().flatten() {
            match *act {
                Act::Send(m) => of_message[m as usize] = number(log.sent[m as usize].comm, log.sent[m as usize].to),
                Act::Post(r) => of_receive[r as usize] = number(log.posted[r as usize].comm, log.posted[r as usize].by),
                _ => {}
            }
        }
        let boxes = numbers.len();
        Stage { log, collectives, kinds, of_message, of_receive, boxes, found: FxHashMap::default(), steps: 0 }
    }

    /// Cost of copying a play, in steps.
    pub fn copy_cost(&self) -> usize {
        (self.log.sent.len() + self.log.posted.len()) / 64 + self.boxes / 4 + self.log.acts.len()
    }
}

/// Whether a process that received something else makes its next call as in the run: process, calls that received something else,
/// calls since then, the next call.
pub(crate) type Alike<'a> = dyn FnMut(u32, &[(u32, u64)], &[u32], u32) -> bool + 'a;

#[derive(Clone, Default)]
struct Meeting {
    arrived: SmallVec<[u64; 1]>,
    count: u32,
    left: u32,
    /// A process sends something else than in the run.
    is_changed: bool,
}

/// A process that received something else.
#[derive(Clone, Default)]
struct Changed {
    /// The calls that received something else, and the number of bytes.
    calls: Vec<(u32, u64)>,
    through: Vec<u32>,
    /// The act in which it received it.
    act: u32,
}

#[derive(Clone, Copy, PartialEq)]
enum Way {
    Unsent,
    Sent,
    Taken,
}

/// A state of all processes.
#[derive(Clone)]
pub(crate) struct Play {
    at: Vec<u32>,
    reacts: Vec<bool>,
    changed: FxHashMap<u32, Changed>,
    ways: Vec<Way>,
    /// Messages whose contents may differ from the run.
    others: Vec<bool>,
    took: Vec<u32>,
    pending: Vec<Vec<u32>>,
    there: Vec<Vec<u32>>,
    meetings: FxHashMap<(u32, u64), Meeting>,
    ready: Vec<u32>,
    /// Receives of messages that are too long or of another type: their processes are not followed.
    bad: Vec<u32>,
    /// New pairs that did not occur in the run.
    pub news: Vec<(u32, u32)>,
    /// Choices that differ from those of the run.
    pub choices: Vec<(u32, u32)>,
    /// A hash of these choices, independent of their order.
    pub key: u64,
}

impl Play {
    pub fn new(stage: &Stage<'_>) -> Play {
        let (n, log) = (stage.log.acts.len(), stage.log);
        Play {
            at: vec![0; n],
            reacts: vec![false; n],
            changed: FxHashMap::default(),
            ways: vec![Way::Unsent; log.sent.len()],
            others: vec![false; log.sent.len()],
            took: vec![NONE; log.posted.len()],
            pending: vec![Vec::new(); stage.boxes],
            there: vec![Vec::new(); stage.boxes],
            meetings: FxHashMap::default(),
            ready: (0..n as u32).rev().collect(),
            bad: Vec::new(),
            news: Vec::new(),
            choices: Vec::new(),
            key: 0,
        }
    }

    /// Stops following a process.
    pub fn release(&mut self, process: u32) {
        self.reacts[process as usize] = true;
    }

    /// Continues until each process waits or has ended.
    pub fn run(&mut self, stage: &mut Stage<'_>, alike: &mut Alike<'_>) {
        while let Some(process) = self.ready.pop() {
            while !self.reacts[process as usize] && self.step(process, stage, alike) {
                stage.steps += 1;
            }
        }
    }

    /// The next act of a process; false if it waits, or what it does next is unknown.
    fn step(&mut self, process: u32, stage: &mut Stage<'_>, alike: &mut Alike<'_>) -> bool {
        let number = self.at[process as usize];
        let Some((act, call)) = stage.log.acts[process as usize].get(number as usize) else {
            self.reacts[process as usize] = true;
            return false;
        };
        if let Some(changed) = self.changed.get_mut(&process) {
            let (_, learned) = stage.log.acts[process as usize][changed.act as usize];
            if learned != *call {
                if !alike(process, &changed.calls, &changed.through, call.site) {
                    self.reacts[process as usize] = true;
                    return false;
                }
                if let Err(at) = changed.through.binary_search(&call.site) {
                    changed.through.insert(at, call.site);
                }
            }
        }
        match act {
            Act::Send(m) => {
                let m = *m as usize;
                self.ways[m] = Way::Sent;
                self.others[m] =
                    self.changed.contains_key(&process) && stage.log.sent[m].data.is_none_or(|data| data.bytes > 0);
                let at = stage.of_message[m] as usize;
                self.there[at].push(m as u32);
                self.at[process as usize] += 1;
                // It may probe.
                self.wake(stage.log.sent[m].to);
                self.pair(at, stage);
            }
            Act::Post(r) => {
                let at = stage.of_receive[*r as usize] as usize;
                self.pending[at].push(*r);
                self.at[process as usize] += 1;
                self.pair(at, stage);
            }
            Act::Enter(joined) => {
                self.enter(process, joined, stage);
                self.at[process as usize] += 1;
            }
            Act::Wait(all) => {
                if !all.iter().all(|until| self.is_met(until, stage)) {
                    return false;
                }
                self.over(process, all, stage);
            }
            Act::Done(until) => {
                if !self.is_met(until, stage) {
                    return false;
                }
                self.over(process, std::slice::from_ref(until), stage);
            }
            Act::Found { comm, source, tag, .. } => {
                let Some(m) = self.probe(process, (*comm, *source, *tag), stage) else { return false };
                self.at[process as usize] += 1;
                // What it finds without a change is what it found.
                let known = *stage.found.entry((process, number)).or_insert(m);
                if known != m || self.others[m as usize] {
                    self.reacts[process as usize] = true;
                }
            }
            Act::Reacts => self.reacts[process as usize] = true,
            Act::End => return false,
        }
        true
    }

    fn wake(&mut self, process: u32) {
        self.ready.push(process);
    }

    /// What a process finds when it probes for messages of a sender with a tag; messages that an earlier receive would receive
    /// are left out.
    fn probe(&self, process: u32, (comm, source, tag): (u32, u32, i32), stage: &Stage<'_>) -> Option<u32> {
        let log = stage.log;
        let fits = |&m: &u32| {
            let m = &log.sent[m as usize];
            (m.to, m.comm, m.from, m.tag) == (process, comm, source, tag)
        };
        let mut boxes = self.there.iter().enumerate();
        let (at, m) = boxes.find_map(|(at, there)| there.iter().copied().find(|m| fits(m)).map(|m| (at, m)))?;
        let is_promised = self.pending[at].iter().any(|&r| log.posted[r as usize].fits(&log.sent[m as usize]));
        (!is_promised).then_some(m)
    }

    fn is_met(&self, until: &Until, stage: &Stage<'_>) -> bool {
        match until {
            Until::Sent(m) => {
                stage.log.sent.get(*m as usize).is_none_or(|sent| !sent.waits) || self.ways[*m as usize] == Way::Taken
            }
            Until::Received(r) => self.took.get(*r as usize).is_none_or(|&m| m != NONE),
            Until::Met(joined) => self.missing(joined, stage).is_empty(),
        }
    }

    /// Processes that must have entered an operation before a process's part can be complete.
    fn missing(&self, joined: &Joined, stage: &Stage<'_>) -> Vec<u32> {
        let members = stage.collectives.members(joined.sequence);
        let Some(meeting) = self.meetings.get(&(joined.sequence, joined.index)) else { return Vec::new() };
        let is_there = |at: usize| meeting.arrived.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 != 0);
        let needed: Vec<usize> = match Needs::from_pattern(stage.kinds.of_function(joined.function).pattern, joined) {
            Needs::AllMissing if meeting.count as usize >= members.len() => Vec::new(),
            Needs::AllMissing => (0..members.len()).collect(),
            Needs::Root(root) => vec![root as usize],
            Needs::Before(member) => (0..member as usize).collect(),
            Needs::Nobody => Vec::new(),
        };
        needed.into_iter().filter(|&at| !is_there(at)).filter_map(|at| members.get(at).copied()).collect()
    }

    fn enter(&mut self, process: u32, joined: &Joined, stage: &Stage<'_>) {
        let is_changed = self.changed.contains_key(&process);
        let meeting = self.meetings.entry((joined.sequence, joined.index)).or_default();
        let (word, bit) = (joined.member as usize / 64, joined.member % 64);
        if meeting.arrived.len() <= word {
            meeting.arrived.resize(word + 1, 0);
        }
        meeting.count += u32::from(meeting.arrived[word] >> bit & 1 == 0);
        meeting.arrived[word] |= 1 << bit;
        meeting.is_changed |= is_changed;
        let members = stage.collectives.members(joined.sequence);
        members.iter().filter(|&&member| member != process).for_each(|&member| self.wake(member));
    }

    /// Marks all of these as complete for a process.
    fn over(&mut self, process: u32, all: &[Until], stage: &Stage<'_>) {
        let number = self.at[process as usize];
        self.at[process as usize] += 1;
        for until in all {
            match until {
                Until::Received(r) => {
                    let posted = &stage.log.posted[*r as usize];
                    let m = self.took[*r as usize];
                    if m != posted.took || self.others[m as usize] {
                        let room = posted.data.filter(|_| !self.bad.contains(r));
                        match room {
                            Some(room) => self.learns(process, number, (posted.place.site, room.bytes)),
                            None => self.reacts[process as usize] = true,
                        }
                    }
                }
                Until::Met(joined) => {
                    let key = (joined.sequence, joined.index);
                    let members = stage.collectives.members(joined.sequence).len() as u32;
                    let Some(meeting) = self.meetings.get_mut(&key) else { continue };
                    meeting.left += 1;
                    let (is_changed, is_last) = (meeting.is_changed, meeting.left >= members);
                    use mpiscope_abi::role::Pattern;
                    if is_changed && stage.kinds.of_function(joined.function).pattern != Pattern::Barrier {
                        self.reacts[process as usize] = true;
                    }
                    if is_last {
                        self.meetings.remove(&key);
                    }
                }
                Until::Sent(_) => {}
            }
        }
    }

    fn learns(&mut self, process: u32, act: u32, call: (u32, u64)) {
        let changed = self.changed.entry(process).or_default();
        changed.act = act;
        if let Err(at) = changed.calls.binary_search(&call) {
            changed.calls.insert(at, call);
        }
        if let Err(at) = changed.through.binary_search(&call.0) {
            changed.through.insert(at, call.0);
        }
    }

    /// The first message of a sender that a receive can receive now.
    fn first_of(&self, at: usize, r: u32, source: u32, stage: &Stage<'_>) -> Option<u32> {
        let (log, posted) = (stage.log, &stage.log.posted[r as usize]);
        let mut there = self.there[at].iter().copied();
        let m = there.find(|&m| log.sent[m as usize].from == source && posted.fits(&log.sent[m as usize]))?;
        let before = self.pending[at].iter().take_while(|&&other| other != r);
        let mut before = before.map(|&other| &log.posted[other as usize]);
        (!before.any(|other: &Posted| other.fits(&log.sent[m as usize]))).then_some(m)
    }

    /// Matches pairs that nothing can change any more.
    fn pair(&mut self, at: usize, stage: &Stage<'_>) {
        loop {
            let named = |&r: &u32| stage.log.posted[r as usize].source.map(|source| (r, source));
            let mut pending = self.pending[at].iter().filter_map(named);
            let Some((r, m)) = pending.find_map(|(r, source)| Some((r, self.first_of(at, r, source, stage)?))) else {
                return;
            };
            self.match_pair(at, r, m, stage);
        }
    }

    fn match_pair(&mut self, at: usize, r: u32, m: u32, stage: &Stage<'_>) {
        self.pending[at].retain(|&other| other != r);
        self.there[at].retain(|&other| other != m);
        (self.ways[m as usize], self.took[r as usize]) = (Way::Taken, m);
        let (sent, posted) = (&stage.log.sent[m as usize], &stage.log.posted[r as usize]);
        if posted.took != m {
            self.news.push((r, m));
        }
        self.wake(posted.by);
        if sent.waits {
            self.wake(sent.from);
        }
        // A probe may have been kept from what is left.
        self.wake(sent.to);
    }

    /// What wildcard receives can receive now: receive and message, in the order of mailboxes, receives and senders.
    pub fn open(&self, stage: &Stage<'_>) -> Vec<(u32, u32)> {
        let mut out = Vec::new();
        for (at, pending) in self.pending.iter().enumerate().filter(|(at, _)| !self.there[*at].is_empty()) {
            for &r in pending.iter().filter(|&&r| stage.log.posted[r as usize].source.is_none()) {
                let mut senders: Vec<u32> = self.there[at].iter().map(|&m| stage.log.sent[m as usize].from).collect();
                senders.sort_unstable();
                senders.dedup();
                out.extend(senders.into_iter().filter_map(|s| Some((r, self.first_of(at, r, s, stage)?))));
            }
        }
        out
    }

    /// A wildcard receive receives a message.
    pub fn choose(&mut self, (r, m): (u32, u32), stage: &Stage<'_>) {
        if stage.log.posted[r as usize].took != m {
            self.choices.push((r, m));
        }
        self.key = self.key.wrapping_add(mixed(u64::from(r) << 32 | u64::from(m)));
        let at = stage.of_receive[r as usize] as usize;
        self.match_pair(at, r, m, stage);
        self.pair(at, stage);
    }

    /// Whether a message is too long for its receive, or of another type.
    pub fn fails(&mut self, r: u32) {
        self.bad.push(r);
    }

    /// Whether this is the state of the real run, as far as it can be replayed.
    pub fn is_the_run(&self, stage: &Stage<'_>) -> bool {
        self.choices.is_empty() && self.news.is_empty() && self.stuck(stage).is_empty()
    }

    fn is_done(&self, process: u32, stage: &Stage<'_>) -> bool {
        let at = process as usize;
        let act = stage.log.acts.get(at).and_then(|acts| acts.get(self.at[at] as usize));
        !self.reacts[at] && matches!(act, Some((Act::End, _)))
    }

    /// Processes that wait, and that no process which may do anything can release. Only valid when no match is possible.
    pub fn stuck(&self, stage: &Stage<'_>) -> Vec<u32> {
        let n = stage.log.acts.len();
        let mut stuck: Vec<bool> =
            (0..n).map(|at| !self.reacts[at] && self.waits(at as u32, stage).is_some()).collect();
        let done: Vec<bool> = (0..n).map(|at| self.is_done(at as u32, stage)).collect();
        loop {
            let cannot = |process: &u32| {
                let at = *process as usize;
                stuck.get(at).copied().unwrap_or(false) || done.get(at).copied().unwrap_or(false)
            };
            let hopeless = |(who, all): &(Vec<u32>, bool)| {
                if *all { who.iter().any(cannot) } else { who.iter().all(cannot) }
            };
            let helped: Vec<usize> = (0..n)
                .filter(|&at| stuck[at])
                .filter(|&at| !self.waits(at as u32, stage).is_some_and(|needs| needs.iter().any(hopeless)))
                .collect();
            if helped.is_empty() {
                break;
            }
            helped.into_iter().for_each(|at| stuck[at] = false);
        }
        (0..n as u32).filter(|&process| stuck[process as usize]).collect()
    }

    /// The processes for which a process waits, by what it waits for, and whether it needs all of them or one. `None` if it may
    /// do something else.
    fn waits(&self, process: u32, stage: &Stage<'_>) -> Option<Vec<(Vec<u32>, bool)>> {
        let (log, at) = (stage.log, process as usize);
        // With more of them than are in the communicator fewer are stuck.
        let senders = |source: Option<u32>| match source {
            Some(source) => vec![source],
            None => (0..log.acts.len() as u32).collect(),
        };
        match &log.acts[at].get(self.at[at] as usize)?.0 {
            Act::Wait(all) => {
                let of = |until: &Until| match until {
                    Until::Sent(m) => (vec![log.sent[*m as usize].to], false),
                    Until::Received(r) => {
                        let posted = &log.posted[*r as usize];
                        (senders(posted.source), false)
                    }
                    Until::Met(joined) => (self.missing(joined, stage), true),
                };
                Some(all.iter().filter(|until| !self.is_met(until, stage)).map(of).collect())
            }
            Act::Found { waits: true, is_any, source, .. } => {
                Some(vec![(senders(Some(*source).filter(|_| !is_any)), false)])
            }
            _ => None,
        }
    }

    /// What a deadlocked process waits for.
    pub fn awaited<'a>(&self, process: u32, stage: &Stage<'a>) -> Option<(&'a Act, super::log::Call, Vec<Until>)> {
        let (act, call) = stage.log.acts[process as usize].get(self.at[process as usize] as usize)?;
        let unmet = match act {
            Act::Wait(all) => all.iter().copied().filter(|until| !self.is_met(until, stage)).collect(),
            _ => Vec::new(),
        };
        Some((act, *call, unmet))
    }
}

fn mixed(value: u64) -> u64 {
    // The first choice of all is one, too.
    let value = value.wrapping_add(1);
    let value = (value ^ value >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (value ^ value >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}
