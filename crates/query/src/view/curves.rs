//! Curves over time: ranks in MPI and waiting, calls and bytes per second, messages and bytes in flight; for all ranks or
//! per host.

use std::cell::Cell;
use std::ops::Range;

use mpiscope_pyramid::Layer;
use mpiscope_store::{Message, OperationMember};
use rustc_hash::FxHashMap;

use super::cells::{CellRow, CellsWish, FEW, Grid, MANY, drawn, of_preview};
use super::events::wants_message;
use super::opened_run::asking;
use super::reading::Basis;
use super::{Cancel, Care, Filter, OpenedRun, Order, ViewError, WAITING};

/// Most hosts with a curve; the others are left out.
const MOST_HOSTS: usize = 64;

/// The parameters.
#[derive(Clone, Debug)]
pub struct CurvesWish {
    /// Start of the window, ns since the origin of the run.
    pub from_ns: u64,
    /// End of the window.
    pub until_ns: u64,
    /// At least half as many bins, if the window is at least this many ns long.
    pub columns: usize,
    /// Whether each host gets a curve of its own.
    pub by_host: bool,
    /// Whether the answer has to be exact.
    pub care: Care,
}

/// The activity of some ranks, bin by bin. Numbers of ranks and messages are means over the bin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Index of the host; `None` for all ranks.
    pub host: Option<usize>,
    /// The number of ranks that it sums up.
    pub ranks: usize,
    /// Ranks inside of an MPI call.
    pub ranks_in_mpi: Vec<f64>,
    /// `None` where a filter needs arguments of calls: waits do not have them.
    pub ranks_waiting: Option<Vec<f64>>,
    /// Calls that start.
    pub calls_per_s: Vec<f64>,
    /// Payload of messages, and each rank's contribution to collective operations, at the entry of the call.
    pub sent_bytes_per_s: Vec<f64>,
    /// From the entry of the sending call to the return of the call that completed the receive; of the sender's host.
    pub messages_in_flight: Vec<f64>,
    /// Payload of `messages_in_flight`.
    pub bytes_in_flight: Vec<f64>,
}

/// Curves with the same bins.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// A power of two.
    pub bin_ns: u64,
    /// Beginning of the first bin.
    pub from_ns: u64,
    /// Number of bins.
    pub columns: usize,
    /// One, or one per host.
    pub curves: Vec<Curve>,
    /// Whether the same request would get finer bins if it were not quick.
    pub has_finer: bool,
    /// Number of hosts without a curve, because there are too many.
    pub hosts_left_out: usize,
    /// The basis of the message counts.
    pub basis: Basis,
}

/// The curves of a window and a filter.
///
/// # Errors
///
/// If the run has no ranks, the store cannot be read, or the request is cancelled.
pub fn curves(scene: &OpenedRun, filter: &Filter, wish: &CurvesWish, cancel: &Cancel) -> Result<Curves, ViewError> {
    let ranks = (0..scene.ranks() as u32).filter(|&rank| filter.wants_rank(rank));
    let hosts = if wish.by_host { scene.hosts().len() } else { 1 };
    let mut groups: Vec<Vec<u32>> = vec![Vec::new(); hosts.clamp(1, MOST_HOSTS)];
    for rank in ranks {
        let group = if wish.by_host { scene.host_of(rank).unwrap_or(0) } else { 0 };
        if let Some(of_group) = groups.get_mut(group) {
            of_group.push(rank);
        }
    }
    let orders: Vec<Order> = groups.into_iter().map(order_of).collect();
    // All in the bins of the coarsest one.
    let mut cells = WishOf { scene, filter, wish, cancel, columns: wish.columns, has_finer: Cell::new(false) };
    let mut rows = orders.iter().map(|order| cells.row(order)).collect::<Result<Vec<_>, _>>()?;
    let widest = rows.iter().map(|(grid, _)| grid.bin_ns).max().unwrap_or(1);
    if rows.iter().any(|(grid, _)| grid.bin_ns != widest) {
        cells.columns = ((wish.until_ns.saturating_sub(wish.from_ns) / widest) as usize).max(1);
        rows = orders.iter().map(|order| cells.row(order)).collect::<Result<Vec<_>, _>>()?;
    }
    let grid = rows.first().map(|(grid, _)| *grid).ok_or_else(|| ViewError::Wrong("the run has no ranks".into()))?;
    let mut curves: Vec<Curve> = Vec::new();
    for (host, (order, (_, row))) in orders.iter().zip(&rows).enumerate() {
        let host = wish.by_host.then_some(host);
        curves.push(of_row(row, &grid, host, order.ranks.len(), filter));
    }
    let basis = add_messages(scene, filter, wish, &grid, &mut curves, cancel)?;
    let hosts_left_out = hosts.saturating_sub(curves.len());
    Ok(Curves {
        bin_ns: grid.bin_ns,
        from_ns: grid.from_ns,
        columns: grid.columns,
        has_finer: cells.has_finer.get(),
        curves,
        hosts_left_out,
        basis,
    })
}

fn order_of(ranks: Vec<u32>) -> Order {
    let is_natural = ranks.iter().enumerate().all(|(at, &rank)| at as u32 == rank);
    Order::from_ranks(ranks, is_natural)
}

struct WishOf<'a> {
    scene: &'a OpenedRun,
    filter: &'a Filter,
    wish: &'a CurvesWish,
    cancel: &'a Cancel,
    columns: usize,
    /// Whether bins would be finer if the answer were not quick.
    has_finer: Cell<bool>,
}

impl WishOf<'_> {
    /// All ranks of an order as one row. The cache of the timeline's picture stays.
    fn row(&self, order: &Order) -> Result<(Grid, CellRow), ViewError> {
        let wish = CellsWish {
            from_ns: self.wish.from_ns,
            until_ns: self.wish.until_ns,
            columns: self.columns,
            row_from: 0,
            row_until: order.ranks.len(),
            rows: 1,
            filter: self.filter.clone(),
            layer: Layer::Calls,
            care: self.wish.care,
        };
        let of_calls = |grid: Grid| {
            let rows = drawn(self.scene, order, &grid, self.filter, self.cancel)?;
            Ok((grid, rows.into_iter().next().unwrap_or_default()))
        };
        if self.filter.is_narrow() || self.filter.from_ns.is_some() {
            return of_calls(wish.grid(order.ranks.len()));
        }
        let found = of_preview(&self.scene.preview, order, &wish, self.cancel)?;
        let most = if self.wish.care == Care::Exact { MANY } else { FEW };
        if !found.is_exact && found.calls() <= most {
            return of_calls(wish.grid(order.ranks.len()));
        }
        self.has_finer.set(self.has_finer.get() || (!found.is_exact && found.calls() <= MANY));
        Ok((found.grid, found.rows.first().cloned().unwrap_or_default()))
    }
}

/// The values of a row of cells.
fn of_row(row: &CellRow, grid: &Grid, host: Option<usize>, ranks: usize, filter: &Filter) -> Curve {
    let per_s = 1e9 / grid.bin_ns as f64;
    let columns = if row.ends.is_empty() { 0 } else { grid.columns };
    let share = |column: usize, is_waiting: bool| {
        let entries = row.entries(column).filter(|(function, _)| (*function == WAITING) == is_waiting);
        entries.map(|(_, share)| f64::from(share)).sum::<f64>() / 65535.0 * ranks as f64
    };
    let of_columns = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
        let mut all: Vec<f64> = (0..columns).map(of).collect();
        all.resize(grid.columns, 0.0);
        all
    };
    Curve {
        host,
        ranks,
        ranks_in_mpi: of_columns(&|column| share(column, false)),
        ranks_waiting: (!filter.is_narrow()).then(|| of_columns(&|column| share(column, true))),
        calls_per_s: of_columns(&|column| f64::from(row.calls[column]) * per_s),
        ..Curve::default()
    }
}

/// Sums over bins of quantities that last for some time.
#[derive(Clone, Debug)]
struct Lasting {
    /// Change for complete bins.
    whole: Vec<f64>,
    /// Part of a bin.
    part: Vec<f64>,
}

impl Lasting {
    fn new(columns: usize) -> Lasting {
        Lasting { whole: vec![0.0; columns + 1], part: vec![0.0; columns] }
    }

    /// Adds `weight` from one moment to another, in bins from the first one.
    fn add(&mut self, from: f64, until: f64, weight: f64) {
        let columns = self.part.len();
        let (from, until) = (from.clamp(0.0, columns as f64), until.clamp(0.0, columns as f64));
        if until <= from {
            return;
        }
        let (first, last) = (from as usize, (until as usize).min(columns - 1));
        if first == last {
            self.part[first] += weight * (until - from);
            return;
        }
        self.part[first] += weight * ((first + 1) as f64 - from);
        self.part[last] += weight * (until - last as f64);
        self.whole[first + 1] += weight;
        self.whole[last] -= weight;
    }

    fn join(&mut self, other: &Lasting) {
        let add = |all: &mut [f64], more: &[f64]| all.iter_mut().zip(more).for_each(|(a, b)| *a += b);
        add(&mut self.whole, &other.whole);
        add(&mut self.part, &other.part);
    }

    /// Means over bins. Sums of differences may miss 0 by a rounding error.
    fn means(&self, scale: f64) -> Vec<f64> {
        let mut lasting = 0.0;
        let mean = |(part, change): (&f64, &f64)| {
            lasting += change;
            ((lasting + part) * scale).max(0.0)
        };
        self.part.iter().zip(&self.whole).map(mean).collect()
    }
}

/// Messages of some ranks.
#[derive(Clone, Debug)]
struct Flying {
    count: Lasting,
    bytes: Lasting,
    sent: Vec<f64>,
}

impl Flying {
    fn new(columns: usize) -> Flying {
        Flying { count: Lasting::new(columns), bytes: Lasting::new(columns), sent: vec![0.0; columns] }
    }

    fn join(&mut self, other: &Flying) {
        self.count.join(&other.count);
        self.bytes.join(&other.bytes);
        self.sent.iter_mut().zip(&other.sent).for_each(|(a, b)| *a += b);
    }
}

/// By number of the curve.
type Flights = FxHashMap<usize, Flying>;

fn join(mut a: Flights, b: Flights) -> Flights {
    for (curve, flying) in b {
        match a.entry(curve) {
            std::collections::hash_map::Entry::Occupied(mut known) => known.get_mut().join(&flying),
            std::collections::hash_map::Entry::Vacant(new) => {
                new.insert(flying);
            }
        }
    }
    a
}

fn add_messages(
    scene: &OpenedRun,
    filter: &Filter,
    wish: &CurvesWish,
    grid: &Grid,
    curves: &mut [Curve],
    cancel: &Cancel,
) -> Result<Basis, ViewError> {
    let many = curves.len();
    let curve_of = |rank: u32| {
        let curve = if wish.by_host { scene.host_of(rank).unwrap_or(0) } else { 0 };
        (curve < many && filter.wants_rank(rank)).then_some(curve)
    };
    let window = Range { start: grid.from_ns, end: grid.from_ns + grid.bin_ns * grid.columns as u64 };
    let bins = |ns: u64| (ns as f64 - window.start as f64) / grid.bin_ns as f64;
    let bin = |ns: u64| window.contains(&ns).then(|| ((ns - window.start) / grid.bin_ns) as usize);
    let within = Filter { from_ns: Some(window.start), until_ns: Some(window.end), ..filter.clone() };
    let take = |all: &mut Flights, m: &Message| {
        let Some(curve) = curve_of(m.sender.0) else { return };
        if !wants_message(scene, filter, m) {
            return;
        }
        let end_ns = if m.receive.is_done() { m.receive.done_end_ns } else { u64::MAX };
        if m.send.start_ns >= window.end || end_ns <= window.start {
            return;
        }
        let flying = all.entry(curve).or_insert_with(|| Flying::new(grid.columns));
        let (from, until) = (bins(m.send.start_ns), bins(end_ns));
        flying.count.add(from, until, 1.0);
        flying.bytes.add(from, until, m.bytes as f64);
        if let Some(bin) = bin(m.send.start_ns) {
            flying.sent[bin] += m.bytes as f64;
        }
    };
    let (messages, basis) = scene.fold_messages(&within, wish.care, cancel, Flights::default, take, join)?;
    let scale = if let Basis::Sample { share } = basis { 1.0 / share.max(f64::MIN_POSITIVE) } else { 1.0 };
    let member = |all: &mut Flights, part: &OperationMember| {
        let Some((curve, bin)) = curve_of(part.member.rank.0).zip(bin(part.member.end.start_ns)) else { return };
        let flying = all.entry(curve).or_insert_with(|| Flying::new(grid.columns));
        flying.sent[bin] += part.member.bytes_sent as f64;
    };
    // Operations have no peers and tags; their communicator and function are not in their parts.
    let collectives = match filter.is_narrow() || filter.functions.is_some() {
        true => Flights::default(),
        false => scene.rows.fold_members(&scene.wanted(&within), &asking(cancel), Flights::default, member, join)?,
    };
    let nothing = Flying::new(grid.columns);
    let per_s = 1e9 / grid.bin_ns as f64;
    for (number, curve) in curves.iter_mut().enumerate() {
        let flying = messages.get(&number).unwrap_or(&nothing);
        let parts = collectives.get(&number).unwrap_or(&nothing);
        curve.messages_in_flight = flying.count.means(scale);
        curve.bytes_in_flight = flying.bytes.means(scale);
        curve.sent_bytes_per_s = flying.sent.iter().zip(&parts.sent).map(|(m, c)| (m * scale + c) * per_s).collect();
    }
    Ok(basis)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_lasts_is_summed_exactly(
            spans in proptest::collection::vec((-3.0..12.0f64, 0.0..9.0f64, 1.0..4.0f64), 0..40),
        ) {
            let mut all = Lasting::new(8);
            spans.iter().for_each(|(from, length, weight)| all.add(*from, from + length, *weight));
            for (bin, mean) in all.means(1.0).into_iter().enumerate() {
                let (begin, end) = (bin as f64, bin as f64 + 1.0);
                let of = |(from, length, weight): &(f64, f64, f64)| ((from + length).min(end) - from.max(begin)).max(0.0) * weight;
                prop_assert!((mean - spans.iter().map(of).sum::<f64>()).abs() < 1e-9, "bin {bin}");
            }
        }
    }
}
