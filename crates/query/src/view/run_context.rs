//! Facts about the whole run, independent of its rows.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mpiscope_analysis::Explanation;
use mpiscope_run::topology::Topology;
use mpiscope_store::{CallInfo, Dimensions};

use super::grouping::{Beside, GridInfo};
use super::overview::Iterations;
use super::{Order, OrderSpec, ViewError};

/// Orders in the cache.
const ORDERS: usize = 16;

/// The meaning of ids, and facts about ranks.
pub(crate) struct RunContext {
    pub dimensions: Dimensions,
    pub facts: Arc<Vec<Vec<CallInfo>>>,
    /// Index of the host of each rank.
    pub host_of: Vec<usize>,
    /// Names of hosts, in the order of their first rank.
    pub hosts: Vec<String>,
    explained: OnceLock<Explained>,
    network: Option<Arc<Topology>>,
    orders: Mutex<HashMap<String, Arc<Order>>>,
}

/// The parts of the explanation that requests need.
struct Explained {
    wait_ns: Vec<u64>,
    iterations: Option<Iterations>,
    grid: Option<GridInfo>,
}

impl RunContext {
    /// `network`: the places of ranks in it, if they are known.
    pub fn new(dimensions: Dimensions, facts: Arc<Vec<Vec<CallInfo>>>, network: Option<Arc<Topology>>) -> RunContext {
        let (host_of, hosts) = hosts_of(&dimensions);
        RunContext { dimensions, facts, host_of, hosts, explained: OnceLock::new(), network, orders: Mutex::default() }
    }

    pub fn explained(&self, explanation: &Explanation) {
        let mut wait_ns = vec![0_u64; self.dimensions.ranks.len()];
        let by_name: HashMap<i32, usize> =
            self.dimensions.ranks.iter().enumerate().map(|(at, row)| (row.world_rank, at)).collect();
        for wait in &explanation.waits {
            if let Some(&at) = by_name.get(&wait.rank) {
                wait_ns[at] = wait_ns[at].saturating_add(wait.wait_ns);
            }
        }
        let grid = explanation.grid.as_ref().and_then(GridInfo::from_grid);
        let _ = self.explained.set(Explained { wait_ns, iterations: Iterations::from_explanation(explanation), grid });
    }

    fn iterations(&self) -> Option<&Iterations> {
        self.explained.get()?.iterations.as_ref()
    }

    /// The time of an iteration.
    pub fn iteration_ns(&self, iteration: usize) -> Option<Range<u64>> {
        self.iterations()?.ns(iteration)
    }

    /// The iteration at a moment.
    pub fn iteration_at(&self, ns: u64) -> Option<usize> {
        self.iterations()?.at(ns)
    }

    /// Whether iterations are known.
    pub fn has_iterations(&self) -> bool {
        self.iterations().is_some()
    }

    /// An order by its text.
    /// `region_ns`: time of each rank in a region.
    pub fn order(
        &self,
        text: &str,
        region_ns: impl FnOnce(u32) -> Result<Vec<u64>, ViewError>,
    ) -> Result<Arc<Order>, ViewError> {
        let known = || self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(text) {
            return Ok(found.clone());
        }
        let spec = OrderSpec::parse(text, self.dimensions.ranks.len() as u32)?;
        if spec.needs_grid() && self.explained.get().is_none() {
            return Err(ViewError::NotYet);
        }
        let grid = self.explained.get().and_then(|explained| explained.grid.as_ref());
        let beside = Beside { grid, network: self.network.as_deref() };
        let of_region = spec.needs_region().map(region_ns).transpose()?;
        let known_ns = match (&of_region, self.explained.get()) {
            (Some(of_region), _) => &of_region[..],
            (None, Some(explained)) => &explained.wait_ns[..],
            (None, None) if spec.needs_waits() => return Err(ViewError::NotYet),
            (None, None) => &[],
        };
        let order = Arc::new(spec.order(&self.dimensions, &self.facts, known_ns, beside)?);
        let mut orders = known();
        if orders.len() >= ORDERS {
            orders.clear();
        }
        orders.insert(text.to_owned(), order.clone());
        Ok(order)
    }
}

/// Host of each rank, and their names in the order of their first rank.
pub(crate) fn hosts_of(dimensions: &Dimensions) -> (Vec<usize>, Vec<String>) {
    hosts(dimensions.ranks.iter().map(|row| row.host.as_str()))
}

/// The same from the hosts of ranks.
pub(crate) fn hosts<'a>(of_ranks: impl Iterator<Item = &'a str>) -> (Vec<usize>, Vec<String>) {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut names = Vec::new();
    let mut of_rank = Vec::new();
    for host in of_ranks {
        of_rank.push(*known.entry(host).or_insert_with(|| {
            names.push(host.to_owned());
            names.len() - 1
        }));
    }
    (of_rank, names)
}
