//! The fuzzer's corpus through the reader and the tables, on stable. With `MPISCOPE_BLESS=1` the
//! seeds are written anew, as after a change of the file format.

use std::fs;
use std::path::PathBuf;

use mpiscope_run::{Rank, Resolver, Run, testing};
use mpiscope_trace::RankFile;
use mpiscope_trace::defs::{Definition, runs};
use mpiscope_trace::shape::{Shape, flag, inline};
use mpiscope_trace::testing::{Builder, Folded};
use mpiscope_trace::writer::{Completed, Extra};

fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/rank_file")
}

/// Small files that between them have every kind of record and definition.
fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let mut stuck = testing::rank(1);
    testing::stick(&mut stuck);
    let mut records = Builder::new(0, 2);
    records.define(Definition::Op { id: 1, name: "MPI_SUM".into() }).define(Definition::Unknown { kind: 999 });
    records.define(Definition::Group { id: 1, members: runs(&[1, 0]) });
    let thread = &mut records.threads[0];
    let mut shape =
        |function, flags, inline_mask| thread.shape(Shape { function, flags, inline_mask, ..Shape::default() });
    let plain = shape(350, 0, 0);
    let request = shape(311, flag::REQUEST | flag::OFFSET | flag::NEW_OBJECT, 0);
    let requests = shape(620, flag::REQUESTS, 0);
    let spelled = shape(350, flag::INLINE, inline::COUNT | inline::PEER | inline::BYTES);
    let poll = shape(610, flag::POLL, 0);
    for i in 0..8 {
        let done = [1, 7, 3].map(|request| Completed { request, has_status: i % 2 == 0, source: 1, tag: -1, bytes: 9 });
        let extra = |requests| Extra { inline: &[5, 6, 7, 8], request: i, requests, offset: -3, new_object: 4 };
        let start = 1_000_000_000 + 1000 * u64::from(i);
        for (k, shape) in [plain, request, requests, spelled, poll].into_iter().enumerate() {
            let extra = match shape {
                s if s == poll => Extra { inline: &[3, 40], ..Extra::NONE },
                s if s == requests => extra(&done),
                _ => extra(&[]),
            };
            thread.event(shape, start + 100 * k as u64, 60, &extra);
        }
    }
    let pending = poll + 1;
    (thread.header.poll_shape, thread.header.poll_count) = (pending, 9);
    let good = Folded::fold(&testing::rank(0).bytes());
    let cut = good[..good.len() / 2].to_vec();
    vec![
        ("good", good),
        ("cut", cut),
        ("stuck", Folded::fold(&stuck.bytes())),
        ("records", Folded::fold(&records.bytes())),
        (
            "empty-threads",
            Folded::fold(&{
                let mut b = Builder::new(-1, 0);
                b.threads.clear();
                b.bytes()
            }),
        ),
    ]
}

#[test]
fn corpus_gives_answers() {
    if std::env::var_os("MPISCOPE_BLESS").is_some() {
        fs::create_dir_all(corpus()).unwrap();
        for (name, bytes) in seeds() {
            fs::write(corpus().join(name), bytes).unwrap();
        }
    }
    let mut read = 0;
    for entry in fs::read_dir(corpus()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        let _ = RankFile::parse(bytes.as_slice());
        let Ok(rank) = Rank::read(&path, Folded(&bytes)) else { continue };
        let file = RankFile::parse(Folded(&bytes)).unwrap();
        for thread in 0..file.threads.len() {
            file.events(thread, |_, _| read += 1).unwrap();
        }
        let run = Run {
            path: "run".into(),
            manifest: Default::default(),
            ranks: vec![rank],
            other_exits: Vec::new(),
            diagnostics: Vec::new(),
            worlds: Vec::new(),
        };
        run.summary(|_| true, &Resolver::looking_in(Vec::new()));
    }
    assert!(read > 40, "{read} events: the seeds are stale, write them anew with MPISCOPE_BLESS=1");
}
