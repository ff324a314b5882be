//! Runs made by hand, whole, damaged and missing.

use std::fs;

use mpiscope_run::topology::Topology;
use mpiscope_run::{Fate, Live, OpenError, PeerClass, Rank, Resolver, Run, RunHeader, Summary, testing};
use mpiscope_trace::testing::Folded;
use proptest::prelude::*;

fn summary(make: fn(&std::path::Path) -> std::io::Result<()>) -> (tempfile::TempDir, Run, Summary) {
    let folder = tempfile::tempdir().unwrap();
    make(folder.path()).unwrap();
    let run = Run::open(folder.path(), &Live::default()).unwrap();
    let summary = run.summary(|_| true, &Resolver::default());
    (folder, run, summary)
}

#[test]
fn tables_agree_with_each_other() {
    let (_folder, _run, s) = summary(testing::good_run);
    let total: u64 = s.calls.iter().map(|c| c.sum.time_ns).sum();
    assert_eq!(total, s.overview.time_ns);
    assert_eq!(total, s.sites.iter().map(|r| r.sum.time_ns).sum::<u64>());
    assert_eq!(total, s.ranks.iter().map(|r| r.sum.time_ns).sum::<u64>());
    assert_eq!(s.overview.calls, s.calls.iter().map(|c| c.sum.calls).sum::<u64>());
    for comm in &s.comms {
        assert_eq!(comm.sum.calls, comm.by_call.iter().map(|c| c.sum.calls).sum::<u64>());
    }
}

#[test]
fn inline_shapes_count_once() {
    let (_folder, _run, s) = summary(testing::good_run);
    let recv = s.calls.iter().find(|c| c.call == "MPI_Recv").unwrap();
    assert_eq!((recv.sum.calls, recv.sum.time_ns), (4 * 60, 4 * 60 * 10_000));
    assert_eq!(recv.sum.bytes, 4 * 55_000);
    let bins: Vec<_> = s.sizes.iter().filter(|r| r.call == "MPI_Recv").map(|r| (r.bin, r.sum.calls)).collect();
    assert_eq!(bins, [(None, 40), (Some(7), 200)]);
    let world = s.comms.iter().find(|c| c.id == "world").unwrap();
    let received = world.by_call.iter().find(|c| c.call == "MPI_Recv").unwrap();
    assert_eq!(received.sum.calls, 240, "the split takes the communicator of its inline shape");
}

#[test]
fn peers_bytes_and_nodes() {
    let (_folder, _run, s) = summary(testing::good_run);
    let row = |rank, peer| s.peers.iter().find(|p| (p.rank, p.peer) == (rank, peer)).unwrap();
    assert_eq!((row(0, 1).messages_sent, row(0, 1).bytes_sent, row(0, 1).same_node), (100, 800_000, Some(true)));
    assert_eq!((row(0, 2).bytes_received, row(0, 2).same_node), (80_000, Some(false)));
    assert_eq!((row(0, 3).messages_sent, row(0, 3).messages_received), (0, 50));
    assert_eq!((s.overview.requests_started, s.overview.requests_completed), (1600, 1600));
    let isend = s.calls.iter().find(|c| c.call == "MPI_Isend").unwrap();
    assert_eq!((isend.sum.bytes_sent, isend.sum.bytes_received), (4 * 880_000, 0));
    let waitall = s.calls.iter().find(|c| c.call == "MPI_Waitall").unwrap();
    assert_eq!((waitall.time_ns_by_rank.min.rank, waitall.time_ns_by_rank.max.rank), (0, 3));
}

#[test]
fn objects_of_all_ranks_are_one() {
    let (_folder, _run, s) = summary(testing::good_run);
    let grid = s.comms.iter().find(|c| c.facts.label == "grid").unwrap();
    assert_eq!((grid.facts.size, grid.ranks, grid.facts.members.as_str()), (4, 4, "0-3"));
    assert_eq!(s.ranks[3].coordinates, [("grid".to_owned(), vec![1, 1])]);
    assert_eq!(s.windows.len(), 1);
    assert_eq!((s.files[0].ranks, s.datatypes[0].definitions), (4, 4));
    assert_eq!(s.not_intercepted[0].ranks, 4);
    assert_eq!(s.losses.events_overwritten, 1234 * 6);
    let sites: Vec<_> = s.sites.iter().filter(|r| r.call == "MPI_Waitall").collect();
    assert_eq!(sites.len(), 1, "the same offset at four load addresses is one place");
    assert_eq!(sites[0].frames[0].function, "halo2d+0x1100");
}

#[test]
fn bad_ends_are_told_apart() {
    let (_folder, run, s) = summary(testing::bad_run);
    assert_eq!(run.ranks.len(), 3);
    assert_eq!(s.ranks[0].fate, Fate::Aborted { code: 7 });
    assert_eq!(s.ranks[1].fate.text(), "killed by SIGKILL");
    assert_eq!(s.ranks[2].fate, Fate::Exited { exit_code: 3, initialised: true });
    assert_eq!(s.overview.missing, [(3, 3)]);
    assert_eq!(s.diagnostics[0].id, "file-skipped");
    let stuck = &s.ranks[1].in_flight[0];
    assert_eq!((stuck.call.as_str(), stuck.peer_name, stuck.tag), ("MPI_Recv", Some("MPI_ANY_SOURCE"), Some(42)));
    assert_eq!((stuck.entered_after_ns, stuck.elapsed_ns), (500_000_000, Some(600_000_000)));
    assert_eq!(stuck.site.as_deref(), Some("halo2d+0x1100"));
}

#[test]
fn some_ranks_only() {
    let (_folder, run, _) = summary(testing::good_run);
    let s = run.summary(|rank| rank == 2, &Resolver::default());
    assert_eq!((s.ranks.len(), s.overview.missing.len()), (1, 0));
    assert_eq!(s.overview.left_out, [(0, 1), (3, 3)]);
    let (_folder, run, _) = summary(|path| {
        testing::good_run(path)?;
        let mut early = testing::rank(0);
        early.header.world_rank = -1;
        fs::write(testing::file_name(path, 0, "rank"), early.bytes())
    });
    let s = run.summary(|rank| rank == 2, &Resolver::default());
    assert_eq!(s.overview.left_out, [(-1, -1), (1, 1), (3, 3)]);
    assert_eq!(s.peers.iter().find(|p| p.peer == 3).unwrap().same_node, Some(true), "hosts of the others stay known");
}

#[test]
fn missing_ranks_that_nobody_asked_for_are_not_missed() {
    let (_folder, run, _) = summary(|path| {
        testing::good_run(path)?;
        (1..4).try_for_each(|rank| fs::remove_file(testing::file_name(path, rank, "rank")))
    });
    let missing = |wanted: fn(i32) -> bool| run.summary(wanted, &Resolver::default()).overview.missing;
    assert_eq!(missing(|_| true), [(1, 3)]);
    assert_eq!(missing(|rank| rank != 2), [(1, 1), (3, 3)]);
    assert_eq!(missing(|rank| rank == 0), []);
}

#[test]
fn hops_over_a_ring_by_hand() {
    let (_folder, run, mut s) = summary(testing::good_run);
    // Each rank sends 100 messages of 8000 bytes to rank^1, 100 of 800 bytes to rank^2, and receives from rank^3.
    let ring = "[torus]\nshape = [4]\n[nodes]\nranks_per_node = 1";
    run.locate(&mut s, &Topology::parse(ring).unwrap()).unwrap();
    let hops = s.topology.unwrap();
    assert_eq!((hops.network.as_str(), hops.nodes, hops.nodes_used, hops.by_rank), ("torus 4", 4, 4, true));
    let d = &hops.ranks[2].distances;
    assert_eq!((d.neighbour.partners, d.farther.partners, d.same_node.partners), (2, 1, 0));
    assert_eq!((d.neighbour.messages, d.neighbour.bytes, d.farther.bytes), (100, 800_000, 80_000));
    assert_eq!((d.hops_max, d.hops_mean, d.hops_mean_by_messages), (Some(2), Some(4.0 / 3.0), Some(1.5)));
    assert_eq!(d.hops_mean_by_bytes, Some((800_000.0 + 2.0 * 80_000.0) / 880_000.0));
    assert_eq!((hops.total.neighbour.messages, hops.total.hops_mean_by_messages), (400, Some(1.5)));
    assert_eq!(hops.by_hops.iter().map(|r| (r.hops, r.sent.partners)).collect::<Vec<_>>(), [(1, 8), (2, 4)]);
    assert_eq!(s.peers.iter().find(|p| (p.rank, p.peer) == (0, 2)).unwrap().hops, Some(2));
}

#[test]
fn hosts_that_the_topology_does_not_know_are_said() {
    let (_folder, run, mut s) = summary(testing::good_run);
    let one = "[[switch]]\nname = 's'\nhosts = ['node1.cluster']";
    run.locate(&mut s, &Topology::parse(one).unwrap()).unwrap();
    let said = s.diagnostics.iter().find(|d| d.id == "topology-unknown").unwrap();
    assert_eq!(said.text, "the topology does not contain node2 (2 rank(s)): their hops are unknown");
    let total = &s.topology.as_ref().unwrap().total;
    assert_eq!((total.same_node.messages, total.unknown.messages), (200, 600));
    assert_eq!((total.hops_max, s.topology.as_ref().unwrap().ranks[3].node), (Some(0), None));
    let none = Topology::parse("[[switch]]\nname = 's'\nhosts = ['other']").unwrap();
    let said = run.locate(&mut s, &none).unwrap_err();
    assert!(said.starts_with("it contains none of the run's hosts (node1, node2)"), "{said}");
}

#[test]
fn places_inside_hosts() {
    let (folder, run, s) = summary(|path| testing::good_run(path).and_then(|()| testing::nodes(path)));
    let class = |s: &Summary, rank, peer| s.peers.iter().find(|p| (p.rank, p.peer) == (rank, peer)).unwrap().class;
    assert_eq!(class(&s, 0, 1), PeerClass::SameNode, "one package each");
    assert_eq!(class(&s, 2, 3), PeerClass::SamePackage, "one package, a NUMA node each");
    assert_eq!(class(&s, 0, 2), PeerClass::OtherNode);
    let place = &s.ranks[3].place;
    assert_eq!(
        (place.bound, place.cores, &place.packages[..], &place.numa[..]),
        (Some(true), Some(4), &[0][..], &[1][..])
    );
    let rows: Vec<_> =
        s.hosts.iter().map(|h| (h.host.as_str(), h.ranks, h.ranks_not_bound, h.packages, h.cores)).collect();
    assert_eq!(rows, [("node1", 2, 0, 2, 8), ("node2", 2, 0, 1, 8)]);

    // A rank that may run anywhere.
    let mut loose = testing::rank(1);
    loose.info("cpus", "0-7");
    fs::write(testing::file_name(folder.path(), 1, "rank"), loose.bytes()).unwrap();
    fs::write(folder.path().join("nodes/node2.json"), "{").unwrap();
    fs::write(folder.path().join("nodes/.x.json.part"), "").unwrap();
    let run = Run::open(&run.path, &Live::default()).unwrap();
    let s = run.summary(|_| true, &Resolver::default());
    assert_eq!((class(&s, 0, 1), class(&s, 2, 3)), (PeerClass::SameNodeNotBound, PeerClass::SameNode));
    assert_eq!((s.ranks[1].place.bound, s.ranks[2].place.bound, s.hosts[0].ranks_not_bound), (Some(false), None, 1));
    assert!(s.diagnostics.iter().any(|d| d.file.as_deref() == Some("nodes/node2.json")));
}

#[test]
fn what_is_no_run_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let text = |path: &std::path::Path| Run::open(path, &Live::default()).err().unwrap().to_string();
    assert!(text(&folder.path().join("none")).contains("mpiscope run"));
    assert!(matches!(Run::open(folder.path(), &Live::default()), Err(OpenError::NotARun(_))));
    testing::manifest(folder.path()).unwrap();
    assert!(matches!(Run::open(folder.path(), &Live::default()), Err(OpenError::Empty(_))));
    fs::write(testing::file_name(folder.path(), 0, "exit.json"), testing::exit(0, Some(0), None)).unwrap();
    assert!(text(folder.path()).contains("never called MPI (1 process(es) recorded, exit code 0)"));
    assert!(text(folder.path()).contains("mpiscope doctor ./halo2d"));
    let rank = testing::file_name(folder.path(), 0, "rank");
    fs::write(&rank, "something else").unwrap();
    assert!(matches!(Run::open(folder.path(), &Live::default()), Err(OpenError::AllDamaged { .. })));
    assert!(matches!(Run::open(&rank, &Live::default()), Err(OpenError::RankFile(..))));
    assert!(matches!(Run::open(&folder.path().join("run.json"), &Live::default()), Err(OpenError::NotARun(_))));
}

/// A processor without a time-stamp counter.
#[test]
fn an_exit_record_without_a_counter_is_read() {
    let folder = tempfile::tempdir().unwrap();
    testing::good_run(folder.path()).unwrap();
    let text = testing::exit(1, Some(3), None).replace(r#""tsc":0"#, r#""tsc":null"#);
    assert!(text.contains("null"));
    fs::write(testing::file_name(folder.path(), 1, "exit.json"), text).unwrap();
    let run = Run::open(folder.path(), &Live::default()).unwrap();
    assert!(run.diagnostics.is_empty(), "{:?}", run.diagnostics);
    assert_eq!(run.ranks[1].fate(), Fate::FinalizedThenFailed { exit_code: 3 });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_damage_panics(hits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..60), many: bool) {
        let mut folded = Folded::fold(&testing::rank(1).bytes());
        let reach = if many { folded.len() } else { 800 };
        for (place, byte) in hits { let at = place.index(reach); folded[at] = byte; }
        let Ok(rank) = Rank::read("ranks/x.rank".as_ref(), Folded(&folded)) else { return Ok(()) };
        let run = Run {
            path: "run".into(), manifest: Default::default(), ranks: vec![rank],
            other_exits: Vec::new(), diagnostics: Vec::new(), worlds: Vec::new(),
        };
        let resolver = Resolver::looking_in(Vec::new());
        serde_json::to_string(&run.summary(|_| true, &resolver)).unwrap();
    }
}

#[test]
fn a_glance_refuses_what_cannot_be_opened_and_knows_what_can() {
    let both = |path: &std::path::Path| {
        let opened = Run::open(path, &Live::default()).err().map(|e| e.to_string());
        let seen = RunHeader::at(path, Live::default());
        assert_eq!(opened, seen.as_ref().err().map(|e| e.to_string()));
        seen.ok()
    };
    let folder = tempfile::tempdir().unwrap();
    assert!(both(&folder.path().join("nowhere")).is_none());
    assert!(both(folder.path()).is_none(), "not a run");
    testing::good_run(folder.path()).unwrap();
    let seen = both(folder.path()).unwrap();
    let run = Run::open(folder.path(), &Live::default()).unwrap();
    let heads = seen.heads();
    assert_eq!(seen.files(), 4);
    let of_run: Vec<_> = run.ranks.iter().map(|r| (r.path.as_path(), r.header.run_id, r.rank())).collect();
    assert_eq!(heads.iter().map(|h| (h.path.as_path(), h.run_id, h.rank)).collect::<Vec<_>>(), of_run);
    // The first one that can be read is enough; without any, the reason is that of opening it.
    for rank in 0..4 {
        assert!(both(folder.path()).is_some());
        fs::write(testing::file_name(folder.path(), rank, "rank"), [0; 100]).unwrap();
    }
    assert!(matches!(RunHeader::at(folder.path(), Live::default()), Err(OpenError::AllDamaged { .. })));
    both(folder.path());
    (0..4).for_each(|rank| fs::remove_file(testing::file_name(folder.path(), rank, "rank")).unwrap());
    both(folder.path());
    fs::write(folder.path().join("run.json"), r#"{"format": 99}"#).unwrap();
    assert!(matches!(RunHeader::at(folder.path(), Live::default()), Err(OpenError::Newer(..))));
}

#[test]
fn reading_many_files_can_be_given_up() {
    let folder = tempfile::tempdir().unwrap();
    testing::good_run(folder.path()).unwrap();
    let heard = std::sync::Mutex::new(Vec::new());
    let watched = Run::open_watched(folder.path(), &Live::default(), &|read, of| {
        heard.lock().unwrap().push((read, of));
        true
    });
    assert_eq!(watched.unwrap().ranks.len(), 4);
    let mut heard = heard.into_inner().unwrap();
    heard.sort_unstable();
    assert_eq!(heard, [(1, 4), (2, 4), (3, 4), (4, 4)]);
    let given_up = Run::open_watched(folder.path(), &Live::default(), &|_, _| false);
    assert!(matches!(given_up, Err(OpenError::Interrupted(_))));
}
