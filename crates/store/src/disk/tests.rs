//! What is written is read; the documentation names every column.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;

use super::tables;
use crate::rows::{End, flags};
use crate::{
    About, Batch, Call, CallInfo, Collective, CommId, CommRow, DatatypeRow, Detail, Dimensions, GroupId, Lone,
    LoneReason, LossRow, Manifest, Member, Message, RankBatch, RankId, RankRow, RegionId, RegionRow, SiteId, SiteRow,
    Span, Store, StoreError, WaitCause, WaitRow, Wanted, Writer,
};

fn dimensions(ranks: usize) -> Dimensions {
    // Measured on one host, and not on the others.
    let copy_bytes_per_s = |at: usize| (at == 1).then_some(9_000_000_000);
    let rank = |at: usize| RankRow {
        world_rank: at as i32,
        host: format!("h{at}"),
        pid: 7,
        copy_bytes_per_s: copy_bytes_per_s(at),
        ..RankRow::default()
    };
    Dimensions {
        origin_ns: 5,
        ranks: (0..ranks).map(rank).collect(),
        comms: vec![CommRow {
            key: "world".into(),
            label: "MPI_COMM_WORLD".into(),
            members: vec![RankId(0), RankId::NONE, RankId(1)],
            is_inter: false,
            dims: vec![(3, true), (1, false)],
            neighbors: Vec::new(),
        }],
        groups: vec![Vec::new(), vec![RankId(1), RankId::NONE]],
        sites: vec![
            SiteRow::default(),
            SiteRow { text: "main a.c:3".into(), frames: vec!["main a.c:3".into(), "_start".into()] },
        ],
        regions: vec![
            RegionRow { name: "solve".into(), parent: None },
            RegionRow { name: "halo".into(), parent: Some(0) },
        ],
        datatypes: (0..ranks as u32)
            .map(|rank| {
                let row = DatatypeRow { name: "MPI_DOUBLE".into(), size_bytes: 8, extent_bytes: -8, created_by: 0 };
                BTreeMap::from([(3 + rank, row)])
            })
            .collect(),
        ..Dimensions::default()
    }
}

fn call_info(function: &str) -> CallInfo {
    let function = mpiscope_abi::by_name(function).unwrap();
    CallInfo {
        function,
        role: mpiscope_abi::role::role(function),
        flags: flags::NON_BLOCKING,
        comm: CommId(0),
        peer: RankId(1),
        peer2: RankId::NONE,
        tag: -1,
        tag2: i32::MIN,
        root: RankId::NONE,
        bytes_sent: 80,
        bytes_received: 0,
        count: 10,
        datatype: 3,
        op: 0,
        window: 0,
        file: 0,
        group: GroupId(1),
        site: SiteId(1),
        region: RegionId(1),
        calls: 7,
        time_ns: 700,
    }
}

fn end(row: u64, is_done: bool) -> End {
    let posted = End { row, start_ns: 10 * row, end_ns: 10 * row + 1, facts: 0, ..End::default() };
    match is_done {
        true => End { done_row: row + 1, done_start_ns: 9, done_end_ns: 10, done_facts: 1, done_with: 2, ..posted },
        false => End { done_row: End::NEVER, done_facts: 0, ..posted },
    }
}

/// A batch in which rank 0 makes `calls` calls after `first` others, and something of everything else.
fn batch(first: u64, calls: u64, ranks: usize, is_last: bool) -> Batch {
    let call = |row: u64| Call { start_ns: 10 * row, end_ns: 10 * row + 5, calls: 1, ..Call::default() };
    let mut rows = RankBatch {
        first_row: if calls == 0 { 0 } else { first },
        calls: (first..first + calls).map(call).collect(),
        ..Default::default()
    };
    let spelled = Detail {
        peer: RankId(0),
        peer2: RankId::NONE,
        tag: 4,
        tag2: i32::MIN,
        bytes_sent: 5,
        bytes_received: 6,
        count: 7,
        offset: -8,
    };
    if let Some(last) = rows.calls.last_mut() {
        (last.detail, last.flags, last.thread) = (1, flags::NESTED, 3);
        rows.details.push(spelled);
    }
    rows.regions.push(Span { region: RegionId(1), thread: 1, start_ns: first, end_ns: first + 1 });
    let mut all = vec![rows];
    all.resize_with(ranks, RankBatch::default);
    let message = |sequence: u64, is_done| Message {
        comm: CommId(0),
        sender: RankId(0),
        receiver: RankId(ranks as u32 - 1),
        tag: -5,
        bytes: 80,
        sequence,
        send: end(first, is_done),
        receive: end(first + 1, true),
        flags: flags::ANY_SOURCE | flags::INFERRED,
    };
    let member = |rank| Member { rank: RankId(rank), end: end(first, true), bytes_sent: 1, bytes_received: 2 };
    Batch {
        open: Vec::new(),
        until_ns: if is_last { u64::MAX } else { 10 * (first + calls) },
        ranks: all,
        messages: vec![message(first, true), message(first + 1, false)],
        collectives: vec![Collective {
            comm: CommId(0),
            index: first,
            function: mpiscope_abi::by_name("MPI_Barrier").unwrap(),
            root: RankId::NONE,
            members: 0..2,
            missing: 1,
        }],
        members: vec![member(0), member(ranks as u32 - 1)],
        lone: vec![Lone {
            rank: RankId(0),
            peer: RankId::NONE,
            comm: CommId::NONE,
            tag: None,
            bytes: 3,
            is_send: true,
            end: end(first, false),
            reason: LoneReason::PeerUnknown,
        }],
        is_last,
    }
}

fn wait() -> WaitRow {
    let cause = Some(WaitCause { rank: RankId(1), row: 4, facts: 0, start_ns: 44 });
    WaitRow { kind: "late_sender", rank: RankId(0), row: 1, facts: 0, start_ns: 11, end_ns: 22, cause }
}

fn write(
    place: &Path,
    dimensions: &Dimensions,
    call_info: &[Vec<CallInfo>],
    batches: &[Batch],
    calls: u64,
) -> Manifest {
    let about = About { source: "made up".into(), calls, has_waits: true, ..About::default() };
    let mut writer = Writer::create(place, &about, dimensions, call_info).unwrap();
    for batch in batches {
        writer.append(call_info, batch, &[wait()]).unwrap();
    }
    let losses = [LossRow { rank: RankId(0), what: "events_overwritten", count: 3 }];
    writer.finish(dimensions, call_info, &losses).unwrap()
}

pub(super) fn read(store: &Store, wanted: Wanted) -> Vec<Batch> {
    let mut batches = store.batches(wanted).unwrap();
    std::iter::from_fn(|| batches.next_batch().unwrap()).collect()
}

/// Call info of two functions on each rank.
fn all_call_info(ranks: usize) -> Vec<Vec<CallInfo>> {
    vec![vec![call_info("MPI_Isend"), call_info("MPI_Wait")]; ranks]
}

#[test]
fn what_is_written_is_read() {
    for (ranks, calls) in [(2, 0), (2, 10_000_000), (40, 10_000_000)] {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        let (dimensions, call_info) = (dimensions(ranks), all_call_info(ranks));
        let batches = [batch(0, 3, ranks, false), batch(3, 0, ranks, false), batch(3, 4, ranks, true)];
        let manifest = write(&place, &dimensions, &call_info, &batches, calls);
        let rows = |name: &str| manifest.tables.iter().find(|t| t.name == name).unwrap().rows;
        assert_eq!((rows("calls"), rows("messages"), rows("members"), rows("waits")), (7, 6, 6, 3));
        let store = Store::open(&place).unwrap();
        assert_eq!(*store.manifest(), manifest);
        assert_eq!(format!("{:?}", store.dimensions()), format!("{dimensions:?}"));
        assert_eq!(format!("{:?}", store.call_info()), format!("{call_info:?}"));
        assert_eq!(format!("{:?}", read(&store, Wanted::default())), format!("{:?}", batches));
    }
}

/// Row groups end with stretches, also where rows of many ranks lie side by side.
#[test]
fn more_than_a_row_group() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    let (dimensions, call_info) = (dimensions(3), all_call_info(3));
    let mut batches: Vec<Batch> = (0..7).map(|k| batch(k * 300_000, 300_000, 3, k == 6)).collect();
    for batch in &mut batches {
        let RankBatch { first_row, calls, .. } = &batch.ranks[0];
        batch.ranks[2] = RankBatch { first_row: *first_row, calls: calls.clone(), ..RankBatch::default() };
        batch.ranks[2].calls.iter_mut().for_each(|c| c.detail = 0);
    }
    write(&place, &dimensions, &call_info, &batches, 1);
    let store = Store::open(&place).unwrap();
    let found = read(&store, Wanted::default());
    assert_eq!(found.len(), 7);
    for (a, b) in found.iter().zip(&batches) {
        assert!(a.ranks[0].calls == b.ranks[0].calls && a.ranks[2].calls == b.ranks[2].calls);
    }
    let part = Wanted { time_ns: Some(5_000_000..5_000_100), ranks: Some(vec![RankId(2)]) };
    let calls: Vec<&Call> = Vec::new();
    let found = read(&store, part);
    let calls = found.iter().fold(calls, |mut all, b| {
        all.extend(b.ranks.iter().flat_map(|r| &r.calls));
        all
    });
    let starts: Vec<u64> = calls.iter().map(|c| c.start_ns).collect();
    assert_eq!(starts, (0..10).map(|k| 5_000_000 + 10 * k).collect::<Vec<_>>());
    assert!(found.iter().all(|b| b.ranks[0].calls.is_empty()));
}

#[test]
fn nothing_is_left_of_what_was_not_finished() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    let (dimensions, call_info) = (dimensions(2), all_call_info(2));
    let mut writer = Writer::create(&place, &About::default(), &dimensions, &call_info).unwrap();
    writer.append(&call_info, &batch(0, 3, 2, false), &[]).unwrap();
    let second = Writer::create(&place, &About::default(), &dimensions, &call_info);
    assert!(matches!(second, Err(StoreError::Busy(_))));
    assert!(matches!(Store::open(&place), Err(StoreError::Missing(_))));
    drop(writer);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left, ["store.lock"]);
    // What a killed builder leaves behind is no obstacle.
    std::fs::create_dir_all(folder.path().join("store.partial/calls")).unwrap();
    write(&place, &dimensions, &call_info, &[batch(0, 3, 2, true)], 0);
    let first = Store::open(&place).unwrap();
    write(&place, &dimensions, &call_info, &[batch(0, 2, 2, true)], 0);
    let second = Store::open(&place).unwrap();
    assert_eq!((calls(&first), calls(&second)), (3, 2));
    assert!(!folder.path().join("store.old").exists());
}

/// However often it is interrupted, the store is that of a builder that was not.
#[test]
fn what_was_finished_is_not_done_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    let (dimensions, call_info) = (dimensions(5), all_call_info(5));
    let batches: Vec<Batch> = (0..9).map(|k| batch(k * 10, 10, 5, k == 8)).collect();
    let about = |source: &str, is_anew| About {
        source: source.into(),
        calls: 10_000_000,
        has_waits: true,
        is_anew,
        calls_of_section: Some(20),
    };
    let begin = |about: &About, until: usize| {
        let mut writer = Writer::create(&place, about, &dimensions, &call_info).unwrap();
        for batch in &batches[..until] {
            writer.append(&call_info, batch, &[wait()]).unwrap();
        }
        writer
    };
    for (until, finished) in [(1, 0), (3, 0), (1, 2), (6, 2), (8, 6)] {
        assert_eq!(begin(&about("one", false), 0).stretches_finished(), finished);
        assert_eq!(begin(&about("one", false), until).is_kept(), until > 1 || finished > 0);
    }
    // A run that is read otherwise.
    let mut writer = begin(&about("one", false), 5);
    let failed = (5..9).find_map(|k| writer.append(&call_info, &batch(k * 11, 10, 5, false), &[]).err());
    assert!(matches!(failed, Some(StoreError::Differs)), "{failed:?}");
    drop(writer);
    let manifest = begin(&about("one", false), 9).finish(&dimensions, &call_info, &[]).unwrap();
    let calls = manifest.tables.iter().find(|t| t.name == "calls").unwrap();
    assert_eq!((calls.rows, calls.files), (90, 5));
    let store = Store::open(&place).unwrap();
    let found = read(&store, Wanted::default());
    assert_eq!(format!("{found:?}"), format!("{batches:?}"));
    let files = std::fs::read_dir(place.join("messages")).unwrap().count() as u64;
    assert_eq!(files, manifest.tables.iter().find(|t| t.name == "messages").unwrap().files);
    assert!(!place.join("checkpoint.json").exists());
    // Another run, and one that is wanted anew, begin from the beginning.
    for (source, is_anew) in [("two", false), ("two", true), ("three", false)] {
        let writer = begin(&about(source, is_anew), 3);
        assert_eq!(writer.stretches_finished(), 2);
        drop(writer);
        let next = Writer::create(&place, &about(source, true), &dimensions, &call_info).unwrap();
        assert_eq!((next.stretches_finished(), next.is_kept()), (0, false));
    }
}

fn calls(store: &Store) -> u64 {
    store.manifest().tables.iter().find(|t| t.name == "calls").unwrap().rows
}

#[test]
fn places_that_cannot_be_written() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let place = folder.path().join("file/store");
    let failed = Writer::create(&place, &About::default(), &dimensions(1), &all_call_info(1)).err().unwrap();
    assert!(failed.to_string().contains("--store DIR"), "{failed}");
}

#[test]
fn newer_and_damaged_stores() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    write(&place, &dimensions(2), &all_call_info(2), &[batch(0, 3, 2, true)], 0);
    let manifest = std::fs::read_to_string(place.join("store.json")).unwrap();
    std::fs::write(place.join("store.json"), manifest.replace("\"format\": 2", "\"format\": 9")).unwrap();
    assert!(matches!(Store::open(&place), Err(StoreError::Newer(_, 9))));
    std::fs::write(place.join("store.json"), &manifest).unwrap();
    let calls = place.join("calls/part-0000.parquet");
    let bytes = std::fs::read(&calls).unwrap();
    for keep in [0, 4, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&calls, &bytes[..keep]).unwrap();
        let store = Store::open(&place).unwrap();
        let failed = store.batches(Wanted::default()).err().expect("no footer").to_string();
        assert!(failed.contains("part-0000.parquet") && failed.contains("--force"), "{failed}");
    }
}

/// Tables and columns by which others find what repeats are part of the format.
#[test]
fn names_of_format_1_end_otherwise() {
    assert_eq!(tables::name_in_format_1("call_info").as_deref(), Some("facts"));
    assert_eq!(tables::name_in_format_1("send_done_call_info").as_deref(), Some("send_done_facts"));
    assert_eq!(tables::name_in_format_1("calls"), None);
}

#[test]
fn the_documentation_names_every_column() {
    let text = include_str!("../../../../docs/store.md");
    for (table, columns) in tables::all() {
        let chapter = text.split(&format!("### `{table}`\n")).nth(1);
        let chapter = chapter.unwrap_or_else(|| panic!("docs/store.md: no chapter on {table}"));
        let chapter = chapter.split("\n##").next().unwrap_or_default();
        for (name, _) in columns {
            let name = format!("`{name}`");
            assert!(chapter.contains(&name), "docs/store.md, {table}: nothing on {name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Damage in a file is an error or other rows, never a panic.
    #[test]
    fn no_damage_panics(hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8), table in 0usize..4) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        write(&place, &dimensions(2), &all_call_info(2), &[batch(0, 3, 2, true)], 0);
        let table = ["calls", "messages", "members", "collectives"][table];
        let file = place.join(table).join("part-0000.parquet");
        let mut bytes = std::fs::read(&file).unwrap();
        for (at, byte) in hits {
            let length = bytes.len();
            bytes[at.index(length)] = byte;
        }
        std::fs::write(&file, bytes).unwrap();
        let Ok(store) = Store::open(&place) else { return Ok(()) };
        let Ok(mut batches) = store.batches(Wanted::default()) else { return Ok(()) };
        while let Ok(Some(_)) = batches.next_batch() {}
    }
}
