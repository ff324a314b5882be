use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::sync::Barrier;
use std::thread;

use super::*;
use crate::host;
use crate::run_dir::SPOOLS;

/// A pid that nobody has.
fn dead_pid() -> u32 {
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

struct Lab {
    dir: tempfile::TempDir,
    run: RunDir,
}

impl Lab {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("run");
        fs::create_dir_all(path.join(RANKS)).unwrap();
        Self { run: RunDir { path, run_id: host::random_id(), is_mine: true }, dir }
    }

    fn spool(&self) -> PathBuf {
        let spool = self.dir.path().join("spool");
        fs::create_dir_all(&spool).unwrap();
        spool
    }

    fn ranks(&self) -> Vec<String> {
        let entries = fs::read_dir(self.run.ranks()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

#[test]
fn files_of_ended_processes_are_taken() {
    let lab = Lab::new();
    let spool = lab.spool();
    let (dead, own) = (dead_pid(), std::process::id());
    fs::write(spool.join(format!("h.{dead}.rank")), "ended").unwrap();
    fs::write(spool.join(format!("h.{own}.rank")), "runs").unwrap();
    fs::write(spool.join("other.1.rank"), "of another host").unwrap();
    let done = take_over(&spool, &lab.run.ranks(), "h");
    assert_eq!((done.taken.len(), done.alive.len(), done.kept.len()), (1, 1, 0));
    assert_eq!(lab.ranks(), [format!("h.{dead}.rank")]);
    assert!(spool.join("other.1.rank").exists());

    fs::remove_file(spool.join("other.1.rank")).unwrap();
    fs::remove_file(spool.join(format!("h.{own}.rank"))).unwrap();
    take_over(&spool, &lab.run.ranks(), "h");
    assert!(!spool.exists(), "an empty spool is removed");
}

#[test]
fn several_takers_share_the_files() {
    for _ in 0..20 {
        let lab = Lab::new();
        let spool = lab.spool();
        let dead = dead_pid();
        // Pids of the system are 22 bits; these are beyond and surely dead.
        for index in 0..50 {
            fs::write(spool.join(format!("h.{}.rank", 90_000_000 + index)), "x").unwrap();
        }
        fs::write(spool.join(format!(".lease.h.{dead}")), "").unwrap();
        let start = Barrier::new(2);
        let take = || {
            start.wait();
            take_over(&spool, &lab.run.ranks(), "h")
        };
        let (a, b) = thread::scope(|scope| {
            let (a, b) = (scope.spawn(take), scope.spawn(take));
            (a.join().unwrap(), b.join().unwrap())
        });
        assert!(a.kept.is_empty() && b.kept.is_empty());
        assert_eq!(a.taken.len() + b.taken.len(), 50);
        assert_eq!(lab.ranks().len(), 50);
        assert!(!spool.exists());
    }
}

#[test]
fn a_claim_of_a_dead_taker_is_free_again() {
    let lab = Lab::new();
    let spool = lab.spool();
    let dead = dead_pid();
    fs::write(spool.join(format!(".h.90000000.rank.by.{dead}")), "x").unwrap();
    let done = take_over(&spool, &lab.run.ranks(), "h");
    assert_eq!(done.taken.len(), 1);
    assert_eq!(lab.ranks(), ["h.90000000.rank"]);
}

/// A spool on the run's file system, and one in shared memory: files are renamed in the first, and copied from the second.
fn both_spools(lab: &Lab) -> Vec<PathBuf> {
    let mut spools = vec![lab.spool()];
    if room(Path::new(SHARED_MEMORY)).is_ok_and(|room| room.is_memory) {
        spools.push(tempfile::tempdir_in(SHARED_MEMORY).unwrap().keep());
    }
    spools
}

#[test]
fn a_pid_used_twice_keeps_both_files() {
    for spool in both_spools(&Lab::new()) {
        let lab = Lab::new();
        for text in ["first", "second"] {
            fs::create_dir_all(&spool).unwrap();
            fs::write(spool.join("h.90000000.rank"), text).unwrap();
            take_over(&spool, &lab.run.ranks(), "h");
        }
        assert_eq!(lab.ranks(), ["h.90000000-2.rank", "h.90000000.rank"], "{}", spool.display());
        let path = lab.run.ranks().join("h.90000000.rank");
        assert_eq!(fs::read_to_string(path).unwrap(), "first");
        assert!(!spool.exists());
    }
}

#[test]
fn what_a_killed_taker_has_already_copied_is_not_taken_twice() {
    for spool in both_spools(&Lab::new()) {
        let lab = Lab::new();
        fs::create_dir_all(&spool).unwrap();
        fs::write(lab.run.ranks().join("h.90000000.rank"), "all of it").unwrap();
        fs::write(spool.join(format!(".h.90000000.rank.by.{}", dead_pid())), "all of it").unwrap();
        take_over(&spool, &lab.run.ranks(), "h");
        assert_eq!(lab.ranks(), ["h.90000000.rank"], "{}", spool.display());
        assert!(!spool.exists());
    }
}

#[test]
fn programs_that_one_process_became_are_all_taken() {
    let lab = Lab::new();
    let spool = lab.spool();
    fs::write(spool.join("h.90000000.rank"), "first").unwrap();
    fs::write(spool.join("h.90000000.2.rank"), "second").unwrap();
    let done = take_over(&spool, &lab.run.ranks(), "h");
    assert_eq!((done.taken.len(), done.kept.len()), (2, 0));
    assert_eq!(lab.ranks(), ["h.90000000-2.rank", "h.90000000.rank"]);
}

#[test]
fn what_cannot_be_moved_stays_and_is_said() {
    let lab = Lab::new();
    let spool = lab.spool();
    fs::write(spool.join("h.90000000.rank"), "x").unwrap();
    let done = take_over(&spool, &lab.dir.path().join("gone"), "h");
    assert_eq!(done.kept.len(), 1);
    assert_eq!(done.kept[0].path, spool.join("h.90000000.rank"));
    assert!(done.kept[0].path.exists());
}

#[test]
fn shared_memory_is_copied_with_its_holes() {
    let lab = Lab::new();
    if !room(Path::new(SHARED_MEMORY)).is_ok_and(|room| room.is_memory) {
        return;
    }
    let spool = tempfile::tempdir_in(SHARED_MEMORY).unwrap();
    let dir = spool.path().join("s");
    fs::create_dir(&dir).unwrap();
    let file = File::create(dir.join("h.90000000.rank")).unwrap();
    file.set_len(64 << 20).unwrap();
    file.write_all_at(b"begin", 0).unwrap();
    file.write_all_at(b"middle", 32 << 20).unwrap();
    let done = take_over(&dir, &lab.run.ranks(), "h");
    assert_eq!(done.taken.len(), 1, "{done:?}");
    let copy = File::open(&done.taken[0]).unwrap();
    let meta = copy.metadata().unwrap();
    assert_eq!(meta.len(), 64 << 20);
    assert!(meta.blocks() * 512 < 4 << 20, "{} blocks", meta.blocks());
    let mut text = [0; 6];
    copy.read_exact_at(&mut text, 32 << 20).unwrap();
    assert_eq!(&text, b"middle");
    assert!(!dir.exists());
}

#[test]
fn a_spool_is_noted_leased_and_gathered() {
    let lab = Lab::new();
    let here = host::name();
    let given = lab.dir.path().to_owned();
    let one = open(&lab.run, &here, Some(&given), 0).unwrap();
    assert!(!one.is_in_run());
    let other = open(&lab.run, &here, Some(&given), 0).unwrap();
    assert_eq!(one.dir, other.dir);
    let noted = fs::read_to_string(lab.run.path.join(SPOOLS)).unwrap();
    assert_eq!(noted, format!("{here} {}\n", one.dir.display()));

    fs::write(one.dir.join(format!("{here}.90000000.rank")), "x").unwrap();
    let dir = one.dir.clone();
    assert_eq!(one.close(&lab.run, &here).taken.len(), 1);
    assert!(!dir.exists());

    fs::create_dir(&dir).unwrap();
    fs::write(dir.join(format!("{here}.90000001.rank")), "x").unwrap();
    fs::write(lab.run.path.join(SPOOLS), format!("{noted}{noted}\nbad\nelse /x\n")).unwrap();
    let found = gather(&lab.run.path);
    assert_eq!((found.taken.len(), found.elsewhere.len()), (1, 1));
}

#[test]
fn a_spool_without_room_is_the_run_itself() {
    let lab = Lab::new();
    let spool = open(&lab.run, "h", None, u64::MAX).unwrap();
    assert!(spool.is_in_run());
    assert_eq!(spool.dir, lab.run.ranks());
    assert!(spool.close(&lab.run, "h").taken.is_empty());
}

#[test]
fn a_run_that_is_given_up_leaves_no_buffers() {
    let lab = Lab::new();
    let here = host::name();
    let spool = open(&lab.run, &here, Some(lab.dir.path()), 0).unwrap();
    fs::write(spool.dir.join(format!("{here}.90000000.rank")), "x").unwrap();
    fs::remove_file(spool.lease.as_ref().unwrap()).unwrap();
    // A line that names something else must do nothing.
    let precious = lab.dir.path().join("precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join(format!("{here}.90000000.rank")), "x").unwrap();
    let mut file = OpenOptions::new().append(true).open(lab.run.path.join(SPOOLS)).unwrap();
    writeln!(file, "{here} {}", precious.display()).unwrap();
    discard(&lab.run.path, &lab.run.run_id);
    assert!(!spool.dir.exists());
    assert_eq!(fs::read_dir(&precious).unwrap().count(), 1);
}

#[test]
fn buffers_without_anybody_are_seen() {
    let lab = Lab::new();
    let here = host::name();
    let spool = open(&lab.run, &here, Some(lab.dir.path()), 0).unwrap();
    assert!(left_over(lab.dir.path()).is_empty(), "this process holds a lease");
    fs::remove_file(spool.lease.as_ref().unwrap()).unwrap();
    fs::write(spool.dir.join(format!("{here}.90000000.rank")), "x").unwrap();
    assert_eq!(left_over(lab.dir.path()), [spool.dir]);
}
