//! Every answer is what comes out when all calls are looked at one by one.

use std::collections::BTreeMap;

use mpiscope_abi::role::Role;
use mpiscope_store::{
    Batch, Call, CallInfo, CommId, Dimensions, RankBatch, RankId, RankRow, RegionId, SiteId, WaitRow, flags,
};
use proptest::prelude::*;

use super::*;
use crate::row::Longest;

mod tables;

fn facts(function: u32, calls: u64) -> CallInfo {
    CallInfo {
        function,
        role: Role::Local,
        flags: 0,
        comm: CommId::NONE,
        peer: RankId::NONE,
        peer2: RankId::NONE,
        tag: 0,
        tag2: 0,
        root: RankId::NONE,
        bytes_sent: 0,
        bytes_received: 0,
        count: 0,
        datatype: 0,
        op: 0,
        window: 0,
        file: 0,
        group: mpiscope_store::GroupId::NONE,
        site: SiteId(0),
        region: RegionId::NONE,
        calls,
        time_ns: 0,
    }
}

/// A run as it is made up: calls of each rank in order of return, waits, where batches end.
#[derive(Debug)]
struct Made {
    functions: u32,
    ranks: Vec<Vec<Call>>,
    waits: Vec<WaitRow>,
    batches: Vec<(u64, Batch)>,
    waits_of: Vec<Vec<WaitRow>>,
    block_calls: u64,
}

/// Gap before, length, function, what else (inside another, polls, a wait inside, a long one).
type Step = (u64, u64, u32, u8);

fn made(functions: u32, steps: Vec<Vec<Step>>, cuts: Vec<u64>, ahead: u64, block_calls: u64) -> Made {
    let mut ranks = Vec::new();
    let mut waits = Vec::new();
    for (rank, steps) in steps.into_iter().enumerate() {
        let mut calls = Vec::new();
        let mut now = [0u64; 2];
        for (gap, length, function, kind) in steps {
            let thread = usize::from(kind % 7 == 6);
            let length = if kind % 32 == 1 { length * 100 } else { length };
            let start_ns = 1000 + now[thread] + gap;
            let end_ns = start_ns + length;
            now[thread] += gap + length;
            let call = |start_ns, end_ns, flags, calls| Call {
                start_ns,
                end_ns,
                facts: function % functions,
                calls,
                flags,
                thread: thread as u16,
                ..Call::default()
            };
            if kind % 5 == 0 {
                let inner = call(start_ns + length / 4, start_ns + length / 2, flags::NESTED, 1);
                calls.push(Call { facts: (function + 1) % functions, ..inner });
            }
            calls.push(call(start_ns, end_ns, 0, if kind % 11 == 0 { 7 } else { 1 }));
            if kind % 3 == 0 {
                waits.push((rank, start_ns + length / 3, end_ns));
            }
        }
        calls.sort_by_key(|c| c.end_ns); // stable: what is inside comes first
        ranks.push(calls);
    }
    let row = |(rank, start_ns, end_ns): (usize, u64, u64)| WaitRow {
        kind: "late_sender",
        rank: RankId(rank as u32),
        row: 0,
        facts: 0,
        start_ns,
        end_ns,
        cause: None,
    };
    let waits: Vec<WaitRow> = waits.into_iter().map(row).collect();
    // The first rank may be ahead of where batches end.
    let mut batches = Vec::new();
    let mut waits_of = Vec::new();
    let mut done = vec![0; ranks.len()];
    let mut waits_done = 0;
    let mut cuts = cuts;
    cuts.sort_unstable();
    for cut in cuts.into_iter().chain([u64::MAX]) {
        let mut batch = Batch { until_ns: cut, is_last: cut == u64::MAX, ..Batch::default() };
        for (rank, calls) in ranks.iter().enumerate() {
            let until = cut.saturating_add(if rank == 0 { ahead } else { 0 });
            let end = done[rank] + calls[done[rank]..].partition_point(|c| c.end_ns < until);
            let rows = RankBatch {
                first_row: done[rank] as u64,
                calls: calls[done[rank]..end].to_vec(),
                ..Default::default()
            };
            batch.ranks.push(rows);
            done[rank] = end;
        }
        // Waits are known when they are known.
        let enough = if batch.is_last { waits.len() } else { (waits_done + 3).min(waits.len()) };
        waits_of.push(waits[waits_done..enough].to_vec());
        waits_done = enough;
        batches.push((cut, batch));
    }
    Made { functions, ranks, waits, batches, waits_of, block_calls }
}

impl Made {
    fn write(&self, path: &std::path::Path) -> Pyramid {
        let facts =
            vec![(0..self.functions).map(|f| facts(100 + f, u64::from(f))).collect::<Vec<_>>(); self.ranks.len()];
        let dimensions = Dimensions { ranks: vec![RankRow::default(); self.ranks.len()], ..Dimensions::default() };
        let mut builder =
            Builder::create(path, "made up", &dimensions, &facts).unwrap().with_blocks_of(self.block_calls);
        for ((_, batch), waits) in self.batches.iter().zip(&self.waits_of) {
            builder.add_batch(batch, waits).unwrap();
        }
        builder.finish().unwrap();
        Pyramid::open(path).unwrap()
    }

    /// Cells as they should be.
    fn cells(&self, window: &Window<'_>) -> Vec<Expected> {
        let mut all = Vec::new();
        for group in window.rows {
            let mut cells = vec![Expected::default(); window.columns as usize];
            let mut add = |start_ns: u64, end_ns: u64, function: u16, has_time: bool, longest: Option<Longest>| {
                let bin_ns = 1u64 << window.bin_shift;
                let last = if end_ns > start_ns { end_ns - 1 } else { start_ns } >> window.bin_shift;
                for bin in start_ns >> window.bin_shift..=last {
                    let Some(at) = bin.checked_sub(window.first_bin).filter(|&at| at < cells.len() as u64) else {
                        continue;
                    };
                    let cell = &mut cells[at as usize];
                    let inside = end_ns.min((bin + 1) * bin_ns) - start_ns.max(bin * bin_ns);
                    *cell.time_ns.entry(function).or_default() += if has_time { inside } else { 0 };
                    if let Some(new) = longest
                        && cell.longest.is_none_or(|old| {
                            (new.ns, std::cmp::Reverse((new.rank, new.row)))
                                > (old.ns, std::cmp::Reverse((old.rank, old.row)))
                        })
                    {
                        cell.longest = Some(new);
                    }
                }
            };
            let is_in = |rank: u32| group.0.iter().any(|r| r.contains(&rank));
            for (rank, calls) in self.ranks.iter().enumerate().filter(|(rank, _)| is_in(*rank as u32)) {
                for (row, c) in calls.iter().enumerate() {
                    let longest = Longest { ns: c.end_ns - c.start_ns, rank: rank as u32, row: row as u64 };
                    add(c.start_ns, c.end_ns, 100 + c.facts as u16, c.flags & flags::NESTED == 0, Some(longest));
                }
            }
            for wait in self.waits.iter().filter(|w| is_in(w.rank.0)) {
                add(wait.start_ns, wait.end_ns, WAITING, true, None);
            }
            for (_, calls) in self.ranks.iter().enumerate().filter(|(rank, _)| is_in(*rank as u32)) {
                for c in calls {
                    let at = (c.start_ns >> window.bin_shift).checked_sub(window.first_bin);
                    if let Some(cell) = at.and_then(|at| cells.get_mut(at as usize)) {
                        cell.calls += u64::from(c.calls);
                    }
                }
            }
            all.extend(cells);
        }
        all
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Expected {
    time_ns: BTreeMap<u16, u64>,
    calls: u64,
    longest: Option<Longest>,
}

fn found(cells: &Cells) -> Vec<Expected> {
    let cell = |at: usize| {
        let entries = cells.offset[at] as usize..cells.offset[at + 1] as usize;
        Expected {
            time_ns: entries.map(|e| (cells.function[e], cells.time_ns[e])).collect(),
            calls: cells.calls[at],
            longest: (cells.longest_rank[at] != u32::MAX).then(|| Longest {
                ns: cells.longest_ns[at],
                rank: cells.longest_rank[at],
                row: cells.longest_row[at],
            }),
        }
    };
    (0..cells.calls.len()).map(cell).collect()
}

fn runs() -> impl Strategy<Value = Made> {
    let functions = prop_oneof![3 => 1u32..6, 1 => 60u32..130];
    let ranks = prop_oneof![3 => 1usize..4, 3 => 4usize..20, 1 => 64usize..80];
    (functions, ranks).prop_flat_map(|(functions, ranks)| {
        let step = (0u64..60, 0u64..90, 0..functions, any::<u8>());
        let of_rank = proptest::collection::vec(step, 0..(3000 / ranks).max(20));
        let cuts = proptest::collection::vec(0u64..120_000, 0..12);
        let steps = proptest::collection::vec(of_rank, ranks..=ranks);
        (steps, cuts, 0u64..400, 20u64..1500)
            .prop_map(move |(steps, cuts, ahead, block_calls)| made(functions, steps, cuts, ahead, block_calls))
    })
}

fn go_on() -> bool {
    false
}

fn groups(ranks: u32, seed: u64) -> Vec<RankGroup> {
    let mut groups = vec![RankGroup::from(0..ranks), RankGroup::from(0..u32::MAX), RankGroup::default()];
    groups.extend((0..ranks.div_ceil(8)).map(|k| RankGroup::from(8 * k..8 * k + 8)));
    groups.extend((0..ranks.div_ceil(2)).map(|k| RankGroup::from(2 * k..2 * k + 2)));
    groups.extend((0..4).map(|k| {
        let chosen: Vec<u32> = (0..ranks).filter(|r| (seed >> (u64::from(*r + k) % 61)) & 1 == 1).collect();
        RankGroup::from_ranks(&chosen)
    }));
    groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn answers_are_what_all_calls_say(run in runs(), shifts in proptest::collection::vec(0u8..20, 3), from in 0.0f64..1.1, seed in any::<u64>()) {
        let folder = tempfile::tempdir().unwrap();
        let pyramid = run.write(&folder.path().join("preview"));
        let groups = groups(run.ranks.len() as u32, seed);
        // A cell is spread up to the end of its block, where perhaps no call is.
        let end_ns = pyramid.time_ns().end;
        prop_assert_eq!(pyramid.calls(), run.ranks.iter().map(|r| r.len() as u64).sum::<u64>());
        let mut exact = 0;
        for shift in shifts.into_iter().chain([12, 14, 17, 40]) {
            for (first_bin, columns) in [(((end_ns as f64 * from) as u64) >> shift, 37), (0, ((end_ns >> shift) + 2).min(500) as u32)] {
                let window = Window { bin_shift: shift, first_bin, columns, rows: &groups, layer: Layer::Calls };
                let cells = pyramid.cells(&window, &go_on).unwrap();
                let (found, expected) = (found(&cells), run.cells(&window));
                // Bins that are no use are those that are spread.
                prop_assert!(cells.is_exact || pyramid.useful_shift(&window) >= shift);
                if cells.is_exact {
                    exact += 1;
                    prop_assert_eq!(found, expected);
                } else {
                    // What was spread lost nothing where all of it can be seen.
                    prop_assert_eq!(found.len(), expected.len());
                    if first_bin == 0 && u64::from(columns) << shift > end_ns {
                        for (found, expected) in found.chunks(columns as usize).zip(expected.chunks(columns as usize)) {
                            prop_assert_eq!(sum(found), sum(expected));
                        }
                    }
                }
            }
        }
        prop_assert!(exact > 0);
        let all = pyramid.calls_in(0..u64::MAX, &groups[0]).unwrap();
        let begun: u64 = run.ranks.iter().flatten().map(|c| u64::from(c.calls)).sum();
        prop_assert!(all <= begun);
    }

    /// Damage in a file is an error or other numbers, never a panic.
    #[test]
    fn no_damage_panics(run in runs(), hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12), is_tail in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("preview");
        drop(run.write(&path));
        let mut bytes = std::fs::read(&path).unwrap();
        let tail = bytes.windows(8).position(|w| w == b"{\"about\"").unwrap_or(0);
        for (at, byte) in hits {
            let begin = if is_tail { tail } else { 16 };
            let length = bytes.len() - begin;
            // Digits stay digits, so that the tail can still be read.
            let place = &mut bytes[begin + at.index(length)];
            *place = if place.is_ascii_digit() { b'0' + byte % 10 } else if is_tail { *place } else { byte };
        }
        std::fs::write(&path, &bytes).unwrap();
        let Ok(pyramid) = Pyramid::open(&path) else { return Ok(()) };
        let groups = groups(run.ranks.len() as u32, 0x1234_5678_9abc);
        for (bin_shift, first_bin) in [(0, 1000), (3, 0), (9, 0), (20, 0), (62, 0), (62, u64::MAX), (0, u64::MAX)] {
            let _ = pyramid.cells(&Window { bin_shift, first_bin, columns: 64, rows: &groups, layer: Layer::Calls }, &go_on);
            let from_ns = first_bin << bin_shift.min(40);
            tables::touch(&pyramid, from_ns..from_ns.saturating_add(64 << bin_shift));
        }
        let _ = pyramid.calls_in(0..u64::MAX, &groups[0]);
        let _ = pyramid.calls_in(5000..5001, &groups[1]);
    }
}

/// Time of each function and calls of all.
fn sum(cells: &[Expected]) -> (BTreeMap<u16, u64>, u64) {
    let mut all = BTreeMap::new();
    for (&function, &time_ns) in cells.iter().flat_map(|c| &c.time_ns) {
        *all.entry(function).or_default() += time_ns;
    }
    (all, cells.iter().map(|c| c.calls).sum())
}

/// Blocks can be asked as soon as they are made, and stay as they were.
#[test]
fn it_can_be_asked_while_it_grows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("preview");
    let steps = vec![(0..4000).map(|k| (k % 50, k % 70, (k % 3) as u32, k as u8)).collect(); 5];
    let run = made(3, steps, (1..30).map(|k| k * 10_000).collect(), 100, 700);
    let facts = vec![(0..3).map(|f| facts(100 + f, 1)).collect::<Vec<_>>(); 5];
    let dimensions = Dimensions { ranks: vec![RankRow::default(); 5], ..Dimensions::default() };
    let mut builder = Builder::create(&path, "x", &dimensions, &facts).unwrap().with_blocks_of(run.block_calls);
    let live = builder.live();
    assert_eq!((live.view().unwrap().calls(), live.view().unwrap().time_ns()), (0, 0..0));
    let groups = [RankGroup::from(0..5), RankGroup::from(2..3)];
    let mut answers = Vec::new();
    for ((_, batch), waits) in run.batches.iter().zip(&run.waits_of) {
        builder.add_batch(batch, waits).unwrap();
        let view = live.view().unwrap();
        let window = Window { bin_shift: 12, first_bin: 0, columns: 90, rows: &groups, layer: Layer::Calls };
        let cells = view.cells(&window, &go_on).unwrap();
        answers.push((view, cells));
    }
    builder.finish().unwrap();
    assert!(answers.iter().map(|(view, _)| view.blocks()).max() > Some(3));
    for (view, cells) in answers {
        let window = Window { bin_shift: 12, first_bin: 0, columns: 90, rows: &groups, layer: Layer::Calls };
        assert_eq!(view.cells(&window, &go_on).unwrap(), cells);
    }
    let whole = Pyramid::open(&path).unwrap();
    assert_eq!((whole.source(), whole.ranks()), ("x", 5));
    assert_eq!(whole.calls(), live.view().unwrap().calls());
    let window = Window { bin_shift: 12, first_bin: 0, columns: 90, rows: &groups, layer: Layer::Calls };
    let before = whole.cells(&window, &go_on).unwrap();
    whole.forget(0);
    assert_eq!(whole.cells(&window, &go_on).unwrap(), before);
    assert!(matches!(
        whole.cells(&Window { bin_shift: 3, first_bin: 0, columns: 9, rows: &groups, layer: Layer::Calls }, &|| true),
        Err(PyramidError::Cancelled)
    ));
}

#[test]
fn files_that_are_none() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("preview");
    assert!(matches!(Pyramid::open(&path), Err(PyramidError::Read(..))));
    std::fs::write(&path, "").unwrap();
    assert!(Pyramid::open(&path).is_err());
    std::fs::write(&path, [0; 100]).unwrap();
    assert!(matches!(Pyramid::open(&path), Err(PyramidError::Damaged(_))));
    let run = made(2, vec![], vec![], 0, 10);
    assert_eq!(run.write(&path).time_ns(), 0..0);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = 9;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(Pyramid::open(&path), Err(PyramidError::Newer(_, 9))));
    bytes[8] = 1;
    std::fs::write(&path, &bytes).unwrap();
    assert!(matches!(Pyramid::open(&path), Err(PyramidError::Older(_, 1))));
}
