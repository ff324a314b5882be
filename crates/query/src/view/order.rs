//! Which ranks are shown, in which order.

use mpiscope_abi::role::Role;
use mpiscope_store::{CommId, Dimensions, Facts, RankId, RankRow};
use serde::Serialize;

use super::ViewError;

/// An order as it is asked for: `ranks:0-99;pin:3;group:host;sort:wait`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderSpec {
    ranks: Option<Vec<u32>>,
    pin: Vec<u32>,
    group: Option<Group>,
    sort: Sort,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Host,
    Comm(CommId),
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

/// Ranks by position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Rank (index into [`Dimensions::ranks`]) at each position.
    pub ranks: Vec<u32>,
    /// Whether the position is the rank.
    pub is_natural: bool,
    /// Groups that positions fall into, where they are grouped; pinned ranks are in none.
    pub groups: Vec<OrderGroup>,
    /// What each position was sorted by, with its name and unit.
    pub sorted_by: Option<SortedBy>,
}

/// Neighbouring positions that have something in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OrderGroup {
    pub text: String,
    pub from: usize,
    pub until: usize,
}

/// A number of each position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedBy {
    pub field: &'static str,
    pub unit: &'static str,
    pub values: Vec<u64>,
}

/// `0-3,7` as numbers below `end`, ascending, each once.
pub fn ranks(text: &str, end: u32) -> Result<Vec<u32>, ViewError> {
    let wrong = || ViewError::Wrong(format!("'{text}' are no ranks; write 0-3,7"));
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
    pub fn parse(text: &str, end: u32) -> Result<OrderSpec, ViewError> {
        let mut spec = OrderSpec::default();
        for part in text.split(';').filter(|p| !p.is_empty()) {
            let wrong = || {
                ViewError::Wrong(format!(
                    "'{part}' is no order; there are ranks:0-3, pin:7, group:host, group:comm:ID, \
                     sort:rank|mpi|computing|wait|bytes|calls|function:ID|region:ID"
                ))
            };
            let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
            match part.split_once(':').ok_or_else(wrong)? {
                ("ranks", wanted) => spec.ranks = Some(ranks(wanted, end)?),
                ("pin", wanted) => spec.pin = ranks(wanted, end)?,
                ("group", "host") => spec.group = Some(Group::Host),
                ("group", what) => {
                    let comm = what.strip_prefix("comm:").ok_or_else(wrong)?;
                    spec.group = Some(Group::Comm(CommId(number(comm)?)));
                }
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
        Ok(spec)
    }

    /// Whether it needs to know how long each rank waits.
    pub fn needs_waits(&self) -> bool {
        self.sort == Sort::Wait
    }

    /// The region whose time in each rank it needs to know.
    pub fn needs_region(&self) -> Option<u32> {
        match self.sort {
            Sort::Region(id) => Some(id),
            _ => None,
        }
    }

    /// Works it out. `known_ns` by rank, where the order needs it: time of waiting, or in the region.
    pub fn order(&self, dimensions: &Dimensions, facts: &[Vec<Facts>], known_ns: &[u64]) -> Order {
        let end = dimensions.ranks.len() as u32;
        let mut found: Vec<u32> = self.ranks.clone().unwrap_or_else(|| (0..end).collect());
        let place = self.places(dimensions);
        let largest_first = |rank: u32| std::cmp::Reverse(self.number(rank as usize, dimensions, facts, known_ns));
        found.sort_by_cached_key(|&rank| {
            (!self.pin.contains(&rank), place.get(rank as usize).copied().unwrap_or(0), largest_first(rank), rank)
        });
        let is_natural = found.len() == end as usize && found.iter().enumerate().all(|(at, &rank)| at as u32 == rank);
        let values = || found.iter().map(|&rank| self.number(rank as usize, dimensions, facts, known_ns)).collect();
        let sorted_by = self.sort.name().map(|(field, unit)| SortedBy { field, unit, values: values() });
        Order { groups: self.groups(dimensions, &found), sorted_by, ranks: found, is_natural }
    }

    /// Stretches of positions of the same group.
    fn groups(&self, dimensions: &Dimensions, order: &[u32]) -> Vec<OrderGroup> {
        let text = |rank: u32| match self.group {
            None => String::new(),
            Some(Group::Host) => dimensions.ranks.get(rank as usize).map_or_else(String::new, |r| r.host.clone()),
            Some(Group::Comm(comm)) => {
                if members(dimensions, comm).contains(&RankId(rank)) {
                    dimensions.comm(comm).to_owned()
                } else {
                    "others".to_owned()
                }
            }
        };
        let mut groups: Vec<OrderGroup> = Vec::new();
        let pinned = order.iter().take_while(|rank| self.pin.contains(rank)).count();
        for (at, &rank) in order.iter().enumerate().skip(pinned).filter(|_| self.group.is_some()) {
            let text = text(rank);
            match groups.last_mut().filter(|last| last.text == text) {
                Some(last) => last.until = at + 1,
                None => groups.push(OrderGroup { text, from: at, until: at + 1 }),
            }
        }
        groups
    }

    /// Group of each rank.
    fn places(&self, dimensions: &Dimensions) -> Vec<usize> {
        match self.group {
            None => Vec::new(),
            Some(Group::Host) => super::ground::hosts_of(dimensions).0,
            Some(Group::Comm(comm)) => {
                let mut places = vec![usize::MAX; dimensions.ranks.len()];
                for (at, RankId(rank)) in members(dimensions, comm).iter().enumerate() {
                    if let Some(place) = places.get_mut(*rank as usize) {
                        *place = at;
                    }
                }
                // With a number to sort by, that counts inside of the communicator.
                if self.sort != Sort::Rank {
                    places.iter_mut().filter(|p| **p != usize::MAX).for_each(|p| *p = 0);
                }
                places
            }
        }
    }

    fn number(&self, rank: usize, dimensions: &Dimensions, facts: &[Vec<Facts>], known_ns: &[u64]) -> u64 {
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

/// Members of a communicator, in its order.
fn members(dimensions: &Dimensions, comm: CommId) -> &[RankId] {
    comm.index().and_then(|at| dimensions.comms.get(at)).map_or(&[], |c| &c.members)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mpiscope_store::CommRow;

    fn dimensions() -> Dimensions {
        let rank = |host: &str| RankRow { host: host.into(), ..RankRow::default() };
        let comm = CommRow { members: vec![RankId(3), RankId(1)], ..CommRow::default() };
        Dimensions {
            ranks: ["a", "b", "a", "b"].map(rank).into(),
            comms: vec![CommRow::default(), comm],
            ..Dimensions::default()
        }
    }

    fn order(text: &str) -> Vec<u32> {
        let spec = OrderSpec::parse(text, 4).unwrap();
        spec.order(&dimensions(), &[], &[5, 9, 9, 1]).ranks
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
        let spec = OrderSpec::parse("pin:3;group:host;sort:wait", 4).unwrap();
        let order = spec.order(&dimensions(), &[], &[5, 9, 9, 1]);
        let groups: Vec<_> = order.groups.iter().map(|g| (g.text.as_str(), g.from, g.until)).collect();
        assert_eq!((order.ranks, groups), (vec![3, 2, 0, 1], vec![("a", 1, 3), ("b", 3, 4)]));
        assert_eq!(order.sorted_by.unwrap().values, [1, 9, 5, 9]);
        for wrong in [
            "sort",
            "sort:size",
            "sort:region",
            "sort:region:solve",
            "group:comm:x",
            "ranks:3-1",
            "pin:a",
            "colour:red",
        ] {
            assert!(OrderSpec::parse(wrong, 4).is_err(), "{wrong}");
        }
    }
}
