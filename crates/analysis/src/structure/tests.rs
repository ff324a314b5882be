//! Tiny runs with known answers.

use std::fmt::Write;

use mpiscope_ingest::testing::{Ingested, ingested};
use mpiscope_store::Message;
use proptest::prelude::*;

use super::Structure;
use crate::analysis::{Analysis, Input};
use crate::explain::Explainer;
use crate::explanation::{Cause, Explanation, Finding, Scope, Value, Wait, WaitKind};

/// Explains with these waits alone.
fn explained(run: &Ingested, waits: impl Fn(&[Message]) -> Vec<Wait>) -> Explanation {
    let mut structure = Box::new(Structure::default());
    let (mut calls, ranks) = (0, &run.dimensions.ranks);
    for batch in &run.batches {
        let waits = waits(&batch.messages);
        structure.add_batch(&Input { waits: &waits, ..Input::without_waits(&run.dimensions, &run.facts, batch) });
        calls += batch.ranks.iter().map(|r| r.calls.len() as u64).sum::<u64>();
    }
    let scope = Scope {
        start_ns: 0,
        end_ns: ranks.iter().map(|r| r.finalize_start_ns).max().unwrap_or(0),
        rank_time_ns: ranks.iter().map(|r| r.rows_time_ns()).sum(),
        run_rank_time_ns: ranks.iter().map(|r| r.time_ns()).sum(),
        ranks: ranks.len() as u64,
        calls,
        rows: calls,
        calls_lost: 0,
        unreadable: Vec::new(),
    };
    let mut explanation = Explanation { scope, ..Explanation::default() };
    structure.conclude(&run.dimensions, &run.facts, &mut explanation);
    explanation
}

pub(super) fn explain(text: &str) -> Explanation {
    explained(&ingested(text), |_| Vec::new())
}

#[test]
fn workers_that_come_first_do_most_of_the_work() {
    let run = |takes_any: bool| {
        let mut text = String::new();
        for task in 0..50u32 {
            // Rank 1 has a core, ranks 2 to 4 get one now and then.
            let worker = if task % 12 == 11 { 2 + task / 12 % 3 } else { 1 };
            let at = task * 100;
            text += &format!("{worker} {} {} Send to=0 bytes=8 site=1\n", at, at + 1);
            let from = if takes_any { format!("any status={worker}:0:8") } else { worker.to_string() };
            text += &format!("0 {} {} Recv from={from} bytes=8 site=2\n", at + 2, at + 5);
            text += &format!("0 {} {} Send to={worker} bytes=8 site=3\n", at + 6, at + 7);
            text += &format!("{worker} {} {} Recv from=0 bytes=8 site=4\n", at + 8, at + 12);
        }
        explain(&text).pattern
    };
    assert_eq!(run(true), Some("master_worker"));
    // Rank 0 works with rank 1, and distributes input and collects results.
    assert_eq!(run(false), Some("pairs"));
}

/// Receives that began before the send.
fn late_senders(messages: &[Message]) -> Vec<Wait> {
    let late = messages.iter().filter(|m| m.receive.done_start_ns < m.send.start_ns);
    let wait = |m: &Message| Wait {
        kind: WaitKind::LateSender,
        rank: m.receiver,
        row: m.receive.done_row,
        facts: m.receive.done_facts,
        start_ns: m.receive.done_start_ns,
        end_ns: m.send.start_ns.min(m.receive.done_end_ns),
        cause: Some(Cause { rank: m.sender, at_ns: m.send.start_ns, row: m.send.row, facts: m.send.facts }),
    };
    let mut waits: Vec<Wait> = late.map(wait).collect();
    waits.sort_by_key(|w| (w.rank, w.end_ns));
    waits
}

fn finding<'a>(explanation: &'a Explanation, id: &str) -> &'a Finding {
    let ids: Vec<_> = explanation.findings.iter().map(|f| f.id).collect();
    explanation.findings.iter().find(|f| f.id == id).unwrap_or_else(|| panic!("no {id} in {ids:?}"))
}

fn has(explanation: &Explanation, id: &str) -> bool {
    explanation.findings.iter().any(|f| f.id == id)
}

fn number(finding: &Finding, key: &str) -> u64 {
    match finding.evidence[key] {
        Value::Int(n) => n,
        ref other => panic!("{key}: {other:?}"),
    }
}

/// A stencil on `rows` × `columns` ranks: exchange along rows, compute, exchange along columns, compute, meet.
/// `compute` says how long in µs, by rank, iteration and part.
fn stencil(rows: i32, columns: i32, iterations: u64, compute: impl Fn(i32, u64, usize) -> u64) -> String {
    let mut text = String::new();
    let ranks = rows * columns;
    let mut now = vec![0u64; ranks as usize];
    for iteration in 0..iterations {
        for part in 0..2 {
            for rank in 0..ranks {
                let at = &mut now[rank as usize];
                let (row, column) = (rank / columns, rank % columns);
                let near: Vec<i32> = if part == 0 {
                    [(column > 0).then(|| rank - 1), (column + 1 < columns).then(|| rank + 1)]
                } else {
                    [(row > 0).then(|| rank - columns), (row + 1 < rows).then(|| rank + columns)]
                }
                .into_iter()
                .flatten()
                .collect();
                let site = 2 + 4 * part;
                for (i, peer) in near.iter().enumerate() {
                    writeln!(text, "{rank} {at} {} Irecv from={peer} bytes=80 request={} site={site}", *at + 1, i + 1)
                        .unwrap();
                    *at += 1;
                }
                for peer in &near {
                    writeln!(text, "{rank} {at} {} Send to={peer} bytes=80 site={}", *at + 1, site + 1).unwrap();
                    *at += 1;
                }
                let list: Vec<String> = (1..=near.len()).map(|i| i.to_string()).collect();
                writeln!(text, "{rank} {at} {} Waitall requests={} site={}", *at + 4, list.join(","), site + 2)
                    .unwrap();
                *at += 4 + compute(rank, iteration, part);
            }
        }
        let last = now.iter().max().copied().unwrap_or(0) + 2;
        for rank in 0..ranks {
            writeln!(text, "{rank} {} {last} Allreduce bytes=8 site=12", now[rank as usize]).unwrap();
            now[rank as usize] = last;
        }
    }
    text
}

#[test]
fn iterations_phases_grid_and_meetings_of_a_stencil() {
    let found = explain(&stencil(3, 4, 40, |_, _, part| if part == 0 { 1 } else { 60 }));
    let iterations = found.iterations.expect("iterations");
    assert_eq!((iterations.count, iterations.ranks), (40, 12));
    // 2 × (2 to 4 + 4) calls of 1 or 4 µs, 61 µs of computation, 2 µs to meet.
    assert!((70_000..90_000).contains(&iterations.period_ns), "{}", iterations.period_ns);
    assert_eq!((iterations.warm_up, iterations.outliers), (None, Vec::new()));
    assert_eq!(iterations.starts_ns.iter().map(Vec::len).max(), Some(40));
    let grid = found.grid.expect("a grid");
    assert_eq!((grid.dims, grid.periodic, grid.source), (vec![3, 4], vec![false, false], "messages"));
    assert_eq!(found.pattern, Some("halo"));
    let meets = found.synchronisation.iter().find(|s| s.what == "collective").expect("a collective operation");
    assert_eq!((meets.function, meets.ranks, meets.per_iteration), ("MPI_Allreduce", 12, Some(1.0)));
    assert!(meets.text.starts_with("all 12 ranks synchronise in MPI_Allreduce"), "{}", meets.text);
    assert!(meets.text.ends_with("once per iteration"), "{}", meets.text);
    let shapes: Vec<bool> = found.phases.iter().map(|p| p.functions.is_empty()).collect();
    assert_eq!(shapes, [false, true, false], "{:#?}", found.phases);
    assert!(found.phases[1].share > 0.6, "{:#?}", found.phases);
    let all: f64 = found.phases.iter().map(|p| p.share).sum();
    assert!((all - 1.0).abs() < 1e-9);
}

#[test]
fn a_warm_up_that_is_set_apart() {
    let mut text = String::new();
    for rank in 0..4 {
        let mut at = 0;
        for iteration in 0..11 {
            for (call, site) in [("Allreduce", 2), ("Alltoall", 3), ("Alltoallv", 4)] {
                writeln!(text, "{rank} {at} {} {call} bytes=64 site={site}", at + 10).unwrap();
                at += 10 + 30;
            }
            if iteration == 0 {
                writeln!(text, "{rank} {at} {} Barrier site=5", at + 5).unwrap();
                at += 5;
            }
        }
        writeln!(text, "{rank} {at} {} Reduce root=0 bytes=8 site=6", at + 5).unwrap();
    }
    let found = explain(&text);
    let iterations = found.iterations.expect("iterations");
    assert_eq!(iterations.count, 10);
    assert_eq!(iterations.warm_up.map(|w| (w.count, w.is_apart)), Some((1, true)));
    assert_eq!(iterations.period_ns, 120_000);
    assert_eq!(found.pattern, Some("alltoall"));
    assert_eq!(found.grid, None);
}

#[test]
fn a_slow_first_iteration() {
    let found = explain(&stencil(2, 2, 60, |_, i, _| if i == 0 { 20_000 } else { 100 }));
    let warm_up = found.iterations.as_ref().and_then(|i| i.warm_up).expect("a warm-up");
    // Two computations of 20 ms in place of 0.1 ms.
    assert_eq!((warm_up.count, warm_up.is_apart, warm_up.excess_ns), (1, false, 39_800_000));
    assert_eq!(found.iterations.as_ref().map(|i| i.count), Some(60));
    let said = finding(&found, "warm_up");
    assert_eq!((said.cost_ns, &said.iterations), (4 * 39_800_000, &Some(vec![(0, 0)])));
    assert!(!has(&found, "outlier"));
}

/// A step before the loop, a barrier, `count` steps; `work` says how long each works before its only call, in µs.
fn rehearsed(first: u64, count: u64) -> String {
    let mut text = String::new();
    for rank in 0..2 {
        let mut at = 10;
        writeln!(text, "{rank} 0 {at} Bcast root=0 bytes=8 site=2").unwrap();
        for i in 0..=count {
            at += if i == 0 { first } else { 5_000 };
            writeln!(text, "{rank} {at} {} Allreduce bytes=8 site=3", at + 10).unwrap();
            at += 10;
            if i == 0 {
                writeln!(text, "{rank} {at} {} Barrier site=4", at + 5).unwrap();
                at += 5;
            }
        }
        writeln!(text, "{rank} {at} {} Reduce root=0 bytes=8 site=5", at + 5).unwrap();
    }
    text
}

#[test]
fn a_slow_step_before_the_loop() {
    let found = explain(&rehearsed(85_000, 40));
    let warm_up = found.iterations.as_ref().and_then(|i| i.warm_up).expect("a warm-up");
    assert_eq!((warm_up.count, warm_up.is_apart), (1, true));
    // 80 ms longer, and a barrier of 5 µs.
    assert!(warm_up.excess_ns.abs_diff(80_000_000) < 100_000, "{}", warm_up.excess_ns);
    assert_eq!(found.iterations.as_ref().map(|i| i.count), Some(40));
    assert!(has(&found, "warm_up"));
    // Setting up takes some iterations in every program.
    for usual in [5_000, 20_000] {
        assert!(!has(&explain(&rehearsed(usual, 40)), "warm_up"), "{usual}");
    }
    // Without a collective operation before it, it is the setting up of the program.
    let alone: String =
        rehearsed(85_000, 40).lines().filter(|l| !l.contains("Bcast")).map(|l| format!("{l}\n")).collect();
    assert!(!has(&explain(&alone), "warm_up"));
}

#[test]
fn ranks_that_start_one_after_the_other_are_no_warm_up() {
    let mut text = String::new();
    for rank in 0..4u64 {
        for i in 0..20u64 {
            // Rank 3 comes 30 ms late to the first iteration, for which all wait.
            let begin = if i == 0 { if rank == 3 { 30_000 } else { 0 } } else { 30_000 + i * 2_000 };
            writeln!(text, "{rank} {begin} {} Allreduce bytes=8 site=2", 30_010 + i * 2_000).unwrap();
            writeln!(text, "{rank} {} {} Alltoall bytes=8 site=3", 30_500 + i * 2_000, 30_510 + i * 2_000).unwrap();
        }
    }
    let found = explain(&text);
    assert_eq!(found.iterations.as_ref().map(|i| i.count), Some(20));
    assert!(!has(&found, "warm_up"), "{:?}", found.iterations);
}

#[test]
fn a_row_of_messages_is_no_main_loop() {
    let (mut text, mut at) = (String::new(), 0);
    for _ in 0..20 {
        for _ in 0..300 {
            writeln!(text, "0 {at} {} Send to=1 tag=1 bytes=8 site=2", at + 2).unwrap();
            writeln!(text, "1 {at} {} Recv from=0 tag=1 bytes=8 site=3", at + 2).unwrap();
            at += 2;
        }
        for rank in 0..2 {
            writeln!(text, "{rank} {} {} Barrier site=4", at + 400, at + 410).unwrap();
        }
        at += 410;
    }
    let iterations = explain(&text).iterations.expect("iterations");
    assert!((19..=20).contains(&iterations.count), "{}", iterations.count);
}

#[test]
fn events_like_each_other_are_no_outliers() {
    // Ten computations, on different ranks and at different times, are late by 20 ms.
    let late = |rank: i32, i: u64, part: usize| part == 1 && i % 20 == 10 && i / 20 % 6 == rank as u64;
    let found = explain(&stencil(2, 3, 200, |rank, i, part| if late(rank, i, part) { 20_000 } else { 1_000 }));
    assert!(!has(&found, "outlier"), "{:?}", found.findings);
}

#[test]
fn a_needle_has_a_rank_a_time_and_an_iteration() {
    let found = explain(&stencil(2, 3, 60, |rank, i, part| if (rank, i, part) == (4, 37, 1) { 50_000 } else { 100 }));
    let said = finding(&found, "outlier");
    assert_eq!((said.cause_ranks.as_slice(), &said.iterations), (&[4][..], &Some(vec![(37, 37)])));
    assert_eq!(number(said, "length_ns"), 50_000_000);
    assert!(number(said, "usual_ns").abs_diff(100_000) < 20_000, "{}", number(said, "usual_ns"));
    assert_eq!(said.ranks, [0, 1, 2, 3, 5]);
    // The five others lose as much.
    assert!(said.cost_ns.abs_diff(6 * 49_900_000) < 1_000_000, "{}", said.cost_ns);
    let outliers = found.iterations.expect("iterations").outliers;
    assert_eq!((outliers[0].iteration, outliers[0].ranks.as_slice(), outliers.len()), (37, &[4][..], 1));
}

#[test]
fn one_slow_rank_is_no_outlier() {
    let found = explain(&stencil(2, 3, 60, |rank, _, _| if rank == 4 { 2_000 } else { 100 }));
    assert!(!has(&found, "outlier") && !has(&found, "noise") && !has(&found, "warm_up"), "{:?}", found.findings);
}

#[test]
fn delays_at_regular_times_are_noise() {
    // Computations of 100 µs; every seventh takes 40 µs more.
    let found = explain(&stencil(2, 2, 400, |rank, i, part| {
        if part == 1 && (i + rank as u64).is_multiple_of(7) && i > 40 { 140 } else { 100 }
    }));
    let said = finding(&found, "noise");
    assert!(number(said, "delays") > 150, "{}", number(said, "delays"));
    assert!(number(said, "median_ns").abs_diff(40_000) < 4_000, "{}", number(said, "median_ns"));
    assert!(!has(&explain(&stencil(2, 2, 400, |_, _, _| 100)), "noise"));
}

#[test]
fn ranks_that_do_nothing() {
    let mut text = String::new();
    for i in 0..50 {
        let at = i * 1000;
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            writeln!(text, "{a} {} {} Send to={b} bytes=8 site=2", at + 800, at + 801).unwrap();
        }
        for (a, b) in [(0, 2), (1, 0), (2, 1)] {
            writeln!(text, "{a} {} {} Recv from={b} bytes=8 site=3", at + 801, at + 803).unwrap();
        }
        for rank in 0..4 {
            let begin = if rank == 3 { at } else { at + 803 };
            writeln!(text, "{rank} {begin} {} Barrier site=4", at + 1000).unwrap();
        }
    }
    let found = explain(&text);
    let said = finding(&found, "idle_ranks");
    assert_eq!((said.ranks.as_slice(), said.cost_ns), (&[3][..], 50_000_000));
    assert_eq!(found.pattern, Some("ring"));
}

#[test]
fn a_master_for_which_all_wait() {
    // Workers ask rank 0, which answers one after the other, 500 µs each.
    let mut text = String::new();
    for round in 0..20 {
        let begin = round * 2_000;
        for (nth, worker) in (1..4).enumerate() {
            let answered = begin + 500 * (nth + 1);
            writeln!(text, "{worker} {begin} {} Send to=0 tag=1 bytes=8 site=2", begin + 1).unwrap();
            writeln!(text, "{worker} {} {} Recv from=0 tag=2 bytes=8 site=3", begin + 1, answered + 2).unwrap();
            writeln!(text, "0 {} {} Recv from={worker} tag=1 bytes=8 site=4", answered - 480, answered - 479).unwrap();
            writeln!(text, "0 {answered} {} Send to={worker} tag=2 bytes=8 site=5", answered + 1).unwrap();
        }
    }
    let found = explained(&ingested(&text), late_senders);
    assert_eq!(found.pattern, Some("master_worker"));
    let said = finding(&found, "master_bottleneck");
    assert_eq!((said.cause_ranks.as_slice(), number(said, "waiting_ranks")), (&[0][..], 3));
    // 499 + 999 + 1499 µs in each of 20 rounds.
    assert_eq!(said.cost_ns, 20 * 2_997_000);
    assert!(!has(&explain(&text), "master_bottleneck"));
}

#[test]
fn a_staircase() {
    // Rank r receives from r − 1, works 1 ms, sends to r + 1; all begin at once.
    let (ranks, mut text) = (6, String::new());
    for round in 0..10 {
        let begin = round * 10_000;
        for rank in 0..ranks {
            let arrived = begin + 1_000 * rank + if rank > 0 { 2 } else { 0 };
            if rank > 0 {
                writeln!(text, "{rank} {begin} {arrived} Recv from={} bytes=8 site=2", rank - 1).unwrap();
            }
            if rank + 1 < ranks {
                let sends = begin + 1_000 * (rank + 1);
                writeln!(text, "{rank} {sends} {} Send to={} bytes=8 site=3", sends + 1, rank + 1).unwrap();
            }
            writeln!(text, "{rank} {} {} Barrier site=4", begin + 9_000, begin + 10_000).unwrap();
        }
    }
    let found = explained(&ingested(&text), late_senders);
    let said = finding(&found, "pipeline_fill");
    assert_eq!((number(said, "chains"), number(said, "longest_waits")), (10, 5));
    assert_eq!((number(said, "longest_ns"), number(said, "longest_step_ns")), (5_000_000, 1_000_000));
    // Rank r waits r ms, r − 1 of them while the one before waits too: 2 + 3 + 4 for chains of four and more.
    assert_eq!(said.cost_ns, 10 * (2_000_000 + 3_000_000 + 4_000_000));
    assert!(said.text.contains("0 → 1 → 2 → 3 → 4 → 5"), "{}", said.text);
    assert!(said.text.contains("once per iteration"), "{}", said.text);
    assert_eq!(found.iterations.map(|i| i.count), Some(10));
}

#[test]
fn a_pipeline_of_two_ranks() {
    // Rank 0 computes pieces of 1 ms and sends each; rank 1 computes as long with each of them.
    let run = |pieces: u64| {
        let mut text = String::new();
        for round in 0..20 {
            let begin = round * 20_000;
            for piece in 1..=pieces {
                let sent = begin + 1_000 * piece;
                writeln!(text, "0 {sent} {} Send to=1 bytes=8 site=2", sent + 1).unwrap();
                let from = if piece == 1 { begin } else { sent };
                writeln!(text, "1 {from} {} Recv from=0 bytes=8 site=3", sent + 1).unwrap();
            }
            let end = begin + 1_000 * (pieces + 1);
            (0..2).for_each(|rank| {
                let from = if rank == 0 { end - 990 } else { end };
                writeln!(text, "{rank} {from} {end} Barrier site=4").unwrap();
            });
        }
        explained(&ingested(&text), late_senders)
    };
    let found = run(4);
    let fill = found.findings.iter().find(|f| f.id == "pipeline_fill").expect("a finding");
    assert!(fill.title.starts_with("A pipeline of 2 ranks takes 1.00 ms to fill, 20 times"), "{}", fill.title);
    assert_eq!((&fill.ranks[..], &fill.cause_ranks[..]), (&[1][..], &[0][..]));
    // One piece is no pipeline: nothing shows that the work can be divided.
    assert!(run(1).findings.iter().all(|f| f.id != "pipeline_fill"));
}

#[test]
fn a_staircase_of_blocking_sends() {
    // A ring in which all but the last send first: sends end one after the other, from the last to the first.
    let mut text = String::new();
    for round in 0..10 {
        let begin = round * 10_000;
        for rank in 0..4u64 {
            // Rank 3 receives at once, rank r when its own send is over: after 3 − r steps of 1 ms.
            let receives = begin + 1_000 * (3 - rank);
            let sent = if rank == 3 { begin + 4_000 } else { receives };
            let (to, from) = ((rank + 1) % 4, (rank + 3) % 4);
            let send = if rank == 3 { begin + 1_000 } else { begin };
            let send = format!("{rank} {send} {sent} Send to={to} bytes=1000000 site=2\n");
            let receive = format!("{rank} {receives} {} Recv from={from} bytes=1000000 site=3\n", receives + 1_000);
            text += &if rank == 3 { receive + &send } else { send + &receive };
        }
        for rank in 0..4 {
            writeln!(text, "{rank} {} {} Barrier site=4", begin + 8_000, begin + 8_010).unwrap();
        }
    }
    let late_receivers = |messages: &[Message]| {
        let mut waits: Vec<Wait> = messages.iter().filter_map(crate::waits::late_receiver).collect();
        waits.sort_by_key(|w| (w.rank, w.end_ns));
        waits
    };
    let found = explained(&ingested(&text), late_receivers);
    let said = finding(&found, "serialisation_chain");
    assert_eq!((number(said, "chains"), number(said, "longest_waits")), (10, 3));
    // Both halves of the message, and a rank that only sends, are no master.
    assert!(!has(&found, "master_bottleneck"));
}

#[test]
fn placement_is_advised_only_where_it_helps() {
    // Pairs (0, 4), (1, 5), (2, 6), (3, 7) exchange; transfers take 400 µs.
    let mut text = String::new();
    for i in 0..20 {
        let at = i * 1_000;
        for (a, b) in (0..4).map(|r| (r, r + 4)) {
            writeln!(text, "{a} {at} {} Send to={b} bytes=100000 site=2", at + 400).unwrap();
            writeln!(text, "{b} {at} {} Recv from={a} bytes=100000 site=3", at + 400).unwrap();
        }
    }
    let mut run = ingested(&text);
    assert!(!has(&explained(&run, |_| Vec::new()), "placement"), "one host");
    for (rank, row) in run.dimensions.ranks.iter_mut().enumerate() {
        row.host = format!("node{}", rank / 4);
    }
    let found = explained(&run, |_| Vec::new());
    let said = finding(&found, "placement");
    assert_eq!(number(said, "between_nodes_bytes"), 20 * 4 * 100_000);
    assert_eq!(number(said, "between_nodes_then_bytes"), 0);
    assert_eq!(said.cost_ns, 20 * 4 * 400_000);
    assert_eq!(found.pattern, Some("pairs"));
    for (rank, row) in run.dimensions.ranks.iter_mut().enumerate() {
        row.host = format!("node{}", rank % 4 / 2);
    }
    assert!(!has(&explained(&run, |_| Vec::new()), "placement"), "nothing better");
}

#[test]
fn what_a_ring_has_lost_is_said() {
    let mut run = ingested(&stencil(2, 2, 30, |_, _, _| 10));
    run.dimensions.ranks[1].rows_lost = 1000;
    let found = explained(&run, |_| Vec::new());
    assert_eq!(found.iterations.map(|i| (i.count, i.is_cut)), Some((30, true)));
    assert!(found.caveats.iter().any(|c| c.contains("Events are missing")), "{:?}", found.caveats);
}

#[test]
fn ranks_without_the_loop_are_named() {
    let mut text = stencil(2, 2, 30, |_, _, _| 10);
    text += "4 0 100 Recv from=any tag=7 bytes=8\n";
    let found = explain(&text);
    assert_eq!(found.iterations.map(|i| (i.count, i.ranks)), Some((30, 4)));
    assert!(found.caveats.iter().any(|c| c.contains("4 of 5 ranks") && c.contains(": rank 4.")), "{:?}", found.caveats);
}

#[test]
fn nearly_nothing() {
    for text in ["0 0 1 Barrier", "0 0 1 Send to=0 bytes=1", "0 0 0 Recv from=any tag=any", "1 5 5 Barrier"] {
        let found = explain(text);
        assert!(found.iterations.is_none() && found.findings.is_empty() && found.pattern.is_none());
    }
    let nobody = Explainer::new(&Default::default());
    assert!(nobody.finish(&Default::default(), &[]).iterations.is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// A body repeated k times has k iterations, whatever stands before and after.
    #[test]
    fn repeated_bodies(
        k in 4u64..60,
        body in prop::collection::vec(2u32..20, 1..8),
        inner in 1u64..5,
        before in 0u32..4,
        after in 0u32..4,
    ) {
        let mut body = body;
        body.sort_unstable();
        body.dedup();
        let mut text = String::new();
        for rank in 0..3 {
            let mut at = 0;
            let mut call = |site: u32| {
                writeln!(text, "{rank} {at} {} Allreduce bytes=8 site={site}", at + 2).unwrap();
                at += 10;
            };
            (0..before).for_each(|i| call(30 + i));
            for _ in 0..k {
                for (nth, &site) in body.iter().enumerate() {
                    // The first call of a longer body goes round by itself.
                    let times = if nth == 0 && body.len() > 1 { inner } else { 1 };
                    (0..times).for_each(|_| call(site));
                }
            }
            (0..after).for_each(|i| call(40 + i));
        }
        let iterations = explain(&text).iterations;
        prop_assert_eq!(iterations.map(|i| (i.count, i.ranks)), Some((k, 3)));
    }

    /// Lengths do not matter, only the sequence.
    #[test]
    fn uneven_times(k in 6u64..40, seed in 1u64..1000) {
        let found = explain(&stencil(2, 2, k, |rank, i, part| {
            (seed * (i + 1) * (rank as u64 + 3) * (part as u64 + 7)) % 97 + if i % 5 == 0 { 400 } else { 1 }
        }));
        prop_assert_eq!(found.iterations.map(|i| (i.count, i.ranks)), Some((k, 4)));
    }
}
