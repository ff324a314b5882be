//! Measures the way from rank files to rows, for `bench/run.py ingest`:
//!
//! ```text
//! rows_bench make DIR CALLS RANKS [LOST]    rank files with about so many calls in all; of rank 0 this share is lost
//! rows_bench decode|ingest|explain|store|predict|simulate RUN
//! ```
//!
//! The second form prints one JSON object: calls, wall and processor time in ns, peak memory in KiB. `decode` is the
//! control: records are decoded and discarded. `predict` replays the run as it was and with one change; `simulate` is one such
//! simulation alone, of a program in memory.

use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mpiscope_ingest::Ingest;
use mpiscope_model::simulation::Simulation;
use mpiscope_predict::{Fit, Translator};
use mpiscope_run::{Resolver, Run};
use mpiscope_store::LoneReason;
use mpiscope_trace::defs::{Comm, Definition, runs};
use mpiscope_trace::shape::flag;
use mpiscope_trace::testing::{Builder, Folded, Thread};
use mpiscope_trace::writer::Extra;
use mpiscope_trace::{RankFile, Shape};

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["make", folder, calls, ranks] => make(folder.as_ref(), calls.parse()?, ranks.parse()?, 0.0),
        ["make", folder, calls, ranks, lost] => make(folder.as_ref(), calls.parse()?, ranks.parse()?, lost.parse()?),
        [what, run] => measure(what, run.as_ref()),
        _ => Err("make DIR CALLS RANKS [LOST], or decode|ingest|explain|store|predict|simulate RUN".into()),
    }
}

/// A halo exchange in a ring, messages between pairs, an occasional reduction.
fn make(folder: &Path, calls: u64, ranks: i32, lost: f64) -> Result<(), Failed> {
    std::fs::create_dir_all(folder.join("ranks"))?;
    std::fs::write(folder.join("run.json"), r#"{"format":1,"run_id":"1","program":["./synthetic"]}"#)?;
    // Four calls in each iteration, one more in every eighth.
    let iterations = calls * 8 / 33 / ranks.max(1) as u64;
    for rank in 0..ranks {
        let mut file = Builder::new(rank, ranks);
        let end = 1_001_000_000 + 10_000 * (iterations + 2);
        (file.header.anchors[2].ticks, file.header.anchors[2].monotonic_ns) = (end, end);
        (file.header.finalize_start, file.header.finalize_end) = (end, end);
        let all: Vec<i32> = (0..ranks).collect();
        let world = Comm { id: 1, rank, size: ranks, membership: 7, ordinal: 1, group: runs(&all), ..Comm::default() };
        file.info("host", "h").define(Definition::Comm(world));
        file.define(Definition::RequestList { id: 1, requests: vec![1, 2] });
        let begin = if rank == 0 { (iterations as f64 * lost) as u64 } else { 0 };
        record(&mut file.threads[0], rank, ranks, begin..iterations)?;
        let path = folder.join(format!("ranks/h.{}.rank", 1000 + rank));
        Folded(&Folded::fold(&file.bytes())).unfold(&path)?;
    }
    Ok(())
}

fn record(thread: &mut Thread, rank: i32, ranks: i32, iterations: Range<u64>) -> Result<(), Failed> {
    let shape = |name: &str, peer: i32, flags: u32| {
        let function = mpiscope_abi::by_name(name).ok_or("no such function")?;
        let peer = peer.rem_euclid(ranks);
        let at = Shape { function, comm: 1, peer, world_peer: peer, tag: 3, flags, ..Shape::default() };
        Ok::<_, Failed>(if name.ends_with("end") {
            Shape { bytes_out: 800, ..at }
        } else {
            Shape { bytes_in: 800, ..at }
        })
    };
    let mut intern = |shape: Shape| thread.shape(shape);
    let irecv = intern(shape("MPI_Irecv", rank - 1, flag::REQUEST)?);
    let isend = intern(shape("MPI_Isend", rank + 1, flag::REQUEST)?);
    let waitall = intern(Shape { request_list: 1, ..shape("MPI_Waitall", 0, flag::REQUEST_LIST)? });
    let pair = if rank % 2 == 0 { shape("MPI_Send", rank + 1, 0)? } else { shape("MPI_Recv", rank - 1, 0)? };
    let pair = intern(Shape { tag: 4, ..pair });
    let reduce = intern(Shape { bytes_out: 8, bytes_in: 8, ..shape("MPI_Allreduce", 0, 0)? });
    // The summary has what the ring has lost.
    let begin = iterations.start;
    for i in iterations {
        // Ranks drift apart and come together at the reduction.
        let drift = ((i * 2_654_435_761) ^ (rank as u64 * 40_503)) % 900;
        let start = 1_001_000_000 + 10_000 * i + drift;
        thread.event(irecv, start, 110, &Extra { request: 1, ..Extra::NONE });
        thread.event(isend, start + 300, 190, &Extra { request: 2, ..Extra::NONE });
        thread.event(waitall, start + 1500, 800, &Extra::NONE);
        thread.event(pair, start + 3000, 700, &Extra::NONE);
        if i % 8 == 7 {
            thread.event(reduce, start + 4000, 5000 - drift, &Extra::NONE);
        }
    }
    for shape in [irecv, isend, waitall, pair] {
        thread.shapes[shape as usize].calls += begin;
    }
    thread.shapes[reduce as usize].calls += begin / 8;
    thread.header.records_overwritten = 4 * begin + begin / 8;
    Ok(())
}

fn measure(what: &str, path: &Path) -> Result<(), Failed> {
    let run = Run::open(path, &Default::default())?;
    if what == "simulate" {
        return simulate(&run);
    }
    let begun = (Instant::now(), cpu_ns());
    let calls = match what {
        "decode" => decode(&run)?,
        "ingest" => rows(&run)?,
        "explain" => {
            let (found, _) = mpiscope_query::explain(&run, &Resolver::default(), None, &mut go_on)?;
            let m = &found.matching;
            one_sided(m.lone_peer_unknown + m.sends_never_received + m.receives_never_sent)?;
            found.scope.calls
        }
        "predict" => {
            let asked = [mpiscope_predict::parse("latency=0.5x")?];
            let found = mpiscope_query::predict(
                &run,
                &Resolver::default(),
                &asked,
                mpiscope_query::Target::default(),
                &mut go_on,
            )?;
            found.answers.into_iter().collect::<Result<Vec<_>, _>>()?;
            found.calls
        }
        "store" => {
            let place = path.join("store-bench");
            let made = mpiscope_query::store(&run, &Resolver::default(), &place, true, &mut go_on)?.manifest;
            let calls = made.tables.iter().find(|t| t.name == "calls").map_or(0, |t| t.rows);
            let bytes: u64 = made.tables.iter().map(|t| t.bytes).sum();
            eprintln!("{bytes} bytes, {:.1} a call", bytes as f64 / calls.max(1) as f64);
            for table in made.tables.iter().filter(|t| t.rows > 0) {
                eprintln!("  {} {} rows {} bytes", table.name, table.rows, table.bytes);
            }
            std::fs::remove_dir_all(&place)?;
            calls
        }
        other => return Err(format!("no such measure: {other}").into()),
    };
    result(calls, begun);
    Ok(())
}

fn result(calls: u64, begun: (Instant, u128)) {
    let (wall_ns, cpu) = (begun.0.elapsed().as_nanos(), cpu_ns() - begun.1);
    println!("{{\"calls\": {calls}, \"wall_ns\": {wall_ns}, \"cpu_ns\": {cpu}, \"peak_kib\": {}}}", usage().ru_maxrss);
}

fn simulate(run: &Run) -> Result<(), Failed> {
    let mut ingest = Ingest::new(run, &Resolver::default())?;
    let mut translator = Translator::new(ingest.dimensions());
    let mut fit = Fit::new(ingest.dimensions());
    let mut sections = Vec::new();
    let tables = ingest.tables();
    while let Some(batch) = ingest.next_batch()? {
        sections.push(Arc::new(translator.add_batch(&tables.dimensions, &tables.facts, &batch)));
        fit.add_batch(&tables.facts, &batch, translator.traffic());
    }
    let network = fit.network([None, None], &translator.kinds, fit.hindrances()[0]);
    let begun = (Instant::now(), cpu_ns());
    let mut simulation = Simulation::new(Arc::new(network), &translator.recorded.starts_ns);
    sections.iter().for_each(|section| simulation.add(section, &mut ()));
    let outcome = simulation.finish();
    eprintln!("{} of {} ns, {} released", outcome.time_ns(), translator.recorded.time_ns(), outcome.released);
    result(outcome.calls, begun);
    Ok(())
}

fn decode(run: &Run) -> Result<u64, Failed> {
    let mut calls = 0;
    let mut sum = 0u64;
    for rank in &run.ranks {
        let file = RankFile::open(&rank.path)?;
        for thread in 0..file.threads.len() {
            file.events(thread, |_, event| {
                calls += 1;
                sum = sum.wrapping_add(event.start ^ event.duration);
            })?;
        }
    }
    std::hint::black_box(sum);
    Ok(calls)
}

fn rows(run: &Run) -> Result<u64, Failed> {
    let mut ingest = Ingest::new(run, &Resolver::default())?;
    let (mut calls, mut lone) = (0, 0);
    while let Some(batch) = ingest.next_batch()? {
        calls += batch.ranks.iter().map(|r| r.calls.len() as u64).sum::<u64>();
        lone += batch.lone.iter().filter(|l| l.reason != LoneReason::Overwritten).count() as u64;
        ingest.recycle(batch);
    }
    one_sided(lone)?;
    Ok(calls)
}

fn go_on(_: u64, _: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// All messages of these runs have both sides, except overwritten ones.
fn one_sided(lone: u64) -> Result<(), Failed> {
    if lone > 0 { Err(format!("{lone} messages have one side only").into()) } else { Ok(()) }
}

fn usage() -> libc::rusage {
    // SAFETY: plain numbers, for which zero is a value; getrusage fills them.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` lives here.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    usage
}

/// Processor time of the process, which is more reliable than wall time on a shared machine.
fn cpu_ns() -> u128 {
    let usage = usage();
    let ns = |t: libc::timeval| t.tv_sec as u128 * 1_000_000_000 + t.tv_usec as u128 * 1000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}
