//! Bytes between nodes of the candidates of `mpiscope place` without METIS, and of METIS with and without the exchange of pairs afterwards, on graphs of ranks:
//! `cargo run --release -p mpiscope-place --example partitioners`. Decision 48 has the results.

use std::time::Instant;

use mpiscope_place::{By, Sent, blocks, by_metis, crossing, grown, improve, ties};

/// A generator that gives the same numbers everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(n)) as u32
    }
}

fn message(from: u32, to: u32, bytes: u64) -> Sent {
    Sent { from, to, messages: 1, bytes, time_ns: 0 }
}

/// Neighbours of a grid, each axis with its own bytes; its ranks renumbered at random if `is_mixed`.
fn grid(dims: &[u32], bytes: &[u64], is_mixed: bool) -> Vec<Sent> {
    let ranks: u32 = dims.iter().product();
    let mut names: Vec<u32> = (0..ranks).collect();
    let mut random = Random(1);
    if is_mixed {
        (1..ranks).rev().for_each(|at| names.swap(at as usize, random.below(at + 1) as usize));
    }
    let mut sent = Vec::new();
    for rank in 0..ranks {
        let mut stride = 1;
        for (&extent, &bytes) in dims.iter().zip(bytes).rev() {
            if rank / stride % extent + 1 < extent {
                let (a, b) = (names[rank as usize], names[(rank + stride) as usize]);
                sent.extend([message(a, b, bytes), message(b, a, bytes)]);
            }
            stride *= extent;
        }
    }
    sent
}

/// Ranks at random points of a square, those close to each other exchange: an unstructured mesh.
fn points(ranks: u32) -> Vec<Sent> {
    let mut random = Random(2);
    let at: Vec<(i64, i64)> = (0..ranks).map(|_| (random.below(1000).into(), random.below(1000).into())).collect();
    let reach = 1_000_000 * 8 / i64::from(ranks) / 3;
    let mut sent = Vec::new();
    for a in 0..ranks {
        for b in 0..ranks {
            let ((x, y), (u, v)) = (at[a as usize], at[b as usize]);
            let distance = (x - u).pow(2) + (y - v).pow(2);
            if a != b && distance < reach {
                sent.push(message(a, b, (reach - distance) as u64));
            }
        }
    }
    sent
}

/// Partners at random, few with many: a graph without structure.
fn uneven(ranks: u32) -> Vec<Sent> {
    let mut random = Random(3);
    (0..ranks * 4)
        .map(|_| {
            let (a, b) = (random.below(ranks), random.below(ranks).min(random.below(ranks)).min(random.below(ranks)));
            message(a, b, 1 + u64::from(random.below(1000)))
        })
        .filter(|one| one.from != one.to)
        .collect()
}

/// Rows and columns of a matrix: each rank with all of its row, sometimes with its column.
fn rows(side: u32) -> Vec<Sent> {
    let mut sent = Vec::new();
    for a in 0..side * side {
        for at in 0..side {
            sent.push(message(a, a / side * side + at, 100));
            sent.push(message(a, at * side + a % side, 30));
        }
    }
    sent.retain(|one| one.from != one.to);
    sent
}

fn main() {
    let graphs: [(&str, Vec<Sent>, u32, Vec<u32>); 12] = [
        ("grid 8x8", grid(&[8, 8], &[1, 1], false), 8, vec![8, 8]),
        ("grid 32x32", grid(&[32, 32], &[1, 1], false), 16, vec![32, 32]),
        ("grid 32x32, uneven", grid(&[32, 32], &[1, 5], false), 16, vec![32, 32]),
        ("grid 32x32, mixed", grid(&[32, 32], &[1, 1], true), 16, vec![]),
        ("grid 16x16x16", grid(&[16, 16, 16], &[1, 1, 1], false), 64, vec![16, 16, 16]),
        ("grid 16x16x16, mixed", grid(&[16, 16, 16], &[1, 1, 1], true), 64, vec![]),
        ("points 256", points(256), 16, vec![]),
        ("points 1024", points(1024), 32, vec![]),
        ("points 4096", points(4096), 64, vec![]),
        ("uneven 256", uneven(256), 16, vec![]),
        ("uneven 1024", uneven(1024), 32, vec![]),
        ("rows 32", rows(32), 32, vec![]),
    ];
    println!("graph                   own cand.      s     METIS      s  METIS + exchange");
    for (name, sent, each, dims) in graphs {
        let ranks = sent.iter().map(|one| one.from.max(one.to) as usize + 1).max().unwrap_or(0);
        let room = vec![each as usize; ranks / each as usize];
        let ranks = room.iter().sum();
        let ties = ties(&sent, ranks, By::Bytes);
        let begin = Instant::now();
        let mut own = vec![grown(&ties, &room), (0..ranks).map(|rank| (rank / each as usize) as u32).collect()];
        own.extend(blocks(&dims, &room, ranks));
        own.iter_mut().for_each(|nodes| improve(&ties, nodes));
        let own = own.iter().map(|nodes| crossing(&ties, nodes)).min().unwrap_or(0);
        let own_s = begin.elapsed().as_secs_f64();
        let begin = Instant::now();
        let mut nodes = by_metis(&ties, &room).unwrap_or_default();
        let metis_s = begin.elapsed().as_secs_f64();
        let alone = crossing(&ties, &nodes);
        improve(&ties, &mut nodes);
        let both = crossing(&ties, &nodes);
        println!("{name:<22} {own:>10} {own_s:>6.2} {alone:>9} {metis_s:>6.2} {both:>17}");
    }
}
