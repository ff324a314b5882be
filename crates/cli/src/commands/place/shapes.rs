//! Which shape of a torus, or how many leaf switches of a tree, a job gets.

use std::path::{Path, PathBuf};

use anyhow::bail;
use mpiscope_place::{Named, cost, loads, named};
use mpiscope_query::Layout;
use mpiscope_run::topology::Topology;
use serde::Serialize;

use super::super::report::{grid, style::Style};
use super::page::page;
use grid::{Field, Grid, number, words};

/// Shapes that are shown.
const MOST_SHAPES: usize = 24;
/// Nodes up to which each shape also gets an order of its own, which costs a search.
const MOST_MAPPED: u32 = 64;

/// A shape, and where its nodes are.
struct Shape {
    name: String,
    numbers: Vec<u64>,
    /// Of its own; else the one that is described.
    topology: Option<Topology>,
}

/// What the run's messages cost on a shape, in an order.
#[derive(Serialize)]
struct Loads {
    hop_bytes: u64,
    loaded_link_bytes: u64,
}

/// The same for a shape.
#[derive(Serialize)]
struct Rated {
    shape: String,
    /// Ranks fill node after node.
    by_slot: Loads,
    /// In the order with the fewest hops that was found; `None` if none was searched.
    mapped: Option<Loads>,
}

/// All shapes with so many nodes, the best first.
#[derive(Serialize)]
pub struct Shapes {
    format: u32,
    run: PathBuf,
    nodes: u32,
    network: String,
    shapes: Vec<Rated>,
    #[serde(skip)]
    is_torus: bool,
}

impl Shapes {
    /// Of a run's ranks.
    pub fn new(run: &Path, nodes: u32, layout: Layout, topology: Option<&Topology>) -> anyhow::Result<Shapes> {
        Ok(Shapes {
            format: 1,
            run: run.to_owned(),
            nodes,
            network: topology.map_or("torus".to_owned(), Topology::describe),
            shapes: rated(nodes, layout, topology)?,
            is_torus: topology.is_none(),
        })
    }

    /// As a page.
    pub fn page(&self, style: Style) -> String {
        let shown = &self.shapes[..self.shapes.len().min(MOST_SHAPES)];
        let columns = vec![
            words("", "shape"),
            number("", "hop-bytes"),
            number("", "loaded link"),
            number("", "mapped"),
            number("", "loaded link"),
        ];
        let bytes = |loads: Option<&Loads>| match loads {
            Some(loads) => [Field::Bytes(loads.hop_bytes), Field::Bytes(loads.loaded_link_bytes)],
            None => [Field::Empty, Field::Empty],
        };
        let row = |rated: &Rated| {
            let mut fields = vec![Field::Text(rated.shape.clone())];
            fields.extend(bytes(Some(&rated.by_slot)));
            fields.extend(bytes(rated.mapped.as_ref()));
            fields
        };
        let table = Grid { columns, rows: shown.iter().map(row).collect() }.text(style).join("\n");
        let mut parts = vec![format!("SHAPES OF {} NODES         {}", self.nodes, self.network), table];
        let meaning = if self.is_torus { "" } else { "2x6: 6 nodes at each of 2 leaf switches. " };
        let first = if self.is_torus { ", the first extent fastest" } else { "" };
        parts.push(format!(
            "{meaning}Ranks fill node after node{first}; mapped: hop-bytes in the order that mpiscope place --topology finds for the fewest \
             hops. The shape whose most loaded link has the fewest bytes comes first."
        ));
        let more = self.shapes.len() - shown.len();
        if more > 0 {
            parts.push(format!("{more} more shapes are not shown; --json has all."));
        }
        page(&parts, style)
    }
}

fn rated(nodes: u32, mut layout: Layout, topology: Option<&Topology>) -> anyhow::Result<Vec<Rated>> {
    let all = match topology {
        None => of_torus(nodes),
        Some(topology) => of_tree(nodes, topology)?,
    };
    let mut rows = Vec::new();
    for shape in all {
        layout.put_nodes(shape.numbers);
        let Some(network) = shape.topology.as_ref().or(topology) else { continue };
        let orders = layout.orders(Some(network).filter(|_| nodes <= MOST_MAPPED));
        let rate = |order: &Named| {
            let hops = |a: u32, b: u32| layout.hops(network, a, b);
            let loads = loads(&layout.sent, &order.nodes, |a, b| layout.route(network, a, b));
            Loads {
                hop_bytes: cost(&layout.sent, &order.nodes, Some(&hops)).hop_bytes.unwrap_or(0),
                loaded_link_bytes: loads.into_values().max().unwrap_or(0),
            }
        };
        let Some(by_slot) = named(&orders, "by-slot").map(rate) else { continue };
        rows.push(Rated { shape: shape.name, by_slot, mapped: named(&orders, "mapped").map(rate) });
    }
    let key = |rated: &Rated| {
        let best = rated.mapped.as_ref().unwrap_or(&rated.by_slot);
        (best.loaded_link_bytes, best.hop_bytes, rated.by_slot.loaded_link_bytes)
    };
    rows.sort_by_key(key);
    Ok(rows)
}

/// All extents in one to three dimensions whose product is the number of nodes: 12, 2x6, 6x2, 2x2x3, ...
fn of_torus(nodes: u32) -> Vec<Shape> {
    let divisors = |of: u32| (1..=of).filter(move |d| of.is_multiple_of(*d));
    let mut extents: Vec<Vec<u32>> = Vec::new();
    for x in divisors(nodes) {
        for y in divisors(nodes / x) {
            let all = [x, y, nodes / x / y];
            // 1x2x6 and 2x1x6 are the same as 2x6.
            let mut shape: Vec<u32> = all.into_iter().filter(|extent| *extent > 1).collect();
            if shape.is_empty() {
                shape.push(1);
            }
            if !extents.contains(&shape) {
                extents.push(shape);
            }
        }
    }
    let shape = |extents: Vec<u32>| Shape {
        name: extents.iter().map(u32::to_string).collect::<Vec<_>>().join("x"),
        numbers: (0..u64::from(nodes)).collect(),
        topology: Some(Topology::torus(&extents)),
    };
    extents.into_iter().map(shape).collect()
}

/// As many nodes at each of one or more leaf switches of a tree.
fn of_tree(nodes: u32, topology: &Topology) -> anyhow::Result<Vec<Shape>> {
    let Some((leaves, size)) = topology.leaves() else {
        bail!("--shapes is for tori (without --topology), and for trees");
    };
    let nodes = u64::from(nodes);
    let fits = |each: &u64| nodes.is_multiple_of(*each) && nodes / each <= leaves;
    let shape = |each: u64| Shape {
        name: format!("{}x{each}", nodes / each),
        numbers: (0..nodes).map(|node| node / each * size + node % each).collect(),
        topology: None,
    };
    let found: Vec<Shape> = (1..=size.min(nodes)).filter(fits).map(shape).collect();
    if found.is_empty() {
        bail!("{nodes} nodes cannot be spread equally over leaf switches of the {}", topology.describe());
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_all_nodes() {
        let names: Vec<String> = of_torus(12).into_iter().map(|shape| shape.name).collect();
        for name in ["12", "2x6", "6x2", "3x4", "4x3", "2x2x3", "2x3x2", "3x2x2"] {
            assert!(names.contains(&name.to_owned()), "{names:?}");
        }
        assert_eq!(names.len(), 8);
        assert_eq!(of_torus(1)[0].name, "1");
        let tree = Topology::parse("[tree]\narity = [4, 3]\n[nodes]\nranks_per_node = 1").unwrap();
        let found = of_tree(6, &tree).unwrap();
        let numbers: Vec<Vec<u64>> = found.into_iter().map(|shape| shape.numbers).collect();
        assert_eq!(numbers, [vec![0, 1, 4, 5, 8, 9], vec![0, 1, 2, 4, 5, 6]]);
        assert!(of_tree(11, &tree).is_err());
    }
}
