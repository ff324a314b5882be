//! Groups of ranks with a common property: host, communicator, line of the process grid, node or switch of the network.

use std::collections::BTreeMap;

use mpiscope_analysis::structure::Grid;
use mpiscope_run::topology::Topology;
use mpiscope_store::{CommId, Dimensions, RankId, RankRow};
use serde::Serialize;

use super::ViewError;

/// The property by which ranks are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grouping {
    Host,
    /// Members of a communicator, and the others.
    Comm(CommId),
    /// The same coordinate along an axis of the process grid: its rows along the first, its columns along the second.
    Grid(usize),
    /// A node of the user's description of the network.
    Node,
    /// The switch of their node.
    Switch,
}

/// Sources of groupings other than the run itself.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    pub grid: Option<&'a GridInfo>,
    pub network: Option<&'a Topology>,
}

/// The user's description of the network.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct NetworkInfo {
    /// Whether each node has its own switch.
    pub has_switches: bool,
}

impl NetworkInfo {
    pub(crate) fn from_topology(topology: &Topology) -> NetworkInfo {
        NetworkInfo { has_switches: topology.has_switches() }
    }
}

/// The process grid, for orders of ranks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct GridInfo {
    /// Extents of its axes.
    pub dims: Vec<u32>,
    /// `messages`, `communicators` or `cartesian communicator`: its source.
    pub source: &'static str,
    /// Rank at each position, row-major.
    #[serde(skip)]
    pub places: Vec<u32>,
}

/// The groups of a run.
#[derive(Debug, Default)]
pub(super) struct RankGroups {
    /// Number of the group of each rank.
    pub group: Vec<u32>,
    /// Order of the ranks inside a group.
    pub within: Vec<u32>,
    /// Name of each group.
    pub names: Vec<String>,
}

/// Ranks without a group.
const OTHERS: &str = "others";

impl GridInfo {
    /// `None` for fewer than two axes, because rows would be single ranks, and if the positions of ranks are unknown.
    pub(crate) fn from_grid(grid: &Grid) -> Option<GridInfo> {
        let places: u64 = grid.dims.iter().map(|&extent| u64::from(extent)).product();
        let has_lines = grid.dims.iter().filter(|&&extent| extent > 1).count() > 1;
        (has_lines && places == grid.places.len() as u64).then(|| GridInfo {
            dims: grid.dims.clone(),
            source: grid.source,
            places: grid.places.clone(),
        })
    }

    /// The name of a line across an axis.
    fn line(&self, axis: usize) -> &'static str {
        match (self.dims.len(), axis) {
            (2, 0) => "row",
            (2, _) => "column",
            _ => "plane",
        }
    }
}

impl RankGroups {
    /// Groups of ranks. Without a grid there are no lines, without a network no nodes.
    pub fn build(by: Grouping, dimensions: &Dimensions, beside: Beside<'_>) -> Result<RankGroups, ViewError> {
        match by {
            Grouping::Host => Ok(RankGroups::by_host(dimensions)),
            Grouping::Comm(comm) => RankGroups::by_comm(dimensions, comm),
            Grouping::Grid(axis) => RankGroups::by_grid(dimensions.ranks.len(), axis, beside.grid),
            Grouping::Node | Grouping::Switch => {
                let network = beside.network.ok_or_else(|| {
                    ViewError::NotThere(
                        "the network of this run is unknown; describe it with mpiscope view --topology FILE".to_owned(),
                    )
                })?;
                RankGroups::by_network(dimensions, network, by == Grouping::Switch)
            }
        }
    }

    /// Groups in the order of the numbers of nodes; ranks whose node is not in the file come last.
    fn by_network(dimensions: &Dimensions, network: &Topology, by_switch: bool) -> Result<RankGroups, ViewError> {
        if by_switch && !network.has_switches() {
            return Err(ViewError::NotThere(format!("a {} has no switches; use group:node", network.describe())));
        }
        let node = |row: &RankRow| network.node(row.world_rank, &row.host);
        let name = |node: u64, host: &str| match (by_switch, network.is_by_rank()) {
            (true, _) => network.place(node),
            (_, true) if !network.has_switches() => format!("node {node} {}", network.place(node)),
            (_, true) => format!("node {node}"),
            (_, false) if !network.has_switches() => format!("{host} {}", network.place(node)),
            (_, false) => host.to_owned(),
        };
        // By the number of the first node: a switch has several.
        let mut first: BTreeMap<String, u64> = BTreeMap::new();
        let mut of_rank = Vec::new();
        for row in &dimensions.ranks {
            let text = node(row).map(|node| {
                let text = name(node, &row.host);
                let least = first.entry(text.clone()).or_insert(node);
                *least = node.min(*least);
                text
            });
            of_rank.push(text);
        }
        let mut names: Vec<(u64, String)> = first.into_iter().map(|(text, node)| (node, text)).collect();
        names.sort_unstable();
        let numbers: BTreeMap<&str, u32> =
            names.iter().zip(0..).map(|((_, text), number)| (text.as_str(), number)).collect();
        let others = names.len() as u32;
        let number =
            |text: &Option<String>| text.as_deref().and_then(|text| numbers.get(text)).copied().unwrap_or(others);
        Ok(RankGroups {
            group: of_rank.iter().map(number).collect(),
            within: (0..of_rank.len() as u32).collect(),
            names: names.iter().map(|(_, text)| text.clone()).chain([OTHERS.to_owned()]).collect(),
        })
    }

    fn by_host(dimensions: &Dimensions) -> RankGroups {
        let (of_rank, names) = super::run_context::hosts_of(dimensions);
        RankGroups {
            within: (0..of_rank.len() as u32).collect(),
            group: of_rank.into_iter().map(|host| host as u32).collect(),
            names,
        }
    }

    fn by_comm(dimensions: &Dimensions, comm: CommId) -> Result<RankGroups, ViewError> {
        let row = comm.index().and_then(|at| dimensions.comms.get(at));
        let row = row.ok_or_else(|| ViewError::NotThere(format!("the run has no communicator {}", comm.0)))?;
        Ok(RankGroups::of_places(dimensions.ranks.len(), dimensions.comm(comm).to_owned(), &row.members))
    }

    /// Members in order, then the other ranks.
    fn of_places(ranks: usize, name: String, members: &[RankId]) -> RankGroups {
        let mut found = RankGroups {
            group: vec![1; ranks],
            within: (0..ranks as u32).collect(),
            names: vec![name, OTHERS.to_owned()],
        };
        for (place, RankId(rank)) in members.iter().enumerate() {
            if let Some(group) = found.group.get_mut(*rank as usize) {
                *group = 0;
                found.within[*rank as usize] = place as u32;
            }
        }
        found
    }

    fn by_grid(ranks: usize, axis: usize, grid: Option<&GridInfo>) -> Result<RankGroups, ViewError> {
        let grid = grid.ok_or_else(|| ViewError::NotThere("mpiscope found no process grid in this run".to_owned()))?;
        let extent = *grid.dims.get(axis).ok_or_else(|| {
            ViewError::Wrong(format!(
                "the process grid has no axis {axis}; its {} axes are numbered from 0",
                grid.dims.len()
            ))
        })?;
        let stride: u32 = grid.dims[axis + 1..].iter().product();
        let line = grid.line(axis);
        let mut found = RankGroups {
            group: vec![extent; ranks],
            within: (0..ranks as u32).collect(),
            names: (0..extent).map(|at| format!("{line} {at}")).chain([OTHERS.to_owned()]).collect(),
        };
        for (place, &rank) in grid.places.iter().enumerate() {
            if let Some(group) = found.group.get_mut(rank as usize) {
                *group = place as u32 / stride % extent;
                found.within[rank as usize] = place as u32;
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_analysis::Confidence;

    fn dimensions(ranks: usize) -> Dimensions {
        Dimensions { ranks: vec![RankRow::default(); ranks], ..Dimensions::default() }
    }

    fn on(grid: &GridInfo) -> Beside<'_> {
        Beside { grid: Some(grid), ..Beside::default() }
    }

    fn grid(dims: &[u32], places: Vec<u32>) -> Option<GridInfo> {
        GridInfo::from_grid(&Grid {
            dims: dims.to_vec(),
            periodic: vec![false; dims.len()],
            source: "messages",
            confidence: Confidence::High,
            reach: None,
            places,
        })
    }

    #[test]
    fn rows_and_columns() {
        // 0 1 2 in the first row, 5 4 3 in the second; 6 is in no place.
        let grid = grid(&[2, 3], vec![0, 1, 2, 5, 4, 3]).unwrap();
        let rows = RankGroups::build(Grouping::Grid(0), &dimensions(7), on(&grid)).unwrap();
        assert_eq!(rows.group, [0, 0, 0, 1, 1, 1, 2]);
        assert_eq!(rows.names, ["row 0", "row 1", "others"]);
        assert!(rows.within[5] < rows.within[4] && rows.within[4] < rows.within[3]);
        let columns = RankGroups::build(Grouping::Grid(1), &dimensions(7), on(&grid)).unwrap();
        assert_eq!(columns.group, [0, 1, 2, 2, 1, 0, 3]);
        assert_eq!(columns.names[..3], ["column 0", "column 1", "column 2"]);
        assert!(matches!(RankGroups::build(Grouping::Grid(2), &dimensions(7), on(&grid)), Err(ViewError::Wrong(_))));
        assert!(matches!(
            RankGroups::build(Grouping::Grid(0), &dimensions(7), Beside::default()),
            Err(ViewError::NotThere(_))
        ));
    }

    #[test]
    fn planes_of_three_axes() {
        let grid = grid(&[2, 2, 2], (0..8).collect()).unwrap();
        let of = |axis| RankGroups::build(Grouping::Grid(axis), &dimensions(8), on(&grid)).unwrap();
        assert_eq!(of(0).group, [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(of(1).group, [0, 0, 1, 1, 0, 0, 1, 1]);
        assert_eq!(of(2).group, [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(of(1).names[1], "plane 1");
    }

    #[test]
    fn nodes_and_switches() {
        let row = |rank, host: &str| RankRow { world_rank: rank, host: host.to_owned(), ..RankRow::default() };
        let ranks = vec![row(0, "b.site"), row(1, "a"), row(2, "elsewhere"), row(3, "b.site"), row(4, "c")];
        let run = Dimensions { ranks, ..Dimensions::default() };
        let of = |by, text: &str| {
            let network = Topology::parse(text).unwrap();
            RankGroups::build(by, &run, Beside { network: Some(&network), ..Beside::default() })
        };
        let switches = "[[switch]]\nname = \"s1\"\nhosts = [\"c\"]\nlinks = [\"s2\"]\n[[switch]]\nname = \"s2\"\nhosts = [\"a\", \"b\"]\n";
        let nodes = of(Grouping::Node, switches).unwrap();
        assert_eq!(nodes.names, ["c", "a", "b.site", "others"]);
        assert_eq!(nodes.group, [2, 1, 3, 2, 0]);
        let at = of(Grouping::Switch, switches).unwrap();
        assert_eq!((at.names, at.group), (vec!["s1".into(), "s2".into(), "others".into()], vec![1, 1, 2, 1, 0]));
        let torus = "[torus]\nshape = \"2x2\"\n[nodes]\nranks_per_node = 2\n";
        assert_eq!(of(Grouping::Node, torus).unwrap().names[..2], ["node 0 (0,0)", "node 1 (1,0)"]);
        assert!(matches!(of(Grouping::Switch, torus), Err(ViewError::NotThere(_))));
        let none = RankGroups::build(Grouping::Node, &run, Beside::default());
        assert!(matches!(none, Err(ViewError::NotThere(_))));
    }

    #[test]
    fn what_has_no_lines() {
        assert_eq!(grid(&[8], (0..8).collect()), None);
        assert_eq!(grid(&[1, 8], (0..8).collect()), None);
        assert_eq!(grid(&[2, 4], Vec::new()), None, "the places of ranks are unknown");
    }

    #[test]
    fn a_communicator_that_is_not_there() {
        let wrong = RankGroups::build(Grouping::Comm(CommId(3)), &dimensions(2), Beside::default());
        assert!(matches!(wrong, Err(ViewError::NotThere(_))));
    }
}
