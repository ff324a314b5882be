//! Lines that look like trouble and are in no entry of the catalogue.
//!
//! A word alone is no evidence: compilers name files `error.c`, tests end with `0 failed`, solvers print their error. A line
//! counts if it *begins* as errors do, or contains what only failures print, and has no sign of the contrary.

/// What the automaton searches for; the line around is then judged by [`is_trouble`].
pub const WORDS: [&str; 33] = [
    "error",
    "Error",
    "ERROR",
    "fatal",
    "Fatal",
    "FATAL",
    "abort",
    "Abort",
    "ABORT",
    "failed",
    "Failed",
    "FAILED",
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

/// Whether a line, without its prefixes, reports a failure.
pub fn is_trouble(line: &[u8]) -> bool {
    let line = &line[..line.len().min(JUDGED_BYTES)];
    // Text, and not a piece of a binary file.
    let odd = line.iter().filter(|byte| byte.is_ascii_control() && **byte != b'\t').count();
    if odd * 8 > line.len() {
        return false;
    }
    let lower = String::from_utf8_lossy(line).to_ascii_lowercase();
    let lower = lower.trim_start();
    let is_alone = matches!(lower.trim_end(), "killed" | "aborted" | "abort");
    let begins = is_alone || BEGINNINGS.iter().any(|begin| lower.starts_with(begin));
    if !begins && !MIDDLES.iter().any(|middle| lower.contains(middle)) {
        return false;
    }
    // `L2 error: 1.2e-7` is a number that a solver prints.
    let value = lower.split_once("error:").map(|(_, value)| value.trim_start());
    let is_value = value
        .is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.' | '=')));
    let is_none = lower.trim_end().ends_with(": 0");
    !is_value && !is_none && !CONTRARY.iter().any(|sign| lower.contains(sign))
}

/// The line without what differs between ranks and runs.
pub fn shape(line: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len().min(JUDGED_BYTES));
    for &byte in &line[..line.len().min(JUDGED_BYTES)] {
        match byte {
            b'0'..=b'9' if out.last() == Some(&b'#') => {}
            b'0'..=b'9' => out.push(b'#'),
            byte => out.push(byte),
        }
    }
    out
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
