//! One rank of `mpiscope bench`: initializes MPI, finds out where the ranks are, runs the experiments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use mpiscope_abi::settings::{CONTROL_VARIABLES, in_environment, is_of_mpi};
use mpiscope_launch::cores::Loading;
use mpiscope_launch::doctor::Machine;
use mpiscope_launch::{clock, host, node};
use mpiscope_machine::{Host, MpiFacts, Pair, RankPlace, Scope, Settings};
use mpiscope_mpi::{Mpi, Rank, Tag, ThreadLevel};
use mpiscope_run::Hosts;
use mpiscope_statistics::{median, sorted};
use serde::{Deserialize, Serialize};

use crate::choice::{includes, mistake, naming};
use crate::error::BenchError;
use crate::experiment::{Experiment, chosen, need_threads, possible};
use crate::frequency::quantum_ns;
use crate::further::{Further, reserved};
use crate::hops::Hops;
use crate::journal::{Journal, Line};
use crate::pairs::{Distances, pairs};
use crate::placement::check_order;
use crate::quiet::is_crowded;
use crate::schedule::{Place, Schedule};
use crate::start::{self, Started};

/// What is requested of all ranks.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The MPI library.
    pub library: PathBuf,
    /// The directory of the profile, for rank 0.
    pub directory: PathBuf,
    /// Names of the experiments, or of some of their series; without names, all that are possible with this number of ranks.
    pub experiments: Vec<String>,
    /// Time for all experiments together.
    pub budget: Duration,
    /// Size of the largest message, bytes.
    pub max_bytes: usize,
    /// Seed of the orders in which sizes are measured.
    pub seed: u64,
    /// Whether to initialize MPI for several threads.
    pub with_threads: bool,
    /// Time over which the ranks' begins of each collective operation are spread.
    pub skew: Duration,
    /// An order of the ranks for `placement`: each rank once.
    pub order: Option<Vec<Rank>>,
    /// A file that describes the network between the hosts.
    pub topology: Option<PathBuf>,
    /// Whether who has started the ranks starts further jobs, as [`Launches`](crate::Launches) says.
    pub can_launch: bool,
    /// Only what such a job measures.
    pub further: Option<Further>,
}

/// What is reported while the experiments run.
pub enum Step<'a> {
    /// Before the first experiment.
    Begun {
        /// The MPI's name and version, as it reports them.
        mpi: &'a str,
        /// The pairs of ranks that will be measured.
        pairs: &'a [Pair],
        /// Why numbers may be disturbed, such as more ranks than processors.
        warnings: Vec<String>,
    },
    /// How far an experiment is, or its part with some of the ranks.
    Progress {
        /// Id of the experiment.
        experiment: &'a str,
        /// Parts that are done.
        done: u64,
        /// All parts.
        all: u64,
    },
    /// The error of a rank, before it ends the job. Any rank reports it.
    Failed {
        /// The error in words.
        text: &'a str,
    },
}

/// Texts between ranks: a length, then the text. A length of 0 means that the sender is done.
const TEXT: Tag = 7001;
/// Interval at which an idle rank looks for messages.
const NAP: Duration = Duration::from_millis(1);

/// Of the whole time, at least one part in so many is left for the last experiments.
const LEAST: u32 = 4;

/// The state of this rank.
pub struct Session<'a> {
    pub mpi: &'a Mpi,
    pub rank: Rank,
    pub size: i32,
    pub plan: &'a Plan,
    pub pairs: Vec<Pair>,
    /// Where all ranks are.
    pub places: Vec<RankPlace>,
    /// Whether a host has more ranks than processors.
    pub is_crowded: bool,
    /// Time for the running experiment.
    pub budget: Duration,
    pub begun: Instant,
    /// How `MPI_Init` was.
    pub started: Started,
    /// Variables of the environment that MPIs and their transports read.
    variables: BTreeMap<String, String>,
    /// Whether several threads may call MPI at once.
    pub has_threads: bool,
    /// The running experiment.
    pub experiment: &'static str,
    /// Series that this rank could measure in it.
    series: BTreeSet<String>,
    control_variables: Option<Vec<(&'static str, i64)>>,
    /// Of rank 0, if the plan describes the network.
    hops: Option<Hops>,
    journal: Option<Journal>,
    waiting: Vec<Line>,
    report: &'a mut dyn FnMut(Step),
}

/// The facts about a rank that rank 0 collects.
#[derive(Serialize, Deserialize)]
struct RankFacts {
    host: String,
    cpus: String,
    processor: Option<String>,
    kernel: Option<String>,
    usable_cpus: usize,
    cores: usize,
}

/// What a rank reports at the end.
#[derive(Serialize, Deserialize)]
struct RankUsage {
    cpu_s: f64,
    load: mpiscope_launch::cores::Load,
    /// Time of the same work at the end, divided by that at the beginning.
    slowdown: f64,
}

/// Runs the plan on this rank, and returns the rank. Rank 0 writes the journal and calls `report`; any rank calls it for an error.
///
/// # Errors
///
/// If an experiment is unknown or impossible with this number of ranks, the network of the plan does not have the hosts of the job (rank 0 has reported
/// that), the MPI cannot be used, a message or a result is wrong, or
/// the journal cannot be written. In the last cases the job has been aborted.
pub fn run(plan: &Plan, report: &mut dyn FnMut(Step)) -> Result<Rank, BenchError> {
    let with_threads = plan.with_threads || need_threads(&chosen(&plan.experiments)?);
    // Before MPI_Init, as runs have them: MPIs set some of them themselves.
    let variables = in_environment().filter(|(name, _)| is_of_mpi(name)).collect();
    let mpi = Mpi::open(&plan.library)?;
    let level = if with_threads { ThreadLevel::Multiple } else { ThreadLevel::Single };
    let level = plan.further.and_then(Further::level).unwrap_or(level);
    let (started, provided) = Started::init(&mpi, level)?;
    let has_threads = with_threads && provided == ThreadLevel::Multiple;
    let (rank, size) = (mpi.rank()?, mpi.size()?);
    // Every rank finds the same, so that all of them end in order.
    let checked = match plan.further {
        // The main job has checked them; this one has fewer ranks.
        Some(_) => Ok(Default::default()),
        None => plan
            .order
            .as_deref()
            .map_or(Ok(()), |order| check_order(order, size))
            .and_then(|()| possible(&plan.experiments, size)),
    };
    let (experiments, left_out) = match checked {
        Ok(found) => found,
        Err(error) => {
            mpi.finalize()?;
            return Err(error);
        }
    };
    let mut session = Session {
        mpi: &mpi,
        rank,
        size,
        plan,
        pairs: Vec::new(),
        places: Vec::new(),
        is_crowded: false,
        budget: plan.budget,
        begun: Instant::now(),
        started,
        variables,
        has_threads,
        experiment: "",
        series: BTreeSet::new(),
        control_variables: None,
        hops: None,
        journal: None,
        waiting: Vec::new(),
        report,
    };
    if let Some(further) = plan.further {
        let result = session
            .join_journal()
            .and_then(|()| further.measure(&mut session, provided))
            .and_then(|()| session.flush());
        session.end_well(result)?;
        mpi.finalize()?;
        return Ok(rank);
    }
    session.waiting.extend(left_out.into_iter().filter(|_| rank == 0).map(|text| Line::Problem { text }));
    if with_threads && !has_threads && rank == 0 {
        session
            .problem("this MPI does not provide MPI_THREAD_MULTIPLE: what needs several threads was left out".into());
    }
    let located = session.connect(&experiments).and_then(|()| session.locate());
    if let Err(error @ BenchError::Topology(_)) = located {
        if rank == 0 {
            (session.report)(Step::Failed { text: &error.to_string() });
        }
        mpi.finalize()?;
        return Err(error);
    }
    let result = located.and_then(|()| session.all(&experiments));
    session.end_well(result)?;
    mpi.finalize()?;
    Ok(rank)
}

impl Session<'_> {
    /// Reports an error and ends the job by it.
    fn end_well(&mut self, result: Result<(), BenchError>) -> Result<(), BenchError> {
        if let Err(error) = &result {
            let text = error.to_string();
            (self.report)(Step::Failed { text: &text });
            self.waiting.push(Line::Failed { text });
            let _ = self.flush();
            // The others may wait for this rank.
            self.mpi.abort(1);
        }
        result
    }

    /// The first messages of all ranks, if memory is measured meanwhile.
    fn connect(&mut self, experiments: &[&Experiment]) -> Result<(), BenchError> {
        match experiments.iter().any(|experiment| experiment.id == start::EXPERIMENT.id) {
            true => self.started.connect(self.mpi, self.rank, self.size),
            false => Ok(()),
        }
    }

    /// Rank 0 of a further job appends to the main job's journal.
    fn join_journal(&mut self) -> Result<(), BenchError> {
        if self.rank == 0 {
            self.journal = Some(Journal::append(&self.plan.directory)?);
        }
        Ok(())
    }

    fn all(&mut self, experiments: &[&'static Experiment]) -> Result<(), BenchError> {
        let loading = Loading::begin();
        let cpu_before = cpu_s();
        self.begin(experiments)?;
        let quantum_before_ns = quantum_ns();
        let Plan { budget: all, experiments: words, can_launch, .. } = self.plan;
        let further = if *can_launch { reserved(*all, words, self.size) } else { Duration::ZERO };
        let budget = all.saturating_sub(further);
        for (at, experiment) in experiments.iter().enumerate() {
            let weights = experiments[at..].iter().map(|experiment| experiment.weight);
            self.budget = share(budget, self.begun.elapsed(), weights);
            self.experiment = experiment.id;
            self.series.clear();
            (experiment.run)(self)?;
            if self.rank == 0 {
                let mistakes =
                    naming(&self.plan.experiments, experiment.id).filter_map(|word| mistake(word, &self.series));
                self.waiting.extend(mistakes.map(|text| Line::Problem { text }));
            }
            self.flush()?;
        }
        let slowdown = quantum_ns() / quantum_before_ns;
        self.end(RankUsage { cpu_s: cpu_s() - cpu_before, load: loading.so_far(), slowdown })
    }

    /// Finds the hosts in the network of the plan, before anything is written. Every rank finds the same error, so that all of them end in order.
    fn locate(&mut self) -> Result<(), BenchError> {
        let Some(file) = self.plan.topology.as_deref() else { return Ok(()) };
        // The file may be on the first host only.
        let found = self.gather(host::name())?.map(|hosts| Hops::read(file, &hosts));
        let why = self.share(|_| match &found {
            Some(Err(error)) => Some(error.to_string()),
            _ => None,
        })?;
        if let Some(why) = why {
            return Err(BenchError::Topology(why));
        }
        self.hops = found.transpose()?;
        if self.hops.as_ref().is_some_and(Hops::is_one_node) {
            self.problem("--topology changes nothing: all ranks are on one host".into());
        }
        Ok(())
    }

    /// Collects where the ranks are and chooses the pairs.
    fn begin(&mut self, experiments: &[&'static Experiment]) -> Result<(), BenchError> {
        let machine = Machine::examine();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let cpus = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap_or("").trim();
        let own = RankFacts {
            host: machine.hostname.clone(),
            cpus: cpus.to_owned(),
            processor: machine.processor,
            kernel: machine.kernel,
            usable_cpus: machine.usable_cpus,
            cores: machine.physical_cores,
        };
        // Each host's hardware, by the first rank that writes it. Without it, pairs are only told apart by host.
        let _ = std::fs::create_dir_all(&self.plan.directory);
        let _ = node::write_once(&self.plan.directory, &own.host);
        if self.rank != 0 {
            self.send_text(0, &own)?;
            ((self.pairs, self.places, self.is_crowded), self.begun) = (self.recv_text(0)?, Instant::now());
            return Ok(());
        }
        let mut facts = vec![own];
        for rank in 1..self.size {
            facts.push(self.recv_text(rank)?);
        }
        let place = |(rank, facts): (usize, &RankFacts)| RankPlace {
            rank: rank as i32,
            host: facts.host.clone(),
            cpus: facts.cpus.clone(),
        };
        self.places = facts.iter().enumerate().map(place).collect();
        let hosts = Hosts::read(&self.plan.directory).0;
        self.pairs = pairs(&Distances::new(&hosts, &self.places, self.hops.as_ref()));
        let mut hosts: BTreeMap<&str, Host> = BTreeMap::new();
        for facts in &facts {
            let host = hosts.entry(&facts.host).or_insert_with(|| Host {
                host: facts.host.clone(),
                processor: facts.processor.clone(),
                kernel: facts.kernel.clone(),
                ..Host::default()
            });
            host.ranks += 1;
            host.usable_cpus = host.usable_cpus.max(facts.usable_cpus);
            host.cores = host.cores.max(facts.cores);
        }
        for host in hosts.values_mut() {
            // Ranks that are bound to different processors: each adds its own.
            let lists: BTreeMap<&str, &RankFacts> = facts
                .iter()
                .filter(|facts| facts.host == host.host)
                .map(|facts| (facts.cpus.as_str(), facts))
                .collect();
            if lists.len() > 1 {
                host.usable_cpus = lists.values().map(|facts| facts.usable_cpus).sum();
                host.cores = lists.values().map(|facts| facts.cores).sum();
            }
        }
        let hosts: Vec<Host> = hosts.into_values().collect();
        self.is_crowded = hosts.iter().any(is_crowded);
        for rank in 1..self.size {
            self.send_text(rank, &(&self.pairs, &self.places, self.is_crowded))?;
        }
        let version = self.mpi.version()?;
        self.journal = Some(Journal::create(&self.plan.directory)?);
        let warnings = hosts.iter().flat_map(crate::quiet::disturbances).collect();
        (self.report)(Step::Begun { mpi: &version, pairs: &self.pairs, warnings });
        let begin = Line::Begin {
            mpiscope: env!("CARGO_PKG_VERSION").to_owned(),
            started_s: clock::realtime_ns() / 1_000_000_000,
            mpi: MpiFacts { version, path: self.plan.library.display().to_string(), ranks: self.size },
            settings: Settings {
                experiments: experiments.iter().flat_map(|experiment| self.words(experiment.id)).collect(),
                budget_s: self.plan.budget.as_secs_f64(),
                max_bytes: self.plan.max_bytes as u64,
                seed: self.plan.seed,
                with_threads: self.has_threads,
                variables: self.variables.clone(),
                topology: self.hops.as_ref().map(Hops::describe),
                control_variables: BTreeMap::new(),
            },
            hosts,
            ranks: self.places.clone(),
            pairs: self.pairs.clone(),
        };
        self.write(vec![begin])?;
        self.begun = Instant::now();
        Ok(())
    }

    /// Collects the load of the hosts.
    fn end(&mut self, own: RankUsage) -> Result<(), BenchError> {
        if self.rank != 0 {
            return self.send_text(0, &own);
        }
        let mut usages = vec![own];
        for rank in 1..self.size {
            usages.push(self.recv_text(rank)?);
        }
        let mut hosts: BTreeMap<&str, Vec<&RankUsage>> = BTreeMap::new();
        for (place, usage) in self.places.iter().zip(&usages) {
            hosts.entry(&place.host).or_default().push(usage);
        }
        let mut lines: Vec<Line> = hosts
            .into_iter()
            .map(|(host, usages)| {
                let load = &usages[0].load;
                let own: f64 = usages.iter().map(|usage| usage.cpu_s).sum();
                let wall = load.wall_s.max(1e-3);
                Line::Load {
                    host: host.to_owned(),
                    others_cores: ((load.busy_s - own) / wall).max(0.0),
                    stolen_share: load.stolen_s / wall / load.cpus.max(1) as f64,
                    throttled_s: load.throttled_s,
                    slowdown: median(&sorted(&usages.iter().map(|usage| usage.slowdown).collect::<Vec<_>>())),
                }
            })
            .collect();
        // Last: Open MPI opens all its components for it, which takes time and memory.
        let values = self.control_variables().iter().map(|&(name, value)| (name.to_owned(), value)).collect();
        lines.push(Line::ControlVariables { values });
        lines.push(Line::End { ended_s: clock::realtime_ns() / 1_000_000_000 });
        self.write(lines)
    }

    /// The MPI's control variables that decide about protocols. They are read once: MPICH 4.0 has none when its tool interface is opened again.
    pub fn control_variables(&mut self) -> &[(&'static str, i64)] {
        self.control_variables.get_or_insert_with(|| self.mpi.control_variables(&CONTROL_VARIABLES))
    }

    /// Whether the running experiment was named, not only part of the standard set: then it may measure more.
    pub fn is_named(&self) -> bool {
        naming(&self.plan.experiments, self.experiment).next().is_some()
    }

    /// The words that chose an experiment.
    fn words(&self, experiment: &str) -> Vec<String> {
        let words: Vec<String> = naming(&self.plan.experiments, experiment).map(str::to_owned).collect();
        if words.is_empty() { vec![experiment.to_owned()] } else { words }
    }

    /// The order of measuring those of the places whose series were chosen. The budget counts from `begun`.
    pub fn schedule(&mut self, places: Vec<Place>, seed: u64, begun: Instant, budget: Duration) -> Schedule {
        self.series.extend(places.iter().map(|place| place.series.clone()));
        Schedule::new(places, seed, begun, budget)
            .only(|series| includes(&self.plan.experiments, self.experiment, series))
    }

    /// A series that a word may choose, although it is not in the schedule of this job.
    pub fn offer(&mut self, series: String) {
        self.series.insert(series);
    }

    /// Keeps a line until [`Session::flush`].
    pub fn record(&mut self, line: Line) {
        self.waiting.push(line);
    }

    /// Keeps what a reader of the numbers has to consider.
    pub fn problem(&mut self, text: String) {
        self.record(Line::Problem { text });
    }

    /// Keeps a number that is not a time.
    pub fn fact(&mut self, scope: Scope, id: &str, value: f64) {
        self.record(Line::Fact { experiment: self.experiment.to_owned(), id: id.to_owned(), scope, value });
    }

    /// Writes what was recorded, or sends it to rank 0, which must be in [`Session::idle`].
    pub fn flush(&mut self) -> Result<(), BenchError> {
        let lines = std::mem::take(&mut self.waiting);
        match self.rank {
            0 => self.write(lines),
            _ if lines.is_empty() => Ok(()),
            _ => self.send_text(0, &lines),
        }
    }

    /// Sleeps until rank `leader` is done, while rank 0 writes what that rank records.
    pub fn idle(&mut self, leader: Rank) -> Result<(), BenchError> {
        loop {
            if self.mpi.arrived(TEXT)?.is_none() {
                std::thread::sleep(NAP);
                continue;
            }
            let Some(text) = self.recv_bytes(leader)? else { return Ok(()) };
            let lines = serde_json::from_slice(&text).map_err(|_| BenchError::Protocol { rank: leader })?;
            self.write(lines)?;
        }
    }

    /// What rank 0 has found out, on all ranks; every rank calls it.
    pub fn share<T: Serialize + for<'de> Deserialize<'de>>(
        &self,
        find: impl FnOnce(&Self) -> T,
    ) -> Result<T, BenchError> {
        if self.rank != 0 {
            return self.recv_text(0);
        }
        let found = find(self);
        (1..self.size).try_for_each(|rank| self.send_text(rank, &found))?;
        Ok(found)
    }

    /// What each rank has found out, on rank 0, in order of the ranks; every rank calls it. `None` on the others.
    pub fn gather<T: Serialize + for<'de> Deserialize<'de>>(&self, own: T) -> Result<Option<Vec<T>>, BenchError> {
        if self.rank != 0 {
            self.send_text(0, &own)?;
            return Ok(None);
        }
        let others = (1..self.size).map(|rank| self.recv_text(rank));
        [Ok(own)].into_iter().chain(others).collect::<Result<Vec<T>, BenchError>>().map(Some)
    }

    /// Whether a series of the running experiment was chosen.
    pub fn is_chosen(&self, series: &str) -> bool {
        includes(&self.plan.experiments, self.experiment, series)
    }

    /// Whether all series of the running experiment were chosen.
    pub fn is_whole(&self) -> bool {
        self.is_chosen("")
    }

    /// For two ranks each, which of the measured pairs is as far apart; for rank 0, which knows where all are.
    pub fn distances(&self, ranks: &[[Rank; 2]]) -> Vec<Option<usize>> {
        let hosts = Hosts::read(&self.plan.directory).0;
        let distances = Distances::new(&hosts, &self.places, self.hops.as_ref());
        ranks.iter().map(|&pair| distances.like(pair, &self.pairs)).collect()
    }

    /// Ends [`Session::idle`] of all ranks but `partner`.
    pub fn release(&mut self, partner: Rank) -> Result<(), BenchError> {
        self.wake_all_but(&[self.rank, partner])
    }

    /// Ends [`Session::idle`] of all ranks but those that were awake.
    pub fn wake_all_but(&mut self, awake: &[Rank]) -> Result<(), BenchError> {
        self.flush()?;
        for rank in (0..self.size).filter(|rank| !awake.contains(rank)) {
            self.mpi.send(&0u64.to_ne_bytes(), rank, TEXT)?;
        }
        Ok(())
    }

    fn write(&mut self, lines: Vec<Line>) -> Result<(), BenchError> {
        for line in &lines {
            if let Line::Progress { experiment, done, all, .. } = line {
                (self.report)(Step::Progress { experiment, done: *done, all: *all });
            }
        }
        self.journal.as_mut().map_or(Ok(()), |journal| journal.write(&lines))
    }

    fn send_text(&self, to: Rank, value: &impl Serialize) -> Result<(), BenchError> {
        let text = serde_json::to_vec(value).map_err(|_| BenchError::Protocol { rank: self.rank })?;
        self.mpi.send(&(text.len() as u64).to_ne_bytes(), to, TEXT)?;
        Ok(self.mpi.send(&text, to, TEXT)?)
    }

    fn recv_text<T: for<'de> Deserialize<'de>>(&self, from: Rank) -> Result<T, BenchError> {
        let text = self.recv_bytes(from)?.unwrap_or_default();
        serde_json::from_slice(&text).map_err(|_| BenchError::Protocol { rank: from })
    }

    fn recv_bytes(&self, from: Rank) -> Result<Option<Vec<u8>>, BenchError> {
        let mut length = [0; 8];
        self.mpi.recv(&mut length, from, TEXT)?;
        let mut text = vec![0; u64::from_ne_bytes(length) as usize];
        if text.is_empty() {
            return Ok(None);
        }
        self.mpi.recv(&mut text, from, TEXT)?;
        Ok(Some(text))
    }
}

/// The next experiment's time: its share of what is left, or of all if the ones before it took too long. `weights`: of it and of those
/// after it.
fn share(all: Duration, spent: Duration, weights: impl Iterator<Item = u32>) -> Duration {
    let weights: Vec<u32> = weights.collect();
    let own = weights.first().copied().unwrap_or(1);
    let left = all.saturating_sub(spent).max(all / LEAST);
    left * own / weights.iter().sum::<u32>().max(1)
}

/// Processor time of this process, s.
fn cpu_s() -> f64 {
    // SAFETY: a rusage of zeros is valid and writable.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let s = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    s(usage.ru_utime) + s(usage.ru_stime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_by_weight() {
        let s = Duration::from_secs;
        assert_eq!(share(s(60), s(0), [3, 2, 1].into_iter()), s(30));
        // The first needed less, so that the others have more.
        assert_eq!(share(s(60), s(12), [2, 1].into_iter()), s(32));
        assert_eq!(share(s(60), s(28), [1].into_iter()), s(32));
        // It needed more: the others still have something.
        assert_eq!(share(s(60), s(90), [2, 1].into_iter()), s(10));
    }
}
