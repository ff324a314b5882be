//! Runs small enough to compute by hand, and random ones.

use mpiscope_ingest::testing::{Ingested, ingested};
use mpiscope_store::{Batch, Call, RankBatch, RankId};
use proptest::prelude::*;

use crate::explain::Explainer;
use crate::explanation::Explanation;
use crate::waits::tests::properties::{steps, text};

fn explain(run: &Ingested, batches: &[Batch]) -> Explanation {
    let mut explainer = Explainer::new(&run.dimensions);
    batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
    explainer.finish(&run.dimensions, &run.facts)
}

fn explained(text: &str) -> Explanation {
    let run = ingested(text);
    explain(&run, &run.batches)
}

/// Load balance, serialisation, transfer.
fn factors(explanation: &Explanation) -> [f64; 3] {
    let found = explanation.efficiency.as_ref().expect("an efficiency").whole;
    [found.load_balance, found.serialisation, found.transfer].map(|f| f.expect("a number"))
}

fn assert_close(found: [f64; 3], wanted: [f64; 3]) {
    let is_close = found.iter().zip(wanted).all(|(f, w)| (f - w).abs() < 1e-6);
    assert!(is_close, "{found:?}, wanted {wanted:?}");
}

#[test]
fn the_critical_path_is_no_longer_than_the_run() {
    // Killed at 50, seen from outside; by its own clock its last call returned a moment later.
    let mut run = ingested(
        "0 10 80 Barrier
         1 40 80 Barrier",
    );
    for row in &mut run.dimensions.ranks {
        (row.finalize_start_ns, row.rows_until_ns) = (50_000, 50_000);
    }
    let found = explain(&run, &run.batches);
    assert_eq!(found.scope.end_ns - found.scope.start_ns, 50_000);
    assert_eq!(found.critical_path.unwrap().length_ns, 50_000);
}

const BALANCE: &str = "0 60 70 Barrier
                       1 40 70 Barrier";

/// Each computes while the other waits.
const CHAIN: &str = "0 50 55 Send to=1 tag=1 bytes=8
                     0 55 115 Recv from=1 tag=1 bytes=8
                     1 1 56 Recv from=0 tag=1 bytes=8
                     1 106 110 Send to=0 tag=1 bytes=8";

#[test]
fn load_balance_and_transfer() {
    assert_close(factors(&explained(BALANCE)), [50.0 / 60.0, 1.0, 60.0 / 70.0]);
}

#[test]
fn serialisation() {
    // Rank 0 computes 50, rank 1 the 1 before its receive and 50 after it; on an ideal network it takes 100.
    assert_close(factors(&explained(CHAIN)), [50.5 / 51.0, 51.0 / 100.0, 100.0 / 115.0]);
}

#[test]
fn a_root_needs_all_and_all_need_the_root() {
    // Rank 1 comes to the reduction at 30: the root leaves it then, not its own 10 later.
    let reduce = "0 10 40 Reduce root=0 bytes=8
                  1 30 31 Reduce root=0 bytes=8";
    assert_close(factors(&explained(reduce)), [(10.0 + 30.0) / 60.0, 1.0, 30.0 / 40.0]);
    let broadcast = "0 30 31 Bcast root=0 bytes=8
                     1 10 40 Bcast root=0 bytes=8";
    assert_close(factors(&explained(broadcast)), [(10.0 + 30.0) / 60.0, 1.0, 30.0 / 40.0]);
}

#[test]
fn polls_in_a_computation_are_computing() {
    let text = "0 10 510 Test requests= calls=5 inside=1
                0 510 520 Barrier
                1 510 520 Barrier";
    let text = text.replace("Test requests= ", "Iprobe from=1 tag=1 ");
    assert_close(factors(&explained(&text)), [1.0, 1.0, 510.0 / 520.0]);
    // Many polls, with something else between them.
    assert_close(factors(&explained(&text.replace("calls=5 ", "calls=5000 "))), [1.0, 1.0, 510.0 / 520.0]);
    let spins = text.replace("calls=5 inside=1", "calls=5000 inside=300");
    assert_close(factors(&explained(&spins)), [260.0 / 510.0, 1.0, 510.0 / 520.0]);
    // An MPI that sleeps inside of each poll.
    let naps = text.replace("inside=1", "inside=450");
    assert_close(factors(&explained(&naps)), [260.0 / 510.0, 1.0, 510.0 / 520.0]);
}

#[test]
fn a_rank_that_reads_the_clock_until_a_time_has_come_computes() {
    // Rank 0 does so for 300 of 310 µs, rank 1 for 100; a call in between and the clock at another place do not belong to it.
    let mut lines = Vec::new();
    for round in 0..20 {
        let begin = round * 310;
        for (rank, until) in [(0, 300), (1, 100)] {
            lines.push(format!("{rank} {begin} {} Wtime site=1", begin + 1));
            let spins = (1..until - 1).map(|at| format!("{rank} {} {} Wtime site=2", begin + at, begin + at + 1));
            lines.extend(spins);
            lines.push(format!("{rank} {} {} Allreduce bytes=8 site=3", begin + until, begin + 310));
        }
    }
    let explanation = explained(&lines.join("\n"));
    let finding = explanation.findings.iter().find(|f| f.id == "load_imbalance").expect("a finding");
    assert_eq!((finding.cause_ranks.as_slice(), finding.cost_ns / 1000), (&[0][..], 20 * 200));
    assert_eq!(finding.savable_ns.map(|ns| ns / 1_000_000), Some(4), "{finding:?}");
    // The first two calls of each round are calls.
    let computing_us = 20 * (300 - 2 + 100 - 2);
    assert!((explanation.time.computing_ns / 1000).abs_diff(computing_us) <= 2, "{:?}", explanation.time);
}

#[test]
fn critical_path() {
    let path = explained(CHAIN).critical_path.expect("a path");
    let rows: Vec<_> = path.rows.iter().map(|r| (r.rank, r.kind, r.function, r.ns)).collect();
    let wanted = [
        (0, "computing", "MPI_Send", 50_000),
        (1, "computing", "MPI_Send", 50_000),
        (0, "mpi", "MPI_Recv", 9_000),
        (1, "mpi", "MPI_Recv", 6_000),
    ];
    assert_eq!((&rows[..], path.length_ns, path.jumps), (&wanted[..], 115_000, 2));
    // All is computed before a Send, and the mean rank computes half of it.
    assert_eq!(path.imbalance_ns, 50_000);
    let path = explained(BALANCE).critical_path.expect("a path");
    let rows: Vec<_> = path.rows.iter().map(|r| (r.rank, r.kind, r.ns)).collect();
    assert_eq!(rows, [(0, "computing", 60_000), (0, "mpi", 10_000)]);
    assert_eq!(path.imbalance_ns, 10_000);
}

#[test]
fn delays_go_back_to_where_they_began() {
    // Rank 2 is late, rank 1 waits for it, rank 0 for rank 1.
    let text = "0 10 95 Recv from=1 tag=1 bytes=8
                1 20 82 Recv from=2 tag=1 bytes=8
                1 90 91 Send to=0 tag=1 bytes=8
                2 80 81 Send to=1 tag=1 bytes=8 region=work";
    let found: Vec<_> =
        explained(text).delays.iter().map(|d| (d.cause_rank, d.direct_ns, d.total_ns, d.region.clone())).collect();
    let wanted = [(2, 60_000, 120_000, Some("work".into())), (1, 80_000, 20_000, None)];
    assert_eq!(found, wanted);
}

#[test]
fn regions() {
    let text = "0 60 70 Barrier region=a
                0 1 71 region region=a
                1 40 70 Barrier region=a
                1 1 71 region region=a
                0 75 80 Barrier
                1 75 80 Barrier";
    let explanation = explained(text);
    let [row] = &explanation.efficiency.as_ref().expect("an efficiency").regions[..] else { panic!("one region") };
    assert_eq!((row.region.as_str(), row.rank_time_ns), ("a", 140_000));
    let found = [row.efficiency.load_balance, row.efficiency.serialisation, row.efficiency.transfer];
    // Computing is 59 + 1 and 39 + 1.
    assert_close(found.map(|f| f.expect("a number")), [50.0 / 60.0, 1.0, 60.0 / 70.0]);
    // The same by ranges.
    let ranges = [(RankId(0), 0, 70_000), (RankId(1), 0, 70_000)];
    let whole = explanation.timelines.efficiencies(&ranges);
    let found = [whole.load_balance, whole.serialisation, whole.transfer].map(|f| f.expect("a number"));
    assert_close(found, [50.0 / 60.0, 1.0, 60.0 / 70.0]);
}

/// In each of 16 rounds, one rank computes 3 ms, the others 1.
fn rounds(heavy: impl Fn(u64) -> u64) -> String {
    so_many_rounds(16, heavy)
}

fn so_many_rounds(count: u64, heavy: impl Fn(u64) -> u64) -> String {
    let mut lines = Vec::new();
    for round in 0..count {
        for rank in 0..4 {
            let ms = if rank == heavy(round) { 3000 } else { 1000 };
            let (start, end) = (round * 3010 + ms, round * 3010 + 3010);
            lines.push(format!("{rank} {start} {end} Allreduce bytes=8 site=2 region=step"));
        }
    }
    lines.join("\n")
}

#[test]
fn load_imbalance() {
    let explanation = explained(&rounds(|_| 2));
    let finding = explanation.findings.iter().find(|f| f.id == "load_imbalance").expect("a finding");
    assert_eq!((finding.cost_ns, &finding.cause_ranks[..], &finding.ranks[..]), (96_000_000, &[2][..], &[0, 1, 3][..]));
    assert!(finding.title.starts_with("Rank 2 computes 2.00 times as long as the mean: the others wait 96.0 ms"));
    assert_eq!(finding.regions, ["step"]);
    // The one who computes longest changes.
    let explanation = explained(&rounds(|round| round % 4));
    let finding = explanation.findings.iter().find(|f| f.id == "load_imbalance").expect("a finding");
    assert!(finding.title.starts_with("The rank that computes longest changes over time"), "{}", finding.title);
    assert_eq!(finding.cause_ranks.len(), 4);
    // In turn, so that all compute for equally long in each stretch of four rounds.
    let explanation = explained(&so_many_rounds(256, |round| round % 4));
    let finding = explanation.findings.iter().find(|f| f.id == "load_imbalance").expect("a finding");
    assert!(finding.title.starts_with("Ranks take turns to compute longest: the others wait 1.5"), "{}", finding.title);
    assert!(finding.text.contains("one computes 2.00 times as long as the mean"), "{}", finding.text);
    let ([mut late, waiting], saves_ms) =
        ([&finding.cause_ranks, &finding.ranks].map(Vec::clone), finding.savable_ns.map(|ns| ns / 1_000_000));
    late.sort_unstable();
    assert_eq!((late, waiting, saves_ms), (vec![0, 1, 2, 3], vec![0, 1, 2, 3], Some(1530)));
    // Only now and then, but regularly.
    let explanation = explained(&so_many_rounds(120, |round| if round % 8 == 7 { 1 } else { 9 }));
    let finding = explanation.findings.iter().find(|f| f.id == "load_imbalance").expect("a finding");
    let title = "Rank 1 computes 2.00 times as long as the mean in one of 8 iterations: the others wait";
    assert!(finding.title.starts_with(title), "{}", finding.title);
    assert!(finding.advice.contains("only in these iterations"), "{}", finding.advice);
    // All alike.
    let explanation = explained(&rounds(|_| 9));
    assert!(explanation.findings.iter().all(|f| f.id != "load_imbalance"));
}

#[test]
fn what_is_before_or_after_the_loop_is_compared_apart() {
    // 60 iterations in which all compute equally long, and 20 ms of rank 3 before or after them.
    let of_loop = |begin_us: u64| {
        let line = |at: u64| {
            let (start, end) = (begin_us + at / 4 * 1010 + 1000, begin_us + at / 4 * 1010 + 1010);
            format!("{} {start} {end} Allreduce bytes=8 site=2", at % 4)
        };
        (0..240).map(line).collect::<Vec<_>>().join("\n")
    };
    let meeting = |begin_us: u64| {
        let line = |rank: u64| {
            let start = begin_us + if rank == 3 { 21_000 } else { 1_000 };
            format!("{rank} {start} {} Barrier site=9", begin_us + 21_010)
        };
        (0..4).map(line).collect::<Vec<_>>().join("\n")
    };
    let before = format!("{}\n{}", meeting(0), of_loop(21_010));
    let after = format!("{}\n{}", of_loop(0), meeting(60 * 1010));
    for (run, when) in [(before, "before"), (after, "after")] {
        let explanation = explained(&run);
        let finding = explanation.findings.iter().find(|f| f.id == "load_imbalance").expect("a finding");
        assert!(finding.title.contains(&format!("as long as the mean {when} the main loop")), "{}", finding.title);
        assert_eq!((finding.cost_ns, &finding.cause_ranks[..]), (60_000_000, &[3][..]), "{finding:?}");
        // Each of four ranks would compute 5 ms more than before instead of waiting for 20.
        assert_eq!(finding.savable_ns.map(|ns| ns / 1_000_000), Some(60), "{finding:?}");
        assert!(finding.text.contains("before MPI_Barrier"), "{}", finding.text);
        assert_eq!(explanation.findings.iter().filter(|f| f.id == "load_imbalance").count(), 1);
    }
}

#[test]
fn iterations_of_an_imbalance_are_named() {
    // Rank 2 is late in rounds 5 to 8 only: not in the usual one, so no imbalance; the waits say when.
    let explanation = explained(&rounds(|round| if (5..9).contains(&round) { 2 } else { 9 }));
    let waits = explanation.findings.iter().find(|f| f.id == "wait_at_nxn").expect("waits");
    let iterations = waits.iterations.clone().expect("iterations");
    let [(first, last)] = iterations[..] else { panic!("one stretch: {iterations:?}") };
    // A iteration begins with its call: the computing before it is the iteration's before.
    assert!((4..=5).contains(&first) && (8..=9).contains(&last), "{iterations:?}");
    assert!(waits.text.contains(&format!("iterations {first}–{last} of 16")), "{}", waits.text);
    let all = explained(&rounds(|_| 2));
    assert!(all.findings.iter().all(|f| f.iterations == Some(vec![(0, 15)])), "{:?}", all.findings);
}

#[test]
fn ranks_out_of_step_are_balanced() {
    // Each works 3 ms in each iteration; one does it while the other waits, so that they differ at any moment.
    let mut lines = Vec::new();
    for turn in 0..20u64 {
        let at = turn * 6_000;
        lines.push(format!("0 {} {} Send to=1 tag=1 bytes=8 site=2", at + 3_000, at + 3_001));
        lines.push(format!("0 {} {} Recv from=1 tag=2 bytes=8 site=3", at + 3_001, at + 6_000));
        lines.push(format!("1 {at} {} Recv from=0 tag=1 bytes=8 site=4", at + 3_001));
        lines.push(format!("1 {} {} Send to=0 tag=2 bytes=8 site=5", at + 5_999, at + 6_000));
    }
    let explanation = explained(&lines.join("\n"));
    assert!(explanation.findings.iter().all(|f| f.id != "load_imbalance"), "{:?}", explanation.findings);
    assert!(explanation.findings.iter().any(|f| f.id == "late_sender"));
}

/// The same run in small batches: calls by time, everything else in the batch after its last call.
fn cut(run: &Ingested, step_ns: u64) -> Vec<Batch> {
    let [whole] = &run.batches[..] else { panic!("one batch") };
    let end_ns = whole.ranks.iter().flat_map(|r| &r.calls).map(|c| c.end_ns).max().unwrap_or(0);
    let mut batches: Vec<Batch> = (1..=end_ns / step_ns + 2)
        .map(|i| Batch {
            until_ns: i * step_ns,
            ranks: (0..whole.ranks.len()).map(|_| RankBatch::default()).collect(),
            ..Batch::default()
        })
        .collect();
    let slot = |ns: u64| (ns / step_ns) as usize;
    for (at, rank) in whole.ranks.iter().enumerate() {
        for (row, call) in rank.calls.iter().enumerate() {
            let batch = &mut batches[slot(call.end_ns)].ranks[at];
            if batch.calls.is_empty() {
                batch.first_row = row as u64;
            }
            batch.calls.push(*call);
        }
    }
    for message in &whole.messages {
        let known_ns = message.send.done_end_ns.max(message.receive.done_end_ns);
        batches[slot(known_ns)].messages.push(*message);
    }
    for collective in &whole.collectives {
        let members = &whole.members[collective.members.clone()];
        let batch = &mut batches[slot(members.iter().map(|m| m.end.done_end_ns).max().unwrap_or(0))];
        let begin = batch.members.len();
        batch.members.extend(members);
        let mut collective = collective.clone();
        collective.members = begin..batch.members.len();
        batch.collectives.push(collective);
    }
    if let Some(last) = batches.last_mut() {
        (last.is_last, last.until_ns) = (true, u64::MAX);
    }
    batches
}

/// Five iterations of 100 µs: an exchange of everybody after 60 and 40 of computing, in turn 3 after 90 and 10; then a
/// barrier after 10 more.
const TURNS: [(u64, u64); 5] = [(60, 40), (60, 40), (60, 40), (90, 10), (60, 40)];

fn turns() -> String {
    let mut lines = Vec::new();
    for (turn, (one, other)) in (0u64..).zip(TURNS) {
        let at = 10 + turn * 120;
        for (rank, work) in [one, other].into_iter().enumerate() {
            // The iteration begins with the barrier.
            lines.push(format!("{rank} {at} {} Barrier site=1", at + 5));
            lines.push(format!("{rank} {} {} Allreduce bytes=8 site=2", at + 5 + work, at + 105));
        }
    }
    lines.join("\n")
}

#[test]
fn iterations_have_efficiencies() {
    let explanation = explained(&turns());
    let efficiency = explanation.efficiency.expect("an efficiency");
    let found = efficiency.iterations.expect("iterations");
    assert_eq!((found.iterations_per_window, &found.windows.first[..]), (1, &[0, 1, 2, 3, 4][..]));
    assert_eq!(found.windows.start_ns[..2], [10_000, 130_000]);
    // A iteration: 5 of barrier, the work, the rest of 100 in the Allreduce, 15 of computing. The last ends with its call.
    assert_eq!(found.windows.rank_time_ns, [240_000, 240_000, 240_000, 240_000, 210_000]);
    assert_eq!(found.windows.computing_ns, [130_000, 130_000, 130_000, 130_000, 100_000]);
    let third = [found.windows.load_balance[3], found.windows.serialisation[3], found.windows.transfer[3]];
    assert_close(third.map(|f| f.expect("a number")), [65.0 / 105.0, 1.0, 105.0 / 120.0]);
    let first = [found.windows.load_balance[0], found.windows.serialisation[0], found.windows.transfer[0]];
    assert_close(first.map(|f| f.expect("a number")), [65.0 / 75.0, 1.0, 75.0 / 120.0]);
    // The last has less computing, and is over sooner: it is not compared.
    let spread = found.spread.parallel.expect("a number");
    assert!(spread.iter().all(|share| (share - 65.0 / 120.0).abs() < 1e-6), "{spread:?}");
    assert_eq!((found.worst[0].first, found.worst.len()), (0, 4));
}

#[test]
fn phases_have_efficiencies() {
    let explanation = explained(&turns());
    let efficiency = explanation.efficiency.expect("an efficiency");
    let names: Vec<&str> = explanation.phases.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(efficiency.phases.iter().map(|p| p.phase.as_str()).collect::<Vec<_>>(), names);
    let computed: u64 = efficiency.phases.iter().map(|p| p.computing_ns).sum();
    // 500 before the Allreduce, 4 × 15 before the barrier on each rank; not what is before the first iteration.
    assert!(620_000u64.abs_diff(computed) <= 8, "{:?}", efficiency.phases);
    let inside: u64 = efficiency.phases.iter().map(|p| p.rank_time_ns).sum();
    assert!(inside.abs_diff(2 * (4 * 120 + 105) * 1000) <= 8, "{:?}", efficiency.phases);
    // Before the Allreduce 330 and 170 are computed, before the barrier 60 each: both are around calls of one function.
    let busy = efficiency.phases.iter().max_by_key(|p| p.computing_ns).expect("a phase");
    assert!((busy.efficiency.load_balance.expect("a number") - 310.0 / 390.0).abs() < 1e-3, "{:?}", efficiency.phases);
}

#[test]
fn computing_is_that_of_the_computation() {
    let explanation = explained(&turns());
    let phases = explanation.efficiency.expect("an efficiency").phases;
    for phase in phases {
        let is_computation = phase.phase.starts_with("computation");
        let computes = phase.computing_ns == phase.rank_time_ns;
        assert!(computes == is_computation && (is_computation || phase.computing_ns == 0), "{phase:?}");
    }
}

#[test]
fn many_iterations_come_in_windows() {
    // Written by hand: 120,000 iterations of 100 µs, in batches, so that rows are forgotten.
    let mut run = ingested("0 20 90 Barrier site=1\n1 20 90 Barrier site=1");
    let of_rank = |rank: usize| run.batches.iter().flat_map(|b| &b.ranks[rank].calls).next().copied();
    let calls = [0, 1].map(|rank| of_rank(rank).expect("a call"));
    let (turns, of_batch) = (120_000u64, 6_000);
    let rank_batch = |rank: usize, first_row: u64| RankBatch {
        first_row,
        calls: (first_row..first_row + of_batch)
            .map(|turn| {
                // Rank 1 is busier in the second half.
                let work_ns = if turn >= 60_000 && rank == 1 { 40_000 } else { 20_000 };
                let at_ns = turn * 100_000;
                Call { start_ns: at_ns + work_ns, end_ns: at_ns + 90_000, ..calls[rank] }
            })
            .collect(),
        ..RankBatch::default()
    };
    let batch = |at: u64| Batch {
        until_ns: if at + 1 == turns / of_batch { u64::MAX } else { (at + 1) * of_batch * 100_000 },
        is_last: at + 1 == turns / of_batch,
        ranks: (0..2).map(|rank| rank_batch(rank, at * of_batch)).collect(),
        ..Batch::default()
    };
    let batches: Vec<Batch> = (0..turns / of_batch).map(batch).collect();
    for row in &mut run.dimensions.ranks {
        (row.rows_until_ns, row.finalize_start_ns) = (turns * 100_000, turns * 100_000);
    }
    let explanation = explain(&run, &batches);
    let found = explanation.efficiency.expect("an efficiency").iterations.expect("iterations");
    let windows = &found.windows;
    assert!(windows.first.len() <= 1000 && found.iterations_per_window == 128, "{}", found.iterations_per_window);
    assert_eq!(windows.first[1..4], [128, 256, 384]);
    // Iterations begin with their call: 128 × 70 of it and 128 × 30 of computing.
    assert_eq!((windows.rank_time_ns[1], windows.computing_ns[1]), (25_600_000, 128 * 30_000 * 2));
    assert!(windows.first.contains(&64_000));
    let late = windows.first.partition_point(|&f| f < 64_000);
    // Rank 1 begins its iterations 20 later.
    assert_eq!((windows.rank_time_ns[late], windows.computing_ns[late]), (25_600_000, 128 * (30_000 + 50_000)));
    assert_eq!(windows.load_balance[late], Some(0.8));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn efficiencies_are_shares(steps in steps()) {
        let explanation = explained(&text(&steps, 0));
        let found = explanation.efficiency.expect("an efficiency").whole;
        let all = [found.parallel, found.load_balance, found.communication, found.serialisation, found.transfer];
        for share in all.into_iter().flatten() {
            prop_assert!((0.0..=1.0).contains(&share), "{:?}", found);
        }
        if let [Some(parallel), Some(balance), Some(communication), Some(serialisation), Some(transfer)] = all {
            prop_assert!((parallel - balance * communication).abs() < 1e-9);
            prop_assert!((communication - serialisation * transfer).abs() < 1e-9);
        }
    }

    #[test]
    fn windows_are_the_whole_loop(work in proptest::collection::vec((1u64..80, 1u64..80, 0u64..9), 4..60)) {
        let mut lines = Vec::new();
        let mut at = 7;
        for &(one, other, after) in &work {
            let end = at + one.max(other) + 3;
            for (rank, work) in [one, other].into_iter().enumerate() {
                lines.push(format!("{rank} {} {end} Allreduce bytes=8 site=2", at + work));
                lines.push(format!("{rank} {} {} Send to={} tag=1 bytes=8 site=3", end + 1, end + 2, 1 - rank));
                lines.push(format!("{rank} {} {} Recv from={} tag=1 bytes=8 site=4", end + 3, end + 4, 1 - rank));
            }
            at = end + 5 + after;
        }
        let run = ingested(&lines.join("\n"));
        let explanation = explain(&run, &run.batches);
        let main = explanation.iterations.as_ref().expect("a loop");
        let found = explanation.efficiency.as_ref().and_then(|e| e.iterations.as_ref()).expect("windows");
        let sum = |list: &[u64]| list.iter().sum::<u64>();
        let last_end_ns = at * 1000 - (work[work.len() - 1].2 + 1) * 1000;
        let starts: Vec<u64> = main.starts_ns.iter().map(|s| s[0]).collect();
        let whole: u64 = starts.iter().map(|start| last_end_ns - start).sum();
        prop_assert_eq!(sum(&found.windows.rank_time_ns), whole);
        // The parts add up to what the two ranks compute between the same moments.
        let line: Vec<_> = run.batches.iter().flat_map(|b| &b.ranks).map(|rank| {
            let calls = rank.calls.iter().filter(|c| c.start_ns >= starts[0].min(starts[1]));
            calls.map(|c| c.end_ns - c.start_ns).sum::<u64>()
        }).collect();
        let inside: u64 = line.iter().zip(&starts).map(|(ns, start)| last_end_ns - start - ns).sum();
        prop_assert_eq!(sum(&found.windows.computing_ns), inside);
        for share in found.windows.parallel.iter().chain(&found.windows.transfer).flatten() {
            prop_assert!((0.0..=1.0).contains(share), "{:?}", found.windows);
        }
    }

    #[test]
    fn a_path_is_as_long_as_the_run(steps in steps()) {
        let explanation = explained(&text(&steps, 0));
        let path = explanation.critical_path.expect("a path");
        prop_assert_eq!(path.length_ns, explanation.scope.end_ns);
        let direct: u64 = explanation.delays.iter().map(|d| d.direct_ns).sum();
        prop_assert_eq!(direct, explanation.delays.iter().map(|d| d.total_ns).sum::<u64>());
    }

    #[test]
    fn batches_make_no_difference(mut steps in steps(), step_us in 20u64..3000) {
        // Which sizes are eager is learnt in the order in which messages come.
        steps.iter_mut().for_each(|s| s.bytes %= 1000);
        let run = ingested(&text(&steps, 0));
        let (whole, parts) = (explain(&run, &run.batches), explain(&run, &cut(&run, step_us * 1000)));
        // Whether messages are in the wrong order is seen only inside a batch.
        let waits = |e: &Explanation| e.waits.iter().map(|w| (w.wait_ns, w.count)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        prop_assert_eq!(waits(&whole), waits(&parts));
        let length = |e: &Explanation| e.critical_path.as_ref().map(|p| p.length_ns);
        prop_assert_eq!(length(&whole), length(&parts));
        let useful = |e: &Explanation| e.efficiency.as_ref().and_then(|f| f.whole.load_balance);
        prop_assert_eq!(useful(&whole), useful(&parts));
    }
}
