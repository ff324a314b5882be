//! A run under changes, written as a run of its own (docs/decisions/0046-predicted-runs.md).
//!
//! The recorded run is read once more. Its calls get the times of a simulation under the changes, and their records are copied with
//! these times; memory does not grow with the length of the run.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mpiscope_ingest::{Ingest, Times as Ticks};
use mpiscope_predict::{ApplyError, Becomes, Change, End, Happens, Places, Schedule, Translator, What};
use mpiscope_retime::{self as retime, How, Plan, RankCopy, Times};
use mpiscope_run::{Resolver, Run};
use mpiscope_store::{Batch, flags};
use mpiscope_trace::ReadError;
use rayon::prelude::*;

use crate::batches::each_batch;
use crate::{Basis, Prediction, QueryError, Watch};

/// Why a predicted run cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum PredictedRunError {
    /// A part of the events is missing.
    #[error("events are lost: a predicted run needs all of them; record again with --on-full grow, or a shorter run")]
    Lost,
    /// Not all processes are in one world.
    #[error("the run has {0} worlds (processes that were spawned): predicted runs have one")]
    Worlds(usize),
    /// The run does not allow a change.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// A rank file that cannot be copied.
    #[error("{}: {source}", path.display())]
    Copy {
        /// The recorded file.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// A file that cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// From moments of the simulation to those of the run that is written: its time is the recorded one less the predicted gain, as in the
/// answer. What the model misses of the run's time is spread over it.
#[derive(Clone, Copy)]
struct Scale {
    from_ns: u64,
    factor: f64,
}

impl Scale {
    fn new(prediction: &Prediction) -> Scale {
        let time = &prediction.reproduction.time;
        let from_ns = prediction.basis.recorded.starts_ns.iter().min().copied().unwrap_or(0);
        Scale { from_ns, factor: time.recorded_ns as f64 / time.replayed_ns.max(1) as f64 }
    }

    fn at(self, ns: u64) -> u64 {
        self.from_ns + (ns.saturating_sub(self.from_ns) as f64 * self.factor).round() as u64
    }
}

/// Writes `run` under the changes of the first question that `prediction` answers into the directory `to` of a new run with this id.
///
/// # Errors
///
/// If files cannot be read or written, the run lacks events, or `watch` cancels.
pub fn write_predicted(
    run: &Run,
    resolver: &Resolver,
    prediction: &Prediction,
    (to, run_id): (&Path, u64),
    watch: &mut Watch<'_>,
) -> Result<(), QueryError> {
    let basis = &prediction.basis;
    let changes = prediction.questions.first().map_or(&[][..], Vec::as_slice);
    if basis.tables.dimensions.is_cut() || run.ranks.iter().any(|rank| rank.losses.rows_lost() > 0) {
        return Err(PredictedRunError::Lost.into());
    }
    if run.worlds.len() > 1 {
        return Err(PredictedRunError::Worlds(run.worlds.len()).into());
    }
    let mut schedule = Schedule::new(basis.run(), &basis.network, changes).map_err(PredictedRunError::from)?;
    let mut ingest = Ingest::new(run, resolver)?;
    let mut translator = Translator::new(ingest.dimensions());
    let scale = Scale::new(prediction);
    let hosts = hosts(run, changes);
    let mut copies = Copies::new(run, ingest.times(), (basis, scale, &schedule, &hosts), (to, run_id))?;
    each_batch(&mut ingest, watch, |tables, batch| {
        let section = Arc::new(translator.add_batch(&tables.dimensions, &tables.facts, batch));
        schedule.add(&section, &mut copies.happens).map_err(PredictedRunError::from)?;
        Ok(copies.go_on(batch)?)
    })?;
    let end_ns = copies.finish()?;
    let origin_ns = basis.tables.dimensions.origin_ns;
    write_clocks((run, &hosts), to, [origin_ns, origin_ns.saturating_add(end_ns).saturating_add(APART_NS)])?;
    let copied = copy_hosts(&run.path, to, &hosts);
    copied.map_err(|source| PredictedRunError::Write { path: to.join(HOSTS), source }.into())
}

/// The files that are written.
struct Copies<'a> {
    run: &'a Run,
    basis: &'a Basis,
    scale: Scale,
    copies: Vec<RankCopy<Since>>,
    /// By rank: until it is complete, and then.
    targets: Vec<(PathBuf, PathBuf)>,
    happens: Vec<Vec<Happens>>,
    ends_ns: Vec<u64>,
}

/// Nanoseconds since the origin, from ticks of a rank.
type Since = Box<dyn Fn(u64) -> u64 + Send>;

impl<'a> Copies<'a> {
    fn new(
        run: &'a Run,
        ticks: Vec<Ticks>,
        (basis, scale, schedule, hosts): (&'a Basis, Scale, &Schedule<'_>, &[String]),
        (to, run_id): (&Path, u64),
    ) -> Result<Copies<'a>, PredictedRunError> {
        let mut copies = Vec::new();
        let mut targets = Vec::new();
        for ((at, rank), ticks) in run.ranks.iter().enumerate().zip(ticks) {
            let name = rank.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let host = hosts.get(at).filter(|host| *host != rank.host());
            // Processes of different hosts may have the same id; ranks are unique.
            let name = host.map_or(name, |host| format!("{host}.rank{at}.rank"));
            let folder = to.join("ranks");
            // Others read it only when it is complete.
            let target = (folder.join(format!(".{name}.part")), folder.join(name));
            let starts_ns = basis.recorded.starts_ns.get(at).copied().unwrap_or(0);
            let plan = Plan {
                without: schedule.without(at).to_vec(),
                since_origin: Box::new(move |moment| ticks.since(moment)) as Since,
                // Any moment that is the same for all.
                origin_ns: basis.tables.dimensions.origin_ns,
                begin: (starts_ns, scale.at(starts_ns)),
                run_id,
                has_gone_requests: schedule.joins_messages(),
                host: host.cloned(),
            };
            let copy = RankCopy::new(&rank.path, &target.0, plan);
            copies.push(copy.map_err(|source| PredictedRunError::Copy { path: rank.path.clone(), source })?);
            targets.push(target);
        }
        let ranks = copies.len();
        Ok(Copies { run, basis, scale, copies, targets, happens: vec![Vec::new(); ranks], ends_ns: vec![0; ranks] })
    }

    /// Copies what is known by now, each rank by itself.
    fn go_on(&mut self, batch: &Batch) -> Result<(), PredictedRunError> {
        let Copies { run, scale, copies, happens, ends_ns, .. } = self;
        let each = copies.par_iter_mut().zip(happens).zip(ends_ns).enumerate();
        each.try_for_each(|(at, ((copy, happens), end_ns))| {
            if let Some(rows) = batch.ranks.get(at) {
                // Calls that had not returned have no record.
                let recorded = |call: &&mpiscope_store::Call| call.flags & flags::OPEN == 0;
                let calls = (rows.first_row..).zip(&rows.calls).filter(|(_, call)| recorded(call) && call.thread == 0);
                calls.for_each(|(row, _)| copy.row(row));
            }
            let copied = happens.drain(..).try_for_each(|Happens { what, start_ns, end_ns: until_ns }| {
                let times = Times { start_ns: scale.at(start_ns), end_ns: scale.at(until_ns) };
                match what {
                    What::Call { row, is_early, becomes } => {
                        let becomes = written(&becomes);
                        copy.call(row, times, How { is_early, becomes })?;
                    }
                    What::Wait => copy.wait(times),
                    What::End => *end_ns = times.end_ns,
                }
                Ok(())
            });
            let copied = copied.and_then(|()| copy.settle());
            copied.map_err(|source| PredictedRunError::Copy { path: run.ranks[at].path.clone(), source })
        })
    }

    /// Writes what is left; the last moment.
    fn finish(self) -> Result<u64, PredictedRunError> {
        let Copies { run, basis, copies, targets, ends_ns, .. } = self;
        for (at, copy) in copies.into_iter().enumerate() {
            let recorded_ns = basis.tables.dimensions.ranks.get(at).map_or(0, |row| row.rows_until_ns);
            let done = copy.finish((recorded_ns, ends_ns[at]));
            done.map_err(|source| PredictedRunError::Copy { path: run.ranks[at].path.clone(), source })?;
        }
        for (part, whole) in targets {
            fs::rename(&part, &whole).map_err(|source| PredictedRunError::Write { path: whole, source })?;
        }
        Ok(ends_ns.into_iter().max().unwrap_or(0))
    }
}

/// What becomes of a call, for its record.
fn written(becomes: &Becomes) -> retime::Becomes<'_> {
    let end = |End { bytes, world_rank, is_joined }: End| retime::End { bytes, world_rank, is_joined };
    match becomes {
        Becomes::Same => retime::Becomes::Same,
        Becomes::Apart => retime::Becomes::Apart,
        Becomes::Carrying(carries) => {
            retime::Becomes::Carrying(retime::Carries { out: carries.out.map(end), into: carries.into.map(end) })
        }
        Becomes::WaitForAll(rows) => retime::Becomes::WaitForAll(rows),
        Becomes::Gone(to) => retime::Becomes::Gone(*to),
    }
}

/// What the computers are, in the run's directory.
const HOSTS: &str = "nodes";

/// The host of each rank: another one if ranks are placed.
fn hosts(run: &Run, changes: &[Change]) -> Vec<String> {
    let recorded = || run.ranks.iter().map(|rank| rank.host().to_owned()).collect();
    let places = changes.iter().rev().find_map(|change| match change {
        Change::Placement(placement) => placement.places.as_ref()?.as_ref().ok(),
        _ => None,
    });
    let name = |places: &Places, node: u32| places.names.get(node as usize).cloned().unwrap_or_default();
    places.map_or_else(recorded, |places| places.nodes.iter().map(|&node| name(places, node)).collect())
}

/// What is known of the computers of the recorded run that the written one has as well.
fn copy_hosts(from: &Path, to: &Path, hosts: &[String]) -> io::Result<()> {
    let Ok(entries) = fs::read_dir(from.join(HOSTS)) else { return Ok(()) };
    fs::create_dir_all(to.join(HOSTS))?;
    let is_there =
        |entry: &fs::DirEntry| entry.path().file_stem().is_some_and(|stem| hosts.iter().any(|host| **host == *stem));
    for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()) && is_there(entry))
    {
        fs::copy(entry.path(), to.join(HOSTS).join(entry.file_name()))?;
    }
    Ok(())
}

/// Comparisons of clocks that are closer to each other count as one, ns.
const APART_NS: u64 = 1_000_000_000;

/// All ranks have one clock: comparisons of the hosts' clocks that show no difference, at both ends of the run.
fn write_clocks((run, host_of): (&Run, &[String]), to: &Path, ends_ns: [u64; 2]) -> Result<(), PredictedRunError> {
    let mut hosts: BTreeMap<&str, u64> = BTreeMap::new();
    for (rank, host) in run.ranks.iter().zip(host_of).filter(|(_, host)| !host.is_empty() && !host.contains('/')) {
        hosts.entry(host).or_insert(rank.header.anchors[0].realtime_ns);
    }
    let Some(reference) = hosts.keys().next().copied().filter(|_| hosts.len() > 1) else { return Ok(()) };
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source| PredictedRunError::Write { path, source }
    };
    let folder = to.join("clocks");
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    for (host, realtime_ns) in &hosts {
        let mut lines = vec![serde_json::json!({
            "format": 1, "host": host, "boot_id": host, "clock": "CLOCK_MONOTONIC", "reference": reference,
            "monotonic_ns": ends_ns[0], "realtime_ns": realtime_ns,
        })];
        lines.extend(["start", "end"].into_iter().zip(ends_ns).map(|(when, at_ns)| {
            serde_json::json!({ "when": when, "at_ns": at_ns, "offset_ns": 0, "rtt_ns": 0, "exchanges": 1 })
        }));
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let path = folder.join(format!("{host}.jsonl"));
        fs::write(&path, text).map_err(failed(&path))?;
    }
    Ok(())
}
