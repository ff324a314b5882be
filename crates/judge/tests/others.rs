//! What the program could come to if receives of any source took other messages; against a simulation in which messages
//! arrive one by one, in any order that MPI-5.0 §3.5 allows, at programs that do not look at what they receive.

use std::collections::{BTreeSet, HashSet};

use mpiscope_judge::Confidence;
use mpiscope_judge::testing::judged;
use proptest::prelude::*;

fn certain(text: &str) -> BTreeSet<&'static str> {
    let found = judged(text);
    let certain = found.iter().filter(|f| f.confidence == Confidence::Certain).map(|f| f.id);
    certain.filter(|&id| id != "deadlock.buffering").collect()
}

fn ended(text: &str) -> String {
    format!("{text}\n0 Finalize\n1 Finalize\n2 Finalize")
}

const NONE: [&str; 0] = [];

fn assert_found<const N: usize>(text: &str, ids: [&'static str; N]) {
    assert_eq!(certain(text), ids.into(), "{text}");
}

#[test]
fn what_was_posted_before_anything_was_learned() {
    let text = ended(
        "0 Irecv from=any tag=0 int:1 op=1 status=2:0\n0 Irecv from=1 tag=0 int:1 op=2\n1 Send to=0 tag=0 int:1\n2 Send to=0 tag=0 int:1\n0 Waitall ops=1,2",
    );
    assert_found(&text, ["race.deadlock"]);
    let found = judged(&text);
    let race = found.iter().find(|f| f.id == "race.deadlock").unwrap();
    assert_eq!(
        race.text,
        "This run succeeded, but if rank 0's MPI_Irecv receives the message that rank 1 sends with tag 0 (MPI_Send), rank \
         0 waits forever for a message from rank 1 with tag 0 (MPI_Irecv)."
    );
    // It may look at the first one before it posts the second, or it waits for one of them.
    assert_found(
        &text
            .replace("0 Irecv from=1 tag=0 int:1 op=2\n", "0 Wait ops=1\n0 Irecv from=1 tag=0 int:1 op=2\n")
            .replace("ops=1,2", "ops=2"),
        NONE,
    );
    assert_found(&text.replace("0 Waitall ops=1,2", "0 Waitany ops=1,2 done=1\n0 Wait ops=2"), NONE);
    // Rank 1 sends only when the other message was received.
    let later = text
        .replace("1 Send to=0 tag=0 int:1\n2 Send", "1 Recv from=2 tag=1 int:1\n1 Send to=0 tag=0 int:1\n2 Ssend")
        .replace("\n0 Waitall", "\n2 Send to=1 tag=1 int:1\n0 Waitall");
    assert_found(&later, NONE);
    assert_found(&later.replace("Ssend", "Send"), ["race.deadlock"]);
    // Processes may pass each other data through memory.
    let memory = format!("window 1\n0 memory address=8192 bytes=64\n{text}");
    let race = judged(&memory).into_iter().find(|f| f.id == "race.deadlock").unwrap();
    assert_eq!(race.confidence, Confidence::Possible);
}

#[test]
fn what_follows_may_depend_on_what_came() {
    let text = ended(
        "0 Recv from=any tag=0 int:1 status=2:0\n0 Recv from=1 tag=0 int:1\n1 Send to=0 tag=0 int:1\n2 Send to=0 tag=0 int:1",
    );
    assert_found(&text, NONE);
    assert_found(&format!("alike 0\n{text}"), ["race.deadlock"]);
    // What it sends then may be another value, which decides what rank 1 does.
    let told = |alike: &str| {
        ended(&format!(
            "{alike}0 Recv from=any tag=0 int:1 status=2:0\n0 Send to=1 tag=1 int:1\n1 Irecv from=0 tag=1 int:1 op=1\n1 Send to=0 \
             tag=0 int:1\n2 Send to=0 tag=0 int:1\n1 Wait ops=1\n1 Send to=0 tag=2 int:1\n0 Recv from=1 tag=2 int:1\n0 Recv from=1 tag=0 int:1"
        ))
    };
    assert_found(&told(""), NONE);
    assert_found(&told("alike 0\n"), NONE);
    assert_found(&told("alike 0\nalike 1\n"), ["race.deadlock"]);
}

#[test]
fn servers() {
    // Each answer goes to the process that asked.
    let text = "0 Recv from=any tag=0 int:1 status=1:0\n0 Send to=1 tag=1 int:1\n0 Recv from=any tag=0 int:1 status=2:0\n0 Send to=2 tag=1 int:1\n1 Send to=0 tag=0 int:1\n1 Recv from=0 tag=1 int:1\n2 Send to=0 tag=0 int:1\n2 Recv from=0 tag=1 int:1";
    assert_found(&ended(text), NONE);
    let found = text.replace(
        "0 Recv from=any tag=0 int:1 status=1:0",
        "0 Probe from=any tag=0 status=1:0\n0 Recv from=1 tag=0 int:1",
    );
    assert_found(&ended(&found), NONE);
}

#[test]
fn messages_that_do_not_fit() {
    let text = |first: &str, second: &str| {
        ended(&format!(
            "0 Recv from=any tag=0 {first} status=1:0\n0 Recv from=any tag=0 {second} status=2:0\n1 Send to=0 tag=0 {first}\n2 Send to=0 \
             tag=0 {second}"
        ))
    };
    assert_found(&text("int:1", "int:4"), ["race.truncated"]);
    assert_found(&text("int:1", "float:1"), ["race.datatype"]);
    assert_found(&text("int:4", "int:4"), NONE);
    assert_found(&text("int:4", "int:1"), NONE);
    let reserved = "0 Mprobe from=any tag=0 message=7 status=1:0\n0 Mrecv message=7 int:1";
    assert_found(&text("int:1", "int:4").replace("0 Recv from=any tag=0 int:1 status=1:0", reserved), NONE);
}

#[test]
fn messages_with_different_tags_overtake() {
    // The message with tag 0 was sent before the one with tag 1, and yet may arrive after it.
    let text = ended(
        "0 Send to=1 tag=0 int:1\n0 Send to=1 tag=1 int:1\n1 Recv from=0 tag=1 int:1\n1 Recv from=2 tag=0 int:1\n1 Recv from=any tag=0 int:1 status=0:0\n1 Recv from=2 tag=0 int:1\n2 Ssend to=1 tag=0 int:1\n2 Send to=1 tag=0 int:1",
    );
    assert_found(&format!("alike 1\n{text}"), ["race.deadlock"]);
}

#[test]
fn a_message_is_left_over() {
    let text = ended(
        "0 Irecv from=any tag=0 int:1 op=1 status=1:0\n0 Irecv from=2 tag=0 int:1 op=2\n0 drop op=2 freed\n1 Send to=0 tag=0 int:1\n2 Send to=0 tag=0 int:1\n0 Wait ops=1",
    );
    // The process knows who sent the first one.
    assert_found(&text, NONE);
    let blocking =
        text.replace("0 Irecv from=any tag=0 int:1 op=1 status=1:0\n", "").replace("0 Wait ops=1", "0 Comm_rank");
    let sent = "1 Recv from=any tag=0 int:1 status=0:0\n1 Comm_rank\n0 Send to=1 tag=0 int:1\n2 Send to=1 tag=0 int:1";
    assert!(certain(&ended(sent)).contains("message.lost"));
    assert_found(&blocking, ["message.lost"]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Op {
    /// To, tag, elements, synchronous.
    Send(usize, i32, u32, bool),
    Recv(Option<usize>, i32, u32),
    Irecv(Option<usize>, i32, u32, usize),
    Wait(usize),
    Barrier,
}

/// Sender, tag, elements, number.
type Message = (usize, i32, u32, usize);
/// Act, source, tag and room.
type Posted = (usize, Option<usize>, i32, u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    at: Vec<usize>,
    /// Has begun the call that it is in.
    is_in: Vec<bool>,
    /// By sender and receiver: on their way.
    ways: Vec<Vec<Message>>,
    arrived: Vec<Vec<Message>>,
    /// By receiver.
    posted: Vec<Vec<Posted>>,
    /// By receiver and act: what came.
    came: Vec<Vec<Option<Message>>>,
    /// Messages that are received, by number.
    received: u64,
    /// Number of the message that a process has sent last.
    last: Vec<usize>,
    sent: usize,
    is_truncated: bool,
}

#[derive(Clone, Copy, Debug)]
enum Move {
    Step(usize),
    /// From, to, tag. Messages of one sender with different tags match no common receive here, so they may overtake each other.
    Arrive(usize, usize, i32),
}

impl State {
    fn new(programs: &[Vec<Op>]) -> State {
        let n = programs.len();
        State {
            at: vec![0; n],
            is_in: vec![false; n],
            ways: vec![Vec::new(); n * n],
            arrived: vec![Vec::new(); n],
            posted: vec![Vec::new(); n],
            came: programs.iter().map(|p| vec![None; p.len()]).collect(),
            received: 0,
            last: vec![0; n],
            sent: 0,
            is_truncated: false,
        }
    }

    fn moves(&self, programs: &[Vec<Op>]) -> Vec<Move> {
        let n = programs.len();
        let steps = (0..n).filter(|&rank| self.can_step(programs, rank)).map(Move::Step);
        let on_way = (0..n * n).flat_map(|way| {
            let tags: BTreeSet<i32> = self.ways[way].iter().map(|message| message.1).collect();
            tags.into_iter().map(move |tag| Move::Arrive(way / n, way % n, tag))
        });
        steps.chain(on_way).collect()
    }

    fn can_step(&self, programs: &[Vec<Op>], rank: usize) -> bool {
        let Some(op) = programs[rank].get(self.at[rank]) else { return false };
        if !self.is_in[rank] {
            return true;
        }
        match *op {
            Op::Send(.., waits) => !waits || self.received >> self.last[rank] & 1 != 0,
            Op::Recv(..) => self.came[rank][self.at[rank]].is_some(),
            Op::Irecv(..) => true,
            Op::Wait(id) => {
                let begun = |op: &Op| matches!(op, Op::Irecv(.., of) if *of == id);
                let act = programs[rank].iter().position(begun).unwrap();
                self.came[rank][act].is_some()
            }
            Op::Barrier => {
                let met = |p: &[Op], n: usize| p.iter().take(n).filter(|op| **op == Op::Barrier).count();
                let own = met(&programs[rank], self.at[rank] + 1);
                (0..programs.len()).all(|r| met(&programs[r], self.at[r] + usize::from(self.is_in[r])) >= own)
            }
        }
    }

    fn meet(&mut self, to: usize, act: usize, room: u32, message: Message) {
        self.came[to][act] = Some(message);
        self.received |= 1 << message.3;
        self.is_truncated |= message.2 > room;
    }

    fn make(&mut self, programs: &[Vec<Op>], one: Move) {
        match one {
            Move::Arrive(from, to, tag) => {
                let way = &mut self.ways[from * programs.len() + to];
                let message = way.remove(way.iter().position(|message| message.1 == tag).unwrap());
                let fits = |p: &(usize, Option<usize>, i32, u32)| p.1.is_none_or(|s| s == from) && p.2 == message.1;
                match self.posted[to].iter().position(fits) {
                    Some(at) => {
                        let (act, _, _, room) = self.posted[to].remove(at);
                        self.meet(to, act, room, message);
                    }
                    None => self.arrived[to].push(message),
                }
            }
            Move::Step(rank) if self.is_in[rank] => {
                self.is_in[rank] = false;
                self.at[rank] += 1;
            }
            Move::Step(rank) => {
                self.is_in[rank] = true;
                let act = self.at[rank];
                match programs[rank][act] {
                    Op::Send(to, tag, length, _) => {
                        self.ways[rank * programs.len() + to].push((rank, tag, length, self.sent));
                        self.last[rank] = self.sent;
                        self.sent += 1;
                    }
                    Op::Recv(source, tag, room) | Op::Irecv(source, tag, room, _) => {
                        let fits = |m: &Message| source.is_none_or(|s| s == m.0) && m.1 == tag;
                        match self.arrived[rank].iter().position(fits) {
                            Some(at) => {
                                let message = self.arrived[rank].remove(at);
                                self.meet(rank, act, room, message);
                            }
                            None => self.posted[rank].push((act, source, tag, room)),
                        }
                    }
                    Op::Wait(_) | Op::Barrier => {}
                }
            }
        }
    }

    fn is_over(&self, programs: &[Vec<Op>]) -> bool {
        self.at.iter().zip(programs).all(|(&at, program)| at == program.len())
    }
}

/// What any schedule comes to: a deadlock, a truncation. None if there are too many.
fn reachable(programs: &[Vec<Op>]) -> Option<[bool; 2]> {
    let mut seen = HashSet::new();
    let mut ways = vec![State::new(programs)];
    let mut found = [false; 2];
    while let Some(state) = ways.pop() {
        if seen.len() > 6_000 {
            return None;
        }
        if state.is_truncated {
            found[1] = true;
            continue;
        }
        let moves = state.moves(programs);
        found[0] |= moves.is_empty() && !state.is_over(programs);
        for one in moves {
            let mut next = state.clone();
            next.make(programs, one);
            if seen.insert(next.clone()) {
                ways.push(next);
            }
        }
    }
    Some(found)
}

/// One run that goes well, as the judge hears of it.
fn run(programs: &[Vec<Op>], mut seed: u64) -> Option<String> {
    let mut state = State::new(programs);
    loop {
        let moves = state.moves(programs);
        if moves.is_empty() {
            break;
        }
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.make(programs, moves[(seed >> 33) as usize % moves.len()]);
    }
    if !state.is_over(programs) || state.is_truncated {
        return None;
    }
    let mut text = String::new();
    for (rank, program) in programs.iter().enumerate() {
        for (act, op) in program.iter().enumerate() {
            let source = |s: Option<usize>| s.map_or("any".to_owned(), |s| s.to_string());
            let status = || state.came[rank][act].map_or(String::new(), |m| format!("status={}:{}", m.0, m.1));
            let line = match *op {
                Op::Send(to, tag, n, true) => format!("Ssend to={to} tag={tag} int:{n}"),
                Op::Send(to, tag, n, false) => format!("Send to={to} tag={tag} int:{n}"),
                Op::Recv(from, tag, n) => format!("Recv from={} tag={tag} int:{n} {}", source(from), status()),
                Op::Irecv(from, tag, n, id) => {
                    format!("Irecv from={} tag={tag} int:{n} op={} {}", source(from), id + 1, status())
                }
                Op::Wait(id) => format!("Wait ops={}", id + 1),
                Op::Barrier => "Barrier".to_owned(),
            };
            text += &format!("{rank} {line}\n");
        }
        text += &format!("{rank} Finalize\n");
    }
    Some(text)
}

fn programs(lengths: u32, waits: bool) -> impl Strategy<Value = Vec<Vec<Op>>> {
    let step =
        (0usize..10, 0usize..3, 1usize..3, prop_oneof![4 => Just(0), 1 => Just(1)], any::<[bool; 3]>(), 1..=lengths);
    (2usize..4, proptest::collection::vec(step, 2..6), proptest::collection::vec((0usize..3, 0usize..9), 0..4))
        .prop_map(move |(ranks, steps, swaps)| {
            let mut programs = vec![Vec::new(); ranks];
            let mut later: Vec<Vec<usize>> = vec![Vec::new(); ranks];
            for (number, (kind, from, step, tag, [is_any, is_late, is_sync], length)) in steps.into_iter().enumerate() {
                let from = from % ranks;
                let to = (from + 1 + step % (ranks - 1)) % ranks;
                if kind == 0 {
                    programs.iter_mut().for_each(|p| p.push(Op::Barrier));
                    continue;
                }
                // As long as what it is meant for: another message may be longer.
                let (source, room) = (Some(from).filter(|_| !is_any), length);
                if kind % 3 == 0 {
                    programs[to].push(Op::Irecv(source, tag, room, number));
                    match is_late {
                        true => later[to].push(number),
                        false => programs[to].push(Op::Wait(number)),
                    }
                } else {
                    programs[to].push(Op::Recv(source, tag, room));
                }
                programs[from].push(Op::Send(to, tag, length, is_sync && waits));
            }
            for (program, later) in programs.iter_mut().zip(later) {
                program.extend(later.into_iter().map(Op::Wait));
            }
            for (rank, at) in swaps {
                let program = &mut programs[rank % ranks];
                if program.len() > 1 {
                    let at = at % (program.len() - 1);
                    let (a, b) = (program[at], program[at + 1]);
                    if !matches!((a, b), (Op::Irecv(.., x), Op::Wait(y)) if x == y) {
                        program.swap(at, at + 1);
                    }
                }
            }
            programs
        })
}

/// A run that goes well, and what others come to.
fn seen(programs: &[Vec<Op>], seed: u64) -> Option<(String, [bool; 2])> {
    let text = (0..8).find_map(|more| run(programs, seed.wrapping_add(more)))?;
    Some((text, reachable(programs)?))
}

fn alike(ranks: usize, which: u32) -> String {
    (0..ranks).filter(|rank| which >> rank & 1 != 0).map(|rank| format!("alike {rank}\n")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// No process looks at what it receives: exactly what some schedule comes to.
    #[test]
    fn deadlocks_of_other_matches(programs in programs(1, true), seed: u64) {
        let found = seen(&programs, seed);
        prop_assume!(found.is_some());
        let (text, [hangs, _]) = found.unwrap();
        let ids = certain(&format!("{}{text}", alike(programs.len(), 7)));
        prop_assert_eq!(ids.contains("race.deadlock"), hangs, "{}\n{:?}", text, ids);
    }

    /// Some may: nothing that no schedule comes to.
    #[test]
    fn what_may_look_is_excused(programs in programs(1, true), seed: u64, which in 0u32..8) {
        let found = seen(&programs, seed);
        prop_assume!(found.is_some());
        let (text, [hangs, _]) = found.unwrap();
        let ids = certain(&format!("{}{text}", alike(programs.len(), which)));
        prop_assert!(hangs || !ids.contains("race.deadlock"), "{}", text);
    }

    #[test]
    fn truncations_of_other_matches(programs in programs(2, false), seed: u64) {
        let found = seen(&programs, seed);
        prop_assume!(found.is_some());
        let (text, [_, truncates]) = found.unwrap();
        let ids = certain(&format!("{}{text}", alike(programs.len(), 7)));
        prop_assert_eq!(ids.contains("race.truncated"), truncates, "{}\n{:?}", text, ids);
    }
}

/// Some hang in another order and some do not, or the above says nothing.
#[test]
fn the_programs_are_of_all_kinds() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut kinds = [[0; 2]; 2];
    for (lengths, kind) in [(1, 0), (2, 1)] {
        for seed in 0..250 {
            let programs = programs(lengths, lengths == 1).new_tree(&mut runner).unwrap().current();
            if let Some((_, found)) = seen(&programs, seed) {
                kinds[kind][usize::from(found[kind])] += 1;
            }
        }
    }
    assert!(kinds.iter().flatten().all(|&n| n > 1), "{kinds:?}");
}
