//! Moves the buffers of ended processes into the run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::ledger::{self, SpoolDir};
use super::{SHARED_MEMORY, copy};
use crate::host;
use crate::manifest::Manifest;
use crate::run_dir::RANKS;

/// What was moved and what was not.
#[derive(Debug, Default)]
pub struct Gathered {
    /// Files now in the run.
    pub taken: Vec<PathBuf>,
    /// Files of processes that still run.
    pub alive: Vec<PathBuf>,
    /// Leases of other `exec` processes that still run: more files may follow.
    pub leased: usize,
    /// Files that could not be moved.
    pub kept: Vec<LeftFile>,
    /// Directories on other hosts that may still contain files and are not accessible from here.
    pub elsewhere: Vec<SpoolDir>,
}

/// A file that remains in the spool.
#[derive(Debug)]
pub struct LeftFile {
    /// The file in the spool.
    pub path: PathBuf,
    /// The error of the attempt to move it.
    pub why: io::Error,
}

/// Moves everything that this host still holds of a run into the run.
pub fn gather(run_dir: &Path) -> Gathered {
    let mut all = Gathered::default();
    let here = host::name();
    let mut places = ledger::read(run_dir);
    // The line may be missing if the run's file system was full.
    if let Ok(manifest) = Manifest::read(run_dir) {
        let dir = Path::new(SHARED_MEMORY).join(super::directory_name(&manifest.run_id));
        places.entry(SpoolDir { host: here.clone(), dir }).or_default();
    }
    for (place, is_open) in places {
        if place.host != here {
            if is_open {
                all.elsewhere.push(place);
            }
            continue;
        }
        let was_there = place.dir.exists();
        let some = take_over(&place.dir, &run_dir.join(RANKS), &here);
        if is_open && !was_there {
            // It was removed by a process that died before recording it, or by a reboot.
            ledger::gone(run_dir, &here, &place.dir);
        }
        all.taken.extend(some.taken);
        all.alive.extend(some.alive);
        all.leased += some.leased;
        all.kept.extend(some.kept);
    }
    all
}

/// [`gather`] for a job whose launcher has ended. A launcher that kills its ranks does not wait until they have ended, so this
/// waits briefly for the remaining ones, also on other hosts.
pub fn gather_ended(run_dir: &Path) -> Gathered {
    let mut all = gather(run_dir);
    for _ in 0..50 {
        if all.alive.is_empty() && all.leased == 0 && all.elsewhere.is_empty() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        let taken = std::mem::take(&mut all.taken);
        all = gather(run_dir);
        all.taken.extend(taken);
    }
    all
}

/// Removes the buffers of a discarded run on this host, except those still in use.
pub fn discard(run_dir: &Path, run_id: &str) {
    let here = host::name();
    for place in ledger::read(run_dir).into_keys() {
        // The file may contain anything; only a directory with this run's name is removed.
        let is_own = place.dir.file_name().is_some_and(|name| *name == *super::directory_name(run_id));
        if place.host == here && is_own {
            // Moves the files into the run that is about to be removed, as nothing else empties it.
            take_over(&place.dir, &run_dir.join(RANKS), &here);
        }
    }
}

/// The runs whose buffers are in these directories, according to their leases.
pub fn runs_left_over(dirs: &[PathBuf]) -> Vec<PathBuf> {
    let here = host::name();
    let entries = dirs.iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().flatten();
    let leases = entries.filter(|entry| {
        let name = entry.file_name();
        matches!(name.to_str().and_then(|name| Entry::parse(name, &here)), Some(Entry::Lease { .. }))
    });
    let mut runs: Vec<PathBuf> = leases.filter_map(|lease| fs::read_link(lease.path()).ok()).collect();
    runs.retain(|path| path.is_absolute());
    runs.sort();
    runs.dedup();
    runs
}

/// Spool directories of this user that are no longer in use.
pub fn left_over(parent: &Path) -> Vec<PathBuf> {
    let here = host::name();
    let prefix = super::directory_name("");
    let own = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(&prefix)
            && fs::read_dir(path)
                .is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| !is_in_use(&entry.path(), &here))))
    };
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(own).collect();
    found.sort();
    found
}

fn is_in_use(path: &Path, host: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match Entry::parse(&name, host) {
        Some(Entry::Rank { pid }) => runs_still(pid, path),
        Some(Entry::Claimed { owner, .. } | Entry::Lease { owner }) => host::is_alive(owner),
        // A file of another host, or not a file of mpiscope: it cannot be judged here.
        None => true,
    }
}

/// Moves the files of one directory into the run and removes it once it is empty.
pub fn take_over(spool: &Path, ranks: &Path, host: &str) -> Gathered {
    let mut done = Gathered::default();
    let mut ended = Vec::new();
    let own = std::process::id();
    for entry in fs::read_dir(spool).into_iter().flatten().flatten() {
        let path = entry.path();
        let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
            continue;
        };
        let Some(found) = Entry::parse(&name, host) else {
            continue;
        };
        match found {
            Entry::Lease { owner } => {
                if !host::is_alive(owner) {
                    ended.push(path);
                } else if owner != own {
                    done.leased += 1;
                }
                continue;
            }
            Entry::Claimed { owner, .. } if owner == own || host::is_alive(owner) => continue,
            Entry::Rank { pid } if runs_still(pid, &path) => {
                done.alive.push(path);
                continue;
            }
            Entry::Claimed { .. } | Entry::Rank { .. } => {}
        }
        let file = found.file_name(host);
        let claim = spool.join(format!(".{file}.by.{own}"));
        if fs::rename(&path, &claim).is_err() {
            continue;
        }
        match bring_in(&claim, ranks, &file) {
            Ok(target) => done.taken.push(target),
            Err(why) => {
                let back = match found {
                    Entry::Rank { .. } => path,
                    _ => spool.join(&file),
                };
                let path = if fs::rename(&claim, &back).is_ok() { back } else { claim };
                done.kept.push(LeftFile { path, why });
            }
        }
    }
    // A lease shows which run the files belong to, so it is removed after them.
    if done.kept.is_empty() {
        ended.iter().for_each(|lease| drop(fs::remove_file(lease)));
    }
    if fs::remove_dir(spool).is_ok()
        && let Some(run) = ranks.parent()
    {
        ledger::gone(run, host, spool);
    }
    done
}

/// The process that writes a rank file, if it still runs on this host, `host`.
pub fn writer(path: &Path, host: &str) -> Option<u32> {
    match Entry::parse(path.file_name()?.to_str()?, host)? {
        Entry::Rank { pid } if runs_still(pid, path) => Some(pid),
        _ => None,
    }
}

/// A process that started after the file was created is another one with the same id.
fn runs_still(pid: u32, path: &Path) -> bool {
    if !host::is_alive(pid) {
        return false;
    }
    let made = fs::metadata(path).and_then(|meta| meta.created()).ok();
    match (made, host::started(pid)) {
        (Some(made), Some(started)) => started <= made + std::time::Duration::from_secs(2),
        _ => true,
    }
}

/// Moves a claimed file to the rank files, under its own name or the next free one.
fn bring_in(claim: &Path, ranks: &Path, file: &str) -> io::Result<PathBuf> {
    let stem = file.strip_suffix(".rank").unwrap_or(file);
    let part = ranks.join(format!(".{file}.part.{}", std::process::id()));
    let mut is_copied = false;
    let result = (|| {
        for again in 1..1000 {
            let target = match again {
                1 => ranks.join(file),
                // A process id was used twice on one host during the run.
                _ => ranks.join(format!("{stem}-{again}.rank")),
            };
            let mut moved = if is_copied { copy::rename_new(&part, &target) } else { copy::rename_new(claim, &target) };
            // The kernel looks at the devices before it looks for the target.
            if moved.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::CrossesDevices) {
                copy::copy_sparse(claim, &part)?;
                is_copied = true;
                moved = copy::rename_new(&part, &target);
            }
            match moved {
                // A process that was killed between copying a file and removing the original has left both.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if copy::alike(claim, &target) {
                        return Ok(target);
                    }
                }
                other => return other.map(|()| target),
            }
        }
        Err(io::Error::other("there are already a thousand files of that name"))
    })();
    let _ = fs::remove_file(&part);
    if result.is_ok() {
        let _ = fs::remove_file(claim);
    }
    result
}

/// A name in a spool directory that belongs to this host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entry {
    Rank { pid: u32 },
    Claimed { pid: u32, owner: u32 },
    Lease { owner: u32 },
}

impl Entry {
    fn parse(name: &str, host: &str) -> Option<Self> {
        if let Some(rest) = name.strip_prefix(".lease.") {
            let owner = rest.strip_prefix(host)?.strip_prefix('.')?.parse().ok()?;
            return Some(Self::Lease { owner });
        }
        if let Some(rest) = name.strip_prefix('.') {
            let (file, owner) = rest.rsplit_once(".by.")?;
            let Self::Rank { pid } = Self::parse(file, host)? else {
                return None;
            };
            return Some(Self::Claimed { pid, owner: owner.parse().ok()? });
        }
        // `<pid>`, or `<pid>.<n>` for the n-th program that one process executed.
        let numbers = name.strip_prefix(host)?.strip_prefix('.')?.strip_suffix(".rank")?;
        let (pid, image) = numbers.split_once('.').unwrap_or((numbers, "1"));
        image.parse::<u32>().ok()?;
        pid.parse().ok().map(|pid| Self::Rank { pid })
    }

    fn file_name(self, host: &str) -> String {
        let (Self::Rank { pid } | Self::Claimed { pid, .. } | Self::Lease { owner: pid }) = self;
        format!("{host}.{pid}.rank")
    }
}

#[cfg(test)]
mod names {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        assert_eq!(Entry::parse("n1.x.7.rank", "n1.x"), Some(Entry::Rank { pid: 7 }));
        assert_eq!(Entry::parse("vm.1234.rank", "vm"), Some(Entry::Rank { pid: 1234 }));
        assert_eq!(Entry::parse("node7.cluster.1234.2.rank", "node7.cluster"), Some(Entry::Rank { pid: 1234 }));
        assert_eq!(Entry::parse("node.7.rank", "node"), Some(Entry::Rank { pid: 7 }));
        assert_eq!(Entry::parse("vm.1234.exit.json", "vm"), None);
        assert_eq!(Entry::parse(".n1.7.rank.by.9", "n1"), Some(Entry::Claimed { pid: 7, owner: 9 }));
        assert_eq!(Entry::parse(".lease.n1.9", "n1"), Some(Entry::Lease { owner: 9 }));
        for name in ["n2.7.rank", "n1.7.rank.part", "n1.rank", "n1.x.rank", "", ".", ".by.1"] {
            assert_eq!(Entry::parse(name, "n1"), None, "{name}");
        }
        assert_eq!(Entry::Claimed { pid: 7, owner: 9 }.file_name("n1"), "n1.7.rank");
    }
}
