//! `mpiscope exec` between a launcher (this test) and a program: nothing may look different.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// A directory with an empty library in place of the collector.
struct Lab(tempfile::TempDir);

impl Lab {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("empty.c");
        fs::write(&source, "int mpiscope_empty;").unwrap();
        let lab = Self(dir);
        let status = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&lab.library(), &source]).status();
        assert!(status.expect("a C compiler").success());
        lab
    }

    fn library(&self) -> PathBuf {
        self.0.path().join("libmpiscope.so")
    }

    fn run_dir(&self) -> PathBuf {
        self.0.path().join("r.mpiscope")
    }

    fn mpiscope(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mpiscope"));
        command.args(words).current_dir(self.0.path());
        for (name, _) in std::env::vars() {
            if name.starts_with("MPISCOPE_") || name.starts_with("PMI") || name == "LD_PRELOAD" {
                command.env_remove(name);
            }
        }
        // Not shared memory: a test that kills exec would leave its buffers there.
        command.env("MPISCOPE_LIBRARY", self.library()).env("MPISCOPE_SPOOL", self.0.path());
        command
    }

    fn exec(&self, script: &str) -> Command {
        self.mpiscope(&["exec", "--force", "-o", "r.mpiscope", "sh", "-c", script])
    }

    fn record(&self) -> String {
        let ranks = fs::read_dir(self.run_dir().join("ranks")).unwrap();
        let paths: Vec<PathBuf> = ranks.map(|entry| entry.unwrap().path()).collect();
        assert_eq!(paths.len(), 1, "{paths:?}");
        fs::read_to_string(&paths[0]).unwrap()
    }
}

/// How long something that must happen may take on a slow and busy machine; no claim about speed.
const PATIENCE: Duration = Duration::from_secs(120);

/// Starts a shell script and waits until it says "ready".
fn started(command: &mut Command) -> (Child, BufReader<std::process::ChildStdout>) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    (child, out)
}

fn ended(child: &mut Child) -> ExitStatus {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        assert!(Instant::now() < deadline, "exec does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn kill(pid: i32, signal: i32) {
    // SAFETY: a process, or a group of its own, that this test started.
    assert_eq!(unsafe { libc::kill(pid, signal) }, 0);
}

#[test]
fn exit_codes_and_output_pass() {
    let lab = Lab::new();
    for code in [0, 1, 3, 127, 255] {
        let output = lab.exec(&format!("echo out; exit {code}")).output().unwrap();
        assert_eq!(output.status.code(), Some(code));
        assert_eq!(output.stdout, b"out\n");
        assert!(lab.record().contains(&format!("\"exit_code\":{code},\"signal\":null")));
    }
}

#[test]
fn deadly_signals_pass_and_leave_no_core_of_mpiscope() {
    let lab = Lab::new();
    for signal in [libc::SIGSEGV, libc::SIGKILL, libc::SIGABRT, libc::SIGTERM, libc::SIGPIPE] {
        let status = lab.exec(&format!("kill -{signal} $$")).status().unwrap();
        assert_eq!(status.signal(), Some(signal));
        assert!(lab.record().contains(&format!("\"exit_code\":null,\"signal\":{signal}")));
    }
}

#[test]
fn a_signal_to_exec_alone_reaches_the_program_once() {
    let lab = Lab::new();
    let script = "n=0; trap 'n=$((n+1)); echo got$n' USR1; trap 'exit $n' TERM; echo ready; \
                  while :; do sleep 0.02; done";
    let (mut child, mut out) = started(lab.exec(script).process_group(0));
    kill(child.id() as i32, libc::SIGUSR1);
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "got1\n");
    kill(child.id() as i32, libc::SIGTERM);
    assert_eq!(ended(&mut child).code(), Some(1));
}

#[test]
fn a_signal_to_the_group_reaches_the_program_once() {
    let lab = Lab::new();
    let script = "n=0; trap 'n=$((n+1)); echo $n' USR1 INT; trap 'exit $n' TERM; echo ready; \
                  while :; do sleep 0.02; done";
    let (mut child, mut out) = started(lab.exec(script).process_group(0));
    let pid = child.id() as i32;
    for (n, signal) in [libc::SIGUSR1, libc::SIGINT, libc::SIGUSR1].into_iter().enumerate() {
        // SIGUSR1 ends the shell's `sleep`, which is in the group as well.
        kill(-pid, signal);
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(line, format!("{}\n", n + 1));
        // Time for a second one to come, which must not.
        std::thread::sleep(Duration::from_millis(150));
    }
    kill(pid, libc::SIGTERM);
    assert_eq!(ended(&mut child).code(), Some(3));
}

#[test]
fn control_c_ends_the_program_and_exec_alike() {
    let lab = Lab::new();
    let (mut child, _out) = started(lab.exec("echo ready; exec sleep 30").process_group(0));
    kill(-(child.id() as i32), libc::SIGINT);
    assert_eq!(ended(&mut child).signal(), Some(libc::SIGINT));
    assert!(lab.record().contains("\"signal\":2"));
}

#[test]
fn a_killed_exec_takes_its_program_along() {
    let lab = Lab::new();
    let script = "echo $$ >pid; echo ready; exec sleep 300";
    let (mut child, _out) = started(&mut lab.exec(script));
    let pid = fs::read_to_string(lab.0.path().join("pid")).unwrap();
    kill(child.id() as i32, libc::SIGKILL);
    assert_eq!(ended(&mut child).signal(), Some(libc::SIGKILL));
    let gone = || fs::read_to_string(format!("/proc/{}/stat", pid.trim())).map_or(true, |text| text.contains(") Z "));
    let deadline = Instant::now() + PATIENCE;
    while !gone() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn stops_and_continues_with_its_job() {
    let lab = Lab::new();
    let script = "trap 'exit 7' USR2; echo ready; while :; do sleep 0.02; done";
    let (mut child, _out) = started(lab.exec(script).process_group(0));
    let pid = child.id() as i32;
    let state = || {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        text[text.rfind(')').unwrap() + 2..].chars().next().unwrap()
    };
    kill(-pid, libc::SIGTSTP);
    let deadline = Instant::now() + Duration::from_secs(10);
    // An orphaned process group ignores terminal stops; then there is nothing to see.
    while state() != 'T' && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    kill(-pid, libc::SIGCONT);
    let deadline = Instant::now() + PATIENCE;
    while state() == 'T' {
        assert!(Instant::now() < deadline, "it stays stopped");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill(pid, libc::SIGUSR2);
    assert_eq!(ended(&mut child).code(), Some(7));
}

#[test]
fn the_program_inherits_what_it_would_have() {
    let lab = Lab::new();
    // Signals, descriptors and environment as a program sees them without mpiscope.
    let look = "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; ls /proc/self/fd | wc -l; \
                [ -e /proc/self/fd/0 ] && echo stdin; pwd";
    let wrap = |inner: &str| format!("trap '' HUP; {inner} <&- 5</dev/null");
    let plain = Command::new("sh")
        .args(["-c", &wrap(&format!("sh -c \"{look}\""))])
        .current_dir(lab.0.path())
        .output()
        .unwrap();
    let exe = env!("CARGO_BIN_EXE_mpiscope");
    let with = Command::new("sh")
        .args(["-c", &wrap(&format!("{exe} exec -o r.mpiscope sh -c \"{look}\""))])
        .current_dir(lab.0.path())
        .env("MPISCOPE_LIBRARY", lab.library())
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&with.stdout),
        String::from_utf8_lossy(&plain.stdout),
        "{}",
        String::from_utf8_lossy(&with.stderr)
    );
}

#[test]
fn a_reader_sees_the_program_close_its_output() {
    let lab = Lab::new();
    let (mut child, mut out) = started(&mut lab.exec("echo ready; exec >&-; exec sleep 300"));
    let mut rest = String::new();
    out.read_line(&mut rest).unwrap();
    assert!(rest.is_empty() && child.try_wait().unwrap().is_none(), "it still runs");
    kill(child.id() as i32, libc::SIGTERM);
    ended(&mut child);
}

#[test]
fn rank_files_are_taken_over() {
    let lab = Lab::new();
    let spool = lab.0.path().join("live");
    fs::create_dir(&spool).unwrap();
    let script = "echo data >$MPISCOPE_SPOOL/$(cat /proc/sys/kernel/hostname).$$.rank; kill -9 $$";
    let status = lab.mpiscope(&["exec", "--spool", "live", "-o", "r.mpiscope", "sh", "-c", script]).status().unwrap();
    assert_eq!(status.signal(), Some(libc::SIGKILL));
    let names: Vec<String> = fs::read_dir(lab.run_dir().join("ranks"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.iter().filter(|name| name.ends_with(".rank")).count(), 1, "{names:?}");
    assert_eq!(fs::read_dir(&spool).unwrap().count(), 0);
}

#[test]
fn a_host_is_described_once_and_only_where_that_can_be() {
    let lab = Lab::new();
    let described = |lab: &Lab| -> Vec<_> {
        fs::read_dir(lab.run_dir().join("nodes")).unwrap().map(|entry| entry.unwrap().path()).collect()
    };
    let node = |path: &Path| -> serde_json::Value { serde_json::from_slice(&fs::read(path).unwrap()).unwrap() };
    assert!(lab.mpiscope(&["exec", "-o", "r.mpiscope", "true"]).output().unwrap().status.success());
    let run: serde_json::Value = serde_json::from_slice(&fs::read(lab.run_dir().join("run.json")).unwrap()).unwrap();
    let id = format!("--in-run={}", run["run_id"].as_str().unwrap());
    let join = |lab: &Lab| lab.mpiscope(&["exec", &id, "-o", "r.mpiscope", "true"]).output().unwrap();
    assert!(join(&lab).status.success());
    let first = described(&lab);
    assert_eq!(first.len(), 1);
    let mut found = node(&first[0]);
    assert!(found["format"] == 1 && !found["cpus"].as_str().unwrap().is_empty(), "{found}");
    // On a busy machine the speed of copies, which is in the same file, is tried again: only the rest stays for certain.
    found["cpus"] = "77".into();
    fs::write(&first[0], found.to_string()).unwrap();
    join(&lab);
    assert_eq!((described(&lab), &node(&first[0])["cpus"]), (first, &found["cpus"]));
    // Where a folder cannot be.
    fs::remove_dir_all(lab.run_dir().join("nodes")).unwrap();
    fs::write(lab.run_dir().join("nodes"), "").unwrap();
    let output = join(&lab);
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
}

#[test]
fn mistakes_are_answered() {
    let lab = Lab::new();
    let said = |words: &[&str]| {
        let output = lab.mpiscope(words).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(&["exec", "./none"]).starts_with("mpiscope: error: program './none' not found\n"));
    let text = said(&["run", "mpirun", "-n", "3", "./a.out", "-x"]);
    assert!(text.contains("try: mpiscope run -n 3 ./a.out -x\n"), "{text}");
    assert!(text.contains("try: mpirun -n 3 mpiscope exec ./a.out -x\n"), "{text}");
    assert!(said(&["exec", "mpirun", "-n", "3", "./a.out"]).contains("mpiscope run -n 3 ./a.out"));
    assert!(said(&["exec", "--probes", "mpi_col", "ls"]).contains("the nearest name is 'mpi_coll'"));
    assert!(said(&["exec", "--buffer", "1K", "ls"]).contains("the minimum is 1M"));
    assert!(said(&["run", "-n", "2", "ls"]).contains("ls loads no MPI library"));
    let text = said(&["run", "-n", "0", "--launcher", "env", "ls"]);
    assert!(text.contains("the number of ranks is invalid: '0' is not a number above 0"), "{text}");
    assert!(said(&["exec", "-o", "no/such/r", "ls"]).contains("the directory no/such does not exist"));
    fs::create_dir(lab.0.path().join("mine")).unwrap();
    fs::write(lab.0.path().join("mine/file"), "").unwrap();
    assert!(said(&["exec", "--force", "-o", "mine", "ls"]).contains("is not a run"));
    assert!(Path::new(&lab.0.path().join("mine/file")).exists());

    let inside = lab.mpiscope(&["run", "-n", "2", "ls"]).env("PMI_RANK", "0").output().unwrap();
    assert_eq!(inside.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&inside.stderr).contains("already runs under a launcher (PMI_RANK=0)"));
}

#[test]
fn launchers_of_any_kind_are_taken() {
    let lab = Lab::new();
    // A launcher that starts one rank and ends as it did.
    let launcher = "sh -c 'shift 2; exec \"$@\"' launcher";
    let words = ["run", "-n", "1", "--launcher", launcher, "-o", "r.mpiscope", "sh", "-c", "exit 5"];
    let output = lab.mpiscope(&words).output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(5), "{text}");
    assert!(text.contains("loads no MPI library"), "{text}");
    assert!(text.contains("nothing was recorded: sh ended without calling MPI_Init"), "{text}");
    assert!(lab.record().contains("\"exit_code\":5"));
}
