//! Runs that are damaged, cut off, without ranks, without calls: rows as far as there are any, and no panic.

use std::time::{Duration, Instant};

use mpiscope_ingest::testing::{Ingested, ingested, ingested_bytes, ingested_run, write};
use mpiscope_store::{Call, LoneReason};
use mpiscope_trace::Shape;
use mpiscope_trace::defs::{Comm, Definition, runs};
use mpiscope_trace::shape::{flag, inline};
use mpiscope_trace::testing::{Builder, Folded, Thread};
use mpiscope_trace::writer::{Completed, Extra};
use proptest::prelude::*;
use tempfile::TempDir;

const SECOND: u64 = 1_000_000_000;

fn id(name: &str) -> u32 {
    mpiscope_abi::by_name(name).unwrap()
}

fn world(size: i32) -> Definition {
    let ranks: Vec<i32> = (0..size).collect();
    let comm = Comm { id: 1, rank: 0, size, membership: 7, ordinal: 1, group: runs(&ranks), ..Comm::default() };
    Definition::Comm(comm)
}

fn send(to: i32, tag: i32) -> Shape {
    let function = id("MPI_Send");
    Shape { function, comm: 1, peer: to, world_peer: to, tag, bytes_out: 8, ..Shape::default() }
}

fn receive(from: i32, tag: i32) -> Shape {
    let function = id("MPI_Recv");
    Shape { function, comm: 1, peer: from, world_peer: from, tag, bytes_in: 8, ..Shape::default() }
}

/// Writes files as the ranks of a run.
fn run(files: &[Builder]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write("0 0 1 Barrier", folder.path());
    std::fs::remove_file(folder.path().join("ranks/h.1000.rank")).unwrap();
    for (at, file) in files.iter().enumerate() {
        let path = folder.path().join(format!("ranks/h.{at:05}.rank"));
        std::fs::write(path, file.bytes()).unwrap();
    }
    folder
}

fn calls(found: &Ingested) -> Vec<usize> {
    let mut calls = vec![0; found.dimensions.ranks.len()];
    for batch in &found.batches {
        batch.ranks.iter().zip(&mut calls).for_each(|(rows, sum)| *sum += rows.calls.len());
    }
    calls
}

fn messages(found: &Ingested) -> usize {
    found.batches.iter().map(|b| b.messages.len()).sum()
}

/// A sender and a receiver of `count` messages.
fn pair(count: u64) -> [Builder; 2] {
    let mut files = [Builder::new(0, 2), Builder::new(1, 2)];
    for (rank, file) in files.iter_mut().enumerate() {
        file.info("host", "h").define(world(2));
        let shape = file.threads[0].shape(if rank == 0 { send(1, 3) } else { receive(0, 3) });
        for i in 0..count {
            file.threads[0].event(shape, SECOND + 1000 * (i + 1) + rank as u64, 400, &Extra::NONE);
        }
    }
    files
}

#[test]
fn no_calls_one_rank() {
    let found = ingested_run(run(&[Builder::new(0, 1)]).path()).unwrap();
    assert_eq!((calls(&found), found.batches.len()), (vec![0], 1));
    assert!(found.batches[0].is_last);
    let mut nothing = Builder::new(-1, 0);
    nothing.threads.clear();
    assert_eq!(calls(&ingested_run(run(&[nothing]).path()).unwrap()), [0]);
}

#[test]
fn a_rank_is_missing() {
    let [sender, _] = pair(100);
    let found = ingested_run(run(&[sender]).path()).unwrap();
    let lone: Vec<_> = found.batches.iter().flat_map(|b| &b.lone).collect();
    assert_eq!((calls(&found), messages(&found), lone.len()), (vec![100], 0, 100));
    assert!(lone.iter().all(|l| l.reason == LoneReason::PeerUnknown && l.is_send));
}

#[test]
fn files_cut_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let files = pair(20_000).map(|file| Folded::fold(&file.bytes()));
    let whole = ingested_bytes(&[&files[0], &files[1]], folder.path()).unwrap();
    assert_eq!((calls(&whole), messages(&whole)), (vec![20_000; 2], 20_000));
    for part in 0..40 {
        let cut = &files[1][..files[1].len() * part / 40];
        let Some(found) = ingested_bytes(&[&files[0], cut], folder.path()) else { panic!("rank 0 is whole") };
        assert_eq!(calls(&found)[0], 20_000);
        assert_eq!(messages(&found), *calls(&found).get(1).unwrap_or(&0), "cut at {part}/40");
    }
}

/// The program was killed: no end, one side has come further than the other.
#[test]
fn a_killed_run() {
    let [mut sender, mut receiver] = pair(50);
    let more = sender.threads[0].shape(send(1, 4));
    sender.threads[0].event(more, 2 * SECOND - 5_000_000, 9, &Extra::NONE);
    for file in [&mut sender, &mut receiver] {
        file.header.state = mpiscope_trace::layout::state::INITIALISED;
        (file.header.finalize_start, file.header.finalize_end) = (0, 0);
    }
    let found = ingested_run(run(&[sender, receiver]).path()).unwrap();
    let lone: Vec<_> = found.batches.iter().flat_map(|b| &b.lone).map(|l| (l.reason, l.tag)).collect();
    assert_eq!((messages(&found), lone), (50, vec![(LoneReason::NeverHappened, Some(4))]));
}

/// The ring of the receiver has lost its first messages: the others find their senders all the same.
#[test]
fn a_wrapped_ring() {
    let [mut sender, mut receiver] = pair(100_000);
    let mut left = Builder::new(1, 2);
    left.info("host", "h").define(world(2));
    [&mut sender, &mut left].into_iter().for_each(|b| b.header.init_end = SECOND);
    let shape = left.threads[0].shape(receive(0, 3));
    for i in 40_000..100_000 {
        left.threads[0].event(shape, SECOND + 1000 * (i + 1) + 1, 400, &Extra::NONE);
    }
    left.threads[0].shapes[0].calls = 100_000;
    left.threads[0].header.records_overwritten = 40_000;
    receiver.threads.clear();
    let found = ingested_run(run(&[sender, left]).path()).unwrap();
    assert_eq!((messages(&found), found.dimensions.ranks[1].rows_lost), (60_000, 40_000));
    // What is explained begins where the rows of both begin.
    let first_ns = found.batches.iter().flat_map(|b| &b.ranks[1].calls).map(|c| c.start_ns).min();
    assert_eq!(found.dimensions.ranks.iter().map(|r| Some(r.rows_from_ns)).collect::<Vec<_>>(), [first_ns; 2]);
    for message in found.batches.iter().flat_map(|b| &b.messages) {
        assert_eq!(message.send.start_ns + 1, message.receive.start_ns);
    }
    let lone: Vec<_> = found.batches.iter().flat_map(|b| &b.lone).collect();
    assert_eq!(lone.len(), 40_000);
    assert!(lone.iter().all(|l| l.reason == LoneReason::Overwritten && l.is_send));
    // Nobody keeps them until the end.
    assert!(found.batches.len() > 1 && found.batches.last().is_some_and(|b| b.lone.is_empty()));
}

#[test]
fn a_clock_that_steps_back() {
    let [sender, mut receiver] = pair(10);
    let shape = receiver.threads[0].shape(receive(0, 9));
    for start in [SECOND + 500_000, SECOND + 100, 3] {
        receiver.threads[0].event(shape, start, 7, &Extra::NONE);
    }
    let found = ingested_run(run(&[sender, receiver]).path()).unwrap();
    assert_eq!((calls(&found), messages(&found)), (vec![10, 13], 10));
    let all = found.batches.iter().flat_map(|b| b.ranks.iter().flat_map(|r| &r.calls));
    assert!(all.into_iter().all(|c: &Call| c.start_ns <= c.end_ns));
}

#[test]
fn threads_side_by_side_keep_their_lists() {
    let mut file = Builder::new(0, 1);
    file.define(world(1)).define(Definition::RequestList { id: 1, requests: vec![1, 2] });
    let isend = Shape { flags: flag::REQUEST, ..Shape { function: id("MPI_Isend"), ..send(0, 1) } };
    let irecv = Shape { flags: flag::REQUEST, ..Shape { function: id("MPI_Irecv"), ..receive(0, 1) } };
    let waitall = Shape { function: id("MPI_Waitall"), flags: flag::REQUEST_LIST, request_list: 1, ..Shape::default() };
    let barrier = Shape { function: id("MPI_Comm_rank"), ..Shape::default() };
    file.threads.push(Thread::new(7));
    let other = file.threads[1].shape(barrier);
    let thread = &mut file.threads[0];
    let shapes = [isend, irecv, waitall].map(|s| thread.shape(s));
    for i in 0..100 {
        let start = SECOND + 1000 * (i + 1);
        thread.event(shapes[0], start, 10, &Extra { request: 1, ..Extra::NONE });
        thread.event(shapes[1], start + 100, 10, &Extra { request: 2, ..Extra::NONE });
        thread.event(shapes[2], start + 200, 10, &Extra::NONE);
    }
    for i in 0..50 {
        file.threads[1].event(other, SECOND + 2000 * (i + 1) + 55, 3, &Extra::NONE);
    }
    let found = ingested_run(run(&[file]).path()).unwrap();
    assert_eq!((calls(&found), messages(&found)), (vec![350], 100));
    let done = found.batches.iter().flat_map(|b| &b.messages).all(|m| m.send.done_with == 2 && m.receive.is_done());
    assert!(done);
}

/// As many ranks as large jobs have, three calls each.
#[test]
fn ten_thousand_ranks() {
    const RANKS: i32 = 10_000;
    let folder = tempfile::tempdir().unwrap();
    write("0 0 1 Barrier", folder.path());
    std::fs::remove_file(folder.path().join("ranks/h.1000.rank")).unwrap();
    for rank in 0..RANKS {
        let mut file = Builder::new(rank, RANKS);
        file.info("host", &format!("h{}", rank / 100)).define(world(RANKS));
        let thread = &mut file.threads[0];
        let (next, before) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
        let barrier = Shape { function: id("MPI_Barrier"), comm: 1, ..Shape::default() };
        for (at, shape) in [send(next, 3), receive(before, 3), barrier].into_iter().enumerate() {
            let shape = thread.shape(shape);
            thread.event(shape, SECOND + 1000 * (at as u64 + 1), 400, &Extra::NONE);
        }
        let path = folder.path().join(format!("ranks/h.{rank:05}.rank"));
        Folded(&Folded::fold(&file.bytes())).unfold(&path).unwrap();
    }
    let begun = Instant::now();
    let found = ingested_run(folder.path()).unwrap();
    let took = begun.elapsed();
    assert_eq!((calls(&found), messages(&found)), (vec![3; RANKS as usize], RANKS as usize));
    let collectives: Vec<_> = found.batches.iter().flat_map(|b| &b.collectives).collect();
    assert_eq!((collectives.len(), collectives[0].members.len(), collectives[0].missing), (1, RANKS as usize, 0));
    // A second or two; a minute would be something that grows with the square.
    assert!(took < Duration::from_secs(60), "{took:?}");
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap().trim().trim_end_matches(" kB");
    assert!(peak.parse::<u64>().unwrap() < 1 << 20, "{peak} KiB for 30,000 calls");
}

/// A rank file with every kind of record.
fn everything() -> Builder {
    let mut file = Builder::new(0, 2);
    file.info("host", "h").define(world(2)).define(Definition::RequestList { id: 1, requests: vec![1, 2, 3] });
    file.define(Definition::Window { id: 1, comm: 1, created_by: 1, size: 64, disp_unit: 1 });
    let base = |name: &str, flags| Shape { flags, ..Shape { function: id(name), ..send(1, 1) } };
    let shapes = [
        base("MPI_Send", 0),
        base("MPI_Isend", flag::REQUEST),
        Shape { function: id("MPI_Irecv"), flags: flag::REQUEST, comm: 1, peer: -2, tag: -1, ..Shape::default() },
        base("MPI_Send_init", flag::REQUEST),
        base("MPI_Startall", flag::REQUESTS),
        base("MPI_Waitall", flag::REQUESTS),
        Shape { request_list: 1, ..base("MPI_Waitall", flag::REQUEST_LIST) },
        base("MPI_Cancel", flag::REQUESTS),
        base("MPI_Request_free", flag::REQUESTS),
        base("MPI_Barrier", 0),
        base("MPI_Ibarrier", flag::REQUEST),
        Shape { window: 1, ..base("MPI_Win_fence", 0) },
        Shape {
            inline_mask: inline::COUNT | inline::PEER | inline::TAG | inline::BYTES,
            ..base("MPI_Send", flag::INLINE)
        },
        base("MPI_Iprobe", flag::POLL),
        base("MPI_Mprobe", 0),
        base("MPI_Mrecv", 0),
    ];
    let thread = &mut file.threads[0];
    let numbers = shapes.map(|s| (thread.shape(s), s.flags));
    for round in 0..6u32 {
        for (at, &(shape, flags)) in numbers.iter().enumerate() {
            let done =
                [1, 2, 3].map(|k| Completed { request: k, has_status: round % 2 == 0, source: 1, tag: 1, bytes: 8 });
            let inline: &[u64] = if flags & flag::POLL != 0 { &[5, 9] } else { &[1, 2, 2, 8, 0] };
            let extra = Extra { inline, request: 1 + round % 3, requests: &done, ..Extra::NONE };
            thread.event(shape, SECOND + 100_000 * u64::from(round) + 1000 * at as u64, 500, &extra);
        }
    }
    file
}

/// Every row refers to something, whatever the file said.
fn is_sound(found: &Ingested) {
    for batch in &found.batches {
        for (rows, facts) in batch.ranks.iter().zip(&found.facts) {
            assert!(rows.calls.iter().all(|c| (c.facts as usize) < facts.len()));
            assert!(rows.calls.iter().all(|c| c.detail as usize <= rows.details.len()));
        }
        for message in &batch.messages {
            let facts = |rank: u32, facts: u32| assert!((facts as usize) < found.facts[rank as usize].len());
            facts(message.sender.0, message.send.facts);
            facts(message.receiver.0, message.receive.facts);
        }
        assert!(batch.collectives.iter().all(|c| c.members.end <= batch.members.len()));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn no_damage_panics(hits in proptest::collection::vec((0usize..32 << 10, any::<u8>()), 1..40), cut: u16, threads: bool) {
        let mut file = everything();
        if threads {
            let mut second = everything();
            file.threads.append(&mut second.threads);
        }
        let good = Folded::fold(&file.bytes());
        let mut folded = good.clone();
        for (at, byte) in hits {
            if let Some(place) = folded.get_mut(at) { *place = byte; }
        }
        folded.truncate(folded.len().saturating_sub((cut % 4096).into()));
        let folder = tempfile::tempdir().unwrap();
        if let Some(found) = ingested_bytes(&[&good, &folded], folder.path()) {
            is_sound(&found);
        }
    }
}

#[test]
fn the_file_with_everything_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let found = ingested_bytes(&[&Folded::fold(&everything().bytes())], folder.path()).unwrap();
    is_sound(&found);
    assert_eq!(calls(&found), [6 * 16]);
}

/// An id as large as the field, and a list as long as a definition may be.
#[test]
fn ids_beyond_all_bounds() {
    let mut file = Builder::new(0, 1);
    file.define(world(1));
    for comm in 3..2000u32 {
        let group = vec![mpiscope_trace::defs::Run { start: 0, count: u32::MAX, stride: 0 }];
        let size = i32::MAX;
        file.define(Definition::Comm(Comm { id: comm, size, membership: comm.into(), group, ..Comm::default() }));
    }
    let thread = &mut file.threads[0];
    let isend = thread.shape(Shape { function: id("MPI_Isend"), flags: flag::REQUEST, ..send(0, 1) });
    thread.event(isend, SECOND + 5, 5, &Extra { request: u32::MAX, ..Extra::NONE });
    let found = ingested_run(run(&[file]).path()).unwrap();
    assert_eq!(calls(&found), [1]);
    let members: usize = found.dimensions.comms.iter().map(|c| c.members.len()).sum();
    assert!(members < 2 << 20, "{members}");
}

/// The same text twice gives the same rows: nothing depends on the order of a hash table.
#[test]
fn rows_do_not_depend_on_chance() {
    let text: String = (0..200).map(|i| format!("{} {i} {} Allreduce bytes=8\n", i % 4, i + 1)).collect();
    let [a, b] = [ingested(&text), ingested(&text)];
    assert_eq!(format!("{:?}", a.batches), format!("{:?}", b.batches));
}

/// Splits the fuzzer's input as fuzz/fuzz_targets/ingest.rs does.
fn two_files(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (head, files) = bytes.split_first_chunk::<2>()?;
    Some(files.split_at((usize::from(u16::from_le_bytes(*head)) * 16).min(files.len())))
}

fn joined(first: &Builder, second: &Builder) -> Vec<u8> {
    let mut first = Folded::fold(&first.bytes());
    first.resize(first.len().next_multiple_of(16), 0);
    let mut bytes = ((first.len() / 16) as u16).to_le_bytes().to_vec();
    bytes.extend(first);
    bytes.extend(Folded::fold(&second.bytes()));
    bytes
}

/// What the fuzzer began with and what it found, on stable. With `MPISCOPE_BLESS=1` the seeds are written anew.
#[test]
fn the_fuzzers_corpus() {
    let corpus = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/ingest");
    let [sender, receiver] = pair(40);
    let seeds = [("pair", joined(&sender, &receiver)), ("everything", joined(&everything(), &everything()))];
    if std::env::var_os("MPISCOPE_BLESS").is_some() {
        std::fs::create_dir_all(&corpus).unwrap();
        seeds.iter().for_each(|(name, bytes)| std::fs::write(corpus.join(name), bytes).unwrap());
    }
    let folder = tempfile::tempdir().unwrap();
    let mut read = 0;
    for entry in std::fs::read_dir(&corpus).unwrap().flatten() {
        let bytes = std::fs::read(entry.path()).unwrap();
        let Some((first, second)) = two_files(&bytes) else { continue };
        if let Some(found) = ingested_bytes(&[first, second], folder.path()) {
            is_sound(&found);
            read += 1;
        }
    }
    assert!(read >= seeds.len());
}
