//! Rows of several ranks against the rows of each.

use std::collections::BTreeMap;

use super::*;

type Draw = fn(&OpenedRun, &Order, &CellsWish, &Cancel) -> Result<Cells, ViewError>;

/// From calls one by one, and from the preview.
const DRAWN: [Draw; 2] =
    [cells::of_calls, |scene, order, wish, cancel| of_preview(&scene.preview, order, wish, cancel)];

/// Ranks by turns on two hosts, and a communicator of three of them.
fn folded() -> Fixture {
    let definitions = "host a = 0,2,4,6\nhost b = 1,3,5,7,8\ncomm 2 = 5,0,7\n";
    let last: String = [0, 5, 7].map(|rank| format!("{rank} 7000 7010 Barrier comm=2\n")).concat();
    fixture_of(&format!("{definitions}{}{last}", text(9, 6, 11)))
}

fn wish(scene: &OpenedRun, columns: usize) -> CellsWish {
    CellsWish {
        from_ns: 0,
        until_ns: scene.until_ns(),
        columns,
        row_from: 0,
        row_until: usize::MAX,
        rows: usize::MAX,
        filter: Filter::default(),
        layer: Layer::Calls,
        care: Care::Exact,
    }
}

/// Of each cell of a row: calls, the longest, and by function the share of its time.
fn cells_of(row: &CellRow) -> Vec<(u32, f32, BTreeMap<u16, f64>)> {
    let of = |column| {
        let shares = row.entries(column).map(|(id, share)| (id, f64::from(share))).collect();
        (row.calls[column], row.longest_ns[column], shares)
    };
    (0..row.ends.len()).map(of).collect()
}

#[test]
fn the_row_of_a_group_is_the_mean_of_its_ranks() {
    let fixture = folded();
    let scene = &fixture.scene;
    let cancel = Cancel::default();
    let comm = scene.dimensions().comms.iter().position(|comm| comm.members.len() == 3).unwrap();
    for text in
        ["group:host;fold:all".to_owned(), "group:host;fold:1".to_owned(), format!("group:comm:{comm};fold:all")]
    {
        let (order, plain) = (scene.order(&text).unwrap(), scene.order("").unwrap());
        for columns in [7, 200] {
            for draw in DRAWN {
                let found = draw(scene, &order, &wish(scene, columns), &cancel).unwrap();
                let each = draw(scene, &plain, &wish(scene, columns), &cancel).unwrap();
                // Bins that the preview does not have are spread: that is rounded for each row.
                if !found.is_exact || !each.is_exact {
                    continue;
                }
                assert_eq!((found.grid.rows, found.grid.bin_ns), (order.rows(), each.grid.bin_ns));
                for (at, row) in found.rows.iter().enumerate() {
                    let ranks = order.ranks_in(at..at + 1);
                    let of_ranks: Vec<_> = ranks.iter().map(|&rank| cells_of(&each.rows[rank as usize])).collect();
                    for (column, (calls, longest_ns, shares)) in cells_of(row).into_iter().enumerate() {
                        let cells = of_ranks.iter().map(|cells| &cells[column]);
                        assert_eq!(calls, cells.clone().map(|cell| cell.0).sum::<u32>());
                        assert_eq!(longest_ns, cells.clone().map(|cell| cell.1).fold(0.0, f32::max));
                        let mut mean: BTreeMap<u16, f64> = BTreeMap::new();
                        for (id, share) in cells.flat_map(|cell| &cell.2) {
                            *mean.entry(*id).or_default() += share / ranks.len() as f64;
                        }
                        assert!(shares.keys().eq(mean.keys()), "{text}: {shares:?}, {mean:?}");
                        // Shares are rounded down, and none is 0.
                        assert!(
                            shares.iter().all(|(id, share)| (share - mean[id]).abs() <= 1.5),
                            "{shares:?}, {mean:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn groups_have_names_and_sizes() {
    let fixture = folded();
    let scene = &fixture.scene;
    let named = |text: &str| -> Vec<(String, usize, bool)> {
        let order = scene.order(text).unwrap();
        order.groups.iter().map(|g| (g.text.clone(), g.ranks, g.is_folded)).collect()
    };
    assert_eq!(named("group:host;fold:0"), [("a".to_owned(), 4, true), ("b".to_owned(), 5, false)]);
    let comm = scene.dimensions().comms.iter().position(|comm| comm.members.len() == 3).unwrap();
    let of_comm = named(&format!("group:comm:{comm};fold:all"));
    assert_eq!((of_comm[0].1, of_comm[1].0.as_str(), of_comm[1].1), (3, "others", 6));
    // The ring of messages has no rows and columns.
    assert!(matches!(scene.order("group:grid:0"), Err(ViewError::NotThere(_))));
    assert!(matches!(scene.order("group:comm:99"), Err(ViewError::NotThere(_))));
}

/// A rank that does otherwise than the others is found also where it shares a row with them.
#[test]
fn who_stands_apart_in_a_folded_group_is_found() {
    let list = |ranks: std::ops::Range<u32>| ranks.map(|rank| rank.to_string()).collect::<Vec<_>>().join(",");
    let mut text = format!("host a = {}\nhost b = {}\n", list(0..16), list(16..32));
    for (round, rank) in (0..40).flat_map(|round| (0..32).map(move |rank| (round, rank))) {
        let begin = 1000 * round;
        let entry = begin + if rank == 20 { 700 } else { 100 + (rank * 7 + round * 3) % 20 };
        text += &format!("{rank} {entry} {} Allreduce bytes=8\n", begin + 900);
    }
    let fixture = fixture_of(&text);
    let scene = &fixture.scene;
    let order = scene.order("group:host;fold:all").unwrap();
    let wish = ApartWish { window_ns: 0..scene.until_ns(), rows: 0..order.rows(), most: 8 };
    let found = apart(scene, &order, &wish, &Cancel::default()).unwrap();
    assert_eq!(found.iter().map(|a| (a.rank, a.position, a.is_computing)).collect::<Vec<_>>(), [(20, 1, true)]);
}

/// Five by four ranks that exchange with their neighbours.
#[test]
fn rows_and_columns_of_the_grid_that_was_found() {
    let (high, wide) = (5_i64, 4_i64);
    let mut text = String::new();
    for round in 0..30 {
        for (y, x) in (0..high).flat_map(|y| (0..wide).map(move |x| (y, x))) {
            let rank = y * wide + x;
            let near = [(y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)];
            let near = near.into_iter().filter(|(y, x)| (0..high).contains(y) && (0..wide).contains(x));
            // Both ends of an edge exchange at the same time.
            let slot = |to: (i64, i64)| if to.0 == y { to.1.min(x) % 2 } else { 2 + to.0.min(y) % 2 };
            let mut turns: Vec<_> = near.map(|to| (slot(to), to)).collect();
            turns.sort_unstable();
            for (slot, (to_y, to_x)) in turns {
                let (other, begin) = (to_y * wide + to_x, 1000 * round + 100 * slot);
                text += &format!("{rank} {begin} {} Sendrecv to={other} from={other} tag=1 bytes=8\n", begin + 90);
            }
        }
    }
    let fixture = fixture_of(&text);
    let order = |text: &str| fixture.scene.order(text).unwrap();
    let columns = order("group:grid:1;fold:2");
    assert_eq!(columns.groups.iter().map(|g| g.text.as_str()).collect::<Vec<_>>()[..2], ["column 0", "column 1"]);
    assert_eq!(columns.ranks[..6], [0, 4, 8, 12, 16, 1]);
    assert_eq!(columns.ranks_in(10..11), [2, 6, 10, 14, 18]);
    assert_eq!(order("group:grid:0;fold:all").rows(), 5);
    assert!(matches!(fixture.scene.order("group:grid:2"), Err(ViewError::Wrong(_))));
}
