//! The window with individual calls.

use mpiscope_query::view::{self, Cancel, Filter, OpenedRun, ViewError};
use serde_json::Value;

use super::CALLS_MOST;

/// A window and the calls in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub from_ns: u64,
    pub until_ns: u64,
    pub calls: u64,
}

/// Least width of a window that is narrowed to fit.
const NARROWEST_NS: u64 = 100;

/// `wanted`, or the surroundings of the best proof of the most costly finding, or the middle of the run: as much of it as has
/// at most [`CALLS_MOST`] calls.
pub(super) fn choose(
    scene: &OpenedRun,
    report: &Value,
    wanted: Option<(u64, u64)>,
    cancel: &Cancel,
) -> Result<Window, ViewError> {
    let end_ns = scene.until_ns().saturating_add(1);
    let proof = best_proof(report);
    let (from, until) = match wanted {
        Some((from, until)) => (from.min(end_ns), until.min(end_ns)),
        None => proof.map_or((0, end_ns), |(from, until)| around(from, until, 3, end_ns)),
    };
    if from >= until {
        return Err(ViewError::Wrong(format!(
            "the run has no calls between {from} ns and {until} ns; it ends at {end_ns} ns"
        )));
    }
    let mut window = counted(scene, from, until, cancel)?;
    // A place to show stays visible; otherwise the window is narrowed towards its middle.
    let is_inside = |(start, stop): &(u64, u64)| *start >= from && *stop <= until;
    let middle = proof.filter(is_inside).map_or(from / 2 + until / 2, |(start, stop)| start / 2 + stop / 2);
    while window.calls > CALLS_MOST as u64 && window.until_ns - window.from_ns > NARROWEST_NS {
        // Estimated from the number of calls.
        let fits = CALLS_MOST as f64 / window.calls as f64 * 0.9;
        let width = ((window.until_ns - window.from_ns) as f64 * fits.clamp(0.01, 0.8)) as u64;
        let begin = middle.saturating_sub(width / 2).clamp(from, until.saturating_sub(width).max(from));
        window = counted(scene, begin, (begin + width.max(1)).min(until), cancel)?;
    }
    // Without a requested window: wider, as long as there is room.
    while wanted.is_none() && window.calls < CALLS_MOST as u64 / 3 && (window.from_ns > 0 || window.until_ns < end_ns) {
        let (from, until) = around(window.from_ns, window.until_ns, 2, end_ns);
        let wider = counted(scene, from, until, cancel)?;
        if wider.calls > CALLS_MOST as u64 || (wider.from_ns, wider.until_ns) == (window.from_ns, window.until_ns) {
            break;
        }
        window = wider;
    }
    Ok(window)
}

fn counted(scene: &OpenedRun, from_ns: u64, until_ns: u64, cancel: &Cancel) -> Result<Window, ViewError> {
    let filter = Filter { from_ns: Some(from_ns), until_ns: Some(until_ns), ..Filter::default() };
    Ok(Window { from_ns, until_ns, calls: view::calls(scene, &filter, CALLS_MOST, cancel)?.total })
}

/// An interval with its surroundings: `times` as wide.
fn around(from: u64, until: u64, times: u64, end_ns: u64) -> (u64, u64) {
    let more = (until.saturating_sub(from).max(1)).saturating_mul(times - 1).div_ceil(2);
    (from.saturating_sub(more), until.saturating_add(more).min(end_ns))
}

/// Findings are sorted by cost: the first one that has a place to show.
fn best_proof(report: &Value) -> Option<(u64, u64)> {
    let findings = report["explanation"]["findings"].as_array()?;
    findings.iter().find_map(|finding| {
        let proof = finding["proof"].get(0)?;
        let (start, end) = (proof["start_ns"].as_u64()?, proof["end_ns"].as_u64()?);
        (start < end).then_some((start, end))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_first_finding_with_a_place_is_shown() {
        let finding = |proof: Value| json!({"cost_ns": 1, "proof": proof});
        let report = json!({"explanation": {"findings": [
            finding(json!([])), finding(json!([{"start_ns": 10, "end_ns": 30}])), finding(json!([{"start_ns": 1, "end_ns": 2}])),
        ]}});
        assert_eq!(best_proof(&report), Some((10, 30)));
        assert_eq!(best_proof(&json!({"explanation": null})), None);
    }

    #[test]
    fn surroundings_stay_in_the_run() {
        assert_eq!(around(100, 200, 3, 1000), (0, 300));
        assert_eq!(around(900, 1000, 3, 1000), (800, 1000));
        assert_eq!(around(5, 5, 2, 1000), (4, 6));
    }
}
