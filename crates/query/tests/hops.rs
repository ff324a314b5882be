//! Latency that grows with the number of hops, from the description of a network, or as it was measured, to a prediction.

use std::ops::ControlFlow;

use mpiscope_ingest::testing::write;
use mpiscope_machine::{Curve, CurvePoint, Pair, Parameter, Profile, Scope};
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
    gain_with(None, line, nodes)
}

/// The same with the costs of a machine profile, if there is one.
fn gain_with(profile: Option<&Profile>, line: &str, nodes: &[u32]) -> f64 {
    let dir = tempfile::tempdir().unwrap();
    write(&neighbours(), dir.path());
    let run = Run::open(dir.path(), &Default::default()).unwrap();
    let network = format!("{line}\n[torus]\nshape = [3]\nwrap = false\n[nodes]\nhosts = [\"a\", \"b\", \"c\"]\n");
    let topology = Topology::parse(&network).unwrap();
    let target = Target { topology: Some(&topology), profile, ..Target::default() };
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

/// Ping-pongs between hosts: half a round trip, µs, by hops.
fn measured(by_hops: &[(Option<u32>, u64)]) -> Profile {
    let pair = |(at, (hops, _)): (usize, &(Option<u32>, u64))| Pair {
        class: "other-node".into(),
        hops: *hops,
        ranks: [0, at as i32 + 1],
    };
    let curve = |(at, (_, us)): (usize, &(Option<u32>, u64))| Curve {
        experiment: "pingpong".into(),
        series: "ping-pong".into(),
        scope: Scope::Pair(at),
        points: [0, 1 << 20].map(|x| CurvePoint { x, median_ns: *us as f64 * 1e3, ..CurvePoint::default() }).to_vec(),
        ..Curve::default()
    };
    // Short messages are eager: their receivers do not answer.
    let limit = |at: usize| Parameter {
        experiment: "pingpong".into(),
        id: "local_send_limit".into(),
        scope: Scope::Pair(at),
        value: 4096.0,
        ..Parameter::default()
    };
    Profile {
        parameters: (0..by_hops.len()).map(limit).collect(),
        pairs: by_hops.iter().enumerate().map(pair).collect(),
        curves: by_hops.iter().enumerate().map(curve).collect(),
        ..Profile::default()
    }
}

#[test]
fn messages_take_what_was_measured_at_their_number_of_hops() {
    let (near, far) = (&[0, 1, 2], &[0, 2, 1]);
    let with =
        |by_hops: &[(Option<u32>, u64)], line: &str, nodes: &[u32]| gain_with(Some(&measured(by_hops)), line, nodes);
    let both = [(Some(1), 100), (Some(2), 170)];
    let slow = "hop_latency_ns = 30000";
    assert!(with(&both, "", near).abs() < 2.0);
    // What was measured contains the latency of the hops: it is not added once more.
    for line in ["", slow] {
        let more = with(&both, line, far);
        assert!((-75.0..-65.0).contains(&more), "{line}: {more}");
    }
    // Beyond what was measured, the file's latency counts, or nothing does.
    let one = [(Some(1), 100)];
    assert!(with(&one, "", far).abs() < 2.0);
    let more = with(&one, slow, far);
    assert!((-33.0..-27.0).contains(&more), "{more}");
    // A profile without hops says what neighbours need, as before.
    let older = [(None, 100)];
    assert!(with(&older, "", far).abs() < 2.0);
    let more = with(&older, slow, far);
    assert!((-33.0..-27.0).contains(&more), "{more}");
}
