//! Rates of reading logs: `cargo bench -p mpiscope-failures`, or with files as arguments: their rates, and what is in them.
//!
//! Each kind of log (only those with `MPISCOPE_BENCH_KIND` in their names) is 1 GiB (`MPISCOPE_BENCH_MIB`), made piece by piece, so that memory stays
//! small. `count` is the control: the same bytes, of which only line ends are counted.

use std::io::Read;
use std::time::Instant;

use mpiscope_failures::{Findings, Scanner, catalogue};

const PIECE_BYTES: usize = 1 << 20;

fn main() {
    let files: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if !files.is_empty() {
        for file in &files {
            of_file(file);
        }
        return;
    }
    let mib = std::env::var("MPISCOPE_BENCH_MIB").ok().and_then(|text| text.parse().ok()).unwrap_or(1024);
    let begin = Instant::now();
    let entries = catalogue().entries().len();
    println!("catalogue: {entries} entries, ready after {:.1} ms", begin.elapsed().as_secs_f64() * 1e3);
    let only = std::env::var("MPISCOPE_BENCH_KIND").unwrap_or_default();
    for (name, lines) in kinds().into_iter().filter(|(name, _)| name.contains(&only)) {
        let piece: Vec<u8> = lines.iter().cycle().flat_map(|line| line.iter().copied()).take(PIECE_BYTES).collect();
        let begin = Instant::now();
        let ends: usize = (0..mib).map(|_| memchr::memchr_iter(b'\n', std::hint::black_box(&piece)).count()).sum();
        let control = mib as f64 / begin.elapsed().as_secs_f64();
        let mut scanner = Scanner::new(catalogue());
        scanner.begin_file(name);
        let (begin, begin_ns) = (Instant::now(), on_processor_ns());
        for _ in 0..mib {
            scanner.feed(&piece);
        }
        let found = scanner.finish();
        let rate = mib as f64 / begin.elapsed().as_secs_f64();
        let of_processor = mib as f64 * 1e9 / (on_processor_ns() - begin_ns) as f64;
        println!(
            "{name:<32} {rate:>6.0} MiB/s, {of_processor:>6.0} MiB per s of processor time, count {control:>7.0} MiB/s, {ends} lines, {}",
            ids(&found)
        );
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    println!("{}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or("VmHWM unknown"));
}

/// Time of this thread on a processor: on a busy machine, less than the time that passed.
fn on_processor_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(1)
}

fn ids(found: &Findings) -> String {
    let ids = found.messages.iter().map(|finding| format!("{} × {}", finding.entry.id, finding.count));
    ids.chain([format!("unknown × {}", found.unknown.len())]).collect::<Vec<_>>().join(", ")
}

/// Lines that are repeated.
fn kinds() -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let line = |text: &str| text.as_bytes().to_vec();
    let quiet = line("Step 1200 Temp 1.4402 E_pair -6.7733 E_mol 0 TotEng -4.6218 Press -5.0244 Volume 147022\n");
    let words = line(
        "[ 12%] Building CXX object src/CMakeFiles/solver.dir/error.cpp.o, relative error: 1.2e-7 in 12 failed tries\n",
    );
    let stack = |rank: usize| {
        line(&format!(
            "[1,{rank}]<stderr>:[node{rank}:{}] *** An error occurred in MPI_Recv\n[1,{rank}]<stderr>:[node{rank}:{0}] *** reported by process \
             [12,{rank}]\n[1,{rank}]<stderr>:[node{rank}:{0}] *** on communicator MPI_COMM_WORLD\n[1,{rank}]<stderr>:[node{rank}:{0}] *** \
             MPI_ERR_TRUNCATE: message truncated\n",
            1000 + rank
        ))
    };
    let mut state = 1u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    let binary: Vec<u8> = (0..PIECE_BYTES).map(|_| random()).collect();
    vec![
        ("output of a solver", vec![quiet.clone()]),
        ("output with words of failures", vec![words]),
        (
            "one message in 100 lines",
            (0..1000).map(|n| if n % 100 == 7 { stack(n % 512) } else { quiet.clone() }).collect(),
        ),
        ("only messages, 4096 ranks", (0..4096).map(stack).collect()),
        ("stacks of MPICH, 4096 ranks", (0..4096).map(stack_of_mpich).collect()),
        ("crashes of UCX, killed by Slurm", (0..4096).map(crash).collect()),
        ("every message, 64 ranks", (0..64).flat_map(every_message).collect()),
        ("unknown failures, 4096 ranks", (0..4096).map(unknown_failure).collect()),
        ("binary", vec![binary]),
        ("one line", vec![vec![b'x'; PIECE_BYTES]]),
    ]
}

fn stack_of_mpich(rank: usize) -> Vec<u8> {
    format!(
        "Abort({}) on node {rank} (rank {rank} in comm 0): Fatal error in internal_Send: Invalid rank, error stack:\n\
         internal_Send(120): MPI_Send(buf=0x7ffd{rank:08x}, count=1, MPI_INT, {rank}, 0, MPI_COMM_WORLD) failed\n\
         internal_Send(78).: Invalid rank has value {} but must be nonnegative and less than 4096\n",
        738_336_782 + rank,
        4096 + rank
    )
    .into_bytes()
}

fn crash(rank: usize) -> Vec<u8> {
    let (host, pid) = (rank / 64, 20_000 + rank);
    let frames: String = (0..12)
        .map(|n| format!("{n:2} 0x{:016x} solve_()  /home/user/src/solve.f90:{}\n", rank * 4096 + n, 70 + n))
        .collect();
    let end = match rank % 64 {
        0 => format!("srun: error: node{host}: tasks {rank}-{}: Segmentation fault (core dumped)\n", rank + 63),
        1 => format!("slurmstepd: error: *** STEP 4711.0 ON node{host} CANCELLED AT 2024-05-01T10:00:00 ***\n"),
        _ => String::new(),
    };
    format!(
        "[node{host}:{pid}:0:{pid}] Caught signal 11 (Segmentation fault: address not mapped to object at address 0x{rank:x})\n\
         ==== backtrace (tid: {pid:7}) ====\n{frames}=================================\n{end}"
    )
    .into_bytes()
}

/// Each text of the catalogue as rank `rank` may print it, half of them with the tags of a launcher.
fn every_message(rank: usize) -> Vec<Vec<u8>> {
    let tag = if rank.is_multiple_of(2) {
        format!("[1,{rank}]<stderr>:[node{rank}:{}] ", 1000 + rank)
    } else {
        String::new()
    };
    let printed = |pattern: &String| {
        let (mut out, mut rest) = (tag.clone(), pattern.as_str());
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').unwrap_or((after, ""));
            out += before;
            match name {
                "!" => {}
                "path" | "library" | "program" | "host" => out += "/opt/a.out",
                _ => out += &(rank * 37).to_string(),
            }
            rest = after;
        }
        (out + rest + "\n").replace('~', &format!("\n{tag}")).into_bytes()
    };
    catalogue().entries().iter().flat_map(|entry| &entry.patterns).map(printed).collect()
}

/// A failure that is in no entry.
fn unknown_failure(rank: usize) -> Vec<u8> {
    match rank % 4 {
        0 => format!("[rank {rank}] solver.f90:{}: error: pivot {} of the matrix is zero\n", rank % 97, rank * 31),
        1 => format!("{rank}: FATAL: cannot open restart file step{}.h5 on node{rank}\n", rank * 7),
        2 => format!("Traceback (most recent call last):\n  File \"run.py\", line {rank}, in <module>\nValueError: {rank} is not a shape\n"),
        _ => format!("[1,{rank}]<stderr>:ERROR: time step {}.5e-7 failed to converge on rank {rank}\n", rank % 10),
    }
    .into_bytes()
}

fn of_file(path: &str) {
    let Ok(mut file) = std::fs::File::open(path) else {
        eprintln!("cannot open {path}");
        return;
    };
    let mut scanner = Scanner::new(catalogue());
    scanner.begin_file(path);
    let begin = Instant::now();
    let mut bytes = vec![0; PIECE_BYTES];
    while let Ok(len @ 1..) = file.read(&mut bytes) {
        scanner.feed(&bytes[..len]);
    }
    let found = scanner.finish();
    let rate = found.bytes as f64 / begin.elapsed().as_secs_f64() / f64::from(1 << 20);
    println!("{path}: {rate:.0} MiB/s, {}", ids(&found));
    for unknown in &found.unknown {
        println!("    {}: {}", unknown.first.line, unknown.text);
    }
}
