//! How fast the run could be on its machine: transfers, collective operations and the exchange of a grid beside the curves of a machine
//! profile.
//!
//! Whoever has the profile makes a [`Reference`] of it: this crate reads no files.

mod exchange;
mod operations;
pub mod reference;
mod saturation;
mod shapes;
mod sums;
#[cfg(test)]
mod tests;
mod transfers;

use std::cmp::Reverse;

use mpiscope_store::{CallInfo, Dimensions};

pub use reference::Reference;
pub(crate) use saturation::RULES;

pub use crate::explanation::attainable::{Attainable, AttainableRow, Estimate, Halo, LeftOut, Shape};

use crate::analysis::{Analysis, Input};
use crate::explanation::{Explanation, Scope};
use exchange::Exchange;
use operations::Operations;
use transfers::Transfers;

/// The run beside its machine.
pub struct Comparison {
    reference: Reference,
    transfers: Transfers,
    operations: Operations,
    exchange: Exchange,
}

impl Comparison {
    /// With the curves that hold for the run.
    pub(crate) fn new(reference: Reference, scope: &Scope) -> Comparison {
        let (operations, exchange) = Default::default();
        Comparison { reference, transfers: Transfers::new(scope), operations, exchange }
    }
}

impl Analysis for Comparison {
    fn add_batch(&mut self, input: &Input<'_>) {
        for message in &input.batch.messages {
            self.transfers.message(message, &self.reference, input);
        }
        for operation in &input.batch.collectives {
            let Some(members) = input.batch.members.get(operation.members.clone()) else { continue };
            self.operations.operation(operation, members, &self.reference);
            self.transfers.saturation.operation(operation, members, &self.reference);
        }
        self.transfers.end_batch(input);
        self.exchange.add_batch(input);
    }

    fn conclude(self: Box<Self>, dimensions: &Dimensions, facts: &[Vec<CallInfo>], explanation: &mut Explanation) {
        let mut found = Attainable::default();
        self.transfers.saturation.conclude(&self.reference.places.hosts, (dimensions, facts), explanation);
        self.transfers.conclude(&self.reference, &mut found);
        self.operations.conclude(&self.reference, &mut found);
        found
            .rows
            .sort_by_key(|row| (Reverse(row.time_ns), row.what, row.pair_class, row.hops, row.ranks, row.from_bytes));
        found.left_out.sort_by_key(|left| (Reverse(left.time_ns), left.what, left.pair_class, left.hops, left.ranks));
        found.halo = self.exchange.conclude(&self.reference, (dimensions, facts), explanation);
        explanation.attainable = Some(found);
    }
}
