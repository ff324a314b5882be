//! Small runs with calls that do not return.

use mpiscope_ingest::testing::{Ingested, ingested};

use crate::deadlock::Stuck;
use crate::{Confidence, Explainer, Explanation};

fn explained(run: &Ingested) -> Explanation {
    let mut explainer = Explainer::new(&run.dimensions);
    run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
    explainer.finish(&run.dimensions, &run.facts)
}

/// Of a text in which these ranks compute until the end; others without an open call have left `MPI_Finalize`.
fn with_computing(text: &str, ranks: &[usize]) -> Explanation {
    let mut run = ingested(text);
    ranks.iter().for_each(|&rank| run.dimensions.ranks[rank].is_finalized = false);
    explained(&run)
}

fn found(text: &str) -> Stuck {
    explained(&ingested(text)).stuck.expect("stuck ranks")
}

fn ring(found: &Stuck) -> Vec<i32> {
    found.ranks.iter().filter(|r| r.in_ring).map(|r| r.rank).collect()
}

#[test]
fn two_that_receive_first() {
    let run = ingested(
        "0 0 1 Comm_size
         1 0 1 Comm_size
         0 1000 - Recv from=1 tag=7
         1 2000 - Recv from=0 tag=7
         0 5000001 5000002 Comm_size",
    );
    // The last line only says when the recording ends.
    let e = explained(&run);
    let stuck = e.stuck.as_ref().expect("a deadlock");
    assert_eq!((stuck.kind, stuck.is_certain, stuck.waiting), ("deadlock", true, 2));
    assert_eq!(ring(stuck), [0, 1]);
    assert_eq!(stuck.ranks[0].what, "from 1 (tag 7)");
    assert_eq!(stuck.ranks[1].waits_for, [0]);
    assert!(stuck.text.starts_with("rank 0 in MPI_Recv from 1 (tag 7) for 5.00 s ← rank 1"), "{}", stuck.text);
    assert!(stuck.text.ends_with("← rank 0"));
    let first = &e.findings[0];
    assert_eq!((first.id, first.confidence), ("deadlock", Confidence::High));
    // All of it is waiting, and nothing of it was useful.
    assert!(e.time.waiting_ns > 9_990_000_000, "{:?}", e.time);
    assert!(e.time.computing_ns < 10_000_000, "{:?}", e.time);
    let whole = &e.efficiency.as_ref().unwrap().whole;
    assert!(whole.parallel.unwrap() < 0.01, "{whole:?}");
    assert_eq!(whole.transfer.map(|t| t > 0.99), Some(true), "{whole:?}");
    let length_ns = e.critical_path.as_ref().unwrap().length_ns;
    assert!(length_ns <= e.scope.end_ns - e.scope.start_ns, "{length_ns}");
}

#[test]
fn three_in_a_ring_and_one_behind() {
    let stuck = found(
        "0 10 - Recv from=1
         1 10 - Recv from=2
         2 10 - Recv from=0
         3 10 - Recv from=0
         3 0 1 Comm_size",
    );
    assert_eq!((stuck.kind, ring(&stuck), stuck.waiting), ("deadlock", vec![0, 1, 2], 4));
}

#[test]
fn a_barrier_and_a_receive() {
    let stuck = found(
        "0 10 - Barrier
         1 10 - Recv from=0 tag=5
         2 10 - Barrier",
    );
    assert_eq!((stuck.kind, stuck.is_certain, ring(&stuck)), ("deadlock", true, vec![0, 1]));
    assert!(
        stuck.text.starts_with("ranks 0 and 2 in MPI_Barrier (rank 1 has not entered it) entered at"),
        "{}",
        stuck.text
    );
    assert!(stuck.advice.contains("has not entered the operation"), "{}", stuck.advice);
}

#[test]
fn different_operations() {
    let stuck = found(
        "0 10 - Barrier
         1 10 - Allreduce bytes=8",
    );
    assert_eq!((stuck.kind, ring(&stuck)), ("deadlock", vec![0, 1]));
    assert!(stuck.advice.contains("same collective operations"), "{}", stuck.advice);
}

#[test]
fn a_waitall_for_what_was_never_sent() {
    let stuck = found(
        "0 10 11 Irecv from=1 tag=1 request=1
         0 11 12 Irecv from=1 tag=2 request=2
         1 10 11 Send to=0 tag=1 bytes=8
         0 12 - Waitall requests=1,2
         1 12 - Recv from=0 tag=3",
    );
    assert_eq!((stuck.kind, ring(&stuck)), ("deadlock", vec![0, 1]));
    assert_eq!(stuck.ranks[0].what, "for a message from 1 (tag 2)");
}

#[test]
fn of_a_waitany_one_request_is_enough() {
    let text = "0 10 11 Irecv from=1 tag=1 request=1
         0 11 12 Irecv from=2 tag=2 request=2
         0 12 - Waitany requests=1,2
         1 12 - Recv from=0 tag=3
         2 12 - Recv from=0 tag=3";
    assert_eq!(found(text).kind, "deadlock");
    // Rank 2 has sent: only a moment is missing.
    let run = ingested(&format!("{text}\n2 11 12 Send to=0 tag=2 bytes=8"));
    assert_eq!(explained(&run).stuck, None);
}

#[test]
fn a_message_that_was_sent_is_no_deadlock() {
    let run = ingested(
        "0 10 - Recv from=1 tag=7
         1 5 9 Send to=0 tag=7 bytes=8
         1 10 - Recv from=0 tag=7
         0 0 5000000 Comm_size",
    );
    // Rank 0 has its message, and may send.
    assert_ne!(explained(&run).stuck.map(|s| s.kind), Some("deadlock"));
}

#[test]
fn any_source_needs_everybody() {
    let stuck = found(
        "0 10 - Recv from=any tag=any
         1 10 - Recv from=0
         2 10 - Recv from=0",
    );
    assert_eq!((stuck.kind, stuck.is_certain), ("deadlock", true));
    assert!(stuck.text.contains("from any rank (any tag)"), "{}", stuck.text);
    let text = "0 10 - Recv from=any tag=any
         1 10 - Recv from=0
         2 10 11 Comm_size";
    assert_eq!(with_computing(text, &[2]).stuck, None, "rank 2 may send");
    assert_eq!(found(text).kind, "deadlock", "rank 2 has left");
}

#[test]
fn who_waits_for_a_rank_that_computes() {
    let text = "1 0 1 Send to=2 tag=1 bytes=8
         2 0 1 Recv from=1 tag=1
         0 1000 - Barrier
         2 1000 - Barrier
         2 0 1 Comm_size
         3 9000000 9000001 Comm_size";
    let stuck = with_computing(text, &[1, 3]).stuck.expect("ranks that wait");
    assert_eq!((stuck.kind, stuck.is_certain, stuck.waiting), ("stuck", false, 2));
    assert_eq!(stuck.awaited.iter().map(|a| a.rank).collect::<Vec<_>>(), [1, 3]);
    assert!(stuck.awaited[0].what.starts_with("has been outside MPI since MPI_Send"), "{:?}", stuck.awaited);
    // A wait of a moment is not reported.
    assert_eq!(with_computing(&text.replace("9000000 9000001", "2000 2001"), &[1, 3]).stuck, None);
}

#[test]
fn a_message_that_nobody_will_send() {
    let stuck = found(
        "0 1000 - Recv from=1 tag=7
         0 0 1 Comm_size
         1 0 1 Comm_size
         2 9000000 9000001 Comm_size",
    );
    assert_eq!((stuck.kind, stuck.is_certain), ("stuck", true));
    assert_eq!(stuck.awaited[0].what, "has left MPI_Finalize");
    assert!(stuck.advice.contains("never sent"), "{}", stuck.advice);
}

#[test]
fn sends_count_when_they_have_taken_long() {
    let text = "0 10 - Send to=1 tag=7
         1 10 - Send to=0 tag=7
         2 END END Comm_size";
    assert_eq!(explained(&ingested(&text.replace("END", "5000"))).stuck, None);
    let stuck = found(&text.replace("END", "5000000"));
    assert_eq!((stuck.kind, stuck.is_certain, ring(&stuck)), ("deadlock", false, vec![0, 1]));
    assert!(stuck.advice.contains("MPI_Sendrecv"), "{}", stuck.advice);
    let synchronous = found(&text.replace("END", "5000").replace("Send", "Ssend"));
    assert!(synchronous.is_certain);
}

#[test]
fn a_program_that_ends_well_is_not_stuck() {
    let run = ingested(
        "0 0 10 Recv from=1 tag=1
         1 0 5 Send to=0 tag=1 bytes=8",
    );
    assert_eq!(explained(&run).stuck, None);
}
