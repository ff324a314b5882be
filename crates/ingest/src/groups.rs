//! Groups in arguments of calls, by number, and their members.

use mpiscope_run::Run;
use mpiscope_store::{GroupId, RankId};
use mpiscope_trace::defs::Run as GroupRun;
use rustc_hash::FxHashMap;

use crate::comms::Comms;

/// Members of all groups that are spelled out, and more for each rank: as those of communicators.
const MOST_MEMBERS: usize = 1 << 20;
const MOST_MEMBERS_BY_RANK: usize = 1 << 12;

/// Groups of a run; those with the same members in the same order are one.
#[derive(Default)]
pub(crate) struct Groups {
    pub rows: Vec<Vec<RankId>>,
    numbers: FxHashMap<Vec<RankId>, GroupId>,
    room: usize,
}

impl Groups {
    pub fn new(run: &Run) -> Groups {
        Groups { room: MOST_MEMBERS + MOST_MEMBERS_BY_RANK * run.ranks.len(), ..Groups::default() }
    }

    /// The number of a group that rank `at` has defined. [`GroupId::NONE`] if not all of its members can be known: some
    /// are of another world, or there are too many of them.
    pub fn number(&mut self, comms: &Comms, at: usize, group: &[GroupRun]) -> GroupId {
        let size = group.iter().fold(0usize, |sum, run| sum.saturating_add(run.count as usize));
        if size > self.room || group.iter().any(leaves_world) {
            return GroupId::NONE;
        }
        let members = comms.members(at, group, size);
        if let Some(&known) = self.numbers.get(&members) {
            return known;
        }
        self.room -= size;
        let number = GroupId(self.rows.len() as u32);
        self.rows.push(members.clone());
        self.numbers.insert(members, number);
        number
    }
}

/// Whether some rank of a run is negative, or too large to be one.
fn leaves_world(run: &GroupRun) -> bool {
    let last = i64::from(run.start) + i64::from(run.stride) * i64::from(run.count.saturating_sub(1));
    run.start < 0 || !(0..=i64::from(i32::MAX)).contains(&last)
}
