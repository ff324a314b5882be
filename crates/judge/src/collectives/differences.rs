//! Findings about an operation whose calls do not match: which processes differ from most others, and how.

use super::call::Call;
use super::instance::{Amount, Instance};
use super::{NULL, ROOT};
use crate::collective_traits::{Kinds, Shape};
use crate::finding::{Confidence, Severity};
use crate::objects::{Members, Objects};
use crate::report::{CallRef, Draft, Sink, ranks};
use crate::signature::{Compared, Signature};

/// Which operation of a communicator it is.
pub fn numbered(comm: &str, persistent: Option<u32>, index: u64) -> String {
    match persistent {
        Some(which) => format!("start {} of persistent operation {} of {comm}", index + 1, which + 1),
        None => format!("operation {} of {comm}", index + 1),
    }
}

/// What texts name.
pub struct About<'a> {
    pub comm: &'a str,
    pub persistent: Option<u32>,
    pub index: u64,
    pub members: &'a Members,
}

impl About<'_> {
    fn number(&self) -> String {
        numbered(self.comm, self.persistent, self.index)
    }

    fn process(&self, member: u32) -> u32 {
        self.members.get(member as usize).copied().unwrap_or(u32::MAX)
    }
}

impl Instance {
    pub fn report(
        &mut self,
        objects: &mut Objects,
        sink: &mut Sink,
        about: &About<'_>,
        is_inter: bool,
        first_group: usize,
    ) {
        let has_all = self.arrived as usize >= about.members.len();
        if !self.is_reported && (self.alike.len() > 1 || (is_inter && has_all)) {
            self.report_calls(sink, about, is_inter, first_group);
        }
        if !self.are_amounts_reported && self.is_uniform() {
            for direction in 0..2 {
                if let Some(draft) = self.draft_amounts(direction, objects, about) {
                    sink.add(draft);
                    self.are_amounts_reported = true;
                }
            }
            if has_all && !self.are_amounts_reported {
                self.report_lists(objects, sink, about, is_inter, first_group);
            }
            if let Some(draft) = self.draft_names(about).filter(|_| !is_inter) {
                sink.add(draft);
                self.are_amounts_reported = true;
            }
        }
    }

    /// Groups that differ between their processes, and neighbours that do not list each other.
    fn draft_names(&self, about: &About<'_>) -> Option<Draft> {
        let shape = Kinds::shape_of(self.calls.first()?.place.function);
        if !matches!(shape, Shape::Group | Shape::Edges) || (self.arrived as usize) < about.members.len() {
            return None;
        }
        let mut calls: Vec<&Call> = self.calls.iter().collect();
        calls.sort_by_key(|c| c.member);
        let rank = |call: &Call| about.process(call.member);
        let spelled = |list: &[u64]| {
            let list: Vec<String> = list.iter().take(16).map(u64::to_string).collect();
            format!("{{{}}}", list.join(", "))
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
                        "rank {} passes the group {mine}, but rank {}, which is in it, passes {theirs}",
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
                        "rank {0} lists rank {1} {many} × as a {role}, but rank {1} lists rank {0} {few} × as a {other_role}",
                        rank(call),
                        rank(other)
                    );
                    return draft(text, call, other);
                }
            }
        }
        None
    }

    fn report_calls(&mut self, sink: &mut Sink, about: &About<'_>, is_inter: bool, first_group: usize) {
        // The most frequent call is taken as the intended one; of several, that of the lowest member. In an intercommunicator
        // each group has its own.
        let is_first = |c: &Call| (c.member as usize) < first_group;
        let same_group = |a: &Call, b: &Call| !is_inter || is_first(a) == is_first(b);
        let roots = |c: &Call| c.root.filter(|&r| r >= 0);
        let mut calls: Vec<&Call> = self.calls.iter().collect();
        calls.sort_by_key(|c| c.member);
        let mut kinds: Vec<Vec<&Call>> = Vec::new();
        for call in calls {
            match kinds.iter_mut().find(|kind| call.is_like(kind[0], true) && same_group(kind[0], call)) {
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
            let whose = if is_majority { ", unlike most;" } else { ", but" };
            let text = format!(
                "In {}, {} {} {theirs}{whose} {} {} {usual}.",
                about.number(),
                ranks(&them),
                verb(&them),
                ranks(&us),
                verb(&us),
            );
            let mut draft = Draft::new(rule).text(text).number("operation", about.index as i64 + 1);
            draft.add(other.place, None, if is_majority { "differs from most" } else { "one of them" });
            draft.add(most.place, None, if is_majority { "one of most" } else { "the other" });
            sink.add(draft);
            self.is_reported = true;
        }
        if !is_inter || self.is_reported {
            return;
        }
        // The one that the other group names passes MPI_ROOT.
        for named in self.calls.iter().filter(|c| roots(c).is_some()) {
            let place = roots(named).unwrap_or(0) as usize + if is_first(named) { first_group } else { 0 };
            let Some(root) = self.calls.iter().find(|c| c.member as usize == place) else { continue };
            if root.root != Some(ROOT) {
                let text = format!(
                    "In {}, rank {} names rank {} as the root, but that rank does not pass MPI_ROOT.",
                    about.number(),
                    about.process(named.member),
                    about.process(root.member)
                );
                let draft = Draft::new("collective.group-roles").text(text);
                sink.add(draft.party(root.place, "is named as the root").party(named.place, "names the root"));
                self.is_reported = true;
                return;
            }
        }
        if (self.arrived as usize) < about.members.len() {
            return;
        }
        // Only one process passes MPI_ROOT, and none of the other group passes MPI_PROC_NULL.
        let mut calls: Vec<&Call> = self.calls.iter().collect();
        calls.sort_by_key(|c| c.member);
        let Some(root) = calls.iter().find(|c| c.root == Some(ROOT)) else { return };
        let away = |c: &&&Call| is_first(c) != is_first(root) && c.root == Some(NULL);
        let second = calls.iter().find(|c| c.root == Some(ROOT) && c.member != root.member);
        let Some(other) = second.or_else(|| calls.iter().find(away)) else { return };
        let (one, two) = (about.process(root.member), about.process(other.member));
        let passes = match other.root {
            Some(ROOT) => format!("ranks {one} and {two} both pass MPI_ROOT"),
            _ => format!("rank {one} passes MPI_ROOT, but rank {two} of the other group passes MPI_PROC_NULL"),
        };
        let draft = Draft::new("collective.group-roles").text(format!("In {}, {passes}.", about.number()));
        sink.add(draft.party(root.place, "passes MPI_ROOT").party(other.place, "the other"));
        self.is_reported = true;
    }

    fn draft_amounts(&self, direction: usize, objects: &mut Objects, about: &About<'_>) -> Option<Draft> {
        let all = &self.amounts[direction].0;
        let most = all.iter().max_by_key(|a| (a.3, std::cmp::Reverse(a.4)))?;
        let mut others: Vec<&Amount> = all.iter().collect();
        others.sort_by_key(|a| a.4);
        for other in others {
            let Err(how) = objects.signatures.equal(most.0, other.0) else { continue };
            let text = |objects: &Objects, what: &Amount| {
                let call = &self.calls[what.1 as usize];
                let verb = if what.2 { "contributes" } else { "receives" };
                format!("rank {} {verb} {}", about.process(call.member), objects.signatures.describe(what.0))
            };
            let (theirs, usual) = (text(objects, other), text(objects, most));
            let (a, b) = (&self.calls[other.1 as usize], &self.calls[most.1 as usize]);
            let like = if most.3 > other.3 { format!(" like {} others", most.3 - 1) } else { String::new() };
            let like = if most.3 > 2 { like } else { String::new() };
            let text = format!("In {}, {theirs}, but {usual}{like}.", about.number());
            return Some(amounts_draft(how, text, [a.place, b.place], [other.0, most.0]));
        }
        None
    }

    /// Counts for each process, of those that have arrived: once all have, or no more will come.
    pub fn report_lists(
        &mut self,
        objects: &mut Objects,
        sink: &mut Sink,
        about: &About<'_>,
        is_inter: bool,
        first: usize,
    ) {
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
                // In place: only the lists can be compared.
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
                "In {}, for one of the processes rank {from} passes {given_text}, but rank {to} passes {taken_text}.",
                about.number()
            )
        } else {
            format!(
                "In {}, rank {from} sends {given_text} to rank {to}, which expects {taken_text} from it.",
                about.number()
            )
        };
        sink.add(amounts_draft(how, text, [a.place, b.place], [given, taken]));
        self.are_amounts_reported = true;
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

/// Amounts that do not match: datatypes or counts.
fn amounts_draft(how: Compared, text: String, places: [CallRef; 2], signatures: [Signature; 2]) -> Draft {
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
