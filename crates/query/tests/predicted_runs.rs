//! Predicted runs, read again by what reads recorded ones.

use std::ops::ControlFlow;
use std::path::Path;

use mpiscope_ingest::testing::{Ingested, ingested_run, write};
use mpiscope_predict::{Change, parse};
use mpiscope_query::{Target, predict, write_predicted};
use mpiscope_run::{Resolver, Run};
use proptest::prelude::*;

/// Writes the run of a text under changes; the predicted time, ns, or why there is none.
fn predicted(from: &Path, to: &Path, question: &str) -> Result<u64, String> {
    let run = Run::open(from, &Default::default()).unwrap();
    let resolver = Resolver::looking_in(Vec::new());
    let mut watch = |_, _| ControlFlow::Continue(());
    let changes: Vec<Change> = parse(question).unwrap();
    let found = predict(&run, &resolver, std::slice::from_ref(&changes), Target::default(), &mut watch).unwrap();
    let predicted_ns = found.answers[0].as_ref().map_err(ToString::to_string)?.predicted_ns;
    std::fs::create_dir_all(to.join("ranks")).unwrap();
    std::fs::write(to.join("run.json"), r#"{"format":1,"run_id":"2","program":["./text"]}"#).unwrap();
    write_predicted(&run, &resolver, &found, (to, 2), &mut watch).map_err(|error| error.to_string())?;
    Ok(predicted_ns)
}

/// The run of a text, and under changes.
fn both(text: &str, question: &str) -> (Ingested, Ingested, u64) {
    try_both(text, question).unwrap()
}

fn try_both(text: &str, question: &str) -> Result<(Ingested, Ingested, u64), String> {
    let dir = tempfile::tempdir().unwrap();
    let (from, to) = (dir.path().join("a"), dir.path().join("b"));
    write(text, &from);
    let predicted_ns = predicted(&from, &to, question)?;
    Ok((ingested_run(&from).unwrap(), ingested_run(&to).unwrap(), predicted_ns))
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

/// Steps 1 ms apart, each with these calls: rank, call with its arguments; 1 µs for each call of a rank.
fn steps(count: u64, calls: &[(usize, &str)]) -> String {
    let mut text = String::new();
    for step in 0..count {
        let mut now = [1000 * (step + 1); 4];
        for (rank, call) in calls {
            text += &format!("{rank} {} {} {call}\n", now[*rank], now[*rank] + 1);
            now[*rank] += 2;
        }
    }
    text
}

fn sum_of_bytes(run: &Ingested) -> u64 {
    messages(run).iter().map(|(.., bytes)| bytes).sum()
}

#[test]
fn aggregated_messages_are_one_message() {
    // The last send is blocking, and no call waits for the others. The first wait is for all.
    let text = steps(
        10,
        &[
            (0, "Isend to=1 tag=1 bytes=8 request=1 site=1 region=out"),
            (0, "Isend to=1 tag=2 bytes=16 request=2 site=1 region=out"),
            (0, "Send to=1 tag=3 bytes=100 site=1 region=out"),
            (0, "Waitall requests=1,2 site=2"),
            (1, "Irecv from=0 tag=2 bytes=16 request=2 site=3"),
            (1, "Irecv from=0 tag=1 bytes=8 request=1 site=3"),
            (1, "Irecv from=0 tag=3 bytes=100 request=3 site=3"),
            (1, "Wait requests=1 site=4"),
            (1, "Wait requests=2 site=4"),
            (1, "Wait requests=3 site=4"),
        ],
    );
    let (was, is, predicted_ns) = both(&text, "MPI_Isend=aggregated");
    // Two of the three messages.
    assert_eq!(messages(&is), [vec![(0, 1, 24); 10], vec![(0, 1, 100); 10]].concat());
    assert_eq!(functions(&is)[0], ["MPI_Isend", "MPI_Send", "MPI_Waitall"].repeat(10));
    let (_, is, all_ns) = both(&text, "region:out=aggregated");
    assert_eq!(messages(&is), vec![(0, 1, 124); 10]);
    assert_eq!(functions(&is), [vec!["MPI_Send"; 10], ["MPI_Irecv", "MPI_Wait"].repeat(10)]);
    assert!(is.batches.iter().all(|batch| batch.lone.is_empty()));
    assert!(time_ns(&is).abs_diff(all_ns) <= 2 && all_ns <= predicted_ns);
    let sent: Vec<_> = is.facts[0].iter().filter(|info| info.bytes_sent == 124).collect();
    assert!(sent.iter().all(|info| (info.count, info.tag, info.peer.0) == (124, 3, 1)));
    assert_eq!(sent.iter().map(|info| info.calls).sum::<u64>(), 10);
    is_possible(&is).unwrap();
    assert_eq!(sum_of_bytes(&is), sum_of_bytes(&was));
}

#[test]
fn calls_that_send_and_receive_are_aggregated_both_ways() {
    let text = steps(
        10,
        &[
            (0, "Sendrecv to=1 from=1 bytes=64 site=1 region=out"),
            (0, "Sendrecv to=1 from=1 bytes=32 site=1 region=out"),
            (1, "Sendrecv to=0 from=0 bytes=64 site=1"),
            (1, "Sendrecv to=0 from=0 bytes=32 site=1"),
        ],
    );
    let (_, is, _) = both(&text, "MPI_Sendrecv=aggregated");
    assert_eq!(messages(&is), [vec![(0, 1, 96); 10], vec![(1, 0, 96); 10]].concat());
    assert_eq!(functions(&is), vec![vec!["MPI_Sendrecv"; 10]; 2]);
    // A call that still sends what it sent, and receives nothing, is none of MPI.
    let why = try_both(&text, "region:out=aggregated").err().unwrap();
    assert!(why.contains("a call of MPI_Sendrecv would send or receive"), "{why}");
}

#[test]
fn waits_become_one_and_sends_change_places() {
    let text = steps(
        10,
        &[
            (0, "Isend to=3 tag=1 bytes=8 request=1 site=1"),
            (0, "Isend to=2 tag=1 bytes=8 request=2 site=1"),
            (0, "Isend to=1 tag=1 bytes=8 request=3 site=1"),
            (0, "Wait requests=1 site=4"),
            (0, "Wait requests=2 site=4"),
            (0, "Wait requests=3 site=4"),
            (1, "Recv from=0 tag=1 bytes=8 site=3"),
            (2, "Recv from=0 tag=1 bytes=8 site=3"),
            (3, "Recv from=0 tag=1 bytes=8 site=3"),
        ],
    );
    let (was, is, predicted_ns) = both(&text, "MPI_Wait=merged");
    assert_eq!(functions(&is)[0], ["MPI_Isend", "MPI_Isend", "MPI_Isend", "MPI_Waitall"].repeat(10));
    assert_eq!(messages(&is), messages(&was));
    let all_done = |run: &Ingested| run.batches.iter().flat_map(|batch| &batch.messages).all(|m| m.send.is_done());
    assert!(all_done(&was) && all_done(&is));
    assert!(time_ns(&is).abs_diff(predicted_ns) <= 2);
    let receivers = |run: &Ingested| -> Vec<u32> {
        let calls = run.batches.iter().flat_map(|batch| &batch.ranks[0].calls);
        calls.map(|call| run.facts[0][call.facts as usize].peer.0).filter(|peer| *peer < 4).collect()
    };
    let (_, is, _) = both(&text, "MPI_Isend=reordered");
    assert_eq!((receivers(&was), receivers(&is)), ([3, 2, 1].repeat(10), [1, 2, 3].repeat(10)));
    assert_eq!((functions(&is), messages(&is)), (functions(&was), messages(&was)));
    assert!(all_done(&is));
}

#[test]
fn ranks_on_other_hosts_have_these_hosts() {
    let hosts = |run: &Ingested| run.dimensions.ranks.iter().map(|row| row.host.clone()).collect::<Vec<_>>();
    let (was, is, predicted_ns) = both(&fixed(), "placement=by_node");
    assert_eq!((hosts(&was).concat(), hosts(&is).concat()), ("aabb".to_owned(), "abab".to_owned()));
    assert!(time_ns(&is).abs_diff(predicted_ns) <= 2);
    assert_eq!((functions(&is), messages(&is)), (functions(&was), messages(&was)));
    assert!(is.dimensions.ranks.iter().all(|row| row.clock_error_ns == Some(0)));
}

#[test]
fn operations_in_stages_are_the_same_calls_at_other_times() {
    let (was, is, predicted_ns) = both(&fixed(), "MPI_Barrier=hierarchical");
    assert!(time_ns(&is).abs_diff(predicted_ns) <= 2);
    assert_eq!((functions(&is), messages(&is)), (functions(&was), messages(&was)));
}

#[test]
fn what_no_run_can_have_is_explained() {
    let why = |question| try_both(&fixed(), question).err().unwrap();
    let neighbourhood = why("MPI_Isend=neighbourhood");
    assert!(neighbourhood.contains("a communicator with a topology"), "{neighbourhood}");
    let both = why("MPI_Recv=nonblocking, MPI_Isend=reordered");
    assert!(both.contains("ask one of both") || both.contains("to several ranks"), "{both}");
}

/// A message: whether to the second of the other ranks, its size, its tag, whether its send is blocking.
type Sent = (bool, u16, u8, bool);

/// Exchanges of one rank, in place of rank 0, with both others: their messages, and how they are received.
fn exchanges(sender: usize, all: &[(Vec<Sent>, u8)]) -> String {
    let really = |rank: usize| (rank + sender) % 3;
    let mut text = String::new();
    for (number, (sent, how)) in all.iter().enumerate() {
        let at = |call: usize| 1000 * (number + 1) + 2 * call;
        let mut calls = [0usize; 3];
        let mut line = |rank: usize, call: String| {
            text += &format!("{} {} {} {call}\n", really(rank), at(calls[rank]), at(calls[rank]) + 1);
            calls[rank] += 1;
        };
        let mut begun = Vec::new();
        for (i, &(second, bytes, tag, blocks)) in sent.iter().enumerate() {
            let to = really(1 + usize::from(second));
            if blocks {
                line(0, format!("Send to={to} tag={tag} bytes={bytes} site=1 region=out"));
            } else {
                line(0, format!("Isend to={to} tag={tag} bytes={bytes} request={} site=1 region=out", i + 1));
                begun.push((i + 1).to_string());
            }
        }
        match begun.len() {
            0 => {}
            _ if how & 4 == 0 => line(0, format!("Waitall requests={} site=2", begun.join(","))),
            _ => begun.iter().for_each(|request| line(0, format!("Wait requests={request} site=2"))),
        }
        for rank in [1, 2] {
            let mut of: Vec<&Sent> = sent.iter().filter(|(second, ..)| 1 + usize::from(*second) == rank).collect();
            if how & 8 != 0 {
                // Messages with a tag stay in their order.
                of.sort_by_key(|(_, _, tag, _)| *tag);
            }
            let mut begun = Vec::new();
            for (i, (_, bytes, tag, _)) in of.iter().enumerate() {
                if how % 3 == 0 {
                    line(rank, format!("Recv from={sender} tag={tag} bytes={bytes} site=3"));
                } else {
                    line(rank, format!("Irecv from={sender} tag={tag} bytes={bytes} request={} site=3", i + 1));
                    begun.push((i + 1).to_string());
                }
            }
            match how % 3 {
                _ if begun.is_empty() => {}
                1 => line(rank, format!("Waitall requests={} site=4", begun.join(","))),
                _ => begun.iter().rev().for_each(|request| line(rank, format!("Wait requests={request} site=4"))),
            }
        }
    }
    text + &format!(
        "1 {0} {1} Barrier site=7\n2 {0} {1} Barrier site=7\n0 {0} {1} Barrier site=7\n",
        1000 * (all.len() + 1),
        1000 * (all.len() + 1) + 5
    )
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

    #[test]
    fn any_exchange_is_complete_under_any_change_of_its_calls(
        all in prop::collection::vec((prop::collection::vec((any::<bool>(), 1u16..2000, 0u8..3, any::<bool>()), 1..7), 0u8..16), 1..12),
        sender in 0usize..3,
        question in prop::sample::select(vec![
            "region:out=aggregated", "MPI_Isend=aggregated", "MPI_Wait=merged", "region:out=reordered", "MPI_Isend=reordered",
            "region:out=aggregated, MPI_Wait=merged", "region:out=reordered, region:out=aggregated", "MPI_Waitall=merged, MPI_Isend=reordered",
        ]),
    ) {
        // Not every program has what a question changes.
        let Ok((was, is, predicted_ns)) = try_both(&exchanges(sender, &all), question) else { return Ok(()) };
        prop_assert!(time_ns(&is).abs_diff(predicted_ns) <= 2);
        prop_assert_eq!(sum_of_bytes(&is), sum_of_bytes(&was));
        prop_assert!(is.batches.iter().all(|batch| batch.lone.is_empty()));
        let all_done = is.batches.iter().flat_map(|batch| &batch.messages).all(|m| m.send.is_done() && m.receive.is_done());
        prop_assert!(all_done);
        if !question.contains("aggregated") {
            prop_assert_eq!(messages(&is), messages(&was));
        }
        is_possible(&is)?;
    }
}
