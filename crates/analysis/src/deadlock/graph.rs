//! Which ranks can still continue.
//!
//! A rank in a call that has not returned *needs* others: for each need, one of some ranks, or all of them, must act. Ranks
//! that compute can do anything; ranks that have left MPI, or are in `MPI_Finalize`, nothing. A rank that needs only ranks that
//! can act can itself act later. The others are stuck: they remain when all ranks that can continue are removed, repeatedly. The
//! judge of checked processes does the same while the program runs; here the recording is over.

use std::collections::VecDeque;

/// Something that must happen before a call can return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// Of these ranks (indices) …
    pub who: Vec<u32>,
    /// … all have to act, or one.
    pub all: bool,
}

/// What a rank can do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Anything, as far as is known.
    #[default]
    Free,
    /// Nothing that helps others: it has left MPI.
    Gone,
    /// Nothing before its needs are met: all of them, or one if `is_any`.
    Waits { needs: Vec<Need>, is_any: bool },
}

impl Need {
    /// Whether ranks that are not stuck can meet it.
    fn can_be_met(&self, is_stuck: &[bool]) -> bool {
        let mut acts = self.who.iter().map(|&who| !is_stuck.get(who as usize).copied().unwrap_or(false));
        if self.all { acts.all(|acts| acts) } else { acts.any(|acts| acts) }
    }
}

impl State {
    fn can_be_helped(&self, is_stuck: &[bool]) -> bool {
        match self {
            State::Free => true,
            State::Gone => false,
            State::Waits { needs, is_any: false } => needs.iter().all(|need| need.can_be_met(is_stuck)),
            State::Waits { needs, is_any: true } => needs.iter().any(|need| need.can_be_met(is_stuck)),
        }
    }

    /// All ranks that it needs.
    pub fn needs(&self) -> impl Iterator<Item = u32> + '_ {
        let needs: &[Need] = if let State::Waits { needs, .. } = self { needs } else { &[] };
        needs.iter().flat_map(|need| need.who.iter().copied())
    }
}

/// The ranks that cannot continue; those that are [`State::Gone`] are among them.
pub(super) fn stuck(states: &[State]) -> Vec<bool> {
    let mut is_stuck: Vec<bool> = states.iter().map(|state| *state != State::Free).collect();
    // By rank: the ranks that need it.
    let mut needed_by: Vec<Vec<u32>> = vec![Vec::new(); states.len()];
    for (at, state) in states.iter().enumerate() {
        for who in state.needs() {
            if let Some(list) = needed_by.get_mut(who as usize)
                && list.last() != Some(&(at as u32))
            {
                list.push(at as u32);
            }
        }
    }
    let mut look: VecDeque<u32> = (0..states.len() as u32).collect();
    while let Some(at) = look.pop_front() {
        if is_stuck[at as usize] && states[at as usize].can_be_helped(&is_stuck) {
            is_stuck[at as usize] = false;
            look.extend(&needed_by[at as usize]);
        } else if states[at as usize] == State::Free {
            look.extend(needed_by[at as usize].iter().filter(|&&by| is_stuck[by as usize]));
        }
    }
    is_stuck
}

/// Stuck ranks of which each needs the next and the last needs the first, the smallest rank first; the shortest such ring
/// through the smallest rank that is in one.
pub(super) fn cycle(states: &[State], is_stuck: &[bool]) -> Option<Vec<u32>> {
    // Following needs from a stuck rank for long enough ends in a ring, or at a rank that has left MPI.
    let stuck = |at: u32| is_stuck.get(at as usize) == Some(&true) && states[at as usize] != State::Gone;
    let mut seen = vec![u32::MAX; states.len()];
    for start in (0..states.len() as u32).filter(|&at| stuck(at)) {
        let mut at = start;
        while seen[at as usize] == u32::MAX {
            seen[at as usize] = start;
            match states[at as usize].needs().find(|&next| stuck(next)) {
                Some(next) => at = next,
                None => break,
            }
        }
        if seen[at as usize] == start
            && let Some(ring) = ring_through(states, at, &stuck)
        {
            let least = ring.iter().enumerate().min_by_key(|&(_, rank)| rank).map_or(0, |(place, _)| place);
            return Some(ring[least..].iter().chain(&ring[..least]).copied().collect());
        }
    }
    None
}

/// The shortest ring through `start`.
fn ring_through(states: &[State], start: u32, stuck: &dyn Fn(u32) -> bool) -> Option<Vec<u32>> {
    let mut before = vec![u32::MAX; states.len()];
    let mut look = VecDeque::from([start]);
    while let Some(at) = look.pop_front() {
        for next in states[at as usize].needs().filter(|&next| stuck(next)) {
            if next == start {
                let mut ring = vec![at];
                while *ring.last()? != start {
                    ring.push(before[*ring.last()? as usize]);
                }
                ring.reverse();
                return Some(ring);
            }
            if before[next as usize] == u32::MAX {
                before[next as usize] = at;
                look.push_back(next);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(who: u32) -> Need {
        Need { who: vec![who], all: true }
    }
    fn all(needs: Vec<Need>) -> State {
        State::Waits { needs, is_any: false }
    }

    #[test]
    fn rings_and_chains() {
        // 0 and 1 for each other, 2 for 0, 3 for 4 who computes.
        let states = [all(vec![one(1)]), all(vec![one(0)]), all(vec![one(0)]), all(vec![one(4)]), State::Free];
        let found = stuck(&states);
        assert_eq!(found, [true, true, true, false, false]);
        assert_eq!(cycle(&states, &found), Some(vec![0, 1]));
        // Who waits for somebody who has left is stuck without a ring.
        let states = [all(vec![one(1)]), State::Gone];
        let found = stuck(&states);
        assert_eq!((found[0], cycle(&states, &found)), (true, None));
    }

    #[test]
    fn one_of_several_is_enough() {
        let any = Need { who: vec![1, 2], all: false };
        let states = [all(vec![any.clone()]), all(vec![one(0)]), State::Free];
        assert_eq!(stuck(&states), [false, false, false]);
        let states = [all(vec![any]), all(vec![one(0)]), all(vec![one(1)])];
        assert_eq!(stuck(&states), [true, true, true]);
        let states = [State::Waits { needs: vec![one(1), one(2)], is_any: true }, all(vec![one(0)]), State::Free];
        assert_eq!(stuck(&states), [false, false, false]);
    }

    #[test]
    fn the_ring_begins_with_its_smallest_rank() {
        let states = [all(vec![one(3)]), all(vec![one(2)]), all(vec![one(3)]), all(vec![one(1)])];
        let found = stuck(&states);
        assert_eq!(cycle(&states, &found), Some(vec![1, 2, 3]));
    }
}
