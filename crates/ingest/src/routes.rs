//! From the numbers that a rank gives to its streams to those of the whole run.

use mpiscope_store::CommId;

use crate::messages::{Key, Matcher};
use crate::rank::RankState;
use crate::streams::Stream;

/// Who matches a stream, and its number there.
#[derive(Clone, Copy)]
pub(crate) struct Route {
    pub shard: u32,
    pub lane: u32,
}

/// Routes of one rank, by its own numbers.
#[derive(Default)]
pub(crate) struct Routes {
    pub sends: Vec<Route>,
    pub receives: Vec<Route>,
    /// What its parts in collective operations are counted with.
    pub spaces: Vec<u32>,
}

impl Routes {
    /// Streams that `rank` has named since the last time.
    pub fn extend(&mut self, rank: u32, state: &RankState, matchers: &mut [Matcher]) {
        let mut route = |Stream { comm, tag, .. }: Stream, sender: u32, receiver: u32| {
            let shard = receiver as usize % matchers.len();
            let lane = matchers[shard].lane(Key { comm, sender, receiver, tag });
            Route { shard: shard as u32, lane }
        };
        self.sends.extend(state.sends()[self.sends.len()..].iter().map(|&s| route(s, rank, s.peer)));
        self.receives.extend(state.receives()[self.receives.len()..].iter().map(|&s| route(s, s.peer, rank)));
    }

    /// Spaces that it has named since the last time.
    pub fn spaces(&mut self, state: &RankState, mut number: impl FnMut(CommId, u64) -> u32) {
        self.spaces.extend(state.spaces()[self.spaces.len()..].iter().map(|&(comm, space)| number(comm, space)));
    }
}
