//! `mpiscope report` as people and scripts call it: exit codes, streams, closed pipes.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mpiscope_run::testing;

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
fn chosen_ranks_and_those_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("a.mpiscope");
    testing::good_run(&run).unwrap();
    let page = out(&report(&run, &["--ranks", "0,2-3"]));
    assert!(page.contains("ranks     3 of 4 on node1 (1), node2 (2)"), "{page}");
    assert!(page.contains("left out  rank(s) 1 (--ranks)"), "{page}");
    for (by, rows) in [("rank", 1), ("peer", 3), ("call", 8), ("site", 8), ("comm", 2)] {
        let csv = out(&report(&run, &["--by", by, "--csv", "--ranks", "2"]));
        assert_eq!(csv.lines().count(), 1 + rows, "{by}: {csv}");
    }
    let json: serde_json::Value = serde_json::from_slice(&report(&run, &["--json", "--ranks=2"]).stdout).unwrap();
    assert_eq!(json["overview"]["left_out"].to_string(), "[[0,1],[3,3]]");
    let refused = |run: &Path, ranks: &str| {
        let output = report(run, &["--ranks", ranks]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        String::from_utf8(output.stderr).unwrap()
    };
    let said = refused(&run, "9");
    assert!(said.contains("invalid rank(s) 9: the run has 0-3"), "{said}");
    let said = refused(&run, "2-5,8-4000000000");
    assert!(said.contains("invalid rank(s) 4-5,8-4000000000: the run has 0-3"), "{said}");
    assert!(refused(&run, "3-1").contains("invalid list of ranks"));
    testing::bad_run(&run).unwrap();
    let said = refused(&run, "3");
    assert!(said.contains("rank(s) 3 were not recorded; the run has 0-2"), "{said}");
    assert!(out(&report(&run, &["--ranks", "2-3"])).contains("rank(s) 3: nothing was recorded"));
}

#[test]
fn topologies() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("a.mpiscope");
    testing::good_run(&run).unwrap();
    let file = folder.path().join("ring.toml");
    let with = |text: &str, more: &[&str]| {
        std::fs::write(&file, text).unwrap();
        report(&run, &[&["--topology", file.to_str().unwrap()], more].concat())
    };
    let ring = "[torus]\nshape = '4'\n[nodes]\nranks_per_node = 1\n";
    let page = out(&with(ring, &[]));
    assert!(page.contains("4 of 4 nodes used; ranks placed by rank number, not by host"), "{page}");
    let csv = out(&with(ring, &["--by", "peer", "--csv"]));
    assert!(csv.starts_with("rank,peer,same_node,class,hops,"), "{csv}");
    let json: serde_json::Value = serde_json::from_slice(&with(ring, &["--json", "--ranks", "0"]).stdout).unwrap();
    assert_eq!((&json["topology"]["total"]["hops_max"], &json["peers"][1]["hops"]), (&2.into(), &2.into()));
    let half = with("[torus]\nshape = '4'\n[nodes]\nhosts = ['node2']\n", &["--width", "120"]);
    assert_eq!(half.status.code(), Some(0));
    assert!(out(&half).contains("the topology does not contain node1 (2 rank(s)): their hops are unknown"));
    for (text, said) in [
        ("[torus]\nshape = '4x'\n", "ring.toml:2: shape must be"),
        ("[torus]\nshape = '4'\n", "ring.toml: [nodes] is missing"),
        ("[torus\n", "ring.toml:1: "),
        (
            "[torus]\nshape = '4'\n[nodes]\nhosts = ['n1']\n",
            "ring.toml: it contains none of the run's hosts (node1, node2)",
        ),
    ] {
        let output = with(text, &[]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{error}");
        assert!(error.contains(said), "{error}");
    }
    let none = report(&run, &["--topology", "/nowhere/x.toml"]);
    let error = String::from_utf8(none.stderr).unwrap();
    assert!(none.status.code() == Some(2) && error.contains("cannot read /nowhere/x.toml"), "{error}");
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
