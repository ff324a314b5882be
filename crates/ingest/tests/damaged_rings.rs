//! Rings that cannot be read all the way: the longer side of the damage is left, and nothing of it is matched wrongly.

use mpiscope_ingest::testing::{Ingested, ingested_run, write};
use mpiscope_store::LoneReason;
use mpiscope_trace::Shape;
use mpiscope_trace::defs::{Comm, Definition, runs};
use mpiscope_trace::testing::Builder;
use mpiscope_trace::writer::Extra;
use tempfile::TempDir;

const SECOND: u64 = 1_000_000_000;
/// Messages, one each microsecond.
const MESSAGES: u64 = 60_000;
/// Where the ring of the only thread begins in files of these tests: behind its page and its shapes.
const RING: usize = (4 << 20) + 4096 + 4096;
const CHUNK: usize = 64 << 10;

/// A sender and a receiver that are in MPI from one second on, and of `receives` only so many in the ring.
fn pair(receives: u64) -> [Builder; 2] {
    let shape = |name: &str, peer: i32| Shape {
        function: mpiscope_abi::by_name(name).unwrap(),
        comm: 1,
        peer,
        world_peer: peer,
        tag: 3,
        ..Shape::default()
    };
    let shapes = [Shape { bytes_out: 8, ..shape("MPI_Send", 1) }, Shape { bytes_in: 8, ..shape("MPI_Recv", 0) }];
    [0, 1].map(|rank| {
        let mut file = Builder::new(rank, 2);
        let group = runs(&[0, 1]);
        let world = Comm { id: 1, rank, size: 2, membership: 7, ordinal: 1, group, ..Comm::default() };
        file.info("host", "h").define(Definition::Comm(world));
        file.header.init_end = SECOND;
        file.header.finalize_start = SECOND + 1000 * (MESSAGES + 1);
        let thread = &mut file.threads[0];
        let shape = thread.shape(shapes[rank as usize]);
        for i in 0..if rank == 0 { MESSAGES } else { receives } {
            thread.event(shape, SECOND + 1000 * (i + 1) + rank as u64, 400, &Extra::NONE);
        }
        file
    })
}

/// Writes the files, with one byte in chunk `chunk` of the receiver's ring such as no record begins with.
fn run(files: &[Builder; 2], damage: Option<usize>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write("0 0 1 Barrier", folder.path());
    std::fs::remove_file(folder.path().join("ranks/h.1000.rank")).unwrap();
    for (rank, file) in files.iter().enumerate() {
        let mut bytes = file.bytes();
        if let (1, Some(chunk)) = (rank, damage) {
            let at = RING + chunk * CHUNK + CHUNK / 2;
            bytes[at..at + 64].fill(0);
        }
        std::fs::write(folder.path().join(format!("ranks/h.{rank:05}.rank")), bytes).unwrap();
    }
    folder
}

/// Messages whose two sides belong together; there are no others.
fn right_messages(found: &Ingested) -> u64 {
    let messages = found.batches.iter().flat_map(|b| &b.messages);
    messages.map(|m| assert_eq!(m.send.start_ns + 1, m.receive.start_ns)).count() as u64
}

#[test]
fn the_longer_side_is_left() {
    let whole = ingested_run(run(&pair(MESSAGES), None).path()).unwrap();
    assert_eq!((right_messages(&whole), whole.dimensions.is_cut()), (MESSAGES, false));
    assert!(whole.problems.is_empty());
    let last = (pair(MESSAGES)[1].bytes().len() - RING) / CHUNK - 1;
    assert!(last >= 3, "{last}");
    for damage in [0, 1, last] {
        let found = ingested_run(run(&pair(MESSAGES), Some(damage)).path()).unwrap();
        let [sender, receiver] = &found.dimensions.ranks[..] else { panic!("two ranks") };
        let gap = receiver.unreadable.expect("a gap");
        let (n, begin_ns, end_ns) = (right_messages(&found), receiver.init_end_ns, receiver.finalize_start_ns);
        assert!(sender.unreadable.is_none() && n < MESSAGES && n > MESSAGES / 2, "{damage}: {n}");
        assert_eq!(gap.events, receiver.rows_lost);
        assert_eq!(n + gap.events, MESSAGES);
        // What is explained is what is left, on both ranks.
        let limits = [sender, receiver].map(|r| (r.rows_from_ns, r.rows_until_ns));
        match damage == last {
            true => {
                assert_eq!(gap.until_ns, end_ns);
                assert_eq!(limits, [(begin_ns, gap.from_ns); 2]);
            }
            false => {
                assert_eq!(gap.from_ns, begin_ns);
                assert_eq!(limits, [(gap.until_ns, end_ns); 2]);
            }
        }
        // No send is without its receive: that is only not known.
        let lone: Vec<_> = found.batches.iter().flat_map(|b| &b.lone).collect();
        assert_eq!(lone.len() as u64, MESSAGES - n);
        assert!(lone.iter().all(|l| l.reason == LoneReason::Overwritten && l.is_send));
        let [problem] = &found.problems[..] else { panic!("{:?}", found.problems) };
        assert!(problem.damage && problem.text.contains("cannot be read"), "{problem:?}");
        assert_eq!(problem.file.as_deref(), Some("ranks/h.00001.rank"));
    }
}

/// Of a ring that was full (`--on-full stop`) the first events are there, and belong to the first of the others.
#[test]
fn a_full_ring_is_counted_from_its_beginning() {
    let left = 20_000;
    let mut files = pair(left);
    let thread = &mut files[1].threads[0];
    (thread.shapes[0].calls, thread.header.records_dropped) = (MESSAGES, MESSAGES - left);
    let found = ingested_run(run(&files, None).path()).unwrap();
    assert_eq!(right_messages(&found), left);
    let until_ns = found.dimensions.ranks[1].rows_until_ns;
    assert!(until_ns < found.dimensions.ranks[1].finalize_start_ns);
    assert_eq!(found.dimensions.ranks[0].rows_until_ns, until_ns);
}
