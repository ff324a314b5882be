//! Latency that grows with the number of hops, from the description of a network to a prediction.

use std::ops::ControlFlow;

use mpiscope_ingest::testing::write;
use mpiscope_predict::{Change, Placement};
use mpiscope_query::{Target, predict};
use mpiscope_run::topology::Topology;
use mpiscope_run::{Resolver, Run};

/// Three hosts in a row; ranks 0 and 1 exchange messages, which takes 100 µs of 120.
fn neighbours() -> String {
    let mut text = "host a = 0\nhost b = 1\nhost c = 2\n".to_owned();
    for step in 0..40 {
        let begin = 1000 + step * 120;
        for rank in 0..2 {
            let other = 1 - rank;
            text += &format!("{rank} {begin} {} Sendrecv to={other} from={other} bytes=8\n", begin + 100);
        }
    }
    for rank in 0..3 {
        text += &format!("{rank} 5800 5900 Barrier\n");
    }
    text
}

/// Predicted gain with each rank on the node with this number.
fn gain(line: &str, nodes: &[u32]) -> f64 {
    let dir = tempfile::tempdir().unwrap();
    write(&neighbours(), dir.path());
    let run = Run::open(dir.path(), &Default::default()).unwrap();
    let network = format!("{line}\n[torus]\nshape = [3]\nwrap = false\n[nodes]\nhosts = [\"a\", \"b\", \"c\"]\n");
    let topology = Topology::parse(&network).unwrap();
    let target = Target { topology: Some(&topology), ..Target::default() };
    let question = vec![Change::Placement(Placement::given("other", nodes.to_vec()))];
    let mut watch = |_, _| ControlFlow::Continue(());
    let found = predict(&run, &Resolver::looking_in(Vec::new()), &[question], target, &mut watch).unwrap();
    let answer = found.answers[0].as_ref().unwrap();
    // The run itself is replayed as before: its costs are those of neighbours.
    assert!(found.reproduction.time.error().abs() < 0.05, "{:?}", found.reproduction.time);
    answer.gain * found.reproduction.time.recorded_ns as f64 / 40_000.0
}

#[test]
fn messages_between_distant_hosts_take_longer() {
    let (near, far, turned) = (&[0, 1, 2], &[0, 2, 1], &[2, 1, 0]);
    for line in ["", "hop_latency_ns = 30000"] {
        assert!(gain(line, near).abs() < 2.0 && gain(line, turned).abs() < 2.0, "{line}");
    }
    assert!(gain("", far).abs() < 2.0);
    // One hop more for each exchange of 40; µs.
    let more = gain("hop_latency_ns = 30000", far);
    assert!((-33.0..-27.0).contains(&more), "{more}");
}
