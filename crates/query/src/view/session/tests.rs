//! Runs whose rank files are read after a client has opened them.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use mpiscope_ingest::{Ingest, testing};
use mpiscope_run::Live;

use super::super::tests::text;
use super::*;

const RANKS: u64 = 4;

/// A run of four ranks, with its store if that is wanted.
fn folder(has_store: bool) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    testing::write(&text(RANKS, 5, 1), folder.path());
    if has_store {
        let run = Run::open(folder.path(), &Live::default()).unwrap();
        let made = ViewSession::new(run, Resolver::default(), crate::store_place(folder.path()));
        made.build(&|| true);
        assert_eq!(made.progress().state, State::Ready);
    }
    folder
}

fn later(run: &Path) -> ViewSession {
    ViewSession::later(RunHeader::at(run, Live::default()).unwrap(), Resolver::default(), crate::store_place(run))
}

fn error(viewing: &ViewSession) -> Option<String> {
    let report: serde_json::Value = serde_json::from_slice(&viewing.report().unwrap()).unwrap();
    Some(report["error"]["what"].as_str()?.to_owned())
}

#[test]
fn what_has_a_store_is_shown_before_its_files_are_read() {
    let folder = folder(true);
    let viewing = later(folder.path());
    assert_eq!(viewing.progress().files, Some(FilesInfo { read: 0, of: RANKS as usize }));
    let first = Mutex::new(None);
    viewing.build(&|| {
        let mut first = first.lock().unwrap();
        if first.is_none() {
            let progress = viewing.progress();
            *first = Some((progress, viewing.info(), viewing.scene().is_ok(), viewing.report().is_err(), viewing.id()));
        }
        true
    });
    let (progress, early, has_scene, has_no_report, id) = first.into_inner().unwrap().unwrap();
    assert_eq!((progress.state, progress.is_explained, progress.files.map(|f| f.of)), (State::Ready, false, Some(4)));
    // This answer is not final, and must not be cached.
    assert!(has_scene && has_no_report && id.is_none());
    let info = viewing.info();
    assert_eq!((early.until_ns, early.ranks.count), (info.until_ns, info.ranks.count));
    assert_eq!((&early.ranks.rows_from_ns, &early.command), (&info.ranks.rows_from_ns, &info.command));
    let functions =
        |info: &RunInfo| info.functions.iter().map(|f| (f.id, f.calls, f.time_ns, f.bytes)).collect::<Vec<_>>();
    assert_eq!(functions(&early), functions(&info));
    assert_eq!(early.calls, info.calls);
    let progress = viewing.progress();
    assert!(progress.is_explained && progress.files.is_none() && viewing.id().is_some());
    assert_eq!(error(&viewing), None);
    // The data read from the files are dropped.
    assert!(held(&viewing.counted).is_none());
}

#[test]
fn facts_of_the_store_are_shared_with_the_explanation_sites_and_all() {
    let folder = tempfile::tempdir().unwrap();
    let calls = (0..40).map(|at| format!("{} {} {} Barrier site={}\n", at % 2, 10 * at, 10 * at + 9, 1 + at / 2 % 3));
    testing::write(&calls.collect::<String>(), folder.path());
    let run = Run::open(folder.path(), &Live::default()).unwrap();
    let place = crate::store_place(folder.path());
    crate::store(&run, &Resolver::default(), &place, false, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let viewing = later(folder.path());
    assert!(viewing.read(&|| true));
    let scene = viewing.scene().unwrap();
    let counted = held(&viewing.counted).clone().unwrap();
    let ingest = Ingest::sharing(&counted.run, &Resolver::default(), Some(&scene.ground.facts)).unwrap();
    assert_eq!(ingest.dimensions().sites, scene.dimensions().sites);
    assert_eq!(ingest.dimensions().sites.len(), 4, "three and the unknown one");
    assert!(Arc::ptr_eq(&ingest.tables().facts, &scene.ground.facts));
    // Others than those of the run are not taken.
    let wrong = Arc::new(vec![Vec::new(); 2]);
    let ingest = Ingest::sharing(&counted.run, &Resolver::default(), Some(&wrong)).unwrap();
    assert_eq!(ingest.tables().facts, scene.ground.facts);
}

#[test]
fn what_has_none_has_its_ranks_at_once_and_the_rest_when_it_is_read() {
    let folder = folder(false);
    let viewing = later(folder.path());
    let first = Mutex::new(None);
    viewing.build(&|| {
        first.lock().unwrap().get_or_insert_with(|| (viewing.progress(), viewing.info(), viewing.scene().is_err()));
        true
    });
    let (progress, early, has_no_scene) = first.into_inner().unwrap().unwrap();
    assert_eq!((progress.state, early.ranks.count, early.calls), (State::Building, 4, 0));
    assert!(has_no_scene && early.until_ns > 0 && early.command == ["./text"]);
    assert_eq!((viewing.progress().state, viewing.progress().is_explained), (State::Ready, true));
    assert!(viewing.info().calls > 0);
}

#[test]
fn an_interrupt_while_files_are_read_leaves_nothing_behind() {
    let folder = folder(false);
    let viewing = later(folder.path());
    viewing.build(&|| false);
    let progress = viewing.progress();
    assert_eq!(progress.state, State::Building);
    assert!(progress.failure.is_none() && progress.files.is_some() && !viewing.is_counted());
    assert!(!crate::store_place(folder.path()).exists());
    assert!(matches!(viewing.report(), Err(ViewError::NotRead)));
    // The next request gets it.
    viewing.build(&|| true);
    assert_eq!(viewing.progress().state, State::Ready);
}

#[test]
fn a_run_that_goes_before_it_is_read_is_said_to_have_gone() {
    let gone = folder(false);
    let viewing = later(gone.path());
    fs::remove_dir_all(gone.path()).unwrap();
    viewing.build(&|| true);
    let failure = viewing.progress().failure.unwrap();
    assert!(failure.what.contains("no such run"), "{}", failure.what);
    assert!(matches!(viewing.scene(), Err(ViewError::NotYet)));

    // With a store elsewhere the pictures stay.
    let (gone, elsewhere) = (folder(true), tempfile::tempdir().unwrap());
    let store = elsewhere.path().join("store");
    fs::rename(crate::store_place(gone.path()), &store).unwrap();
    let viewing = ViewSession::later(RunHeader::at(gone.path(), Live::default()).unwrap(), Resolver::default(), store);
    viewing.show_stored().unwrap();
    fs::remove_dir_all(gone.path()).unwrap();
    viewing.build(&|| true);
    let progress = viewing.progress();
    assert_eq!((progress.state, progress.is_explained, progress.files), (State::Ready, true, None));
    assert!(viewing.scene().is_ok() && error(&viewing).unwrap().contains("no such run"));
    assert!(viewing.info().caveats.iter().any(|text| text.contains("can no longer be read")));
}

#[test]
fn a_run_that_is_damaged_before_it_is_read_gets_a_store_of_what_is_left() {
    let folder = folder(true);
    let viewing = later(folder.path());
    viewing.show_stored().unwrap();
    let ranks = viewing.scene().unwrap().ranks();
    let file = fs::read_dir(folder.path().join("ranks")).unwrap().next().unwrap().unwrap().path();
    fs::write(&file, "no rank file any more").unwrap();
    viewing.build(&|| true);
    assert_eq!(viewing.progress().state, State::Ready);
    assert_eq!((ranks, viewing.scene().unwrap().ranks()), (4, 3));
    let report: serde_json::Value = serde_json::from_slice(&viewing.report().unwrap()).unwrap();
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let told = report["diagnostics"].as_array().unwrap();
    assert!(told.iter().any(|row| row["file"].as_str().is_some_and(|file| file.ends_with(&name))), "{told:?}");
}

#[test]
fn a_store_of_other_files_is_not_shown() {
    let folder = folder(true);
    let file = fs::read_dir(folder.path().join("ranks")).unwrap().next().unwrap().unwrap().path();
    fs::File::options().append(true).open(file).unwrap().set_len(6 << 20).unwrap();
    let viewing = later(folder.path());
    viewing.show_stored().unwrap();
    assert!(matches!(viewing.scene(), Err(ViewError::NotYet)));
}
