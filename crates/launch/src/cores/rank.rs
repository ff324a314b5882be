//! Samples one rank.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

use mpiscope_records::cores::{self, FORMAT, RankLine, RankNote};

use super::log::Log;
use super::proc::{self, SchedStat};
use super::{SamplerConfig, frequency};
use crate::clock::monotonic_ns;

/// Maximum number of sampled threads: the first ones are usually those that compute.
const MOST_THREADS: usize = 256;
/// The list of threads is read again after this many samples, or if their number has changed.
const LIST_AGAIN: u32 = 16;
/// A sample that took longer was interrupted and is taken again.
const INTERRUPTED_NS: u64 = 1_000_000;

/// Samples one process from outside.
pub(super) struct RankSampler {
    pid: u32,
    log: Log,
    main: File,
    status: File,
    /// `None` if the rank's core is not needed.
    stat: Option<File>,
    threads: BTreeMap<u32, Thread>,
    /// Sums of ended threads.
    gone: SchedStat,
    listed: u32,
    known_threads: u64,
    cpus: String,
}

struct Thread {
    file: File,
    last: SchedStat,
}

impl RankSampler {
    pub(super) fn open(plan: &SamplerConfig, pid: u32) -> io::Result<Self> {
        let of = |name: &str| File::open(format!("/proc/{pid}/{name}"));
        let (main, status) = (of("schedstat")?, of("status")?);
        let stat = frequency::Source::find().and_then(|_| of("stat").ok());
        let mut log = Log::open(plan, &cores::rank_file(&plan.host, pid))?;
        let head = RankNote {
            format: Some(FORMAT),
            host: Some(plan.host.clone()),
            pid: Some(pid),
            gives_way: Some(plan.gives_way),
            cpus: None,
        };
        log.line(&serde_json::to_string(&head)?);
        Ok(Self {
            pid,
            log,
            main,
            status,
            stat,
            threads: BTreeMap::new(),
            gone: SchedStat::default(),
            listed: 0,
            known_threads: 0,
            cpus: String::new(),
        })
    }

    pub(super) fn sample(&mut self) {
        let (mut at_ns, mut main) = (monotonic_ns(), read_schedstat(&self.main));
        for _ in 0..2 {
            if monotonic_ns() - at_ns < INTERRUPTED_NS {
                break;
            }
            (at_ns, main) = (monotonic_ns(), read_schedstat(&self.main));
        }
        // The process has ended; without its first thread it provides no data.
        let Some(main) = main else { return };
        let Some(status) = read(&self.status) else { return };
        let status = proc::status(&status);
        if status.threads == 0 {
            return;
        }
        let all = if status.threads == 1 && self.threads.is_empty() { main } else { self.all(main, status.threads) };
        if status.cpus != self.cpus && !status.cpus.is_empty() {
            let note = RankNote { cpus: Some(status.cpus.clone()), ..RankNote::default() };
            if let Ok(text) = serde_json::to_string(&note) {
                self.log.line(&text);
            }
            self.cpus = status.cpus;
        }
        let cpu = self.stat.as_ref().and_then(read).and_then(|text| proc::last_cpu(&text));
        let us = |ns: u64| ns / 1000;
        let line = RankLine {
            at_us: us(at_ns),
            run_us: us(all.run_ns),
            wait_us: us(all.wait_ns),
            main_run_us: us(main.run_ns),
            main_wait_us: us(main.wait_ns),
            switches: Some([status.voluntary, status.involuntary]),
            threads: status.threads,
            cpu: cpu.and_then(|cpu| cpu.try_into().ok()),
        };
        self.log.line(&line.to_text());
    }

    /// Sums over all threads, including ended ones.
    fn all(&mut self, main: SchedStat, count: u64) -> SchedStat {
        if count != self.known_threads || self.listed >= LIST_AGAIN {
            self.list();
            (self.known_threads, self.listed) = (count, 0);
        }
        self.listed += 1;
        let mut ended = Vec::new();
        let mut sum = main;
        for (&tid, thread) in self.threads.iter_mut() {
            match read_schedstat(&thread.file) {
                Some(now) => {
                    thread.last = now;
                    sum = add(sum, now);
                }
                None => ended.push(tid),
            }
        }
        for tid in ended {
            if let Some(thread) = self.threads.remove(&tid) {
                self.gone = add(self.gone, thread.last);
            }
            self.listed = LIST_AGAIN;
        }
        add(sum, self.gone)
    }

    fn list(&mut self) {
        let tids = fs::read_dir(format!("/proc/{}/task", self.pid)).into_iter().flatten().flatten();
        let tids = tids.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
        for tid in tids.filter(|&tid| tid != self.pid) {
            if self.threads.len() < MOST_THREADS && !self.threads.contains_key(&tid) {
                let file = File::open(format!("/proc/{}/task/{tid}/schedstat", self.pid));
                self.threads.extend(file.ok().map(|file| (tid, Thread { file, last: SchedStat::default() })));
            }
        }
    }

    pub(super) fn end(mut self) {
        self.log.flush();
    }
}

fn add(a: SchedStat, b: SchedStat) -> SchedStat {
    SchedStat { run_ns: a.run_ns + b.run_ns, wait_ns: a.wait_ns + b.wait_ns }
}

fn read_schedstat(file: &File) -> Option<SchedStat> {
    let mut buffer = [0; 128];
    let got = file.read_at(&mut buffer, 0).ok()?;
    proc::schedstat(std::str::from_utf8(&buffer[..got]).ok()?)
}

/// Reads from the start in one read: the kernel creates the text each time.
fn read(file: &File) -> Option<String> {
    let mut buffer = [0; 4096];
    let got = file.read_at(&mut buffer, 0).ok()?;
    Some(String::from_utf8_lossy(&buffer[..got]).into_owned())
}
