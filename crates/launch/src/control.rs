//! Requests to a run's processes on other hosts: files in `RUN/control/`, which all hosts can access.
//!
//! ```text
//! RUN/control/<id>.json             a request to some hosts; appears complete
//! RUN/control/<id>.<host>.done      the answer of that host's leader
//! RUN/control/<host>.leads          a leader that is alive and looks for requests once a second
//! ```
//!
//! Write access to the run's directory is required for a request. A leader answers each request to its host once, does nothing
//! that its owner could not do on that host with `mpiscope ctl`, and ignores requests older than itself.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Directory in the run.
pub const CONTROL: &str = "control";
/// Version of these files. A leader answers a request of another version with an error.
pub const FORMAT: u32 = 1;
const MAX_BYTES: u64 = 64 << 10;

/// The request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Wish {
    /// Resumes recording in every process of the run.
    Start,
    /// Pauses recording in every process of the run.
    Stop,
    /// Copies the rank files of running processes to `to/ranks`.
    Snapshot {
        /// The directory of the copy, which the leader has to reach.
        to: PathBuf,
    },
    /// Reports what each process of the run is doing.
    Status,
}

/// The status of a rank.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankStatus {
    /// In `MPI_COMM_WORLD`; negative while the process has none.
    pub rank: i32,
    /// The host's name as in the names of its files.
    pub host: String,
    /// On that host.
    pub pid: u32,
    /// What the collector does with its events.
    pub state: RankState,
    /// Calls so far, and the time in them, ns.
    pub calls: u64,
    /// See `calls`.
    pub mpi_ns: u64,
    /// The current call and its duration so far, ns.
    pub call: Option<String>,
    /// See `call`; `None` if the process is not in a call.
    pub call_ns: Option<u64>,
    /// The call site of the current call, if known.
    pub site: Option<String>,
    /// Its innermost region.
    pub region: Option<String>,
    /// How it ended, or that it is running.
    pub fate: String,
}

/// Whether a process's events are recorded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RankState {
    /// The process runs, and its events are recorded.
    Recorded,
    /// The process runs, and its recording is paused.
    Paused,
    /// The process has ended.
    #[default]
    Ended,
}

impl RankState {
    /// The word for people.
    pub fn text(self) -> &'static str {
        match self {
            RankState::Recorded => "recorded",
            RankState::Paused => "paused",
            RankState::Ended => "ended",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Request {
    format: u32,
    hosts: Vec<String>,
    #[serde(flatten)]
    wish: Wish,
}

/// The result on one host.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// See [`FORMAT`].
    pub format: u32,
    /// Running processes of the run on that host.
    pub running: usize,
    /// Processes whose recording was paused or resumed, or whose file was copied.
    pub changed: usize,
    /// The problem, if any.
    pub problem: Option<String>,
    /// The ranks on that host, for [`Wish::Status`].
    #[serde(default)]
    pub ranks: Vec<RankStatus>,
}

type Handle = Box<dyn FnMut(&Wish) -> Answer + Send>;

/// Answers requests as part of a leader.
pub struct Attendant {
    handle: Handle,
    /// The run and this host, once this process is the leader.
    place: Option<(PathBuf, String)>,
    seen: BTreeSet<String>,
}

impl Attendant {
    /// `handle` carries out one request on this host.
    pub fn new(handle: impl FnMut(&Wish) -> Answer + Send + 'static) -> Self {
        Self { handle: Box::new(handle), place: None, seen: BTreeSet::new() }
    }

    /// Answers that no process runs.
    pub fn idle() -> Self {
        Self::new(|_| Answer { format: FORMAT, ..Answer::default() })
    }

    pub(crate) fn lead(&mut self, run: &Path, host: &str) {
        let made = run.exists() && DirBuilder::new().recursive(true).mode(0o777).create(run.join(CONTROL)).is_ok();
        if made && fs::write(leads(run, host), b"").is_ok() {
            self.seen = requests(run).collect();
            self.place = Some((run.to_owned(), host.to_owned()));
        }
    }

    pub(crate) fn poll(&mut self) {
        let Some((run, host)) = &self.place else { return };
        for id in requests(run) {
            if !self.seen.insert(id.clone()) {
                continue;
            }
            let folder = run.join(CONTROL);
            let path = folder.join(format!("{id}.json"));
            let is_small = fs::metadata(&path).is_ok_and(|meta| meta.len() <= MAX_BYTES);
            let read = || serde_json::from_slice::<Request>(&fs::read(&path).ok()?).ok();
            let Some(request) = is_small.then(read).flatten().filter(|request| request.hosts.contains(host)) else {
                continue;
            };
            let answer = match request.format {
                FORMAT => (self.handle)(&request.wish),
                other => Answer {
                    format: FORMAT,
                    problem: Some(format!("unsupported request of version {other}; this mpiscope supports {FORMAT}")),
                    ..Answer::default()
                },
            };
            let name = format!("{id}.{host}.done");
            let _ = put(&folder, &name, &answer);
            if !path.exists() {
                // The requester has stopped waiting.
                let _ = fs::remove_file(folder.join(name));
            }
        }
    }

    pub(crate) fn end(&mut self) {
        if let Some((run, host)) = self.place.take() {
            let _ = fs::remove_file(leads(&run, &host));
            // The last leader removes the directory, unless an answer is still unread.
            let _ = fs::remove_dir(run.join(CONTROL));
        }
    }
}

fn leads(run: &Path, host: &str) -> PathBuf {
    run.join(CONTROL).join(format!("{host}.leads"))
}

fn requests(run: &Path) -> impl Iterator<Item = String> {
    let entries = fs::read_dir(run.join(CONTROL)).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".json").map(str::to_owned))
        .filter(|id| !id.starts_with('.'))
}

fn put(folder: &Path, name: &str, what: &impl Serialize) -> io::Result<()> {
    let part = folder.join(format!(".{name}.{}", std::process::id()));
    let written = fs::write(&part, serde_json::to_string(what)?).and_then(|()| fs::rename(&part, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

/// Hosts with a leader.
pub fn hosts(run: &Path) -> Vec<String> {
    let entries = fs::read_dir(run.join(CONTROL)).into_iter().flatten().flatten();
    let mut found: Vec<String> =
        entries.filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".leads").map(str::to_owned)).collect();
    found.sort();
    found
}

/// Sends a request to these hosts and waits for their answers, at most `limit`. `None` for a host that did not answer.
///
/// # Errors
///
/// If the request cannot be written into the run; a host without an answer is no error.
pub fn request(
    run: &Path,
    hosts: &[String],
    wish: &Wish,
    limit: Duration,
) -> io::Result<Vec<(String, Option<Answer>)>> {
    let folder = run.join(CONTROL);
    let id = crate::host::random_id();
    put(&folder, &format!("{id}.json"), &Request { format: FORMAT, hosts: hosts.to_vec(), wish: wish.clone() })?;
    let until = Instant::now() + limit;
    let mut answers: Vec<(String, Option<Answer>)> = hosts.iter().map(|host| (host.clone(), None)).collect();
    while answers.iter().any(|(_, answer)| answer.is_none()) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
        for (host, answer) in answers.iter_mut().filter(|(_, answer)| answer.is_none()) {
            let text = fs::read(folder.join(format!("{id}.{host}.done")));
            *answer = text.ok().and_then(|text| serde_json::from_slice(&text).ok());
        }
    }
    let _ = fs::remove_file(folder.join(format!("{id}.json")));
    for host in hosts {
        let _ = fs::remove_file(folder.join(format!("{id}.{host}.done")));
    }
    let _ = fs::remove_dir(&folder);
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_once_by_each_leader() {
        let dir = tempfile::tempdir().unwrap();
        let mut leader = Attendant::new(|wish| Answer {
            format: 1,
            running: 2,
            changed: usize::from(*wish == Wish::Stop),
            ..Answer::default()
        });
        leader.lead(dir.path(), "n2");
        assert_eq!(hosts(dir.path()), ["n2"]);
        let run = dir.path().to_owned();
        let asker = std::thread::spawn(move || {
            let hosts = ["n2".to_owned(), "n3".to_owned()];
            request(&run, &hosts, &Wish::Stop, Duration::from_secs(3)).unwrap()
        });
        while !asker.is_finished() {
            leader.poll();
            std::thread::sleep(Duration::from_millis(10));
        }
        let answers = asker.join().unwrap();
        assert_eq!(answers[0].1.as_ref().unwrap().changed, 1);
        assert_eq!(answers[1], ("n3".to_owned(), None));
        leader.end();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn wishes_as_text() {
        let text = serde_json::to_string(&Request {
            format: 1,
            hosts: vec!["n".into()],
            wish: Wish::Snapshot { to: "/x".into() },
        })
        .unwrap();
        assert_eq!(text, r#"{"format":1,"hosts":["n"],"what":"snapshot","to":"/x"}"#);
        assert_eq!(
            serde_json::from_str::<Request>(r#"{"format":1,"hosts":[],"what":"stop"}"#).unwrap().wish,
            Wish::Stop
        );
    }
}
