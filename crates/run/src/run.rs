//! Opens a run: `run.json`, the rank files, the exit records.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use mpiscope_records::{ExitRecord, Manifest, manifest};
use mpiscope_trace::RankFile;
use mpiscope_trace::layout::{Header, InFlight};
use mpiscope_trace::reader::{ReadError, Source, TickClock};
use rayon::prelude::*;

use crate::call_stats::cells;
use crate::defs::Defs;
use crate::diagnostic::Diagnostic;
use crate::exit_status::{self, Fate};
use crate::listing;
use crate::losses::{Losses, RANK_NOT_WANTED};
use crate::messages;
use crate::tally::{Tally, surrounds};
use crate::worlds::{self, WorldRow};

/// Why there is nothing to report. Each text ends with what to do next.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path does not exist.
    #[error("{0}: no such run; record one with: mpiscope run -n 4 ./a.out")]
    Missing(PathBuf),
    /// A rank file instead of the directory.
    #[error("{0}: this is the file of one rank; give the run that it belongs to: {1}")]
    RankFile(PathBuf, PathBuf),
    /// Something else.
    #[error(
        "{0}: not a run (it has no run.json); a run is a directory that mpiscope run created, such as a.out.mpiscope"
    )]
    NotARun(PathBuf),
    /// Written by a later version: the meaning of its fields is unknown.
    #[error(
        "{0}: recorded by a newer mpiscope: its run.json has format {1}, but this mpiscope reads only up to {max}; \
         use that version, or a later one",
        max = manifest::FORMAT
    )]
    Newer(PathBuf, u64),
    /// The operating system refused.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// Processes ended, none of them wrote a rank file.
    #[error(
        "{path}: the program never called MPI ({processes} process(es) recorded, {ends}); \
         if it should have, it may have removed LD_PRELOAD from its environment, or its MPI cannot be intercepted; \
         for details type: mpiscope doctor {program}"
    )]
    NoMpi {
        /// The run.
        path: PathBuf,
        /// How many processes ended.
        processes: usize,
        /// How, in words.
        ends: String,
        /// What was run.
        program: String,
    },
    /// No process ended either.
    #[error("{0}: nothing was recorded in this run; if the program still runs, wait for its first MPI call")]
    Empty(PathBuf),
    /// The caller cancelled.
    #[error("{0}: interrupted")]
    Interrupted(PathBuf),
    /// There are rank files, but none can be read.
    #[error("{path}: none of its {} rank file(s) can be read: {}; record again", .skipped.len(), .skipped[0].text)]
    AllDamaged {
        /// The run.
        path: PathBuf,
        /// One for each file; never empty.
        skipped: Vec<Diagnostic>,
    },
}

/// An opened run.
pub struct Run {
    /// Its directory.
    pub path: PathBuf,
    /// `run.json`.
    pub manifest: Manifest,
    /// Processes that called MPI, by world rank.
    pub ranks: Vec<Rank>,
    /// Ends of processes that did not.
    pub other_exits: Vec<ExitRecord>,
    /// Problems.
    pub diagnostics: Vec<Diagnostic>,
    /// Its worlds.
    pub worlds: Vec<WorldRow>,
}

/// One process, folded.
pub struct Rank {
    /// Its rank file.
    pub path: PathBuf,
    /// Number of its world in the run, see [`crate::worlds`].
    pub world: u64,
    /// First page of the file. (Boxed, as thousands of these structures are sorted and moved.)
    pub header: Arc<Header>,
    /// Ticks of this file to `CLOCK_MONOTONIC` of its host.
    pub clock: TickClock,
    /// Definitions by id.
    pub defs: Defs,
    /// What the rank did.
    pub tally: Tally,
    /// Threads that called MPI, in order of their first call.
    pub threads: Vec<ThreadFacts>,
    /// Calls entered and not returned, with the thread, outermost first.
    pub in_flight: Vec<(u32, InFlight)>,
    /// Innermost open region of each thread.
    pub regions: Vec<(u32, u32)>,
    /// What was not recorded.
    pub losses: Losses,
    /// Latest moment in the file, ns of `CLOCK_MONOTONIC`.
    pub last_ns: u64,
    /// How the process ended, if there is an exit record.
    pub exit: Option<ExitRecord>,
    /// `CLOCK_MONOTONIC` when the file of a running process was read, ns.
    pub alive_at_ns: Option<u64>,
}

/// A thread that called MPI.
#[derive(Clone, Copy, Debug)]
pub struct ThreadFacts {
    /// Kernel thread id.
    pub tid: u32,
    /// Time in calls that returned, without initialization and finalization, ns.
    pub inside_ns: u64,
}

/// Files that are not in the run's directory yet.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Rank files of processes that still run on this host.
    pub files: Vec<PathBuf>,
    /// Hosts with files that are not in the run, with the directory there.
    pub elsewhere: Vec<(String, PathBuf)>,
    /// `CLOCK_MONOTONIC` now, ns.
    pub monotonic_ns: u64,
}

impl Rank {
    /// Growth of the resident set during initialization.
    pub(crate) fn init_rss_bytes(&self) -> Option<u64> {
        let fact = |key| self.defs.info(key)?.parse::<u64>().ok();
        Some(fact("rss.after_init_bytes")?.saturating_sub(fact("rss.before_init_bytes")?))
    }

    /// Reads and folds one rank file.
    ///
    /// # Errors
    ///
    /// If the source cannot be read, is not a rank file, or is of a newer mpiscope.
    pub fn read<S: Source>(path: &Path, source: S) -> Result<Rank, ReadError> {
        Self::read_at(path, source, None)
    }

    /// The same for a process that still ran at a moment of `CLOCK_MONOTONIC`.
    fn read_at<S: Source>(path: &Path, source: S, alive_at_ns: Option<u64>) -> Result<Rank, ReadError> {
        let mut file = RankFile::parse(source)?;
        let clock = file.clock();
        let mut tally = Tally::default();
        let defs = Defs::new(std::mem::take(&mut file.definitions));
        let fold = |thread: &mpiscope_trace::ThreadView| {
            let cells = cells(thread, &clock);
            tally.add_messages(messages::of_thread(thread, &defs));
            tally.regions.add_thread(thread, &cells, &clock);
            ThreadFacts { tid: thread.tid, inside_ns: tally.add_thread(&cells) }
        };
        let threads = file.threads.iter().map(fold).collect();
        let in_flight: Vec<(u32, InFlight)> = file
            .threads
            .iter()
            .flat_map(|t| t.in_flight.iter().filter(|call| exit_status::is_sound(call)).map(|call| (t.tid, *call)))
            .collect();
        let mut losses = Losses::from_file(&file);
        let mut last_ns = file.header.anchors.iter().map(|a| a.monotonic_ns).max().unwrap_or(0);
        if let (0, Some(alive_at_ns)) = (file.header.finalize_end, alive_at_ns) {
            last_ns = last_ns.max(alive_at_ns);
        } else if file.header.finalize_end == 0 {
            // No closing anchor: the newest record is the best estimate.
            for thread in 0..file.threads.len() {
                let visit = |_: &_, event: &mpiscope_trace::Event| {
                    last_ns = last_ns.max(clock.ns(event.start.wrapping_add(event.duration)));
                };
                losses.damaged_parts += file.events(thread, visit)?;
            }
            last_ns = in_flight.iter().fold(last_ns, |last, (_, call)| last.max(clock.ns(call.start)));
        }
        Ok(Rank {
            path: path.to_owned(),
            world: 0,
            header: file.header,
            clock,
            threads,
            defs,
            tally,
            regions: file.threads.iter().filter_map(|t| Some((t.tid, t.open_regions.last()?.region))).collect(),
            in_flight,
            losses,
            last_ns,
            exit: None,
            alive_at_ns,
        })
    }

    /// See [`Run::forget_sums`].
    fn forget_sums(&mut self) {
        let sites = std::mem::take(&mut self.tally.sites);
        self.tally = Tally { sites, ..Tally::default() };
    }

    /// Rank in `MPI_COMM_WORLD`, −1 when it was not yet known.
    pub fn rank(&self) -> i32 {
        self.header.world_rank
    }

    /// Host name, empty when unknown.
    pub fn host(&self) -> &str {
        self.defs.info("host").or(self.exit.as_ref().map(|e| e.host.as_str())).unwrap_or("")
    }

    /// Whether it was among the ranks to record (`mpiscope run --ranks`).
    pub fn is_recorded(&self) -> bool {
        self.header.off_reason != RANK_NOT_WANTED
    }

    /// How it ended.
    pub fn fate(&self) -> Fate {
        Fate::new(&self.header, self.exit.as_ref(), self.alive_at_ns.is_some())
    }

    /// Last moment of the process, ns of `CLOCK_MONOTONIC`, as far as known.
    pub fn end_ns(&self) -> u64 {
        self.seen_until_ns().unwrap_or(self.last_ns).max(self.last_ns)
    }

    /// Until when the process is known to have run, ns of `CLOCK_MONOTONIC`: its end, or now.
    pub fn seen_until_ns(&self) -> Option<u64> {
        self.exit.as_ref().and_then(ExitRecord::end_monotonic_ns).or(self.alive_at_ns)
    }

    /// Whether the moment of the end is known (or that of reading, for a running process).
    pub fn end_is_known(&self) -> bool {
        self.header.finalize_end != 0 || self.seen_until_ns().is_some()
    }

    /// From the end of initialisation to the beginning of finalization (or the end of the
    /// process), ns: what shares of time refer to.
    pub fn inside_ns(&self) -> u64 {
        let header = &self.header;
        let ticks = [header.init_end, header.init_start].into_iter().find(|&t| t != 0);
        let start = ticks.map_or(header.anchors[0].monotonic_ns, |t| self.clock.ns(t));
        let end = if header.finalize_start != 0 { self.clock.ns(header.finalize_start) } else { self.end_ns() };
        end.saturating_sub(start)
    }

    /// Duration of `MPI_Init`, ns, if its return was recorded.
    pub fn init_ns(&self) -> Option<u64> {
        let (start, end) = (self.header.init_start, self.header.init_end);
        (start != 0 && end != 0).then(|| self.clock.ns(end).saturating_sub(self.clock.ns(start)))
    }

    /// Time of each thread in MPI within [`Rank::inside_ns`], ns, including its current call.
    pub fn threads_in_mpi_ns(&self) -> impl Iterator<Item = u64> {
        self.threads.iter().map(|thread| {
            let outermost = self.in_flight.iter().find(|(tid, _)| *tid == thread.tid);
            let waiting = outermost.filter(|(_, call)| !surrounds(call.function));
            let waited_ns = waiting.map_or(0, |(_, call)| self.end_ns().saturating_sub(self.clock.ns(call.start)));
            thread.inside_ns.saturating_add(waited_ns)
        })
    }

    /// From start to end of the process, ns, if the end is known.
    pub fn wall_ns(&self) -> Option<u64> {
        match &self.exit {
            Some(exit) if exit.wall_ns != 0 => Some(exit.wall_ns),
            _ => self.end_is_known().then(|| self.end_ns().saturating_sub(self.header.anchors[0].monotonic_ns)),
        }
    }
}

/// Directory of a copied run with a file for each host: when it was copied.
const SNAPSHOT: &str = "snapshot";
/// Directory of a run with a file for each host: when the launcher ended.
const ENDED: &str = "ended";

impl Run {
    /// Opens the run at `path`, with the files of processes that still run.
    ///
    /// # Errors
    ///
    /// If `path` is no run, or none of its rank files can be read. Other damage is part of the run's diagnostics.
    pub fn open(path: &Path, live: &Live) -> Result<Run, OpenError> {
        Run::open_watched(path, live, &|_, _| true)
    }

    /// The same; `go_on` is called after each rank file, from several threads, with the number of files read and in total, and
    /// returns whether to continue.
    ///
    /// # Errors
    ///
    /// As [`Run::open`]; [`OpenError::Interrupted`] after `go_on` has returned false.
    pub fn open_watched(
        path: &Path,
        live: &Live,
        go_on: &(dyn Fn(usize, usize) -> bool + Sync),
    ) -> Result<Run, OpenError> {
        let mut diagnostics: Vec<Diagnostic> =
            live.elsewhere.iter().map(|(host, dir)| Diagnostic::elsewhere(host, dir, path)).collect();
        let listing = listing::list(path, live)?;
        let manifest = read_manifest(path, !listing.ranks.is_empty(), &mut diagnostics)?;
        let alive: HashSet<&PathBuf> = live.files.iter().collect();
        let (done, is_wanted) = (AtomicUsize::new(0), AtomicBool::new(true));
        let read = |file: &PathBuf| -> Option<(String, Result<Rank, ReadError>)> {
            if !is_wanted.load(Ordering::Relaxed) {
                return None;
            }
            let alive_at_ns = alive.contains(file).then_some(live.monotonic_ns);
            let rank = fs::File::open(file).map_err(ReadError::Io).and_then(|f| Rank::read_at(file, f, alive_at_ns));
            if !go_on(done.fetch_add(1, Ordering::Relaxed) + 1, listing.ranks.len()) {
                is_wanted.store(false, Ordering::Relaxed);
            }
            Some((relative(path, file), rank))
        };
        let found: Option<Vec<_>> = listing.ranks.par_iter().map(read).collect();
        let Some(found) = found.filter(|_| is_wanted.load(Ordering::Relaxed)) else {
            return Err(OpenError::Interrupted(path.into()));
        };
        let mut ranks = Vec::with_capacity(found.len());
        for (name, result) in found {
            match result {
                Ok(rank) if manifest.is_foreign(rank.header.run_id) => {
                    let why = format!("written by another run, {:016x}", rank.header.run_id);
                    diagnostics.push(Diagnostic::skipped(&name, why));
                }
                Ok(rank) => {
                    if rank.losses.damaged_parts > 0 {
                        diagnostics.push(Diagnostic::damaged(&name, rank.losses.damaged_parts));
                    }
                    ranks.push(rank);
                }
                Err(error) => diagnostics.push(Diagnostic::skipped(&name, error)),
            }
        }
        ranks.sort_by(|a, b| (a.rank() < 0, a.rank(), &a.path).cmp(&(b.rank() < 0, b.rank(), &b.path)));
        let mut exits = Exits::new(exits(path, &listing.exits, &mut diagnostics));
        for rank in &mut ranks {
            rank.exit = exits.take(rank);
        }
        seen_running(path, &mut ranks);
        extend_open(path, &mut ranks);
        let mut exits = exits.left();
        if ranks.is_empty() {
            return Err(nothing(path, &manifest, &exits, diagnostics, listing.ranks.len()));
        }
        // A process with an unreadable rank file has called MPI.
        exits.retain(|e| !path.join(format!("ranks/{}.{}.rank", e.host, e.pid)).exists());
        let worlds = worlds::assign(&mut ranks);
        Ok(Run { path: path.to_owned(), manifest, ranks, other_exits: exits, diagnostics, worlds })
    }

    /// Frees what only a summary needs, before events are read; the sites in use remain known.
    pub fn forget_sums(&mut self) {
        self.ranks.iter_mut().for_each(Rank::forget_sums);
    }

    /// Keeps only the processes of one world, as rank numbers belong to a world.
    pub fn keep_world(&mut self, world: u64) {
        self.ranks.retain(|rank| rank.world == world);
    }
}

/// For a copy of a run (`mpiscope ctl RUN snapshot`): processes without an end were running when it was made.
fn seen_running(path: &Path, ranks: &mut [Rank]) {
    let mut seen: HashMap<String, Option<u64>> = HashMap::new();
    for rank in ranks.iter_mut().filter(|rank| rank.exit.is_none() && rank.header.finalize_end == 0) {
        let host = rank.host().to_owned();
        let at_ns = *seen.entry(host).or_insert_with_key(|host| moment_of(&path.join(SNAPSHOT), host));
        if let Some(at_ns) = at_ns.filter(|&at_ns| at_ns >= rank.last_ns) {
            (rank.alive_at_ns, rank.last_ns) = (Some(at_ns), at_ns);
        }
    }
}

/// A moment of a host's `CLOCK_MONOTONIC`, in a file of `folder` with its name.
fn moment_of(folder: &Path, host: &str) -> Option<u64> {
    // Host names come from files; they must not lead out of the directory.
    if host.is_empty() || host.contains('/') {
        return None;
    }
    let text = fs::read(folder.join(format!("{host}.json"))).ok()?;
    serde_json::from_slice::<serde_json::Value>(&text).ok()?.get("monotonic_ns")?.as_u64()
}

/// A process in a call that had not returned, without a known end, counts as being in that call until the last known moment of
/// its host, including the end of the launcher: ending a hanging job ends all of its processes.
fn extend_open(path: &Path, ranks: &mut [Rank]) {
    let mut latest: BTreeMap<String, u64> = BTreeMap::new();
    for rank in ranks.iter() {
        let host = rank.host().to_owned();
        let ended = |host: &String| moment_of(&path.join(ENDED), host).unwrap_or(0);
        let known = latest.entry(host).or_insert_with_key(ended);
        *known = rank.end_ns().max(*known);
    }
    let is_lost = |rank: &&mut Rank| !rank.end_is_known() && !rank.in_flight.is_empty();
    for rank in ranks.iter_mut().filter(is_lost) {
        let end_ns = latest.get(rank.host()).copied().unwrap_or(0);
        rank.last_ns = rank.last_ns.max(end_ns);
    }
}

pub(crate) fn read_manifest(
    path: &Path,
    has_ranks: bool,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Manifest, OpenError> {
    let file = path.join(manifest::FILE);
    let why = match fs::read(&file) {
        Ok(text) => {
            // Only the number first: a newer file may lack fields that this version needs.
            if let Some(format) = format_of(&text).filter(|format| *format > u64::from(manifest::FORMAT)) {
                return Err(OpenError::Newer(path.into(), format));
            }
            match Manifest::parse(&text) {
                Ok(manifest) => return Ok(manifest),
                Err(why) => why.to_string(),
            }
        }
        Err(e) if e.kind() == io::ErrorKind::NotFound && !has_ranks => return Err(OpenError::NotARun(path.into())),
        Err(e) => e.to_string(),
    };
    diagnostics.push(Diagnostic::skipped(manifest::FILE, why));
    Ok(Manifest::default())
}

/// The version in a JSON file.
fn format_of(text: &[u8]) -> Option<u64> {
    serde_json::from_slice::<serde_json::Value>(text).ok()?.get("format")?.as_u64()
}

fn exits(path: &Path, files: &[PathBuf], diagnostics: &mut Vec<Diagnostic>) -> Vec<ExitRecord> {
    let read: Vec<io::Result<ExitRecord>> = files.par_iter().map(|file| ExitRecord::read(file)).collect();
    let mut found = Vec::new();
    for (file, record) in files.iter().zip(read) {
        match record {
            Ok(record) => found.push(record),
            Err(why) => diagnostics.push(Diagnostic::skipped(&relative(path, file), why.to_string())),
        }
    }
    found
}

/// Ends of processes, each taken once.
struct Exits {
    records: Vec<Option<ExitRecord>>,
    by_pid: HashMap<u32, Vec<usize>>,
}

impl Exits {
    fn new(records: Vec<ExitRecord>) -> Exits {
        let mut by_pid: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, record) in records.iter().enumerate() {
            by_pid.entry(record.pid).or_default().push(at);
        }
        Exits { records: records.into_iter().map(Some).collect(), by_pid }
    }

    /// The exit record of a process. One side may have the short host name and the other the full one.
    fn take(&mut self, rank: &Rank) -> Option<ExitRecord> {
        fn short(host: &str) -> &str {
            host.split('.').next().unwrap_or(host)
        }
        let host = short(rank.defs.info("host").unwrap_or(""));
        let places = self.by_pid.get_mut(&rank.header.pid)?;
        let is_it = |record: &ExitRecord| host.is_empty() || short(&record.host) == host;
        let found = places.iter().position(|&at| self.records[at].as_ref().is_some_and(is_it))?;
        self.records[places.remove(found)].take()
    }

    /// The remaining ones.
    fn left(self) -> Vec<ExitRecord> {
        self.records.into_iter().flatten().collect()
    }
}

fn nothing(
    path: &Path,
    manifest: &Manifest,
    exits: &[ExitRecord],
    diagnostics: Vec<Diagnostic>,
    files: usize,
) -> OpenError {
    let path = path.to_owned();
    let skipped: Vec<Diagnostic> =
        diagnostics.into_iter().filter(|d| d.file.as_ref().is_some_and(|f| f.ends_with(".rank"))).collect();
    if files > 0 && !skipped.is_empty() {
        return OpenError::AllDamaged { path, skipped };
    }
    if exits.is_empty() {
        return OpenError::Empty(path);
    }
    let mut ends: BTreeMap<String, usize> = BTreeMap::new();
    for exit in exits {
        let end = match (exit.signal, exit.exit_code) {
            (Some(signal), _) => format!("killed by {}", exit_status::signal_name(signal)),
            (None, code) => format!("exit code {}", code.unwrap_or(0)),
        };
        *ends.entry(end).or_default() += 1;
    }
    let ends = ends.into_iter().map(|(end, n)| if n == exits.len() { end } else { format!("{n}: {end}") });
    OpenError::NoMpi {
        path,
        processes: exits.len(),
        ends: ends.collect::<Vec<_>>().join(", "),
        program: manifest.program.first().cloned().unwrap_or_else(|| "./a.out".into()),
    }
}

fn relative(run: &Path, file: &Path) -> String {
    file.strip_prefix(run).unwrap_or(file).display().to_string()
}
