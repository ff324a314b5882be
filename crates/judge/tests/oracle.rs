//! Against a simulation: programs in which calls were swapped at random deadlock, or are saved by buffering, exactly when the
//! judge says so.

use std::collections::BTreeMap;

use mpiscope_judge::Confidence;
use mpiscope_judge::testing::judged;
use proptest::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Send(usize, usize),
    Receive(usize, usize),
    /// Non-blocking, and the wait for it.
    Isend(usize, usize, usize),
    Irecv(usize, usize, usize),
    Wait(usize),
    Barrier,
    Allreduce,
}

/// What happens when it runs: lines for the judge, and whether all ranks come to the end.
fn run(programs: &[Vec<Op>], is_buffered: bool) -> (String, bool) {
    let n = programs.len();
    let mut text = String::new();
    let mut at = vec![0usize; n];
    let mut opened = vec![false; n];
    // By sender, receiver and tag.
    let mut sent: BTreeMap<(usize, usize, usize), usize> = BTreeMap::new();
    let mut posted: BTreeMap<(usize, usize, usize), usize> = BTreeMap::new();
    let mut number: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut meetings = vec![0usize; n];
    loop {
        let mut moved = false;
        for rank in 0..n {
            let Some(&op) = programs[rank].get(at[rank]) else { continue };
            let name = if is_buffered { "Send" } else { "Ssend" };
            if !std::mem::replace(&mut opened[rank], true) {
                moved = true;
                let place = at[rank];
                let mut count = |map: &mut BTreeMap<_, usize>, key| {
                    let k = map.entry(key).or_insert(0);
                    number.insert((rank, place), *k);
                    *k += 1;
                };
                let line = match op {
                    Op::Send(to, tag) => {
                        count(&mut sent, (rank, to, tag));
                        format!("{name} to={to} tag={tag} int:1")
                    }
                    Op::Receive(from, tag) => {
                        count(&mut posted, (from, rank, tag));
                        format!("Recv from={from} tag={tag} int:1")
                    }
                    Op::Isend(to, tag, op) => {
                        count(&mut sent, (rank, to, tag));
                        let name = if is_buffered { "Isend" } else { "Issend" };
                        format!("{name} to={to} tag={tag} int:1 op={}", op + 1)
                    }
                    Op::Irecv(from, tag, op) => {
                        count(&mut posted, (from, rank, tag));
                        format!("Irecv from={from} tag={tag} int:1 op={}", op + 1)
                    }
                    Op::Wait(op) => format!("Wait ops={}", op + 1),
                    Op::Barrier | Op::Allreduce => {
                        meetings[rank] += 1;
                        number.insert((rank, place), meetings[rank]);
                        if op == Op::Barrier { "Barrier".into() } else { "Allreduce MPI_SUM int:1".into() }
                    }
                };
                text += &format!("{rank} {line}\n");
            }
            let k = |place: usize| number[&(rank, place)];
            let has = |map: &BTreeMap<_, usize>, key, k| map.get(&key).is_some_and(|&n| n > k);
            let is_over = |op: Op, place: usize| match op {
                Op::Send(to, tag) | Op::Isend(to, tag, _) => is_buffered || has(&posted, (rank, to, tag), k(place)),
                Op::Receive(from, tag) | Op::Irecv(from, tag, _) => has(&sent, (from, rank, tag), k(place)),
                _ => meetings.iter().all(|&m| m >= k(place)),
            };
            let over = match op {
                Op::Isend(..) | Op::Irecv(..) => true,
                Op::Wait(of) => {
                    let begun = |o: &Op| matches!(*o, Op::Isend(.., id) | Op::Irecv(.., id) if id == of);
                    match programs[rank][..at[rank]].iter().position(begun) {
                        Some(place) => is_over(programs[rank][place], place),
                        // The wait was swapped before its start: nothing to wait for.
                        None => true,
                    }
                }
                _ => is_over(op, at[rank]),
            };
            if over {
                moved = true;
                at[rank] += 1;
                opened[rank] = false;
                text += &format!("{rank} return\n");
            }
        }
        if !moved {
            break;
        }
    }
    let is_complete = (0..n).all(|r| at[r] == programs[r].len());
    for rank in (0..n).filter(|&r| at[r] == programs[r].len()) {
        text += &format!("{rank} Finalize\n");
    }
    text += "standstill 1ms\nstandstill 900ms\n";
    (text, is_complete)
}

/// Right programs, one call after the other.
fn programs() -> impl Strategy<Value = Vec<Vec<Op>>> {
    let step = (0usize..12, 0usize..4, 1usize..4, 0usize..2);
    (2usize..5, proptest::collection::vec(step, 1..12), proptest::collection::vec((0usize..4, 0usize..30), 0..4))
        .prop_map(|(ranks, steps, swaps)| {
            let mut programs = vec![Vec::new(); ranks];
            for (number, (kind, from, step, tag)) in steps.into_iter().enumerate() {
                let from = from % ranks;
                let to = (from + 1 + step % (ranks - 1)) % ranks;
                match kind {
                    0 => programs.iter_mut().for_each(|p| p.push(Op::Barrier)),
                    1 => programs.iter_mut().for_each(|p| p.push(Op::Allreduce)),
                    2 | 3 => {
                        programs[to].push(Op::Irecv(from, tag, number));
                        programs[from].push(Op::Send(to, tag));
                        programs[to].push(Op::Wait(number));
                    }
                    4 | 5 => {
                        programs[from].push(Op::Isend(to, tag, number));
                        programs[to].push(Op::Receive(from, tag));
                        programs[from].push(Op::Wait(number));
                    }
                    _ => {
                        programs[from].push(Op::Send(to, tag));
                        programs[to].push(Op::Receive(from, tag));
                    }
                }
            }
            for (rank, at) in swaps {
                let program = &mut programs[rank % ranks];
                let both = |a: Op, b: Op| {
                    let meets = |o| matches!(o, Op::Barrier | Op::Allreduce);
                    // A wait stays behind its start, and collective operations in their order: that is another rule's.
                    let own = matches!((a, b), (Op::Isend(.., x) | Op::Irecv(.., x), Op::Wait(y)) if x == y);
                    !(own || meets(a) && meets(b))
                };
                if program.len() > 1 {
                    let at = at % (program.len() - 1);
                    if both(program[at], program[at + 1]) {
                        program.swap(at, at + 1);
                    }
                }
            }
            programs
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn deadlocks(programs in programs()) {
        let (text, is_complete) = run(&programs, false);
        let found = judged(&text);
        let stuck = found.iter().any(|f| f.stuck && f.confidence == Confidence::Certain);
        prop_assert_eq!(stuck, !is_complete, "{}\n{:#?}", text, found);
        prop_assert!(found.iter().all(|f| f.stuck), "{text}\n{found:#?}");
    }

    #[test]
    fn saved_by_buffering(programs in programs()) {
        let (text, is_complete) = run(&programs, true);
        let (_, is_safe) = run(&programs, false);
        let ids: Vec<_> = judged(&text).iter().map(|f| f.id).collect();
        let stuck = judged(&text).iter().any(|f| f.stuck);
        prop_assert_eq!(stuck, !is_complete, "{}", text);
        if is_complete {
            prop_assert_eq!(ids.contains(&"deadlock.buffering"), !is_safe, "{}", text);
        }
    }
}

/// Some of them are stuck and some are saved, or the above says nothing.
#[test]
fn the_programs_are_of_all_kinds() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut kinds = [0; 3];
    for _ in 0..1000 {
        let programs = programs().new_tree(&mut runner).unwrap().current();
        let (buffered, sync) = (run(&programs, true).1, run(&programs, false).1);
        kinds[match (buffered, sync) {
            (true, true) => 0,
            (true, false) => 1,
            _ => 2,
        }] += 1;
    }
    assert!(kinds.iter().all(|&n| n > 30), "{kinds:?}");
}
