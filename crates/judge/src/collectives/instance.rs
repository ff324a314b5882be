//! The calls of one collective operation, compared when they come.

use super::call::{Call, Lists};
use crate::collective_traits::Kind;
use crate::signature::Signature;

/// Amounts that have to be the same, each with an example and how many processes have it.
#[derive(Default)]
pub struct Amounts(pub Vec<Amount>);

/// A signature, the call of the lowest member that has it, whether it gives, how many have it, the member.
pub type Amount = (Signature, u32, bool, u32, u32);

/// An operation that not all have begun.
#[derive(Default)]
pub struct Instance {
    pub arrived: u32,
    pub calls: Vec<Call>,
    /// Calls that are alike: places among `calls` (the first) and how many.
    pub alike: Vec<(u32, u32)>,
    /// By direction in intercommunicators.
    pub amounts: [Amounts; 2],
    pub has_news: bool,
    /// Something is to be compared when all are there.
    pub has_lists: bool,
    pub is_reported: bool,
    pub are_amounts_reported: bool,
}

impl Instance {
    /// None, with the memory that this one had.
    pub fn emptied(self) -> Instance {
        let Instance { mut calls, mut alike, mut amounts, .. } = self;
        calls.clear();
        alike.clear();
        amounts.iter_mut().for_each(|of| of.0.clear());
        Instance { calls, alike, amounts, ..Instance::default() }
    }

    pub fn add(
        &mut self,
        kind: &Kind,
        call: Call,
        amounts: [Option<Signature>; 2],
        direction: Option<usize>,
        members: u32,
    ) {
        let at = self.calls.len() as u32;
        let is_alike = |first: u32| call.is_like(&self.calls[first as usize], kind.in_place_together);
        let alike = self.alike.iter_mut().find(|(first, _)| is_alike(*first));
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
        // In an intercommunicator all may name the same root although no process passes MPI_ROOT.
        let has_roles = direction.is_some() && call.root.is_some();
        let has_some = |lists: &Lists| {
            lists.names.iter().any(|n| !n.is_empty()) || !lists.gives.is_empty() || !lists.takes.is_empty()
        };
        self.has_lists |= has_roles || call.lists.as_deref().is_some_and(has_some);
        // So far all calls may be of one group.
        self.has_news |= direction.is_some() && self.alike.len() > 1 && !self.is_reported;
        self.has_news |= self.has_lists && self.arrived == members;
        self.calls.push(call);
    }

    /// All have called the same operation, as far as they have come.
    pub fn is_uniform(&self) -> bool {
        self.calls.iter().all(|c| c.base == self.calls[0].base && c.variant == self.calls[0].variant)
    }
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
