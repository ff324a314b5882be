//! Changes that put ranks on other hosts.

use std::path::{Path, PathBuf};

use anyhow::Context;
use mpiscope_predict::{Change, Order};
use mpiscope_run::topology::Topology;

use super::super::place::{Extents, extents, nodes_and_ranks};

/// Where ranks can be, for `placement=…`.
#[derive(clap::Args)]
pub struct Options {
    /// Nodes and ranks on each for placement=..., instead of the run's hosts: 4x8
    #[arg(long, value_name = "NODESxRANKS", value_parser = extents, requires = "what_if")]
    nodes: Option<Extents>,

    /// Network between the hosts, whose links messages share (docs/topology.md)
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,
}

impl Options {
    /// The network that was described.
    pub fn topology(&self) -> anyhow::Result<Option<Topology>> {
        self.topology.as_deref().map(Topology::read).transpose().map_err(anyhow::Error::msg)
    }

    /// The nodes.
    pub fn nodes(&self) -> anyhow::Result<Option<[u32; 2]>> {
        self.nodes.as_ref().map(nodes_and_ranks).transpose()
    }
}

/// Reads the files that placements name.
pub fn read_orders(asked: &mut [Vec<Change>]) -> anyhow::Result<()> {
    for change in asked.iter_mut().flatten() {
        let Change::Placement(placement) = change else { continue };
        if !mpiscope_place::is_named(&placement.name) && Path::new(&placement.name).exists() {
            let text = std::fs::read_to_string(&placement.name);
            placement.order = Order::Text(text.with_context(|| format!("cannot read {}", placement.name))?);
        }
    }
    Ok(())
}
