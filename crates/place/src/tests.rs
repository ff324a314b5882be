use proptest::prelude::*;

use super::*;

/// A 4 × 4 grid that does not wrap; neighbours exchange 100 bytes each way.
fn grid() -> Vec<Sent> {
    let mut sent = Vec::new();
    for rank in 0..16u32 {
        let (x, y) = ((rank % 4) as i32, (rank / 4) as i32);
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let (x, y) = (x + dx, y + dy);
            if (0..4).contains(&x) && (0..4).contains(&y) {
                sent.push(Sent { from: rank, to: (y * 4 + x) as u32, messages: 1, bytes: 100, time_ns: 0 });
            }
        }
    }
    sent
}

fn of(id: &str) -> (Named, Cost) {
    let sent = grid();
    let ties = ties(&sent, 16, By::Bytes);
    let all = orders(&ties, &[0; 16], Nodes { room: &[4; 4], packages: 2, hops: None }, &[4, 4]);
    let order = all.into_iter().find(|order| order.id == id).unwrap();
    let found = cost(&sent, &order.nodes, None);
    (order, found)
}

#[test]
fn orders_of_a_grid_cost_what_can_be_counted() {
    // Rows on nodes: 12 pairs cross. Blocks of 2 × 2: 8 pairs. Round robin: all 12 pairs in rows, none in columns.
    for (id, pairs) in [("by-slot", 12), ("columns", 12), ("blocks", 8), ("hilbert", 8), ("by-node", 12), ("best", 8)] {
        let (order, cost) = of(id);
        assert_eq!((cost.bytes, cost.messages), (pairs * 200, pairs * 2), "{id}: {:?}", order.nodes);
    }
    assert_eq!(of("by-slot").0.nodes[..8], [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(of("by-node").0.nodes[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(of("folded").0.nodes[..8], [0, 1, 2, 3, 3, 2, 1, 0]);
    assert_eq!(of("by-package").0.nodes[..10], [0, 0, 1, 1, 2, 2, 3, 3, 0, 0]);
    assert_eq!(of("columns").0.nodes[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn ranks_of_a_ring_become_neighbours_on_a_ring_of_nodes() {
    // A ring of 12 ranks whose neighbours are 5 apart, on a ring of 12 nodes.
    let sent: Vec<Sent> =
        (0..12).map(|rank| Sent { from: rank, to: (rank + 5) % 12, messages: 1, bytes: 100, time_ns: 0 }).collect();
    let hops = |a: u32, b: u32| a.abs_diff(b).min(12 - a.abs_diff(b));
    let nodes = Nodes { room: &[1; 12], packages: 1, hops: Some(&hops) };
    let all = orders(&ties(&sent, 12, By::Bytes), &[0; 12], nodes, &[]);
    let of = |id: &str| cost(&sent, &named(&all, id).unwrap().nodes, Some(&hops)).hop_bytes.unwrap();
    assert_eq!(of("by-slot"), 12 * 500);
    assert!(of("mapped") <= 12 * 200, "{}", of("mapped"));
}

#[test]
fn metis_finds_blocks_whatever_the_numbers_of_ranks() {
    // The grid with ranks in another order, so that no order by numbers is good.
    let number = |rank: u32| rank * 7 % 16;
    let sent: Vec<Sent> =
        grid().into_iter().map(|one| Sent { from: number(one.from), to: number(one.to), ..one }).collect();
    let ties = ties(&sent, 16, By::Bytes);
    let nodes = by_metis(&ties, &[4; 4]).unwrap();
    assert_eq!(cost(&sent, &nodes, None).bytes, 8 * 200, "{nodes:?}");
    // Nodes of different sizes are filled exactly.
    let nodes = by_metis(&ties, &[9, 4, 3]).unwrap();
    assert_eq!([0, 1, 2].map(|node| nodes.iter().filter(|of| **of == node).count()), [9, 4, 3]);
    for (ties, sizes) in
        [(&ties, vec![1; 16]), (&ties, vec![16]), (&ties, vec![8, 4]), (&vec![Vec::new(); 16], vec![8, 8])]
    {
        assert_eq!(by_metis(ties, &sizes), None);
    }
}

#[test]
fn hops_and_the_busiest_node() {
    let sent = [
        Sent { from: 0, to: 1, messages: 1, bytes: 10, time_ns: 7 },
        Sent { from: 2, to: 1, messages: 2, bytes: 5, time_ns: 4 },
    ];
    let hops = |a: u32, b: u32| a.abs_diff(b);
    let found = cost(&sent, &[0, 2, 1], Some(&hops));
    assert_eq!(found, Cost { bytes: 15, messages: 3, time_ns: 11, hop_bytes: Some(25), busiest_bytes: 15 });
    assert_eq!(cost(&sent, &[0, 0, 0], None), Cost::default());
}

#[test]
fn files_of_launchers() {
    let names = ["a".to_owned(), "b".to_owned()];
    let found = files(&[1, 0, 1], &names, 1);
    let text = |name: &str| found.iter().find(|file| file.name == name).unwrap().text.as_str();
    assert_eq!(text("rankfile"), "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=b slot=1\n");
    assert_eq!(text("hosts"), "b\na\nb\n");
    assert_eq!(text("machines"), "b:1\na:1\nb:1\n");
    assert_eq!(text("MPICH_RANK_ORDER"), "1,0,2\n");
    let on_packages = files(&[0, 0, 0, 1], &names, 2);
    assert_eq!(on_packages[0].text, "rank 0=a slot=0:0\nrank 1=a slot=1:0\nrank 2=a slot=0:1\nrank 3=b slot=0:0\n");
}

#[test]
fn lines_of_launchers() {
    let names = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
    let of = |nodes: &[u32]| lines(nodes, &names).into_iter().map(|line| line.text).collect::<Vec<_>>();
    assert_eq!(
        of(&[0, 0, 1, 1]),
        ["mpirun -n 4 --host a:2,b:2 --map-by slot --rank-by slot", "mpiexec -n 4 -hosts a,b -ppn 2"]
    );
    // A node without ranks is in no line.
    assert_eq!(
        of(&[0, 2, 0, 2]),
        ["mpirun -n 4 --host a:2,c:2 --map-by node --rank-by node", "mpiexec -n 4 -hosts a,c -ppn 1"]
    );
    assert_eq!(of(&[0, 1, 1, 0]), ["mpiexec -n 4 -hosts a:1,b:2,a:1"]);
    assert_eq!(lines(&[0, 1, 1, 0], &names)[0].launcher, "MPICH");
    assert_eq!(
        of(&[0, 0, 0, 1]),
        ["mpirun -n 4 --host a:3,b:1 --map-by slot --rank-by slot", "mpiexec -n 4 -hosts a:3,b:1"]
    );
    // In turn, but of different numbers: launchers differ.
    assert_eq!(of(&[0, 1, 0]), ["mpiexec -n 3 -hosts a:1,b:1,a:1"]);
    assert_eq!(of(&[1, 0].repeat(20)), [] as [String; 0]);
}

#[test]
fn what_weighs_decides_what_belongs_together() {
    let sent = |to, messages, bytes, time_ns| Sent { from: 0, to, messages, bytes, time_ns };
    let all = [sent(1, 1, 900, 10), sent(2, 9, 100, 10), sent(3, 1, 100, 80), sent(3, 1, 50, 0)];
    let partner = |by| ties(&all, 4, by)[0].iter().max_by_key(|tie| tie.1).copied();
    assert_eq!([By::Bytes, By::Messages, By::Time].map(partner), [Some((1, 900)), Some((2, 9)), Some((3, 80))]);
    assert_eq!(together([&all[..], &all[..1]]), [sent(1, 2, 1800, 20), sent(2, 9, 100, 10), sent(3, 2, 150, 80)]);
}

#[test]
fn files_that_were_written_are_read_again() {
    let names = ["a.cluster".to_owned(), "b".to_owned()];
    let nodes = vec![1, 0, 1];
    for file in files(&nodes, &names, 1).iter().filter(|file| file.name != "MPICH_RANK_ORDER") {
        assert_eq!(read(&file.text, &names), Ok(nodes.clone()), "{}", file.name);
    }
    assert_eq!(read("a:2 # two\n\nb\n", &names), Ok(vec![0, 0, 1]));
    for (text, why) in [
        ("c", "line 1: `c` is none of the nodes"),
        ("a:x", "line 1: expected HOST or HOST:RANKS"),
        ("rank 1=a slot=0", "rank 0 is missing"),
        ("rank x=a", "line 1: `x` is not a rank"),
        ("a\nrank 0=a", "it has lines with `rank` and lines without"),
        ("# nothing", "it lists no ranks"),
    ] {
        assert_eq!(read(text, &names), Err(why.to_owned()));
    }
}

#[test]
fn packages_divide_the_ranks_of_a_node() {
    // Ranks 0 to 3 on node 0, 4 and 5 on node 1. Pairs 0-1 and 2-3 exchange much, 1-2 little; 3-4 is between nodes.
    let sent = [(0, 1, 100), (2, 3, 100), (1, 2, 10), (3, 4, 1000), (4, 5, 1)];
    let sent = sent.map(|(from, to, bytes)| Sent { from, to, messages: 1, bytes, time_ns: 0 });
    let nodes = [0, 0, 0, 0, 1, 1];
    assert_eq!(between_packages(&sent, &nodes, 2), [11, 211]);
    assert_eq!(between_packages(&sent, &nodes, 1), [0, 0]);
}

#[test]
fn links_carry_what_passes_them() {
    // A chain of three nodes: what goes from the first to the last one passes both links.
    let route = |a: u32, b: u32| (a.min(b)..a.max(b)).map(|link| (link, a < b)).collect();
    let sent = [(0, 2, 10), (1, 2, 5), (2, 0, 1), (0, 3, 7)].map(|(from, to, bytes)| Sent {
        from,
        to,
        messages: 1,
        bytes,
        time_ns: 0,
    });
    let loads = loads(&sent, &[0, 1, 2, 0], route);
    assert_eq!(
        loads.into_iter().collect::<Vec<_>>(),
        [((0, false), 1), ((0, true), 10), ((1, false), 1), ((1, true), 15)]
    );
}

#[test]
fn processes_that_stay_get_other_ranks() {
    assert_eq!(new_ranks(&[0, 1, 0, 1], &[0, 0, 1, 1]), Some(vec![0, 2, 1, 3]));
    assert_eq!(new_ranks(&[0, 1, 0, 1], &[0, 0, 0, 1]), None);
}

proptest! {
    /// Each order has every rank in a slot, and the best one is not worse than any other.
    #[test]
    fn orders_fit(room in prop::collection::vec(1usize..5, 1..5), edges in prop::collection::vec((0u32..16, 0u32..16, 1u64..1000), 0..40)) {
        let ranks: usize = room.iter().sum();
        let edge = |&(from, to, bytes): &(u32, u32, u64)| Sent { from: from % ranks as u32, to: to % ranks as u32, messages: 1, bytes, time_ns: 0 };
        let sent: Vec<Sent> = edges.iter().map(edge).collect();
        let ties = ties(&sent, ranks, By::Bytes);
        let nodes = Nodes { room: &room, packages: 2, hops: Some(&|a, b| a.abs_diff(b)) };
        let all = orders(&ties, &vec![0; ranks], nodes, &[ranks as u32]);
        let of = |id: &str| cost(&sent, &named(&all, id).unwrap().nodes, Some(&|a, b| a.abs_diff(b)));
        let (best, mapped) = (of("best").bytes, of("mapped").hop_bytes);
        for order in &all {
            prop_assert_eq!(order.nodes.len(), ranks);
            for (node, &room) in room.iter().enumerate() {
                prop_assert_eq!(order.nodes.iter().filter(|&&of| of == node as u32).count(), room, "{}", order.id);
            }
            prop_assert!(best <= of(order.id).bytes && mapped <= of(order.id).hop_bytes, "{}", order.id);
        }
    }
}
