//! Which calls send and receive messages that a change has aggregated, for the run that is written.
//!
//! The call that sent the last of them sends all of them, with its own arguments except for the number of bytes. Its receiver takes all of them where it
//! posted the receive of the first of them, with the arguments of the receive of the last one, so that both ends match. Any other choice could match
//! messages that the run does not have: the last one keeps its place among the messages with its tag.
//!
//! A receive is known only when its sender's calls are, and these may come in a later section: what a rank does waits for that
//! ([`Joined::is_settled`]).

use mpiscope_abi::role::Role;
use mpiscope_model::simulation::{Calls, Id, Part, Step};
use mpiscope_store::{CallInfo, Dimensions, flags};
use rustc_hash::FxHashMap;

/// One end of the messages of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Bytes of all of them.
    pub bytes: u64,
    /// The other rank, as a rank of `MPI_COMM_WORLD`.
    pub world_rank: i32,
    /// Whether they are several messages that have become one.
    pub is_joined: bool,
}

/// A call that the recorded run has with other messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carries {
    /// What it sends.
    pub out: Option<End>,
    /// What it receives.
    pub into: Option<End>,
}

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It stays as it was.
    Stays,
    /// The call with this row takes place here, with other messages; its own does not occur unless it is this one.
    Carries(u64, Carries),
    /// It does not occur: the call with this row does what it did.
    Gone(u64),
}

/// Messages that became one.
struct Group {
    members: Vec<Id>,
    /// Where its receive was posted: the row of the receive of the last one, once it is.
    posted: Option<u64>,
    /// Receives that are still to come.
    left: usize,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Joined {
    /// By the message that carries the others.
    groups: FxHashMap<Id, Group>,
    /// By message: what carries it, if another one or itself carries several.
    sent: FxHashMap<Id, Option<Id>>,
    /// By message: the call that receives it.
    received: FxHashMap<Id, Received>,
}

#[derive(Clone, Copy)]
struct Received {
    row: u64,
    facts: u32,
    bytes: u64,
}

/// What a call begins.
pub(crate) fn begun(calls: &Calls, step: &Step) -> Vec<Part> {
    let begins = |part: &&Part| matches!(part, Part::Send { .. } | Part::Receive { .. } | Part::Inside { .. });
    calls.parts_of(step).iter().filter(begins).copied().collect()
}

impl Joined {
    /// Notes what a call begins.
    pub fn add(&mut self, step: &Step, begun: &[Part]) {
        for part in begun {
            match *part {
                Part::Receive { id, bytes, .. } => {
                    self.received.insert(id, Received { row: step.row, facts: step.facts, bytes });
                }
                Part::Send { id, .. } => {
                    self.sent.entry(id).or_insert(None);
                }
                Part::Inside { id, carrier } => {
                    let group = self.groups.entry(carrier).or_insert_with(|| Group {
                        members: vec![carrier],
                        posted: None,
                        left: 1,
                    });
                    group.members.push(id);
                    group.left += 1;
                    self.sent.insert(carrier, Some(carrier));
                    self.sent.insert(id, Some(carrier));
                }
                _ => {}
            }
        }
    }

    /// Whether all is known of what a call receives.
    pub fn is_settled(&self, begun: &[Part]) -> bool {
        begun.iter().all(|part| match part {
            Part::Receive { id, .. } => match self.sent.get(id) {
                None => false,
                Some(None) => true,
                Some(Some(carrier)) => {
                    let mut members = self.groups.get(carrier).into_iter().flat_map(|group| &group.members);
                    members.all(|id| self.received.contains_key(id))
                }
            },
            _ => true,
        })
    }

    /// What becomes of a call of a rank with these facts that [is settled](Joined::is_settled). `later` are the rows of its next calls, with what they begin.
    ///
    /// # Errors
    ///
    /// If no call of MPI does what it would have to do.
    pub fn fate<'a>(
        &mut self,
        (step, begun): (&Step, &[Part]),
        (facts, dimensions): (&[CallInfo], &Dimensions),
        later: impl Iterator<Item = (u64, &'a [Part])>,
    ) -> Result<Fate, String> {
        let role = facts.get(step.facts as usize).map(|info| info.role);
        let world = |rank: u32| dimensions.ranks.get(rank as usize).map_or(0, |row| row.world_rank);
        if step.moved_rows != 0 {
            return match begun {
                [] => Ok(Fate::Gone(step.row.wrapping_add_signed(step.moved_rows.into()))),
                _ => Err(with_name(facts, step.facts, "would send some of its messages, and others not")),
            };
        }
        let (mut out, mut into, mut receives, mut sends) = (None, None, 0, 0);
        let mut base = step.row;
        let mut skipped = None;
        for part in begun {
            match *part {
                Part::Send { id, to, bytes, .. } => {
                    sends += 1;
                    let is_joined =
                        begun.iter().any(|part| matches!(part, Part::Inside { carrier, .. } if *carrier == id));
                    out = Some(End { bytes, world_rank: world(to), is_joined });
                }
                Part::Receive { id, from, bytes } => match self.sent.remove(&id).flatten() {
                    None => {
                        self.received.remove(&id);
                        receives += 1;
                        into = Some(End { bytes, world_rank: world(from), is_joined: false });
                    }
                    Some(carrier) => {
                        let Some(group) = self.groups.get_mut(&carrier) else { continue };
                        group.left -= 1;
                        let is_over = group.left == 0;
                        match group.posted {
                            Some(row) => skipped = Some(row),
                            None => {
                                let all: Vec<Received> =
                                    group.members.iter().filter_map(|id| self.received.get(id).copied()).collect();
                                let last = all.last().copied().unwrap_or(Received { row: step.row, facts: 0, bytes });
                                (base, group.posted) = (last.row, Some(last.row));
                                is_like(facts, &all)?;
                                receives += 1;
                                let bytes = all.iter().map(|of| of.bytes).sum();
                                into = Some(End { bytes, world_rank: world(from), is_joined: true });
                            }
                        }
                        if is_over && let Some(group) = self.groups.remove(&carrier) {
                            group.members.iter().for_each(|id| _ = self.received.remove(id));
                        }
                    }
                },
                _ => {}
            }
        }
        let is_joined = |end: Option<End>| end.is_some_and(|end| end.is_joined);
        if !is_joined(out) && !is_joined(into) && skipped.is_none() {
            return Ok(Fate::Stays);
        }
        let has_both = matches!(role, Some(Role::SendReceive));
        let is_one = match has_both {
            true => sends == 1 && receives == 1 && base == step.row,
            false => sends + receives <= 1 && role != Some(Role::Start),
        };
        if !is_one {
            return Err(with_name(
                facts,
                step.facts,
                "would send or receive several messages, or a part of its messages",
            ));
        }
        if let Some(row) = skipped.filter(|_| receives == 0 && sends == 0) {
            return Ok(Fate::Gone(row));
        }
        // Until the place of the receive whose arguments it has, no other one of the same sender may be posted: it would take the messages.
        if base != step.row {
            let from = into.map(|end| end.world_rank);
            for (_, begun) in later.take_while(|(row, _)| *row != base) {
                let other = begun.iter().any(|part| match part {
                    Part::Receive { id, from: other, .. } => {
                        Some(world(*other)) == from && self.sent.get(id).copied().flatten().is_none()
                    }
                    _ => false,
                });
                if other {
                    return Err("receivers post receives of other messages of the same rank in between".to_owned());
                }
            }
        }
        Ok(Fate::Carries(base, Carries { out, into }))
    }
}

fn with_name(facts: &[CallInfo], call: u32, what: &str) -> String {
    let name = facts.get(call as usize).map_or("", |info| mpiscope_abi::name(info.function));
    format!("a call of {name} {what}")
}

/// Whether one receive can take the place of all of these.
fn is_like(facts: &[CallInfo], all: &[Received]) -> Result<(), String> {
    let infos = || all.iter().filter_map(|of| facts.get(of.facts as usize));
    let blocking = infos().filter(|info| info.flags & flags::NON_BLOCKING == 0).count();
    if blocking != 0 && blocking != infos().count() {
        return Err("some of the messages are received by blocking calls, and others by non-blocking ones".to_owned());
    }
    if infos().any(|info| info.role == Role::MatchedReceive) {
        return Err("its receiver probes each message (MPI_Mprobe)".to_owned());
    }
    // What such a receive has received is in the status of its completion, which may be that of another message.
    if blocking == 0 && infos().any(|info| info.flags & (flags::ANY_SOURCE | flags::ANY_TAG) != 0) {
        return Err("non-blocking receives take messages from any source or with any tag".to_owned());
    }
    Ok(())
}
