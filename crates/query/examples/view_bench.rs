//! Queries windows of a run with its store, as the viewer's page does, without HTTP:
//!
//! ```text
//! view_bench RUN STORE [QUESTIONS]
//! ```
//!
//! Prints a line for each window (wall and processor time, cold, after a pan and after a zoom), then the spread of all. The windows are
//! those of `bench/run.py viewer`: each order of magnitude of time and of ranks as often.

use std::path::Path;
use std::time::Instant;

use mpiscope_query::view::{self, Cancel, Care, CellsWish, Filter, Layer, ViewSession};
use mpiscope_run::{Live, Resolver, RunHeader};

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [run, store] => ask(run.as_ref(), store.as_ref(), 60),
        [run, store, questions] => ask(run.as_ref(), store.as_ref(), questions.parse::<usize>()?.max(1)),
        _ => Err("view_bench RUN STORE [QUESTIONS]".into()),
    }
}

/// Random numbers that are the same in each run.
struct Random(u64);

impl Random {
    /// Between 0 and 1.
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

fn ask(run: &Path, store: &Path, questions: usize) -> Result<(), Failed> {
    let begun = Instant::now();
    let viewing = ViewSession::later(RunHeader::at(run, Live::default())?, Resolver::default(), store.to_owned());
    // The rank files are not measured.
    viewing.read(&|| false);
    let scene = viewing.scene()?;
    println!("open: {:.1} ms, {} ranks, {} MiB", ms(begun), scene.ranks(), resident_mib());
    let cells = |from_ns: u64, until_ns: u64, rows: std::ops::Range<usize>, care| {
        let (wall, cpu) = (Instant::now(), cpu_ms());
        let wish = |_, _| CellsWish {
            from_ns,
            until_ns,
            columns: 1200,
            row_from: rows.start,
            row_until: rows.end,
            rows: 512,
            filter: Filter::default(),
            layer: Layer::Calls,
            care,
        };
        let found = viewing.cells("", wish, &Cancel::default())?;
        Ok::<_, Failed>((ms(wall), cpu_ms() - cpu, found))
    };
    let (until, ranks) = (scene.until_ns(), scene.ranks());
    let (wall, cpu, _) = cells(0, until, 0..ranks, Care::Quick)?;
    println!("first picture: {wall:.1} ms, CPU {cpu:.1}");
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let [mut cold, mut panned, mut zoomed, mut quick, mut click] = [const { Vec::new() }; 5];
    let (mut panned_cpu, mut zoomed_cpu) = (0.0, 0.0);
    for _ in 0..questions {
        let wide = until as f64 * 10f64.powf(-4.5 * random.next());
        let begin = random.next() * (until as f64 - wide);
        let high = ((8.0 * (ranks as f64 / 8.0).powf(random.next())) as usize).clamp(1, ranks);
        let row = (random.next() * (ranks - high + 1) as f64) as usize;
        let window = |begin: f64, wide: f64| (begin as u64, (begin + wide) as u64 + 1, row..row + high);
        let (from, to, rows) = window(begin, wide);
        let first = cells(from, to, rows.clone(), Care::Quick)?;
        let one = cells(from, to, rows.clone(), Care::Exact)?;
        let (from, to, rows) = window(begin + wide / 4.0, wide);
        let next = cells(from, to, rows, Care::Exact)?;
        let (from, to, rows) = window(begin + wide / 2.0, wide / 2.0);
        let closer = cells(from, to, rows, Care::Exact)?;
        println!(
            "{:>9.1} us x {high:>5} ranks: {:>9} calls, {:>7} cells{}; quick {:>6.1} ms; cold {:>6.1} (CPU {:>6.1}); pan {:>6.1} (CPU {:>6.1}); zoom {:>6.1} (CPU {:>6.1})",
            wide / 1e3,
            one.2.calls(),
            one.2.count(),
            if one.2.is_exact { "" } else { " (spread)" },
            first.0,
            one.0,
            one.1,
            next.0,
            next.1,
            closer.0,
            closer.1
        );
        quick.push(first.0);
        cold.push(one.0);
        panned.push(next.0);
        zoomed.push(closer.0);
        panned_cpu += next.1;
        zoomed_cpu += closer.1;
        let wall = Instant::now();
        let rank = (random.next() * ranks as f64) as u32;
        let row = (random.next() * (scene.call_info()[rank as usize].len() as f64)) as u64;
        view::call(&scene, rank, row * 100, &Cancel::default())?;
        click.push(ms(wall));
    }
    for (name, all) in [
        ("quick", &mut quick),
        ("cold", &mut cold),
        ("panned", &mut panned),
        ("zoomed", &mut zoomed),
        ("call", &mut click),
    ] {
        all.sort_by(f64::total_cmp);
        println!("{name}: p50 {:.1}, p95 {:.1} ms", all[all.len() / 2], all[all.len() * 95 / 100]);
    }
    println!("CPU of all: panned {panned_cpu:.0}, zoomed {zoomed_cpu:.0} ms");
    println!("{} MiB", resident_mib());
    Ok(())
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// Processor time of the process, which other load on the machine does not lengthen.
fn cpu_ms() -> f64 {
    // SAFETY: plain numbers, for which zero is a value; getrusage fills them.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` lives here.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let ms = |t: libc::timeval| t.tv_sec as f64 * 1e3 + t.tv_usec as f64 / 1e3;
    ms(usage.ru_utime) + ms(usage.ru_stime)
}

fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
