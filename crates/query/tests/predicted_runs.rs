//! Predicted runs, read again by what reads recorded ones.

use std::ops::ControlFlow;
use std::path::Path;

use mpiscope_ingest::testing::{Ingested, ingested_run, write};
use mpiscope_predict::{Change, parse};
use mpiscope_query::{Target, predict, write_predicted};
use mpiscope_run::{Resolver, Run};
use proptest::prelude::*;

/// Writes the run of a text under changes; the predicted time, ns.
fn predicted(from: &Path, to: &Path, question: &str) -> u64 {
    let run = Run::open(from, &Default::default()).unwrap();
    let resolver = Resolver::looking_in(Vec::new());
    let mut watch = |_, _| ControlFlow::Continue(());
    let changes: Vec<Change> = parse(question).unwrap();
    let found = predict(&run, &resolver, std::slice::from_ref(&changes), Target::default(), &mut watch).unwrap();
    std::fs::create_dir_all(to.join("ranks")).unwrap();
    std::fs::write(to.join("run.json"), r#"{"format":1,"run_id":"2","program":["./text"]}"#).unwrap();
    write_predicted(&run, &resolver, (&found, &changes), (to, 2), &mut watch).unwrap();
    found.answers[0].as_ref().unwrap().predicted_ns
}

/// The run of a text, and under changes.
fn both(text: &str, question: &str) -> (Ingested, Ingested, u64) {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("a"), dir.path().join("b"));
    write(text, &from);
    let predicted_ns = predicted(&from, &to, question);
    (ingested_run(&from).unwrap(), ingested_run(&to).unwrap(), predicted_ns)
}

/// From the first beginning to the last end.
fn time_ns(run: &Ingested) -> u64 {
    let ranks = &run.dimensions.ranks;
    let end = ranks.iter().map(|row| row.finalize_start_ns).max().unwrap();
    end - ranks.iter().map(|row| row.init_end_ns).min().unwrap()
}

/// Functions of each rank's calls, in order; without initialisation and finalization.
fn functions(run: &Ingested) -> Vec<Vec<&'static str>> {
    let of = |rank: usize| {
        let calls = run.batches.iter().flat_map(move |batch| &batch.ranks[rank].calls);
        calls.map(|call| mpiscope_abi::name(run.facts[rank][call.facts as usize].function)).collect()
    };
    (0..run.facts.len()).map(of).collect()
}

fn messages(run: &Ingested) -> Vec<(u32, u32, u64)> {
    let all = run.batches.iter().flat_map(|batch| &batch.messages);
    let mut found: Vec<_> = all.map(|m| (m.sender.0, m.receiver.0, m.bytes)).collect();
    found.sort_unstable();
    found
}

fn is_possible(run: &Ingested) -> Result<(), TestCaseError> {
    for rank in 0..run.facts.len() {
        let calls: Vec<_> = run.batches.iter().flat_map(|batch| &batch.ranks[rank].calls).collect();
        prop_assert!(calls.iter().all(|call| call.start_ns <= call.end_ns));
        prop_assert!(calls.windows(2).all(|w| w[0].end_ns <= w[1].start_ns), "{rank}: {calls:?}");
    }
    for message in run.batches.iter().flat_map(|batch| &batch.messages) {
        prop_assert!(message.receive.done_end_ns >= message.send.start_ns, "{message:?}");
    }
    Ok(())
}

const HOSTS: &str = "host a = 0,1\nhost b = 2,3 ahead=700000 drift=30 rounds=3 error=2\n";

/// A ring of four ranks: computing, a send and a receive in one of several ways, now and then a barrier.
fn ring(steps: &[(u64, u64, u8)]) -> String {
    let mut text = HOSTS.to_owned();
    let mut now = [0_u64; 4];
    for (step, &(own, took, way)) in steps.iter().enumerate() {
        for rank in 0..4_u64 {
            let (to, from) = ((rank + 1) % 4, (rank + 3) % 4);
            let at = now[rank as usize] + own * (rank + 1) / 2 + 1;
            let bytes = if way & 4 == 0 { 64 } else { 200_000 };
            let end = at + took + 2;
            match way % 3 {
                0 if rank == 0 => {
                    text += &format!("{rank} {at} {} Send to={to} bytes={bytes} site=1\n", at + 1);
                    text += &format!("{rank} {} {end} Recv from={from} bytes={bytes} site=2 region=solve\n", at + 1);
                }
                0 => {
                    text += &format!("{rank} {at} {} Recv from={from} bytes={bytes} site=2\n", end - 1);
                    text += &format!("{rank} {} {end} Send to={to} bytes={bytes} site=1\n", end - 1);
                }
                1 => {
                    text += &format!("{rank} {at} {at} Irecv from={from} bytes={bytes} request=1 site=3\n");
                    text += &format!("{rank} {at} {} Isend to={to} bytes={bytes} request=2 site=4\n", at + 1);
                    text += &format!("{rank} {} {end} Waitall requests=1,2 site=5\n", at + 1);
                    text += &format!("{rank} {at} {end} region region=halo\n");
                }
                _ => text += &format!("{rank} {at} {end} Sendrecv to={to} from={from} bytes={bytes} site=6\n"),
            }
            now[rank as usize] = end;
        }
        if step % 3 == 0 {
            let last = now.iter().max().copied().unwrap();
            for (rank, now) in now.iter_mut().enumerate() {
                text += &format!("{rank} {} {} Barrier site=7\n", *now + 1, last + 5);
                *now = last + 5;
            }
        }
    }
    text
}

fn fixed() -> String {
    let steps: Vec<(u64, u64, u8)> = (0..60).map(|i| (100 + 13 * (i % 7), 20 + 5 * (i % 3), (i % 8) as u8)).collect();
    ring(&steps)
}

#[test]
fn the_unchanged_run_is_the_recorded_one() {
    let (was, is, predicted_ns) = both(&fixed(), "latency=1x");
    assert_eq!(functions(&is), functions(&was));
    assert_eq!(messages(&is), messages(&was));
    assert!(!messages(&was).is_empty());
    assert!(time_ns(&is).abs_diff(predicted_ns) <= 2, "{} {predicted_ns}", time_ns(&is));
    assert!(time_ns(&is).abs_diff(time_ns(&was)) <= 2);
    let operations = |run: &Ingested| run.batches.iter().map(|batch| batch.collectives.len()).sum::<usize>();
    assert_eq!(operations(&is), operations(&was));
    // Two hosts whose clocks do not differ.
    assert!(is.dimensions.ranks.iter().all(|row| row.clock_error_ns == Some(0)), "{:?}", is.dimensions.ranks);
    assert_eq!(is.dimensions.regions, was.dimensions.regions);
    is_possible(&is).unwrap();
}

#[test]
fn the_time_is_the_predicted_one() {
    for question in
        ["latency=4x", "bandwidth=0.5x, rank:2=3x faster", "balance=perfect", "MPI_Barrier=none", "eager=1M"]
    {
        let (was, is, predicted_ns) = both(&fixed(), question);
        assert!(time_ns(&is).abs_diff(predicted_ns) <= 2, "{question}: {} {predicted_ns}", time_ns(&is));
        assert_eq!(messages(&is), messages(&was), "{question}");
        let left: Vec<Vec<&str>> = functions(&was)
            .into_iter()
            .map(|of| of.into_iter().filter(|name| question != "MPI_Barrier=none" || *name != "MPI_Barrier").collect())
            .collect();
        assert_eq!(functions(&is), left, "{question}");
        is_possible(&is).unwrap();
    }
}

#[test]
fn what_becomes_non_blocking_is_matched_as_before() {
    let (was, is, predicted_ns) = both(&fixed(), "MPI_Send=nonblocking, MPI_Recv=nonblocking");
    assert_eq!(messages(&is), messages(&was));
    assert!(time_ns(&is).abs_diff(predicted_ns) <= 2);
    let count = |run: &Ingested, name: &str| functions(run).iter().flatten().filter(|of| **of == name).count();
    assert_eq!((count(&is, "MPI_Send"), count(&is, "MPI_Recv")), (0, 0));
    assert_eq!(count(&is, "MPI_Isend"), count(&was, "MPI_Isend") + count(&was, "MPI_Send"));
    assert!(count(&is, "MPI_Waitall") > count(&was, "MPI_Waitall"));
    assert!(is.batches.iter().all(|batch| batch.lone.is_empty()));
    is_possible(&is).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_run_under_any_change_is_possible(
        steps in prop::collection::vec((0u64..500, 0u64..300, 0u8..8), 1..40),
        question in prop::sample::select(vec![
            "latency=0.1x", "latency=10x", "rank:0=5x slower", "balance=perfect", "MPI_Barrier=none",
            "MPI_Send=nonblocking, MPI_Recv=nonblocking", "MPI_Recv=nonblocking", "contention=off, bandwidth=0.1x",
        ]),
    ) {
        let text = ring(&steps);
        prop_assume!(!question.contains("MPI_Recv") || text.contains(" Recv "));
        let (was, is, predicted_ns) = both(&text, question);
        prop_assert!(time_ns(&is).abs_diff(predicted_ns) <= 2);
        prop_assert_eq!(messages(&is), messages(&was));
        is_possible(&is)?;
    }
}
