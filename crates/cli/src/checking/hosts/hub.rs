//! The judge's end: listens to other hosts, tracks whether all their events have arrived, and the offsets of their clocks.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mpiscope_launch::clock::monotonic_ns;
use mpiscope_launch::rendezvous::{self, Meeting, Token};

use super::place;
use super::tree::Tree;
use super::wire::Frame;

/// Interval of beats, which hosts answer; the same as that of looking for deadlocks.
const BEAT: Duration = Duration::from_millis(25);
/// A host that does not answer for this long is lost until it answers again.
const LOST: Duration = Duration::from_secs(3);
/// Limit of hosts, more than any machine has.
const MAX_HOSTS: usize = 16 << 10;

/// A host, represented by its relay.
struct Host {
    name: String,
    answered: u64,
    heard: Instant,
    /// How far its clock is ahead, and the error of that, ns.
    clock: Option<(i128, u64)>,
    is_lost: bool,
    /// Its processes with events still to come. `None` before the first.
    open: Option<HashSet<u64>>,
}

impl Host {
    /// Whether all of its processes have ended and all their events have arrived.
    fn is_over(&self) -> bool {
        self.open.as_ref().is_some_and(HashSet::is_empty)
    }
}

/// The listener of a run.
pub struct Hub {
    tree: Tree,
    file: PathBuf,
    hosts: HashMap<u64, Host>,
    /// The latest beat, and when it was sent: as an instant, and on the clock that is compared.
    beat: u64,
    beat_at: Instant,
    beat_ns: u64,
    /// What was missed, as sentences for people.
    notes: Vec<String>,
}

impl Hub {
    /// Listens, and writes the address into the run.
    pub fn start(run: &Path, host: &str, fan: usize) -> io::Result<Hub> {
        let listener = rendezvous::listener()?;
        let meeting = Meeting::here(host, listener.local_addr()?.port());
        let token = Token::parse(&meeting.token).ok_or(io::ErrorKind::InvalidData)?;
        let file = place(run);
        fs::create_dir_all(file.parent().unwrap_or(run))?;
        meeting.replace(&file)?;
        let now = Instant::now();
        let tree = Tree::new(listener, token, fan);
        Ok(Hub { tree, file, hosts: HashMap::new(), beat: 0, beat_at: now, beat_ns: 0, notes: Vec::new() })
    }

    /// Waits for frames, at most this long.
    pub fn wait(&mut self, limit: Duration) {
        self.tree.flush();
        let mut watched = Vec::new();
        self.tree.watch(&mut watched);
        let limit_ms = limit.as_millis().max(1) as i32;
        // SAFETY: the array has the given length; its descriptors are open.
        unsafe { libc::poll(watched.as_mut_ptr(), watched.len() as libc::nfds_t, limit_ms) };
    }

    /// The frames of other hosts.
    pub fn receive(&mut self) -> Vec<Frame> {
        let mut frames = Vec::new();
        self.tree.receive(&mut frames);
        let now_ns = monotonic_ns();
        frames.retain(|frame| match frame {
            Frame::Host { speaker, .. } => {
                if self.hosts.len() < MAX_HOSTS {
                    let heard = Instant::now();
                    let name = speaker.host.clone();
                    let host = self.hosts.entry(speaker.number);
                    host.and_modify(|host| host.heard = heard).or_insert(Host {
                        name,
                        answered: 0,
                        heard,
                        clock: None,
                        is_lost: false,
                        open: None,
                    });
                }
                false
            }
            Frame::Answer { speaker, beat, at_ns } => {
                self.answer(*speaker, *beat, *at_ns, now_ns);
                false
            }
            Frame::Process { process, speaker, .. } => {
                if let Some(host) = self.hosts.get_mut(speaker) {
                    host.open.get_or_insert_default().insert(*process);
                }
                true
            }
            Frame::Over { process } => {
                for open in self.hosts.values_mut().filter_map(|host| host.open.as_mut()) {
                    open.remove(process);
                }
                true
            }
            _ => true,
        });
        self.tree.flush();
        frames
    }

    fn answer(&mut self, speaker: u64, beat: u64, at_ns: u64, now_ns: u64) {
        let Some(host) = self.hosts.get_mut(&speaker).filter(|_| beat <= self.beat) else { return };
        host.heard = Instant::now();
        host.answered = host.answered.max(beat);
        if std::mem::take(&mut host.is_lost) && !host.is_over() {
            self.notes.push(format!("{} is reachable again", host.name));
        }
        if beat == self.beat {
            let way = now_ns.saturating_sub(self.beat_ns);
            let ahead = i128::from(at_ns) - i128::from(self.beat_ns + way / 2);
            if host.clock.is_none_or(|(_, error)| way / 2 < error) {
                host.clock = Some((ahead, way / 2));
            }
        }
    }

    /// Sends the next beat if all have answered the last one, or if that was long ago. To be called every few tens of ms,
    /// after [`Hub::has_heard_all`].
    pub fn beat(&mut self) {
        if self.hosts.is_empty() && self.tree.is_empty() {
            return;
        }
        let waited = self.beat_at.elapsed();
        for host in self.hosts.values_mut().filter(|host| !host.is_lost && host.heard.elapsed() > LOST) {
            host.is_lost = true;
            if host.is_over() {
                continue;
            }
            self.notes.push(format!(
                "{} is unreachable: its ranks are not checked, and no deadlock is reported until it is reachable again",
                host.name
            ));
        }
        if waited >= 8 * BEAT || (waited >= BEAT && self.has_heard_all()) {
            self.beat += 1;
            (self.beat_at, self.beat_ns) = (Instant::now(), monotonic_ns());
            self.tree.send_all(&Frame::Beat { number: self.beat });
        }
    }

    /// Whether every host has sent everything that it had when the latest beat arrived.
    pub fn has_heard_all(&self) -> bool {
        self.hosts.values().all(|host| host.answered == self.beat || (host.is_lost && host.is_over()))
    }

    /// What a host's clock is ahead by, and by how much that may be wrong, ns.
    pub fn clock(&self, speaker: u64) -> Option<(i128, u64)> {
        self.hosts.get(&speaker)?.clock
    }

    /// To the host of a process.
    pub fn send(&mut self, process: u64, frame: &Frame) {
        self.tree.send(process, frame);
    }

    /// Makes all hosts connect again.
    #[cfg(test)]
    pub fn let_go(&mut self) {
        self.tree.let_go();
    }

    /// Ends all processes.
    pub fn stop(&mut self) {
        self.tree.send_all(&Frame::Stop);
        self.tree.flush();
    }

    /// News about hosts.
    pub fn notes(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notes)
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.tree.send_all(&Frame::End);
        self.tree.flush();
        let _ = fs::remove_file(&self.file);
    }
}
