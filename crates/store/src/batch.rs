//! A time interval of a run.

use crate::rows::{Call, Collective, Detail, Lone, Member, Message, Span, UnfinishedCall};

/// Rows of a stretch of a run, all ranks.
///
/// Calls come in order of time in each rank. A message or collective operation stands in the batch in which its
/// last part became known, which may be later than the batches with its calls.
#[derive(Debug, Default)]
pub struct Batch {
    /// Every call that returned before this moment is in this batch or an earlier one.
    pub until_ns: u64,
    /// By rank.
    pub ranks: Vec<RankBatch>,
    /// Messages whose both sides are complete.
    pub messages: Vec<Message>,
    /// Collective operations that are complete.
    pub collectives: Vec<Collective>,
    /// Their members.
    pub members: Vec<Member>,
    /// Messages with one side only. Most are known to be that in the last batch.
    pub lone: Vec<Lone>,
    /// Calls that had not returned when the recording ended, all in the last batch.
    pub open: Vec<UnfinishedCall>,
    /// Whether this is the last batch.
    pub is_last: bool,
}

/// Rows of one rank in a [`Batch`].
#[derive(Debug, Default)]
pub struct RankBatch {
    /// Row number of the first call. Rows of a rank count from 0 without gaps.
    pub first_row: u64,
    /// Calls.
    pub calls: Vec<Call>,
    /// What [`Call::detail`] points to.
    pub details: Vec<Detail>,
    /// Regions that ended.
    pub regions: Vec<Span>,
}

impl RankBatch {
    /// Takes the rows out; the memory stays.
    pub fn clear(&mut self) {
        self.first_row = 0;
        self.calls.clear();
        self.details.clear();
        self.regions.clear();
    }
}
