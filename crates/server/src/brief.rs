//! A short report: the parts that a page shows. The full one has rows for each rank and pair of ranks, megabytes for thousands.

use serde_json::Value;

/// A short report as JSON. Input that is not JSON stays as it is.
pub(crate) fn in_short(whole: Vec<u8>) -> Vec<u8> {
    let Ok(mut report) = serde_json::from_slice(&whole) else { return whole };
    shorten(&mut report);
    report.to_string().into_bytes()
}

/// Leaves out the parts that no page reads.
fn shorten(report: &mut Value) {
    let mut leave_out = |of: &str, names: &[&str]| {
        if let Some(Value::Object(part)) = report.pointer_mut(of) {
            names.iter().for_each(|name| {
                part.remove(*name);
            });
        }
    };
    leave_out("", &["peers", "clocks", "sizes", "sites"]);
    leave_out("/explanation", &["waits", "queues", "delays"]);
    if let Some(Value::Array(ranks)) = report.pointer_mut("/ranks") {
        ranks.retain(is_odd);
    }
}

/// Whether a rank of the report ended abnormally.
pub(crate) fn is_odd(rank: &Value) -> bool {
    let is_busy = rank["in_flight"].as_array().is_some_and(|calls| !calls.is_empty());
    is_busy || rank["fate"]["kind"] != "finalized"
}
