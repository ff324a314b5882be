//! Of random runs.

use std::collections::BTreeMap;

use mpiscope_ingest::testing::ingested;
use proptest::prelude::*;

use super::explained;
use crate::analysis::Input;
use crate::waits::Waits;

/// What a pair of ranks, or all, do next.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    what: u8,
    a: usize,
    b: usize,
    compute: [u64; 4],
    took: [u64; 4],
    pub bytes: u64,
}

pub(crate) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = (0u8..6, 0usize..4, 1usize..4, any::<[u8; 4]>(), any::<[u8; 4]>(), 0u64..100_000);
    let step = step.prop_map(|(what, a, offset, compute, took, bytes)| Step {
        what,
        a,
        b: (a + offset) % 4,
        compute: compute.map(u64::from),
        took: took.map(|t| u64::from(t) + 1),
        bytes,
    });
    proptest::collection::vec(step, 1..40)
}

/// A text in which calls last at random: what the clocks of a real run may do, and more.
pub(crate) fn text(steps: &[Step], shift: u64) -> String {
    let mut now = [shift + 1; 4];
    let mut lines = Vec::new();
    let mut call = |rank: usize, step: &Step, now: &mut [u64; 4], what: &str| {
        let start = now[rank] + step.compute[rank];
        now[rank] = start + step.took[rank];
        lines.push(format!("{rank} {start} {} {what}", now[rank]));
    };
    for step in steps {
        let Step { a, b, bytes, .. } = *step;
        match step.what {
            0 => {
                call(a, step, &mut now, &format!("Send to={b} tag=1 bytes={bytes}"));
                call(b, step, &mut now, &format!("Recv from={a} tag=1 bytes={bytes}"));
            }
            1 => {
                call(a, step, &mut now, &format!("Isend to={b} tag=1 bytes={bytes} request=1"));
                call(b, step, &mut now, &format!("Irecv from={a} tag=1 bytes={bytes} request=2"));
                call(a, step, &mut now, &format!("Irecv from={b} tag=1 bytes={bytes} request=2"));
                call(b, step, &mut now, &format!("Isend to={a} tag=1 bytes={bytes} request=1"));
                call(a, step, &mut now, "Waitall requests=1,2");
                call(b, step, &mut now, "Waitall requests=1,2");
            }
            2 => {
                call(a, step, &mut now, &format!("Sendrecv to={b} from={b} tag=1 bytes={bytes}"));
                call(b, step, &mut now, &format!("Sendrecv to={a} from={a} tag=1 bytes={bytes}"));
            }
            what => {
                let name = ["Barrier", "Allreduce bytes=8", "Bcast root=1 bytes=8"][usize::from(what) - 3];
                (0..4).for_each(|rank| call(rank, step, &mut now, name));
            }
        }
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn waits_stay_inside_their_calls(steps in steps()) {
        let run = ingested(&text(&steps, 0));
        let mut waits = Waits::default();
        let mut by_call: BTreeMap<(u32, u64), Vec<(u64, u64)>> = BTreeMap::new();
        for batch in &run.batches {
            let input = Input::without_waits(&run.dimensions, &run.facts, batch);
            let found = waits.detect(&input);
            prop_assert!(found.is_sorted_by_key(|w| (w.rank, w.end_ns)));
            for wait in &found {
                let call = batch.ranks[wait.rank.0 as usize].calls[wait.row as usize];
                prop_assert_eq!(call.facts, wait.facts);
                prop_assert!(call.start_ns <= wait.start_ns && wait.end_ns <= call.end_ns);
                prop_assert!(wait.start_ns < wait.end_ns);
                by_call.entry((wait.rank.0, wait.row)).or_default().push((wait.start_ns, wait.end_ns));
            }
        }
        for parts in by_call.values() {
            prop_assert!(parts.windows(2).all(|w| w[0].1 <= w[1].0), "{:?}", parts);
        }
    }

    #[test]
    fn rows_add_up_to_the_waits(steps in steps()) {
        let explanation = explained(&text(&steps, 0));
        let all: u64 = explanation.waits.iter().map(|w| w.wait_ns).sum();
        prop_assert!(all <= explanation.scope.rank_time_ns);
        prop_assert_eq!(all, explanation.time.waiting_ns);
        let findings: u64 = explanation.findings.iter().filter(|f| crate::waits::RULES.iter().any(|r| r.id == f.id)).map(|f| f.cost_ns).sum();
        prop_assert!(findings <= all);
    }

    #[test]
    fn a_shift_of_all_clocks_changes_nothing(steps in steps(), shift in 0u64..1_000_000) {
        let (a, b) = (explained(&text(&steps, 0)), explained(&text(&steps, shift)));
        prop_assert_eq!(a.waits, b.waits);
    }
}
