//! Logs in the words of real programs, collected after the catalogue was written: the right entry is first.

use mpiscope_failures::{Scanner, catalogue};

/// `=== id`, and lines up to the next one.
const SAMPLES: &str = include_str!("samples.txt");

#[test]
fn the_right_entry_is_first() {
    let (mut all, mut wrong) = (0, Vec::new());
    for sample in SAMPLES.split("\n=== ").skip(1) {
        let Some((wanted, log)) = sample.split_once('\n') else { continue };
        let mut scanner = Scanner::new(catalogue());
        scanner.begin_file("log");
        scanner.feed(log.as_bytes());
        let found = scanner.finish();
        let ids: Vec<&str> = found.messages.iter().map(|finding| finding.entry.id.as_str()).collect();
        all += 1;
        if ids.first() != Some(&wanted) {
            wrong.push(format!("{ids:?} instead of {wanted}:\n{log}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {all}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(all >= 60, "only {all} samples");
}
