//! Completions and manual pages: made from the table of flags, so that nothing can be missing.

use std::fs;
use std::process::{Command, Output, Stdio};

fn mpiscope(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_mpiscope")).args(words).output().unwrap()
}

fn text(output: &Output) -> &str {
    assert!(output.status.success(), "{output:?}");
    std::str::from_utf8(&output.stdout).unwrap()
}

#[test]
fn each_shell_completes_every_command_and_option() {
    for shell in ["bash", "zsh", "fish"] {
        let output = mpiscope(&["completions", shell]);
        let script = text(&output);
        for word in ["run", "exec", "report", "doctor", "on-full", "launcher"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(mpiscope(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn bash_takes_its_completions() {
    let script =
        "set -eu; source /dev/stdin <<<\"$($0 completions bash)\"; COMP_WORDS=(mpiscope run --on-f) COMP_CWORD=2;
        _mpiscope mpiscope --on-f run; echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_mpiscope")]).output().unwrap();
    assert_eq!(text(&output).trim(), "--on-full", "{output:?}");
}

#[test]
fn every_command_has_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    assert_eq!(text(&mpiscope(&["man", pages.to_str().unwrap()])), "");
    let page = |name: &str| fs::read_to_string(pages.join(name)).unwrap();
    assert!(page("mpiscope-run.1").contains("on\\-full"));
    assert!(page("mpiscope-exec.1").contains("buffer"));
    assert!(page("mpiscope.1").contains("Exit codes"));
    assert_eq!(page("mpiscope.1"), text(&mpiscope(&["man"])));
    // Help and pages list the same commands.
    let output = mpiscope(&["--help"]);
    let commands = text(&output).lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    for name in commands.filter(|name| name.len() > 2 && name.bytes().all(|b| b.is_ascii_lowercase())).take(6) {
        assert!(pages.join(format!("mpiscope-{name}.1")).is_file(), "{name}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_mpiscope"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let output = mpiscope(&["man", "/proc/none"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("/proc/none"));
}
