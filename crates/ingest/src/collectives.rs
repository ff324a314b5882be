//! Parts of ranks to collective operations.

use mpiscope_store::{Batch, Collective, CommId, CommRow, Member, RankId};
use rustc_hash::FxHashMap;

use crate::rank::Part;

/// Names an operation: communicator, what is counted, which one.
type Key = (u32, u64, u64);

struct Building {
    function: u32,
    root: RankId,
    members: Vec<Member>,
}

/// Operations that are not complete yet.
#[derive(Default)]
pub(crate) struct Collectives {
    building: FxHashMap<Key, Building>,
    /// Where counting begins for those who lost the beginning: (communicator, what is counted, rank).
    begins: FxHashMap<(u32, u64), Vec<(RankId, u64)>>,
    /// Emptied lists, to be used again.
    spare: Vec<Vec<Member>>,
}

impl Collectives {
    /// What `rank` did on a communicator before `number` is lost.
    pub fn begins_at(&mut self, rank: RankId, comm: CommId, space: u64, number: u64) {
        self.begins.entry((comm.0, space)).or_default().push((rank, number));
    }

    /// Adds a rank's part; an operation that is complete goes into the batch.
    pub fn add(&mut self, part: Part, comms: &[CommRow], out: &mut Batch) {
        let key = (part.comm.0, part.space, part.index);
        let spare = &mut self.spare;
        let building = self.building.entry(key).or_insert_with(|| Building {
            function: part.function,
            root: part.root,
            members: spare.pop().unwrap_or_default(),
        });
        if building.root == RankId::NONE {
            building.root = part.root;
        }
        building.members.push(part.member);
        let Some(row) = part.comm.index().and_then(|i| comms.get(i)) else { return };
        let here = building.members.len();
        let absent = self.begins.get(&(key.0, key.1)).map_or(0, |b| b.iter().filter(|(_, n)| *n > key.2).count());
        let recorded = row.members.iter().filter(|m| m.is_some()).count();
        if here + absent >= recorded
            && let Some(done) = self.building.remove(&key)
        {
            self.put(key, done, row, out);
        }
    }

    fn put(&mut self, key: Key, mut done: Building, row: &CommRow, out: &mut Batch) {
        done.members.sort_unstable_by_key(|m| m.rank);
        let begin = out.members.len();
        out.members.append(&mut done.members);
        out.collectives.push(Collective {
            comm: CommId(key.0),
            index: key.2,
            function: done.function,
            root: done.root,
            members: begin..out.members.len(),
            missing: row.members.len().saturating_sub(out.members.len() - begin) as u32,
        });
        self.spare.push(done.members);
    }

    /// The end: what is not complete goes out as it is.
    pub fn finish(&mut self, comms: &[CommRow], out: &mut Batch) {
        let mut left: Vec<(Key, Building)> = self.building.drain().collect();
        left.sort_by_key(|(key, _)| *key);
        for (key, building) in left {
            if let Some(row) = comms.get(key.0 as usize) {
                self.put(key, building, row, out);
            }
        }
    }
}
