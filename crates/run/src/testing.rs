//! A synthetic run for tests (feature `testing`).

use std::fs;
use std::io;
use std::path::Path;

use mpiscope_abi::id;
use mpiscope_trace::Shape;
use mpiscope_trace::defs::{Comm, Definition, runs};
use mpiscope_trace::layout::{InFlight, state};
use mpiscope_trace::shape::flag;
use mpiscope_trace::testing::Builder;
pub use mpiscope_trace::testing::Folded;

const MS: u64 = 1_000_000;

/// A shape with its statistics: `calls` of `each_ns`, the longest twice that.
pub fn shape(function: u32, site: u32, calls: u64, each_ns: u64) -> Shape {
    Shape {
        function,
        site,
        calls,
        ticks: calls * each_ns,
        min_ticks: each_ns / 2,
        max_ticks: 2 * each_ns,
        ..Shape::default()
    }
}

/// Rank `rank` of four on two hosts: a halo exchange over a 2 × 2 grid, a reduction, polls, and inline receives from any
/// source. Rank 3 waits longest.
pub fn rank(rank: i32) -> Builder {
    let mut file = Builder::new(rank, 4);
    file.info("host", if rank < 2 { "node1" } else { "node2" });
    file.info("mpi_library", "MPICH Version:      4.1.2");
    file.info("cpus", if rank % 2 == 0 { "0-3" } else { "4-7" });
    file.define(Definition::Module {
        id: 1,
        base: 0x5500_0000_0000 + ((rank as u64) << 20),
        start: 0x5500_0000_0000 + ((rank as u64) << 20),
        end: 0x5500_0000_0000 + ((rank as u64) << 20) + 0x8000,
        build_id: vec![1, 2, 3, 4],
        path: "/nowhere/halo2d".into(),
    });
    for site in 1..=6 {
        let frames = vec![0x5500_0000_0000 + ((rank as u64) << 20) + 0x1000 + 0x40 * u64::from(site)];
        file.define(Definition::Site { id: site, frames });
    }
    let world = Comm {
        id: 1,
        rank,
        size: 4,
        membership: 77,
        handle: 0x4400_0000,
        group: runs(&[0, 1, 2, 3]),
        ..Comm::default()
    };
    let coordinate = [(2, true, rank as u32 / 2), (2, false, rank as u32 % 2)];
    let grid = Comm {
        id: 3,
        created_by: id::Cart_create,
        handle: 0x8400_0000,
        parent: 1,
        ordinal: 1,
        topology: 1,
        dims: coordinate.to_vec(),
        ..world.clone()
    };
    file.define(Definition::Comm(world)).define(Definition::Comm(grid));
    file.define(Definition::CommName { id: 3, name: "grid".into() });
    let vector = id::Type_vector;
    file.define(Definition::Datatype {
        id: 9,
        size: 800,
        extent: 80_000,
        combiner: 3,
        created_by: vector,
        name: "column".into(),
    });
    file.define(Definition::Window { id: 1, comm: 3, created_by: id::Win_create, size: 4096, disp_unit: 8 });
    file.define(Definition::File { id: 1, comm: 1, amode: 5, name: "out.dat".into() });
    file.define(Definition::NotIntercepted { name: "MPIX_Comm_shrink".into(), why: "not in the table".into() });

    let wait = 400_000 + 100_000 * rank as u64;
    let thread = &mut file.threads[0];
    thread.shape(Shape { ..shape(id::Init, 1, 1, 30 * MS) });
    for (peer, bytes) in [(rank ^ 1, 8000), (rank ^ 2, 800)] {
        let message = Shape {
            comm: 3,
            datatype: 9,
            peer,
            world_peer: peer,
            tag: 7,
            count: 1,
            flags: flag::REQUEST,
            ..Shape::default()
        };
        let with = |s: Shape| Shape {
            calls: s.calls,
            ticks: s.ticks,
            min_ticks: s.min_ticks,
            max_ticks: s.max_ticks,
            function: s.function,
            site: s.site,
            ..message
        };
        thread.shape(Shape { bytes_out: bytes, ..with(shape(id::Isend, 2, 100, 2_000)) });
        thread.shape(Shape { bytes_in: bytes, ..with(shape(id::Irecv, 3, 100, 900)) });
    }
    let waitall = shape(id::Waitall, 4, 100, wait);
    thread.shape(Shape { flags: flag::REQUESTS, sum_requests: 400, ..waitall });
    thread.shape(Shape {
        comm: 1,
        datatype: 2,
        count: 1,
        bytes_out: 8,
        bytes_in: 8,
        op: 1,
        ..shape(id::Allreduce, 5, 10, 50_000)
    });
    thread.shape(Shape { flags: flag::POLL, comm: 1, ..shape(id::Iprobe, 6, 5000, 200) });
    // 60 receives inline, 50 of them split by size and peer, the table then being full.
    let inline = Shape { flags: flag::INLINE, comm: 1, datatype: 1, ..shape(id::Recv, 6, 60, 10_000) };
    thread.shape(Shape { sum_bytes_in: 50 * 100 + 10 * 5000, ..inline });
    let split = Shape { flags: flag::SUMMARY_ONLY, count: 64, world_peer: rank ^ 3, ..shape(id::Recv, 6, 50, 10_000) };
    thread.shape(Shape { sum_bytes_in: 50 * 100, ..split });
    thread.shape(Shape { ..shape(id::Finalize, 1, 1, 5 * MS) });
    thread.header.records_overwritten = 1234 * rank as u64;
    file
}

/// An exit record in the form that `exec` writes.
pub fn exit(rank: i32, exit_code: Option<i32>, signal: Option<i32>) -> String {
    let host = if rank < 2 { "node1" } else { "node2" };
    let number = |n: Option<i32>| n.map_or("null".to_owned(), |n| n.to_string());
    format!(
        r#"{{"host":"{host}","pid":{pid},"exit_code":{code},"signal":{signal},"wall_ns":{wall},"user_ns":{user},
        "system_ns":50000000,"max_rss_bytes":{rss},"start_unix_ns":1700000001000000000,
        "end_unix_ns":1700000002100000000,
        "clock":{{"tsc":0,"monotonic_ns":2100000000,"realtime_ns":1700000002100000000}}}}"#,
        pid = 1000 + rank,
        code = number(exit_code),
        signal = number(signal),
        wall = 1_100 * MS + rank as u64 * MS,
        user = 900 * MS + rank as u64 * 10 * MS,
        rss = (60 + rank) << 20,
    )
}

/// Changes rank `rank`'s file into that of a process that has been in a receive since 1.5 s.
pub fn stick(file: &mut Builder) {
    file.header.state = state::INITIALISED;
    (file.header.finalize_start, file.header.finalize_end) = (0, 0);
    let rank = file.header.world_rank as u64;
    file.threads[0].shapes.pop();
    file.threads[0].enter(InFlight {
        function: id::Recv,
        start: 1_500 * MS,
        caller: 0x5500_0000_0000 + (rank << 20) + 0x1100,
        // MPI_Recv(buf, 1, MPI_BYTE, MPI_ANY_SOURCE, 42, MPI_COMM_WORLD, status)
        words: [0, 1, 0, -2i64 as u64, 42, 0x4400_0000, 0, 0, 0, 0, 0, 0],
        ..InFlight::default()
    });
}

/// Writes `run.json` into a new run at `path`.
///
/// # Errors
///
/// If a file cannot be written.
pub fn manifest(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path.join("ranks"))?;
    fs::write(
        path.join("run.json"),
        r#"{"format":1,"run_id":"1","program":["./halo2d","-n","1000"],"cwd":"/home/user","host":"node1",
        "start_unix_ns":1700000000000000000,"mpiscope_version":"0.1.0","launcher":["mpirun","-n","4"],
        "mpi":{"family":"mpich","version":"MPICH 4.1.2","library":"/usr/lib/libmpich.so.12"},"options":{}}"#,
    )
}

/// The path of a rank's file, or of its exit record.
pub fn file_name(path: &Path, rank: i32, ending: &str) -> std::path::PathBuf {
    let host = if rank < 2 { "node1" } else { "node2" };
    path.join(format!("ranks/{host}.{}.{ending}", 1000 + rank))
}

/// Four ranks that end normally.
///
/// # Errors
///
/// If a file cannot be written.
pub fn good_run(path: &Path) -> io::Result<()> {
    manifest(path)?;
    for r in 0..4 {
        fs::write(file_name(path, r, "rank"), rank(r).bytes())?;
        fs::write(file_name(path, r, "exit.json"), exit(r, Some(0), None))?;
    }
    Ok(())
}

/// The hardware of the two hosts of [`good_run`]: node1 with two packages, one for each of its ranks; node2 with one package
/// and two NUMA nodes, caches unknown.
///
/// # Errors
///
/// If a file cannot be written.
pub fn nodes(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path.join("nodes"))?;
    let cores = r#"["0","1","2","3","4","5","6","7"]"#;
    let halves = r#"["0-3","4-7"]"#;
    let numa = r#"{"0":"0-3","1":"4-7"}"#;
    for (host, packages, l3) in [("node1", halves, halves), ("node2", r#"["0-7"]"#, "[]")] {
        let text = format!(
            r#"{{"format":1,"host":"{host}","cpus":"0-7","packages":{packages},"numa":{numa},"l3":{l3},"cores":{cores}}}"#
        );
        fs::write(path.join(format!("nodes/{host}.json")), text)?;
    }
    Ok(())
}

/// Rank 0 aborts, 1 is killed in a receive, 2 exits without finalizing, 3's file is cut short.
///
/// # Errors
///
/// If a file cannot be written.
pub fn bad_run(path: &Path) -> io::Result<()> {
    good_run(path)?;
    let mut aborted = rank(0);
    (aborted.header.state, aborted.header.abort_code) = (state::ABORTED, 7);
    aborted.header.finalize_start = 0;
    aborted.header.finalize_end = 0;
    fs::write(file_name(path, 0, "rank"), aborted.bytes())?;
    let mut stuck = rank(1);
    stick(&mut stuck);
    fs::write(file_name(path, 1, "rank"), stuck.bytes())?;
    fs::write(file_name(path, 1, "exit.json"), exit(1, None, Some(9)))?;
    let mut left = rank(2);
    left.header.state = state::INITIALISED;
    (left.header.finalize_start, left.header.finalize_end) = (0, 0);
    fs::write(file_name(path, 2, "rank"), left.bytes())?;
    fs::write(file_name(path, 2, "exit.json"), exit(2, Some(3), None))?;
    fs::write(file_name(path, 3, "rank"), &rank(3).bytes()[..100])
}
