//! A small simulator makes runs; the replay of what it recorded has to end as the simulator does.

use proptest::prelude::*;

use crate::{AsRecorded, Change, Fate, Limits, Need, On, Outcome, Own, Tape, replay};

/// A call of a rank.
#[derive(Clone, Copy, Debug)]
enum Call {
    Send { to: usize },
    Receive { from: usize },
    Barrier,
}

const MESSAGE: u8 = 1;
const BARRIER: u8 = 2;

/// Calls of all ranks, with what each rank computes before them and what they take themselves.
type Program = Vec<Vec<(Call, u64, u64)>>;

struct Simulated {
    elapsed_ns: u64,
    /// (rank, entry, exit) in an order in which everything needed comes before.
    tape: Tape,
}

/// Runs a program; ranks go on as soon as they can.
fn simulate(program: &Program, limits: Limits, ignores: &[u8]) -> Simulated {
    let ranks = program.len();
    let mut tape = Tape::new(vec![0; ranks], limits);
    let mut now = vec![0u64; ranks];
    let mut next = vec![0usize; ranks];
    let mut entered: Vec<Option<(u64, u32)>> = vec![None; ranks];
    let mut sent: Vec<Vec<Vec<(u64, u32)>>> = vec![vec![Vec::new(); ranks]; ranks];
    let mut taken = vec![vec![0usize; ranks]; ranks];
    let mut barriers: Vec<(u32, Vec<u64>)> = Vec::new();
    let mut at_barrier = vec![0usize; ranks];
    let mut moves = true;
    while moves {
        moves = false;
        for rank in 0..ranks {
            while let Some(&(call, gap, own)) = program[rank].get(next[rank]) {
                let (start, entry) = *entered[rank].get_or_insert_with(|| {
                    let start = now[rank] + gap;
                    let entry = tape.enter(rank as u32, next[rank] as u32, start);
                    match call {
                        Call::Send { to } => sent[rank][to].push((start, entry)),
                        Call::Barrier => {
                            if barriers.len() == at_barrier[rank] {
                                barriers.push((tape.meeting(), Vec::new()));
                            }
                            let (meeting, arrived) = &mut barriers[at_barrier[rank]];
                            tape.arrive(entry, *meeting, start);
                            arrived.push(start);
                        }
                        Call::Receive { .. } => {}
                    }
                    (start, entry)
                });
                let _ = entry;
                let need = match call {
                    Call::Send { .. } => None,
                    Call::Receive { from } => match sent[from][rank].get(taken[from][rank]) {
                        Some(&(at_ns, entry)) => Some(Need { on: On::Entry(entry), kind: MESSAGE, at_ns }),
                        None => break,
                    },
                    Call::Barrier => match &barriers[at_barrier[rank]] {
                        (meeting, arrived) if arrived.len() == ranks => {
                            let at_ns = arrived.iter().copied().max().unwrap_or(0);
                            Some(Need { on: On::Meeting(*meeting), kind: BARRIER, at_ns })
                        }
                        _ => break,
                    },
                };
                let binding = need.filter(|n| !ignores.contains(&n.kind)).map_or(0, |n| n.at_ns);
                now[rank] = start.max(binding) + own;
                tape.exit(rank as u32, next[rank] as u32, now[rank], need.into_iter());
                match call {
                    Call::Receive { from } => taken[from][rank] += 1,
                    Call::Barrier => at_barrier[rank] += 1,
                    Call::Send { .. } => {}
                }
                entered[rank] = None;
                next[rank] += 1;
                moves = true;
            }
        }
    }
    assert!(next.iter().zip(program).all(|(n, p)| *n == p.len()), "the program does not end");
    tape.finish();
    Simulated { elapsed_ns: now.into_iter().max().unwrap_or(0), tape }
}

/// Programs that cannot hang: each message is sent before it is received, in one order of all calls.
fn programs() -> impl Strategy<Value = Program> {
    let step = (0..10usize, 0..4usize, 0..4usize, 0..1000u64, 0..100u64);
    (2..5usize, prop::collection::vec(step, 1..120)).prop_map(|(ranks, steps)| {
        let mut program: Program = vec![Vec::new(); ranks];
        for (kind, a, b, gap, own) in steps {
            let (a, b) = (a % ranks, b % ranks);
            match kind {
                0 => program.iter_mut().enumerate().for_each(|(r, p)| p.push((Call::Barrier, gap * r as u64, own))),
                _ if a != b => {
                    program[a].push((Call::Send { to: b }, gap, own));
                    program[b].push((Call::Receive { from: a }, own, gap / 8));
                }
                _ => {}
            }
        }
        program
    })
}

/// One rank computes at another speed.
struct Speed {
    rank: u32,
    percent: u64,
}

impl Change for Speed {
    fn computing(&self, rank: u32, _: u32, gap_ns: u64, _: u64) -> u64 {
        if rank == self.rank { gap_ns * self.percent / 100 } else { gap_ns }
    }
}

/// A kind of need goes.
struct Without(u8);

impl Change for Without {
    fn need(&self, _: u32, _: u32, kind: u8) -> Fate {
        if kind == self.0 { Fate::Goes } else { Fate::Stays }
    }
}

/// Calls take half as long.
struct HalfInside;

impl Change for HalfInside {
    fn inside(&self, own: Own, _: u64) -> u64 {
        own.ns / 2
    }
}

fn changed(program: &Program, change: impl Fn(usize, &mut (Call, u64, u64))) -> Program {
    let mut program = program.clone();
    program.iter_mut().enumerate().for_each(|(rank, calls)| calls.iter_mut().for_each(|c| change(rank, c)));
    program
}

proptest! {
    #[test]
    fn without_a_change_the_replay_is_the_run(program in programs(), calls in 1..64u32, stretches in 1..5usize) {
        let limits = Limits { calls, stretches: 2 * stretches };
        let simulated = simulate(&program, limits, &[]);
        let found = replay(&simulated.tape, &AsRecorded);
        prop_assert_eq!(found.recorded_ns, found.replayed_ns);
        let all = simulate(&program, Limits::default(), &[]);
        prop_assert_eq!(replay(&all.tape, &AsRecorded).recorded_ns, all.elapsed_ns);
    }

    #[test]
    fn a_change_gives_what_the_changed_program_takes(program in programs(), rank in 0..2u32, percent in 0..300u64) {
        let tape = simulate(&program, Limits::default(), &[]).tape;
        let slower = changed(&program, |r, c| if r as u32 == rank { c.1 = c.1 * percent / 100 });
        let wanted = simulate(&slower, Limits::default(), &[]).elapsed_ns;
        prop_assert_eq!(replay(&tape, &Speed { rank, percent }).replayed_ns, wanted);
        let quick = simulate(&changed(&program, |_, c| c.2 /= 2), Limits::default(), &[]).elapsed_ns;
        prop_assert_eq!(replay(&tape, &HalfInside).replayed_ns, quick);
        for kind in [MESSAGE, BARRIER] {
            let wanted = simulate(&program, Limits::default(), &[kind]).elapsed_ns;
            prop_assert_eq!(replay(&tape, &Without(kind)).replayed_ns, wanted);
        }
    }

    #[test]
    fn a_tape_keeps_no_more_than_its_limit(program in programs(), calls in 1..16u32) {
        let limits = Limits { calls, stretches: 4 };
        let tape = simulate(&program, limits, &[]).tape;
        let kept: usize = tape.segments().flatten().map(|s| s.events.len()).sum();
        // An entry, an exit, an arrival.
        prop_assert!(kept <= 3 * 4 * (calls as usize + 4), "{} events", kept);
    }
}

/// Rank 1 receives from 0, which is late, and then from 2, which is early; after each it computes.
fn two_receives(gap_after_first: u64, gap_after_second: u64) -> Tape {
    let program: Program = vec![
        vec![(Call::Send { to: 1 }, 1000, 0)],
        vec![
            (Call::Receive { from: 0 }, 0, 10),
            (Call::Receive { from: 2 }, gap_after_first, 10),
            (Call::Send { to: 2 }, gap_after_second, 0),
        ],
        vec![(Call::Send { to: 1 }, 0, 0), (Call::Receive { from: 1 }, 0, 0)],
    ];
    simulate(&program, Limits::default(), &[]).tape
}

/// The first receive of rank 1 is made after the second.
struct OtherFirst;

impl Change for OtherFirst {
    fn need(&self, rank: u32, facts: u32, _: u8) -> Fate {
        if (rank, facts) == (1, 0) { Fate::Moves } else { Fate::Stays }
    }

    fn is_free(&self, rank: u32, facts: u32) -> bool {
        rank == 1 && facts < 2
    }
}

#[test]
fn another_order_helps_only_where_there_is_something_to_do() {
    let nothing_to_do = replay(&two_receives(0, 0), &OtherFirst);
    assert_eq!((nothing_to_do.recorded_ns, nothing_to_do.replayed_ns), (1020, 1010));
    // What is computed after both may need both.
    let needs_both = replay(&two_receives(0, 400), &OtherFirst);
    assert_eq!((needs_both.recorded_ns, needs_both.replayed_ns), (1420, 1410));
    // Each message is worked on by itself: that on the second one fits into the wait for the first.
    let much_to_do = replay(&two_receives(400, 400), &OtherFirst);
    assert_eq!((much_to_do.recorded_ns, much_to_do.replayed_ns), (1820, 1410));
    // What is computed with the first message cannot begin earlier.
    let after_the_first = replay(&two_receives(400, 0), &OtherFirst);
    assert_eq!((after_the_first.recorded_ns, after_the_first.replayed_ns), (1420, 1410));
}

#[test]
fn a_wait_that_moves_saves_nothing() {
    // Rank 0 is late for everything: without the barrier the others wait in the receive that follows.
    let program: Program = vec![
        vec![(Call::Barrier, 500, 5), (Call::Send { to: 1 }, 0, 0)],
        vec![(Call::Barrier, 100, 5), (Call::Receive { from: 0 }, 0, 5)],
    ];
    let tape = simulate(&program, Limits::default(), &[]).tape;
    let without_barrier = replay(&tape, &Without(BARRIER));
    assert_eq!(without_barrier.recorded_ns - without_barrier.replayed_ns, 0);
    let balanced = replay(&tape, &Speed { rank: 0, percent: 20 });
    assert_eq!(balanced.recorded_ns - balanced.replayed_ns, 400);
}

/// Calls within 10 ns of the call before are a part of it.
struct Joined;

impl Change for Joined {
    fn is_part(&self, _: u32, _: u32, before: u32, gap_ns: u64) -> bool {
        before != u32::MAX && gap_ns <= 10
    }
}

#[test]
fn parts_of_a_call_need_nothing() {
    // Rank 1 comes late to the first of three barriers, and a little to the others.
    let barriers = |late_ns: u64, gap_ns: u64| {
        let later = (Call::Barrier, gap_ns, 5);
        vec![(Call::Barrier, 100 + late_ns, 5), later, later, (Call::Barrier, 100, 5)]
    };
    let tape = simulate(&vec![barriers(0, 2), barriers(300, 8)], Limits::default(), &[]).tape;
    let joined = replay(&tape, &Joined);
    assert_eq!((joined.recorded_ns, joined.replayed_ns), (400 + 5 + 2 * (8 + 5) + 100 + 5, 400 + 5 + 100 + 5));
}

#[test]
fn parts_of_a_run_keep_meetings_that_are_known_before() {
    // Analyses know the operations of many calls before they come to the first of these. Rank 1 computes twice as long in each of 100 steps.
    let saved = |limits: Limits| {
        let mut tape = Tape::new(vec![0; 2], limits);
        let meetings: Vec<u32> = (0..100).map(|_| tape.meeting()).collect();
        for (step, &number) in (0..).zip(&meetings) {
            let come_ns = [step * 205 + 100, step * 205 + 200];
            for (rank, at_ns) in (0..).zip(come_ns) {
                let entry = tape.enter(rank, 0, at_ns);
                tape.arrive(entry, number, at_ns);
            }
            for rank in 0..2 {
                let need = Need { on: On::Meeting(number), kind: BARRIER, at_ns: come_ns[1] };
                tape.exit(rank, 0, come_ns[1] + 5, [need].into_iter());
            }
        }
        tape.finish();
        replay(&tape, &Speed { rank: 1, percent: 50 }).saved_share()
    };
    let whole = saved(Limits::default());
    assert!((whole - 100.0 / 205.0).abs() < 1e-9, "{whole}");
    let part = saved(Limits { calls: 20, stretches: 4 });
    assert!((part - whole).abs() < 0.01, "{part} {whole}");
}

#[test]
fn an_empty_tape_saves_nothing() {
    let mut tape = Tape::new(Vec::new(), Limits::default());
    tape.finish();
    assert_eq!(replay(&tape, &AsRecorded), Outcome::default());
    assert_eq!(replay(&tape, &AsRecorded).saved_share(), 0.0);
}

/// Messages in four pieces; calls of facts 1 only receive.
struct InPieces;

impl Change for InPieces {
    fn need(&self, _rank: u32, _facts: u32, _kind: u8) -> Fate {
        Fate::Pieces(4)
    }

    fn is_free(&self, _rank: u32, facts: u32) -> bool {
        facts == 1
    }
}

#[test]
fn pieces_come_from_two_sides_and_go_to_two() {
    const MS: u64 = 1_000_000;
    // Ranks 0 and 1 compute 8 ms and send to ranks 2 and 3, which compute 8 ms when they have both messages.
    let mut tape = Tape::new(vec![0; 4], Limits::default());
    let mut sends = Vec::new();
    for rank in [0, 1] {
        for _ in [2, 3] {
            sends.push(tape.enter(rank, 0, 8 * MS));
            tape.exit(rank, 0, 8 * MS, std::iter::empty());
        }
    }
    for rank in [2, 3] {
        for from in [0, 1] {
            let on = On::Entry(sends[from * 2 + rank as usize - 2]);
            tape.enter(rank, 1, if from == 0 { 0 } else { 8 * MS });
            tape.exit(rank, 1, 8 * MS, [Need { on, kind: MESSAGE, at_ns: 8 * MS }].into_iter());
        }
        tape.end(rank, 16 * MS);
    }
    tape.finish();
    let recorded = replay(&tape, &AsRecorded);
    assert_eq!((recorded.recorded_ns, recorded.replayed_ns), (16 * MS, 16 * MS));
    assert_eq!(recorded.waits_ns[usize::from(MESSAGE)], 16 * MS);
    // The first pieces are there after 2 ms, the last after 8; a quarter of the work comes after that.
    let found = replay(&tape, &InPieces);
    assert_eq!(found.replayed_ns, 10 * MS);
    assert_eq!(found.waits_ns[usize::from(MESSAGE)], 4 * MS);
}

#[test]
fn calls_that_need_ranks_of_other_hosts_are_marked() {
    // Rank 1 receives from rank 0 of its host, rank 2 from rank 0 of another one; then all meet, and two of one host.
    let mut tape = Tape::new(vec![0; 3], Limits::default());
    let message = |entry| Need { on: On::Entry(entry), kind: MESSAGE, at_ns: 10 };
    let sent = tape.enter(0, 0, 10);
    tape.exit(0, 0, 20, std::iter::empty());
    for rank in [1, 2] {
        tape.enter(rank, 1, 0);
        tape.exit(rank, 1, 50, [message(sent)].into_iter());
    }
    for (members, facts) in [(3, 2), (2, 3)] {
        let meeting = tape.meeting();
        let entries: Vec<u32> = (0..members).map(|rank| tape.enter(rank, facts, 100)).collect();
        entries.into_iter().for_each(|entry| tape.arrive(entry, meeting, 100));
        for rank in 0..members {
            let need = Need { on: On::Meeting(meeting), kind: BARRIER, at_ns: 100 };
            tape.exit(rank, facts, 110, [need].into_iter());
        }
    }
    tape.finish();
    tape.mark_far(&[0, 0, 1]);
    let mut far = Vec::new();
    tape.each_own(|own| far.push((own.rank, own.facts, own.is_far)));
    assert_eq!(far[..3], [(0, 0, false), (1, 1, false), (2, 1, true)]);
    assert!(far[3..6].iter().all(|of| of.1 == 2 && of.2) && far[6..].iter().all(|of| of.1 == 3 && !of.2), "{far:?}");
}
