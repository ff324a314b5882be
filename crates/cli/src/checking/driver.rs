//! The desk: reads the events of the processes, passes them to the judge, reports findings, ends the program.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use mpiscope_judge::{
    Beyond, Ended, Finding, Introduction, Judge, MAY_HAVE_WRITTEN, MAY_READ, MAY_WRITE, Party, Stranger,
};
use mpiscope_launch::clock::monotonic_ns;
use mpiscope_launch::host;
use mpiscope_launch::run_dir::RANKS;
use mpiscope_query::{CheckLine, Checks};
use mpiscope_symbols::{Frame as SiteFrame, ModuleFile, Resolver};
use mpiscope_trace::check::event::{Body, Event, Head, flag};
use mpiscope_trace::check::rule;
use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::state;
use mpiscope_trace::reader::TickClock;

use super::abort_message;
use super::crash_report::{self, At};
use super::data_dependence::Alikes;
use super::declared::Variables;
use super::findings::{Told, called};
use super::hosts::{FAN, Frame, Hub, RemoteProcess};
use super::other_threads::{self, Begun, Sleepers};
use super::poll_loops::Loops;
use super::process::{Process, Source};
use super::python_poll_loops::{PythonLoops, catches_signals};
use super::rings::{Rank, State, name_of};
use super::worlds::Worlds;
use super::{Job, Wishes, text};
use crate::say;

/// Events of a process that are read in one batch. Events of one rank wait for those of the others: with larger batches
/// they have left the processor's cache by then.
const AT_ONCE: usize = 256;
/// Interval of looking for new processes.
const LOOK: Duration = Duration::from_millis(50);
/// Interval of reading rings: the first while events arrive; without events it grows to the second. Reading all the time
/// would take a core from the program.
const NAPS: [Duration; 2] = [Duration::from_millis(2), Duration::from_millis(8)];
/// After this many events in one round there are more, and the processes that write them may be waiting for room.
const MANY: usize = AT_ONCE;
/// Interval of looking for deadlocks.
const STANDSTILL: Duration = Duration::from_millis(25);
/// A program with mismatched collective operations hangs in them if all processes have waited for this long. A program
/// without events may be computing.
const STILL_NS: u64 = 700_000_000;
/// The same after any other error: an MPI may spin forever in an invalid operation, or in its own handler of fatal errors
/// (MPICH 4.0 with a communicator of a session).
const HELD_NS: u64 = 10_000_000_000;
/// Time that the launcher has to end after SIGTERM.
const GRACE: Duration = Duration::from_secs(3);
/// Time that a finding waits for source lines from another host.
const PLACES: Duration = Duration::from_secs(1);
/// Events of a process that may wait until its partners are known. With more, its ring fills up, and the process waits.
const MOST_HELD: usize = 1 << 16;
/// With more operations without a partner, matching stops: the events of the partners do not arrive.
const MOST_OUTSTANDING: usize = 1 << 20;
/// Site number of the call in which a process died; no process uses this number.
const DEATH: u32 = u32::MAX;
/// Error of the offset between two clocks that were not compared, ns.
const ANY_ERROR: u64 = u64::MAX / 8;

/// Facts outside of the events, for the judge.
struct Seen<'a> {
    processes: &'a [Process],
    by_number: &'a HashMap<u32, usize>,
    loops: &'a mut Loops,
    python_loops: &'a mut PythonLoops,
    alikes: &'a mut Alikes,
    sleepers: &'a mut Sleepers,
}

impl Seen<'_> {
    fn process(&self, number: u32) -> Option<&Process> {
        self.by_number.get(&number).and_then(|&index| self.processes.get(index))
    }
}

impl Beyond for Seen<'_> {
    fn may_help(&mut self, process: u32) -> bool {
        let Some(&number) = self.by_number.get(&process) else { return true };
        let Some(Process { source: Source::Here(rank), begun, .. }) = self.processes.get(number) else { return true };
        other_threads::any(rank.state().pid, &rank.tids(), begun, self.sleepers)
    }

    fn may_give_up(&mut self, process: u32, site: u32) -> bool {
        let Some(process) = self.by_number.get(&process).and_then(|&index| self.processes.get(index)) else {
            return true;
        };
        if let Some((module, stack)) = process.sites.calls(site) {
            return self.loops.may_give_up(module, stack);
        }
        // Sources of another host may be others.
        let Source::Here(rank) = &process.source else { return true };
        let may = |(file, line)| self.python_loops.may_give_up(file, line) || catches_signals(rank.state().pid);
        process.sites.python_line(site).is_none_or(may)
    }

    fn is_asleep(&mut self, process: u32, thread: u8) -> bool {
        let Some(Process { source: Source::Here(rank), .. }) = self.process(process) else { return false };
        let (pid, tid) = (rank.state().pid, rank.tid(thread));
        tid.is_some_and(|tid| self.sleepers.is_asleep(pid, tid))
    }

    fn is_alike(&mut self, process: u32, calls: &[(u32, u64)], through: &[u32], next: u32) -> bool {
        let process = self.by_number.get(&process).and_then(|&index| self.processes.get(index));
        process.is_some_and(|process| self.alikes.is_alike(&process.sites, calls, through, next))
    }
}

/// See the module's text.
pub struct CheckDriver {
    program: Vec<String>,
    run: PathBuf,
    folders: [PathBuf; 2],
    launcher: u32,
    /// This one.
    host: String,
    judge: Judge,
    processes: Vec<Process>,
    by_number: HashMap<u32, usize>,
    /// Processes of other hosts by the number under which they are spoken of.
    far: HashMap<u64, usize>,
    hub: Option<Hub>,
    pub told: Vec<Told>,
    /// What could not be seen.
    pub notes: Vec<String>,
    resolver: Resolver,
    variables: Variables,
    loops: Loops,
    python_loops: PythonLoops,
    alikes: Alikes,
    sleepers: Sleepers,
    pub wishes: Wishes,
    began: Instant,
    stopping: Option<Instant>,
    worlds: Worlds,
    /// When new processes were looked for, ns of this host's clock.
    looked_ns: u64,
}

/// Rules that need the order of what processes do, which takes the judge much of its time where they access windows and files.
const OF_ORDER: [&str; 5] = ["race.", "rma.", "io.", "file.", "buffer."];

impl CheckDriver {
    pub fn new(job: &Job<'_>, folders: [PathBuf; 2], launcher: u32, wishes: Wishes) -> CheckDriver {
        let settings = mpiscope_judge::Settings {
            deadlock_timeout_ns: wishes.deadlock_timeout_ns,
            races: wishes.only.wants_some(&OF_ORDER),
            ..Default::default()
        };
        CheckDriver {
            program: job.program.to_vec(),
            run: job.run.to_owned(),
            folders,
            launcher,
            host: host::name(),
            judge: Judge::new(settings),
            processes: Vec::new(),
            by_number: HashMap::new(),
            far: HashMap::new(),
            hub: None,
            told: Vec::new(),
            notes: Vec::new(),
            resolver: Resolver::default(),
            variables: Variables::new(Resolver::default()),
            loops: Loops::default(),
            python_loops: PythonLoops::default(),
            alikes: Alikes::default(),
            sleepers: Sleepers::default(),
            wishes,
            began: Instant::now(),
            stopping: None,
            worlds: Worlds::default(),
            looked_ns: 0,
        }
    }

    /// Listens to other hosts.
    pub fn listen(&mut self) {
        match Hub::start(&self.run, &self.host, FAN) {
            Ok(hub) => self.hub = Some(hub),
            Err(error) => self.note(format!("events of ranks on other hosts are read only at the end: {error}")),
        }
    }

    /// Processes that were checked.
    pub fn processes(&self) -> usize {
        self.processes.iter().filter(|p| p.number.is_some()).count()
    }

    /// Events that were lost because a buffer was full.
    pub fn lost(&self) -> u64 {
        self.processes.iter().map(Process::events_lost).sum()
    }

    fn note(&mut self, text: String) {
        say::warning(&text);
        self.notes.push(text);
    }

    /// Until the program has ended.
    pub fn work(&mut self, is_over: &AtomicBool) {
        let (mut looked, mut asked, mut nap) = (None::<Instant>, Instant::now(), NAPS[0]);
        while !is_over.load(Ordering::Acquire) {
            if looked.is_none_or(|at| at.elapsed() >= LOOK) {
                self.look();
                self.ends();
                looked = Some(Instant::now());
            }
            let events = self.read();
            nap = if events > 0 { NAPS[0] } else { (nap * 2).min(NAPS[1]) };
            if asked.elapsed() >= STANDSTILL {
                asked = Instant::now();
                self.ask();
            }
            self.tell();
            match &mut self.hub {
                _ if events >= MANY => {}
                Some(hub) => hub.wait(nap),
                None => std::thread::sleep(nap),
            }
        }
    }

    /// New processes of this host.
    fn look(&mut self) {
        self.looked_ns = monotonic_ns();
        for folder in self.folders.clone() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let file = entry.file_name().to_string_lossy().into_owned();
                let Some(name) = name_of(&file).filter(|name| is_of(name, &self.host)) else { continue };
                if !self.processes.iter().any(|p| p.name == name) {
                    self.open(name, &entry.path());
                }
            }
        }
    }

    /// A rank file that is new, unless it is one of those under another name.
    fn open(&mut self, name: &str, path: &Path) {
        let Some(rank) = Rank::open(path) else { return };
        let state = rank.state();
        let known = |p: &Process| p.state().is_some_and(|known| known.is_same(&state)) && same_host(&p.name, name);
        if !self.processes.iter().any(known) {
            self.processes.push(Process::new(name.to_owned(), Source::Here(rank)));
        }
    }

    /// Reads files of other hosts after they were moved into the run.
    fn look_elsewhere(&mut self) {
        let mut late: Vec<String> = Vec::new();
        for entry in fs::read_dir(self.run.join(RANKS)).into_iter().flatten().flatten() {
            let file = entry.file_name().to_string_lossy().into_owned();
            let Some(name) = name_of(&file).filter(|name| !is_of(name, &self.host)) else { continue };
            if let Some(process) = self.processes.iter_mut().find(|p| p.name == name) {
                process.go_on_in(&entry.path());
            } else {
                let before = self.processes.len();
                self.open(name, &entry.path());
                late.extend((self.processes.len() > before).then(|| name.to_owned()));
            }
        }
        if !late.is_empty() {
            let hosts: std::collections::BTreeSet<&str> = late.iter().filter_map(|name| host_of(name)).collect();
            let hosts: Vec<&str> = hosts.into_iter().collect();
            let (n, hosts) = (late.len(), hosts.join(", "));
            let processes = if n == 1 { "process" } else { "processes" };
            self.note(format!(
                "events of {n} {processes} on {hosts} did not arrive while the program ran; they were read after its end"
            ));
        }
    }

    /// Takes frames of other hosts; returns the number of events, at least 1 if other news about processes arrived.
    fn hear(&mut self) -> usize {
        let Some(hub) = &mut self.hub else { return 0 };
        let mut taken = 0;
        for frame in hub.receive() {
            let of = match &frame {
                Frame::Process { process, speaker, name } => {
                    let at =
                        self.far.get(process).copied().or_else(|| self.processes.iter().position(|p| p.name == *name));
                    match at.map(|at| &mut self.processes[at].source) {
                        // It introduces itself again after its connection was lost.
                        Some(Source::There(far)) => far.speaker = *speaker,
                        Some(Source::Here(_)) => {}
                        None => {
                            self.far.insert(*process, self.processes.len());
                            let far = RemoteProcess::new(*speaker);
                            self.processes.push(Process::new(name.clone(), Source::There(far)));
                        }
                    }
                    continue;
                }
                Frame::State { process, .. }
                | Frame::Definitions { process, .. }
                | Frame::Words { process, .. }
                | Frame::Polls { process, .. }
                | Frame::Lost { process, .. }
                | Frame::Over { process }
                | Frame::Lines { process, .. }
                | Frame::Tail { process, .. } => *process,
                _ => continue,
            };
            let Some(process) = self.far.get(&of).and_then(|&at| self.processes.get_mut(at)) else { continue };
            let Source::There(far) = &mut process.source else { continue };
            taken = taken.max(1);
            match frame {
                Frame::State { state, .. } => far.state = Some(state),
                Frame::Words { thread, from, words, .. } => {
                    let before = process.waiting.len();
                    if let Some(read) = far.words(thread, from, &words, &mut process.waiting) {
                        hub.send(of, &Frame::Taken { process: of, thread, read });
                    }
                    taken += process.waiting.len() - before;
                }
                Frame::Definitions { from, bytes, .. } => {
                    let definitions = far.definitions(from, &bytes);
                    let sites = definitions.iter().filter_map(|definition| match definition {
                        Definition::Site { id, .. } => Some(*id),
                        _ => None,
                    });
                    let sites: Vec<u32> = sites.collect();
                    process.define(definitions);
                    for site in sites {
                        if !process.sites.is_here(site) {
                            process.sites.request(site);
                            hub.send(of, &Frame::Where { process: of, site });
                        }
                    }
                }
                Frame::Polls { thread, polls, at, .. } => far.polls(thread, polls, at),
                Frame::Lost { events, .. } => far.lost = far.lost.max(events),
                Frame::Over { .. } => far.is_over = true,
                Frame::Lines { site, lines, .. } => process.sites.told(site, frames(lines)),
                Frame::Tail { site, stem, lines, .. } => process.sites.told_tail(site, stem, frames(lines)),
                _ => {}
            }
        }
        for note in hub.notes() {
            self.note(note);
        }
        taken
    }

    /// Reads the available events; returns how many.
    fn read(&mut self) -> usize {
        let now = monotonic_ns();
        let mut taken = self.hear();
        let mut has_all = self.hub.as_ref().is_none_or(Hub::has_heard_all);
        for index in 0..self.processes.len() {
            // Limits the memory for events that wait until the partners of a process are known.
            let waits = self.processes[index].number.and_then(|number| self.judge.held(number));
            let most = if waits.unwrap_or(0) < MOST_HELD { AT_ONCE } else { 0 };
            let read = self.processes[index].read(now, most);
            has_all &= read < most;
            taken += read;
            self.introduce(index, false);
            self.hand_over(index);
        }
        if has_all {
            self.judge.caught_up(now.min(self.looked_ns));
        }
        for (number, event) in self.variables.findings(&self.judge) {
            self.judge.feed(number, &event);
        }
        taken
    }

    /// Gives a process its number when its rank is known, or will not become known.
    fn introduce(&mut self, index: usize, at_last: bool) {
        let process = &mut self.processes[index];
        let Some(now) = process.state().or_else(|| at_last.then(State::default)) else { return };
        let known = now.rank >= 0 && now.state >= state::INITIALISED;
        if process.number.is_some() || !(known || at_last) {
            return;
        }
        // It has the clock of its host.
        let known_clock = match (&process.source, &self.hub) {
            (Source::Here(_), _) => Some((0, 0)).filter(|_| is_of(&process.name, &self.host)),
            (Source::There(far), Some(hub)) => hub.clock(far.speaker),
            _ => None,
        };
        if known_clock.is_none() && !at_last {
            return;
        }
        let (ahead, error) = known_clock.unwrap_or((0, ANY_ERROR));
        self.judge.clocks_differ(2 * error);
        let clock = TickClock::fit(now.clock, &now.points);
        let place = match known {
            true => self.worlds.place(now.rank.max(0) as u32, now.size.max(0) as u32, &process.definitions),
            false => self.worlds.unknown(),
        };
        let number = place.number;
        let who = Introduction {
            world: place.world,
            rank: place.rank as i32,
            size: place.size,
            is_spawned: place.is_spawned,
            ticks_per_s: (1e9 / clock.ns_per_tick) as u64,
            zero_ticks: now.points[0].0,
            zero_ns: (i128::from(now.points[0].1) - ahead).clamp(0, u64::MAX.into()) as u64,
            multiple: now.thread_level == 3,
        };
        process.number = Some(number);
        process.clock = Some(clock);
        self.judge.introduce(number, who);
        self.by_number.insert(number, index);
    }

    fn hand_over(&mut self, index: usize) {
        let process = &mut self.processes[index];
        let Some(number) = process.number else { return };
        for definition in process.definitions.drain(..) {
            self.judge.define(number, &definition);
        }
        for event in &process.waiting {
            if let Body::Passed { .. } = &event.body {
                self.variables.request(number, event, &process.sites);
                continue;
            }
            if let Body::Begin { threads } = &event.body {
                (process.has_begun, process.has_ended) = (true, false);
                let is_session = u32::from(event.head.function) == mpiscope_abi::id::Session_init;
                process.session = is_session.then_some(event.head.site);
                let at_ns = process.clock.map_or(0, |clock| clock.ns(event.head.at));
                process.begun = Begun { at_ns, threads: threads.clone() };
            }
            process.has_ended |= event.body == Body::End;
            process.last_site = if event.head.site != 0 { event.head.site } else { process.last_site };
            self.judge.feed(number, event);
        }
        process.waiting.clear();
        for (thread, polls, at) in process.polls() {
            self.judge.poll_state(number, thread, polls, at);
        }
        let lost = process.events_lost();
        if lost > process.lost {
            process.lost = lost;
            self.judge.lost();
        }
    }

    /// Processes that have ended, according to their exit records.
    fn ends(&mut self) {
        for index in 0..self.processes.len() {
            let process = &self.processes[index];
            let Some(number) = process.number.filter(|_| !process.end_told) else { continue };
            let Some(record) = crash_report::exit_record(&self.run, &process.name) else { continue };
            let (code, signal) = (record.exit_code, record.signal);
            // Its earlier events come first.
            self.read();
            if !self.processes[index].is_read() {
                continue;
            }
            let ended = match (code, signal) {
                (Some(code), _) => Ended::Exit(code),
                (_, Some(signal)) => Ended::Signal(signal),
                _ => Ended::Lost,
            };
            let process = &mut self.processes[index];
            process.end_told = true;
            let aborted = process.state().is_some_and(|now| now.state == state::ABORTED);
            if process.has_begun && !process.has_ended && code == Some(0) && !aborted && self.stopping.is_none() {
                let (rule, function, site, text) = match process.session {
                    Some(site) => (rule::SESSION_LEAK, mpiscope_abi::id::Session_init as u16, site, String::new()),
                    None => (rule::NO_FINALIZE, 0, process.last_site, left_with(0)),
                };
                self.judge.feed(number, &found(rule, function, site, 0, &text));
            }
            self.judge.process_ended(number, ended);
        }
    }

    fn ask(&mut self) {
        if self.judge.outstanding() > MOST_OUTSTANDING {
            self.judge.follow_no_more();
            self.note(format!(
                "more than {MOST_OUTSTANDING} operations have no known partner: checks of messages, collective operations \
                 and deadlocks have stopped; each process is still checked by itself"
            ));
        }
        let now = self.began.elapsed().as_nanos() as u64;
        // A process whose events have not all arrived may have continued.
        let has_heard_all = self.hub.as_ref().is_none_or(Hub::has_heard_all);
        let nobody_computes = has_heard_all && self.judge.nobody_computes(now, STILL_NS);
        let patience_ns = if self.wishes.deadlock_timeout_ns > 0 { self.wishes.deadlock_timeout_ns } else { HELD_NS };
        let nobody_returns = has_heard_all && self.judge.nobody_returns(now, patience_ns);
        self.judge.settle(now);
        self.strangers();
        let CheckDriver { judge, processes, by_number, loops, python_loops, alikes, sleepers, .. } = self;
        let mut seen = Seen { processes, by_number, loops, python_loops, alikes, sleepers };
        let stuck = has_heard_all && judge.standstill_unless(now, &mut seen);
        if let Some(hub) = &mut self.hub {
            hub.beat();
        }
        if stuck && !self.wishes.wait_in_deadlock && self.stopping.is_none() {
            self.tell();
            if self.told.iter().any(|f| f.stuck && !f.finding.suppressed) {
                self.stop("ending the program because of the deadlock; --on-deadlock=wait keeps it for a debugger");
            }
        }
        // Mismatched operations never complete.
        let mismatch = self.told.iter().any(|f| f.finding.is_wrong() && f.finding.id.starts_with("collective."));
        if mismatch && nobody_computes && !self.wishes.wait_in_deadlock && self.stopping.is_none() {
            self.stop("ending the program: no progress since the mismatched collective operations");
        }
        let is_grave = |f: &Told| f.finding.is_wrong() && f.finding.severity == mpiscope_judge::Severity::Error;
        if nobody_returns && self.told.iter().any(is_grave) && !self.wishes.wait_in_deadlock && self.stopping.is_none()
        {
            self.stop("ending the program: no MPI call has returned for a long time since an error");
        }
        if let Some(at) = self.stopping
            && at.elapsed() >= GRACE
        {
            for process in &self.processes {
                if let (Source::Here(_), Some(state)) = (&process.source, process.state())
                    && host::is_alive(state.pid)
                {
                    kill(state.pid, libc::SIGKILL);
                }
            }
            if let Some(hub) = &mut self.hub {
                hub.stop();
            }
            self.end_launcher(libc::SIGKILL);
            self.stopping = Some(Instant::now() + Duration::from_secs(3600));
        }
    }

    fn stop(&mut self, why: &str) {
        if self.stopping.is_some() {
            return;
        }
        say::line(why);
        self.stopping = Some(Instant::now());
        self.end_launcher(libc::SIGTERM);
    }

    /// Sends a signal only while the launcher is this process's unreaped child, so that its process id is valid.
    fn end_launcher(&self, signal: i32) {
        if host::stat(self.launcher).is_some_and(|stat| stat.parent == std::process::id()) {
            kill(self.launcher, signal);
        }
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

    /// Reports new findings and writes them to the run at once, so that they remain whatever happens later.
    fn tell(&mut self) {
        let findings = self.judge.findings();
        if findings.is_empty() {
            return;
        }
        if findings.iter().any(|finding| self.waits_for_lines(&finding.parties)) {
            let begin = Instant::now();
            while findings.iter().any(|finding| self.waits_for_lines(&finding.parties)) && begin.elapsed() < PLACES {
                if let Some(hub) = &mut self.hub {
                    hub.wait(NAPS[0]);
                }
                self.hear();
            }
            // Lines that have not arrived by now will not arrive.
            self.processes.iter_mut().for_each(|process| process.sites.ask_no_more());
        }
        self.look_up(&findings);
        for mut finding in findings {
            let (processes, by_number, resolver) = (&mut self.processes, &self.by_number, &self.resolver);
            // A returned error is a finding only if the program ignores it, which its machine code shows.
            if finding.id == rule::id(rule::ERROR_IGNORED).unwrap_or_default() {
                let mut sites = finding.parties.iter().take(1);
                let drops = sites.any(|party| {
                    by_number.get(&party.process).is_some_and(|&at| processes[at].sites.drops_result(party.site))
                });
                if !drops {
                    continue;
                }
            }
            let touches = |process: u32, site: u32, stores: bool| {
                by_number.get(&process).is_some_and(|&at| processes[at].sites.touches_one_number(site, stores))
            };
            if !confirm(&mut finding, touches) {
                continue;
            }
            let mut told = Told::new(finding, &self.worlds, |party| {
                let Some(&index) = by_number.get(&party.process) else { return (Vec::new(), None) };
                let process = &mut processes[index];
                let stack = process.sites.lines(party.site, called(party), resolver);
                let at_ns = process.clock.filter(|_| party.at != 0).map(|clock| clock.ns(party.at));
                (stack, at_ns)
            });
            let finding = &mut told.finding;
            if !self.wishes.only.wants(&finding.id) {
                continue;
            }
            finding.suppressed = self.wishes.suppressions.know(finding);
            if !finding.suppressed {
                say::line(text::finding_text(finding, text::WIDTH).trim_end());
            }
            let wrong = finding.is_wrong();
            match self.told.iter_mut().find(|known| known.number == told.number) {
                // The finding was possible and is now certain.
                Some(known) => *known = told,
                None => self.told.push(told),
            }
            if wrong && self.wishes.stop_on_first {
                self.stop("ending the program at the first finding (--stop-on-first)");
            }
        }
        if let Err(error) = self.checks().write(&self.run) {
            say::warning(format_args!("cannot write the findings to {}: {error}", self.run.display()));
        }
    }

    /// The findings so far.
    pub fn checks(&self) -> Checks {
        Checks {
            format: Checks::FORMAT,
            program: self.program.clone(),
            processes: self.processes(),
            events_lost: self.lost(),
            notes: self.notes.clone(),
            findings: self.told.iter().map(|told| told.finding.clone()).collect(),
        }
    }

    /// Whether source lines of these calls have been requested and have not arrived.
    fn waits_for_lines(&self, parties: &[Party]) -> bool {
        self.hub.is_some()
            && parties.iter().any(|party| {
                let process = self.by_number.get(&party.process).map(|&index| &self.processes[index]);
                process.is_some_and(|p| matches!(p.source, Source::There(_)) && p.sites.is_asked(party.site))
            })
    }

    /// Reports a process that died inside a call, or exited without MPI_Finalize or MPI_Abort, if no finding explains it.
    fn deaths(&mut self, code: i32, stderr: &str) {
        if self.told.iter().any(|f| f.finding.is_wrong()) {
            return;
        }
        let first = crash_report::first(&self.run, &self.processes);
        let Some(death) = first.or_else(|| crash_report::given_up(&self.run, &self.processes, code)) else { return };
        let process = &mut self.processes[death.index];
        let Some(number) = process.number else { return };
        let (function, caller) = match death.at {
            At::Call(function, caller) => (function, caller),
            At::Exit(code) => {
                return self
                    .judge
                    .feed(number, &found(rule::NO_FINALIZE, 0, process.last_site, code, &left_with(code)));
            }
        };
        let site = process.sites.at(caller).unwrap_or(DEATH);
        if site == DEATH {
            process.sites.define(&Definition::Site { id: DEATH, frames: vec![caller] });
        }
        let printed = abort_message::why(stderr, mpiscope_abi::name(function));
        let how = printed.map_or(death.how.clone(), |why| format!("{} (the MPI library printed “{why}”)", death.how));
        self.judge.feed(number, &found(rule::DIED, function as u16, site, 0, &how));
    }

    /// Notes once what is not checked because the partners of a process are unknown.
    fn strangers(&mut self) {
        for Stranger { process, function, others } in self.judge.strangers() {
            let who = self.worlds.position_of(process).map_or_else(String::new, |place| place.name());
            self.note(match (function, others) {
                (0, _) => format!(
                    "{who} was spawned by an unknown call of MPI_Comm_spawn: communication with its parents is not checked"
                ),
                (_, n) => format!(
                    "{who} connected to {n} unknown {} by {}: communication between them is not checked",
                    if n == 1 { "process" } else { "processes" },
                    mpiscope_abi::name(function),
                ),
            });
        }
    }

    /// Checks what remains at the end, and other orders of messages.
    fn finish_judge(&mut self) {
        let CheckDriver { judge, processes, by_number, loops, python_loops, alikes, sleepers, .. } = self;
        judge.finish_with(&mut Seen { processes, by_number, loops, python_loops, alikes, sleepers });
        if self.judge.has_unplayed() && self.wishes.only.wants_some(&["race."]) {
            self.note(
                "the program has too many wildcard receives to try all other orders of messages (race.deadlock, \
                 race.truncated, race.datatype)"
                    .to_owned(),
            );
        }
    }

    /// Waits for pending lookups in debug information.
    fn last_variables(&mut self) {
        let mut found = Vec::new();
        if !self.variables.last_findings(&self.judge, &mut found) {
            self.note("debug information took too long to read: some buffers were not compared with it".to_owned());
        }
        for (number, event) in found {
            self.judge.feed(number, &event);
        }
    }

    /// Called after all processes have ended, with the launcher's exit code and the end of its stderr.
    pub fn finish(&mut self, code: i32, stderr: &str) {
        self.look();
        self.hear();
        self.look_elsewhere();
        while self.read() > 0 {}
        for index in 0..self.processes.len() {
            self.introduce(index, true);
            self.hand_over(index);
        }
        while self.judge.is_holding() {
            self.judge.settle_all();
            while self.read() > 0 {}
        }
        self.last_variables();
        self.ends();
        // Operations that are incomplete because the checker ended the program are not errors.
        if self.stopping.is_none() {
            self.judge.standstill(self.began.elapsed().as_nanos() as u64);
            self.finish_judge();
            self.strangers();
            self.tell();
            self.deaths(code, stderr);
        }
        self.tell();
        let counts = self.judge.counts().to_vec();
        for told in &mut self.told {
            told.finding.count = counts.get(told.number as usize).copied().unwrap_or(told.finding.count);
        }
    }
}

fn frames(lines: Vec<CheckLine>) -> Vec<SiteFrame> {
    let frame = |l: CheckLine| SiteFrame { function: l.function, file: l.file, line: l.line };
    lines.into_iter().map(frame).collect()
}

/// How a process ended that did not call `MPI_Finalize`.
fn left_with(code: i32) -> String {
    format!("exit code {code}; the last MPI call is shown")
}

/// A finding in the form in which a process would have reported it.
fn found(rule: u16, function: u16, site: u32, value: i32, text: &str) -> Event {
    let head = Head { function, site, flags: flag::CUT, ..Head::default() };
    Event {
        head,
        body: Body::Finding {
            rule,
            argument: 255,
            withheld: false,
            origin: 0,
            values: [value.into(), 0, 0],
            text: text.into(),
        },
    }
}

/// Decides about an instruction that may have needed only bytes beside a buffer (a vector instruction, or the next element
/// of a structure). `false` if nothing remains of the finding.
fn confirm(finding: &mut Finding, touches_one_number: impl Fn(u32, u32, bool) -> bool) -> bool {
    let may = |party: &Party| [MAY_READ, MAY_WRITE, MAY_HAVE_WRITTEN].contains(&party.role.as_str());
    // Two processes may touch memory that they share.
    while let Some(at) = finding.parties.iter().position(may) {
        let party = &mut finding.parties[at];
        let stores = party.role != MAY_READ;
        if touches_one_number(party.process, party.site, stores) {
            party.role = if stores { "writes" } else { "reads" }.into();
            continue;
        }
        // It is certain that something was written.
        let remains = party.role == MAY_HAVE_WRITTEN;
        finding.parties.remove(at);
        if !remains {
            return false;
        }
    }
    true
}

/// Whether a process runs on a host, by its name.
fn is_of(name: &str, host: &str) -> bool {
    name.strip_prefix(host).is_some_and(|rest| rest.starts_with('.'))
}

/// `<host>.<pid>`, `<host>.<pid>-2`.
fn host_of(name: &str) -> Option<&str> {
    let name = name.rsplit_once('.')?;
    Some(name.0)
}

fn same_host(one: &str, other: &str) -> bool {
    // A process that became another program has a second number in its name.
    let (one, other) = (host_of(one).unwrap_or(one), host_of(other).unwrap_or(other));
    one.starts_with(other) || other.starts_with(one)
}

fn kill(pid: u32, signal: i32) {
    // SAFETY: a plain system call; callers pass only processes of this run.
    unsafe { libc::kill(pid as i32, signal) };
}
