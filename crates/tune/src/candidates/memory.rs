//! The C library's malloc, and huge pages.

use super::{Candidate, Change, Facts, Found, percent, title};

/// Below this part of the kernel, memory is not what costs.
const LEAST: f64 = 0.05;
/// Huge pages are of no use for less.
const LEAST_BYTES: u64 = 64 << 20;

pub(super) fn find(facts: &Facts, found: &mut Found) {
    if facts.system_share < LEAST {
        let text = format!("the kernel takes only {} of the processor time", percent(facts.system_share));
        found.leave("malloc and huge pages", text);
        return;
    }
    let is_set = |name: &str| facts.settings.iter().any(|setting| setting.name == name);
    let pair = |variable: &str, value: &str| Change::Set { variable: variable.into(), value: value.into() };
    let mut push = |changes: Vec<Change>, subject: &str| {
        found.candidates.push(Candidate {
            title: title(&changes),
            subject: subject.to_owned(),
            changes,
            why: format!("the kernel takes {} of the processor time", percent(facts.system_share)),
            question: None,
            predicted: None,
            prior: 0.08,
        });
    };
    // Freed memory is kept instead of returned to the kernel; 32 MiB is glibc's largest threshold. Both are needed: one alone switches off
    // the adaptation of the other.
    push(vec![pair("MALLOC_TRIM_THRESHOLD_", "1073741824"), pair("MALLOC_MMAP_THRESHOLD_", "33554432")], "malloc");
    if !is_set("GLIBC_TUNABLES") {
        match facts.max_rss_bytes >= LEAST_BYTES {
            true => push(vec![pair("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")], "huge pages"),
            false => found.leave("huge pages", "no rank uses 64 MiB"),
        }
    }
}
