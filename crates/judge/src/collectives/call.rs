//! A process's part of a collective operation, and how it differs from another's.

use mpiscope_abi::name;
use mpiscope_trace::check::event::{Part, flag};

use super::{Entering, NULL, ROOT};
use crate::collective_traits::{Kind, Shape, Variant};
use crate::objects::{Objects, Topology};
use crate::report::CallRef;
use crate::signature::Signature;

/// A process's part.
pub struct Call {
    pub member: u32,
    pub place: CallRef,
    pub variant: Variant,
    pub base: u16,
    pub root: Option<i32>,
    pub reduction: Option<std::sync::Arc<str>>,
    pub is_in_place: bool,
    /// Its arguments are wrong, and its process has reported that.
    pub is_wrong: bool,
    pub agreed: Vec<i64>,
    /// What most calls have not.
    pub lists: Option<Box<Lists>>,
}

/// Data of a call for each process.
#[derive(Default)]
pub struct Lists {
    /// Amounts: what the call's process gives and what it takes.
    pub gives: Vec<Signature>,
    pub takes: Vec<Signature>,
    /// Ranks that it names: a group or sources, and destinations.
    pub names: [Vec<u64>; 2],
    /// Of neighbourhood operations.
    pub topology: Option<std::sync::Arc<Topology>>,
}

static NO_LISTS: Lists =
    Lists { gives: Vec::new(), takes: Vec::new(), names: [const { Vec::new() }; 2], topology: None };

impl Call {
    pub fn lists(&self) -> &Lists {
        self.lists.as_deref().unwrap_or(&NO_LISTS)
    }

    pub fn lists_mut(&mut self) -> &mut Lists {
        self.lists.get_or_insert_default()
    }

    /// Signatures that have to be the same everywhere: what is given, what is taken.
    pub fn amounts(
        &mut self,
        kind: &Kind,
        objects: &Objects,
        e: &Entering<'_>,
        is_root: bool,
    ) -> [Option<Signature>; 2] {
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

    /// Whether two calls agree in everything that must be equal; whether both are in place matters only for some operations.
    pub fn is_like(&self, other: &Call, asks_in_place: bool) -> bool {
        self.base == other.base
            && self.variant == other.variant
            && self.root == other.root
            && self.reduction == other.reduction
            && same(&self.agreed, &other.agreed)
            && (!asks_in_place || self.is_in_place == other.is_in_place)
    }

    /// How a call differs from another one; the rule, and what each has.
    /// Wrong arguments of only one call are no difference.
    pub fn differs(
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
        // In some operations the groups of an intercommunicator have different values.
        if (is_inter && !same_group) || self.is_wrong || other.is_wrong {
            return None;
        }
        let n = self.agreed.len().min(other.agreed.len());
        let first = (0..n).find(|&i| self.agreed[i] != other.agreed[i]);
        if let Some(at) = first.or((self.agreed.len() != other.agreed.len()).then_some(n)) {
            let names = mpiscope_trace::check::agreed::names(name(self.base.into()));
            let what = names.get(at).or(names.last()).copied().unwrap_or("an argument");
            let value = |c: &Call, one: &str| match (c.agreed.get(at), what) {
                // Only a hash is known.
                (Some(_), "filename" | "datarep") => format!("{one} {what}"),
                (Some(value), "win" | "fh") => format!("{what} number {value}"),
                (Some(value), _) => format!("{value} as {what}"),
                (None, _) => format!("no {what}"),
            };
            return Some(("collective.argument", value(self, "one"), value(other, "another")));
        }
        None
    }
}

/// Most have none: glibc's comparison of nothing reads, behind a mask, where an empty list points, and where no page is
/// that takes longer than the rest of the call.
fn same(a: &[i64], b: &[i64]) -> bool {
    a.len() == b.len() && (a.is_empty() || a == b)
}

pub fn called(call: &Call) -> String {
    name(call.place.function.into()).to_owned()
}
