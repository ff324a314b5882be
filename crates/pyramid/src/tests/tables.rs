//! Tables say what all calls, messages and regions say, one by one.

use std::collections::BTreeMap;
use std::ops::Range;

use mpiscope_store::{Detail, End, Message, RegionRow, Span};

use super::*;

/// A call: rank, gap before, length, facts, spelled size.
type Step = (u32, u64, u64, u32, Option<u64>);
/// A message: from, to, when, latency if it arrived, bytes, communicator.
type Letter = (u32, u32, u64, Option<u64>, u64, u32);

const SIZES: [u64; 4] = [0, 8, 1000, 70_000];

struct Made {
    ranks: u32,
    calls: Vec<(u32, Call, u64)>,
    letters: Vec<Letter>,
    spans: Vec<(u32, Span)>,
    pyramid: Pyramid,
}

fn facts_of(at: u32) -> CallInfo {
    let flags = if at == 3 { flags::POLL } else { 0 };
    CallInfo { bytes_sent: SIZES[at as usize % 4], site: SiteId(at / 2), flags, ..facts(100 + at % 3, 1) }
}

fn made(ranks: u32, steps: &[Step], letters: &[Letter], cuts: &[u64], block_calls: u64) -> (tempfile::TempDir, Made) {
    let folder = tempfile::tempdir().unwrap();
    let facts: Vec<Vec<CallInfo>> = (0..ranks).map(|_| (0..8).map(facts_of).collect()).collect();
    let dimensions = Dimensions {
        ranks: vec![RankRow::default(); ranks as usize],
        regions: vec![
            RegionRow { name: "a".into(), parent: None },
            RegionRow { name: "b".into(), parent: Some(0) },
            RegionRow { name: "c".into(), parent: None },
        ],
        ..Dimensions::default()
    };
    let path = folder.path().join("preview");
    let mut builder = Builder::create(&path, "x", &dimensions, &facts).unwrap().with_blocks_of(block_calls);
    let mut now = vec![500u64; ranks as usize];
    let (mut calls, mut spans) = (Vec::new(), Vec::new());
    for &(rank, gap, length, facts, spelled) in steps {
        let at = &mut now[(rank % ranks) as usize];
        let (start_ns, end_ns) = (*at + gap, *at + gap + length);
        *at = end_ns;
        let polls = if facts % 8 == 3 { 1 + (length % 5) as u32 } else { 1 };
        let flags = if length % 13 == 7 { flags::NESTED } else { 0 };
        let bytes = spelled.unwrap_or(SIZES[facts as usize % 4]);
        let call = Call {
            start_ns,
            end_ns,
            facts: facts % 8,
            calls: polls,
            flags,
            detail: spelled.is_some().into(),
            ..Call::default()
        };
        calls.push((rank % ranks, call, bytes));
        if length % 3 == 0 {
            let region = mpiscope_store::RegionId(facts % 3);
            spans.push((rank % ranks, Span { region, thread: 0, start_ns: start_ns.saturating_sub(gap), end_ns }));
        }
    }
    let mut from_ns = 0;
    let mut cuts = cuts.to_vec();
    cuts.sort_unstable();
    for until_ns in cuts.into_iter().chain([u64::MAX]) {
        let mut batch = Batch { until_ns, is_last: until_ns == u64::MAX, ..Batch::default() };
        batch.ranks.resize_with(ranks as usize, RankBatch::default);
        let is_in = |ns: u64| (from_ns..until_ns).contains(&ns);
        for (rank, call, bytes) in calls.iter().filter(|(_, call, _)| is_in(call.end_ns)) {
            let to = &mut batch.ranks[*rank as usize];
            let mut call = *call;
            if call.detail > 0 {
                to.details.push(Detail { bytes_sent: *bytes, ..facts_of(0).detail(0) });
                call.detail = to.details.len() as u32;
            }
            to.calls.push(call);
        }
        for (rank, span) in spans.iter().filter(|(_, span)| is_in(span.end_ns)) {
            batch.ranks[*rank as usize].regions.push(*span);
        }
        for (row, letter) in letters.iter().enumerate().filter(|(_, l)| is_in(l.2 + l.3.unwrap_or(0))) {
            batch.messages.push(message(ranks, row as u64, letter));
        }
        builder.add_batch(&batch, &[]).unwrap();
        from_ns = until_ns;
    }
    builder.finish().unwrap();
    let pyramid = Pyramid::open(&path).unwrap();
    (folder, Made { ranks, calls, letters: letters.to_vec(), spans, pyramid })
}

fn message(ranks: u32, row: u64, &(from, to, sent_ns, latency_ns, bytes, comm): &Letter) -> Message {
    let done = latency_ns.map_or((End::NEVER, 0), |ns| (1, sent_ns + ns));
    Message {
        comm: CommId(comm),
        sender: RankId(from % ranks),
        receiver: RankId(to % ranks),
        tag: 0,
        bytes,
        sequence: 0,
        send: End { row, start_ns: sent_ns, ..End::default() },
        receive: End { done_row: done.0, done_end_ns: done.1, ..End::default() },
        flags: 0,
    }
}

/// By function, exact size if known, and bin of duration: rows, calls. By function: time, shortest, longest.
type Counts = (BTreeMap<(u16, usize), (u64, u64)>, BTreeMap<u16, (u64, u64, u64, u64)>);

fn count<'a>(calls: impl Iterator<Item = &'a (u32, Call, u64)>) -> Counts {
    let mut found = Counts::default();
    for (_, call, _) in calls {
        let (function, duration) = (100 + (call.facts % 3) as u16, call.end_ns - call.start_ns);
        let entry = found.0.entry((function, bins::bin(duration))).or_default();
        *entry = (entry.0 + 1, entry.1 + u64::from(call.calls));
        let sums = found.1.entry(function).or_insert((0, 0, u64::MAX, 0));
        let each = duration / u64::from(call.calls);
        let nested = if call.flags & flags::NESTED != 0 { duration } else { 0 };
        *sums = (sums.0 + duration, sums.1 + nested, sums.2.min(each), sums.3.max(each));
    }
    found
}

fn tallied(pyramid: &Pyramid, all: &mut Counts, found: &Tallied<'_>) {
    let function = pyramid.kinds(What::Calls)[usize::from(found.kind)].function;
    for entry in found.entries {
        let to = all.0.entry((function, entry.duration)).or_default();
        *to = (to.0 + u64::from(entry.rows), to.1 + u64::from(entry.calls));
    }
    let sums = all.1.entry(function).or_insert((0, 0, u64::MAX, 0));
    let new = found.sums;
    *sums = (sums.0 + new.time_ns, sums.1 + new.nested_ns, sums.2.min(new.min_ns), sums.3.max(new.max_ns));
}

fn join(mut a: Counts, b: Counts) -> Counts {
    for (key, n) in b.0 {
        let to = a.0.entry(key).or_default();
        *to = (to.0 + n.0, to.1 + n.1);
    }
    for (key, n) in b.1 {
        let to = a.1.entry(key).or_insert((0, 0, u64::MAX, 0));
        *to = (to.0 + n.0, to.1 + n.1, to.2.min(n.2), to.3.max(n.3));
    }
    a
}

type Pairs = BTreeMap<(u32, u32, u32), Sent>;

/// Asks everything; errors are fine.
pub(super) fn touch(pyramid: &Pyramid, window: Range<u64>) {
    let begin = Counts::default;
    for what in [What::Calls, What::Messages] {
        let cover = pyramid.cover(what, window.clone());
        let _ =
            pyramid.fold_times(what, cover.time_ns, &go_on, || 0u64, |n, t| *n += t.entries.len() as u64, |a, b| a + b);
    }
    let _ = pyramid.fold_ranks(window.clone(), |_| true, &go_on, begin, |_, _| (), |a, _| a);
    for flows in pyramid.flows(window) {
        let _ = pyramid.fold_flows(&flows, &go_on, Pairs::default, |_, _, _, _| (), |a, _| a);
    }
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let length = prop_oneof![6 => 0u64..200, 1 => 0u64..40_000];
    let spelled = proptest::option::weighted(0.1, 0u64..3000);
    proptest::collection::vec((any::<u32>(), 0u64..60, length, 0u32..8, spelled), 1..1500)
}

fn letters() -> impl Strategy<Value = Vec<Letter>> {
    let latency = proptest::option::weighted(0.95, prop_oneof![4 => 0u64..500, 1 => 0u64..60_000]);
    proptest::collection::vec((any::<u32>(), any::<u32>(), 0u64..120_000, latency, 0u64..5000, 0u32..3), 0..1500)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn tables_say_what_all_calls_say(
        ranks in prop_oneof![4 => 1u32..6, 1 => 200u32..1400],
        steps in steps(), letters in letters(),
        cuts in proptest::collection::vec(0u64..150_000, 0..12),
        block_calls in 20u64..900,
        (from, length) in (0u64..100_000, 0u64..120_000),
    ) {
        let (_folder, run) = made(ranks, &steps, &letters, &cuts, block_calls);
        let pyramid = &run.pyramid;
        for window in [0..u64::MAX >> 1, from..from + length] {
            let cover = pyramid.cover(What::Calls, window.clone());
            prop_assert!(cover.time_ns.start <= window.start && cover.time_ns.end >= window.end);
            let found = pyramid.fold_times(What::Calls, cover.time_ns.clone(), &go_on, Counts::default, |all, t| tallied(pyramid, all, t), join).unwrap();
            prop_assert_eq!(&found, &count(run.calls.iter().filter(|(_, call, _)| cover.time_ns.contains(&call.start_ns))));

            let cover = pyramid.cover(What::Messages, window.clone());
            let of_bins = pyramid.fold_times(What::Messages, cover.time_ns.clone(), &go_on, Counts::default, |all, t| {
                for e in t.entries {
                    all.0.entry((0, e.duration)).or_default().0 += u64::from(e.rows);
                }
            }, join).unwrap();
            let mut expected = Counts::default();
            for latency in letters.iter().filter(|l| cover.time_ns.contains(&l.2)).filter_map(|l| l.3) {
                expected.0.entry((0, bins::bin(latency))).or_default().0 += 1;
            }
            prop_assert_eq!(of_bins, expected);

            for flows in pyramid.flows(window.clone()) {
                let block = |rank: u32| rank / flows.ranks_per_block * flows.ranks_per_block;
                let is_of_pairs = flows.cover.bin_ns >> flows.cover.bin_ns.trailing_zeros() != 1;
                if is_of_pairs && window.start > 0 {
                    continue;
                }
                let found = pyramid.fold_flows(&flows, &go_on, Pairs::default, |all, (from, to), comm, sent| {
                    all.entry((from, to, comm)).or_default().join(sent);
                }, |mut a, b| {
                    b.iter().for_each(|(key, sent)| a.entry(*key).or_default().join(sent));
                    a
                }).unwrap();
                let mut expected = Pairs::default();
                for (row, l) in run.letters.iter().enumerate().filter(|(_, l)| flows.cover.time_ns.contains(&l.2)) {
                    let sent = Sent {
                        count: 1,
                        bytes: l.4,
                        received: l.3.is_some().into(),
                        total_ns: l.3.unwrap_or(0),
                        longest_ns: l.3.unwrap_or(0),
                        longest_sender: l.0 % run.ranks,
                        longest_row: row as u64,
                    };
                    expected.entry((block(l.0 % run.ranks), block(l.1 % run.ranks), l.5)).or_default().join(&sent);
                }
                // Of messages that nobody received there is no longest.
                for sent in expected.values_mut().filter(|s| s.received == 0) {
                    (sent.longest_sender, sent.longest_row) = (0, 0);
                }
                prop_assert_eq!(found, expected);
            }
        }
        let of_ranks = pyramid.fold_ranks(0..u64::MAX, |rank| rank % 2 == 0, &go_on, BTreeMap::<u32, Counts>::new,
            |all, t| tallied(pyramid, all.entry(t.rank.unwrap()).or_default(), t),
            |mut a, b| {
                for (rank, counts) in b {
                    let before = a.remove(&rank).unwrap_or_default();
                    a.insert(rank, join(before, counts));
                }
                a
            }).unwrap();
        for rank in (0..ranks).step_by(2) {
            let expected = count(run.calls.iter().filter(|(of, ..)| *of == rank));
            prop_assert_eq!(of_ranks.get(&rank).cloned().unwrap_or_default(), expected);
        }
        // Sizes are inside of those of their kinds.
        let kinds = pyramid.kinds(What::Calls);
        for (_, call, bytes) in &run.calls {
            let function = 100 + (call.facts % 3) as u16;
            prop_assert!(kinds.iter().any(|k| k.function == function && k.bytes.0 <= *bytes && *bytes <= k.bytes.1));
        }
    }

    #[test]
    fn regions_have_cells_as_calls_have(
        ranks in 1u32..12, steps in steps(), cuts in proptest::collection::vec(0u64..150_000, 0..12), block_calls in 20u64..900, shift in 6u8..18,
    ) {
        let (_folder, run) = made(ranks, &steps, &[], &cuts, block_calls);
        let groups = [RankGroup::from(0..ranks), RankGroup::from(0..1)];
        // A cell is spread up to the end of its block.
        let until = run.pyramid.time_ns().end;
        let columns = ((until >> shift) + 1) as u32;
        let window = Window { bin_shift: shift, first_bin: 0, columns, rows: &groups, layer: Layer::Regions };
        let cells = run.pyramid.cells(&window, &go_on).unwrap();
        let mut expected: BTreeMap<(usize, u16), u64> = BTreeMap::new();
        for (rank, span) in &run.spans {
            for (row, _) in groups.iter().enumerate().filter(|(row, _)| *row == 0 || *rank == 0) {
                let last = if span.end_ns > span.start_ns { span.end_ns - 1 } else { span.start_ns } >> shift;
                for bin in span.start_ns >> shift..=last {
                    let inside = span.end_ns.min((bin + 1) << shift) - span.start_ns.max(bin << shift);
                    *expected.entry((row * columns as usize + bin as usize, span.region.0 as u16)).or_default() += inside;
                }
            }
        }
        let mut found: BTreeMap<(usize, u16), u64> = BTreeMap::new();
        for cell in 0..cells.calls.len() {
            for at in cells.offset[cell] as usize..cells.offset[cell + 1] as usize {
                found.insert((cell, cells.function[at]), cells.time_ns[at]);
            }
        }
        if cells.is_exact {
            prop_assert_eq!(found, expected);
        } else {
            prop_assert_eq!(found.values().sum::<u64>(), expected.values().sum::<u64>());
        }
    }
}
