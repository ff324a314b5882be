//! Changes of calls on programs that are small enough to compute by hand.

use std::sync::Arc;

use mpiscope_model::simulation::{Calls, Curve, Id, Link, Mode, Network, Outcome, Part, Section, Simulation, Step};

use super::aggregate::Aggregate;
use super::arrival::Arrival;
use super::early::Early;
use super::join_operations::JoinOperations;
use super::merge_waits::MergeWaits;
use super::on_time::OnTime;
use super::regroup::{Regroup, Regrouped};
use super::reorder::Reorder;
use super::rewrite::{Rewrite, rewritten};
use super::split_waits::SplitWaits;

const BYTES: u64 = 100;
/// Facts of calls that are selected, and of others.
const CHOSEN: u32 = 0;
const OTHER: u32 = 1;

fn chosen(ranks: usize) -> Vec<Vec<bool>> {
    vec![vec![true, false]; ranks]
}

/// A message takes 1,000 ns and 1 ns for each byte.
fn network(ranks: u32, eager_bytes: u64, port_ns_per_byte: f64, latency_ns: f64) -> Network {
    let line = Curve::line(latency_ns, 1.0);
    let link = Link { transit: line.clone(), rendezvous: line, eager_bytes, port_ns_per_byte, ..Link::default() };
    Network {
        port_of: (0..ranks).collect(),
        ports: ranks,
        link_of: vec![0; (ranks * ranks) as usize],
        links: vec![link],
        ..Network::default()
    }
}

struct Program(Section);

impl Program {
    fn new(ranks: usize) -> Program {
        Program(Section { ranks: vec![Calls::default(); ranks], is_last: true, ..Section::default() })
    }

    fn call(&mut self, rank: usize, facts: u32, gap_ns: u64, parts: impl IntoIterator<Item = Part>) {
        let of = &mut self.0.ranks[rank];
        of.push(Step { row: of.steps.len() as u64, facts, gap_ns, ..Step::default() }, parts);
    }

    fn run(&self, network: &Network) -> Outcome {
        run(&self.0, network)
    }

    /// The same, changed, in one section and in several.
    fn changed(&self, new: impl Fn() -> Box<dyn Rewrite>, network: &Network) -> (Outcome, Result<String, String>) {
        let mut rewrite = new();
        let outcome = run(&rewritten(rewrite.as_mut(), &self.0), network);
        let summary = rewrite.summary();
        let mut rewrite = new();
        let mut simulation = simulation(network);
        let most = self.0.ranks.iter().map(|calls| calls.steps.len()).max().unwrap_or(0);
        for at in 0..most {
            let mut section = Section { is_last: at + 1 == most, ..Section::default() };
            for calls in &self.0.ranks {
                let mut one = Calls::default();
                calls.steps.get(at).into_iter().for_each(|step| one.push(*step, calls.parts_of(step).iter().copied()));
                section.ranks.push(one);
            }
            simulation.add(&Arc::new(rewritten(rewrite.as_mut(), &section)), &mut ());
        }
        assert_eq!(simulation.finish(), outcome, "where the run is cut makes no difference");
        (outcome, summary)
    }
}

fn simulation(network: &Network) -> Simulation {
    Simulation::new(Arc::new(network.clone()), &vec![0; network.port_of.len()])
}

fn run(section: &Section, network: &Network) -> Outcome {
    let mut simulation = simulation(network);
    simulation.add(&Arc::new(section.clone()), &mut ());
    simulation.finish()
}

fn send(id: Id, to: u32) -> Part {
    Part::Send { id, to, bytes: BYTES, mode: Mode::Standard }
}

fn receive(id: Id, from: u32) -> Part {
    Part::Receive { id, from, bytes: BYTES }
}

/// Two exchanges of four blocking messages from rank 0 to rank 1; computing between the messages.
fn four_messages(gap_ns: u64) -> Program {
    let mut program = Program::new(2);
    for exchange in 0..2u64 {
        for message in 0..4 {
            let id = exchange * 4 + message;
            let gap_ns = if message == 0 { 50_000 } else { gap_ns };
            program.call(0, CHOSEN, gap_ns, [send(id, 1), Part::AwaitSent(id)]);
            program.call(1, OTHER, 0, [receive(id, 0), Part::AwaitReceived(id)]);
        }
    }
    program
}

fn aggregate() -> Box<dyn Rewrite> {
    Box::new(Aggregate::new(chosen(2)))
}

#[test]
fn aggregated_messages_have_one_latency() {
    // By rendezvous, and eager: a sender that need not wait is 50 µs behind the receiver all the same.
    let (blocking, eager) = (network(2, 0, 0.0, 1_000.0), network(2, u64::MAX, 0.0, 1_000.0));
    let program = four_messages(0);
    assert_eq!(program.run(&blocking).time_ns(), 2 * (50_000 + 4 * 1_100));
    let (outcome, summary) = program.changed(aggregate, &blocking);
    assert_eq!((outcome.time_ns(), outcome.released), (2 * (50_000 + 1_400), 0));
    assert_eq!(summary, Ok("8 messages become 2".to_owned()));
    assert_eq!(program.changed(aggregate, &eager).0.time_ns(), 2 * 50_000 + 1_400);
}

#[test]
fn what_held_up_a_send_that_is_aggregated_holds_up_nothing() {
    let network = network(2, u64::MAX, 0.0, 1_000.0);
    let mut program = four_messages(0);
    for at in [1, 3] {
        program.0.ranks[0].steps[at].own_ns = 70_000;
    }
    assert_eq!(program.run(&network).time_ns(), 2 * 50_000 + 2 * 70_000 + 1_100);
    // The fourth send still occurs.
    assert_eq!(program.changed(aggregate, &network).0.time_ns(), 2 * 50_000 + 70_000 + 1_400);
}

#[test]
fn aggregated_messages_leave_when_the_last_one_is_ready() {
    let network = network(2, u64::MAX, 0.0, 1_000.0);
    let program = four_messages(10_000);
    assert_eq!(program.run(&network).time_ns(), 2 * 80_000 + 1_100);
    assert_eq!(program.changed(aggregate, &network).0.time_ns(), 2 * 80_000 + 1_400);
}

#[test]
fn a_receiver_may_take_aggregated_messages_in_any_order() {
    for eager_bytes in [0, u64::MAX] {
        for gap_ns in [0, 10] {
            let mut program = Program::new(2);
            for id in 0..3 {
                program.call(0, CHOSEN, gap_ns, [send(id, 1), Part::AwaitSent(id)]);
                // To no process: that does not end the exchange.
                program.call(0, CHOSEN, 0, []);
            }
            program.call(1, OTHER, 0, (0..3).map(|id| receive(id, 0)));
            program.call(1, OTHER, 0, [2, 1, 0].map(Part::AwaitReceived));
            let (outcome, _) = program.changed(aggregate, &network(2, eager_bytes, 1.0, 0.0));
            assert_eq!((outcome.time_ns(), outcome.released), (3 * gap_ns + 300, 0));
        }
    }
}

/// Two ranks exchange a message four times, each time in one call.
fn four_exchanges() -> Program {
    let mut program = Program::new(2);
    for at in 0..4u64 {
        for rank in 0..2u32 {
            let (out, into) = (2 * at + u64::from(rank), 2 * at + u64::from(1 - rank));
            let parts = [receive(into, 1 - rank), send(out, 1 - rank), Part::AwaitReceived(into), Part::AwaitSent(out)];
            program.call(rank as usize, CHOSEN, 0, parts);
        }
    }
    program
}

#[test]
fn exchanges_in_one_call_are_aggregated_both_ways() {
    let program = four_exchanges();
    let network = network(2, 0, 0.0, 1_000.0);
    assert_eq!(program.run(&network).time_ns(), 4_400);
    let (outcome, _) = program.changed(aggregate, &network);
    assert_eq!((outcome.time_ns(), outcome.released), (1_400, 0));
}

#[test]
fn messages_that_cannot_be_aggregated_are_explained() {
    let network = network(3, u64::MAX, 0.0, 1_000.0);
    let why = |program: &Program| program.changed(|| Box::new(Aggregate::new(chosen(3))), &network).1.unwrap_err();
    assert!(why(&four_messages(30_000)).starts_with("no two of these messages follow each other"));
    let mut program = Program::new(3);
    for to in [1, 2] {
        program.call(0, CHOSEN, 0, [send(u64::from(to), to), Part::AwaitSent(u64::from(to))]);
        program.call(to as usize, OTHER, 0, [receive(u64::from(to), 0), Part::AwaitReceived(u64::from(to))]);
    }
    assert_eq!(why(&program), "in each exchange there is only one message to each rank");
    let mut program = Program::new(3);
    for id in [1, 2] {
        let large = Part::Send { id, to: 1, bytes: 600_000, mode: Mode::Standard };
        program.call(0, CHOSEN, 0, [large, Part::AwaitSent(id)]);
        program.call(1, OTHER, 0, [receive(id, 0), Part::AwaitReceived(id)]);
    }
    assert!(why(&program).contains("so large that together they exceed 1 MiB"));
}

#[test]
fn an_answer_that_is_needed_first_cannot_be_aggregated() {
    // A ping-pong: what is sent later is sent after an answer, which ends the exchange.
    let mut program = Program::new(2);
    for id in 0..4u64 {
        let to = id as u32 % 2;
        let from = 1 - to;
        program.call(from as usize, CHOSEN, 0, [send(id, to), Part::AwaitSent(id)]);
        program.call(to as usize, OTHER, 0, [receive(id, from), Part::AwaitReceived(id)]);
    }
    assert!(program.changed(aggregate, &network(2, 0, 0.0, 1_000.0)).1.is_err());
}

#[test]
fn merged_waits_lose_what_was_done_between_them() {
    let mut program = Program::new(2);
    for id in 0..3 {
        program.call(0, OTHER, 1_000, [send(id, 1), Part::AwaitSent(id)]);
    }
    program.call(1, OTHER, 0, (0..3).map(|id| receive(id, 0)));
    for id in 0..3 {
        program.call(1, CHOSEN, if id == 0 { 0 } else { 800 }, [Part::AwaitReceived(id)]);
    }
    program.call(1, OTHER, 800, []);
    let network = network(2, u64::MAX, 0.0, 0.0);
    assert_eq!(program.run(&network).time_ns(), 3_900);
    let (outcome, summary) = program.changed(|| Box::new(MergeWaits::new(chosen(2))), &network);
    assert_eq!((outcome.time_ns(), summary), (3_100 + 3 * 800, Ok("3 waits become 1".to_owned())));
    let (_, summary) = four_messages(0).changed(|| Box::new(MergeWaits::new(chosen(2))), &network);
    assert!(summary.unwrap_err().starts_with("no two of these waits follow each other"));
}

#[test]
fn after_a_split_wait_a_part_of_the_computing_follows_each_message() {
    let program = |after_ns: u64| {
        let mut program = Program::new(2);
        for id in 0..3 {
            program.call(0, OTHER, 40_000, [send(id, 1), Part::AwaitSent(id)]);
        }
        program.call(1, OTHER, 0, (0..3).map(|id| receive(id, 0)).chain([send(3, 0)]));
        program.call(1, CHOSEN, 0, (0..3).map(Part::AwaitReceived).chain([Part::AwaitSent(3)]));
        program.call(1, OTHER, after_ns, []);
        program.call(0, OTHER, 0, [receive(3, 1), Part::AwaitReceived(3)]);
        program
    };
    let split = || -> Box<dyn Rewrite> { Box::new(SplitWaits::new(chosen(2))) };
    let network = network(2, u64::MAX, 0.0, 0.0);
    assert_eq!(program(90_000).run(&network).time_ns(), 120_100 + 90_000);
    let (outcome, summary) = program(90_000).changed(split, &network);
    assert_eq!((outcome.time_ns(), outcome.released), (120_100 + 30_000, 0));
    assert_eq!(summary, Ok("1 wait becomes 3".to_owned()));
    // Sent data are awaited last: no computing waits for them.
    let (outcome, summary) = program(1_000).changed(split, &network);
    assert_eq!(outcome.time_ns(), 121_100);
    assert!(summary.unwrap_err().starts_with("none of these waits is for several messages"));
}

/// Each rank sends to all others in the order of their numbers; all receives are posted.
fn to_all(ranks: u32) -> Program {
    let mut program = Program::new(ranks as usize);
    let id = |from: u32, to: u32| u64::from(from * ranks + to);
    for rank in 0..ranks {
        let others = || (0..ranks).filter(move |&other| other != rank);
        program.call(rank as usize, OTHER, 0, others().map(|from| receive(id(from, rank), from)));
        for to in others() {
            program.call(rank as usize, CHOSEN, 0, [send(id(rank, to), to), Part::AwaitSent(id(rank, to))]);
        }
        program.call(rank as usize, OTHER, 0, others().map(|from| Part::AwaitReceived(id(from, rank))));
    }
    program
}

#[test]
fn sends_that_begin_with_the_next_rank_share_no_port() {
    let network = network(4, 0, 1.0, 0.0);
    let program = to_all(4);
    // All send to rank 0, then to rank 1, and so on.
    assert_eq!(program.run(&network).time_ns(), 6 * BYTES);
    let reorder = || -> Box<dyn Rewrite> { Box::new(Reorder::new(chosen(4))) };
    let (outcome, summary) = program.changed(reorder, &network);
    assert_eq!((outcome.time_ns(), outcome.released), (3 * BYTES, 0));
    // Those of rank 0 and of rank 3 are in this order already.
    assert_eq!(summary, Ok("6 messages change places".to_owned()));
    let (_, summary) = to_all(2).changed(|| Box::new(Reorder::new(chosen(2))), &self::network(2, 0, 1.0, 0.0));
    assert_eq!(summary, Err("no exchange has such messages to several ranks".to_owned()));
}

#[test]
fn an_exchange_in_turn_becomes_one_at_once() {
    let mut program = Program::new(2);
    for exchange in 0..2u64 {
        let (there, back) = (2 * exchange, 2 * exchange + 1);
        program.call(0, CHOSEN, 30_000, [send(there, 1), Part::AwaitSent(there)]);
        program.call(0, OTHER, 0, [receive(back, 1), Part::AwaitReceived(back)]);
        program.call(1, OTHER, 30_000, [receive(there, 0), Part::AwaitReceived(there)]);
        program.call(1, CHOSEN, 0, []);
        program.call(1, CHOSEN, 0, [send(back, 0), Part::AwaitSent(back)]);
    }
    let network = network(2, 0, 0.0, 1_000.0);
    assert_eq!(program.run(&network).time_ns(), 2 * (30_000 + 2 * 1_100));
    let neighbourhood = || -> Box<dyn Rewrite> { Box::new(Regroup::new(Regrouped::AtOnce, chosen(2))) };
    let (outcome, summary) = program.changed(neighbourhood, &network);
    assert_eq!((outcome.time_ns(), outcome.released), (2 * (30_000 + 1_100), 0));
    assert_eq!(summary, Ok("8 calls become 4".to_owned()));
}

#[test]
fn an_exchange_in_phases_shares_no_port() {
    let network = network(4, 0, 1.0, 0.0);
    let phased = || -> Box<dyn Rewrite> { Box::new(Regroup::new(Regrouped::InPhases, chosen(4))) };
    // All send to rank 0, then to rank 1, and so on; in phases, each rank has another partner.
    let (outcome, summary) = to_all(4).changed(phased, &network);
    assert_eq!((outcome.time_ns(), outcome.released), (3 * BYTES, 0));
    assert_eq!(summary, Ok("20 calls become 12".to_owned()));
    let (_, summary) = four_exchanges()
        .changed(|| Box::new(Regroup::new(Regrouped::InPhases, chosen(2))), &self::network(2, 0, 0.0, 1_000.0));
    assert!(summary.unwrap_err().contains("there is no exchange"));
}

#[test]
fn data_that_go_round_are_no_neighbourhood() {
    // Each step passes on what the step before has brought, so it is an exchange of its own.
    let program = four_exchanges();
    let (_, summary) =
        program.changed(|| Box::new(Regroup::new(Regrouped::AtOnce, chosen(2))), &network(2, 0, 0.0, 1_000.0));
    assert!(summary.unwrap_err().contains("there is no exchange"));
}

#[test]
fn lateness_is_taken_from_the_computing_before() {
    let mut program = Program::new(1);
    let enter = |id| [Part::Enter { id, kind: 0, member: 0 }];
    program.call(0, OTHER, 600, []);
    program.call(0, OTHER, 200, enter(0));
    program.0.ranks[0].steps[1].late_ns = 400;
    // More than it computes.
    program.call(0, OTHER, 300, enter(1));
    program.0.ranks[0].steps[2].late_ns = 5_000;
    program.call(0, OTHER, 700, enter(2));
    let mut on_time = OnTime::new(0, vec![true]);
    let gaps = |section: &Section| section.ranks[0].steps.iter().map(|step| step.gap_ns).collect::<Vec<_>>();
    assert_eq!(gaps(&rewritten(&mut on_time, &program.0)), [300, 100, 0, 700]);
    // Operations in which not all wait for all do not count.
    let mut on_time = OnTime::new(0, vec![false]);
    assert_eq!(gaps(&rewritten(&mut on_time, &program.0)), [600, 200, 300, 700]);
}

#[test]
fn operations_in_a_row_become_one_on_all_ranks() {
    let mut program = Program::new(2);
    for rank in 0..2u32 {
        let operation = |id, kind| [Part::Enter { id, kind, member: rank }, Part::Leave { id, member: rank }];
        let at = rank as usize;
        program.call(at, CHOSEN, 5_000, operation(0, 0));
        // Rank 1 is interrupted: what holds for the first member that comes holds for all.
        program.call(at, CHOSEN, if at == 0 { 100 } else { 9_000 }, operation(1, 0));
        program.call(at, CHOSEN, 100, operation(2, 0));
        // Another kind of operation, computing, another call.
        program.call(at, CHOSEN, 100, operation(3, 1));
        program.call(at, CHOSEN, 3_000, operation(4, 1));
        program.call(at, OTHER, 100, []);
        program.call(at, CHOSEN, 100, operation(5, 1));
        program.call(at, CHOSEN, 100, operation(6, 1));
        program.0.ranks[at].steps.iter_mut().for_each(|step| step.own_ns = 10);
    }
    let mut join = JoinOperations::new(chosen(2));
    let joined = rewritten(&mut join, &program.0);
    let remains = |rank: usize| {
        let calls = &joined.ranks[rank];
        let ids =
            calls.parts.iter().filter_map(|part| if let Part::Enter { id, .. } = part { Some(*id) } else { None });
        ids.collect::<Vec<_>>()
    };
    assert_eq!([remains(0), remains(1)], [[0, 3, 4, 5]; 2]);
    let of = |rank: usize, what: fn(&Step) -> i64| joined.ranks[rank].steps.iter().map(what).collect::<Vec<_>>();
    assert_eq!(of(0, |step| step.gap_ns as i64), [5_000, 0, 0, 100, 3_000, 100, 100, 0]);
    assert_eq!(of(1, |step| step.gap_ns as i64), [5_000, 9_000, 0, 100, 3_000, 100, 100, 0]);
    assert_eq!(of(0, |step| step.own_ns as i64), [10, 0, 0, 10, 10, 10, 10, 0]);
    assert_eq!(of(0, |step| step.moved_rows.into()), [0, -1, -2, 0, 0, 0, 0, -1]);
    assert_eq!(join.summary(), Ok("7 operations become 4".to_owned()));
    let mut join = JoinOperations::new(vec![vec![false, false]; 2]);
    assert_eq!(rewritten(&mut join, &program.0).ranks[0].parts, program.0.ranks[0].parts);
    assert!(join.summary().is_err());
}

/// Rank 0 sends at once and after 50 µs; rank 1 takes the second message first, works between the two receives, and for 45 µs after them.
fn late_one_first(between_ns: u64) -> Program {
    let mut program = Program::new(2);
    program.call(0, OTHER, 0, [send(0, 1), Part::AwaitSent(0)]);
    program.call(0, OTHER, 50_000, [send(1, 1), Part::AwaitSent(1)]);
    program.call(1, CHOSEN, 0, [receive(1, 0), Part::AwaitReceived(1)]);
    program.call(1, OTHER, between_ns, [receive(0, 0), Part::AwaitReceived(0)]);
    program.call(1, OTHER, 45_000, []);
    program.0.ranks[1].steps[0].sent_ns = 50_000;
    program
}

fn arrival() -> Box<dyn Rewrite> {
    Box::new(Arrival::new(chosen(2)))
}

#[test]
fn a_message_that_is_there_is_worked_on_while_another_one_comes() {
    let eager = network(2, u64::MAX, 0.0, 1_000.0);
    let program = late_one_first(30_000);
    assert_eq!(program.run(&eager).time_ns(), 51_100 + 30_000 + 45_000);
    let (outcome, summary) = program.changed(arrival, &eager);
    // 30 of the 45 µs are for the message that is late; the others may need both.
    assert_eq!((outcome.time_ns(), outcome.released), (51_100 + 45_000, 0));
    assert_eq!(summary, Ok("2 receives change places".to_owned()));
}

#[test]
fn calls_about_a_message_change_places_with_its_receive() {
    let eager = network(2, u64::MAX, 0.0, 1_000.0);
    let mut program = late_one_first(30_000);
    // As MPI_Get_count, right after each receive.
    let calls = std::mem::take(&mut program.0.ranks[1]);
    for step in &calls.steps {
        program.0.ranks[1].push(*step, calls.parts_of(step).iter().copied());
        if step.parts > 0 {
            program.0.ranks[1].push(Step { own_ns: 500, facts: OTHER, ..Step::default() }, []);
        }
    }
    assert_eq!(program.run(&eager).time_ns(), 51_100 + 30_000 + 45_000 + 2 * 500);
    assert_eq!(program.changed(arrival, &eager).0.time_ns(), 51_100 + 45_000 + 500);
}

#[test]
fn what_needs_both_messages_gains_nothing_by_their_order() {
    let eager = network(2, u64::MAX, 0.0, 1_000.0);
    let program = late_one_first(0);
    assert_eq!(program.run(&eager).time_ns(), 51_100 + 45_000);
    assert_eq!(program.changed(arrival, &eager).0.time_ns(), 51_100 + 45_000);
}

#[test]
fn receives_that_cannot_change_places_say_why() {
    let eager = network(2, u64::MAX, 0.0, 1_000.0);
    let why = |program: &Program| program.changed(arrival, &eager).1.unwrap_err();
    let mut program = late_one_first(30_000);
    program.0.ranks[1].steps[1].sent_ns = 60_000;
    assert_eq!(why(&program), "these messages are received in the order in which they are sent");
    let mut program = Program::new(2);
    for id in [1, 0] {
        program.call(0, OTHER, 0, [send(1 - id, 1), Part::AwaitSent(1 - id)]);
        program.call(1, CHOSEN, 0, [receive(id, 0), Part::AwaitReceived(id)]);
        program.call(1, OTHER, 0, [send(id + 2, 0), Part::AwaitSent(id + 2)]);
        program.call(0, OTHER, 0, [receive(id + 2, 1), Part::AwaitReceived(id + 2)]);
    }
    assert_eq!(why(&program), "no two of these receives follow each other: there are other calls between them");
}

/// Rank 0 sends, rank 1 computes for 40 µs before it receives. Then rank 0 computes as long, or waits for an answer.
fn computing_first(answers: bool) -> Program {
    let mut program = Program::new(2);
    program.call(0, OTHER, 0, [send(0, 1), Part::AwaitSent(0)]);
    program.call(1, CHOSEN, 40_000, [receive(0, 0), Part::AwaitReceived(0)]);
    match answers {
        true => {
            program.call(0, OTHER, 0, [receive(1, 1), Part::AwaitReceived(1)]);
            program.call(1, OTHER, 0, [send(1, 0), Part::AwaitSent(1)]);
        }
        false => {
            program.call(0, OTHER, 40_000, []);
            program.call(1, OTHER, 0, []);
        }
    }
    program
}

fn early() -> Box<dyn Rewrite> {
    Box::new(Early::new(chosen(2)))
}

#[test]
fn a_receive_before_the_computing_lets_its_sender_go() {
    let blocking = network(2, 0, 0.0, 1_000.0);
    let program = computing_first(false);
    assert_eq!(program.run(&blocking).time_ns(), 40_000 + 1_100 + 40_000);
    let (outcome, summary) = program.changed(early, &blocking);
    assert_eq!((outcome.time_ns(), outcome.released), (1_100 + 40_000, 0));
    assert_eq!(summary, Ok("1 receive before computing".to_owned()));
}

#[test]
fn a_sender_that_waits_for_the_answer_gains_nothing_by_an_early_receive() {
    let blocking = network(2, 0, 0.0, 1_000.0);
    let program = computing_first(true);
    assert_eq!(program.run(&blocking).time_ns(), 40_000 + 2 * 1_100);
    assert_eq!(program.changed(early, &blocking).0.time_ns(), 40_000 + 2 * 1_100);
}

#[test]
fn receives_without_computing_before_them_are_not_late() {
    let blocking = network(2, 0, 0.0, 1_000.0);
    let mut program = computing_first(true);
    program.0.ranks[1].steps[0].gap_ns = 100;
    assert!(program.changed(early, &blocking).1.is_err());
}
