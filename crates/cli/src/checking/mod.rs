//! Beside a checked program: reads what its processes tell, asks the judge, says what is wrong as it happens.

mod choice;
mod findings;
mod helpers;
mod rings;
mod sites;
mod text;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use mpiscope_judge::{Ended, Finding, Introduction, Judge};
use mpiscope_launch::clock::monotonic_ns;
use mpiscope_launch::run_dir::RANKS;
use mpiscope_launch::{host, spool};
use mpiscope_symbols::{ModuleFile, Resolver};
use mpiscope_trace::check::event::{Body, Event, Head, flag};
use mpiscope_trace::check::rule;
use mpiscope_trace::layout::state;
use mpiscope_trace::reader::TickClock;

use crate::failure::Failure;
use crate::say;
pub use choice::{Only, Suppressions};
use findings::{Line, Report, Told};
use rings::Rank;
use sites::Sites;

/// Exit code of a program in which something is wrong.
pub const EXIT_FINDINGS: i32 = 10;
/// Events of a process that are taken at once.
const AT_ONCE: usize = 4096;
/// Between looks for new processes.
const LOOK: Duration = Duration::from_millis(50);
/// Between looks at rings in which nothing moves.
const NAP: Duration = Duration::from_millis(2);
/// Between questions who is stuck.
const STANDSTILL: Duration = Duration::from_millis(25);
/// A program whose collective operations do not fit, and in which everybody has waited for so long, hangs in them …
const STILL_NS: u64 = 700_000_000;
/// … and one in which nobody has said anything for so long, whatever it does.
const SILENCE: Duration = Duration::from_secs(5);
/// So long a launcher that was asked to end has for it.
const GRACE: Duration = Duration::from_secs(3);
const FOLDER: &str = "check";

/// What was asked for on the command line.
#[derive(Debug, Default)]
pub struct Wishes {
    pub only: Only,
    pub suppressions: Suppressions,
    pub stop_on_first: bool,
    /// Leave the program in its deadlock.
    pub wait_in_deadlock: bool,
    pub deadlock_timeout_ns: u64,
    pub json: bool,
    pub sarif: Option<PathBuf>,
}

/// The thread that reads.
pub struct Checking {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Desk>,
    program: Vec<String>,
}

impl Checking {
    /// Begins; called when the launcher runs.
    pub fn start(
        run: &Path,
        run_id: &str,
        spool: Option<&Path>,
        program: &[String],
        wishes: Wishes,
    ) -> Option<Checking> {
        let is_over = Arc::new(AtomicBool::new(false));
        let folders = [spool::expected(run_id, spool), run.join(RANKS)];
        let mut desk = Desk::new(run.to_owned(), folders, wishes);
        let over = Arc::clone(&is_over);
        let thread = std::thread::Builder::new().name("checker".into()).spawn(move || {
            desk.work(&over);
            desk
        });
        let thread = thread.map_err(|error| say::warning(format_args!("nothing is checked: {error}"))).ok()?;
        Some(Checking { is_over, thread, program: program.to_vec() })
    }

    /// The program has ended and its files are in the run: reads what is left, writes the findings, gives the exit code.
    pub fn finish(self, run: &Path, code: i32) -> Result<i32, Failure> {
        self.is_over.store(true, Ordering::Release);
        let Ok(mut desk) = self.thread.join() else {
            return Err(anyhow::anyhow!("the checker has ended by a defect of its own").into());
        };
        desk.finish();
        let wishes = &desk.wishes;
        let report = Report {
            format: 1,
            program: &self.program,
            processes: desk.processes.len(),
            events_lost: desk.processes.iter().map(|p| p.rank.lost()).sum(),
            findings: &desk.told,
        };
        let folder = run.join(FOLDER);
        let file = folder.join("findings.json");
        let text = serde_json::to_string_pretty(&report).context("cannot write JSON")? + "\n";
        let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, &text));
        written.with_context(|| format!("cannot write {}", file.display()))?;
        if let Some(path) = &wishes.sarif {
            let text = serde_json::to_string_pretty(&findings::sarif(&report)).context("cannot write SARIF")? + "\n";
            fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        }
        if wishes.json {
            say::result(&text).context("cannot write the result")?;
        }
        let told = desk.told.iter().filter(|f| !f.suppressed);
        let (wrong, all) = (told.clone().filter(|f| f.is_wrong()).count(), told.count());
        if report.events_lost > 0 {
            say::warning(format_args!(
                "{} events were not heard; what follows from them is not certain",
                report.events_lost
            ));
        }
        match (wrong, all - wrong) {
            (0, 0) if report.processes == 0 => say::warning("no process was checked"),
            (0, 0) => say::line(format_args!("checked {} processes: nothing is wrong", report.processes)),
            (wrong, possible) => {
                say::line(format_args!(
                    "checked {} processes: {wrong} findings, {possible} possible",
                    report.processes
                ));
            }
        }
        Ok(if wrong > 0 { EXIT_FINDINGS } else { code })
    }
}

/// One process that is read.
struct Process {
    rank: Rank,
    sites: Sites,
    /// Its number at the judge, once it is known.
    number: Option<u32>,
    /// What was read before that.
    waiting: Vec<Event>,
    definitions: Vec<mpiscope_trace::defs::Definition>,
    name: String,
    has_begun: bool,
    /// When MPI was there, ns of `CLOCK_MONOTONIC`.
    begun_ns: u64,
    has_ended: bool,
    /// The site of its last event.
    last_site: u32,
    lost: u64,
    /// How it ended was told.
    end_told: bool,
}

struct Desk {
    run: PathBuf,
    folders: [PathBuf; 2],
    judge: Judge,
    processes: Vec<Process>,
    by_number: HashMap<u32, usize>,
    told: Vec<Told>,
    resolver: Resolver,
    wishes: Wishes,
    began: Instant,
    /// When a process has said something last.
    moved: Instant,
    stopping: Option<Instant>,
    world_size: u32,
    others: u32,
}

impl Desk {
    fn new(run: PathBuf, folders: [PathBuf; 2], wishes: Wishes) -> Desk {
        let settings =
            mpiscope_judge::Settings { deadlock_timeout_ns: wishes.deadlock_timeout_ns, ..Default::default() };
        Desk {
            run,
            folders,
            judge: Judge::new(settings),
            processes: Vec::new(),
            by_number: HashMap::new(),
            told: Vec::new(),
            resolver: Resolver::default(),
            wishes,
            began: Instant::now(),
            moved: Instant::now(),
            stopping: None,
            world_size: 0,
            others: 0,
        }
    }

    /// Until the program has ended.
    fn work(&mut self, is_over: &AtomicBool) {
        let (mut looked, mut asked) = (None::<Instant>, Instant::now());
        while !is_over.load(Ordering::Acquire) {
            if looked.is_none_or(|at| at.elapsed() >= LOOK) {
                self.look();
                self.ends();
                looked = Some(Instant::now());
            }
            let moved = self.read();
            if moved {
                self.moved = Instant::now();
            }
            if asked.elapsed() >= STANDSTILL {
                asked = Instant::now();
                self.ask();
            }
            self.tell();
            if !moved {
                std::thread::sleep(NAP);
            }
        }
    }

    /// New processes.
    fn look(&mut self) {
        for folder in self.folders.clone() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                // A claimed file is being moved; its process has ended.
                let name = name.split(".rank.by.").next().unwrap_or(&name).trim_start_matches('.').to_owned();
                let name = name.strip_suffix(".rank").map_or(name.clone(), str::to_owned);
                let is_rank = entry.file_name().to_string_lossy().contains(".rank");
                if !is_rank || self.processes.iter().any(|p| p.name == name) {
                    continue;
                }
                if let Some(rank) = Rank::open(&entry.path()) {
                    self.processes.push(Process {
                        rank,
                        sites: Sites::default(),
                        number: None,
                        waiting: Vec::new(),
                        definitions: Vec::new(),
                        name,
                        has_begun: false,
                        begun_ns: 0,
                        has_ended: false,
                        last_site: 0,
                        lost: 0,
                        end_told: false,
                    });
                }
            }
        }
    }

    /// Takes what is there; whether there was anything.
    fn read(&mut self) -> bool {
        let now = monotonic_ns();
        let mut moved = false;
        for index in 0..self.processes.len() {
            let process = &mut self.processes[index];
            let mut events = std::mem::take(&mut process.waiting);
            let before = events.len();
            moved |= process.rank.read(now, AT_ONCE, &mut events);
            moved |= events.len() > before;
            let definitions = process.rank.definitions();
            for definition in &definitions {
                process.sites.define(definition);
            }
            process.definitions.extend(definitions);
            process.waiting = events;
            self.introduce(index, false);
            self.hand_over(index);
        }
        moved
    }

    /// Gives a process its number, when its rank is known or will not be.
    fn introduce(&mut self, index: usize, at_last: bool) {
        let process = &mut self.processes[index];
        let now = process.rank.state();
        let known = now.rank >= 0 && now.state >= state::INITIALISED;
        if process.number.is_some() || !(known || at_last) {
            return;
        }
        if known {
            self.world_size = self.world_size.max(now.size.max(0) as u32);
        }
        // A process of another world has a rank that is taken.
        let own = now.rank.max(0) as u32;
        let first_world = known && !self.by_number.contains_key(&own);
        let number = if first_world {
            own
        } else {
            self.others += 1;
            self.world_size.max(1 << 10) + self.others - 1
        };
        let clock = TickClock::fit(now.clock, &now.points);
        let who = Introduction {
            world: u32::from(!first_world),
            rank: now.rank.max(0),
            ticks_per_s: (1e9 / clock.ns_per_tick) as u64,
            zero_ticks: now.points[0].0,
            zero_ns: now.points[0].1,
            multiple: now.thread_level == 3,
        };
        process.number = Some(number);
        self.judge.introduce(number, who);
        self.by_number.insert(number, index);
    }

    fn hand_over(&mut self, index: usize) {
        let process = &mut self.processes[index];
        let Some(number) = process.number else { return };
        for definition in process.definitions.drain(..) {
            self.judge.define(number, &definition);
        }
        for event in process.waiting.drain(..) {
            if event.body == Body::Begin {
                process.has_begun = true;
                process.begun_ns = process.rank.moment_ns(event.head.at);
            }
            process.has_ended |= event.body == Body::End;
            process.last_site = if event.head.site != 0 { event.head.site } else { process.last_site };
            self.judge.take(number, &event);
        }
        for (thread, polls, at) in process.rank.polls() {
            self.judge.poll_state(number, thread, polls, at);
        }
        let lost = process.rank.lost();
        if lost > process.lost {
            process.lost = lost;
            self.judge.lost();
        }
    }

    /// Processes that have ended, as who started them has written down.
    fn ends(&mut self) {
        for index in 0..self.processes.len() {
            let process = &self.processes[index];
            let Some(number) = process.number.filter(|_| !process.end_told) else { continue };
            let Some((code, signal)) = exit_record(&self.run, &process.name) else { continue };
            // What it has said before comes first.
            self.read();
            let ended = match (code, signal) {
                (Some(code), _) => Ended::Exit(code),
                (_, Some(signal)) => Ended::Signal(signal),
                _ => Ended::Lost,
            };
            let process = &mut self.processes[index];
            process.end_told = true;
            let aborted = process.rank.state().state == state::ABORTED;
            if process.has_begun && !process.has_ended && code == Some(0) && !aborted && self.stopping.is_none() {
                let head = Head { site: process.last_site, flags: flag::CUT, ..Head::default() };
                let body = Body::Finding {
                    rule: rule::NO_FINALIZE,
                    argument: 255,
                    withheld: false,
                    origin: 0,
                    values: [0; 3],
                    text: "exit code 0; its last call is shown".into(),
                };
                self.judge.take(number, &Event { head, body });
            }
            self.judge.process_ended(number, ended);
        }
    }

    fn ask(&mut self) {
        let now = self.began.elapsed().as_nanos() as u64;
        let nobody_computes = self.judge.nobody_computes(now, STILL_NS);
        let Desk { judge, processes, by_number, .. } = self;
        let own_host = host::name();
        let mut may_help = |number: u32| {
            let process = by_number.get(&number).and_then(|&index| processes.get(index));
            process.is_none_or(|p| {
                !p.name.starts_with(&own_host) || helpers::any(p.rank.state().pid, &p.rank.tids(), p.begun_ns)
            })
        };
        let stuck = judge.standstill_unless(now, &mut may_help);
        if stuck && !self.wishes.wait_in_deadlock && self.stopping.is_none() {
            self.tell();
            if self.told.iter().any(|f| f.stuck && !f.suppressed) {
                self.stop("the program is stuck for good and is ended; --on-deadlock=wait leaves it");
            }
        }
        // Operations that do not fit each other never come to an end.
        let mismatch = self.told.iter().any(|f| f.is_wrong() && f.id.starts_with("collective."));
        let is_still = nobody_computes || self.moved.elapsed() > SILENCE;
        if mismatch && is_still && !self.wishes.wait_in_deadlock && self.stopping.is_none() {
            self.stop("nothing has happened since the collective operations that do not fit: the program is ended");
        }
        if let Some(at) = self.stopping
            && at.elapsed() >= GRACE
        {
            for process in &self.processes {
                let pid = process.rank.state().pid;
                if process.name.starts_with(&host::name()) && host::is_alive(pid) {
                    kill(pid, libc::SIGKILL);
                }
            }
            children().into_iter().for_each(|pid| kill(pid, libc::SIGKILL));
            self.stopping = Some(Instant::now() + Duration::from_secs(3600));
        }
    }

    fn stop(&mut self, why: &str) {
        if self.stopping.is_some() {
            return;
        }
        say::line(why);
        self.stopping = Some(Instant::now());
        children().into_iter().for_each(|pid| kill(pid, libc::SIGTERM));
    }

    /// Reads the debug information of each module once for all places of new findings.
    fn look_up(&self, findings: &[Finding]) {
        let mut modules: HashMap<ModuleFile, Vec<u64>> = HashMap::new();
        for party in findings.iter().flat_map(|finding| &finding.parties) {
            let process = self.by_number.get(&party.process).and_then(|&index| self.processes.get(index));
            for (module, address) in process.into_iter().flat_map(|p| p.sites.unknown(party.site)) {
                modules.entry(module).or_default().push(address);
            }
        }
        for (module, addresses) in modules {
            self.resolver.resolve(&module, &addresses);
        }
    }

    /// Says what is new.
    fn tell(&mut self) {
        let findings = self.judge.findings();
        self.look_up(&findings);
        for finding in findings {
            let (processes, by_number, resolver) = (&mut self.processes, &self.by_number, &self.resolver);
            let mut told = Told::new(finding, |process, site| {
                let Some(&index) = by_number.get(&process) else { return Vec::new() };
                processes[index].sites.stack(site, resolver).iter().map(Line::from).collect()
            });
            if !self.wishes.only.wants(told.id) {
                continue;
            }
            told.suppressed = self.wishes.suppressions.know(&told);
            if !told.suppressed {
                say::line(text::of(&told).trim_end());
            }
            let wrong = told.is_wrong();
            self.told.push(told);
            if wrong && self.wishes.stop_on_first {
                self.stop("the first finding ends the program (--stop-on-first)");
            }
        }
    }

    /// Everything has ended.
    fn finish(&mut self) {
        self.look();
        while self.read() {}
        for index in 0..self.processes.len() {
            self.introduce(index, true);
            self.hand_over(index);
        }
        self.ends();
        // What was cut short by ending it is nobody's fault.
        if self.stopping.is_none() {
            self.judge.standstill(self.began.elapsed().as_nanos() as u64);
            self.judge.finish();
        }
        self.tell();
        let counts = self.judge.counts().to_vec();
        for told in &mut self.told {
            told.count = counts.get(told.number as usize).copied().unwrap_or(told.count);
        }
    }
}

/// Exit code and signal of a process.
fn exit_record(run: &Path, name: &str) -> Option<(Option<i32>, Option<i32>)> {
    let text = fs::read_to_string(run.join(RANKS).join(format!("{name}.exit.json"))).ok()?;
    let record: serde_json::Value = serde_json::from_str(&text).ok()?;
    let number = |key: &str| record.get(key).and_then(serde_json::Value::as_i64).map(|n| n as i32);
    Some((number("exit_code"), number("signal")))
}

/// The launcher.
fn children() -> Vec<u32> {
    let own = std::process::id();
    let text = fs::read_to_string(format!("/proc/{own}/task/{own}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

fn kill(pid: u32, signal: i32) {
    // SAFETY: a plain system call; whoever calls knows that it is a process of this run.
    unsafe { libc::kill(pid as i32, signal) };
}
