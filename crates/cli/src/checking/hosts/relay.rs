//! `mpiscope relay`: reads the rings of this host and sends them to the judge.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mpiscope_launch::clock::monotonic_ns;
use mpiscope_launch::rendezvous::{self, Meeting, Token};
use mpiscope_launch::run_dir::RANKS;
use mpiscope_launch::{host, spool};
use mpiscope_symbols::Resolver;

use super::super::rings::{Rank, State, name_of};
use super::super::sites::Sites;
use super::link::Link;
use super::tree::Tree;
use super::wire::{self, Frame, MAX_DEFINITIONS, MAX_WORDS, Speaker};
use super::{FAN, place};

/// Interval of looking for new and ended processes.
const LOOK: Duration = Duration::from_millis(50);
/// Interval of reading rings without new events; it grows between these.
const NAPS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(8)];
/// A judge that has sent nothing for this long counts as gone: ranks do not wait for it.
const SILENCE: Duration = Duration::from_millis(900);
/// Time to try to reconnect.
const PATIENCE: Duration = Duration::from_secs(10);
/// Interval of tries.
const RETRY: Duration = Duration::from_millis(200);
/// With this many unsent bytes nothing more is read, here or from relays below.
const FULL: usize = 1 << 20;
/// Bytes read from above at once.
const AT_ONCE: usize = 256 << 10;
/// Time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// The run that a relay serves.
pub struct RelayConfig {
    pub run: PathBuf,
    pub host: String,
    /// Directories that may contain rank files.
    pub folders: Vec<PathBuf>,
    /// Number of direct connections to this relay.
    pub fan: usize,
}

impl RelayConfig {
    /// The plan for a run on this host.
    pub fn new(run: &Path, run_id: &str, spool: Option<&Path>) -> RelayConfig {
        let folders = vec![spool::expected(run_id, spool), run.join(RANKS)];
        RelayConfig { run: run.to_owned(), host: host::name(), folders, fan: FAN }
    }
}

/// One process of this host.
struct Read {
    number: u64,
    name: String,
    rank: Rank,
    state: Option<State>,
    polls: HashMap<u8, u64>,
    lost: u64,
    /// Whether its process id is free or belongs to another process.
    has_ended: bool,
    is_end_reported: bool,
    sites: Sites,
}

/// The relay process.
struct Relay {
    plan: RelayConfig,
    speaker: Speaker,
    token: Token,
    tree: Tree,
    above: Option<Link>,
    /// Address of the relay above, if it is not the judge.
    sent_to: Option<(Vec<String>, u16)>,
    /// When the judge last sent something, and when a connection was last tried.
    heard: Instant,
    tried: Instant,
    beat: Option<u64>,
    processes: Vec<Read>,
    looked: Option<Instant>,
    resolver: Resolver,
    stopping: Option<Instant>,
    is_over: bool,
}

/// Works until the judge ends the run or is unreachable.
pub fn work(plan: RelayConfig) -> io::Result<()> {
    let meeting = wait_for(&plan.run)?;
    let token = Token::parse(&meeting.token).ok_or(io::ErrorKind::InvalidData)?;
    let listener = rendezvous::listener()?;
    let number = u64::from_str_radix(&host::random_id(), 16).unwrap_or(1);
    let own = Meeting::here(&plan.host, listener.local_addr()?.port());
    let speaker = Speaker { number, host: plan.host.clone(), port: own.port, addresses: own.addresses };
    let tree = Tree::new(listener, token, plan.fan);
    Relay {
        plan,
        speaker,
        token,
        tree,
        above: None,
        sent_to: None,
        heard: Instant::now(),
        tried: Instant::now() - RETRY,
        beat: None,
        processes: Vec::new(),
        looked: None,
        resolver: Resolver::default(),
        stopping: None,
        is_over: false,
    }
    .work();
    Ok(())
}

/// The judge starts to listen at about the time when the launcher starts.
fn wait_for(run: &Path) -> io::Result<Meeting> {
    let begin = Instant::now();
    loop {
        match Meeting::read(&place(run)) {
            Some(meeting) => return Ok(meeting),
            None if begin.elapsed() > PATIENCE => return Err(io::ErrorKind::NotFound.into()),
            None => std::thread::sleep(RETRY / 4),
        }
    }
}

impl Relay {
    fn work(&mut self) {
        let mut nap = NAPS[0];
        while !self.is_over {
            if self.above.is_none() && !self.connect() {
                return;
            }
            let heard = self.hear();
            if self.looked.is_none_or(|at| at.elapsed() >= LOOK) {
                self.looked = Some(Instant::now());
                self.find_processes();
            }
            let moved = self.read() || heard;
            self.send();
            self.end_processes();
            nap = if moved { NAPS[0] } else { (nap * 2).min(NAPS[1]) };
            self.wait(nap);
        }
    }

    /// Tries to connect; false after trying for too long.
    fn connect(&mut self) -> bool {
        if self.tried.elapsed() < RETRY {
            return true;
        }
        self.tried = Instant::now();
        // A relay that was redirected to one that it cannot reach comes back and insists.
        let sent_to = self.sent_to.take();
        let was_sent = sent_to.is_some();
        let other = sent_to.and_then(|(addresses, port)| Link::connect(&addresses, port, &self.token).ok());
        let insists = was_sent && other.is_none();
        let above = match other {
            Some(link) => Some(link),
            None => {
                // Without this file the judge has ended.
                let Some(judge) = Meeting::read(&place(&self.plan.run)) else { return false };
                Link::connect(&judge.addresses, judge.port, &self.token).ok()
            }
        };
        let Some(mut link) = above else { return self.heard.elapsed() < PATIENCE };
        link.send(&Frame::Host { speaker: self.speaker.clone(), insists });
        self.above = Some(link);
        self.heard = Instant::now();
        // The relays below introduce themselves again, on new connections.
        self.tree.let_go();
        for process in &mut self.processes {
            process.rank.rewind();
            (process.state, process.lost, process.is_end_reported) = (None, 0, false);
            process.polls.clear();
        }
        true
    }

    /// Processes frames from above and below; returns whether there were any.
    fn hear(&mut self) -> bool {
        let Some(link) = &mut self.above else { return false };
        let mut frames = Vec::new();
        let mut result = link.receive(AT_ONCE);
        loop {
            match link.next() {
                Ok(Some(frame)) => frames.push(frame),
                Ok(None) => break,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            }
        }
        if result.is_err() {
            self.above = None;
        }
        let mut any = !frames.is_empty();
        for frame in frames {
            self.obey(frame);
        }
        if let Some(link) = &mut self.above
            && link.backlog() < FULL
        {
            let mut frames = Vec::new();
            self.tree.receive(&mut frames);
            any |= !frames.is_empty();
            frames.iter().for_each(|frame| link.send(frame));
        }
        any
    }

    /// Processes a frame from above.
    fn obey(&mut self, frame: Frame) {
        let own = |process: &u64| self.processes.iter().position(|p| p.number == *process);
        match frame {
            Frame::Beat { number } => {
                self.heard = Instant::now();
                self.beat = Some(number);
                self.tree.send_all(&frame);
            }
            Frame::Taken { process, thread, read } => match own(&process) {
                Some(at) => self.processes[at].rank.release(thread, read),
                None => self.tree.send(process, &frame),
            },
            Frame::Where { process, site } => match own(&process) {
                Some(at) => self.send_place(at, site),
                None => self.tree.send(process, &frame),
            },
            Frame::Elsewhere { port, addresses } => {
                self.sent_to = Some((addresses, port));
                self.above = None;
                self.tried = Instant::now() - RETRY;
            }
            Frame::Stop => {
                self.tree.send_all(&frame);
                if self.stopping.is_none() {
                    self.stopping = Some(Instant::now());
                    self.kill(libc::SIGTERM);
                }
            }
            Frame::End => {
                self.tree.send_all(&frame);
                self.tree.flush();
                self.is_over = true;
            }
            // These frames come only from below.
            _ => {}
        }
    }

    /// Finds new and ended processes of this host.
    fn find_processes(&mut self) {
        for folder in &self.plan.folders {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let file = entry.file_name().to_string_lossy().into_owned();
                let Some(name) = name_of(&file) else { continue };
                let is_own = name.strip_prefix(&self.plan.host).is_some_and(|rest| rest.starts_with('.'));
                if !is_own || self.processes.iter().any(|p| p.name == name) {
                    continue;
                }
                let Some(rank) = Rank::open(&entry.path()) else { continue };
                self.processes.push(Read {
                    number: wire::number(name),
                    name: name.to_owned(),
                    rank,
                    state: None,
                    polls: HashMap::new(),
                    lost: 0,
                    has_ended: false,
                    is_end_reported: false,
                    sites: Sites::default(),
                });
            }
        }
        for process in self.processes.iter_mut().filter(|p| !p.has_ended) {
            process.has_ended = process.state.is_some_and(|state| !host::is_alive(state.pid));
        }
    }

    /// Reads rings while there is room above; returns whether there were events.
    fn read(&mut self) -> bool {
        let Some(link) = &mut self.above else { return false };
        let is_heard = self.heard.elapsed() < SILENCE;
        let now_ns = monotonic_ns();
        let (beat, at_ns) = (self.beat, now_ns);
        let mut any = false;
        let mut has_all = true;
        for process in &mut self.processes {
            if is_heard {
                process.rank.show_life(now_ns);
            }
            if link.backlog() >= FULL {
                has_all = false;
                break;
            }
            if process.is_end_reported {
                continue;
            }
            let number = process.number;
            let ended = process.has_ended;
            let state = process.rank.state();
            if process.state.is_none() {
                let speaker = self.speaker.number;
                link.send(&Frame::Process { process: number, speaker, name: process.name.clone() });
            }
            if process.state != Some(state) {
                process.state = Some(state);
                link.send(&Frame::State { process: number, state });
            }
            // Words refer to definitions written before them, so words are copied first and sent after the definitions.
            let mut words = Vec::new();
            process.rank.copy(MAX_WORDS, |thread, from, copied| {
                has_all &= copied.len() < MAX_WORDS;
                words.push(Frame::Words { process: number, thread, from, words: copied.to_vec() });
            });
            let begin = process.rank.definitions_read();
            let bytes = process.rank.definition_bytes();
            for (at, piece) in bytes.chunks(MAX_DEFINITIONS).enumerate() {
                let from = begin + (at * MAX_DEFINITIONS) as u64;
                link.send(&Frame::Definitions { process: number, from, bytes: piece.to_vec() });
            }
            any |= !words.is_empty() || !bytes.is_empty();
            let is_still = words.is_empty();
            words.iter().for_each(|frame| link.send(frame));
            for (thread, polls, at) in process.rank.polls() {
                if is_still && process.polls.insert(thread, polls) != Some(polls) {
                    link.send(&Frame::Polls { process: number, thread, polls, at });
                }
            }
            let lost = process.rank.lost();
            if lost > process.lost {
                process.lost = lost;
                link.send(&Frame::Lost { process: number, events: lost });
            }
            if ended && is_still {
                process.is_end_reported = true;
                link.send(&Frame::Over { process: number });
            }
        }
        if let Some(beat) = beat.filter(|_| has_all) {
            self.beat = None;
            link.send(&Frame::Answer { speaker: self.speaker.number, beat, at_ns });
        }
        any
    }

    fn send(&mut self) {
        if self.above.as_mut().is_some_and(|link| link.flush().is_err()) {
            self.above = None;
        }
        self.tree.flush();
    }

    /// The stack of a site, from the files on this host.
    fn send_place(&mut self, at: usize, site: u32) {
        let process = &mut self.processes[at];
        if !process.sites.knows(site) {
            process.rank.all_definitions().iter().for_each(|definition| process.sites.define(definition));
        }
        let lines = process.sites.lines(site, None, &self.resolver);
        let tails = process.sites.tails(site, &self.resolver);
        if let Some(link) = &mut self.above {
            // The judge waits only for the lines.
            for (stem, lines) in tails {
                link.send(&Frame::Tail { process: process.number, site, stem, lines });
            }
            link.send(&Frame::Lines { process: process.number, site, lines });
        }
    }

    fn kill(&self, signal: i32) {
        for state in self.processes.iter().filter(|p| !p.has_ended).filter_map(|p| p.state) {
            if host::is_alive(state.pid) {
                // SAFETY: a plain system call; the process is one of this run.
                unsafe { libc::kill(state.pid as i32, signal) };
            }
        }
    }

    fn end_processes(&mut self) {
        if self.stopping.is_some_and(|at| at.elapsed() >= GRACE) {
            self.stopping = Some(Instant::now() + Duration::from_secs(3600));
            self.kill(libc::SIGKILL);
        }
    }

    /// Waits for frames, at most this long.
    fn wait(&self, limit: Duration) {
        let mut watched = Vec::new();
        if let Some(link) = &self.above {
            let events = if link.backlog() > 0 { libc::POLLIN | libc::POLLOUT } else { libc::POLLIN };
            watched.push(libc::pollfd { fd: link.descriptor(), events, revents: 0 });
            if link.backlog() < FULL {
                self.tree.watch(&mut watched);
            }
        }
        // SAFETY: the array has the given length; its descriptors are open.
        unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, limit.as_millis() as i32) };
    }
}
