//! Background work of `exec` in a job on several hosts: one `exec` on each host, its *leader*, measures clocks
//! ([`crate::clocks`]) and answers requests from outside ([`crate::control`]).
//!
//! A thread in each `exec` waits until it is the leader, which costs one system call per second. The leader holds an
//! abstract socket with the run's name; the kernel frees the name when that process ends in any way, and another one takes
//! over. None of this is in the program or delays its start: the thread starts when the program runs.

use std::fs;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::clocks::{self, Client, END_LIMIT, Log, Server, When};
use crate::control::Attendant;
use crate::node::NODES;

/// Interval of checking for the leader and for requests.
const LOOK: Duration = Duration::from_secs(1);
/// Interval of log lines about an unreachable reference.
const COMPLAINT: Duration = Duration::from_secs(60);
const STACK_BYTES: usize = 256 << 10;

/// The run and settings of an `exec`.
pub struct LeaderConfig {
    /// The run's directory.
    pub run: PathBuf,
    /// As in `run.json`; part of the socket's name.
    pub run_id: String,
    /// This host's name as in the names of the files.
    pub host: String,
    /// Whether the job runs on several hosts, according to its launcher.
    pub several: Option<bool>,
    /// Interval of rounds; `None` if clocks are not measured.
    pub rounds: Option<Duration>,
    /// Answers requests from other hosts.
    pub attendant: Attendant,
}

/// The thread, while the rank runs.
pub struct Beside {
    wake: Arc<OwnedFd>,
    ended: Receiver<()>,
}

impl Beside {
    /// Starts the thread. `None` on one host, and if the system cannot create it: the run is valid without rounds.
    pub fn start(plan: LeaderConfig) -> Option<Self> {
        if plan.several == Some(false) {
            return None;
        }
        // SAFETY: the descriptor is new and has no other owner.
        let wake = unsafe {
            let fd = libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK);
            (fd >= 0).then(|| OwnedFd::from_raw_fd(fd))?
        };
        let wake = Arc::new(wake);
        let (done, ended) = channel();
        let own = Arc::clone(&wake);
        let body = move || {
            lead(plan, own.as_raw_fd());
            let _ = done.send(());
        };
        std::thread::Builder::new().stack_size(STACK_BYTES).spawn(body).ok()?;
        Some(Self { wake, ended })
    }

    /// Called when the rank has ended. Waits for a last round, at most slightly more than [`END_LIMIT`].
    pub fn end(self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: an open descriptor, eight bytes.
        unsafe { libc::write(self.wake.as_raw_fd(), one.as_ptr().cast(), one.len()) };
        let _ = self.ended.recv_timeout(END_LIMIT + Duration::from_millis(10));
    }
}

/// The thread's main function.
fn lead(mut plan: LeaderConfig, wake: RawFd) {
    let _leadership = loop {
        match lock(&plan) {
            Ok(held) => break held,
            Err(_) if is_woken(wake, None, LOOK).0 => return,
            Err(_) => {}
        }
    };
    // If the launcher does not say, the hosts so far are listed in the run.
    while plan.several.is_none() && !others_are_there(&plan) {
        if is_woken(wake, None, LOOK).0 {
            return;
        }
    }
    plan.attendant.lead(&plan.run, &plan.host);
    let _ = match plan.rounds {
        Some(every) => measure(&mut plan, wake, every),
        None => Err(io::ErrorKind::Unsupported.into()),
    }
    .or_else(|_: io::Error| {
        // Without clocks, only answers requests.
        while !is_woken(wake, None, LOOK).0 {
            plan.attendant.poll();
        }
        Ok::<(), io::Error>(())
    });
    plan.attendant.end();
}

fn lock(plan: &LeaderConfig) -> io::Result<UnixListener> {
    let name = format!("mpiscope-{}-{}", plan.run_id, plan.host);
    UnixListener::bind_addr(&SocketAddr::from_abstract_name(name)?)
}

fn others_are_there(plan: &LeaderConfig) -> bool {
    let own = format!("{}.json", plan.host);
    let entries = fs::read_dir(plan.run.join(NODES)).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| {
        let name = name.to_string_lossy();
        name.ends_with(".json") && !name.starts_with('.') && *name != *own
    })
}

/// Measures until the rank has ended. An earlier error means that nothing can be written.
fn measure(plan: &mut LeaderConfig, wake: RawFd, every: Duration) -> io::Result<()> {
    clocks::make(&plan.run)?;
    let mut found = clocks::reference(&plan.run);
    if found.as_ref().is_none_or(|reference| reference.host == plan.host) {
        if let Some(server) = Server::start(&plan.run, &plan.host, found.is_some())? {
            let _ = Log::open(&plan.run, &plan.host, &plan.host)?;
            send_time(plan, wake, server);
            return Ok(());
        }
        found = clocks::reference(&plan.run);
    }
    let reference = found.ok_or(io::ErrorKind::NotFound)?.host;
    let log = Log::open(&plan.run, &plan.host, &reference)?;
    ask_time(plan, wake, every, log);
    Ok(())
}

fn send_time(plan: &mut LeaderConfig, wake: RawFd, mut server: Server) {
    while !server.serve(wake, LOOK) {
        plan.attendant.poll();
    }
    server.end();
}

fn ask_time(plan: &mut LeaderConfig, wake: RawFd, every: Duration, mut log: Log) {
    let mut client: Option<Client> = None;
    let mut when = When::Start;
    let (mut due, mut retry) = (Instant::now(), Instant::now());
    let mut complained: Option<Instant> = None;
    let mut fail = |log: &mut Log, what: &str, error: &io::Error| {
        if complained.is_none_or(|at| at.elapsed() > COMPLAINT) {
            log.failed(&format!("{what}: {error}"));
            complained = Some(Instant::now());
        }
    };
    loop {
        if client.is_none() && Instant::now() >= retry {
            retry = Instant::now() + LOOK;
            // Read again each time: another leader may have taken over there.
            match clocks::reference(&plan.run).map(|reference| Client::connect(&reference)) {
                Some(Ok(connected)) => {
                    client = Some(connected);
                    due = Instant::now();
                }
                Some(Err(error)) => fail(&mut log, "cannot contact the reference", &error),
                None => {}
            }
        }
        if let Some(connected) = &mut client
            && Instant::now() >= due
        {
            due = Instant::now() + every;
            match connected.round(when) {
                Ok(round) => {
                    log.round(&round);
                    when = When::During;
                }
                Err(error) => {
                    fail(&mut log, "no round", &error);
                    client = None;
                }
            }
        }
        let next = LOOK.min(due.saturating_duration_since(Instant::now())).max(Duration::from_millis(1));
        let next = if client.is_none() { LOOK } else { next };
        match is_woken(wake, client.as_ref().map(Client::descriptor), next) {
            (true, _) => break,
            (_, true) => {
                let last = client.as_mut().map(|client| client.is_ending().and_then(|_| client.round(When::End)));
                if let Some(Ok(round)) = last {
                    log.round(&round);
                }
                // The reference has ended; another rank of its host may become leader.
                (client, retry) = (None, Instant::now() + LOOK);
            }
            _ => {}
        }
        plan.attendant.poll();
    }
    if let Some(Ok(round)) = client.map(|mut client| client.round(When::End)) {
        log.round(&round);
    }
}

/// Waits for the end of the rank or for data; returns which of them occurred.
fn is_woken(wake: RawFd, other: Option<RawFd>, limit: Duration) -> (bool, bool) {
    let watched = |fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let mut polled = [watched(wake), watched(other.unwrap_or(-1))];
    // SAFETY: two entries; a negative descriptor is left out.
    unsafe { libc::poll(polled.as_mut_ptr(), 2, limit.as_millis() as i32) };
    (polled[0].revents != 0, polled[1].revents != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clocks::testing::in_time;

    fn plan(dir: &std::path::Path, host: &str, several: Option<bool>) -> LeaderConfig {
        LeaderConfig {
            run: dir.into(),
            run_id: dir.file_name().unwrap().to_string_lossy().into_owned(),
            host: host.into(),
            several,
            rounds: Some(Duration::from_millis(100)),
            attendant: Attendant::idle(),
        }
    }

    fn lines(dir: &std::path::Path, host: &str) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(dir.join(format!("clocks/{host}.jsonl"))).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn two_leaders_measure_and_end_in_time() {
        in_time(|| {
            let dir = tempfile::tempdir().unwrap();
            let one = Beside::start(plan(dir.path(), "n1", Some(true))).unwrap();
            while clocks::reference(dir.path()).is_none() {
                std::thread::sleep(Duration::from_millis(5));
            }
            let two = Beside::start(plan(dir.path(), "n2", Some(true))).unwrap();
            // A second exec of a host waits.
            let waits = Beside::start(plan(dir.path(), "n2", Some(true))).unwrap();
            std::thread::sleep(Duration::from_millis(500));
            for one in [one, two, waits] {
                let begin = Instant::now();
                one.end();
                assert!(begin.elapsed() < 4 * END_LIMIT);
            }
            let found = lines(dir.path(), "n2");
            assert_eq!(found[0]["reference"], "n1");
            let has_address = !clocks::reference(dir.path())
                .is_none_or(|reference| format!("{reference:?}").contains("addresses: []"));
            if has_address {
                assert!(found.len() >= 4, "{found:?}");
                assert_eq!((&found[1]["when"], &found[found.len() - 1]["when"]), (&"start".into(), &"end".into()));
            }
            assert_eq!(lines(dir.path(), "n1").len(), 1);
        });
    }

    #[test]
    fn a_reference_that_is_not_reached_is_written_down() {
        let dir = tempfile::tempdir().unwrap();
        clocks::make(dir.path()).unwrap();
        let _gone = Server::start(dir.path(), "n1", false).unwrap();
        let path = dir.path().join("clocks/reference.json");
        let text = fs::read_to_string(&path).unwrap();
        let mut entry: serde_json::Value = serde_json::from_str(&text).unwrap();
        // Port 1 of this machine: nobody listens there.
        (entry["addresses"], entry["port"]) = (serde_json::json!(["127.0.0.1"]), 1.into());
        fs::write(&path, entry.to_string()).unwrap();
        let two = Beside::start(plan(dir.path(), "n2", Some(true))).unwrap();
        let limit = Instant::now() + Duration::from_secs(60);
        while lines(dir.path(), "n2").len() < 2 && Instant::now() < limit {
            std::thread::sleep(Duration::from_millis(5));
        }
        two.end();
        let found = lines(dir.path(), "n2");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[1]["failed"].as_str().unwrap().contains("127.0.0.1 port 1"));
    }

    #[test]
    fn one_host_opens_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Beside::start(plan(dir.path(), "n1", Some(false))).is_none());
        // Unknown from the launcher: without other hosts there is no file either.
        let alone = Beside::start(plan(dir.path(), "n1", None)).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        alone.end();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
