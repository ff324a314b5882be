//! A run that is looked at: its store, opened once.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use mpiscope_analysis::Explanation;
use mpiscope_store::{Dimensions, Facts, RankId, RankRow, Store, StoreError, Wanted, WindowReader};

use super::filter::ByFacts;
use super::overview::Iterations;
use super::{Cancel, Filter, Order, OrderSpec, ViewError};

/// Bytes of decoded rows that are kept for the next question.
const CACHE_BYTES: usize = 384 << 20;
/// Orders that are kept.
const ORDERS: usize = 16;

/// A run with its store.
pub struct Scene {
    pub(crate) store: Store,
    pub(crate) rows: WindowReader,
    until_ns: u64,
    host_of: Vec<usize>,
    hosts: Vec<String>,
    explained: OnceLock<Explained>,
    orders: Mutex<HashMap<String, Arc<Order>>>,
}

/// What questions need of the explanation.
struct Explained {
    wait_ns: Vec<u64>,
    iterations: Option<Iterations>,
}

impl Scene {
    pub(crate) fn open(store: Store) -> Result<Scene, StoreError> {
        let rows = WindowReader::open(&store, CACHE_BYTES)?;
        let (host_of, hosts) = hosts(store.dimensions());
        let until_ns = rows.last_ns();
        Ok(Scene { store, rows, until_ns, host_of, hosts, explained: OnceLock::new(), orders: Mutex::default() })
    }

    pub(crate) fn explained(&self, explanation: &Explanation) {
        let mut wait_ns = vec![0_u64; self.ranks()];
        let by_name: HashMap<i32, usize> =
            self.dimensions().ranks.iter().enumerate().map(|(at, row)| (row.world_rank, at)).collect();
        for wait in &explanation.waits {
            if let Some(&at) = by_name.get(&wait.rank) {
                wait_ns[at] = wait_ns[at].saturating_add(wait.wait_ns);
            }
        }
        let _ = self.explained.set(Explained { wait_ns, iterations: Iterations::of(explanation) });
    }

    /// What ids stand for.
    pub fn dimensions(&self) -> &Dimensions {
        self.store.dimensions()
    }

    /// Facts of each rank.
    pub fn facts(&self) -> &[Vec<Facts>] {
        self.store.facts()
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.dimensions().ranks.len()
    }

    /// Return of the last call, ns since the origin.
    pub fn until_ns(&self) -> u64 {
        self.until_ns
    }

    /// Where the first call of each rank begins that is still there.
    pub(crate) fn first_ns(&self) -> Result<Vec<u64>, StoreError> {
        let mut first: Vec<u64> = self.dimensions().ranks.iter().map(|r| r.rows_from_ns).collect();
        for (rank, start_ns) in self.rows.first_calls()? {
            if let Some(place) = first.get_mut(rank.0 as usize) {
                *place = start_ns;
            }
        }
        Ok(first)
    }

    /// Index of the host of a rank.
    pub fn host_of(&self, rank: u32) -> Option<usize> {
        self.host_of.get(rank as usize).copied()
    }

    /// Names of hosts, in the order of their first rank.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Time of the wanted ranks in the wanted window.
    pub(crate) fn rank_time_ns(&self, filter: &Filter) -> u64 {
        let window = filter.window_ns();
        let ranks = (0..self.ranks() as u32).filter(|&rank| filter.wants_rank(rank)).count() as u64;
        window.end.min(self.until_ns).saturating_sub(window.start).saturating_mul(ranks)
    }

    /// When an iteration was.
    pub fn iteration_ns(&self, iteration: usize) -> Option<Range<u64>> {
        let iterations = self.explained.get()?.iterations.as_ref()?;
        Some(*iterations.from_ns.get(iteration)?..*iterations.until_ns.get(iteration)?)
    }

    /// The iteration that a moment lies in.
    pub(crate) fn iteration_at(&self, ns: u64) -> Option<usize> {
        let iterations = self.explained.get()?.iterations.as_ref()?;
        let at = iterations.from_ns.partition_point(|&from| from <= ns).checked_sub(1)?;
        (ns < iterations.until_ns[at]).then_some(at)
    }

    /// Whether iterations are known.
    pub(crate) fn has_iterations(&self) -> bool {
        self.explained.get().is_some_and(|e| e.iterations.is_some())
    }

    /// An order by its text.
    pub fn order(&self, text: &str) -> Result<Arc<Order>, ViewError> {
        let mut orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = orders.get(text) {
            return Ok(found.clone());
        }
        let spec = OrderSpec::parse(text, self.ranks() as u32)?;
        let waits = match self.explained.get() {
            Some(explained) => &explained.wait_ns[..],
            None if spec.needs_waits() => return Err(ViewError::NotYet),
            None => &[],
        };
        let order = Arc::new(spec.order(self.dimensions(), self.facts(), waits));
        if orders.len() >= ORDERS {
            orders.clear();
        }
        orders.insert(text.to_owned(), order.clone());
        Ok(order)
    }

    /// The part of the store that a filter wants.
    pub(crate) fn wanted(&self, filter: &Filter) -> Wanted {
        Wanted {
            time_ns: Some(filter.window_ns()),
            ranks: filter.ranks.as_ref().map(|ranks| ranks.iter().map(|&rank| RankId(rank)).collect()),
        }
    }

    /// Which calls a filter wants.
    pub(crate) fn selection<'a>(&'a self, filter: &'a Filter) -> Selection<'a> {
        let of_rank = |(rank, facts): (usize, &Vec<Facts>)| match filter.wants_rank(rank as u32) {
            true => facts.iter().map(|f| filter.by_facts(f)).collect(),
            false => Vec::new(),
        };
        Selection { filter, facts: self.facts(), by_facts: self.facts().iter().enumerate().map(of_rank).collect() }
    }
}

/// Host of each rank, and their names in the order of their first rank.
pub(crate) fn hosts(dimensions: &Dimensions) -> (Vec<usize>, Vec<String>) {
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut names = Vec::new();
    let mut of_rank = Vec::with_capacity(dimensions.ranks.len());
    for RankRow { host, .. } in &dimensions.ranks {
        of_rank.push(*known.entry(host).or_insert_with(|| {
            names.push(host.clone());
            names.len() - 1
        }));
    }
    (of_rank, names)
}

/// A filter, with what facts say worked out.
pub(crate) struct Selection<'a> {
    filter: &'a Filter,
    facts: &'a [Vec<Facts>],
    by_facts: Vec<Vec<ByFacts>>,
}

impl Selection<'_> {
    /// Whether a call is wanted.
    pub fn wants(&self, calls: &mpiscope_store::CallColumns, at: usize) -> bool {
        let (rank, facts) = (calls.rank[at] as usize, calls.facts[at] as usize);
        let Some(by_facts) = self.by_facts.get(rank).and_then(|of_rank| of_rank.get(facts)) else { return false };
        let is_thread = self.filter.thread.is_none_or(|thread| thread == calls.thread[at]);
        if *by_facts == ByFacts::No || !is_thread || !self.filter.wants_time(calls.start_ns[at], calls.end_ns[at]) {
            return false;
        }
        match calls.detail(at) {
            None => *by_facts == ByFacts::Yes,
            Some(d) => {
                let bytes = d.bytes_sent.saturating_add(d.bytes_received);
                self.filter.wants_arguments([d.peer, d.peer2], [d.tag, d.tag2], bytes)
            }
        }
    }

    /// Facts of a call.
    pub fn facts(&self, calls: &mpiscope_store::CallColumns, at: usize) -> Option<&Facts> {
        calls.facts_of(at, self.facts)
    }
}

/// `cancel` as the store asks for it.
pub(crate) fn asking(cancel: &Cancel) -> impl Fn() -> bool + Sync + '_ {
    || cancel.is_cancelled()
}
