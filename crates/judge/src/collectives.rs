//! Matches the calls of processes to collective operations and compares them (MPI-5.0 §6).
//!
//! Operations of a communicator are counted on each process; those with the same number belong together. Starts of persistent operations
//! are counted for each operation, and their initialisations for the communicator. Each call is compared with the
//! first one when it arrives. Differences are reported when findings are taken, so that the processes that differ from most others can
//! be named, and long before the program hangs.

mod call;
mod differences;
mod instance;

use std::collections::VecDeque;

use mpiscope_abi::role::Pattern;
use mpiscope_trace::check::event::{Part, flag};
use rustc_hash::FxHashMap;

use crate::collective_traits::{Kind, Kinds, Order, Shape};
use crate::objects::{Members, Objects};
use crate::report::{CallRef, Draft, Sink, ranks};
use crate::signature::Signature;
use call::{Call, called};
use differences::{About, numbered};
use instance::Instance;

/// `MPI_ROOT` and `MPI_PROC_NULL` as roots in intercommunicators.
const ROOT: i32 = -1;
const NULL: i32 = -2;

/// Most instances of a sequence whose memory is kept.
const MOST_SPARE: usize = 256;

/// Operations in a fixed order.
pub(crate) struct Sequence {
    pub comm: u32,
    /// Number of the persistent operation of which these are starts; `None` for other operations.
    persistent: Option<u32>,
    members: Members,
    first_group: usize,
    is_inter: bool,
    /// Number of operations that each member has begun.
    begun: Vec<u64>,
    /// Number of the first open operation.
    first: u64,
    open: VecDeque<Instance>,
    /// Completed instances, kept to reuse their memory: an instance is needed for each call.
    spare: Vec<Instance>,
}

/// A process's part of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Joined {
    pub sequence: u32,
    pub index: u64,
    /// Index among the members.
    pub member: u32,
    pub function: u16,
    /// Index of the root, if there is one.
    pub root: Option<u32>,
}

/// All collective operations of a run.
#[derive(Default)]
pub(crate) struct Collectives {
    numbers: FxHashMap<(u32, Order, u32), u32>,
    pub sequences: Vec<Sequence>,
    /// Operations with something to report.
    news: Vec<(u32, u64)>,
    among: FxHashMap<Among, u32>,
    /// Calls that complete only when another operation does.
    bridges: FxHashMap<(u32, u64), Joined>,
}

/// The processes that call an operation together, if they are only some of the communicator's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Among {
    pub comm: u32,
    /// In their order.
    pub members: Vec<u32>,
    pub tag: u64,
}

/// The arguments of a call.
pub(crate) struct Entering<'a> {
    pub place: CallRef,
    pub flags: u16,
    pub comm: u32,
    pub root: Option<i32>,
    pub reduction: u32,
    pub send: &'a Part,
    pub receive: &'a Part,
    pub agreed: &'a [i64],
    /// Number of the window; 0 for other functions.
    pub of: u32,
}

impl Sequence {
    fn new(comm: u32, members: Members, first_group: usize, is_inter: bool) -> Sequence {
        let begun = vec![0; members.len()];
        let (open, spare) = (VecDeque::new(), Vec::new());
        Sequence { comm, persistent: None, members, first_group, is_inter, begun, first: 0, open, spare }
    }

    /// An open operation.
    fn instance(&mut self, index: u64) -> Option<&mut Instance> {
        let at = index.checked_sub(self.first)? as usize;
        while self.open.len() <= at {
            self.open.push_back(self.spare.pop().unwrap_or_default());
        }
        self.open.get_mut(at)
    }
}

impl Collectives {
    /// Operations that some members have not begun.
    pub fn outstanding(&self) -> usize {
        self.sequences.iter().map(|sequence| sequence.open.len()).sum()
    }

    fn sequence(&mut self, objects: &Objects, comm: u32, order: Order, of: u32) -> u32 {
        *self.numbers.entry((comm, order, of)).or_insert_with(|| {
            let shared = &objects.comms[comm as usize];
            let mut sequence = Sequence::new(comm, shared.members.clone(), shared.first_group, shared.is_inter);
            sequence.persistent = (order == Order::Started).then_some(of);
            self.sequences.push(sequence);
            self.sequences.len() as u32 - 1
        })
    }

    /// A process starts its call. `None` for communicators that are not completely known.
    pub fn enter(&mut self, kinds: &Kinds, objects: &mut Objects, e: &Entering<'_>) -> Option<Joined> {
        let kind = *kinds.of_function(e.place.function);
        let local = objects.local_comm(e.place.process, e.comm)?;
        let is_start = e.flags & flag::PERSISTENT != 0;
        let order = if is_start { Order::Started } else { kind.order };
        let of = if is_start { e.agreed.first().map_or(0, |&ordinal| ordinal as u32) } else { e.of };
        let (comm, member, foreign) = (local.number, local.place, local.foreign);
        let is_of_neighbours = matches!(kind.shape, Shape::NeighborAllgatherv | Shape::NeighborAlltoallv);
        let topology = if is_of_neighbours { local.topology.clone() } else { None };
        if foreign || order == Order::None || objects.comms[comm as usize].members.len() < 2 {
            return None;
        }
        let number = self.sequence(objects, comm, order, of);
        let sequence = &mut self.sequences[number as usize];
        let begun = sequence.begun.get_mut(member as usize)?;
        let index = *begun;
        *begun += 1;
        let is_first_group = (member as usize) < sequence.first_group;
        let root = e.root.and_then(|root| match (sequence.is_inter, root) {
            (false, r) => u32::try_from(r).ok(),
            (true, ROOT) => Some(member),
            (true, r) if r >= 0 => Some(r as u32 + if is_first_group { sequence.first_group as u32 } else { 0 }),
            _ => None,
        });
        let root = root.filter(|&r| (r as usize) < sequence.members.len());
        let joined = Joined { sequence: number, index, member, function: e.place.function, root };
        if index < sequence.first {
            return Some(joined);
        }
        let is_root = match (sequence.is_inter, e.root) {
            (false, Some(r)) => r == member as i32,
            (true, r) => r == Some(ROOT),
            _ => false,
        };
        let mut call = Call {
            member,
            place: e.place,
            variant: kind.variant,
            base: kind.base,
            root: e.root,
            reduction: objects.process(e.place.process).ops.get(&e.reduction).cloned(),
            is_in_place: e.flags & flag::IN_PLACE != 0,
            is_wrong: e.flags & flag::WRONG != 0,
            agreed: if is_start { Vec::new() } else { e.agreed.to_vec() },
            lists: None,
        };
        if matches!(kind.shape, Shape::Group | Shape::Edges) && e.flags & flag::CUT == 0 {
            call.lists_mut().names = [e.receive.counts().to_vec(), e.send.counts().to_vec()];
        }
        if topology.is_some() {
            call.lists_mut().topology = topology;
        }
        let amounts = call.amounts(&kind, objects, e, is_root);
        let sequence = &mut self.sequences[number as usize];
        let direction = sequence.is_inter.then_some(usize::from(!is_first_group));
        self.arrive((number, index), &kind, call, amounts, direction);
        Some(joined)
    }

    /// An open part of an operation: sequence and index.
    fn arrive(
        &mut self,
        (number, index): (u32, u64),
        kind: &Kind,
        call: Call,
        amounts: [Option<Signature>; 2],
        direction: Option<usize>,
    ) {
        let sequence = &mut self.sequences[number as usize];
        let members = sequence.members.len() as u32;
        let Some(instance) = sequence.instance(index) else { return };
        instance.arrived += 1;
        let arrived = instance.arrived;
        instance.add(kind, call, amounts, direction, members);
        if std::mem::take(&mut instance.has_news) {
            self.news.push((number, index));
        }
        if arrived == members {
            self.close(number);
        }
    }

    /// A process starts its call of an operation among some processes, including itself.
    pub fn enter_among(
        &mut self,
        kinds: &Kinds,
        objects: &Objects,
        of: Among,
        place: CallRef,
        agreed: &[i64],
    ) -> Option<Joined> {
        let member = of.members.iter().position(|&m| m == place.process)? as u32;
        if of.members.len() < 2 || of.members.contains(&u32::MAX) {
            return None;
        }
        let kind = *kinds.of_function(place.function);
        // Of a communicator that has not got a number, the world's.
        let comm = if (of.comm as usize) < objects.comms.len() { of.comm } else { 0 };
        let members: Members = of.members.as_slice().into();
        let number = *self.among.entry(of).or_insert_with(|| {
            let first_group = members.len();
            self.sequences.push(Sequence::new(comm, members, first_group, false));
            self.sequences.len() as u32 - 1
        });
        let call = Call {
            member,
            place,
            variant: kind.variant,
            base: kind.base,
            root: None,
            reduction: None,
            is_in_place: false,
            is_wrong: false,
            agreed: agreed.to_vec(),
            lists: None,
        };
        let sequence = &mut self.sequences[number as usize];
        let index = *sequence.begun.get(member as usize)?;
        sequence.begun[member as usize] += 1;
        let joined = Joined { sequence: number, index, member, function: place.function, root: None };
        self.arrive((number, index), &kind, call, [None, None], None);
        Some(joined)
    }

    /// `joined` completes only when `other` does.
    pub fn bridge(&mut self, joined: Joined, other: Joined) {
        self.bridges.insert((joined.sequence, joined.index), other);
    }

    /// Whether there is so much to report that it should be reported now.
    pub fn has_much_to_report(&self) -> bool {
        self.news.len() >= 64
    }

    /// Drops operations that all processes have started and about which there is nothing to report.
    fn close(&mut self, number: u32) {
        let sequence = &mut self.sequences[number as usize];
        let members = sequence.members.len() as u32;
        while let Some(instance) = sequence.open.front() {
            let index = sequence.first;
            if instance.arrived < members || self.news.contains(&(number, index)) {
                break;
            }
            if let Some(over) = sequence.open.pop_front().filter(|_| sequence.spare.len() < MOST_SPARE) {
                sequence.spare.push(over.emptied());
            }
            sequence.first += 1;
        }
    }

    /// Whether all members have begun an operation, and those that it depends on.
    pub fn is_complete(&self, joined: &Joined) -> bool {
        let sequence = &self.sequences[joined.sequence as usize];
        let has_all = joined.index.checked_sub(sequence.first).is_none_or(|at| {
            sequence.open.get(at as usize).is_some_and(|i| i.arrived as usize == sequence.members.len())
        });
        has_all && self.bridges.get(&(joined.sequence, joined.index)).is_none_or(|other| self.is_complete(other))
    }

    /// Members that have not started an operation, with their index in it.
    pub fn missing(&self, joined: &Joined) -> Vec<(u32, u32)> {
        let sequence = &self.sequences[joined.sequence as usize];
        let places = sequence.begun.iter().enumerate().filter(|(_, n)| **n <= joined.index);
        let own: Vec<(u32, u32)> = places.map(|(place, _)| (place as u32, sequence.members[place])).collect();
        match self.bridges.get(&(joined.sequence, joined.index)) {
            Some(other) if own.is_empty() => self.missing(other),
            _ => own,
        }
    }

    /// The operation and the communicator of a part.
    pub fn number(&self, joined: &Joined, objects: &Objects) -> String {
        let sequence = &self.sequences[joined.sequence as usize];
        numbered(&name_of(objects, sequence.comm), sequence.persistent, joined.index)
    }

    pub fn members(&self, sequence: u32) -> &Members {
        &self.sequences[sequence as usize].members
    }

    /// Reports the findings since the last time.
    pub fn report(&mut self, objects: &mut Objects, sink: &mut Sink) {
        let mut news = std::mem::take(&mut self.news);
        news.sort_unstable();
        news.dedup();
        for &(number, index) in &news {
            let sequence = &mut self.sequences[number as usize];
            let Some(at) = index.checked_sub(sequence.first) else { continue };
            let (comm, members) = (sequence.comm, sequence.members.clone());
            let (is_inter, first_group, persistent) = (sequence.is_inter, sequence.first_group, sequence.persistent);
            let Some(instance) = sequence.open.get_mut(at as usize) else { continue };
            let about = About { comm: &name_of(objects, comm), persistent, index, members: &members };
            instance.report(objects, sink, &about, is_inter, first_group);
        }
        let mut sequences: Vec<u32> = news.iter().map(|(number, _)| *number).collect();
        sequences.dedup();
        for number in sequences {
            self.close(number);
        }
    }
}

/// The name of a communicator; processes of sessions may have none.
fn name_of(objects: &Objects, comm: u32) -> String {
    objects.comms.get(comm as usize).map_or_else(|| "an unknown communicator".to_owned(), |c| c.name.clone())
}

impl Collectives {
    /// At the end: compares lists of the processes that started an operation when the program ended before the others reached it.
    pub fn report_unfinished_lists(&mut self, objects: &mut Objects, sink: &mut Sink) {
        for sequence in &mut self.sequences {
            let (members, comm, persistent) =
                (&sequence.members, &name_of(objects, sequence.comm), sequence.persistent);
            for (at, instance) in sequence.open.iter_mut().enumerate() {
                let about = About { comm, persistent, index: sequence.first + at as u64, members };
                if instance.has_lists
                    && !instance.is_reported
                    && !instance.are_amounts_reported
                    && instance.is_uniform()
                {
                    instance.report_lists(objects, sink, &about, sequence.is_inter, sequence.first_group);
                }
            }
        }
    }

    /// At the end: operations that some processes started and others, which have ended, never will.
    pub fn report_incomplete(&self, objects: &Objects, sink: &mut Sink, is_gone: impl Fn(u32) -> bool) {
        for sequence in &self.sequences {
            let Some((at, instance)) = sequence
                .open
                .iter()
                .enumerate()
                .find(|(_, i)| i.arrived > 0 && (i.arrived as usize) < sequence.members.len() && !i.is_reported)
            else {
                continue;
            };
            let index = sequence.first + at as u64;
            let away: Vec<u32> = (sequence.begun.iter().zip(sequence.members.iter()))
                .filter(|(begun, _)| **begun <= index)
                .map(|(_, &process)| process)
                .collect();
            let here = instance.calls.iter().min_by_key(|c| c.member);
            let Some(call) = here.filter(|c| is_gone(c.place.process) && away.iter().all(|&p| is_gone(p))) else {
                continue;
            };
            let number = numbered(&name_of(objects, sequence.comm), sequence.persistent, index);
            let text = format!(
                "{}{}: {} of {} processes called {}; {} never called it.",
                number[..1].to_ascii_uppercase(),
                &number[1..],
                instance.arrived,
                sequence.members.len(),
                called(call),
                ranks(&away)
            );
            sink.add(Draft::new("collective.missing").text(text).party(call.place, "calls"));
        }
    }
}

/// The processes that must have started before a process's part of an operation can complete.
pub(crate) enum Needs {
    /// All of these that have not started.
    AllMissing,
    /// The root.
    Root(u32),
    /// Members before an index.
    Before(u32),
    /// None, according to the standard.
    Nobody,
}

impl Needs {
    pub fn from_pattern(pattern: Pattern, joined: &Joined) -> Needs {
        let is_root = joined.root == Some(joined.member);
        match pattern {
            Pattern::Barrier | Pattern::NxN | Pattern::Object | Pattern::File | Pattern::Fence => Needs::AllMissing,
            Pattern::OneToN => match joined.root {
                Some(root) if !is_root => Needs::Root(root),
                _ => Needs::Nobody,
            },
            Pattern::NToOne if is_root => Needs::AllMissing,
            Pattern::Scan => Needs::Before(joined.member),
            Pattern::NToOne | Pattern::Neighbors => Needs::Nobody,
        }
    }
}
