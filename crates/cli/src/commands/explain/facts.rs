//! What a recorded run says about its end, besides messages.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use mpiscope_records::ExitRecord;
use mpiscope_run::{Fate, RankRow, Resolver, Run};
use serde::Serialize;

use super::super::report::live;

/// Signals by which launchers end ranks after another one has failed.
const CLEANUP: [i32; 2] = [9, 15];

/// The end of a run.
#[derive(Serialize)]
pub struct Facts {
    /// The run's directory.
    path: PathBuf,
    pub program: Vec<String>,
    pub mpi: String,
    pub ranks: u64,
    /// The rank that failed first.
    pub first: Option<Failed>,
    /// How ranks ended that did not end normally, most frequent first.
    pub ends: Vec<End>,
    /// Largest resident memory of a rank.
    pub max_rss_bytes: Option<u64>,
    /// Sum over the ranks of the host with the most.
    pub host_rss_bytes: Option<u64>,
    /// The other ranks, if a launcher ended all of them: then a message may say which one was first.
    #[serde(skip)]
    others: Vec<Failed>,
}

/// A rank that failed.
#[derive(Serialize)]
pub struct Failed {
    pub rank: Option<u32>,
    pub host: String,
    /// In words.
    pub how: String,
    /// The MPI function in which it ended.
    pub call: Option<String>,
    /// Where it was called.
    pub site: Option<String>,
    /// From its first call to its end, where known.
    pub after_ns: Option<u64>,
}

/// Ranks that ended alike.
#[derive(Serialize)]
pub struct End {
    pub how: String,
    pub ranks: Vec<i32>,
}

impl Facts {
    /// Reads the run; one without rank files has no facts but its exit records.
    pub fn of(path: &Path) -> anyhow::Result<Self> {
        let run = match Run::open(path, &live(path)) {
            Ok(run) => run,
            Err(error) => return Self::of_records(path).ok_or_else(|| anyhow::Error::from(error)),
        };
        let mut end_ns: HashMap<u32, u64> = HashMap::new();
        for rank in &run.ranks {
            if let Some(exit) = &rank.exit {
                end_ns.insert(rank.header.pid, exit.end_unix_ns);
            }
        }
        let summary = run.summary(|_| true, &Resolver::default());
        let mut ends: Vec<End> = Vec::new();
        let mut host_rss: BTreeMap<&str, u64> = BTreeMap::new();
        for row in &summary.ranks {
            *host_rss.entry(&row.host).or_default() += row.max_rss_bytes.unwrap_or(0);
            if row.fate.is_normal() {
                continue;
            }
            let how = row.fate.text();
            match ends.iter_mut().find(|end| end.how == how) {
                Some(end) => end.ranks.push(row.rank),
                None => ends.push(End { how, ranks: vec![row.rank] }),
            }
        }
        ends.sort_by_key(|end| std::cmp::Reverse(end.ranks.len()));
        let is_cleanup = |fate: &Fate| match fate {
            Fate::Killed { signal, .. } => CLEANUP.contains(signal),
            Fate::Unfinished { .. } | Fate::Running { .. } => true,
            _ => false,
        };
        let mut failed: Vec<&RankRow> = summary.ranks.iter().filter(|row| !row.fate.is_normal()).collect();
        failed.sort_by_key(|row| (is_cleanup(&row.fate), end_ns.get(&row.pid).copied().unwrap_or(u64::MAX), row.rank));
        let is_open = failed.first().is_some_and(|row| is_cleanup(&row.fate));
        let mut failed = failed.into_iter().map(Failed::of);
        Ok(Self {
            path: path.to_owned(),
            program: summary.overview.program.clone(),
            mpi: summary.overview.mpi.lines().next().unwrap_or_default().to_owned(),
            ranks: summary.overview.ranks,
            first: failed.next(),
            others: if is_open { failed.collect() } else { Vec::new() },
            ends,
            max_rss_bytes: summary.ranks.iter().filter_map(|row| row.max_rss_bytes).max(),
            host_rss_bytes: host_rss.values().max().copied().filter(|bytes| *bytes > 0),
        })
    }

    /// The most likely cause names this rank.
    pub fn name_first(&mut self, rank: u32) {
        if let Some(at) = self.others.iter().position(|failed| failed.rank == Some(rank)) {
            self.first = Some(self.others.swap_remove(at));
        }
    }

    /// Of processes that never called MPI.
    fn of_records(path: &Path) -> Option<Self> {
        let manifest = mpiscope_launch::manifest::Manifest::read(path).ok()?;
        let files = std::fs::read_dir(path.join(mpiscope_launch::run_dir::RANKS)).into_iter().flatten().flatten();
        let is_record = |file: &PathBuf| file.to_string_lossy().ends_with(ExitRecord::SUFFIX);
        let records = files.map(|file| file.path()).filter(is_record).filter_map(|file| ExitRecord::read(&file).ok());
        let mut failed: Vec<ExitRecord> =
            records.filter(|exit| exit.signal.is_some() || exit.exit_code.is_some_and(|code| code != 0)).collect();
        failed.sort_by_key(|exit| (exit.signal.is_some_and(|signal| CLEANUP.contains(&signal)), exit.end_unix_ns));
        let how = |exit: &ExitRecord| match (exit.signal, exit.exit_code) {
            (Some(signal), _) => format!("killed by {} before it called MPI", mpiscope_run::signal_name(signal)),
            (_, code) => format!("exited with code {} before it called MPI", code.unwrap_or_default()),
        };
        let first = failed.first().map(|exit| Failed {
            rank: exit.launched_rank,
            host: exit.host.clone(),
            how: how(exit),
            call: None,
            site: None,
            after_ns: Some(exit.wall_ns),
        });
        Some(Self {
            path: path.to_owned(),
            program: manifest.program,
            mpi: String::new(),
            ranks: 0,
            first,
            ends: Vec::new(),
            others: Vec::new(),
            max_rss_bytes: failed.iter().map(|exit| exit.max_rss_bytes).max(),
            host_rss_bytes: None,
        })
    }
}

impl Failed {
    fn of(row: &RankRow) -> Self {
        let call = row.in_flight.last();
        Self {
            rank: u32::try_from(row.rank).ok(),
            host: row.host.clone(),
            how: row.fate.text(),
            call: call.map(|call| call.call.clone()),
            site: call.and_then(|call| call.site.clone()),
            after_ns: row.wall_ns,
        }
    }
}
