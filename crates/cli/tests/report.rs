//! `mpiscope report` as people and scripts call it: exit codes, streams, closed pipes.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mpiscope_query::testing;

fn report(run: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiscope"));
    command.arg("report").arg(run).args(arguments).env("LC_ALL", "C").output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn whole_damaged_and_no_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("a.mpiscope");
    testing::good_run(&run).unwrap();
    let good = report(&run, &[]);
    assert_eq!((good.status.code(), good.stderr.len()), (Some(0), 0));
    assert!(out(&good).starts_with("mpiscope report of a.mpiscope"));
    assert!(out(&good).is_ascii(), "LC_ALL=C");
    testing::bad_run(&run).unwrap();
    assert_eq!(report(&run, &[]).status.code(), Some(1));
    let none = report(&folder.path().join("none"), &[]);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(2), 0));
    let said = String::from_utf8(none.stderr).unwrap();
    assert!(said.contains("no such run") && said.contains("mpiscope run"), "{said}");
    assert_eq!(report(&run, &["--by", "colour"]).status.code(), Some(2));
    assert_eq!(report(&run, &["--ranks", "9"]).status.code(), Some(2));
    assert_eq!(report(&run, &["--full", "--json"]).status.code(), Some(2));
}

#[test]
fn csv_json_and_choice_of_ranks() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("a.mpiscope");
    testing::good_run(&run).unwrap();
    let csv = out(&report(&run, &["--by", "call", "--csv"]));
    assert!(csv.starts_with("call,count,time_ns,bytes,"));
    assert!(csv.lines().any(|l| l.starts_with("MPI_Allreduce,40,2000000,320,")), "{csv}");
    let one = out(&report(&run, &["--by", "call", "--csv", "--ranks", "2-3"]));
    assert!(one.lines().any(|l| l.starts_with("MPI_Allreduce,20,1000000,160,")), "{one}");
    let json: serde_json::Value = serde_json::from_slice(&report(&run, &["--json"]).stdout).unwrap();
    assert_eq!(json["overview"]["world_size"], 4);
    let wide = out(&report(&run, &["--by", "rank", "--width", "200"]));
    assert!(wide.lines().any(|l| l.contains("finalized")));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("a.mpiscope");
    testing::good_run(&run).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mpiscope"));
    command.arg("report").arg(&run).arg("--full").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""));
}
