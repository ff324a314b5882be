use std::path::Path;

use mpiscope_trace::defs::Definition;
use mpiscope_trace::shape::{flag, inline};
use mpiscope_trace::testing::Builder;
use mpiscope_trace::varint::zigzag;
use mpiscope_trace::writer::{Completed, Extra, ahead, divided};
use mpiscope_trace::{Event, RankFile, Shape};
use proptest::prelude::*;

use crate::{Becomes, Carries, End, How, Plan, RankCopy, Times};

const SECOND: u64 = 1_000_000_000;

fn id(name: &str) -> u32 {
    mpiscope_abi::by_name(name).unwrap()
}

fn plan(without: Vec<bool>) -> Plan<impl Fn(u64) -> u64> {
    let since_origin = |ticks: u64| ticks.saturating_sub(SECOND);
    Plan {
        without,
        since_origin,
        origin_ns: 5 * SECOND,
        begin: (1_000_000, 1_000_000),
        run_id: 77,
        has_gone_requests: true,
        host: None,
    }
}

fn events(path: &Path) -> (RankFile, Vec<Event>) {
    let file = RankFile::open(path).unwrap();
    assert_eq!(file.damaged, 0);
    let mut found = Vec::new();
    assert_eq!(file.events(0, |_, event| found.push(event.clone())).unwrap(), 0);
    (file, found)
}

/// A send, a receive of three requests and a region around both, each so often.
fn recorded(rounds: u64, dir: &Path) -> std::path::PathBuf {
    let mut file = Builder::new(0, 2);
    let thread = &mut file.threads[0];
    let send = thread.shape(Shape { function: id("MPI_Send"), bytes_out: 8, ..Shape::default() });
    let wait = thread.shape(Shape { function: id("MPI_Waitall"), flags: flag::REQUESTS, ..Shape::default() });
    let region = thread.shape(Shape { function: mpiscope_trace::annotation::REGION, region: 1, ..Shape::default() });
    let done = [Completed { request: 9, has_status: true, source: 1, tag: 2, bytes: 3 }; 3];
    for i in 0..rounds {
        let at = SECOND + 2_000_000 + 10_000 * i;
        thread.event(send, at, 1000, &Extra::NONE);
        thread.event(wait, at + 2000, 3000, &Extra { requests: &done, ..Extra::NONE });
        thread.event(region, at - 100, 6000, &Extra::NONE);
    }
    let path = dir.join("a.rank");
    std::fs::write(&path, file.bytes()).unwrap();
    path
}

#[test]
fn records_get_other_times_and_keep_everything_else() {
    let dir = tempfile::tempdir().unwrap();
    let rounds = 20_000;
    let from = recorded(rounds, dir.path());
    let to = dir.path().join("b.rank");
    let mut copy = RankCopy::new(&from, &to, plan(Vec::new())).unwrap();
    let at = |i: u64, from: u64, until: u64| {
        let begin = 2_000_000 + 20_000 * i;
        Times { start_ns: begin + from, end_ns: begin + until }
    };
    for i in 0..rounds {
        copy.row(2 * i);
        copy.row(2 * i + 1);
        copy.call(2 * i, at(i, 0, 500), How::default()).unwrap();
        copy.call(2 * i + 1, at(i, 600, 9000), How::default()).unwrap();
    }
    copy.finish((999_000_000, 1_999_000_000)).unwrap();
    let ((was, before), (is, after)) = (events(&from), events(&to));
    assert_eq!((before.len(), after.len()), (60_000, 60_000));
    for (i, (a, b)) in before.iter().zip(&after).enumerate() {
        assert_eq!((a.shape, &a.requests, &a.inline, a.calls), (b.shape, &b.requests, &b.inline, b.calls), "{i}");
    }
    let times = |event: &Event| (event.start - 5 * SECOND, event.start + event.duration - 5 * SECOND);
    assert_eq!([0, 1].map(|i| times(&after[i])), [(2_000_000, 2_000_500), (2_000_600, 2_009_000)]);
    let (begin, end) = times(&after[2]);
    assert!((1_999_000..=2_000_000).contains(&begin) && (2_009_000..2_020_000).contains(&end), "{begin} {end}");
    // Statistics are those of the new times.
    let shapes = &is.threads[0].shapes;
    assert_eq!(
        (shapes[0].calls, shapes[0].ticks, shapes[0].max_ticks, shapes[0].min_ticks),
        (rounds, 500 * rounds, 500, 500)
    );
    assert_eq!(shapes[1].ticks, 8400 * rounds);
    assert_eq!((is.header.run_id, is.header.finalize_start), (77, 5 * SECOND + 1_999_000_000));
    assert_eq!(is.clock().ns(is.header.init_end), 5 * SECOND + 1_000_000);
    assert_eq!(is.definitions, was.definitions);
}

#[test]
fn a_list_of_requests_that_is_too_long_for_a_record() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Builder::new(0, 2);
    let thread = &mut file.threads[0];
    let wait = thread.shape(Shape { function: id("MPI_Waitall"), flags: flag::REQUESTS, ..Shape::default() });
    let beside = thread.shape(ahead());
    let all: Vec<_> = (1..=1_000).map(|request| Completed { request, ..Completed::default() }).collect();
    for at in [SECOND + 2_000_000, SECOND + 3_000_000] {
        let (parts, requests) = divided(&all);
        parts.for_each(|requests| thread.event(beside, at, 0, &Extra { requests, ..Extra::NONE }));
        thread.event(wait, at, 1_000, &Extra { requests, ..Extra::NONE });
    }
    let (from, to) = (dir.path().join("a.rank"), dir.path().join("b.rank"));
    std::fs::write(&from, file.bytes()).unwrap();
    let mut copy = RankCopy::new(&from, &to, plan(Vec::new())).unwrap();
    (0..2).for_each(|row| copy.row(row));
    for row in 0..2 {
        let start_ns = 2_000_000 + 500_000 * row;
        copy.call(row, Times { start_ns, end_ns: start_ns + 200 }, How::default()).unwrap();
    }
    copy.finish((999_000_000, 900_000_000)).unwrap();
    let (file, after) = events(&to);
    assert_eq!(after.len(), 2);
    assert!(after.iter().all(|event| event.requests == all));
    assert_eq!(file.threads[0].shapes[wait as usize].calls, 2);
}

#[test]
fn calls_that_are_left_out_or_become_non_blocking() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Builder::new(0, 2);
    let thread = &mut file.threads[0];
    let [send, receive, barrier] = ["MPI_Send", "MPI_Recv", "MPI_Barrier"]
        .map(|name| thread.shape(Shape { function: id(name), site: 4, bytes_out: 8, ..Shape::default() }));
    for (i, shape) in [send, receive, barrier].into_iter().enumerate() {
        thread.event(shape, SECOND + 2_000_000 + 10_000 * i as u64, 1000, &Extra::NONE);
    }
    let (from, to) = (dir.path().join("a.rank"), dir.path().join("b.rank"));
    std::fs::write(&from, file.bytes()).unwrap();
    let mut copy = RankCopy::new(&from, &to, plan(vec![false, false, true])).unwrap();
    (0..3).for_each(|row| copy.row(row));
    let at = |start_ns, end_ns| Times { start_ns, end_ns };
    let apart = How { becomes: Becomes::Apart, ..How::default() };
    copy.call(1, at(2_000_000, 2_000_000), How { is_early: true, ..apart }).unwrap();
    copy.call(0, at(2_000_000, 2_000_100), apart).unwrap();
    copy.wait(at(2_000_200, 2_009_000));
    copy.call(2, at(2_019_000, 2_019_000), How::default()).unwrap();
    copy.finish((999_000_000, 900_000_000)).unwrap();
    let (file, after) = events(&to);
    let shapes = &file.threads[0].shapes;
    let names: Vec<&str> = after.iter().map(|e| mpiscope_abi::name(shapes[e.shape as usize].function)).collect();
    assert_eq!(names, ["MPI_Irecv", "MPI_Isend", "MPI_Waitall"]);
    let begun: Vec<u32> = after[..2].iter().map(|e| e.request.unwrap()).collect();
    assert_eq!(after[2].requests.iter().map(|done| done.request).collect::<Vec<_>>(), begun);
    assert_ne!(begun[0], begun[1]);
    let calls = |name: &str| shapes.iter().filter(|s| s.function == id(name)).map(|s| s.calls).sum::<u64>();
    let counts = ["MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Waitall", "MPI_Barrier"].map(calls);
    assert_eq!(counts, [0, 1, 0, 1, 1, 0]);
    assert_eq!(shapes.last().map(|s| (s.site, s.sum_requests, s.count)), Some((4, 2, 2)));
}

/// Four sends (the last two with their arguments in the record), of which the last one sends everything; two waits that become one.
#[test]
fn calls_that_take_over_what_others_did() {
    let dir = tempfile::tempdir().unwrap();
    let mut file = Builder::new(0, 2);
    file.define(Definition::Datatype {
        id: 7,
        size: 1,
        extent: 1,
        combiner: -1,
        created_by: 0,
        name: "MPI_BYTE".to_owned(),
    });
    let thread = &mut file.threads[0];
    let of = |flags| Shape { function: id("MPI_Isend"), flags, site: 4, comm: 1, datatype: 3, ..Shape::default() };
    let plain = Shape { count: 1, bytes_out: 8, peer: 1, tag: 5, ..of(flag::REQUEST) };
    let mask = inline::COUNT | inline::PEER | inline::TAG | inline::BYTES;
    let spelled = thread.shape(Shape { inline_mask: mask, ..of(flag::REQUEST | flag::INLINE) });
    let plain = thread.shape(plain);
    let wait = thread.shape(Shape { function: id("MPI_Wait"), flags: flag::REQUESTS, count: 1, ..Shape::default() });
    let at = |i: u64| SECOND + 2_000_000 + 10_000 * i;
    for i in 0..4u64 {
        let values = [i, zigzag(1), zigzag(5), 8 * i, 0];
        let (shape, values) = if i < 2 { (plain, &[][..]) } else { (spelled, &values[..]) };
        thread.event(shape, at(i), 100, &Extra { inline: values, request: 1 + i as u32, ..Extra::NONE });
    }
    for (i, request) in [(4, 1), (5, 2), (6, 3), (7, 4)] {
        let requests = [Completed { request, ..Completed::default() }];
        thread.event(wait, at(i), 100, &Extra { requests: &requests, ..Extra::NONE });
    }
    let (from, to) = (dir.path().join("a.rank"), dir.path().join("b.rank"));
    std::fs::write(&from, file.bytes()).unwrap();
    let mut copy = RankCopy::new(&from, &to, plan(Vec::new())).unwrap();
    (0..8).for_each(|row| copy.row(row));
    let times = |i: u64| Times { start_ns: 2_000_000 + 10_000 * i, end_ns: 2_000_000 + 10_000 * i + 100 };
    let gone = |to| How { becomes: Becomes::Gone(to), ..How::default() };
    copy.call(0, times(0), How::default()).unwrap();
    copy.call(1, times(1), gone(3)).unwrap();
    copy.call(2, times(2), gone(3)).unwrap();
    let out = Some(End { bytes: 48, world_rank: 1, is_joined: true });
    let carries = Becomes::Carrying(Carries { out, into: None });
    copy.call(3, times(3), How { becomes: carries, ..How::default() }).unwrap();
    // The waits for 1, and for 2, which is now 4.
    copy.call(4, times(4), How { becomes: Becomes::WaitForAll(&[5]), ..How::default() }).unwrap();
    copy.call(5, times(5), gone(4)).unwrap();
    copy.call(6, times(6), How::default()).unwrap();
    copy.call(7, times(7), How::default()).unwrap();
    copy.finish((999_000_000, 900_000_000)).unwrap();
    let (file, after) = events(&to);
    let shapes = &file.threads[0].shapes;
    let of = |event: &Event| shapes[event.shape as usize];
    let names: Vec<&str> = after.iter().map(|e| mpiscope_abi::name(of(e).function)).collect();
    assert_eq!(names, ["MPI_Isend", "MPI_Isend", "MPI_Waitall"]);
    let all = of(&after[1]);
    assert_eq!((all.bytes_out, all.count, all.datatype, all.peer, all.tag), (48, 48, 7, 1, 5));
    assert_eq!((all.world_peer, all.inline_mask, all.calls, all.sum_bytes_out), (1, 0, 1, 0));
    assert_eq!(after[1].request, Some(4));
    assert_eq!(after[2].requests.iter().map(|done| done.request).collect::<Vec<_>>(), [1, 4]);
    let calls: u64 = shapes.iter().map(|shape| shape.calls).sum();
    assert_eq!(calls, 3, "{shapes:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    /// Any calls with regions between them, at any later times: each record keeps its place.
    #[test]
    fn order_is_kept(steps in prop::collection::vec((0u64..50_000, 0u64..50_000, 0u64..50_000, 0u64..50_000, any::<bool>()), 1..600)) {
        let dir = tempfile::tempdir().unwrap();
        let mut file = Builder::new(0, 1);
        let thread = &mut file.threads[0];
        let call = thread.shape(Shape { function: id("MPI_Barrier"), ..Shape::default() });
        let region = thread.shape(Shape { function: mpiscope_trace::annotation::REGION, ..Shape::default() });
        let (mut now, mut copy_ns, mut times, mut begun) = (SECOND + 2_000_000, 2_000_000, Vec::new(), Vec::new());
        for &(gap, own, new_gap, new_own, is_region) in &steps {
            if is_region { begun.push(now + gap / 2) }
            now += gap;
            thread.event(call, now, own, &Extra::NONE);
            now += own;
            times.push(Times { start_ns: copy_ns + new_gap, end_ns: copy_ns + new_gap + new_own });
            copy_ns += new_gap + new_own;
            if !is_region && let Some(start) = begun.pop() { thread.event(region, start, now - start, &Extra::NONE) }
        }
        let (from, to) = (dir.path().join("a.rank"), dir.path().join("b.rank"));
        std::fs::write(&from, file.bytes()).unwrap();
        let mut copy = RankCopy::new(&from, &to, plan(Vec::new())).unwrap();
        for (row, time) in times.iter().enumerate() {
            copy.row(row as u64);
            copy.call(row as u64, *time, How::default()).unwrap();
        }
        copy.finish((999_000_000, 999_000_000.max(copy_ns))).unwrap();
        let ((_, before), (_, after)) = (events(&from), events(&to));
        prop_assert_eq!(before.len(), after.len());
        let end = |event: &Event| event.start + event.duration;
        let moments = |events: &[Event]| events.iter().flat_map(|e| [e.start, end(e)]).collect::<Vec<u64>>();
        let (a, b) = (moments(&before), moments(&after));
        // What came before something else does not come after it.
        let mut order: Vec<usize> = (0..a.len()).collect();
        order.sort_by_key(|&at| (a[at], b[at]));
        prop_assert!(order.windows(2).all(|w| b[w[0]] <= b[w[1]]));
        let of_calls = after.iter().filter(|e| e.shape == 0);
        let found: Vec<Times> = of_calls.map(|e| Times { start_ns: e.start - 5 * SECOND, end_ns: end(e) - 5 * SECOND }).collect();
        prop_assert_eq!(found, times);
    }
}
