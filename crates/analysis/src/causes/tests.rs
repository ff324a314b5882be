//! Savings of runs small enough to compute by hand, and the replay of random ones.

use std::fmt::Write;

use mpiscope_ingest::testing::ingested;
use proptest::prelude::*;

use crate::explain::Explainer;
use crate::explanation::{Explanation, Finding};
use crate::waits::tests::properties::{steps, text};

fn explained(text: &str) -> Explanation {
    let run = ingested(text);
    let mut explainer = Explainer::new(&run.dimensions);
    run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
    explainer.finish(&run.dimensions, &run.facts)
}

fn finding<'a>(explanation: &'a Explanation, id: &str) -> &'a Finding {
    let ids: Vec<_> = explanation.findings.iter().map(|f| f.id).collect();
    explanation.findings.iter().find(|f| f.id == id).unwrap_or_else(|| panic!("no {id} in {ids:?}"))
}

/// Rounds of 10 ms; µs of each rank's begin of a barrier in them.
fn barriers(starts: &[u64]) -> String {
    let mut text = String::new();
    let last = starts.iter().max().copied().unwrap_or(0);
    for round in 0..20 {
        for (rank, start) in starts.iter().enumerate() {
            let begin = round * 10_000;
            // What follows the barrier is the same for all.
            writeln!(text, "{rank} {} {} Barrier site=1", begin + start, begin + last + 10).unwrap();
            writeln!(text, "{rank} {} {} Barrier site=2", begin + 9_000, begin + 10_000).unwrap();
        }
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_replay_reproduces_the_run(steps in steps()) {
        let found = explained(&text(&steps, 0));
        let replay = found.replay.expect("a replay");
        prop_assert_eq!(replay.recorded_ns, replay.replayed_ns);
        prop_assert_eq!(replay.recorded_ns, found.scope.end_ns - found.scope.start_ns);
        prop_assert_eq!(replay.calls_share, 1.0);
        for finding in &found.findings {
            prop_assert!(finding.savable_ns.is_none_or(|ns| ns <= found.scope.rank_time_ns), "{:?}", finding);
        }
    }
}

#[test]
fn an_imbalance_comes_first_with_its_waits_below_it() {
    // Rank 0 computes 8 ms before the barrier, the others 2, 2 and 4: the mean of 4 saves 4 ms a round.
    let found = explained(&barriers(&[8_000, 2_000, 2_000, 4_000]));
    let first = &found.findings[0];
    assert_eq!((first.id, first.caused_by), ("load_imbalance", None));
    let saved = first.savable_ns.expect("a saving") as f64;
    let share = saved / found.scope.rank_time_ns as f64;
    assert!((share - 0.4).abs() < 0.01, "{share}");
    assert_eq!(finding(&found, "wait_at_barrier").caused_by, Some("load_imbalance"));
}

#[test]
fn a_receive_that_needs_both_messages_is_no_wrong_order() {
    // Rank 1 receives from 0, which is late, and then from 2; after that it needs both.
    let mut text = String::new();
    for round in 0..20 {
        let begin = round * 10_000;
        writeln!(text, "0 {} {} Send to=1 tag=1 bytes=8", begin + 5_000, begin + 5_001).unwrap();
        writeln!(text, "2 {} {} Send to=1 tag=1 bytes=8", begin + 1_000, begin + 1_001).unwrap();
        writeln!(text, "1 {} {} Recv from=0 tag=1 bytes=8 site=1", begin + 500, begin + 5_002).unwrap();
        writeln!(text, "1 {} {} Recv from=2 tag=1 bytes=8 site=2", begin + 5_003, begin + 5_004).unwrap();
        for rank in 0..3 {
            writeln!(text, "{rank} {} {} Barrier site=3", begin + 9_000, begin + 10_000).unwrap();
        }
    }
    let found = explained(&text);
    assert!(found.findings.iter().all(|f| !f.id.starts_with("wrong_order")), "{:#?}", found.findings);
    finding(&found, "late_sender");
}

#[test]
fn another_order_saves_what_can_be_computed_meanwhile() {
    // After each message rank 1 computes 4 ms; the others wait for it. The message of 2 is there from the beginning.
    let mut text = String::new();
    for round in 0..20 {
        let begin = round * 13_010;
        writeln!(text, "0 {} {} Send to=1 tag=1 bytes=8", begin + 5_000, begin + 5_001).unwrap();
        writeln!(text, "2 {} {} Send to=1 tag=1 bytes=8", begin + 10, begin + 11).unwrap();
        writeln!(text, "1 {} {} Recv from=0 tag=1 bytes=8 site=1", begin + 20, begin + 5_002).unwrap();
        writeln!(text, "1 {} {} Recv from=2 tag=1 bytes=8 site=2", begin + 9_003, begin + 9_004).unwrap();
        writeln!(text, "1 {} {} Barrier site=3", begin + 13_004, begin + 13_010).unwrap();
        for rank in [0, 2] {
            writeln!(text, "{rank} {} {} Barrier site=3", begin + 6_000, begin + 13_010).unwrap();
        }
    }
    let found = explained(&text);
    let said = finding(&found, "wrong_order_different_source");
    let share = said.savable_ns.expect("a saving") as f64 / found.scope.rank_time_ns as f64;
    // Of 13 ms 4 are saved: the work on the message that is there fits into the wait for the late one.
    assert!((share - 4.0 / 13.0).abs() < 0.02, "{share}");
}

#[test]
fn a_late_receive_saves_nothing_where_the_sender_is_needed_later() {
    // Rank 0 waits in a large send until rank 1 receives, 4 ms late; without that it waits in the barrier.
    let mut text = String::new();
    for round in 0..20 {
        let begin = round * 10_000;
        writeln!(text, "0 {} {} Ssend to=1 tag=1 bytes=1000000", begin + 1_000, begin + 5_100).unwrap();
        writeln!(text, "1 {} {} Recv from=0 tag=1 bytes=1000000", begin + 5_000, begin + 5_100).unwrap();
        for rank in 0..2 {
            writeln!(text, "{rank} {} {} Barrier site=3", begin + 5_200, begin + 10_000).unwrap();
        }
    }
    let found = explained(&text);
    let said = finding(&found, "late_receiver");
    assert!(said.cost_ns >= 20 * 3_900_000, "{said:?}");
    assert!(said.savable_ns.is_some_and(|ns| ns < found.scope.threshold_ns()), "{said:?}");
}

#[test]
fn finer_pieces_fill_a_pipeline_sooner() {
    // Rank r computes 1 ms when it has the piece of r − 1: 6 ms a round, one piece of work each.
    let (ranks, mut text) = (6, String::new());
    for round in 0..10 {
        let begin = round * 10_000;
        for rank in 0..ranks {
            let arrived = begin + 1_000 * rank;
            if rank > 0 {
                writeln!(text, "{rank} {begin} {arrived} Recv from={} bytes=8 site=2", rank - 1).unwrap();
            }
            if rank + 1 < ranks {
                let sends = begin + 1_000 * (rank + 1);
                writeln!(text, "{rank} {sends} {sends} Send to={} bytes=8 site=3", rank + 1).unwrap();
            }
            let end = begin + 1_000 * (rank + 1);
            writeln!(text, "{rank} {end} {} Barrier site=4", begin + 10_000).unwrap();
        }
    }
    let found = explained(&text);
    let said = finding(&found, "pipeline_fill");
    // Five ranks wait for 1 ms each, and 3/4 of it go with pieces of a quarter.
    let share = said.savable_ns.expect("a saving") as f64 / found.scope.rank_time_ns as f64;
    assert!((share - 0.375).abs() < 0.02, "{share}");
    assert_eq!(finding(&found, "late_sender").caused_by, Some("pipeline_fill"));
    assert!(found.findings.iter().all(|f| f.id != "load_imbalance"), "{:#?}", found.findings);
}

#[test]
fn much_time_in_mpi_never_goes_without_a_finding() {
    // Both ranks are in the allreduce at once and stay for 5 of 10 ms.
    let mut text = String::new();
    for round in 0..20 {
        let begin = round * 10_000;
        for rank in 0..2 {
            writeln!(text, "{rank} {} {} Allreduce bytes=8 site=1", begin + 5_000, begin + 10_000).unwrap();
        }
    }
    let found = explained(&text);
    let said = finding(&found, "unexplained_mpi_time");
    assert_eq!((said.cost_ns, said.savable_ns), (2 * 20 * 5_000_000, None));
    assert!(said.title.contains("unknown"), "{}", said.title);
    // Between hosts it is the network that takes the time.
    let far = explained(&format!("host a = 0\nhost b = 1\n{text}"));
    let said = finding(&far, "unexplained_mpi_time");
    assert!(said.title.ends_with("the network between hosts"), "{}", said.title);
    assert!(
        said.text.contains("40 calls that need messages or ranks of other hosts; half of these take 5.00 ms"),
        "{}",
        said.text
    );
    // Calls on files, of 100 bytes each.
    let files = explained(&text.replace("Allreduce bytes=8", "File_write_at bytes=100"));
    let said = finding(&files, "unexplained_mpi_time");
    assert!(said.title.ends_with("reading and writing files"), "{}", said.title);
    assert!(said.advice.contains("the mean call moves 100 B"), "{}", said.advice);
    // 3,000 accesses of 100 bytes of each rank, with a fence around each three, which takes most of the time.
    let mut text = String::new();
    for round in 0..1_000 {
        for rank in 0..2 {
            let begin = round * 20;
            for access in 0..3 {
                let at = begin + access * 2;
                writeln!(text, "{rank} {at} {} Put to={} bytes=100 site=1", at + 1, 1 - rank).unwrap();
            }
            writeln!(text, "{rank} {} {} Win_fence site=2", begin + 8, begin + 20).unwrap();
        }
    }
    let accesses = explained(&text);
    let said = finding(&accesses, "unexplained_mpi_time");
    assert!(said.title.ends_with("many small accesses to windows"), "{}", said.title);
    assert!(
        said.text
            .contains("6,000 accesses to windows, which move 100 B each, and 2,000 calls that synchronise: 5.00 µs"),
        "{}",
        said.text
    );
    assert!(said.advice.starts_with("Synchronise once for many accesses"), "{}", said.advice);
    // 2,000 messages back and forth, which are there when they are received: 1 µs for the receive, and for the send.
    let mut text = String::new();
    for message in 0..2_000 {
        let (begin, from, to) = (message * 4, message % 2, (message + 1) % 2);
        writeln!(text, "{from} {begin} {} Send to={to} tag=1 bytes=8 site=1", begin + 1).unwrap();
        writeln!(text, "{to} {} {} Recv from={from} tag=1 bytes=8 site=2", begin + 2, begin + 3).unwrap();
    }
    let short = explained(&text);
    let said = finding(&short, "unexplained_mpi_time");
    assert!(said.title.ends_with("many short calls"), "{}", said.title);
    assert!(said.text.contains("There are 4,000 calls of 1.00 µs each"), "{}", said.text);
    // What other findings explain is not reported again.
    let quiet = explained(&barriers(&[8_000, 2_000, 2_000, 4_000]));
    assert!(quiet.findings.iter().all(|f| f.id != "unexplained_mpi_time"), "{:#?}", quiet.findings);
}

#[test]
fn a_refuted_imbalance_is_not_reported() {
    // Rank 2 computes only before the first barrier: if it computes more there, all wait for it.
    let mut text = "comm 2 = 0,1\n".to_owned();
    for rank in 0..3 {
        writeln!(text, "{rank} 1000 1010 Barrier site=1").unwrap();
    }
    for round in 1..31 {
        for rank in 0..2 {
            let end = round * 10_000;
            writeln!(text, "{rank} {} {end} Allreduce bytes=8 comm=2 site=2", end - 10).unwrap();
        }
    }
    for (rank, begin) in [(0, 300_100), (1, 300_100), (2, 1_020)] {
        writeln!(text, "{rank} {begin} 300110 Barrier site=3").unwrap();
    }
    let found = explained(&text);
    let ids: Vec<_> = found.findings.iter().map(|f| f.id).collect();
    assert_eq!(ids[0], "idle_ranks");
    assert!(!ids.contains(&"load_imbalance"), "{ids:?}");
}

#[test]
fn progress_saves_what_the_receiver_can_do_meanwhile() {
    // Rank 0 sends 1 MB and computes 5 ms before it completes that; rank 1 has the data only then, and computes 4 ms with it.
    let mut text = String::new();
    for round in 0..20 {
        let begin = round * 10_000;
        writeln!(text, "0 {} {} Isend to=1 tag=1 bytes=1000000 request=1", begin + 10, begin + 20).unwrap();
        writeln!(text, "1 {} {} Recv from=0 tag=1 bytes=1000000", begin + 10, begin + 5_120).unwrap();
        writeln!(text, "0 {} {} Wait requests=1", begin + 5_020, begin + 5_120).unwrap();
        for (rank, start) in [(0, 5_130), (1, 9_120)] {
            writeln!(text, "{rank} {} {} Barrier site=3", begin + start, begin + 9_140).unwrap();
        }
        for rank in 0..2 {
            writeln!(text, "{rank} {} {} Barrier site=4", begin + 9_990, begin + 10_000).unwrap();
        }
    }
    let found = explained(&text);
    let said = finding(&found, "wait_for_progress");
    let share = said.savable_ns.expect("a saving") as f64 / found.scope.rank_time_ns as f64;
    // Both compute at once: 9.1 ms become 5.1.
    assert!((0.35..0.42).contains(&share), "{share}");
}
