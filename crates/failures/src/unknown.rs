//! Lines that look like trouble and are in no entry of the catalogue.
//!
//! A word alone is no evidence: compilers name files `error.c`, tests end with `0 failed`, solvers print their error. A line
//! counts if it *begins* as errors do, or contains what only failures print, and has no sign of the contrary.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};

/// What the automaton searches for; the line around is then judged by [`is_trouble`].
pub const WORDS: [&str; 44] = [
    "fatal",
    "Fatal",
    "FATAL",
    "abort",
    "Abort",
    "ABORT",
    "failure",
    "Failure",
    "FAILURE",
    "panic",
    "Traceback",
    "terminate",
    "xception",
    "cannot ",
    "Cannot ",
    "an't ",
    "nable to",
    "ould not",
    "ermission denied",
    "ut of memory",
    "ssertion",
    "illed",
    "aught signal",
    "imed out",
    "refused",
    "core dumped",
    "No such file",
    "error:",
    "error ",
    "error!",
    "error]",
    "error)",
    "Error:",
    "Error ",
    "Error!",
    "Error]",
    "Error)",
    "ERROR:",
    "ERROR ",
    "ERROR!",
    "ERROR]",
    "ERROR)",
    "ailed to ",
    "FAILED to ",
];

/// Longer lines are judged by their beginning.
const JUDGED_BYTES: usize = 300;

/// How errors begin.
const BEGINNINGS: [&str; 35] = [
    "error:",
    "error in ",
    "error while ",
    "error reading",
    "error opening",
    "error writing",
    "error during",
    "error on ",
    "error!",
    "*** error",
    "**error",
    "fatal",
    "abort:",
    "abort ",
    "aborting",
    "aborted (",
    "aborted by ",
    "panic",
    "killed by ",
    "killed (",
    "traceback (most recent call last)",
    "terminate called",
    "exception",
    "internal error",
    "unrecoverable",
    "runtime error",
    "failed to ",
    "failure",
    "cannot ",
    "can't ",
    "could not ",
    "unable to ",
    "assertion",
    "program received signal",
    "unhandled",
];

/// What is in the middle of them.
const MIDDLES: [&str; 33] = [
    ": error:",
    " error: ",
    ": fatal:",
    "fatal error",
    "[error]",
    "[fatal]",
    "(error)",
    "core dumped",
    "permission denied",
    "no such file or directory",
    "out of memory",
    "not enough memory",
    "cannot allocate",
    "caught signal",
    "killed by signal",
    "exited on signal",
    "exited with exit code",
    "connection refused",
    "connection reset",
    "timed out",
    "no space left",
    "quota exceeded",
    "assertion failed",
    "assertion `",
    "is aborting",
    "has aborted",
    "was aborted",
    "thread panicked",
    "panicked at",
    "command not found",
    "input/output error",
    ": cannot ",
    ": failed to ",
];

/// What is also in lines of programs that work.
const CONTRARY: [&str; 35] = [
    "0 error",
    "no error",
    "errors: 0",
    "error: 0",
    "errors 0",
    "without error",
    "0 failed",
    "failed: 0",
    "failed 0",
    "0 failure",
    "failures: 0",
    "no failure",
    "warning",
    "expected",
    "xfail",
    " ok",
    "passed",
    "... pass",
    "checking ",
    "ignored",
    "ignoring",
    "recovered",
    "retry",
    "relative error",
    "error norm",
    "rms error",
    "max error",
    "error =",
    "error=",
    "-werror",
    "deprecated",
    "skipp",
    "info:",
    "note:",
    "on error:",
];

/// Searches for middles and contrary signs at once: middles are first.
static SIGNS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let signs = MIDDLES.iter().chain(&CONTRARY);
    AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(signs).ok()
});

/// Whether a line, without its prefixes, reports a failure.
pub fn is_trouble(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let line = &line[..line.len().min(JUDGED_BYTES)];
    let Some(first) = line.first().map(u8::to_ascii_lowercase) else { return false };
    let starts = |begin: &&str| {
        begin.as_bytes()[0] == first
            && line.get(..begin.len()).is_some_and(|start| start.eq_ignore_ascii_case(begin.as_bytes()))
    };
    let is_alone = ["killed", "aborted", "abort"].iter().any(|word| line.eq_ignore_ascii_case(word.as_bytes()));
    let (mut trouble, Some(signs)) = (is_alone || BEGINNINGS.iter().any(starts), &*SIGNS) else {
        return false;
    };
    for sign in signs.find_overlapping_iter(line) {
        match sign.pattern().as_usize() < MIDDLES.len() {
            true => trouble = true,
            false => return false,
        }
    }
    // `L2 error: 1.2e-7` is a number that a solver prints, and `aborted: 0` a counter.
    trouble && !line.ends_with(b": 0") && !is_value(line) && is_text(line)
}

/// Whether a number follows the word error.
fn is_value(line: &[u8]) -> bool {
    // The colon is rarer than the word.
    let is_error = |at: &usize| *at >= 5 && line[at - 5..*at].eq_ignore_ascii_case(b"error");
    let value = memchr::memchr_iter(b':', line).find(is_error).map(|at| line[at + 1..].trim_ascii_start());
    value.and_then(|value| value.first()).is_some_and(|c| c.is_ascii_digit() || matches!(c, b'-' | b'+' | b'.' | b'='))
}

/// Text, and not a piece of a binary file.
fn is_text(line: &[u8]) -> bool {
    let odd = line.iter().filter(|byte| byte.is_ascii_control() && **byte != b'\t').count();
    odd * 8 <= line.len()
}

/// Writes the line without what differs between ranks and runs.
pub fn shape(line: &[u8], out: &mut Vec<u8>) {
    out.clear();
    for &byte in &line[..line.len().min(JUDGED_BYTES)] {
        match byte {
            b'0'..=b'9' if out.last() == Some(&b'#') => {}
            b'0'..=b'9' => out.push(b'#'),
            byte => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_count() {
        for line in [
            "ERROR: cannot read input.nml",
            "a.out: error: no such option",
            "forrtl: error: disk full",
            "Traceback (most recent call last):",
            "terminate called after throwing an instance of 'X'",
            "FATAL: grid does not match",
            "solver: failed to converge",
            "Aborted (core dumped)",
            "open(x): Permission denied",
            "Abort: pivot is zero",
            "thread 'main' panicked at src/main.rs:3",
        ] {
            assert!(is_trouble(line.as_bytes()), "{line}");
        }
    }

    #[test]
    fn words_alone_do_not() {
        for line in [
            "0 errors, 0 warnings",
            "test_abort ... ok",
            "cc -c error.c -Werror",
            "checking for error.h... yes",
            "relative error: 1.2e-12",
            "Error: 1.2e-7",
            "error   norm  step",
            "12 passed, 0 failed",
            "failed: 0",
            "exit on error: no",
            "expected failure",
            "step 7 error= 3.4e-5",
            "make: 'abort_test' is up to date.",
            "L2 error 4.5e-6",
            "signal handlers installed",
            "the error estimator is active",
        ] {
            assert!(!is_trouble(line.as_bytes()), "{line}");
        }
    }
}
