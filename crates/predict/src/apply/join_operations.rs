//! Collective operations in a row become one operation.
//!
//! An operation of the selected calls that comes less than [`JOINED_WITHIN_NS`] after another one of them, of the same kind and without another call between them, is a part of that: it takes no time, and
//! nothing is computed between them. What more data cost is not counted.

use std::collections::VecDeque;

use mpiscope_analysis::quality::JOINED_WITHIN_NS;
use mpiscope_model::simulation::{Calls, Id, Part, Step};
use rustc_hash::FxHashMap;

use super::is;
use super::rewrite::{Rewrite, rows_between};

/// Operations whose fate is remembered for members that come later.
const MOST: usize = 1 << 16;

/// See the module.
pub(super) struct JoinOperations {
    selected: Vec<Vec<bool>>,
    /// By rank, if its last call was such an operation: the kind, and the row of the call that has become it.
    last: Vec<Option<(u32, u64)>>,
    /// Whether an operation is a part of the one before it: what holds for the first member that comes holds for all.
    parts: FxHashMap<Id, bool>,
    /// The operations in there, the oldest first.
    order: VecDeque<Id>,
    before: u64,
    after: u64,
}

impl JoinOperations {
    /// Of these calls.
    pub(super) fn new(selected: Vec<Vec<bool>>) -> JoinOperations {
        let last = vec![None; selected.len()];
        JoinOperations { selected, last, parts: FxHashMap::default(), order: VecDeque::new(), before: 0, after: 0 }
    }

    /// Whether an operation is a part of the one before it, which it is if `follows`, for the first member.
    fn is_part(&mut self, id: Id, follows: bool) -> bool {
        if let Some(is_part) = self.parts.get(&id) {
            return *is_part;
        }
        self.before += 1;
        self.after += u64::from(!follows);
        self.parts.insert(id, follows);
        self.order.push_back(id);
        if self.order.len() > MOST
            && let Some(old) = self.order.pop_front()
        {
            self.parts.remove(&old);
        }
        follows
    }
}

impl Rewrite for JoinOperations {
    fn step(&mut self, rank: usize, mut step: Step, parts: &[Part], out: &mut Calls) {
        let last = self.last.get_mut(rank).and_then(Option::take);
        let operation = match *parts {
            [Part::Enter { id, kind, .. }, Part::Leave { id: left, .. }] if id == left => Some((id, kind)),
            _ => None,
        };
        let Some((id, kind)) = operation.filter(|_| is(&self.selected, rank, step.facts)) else {
            return out.push(step, parts.iter().copied());
        };
        let before = last.filter(|&(of, _)| of == kind);
        let follows = before.is_some() && step.gap_ns < JOINED_WITHIN_NS;
        let is_part = self.is_part(id, follows);
        let row = before.filter(|_| is_part).map_or(step.row, |(_, row)| row);
        self.last[rank] = Some((kind, row));
        if !is_part {
            return out.push(step, parts.iter().copied());
        }
        // A member that was interrupted, or has made other calls meanwhile, does not compute less.
        if follows {
            step.gap_ns = 0;
        }
        (step.own_ns, step.moved_rows) = (0, rows_between(step.row, row));
        out.push(step, []);
    }

    fn end(&mut self, _: usize, _: &mut Calls) {}

    fn summary(&self) -> Result<String, String> {
        match self.before - self.after {
            0 => Err("no two of these operations follow each other within 2 µs".to_owned()),
            _ => Ok(format!("{} operations become {}", self.before, self.after)),
        }
    }
}
