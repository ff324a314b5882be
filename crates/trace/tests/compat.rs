//! Every format version ever released stays readable: one real file of each is kept here.
//!
//! `v1.rank.gz`: rank file of `callmix --reps 1` under Open MPI 4.1, two ranks, recorded with
//! `--buffer 1M`.

use std::io::Read;

use mpiscope_trace::RankFile;
use mpiscope_trace::defs::Definition;
use mpiscope_trace::layout::state;
use mpiscope_trace::shape::flag;

fn unpack(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).expect("a gzip file");
    bytes
}

#[test]
fn version_1() {
    let bytes = unpack(include_bytes!("compat/v1.rank.gz"));
    let file = RankFile::parse(bytes.as_slice()).expect("readable");
    assert_eq!(file.header.version, 1);
    assert_eq!((file.header.world_size, file.header.state, file.damaged), (2, state::FINALIZED, 0));
    assert_eq!(file.threads.len(), 1);
    // Its header ends before there were places in it.
    assert_eq!(file.header.was_reached(0), None);
    let named =
        |name: &str| file.definitions.iter().any(|d| matches!(d, Definition::CommName { name: n, .. } if n == name));
    assert!(named("MPI_COMM_WORLD") && named("MPI_COMM_SELF"));
    assert!(
        file.definitions.iter().any(|d| matches!(d, Definition::Module { path, .. } if path.ends_with("/callmix")))
    );

    // Every call is both in the ring and in the statistics.
    let shapes = &file.threads[0].shapes;
    let counted: u64 = shapes.iter().filter(|s| s.flags & flag::SUMMARY_ONLY == 0).map(|s| s.calls).sum();
    let (mut seen, mut requests, mut made) = (0, 0, 0);
    let damaged = file
        .events(0, |_, event| {
            seen += event.calls;
            requests += event.requests.len();
            made += usize::from(event.new_object.is_some());
        })
        .expect("decodable");
    assert_eq!((damaged, seen), (0, counted));
    assert_eq!((counted, requests, made), (662, 155, 39));
}
