//! Combines the parts of ranks to collective operations.

use mpiscope_store::{Batch, Collective, CommId, CommRow, Member, RankId};
use rustc_hash::FxHashMap;

use crate::ordered::Ordered;
use crate::rank::Part;

struct Building {
    function: u32,
    root: RankId,
    members: Vec<Member>,
}

/// Operations of a communicator that are counted together, and those of them that are not complete yet.
struct Sequence {
    comm: CommId,
    space: u64,
    /// Members of the communicator that were recorded, and all of them.
    recorded: usize,
    size: usize,
    /// Where counting begins for members who lost the beginning, in order.
    begins: Vec<u64>,
    building: Ordered<Building>,
}

impl Sequence {
    /// Members who lost their part in operation `index`.
    fn absent(&self, index: u64) -> usize {
        self.begins.len() - self.begins.partition_point(|&begin| begin <= index)
    }
}

/// Operations that are not complete yet.
#[derive(Default)]
pub(crate) struct Collectives {
    numbers: FxHashMap<(CommId, u64), u32>,
    sequences: Vec<Sequence>,
    /// Emptied lists, to be used again.
    spare: Vec<Vec<Member>>,
}

impl Collectives {
    /// The number of what is counted together on a communicator.
    pub fn sequence(&mut self, comm: CommId, space: u64, comms: &[CommRow]) -> u32 {
        *self.numbers.entry((comm, space)).or_insert_with(|| {
            let members = comm.index().and_then(|i| comms.get(i)).map_or(&[][..], |row| &row.members);
            self.sequences.push(Sequence {
                comm,
                space,
                recorded: members.iter().filter(|m| m.is_some()).count(),
                size: members.len(),
                begins: Vec::new(),
                building: Ordered::default(),
            });
            self.sequences.len() as u32 - 1
        })
    }

    /// What one member did in a sequence before `number` is lost.
    pub fn begins_at(&mut self, sequence: u32, number: u64) {
        let begins = &mut self.sequences[sequence as usize].begins;
        begins.insert(begins.partition_point(|&begin| begin <= number), number);
    }

    /// Adds a rank's part; an operation that is complete goes into the batch.
    pub fn add(&mut self, sequence: u32, part: &Part, out: &mut Batch) {
        let Collectives { sequences, spare, .. } = self;
        let sequence = &mut sequences[sequence as usize];
        let at = match sequence.building.find(part.index) {
            Ok(at) => at,
            Err(at) => {
                let members = spare.pop().unwrap_or_default();
                let building = Building { function: part.function, root: part.root, members };
                sequence.building.insert(at, part.index, building);
                at
            }
        };
        let building = sequence.building.at(at);
        if building.root == RankId::NONE {
            building.root = part.root;
        }
        building.members.push(part.member);
        let here = building.members.len();
        if here + sequence.absent(part.index) >= sequence.recorded
            && let Some(done) = sequence.building.remove(at)
        {
            self.spare.push(put(sequence, part.index, done, out));
        }
    }

    /// The end: what is not complete goes out as it is.
    pub fn drain_incomplete(&mut self, out: &mut Batch) {
        self.sequences.sort_by_key(|s| (s.comm, s.space));
        for sequence in &mut self.sequences {
            for (index, building) in std::mem::take(&mut sequence.building).drain() {
                put(sequence, index, building, out);
            }
        }
    }
}

/// Into the batch; its list, emptied.
fn put(sequence: &Sequence, index: u64, mut done: Building, out: &mut Batch) -> Vec<Member> {
    done.members.sort_unstable_by_key(|m| m.rank);
    let begin = out.members.len();
    out.members.append(&mut done.members);
    out.collectives.push(Collective {
        comm: sequence.comm,
        index,
        function: done.function,
        root: done.root,
        members: begin..out.members.len(),
        missing: sequence.size.saturating_sub(out.members.len() - begin) as u32,
    });
    done.members
}
