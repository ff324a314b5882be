//! The run replayed as if no send were buffered: which event happened before which, and what works only because of buffering.
//!
//! Each process has a queue of steps that are not replayed yet. A send or a collective operation is complete when the other side
//! has started, a receive when its message was sent; the pairs are those of the real run. In a correct program, the replay keeps
//! up with the run. Steps are replayed in causal order, so that clocks are computed on the way.
//!
//! If processes wait for each other in the replay, but their real calls have returned, buffering saved them. What depends on a
//! choice (a wildcard receive, any of several requests, tests) does not count: the choice could have been different.

use std::collections::VecDeque;

use mpiscope_abi::role::Pattern;
use mpiscope_trace::check::event::mode;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::clocks::{Clock, Clocks, join};
use crate::collective_traits::Kinds;
use crate::collectives::{Collectives, Joined};
use crate::messages::Messages;
use crate::report::CallRef;

/// Most steps of a process that wait; if there are more, the replay gives up on what it waits for.
const MOST_STEPS: usize = 1 << 16;

/// Most meetings whose memory is kept.
const MOST_SPARE: usize = 256;

/// What must have happened before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The receive of a message has begun.
    Sent(u32),
    /// The same for a buffered message, for a call that waits until it is delivered.
    Transmitted(u32),
    /// The message of a receive has been sent.
    Received(u32),
    /// All processes have begun an operation.
    Collective(Joined),
    /// A target has exposed its window for the n-th time to a process.
    Posted { window: u32, target: u32, origin: u32, count: u32 },
    /// A process has completed its n-th access to a target.
    Completed { window: u32, target: u32, origin: u32, count: u32 },
}

/// What a call waits for: usually one thing.
pub(crate) type Needs = SmallVec<[Need; 1]>;

/// One step of a process.
pub(crate) enum Step {
    /// A message is sent.
    Issue(u32),
    /// A receive is posted.
    Post(u32),
    /// A collective operation begins.
    Enter(Joined),
    /// A call waits for all of these.
    Wait(CallRef, Needs),
    /// An operation was found complete: it orders events, but is not a wait.
    Done(Need),
    /// A wildcard probe found a message.
    Probed { comm: u32, source: u32, tag: Option<i32>, order: u64, place: CallRef },
    /// The process exposes its window to origins; or has completed its access to targets.
    Signal(Box<[Need]>),
    /// An event for the checks of memory and files.
    Access(Box<crate::access_conflicts::AccessEvent>),
}

/// A wildcard receive or probe, for comparison with later messages.
struct Choice {
    comm: u32,
    source: u32,
    tag: Option<i32>,
    /// Receives that were posted later could not have received its message.
    order: u64,
    moment: u32,
    place: CallRef,
    is_probe: bool,
}

/// A message that a wildcard receive could have received as well.
pub(crate) struct Race {
    pub choice: CallRef,
    pub is_probe: bool,
    pub comm: u32,
    pub taken_from: u32,
    pub other_send: CallRef,
    pub other_from: u32,
    pub tag: i32,
}

#[derive(Default)]
struct Waiting {
    steps: VecDeque<Step>,
    /// Wildcard receives that have begun and have no message yet.
    open_wild: u32,
    /// Choices with which later messages are compared, one for each call site.
    choices: Vec<Choice>,
    is_queued: bool,
    /// Several threads call MPI: their order is unknown.
    pub is_free: bool,
}

#[derive(Default)]
struct Meeting {
    arrived: Vec<bool>,
    count: usize,
    /// The place at which its completion is observed: a wait and the completion both record it.
    has_left: Vec<bool>,
    left: usize,
    clock: Clock,
    is_forced: bool,
}

impl Meeting {
    /// Empties it, and keeps its memory.
    fn emptied(self) -> Meeting {
        let Meeting { mut arrived, mut has_left, .. } = self;
        arrived.clear();
        has_left.clear();
        Meeting { arrived, has_left, ..Meeting::default() }
    }
}

/// Processes that would have waited for each other.
pub(crate) struct Saved {
    /// In order: each waits for the next.
    pub cycle: Vec<(CallRef, Need)>,
}

/// The replay of a run.
pub(crate) struct Replay {
    processes: Vec<Waiting>,
    meetings: FxHashMap<(u32, u64), Meeting>,
    /// Completed meetings, kept to reuse their memory.
    spare: Vec<Meeting>,
    /// By window, target and origin: exposures and completed accesses, with the clocks at that moment.
    signals: FxHashMap<(bool, u32, u32, u32), (u32, Clock)>,
    pub clocks: Clocks,
    ready: Vec<u32>,
    /// By call sites of the choice and of the other send: the first such race, and their number.
    pub races: FxHashMap<[u64; 2], (Race, u64)>,
    follows_races: bool,
}

/// What the replay reads besides its own state.
pub(crate) struct World<'a> {
    pub messages: &'a mut Messages,
    pub collectives: &'a Collectives,
    pub kinds: &'a Kinds,
    pub access_conflicts: &'a mut crate::access_conflicts::AccessConflicts,
}

impl Replay {
    pub fn new(clocks: usize, follows_races: bool) -> Replay {
        Replay {
            processes: Vec::new(),
            meetings: FxHashMap::default(),
            spare: Vec::new(),
            signals: FxHashMap::default(),
            clocks: Clocks::new(clocks),
            ready: Vec::new(),
            races: FxHashMap::default(),
            follows_races,
        }
    }

    /// Steps that wait for others.
    pub fn outstanding(&self) -> usize {
        self.processes.iter().map(|process| process.steps.len()).sum()
    }

    fn process(&mut self, process: u32) -> &mut Waiting {
        let at = process as usize;
        if self.processes.len() <= at {
            self.processes.resize_with(at + 1, Waiting::default);
        }
        &mut self.processes[at]
    }

    /// Several threads of a process call MPI: the replay does not wait for it.
    pub fn set_free(&mut self, process: u32) {
        self.process(process).is_free = true;
        self.wake(process);
    }

    /// Adds a step, and replays what has become possible.
    pub fn push(&mut self, process: u32, step: Step, world: &mut World<'_>) {
        match &step {
            Step::Issue(m) => world.messages.hold_message(*m),
            Step::Post(r) => world.messages.hold_receive(*r),
            Step::Wait(_, needs) => needs.iter().for_each(|n| hold(n, world.messages)),
            Step::Done(need) => hold(need, world.messages),
            _ => {}
        }
        let waiting = self.process(process);
        if waiting.steps.is_empty() {
            // As a rule it can be done at once.
            if let Some(step) = self.step(process, step, world) {
                self.process(process).steps.push_back(step);
            }
            self.run(world);
            return;
        }
        waiting.steps.push_back(step);
        if waiting.steps.len() > MOST_STEPS {
            self.force(process, world);
            self.run(world);
        }
    }

    pub fn wake(&mut self, process: u32) {
        let waiting = self.process(process);
        if !waiting.is_queued && !waiting.steps.is_empty() {
            waiting.is_queued = true;
            self.ready.push(process);
        }
    }

    /// A message and a receive have matched.
    pub fn paired(&mut self, sender: u32, receiver: u32, world: &mut World<'_>) {
        self.wake(sender);
        self.wake(receiver);
        self.run(world);
    }

    fn run(&mut self, world: &mut World<'_>) {
        while let Some(process) = self.ready.pop() {
            self.processes[process as usize].is_queued = false;
            while let Some(step) = self.processes[process as usize].steps.pop_front() {
                if let Some(step) = self.step(process, step, world) {
                    self.processes[process as usize].steps.push_front(step);
                    break;
                }
            }
        }
    }

    /// Replays a step, or returns it if it has to wait.
    fn step(&mut self, process: u32, step: Step, world: &mut World<'_>) -> Option<Step> {
        match step {
            Step::Issue(id) => {
                let clock = self.clocks.outgoing(process);
                if let Some(message) = world.messages.messages.get_mut(id) {
                    message.is_issued = true;
                    message.clock = clock;
                    let receiver = message.receiver;
                    if message.matched.is_some() {
                        self.wake(receiver);
                    }
                }
                world.messages.release_message(id);
            }
            Step::Post(id) => {
                if let Some(receive) = world.messages.receives.get_mut(id) {
                    receive.is_posted = true;
                    let (is_wild, matched) = (receive.is_wild, receive.matched);
                    if is_wild {
                        self.process(process).open_wild += 1;
                    }
                    if let Some(sender) = matched.and_then(|m| world.messages.messages.get(m)).map(|m| m.sender) {
                        self.wake(sender);
                    }
                }
                world.messages.release_receive(id);
            }
            Step::Enter(joined) => self.enter(process, joined, world),
            Step::Wait(place, needs) => {
                let is_free = self.processes[process as usize].is_free;
                if !is_free && !needs.iter().all(|need| self.is_met(need, world)) {
                    return Some(Step::Wait(place, needs));
                }
                for need in &needs {
                    self.over(process, need, world);
                }
            }
            Step::Done(need) => {
                let is_free = self.processes[process as usize].is_free;
                if !is_free && !self.is_met(&need, world) {
                    return Some(Step::Done(need));
                }
                self.over(process, &need, world);
            }
            Step::Probed { comm, source, tag, order, place } => {
                if let Some(moment) = self.follows_races.then(|| self.clocks.moment(process)).flatten() {
                    let choice = Choice { comm, source, tag, order, moment, place, is_probe: true };
                    self.note(process, choice);
                }
            }
            Step::Signal(signals) => {
                let clock = self.clocks.outgoing(process);
                for signal in &signals {
                    let (key, other) = signal_key(signal);
                    let entry = self.signals.entry(key).or_insert((0, None));
                    entry.0 += 1;
                    entry.1.clone_from(&clock);
                    self.wake(other);
                }
            }
            Step::Access(event) => {
                let kept = world.access_conflicts.add(process, *event, &mut self.clocks);
                return kept.map(|event| Step::Access(Box::new(event)));
            }
        }
        None
    }

    fn note(&mut self, process: u32, choice: Choice) {
        let choices = &mut self.process(process).choices;
        // The receive of what a probe has found comes only after the next one may have been noted.
        let found = |c: &Choice| c.is_probe.then_some(c.source);
        let place = |c: &Choice| (c.comm, c.tag, found(c), c.place.site, c.place.function);
        match choices.iter().position(|c| place(c) == place(&choice)) {
            Some(at) => choices[at] = choice,
            None if choices.len() < 32 => choices.push(choice),
            None => choices[0] = choice,
        }
    }

    fn is_met(&self, need: &Need, world: &World<'_>) -> bool {
        let messages = &world.messages;
        match *need {
            Need::Sent(id) | Need::Transmitted(id) => messages.messages.get(id).is_none_or(|m| {
                let waits = matches!(need, Need::Transmitted(_));
                m.is_kept
                    || m.is_cancelled
                    || (!waits && matches!(m.mode, mode::BUFFERED | mode::READY))
                    || m.matched.is_some_and(|r| messages.receives.get(r).is_none_or(|r| r.is_posted))
            }),
            Need::Received(id) => messages.receives.get(id).is_none_or(|r| {
                r.is_cancelled || r.matched.is_some_and(|m| messages.messages.get(m).is_none_or(|m| m.is_issued))
            }),
            Need::Collective(joined) => {
                let members = world.collectives.members(joined.sequence).len();
                self.meetings
                    .get(&(joined.sequence, joined.index))
                    .is_none_or(|meeting| meeting.count >= members || meeting.is_forced)
            }
            Need::Posted { count, .. } | Need::Completed { count, .. } => {
                self.signals.get(&signal_key(need).0).is_some_and(|(n, _)| *n >= count)
            }
        }
    }

    /// A need was met: orders the process after it.
    fn over(&mut self, process: u32, need: &Need, world: &mut World<'_>) {
        match *need {
            Need::Sent(id) | Need::Transmitted(id) => world.messages.release_message(id),
            Need::Received(id) => {
                self.received(process, id, world);
                world.messages.release_receive(id);
            }
            Need::Collective(joined) => self.leave(process, joined, world),
            Need::Posted { .. } | Need::Completed { .. } => {
                if let Some((_, clock)) = self.signals.get(&signal_key(need).0) {
                    let clock = clock.clone();
                    self.clocks.learn(process, &clock);
                }
            }
        }
    }

    fn received(&mut self, process: u32, id: u32, world: &mut World<'_>) {
        let Some(receive) = world.messages.receives.get_mut(id) else { return };
        // "Posted" means started and not complete: a second call for the same receive changes nothing.
        if std::mem::replace(&mut receive.is_over, true) {
            return;
        }
        let receive = &*receive;
        if receive.is_wild {
            let waiting = &mut self.processes[process as usize];
            waiting.open_wild = waiting.open_wild.saturating_sub(1);
        }
        let Some(message) = receive.matched.and_then(|m| world.messages.messages.get(m)) else { return };
        let clock = message.clock.clone();
        if self.follows_races {
            for choice in &self.processes[process as usize].choices {
                let could = choice.comm == message.comm
                    && choice.source != message.sender
                    && choice.tag.is_none_or(|t| t == message.tag)
                    && choice.order < receive.order
                    && self.clocks.seen(&clock, process) < choice.moment;
                if could {
                    let race = || Race {
                        choice: choice.place,
                        is_probe: choice.is_probe,
                        comm: choice.comm,
                        taken_from: choice.source,
                        other_send: message.place,
                        other_from: message.sender,
                        tag: message.tag,
                    };
                    let key = [choice.place, message.place].map(|p| p.key << 16 ^ p.key >> 48 ^ u64::from(p.function));
                    self.races.entry(key).or_insert_with(|| (race(), 0)).1 += 1;
                }
            }
        }
        let (is_wild, comm, source, tag, order, place) =
            (receive.is_wild, receive.comm, message.sender, receive.asked_tag, receive.order, receive.place);
        self.clocks.learn(process, &clock);
        if is_wild
            && self.follows_races
            && let Some(moment) = self.clocks.moment(process)
        {
            self.note(process, Choice { comm, source, tag, order, moment, place, is_probe: false });
        }
    }

    fn enter(&mut self, process: u32, joined: Joined, world: &World<'_>) {
        let members = world.collectives.members(joined.sequence);
        let clock = self.clocks.outgoing(process);
        let new = || self.spare.pop().unwrap_or_default();
        let meeting = self.meetings.entry((joined.sequence, joined.index)).or_insert_with(new);
        meeting.arrived.resize(members.len(), false);
        if !std::mem::replace(&mut meeting.arrived[joined.member as usize], true) {
            meeting.count += 1;
        }
        let gives = match world.kinds.of_function(joined.function).pattern {
            Pattern::OneToN => joined.root.is_none_or(|root| root == joined.member),
            Pattern::Scan | Pattern::Neighbors => false,
            _ => true,
        };
        if gives {
            join(&mut meeting.clock, &clock);
        }
        if meeting.count == members.len() {
            members.iter().filter(|&&m| m != process).for_each(|&m| self.wake(m));
        }
    }

    fn leave(&mut self, process: u32, joined: Joined, world: &mut World<'_>) {
        let members = world.collectives.members(joined.sequence).len();
        let pattern = world.kinds.of_function(joined.function).pattern;
        let Some(meeting) = self.meetings.get_mut(&(joined.sequence, joined.index)) else { return };
        let takes = match pattern {
            Pattern::NToOne => joined.root == Some(joined.member),
            Pattern::Scan | Pattern::Neighbors => false,
            _ => true,
        };
        let clock = takes.then(|| meeting.clock.clone()).flatten();
        meeting.has_left.resize(members, false);
        if std::mem::replace(&mut meeting.has_left[joined.member as usize], true) {
            return;
        }
        meeting.left += 1;
        let is_last = meeting.left >= members && meeting.count >= members;
        self.clocks.learn(process, &clock);
        if is_last
            && let Some(over) = self.meetings.remove(&(joined.sequence, joined.index))
            && self.spare.len() < MOST_SPARE
        {
            self.spare.push(over.emptied());
        }
    }

    /// Treats what a process waits for as buffered by the MPI; returns whether anything could be buffered.
    fn keep(&mut self, process: u32, world: &mut World<'_>) -> bool {
        let Some(Step::Wait(_, needs)) = self.processes[process as usize].steps.front() else { return false };
        let (mut is_kept, mut meets) = (false, false);
        for need in needs {
            match *need {
                Need::Sent(id) | Need::Transmitted(id) => {
                    if let Some(message) = world.messages.messages.get_mut(id) {
                        is_kept |= !std::mem::replace(&mut message.is_kept, true);
                    }
                }
                Need::Collective(joined) => {
                    if let Some(meeting) = self.meetings.get_mut(&(joined.sequence, joined.index)) {
                        let is_new = !std::mem::replace(&mut meeting.is_forced, true);
                        (is_kept, meets) = (is_kept || is_new, meets || is_new);
                    }
                }
                _ => {}
            }
        }
        if meets {
            for process in 0..self.processes.len() as u32 {
                self.wake(process);
            }
        }
        self.wake(process);
        is_kept
    }

    /// Gives up on what a process waits for.
    fn force(&mut self, process: u32, world: &mut World<'_>) {
        match self.processes[process as usize].steps.pop_front() {
            Some(Step::Wait(_, needs)) => needs.iter().for_each(|need| self.over(process, need, world)),
            Some(Step::Done(need)) => self.over(process, &need, world),
            // The process that could decide it is not there.
            Some(Step::Access(_)) => {}
            Some(other) => self.processes[process as usize].steps.push_front(other),
            None => {}
        }
        self.wake(process);
    }

    /// The processes for which a process waits in the replay: only where no choice could have changed it, or in all cases.
    fn targets(&self, process: u32, only_sure: bool, world: &World<'_>) -> Vec<(u32, Need)> {
        let mut out = Vec::new();
        let needs: &[Need] = match self.processes[process as usize].steps.front() {
            Some(Step::Wait(_, needs)) => needs,
            Some(Step::Done(need)) if !only_sure => std::slice::from_ref(need),
            _ => return out,
        };
        for need in needs.iter().filter(|need| !self.is_met(need, world)) {
            match *need {
                Need::Sent(id) | Need::Transmitted(id) => {
                    let Some(message) = world.messages.messages.get(id) else { continue };
                    let receiver = self.processes.get(message.receiver as usize);
                    if !only_sure || receiver.is_some_and(|r| r.open_wild == 0) {
                        out.push((message.receiver, *need));
                    }
                }
                Need::Received(id) => {
                    let Some(receive) = world.messages.receives.get(id) else { continue };
                    if only_sure && receive.is_wild {
                        continue;
                    }
                    match (receive.matched.and_then(|m| world.messages.messages.get(m)), receive.source) {
                        (Some(message), _) => out.push((message.sender, *need)),
                        (None, Some(source))
                            if !world.messages.has_message(receive.comm, process, Some(source), receive.tag) =>
                        {
                            out.push((source, *need));
                        }
                        _ => {}
                    }
                }
                Need::Collective(joined) => {
                    let members = world.collectives.members(joined.sequence);
                    let Some(meeting) = self.meetings.get(&(joined.sequence, joined.index)) else { continue };
                    let away = members.iter().zip(&meeting.arrived).filter(|(_, there)| !**there);
                    out.extend(away.map(|(&member, _)| (member, *need)));
                }
                Need::Posted { target, .. } if !only_sure => out.push((target, *need)),
                Need::Completed { origin, .. } if !only_sure => out.push((origin, *need)),
                _ => {}
            }
        }
        out
    }

    /// Processes that wait for each other in the replay. `is_open` returns whether the call of a process at which the replay is
    /// has not returned: then it is unknown whether buffering saved it. `has_threads`: another of its threads may still continue.
    pub fn saved(
        &mut self,
        world: &mut World<'_>,
        is_open: impl Fn(u32) -> bool,
        has_threads: impl Fn(u32) -> bool,
    ) -> (Vec<Saved>, bool) {
        let mut found = Vec::new();
        let mut went_on = false;
        for only_sure in [true, false] {
            // Each round releases one cycle.
            for _ in 0..1024 {
                let Some(cycle) = self.cycle(only_sure, world, &is_open, &has_threads) else { break };
                went_on = true;
                if only_sure {
                    let place = |process: u32| match self.processes[process as usize].steps.front() {
                        Some(Step::Wait(place, _)) => *place,
                        _ => CallRef { process, ..CallRef::default() },
                    };
                    found.push(Saved { cycle: cycle.iter().map(|&(p, need)| (place(p), need)).collect() });
                }
                let mut is_kept = false;
                for &(process, _) in &cycle {
                    is_kept |= self.keep(process, world);
                }
                if !is_kept {
                    self.force(cycle[0].0, world);
                    // Nothing that buffering could have helped.
                    if only_sure {
                        found.pop();
                    }
                }
                if !only_sure {
                    self.run(world);
                }
            }
            // Texts need what the cycle is about, so nothing runs before they are written.
            if only_sure && !found.is_empty() {
                break;
            }
        }
        (found, went_on)
    }

    /// Continues after [`Replay::saved`].
    pub fn go_on(&mut self, world: &mut World<'_>) {
        self.run(world);
    }

    fn cycle(
        &self,
        only_sure: bool,
        world: &World<'_>,
        is_open: &impl Fn(u32) -> bool,
        has_threads: &impl Fn(u32) -> bool,
    ) -> Option<Vec<(u32, Need)>> {
        let mut targets: FxHashMap<u32, Vec<(u32, Need)>> = FxHashMap::default();
        for (process, waiting) in self.processes.iter().enumerate() {
            let process = process as u32;
            let is_at_its_call = waiting.steps.len() == 1 && is_open(process);
            if waiting.steps.is_empty() || waiting.is_free || is_at_its_call || has_threads(process) {
                continue;
            }
            let of = self.targets(process, only_sure, world);
            if !of.is_empty() {
                targets.insert(process, of);
            }
        }
        // A process that waits for none of the rest is not in the cycle.
        loop {
            let free: Vec<u32> = targets
                .iter()
                .filter(|(_, of)| !of.iter().any(|(t, _)| targets.contains_key(t)))
                .map(|(&p, _)| p)
                .collect();
            if free.is_empty() {
                break;
            }
            for process in free {
                targets.remove(&process);
            }
        }
        let mut at = *targets.keys().min()?;
        let mut way: Vec<(u32, Need)> = Vec::new();
        loop {
            if let Some(begin) = way.iter().position(|(p, _)| *p == at) {
                let mut cycle = way.split_off(begin);
                let lowest = (0..cycle.len()).min_by_key(|&i| cycle[i].0)?;
                cycle.rotate_left(lowest);
                return Some(cycle);
            }
            let &(next, need) = targets[&at].iter().find(|(t, _)| targets.contains_key(t))?;
            way.push((at, need));
            at = next;
        }
    }
}

fn hold(need: &Need, messages: &mut Messages) {
    match *need {
        Need::Sent(m) | Need::Transmitted(m) => messages.hold_message(m),
        Need::Received(r) => messages.hold_receive(r),
        _ => {}
    }
}

/// The counter of a signal, and the processes that it concerns.
fn signal_key(need: &Need) -> ((bool, u32, u32, u32), u32) {
    match *need {
        Need::Posted { window, target, origin, .. } => ((true, window, target, origin), origin),
        Need::Completed { window, target, origin, .. } => ((false, window, target, origin), target),
        _ => ((false, u32::MAX, 0, 0), 0),
    }
}
