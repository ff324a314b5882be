//! Which ranks are shown, in which order, and which of them share a row.

use std::ops::Range;

use mpiscope_abi::role::Role;
use mpiscope_store::{CallInfo, CommId, Dimensions, RankRow};
use serde::Serialize;

use super::ViewError;
use super::grouping::{Beside, Grouping, RankGroups};

/// An order as requested: `ranks:0-99;pin:3;group:host;fold:all;sort:wait`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderSpec {
    ranks: Option<Vec<u32>>,
    pin: Vec<u32>,
    group: Option<Grouping>,
    fold: Option<Fold>,
    sort: Sort,
}

/// Groups that are one row each, by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fold {
    These(Vec<u32>),
    AllBut(Vec<u32>),
}

impl Fold {
    /// `0-3,7`, `all` or `but:0-3,7`. There are at most as many groups as ranks, and one of the ranks without a group.
    fn parse(text: &str, ranks: u32) -> Result<Fold, ViewError> {
        let wrong =
            |_| ViewError::Wrong(format!("invalid groups in 'fold:{text}'; write fold:0-3,7, fold:all or fold:but:2"));
        let numbers = |text: &str| self::ranks(text, ranks.saturating_add(1)).map_err(wrong);
        match text.strip_prefix("but:") {
            Some(others) => Ok(Fold::AllBut(numbers(others)?)),
            None if text == "all" => Ok(Fold::AllBut(Vec::new())),
            None => Ok(Fold::These(numbers(text)?)),
        }
    }

    fn has(&self, group: u32) -> bool {
        match self {
            Fold::These(these) => these.binary_search(&group).is_ok(),
            Fold::AllBut(others) => others.binary_search(&group).is_err(),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Sort {
    #[default]
    Rank,
    Mpi,
    Computing,
    Wait,
    Bytes,
    Calls,
    Function(u32),
    Region(u32),
}

impl Sort {
    /// Name and unit of the number.
    fn name(self) -> Option<(&'static str, &'static str)> {
        match self {
            Sort::Rank => None,
            Sort::Mpi => Some(("mpi", "ns")),
            Sort::Computing => Some(("computing", "ns")),
            Sort::Wait => Some(("wait", "ns")),
            Sort::Bytes => Some(("bytes", "bytes")),
            Sort::Calls => Some(("calls", "")),
            Sort::Function(_) => Some(("function", "ns")),
            Sort::Region(_) => Some(("region", "ns")),
        }
    }
}

/// Ranks by position. A position is a row: one rank, or all of a folded group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Ranks (indices into [`Dimensions::ranks`]), row after row.
    pub ranks: Vec<u32>,
    /// Start of the ranks of each row, and one more; `None` where every row is one rank.
    starts: Option<Vec<usize>>,
    /// Whether the position is the rank.
    pub is_natural: bool,
    /// Groups of positions, where they are grouped; pinned ranks are in none.
    pub groups: Vec<OrderGroup>,
    /// The sort value of each position, with its name and unit.
    pub sorted_by: Option<SortedBy>,
}

/// Neighbouring positions with a common property.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderGroup {
    /// The common property, such as the host's name.
    pub text: String,
    /// Its number in `fold:`.
    pub number: u32,
    /// Positions: one, if it is folded.
    pub from: usize,
    /// The position after the last.
    pub until: usize,
    /// Number of its shown ranks.
    pub ranks: usize,
    /// Whether its ranks share one position.
    pub is_folded: bool,
}

/// A number per position: for a folded group, the mean of its ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedBy {
    /// As in `sort:`, such as `mpi`.
    pub field: &'static str,
    /// `ns`, `bytes` or nothing.
    pub unit: &'static str,
    /// One for each position.
    pub values: Vec<u64>,
}

impl Order {
    /// Of these ranks, one in each row.
    pub fn from_ranks(ranks: Vec<u32>, is_natural: bool) -> Order {
        Order { ranks, starts: None, is_natural, groups: Vec::new(), sorted_by: None }
    }

    /// Number of positions.
    pub fn rows(&self) -> usize {
        self.starts.as_ref().map_or(self.ranks.len(), |starts| starts.len().saturating_sub(1))
    }

    /// Ranks of some positions; missing ones are skipped.
    pub fn ranks_in(&self, rows: Range<usize>) -> &[u32] {
        let until = self.start(rows.end);
        &self.ranks[self.start(rows.start).min(until)..until]
    }

    /// Start of the ranks of each row in [`Order::ranks`], and one more; `None` where every row is one rank.
    pub fn starts(&self) -> Option<&[usize]> {
        self.starts.as_deref()
    }

    /// The position of each rank of some positions, in their order.
    pub(super) fn rows_of(&self, rows: Range<usize>) -> impl Iterator<Item = (usize, u32)> + '_ {
        (rows.start..rows.end.min(self.rows()))
            .flat_map(|row| self.ranks_in(row..row + 1).iter().map(move |&rank| (row, rank)))
    }

    fn start(&self, row: usize) -> usize {
        match &self.starts {
            None => row.min(self.ranks.len()),
            Some(starts) => starts.get(row).copied().unwrap_or(self.ranks.len()),
        }
    }

    /// Whether both have the same ranks in the same rows.
    pub(super) fn has_rows_of(&self, other: &Order) -> bool {
        self.ranks == other.ranks && self.starts == other.starts
    }
}

/// `0-3,7` as numbers below `end`, ascending, each once.
///
/// # Errors
///
/// If the text is no such list.
pub fn ranks(text: &str, end: u32) -> Result<Vec<u32>, ViewError> {
    let wrong = || ViewError::Wrong(format!("invalid ranks '{text}'; write 0-3,7"));
    let mut found = Vec::new();
    let mut parts = text.split(',').filter(|p| !p.is_empty()).peekable();
    parts.peek().ok_or_else(wrong)?;
    for part in parts {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u32 = first.parse().map_err(|_| wrong())?;
        let last: u32 = last.parse().map_err(|_| wrong())?;
        if first > last {
            return Err(wrong());
        }
        found.extend(first.min(end)..last.saturating_add(1).min(end));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

impl OrderSpec {
    /// Reads an order; an empty text is the natural one.
    ///
    /// # Errors
    ///
    /// If the text is no order, or folds without groups.
    pub fn parse(text: &str, end: u32) -> Result<OrderSpec, ViewError> {
        let mut spec = OrderSpec::default();
        for part in text.split(';').filter(|p| !p.is_empty()) {
            let wrong = || {
                ViewError::Wrong(format!(
                    "unknown order '{part}'; use ranks:0-3, pin:7, group:host, group:comm:ID, group:grid:AXIS, \
                     group:node, group:switch, \
                     fold:all|0-3|but:2, sort:rank|mpi|computing|wait|bytes|calls|function:ID|region:ID"
                ))
            };
            let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
            match part.split_once(':').ok_or_else(wrong)? {
                ("ranks", wanted) => spec.ranks = Some(ranks(wanted, end)?),
                ("pin", wanted) => spec.pin = ranks(wanted, end)?,
                ("group", "host") => spec.group = Some(Grouping::Host),
                ("group", "node") => spec.group = Some(Grouping::Node),
                ("group", "switch") => spec.group = Some(Grouping::Switch),
                ("group", what) => {
                    spec.group = Some(match what.split_once(':').ok_or_else(wrong)? {
                        ("comm", id) => Grouping::Comm(CommId(number(id)?)),
                        ("grid", axis) => Grouping::Grid(number(axis)? as usize),
                        _ => return Err(wrong()),
                    });
                }
                ("fold", groups) => spec.fold = Some(Fold::parse(groups, end)?),
                ("sort", what) => {
                    spec.sort = match what {
                        "rank" => Sort::Rank,
                        "mpi" => Sort::Mpi,
                        "computing" => Sort::Computing,
                        "wait" => Sort::Wait,
                        "bytes" => Sort::Bytes,
                        "calls" => Sort::Calls,
                        _ => match what.split_once(':').ok_or_else(wrong)? {
                            ("function", id) => Sort::Function(number(id)?),
                            ("region", id) => Sort::Region(number(id)?),
                            _ => return Err(wrong()),
                        },
                    }
                }
                _ => return Err(wrong()),
            }
        }
        if spec.fold.is_some() && spec.group.is_none() {
            return Err(ViewError::Wrong(
                "fold needs groups: add group:host, group:comm:ID, group:grid:AXIS, group:node or group:switch"
                    .to_owned(),
            ));
        }
        Ok(spec)
    }

    /// Whether it needs the process grid.
    pub fn needs_grid(&self) -> bool {
        matches!(self.group, Some(Grouping::Grid(_)))
    }

    /// Whether it needs the waiting time of each rank.
    pub fn needs_waits(&self) -> bool {
        self.sort == Sort::Wait
    }

    /// The region whose time on each rank it needs.
    pub fn needs_region(&self) -> Option<u32> {
        match self.sort {
            Sort::Region(id) => Some(id),
            _ => None,
        }
    }

    /// Computes the order. `known_ns` by rank, where the order needs it: time of waiting, or in the region.
    ///
    /// # Errors
    ///
    /// If the run has no such communicator, grid, axis or network.
    pub fn order(
        &self,
        dimensions: &Dimensions,
        facts: &[Vec<CallInfo>],
        known_ns: &[u64],
        beside: Beside<'_>,
    ) -> Result<Order, ViewError> {
        let end = dimensions.ranks.len() as u32;
        let mut found: Vec<u32> = self.ranks.clone().unwrap_or_else(|| (0..end).collect());
        let groups = self.group.map(|by| RankGroups::build(by, dimensions, beside)).transpose()?.unwrap_or_default();
        let of = |of_rank: &[u32], rank: u32| of_rank.get(rank as usize).copied().unwrap_or(0);
        let largest_first = |rank: u32| std::cmp::Reverse(self.number(rank as usize, dimensions, facts, known_ns));
        found.sort_by_cached_key(|&rank| {
            let is_pinned = self.pin.contains(&rank);
            (!is_pinned, of(&groups.group, rank), largest_first(rank), of(&groups.within, rank), rank)
        });
        let mut order = Order::from_ranks(found, false);
        self.fold_groups(&groups, &mut order);
        order.is_natural = order.starts.is_none()
            && order.ranks.len() == end as usize
            && order.ranks.iter().enumerate().all(|(at, &rank)| at as u32 == rank);
        order.sorted_by = self.sort.name().map(|(field, unit)| {
            let mean = |row: usize| {
                let ranks = order.ranks_in(row..row + 1);
                let number = |&rank: &u32| u128::from(self.number(rank as usize, dimensions, facts, known_ns));
                (ranks.iter().map(number).sum::<u128>() / ranks.len().max(1) as u128) as u64
            };
            SortedBy { field, unit, values: (0..order.rows()).map(mean).collect() }
        });
        Ok(order)
    }

    /// Finds the groups of a sorted order, and gives each folded one a single row.
    fn fold_groups(&self, groups: &RankGroups, order: &mut Order) {
        if self.group.is_none() {
            return;
        }
        let of = |rank: u32| groups.group.get(rank as usize).copied().unwrap_or(0);
        let pinned = order.ranks.iter().take_while(|rank| self.pin.contains(rank)).count();
        let mut starts: Vec<usize> = (0..pinned).collect();
        let mut first = pinned;
        for ranks in order.ranks[pinned..].chunk_by(|&a, &b| of(a) == of(b)) {
            let number = of(ranks[0]);
            let is_folded = self.fold.as_ref().is_some_and(|fold| fold.has(number));
            let from = starts.len();
            starts.extend(first..first + if is_folded { 1 } else { ranks.len() });
            first += ranks.len();
            let text = groups.names.get(number as usize).cloned().unwrap_or_default();
            order.groups.push(OrderGroup { text, number, from, until: starts.len(), ranks: ranks.len(), is_folded });
        }
        starts.push(order.ranks.len());
        order.starts = order.groups.iter().any(|group| group.is_folded).then_some(starts);
    }

    fn number(&self, rank: usize, dimensions: &Dimensions, facts: &[Vec<CallInfo>], known_ns: &[u64]) -> u64 {
        let facts = || facts.get(rank).into_iter().flatten();
        let mpi = || facts().map(|f| f.time_ns).fold(0, u64::saturating_add);
        match self.sort {
            Sort::Rank => 0,
            Sort::Mpi => mpi(),
            // The time of a rank is that between Init and Finalize.
            Sort::Computing => {
                let inside = facts().filter(|f| !matches!(f.role, Role::Init | Role::Finalize)).map(|f| f.time_ns);
                let time_ns = dimensions.ranks.get(rank).map_or(0, RankRow::time_ns);
                time_ns.saturating_sub(inside.fold(0, u64::saturating_add))
            }
            Sort::Wait | Sort::Region(_) => known_ns.get(rank).copied().unwrap_or(0),
            Sort::Bytes => facts()
                .map(|f| f.bytes_sent.saturating_add(f.bytes_received).saturating_mul(f.calls))
                .fold(0, u64::saturating_add),
            Sort::Calls => facts().map(|f| f.calls).fold(0, u64::saturating_add),
            Sort::Function(id) => facts().filter(|f| f.function == id).map(|f| f.time_ns).fold(0, u64::saturating_add),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::grouping::GridInfo;
    use super::*;
    use mpiscope_store::{CommRow, RankId};

    fn dimensions() -> Dimensions {
        let rank = |host: &str| RankRow { host: host.into(), ..RankRow::default() };
        let comm = CommRow { members: vec![RankId(3), RankId(1)], ..CommRow::default() };
        Dimensions {
            ranks: ["a", "b", "a", "b"].map(rank).into(),
            comms: vec![CommRow::default(), comm],
            ..Dimensions::default()
        }
    }

    fn ordered(text: &str) -> Order {
        let grid = GridInfo { dims: vec![2, 2], places: vec![0, 1, 2, 3], source: "messages" };
        let spec = OrderSpec::parse(text, 4).unwrap();
        spec.order(&dimensions(), &[], &[5, 9, 9, 1], Beside { grid: Some(&grid), network: None }).unwrap()
    }

    fn order(text: &str) -> Vec<u32> {
        ordered(text).ranks
    }

    /// Ranks of each row.
    fn rows(text: &str) -> Vec<Vec<u32>> {
        let order = ordered(text);
        (0..order.rows()).map(|row| order.ranks_in(row..row + 1).to_vec()).collect()
    }

    #[test]
    fn folds() {
        assert_eq!(rows("group:host;fold:all"), [vec![0, 2], vec![1, 3]]);
        assert_eq!(rows("group:host;fold:1"), [vec![0], vec![2], vec![1, 3]]);
        assert_eq!(rows("group:host;fold:but:1"), [vec![0, 2], vec![1], vec![3]]);
        assert_eq!(rows("group:comm:1;fold:1"), [vec![3], vec![1], vec![0, 2]]);
        assert_eq!(rows("group:grid:1;fold:0"), [vec![0, 2], vec![1], vec![3]]);
        // A pinned rank is in no group, and neither are ranks that are not shown.
        assert_eq!(rows("pin:3;group:host;fold:all"), [vec![3], vec![0, 2], vec![1]]);
        assert_eq!(rows("ranks:1-3;group:host;fold:0"), [vec![2], vec![1], vec![3]]);
        // There is no group 9: nothing is folded, without an error.
        assert_eq!(ordered("group:host;fold:9"), ordered("group:host"));
        let order = ordered("group:host;fold:0;sort:wait");
        let groups: Vec<_> =
            order.groups.iter().map(|g| (g.text.as_str(), g.number, g.from, g.until, g.ranks, g.is_folded)).collect();
        assert_eq!(groups, [("a", 0, 0, 1, 2, true), ("b", 1, 1, 3, 2, false)]);
        assert_eq!(order.sorted_by.as_ref().unwrap().values, [7, 9, 1], "the mean of 5 and 9, then 9 and 1");
        assert_eq!(
            (order.ranks_in(0..2), order.ranks_in(2..99), order.ranks_in(7..9)),
            (&[2, 0, 1][..], &[3][..], &[][..])
        );
        assert!(!ordered("group:comm:0;fold:1").is_natural);
    }

    #[test]
    fn rows_and_columns_of_the_grid() {
        assert_eq!(order("group:grid:0"), [0, 1, 2, 3]);
        assert_eq!(order("group:grid:1"), [0, 2, 1, 3]);
        assert_eq!(order("group:grid:1;sort:wait"), [2, 0, 1, 3]);
        let spec = OrderSpec::parse("group:grid:0", 4).unwrap();
        assert!(spec.needs_grid());
        assert!(matches!(spec.order(&dimensions(), &[], &[], Beside::default()), Err(ViewError::NotThere(_))));
    }

    #[test]
    fn orders() {
        assert_eq!(order(""), [0, 1, 2, 3]);
        assert_eq!(order("group:host"), [0, 2, 1, 3]);
        assert_eq!(order("group:comm:1"), [3, 1, 0, 2]);
        assert_eq!(order("sort:wait"), [1, 2, 0, 3]);
        assert_eq!(order("sort:region:3"), [1, 2, 0, 3]);
        assert_eq!(OrderSpec::parse("pin:1;sort:region:3", 4).unwrap().needs_region(), Some(3));
        assert_eq!(order("ranks:1-3;sort:wait;pin:3"), [3, 1, 2]);
        assert_eq!(order("group:host;sort:wait"), [2, 0, 1, 3]);
        assert_eq!(order("ranks:2-99"), [2, 3]);
        let order = ordered("pin:3;group:host;sort:wait");
        let groups: Vec<_> = order.groups.iter().map(|g| (g.text.as_str(), g.from, g.until)).collect();
        assert_eq!((order.ranks, groups), (vec![3, 2, 0, 1], vec![("a", 1, 3), ("b", 3, 4)]));
        assert_eq!(order.sorted_by.unwrap().values, [1, 9, 5, 9]);
        for wrong in [
            "sort",
            "sort:size",
            "sort:region",
            "sort:region:solve",
            "group:comm:x",
            "group:grid",
            "group:grid:x",
            "fold:all",
            "group:host;fold:",
            "group:host;fold:some",
            "group:host;fold:but:",
            "group:host;fold:3-1",
            "ranks:3-1",
            "pin:a",
            "colour:red",
        ] {
            assert!(OrderSpec::parse(wrong, 4).is_err(), "{wrong}");
        }
    }
}
