//! Records of earlier versions stay readable. The files in `old` are never changed; a new form gets a new file.

use std::path::{Path, PathBuf};

use mpiscope_records::{ConfigNote, ExitRecord, Manifest};

fn old(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/old").join(name)
}

#[test]
fn a_manifest_from_before_options_had_a_file() {
    let text = std::fs::read(old("run-without-config.json")).unwrap();
    let found: Manifest = Manifest::parse(&text).unwrap();
    assert_eq!((found.format, found.run_id.as_str(), found.program.len()), (1, "5f1c0e77a2b94d03", 3));
    assert_eq!(found.launcher.unwrap().join(" "), "mpirun.openmpi -n 4");
    assert_eq!(found.mpi.unwrap().family, "open-mpi");
    assert_eq!(found.options["on_full"], "wrap");
    assert_eq!(found.config, ConfigNote::default());
}

#[test]
fn exit_records_of_all_versions_and_processors() {
    let [before, no_counter] =
        ["exit-without-switches.json", "exit-without-counter.json"].map(|name| ExitRecord::read(&old(name)).unwrap());
    assert_eq!((before.clock.tsc, before.voluntary_switches, before.launched_rank), (Some(7_700_000_000), None, None));
    assert_eq!((no_counter.clock.tsc, no_counter.voluntary_switches), (None, Some(12)));
    for found in [before, no_counter] {
        assert_eq!((found.host.as_str(), found.pid, found.exit_code), ("node1", 1000, Some(0)));
        assert_eq!(found.end_monotonic_ns(), Some(2_100_000_000));
    }
}
