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
                sent.push(Sent { from: rank, to: (y * 4 + x) as u32, messages: 1, bytes: 100 });
            }
        }
    }
    sent
}

fn of(id: &str) -> (Named, Cost) {
    let sent = grid();
    let ties = ties(&sent, 16);
    let all = orders(&ties, &[0; 16], &[4; 4], &[4, 4]);
    let order = all.into_iter().find(|order| order.id == id).unwrap();
    let found = cost(&sent, &order.nodes, None);
    (order, found)
}

#[test]
fn orders_of_a_grid_cost_what_can_be_counted() {
    // Rows on nodes: 12 pairs cross. Blocks of 2 × 2: 8 pairs. Round robin: all 12 pairs in rows, none in columns.
    for (id, pairs) in [("by_slot", 12), ("columns", 12), ("blocks", 8), ("hilbert", 8), ("by_node", 12), ("best", 8)] {
        let (order, cost) = of(id);
        assert_eq!((cost.bytes, cost.messages), (pairs * 200, pairs * 2), "{id}: {:?}", order.nodes);
    }
    assert_eq!(of("by_slot").0.nodes[..8], [0, 0, 0, 0, 1, 1, 1, 1]);
    assert_eq!(of("by_node").0.nodes[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
    assert_eq!(of("folded").0.nodes[..8], [0, 1, 2, 3, 3, 2, 1, 0]);
    assert_eq!(of("columns").0.nodes[..8], [0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn hops_and_the_busiest_node() {
    let sent = [Sent { from: 0, to: 1, messages: 1, bytes: 10 }, Sent { from: 2, to: 1, messages: 2, bytes: 5 }];
    let hops = |a: u32, b: u32| a.abs_diff(b);
    let found = cost(&sent, &[0, 2, 1], Some(&hops));
    assert_eq!(found, Cost { bytes: 15, messages: 3, hop_bytes: Some(25), busiest_bytes: 15 });
    assert_eq!(cost(&sent, &[0, 0, 0], None), Cost::default());
}

#[test]
fn files_of_launchers() {
    let found = files(&[1, 0, 1], &["a".into(), "b".into()]);
    let text = |name: &str| found.iter().find(|file| file.name == name).unwrap().text.as_str();
    assert_eq!(text("rankfile"), "rank 0=b slot=0\nrank 1=a slot=0\nrank 2=b slot=1\n");
    assert_eq!(text("hosts"), "b\na\nb\n");
    assert_eq!(text("machines"), "b:1\na:1\nb:1\n");
    assert_eq!(text("MPICH_RANK_ORDER"), "1,0,2\n");
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
        let edge = |&(from, to, bytes): &(u32, u32, u64)| Sent { from: from % ranks as u32, to: to % ranks as u32, messages: 1, bytes };
        let sent: Vec<Sent> = edges.iter().map(edge).collect();
        let ties = ties(&sent, ranks);
        let all = orders(&ties, &vec![0; ranks], &room, &[ranks as u32]);
        let best = cost(&sent, &all.last().unwrap().nodes, None).bytes;
        for order in &all {
            prop_assert_eq!(order.nodes.len(), ranks);
            for (node, &room) in room.iter().enumerate() {
                prop_assert_eq!(order.nodes.iter().filter(|&&of| of == node as u32).count(), room, "{}", order.id);
            }
            prop_assert!(best <= cost(&sent, &order.nodes, None).bytes, "{}", order.id);
        }
    }
}
