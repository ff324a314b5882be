//! `queue`: how long an MPI looks for the match of a message, if many others wait that do not match.
//!
//! An MPI compares each message that arrives with the posted receives, in their order, and each new receive with the unexpected messages. MPIs that
//! keep them in lists need time for every entry in front of the one that matches. The leader's queue is filled with entries of another tag;
//! then a message goes there and back. Each round trip looks through the whole queue once.
//!
//! Unexpected messages also need memory, and at some number of them a sender has to wait until the receiver calls MPI: both are tried.
//!
//! Source: Underwood and Brightwell, *The Impact of MPI Queue Usage on Message Latency* (2004).

mod ends;
mod parameters;
mod unexpected;

use std::time::Duration;

use crate::error::BenchError;
use crate::experiment::{AxisOf, Experiment, Numbers, Rows, Table};
use crate::pairwise::pairwise;
use crate::rounds::Together;
use crate::schedule::Place;
use crate::session::Session;
use ends::{Ends, QUEUES, Queue};

pub const EXPERIMENT: Experiment = Experiment {
    id: "queue",
    what: "a message between two ranks, there and back, while the first has up to 4,096 posted receives or unexpected messages of another tag",
    measures: "time of the round trip by length of the queue",
    parameters: "time for each entry of a queue; memory for each unexpected message; how many messages a sender sends before it waits for a receiver that is not in MPI",
    source: "Underwood and Brightwell, The Impact of MPI Queue Usage on Message Latency (2004)",
    fewest_ranks: 2,
    weight: 1,
    is_standard: true,
    run,
    parameters_of: parameters::parameters,
    axis: |_| AxisOf { name: "entries", unit: "entries" },
    table: Table { numbers: Numbers::Times, rows: Rows::Places(head), shown: |_, _| true },
};

/// Entries of the queue.
const DEPTHS: [u64; 7] = [1, 4, 16, 64, 256, 1024, 4096];

fn head(series: &str) -> &'static str {
    let queue = QUEUES.into_iter().find(|queue| queue.series() == series);
    queue.map_or("", Queue::head)
}

fn run(session: &mut Session) -> Result<(), BenchError> {
    let cases: Vec<(Queue, u64)> =
        QUEUES.into_iter().flat_map(|queue| DEPTHS.into_iter().map(move |depth| (queue, depth))).collect();
    let place = |&(queue, depth): &(Queue, u64)| Place { series: queue.series().to_owned(), x: depth, moved: 0.0 };
    let places: Vec<Place> = cases.iter().map(place).collect();
    pairwise(session, &places, &mut |session, end| {
        let mut ends = Ends::new(session.mpi, end)?;
        // Only the leader, which receives, records what is found.
        for (id, value) in unexpected::facts(&mut ends, session.plan.max_bytes)?.into_iter().filter(|_| end.is_leader) {
            session.fact(end.scope, &id, value);
        }
        Ok(Work { ends, cases: cases.clone() })
    })
}

struct Work<'a> {
    ends: Ends<'a>,
    cases: Vec<(Queue, u64)>,
}

impl Together for Work<'_> {
    fn verify(&mut self, at: usize) -> Result<(), BenchError> {
        // Every byte of a queue is compared each time that it is emptied.
        self.batch(at, 1).map(|_| ())
    }

    fn batch(&mut self, at: usize, operations: u64) -> Result<Option<Duration>, BenchError> {
        let (queue, depth) = self.cases[at];
        self.ends.through(queue, depth as usize, operations).map(Some)
    }
}
