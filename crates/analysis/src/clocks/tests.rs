//! One run seen through other clocks.

use mpiscope_ingest::testing::{Ingested, ingested};
use proptest::prelude::*;

use crate::Explainer;
use crate::explanation::Explanation;
use crate::waits::tests::properties::{steps, text};

fn explained(run: &Ingested) -> Explanation {
    let mut explainer = Explainer::new(&run.dimensions);
    run.batches.iter().for_each(|b| explainer.add_batch(&run.dimensions, &run.facts, b));
    explainer.finish(&run.dimensions, &run.facts)
}

/// The explanation without what is known about the clocks.
fn said(run: &Ingested) -> serde_json::Value {
    serde_json::to_value(explained(run)).expect("an explanation")
}

/// All moments of a run, in order of rows.
fn moments(run: &Ingested) -> Vec<u64> {
    let mut found = Vec::new();
    for batch in &run.batches {
        batch.ranks.iter().flat_map(|r| &r.calls).for_each(|c| found.extend([c.start_ns, c.end_ns]));
        batch.messages.iter().for_each(|m| found.extend([m.send.start_ns, m.receive.done_end_ns]));
    }
    found.extend(run.dimensions.ranks.iter().flat_map(|r| [r.init_end_ns, r.finalize_start_ns]));
    found
}

const LATE: &str = "0 5000 5010 Send to=1 tag=1 bytes=8
                    1 1000 5012 Recv from=0 tag=1 bytes=8
                    0 6000 9000 Barrier
                    1 8900 9000 Barrier";

#[test]
fn a_late_sender_on_another_host() {
    for (ahead, drift) in [(0, 0), (1_000_000_000, 0), (-900_000, 0), (3_600_000_000i64, 200), (7_000_000, -150)] {
        let run = ingested(&format!("host a = 0\nhost b = 1 ahead={ahead} drift={drift}\n{LATE}"));
        let found = explained(&run);
        assert_eq!((found.matching.causality_violations, &found.caveats[..]), (0, &[][..]), "{ahead} {drift}");
        let late = &found.waits.iter().find(|w| w.id == "late_sender").expect("a late sender");
        assert!(late.wait_ns.abs_diff(4_000_000) < 5, "{ahead} {drift}: {late:?}");
        assert_eq!(run.dimensions.ranks[1].clock_error_ns, Some(0));
    }
}

#[test]
fn the_reference_was_started_last() {
    // The clock of the reference begins 3 s after that of b: what b did before is before its 0.
    let there = ingested(&format!("host a = 0 ahead=-999999\nhost b = 1 ahead=3000000\n{LATE}"));
    let here = ingested(LATE);
    assert_eq!(moments(&there), moments(&here));
}

#[test]
fn an_error_that_is_larger_than_the_waits_is_said() {
    let found = explained(&ingested(&format!("host a = 0\nhost b = 1 ahead=77 error=5000\n{LATE}")));
    // Two waits of 4 and 3 ms, both shorter than 5 ms.
    let told = "2 of 2 waits for ranks on other hosts";
    assert!(found.caveats.iter().any(|c| c.contains(told) && c.contains("up to 5.00 ms")), "{:?}", found.caveats);
    let found = explained(&ingested(&format!("host a = 0\nhost b = 1 ahead=77 error=10\n{LATE}")));
    assert_eq!(found.caveats, [""; 0]);
    // Nobody has measured: the times of day are what there is.
    let found = explained(&ingested(&format!("host a = 0\nhost b = 1 ahead=77 rounds=0\n{LATE}")));
    assert!(found.caveats.iter().any(|c| c.starts_with("The clocks of b were not compared")), "{:?}", found.caveats);
}

#[test]
fn a_violation_within_the_error_is_counted_as_such() {
    let early = "1 5000 5010 Send to=0 tag=1 bytes=8
                 0 1000 4990 Recv from=1 tag=1 bytes=8";
    let of = |hosts: &str| {
        let m = explained(&ingested(&format!("{hosts}{early}"))).matching;
        (m.causality_violations, m.causality_beyond_error)
    };
    assert_eq!(of(""), (1, 1));
    assert_eq!(of("host a = 0\nhost b = 1 ahead=5 error=2\n"), (1, 1));
    assert_eq!(of("host a = 0\nhost b = 1 ahead=5 error=50\n"), (1, 0));
}

proptest! {
    #[test]
    fn shifted_clocks_explain_the_same(steps in steps(), b in -900_000i64..4_000_000_000, c in -900_000i64..4_000_000_000) {
        let text = text(&steps, 0);
        let run = |b: i64, c: i64| ingested(&format!("host a = 0,3\nhost b = 1 ahead={b}\nhost c = 2 ahead={c}\n{text}"));
        let (plain, shifted) = (run(0, 0), run(b, c));
        prop_assert_eq!(moments(&plain), moments(&shifted));
        prop_assert_eq!(said(&plain), said(&shifted));
    }

    #[test]
    fn drifting_clocks_come_back_to_a_nanosecond(
        steps in steps(), ahead in -900_000i64..4_000_000_000, drift in -300i32..300, rounds in 2u64..9,
    ) {
        let text = text(&steps, 0);
        let run = |what: String| ingested(&format!("host a = 0,3\nhost b = 1,2 {what}\n{text}"));
        let plain = run(String::new());
        let drifting = run(format!("ahead={ahead} drift={drift} rounds={rounds}"));
        let (expected, found) = (moments(&plain), moments(&drifting));
        prop_assert_eq!(expected.len(), found.len());
        for (a, b) in expected.iter().zip(&found) {
            prop_assert!(a.abs_diff(*b) <= 2, "{} {}", a, b);
        }
        let calls = drifting.batches.iter().flat_map(|b| &b.ranks).flat_map(|r| &r.calls);
        prop_assert!(calls.into_iter().all(|c| c.start_ns <= c.end_ns));
    }

    /// Whatever rounds say, no call ends before it begins, and each rank's calls stay in order.
    #[test]
    fn rounds_that_contradict_each_other_do_not_turn_time_around(steps in steps(), rounds in 2u64..40, error in 0u64..2_000_000) {
        let text = text(&steps, 0);
        let run = ingested(&format!("host a = 0\nhost b = 1,2,3 ahead=5 rounds={rounds} error={error}\n{text}"));
        for rank in run.batches.iter().flat_map(|b| &b.ranks) {
            prop_assert!(rank.calls.iter().all(|c| c.start_ns <= c.end_ns));
            prop_assert!(rank.calls.is_sorted_by_key(|c| c.end_ns));
        }
    }
}
