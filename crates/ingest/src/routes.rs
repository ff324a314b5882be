//! Converts a rank's numbers of streams to those of the run.

use mpiscope_store::CommId;

use crate::messages::{Key, Matcher};
use crate::rank::RankState;
use crate::streams::Stream;

/// Routes of one rank, by its own numbers.
#[derive(Default)]
pub(crate) struct Routes {
    pub sends: Vec<u32>,
    pub receives: Vec<u32>,
    /// What its parts in collective operations are counted with.
    pub spaces: Vec<u32>,
}

impl Routes {
    /// Streams that `rank` has named since the last time.
    pub fn extend(&mut self, rank: u32, state: &RankState, matcher: &mut Matcher) {
        let mut route =
            |Stream { comm, tag, .. }: Stream, sender, receiver| matcher.lane(Key { comm, sender, receiver, tag });
        self.sends.extend(state.sends()[self.sends.len()..].iter().map(|&s| route(s, rank, s.peer)));
        self.receives.extend(state.receives()[self.receives.len()..].iter().map(|&s| route(s, s.peer, rank)));
    }

    /// Spaces that it has named since the last time.
    pub fn spaces(&mut self, state: &RankState, mut number: impl FnMut(CommId, u64) -> u32) {
        self.spaces.extend(state.spaces()[self.spaces.len()..].iter().map(|&(comm, space)| number(comm, space)));
    }
}
