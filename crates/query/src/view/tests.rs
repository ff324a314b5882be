//! Every answer against the same from all rows, one by one.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use mpiscope_ingest::testing;
use mpiscope_run::{Resolver, Run};
use mpiscope_store::{Call, RankId, Store, Wanted};
use proptest::prelude::*;

use super::*;

mod folded;

/// A run of `ranks` that exchange with neighbours, reduce and poll, with gaps that `seed` says.
pub(super) fn text(ranks: u64, rounds: u64, seed: u64) -> String {
    let mut text = String::new();
    let mut state = seed | 1;
    let mut random = |most: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % most
    };
    for round in 0..rounds {
        for rank in 0..ranks {
            let at = 1000 * round + random(100);
            let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
            text += &format!("{rank} {at} {} Irecv from={before} tag=1 bytes={} request=1\n", at + 5, 8 << (round % 4));
            text += &format!(
                "{rank} {} {} Send to={next} tag=1 bytes={}\n",
                at + 10,
                at + 15 + random(30),
                8 << (round % 4)
            );
            text += &format!(
                "{rank} {} {} Waitall requests=1 status={before}:1:{}\n",
                at + 60,
                at + 170 + random(90),
                8 << (round % 4)
            );
            text += &format!("{rank} {} {} Iprobe from={next} tag=9 calls=3\n", at + 300, at + 301 + random(3));
            text += &format!("{rank} {} {} Allreduce bytes=8\n", at + 400 + random(80), 1000 * round + 700);
        }
    }
    text
}

struct Fixture {
    _folder: tempfile::TempDir,
    scene: std::sync::Arc<OpenedRun>,
    /// Rank, row, call; in no order that matters.
    rows: Vec<(u32, u64, Call)>,
}

fn fixture(ranks: u64, rounds: u64, seed: u64) -> Fixture {
    fixture_of(&text(ranks, rounds, seed))
}

fn fixture_of(text: &str) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    testing::write(text, folder.path());
    let run = Run::open(folder.path(), &Default::default()).unwrap();
    let place = crate::store_place(folder.path());
    crate::store(&run, &Resolver::default(), &place, false, &mut |_, _| ControlFlow::Continue(())).unwrap();
    let store = Store::open(&place).unwrap();
    let mut rows = Vec::new();
    let mut batches = store.batches(Wanted::default()).unwrap();
    while let Some(batch) = batches.next_batch().unwrap() {
        for (rank, of_rank) in batch.ranks.iter().enumerate() {
            let numbered = of_rank.calls.iter().enumerate();
            rows.extend(numbered.map(|(at, call)| (rank as u32, of_rank.first_row + at as u64, *call)));
        }
    }
    drop(batches);
    let viewing = ViewSession::new(run, Resolver::default(), place);
    viewing.build(&|| true);
    Fixture { _folder: folder, scene: viewing.scene().unwrap(), rows }
}

impl Fixture {
    /// The first entry of all.
    fn begin_ns(&self) -> u64 {
        self.rows.iter().map(|(_, _, call)| call.start_ns).min().unwrap()
    }

    fn function(&self, rank: u32, call: &Call) -> u32 {
        self.scene.call_info()[rank as usize][call.facts as usize].function
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn cells_keep_every_call_and_all_time(
        (ranks, rounds, seed) in (2..6_u64, 1..8_u64, any::<u64>()),
        (from, length) in (0..4000_u64, 1..6000_u64),
        (columns, most) in (1..300_usize, 1..8_usize),
    ) {
        let fixture = fixture(ranks, rounds, seed);
        let scene = &fixture.scene;
        // The text has µs.
        let (from, length) = ((fixture.begin_ns() + 1000 * from).saturating_sub(500), 1000 * length);
        let order = scene.order("").unwrap();
        let wish = CellsWish {
            from_ns: from, until_ns: from + length, columns, row_from: 0, row_until: usize::MAX, rows: most, filter: Filter::default(), layer: Layer::Calls, care: Care::Exact,
        };
        let found = cells::of_calls(scene, &order, &wish, &Cancel::default()).unwrap();
        let preview = of_preview(&scene.preview, &order, &wish, &Cancel::default()).unwrap();
        if preview.is_exact {
            prop_assert_eq!(format!("{preview:?}"), format!("{found:?}"), "the preview differs");
        }
        let grid = found.grid;
        prop_assert!(grid.rows <= most && grid.from_ns <= from && grid.from_ns + grid.columns as u64 * grid.bin_ns >= from + length);
        prop_assert!(grid.columns >= columns / 2 || grid.bin_ns == 1);
        // Function by cell, and calls: brute force.
        let mut present: BTreeMap<(usize, u16), u64> = BTreeMap::new();
        let mut calls = vec![0_u32; grid.rows * grid.columns];
        for (rank, _, call) in &fixture.rows {
            let function = fixture.function(*rank, call) as u16;
            for column in 0..grid.columns {
                let (begin, end) = (grid.from_ns + column as u64 * grid.bin_ns, grid.from_ns + (column as u64 + 1) * grid.bin_ns);
                let touches = call.start_ns < end && (call.end_ns > begin || call.end_ns == call.start_ns && call.start_ns >= begin);
                let cell = *rank as usize / grid.rows_per_block * grid.columns + column;
                if touches {
                    *present.entry((cell, function)).or_default() += call.end_ns.min(end) - call.start_ns.max(begin);
                }
                if call.start_ns >= begin && call.start_ns < end {
                    calls[cell] += call.calls;
                }
            }
        }
        let mut shown = BTreeMap::new();
        for cell in 0..calls.len() {
            let entries = found.rows[cell / grid.columns].entries(cell % grid.columns);
            shown.extend(entries.filter(|entry| entry.0 != WAITING).map(|(function, share)| ((cell, function), share)));
        }
        prop_assert_eq!(shown.keys().collect::<Vec<_>>(), present.keys().collect::<Vec<_>>());
        for (key, time_ns) in &present {
            let in_row = (ranks as usize - key.0 / grid.columns * grid.rows_per_block).min(grid.rows_per_block) as u64;
            let share = (time_ns * 65535 / (grid.bin_ns * in_row)).clamp(1, 65535);
            prop_assert_eq!(u64::from(shown[key]), share);
        }
        prop_assert_eq!(found.rows.iter().flat_map(|row| row.calls.iter().copied()).collect::<Vec<_>>(), calls);
    }

    #[test]
    fn after_a_pan_or_a_scroll_cells_are_as_if_drawn_anew(
        (ranks, rounds, seed) in (6..14_u64, 1..8_u64, any::<u64>()),
        length in 1..6000_u64,
        (columns, most) in (1..300_usize, 1..8_usize),
        moves in proptest::collection::vec((-0.6..0.6_f64, -3..4_i64, any::<bool>()), 1..8),
    ) {
        let fixture = fixture(ranks, rounds, seed);
        let scene = &fixture.scene;
        let order = scene.order("").unwrap();
        let length = 1000 * length;
        let (mut from, mut row) = (fixture.begin_ns(), 0_usize);
        for (time, rows, is_filtered) in moves {
            from = from.saturating_add_signed((length as f64 * time) as i64);
            row = row.saturating_add_signed(rows as isize).min(ranks as usize - 5);
            let bytes_min = is_filtered.then_some(16);
            let wish = CellsWish {
                from_ns: from, until_ns: from + length, columns, row_from: row, row_until: row + 5, rows: most,
                filter: Filter { bytes_min, ..Filter::default() }, layer: Layer::Calls, care: Care::Exact,
            };
            let grid = wish.grid(ranks as usize);
            let found = cells::of_calls(scene, &order, &wish, &Cancel::default()).unwrap();
            let anew = cells::drawn(scene, &order, &grid, &wish.filter, &Cancel::default()).unwrap();
            prop_assert!(format!("{:?}", found.rows) == format!("{anew:?}"), "{grid:?}");
            // The same again has nothing to draw.
            let kept = scene.kept.most_of(&grid, &order, &wish.filter).unwrap();
            prop_assert!(kept.missing(&grid).is_empty());
        }
    }

    #[test]
    fn tables_and_histograms_count_every_wanted_call(
        (ranks, rounds, seed) in (2..6_u64, 1..8_u64, any::<u64>()),
        (from, length, least) in (0..4000_u64, 1..6000_u64, 0..120_000_u64),
    ) {
        let fixture = fixture(ranks, rounds, seed);
        let scene = &fixture.scene;
        // The text has µs.
        let (from, length) = ((fixture.begin_ns() + 1000 * from).saturating_sub(500), 1000 * length);
        let filter = Filter {
            from_ns: Some(from), until_ns: Some(from + length), duration_min_ns: Some(least), ranks: Some(vec![0, 1]), ..Filter::default()
        };
        let wanted: Vec<_> = fixture.rows.iter().filter(|(rank, _, call)| {
            *rank < 2 && call.end_ns >= from && call.start_ns < from + length && call.end_ns - call.start_ns >= least
        }).collect();
        let mut by_function: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for (rank, _, call) in &wanted {
            let entry = by_function.entry(u64::from(fixture.function(*rank, call))).or_default();
            // Of a call that reaches out of the window, what lies inside.
            let inside_ns = call.end_ns.min(from + length) - call.start_ns.max(from).min(call.end_ns);
            *entry = (entry.0 + u64::from(call.calls), entry.1 + inside_ns);
        }
        let cancel = Cancel::default();
        let wish = GroupsWish { care: Care::Exact, by: &[Field::Function], sort: Sort::Key, limit: 1000 };
        let table = groups(scene, &filter, &wish, &cancel).unwrap();
        let found: BTreeMap<u64, (u64, u64)> =
            table.rows.iter().map(|row| (row.key[0].id.unwrap() as u64, (row.count, row.total_ns))).collect();
        prop_assert_eq!(&found, &by_function);
        let all: u64 = by_function.values().map(|(count, _)| count).sum();
        let wish = HistogramWish { of: Of::Calls, care: Care::Exact, field: Field::Duration, axis: Wish::default(), bins: 7 };
        let bins = histogram(scene, &filter, &wish, &cancel).unwrap();
        prop_assert_eq!((bins.total, bins.counts.iter().sum::<u64>()), (all, all));
        let listed = calls(scene, &filter, 10_000, &cancel).unwrap();
        prop_assert_eq!((listed.total, listed.rows.len()), (wanted.len() as u64, wanted.len()));
        for points in [10_000, 2] {
            let wish = ScatterWish {
                of: Of::Calls, care: Care::Exact,
                x: Field::Start, y: Field::Duration, x_axis: Wish::default(), y_axis: Wish::default(), width: 9, height: 5, points,
            };
            let plane = scatter(scene, &filter, &wish, &cancel).unwrap();
            let shown = match plane.form {
                Form::Points(points) => points.x.len() as u64,
                Form::Density(density) => density.count.iter().map(|&n| u64::from(n)).sum(),
            };
            prop_assert_eq!((plane.total, shown), (wanted.len() as u64, wanted.len() as u64));
        }
    }
}

/// Rank 1 receives the first message late, has posted the second in time, and never receives the third.
const UNDER_WAY: &str = "
    0  10   20 Send to=1 tag=1 bytes=100
    1  30   40 Recv from=0 tag=1 bytes=100
    1  50   51 Irecv from=0 tag=2 bytes=200 request=1
    0  60   70 Send to=1 tag=2 bytes=200
    1  80   90 Wait requests=1 status=0:2:200
    0 100  110 Send to=1 tag=3 bytes=300
    0 200  300 Barrier
    1 250  300 Barrier
";

#[test]
fn a_message_goes_from_stage_to_stage() {
    let fixture = fixture_of(UNDER_WAY);
    let scene = &fixture.scene;
    // The text begins at 10 µs.
    let origin_ns = fixture.begin_ns() - 10_000;
    let at = |us: u64, filter: Filter| moment(scene, &filter, origin_ns + 1000 * us, 10, &Cancel::default()).unwrap();
    let stages =
        |us: u64| at(us, Filter::default()).messages.iter().map(|(m, stage)| (*stage, m.bytes)).collect::<Vec<_>>();
    let counts = |us: u64| {
        let ranks = at(us, Filter::default()).ranks;
        (ranks[0].sends.count, ranks[1].receives.count, ranks[1].unexpected.count)
    };
    let cases = [
        (15, vec![(Stage::Unexpected, 100)], (1, 0, 1)),
        (25, vec![(Stage::Unexpected, 100)], (0, 0, 1)),
        (35, vec![(Stage::InFlight, 100)], (0, 1, 0)),
        (45, vec![], (0, 0, 0)),
        (55, vec![(Stage::Posted, 200)], (0, 1, 0)),
        (65, vec![(Stage::InFlight, 200)], (1, 1, 0)),
        (75, vec![(Stage::InFlight, 200)], (0, 1, 0)),
        (95, vec![], (0, 0, 0)),
        (105, vec![(Stage::Unexpected, 300)], (1, 0, 1)),
        (280, vec![(Stage::Unexpected, 300)], (0, 0, 1)),
    ];
    for (us, expected, expected_counts) in &cases {
        assert_eq!((stages(*us), counts(*us)), (expected.clone(), *expected_counts), "at {us} µs");
    }
    assert_eq!(at(15, Filter { tag: Some(2), ..Filter::default() }).total, 0);
    assert_eq!(at(15, Filter { ranks: Some(vec![1]), ..Filter::default() }).total, 1);
    // What a window of several moments has is what they have one by one.
    let window = Filter { from_ns: Some(origin_ns + 25_000), until_ns: Some(origin_ns + 70_000), ..Filter::default() };
    let of_window = lifetimes(scene, &window, &Cancel::default()).unwrap();
    assert_eq!(of_window.iter().map(|m| m.bytes).collect::<Vec<_>>(), [100, 200]);
    for (us, expected, _) in cases.into_iter().filter(|(us, ..)| (25..70).contains(us)) {
        let stages: Vec<_> =
            of_window.iter().filter_map(|m| Some((m.stage(origin_ns + 1000 * us)?, m.bytes))).collect();
        assert_eq!(stages, expected, "at {us} µs, of the window");
    }
    let early = at(225, Filter::default()).ranks;
    assert_eq!((early[0].call.is_some(), early[1].call), (true, None));
    assert_eq!((early[0].waits, at(280, Filter::default()).ranks[1].waits), (true, false));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn curves_have_every_call_and_every_message(
        (ranks, rounds, seed) in (2..6_u64, 1..8_u64, any::<u64>()),
        (columns, by_host) in (1..300_usize, any::<bool>()),
    ) {
        let fixture = fixture(ranks, rounds, seed);
        let scene = &fixture.scene;
        let until_ns = scene.until_ns() + 1;
        let wish = CurvesWish { from_ns: 0, until_ns, columns, by_host, care: Care::Exact };
        let all = curves(scene, &Filter::default(), &wish, &Cancel::default()).unwrap();
        let [curve] = &all.curves[..] else { panic!("{} curves of one host", all.curves.len()) };
        let bin_s = all.bin_ns as f64 / 1e9;
        let sum = |values: &[f64]| values.iter().sum::<f64>() * bin_s;
        let calls: u64 = fixture.rows.iter().map(|(_, _, call)| u64::from(call.calls)).sum();
        prop_assert!((sum(&curve.calls_per_s) - calls as f64).abs() < 1e-3);
        let found = messages(scene, &Filter::default(), 10_000, &Cancel::default()).unwrap();
        let under_way: u64 = found.rows.iter().map(|m| m.receive.done_end_ns - m.send.start_ns).sum();
        prop_assert!((sum(&curve.messages_in_flight) - under_way as f64 / 1e9).abs() < 1e-9);
        let sent: u64 = found.rows.iter().map(|m| m.bytes).sum::<u64>() + ranks * rounds * 8;
        prop_assert!((sum(&curve.sent_bytes_per_s) - sent as f64).abs() < 1e-3);
        let inside: u64 = fixture.rows.iter().map(|(_, _, call)| call.end_ns - call.start_ns).sum();
        let shares = curve.ranks_in_mpi.len() as f64 * 4.0 * ranks as f64 / 65535.0 * bin_s;
        prop_assert!((sum(&curve.ranks_in_mpi) - inside as f64 / 1e9).abs() <= shares);
        let waiting = curve.ranks_waiting.as_ref().unwrap();
        prop_assert!(waiting.iter().zip(&curve.ranks_in_mpi).all(|(waits, inside)| *waits <= inside + 1e-3));
    }
}

#[test]
fn from_a_send_to_its_receive_and_round_an_operation() {
    let fixture = fixture(4, 3, 7);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let send = mpiscope_abi::by_name("MPI_Send").unwrap();
    let (_, row, _) =
        fixture.rows.iter().find(|(rank, _, call)| *rank == 1 && fixture.function(1, call) == send).unwrap();
    let to = step(scene, 1, *row, &By::Message, true, &cancel).unwrap().unwrap();
    let arrived = call(scene, to.rank, to.row, &cancel).unwrap();
    assert_eq!((to.rank, arrived.function.as_str()), (2, "MPI_Waitall"));
    assert_eq!((arrived.messages[0].direction, arrived.messages[0].rank), ("received", 1));
    let back = step(scene, to.rank, to.row, &By::Message, true, &cancel).unwrap().unwrap();
    assert_eq!((back.rank, back.row), (1, *row));

    let found = find(scene, &Filter::default(), "allred", None, true, &cancel).unwrap().unwrap();
    let mut at = found;
    for _ in 0..4 {
        at = step(scene, at.rank, at.row, &By::Collective, true, &cancel).unwrap().unwrap();
        let info = call(scene, at.rank, at.row, &cancel).unwrap();
        assert_eq!(info.collective.map(|c| (c.number, c.members)), Some((0, 4)));
    }
    assert_eq!(at, found);
    let later = step(scene, at.rank, at.row, &By::Function, true, &cancel).unwrap().unwrap();
    let earlier = step(scene, later.rank, later.row, &By::Function, false, &cancel).unwrap().unwrap();
    assert_eq!(earlier, at);
    assert!(step(scene, at.rank, at.row, &By::Longer(1_000_000), true, &cancel).unwrap().is_none());
    assert!(std::matches!(call(scene, 9, 0, &cancel), Err(ViewError::NotThere(_))));
}

#[test]
fn a_search_counts_lists_and_goes_through_the_same_calls_both_ways() {
    let fixture = fixture(4, 3, 7);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let filter = Filter::default();
    let all = matches(scene, &filter, "ALLRED", 0, 1000, &cancel).unwrap();
    let wanted = mpiscope_abi::by_name("MPI_Allreduce").unwrap();
    let count = fixture.rows.iter().filter(|(rank, _, call)| fixture.function(*rank, call) == wanted).count();
    assert_eq!((all.total, all.before, all.rows.len()), (count as u64, 0, count));
    assert!(count > 4 && all.rows.iter().all(|one| u32::from(one.function) == wanted));
    // Calls that begin at the same moment differ by rank: none is passed over, forward or backward.
    let places: Vec<CallAt> = all.rows.iter().map(|one| one.place).collect();
    for is_forward in [true, false] {
        let mut ahead: Vec<CallAt> = Vec::new();
        while let Some(next) = find(scene, &filter, "allred", ahead.last().copied(), is_forward, &cancel).unwrap() {
            ahead.push(next);
        }
        if !is_forward {
            ahead.reverse();
        }
        assert_eq!(ahead, places, "forward: {is_forward}");
    }
    // The first ones from a moment on, with the number of those before it.
    let middle = places[count / 2].start_ns;
    let some = matches(scene, &filter, "allred", middle, 2, &cancel).unwrap();
    let before = places.iter().filter(|place| place.start_ns < middle).count();
    assert_eq!((some.total, some.before), (count as u64, before as u64));
    assert_eq!(some.rows[..], all.rows[before..before + 2]);
    // Only what begins in the window.
    let window = Filter { from_ns: Some(middle), until_ns: Some(u64::MAX), ..Filter::default() };
    assert_eq!(matches(scene, &window, "allred", 0, 1, &cancel).unwrap().total, (count - before) as u64);
    assert_eq!(matches(scene, &filter, "no such call", 0, 10, &cancel).unwrap(), Matches::default());
}

#[test]
fn messages_and_operations_of_a_window() {
    let fixture = fixture(4, 3, 7);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let all = messages(scene, &Filter::default(), 100, &cancel).unwrap();
    assert_eq!((all.total, all.rows.len()), (12, 12));
    let first = all.rows.iter().filter(|m| m.sequence == 0).map(|m| m.receive.done_end_ns).max().unwrap();
    let few = Filter { ranks: Some(vec![1]), until_ns: Some(first + 400_000), ..Filter::default() };
    let found = messages(scene, &few, 100, &cancel).unwrap();
    assert_eq!(found.rows.len(), 2, "one sent, one received");
    let operations = collectives(scene, &few, 10, &cancel).unwrap();
    assert_eq!((operations.rows.len(), operations.members.len()), (1, 4));
    assert_eq!(operations.offset, [0, 4]);
    let matrix = matrix(scene, &Filter::default(), Blocks::Ranks(2), Care::Exact, &cancel).unwrap();
    assert_eq!((matrix.count.iter().sum::<u64>(), matrix.ranks_per_block, matrix.labels.len()), (12, 2, 2));
    let waiting = waits(scene, &Filter::default(), 1000, &cancel).unwrap();
    assert!(waiting.total > 0 && waiting.rows.iter().all(|w| w.rank < RankId(4) && w.start_ns < w.end_ns));
}

#[test]
fn bundles_have_every_message_and_tables_say_the_same() {
    let fixture = fixture(6, 40, 3);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let order = scene.order("").unwrap();
    let all = messages(scene, &Filter::default(), 1000, &cancel).unwrap().rows;
    let wish = BundlesWish { columns: 32, rows: 64, most: 2000 };
    let found = bundles(scene, &order, &Filter::default(), &wish, &cancel).unwrap();
    assert_eq!((found.total(), found.rows_per_block, found.basis), (240, 1, Some(Basis::Calls)));
    let mut expected: BTreeMap<(u64, u32, u32), (u64, u64)> = BTreeMap::new();
    for m in &all {
        let of_it =
            expected.entry((m.send.start_ns / found.bin_ns * found.bin_ns, m.sender.0, m.receiver.0)).or_default();
        *of_it = (of_it.0 + 1, of_it.1 + m.bytes);
    }
    let text = |b: &Bundle| ((b.from_ns, b.sender, b.receiver), (b.sent.count, b.sent.bytes));
    assert_eq!(found.rows.iter().map(text).collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>());
    // Tables: bins may be wider, all else is the same.
    let tables = super::bundles::of_preview(scene, &order, &Filter::default(), &wish, &cancel).unwrap();
    assert!(matches!(tables.basis, Some(Basis::Bins { .. })) && tables.bin_ns >= found.bin_ns);
    let as_wide = BundlesWish { columns: (scene.until_ns() / tables.bin_ns) as usize + 1, ..wish.clone() };
    let exact = bundles(scene, &order, &Filter::default(), &as_wide, &cancel).unwrap();
    assert_eq!(tables.bin_ns, exact.bin_ns);
    assert_eq!(tables.rows, exact.rows);
}

#[test]
fn bundles_follow_order_filter_and_window() {
    let fixture = fixture(6, 40, 3);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let ask = |order: &str, filter: &Filter, rows: usize| {
        let order = scene.order(order).unwrap();
        bundles(scene, &order, filter, &BundlesWish { columns: 8, rows, most: 2000 }, &cancel).unwrap()
    };
    // Everybody sends to the next one: in pairs of rows, half of the messages stay inside.
    let pairs = ask("", &Filter::default(), 3);
    assert_eq!((pairs.rows_per_block, pairs.total()), (2, 240));
    let inside: u64 = pairs.rows.iter().filter(|b| b.sender == b.receiver).map(|b| b.sent.count).sum();
    assert_eq!(inside, 120);
    // Positions, not ranks; what is not shown has no end.
    let turned = ask("pin:3", &Filter::default(), 64);
    assert!(turned.rows.iter().any(|b| (b.sender, b.receiver) == (0, 4)), "3, which is first, sends to 4");
    assert!(turned.rows.iter().all(|b| (b.sender, b.receiver) != (3, 4)), "2, which is fourth, does not");
    assert_eq!(ask("ranks:0-1", &Filter::default(), 64).total(), 40);
    // Messages of either side, in flight in the window.
    assert_eq!(ask("", &Filter { ranks: Some(vec![2]), ..Filter::default() }, 64).total(), 80);
    assert_eq!(ask("", &Filter { bytes_min: Some(64), ..Filter::default() }, 64).total(), 60);
    assert_eq!(ask("", &Filter { tag: Some(2), ..Filter::default() }, 64).total(), 0);
    let mut all = messages(scene, &Filter::default(), 1000, &cancel).unwrap().rows;
    all.sort_by_key(|m| m.send.start_ns);
    let middle = all[120].send.start_ns;
    let count =
        |is_in: fn(&mpiscope_store::Message, u64) -> bool| all.iter().filter(|m| is_in(m, middle)).count() as u64;
    let early = ask("", &Filter { until_ns: Some(middle), ..Filter::default() }, 64).total();
    assert_eq!(early, count(|m, middle| m.send.start_ns < middle));
    let late = ask("", &Filter { from_ns: Some(middle), ..Filter::default() }, 64).total();
    assert_eq!(late, count(|m, middle| m.receive.done_end_ns >= middle), "also those that are under way");
    // Of calls that waited so long nothing is known from messages, nor from tables what tags they have.
    let unknown = ask("", &Filter { duration_min_ns: Some(5), ..Filter::default() }, 64);
    assert_eq!((unknown.basis, unknown.total()), (None, 0));
    let order = scene.order("").unwrap();
    let tagged = Filter { tag: Some(1), ..Filter::default() };
    let wish = BundlesWish { columns: 8, rows: 64, most: 2000 };
    assert_eq!(super::bundles::of_preview(scene, &order, &tagged, &wish, &cancel).unwrap().basis, None);
}

#[test]
fn who_gives_up_gets_nothing() {
    let fixture = fixture(2, 1, 1);
    let cancel = Cancel::default();
    cancel.cancel();
    assert!(calls(&fixture.scene, &Filter::default(), 10, &cancel).is_err());
}

/// Whether values are those of bins: counts as they are, positions within the width.
#[test]
fn tables_of_the_preview_say_what_calls_say() {
    let fixture = fixture(5, 60, 11);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let all = Filter::default();
    let exact = |by: &[Field]| {
        groups(scene, &all, &GroupsWish { care: Care::Exact, by, sort: Sort::Key, limit: 1000 }, &cancel).unwrap()
    };
    for by in
        [&[Field::Function][..], &[Field::SizeBin, Field::Function], &[Field::Rank], &[Field::Comm], &[Field::Bytes]]
    {
        let wish = GroupsWish { care: Care::Quick, by, sort: Sort::Key, limit: 1000 };
        let plan = preview_answers::plan(scene, &all, Of::Calls, by).unwrap();
        let found = groups::of_plan(scene, &all, &wish, &plan, &cancel).unwrap();
        let wanted = exact(by);
        assert_eq!(found.rows.len(), wanted.rows.len(), "{by:?}");
        for (a, b) in found.rows.iter().zip(&wanted.rows) {
            assert_eq!((a.key[0].id, a.count, a.total_ns), (b.key[0].id, b.count, b.total_ns));
            assert_eq!((a.min_ns, a.max_ns, a.bytes), (b.min_ns, b.max_ns, b.bytes));
            assert!((a.sd_ns - b.sd_ns).abs() < 1e-3 * b.mean_ns.max(1.0), "{} {}", a.sd_ns, b.sd_ns);
            for (a, b) in [(a.median_ns, b.median_ns), (a.p95_ns, b.p95_ns)] {
                assert!((a - b).abs() <= 0.15 * b.max(1.0), "{a} {b}");
            }
        }
    }
    // Points of all calls, and the density of tables: as many, and none further away than bins are wide.
    for (of, x, y) in [
        (Of::Calls, Field::Start, Field::Duration),
        (Of::Calls, Field::Bytes, Field::Duration),
        (Of::Calls, Field::Rank, Field::Duration),
        (Of::Calls, Field::End, Field::Bandwidth),
        (Of::Messages, Field::Bytes, Field::Duration),
        (Of::Messages, Field::Start, Field::Bandwidth),
    ] {
        let axis = |is_log| Wish { is_log, ..Wish::default() };
        let wish = ScatterWish {
            of,
            care: Care::Exact,
            x,
            y,
            x_axis: axis(false),
            y_axis: axis(false),
            width: 40,
            height: 30,
            points: 100_000,
        };
        let points = scatter(scene, &all, &wish, &cancel).unwrap();
        let Form::Points(points) = points.form else { panic!("few") };
        let plan = preview_answers::plan(scene, &all, of, &[x, y]).unwrap();
        let found = scatter::of_tallies(scene, &all, &wish, &plan, &cancel).unwrap();
        assert!(matches!(found.basis, Basis::Bins { .. }));
        let Form::Density(density) = &found.form else { panic!("density") };
        assert_eq!(found.total, points.x.len() as u64, "{of:?} {x:?} {y:?}");
        assert_eq!(density.count.iter().map(|&n| u64::from(n)).sum::<u64>(), found.total);
        // Every point is near a pixel with something.
        let Basis::Bins { bin_ns, .. } = found.basis else { return };
        for (px, py) in points.x.iter().zip(&points.y) {
            let reach = |field: Field, value: f64, axis: &Axis, bins: usize| {
                let width = match field {
                    Field::Start => bin_ns as f64,
                    Field::End => bin_ns as f64 + value / 8.0,
                    Field::Rank => 0.0,
                    _ => value / 4.0,
                };
                let bin = |v: f64| axis.bin(v.clamp(axis.min, axis.max), bins).unwrap();
                bin(value - width)..=bin(value + width)
            };
            let is_near = reach(y, *py, &found.y, 30)
                .any(|row| reach(x, *px, &found.x, 40).any(|column| density.count[row * 40 + column] > 0));
            assert!(is_near, "{of:?} {x:?} {y:?}: {px} {py}");
        }
        // One axis more: its counts are all of them.
        let wish = HistogramWish { of, care: Care::Exact, field: y, axis: axis(true), bins: 9 };
        let plan = preview_answers::plan(scene, &all, of, &[y]).unwrap();
        let (found, wanted) = (
            histogram::of_tallies(scene, &all, &wish, &plan, &cancel).unwrap(),
            histogram(scene, &all, &wish, &cancel).unwrap(),
        );
        assert_eq!((found.total, found.counts.iter().sum::<u64>()), (wanted.total, wanted.counts.iter().sum::<u64>()));
    }
    // What tables cannot tell is not asked of them.
    for (filter, fields) in [
        (Filter { tag: Some(1), ..Filter::default() }, [Field::Duration]),
        (Filter { duration_min_ns: Some(77), ..Filter::default() }, [Field::Duration]),
        (Filter { ranks: Some(vec![1]), ..Filter::default() }, [Field::Start]),
        (Filter::default(), [Field::Tag]),
    ] {
        assert!(preview_answers::plan(scene, &filter, Of::Calls, &fields).is_none());
    }
}

#[test]
fn queues_and_latencies_of_messages() {
    let fixture = fixture(4, 20, 5);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let rows = messages(scene, &Filter::default(), 10_000, &cancel).unwrap().rows;
    let wish = |y| ScatterWish {
        of: Of::Messages,
        care: Care::Exact,
        x: Field::Start,
        y,
        x_axis: Wish::default(),
        y_axis: Wish::default(),
        width: 9,
        height: 9,
        points: 10_000,
    };
    for field in [Field::Queue, Field::Duration, Field::Transfer] {
        let Form::Points(points) = scatter(scene, &Filter::default(), &wish(field), &cancel).unwrap().form else {
            panic!()
        };
        assert_eq!(points.x.len(), rows.len());
        for at in 0..points.x.len() {
            let sent = points.x[at] as u64;
            let m = rows.iter().find(|m| m.sender.0 == points.rank[at] && m.send.row == points.row[at]).unwrap();
            assert_eq!(m.send.start_ns, sent);
            let under_way = rows
                .iter()
                .filter(|o| o.receiver == m.receiver && o.send.start_ns <= sent && o.receive.done_end_ns > sent);
            let expected = match field {
                Field::Queue => under_way.count() as u64,
                Field::Duration => m.receive.done_end_ns - sent,
                _ => m.receive.done_end_ns - sent.max(m.receive.start_ns),
            };
            assert_eq!(points.y[at], expected as f64, "{field:?}");
        }
    }
}

#[test]
fn the_matrix_of_tables_is_that_of_messages_and_filters_have_cells() {
    let fixture = fixture(6, 40, 3);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let text = |m: &Matrix| {
        format!("{:?}", (&m.sender, &m.receiver, &m.count, &m.bytes, &m.longest_ns, &m.longest, &m.mean_ns))
    };
    for blocks in [Blocks::Ranks(100), Blocks::Ranks(3), Blocks::Hosts] {
        let exact = matrix(scene, &Filter::default(), blocks, Care::Exact, &cancel).unwrap();
        let tables = matrix::of_preview(scene, &Filter::default(), blocks, &cancel).unwrap().unwrap();
        assert_eq!(text(&tables), text(&exact));
    }
    // Only some calls: those that the list of calls has.
    let order = scene.order("").unwrap();
    for filter in [
        Filter { bytes_min: Some(16), ..Filter::default() },
        Filter { peer: Some(RankId(2)), ..Filter::default() },
        Filter { ranks: Some(vec![1, 4]), ..Filter::default() },
        Filter { duration_min_ns: Some(40_000), ..Filter::default() },
    ] {
        let wish = CellsWish {
            from_ns: 0,
            until_ns: scene.until_ns() + 1,
            columns: 50,
            row_from: 0,
            row_until: 6,
            rows: 6,
            filter: filter.clone(),
            layer: Layer::Calls,
            care: Care::Exact,
        };
        let found = cells(scene, &order, &wish, &cancel).unwrap();
        let listed = calls(scene, &filter, 100_000, &cancel).unwrap();
        let expected: u64 = listed.rows.calls.iter().map(|&n| u64::from(n)).sum();
        assert_eq!(found.calls(), expected, "{filter:?}");
        assert!(expected > 0);
    }
}

#[test]
fn the_rank_that_is_late_stands_apart() {
    let late = 37;
    let mut text = String::new();
    for round in 0..40 {
        for rank in 0..64 {
            let begin = 1000 * round;
            let entry = begin + if rank == late { 700 } else { 100 + (rank * 7 + round * 3) % 20 };
            text += &format!("{rank} {entry} {} Allreduce bytes=8\n", begin + 900);
        }
    }
    let fixture = fixture_of(&text);
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let wish = ApartWish { window_ns: 0..scene.until_ns(), rows: 0..64, most: 8 };
    let found = apart(scene, &scene.order("").unwrap(), &wish, &cancel).unwrap();
    assert_eq!(found.iter().map(|a| (a.rank, a.position, a.is_computing)).collect::<Vec<_>>(), [(37, 37, true)]);
    // 600 of 1000 µs in each of 40 rounds, as far as bins show it.
    assert!((20_000_000..=24_100_000).contains(&found[0].apart_ns), "{found:?}");
    // In another order it stands elsewhere; out of sight it is none of those that are in it.
    let order = scene.order("ranks:30-45").unwrap();
    let found = apart(scene, &order, &ApartWish { rows: 0..16, ..wish.clone() }, &cancel).unwrap();
    assert_eq!(found.iter().map(|a| (a.rank, a.position)).collect::<Vec<_>>(), [(37, 7)]);
    let order = scene.order("").unwrap();
    assert_eq!(apart(scene, &order, &ApartWish { rows: 0..32, ..wish }, &cancel).unwrap(), []);
}

/// RMA has a peer and no tag; what goes to `MPI_PROC_NULL` (−1 in MPICH) has a tag and no peer.
#[test]
fn a_tag_is_of_calls_that_have_one() {
    let fixture = fixture_of(
        "window 1 = comm 1
         0 0 9 Send to=1 tag=0 bytes=8
         1 0 9 Recv from=0 tag=0 bytes=8
         0 10 12 Send to=-1 tag=5 bytes=8
         0 20 21 Put window=1 target=1 bytes=8
         0 30 40 Barrier
         1 30 40 Barrier",
    );
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let wish = |by| GroupsWish { care: Care::Exact, by, sort: Sort::Key, limit: 100 };
    let count = |filter: &Filter| {
        let table = groups(scene, filter, &wish(&[Field::Tag]), &cancel).unwrap();
        table.rows.iter().map(|row| (row.key[0].text.clone(), row.count)).collect::<BTreeMap<String, u64>>()
    };
    let all = count(&Filter::default());
    assert_eq!((all["0"], all["5"]), (2, 1), "{all:?}");
    assert!(all["none"] >= 3 && all.len() == 3, "{all:?}");
    for (tag, calls) in [(0, 2), (5, 1)] {
        assert_eq!(count(&Filter { tag: Some(tag), ..Filter::default() }), [(tag.to_string(), calls)].into());
    }
}

/// Two sites of one function below one caller, a third one elsewhere, an open stretch of waiting, and a call inside of another.
const STACKS: &str = "site 9 = 9,2,1
    site 8 = 8,2,1
    site 7 = 7,1
    0 0 10 Send to=1 tag=1 bytes=8 site=9
    0 20 50 Send to=1 tag=1 bytes=8 site=8
    0 60 65 Send to=1 tag=1 bytes=8 site=7
    1 0 10 Recv from=0 tag=1 bytes=8 site=7
    1 12 50 Recv from=0 tag=1 bytes=8 site=7
    1 52 65 Recv from=0 tag=1 bytes=8 site=7
    0 70 100 Barrier site=9
    1 90 100 Barrier site=9";

fn tree_of(scene: &OpenedRun, filter: &Filter, by_rank: bool, limit: usize, care: Care) -> Tree {
    tree(scene, filter, &TreeWish { care, by_rank, limit }, &Cancel::default()).unwrap()
}

/// The ways to leaves with calls, inclusive and exclusive time in µs.
fn ways(tree: &Tree) -> BTreeMap<String, (u64, u64, u64)> {
    let mut texts: Vec<String> = Vec::new();
    for node in &tree.nodes {
        let before = node.parent.map_or(String::new(), |parent| format!("{}/", texts[parent]));
        texts.push(before + node.text.trim_start_matches("text+"));
    }
    let found = |node: &TreeNode| (node.calls, node.inclusive_ns / 1000, node.exclusive_ns / 1000);
    texts.into_iter().zip(tree.nodes.iter().map(found)).collect()
}

#[test]
fn the_tree_has_frames_outermost_first_and_sums_what_is_below_them() {
    let fixture = fixture_of(STACKS);
    let scene = &fixture.scene;
    let found = tree_of(scene, &Filter::default(), false, 100, Care::Exact);
    let way = ways(&found);
    let main = "all calls/0x10";
    assert_eq!(way["all calls"], (8, 146, 0));
    assert_eq!(way[main], (8, 146, 0), "{way:?}");
    assert_eq!(way[&format!("{main}/0x20")], (4, 80, 0));
    // 10 µs of a send and both barriers.
    assert_eq!(way[&format!("{main}/0x20/0x90")], (3, 50, 50));
    assert_eq!(way[&format!("{main}/0x20/0x90/MPI_Barrier")], (2, 40, 40));
    assert_eq!(way[&format!("{main}/0x20/0x80/MPI_Send")], (1, 30, 30));
    assert_eq!(way[&format!("{main}/0x70")], (4, 66, 66));
    assert_eq!((found.total, found.is_cut, found.basis), (way.len(), false, Basis::Calls));
    // Siblings by time, each node after its parent; a site where there is one only.
    for (at, node) in found.nodes.iter().enumerate().skip(1) {
        assert!(node.parent.is_some_and(|parent| parent < at));
        let before = found.nodes[..at].iter().rev().find(|other| other.parent == node.parent);
        assert!(before.is_none_or(|before| before.inclusive_ns >= node.inclusive_ns), "{way:?}");
    }
    let node = |text: &str| found.nodes.iter().find(|node| node.text.ends_with(text)).unwrap();
    assert!(node("0x20").site.is_none() && node("0x80").site.is_some() && node("0x90").site.is_some());
    // Rank 0 waits 20 µs in the barrier; that is in all frames around it.
    assert_eq!(node("MPI_Barrier").waiting_ns.map(|ns| ns / 1000), Some(20));
    assert!(node("0x10").waiting_ns >= Some(20_000) && node("all calls").waiting_ns <= Some(146_000));
}

#[test]
fn the_tree_follows_the_filter_and_is_clipped_to_the_window() {
    let fixture = fixture_of(STACKS);
    let scene = &fixture.scene;
    let begin = fixture.begin_ns();
    let filter = Filter {
        from_ns: Some(begin + 30_000),
        until_ns: Some(begin + 62_000),
        ranks: Some(vec![0]),
        ..Filter::default()
    };
    let found = tree_of(scene, &filter, false, 100, Care::Exact);
    let way = ways(&found);
    assert_eq!(way["all calls"], (2, 22, 0), "{way:?}");
    assert_eq!(way["all calls/0x10/0x70/MPI_Send"], (1, 2, 2));
    assert_eq!(found.rank_time_ns, 32_000);
    // What the filter asks of single calls waits cannot tell; a site they can.
    let narrow = Filter { tag: Some(1), ..Filter::default() };
    let found = tree_of(scene, &narrow, false, 100, Care::Exact);
    assert!(found.nodes.iter().all(|node| node.waiting_ns.is_none()) && !found.has_finer);
    let site = tree_of(scene, &Filter::default(), false, 100, Care::Exact).nodes.iter().find_map(|node| node.site);
    let one = Filter { site: site.map(mpiscope_store::SiteId), ..Filter::default() };
    let found = tree_of(scene, &one, false, 100, Care::Exact);
    assert!(found.nodes.iter().all(|node| node.site == site && node.waiting_ns.is_some()));
    let none = Filter { ranks: Some(vec![]), ..Filter::default() };
    assert_eq!(tree_of(scene, &none, false, 100, Care::Exact).nodes.len(), 1);
}

#[test]
fn a_tree_of_each_rank_and_a_tree_with_few_nodes_keep_all_time() {
    let fixture = fixture_of(STACKS);
    let scene = &fixture.scene;
    let whole = tree_of(scene, &Filter::default(), true, 100, Care::Exact);
    let way = ways(&whole);
    assert_eq!((way["all calls/rank 0"].1, way["all calls/rank 1"].1), (75, 71));
    assert_eq!(way["all calls/rank 1/0x10/0x70/MPI_Recv"], (3, 61, 61));
    for limit in 1..whole.nodes.len() + 1 {
        let cut = tree_of(scene, &Filter::default(), true, limit, Care::Exact);
        assert_eq!((cut.total, cut.is_cut), (whole.nodes.len(), limit < whole.nodes.len()));
        assert_eq!(cut.nodes.iter().filter(|node| node.others.is_none()).count(), limit.min(whole.nodes.len()));
        // Below each node there is its time, whether it is told in one part or in several.
        for (at, node) in cut.nodes.iter().enumerate() {
            let below = || cut.nodes.iter().filter(|child| child.parent == Some(at));
            let time: u64 = below().map(|child| child.inclusive_ns).sum();
            assert!(below().count() == 0 || time == node.inclusive_ns, "{limit}: {:?}", cut.nodes);
            assert!(below().filter(|child| child.others.is_some()).count() <= 1);
        }
    }
}

#[test]
fn a_tree_of_tables_has_all_calls() {
    let fixture = fixture(4, 30, 7);
    let scene = &fixture.scene;
    let filter = Filter::default();
    let plan = preview_answers::plan(scene, &filter, Of::Calls, &[Field::Site, Field::Function]).unwrap();
    assert!(matches!(plan.basis, Basis::Bins { .. }));
    for by_rank in [false, true] {
        let exact = tree_of(scene, &filter, by_rank, 100, Care::Exact);
        let tables = tree::of_tables(scene, &filter, by_rank).unwrap();
        assert_eq!(ways(&tables), ways(&exact));
        assert!(tables.has_finer && !exact.has_finer && tables.nodes.iter().all(|node| node.waiting_ns.is_none()));
    }
}

#[test]
fn the_path_is_told_by_rank_and_place_and_nothing_of_it_is_lost() {
    let fixture = fixture_of(
        "0 0 10 Barrier site=5
         1 0 10 Barrier site=5
         0 60 61 Send to=1 tag=1 bytes=8 site=2
         1 20 62 Recv from=0 tag=1 bytes=8 site=3
         1 70 80 Send to=0 tag=2 bytes=8 site=4
         0 65 90 Recv from=1 tag=2 bytes=8 site=6",
    );
    let (scene, cancel) = (&fixture.scene, Cancel::default());
    let all = path_groups(scene, &Filter::default(), 100, &cancel).unwrap();
    assert!(all.is_known && !all.is_cut && !all.is_too_long);
    let whole: u64 = all.rows.iter().map(|row| row.total_ns).sum();
    assert_eq!(whole, all.path_ns);
    // Rank 0 computes for 50 µs until its send: nothing is longer.
    let first = &all.rows[0];
    assert_eq!((first.rank, first.doing, first.total_ns / 1000, first.count), (0, Doing::Computing, 50, 1), "{all:?}");
    assert_eq!(first.longest.until_ns - first.longest.from_ns, 50_000);
    assert_eq!(scene.dimensions().site(mpiscope_store::SiteId(first.site.unwrap())), "text+0x20");
    // In sight: half of that, and what rank 1 has of the path not at all.
    let begin = fixture.begin_ns();
    let half = Filter { from_ns: Some(begin + 35_000), until_ns: Some(begin + 50_000), ..Filter::default() };
    let found = path_groups(scene, &half, 100, &cancel).unwrap();
    assert_eq!((found.path_ns, found.rows.len(), found.rows[0].total_ns), (15_000, 1, 15_000), "{found:?}");
    let of_one = path_groups(scene, &Filter { ranks: Some(vec![1]), ..Filter::default() }, 100, &cancel).unwrap();
    assert!(!of_one.rows.is_empty() && of_one.rows.iter().all(|row| row.rank == 1));
    assert_eq!(of_one.path_ns, all.path_ns);
    // Calls alone where calls are asked for.
    let function = all.rows.iter().find(|row| row.doing == Doing::Call).unwrap().function.unwrap();
    let sends = Filter { functions: Some(vec![function]), ..Filter::default() };
    let found = path_groups(scene, &sends, 100, &cancel).unwrap();
    assert!(found.rows.iter().all(|row| row.doing == Doing::Call && row.function == Some(function)));
    assert!(!found.rows.is_empty() && found.rows.len() < all.rows.len());
}
