//! Tiny runs beside a machine whose messages take 1 µs and 1 ns for each byte. Times in the texts are µs.

use std::fmt::Write;

use mpiscope_ingest::testing::ingested;

use super::reference::tests::reference;
use super::reference::{Curve, Memory, OperationCurve, Point};
use super::{Attainable, AttainableRow, Reference};
use crate::{Explainer, Explanation};

fn beside(text: &str, change: impl Fn(&mut Reference)) -> Attainable {
    explained(text, change).attainable.expect("the comparison")
}

fn explained(text: &str, change: impl Fn(&mut Reference)) -> Explanation {
    let run = ingested(text);
    let mut reference = reference(run.dimensions.ranks.len());
    change(&mut reference);
    let mut explainer = Explainer::new(&run.dimensions).beside(reference);
    run.batches.iter().for_each(|batch| explainer.add_batch(&run.dimensions, &run.facts, batch));
    explainer.finish(&run.dimensions, &run.facts)
}

/// Receives that wait for their sends, each of so many bytes, in so many µs.
fn transfers(count: u64, bytes: u64, us: f64) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        let at = 100 + 100 * i;
        let _ = writeln!(text, "1 {at} {} Recv from=0 bytes={bytes}", (at + 20) as f64 + us);
        let _ = writeln!(text, "0 {} {} Send to=1 bytes={bytes}", at + 20, at + 21);
        text
    })
}

fn only(found: &Attainable) -> &AttainableRow {
    let [row] = &found.rows[..] else { panic!("{found:?}") };
    row
}

#[test]
fn transfers_that_take_twice_as_long() {
    let found = beside(&transfers(40, 1000, 4.0), |_| {});
    let row = only(&found);
    assert_eq!((row.what, row.pair_class, row.ranks), ("messages", Some("same-l3"), 2));
    assert_eq!((row.count, row.of, row.from_bytes, row.to_bytes), (40, 40, 1000, 1000));
    assert_eq!((row.median_ns, row.attainable.ns), (4000, 2000.0));
    assert_eq!((row.attainable.low_ns, row.attainable.high_ns), (Some(1800.0), Some(2200.0)));
    assert!((row.reached.unwrap() - 0.5).abs() < 0.01, "{row:?}");
    assert_eq!((row.time_ns, row.excess_ns), (160_000, 80_000));
    assert!(found.left_out.is_empty() && found.halo.is_none(), "{found:?}");
}

#[test]
fn without_the_profile_there_is_nothing() {
    let run = ingested("0 0 1 Barrier");
    let found = Explainer::new(&run.dimensions).finish(&run.dimensions, &run.facts);
    assert_eq!(found.attainable, None);
    assert_eq!(beside("0 0 1 Barrier", |_| {}).rows, []);
}

#[test]
fn late_receivers_show_no_transfer() {
    // The message may have arrived before it is received.
    let found = beside("0 0 1 Send to=1 bytes=100\n1 50 51 Recv from=0 bytes=100", |_| {});
    assert_eq!((found.rows.len(), found.left_out.len()), (0, 0));
}

#[test]
fn senders_that_wait_show_the_transfer() {
    // The receiver comes 50 µs late, and the send ends after the receive: 9 µs, and 1 µs until the receiver heard of it.
    let found = beside("0 0 60 Send to=1 bytes=100\n1 50 59 Recv from=0 bytes=100", |_| {});
    assert_eq!(only(&found).median_ns, 10_000);
    // The receiver comes before the first bytes can arrive: from the beginning of the send.
    let found = beside("0 0 3 Send to=1 bytes=100\n1 1 5 Recv from=0 bytes=100", |_| {});
    assert_eq!(only(&found).median_ns, 5_000);
}

#[test]
fn what_the_profile_lacks_is_named_with_a_command() {
    let found = beside(&transfers(3, 2 << 20, 4.0), |_| {});
    assert!(found.rows.is_empty());
    let [left] = &found.left_out[..] else { panic!("{found:?}") };
    assert_eq!((left.what, left.count, left.time_ns), ("messages", 3, 12_000));
    assert_eq!(left.why, "larger than the largest message of the profile");
    let command = left.command.as_deref();
    assert_eq!(command, Some("mpiscope bench -n 2 -o NEW.machine --max-bytes 2097152 pingpong collectives"));

    let found = beside(&transfers(3, 8, 4.0), |reference| reference.classes[0].curve = None);
    assert_eq!(found.left_out[0].why, "the profile has no pair of ranks that are as close");
    assert_eq!(found.left_out[0].pair_class, Some("same-l3"));
}

/// 10 µs for any size.
fn flat(name: &str) -> OperationCurve {
    let point = |bytes| Point { bytes, ns: 10_000.0, low_ns: None, high_ns: None };
    OperationCurve { name: name.to_owned(), curve: Curve { points: vec![point(8), point(4096)], is_disturbed: true } }
}

#[test]
fn operations_count_from_the_last_entry() {
    // 20 µs after the last rank has entered; waiting for it does not count.
    let text = (0..10).fold(String::new(), |mut text, i| {
        let at = 100 + 1000 * i;
        let _ = writeln!(text, "0 {at} {} Allreduce bytes=4", at + 520);
        let _ = writeln!(text, "1 {} {} Allreduce bytes=4", at + 500, at + 515);
        let _ = writeln!(text, "0 {} {} Alltoall bytes=64", at + 600, at + 605);
        let _ = writeln!(text, "1 {} {} Alltoall bytes=64", at + 600, at + 605);
        text
    });
    let with = |reference: &mut Reference| reference.operations = vec![flat("allreduce")];
    let found = beside(&text, with);
    let row = only(&found);
    assert_eq!((row.what, row.pair_class, row.ranks, row.bytes), ("MPI_Allreduce", None, 2, 4));
    assert_eq!((row.count, row.median_ns, row.excess_ns), (10, 20_000, 100_000));
    assert!(row.attainable.is_disturbed && row.attainable.low_ns.is_none() && row.reached.is_none(), "few samples");
    let [left] = &found.left_out[..] else { panic!("{found:?}") };
    assert_eq!((left.what, left.ranks, left.count), ("MPI_Alltoall", 2, 10));
    assert_eq!(left.why, "the profile does not have this function");

    // Another number of ranks is not comparable.
    let found = beside(&text, |reference| {
        with(reference);
        reference.ranks = 16;
    });
    assert!(found.rows.is_empty());
    let of_allreduce = found.left_out.iter().find(|left| left.what == "MPI_Allreduce").unwrap();
    assert_eq!(of_allreduce.why, "the profile has operations of 16 ranks");
    assert_eq!(of_allreduce.command.as_deref(), Some("mpiscope bench -n 2 -o NEW.machine pingpong collectives"));
}

/// The exchange of a grid that does not wrap: messages of `bytes` along each axis, then a meeting. Each iteration takes 100 µs.
fn halo(rows: u64, columns: u64, bytes: [u64; 2], iterations: u64) -> String {
    let mut text = String::new();
    for iteration in 0..iterations {
        let begin = 100 + 100 * iteration;
        for rank in 0..rows * columns {
            let (row, column) = (rank / columns, rank % columns);
            let near = [
                (row > 0).then(|| (rank - columns, 0)),
                (row + 1 < rows).then(|| (rank + columns, 0)),
                (column > 0).then(|| (rank - 1, 1)),
                (column + 1 < columns).then(|| (rank + 1, 1)),
            ];
            let near: Vec<(u64, usize)> = near.into_iter().flatten().collect();
            let mut at = begin;
            for (i, (peer, axis)) in near.iter().enumerate() {
                let (request, end) = (i + 1, at + 1);
                let _ = writeln!(
                    text,
                    "{rank} {at} {end} Irecv from={peer} bytes={} request={request} site=1",
                    bytes[*axis]
                );
                at += 1;
            }
            for (peer, axis) in &near {
                let _ = writeln!(text, "{rank} {at} {} Send to={peer} bytes={} site=2", at + 1, bytes[*axis]);
                at += 1;
            }
            let list: Vec<String> = (1..=near.len()).map(|i| i.to_string()).collect();
            let _ = writeln!(text, "{rank} {at} {} Waitall requests={} site=3", begin + 20, list.join(","));
            let _ = writeln!(text, "{rank} {} {} Allreduce bytes=8 site=4", begin + 80, begin + 90);
        }
    }
    text
}

#[test]
fn the_exchange_of_a_grid_and_of_others() {
    let found = beside(&halo(3, 4, [4000, 1000], 40), |_| {});
    let halo = found.halo.expect("a halo");
    let own = &halo.shapes[0];
    assert!(own.is_own && !own.is_assumed);
    assert_eq!((own.dims.as_slice(), &halo.axis_bytes[..]), (&[3, 4][..], &[Some(4000), Some(1000)][..]));
    assert_eq!(halo.iterations, Some(40));
    // A rank in the middle sends two messages along each axis.
    assert_eq!((own.messages.round(), own.bytes.round()), (4.0, 10_000.0));
    assert_eq!(own.attainable.unwrap().ns.round(), 14_000.0);
    // All ranks spend 20 µs of each iteration in these calls.
    assert_eq!((halo.median_ns, halo.max_ns), (Some(20_000), Some(20_000)));
    assert_eq!(halo.other_share, 0.0);
    // The domain is longer along the second axis: a message along the first axis would have 16,000 bytes.
    let one = halo.shapes.iter().find(|shape| shape.dims == [1, 12]).expect("one divided axis");
    assert_eq!((one.messages, one.bytes), (2.0, 2.0 * 3.0 * 1000.0));
    assert!((one.surface - 0.6).abs() < 1e-9);
}

#[test]
fn half_of_a_profile_gives_half_of_the_numbers() {
    let found = beside(&halo(3, 4, [4000, 1000], 40), |reference| reference.classes[0].curve = None);
    let halo = found.halo.expect("a halo");
    assert!(halo.median_ns.is_some() && halo.shapes.iter().all(|shape| shape.attainable.is_none()));
}

/// Ranks 0 and 1 of one host send to 2 and 3 of another one at the same time, so many times; each transfer takes so many µs.
fn at_once(count: u64, us: u64, apart_us: u64) -> String {
    let mut text = "host a = 0,1\nhost b = 2,3\n".to_owned();
    for i in 0..count {
        for from in [0, 1] {
            let at = 1000 + 10_000 * i + from * apart_us;
            let _ = writeln!(text, "{} {} {} Recv from={from} bytes=1000000 site=2", from + 2, at - 100, at + us);
            let _ = writeln!(text, "{from} {at} {} Send to={} bytes=1000000 site=1", at + us, from + 2);
        }
    }
    text
}

fn two_hosts(reference: &mut Reference) {
    let mut between = reference.classes[0].clone();
    between.name = "other-node";
    reference.classes.push(between);
    reference.places.hosts = vec![0, 0, 1, 1];
    reference.places.between = 1;
}

#[test]
fn two_messages_at_once_that_move_as_much_as_one() {
    // Alone, each takes 1.001 ms.
    let found = explained(&at_once(20, 2000, 0), two_hosts);
    let finding = found.findings.iter().find(|f| f.id == "saturated_network").expect("the finding");
    assert_eq!(finding.title, "The network out of a is saturated: 2.0 messages at once");
    // Of 20 times two messages, the calls of both sides take 999 µs longer.
    assert_eq!(finding.cost_ns, 4 * 20 * 999_000);
    assert!(finding.is_bound && finding.savable_ns.is_some_and(|ns| ns > 0), "{finding:?}");
    assert_eq!((finding.ranks.as_slice(), finding.sites.len()), ([0, 1, 2, 3].as_slice(), 2));
    assert_eq!((finding.proof.len(), finding.iterations.as_deref()), (16, Some([(0, 19)].as_slice())));
    assert!(finding.text.contains("40 messages of 977 KiB on average share"), "{}", finding.text);
}

#[test]
fn a_path_with_room_and_a_slow_sender_are_not_saturated() {
    let ids = |text: &str| explained(text, two_hosts).findings.iter().map(|f| f.id).collect::<Vec<_>>();
    let is_named = |text: &str| ids(text).contains(&"saturated_network");
    assert!(!is_named(&at_once(20, 1001, 0)), "both as fast as alone");
    assert!(!is_named(&at_once(20, 4000, 0)), "slower than a saturated path would be");
    assert!(!is_named(&at_once(20, 2000, 2500)), "one after the other");
    assert!(!is_named(&at_once(7, 2000, 0)), "too few messages");
    assert!(is_named(&at_once(20, 2000, 500)), "three quarters of the time together");
}

/// 1 ns for a byte that one rank copies, 4 ns for a byte of each of four at once.
fn four_saturate(reference: &mut Reference) {
    let curve = |ns: f64| Curve {
        points: [1000, 1_000_000]
            .map(|bytes| Point { bytes, ns: ns * bytes as f64, low_ns: None, high_ns: None })
            .to_vec(),
        is_disturbed: false,
    };
    reference.memory = Some(Memory { alone: curve(1.0), at_once: curve(4.0), ranks: 4 });
}

/// Four ranks of one host exchange 2 MB each, so many times, in so many µs after the last one came.
fn exchanged(count: u64, us: u64) -> String {
    let mut text = "host a = 0,1,2,3\n".to_owned();
    for i in 0..count {
        for rank in 0..4 {
            let at = 20_000 * i;
            let _ = writeln!(text, "{rank} {} {} Alltoall bytes=2000000 site=1", at + 1000 * rank, at + 3000 + us);
        }
    }
    text
}

#[test]
fn an_exchange_that_is_as_fast_as_the_memory_copies() {
    let found = explained(&exchanged(10, 8000), four_saturate);
    let finding = found.findings.iter().find(|f| f.id == "saturated_memory").expect("the finding");
    assert_eq!(finding.title, "The memory of a is saturated: 4.0 ranks copy at once");
    // Each of 40 calls takes 8 ms, alone it would take 2.
    assert_eq!((finding.cost_ns, finding.ranks.as_slice()), (40 * 6_000_000, [0, 1, 2, 3].as_slice()));
    assert!(finding.text.contains("40 times, a rank of a receives 1.91 MiB on average"), "{}", finding.text);
    assert!(finding.text.contains("use 100.0 % of what the memory can copy"), "{}", finding.text);
    assert!(finding.is_bound && finding.savable_ns.is_some_and(|ns| ns > 0), "{finding:?}");
}

#[test]
fn copies_with_room_or_from_caches_are_not_limited_by_the_memory() {
    let is_named = |text: &str, change: fn(&mut Reference)| {
        explained(text, change).findings.iter().any(|f| f.id == "saturated_memory")
    };
    assert!(is_named(&exchanged(10, 9000), four_saturate), "90 % of it");
    assert!(!is_named(&exchanged(10, 16_000), four_saturate), "half of what the memory can do");
    assert!(!is_named(&exchanged(10, 4000), four_saturate), "twice of it: from caches");
    assert!(!is_named(&exchanged(3, 8000), four_saturate), "too few");
    assert!(!is_named(&exchanged(10, 8000), |_| {}), "a profile without it");
    let with_room = |reference: &mut Reference| {
        four_saturate(reference);
        let memory = reference.memory.as_mut().unwrap();
        (memory.alone, memory.ranks) = (memory.at_once.clone(), 4);
    };
    assert!(!is_named(&exchanged(10, 8000), with_room), "one rank copies no faster than four at once");
    let two_hosts = |reference: &mut Reference| {
        four_saturate(reference);
        reference.places.hosts = vec![0, 0, 1, 1];
    };
    assert!(!is_named(&exchanged(10, 8000), two_hosts), "bytes that cross the network, too");
}

#[test]
fn messages_within_a_host_share_its_memory() {
    // As between hosts, two at once that take twice the time; the memory does as much for one.
    let text = at_once(20, 2000, 0).replace("host a = 0,1\nhost b = 2,3", "host a = 0,1,2,3");
    let found = explained(&text, four_saturate);
    let finding = found.findings.iter().find(|f| f.id == "saturated_memory").expect("the finding");
    assert_eq!(finding.cost_ns, 4 * 20 * 999_000);
    assert!(found.findings.iter().all(|f| f.id != "saturated_network"));
}
