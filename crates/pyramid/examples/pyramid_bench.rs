//! Measures the preview, for `bench/run.py preview`:
//!
//! ```text
//! pyramid_bench make DIR CALLS RANKS [SOURCE]    a store of a synthetic run, straight from batches; SOURCE: of what it says it
//!                                       is made
//! pyramid_bench read DIR                the control: batches are read and nothing is made of them
//! pyramid_bench build DIR               its preview: ns of processor time a call, bytes
//! pyramid_bench ask DIR [QUESTIONS]     the whole run, random windows, single calls: ms, cold and warm
//! ```
//!
//! Each prints one JSON object.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::Instant;

use mpiscope_pyramid::{Builder, Layer, Pyramid, RankGroup, Window};
use mpiscope_store::{
    About, Batch, Call, CallInfo, Collective, CommId, CommRow, Dimensions, End, Manifest, Member, Message, RankBatch,
    RankId, RankRow, RegionId, RegionRow, SiteId, SiteRow, Span, Store, WaitRow, Wanted, WindowReader, Writer, flags,
};

type Failed = Box<dyn std::error::Error>;

fn main() -> Result<(), Failed> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["make", place, calls, ranks] => make(place.as_ref(), calls.parse()?, ranks.parse()?, None),
        ["make", place, calls, ranks, source] => make(place.as_ref(), calls.parse()?, ranks.parse()?, Some(source)),
        ["build", place] => build(place.as_ref()),
        ["read", place] => read(place.as_ref()),
        ["ask", place] => ask(place.as_ref(), 60),
        ["ask", place, questions] => ask(place.as_ref(), questions.parse()?),
        _ => Err("make DIR CALLS RANKS, read|build DIR, or ask DIR [QUESTIONS]".into()),
    }
}

/// Random numbers that are the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
    /// Between two numbers, each order of magnitude as often.
    fn scale(&mut self, least: f64, most: f64) -> f64 {
        least * (most / least).powf(self.below(1 << 32) as f64 / f64::from(u32::MAX))
    }
}

/// Calls of an iteration: a halo exchange around a ring, a message between pairs, a reduction now and then.
const KINDS: [&str; 6] = ["MPI_Irecv", "MPI_Isend", "MPI_Waitall", "MPI_Send", "MPI_Recv", "MPI_Allreduce"];
/// Sizes of the message between pairs, one after the other: facts behind those of [`KINDS`].
const SIZES: [u64; 8] = [8, 64, 512, 1024, 4096, 10_000, 65_536, 1 << 20];

fn facts(at: usize, rank: u32, ranks: u32) -> CallInfo {
    let size = at.checked_sub(KINDS.len()).map_or(800, |at| SIZES[at / 2]);
    let at = if at < KINDS.len() { at } else { 3 + at % 2 };
    let function = mpiscope_abi::by_name(KINDS[at]).unwrap_or(0);
    let peer = if at == 0 { (rank + ranks - 1) % ranks } else { (rank + 1) % ranks };
    CallInfo {
        function,
        role: mpiscope_abi::role::role(function),
        flags: if at < 2 { flags::NON_BLOCKING } else { 0 },
        comm: CommId(0),
        peer: RankId(peer),
        peer2: RankId::NONE,
        tag: 3,
        tag2: i32::MIN,
        root: RankId::NONE,
        bytes_sent: if at % 3 == 1 || at == 3 { size } else { 0 },
        bytes_received: if at % 2 == 0 { size } else { 0 },
        count: 100,
        datatype: 0,
        op: 0,
        window: 0,
        file: 0,
        group: mpiscope_store::GroupId::NONE,
        site: SiteId(at as u32 + 1),
        region: RegionId(1),
        calls: 1000 - at as u64,
        time_ns: 0,
    }
}

fn make(place: &Path, calls: u64, ranks: u32, source: Option<&str>) -> Result<(), Failed> {
    let row = |rank: u32| RankRow { world_rank: rank as i32, host: format!("node{}", rank / 64), ..RankRow::default() };
    let comm =
        CommRow { label: "MPI_COMM_WORLD".into(), members: (0..ranks).map(RankId).collect(), ..Default::default() };
    let region = |name: &str, parent| RegionRow { name: name.into(), parent };
    let site = |at: usize| SiteRow { text: format!("exchange halo.c:{at}"), frames: Vec::new() };
    let dimensions = Dimensions {
        ranks: (0..ranks).map(row).collect(),
        comms: vec![comm],
        sites: (0..=KINDS.len()).map(site).collect(),
        regions: vec![region("solve", None), region("exchange", Some(0))],
        ..Dimensions::default()
    };
    let facts: Vec<Vec<CallInfo>> =
        (0..ranks).map(|rank| (0..KINDS.len() + 2 * SIZES.len()).map(|at| facts(at, rank, ranks)).collect()).collect();
    let about = About {
        source: source.map_or_else(|| format!("{calls} calls, {ranks} ranks"), str::to_owned),
        calls,
        has_waits: true,
        is_anew: true,
        ..About::default()
    };
    let mut writer = Writer::create(place, &about, &dimensions, &facts)?;
    // Four calls in each iteration, one more in every eighth.
    let iterations = (calls * 8 / 33 / u64::from(ranks)).max(1);
    let of_batch = (400_000 / 4 / u64::from(ranks)).clamp(1, 4096);
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut rows = vec![0u64; ranks as usize];
    let mut next = 0;
    while next < iterations {
        let end = (next + of_batch).min(iterations);
        let is_last = end == iterations;
        let mut batch =
            Batch { until_ns: if is_last { u64::MAX } else { 1_000_000 + 20_000 * end }, is_last, ..Batch::default() };
        batch.ranks.resize_with(ranks as usize, RankBatch::default);
        let mut waits = Vec::new();
        rows.iter().zip(&mut batch.ranks).for_each(|(&row, rank)| rank.first_row = row);
        for iteration in next..end {
            iterate(iteration, &mut random, &mut rows, &mut batch, &mut waits);
        }
        writer.append(&facts, &batch, &waits)?;
        next = end;
    }
    let made = writer.finish(&dimensions, &facts, &[])?;
    println!("{{\"calls\": {}, \"bytes\": {}}}", table(&made, "calls").0, parquet_bytes(&made));
    Ok(())
}

/// 20 µs of all ranks.
fn iterate(iteration: u64, random: &mut Random, rows: &mut [u64], batch: &mut Batch, waits: &mut Vec<WaitRow>) {
    let ranks = rows.len();
    let begin_ns = 1_000_000 + 20_000 * iteration;
    // Half of the ranks are slower, more so in the second half of a cycle of some thousand iterations.
    let slow = |rank: usize| if rank.is_multiple_of(2) { 0 } else { iteration % 4096 / 4 };
    let mut posted = Vec::with_capacity(ranks);
    let reduces = iteration % 8 == 7;
    for (rank, row) in rows.iter_mut().enumerate() {
        let mut now = begin_ns + slow(rank) + random.below(900);
        let calls = &mut batch.ranks[rank].calls;
        let mut ends = [End::default(); 5];
        for (at, end) in ends.iter_mut().enumerate().take(if reduces { 5 } else { 4 }) {
            let (gap, least) = [(50, 110), (90, 190), (900, 400), (700, 300), (300, 600)][at];
            let start_ns = now + gap + random.below(gap);
            // Durations are skewed: most near the least, some much longer.
            let end_ns = start_ns + least + random.below(least) * random.below(least) / least;
            let end_ns = if at == 4 { begin_ns + 15_000 + random.below(200) } else { end_ns };
            let kind = match at {
                3 => KINDS.len() + 2 * (iteration % 8) as usize + usize::from(rank.is_multiple_of(2)),
                4 => 5,
                at => at,
            };
            calls.push(Call { start_ns, end_ns, facts: kind as u32, calls: 1, ..Call::default() });
            *end = End {
                row: *row,
                start_ns,
                end_ns,
                done_row: *row,
                done_start_ns: start_ns,
                done_end_ns: end_ns,
                facts: kind as u32,
                done_facts: kind as u32,
                done_with: 1,
            };
            *row += 1;
            now = end_ns;
        }
        let mut span = |region, start_ns, end_ns| {
            batch.ranks[rank].regions.push(Span { region: RegionId(region), thread: 0, start_ns, end_ns });
        };
        span(1, ends[0].start_ns - 20, ends[3].end_ns + 10);
        if iteration % 100 == 99 {
            span(0, 1_000_000 + 20_000 * (iteration - 99), begin_ns + 19_990);
        }
        if random.below(3) == 0 {
            let (start_ns, end_ns) = (ends[2].start_ns, ends[2].end_ns - 50);
            waits.push(WaitRow {
                kind: "late_sender",
                rank: RankId(rank as u32),
                row: ends[2].row,
                facts: 2,
                start_ns,
                end_ns,
                cause: None,
            });
        }
        posted.push(ends);
    }
    let done = |a: End, b: End| End {
        done_row: b.row,
        done_start_ns: b.start_ns,
        done_end_ns: b.end_ns,
        done_facts: b.facts,
        ..a
    };
    for rank in 0..ranks {
        let to = (rank + 1) % ranks;
        let (sender, receiver) = (RankId(rank as u32), RankId(to as u32));
        let message = |bytes, send, receive| Message {
            comm: CommId(0),
            sender,
            receiver,
            tag: 3,
            bytes,
            sequence: iteration,
            send,
            receive,
            flags: 0,
        };
        batch.messages.push(message(800, done(posted[rank][1], posted[rank][2]), done(posted[to][0], posted[to][2])));
        if rank % 2 == 0 && to == rank + 1 {
            batch.messages.push(message(SIZES[(iteration % 8) as usize], posted[rank][3], posted[to][3]));
        }
    }
    if reduces {
        let first = batch.members.len();
        let member = |(rank, ends): (usize, &[End; 5])| Member {
            rank: RankId(rank as u32),
            end: ends[4],
            bytes_sent: 8,
            bytes_received: 8,
        };
        batch.members.extend(posted.iter().enumerate().map(member));
        let function = mpiscope_abi::by_name(KINDS[5]).unwrap_or(0);
        let members = first..first + ranks;
        batch.collectives.push(Collective {
            comm: CommId(0),
            index: iteration / 8,
            function,
            root: RankId::NONE,
            members,
            missing: 0,
        });
    }
}

/// Rows and bytes of a table.
fn table(manifest: &Manifest, name: &str) -> (u64, u64) {
    manifest.tables.iter().find(|t| t.name == name).map_or((0, 0), |t| (t.rows, t.bytes))
}

fn parquet_bytes(manifest: &Manifest) -> u64 {
    manifest.tables.iter().map(|t| t.bytes).sum()
}

fn read(place: &Path) -> Result<(), Failed> {
    let store = Store::open(place)?;
    let mut batches = store.batches(Wanted::default())?;
    let mut calls = 0;
    while let Some(batch) = batches.next_batch()? {
        calls += batch.ranks.iter().map(|r| r.calls.len()).sum::<usize>();
        std::hint::black_box(batches.waits()?);
    }
    println!("{{\"calls\": {calls}, \"peak_kib\": {}}}", peak_kib());
    Ok(())
}

fn build(place: &Path) -> Result<(), Failed> {
    let store = Store::open(place)?;
    let path = place.join(Manifest::PREVIEW);
    let mut builder = Builder::create(&path, &store.manifest().source, store.dimensions(), store.call_info())?;
    let mut batches = store.outline()?;
    let (mut calls, mut cpu, mut wall) = (0, 0, 0);
    while let Some(batch) = batches.next_batch()? {
        let waits = batches.waits()?;
        let begun = (Instant::now(), cpu_ns());
        builder.add_batch(&batch, &waits)?;
        wall += begun.0.elapsed().as_nanos();
        cpu += cpu_ns() - begun.1;
        calls += batch.ranks.iter().map(|r| r.calls.len() as u128).sum::<u128>();
    }
    let begun = (Instant::now(), cpu_ns());
    let bytes = builder.finish()?;
    wall += begun.0.elapsed().as_nanos();
    cpu += cpu_ns() - begun.1;
    let all = parquet_bytes(store.manifest());
    println!(
        "{{\"calls\": {calls}, \"wall_ns\": {wall}, \"cpu_ns\": {cpu}, \"ns_per_call\": {:.1}, \"bytes\": {bytes}, \"share\": {:.4}, \"share_of_calls\": {:.4}, \"peak_kib\": {}}}",
        cpu as f64 / calls.max(1) as f64,
        bytes as f64 / all as f64,
        bytes as f64 / table(store.manifest(), "calls").1.max(1) as f64,
        peak_kib(),
    );
    Ok(())
}

/// A window as a page asks for it: about so many bins and rows on a screen.
fn window(from_ns: u64, until_ns: u64, ranks: std::ops::Range<u32>) -> (u8, u64, u32, Vec<RankGroup>) {
    let bin_shift = ((until_ns - from_ns).max(1) / 600).max(1).ilog2() as u8;
    let first_bin = from_ns >> bin_shift;
    let columns = ((until_ns - 1 - from_ns) >> bin_shift) as u32 + 2;
    let block = ((ranks.end - ranks.start).div_ceil(700)).next_power_of_two();
    let rows = (ranks.start / block..ranks.end.div_ceil(block)).map(|at| RankGroup::from(at * block..(at + 1) * block));
    (bin_shift, first_bin, columns, rows.collect())
}

fn ask(place: &Path, questions: u64) -> Result<(), Failed> {
    let path = place.join(Manifest::PREVIEW);
    let store = Store::open(place)?;
    let go_on = || false;
    // Processor time of all threads, which others on the machine do not lengthen.
    let cpu_ms = std::cell::RefCell::new(Vec::new());
    let paint = |pyramid: &Pyramid, from_ns, until_ns, ranks: std::ops::Range<u32>| -> Result<(f64, u64, u8), Failed> {
        let (bin_shift, first_bin, columns, rows) = window(from_ns, until_ns, ranks);
        let begun = (Instant::now(), cpu_ns());
        let asked = Window { bin_shift, first_bin, columns, rows: &rows, layer: Layer::Calls };
        // No narrower bins than there are.
        let wider = pyramid.useful_shift(&asked) - bin_shift;
        let (first_bin, columns) = (first_bin >> wider, (columns >> wider) + 1);
        let cells = pyramid.cells(
            &Window { bin_shift: bin_shift + wider, first_bin, columns, rows: &rows, layer: Layer::Calls },
            &go_on,
        )?;
        cpu_ms.borrow_mut().push((cpu_ns() - begun.1) as f64 / 1e6);
        Ok((begun.0.elapsed().as_secs_f64() * 1e3, cells.calls.iter().sum(), wider))
    };
    // From nothing to the whole run.
    forget(&path)?;
    let begun = Instant::now();
    let pyramid = Pyramid::open(&path)?;
    let (time, ranks) = (pyramid.time_ns(), pyramid.ranks());
    let (_, calls, wider) = paint(&pyramid, time.start, time.end, 0..ranks)?;
    let first_ms = begun.elapsed().as_secs_f64() * 1e3;
    let mut again: Vec<f64> = Vec::new();
    for _ in 0..5 {
        again.push(paint(&pyramid, time.start, time.end, 0..ranks)?.0);
    }
    let again_cpu_ms = median(&mut cpu_ms.take());
    println!(
        "{{\"calls\": {calls}, \"again_cpu_ms\": {again_cpu_ms:.1}, \"first_paint_ms\": {first_ms:.1}, \"again_ms\": {:.1}, \"bits_wider\": {wider},",
        median(&mut again)
    );
    drop(pyramid);
    let mut random = Random(7);
    let length = (time.end - time.start) as f64;
    let windows: Vec<(u64, u64, std::ops::Range<u32>)> = (0..questions)
        .map(|_| {
            let wide = random.scale(2e-5, 1.0) * length;
            let from = time.start + random.below((length - wide) as u64 + 1);
            let high = random.scale(8.0_f64.min(f64::from(ranks)), ranks.into()) as u32;
            let first = random.below(u64::from(ranks - high) + 1) as u32;
            (from, from + wide as u64 + 1, first..first + high)
        })
        .collect();
    let (mut cold, mut warm) = (Vec::new(), Vec::new());
    for (from, until, ranks) in &windows {
        forget(&path)?;
        let pyramid = Pyramid::open(&path)?;
        cold.push(paint(&pyramid, *from, *until, ranks.clone())?.0);
        // A pan, and a step of zoom.
        let half = (until - from) / 2;
        warm.push(paint(&pyramid, from + half, until + half, ranks.clone())?.0);
        warm.push(paint(&pyramid, from + half / 2, from + half / 2 + half + 1, ranks.clone())?.0);
    }
    println!(" \"window_cpu_ms\": {},", spread(&mut cpu_ms.take()));
    println!(
        " \"windows\": {}, \"cold_ms\": {}, \"warm_ms\": {},",
        windows.len(),
        spread(&mut cold),
        spread(&mut warm)
    );
    let reader = WindowReader::open(&store, 256 << 20)?;
    let (mut one, mut again, mut near) = (Vec::new(), Vec::new(), Vec::new());
    let rows = table(store.manifest(), "calls").0 / u64::from(ranks);
    for _ in 0..questions {
        let (rank, row) = (RankId(random.below(ranks.into()) as u32), random.below(rows));
        let begun = Instant::now();
        let found = reader.call(rank, row, &go_on)?;
        one.push(begun.elapsed().as_secs_f64() * 1e3);
        let begun = Instant::now();
        let start_ns = found.start_ns.first().copied().ok_or("no such call")?;
        reader.call(rank, row + 1, &go_on)?;
        again.push(begun.elapsed().as_secs_f64() * 1e3);
        // 32 ranks for 2 ms: some 13,000 calls.
        let first = rank.0.min(ranks.saturating_sub(32));
        let wanted = Wanted {
            time_ns: Some(start_ns..start_ns + 2_000_000),
            ranks: Some((first..(first + 32).min(ranks)).map(RankId).collect()),
        };
        let begun = Instant::now();
        reader.calls(&wanted, 200_000, |_, _| true, &go_on)?;
        near.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    println!(
        " \"call_ms\": {}, \"next_call_ms\": {}, \"calls_of_window_ms\": {}, \"peak_kib\": {}}}",
        spread(&mut one),
        spread(&mut again),
        spread(&mut near),
        peak_kib()
    );
    Ok(())
}

fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

fn spread(all: &mut [f64]) -> String {
    let p50 = median(all);
    let p95 = all.get(all.len() * 95 / 100).copied().unwrap_or(0.0);
    format!("{{\"p50\": {p50:.2}, \"p95\": {p95:.2}}}")
}

/// Takes a file out of memory, so that it is read from the disk again.
fn forget(path: &Path) -> Result<(), Failed> {
    let file = File::open(path)?;
    file.sync_all()?;
    // SAFETY: an open file and plain numbers.
    unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    Ok(())
}

fn usage() -> libc::rusage {
    // SAFETY: plain numbers, for which zero is a value; getrusage fills them.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` lives here.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    usage
}

fn peak_kib() -> i64 {
    usage().ru_maxrss
}

/// Processor time of the process, which says more than the clock on a machine that others use.
fn cpu_ns() -> u128 {
    let usage = usage();
    let ns = |t: libc::timeval| t.tv_sec as u128 * 1_000_000_000 + t.tv_usec as u128 * 1000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}
