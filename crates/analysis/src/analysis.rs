//! What an analysis is.

use mpiscope_store::{Batch, CallInfo, Dimensions};

use crate::explanation::{Explanation, Wait};

/// What an analysis sees.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// What ids stand for.
    pub dimensions: &'a Dimensions,
    /// Facts of each rank.
    pub facts: &'a [Vec<CallInfo>],
    /// The next stretch.
    pub batch: &'a Batch,
    /// Waits whose message or collective operation is in this batch, by rank and end.
    pub waits: &'a [Wait],
    /// Messages of this batch, by index, whose send cannot end before the receive is posted.
    pub blocking: &'a [u32],
}

impl<'a> Input<'a> {
    /// Before waits are known.
    pub fn without_waits(dimensions: &'a Dimensions, facts: &'a [Vec<CallInfo>], batch: &'a Batch) -> Input<'a> {
        Input { dimensions, facts, batch, waits: &[], blocking: &[] }
    }
}

/// One of the analyses.
pub trait Analysis: Send {
    /// Takes the next stretch.
    fn add_batch(&mut self, input: &Input<'_>);
    /// Writes its results into the explanation.
    fn conclude(self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation);
}
