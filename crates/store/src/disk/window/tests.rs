//! What a window shows is what all batches have in it.

use std::ops::ControlFlow;
use std::path::Path;

use parquet::data_type::Int32Type;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use proptest::prelude::*;

use super::*;
use crate::{
    About, Batch, Call, CallInfo, Collective, CommId, CommRow, Detail, Dimensions, Member, RankBatch, RankId, RankRow,
    RegionId, RegionRow, SiteId, SiteRow, Span, WaitCause, Writer, flags,
};

const RANKS: u32 = 5;

fn call_info() -> CallInfo {
    let function = mpiscope_abi::by_name("MPI_Send").unwrap();
    CallInfo {
        function,
        role: mpiscope_abi::role::role(function),
        flags: 0,
        comm: CommId(0),
        peer: RankId(1),
        peer2: RankId::NONE,
        tag: 1,
        tag2: 2,
        root: RankId::NONE,
        bytes_sent: 8,
        bytes_received: 0,
        count: 1,
        datatype: 0,
        op: 0,
        window: 0,
        file: 0,
        group: crate::GroupId::NONE,
        site: SiteId(0),
        region: RegionId::NONE,
        calls: 0,
        time_ns: 0,
    }
}

/// Rank, time since the rank's last return, duration, kind of event.
type Step = (u32, u64, u64, u8);

/// Batches of calls one after the other in each rank; now and then a message, an operation, a region, a wait with them.
fn batches(steps: &[Vec<Step>]) -> (Vec<Batch>, Vec<Vec<WaitRow>>) {
    let mut now = [0u64; RANKS as usize];
    let mut rows = [0u64; RANKS as usize];
    let mut operations = 0;
    let mut waits = Vec::new();
    let mut all = Vec::new();
    for (at, steps) in steps.iter().enumerate() {
        let mut batch = Batch { is_last: false, until_ns: at as u64 * 10 + 10, ..Batch::default() };
        batch.ranks.resize_with(RANKS as usize, RankBatch::default);
        let mut found = Vec::new();
        for &(rank, gap, duration, kind) in steps {
            let place = rank as usize;
            let (start_ns, end_ns, row) = (now[place] + gap, now[place] + gap + duration, rows[place]);
            (now[place], rows[place]) = (end_ns, row + 1);
            let to = &mut batch.ranks[place];
            if to.calls.is_empty() {
                to.first_row = row;
            }
            let end = crate::End {
                row,
                start_ns,
                end_ns,
                done_row: row,
                done_start_ns: start_ns,
                done_end_ns: end_ns,
                ..Default::default()
            };
            let mut call = Call { start_ns, end_ns, calls: 1, ..Call::default() };
            match kind {
                0 => {
                    to.details.push(Detail { bytes_sent: 99 + row, ..call_info().detail(-5) });
                    call.detail = to.details.len() as u32;
                    call.flags = flags::NESTED;
                }
                1 => batch.messages.push(Message {
                    comm: CommId(0),
                    sender: RankId(rank),
                    receiver: RankId((rank + 1) % RANKS),
                    tag: 3,
                    bytes: row,
                    sequence: row,
                    send: end,
                    receive: crate::End {
                        start_ns: start_ns + 7,
                        done_row: if row % 2 == 0 { crate::End::NEVER } else { row },
                        done_start_ns: 0,
                        done_end_ns: if row % 2 == 0 { 0 } else { end_ns + 9 },
                        ..end
                    },
                    flags: 0,
                }),
                2 => {
                    let first = batch.members.len();
                    let member = |rank| Member { rank: RankId(rank), end, bytes_sent: 1, bytes_received: 2 };
                    batch.members.extend([member(rank), member((rank + 2) % RANKS)]);
                    batch.collectives.push(Collective {
                        comm: CommId(0),
                        index: operations,
                        function: 7,
                        root: RankId(2),
                        members: first..first + 2,
                        missing: 1,
                    });
                    operations += 1;
                }
                3 => to.regions.push(Span { region: RegionId(0), thread: 1, start_ns, end_ns }),
                4 => found.push(WaitRow {
                    kind: if row % 2 == 0 { "late_sender" } else { "wait_at_nxn" },
                    rank: RankId(rank),
                    row,
                    facts: 0,
                    start_ns,
                    end_ns,
                    cause: (row % 3 == 0).then_some(WaitCause { rank: RankId(0), row: 4, facts: 0, start_ns: 3 }),
                }),
                _ => {}
            }
            to.calls.push(call);
        }
        all.push(batch);
        waits.push(found);
    }
    (all, waits)
}

fn write(place: &Path, batches: &[Batch], waits: &[Vec<WaitRow>]) -> Store {
    let call_info = vec![vec![call_info()]; RANKS as usize];
    let dimensions = Dimensions {
        ranks: vec![RankRow::default(); RANKS as usize],
        comms: vec![CommRow::default()],
        sites: vec![SiteRow::default()],
        regions: vec![RegionRow::default()],
        ..Dimensions::default()
    };
    // Several files, several sections.
    let about = About { calls: 3 << 19, has_waits: true, calls_of_section: Some(40), ..About::default() };
    let mut writer = Writer::create(place, &about, &dimensions, &call_info).unwrap();
    for (batch, waits) in batches.iter().zip(waits) {
        writer.append(&call_info, batch, waits).unwrap();
    }
    writer.finish(&dimensions, &call_info, &[]).unwrap();
    Store::open(place).unwrap()
}

fn steps() -> impl Strategy<Value = Vec<Vec<Step>>> {
    let step = (0..RANKS, 0u64..20, 0u64..30, 0u8..8);
    proptest::collection::vec(proptest::collection::vec(step, 0..60), 1..8)
}

fn go_on() -> bool {
    false
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_window_is_what_all_batches_have_in_it(
        steps in steps(), from in 0u64..1500, length in 0u64..600, chosen in proptest::option::of(proptest::collection::vec(0..RANKS, 0..3)), limit in 0usize..50,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (batches, waits) = batches(&steps);
        let store = write(&folder.path().join("store"), &batches, &waits);
        let reader = WindowReader::open(&store, 1 << 20).unwrap();
        let until = from + length;
        let is_chosen = |rank: u32| chosen.as_ref().is_none_or(|c| c.contains(&rank));
        let is_in = |start: u64, end: u64| end >= from && start < until;
        let ranks = chosen.as_ref().map(|c| c.iter().map(|&r| RankId(r)).collect());
        let wanted = Wanted { time_ns: Some(from..until), ranks };

        let mut calls: Vec<(u32, u64, Call, Option<String>)> = Vec::new();
        for batch in &batches {
            for (rank, rows) in batch.ranks.iter().enumerate() {
                for (at, call) in rows.calls.iter().enumerate() {
                    let detail = (call.detail > 0).then(|| format!("{:?}", rows.details[call.detail as usize - 1]));
                    calls.push((rank as u32, rows.first_row + at as u64, Call { detail: 0, ..*call }, detail));
                }
            }
        }
        calls.sort_by_key(|c| (c.0, c.1));
        let line = |calls: &CallColumns, at: usize| {
            let detail = calls.detail(at).map(|d| format!("{d:?}"));
            (calls.rank[at], calls.row[at], Call { detail: 0, ..calls.call(at) }, detail)
        };
        let lines = |calls: &CallColumns| (0..calls.len()).map(|at| line(calls, at)).collect::<Vec<_>>();
        let mut expected: Vec<_> = calls.iter().filter(|c| is_chosen(c.0) && is_in(c.2.start_ns, c.2.end_ns)).cloned().collect();
        for limit in [usize::MAX, limit] {
            let found = reader.calls(&wanted, limit, |_, _| true, &go_on).unwrap();
            prop_assert_eq!(found.total, expected.len() as u64);
            let mut expected = expected.clone();
            expected.sort_by_key(|c| (std::cmp::Reverse(c.2.end_ns - c.2.start_ns), c.0, c.1));
            expected.truncate(limit);
            expected.sort_by_key(|c| (c.0, c.1));
            prop_assert_eq!(lines(&found.rows), expected);
        }
        expected.retain(|c| c.3.is_some());
        let found = reader.calls(&wanted, usize::MAX, |calls, at| calls.detail(at).is_some(), &go_on).unwrap();
        prop_assert_eq!(lines(&found.rows), expected);

        // One call, and from there to the next and the one before.
        for (at, call) in calls.iter().enumerate().step_by(17) {
            let found = reader.call(RankId(call.0), call.1, &go_on).unwrap();
            prop_assert_eq!(lines(&found), [call.clone()]);
            let is_same = |other: &&(u32, u64, Call, Option<String>)| other.0 == call.0 && other.3.is_some();
            let visit = |calls: &CallColumns, at: usize| match calls.detail(at) {
                Some(_) => ControlFlow::Break(line(calls, at)),
                None => ControlFlow::Continue(()),
            };
            let next = reader.step(RankId(call.0), call.1, true, &go_on, visit).unwrap();
            prop_assert_eq!(next.as_ref(), calls[at + 1..].iter().find(is_same));
            let before = reader.step(RankId(call.0), call.1, false, &go_on, visit).unwrap();
            prop_assert_eq!(before.as_ref(), calls[..at].iter().rev().find(is_same));
        }
        prop_assert!(reader.call(RankId(0), 1 << 40, &go_on).unwrap().is_empty());

        let ends = |end: &crate::End| is_in(end.start_ns, if end.is_done() { end.done_end_ns } else { u64::MAX });
        let mut expected: Vec<Message> = batches.iter().flat_map(|b| &b.messages).copied().collect();
        expected.retain(|m| (is_chosen(m.sender.0) || is_chosen(m.receiver.0)) && (ends(&m.send) || ends(&m.receive)));
        let mut found = reader.messages(&wanted, usize::MAX, |_| true, &go_on).unwrap().rows;
        let key = |m: &Message| (m.sender, m.sequence);
        expected.sort_by_key(key);
        found.sort_by_key(key);
        prop_assert_eq!(&found, &expected);
        let some = reader.messages(&wanted, limit, |_| true, &go_on).unwrap();
        prop_assert_eq!((some.total, some.rows.len()), (expected.len() as u64, expected.len().min(limit)));

        let mut expected: Vec<WaitRow> = waits.iter().flatten().copied().collect();
        expected.retain(|w| is_chosen(w.rank.0) && is_in(w.start_ns, w.end_ns));
        let mut found = reader.waits(&wanted, usize::MAX, |_| true, &go_on).unwrap().rows;
        expected.sort_by_key(|w| (w.rank, w.row));
        found.sort_by_key(|w| (w.rank, w.row));
        prop_assert_eq!(found, expected);

        let mut expected: Vec<(u32, Span)> = Vec::new();
        for batch in &batches {
            for (rank, rows) in batch.ranks.iter().enumerate() {
                expected.extend(rows.regions.iter().map(|span| (rank as u32, *span)));
            }
        }
        expected.retain(|(rank, r)| is_chosen(*rank) && is_in(r.start_ns, r.end_ns));
        let found = reader.regions(&wanted, usize::MAX, |_| true, &go_on).unwrap().rows;
        let mut found: Vec<(u32, Span)> = found.iter().map(|r| (r.rank.0, r.span)).collect();
        expected.sort_by_key(|(rank, r)| (*rank, r.start_ns, r.end_ns));
        found.sort_by_key(|(rank, r)| (*rank, r.start_ns, r.end_ns));
        prop_assert_eq!(found, expected);

        let mut operation = 0;
        let mut expected = Vec::new();
        let mut members = Vec::new();
        for batch in &batches {
            for c in &batch.collectives {
                let of_it = &batch.members[c.members.clone()];
                if of_it.iter().any(|m| is_chosen(m.rank.0) && is_in(m.end.start_ns, m.end.done_end_ns)) {
                    expected.push((operation, c.index, c.function, c.root, of_it[0].end.start_ns, of_it[0].end.end_ns));
                    members.extend(of_it.iter().map(|&member| OperationMember { operation, member }));
                }
                operation += 1;
            }
        }
        let found = reader.collectives(&wanted, usize::MAX, |_| true, &go_on).unwrap().rows;
        let ids: Vec<u64> = found.iter().map(|c| c.operation).collect();
        let found: Vec<_> = found.iter().map(|c| (c.operation, c.index, c.function, c.root, c.first_start_ns, c.last_end_ns)).collect();
        prop_assert_eq!(found, expected);
        prop_assert_eq!(reader.members(&ids, &go_on).unwrap(), members);
    }

    /// Damage in a file is an error or other rows, never a panic.
    #[test]
    fn no_damage_panics(hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), table in 0usize..6) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        let steps: Vec<Step> = (0..60).map(|k| (k % RANKS, 3, u64::from(k), (k % 8) as u8)).collect();
        let (batches, waits) = batches(&[steps]);
        let store = write(&place, &batches, &waits);
        let table = ["calls", "messages", "members", "collectives", "waits", "regions"][table];
        let file = place.join(table).join("part-0000.parquet");
        let mut bytes = std::fs::read(&file).unwrap();
        for (at, byte) in hits {
            let length = bytes.len();
            bytes[at.index(length)] = byte;
        }
        std::fs::write(&file, bytes).unwrap();
        let Ok(reader) = WindowReader::open(&store, 1 << 20) else { return Ok(()) };
        let wanted = Wanted { time_ns: Some(20..400), ranks: Some(vec![RankId(1), RankId(3)]) };
        let _ = reader.calls(&wanted, 10, |_, _| true, &go_on);
        let _ = reader.call(RankId(1), 3, &go_on);
        let _ = reader.step(RankId(1), 3, true, &go_on, |_, _| ControlFlow::<()>::Continue(()));
        let _ = reader.messages(&wanted, 10, |_| true, &go_on);
        let _ = reader.collectives(&wanted, 10, |_| true, &go_on);
        let _ = reader.members(&[0, 1, 2], &go_on);
        let _ = reader.waits(&wanted, 10, |_| true, &go_on);
        let _ = reader.regions(&wanted, 10, |_| true, &go_on);
    }
}

#[test]
fn whoever_gives_up_is_not_answered() {
    let folder = tempfile::tempdir().unwrap();
    let (batches, waits) = batches(&[vec![(0, 1, 1, 1); 30]]);
    let store = write(&folder.path().join("store"), &batches, &waits);
    let reader = WindowReader::open(&store, 1 << 20).unwrap();
    let failed = reader.calls(&Wanted::default(), 9, |_, _| true, &|| true);
    assert!(matches!(failed, Err(StoreError::Cancelled)));
    assert!(matches!(reader.call(RankId(0), 1, &|| true), Err(StoreError::Cancelled)));
    assert_eq!(reader.calls(&Wanted::default(), 9, |_, _| true, &go_on).unwrap().total, 30);
}

/// Stores that were made before there was a page index are read by the same code.
#[test]
fn files_that_say_nothing_of_pages_are_read() {
    for (statistics, ranks) in [(EnabledStatistics::Page, (16, 31)), (EnabledStatistics::Chunk, (0, u32::MAX))] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("waits")).unwrap();
        let file = std::fs::File::create(folder.path().join("waits/part-0000.parquet")).unwrap();
        let schema = Arc::new(parse_message_type("message waits { required int32 rank; }").unwrap());
        let properties = WriterProperties::builder()
            .set_statistics_enabled(statistics)
            .set_data_page_row_count_limit(16)
            .set_write_batch_size(16)
            .build();
        let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&(0..32).collect::<Vec<_>>(), None, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.close().unwrap();
        let files = Files::open(folder.path(), "waits").unwrap();
        let pieces = files.pieces((0, 0), "rank");
        assert_eq!(pieces.iter().map(|piece| piece.places.clone()).collect::<Vec<_>>(), [0..16, 16..32]);
        assert_eq!(files.0[0].bounds(pieces[1].place(), "rank").ranks(), ranks);
        assert_eq!(files.0[0].bounds(0, "rank").ranks(), (0, 31));
    }
}
