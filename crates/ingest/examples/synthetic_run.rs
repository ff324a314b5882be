//! A run of any number of ranks without an MPI, for the viewer's journeys and for `bench/run.py page`:
//!
//! ```text
//! synthetic_run DIR RANKS ROUNDS
//! ```
//!
//! Ranks on nodes of 64 send round a ring and reduce in each round; rank 4711 (or the last) computes longer, so that the
//! others wait for it. One rank alone calls MPI_Barrier on a communicator of its own, once: it must not vanish.

use std::fmt::Write;
use std::path::Path;

use mpiscope_ingest::testing;

const OF_NODE: u64 = 64;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [place, ranks, rounds] = &words[..] else { panic!("synthetic_run DIR RANKS ROUNDS") };
    let (ranks, rounds): (u64, u64) = (ranks.parse().expect("RANKS"), rounds.parse().expect("ROUNDS"));
    std::fs::create_dir_all(place).expect("a folder");
    testing::write(&text(ranks, rounds), Path::new(place));
}

fn text(ranks: u64, rounds: u64) -> String {
    let mut text = String::new();
    let late = 4711.min(ranks - 1);
    let rare = ranks * 2 / 3;
    for node in 0..ranks.div_ceil(OF_NODE) {
        let on_it: Vec<String> =
            (node * OF_NODE..((node + 1) * OF_NODE).min(ranks)).map(|rank| rank.to_string()).collect();
        let _ = writeln!(text, "host node{node:03} = {}", on_it.join(","));
    }
    let _ = writeln!(text, "comm 2 = {rare}");
    for round in 0..rounds {
        let begin = 1000 * round;
        for rank in 0..ranks {
            // Always the same, and not all alike.
            let jitter = (rank * 2_654_435_761 + round * 40_503) % 97;
            let at = begin + jitter + if rank == late { 400 } else { 0 };
            let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            let bytes = 8 << (round % 12);
            let _ = writeln!(text, "{rank} {at} {} Irecv from={before} tag=1 bytes={bytes} request=1 site=1", at + 4);
            let _ =
                writeln!(text, "{rank} {} {} Send to={next} tag=1 bytes={bytes} site=2", at + 8, at + 20 + jitter / 8);
            let sent = begin + (before * 2_654_435_761 + round * 40_503) % 97 + if before == late { 400 } else { 0 };
            let end = (at + 60).max(sent + 40);
            let _ = writeln!(text, "{rank} {} {end} Waitall requests=1 status={before}:1:{bytes} site=3", at + 40);
            if rank == rare && round == rounds / 2 {
                let _ = writeln!(text, "{rank} {} {} Barrier comm=2 site=5", end + 1, end + 2);
            }
            let _ =
                writeln!(text, "{rank} {} {} Allreduce bytes=8 site=4", end + 10 + jitter, begin + 900 + jitter % 7);
        }
    }
    text
}
