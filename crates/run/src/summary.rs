//! The contents of the report, as plain data.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use mpiscope_abi::{Family, id};
use mpiscope_records::Predicted;
use mpiscope_symbols::Resolver;
use mpiscope_trace::layout::{InFlight, gate, state};
use serde::Serialize;

use crate::clocks::{ClockRow, Clocks};
use crate::comms::CommNames;
use crate::diagnostic::Diagnostic;
use crate::exit_status::{Arguments, InFlightCall};
use crate::hosts::{HostRow, Hosts};
use crate::losses::{Losses, Unseen};
use crate::objects::{self, DatatypeRow, FileRow, WindowRow};
use crate::protocol::{self, ProtocolRow};
use crate::regions::{self, LabelRow, RegionRow};
use crate::run::{Rank, Run};
use crate::sites::SiteTable;
use crate::snapshots::{self, SnapshotRow};
use crate::tables::{self, CallRow, CommRow, PeerRow, RankRow, SiteRow, SizeRow, Spread};
use crate::topology::table::Hops;
use crate::worlds::WorldRow;

/// Everything about a run that does not need events.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Version of this structure.
    pub format: u32,
    /// What ran, where, and totals.
    pub overview: Overview,
    /// What was not recorded, summed over ranks.
    pub losses: Losses,
    /// Functions that were called without being recorded.
    pub not_intercepted: Vec<Unseen>,
    /// Further functions of this MPI that cannot be recorded; the program refers to none of them.
    pub not_wrapped: Vec<String>,
    /// Problems of the run's files.
    pub diagnostics: Vec<Diagnostic>,
    /// Processes.
    pub ranks: Vec<RankRow>,
    /// Functions.
    pub calls: Vec<CallRow>,
    /// Functions by message size.
    pub sizes: Vec<SizeRow>,
    /// Ranks by peer.
    pub peers: Vec<PeerRow>,
    /// Functions by call site.
    pub sites: Vec<SiteRow>,
    /// Communicators.
    pub comms: Vec<CommRow>,
    /// Regions of the program.
    pub regions: Vec<RegionRow>,
    /// Statistics that the program requested (`mpiscope_snapshot`).
    pub snapshots: Vec<SnapshotRow>,
    /// Markers and values of the program.
    pub labels: Vec<LabelRow>,
    /// Datatypes.
    pub datatypes: Vec<DatatypeRow>,
    /// Files.
    pub files: Vec<FileRow>,
    /// Windows.
    pub windows: Vec<WindowRow>,
    /// Variables of the MPI's tool interface.
    pub protocol: Vec<ProtocolRow>,
    /// Variables of the environment that change what an MPI does, as each rank had them.
    pub settings: Vec<ProtocolRow>,
    /// Whether the environment was recorded: older versions did not.
    #[serde(skip)]
    pub has_settings: bool,
    /// Hardware of hosts, where known.
    pub hosts: Vec<HostRow>,
    /// Clocks of hosts, if there are several.
    pub clocks: Vec<ClockRow>,
    /// How far messages went, if a topology was given ([`Run::locate`]).
    pub topology: Option<Hops>,
}

/// What ran, where, and totals.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Overview {
    /// The run's directory.
    pub run: PathBuf,
    /// Of a predicted run: what it was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
    /// The program and its arguments.
    pub program: Vec<String>,
    /// Start, ns since the epoch; 0 unknown.
    pub start_unix_ns: u64,
    /// The MPI library's version string, or the MPI as found before the start.
    pub mpi: String,
    /// `mpich`, `open-mpi` or `standard-abi`; empty unknown.
    pub mpi_family: &'static str,
    /// `MPI_THREAD_*` provided; `None` when unknown or different.
    pub thread_level: Option<i32>,
    /// Hosts with their number of recorded ranks.
    pub hosts: BTreeMap<String, u64>,
    /// Number of the world in the tables.
    pub world: u64,
    /// All worlds of the run.
    pub worlds: Vec<WorldRow>,
    /// Size of `MPI_COMM_WORLD`.
    pub world_size: u64,
    /// Ranks with a recording, of those requested.
    pub ranks: u64,
    /// Ranks without a recording (of those requested), as first and last of each range.
    pub missing: Vec<(i32, i32)>,
    /// Recorded ranks that were not requested: not in any table. First and last of each range; unknown ranks are −1.
    pub left_out: Vec<(i32, i32)>,
    /// Processes that ended without calling MPI.
    pub processes_without_mpi: u64,
    /// Maximum number of threads of a rank that called MPI.
    pub threads_max: u64,
    /// Whether every rank finalized and exited with 0, as far as known.
    pub all_normal: bool,
    /// From start to end of the processes, ns.
    pub wall_ns: Option<Spread>,
    /// CPU time in user mode, ns.
    pub user_ns: Option<Spread>,
    /// CPU time in the kernel, ns.
    pub system_ns: Option<Spread>,
    /// Peak resident set.
    pub max_rss_bytes: Option<Spread>,
    /// Growth of the resident set between the first MPI call and the end of initialization: an estimate of the MPI's own
    /// memory in a process before any communication.
    pub init_rss_bytes: Option<Spread>,
    /// Time in MPI, ns, see [`RankRow::mpi_ns`].
    pub mpi_ns: Option<Spread>,
    /// Share of time in MPI, see [`RankRow::mpi_share`].
    pub mpi_share: Option<Spread<f64>>,
    /// Time in MPI of all ranks, initialisation and finalization included, ns.
    pub time_ns: u64,
    /// From the return of `MPI_Init` to the entry of `MPI_Finalize`, summed over ranks, ns: what shares of time refer to.
    pub rank_time_ns: u64,
    /// Duration of `MPI_Init`, ns: not included in shares.
    pub init_ns: Option<Spread>,
    /// Calls of all ranks.
    pub calls: u64,
    /// Calls that returned an error.
    pub calls_failed: u64,
    /// Requests started and completed by all ranks.
    pub requests_started: u64,
    /// See `requests_started`.
    pub requests_completed: u64,
}

impl Overview {
    /// Time in calls of a function as a share of the rank time. `None` for those outside of it: `MPI_Init`, `MPI_Finalize`.
    pub fn share(&self, call: &str, time_ns: u64) -> Option<f64> {
        let is_outside = mpiscope_abi::by_name(call).is_some_and(crate::tally::surrounds);
        (self.rank_time_ns > 0 && !is_outside).then(|| time_ns as f64 / self.rank_time_ns as f64)
    }
}

impl Summary {
    /// Adds problems that were found when events were read.
    pub fn add_problems(&mut self, problems: Vec<Diagnostic>) {
        for problem in problems {
            // The problem found with events describes a damaged file better than the one known before.
            self.diagnostics.retain(|d| d.id != "file-damaged" || d.id != problem.id || d.file != problem.file);
            if !self.diagnostics.contains(&problem) {
                self.diagnostics.push(problem);
            }
        }
    }
}

impl Run {
    /// Summary of the ranks that `wanted` accepts.
    pub fn summary(&self, wanted: impl Fn(i32) -> bool, resolver: &Resolver) -> Summary {
        let all: Vec<&Rank> = self.ranks.iter().filter(|r| wanted(r.rank())).collect();
        let ranks: Vec<&Rank> = all.iter().copied().filter(|rank| rank.is_recorded()).collect();
        let comms = CommNames::new(&ranks);
        let (sites, problems) = SiteTable::new(&ranks, resolver);
        let (hosts, unreadable) = Hosts::read(&self.path);
        let rows: Vec<RankRow> =
            ranks.iter().enumerate().map(|(at, rank)| rank_row(at, rank, &comms, &sites, &hosts)).collect();
        let placed: Vec<_> = rows.iter().map(|row| (row.host.as_str(), &row.place)).collect();
        let mut losses = Losses::default();
        all.iter().for_each(|rank| losses.add(&rank.losses));
        let mut diagnostics = self.diagnostics.clone();
        diagnostics.extend(problems);
        diagnostics.extend(unreadable);
        let (clocks, not_compared) = Clocks::read(self);
        diagnostics.extend(not_compared);
        diagnostics.extend(self.unseen_spawns());
        diagnostics.extend(self.places());
        diagnostics.extend(self.never_reached());
        Summary {
            format: 1,
            overview: self.overview(&ranks, &rows, &wanted),
            losses,
            not_intercepted: not_intercepted(&ranks),
            not_wrapped: not_wrapped(&ranks),
            diagnostics,
            calls: tables::calls(&ranks),
            sizes: tables::sizes(&ranks),
            peers: tables::peers(&ranks, &self.ranks, &hosts),
            sites: tables::sites(&ranks, &sites),
            comms: tables::comms(&ranks, &comms),
            regions: regions::regions(&ranks),
            snapshots: snapshots::snapshots(&ranks),
            labels: regions::labels(&ranks),
            datatypes: objects::datatypes(&ranks),
            files: objects::files(&ranks, &comms),
            windows: objects::windows(&ranks, &comms),
            protocol: protocol::protocol(&ranks),
            settings: protocol::settings(&ranks),
            has_settings: ranks.iter().any(|rank| rank.defs.info("settings").is_some()),
            hosts: hosts.rows(&placed),
            clocks: clocks.rows,
            topology: None,
            ranks: rows,
        }
    }

    fn overview(&self, ranks: &[&Rank], rows: &[RankRow], wanted: &impl Fn(i32) -> bool) -> Overview {
        let over = |value: fn(&RankRow) -> Option<u64>| {
            Spread::from_values(rows.iter().filter_map(|r| Some((r.rank, value(r)?))))
        };
        let world_size = self.world_size();
        let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
        for row in rows {
            *hosts.entry(row.host.clone()).or_default() += 1;
        }
        let levels: Vec<i32> = ranks.iter().map(|r| r.header.thread_level).collect();
        let same = levels.iter().all(|l| Some(l) == levels.first());
        Overview {
            run: self.path.clone(),
            predicted: self.manifest.predicted.clone(),
            program: self.program(),
            start_unix_ns: self.start_unix_ns(),
            mpi: self.mpi(),
            mpi_family: ranks.iter().map(|r| family_name(r.header.family)).find(|f| !f.is_empty()).unwrap_or(""),
            thread_level: levels.first().copied().filter(|&l| same && l >= 0),
            hosts,
            world: self.ranks.first().map_or(0, |rank| rank.world),
            worlds: self.worlds.clone(),
            world_size: world_size as u64,
            ranks: rows.len() as u64,
            missing: self.missing(wanted),
            left_out: left_out(&self.ranks, wanted),
            processes_without_mpi: self.other_exits.len() as u64,
            threads_max: rows.iter().map(|r| r.threads).max().unwrap_or(0),
            all_normal: rows.iter().all(|r| r.fate.is_normal()),
            wall_ns: over(|r| r.wall_ns),
            user_ns: over(|r| r.user_ns),
            system_ns: over(|r| r.system_ns),
            max_rss_bytes: over(|r| r.max_rss_bytes),
            init_rss_bytes: Spread::from_values(ranks.iter().filter_map(|r| Some((r.rank(), r.init_rss_bytes()?)))),
            mpi_ns: over(|r| Some(r.mpi_ns)),
            mpi_share: Spread::of_shares(rows.iter().filter_map(|r| Some((r.rank, r.mpi_share?)))),
            time_ns: rows.iter().fold(0, |sum, r| sum.saturating_add(r.sum.time_ns)),
            rank_time_ns: rows.iter().fold(0, |sum, r| sum.saturating_add(r.inside_ns)),
            init_ns: Spread::from_values(ranks.iter().filter_map(|r| Some((r.rank(), r.init_ns()?)))),
            calls: rows.iter().fold(0, |sum, r| sum.saturating_add(r.sum.calls)),
            calls_failed: rows.iter().fold(0, |sum, r| sum.saturating_add(r.calls_failed)),
            requests_started: rows.iter().fold(0, |sum, r| sum.saturating_add(r.requests_started)),
            requests_completed: rows.iter().fold(0, |sum, r| sum.saturating_add(r.requests_completed)),
        }
    }

    /// Size of `MPI_COMM_WORLD`.
    fn world_size(&self) -> i32 {
        self.ranks.iter().map(|rank| rank.header.world_size).max().unwrap_or(0).max(0)
    }

    /// Wanted ranks without a rank file, as first and last of each range.
    pub fn missing(&self, wanted: &impl Fn(i32) -> bool) -> Vec<(i32, i32)> {
        missing(&self.ranks, self.world_size(), wanted)
    }

    fn program(&self) -> Vec<String> {
        if !self.manifest.program.is_empty() {
            return self.manifest.program.clone();
        }
        let info = |key| self.ranks.iter().find_map(|r| r.defs.info(key));
        info("command").or(info("program")).map(|text| vec![text.to_owned()]).unwrap_or_default()
    }

    fn mpi(&self) -> String {
        let own = self.ranks.iter().find_map(|r| r.defs.info("mpi_library"));
        let before = || self.manifest.mpi.as_ref().map(|mpi| mpi.version.clone());
        own.map(str::to_owned).or_else(before).unwrap_or_default()
    }

    fn start_unix_ns(&self) -> u64 {
        let first = || self.ranks.iter().map(|r| r.header.anchors[0].realtime_ns).filter(|&t| t != 0).min();
        Some(self.manifest.start_unix_ns).filter(|&t| t != 0).or_else(first).unwrap_or(0)
    }

    /// Places of `--on` and `--off` that could not be patched in a process.
    fn places(&self) -> Option<Diagnostic> {
        let unpatched: Vec<&str> = self.ranks.iter().filter_map(|rank| rank.defs.info("places_amiss")).collect();
        let text = format!(
            "--on, --off: some places have no effect in {} process(es): {}",
            unpatched.len(),
            unpatched.first()?
        );
        Some(Diagnostic::note("places", text))
    }

    /// Spawned processes of this world that are not in the run.
    fn unseen_spawns(&self) -> Option<Diagnostic> {
        let spawns = |rank: &Rank| {
            let calls = [id::Comm_spawn, id::Comm_spawn_multiple].map(|id| rank.tally.calls.get(&id).map(|m| m.calls));
            calls.into_iter().flatten().sum::<u64>()
        };
        let unseen = self.ranks.iter().map(spawns).sum::<u64>() > 0 && !self.worlds.iter().any(|w| w.spawned);
        let text = "processes started by MPI_Comm_spawn are not in this run: under other launchers they have no collector; \
                    start the program with mpiscope run";
        unseen.then(|| Diagnostic::note("spawn-unseen", text.to_owned()))
    }
}

/// A family of MPIs by its number in rank files; empty when unknown.
pub fn family_name(number: u32) -> &'static str {
    match number {
        n if n == Family::Mpich as u32 => "mpich",
        n if n == Family::OpenMpi as u32 => "open-mpi",
        n if n == Family::Standard as u32 => "standard-abi",
        _ => "",
    }
}

/// Ranges of 0…size−1 without a rank. Ranks are sorted.
fn missing(ranks: &[Rank], size: i32, wanted: &impl Fn(i32) -> bool) -> Vec<(i32, i32)> {
    let mut next = 0;
    let mut gaps = Vec::new();
    let seen = ranks.iter().map(Rank::rank).filter(|&r| r >= 0).chain([size]);
    for rank in seen {
        if rank > next && rank <= size {
            gaps.push((next, rank - 1));
        }
        next = next.max(rank.saturating_add(1));
    }
    gaps.into_iter().flat_map(|gap| clip(gap, wanted)).collect()
}

/// The requested parts of a range. The size of a world comes from a file, so a range can be absurdly long; such a range is
/// returned whole.
fn clip((first, last): (i32, i32), wanted: &impl Fn(i32) -> bool) -> Vec<(i32, i32)> {
    const LONG: i64 = 1 << 22;
    if i64::from(last) - i64::from(first) > LONG {
        return vec![(first, last)];
    }
    stretches((first..=last).filter(|&rank| wanted(rank)))
}

/// Recorded ranks that were not requested.
fn left_out(ranks: &[Rank], wanted: &impl Fn(i32) -> bool) -> Vec<(i32, i32)> {
    let others = ranks.iter().filter(|rank| rank.is_recorded() && !wanted(rank.rank()));
    let mut numbers: Vec<i32> = others.map(Rank::rank).collect();
    numbers.sort_unstable();
    let unknown = numbers.partition_point(|&rank| rank < 0);
    let lost = (unknown > 0).then_some((-1, -1));
    lost.into_iter().chain(stretches(numbers[unknown..].iter().copied())).collect()
}

/// First and last of each range of consecutive numbers.
pub(crate) fn stretches(sorted: impl Iterator<Item = i32>) -> Vec<(i32, i32)> {
    let mut found: Vec<(i32, i32)> = Vec::new();
    for rank in sorted {
        match found.last_mut() {
            Some((_, last)) if *last == rank => {}
            Some((_, last)) if last.checked_add(1) == Some(rank) => *last = rank,
            _ => found.push((rank, rank)),
        }
    }
    found
}

/// Functions of the MPI that are unknown to the recorder and that the program does not refer to.
fn not_wrapped(ranks: &[&Rank]) -> Vec<String> {
    let facts = ranks.iter().flat_map(|rank| &rank.defs.info).filter(|(key, _)| key.starts_with("mpi.not_wrapped"));
    let mut names: BTreeSet<&str> = facts.flat_map(|(_, value)| value.split(' ')).collect();
    for (name, _) in ranks.iter().flat_map(|rank| &rank.defs.not_intercepted) {
        names.remove(name.as_str());
    }
    names.into_iter().map(str::to_owned).collect()
}

fn not_intercepted(ranks: &[&Rank]) -> Vec<Unseen> {
    let mut found: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (name, why) in ranks.iter().flat_map(|r| &r.defs.not_intercepted) {
        *found.entry((name, why)).or_default() += 1;
    }
    found.into_iter().map(|((name, why), ranks)| Unseen { name: name.into(), why: why.into(), ranks }).collect()
}

fn rank_row(at: usize, rank: &Rank, comms: &CommNames, sites: &SiteTable, hosts: &Hosts) -> RankRow {
    let header = &rank.header;
    // The header has the values at the start of MPI_Finalize.
    let measured = header.state >= state::FINALIZING && header.state != state::ABORTED;
    let from_header = |value: u64| (measured && value != 0).then_some(value);
    let exit = rank.exit.as_ref();
    let threads = rank.threads.len().max(1) as u64;
    let inside_ns = rank.inside_ns();
    let busiest_ns = rank.threads_in_mpi_ns().max().unwrap_or(0);
    let coordinates = rank
        .defs
        .comms
        .values()
        .filter(|c| !c.dims.is_empty())
        .map(|c| (comms.label(comms.key(at, c.id)), c.dims.iter().map(|&(_, _, coordinate)| coordinate).collect()));
    RankRow {
        rank: rank.rank(),
        host: rank.host().to_owned(),
        pid: header.pid,
        threads,
        cpus: rank.defs.info("cpus").map(str::to_owned),
        place: hosts.place(rank),
        coordinates: coordinates.collect(),
        wall_ns: rank.wall_ns(),
        user_ns: exit.map(|e| e.user_ns).or(from_header(header.user_ns)),
        system_ns: exit.map(|e| e.system_ns).or(from_header(header.system_ns)),
        max_rss_bytes: exit.map(|e| e.max_rss_bytes).or(from_header(header.max_rss_bytes)),
        inside_ns,
        mpi_ns: rank.threads_in_mpi_ns().fold(0, u64::saturating_add),
        mpi_share: (inside_ns > 0 && rank.end_is_known()).then(|| busiest_ns as f64 / inside_ns as f64),
        sum: rank.tally.all.clone(),
        calls_failed: rank.tally.calls_failed,
        requests_started: rank.tally.requests_started,
        requests_completed: rank.tally.requests_completed,
        fate: rank.fate(),
        paused: header.control.gate & (gate::PAUSED | gate::PAUSED_OUTSIDE) != 0,
        regions: rank.regions.iter().map(|&(_, id)| regions::name(&rank.defs, id)).collect(),
        in_flight: rank.in_flight.iter().map(|(tid, call)| in_flight(at, rank, *tid, call, comms, sites)).collect(),
    }
}

fn in_flight(at: usize, rank: &Rank, tid: u32, call: &InFlight, comms: &CommNames, sites: &SiteTable) -> InFlightCall {
    let start_ns = rank.clock.ns(call.start);
    let arguments = Arguments::from_call(call, rank.header.family);
    InFlightCall {
        call: mpiscope_abi::name(call.function).to_owned(),
        tid,
        comm: rank.defs.comm_of_handle(arguments.comm_handle).map(|id| comms.label(comms.key(at, id))),
        peer: arguments.peer,
        peer_name: arguments.peer_name,
        tag: arguments.tag,
        tag_name: arguments.tag_name,
        requests: arguments.requests,
        entered_after_ns: start_ns.saturating_sub(rank.header.anchors[0].monotonic_ns),
        elapsed_ns: rank.seen_until_ns().map(|end| end.saturating_sub(start_ns)),
        site: sites.caller(at, call.caller).map(crate::sites::CallStack::text),
    }
}
