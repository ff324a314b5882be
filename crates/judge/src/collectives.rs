//! Parts of processes to collective operations, and whether they fit (MPI-5.0 §6).
//!
//! Operations of a communicator are counted on each process; those with one number belong together. Starts of persistent operations
//! are counted for each operation, and it is the initialisations that are counted for the communicator. Calls are compared with the
//! first one when they come. Differences are told when findings are taken, so that those who differ from most others can
//! be named, and long before the program hangs.

use std::collections::VecDeque;

use mpiscope_abi::name;
use mpiscope_abi::role::Pattern;
use mpiscope_trace::check::event::{Part, flag};
use rustc_hash::FxHashMap;

use crate::finding::{Confidence, Severity};
use crate::kinds::{Kind, Kinds, Order, Shape, Variant};
use crate::objects::{Members, Objects, Topology};
use crate::report::{Draft, Place, Sink, ranks};
use crate::signature::{Compared, Signature};

/// `MPI_ROOT` and `MPI_PROC_NULL` as roots in intercommunicators.
const ROOT: i32 = -1;
const NULL: i32 = -2;

/// Instances of a sequence whose memory is kept.
const MOST_SPARE: usize = 256;

/// A process's part.
struct Call {
    member: u32,
    place: Place,
    variant: Variant,
    base: u16,
    root: Option<i32>,
    reduction: Option<std::sync::Arc<str>>,
    is_in_place: bool,
    /// Something is wrong with its arguments, which its process has told.
    is_wrong: bool,
    agreed: Vec<i64>,
    /// What most calls have not.
    lists: Option<Box<Lists>>,
}

/// What a call says of each process.
#[derive(Default)]
struct Lists {
    /// Amounts: what the call's process gives and what it takes.
    gives: Vec<Signature>,
    takes: Vec<Signature>,
    /// Ranks that it names: a group or sources, and destinations.
    names: [Vec<u64>; 2],
    /// Of neighbourhood operations.
    topology: Option<std::sync::Arc<Topology>>,
}

static NO_LISTS: Lists =
    Lists { gives: Vec::new(), takes: Vec::new(), names: [const { Vec::new() }; 2], topology: None };

/// Amounts that have to be the same, each with an example and how many processes have it.
#[derive(Default)]
struct Amounts(Vec<Amount>);

/// A signature, the call of the lowest member that has it, whether it gives, how many have it, the member.
type Amount = (Signature, u32, bool, u32, u32);

/// An operation that not all have begun.
#[derive(Default)]
struct Instance {
    arrived: u32,
    calls: Vec<Call>,
    /// Calls that are alike: places among `calls` (the first) and how many.
    alike: Vec<(u32, u32)>,
    /// By direction in intercommunicators.
    amounts: [Amounts; 2],
    has_news: bool,
    /// Something is to be compared when all are there.
    has_lists: bool,
    told: bool,
    told_amounts: bool,
}

/// Operations in one order.
pub(crate) struct Sequence {
    pub comm: u32,
    /// Starts of one persistent operation: its number.
    persistent: Option<u32>,
    members: Members,
    first_group: usize,
    is_inter: bool,
    /// Operations that each member has begun.
    begun: Vec<u64>,
    /// Number of the first that is open.
    first: u64,
    open: VecDeque<Instance>,
    /// Instances that are over, for the memory that they have: there are as many as there are calls.
    spare: Vec<Instance>,
}

/// A part of an operation: where it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Joined {
    pub sequence: u32,
    pub index: u64,
    /// Place among the members.
    pub member: u32,
    pub function: u16,
    /// Place of the root, if there is one.
    pub root: Option<u32>,
}

/// All of a run.
#[derive(Default)]
pub(crate) struct Collectives {
    numbers: FxHashMap<(u32, Order, u32), u32>,
    pub sequences: Vec<Sequence>,
    /// Operations with something to tell.
    news: Vec<(u32, u64)>,
    among: FxHashMap<Among, u32>,
    /// Parts that are over only when another operation is.
    bridges: FxHashMap<(u32, u64), Joined>,
}

/// Who calls an operation together, where only some of a communicator's processes do.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Among {
    pub comm: u32,
    /// In their order.
    pub members: Vec<u32>,
    pub tag: u64,
}

/// What a call says.
pub(crate) struct Entering<'a> {
    pub place: Place,
    pub flags: u16,
    pub comm: u32,
    pub root: Option<i32>,
    pub reduction: u32,
    pub send: &'a Part,
    pub receive: &'a Part,
    pub agreed: &'a [i64],
    /// Number of the window, 0 for all else.
    pub of: u32,
}

impl Sequence {
    fn new(comm: u32, members: Members, first_group: usize, is_inter: bool) -> Sequence {
        let begun = vec![0; members.len()];
        let (open, spare) = (VecDeque::new(), Vec::new());
        Sequence { comm, persistent: None, members, first_group, is_inter, begun, first: 0, open, spare }
    }

    /// An operation that is not over.
    fn instance(&mut self, index: u64) -> Option<&mut Instance> {
        let at = index.checked_sub(self.first)? as usize;
        while self.open.len() <= at {
            self.open.push_back(self.spare.pop().unwrap_or_default());
        }
        self.open.get_mut(at)
    }
}

impl Collectives {
    /// Operations that not all have begun.
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

    /// A process begins its part. Nothing for communicators of which not everything is known.
    pub fn enter(&mut self, kinds: &Kinds, objects: &mut Objects, e: &Entering<'_>) -> Option<Joined> {
        let kind = *kinds.of(e.place.function);
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

    /// A part of an operation (sequence and index) that is not over.
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

    /// A process begins its part of an operation of some processes, of whom it is one.
    pub fn enter_among(
        &mut self,
        kinds: &Kinds,
        objects: &Objects,
        of: Among,
        place: Place,
        agreed: &[i64],
    ) -> Option<Joined> {
        let member = of.members.iter().position(|&m| m == place.process)? as u32;
        if of.members.len() < 2 || of.members.contains(&u32::MAX) {
            return None;
        }
        let kind = *kinds.of(place.function);
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

    /// `joined` is over only when `other` is.
    pub fn bridge(&mut self, joined: Joined, other: Joined) {
        self.bridges.insert((joined.sequence, joined.index), other);
    }

    /// So much that it should not wait for somebody to ask.
    pub fn has_much_to_tell(&self) -> bool {
        self.news.len() >= 64
    }

    /// Forgets what all have begun and nobody has anything to say about.
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

    /// Members who have not begun an operation, with their places in it.
    pub fn missing(&self, joined: &Joined) -> Vec<(u32, u32)> {
        let sequence = &self.sequences[joined.sequence as usize];
        let places = sequence.begun.iter().enumerate().filter(|(_, n)| **n <= joined.index);
        let own: Vec<(u32, u32)> = places.map(|(place, _)| (place as u32, sequence.members[place])).collect();
        match self.bridges.get(&(joined.sequence, joined.index)) {
            Some(other) if own.is_empty() => self.missing(other),
            _ => own,
        }
    }

    /// Which operation of which communicator a part belongs to.
    pub fn number(&self, joined: &Joined, objects: &Objects) -> String {
        let sequence = &self.sequences[joined.sequence as usize];
        numbered(&name_of(objects, sequence.comm), sequence.persistent, joined.index)
    }

    pub fn members(&self, sequence: u32) -> &Members {
        &self.sequences[sequence as usize].members
    }

    /// Tells what was noticed since the last time.
    pub fn tell(&mut self, objects: &mut Objects, sink: &mut Sink) {
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
            instance.tell(objects, sink, &about, is_inter, first_group);
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
    /// The end: lists of those who have begun an operation that ended the program before the others came to it.
    pub fn tell_unfinished(&mut self, objects: &mut Objects, sink: &mut Sink) {
        for sequence in &mut self.sequences {
            let (members, comm, persistent) =
                (&sequence.members, &name_of(objects, sequence.comm), sequence.persistent);
            for (at, instance) in sequence.open.iter_mut().enumerate() {
                let about = About { comm, persistent, index: sequence.first + at as u64, members };
                if instance.has_lists && !instance.told && !instance.told_amounts && instance.is_uniform() {
                    instance.tell_lists(objects, sink, &about, sequence.is_inter, sequence.first_group);
                }
            }
        }
    }

    /// The end: operations that some have begun and others, who are gone, never will.
    pub fn tell_left(&self, objects: &Objects, sink: &mut Sink, is_gone: impl Fn(u32) -> bool) {
        for sequence in &self.sequences {
            let Some((at, instance)) = sequence
                .open
                .iter()
                .enumerate()
                .find(|(_, i)| i.arrived > 0 && (i.arrived as usize) < sequence.members.len() && !i.told)
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
                "{}{} is {} on {} processes, and {} never called it.",
                number[..1].to_ascii_uppercase(),
                &number[1..],
                called(call),
                instance.arrived,
                ranks(&away)
            );
            sink.add(Draft::new("collective.missing").text(text).party(call.place, "calls"));
        }
    }
}

/// Which operation of a communicator it is.
fn numbered(comm: &str, persistent: Option<u32>, index: u64) -> String {
    match persistent {
        Some(which) => format!("start {} of persistent operation {} of {comm}", index + 1, which + 1),
        None => format!("operation {} of {comm}", index + 1),
    }
}

/// What texts name.
struct About<'a> {
    comm: &'a str,
    persistent: Option<u32>,
    index: u64,
    members: &'a Members,
}

impl About<'_> {
    fn number(&self) -> String {
        numbered(self.comm, self.persistent, self.index)
    }

    fn process(&self, member: u32) -> u32 {
        self.members.get(member as usize).copied().unwrap_or(u32::MAX)
    }
}

impl Call {
    fn lists(&self) -> &Lists {
        self.lists.as_deref().unwrap_or(&NO_LISTS)
    }

    fn lists_mut(&mut self) -> &mut Lists {
        self.lists.get_or_insert_default()
    }

    /// Signatures that have to be the same everywhere: what is given, what is taken.
    fn amounts(&mut self, kind: &Kind, objects: &Objects, e: &Entering<'_>, is_root: bool) -> [Option<Signature>; 2] {
        let process = e.place.process;
        if e.flags & flag::WRONG != 0 {
            return [None, None];
        }
        let one = |part: &Part| {
            let data = &part.data;
            if data.datatype == 0 { None } else { objects.signature(process, data.datatype, data.count) }
        };
        let list = |part: &Part| -> Vec<Signature> {
            let cut = e.flags & flag::CUT != 0;
            if cut {
                return Vec::new();
            }
            part.counts()
                .iter()
                .enumerate()
                .filter_map(|(at, &count)| {
                    let datatype = part.datatypes().get(at).copied().unwrap_or(part.data.datatype);
                    objects.signature(process, datatype, count)
                })
                .collect()
        };
        let (send, receive) = (one(e.send), one(e.receive));
        let in_place = self.is_in_place;
        let either = if in_place { receive.or(send) } else { send.or(receive) };
        let idle = e.root == Some(NULL);
        match kind.shape {
            _ if idle => [None, None],
            Shape::Nothing | Shape::Group | Shape::Edges => [None, None],
            Shape::Uniform if e.reduction != 0 => [either, None],
            Shape::Uniform => [send.filter(|_| !in_place), receive],
            Shape::Bcast | Shape::Reduce => {
                let own = if is_root && kind.shape == Shape::Bcast { send.or(receive) } else { either };
                if is_root { [own, None] } else { [None, own] }
            }
            Shape::Gather => [send.filter(|_| !(in_place && is_root)), receive.filter(|_| is_root)],
            Shape::Scatter => [send.filter(|_| is_root), receive.filter(|_| !(in_place && is_root))],
            Shape::Gatherv => {
                self.lists_mut().gives = send.filter(|_| !(in_place && is_root)).into_iter().collect();
                if is_root {
                    self.lists_mut().takes = list(e.receive);
                }
                [None, None]
            }
            Shape::Scatterv => {
                if is_root {
                    self.lists_mut().gives = list(e.send);
                }
                self.lists_mut().takes = receive.filter(|_| !(in_place && is_root)).into_iter().collect();
                [None, None]
            }
            Shape::Allgatherv | Shape::NeighborAllgatherv => {
                self.lists_mut().gives = send.filter(|_| !in_place).into_iter().collect();
                self.lists_mut().takes = list(e.receive);
                [None, None]
            }
            Shape::ReduceScatter => {
                self.lists_mut().takes = list(if e.receive.counts().is_empty() { e.send } else { e.receive });
                if self.lists().takes.is_empty()
                    && let Some(datatype) = [e.send, e.receive].iter().map(|p| p.data.datatype).find(|&d| d != 0)
                {
                    let counts = if e.receive.counts().is_empty() { e.send.counts() } else { e.receive.counts() };
                    self.lists_mut().takes =
                        counts.iter().filter_map(|&c| objects.signature(process, datatype, c)).collect();
                }
                [None, None]
            }
            Shape::Alltoallv | Shape::NeighborAlltoallv => {
                if !in_place {
                    self.lists_mut().gives = list(e.send);
                }
                self.lists_mut().takes = list(e.receive);
                [None, None]
            }
        }
    }

    /// How a call differs from another one; the rule, and what each has.
    /// What is wrong with the arguments of one call alone is no difference.
    fn differs(
        &self,
        other: &Call,
        members: usize,
        is_inter: bool,
        same_group: bool,
    ) -> Option<(&'static str, String, String)> {
        if self.base != other.base {
            return Some(("collective.call", called(self), called(other)));
        }
        if self.variant != other.variant {
            return Some(("collective.blocking", called(self), called(other)));
        }
        let has_no_root =
            |c: &Call| c.root.is_some_and(|root| usize::try_from(root).is_ok_and(|r| r >= members) || root < 0);
        let is_nonsense = |c: &Call| c.is_wrong && has_no_root(c);
        if self.root != other.root && !is_inter && !is_nonsense(self) && !is_nonsense(other) {
            let root = |c: &Call| c.root.map_or("no root".into(), |r| format!("root {r}"));
            return Some(("collective.root", root(self), root(other)));
        }
        if is_inter && same_group && self.root != other.root {
            let negative = |c: &Call| c.root.is_some_and(|r| r < 0);
            if !(negative(self) && negative(other)) {
                let root = |c: &Call| match c.root {
                    Some(ROOT) => "MPI_ROOT".into(),
                    Some(NULL) => "MPI_PROC_NULL".into(),
                    Some(r) => format!("root {r}"),
                    None => "no root".into(),
                };
                return Some(("collective.group-roles", root(self), root(other)));
            }
        }
        if let (Some(a), Some(b)) = (&self.reduction, &other.reduction)
            && a != b
        {
            return Some(("collective.operation", a.to_string(), b.to_string()));
        }
        // In some the groups of an intercommunicator have values of their own.
        if (is_inter && !same_group) || self.is_wrong || other.is_wrong {
            return None;
        }
        let n = self.agreed.len().min(other.agreed.len());
        let first = (0..n).find(|&i| self.agreed[i] != other.agreed[i]);
        if let Some(at) = first.or((self.agreed.len() != other.agreed.len()).then_some(n)) {
            let names = mpiscope_trace::check::agreed::names(name(self.base.into()));
            let what = names.get(at).or(names.last()).copied().unwrap_or("an argument");
            let value = |c: &Call| match (c.agreed.get(at), what) {
                // A hash says nothing to people.
                (Some(_), "filename" | "datarep") => format!("one {what}"),
                (Some(value), "win" | "fh") => format!("{what} number {value}"),
                (Some(value), _) => format!("{value} as {what}"),
                (None, _) => format!("no {what}"),
            };
            return Some(("collective.argument", value(self), value(other)));
        }
        None
    }
}

/// Most have none: glibc's comparison of nothing reads, behind a mask, where an empty list points, and where no page is
/// that takes longer than the rest of the call.
fn same(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && (a.is_empty() || a == b)
}

fn called(call: &Call) -> String {
    name(call.place.function.into()).to_owned()
}

impl Instance {
    /// None, with the memory that this one had.
    fn emptied(self) -> Instance {
        let Instance { mut calls, mut alike, mut amounts, .. } = self;
        calls.clear();
        alike.clear();
        amounts.iter_mut().for_each(|of| of.0.clear());
        Instance { calls, alike, amounts, ..Instance::default() }
    }

    fn add(
        &mut self,
        kind: &Kind,
        call: Call,
        amounts: [Option<Signature>; 2],
        direction: Option<usize>,
        members: u32,
    ) {
        let at = self.calls.len() as u32;
        let alike = self.alike.iter_mut().find(|(first, _)| {
            let other = &self.calls[*first as usize];
            call.base == other.base
                && call.variant == other.variant
                && call.root == other.root
                && call.reduction == other.reduction
                && same(&call.agreed, &other.agreed)
                && (!kind.in_place_together || call.is_in_place == other.is_in_place)
        });
        match alike {
            Some((_, n)) => *n += 1,
            None => {
                self.alike.push((at, 1));
                self.has_news |= self.alike.len() > 1;
            }
        }
        // Data flows from the first group to the second and back; inside of one group there is one direction.
        for (which, signature) in amounts.into_iter().enumerate() {
            let Some(signature) = signature else { continue };
            let direction = direction.map_or(0, |own| if which == 0 { own } else { own ^ 1 });
            self.has_news |= self.amounts[direction].merge((signature, at, which == 0, 1, call.member));
        }
        // In an intercommunicator all may name the same root, and nobody be it.
        let has_roles = direction.is_some() && call.root.is_some();
        let has_some = |lists: &Lists| {
            lists.names.iter().any(|n| !n.is_empty()) || !lists.gives.is_empty() || !lists.takes.is_empty()
        };
        self.has_lists |= has_roles || call.lists.as_deref().is_some_and(has_some);
        // A group may have been alone so far.
        self.has_news |= direction.is_some() && self.alike.len() > 1 && !self.told;
        self.has_news |= self.has_lists && self.arrived == members;
        self.calls.push(call);
    }

    fn tell(&mut self, objects: &mut Objects, sink: &mut Sink, about: &About<'_>, is_inter: bool, first_group: usize) {
        let has_all = self.arrived as usize >= about.members.len();
        if !self.told && (self.alike.len() > 1 || (is_inter && has_all)) {
            self.tell_calls(sink, about, is_inter, first_group);
        }
        if !self.told_amounts && self.is_uniform() {
            for direction in 0..2 {
                if let Some(draft) = self.tell_amounts(direction, objects, about) {
                    sink.add(draft);
                    self.told_amounts = true;
                }
            }
            if has_all && !self.told_amounts {
                self.tell_lists(objects, sink, about, is_inter, first_group);
            }
            if let Some(draft) = self.tell_names(about).filter(|_| !is_inter) {
                sink.add(draft);
                self.told_amounts = true;
            }
        }
    }

    /// Groups that not all of their processes name, and neighbours who do not name each other.
    fn tell_names(&self, about: &About<'_>) -> Option<Draft> {
        let shape = Kinds::shape_of(self.calls.first()?.place.function);
        if !matches!(shape, Shape::Group | Shape::Edges) || (self.arrived as usize) < about.members.len() {
            return None;
        }
        let mut calls: Vec<&Call> = self.calls.iter().collect();
        calls.sort_by_key(|c| c.member);
        let rank = |call: &Call| about.process(call.member);
        let spelled = |list: &[u64]| {
            let list: Vec<String> = list.iter().take(16).map(u64::to_string).collect();
            if list.is_empty() { "nobody".to_owned() } else { list.join(", ") }
        };
        let draft = |text: String, a: &Call, b: &Call| {
            let draft = Draft::new("collective.argument").text(format!("In {}, {text}.", about.number()));
            Some(draft.party(a.place, "one of them").party(b.place, "the other"))
        };
        for call in &calls {
            let [group, destinations] = &call.lists().names;
            if shape == Shape::Group {
                let other = group.iter().filter_map(|&r| calls.get(r as usize)).find(|c| c.lists().names[0] != *group);
                if let Some(other) = other {
                    let (mine, theirs) = (spelled(group), spelled(&other.lists().names[0]));
                    let text = format!(
                        "rank {} passes a group of {mine}, of whom rank {} passes one of {theirs}",
                        rank(call),
                        rank(other)
                    );
                    return draft(text, call, other);
                }
                continue;
            }
            let times = |list: &[u64], of: u64| list.iter().filter(|&&r| r == of).count();
            for (own, which, role, other_role) in
                [(destinations, 0, "destination", "source"), (group, 1, "source", "destination")]
            {
                let other = own.iter().filter_map(|&r| calls.get(r as usize)).find(|other| {
                    times(own, other.member.into()) != times(&other.lists().names[which], call.member.into())
                });
                if let Some(other) = other {
                    let (many, few) =
                        (times(own, other.member.into()), times(&other.lists().names[which], call.member.into()));
                    let text = format!(
                        "rank {} names rank {} {many} times as a {role}, which names it {few} times as a {other_role}",
                        rank(call),
                        rank(other)
                    );
                    return draft(text, call, other);
                }
            }
        }
        None
    }

    fn tell_calls(&mut self, sink: &mut Sink, about: &About<'_>, is_inter: bool, first_group: usize) {
        // The most frequent one is taken for what was meant; of several the one of the lowest member. In an intercommunicator
        // each group has its own.
        let is_first = |c: &Call| (c.member as usize) < first_group;
        let same_group = |a: &Call, b: &Call| !is_inter || is_first(a) == is_first(b);
        let roots = |c: &Call| c.root.filter(|&r| r >= 0);
        let mut calls: Vec<&Call> = self.calls.iter().collect();
        calls.sort_by_key(|c| c.member);
        let mut kinds: Vec<Vec<&Call>> = Vec::new();
        for call in calls {
            match kinds.iter_mut().find(|kind| same_kind(kind[0], call) && same_group(kind[0], call)) {
                Some(kind) => kind.push(call),
                None => kinds.push(vec![call]),
            }
        }
        kinds.sort_by_key(|kind| (std::cmp::Reverse(kind.len()), kind[0].member));
        for (at, kind) in kinds.iter().enumerate() {
            let other = kind[0];
            let differs = |usual: &Vec<&Call>| {
                let most = usual[0];
                let how = |c: &Call| if c.is_in_place { "MPI_IN_PLACE" } else { "a send buffer" }.to_owned();
                other.differs(most, about.members.len(), is_inter, same_group(other, most)).or_else(|| {
                    (other.is_in_place != most.is_in_place && !is_inter)
                        .then(|| ("collective.in-place", how(other), how(most)))
                })
            };
            // Of its own group, then of the other one.
            let (own, far): (Vec<_>, Vec<_>) = kinds[..at].iter().partition(|usual| same_group(other, usual[0]));
            let found = own.into_iter().chain(far).find_map(|usual| Some((usual, differs(usual)?)));
            let Some((usual_calls, (rule, theirs, usual))) = found else { continue };
            let most = usual_calls[0];
            let is_majority = usual_calls.len() > kind.len();
            let of = |calls: &[&Call]| -> Vec<u32> {
                let mut list: Vec<u32> = calls.iter().map(|c| about.process(c.member)).collect();
                list.sort_unstable();
                list
            };
            let (them, us) = (of(kind), of(usual_calls));
            let verb = if matches!(rule, "collective.call" | "collective.blocking") { "call" } else { "pass" };
            let s = if verb == "pass" { "es" } else { "s" };
            let verb = |list: &[u32]| if list.len() == 1 { format!("{verb}{s}") } else { verb.to_owned() };
            let whose = if is_majority { ", unlike most" } else { "" };
            let text = format!(
                "In {}, {} {} {theirs}{whose}, and {} {} {usual}.",
                about.number(),
                ranks(&them),
                verb(&them),
                ranks(&us),
                verb(&us),
            );
            let mut draft = Draft::new(rule).text(text).number("operation", about.index as i64 + 1);
            draft.add(other.place, None, if is_majority { "differs" } else { "one of them" });
            draft.add(most.place, None, if is_majority { "as most" } else { "the other" });
            sink.add(draft);
            self.told = true;
        }
        if !is_inter || self.told {
            return;
        }
        // The one that the other group names passes MPI_ROOT.
        for named in self.calls.iter().filter(|c| roots(c).is_some()) {
            let place = roots(named).unwrap_or(0) as usize + if is_first(named) { first_group } else { 0 };
            let Some(root) = self.calls.iter().find(|c| c.member as usize == place) else { continue };
            if root.root != Some(ROOT) {
                let text = format!(
                    "In {}, rank {} names rank {} as the root, which does not pass MPI_ROOT.",
                    about.number(),
                    about.process(named.member),
                    about.process(root.member)
                );
                let draft = Draft::new("collective.group-roles").text(text);
                sink.add(draft.party(root.place, "is named").party(named.place, "names it"));
                self.told = true;
                return;
            }
        }
        if (self.arrived as usize) < about.members.len() {
            return;
        }
        // One process alone passes MPI_ROOT, and nobody of the other group passes MPI_PROC_NULL.
        let mut calls: Vec<&Call> = self.calls.iter().collect();
        calls.sort_by_key(|c| c.member);
        let Some(root) = calls.iter().find(|c| c.root == Some(ROOT)) else { return };
        let away = |c: &&&Call| is_first(c) != is_first(root) && c.root == Some(NULL);
        let second = calls.iter().find(|c| c.root == Some(ROOT) && c.member != root.member);
        let Some(other) = second.or_else(|| calls.iter().find(away)) else { return };
        let (one, two) = (about.process(root.member), about.process(other.member));
        let passes = match other.root {
            Some(ROOT) => format!("ranks {one} and {two} both pass MPI_ROOT"),
            _ => format!("rank {one} passes MPI_ROOT, and rank {two} of the other group MPI_PROC_NULL"),
        };
        let draft = Draft::new("collective.group-roles").text(format!("In {}, {passes}.", about.number()));
        sink.add(draft.party(root.place, "is a root").party(other.place, "the other"));
        self.told = true;
    }

    fn tell_amounts(&self, direction: usize, objects: &mut Objects, about: &About<'_>) -> Option<Draft> {
        let all = &self.amounts[direction].0;
        let most = all.iter().max_by_key(|a| (a.3, std::cmp::Reverse(a.4)))?;
        let mut others: Vec<&Amount> = all.iter().collect();
        others.sort_by_key(|a| a.4);
        for other in others {
            let Err(how) = objects.signatures.equal(most.0, other.0) else { continue };
            let text = |objects: &Objects, what: &Amount| {
                let call = &self.calls[what.1 as usize];
                let verb = if what.2 { "gives" } else { "takes" };
                format!("rank {} {verb} {}", about.process(call.member), objects.signatures.describe(what.0))
            };
            let (theirs, usual) = (text(objects, other), text(objects, most));
            let (a, b) = (&self.calls[other.1 as usize], &self.calls[most.1 as usize]);
            let like = if most.3 > other.3 { format!(" like {} others", most.3 - 1) } else { String::new() };
            let like = if most.3 > 2 { like } else { String::new() };
            let text = format!("In {}, {theirs}, and {usual}{like}.", about.number());
            return Some(amounts_draft(how, text, [a.place, b.place], [other.0, most.0]));
        }
        None
    }

    /// All have called the same operation, as far as they have come.
    fn is_uniform(&self) -> bool {
        self.calls.iter().all(|c| c.base == self.calls[0].base && c.variant == self.calls[0].variant)
    }

    /// Counts for each process, of those who are there: once it is all of them, or nobody else will come.
    fn tell_lists(&mut self, objects: &mut Objects, sink: &mut Sink, about: &About<'_>, is_inter: bool, first: usize) {
        let mut by_member: Vec<Option<usize>> = vec![None; about.members.len()];
        for (at, call) in self.calls.iter().enumerate() {
            if let Some(slot) = by_member.get_mut(call.member as usize) {
                *slot = Some(at);
            }
        }
        let call = |member: usize| by_member.get(member).copied().flatten().map(|at| &self.calls[at]);
        let kind = self.calls[0].place.function;
        let shape = Kinds::shape_of(kind);
        // Whom the k-th entry of a member's list is about.
        let peer = |member: usize, k: usize| if is_inter && member < first { k + first } else { k };
        let rank_of = |member: usize| if is_inter && member >= first { member - first } else { member };
        let mut found: Option<(Compared, usize, usize, Signature, Signature)> = None;
        let mut check = |objects: &mut Objects, giver: usize, given: Signature, taker: usize, taken: Signature| {
            if found.is_none()
                && let Err(how) = objects.signatures.equal(given, taken)
            {
                found = Some((how, giver, taker, given, taken));
            }
        };
        let members = about.members.len();
        match shape {
            Shape::Gatherv | Shape::Allgatherv => {
                for taker in 0..members {
                    let Some(of) = call(taker) else { continue };
                    for (k, &taken) in of.lists().takes.iter().enumerate() {
                        if let Some(&given) = call(peer(taker, k)).and_then(|c| c.lists().gives.first()) {
                            check(objects, peer(taker, k), given, taker, taken);
                        }
                    }
                }
                // In place: the lists themselves are all there is.
                if shape == Shape::Allgatherv && !is_inter {
                    self.same_lists(objects, &mut check);
                }
            }
            Shape::Scatterv => {
                for giver in 0..members {
                    let Some(of) = call(giver) else { continue };
                    for (k, &given) in of.lists().gives.iter().enumerate() {
                        if let Some(&taken) = call(peer(giver, k)).and_then(|c| c.lists().takes.first()) {
                            check(objects, giver, given, peer(giver, k), taken);
                        }
                    }
                }
            }
            Shape::Alltoallv => {
                for giver in 0..members {
                    let Some(of) = call(giver) else { continue };
                    // In place what is received is sent as well.
                    let gives = if of.is_in_place { &of.lists().takes } else { &of.lists().gives };
                    for (k, &given) in gives.iter().enumerate() {
                        let taker = peer(giver, k);
                        if let Some(&taken) = call(taker).and_then(|c| c.lists().takes.get(rank_of(giver))) {
                            check(objects, giver, given, taker, taken);
                        }
                    }
                }
            }
            Shape::ReduceScatter if !is_inter => self.same_lists(objects, &mut check),
            Shape::NeighborAlltoallv | Shape::NeighborAllgatherv => {
                for giver in 0..members {
                    let Some(of) = call(giver) else { continue };
                    let Some(topology) = &of.lists().topology else { continue };
                    for (k, &neighbour) in topology.destinations.iter().enumerate() {
                        let given = of.lists().gives.get(if shape == Shape::NeighborAllgatherv { 0 } else { k });
                        let Ok(taker) = usize::try_from(neighbour) else { continue };
                        let taken = call(taker).and_then(|c| {
                            let at = topology.edge(k, giver as i32, (neighbour, c.lists().topology.as_deref()?))?;
                            c.lists().takes.get(at)
                        });
                        if let (Some(&given), Some(&taken)) = (given, taken) {
                            check(objects, giver, given, taker, taken);
                        }
                    }
                }
            }
            _ => {}
        }
        let Some((how, giver, taker, given, taken)) = found else { return };
        let (Some(a), Some(b)) = (call(giver), call(taker)) else { return };
        let describe = |s| objects.signatures.describe(s);
        let (from, to) = (about.process(giver as u32), about.process(taker as u32));
        let (given_text, taken_text) = (describe(given), describe(taken));
        let text = if shape == Shape::ReduceScatter {
            format!(
                "In {}, rank {from} names {given_text} for a process and rank {to} names {taken_text} for the same one.",
                about.number()
            )
        } else {
            format!(
                "In {}, rank {from} gives {given_text} to rank {to}, which takes {taken_text} from it.",
                about.number()
            )
        };
        sink.add(amounts_draft(how, text, [a.place, b.place], [given, taken]));
        self.told_amounts = true;
    }

    /// All processes have the same list.
    fn same_lists(
        &self,
        objects: &mut Objects,
        check: &mut impl FnMut(&mut Objects, usize, Signature, usize, Signature),
    ) {
        let Some(first) = self.calls.iter().min_by_key(|c| c.member) else { return };
        for other in &self.calls {
            for (&a, &b) in first.lists().takes.iter().zip(&other.lists().takes) {
                check(objects, first.member as usize, a, other.member as usize, b);
            }
        }
    }
}

fn same_kind(a: &Call, b: &Call) -> bool {
    a.base == b.base
        && a.variant == b.variant
        && a.root == b.root
        && a.reduction == b.reduction
        && a.agreed == b.agreed
        && a.is_in_place == b.is_in_place
}

/// Amounts that do not fit: of what, or how much.
fn amounts_draft(how: Compared, text: String, places: [Place; 2], signatures: [Signature; 2]) -> Draft {
    let rule = match how {
        Compared::Different { .. } | Compared::Untyped => "collective.datatype",
        _ => "collective.count",
    };
    let mut draft = Draft::new(rule).text(text);
    if how == Compared::Untyped {
        draft = draft.severity(Severity::Warning).at_most(Confidence::Possible);
    }
    for (place, role) in places.into_iter().zip(["one of them", "the other"]) {
        draft.add(place, None, role);
    }
    draft.number("bytes", signatures[0].bytes as i64).number("other_bytes", signatures[1].bytes as i64)
}

impl Amounts {
    /// Whether there are several now.
    fn merge(&mut self, new: Amount) -> bool {
        match self.0.iter_mut().find(|known| known.0 == new.0) {
            Some(known) => {
                known.3 += new.3;
                if new.4 < known.4 {
                    (known.1, known.2, known.4) = (new.1, new.2, new.4);
                }
            }
            None => self.0.push(new),
        }
        self.0.len() > 1
    }
}

/// Whom a process needs before its part of an operation can be over.
pub(crate) enum Needs {
    /// All of those who have not begun and are among these.
    AllMissing,
    /// The root.
    Root(u32),
    /// Members before a place.
    Before(u32),
    /// Nobody, by the standard.
    Nobody,
}

impl Needs {
    pub fn of(pattern: Pattern, joined: &Joined) -> Needs {
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
