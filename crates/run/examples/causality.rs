//! Messages of `MPI_Send` and `MPI_Recv` on the clock of one host: does any arrive before it was sent?
//!
//!     cargo run --release -p mpiscope-run --example causality -- RUN
//!
//! Prints one JSON object. The k-th message from one rank to another is the k-th that the other receives from it: for
//! programs with one tag between two ranks that keep all their events.

use std::collections::BTreeMap;
use std::path::Path;

use mpiscope_run::{Clocks, Live, Run};

/// Times on the common clock, with their errors, ns.
type Moments = Vec<(i64, u64)>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("which run?")?;
    let run = Run::open(Path::new(&path), &Live::default())?;
    let (clocks, _) = Clocks::read(&run);
    // By sender and receiver: begin of each send, end of each receive, with the error of the clock.
    let mut messages: BTreeMap<(i32, i32), [Moments; 2]> = BTreeMap::new();
    for rank in &run.ranks {
        let map = clocks.map(rank.host()).ok_or("a host without a clock")?;
        rank.events(|event| {
            let shape = event.shape;
            let (pair, at_ns, side) = match mpiscope_abi::name(shape.function) {
                "MPI_Send" => ((rank.rank(), shape.world_peer), event.start_ns, 0),
                "MPI_Recv" => ((shape.world_peer, rank.rank()), event.end_ns, 1),
                _ => return,
            };
            let moment = map.to_reference(at_ns);
            messages.entry(pair).or_default()[side].push((moment.ns, moment.error_ns.unwrap_or(u64::MAX)));
        })?;
    }
    let (mut count, mut early, mut beyond, mut unmatched) = (0u64, 0u64, 0u64, 0u64);
    let (mut least_ns, mut error_max_ns) = (i64::MAX, 0);
    for [sent, received] in messages.values() {
        unmatched += sent.len().abs_diff(received.len()) as u64;
        for (&(sent_ns, error), &(received_ns, other)) in sent.iter().zip(received) {
            let bound = error.saturating_add(other);
            count += 1;
            early += u64::from(received_ns < sent_ns);
            beyond += u64::from(received_ns.saturating_add_unsigned(bound) < sent_ns);
            least_ns = least_ns.min(received_ns - sent_ns);
            error_max_ns = error_max_ns.max(bound);
        }
    }
    println!(
        r#"{{"messages":{count},"unmatched":{unmatched},"received_before_sent":{early},"beyond_the_bound":{beyond},"least_ns":{least_ns},"error_max_ns":{error_max_ns}}}"#
    );
    Ok(())
}
