//! How much memory `mpiscope report` takes for a run of very many ranks.

use std::path::Path;
use std::process::{Command, Stdio};

use mpiscope_trace::Shape;
use mpiscope_trace::defs::{Comm, Definition, runs};
use mpiscope_trace::shape::flag;
use mpiscope_trace::testing::{Builder, Folded};
use mpiscope_trace::writer::Extra;

const RANKS: i32 = 10_000;
const ROUNDS: u64 = 40;
const ROUND_NS: u64 = 10_000;
const BEGIN_NS: u64 = 1_001_000_000;
/// Always the last, so that it never waits and all others wait for it.
const LATE: i32 = 4711;
/// The bar.
const MOST_KIB: i64 = 1 << 20;

/// When a rank begins a round.
fn comes_ns(rank: i32, round: u64) -> u64 {
    let drift = if rank == LATE { 5_000 } else { (rank as u64 * 2_654_435_761 + round * 40_503) % 900 };
    BEGIN_NS + ROUND_NS * round + drift
}

/// A message round a ring and a reduction in each round, with arguments that never repeat.
fn write(rank: i32, folder: &Path) {
    let mut file = Builder::new(rank, RANKS);
    let end_ns = BEGIN_NS + ROUND_NS * ROUNDS;
    (file.header.anchors[2].ticks, file.header.anchors[2].monotonic_ns) = (end_ns, end_ns);
    (file.header.finalize_start, file.header.finalize_end) = (end_ns, end_ns);
    let all: Vec<i32> = (0..RANKS).collect();
    let world = Comm { id: 1, rank, size: RANKS, membership: 7, ordinal: 1, group: runs(&all), ..Comm::default() };
    file.info("host", &format!("h{}", rank / 64)).define(Definition::Comm(world));
    file.define(Definition::RequestList { id: 1, requests: vec![1] });
    let thread = &mut file.threads[0];
    let call = |name: &str, flags| {
        let function = mpiscope_abi::by_name(name).unwrap();
        Shape { function, comm: 1, flags, ..Shape::default() }
    };
    let with = |peer: i32, shape: Shape| Shape { peer, world_peer: peer, tag: 1, ..shape };
    let (next, before) = ((rank + 1) % RANKS, (rank + RANKS - 1) % RANKS);
    for round in 0..ROUNDS {
        let bytes = 8 + round;
        let shapes = [
            Shape { bytes_in: bytes, ..with(before, call("MPI_Irecv", flag::REQUEST)) },
            Shape { bytes_out: bytes, ..with(next, call("MPI_Send", 0)) },
            Shape { request_list: 1, ..call("MPI_Waitall", flag::REQUEST_LIST) },
            Shape { bytes_out: bytes, bytes_in: bytes, ..call("MPI_Allreduce", 0) },
        ];
        let [irecv, send, waitall, reduce] = shapes.map(|shape| thread.shape(shape));
        let start_ns = comes_ns(rank, round);
        let there_ns = (comes_ns(before, round) + 400).max(start_ns + 600);
        let over_ns = BEGIN_NS + ROUND_NS * round + 8_000;
        thread.event(irecv, start_ns, 100, &Extra { request: 1, ..Extra::NONE });
        thread.event(send, start_ns + 200, 200, &Extra::NONE);
        thread.event(waitall, start_ns + 500, there_ns - start_ns - 500, &Extra::NONE);
        thread.event(reduce, there_ns + 100, over_ns - there_ns - 100, &Extra::NONE);
    }
    let path = folder.join(format!("ranks/h.{}.rank", 1000 + rank));
    Folded(&Folded::fold(&file.bytes())).unfold(&path).unwrap();
}

#[test]
#[expect(clippy::zombie_processes, reason = "wait4 reaps it")]
fn are_explained_within_a_gibibyte() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("ranks")).unwrap();
    std::fs::write(folder.path().join("run.json"), r#"{"format":1,"run_id":"1","program":["./synthetic"]}"#).unwrap();
    (0..RANKS).for_each(|rank| write(rank, folder.path()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiscope"));
    let mut report = command.arg("report").arg(folder.path()).arg("--json").stdout(Stdio::piped()).spawn().unwrap();
    let json: serde_json::Value = serde_json::from_reader(report.stdout.take().unwrap()).unwrap();
    let (mut status, mut used) = (0, std::mem::MaybeUninit::<libc::rusage>::uninit());
    // SAFETY: both live longer than the call, which fills them.
    let used = unsafe {
        assert_eq!(
            libc::wait4(report.id() as libc::pid_t, &mut status, 0, used.as_mut_ptr()),
            report.id() as libc::pid_t
        );
        used.assume_init()
    };
    assert_eq!(status, 0);
    let found = &json["explanation"];
    assert_eq!(found["scope"]["calls"], 4 * ROUNDS * RANKS as u64);
    assert_eq!(found["critical_path"]["rows"][0]["rank"], LATE, "{}", found["critical_path"]);
    // Linux counts it in KiB.
    assert!(used.ru_maxrss < MOST_KIB, "{} KiB", used.ru_maxrss);
}
