use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

use super::*;
use crate::options::Options;

fn manifest(key: &str) -> Manifest {
    manifest::of_new_run(vec!["a.out".into()], Options::default(), key.to_owned())
}

fn key(text: &str) -> JobKey {
    JobKey { text: text.to_owned(), valid_for: None, until: Until::Whatever }
}

/// Eight ranks at once; the ids of the runs they ended up in.
fn ranks(path: &Path, job: &str, force: bool) -> BTreeSet<String> {
    let start = Barrier::new(8);
    thread::scope(|scope| {
        let ranks: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    create_or_join(path, &manifest(job), &key(job), force).unwrap().run_id
                })
            })
            .collect();
        ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
    })
}

#[test]
fn names_follow_the_program() {
    let name = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        default_name(&words).to_string_lossy().into_owned()
    };
    assert_eq!(name(&["/x/a.out", "1"]), "a.out.mpiscope");
    assert_eq!(name(&["python3", "-u", "dir/solve.py", "x"]), "solve.py.mpiscope");
    assert_eq!(name(&["python3", "-c", "1"]), "python3.mpiscope");
}

#[test]
fn the_ranks_of_a_job_meet() {
    for _ in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r");
        let ids = ranks(&path, "job", false);
        assert_eq!(ids.len(), 1);
        assert_eq!(ids.first(), Some(&Manifest::read(&path).unwrap().run_id));
        let names: BTreeSet<_> = fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

#[test]
fn the_ranks_of_a_job_replace_an_old_run_once() {
    for _ in 0..20 {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r");
        let old = ranks(&path, "old", false);
        fs::write(path.join("ranks/h.1.rank"), "old").unwrap();
        let new = ranks(&path, "new", true);
        assert_eq!(new.len(), 1);
        assert!(old.is_disjoint(&new));
        assert_eq!(fs::read_dir(path.join("ranks")).unwrap().count(), 0);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside the run");
    }
}

#[test]
fn another_job_s_run_is_not_touched() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let first = create(&path, &manifest("one"), false).unwrap();
    assert!(matches!(create(&path, &manifest("two"), false), Err(Diagnosis::RunExists { .. })));
    let joined = create_or_join(&path, &manifest("two"), &key("two"), false);
    assert!(matches!(joined, Err(Diagnosis::RunExists { .. })));
    let second = create(&path, &manifest("two"), true).unwrap();
    assert_ne!(first.run_id, second.run_id);
}

#[test]
fn force_removes_runs_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("thesis");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("chapter1.tex"), "…").unwrap();
    let made = create(&path, &manifest("k"), true);
    assert!(matches!(made, Err(Diagnosis::NotARun { .. })));
    let made = create_or_join(&path, &manifest("k"), &key("k"), true);
    assert!(matches!(made, Err(Diagnosis::NotARun { .. })), "{made:?}");
    assert!(matches!(create(&path, &manifest("k"), false), Err(Diagnosis::RunExists { .. })));
    assert_eq!(fs::read_to_string(path.join("chapter1.tex")).unwrap(), "…");
    let file = dir.path().join("file");
    fs::write(&file, "…").unwrap();
    assert!(create(&file, &manifest("k"), true).is_err());
    assert!(file.is_file());
    // Somebody else's directory with a file of that name.
    fs::write(path.join("run.json"), "{}").unwrap();
    assert!(matches!(create(&path, &manifest("k"), true), Err(Diagnosis::NotARun { .. })));
}

#[test]
fn an_empty_directory_may_be_used() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    fs::create_dir(&path).unwrap();
    assert!(create(&path, &manifest("k"), false).is_ok());
}

#[test]
fn a_damaged_manifest_can_be_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    create(&path, &manifest("k"), false).unwrap();
    fs::write(path.join("run.json"), "{").unwrap();
    assert!(matches!(create(&path, &manifest("k"), false), Err(Diagnosis::RunExists { .. })));
    assert!(create(&path, &manifest("k"), true).is_ok());
}

#[test]
fn keys_that_come_again_end_with_the_first_process() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let passing = JobKey { until: Until::FirstEnd, ..key("shell") };
    let first = create_or_join(&path, &manifest("shell"), &passing, false).unwrap();
    let second = create_or_join(&path, &manifest("shell"), &passing, false).unwrap();
    assert_eq!(first.run_id, second.run_id);
    fs::write(path.join("ranks/h.1.exit.json"), "{}").unwrap();
    assert!(create_or_join(&path, &manifest("shell"), &passing, false).is_err());
    let old = JobKey { valid_for: Some(Duration::ZERO), ..key("shell") };
    assert!(create_or_join(&path, &manifest("shell"), &old, false).is_err());
}

#[test]
fn parents_have_to_exist_and_be_writable() {
    let dir = tempfile::tempdir().unwrap();
    let error = create(&dir.path().join("no/r"), &manifest("k"), false).unwrap_err();
    assert!(matches!(error, Diagnosis::ParentMissing { .. }), "{error}");
    assert!(matches!(create(Path::new("/"), &manifest("k"), true), Err(Diagnosis::NotARun { .. })));
    // /proc refuses root as well.
    let error = create(Path::new("/proc/mpiscope-run"), &manifest("k"), false).unwrap_err();
    assert!(matches!(error, Diagnosis::Unwritable { .. }), "{error}");
}

#[test]
fn programs_beside_each_other_may_end_before_the_others_begin() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("r");
    let beside = |rank| JobKey { until: Until::EndOf(rank), ..key("pbs") };
    let manifest = manifest::of_new_run(vec!["a.out".into()], Options::default(), "pbs".into());
    create_or_join(&path, &manifest, &beside(0), false).unwrap();
    fs::write(path.join("ranks/h.1.exit.json"), "{\"launched_rank\":0}").unwrap();
    assert!(!create_or_join(&path, &manifest, &beside(1), false).unwrap().is_mine);
    // The first of the next job.
    let next = create_or_join(&path, &manifest, &beside(0), false);
    assert!(matches!(next, Err(Diagnosis::RunExists { .. })));
}
