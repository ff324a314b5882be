//! `RUN/cores/`: processor time of the ranks and hosts, sampled from outside while the ranks run.
//!
//! Each `exec` samples its own rank, and one `exec` of each host samples the host
//! ([decision](../../../../docs/decisions/0028-cpu-time.md)). All data is from `/proc`, `/sys` and the control groups; the
//! program is not involved. The form of the files: [`mpiscope_records::cores`].
//!
//! # Resolution
//!
//! The interval of samples is initially 20 ms (of a host: 200 ms) and doubles after each [`PER_OCTAVE`] samples: at any moment
//! the resolution is about 1/256 of the run so far, and a file grows with the logarithm of the time. If a sample costs more
//! than 1/500 of the interval (a process of many threads), the interval is longer.

mod cgroup;
mod frequency;
mod host;
mod load;
mod log;
mod proc;
mod rank;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use host::HostSampler;
#[cfg(test)]
use mpiscope_records::cores::{FOLDER, FORMAT};
use rank::RankSampler;

pub use load::{Load, Loading};

const FIRST_RANK: Duration = Duration::from_millis(20);
const FIRST_HOST: Duration = Duration::from_millis(200);
/// Number of samples at one interval.
const PER_OCTAVE: u32 = 256;
/// Sampling may take at most one part in this many of a core.
const COST: u32 = 500;
const STACK_BYTES: usize = 256 << 10;

/// What is sampled.
#[derive(Debug, Clone)]
pub struct SamplerConfig {
    /// The run's directory.
    pub run: PathBuf,
    /// As in `run.json`; the files repeat it, so that those of a replaced run are not mixed in.
    pub run_id: String,
    /// This host's name as in the names of the files.
    pub host: String,
    /// Whether `--yield` is active.
    pub gives_way: bool,
}

/// The thread, while the rank runs.
pub struct Sampling {
    wake: Sender<()>,
    thread: JoinHandle<()>,
}

impl Sampling {
    /// Starts the thread. `None` if the system cannot create it: the run is valid without samples.
    pub fn start(plan: SamplerConfig, pid: u32) -> Option<Self> {
        let (wake, woken) = channel();
        let body = move || sample(&plan, pid, &woken);
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(body).ok()?;
        Some(Self { wake, thread })
    }

    /// Called when the rank has ended.
    pub fn end(self) {
        drop(self.wake);
        let _ = self.thread.join();
    }
}

/// The thread's main function.
fn sample(plan: &SamplerConfig, pid: u32, woken: &Receiver<()>) {
    let Ok(mut rank) = RankSampler::open(plan, pid) else { return };
    let mut host: Option<HostSampler> = None;
    let (mut rank_pace, mut host_pace) = (Pace::new(FIRST_RANK), Pace::new(FIRST_HOST));
    loop {
        let now = Instant::now();
        if now >= rank_pace.due {
            rank_pace.timed(|| rank.sample());
        }
        if now >= host_pace.due {
            if host.is_none() {
                host = HostSampler::lead(plan);
            }
            match &mut host {
                Some(host) => host_pace.timed(|| host.sample()),
                // Another `exec` does it. When that ends, one of the others takes over.
                None => host_pace.due = now + Duration::from_secs(1),
            }
        }
        let next = rank_pace.due.min(host_pace.due);
        match woken.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Err(RecvTimeoutError::Timeout) => {}
            _ => break,
        }
    }
    rank.end();
    if let Some(host) = host {
        host.end();
    }
}

/// The time of the next sample.
struct Pace {
    due: Instant,
    interval: Duration,
    samples: u32,
}

impl Pace {
    fn new(interval: Duration) -> Self {
        Self { due: Instant::now(), interval, samples: 0 }
    }

    /// Takes a sample and returns the time of the next.
    fn timed(&mut self, sample: impl FnOnce()) {
        let before = own_cpu();
        sample();
        let cost = own_cpu().saturating_sub(before);
        self.count();
        self.due = Instant::now() + self.interval.max(cost * COST);
    }

    fn count(&mut self) {
        self.samples += 1;
        if self.samples == PER_OCTAVE {
            self.samples = 0;
            self.interval = self.interval.saturating_mul(2);
        }
    }
}

/// Processor time of this thread.
fn own_cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is writable; every Linux has this clock.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    #[test]
    fn the_resolution_follows_the_time() {
        let mut pace = Pace::new(FIRST_RANK);
        let (mut samples, mut elapsed) = (0u64, Duration::ZERO);
        // A day.
        while elapsed < Duration::from_secs(86_400) {
            pace.count();
            elapsed += pace.interval;
            samples += 1;
            let share = pace.interval.as_secs_f64() / elapsed.as_secs_f64();
            assert!(samples < 512 || share < 1.0 / 100.0, "{samples}: {share}");
        }
        assert!(samples < 5000, "{samples}");
    }

    #[test]
    fn a_process_and_its_host_are_sampled() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let plan = SamplerConfig {
            run: dir.path().into(),
            run_id: crate::host::random_id(),
            host: "n.1".into(),
            gives_way: false,
        };
        let sampling = Sampling::start(plan, child.id()).unwrap();
        std::thread::sleep(Duration::from_millis(400));
        child.kill().unwrap();
        child.wait().unwrap();
        sampling.end();
        let read = |name: String| fs::read_to_string(dir.path().join(FOLDER).join(name)).unwrap();
        let text = read(format!("n.1.{}.rank.jsonl", child.id()));
        let rows: Vec<Vec<Option<i64>>> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        assert!(rows.len() >= 2, "{text}");
        let (first, last) = (&rows[0], &rows[rows.len() - 1]);
        assert_eq!(last.len(), 9);
        let grown = |at: usize| last[at].unwrap() - first[at].unwrap();
        assert!(grown(0) > 0 && grown(1) >= 0 && grown(1) <= grown(0) + 20_000, "{text}");
        assert!(text.contains(r#"{"cpus":"#));
        let text = read("n.1.host.jsonl".into());
        let head: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        assert_eq!(head["format"], FORMAT);
        assert!(!head["cpus"].as_array().unwrap().is_empty());
    }

    #[test]
    fn one_exec_samples_the_host() {
        let dir = tempfile::tempdir().unwrap();
        let plan = SamplerConfig {
            run: dir.path().into(),
            run_id: crate::host::random_id(),
            host: "n1".into(),
            gives_way: true,
        };
        let first = HostSampler::lead(&plan).unwrap();
        assert!(HostSampler::lead(&plan).is_none());
        first.end();
        assert!(HostSampler::lead(&plan).is_some(), "another takes over");
    }
}
