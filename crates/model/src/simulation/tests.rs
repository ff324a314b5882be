use std::sync::Arc;

use proptest::prelude::*;
use rustc_hash::FxHashSet;

use super::algorithms::Meeting;
use super::*;

/// A message takes one step (1,000 ns), whoever sends it; ports of a rank move one at a time.
fn steps_network(ranks: u32, eager_bytes: u64) -> Arc<Network> {
    let link = Link {
        transit: Curve::line(0.0, 1.0),
        rendezvous: Curve::line(0.0, 1.0),
        eager_bytes,
        port_ns_per_byte: 1.0,
        ..Link::default()
    };
    Arc::new(Network {
        port_of: (0..ranks).collect(),
        ports: ranks,
        link_of: vec![0; (ranks * ranks) as usize],
        links: vec![link],
        ..Network::default()
    })
}

const STEP: u64 = 1000;

#[derive(Default)]
struct Program(Section);

impl Program {
    fn new(ranks: u32) -> Program {
        Program(Section { ranks: vec![Calls::default(); ranks as usize], is_last: true, ..Section::default() })
    }

    fn call(&mut self, rank: u32, gap_ns: u64, parts: impl IntoIterator<Item = Part>) {
        let of = &mut self.0.ranks[rank as usize];
        of.push(Step { row: of.steps.len() as u64, gap_ns, ..Step::default() }, parts);
    }

    fn run(self, network: &Arc<Network>) -> Outcome {
        let mut simulation = Simulation::new(network.clone(), &vec![0; self.0.ranks.len()]);
        simulation.add(&Arc::new(self.0), &mut ());
        simulation.finish()
    }
}

fn send(id: Id, to: u32) -> Part {
    Part::Send { id, to, bytes: STEP, mode: Mode::Standard }
}

fn receive(id: Id, from: u32) -> Part {
    Part::Receive { id, from, bytes: STEP }
}

/// Two ranks that exchange messages in every step; one of them begins later. When they have ended.
fn exchanges(later_ns: u64, answers_queue: bool) -> Vec<u64> {
    let mut network = (*steps_network(2, 0)).clone();
    network.links[0] = Link {
        transit: Curve::line(50.0, 1.0),
        rendezvous: Curve::line(150.0, 1.0),
        rendezvous_sent: Curve::line(100.0, 0.0),
        answers_queue,
        ..network.links[0].clone()
    };
    let mut program = Program::new(2);
    for step in 0..10 {
        for rank in 0..2 {
            let (to, from) = (1 + 2 * step + u64::from(rank), 2 + 2 * step - u64::from(rank));
            let gap_ns = if step == 0 && rank == 1 { later_ns } else { 0 };
            let parts = [receive(from, 1 - rank), send(to, 1 - rank), Part::AwaitReceived(from), Part::AwaitSent(to)];
            program.call(rank, gap_ns, parts);
        }
    }
    program.run(&Arc::new(network)).ends_ns
}

#[test]
fn answers_come_after_data_of_the_same_connection() {
    // Both directions at once: an exchange takes 150 ns and a step.
    assert_eq!(exchanges(0, true), [11_500; 2]);
    assert_eq!(exchanges(0, false), [11_500; 2]);
    // A rank that comes later has the data of the other one before its own; from then on, each rank sends while the other one waits.
    let one_after_another = exchanges(500, true);
    assert!(one_after_another.iter().all(|&ns| ns > 20_000), "{one_after_another:?}");
    assert!(exchanges(500, false).iter().all(|&ns| ns <= 12_000));
}

/// Neighbours on a 4 × 4 mesh that does not wrap, in the order in which every rank sends: down, up, right, left.
fn neighbours(rank: u32) -> Vec<u32> {
    let (x, y) = ((rank % 4) as i32, (rank / 4) as i32);
    let all = [(x, y + 1), (x, y - 1), (x + 1, y), (x - 1, y)];
    all.into_iter()
        .filter(|&(x, y)| (0..4).contains(&x) && (0..4).contains(&y))
        .map(|(x, y)| (y * 4 + x) as u32)
        .collect()
}

fn id_of(from: u32, to: u32) -> Id {
    u64::from(from * 16 + to)
}

#[test]
fn a_mesh_takes_six_steps_with_blocking_sends_in_program_order() {
    let mut program = Program::new(16);
    for rank in 0..16 {
        let others = neighbours(rank);
        program.call(rank, 0, others.iter().map(|&from| receive(id_of(from, rank), from)));
        for &to in &others {
            program.call(rank, 0, [send(id_of(rank, to), to), Part::AwaitSent(id_of(rank, to))]);
        }
        program.call(rank, 0, others.iter().map(|&from| Part::AwaitReceived(id_of(from, rank))));
    }
    assert_eq!(program.run(&steps_network(16, 0)).time_ns(), 6 * STEP);
}

#[test]
fn a_mesh_takes_four_steps_with_non_blocking_sends() {
    let mut program = Program::new(16);
    for rank in 0..16 {
        let others = neighbours(rank);
        program.call(rank, 0, others.iter().map(|&from| receive(id_of(from, rank), from)));
        program.call(rank, 0, others.iter().map(|&to| send(id_of(rank, to), to)));
        let received = others.iter().map(|&from| Part::AwaitReceived(id_of(from, rank)));
        program.call(rank, 0, received.chain(others.iter().map(|&to| Part::AwaitSent(id_of(rank, to)))));
    }
    assert_eq!(program.run(&steps_network(16, 0)).time_ns(), 4 * STEP);
}

/// `if (has down) Send; if (has up) Recv`: each rank's send waits until the one below has finished its own.
#[test]
fn messages_of_different_ports_share_a_link() {
    let time = |routes: &[((u32, u32), u32)]| {
        let between = routes.iter().map(|&(ends, link)| (ends, [link].into())).collect();
        let network = Network { routes: Arc::new(Routes { links: 2, between }), ..(*steps_network(4, 0)).clone() };
        let mut program = Program::new(4);
        for (from, to) in [(0, 2), (1, 3)] {
            program.call(from, 0, [send(id_of(from, to), to), Part::AwaitSent(id_of(from, to))]);
            program.call(to, 0, [receive(id_of(from, to), from), Part::AwaitReceived(id_of(from, to))]);
        }
        program.run(&Arc::new(network)).time_ns()
    };
    assert_eq!(time(&[]), STEP);
    assert_eq!(time(&[((0, 2), 0), ((1, 3), 1)]), STEP);
    assert_eq!(time(&[((0, 2), 1), ((1, 3), 1)]), 2 * STEP);
}

#[test]
fn sends_down_a_column_are_a_staircase() {
    for ranks in [2u32, 5, 9] {
        let staircase = |eager_bytes| {
            let mut program = Program::new(ranks);
            for rank in 0..ranks {
                if rank + 1 < ranks {
                    let id = id_of(rank, rank + 1);
                    program.call(rank, 0, [send(id, rank + 1), Part::AwaitSent(id)]);
                }
                if rank > 0 {
                    let id = id_of(rank - 1, rank);
                    program.call(rank, 0, [receive(id, rank - 1), Part::AwaitReceived(id)]);
                }
            }
            program.run(&steps_network(ranks, eager_bytes))
        };
        assert_eq!(staircase(0).time_ns(), u64::from(ranks - 1) * STEP);
        assert_eq!(staircase(STEP).time_ns(), STEP, "eager messages do not wait");
    }
}

fn kind(data: Data, shape: Shape, ranks: u32, bytes: u64) -> Kind {
    Kind { shape, data, function: 0, members: (0..ranks).collect(), root: 0, bytes, present: ranks }
}

/// One operation after the other, on a network where a message of n bytes takes n ns and its sender is busy for as long.
fn operations(kind: &Kind, algorithm: Algorithm, times: u64) -> Outcome {
    let ranks = kind.members.len() as u32;
    let link =
        Link { send: Curve::line(0.0, 1.0), transit: Curve::line(0.0, 1.0), eager_bytes: u64::MAX, ..Link::default() };
    let network = Network {
        port_of: vec![0; ranks as usize],
        ports: 1,
        link_of: vec![0],
        links: vec![link],
        algorithms: vec![Some(algorithm)],
        ..Network::default()
    };
    let mut program = Program::new(ranks);
    program.0.kinds.push(kind.clone());
    for id in 0..times {
        for rank in 0..ranks {
            program.call(rank, 0, [Part::Enter { id, kind: 0, member: rank }, Part::Leave { id, member: rank }]);
        }
    }
    program.run(&Arc::new(network))
}

#[test]
fn broadcasts_take_what_their_algorithms_say() {
    let n = 1 << 20;
    for p in [2u32, 8, 16, 64] {
        let log = f64::from(p.ilog2());
        let time = |algorithm| {
            operations(&kind(Data::Broadcast, Shape::FromRoot, p, n), algorithm, 1).time_ns() as f64 / n as f64
        };
        assert_eq!(time(Algorithm::Binomial), log, "n log p");
        assert_eq!(time(Algorithm::Linear), f64::from(p - 1), "n (p - 1)");
        // b log p + (n - b) along a tree; along a chain each rank adds one segment.
        let chain = 1.0 + f64::from(p - 2) * (8192.0 / n as f64);
        assert!((time(Algorithm::Pipeline) - chain).abs() < 0.02, "{} for {chain}", time(Algorithm::Pipeline));
        let scattered = time(Algorithm::ScatterAllgather);
        assert!(scattered <= 2.01, "2 n and log p latencies: {scattered}");
    }
}

/// Data of a rank that came early are there when the last one comes: it leaves at once, and only the early one waits for the latency.
#[test]
fn the_last_rank_of_a_reduction_does_not_wait() {
    let link = Link { transit: Curve::line(1_000.0, 0.0), eager_bytes: 64, ..Link::default() };
    let network = Network { port_of: vec![0; 2], ports: 1, link_of: vec![0], links: vec![link], ..Network::default() };
    let mut program = Program::new(2);
    program.0.kinds.push(kind(Data::Allreduce, Shape::AllToAll, 2, 8));
    for rank in 0..2 {
        let parts = [Part::Enter { id: 0, kind: 0, member: rank }, Part::Leave { id: 0, member: rank }];
        program.call(rank, 5_000 * u64::from(rank), parts);
    }
    assert_eq!(program.run(&Arc::new(network)).ends_ns, [6_000, 5_000]);
}

/// A send that the MPI holds ends when its receiver is inside MPI, whatever it does there; by rendezvous, the receive must be posted.
#[test]
fn a_held_send_ends_when_its_receiver_is_inside_mpi() {
    let time_of_sender = |eager_bytes: u64, held_above_bytes: Option<u64>| {
        let link = Link { eager_bytes, held_above_bytes, ..Link::default() };
        let network =
            Network { port_of: vec![0; 2], ports: 1, link_of: vec![0], links: vec![link], ..Network::default() };
        let mut program = Program::new(2);
        program.call(0, STEP, [send(0, 1), Part::AwaitSent(0)]);
        // After 5 steps a call that has nothing to do with the message, which is received after 9.
        program.call(1, 5 * STEP, []);
        program.call(1, 4 * STEP, [receive(0, 0), Part::AwaitReceived(0)]);
        let outcome = program.run(&Arc::new(network));
        assert_eq!(outcome.ends_ns[1], 9 * STEP);
        assert_eq!(outcome.released, 0);
        outcome.ends_ns[0]
    };
    assert_eq!(time_of_sender(STEP, None), STEP);
    assert_eq!(time_of_sender(STEP, Some(STEP)), STEP, "not larger");
    assert_eq!(time_of_sender(STEP, Some(256)), 5 * STEP);
    assert_eq!(time_of_sender(0, Some(256)), 9 * STEP, "by rendezvous");
}

/// A rank waits until others have reached their calls, whether they come before or after it.
#[test]
fn ranks_wait_for_calls_of_others() {
    let kind = Waiting::Epoch;
    let mut program = Program::new(3);
    program.call(0, 100, [Part::AwaitReached { id: 1, kind }, Part::AwaitReached { id: 2, kind }]);
    program.call(1, 300, [Part::Reach(1), Part::Reach(3)]);
    program.call(2, 50, [Part::Reach(2)]);
    program.call(2, 350, [Part::AwaitReached { id: 3, kind }]);
    let network =
        Network { port_of: vec![0; 3], ports: 1, link_of: vec![0], links: vec![Link::default()], ..Network::default() };
    let outcome = program.run(&Arc::new(network));
    assert_eq!((outcome.ends_ns, outcome.released), (vec![300, 300, 400], 0));
    assert_eq!(outcome.waits_ns[Waiting::Epoch as usize], 200);
}

/// An access needs its target inside MPI, unless there is progress while it computes: whoever comes first.
#[test]
fn targets_are_needed_without_progress() {
    let kind = Waiting::Target;
    let ends_ns = |always_progresses: bool| {
        let mut program = Program::new(2);
        program.call(0, 100, [Part::AwaitReached { id: 1, kind }]);
        program.call(0, 300, [Part::AwaitReached { id: 2, kind }]);
        program.call(1, 300, [Part::Reach(1)]);
        program.call(1, 50, [Part::Reach(2)]);
        let network = Network {
            port_of: vec![0; 2],
            ports: 1,
            link_of: vec![0],
            links: vec![Link::default()],
            always_progresses,
            ..Network::default()
        };
        let outcome = program.run(&Arc::new(network));
        assert_eq!(outcome.released, 0);
        assert_eq!(outcome.waits_ns[Waiting::Target as usize], if always_progresses { 0 } else { 200 });
        outcome.ends_ns
    };
    assert_eq!(ends_ns(false), [600, 350]);
    assert_eq!(ends_ns(true), [400, 350]);
}

/// Over TCP, the system takes the data of a send: its rank goes on before they are there, and the receiver waits for them.
#[test]
fn a_sender_may_leave_before_its_receiver() {
    let ends_ns = |rendezvous_sent: Curve| {
        let link = Link { rendezvous: Curve::line(0.0, 1.0), rendezvous_sent, ..Link::default() };
        let network =
            Network { port_of: vec![0; 2], ports: 1, link_of: vec![0], links: vec![link], ..Network::default() };
        let mut program = Program::new(2);
        program.call(0, 0, [send(0, 1), Part::AwaitSent(0)]);
        program.call(1, 100, [receive(0, 0), Part::AwaitReceived(0)]);
        program.run(&Arc::new(network)).ends_ns
    };
    assert_eq!(ends_ns(Curve::line(10.0, 0.0)), [110, 100 + STEP]);
    assert_eq!(ends_ns(Curve::line(1e9, 0.0)), [100 + STEP, 100 + STEP], "it never leaves after it");
}

/// Six ranks on two hosts: a message takes 10 ns within a host and 1,000 ns between hosts.
fn two_hosts(kind: &Kind, algorithm: Algorithm, factor: f64) -> u64 {
    let link = |ns: f64| Link { transit: Curve::line(ns, 0.0), eager_bytes: u64::MAX, ..Link::default() };
    let mut network = Network {
        port_of: vec![0, 0, 0, 1, 1, 1],
        ports: 2,
        link_of: vec![0, 1, 1, 0],
        links: vec![link(10.0), link(1000.0)],
        algorithms: vec![Some(algorithm)],
        factors: vec![factor],
        ..Network::default()
    };
    network.hierarchies = vec![Hierarchy::new(kind, &network)];
    let mut program = Program::new(6);
    program.0.kinds.push(kind.clone());
    for rank in 0..6 {
        let parts = [Part::Enter { id: 0, kind: 0, member: rank }, Part::Leave { id: 0, member: rank }];
        program.call(rank, 0, parts);
    }
    let outcome = program.run(&Arc::new(network));
    assert_eq!(outcome.released, 0);
    outcome.time_ns()
}

#[test]
fn a_hierarchical_operation_crosses_between_hosts_once() {
    let barrier = kind(Data::Nothing, Shape::AllToAll, 6, 0);
    assert!(two_hosts(&barrier, Algorithm::RecursiveDoubling, 1.0) >= 2_000);
    // To the leader, to the other one, and to all.
    assert_eq!(two_hosts(&barrier, Algorithm::Hierarchical, 1.0), 1_020);
    assert_eq!(two_hosts(&kind(Data::Allreduce, Shape::AllToAll, 6, 8), Algorithm::Hierarchical, 1.0), 1_020);
    // What is faster than the usual algorithm may be hierarchical already.
    assert_eq!(two_hosts(&barrier, Algorithm::Hierarchical, 0.5), 1_020);
    for root in 0..6 {
        let from_root = Kind { root, ..kind(Data::Broadcast, Shape::FromRoot, 6, 8) };
        assert_eq!(two_hosts(&from_root, Algorithm::Hierarchical, 1.0), 1_010, "{root}");
        let to_root = Kind { root, ..kind(Data::Reduce, Shape::ToRoot, 6, 8) };
        assert_eq!(two_hosts(&to_root, Algorithm::Hierarchical, 1.0), 1_010, "{root}");
    }
}

#[test]
fn what_is_on_one_host_or_alone_on_each_has_no_hierarchy() {
    let on = |port_of: Vec<u32>, data: Data| {
        let kind = kind(data, Shape::AllToAll, port_of.len() as u32, 8);
        Hierarchy::new(&kind, &Network { port_of, ..Network::default() }).is_some()
    };
    assert!(on(vec![0, 1, 0], Data::Allreduce));
    assert!(!on(vec![0, 0, 0], Data::Allreduce));
    assert!(!on(vec![0, 1, 2], Data::Allreduce));
    assert!(!on(vec![0, 0, 1, 1], Data::Alltoall));
}

#[test]
fn messages_inside_another_one_are_there_with_it() {
    for eager_bytes in [0, u64::MAX] {
        for sent_ns in [0, 500] {
            let mut program = Program::new(2);
            let all = Part::Send { id: 1, to: 1, bytes: 3 * STEP, mode: Mode::Standard };
            let inside = [2, 3].map(|id| Part::Inside { id, carrier: 1 });
            program.call(0, sent_ns, [all, inside[0], inside[1], Part::AwaitSent(1)]);
            // The receiver asks for them in another order.
            for id in [2, 3, 1] {
                program.call(1, 0, [receive(id, 0), Part::AwaitReceived(id)]);
            }
            let outcome = program.run(&steps_network(2, eager_bytes));
            assert_eq!((outcome.time_ns(), outcome.released), (sent_ns + 3 * STEP, 0), "{eager_bytes}");
        }
    }
}

/// m broadcasts take m n log p; sent on from rank to rank they take (m + p) n, although each takes longer.
#[test]
fn broadcasts_in_a_row_take_longer_than_a_pipeline_over_steps() {
    let (p, m) = (16u32, 40u64);
    let trees = operations(&kind(Data::Broadcast, Shape::FromRoot, p, STEP), Algorithm::Binomial, m);
    let mut program = Program::new(p);
    for step in 0..m {
        for rank in 0..p {
            let id = |from: u32| step * 100 + u64::from(from);
            if rank > 0 {
                program.call(rank, 0, [receive(id(rank - 1), rank - 1), Part::AwaitReceived(id(rank - 1))]);
            }
            if rank + 1 < p {
                program.call(rank, 0, [send(id(rank), rank + 1), Part::AwaitSent(id(rank))]);
            }
        }
    }
    let pipeline = program.run(&steps_network(p, 0));
    // A rank receives, and then sends: two transfers for each step where one port cannot do both at once.
    assert!(pipeline.time_ns() <= 2 * (m + u64::from(p)) * STEP, "{}", pipeline.time_ns());
    // The root of a tree sends log p times for each broadcast.
    assert_eq!(trees.time_ns(), m * STEP * 4);
    assert!(pipeline.time_ns() < trees.time_ns());
}

#[test]
fn who_waits_for_what() {
    let network = steps_network(2, 0);
    let mut late_sender = Program::new(2);
    late_sender.call(0, 5_000, [send(1, 1), Part::AwaitSent(1)]);
    late_sender.call(1, 0, [receive(1, 0), Part::AwaitReceived(1)]);
    let outcome = late_sender.run(&network);
    assert_eq!((outcome.time_ns(), outcome.waits_ns[Waiting::LateSender as usize]), (6_000, 5_000));
    let mut late_receiver = Program::new(2);
    late_receiver.call(0, 0, [send(1, 1), Part::AwaitSent(1)]);
    late_receiver.call(1, 5_000, [receive(1, 0), Part::AwaitReceived(1)]);
    let outcome = late_receiver.run(&network);
    assert_eq!((outcome.time_ns(), outcome.waits_ns[Waiting::LateReceiver as usize]), (6_000, 5_000));
}

#[test]
fn a_core_packs_one_message_at_a_time() {
    // Both ranks send to each other at once.
    let ends = |packing: Vec<FxHashSet<u32>>| {
        let mut network = Network { packing, port_of: vec![0, 0], ..(*steps_network(2, 0)).clone() };
        network.links[0].port_ns_per_byte = 0.0;
        let mut exchange = Program::new(2);
        for rank in 0..2 {
            let (to, from) = (1 + u64::from(rank), 2 - u64::from(rank));
            let awaits = [Part::AwaitSent(to), Part::AwaitReceived(from)];
            exchange.call(rank, 0, [receive(from, 1 - rank), send(to, 1 - rank)].into_iter().chain(awaits));
        }
        exchange.run(&Arc::new(network)).time_ns()
    };
    let all = || FxHashSet::from_iter([0]);
    assert_eq!(ends(Vec::new()), STEP);
    assert_eq!(ends(vec![all(), all()]), 2 * STEP);
    // It is enough that one side has gaps; calls of other facts have none.
    assert_eq!(ends(vec![all(), FxHashSet::default()]), 2 * STEP);
    assert_eq!(ends(vec![FxHashSet::from_iter([7])]), STEP);
}

#[test]
fn a_call_counts_the_longest_of_its_waits() {
    // Rank 1 posts its receive and then sends, both late: rank 0 waits longer for the message than for the receive.
    let mut exchange = Program::new(2);
    exchange.call(0, 0, [receive(2, 1), send(1, 1), Part::AwaitSent(1), Part::AwaitReceived(2)]);
    exchange.call(1, 5_000, [receive(1, 0)]);
    exchange.call(1, 100, [send(2, 0), Part::AwaitReceived(1), Part::AwaitSent(2)]);
    let outcome = exchange.run(&steps_network(2, 0));
    assert_eq!(outcome.waits_ns[Waiting::LateReceiver as usize], 0);
    assert_eq!(outcome.waits_ns[Waiting::LateSender as usize], 5_100);
}

#[test]
fn a_rendezvous_makes_progress_only_inside_calls() {
    // The receiver computes after it has posted: the data move when it comes back.
    let program = |polls: u64| {
        let mut program = Program::new(2);
        program.call(0, 1_000, [send(1, 1), Part::AwaitSent(1)]);
        program.call(1, 0, [receive(1, 0)]);
        for _ in 0..polls {
            program.call(1, 20_000 / (polls + 1), []);
        }
        program.call(1, 20_000 / (polls + 1), [Part::AwaitReceived(1)]);
        program.run(&steps_network(2, 0))
    };
    assert_eq!(program(0).time_ns(), 21_000);
    assert_eq!(program(3).time_ns(), 20_000, "hidden behind the rest of the computing");
    assert!(program(3).ends_ns[0] < program(0).ends_ns[0]);
}

#[test]
fn a_missing_send_does_not_stop_the_run() {
    let mut program = Program::new(2);
    program.call(1, 0, [receive(1, 0), Part::AwaitReceived(1)]);
    program.call(1, 700, []);
    let outcome = program.run(&steps_network(2, 0));
    assert_eq!((outcome.released, outcome.calls, outcome.time_ns()), (1, 2, 700));
}

/// What happens (below 3: an operation, otherwise a message), computing before it, sender, distance of the receiver, bytes.
type Round = (u32, u64, u32, u32, u64);

/// Random programs without deadlocks: rounds of computing, messages and operations.
fn programs() -> impl Strategy<Value = (u32, Vec<Round>)> {
    (2u32..6, prop::collection::vec((0u32..5, 0u64..5_000, 0u32..6, 1u32..6, 0u64..4_000), 1..40))
}

fn built(ranks: u32, rounds: &[Round], sections: usize) -> Vec<Arc<Section>> {
    let empty = || Section { ranks: vec![Calls::default(); ranks as usize], ..Section::default() };
    let mut out = vec![empty()];
    let all = kind(Data::Allreduce, Shape::AllToAll, ranks, 64);
    out[0].kinds =
        vec![all, kind(Data::Broadcast, Shape::FromRoot, ranks, 64), kind(Data::Reduce, Shape::ToRoot, ranks, 64)];
    let each = rounds.len().div_ceil(sections);
    for (at, &(what, gap_ns, from, step, bytes)) in rounds.iter().enumerate() {
        if at > 0 && at % each == 0 {
            out.push(empty());
        }
        let section = out.last_mut().unwrap();
        let id = at as u64;
        let (from, to) = (from % ranks, (from % ranks + 1 + step % (ranks - 1)) % ranks);
        if what < 3 {
            for rank in 0..ranks {
                let parts = [Part::Enter { id, kind: what, member: rank }, Part::Leave { id, member: rank }];
                section.ranks[rank as usize].push(Step { gap_ns: gap_ns * u64::from(rank), ..Step::default() }, parts);
            }
        } else {
            let sent = [Part::Send { id, to, bytes, mode: Mode::Standard }, Part::AwaitSent(id)];
            section.ranks[from as usize].push(Step { gap_ns, ..Step::default() }, sent);
            let received = [Part::Receive { id, from, bytes }, Part::AwaitReceived(id)];
            section.ranks[to as usize].push(Step { gap_ns: 10, ..Step::default() }, received);
        }
    }
    out.last_mut().unwrap().is_last = true;
    out.into_iter().map(Arc::new).collect()
}

fn simulated(network: &Arc<Network>, ranks: u32, sections: &[Arc<Section>]) -> Outcome {
    let mut simulation = Simulation::new(network.clone(), &vec![0; ranks as usize]);
    sections.iter().for_each(|section| simulation.add(section, &mut ()));
    simulation.finish()
}

proptest! {
    /// Where the run is cut makes no difference.
    #[test]
    fn sections_do_not_matter((ranks, rounds) in programs(), cuts in 1usize..6) {
        let network = steps_network(ranks, 1_000);
        let whole = simulated(&network, ranks, &built(ranks, &rounds, 1));
        prop_assert_eq!(whole.released, 0);
        prop_assert_eq!(&simulated(&network, ranks, &built(ranks, &rounds, cuts)), &whole);
    }

    /// Without shared ports a faster network makes no run longer.
    #[test]
    fn faster_networks_are_faster((ranks, rounds) in programs()) {
        let sections = built(ranks, &rounds, 1);
        let time = |factor: f64| {
            let mut network = (*steps_network(ranks, 1_000)).clone();
            network.links[0].port_ns_per_byte = 0.0;
            network.links[0] = network.links[0].scaled(factor, factor, factor);
            simulated(&Arc::new(network), ranks, &sections).time_ns()
        };
        // Of each moment less than 1 ns is cut off.
        prop_assert!(time(0.5) <= time(1.0) + 200 && time(1.0) <= time(2.0) + 200);
    }
}

#[test]
fn an_eager_message_above_the_old_limit_takes_at_most_its_rendezvous() {
    // From two small sizes, the curve is a thousand times too steep.
    let steep = Curve::line(1_000.0, 100.0);
    let rendezvous = Curve::line(2_000.0, 0.1);
    let link = Link {
        send: steep.clone(),
        transit: steep.clone(),
        receive: steep,
        rendezvous,
        eager_bytes: 64,
        ..Link::default()
    };
    let more = link.with_eager_limit(65_536);
    let old = link.send.at(64);
    for (bytes, most) in [(64, old), (1024, old.max(2_000.0 + 102.4)), (65_536, 2_000.0 + 6_553.6)] {
        for curve in [&more.send, &more.transit, &more.receive] {
            assert!(curve.at(bytes) <= most * 1.3, "{bytes}: {} for {most}", curve.at(bytes));
        }
    }
    assert_eq!((more.eager_bytes, more.send.at(0), more.send.at(32)), (65_536, link.send.at(0), link.send.at(32)));
    assert_eq!(link.with_eager_limit(16), Link { eager_bytes: 16, ..link.clone() }, "a lower limit needs no curve");
}

#[test]
fn messages_of_an_operation_share_the_ports_of_hosts() {
    // Four ranks on two hosts: 100 ns within a host; between hosts 1 µs and 1 ns for each byte that passes a port.
    let near = Link { transit: Curve::line(100.0, 0.0), eager_bytes: u64::MAX, ..Link::default() };
    let far = Link { transit: Curve::line(1_000.0, 1.0), port_ns_per_byte: 1.0, ..near.clone() };
    let network = Network {
        port_of: vec![0, 0, 1, 1],
        ports: 2,
        link_of: vec![0, 1, 1, 0],
        links: vec![near, far],
        ..Network::default()
    };
    let kind = |data| {
        let members = [0, 1, 2, 3].into();
        Kind { shape: Shape::AllToAll, data, function: 0, members, root: 0, bytes: 500, present: 4 }
    };
    let leave = |data, algorithm| {
        let network = Network { taken: vec![Some(algorithm)], ..network.clone() };
        Meeting::new(&network, 0, &kind(data)).all_to_all(&[0; 4])
    };
    // Two ranks send two messages each to the other host: the fourth has passed after 2 µs.
    assert_eq!(leave(Data::Alltoall, Algorithm::Linear), [3_000; 4]);
    // With the next rank, one message leaves each host; with that two ranks away, two; with the one before, one.
    assert_eq!(*leave(Data::Alltoall, Algorithm::Pairwise).iter().max().unwrap(), 1_500 + 2_000 + 1_500);
    assert_eq!(leave(Data::Allreduce, Algorithm::RecursiveDoubling), [2_100; 4]);
}

/// Ranks of two hosts, some on each. Between hosts a message takes 1 µs, in which it occupies the ports for 100 ns.
fn gap_network(of_host: u32, in_order: bool) -> Arc<Network> {
    let near = Link { transit: Curve::line(100.0, 0.0), eager_bytes: u64::MAX, ..Link::default() };
    let far = Link { transit: Curve::line(1_000.0, 0.0), port_ns_per_message: 100.0, ..near.clone() };
    Arc::new(Network {
        port_of: (0..2 * of_host).map(|rank| rank / of_host).collect(),
        ports: 2,
        link_of: vec![0, 1, 1, 0],
        links: vec![near, far],
        in_order,
        ..Network::default()
    })
}

#[test]
fn messages_in_a_row_occupy_the_port_one_after_the_other() {
    // Rank 0 sends at once; each of the receives of rank 1 is a call of its own.
    let ends = |network: &Arc<Network>, messages: u64| {
        let mut program = Program::new(2);
        let send = |id| Part::Send { id, to: 1, bytes: 0, mode: Mode::Standard };
        (0..messages).for_each(|id| program.call(0, 0, [send(id)]));
        let receive = |id| [Part::Receive { id, from: 0, bytes: 0 }, Part::AwaitReceived(id)];
        (0..messages).for_each(|id| program.call(1, 0, receive(id)));
        program.run(network).ends_ns[1]
    };
    for in_order in [false, true] {
        let network = gap_network(1, in_order);
        assert_eq!([1, 2, 200].map(|messages| ends(&network, messages)), [1_000, 1_100, 1_000 + 199 * 100]);
    }
    let mut without = (*gap_network(1, false)).clone();
    without.links[1].port_ns_per_message = 0.0;
    assert_eq!(ends(&Arc::new(without), 200), 1_000, "without it, all of them are there after the latency");
}

#[test]
fn two_senders_share_the_port_of_their_host() {
    // Ranks 0 and 1 send four messages each to a rank of the other host.
    let mut program = Program::new(4);
    for id in 0..8 {
        let (from, to) = if id % 2 == 0 { (0, 2) } else { (1, 3) };
        program.call(from, 0, [Part::Send { id, to, bytes: 0, mode: Mode::Standard }]);
        program.call(to, 0, [Part::Receive { id, from, bytes: 0 }, Part::AwaitReceived(id)]);
    }
    assert_eq!(program.run(&gap_network(2, false)).ends_ns[2..], [900 + 800, 900 + 800]);
}

#[test]
fn messages_of_an_operation_occupy_the_ports_of_hosts() {
    let network = gap_network(4, false);
    let kind = |shape, data, bytes| {
        let members = (0..8).collect();
        Kind { shape, data, function: 0, members, root: 0, bytes, present: 8 }
    };
    let leave = |data, algorithm| {
        let network = Network { taken: vec![Some(algorithm)], ..(*network).clone() };
        Meeting::new(&network, 0, &kind(Shape::AllToAll, data, 0)).all_to_all(&[0; 8])
    };
    // Four messages between the hosts, three of which are before the last one.
    let last = |exits: Vec<u64>| exits.into_iter().max();
    assert_eq!(last(leave(Data::Nothing, Algorithm::Linear)), Some(2 * 1_300), "to the root, and from it");
    assert_eq!(last(leave(Data::Allreduce, Algorithm::RecursiveDoubling)), Some(100 + 100 + 1_300));
    assert_eq!(last(leave(Data::Alltoall, Algorithm::Linear)), Some(1_000 + 15 * 100));
    // A root that hands them over one by one: the last one leaves after six others, as if these went to the other host, too.
    let network = Network { taken: vec![Some(Algorithm::Linear)], ..(*network).clone() };
    let kind = kind(Shape::FromRoot, Data::Broadcast, 0);
    let (entries_ns, done_ns) = ([0; 8], [0; 8]);
    let reached = Meeting::new(&network, 0, &kind).root_reached(7, &entries_ns, &done_ns);
    assert_eq!(reached, Some(1_000 + 6 * 100));
}
