//! Logs of programs that work, and of programs that fail and have nothing to do with MPI: no entry of the catalogue is found in them.

use mpiscope_failures::{Findings, Scanner, catalogue};

/// Texts of programs that end well, separated by lines of `=====`.
const HEALTHY: &str = include_str!("healthy.txt");

/// Texts of programs that fail for reasons of their own.
const UNRELATED: &str = include_str!("unrelated.txt");

fn scan(text: &str) -> Findings {
    let mut scanner = Scanner::new(catalogue());
    scanner.begin_file("log");
    scanner.feed(text.as_bytes());
    scanner.finish()
}

fn texts(all: &str) -> impl Iterator<Item = &str> {
    all.split("=====\n").filter(|text| !text.trim().is_empty())
}

/// A line as one of several ranks prints it.
type Form = fn(usize, &str) -> String;

const FORMS: [(&str, Form); 6] = [
    ("plain", |_, line| line.to_owned()),
    ("Open MPI's tags", |at, line| format!("[1,{}]<stdout>:{line}", at % 7)),
    ("srun's labels", |at, line| format!("{:>2}: {line}", at % 13)),
    ("Hydra's labels", |at, line| format!("[{}] {line}", at % 5)),
    ("times and colours", |at, line| format!("2024-05-01T10:00:{:02}.123 \x1b[32m{line}\x1b[0m", at % 60)),
    ("other numbers", |at, line| line.replace('7', &(at + 2).to_string())),
];

#[test]
fn nothing_is_found_in_logs_of_programs_that_work() {
    let (mut logs, mut wrong) = (0, Vec::new());
    for text in texts(HEALTHY) {
        for (name, form) in FORMS {
            let log: String = text.lines().enumerate().map(|(at, line)| form(at, line) + "\n").collect();
            let found = scan(&log);
            let ids: Vec<&str> = found.messages.iter().map(|finding| finding.entry.id.as_str()).collect();
            wrong.extend(ids.iter().map(|id| format!("{name}: {id}")));
            wrong.extend(found.unknown.iter().map(|line| format!("{name}: unknown: {}", line.text)));
            logs += 1;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(logs >= 200, "only {logs} logs");
}

#[test]
fn failures_of_other_programs_are_unknown() {
    for text in texts(UNRELATED) {
        let found = scan(text);
        let ids: Vec<&str> = found.messages.iter().map(|finding| finding.entry.id.as_str()).collect();
        assert!(ids.is_empty(), "{ids:?} in\n{text}");
        assert!(!found.unknown.is_empty(), "nothing is picked out of\n{text}");
    }
}
