//! Loops, phases and patterns of runs that are written down call by call.

use std::fmt::Write;

use super::tests::explain;
use crate::explanation::Explanation;

/// A run in which every call takes 1 µs and comes 10 µs after the one before.
#[derive(Default)]
struct Run {
    text: String,
    now: Vec<u64>,
}

impl Run {
    fn new(ranks: usize) -> Run {
        Run { text: String::new(), now: vec![0; ranks] }
    }

    fn call(&mut self, rank: usize, call: &str) {
        let at = self.now[rank];
        self.now[rank] += 10;
        writeln!(self.text, "{rank} {at} {} {call}", at + 1).unwrap();
    }

    /// A call of all ranks, which leave it together.
    fn all(&mut self, call: &str) {
        let last = self.now.iter().max().copied().unwrap_or(0) + 1;
        for (rank, at) in self.now.iter_mut().enumerate() {
            writeln!(self.text, "{rank} {at} {last} {call}").unwrap();
            *at = last + 10;
        }
    }

    /// Each rank to the next one, in a ring or a line.
    fn shift(&mut self, site: u32, is_ring: bool) {
        let ranks = self.now.len();
        for rank in 0..ranks {
            if is_ring || rank + 1 < ranks {
                self.call(rank, &format!("Send to={} bytes=8 site={site}", (rank + 1) % ranks));
            }
        }
        for rank in 0..ranks {
            if is_ring || rank > 0 {
                let from = (rank + ranks - 1) % ranks;
                self.call(rank, &format!("Recv from={from} bytes=8 site={}", site + 1));
            }
        }
    }

    fn explained(&self) -> Explanation {
        explain(&self.text)
    }
}

/// Iterations of the main loop, iterations inside of it, ranks that have it.
fn loops(e: &Explanation) -> (u64, Vec<(u64, u64)>, u64) {
    let found = e.iterations.as_ref().expect("iterations");
    (found.count, found.nested.iter().map(|n| (n.least, n.most)).collect(), found.ranks)
}

#[test]
fn a_solver_is_inside_of_the_step() {
    for (usual, varies, nested) in [(37, 0, (37, 37)), (37, 5, (35, 39)), (148, 0, (148, 148))] {
        let mut run = Run::new(3);
        for step in 0..20 {
            run.all("Allreduce bytes=8 site=2");
            for _ in 0..if varies == 0 { usual } else { usual - 2 + step * 3 % varies } {
                run.shift(4, true);
                run.all("Allreduce bytes=8 site=6");
            }
            if step % 10 == 0 {
                run.all("Reduce root=0 bytes=8 site=7");
            }
        }
        assert_eq!(loops(&run.explained()), (20, vec![nested], 3));
    }
}

#[test]
fn results_in_every_tenth_step_are_no_loop() {
    for phase in [0, 3, 9] {
        let mut run = Run::new(4);
        for step in 0..60 {
            run.shift(4, true);
            run.all("Allreduce bytes=8 site=6");
            if step % 10 == phase {
                run.all("Allreduce bytes=8 site=7");
            }
        }
        assert_eq!(loops(&run.explained()), (60, vec![], 4), "{phase}");
    }
}

#[test]
fn what_takes_the_place_of_an_exchange_is_no_loop() {
    let mut run = Run::new(4);
    for step in 0..80 {
        run.all("Allreduce bytes=4 site=2");
        // Neighbours are looked for again.
        run.shift(if step % 9 == 8 { 10 } else { 4 }, true);
        run.shift(6, true);
    }
    assert_eq!(loops(&run.explained()), (80, vec![], 4));
}

#[test]
fn stages_and_turns_around_a_ring_are_inside_of_the_step() {
    for times in [4, 6] {
        let mut run = Run::new(7);
        for _ in 0..25 {
            (0..times).for_each(|_| run.shift(4, true));
            run.all("Allreduce bytes=8 site=6");
        }
        let found = run.explained();
        assert_eq!(loops(&found), (25, vec![(times, times)], 7));
        assert_eq!(found.pattern, Some("ring"));
        // Two calls of each, and the sum.
        assert_eq!(
            found.iterations.and_then(|i| i.calls).map(|c| (c.least, c.most)),
            Some((2 * times + 1, 2 * times + 1))
        );
    }
}

#[test]
fn ranks_at_the_ends_have_the_same_loop() {
    let mut run = Run::new(5);
    (0..50).for_each(|_| run.shift(4, false));
    let found = run.explained();
    assert_eq!(loops(&found), (50, vec![], 5));
    assert_eq!(found.iterations.and_then(|i| i.calls).map(|c| (c.least, c.most)), Some((1, 2)));
    assert!(found.caveats.iter().all(|c| !c.contains("Iterations")), "{:?}", found.caveats);
    assert_eq!(found.pattern, Some("pipeline"));
    assert_eq!(found.pattern_details.and_then(|d| d.direction), Some("forward"));
}

#[test]
fn a_use_before_the_loop_is_no_turn() {
    // The exchange is used once before the loop, in which it comes twice.
    let mut run = Run::new(3);
    run.shift(4, true);
    for _ in 0..30 {
        run.shift(4, true);
        run.shift(4, true);
        run.all("Allreduce bytes=8 site=6");
    }
    let found = run.explained();
    let iterations = found.iterations.as_ref().expect("iterations");
    assert_eq!((iterations.count, iterations.marker_function), (30, "MPI_Send"));
    // It begins with the second exchange: 20 µs after the first.
    assert_eq!(iterations.starts_ns[0][0], 20_000);
}

#[test]
fn what_comes_once_at_the_end_of_many_iterations_is_no_warm_up() {
    let mut run = Run::new(2);
    for _ in 0..50_000 {
        run.all("Allreduce bytes=8 site=1");
    }
    run.all("Barrier site=2");
    let found = run.explained();
    let main = found.iterations.as_ref().expect("iterations");
    assert_eq!((main.count, main.warm_up), (50_000, None));
    assert!(main.share > 0.99, "{}", main.share);
}

#[test]
fn a_warm_up_of_the_same_calls() {
    let mut run = Run::new(4);
    for turn in 0..=12 {
        if turn == 1 {
            run.all("Barrier site=9");
        }
        run.shift(4, true);
        run.all("Allreduce bytes=8 site=6");
    }
    let found = run.explained();
    assert_eq!(loops(&found), (12, vec![], 4));
    assert_eq!(found.iterations.and_then(|i| i.warm_up).map(|w| (w.count, w.is_apart)), Some((1, true)));
}

#[test]
fn a_slow_beginning_hides_no_loop() {
    // Every fourth step of some ranks all meet; connections are made in the first step.
    let mut run = Run::new(5);
    for step in 0..80 {
        run.shift(4, true);
        if step == 0 {
            run.now.iter_mut().for_each(|now| *now += 20_000);
        }
        if step % 4 == 3 {
            run.all("Allreduce bytes=8 site=6");
        }
    }
    assert_eq!(loops(&run.explained()), (20, vec![(4, 4)], 5));
    // A solver takes fewer iterations in the first step, which is the slow one.
    let mut run = Run::new(4);
    for step in 0..12 {
        for _ in 0..28 + step % 5 {
            run.shift(4, true);
        }
        if step == 0 {
            run.now.iter_mut().for_each(|now| *now += 40_000);
        }
        run.all("Allreduce bytes=8 site=6");
    }
    assert_eq!(loops(&run.explained()), (12, vec![(28, 32)], 4));
}

#[test]
fn a_slow_beginning_of_an_interval_hides_no_loop() {
    // The mesh is made before the first step and anew in every fourth one; for the first time it takes longer than all steps together.
    for slow_us in [0, 40_000] {
        let mut run = Run::new(3);
        let mesh = |run: &mut Run| {
            run.all("Allgather bytes=8 site=2");
            run.all("Alltoall bytes=8 site=3");
        };
        mesh(&mut run);
        run.now.iter_mut().for_each(|at| *at += slow_us);
        for step in 0..60 {
            if step % 4 == 3 {
                mesh(&mut run);
            }
            run.all("Allreduce bytes=8 site=4");
            run.shift(5, true);
        }
        assert_eq!(loops(&run.explained()).0, 60, "{slow_us}");
    }
}

#[test]
fn noise_hides_no_calls_of_the_outer_loop() {
    // Sums of a solver go through messages; those of the outer loop take as long as computing that is held up.
    let mut run = Run::new(4);
    for _ in 0..16 {
        (0..2).for_each(|site| run.shift(20 + 2 * site, true));
        for _ in 0..25 {
            run.now.iter_mut().for_each(|now| *now += 2_000);
            (0..2).for_each(|site| run.shift(4 + 2 * site, true));
        }
    }
    assert_eq!(loops(&run.explained()), (16, vec![(25, 25)], 4));
}

/// Wavefronts over 3 × 4 ranks, from one corner and back.
fn sweeps(is_both: bool) -> Explanation {
    let mut run = Run::new(12);
    for _ in 0..20 {
        for by in [1i32, -1] {
            if by < 0 && !is_both {
                continue;
            }
            let mut order: Vec<i32> = (0..12).collect();
            if by < 0 {
                order.reverse();
            }
            for _ in 0..3 {
                for &rank in &order {
                    let (row, column) = (rank / 4, rank % 4);
                    let near = |by: i32| {
                        let inside = |at: i32, most: i32| (0..most).contains(&at);
                        [(inside(row + by, 3), rank + 4 * by), (inside(column + by, 4), rank + by)]
                    };
                    let site = if by > 0 { 2 } else { 5 };
                    for (_, from) in near(-by).into_iter().filter(|n| n.0) {
                        run.call(rank as usize, &format!("Recv from={from} bytes=8 site={site}"));
                    }
                    for (_, to) in near(by).into_iter().filter(|n| n.0) {
                        run.call(rank as usize, &format!("Send to={to} bytes=8 site={}", site + 1));
                    }
                }
            }
        }
        run.all("Allreduce bytes=8 site=9");
    }
    run.explained()
}

#[test]
fn wavefronts_have_a_direction() {
    for (is_both, direction) in [(false, "forward"), (true, "both")] {
        let found = sweeps(is_both);
        assert_eq!(found.iterations.as_ref().map(|i| (i.count, i.ranks)), Some((20, 12)));
        assert_eq!(found.grid.as_ref().map(|g| g.dims.clone()), Some(vec![3, 4]));
        assert_eq!((found.pattern, found.pattern_details.and_then(|d| d.direction)), (Some("sweep"), Some(direction)));
    }
}

#[test]
fn a_complete_graph_is_no_grid() {
    let mut run = Run::new(4);
    for _ in 0..20 {
        for rank in 0..4 {
            (0..4).filter(|&to| to != rank).for_each(|to| run.call(rank, &format!("Send to={to} bytes=8 site=2")));
        }
        for rank in 0..4 {
            (0..4).filter(|&f| f != rank).for_each(|from| run.call(rank, &format!("Recv from={from} bytes=8 site=3")));
        }
        run.all("Allreduce bytes=8 site=4");
    }
    let found = run.explained();
    assert_eq!((found.grid, found.pattern), (None, Some("alltoall")));
}

#[test]
fn a_loop_in_which_all_ranks_are_root_in_turn_has_one_root_in_each_iteration() {
    let mut panels = Run::new(3);
    (0..30).for_each(|panel| panels.all(&format!("Bcast root={} bytes=800 site=4", panel % 3)));
    assert_eq!(iterations(&panels), (30, 1));
    // A root that comes more often than others does something else.
    let mut unequal = Run::new(3);
    (0..40).for_each(|call| unequal.all(&format!("Bcast root={} bytes=800 site=4", [0, 1, 2, 0][call % 4])));
    assert_eq!(iterations(&unequal).0, 10);
}

#[test]
fn an_iteration_that_is_held_up_does_not_hide_the_step() {
    // Four stages in each step; the first step has none, and something holds it up for longer than all others take.
    let mut run = Run::new(3);
    for step in 0..25 {
        run.all("Allreduce bytes=8 site=9");
        if step == 0 {
            run.now.iter_mut().for_each(|now| *now += 50_000);
            continue;
        }
        for _ in 0..4 {
            run.shift(2, true);
            (0..3).for_each(|rank| run.call(rank, &format!("Recv from={} bytes=8 site=3", (rank + 2) % 3)));
        }
    }
    assert_eq!(iterations(&run).0, 25);
}

fn iterations(run: &Run) -> (u64, u64) {
    let found = explain(&run.text).iterations.expect("iterations");
    (found.count, found.calls.expect("calls").most)
}
